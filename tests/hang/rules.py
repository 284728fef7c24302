# SPDX-License-Identifier: BSD-2-Clause
"""Which sign belongs to which hang, and what goes when there is no room: docs/hang.md, Rules."""

import os
import random

from checks import equal, expect, test
from common import CARD, LONG, Bundle, Taker, at, dump, dumped, figures, machine, members, only, uevent, wait_for, write

OTHER = "0000:04:00.0"


def listening():
    """A taker that has begun to listen: what is there from now on is not found by its first look. A lost device tells so, which is
    its first hang."""
    t = Taker()
    t.kernel(uevent("remove", "/devices/pci0000:00/0000:ff:00.0/drm/card9", SUBSYSTEM="drm"))
    equal(t.wanted(), "lost", "the first hang")
    return t


@test
def many_hangs_without_one_lost():
    """
    Dumps of a hundred devices (LONG: of a thousand), all told of at once, in an order that has nothing to do with them, while the log and the recorder
    speak, too. Each is in one bundle, whole.
    """
    count = 1000
    machine()
    whose = {f"devcd{i}": f"{i % (count if LONG else 100):04x}:05:00.0" for i in range(1, count + 1)}
    t = listening()
    for name, device in whose.items():
        dump(name, f"dump {name} of {device}\n" * 50, device)
    order = list(whose)
    random.Random(3).shuffle(order)
    for i, name in enumerate(order):
        t.kernel(dumped(name))
        if i % 10 == 0:
            t.line(f"amdgpu {whose[name]}: ring gfx timeout, signaled seq={i}")
        if i % 25 == 0:
            t.fired("hang>5s", ctx=i)
            t.flown()
    t.end()
    found = {}
    for path in t.bundles()[1:]:
        b = Bundle(path)
        for name in b.has:
            if name.startswith("devcoredump-"):
                dumped_name = name[len("devcoredump-"):-4]
                expect(dumped_name not in found, f"{name} is in two bundles")
                found[dumped_name] = path
                equal(b[name].decode(), f"dump {dumped_name} of {whose[dumped_name]}\n" * 50, name)
                equal({whose[n[12:-4]] for n in b.has if n.startswith("devcoredump-")}, {whose[dumped_name]}, "devices of a bundle")
    equal(sorted(found), sorted(whose), "dumps")
    equal([n for n in os.listdir(t.folder) if n.endswith(".part")], [], "what is left")
    equal(len({row[4] for row in t.told() if row[2] == "devcoredump" and row[0] in ("new", "same")}), count, "hangs.txt")
    figures["hangs"] = f"{count} dumps, all taken, in {len(t.bundles()) - 1} bundles"


@test
def signs_of_one_hang_are_one_bundle():
    """The scheduler, the fence, the log, the dump, the wedged device: whatever the order."""
    machine()
    dump("devcd1", b"x" * 1000)
    t = Taker()
    t.fired("reset", "func:amdgpu:amdgpu_job_timedout")
    t.wanted()
    t.line(f"amdgpu {CARD}: ring gfx timeout, signaled seq=1")
    t.fired("error", "dma_fence:dma_fence_signaled")
    t.kernel(dumped("devcd1"), uevent("change", f"/devices/pci0000:00/{CARD}/drm/card0", SUBSYSTEM="drm", WEDGED="none"))
    t.end()
    equal(sorted(only(t).kinds()), ["devcoredump", "error", "reset", "timeout", "wedged"], "signs")
    expect(not any(row[0] == "again" for row in t.told()), t.told())


@test
def what_follows_belongs_to_it():
    """Once a hang is taken, signs that alone say little do not make another one for a while; a dump does, and a lost device."""
    machine()
    dump("devcd1", b"one")
    t = Taker()
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.flown()
    wait_for(lambda: len(t.bundles()) == 1, "the first bundle")
    for i in range(20):
        t.fired("error", ctx=i)
    wait_for(lambda: sum(row[0] == "again" for row in t.told()) == 5, "the 1st, 2nd, 4th, 8th and 16th are told")
    expect(not t.asks(), "a second flight file is asked for")
    dump("devcd2", b"two")
    t.kernel(dumped("devcd2"))
    equal(t.wanted(), "devcoredump", "the second one")
    t.end()
    equal([sorted(n for n in members(path) if n.startswith("devcoredump")) for path in t.bundles()], [["devcoredump-devcd1.bin"], ["devcoredump-devcd2.bin"]], "dumps")


@test
def after_a_while_it_is_another_one():
    machine()
    t = Taker(pause=0, grace=0)
    for i in (1, 2):
        t.fired("reset")
        t.wanted()
        t.flown()
        wait_for(lambda: len(t.bundles()) == i, f"bundle {i}")
    t.end()
    equal(len(t.bundles()), 2, "bundles")


@test
def a_second_one_while_the_first_is_read():
    """A driver that gives its dump slowly keeps nobody else waiting."""
    machine()
    os.makedirs(at("m/sys/class/devcoredump/devcd1"))
    os.mkfifo(at("m/sys/class/devcoredump/devcd1/data"))
    os.symlink(f"../../../devices/{CARD}", at("m/sys/class/devcoredump/devcd1/failing_device"))
    t = Taker()
    t.kernel(dumped("devcd1"))
    t.wanted()
    with open(at("m/sys/class/devcoredump/devcd1/data"), "wb") as slow:  # until its reader is there
        slow.write(b"begin ")
        slow.flush()
        dump("devcd2", b"of the other device", OTHER)
        dump("devcd3", b"of the same device")
        t.kernel(dumped("devcd2"), dumped("devcd3"))
        t.wanted()
        t.flown()
        wait_for(t.bundles, "the bundle of the other device")
        equal([n for n in members(t.bundles()[0]) if n.startswith("devcoredump")], ["devcoredump-devcd2.bin"], "the other device's")
        slow.write(b"end")
    t.end()
    first = Bundle(t.bundles()[0])
    equal((first["devcoredump-devcd1.bin"], first["devcoredump-devcd3.bin"]), (b"begin end", b"of the same device"), "the first device's")


@test
def a_driver_that_never_answers():
    """What was read until then is there, and it is said that it is not all."""
    machine()
    os.makedirs(at("m/sys/class/devcoredump/devcd1"))
    os.mkfifo(at("m/sys/class/devcoredump/devcd1/data"))
    t = Taker(dump_limit=1)
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.end()
    b = only(t)
    expect("cut" in b.kinds() and b"took too long" in b["hang.txt"], b["hang.txt"])
    expect("devcoredump-devcd1.bin" not in b.has, "there was nothing of it")
    b["dmesg.txt"]


@test
def the_trace_is_of_the_hang():
    """A flight file that ended before it is not, and another one is asked for."""
    machine()
    t = Taker()
    t.fired("reset", when=5000)
    t.wanted()
    t.flown(write("old.xtr", b"older"), when=10, to=4999)
    t.wanted()
    t.flown(when=4000, to=5000)
    t.end(trace=None)
    with open(os.path.join(os.path.dirname(__file__), "../golden/frames.xtr"), "rb") as f:
        equal(only(t)["trace.xtr"], f.read(), "the trace")


@test
def a_recorder_that_writes_none():
    machine()
    t = Taker(trace_limit=0, grace=0)
    t.fired("reset")
    wait_for(t.bundles, "the bundle")
    t.end(trace=None)
    equal(only(t).about["trace.xtr"]["why"], "the recorder wrote none in time", "why")


@test
def dumps_that_are_there_at_the_start():
    """Of before, and not in a bundle: they are taken; once."""
    machine()
    dump("devcd7", b"from before")
    for count in (1, 1):
        t = Taker()
        t.end()
        equal(len(t.bundles()), count, "bundles")
    equal(only(t)["devcoredump-devcd7.bin"], b"from before", "the dump")
    # Of another boot it is another one.
    machine_boot = "99999999-2222-3333-4444-555555555555"
    write("m/proc/sys/kernel/random/boot_id", machine_boot + "\n")
    t = Taker()
    t.end()
    equal(len(t.bundles()), 2, "bundles after another boot")


@test
def older_bundles_go():
    machine()
    old = [f"hang-2020010{i}T000000Z-0000.tar.zst" for i in range(1, 5)]
    others = ["hang-20200101T000000Z-0000.tar.zst.mine", "hang-x.tar.zst", "notes"]
    for name in old + others:
        write("d/" + name, random.Random(2).randbytes(100_000))
    t = Taker(keep=3)
    t.fired("reset")
    t.end()
    equal([os.path.basename(p) in old for p in t.bundles()][:2], [True, True], "the two newest of the older ones")
    equal(sorted(n for n in os.listdir(t.folder) if n in old), old[2:], "older ones")
    equal(sorted(n for n in os.listdir(t.folder) if n in others), others, "what is no bundle")
    # By size: what is being taken has room first, then the newest that fit stay.
    t = Taker(max=600_000)
    dump("devcd1", random.Random(4).randbytes(150_000))
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.end()
    left = [n for n in os.listdir(t.folder) if n.endswith("0000.tar.zst") and n not in others]
    expect(sum(os.path.getsize(os.path.join(t.folder, n)) for n in left) < 600_000, left)
    equal(Bundle(t.bundles()[-2 if t.bundles()[-1].endswith("hang-x.tar.zst") else -1])["devcoredump-devcd1.bin"], random.Random(4).randbytes(150_000), "the dump")
