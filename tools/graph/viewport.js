// Part of Tenon, under the Apache License v2.0.
//
// The window onto a drawing: moved by dragging, zoomed by Ctrl + wheel and keys.
"use strict";

class Viewport {
  /** `svg` shows `content`, an SVG group of width x height. */
  constructor(svg, content, width, height) {
    Object.assign(this, {svg, content, width, height, x: 0, y: 0, scale: 1});
    svg.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    svg.addEventListener("keydown", (event) => this.key(event));
    this.begin();
  }

  get size() {
    return this.svg.getBoundingClientRect();
  }

  apply() {
    this.content.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }

  /** The top of the graph at a size that can be read. */
  begin() {
    const {width, height} = this.size, margin = 24;
    this.scale = Math.max(0.55, Math.min(1, (width - 2 * margin) / this.width));
    this.x = (width - this.width * this.scale) / 2;
    this.y = Math.max(margin, (height - this.height * this.scale) / 2);
    this.apply();
  }

  fit() {
    const {width, height} = this.size, margin = 16;
    this.scale = Math.min(1, (width - 2 * margin) / this.width, (height - 2 * margin) / this.height);
    this.x = (width - this.width * this.scale) / 2;
    this.y = (height - this.height * this.scale) / 2;
    this.apply();
  }

  /** Zooms about a point of the window, its middle if none is given. */
  zoom(factor, x = this.size.width / 2, y = this.size.height / 2) {
    const scale = Math.min(3, Math.max(0.01, this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** Brings a box of the drawing to the middle, large enough to be read. */
  show(box) {
    const {width, height} = this.size;
    this.scale = Math.max(this.scale, 0.8);
    this.x = width / 2 - (box.x + box.width / 2) * this.scale;
    this.y = height / 2 - (box.y + box.height / 2) * this.scale;
    this.apply();
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
  }

  grab(event) {
    if (event.button !== 0) return;
    const from = {x: event.clientX - this.x, y: event.clientY - this.y};
    const move = (to) => {
      this.svg.classList.add("moving");
      this.x = to.clientX - from.x;
      this.y = to.clientY - from.y;
      this.apply();
    };
    const drop = () => {
      this.svg.classList.remove("moving");
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
  }

  key(event) {
    const step = 60, actions = {
      "+": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.fit(),
      ArrowUp: () => this.y += step, ArrowDown: () => this.y -= step,
      ArrowLeft: () => this.x += step, ArrowRight: () => this.x -= step,
    };
    if (!actions[event.key] || event.ctrlKey) return;
    event.preventDefault();
    actions[event.key]();
    this.apply();
  }
}
