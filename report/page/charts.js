// SPDX-License-Identifier: BSD-2-Clause
// Histograms, the heat map of activity, counters over time.

// --- histograms: from the buckets of `xtr stats` ----------------------------------------------------

const HISTS = [["exec_ns", "Execution"], ["queue_wait_ns", "Queue wait"], ["dep_wait_each_ns", "Dependency waits"], ["hw_wait_ns", "Hardware wait"]];

// Numbers by factor of √2; zero has a bar of its own.
function barsOf(rings, key) {
  const bars = new Map();
  for (const ring of rings)
    for (const [lo, hi, n] of (ring[key] && ring[key].buckets) || []) {
      const middle = (Number(lo) + Number(hi)) / 2, at = Number(hi) < 1 ? -1 : Math.floor(2 * Math.log2(Math.max(1, middle)));
      bars.set(at, (bars.get(at) || 0) + Number(n));
    }
  return bars;
}

function histogram(rings, [key, title]) {
  const bars = barsOf(rings, key), n = [...bars.values()].reduce((a, b) => a + b, 0);
  const head = el("h3", {}, title, el("span", { class: "note" }, ` ${plural(n, key === "dep_wait_each_ns" ? "wait" : "job")}${key === "exec_ns" ? boundedToo(rings) : ""}`));
  if (!n) return el("div", {}, head, el("p", { class: "note" }, "none known"));
  const from = Math.min(...bars.keys()), to = Math.max(...bars.keys(), from + 7), most = Math.max(...bars.values());
  const W = 320, H = 96, w = W / (to - from + 1), parts = svg("g", { class: "bars" });
  for (const [i, v] of bars) {
    const h = Math.max(1.5, v / most * (H - 14)), lo = i < 0 ? 0 : 2 ** (i / 2), hi = 2 ** ((i + 1) / 2);
    parts.append(svg("rect", { x: (i - from) * w + 0.5, y: H - h, width: Math.max(0.8, w - 1), height: h },
      svg("title", {}, `${duration(Math.round(lo))} to ${duration(Math.round(hi))}: ${count(v)}`)));
  }
  const labels = svg("g");
  const every = Math.max(1, Math.ceil((to - from + 1) / 5));
  for (let i = Math.max(0, from); (i - from) * w < W - 36; i += every)
    labels.append(svg("text", { x: (i - from) * w, y: H + 13 }, duration(Math.round(2 ** (i / 2)))));
  labels.append(svg("text", { x: W, y: 10, "text-anchor": "end" }, "most: " + count(most)));
  return el("div", { "data-hist": key, "data-n": n }, head, svg("svg", { viewBox: `0 0 ${W} ${H + 18}`, role: "img", "aria-label": `${title}: ${n}` },
    svg("path", { class: "axis", d: `M0 ${H}H${W}` }), parts, labels));
}

const jobsIn = (rings, key) => rings.reduce((sum, ring) => sum + Number(ring[key].n), 0);

function boundedToo(rings) {
  const bounded = jobsIn(rings, "residence_ns") - jobsIn(rings, "exec_ns");
  return bounded > 0 ? `; of ${count(bounded)} more only bounds are known` : "";
}

// Where no start is known, residence is what execution can be at most.
function histsOf(rings) {
  const bounds = !jobsIn(rings, "exec_ns") && jobsIn(rings, "residence_ns");
  return HISTS.map((h) => (bounds && h[0] === "exec_ns" ? ["residence_ns", "Residence (upper bound of execution)"] : h));
}

function drawHists() {
  const rings = state.section.stats.rings || [], chosen = byId("hist-ring").value;
  const some = chosen === "" ? rings : [rings[Number(chosen)]];
  byId("hist-box").hidden = !state.section.rings.length || !state.section.times;
  fill("hists", histsOf(some).map((h) => histogram(some, h)));
}

function fillHistRings() {
  const section = state.section, rings = section.stats.rings || [];
  fill("hist-ring", el("option", { value: "" }, "all"),
    rings.map((r, i) => el("option", { value: i }, `${clean(r.device)} ${clean(r.ring) || "#" + r.ring_id}`)));
}

// --- heat map: x a second (or less, where the trace is short), y a part of it ------------------------

const HEAT_PARTS = 50, HEAT_CELL = 5;

function heatShape(section) {
  // Of a column at least 20 parts that the cells tell apart; not more columns than there is room for.
  let column = 1e6;
  while (section.span / column > 240 || column / section.width < 20)
    column *= 10;
  const columns = Math.ceil(section.span / column);
  return { column, columns, parts: Math.max(1, Math.min(HEAT_PARTS, Math.floor(column / section.width))) };
}

function heatSums(section) {
  if (section.heat) return section.heat;
  const { column, columns, parts } = heatShape(section), sums = new Float32Array(columns * parts), n = new Float32Array(columns * parts);
  for (const ring of section.rings) {
    const cells = ring.levels[0];
    for (let i = 0; i < cells.n; i++) {
      const t = (i + 0.5) * section.width, x = Math.floor(t / column), y = Math.floor((t - x * column) / column * parts);
      if (x >= columns) break;
      sums[x * parts + y] += cells.busy[i];
      n[x * parts + y]++;
    }
  }
  let most = 0;
  for (let i = 0; i < sums.length; i++) {
    sums[i] = n[i] ? sums[i] / n[i] : 0;
    most = Math.max(most, sums[i]);
  }
  return section.heat = { column, columns, parts, sums, n, most };
}

// How fields lie on the canvas.
const HEAT_LEFT = 54;

function heatWidth(heat, width) {
  return Math.min(26, (width - HEAT_LEFT) / heat.columns);
}

function heatColour(v) {
  const hue = 48 - 48 * v;
  return `hsl(${hue} 90% ${68 - 26 * v}%)`;
}

function drawHeat() {
  const section = state.section, canvas = byId("heat");
  byId("heat-box").hidden = !section.times || !section.rings.length;
  if (byId("heat-box").hidden) return;
  const heat = heatSums(section), width = canvas.clientWidth, left = HEAT_LEFT, height = heat.parts * HEAT_CELL + 22;
  if (!width) return;
  const g = prepare(canvas, width, height), w = heatWidth(heat, width);
  g.fillStyle = ink.lane;
  g.fillRect(left, 0, heat.columns * w, heat.parts * HEAT_CELL);
  for (let x = 0; x < heat.columns; x++)
    for (let y = 0; y < heat.parts; y++) {
      const v = heat.sums[x * heat.parts + y] / (heat.most || 1);
      if (!v) continue;
      g.fillStyle = heatColour(v);
      g.fillRect(left + x * w, (heat.parts - 1 - y) * HEAT_CELL, Math.max(1, w - (w > 4 ? 0.7 : 0)), HEAT_CELL - 0.7);
    }
  g.fillStyle = ink.soft;
  g.fillText(duration(heat.column), 2, 6);
  g.fillText("0", left - 12, heat.parts * HEAT_CELL - 6);
  const every = Math.max(1, Math.ceil(80 / w));
  for (let x = 0; x < heat.columns; x += every)
    g.fillText(duration(x * heat.column) || "0", left + x * w, heat.parts * HEAT_CELL + 12);
  byId("heat-note").textContent = `Each column is ${duration(heat.column)}, each field a ${heat.parts}th of it: the brightest share of all rings that was busy is ` +
    `${percent(heat.most * 1e6)}. Patterns that repeat stand out. A click goes there, a drag shows what lies between in the timeline; what it shows is framed.`;
  heat.picture = el("canvas", { width: canvas.width, height: canvas.height });
  heat.picture.getContext("2d").drawImage(canvas, 0, 0);
  heat.marked = "";
  markHeat();
}

// Frame what the timeline shows, unless that is all; from, to: instead of it.
function markHeat(from, to) {
  const section = state.section, heat = section.heat, canvas = byId("heat");
  if (byId("heat-box").hidden || !heat || !heat.picture) return;
  const g = canvas.getContext("2d"), w = heatWidth(heat, canvas.clientWidth), field = heat.column / heat.parts;
  const begin = from === undefined ? state.view.from : from, end = to === undefined ? state.view.to : to;
  const marked = end - begin < section.span * 0.999 ? `${begin} ${end}` : "";
  if (heat.marked === marked) return;
  heat.marked = marked;
  g.save();
  g.setTransform(1, 0, 0, 1, 0, 0); // device pixels
  g.clearRect(0, 0, canvas.width, canvas.height);
  g.drawImage(heat.picture, 0, 0);
  g.restore();
  if (!marked) return;
  const first = Math.floor(begin / field), last = Math.max(first, Math.ceil(end / field) - 1);
  g.strokeStyle = ink.ink;
  g.lineWidth = 1;
  for (let x = Math.floor(first / heat.parts); x <= Math.min(heat.columns - 1, Math.floor(last / heat.parts)); x++) {
    const low = Math.max(first - x * heat.parts, 0), high = Math.min(last - x * heat.parts, heat.parts - 1);
    g.strokeRect(HEAT_LEFT + x * w - 0.5, (heat.parts - 1 - high) * HEAT_CELL - 0.5, w, (high - low + 1) * HEAT_CELL);
  }
}

// Number of the field under the pointer, counted in time; -1: none. `near`: the nearest one.
function heatField(event, near) {
  const heat = heatSums(state.section), area = byId("heat").getBoundingClientRect(), w = heatWidth(heat, area.width);
  let x = Math.floor((event.clientX - area.left - HEAT_LEFT) / w), y = heat.parts - 1 - Math.floor((event.clientY - area.top) / HEAT_CELL);
  if (near) {
    x = Math.min(heat.columns - 1, Math.max(0, x));
    y = Math.min(heat.parts - 1, Math.max(0, y));
  }
  return x < 0 || x >= heat.columns || y < 0 || y >= heat.parts ? -1 : x * heat.parts + y;
}

// A press goes to a field, a drag selects from the first to the last one, in the order of time.
function onHeat(event) {
  const section = state.section, heat = heatSums(section), field = heat.column / heat.parts, first = heatField(event, false);
  if (first < 0) return;
  let last = first;
  const move = (e) => {
    last = heatField(e, true);
    markHeat(Math.min(first, last) * field, (Math.max(first, last) + 1) * field);
  };
  const end = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    if (last === first) {
      jump(section.abs((first + 0.5) * field));
      return;
    }
    state.cursors = [];
    show(Math.min(first, last) * field, Math.min(section.span, (Math.max(first, last) + 1) * field));
    byId("h-timeline").scrollIntoView({ block: "start" });
    byId("rows").focus({ preventScroll: true });
  };
  event.preventDefault();
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
}

// --- counters ---------------------------------------------------------------------------------------

function counterChart(section, track) {
  const W = 600, H = 90, n = section.data.counters.points, points = readPoints(track), most = Math.max(1, Number(track.max)), least = Math.min(0, Number(track.min));
  const x = (i) => (i / n * W).toFixed(1), y = (v) => (H - (v - least) / (most - least) * (H - 8)).toFixed(1);
  let line = "", last = null;
  for (const p of points) {
    line += last === null ? `M${x(p.i)} ${y(p.most)}` : `H${x(p.i)}V${y(p.most)}`;
    if (p.last !== p.most) line += `V${y(p.last)}`;
    last = p;
  }
  if (last) line += `H${W}`;
  return el("div", { "data-counter": track.name }, el("h3", {}, clean(track.name), el("span", { class: "note" },
    ` from ${quantity(track.min, track.unit)} to ${quantity(track.max, track.unit)}, at the end ${quantity(track.last, track.unit)}; ${plural(track.n, "value")}`)),
  svg("svg", { viewBox: `0 0 ${W} ${H + 16}`, role: "img", "aria-label": clean(track.name), preserveAspectRatio: "none", height: H + 16 },
    svg("path", { class: "axis", d: `M0 ${H}H${W}` }), points.length ? svg("path", { class: "area", d: `${line}V${H}H${x(points[0].i)}Z` }) : "",
    svg("path", { class: "curve", d: line || "M0 0" })));
}

function drawCounters() {
  const section = state.section, tracks = section.data.counters.tracks;
  const memory = (t) => (t.unit === "bytes" ? 0 : 1), order = [...tracks].sort((a, b) => memory(a) - memory(b));
  byId("counters-box").hidden = !tracks.length;
  fill("counters", order.map((t) => counterChart(section, t)),
    Number(section.data.counters.left_out) ? el("p", { class: "note" }, `${count(section.data.counters.left_out)} values of further counters are left out`) : null);
}
