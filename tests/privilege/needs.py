# SPDX-License-Identifier: BSD-2-Clause
"""What recording needs: each row with all of it, and with each part of it taken away.

The table of xtr-record(1) and of SECURITY.md, tried: the program's file gives the capabilities, the user has none.
"""

import json
import os
import re
import resource
import subprocess

from lib import EMIT, NOBODY, equal, expect, figure, n_events, program, providers, run, test

CALL = "syscalls:sys_enter_sched_rr_get_interval"
BASE = ["bpf", "perfmon"]
TRACEFS = "/sys/kernel/tracing"


def has_source(name):
    return os.path.exists(f"/sys/bus/event_source/devices/{name}")


# What is recorded: (name, options of record, command, what it needs, {what is taken away: (status, words of the message)}).
# A status of 0 means that the rest is recorded.
NO_BASE = {"bpf": (5, "no CAP_BPF"), "perfmon": (5, "no CAP_PERFMON")}
ROWS = [
    ("events of the DRM scheduler and of fences", ["-e", "dma_fence:dma_fence_signaled"], ["true"], BASE, NO_BASE),
    ("tracepoints by name", ["-e", CALL], [EMIT, "call", "50"], [*BASE, "dac_read_search"],
     {**NO_BASE, "dac_read_search": (5, "CAP_DAC_READ_SEARCH")}),
    ("a pattern of tracepoints", ["-e", CALL[:-3] + "*"], [EMIT, "call", "50"], [*BASE, "dac_read_search"],
     {**NO_BASE, "dac_read_search": (5, "CAP_DAC_READ_SEARCH")}),
    ("calls of libraries", ["-e", "api:libc.so.6:sched_rr_get_interval"], [EMIT, "call", "50"],
     [*BASE, "sys_ptrace"], {**NO_BASE, "sys_ptrace": (0, "no CAP_SYS_PTRACE")}),
    ("stacks", ["--stack", "-e", "dma_fence:dma_fence_init"], ["true"], [*BASE, "sys_ptrace", "syslog"],
     {**NO_BASE, "sys_ptrace": (0, "no CAP_SYS_PTRACE"), "syslog": (0, "no CAP_SYSLOG")}),
]
FUNCTION_ROW = ("functions of the kernel", ["-e", "func:vmlinux:__x64_sys_sched_rr_get_interval:ret"],
                [EMIT, "call", "50"], [*BASE, "syslog", "dac_read_search"],
                {**NO_BASE, "syslog": None, "dac_read_search": None})


def record(caps, options, command, **kwargs):
    if os.path.exists("t.xtr"):
        os.unlink("t.xtr")
    status, _, message = run([program(caps), "record", "-q", "-o", "t.xtr", *options, "--", *command], NOBODY, **kwargs)
    return status, message


def recorded(command, what):
    """Everything is attached; of calls that were made, all are there or lost."""
    states = providers()
    expect(states and set(states.values()) == {"attached"}, f"{what}: {states}")
    if command[0] == EMIT:
        have, lost = n_events()
        expect(have + lost >= 50, f"{what}: {have} recorded + {lost} lost")
    equal(os.stat("t.xtr").st_uid, NOBODY, "owner of the file")


def one_line(message, words, what):
    lines = message.strip().splitlines()
    expect(lines and words in message, f"{what}: '{words}' is not in {message!r}")
    expect(len(lines) <= 2 and all(line.startswith("xtr: ") for line in lines), f"{what}: {message!r}")


@test
def each_need_by_itself():
    tried = 0
    for name, options, command, needs, without in ROWS:
        status, message = record(needs, options, command)
        equal((status, message), (0, ""), name)
        recorded(command, name)
        tried += 1
        for cap, (want, words) in without.items():
            what = f"{name} without {cap}"
            status, message = record([c for c in needs if c != cap], options, command)
            equal(status, want, f"{what}: exit status ({message.strip()})")
            one_line(message, words, what)
            equal(os.path.exists("t.xtr"), want == 0, f"{what}: a file")
            if not want:
                recorded(command, what)
            tried += 1
    figure("needs", tried, f"rows of what recording needs, each with all of it and without each part ({len(ROWS)} kinds)")


@test
def functions_of_the_kernel_and_what_they_need():
    """What they need depends on how the kernel attaches them: whatever is missing is said."""
    if not has_source("kprobe"):
        return "this kernel has no kprobes"
    name, options, command, needs, without = FUNCTION_ROW
    status, message = record(needs, options, command)
    equal((status, message), (0, ""), name)
    recorded(command, name)
    for cap, outcome in without.items():
        status, message = record([c for c in needs if c != cap], options, command)
        if outcome:
            equal(status, outcome[0], f"{name} without {cap} ({message.strip()})")
            one_line(message, outcome[1], f"{name} without {cap}")
        elif status:
            equal(status, 5, f"{name} without {cap} ({message.strip()})")
            expect(re.search(r"CAP_|hidden|tracefs", message), f"{name} without {cap}: {message!r}")
        else:
            recorded(command, f"{name} without {cap}")
        print(f"  {name} without {cap}: status {status} {message.strip()!r}")
    return None


@test
def a_group_that_may_read_tracefs():
    """mount -o remount,gid=,mode= instead of CAP_DAC_READ_SEARCH."""
    before = os.stat(TRACEFS)
    group = 60123
    try:
        subprocess.run(["mount", "-o", f"remount,gid={group},mode=750", TRACEFS], check=True)
        status, message = record(BASE, ["-e", CALL], [EMIT, "call", "50"], groups=[group])
        equal((status, message), (0, ""), "with the group")
        recorded([EMIT], "with the group")
        status, message = record(BASE, ["-e", CALL], [EMIT, "call", "50"])
        equal(status, 5, f"without the group ({message})")
    finally:
        subprocess.run(["mount", "-o", f"remount,gid={before.st_gid},mode={before.st_mode & 0o777:o}", TRACEFS],
                       check=True)


@test
def locked_memory_is_not_needed():
    def limit():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))

    status, message = record([*BASE, "dac_read_search"], ["-e", CALL], [EMIT, "call", "50"], preexec_fn=limit)
    equal((status, message), (0, ""), "with RLIMIT_MEMLOCK 0")
    recorded([EMIT], "with RLIMIT_MEMLOCK 0")


@test
def capabilities_that_are_permitted_only_are_raised():
    path = program([*BASE, "dac_read_search"], effective=False)
    status, _, message = run([path, "record", "-q", "-o", "t.xtr", "-e", CALL, "--", EMIT, "call", "50"], NOBODY)
    equal((status, message), (0, ""), "setcap ...=p")
    recorded([EMIT], "setcap ...=p")


@test
def doctor_says_the_same():
    """Of each capability that the table needs: its check is not ok without it, and names it."""
    everything = [*BASE, "dac_read_search", "syslog", "sys_ptrace"]
    checks = {"bpf": "privilege", "perfmon": "privilege", "dac_read_search": "tracefs", "syslog": "kernel symbols",
              "sys_ptrace": "other users' programs"}
    for cap in [None, *everything]:
        path = program([c for c in everything if c != cap])
        status, output, _ = run([path, "doctor", "--json"], NOBODY)
        doc = {c["name"]: c for c in json.loads(output)["checks"]}
        missing = cap in BASE
        equal(status, 5 if missing else 0, f"exit status of doctor without {cap}")
        for name in set(checks.values()):
            bad = cap and checks[cap] == name
            state = doc[name]["state"]
            equal(state, "missing" if bad and missing else "limited" if bad else "ok", f"doctor on {name} without {cap}")
            if bad:
                expect(f"CAP_{cap.upper()}" in doc[name]["detail"] + doc[name]["remedy"], f"doctor: {doc[name]}")
