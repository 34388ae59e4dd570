// Part of Tenon, under the Apache License v2.0.
//
// The data of the page (sim/report/page.proto), arranged so that
// any window of time is summed up quickly.
"use strict";

/** First index whose value is greater than `value` in an ascending array. */
function upperBound(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** One engine of one launch: its instructions i occupy [start[i], start[i + 1]). */
class EngineLane {
  constructor(columns, texts, offset, cycles) {
    const count = columns.before.length;
    this.count = count;
    this.texts = texts;
    this.offset = offset;      // of the launch on the page's axis
    this.end = offset + cycles;
    this.columns = columns;
    this.trailing = Number(columns.trailing_empty); // empty behind the last instruction, then done
    this.start = new Float64Array(count + 1);
    this.work = new Float64Array(count);
    this.layer = new Uint32Array(count);
    // sums[state][i]: cycles in the state before instruction i.
    this.sums = STATES.slice(0, 6).map(() => new Float64Array(count + 1));
    const byState = STATES.slice(0, 6).map((state) => columns[state]);
    this.start[0] = offset;
    let run = -1;
    for (let i = 0; i < count; ++i) {
      let taken = 0;
      for (let s = 0; s < 6; ++s) {
        taken += byState[s][i];
        this.sums[s][i + 1] = this.sums[s][i] + byState[s][i];
      }
      this.start[i + 1] = this.start[i] + taken;
      const works = byState[0][i] + byState[2][i] + byState[3][i] + byState[4][i] > 0;
      this.work[i] = works ? this.start[i] + columns.before[i] : this.start[i + 1];
      while (run + 1 < columns.run_first.length && (run < 0 || columns.run_first[run + 1] <= i)) ++run;
      this.layer[i] = run < 0 ? 0 : columns.run_layer[run];
    }
  }

  /** The instruction at a time, or -1 when the engine is done. */
  at(time) {
    if (time < this.offset || time >= this.start[this.count]) return -1;
    return Math.min(upperBound(this.start, time) - 1, this.count - 1);
  }

  /** [state, begin, end] that fill an instruction: sim/report/drawing.h has the order. */
  stretches(i) {
    const out = [];
    let at = this.start[i];
    const add = (state, cycles) => {
      if (cycles > 0) out.push([state, at, at + cycles]);
      at += cycles;
    };
    const of = (state) => this.columns[STATES[state]][i];
    const before = this.work[i] - at;
    const empty = Math.min(of(5), before), token = Math.min(of(1), before - empty);
    add(5, empty);
    add(1, token);
    for (const state of [2, 3, 0, 4]) add(state, of(state));
    add(1, of(1) - token);
    add(5, of(5) - empty);
    return out;
  }

  /** Adds to `shares` the cycles of each state before `time`, times `sign`. */
  addUpTo(time, shares, sign) {
    if (time <= this.offset) return;
    const i = this.at(time);
    const whole = i < 0 ? this.count : i;
    for (let s = 0; s < 6; ++s) shares[s] += sign * this.sums[s][whole];
    if (i < 0) {
      const behind = Math.min(time, this.end) - this.start[this.count], empty = Math.min(behind, this.trailing);
      shares[5] += sign * empty;
      shares[6] += sign * (behind - empty);
    } else
      for (const [state, begin, end] of this.stretches(i))
        if (time > begin) shares[state] += sign * (Math.min(time, end) - begin);
  }
}

/** A run: its report, and its launches one behind the other on one axis. */
class Run {
  constructor(data, letter) {
    Object.assign(this, {report: data.report, letter, texts: data.texts, details: data.layers});
    this.launches = [];
    this.cycles = 0;
    for (const launch of data.launches) {
      const offset = this.cycles;
      const lanes = launch.engines.map(
        (columns, e) => new EngineLane(columns, launch.texts[e].values, offset, launch.cycles));
      this.launches.push({...launch, offset, lanes, tokensOf: tokensByInstruction(launch), waited: waitedFor(launch, lanes)});
      this.cycles += launch.cycles;
    }
    this.title = [this.report.model, this.report.config, this.report.target].join(" · ");
  }

  /** Spans of layers on the page's axis. */
  spans() {
    return this.launches.flatMap((launch) => launch.span_layer.map((layer, i) => ({
      layer, name: this.report.layers[layer].name,
      begin: launch.offset + launch.span_begin[i], end: launch.offset + launch.span_end[i],
      first: launch.offset + launch.span_first[i]})));
  }

  /** The window in which a layer works, or null. */
  windowOf(layer) {
    const spans = this.spans().filter((span) => span.layer === layer);
    if (!spans.length) return null;
    const end = Math.max(...spans.map((span) => span.end));
    const last = this.launches.at(-1).offset + this.launches.at(-1).cycles;
    return [Math.min(...spans.map((span) => Math.min(span.first, span.begin))), Math.min(end, last)];
  }
}

/** Of each token, whether its taker waited for it: the giver retired after the taker's predecessor. */
function waitedFor(launch, lanes) {
  return launch.token_from.map((from, i) =>
    lanes[from].start[launch.token_giver[i] + 1] > lanes[launch.token_to[i]].start[launch.token_taker[i]]);
}

/** Tokens by "engine:instruction". */
function tokensByInstruction(launch) {
  const map = new Map();
  const add = (key, token) => map.has(key) ? map.get(key).push(token) : map.set(key, [token]);
  for (let i = 0; i < launch.token_from.length; ++i) {
    add(launch.token_from[i] + ":" + launch.token_giver[i], i);
    add(launch.token_to[i] + ":" + launch.token_taker[i], i);
  }
  return map;
}
