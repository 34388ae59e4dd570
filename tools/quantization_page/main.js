// Part of Tenon, under the Apache License v2.0.
//
// The tables, and what puts the page together. `data-ready` of the root element
// is set when everything is there, to the milliseconds since the page was opened.
"use strict";

const byId = (id) => document.getElementById(id);
const short = (number) => String(Number(Number(number).toPrecision(4)));
/** Without noise the ratio is infinite, which JSON says in a word. */
const decibels = (db) => Number.isFinite(Number(db)) ? Number(db).toFixed(1) + " dB" : "exact";

function showProblem(text) {
  byId("problem").hidden = false;
  byId("problem").textContent = "This page cannot be shown: " + text;
  document.documentElement.dataset.problem = text;
}
addEventListener("error", (event) => showProblem(event.message));
addEventListener("unhandledrejection", (event) => showProblem(String(event.reason)));

/** Columns: [title, class, row -> text or element]. */
function table(id, title, note, rows, columns) {
  if (!rows?.length) return null;
  const head = make("tr", {}, ...columns.map(([name, kind]) => make("th", {class: kind}, name)));
  const lines = rows.map((row) => make("tr", {}, ...columns.map(([, kind, value]) => make("td", {class: kind}, value(row)))));
  return make("section", {}, make("h2", {}, title), note ? make("p", {class: "note"}, note) : null, make("div", {class: "scroll"},
    make("table", {id}, make("thead", {}, head), make("tbody", {}, ...lines))));
}

function showSummary(element, facts) {
  const {accuracy: a} = facts;
  const tile = (key, value, text) => make("div", {class: "tile"}, make("b", {"data-key": key}, value), make("span", {}, text));
  const right = (count) => percent(count / a.labelled);
  element.append(make("div", {class: "tiles"}, ...[
    a.labelled ? tile("float_top1", right(a.float_top1), `right in float, of ${grouped(a.labelled)}`) : null,
    a.labelled ? tile("quantized_top1", right(a.quantized_top1), "right in integers") : null,
    tile("same_top1", percent(a.same_top1 / a.samples), `of ${grouped(a.samples)} answers are the float network's`),
    tile("sqnr", decibels(a.sqnr_db), "signal to quantisation noise of the outputs"),
    tile("samples", grouped(facts.samples), `samples calibrated in ${duration(facts.seconds * 1e3)}`),
    tile("bytes", brief(facts.bytes) + "B", `in the file, of ${brief(facts.float_bytes)}B in float`),
    tile("peak", brief(facts.peak_bytes) + "B", "most memory of the process"),
  ].filter(Boolean)));
}

const answersOf = (a) => a.labelled ? `${a.quantized_top1} right` : `${a.same_top1} the same`;

function stepTable(facts) {
  return table("steps", "Steps", "Bias correction is on top of the method in front of it, equalisation on top of the best; what does not help is taken back.", facts.steps,
    [["step", "left", (row) => row.name], ["answers", "", (row) => answersOf(row.accuracy)],
      ["outputs", "", (row) => decibels(row.accuracy.sqnr_db)], ["cycles", "", (row) => grouped(row.measured_cycles)],
      ["cycles predicted", "", (row) => grouped(row.prediction.cycles)], ["predicted", "", (row) => duration(row.prediction.total_ms)], ["", "left", (row) => row.kept ? "kept" : "taken back"]]);
}

function mixTables(facts) {
  const {mix} = facts;
  if (!mix) return [];
  const right = (a) => a.labelled ? a.quantized_top1 : a.same_top1;
  const signed = (number, text) => (number < 0 ? "-" : "+") + text(Math.abs(number));
  const times = [["all int8", mix.all_int8, mix.all_int8_measured_cycles], ["the mix", mix.mix, mix.mix_measured_cycles],
    ["all float", mix.all_float, mix.all_float_measured_cycles]];
  return [
    table("mix", "Layers that are not in int8",
      `${percent(mix.reached)} of the float network's answers for ${percent(mix.target)}, found with ${mix.evaluations} mixes. Answers and time are those that the layer adds to the mix.`,
      mix.reverted, [["layer", "left name", (row) => row.layer], ["precision", "left", (row) => row.precision],
        ["answers", "", (row) => signed(right(facts.accuracy) - right(row.accuracy_without), String)],
        ["cycles", "", (row) => signed(row.cost_cycles, grouped)], ["time", "", (row) => signed(row.cost_ms, duration)]]),
    table("costs", "What a run takes", `Predicted for ${facts.config} by the cost models that layers are scheduled and placed by; measured by the SystemC model.`,
      times, [["", "left", ([name]) => name], ["cycles", "", ([, p]) => grouped(p.cycles)],
        ["measured", "", ([, , cycles]) => grouped(cycles)],
        ["accelerator", "", ([, p]) => duration(p.accelerator_ms + p.launch_ms)], ["moving", "", ([, p]) => duration(p.move_ms)],
        ["host", "", ([, p]) => duration(p.host_ms)], ["all", "", ([, p]) => duration(p.total_ms)]]),
  ];
}

function sensitivityTable(facts) {
  const gain = (row) => Number(row.without_db) - Number(facts.sensitivity_all?.sqnr_db);
  const rows = [...(facts.sensitivity ?? [])].sort((a, b) => gain(b) - gain(a));
  return table("sensitivity", "Layers by what they cost",
    `The outputs of ${facts.sensitivity_samples} samples with one layer alone in integers, and with everything but it; ${decibels(facts.sensitivity_all?.sqnr_db)} with all.`,
    rows, [["layer", "left name", (row) => row.layer], ["alone", "", (row) => decibels(row.alone_db)],
      ["same answers", "", (row) => grouped(row.alone_same)], ["all but it", "", (row) => decibels(row.without_db)],
      ["same answers", "", (row) => grouped(row.without_same)], ["gain", "", (row) => gain(row).toFixed(2) + " dB"]]);
}

function tensorTable(facts) {
  const rows = [...facts.tensors].sort((a, b) => Number(a.sqnr_db) - Number(b.sqnr_db));
  const outlier = (row) => row.outlier_channel === undefined ? "" : make("span", {class: row.outlier_ratio >= 2 ? "worst" : null},
    `${row.outlier_channel} · ${row.outlier_ratio.toFixed(1)} x`);
  return table("tensors", "Tensors, the noisiest first",
    "Counts of values are logarithmic; the band is what the integers stand for, and what lies outside of it is cut off. The outlier is the channel of the widest range, in times of the median channel's.",
    rows, [["tensor", "left name", (row) => row.name], ["layer", "left", (row) => row.layer], ["SQNR", "", (row) => decibels(row.sqnr_db)],
      ["values", "left histogram", histogram], ["seen", "", (row) => `${short(row.seen_low)} … ${short(row.seen_high)}`],
      ["integers", "", (row) => `${short(row.low)} … ${short(row.high)}`], ["scale", "", (row) => short(row.scale)],
      ["zero point", "", (row) => row.zero_point], ["outlier channel", "", outlier]]);
}

async function show() {
  const facts = await inflate(byId("data").textContent);
  byId("header").append(make("h1", {}, facts.model.split("/").slice(-2).join("/")),
    make("p", {class: "sub"}, `ranges by ${facts.method} · weights ${facts.weights} · activations ${facts.activations}`));
  showSummary(byId("summary"), facts);
  byId("tables").append(...[...mixTables(facts), stepTable(facts), sensitivityTable(facts), tensorTable(facts),
    table("left", "Left in float", null, facts.left, [["node", "left name", (row) => row.node], ["reason", "reason", (row) => row.reason]]),
    table("notes", "Notes", null, (facts.notes ?? []).map((text) => ({text})), [["", "reason", (row) => row.text]]),
  ].filter(Boolean));
  document.documentElement.dataset.ready = Math.round(performance.now());
}
show();
