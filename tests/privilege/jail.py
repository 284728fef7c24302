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
SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW = 0x80000000, 0x00050000, 0x7fff0000
# Numbers of system calls
CALLS = {"x86_64": {"bpf": 321, "perf_event_open": 298, "mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308},
         "aarch64": {"bpf": 280, "perf_event_open": 241, "mount": 40, "umount2": 39, "pivot_root": 41, "unshare": 97, "setns": 268}}

libc = ctypes.CDLL(None, use_errno=True)


def call(function, *args):
    if getattr(libc, function)(*args) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{function}{args}: {os.strerror(error)}")


def mount(source, target, kind, flags, data=None):
    text = [x.encode() if x else None for x in (source, target, kind)]
    call("mount", *text, flags, data.encode() if data else None)


def filter_calls(names, action):
    """Seccomp, classic BPF: the action at a call of these names."""
    numbers = [CALLS[platform.machine()][name] for name in names]
    code = [(0x20, 0, 0, 0)]  # load the number of the call
    code += [(0x15, len(numbers) - i, 0, n) for i, n in enumerate(numbers)]  # equal: to the last
    code += [(0x06, 0, 0, SECCOMP_RET_ALLOW), (0x06, 0, 0, action)]
    text = b"".join(struct.pack("=HBBI", *c) for c in code)
    buffer = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("@HP", len(code), ctypes.addressof(buffer))
    call("prctl", PR_SET_SECCOMP, 2, program, 0, 0)


def drop_capabilities(kept=()):
    """From the bounding set: for what is executed from now on."""
    for cap in range(64):
        if cap not in kept:
            libc.prctl(PR_CAPBSET_DROP, cap, 0, 0, 0)


def own_mounts():
    """What this process mounts from now on is its own. In a chroot "/" is no mount point: the root above it is one."""
    call("unshare", CLONE_NEWNS)
    root, here = os.open("/", os.O_PATH | os.O_DIRECTORY), os.open(".", os.O_PATH | os.O_DIRECTORY)
    os.chroot("/tmp")  # so that "/" is below this root no more, and the way up does not end there
    os.fchdir(root)
    while not os.path.samefile(".", ".."):
        os.chdir("..")
    mount(None, ".", None, MS_REC | MS_PRIVATE)
    os.fchdir(root)
    os.chroot(".")
    os.fchdir(here)


def main(directory, *command):
    name = os.path.basename(os.path.abspath(directory))
    own_mounts()
    root = directory + ".root"
    os.makedirs(root, exist_ok=True)
    mount("/", root, None, MS_BIND)
    mount("jail", root + "/tmp", "tmpfs", 0, "mode=1777")
    shutil.copytree(directory, f"{root}/tmp/{name}")
    mount(None, root, None, MS_REMOUNT | MS_BIND | MS_RDONLY)
    os.chroot(root)
    os.chdir("/tmp/" + name)
    drop_capabilities()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    filter_calls(["bpf", "perf_event_open"], SECCOMP_RET_KILL_PROCESS)
    os.execve(shutil.which(command[0]) or command[0], command, {"PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    main(*sys.argv[1:])
