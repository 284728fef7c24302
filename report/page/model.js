// SPDX-License-Identifier: BSD-2-Clause
// The sections of the page as objects: rings with their cells and jobs, processes with their colours.

const PALETTE = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2", "#d4b12c", "#ff8f9c", "#9c755f", "#5fa8d3",
  "#8cd17d", "#d37295"];
const OTHER = "#8a949e";
const LANES_MAX = 4;

const stats = parseExact(textOf("xtr-stats"));
const report = JSON.parse(textOf("xtr-data")); // its large numbers are texts

// Which process: its number, or "4711#2" for the second one that was given it, as xtr prints it.
const whoOf = (p) => (p.pid_nth ? `${p.pid}#${p.pid_nth}` : p.pid);

// Colours go to the processes that executed longest.
function coloursOf(rows) {
  const colours = new Map();
  (rows || []).forEach((p) => {
    if (p.pid !== null && colours.size < PALETTE.length)
      colours.set(whoOf(p), PALETTE[colours.size]);
  });
  return colours;
}

class Section {
  constructor(data, figures) {
    this.data = data;
    this.stats = figures || {};
    this.from = BigInt(data.from);
    this.span = Math.max(1, Number(BigInt(data.to) - this.from));
    this.times = data.times;
    this.width = Number(data.width);
    this.colours = coloursOf(this.stats.processes);
    this.names = new Map((this.stats.processes || []).map((p) => [whoOf(p), p.name]));
    this.jobs = readJobs(data, report.qualities.length);
    this.rings = data.rings.map((r) => ({ ...r, levels: [readCells(r.cells, data.bins)], list: [], lanes: 1 }));
    this.ringAt = new Map(this.rings.map((r) => [r.index, r]));
    this.placeJobs();
    this.rings = this.rings.filter((r) => r.jobs || r.levels[0].busy.some((b) => b));
    for (const r of this.rings) {
      while (r.levels[r.levels.length - 1].n > 256)
        r.levels.push(halve(r.levels[r.levels.length - 1]));
      r.all = Number(r.jobs) === r.list.length;
    }
    const order = new Intl.Collator(undefined, { numeric: true }).compare;
    this.rings.sort((a, b) => order(a.device, b.device) || order(a.ring, b.ring) || a.id - b.id);
    this.gaps = data.losses.gaps.list.map((g) => ({ ...g, x0: this.rel(g.first), x1: this.rel(g.last) }));
  }
  rel(time) {
    return Number(BigInt(time) - this.from);
  }
  abs(rel) {
    return this.from + BigInt(Math.round(rel));
  }
  pidOf(index) {
    return this.data.pids[index] || null;
  }
  colour(index) {
    return this.colours.get(this.pidOf(index)) || OTHER;
  }
  processName(index) {
    const pid = this.pidOf(index);
    return pid === null ? "process not known" : `${clean(this.names.get(pid) || "?")} (${pid})`;
  }
  // What a job takes on its ring: begin, end, and whether that is known.
  extent(i) {
    const j = this.jobs, has = j.has[i], bounded = report.qualities[j.quality[i]] === "bounded";
    if (has & HAS.done && has & HAS.run)
      return { x0: has & HAS.start && !bounded ? j.start[i] : j.run[i], x1: j.at[i], open: false, bounded };
    if (has & HAS.run)
      return { x0: j.run[i], x1: this.span, open: true, bounded };
    if (has & HAS.done)
      return { x0: j.at[i], x1: j.at[i], open: true, bounded };
    return { x0: j.at[i], x1: j.at[i], open: true, bounded };
  }
  placeJobs() {
    const n = this.jobs.n;
    this.x0 = new Float64Array(n);
    this.x1 = new Float64Array(n);
    this.lane = new Uint8Array(n);
    this.open = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      const e = this.extent(i), ring = this.ringAt.get(this.jobs.ring[i]);
      this.x0[i] = e.x0;
      this.x1[i] = e.x1;
      this.open[i] = e.open ? 1 : e.bounded ? 2 : 0;
      if (ring)
        ring.list.push(i);
    }
    for (const ring of this.rings)
      this.placeOn(ring);
  }
  // The first lane that is free from x0 on; unfinished jobs take none, as they would take it for ever.
  freeLane(ends, x0, x1) {
    let lane = ends.findIndex((end) => end <= x0);
    if (lane < 0)
      lane = ends.length < LANES_MAX ? ends.length : LANES_MAX - 1;
    ends[lane] = Math.max(x1, ends[lane] || 0);
    return lane;
  }
  // In order of begin; side by side where they overlap.
  placeOn(ring) {
    const ends = [], x0 = this.x0, x1 = this.x1;
    ring.list.sort((a, b) => x0[a] - x0[b] || x1[a] - x1[b]);
    ring.reach = new Float64Array(ring.list.length);
    let reach = -Infinity;
    ring.list.forEach((i, k) => {
      if (this.open[i] !== 1)
        this.lane[i] = this.freeLane(ends, x0[i], x1[i]);
      ring.reach[k] = reach = Math.max(reach, x1[i]);
    });
    ring.lanes = Math.max(1, ends.length);
  }
  // The first of a ring's jobs that may reach past a time.
  firstIn(ring, from) {
    let low = 0, high = ring.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ring.reach[middle] < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  find(ctx, seqno) {
    if (!this.byName) {
      this.byName = new Map();
      for (let i = 0; i < this.jobs.n; i++)
        this.byName.set(`${this.jobs.ctx[i]}:${this.jobs.seqno[i]}`, i);
    }
    const i = this.byName.get(`${ctx}:${seqno}`);
    return i === undefined ? -1 : i;
  }
  // What a job does at a time: 3 waits for a fence, 2 waits otherwise before it runs, 1 runs, 0 nothing.
  doing(i, t) {
    const j = this.jobs, begin = j.has[i] & HAS.queue ? j.queue[i] : this.x0[i];
    if (t < begin || t > this.x1[i]) return 0;
    if ((j.deps[i] || []).some((d) => d.from <= t && t <= d.until)) return 3;
    return !(j.has[i] & HAS.run) || t < j.run[i] ? 2 : 1;
  }
  // Of the jobs of the ring with this id, the one that waits at a time, or else runs. -1: none that is shown.
  jobAt(id, t) {
    const ring = this.rings.find((r) => Number(r.id) === Number(id));
    let best = -1, most = 0;
    for (const i of ring ? ring.list : []) {
      const doing = this.doing(i, t);
      if (doing > most) [best, most] = [i, doing];
    }
    return best;
  }
  ringName(ring) {
    if (!ring) return "(other fence)";
    const twins = this.rings.filter((r) => r.device === ring.device && r.ring === ring.ring).length > 1;
    return (clean(ring.ring) || (ring.id ? "" : "(unknown)")) + (twins || (ring.id && !ring.ring) ? `#${ring.id}` : "");
  }
  // With its device, where a ring of another one has the same name.
  ringPath(ring) {
    const shared = ring && this.rings.some((r) => r.device !== ring.device && r.ring === ring.ring);
    return (shared && ring.device ? clean(ring.device) + "/" : "") + this.ringName(ring);
  }
  // What a job executed at most, where its start is not known; "" where nothing is.
  execBound(i) {
    const j = this.jobs, resided = j.has[i] & HAS.run && j.has[i] & HAS.done;
    return this.times && resided && report.qualities[j.quality[i]] === "bounded" ? AT_MOST + duration(j.execMax[i]) : "";
  }
  // A job as `xtr jobs --csv` has it: column, value as there, and for people.
  fields(i) {
    const j = this.jobs, has = j.has[i], ring = this.ringAt.get(j.ring[i]);
    const time = (bit, v) => (this.times && has & bit ? String(this.abs(v)) : "");
    const span = (known, v) => (this.times && known ? String(v) : "");
    const resided = has & HAS.run && has & HAS.done, bounded = report.qualities[j.quality[i]] === "bounded";
    const values = {
      device: ring.device, ring: ring.ring, context: String(j.ctx[i]), seqno: String(j.seqno[i]),
      client: has & HAS.client ? String(j.client[i]) : "",
      pid: has & HAS.queue && this.pidOf(j.pid[i]) ? String(this.pidOf(j.pid[i])).split("#")[0] : "",
      process: has & HAS.queue && this.pidOf(j.pid[i]) ? String(this.pidOf(j.pid[i])) : "",
      tid: has & HAS.queue ? String(j.tid[i]) : "", comm: this.data.comms[j.comm[i]] || "", kind: report.kinds[j.kind[i]],
      submit_ns: time(HAS.submit, j.submit[i]), queue_ns: time(HAS.queue, j.queue[i]), run_ns: time(HAS.run, j.run[i]),
      start_ns: time(HAS.start, j.start[i]), done_ns: time(HAS.done, j.at[i]),
      residence_ns: span(resided, j.at[i] - j.run[i]),
      exec_ns: span(has & HAS.start && has & HAS.done && !bounded, j.at[i] - j.start[i]),
      queue_wait_ns: span(has & HAS.queue && has & HAS.run, j.run[i] - j.queue[i]),
      hw_wait_ns: span(has & HAS.run && has & HAS.start, j.start[i] - j.run[i]),
      dep_wait_ns: span(has & HAS.depWait, j.depWait[i]),
      quality: report.qualities[j.quality[i]],
      flags: report.flags.filter((_, bit) => Math.floor(j.flags[i] / 2 ** bit) % 2).join("|"),
    };
    return values;
  }
}

const sections = report.sections.map((s) => new Section(s, stats.sections[s.index]));

const TIMES = ["submit_ns", "queue_ns", "run_ns", "start_ns", "done_ns"];

// A value of a job, or of a table, for people.
function shown(section, column, value) {
  if (value === "") return "-";
  if (TIMES.includes(column)) return `${stamp(value)} s`;
  if (column.endsWith("_ns")) return duration(value);
  return clean(value);
}
