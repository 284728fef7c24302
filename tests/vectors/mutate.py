# SPDX-License-Identifier: BSD-2-Clause
"""Damaged copies of vectors: no event may be shown that is not in the whole file, both readers agree.

mutate.c tries every truncation and every flipped bit of each file in FILES with libxtr and checks
what may be shown at all. Here libxtr and spec/reader.py are compared on a sample of those and of
rougher damage: zeroed, removed, repeated and swapped regions, and chunks changed under check sums that
are right. The sample is the same in each run.
"""
import os
import random
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor

import creader
import reader

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("small", "builtin-events-filtered", "codec-lz4-matches-filtered", "table-lookups",
         "index-twice", "two-sections", "loss-gaps-replaced", "attach", "meta-extended",
         "filter-layouts-of-one-type", "header-size-72", "rounds")
SAMPLES = 160  # of each file


def flip(data, rng):
    bit = rng.randrange(len(data) * 8)
    return data[:bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1:]


def cut(data, rng):
    return data[:rng.randrange(len(data))]


def region(data, rng):
    start = rng.randrange(len(data))
    return start, min(len(data), start + rng.choice((1, 3, 8, 64, 80, 200, 700)))


def zero(data, rng):
    a, b = region(data, rng)
    return data[:a] + bytes(b - a) + data[b:]


def remove(data, rng):
    a, b = region(data, rng)
    return data[:a] + data[b:]


def repeat(data, rng):
    a, b = region(data, rng)
    return data[:b] + data[a:b] + data[b:]


def swap(data, rng):
    a, b = region(data, rng)
    c, d = region(data[b:], rng) if b < len(data) else (0, 0)
    return data[:a] + data[b + c:b + d] + data[b:b + c] + data[a:b] + data[b + d:]


def insert(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 7, 8, 100))) + data[at:]


def concatenate(data, rng):
    return cut(data, rng) + flip(data, rng)


def reseal(data, rng):
    """Change bytes of one chunk and make its check sums right again: what decoders must stand."""
    starts = [m.start() for m in re.finditer(re.escape(reader.SYNC), data)]
    p = rng.choice(starts)
    end = min(len(data), p + 80 + int.from_bytes(data[p + 24:p + 28], "little"))
    chunk = bytearray(data[p:end])
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(4, 72) if rng.random() < 0.2 else rng.randrange(80, len(chunk) or 81)
        if at < len(chunk):
            chunk[at] = rng.choice((0, 1, 255, 127, 128, chunk[at] ^ 1 << rng.randrange(8),
                                    rng.randrange(256)))
    struct.pack_into("<I", chunk, 72, reader.crc32c(bytes(chunk[80:])))
    struct.pack_into("<I", chunk, 76, reader.crc32c(bytes(chunk[:76])))
    return data[:p] + bytes(chunk) + data[end:]


DAMAGE = (flip, cut, zero, remove, repeat, swap, insert, concatenate) + (reseal,) * 8


def path_of(name):
    return os.path.join(HERE, "accept", name + ".xtr")


def differing(c, name):
    """A description of the first mutation that the readers see differently, or None."""
    rng = random.Random(name)
    with open(path_of(name), "rb") as f:
        data = f.read()
    for i in range(SAMPLES):
        damage = DAMAGE[i % len(DAMAGE)]
        broken = damage(data, rng)
        python = reader.document(reader.File(broken))
        if c.read(broken) != python:
            keep = os.path.join(creader.BUILD, "mutate-%s-%d.xtr" % (name, i))
            with open(keep, "wb") as f:
                f.write(broken)
            return "%s number %d: kept as %s" % (damage.__name__, i, keep)
    return None


def every_mutation(name):
    return subprocess.run([os.path.join(creader.BUILD, "tests/vectors/mutate"), path_of(name)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def check(tally):
    c = creader.CReader()
    for name in FILES:
        try:
            why = differing(c, name)
        except RuntimeError as error:
            why, c = str(error), creader.CReader()
        tally.check("readers agree on damaged copies of " + name, why is None, why or "")
    tally.check("vector_reader ends well after damaged files", c.close() == 0)
    with ThreadPoolExecutor(2) as pool:  # under the sanitizers these programs take most of the time
        for name, run in zip(FILES, pool.map(every_mutation, FILES)):
            tally.check("every cut and flip of " + name, run.returncode == 0,
                        run.stdout.decode("utf-8", "replace").strip())
