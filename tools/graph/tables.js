// Part of Tenon, under the Apache License v2.0.
//
// The tables of an inspection, as `tenon inspect` prints them.
"use strict";

/** Columns: [title, class, row -> text or element]. */
function table(id, title, rows, columns) {
  if (!rows?.length) return null;
  const head = make("tr", {}, ...columns.map(([name, kind]) => make("th", {class: kind}, name)));
  const lines = rows.map((row) => make("tr", {}, ...columns.map(([, kind, value]) => make("td", {class: kind}, value(row)))));
  return make("section", {}, make("h2", {}, title), make("div", {class: "scroll"},
    make("table", {id}, make("thead", {}, head), make("tbody", {}, ...lines))));
}

/** A node's name that opens it in the picture. */
function linkTo(name, vertices, open) {
  const index = vertices.findIndex((vertex) => vertex.operator && vertex.name === name);
  if (index < 0) return name;
  const link = make("a", {href: "#graph"}, name);
  link.addEventListener("click", () => open(index));
  return link;
}

function showTables(element, {inspection: facts, vertices}, open) {
  const border = (kind) => (row) => ({...row, kind});
  const link = (name) => linkTo(name, vertices, open);
  element.append(...[
    table("missing", "No lowering", facts.missing,
      [["node", "left name", (row) => link(row.node)], ["operator", "left", (row) => row.operator], ["reason", "reason", (row) => row.reason]]),
    table("groups", "Places", facts.groups,
      [["nodes", "left name", (row) => make("span", {}, ...row.nodes.flatMap((name, i) => i ? [", ", link(name)] : [link(name)]))],
        ["place", "left", (row) => make("span", {class: `chip place-${row.place}`}, row.place)],
        ["ms", "", (row) => row.cost_ms.toFixed(3)], ["reason", "reason", (row) => row.reason]]),
    table("operators", "Operators", facts.operators,
      [["operator", "left", (row) => row.name], ["nodes", "", (row) => grouped(row.count)],
        ["lowering", "left", (row) => row.lowered ? "yes" : make("span", {class: "place-missing"}, "missing")],
        ["domain", "left", (row) => row.domain]]),
    table("borders", "Inputs and outputs", [...(facts.inputs ?? []).map(border("input")), ...(facts.outputs ?? []).map(border("output"))],
      [["", "left", (row) => row.kind], ["name", "left name", (row) => row.name], ["type", "left", (row) => row.type],
        ["shape", "left", (row) => (row.shape ?? []).join("x")]]),
  ].filter(Boolean));
}

/** What a person wants to know first. */
function showSummary(element, facts) {
  const {quantization: q} = facts;
  const tile = (key, value, text) => make("div", {class: "tile"}, make("b", {"data-key": key}, value), make("span", {}, text));
  element.append(make("div", {class: "tiles"},
    tile("nodes", grouped(facts.nodes), "nodes"),
    tile("parameters", brief(facts.parameters), `parameters, ${brief(facts.parameter_bytes)}B`),
    tile("macs", facts.macs_unknown && !facts.macs ? "unknown" : brief(facts.macs),
      facts.macs_unknown ? `multiply-accumulates, ${grouped(facts.macs_unknown)} nodes of open shape` : "multiply-accumulates"),
    tile("peak", facts.peak_bytes === undefined ? "unknown" : brief(facts.peak_bytes) + "B", "peak memory, parameters included"),
    tile("form", q.form, [q.weights?.length ? `weights ${q.weights.join(", ")}` : "", q.granularity ? `per ${q.granularity}` : ""]
      .filter(Boolean).join(", ") || "quantisation"),
    tile("missing", grouped(facts.missing?.length ?? 0), "problems without a lowering")));
}
