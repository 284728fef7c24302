# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of privileges share: the programs, users without rights, files that give capabilities."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "spec"))
import reader  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "tests"))
import checks  # noqa: E402
from checks import Failure, equal, expect  # noqa: E402,F401 (for the tests)

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
XTR = os.path.abspath(os.environ.get("XTR", os.path.join(BUILD, "xtr")))
# Users without rights take these, too.
EMIT, TRACE = checks.for_everybody(os.path.join(BUILD, "tests/record/emit"),
                                   os.path.join(ROOT, "tests/vectors/accept/builtin-events-raw.xtr"))
NOBODY = 65534
LONG = os.environ.get("LONG") == "1"
# Numbers of include/uapi/linux/capability.h
CAPS = {"dac_override": 1, "dac_read_search": 2, "setpcap": 8, "sys_ptrace": 19, "sys_admin": 21, "syslog": 34,
        "perfmon": 38, "bpf": 39}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def figure(name, number, words):
    print(f"figure: privilege.{name} {number} {words}", flush=True)


def give(path, caps, effective=True):
    """File capabilities as setcap(8) writes them (struct vfs_cap_data, revision 2)."""
    mask = sum(1 << CAPS[c] for c in caps)
    magic = 0x02000000 | effective
    os.setxattr(path, "security.capability",
                struct.pack("<IIIII", magic, mask & 0xffffffff, 0, mask >> 32, 0))


def program(caps, effective=True):
    """A copy of xtr that gives these capabilities, in the current directory."""
    path = os.path.abspath("xtr-caps")
    if os.path.exists(path):
        os.unlink(path)
    shutil.copy(XTR, path)
    os.chmod(path, 0o755)
    if caps:
        give(path, caps, effective)
    return path


def by(user, args, groups=()):
    """What subprocess needs to start a program as another user, who may be unable to enter the tree."""
    inside = [a for a in args if a.startswith(ROOT + os.sep)]
    expect(not inside, f"user {user} is given files of the tree: {inside}")
    return {"user": user, "group": user, "extra_groups": list(groups)}


def run(args, user=None, groups=(), **kwargs):
    """Status, standard output and messages of a program, by another user."""
    if user is not None:
        kwargs.update(by(user, args, groups))
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False, **kwargs)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def status_of(pid):
    """/proc/PID/status of each thread as dictionaries."""
    result = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii", errors="replace") as f:
            result.append(dict(re.split(r":\s*", line.strip(), maxsplit=1) for line in f if ":" in line))
    return result


def section(path="t.xtr"):
    """The only section of a trace, by the independent reader; it must be without problems."""
    with open(path, "rb") as f:
        file = reader.File(f.read())
    equal([code for code, _ in file.problems], [], f"problems of {path}")
    equal(len(file.sections), 1, "sections")
    return file.sections[0]


def providers(path="t.xtr"):
    return {p["name"]: p["state"] for m in section(path).content[reader.META] for p in m["providers"]}


def n_events(path="t.xtr"):
    """Recorded events, and what was lost."""
    s = section(path)
    loss = s.content[reader.LOSS]
    lost = {tuple(e[:3]): e[3] for t in loss for e in t.get("lost", [])}
    return len(s.content[reader.EVENTS]), sum(lost.values())


def run_tests(tests, names):
    """Each in a directory of its own that everybody may use. Returns the numbers of results."""
    return checks.run_tests(tests, names, lambda: checks.in_folder(tempfile.TemporaryDirectory(prefix="xtr-privilege."), 0o777, ROOT))
