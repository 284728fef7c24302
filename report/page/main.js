// SPDX-License-Identifier: BSD-2-Clause
// Puts the page together, and what tests ask it.

function say(n, one, many) {
  return Number(n) ? plural(n, one, many) : null;
}

// What is not on the page as it was recorded: there is no room for it, or the file was redacted.
function limits() {
  const d = state.section.data, recordings = Number(report.sections_left_out), rings = Number(d.rings_left_out), lines = [];
  if (recordings)
    lines.push(`${plural(recordings, "more recording")} of the file ${recordings === 1 ? "is" : "are"} not on this page, which has the first ${count(sections.length)}: xtr stats has all`);
  if (rings)
    lines.push(`${plural(rings, "more ring")} with ${plural(d.rings_left_out_jobs, "job")} ${rings === 1 ? "is" : "are"} in the tables alone: the timeline has the first ${count(d.rings.length)}`);
  const r = state.section.stats.redacted;
  if (r)
    lines.push(`redacted${r.policy === null ? "" : `, policy ${clean(r.policy)}`}: names such as name#7, process ids, pointers and the time of day are not the machine's`);
  return lines;
}

// Losses and damage come first: they say how far the rest can be trusted.
function drawLosses() {
  const section = state.section, l = section.data.losses, s = section.stats, lines = [], box = byId("losses");
  for (const c of l.causes)
    lines.push(`${plural(c.count, "event")} lost: ${c.help} (${c.cause})`);
  if (say(l.cause_unknown, "event")) lines.push(`${plural(l.cause_unknown, "event")} lost, cause not in the file`);
  if (Number(s.missing)) lines.push(`${plural(s.missing, "event")} of those recorded in damaged or missing chunks`);
  if (s.import_damage) {
    const first = s.import_damage.first === null ? "" : `${Number(s.import_damage.places) > 1 ? ", the first" : ""}: ${clean(s.import_damage.first)}`;
    lines.push(`${plural(s.import_damage.places, "place")} of the trace that was imported could not be read${first}`);
  }
  for (const p of l.problems.list) lines.push(`damage at byte ${count(p.offset)}: ${p.help} (${p.code})`);
  const more = Math.max(Number(s.problems || 0), l.problems.n) - l.problems.list.length;
  if (more > 0) lines.push(`${plural(more, "more problem")}: xtr check shows all`);
  if (!l.closed) lines.push("the recording ends abruptly: what was lost at its end is not known");
  if (s.budget || s.sampled) lines.push("events were left out on purpose (a budget, or sampling): see below");
  box.className = lines.length ? "bad" : "fine";
  const left = limits().map((t) => el("li", {}, t));
  if (!lines.length) {
    fill("losses", el("p", {}, "✓ No event was lost while recording, and the file is not damaged."), left.length ? el("ul", {}, left) : null);
    return;
  }
  const gaps = section.gaps.slice(0, 12).map((g) => el("li", {}, el("button", { class: "link", type: "button", onclick: () => jump(g.first, [g.last]) },
    section.times ? `${stamp(g.first)} s + ${duration(g.x1 - g.x0)}` : `events ${g.first} to ${g.last}`), ` CPU ${g.cpu === null ? "?" : g.cpu}: ${plural(g.count, "event")}`));
  fill("losses", el("h2", {}, "Not everything is here"), el("ul", {}, lines.map((t) => el("li", {}, t)), left),
    gaps.length ? el("details", {}, el("summary", {}, `${plural(l.gaps.all, "gap")} in time`), el("ul", {}, gaps)) : null);
}

function card(value, label, path, raw) {
  return el("div", { class: "card" }, el("b", { "data-path": path, "data-value": raw === undefined || raw === null ? null : String(raw) }, value), el("span", {}, label));
}

// Of what a trace may have beside jobs: where the number is, what it is, how it is shown.
const THINGS = [
  ["calls.calls", "calls of functions", count], ["allocations.stages.0.count", "buffers that programs asked for", count], ["allocations.stages.0.bytes", "asked for, in all", size],
  ["allocations.mappings.map_page", "mappings of 4 KiB pages", count], ["power.boots", "firmware boots", count], ["firmware.interrupts", "interrupts of the NPU", count],
  ["amdgpu.jobs.submitted", "jobs given to amdgpu", count], ["amdgpu.buffers.created.count", "buffers created", count], ["amdgpu.buffers.created.bytes", "in these buffers", size],
  ["amdgpu.interrupts.count", "interrupts", count], ["i915.objects.created", "objects created", count], ["i915.objects.peak_bytes", "held at most", size],
  ["fences.waits", "waits for fences", count],
];

// Tiles say what the trace has: one whose number is not known is left out.
function drawCards() {
  const s = state.section.stats, t = s.total;
  if (!t) return;
  const summed = (key, how, label) => {
    const found = figure(t, key), value = at(t, found.key), text = value === null || value === undefined ? "-" : figureText(t, found, how);
    return text === "-" ? null : card(text, label, `total.${found.key}`, value);
  };
  const thing = ([path, label, how]) => (Number(at(s, path)) ? card(how(at(s, path)), label, path, at(s, path)) : null);
  const families = s.families ? s.families.families.filter((f) => Number(f.calls)).length : 0;
  fill("cards", s.duration_ns === null ? null : card(duration(s.duration_ns), "recorded", "duration_ns", s.duration_ns),
    Number(t.jobs) ? [card(count(t.jobs), "jobs", "total.jobs", t.jobs), summed("utilisation_ppm", percent, "of the time a device was busy"),
      summed("exec_ns.p50", duration, "median execution"), summed("queue_wait_ns.p99", duration, "queue wait, 99 %")] :
      [THINGS.map(thing), families ? card(count(families), "families of calls") : null],
    card(count(s.events), "events", "events", s.events), card(count(BigInt(s.lost) + BigInt(s.missing)), "events missing", "lost", s.lost));
}

function finding(f) {
  const where = Number(f.at_ns) ? el("button", { class: "link", type: "button", "data-at": String(f.at_ns), onclick: () => jumpToFinding(f) },
    state.section.times ? `${stamp(f.at_ns)} s` : `event ${f.at_ns}`) : el("span", { class: "limits" }, "all of it");
  const evidence = Object.entries(f.evidence).map(([k, v]) => `${k} ${v}`).join(", ");
  const limited = Object.entries(f.evidence).some(([k, v]) => k.startsWith("limit") && Number(v) > 1); // as in the text of xtr stats
  return el("li", { class: f.notable ? "notable" : "", title: evidence }, el("span", { class: "sign", "aria-label": f.notable ? "to act on" : "explains" }, f.notable ? "!" : "·"),
    el("span", { class: "what" }, clean(f.text), f.rule && limited ? el("span", { class: "limits" }, ` (${f.rule})`) : null), where);
}

function drawFindings() {
  const findings = state.section.stats.findings || [], gone = state.section.stats.findings_left_out || [];
  const rest = gone.length ? [el("li", {}, el("span", { class: "sign" }, ""), el("span", { class: "what" },
    `... and ${count(gone.reduce((sum, k) => sum + Number(k.n), 0))} more: ${gone.map((k) => `${count(k.n)} ${k.id} (${k.severity})`).join(", ")}`))] : [];
  byId("findings-box").hidden = !findings.length;
  fill("findings", [...findings.map(finding), ...rest]);
}

// Of a bundle: the hang, as `xtr stats BUNDLE` begins with it.
function drawHang(lines) {
  byId("hang-box").hidden = !lines.length;
  fill("hang", lines.map((l) => el("tr", {}, el("th", { scope: "row" }, clean(l.label)), el("td", {}, clean(l.text)),
    el("td", { class: "limits" }, l.known === "told" || l.known === "not-known" ? clean(l.from || "") : `${clean(l.known)}, ${clean(l.from || "")}`))));
}

function drawLegend() {
  const section = state.section, rows = (section.stats.processes || []).slice(0, 24);
  fill("legend", rows.map((p) => {
    const square = el("i"), button = el("button", { type: "button", "aria-pressed": "false", title: `${plural(p.jobs, "job")}; show only this process` }, square,
      p.pid === null ? "process not known" : `${clean(p.name || "?")} (${whoOf(p)})`);
    square.style.background = section.colours.get(whoOf(p)) || OTHER;
    button.addEventListener("click", () => {
      state.pid = state.pid === whoOf(p) ? null : whoOf(p);
      for (const b of byId("legend").children) b.setAttribute("aria-pressed", String(b === button && state.pid !== null));
      draw();
    });
    return button;
  }));
}

// Is there something to draw in time? Without it, what it would stand in is hidden.
function hasTimeline(section) {
  return section.rings.length > 0 || section.data.marks.length > 0 || section.gaps.length > 0;
}

// How much of the file the page has.
function drawShown() {
  const d = state.section.data, all = Number(d.jobs.all), parts = [];
  if (!all)
    parts.push("The trace has no jobs.");
  else if (d.jobs.shown >= all)
    parts.push(`All ${plural(all, "job")} ${all === 1 ? "is" : "are"} shown one by one.`);
  else
    parts.push(`${count(d.jobs.shown)} of ${count(all)} jobs are shown one by one: the longest by execution, queue wait and dependency waits, the first that failed, ` +
      `and of each ring the first and every ${count(d.jobs.every)}th. Activity, heights and tables are of all jobs. Zoomed in, bars behind the jobs are the activity of all.`);
  parts.push(state.section.times && all ? `Activity is known in parts of ${duration(d.width)}: grey, at least one job on the hardware; colours, processes that execute. Below each ring: jobs that wait in its queues.` : "");
  if (d.marks_left_out) parts.push(`${count(d.marks_left_out)} more events on devices are not drawn.`);
  fill("shown", parts.join(" "));
}

function drawHead() {
  const d = state.section.data, offset = BigInt(d.realtime), facts = [];
  const name = stats.file === "-" ? "standard input" : clean(String(stats.file).replace(/^.*\//, ""));
  document.title = `${name} - xtr report`;
  byId("title").textContent = name;
  if (d.host) facts.push(clean(d.host));
  if (d.kernel) facts.push("Linux " + clean(d.kernel) + (d.machine ? " " + clean(d.machine) : ""));
  if (d.cpus) facts.push(plural(d.cpus, "CPU"));
  for (const v of d.devices.slice(0, 4))
    facts.push([v.device, v.driver, v.pci_id, v.firmware ? "firmware " + v.firmware : null].filter((x) => x).map(clean).join(" "));
  if (!Number(d.jobs.all)) facts.push("no GPU or NPU jobs");
  if (offset) facts.push("recorded " + new Date(Number(BigInt.asUintN(64, BigInt(d.from) + offset) / 1000000n)).toISOString().replace("T", " ").replace(/\..*/, " UTC"));
  byId("facts").textContent = facts.join(" · ");
  fill("foot", el("p", {}, `Made by xtr report ${clean(report.xtr)} from a recording by ${clean(d.writer)} ${clean(d.writer_version)}. Times are on the event clock (${clean(d.clock)}). ` +
    "This file needs no network and no other file."));
}

function drawSection(i) {
  Object.assign(state, { section: sections[i], selected: -1, pid: null, cursors: [], view: { from: 0, to: sections[i].span } });
  byId("job").hidden = true;
  byId("rows").scrollTop = 0;
  document.body.classList.toggle("still", !hasTimeline(state.section));
  readInk();
  for (const part of [drawHead, drawLosses, drawCards, drawFindings, drawLegend, drawShown, drawPathBox, drawFrames, fillHistRings, drawHists, drawCounters, drawTables, drawTree, drawMore])
    part();
  byId("tall").style.height = layout(state.section).height + "px";
  drawHeat();
  tellRange();
  drawNow();
}

// What tests look at: they run inside the page.
window.xtrReport = {
  sections, state, stats, show, zoom, select, jump, jumpToJob, drawNow,
  csv: (i) => state.section.fields(i),
  async frames(n) { // of n frames while zooming in and out, ms: drawing, and from one frame to the next
    const next = () => new Promise(requestAnimationFrame), drawn = [], apart = [];
    let last = await next();
    for (let i = 0; i < n; i++) {
      const begin = performance.now();
      zoom(i < n / 2 ? 0.82 : 1 / 0.82, state.section.span * 0.37);
      cancelAnimationFrame(state.frame);
      drawNow();
      drawn.push(performance.now() - begin);
      const now = await next();
      apart.push(now - last);
      last = now;
    }
    return { drawn, apart };
  },
};

function start() {
  if (sections.length > 1) {
    byId("which").hidden = false;
    fill("section", sections.map((s, i) => el("option", { value: i }, `${i + 1} of ${stats.sections.length}: ${s.times ? duration(s.span) : "no times"}, ${plural(s.data.jobs.all, "job")}`)));
    byId("section").addEventListener("change", () => drawSection(Number(byId("section").value)));
  }
  byId("hist-ring").addEventListener("change", drawHists);
  byId("heat").addEventListener("pointerdown", onHeat);
  if (!sections.length) return;
  drawHang(stats.hang || []);
  listen();
  drawSection(0);
  window.xtrReport.opened = performance.now();
}

start();
