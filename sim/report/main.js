// Part of Tenon, under the Apache License v2.0.
//
// Puts the page together. `data-ready` of the root element is set when the
// whole page has been painted, to the milliseconds since it was opened.
"use strict";

const byId = (id) => document.getElementById(id);

function showProblem(text) {
  byId("problem").hidden = false;
  byId("problem").textContent = "This report cannot be shown: " + text;
  document.documentElement.dataset.problem = text;
}
addEventListener("error", (event) => showProblem(event.message));
addEventListener("unhandledrejection", (event) => showProblem(String(event.reason)));

function showHeader(runs) {
  const r = runs[0].report;
  const title = runs.length > 1 ? runs.map((run) => run.report.model).filter((name, i, all) => all.indexOf(name) === i).join(" and ") : r.model;
  byId("header").append(make("h1", {}, title || "Tenon report"),
    make("p", {class: "sub"}, runs.length > 1 ? "two runs side by side" : [r.config, r.target, ...(runs[0].launches.length ? [`memory ${r.memory || "default"}`] : [])].join(" · ")));
}

function showTime(runs) {
  let curves = [];
  const onWindow = (begin, end) => {
    byId("window").textContent = `${grouped(begin)} – ${grouped(end)}, ${grouped(end - begin)} cycles` +
      (runs[0].report.clock_mhz ? ` (${duration((end - begin) / runs[0].report.clock_mhz / 1e3)})` : "");
    for (const curve of curves) curve.show(begin, end);
  };
  const onLayer = (run, layer) => {
    for (const row of document.querySelectorAll("#layers tr.hot")) row.classList.remove("hot");
    document.querySelector(`#layers tr[data-layer="${layer}"]`)?.classList.add("hot");
  };
  const timeline = new Timeline(byId("timeline"), runs, byId("tip"), onWindow, onLayer);
  curves = runs.flatMap((run) => runCurves(byId("curves"), run));
  onWindow(timeline.begin, timeline.end);
  const actions = {in: () => timeline.zoom(0.5), out: () => timeline.zoom(2), fit: () => timeline.showAll()};
  byId("tools").addEventListener("click", (event) => actions[event.target.dataset?.do]?.());
  byId("arrows").addEventListener("change", (event) => {
    timeline.showArrows = event.target.checked;
    timeline.draw();
  });
  return timeline;
}

function showAccelerator(runs) {
  const several = runs.length > 1;
  showLegend(byId("legend"));
  const timeline = showTime(runs);
  const open = (run, layer) => {
    timeline.showLayer(run, layer);
    byId("time").scrollIntoView({behavior: "smooth", block: "start"});
  };
  if (several) showDifferences(byId("layers"), runs, open);
  else showLayers(byId("layers"), runs[0], open);
  roofline(byId("roofline"), runs);
  byId("roofline-note").textContent = "Each point is a layer. Left of the knee the port limits, right of it the multipliers; above the roof lies what runs beside other layers.";
  for (const run of runs) showSchedules(byId("schedules"), run, several);
  globalThis.timeline = timeline;
}

async function show() {
  const page = await inflate(byId("data").textContent);
  const several = page.runs.length > 1;
  const runs = page.runs.map((data, i) => new Run(data, several ? "AB"[i] : ""));
  showHeader(runs);
  for (const run of runs) (run.launches.length ? showSummary : showHostSummary)(byId("summary"), run, several);
  const onAccelerator = runs.filter((run) => run.launches.length);
  if (onAccelerator.length) showAccelerator(onAccelerator);
  else for (const id of ["time", "by-layer", "by-roof", "by-schedule"]) byId(id).hidden = true;
  showHost(byId("host"), runs);
  for (const run of runs) showFacts(byId("facts"), run, several);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.documentElement.dataset.ready = Math.round(performance.now());
  }));
}

show().catch((error) => showProblem(error.message));
