# SPDX-License-Identifier: BSD-2-Clause
"""scripts/demo without a virtual machine: in a tree of its own, whose lab gives out a trace that is there."""

import os
import shutil
import subprocess
import tempfile

from checks import equal, expect
from process import ROOT

LAB = """#!/bin/sh
case $1 in
accel) echo tcg ;;
run) cp frames.xtr build/demo/run.xtr ;;
esac
"""
STAND_INS = {"Makefile": "all:\n", "scripts/install-deps": "#!/bin/sh\n", "tests/lab/lab": LAB}
LONGEST = 60  # lines: less than what a new user reads
LEFT = ("run.xtr", "run.pftrace", "run.json")


def _tree(folder, xtr):
    for path, text in STAND_INS.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(path, 0o755)
    shutil.copy(os.path.join(ROOT, "scripts/demo"), os.path.join(folder, "scripts"))
    shutil.copy(os.path.join(ROOT, "tests/golden/frames.xtr"), folder)
    os.symlink(xtr, os.path.join(folder, "xtr"))


def said(xtr, *within):
    """The lines of the demo, started by a command that runs it (as in a container); what every demo must say and leave is there."""
    with tempfile.TemporaryDirectory(prefix="xtr-demo.") as folder:
        _tree(folder, os.path.abspath(xtr))
        done = subprocess.run([*within, os.path.join(folder, "scripts/demo")], env={**os.environ, "DEMO": "lab"}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        equal(done.returncode, 0, f"exit status of the demo ({done.stdout})")
        lines = done.stdout.splitlines()
        expect(len(lines) < LONGEST, f"{len(lines)} lines")
        for line in ("demo: the guest is emulated, so what the recorder cost in it says nothing of a real machine", "Findings", "Rings: execution time"):
            expect(line in lines, f"not said: {line}\n{done.stdout}")
        for name in LEFT:
            expect(os.path.getsize(os.path.join(folder, name)) > 0, f"{name} is empty")
        following = [line.split("#")[0].split() for line in lines if line.startswith("    ./xtr ")]
        equal([command[1] for command in following], ["report", "jobs", "stats"], "the next commands")
        for command in following:
            equal(subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode, 0, f"status of {command}")
        expect(os.path.getsize(os.path.join(folder, "run.html")) > 0, "run.html is empty")
    return lines
