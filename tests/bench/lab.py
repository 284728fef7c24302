# SPDX-License-Identifier: BSD-2-Clause
"""The part of the benchmark that records kernel functions: in the lab, those of the stand-in for intel_vpu."""
import pathlib
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "lab" / "lab"
KERNELS = ["6.12", "new"]
# metric of functions: unit, heading
METRICS = {
    "traced": ("ns/call", "traced thread"),
    "matmul": ("ns/call", "matmul's submit"),
    "cpu": ("ns/call", "recorder CPU"),
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


def show(samples):
    print(f"{'':14}" + "".join(f"{f'{head}, {unit}':>30}" for unit, head in METRICS.values()))
    for who in dict.fromkeys(w for w, _ in samples if w != "none"):
        cells = []
        for metric in METRICS:
            value = statistics.median(samples[who, metric])
            theirs = statistics.median(samples.get(("bpftrace", metric), [0]))
            ratio = f" ({value / theirs:.2f}x)" if theirs > 0 and METRICS[metric][0] == "ns/call" else ""
            cells.append(f"{value:.0f}{ratio}")
        print(f"{who:14}" + "".join(f"{c:>30}" for c in cells))


def rows(kernel, samples):
    for (who, metric), values in samples.items():
        unit = METRICS.get(metric, ("calls" if metric == "calls" else "ns/call",))[0]
        mid = statistics.median(values)
        theirs = statistics.median(samples.get(("bpftrace", metric), [0]))
        ratio = f"{mid / theirs:.3f}" if theirs > 0 and unit == "ns/call" else ""
        yield f"{who}\tfunctions {kernel} {metric}\t{unit}\t{mid:.2f}\t{min(values):.2f}\t{max(values):.2f}\t{ratio}"


def functions(rounds, calls, xtr, load):
    """Measures and prints; returns rows as bench.tsv has them, with ratios to bpftrace."""
    lines = []
    for kernel in KERNELS:
        try:
            samples, left_out = measure(kernel, rounds, calls, xtr, load)
        except (RuntimeError, OSError) as e:
            print(f"functions, lab kernel {kernel}: left out: {e}")
            continue
        print(f"\nall ivpu_ functions, lab kernel {kernel}, medians of {rounds} rounds, ratios to bpftrace; "
              "the machine is emulated: only ratios mean something")
        for line in left_out:
            print(f"left out: {line}")
        show(samples)
        lines += rows(kernel, samples)
    return lines
