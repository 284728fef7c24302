# SPDX-License-Identifier: BSD-2-Clause
"""Files made to keep a reader busy: both must read each alike, and in a time that grows with its size.

Every file here is about 200 kB. A reader that looks at bytes again and again needs minutes for some.
"""
import os
import struct
import time

import creader
import reader
from xtrgen import (EVENTS, INDEX, LOSS, META, TABLE, Section, begin, cbor, file_header, meta, tick)

SIZE = 200000
SECONDS = 20  # CPU time of reader.py for one file; libxtr gets the same


def overlapping(distance, **over):
    """Chunk headers one behind the other, each claiming a megabyte."""
    s = Section()
    while s.here() < SIZE:
        s.chunk(0x80, b"", stored_len=1 << 20, raw_len=1 << 20, **over)
        s.raw(bytes(distance - 80))
    return s.data


def nested():
    """Chunks with right headers and payloads whose ends meet nothing."""
    s = Section()
    while s.here() < SIZE:
        s.chunk(0x80, bytes(100), stored_len=4000, raw_len=4000)
    return s.data + bytes(4000)


def many_chunks(make):
    s = begin()
    while s.here() < SIZE:
        make(s)
    return s.data


def tasks():
    """A thread with thousands of names, and thousands of events of it."""
    s = begin()
    rows = [[7, 1, since, 1, 0] for since in range(8000)]
    s.item(TABLE, {"strings": {1: "x"}, "tasks": rows}, codec=1)
    s.events(0, [tick(i, i) for i in range(4000)])
    return s.close(4000)


def files():
    yield "magics", b"\x89XTR\r\n\x1a\n" * (SIZE // 8)
    yield "syncs", file_header(5) + b"\xd8XTC" * (SIZE // 4)
    yield "trailer magics", file_header(5) + b"XTRE" * (SIZE // 4)
    yield "file headers", file_header(5) * (SIZE // 64)
    yield "later versions", file_header(5, major=2) * (SIZE // 64)
    yield "damaged file headers", file_header(0) * (SIZE // 64)
    yield "overlapping chunks", overlapping(80)
    yield "overlapping chunks, apart", overlapping(200)
    yield "one chunk again and again", overlapping(80, seq=1)
    yield "nested chunks", nested()
    yield "sections in chunks", begin().data + many_chunks(
        lambda s: s.chunk(0x80, file_header(s.here() + 1), file_id=s.here()))
    yield "chunks of many files", bytes(64) + many_chunks(
        lambda s: s.chunk(0x80, b"", file_id=s.here()))[64:]
    yield "wrong indexes", many_chunks(lambda s: s.chunk(INDEX, bytes(16) + b"x"))
    yield "right indexes", many_chunks(lambda s: s.index())
    yield "streams", many_chunks(lambda s: s.events(s.seq, [tick(1, 1)], first_ordinal=9))
    yield "many METAs", many_chunks(lambda s: s.item(META, meta()))
    yield "many losses", many_chunks(lambda s: s.item(LOSS, {"lost": [[s.seq, 1, 1, 1]]}))
    yield "gaps", many_chunks(lambda s: s.item(LOSS, {"gaps": [[1, 2, 3, s.seq]] * 20}))
    yield "wrong events", many_chunks(lambda s: s.chunk(EVENTS, struct.pack("<QHHI", 0, 0, 8, 0)))
    yield "strings", many_chunks(lambda s: s.item(TABLE, {"strings": {s.seq: "x"}}))
    yield "tasks", tasks()
    yield "claims", many_chunks(lambda s: s.chunk(TABLE, cbor({"z": 1})[:-1] + b"\x9b" + b"\xff" * 8))


def cpu_of(c):
    """Seconds of CPU time that the program has used; 0: it is over."""
    try:
        with open("/proc/%d/stat" % c.process.pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0


def check(tally):
    c = creader.CReader()
    for name, data in files():
        start = time.process_time()
        want = reader.document(reader.File(data))
        python = time.process_time() - start
        try:
            start = cpu_of(c)
            same = c.read(data) == want
            libxtr = cpu_of(c) - start
            why = "" if same else "the readers differ"
        except RuntimeError as error:
            same, libxtr, why, c = False, 0, str(error), creader.CReader()
        if python > SECONDS or libxtr > SECONDS:
            same, why = False, "reader.py %.1f s, libxtr %.1f s" % (python, libxtr)
        tally.check("hostile: " + name, same, why)
    tally.check("vector_reader ends well after hostile files", c.close() == 0)
