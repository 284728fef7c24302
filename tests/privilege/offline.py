# SPDX-License-Identifier: BSD-2-Clause
"""Commands that read: as nobody, without capabilities, in a file system that cannot be written and has no /proc and /sys.

jail.py also ends them at the first bpf(2) or perf_event_open(2).
"""

import os
import shutil
import signal
import subprocess
import sys

from lib import HERE, ROOT, TRACE, XTR, equal, expect, figure, run, test

RECORDING = {"record", "list", "doctor"}
SHIPPING = {"ship"}  # it takes a directory, and writes there: tests/ship
FTRACE = (b"# tracer: nop\n"
          b"            bash-100   [000] d..1.    10.000001: sched_wakeup: comm=a pid=1 prio=120 target_cpu=000\n"
          b"            bash-100   [001] d..1.    10.000002: sched_wakeup: comm=b pid=2 prio=120 target_cpu=001\n")


class Command:
    """A command that reads: what it takes, and whether it writes a file (-o)."""

    def __init__(self, name, options=(), output=False, stdin=True, text=False, after=()):
        self.name, self.options, self.after = name, list(options), list(after)
        self.output, self.stdin, self.text = output, stdin, text


COMMANDS = [
    Command("info"), Command("info", ["--json"]), Command("stats"), Command("jobs"), Command("why", ["--path"]), Command("whatif"), Command("frames", ["--frame", "ring=*"]), Command("symbols"), Command("dump"),
    Command("dump", ["--json"]), Command("check"),
    *(Command("export", ["-f", f], output=True) for f in ("perfetto", "chrome", "sqlite", "csv", "jsonl", "arrow")),
    Command("cut", output=True), Command("cat", output=True, stdin=False),
    Command("recover", output=True), Command("pack", output=True), Command("redact", output=True), Command("bundle", ["--no-redact"], output=True),
    Command("report", output=True),
    Command("import", ["-f", "ftrace"], output=True, text=True),
    *(Command("flame", ["-f", f, "--weight", "count"]) for f in ("folded", "speedscope", "svg")),
    Command("flame", ["--weight", "wait"]),
    Command("flame", ["--idle"]),
    Command("query", after=["select count(*) from events"]), Command("diff", after=["trace.xtr"]),
]


def all_commands():
    """With those that this table does not know: they take a trace."""
    status, output, _ = run([XTR, "--dump-commands"])
    equal(status, 0, "--dump-commands")
    names = output.decode().split()
    known = {c.name for c in COMMANDS}
    return [c for c in COMMANDS if c.name in names] + [Command(n, ["-o", "-"] if n == "recover" else [])
                                                       for n in names if n not in known | RECORDING | SHIPPING]


def jail(args, **kwargs):
    return run([sys.executable, os.path.join(HERE, "jail.py"), *args], **kwargs)


def places():
    """What is copied into the jail's /tmp."""
    os.mkdir("in")
    shutil.copy(XTR, "in/xtr")
    os.chmod("in/xtr", 0o755)
    shutil.copy(TRACE, "in/trace.xtr")
    with open("in/trace.txt", "wb") as f:
        f.write(FTRACE)
    for name in ("trace.xtr", "trace.txt"):
        os.chmod(f"in/{name}", 0o444)


@test
def the_jail_is_one():
    """It says no to what it is there for: each thing tried is refused or missing."""
    places()
    show = ("id -u; ls /proc /sys | grep -v : | wc -w; touch /xtr-privilege 2>&1; touch /tmp/in/x 2>&1; "
            "cat /tmp/in/trace.xtr >/tmp/copy && echo copied")
    status, output, message = jail(["in", "sh", "-c", show])
    lines = output.decode().split("\n")
    equal(status, 0, f"exit status ({message})")
    equal((lines[0], lines[1].strip()), ("65534", "0"), "user, and what is in /proc and /sys")
    expect("Read-only file system" in lines[2] and "denied" in lines[3] and lines[4] == "copied", f"said: {lines}")
    # doctor tries to make a BPF map: the jail ends it.
    status, _, message = jail(["in", "/tmp/in/xtr", "doctor"])
    equal(status, -signal.SIGSYS, f"doctor ({message})")


@test
def every_command_works_without_anything():
    places()
    tried = 0
    for c in all_commands():
        name = "trace.txt" if c.text else "trace.xtr"
        what = " ".join([c.name, *c.options])
        options = [*c.options, "-o", "-"] if c.output else c.options
        args = [c.name, *options, name, *c.after]
        if "sqlite" in options:  # a database is not streamed
            args = ["sh", "-c", "\"$0\" export -q -f sqlite -o \"$1\" trace.xtr && cat \"$1\""]
            outside = run([*args, XTR, os.path.abspath("out.db")], cwd="in")
            inside = jail(["in", *args, "/tmp/in/xtr", "/tmp/out.db"])
        else:
            outside = run([XTR, *args], cwd="in")
            inside = jail(["in", "/tmp/in/xtr", *args])
        expect(outside[0] in (0, 3) and outside[1], f"{what}, outside: {outside}")
        equal(inside[0], outside[0], f"{what}: exit status ({inside[2]})")
        if outside[1][:8] == b"\x89XTR\r\n\x1a\n":  # a trace has an id of its own
            equal(len(inside[1]), len(outside[1]), f"{what}: bytes")
        else:
            expect(inside[1] == outside[1], f"{what}: not the same {len(inside[1])} bytes as outside")
        tried += 1
        if c.stdin and "sqlite" not in options:
            with open("in/" + name, "rb") as f:
                pipe = subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE)
                piped = jail(["in", "/tmp/in/xtr", c.name, *options, "-", *c.after], stdin=pipe.stdout)
                pipe.stdout.close()
                pipe.wait(60)
            equal(piped[0], outside[0], f"{what}, from a pipe: exit status ({piped[2]})")
            expect(piped[1], f"{what}, from a pipe: nothing")
            tried += 1
    figure("commands", tried, "runs of commands as nobody: no capabilities, read-only /, no /proc, no /sys, no bpf()")


@test
def what_completions_ask_works_without_anything():
    """The options that shells and the build use: a key press must not need, or be able to do, more than reading."""
    places()
    shutil.copy(os.path.join(ROOT, "tests/golden/frames.xtr"), "in/frames.xtr")
    os.chmod("in/frames.xtr", 0o444)
    asked = [["--dump-commands"]]
    asked += [["--dump-completion", shell] for shell in ("bash", "zsh", "fish")]
    asked += [["--dump-names", kind, "frames.xtr"] for kind in ("events", "devices", "rings", "pids")]
    for args in asked:
        outside, inside = run([XTR, *args], cwd="in"), jail(["in", "/tmp/in/xtr", *args])
        expect(outside[0] == 0 and outside[1], f"{args}, outside: {outside}")
        equal(inside[:2], outside[:2], f"{args}, in the jail ({inside[2]})")
    figure("completions", len(asked), "questions of completions and of the build, asked in the same jail")
