// SPDX-License-Identifier: BSD-2-Clause
// The two documents of the page, and the varints in one of them (docs/report.md).

// JSON whose integers are exact: those that a double would round become BigInt.
function parseExact(text) {
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}/g,
    (m) => m[0] === '"' || Number.isSafeInteger(Number(m)) ? m : `"\\u0000${m}"`);
  return JSON.parse(marked, (key, value) =>
    typeof value === "string" && /^\0-?\d+$/.test(value) ? BigInt(value.slice(1)) : value);
}

function textOf(id) {
  return document.getElementById(id).textContent;
}

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++)
    bytes[i] = raw.charCodeAt(i);
  return bytes;
}

class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  get more() {
    return this.at < this.bytes.length;
  }
  // Exact below 2^53.
  next() {
    const bytes = this.bytes;
    let b = bytes[this.at++], v = b & 127, scale = 128;
    while (b > 127) {
      b = bytes[this.at++];
      v += (b & 127) * scale;
      scale *= 128;
    }
    return v;
  }
  signed() {
    const v = this.next();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }
  // A difference of 64 bits.
  exact() {
    const at = this.at, v = this.next();
    if (v < 9007199254740992)
      return BigInt(v % 2 ? -(v + 1) / 2 : v / 2);
    let big = 0n;
    for (let i = at; i < this.at; i++)
      big |= BigInt(this.bytes[i] & 127) << BigInt(7 * (i - at));
    return (big >> 1n) ^ -(big & 1n);
  }
}

const HAS = { submit: 1, queue: 2, run: 4, start: 8, done: 16, client: 32, result: 64, depWait: 128 };

function newJobs(n) {
  const jobs = { n, deps: new Array(n) };
  for (const name of ["at", "start", "run", "queue", "submit", "execMin", "execMax", "depWait"])
    jobs[name] = new Float64Array(n).fill(NaN);
  for (const name of ["ctx", "seqno", "client"])
    jobs[name] = new BigUint64Array(n);
  for (const name of ["ring", "has", "pid", "comm", "tid", "flags", "waits"])
    jobs[name] = new Uint32Array(n);
  jobs.kind = new Uint8Array(n);
  jobs.quality = new Uint8Array(n);
  jobs.error = new Int32Array(n);
  return jobs;
}

// One job; `last` has what its numbers are differences to. Times are ns from the section's begin on.
function readJob(v, jobs, i, last, qualities) {
  jobs.ring[i] = last.ring += v.next();
  const has = jobs.has[i] = v.next();
  const at = jobs.at[i] = last.at += v.signed();
  if (has & HAS.start) jobs.start[i] = at - v.signed();
  if (has & HAS.run) jobs.run[i] = at - v.signed();
  if (has & HAS.queue) jobs.queue[i] = at - v.signed();
  if (has & HAS.submit) jobs.submit[i] = at - v.signed();
  if (has & HAS.run && has & HAS.done) {
    jobs.execMax[i] = v.next();
    jobs.execMin[i] = jobs.execMax[i] - v.signed();
  }
  if (has & HAS.depWait) jobs.depWait[i] = v.next();
  jobs.ctx[i] = last.ctx = BigInt.asUintN(64, last.ctx + v.exact());
  jobs.seqno[i] = last.seqno = BigInt.asUintN(64, last.seqno + v.exact());
  if (has & HAS.client) jobs.client[i] = last.client = BigInt.asUintN(64, last.client + v.exact());
  jobs.pid[i] = v.next();
  jobs.comm[i] = v.next();
  jobs.tid[i] = v.next();
  const both = v.next();
  jobs.kind[i] = Math.floor(both / qualities);
  jobs.quality[i] = both % qualities;
  jobs.flags[i] = v.next();
  if (has & HAS.result) jobs.error[i] = v.signed();
  jobs.waits[i] = v.next();
  readDeps(v, jobs, i);
}

function readDeps(v, jobs, i) {
  const n = v.next(), deps = [];
  let ctx = jobs.ctx[i], seqno = jobs.seqno[i];
  for (let k = 0; k < n && v.more; k++) {
    ctx = BigInt.asUintN(64, ctx + v.exact());
    seqno = BigInt.asUintN(64, seqno + v.exact());
    const both = v.next(), from = jobs.at[i] - v.signed();
    deps.push({ ctx, seqno, ring: Math.floor(both / 2) - 1, scheduled: both % 2 === 1, from, until: from + v.signed() });
  }
  if (deps.length)
    jobs.deps[i] = deps;
}

function readJobs(section, qualities) {
  const v = new Varints(bytesOf(section.jobs.data)), jobs = newJobs(section.jobs.shown);
  const last = { ring: 0, at: 0, ctx: 0n, seqno: 0n, client: 0n };
  for (let i = 0; i < jobs.n; i++)
    readJob(v, jobs, i, last, qualities);
  return jobs;
}

const TOP = 4; // processes told apart in one cell

function newCells(n) {
  return { n, busy: new Float32Array(n), jobs: new Float64Array(n), queued: new Uint32Array(n), onHw: new Uint32Array(n),
    pid: new Uint16Array(n * TOP), share: new Float32Array(n * TOP) };
}

function readCells(text, n) {
  const v = new Varints(bytesOf(text)), cells = newCells(n);
  for (let i = v.next(); v.more && i < n; i += 1 + v.next()) {
    cells.busy[i] = v.next() / 255;
    cells.jobs[i] = v.next();
    cells.queued[i] = v.next();
    cells.onHw[i] = v.next();
    for (let k = 0, m = v.next(); k < m; k++) {
      cells.pid[i * TOP + k] = v.next();
      cells.share[i * TOP + k] = v.next() / 255;
    }
    if (!v.more)
      break;
  }
  return cells;
}

// The same with half as many cells.
function halve(cells) {
  const half = newCells(Math.ceil(cells.n / 2));
  for (let i = 0; i < half.n; i++) {
    const a = 2 * i, b = a + 1 < cells.n ? a + 1 : a;
    half.busy[i] = (cells.busy[a] + cells.busy[b]) / 2;
    half.jobs[i] = cells.jobs[a] + (b > a ? cells.jobs[b] : 0);
    half.queued[i] = Math.max(cells.queued[a], cells.queued[b]);
    half.onHw[i] = Math.max(cells.onHw[a], cells.onHw[b]);
    if (half.busy[i] || half.jobs[i])
      halveShares(cells, half, i, a, b);
  }
  return half;
}

function halveShares(cells, half, i, a, b) {
  let n = 0;
  for (const from of [a, b])
    for (let k = from * TOP; k < from * TOP + TOP && cells.share[k]; k++) {
      let to = i * TOP;
      while (to < i * TOP + n && half.pid[to] !== cells.pid[k])
        to++;
      if (to === i * TOP + TOP)
        continue;
      if (to === i * TOP + n)
        half.pid[i * TOP + n++] = cells.pid[k];
      half.share[to] += cells.share[k] / 2;
    }
}

function readPoints(track) {
  const v = new Varints(bytesOf(track.points)), points = [];
  let i = 0, last = 0;
  while (v.more) {
    i += v.next();
    last += v.signed();
    points.push({ i: i++, last, most: last + v.signed() });
  }
  return points;
}
