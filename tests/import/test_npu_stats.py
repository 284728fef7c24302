# SPDX-License-Identifier: BSD-2-Clause
"""What xtr stats says of a capture of the NPU's driver: order and counts, with the published totals."""

import json

import capture
from harness import equal, expect, import_file, test, xtr


def stats(path, *arguments):
    return json.loads(xtr("stats", "--json", *arguments, path).out)["sections"][0]


def with_times(text):
    """The same calls, a microsecond apart: nanoseconds in front of each."""
    calls = text.split(b"\n")[1:]
    return b"".join(b"%d %s\n" % (1000000 + i * 1000, call) for i, call in enumerate(calls) if call)


def check(section):
    families = {f["family"]: f for f in section["families"]["families"]}
    equal(section["families"]["calls"], 8198, "calls")
    equal({f: families[f]["calls"] for f in ("memory", "ipc", "buffers")},
          {"memory": 4648, "ipc": 2842, "buffers": 74}, "the published families")
    equal(families["other"]["functions"], [], "functions of no family")
    equal(sum(f["calls"] for f in families.values()), 8198, "the families hold all calls")
    expect(all(f["timed"] == 0 and f["self_ns"] == 0 for f in families.values()), "no times are made up")
    stages = {s["stage"]: s for s in section["allocations"]["stages"]}
    equal((stages["create"]["count"], stages["bind"]["count"], stages["create"]["timed"]), (24, 25, False), "stages")
    equal(stages["pages"]["recorded"], False, "page allocation")
    mappings = section["allocations"]["mappings"]
    equal([mappings[k] for k in ("map_sgt", "map_page", "map_page_in_submit", "submits", "most_for_one")],
          [25, 4131, 4131, 1, 1025], "mappings")
    power = section["power"]
    equal((power["wakes"], power["boots"], power["payers"][0]["payer"]), (1, 1, "ivpu_postclose"), "the boot")
    found = {f["id"]: f for f in section["findings"]}
    equal(found["mappings-in-submit"]["evidence"], {"mappings": 4131, "in_submits": 4131, "submits": 1}, "finding")
    expect("942 of 946" in found["boot-polling"]["text"], "boot polling", found)
    expect(not any(f["notable"] for f in section["findings"]), "nothing to act on", found)


@test
def the_published_totals_of_an_npu_capture(folder):
    path, _ = import_file(folder, capture.text())
    check(stats(path))
    outcome = xtr("stats", "--all", path)
    for part in ("4,648   56.7 %", "2,842   34.7 %", "all 4,131 page mappings happened inside 1 submit", "times: not known"):
        expect(part in outcome.out, part, outcome)
    expect(" ns" not in outcome.out and " ms" not in outcome.out, "no duration is given", outcome)
    # The rest of the trace is left out, and what is asked for is not.
    outcome = xtr("stats", "--section", "families", path)
    expect("4,648" in outcome.out and "Findings" not in outcome.out and "Intel NPU power" not in outcome.out, "one part", outcome)


@test
def calls_that_are_cut_are_told_and_events_are_sorted(folder):
    path, _ = import_file(folder, capture.text())
    text, functions = xtr("stats", "--all", path).out, stats(path)["calls"]["functions"]
    rest = functions[40:]
    expect(len(rest) > 10, "nothing is cut")
    expect(f"  ... and {len(rest)} more functions with {sum(f['calls'] for f in rest)} of the calls (all of them with --json)\n" in text,
           "what is cut", text)
    lines = text[text.index("\nEvents in the trace\n"):].splitlines()[3:]
    rows = [(-int(line.split()[1].replace(",", "")), line.split()[0]) for line in lines]
    equal(len(rows), 114, "events")
    equal(rows, sorted(rows), "most frequent first, then by name")


@test
def the_same_calls_with_times_but_no_returns(folder):
    path, _ = import_file(folder, with_times(capture.text()))
    section = stats(path)
    equal(section["clock"] == "sequence", False, "the trace has times")
    check(section)
