# SPDX-License-Identifier: BSD-2-Clause
"""The uses of xtr under test: small inputs that reach every section, every exporter and every importer."""

import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..")
VECTORS = os.path.join(TESTS, "vectors")

# Scenarios of drivers, by what they reach; the kernel whose event formats they are written with, and the status.
DRIVERS = [
    ("example", 3), ("amdgpu-clean", 0), ("amdgpu-reset", 0), ("amdgpu-thrash", 0), ("amdgpu-vmids", 0), ("i915-engines", 0),
    ("i915-waits", 0), ("xe-basic", 0), ("xe-errors", 0), ("xe-lost", 3), ("nvidia-maps", 0), ("nvidia-xid", 0),
    ("nvidia-ioctls", 0), ("display-clean", 0), ("display-lost", 3), ("fence-waits", 0), ("fence-unsignalled", 0),
    ("cpu-late-gpu", 0), ("cpu-threads", 0), ("amdxdna-basic", 0), ("virtio-basic", 0), ("nouveau-channels", 0),
]

# Files of trace-cmd that have lost nothing.
COMPLETE = {"v6-texts"}

# Of the uses of `xtr stats` those whose standard output is made to fail, too.
PRINTED_STATS = {"stats-jobs", "stats-all", "stats-json", "stats-stdin", "stats-findings"}


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, **options).stdout


def kernel_of(path):
    """The newest kernel that a scenario is for."""
    with open(path, encoding="utf-8") as f:
        named = re.search(r"^!kernels?\s+(.*)$", f.read(), re.M)
    return named.group(1).split()[-1] if named else "7.2"


class Inputs:
    def __init__(self, build, work):
        self.build, self.work = build, os.path.join(work, "inputs")
        os.mkdir(self.work)

    def path(self, name):
        return os.path.join(self.work, name)

    def drivers(self, name):
        play = os.path.join(TESTS, "drivers", name + ".play")
        trace = self.path(name + ".xtr")
        if not os.path.exists(trace):
            output(os.path.join(self.build, "tests/tools/play"), "--formats",
                   os.path.join(TESTS, "data/tracefs", kernel_of(play)), "--formats", os.path.join(TESTS, "drivers/formats"),
                   play, "-o", trace)
        return trace

    def synth(self, name, *options):
        trace = self.path(name + ".xtr")
        if not os.path.exists(trace):
            output(os.path.join(self.build, "tests/tools/synth"), "-o", trace, *options)
        return trace

    def packed(self, name, trace):
        path = self.path(name)
        output(os.path.join(self.build, "xtr"), "pack", "-q", "-o", path, trace)
        return path

    def texts(self):
        """Printed traces of a made-up load, by name of the format."""
        sys.path.insert(0, os.path.join(TESTS, "import"))
        import load  # pylint: disable=import-outside-toplevel
        import printed  # pylint: disable=import-outside-toplevel
        made = load.make(12)
        texts = {}
        for age, old in (("old", True), ("new", False)):
            told = load.told(made, old)
            texts["ftrace-" + age] = printed.ftrace(told)
            texts["perf-" + age] = printed.perf(told, head=True, stacks=not old)
        for name, text in texts.items():
            with open(self.path(name + ".txt"), "w", encoding="utf-8") as f:
                f.write(text)
        return {name: self.path(name + ".txt") for name in texts}

    def bpftrace(self):
        """What bpftrace printed of a run."""
        with open(self.path("bpftrace.txt"), "w", encoding="utf-8") as f:
            f.write("Attaching 6 probes...\n")
            for ring, seqno in (("sdma", 1), ("gfx", 2), ("gfx", 3)):
                for step in ("queue", "run"):
                    f.write(f"tracepoint:gpu_scheduler:drm_sched_job_{step} dev=g0, fence=5:{seqno}, ring={ring}, "
                            "job count:1, hw job count:0, client_id:3\n")
                f.write(f"tracepoint:gpu_scheduler:drm_sched_job_done fence=5:{seqno} signaled\n")
        return self.path("bpftrace.txt")

    def damaged(self, name, trace):
        """With one bit of its middle flipped."""
        with open(trace, "rb") as f:
            data = bytearray(f.read())
        data[len(data) // 2] ^= 0x10
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def folder(self, name, *traces):
        """Of traces, one after the other."""
        folder = self.path(name)
        os.mkdir(folder)
        for number, trace in enumerate(traces, 1):
            copy = shutil.copy(trace, os.path.join(folder, f"run.{number:06}.xtr"))
            os.utime(copy, ns=(number * 10**9,) * 2)
        return folder

    def status_of(self, *command):
        """Of a command that tells of the machine."""
        return subprocess.run([os.path.join(self.build, "xtr"), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode

    def sql(self, text):
        path = self.path("question.sql")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path


def views(i):
    example, jobs = i.drivers("example"), i.synth("jobs", "-n", "600")
    made = i.drivers("export")
    vectors = [os.path.join(VECTORS, "accept", n + ".xtr") for n in ("builtin-events-filtered", "codec-lz4-matches-raw")]
    damaged = i.damaged("damaged.xtr", jobs)
    yield "info", ["-s3"], ["info", example]
    yield "info-json", ["-s3"], ["info", "--json", example]
    yield "info-vector", [], ["info", vectors[0]]
    yield "info-damaged", ["-s3"], ["info", damaged]
    yield "check", [], ["check", jobs]
    yield "check-json", ["-s3"], ["check", "--json", damaged]
    yield "check-vector", [], ["check", vectors[1]]
    yield "dump", ["-s3"], ["dump", example]
    yield "dump-json", ["-s3"], ["dump", "--json", example]
    yield "dump-some", [], ["dump", "-e", "drm_sched_job_*", "--from", "0.001", "--to", "10", jobs]
    yield "dump-pipe", ["-p", "-i", vectors[0]], ["dump", "-"]
    yield "jobs", [], ["jobs", made]
    yield "jobs-csv", [], ["jobs", "--csv", jobs]
    yield "jobs-json", [], ["jobs", "--json", "--pid", "2000", jobs]
    yield "jobs-files", [], ["jobs", jobs, made]
    yield "stats-files", [], ["stats", jobs, made]
    yield "stats-files-json", [], ["stats", "--json", "-s", "rings", jobs, made]
    yield "diff-outliers", [], ["diff", "--outliers", jobs, made]
    yield "diff-cohorts", [], ["diff", "--by", "host", "--json", jobs, made]
    yield "query-files", [], ["query", jobs, made, "SELECT host, count(*) FROM jobs GROUP BY host"]
    folder = i.folder("folder", jobs, example)
    yield "stats-folder", ["-s3"], ["stats", folder]
    yield "stats-files-damaged", ["-s3"], ["stats", jobs, damaged, made]
    yield "stats-files-fail-on", ["-s4"], ["stats", "--fail-on", "execution.p50>1us", jobs, folder]
    yield "diff-by", [], ["diff", "--by", "process,ring", jobs, made]
    yield "diff-cohorts-folder", ["-s3"], ["diff", "--by", "driver", "--against", "rest", folder]
    yield "diff-cohorts-outliers", ["-s3"], ["diff", "--by", "kernel", "--outliers", "--json", folder, jobs]
    yield "flame", [], ["flame", jobs]
    yield "why", [], ["why", "--path", jobs]
    yield "whatif", [], ["whatif", "--scale", "ring=*:0.5x", jobs]
    yield "frames", [], ["frames", "--frame", "ring=*", "--jsonl", "--path", jobs]
    yield "frames-text", ["-s3"], ["frames", "--frame", "ring=*", example]
    yield "symbols", [], ["symbols", "--json", jobs]
    yield "whatif-json", ["-s3"], ["whatif", "--json", example]
    yield "why-lines", ["-s3"], ["why", "--path", "--jsonl", example]
    yield "top", [], ["top", "--json", "--interval", "10ms", jobs]
    yield "top-text", ["-s3"], ["top", "-b", example]
    yield "top-pipe", ["-p", "-i", jobs], ["top", "--json", "--interval", "10ms", "-"]
    yield "flame-folded", [], ["flame", "-f", "folded", "--by", "process,ring", made]
    yield "flame-svg", ["-s3"], ["flame", "-f", "svg", example]
    yield "flame-wait", ["-s3"], ["flame", "-f", "speedscope", "--weight", "wait", example]
    yield "flame-idle", [], ["flame", "--idle", jobs]
    yield "stats-jobs", [], ["stats", jobs]
    yield "stats-all", [], ["stats", "--all", jobs]
    yield "stats-json", [], ["stats", "--json", made]
    yield "stats-stdin", ["-i", made], ["stats", "-"]
    yield "stats-damaged", ["-s3"], ["stats", damaged]
    yield "diff", [], ["diff", jobs, i.synth("slower", "-n", "600", "-x", "150")]
    yield "diff-json", ["-s3"], ["diff", "--json", "-b", jobs, "-b", made, example, damaged]
    yield "diff-limit", ["-s4"], ["diff", "--plot", "--fail-on", "5%", jobs, i.synth("slower")]
    yield "stats-limit", ["-s4"], ["stats", "--fail-on", "execution.p50>1us", "--fail-on", "finding", jobs]
    yield "stats-findings", ["-s3"], ["stats", "--findings", example]


def drivers(i):
    for name, status in DRIVERS:
        yield "stats-" + name, [f"-s{status}"], ["stats", "--all", i.drivers(name)]
        yield "stats-json-" + name, [f"-s{status}"], ["stats", "--json", i.drivers(name)]


def exports(i):
    made, example = i.drivers("export"), i.drivers("example")
    for name, flags, trace, status in (
            ("perfetto", ["-f", "perfetto"], made, 0), ("perfetto-raw", ["-f", "perfetto", "--raw"], example, 3),
            ("perfetto-ftrace", ["-f", "perfetto", "--ftrace"], made, 0),
            ("perfetto-compress", ["-f", "perfetto", "--compress"], made, 0),
            ("chrome", ["-f", "chrome"], made, 0), ("chrome-top", ["-f", "chrome", "--top", "5"], made, 0),
            ("csv", ["-f", "csv"], made, 0), ("csv-events", ["-f", "csv", "-t", "events"], example, 3),
            ("jsonl", ["-f", "jsonl"], made, 0), ("jsonl-calls", ["-f", "jsonl", "-t", "calls"], example, 3),
            ("arrow", ["-f", "arrow"], made, 0), ("arrow-events", ["-f", "arrow", "-t", "events"], example, 3),
            ("arrow-section", ["-f", "arrow", "-t", "stats_rings"], made, 0)):
        yield "export-" + name, [f"-s{status}"], ["export", *flags, "-o", "out", trace]
    yield "export-sqlite", ["-q"], ["export", "-f", "sqlite", "-o", "out", made]
    yield "export-force", ["-k", "out"], ["export", "-f", "csv", "--force", "-o", "out", made]
    yield "export-force-sqlite", ["-q", "-k", "out"], ["export", "-f", "sqlite", "--force", "-o", "out", made]
    yield "export-stdout", [], ["export", "-f", "chrome", "-o", "-", made]
    yield "export-name", [], ["export", "-f", "perfetto", made]
    yield "export-parquet", [], ["export", "-f", "parquet", "-o", "out", made]
    yield "export-parquet-raw", ["-s3"], ["export", "-f", "parquet", "--raw", "-o", "out", example]
    yield "export-parquet-files", [], ["export", "-f", "parquet", "-o", "out", made, i.synth("jobs", "-n", "600")]
    yield "report", [], ["report", "-o", "out", made]
    yield "report-losses", ["-s3"], ["report", "--jobs", "3", "-o", "-", example]


def imports(i):
    for name, path in i.texts().items():
        yield "import-" + name, [], ["import", "-o", "out.xtr", path]
    yield "import-force", ["-k", "out.xtr"], ["import", "--force", "-o", "out.xtr", i.path("ftrace-new.txt")]
    yield "import-bpftrace", [], ["import", "-o", "out.xtr", i.bpftrace()]
    yield "import-stdout", ["-p", "-i", i.path("perf-new.txt")], ["import", "-o", "-", "-"]
    yield "import-name", [], ["import", i.path("ftrace-old.txt")]
    for path in sorted(glob.glob(os.path.join(TESTS, "fuzz/corpus/tracedat/v[67]-*"))):
        name = os.path.basename(path)
        yield "import-" + name, [] if name in COMPLETE else ["-s3"], ["import", "-o", "out.xtr", path]


def parts(i):
    jobs, example = i.synth("jobs", "-n", "600"), i.drivers("example")
    damaged = i.damaged("damaged.xtr", jobs)
    yield "cut", ["-c"], ["cut", "--from", "0.0001", "--to", "0.002", "--ring", "*0", "-o", "out.xtr", jobs]
    yield "cut-all", ["-s3"], ["cut", "-o", "out.xtr", example]
    yield "cut-damaged", ["-s3"], ["cut", "-o", "out.xtr", damaged]
    yield "cut-force", ["-k", "out.xtr"], ["cut", "--pid", "2000", "--force", "-o", "out.xtr", jobs]
    yield "cut-stdout", [], ["cut", "-o", "-", jobs]
    yield "cut-name", [], ["cut", jobs]
    # One CPU, so that one thread packs it: what fails is then the same in every run.
    one = i.synth("one-cpu", "-n", "300", "-s", "1")
    yield "pack", ["-c"], ["pack", "-o", "out.xtr", one]
    yield "symbols-named", ["-c"], ["symbols", "-o", "out.xtr", one]
    yield "pack-zstd", [], ["pack", "--zstd", "--json", "-o", "out.xtr", one]
    yield "pack-stdout", [], ["pack", "-o", "-", one]
    yield "stats-packed", [], ["stats", i.packed("packed.xtr", one)]
    yield "redact", ["-c"], ["redact", "--key", "7", "-o", "out.xtr", one]
    yield "redact-all", ["-s3"], ["redact", "--policy", "strict", "--json", "-o", "out.xtr", example]
    yield "redact-stdout", [], ["redact", "-o", "-", one]
    yield "redact-name", [], ["redact", one]
    yield "recover", ["-s3", "-c"], ["recover", "-o", "out.xtr", damaged]
    yield "recover-json", ["-s3"], ["recover", "--json", "-o", "out.xtr", damaged]
    yield "recover-stdout", ["-s3"], ["recover", "-o", "-", damaged]
    yield "cat", ["-s3"], ["cat", "-o", "out.xtr", jobs, example]
    yield "cat-damaged", ["-s3"], ["cat", "-o", "out.xtr", damaged, jobs]
    yield "cat-stdout", [], ["cat", jobs, i.drivers("export")]


def queries(i):
    made = i.drivers("export")
    database = i.path("made.sqlite")
    output(os.path.join(i.build, "xtr"), "export", "-q", "-f", "sqlite", "-o", database, made)
    sql = i.sql("SELECT ring, count(*), max(exec_ns) FROM jobs GROUP BY 1 ORDER BY 1; SELECT * FROM usage_by_ring;")
    yield "query", ["-q"], ["query", made, "SELECT * FROM longest_jobs"]
    yield "query-csv", ["-q"], ["query", "--csv", "-f", sql, made]
    yield "query-json", ["-q"], ["query", "--json", made, "SELECT * FROM events LIMIT 20"]
    yield "query-database", ["-q"], ["query", database, "SELECT * FROM jobs"]
    yield "query-stdin", ["-q", "-p", "-i", sql], ["query", made, "-"]
    yield "query-folder", ["-q", "-s3"], ["query", i.folder("asked", made, i.drivers("example")), "SELECT host, count(*) FROM jobs GROUP BY 1"]
    yield "query-schema", ["-q"], ["query", "--schema"]


def shipping(i):
    spool = i.path("spools")
    os.makedirs(os.path.join(spool, "store"))
    pieces = [i.synth(f"piece-{n}", "-n", "20", "-S", str(n)) for n in (1, 2)]
    os.rename(i.folder("spool", *pieces), os.path.join(spool, "spool"))
    os.chmod(os.path.join(spool, "spool"), 0o700)
    take = os.path.abspath(os.path.join(i.build, "tests/inject/command/take"))
    yield "ship", ["-M", "-t", spool], ["ship", "spool", "--", take, "store", "{}"]
    yield "ship-limit", ["-M", "-t", spool], ["ship", "--limit", "1G", "--tries", "1", "spool", "--", take, "store"]
    yield "ship-list", ["-t", spool], ["ship", "spool"]


def others(_):
    yield "help", [], ["help"]
    yield "help-stats", [], ["help", "stats"]
    yield "version", [], ["--version"]


def names(i):
    """What completions ask for, of the first word that is a trace."""
    example, jobs = i.drivers("example"), i.synth("jobs", "-n", "600")
    yield "names-events", [], ["--dump-names", "events", "stats", example]
    yield "names-devices", [], ["--dump-names", "devices", example]
    yield "names-rings", [], ["--dump-names", "rings", "--ring", os.path.join(HERE, "run"), jobs, example]
    yield "names-pids", [], ["--dump-names", "pids", i.damaged("damaged.xtr", jobs)]


def machine(i):
    """What tells of this machine: with the rights of whoever runs it."""
    yield "doctor", ["-m", "-l", f"-s{i.status_of('doctor')}"], ["doctor"]
    yield "list-system", ["-m", "-l", f"-s{i.status_of('list', 'sched')}"], ["list", "sched"]
    yield "list-functions", ["-m", "-l", f"-s{i.status_of('list', 'func:drm:*')}"], ["list", "func:drm:*"]
    yield "list-group", ["-m", "-l", f"-s{i.status_of('list', '--json', 'npu')}"], ["list", "--json", "npu"]
    yield "recover-killed", ["-m", f"-s{i.status_of('recover', '--killed')}"], ["recover", "--killed"]


EVENT = "syscalls:sys_enter_sched_get_priority_min"


def recordings(build):
    """What records. Fences are loaded in an eighth of the time, so they come first and leave to the others what only events
    reach; of these the command makes 6,000 in three bursts."""
    command = ["--", os.path.abspath(os.path.join(build, "tests/inject/command/bursts"))]
    for name, event in (("", "dma_fence:dma_fence_init"), ("-events", EVENT)):
        one = ["record", "-q", "-o", "out.xtr", "-e", event]
        yield "record" + name, ["-r"], [*one, *command]
        yield f"record{name}-flight", ["-r"], [*one, "--flight", "1M", "--trigger", event, "--after", "1ms", *command]
        yield f"record{name}-rotate", ["-r"], [*one, "--rotate", "20ms", "--keep", "2", *command]
    # What makes the bundle is a process that only reads: hundreds of places.
    yield "record-bundle", ["-r", "-o"], [*one, "--bundle", "out.tar.zst", *command]


def make(build, work):
    i = Inputs(build, work)
    return [s for family in (views, drivers, exports, imports, parts, queries, shipping, others, names, machine) for s in family(i)]
