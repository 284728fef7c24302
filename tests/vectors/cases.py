# SPDX-License-Identifier: BSD-2-Clause
"""The list that the case files fill: what each vector is, and what is wrong with it."""


class Case:
    def __init__(self, folder, name, data, problems, events, summary):
        self.folder, self.name, self.data = folder, name, bytes(data)
        self.problems = [list(p) for p in problems]
        self.events = events    # how many must be shown, or None
        self.summary = summary  # compare without the events (they would be megabytes)


CASES = []


def accept(name, data, events=None, summary=False):
    """Read in full, no problem."""
    CASES.append(Case("accept", name, data, [], events, summary))


def damaged(name, data, *problems, events=None, summary=False):
    """Read with problems [(code, offset)], in order."""
    assert problems, name
    CASES.append(Case("damaged", name, data, problems, events, summary))


def reject(name, data, code, offset=0):
    """Nothing is shown, one problem."""
    CASES.append(Case("reject", name, data, [(code, offset)], 0, False))
