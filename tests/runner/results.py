# SPDX-License-Identifier: BSD-2-Clause
"""What checks found: counts, of which each failure has a name.

Programs of tests count for themselves. They say `FAIL WHAT` once for each failure that they count; what belongs to it stands
below, indented deeper, and may have such lines, too. A line `once more without the N failures above: WHY` takes them back.
"""

import re

FAILED = re.compile(r"(\s*)(?:FAIL\b:?|not ok\b(?: -)?)\s*(.*)")
TAKEN_BACK = re.compile(r"\bonce more without the (\d+) failures above: ")
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
DETAILS = 3  # lines of a failure that are shown with its name
MOST = 40  # failures of a group that are listed


class Failure:
    """A failure that is counted: what has failed, and some lines about it."""

    def __init__(self, what, details=()):
        self.what, self.details = what, list(details)


class Result:
    """Counts of checks, and the failures by name; cpu: seconds of CPU time of the commands that ran them."""

    def __init__(self, passed=0, failures=(), skipped=0, cpu=0.0):
        self.passed, self.failures, self.skipped, self.cpu = passed, list(failures), skipped, cpu

    @property
    def failed(self):
        return len(self.failures)

    def add(self, other):
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped
        self.cpu += other.cpu

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def details(lines):
    """The lines that tell most: those of failures, else the last ones."""
    nested = [line.strip() for line in lines if FAILED.match(line)]
    if len(nested) > DETAILS:
        nested[DETAILS:] = [f"and {len(nested) - DETAILS} more such lines"]
    return nested or [line.strip() for line in lines if line.strip()][-DETAILS:]


def _outermost(lines):
    """Places of the lines FAIL that no other encloses, without those that were taken back."""
    found = [(place, len(m[1])) for place, m in enumerate(map(FAILED.match, lines)) if m]
    margin = min((indent for _, indent in found), default=0)
    counted = {place for place, indent in found if indent == margin}
    kept = []
    for place, line in enumerate(lines):
        if place in counted:
            kept.append(place)
        back = TAKEN_BACK.search(line)
        if back:
            kept = kept[:max(0, len(kept) - int(back[1]))]
    return kept


def _below(lines, place):
    """The lines after this one that are indented deeper."""
    margin = len(FAILED.match(lines[place])[1])
    for line in lines[place + 1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            return
        yield line


def named(path, output, count):
    """
    As many failures as the program counted, by its lines. One that it did not name is said to be such; a line that it did
    not count is a detail of the last one.
    """
    lines = output.splitlines()
    places = _outermost(lines)
    failures = [Failure(FAILED.match(lines[place])[2].strip(), details(list(_below(lines, place)))) for place in places[:count]]
    if failures:
        failures[-1].details += [lines[place].strip() for place in places[count:][:DETAILS]]
    return failures + [Failure(f"{path} counts a failure without a line FAIL") for _ in range(count - len(failures))]


def counts(output):
    """The numbers of the last line: passed, failed, skipped. None if it is another line."""
    match = SUMMARY.match((output.rstrip().splitlines() or [""])[-1].strip())
    return tuple(map(int, match.groups())) if match else None


def listing(found):
    """Lines of the failures of (group, its result), each failure once; of a group with many, how many more there are."""
    for name, result in found:
        for failure in result.failures[:MOST]:
            yield f"  FAIL {name}: {failure.what}"
            yield from ("      " + line for line in failure.details)
        if result.failed > MOST:
            yield f"  and {result.failed - MOST} more of {name}"
