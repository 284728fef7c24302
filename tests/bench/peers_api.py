# SPDX-License-Identifier: BSD-2-Clause
"""Recorders of one function of a library, with uprobes: its calls, or its calls and returns."""
import json
import pathlib
import re

import peers

LIBRARY, FUNCTION = "libze_loader.so.1", "zeMemFree"


class XtrApi(peers.Recorder):
    def __init__(self, program, path, ret):
        self.name = "xtr"
        self.program, self.event = program, f"api:{LIBRARY}:{FUNCTION}" + ("" if ret else ":noret")
        self.env = {"LD_LIBRARY_PATH": str(pathlib.Path(path).parent)}

    def why_not(self):
        return None

    def record(self, out, load):
        return [self.program, "record", "-q", "--force", "--buffer", str(peers.BUFFER), "-e", self.event, "-o", out,
                "--", *load]

    def counts(self, out):
        info = json.loads(peers.output([self.program, "info", "--json", out]).stdout)
        return info["events"], info["lost"]


class BpftraceApi(peers.Bpftrace):
    """The function's name, and nothing else."""

    def __init__(self, path, ret):
        self.probes = [f"{kind}:{path}:{FUNCTION}" for kind in (("uprobe", "uretprobe") if ret else ("uprobe",))]

    def script(self):
        return ", ".join(self.probes) + ' { printf("%s\\n", probe); }'

    def counts(self, out):
        text = pathlib.Path(out).read_text(errors="replace")
        lost = sum(int(n) for n in re.findall(r"Lost (\d+) events", text))
        return len(re.findall(r"^u(?:ret)?probe:", text, re.M)), lost


def recorders(xtr, path, ret):
    return [XtrApi(xtr, path, ret), BpftraceApi(path, ret)]
