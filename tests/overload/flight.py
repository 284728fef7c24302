# SPDX-License-Identifier: BSD-2-Clause
"""The flight recorder: recorded, lost and aged events together are those that happened, whatever is written and when."""

import glob
import os
import re
import signal
import struct
import subprocess
import time

from common import (CALL, Counts, EMIT, OTHER, PRODUCE, RENAME, RR, SANITIZED, XTR, Truth, count, equal, expect, info, pieces, produce, record, sections,
                    test, wait_for, xtr)

READY = "writes what is kept"


class Flight:
    """xtr record --flight in the background, with a command that ends when it is told to."""

    def __init__(self, *args, command=("sh", "-c", "read x; exit 0"), out="run.xtr"):
        self.err = open("err", "w+b")
        self.p = subprocess.Popen([XTR, "record", "-o", out, *args, "--", *command], stdin=subprocess.PIPE, stderr=self.err)
        wait_for(lambda: READY in self.text() or self.p.poll() is not None, "the recorder is ready")
        expect(self.p.poll() is None, f"record {' '.join(args)}: {self.text()}")

    def text(self):
        with open("err", "rb") as f:
            return f.read().decode()

    def signal(self, sig=signal.SIGUSR1):
        self.p.send_signal(sig)

    def files(self, n):
        """Wait until so many are told of; the last line of them."""
        told = lambda: [line for line in self.text().splitlines() if "': written for" in line]
        return wait_for(lambda: len(told()) >= n and told(), f"{n} files")[n - 1]

    def end(self, status=(0,)):
        self.p.communicate(b"x\n", timeout=120)
        expect(self.p.returncode in status, f"status {self.p.returncode}: {self.text()}")
        count("flights", len(glob.glob("run.*.xtr")))
        return self.text()


def emit(*args):
    subprocess.run([EMIT, *map(str, args)], check=True)


def happened(files):
    """Each file says how many events there were since the one before."""
    for f in files:
        count("aged", f.n_aged)
    return sum(f.n_events + f.n_lost + f.n_aged for f in files)


def finished():
    try:
        return Truth().finished
    except (OSError, struct.error):  # not there, not mapped yet
        return 0


@test
def aged_events_are_counted_exactly():
    """More than memory holds, files on signals meanwhile: 3 files, each event in one of them or counted."""
    f = Flight("--flight", "1M", "-e", CALL, "-e", OTHER, command=["sh", "-c", f"'{PRODUCE}' truth 2 0 1500000; read x"])
    f.signal()
    f.files(1)
    f.signal()
    f.files(2)
    wait_for(finished, "the end of the producer", 300)
    text = f.end(status=(0, 3))
    files = [Counts(p) for p in sorted(glob.glob("run.*.xtr"))]
    equal(len(files), 3, "files")
    equal(happened(files), Truth().all, "recorded, lost and aged")
    aged = sum(f.n_aged for f in files)  # in which of them depends on when they were written
    expect(aged > 100000, f"aged: {aged}: {text}")
    expect(0 < max(os.path.getsize(p) for p in glob.glob("run.*.xtr")) < (1 << 20) + 200000, "a file is about as large as asked for")
    equal([x.flight["why"] for x in files], ["signal", "signal", "end"], "why")
    equal([x.config["piece"] for x in files], [1, 2, 3], "pieces")
    equal(files[2].config["piece-events-before"], files[0].n_events + files[1].n_events, "events before")
    expect("older not kept" in text, text)


@test
def what_is_kept_is_whole_from_a_time_on():
    """From flight-from on everything is there, and nothing before; each event has its name and its thread."""
    record("--flight", "1M", "-e", RENAME, "--", EMIT, "threads", "2", "rename", "60000", status=(0, 3))
    (s,) = pieces()
    begin = s.config["flight-from"]
    expect(s.n_aged > 1000 and begin > 0, f"aged {s.n_aged} from {begin}")
    expect(all(r[1] >= begin for r in s.records), "an event is older than the beginning")
    kind, names, known = s.type_of(RENAME), {}, {key[0] for key in s.tasks}
    for _, _, t, tid, raw in sorted(s.records, key=lambda r: r[1]):  # the file has them CPU by CPU
        if t == kind:
            names.setdefault(tid, []).append(s.field(RENAME, "newcomm", raw).split(b"\0")[0])
    for thread, list_of_names in names.items():
        numbers = [int(n.split(b"-")[1]) for n in list_of_names if n.startswith(b"rn-")]
        # A definition that finds no room is tried again with the next event: another program may have only one.
        expect(thread in known or not numbers, f"thread {thread} has no name")
        if numbers and not s.n_lost:
            equal(numbers, list(range(numbers[0], 60000)), f"the renames of thread {thread}")
    equal(s.end["reason"], "command ended", "reason")
    doc = info("run.000001.xtr")["sections"][0]
    equal((doc["aged"], doc["flight"]["why"], doc["flight"]["from_ns"]), (s.n_aged, "end", begin), "info --json")
    text = xtr("info", "run.000001.xtr", status=(0, 3)).decode()
    expect("Flight recorder: the newest" in text and f"{s.n_aged:,} older events were not kept" in text, text)
    text = xtr("stats", "run.000001.xtr", status=(0, 3)).decode().splitlines()
    expect(any(line.startswith("Flight recorder: the newest") for line in text[:4]), str(text[:4]))


@test
def only_a_time_is_kept():
    """The newest 200 ms before the signal, to the nanosecond; what is older is counted."""
    f = Flight("--flight", "200ms", "-e", RR)
    emit("call", 1000)
    time.sleep(0.7)
    emit("call", 100)
    f.signal()
    f.files(1)
    f.end()
    s, last = pieces()
    equal(s.config["flight-ns"], 200_000_000, "limit")
    begin, at = s.config["flight-from"], s.config["flight-at"]
    equal(begin, at - 200_000_000, "beginning")
    expect(all(r[1] >= begin for r in s.records), "older than that")
    expect(s.n_aged >= 1000, f"aged: {s.n_aged}")
    equal(happened([s, last]), 1100, "recorded, lost and aged")


@test
def a_named_event_triggers_and_others_are_counted():
    """One file for many triggers, which has what followed; --keep and the pause bound what there is."""
    f = Flight("--flight", "4M", "-e", RENAME, "-e", RR, "--trigger", RENAME, "--after", "300ms", "--pause", "1h")
    emit("call", 500)
    emit("rename", 50)
    emit("call", 500)
    line = f.files(1)
    emit("rename", 7)
    text = f.end()
    expect(f"written for '{RENAME}'" in line and "process" in line, line)
    first, last = pieces()
    equal([first.config["flight"], last.config["flight"]], [RENAME, "end"], "why")
    equal(first.config["flight-event"], RENAME, "event")
    kind = first.type_of(RENAME)
    at = first.config["flight-at"]
    expect(at in {r[1] for r in first.records if r[2] == kind}, "the event that has triggered")
    expect(first.config["flight-pid"] in {t[1] for t in first.tasks.values()}, "its process")
    renames = sum(r[2] == kind for p in (first, last) for r in p.records)
    expect(renames >= 57, f"{renames} renames")
    equal(first.config["flight-suppressed"] + last.config["flight-suppressed"], renames - 1, "triggers not followed")
    equal(sum(r[2] == first.type_of(RR) for p in (first, last) for r in p.records), 1000, "calls")
    equal(first.n_aged + last.n_aged, 0, "aged")
    expect("triggers not followed" in text, text)


@test
def lost_events_trigger():
    f = Flight("--flight", "1M", "--buffer", "4k", "--trigger", "drop", "--after", "0", "--pause", "1h", *produce(2, 0, 100000)[:4],
               command=["sh", "-c", f"'{PRODUCE}' truth 2 0 100000; read x"])
    line = f.files(1)
    expect("written for 'drop'" in line, line)
    f.end(status=(3,))
    files = [Counts(p) for p in sorted(glob.glob("run.*.xtr"))]
    equal([x.flight["why"] for x in files], ["drop", "end"], "why")
    expect(files[0].flight["value"] > 0, "how many")
    equal(happened(files), Truth().all, "recorded, lost and aged")


@test
def once_ends_the_recording():
    """By an event that nothing else causes: each program that starts is a rename."""
    f = Flight("--flight", "1M", "--once", "--trigger", OTHER, "--after", "0s", "-e", OTHER, "-e", RR)
    emit("call", 100)
    subprocess.run([PRODUCE, "truth", "1", "0", "4"], check=True)
    f.files(1)
    f.p.communicate(b"x\n", timeout=60)
    equal(f.p.returncode, 0, f.text())
    (s,) = pieces()
    equal((s.config["flight"], s.end["reason"]), (OTHER, "trigger"), "why")
    equal(sum(r[2] == s.type_of(RR) for r in s.records), 100, "calls")


@test
def nothing_is_on_disk_until_a_trigger():
    f = Flight("--flight", "1M", "-e", RR)
    emit("call", 1000)
    equal(sorted(os.listdir(".")), ["err"], "files")
    f.signal()
    f.files(1)
    equal(oct(os.stat("run.000001.xtr").st_mode & 0o7777), "0o600", "mode")
    f.end()
    with open("run.000003.xtr", "wb"):
        pass
    record("--flight", "1M", "-e", RR, "-d", "1ms", status=(1,))  # files of an earlier one are not mixed up
    record("--flight", "1M", "-e", RR, "--force", "-d", "1ms")
    equal(sorted(glob.glob("run.*.xtr")), ["run.000001.xtr"], "files after --force")
    os.symlink("elsewhere.xtr", "link.000001.xtr")
    record("--flight", "1M", "-e", RR, "-d", "1ms", out="link.xtr", status=(1,))
    equal(os.path.exists("elsewhere.xtr"), False, "written through a link")


@test
def a_killed_one_leaves_no_file():
    """What it held can be collected, if it can at all: tests/kill."""
    f = Flight("--flight", "1M", "-e", RR)
    emit("call", 1000)
    f.signal(signal.SIGKILL)
    f.p.communicate(timeout=60)
    equal(sorted(os.listdir(".")), ["err"], "files")
    drop = re.search(fr"'{os.getcwd()}/run.xtr'.*?--drop (\w+)", xtr("recover", "--killed").decode(), re.DOTALL)
    if drop:
        xtr("recover", "--killed", "--drop", drop.group(1))


@test
def files_are_joined():
    """The files of one recording in one, each with its own account."""
    f = Flight("--flight", "1M", "-e", RR)
    for n in (300, 500):
        emit("call", n)
        f.signal()
        f.files(1 + (n == 500))
    f.end()
    xtr("cat", "-o", "all.xtr", *sorted(glob.glob("run.*.xtr")))
    found = sorted(sections("all.xtr"), key=lambda s: s.config["piece"])
    equal([s.n_events for s in found], [300, 500, 0], "events")
    equal([s.config["flight"] for s in found], ["signal", "signal", "end"], "why")


@test
def keep_bounds_the_files():
    f = Flight("--flight", "1M", "--keep", "2", "-e", RR)
    for i in range(4):
        emit("call", 10)
        f.signal()
        f.files(i + 1)
    f.end()
    equal(sorted(glob.glob("run.*.xtr")), ["run.000004.xtr", "run.000005.xtr"], "files")
    last = Counts("run.000005.xtr")
    equal(last.config["piece-events-before"], 40, "events before")


@test
def a_full_disk_loses_nothing():
    """What could not be written stays, and is written when there is room again."""
    os.mkdir("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", "small"], check=True)
    try:
        with open("small/ballast", "wb") as ballast:
            ballast.write(bytes(3 << 20))
        f = Flight("--flight", "1M", "-e", RR, out="small/run.xtr")
        emit("call", 5000)
        f.signal()
        wait_for(lambda: "not written for 'signal'" in f.text(), "the error")
        expect("No space left on device; the events stay in memory" in f.text(), f.text())
        equal(os.listdir("small"), ["ballast"], "what is left of the file")
        os.unlink("small/ballast")
        f.signal()
        f.files(1)
        f.end()
        files = [sections(p)[0] for p in sorted(glob.glob("small/run.*.xtr"))]
        equal([(s.n_events, s.n_aged) for s in files], [(5000, 0), (0, 0)], "events in the files")
    finally:
        subprocess.run(["umount", "small"], check=True)


def resident(pid):
    """Its own memory, KiB: not the kernel's rings, which show as they are filled."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))


@test
def memory_stays_bounded():
    """Names that never come again go with the chunks that have them. How many live at once depends on how far round marks lag."""
    f = Flight("--flight", "1M", "-e", RENAME, "-e", RR)
    for _ in range(3):
        emit("threads", 2, "rename", 40000)
    before = resident(f.p.pid)
    for _ in range(4):
        emit("threads", 2, "rename", 40000)
        emit("threads", 2, "call", 100000)
    after = resident(f.p.pid)
    f.end(status=(0, 3))
    (s,) = [Counts(p) for p in glob.glob("run.*.xtr")]
    expect(s.n_aged > 200000, f"aged {s.n_aged}")
    count("held_kib", 0 if SANITIZED else max(after - before, 0))
    expect(SANITIZED or after - before < 96 << 10, f"{before} KiB grew to {after} KiB")


@test
def what_cannot_fire_is_refused():
    for trigger in ("xid", "reset", "hang>1s", "exec>1ms", "no:such_event"):
        text = record("--flight", "1M", "-e", RR, "--trigger", trigger, "-d", "1ms", status=(2,))
        expect(f"--trigger '{trigger}': no event that is recorded can fire it" in text, text)
    equal(glob.glob("*.xtr"), [], "files")


@test
def what_cannot_fire_is_left_out_if_it_may_be():
    """--try-trigger: one line each, and the recording goes on with the others."""
    f = Flight("--flight", "1M", "-e", RR, "--try-trigger", "hang>1s", "--try-trigger", "xid", "--trigger", "drop")
    text = f.text()
    for trigger in ("hang>1s", "xid"):
        expect(text.count(f"--try-trigger '{trigger}': no event that is recorded can fire it: left out") == 1, text)
    f.signal()
    f.files(1)
    f.end()
