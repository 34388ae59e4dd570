// Part of Tenon, under the Apache License v2.0.
//
// Mouse, fingers and keys on the timeline, and the tip that explains what is
// under the pointer.
"use strict";

Object.assign(Timeline.prototype, {
  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("dblclick", (event) => this.zoom(event.shiftKey ? 3 : 1 / 3, this.time(event.offsetX)));
    canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    canvas.addEventListener("keydown", (event) => this.key(event));
  },

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = {x: event.offsetX, begin: this.begin, end: this.end, moved: false};
  },

  move(event) {
    if (!this.drag) return this.point(this.find(event.offsetX, event.offsetY), event);
    const cycles = (event.offsetX - this.drag.x) / this.plotWidth * (this.drag.end - this.drag.begin);
    if (Math.abs(event.offsetX - this.drag.x) > 3) this.drag.moved = true;
    if (!this.drag.moved) return;
    this.canvas.classList.add("moving");
    this.show(this.drag.begin - cycles, this.drag.end - cycles);
  },

  release(event) {
    const drag = this.drag;
    this.drag = null;
    this.canvas.classList.remove("moving");
    if (!drag || drag.moved) return;
    const found = this.find(event.offsetX, event.offsetY);
    if (found?.span) {
      this.showLayer(found.run, found.span.layer);
      this.onLayer(found.run, found.span.layer);
    }
  },

  /** Ctrl and wheel (or a pinch) zooms, Shift and wheel moves; the wheel alone scrolls the page. */
  wheel(event) {
    const pixels = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) this.zoom(Math.pow(1.003, event.deltaY), this.time(event.offsetX));
    else if (Math.abs(pixels) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      const cycles = pixels / this.plotWidth * (this.end - this.begin);
      this.show(this.begin + cycles, this.end + cycles);
    } else return;
    event.preventDefault();
  },

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const part = 0.2 * (this.end - this.begin);
    const actions = {
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), w: () => this.zoom(0.6),
      "-": () => this.zoom(1 / 0.6), s: () => this.zoom(1 / 0.6), 0: () => this.showAll(),
      ArrowLeft: () => this.show(this.begin - part, this.end - part), a: () => this.show(this.begin - part, this.end - part),
      ArrowRight: () => this.show(this.begin + part, this.end + part), d: () => this.show(this.begin + part, this.end + part),
    };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
  },

  /** What lies at a place of the canvas. */
  find(x, y) {
    const row = this.rows.find((row) => y >= row.y && y < row.y + row.height);
    if (!row || x < LEFT || x > LEFT + this.plotWidth || row.kind === "title") return null;
    const time = this.time(x);
    if (row.kind === "band") {
      const span = row.spans.find((span) => time >= span.begin && time < span.end);
      return span ? {run: row.run, span} : null;
    }
    const launch = row.run.launches.find((launch) => time >= launch.offset && time < launch.offset + launch.cycles);
    if (!launch) return null;
    const lane = launch.lanes[row.e], i = lane.at(time);
    return {run: row.run, launch, lane, e: row.e, i, time};
  },

  point(found, event) {
    const same = found && this.hover && found.lane === this.hover.lane && found.i === this.hover.i && found.span === this.hover.span;
    if (found || this.hover) {
      this.hover = found;
      if (!same) this.draw();
    }
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.replaceChildren(...(found.span ? this.spanTip(found) : found.i < 0 ? this.doneTip(found) : this.stepTip(found)));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - box.width - 12)) + "px";
    this.tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
  },

  spanTip({run, span}) {
    const layer = run.report.layers[span.layer];
    return [make("b", {}, span.name), ` ${layer.op} · ${grouped(span.end - span.begin)} cycles`, make("div", {}, layer.limit)];
  },

  doneTip({lane, e}) {
    return [make("b", {}, ENGINES[e].toUpperCase()), ` has retired its ${grouped(lane.count)} instructions`];
  },

  stepTip({run, launch, lane, e, i}) {
    const begin = lane.start[i], end = lane.start[i + 1], clock = run.report.clock_mhz;
    const states = STATES.slice(0, 6).map((state) => [state, lane.columns[state][i]]).filter(([, cycles]) => cycles);
    const layer = run.report.layers[lane.layer[i]];
    const out = [
      make("b", {}, `${ENGINES[e].toUpperCase()} ${grouped(i)}`), layer ? ` · ${layer.name}` : "",
      make("code", {}, run.texts[lane.texts[i]]),
      make("div", {}, `${grouped(end - begin)} cycles` + (clock ? ` (${duration((end - begin) / clock / 1e3)})` : "") +
        `, retired in ${grouped(end)}`),
      make("div", {}, states.map(([state, cycles]) => `${state} ${grouped(cycles)}`).join(" · ")),
    ];
    const waits = this.waits(lane, e, i);
    if (waits.length) out.push(make("div", {}, "waited " + waits.join(", ")));
    const tokens = launch.tokensOf.get(e + ":" + i) ?? [];
    const from = tokens.filter((t) => launch.token_to[t] === e && launch.token_taker[t] === i);
    if (from.length)
      out.push(make("div", {}, "token from " + from.map((t) => `${ENGINES[launch.token_from[t]].toUpperCase()} ${grouped(launch.token_giver[t])}`).join(", ")));
    return out;
  },

  waits(lane, e, i) {
    const others = ENGINES.filter((engine, index) => index !== e);
    return ["token", "room"].flatMap((kind) => others.map((engine, n) => {
      const cycles = lane.columns[`${kind}_wait_${n}`][i];
      return cycles ? `${grouped(cycles)} for ${kind === "token" ? "tokens from" : "room in the channel to"} ${engine.toUpperCase()}` : null;
    })).filter(Boolean);
  },
});
