# SPDX-License-Identifier: BSD-2-Clause
"""amdgpu: every number of the section amdgpu of xtr stats, computed anew from the scenario's events (docs/amdgpu.md)."""

from collections import Counter, defaultdict

import playfile

SYSTEMS = ("amdgpu",)
PAGE = 4096
WINDOW = 100_000_000
LATE = 100_000
QUICK = 1_000_000_000
DUMP_GAP = 100_000_000
NONE = 0xFFFFFFFF
OUTSIDE = (0, 1, 6)
KERNEL = 1 << 63
TIMEOUTS = (-62, -110)
MEMORY = {0: "system", 1: "gtt", 2: "vram", 3: "gds", 4: "gws", 5: "oa", 6: "preempt", 7: "doorbell", 8: "mmio_remap", NONE: "none"}
DOMAIN_OF = {0: 1, 1: 2, 2: 4, 3: 8, 4: 16, 5: 32, 6: 2, 7: 64, 8: 128}
DOMAINS = ["CPU", "GTT", "VRAM", "GDS", "GWS", "OA", "DOORBELL", "MMIO_REMAP"]
FLAGS = ["CPU_ACCESS_REQUIRED", "NO_CPU_ACCESS", "CPU_GTT_USWC", "VRAM_CLEARED", None, "VRAM_CONTIGUOUS", "VM_ALWAYS_VALID",
         "EXPLICIT_SYNC", "CP_MQD_GFX9", "VRAM_WIPE_ON_RELEASE", "ENCRYPTED", "PREEMPTIBLE", "DISCARDABLE", "COHERENT", "UNCACHED",
         "EXT_COHERENT", "GFX12_DCC"]
CLIENTS = {2: "ATHUB", 3: "BIF", 7: "RLC", 15: "THM", 16: "UVD or VCN", 18: "VMC", 20: "GRBM_CP", 23: "DF", 25: "PWR", 27: "UTCL2",
           30: "MP0", 31: "MP1"}
SOURCES = {(20, 181): "end of pipe", (20, 184): "privileged register fault", (20, 185): "privileged instruction fault"}
KNOWN = {"cs_ioctl", "sched_run_job", "cs", "ib_pipe_sync", "bo_create", "bo_move", "cs_bo_status", "bo_list_set", "vm_bo_map",
         "vm_bo_unmap", "vm_bo_update", "vm_bo_mapping", "vm_bo_cs", "pasid_allocated", "pasid_freed", "vm_grab_id", "vm_flush",
         "vm_update_ptes", "vm_set_ptes", "vm_copy_ptes", "iv", "device_rreg", "device_wreg", "reset_reg_dumps"}


class Hist(list):
    """Values whose distribution xtr gives."""


class Time(int):
    """A time or a rate: exact offline, not compared otherwise."""


class Rate:
    def __init__(self):
        self.times = []

    def add(self, t):
        self.times.append(t)

    def fields(self, span):
        n, peak, at = len(self.times), 0, 0
        windows = Counter((t - self.times[0]) // WINDOW for t in self.times)
        if windows:
            peak = max(windows.values())
            at = self.times[0] + min(w for w, c in windows.items() if c == peak) * WINDOW
        return {"per_second": Time(n * 10**9 // span if span else 0), "peak_per_second": Time(peak * 10), "peak_at_ns": Time(at)}


def by_count(rows, key):
    """Rows as xtr sorts them are compared as sets: a list of dicts into a dict by key."""
    return {tuple(r[k] for k in key): r for r in rows}


class Truth:
    def __init__(self, events):
        self.events = events
        self.of = defaultdict(list)
        for e in events:
            if e.system == "amdgpu":
                self.of[e.name.removeprefix("amdgpu_")].append(e)
        times = [e.t_ns for e in events]
        self.span = max(times) - min(times)
        jobs = self.of["cs_ioctl"] + self.of["sched_run_job"]
        self.mask = 0xFFFFFFFF if any("sched_job_id" in e.fields for e in jobs) else 2**64 - 1

    def sum(self, rows):
        rows = list(rows)
        return {"count": len(rows), "bytes": sum(rows)}

    # --- jobs

    def scheduler(self):
        """By key: the device, whether queued before its first run, whether that is the kernel's own work."""
        device, queued = {}, {}
        foreign = set()
        for e in self.events:
            if e.event in ("gpu_scheduler:drm_sched_job_queue", "gpu_scheduler:drm_sched_job_run"):
                key = e.get("ctx") & self.mask, e.get("seqno") & self.mask
                if e.text("ring").startswith("rcs"):  # the scenarios' only other driver
                    foreign.add(key)
                    continue
                device[key] = e.text("dev")
                if e.name.endswith("queue"):
                    queued[key] = e.get("client_id")
        return device, queued, foreign

    def jobs(self):
        device, queued, _ = self.scheduler()
        rings = defaultdict(lambda: {"submitted": 0, "ibs": 0, "run": 0, "not_run": 0, "run_again": 0, "kernel": 0, "other": 0,
                                     "late": 0, "latency_ns": Hist()})
        processes = defaultdict(lambda: {"ibs": [], "rate": Rate(), "process": None})
        first, submitted = {}, {}
        out = Counter()
        for e in self.of["cs_ioctl"]:
            key = e.get("context") & self.mask, e.get("seqno") & self.mask
            submitted[key] = e
            p = processes[e.pid]
            p["ibs"].append(e.get("num_ibs"))
            p["rate"].add(e.t_ns)
            p["process"] = e.comm
        for e in self.of["sched_run_job"]:
            key = e.get("context") & self.mask, e.get("seqno") & self.mask
            ring = rings[device.get(key), e.text("ring")]
            if key in first:
                ring["run_again"] += 1
                continue
            first[key] = e
            if key in submitted:
                ns = e.t_ns - submitted[key].t_ns
                ring["run"] += 1
                ring["submitted"] += 1
                ring["ibs"] += submitted[key].get("num_ibs")
                ring["late"] += ns > LATE
                ring["latency_ns"].append(ns)
            else:
                kernel = queued.get(key, 0) >= KERNEL or (key in queued and bool(submitted))
                ring["kernel" if kernel else "other"] += 1
        for key, e in submitted.items():
            if key not in first:
                ring = rings[device.get(key), e.text("ring")]
                ring["submitted"] += 1
                ring["not_run"] += 1
                ring["ibs"] += e.get("num_ibs")
        for ring in rings.values():
            out.update({k: ring[k] for k in ("run", "not_run", "run_again", "kernel", "other", "late")})
        return {
            "submitted": len(self.of["cs_ioctl"]), "ibs": sum(e.get("num_ibs") for e in self.of["cs_ioctl"]),
            "run": out["run"], "not_run": out["not_run"], "not_known": 0, "run_again": out["run_again"], "kernel": out["kernel"],
            "other": out["other"], "submitted_before": 0, "keys_used_again": len(self.of["cs_ioctl"]) - len(submitted),
            "late": Time(out["late"]), "pipe_syncs": len(self.of["ib_pipe_sync"]), "ib_events": len(self.of["cs"]),
            "ib_dwords": Hist(e.get("dw") for e in self.of["cs"]), "fences_emitted": Hist(e.get("fences") for e in self.of["cs"]),
            "rings": [{"device": d, "ring": r, **v, "late": Time(v["late"])} for (d, r), v in rings.items()],
            "processes": [{"pid": pid, "process": p["process"], "jobs": len(p["ibs"]), "ibs": sum(p["ibs"]), "ibs_min": min(p["ibs"]),
                           "ibs_max": max(p["ibs"]), **p["rate"].fields(self.span)} for pid, p in processes.items()],
            "left_out": 0,
        }

    # --- memory

    def buffers(self):
        made = [(e, e.get("pages") * PAGE) for e in self.of["bo_create"]]
        vram = [(e, b) for e, b in made if e.get("prefer") & 4]
        either = [(e, b) for e, b in vram if e.get("prefer") & 3]
        refused = [(e, b) for e, b in vram if not e.get("prefer") & 3 and e.get("type") in OUTSIDE]
        types, asked, flags, processes = (defaultdict(list) for _ in range(4))
        for e, b in made:
            types[e.get("type")].append(b)
            asked[e.get("prefer"), e.get("allow"), e.get("type")].append(b)
            processes[e.pid, e.comm].append((b, (e, b) in refused))
            for bit in range(32):
                if e.get("visible") >> bit & 1:
                    flags[bit].append(b)

        def given(prefer, allow, kind):
            domain = DOMAIN_OF.get(kind)
            if not domain:
                return None
            return "preferred" if domain & prefer else "allowed" if domain & allow else "other"

        def names(mask):
            return [n for bit, n in enumerate(DOMAINS) if mask >> bit & 1]

        return {
            "created": self.sum(b for _, b in made), "vram_asked": self.sum(b for _, b in vram),
            "vram_given": self.sum(b for e, b in vram if e.get("type") == 2), "vram_refused": self.sum(b for _, b in refused),
            "vram_or_other_asked": self.sum(b for _, b in either),
            "vram_or_other_elsewhere": self.sum(b for e, b in either if e.get("type") in OUTSIDE),
            "types": [{"type": t, "name": MEMORY.get(t), **self.sum(v)} for t, v in types.items()],
            "asked": [{"prefer": p, "prefer_names": names(p), "allow": a, "allow_names": names(a), "type": t, "type_name": MEMORY.get(t),
                       "given": given(p, a, t), **self.sum(v)} for (p, a, t), v in asked.items()],
            "flags": [{"bit": bit, "name": FLAGS[bit] if bit < len(FLAGS) else None, **self.sum(v)} for bit, v in flags.items()],
            "processes": [{"pid": pid, "process": comm, "count": len(v), "bytes": sum(b for b, _ in v),
                           "vram_refused": sum(r for _, r in v), "vram_refused_bytes": sum(b for b, r in v if r)}
                          for (pid, comm), v in processes.items()],
            "left_out": 0,
        }

    def moves(self):
        directions, rate, groups = defaultdict(list), Rate(), defaultdict(list)
        left, returns, away, quick, quick_bytes = {}, Counter(), Hist(), 0, 0
        for e in sorted(self.of["bo_create"] + self.of["bo_move"], key=lambda e: e.t_ns):
            bo = e.get("bo")
            if e.name == "amdgpu_bo_create":
                left.pop(bo, None)
                returns.pop((bo, "now"), None)
                continue
            new, old, size = e.get("new_placement"), e.get("old_placement"), e.get("bo_size")
            directions[old, new].append(size)
            if old == NONE:
                groups["placed"].append(size)
            if new == NONE:
                groups["released"].append(size)
                left.pop(bo, None)
                returns.pop((bo, "now"), None)
            if NONE in (old, new):
                continue
            groups["moved"].append(size)
            rate.add(e.t_ns)
            if old == 2 and new in OUTSIDE:
                groups["from_vram"].append(size)
                left[bo] = e.t_ns
            if new == 2 and old in OUTSIDE:
                groups["to_vram"].append(size)
                if bo in left:
                    ns = e.t_ns - left.pop(bo)
                    returns[bo, "now"] += 1
                    returns["all"] += 1
                    returns["most"] = max(returns["most"], returns[bo, "now"])
                    away.append(ns)
                    if ns < QUICK:
                        quick += 1
                        quick_bytes += size
        total = sum(groups["moved"])
        return {
            **{k: self.sum(groups[k]) for k in ("moved", "placed", "released", "to_vram", "from_vram")}, **rate.fields(self.span),
            "bytes_per_second": Time(total * 10**9 // self.span if self.span else 0),
            "directions": [{"old": o, "old_name": MEMORY.get(o), "new": n, "new_name": MEMORY.get(n), **self.sum(v)}
                           for (o, n), v in directions.items()],
            "returns": returns["all"], "quick_returns": Time(quick), "quick_bytes": Time(quick_bytes), "most_returns": returns["most"],
            "away_ns": away, "buffers_forgotten": 0, "left_out": 0,
        }

    def lists(self):
        status = self.of["cs_bo_status"]
        return {"lists": len(status), "buffers": sum(e.get("total_bo") for e in status), "bytes": sum(e.get("total_size") for e in status),
                "buffers_each": Hist(e.get("total_bo") for e in status), "set": self.sum(e.get("bo_size") for e in self.of["bo_list_set"])}

    # --- address spaces, interrupts, the rest

    def vm(self):
        def ranges(name):
            return self.sum((e.get("last") - e.get("start") + 1) * PAGE for e in self.of[name] if e.get("last") >= e.get("start"))

        def entries(name, field):
            return {"count": len(self.of[name]), "entries": sum(e.get(field) for e in self.of[name])}

        vmids, pasids = defaultdict(Counter), defaultdict(Counter)
        for e in self.of["vm_grab_id"]:
            row = vmids[e.text("ring"), e.get("vmid"), e.get("vm_hub")]
            for one in (row, pasids[e.get("pasid")]):
                one["grabs"] += 1
                one["needs_flush"] += bool(e.get("needs_flush"))
        for e in self.of["vm_flush"]:
            vmids[e.text("ring"), e.get("vmid"), e.get("vm_hub")]["flushes"] += 1
        return {
            "map": ranges("vm_bo_map"), "unmap": ranges("vm_bo_unmap"),
            "malformed": sum(e.get("last") < e.get("start") for e in self.of["vm_bo_map"] + self.of["vm_bo_unmap"]),
            "updates": len(self.of["vm_bo_update"]), "mappings": len(self.of["vm_bo_mapping"]), "cs": len(self.of["vm_bo_cs"]),
            "grabs": len(self.of["vm_grab_id"]), "needs_flush": sum(bool(e.get("needs_flush")) for e in self.of["vm_grab_id"]),
            "flushes": len(self.of["vm_flush"]), "pasids_allocated": len(self.of["pasid_allocated"]),
            "pasids_freed": len(self.of["pasid_freed"]), "update_ptes": entries("vm_update_ptes", "nptes"),
            "set_ptes": entries("vm_set_ptes", "count"), "copy_ptes": entries("vm_copy_ptes", "count"),
            "vmids": [{"ring": r, "vmid": v, "hub": h, "flushes": c["flushes"], "grabs": c["grabs"], "needs_flush": c["needs_flush"]}
                      for (r, v, h), c in vmids.items()],
            "pasids": [{"pasid": p, "grabs": c["grabs"], "needs_flush": c["needs_flush"]} for p, c in pasids.items()],
            "left_out": 0,
        }

    def interrupts(self):
        sources = defaultdict(lambda: {"again": 0, "rate": Rate()})
        vms, rings = Counter(), Counter()
        for e in self.of["iv"]:
            source = sources[e.get("client_id"), e.get("src_id")]
            rings[e.get("ih")] += 1
            if e.get("ih") == 3:
                source["again"] += 1
            else:
                source["rate"].add(e.t_ns)
                vms[e.get("pasid"), e.get("vmid")] += 1
        count = sum(vms.values())
        return {
            "count": count, "again": rings[3], "per_second": Time(count * 10**9 // self.span if self.span else 0),
            "sources": [{"client": c, "client_name": CLIENTS.get(c), "source": s, "source_name": SOURCES.get((c, s)),
                         "count": len(v["rate"].times), "again": v["again"], **v["rate"].fields(self.span)}
                        for (c, s), v in sources.items()],
            "vms": [{"pasid": p, "vmid": v, "count": n} for (p, v), n in vms.items()],
            "interrupt_rings": [{"ih": i, "count": n} for i, n in rings.items() if n], "left_out": 0,
        }

    def registers(self):
        reads, writes = Counter(), Counter()
        for e in self.of["device_rreg"]:
            reads[e.get("did"), e.get("reg")] += 1
        for e in self.of["device_wreg"]:
            writes[e.get("did"), e.get("reg")] += 1
        return {"reads": sum(reads.values()), "writes": sum(writes.values()),
                "most_used": [{"device_id": d, "register": r, "reads": reads[d, r], "writes": writes[d, r]} for d, r in {**reads, **writes}],
                "left_out": 0}

    def resets(self, jobs):
        device, _, _ = self.scheduler()
        dumps, last, address = 0, None, None
        for e in self.of["reset_reg_dumps"]:
            if last is None or e.get("address") == address or e.t_ns - last > DUMP_GAP:
                dumps, address = dumps + 1, e.get("address")
            last = e.t_ns
        errors = [e.get("error") for e in self.events if e.event == "dma_fence:dma_fence_signaled" and e.get("error")
                  and (e.get("ctx") & self.mask, e.get("seqno") & self.mask) in device]
        return {"register_dumps": dumps, "registers": len(self.of["reset_reg_dumps"]), "jobs_run_again": jobs["run_again"],
                "job_timeouts": sum(e in TIMEOUTS for e in errors), "job_errors": len(errors)}

    def section(self):
        jobs = self.jobs()
        other = Counter(e.event for e in self.events if e.system == "amdgpu" and e.name.removeprefix("amdgpu_") not in KNOWN)
        return {"jobs": jobs, "buffers": self.buffers(), "moves": self.moves(), "lists": self.lists(), "vm": self.vm(),
                "interrupts": self.interrupts(), "registers": self.registers(), "resets": self.resets(jobs),
                "other_events": [{"event": e, "count": n} for e, n in other.items()]}


# --- comparison ---------------------------------------------------------------------------------------------------

KEYS = {"rings": ("device", "ring"), "processes": ("pid",), "types": ("type",), "asked": ("prefer", "allow", "type"), "flags": ("bit",),
        "directions": ("old", "new"), "vmids": ("ring", "vmid", "hub"), "pasids": ("pasid",), "sources": ("client", "source"),
        "vms": ("pasid", "vmid"), "interrupt_rings": ("ih",), "most_used": ("device_id", "register"), "other_events": ("event",)}
LIMITS = {"late_limit_ns": LATE, "quick_limit_ns": QUICK}
OURS = {"checked"}  # compared below


def near(have, want, exact):
    """A quantile: within a bucket of the histogram; in the lab within 20 us or 5 % as well."""
    slack = want / 120 + 1 if exact else max(20_000, want / 20)
    return abs(have - want) <= slack


def hist(where, have, want, exact, wrong):
    values = sorted(want)
    if have["n"] != len(values):
        wrong.append(f"{where}: n {have['n']}, not {len(values)}")
        return
    if not values:
        return
    if exact and (have["sum"], have["min"], have["max"]) != (sum(values), values[0], values[-1]):
        wrong.append(f"{where}: sum, min, max {have['sum']}, {have['min']}, {have['max']}, not {sum(values)}, {values[0]}, {values[-1]}")
    p50 = values[(len(values) * 500 + 999) // 1000 - 1]
    if not near(have["p50"], p50, exact):
        wrong.append(f"{where}: p50 {have['p50']}, not {p50}")
    p99 = values[(len(values) * 990 + 999) // 1000 - 1]
    if exact and not near(have["p99"], p99, exact):
        wrong.append(f"{where}: p99 {have['p99']}, not {p99}")


def compare(where, have, want, exact, wrong):
    if isinstance(want, Hist):
        hist(where, have, want, exact or not where.endswith("_ns"), wrong)
    elif isinstance(want, dict):
        more = set(have) ^ set(want) if where else set()
        if more - set(LIMITS) - OURS:
            wrong.append(f"{where}: keys {sorted(more)}")
        for key in set(want) & set(have):
            compare(f"{where}.{key}", have[key], want[key], exact, wrong)
    elif isinstance(want, list) and want and isinstance(want[0], dict):
        key = KEYS[where.rsplit(".", 1)[-1]]
        mine, theirs = by_count(want, key), by_count(have, key)
        if len(theirs) != len(have) or set(mine) != set(theirs):
            wrong.append(f"{where}: rows {sorted(map(str, set(mine) ^ set(theirs)))}")
        for row in set(mine) & set(theirs):
            compare(f"{where}[{row}]", theirs[row], mine[row], exact, wrong)
    elif isinstance(want, Time) and not exact:
        pass
    elif have != want:
        wrong.append(f"{where}: {have}, not {want}")


def limits(section, wrong):
    for part in ("jobs", "moves"):
        for key, want in LIMITS.items():
            if section[part].get(key, want) != want:
                wrong.append(f"{part}.{key}: {section[part][key]}")


def judge(events, xtr, trace, exact):
    section = playfile.stats(xtr, trace).get("amdgpu")
    if section is None:
        return [(False, "no section amdgpu")]
    wrong = []
    want = Truth(events).section()
    for key, value in want.items():
        compare(key, section[key], value, exact, wrong)
    limits(section, wrong)
    checked = section["jobs"]["checked"]
    if not checked["jobs"] == checked["same_process"] == checked["same_ring"]:
        wrong.append(f"the job model says otherwise: {checked}")
    return [(not wrong, "; ".join(wrong[:5]) or f"{len(want['jobs']['rings'])} rings, {want['buffers']['created']['count']} buffers, "
             f"{want['interrupts']['count']} interrupts")]


def change(event, what, field=None, value=None):
    def apply(events):
        name = f"amdgpu:amdgpu_{event}"
        if what == "less":
            return playfile.without(events, name)
        if what == "twice":
            return playfile.doubled(events, name)
        return playfile.altered(events, name, field, value)
    return apply


def later_run(events):
    """The first run whose submission is in the scenario."""
    keys = {(e.get("context"), e.get("seqno")) for e in events if e.event == "amdgpu:amdgpu_cs_ioctl"}
    runs = [e for e in events if e.event == "amdgpu:amdgpu_sched_run_job"]
    nth = [k for k, e in enumerate(runs) if (e.get("context"), e.get("seqno")) in keys]
    return playfile.shifted(events, "amdgpu:amdgpu_sched_run_job", 3000, nth[0]) if nth else None


SPOILS = [
    ("a run less", change("sched_run_job", "less")),
    ("a run 3 us later", later_run),
    ("a submission of one IB more", change("cs_ioctl", "other", "num_ibs", lambda v: v + 1)),
    ("a submission less", change("cs_ioctl", "less")),
    ("a buffer of a page more", change("bo_create", "other", "pages", lambda v: v + 1)),
    ("a buffer in another memory", change("bo_create", "other", "type", lambda v: v ^ 3)),
    ("a creation flag more", change("bo_create", "other", "visible", lambda v: v ^ 64)),
    ("a move the other way", change("bo_move", "other", "new_placement", lambda v: v ^ 1)),
    ("a move less", change("bo_move", "less")),
    ("an interrupt twice", change("iv", "twice")),
    ("an interrupt of another client", change("iv", "other", "client_id", lambda v: v + 1)),
    ("a flush of another VMID", change("vm_flush", "other", "vmid", lambda v: v + 1)),
    ("a grab that needs a flush", change("vm_grab_id", "other", "needs_flush", lambda v: 1 - v)),
    ("a register dump less", change("reset_reg_dumps", "less")),
    ("a register write less", change("device_wreg", "less")),
    ("an event without an analysis twice", change("isolation", "twice")),
]
