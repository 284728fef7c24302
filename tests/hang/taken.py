# SPDX-License-Identifier: BSD-2-Clause
"""What is in the bundle of a hang."""

import json
import os
import random
import shutil
import signal
import subprocess

from checks import Skip, equal, expect, test
from common import CARD, LIMIT, LONG, TRACE, XTR, Bundle, Taker, at, bundles, dump, dumped, figures, link, machine, members, only, uevent, wait_for, write

DUMP = random.Random(1).randbytes(700_000) + bytes(1 << 20) + b"end of the dump"


@test
def everything_is_in_it():
    machine(log="6,1,1000000,-;boot of the machine\n3,2,5000000,-;amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1\n SUBSYSTEM=pci\n")
    dump("devcd1", DUMP)
    t = Taker()
    t.kernel(dumped("devcd1"))
    t.wanted()
    said = t.end()
    b = only(t)
    equal(b["devcoredump-devcd1.bin"], DUMP, "the dump")
    with open(TRACE, "rb") as f:
        equal(b["trace.xtr"], f.read(), "the trace")
    expect(b"boot of the machine" in b["dmesg.txt"] and b"signaled seq=1" in b["dmesg.txt"], b["dmesg.txt"])
    expect(b"Last signaled fence 0x00000017" in b["state-dri-0-amdgpu_fence_info"], "fences")
    equal(b["state-dri-0-amdgpu_ring_gfx_0.0.0"], bytes(range(256)) * 40, "a ring, byte for byte")
    equal(b["state-card0-device-gpu_metrics"], bytes(range(120)), "gpu_metrics")
    for text in ("current_link_speed\n16.0 GT/s PCIe", "pp_dpm_sclk\n0: 500Mhz\n1: 2500Mhz *"):
        expect(text in b["state.txt"].decode(), b["state.txt"])
    for name in ("stats.txt", "findings.json", "info.txt", "machine.txt", "hang.txt", "README", "SHA256SUMS"):
        b[name]
    expect("taken when a device hung" in b["README"].decode() and "NOTHING IS REDACTED" in b["README"].decode(), b["README"])
    expect(f"a hang of {CARD}: devcoredump" in said, said)
    equal({n for n, m in b.about.items() if m.get("cut")}, set(), "what is not whole")
    # Every command reads it.
    stats = subprocess.run([XTR, "stats", b.path], stdout=subprocess.PIPE, check=False).stdout
    expect(len(stats) > 50, "xtr stats of it")
    sums = subprocess.run(["sh", "-c", f"tar --zstd -xf '{b.path}' && cd hang-* && sha256sum -c --quiet SHA256SUMS"], cwd=at("m"), check=False, stderr=subprocess.PIPE)
    equal(sums.returncode, 0, "SHA256SUMS")


@test
def a_report_is_made_of_it():
    """What was taken, with all that is private, becomes a public bundle and the text for the tracker."""
    machine(log="6,1,1000000,-;boot of the machine, /home/canary/x\n3,2,5000000,-;amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n")
    dump("devcd1", DUMP)
    t = Taker()
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.end()
    taken = only(t)
    p = subprocess.run([XTR, "bundle", "--for", "amd", "--include", "dmesg,devcoredump", "-o", at("public.tar.zst"), taken.path], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    equal(p.returncode, 0, f"status: {p.stderr.decode()}")
    have = members(at("public.tar.zst"))
    equal(have["devcoredump-devcd1.bin"], DUMP, "the dump")
    expect(b"signaled seq=1" in have["dmesg.txt"] and b"canary" not in b"".join(have.values()), have["dmesg.txt"])
    equal(sorted(name for name in have if name.startswith(("state", "hang"))), [], "what is private and was not asked for")
    with open(at("public.amd.md"), encoding="utf-8") as f:
        text = f.read()
    expect("Dmesg log (full log): `dmesg.txt` in public.tar.zst" in text and "Device core dump: `devcoredump-devcd1.bin` in public.tar.zst" in text, text)
    expect("driver says ring gfx_0.0.0 timeout" in text and "dmesg.txt:2" in text, text)


@test
def what_cannot_be_taken_is_named():
    machine()
    t = Taker()
    t.kernel(dumped("devcd1"))  # gone before it was opened
    t.wanted()
    t.end(trace=None)
    b = only(t)
    equal(b.about["devcoredump-devcd1.bin"]["why"], "cannot be read: it was gone before it could be read", "the dump")
    equal(b.about["trace.xtr"]["why"], "the recorder ended before it had written one", "the trace")
    expect("gone before it could be read" in b["README"].decode(), "README")
    expect("Last signaled" in b["state-dri-0-amdgpu_fence_info"].decode(), "the rest is there")


@test
def a_trace_that_could_not_be_written_is_named():
    machine()
    t = Taker()
    t.fired("reset")
    t.flown(at("nothing"), error=-28)
    t.end(trace=None)
    equal(only(t).about["trace.xtr"]["why"], "it could not be written: No space left on device", "why")


@test
def a_damaged_trace_is_no_reason_to_have_no_bundle():
    machine()
    t = Taker()
    t.fired("reset")
    t.end(trace=write("bad.xtr", b"no trace at all"))
    b = only(t)
    equal(b["trace.xtr"], b"no trace at all", "it is there")
    expect("the trace cannot be read" in b.about["stats.txt"]["why"], b.about)


@test
def a_huge_dump():
    """More than one of `xtr bundle` may have, almost all of it zeros; nothing of it is ever in memory as a whole."""
    size = (4 << 30) if LONG else (513 << 20)
    machine()
    path = dump("devcd1", b"begin")
    with open(path, "r+b") as f:
        f.seek(size - 3)
        f.write(b"end")
    t = Taker(program=("prlimit", f"--data={256 << 20}"))
    t.kernel(dumped("devcd1"))
    t.wanted()
    t.end()
    path = bundles(t.folder)[0]
    expect(os.path.getsize(path) < 1 << 20, "compressed")
    # Not by Bundle: that would have it in memory.
    done = subprocess.run(["sh", "-c", f"tar --zstd -xOf '{path}' --wildcards '*/devcoredump-devcd1.bin' | cmp - '{at('m/sys/class/devcoredump/devcd1/data')}'"], check=False)
    equal(done.returncode, 0, "the dump")
    figures["largest_dump"] = f"{size >> 20} MiB, read, compressed and bundled in 256 MiB of memory"


@test
def only_the_device_that_hung_is_asked():
    machine()
    link("m/sys/class/drm/card1/device", "../../../devices/0000:04:00.0")
    write("m/sys/devices/0000:04:00.0/current_link_speed", "32.0 GT/s PCIe\n")
    write("m/sys/kernel/debug/dri/1/amdgpu_fence_info", "of the other one\n")
    link("m/sys/kernel/debug/dri/0000:04:00.0", "1")
    t = Taker()
    t.kernel(uevent("change", f"/devices/pci0000:00/{CARD}/drm/card0", SUBSYSTEM="drm", WEDGED="none"))
    t.end()
    b = only(t)
    expect("state-dri-0-amdgpu_fence_info" in b.has and "state-dri-1-amdgpu_fence_info" not in b.has, sorted(b.has))
    expect(b"32.0 GT/s" not in b["state.txt"], b["state.txt"])
    # Where nobody says which, all are.
    shutil.rmtree(t.folder)
    t = Taker()
    t.fired("reset")
    t.end()
    b = only(t)
    expect("state-dri-0-amdgpu_fence_info" in b.has and "state-dri-1-amdgpu_fence_info" in b.has, sorted(b.has))


@test
def error_states_of_i915():
    machine()
    write("m/sys/class/drm/card0/error", "GPU HANG: ecode 12:1:84dffffb\n" + "registers\n" * 1000)
    t = Taker()
    where = f"/devices/pci0000:00/{CARD}/drm/card0"
    t.kernel(uevent("change", where, SUBSYSTEM="drm", ERROR="1"), uevent("change", where, SUBSYSTEM="drm", RESET="1"), uevent("change", where, SUBSYSTEM="drm", ERROR="0"))
    t.end()
    b = only(t)
    expect(b["error-card0.txt"].startswith(b"GPU HANG: ecode"), "the state")
    equal(b.kinds(), ["i915-error", "i915-reset"], "signs")


@test
def another_boot_says_nothing_of_this_one():
    """What was left is made a bundle of; the machine as it is now is not asked."""
    from faults import leave
    leave()
    machine(boot="99999999-2222-3333-4444-555555555555")
    t = Taker()
    t.end(trace=None)
    b = only(t)
    equal(b.about["machine"]["why"], "the machine was started again since", "why")
    expect(b.kinds()[-1] == "recovered", b["hang.txt"])


# --- with a recorder --------------------------------------------------------------------------------

def recording():
    """The command that records with who takes hangs beside it, and the directory of its bundles."""
    if os.geteuid() != 0 or "recorder (libbpf)" not in subprocess.run([XTR, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split("left out")[0]:
        raise Skip("needs root and the recorder")
    command = [XTR, "record", "-q", "-e", "sched:sched_process_exec", "-o", at("run.xtr"), "--flight", "1M", "--after", "0s"]
    done = subprocess.run([*command, "--", "true"], stderr=subprocess.PIPE, check=False)
    if done.returncode == 5:
        raise Skip("this kernel cannot be recorded: " + done.stderr.decode().strip())
    return [*command, "--force", "--on-hang", "--bundle-dir", at("d"), "--keep", "3"], at("d")


def of_process(pid, key):
    """A line of /proc/PID/status, or ""."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return next((line.split()[1] for line in f if line.startswith(key + ":")), "")
    except OSError:
        return ""


@test
def a_recorder_that_cannot_take_hangs_any_more_ends():
    """So that a service begins again. Who takes them has three capabilities of root's, and gets no other back."""
    command, _ = recording()
    recorder = subprocess.Popen(command, stderr=subprocess.PIPE)

    def taker():
        try:
            with open(f"/proc/{recorder.pid}/task/{recorder.pid}/children", encoding="ascii") as f:
                return f.read().split()
        except OSError:
            return []

    wait_for(lambda: taker() and of_process(taker()[0], "NoNewPrivs") == "1", "the process that takes hangs")
    pid = int(taker()[0])
    equal(int(of_process(pid, "CapEff"), 16) & ~(1 << 1 | 1 << 2 | 1 << 34), 0, "capabilities beside DAC_OVERRIDE, DAC_READ_SEARCH and SYSLOG")
    os.kill(pid, signal.SIGKILL)
    _, err = recorder.communicate(timeout=LIMIT)
    equal(recorder.returncode, 1, err)
    expect(b"hangs are not taken any more" in err and b"ended by signal 9" in err, err)


@test
def with_the_real_recorder():
    command, folder = recording()
    done = subprocess.run([*command, "--trigger", "sched:sched_process_exec", "--", "true"], stderr=subprocess.PIPE, check=False, timeout=240)
    equal(done.returncode in (0, 3), True, done.stderr)
    b = Bundle(bundles(folder)[0])
    expect("sched:sched_process_exec" in b.kinds(), b["hang.txt"])
    info = subprocess.run([XTR, "info", "--json", b.path], stdout=subprocess.PIPE, check=False).stdout
    equal(json.loads(info)["sections"][0]["flight"]["why"], "sched:sched_process_exec", "the trace's own reason")
    expect("dmesg.txt" in b.has, sorted(b.has))
    equal([n for n in os.listdir(folder) if n.endswith(".part")], [], "what is left")
    os.chmod(folder, 0o777)
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    expect(done.returncode == 1 and "somebody else may write to it" in done.stderr.decode(), done.stderr)
    for wrong, options in (("--on-hang requires --flight", ["--on-hang", "--bundle-dir", folder]), ("--on-hang requires --bundle-dir", ["--flight", "1M", "--on-hang"]),
                           ("--bundle-dir requires --on-hang", ["--flight", "1M", "--bundle-dir", folder]), ("--bundle-max requires --bundle-dir", ["--bundle-max", "1G"])):
        done = subprocess.run([XTR, "record", "-o", at("none.xtr"), *options], stderr=subprocess.PIPE, check=False)
        equal((done.returncode, done.stderr.decode()), (2, f"xtr: {wrong}\n"), wrong)
