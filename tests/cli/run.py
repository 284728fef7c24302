#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command line as a person meets it: messages, exit codes, streams, help, manual, completions.

XTR and BUILD name the program and the build directory. The last line is `N passed, N failed, N skipped`.
"""

import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XTR = os.path.join(ROOT, os.environ.get("XTR", "xtr"))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
READERS = ["info", "stats", "jobs", "dump", "check"]  # commands that take a trace

tests = []


def test(function):
    tests.append(function)
    return function


class Skip(Exception):
    pass


class Outcome:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out[-2000:]}\n--- stderr\n{self.err[-2000:]}"


def xtr(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=None, data=None, timeout=600):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "XTR_PAGER", "PAGER")}
    environment.update(env or {})
    if data is not None:
        stdin = None
    run = subprocess.run([XTR, *arguments], stdin=stdin, input=data, stdout=stdout, stderr=subprocess.PIPE,
                         env=environment, timeout=timeout, check=False)
    return Outcome(run.returncode, (run.stdout or b"").decode("utf-8", "replace"),
                   run.stderr.decode("utf-8", "replace"))


def expect(condition, what, outcome=None):
    if not condition:
        raise AssertionError(f"{what}\n{outcome}" if outcome else what)


def expect_error(outcome, status, pattern):
    """The status, nothing on stdout, and a first line on stderr that matches; at most one more line, of what to do."""
    lines = outcome.err.splitlines()
    expect(outcome.status == status, f"expected status {status}", outcome)
    expect(outcome.out == "", "expected nothing on stdout", outcome)
    expect(1 <= len(lines) <= 2, "expected one line and perhaps a hint", outcome)
    expect(re.fullmatch(pattern, lines[0]), f"expected {pattern!r}", outcome)
    expect(all(line.startswith(("xtr: ", "Try 'xtr ")) for line in lines), "prefix", outcome)


def commands():
    return xtr("--dump-commands").out.split()


def trace(name="good"):
    """A valid trace of 3,000 synthetic events, made once."""
    path = os.path.join(WORK, name + ".xtr")
    if not os.path.exists(path):
        subprocess.run([os.path.join(BUILD, "tests/tools/synth"), "-n", "3000", "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def damaged():
    """The same with one bit of an event payload flipped."""
    path = os.path.join(WORK, "damaged.xtr")
    with open(trace(), "rb") as f:
        data = bytearray(f.read())
    at = 64
    while at + 80 <= len(data):
        kind, stored = data[at + 4], int.from_bytes(data[at + 24:at + 28], "little")
        if kind == 2:
            data[at + 80 + stored // 2] ^= 0x10
            break
        at += (80 + stored + 7) // 8 * 8
    else:
        raise AssertionError("no EVENTS chunk in the trace")
    with open(path, "wb") as f:
        f.write(data)
    return path, at


# --- usage --------------------------------------------------------------------------------------


@test
def no_arguments():
    o = xtr()
    expect(o.status == 2 and o.out == "" and o.err.startswith("Usage: xtr "), "usage on stderr", o)


@test
def unknown_command():
    expect_error(xtr("frobnicate"), 2, r"xtr: unknown command 'frobnicate'")
    expect_error(xtr("inof"), 2, r"xtr: unknown command 'inof': did you mean 'info'\?")
    expect_error(xtr("help", "chekc"), 2, r"xtr: unknown command 'chekc': did you mean 'check'\?")


@test
def unknown_option_of_every_command():
    for name in commands():
        expect_error(xtr(name, "--frobnicate"), 2, r"xtr: unknown option '--frobnicate'")
        o = xtr(name, "--qiuet")
        expect_error(o, 2, r"xtr: unknown option '--qiuet': did you mean '--quiet'\?")
        expect(f"Try 'xtr {name} --help'" in o.err, "what to try", o)
    expect_error(xtr("--frobnicate"), 2, r"xtr: unknown option '--frobnicate'")


@test
def readers_want_one_file():
    for name in READERS:
        o = xtr(name)
        expect(o.status == 2 and o.out == "" and o.err.startswith("xtr: "), name, o)
        o = xtr(name, trace(), trace())
        expect(o.status == 2 and o.out == "" and o.err.startswith("xtr: "), name, o)


@test
def version():
    for arguments in (["--version"], ["-V"], ["info", "--version"]):
        o = xtr(*arguments)
        expect(o.status == 0 and re.match(r"xtr \d+\.\d+\.\d+\nfile format 1\.\d+\n", o.out), arguments, o)


@test
def abbreviations_and_permutation():
    for line in (["info", "--js", trace()], ["info", trace(), "--json"], ["--color=never", "info", "--json", trace()],
                 ["info", "--json", "--", trace()]):
        o = xtr(*line)
        expect(o.status == 0 and json.loads(o.out)["schema"] == "xtr.info/1", line, o)


# --- help, manual, completions: written from one table --------------------------------------------


def help_options(name):
    """The long options that --help of a command shows, with whether they take an argument."""
    o = xtr(name, "--help")
    expect(o.status == 0 and o.err == "" and o.out.startswith(f"Usage: xtr {name} "), name, o)
    found = re.findall(r"^  (?:-(\w), |    )--([a-z0-9-]+)(=\S+)?  +\S", o.out, re.M)
    expect(len(found) >= 5, f"{name}: options in --help", o)
    return found


@test
def help_names_every_command():
    o = xtr("--help")
    expect(o.status == 0 and o.err == "", "help", o)
    names = commands()
    expect(set(READERS) <= set(names) and "record" in names, f"commands {names}")
    for name in names:
        expect(re.search(rf"^  {name} +\S", o.out, re.M), f"{name} in xtr --help", o)
    expect(xtr("help").out == o.out, "xtr help is xtr --help")


@test
def long_help_has_everything():
    for name in commands():
        o = xtr("help", name)
        expect(o.status == 0, name, o)
        for part in ("Usage: xtr " + name, "\nOptions:\n", "\nExit status:\n", "  5  "):
            expect(part in o.out, f"{name}: {part!r}", o)
        expect(max(map(len, o.out.splitlines())) <= 110, f"{name}: lines too long", o)


@test
def manual_has_every_option():
    for name in commands():
        page = xtr("--dump-man", name).out
        expect(page.startswith(f".TH XTR-{name.upper()} 1 "), name)
        for letter, option, argument in help_options(name):
            text = "\\-\\-" + option.replace("-", "\\-")
            expect(text in page, f"{name}: {option} in the manual")
            expect(not argument or text + "\\fR=\\fI" in page, f"{name}: argument of {option}")
            expect(not letter or f"\\-{letter}\\fR, \\fB{text}" in page, f"{name}: -{letter}")


@test
def manual_is_right_roff():
    if not shutil.which("man"):
        raise Skip("man is not installed")
    for name in ["", *commands()]:
        page = xtr("--dump-man", *([name] if name else [])).out.encode()
        run = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, check=False,
                             env={**os.environ, "MANWIDTH": "80"})
        expect(run.returncode == 0 and run.stderr == b"", f"{name}: {run.stderr.decode()}")
        expect(b"EXIT STATUS" in run.stdout, name)


@test
def completions_have_every_option():
    shells = {s: xtr("--dump-completion", s).out for s in ("bash", "zsh", "fish")}
    for name in commands():
        line = re.search(rf"^\t{name}\) words='(.*)' ;;$", shells["bash"], re.M)
        expect(line, f"bash: {name}")
        words = line.group(1).split()
        for letter, option, argument in help_options(name):
            expect(f"--{option}{'=' if argument else ''}" in words, f"bash: {name} --{option}")
            expect(not letter or f"-{letter}" in words, f"bash: {name} -{letter}")
            expect(re.search(rf"__fish_seen_subcommand_from {name}'.* -l {option} ", shells["fish"]),
                   f"fish: {name} --{option}")
            expect(f"--{option}{'=' if argument else ''}[" in shells["zsh"], f"zsh: {name} --{option}")


@test
def completions_are_right_shell():
    for shell in ("bash", "zsh", "fish"):
        text = xtr("--dump-completion", shell).out.encode()
        if not shutil.which(shell):
            print(f"  ({shell} is not installed: its completion was not run through it)")
            continue
        run = subprocess.run([shell, "-n"], input=text, capture_output=True, check=False)
        expect(run.returncode == 0 and run.stderr == b"", f"{shell}: {run.stderr.decode()}")
    expect_error(xtr("--dump-completion", "tcsh"), 2, r"xtr: --dump-completion takes .*")


@test
def bash_completes():
    script = xtr("--dump-completion", "bash").out + """
COMP_WORDS=(xtr in); COMP_CWORD=1; compopt() { :; }; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr info --j); COMP_CWORD=2; _xtr; echo "${COMPREPLY[@]}"
"""
    run = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    expect(run.stdout == b"info\n--json\n", f"{run.stdout} {run.stderr}")


@test
def bash_completes_the_names_of_groups():
    if "npu" not in xtr("help", "record").out:
        raise Skip("this xtr was built without the recorder")
    script = xtr("--dump-completion", "bash").out + """
compopt() { :; }
COMP_WORDS=(xtr record -e np); COMP_CWORD=3; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --event = gp); COMP_CWORD=4; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --event = ); COMP_CWORD=3; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --ev); COMP_CWORD=2; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record -e npu --stac); COMP_CWORD=4; _xtr; echo "${COMPREPLY[@]}"
"""
    run = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    lines = run.stdout.decode().splitlines()
    expect(len(lines) == 5 and not run.stderr, f"{run.stdout} {run.stderr}")
    expect(lines[0].split()[0] == "npu" and lines[1] == "gpu", f"{lines}")
    expect({"default", "gpu", "npu", "nvidia:uvm", "cpu"} <= set(lines[2].split()), f"{lines}")
    expect(lines[3] == "--event=" and lines[4] == "--stack", f"{lines}")


@test
def every_option_is_accepted():
    """The parser knows what help shows: a bad value or a missing argument is refused as such, not as unknown."""
    for name in commands():
        for letter, option, argument in help_options(name):
            for form in [f"--{option}"] + ([f"-{letter}"] if letter else []):
                # Neither runs the command: --help ends the parsing.
                o = xtr(name, form, *(["1"] if argument else []), "--help")
                bad_value = o.status == 2 and f"--{option}: '1' is not" in o.err
                expect(o.status == 0 or bad_value, f"{name} {form}", o)
                if argument:
                    expect_error(xtr(name, form), 2, rf"xtr: option '--{option}' needs an argument: \S+")
            if not argument:
                expect_error(xtr(name, f"--{option}=1"), 2, rf"xtr: option '--{option}' takes no argument")


# --- input --------------------------------------------------------------------------------------


@test
def missing_file():
    for name in READERS:
        expect_error(xtr(name, "/nonexistent/run.xtr"), 1, r"xtr: '/nonexistent/run.xtr': No such file or directory")


@test
def a_directory_is_no_trace():
    for name in READERS:
        expect_error(xtr(name, WORK), 1, rf"xtr: '{re.escape(WORK)}': Is a directory")


@test
def an_unreadable_file():
    path, program = os.path.join(WORK, "secret.xtr"), os.path.join(WORK, "xtr")
    shutil.copy(trace(), path)
    os.chmod(path, 0)
    shutil.copy(XTR, program)  # where any user may run it
    os.chmod(WORK, 0o755)
    user = 65534 if os.geteuid() == 0 else None  # root reads everything
    run = subprocess.run([program, "info", path], capture_output=True, user=user, check=False)
    o = Outcome(run.returncode, run.stdout.decode(), run.stderr.decode())
    expect_error(o, 1, r"xtr: '.*/secret\.xtr': Permission denied")


@test
def an_empty_file_and_other_files():
    for content in (b"", b"x", b"\x89XTR\r\n\x1a\n", b"#!/bin/sh\n" * 100, bytes(4096)):
        path = os.path.join(WORK, "other.xtr")
        with open(path, "wb") as f:
            f.write(content)
        for name in READERS:
            expect_error(xtr(name, path), 1, r"xtr: '.*/other\.xtr': (not an \.xtr file|shorter than a file header)")


@test
def control_characters_in_a_name_stay_there():
    o = xtr("info", "/nonexistent/\033[2J\nx")
    expect_error(o, 1, r"xtr: '/nonexistent/\?\[2J\?x': No such file or directory")


@test
def standard_input():
    with open(trace(), "rb") as f:
        data = f.read()
    for name in READERS:
        from_file = xtr(name, "--json" if name in ("info", "stats", "check") else "-q", trace())
        from_pipe = xtr(name, "--json" if name in ("info", "stats", "check") else "-q", "-", data=data)
        expect(from_pipe.status == from_file.status == 0, name, from_pipe)
        expect(from_pipe.out.replace('"-"', '"X"') == from_file.out.replace(f'"{trace()}"', '"X"'), name, from_pipe)
    expect_error(xtr("info", "-", data=b""), 1, r"xtr: '-': (not an \.xtr file|shorter than a file header)")


@test
def a_fifo_is_read():
    path = os.path.join(WORK, "fifo")
    os.mkfifo(path)
    writer = subprocess.Popen(["sh", "-c", f"cat '{trace()}' >'{path}'"])
    o = xtr("check", path)
    writer.wait()
    expect(o.status == 0 and "every checksum is right" in o.out, "check", o)


@test
def a_terminal_is_no_trace():
    master, slave = pty.openpty()
    o = xtr("info", "-", stdin=slave)
    os.close(slave)
    os.close(master)
    expect_error(o, 2, r"xtr: standard input is a terminal, not a trace")


# --- output -------------------------------------------------------------------------------------


@test
def a_full_disk_is_told():
    for arguments in (["--help"], ["--version"], ["help", "info"], *([name, trace()] for name in READERS)):
        with open("/dev/full", "wb") as full:
            o = xtr(*arguments, stdout=full)
        expect_error(o, 1, r"xtr: cannot write to standard output: No space left on device")


@test
def a_closed_output_is_told():
    run = subprocess.run(["sh", "-c", '"$0" info "$1" >&-', XTR, trace()], capture_output=True, check=False)
    o = Outcome(run.returncode, run.stdout.decode(), run.stderr.decode())
    expect_error(o, 1, r"xtr: cannot write to standard output: Bad file descriptor")
    run = subprocess.run(["sh", "-c", '"$0" info "$1" <&- 2>&-', XTR, trace()], capture_output=True, check=False)
    expect(run.returncode == 0 and b"Recording" in run.stdout, f"{run}")


@test
def no_colour_no_pager_in_pipes():
    for name in READERS:
        o = xtr(name, trace(), env={"XTR_PAGER": "echo paged", "TERM": "xterm"})
        expect(o.status == 0 and "\033" not in o.out and "paged" not in o.out, name, o)


def on_terminal(*arguments, env=None):
    """Run with stdout and stderr on a pseudo terminal; what came out of it."""
    master, slave = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "XTR_PAGER", "PAGER")}
    environment.update({"TERM": "xterm", **(env or {})})
    process = subprocess.Popen([XTR, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=environment)
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(master)
    return process.wait(), seen.decode("utf-8", "replace")


@test
def pager_on_a_terminal():
    status, seen = on_terminal("info", trace(), env={"XTR_PAGER": "sed s/^/paged:/"})
    expect(status == 0 and "paged:Recording" in seen, f"{status} {seen}")
    status, seen = on_terminal("info", trace(), env={"PAGER": "sed s/^/paged:/"})
    expect(status == 0 and "paged:Recording" in seen, f"{status} {seen}")
    for env, option in (({"XTR_PAGER": ""}, "-q"), ({"XTR_PAGER": "cat"}, "-q"),
                        ({"XTR_PAGER": "sed s/^/paged:/", "TERM": "dumb"}, "-q"),
                        ({"XTR_PAGER": "sed s/^/paged:/"}, "--no-pager")):
        status, seen = on_terminal("info", option, trace(), env=env)
        expect(status == 0 and "\nRecording" in seen.replace("\r", "") and "paged:" not in seen, f"{env} {seen}")


@test
def a_pager_that_is_left_ends_xtr():
    status, seen = on_terminal("dump", trace(), env={"XTR_PAGER": "head -n 1"})
    expect(status == 0 and "cannot write" not in seen, f"{status} {seen}")


@test
def colour_switches():
    for name in READERS:
        o = xtr(name, "--color=never", trace(), env={"TERM": "xterm"})
        expect("\033" not in o.out, name, o)
        status, seen = on_terminal(name, trace(), env={"NO_COLOR": "1", "XTR_PAGER": ""})
        expect(status == 0 and "\033" not in seen, f"{name} {seen}")
    expect_error(xtr("info", "--color=sometimes", trace()), 2, r"xtr: --color: 'sometimes' is not .*")


# --- info and check -------------------------------------------------------------------------------


@test
def info_counts():
    o = xtr("info", "--json", trace())
    expect(o.status == 0 and o.err == "", "info", o)
    d = json.loads(o.out)
    expect(d["events"] == 3000 and d["lost"] == 0 and d["missing"] == 0, "counts", o)
    expect(d["bytes"] == os.path.getsize(trace()), "bytes", o)
    expect(d["clock"] == "monotonic" and d["duration_ns"] > 0 and d["problems"] == [], "head", o)
    expect(sum(t["count"] for t in d["event_types"]) == 3000, "types", o)
    expect(all(t["bytes"] == t["count"] * (t["bytes"] // t["count"]) for t in d["event_types"]), "bytes", o)
    section = d["sections"][0]
    expect(section["closed"] and section["last_ns"] - section["first_ns"] == d["duration_ns"], "section", o)
    text = xtr("info", trace()).out
    expect(re.search(r"^Lost while recording: nothing$", text, re.M), text)
    for t in d["event_types"]:
        expect(re.search(rf"^ +{t['type']}  {re.escape(t['name'])} +{t['count']:,} +{t['bytes']:,}$", text, re.M), text)


@test
def info_of_two_sections():
    path = os.path.join(WORK, "two.xtr")
    with open(path, "wb") as f:
        for _ in range(2):
            with open(trace(), "rb") as g:
                f.write(g.read())
    d = json.loads(xtr("info", "--json", path).out)
    expect(d["events"] == 6000 and len(d["sections"]) == 2, f"{d['events']}")
    expect("Section 2 of 2" in xtr("info", path).out, "heading")


@test
def damage_is_found():
    path, offset = damaged()
    for name in READERS:
        o = xtr(name, path)
        expect(o.status == 3, name, o)
    o = xtr("check", path)
    lines = o.err.splitlines()
    expect(len(lines) == 1 and re.fullmatch(
        rf"xtr: '{re.escape(path)}': chunk \d+ at 0x{offset:x}: payload checksum mismatch", lines[0]), "line", o)
    expect(re.search(r": 1 problem,? ?", o.out), "summary", o)
    d = json.loads(xtr("check", "--json", path).out)
    expect([(p["code"], p["offset"]) for p in d["problems"]] == [("payload-crc", offset)], f"{d['problems']}")
    d = json.loads(xtr("info", "--json", path).out)
    expect(d["events"] + d["missing"] == 3000 and d["missing"] > 0, f"{d['events']} {d['missing']}")
    expect(any(p["code"] == "payload-crc" and p["offset"] == offset for p in d["problems"]), f"{d['problems']}")


@test
def a_cut_file_is_read_up_to_there():
    path = os.path.join(WORK, "cut.xtr")
    with open(trace(), "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:len(data) // 2])
    o = xtr("check", path)
    expect(o.status == 3 and "not closed cleanly" in o.err, "check", o)
    o = xtr("info", path)
    expect(o.status == 3 and "not closed" in o.out, "info", o)


@test
def what_is_good_of_a_damaged_file_is_recovered():
    path, offset = damaged()
    out = os.path.join(WORK, "recovered.xtr")
    o = xtr("recover", "-o", out, path)
    lines = o.err.splitlines()
    hole = re.fullmatch(rf"xtr: warning: '{re.escape(path)}': (\d+) events of CPU \d+ missing in chunk \d+ at "
                        rf"0x{offset:x}, between [0-9.]+ and [0-9.]+ s", lines[1])
    expect(o.status == 3 and o.out == "" and "payload checksum mismatch" in lines[0] and hole, "place", o)
    n = int(hole[1])
    kept = re.fullmatch(rf"(\d+) of (\d+) chunks kept, {3000 - n:,} events; missing: {n} events", lines[2])
    expect(kept and int(kept[1]) == int(kept[2]) - 1, "sums", o)
    expect(len(lines) == 4 and lines[3].startswith(f"wrote {out}, "), "where it is", o)
    expect(os.stat(out).st_mode & 0o777 == 0o600, "mode")
    o = xtr("check", out)
    expect(o.status == 3 and o.err == "" and "every checksum is right" in o.out and f"lost: {n} events" in o.out, "check", o)
    for name in ("stats", "jobs", "dump"):
        o = xtr(name, out)
        expect(o.status == 3 and f"{n} events lost: it stood in a damaged part" in o.err, name, o)
    d = json.loads(xtr("info", "--json", out).out)
    expect(d["events"] == 3000 - n and d["lost"] == n and d["missing"] == 0, f"{d['events']} {d['lost']}")
    again = xtr("recover", "-o", out, path)
    expect_error(again, 1, rf"xtr: '{re.escape(out)}' exists")
    o = xtr("recover", "--force", "-q", "--json", "-o", out, path)
    d = json.loads(o.out)
    expect(d["schema"] == "xtr.recover/1" and d["missing"] == n and d["missing_is_exact"] and not d["complete"], o.out)
    expect([(h["offset"], h["events"], h["gone"]) for h in d["holes"]] == [(offset, n, False)], o.out)


@test
def a_good_file_is_recovered_as_it_is():
    out = os.path.join(WORK, "same.xtr")
    o = xtr("recover", "-o", out, trace())
    expect(o.status == 0 and len(o.err.splitlines()) == 2 and "missing: 0 events" in o.err, "nothing is wrong", o)
    with open(trace(), "rb") as a, open(out, "rb") as b:
        whole = a.read()
        expect(whole == b.read(), "byte for byte")
    piped = subprocess.run([XTR, "recover", "-o", "-", "-"], input=whole, capture_output=True, check=False)
    expect(piped.returncode == 0 and piped.stdout == whole, "through pipes")
    expect(xtr("recover", "--json", "-o", "-", trace()).status == 2, "both want standard output")
    expect_error(xtr("recover", "-o", out + "2", os.path.join(ROOT, "Makefile")), 1, r"xtr: '.*Makefile': not an .xtr file")
    expect(not os.path.exists(out + "2"), "nothing is left behind")


@test
def a_recovered_file_says_that_its_end_is_missing():
    path, out = os.path.join(WORK, "endless.xtr"), os.path.join(WORK, "endless.recovered.xtr")
    with open(trace(), "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:len(data) // 2])
    o = subprocess.run([XTR, "recover", path], cwd=WORK, capture_output=True, text=True, check=False)
    expect(o.returncode == 3 and "end of the recording is missing" in o.stderr, o.stderr)
    expect(re.search(r"missing: at least \d+ events", o.stderr), o.stderr)
    for name in READERS:
        o = xtr(name, out)
        expect(o.status == 3 and "end" in o.out + o.err and "missing" in o.out + o.err, name, o)


@test
def a_good_file_checks():
    o = xtr("check", trace())
    expect(o.status == 0 and o.err == "" and "3,000 events" in o.out and "every checksum is right" in o.out, "check", o)


@test
def no_vector_breaks_a_command():
    """Every file of tests/vectors, damaged ones and refused ones too: a status that is documented, JSON that parses."""
    folder = os.path.join(ROOT, "tests/vectors")
    files = [os.path.join(folder, kind, f) for kind in ("accept", "damaged", "reject")
             for f in sorted(os.listdir(os.path.join(folder, kind))) if f.endswith(".xtr")]
    expect(len(files) > 200, f"{len(files)} vectors")
    for path in files:
        for line in (["info", "--json"], ["check"], ["check", "--json"], ["stats"], ["jobs"], ["dump"], ["info"]):
            o = xtr(*line, path)
            expect(o.status in (0, 1, 3), f"{line} {path}", o)
            expect(o.status != 0 or "/accept/" in path or line[0] != "check", f"{path}: check found nothing", o)
            if "--json" in line and o.status != 1:
                json.loads(o.out)


# --- export: where it writes ----------------------------------------------------------------------

SUFFIXES = {"perfetto": ".pftrace", "chrome": ".json", "sqlite": ".sqlite", "csv": ".csv", "jsonl": ".jsonl"}


def formats():
    return [f for f in SUFFIXES if "no format" not in xtr("export", "-f", f, "-o", "-", "/nonexistent").err]


def folder(name):
    """An empty one."""
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    return path


@test
def export_makes_a_private_file():
    for f in formats():
        path = os.path.join(folder("export"), "out")
        o = xtr("export", "-f", f, "-o", path, trace())
        expect(o.status == 0 and o.out == "" and o.err == "", f, o)
        expect(os.stat(path).st_mode == 0o100600, f"{f}: mode {os.stat(path).st_mode:o}")
        expect(os.path.getsize(path) > 1000 and os.listdir(os.path.dirname(path)) == ["out"], f)


@test
def export_names_its_file():
    """After the trace, in the present directory; and a name tells the format."""
    for f, suffix in SUFFIXES.items():
        if f not in formats():
            continue
        where = folder("export")
        subprocess.run([XTR, "export", "-f", f, trace()], cwd=where, check=True)
        expect(os.listdir(where) == ["good" + suffix], f"{f}: {os.listdir(where)}")
        with open(trace(), "rb") as data:
            subprocess.run([XTR, "export", "-o", "x" + suffix, "-"], cwd=where, stdin=data, check=True)
        with open(trace(), "rb") as data:
            subprocess.run([XTR, "export", "-f", f, "-"], cwd=where, stdin=data, check=True)
        expect(sorted(os.listdir(where)) == sorted("good trace x".replace(" ", suffix + " ").split()[:2]
                                                   + ["x" + suffix]), f"{f}: {os.listdir(where)}")
    where = folder("export")
    for options in (["-f", "csv", "-t", "deps"], ["-f", "jsonl", "--table", "events"]):
        subprocess.run([XTR, "export", *options, trace()], cwd=where, check=True)
    expect(sorted(os.listdir(where)) == ["good.deps.csv", "good.events.jsonl"], f"{os.listdir(where)}")


@test
def export_wants_a_format():
    expect_error(xtr("export", trace()), 2, r"xtr: which format\? .*")
    expect_error(xtr("export", "-o", "-", trace()), 2, r"xtr: which format\? .*")
    expect_error(xtr("export", "-o", "/tmp/x.odd", trace()), 2, r"xtr: '/tmp/x\.odd' does not tell the format: use -f")
    expect_error(xtr("export", "-f", "odd", trace()), 2, r"xtr: no format 'odd'")
    expect_error(xtr("export", "-f", "csv", "--top", "1000001", trace()), 2, r"xtr: --top: at most 1000000")


@test
def export_keeps_what_exists():
    for f in formats():
        where = folder("export")
        path = os.path.join(where, "out")
        with open(path, "w", encoding="ascii") as out:
            out.write("mine")
        o = xtr("export", "-f", f, "-o", path, trace())
        expect_error(o, 1, r"xtr: '.*/out' exists")
        with open(path, encoding="ascii") as out:
            expect(out.read() == "mine" and os.listdir(where) == ["out"], f"{f}: {os.listdir(where)}")
        o = xtr("export", "-f", f, "--force", "-o", path, trace())
        expect(o.status == 0 and os.path.getsize(path) > 1000 and os.listdir(where) == ["out"], f, o)


@test
def export_replaces_plain_files_only():
    for f in formats():
        where = folder("export")
        target, link, dangling = (os.path.join(where, n) for n in ("target", "link", "dangling"))
        with open(target, "w", encoding="ascii") as out:
            out.write("mine")
        os.symlink(target, link)
        os.symlink(os.path.join(where, "nothing"), dangling)
        os.mkfifo(os.path.join(where, "fifo"))
        for path in (link, dangling, where, os.path.join(where, "fifo"), "/dev/null"):
            for force in ([], ["--force"]):
                o = xtr("export", "-f", f, *force, "-o", path, trace())
                expect_error(o, 1, r"xtr: '.*' is not a plain file")
        expect(sorted(os.listdir(where)) == ["dangling", "fifo", "link", "target"], f"{f}: {os.listdir(where)}")
        with open(target, encoding="ascii") as out:
            expect(out.read() == "mine", f)


@test
def export_that_fails_leaves_nothing():
    where = folder("export")
    path = os.path.join(where, "out")
    for f in formats():
        for options, status in ((["--top", "1000001"], 2), (["--pid", "x"], 2), (["--from", "2s", "--to", "1s"], 2),
                                (["-t", "nosuch"], 2)):
            o = xtr("export", "-f", f, *options, "-o", path, trace())
            expect(o.status == status and o.err and not os.listdir(where), f"{f} {options}: {os.listdir(where)}", o)
        for bad in ("/nonexistent.xtr", __file__):
            o = xtr("export", "-f", f, "-o", path, bad)
            expect(o.status == 1 and o.err and not os.listdir(where), f"{f} {bad}: {os.listdir(where)}", o)
        o = xtr("export", "-f", f, "-o", os.path.join(where, "no/such/out"), trace())
        expect_error(o, 1, r"xtr: cannot write '.*/no/such/out': No such file or directory")
    only = {"perfetto": ["--raw", "--ftrace", "--track-events", "--compress"], "csv": ["-t"], "jsonl": ["-t"]}
    for f in formats():
        for option in ("--raw", "--ftrace", "--track-events", "--compress"):
            if option in only.get(f, []):
                continue
            o = xtr("export", "-f", f, option, "-o", path, trace())
            expect(o.status == 2 and o.err and not os.listdir(where), f"{f} {option}: {os.listdir(where)}", o)
        if "-t" not in only.get(f, []):
            o = xtr("export", "-f", f, "-t", "jobs", "-o", path, trace())
            expect(o.status == 2 and o.err and not os.listdir(where), f"{f} -t: {os.listdir(where)}", o)


def limited(f, path, size):
    """Export where no file may grow past `size` bytes."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    run = subprocess.run([XTR, "export", "-f", f, "-o", path, long_trace()], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, check=False)
    return Outcome(run.returncode, run.stdout.decode(), run.stderr.decode())


def long_trace():
    """300,000 events: exporting them takes a while."""
    path = os.path.join(WORK, "long.xtr")
    if not os.path.exists(path):
        subprocess.run([os.path.join(BUILD, "tests/tools/synth"), "-n", "300000", "-o", path], check=True,
                       stderr=subprocess.DEVNULL)
    return path


@test
def export_that_cannot_be_written_leaves_nothing():
    for f in formats():
        for size in (0, 100000, 1000000):
            where = folder("export")
            o = limited(f, os.path.join(where, "out"), size)
            expect(o.status == 1 and re.match(r"xtr: .*(File too large|disk|database|full|I/O)", o.err), f, o)
            expect(not os.listdir(where), f"{f}: {os.listdir(where)}", o)
        with open("/dev/full", "wb") as full:
            if f != "sqlite":
                o = xtr("export", "-f", f, "-o", "-", long_trace(), stdout=full)
                expect(o.status == 1 and "No space left on device" in o.err, f, o)


@test
def export_onto_a_full_disk_leaves_nothing():
    where = folder("full")
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", where], capture_output=True, check=False)
    if mount.returncode:
        raise Skip(f"no file system can be mounted here: {mount.stderr.decode().strip()}")
    try:
        for f in formats():
            o = xtr("export", "-f", f, "-o", os.path.join(where, "out"), long_trace())
            expect(o.status == 1 and re.search("No space left on device|full", o.err), f, o)
            expect(not os.listdir(where), f"{f}: {os.listdir(where)}", o)
    finally:
        subprocess.run(["umount", where], check=False)


def interrupted(f, number, where):
    """Status of an export that got this signal while it wrote, however fast it is; None: it had ended before."""
    child = subprocess.Popen([XTR, "export", "-f", f, "-o", os.path.join(where, "out"), long_trace()],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # nohup ignores some
    while not os.listdir(where) and child.poll() is None:
        pass
    child.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        child.returncode = os.waitstatus_to_exitcode(status)
        return None
    writing = "out" not in os.listdir(where)
    child.send_signal(number)
    child.send_signal(signal.SIGCONT)
    child.wait()
    return child.returncode if writing else None


@test
def export_that_is_interrupted_leaves_nothing():
    for f in formats():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for _ in range(20):
                where = folder("export")
                status = interrupted(f, number, where)
                if status is not None:
                    break
            expect(status == -number, f"{f} {number.name}: status {status}")
            expect(not os.listdir(where), f"{f} {number.name}: {os.listdir(where)}")


@test
def export_does_not_write_to_a_terminal():
    for f in formats():
        status, seen = on_terminal("export", "-f", f, "-o", "-", trace())
        expect(status in (1, 2) and re.match(r"xtr: .*(terminal|file)", seen) and len(seen) < 300, f"{f}: {status} {seen}")


@test
def export_tells_of_losses_and_damage():
    path, _ = damaged()
    for f in formats():
        out = os.path.join(folder("export"), "out")
        o = xtr("export", "-f", f, "-o", out, path)
        expect(o.status == 3 and len(o.err.splitlines()) == 1 and "checksum" in o.err, f, o)
        expect(os.path.getsize(out) > 1000, f)
        o = xtr("export", "-f", f, "--force", "-o", out, os.path.join(ROOT, "tests/golden/trouble.xtr"))
        expect(o.status == 3 and "3 events lost" in o.err and os.path.getsize(out) > 100, f, o)


# --- running them ---------------------------------------------------------------------------------


def main():
    global WORK
    passed = failed = skipped = 0
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="xtr-cli-") as WORK:
        for t in tests:
            if only and t.__name__ not in only:
                continue
            try:
                t()
                passed += 1
            except Skip as reason:
                skipped += 1
                print(f"SKIP {t.__name__}: {reason}")
            except (AssertionError, subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                failed += 1
                print(f"FAIL {t.__name__}: {error}")
                if not isinstance(error, AssertionError):
                    traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
