# SPDX-License-Identifier: BSD-2-Clause
"""A producer whose truth is known, a recorder of it, and what their file says."""

import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "spec"))
import reader  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
XTR = os.path.abspath(os.environ.get("XTR", os.path.join(BUILD, "xtr")))
PRODUCER = os.path.join(BUILD, "tests/kill/producer")
CALL = "syscalls:sys_enter_sched_get_priority_max"
BPFFS = "/sys/fs/bpf"
LONG = os.environ.get("LONG") == "1"
LIMIT = 120  # seconds for what takes milliseconds on an idle machine
COUNTS = {"kills": 0, "faults": 0, "crashes": 0}
PROCESSES = []  # all that were started, for a test that fails midway


class Failure(Exception):
    pass


def expect(ok, text):
    if not ok:
        raise Failure(text)


def figures():
    return [f"figure: kill.kills {COUNTS['kills']} recorders and collectors killed by SIGKILL, recorded + lost = happened",
            f"figure: kill.faults {COUNTS['faults']} faults of disk, pipe, signals and processes while recording",
            f"figure: kill.crashes {COUNTS['crashes']} disks after a power failure at the writes of recorders, 0 violations"]


def until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        expect(time.monotonic() < end, f"waited {LIMIT} s for {what}")
        time.sleep(0.001)


def end_all():
    """Nothing that a test started outlives it."""
    while PROCESSES:
        process = PROCESSES.pop()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(LIMIT)


class Producer:
    """Threads that make numbered calls; count 0: until stop()."""

    def __init__(self, threads, count, pause):
        self.threads = threads
        self.path = f"state.{id(self)}"
        with open(self.path, "wb") as f:
            f.write(bytes(4096))
        fd = os.open(self.path, os.O_RDWR)
        self.memory = mmap.mmap(fd, 4096)
        os.close(fd)
        self.process = subprocess.Popen([PRODUCER, self.path, str(threads), str(count), str(pause)],
                                        start_new_session=True)
        PROCESSES.append(self.process)
        until(lambda: all(self.word(3 + 3 * i) for i in range(threads)), "the producer's threads")
        self.tids = [self.word(3 + 3 * i) for i in range(threads)]

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def go(self):
        self.memory[0] = 1

    def begun(self):
        return [self.word(4 + 3 * i) for i in range(self.threads)]

    def done(self):
        return [self.word(5 + 3 * i) for i in range(self.threads)]

    def all_done(self):
        return self.word(2) == self.threads

    def stop(self):
        self.memory[0] = self.memory[8] = 1
        self.process.wait(LIMIT)
        self.memory.close()
        os.unlink(self.path)


class Recorder:
    """xtr record of a producer; the command that it runs makes the file `started` and waits for a signal. wrap: the program that starts it."""

    def __init__(self, producer, *args, out="t.xtr", env=None, stdout=None, events=(CALL,), wrap=()):
        self.out = out
        if os.path.exists("started"):
            os.unlink("started")
        asked = [a for e in events for a in ("-e", e)]
        self.process = subprocess.Popen(
            [*wrap, XTR, "record", "-o", out, "-p", str(producer.process.pid), *asked, *args,
             "--", "sh", "-c", "trap 'exit 0' TERM INT HUP QUIT; : >started; while :; do sleep 1000 & wait; done"],
            stdin=subprocess.DEVNULL, stdout=stdout or subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, **(env or {})})
        self.pid = self.process.pid
        PROCESSES.append(self.process)

    def started(self):
        return os.path.exists("started")

    def wait_started(self):
        until(lambda: self.started() or self.process.poll() is not None, "the recorder to begin")
        if self.process.poll() is not None:
            raise Failure(f"the recorder ended: {self.process.stderr.read().decode()}")

    def send(self, number):
        os.kill(self.pid, number)

    def stop(self):
        """When it returns no thread of the recorder runs, and so none writes."""
        self.send(signal.SIGSTOP)
        until(lambda: all(s in "TX" for s in self.states()), "the recorder to stop")

    def states(self):
        """Of its threads: T is stopped (proc(5))."""
        found = []
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/stat", encoding="ascii") as f:
                found.append(f.read().rsplit(") ", 1)[1][0])
        return found

    def kill(self):
        """SIGKILL; when it returns the recorder is gone, and so is its command."""
        self.send(signal.SIGKILL)
        return self.gather()

    def gather(self):
        """Wait for the end; exit status and messages."""
        try:
            status = self.process.wait(LIMIT)
        finally:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return status, self.process.stderr.read().decode()

    def end(self, number=signal.SIGTERM):
        """The recorder is told to end, or its command is, where it has ended by itself."""
        os.killpg(self.pid, number)
        return self.gather()


def xtr(*args):
    p = subprocess.run([XTR, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode()


def problems(path):
    status, out, err = xtr("check", "--json", path)
    expect(out, f"check {path}: {status} {err}")
    return [p["code"] for p in json.loads(out)["problems"]]


class Trace:
    """What the independent reader sees: the numbers of the calls by thread, and the losses."""

    def __init__(self, path, allowed=()):
        with open(path, "rb") as f:
            file = reader.File(f.read())
        found = {code for code, _ in file.problems}
        expect(found <= set(allowed), f"problems of {path}: {sorted(found)}")
        section = file.sections[0]
        metas, losses = section.content[reader.META], section.content[reader.LOSS]
        types = {e["type"] for m in metas for e in m["events"] if e["name"] == CALL}
        at = next((f[1] for m in metas for e in m["events"] if e["name"] == CALL for f in e["fields"] if f[0] == "policy"), 0)
        self.calls = {}
        self.config = {k: v for m in metas for k, v in m.get("config", {}).items()}
        self.events, self.times = len(section.content[reader.EVENTS]), []
        for _, at_ns, event, tid, raw in section.content[reader.EVENTS]:
            self.times.append(at_ns)
            if event in types:
                self.calls.setdefault(tid, []).append(int.from_bytes(raw[at:at + 4], "little"))
        cumulative = {}
        for table in losses:
            for entry in table.get("lost", []):
                cumulative[tuple(entry[:3])] = entry[3]
        self.causes = {}
        for key, n in cumulative.items():
            self.causes[key[2]] = self.causes.get(key[2], 0) + n
        self.lost = sum(cumulative.values())
        self.aged = sum({tuple(e[:2]): e[2] for table in losses for e in table.get("aged", [])}.values())
        self.gaps = sum(g[3] for table in losses for g in table.get("gaps", []))
        self.end = section.content[reader.END][-1] if section.content[reader.END] else None

    def recorded(self):
        return sum(len(v) for v in self.calls.values())

    def no_doubles(self):
        for tid, numbers in self.calls.items():
            expect(len(set(numbers)) == len(numbers), f"thread {tid}: calls are there twice")


    def adds_up(self, producer):
        """The producer had ended, the recorder was there all the time."""
        self.no_doubles()
        want = sum(producer.done())
        expect(self.recorded() + self.lost == want, f"recorded {self.recorded()} + lost {self.lost}, happened {want}")
        # By cause: ring full and ring busy have gaps that say when.
        full = self.causes.get(1, 0) + self.causes.get(2, 0)
        expect(self.gaps == full, f"gaps of {self.gaps}, lost in the rings {full}")


def exact(trace, producer):
    trace.adds_up(producer)
