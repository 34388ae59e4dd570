// Part of Tenon, under the Apache License v2.0.
//
// Where the vertices and edges lie: ELK's layered algorithm, after Sugiyama,
// Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System
// Structures" (1981).
"use strict";

const NODE_HEIGHT = 42;
/** Above so many vertices fewer rounds are spent on crossings. */
const MANY = 800;
/** Layers that an edge may cross to be laid out. */
const LONG = 24;

const shortened = (text, most) => text.length <= most ? text : "…" + text.slice(text.length - most + 1);

const titleOf = (vertex) => vertex.operator || vertex.name;
const labelOf = (vertex) => vertex.operator ? vertex.name : vertex.inputs?.length ? "output" : "input";

function sizeOf(vertex) {
  const widest = Math.max(8.2 * shortened(titleOf(vertex), 26).length, 6.1 * shortened(labelOf(vertex), 26).length);
  return {width: Math.round(Math.max(96, widest + 30)), height: NODE_HEIGHT};
}

/** The edges between vertices, each pair once; constants are not drawn. */
function edgesOf(vertices) {
  const seen = new Set(), edges = [];
  vertices.forEach((vertex, to) => {
    for (const {from} of vertex.inputs ?? [])
      if (from >= 0 && !seen.has(`${from} ${to}`)) {
        seen.add(`${from} ${to}`);
        edges.push({from, to});
      }
  });
  return edges;
}

/** How far each vertex lies from the inputs; what nothing reaches lies just above its first reader. */
function depthsOf(vertices, edges) {
  const depths = vertices.map(() => 0), above = vertices.map(() => Infinity);
  // The vertices are sorted: an edge leads to a later one.
  for (const {from, to} of edges) depths[to] = Math.max(depths[to], depths[from] + 1);
  const isReached = new Set(edges.map(({to}) => to));
  for (const {from, to} of edges) above[from] = Math.min(above[from], depths[to] - 1);
  return depths.map((depth, i) => isReached.has(i) || above[i] === Infinity ? depth : above[i]);
}

const asElk = ({from, to}, i) => ({id: `e${i}`, sources: [`v${from}`], targets: [`v${to}`]});

/** From the bottom of one box to the top of another, as one Bézier curve. */
function directly(from, to) {
  const x = from.x + from.width / 2, y = from.y + from.height, tx = to.x + to.width / 2, bow = Math.max(60, (to.y - y) / 4);
  return [{x, y}, {x, y: y + bow}, {x: tx, y: to.y - bow}, {x: tx, y: to.y}];
}

/**
 * {width, height, vertices: [{x, y, width, height}], edges: [{from, to, points, isSpline, isLong}]}
 *
 * ELK bends an edge at every layer it crosses. Edges over many layers would take it
 * minutes (weights and masks that all blocks of a transformer share): it does not
 * see them, and they are drawn directly.
 */
async function layout(vertices) {
  const edges = edgesOf(vertices), depths = depthsOf(vertices, edges), many = vertices.length > MANY;
  const isLong = ({from, to}) => depths[to] - depths[from] > LONG;
  const near = edges.filter((edge) => !isLong(edge));
  const graph = await new ELK().layout({
    id: "model",
    layoutOptions: {
      "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.edgeRouting": many ? "POLYLINE" : "SPLINES",
      "elk.layered.spacing.nodeNodeBetweenLayers": "34", "elk.spacing.nodeNode": "26",
      "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF", "elk.layered.thoroughness": many ? "1" : "7",
    },
    children: vertices.map((vertex, i) => ({id: `v${i}`, ...sizeOf(vertex)})),
    edges: near.map(asElk),
  });
  const bent = graph.edges.map(({sections: [{startPoint, bendPoints = [], endPoint}]}, i) =>
    ({...near[i], points: [startPoint, ...bendPoints, endPoint], isSpline: !many}));
  const direct = edges.filter(isLong).map((edge) =>
    ({...edge, points: directly(graph.children[edge.from], graph.children[edge.to]), isSpline: true, isLong: true}));
  return {width: graph.width, height: graph.height, vertices: graph.children, edges: [...bent, ...direct]};
}
