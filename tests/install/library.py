# SPDX-License-Identifier: BSD-2-Clause
"""libxtr as a stranger uses it: the header, pkg-config, the example, and what is exported."""

import glob
import os
import re
import shutil

from common import GOLDEN, HERE, PREFIX, WORK, XTR, equal, expect, missing, run, test

EXAMPLE = os.path.join(PREFIX, "share/doc/xtr/examples/events")
LIB = os.path.join(PREFIX, "lib")
PKG = {"PKG_CONFIG_PATH": os.path.join(LIB, "pkgconfig")}


def example(name):
    """The example, built by its own Makefile against what is installed."""
    folder = os.path.join(WORK, name)
    shutil.copytree(EXAMPLE, folder)
    run("make", "-C", folder, "CC=gcc", "CFLAGS=-std=c11 -Wall -Wextra -Werror",
        env={**PKG, "MAKEFLAGS": "", "MAKELEVEL": ""})
    return os.path.join(folder, "events")


def dumped(path):
    """What xtr dump says of the first section, but for places where events were lost."""
    lines = run(XTR, "dump", path, status=3 if "trouble" in path else 0).splitlines(True)
    return "".join(line for line in lines if not line.startswith(("LOST ", "LEFT OUT ", "#")))


@test
def the_example_prints_what_dump_prints():
    program = example("shared")
    expect("libxtr.so.0 =>" in run("ldd", program, env={"LD_LIBRARY_PATH": LIB}), "not linked with libxtr.so.0")
    for path in sorted(glob.glob(os.path.join(GOLDEN, "*.xtr"))):
        equal(run(program, path, env={"LD_LIBRARY_PATH": LIB}), dumped(path), os.path.basename(path))


@test
def the_example_is_short():
    with open(os.path.join(EXAMPLE, "events.c"), encoding="utf-8") as f:
        lines = [line for line in f if line.strip() and not line.startswith(("/*", " *"))]
    expect(len(lines) <= 32, f"{len(lines)} lines")


@test
def the_static_library_serves_as_well():
    program, path = os.path.join(WORK, "static"), os.path.join(GOLDEN, "frames.xtr")
    libs = run("pkg-config", "--static", "--libs", "xtr", env=PKG).replace("-lxtr ", "").split()
    run("gcc", "-o", program, os.path.join(EXAMPLE, "events.c"), "-I" + os.path.join(PREFIX, "include"),
        os.path.join(LIB, "libxtr.a"), *libs)
    expect("libxtr" not in run("ldd", program), "linked with libxtr.so")
    equal(run(program, path), dumped(path), "frames.xtr")


@test
def errors_have_texts():
    program = os.path.join(WORK, "shared/events")
    env = {"LD_LIBRARY_PATH": LIB}
    with open(os.path.join(GOLDEN, "frames.xtr"), "rb") as f:
        data = bytearray(f.read())
    broken = os.path.join(WORK, "broken.xtr")
    with open(broken, "wb") as f:
        f.write(b"no trace" * 20)
    equal(run(program, os.path.join(WORK, "nowhere"), status=1, both=True, env=env), "events: No such file or directory\n", "no file")
    equal(run(program, broken, status=1, both=True, env=env), "events: not an .xtr file\n", "no trace")
    at = next(m.start() for m in re.finditer(b"\xd8XTC\x02", data))
    data[at + 82] ^= 1
    with open(broken, "wb") as f:
        f.write(data)
    said = run(program, broken, status=1, both=True, env=env)
    expect(re.search(rf"^events: chunk \d+ at {at:#x}: payload checksum mismatch\n", said, re.M), said)


@test
def exports_are_the_committed_list():
    """A name that goes breaks programs that are built; one that comes is a promise: both are changes of symbols.txt."""
    with open(os.path.join(HERE, "symbols.txt"), encoding="ascii") as f:
        want = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    have = [line.split()[-1].replace("@@", "@") for line in run("nm", "-D", "--defined-only", os.path.join(LIB, "libxtr.so")).splitlines()]
    equal(sorted(n for n in have if n != "XTR_0.1" and not n.startswith("XTR_0.1@")), sorted(want), "nm -D libxtr.so")
    equal(re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", os.path.join(LIB, "libxtr.so"))), ["libxtr.so.0"], "soname")
    static = run("nm", "-g", "--defined-only", os.path.join(LIB, "libxtr.a"))
    equal(sorted(re.findall(r" [TDBRVW] (\w+)$", static, re.M)), sorted(n.split("@")[0] for n in want), "nm -g libxtr.a")
    with open(os.path.join(PREFIX, "include/xtr.h"), encoding="utf-8") as f:
        header = set(re.findall(r"\b(xtr_\w+)\(", re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)))
    equal(header, {n.split("@")[0] for n in want}, "functions of xtr.h")


@test
def the_header_stands_alone():
    """In C and C++, strictly, and without anything else of ours."""
    source = "#include <xtr.h>\nint main(void) { return xtr_version() == 0; }\n"
    compilers = [("gcc", "c", "-std=c99"), ("clang", "c", "-std=c11")]
    compilers += [("g++", "c++", "-std=c++11")] if not missing("g++") else []
    compilers += [("clang++", "c++", "-std=c++11")] if not missing("clang++") else []
    for compiler, language, standard in compilers:
        if missing(compiler):
            return missing(compiler)
        flags = run("pkg-config", "--cflags", "xtr", env=PKG).split()
        run(compiler, "-x", language, standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags, "-",
            data=source.encode())
    return None
