// Part of Tenon, under the Apache License v2.0.
//
// What is known of the chosen vertex, and the search.
"use strict";

function pairs(rows) {
  const list = make("dl");
  for (const [name, value] of rows) list.append(make("dt", {}, name), make("dd", {}, value));
  return list;
}

function part(title, rows) {
  return rows.length ? [make("h3", {}, title), pairs(rows)] : [];
}

class Details {
  constructor(element, drawing) {
    Object.assign(this, {element, drawing, vertices: drawing.vertices});
    element.append(make("p", {class: "note"}, "Click a node: its attributes, types, place and reason stand here."));
  }

  open(index, isMoving = false) {
    const vertex = this.vertices[index];
    this.drawing.choose(index);
    if (isMoving) this.drawing.show(index);
    const source = (input) => {
      if (input.from < 0) return `${input.type} · constant`;
      const link = make("a", {href: "#graph"}, titleOf(this.vertices[input.from]));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.open(input.from, true);
      });
      return make("span", {}, `${input.type} · from `, link);
    };
    this.element.dataset.vertex = index;
    this.element.replaceChildren(
      make("h3", {}, titleOf(vertex)),
      make("p", {}, vertex.operator ? vertex.name : labelOf(vertex)),
      make("p", {}, make("span", {class: `chip place-${vertex.place}`}, PLACES[vertex.place])),
      make("p", {class: "reason"}, vertex.reason ?? ""),
      ...part("Attributes", (vertex.attributes ?? []).map(({name, value}) => [name, value])),
      ...part("Inputs", (vertex.inputs ?? []).map((input) => [input.name, source(input)])),
      ...part("Outputs", (vertex.outputs ?? []).map(({name, type}) => [name, type])),
      ...(vertex.operator && vertex.domain !== "ai.onnx" ? part("Domain", [[vertex.domain, ""]]) : []));
  }
}

/** Finds vertices by name or operator; Enter goes from one to the next. */
class Search {
  constructor(input, found, drawing, details) {
    Object.assign(this, {found, drawing, details, hits: [], at: -1});
    input.addEventListener("input", () => this.find(input.value.trim().toLowerCase()));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
    });
  }

  find(text) {
    const fits = (vertex) => [vertex.name, vertex.operator].some((word) => word?.toLowerCase().includes(text));
    this.hits = text ? this.drawing.vertices.flatMap((vertex, i) => fits(vertex) ? [i] : []) : [];
    this.at = -1;
    this.drawing.mark(text ? new Set(this.hits) : null);
    this.found.textContent = text ? `${grouped(this.hits.length)} found` : "";
    if (this.hits.length) this.drawing.show(this.hits[0]);
  }

  next(step) {
    if (!this.hits.length) return;
    this.at = (this.at + step + this.hits.length) % this.hits.length;
    this.details.open(this.hits[this.at], true);
    this.found.textContent = `${grouped(this.at + 1)} of ${grouped(this.hits.length)}`;
  }
}
