# SPDX-License-Identifier: BSD-2-Clause
"""Puts the tables of build/bench/*.tsv between their marks in docs/PERFORMANCE.md.

    <!-- bench: NAME -->
    ... made anew where there is a build/bench/NAME.tsv, else left as it is ...
    <!-- end -->
"""
import re
import textwrap

import common
from table import Saved, number

DOCUMENT = common.ROOT / "docs" / "PERFORMANCE.md"
MARK = re.compile(r"(<!-- bench: ([\w.-]+) -->\n)(.*?)(<!-- end -->\n)", re.S)


def saved(name):
    return Saved(name) if (common.RESULTS / f"{name}.tsv").exists() else None


def share(name, metric, peer, mine="xtr"):
    """How much less xtr needs of a metric: xtr's / the peer's."""
    table = saved(name)
    ratio = table and table.ratio(peer, metric)
    own = table and table.ratio(mine, metric)
    return f"{own / ratio:.2f}" if ratio and own and ratio > 0 else None


def value(name, metric, who):
    table = saved(name)
    median = table and table.median(who, metric)
    return number(median) if median is not None else None


def times(name, metric, peer, mine="xtr stats"):
    """How often as fast: the peer's time / ours."""
    table = saved(name)
    ratio = table and table.ratio(peer, metric)
    return number(ratio) if ratio and table.median(mine, metric) else None


# What is demanded, of what, and what was measured.
TARGETS = [
    ("added cost of an event / trace-cmd's", "at most 0.65", lambda: share("record", "traced", "trace-cmd")),
    ("added cost of an event / perf record's", "at most 0.25", lambda: share("record", "traced", "perf")),
    ("added cost of an event / bpftrace printf's", "at most 0.4", lambda: share("record", "traced", "bpftrace")),
    ("recorder's CPU, ns/event", "at most 60", lambda: value("record", "cpu", "xtr")),
    ("events/s of one thread without loss, millions", "3", lambda: value("rate", "one", "xtr")),
    ("bytes/event of GPU jobs, as recorded (lab, 6.1)", "at most 10", lambda: value("size-lab-6.1", "bytes", "xtr")),
    ("bytes/event of GPU jobs, packed (lab, 6.1)", "at most 5", lambda: value("size-lab-6.1", "bytes", "xtr pack")),
    ("size as recorded / compressed trace.dat, GPU jobs (6.1)", "at most 0.5", lambda: share("size-lab-6.1", "bytes", "trace-cmd")),
    ("size packed / compressed trace.dat, GPU jobs (6.1)", "at most 0.5", lambda: share("size-lab-6.1", "bytes", "trace-cmd", "xtr pack")),
    ("size as recorded / compressed trace.dat, a build", "at most 0.5", lambda: share("size-system", "bytes", "trace-cmd")),
    ("size packed / compressed trace.dat, a build", "at most 0.5", lambda: share("size-system", "bytes", "trace-cmd", "xtr pack")),
    ("size as recorded / perf -z, GPU jobs (6.1)", "at most 0.5", lambda: share("size-lab-6.1", "bytes", "perf -z")),
    ("size packed / perf -z, GPU jobs (6.1)", "at most 0.5", lambda: share("size-lab-6.1", "bytes", "perf -z", "xtr pack")),
    ("size as recorded / perf -z, a build", "at most 0.5", lambda: share("size-system", "bytes", "perf -z")),
    ("size packed / perf -z, a build", "at most 0.5", lambda: share("size-system", "bytes", "perf -z", "xtr pack")),
    ("`stats`, M events/s on the clock, GPU jobs (6.1)", "20", lambda: value("replay-lab-6.1", "rate", "xtr stats")),
    ("`stats`, M events/s on the clock, a build", "20", lambda: value("replay-system", "rate", "xtr stats")),
    ("`stats` / perf script, times as fast (clock), a build", "30", lambda: times("replay-system", "wall", "perf script")),
    ("`stats` / trace-cmd report, a build", "30", lambda: times("replay-system", "wall", "trace-cmd report")),
    ("`stats` / perf script, GPU jobs (6.1)", "30", lambda: times("replay-lab-6.1", "wall", "perf script")),
    ("`stats` / trace-cmd report, GPU jobs (6.1)", "30", lambda: times("replay-lab-6.1", "wall", "trace-cmd report")),
    ("a second of a large file (10 GB demanded), `stats`, ms", "at most 100",
     lambda: value("window", "warm", "xtr stats --from T --to T+1s")),
]


def targets(old):
    """A target whose table is not there keeps what was measured before."""
    before = dict(re.findall(r"^\| (.*?) \| .* \| (.*) \|$", old, re.M))
    yield "| target | demanded | measured |"
    yield "|---|---|---|"
    for what, demanded, measured in TARGETS:
        yield f"| {what} | {demanded} | {measured() or before.get(what, 'not measured')} |"


def whole(old):
    """What the tables of whole programs say of xtr, in a sentence."""
    build, frames, rates = (saved(f"whole-{name}") for name in ("build", "frames", "rates"))
    if not (build and frames and rates):
        return old.splitlines()
    shares = [number(rates.median("xtr", str(rate))) for rate in (1000, 10000, 100000, 1000000)]
    text = (f"Recording {number(build.median('xtr', 'rate'))} events a second of a build with xtr makes it take "
            f"{number(build.ratio('xtr', 'wall'))} times as long and {number(build.ratio('xtr', 'both'))} times the CPU time, the "
            f"recorder's included; a program that draws 60 frames a second then takes "
            f"{number(frames.ratio('xtr', 'both'))} times the CPU time; and 1,000, 10,000, 100,000 and "
            f"{number(rates.median('xtr', 'top'))} events a second take {', '.join(shares[:3])} and {shares[3]} % of one CPU, "
            f"everything counted. Starting and stopping take {number(build.median('xtr', 'edges'))} s of CPU time, once.")
    return textwrap.wrap(text, 100)


def table(match):
    begin, name, old, end = match.groups()
    made = {"targets": targets, "whole": whole}.get(name)
    if made:
        return begin + "\n".join(made(old)) + "\n" + end
    if not saved(name):
        return begin + old + end
    return begin + "\n".join(saved(name).markdown()) + "\n" + end


def write():
    text = DOCUMENT.read_text(encoding="utf-8")
    made = MARK.sub(table, text)
    if made != text:
        DOCUMENT.write_text(made, encoding="utf-8")
        print(DOCUMENT.relative_to(common.ROOT))


if __name__ == "__main__":
    write()
