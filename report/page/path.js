// SPDX-License-Identifier: BSD-2-Clause
// What the longest jobs waited for: the critical path to a job's end, and the parts of its time (docs/why.md).

const STEP_COLOURS = { execution: "#59a14f", hardware: "#8cd17d", ring: "#e15759", "ring-full": "#d37295", dependency: "#f28e2b",
  "own-queue": "#d4b12c", scheduler: "#9c755f", thread: "#b07aa1", submitter: "#4e79a7", submit: "#5fa8d3", wait: "#76b7b2", report: "#76b7b2",
  reset: "#b3261e" };
const STEPS_LISTED = 12;

function readStep([from, ns, kind, who, ring, tid, ctx, seqno, cause]) {
  return { from, to: from + ns, ns, kind, who, ring, tid, ctx, seqno, cause, job: ctx === "0" && seqno === "0" ? "" : `${ctx}:${seqno}` };
}

// The paths of a section by job, the longest job's first.
function pathsOf(section) {
  section.paths ??= new Map(section.data.paths.map((p) => [`${p.context}:${p.seqno}`,
    { ...p, job: `${p.context}:${p.seqno}`, path: p.path.map(readStep), parts: p.parts.map(readStep) }]));
  return section.paths;
}

// The path that is shown: of the selected job if it is known, else of the longest one.
function pathShown() {
  const section = state.section, i = state.selected, paths = pathsOf(section);
  const own = i < 0 ? undefined : paths.get(`${section.jobs.ctx[i]}:${section.jobs.seqno[i]}`);
  return own || paths.values().next().value;
}

function ringText(section, id) {
  const ring = id ? section.rings.find((r) => Number(r.id) === id) : null;
  return ring ? section.ringPath(ring) : "";
}

function stepText(section, s) {
  const why = s.cause && s.cause !== s.kind ? ` (${s.cause})` : "", who = s.who ? ` of ${clean(s.who)}` : "", ring = ringText(section, s.ring);
  return `${s.kind}${why}${who}${s.tid ? `, thread ${s.tid}` : ""}${ring ? ` on ${ring}` : ""}`;
}

// Steps side by side, as wide as they are long; a press selects the job.
function strip(section, steps, name) {
  const whole = steps.reduce((sum, s) => sum + s.ns, 0) || 1, box = el("div", { class: "strip", "data-strip": name });
  for (const s of steps) {
    const i = s.job ? section.find(s.ctx, s.seqno) : -1;
    const part = el("button", { type: "button", title: `${duration(s.ns)} ${stepText(section, s)}${s.job ? `, job ${s.job}` : ""}`, "data-kind": s.kind,
      "data-ns": s.ns, "data-from": s.from, "data-job": s.job, "aria-label": `${duration(s.ns)} ${stepText(section, s)}`, disabled: i < 0,
      onclick: () => select(i, true) }, s.ns / whole > 0.08 ? s.kind : "");
    part.style.flexGrow = s.ns / whole;
    part.style.background = STEP_COLOURS[s.kind] || OTHER;
    box.append(part);
  }
  return box;
}

// What they come down to: equal ones added up, the longest first.
function sumsOf(section, steps) {
  const sums = new Map();
  for (const s of steps)
    sums.set(stepText(section, s), (sums.get(stepText(section, s)) || 0) + s.ns);
  const whole = steps.reduce((sum, s) => sum + s.ns, 0) || 1, all = [...sums].sort((a, b) => b[1] - a[1]);
  const lines = all.slice(0, STEPS_LISTED).map(([text, ns]) => el("li", { "data-ns": ns }, `${duration(ns)} (${percent(ns / whole * 1e6)}): ${text}`));
  return el("ul", { class: "sums" }, lines, all.length > STEPS_LISTED ? el("li", {}, `and ${count(all.length - STEPS_LISTED)} shorter ones`) : null);
}

function partsPanel(section, p) {
  return [el("h3", {}, `What job ${p.job} waited for: ${duration(p.ns)} from submission to end`), strip(section, p.parts, "parts"), sumsOf(section, p.parts),
    p.folded ? el("p", { class: "note" }, "Its first parts are put together, as there are too many.") : null];
}

function pathPanel(section, p) {
  const whole = p.path.reduce((sum, s) => sum + s.ns, 0), longest = p === pathsOf(section).values().next().value ? ", which took longest" : "";
  return [el("h3", {}, `Critical path to the end of job ${p.job}${longest}: ${duration(whole)}${p.cut ? "; there is more before it" : ""}`),
    strip(section, p.path, "path"), sumsOf(section, p.path),
    el("p", { class: "note" }, "At each moment what the next step could not have begun without. Its jobs are framed in the timeline.")];
}

function drawPathBox() {
  const section = state.section, p = pathShown(), known = state.selected >= 0 && p && pathsOf(section).get(p.job) === p &&
    section.find(p.context, p.seqno) === state.selected;
  byId("path").hidden = !p;
  if (!p) return;
  const other = state.selected >= 0 && !known ? el("p", { class: "note" },
    `What the selected job waited for is not on this page, which has the ${plural(pathsOf(section).size, "job")} that took longest: xtr why shows it.`) : null;
  fill("path", other, known ? partsPanel(section, p) : null, pathPanel(section, p));
}

// On the timeline: a frame around what of a job is on the path, and a line from step to step.
function drawPathOn(g, s, section, rows, shift) {
  const p = pathShown();
  if (!p) return;
  g.strokeStyle = ink.accent;
  g.lineWidth = 2;
  g.beginPath();
  for (const step of p.path) {
    const ring = step.ring && !step.tid ? section.rings.find((r) => Number(r.id) === step.ring) : null;
    const row = ring ? rows.find((r) => r.ring === ring) : null;
    if (!row) continue;
    const x = Math.max(GUTTER, s.x(step.from)), end = Math.min(s.width, s.x(step.to));
    if (end >= x)
      g.rect(x, row.y - shift + 2, Math.max(1, end - x), LANES + 2);
  }
  g.stroke();
}
