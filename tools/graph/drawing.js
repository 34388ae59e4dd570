// Part of Tenon, under the Apache License v2.0.
//
// Vertices and edges as SVG. Names enter as text only.
"use strict";

/** Places in the legend's order, with what they mean. */
const PLACES = {
  accelerator: "accelerator", host: "host", missing: "no lowering", lowered: "has a lowering",
  constant: "folded or part of a neighbour", border: "input, output",
};

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function pathOf({points, isSpline}) {
  const [first, ...others] = points.map(({x, y}) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  // ELK gives splines as cubic Bézier curves: three points a piece.
  if (!isSpline || others.length % 3) return `M${first}` + others.map((point) => `L${point}`).join("");
  let path = `M${first}`;
  for (let i = 0; i < others.length; i += 3) path += `C${others.slice(i, i + 3).join(" ")}`;
  return path;
}

function drawVertex(vertex, box, index) {
  const radius = vertex.operator ? 5 : box.height / 2;
  const group = svg("g", {class: `node place-${vertex.place}`, "data-vertex": index,
    transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`});
  const name = svg("title");
  name.textContent = `${titleOf(vertex)} · ${labelOf(vertex)}`;
  const title = svg("text", {x: box.width / 2 + (vertex.operator ? 3 : 0), y: 18, "text-anchor": "middle"});
  title.textContent = shortened(titleOf(vertex), 26);
  const label = svg("text", {class: "label", x: box.width / 2 + (vertex.operator ? 3 : 0), y: 33, "text-anchor": "middle"});
  label.textContent = shortened(labelOf(vertex), 26);
  group.append(name, svg("rect", {width: box.width, height: box.height, rx: radius}), title, label);
  if (vertex.operator) group.append(svg("rect", {class: "stripe", width: 7, height: box.height, rx: 3}));
  return group;
}

class Drawing {
  constructor(element, vertices, places) {
    this.vertices = vertices;
    this.places = places;
    this.content = svg("g");
    this.edges = places.edges.map((edge) => svg("path", {class: edge.isLong ? "edge long" : "edge", d: pathOf(edge), "marker-end": "url(#arrow)"}));
    this.nodes = vertices.map((vertex, i) => drawVertex(vertex, places.vertices[i], i));
    this.content.append(...this.edges, ...this.nodes);
    const arrow = svg("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto"},
      svg("path", {d: "M0 0L8 4L0 8z", fill: "context-stroke"}));
    element.replaceChildren(svg("defs", {}, arrow), this.content);
    this.viewport = new Viewport(element, this.content, places.width, places.height);
  }

  choose(index) {
    this.nodes.forEach((node, i) => node.classList.toggle("chosen", i === index));
    this.places.edges.forEach(({from, to}, i) => this.edges[i].classList.toggle("near", from === index || to === index));
  }

  show(index) {
    this.viewport.show(this.places.vertices[index]);
  }

  mark(hits) {
    this.content.classList.toggle("searching", hits !== null);
    this.nodes.forEach((node, i) => node.classList.toggle("hit", hits?.has(i) ?? false));
  }
}

function showLegend(element, vertices) {
  for (const [place, meaning] of Object.entries(PLACES)) {
    const count = vertices.filter((vertex) => vertex.place === place).length;
    if (count)
      element.append(make("span", {"data-place": place, class: `place-${place}`}, make("i"),
        make("span", {}, `${meaning} ${grouped(count)}`)));
  }
}
