# SPDX-License-Identifier: BSD-2-Clause
"""What all parts of the benchmark use: where things are, the machine, commands with their cost."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = (ROOT / os.environ.get("BUILD", "build/gcc")).resolve()
XTR = str((ROOT / os.environ.get("XTR", "xtr")).resolve())
RESULTS = ROOT / "build" / "bench"
SYNTH = BUILD / "tests/tools/synth"


def machine():
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", cpuinfo)
    virtual = ", virtual" if " hypervisor " in cpuinfo else ""
    uname = os.uname()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{model.group(1) if model else uname.machine}{virtual}, {os.cpu_count()} CPUs, {memory:.0f} GiB, "
            f"Linux {uname.release}")


class Cost:
    """A finished command: status, CPU and wall time in ns, peak resident set in bytes, last line of stderr."""

    def __init__(self, status, figures, why):
        self.status, self.why = status, why
        self.cpu, self.wall, self.rss = (int(n) for n in figures.split()) if figures else (0, 0, 0)


def run_timed(argv, env=None, stdout=None):
    """Run to its end; what it took is that of the command and all its children (spend.c)."""
    with tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile("r") as figures:
        done = subprocess.run([BUILD / "tests/bench/spend", figures.name, *map(str, argv)], env={**os.environ, **(env or {})},
                              stdin=subprocess.DEVNULL, stdout=stdout or subprocess.DEVNULL, stderr=err, check=False)
        err.seek(0)
        lines = err.read().decode(errors="replace").strip().splitlines()
        return Cost(done.returncode, figures.read(), lines[-1].strip() if lines else "")


def must(argv, env=None, stdout=None, good=(0, 3)):
    """run_timed, or RuntimeError. Status 3 is xtr's for events that were lost."""
    cost = run_timed(argv, env, stdout)
    if cost.status not in good:
        raise RuntimeError(f"{shown(argv)}: exit status {cost.status}: {cost.why}")
    return cost


def output(argv):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", check=True).stdout


def shown(argv, names=()):
    """A command line to read: programs without their folders; names: {what stands there: what to say}."""
    words = [str(a) for a in argv]
    text = " ".join(w if re.fullmatch(r"[\w@%+=:,./*{}\[\]-]+", w) else shlex.quote(w) for w in words)
    for path, name in dict(names).items():
        text = text.replace(str(path), name)
    return re.sub(r"(^|[\s'])/\S*/(xtr|load|pace|synth|micro|rawtp|ftrace)\b", r"\1\2", text)


def synth(path, events, *options):
    must([SYNTH, "-n", events, *options, "-o", path], good=(0,))
    return path
