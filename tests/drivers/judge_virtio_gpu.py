# SPDX-License-Identifier: BSD-2-Clause
"""The section virtio_gpu of `xtr stats`: commands, responses, virtqueues, from the scenario's events alone."""

import collections

import playfile

SYSTEMS = ("virtio_gpu",)
SLACK_NS = 20_000
UNANSWERED_NS = 1_000_000_000
NAMES = {0x100: "GET_DISPLAY_INFO", 0x101: "RESOURCE_CREATE_2D", 0x104: "RESOURCE_FLUSH", 0x105: "TRANSFER_TO_HOST_2D", 0x10a: "GET_EDID",
         0x200: "CTX_CREATE", 0x207: "SUBMIT_3D", 0x300: "UPDATE_CURSOR", 0x301: "MOVE_CURSOR", 0x1100: "OK_NODATA",
         0x1101: "OK_DISPLAY_INFO", 0x1104: "OK_EDID", 0x1200: "ERR_UNSPEC", 0x1203: "ERR_INVALID_RESOURCE_ID", 0x9999: None}
QUEUE, RESPONSE = "virtio_gpu:virtio_gpu_cmd_queue", "virtio_gpu:virtio_gpu_cmd_response"


def fenced_late(events):
    """The response to a command with a fence, which is paired on all kernels, is later."""
    found = [k for k, e in enumerate(events) if e.event == RESPONSE and e.get("fence_id") and "type" in e.fields]
    nth = sum(e.event == RESPONSE for e in events[:found[0]]) if found else 0
    return playfile.shifted(events, RESPONSE, 50_000, nth) if found else None


SPOILS = [
    ("a command is missing", lambda e: playfile.without(e, QUEUE)),
    ("a response more", lambda e: playfile.doubled(e, RESPONSE)),
    ("another type", lambda e: playfile.altered(e, QUEUE, "type", lambda v: v + 1)),
    ("another answer", lambda e: playfile.altered(e, RESPONSE, "type", lambda v: v + 0x100)),
    ("another device", lambda e: playfile.altered(e, QUEUE, "dev", lambda v: v + 5)),
    ("a response is late", fenced_late),
]


class Truth:
    """By number on the virtqueue where the events have it, else by fence."""

    def __init__(self, events):
        self.by_seqno = any("seqno" in e.fields for e in events)
        self.commands, self.responses = collections.OrderedDict(), collections.Counter()
        self.queues, self.unasked, waiting = {}, 0, {}
        for e in events:
            key = (e.get("dev"), e.get("vq"), e.get("seqno")) if self.by_seqno else (e.get("dev"), e.get("fence_id"))
            paired = self.by_seqno or e.get("fence_id")
            queue = self.queues.setdefault((e.get("dev"), e.get("vq")), {"queued": 0, "answered": 0, "free": []})
            queue["free"].append(e.get("num_free"))
            queue["queued" if e.event == QUEUE else "answered"] += 1
            if e.event == QUEUE:
                row = self.commands.setdefault((e.get("dev"), e.get("type")), collections.Counter(times=[]))
                row["queued"] += 1
                if not paired:
                    row["unpaired"] += 1
                    continue
                if key in waiting:
                    waiting[key][0]["unanswered"] += 1
                waiting[key] = (row, e.t_ns)
                continue
            self.responses[(e.get("dev"), e.get("type"))] += 1
            if paired and key in waiting:
                row, t = waiting.pop(key)
                row["times"].append(e.t_ns - t)
                row["errors"] += e.get("type") >= 0x1200
            elif paired:
                self.unasked += 1
        for row, t in waiting.values():
            row["unanswered" if events[-1].t_ns - t > UNANSWERED_NS else "open"] += 1


def times(out, what, hist, want, exact):
    out.append((hist["n"] == len(want), f"{what}: {hist['n']} times, should be {len(want)}"))
    if not want or hist["n"] != len(want):
        return
    middle = sorted(want)[(len(want) - 1) // 2]
    if exact:
        have = (hist["sum"], hist["min"], hist["max"])
        out.append((have == (sum(want), min(want), max(want)), f"{what}: sum, min, max {have}, should be {(sum(want), min(want), max(want))}"))
    near = max(1, middle // 100) if exact else max(SLACK_NS, middle * 5 // 100)
    out.append((abs(hist["p50"] - middle) <= near, f"{what}: p50 {hist['p50']}, should be {middle}"))


def judge(events, xtr, trace, exact):
    stats = playfile.stats(xtr, trace)
    section, out = stats.get("virtio_gpu"), []
    mine = [e for e in events if e.system == "virtio_gpu"]
    truth = Truth(mine)
    if section is None:
        return [(False, "there is no section")]

    def same(what, have, want):
        out.append((have == want, f"{what}: {have}, should be {want}"))

    same("paired_by", section["paired_by"], "seqno" if truth.by_seqno else "fence")
    same("events", section["events"], dict(collections.Counter(e.event for e in mine)))
    have = {(c["device"], c["type"]): c for c in section["commands"]}
    same("commands", list(have), list(truth.commands))
    for key in set(have) & set(truth.commands):
        c, row = have[key], truth.commands[key]
        same(f"command {key}", [c[k] for k in ("queued", "answered", "errors", "open", "unanswered", "unpaired")],
             [row["queued"], len(row["times"]), row["errors"], row["open"], row["unanswered"], row["unpaired"]])
        times(out, f"command {key}", c["time_ns"], row["times"], exact)
    for row in section["commands"] + section["responses"]:
        if row["type"] in NAMES:
            same(f"name of {row['type']:#x}", row["name"], NAMES[row["type"]])
    same("responses", {(r["device"], r["type"]): r["count"] for r in section["responses"]}, dict(truth.responses))
    want = {k: (q["queued"], q["answered"], min(q["free"]) if truth.by_seqno else None, q["free"][-1] if truth.by_seqno else None)
            for k, q in truth.queues.items()}
    same("virtqueues", {(q["device"], q["vq"]): (q["queued"], q["answered"], q["least_free"], q["last_free"]) for q in section["virtqueues"]}, want)
    same("unasked", section["unasked"], truth.unasked)
    bad = {(d, t): n for (d, t), n in truth.responses.items() if t >= 0x1200}
    found = [f["evidence"] for f in stats["findings"] if f["id"] == "virtio-gpu-error"]
    same("findings of errors", sorted((e["type"], e["responses"]) for e in found), sorted((t, n) for (d, t), n in bad.items()))
    return out
