# SPDX-License-Identifier: BSD-2-Clause
"""Reads scenarios (*.play) and the lab's truth logs into events: the language of README.md.

Shares nothing with tests/tools/player, which reads the same language in C. For judges: load; what xtr says of a
trace (output, stats); changes to spoil what they are given (without, doubled, altered, shifted).
"""

import copy
import json
import re
import subprocess

START_NS = 1_000_000_000  # moment 0 of a scenario on the event clock
FENCE_OPS = {"drm_sched": "drm_sched_fence_ops_finished", "xe": "xe_hw_fence_ops", "amdxdna": "fence_ops",
             "nouveau": "nouveau_fence_ops_uevent"}


class PlayError(Exception):
    pass


class Event:
    """One line. fields: by name, int, str or list of int; what the line leaves out is not there (get)."""

    def __init__(self, t_ns, comm, pid, tid, cpu, event, fields, kthread=False, line=0, types=None):
        self.t_ns, self.comm, self.pid, self.tid, self.cpu = t_ns, comm, pid, tid, cpu
        self.event, self.fields, self.kthread, self.line = event, fields, kthread, line
        self.types = types or {}  # of function events: representation by field name

    @property
    def system(self):
        """What comes before the event's own name: amdgpu, func:nvidia, api:libcuda.so.1."""
        parts = self.event.split(":")
        return ":".join(parts[:2]) if parts[0] in ("func", "api") else parts[0]

    @property
    def name(self):
        return self.event[len(self.system) + 1:]

    def get(self, field, default=0):
        return self.fields.get(field, default)

    def text(self, field):
        """A field that is a text, also where it looks like a number."""
        return str(self.fields.get(field, ""))

    def __repr__(self):
        return f"{self.t_ns} {self.comm or '-'}/{self.pid}/{self.tid} {self.cpu} {self.event} {self.fields}"


class Fence:
    def __init__(self, name, driver, timeline, context, seqno):
        self.name, self.driver, self.timeline, self.ctx, self.seqno = name, driver, timeline, context, seqno
        self.ops = FENCE_OPS.get(driver, driver + "_fence_ops")


class Lost:
    def __init__(self, t_ns, cpu, count, event):
        self.t_ns, self.cpu, self.count, self.event = t_ns, cpu, count, event


class Scenario:
    def __init__(self, path):
        self.path, self.title, self.lab, self.kernels = path, "", True, ["7.2"]
        self.truth = False  # a log of the lab: real times and numbers
        self.expect = []    # (id of a finding, how often or None: at least once)
        self.silent = False
        self.fences, self.devices, self.attached, self.lost, self.events = {}, [], [], [], []

    def systems(self):
        return {e.system for e in self.events}


# --- expressions ------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"\s*(0[xX][0-9a-fA-F]+|\d+|<<|>>|[-+*/%&|^()i])")
LEVELS = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]


def divide(a, b):
    """As C does: towards 0."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


OPERATIONS = {
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
    "*": lambda a, b: a * b, "/": divide, "%": lambda a, b: a - b * divide(a, b),
}


class Expression:
    def __init__(self, text, i):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise PlayError(f"no expression: {text!r}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.i = i

    def next(self):
        if not self.tokens:
            raise PlayError("an expression ends early")
        return self.tokens.pop(0)

    def primary(self):
        token = self.next()
        if token == "-":
            return -self.primary()
        if token == "(":
            value = self.level(0)
            if self.next() != ")":
                raise PlayError("a ) is missing")
            return value
        if token == "i":
            if self.i is None:
                raise PlayError("i outside of a repeat")
            return self.i
        if not token[0].isdigit():
            raise PlayError(f"no number: {token}")
        return number(token)

    def level(self, n):
        if n == len(LEVELS):
            return self.primary()
        value = self.level(n + 1)
        while self.tokens and self.tokens[0] in LEVELS[n]:
            value = OPERATIONS[self.next()](value, self.level(n + 1))
        return value

    def value(self):
        value = self.level(0)
        if self.tokens:
            raise PlayError(f"no operator: {self.tokens[0]}")
        return value


def number(text):
    """As in C: decimal, hexadecimal, octal with a leading 0."""
    if re.fullmatch(r"0[0-7]+", text):
        return int(text, 8)
    return int(text, 0)


def expand(text, i):
    out, at = [], 0
    while at < len(text):
        if text[at] != "{":
            out.append(text[at])
            at += 1
        elif text.startswith("{{", at):
            out.append("{")
            at += 2
        else:
            end = text.find("}", at)
            if end < 0:
                raise PlayError("a } is missing")
            out.append(str(Expression(text[at + 1:end], i).value()))
            at = end + 1
    return "".join(out)


# --- words ------------------------------------------------------------------------------------------------------

def words(line):
    """Lists of (text, value or None, value is quoted)."""
    out, at = [], 0
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        if at >= len(line) or line[at] == "#":
            return out
        texts, quoted, value_quoted = [""], False, False
        while at < len(line) and (quoted or not line[at].isspace()):
            c = line[at]
            if c == "\\" and at + 1 < len(line):
                at += 1
                texts[-1] += line[at]
            elif c == '"':
                quoted = not quoted
            elif c == "=" and not quoted and len(texts) == 1:
                texts.append("")
                value_quoted = line[at + 1:at + 2] == '"'
            else:
                texts[-1] += c
            at += 1
        if quoted:
            raise PlayError("a quotation mark is missing")
        out.append((texts[0], texts[1] if len(texts) > 1 else None, value_quoted))


def microseconds(text):
    if not re.fullmatch(r"\d+(\.\d{0,3})?", text):
        raise PlayError(f"no time in microseconds, up to three decimals: {text!r}")
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


# --- scenarios --------------------------------------------------------------------------------------------------

class Reader:
    def __init__(self, path):
        self.s = Scenario(path)
        self.i, self.shift, self.last, self.order = None, 0, 0, []

    def time(self, text):
        if self.s.truth:
            return int(text)
        ns = microseconds(text)
        if ns < self.last:
            raise PlayError("the time goes back")
        self.last = ns
        return START_NS + ns + self.shift

    def fence(self, name):
        if name not in self.s.fences:
            raise PlayError(f"no fence {name}")
        return self.s.fences[name]

    def add_fence(self, name, driver, timeline, context=None, seqno=None):
        if name in self.s.fences:
            raise PlayError(f"a second fence {name}")
        others = list(self.s.fences.values())
        if context is None:
            same = [f for f in others if (f.driver, f.timeline) == (driver, timeline)]
            small = [f.ctx for f in others if f.ctx < 1000000]
            context = same[-1].ctx if same else max([999] + small) + 2
            seqno = same[-1].seqno + 1 if same else 1
        self.s.fences[name] = Fence(name, driver, timeline, number(str(context)), number(str(seqno)))

    def reference(self, text, now):
        match = re.fullmatch(r"@([^.+-]+)(?:\.(ctx|seqno))?(?:([+-])(\w+))?", text)
        if not match:
            raise PlayError(f"no such number: {text}")
        name, part, sign, more = match.groups()
        if part:
            value = getattr(self.fence(name), part)
        else:
            if name not in ("now", "start"):
                raise PlayError(f"no such number: {text}")
            value = now if name == "now" else START_NS
        more = number(more) if more else 0
        return value - more if sign == "-" else value + more

    def value(self, text, quoted, now):
        if quoted:
            return text
        parts = text.split(",")
        values = []
        for part in parts:
            if part.startswith("@"):
                values.append(self.reference(part, now))
            elif re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)", part):
                values.append(-number(part[1:]) if part.startswith("-") else number(part))
            else:
                return text
        return values[0] if len(values) == 1 else values

    def task(self, text):
        if text == "-":
            return None, 0, 0, False
        match = re.fullmatch(r"(.+?)/(\d+)(?:/(\d+))?", text)
        if not match:
            raise PlayError(f"no task: {text!r}")
        comm, pid, tid = match.group(1), int(match.group(2)), int(match.group(3) or match.group(2))
        kthread = len(comm) > 2 and comm[0] == "[" and comm[-1] == "]"
        return comm[1:-1] if kthread else comm, pid, tid, kthread

    def resolve(self, event):
        """fence=, dep=, client_id= of built-in events, context of functions: as their records say it."""
        fields = event.fields
        system = event.system
        if system in ("dma_fence", "gpu_scheduler") and "fence" in fields:
            fence = self.fence(str(fields["fence"]))
            fields.setdefault("ctx", fence.ctx)
            fields.setdefault("seqno", fence.seqno)
            if system == "dma_fence":
                fields.setdefault("ops", fence.ops)
        if system == "gpu_scheduler" and "dep" in fields:
            fence = self.fence(str(fields["dep"]))
            fields["dep_ctx"] = fence.ctx - (1 if fields.get("dep_scheduled") else 0)
            fields["dep_seqno"] = fence.seqno
        if system.startswith(("func:", "api:")):
            fields.setdefault("context", "task" if event.tid else "hardirq")

    def add_event(self, line, items):
        if len(items) < 4:
            raise PlayError("TIME TASK CPU EVENT [field=value ...]")
        t_ns = self.time(items[0][0])
        comm, pid, tid, kthread = self.task(items[1][0])
        name = items[3][0]
        fields, types = {}, {}
        for text, value, quoted in items[4:]:
            if value is None:
                raise PlayError(f"{text!r} is no field=value")
            if name.startswith(("func:", "api:")) and text != "context":
                text, _, kind = text.partition(":")
                types[text] = kind or ("s64" if text == "ret" else "u64")
            if text in fields:
                raise PlayError(f"a second value of {text}")
            fields[text] = self.value(value, quoted, t_ns)
        event = Event(t_ns, comm, pid, tid, int(items[2][0]), name, fields, kthread, line, types)
        self.resolve(event)
        self.s.events.append(event)

    def directive(self, line, items):
        name, rest = items[0][0], [i[0] for i in items[1:]]
        if self.i is not None and name not in ("!fence", "!lost"):
            raise PlayError(f"{name} in a repeat")
        if name == "!fence" and len(rest) in (3, 5):
            self.add_fence(*rest)
        elif name == "!lost" and len(rest) == 4:
            self.s.lost.append(Lost(self.time(rest[0]), int(rest[1]), int(rest[2]), rest[3]))
        elif name == "!expect" and len(rest) in (2, 3) and rest[0] == "finding":
            self.s.expect.append((rest[1], int(rest[2]) if len(rest) == 3 else None))
        elif name == "!device" and len(rest) in (2, 3):
            self.s.devices.append(tuple(rest))
        elif name == "!attach":
            self.s.attached += rest
        elif name == "!kernels" and rest:
            self.s.kernels = rest
        elif name == "!title":
            self.s.title = " ".join(rest)
        elif name == "!lab" and rest == ["no"]:
            self.s.lab = False
        elif name == "!silent" and not rest:
            self.s.silent = True
        elif name == "!truth" and not rest and not self.s.events:
            self.s.truth = True
        else:
            raise PlayError(f"no directive: {' '.join(i[0] for i in items)}")

    def take(self, line, text):
        if text.lstrip().startswith("#"):
            return
        items = words(text if self.s.truth else expand(text, self.i))
        if items and items[0][0].startswith("!"):
            self.directive(line, items)
        elif items:
            self.add_event(line, items)

    def repeat(self, lines, at):
        head = words(lines[at])
        if len(head) != 3:
            raise PlayError("!repeat COUNT STEP_US")
        count, step, last = number(head[1][0]), microseconds(head[2][0]), self.last
        end = at + 1
        while end < len(lines) and lines[end].split()[:1] != ["!end"]:
            end += 1
        if end == len(lines):
            raise PlayError("!repeat without !end")
        for self.i in range(count):
            self.shift, self.last = self.i * step, 0
            for k in range(at + 1, end):
                self.guard(k, self.take, k + 1, lines[k])
        self.i, self.shift, self.last = None, 0, last
        return end

    def guard(self, at, function, *arguments):
        try:
            return function(*arguments)
        except (PlayError, ValueError) as why:
            if isinstance(why, PlayError) and str(why).startswith(self.s.path):
                raise
            raise PlayError(f"{self.s.path}:{at + 1}: {why}") from why

    def read(self):
        with open(self.s.path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        at = 0
        while at < len(lines):
            if lines[at].split()[:1] == ["!repeat"] and not self.s.truth:
                at = self.guard(at, self.repeat, lines, at)
            else:
                self.guard(at, self.take, at + 1, lines[at])
            at += 1
        self.s.events.sort(key=lambda e: e.t_ns)  # stable
        return self.s


def load(path):
    """The scenario or truth log, its events in order of time. PlayError says what is wrong where."""
    return Reader(path).read()


# --- what xtr says ------------------------------------------------------------------------------------------------

def output(xtr, *arguments):
    """Its standard output. Exit status 3 says that events were lost, which a scenario may want."""
    result = subprocess.run([xtr, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode not in (0, 3):
        raise RuntimeError(f"xtr {' '.join(arguments)}: exit status {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def stats(xtr, trace):
    """The only section of xtr stats --json (docs/stats-json.md)."""
    sections = json.loads(output(xtr, "stats", "--json", "-q", trace))["sections"]
    if len(sections) != 1:
        raise RuntimeError(f"{trace}: {len(sections)} sections")
    return sections[0]


# --- changes, to spoil truth: each gives a new list, or None if there is nothing to change ------------------------

def matching(events, event, field=None):
    return [k for k, e in enumerate(events) if e.event == event and (field is None or field in e.fields)]


def without(events, event, nth=0):
    """One event less."""
    found = matching(events, event)
    return [e for k, e in enumerate(events) if k != found[nth]] if len(found) > nth else None


def doubled(events, event, nth=0):
    """One event twice."""
    found = matching(events, event)
    return events[:found[nth]] + [copy.deepcopy(events[found[nth]])] + events[found[nth]:] if len(found) > nth else None


def altered(events, event, field, change, nth=0):
    """One field another value: change(old)."""
    found = matching(events, event, field)
    if len(found) <= nth:
        return None
    out = copy.deepcopy(events)
    out[found[nth]].fields[field] = change(out[found[nth]].fields[field])
    return out


def shifted(events, event, ns, nth=0):
    """One event later."""
    found = matching(events, event)
    if len(found) <= nth:
        return None
    out = copy.deepcopy(events)
    out[found[nth]].t_ns += ns
    return sorted(out, key=lambda e: e.t_ns)
