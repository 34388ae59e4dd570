// Part of Tenon, under the Apache License v2.0.
//
// Numbers as text, elements from text. Names come from models: they enter the
// page as text only, never as HTML.
"use strict";

const STATES = ["busy", "token", "memory", "bank", "drain", "empty", "done"];
const ENGINES = ["load", "gemm", "alu", "store"];

const grouped = (number) => Math.round(number).toLocaleString("en-US");
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";

/** 1234567 -> "1.23 M". */
function brief(number) {
  for (const [unit, name] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]])
    if (Math.abs(number) >= unit) return (number / unit).toPrecision(3) + name;
  return String(Number(number.toPrecision(3)));
}

/** Milliseconds, or what fits better. */
function duration(ms) {
  if (ms === 0) return "0";
  if (ms < 1e-3) return (ms * 1e6).toPrecision(3) + " ns";
  if (ms < 1) return (ms * 1e3).toPrecision(3) + " µs";
  return ms < 1000 ? ms.toPrecision(3) + " ms" : (ms / 1e3).toPrecision(3) + " s";
}

/** make("td", {class: "x", "data-key": 1}, children...): children are nodes or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The colours of the page's theme. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue("--" + name).trim();
  const names = ["paper", "panel", "ink", "soft", "line", "accent", "band", "band-2", "run-a", "run-b"];
  const out = Object.fromEntries(names.map((name) => [name, read(name)]));
  out.states = STATES.map(read);
  return out;
}

const sumOfStates = (states) => STATES.reduce((sum, state) => sum + (states?.[state] ?? 0), 0);

/** A bar of an engine's states, with the shares as its description. */
function stateBar(engine, states, total = sumOfStates(states)) {
  const shares = STATES.map((state) => [state, total ? (states?.[state] ?? 0) / total : 0]);
  const text = shares.filter(([, share]) => share >= 0.0005).map(([state, share]) => `${state} ${percent(share)}`);
  const bar = make("div", {class: "bar", role: "img", "aria-label": `${engine}: ${text.join(", ")}`,
    title: `${engine.toUpperCase()}: ${text.join(" · ")}`});
  for (const [state, share] of shares)
    if (share > 0) {
      const part = make("i");
      part.style.width = 100 * share + "%";
      part.style.background = `var(--${state})`;
      bar.append(part);
    }
  return bar;
}

/** The name of an instruction, of its disassembly: "load inp", "alu quant", "gemm". */
function mnemonic(text, texts) {
  const words = texts[text].split(/[\s,]+/);
  return words[0] === "load" || words[0] === "alu" ? words[0] + " " + (words[1] ?? "") : words[0].split(".")[0];
}
