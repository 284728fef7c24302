// SPDX-License-Identifier: BSD-2-Clause
// Numbers and names for people. Names come from strangers: they are only ever text, never markup.

const THIN = "\u202f"; // between a number and its unit

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

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// Three digits and a unit.
function duration(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns))
    return "-";
  const v = Number(ns);
  if (v === 0)
    return "0";
  for (const [scale, unit] of UNITS)
    if (Math.abs(v) >= scale || scale === 1) {
      const x = v / scale, a = Math.abs(x);
      if (scale === 1 || (scale === 1e9 && a >= 1000))
        return count(Math.round(x)) + THIN + unit;
      return x.toFixed(a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2) + THIN + unit;
    }
  return "-";
}

// All digits of a time: s.ns
function stamp(ns) {
  const t = BigInt(ns), s = t / 1000000000n, rest = String(t % 1000000000n).padStart(9, "0");
  return `${s}.${rest}`;
}

function percent(ppm) {
  if (ppm === null || ppm === undefined)
    return "-";
  const v = Number(ppm) / 10000;
  return v > 0 && v < 0.1 ? "<0.1" + THIN + "%" : v.toFixed(1) + THIN + "%";
}

const POWERS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function size(bytes) {
  let v = Number(bytes), i = 0;
  for (; v >= 1024 && i < POWERS.length - 1; i++)
    v /= 1024;
  return (i ? v.toFixed(v < 10 ? 2 : v < 100 ? 1 : 0) : v) + THIN + POWERS[i];
}

function quantity(v, unit) {
  if (unit === "bytes") return size(v);
  if (unit === "ns") return duration(v);
  if (unit === "kHz" && v >= 1000) return count(Math.round(Number(v) / 1000)) + THIN + "MHz";
  return count(v) + (unit ? THIN + clean(unit) : "");
}
