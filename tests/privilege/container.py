#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command as in a plain container, of which this machine need not have the programs: as this user with the
capabilities that such containers leave to root, without bpf(2), perf_event_open(2), mounts and namespaces (EPERM), and,
for root, without /dev/kvm, tracefs, debugfs and bpffs.

usage: container.py COMMAND...
"""

import errno
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from jail import (CALLS, MS_BIND, PR_SET_NO_NEW_PRIVS, SECCOMP_RET_ERRNO, call, drop_capabilities,  # noqa: E402
                  filter_calls, mount, own_mounts)

# include/uapi/linux/capability.h: chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service,
# net_raw, sys_chroot, mknod, audit_write, setfcap
KEPT = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
SYS_ADMIN = 21
HIDDEN = ("/sys/fs/bpf", "/sys/kernel/tracing", "/sys/kernel/debug")


def has(cap):
    with open("/proc/self/status", encoding="ascii") as f:
        masks = [int(line.split()[1], 16) for line in f if line.startswith("CapEff:")]
    return bool(masks[0] >> cap & 1)


def hide():
    """An empty folder over each of these, and over /dev/kvm a device that is no KVM; in a mount namespace of its own."""
    own_mounts()
    for path in filter(os.path.isdir, HIDDEN):
        mount("none", path, "tmpfs", 0, "mode=755")
    if os.path.exists("/dev/kvm"):
        mount("/dev/null", "/dev/kvm", None, MS_BIND)


def main(*command):
    if has(SYS_ADMIN):
        hide()
        drop_capabilities(KEPT)
    else:
        call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    filter_calls(next(iter(CALLS.values())), SECCOMP_RET_ERRNO | errno.EPERM)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
