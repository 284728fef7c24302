// SPDX-License-Identifier: BSD-2-Clause
// Moving about in the timeline, what is under the pointer, and the selected job.

const SHORTEST = 20; // ns in view

function show(from, to) {
  const span = state.section.span, length = Math.min(span, Math.max(SHORTEST, to - from));
  const middle = (from + to) / 2, begin = Math.min(Math.max(0, middle - length / 2), span - length);
  state.view = { from: begin, to: begin + length };
  tellRange();
  draw();
}

function tellRange() {
  const { from, to } = state.view, section = state.section;
  byId("range").textContent = section.times
    ? `${stamp(section.abs(from))} s + ${duration(to - from)}` : `events ${count(section.abs(from))} to ${count(section.abs(to))}`;
}

function zoom(factor, at) {
  const { from, to } = state.view, pivot = at === undefined ? (from + to) / 2 : at;
  show(pivot - (pivot - from) * factor, pivot + (to - pivot) * factor);
}

function pan(share) {
  const { from, to } = state.view, by = (to - from) * share;
  show(from + by, to + by);
}

function showAll() {
  show(0, state.section.span);
}

// Bring a ring's row into sight.
function showRing(index) {
  const row = layout(state.section).rows.find((r) => r.ring && r.ring.index === index), box = byId("rows");
  if (row && (row.y - box.scrollTop < AXIS || row.y + ROW - box.scrollTop > box.clientHeight))
    box.scrollTop = Math.max(0, row.y - AXIS - HEAD);
}

// --- what is under the pointer ---------------------------------------------------------------------

function rowAt(y) {
  return layout(state.section).rows.find((r) => r.ring && y >= r.y && y < r.y + r.height);
}

// The job whose box is nearest to x, if it is near.
function jobAt(s, row, x, y) {
  const section = state.section, ring = row.ring, slack = 3 * s.per, t = s.t(x);
  const lane = Math.min(ring.lanes - 1, Math.max(0, Math.floor((y - row.y - 3) / (LANES / ring.lanes))));
  let best = -1, distance = slack;
  for (let k = section.firstIn(ring, t - slack); k < ring.list.length && section.x0[ring.list[k]] <= t + slack; k++) {
    const i = ring.list[k], d = Math.max(0, section.x0[i] - t, t - section.x1[i]);
    if (section.lane[i] === lane && d <= distance && (d < distance || best < 0 || section.x0[i] > section.x0[best])) {
      best = i;
      distance = d;
    }
  }
  return best;
}

function hit(event) {
  const box = byId("rows"), area = box.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top + box.scrollTop;
  const s = scaleOf(box.clientWidth), row = x > GUTTER ? rowAt(y) : null;
  return { x, y, s, row, job: row ? jobAt(s, row, x, y) : -1 };
}

function tipTable(title, lines) {
  return [el("h3", {}, title), el("table", {}, el("tbody", {}, lines.map(([name, value]) => el("tr", {}, el("td", {}, name), el("td", {}, value)))))];
}

function jobTip(i) {
  const section = state.section, f = section.fields(i), ring = section.ringAt.get(section.jobs.ring[i]);
  const lines = Object.keys(f).filter((c) => f[c] !== "" && c !== "device" && c !== "ring").map((c) => [c.replace(/_ns$/, ""), shown(section, c, f[c])]);
  if (!f.exec_ns && section.execBound(i)) lines.push(["exec", section.execBound(i)]);
  return tipTable(`${clean(ring.device)} ${section.ringName(ring)}`, lines);
}

function cellTip(h) {
  const section = state.section, ring = h.row.ring, cells = ring.levels[0];
  const from = Math.max(0, Math.floor(h.s.t(h.x) / section.width)), to = Math.min(cells.n - 1, Math.max(from, Math.floor(h.s.t(h.x + 1) / section.width)));
  let busy = 0, jobs = 0, queued = 0, onHw = 0;
  const shares = new Map();
  for (let i = from; i <= to; i++) {
    busy += cells.busy[i] / (to - from + 1);
    jobs += cells.jobs[i];
    queued = Math.max(queued, cells.queued[i]);
    onHw = Math.max(onHw, cells.onHw[i]);
    for (let k = i * TOP; k < i * TOP + TOP && cells.share[k]; k++)
      shares.set(cells.pid[k], (shares.get(cells.pid[k]) || 0) + cells.share[k] / (to - from + 1));
  }
  const top = [...shares].sort((a, b) => b[1] - a[1]).slice(0, 4);
  return tipTable(`${clean(ring.device)} ${section.ringName(ring)}`, [
    ["at", section.times ? `${stamp(section.abs(from * section.width))} s` : `event ${count(section.abs(from * section.width))}`],
    ["length", section.times ? duration((to - from + 1) * section.width) : "-"], ["busy", "about " + percent(busy * 1e6)],
    ["jobs ended", count(jobs)], ["most on hardware", count(onHw)], ["most queued", count(queued)],
    ...top.map(([pid, share]) => [section.processName(pid), "about " + percent(share * 1e6)])]);
}

function placeTip(event) {
  const tip = byId("tip"), w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(4, event.clientX + 16 + w > innerWidth ? event.clientX - w - 12 : event.clientX + 16) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - h - 6)) + "px";
}

function hover(event) {
  const h = hit(event), tip = byId("tip");
  tip.hidden = !h.row;
  byId("rows").classList.toggle("pointing", h.job >= 0);
  if (!h.row) return;
  fill("tip", h.job >= 0 ? jobTip(h.job) : cellTip(h));
  placeTip(event);
}

// --- the selected job ------------------------------------------------------------------------------

function depLine(section, dep) {
  const ring = section.ringAt.get(dep.ring), i = section.find(dep.ctx, dep.seqno);
  const name = `${dep.ctx}:${dep.seqno} on ${ring ? section.ringName(ring) : "no ring of the trace"}`;
  return el("div", {}, el("dt", {}, "waited for ", i >= 0 ? el("button", { class: "link", type: "button", onclick: () => select(i, true) }, name) : name),
    el("dd", {}, `${duration(dep.until - dep.from)}, until it ${dep.scheduled ? "was run" : "was done"}`));
}

function jobPanel(i) {
  const section = state.section, f = section.fields(i), j = section.jobs, deps = j.deps[i] || [];
  const lines = Object.keys(f).map((c) => el("div", {}, el("dt", {}, c), el("dd", { "data-column": c, "data-value": f[c] }, (c === "exec_ns" && !f[c] && section.execBound(i)) || shown(section, c, f[c]))));
  if (j.has[i] & HAS.result)
    lines.push(el("div", {}, el("dt", {}, "error"), el("dd", {}, String(j.error[i]))));
  const left = j.waits[i] - deps.length;
  const flags = f.flags ? f.flags.split("|").map((name) => `${name}: ${report.flag_help[report.flags.indexOf(name)]}`) : [];
  const helps = [`${f.quality}: ${report.quality_help[j.quality[i]]}`, ...flags];
  return [el("h3", {}, `Job ${f.context}:${f.seqno}`), el("dl", { class: "fields" }, lines, deps.map((d) => depLine(section, d))),
    left > 0 ? el("p", { class: "note" }, `and ${plural(left, "more wait")} that ${left === 1 ? "is" : "are"} not on this page`) : null,
    el("p", { class: "note" }, helps.join("; "))];
}

function select(i, bring) {
  state.selected = i;
  byId("job").hidden = i < 0;
  if (i >= 0) {
    fill("job", jobPanel(i));
    if (bring) fitJob();
  }
  drawPathBox();
  draw();
}

// The selected job with its waits, and room at both sides.
function fitJob() {
  const section = state.section, i = state.selected;
  if (i < 0) return;
  const known = [section.jobs.queue[i], section.jobs.run[i], section.x0[i]].filter((t) => !Number.isNaN(t));
  const from = Math.min(...known), to = Math.max(section.x1[i], from + 1), room = Math.max(40, (to - from) * 0.6);
  showRing(section.jobs.ring[i]);
  show(from - room, to + room);
}

function step(by) {
  const section = state.section;
  if (state.selected < 0) {
    const middle = (state.view.from + state.view.to) / 2, ring = section.rings.find((r) => r.list.length);
    if (ring) select(ring.list[Math.min(ring.list.length - 1, section.firstIn(ring, middle))], false);
    return;
  }
  const list = section.ringAt.get(section.jobs.ring[state.selected]).list, next = list[list.indexOf(state.selected) + by];
  if (next === undefined) return;
  select(next, false);
  const { from, to } = state.view;
  if (section.x0[next] < from || section.x1[next] > to) {
    const length = Math.max(to - from, (section.x1[next] - section.x0[next]) * 2);
    show((section.x0[next] + section.x1[next] - length) / 2, (section.x0[next] + section.x1[next] + length) / 2);
  }
}

// Go to a moment: findings that are about no job, gaps, tables. others: more moments to mark.
function jump(time, others) {
  const section = state.section, t = section.rel(time), length = Math.min(section.span, Math.max(2e6, section.span / 400));
  state.cursors = [t, ...(others || []).map((o) => section.rel(o))];
  const all = state.cursors.filter((c) => Math.abs(c - t) < length * 4), from = Math.min(...all), to = Math.max(...all);
  show(from - length / 2, Math.max(to, from + 1) + length / 2);
  byId("h-timeline").scrollIntoView({ block: "start" });
  byId("rows").focus({ preventScroll: true });
}

// The job that a finding names, or that waits or runs at its time on the ring that it names. -1: none that is shown.
function jobOfFinding(f) {
  const section = state.section, e = f.evidence;
  if (e.context !== undefined) return section.find(e.context, e.seqno);
  if (e.oldest_context !== undefined) return section.find(e.oldest_context, e.oldest_seqno);
  return e.ring_id === undefined ? -1 : section.jobAt(e.ring_id, section.rel(f.at_ns));
}

// Its moments are marked; where it is about a job, that is selected and shown with its waits.
function jumpToFinding(f) {
  const i = jobOfFinding(f);
  jump(f.at_ns, f.events_ns);
  if (i < 0) return;
  select(i, true);
  const { from, to } = state.view, t = state.section.rel(f.at_ns);
  if (t < from || t > to) show(Math.min(from, t), Math.max(to, t));
}

function jumpToJob(ctx, seqno, time) {
  const i = state.section.find(ctx, seqno);
  state.cursors = [];
  if (i < 0) {
    jump(time);
    return;
  }
  select(i, true);
  byId("h-timeline").scrollIntoView({ block: "start" });
  byId("rows").focus({ preventScroll: true });
}

// --- mouse and keys --------------------------------------------------------------------------------

const ACTIONS = { in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: showAll, fit: fitJob,
  next: () => step(1), previous: () => step(-1), clear: () => { state.cursors = []; select(-1); } };
const KEYS = { w: "in", "+": "in", "=": "in", s: "out", "-": "out", a: "left", ArrowLeft: "left", d: "right", ArrowRight: "right", 0: "all",
  Home: "all", f: "fit", "]": "next", "[": "previous", Escape: "clear" };

function onKey(event) {
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const free = !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (!action || !free || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  ACTIONS[action]();
}

function onWheel(event) {
  const h = hit(event), sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    event.preventDefault();
    zoom(1.0015 ** event.deltaY, h.s.t(Math.max(GUTTER, h.x)));
  } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
    event.preventDefault();
    pan(sideways / 1200);
  }
}

// A drag moves the time; a press that does not move selects.
function onPress(event) {
  if (event.button) return;
  const box = byId("rows"), begin = { ...state.view }, per = scaleOf(box.clientWidth).per, x = event.clientX;
  let moved = false;
  const move = (e) => {
    moved ||= Math.abs(e.clientX - x) > 3;
    if (moved) show(begin.from - (e.clientX - x) * per, begin.to - (e.clientX - x) * per);
    box.classList.toggle("dragging", moved);
    byId("tip").hidden = true;
  };
  const end = (e) => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    box.classList.remove("dragging");
    if (!moved) select(hit(e).job, false);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
}

// In the strip above: a drag chooses a part, a press moves there.
function onOverview(event) {
  const canvas = byId("overview"), area = canvas.getBoundingClientRect(), columns = area.width - GUTTER;
  const time = (e) => Math.min(1, Math.max(0, (e.clientX - area.left - GUTTER) / columns)) * state.section.span;
  const begin = time(event), x = event.clientX, length = state.view.to - state.view.from;
  const move = (e) => {
    if (Math.abs(e.clientX - x) > 3) show(Math.min(begin, time(e)), Math.max(begin, time(e)));
  };
  const end = (e) => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    if (Math.abs(e.clientX - x) <= 3) show(begin - length / 2, begin + length / 2);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
}

function listen() {
  const box = byId("rows");
  document.addEventListener("keydown", onKey);
  box.addEventListener("wheel", onWheel, { passive: false });
  box.addEventListener("pointerdown", onPress);
  box.addEventListener("pointermove", (e) => { if (!e.buttons) hover(e); });
  box.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
  box.addEventListener("dblclick", (e) => zoom(0.4, hit(e).s.t(hit(e).x)));
  box.addEventListener("scroll", draw);
  byId("overview").addEventListener("pointerdown", onOverview);
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => ACTIONS[button.dataset.do]());
  window.addEventListener("resize", redraw);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    window.matchMedia(query).addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => { redraw(); drawNow(); });
  window.addEventListener("afterprint", redraw);
}

function redraw() {
  readInk();
  drawHeat();
  draw();
}
