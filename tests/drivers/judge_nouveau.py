# SPDX-License-Identifier: BSD-2-Clause
"""Rings of `xtr stats` where one name stands for several schedulers: one row for each, of each device, with its jobs alone."""

import collections

import playfile

SYSTEMS = ("gpu_scheduler",)
NAMES = ("nouveau_sched", "amdxdna_js")  # names that all schedulers of a driver have
SPOILS = [
    ("a job more", lambda e: other(e, lambda ring, dev: (ring + "#9", dev))),
    ("another device", lambda e: other(e, lambda ring, dev: (ring, "0000:99:00.0"))),
    ("another channel", lambda e: other(e, lambda ring, dev: (ring.split("#")[0] + ("" if "#" in ring else "#2"), dev))),
]


def other(events, change):
    """The first job was on another ring."""
    out, found = [], False
    for e in events:
        if not found and e.name == "drm_sched_job_run" and ours(e):
            found = True
            ring, dev = change(e.text("ring"), e.text("dev"))
            e = playfile.Event(e.t_ns, e.comm, e.pid, e.tid, e.cpu, e.event, {**e.fields, "ring": ring, "dev": dev})
        out.append(e)
    return out if found else None


def ours(event):
    return event.text("ring").split("#")[0] in NAMES


def judge(events, xtr, trace, exact):
    runs, jobs = {}, collections.defaultdict(list)
    answers = {(e.get("fence_context"), e.get("fence_seqno")): e.t_ns for e in events if e.name == "xdna_job" and e.text("str") == "signaling fence"}
    sent = {(e.get("fence_context"), e.get("fence_seqno")): e.t_ns for e in events if e.name == "xdna_job" and e.text("str") == "sent to device"}
    for e in events:
        name = (e.get("ctx"), e.get("seqno"))
        if e.name == "drm_sched_job_run" and ours(e):
            runs[name] = ((e.text("dev"), e.text("ring")), sent.get(name, e.t_ns))
        elif e.name == "drm_sched_job_done" and name in runs:
            ring, start = runs[name]
            jobs[ring].append(answers.get(name, e.t_ns) - start)
    want = sorted((dev, ring.split("#")[0], len(times), sum(times), max(times)) for (dev, ring), times in jobs.items())
    rows = [r for r in playfile.stats(xtr, trace)["rings"] if r["ring"].split("#")[0] in NAMES]
    have = sorted((r["device"], r["ring"].split("#")[0], r["jobs"], r["residence_ns"]["sum"], r["residence_ns"]["max"]) for r in rows)
    out = [([h[:3] for h in have] == [w[:3] for w in want], f"rings of one name: {have}, should be {want}")]
    if exact:
        out.append((have == want, f"times of rings of one name: {have}, should be {want}"))
    out.append((all(r["bounded"] and r["bounded_because"] for r in rows), "execution on them is only bounded"))
    return out
