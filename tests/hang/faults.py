# SPDX-License-Identifier: BSD-2-Clause
"""Reads that fail, disks that are full, and kills at every step."""

import os
import random
import shutil
import signal
import subprocess

from checks import Skip, equal, expect, test
from common import BUILD, CARD, Bundle, Taker, at, dump, dumped, figures, machine, members, only, wait_for

STEPS = os.path.join(BUILD, "tests/hang/lib/libstep.so")
NOISE = random.Random(9).randbytes(900_000)


@test
def reading_fails_in_the_middle():
    """Half a dump is there, and said to be half; nothing else suffers."""
    for size in (0, 1, 100_000, 262_144, 500_000):
        machine()
        dump("devcd1", NOISE)
        t = Taker(env={"LD_PRELOAD": STEPS, "READ_FAILS": "devcd1/data", "READ_BYTES": str(size)})
        t.kernel(dumped("devcd1"))
        t.wanted()
        t.end()
        b = only(t)
        about = b.about["devcoredump-devcd1.bin"]
        if size:
            equal((b["devcoredump-devcd1.bin"], about["cut"]), (NOISE[:size], "Input/output error"), f"{size} bytes")
            expect("NOT ALL OF IT: Input/output error" in b["README"].decode(), b["README"])
        else:
            equal(about["why"], "cannot be read: Input/output error", "nothing of it")
        b["dmesg.txt"]
        shutil.rmtree(t.folder)
        shutil.rmtree(at("m"))


def leave():
    """A recorder is killed while it reads a dump: 300,000 bytes of it have been read."""
    machine()
    os.makedirs(at("m/sys/class/devcoredump/devcd1"))
    os.mkfifo(at("m/sys/class/devcoredump/devcd1/data"))
    os.symlink(f"../../../devices/{CARD}", at("m/sys/class/devcoredump/devcd1/failing_device"))
    t = Taker()
    t.kernel(dumped("devcd1"))
    with open(at("m/sys/class/devcoredump/devcd1/data"), "wb") as slow:
        slow.write(NOISE[:300_000])
        slow.flush()
        part = [n for n in os.listdir(t.folder) if n.endswith(".part")]
        equal(len(part), 1, "what is being taken")
        spool = os.path.join(t.folder, part[0], "devcoredump-devcd1.bin.spool")
        wait_for(lambda: os.path.exists(spool) and os.path.getsize(spool) > 262_144, "a block of the dump")
        wait_for(lambda: os.path.exists(os.path.join(t.folder, part[0], "state.txt.spool")), "the state")
        os.killpg(t.process.pid, signal.SIGKILL)
        t.wait(-signal.SIGKILL)
    equal(t.bundles(), [], "no half bundle")
    shutil.rmtree(at("m"))


@test
def what_was_spooled_is_recovered():
    leave()
    machine()
    t = Taker()
    t.end(trace=None)
    b = only(t)
    equal(b["devcoredump-devcd1.bin"], NOISE[:262_144], "whole blocks of the dump")
    expect("was ended" in b.about["devcoredump-devcd1.bin"]["cut"], b.about)
    equal(b.kinds(), ["devcoredump", "recovered"], "signs")
    expect("xtr recover --killed" in b.about["trace.xtr"]["why"], b.about["trace.xtr"])


@test
def one_that_somebody_else_works_on_is_left_alone():
    """Two recorders, one directory: what the first one takes is not the second one's."""
    machine()
    first = Taker()
    first.fired("reset")
    first.wanted()
    second = Taker()
    second.end(trace=None)
    equal(second.bundles(), [], "bundles of the second")
    first.end()
    only(first)


def steps(number, after):
    """All die at this call that changes something. False: there are fewer."""
    machine()
    dump("devcd1", NOISE[:300_000])
    count = at("count")
    with open(count, "wb") as f:
        f.write(bytes(8))
    t = Taker(grace=0, env={"LD_PRELOAD": STEPS, "STEP_COUNT": count, "STEP_AT": str(number), **({"STEP_AFTER": "1"} if after else {})})
    t.kernel(dumped("devcd1"))
    t.end(status=None)
    with open(count, "rb") as f:
        died = int.from_bytes(f.read(), "little") >= number
    equal(t.process.returncode, -signal.SIGKILL if died else 0, f"step {number}")
    return t, died


@test
def killed_at_each_step():
    """
    Whatever was written last: there is no half bundle; who comes next makes the bundle of what there is, or takes the dump, which
    the driver still has; and leaves nothing else.
    """
    kills = 0
    for after in (False, True):
        number, died = 1, True
        while died:
            t, died = steps(number, after)
            for path in t.bundles():
                members(path)  # whole
            t = Taker()
            t.end()
            names = os.listdir(t.folder)
            expect(all(n == "hangs.txt" or n.endswith(".tar.zst") for n in names), f"step {number}: {names}")
            whole = [path for path in t.bundles() if members(path).get("devcoredump-devcd1.bin") == NOISE[:300_000]]
            expect(whole, f"step {number}: the dump is in no bundle: {[sorted(members(p)) for p in t.bundles()]}")
            shutil.rmtree(t.folder)
            shutil.rmtree(at("m"))
            kills += died
            number += 1
    expect(kills > 50, f"{kills} steps")
    figures["kills"] = f"{kills} kills, one at each step"


SMALL = """set -e; d=$1; size=$2; shift 2
mount -t tmpfs -o size=$size none "$d"; [ -z "$OLD" ] || { head -c 1500000 /dev/urandom >"$d/hang-20200101T000000Z-0000.tar.zst"; }
exec "$@" """


def small_disk(size, old=False):
    """The taker's directory is a disk of this size, which its own end takes along: the bundles are copied out before."""
    kind = ["-m"] if os.geteuid() == 0 else ["-rm"]
    program = ["unshare", *kind, "sh", "-c", SMALL, "sh", at("d"), size]
    done = subprocess.run([*program, "true"], stderr=subprocess.PIPE, check=False, env={**os.environ, "OLD": ""})
    if done.returncode:
        raise Skip("no mount namespace here: " + done.stderr.decode()[-200:])
    return program, {"OLD": "1" if old else ""}


@test
def a_disk_that_is_full():
    """The dump is cut so that its bundle finds room; an older bundle goes first."""
    os.makedirs(at("d"))
    out = at("out")
    os.makedirs(out)
    for old, size, whole in ((True, 1_500_000, True), (False, 6_000_000, False)):
        machine()
        data = random.Random(5).randbytes(size)
        dump("devcd1", data)
        program, env = small_disk("4m", old)
        program[4] = program[4].replace('exec "$@"', f'"$@"; cp -a "$d/." "{out}/"')
        t = Taker(program=program, env=env)
        t.kernel(dumped("devcd1"))
        t.wanted()
        t.end()
        names = sorted(os.listdir(out))
        equal(len(names), 2, f"{names}: {t.said}")
        b = Bundle(os.path.join(out, names[0]))
        have = b["devcoredump-devcd1.bin"]
        equal(data[:len(have)] == have, True, "the dump")
        expect((len(have) == size) == whole, f"{len(have)} bytes of {size}")
        expect(whole or b.about["devcoredump-devcd1.bin"]["cut"] == "No space left on device", b.about["devcoredump-devcd1.bin"])
        b["dmesg.txt"]
        shutil.rmtree(out)
        os.makedirs(out)
        shutil.rmtree(at("m"))


@test
def no_more_than_is_allowed():
    machine()
    dump("devcd1", NOISE)
    t = Taker(max=1_000_000)
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.end()
    b = only(t)
    expect(0 < len(b["devcoredump-devcd1.bin"]) < 600_000, len(b["devcoredump-devcd1.bin"]))
    equal(b.about["devcoredump-devcd1.bin"]["cut"], "there is no more room (--bundle-max)", "why")
