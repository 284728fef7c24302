// SPDX-License-Identifier: BSD-2-Clause
// The timeline on its canvases. `view` is what part of the time is shown, `state` what is selected.

const GUTTER = 176, AXIS = 24, HEAD = 20, ROW = 46, LANES = 30, GAP = 6;
const JOBS_DRAWN = 3000; // of a ring, above which its cells are drawn instead

const state = { section: null, view: { from: 0, to: 1 }, selected: -1, hovered: -1, pid: null, cursors: [], frame: 0 };

const ink = {};

function readInk() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["bg", "card", "ink", "soft", "line", "accent", "bad", "row", "lane", "warn"])
    ink[name] = style.getPropertyValue("--" + name).trim();
}

// A canvas in the right number of device pixels; draws in CSS pixels.
function prepare(canvas, width, height) {
  const scale = window.devicePixelRatio || 1, w = Math.round(width * scale), h = Math.round(height * scale);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = height + "px";
  }
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
  g.textBaseline = "middle";
  return g;
}

// Text that fits, or its beginning.
function fitText(g, text, width) {
  if (g.measureText(text).width <= width)
    return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (g.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return low ? text.slice(0, low) + "…" : "";
}

// Where devices and rings stand: [{device} | {ring}] with y and height.
function layout(section) {
  const rows = [];
  let y = AXIS, device = null;
  for (const ring of section.rings) {
    if (ring.device !== device) {
      device = ring.device;
      rows.push({ device, y, height: HEAD });
      y += HEAD;
    }
    rows.push({ ring, y, height: ROW });
    y += ROW;
  }
  return { rows, height: y + 4 };
}

function scaleOf(width) {
  const { from, to } = state.view, per = (to - from) / Math.max(1, width - GUTTER);
  return { per, width, x: (t) => GUTTER + (t - from) / per, t: (x) => from + (x - GUTTER) * per };
}

// A step of 1, 2 or 5 times a power of ten, so that labels do not meet.
function stepFor(per) {
  let step = 10 ** Math.floor(Math.log10(Math.max(1, per * 90)));
  for (const f of [1, 2, 5, 10])
    if (step * f >= per * 90) {
      step *= f;
      break;
    }
  return step;
}

function tickLabel(section, t, step) {
  if (!section.times) return "#" + count(section.abs(t));
  const sign = t < 0 ? "-" : "", a = Math.abs(t), unit = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  if (a >= 1e9 && step < 1e9)
    return sign + (a / 1e9).toFixed(Math.max(0, 9 - Math.floor(Math.log10(step)))) + THIN + "s";
  return sign + count(Math.round(a / unit[0])) + THIN + unit[1];
}

function drawAxis(g, s, section, height) {
  const step = stepFor(s.per), { from, to } = state.view;
  g.fillStyle = ink.soft;
  g.strokeStyle = ink.line;
  g.lineWidth = 1;
  g.beginPath();
  for (let k = Math.ceil(from / step); k * step <= to; k++) {
    const x = Math.round(s.x(k * step)) + 0.5;
    g.moveTo(x, AXIS - 5);
    g.lineTo(x, height);
    g.fillText(tickLabel(section, k * step, step), x + 4, AXIS / 2);
  }
  g.stroke();
}

// The cells of a ring that are in view, of the level whose width suits the scale.
function cellsFor(s, section, ring) {
  let level = 0;
  while (level + 1 < ring.levels.length && section.width * 2 ** (level + 1) <= s.per * 1.5)
    level++;
  const cells = ring.levels[level], width = section.width * 2 ** level;
  return { cells, width, first: Math.max(0, Math.floor(state.view.from / width)), last: Math.min(cells.n - 1, Math.floor(state.view.to / width)) };
}

// Activity of a ring: what is on the hardware, and which processes execute.
function drawCells(g, s, section, { cells, width, first, last }, y, alpha) {
  const bottom = y + 3 + LANES, px = Math.max(1, width / s.per);
  for (let i = first; i <= last; i++) {
    if (!cells.busy[i] && !cells.share[i * TOP])
      continue;
    const x = Math.max(GUTTER, s.x(i * width)), w = Math.min(px, s.x((i + 1) * width) - x + 0.3);
    g.globalAlpha = 0.22 * alpha;
    g.fillStyle = ink.soft;
    g.fillRect(x, bottom - cells.busy[i] * LANES, w, cells.busy[i] * LANES);
    drawShares(g, section, cells, i, x, w, bottom, alpha);
  }
  g.globalAlpha = 1;
}

function drawShares(g, section, cells, i, x, w, bottom, alpha) {
  let sum = 0, y = bottom;
  for (let k = i * TOP; k < i * TOP + TOP; k++)
    sum += cells.share[k];
  const scale = LANES / Math.max(1, sum);
  for (let k = i * TOP; k < i * TOP + TOP && cells.share[k]; k++) {
    const h = cells.share[k] * scale;
    g.globalAlpha = alpha * (state.pid === null || section.pidOf(cells.pid[k]) === state.pid ? 1 : 0.15);
    g.fillStyle = section.colour(cells.pid[k]);
    g.fillRect(x, y - h, w, h);
    y -= h;
  }
}

// Below each ring: how many jobs wait in its software queues.
function drawDepth(g, s, { cells, width, first, last }, y) {
  const top = y + LANES + 5, height = ROW - LANES - 7, most = Math.max(1, cells.mostQueued ??= Math.max(...cells.queued));
  g.fillStyle = ink.warn;
  g.globalAlpha = 0.65;
  for (let i = first, next; i <= last; i = next) {
    for (next = i + 1; next <= last && cells.queued[next] === cells.queued[i];)
      next++;
    if (!cells.queued[i])
      continue;
    const x = Math.max(GUTTER, s.x(i * width)), h = Math.max(1, cells.queued[i] / most * height);
    g.fillRect(x, top + height - h, Math.max(1, s.x(next * width) - x), h);
  }
  g.globalAlpha = 1;
}

function laneBox(section, ring, i, y) {
  const height = LANES / ring.lanes;
  return { top: y + 3 + section.lane[i] * height, height: Math.max(2, height - (ring.lanes > 1 ? 1 : 0)) };
}

// Those that can be seen; a job that would lie in the same pixel as the one before is left out.
function drawJobs(g, s, section, ring, y) {
  const { from, to } = state.view, list = ring.list, seen = new Float64Array(LANES_MAX).fill(-1);
  for (let k = section.firstIn(ring, from); k < list.length && section.x0[list[k]] <= to; k++) {
    const i = list[k];
    if (section.x1[i] < from)
      continue;
    const x = Math.max(GUTTER, s.x(section.x0[i])), end = Math.max(x + 1, Math.min(s.width, s.x(section.x1[i])));
    if (end <= seen[section.lane[i]])
      continue;
    seen[section.lane[i]] = Math.floor(x) + 1;
    drawJob(g, section, ring, i, x, end, y);
  }
}

function drawJob(g, section, ring, i, x, end, y) {
  const box = laneBox(section, ring, i, y), pid = section.jobs.pid[i], w = end - x;
  g.globalAlpha = (state.pid === null || section.pidOf(pid) === state.pid ? 1 : 0.15) * (section.open[i] === 1 ? 0.4 : section.open[i] === 2 ? 0.72 : 1);
  g.fillStyle = section.colour(pid);
  g.fillRect(x, box.top, w > 3 ? w - 0.6 : w, box.height);
  g.globalAlpha = 1;
  if (section.jobs.has[i] & HAS.result && section.jobs.error[i]) {
    g.fillStyle = ink.bad;
    g.fillRect(x, box.top, Math.max(2, w), 3);
  }
  if (w > 44 && box.height >= 13) {
    g.fillStyle = "#10151a";
    g.fillText(fitText(g, clean(section.data.comms[section.jobs.comm[i]] || "") || String(section.jobs.seqno[i]), w - 8), x + 4, box.top + box.height / 2 + 0.5);
  }
}

// How many of a ring's jobs are in view, as far as that matters.
function inView(section, ring) {
  let n = 0;
  for (let k = section.firstIn(ring, state.view.from); k < ring.list.length && n <= JOBS_DRAWN; k++, n++)
    if (section.x0[ring.list[k]] > state.view.to)
      break;
  return n;
}

function drawRing(g, s, section, row) {
  const { ring, y } = row, wide = section.width / s.per >= 4, jobs = ring.all ? inView(section, ring) <= JOBS_DRAWN : wide;
  g.fillStyle = ink.lane;
  g.fillRect(GUTTER, y + 3, s.width - GUTTER, LANES);
  const near = cellsFor(s, section, ring);
  if (!jobs || !ring.all)
    drawCells(g, s, section, near, y, jobs ? 0.35 : 1);
  drawDepth(g, s, near, y);
  if (jobs)
    drawJobs(g, s, section, ring, y);
  g.fillStyle = ink.line;
  g.fillRect(0, y + ROW - 0.5, s.width, 0.5);
}

function drawLabels(g, section, rows, shift) {
  for (const row of rows) {
    const y = row.y - shift;
    if (row.device !== undefined) {
      g.fillStyle = ink.row;
      g.fillRect(0, y, GUTTER, row.height);
      g.fillStyle = ink.ink;
      g.font = "600 12px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
      g.fillText(fitText(g, clean(row.device) || "(device not known)", GUTTER - 16), 8, y + row.height / 2 + 1);
      continue;
    }
    g.font = "12px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
    g.fillStyle = ink.ink;
    g.fillText(fitText(g, section.ringName(row.ring), GUTTER - 28), 18, y + 14);
    g.fillStyle = ink.soft;
    g.font = "11px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
    g.fillText(fitText(g, plural(row.ring.jobs, "job"), GUTTER - 28), 18, y + 30);
  }
}

// Where events were lost, over all rings.
function drawGaps(g, s, section, height) {
  const parts = section.data.losses.gaps.parts, width = (section.span + 1) / parts.length;
  g.fillStyle = ink.bad;
  for (let i = 0; i < parts.length; i++) {
    const x0 = s.x(i * width), x1 = s.x((i + 1) * width);
    if (parts[i] !== "1" || x1 < GUTTER || x0 > s.width || section.gaps.length === section.data.losses.gaps.all)
      continue;
    g.globalAlpha = 0.14;
    g.fillRect(Math.max(GUTTER, x0), AXIS, Math.max(1, x1 - Math.max(GUTTER, x0)), height);
  }
  for (const gap of section.gaps) {
    const x0 = Math.max(GUTTER, s.x(gap.x0)), x1 = s.x(gap.x1);
    if (x1 < GUTTER || x0 > s.width)
      continue;
    g.globalAlpha = 0.22;
    g.fillRect(x0, AXIS, Math.max(2, x1 - x0), height);
    g.globalAlpha = 1;
    g.fillRect(x0, AXIS - 4, Math.max(2, x1 - x0), 4);
  }
  g.globalAlpha = 1;
}

function vertical(g, x, height, colour, dash) {
  g.strokeStyle = colour;
  g.setLineDash(dash || []);
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(Math.round(x) + 0.5, AXIS - 6);
  g.lineTo(Math.round(x) + 0.5, height);
  g.stroke();
  g.setLineDash([]);
}

// Findings' events, and what happened on devices.
function drawCursors(g, s, section, height) {
  for (const mark of section.data.marks) {
    const x = s.x(section.rel(mark.ts));
    if (x < GUTTER || x > s.width) continue;
    vertical(g, x, height, ink.bad, [2, 3]);
    g.fillStyle = ink.bad;
    g.fillText(fitText(g, clean(mark.name), 120), x + 3, AXIS + 6);
  }
  for (const t of state.cursors) {
    const x = s.x(t);
    if (x >= GUTTER && x <= s.width) vertical(g, x, height, ink.accent, [5, 3]);
  }
}

// The selected job: its waits before it ran, and what it waited for.
function drawSelected(g, s, section, rows, shift) {
  const i = state.selected;
  if (i < 0) return;
  const at = (ring) => rows.find((r) => r.ring && r.ring.index === ring), row = at(section.jobs.ring[i]), j = section.jobs;
  if (!row) return;
  const box = laneBox(section, row.ring, i, row.y - shift), middle = box.top + box.height / 2;
  g.strokeStyle = ink.ink;
  g.lineWidth = 2;
  const x0 = s.x(section.x0[i]), x1 = Math.max(x0 + 2, s.x(section.x1[i]));
  g.strokeRect(x0 - 1, box.top - 1, x1 - x0 + 2, box.height + 2);
  g.lineWidth = 1;
  g.beginPath();
  for (const t of [j.queue[i], j.run[i]])
    if (!Number.isNaN(t)) {
      g.moveTo(s.x(t), middle - 5);
      g.lineTo(s.x(t), middle + 5);
    }
  g.moveTo(s.x(Number.isNaN(j.queue[i]) ? section.x0[i] : j.queue[i]), middle);
  g.lineTo(x0, middle);
  g.stroke();
  for (const dep of j.deps[i] || []) {
    const from = at(dep.ring);
    arrow(g, s.x(dep.until), from ? from.y - shift + 3 + LANES / 2 : row.y - shift - 4, s.x(Number.isNaN(j.run[i]) ? dep.until : j.run[i]), middle);
  }
}

function arrow(g, x0, y0, x1, y1) {
  const angle = Math.atan2(y1 - y0, x1 - x0 || 0.01);
  g.strokeStyle = g.fillStyle = ink.accent;
  g.lineWidth = 1.6;
  g.beginPath();
  g.arc(x0, y0, 3.5, 0, 7);
  g.fill();
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - 9 * Math.cos(angle - 0.4), y1 - 9 * Math.sin(angle - 0.4));
  g.lineTo(x1 - 9 * Math.cos(angle + 0.4), y1 - 9 * Math.sin(angle + 0.4));
  g.fill();
}

function drawLanes() {
  const section = state.section, box = byId("rows"), canvas = byId("lanes"), width = box.clientWidth;
  if (!width || !section) return;
  const { rows, height } = layout(section), seen = Math.min(height, box.clientHeight || height, 4000), shift = box.scrollTop;
  byId("tall").style.height = height + "px";
  const g = prepare(canvas, width, Math.max(seen, 60)), s = scaleOf(width), near = rows.filter((r) => r.y + r.height > shift && r.y - shift < seen);
  drawAxis(g, s, section, seen);
  g.save();
  g.beginPath();
  g.rect(GUTTER, 0, width - GUTTER, seen);
  g.clip();
  for (const row of near)
    if (row.ring) drawRing(g, s, section, { ring: row.ring, y: row.y - shift });
  drawGaps(g, s, section, seen);
  drawCursors(g, s, section, seen);
  drawPathOn(g, s, section, rows, shift);
  drawSelected(g, s, section, rows, shift);
  g.restore();
  drawLabels(g, section, near, shift);
  g.fillStyle = ink.card;
  if (shift > 0) {
    g.fillRect(0, 0, width, AXIS);
    drawAxis(g, s, section, AXIS);
  }
}

// All of the time in one strip: mean activity of the rings, and the part that is shown below.
function drawOverview() {
  const section = state.section, canvas = byId("overview"), width = canvas.clientWidth, height = 44;
  if (!width || !section) return;
  const g = prepare(canvas, width, height), span = section.span, left = GUTTER;
  g.fillStyle = ink.row;
  g.fillRect(0, 0, width, height);
  g.fillStyle = ink.soft;
  g.fillText(section.times ? duration(span) : count(span) + " events", 8, height / 2);
  const columns = Math.max(1, Math.floor(width - left)), sums = overviewSums(section, columns);
  g.fillStyle = ink.accent;
  for (let x = 0; x < columns; x++)
    if (sums[x]) g.fillRect(left + x, height - Math.max(1, sums[x] * (height - 4)), 1, Math.max(1, sums[x] * (height - 4)));
  const parts = section.data.losses.gaps.parts;
  g.fillStyle = ink.bad;
  for (let i = 0; i < parts.length; i++)
    if (parts[i] === "1") g.fillRect(left + i / parts.length * columns, 0, Math.max(2, columns / parts.length), 4);
  const x0 = left + state.view.from / span * columns, x1 = left + state.view.to / span * columns;
  g.globalAlpha = 0.55;
  g.fillStyle = ink.bg;
  g.fillRect(left, 0, Math.max(0, x0 - left), height);
  g.fillRect(x1, 0, Math.max(0, left + columns - x1), height);
  g.globalAlpha = 1;
  g.strokeStyle = ink.ink;
  g.strokeRect(Math.min(x0, left + columns - 3) + 0.5, 0.5, Math.max(2, x1 - x0 - 1), height - 1);
}

// Share of the rings that are busy, for each column; kept, as it does not change with the view.
function overviewSums(section, columns) {
  if (section.sums && section.sums.length === columns)
    return section.sums;
  const sums = new Float32Array(columns), per = section.span / columns;
  for (const ring of section.rings) {
    let level = 0;
    while (level + 1 < ring.levels.length && section.width * 2 ** (level + 1) <= per) level++;
    const cells = ring.levels[level], width = section.width * 2 ** level;
    for (let x = 0; x < columns; x++) {
      const first = Math.floor(x * per / width), last = Math.max(first + 1, Math.floor((x + 1) * per / width));
      let sum = 0;
      for (let i = first; i < last && i < cells.n; i++) sum += cells.busy[i];
      sums[x] += sum / (last - first) / section.rings.length;
    }
  }
  return section.sums = sums;
}

function drawNow() {
  state.frame = 0;
  drawOverview();
  drawLanes();
  markHeat();
}

function draw() {
  if (!state.frame)
    state.frame = requestAnimationFrame(drawNow);
}
