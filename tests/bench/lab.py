# SPDX-License-Identifier: BSD-2-Clause
"""The part of the benchmark that records kernel functions: in the lab, those of the stand-in for intel_vpu."""
import pathlib
import shutil
import subprocess
import tempfile

from table import Table

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "lab" / "lab"
KERNELS = ["6.12", "new"]
# metric of functions: unit, heading
METRICS = {
    "traced": ("ns/call", "traced thread"),
    "matmul": ("ns/call", "matmul's submit"),
    "cpu": ("ns/call", "recorder's CPU"),
    "lost": ("calls", "lost"),
    "unsaid": ("calls", "neither kept nor said"),
}
LIMIT = 900  # s a kernel


def measure(kernel, rounds, calls, xtr, load):
    """({(who, metric): values}, lines about who is left out). RuntimeError where the lab cannot run."""
    if not shutil.which("qemu-system-x86_64"):
        raise RuntimeError("QEMU is not installed (tests/lab/lab deps)")
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as out:
        done = subprocess.run([LAB, "run", kernel, "--out", out, "--load", "fakenpu", "--timeout", str(LIMIT), "--",
                               HERE / "functions", "/out", str(rounds), str(calls), xtr, load],
                              capture_output=True, text=True, errors="replace")
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"exit status {done.returncode}")
        samples = {}
        for line in (pathlib.Path(out) / "samples.tsv").read_text().splitlines():
            who, metric, value = line.split("\t")
            samples.setdefault((who, metric), []).append(float(value))
        left_out = pathlib.Path(out) / "left-out"
        return samples, left_out.read_text().splitlines() if left_out.exists() else []


def functions(rounds, calls, xtr, load):
    """Measures and prints; ratios are to bpftrace."""
    for kernel in KERNELS:
        try:
            samples, left_out = measure(kernel, rounds, calls, xtr, load)
        except (RuntimeError, OSError) as e:
            print(f"functions, lab kernel {kernel}: left out: {e}")
            continue
        for line in left_out:
            print(f"left out: {line}")
        table = Table(f"functions-{kernel}", METRICS, "recorder", "bpftrace", ("lost", "unsaid"))
        for (who, metric), values in samples.items():
            if who != "none":
                table.samples[who, metric] = values
        table.show(f"all ivpu_ functions, lab kernel {kernel}, {rounds} rounds, ratios to bpftrace; the machine is emulated: only "
                   "ratios mean something")
        table.save(rounds)
