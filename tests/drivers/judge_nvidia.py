# SPDX-License-Identifier: BSD-2-Clause
"""What `xtr stats` must say of NVIDIA's driver (sections nvidia and xid), from a scenario's events and docs/nvidia.md alone."""

import json
import os
import re
import statistics

import playfile

SYSTEMS = ("func:nvidia", "func:nvidia_uvm", "nvidia", "nvswitch")
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/nvidia.md")
SECOND = 1_000_000_000
WINDOW = SECOND // 10
# Where times are not exact: what a median may differ by, and of how many values at least it is judged.
TOLERANCE_NS, TOLERANCE, FEWEST = 20_000, 0.05, 1

NAMES = {"open": ["nvidia_open", "nvidia_frontend_open"], "close": ["nvidia_close", "nvidia_frontend_close"],
         "ioctl": ["nvidia_unlocked_ioctl", "nvidia_frontend_unlocked_ioctl", "nvidia_ioctl"],
         "mmap": ["nvidia_mmap", "nvidia_frontend_mmap"], "poll": ["nvidia_poll", "nvidia_frontend_poll"],
         "vma_open": ["nvidia_vma_open"], "vma_release": ["nvidia_vma_release"], "fault": ["nvidia_fault"], "isr": ["nvidia_isr"],
         "isr_msix": ["nvidia_isr_msix"], "bottom_half": ["nvidia_isr_kthread_bh"], "bottom_half_msix": ["nvidia_isr_msix_kthread_bh"],
         "p2p_get_pages": ["nvidia_p2p_get_pages"], "p2p_get_pages_persistent": ["nvidia_p2p_get_pages_persistent"],
         "p2p_dma_map_pages": ["nvidia_p2p_dma_map_pages"], "suspend": ["nvidia_suspend"], "resume": ["nvidia_resume"],
         "report": ["nv_report_error"]}
UVM = {"uvm_open": "uvm_open_entry", "uvm_ioctl": "uvm_unlocked_ioctl_entry", "uvm_mmap": "uvm_mmap_entry"}
HANDLERS = ("isr", "isr_msix", "bottom_half", "bottom_half_msix")
CLASSES = {0xc56f: "GPFIFO channel (Ampere)", 0xc36f: "GPFIFO channel (Volta)", 0xc46f: "GPFIFO channel (Turing)", 0: "root"}
CONTROLS = {0x20800102: "GPU_GET_INFO_V2", 0x20800403: "TIMER_GET_TIME", 0x2080012f: "GPU_QUERY_ECC_STATUS", 0x20800110: "GPU_GET_NAME_STRING"}


# --- the tables of docs/nvidia.md --------------------------------------------------------------------------------

def documents():
    """Names of ioctls by number; (meaning, action) of Xids; severity of actions."""
    ioctls, xids, severities = {}, {}, {}
    with open(DOCS, encoding="utf-8") as f:
        rows = [[c.strip() for c in line.strip().strip("|").split(" | ")] for line in f if line.startswith("|")]
    for row in rows:
        if re.match(r"0x[0-9a-f]{2}$", row[0]):
            cells = re.split(r"\s*\|\s*", " | ".join(row))
            for number, name in zip(cells[::2], cells[1::2]):
                if number:
                    ioctls[int(number, 16)] = name
        elif re.match(r"\d+([-, ]|$)", row[0]) and len(row) >= 3:
            for part in row[0].split(", "):
                first, _, last = part.partition("-")
                for code in range(int(first), int(last or first) + 1):
                    xids[code] = row[-1].strip("| ")
        elif re.match(r"`[a-z-]+`$", row[0]) and row[-1] in ("notable", "an explanation, not notable"):
            for action in row[1].split(", "):
                severities[action] = (row[0].strip("`"), row[-1] == "notable")
    return ioctls, xids, severities


IOCTLS, XIDS, SEVERITIES = documents()


# --- calls -------------------------------------------------------------------------------------------------------

class Call:
    def __init__(self, role, event, paired):
        self.role, self.e, self.begin, self.paired = role, event, event.t_ns, paired
        self.end = self.ret = None
        self.nested = False

    def ns(self):
        return self.end - self.begin


def owner(e):
    return ("cpu", e.cpu) if e.get("context", "task") in ("hardirq", "softirq", "nmi", 1, 2, 3) else ("tid", e.tid)


def calls_of(events):
    """Calls with their begin and end, in order of their begins; what they say about losses is not looked at."""
    there = {e.event for e in events}
    role_of = {}
    for role, names in NAMES.items():
        for name in names:
            if f"func:nvidia:{name}" in there:
                role_of[f"func:nvidia:{name}"] = role
                break
    role_of.update({f"func:nvidia_uvm:{name}": role for role, name in UVM.items()})
    calls, open_calls = [], {}
    for e in events:
        base = e.event.removesuffix(":ret")
        role = role_of.get(base)
        if role is None:
            continue
        key = (owner(e), role)
        if e.event != base:
            call = open_calls.pop(key, None)
            if call:
                call.end, call.ret = e.t_ns, e.get("ret", None)
            continue
        call = Call(role, e, base + ":ret" in there)
        outer = open_calls.get((owner(e), "isr_msix")) if role == "isr" else None
        call.nested = outer is not None and outer.e.get("device") == e.get("device")
        calls.append(call)
        if call.paired:
            open_calls[key] = call
    return calls


def what_is_asked(call):
    """kind, number, second or None."""
    cmd = call.e.get("cmd")
    if call.role == "uvm_ioctl":
        return "uvm", cmd, None
    if cmd >> 8 & 0xff != ord("F"):
        return "other", cmd, None
    field = {0x2a: "arg_cmd", 0x2b: "arg_class"}.get(cmd & 0xff)
    return "rm", cmd & 0xff, call.e.get(field) if field and field in call.e.types else None


def whole_name(kind, number, second):
    if kind == "uvm":
        return None
    if kind == "other":
        return f"ioctl code 0x{number:08x}"
    name = IOCTLS.get(number, f"ioctl 0x{number:02x}")
    if second is None:
        return name
    if number == 0x2a:
        return f"{name} {CONTROLS.get(second, f'command 0x{second:08x}')}"
    return None if second in range(0xc000, 0xd000) and second not in CLASSES else f"{name} {CLASSES.get(second, f'class 0x{second:04x}')}"


# --- comparing ---------------------------------------------------------------------------------------------------

class Verdicts:
    def __init__(self, exact):
        self.exact, self.all = exact, []

    def same(self, what, have, want):
        self.all.append((have == want, f"{what}: {have} of {want}"))

    def times(self, what, hist, values):
        """A HIST of these values: exact where times are, else by the median."""
        have = (hist["n"], hist["sum"], hist["min"], hist["max"])
        if self.exact or not values:
            want = (len(values), sum(values), min(values, default=0), max(values, default=0))
            self.all.append((have == want, f"{what}: n, sum, min, max {have} of {want}"))
            return
        self.all.append((hist["n"] == len(values), f"{what}: {hist['n']} of {len(values)}"))
        if len(values) >= FEWEST:
            middle = statistics.median_low(sorted(values))
            self.all.append((abs(hist["p50"] - middle) <= max(TOLERANCE_NS, middle * TOLERANCE), f"{what}: median {hist['p50']} of {middle}"))

    def durations(self, what, hist, values):
        """The same of calls: their events are recorded before and after what the truth has measured."""
        self.times(what, hist, values)
        self.all.append((hist["sum"] >= sum(values), f"{what}: {hist['sum']} in all, at least {sum(values)}"))


# --- section nvidia ----------------------------------------------------------------------------------------------

KEYS = ("opens open_errors closes closes_elsewhere closes_earlier still_open mmaps mmap_errors mmap_bytes releases released_bytes releases_earlier "
        "copies copy_bytes splits moves mapped_bytes mapped_peak_bytes mapped_copy_bytes polls faults ioctls ioctl_errors uvm_opens uvm_mmaps "
        "uvm_ioctls uvm_ioctl_errors p2p_get_pages p2p_get_pages_bytes p2p_dma_maps p2p_errors").split()


class Held:
    """Files and mappings of all processes, step by step."""

    def __init__(self, rows):
        self.rows, self.files, self.maps, self.copies = rows, {}, [], []

    def grow(self, pid, begin, end):
        self.maps.append((pid, begin, end))
        row = self.rows[pid]
        row["mapped_bytes"] += end - begin
        row["mapped_peak_bytes"] = max(row["mapped_peak_bytes"], row["mapped_bytes"])

    def shrink(self, one):
        self.maps.remove(one)
        self.rows[one[0]]["mapped_bytes"] -= one[2] - one[1]

    def open(self, call):
        row = self.rows[call.e.pid]
        if call.ret:
            row["open_errors"] += 1
            return
        row["opens"] += 1
        old = self.files.pop(call.e.get("file"), None)
        if old:
            self.rows[old[0]]["still_open"] -= 1
        self.files[call.e.get("file")] = (call.e.pid, call.e.tid)
        row["still_open"] += 1

    def close(self, call):
        who = self.files.pop(call.e.get("file"), None)
        if not who:
            self.rows[call.e.pid]["closes_earlier"] += 1
            return
        row = self.rows[who[0]]
        row["closes"] += 1
        row["closes_elsewhere"] += who[1] != call.e.tid
        row["still_open"] -= 1

    def mmap(self, call):
        row, begin, end = self.rows[call.e.pid], call.e.get("vm_start"), call.e.get("vm_end")
        if call.ret:
            row["mmap_errors"] += 1
            return
        row["mmaps"] += 1
        row["mmap_bytes"] += end - begin
        self.grow(call.e.pid, begin, end)

    def copy(self, pid, begin, end):
        first = next((c[0] for c in self.copies if c[1:] == (begin, end)), pid)
        self.copies.append((first, begin, end))
        self.rows[pid]["copies"] += 1
        self.rows[pid]["copy_bytes"] += end - begin
        self.rows[first]["mapped_copy_bytes"] += end - begin

    def vma_open(self, call):
        pid, begin, end = call.e.pid, call.e.get("vm_start"), call.e.get("vm_end")
        mine = [m for m in self.maps if m[0] == pid]
        around = [m for m in mine if m[1] <= begin and end <= m[2] and (m[1] == begin or m[2] == end)]
        if (pid, begin, end) in mine:
            self.copy(pid, begin, end)
        elif around:
            self.rows[pid]["splits"] += 1
            one = around[0]
            self.shrink(one)
            for part in ((one[1], begin), (end, one[2]), (begin, end)):
                if part[0] < part[1]:
                    self.maps.append((pid, *part))
                    self.rows[pid]["mapped_bytes"] += part[1] - part[0]
        elif any(c[1:] == (begin, end) for c in self.copies):
            self.copy(pid, begin, end)
        else:
            self.rows[pid]["moves"] += 1
            self.grow(pid, begin, end)

    def vma_release(self, call):
        pid, begin, end = call.e.pid, call.e.get("vm_start"), call.e.get("vm_end")
        row = self.rows[pid]
        row["releases"] += 1
        row["released_bytes"] += end - begin
        copy = next((c for c in self.copies if c[1:] == (begin, end)), None)
        if (pid, begin, end) in self.maps:
            self.shrink((pid, begin, end))
        elif copy:
            self.copies.remove(copy)
            self.rows[copy[0]]["mapped_copy_bytes"] -= end - begin
        else:
            row["releases_earlier"] += 1


def count_call(row, call):
    failed = bool(call.ret)
    if call.role in ("ioctl", "uvm_ioctl"):
        row[call.role + "s"] += 1
        row[call.role + "_errors"] += failed
    elif call.role in ("p2p_get_pages", "p2p_get_pages_persistent", "p2p_dma_map_pages"):
        row["p2p_errors"] += failed
        if not failed and call.role == "p2p_dma_map_pages":
            row["p2p_dma_maps"] += 1
        elif not failed:
            row["p2p_get_pages"] += 1
            row["p2p_get_pages_bytes"] += call.e.get("length")
    else:
        row[{"poll": "polls", "fault": "faults", "uvm_open": "uvm_opens", "uvm_mmap": "uvm_mmaps"}[call.role]] += 1


def process_rows(calls):
    """A row for each process. What an open, a mapping or a P2P call came to is known when it returns."""
    late = ("open", "mmap", "p2p_get_pages", "p2p_get_pages_persistent", "p2p_dma_map_pages")
    mine = [c for c in calls if c.role not in (*HANDLERS, "suspend", "resume", "report") and not (c.role in late and c.paired and c.end is None)]
    rows = {c.e.pid: dict.fromkeys(KEYS, 0) for c in mine}
    held = Held(rows)
    for call in sorted(mine, key=lambda c: c.end if c.role in late and c.paired else c.begin):
        step = getattr(held, call.role, None)
        if step:
            step(call)
        else:
            count_call(rows[call.e.pid], call)
    return {pid: row for pid, row in rows.items() if any(row.values())}


def judge_processes(v, section, calls):
    have = {p["pid"]: {k: p[k] for k in KEYS} for p in section["processes"]}
    want = process_rows(calls)
    v.same("processes", sorted(have), sorted(want))
    for pid in sorted(set(have) & set(want)):
        wrong = {k: (have[pid][k], want[pid][k]) for k in KEYS if have[pid][k] != want[pid][k]}
        v.same(f"process {pid}", wrong, {})


def judge_ioctls(v, section, calls):
    rows, errors = {}, {}
    for c in calls:
        if c.role in ("ioctl", "uvm_ioctl"):
            rows.setdefault((c.e.pid, *what_is_asked(c)), []).append(c)
        failed_late = c.role in ("open", "mmap") or c.role.startswith("p2p")
        if c.ret and (c.role in ("ioctl", "uvm_ioctl") or failed_late):
            what = what_is_asked(c) if not failed_late else ()
            key = (c.e.pid, c.role, *what, c.ret)
            errors[key] = errors.get(key, 0) + 1
    have = {(r["pid"], r["kind"], r["number"], r["second"]): r for r in section["ioctls"]}
    v.same("ioctls: rows", sorted(map(str, have)), sorted(map(str, rows)))
    for key in sorted(set(have) & set(rows), key=str):
        row, want = have[key], rows[key]
        v.same(f"ioctls {key}: calls, errors", (row["calls"], row["errors"]), (len(want), sum(bool(c.ret) for c in want)))
        v.durations(f"ioctls {key}: time", row["time_ns"], [c.ns() for c in want if c.end is not None])
        name = whole_name(*key[1:])
        if name:
            v.same(f"ioctls {key}: name", " ".join(x for x in (row["name"], row["second_name"]) if x), name)
    got = {}
    for e in section["errors"]:
        what = (e["kind"], e["number"], e["second"]) if "kind" in e else ()
        got[(e["pid"], e["call"], *what, e["ret"])] = e["calls"]
    v.same("errors", sorted(got.items(), key=str), sorted(errors.items(), key=str))


def judge_devices(v, section, calls):
    mine = [c for c in calls if c.role in HANDLERS]
    have = {d["device"]: d for d in section["devices"]}
    v.same("devices", sorted(have), sorted({c.e.get("device") for c in mine}))
    for device in sorted(have):
        all_of = {r: [c for c in mine if c.role == r and c.e.get("device") == device] for r in HANDLERS}
        outer = all_of["isr_msix"] + [c for c in all_of["isr"] if not c.nested]
        if all_of["isr_msix"] and not all_of["isr_msix"][0].paired:
            outer = all_of["isr_msix"]
        d = have[device]
        timed = [c for c in outer if c.end is not None]
        v.same(f"device {device}: interrupts, calls of both handlers, bottom halves",
               (d["interrupts"], d["isr_msix"], d["isr"], d["isr_nested"], d["bottom_halves"], d["bottom_halves_msix"]),
               (len(outer), len(all_of["isr_msix"]), len(all_of["isr"]), sum(c.nested for c in all_of["isr"]),
                len(all_of["bottom_half"]), len(all_of["bottom_half_msix"])))
        v.same(f"device {device}: not ours, wanted", (d["not_ours"], d["wanted_bottom_half"]),
               (sum(c.ret == 0 for c in timed), sum(c.ret is not None and c.ret & 2 != 0 for c in timed)))
        kind = "isr_msix" if all_of["isr_msix"] else "isr"
        v.durations(f"device {device}: time", d["time_ns"], [c.ns() for c in timed if c.role == kind])
        halves = sorted(all_of["bottom_half"] + all_of["bottom_half_msix"], key=lambda c: c.begin)
        v.durations(f"device {device}: bottom half", d["bottom_half_ns"], [c.ns() for c in halves if c.end is not None])
        waits, last = [], 0
        for half in halves:
            # A request counts from its return on: before that nobody can have woken the thread.
            asked = [c for c in timed if c.ret is not None and c.ret & 2 and last <= c.end <= half.begin]
            if asked:
                waits.append(half.begin - min(c.begin for c in asked))
            last = half.begin
        if all(c.paired for c in outer):
            v.times(f"device {device}: until the bottom half", d["until_bottom_half_ns"], waits)


def judge_power(v, section, calls):
    mine = [c for c in calls if c.role in ("suspend", "resume")]
    have = {p["device"]: p for p in section["power"]}
    v.same("power: devices", sorted(have), sorted({c.e.get("device") for c in mine}))
    for device, p in sorted(have.items()):
        one = [c for c in mine if c.e.get("device") == device]
        suspends, resumes = [c for c in one if c.role == "suspend"], [c for c in one if c.role == "resume"]
        away, after_failure = [], 0
        for c in resumes:
            before = [s for s in suspends if s.end is not None and s.end <= c.begin]
            last = max(before, key=lambda s: s.end, default=None)
            if last is None or any(last.end <= r.begin < c.begin for r in resumes):
                continue
            if last.ret:
                after_failure += 1
            else:
                away.append(c.begin - last.end)
        v.same(f"power {device}", (p["suspends"], p["suspend_errors"], p["resumes"], p["resume_errors"], p["resumes_after_failure"]),
               (len(suspends), sum(bool(c.ret) for c in suspends), len(resumes), sum(bool(c.ret) for c in resumes), after_failure))
        v.durations(f"power {device}: suspend", p["suspend_ns"], [c.ns() for c in suspends if c.end is not None])
        v.durations(f"power {device}: resume", p["resume_ns"], [c.ns() for c in resumes if c.end is not None])
        v.times(f"power {device}: away", p["away_ns"], away)


# --- findings ----------------------------------------------------------------------------------------------------

def storms(times, per_second):
    """Most in one window of a tenth of a second, and how many windows have more than the limit."""
    counts = {}
    for t in times:
        counts[(t - times[0]) // WINDOW] = counts.get((t - times[0]) // WINDOW, 0) + 1
    over = [n for n in counts.values() if n > per_second // 10]
    return max(over, default=0), len(over)


def judge_storms(v, findings, calls):
    want = []
    for pid in sorted({c.e.pid for c in calls if c.role in ("ioctl", "uvm_ioctl")}):
        worst, windows = storms([c.begin for c in calls if c.role in ("ioctl", "uvm_ioctl") and c.e.pid == pid], 100_000)
        if worst:
            want.append(("ioctl-storm", pid, worst, windows))
    handlers = [c for c in calls if c.role in ("isr", "isr_msix") and not c.nested]
    for device in sorted({c.e.get("device") for c in handlers}):
        worst, windows = storms([c.begin for c in handlers if c.e.get("device") == device], 10_000)
        if worst:
            want.append(("nvidia-interrupt-storm", device, worst, windows))
    have = []
    for f in findings:
        e = f["evidence"]
        if f["id"] in ("ioctl-storm", "nvidia-interrupt-storm"):
            key, n = ("pid", "ioctls") if f["id"] == "ioctl-storm" else ("device", "interrupts")
            have.append((f["id"], e[key], e[n], e["windows"]))
    if v.exact:
        v.same("storms", sorted(have), want)
    else:  # where a window ends is a matter of time
        v.same("storms", [x[:2] for x in sorted(have)], [x[:2] for x in want])


# --- section xid -------------------------------------------------------------------------------------------------

def meaning(code, sxid):
    """severity, action, notable."""
    action = None if sxid else XIDS.get(code)
    return (*SEVERITIES[action][:1], action, SEVERITIES[action][1]) if action is not None else ("unknown", None, True)


def reported(events, calls):
    """Xids and SXids: the tracepoint where the trace has it, else the function."""
    names = {e.event for e in events}
    out = []
    for e in events:
        if e.event in ("nvidia:nvidia_dev_xid", "nvswitch:nvswitch_dev_sxid"):
            out.append((e, e.text("dev"), e.get("error_code"), e.system == "nvswitch"))
        elif e.event == "func:nvidia:nv_report_error" and "nvidia:nvidia_dev_xid" not in names:
            out.append((e, hex(e.get("device")), e.get("xid"), False))
    return out


def running(calls, e, roles, on_cpu):
    """The call of one of these roles in which this event happened."""
    for c in calls:
        inside = c.begin <= e.t_ns and (c.end is None or c.end >= e.t_ns) and c.paired
        if c.role in roles and inside and (owner(c.e) == ("cpu", e.cpu) if on_cpu else owner(c.e) == ("tid", e.tid)):
            return c
    return None


def who(calls, e):
    match = re.search(r"pid=(\d+)", e.text("msg"))
    if match:
        return int(match.group(1)), "message"
    if owner(e)[0] == "tid" and running(calls, e, ("ioctl", "open", "close"), False):
        return e.pid, "thread"
    return None, None


def before(calls, t_ns, mine):
    """Calls by name in the second before, as far as 256 of them tell."""
    known = [c for c in calls if mine(c) and c.begin <= t_ns]
    kept = [c for c in known[-256:] if t_ns - c.begin <= SECOND]
    return None if not known else (len(kept), len(kept) < 256 or len(known) <= 256)


def judge_xid(v, section, findings, events, calls):
    want = reported(events, calls)
    v.same("xids", section["xids"], len(want))
    kinds = {}
    for _, dev, code, sxid in want:
        kinds[(dev, code, sxid)] = kinds.get((dev, code, sxid), 0) + 1
    have = {(k["device"], k["code"], k["sxid"]): (k["count"], k["severity"], k["action"]) for k in section["kinds"]}
    v.same("xid kinds", sorted(have.items()), sorted((k, (n, *meaning(*k[1:])[:2])) for k, n in kinds.items()))
    told = sorted((f["id"], f["evidence"].get("xid", f["evidence"].get("sxid")), f["evidence"]["count"], f["notable"])
                  for f in findings if f["id"] in ("xid", "sxid"))
    v.same("xid findings", told, sorted(("sxid" if k[2] else "xid", k[1], n, meaning(*k[1:])[2]) for k, n in kinds.items()))
    linked = {}
    handlers = [c for c in calls if c.role in HANDLERS and not c.nested]
    for one, (e, dev, code, sxid) in zip(section["list"], want):
        label = f"xid {code} of {dev} at {e.t_ns}"
        v.same(f"{label}: device, code", (one["device"], one["code"], one["sxid"]), (dev, code, sxid))
        pid, known_by = who(calls, e)
        v.same(f"{label}: process", (one["pid"], one["pid_from"]), (pid, known_by))
        inside = None if sxid else running(calls, e, ("bottom_half", "bottom_half_msix"), False) or running(calls, e, ("isr", "isr_msix"), True)
        seen = {c.e.get("device") for c in handlers if c.begin <= e.t_ns}
        if inside:
            linked[dev] = inside.e.get("device")
        source = (linked[dev], "handler" if inside else "earlier") if dev in linked and not sxid else \
            (min(seen), "only") if len(seen) == 1 and not sxid else (None, None)
        v.same(f"{label}: handler", (one["handler"], one["handler_from"]), source)
        process = before(calls, e.t_ns, lambda c: c.e.pid == pid and c.role not in (*HANDLERS, "suspend", "resume", "report")) if known_by else None
        device = before(handlers, e.t_ns, lambda c: c.e.get("device") == source[0]) if source[1] else None
        for key, truth in (("process_before", process), ("device_before", device)):
            got = one[key] and (one[key]["calls"], one[key]["complete"])
            v.same(f"{label}: {key}", got, truth)
            if truth:
                v.same(f"{label}: {key}, sum of names", sum(n["calls"] for n in one[key]["names"]) + one[key]["others"], truth[0])
        if process and process[0]:
            last = [c for c in calls if c.e.pid == pid and c.role not in (*HANDLERS, "suspend", "resume", "report") and c.begin <= e.t_ns][-1]
            got = one["process_before"]["last"][-1]
            done = last.end is not None and last.end <= e.t_ns
            v.same(f"{label}: last call", (got["tid"], got["ret"]), (last.e.tid, (last.ret if done else None)))
    v.same("xids listed", len(section["list"]), min(len(want), 128))


def losses(xtr, trace):
    """When events were lost, ns."""
    lines = [json.loads(x) for x in playfile.output(xtr, "dump", "--json", "-q", trace).splitlines()]
    return [x["first_ns"] for x in lines if "lost" in x]


def judge(events, xtr, trace, exact):
    stats = playfile.stats(xtr, trace)
    v, calls = Verdicts(exact), calls_of(events)
    # What was lost while a call lasted may have been its return.
    for t_ns in losses(xtr, trace) if stats["lost"] else []:
        for c in calls:
            if c.end is not None and c.begin < t_ns < c.end:
                c.end = c.ret = None
    if calls and any(c.role != "report" for c in calls):
        section = stats["nvidia"]
        v.same("losses are told", section["lower_bounds"], stats["lost"] > 0)
        judge_processes(v, section, calls)
        judge_ioctls(v, section, calls)
        judge_devices(v, section, calls)
        judge_power(v, section, calls)
    judge_storms(v, stats["findings"], calls)
    if reported(events, calls):
        judge_xid(v, stats["xid"], stats["findings"], events, calls)
    else:
        v.same("no Xid", "xid" in stats, False)
    return v.all


F = "func:nvidia:"
SPOILS = [
    ("an open less", lambda e: playfile.without(e, F + "nvidia_open")),
    ("a close less", lambda e: playfile.without(e, F + "nvidia_close")),
    ("an ioctl less", lambda e: playfile.without(e, F + "nvidia_unlocked_ioctl", 2)),
    ("another ioctl", lambda e: playfile.altered(e, F + "nvidia_unlocked_ioctl", "cmd", lambda v: v ^ 1, 1)),
    ("an ioctl returns later", lambda e: playfile.shifted(e, F + "nvidia_unlocked_ioctl:ret", 100, 1)),
    ("a page more", lambda e: playfile.altered(e, F + "nvidia_mmap", "vm_end", lambda v: v + 4096)),
    ("a release less", lambda e: playfile.without(e, F + "nvidia_vma_release")),
    ("a poll twice", lambda e: playfile.doubled(e, F + "nvidia_poll")),
    ("an interrupt of another device", lambda e: playfile.altered(e, F + "nvidia_isr_msix", "device", lambda v: v + 7)),
    ("a bottom half later", lambda e: playfile.shifted(e, F + "nvidia_isr_msix_kthread_bh", 100)),
    ("a suspend that fails", lambda e: playfile.altered(e, F + "nvidia_suspend:ret", "ret", lambda v: -5 if not v else 0)),
    ("another Xid", lambda e: playfile.altered(e, "nvidia:nvidia_dev_xid", "error_code", lambda v: v + 1)),
    ("an Xid less", lambda e: playfile.without(e, "nvidia:nvidia_dev_xid")),
    ("another reported error", lambda e: playfile.altered(e, F + "nv_report_error", "xid", lambda v: v + 1)),
]
