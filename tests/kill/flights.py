# SPDX-License-Identifier: BSD-2-Clause
"""Killed flight recorders: recorded, lost and aged events of all files are what happened, each event once."""

import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import time

from common import BPFFS, BUILD, COUNTS, LIMIT, LONG, PROCESSES, ROOT, XTR, Failure, Producer, Recorder, Trace, expect, until, xtr
from faults import faulty
from kills import BUFFERS, bounds

TESTS = []
COLLECT = re.compile(r"collect xtr recover --killed (\S+)$", re.MULTILINE)
SHM = "/dev/shm"
TORN = ("no-end", "no-meta", "chunk-truncated", "lost-sync", "no-trailer")


def test(function):
    """In a /dev/shm of its own."""
    def inside():
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", SHM], check=True)
        try:
            function()
            expect(not os.listdir(SHM), f"left in memory: {os.listdir(SHM)}")
        finally:
            subprocess.run(["umount", "-l", SHM], check=True)
    inside.__name__ = function.__name__
    TESTS.append(inside)
    return inside


def collect(kills=0):
    """What was kept becomes a file of its own. Returns whether there was anything."""
    status, out, err = xtr("recover", "--killed")
    expect(status == 0, f"recover --killed: {status}: {err}")
    paths = COLLECT.findall(out)
    expect(len(paths) <= 1, f"more than one piece: {out}")
    if not paths:
        xtr("recover", "--killed", "--drop", "all")  # it died before it recorded, or after it had ended
    for path in paths:
        collect_one(path, kills)
    expect(not os.path.exists(BPFFS + "/xtr") and not glob.glob(SHM + "/xtr-*"), "all is collected, and something is left")
    return bool(paths)


def collect_one(path, kills):
    command = ["recover", "--killed", "--force", "-q", "-o", path + ".got", path]
    for _ in range(kills):
        p = subprocess.Popen([XTR, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.03))
        p.kill()
        if p.wait(LIMIT) == 0:
            return  # it was faster
        COUNTS["kills"] += 1
    status, _, err = xtr(*command)
    if status and os.path.exists(path + ".got") and not os.path.exists(BPFFS + "/xtr"):
        return  # a collector was killed when all was done
    expect(status == 0, f"{command}: {status}: {err}")


def files():
    """
    All pieces; where one was collected, a beginning of it that its recorder wrote is not read, nor what a collector that was
    killed leaves under a temporary name (t.000001.xtr.got.QbKe2i).
    """
    names = {re.sub(r"\.got$", "", path) for path in glob.glob("t.0*.xtr") + glob.glob("t.0*.xtr.got")}
    found = []
    for name in sorted(names):
        got = os.path.exists(name + ".got")
        t = Trace(name + ".got" if got else name)
        expect(t.end, f"{name}: no END")
        if got:
            expect((t.config["flight"], t.end["reason"]) == ("killed", "killed; the rest was collected"), f"{name}: {t.config} {t.end}")
        found.append(t)
    return found


def follow_on(traces):
    """Each says what those before it have, and holds nothing from before what it says."""
    events = lost = 0
    for i, t in enumerate(traces):
        c = t.config
        expect(c["piece"] == i + 1, f"piece {c['piece']} is the one at place {i + 1}")
        expect((c["piece-events-before"], c["piece-lost-before"]) == (events, lost),
               f"piece {i + 1} says {c['piece-events-before']}, {c['piece-lost-before']} before it: {events}, {lost}")
        expect(all(at >= c["flight-from"] for at in t.times), f"piece {i + 1} has events from before its beginning")
        events, lost = events + t.events, lost + t.lost


def whole():
    """All files as one trace; what aged is among the lost."""
    traces = files()
    if not traces:
        return None
    follow_on(traces)
    all_of, aged = traces[0], sum(t.aged for t in traces)
    for t in traces[1:]:
        for tid, numbers in t.calls.items():
            all_of.calls.setdefault(tid, []).extend(numbers)
        for cause, n in t.causes.items():
            all_of.causes[cause] = all_of.causes.get(cause, 0) + n
        all_of.lost += t.lost
        all_of.gaps += t.gaps
    all_of.no_doubles()
    all_of.aged = aged
    return all_of


def exact(producer):
    t = whole()
    want = sum(producer.done())
    expect(t, f"no file, happened {want}")
    expect(t.recorded() + t.lost + t.aged == want, f"recorded {t.recorded()} + lost {t.lost} + aged {t.aged}, happened {want}")
    full = t.causes.get(1, 0) + t.causes.get(2, 0)
    expect(t.gaps == full or (t.aged and t.gaps < full), f"gaps of {t.gaps}, lost in the rings {full}, aged {t.aged}")
    return t


def clear():
    for path in glob.glob("t.0*") + glob.glob("dying") + glob.glob("armed"):
        os.unlink(path)


def triggers(recorder, n):
    """Signals at some moments; the last one may still be on its way."""
    for _ in range(n):
        recorder.send(signal.SIGUSR1)
        time.sleep(random.choice([0, 0.002, 0.02, 0.2]))


def judged(what, judge, recorder, producer):
    """Whatever the judgement, all is stopped and cleared."""
    try:
        judge()
    except Failure as failure:
        recorder.gather()
        raise Failure(f"{what}: {failure}") from failure
    finally:
        producer.stop()
        clear()


def known_sum():
    """The producer makes so many calls while the recorder is there, stopped or not, and files are written."""
    producer = Producer(2, random.choice([300, 3000, 10000]), random.choice([0, 100, 1000]))
    args = ("--flight", random.choice(["1M", "4M", "20ms"]), *random.choice(BUFFERS), *random.choice([(), (), ("--compact",)]))
    recorder = Recorder(producer, "--after", "0", *args)
    recorder.wait_started()
    if random.random() < 0.3:
        recorder.stop()
    producer.go()
    triggers(recorder, random.choice([0, 0, 1, 2]))
    if random.random() < 0.3:
        recorder.send(signal.SIGSTOP)
    until(producer.all_done, "the producer")
    triggers(recorder, random.choice([0, 0, 1]))
    time.sleep(random.choice([0, 0, 0.02, 0.3]))
    recorder.kill()
    COUNTS["kills"] += 1

    def judge():
        expect(collect(kills=random.choice([0, 0, 1])), "nothing is left")
        exact(producer)

    judged("sum", judge, recorder, producer)


def any_moment(ending):
    """The producer runs all the time; the recorder is killed while it starts, records, is idle or ends."""
    producer = Producer(2, 0, random.choice([300, 1000, 3000]))
    producer.go()
    earliest = producer.begun()
    recorder = Recorder(producer, "--flight", "1M")
    moment, first = time.monotonic() + random.uniform(0, 0.6), None
    if ending:
        recorder.wait_started()
    while time.monotonic() < moment:
        if first is None and recorder.started():
            first = producer.begun()
        time.sleep(0.0005)
    if ending:
        recorder.send(signal.SIGTERM)
        time.sleep(random.uniform(0, 0.06))
    before = producer.done()
    recorder.kill()
    after = {"begun": producer.begun(), "tids": producer.tids}
    first = first or after["begun"]
    COUNTS["kills"] += 1

    def judge():
        collect(kills=random.choice([0, 0, 1]))
        t = whole()
        if t is None:
            expect(not recorder.started(), "it had begun, and there is no file")
            return
        t.lost += t.aged
        bounds(t, first, [0] * 2 if ending else before, after, earliest)

    judged("end" if ending else "any", judge, recorder, producer)


@test
def a_killed_flight_recorder_loses_nothing():
    for i in range(400 if LONG else 20):
        kind = ("sum", "any", "sum", "end")[i % 4]
        if kind == "sum":
            known_sum()
        else:
            any_moment(kind == "end")


def gave_up():
    """Up to when (ns) what the recorder kept is not all there, as its state says (recorder/flight/kept_file.h)."""
    with open(glob.glob(SHM + "/xtr-*")[0], "rb") as f:
        head = f.read(248)
    which, = struct.unpack_from("<I", head, 32)
    return struct.unpack_from("<Q", head, 40 + 104 * which + 48)[0]


@test
def what_aged_is_counted_after_a_kill():
    """Only a time is kept: the recorder is killed when some are too old, and others come."""
    for _ in range(20 if LONG else 2):
        producer = Producer(2, 0, 3000)
        recorder = Recorder(producer, "--flight", "20ms", "--after", "0")
        recorder.wait_started()
        producer.go()
        until(gave_up, "events to become too old")
        producer.memory[8] = 1
        until(producer.all_done, "the producer")
        recorder.kill()
        COUNTS["kills"] += 1

        def judge():
            expect(collect(), "nothing is left")
            t = exact(producer)
            expect(t.aged > 0, "none aged")

        judged("aged", judge, recorder, producer)


@test
def a_kill_at_any_write_of_a_flight_recorder_leaves_each_event_once():
    """While it writes a file, or what it needs to know of what it keeps: the chunk is there, or half of it."""
    done = False
    number = 0
    while not done:
        number += 1
        for how in ("kill", "torn") if LONG else (random.choice(("kill", "torn")),):
            done = killed_at(f"{number}:{how}", {})
    expect(number > 8, f"{number} writes of a file")


def complete(path):
    """Is it there with its end? It may be looked at before its header is written."""
    return os.path.exists(path) and os.path.getsize(path) >= 64 and Trace(path, TORN).end


def killed_at(fault, more, number=signal.SIGUSR1):
    """Kill at this write since the signal; returns whether there were less."""
    producer = Producer(2, 1000, 100)
    recorder = Recorder(producer, "--flight", "1M", env={**faulty(fault), "FAULT_AFTER": os.path.abspath("armed"), **more})
    recorder.wait_started()
    producer.go()
    until(producer.all_done, "the producer")
    open("armed", "w", encoding="ascii").close()
    recorder.send(number)
    told = lambda: os.path.exists("dying") or recorder.process.poll() is not None or complete("t.000001.xtr")
    until(told, "the write")
    time.sleep(0.02)
    died = os.path.exists("dying")
    status, err = recorder.gather() if died or number != signal.SIGUSR1 else recorder.kill()
    COUNTS["kills"] += 1

    def judge():
        if died or number == signal.SIGUSR1:
            expect(status == -signal.SIGKILL, f"status {status}: {err}")
        collect()
        exact(producer)

    judged(fault, judge, recorder, producer)
    return not died


@test
def a_kill_when_a_file_is_complete_leaves_each_event_once():
    """The file has all, and the recorder has not forgotten it yet."""
    expect(not killed_at("sync:kill", {}), "the last file of a recording")
    expect(not killed_at("sync:kill", {}, signal.SIGTERM), "the last file of a recording")


@test
def a_kill_at_any_write_of_the_last_file_leaves_each_event_once():
    done, number = False, 0
    while not done:
        number += 1 if LONG or number > 3 else 2
        done = killed_at(f"{number}:{random.choice(('kill', 'torn'))}", {}, signal.SIGTERM)
    expect(number > 8, f"{number} writes of a file")


def unit(key):
    """What the packaged service says, the last word on it."""
    with open(os.path.join(ROOT, "packaging/xtr-flight.service.in"), encoding="utf-8") as f:
        return [line.split("=", 1)[1].strip() for line in f if line.startswith(key + "=")][-1]


@contextlib.contextmanager
def as_the_service():
    """A user without a name, with the service's capabilities, where systemd has mounted the BPF file system: for root alone."""
    capabilities = ",".join("+" + name.removeprefix("CAP_").lower() for name in unit("AmbientCapabilities").split())
    user = ["setpriv", "--reuid", "64064", "--regid", "64064", "--clear-groups", "--no-new-privs", "--inh-caps", capabilities, "--ambient-caps", capabilities]
    mode = stat.S_IMODE(os.stat(BPFFS).st_mode)
    run_dir = "/run/" + unit("RuntimeDirectory")
    there = os.path.isdir(run_dir)
    os.chmod(BPFFS, 0o700)
    os.chmod(".", 0o777)
    os.makedirs("service")
    os.makedirs(run_dir, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "uid=64064,mode=" + unit("RuntimeDirectoryMode"), "tmpfs", run_dir], check=True)
    os.chown("service", 64064, 64064)
    subprocess.run(unit("ExecStartPre").lstrip("+-").split(), check=True, umask=int(unit("UMask"), 8))
    try:
        yield user, run_dir
    finally:
        subprocess.run(["umount", "-l", run_dir], check=True)
        if not there:
            os.rmdir(run_dir)
        os.chmod(BPFFS, mode)
        shutil.rmtree("service")


def ended_as(user, killed, run_dir):
    producer = Producer(2, 1000, 100)
    recorder = Recorder(producer, "--flight", "1M", out="service/t.xtr", wrap=user)
    recorder.wait_started()
    producer.go()
    until(producer.all_done, "the producer")
    kept = os.listdir(run_dir)
    if killed:
        recorder.kill()
        COUNTS["kills"] += 1
    else:
        recorder.end()
    want = sum(producer.done())
    producer.stop()
    expect(len(kept) == 1, f"in {run_dir}: {kept}")
    path = "service/t.killed.xtr" if killed else "service/t.000001.xtr"
    if killed:
        got = subprocess.run([*user, XTR, "recover", "--killed", "-o", path, "service/t.xtr"], capture_output=True, timeout=LIMIT, check=False)
        expect(got.returncode == 0, f"recover as the service: {got}")
    t = Trace(path)
    expect(t.recorded() + t.lost + t.aged == want, f"recorded {t.recorded()} + lost {t.lost} + aged {t.aged}, happened {want}")
    left = os.listdir(run_dir) + os.listdir(BPFFS + "/xtr") if os.path.exists(BPFFS + "/xtr") else []
    expect(not left, f"left: {left}")


@test
def the_service_has_what_its_killed_recorder_kept():
    with as_the_service() as (user, run_dir):
        ended_as(user, True, run_dir)
        ended_as(user, False, run_dir)
    os.rmdir(BPFFS + "/xtr")


@test
def names_are_there_after_a_kill():
    """Of threads, before and behind a file that was written, each under the names that it had."""
    emit = [os.path.join(BUILD, "tests/record/emit"), "threads", "4", "rename", "200"]
    recorder = subprocess.Popen([XTR, "record", "-q", "--flight", "1M", "-o", "t.xtr", "-e", "task:task_rename", "--", "sh", "-c", ": >started; sleep 1000"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    PROCESSES.append(recorder)
    until(lambda: os.path.exists("started") or recorder.poll() is not None, "the recorder to begin")
    subprocess.run(emit, check=True)
    recorder.send_signal(signal.SIGUSR1)
    until(lambda: complete("t.000001.xtr"), "the file")
    subprocess.run(emit, check=True)
    recorder.kill()
    os.killpg(recorder.pid, signal.SIGKILL)
    recorder.wait(LIMIT)
    COUNTS["kills"] += 1
    expect(collect(), "nothing is left")
    for path in ("t.000001.xtr", "t.000002.xtr.got"):
        lost = json.loads(xtr("info", "--json", path)[1])["lost"]
        found = [e for e in map(json.loads, xtr("dump", "--json", path)[1].splitlines()) if "event" in e]
        ours = [e for e in found if re.match(r"rn-\d+-\d+$", e["fields"]["newcomm"])]
        expect(len({e["fields"]["newcomm"] for e in ours}) == len(ours), f"{path}: a name is there twice")
        # Of what was lost some may be other programs' renames, of which there are few.
        expect(len(ours) <= 800 <= len(ours) + lost < 1000, f"{path}: recorded {len(ours)} + lost {lost}, happened 800")
        wrong = [e for e in ours if e["comm"] != e["fields"]["oldcomm"]]
        expect(lost or not wrong, f"{path}: names of threads: {wrong[:2]}")
    clear()


@test
def where_memory_cannot_be_used_it_is_said():
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", SHM], check=True)
    try:
        producer = Producer(2, 300, 0)
        recorder = Recorder(producer, "--flight", "1M")
        recorder.wait_started()
        expect(not os.listdir(SHM) and not os.path.exists(BPFFS + "/xtr"), "something is left behind")
        producer.go()
        until(producer.all_done, "the producer")
        recorder.end()
        t = exact(producer)
        expect("held in memory" in t.config["after-kill"], t.config["after-kill"])
        producer.stop()
        clear()
    finally:
        subprocess.run(["umount", "-l", SHM], check=True)


@test
def memory_that_fills_up_costs_counted_events():
    """Somebody else takes all of /dev/shm while it records: what has no room is aged, and counted."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16M", "tmpfs", SHM], check=True)
    try:
        producer = Producer(2, 3000, 100)
        recorder = Recorder(producer, "--flight", "8M")
        recorder.wait_started()
        expect(glob.glob(SHM + "/xtr-*"), "it is not kept in a file")
        subprocess.run(f"cat /dev/zero >{SHM}/full 2>/dev/null", shell=True, check=False)
        producer.go()
        until(producer.all_done, "the producer")
        recorder.kill()
        COUNTS["kills"] += 1
        os.unlink(SHM + "/full")

        def judge():
            expect(collect(), "nothing is left")
            exact(producer)

        judged("full", judge, recorder, producer)
    finally:
        subprocess.run(["umount", "-l", SHM], check=True)


@test
def what_a_flight_recorder_left_is_named_and_dropped():
    producer = Producer(2, 2000, 100)
    recorder = Recorder(producer, "--flight", "1M")
    recorder.wait_started()
    producer.go()
    until(producer.all_done, "the producer")
    path = os.path.abspath("t.000001.xtr")
    expect("No dead recorder" in xtr("recover", "--killed")[1], "it lives")
    expect(xtr("recover", "--killed", "--drop", "all")[0] == 0 and os.listdir(SHM), "what lives is left alone")
    name, = os.listdir(SHM)
    expect(os.stat(f"{SHM}/{name}").st_mode & 0o777 == 0o600, "who may read it")
    recorder.kill()
    COUNTS["kills"] += 1
    out = xtr("recover", "--killed")[1]
    expect("4,000 events" in out and f"recover --killed {path}\n" in out, out)
    status, _, err = xtr("recover", "--killed", "-o", "-", "t.000001.xtr")
    expect(status == 0, f"to a pipe: {err}")
    expect("4,000 events" in xtr("recover", "--killed")[1], "what went into a pipe is kept")
    os.rename(f"{SHM}/{name}", f"{SHM}/moved")
    expect("is gone" in xtr("recover", "--killed")[1], "without the file")
    os.unlink(f"{SHM}/moved")
    expect(xtr("recover", "--killed", "--drop", "all")[0] == 0, "drop all")
    expect("No dead recorder" in xtr("recover", "--killed")[1], "dropped")
    producer.stop()
