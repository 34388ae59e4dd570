// Part of Tenon, under the Apache License v2.0.
//
// Puts the page together. `data-ready` of the root element is set when the graph
// has been drawn, to the milliseconds since the page was opened.
"use strict";

const byId = (id) => document.getElementById(id);

function showProblem(text) {
  byId("problem").hidden = false;
  byId("problem").textContent = "This page cannot be shown: " + text;
  document.documentElement.dataset.problem = text;
}
addEventListener("error", (event) => showProblem(event.message));
addEventListener("unhandledrejection", (event) => showProblem(String(event.reason)));

function showHeader(facts) {
  const opsets = Object.entries(facts.opsets ?? {}).map(([domain, version]) => `${domain} ${version}`).join(", ");
  byId("header").append(make("h1", {}, facts.model.split("/").slice(-2).join("/")), make("p", {class: "sub"}, `opset ${opsets}`));
}

function connect(drawing, details) {
  const actions = {in: () => drawing.viewport.zoom(1.25), out: () => drawing.viewport.zoom(0.8), fit: () => drawing.viewport.fit()};
  byId("tools").addEventListener("click", (event) => actions[event.target.dataset?.do]?.());
  byId("drawing").addEventListener("click", (event) => {
    const node = event.target.closest?.(".node");
    if (node) details.open(Number(node.dataset.vertex));
  });
  new Search(byId("search"), byId("found"), drawing, details);
}

async function show() {
  const picture = await inflate(byId("data").textContent);
  showHeader(picture.inspection);
  showSummary(byId("summary"), picture.inspection);
  showLegend(byId("legend"), picture.vertices);
  const drawing = new Drawing(byId("drawing"), picture.vertices, await layout(picture.vertices));
  const details = new Details(byId("details"), drawing);
  connect(drawing, details);
  showTables(byId("tables"), picture, (index) => details.open(index, true));
  requestAnimationFrame(() => document.documentElement.dataset.ready = Math.round(performance.now()));
}
show();
