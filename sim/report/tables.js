// Part of Tenon, under the Apache License v2.0.
//
// Summary, the table of layers, checks and schedules. A cell that shows a
// number carries the number as the JSON has it in data-value.
"use strict";

const cell = (text, key, value, attributes = {}) => make("td", {"data-key": key, "data-value": value, ...attributes}, text);

function tile(value, label, key, raw) {
  return make("div", {class: "tile"}, make("b", {"data-key": key, "data-value": raw}, value), make("span", {}, label));
}

function checkWord(check, elements) {
  if (!check) return "not checked";
  if (check.status === "bit-exact") return `bit-exact (${grouped(check.tensors)} tensors)`;
  return check.status === "differs" ? `DIFFERS in ${grouped(check.mismatches)} of ${grouped(check.elements)} ${elements}` : `not compared: ${check.reason}`;
}

/** As `tenon run` says it; the JSON has what is no finite number as text. */
function expectedWord(output) {
  if (output.reason) return `DIFFERS: ${output.reason}`;
  const {relative_tolerance: relative, absolute_tolerance: absolute} = output, unit = output.integer ? " LSB" : "";
  const near = relative || absolute ? `within ${absolute}${relative ? ` + ${relative} of the value` : ""}${unit} of expected` : "as expected";
  const most = output.max_lsb ? `, differs by up to ${Number(Number(output.max_lsb).toPrecision(3))}${unit}` : "";
  return `${grouped(output.elements - output.mismatches)} of ${grouped(output.elements)} values ${near}${most}, top-1 ${output.top1_same ? "same" : "DIFFERS"}`;
}

/** Figures of one run and its engines. */
function showSummary(place, run, several) {
  const r = run.report;
  const box = make("div", {class: "run", "data-run": run.letter});
  if (several) box.append(make("h2", {}, make("span", {class: "letter " + run.letter.toLowerCase()}, run.letter), run.title));
  box.append(make("div", {class: "tiles"},
    tile(grouped(r.cycles), "cycles", "cycles", r.cycles),
    tile(duration(r.time_ms), `at ${r.clock_mhz} MHz`, "time_ms", r.time_ms),
    tile(percent(r.utilization), `of ${grouped(r.peak_macs)} MAC a cycle`, "utilization", r.utilization),
    tile(percent(r.cycles ? r.bound_cycles / r.cycles : 0), `of the bound reached: ${grouped(r.bound_cycles)} cycles`, "bound_cycles", r.bound_cycles),
    tile(brief(r.macs), `multiplications in ${r.launches} launch${r.launches === 1 ? "" : "es"}`, "macs", r.macs)));
  const where = make("div", {class: "where", "aria-label": "Where the cycles went"});
  for (const engine of ENGINES) {
    const states = r.states[engine] ?? {}, total = sumOfStates(states);
    const text = STATES.map((state) => [state, total ? (states[state] ?? 0) / total : 0]).filter(([, share]) => share >= 0.005)
      .map(([state, share]) => `${state} ${percent(share)}`).join(" · ");
    where.append(make("span", {class: "name"}, engine.toUpperCase()), stateBar(engine, states), make("span", {class: "text"}, text));
  }
  box.append(where, ...losses(r));
  place.append(box);
}

/** The layers that take most cycles beyond their bound. */
function losses(report) {
  const lost = (layer) => layer.cycles - layer.bound_cycles;
  const worst = report.layers.filter((layer) => layer.placed_on === "accelerator" && lost(layer) > 0).sort((a, b) => lost(b) - lost(a)).slice(0, 3);
  if (!worst.length) return [];
  const box = make("div", {class: "losses"}, make("h3", {}, "Most cycles beyond the bound"));
  for (const layer of worst)
    box.append(make("b", {}, layer.name), make("span", {class: "number"}, `+${grouped(lost(layer))} (${percent(lost(layer) / report.cycles, 2)} of the run)`), make("span", {class: "text"}, layer.limit));
  return [box];
}

function showLegend(place) {
  for (const state of STATES) {
    const mark = make("i");
    mark.style.background = `var(--${state})`;
    place.append(make("span", {}, mark, state));
  }
}

/** Columns of the table of one run: title, key, text of a layer, value to sort by. */
const layerColumns = [
  ["layer", "name", (l) => l.name, (l) => l.name],
  ["op", "op", (l) => l.op, (l) => l.op],
  ["cycles", "cycles", (l) => grouped(l.cycles), (l) => l.cycles],
  ["bound", "bound_cycles", (l) => grouped(l.bound_cycles), (l) => l.bound_cycles],
  ["of bound", "of_bound", (l) => l.cycles ? percent(l.bound_cycles / l.cycles) : "–", (l) => l.cycles ? l.bound_cycles / l.cycles : 0],
  ["of peak", "utilization", (l) => percent(l.utilization), (l) => l.utilization],
  ["read B", "read_bytes", (l) => grouped(l.read_bytes), (l) => l.read_bytes],
  ["written B", "write_bytes", (l) => grouped(l.write_bytes), (l) => l.write_bytes],
];

/** A table whose heads sort its rows. `rows`: [{cells, values, index, open}]. */
function sortableTable(table, heads, rows, foot) {
  const body = make("tbody");
  const fill = () => body.replaceChildren(...rows.map((row) => row.element));
  const headCells = heads.map((head, column) => {
    const button = make("button", {type: "button"}, head.title);
    const th = make("th", {scope: "col", class: head.left ? "left" : null}, head.sorts ? button : head.title);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") !== "descending";
      headCells.forEach((other) => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => {
        const x = a.values[column], y = b.values[column];
        const order = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
        return down ? -order : order;
      });
      fill();
    });
    return th;
  });
  fill();
  table.append(make("thead", {}, make("tr", {}, ...headCells)), body);
  if (foot) table.append(make("tfoot", {}, foot));
}

function clickable(row, open) {
  row.tabIndex = 0;
  row.addEventListener("click", open);
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  return row;
}

function showLayers(table, run, onLayer) {
  const heads = [...layerColumns.map(([title, key]) => ({title, sorts: true, left: key === "op"})), {title: "LOAD GEMM ALU STORE", left: true}, {title: "what limits it", left: true}];
  const rows = run.report.layers.map((layer, index) => {
    const onCpu = layer.placed_on !== "accelerator";
    const cells = layerColumns.map(([, key, text, value], column) =>
      onCpu && column > 1 ? cell("", key, null) : cell(text(layer), key, value(layer), {class: key === "op" ? "left" : null}));
    const bars = make("td", {class: "left"}, ...(onCpu ? [] : ENGINES.map((engine) => stateBar(engine, layer.states[engine]))));
    const text = onCpu ? `on the CPU, ${duration(layer.ms)} (${duration(layer.predicted_ms)} predicted): ${layer.reason}` : layer.limit;
    const row = make("tr", {"data-layer": index, title: layer.nodes.join("\n")}, ...cells, bars, make("td", {class: "limit", "data-key": "limit"}, text));
    return {element: onCpu ? row : clickable(row, () => onLayer(run, index)), values: layerColumns.map(([, , , value]) => value(layer))};
  });
  const total = (key) => run.report.layers.reduce((sum, layer) => sum + layer[key], 0);
  const r = run.report;
  sortableTable(table, heads, rows, make("tr", {}, make("td", {}, "total"), make("td"), make("td", {}, grouped(r.cycles)), make("td", {}, grouped(r.bound_cycles)),
    make("td", {}, r.cycles ? percent(r.bound_cycles / r.cycles) : ""), make("td", {}, percent(r.utilization)),
    make("td", {}, grouped(total("read_bytes"))), make("td", {}, grouped(total("write_bytes"))), make("td"), make("td")));
}

function ratioCell(x, y) {
  const ratio = x && y ? y / x : 0;
  return cell(ratio ? ratio.toFixed(3) : "–", "ratio", ratio, {class: !ratio || Math.abs(ratio - 1) < 0.0005 ? null : ratio < 1 ? "faster" : "slower"});
}

/** Layers of two runs by name: cycles of each, B / A, both sentences. */
function showDifferences(table, [a, b], onLayer) {
  const byName = (run) => new Map(run.report.layers.map((layer, index) => [layer.name, {layer, index, run}]).filter(([, {layer}]) => layer.placed_on === "accelerator"));
  const left = byName(a), right = byName(b);
  const names = [...new Set([...left.keys(), ...right.keys()])];
  const rows = names.map((name) => {
    const x = left.get(name), y = right.get(name);
    const ca = x?.layer.cycles ?? 0, cb = y?.layer.cycles ?? 0;
    const bars = (side) => make("td", {class: "left"}, ...(side ? ENGINES.map((engine) => stateBar(engine, side.layer.states[engine])) : []));
    const [limitA, limitB] = [x, y].map((side) => side?.layer.limit ?? "not there");
    const limit = make("td", {class: "limit"}, ...(limitA === limitB ? [limitA] : [make("div", {}, "A: " + limitA), make("div", {}, "B: " + limitB)]));
    const row = make("tr", {"data-name": name}, make("td", {"data-key": "name"}, name), make("td", {class: "left"}, (x ?? y).layer.op),
      cell(x ? grouped(ca) : "–", "cycles_a", ca), cell(y ? grouped(cb) : "–", "cycles_b", cb), ratioCell(ca, cb), bars(x), bars(y), limit);
    const shown = x ?? y;
    return {element: clickable(row, () => onLayer(shown.run, shown.index)), values: [name, (x ?? y).layer.op, ca, cb, ca && cb ? cb / ca : 0]};
  });
  const titles = ["layer", "op", "cycles A", "cycles B", "B / A"];
  const heads = [...titles.map((title, i) => ({title, sorts: true, left: i === 1})), {title: "engines A", left: true}, {title: "engines B", left: true}, {title: "what limits it", left: true}];
  sortableTable(table, heads, rows, make("tr", {}, make("td", {}, "total"), make("td"), make("td", {}, grouped(a.report.cycles)), make("td", {}, grouped(b.report.cycles)),
    ratioCell(a.report.cycles, b.report.cycles), make("td"), make("td"), make("td")));
}

function factTable(rows) {
  return make("table", {}, make("tbody", {}, ...rows.map(([name, value]) => make("tr", {}, make("td", {}, name), make("td", {}, value)))));
}

/** Answer, checks, memory, host. */
function showFacts(place, run, several) {
  const r = run.report, letter = several ? ` · ${run.letter}` : "";
  const section = (title, rows) => { if (rows.length) place.append(make("h3", {}, title + letter), factTable(rows)); };
  const code = r.checks?.host_code, proof = r.checks?.verifier;
  if (r.checks) section("Checks", [...(proof ? [["verifier", proof.status === "verified" ? "no race, no deadlock" : `skipped: ${proof.reason}`]] : []),
    ...(code ? [["host code", `not looked at: ${code.bytes.toLocaleString("en")} bytes (${code.why})`]] : []),
    ["functional simulator", checkWord(r.checks?.functional, "bytes")], ["CPU", checkWord(r.checks?.cpu, "values")],
    ...(r.checks?.expected ?? []).flatMap((set) => set.outputs.map((o) => [`${set.set}, ${o.name}`, expectedWord(o)]))]);
  section("Answer", r.answer.map((a) => [`${a.index} ${a.label}`, Number(a.score).toPrecision(4)]));
  section("On the host", r.host_steps.map((step) => [step.name, duration(step.ms)]));
  section("Run", [...(run.launches.length ? [["memory", r.memory], ["simulated in", `${duration(r.host?.simulate_ms ?? 0)}, ${grouped(r.host?.sim_khz ?? 0)} kHz`]] : []),
    ...r.notes.map((note) => ["note", note])]);
}

function showSchedules(place, run, several) {
  for (const layer of run.report.layers)
    if (layer.schedule)
      place.append(make("details", {}, make("summary", {}, (several ? run.letter + " · " : "") + layer.name), make("pre", {}, layer.schedule + (layer.nodes.length ? "\nnodes: " + layer.nodes.join(", ") : ""))));
}
