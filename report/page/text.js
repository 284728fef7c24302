// SPDX-License-Identifier: BSD-2-Clause
// Numbers and names for people. Names come from strangers: they are only ever text, never markup.

const THIN = "\u202f"; // between a number and its unit
const AT_MOST = "\u2264 ";

// Control characters, also those that change the direction of what follows, are shown, not obeyed.
function clean(name) {
  return String(name).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "class") e.className = value;
    else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(name, value === true ? "" : value);
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return e;
}

function svg(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {}))
    e.setAttribute(name, value);
  e.append(...children);
  return e;
}

const byId = (id) => document.getElementById(id);

function fill(id, ...children) {
  byId(id).replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
}

// 1234567 as 1,234,567.
function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

function plural(n, one, many) {
  return `${count(n)} ${Number(n) === 1 ? one : many || one + "s"}`;
}

// Three significant digits and a unit, to the nearest, half up; all in front of the point if these are more. As
// xtr_text_unit has it, so that the page and xtr stats show the same. null: limit or more.
function inUnit(v, factor, unit, limit) {
  let scale = 100, digits = 2;
  while (scale > 1 && Math.floor((v * scale + factor / 2) / factor) >= 1000) {
    scale /= 10;
    digits--;
  }
  const n = Math.floor((v * scale + factor / 2) / factor);
  if (Math.floor(n / scale) >= limit) return null;
  return (factor === 1 ? String(Math.floor(n / scale)) : (n / scale).toFixed(digits)) + THIN + unit;
}

const TIME_UNITS = [["ns", 1, 1000], ["µs", 1e3, 1000], ["ms", 1e6, 1000], ["s", 1e9, Infinity]];

function duration(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns))
    return "-";
  const v = Number(ns), sign = v < 0 ? "-" : "";
  for (const [unit, factor, limit] of TIME_UNITS) {
    const text = inUnit(Math.abs(v), factor, unit, limit);
    if (text) return sign + text;
  }
  return "-";
}

// All digits of a time: s.ns
function stamp(ns) {
  const t = BigInt(ns), s = t / 1000000000n, rest = String(t % 1000000000n).padStart(9, "0");
  return `${s}.${rest}`;
}

// To the nearest tenth, as xtr_text_percent: neither nothing nor all unless it is.
function percent(ppm) {
  if (ppm === null || ppm === undefined)
    return "-";
  const v = Number(ppm), tenths = Math.floor((v + 500) / 1000);
  if (v > 0 && !tenths) return "<0.1" + THIN + "%";
  return tenths === 1000 && v < 1e6 ? ">99.9" + THIN + "%" : (tenths / 10).toFixed(1) + THIN + "%";
}

const POWERS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function size(bytes) {
  return POWERS.map((unit, i) => inUnit(Number(bytes), 1024 ** i, unit, 1024)).find((text) => text);
}

function quantity(v, unit) {
  if (unit === "bytes") return size(v);
  if (unit === "ns") return duration(v);
  if (unit === "kHz" && v >= 1000) return count(Math.round(Number(v) / 1000)) + THIN + "MHz";
  return count(v) + (unit ? THIN + clean(unit) : "");
}
