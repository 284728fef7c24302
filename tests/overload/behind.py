# SPDX-License-Identifier: BSD-2-Clause
"""A recorder whose output does not move: chunks are written raw first, then events are dropped, in bounded memory."""

import os
import re
import shutil
import subprocess

import reader
from common import SANITIZED, XTR, Truth, count, equal, expect, info, produce, test, wait_for, xtr

import source  # of tests/export: gaps.py has put that in the path

RING = 8 << 20
# All batches (recorder/recorder.c: 64 and one per CPU, of 256 KiB and a head).
BATCHES = (os.cpu_count() + 64) * (260 << 10)
START = 32 << 20  # the program, its libraries, the kernel's types while programs are loaded
REST = 4 << 20  # what comes with the work: the writer's buffers. Rings and batches are there from the beginning.


def peak(pid):
    """The most memory that was ever resident, the rings among it, bytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) * 1024


def made():
    try:
        return Truth().all
    except (OSError, ValueError, reader.struct.error):
        return 0


@test
def raw_chunks_come_before_losses_and_memory_is_bounded():
    """Nobody reads the pipe until the producer has made more than the recorder can hold."""
    holds = (2 * RING + BATCHES) // 40  # an event takes more than 40 bytes in the trace ring, a record more than 56
    p = subprocess.Popen([XTR, "record", "-q", "-o", "-", "--buffer", str(RING), *produce(2, 50000, holds)],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open("run.xtr", "wb") as f:
        f.write(p.stdout.read(64))
        wait_for(made, "the producer")
        before = peak(p.pid)
        wait_for(lambda: made() >= holds, "as many events as it can hold", 300)
        worst = peak(p.pid)
        shutil.copyfileobj(p.stdout, f)
    text = p.communicate(timeout=300)[1].decode()
    equal(p.returncode, 3, f"exit status ({text})")
    doc, truth = info("run.xtr"), Truth()
    equal(doc["events"] + doc["lost"], truth.all, "recorded + lost")
    with open("run.xtr", "rb") as f:
        chunks = [c for c in reader.Marks(f.read()).stands.values() if isinstance(c, reader.Chunk) and c.type == reader.EVENTS]
    raw = [c for c in chunks if not c.codec and not c.filter]
    section = doc["sections"][0]
    equal((section["event_chunks"], section["raw_chunks"]), (len(chunks), len(raw)), "chunks, and raw ones")
    expect(0 < len(raw) < len(chunks), f"{len(raw)} of {len(chunks)} chunks are raw")
    expect(f"{len(raw):,} of {len(chunks):,} chunks are not compressed" in xtr("info", "run.xtr", status=(3,)).decode(), "info")
    first = min(r["first_ns"] for r in source.json_rows("run.xtr", "gaps"))
    expect(min(c.ts_min for c in raw) < first, f"events were lost at {first}, before the first raw chunk")
    bound = 2 * os.cpu_count() * RING + BATCHES + START  # rings are mapped twice, for records that wrap
    expect(SANITIZED or before <= bound, f"{before >> 10} KiB of memory at first, at most {bound >> 10} expected")
    expect(SANITIZED or worst <= before + REST, f"{worst >> 10} KiB of memory, {before >> 10} at first")
    count("emitted", truth.all)
    count("dropped", doc["lost"])
    count("raw", len(raw))
    print(f"figure: overload.peak {worst >> 10} KiB at most with an output that does not move, {before >> 10} KiB before")
