# SPDX-License-Identifier: BSD-2-Clause
"""Recordings in pieces: each is a whole file, together they hold each event once and count each loss."""

import glob
import os
import random
import re
import signal
import subprocess
import time

import reader
from common import (CALL, Counts, EMIT, LONG, OTHER, PRODUCE, RENAME, RR, XTR, Truth, count, equal, expect, info, pieces, produce, record, sections,
                    test, wait_for, xtr)

NOBODY = 65534


def together(list_of_pieces):
    """Events and losses of a recording, as its last piece knows them; each piece knows those before it."""
    events = lost = None
    for p in list_of_pieces:
        before = p.config["piece-events-before"], p.config["piece-lost-before"]
        if events is not None:
            equal(before, (events, lost), f"what piece {p.config['piece']} says of those before it")
        events, lost = before[0] + p.n_events, before[1] + p.n_lost
        equal((p.end["events"], p.end["lost"]), (p.n_events, p.n_lost), "END")
    return events, lost


@test
def pieces_hold_each_event_once():
    record("--rotate", "50ms", "--rotate", "12k", "-e", RENAME, "--", "sh", "-c", f"{EMIT} threads 4 rename 2000; sleep 1", status=(0, 3))
    all_pieces = pieces()
    expect(len(all_pieces) > 3, f"{len(all_pieces)} pieces")
    count("rotations", len(all_pieces) - 1)
    equal([p.config["piece"] for p in all_pieces], list(range(1, len(all_pieces) + 1)), "numbers")
    equal(len({p.config["piece-of"] for p in all_pieces}), 1, "recordings")
    equal([p.end["reason"] for p in all_pieces], ["rotated"] * (len(all_pieces) - 1) + ["command ended"], "reasons")
    names = []
    for p in all_pieces:
        kind = p.type_of(RENAME)
        names += [p.field(RENAME, "newcomm", raw).split(b"\0")[0] for _, _, t, _, raw in p.records if t == kind]
        expect(len(p.clocks) >= 2, "clock snapshots at both ends")
    ours = [n for n in names if n.startswith(b"rn-")]
    lost = sum(p.n_lost for p in all_pieces)
    equal(len(ours), len(set(ours)), "events that are there twice")
    expect(len(ours) <= 8000 <= len(ours) + lost < 8200, f"{len(ours)} + {lost} of 8000")
    together(all_pieces)


@test
def each_cpu_goes_on_where_it_was():
    """Within a CPU the events of a piece come behind those of the piece before."""
    record("--rotate", "48k", *produce(2, 0, 40000), status=(0, 3))
    last = {}
    for p in pieces():
        first = {}
        for chunk, ts, _, _, _ in p.records:
            low, high = first.get(chunk.stream, (ts, ts))
            first[chunk.stream] = min(low, ts), max(high, ts)
        for cpu, (low, high) in first.items():
            expect(low >= last.get(cpu, 0), f"CPU {cpu} goes back in time")
            last[cpu] = high


@test
def pieces_are_cuts_in_time():
    """Each piece begins and ends at one time on all CPUs: what is before it is in the piece before, and nowhere else."""
    record("--rotate", "30k", *produce(2, 30000, 60000), status=(0, 3))
    all_pieces, cpus = pieces(), 0
    expect(len(all_pieces) > 3, f"{len(all_pieces)} pieces")
    borders = [(p.config["piece-from"], p.config["piece-to"]) for p in all_pieces]
    equal((borders[0][0], borders[-1][1]), (0, 0), "the recording's own ends")
    for (_, to), (begins, _) in zip(borders, borders[1:]):
        equal(begins, to, "the next piece begins where this one ends")
    for p, (begins, ends) in zip(all_pieces, borders):
        outside = [ts for _, ts, *_ in p.records if ts < begins or ts >= (ends or ts + 1)]
        equal(outside, [], f"events outside of piece {p.config['piece']}, from {begins} to {ends}")
        cpus = max(cpus, len({chunk.stream for chunk, *_ in p.records}))
    expect(cpus > 1, "one CPU has no border to keep to")
    events, lost = together(all_pieces)
    equal(events + lost, Truth().all, "recorded + lost")
    count("rotations", len(all_pieces) - 1)


def piece_numbers(folder="."):
    """Of the pieces that are there, in order. Any of them may go before it is looked at, so no piece's name is waited for."""
    return sorted(int(os.path.basename(path).split(".")[1]) for path in glob.glob(f"{folder}/run.*.xtr"))


def record_until(condition, what, *args, status=(0, 3), out="run.xtr"):
    """Run xtr record with a load as fast as it can be, of which any part may be lost, until the condition holds; its messages."""
    load = f"'{PRODUCE}' truth 2 0 0 & read x; kill $!; wait"
    p = subprocess.Popen([XTR, "record", "-o", out, *args, "-e", CALL, "-e", OTHER, "--", "sh", "-c", load], stdin=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    try:
        wait_for(lambda: condition() or p.poll() is not None, what, 300)
    finally:
        text = p.communicate(b"end\n", timeout=300)[1].decode()
    expect(p.returncode in status, f"record {' '.join(args)}: status {p.returncode}, expected {status}: {text.strip()}")
    return text


@test
def losses_are_exact_over_pieces_that_are_gone():
    text = record_until(lambda: max(piece_numbers(), default=0) >= 4, "four pieces", "--buffer", "4k", "--rotate", "60k", "--keep", "2", status=(3,))
    left, truth = pieces(), Truth()
    equal(len(left), 2, "pieces that are left")
    events, lost = together(left)
    equal(events + lost, truth.all, "recorded + lost")
    expect(lost > 1000, f"the rings were to overflow: {lost} lost")
    last = left[-1].config["piece"]
    expect(f"{last} pieces, of which the last 2 kept" in text, f"the summary: {text}")
    expect(f"LOST {lost:,} of {truth.all:,}" in text, f"the summary: {text}")
    said = xtr("info", sorted(glob.glob("run.*.xtr"))[-1], status=(0, 3)).decode()
    expect(f"{last} of a rotated recording; in those before it" in said, f"info: {said}")
    count("rotations", last - 1)
    count("emitted", truth.all)
    count("dropped", lost)


@test
def losses_of_each_cpu_and_event_are_exact_over_pieces():
    record("--engine", "bpf", "--buffer", "4k", "--rotate", "50k", *produce(2, 0, 60000), status=(3,))
    all_pieces, truth = pieces(), Truth()
    sums = {}
    for p in all_pieces:
        kinds = {p.type_of(CALL): 0, p.type_of(OTHER): 1}
        for chunk, _, kind, _, _ in p.records:
            sums[chunk.stream, kinds[kind]] = sums.get((chunk.stream, kinds[kind]), 0) + 1
        for (cpu, kind, _), n in p.lost.items():
            sums[cpu, kinds[kind]] = sums.get((cpu, kinds[kind]), 0) + n
        for chunk in {c for c, *_ in p.records}:
            of_cpu = sum(n for (cpu, *_), n in p.lost.items() if cpu == chunk.stream)
            expect(chunk.lost_total <= of_cpu, f"a chunk counts {chunk.lost_total} losses, the piece {of_cpu}")
    for cpu, calls in truth.calls.items():
        equal((sums.get((cpu, 0), 0), sums.get((cpu, 1), 0)), calls, f"calls on CPU {cpu}, recorded and lost")
    gaps = sum(g[3] for p in all_pieces for g in p.gaps)
    equal(gaps, sum(p.n_lost for p in all_pieces), "the gaps of all pieces together")
    count("emitted", truth.all)
    count("dropped", gaps)
    count("gaps", sum(len(p.gaps) for p in all_pieces))


@test
def pieces_by_time_come_without_events():
    record("--rotate", "100ms", "-d", "1s", "-e", OTHER)
    all_pieces = pieces()
    expect(len(all_pieces) >= 2, f"{len(all_pieces)} pieces")
    equal(all_pieces[-1].end["reason"], "duration", "reason")
    count("rotations", len(all_pieces) - 1)


@test
def size_is_that_of_all_pieces():
    p = subprocess.Popen([XTR, "record", "-o", "run.xtr", "--rotate", "50k", "--keep", "1", "--size", "400k", "--buffer", "256k", "-e", CALL],
                         stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while p.poll() is None and time.monotonic() < end:  # how many of them get into the file depends on the host
        subprocess.run([PRODUCE, "truth", "2", "0", "40000"], check=True)
    text = p.communicate(timeout=60)[1].decode()
    expect(p.returncode in (0, 3), f"exit status {p.returncode}: {text}")
    last = pieces()[-1]
    equal(last.end["reason"], "size limit", "reason")
    expect(last.config["piece"] >= 4, f"{last.config['piece']} pieces")


@test
def an_earlier_recording_is_in_the_way():
    with open("victim", "wb") as f:
        f.write(b"precious")
    os.symlink("victim", "run.000002.xtr")
    text = record("--rotate", "1M", "-e", RR, "--", EMIT, "call", "10", status=(1,))
    expect("run.000002.xtr" in text and "--force" in text, f"message: {text}")
    expect(not os.path.exists("run.000001.xtr"), "a piece was made")
    record("--force", "--rotate", "20k", "-e", RR, "--", EMIT, "call", "400000")
    expect(len(pieces()) > 1, "one piece only")
    for path in glob.glob("run.*.xtr"):
        st = os.lstat(path)
        equal((oct(st.st_mode), st.st_uid), ("0o100600", 0), f"{path}: mode and owner")
    with open("victim", "rb") as f:
        equal(f.read(), b"precious", "what the link led to")


@test
def a_link_put_in_the_way_ends_the_recording():
    """What comes afterwards is counted in the piece that could not be followed by another."""
    command = [XTR, "record", "-o", "run.xtr", "--force", "--rotate", "100k", "-e", CALL, "-e", OTHER, "--", "sh", "-c",
               f"read x; exec '{PRODUCE}' truth 2 20000 100000"]
    p = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.PIPE)
    wait_for(lambda: os.path.exists("run.000001.xtr"), "the first piece")
    os.symlink("victim", "run.000002.xtr")
    text = p.communicate(b"go\n", timeout=300)[1].decode()
    equal(p.returncode, 1, f"exit status ({text})")
    expect("run.000002.xtr: File exists" in text, f"message: {text}")
    expect(not os.path.exists("victim"), "the link was followed")
    os.unlink("run.000002.xtr")
    piece, truth = pieces()[0], Truth()
    equal(piece.end["reason"], "the next piece is there already", "reason")
    expect(piece.n_lost > 0 and piece.n_events + piece.n_lost <= truth.all, "losses")


def wait_recording(p):
    """The producer runs, and privileges are given up."""
    def calls():
        try:
            return Truth().all
        except (OSError, ValueError, ArithmeticError, Exception):  # noqa: BLE001 (not there, not mapped yet)
            return 0
    wait_for(calls, "the producer")
    expect(p.poll() is None, "the recorder has ended")


@test
def pieces_in_the_directory_of_somebody_else():
    """As with sudo in a home directory: no capability is left, and the pieces are that user's."""
    os.mkdir("home")
    os.chown("home", NOBODY, NOBODY)
    os.chmod("home", 0o700)
    command = [XTR, "record", "-o", "home/run.xtr", "--rotate", "50k", "--keep", "3", *produce(2, 20000, 60000)]
    p = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    wait_recording(p)
    ids = set()
    for task in os.listdir(f"/proc/{p.pid}/task"):
        with open(f"/proc/{p.pid}/task/{task}/status", encoding="ascii") as f:
            text = f.read()
        equal(re.search(r"CapEff:\s+(\w+)", text)[1].strip("0"), "", "capabilities while recording")
        equal(re.search(r"CapPrm:\s+(\w+)", text)[1].strip("0"), "", "capabilities that could be had")
        ids.add(int(re.search(r"Uid:\s+\d+\s+\d+\s+\d+\s+(\d+)", text)[1]))
    equal(ids, {0, NOBODY}, "users for files, of all threads")
    text = p.stderr.read().decode()
    equal(p.wait(60), 0, f"exit status ({text})")
    left = pieces("home/run.*.xtr")
    equal(len(left), 3, "pieces that are left")
    equal(together(left), (Truth().all, 0), "events and losses")
    for path in glob.glob("home/*"):
        st = os.lstat(path)
        equal((oct(st.st_mode), st.st_uid), ("0o100600", NOBODY), f"{path}: mode and owner")


@test
def a_directory_that_cannot_be_written_is_an_error_at_once():
    os.mkdir("closed")
    os.chown("closed", NOBODY, NOBODY)
    os.chmod("closed", 0o555)
    text = record("--rotate", "1M", "-e", RR, "--", EMIT, "call", "10", out="closed/run.xtr", status=(1,))
    expect("closed/run.000001.xtr': Permission denied" in text, f"message: {text}")
    expect("owner of their directory" in text, f"hint: {text}")


def newest_end(pattern):
    """Why the newest piece has ended, as far as that is known."""
    try:
        with open(max(glob.glob(pattern), default=""), "rb") as f:
            found = [end["reason"] for s in reader.File(f.read()).sections for end in s.content[reader.END]]
    except FileNotFoundError:  # none yet, or one that found no room
        return ""
    return found[-1] if found else ""


@test
def a_full_disk_costs_the_oldest_pieces():
    os.mkdir("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", "small"], check=True)
    try:
        text = record_until(lambda: min(piece_numbers("small"), default=1) > 1, "a piece less", "--rotate", "100k", "--keep", "1000", out="small/run.xtr")
        left, truth = [Counts(p) for p in sorted(glob.glob("small/run.*.xtr"))], Truth()
        equal(left[-1].end["reason"], "command ended", "reason")
        expect(1 <= len(left) < left[-1].config["piece"], f"{len(left)} of {left[-1].config['piece']} pieces are left")
        events, lost = together(left)
        equal(events + lost, truth.all, "recorded + lost")
        expect(f"of which the last {len(left)} kept" in text, f"the summary: {text}")
        count("emitted", truth.all)
        count("dropped", lost)
    finally:
        subprocess.run(["umount", "small"], check=True)


@test
def a_full_disk_without_keep_ends_with_a_complete_piece():
    os.mkdir("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", "small"], check=True)
    try:
        text = record_until(lambda: "no space left" in newest_end("small/run.*.xtr"), "a full disk", "--rotate", "100k", out="small/run.xtr",
                            status=(1,))
        expect("No space left" in text, f"message: {text}")
        all_pieces, truth = [Counts(p) for p in sorted(glob.glob("small/run.*.xtr"))], Truth()
        equal(all_pieces[-1].end["reason"], "no space left", "reason")
        equal(len(all_pieces), all_pieces[-1].config["piece"], "pieces that are left")
        expect(sum(together(all_pieces)) <= truth.all, "more than what happened")
    finally:
        subprocess.run(["umount", "small"], check=True)


@test
def names_of_tasks_are_in_each_piece_and_go_with_them():
    """A thread that lives on has its name in each piece; those that have ended are not carried along."""
    script = f"'{PRODUCE}' truth 1 2000 0 & for i in $(seq 200); do '{EMIT}' call 1; done; sleep 3; kill $!; wait"
    record("--rotate", "250ms", "-e", CALL, "-e", RR, "--", "sh", "-c", script)
    all_pieces = pieces()
    for p in all_pieces:
        names = {t[0]: p.strings[t[3]] for t in p.tasks.values()}
        for _, _, kind, tid, _ in p.records:
            if kind == p.type_of(CALL):
                equal(names.get(tid), b"produce", f"the name of task {tid} in piece {p.config['piece']}")
    emits = [sum(p.strings[t[3]] == b"emit" for t in p.tasks.values()) for p in all_pieces]
    expect(sum(emits) >= 200, f"tasks called emit, by piece: {emits}")
    expect(emits[-1] < 100, f"tasks that have ended stay, by piece: {emits}")


@test
def cat_makes_one_file_of_pieces():
    record("--rotate", "20k", *produce(2, 30000, 40000), status=(0, 3))
    names, parts = sorted(glob.glob("run.*.xtr")), pieces()
    expect(len(names) > 2, f"{len(names)} pieces")
    xtr("cat", "-o", "whole.xtr", *names, status=(0, 3))
    xtr("check", "whole.xtr", status=(0, 3))
    doc = info("whole.xtr")
    equal(len(doc["sections"]), len(names), "sections")
    equal((doc["events"], doc["lost"]), (sum(p.n_events for p in parts), sum(p.n_lost for p in parts)), "events and losses")
    equal(doc["events"] + doc["lost"], Truth().all, "recorded + lost")
    lines = xtr("dump", "--json", "whole.xtr", status=(0, 3)).splitlines()
    equal(sum(b'"syscalls:sys_enter_' in line for line in lines), doc["events"], "events in dump")


def is_begun(path):
    """The next piece is made in steps, before the one in use is ended: of a killed recorder the newest may be without META."""
    with open(path, "rb") as f:
        return any(s.content[reader.META] for s in reader.File(f.read()).sections)


def drop_pinned():
    """What the killed recorder left in the kernel, where it could pin it; tests/kill collects such."""
    for name, of in re.findall(r"^([0-9a-f]{16})  .*\n  of +'(.*)', process", xtr("recover", "--killed", status=(0, 1, 5)).decode(), re.M):
        if of == os.path.abspath("run.xtr"):
            xtr("recover", "--killed", "--drop", name)


@test
def a_killed_recorder_leaves_pieces_that_open():
    """At any moment, also between two pieces: what is there opens, follows on, and is not more than what happened."""
    kills = 40 if LONG else 6
    for i in range(kills):
        for path in glob.glob("run.*.xtr"):
            os.unlink(path)
        command = [XTR, "record", "-q", "-o", "run.xtr", "--rotate", "4k", "--keep", "5", "-e", CALL, "-e", OTHER]
        p = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        producer = subprocess.Popen([PRODUCE, "truth", "2", "30000", "0"])
        try:
            wait_for(lambda: p.poll() is None and len(glob.glob("run.*.xtr")) > 3, "pieces")
            time.sleep(random.Random(i).random() * 0.05)
            p.kill()
            p.wait()
            p.stderr.close()
        finally:
            producer.terminate()
            producer.wait()
        drop_pinned()
        left = sorted(glob.glob("run.*.xtr"))
        numbers, total, ended = [int(path.split(".")[1]) for path in left], None, True
        equal(numbers, list(range(numbers[0], numbers[0] + len(left))), "numbers of the pieces")
        expect(5 <= len(left) <= 7 or numbers[0] == 1, f"{len(left)} pieces are left")
        for path in left if is_begun(left[-1]) else left[:-1]:
            doc = info(path)
            config = doc["sections"][0]["config"]
            before = config["piece-events-before"], config["piece-lost-before"]
            so_far = not ended and all(a <= b for a, b in zip(before, total))  # events older than the border came until the kill
            expect(total in (None, before) or so_far, f"{path}: {before} before it, those before have {total}")
            ended = doc["sections"][0]["end_reason"] is not None
            total = before[0] + doc["events"], before[1] + doc["lost"]
        expect(sum(total) <= Truth().all, f"{total}: more than what happened")
    count("kills", kills)
