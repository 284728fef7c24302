// SPDX-License-Identifier: BSD-2-Clause
// What `xtr stats --json` says, as tables. Each number on the page has its path in that document (data-path) and
// its value there (data-value).

const at = (row, path) => path.split(".").reduce((v, key) => (v === null || v === undefined ? v : v[key]), row);

const EXECUTION = ["mean", "p50", "p90", "p99", "max"].map((name) => [`exec_ns.${name}`, name, duration]);

// Columns of tables: path, heading, how to show it. Of execution, how it is known stands where xtr stats has it.
const SUMS = [["jobs", "jobs", count], ["utilisation_ppm", "util", percent], ["busy_ns", "busy", duration],
  ["exec_max_sum_ns", "execution", duration], ...EXECUTION, ["known_as", "known as", null], ["queue_wait_ns.p50", "queue p50", duration], ["queue_wait_ns.p99", "queue p99", duration],
  ["queue_wait_ns.max", "queue max", duration], ["hw_wait_ns.p50", "hw wait p50", duration], ["hw_wait_ns.p99", "hw wait p99", duration],
  ["dep_wait_ns", "dep waits", duration], ["errors", "errors", count], ["in_queue", "unfinished", count]];
const BUSY = ["utilisation_ppm", "busy_ns"]; // upper bounds where the row says so
const TEXT = (path, heading) => [path, heading, null];
const NAME = (path, heading) => [path, heading, "name"]; // of what must have one
const JOB = [TEXT("device", "device"), TEXT("ring", "ring"), ["context", "context", String], ["seqno", "seqno", String]];

const TABLES = [
  { key: "devices", title: "Devices", columns: [NAME("device", "device"), ...SUMS] },
  { key: "rings", title: "Rings", columns: [NAME("device", "device"), ["ring", "ring", "own ring"], ...SUMS, TEXT("driver", "driver")] },
  { key: "processes", title: "Processes", columns: [NAME("name", "process"), ["pid", "pid", String], ...SUMS] },
  { key: "clients", title: "DRM clients", columns: [["client", "client", "name"], TEXT("device", "device"), ...SUMS], closed: true },
  { key: "slowest", title: "Slowest jobs", columns: [...JOB, TEXT("comm", "comm"), ["pid", "pid", String], ["done_ns", "done", null, "time"],
    ["exec_ns", "execution", duration], TEXT("quality", "known as")], job: "done_ns" },
  { key: "longest_waits", title: "Longest dependency waits", columns: [...JOB, ["dep_context", "for context", String], ["dep_seqno", "seqno", String],
    TEXT("until", "until"), ["from_ns", "from", null, "time"], ["wait_ns", "wait", duration]], job: "from_ns" },
  { key: "blockers", title: "Which ring waited for which", columns: [["ring_id", "ring", "ring"], ["blocked_by_ring_id", "waited for", "ring"], ["waits", "waits", count],
    ["sum_ns", "sum", duration], ["max_ns", "longest", duration]] },
  { key: "events_by_type", title: "Events in the trace", columns: [TEXT("name", "event"), ["type", "type", String], ["count", "count", count],
    ["left_out", "left out", count]], closed: true, first: "count" },
];
const SHOWN_ELSEWHERE = ["findings", "findings_left_out", "events", "lost", "missing", "gaps", "problems", "import_damage", "redacted", "closed", "first_ns", "last_ns", "duration_ns", "clock", "api", "tree",
  ...TABLES.map((t) => t.key)];
const ROWS_MAX = 500;

// Hows that are words: a name, a ring by its id, the name of the row's own ring.
const WORDS = ["name", "ring", "own ring"];

function cellText(section, row, value, how) {
  if (how === "own ring") return section.ringName(section.rings.find((r) => r.id === row.ring_id) || { id: row.ring_id, ring: row.ring });
  if (how === "name") return value === null || value === undefined || value === "" ? "(unknown)" : clean(value);
  if (value === null || value === undefined) return "-";
  if (how === "ring") {
    const ring = section.rings.find((r) => r.id === value);
    return ring ? section.ringPath(ring) : value ? `#${value}` : "(other fence)";
  }
  return how ? how(value) : clean(value);
}

const some = (hist) => hist && Number(hist.n) > 0;

// Where a number of a row is, and what stands in front of it: the rules of xtr stats. Without a start, residence is the
// upper bound of execution, and the sum is told by both of its bounds.
function figure(row, key) {
  const known = (path) => at(row, path) !== null && at(row, path) !== undefined;
  if (BUSY.includes(key)) return { key, before: row.busy_bounded ? AT_MOST : "" };
  if (key.startsWith("exec_ns.") && !some(row.exec_ns) && some(row.residence_ns))
    return { key: key.replace("exec_ns", "residence_ns"), before: AT_MOST };
  if (key === "exec_ns" && !known(key) && known("exec_max_ns")) return { key: "exec_max_ns", before: AT_MOST };
  if (key === "exec_max_sum_ns" && known(key)) {
    const least = duration(row.exec_min_sum_ns);
    return { key, before: least === duration(row[key]) ? "" : `${least}..`, none: !some(row.residence_ns) };
  }
  const hist = key.includes(".") ? row[key.split(".")[0]] : null; // quantiles of nothing
  return { key, before: "", none: hist && !some(hist) };
}

// A bound of more than all is all.
function figureText(row, { key, before, none }, how) {
  if (none) return "-";
  const text = how(at(row, key));
  return before + (key === "utilisation_ppm" && before && text.startsWith(">") ? "100" + THIN + "%" : text);
}

function tableCell(section, row, column, path, job) {
  const [wanted, , how, special] = column, found = figure(row, wanted), { key } = found, value = at(row, key), known = value !== null && value !== undefined;
  const attributes = { "data-path": `${path}.${key}`, "data-value": known ? String(value) : null, title: known && how === duration ? `${count(value)} ns` : null };
  if (special === "time" && known)
    return el("td", attributes, el("button", { class: "link", type: "button",
      onclick: () => (job ? jumpToJob(row.context, row.seqno, value) : jump(value)) }, stamp(value)));
  attributes.class = key === "known_as" ? "text reason" : how === null || WORDS.includes(how) ? "text" : key === "errors" && Number(value) ? "bad" : key === "utilisation_ppm" ? "util" : "";
  const text = known && typeof how === "function" && key !== "pid" ? figureText(row, found, how) : cellText(section, row, key === "pid" ? whoOf(row) : value, how);
  return el("td", attributes, key === "utilisation_ppm" && known ? utilBar(value) : null, text);
}

function utilBar(ppm) {
  const bar = el("i");
  bar.style.width = Math.min(100, Number(ppm) / 10000) + "%";
  return bar;
}

// A click on a heading sorts, another one the other way round.
function sortBy(body, head, heads, column) {
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const h of heads) h.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (tr) => { const v = tr.cells[column].dataset.value; return v === undefined ? null : v !== "" && !isNaN(v) ? Number(v) : v; };
  const order = (a, b) => (a === b ? 0 : a === null ? -1 : b === null ? 1 : typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1);
  body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * order(value(a), value(b))));
}

function grid(section, columns, rows, path, job) {
  const body = el("tbody", {}, rows.slice(0, ROWS_MAX).map((row, i) => el("tr", {}, columns.map((c) => tableCell(section, row, c, `${path}.${i}`, job)))));
  const heads = columns.map(([, heading, how]) => el("th", { scope: "col", tabindex: "0", class: how === null || WORDS.includes(how) ? "text" : "" }, heading));
  heads.forEach((head, i) => {
    head.addEventListener("click", () => sortBy(body, head, heads, i));
    head.addEventListener("keydown", (e) => { if (e.key === "Enter") sortBy(body, head, heads, i); });
  });
  return [el("div", { class: "scroll" }, el("table", { class: "grid" }, el("thead", {}, el("tr", {}, heads)), body)),
    rows.length > ROWS_MAX ? el("p", { class: "note" }, `${count(ROWS_MAX)} of ${count(rows.length)} rows; all are in the page's data`) : null];
}

function used(columns, rows) {
  return columns.filter(([key]) => rows.some((row) => { const v = at(row, figure(row, key).key); return v !== null && v !== undefined && v !== ""; }));
}

function tableBox(section, table) {
  const rows = section.stats[table.key] || [];
  if (!rows.length) return null;
  const columns = used(table.columns, rows), parts = grid(section, columns, rows, table.key, table.job);
  if (table.first) parts[0].querySelectorAll("th")[columns.findIndex(([key]) => key === table.first)].click();
  return el("details", { open: !table.closed }, el("summary", {}, el("b", {}, table.title), ` (${count(rows.length)})`), parts);
}

function drawTables() {
  const section = state.section, boxes = TABLES.map((t) => tableBox(section, t)).filter((b) => b);
  fill("tables", boxes.length ? [el("h2", {}, "Statistics"), el("p", { class: "note" },
    "The numbers of xtr stats; the manual of xtr-stats says what each is. A click on a heading sorts; exact values are shown when the pointer rests on a number."), boxes] : []);
}

// --- sections that only some traces have -----------------------------------------------------------

const isHist = (v) => v !== null && typeof v === "object" && "p50" in v && "n" in v;
const isPlain = (v) => v === null || typeof v !== "object";

// Does a value say something? Not null, a histogram or list of nothing, or a duration where there are no times.
function says(key, value) {
  if (value === null || value === undefined) return false;
  if (isHist(value)) return Number(value.n) > 0;
  if (Array.isArray(value)) return value.length > 0;
  return !(key.endsWith("_ns") && !state.section.times && isPlain(value) && !AT_TIME.test(key));
}

function plain(key, value) {
  if (!says(key, value)) return isHist(value) || Array.isArray(value) ? "none" : "-";
  if (isHist(value)) return `${count(value.n)}: median ${amount(key, value.p50)}, 99 % within ${amount(key, value.p99)}, most ${amount(key, value.max)}`;
  if (isPlain(value)) return amount(key, value);
  return Array.isArray(value) ? value.map((v) => (isPlain(v) ? clean(v) : `(${plain("", v)})`)).join(", ") :
    Object.entries(value).map(([k, v]) => `${words(k)}: ${plain(k, v)}`).join(", ");
}

function amount(key, value) {
  if (value === true || value === false) return value ? "yes" : "no";
  if (typeof value !== "number" && typeof value !== "bigint") return NAMED.includes(key) ? words(value) : clean(value);
  const unit = unitOf(key);
  return unit ? unit.show(value) : count(value);
}

// Texts, and lists of them: cut at the width of a column, whole where the pointer rests.
const isText = (rows, key) => rows.some((r) => typeof r[key] === "string" || Array.isArray(r[key]));

function moreCell(key, row, text) {
  const shown = key in row ? plain(key, row[key]) : "";
  return el("td", { class: text ? "text" : "", title: text && shown.length > 40 ? shown : null }, shown);
}

function objectsTable(rows) {
  const some = rows.slice(0, ROWS_MAX), keys = [...new Set(some.flatMap((r) => Object.keys(r)))].filter((k) => some.some((r) => says(k, r[k])));
  return [el("div", { class: "scroll" }, el("table", { class: "grid" }, el("thead", {}, el("tr", {}, keys.map((k) => el("th", { class: isText(some, k) ? "text" : "" }, words(k))))),
    el("tbody", {}, some.map((r) => el("tr", {}, keys.map((k) => moreCell(k, r, isText(some, k)))))))),
  rows.length > ROWS_MAX ? el("p", { class: "note" }, `${count(ROWS_MAX)} of ${count(rows.length)} rows; all are in the page's data`) : null];
}

function anything(value) {
  const parts = [], scalars = Object.entries(value).filter(([, v]) => isPlain(v) || isHist(v));
  const known = scalars.filter(([k, v]) => says(k, v)), unknown = scalars.filter(([k, v]) => !says(k, v));
  if (known.length)
    parts.push(el("dl", { class: "fields" }, known.map(([k, v]) => el("div", {}, el("dt", {}, words(k)), el("dd", {}, plain(k, v))))));
  if (unknown.length)
    parts.push(el("p", { class: "note" }, `Not in the trace: ${unknown.map(([k]) => words(k)).join("; ")}.`));
  for (const [k, v] of Object.entries(value)) {
    if (isPlain(v) || isHist(v) || !says(k, v)) continue;
    parts.push(el("h3", {}, words(k)));
    if (Array.isArray(v)) parts.push(isPlain(v[0]) || Array.isArray(v[0]) ? el("p", {}, plain(k, v.slice(0, 100))) : objectsTable(v));
    else parts.push(...anything(v));
  }
  return parts;
}

// Rows of the longest table that is open from the beginning, where a trace has nothing but such sections.
const OPEN_ROWS = 40;

const longest = (v) => (isPlain(v) || (Array.isArray(v) && isPlain(v[0])) ? 0 : Math.max(Array.isArray(v) ? v.length : 0, ...Object.values(v).map(longest)));

// A box is filled when it is opened.
function moreBox(key, value, open) {
  const box = el("details", { open, "data-key": key }, el("summary", {}, SECTION_TITLES[key] || words(key)));
  const fillBox = () => { if (box.children.length === 1) box.append(...(Array.isArray(value) ? objectsTable(value) : anything(value)).flat().filter((part) => part)); };
  if (open) fillBox();
  box.addEventListener("toggle", fillBox);
  return box;
}

function drawMore() {
  const section = state.section, jobs = Number(at(section.stats, "total.jobs"));
  const rest = Object.entries(section.stats).filter(([k, v]) => !SHOWN_ELSEWHERE.includes(k) && v !== null && typeof v === "object" && (jobs || k !== "total"));
  byId("more-box").hidden = !rest.length;
  fill("more", rest.map(([k, v]) => moreBox(k, v, !jobs && k !== "anomalies" && longest(v) <= OPEN_ROWS)));
}

// --- calls: the tree of the NPU's API --------------------------------------------------------------

const TREE_MAX = 3000;

function treeNode(node, children, whole) {
  const below = children.get(node.node) || [], name = (node.module ? clean(node.module) + ": " : "") + clean(node.name === null ? "(others)" : node.name);
  const bar = el("span", { class: "share" }), share = whole ? Math.min(1, Number(node.total_ns) / whole) : 0;
  bar.style.width = Math.max(1, share * 120) + "px";
  const number = (key, text) => {
    const raw = at(node, key);
    return el("span", { "data-path": `${node.path}.${key}`, "data-value": raw === undefined || raw === null ? null : String(raw) }, text);
  };
  const jobs = node.attributed && node.attributed.jobs ? [", ", number("attributed.jobs", plural(node.attributed.jobs, "job")), " executed ",
    number("attributed.exec_ns", duration(node.attributed.exec_ns))] : [];
  const line = [name, el("span", { class: "time" }, number("calls", plural(node.calls, "call")), ", ", number("total_ns", duration(node.total_ns)), ", self ",
    number("self_ns", duration(node.self_ns)), jobs), bar];
  if (!below.length)
    return el("div", { class: "leaf" }, line);
  return el("details", { open: node.depth < 2 }, el("summary", {}, line), below.map((b) => treeNode(b, children, whole)));
}

function drawTree() {
  const stats = state.section.stats, map = stats.api || stats.tree, from = stats.api ? "api" : "tree";
  const nodes = map && map.tree ? map.tree.slice(0, TREE_MAX).map((n, i) => ({ ...n, path: `${from}.tree.${i}` })) : [];
  byId("tree-box").hidden = !nodes.length;
  if (!nodes.length) return;
  const children = new Map(), roots = nodes.filter((n) => n.parent === null);
  for (const n of nodes)
    if (n.parent !== null) {
      if (!children.has(n.parent)) children.set(n.parent, []);
      children.get(n.parent).push(n);
    }
  byId("h-tree").textContent = stats.api ? "Library calls, and what the kernel did inside" : "Kernel functions";
  byId("tree-note").textContent = "Time of a call includes what it called. Jobs are attributed, not nested." +
    (map.tree.length > TREE_MAX ? ` ${count(TREE_MAX)} of ${count(map.tree.length)} nodes are shown.` : "");
  const whole = Math.max(...roots.map((n) => Number(n.total_ns)), 1);
  fill("tree", roots.map((n) => treeNode(n, children, whole)));
}
