# SPDX-License-Identifier: BSD-2-Clause
"""Printed traces of older kernels, whose events say less: what is not known is not a number."""

import json

from harness import equal, events, expect, import_file, jobs, test, xtr

HEAD = "# tracer: nop\n#\n"


def line(comm, tid, cpu, us, event, text):
    return f"{comm:>16}-{tid:<6} [{cpu:03}] ..... {us // 1000000}.{us % 1000000:06}: {event}: {text}\n"


def stats(path):
    return json.loads(xtr("stats", "--json", path).out)["sections"][0]


class Requests:
    """Requests of Linux 4.17: an engine's number, and global numbers that are given as it gets them."""

    def __init__(self):
        self.lines = []

    def add(self, us, event, ring, ctx, seqno, more="", comm="player", tid=700):
        self.lines.append((us, line(comm, tid, ctx % 4, us, event, f"dev=0, hw_id=5, ring={ring}, ctx={ctx}, seqno={seqno}{more}")))

    def begin(self, us, ring, ctx, seqno):
        self.add(us, "i915_request_queue", ring, ctx, seqno, ", flags=0x0")
        self.add(us + 10, "i915_request_add", ring, ctx, seqno, ", global=0")

    def retire(self, us, ring, ctx, seqno, number):
        self.add(us, "i915_request_retire", ring, ctx, seqno, f", global={number}", "kworker/u8:1", 55)

    def notify(self, us, ring, number):
        self.lines.append((us, line("<idle>", 0, 3, us, "intel_engine_notify", f"dev=0, ring={ring}, seqno={number}, waiters=0")))

    def text(self):
        return (HEAD + "".join(text for _, text in sorted(self.lines, key=lambda x: x[0]))).encode()


@test
def requests_that_nobody_waits_for_have_bounds(folder):
    made = Requests()
    for i in range(1, 6):
        at = 50_000_000 + i * 2_000_000
        made.begin(at, 0, 31, i)
        made.begin(at + 300, 0, 32, i)
        made.retire(at + 400_000, 0, 32, i, 2 * i)
        made.retire(at + 900_000, 0, 31, i, 2 * i - 1)
    path, _ = import_file(folder, made.text(), name="late.txt")
    found = jobs(path)
    equal({(j["quality"], tuple(j["flags"]), j["exec_min_ns"]) for j in found}, {("bounded", ("no-run", "late"), 0)}, "late, and nothing tells of the hand-over")
    section = stats(path)
    ring = section["rings"][0]
    equal([ring[k] for k in ("ring", "late", "overtaken", "batches", "bounded_because", "exec_min_sum_ns", "busy_bounded")],
          ["rcs0", 10, 0, 0, None, 0, True], "of the engine nothing is known but upper bounds")
    for rows in ("devices", "processes", "clients"):
        equal([(r["exec_min_sum_ns"], r["busy_bounded"]) for r in section[rows]], [(0, True)] * len(section[rows]), rows)
    text = xtr("stats", "--all", path).out
    rows = [row for row in text.splitlines() if row.startswith("  card0")]
    expect(all(" <=" in row and "0 ns.." in row for row in rows[:2]), "text says so", text[:1500])
    top = [json.loads(x) for x in xtr("top", "--json", "--interval", "500ms", path).out.splitlines()]
    busy = [r["busy_ns"] for t in top for r in t.get("rings", [])]
    # After the first of them was late, what is on the engine may have ended: it is unsure.
    expect(sum(busy) <= ring["busy_ns"], "top has no more than stats", busy)
    equal(sum(r["jobs"] for t in top for r in t.get("rings", [])), 10, "and each job once")
    query = xtr("query", "--json", path, "SELECT sum(exec_min_ns) AS least, max(exec_max_ns) AS most FROM jobs")
    equal(json.loads(query.out.splitlines()[0])["least"], 0, "tables have the same bounds")


@test
def interrupts_tell_when_a_request_had_ended(folder):
    made = Requests()
    for i in range(1, 9):
        at = 50_000_000 + i * 1_000_000
        made.begin(at, 0, 31, i)
        made.begin(at + 200, 2, 41, i)
        made.begin(at + 300, 3, 42, i)
        made.notify(at + 700, 0, 99850 + i)
        made.notify(at + 900, 2, 500 + i)
        made.notify(at + 950, 3, 500 + i)
        made.retire(at + 600_000, 0, 31, i, 99850 + i)
        made.retire(at + 600_010, 2, 41, i, 500 + i)
        made.retire(at + 600_020, 3, 42, i, 500 + i)
    path, _ = import_file(folder, made.text(), name="notify.txt")
    found = jobs(path)
    equal({(j["ring"], j["exec_max_ns"], j["exec_min_ns"]) for j in found},
          {("rcs0", 690_000, 0), ("vcs0", 690_000, 0), ("vcs1", 640_000, 0)}, "upper bounds by engine")
    rings = {r["ring"]: r["busy_ns"] for r in stats(path)["rings"]}
    equal(rings, {"rcs0": 8 * 690_000, "vcs0": 8 * 690_000, "vcs1": 8 * 640_000}, "busy at most")


@test
def execution_lists_tell_when_a_request_ended(folder):
    made = Requests()
    for i in range(1, 4):
        at = 50_000_000 + i * 10_000
        made.begin(at, 4, 31, i)
        made.add(at + 20, "i915_request_submit", 4, 31, i, ", global=0")
        made.add(at + 30, "i915_request_execute", 4, 31, i, f", global={i}")
        made.add(at + 31, "i915_request_in", 4, 31, i, f", prio=0, global={i}, port=0")
        made.add(at + 430, "i915_request_out", 4, 31, i, f", global={i}, completed?=1", "<idle>", 0)
    path, _ = import_file(folder, made.text(), name="lists.txt")
    equal({(j["ring"], j["exec_ns"], j["quality"]) for j in jobs(path)}, {("vecs0", 400_000, "inferred")}, "from execute to out")
    equal([e["fields"]["completed"] for e in events(path) if e["event"].endswith("_out")], [1] * 3, "as tracefs calls it")
    engine = ", engine=2:1, ctx=9, seqno=4"
    text = HEAD + "".join(line("player", 700, 1, 1_000_000 + 10 * i, f"i915_request_{e}", f"dev=0{engine}{more}")
                          for i, (e, more) in enumerate((("queue", ", flags=0x0"), ("add", ""), ("execute", ""),
                                                         ("in", ", prio=0, port=0"), ("out", ", completed?=1"))))
    path, _ = import_file(folder, text.encode(), name="lists-6.1.txt")
    equal([(j["ring"], j["exec_ns"]) for j in jobs(path)], [("vcs1", 20_000)], "with a class and an instance")


@test
def words_that_stand_for_flags(folder):
    text = HEAD + "".join(line("player", 700, 1, 1_000_000 + 10 * i, event, what) for i, (event, what) in enumerate((
        ("i915_request_queue", "dev=0, engine=0:0, ctx=9, seqno=4, flags=0x0"),
        ("intel_gpu_freq_change", "new_freq=450"), ("intel_gpu_freq_change", "new_freq=900"),
        ("i915_reg_rw", "write reg=0x2098, len=4, val=(0xfffffeff, 0x0)"),
        ("i915_reg_rw", "read reg=0x2358, len=8, val=(0x1, 0x2)"), ("i915_reg_rw", "read reg=0x2358, len=8, val=(0x2, 0x2)"))))
    have = stats(import_file(folder, text.encode())[0])["i915"]
    equal([have["frequency"][k] for k in ("changes", "min_mhz", "max_mhz")], [2, 450, 900], "frequency")
    equal([(r["reg"], r["reads"], r["writes"]) for r in have["registers"]["most_accessed"]], [(0x2358, 2, 0), (0x2098, 0, 1)], "registers")


@test
def fences_that_get_their_number_at_emit(folder):
    text = HEAD
    for i in range(4):
        us = 100_000_000 + i * 3_000_000
        name = "driver=virtio_gpu timeline=controlq context=1 seqno="
        text += line("browser", 812, 1, us, "dma_fence_init", name + "0")
        text += line("browser", 812, 1, us + 3, "dma_fence_emit", f"{name}{7000 + i}")
        if i != 1:
            text += line("kworker/2:1", 60, 2, us + 1200, "dma_fence_signaled", f"{name}{7000 + i}")
    path, _ = import_file(folder, text.encode())
    section = stats(path)
    equal([section["fences"][k] for k in ("unsignalled", "destroyed_unsignalled")], [1, 0], "one was not signalled")
    equal([(f["context"], f["seqno"], f["since"]) for f in section["fences"]["unsignalled_list"]], [(1, 7001, "emit")], "by its number")
    equal([f["evidence"]["oldest_seqno"] for f in section["findings"] if f["id"] == "unsignalled-fences"], [7001], "the finding, too")
    source = section["fences"]["sources"][0]
    equal([source[k] for k in ("init", "emit", "signaled", "lives", "life_max_ns")], [4, 4, 3, 3, 1_197_000], "lives since emit")


@test
def vblanks_without_a_time(folder):
    frames = [(us, crtc, seq) for crtc, period, first in ((0, 16_663, 500), (1, 11_169, 90_000))
              for seq, us in ((first + i, 70_000_000 + i * period + i % 3 * 20) for i in range(200))]
    text = HEAD + "".join(line("<idle>", 0, crtc, us, "drm_vblank_event", f"crtc={crtc}, seq={seq}")
                          for us, crtc, seq in sorted(frames))
    path, _ = import_file(folder, text.encode())
    display = stats(path)["display"]
    equal([display["stamped"], display["comparable"]], [True, False], "by time stamps")
    for crtc, period in zip(display["crtcs"], (16_663, 11_169)):
        equal(len(crtc["clocks"]), 1, "one clock")
        clock = crtc["clocks"][0]
        equal([clock[k] for k in ("events", "missed", "off_or_missed", "idle", "restarts")], [200, 0, 0, 0, 0], "without a gap")
        expect(abs(clock["refresh_ns"] - period * 1000) <= 40_000, "its refresh interval", clock)
        equal([clock["irq_latency_ns"]["n"], clock["delivery_ns"]["n"]], [0, 0], "nothing after a vblank")
    text = xtr("stats", "--all", path).out
    expect("events' time stamps" in text and "interrupt's latency" in text and "60.0" in text, "text says where it is from", text[:1500])
