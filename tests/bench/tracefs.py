# SPDX-License-Identifier: BSD-2-Clause
"""A tracefs for the recorders alone, in a mount namespace that ends with this program.

trace-cmd writes to the files of the function tracer before it records any event, and gives up where one refuses. A kernel
may refuse (EPERM) although events can be recorded: such a file gets an empty one, or one that says "1", laid over it. Nothing of what is
measured goes through these.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

TRACING = pathlib.Path("/sys/kernel/tracing")
# What trace-cmd clears or switches on before it records, and what the file laid over it holds.
WRITTEN = {
    pathlib.Path("/proc/sys/kernel/ftrace_enabled"): "1\n",
    TRACING / "set_ftrace_filter": "",
    TRACING / "set_ftrace_notrace": "",
    TRACING / "set_graph_function": "",
    TRACING / "set_graph_notrace": "",
    TRACING / "set_ftrace_pid": "",
    TRACING / "set_ftrace_notrace_pid": "",
}


def refuses(path):
    """Whether a file cannot be written what it holds already, or nothing."""
    try:
        with open(path, "r+b", buffering=0) as f:
            if path.parts[1] == "proc":
                f.write(f.read())
        return False
    except OSError:
        return True


def lay_over():
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as folder:
        for path, text in WRITTEN.items():
            if path.exists() and refuses(path):
                cover = pathlib.Path(folder) / path.name
                cover.write_text(text, encoding="ascii")
                subprocess.run(["mount", "--bind", cover, path], check=False)


def private():
    """Starts this program again in a namespace of its own; returns there."""
    if not os.environ.get("XTR_BENCH_MOUNTED"):
        os.environ["XTR_BENCH_MOUNTED"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    if not os.path.ismount(TRACING):
        subprocess.run(["mount", "-t", "tracefs", "nodev", TRACING], check=False)
    lay_over()
