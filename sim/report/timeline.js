// Part of Tenon, under the Apache License v2.0.
//
// The engines over time on a canvas. Far out a column of pixels shows the
// shares of the states in its cycles; close up each instruction is drawn.
// All runs share one time axis, in cycles.
"use strict";

const LEFT = 64, RIGHT = 14, LANE = 38, GAP = 5, BAND = 22, TITLE = 22, AXIS = 26;
const mostArrows = 150;    // drawn at once
const pixelsEach = 4;      // least of an instruction that is drawn by itself
const leastWindow = 8;     // cycles

class Timeline {
  /** `onWindow(begin, end)` is called when the window moves, `onLayer(layer)` on a click on a layer. */
  constructor(canvas, runs, tip, onWindow, onLayer) {
    Object.assign(this, {canvas, runs, tip, onWindow, onLayer});
    this.context = canvas.getContext("2d");
    this.cycles = Math.max(1, ...runs.map((run) => run.cycles));
    this.begin = 0;
    this.end = this.cycles;
    this.showArrows = true;
    this.hover = null;
    this.place();
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.listen();
    this.resize();
  }

  /** Where each lane and band lies, from top to bottom. */
  place() {
    this.rows = [];
    let y = 0;
    for (const run of this.runs) {
      if (this.runs.length > 1) {
        this.rows.push({kind: "title", run, y: y, height: TITLE});
        y += TITLE;
      }
      ENGINES.forEach((engine, e) => {
        this.rows.push({kind: "lane", run, engine, e, y, height: LANE});
        y += LANE + GAP;
      });
      this.rows.push({kind: "band", run, spans: run.spans(), y, height: BAND});
      y += BAND + 10;
    }
    this.axisY = y - 4;
    this.height = y + AXIS - 4;
    this.canvas.style.height = this.height + "px";
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  get plotWidth() { return Math.max(1, this.width - LEFT - RIGHT); }
  x(time) { return LEFT + (time - this.begin) / (this.end - this.begin) * this.plotWidth; }
  time(x) { return this.begin + (x - LEFT) / this.plotWidth * (this.end - this.begin); }

  show(begin, end) {
    const length = Math.min(Math.max(end - begin, leastWindow), this.cycles);
    this.begin = Math.min(Math.max(0, begin), this.cycles - length);
    this.end = this.begin + length;
    this.hover = null;
    this.tip.hidden = true;
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
      this.onWindow(this.begin, this.end);
    });
  }
  zoom(factor, at = (this.begin + this.end) / 2) {
    this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
  }
  showAll() { this.show(0, this.cycles); }
  showLayer(run, layer) {
    const span = run.windowOf(layer);
    if (!span) return;
    const margin = Math.max(4, 0.03 * (span[1] - span[0]));
    this.show(span[0] - margin, span[1] + margin);
  }

  draw() {
    this.colours = colours();
    const c = this.context;
    c.clearRect(0, 0, this.width, this.height);
    c.textBaseline = "middle";
    this.drawAxis();
    this.closeUp = this.rows.every((row) => row.kind !== "lane" || this.visible(row) * pixelsEach <= this.plotWidth);
    for (const row of this.rows) this["draw_" + row.kind](row);
    if (this.showArrows || this.hover) this.runs.forEach((run) => this.drawTokens(run));
  }

  text(text, x, y, {colour = this.colours.ink, font = "12px", align = "left", weight = "400"} = {}) {
    const c = this.context;
    c.font = `${weight} ${font} system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
    c.fillStyle = colour;
    c.textAlign = align;
    c.fillText(text, x, y);
  }

  clipped(draw) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(LEFT, 0, this.plotWidth, this.height);
    c.clip();
    draw(c);
    c.restore();
  }

  drawAxis() {
    const c = this.context, clock = this.runs[0].report.clock_mhz;
    let step = Math.pow(10, Math.floor(Math.log10((this.end - this.begin) / this.plotWidth * 110)));
    for (const factor of [1, 2, 5, 10])
      if (factor * step / (this.end - this.begin) * this.plotWidth >= 110) {
        step *= factor;
        break;
      }
    step = Math.max(1, step);
    for (let t = Math.ceil(this.begin / step) * step; t <= this.end; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      c.fillStyle = this.colours.line;
      c.fillRect(x, 0, 1, this.axisY);
      if (x > this.width - 24) continue;
      this.text(grouped(t), x, this.axisY + 8, {colour: this.colours.soft, font: "11px", align: "center"});
      if (clock)
        this.text(duration(t / clock / 1e3), x, this.axisY + 20, {colour: this.colours.soft, font: "10px", align: "center"});
    }
    this.text("cycles", 0, this.axisY + 8, {colour: this.colours.soft, font: "11px"});
  }

  draw_title({run, y}) {
    this.text(`${run.letter}   ${run.title}`, 0, y + TITLE / 2, {weight: "600", colour: this.colours[run.letter === "A" ? "run-a" : "run-b"]});
  }

  draw_lane(row) {
    this.text(row.engine.toUpperCase(), LEFT - 10, row.y + LANE / 2, {weight: "600", align: "right"});
    this.clipped((c) => {
      for (const launch of row.run.launches) {
        const lane = launch.lanes[row.e];
        if (lane.end <= this.begin || lane.offset >= this.end) continue;
        if (this.closeUp) this.drawInstructions(c, lane, row);
        else this.drawColumns(c, lane, row);
      }
    });
  }

  /** Instructions of a lane in the window: [first, last). */
  range(lane) {
    return [Math.max(0, upperBound(lane.start, this.begin) - 1), Math.min(lane.count, upperBound(lane.start, this.end))];
  }
  visible(row) {
    return row.run.launches.map((launch) => this.range(launch.lanes[row.e])).reduce((sum, [first, last]) => sum + last - first, 0);
  }

  drawColumns(c, lane, row) {
    const x0 = Math.max(LEFT, Math.floor(this.x(lane.offset))), x1 = Math.min(LEFT + this.plotWidth, Math.ceil(this.x(lane.end)));
    const order = [0, 4, 3, 2, 1, 5, 6]; // busy at the bottom
    let shares = new Float64Array(7);
    lane.addUpTo(this.time(x0), shares, -1);
    for (let x = x0; x < x1; ++x) {
      const upTo = new Float64Array(7);
      lane.addUpTo(Math.min(this.time(x + 1), lane.end), upTo, 1);
      let total = 0;
      for (let s = 0; s < 7; ++s) total += shares[s] += upTo[s];
      let y = row.y + LANE;
      for (const s of order) {
        if (shares[s] <= 0 || total <= 0) continue;
        const height = LANE * shares[s] / total;
        c.fillStyle = this.colours.states[s];
        c.fillRect(x, y - height, 1, height);
        y -= height;
      }
      shares = upTo.map((value) => -value);
    }
  }

  drawInstructions(c, lane, row) {
    const [first, last] = this.range(lane);
    const lastAt = this.x(lane.start[lane.count]), doneAt = this.x(lane.start[lane.count] + lane.trailing);
    this.drawWait(c, row, 5, lastAt, doneAt - lastAt);
    c.fillStyle = this.colours.states[6];
    c.fillRect(doneAt, row.y, this.x(lane.end) - doneAt, LANE);
    for (let i = first; i < last; ++i) {
      for (const [state, begin, end] of lane.stretches(i)) {
        const x = this.x(begin), width = this.x(end) - x;
        if (end <= lane.work[i]) {
          this.drawWait(c, row, state, x, width);
          continue;
        }
        c.fillStyle = this.colours.states[state];
        c.fillRect(x, row.y, width, LANE);
      }
      this.drawEdge(c, lane, row, i);
    }
  }

  /** What passes before an instruction's work: a thin, pale bar. */
  drawWait(c, row, state, x, width) {
    c.fillStyle = this.colours.states[state];
    c.globalAlpha = 0.45;
    c.fillRect(x, row.y + LANE / 2 - 5, width, 10);
    c.globalAlpha = 1;
  }

  drawEdge(c, lane, row, i) {
    const x = this.x(lane.work[i]), width = this.x(lane.start[i + 1]) - x;
    if (width < 3) return;
    c.strokeStyle = this.colours.panel;
    c.lineWidth = 1;
    c.strokeRect(x, row.y + 0.5, width, LANE - 1);
    const hovered = this.hover && this.hover.lane === lane && this.hover.i === i;
    if (hovered) {
      c.strokeStyle = this.colours.ink;
      c.lineWidth = 2;
      c.strokeRect(x + 1, row.y + 1, width - 2, LANE - 2);
    }
    const name = mnemonic(lane.texts[i], row.run.texts);
    const from = Math.max(x, LEFT), to = Math.min(x + width, LEFT + this.plotWidth);
    c.font = "600 11.5px system-ui";
    if (c.measureText(name).width + 10 > to - from) return;
    c.save();
    c.shadowColor = "rgba(0,0,0,0.55)";
    c.shadowBlur = 3;
    this.text(name, (from + to) / 2, row.y + LANE / 2, {colour: "#fff", font: "11.5px", align: "center", weight: "600"});
    c.restore();
  }

  draw_band(row) {
    this.text("layers", LEFT - 10, row.y + BAND / 2, {colour: this.colours.soft, align: "right"});
    this.clipped((c) => {
      row.spans.forEach((span, i) => {
        const x = this.x(span.begin), width = this.x(span.end) - x;
        if (width <= 0 || x > this.width || x + width < LEFT) return;
        c.fillStyle = this.hover && this.hover.span === span ? this.colours.line : this.colours[i % 2 ? "band-2" : "band"];
        c.fillRect(x, row.y, width, BAND);
        const from = Math.max(x, LEFT), to = Math.min(x + width, LEFT + this.plotWidth);
        if (to - from < 24) return;
        c.save();
        c.beginPath();
        c.rect(from, row.y, to - from - 3, BAND);
        c.clip();
        this.text(span.name, from + 5, row.y + BAND / 2, {font: "11.5px"});
        c.restore();
      });
    });
  }

  drawTokens(run) {
    const lanesOf = this.rows.filter((row) => row.kind === "lane" && row.run === run);
    for (const launch of run.launches) {
      const hot = this.hover && this.hover.launch === launch ? launch.tokensOf.get(this.hover.e + ":" + this.hover.i) ?? [] : [];
      const visible = [];
      for (let i = 0; this.showArrows && i < launch.token_from.length && visible.length <= mostArrows; ++i) {
        const [from, to] = this.tokenTimes(launch, i);
        if (to >= this.begin && from <= this.end && launch.waited[i]) visible.push(i);
      }
      this.clipped((c) => {
        if (visible.length <= mostArrows) for (const i of visible) this.drawToken(c, launch, lanesOf, i, false);
        for (const i of hot) this.drawToken(c, launch, lanesOf, i, true);
      });
    }
  }

  tokenTimes(launch, i) {
    return [launch.lanes[launch.token_from[i]].start[launch.token_giver[i] + 1], launch.lanes[launch.token_to[i]].work[launch.token_taker[i]]];
  }

  drawToken(c, launch, rows, i, hot) {
    const [from, to] = this.tokenTimes(launch, i);
    const a = rows[launch.token_from[i]], b = rows[launch.token_to[i]];
    const down = b.y > a.y;
    const x0 = this.x(from), x1 = this.x(to), y0 = a.y + (down ? LANE : 0), y1 = b.y + (down ? 0 : LANE);
    c.strokeStyle = c.fillStyle = this.colours[hot ? "accent" : "ink"];
    c.globalAlpha = hot ? 1 : 0.6;
    c.lineWidth = hot ? 2 : 1;
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    c.stroke();
    const head = (down ? -1 : 1) * 5;
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x1 - 3, y1 + head);
    c.lineTo(x1 + 3, y1 + head);
    c.fill();
    c.globalAlpha = 1;
  }
}
