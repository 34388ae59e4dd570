// Part of Tenon, under the Apache License v2.0.
//
// The curves under the timeline and the roofline, with Chart.js.
"use strict";

Chart.defaults.font.family = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** Chart.js in the page's colours; the y axis is as wide as the timeline's gutter. */
function chartOptions(theme, {x, y, legend = true, tooltip = {}}) {
  const scale = (options) => ({
    grid: {color: theme.line, drawTicks: false}, border: {display: false},
    ...options,
    ticks: {color: theme.soft, font: {size: 11}, padding: 4, ...options.ticks},
    title: options.title ? {display: true, text: options.title, color: theme.soft, font: {size: 11}} : {display: false},
  });
  return {
    animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
    interaction: {mode: "nearest", axis: "x", intersect: false},
    layout: {padding: {right: RIGHT}},
    scales: {x: scale(x), y: scale(y)},
    plugins: {
      legend: {display: legend, align: "start", labels: {color: theme.soft, boxWidth: 14, boxHeight: 2, font: {size: 11.5}, padding: 10}},
      tooltip,
    },
  };
}

/** A chart over time that follows the timeline's window. */
class Curve {
  constructor(place, title, lines, unit, top) {
    this.lines = lines;
    const theme = colours();
    const canvas = make("canvas", {role: "img", "aria-label": title});
    place.append(make("h3", {}, title), make("div", {class: "chart"}, canvas));
    const options = chartOptions(theme, {
      x: {type: "linear", min: 0, max: 1, ticks: {display: false}},
      y: {beginAtZero: true, max: top, ticks: {maxTicksLimit: 6, includeBounds: false, callback: (value) => brief(value) + unit},
        afterFit: (scale) => { scale.width = LEFT; }},
      tooltip: {callbacks: {title: (items) => items.length ? "cycle " + grouped(items[0].parsed.x) : "",
        label: (item) => `${item.dataset.label}: ${item.parsed.y.toPrecision(3)}${unit}`}},
    });
    this.chart = new Chart(canvas, {type: "line", options, data: {datasets: lines.map((line) => ({
      label: line.name, data: [], borderColor: line.colour, backgroundColor: line.colour + "40", fill: line.fill ?? false,
      borderWidth: line.width ?? 1.5, borderDash: line.dash, pointRadius: 0, stepped: line.stepped ?? false, tension: 0}))}});
  }

  /** The points of the window, at most some 600 a line: maxima of neighbours where there are more. */
  show(begin, end) {
    this.lines.forEach((line, i) => {
      const low = Math.max(0, upperBound(line.x, begin) - 2), high = Math.min(line.x.length, upperBound(line.x, end) + 1);
      const group = Math.max(1, Math.ceil((high - low) / 600)), points = [];
      for (let k = low - low % group; k < high; k += group) {
        const values = line.y.slice(k, k + group);
        const y = line.mean ? values.reduce((sum, value) => sum + value, 0) / values.length : Math.max(...values);
        points.push({x: Math.min(Math.max(line.x[k], begin), end), y});
      }
      this.chart.data.datasets[i].data = points;
    });
    Object.assign(this.chart.options.scales.x, {min: begin, max: end});
    this.chart.update("none");
  }
}

/** Bandwidth and occupancy of a run. */
function runCurves(place, run) {
  const theme = colours(), report = run.report;
  const suffix = run.letter ? ` · ${run.letter}` : "";
  const series = (launches, read) => {
    const x = [], y = [];
    for (const launch of launches) {
      const {bucket, values} = read(launch);
      values.forEach((value, i) => {
        x.push(launch.offset + i * bucket);
        y.push(value);
      });
    }
    return {x, y};
  };
  const port = (kind) => series(run.launches, (launch) => {
    const bucket = Number(launch.traffic.bucket_cycles);
    return {bucket, values: launch.traffic[kind].map((beats, i) =>
      beats * launch.traffic.beat_bytes / Math.max(1, Math.min(bucket, launch.cycles - i * bucket)))};
  });
  const limit = {x: [0, run.cycles], y: [report.beat_bytes, report.beat_bytes]};
  const curves = [new Curve(place, "Memory port, bytes a cycle" + suffix, [
    {name: "LOAD reads", colour: theme.states[0], fill: "origin", mean: true, ...port("load")},
    {name: "FETCH reads", colour: theme.states[5], mean: true, ...port("fetch")},
    {name: "STORE writes", colour: theme.states[2], mean: true, ...port("store")},
    {name: "limit, each way", colour: theme.soft, dash: [4, 4], width: 1, ...limit},
  ], "", report.beat_bytes * 1.06)];
  const missing = run.launches.map((launch) => launch.occupancy_missing).find(Boolean);
  if (missing) place.append(make("p", {class: "note"}, "No occupancy: " + missing));
  const [busy, , memory, bank, drain, empty] = theme.states;
  const palette = {inp: busy, wgt: memory, acc: empty, out: bank, prm: drain, dwt: theme.accent, uop_gemm: theme.ink, uop_alu: theme.soft};
  const names = (run.launches[0]?.occupancy ?? []).map((curve) => curve.memory);
  const lines = names.map((name) => ({name: name.replace("_", " ").toUpperCase(), colour: palette[name] ?? theme.ink, stepped: true,
    ...series(run.launches, (launch) => {
      const curve = launch.occupancy.find((curve) => curve.memory === name);
      return {bucket: Number(curve?.bucket_cycles ?? 1), values: (curve?.peak ?? []).map((peak) => 100 * peak / curve.entries)};
    })})).filter((line) => line.y.some((value) => value > 0));
  if (lines.length) curves.push(new Curve(place, "Scratchpads, % of entries that hold a value still to be read" + suffix, lines, " %"));
  return curves;
}

/** MAC a cycle over MAC a byte, both logarithmic; the roofs are the first run's. */
function roofline(canvas, runs) {
  const theme = colours(), peak = runs[0].report.peak_macs, port = runs[0].report.beat_bytes;
  const points = runs.map((run) => run.report.layers.filter((layer) => layer.macs > 0 && layer.cycles > 0).map((layer) => ({
    x: layer.macs / Math.max(1, layer.read_bytes, layer.write_bytes), y: layer.macs / layer.cycles, layer})));
  const all = points.flat();
  if (!all.length) return null;
  const left = Math.min(peak / port / 16, ...all.map((p) => p.x / 2)), right = Math.max(peak / port * 8, ...all.map((p) => p.x * 2));
  const bottom = Math.min(peak / 16, ...all.map((p) => p.y / 2));
  const roof = [{x: Math.max(left, bottom / port), y: Math.max(left, bottom / port) * port}, {x: peak / port, y: peak}, {x: right, y: peak}];
  const options = chartOptions(theme, {
    x: {type: "logarithmic", min: left, max: right, title: "MAC per byte of the busier direction of the port", ticks: {callback: decades}},
    y: {type: "logarithmic", min: bottom, max: peak * 2, title: "MAC per cycle", ticks: {callback: decades}},
    tooltip: {filter: (item) => item.raw.layer, callbacks: {title: (items) => items[0]?.raw.layer.name ?? "",
      label: ({raw}) => [`${raw.y.toPrecision(4)} MAC a cycle, ${percent(raw.y / peak)} of peak`, `${raw.x.toPrecision(3)} MAC a byte`]}},
  });
  options.interaction = {mode: "nearest", intersect: true};
  const datasets = points.map((data, i) => ({type: "scatter", label: runs.length > 1 ? runs[i].letter + " " + runs[i].title : "layers", data,
    pointRadius: 5.5, pointHoverRadius: 8, pointStyle: i ? "rectRot" : "circle", backgroundColor: theme[i ? "run-b" : "run-a"] + "b0", borderColor: theme.panel}));
  datasets.push({type: "line", label: `roof: ${grouped(peak)} MAC a cycle, ${port} B a cycle`, data: roof, borderColor: theme.soft, borderWidth: 2, pointRadius: 0});
  options.scales.x.ticks.maxRotation = 0;
  return new Chart(canvas, {type: "scatter", data: {datasets}, options, plugins: [{id: "names", afterDatasetsDraw: drawNames}]});
}

/** 10 -> "10", 20 -> "", 1000 -> "1,000". */
function decades(value) {
  const exponent = Math.log10(value);
  return Math.abs(exponent - Math.round(exponent)) < 1e-6 ? value.toLocaleString("en-US", {maximumFractionDigits: 6}) : "";
}

/** Names beside the points, as far as there is room. */
function drawNames(chart) {
  const c = chart.ctx, taken = [];
  c.save();
  c.font = '11px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
  c.fillStyle = colours().soft;
  c.textBaseline = "middle";
  const points = chart.data.datasets.flatMap((set, i) => set.type === "scatter" ? chart.getDatasetMeta(i).data.map((point, k) => ({point, name: set.data[k].layer.name})) : []);
  for (const {point} of points) taken.push([point.x - 6, point.y - 6, point.x + 6, point.y + 6]);
  for (const {point, name} of points) {
    const width = c.measureText(name).width;
    for (const [dx, dy] of [[10, 0], [-10 - width, 0], [-width / 2, -14], [-width / 2, 14]]) {
      const box = [point.x + dx, point.y + dy - 6, point.x + dx + width, point.y + dy + 6];
      const free = taken.every((other) => box[0] > other[2] || box[2] < other[0] || box[1] > other[3] || box[3] < other[1]);
      if (!free || box[0] < chart.chartArea.left || box[2] > chart.chartArea.right) continue;
      c.fillText(name, box[0], point.y + dy);
      taken.push(box);
      break;
    }
  }
  c.restore();
}
