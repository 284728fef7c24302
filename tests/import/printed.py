# SPDX-License-Identifier: BSD-2-Clause
"""Prints the made-up load of load.py as the kernel's `trace` file, trace-cmd report and perf script do. The print formats
are those of tracefs (Linux 6.1 and 7.2). Shares nothing with the importer."""

import load

FORMATS = {
    "drm_sched_job": "entity={entity}, id={id}, fence={fence}, ring={name}, job count:{job_count}, hw job count:{hw_job_count}",
    "drm_sched_process_job": "fence={fence} signaled",
    "drm_sched_job_wait_dep": "job ring={name}, id={id}, depends fence={fence}, context={ctx}, seq={seqno}",
    "drm_sched_job_queue": "dev={dev}, fence={fence_context}:{fence_seqno}, ring={name}, job count:{job_count}, "
                           "hw job count:{hw_job_count}, client_id:{client_id}",
    "drm_sched_job_done": "fence={fence_context}:{fence_seqno} signaled",
    "drm_sched_job_add_dep": "fence={fence_context}:{fence_seqno} depends on fence={ctx}:{seqno}",
    "drm_sched_job_unschedulable": "fence={fence_context}:{fence_seqno} depends on unsignalled fence={ctx}:{seqno}",
}
FORMATS["drm_run_job"] = FORMATS["drm_sched_job"]
FORMATS["drm_sched_job_run"] = FORMATS["drm_sched_job_queue"]


def fields(name, values, pointers):
    shown = {k: pointers(v) if k in ("entity", "fence") else v for k, v in values.items()}
    return FORMATS[name].format(**shown)


def hashed(address):
    """As the kernel prints %p: the same for the same address, and not the address."""
    return f"{(address * 2654435761) % 2**32:016x}"


def plain(address):
    return f"0x{address:x}"


def seconds(ns, digits):
    return f"{ns // 10**9}.{ns % 10**9 // 10**(9 - digits):0{digits}d}"


def comm(tid):
    return "<idle>" if tid == 0 else load.comm_of(tid)


def ftrace(told, flags=True, tgid=False, digits=6, head=True):
    lines = []
    if head:
        lines += ["# tracer: nop", "#", f"# entries-in-buffer/entries-written: {len(told)}/{len(told)}   #P:4", "#",
                  "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION", "#              | |         |         |         |"]
    for ts, cpu, tid, name, values in told:
        process = "" if not tgid else f"({tid + 5000 if tid else '-------':>7}) "
        lines.append(f"{comm(tid):>16}-{tid:<7} {process}[{cpu:03d}] {'d..2. ' if flags else ' '}{seconds(ts, digits)}: "
                     f"{name}: {fields(name, values, hashed)}")
    return "\n".join(lines) + "\n"


def report(told, digits=6, prefix=""):
    lines = ["cpus=4"]
    for ts, cpu, tid, name, values in told:
        lines.append(f"{prefix}{comm(tid):>16}-{tid:<5} [{cpu:03d}] {seconds(ts, digits):>12}: {name + ':':<21} "
                     f"{fields(name, values, plain)}")
    return "\n".join(lines) + "\n"


PERF_HEAD = """# ========
# captured on    : Sat Jan  1 00:00:00 2000
# header version : 1
# hostname : nobody
# os release : 6.6.6-test
# perf version : 6.1.0
# arch : x86_64
# nrcpus online : 4
# cmdline : perf record -k CLOCK_MONOTONIC
# clockid frequency: 1000 MHz
# clockid: monotonic (1)
# ========
#
"""


def perf(told, digits=6, pid=False, cpu=True, period=False, head=False, stacks=False):
    out = [PERF_HEAD] if head else []
    for ts, on, tid, name, values in told:
        thread = f"{tid + 5000 if tid else 0}/{tid:<5}" if pid else f"{tid:5}"
        out.append(f"{'swapper' if tid == 0 else comm(tid):>16} {thread} {f'[{on:03d}] ' if cpu else ''}{seconds(ts, digits):>12}: "
                   f"{'         1 ' if period else ''}gpu_scheduler:{name}: {fields(name, values, plain)}\n")
        if stacks:
            out.append("\tffffffff821facd8 schedule+0x18 ([kernel.kallsyms])\n"
                       "\t           ee137 ioctl+0x7 (/usr/lib/libc.so.6)\n\n")
    return "".join(out)
