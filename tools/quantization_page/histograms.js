// Part of Tenon, under the Apache License v2.0.
//
// A tensor's values, and the range that its integers stand for: what lies
// outside of it is cut off.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Heights are logarithms of counts: outliers are few. */
function histogram(tensor) {
  const counts = tensor.histogram ?? [];
  const width = 320, height = 44, least = Math.min(tensor.seen_low, tensor.low), most = Math.max(tensor.seen_high, tensor.high);
  const svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"});
  const text = `values from ${short(tensor.seen_low)} to ${short(tensor.seen_high)}, integers from ${short(tensor.low)} to ${short(tensor.high)}`;
  svg.setAttribute("aria-label", text);
  const title = shape("title", {});
  title.textContent = text;
  svg.append(title);
  if (!counts.length || !(least < most)) return svg;
  const x = (value) => (value - least) / (most - least) * width;
  svg.append(shape("rect", {class: "range", x: x(tensor.low), y: 0, width: x(tensor.high) - x(tensor.low), height}));
  const top = Math.log1p(Math.max(...counts)), step = (tensor.seen_high - tensor.seen_low) / counts.length;
  counts.forEach((count, part) => {
    if (!count) return;
    const from = tensor.seen_low + part * step, middle = from + step / 2, tall = Math.log1p(count) / top * (height - 4);
    svg.append(shape("rect", {class: middle < tensor.low || middle > tensor.high ? "cut" : "count", x: x(from), y: height - tall,
      width: Math.max(x(from + step) - x(from) - 0.4, 0.5), height: tall}));
  });
  if (least < 0 && most > 0) svg.append(shape("line", {class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height}));
  return svg;
}
