#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the source of a stand-in driver from tracefs format files: its trace points, and the tables by which
the player (player.h) fires them.

usage: gen.py FORMATS SYSTEM OUTDIR       e.g. gen.py tests/data/tracefs/7.2 xe /tmp/build

Writes OUTDIR/si_SYSTEM.c and OUTDIR/si_SYSTEM_trace.h. What the format file says of a field (type, size, sign,
place) follows from the C type in it; format_check.py compares the result with the file. A text is made as a dynamic
array of characters, which a kernel of any age describes in the same way.
"""

import os
import re
import sys

FIELD = re.compile(r"^\tfield:(.*?)\s*(\w+)(\[\d+\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);$")
# Headers of functions that print formats call.
HEADERS = ["drm/drm_rect.h", "linux/string_helpers.h"]
# Enumerators that print formats name; else an enumeration needs only to be signed or not.
ENUMERATORS = {"pipe": "INVALID_PIPE = -1, PIPE_A, PIPE_B, PIPE_C, PIPE_D"}


class Field:
    """kind: int, array (of `count`), text, or dyn (an array of `size`-byte elements in the record's tail)."""

    def __init__(self, match):
        self.type, self.name, array, _, size, signed = match.groups()
        self.size, self.signed, self.count = int(size), signed == "1", 1
        self.kind = "int"
        if self.type.startswith("__data_loc "):
            self.type = self.type[len("__data_loc "):].removesuffix("[]").strip()
            self.kind = "text" if self.type == "char" else "dyn"
            self.size = {"char": 1, "u64": 8}[self.type]
        elif array:
            self.kind, self.count = "array", int(array[1:-1])
            self.size //= self.count

    def declare(self, i):
        return {
            "int": f"__field({self.type}, {self.name})",
            "array": f"__array({self.type}, {self.name}, {self.count})",
            "text": f"__dynamic_array(char, {self.name}, v[{i}].len + 1)",
            "dyn": f"__dynamic_array({self.type}, {self.name}, v[{i}].len)",
        }[self.kind]

    def assign(self, i):
        return {
            "int": f"__entry->{self.name} = (__typeof__(__entry->{self.name}))(unsigned long)v[{i}].n;",
            "array": f"XP_COPY(__entry->{self.name}, {self.count}, v[{i}].a);",
            "text": f"memcpy(__get_dynamic_array({self.name}), v[{i}].text, v[{i}].len + 1);",
            "dyn": f"XP_COPY((({self.type} *)__get_dynamic_array({self.name})), v[{i}].len, v[{i}].a);",
        }[self.kind]

    def row(self):
        return f'{{ "{self.name}", XP_{self.kind.upper()}, {self.size}, {self.count} }}'


def read_format(path):
    """Fields and print format of one file."""
    with open(path, encoding="utf-8") as f:
        head, _, text = f.read().partition("\nprint fmt: ")
    fields = []
    for line in head.splitlines():
        match = FIELD.match(line)
        if line.startswith("\tfield:") and not match:
            sys.exit(f"{path}: '{line}': no such kind of field")
        if match and not match[2].startswith("common_"):
            fields.append(Field(match))
    return fields, text.rstrip("\n")


def printk(text):
    """TP_printk's arguments: the file's text is the C string after its escapes were read."""
    end = text.index('"', 1)
    fmt = text[1:end].replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    arguments = text[end + 1:].lstrip(",").strip().replace("REC->", "__entry->")
    return f'"{fmt}"' + (f", {arguments}" if arguments else "")


def trace_event(name, fields, text):
    lines = [f"TRACE_EVENT({name},", "\tTP_PROTO(const struct xp_value *v),", "\tTP_ARGS(v),", "\tTP_STRUCT__entry("]
    lines += ["\t\t" + f.declare(i) for i, f in enumerate(fields)]
    lines += ["\t),", "\tTP_fast_assign("]
    lines += ["\t\t" + f.assign(i) for i, f in enumerate(fields)]
    lines += ["\t),", f"\tTP_printk({printk(text)})", ");", ""]
    return lines


def declarations(events):
    """The types that fields have and that no header of the kernel declares: opaque structures, enumerations."""
    found = {}
    for fields, _ in events.values():
        for f in fields:
            match = re.match(r"(struct|enum) (\w+)", f.type)
            if match and match[1] == "struct":
                found[match[0]] = f"{match[0]};"
            elif match:
                names = ENUMERATORS.get(match[2], f"{match[2].upper()}_LEAST = {-1 if f.signed else 0}")
                found[match[0]] = f"{match[0]} {{ {names} }};"
    return sorted(found.values())


def header(system, events):
    lines = ["/* SPDX-License-Identifier: GPL-2.0-only */", "/* Made by gen.py. */", "#undef TRACE_SYSTEM",
             f"#define TRACE_SYSTEM {system}", "",
             f"#if !defined(SI_{system.upper()}_H) || defined(TRACE_HEADER_MULTI_READ)",
             f"#define SI_{system.upper()}_H", "", "#include <linux/tracepoint.h>",
             *(f"#include <{h}>" for h in HEADERS), "", '#include "player.h"', "",
             "#ifndef TRACE_HEADER_MULTI_READ", *declarations(events), "#endif", ""]
    for name, (fields, text) in events.items():
        lines += trace_event(name, fields, text)
    return lines + ["#endif", "", "#undef TRACE_INCLUDE_PATH", "#undef TRACE_INCLUDE_FILE",
                    "#define TRACE_INCLUDE_PATH .", f"#define TRACE_INCLUDE_FILE si_{system}_trace",
                    "#include <trace/define_trace.h>", ""]


def source(system, events):
    lines = ["// SPDX-License-Identifier: GPL-2.0-only", "/* Made by gen.py. */", "#include <linux/module.h>", "",
             "#define CREATE_TRACE_POINTS", f'#include "si_{system}_trace.h"', ""]
    for name, (fields, _) in events.items():
        lines += [f"static const struct xp_field {name}_fields[] = {{", *(f"\t{f.row()}," for f in fields), "};",
                  f"static void {name}_fire(const struct xp_value *v)", "{", f"\ttrace_{name}(v);", "}", ""]
    lines += ["static const struct xp_event events[] = {"]
    lines += [f'\t{{ "{name}", {name}_fields, ARRAY_SIZE({name}_fields), {name}_fire }},' for name in events]
    lines += ["};", "", f'XP_MODULE("{system}", events);', ""]
    return lines


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: gen.py FORMATS SYSTEM OUTDIR")
    formats, system, out = sys.argv[1:]
    folder = os.path.join(formats, system)
    events = {name: read_format(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
    for name, lines in ((f"si_{system}_trace.h", header(system, events)), (f"si_{system}.c", source(system, events))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines))


if __name__ == "__main__":
    main()
