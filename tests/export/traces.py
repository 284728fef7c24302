# SPDX-License-Identifier: BSD-2-Clause
"""The traces that exports are tried on."""

import os
import subprocess

import source
from source import Source

BUILD = os.path.join(source.ROOT, os.environ.get("BUILD", "build/gcc"))
GOLDEN = os.path.join(source.ROOT, "tests/golden")


def tool(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_sources(folder):
    """The traces: those of tests/golden, made-up ones, and several sections in one file."""
    def at(name):
        return os.path.join(folder, name + ".xtr")

    found = [Source(n, path, [path]) for n in ("frames", "frames-old-kernel", "trouble", "no-jobs", "npu")
             for path in [os.path.join(GOLDEN, n + ".xtr")]]
    for name, seed, jobs in (("tangle", "1", "600"), ("tangle2", "2", "901")):
        tool(os.path.join(BUILD, "tests/export/gen"), seed, jobs, at(name))
        found.append(Source(name, at(name), [at(name)]))
    tool(os.path.join(BUILD, "tests/tools/synth"), "-n", "6000", "-d", "2", "-r", "3", "-o", at("synth"))
    found.append(Source("synth", at("synth"), [at("synth")]))
    parts = [at("synth"), os.path.join(GOLDEN, "trouble.xtr"), at("tangle")]
    with open(at("sections"), "wb") as out:
        for part in parts:
            with open(part, "rb") as f:
                out.write(f.read())
    found.append(Source("sections", at("sections"), parts))
    return found
