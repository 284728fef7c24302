// SPDX-License-Identifier: BSD-2-Clause
// What screens showed: a bar for each frame, as high as the time from the one before; a press tells of it (docs/frames.md).

const FRAME_COLOURS = { "on-time": "#59a14f", missed: "#e15759", "late-start": "#f28e2b", "not-known": "#b07aa1" };
const FRAMES_DRAWN = 1200; // of a screen: of more, the late ones and as many others as there is room for

function readFrame([number, stream, crtc, from, shown, latency, verdict, missed, jobs, who, ctx, seqno, reason, ns, of, ring]) {
  return { number, stream, crtc, from, shown, latency, verdict, missed, jobs, who, ctx, seqno, reason, ns, of, ring, interval: shown - from };
}

function framesOf(section) {
  section.frames ??= section.data.frames.map(readFrame);
  return section.frames;
}

const isLate = (f) => f.reason !== "";

function reasonText(section, f) {
  const ring = ringText(section, f.ring);
  return `${f.reason} ${duration(f.ns)}${f.of ? ` of ${clean(f.of)}` : ""}${ring ? ` on ${ring}` : ""}`;
}

function frameText(section, f) {
  const passed = f.missed ? `, ${plural(f.missed, "deadline")} passed` : "";
  return `Frame ${count(f.number)}: ${f.verdict}${passed}, ${duration(f.interval)} after the one before${isLate(f) ? `: ${reasonText(section, f)}` : ""}`;
}

function tellFrame(section, f) {
  const i = f.ctx === "0" && f.seqno === "0" ? -1 : section.find(f.ctx, f.seqno), job = `${f.ctx}:${f.seqno}`;
  const facts = [f.latency ? `${duration(f.latency)} from its first submission until it was shown` : null, f.jobs ? plural(f.jobs, "job") : null,
    f.who ? `its last job is ${clean(f.who)}'s` : "which jobs it took is not known"].filter((x) => x);
  fill("frame", el("p", { "data-frame": f.number }, frameText(section, f), "; ", facts.join(", "), ". ",
    i >= 0 ? el("button", { class: "link", type: "button", onclick: () => select(i, true) }, `Job ${job}`) : null, " ",
    el("button", { class: "link", type: "button", onclick: () => show(Math.max(0, f.from - f.interval), f.shown + f.interval) }, "Show it in the timeline")));
}

// Late ones all, others evenly.
function drawn(frames) {
  if (frames.length <= FRAMES_DRAWN) return frames;
  const others = frames.filter((f) => !isLate(f)).length, every = Math.ceil(others / Math.max(1, FRAMES_DRAWN - (frames.length - others)));
  let n = 0;
  return frames.filter((f) => isLate(f) || n++ % every === 0);
}

function frameStrip(section, frames) {
  const some = drawn(frames), most = Math.max(1, ...some.filter((f) => f.verdict !== "resumed").map((f) => f.interval)), W = Math.max(320, some.length * 6), H = 64;
  const bars = some.map((f, i) => {
    const h = Math.max(3, Math.min(1, f.interval / most) * H);
    const bar = svg("rect", { x: i * (W / some.length), y: H - h, width: Math.max(1, W / some.length - 1), height: h, fill: FRAME_COLOURS[f.verdict] || "#9aa0a6",
      tabindex: isLate(f) ? 0 : -1, role: "button", "data-frame": f.number, "data-verdict": f.verdict, "aria-label": frameText(section, f) },
    svg("title", {}, frameText(section, f)));
    bar.addEventListener("click", () => tellFrame(section, f));
    bar.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      tellFrame(section, f);
    });
    return bar;
  });
  return el("div", { class: "frames" }, svg("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "group", "aria-label": "Frames" }, ...bars));
}

function screenPanel(section, frames) {
  const late = frames.filter(isLate), reasons = new Map(), f = frames[0];
  for (const one of late) {
    const key = `${one.verdict}: ${one.reason}${one.of ? ` of ${clean(one.of)}` : ""}`;
    reasons.set(key, (reasons.get(key) || 0) + 1);
  }
  const lines = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([text, n]) => el("li", { "data-n": n }, `${plural(n, "frame")} ${text}`));
  return el("div", { "data-stream": f.stream }, el("h3", {}, `CRTC ${f.crtc}${f.who ? `, ${clean(f.who)}` : ""}: ${plural(frames.length, "frame")}, ${count(late.length)} late`),
    frameStrip(section, frames), lines.length ? el("ul", { class: "sums" }, lines) : null);
}

function drawFrames() {
  const section = state.section, all = framesOf(section), streams = new Map(), left = Number(section.data.frames_left_out);
  byId("frames-box").hidden = !all.length;
  fill("frame");
  for (const f of all) {
    if (!streams.has(f.stream)) streams.set(f.stream, []);
    streams.get(f.stream).push(f);
  }
  fill("frames-note", "Each bar is a picture that a screen showed, as high as the time since the one before. Green was in time, red missed its vblank, orange was begun too late. ",
    left ? `${count(left)} more that were in time are not on this page.` : "");
  fill("frames", [...streams.values()].slice(0, 16).map((frames) => screenPanel(section, frames)));
}
