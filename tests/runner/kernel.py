# SPDX-License-Identifier: BSD-2-Clause
"""Whether root may record this machine's own kernel: asked of the kernel, not of xtr, whose faults must not hide tests.

A container and a chroot may have root without it: no CAP_SYS_ADMIN, bpf(2) refused, no /sys.
"""

import ctypes
import functools
import os
import platform
import struct

BPF_CALL = {"x86_64": 321, "aarch64": 280}  # its number
BPF_PROG_LOAD, RAW_TRACEPOINT = 5, 17  # include/uapi/linux/bpf.h
CAP_SYS_ADMIN = 21
BTF = "/sys/kernel/btf/vmlinux"


def _load_program():
    """What the kernel answers to the smallest program for a tracepoint: 0 or an errno."""
    code = struct.pack("=BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0)  # r0 = 0; exit
    instructions, licence = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(b"GPL")
    attributes = struct.pack("=IIQQIIQII", RAW_TRACEPOINT, 2, ctypes.addressof(instructions), ctypes.addressof(licence), 0, 0, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(BPF_CALL[platform.machine()], BPF_PROG_LOAD, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes))
    if fd < 0:
        return ctypes.get_errno()
    os.close(fd)
    return 0


def _has_sys_admin():
    with open("/proc/self/status", encoding="ascii", errors="replace") as f:
        return any(int(line.split()[1], 16) >> CAP_SYS_ADMIN & 1 for line in f if line.startswith("CapEff:"))


@functools.lru_cache(None)
def unrecorded():
    """Why root cannot record here, or None."""
    if not _has_sys_admin():
        return "this root has no CAP_SYS_ADMIN"
    if not os.path.exists(BTF):
        return f"no {BTF} here"
    error = _load_program()
    return f"BPF programs are refused here: {os.strerror(error)}" if error else None
