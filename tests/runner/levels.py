# SPDX-License-Identifier: BSD-2-Clause
"""Levels of the tests: which groups each runs, which of them in part, and what it says of the others."""

import collections

# Each runs what the one before it runs, and more. Groups of none of them (first: "long") are run by name, or by LONG=1.
LEVELS = {"check": "before each commit", "ci": "for each change", "all": "every night"}
LONG = "long"

# What a level runs of a group: a function as the group's, and what that is, in words.
Part = collections.namedtuple("Part", "function what")


def runs(group, level):
    order = list(LEVELS)
    return group.first in order and order.index(group.first) <= order.index(level)


def at(level, groups):
    """The groups as this level runs them."""
    return [group._replace(function=group.parts[level].function, title=f"{group.title}; here: {group.parts[level].what}")
            if level in group.parts else group for group in groups if runs(group, level)]


def line(level, groups, chosen):
    """Which level runs, which of all groups are left out, and which of the chosen run in part: nobody may think that more was tried."""
    names = [group.name for group in chosen]
    out = [group.name for group in groups if group.name not in names]
    parts = [f"{group.name} ({group.parts[level].what})" for group in chosen if level in group.parts]
    return f"tests/run.py: level {level}, {LEVELS[level]}; left out: {', '.join(out) or 'nothing'}; in part: {', '.join(parts) or 'nothing'}"
