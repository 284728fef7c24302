# SPDX-License-Identifier: BSD-2-Clause
"""Writes trace.dat files, byte by byte as trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) describe them: versions 6 and 7,
both byte orders, kernels of 4 and 8 bytes per long, compressed sections. Shares nothing with the importer."""

import random
import struct
import zlib

MAGIC = b"\x17\x08\x44tracing"
MISSED, STORED = 1 << 31, 1 << 30


class Shape:
    """What a file looks like; the events in it are the same."""

    def __init__(self, version=6, big=False, long_size=8, codec="none", page=4096, ancient=False):
        self.version, self.big, self.long_size, self.codec, self.page = version, big, long_size, codec, page
        self.ancient = ancient  # event headers as before Linux 2.6.31

    def __str__(self):
        return (f"v{self.version} {'big' if self.big else 'little'} {8 * self.long_size}-bit {self.codec} pages of {self.page}"
                + (" ancient" if self.ancient else ""))

    def u(self, size, value):
        return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "big" if self.big else "little")


class Field:
    def __init__(self, declaration, size, signed=0):
        self.declaration, self.size, self.signed = declaration, size, signed
        name = declaration.split("[")[0] if declaration.endswith("]") else declaration
        self.name = name.split()[-1].lstrip("*")
        self.is_loc = declaration.startswith("__data_loc")
        self.is_rel = declaration.startswith("__rel_loc")
        self.is_text = declaration.startswith("char ") and declaration.endswith("]")
        self.is_bytes = declaration.endswith("]") and not self.is_text and not self.is_loc and not self.is_rel


class Event:
    """A tracepoint: its number, its fields, and records of it."""

    def __init__(self, number, system, name, fields, print_fmt='""', tail=None):
        self.number, self.system, self.name, self.print_fmt, self.tail = number, system, name, print_fmt, tail
        self.fields = fields

    def layout(self, shape):
        """(field, offset, size) as a compiler lays them out, and the end. Pointers are as wide as a long."""
        at, placed = 8, []
        for f in self.fields:
            size = shape.long_size if f.size == "ptr" else f.size
            align = 1 if f.is_text or f.is_bytes else 4 if f.is_loc or f.is_rel else min(size, 8) or 1
            at = -(-at // align) * align
            placed.append((f, at, size))
            at += size
        return placed, at

    def format(self, shape):
        lines = [f"name: {self.name}", f"ID: {self.number}", "format:",
                 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
                 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;",
                 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;",
                 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;", ""]
        placed, end = self.layout(shape)
        for f, at, size in placed:
            lines.append(f"\tfield:{f.declaration};\toffset:{at};\tsize:{size};\tsigned:{f.signed};")
        if self.tail:
            # Without brackets before Linux 4.19.
            declaration = self.tail.replace("[]", "") if shape.ancient else self.tail
            lines.append(f"\tfield:{declaration};\toffset:{end};\tsize:0;\tsigned:0;")
        return ("\n".join(lines) + f"\n\nprint fmt: {self.print_fmt}\n").encode()

    def record(self, shape, tid, values):
        placed, end = self.layout(shape)
        fixed = bytearray(end)
        fixed[0:2], fixed[4:8] = shape.u(2, self.number), shape.u(4, tid)
        dynamic = b""
        for f, at, size in placed:
            value = values.get(f.name, 0)
            if f.is_loc or f.is_rel:
                text = value.encode() + b"\0" if isinstance(value, str) else value
                where = end + len(dynamic) - (at + 4 if f.is_rel else 0)
                fixed[at:at + 4] = shape.u(4, len(text) << 16 | where)
                dynamic += text
            elif f.is_text:
                fixed[at:at + size] = value.encode()[:size].ljust(size, b"\0")
            elif f.is_bytes:
                fixed[at:at + size] = value or bytes(size)
            else:
                fixed[at:at + size] = shape.u(size, value)
        if self.tail:
            buf = values["buf"]
            dynamic += buf.encode() + b"\0" if isinstance(buf, str) else buf
        return bytes(fixed) + dynamic


PTR = "ptr"
U64, U32, S32, LOC = 8, 4, 4, 4
NAME = Field("__data_loc char[] name", LOC)
JOB = [Field("u32 job_count", U32), Field("int hw_job_count", S32, 1)]
KEY = [Field("u64 fence_context", U64), Field("u64 fence_seqno", U64)]
NEW_JOB = [NAME, *JOB, Field("__data_loc char[] dev", LOC), *KEY, Field("u64 client_id", U64)]
NEW_DEP = [*KEY, Field("u64 ctx", U64), Field("u64 seqno", U64)]
OLD_JOB = [Field("struct drm_sched_entity * entity", PTR), Field("struct dma_fence * fence", PTR), NAME,
           Field("uint64_t id", U64), *JOB]
FENCE = [Field("__data_loc char[] driver", LOC), Field("__data_loc char[] timeline", LOC),
         Field("unsigned int context", 4), Field("unsigned int seqno", 4)]

EVENTS = {e.name: e for e in [
    Event(1631, "gpu_scheduler", "drm_sched_job_run", NEW_JOB),
    Event(1632, "gpu_scheduler", "drm_sched_job_queue", NEW_JOB),
    Event(1630, "gpu_scheduler", "drm_sched_job_done", KEY),
    Event(1629, "gpu_scheduler", "drm_sched_job_add_dep", NEW_DEP),
    Event(1628, "gpu_scheduler", "drm_sched_job_unschedulable", NEW_DEP),
    Event(1365, "gpu_scheduler", "drm_sched_job", OLD_JOB),
    Event(1364, "gpu_scheduler", "drm_run_job", OLD_JOB),
    Event(1363, "gpu_scheduler", "drm_sched_process_job", [Field("struct dma_fence * fence", PTR)]),
    Event(1362, "gpu_scheduler", "drm_sched_job_wait_dep",
          [NAME, Field("uint64_t id", U64), Field("struct dma_fence * fence", PTR), Field("uint64_t ctx", U64),
           Field("unsigned seqno", 4)]),
    Event(1351, "dma_fence", "dma_fence_signaled", FENCE),
    Event(1352, "dma_fence", "dma_fence_init", FENCE),
    Event(372, "sched", "sched_switch",
          [Field("char prev_comm[16]", 16), Field("pid_t prev_pid", 4, 1), Field("int prev_prio", 4, 1),
           Field("long prev_state", PTR, 1), Field("char next_comm[16]", 16), Field("pid_t next_pid", 4, 1),
           Field("int next_prio", 4, 1)],
          '"%s %d ==> %s", REC->prev_comm, REC->prev_prio, REC->next_comm'),
    Event(141, "task", "task_newtask",
          [Field("pid_t pid", 4, 1), Field("char comm[16]", 16), Field("unsigned long clone_flags", PTR),
           Field("short oom_score_adj", 2, 1)]),
    Event(155, "irq", "softirq_entry", [Field("unsigned int vec", 4)],
          '"vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, { 3, "NET_RX" })'),
    Event(900, "demo", "everything",
          [Field("u8 a", 1), Field("s8 b", 1, 1), Field("u16 c", 2), Field("s16 d", 2, 1), Field("u32 e", 4),
           Field("s32 f", 4, 1), Field("u64 g", 8), Field("s64 h", 8, 1), Field("void * p", PTR),
           Field("const char * s", PTR), Field("__data_loc char[] t", LOC), Field("__rel_loc char[] r", LOC),
           Field("__data_loc u8[] raw", LOC), Field("u8 mac[6]", 6)],
          '"%x %s", REC->e, REC->s'),
    Event(5, "ftrace", "print", [Field("unsigned long ip", PTR)], '"%ps: %s", (void *)REC->ip, REC->buf', tail="char buf[]"),
    Event(6, "ftrace", "bprint", [Field("unsigned long ip", PTR), Field("const char * fmt", PTR)],
          '"%ps: %s", (void *)REC->ip, REC->fmt', tail="u32 buf[]"),
    Event(14, "ftrace", "bputs", [Field("unsigned long ip", PTR), Field("const char * str", PTR)],
          '"%ps: %s", (void *)REC->ip, REC->str'),
]}


def binary(shape, *values):
    """What vbin_printf() stores: (bytes, number), or a text. 8 bytes stand at multiples of 4, the rest at their size."""
    out = b""
    for value in values:
        if isinstance(value, str):
            out += value.encode() + b"\0"
            continue
        size, number = value
        size = shape.long_size if size == "ptr" else size
        out += bytes(-len(out) % min(size, 4)) + shape.u(size, number)
    return out + bytes(-len(out) % 4)


class Lost:
    """In place of an event: so many were lost here (None: nobody knows how many)."""

    def __init__(self, count):
        self.count = count


def header_page(shape):
    data = 8 + shape.long_size
    return (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
            f"\tfield: local_t commit;\toffset:8;\tsize:{shape.long_size};\tsigned:1;\n"
            f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
            f"\tfield: char data;\toffset:{data};\tsize:{shape.page - data};\tsigned:1;\n").encode()


HEADER_EVENT = (b"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
                b"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
                b"\tdata max type_len  == 28\n")


ANCIENT_HEADER = (b"# compressed entry header\n\ttype        :    2 bits\n\tlen         :    3 bits\n\ttime_delta  :   27 bits\n"
                  b"\tarray       :   32 bits\n\n\tpadding     : type == 0\n\ttime_extend : type == 1\n\tdata        : type == 3\n")


def ancient_event(shape, delta, record):
    def first(kind, words, delta):
        return shape.u(4, kind << 30 | words << 27 | delta if shape.big else delta << 5 | words << 2 | kind)

    out = b""
    if delta >= 1 << 27:
        out += first(1, 1, delta & ((1 << 27) - 1)) + shape.u(4, delta >> 27)
        delta = 0
    record += bytes(-len(record) % 4)
    if len(record) <= 28:
        return out + first(3, len(record) // 4, delta) + record
    return out + first(3, 0, delta) + shape.u(4, len(record) + 4) + record


def head(shape, kind, delta):
    return shape.u(4, kind << 27 | delta if shape.big else delta << 5 | kind)


def ring_event(shape, delta, record, rng):
    """An event of the ring buffer: what the kernel may write for it."""
    if shape.ancient:
        return ancient_event(shape, delta, record)
    out = b""
    if delta >= 1 << 27:
        out += head(shape, 30, delta & ((1 << 27) - 1)) + shape.u(4, delta >> 27)
        delta = 0
    record += bytes(-len(record) % 4)
    if len(record) <= 28 * 4 and rng.random() < 0.8:
        return out + head(shape, len(record) // 4, delta) + record
    return out + head(shape, 0, delta) + shape.u(4, len(record) + 4) + record


def extras(shape, ts, rng):
    """What stands between events: one that was taken back, an absolute time stamp."""
    out, spent = b"", 0
    if shape.ancient:
        return out, spent
    if rng.random() < 0.05:
        out += head(shape, 29, 1) + shape.u(4, 12) + bytes(8)
        spent = 1
    if rng.random() < 0.05:
        stamp = (ts + spent) & ((1 << 59) - 1)
        out += head(shape, 31, stamp & ((1 << 27) - 1)) + shape.u(4, stamp >> 27)
    return out, spent


def pages(shape, events, rng, fill=None):
    """The pages of one CPU's ring buffer. events: (ts, record) or Lost, in order of time."""
    room, out = (fill or shape.page) - 8 - shape.long_size, []
    body, start, last, lost, flags, done = b"", 0, 0, None, 0, []

    def close():
        nonlocal body
        if not body and not flags:
            return
        data, commit = body, len(body) | flags
        if flags & STORED:
            data += shape.u(shape.long_size, lost.count)
        elif len(data) + 8 <= shape.page - 8 - shape.long_size:
            data += bytes(4) if shape.ancient else head(shape, 29, 0)  # the rest of the page
        page = shape.u(8, start) + shape.u(shape.long_size, commit) + data
        out.append(page.ljust(shape.page, b"\0"))
        body = b""

    for item in events:
        if isinstance(item, Lost):
            close()
            lost, flags, start = item, MISSED | (STORED if item.count is not None else 0), 0
            done.append(item)
            continue
        ts, record = item
        if not body and not start:
            start = last = ts - rng.randrange(100)
        between, spent = extras(shape, last, rng) if ts > last else (b"", 0)
        event = between + ring_event(shape, ts - last - spent, record, rng)
        if len(body) + len(event) > room - (8 if flags & STORED else 0):
            close()
            flags, start, last = 0, ts, ts
            event = ring_event(shape, 0, record, rng)
        body += event
        last = ts
    close()
    return b"".join(out)


def zstd_raw(data):
    """A zstd frame of blocks that are stored as they are (RFC 8878)."""
    out = b"\x28\xb5\x2f\xfd" + bytes([0xa0]) + struct.pack("<I", len(data))
    chunks = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    for i, chunk in enumerate(chunks):
        out += struct.pack("<I", len(chunk) << 3 | (i == len(chunks) - 1))[:3] + chunk
    return out


COMPRESS = {"none": bytes, "zlib": zlib.compress, "zstd": zstd_raw}


class File:
    """events: {cpu: [(ts, record) or Lost, ...]}"""

    def __init__(self, shape, cpus, clock="mono", used=None, seed=1, extra_options=(), comms=(), printk=(), stats=(),
                 instances=(), fill=None):
        self.shape, self.cpus, self.clock, self.rng = shape, cpus, clock, random.Random(seed)
        self.used = used if used is not None else list(EVENTS.values())
        self.extra_options, self.comms, self.printk, self.stats = extra_options, comms, printk, stats
        self.instances, self.fill = instances, fill

    # --- parts that both versions have ---

    def header_info(self):
        u, page = self.shape.u, header_page(self.shape)
        event = ANCIENT_HEADER if self.shape.ancient else HEADER_EVENT
        return b"header_page\0" + u(8, len(page)) + page + b"header_event\0" + u(8, len(event)) + event

    def formats(self, events):
        out = self.shape.u(4, len(events))
        for e in events:
            text = e.format(self.shape)
            out += self.shape.u(8, len(text)) + text
        return out

    def ftrace_formats(self):
        return self.formats([e for e in self.used if e.system == "ftrace"])

    def event_formats(self):
        systems = sorted({e.system for e in self.used} - {"ftrace"})
        out = self.shape.u(4, len(systems))
        for s in systems:
            out += s.encode() + b"\0" + self.formats([e for e in self.used if e.system == s])
        return out

    def printk_text(self):
        text = "".join(f'0x{addr:x} : "{text}"\n' for addr, text in self.printk).encode()
        return self.shape.u(4, len(text)) + text

    def cmdlines(self):
        text = "".join(f"{tid} {comm}\n" for tid, comm in self.comms).encode()
        return self.shape.u(8, len(text)) + text

    def options(self):
        names = ["mono", "local", "global", "boot", "counter"]
        clocks = " ".join(f"[{c}]" if c == self.clock else c for c in names) + "\n"
        out = [(4, clocks.encode() + b"\0"), (5, b"Linux testhost 6.6.6-test x86_64\0"), (9, b"9.9 test\0"),
               (77, b"an option of the future"), (8, self.shape.u(4, len(self.cpus)))]
        for cpu, text in self.stats:
            out.append((2, f"CPU: {cpu}\n{text}".encode() + b"\0"))
        return out + list(self.extra_options)

    def data(self, cpus):
        return [pages(self.shape, cpus[cpu], self.rng, self.fill) for cpu in sorted(cpus)]

    # --- version 6 ---

    def option(self, number, body):
        return self.shape.u(2, number) + self.shape.u(4, len(body)) + body

    def v6(self):
        s, u = self.shape, self.shape.u
        out = MAGIC + b"6\0" + bytes([s.big, s.long_size]) + u(4, s.page) + self.header_info()
        out += self.ftrace_formats() + self.event_formats()
        out += u(4, 12) + b"0 t _stext\n\0" + self.printk_text() + self.cmdlines() + u(4, len(self.cpus)) + b"options  \0"
        rest = [self.option(*o) for o in self.options()]
        size = len(out) + sum(map(len, rest)) + sum(6 + 8 + len(n) + 1 for n, _ in self.instances) + 2
        table = 10 + 16 * len(self.cpus)
        # The tables of instances stand behind the top buffer's, then all data on pages.
        at = [size + table * i for i in range(1 + len(self.instances))]
        rest += [self.option(3, u(8, at[i + 1]) + name.encode() + b"\0") for i, (name, _) in enumerate(self.instances)]
        out += b"".join(rest) + u(2, 0)
        data_at = -(-(size + table * len(at)) // s.page) * s.page
        tables, blob = b"", b""
        for cpus in [self.cpus] + [c for _, c in self.instances]:
            tables += b"flyrecord\0"
            for data in self.data(cpus):
                tables += u(8, data_at + len(blob)) + u(8, len(data))
                blob += data
        out += tables
        return out.ljust(data_at, b"\0") + blob

    # --- version 7 ---

    def section(self, number, body, compress):
        u = self.shape.u
        if compress and self.shape.codec != "none":
            packed = COMPRESS[self.shape.codec](body)
            body = u(4, len(packed)) + u(4, len(body)) + packed
            return u(2, number) + u(2, 1) + u(4, 0) + u(8, len(body)) + body
        return u(2, number) + u(2, 0) + u(4, 0) + u(8, len(body)) + body

    def packed_data(self, data):
        if self.shape.codec == "none":
            return data
        step = 10 * self.shape.page
        pieces = [data[i:i + step] for i in range(0, len(data), step)]
        out = self.shape.u(4, len(pieces))
        for p in pieces:
            packed = COMPRESS[self.shape.codec](p)
            out += self.shape.u(4, len(packed)) + self.shape.u(4, len(p)) + packed
        return out

    def v7(self):
        s, u = self.shape, self.shape.u
        out = bytearray(MAGIC + b"7\0" + bytes([s.big, s.long_size]) + u(4, s.page) + s.codec.encode() + b"\0" + b"1.0\0")
        first = len(out)
        out += bytes(8)
        options = []
        for number, body in [(16, self.header_info()), (17, self.ftrace_formats()), (18, self.event_formats()),
                             (20, self.printk_text()), (21, self.cmdlines())]:
            options.append((number, u(8, len(out))))
            out += self.section(number, body, True)
        for name, cpus in [("", self.cpus), *self.instances]:
            at, body = len(out), b""
            option = u(8, at) + name.encode() + b"\0" + self.clock.encode() + b"\0" + u(4, s.page) + u(4, len(cpus))
            data_at = -(-(at + 16) // s.page) * s.page
            for cpu, data in zip(sorted(cpus), self.data(cpus)):
                packed = self.packed_data(data)
                # trace-cmd 3.1 does not count the number of pieces.
                option += u(4, cpu) + u(8, data_at + len(body)) + u(8, len(packed) - (4 if s.codec != "none" else 0))
                body += packed
            out += u(2, 3) + u(2, s.codec != "none") + u(4, 0) + u(8, data_at - at - 16 + len(body))
            out = out.ljust(data_at, b"\0") + body
            options.append((3, option))
        # Two sections of options: the first leads to the second.
        second = b"".join(self.option(*o) for o in options) + self.option(0, u(8, 0))
        second_at = len(out)
        out += self.section(0, second, True)
        out[first:first + 8] = u(8, len(out))
        out += self.section(0, b"".join(self.option(*o) for o in self.options()) + self.option(0, u(8, second_at)), True)
        return bytes(out)

    def bytes(self):
        return self.v6() if self.shape.version == 6 else self.v7()
