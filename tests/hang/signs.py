# SPDX-License-Identifier: BSD-2-Clause
"""What says that a device hung, and what does not."""

import shutil

from checks import equal, expect, test
from common import CARD, FOREVER, Taker, at, dump, dumped, machine, only, uevent

PCI = f"/devices/pci0000:00/0000:00:01.0/{CARD}"
UEVENTS = {
    "devcoredump": dumped("devcd1"),
    "wedged": uevent("change", PCI + "/drm/card0", SUBSYSTEM="drm", WEDGED="rebind,bus-reset", DEVNAME="dri/card0"),
    "i915-error": uevent("change", PCI + "/drm/card0", SUBSYSTEM="drm", ERROR="1"),
    "i915-reset": uevent("change", PCI + "/drm/card0", SUBSYSTEM="drm", RESET="1"),
    "npu-recovery": uevent("change", PCI, SUBSYSTEM="pci", IVPU_PM_EVENT="IVPU_RECOVER"),
    "xe-reset-failed": uevent("change", PCI, SUBSYSTEM="pci", DEVICE_STATUS="NEEDS_RESET"),
    "lost": uevent("remove", PCI + "/accel/accel0", SUBSYSTEM="accel", DEVNAME="accel/accel0"),
}
QUIET = [
    uevent("remove", "/devices/virtual/devcoredump/devcd1", SUBSYSTEM="devcoredump"),
    uevent("change", PCI + "/drm/card0", SUBSYSTEM="drm", ERROR="0"),
    uevent("change", PCI + "/drm/card0", SUBSYSTEM="drm", HOTPLUG="1"),
    uevent("remove", PCI + "/drm/card0/card0-DP-1", SUBSYSTEM="drm"),
    uevent("remove", PCI + "/drm/renderD128", SUBSYSTEM="drm"),
    uevent("add", PCI + "/drm/card0", SUBSYSTEM="drm"),
    uevent("change", PCI, SUBSYSTEM="pci", WEDGED="rebind"),
    b"", b"x", b"add@/devices/virtual/devcoredump/devcd9", b"\0" * 64, b"libudev\0\xfe\xed\xca\xfe" + b"\0" * 40, b"ACTION=add\0DEVPATH=/a\0SUBSYSTEM=devcoredump",
]
LINES = [
    ("timeout", CARD, f"amdgpu {CARD}: amdgpu: ring gfx_0.0.0 timeout, signaled seq=5, emitted seq=7"),
    ("reset", CARD, f"amdgpu {CARD}: amdgpu: GPU reset begin!"),
    ("hang", CARD, f"i915 {CARD}: [drm] GPU HANG: ecode 12:1:84dffffb, in glxgears [4711]"),
    ("reset", CARD, f"i915 {CARD}: [drm] GT0: Resetting chip for stopped heartbeat on rcs0"),
    ("timeout", CARD, f"xe {CARD}: [drm] Tile0: GT0: Timedout job: seqno=4294967169, lrc_seqno=4294967169, guc_id=27, flags=0x0"),
    ("hang", CARD, f"xe {CARD}: [drm] Xe device coredump has been created"),
    ("npu-recovery", CARD, f"intel_vpu {CARD}: [drm] *ERROR* ivpu_pm_reset_begin(): Recovering the NPU (reset #1)"),
    ("xid", "0000:01:00.0", "NVRM: Xid (PCI:0000:01:00): 79, pid=4711, name=x, GPU has fallen off the bus."),
    ("xid", "0000:05:00.0", "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 24007, Fatal"),
    ("lost", "0000:01:00.0", "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus."),
    ("hang", "-", "msm_dpu ae01000.display-controller: [drm:recover_worker] *ERROR* 6.6.0.1: hangcheck recover!"),
    ("reset", "-", "v3d fec00000.v3d: [drm] *ERROR* Resetting GPU for hang."),
    ("hang", "-", "etnaviv-gpu 130000.gpu: recover hung GPU!"),
    ("timeout", "-", "panfrost 13000000.gpu: gpu sched timeout, js=1, config=0x7b00, status=0x0"),
]


@test
def each_uevent():
    """Each makes a bundle that names it and the device; others make none."""
    for kind, message in UEVENTS.items():
        machine()
        if kind == "devcoredump":
            dump("devcd1", b"a dump" * 99)
        t = Taker(folder=kind)
        t.kernel(*QUIET[:7], message)
        equal(t.wanted(), kind, "why a flight file is asked for")
        t.end()
        b = only(t)
        equal((t.told()[0][0], t.told()[0][2:4], b.kinds()), ("new", [kind, CARD], [kind]), f"{kind}: what is told")
        shutil.rmtree(at("m"))


@test
def what_is_no_hang():
    machine()
    t = Taker()
    t.kernel(*(m for m in QUIET if m))
    for text in ("usb 1-1: device descriptor read/64, error -110", "amdgpu 0000:03:00.0: [drm] Display Core initialized", "xe 0000:03:00.0: [drm] Finished loading DMC firmware"):
        t.line(text)
    for _, _, text in LINES:
        t.line(text, priority=12)  # anybody may write that to /dev/kmsg
    t.tell(t.log, b" SUBSYSTEM=pci\n")
    t.tell(t.log, b"no record")
    said = t.end()
    equal((t.bundles(), said, t.process.returncode), ([], "", 0), "bundles")


@test
def each_line_of_the_log():
    """Each opens a hang of its device. Another device's is another hang."""
    for i, (kind, device, text) in enumerate(LINES):
        machine()
        t = Taker(folder=f"line{i}")
        t.line(text)
        equal(t.wanted(), kind, text)
        t.end()
        equal(t.told()[0][2:], [kind, device, "-", text[:255]], "what is told")
        expect(text in only(t)["hang.txt"].decode(), "hang.txt")
        shutil.rmtree(at("m"))
    # The device may stand below the line.
    machine()
    t = Taker()
    t.line("[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3", more=f" SUBSYSTEM=pci\n DEVICE=+pci:{CARD}\n")
    t.end()
    equal(t.told()[0][3], CARD, "device")


@test
def triggers_of_the_recorder():
    machine()
    t = Taker()
    t.fired("hang>5s", ctx=58, seqno=231, value=5120000000)
    equal(t.wanted(), "hang>5s", "why")
    t.fired("error", "dma_fence:dma_fence_signaled", ctx=9, seqno=1, value=62, when=FOREVER)
    t.end()
    b = only(t)
    equal(b.kinds(), ["hang>5s", "error"], "signs")
    expect("job 58:231 value 5120000000" in b["hang.txt"].decode(), b["hang.txt"])
