# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of hangs share: a machine of files, the process that takes hangs, and its bundles."""

import io
import json
import os
import select
import socket
import struct
import subprocess
import tarfile

from checks import equal, expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XTR = os.path.join(ROOT, os.environ.get("XTR", "xtr"))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
TRACE = os.path.join(ROOT, "tests/golden/frames.xtr")
LONG = os.environ.get("LONG") == "1"
BOOT = "11111111-2222-3333-4444-555555555555"
CARD = "0000:03:00.0"
WORK = ""  # of the test that runs
FOREVER = 1 << 62  # ns
MESSAGE = "=Ii6Q2I256s128s"  # struct hang_message
FIRED, FLOWN, WANT = 1, 2, 3
LIMIT = 240  # s: what does not come by then never will

figures = {}


def at(name):
    return os.path.join(WORK, name)


def write(name, data):
    path = at(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path


def link(name, to):
    os.makedirs(os.path.dirname(at(name)), exist_ok=True)
    os.symlink(to, at(name))


def machine(boot=BOOT, log="6,1,1000000,-;boot\n"):
    """One card of amdgpu's, as /sys and /dev show it."""
    write("m/proc/sys/kernel/random/boot_id", boot + "\n")
    write("m/dev/kmsg", log)
    write("m/sys/class/drm/card0/device_is_a_link", "")
    link("m/sys/class/drm/card0/device", f"../../../devices/{CARD}")
    write(f"m/sys/devices/{CARD}/current_link_speed", "16.0 GT/s PCIe\n")
    write(f"m/sys/devices/{CARD}/gpu_metrics", bytes(range(120)))
    write(f"m/sys/devices/{CARD}/pp_dpm_sclk", "0: 500Mhz\n1: 2500Mhz *\n")
    write("m/sys/kernel/debug/dri/0/amdgpu_fence_info", "--- ring 0 (gfx_0.0.0) ---\nLast signaled fence 0x00000017\n")
    write("m/sys/kernel/debug/dri/0/amdgpu_ring_gfx_0.0.0", bytes(range(256)) * 40)
    return at("m")


def dump(name, data, device=CARD):
    """A dump that a driver has left."""
    path = write(f"m/sys/class/devcoredump/{name}/data", data)
    if device:
        link(f"m/sys/class/devcoredump/{name}/failing_device", f"../../../devices/{device}")
    return path


def uevent(action, path, **keys):
    words = [f"{action}@{path}", f"ACTION={action}", f"DEVPATH={path}", *(f"{k}={v}" for k, v in keys.items()), "SEQNUM=7"]
    return b"".join(word.encode() + b"\0" for word in words)


def dumped(name):
    return uevent("add", f"/devices/virtual/devcoredump/{name}", SUBSYSTEM="devcoredump")


class Taker:
    """The process, and the other ends of what it listens to."""

    def __init__(self, folder="d", env=None, program=(), **numbers):
        self.folder = at(folder)
        os.makedirs(self.folder, exist_ok=True)
        ours, theirs = zip(*(socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(3)))
        self.recorder, self.uevents, self.log = ours
        numbers = {"grace": FOREVER, "pause": FOREVER, "dump_limit": FOREVER, "state_limit": FOREVER, "trace_limit": FOREVER, "make_limit": FOREVER, **numbers}
        command = [*program, os.path.join(BUILD, "tests/hang/taker"), self.folder, at("m"), *(str(s.fileno()) for s in theirs),
                   *(f"{k}={v}" for k, v in numbers.items())]
        self.process = subprocess.Popen(command, pass_fds=[s.fileno() for s in theirs], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
                                        stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
        for s in theirs:
            s.close()
        self.said = None

    def tell(self, sock, data):
        """False: it is not there any more."""
        try:
            sock.send(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def kernel(self, *messages):
        return all(self.tell(self.uevents, m) for m in messages)

    def line(self, text, priority=3, more=""):
        self.tell(self.log, f"{priority},9,5000000,-;{text}\n{more}".encode())

    def fired(self, text, event="", when=1, times=1, **numbers):
        n = {"ctx": 0, "seqno": 0, "value": 0, "tid": 0, **numbers}
        self.tell(self.recorder, struct.pack(MESSAGE, FIRED, 0, when, 0, n["ctx"], n["seqno"], n["value"], times, n["tid"], 0, text.encode(), event.encode()))

    def flown(self, path=TRACE, error=0, when=FOREVER, to=FOREVER):
        return self.tell(self.recorder, struct.pack(MESSAGE, FLOWN, error, when, to, 0, 0, 0, 0, 0, 0, path.encode(), b""))

    def wanted(self):
        """Why it asks for a flight file; waits until it does. None: it has ended."""
        ready, _, _ = select.select([self.recorder], [], [], LIMIT)
        expect(ready, "no flight file is asked for")
        try:
            data = self.recorder.recv(struct.calcsize(MESSAGE))
        except ConnectionResetError:
            data = b""
        if not data:
            return None
        what, *_, text, _ = struct.unpack(MESSAGE, data)
        equal(what, WANT, "message")
        return text.rstrip(b"\0").decode()

    def asks(self):
        """Has it asked for a flight file by now?"""
        return bool(select.select([self.recorder], [], [], 0)[0])

    def end(self, status=0, trace=TRACE):
        """The recorder ends, as it does: its last file is there, then it is not."""
        if trace:
            self.flown(trace)
        self.recorder.shutdown(socket.SHUT_WR)
        return self.wait(status)

    def wait(self, status=0):
        _, err = self.process.communicate(timeout=LIMIT)
        for s in (self.recorder, self.uevents, self.log):
            s.close()
        self.said = err.decode("utf-8", "replace")
        expect(status is None or self.process.returncode == status, f"status {self.process.returncode}, not {status}: {self.said[-1500:]}")
        return self.said

    def bundles(self):
        return bundles(self.folder)

    def told(self):
        """Rows of hangs.txt: what became of it, bundle, kind, device, name, text."""
        with open(os.path.join(self.folder, "hangs.txt"), encoding="utf-8") as f:
            return [line.rstrip("\n").split("\t")[1:] for line in f]


def wait_for(condition, what):
    """Until something is there that nobody tells of: looked for again and again, not for a time that a busy host would break."""
    import time
    end = time.monotonic() + LIMIT
    while not condition():
        expect(time.monotonic() < end, f"never: {what}")
        time.sleep(0.002)


def bundles(folder):
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.endswith(".tar.zst")]


def members(path):
    data = subprocess.run(["zstd", "-q", "-d", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return {m.name.split("/", 1)[1]: t.extractfile(m).read() for m in t.getmembers()}


class Bundle:
    def __init__(self, path):
        self.path = path
        self.has = members(path)
        self.manifest = json.loads(self.has["manifest.json"])
        self.about = {m["name"] or m["source"]: m for m in self.manifest["members"]}
        equal((self.manifest["hang"], self.manifest["redacted"], os.stat(path).st_mode & 0o777), (True, False, 0o600), "the kind of bundle")
        for name, m in self.about.items():
            equal(name in self.has, m["present"], f"manifest of {name}")
            if m["present"]:
                equal(m["bytes"], len(self.has[name]), f"bytes of {name}")

    def __getitem__(self, name):
        expect(name in self.has, f"{name} is not in {sorted(self.has)}: {self.about.get(name)}")
        return self.has[name]

    def kinds(self):
        return [line.split("] ", 1)[1].split(" ")[0] for line in self["hang.txt"].decode().splitlines()]


def only(taker):
    """The one bundle, beside which nothing is left."""
    names = sorted(os.listdir(taker.folder))
    expect(len(names) == 2 and names[1] == "hangs.txt", f"{names}: {taker.said}")
    return Bundle(os.path.join(taker.folder, names[0]))
