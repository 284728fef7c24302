# SPDX-License-Identifier: BSD-2-Clause
"""What is given up: by the recorder once it is attached, by the command that it runs, by commands that only read."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time

from lib import (CAPS, EMIT, NOBODY, TRACE, XTR, by, equal, expect, figure, give, program, run, section, status_of, test)
from offline import COMMANDS, FTRACE

CALL = "syscalls:sys_enter_sched_rr_get_interval"
SETS = ("CapInh", "CapPrm", "CapEff", "CapAmb")
FULL = ["bpf", "perfmon", "dac_read_search", "sys_ptrace", "syslog"]


def started(args, user=None):
    """A recorder that records: its command has said so."""
    kwargs = by(user, args) if user else {}
    p = subprocess.Popen([*args, "--", "sh", "-c", "touch began; exec sleep 600"], stderr=subprocess.PIPE, **kwargs)
    end = time.monotonic() + 60
    while not os.path.exists("began"):
        if p.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"did not begin: {p.stderr.read().decode()}")
        time.sleep(0.02)
    return p


def stop(p):
    p.send_signal(signal.SIGTERM)
    p.stderr.read()
    p.wait(60)
    os.unlink("began")


def check_threads(p, kept, bounded, what):
    threads = status_of(p.pid)
    expect(len(threads) >= 3, f"{what}: {len(threads)} threads")
    for t in threads:
        for name in SETS:
            want = sum(1 << CAPS[c] for c in kept) if name in ("CapPrm", "CapEff") else 0
            equal(int(t[name], 16), want, f"{what}: {name} of {t['Name']}")
        if bounded:
            equal(int(t["CapBnd"], 16), sum(1 << CAPS[c] for c in kept), f"{what}: CapBnd")
        equal(t["NoNewPrivs"], "1", f"{what}: NoNewPrivs")
    return len(threads)


@test
def everything_is_dropped_in_every_thread():
    """As root, with more than is needed, and by a file's capabilities. --stack keeps two, to name functions."""
    cases = [
        ("root", [XTR], None, [], [], True),
        ("root, --stack", [XTR], None, ["--stack"], ["sys_ptrace", "dac_read_search"], True),
        ("file capabilities", [program(FULL)], NOBODY, [], [], False),
        ("file capabilities, --stack", [program(FULL)], NOBODY, ["--stack"], ["sys_ptrace", "dac_read_search"], False),
        ("file capabilities with setpcap", [program([*FULL, "setpcap"])], NOBODY, [], [], True),
    ]
    n = 0
    for what, xtr, user, options, kept, bounded in cases:
        p = started([*xtr, "record", "--force", "-o", f"t{user}.xtr", *options, "-e", CALL], user)
        try:
            n += check_threads(p, kept, bounded, what)
        finally:
            stop(p)
    figure("threads", n, f"threads of {len(cases)} recorders looked at while recording: no capability but those that are said")


@test
def the_command_has_the_rights_of_the_user():
    show = ["sh", "-c", "grep -E '^(Uid|Gid|Groups|Cap|NoNew)' /proc/self/status"]
    for user, xtr in ((None, XTR), (NOBODY, program(FULL))):
        plain = run(show, user)[1]
        status, output, message = run([xtr, "record", "-q", "-o", f"c{user}.xtr", "-e", CALL, "--", *show], user)
        equal(status, 0, f"exit status ({message})")
        equal(output, plain, f"rights of the command, user {user}")


@test
def set_user_id_programs_work_in_the_command():
    shutil.copy(shutil.which("id"), "root-id")
    os.chmod("root-id", 0o4755)
    if os.statvfs(".").f_flag & os.ST_NOSUID:
        return "this file system is mounted nosuid"
    status, output, message = run([program(FULL), "record", "-q", "-o", "t.xtr", "-e", CALL, "--", "./root-id", "-u"],
                                  NOBODY)
    equal((status, output), (0, b"0\n"), f"id -u of a set-user-ID program ({message})")
    return None


@test
def commands_that_read_get_nothing_of_the_file_capabilities():
    """A file that gives CAP_DAC_READ_SEARCH and CAP_DAC_OVERRIDE does not let anybody read or write what is not theirs."""
    xtr = program([*FULL, "dac_override"])
    shutil.copy(TRACE, "secret.xtr")
    os.chmod("secret.xtr", 0o600)
    os.mkdir("closed", 0o700)
    with open("trace.txt", "wb") as f:
        f.write(FTRACE)
    os.chmod("trace.txt", 0o644)
    for command in COMMANDS:
        readable = os.path.abspath("trace.txt") if command.text else TRACE
        for args in (["secret.xtr"], ["-o", "closed/out", readable]):
            args = [command.name, *command.options, *args, *command.after]
            if "-o" in args and not command.output:
                continue
            status, output, message = run([xtr, *args], NOBODY)
            expect(status == 1 and "ermission denied" in message, f"{args}: {status} {message!r}")
            equal(output, b"", f"output of {args}")
    equal(os.listdir("closed"), [], "files that were made")


@test
def set_user_id_gives_nothing():
    if os.statvfs(".").f_flag & os.ST_NOSUID:
        return "this file system is mounted nosuid"
    xtr = program([])
    os.chmod(xtr, 0o6755)
    shutil.copy(TRACE, "secret.xtr")
    os.chmod("secret.xtr", 0o600)
    status, _, message = run([xtr, "info", "secret.xtr"], NOBODY)
    expect(status == 1 and "ermission denied" in message, f"info: {status} {message!r}")
    status, _, message = run([xtr, "record", "-o", "t.xtr", "-e", CALL, "-d", "100ms"], NOBODY)
    expect(status == 5 and "CAP_BPF" in message, f"record: {status} {message!r}")
    return None


@test
def the_output_is_made_with_the_rights_of_the_user():
    xtr = program([*FULL, "dac_override"])
    os.makedirs("closed/open")
    os.chmod("closed", 0o700)
    os.chmod("closed/open", 0o777)
    status, _, message = run([xtr, "record", "-o", "closed/open/t.xtr", "-e", CALL, "-d", "100ms"], NOBODY)
    expect(status == 1 and "ermission denied" in message, f"record: {status} {message!r}")
    equal(os.listdir("closed/open"), [], "files that were made")


def on_terminal(args, user, env):
    """What a program prints to a terminal; ended by 'q' if it waits for that."""
    master, slave = pty.openpty()
    os.fchmod(slave, 0o666)
    p = subprocess.Popen(args, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True, **by(user, args))
    os.close(slave)
    text, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([master], [], [], 0.1)[0]:
            if p.poll() is not None:
                break
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    os.close(master)
    p.wait(30)
    return text


@test
def no_program_is_taken_from_the_environment_with_more_rights():
    """PAGER, and a 'less' in PATH: not where capabilities are kept. Where they are given up, the pager is the user's."""
    os.mkdir("bin")
    with open("bin/less", "w", encoding="ascii") as f:
        f.write("#!/bin/sh\ntouch \"$MARK\"\ncat\n")
    os.chmod("bin/less", 0o755)
    xtr = program(FULL)
    for pager in (None, "XTR_PAGER", "PAGER"):
        for command, starts in ((["list"], False), (["doctor"], False), (["record", "--help"], False),
                                (["info", TRACE], True)):
            mark = os.path.abspath("mark")
            env = {"TERM": "xterm", "PATH": os.path.abspath("bin") + ":/usr/bin:/bin", "MARK": mark}
            if pager:
                env[pager] = os.path.abspath("bin/less")
            text = on_terminal([xtr, *command], NOBODY, env)
            expect(text, f"{command} says nothing")
            equal(os.path.exists(mark), starts, f"{command}: the pager of {pager or 'PATH'} was started")
            if starts:
                os.unlink(mark)


@test
def libraries_are_not_looked_for_where_the_environment_says():
    """LD_LIBRARY_PATH of who runs a program with file capabilities says nothing, as for the loader; root's does."""
    libc = next(line.split()[-1] for line in open("/proc/self/maps", encoding="ascii") if "libc.so" in line)
    os.mkdir("lib")
    shutil.copy(libc, "lib/libprivilege.so.6")
    env = {"LD_LIBRARY_PATH": os.path.abspath("lib"), "PATH": "/usr/bin:/bin"}
    options = ["record", "-q", "-d", "50ms", "-e", "api:libprivilege.so.6:getppid", "-o"]
    status, _, message = run([program(FULL), *options, "a.xtr"], NOBODY, env=env)
    expect(status == 5 and "libprivilege" in message, f"with file capabilities: {status} {message!r}")
    status, _, message = run([XTR, *options, "b.xtr"], env=env)
    equal(status, 0, f"as root: {message!r}")
    section("b.xtr")
