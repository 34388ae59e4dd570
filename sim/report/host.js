// Part of Tenon, under the Apache License v2.0.
//
// What the host computed: its steps in time, their loop nests as a table and
// beside what the machine does at most.
"use strict";

const nestsOf = (run) => run.report.host_steps.flatMap((step) => step.nests);
const hostMs = (run) => run.report.host_steps.reduce((sum, step) => sum + step.ms, 0);
const nestName = (nest) => nest.nodes.join(" ") || nest.function;
const perSecond = (amount, ms) => (amount && ms > 0 ? amount / ms * 1e3 : 0);
const ofBound = (nest) => (nest.bound_ms > 0 && nest.ms > 0 ? nest.bound_ms / nest.ms : 0);
/** The colours of what sets a nest's bound: a state's, as it is where the accelerator waits for the same. */
const LIMIT_COLOURS = {arithmetic: "var(--busy)", memory: "var(--memory)"};
const nestColour = (nest) => LIMIT_COLOURS[nest.limit] ?? "var(--token)";

function nestTip(nest) {
  const parts = [duration(nest.ms)];
  if (nest.operations) parts.push(`${brief(perSecond(nest.operations, nest.ms))}op/s`);
  if (nest.bytes) parts.push(`${brief(perSecond(nest.bytes, nest.ms))}B/s`);
  if (ofBound(nest)) parts.push(`${percent(ofBound(nest), 0)} of what ${nest.limit} allows`);
  return `${nestName(nest)}\n${parts.join(" · ")}`;
}

/** Figures of a run without the accelerator. */
function showHostSummary(place, run, several) {
  const nests = nestsOf(run), ms = hostMs(run);
  const sum = (of) => nests.reduce((all, nest) => all + of(nest), 0);
  const bounded = nests.filter((nest) => nest.bound_ms > 0), inBounded = bounded.reduce((all, nest) => all + nest.ms, 0);
  const operations = sum((nest) => nest.operations);
  const box = make("div", {class: "run", "data-run": run.letter});
  if (several) box.append(make("h2", {}, make("span", {class: "letter " + run.letter.toLowerCase()}, run.letter), run.title));
  box.append(make("div", {class: "tiles"},
    tile(duration(ms), "on the CPU", "host_ms", ms),
    tile(grouped(nests.length), "loop nests", "nests", nests.length),
    operations ? tile(`${brief(perSecond(operations, ms))}op/s`, `of ${brief(operations)} multiplications and additions`, "rate", perSecond(operations, ms))
      : tile("–", "operations: not known of open extents", "rate", 0),
    tile(inBounded ? percent(sum((nest) => nest.bound_ms) / inBounded) : "–", "of what arithmetic or memory allows", "of_bound", inBounded ? sum((nest) => nest.bound_ms) / inBounded : 0)));
  place.append(box);
}

/** Each step a line of its loop nests in time; between them is what their kernel does beside. */
function hostTimeline(run) {
  const box = make("div", {class: "steps"}), longest = Math.max(...run.report.host_steps.map((step) => step.ms));
  for (const step of run.report.host_steps) {
    if (!step.nests.length) continue;
    const line = make("div", {class: "nests", role: "img", "aria-label": `${step.name}: ${step.nests.length} loop nests in ${duration(step.ms)}`});
    line.style.width = 100 * step.ms / longest + "%";
    for (const nest of step.nests) {
      const part = make("i", {title: nestTip(nest)});
      Object.assign(part.style, {left: 100 * nest.begin_ms / step.ms + "%", width: 100 * nest.ms / step.ms + "%", background: nestColour(nest)});
      line.append(part);
    }
    box.append(make("span", {class: "name"}, step.name), make("div", {}, line), make("span", {class: "text"}, duration(step.ms)));
  }
  return box;
}

function hostLegend() {
  const marks = [["arithmetic", "bound by arithmetic"], ["memory", "by memory"], ["", "not known: open extents"]].map(([limit, text]) => {
    const mark = make("i");
    mark.style.background = nestColour({limit});
    return make("span", {}, mark, text);
  });
  return make("div", {class: "legend"}, ...marks);
}

/** Columns of the loop nests: title, key, text, value to sort by. */
const nestColumns = [
  ["loop nest", "name", nestName, nestName],
  ["ms", "ms", (n) => n.ms.toFixed(3), (n) => n.ms],
  ["share", "share", (n) => percent(n.share), (n) => n.share],
  ["Gop/s", "rate", (n) => n.operations ? (perSecond(n.operations, n.ms) / 1e9).toFixed(1) : "", (n) => perSecond(n.operations, n.ms)],
  ["GB/s", "bandwidth", (n) => n.bytes ? (perSecond(n.bytes, n.ms) / 1e9).toFixed(1) : "", (n) => perSecond(n.bytes, n.ms)],
  ["of bound", "of_bound", (n) => ofBound(n) ? percent(ofBound(n), 0) : "", ofBound],
  ["bound by", "limit", (n) => n.limit, (n) => n.limit],
];

function nestTable(run) {
  const table = make("table", {class: "nest-table"});
  const left = (key) => key === "name" || key === "limit";
  const rows = nestsOf(run).sort((a, b) => b.ms - a.ms).map((nest) => ({
    element: make("tr", {title: nest.function}, ...nestColumns.map(([, key, text, value]) => cell(text(nest), key, value(nest), {class: left(key) ? "left" : null}))),
    values: nestColumns.map(([, , , value]) => value(nest)),
  }));
  sortableTable(table, nestColumns.map(([title, key]) => ({title, sorts: true, left: left(key)})), rows);
  return table;
}

/** Operations a second over operations a byte; a roof for each memory that was measured. */
function hostRoofline(canvas, runs) {
  const theme = colours(), peaks = runs[0].report.host_peaks;
  const points = runs.map((run) => nestsOf(run).filter((nest) => nest.operations > 0 && nest.bytes > 0 && nest.ms > 0)
    .map((nest) => ({x: nest.operations / nest.bytes, y: perSecond(nest.operations, nest.ms) / 1e9, nest})));
  const all = points.flat();
  if (!all.length) return null;
  const tops = [["floats", peaks.float_operations_per_s / 1e9], ["bytes", peaks.byte_operations_per_s / 1e9]]
    .filter(([name], i, list) => list.findIndex(([, y]) => y === list[i][1]) === i && (name === "floats" || all.some((p) => p.nest.multiplies_bytes)));
  const top = Math.max(...tops.map(([, y]) => y));
  const left = Math.min(...all.map((p) => p.x / 2)), right = Math.max(...all.map((p) => p.x * 2), 4 * top * 1e9 / peaks.memory.at(-1).bytes_per_s);
  const bottom = Math.min(...all.map((p) => p.y / 2));
  const roofs = peaks.memory.map((memory, i) => {
    const slope = memory.bytes_per_s / 1e9, from = Math.max(left, bottom / slope);
    return {type: "line", label: `${brief(memory.bytes_per_s)}B/s of ${brief(memory.bytes)}B`, data: [{x: from, y: from * slope}, {x: top / slope, y: top}],
      borderColor: theme.soft, borderWidth: 1, borderDash: i ? [2 + 2 * i, 3] : undefined, pointRadius: 0};
  });
  for (const [name, y] of tops)
    roofs.push({type: "line", label: `${brief(y * 1e9)}op/s of ${name}`, data: [{x: left, y}, {x: right, y}], borderColor: theme.ink, borderWidth: 2, pointRadius: 0});
  const options = chartOptions(theme, {
    x: {type: "logarithmic", min: left, max: right, title: "operations per byte, read or written once", ticks: {callback: decades, maxRotation: 0}},
    y: {type: "logarithmic", min: bottom, max: top * 2, title: "Gop/s", ticks: {callback: decades}},
    tooltip: {filter: (item) => item.raw.nest, callbacks: {title: (items) => (items[0] ? nestName(items[0].raw.nest) : ""), label: ({raw}) => nestTip(raw.nest).split("\n")[1]}},
  });
  options.interaction = {mode: "nearest", intersect: true};
  const datasets = points.map((data, i) => ({type: "scatter", label: runs.length > 1 ? runs[i].letter + " " + runs[i].title : "loop nests", data,
    pointRadius: 4.5, pointHoverRadius: 7, pointStyle: i ? "rectRot" : "circle", backgroundColor: theme[i ? "run-b" : "run-a"] + "b0", borderColor: theme.panel}));
  return new Chart(canvas, {type: "scatter", data: {datasets: [...datasets, ...roofs]}, options});
}

/** Loop nests of two runs that compute the same nodes. */
function nestDifferences([a, b]) {
  const sums = (run) => {
    const map = new Map();
    for (const nest of nestsOf(run)) map.set(nestName(nest), (map.get(nestName(nest)) ?? 0) + nest.ms);
    return map;
  };
  const left = sums(a), right = sums(b);
  const rows = [...new Set([...left.keys(), ...right.keys()])].map((name) => {
    const x = left.get(name) ?? 0, y = right.get(name) ?? 0;
    return {element: make("tr", {}, cell(name, "name", null, {class: "left"}), cell(x ? x.toFixed(3) : "–", "ms_a", x), cell(y ? y.toFixed(3) : "–", "ms_b", y), ratioCell(x, y)),
      values: [name, x, y, x && y ? y / x : 0]};
  });
  const table = make("table", {class: "nest-table"});
  sortableTable(table, ["loop nest", "ms A", "ms B", "B / A"].map((title, i) => ({title, sorts: true, left: i === 0})), rows,
    make("tr", {}, make("td", {}, "host steps"), make("td", {}, hostMs(a).toFixed(3)), make("td", {}, hostMs(b).toFixed(3)), ratioCell(hostMs(a), hostMs(b))));
  return table;
}

function showHost(place, runs) {
  const withNests = runs.filter((run) => nestsOf(run).length);
  if (!withNests.length) return;
  place.hidden = false;
  place.append(make("div", {class: "heading"}, make("h2", {}, "On the CPU"), hostLegend()),
    make("p", {class: "note"}, "Measured on the machine of the run; between loop nests is what their kernel does beside them, allocations among it."));
  for (const run of withNests) {
    if (runs.length > 1) place.append(make("h3", {}, run.letter));
    place.append(hostTimeline(run));
  }
  const chart = make("canvas", {role: "img", "aria-label": "Roofline of the CPU"});
  const square = make("div", {class: "chart square"}, chart);
  place.append(square, make("div", {class: "nest-scroll"}, withNests.length > 1 ? nestDifferences(withNests) : nestTable(withNests[0])));
  if (!hostRoofline(chart, withNests)) square.replaceWith(make("p", {class: "note"}, "Of no loop nest is it known how much it computes."));
}
