#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges xtr stats --json and xtr jobs of a recording of the NPU's stand-in against its truth.

usage: npu_stats.py XTR DIR

DIR is one of npu_check.py, which tells that what is not recorded is counted as lost. Counts are equal
here, less what is not recorded. Times are those of the recorded calls, which npu_check.py compares with
the truth. Prints one line per check.
"""

import json
import os
import subprocess
import sys

import npu_check
import npu_tree
from judge import check, lossy, measured, status
from npu_check import read_csv, read_truth, read_ze

SUBMITS = ("ivpu_submit_ioctl", "ivpu_cmdq_submit_ioctl")
BINDS = ("ivpu_bo_bind", "ivpu_bo_pin")
FAMILIES = {
    "memory": ["ivpu_mmu_context_map_page", "ivpu_pgtable_free_page"],
    "ipc": ["ivpu_hw_ip_ipc_rx_count_get", "ivpu_ipc_irq_handler", "ivpu_ipc_receive"],
    "buffers": ["ivpu_bo_create_ioctl", "ivpu_gem_create_object", "ivpu_bo_pin", "ivpu_bo_bind"],
}
STEPS = {
    "runtime_resume": "ivpu_pm_runtime_resume_cb", "resume": "ivpu_resume", "boot": "ivpu_boot",
    "load": "ivpu_hw_boot_fw", "ready": "ivpu_wait_for_ready",
    "runtime_suspend": "ivpu_pm_runtime_suspend_cb",
}
# Findings that say that something is wrong -> the only scenario that has it.
TROUBLES = {"firmware-loop": "retry", "npu-stall": "stall", "slow-allocation": "slow-alloc",
            "boot-in-submit": "cold", "no-reply": "retry"}


def median(values):
    return sorted(values)[len(values) // 2] if values else 0


def middle_is(got, calls):
    """Whether a histogram's median (within 0.8 %) is that of these calls."""
    times = sorted(c.end - c.begin for c in calls)
    if not times:
        return False
    return times[(len(times) - 1) // 2] * 0.99 <= got <= times[len(times) // 2] * 1.01


def equal(what, got, want):
    check(got == want, f"{what}: {got}" + ("" if got == want else f", truth {want}"))


class Case:
    """A recording's numbers and the truth beside them."""

    def __init__(self, xtr, directory):
        self.scenario = json.load(open(os.path.join(directory, "load.json")))["scenario"]
        self.path = os.path.join(directory, "run.xtr")
        self.stats = json.loads(self.run(xtr, "stats", "--json"))["sections"][0]
        self.job_lines = [json.loads(line) for line in self.run(xtr, "jobs", "--jsonl").splitlines()]
        self.truth, self.jobs = read_truth(directory), read_csv(directory, "jobs")
        with open(directory + "/counts") as f:
            self.counts = {n.split(".")[0]: int(k) for n, k in (line.split() for line in f)}
        self.names = {c["call"].split(":")[2] for c in self.stats["calls"]["functions"]
                      if c["call"].startswith("func:")}
        self.with_api = any(c["call"].startswith("api:") for c in self.stats["calls"]["functions"])
        self.ze = read_ze(directory) if self.with_api else {}
        self.rec = npu_check.Recording(xtr, self.path)
        self.total_lost = sum(self.rec.lost.values())
        self.nodes = npu_tree.build(self.truth, self.ze, self.names)
        mine = {"func": {}, "api": {}}
        for name, calls in self.rec.calls.items():
            mine[name.split(":")[0]][name.split(":")[2]] = [x for x in calls if x.end]
        self.recorded = mine["func"] | mine["api"]
        self.mine = npu_tree.build(mine["func"], mine["api"], self.names)
        kind = "api" if self.with_api else "function"
        self.given = npu_tree.attribute(
            self.nodes, self.jobs, lambda n: n.kind == kind and n.call.key[0] == "tid" and
            (kind == "api" or not n.outer))

    def run(self, xtr, *args):
        done = subprocess.run([xtr, *args, self.path], stdout=subprocess.PIPE, text=True)
        check(done.returncode in (0, 3), f"xtr {' '.join(args)} ended with {done.returncode}")
        return done.stdout

    def calls(self, *names):
        return [c for n in names for c in self.truth.get(n, [])]

    def missing(self, name):
        """How many calls of a function are not recorded, or not with both ends."""
        full = next((n for n in self.rec.entries if n.split(":")[-1] == name), None)
        want = self.counts.get(name, len(self.ze.get(name, [])))
        return want - min(self.rec.entries.get(full, 0), self.rec.returns.get(full, want))

    def inside(self, call, *names):
        """The nodes of these names in this call."""
        return [n for n in self.node_of(call).inside() if n.name in names]

    def node_of(self, call):
        return next(n for n in self.nodes if n.call is call)


def check_calls(c):
    wrong, compared, late = [], 0, {}
    for row in c.stats["calls"]["functions"]:
        kind, _, name = row["call"].split(":")
        want = c.counts.get(name, 0) if kind == "func" else len(c.ze.get(name, []))
        compared += row["calls"]
        if not want - c.missing(name) <= row["calls"] <= want:
            wrong.append((name, row["calls"], want))
        calls = c.recorded[name]
        if row["returns_recorded"] and calls and not c.missing(name) and not (
                middle_is(row["total_ns"]["p50"], calls) and
                row["total_ns"]["sum"] == sum(x.end - x.begin for x in calls)):
            late[name] = row["total_ns"]["p50"], row["total_ns"]["sum"]
    missing = sum(c.missing(r["call"].split(":")[2]) for r in c.stats["calls"]["functions"])
    check(missing <= c.total_lost, f"calls: {missing} missing, {c.total_lost} entries and returns lost")
    check(compared > 0 and not wrong, f"calls: {compared}, by function; not (recorded, truth) {wrong[:4]}")
    check(not late, f"calls: medians and sums, as recorded; not {late}")
    check(c.total_lost or c.stats["calls"]["open"] == 0, f"calls: {c.stats['calls']['open']} open")
    asked = {r["call"].split(":")[2] for r in c.stats["calls"]["functions"]}
    check(set(c.ze) <= asked, f"calls: {len(asked)} functions; not {sorted(set(c.ze) - asked)}")


def check_families(c):
    f = c.stats["families"]
    total = sum(c.counts[n] - c.missing(n) for n in c.names if n in c.counts)
    check(total <= f["calls"] <= sum(c.counts.get(n, 0) for n in c.names), f"families: {f['calls']} calls")
    by_name = {x["family"]: x for x in f["families"]}
    for family, names in FAMILIES.items():
        names = [n for n in names if n in c.names]
        want, lost = sum(c.counts.get(n, 0) for n in names), sum(c.missing(n) for n in names)
        got = by_name[family]["calls"]
        check(want - lost <= got <= want, f"families: {family}: {got} calls, truth {want}")
    listed = [n for x in f["families"] for n in x["functions"]]
    check(sorted(listed) == sorted(n for n in c.names if c.counts.get(n)), f"families: {len(listed)} functions, each in one")


def check_stage(c, name, calls, mine):
    stage = next(s for s in c.stats["allocations"]["stages"] if s["stage"] == name)
    # The driver's own buffers have the size that their bind tells, where the recorder finds it.
    told = name != "bind_other" or all("size" in x.entry for x in mine)
    sizes = sorted(int(x.entry["size"]) for x in calls if told)
    equal(f"allocations: {name}: count", stage["count"], len(calls))
    if not calls:
        return
    equal(f"allocations: {name}: bytes", stage["bytes"], sum(sizes))
    check(middle_is(stage["time_ns"]["p50"], mine), f"allocations: {name}: median {stage['time_ns']['p50']} ns, as recorded")
    got = [(s["from_bytes"], s["to_bytes"], s["count"]) for s in stage["sizes"]]
    wrong = [g for g in got if g[2] != sum(g[0] <= s <= g[1] for s in sizes)]
    check(not wrong and sum(g[2] for g in got) == len(sizes), f"allocations: {name}: {len(got)} sizes; not {wrong}")


def binds(nodes):
    """Calls that map a buffer: in submits, and others."""
    first, other = [], []
    for n in nodes:
        if n.name in BINDS and any(i.name == "ivpu_mmu_context_map_sgt" for i in n.inside()):
            around = {a.name for a in n.around()}
            (first if around & set(SUBMITS) and "ivpu_bo_create_global" not in around else other).append(n.call)
    return first, other


def check_allocations(c):
    check_stage(c, "create", c.calls("ivpu_bo_create_ioctl"), c.recorded["ivpu_bo_create_ioctl"])
    for stage, calls, mine in zip(("bind", "bind_other"), binds(c.nodes), binds(c.mine)):
        check_stage(c, stage, calls, mine)
    m = c.stats["allocations"]["mappings"]
    lost = c.missing("ivpu_mmu_context_map_sgt")
    maps = len(c.calls("ivpu_mmu_context_map_sgt"))
    check(maps - lost <= m["map_sgt"] <= maps, f"allocations: {m['map_sgt']} mappings, truth {maps}")
    if c.with_api:
        api = [x for n, calls in c.ze.items() if n.startswith("zeMemAlloc") for x in calls]
        stage = next(s for s in c.stats["allocations"]["stages"] if s["stage"] == "api")
        equal("allocations: api: count and bytes", (stage["count"], stage["bytes"]),
              (len(api), sum(int(x.entry["size"]) for x in api)))
    elif "ivpu_mmu_context_map_page" in c.names:
        pages = c.counts["ivpu_mmu_context_map_page"]
        equal("allocations: page mappings, in submits", (m["map_page"], m["map_page_in_submit"], m["submits"]),
              (pages, sum(int(n.call.entry["pages"]) for n in c.nodes if n.name == "ivpu_mmu_context_map_sgt"
                          and {a.name for a in n.around()} & set(SUBMITS)), 1))


def check_power(c):
    p = c.stats["power"]
    boots = c.calls("ivpu_boot")
    equal("power: boots", p["boots"], len(boots))
    for step, function in STEPS.items():
        calls, row = c.calls(function), next((s for s in p["steps"] if s["step"] == step), None)
        if function not in c.names or c.missing(function):
            continue
        check(row and row["count"] == len(calls) and middle_is(row["time_ns"]["p50"], c.recorded[function]),
              f"power: {step}: {row and row['count']}, median {row and row['time_ns']['p50']} ns, as recorded; truth {len(calls)}")
    want, times = payers(c.nodes)[0], payers(c.mine)[1]
    equal("power: who paid", {x["payer"]: x["wakes"] for x in p["payers"]}, want)
    equal("power: what they paid", {x["payer"]: x["wake_ns"] for x in p["payers"]}, times)


def payers(nodes):
    """Entry point -> wakes in it, and their time."""
    want, times = {}, {}
    for n in nodes:
        if n.name == "ivpu_pm_runtime_resume_cb":
            payer = [a.name for a in n.around() if a.name.endswith("_ioctl") or a.name in ("ivpu_open", "ivpu_postclose")]
            payer = payer[-1] if payer else None
            want[payer] = want.get(payer, 0) + 1
            times[payer] = times.get(payer, 0) + n.ns
    return want, times


def in_boot(n):
    return any(a.name in ("ivpu_boot", "ivpu_wait_for_ready") for a in n.around())


def check_firmware(c):
    f = c.stats["firmware"]
    receive = [n for n in c.nodes if n.name == "ivpu_ipc_receive"]
    lost = c.missing("ivpu_ipc_receive") + sum(c.missing(n) for n in ("ivpu_boot", "ivpu_wait_for_ready"))
    done, irqs = len(c.calls("ivpu_job_done_callback")), len(c.calls("ivpu_hw_irq_handler"))
    want = {
        "received": sum(n.call.ret["ret"] == 0 for n in receive),
        "received_in_boot": sum(n.call.ret["ret"] == 0 and in_boot(n) for n in receive),
        "timeouts": sum(n.call.ret["ret"] == -110 and not in_boot(n) for n in receive),
        "boot_polls": sum(n.call.ret["ret"] == -110 and in_boot(n) for n in receive),
        "errors": 0,
    }
    if not lost:
        equal("firmware: messages and polls", {k: f[k] for k in want}, want)
        equal("firmware: all messages", f["messages"], want["received"] + done - c.missing("ivpu_job_done_callback"))
        equal("firmware: time of polls", f["boot_polls_ns"], sum(
            n.ns for n in c.mine if n.name == "ivpu_ipc_receive" and npu_check.number(n.call.ret["ret"]) == -110
            and in_boot(n)))
    check(done - c.missing("ivpu_job_done_callback") <= f["job_done"] <= done, f"firmware: {f['job_done']} job-done messages, truth {done}")
    check(irqs - c.missing("ivpu_hw_irq_handler") <= f["interrupts"] <= irqs, f"firmware: {f['interrupts']} interrupts, truth {irqs}")
    if f["commands"] and f["commands"]["sent"]:
        sent = len(c.calls("ivpu_ipc_send"))
        replies = want["received"] - want["received_in_boot"]
        equal("firmware: commands, replies, without a reply",
              (f["commands"]["sent"], f["commands"]["replies"], sum(t["no_reply"] for t in f["commands"]["types"])),
              (sent, replies, sent - replies))
    stalled = [j for j in c.jobs if int(j["end_ns"]) - int(j["start_ns"]) >= 300_000_000]
    if stalled:
        s = f["longest_silence"]
        check(s and s["silence_ns"] >= 300_000_000, f"firmware: the longest silence: {s}")
        measured(s and str(s["context"]) == stalled[0]["fence_context"] and s["silence_ns"] <= 320_000_000,
                 "firmware: it is that of the job that stalled, and no longer")
    if c.scenario == "retry":
        check(f["loops"] == 1 and f["loop_calls"] == 3, f"firmware: {f['loops']} loops of {f['loop_calls']} calls")


def check_findings(c):
    found = {}
    for f in c.stats["findings"]:
        found.setdefault(f["id"], []).append(f)
    boots = sum(1 for x in c.calls(*SUBMITS)[0:] if c.inside(x, "ivpu_boot"))
    first = min(c.calls(*SUBMITS), key=lambda x: x.begin)
    later = boots - bool(c.inside(first, "ivpu_boot"))
    for name, scenario in TROUBLES.items():
        want = c.scenario == scenario
        if name == "no-reply" and "vpu:jsm" not in {e["name"] for e in c.stats["events_by_type"]}:
            want = False
        if name == "boot-in-submit":
            want = later > 0
        if name == "slow-allocation":
            continue
        if name == "npu-stall" and not want:
            check_stalls(c, found.get(name, []))
            continue
        # Findings tell of what took long: a host that stops the guest makes some, and hides some.
        measured((name in found) == want, f"finding {name}: {'there' if name in found else 'not there'}"
                 + (": " + found[name][0]["text"] if name in found else ""))
    check_slow(c, found.get("slow-allocation", []))
    polls = len(c.calls("ivpu_ipc_irq_handler")) - len(c.calls("ivpu_hw_irq_handler"))
    if polls >= 3 and not c.missing("ivpu_ipc_irq_handler"):
        e = found.get("boot-polling", [{"evidence": {}}])[0]["evidence"]
        check(polls in e.values(), f"finding boot-polling: {e}, truth {polls}")


def check_stalls(c, found):
    """Emulation may stop for long. What is found must be so."""
    wrong = []
    for f in found:
        job = next((j for j in c.jobs if f" {j['fence_context']}:" in f["text"]), None)
        times = [int(j["signal_ns"]) - int(j["submit_ns"]) for j in c.jobs if job and j["pid"] == job["pid"]]
        if not job or int(job["signal_ns"]) - int(job["submit_ns"]) < 5 * median(times):
            wrong.append(f["text"])
    measured(not wrong, f"finding npu-stall: {len(found)}; of no job that was long: {wrong}")


def check_slow(c, found):
    """
    Each finding names a call that there was; in slow-alloc the 20th creation is among them. How slow the call
    was is not asked: emulation may stop between the probe and the function.
    """
    creates = sorted(c.calls("ivpu_bo_create_ioctl"), key=lambda x: x.begin)
    if c.scenario == "slow-alloc":
        slow = creates[19]
        measured(any(abs(f["at_ns"] - slow.begin) < 5_000_000 or abs(f["at_ns"] - slow.end) < 5_000_000 for f in found),
                 "finding slow-allocation: the 20th creation")
    times = [(n.call.begin, n.call.end) for n in c.nodes if n.name in BINDS + ("ivpu_bo_create_ioctl",)
             or n.name.startswith("zeMemAlloc")]
    wrong = [f["text"] for f in found if not any(b - 50_000_000 <= f["at_ns"] <= e + 1_000_000
                                                 for b, e in times)]
    measured(not wrong, f"finding slow-allocation: {len(found)}; of no call that there was: {wrong[:2]}")


def check_jobs(c):
    mine = {j["context"]: j for j in c.job_lines}
    truth = {int(j["fence_context"]): j for j in c.jobs}
    equal("jobs: number", (len(c.job_lines), c.stats["total"]["jobs"]), (len(truth), len(truth)))
    # Without its fence's init event a job has a made-up name, and says so.
    named = {k for k in mine if "key-inferred" not in mine[k]["flags"]}
    made_up, nameless = len(mine) - len(named), c.rec.lost.get("dma_fence:dma_fence_init", 0)
    check(named <= set(truth) and len(named) + made_up == len(truth) and made_up <= nameless,
          f"jobs: each once, by its fence; not {list(named ^ set(truth))[:3]}; {made_up} with made-up names, {nameless} inits lost")
    both = [(mine[k], {n: int(v) for n, v in truth[k].items()}) for k in truth if k in mine]
    wrong = [(m.get("pid"), m.get("tid"), m.get("client")) for m, t in both
             if (m.get("pid"), m.get("tid"), m.get("client", t["ctx"])) != (t["pid"], t["tid"], t["ctx"])]
    check(not wrong, f"jobs: process, thread and context; {len(wrong)} not: {wrong[:3]}")
    tracepoints = any(e["name"] == "vpu:job" for e in c.stats["events_by_type"])
    check(all(("client" in m) == tracepoints for m, _ in both), f"jobs: contexts {'' if tracepoints else 'not '}known")
    check_job_times(c, both)


def check_job_times(c, both):
    """Done is reported inside of the function that signals, after the signal began."""
    signals = c.calls("ivpu_job_signal", "ivpu_job_signal_and_destroy")
    run, start, wrong = [], [], {"done": [], "run": [], "execution": []}
    last = last_done = 0
    for m, t in sorted(both, key=lambda b: b[1]["start_ns"]):
        signal = next((x for x in signals if x.begin <= t["signal_ns"] <= x.end), None)
        if not signal or not t["signal_ns"] <= m.get("done_ns", 0) <= signal.end:
            wrong["done"].append((t["job_id"], m.get("done_ns", 0) - t["signal_ns"]))
        if "run_ns" not in m or not t["doorbell_ns"] <= m["run_ns"] <= t["end_ns"]:
            wrong["run"].append((t["job_id"], m.get("run_ns", 0) - t["doorbell_ns"]))
        run.append(min(abs(m.get("run_ns", 0) - t["submit_ns"]), abs(m.get("run_ns", 0) - t["doorbell_ns"])))
        if "start_ns" in m:
            start.append(abs(m["start_ns"] - max(m["run_ns"], last)))
        # The driver knows of the engine's end by the signal alone, and of its begin by the doorbell; of a job
        # that is only bounded, the upper bound is certain (docs/jobs.md).
        if ("start_ns" in m and m["exec_min_ns"] > m["done_ns"] - max(t["doorbell_ns"], last)) or \
                m.get("exec_max_ns", 0) < t["signal_ns"] - max(t["start_ns"], last_done, m.get("run_ns", 0)):
            took = t["signal_ns"] - max(t["start_ns"], last)
            wrong["execution"].append((t["job_id"], m.get("exec_min_ns"), m.get("exec_max_ns"), took))
        last_done = max(last_done, m.get("done_ns", 0))
        last = t["signal_ns"]
    for what, jobs in wrong.items():
        check(not jobs, f"jobs: {what} of {len(both)} is where it was; {len(jobs)} not: {jobs[:3]}")
    # What bounds them was judged above; how far they are from it is for people.
    print(f"     jobs: median error of {len(run)} runs {median(run)} ns, of {len(start)} starts {median(start)} ns")


def check_map(c):
    section = c.stats.get("api" if c.with_api else "tree")
    if not section:
        check(False, "map: no section")
        return
    want = {}
    for n in c.nodes:
        want.setdefault(n.path, []).append(n)
    unlogged = {n for n, k in c.counts.items() if k and n not in c.truth}
    got = paths(section["tree"], unlogged)
    check(section["calls_in_other"] == 0 and section["tasks_left_out"] == 0, "map: nothing left out")
    check(c.total_lost or set(got) == set(want), f"map: {len(want)} paths; not {list(set(got) ^ set(want))[:2]}")
    for name in sorted(unlogged & c.names):
        calls = sum(x["calls"] for x in section["tree"] if x["name"] == name)
        check(c.counts[name] - c.missing(name) <= calls <= c.counts[name], f"map: {calls} calls of {name}, truth {c.counts[name]}")
    from_pages = "ivpu_mmu_context_map_page" in c.names
    equal("map: pages are told by", section["pages_mapped_from"], "ivpu_mmu_context_map_page" if from_pages else None)
    wrong, late_irqs, times = [], [], {}
    for p in set(got) & set(want):
        check_node(c, p, got[p], want[p], bool(unlogged & c.names), wrong)
        check_interrupts(c, p, got[p], want[p], late_irqs)
    check(not wrong, f"map: counts of {len(got)} nodes; {len(wrong)} not: {wrong[:3]}")
    # An interrupt is a call's if it was not long before it: a host that stops the guest in between decides.
    measured(not late_irqs, f"map: interrupts of {len(got)} nodes; {len(late_irqs)} not: {late_irqs[:3]}")
    for n in c.mine if c.total_lost == 0 else []:
        if n.name not in unlogged:
            p = tuple(x for x in n.path if x[1] not in unlogged)
            times[p] = times.get(p, 0) + n.ns
    late = [(p[-1], got[p]["total_ns"], t) for p, t in times.items() if p in got and got[p]["total_ns"] != t]
    check(not late, f"map: times of {len(times)} nodes, as recorded; {len(late)} not: {late[:3]}")
    outside = sum(task is None for _, task in c.given)
    equal("map: jobs outside of tasks, not known", (section["jobs_outside"], section["jobs_not_known"]), (outside, 0))
    check_tasks(c, section)


def paths(tree, unlogged):
    """The nodes that have calls by their paths, in which functions are left out whose calls the truth only
    counts: nodes that are then the same are added up."""
    path, got = {None: ()}, {}
    for x in tree:
        path[x["node"]] = path[x["parent"]] + (() if x["name"] in unlogged else ((x["kind"], x["name"]),))
        if not x["calls"] or x["name"] in unlogged:
            continue
        y = dict({k: v for k, v in x.items() if k != "attributed"}, **x["attributed"])
        old = got.get(path[x["node"]])
        if old:
            y = {k: old[k] + v if isinstance(v, int) else v for k, v in y.items()}
        got[path[x["node"]]] = y
    return got


def check_node(c, path, got, nodes, unlogged, wrong):
    inside = [i for n in nodes for i in n.inside()]
    maps = [i for i in inside if i.name == "ivpu_mmu_context_map_sgt"]
    here = {id(n) for n in nodes}
    jobs = [j for j, task in c.given if task and any(id(a) in here for a in task.around())]
    pages = sum(int(i.call.entry["pages"]) for i in maps + nodes if i.name == "ivpu_mmu_context_map_sgt")
    want = {
        "calls": len(nodes), "syscalls": 0, "map_sgt_calls": len(maps),
        "replies": sum(i.name == "ivpu_ipc_receive" and i.call.ret["ret"] == 0 for i in inside + nodes),
        "map_page_calls": pages if unlogged else 0, "pages_mapped": pages if unlogged else None,
        "jobs": len(jobs), "job_done_messages": len(jobs),
    }
    if not unlogged:
        want["kernel_calls"] = sum(i.kind == "function" for i in inside)
    lost = sum(c.missing(n) for n in {i.name for i in inside} | {path[-1][1]})
    for key, value in want.items():
        if got[key] != value and not (value is not None and value - lost <= got[key] <= value):
            wrong.append((path[-1][1], key, got[key], value))


def check_interrupts(c, path, got, nodes, wrong):
    irqs, unsure = sum(n.irqs for n in nodes), sum(n.unsure for n in nodes)
    if abs(got["interrupts"] - irqs) > unsure + 2 * c.missing("ivpu_hw_irq_handler"):
        wrong.append((path[-1][1], "interrupts", got["interrupts"], irqs, unsure))


def check_tasks(c, section):
    if not c.with_api:
        return
    pids, wrong = {}, []
    for n in c.nodes:
        if n.kind == "api":
            pids[(n.call.pid, n.name)] = pids.get((n.call.pid, n.name), 0) + 1
    for t in section["tasks"]:
        want = pids.pop((t["pid"], t["name"]), 0)
        if t["calls"] != want:
            wrong.append((t["pid"], t["name"], t["calls"], want))
    check(not wrong and not pids, f"map: {len(section['tasks'])} tasks by process; not {wrong[:3]} {list(pids)[:3]}")


def main(argv):
    c = Case(*argv[1:])
    if c.total_lost:
        lossy()
    for judge in (check_calls, check_families, check_allocations, check_power, check_firmware, check_findings,
                  check_jobs, check_map):
        judge(c)
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
