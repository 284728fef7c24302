# SPDX-License-Identifier: BSD-2-Clause
"""Completions, in the shells themselves: what a person types on a terminal, and what the shell makes of it."""

import os
import pty
import re
import select
import shutil
import signal
import sys
import time

from common import GOLDEN, PREFIX, ROOT, WORK, XTR, equal, expect, missing, run, test

sys.path[:0] = [os.path.join(ROOT, p) for p in ("spec", "tests/vectors")]
import reader  # noqa: E402
import xtrgen  # noqa: E402

BASH = os.path.join(PREFIX, "share/bash-completion/completions/xtr")
ZSH = os.path.join(PREFIX, "share/zsh/site-functions")
FISH = os.path.join(PREFIX, "share/fish/vendor_completions.d/xtr.fish")
FOLDER = os.path.join(WORK, "shells")
EVENTS = {"gpu_scheduler:drm_sched_job_queue", "gpu_scheduler:drm_sched_job_run", "gpu_scheduler:drm_sched_job_done"}
LIMIT = 30  # s: a host may be busy


def traces():
    """A folder with a trace to ask, and one of a stranger whose names are commands for a shell."""
    if os.path.isdir(FOLDER):
        return
    os.makedirs(FOLDER)
    shutil.copy(os.path.join(GOLDEN, "frames.xtr"), os.path.join(FOLDER, "run.xtr"))
    with open(os.path.join(FOLDER, "run.xtr"), "rb") as f:
        section = reader.File(f.read()).sections[0]
    out = xtrgen.Section(section.header.file_id)
    for c in section.chunks:
        raw = section.payload(c)
        if c.type == reader.META:
            item = reader.cbor(raw)
            for i, event in enumerate(item["events"]):
                event["name"] = ["$(touch pwned)", "`touch pwned`", "a;touch pwned", "x'y", "q\tr", "gpu:$HOME", "gpu:ok"][i % 7] + str(i // 7)
            out.item(c.type, item, props=c.props)
    out.index()
    out.trailer()
    with open(os.path.join(FOLDER, "hostile.xtr"), "wb") as f:
        f.write(out.data)


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, *command, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(FOLDER)
            os.execvpe(command[0], command, {"PATH": os.path.join(PREFIX, "bin") + ":" + os.environ["PATH"], "TERM": "dumb",
                                             "HOME": FOLDER, "INPUTRC": "/dev/null", "COLUMNS": "200", **(env or {})})

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, pattern):
        """What comes until it matches; fails after a while."""
        seen, end = "", time.monotonic() + LIMIT
        while not re.search(pattern, seen):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            expect(ready, f"no {pattern!r} in {seen[-600:]!r}")
            seen += os.read(self.fd, 65536).decode("utf-8", "replace").replace("\a", "")
        return seen

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def bash(*words):
    """What bash offers for the last of these words, which are broken as it breaks them."""
    traces()
    script = f""". {BASH}; compopt() {{ :; }}; COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xtr; printf '%s\\n' "${{COMPREPLY[@]}}\""""
    return set(run("bash", "-c", script, "bash", XTR, *words, cwd=FOLDER).split("\n")) - {""}


@test
def bash_asks_the_trace():
    expect(EVENTS <= bash("dump", "run.xtr", "-e", ""), "events")
    found = bash("dump", "run.xtr", "-e", "gpu_s")
    expect(EVENTS <= found and all(n.startswith("gpu_s") for n in found), f"with a prefix: {found}")
    equal(bash("dump", "run.xtr", "-e", "gpu_scheduler", ":", "drm_sched_job_q"), {"drm_sched_job_queue"}, "behind a colon")
    equal(bash("dump", "run.xtr", "--event", "=", "gpu_scheduler", ":", "drm_sched_job_q"), {"drm_sched_job_queue"}, "--event=")
    equal(bash("jobs", "run.xtr", "-D", ""), {"0000:00:02.0", "0000:03:00.0", "0000:c1:00.0"}, "devices")
    equal(bash("jobs", "run.xtr", "-D", "0000", ":", "03", ":"), {"00.0"}, "a device behind colons")
    equal(bash("stats", "run.xtr", "--ring", "=", "gf"), {"gfx_0.0.0"}, "rings")
    expect("4200" in bash("jobs", "run.xtr", "-p", ""), "processes")
    equal(bash("jobs", "-p", ""), set(), "without a file")
    expect({"perfetto", "chrome", "csv"} <= bash("export", "run.xtr", "-f", ""), "formats")
    equal(bash("import", "-f", "bpf"), {"bpftrace"}, "a format of import")
    equal(bash("stats", "run.xtr", "--section", "=", "dep"), {"depth", "dependencies"}, "sections")
    equal(bash("jobs", "../nowhere.xtr", "-p", ""), set(), "without such a file")


@test
def nothing_of_a_trace_is_run():
    found = bash("dump", "hostile.xtr", "-e", "")
    expect("gpu:ok0" in found and all(re.fullmatch(r"gpu:ok\d+", n) for n in found), f"plain names alone: {found}")
    expect(not os.path.exists(os.path.join(FOLDER, "pwned")), "a name of the trace was run")
    for kind in ("events", "devices", "rings", "pids"):
        names = run(XTR, "--dump-names", kind, "run.xtr", cwd=FOLDER)
        expect(re.fullmatch(r"([\w.:/@+#,%=-]+\t[\w.:/@+#,%=-]*\n)+", names), f"{kind}: {names!r}")
    equal(run(XTR, "--dump-names", "colours", "run.xtr", status=2, cwd=FOLDER), "", "a kind that there is not")


@test
def bash_completes_on_a_terminal():
    traces()
    with Terminal("bash", "--noprofile", "--norc", "-i", env={"PS1": "ready> "}) as t:
        t.until("ready> ")
        t.send(f". {BASH}; complete -p xtr\n")
        t.until(r"complete -o filenames -F _xtr xtr")
        t.send("xtr dump run.xtr -e gpu_scheduler:drm_sched_job_q\t# seen\n")
        t.until(r"-e gpu_scheduler:drm_sched_job_queue # seen")
        t.send("xtr jobs run.xtr -D 0000:0\t3\t# seen\n")
        t.until(r"-D 0000:03:00\.0 # seen")


@test
def zsh_completes_on_a_terminal():
    if missing("zsh"):
        return missing("zsh")
    traces()
    with Terminal("zsh", "-f", "-i") as t:
        t.send(f"PS1='ready> '; fpath=({ZSH} $fpath); autoload -U compinit && compinit -u -D; unsetopt prompt_sp\n")
        t.until("ready> ")
        t.send("xtr dump run.xtr -e gpu_scheduler:drm_sched_job_q\t# seen\n")
        t.until(r"gpu_scheduler:drm_sched_job_queue[\s\x08]*# seen")
        t.send("xtr stats run.xtr --ring gf\t# seen\n")
        t.until(r"gfx_0\.0\.0[\s\x08]*# seen")
        t.send("xtr export -f perf\t# seen\n")
        t.until(r"perfetto[\s\x08]*# seen")
    return None


@test
def fish_completes():
    if missing("fish"):
        return missing("fish")
    traces()

    def fish(line):
        return run("fish", "--no-config", "-c", f"source {FISH}; complete -C '{line}'", cwd=FOLDER,
                   env={"PATH": os.path.join(PREFIX, "bin") + ":" + os.environ["PATH"], "HOME": FOLDER}).splitlines()

    expect(EVENTS <= {n.split("\t")[0] for n in fish("xtr dump run.xtr -e ")}, "events")
    equal(fish("xtr dump run.xtr -e gpu_scheduler:drm_sched_job_q"), ["gpu_scheduler:drm_sched_job_queue"], "one event")
    equal([n.split("\t")[0] for n in fish("xtr jobs run.xtr --ring gf")], ["gfx_0.0.0"], "a ring")
    equal([n.split("\t")[0] for n in fish("xtr stats run.xtr -s firm")], ["firmware"], "a section")
    expect(any(n.startswith("4200\t") for n in fish("xtr jobs run.xtr -p ")), "processes")
    expect(all(re.match(r"gpu:ok\d", n) for n in fish("xtr dump hostile.xtr -e gpu:")), "plain names alone")
    expect(not os.path.exists(os.path.join(FOLDER, "pwned")), "a name of the trace was run")
    return None
