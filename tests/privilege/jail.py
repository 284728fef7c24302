#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command as nobody in a root that cannot be written, without /proc and /sys, ended by bpf(2).

usage: jail.py DIR COMMAND...      (as root; DIR is copied to /tmp/NAME; the mounts are made on DIR.root)

Mounts of its own: a bind mount of / alone, so that all that is mounted below is empty; programs have to be there or in DIR.
"""

import ctypes
import os
import platform
import shutil
import struct
import sys

NOBODY = 65534
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 32, 4096, 16384, 1 << 18
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 24, 38, 22
# System calls bpf and perf_event_open
FORBIDDEN = {"x86_64": (321, 298), "aarch64": (280, 241)}

libc = ctypes.CDLL(None, use_errno=True)


def call(function, *args):
    if getattr(libc, function)(*args) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{function}{args}: {os.strerror(error)}")


def mount(source, target, kind, flags, data=None):
    text = [x.encode() if x else None for x in (source, target, kind)]
    call("mount", *text, flags, data.encode() if data else None)


def filter_calls():
    """Seccomp, classic BPF: the process ends with SIGSYS at a call of FORBIDDEN."""
    numbers = FORBIDDEN[platform.machine()]
    code = [(0x20, 0, 0, 0)]  # load the number of the call
    code += [(0x15, len(numbers) - i, 0, n) for i, n in enumerate(numbers)]  # equal: to the last
    code += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x80000000)]  # allow; kill the process
    text = b"".join(struct.pack("=HBBI", *c) for c in code)
    buffer = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("@HP", len(code), ctypes.addressof(buffer))
    call("prctl", PR_SET_SECCOMP, 2, program, 0, 0)


def main(directory, *command):
    name = os.path.basename(os.path.abspath(directory))
    call("unshare", CLONE_NEWNS)
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    root = directory + ".root"
    os.makedirs(root, exist_ok=True)
    mount("/", root, None, MS_BIND)
    mount("jail", root + "/tmp", "tmpfs", 0, "mode=1777")
    shutil.copytree(directory, f"{root}/tmp/{name}")
    mount(None, root, None, MS_REMOUNT | MS_BIND | MS_RDONLY)
    os.chroot(root)
    os.chdir("/tmp/" + name)
    for cap in range(64):
        libc.prctl(PR_CAPBSET_DROP, cap, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    filter_calls()
    os.execve(shutil.which(command[0]) or command[0], command, {"PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    main(*sys.argv[1:])
