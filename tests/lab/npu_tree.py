#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tree of calls that the truths of the NPU's stand-in and of its loader make together."""

import bisect

# As docs/npu.md: an interrupt brought a message if it came at most so long before.
IRQ_NS = 10_000_000
# Whether an interrupt near that limit counts is decided by less than what may be measured.
UNSURE_NS = 2_000_000


class Node:
    """A call in its place. path: kinds and names from the outermost call on."""

    def __init__(self, kind, call, name):
        self.kind, self.call, self.name, self.outer, self.inner = kind, call, name, None, []
        self.path = ((kind, name),)
        self.irqs = self.unsure = 0

    @property
    def ns(self):
        return self.call.end - self.call.begin

    def inside(self):
        for n in self.inner:
            yield n
            yield from n.inside()

    def around(self):
        n = self
        while n:
            yield n
            n = n.outer


def nest(nodes):
    """Puts the nodes of one thread or CPU into each other; returns those in none."""
    roots, stack = [], []
    for n in sorted(nodes, key=lambda n: (n.call.begin, -n.call.end)):
        while stack and stack[-1].call.end <= n.call.begin:
            stack.pop()
        if stack:
            n.outer = stack[-1]
            n.path = n.outer.path + n.path
            n.outer.inner.append(n)
        else:
            roots.append(n)
        stack.append(n)
    return roots


def build(functions, api, recorded):
    """All nodes. functions, api: name -> calls; recorded: the names of functions that count."""
    keys = {}
    for name, calls in functions.items():
        for c in calls if name in recorded else []:
            keys.setdefault(c.key, []).append(Node("function", c, name))
    for name, calls in api.items():
        for c in calls:
            keys.setdefault(c.key, []).append(Node("api", c, name))
    for key, nodes in keys.items():
        nest(nodes)
        for n in nodes if key[0] == "cpu" else []:
            n.path = ((None, f"CPU {key[1]}"),) + n.path
    return [n for nodes in keys.values() for n in nodes]


def innermost(nodes, tid, at, wanted):
    """The innermost node of a thread around a time."""
    best = None
    for n in nodes:
        if n.call.key == ("tid", tid) and n.call.begin <= at <= n.call.end and wanted(n) and \
                (not best or n.call.begin >= best.call.begin):
            best = n
    return best


def attribute(nodes, jobs, is_task):
    """Gives jobs to the tasks that queued them, and interrupts to what they brought (node.irqs; .unsure
    where the limit in time is too near). Returns [(job, task or None)]."""
    irqs = sorted(n.call.begin for n in nodes if n.name == "ivpu_hw_irq_handler")
    taken, given, wants = set(), [], []
    tasks = [n for n in nodes if is_task(n)]
    for j in jobs:
        task = innermost(tasks, int(j["tid"]), int(j["doorbell_ns"]), is_task)
        given.append((j, task))
        wants.append((int(j["signal_ns"]), task))
    for n in nodes:
        boots = any(o.name in ("ivpu_boot", "ivpu_wait_for_ready") for o in n.around())
        if n.name == "ivpu_ipc_receive" and n.call.ret["ret"] == 0 and not boots:
            wants.append((n.call.end, n))
    for at, node in sorted(wants, key=lambda w: w[0]):
        i = bisect.bisect_right(irqs, at) - 1
        while i >= 0 and i in taken:
            i -= 1
        if i < 0:
            continue
        late = at - irqs[i]
        if late <= IRQ_NS:
            taken.add(i)
        for n in node.around() if node else []:
            n.irqs += late <= IRQ_NS
            n.unsure += abs(late - IRQ_NS) < UNSURE_NS
    return given
