// Part of Tenon, under the Apache License v2.0.
//
// The curves under the timeline and the roofline, with Chart.js.
"use strict";

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
      y: {beginAtZero: true, max: top, ticks: {maxTicksLimit: 5, callback: (value) => brief(value) + unit},
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
        let y = 0;
        for (let j = k; j < Math.min(k + group, line.x.length); ++j) y = line.mean ? y + line.y[j] / group : Math.max(y, line.y[j]);
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
  ], "", report.beat_bytes * 1.08)];
  const missing = run.launches.map((launch) => launch.occupancy_missing).find(Boolean);
  if (missing) place.append(make("p", {class: "note"}, "No occupancy: " + missing));
  const palette = [theme.soft, theme.ink, theme.states[0], theme.states[2], theme.states[3], theme.states[5], theme.states[1], theme.accent];
  const names = (run.launches[0]?.occupancy ?? []).map((curve) => curve.memory);
  const lines = names.map((name, n) => ({name: name.replace("_", " ").toUpperCase(), colour: palette[n], stepped: true,
    ...series(run.launches, (launch) => {
      const curve = launch.occupancy.find((curve) => curve.memory === name);
      return {bucket: Number(curve?.bucket_cycles ?? 1), values: (curve?.peak ?? []).map((peak) => 100 * peak / curve.entries)};
    })})).filter((line) => line.y.some((value) => value > 0));
  if (lines.length) curves.push(new Curve(place, "Scratchpads, % of entries that hold a value still to be read" + suffix, lines, " %", 105));
  return curves;
}

/** MAC a cycle over MAC a byte, both logarithmic; the roofs are the first run's. */
function roofline(canvas, runs) {
  const theme = colours(), peak = runs[0].report.peak_macs, port = runs[0].report.beat_bytes;
  const points = runs.map((run) => run.report.layers.filter((layer) => layer.macs > 0 && layer.cycles > 0).map((layer) => ({
    x: layer.macs / Math.max(1, layer.read_bytes, layer.write_bytes), y: layer.macs / layer.cycles, layer})));
  const all = points.flat();
  if (!all.length) return null;
  const bounds = (values, low, high) => [10 ** Math.floor(Math.log10(Math.min(low, ...values))), 10 ** Math.ceil(Math.log10(Math.max(high, ...values)))];
  const [left, right] = bounds(all.map((p) => p.x), 1, 4 * peak / port);
  const [bottom] = bounds(all.map((p) => p.y), peak / 10, peak);
  const roof = [{x: Math.max(left, bottom / port), y: Math.max(left, bottom / port) * port}, {x: peak / port, y: peak}, {x: right, y: peak}];
  const options = chartOptions(theme, {
    x: {type: "logarithmic", min: left, max: right, title: "MAC per byte of the busier direction of the port", ticks: {callback: decades}},
    y: {type: "logarithmic", min: bottom, max: peak * 1.6, title: "MAC per cycle", ticks: {callback: decades}},
    tooltip: {filter: (item) => item.raw.layer, callbacks: {title: (items) => items[0]?.raw.layer.name ?? "",
      label: ({raw}) => [`${raw.y.toPrecision(4)} MAC a cycle, ${percent(raw.y / peak)} of peak`, `${raw.x.toPrecision(3)} MAC a byte`]}},
  });
  options.interaction = {mode: "nearest", intersect: true};
  const datasets = points.map((data, i) => ({type: "scatter", label: runs.length > 1 ? runs[i].letter + " " + runs[i].title : "layers", data,
    pointRadius: 5.5, pointHoverRadius: 8, pointStyle: i ? "rectRot" : "circle", backgroundColor: theme[i ? "run-b" : "run-a"] + "b0", borderColor: theme.panel}));
  datasets.push({type: "line", label: `roof: ${grouped(peak)} MAC a cycle, ${port} B a cycle`, data: roof, borderColor: theme.soft, borderWidth: 2, pointRadius: 0});
  return new Chart(canvas, {type: "scatter", data: {datasets}, options});
}

const decades = (value) => Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? brief(value) : "";
