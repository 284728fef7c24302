# SPDX-License-Identifier: BSD-2-Clause
"""What can be given to any command: other tools' traces, compressed or in pages and archives; what cannot be read is named."""

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import random
import shutil
import struct
import subprocess
import zipfile
import zlib

import load
import printed
from harness import Skip, equal, expect, info, jobs, put, test, xtr

SCRIPT = b'  <script class="trace-data" type="application/text">\n'


def text(n=60):
    return printed.ftrace(load.told(load.make(n), False)).encode()


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members.items():
            z.writestr("folder/" + name.replace("_", "."), data)
    return out.getvalue()


def zstd(data):
    if not shutil.which("zstd"):
        raise Skip("no zstd(1)")
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def page(*blocks):
    viewer = b"<script>\nvar s = '" + SCRIPT.strip() + b"';\n</script>\n"
    return (b"<!DOCTYPE html>\n<html>\n<head>\n" + viewer + b"</head>\n<!-- BEGIN TRACE -->\n" +
            b"".join(SCRIPT + b + b"  </script>\n" for b in blocks) + b"<!-- END TRACE -->\n</html>\n")


def old_page(data):
    """Of systrace before 2014: a string of JavaScript, and a line of its own at the end."""
    lines = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n\\\n")
    return (b'<!DOCTYPE HTML>\n<html>\n<body>\n  <script>\n  var linuxPerfData = "\\\n' + lines +
            b'           dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0\\n";\n  </script>\n</body>\n</html>\n')


def escaped(data):
    return data.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;").replace(b'"', b"&quot;")


def wrapped(data):
    half = data.index(b"\n", len(data) // 2) + 1
    return {
        "t.gz": gzip.compress(data), "members.gz": gzip.compress(data[:half]) + gzip.compress(data[half:]), "t.xz": lzma.compress(data),
        "t.bz2": bz2.compress(data), "t.zst": zstd(data), "t.zip": zipped(t_txt=data), "beside.zip": zipped(readme_md=b"hello", t_txt=data),
        "gz.zip": zipped(t_gz=gzip.compress(data), notes_md=b"hello"), "t.html": page(b"USER  PID\nroot  1\n", data), "old.html": old_page(data),
        "escaped.html": page(escaped(data)), "page.gz": gzip.compress(page(data)), "atrace": b"capturing trace... done\nTRACE:\n" + zlib.compress(data),
    }


def clean(folder):
    """A TMPDIR of its own: nothing may be left in it."""
    path = os.path.join(folder, "tmp")
    os.makedirs(path, exist_ok=True)
    return {"TMPDIR": path}


def empty(env, what):
    equal(os.listdir(env["TMPDIR"]), [], f"{what}: nothing is left in TMPDIR")


def refused(folder, data, what, hint="", name="in.dat", commands=("stats", "import")):
    """One line of what it is, one of what helps, no output, status 1, by any command."""
    path, env = put(folder, name, data), clean(folder)
    for command in commands:
        outcome = xtr(command, *(["-o", os.path.join(folder, "out.xtr")] if command == "import" else []), path, env=env)
        lines = outcome.err.splitlines()
        expect(outcome.status == 1 and not outcome.out and 1 <= len(lines) <= 2, f"{command}: refused", outcome)
        expect(what in lines[0] and path in lines[0] and hint in outcome.err, f"{command}: {what!r}, {hint!r}", outcome)
        expect(not os.path.exists(os.path.join(folder, "out.xtr")), "nothing is written", outcome)
    empty(env, what)


# --- every form, every command -----------------------------------------------------------------------

@test
def a_trace_is_the_same_in_whatever_it_is_wrapped(folder):
    data = text().replace(b"dev=0000", b"dev=<&\"0000", 1)
    plain, env = put(folder, "t.txt", data), clean(folder)
    want, made = jobs(plain), os.path.join(folder, "made.xtr")
    equal(len(want), 60, "jobs of the text")
    for name, content in wrapped(data).items():
        path = put(folder, name, content)
        equal(jobs(path), want, f"{name}: jobs")
        outcome = xtr("import", "--force", "-o", made, path, env=env)
        expect(outcome.status == 0 and jobs(made) == want, f"{name}: imported", outcome)
        piped = xtr("jobs", "--jsonl", "-", data=content, env=env)
        expect(piped.status == 0 and [json.loads(line) for line in piped.out.splitlines()] == want, f"{name}: through a pipe", piped)
        equal(xtr("stats", path, env=env).out.replace(path, "-"), xtr("stats", plain).out.replace(plain, "-"), f"{name}: stats")
        empty(env, name)


@test
def every_command_that_takes_a_trace_takes_them(folder):
    path, env = put(folder, "t.txt.gz", gzip.compress(text())), clean(folder)
    own = os.path.join(folder, "own.xtr")
    expect(xtr("import", "-o", own, path).status == 0, "import")
    out = os.path.join(folder, "out")
    commands = [["info"], ["info", "--json"], ["stats", "--json"], ["jobs"], ["dump"], ["check", "--json"], ["top", "--batch"], ["cat"],
                *([c, "--force", "-o", out] for c in ("cut", "pack", "redact", "recover", "report")),
                *(["export", "-f", f, "--force", "-o", out] for f in ("perfetto", "chrome", "csv", "jsonl"))]
    for command in commands:
        shutil.rmtree(out, ignore_errors=True)
        outcome = xtr(*command, path, env=env)
        expect(outcome.status == 0 and "xtr: '" not in outcome.err, " ".join(command), outcome)
        expect(outcome.out or os.path.exists(out), f"{command}: something comes out", outcome)
    for command in (["stats"], ["jobs"], ["dump"], ["top", "--batch"]):
        equal(xtr(*command, path).out.replace(path, "-"), xtr(*command, own).out.replace(own, "-"), f"{command}: as of the imported one")
    outcome = xtr("diff", path, own, env=env)
    expect(outcome.status == 0 and "A: 60 jobs" in outcome.out and "B: 60 jobs" in outcome.out, "diff", outcome)
    outcome = xtr("query", "--csv", path, "SELECT count(*) FROM jobs", env=env)
    expect("built without" in outcome.err or outcome.out.split() == ["count(*)", "60"], "query", outcome)
    outcome = xtr("bundle", "--force", "-o", out, path, env=env)
    expect("built without" in outcome.err or (outcome.status == 0 and len(jobs(out)) == 60), "bundle", outcome)
    empty(env, "all commands")


@test
def an_own_recording_may_be_compressed_but_is_not_imported(folder):
    own = os.path.join(folder, "own.xtr")
    expect(xtr("import", "-o", own, put(folder, "t.txt", text())).status == 0, "import")
    with open(own, "rb") as f:
        data = f.read()
    equal(jobs(put(folder, "own.xtr.gz", gzip.compress(data))), jobs(own), "opened")
    for name, content in (("own2.xtr", data), ("own.xtr.gz", gzip.compress(data))):
        refused(folder, content, "is an .xtr recording already", "xtr stats", name=name, commands=["import"])


# --- archives ----------------------------------------------------------------------------------------

@test
def of_several_traces_in_a_zip_none_is_taken(folder):
    data = text(5)
    refused(folder, zipped(a_txt=data, b_txt=data, c_md=b"hello"), "holds several traces: folder/a.txt, folder/b.txt", "unzip")
    refused(folder, zipped(a_md=b"x", b_md=b"y"), "none of its files is a trace that xtr reads: folder/a.md, folder/b.md", "unzip")
    refused(folder, zipped(), "none of its files is a trace")
    refused(folder, zipped(a_etl=etl(), ), "an ETW trace of Windows", "tracerpt")
    refused(folder, zipped(**{f"x{i}": b"" for i in range(1100)}), "more than 1,024 files", "unzip")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("\x1b[2Jone\n", b"x")
        z.writestr("two", b"y")
    refused(folder, out.getvalue(), "none of its files is a trace")
    expect("\x1b" not in xtr("stats", os.path.join(folder, "in.dat")).err, "control characters come out")


@test
def more_layers_than_anybody_makes_are_refused(folder):
    data = text(5)
    for _ in range(4):
        data = gzip.compress(data)
    equal(len(jobs(put(folder, "four.gz", data))), 5, "four")
    refused(folder, gzip.compress(data), "compressed more than 4 times")
    # Much that unpacks to more and gives nothing: each layer counts, not only what comes out of the last one.
    refused(folder, gzip.compress(gzip.compress(gzip.compress(b"") * (20 << 20)), 9), "256 times its size", commands=["stats"])


@test
def a_bomb_fills_no_disk(folder):
    def bomb(size):
        pack, block, out = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20), []
        for _ in range(size >> 20):
            out.append(pack.compress(block))
        return b"".join(out) + pack.flush()

    small = bomb(400 << 20)
    what = "256 times its size, when it is unpacked"
    refused(folder, small, what, "unpack it by hand", commands=["stats"])
    refused(folder, zipped(t_gz=small), what, "unpack it by hand", commands=["import"])
    refused(folder, b"TRACE:\n" + zlib.compress(bytes(400 << 20)), what, commands=["stats"])
    idle = b" a-7 [001] 5.000000: ev: x=1\n"
    path = put(folder, "idle.gz", gzip.compress(idle * 200000))
    expect(xtr("stats", path).status == 0, "5.8 MB out of 20 KB are fine", xtr("stats", path))


# --- pages -------------------------------------------------------------------------------------------

@test
def a_page_gives_the_traces_in_it(folder):
    data = text(20)
    lines = data.splitlines(keepends=True)
    parts = b"".join(lines[:40]), b"".join(lines[40:])
    path = put(folder, "two.html", page(parts[0], b'{"traceEvents": []}\n', parts[1]))
    equal(len(jobs(path)), 20, "two scripts are one trace, and others are left out")
    path = put(folder, "end.html", page(data).replace(b"\n  </script>\n<!-- END", b"</script>\n<!-- END"))
    equal(len(jobs(path)), 20, "the end of a script in its last line")
    path = put(folder, "cut.html", page(data)[:-len(lines[-1]) - 60])
    outcome = xtr("stats", path)
    expect(outcome.status == 3 and "ends in the middle" in outcome.err, "a page that is cut off", outcome)
    refused(folder, b"<!doctype html><html><body>hello</body></html>\n", "a page of HTML, without a trace in it", "trace-data")
    refused(folder, page(b"hello\n"), "a page of HTML, without a trace in it")
    big = page(b"x" * 200000 + b"\n" + b"y\n" * 50000, text(300))
    equal(len(jobs(put(folder, "big.html", big))), 300, "a large page with a script that is no trace")


# --- damage ------------------------------------------------------------------------------------------

@test
def what_is_cut_off_is_read_as_far_as_it_goes(folder):
    env = clean(folder)
    r = random.Random(1)
    noise = b"".join(b" a-7 [001] %d.%06d: ev: x=%d\n" % (5 + i // 1000000, i % 1000000, r.getrandbits(60)) for i in range(20000))
    for name, whole in {"t.gz": gzip.compress(noise), "t.xz": lzma.compress(noise), "atrace": b"TRACE:\n" + zlib.compress(noise)}.items():
        path = put(folder, name, whole[:len(whole) * 3 // 4])
        outcome = xtr("stats", path, env=env)
        expect(outcome.status == 3 and "damaged or cut short" in outcome.err.splitlines()[0] and "DAMAGED INPUT" in outcome.out, name, outcome)
        events = info(path)["events"]
        expect(5000 < events < 20000, f"{name}: {events} events")
        empty(env, name)
        refused(folder, whole[:30], "damaged", name="short." + name)
    flipped = bytearray(gzip.compress(noise))
    for _ in range(40):
        flipped[r.randrange(20, len(flipped))] ^= 1 << r.randrange(8)
    outcome = xtr("stats", put(folder, "f.gz", bytes(flipped)), env=env)
    expect(outcome.status in (1, 3), "flipped bits", outcome)
    empty(env, "flipped bits")


@test
def lines_that_were_refused_are_damage_everywhere(folder):
    canary = "Zy7canary"
    data = text(10).decode()
    path = put(folder, "t.txt", (data + f"what is {canary}\n" + "and this\n").encode())
    first = f"line {len(data.splitlines()) + 1}: not an event: 'what is {canary}'"
    own = os.path.join(folder, "own.xtr")
    outcome = xtr("import", "-o", own, path)
    expect(outcome.status == 3 and first in outcome.err, "import", outcome)
    for which in (path, own):
        said = f"2 places of the trace that was imported could not be read, the first: {first}"
        outcome = xtr("stats", which)
        expect(outcome.status == 3 and said in outcome.err, "stats, before all", outcome)
        expect(f"DAMAGED INPUT: {said}." in outcome.out.splitlines()[1] and "Lost: nothing known" in outcome.out, "stats", outcome)
        section = json.loads(xtr("stats", "--json", which).out)["sections"][0]
        equal(section["import_damage"], {"places": 2, "first": first}, "stats --json")
        outcome = xtr("info", which)
        expect(outcome.status == 3 and f"DAMAGED INPUT: {said}." in outcome.out.splitlines()[3], "info", outcome)
        equal(info(which)["sections"][0]["import_damage"], {"places": 2, "first": first}, "info --json")
        outcome = xtr("check", which)
        expect(outcome.status == 3 and "could not be imported: 2 places" in outcome.out, "check", outcome)
        html = os.path.join(folder, "page.html")
        expect(xtr("report", "--force", "-o", html, which).status == 3, "report")
        with open(html, encoding="utf-8") as f:
            expect(f'"import_damage":{{"places":2,"first":"{first}"}}' in f.read(), "the page")
        for command in ("jobs", "dump"):
            expect(xtr(command, which).status == 3, command)
    red = os.path.join(folder, "red.xtr")
    expect(xtr("redact", "-o", red, own).status == 3, "redact")
    with open(red, "rb") as f:
        expect(canary.encode() not in f.read(), "the line is not in a redacted trace")
    expect("2 places of the trace that was imported could not be read." in xtr("info", red).out, "its damage is counted", xtr("info", red))
    expect(xtr("redact", "--check", red, "--canary", canary, own).status in (0, 3), "and redact finds it nowhere", xtr("redact", "--check", red, own))
    clean_one = put(folder, "clean.txt", data.encode())
    expect("import_damage" not in xtr("stats", "--json", clean_one).out and xtr("stats", clean_one).status == 0, "none where there is none")


@test
def a_file_without_an_event_is_refused(folder):
    head = b"# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n#\n#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
    refused(folder, head, "no event in it (read as the text of the kernel's trace file", "was tracing on")
    refused(folder, gzip.compress(head), "no event in it")
    refused(folder, b"Attaching 2 probes...\n", "no event in it (read as what bpftrace scripts print", "was tracing on")
    refused(folder, b"", "is empty", commands=["import"])
    refused(folder, gzip.compress(b""), "is empty", commands=["import"])
    refused(folder, b"", "shorter than a file header", commands=["stats"])


# --- what is known, and not read ---------------------------------------------------------------------

def etl():
    """The first buffer of an ETW log: its header, a system event, and the size once more."""
    return struct.pack("<I68x", 0x10000) + bytes([2, 0, 2, 0xc0]) + bytes(28) + struct.pack("<I", 0x10000) + bytes(400)


def sqlite(table):
    return b"SQLite format 3\0" + bytes(84) + f"CREATE TABLE {table} (id INTEGER)".encode() + bytes(2000)


@test
def what_is_not_read_is_named_with_what_helps(folder):
    cases = [
        (etl(), "an ETW trace of Windows", "tracerpt"),
        (b"\xc1\x1f\xfc\xc1" + bytes(100), "a CTF trace", "babeltrace2"), (b"\xc1\xfc\x1f\xc1" + bytes(100), "a CTF trace", "babeltrace2"),
        (b"\x57\x1d\xd1\x75" + bytes(100), "a CTF trace", "babeltrace2"), (b"/* CTF 1.8 */\ntypealias\n", "a CTF trace", "babeltrace2"),
        (b'\x1e{"type":"preamble","version":2}\n', "a CTF trace", "babeltrace2"),
        (sqlite("CUPTI_ACTIVITY_KIND_KERNEL"), "a database of Nsight Systems", "xtr query"), (sqlite("rocpd_op"), "a database of rocprof", "xtr query"),
        (sqlite("t"), "an SQLite database", "xtr query"), (b'{"traceEvents":[]}', "a Chrome trace (JSON)", "perfetto"),
        (b' [\n{"name":"x","ph":"B","ts":1}]', "a Chrome trace (JSON)", "perfetto"),
        (b'{"log":{"version":"1.2","entries":[]}}', "an HTTP archive (HAR)", "browser"),
        (b'{"type": "attached_probes", "data": {"probes": 1}}\n', "as JSON", "without -f json"),
        (b'"Kind","Agent_Id","Kernel_Name","Start_Timestamp"\n', "a table of rocprof", "xtr record"),
        (b"B00P" + bytes(60), "Radeon GPU Profiler", ""), (b"RDOC" + bytes(60), "RenderDoc", "renderdoc"), (b"GFXR" + bytes(60), "GFXReconstruct", "gfxrecon"),
        (b"\x10\x00\x04\x46\x78\x54\x16\x00", "a trace of Fuchsia", "perfetto"), (b"\x5e\x97\xca\xfd" + bytes(60), "a capture of sysprof", "sysprof"),
        (b"\xd4\xc3\xb2\xa1" + bytes(60), "a capture of packets", "tshark"), (bytes(257) + b"ustar\x0000" + bytes(300), "a tar archive", "tar -xf"),
        (b"\x7fELF" + bytes(60), "a program or an object file", ""), (b"\x04\x22\x4d\x18" + bytes(60), "compressed with LZ4", "unlz4"),
    ]
    for data, what, hint in cases:
        refused(folder, data, what, hint)
        refused(folder, gzip.compress(data), what, hint)
    refused(folder, b"\0whatever\1", "a report of Nsight Systems", "nsys export", name="a.nsys-rep")
    refused(folder, base64.b64encode(bytes(range(256))), "not a", commands=["stats", "import"])


@test
def a_directory_of_a_trace_is_named(folder):
    lttng = os.path.join(folder, "session")
    os.makedirs(os.path.join(lttng, "kernel"))
    put(folder, "session/kernel/metadata", b"\x57\x1d\xd1\x75")
    other = {"stats": "no .xtr file in this directory", "info": "Is a directory", "import": "Is a directory"}
    for command in (["stats"], ["info"], ["import", "-o", os.path.join(folder, "x.xtr")]):
        for path in (lttng, os.path.join(lttng, "kernel")):
            outcome = xtr(*command, path)
            expect(outcome.status == 1 and "a CTF trace" in outcome.err and "babeltrace2" in outcome.err, path, outcome)
        outcome = xtr(*command, folder)
        expect(outcome.status == 1 and other[command[0]] in outcome.err, "any other directory", outcome)
