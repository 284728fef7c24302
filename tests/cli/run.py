#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command line as a person meets it: messages, exit codes, streams, help, manual, completions.

XTR and BUILD name the program and the build directory. The last line is `N passed, N failed, N skipped`.
"""

import json
import math
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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XTR = os.path.join(ROOT, os.environ.get("XTR", "xtr"))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
READERS = ["info", "stats", "jobs", "dump", "check"]  # commands that take a trace
SEVERAL = ("stats", "jobs")  # of them those that take several, and directories: tests/fleet

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests"))
import checks  # noqa: E402
from checks import Outcome, Skip, expect, test  # noqa: E402


def xtr(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=None, data=None, timeout=600):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "XTR_PAGER", "PAGER")}
    environment.update(env or {})
    if data is not None:
        stdin = None
    run = subprocess.run([XTR, *arguments], stdin=stdin, input=data, stdout=stdout, stderr=subprocess.PIPE,
                         env=environment, timeout=timeout, check=False)
    return Outcome(run.returncode, (run.stdout or b"").decode("utf-8", "replace"),
                   run.stderr.decode("utf-8", "replace"))


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


# --- labels -------------------------------------------------------------------------------------


@test
def labels_are_checked_before_anything_is_recorded():
    many = [x for i in range(65) for x in ("--label", f"k{i}=v")]
    for wrong, message in (
            (["--label", "node"], "--label: invalid label 'node': give KEY=VALUE, such as node=gpu17"),
            (["--label", "=x"], "--label: invalid label '=x'"),
            (["--label", ".a=x"], "--label: invalid label '.a=x'"),
            (["--label", "a b=x"], "--label: invalid label 'a b=x'"),
            (["--label", "k" * 64 + "=x"], "--label: invalid label"),
            (["--label", "k=" + "x" * 256], "--label: invalid label"),
            (["--label", "k=a\nb"], "--label: invalid label"),
            (["--label", "k=1", "--label", "k=2"], "--label: 'k' is given twice"),
            (many, "--label: at most 64 labels")):
        r = xtr("record", *wrong, "-d", "1ms")
        if "without the recorder" in r.err:
            raise Skip("built without the recorder")
        expect(r.status == 2 and message in r.err, f"record {' '.join(wrong)[:80]}", r)


# --- usage --------------------------------------------------------------------------------------


@test
def rotation_says_what_it_cannot_take():
    for wrong, message in (
            (["--rotate", "100"], "--rotate: invalid size or time '100': give at least 1ms, such as 100M or 30s"),
            (["--rotate", "999us"], "--rotate: invalid size or time '999us'"),
            (["--rotate", "0s"], "--rotate: invalid size or time '0s'"),
            (["--rotate", "1parsec"], "--rotate: invalid size or time '1parsec'"),
            (["--rotate", ""], "--rotate: invalid size or time ''"),
            (["--rotate", "1M", "-o", "-"], "--rotate writes files: it cannot be combined with -o -"),
            (["--on-piece", "true"], "--on-piece requires --rotate or --flight"),
            (["--keep", "3"], "--keep requires --rotate or --flight"),
            (["--rotate", "1M", "--keep", "4294967296"], "--keep: at most 4294967295")):
        r = xtr("record", *wrong, "-d", "1ms")
        if "without the recorder" in r.err:
            raise Skip("built without the recorder")
        expect(r.status == 2 and message in r.err, f"record {' '.join(wrong)}", r)


@test
def the_flight_recorder_says_what_it_cannot_take():
    for wrong, message in (
            (["--flight", "64"], "--flight: invalid size or time '64': give at least 1M or 1ms, such as 64M or 30s"),
            (["--flight", "1023k"], "--flight: invalid size or time '1023k'"),
            (["--flight", "2048G"], "--flight: invalid size or time '2048G'"),
            (["--flight", "999us"], "--flight: invalid size or time '999us'"),
            (["--flight", ""], "--flight: invalid size or time ''"),
            (["--flight", "1M", "-o", "-"], "--flight writes files: it cannot be combined with -o -"),
            (["--flight", "1M", "--rotate", "1M"], "--flight and --rotate do not go together"),
            (["--flight", "1M", "--size", "1M"], "--flight and --size do not go together"),
            (["--trigger", "drop"], "--trigger requires --flight"),
            (["--once"], "--once requires --flight"),
            (["--flight", "1M", "--trigger", "exec"], "--trigger: 'exec' needs a time: 'exec>50ms', in quotes"),
            (["--flight", "1M", "--trigger", "exec>"], "--trigger: 'exec>' is not one of"),
            (["--flight", "1M", "--trigger", "exec>50"], "--trigger: 'exec>50' is not one of"),
            (["--flight", "1M", "--trigger", "exec>0ms"], "--trigger: 'exec>0ms' is not one of"),
            (["--flight", "1M", "--trigger", "hang=1s"], "--trigger: 'hang=1s' is not one of"),
            (["--flight", "1M", "--trigger", "xid>1s"], "--trigger: 'xid>1s' is not one of"),
            (["--flight", "1M", "--trigger", "dropped"], "--trigger: 'dropped' is not one of"),
            (["--flight", "1M", "--trigger", ""], "--trigger: '' is not one of")):
        r = xtr("record", *wrong, "-d", "1ms")
        if "without the recorder" in r.err:
            raise Skip("built without the recorder")
        expect(r.status == 2 and message in r.err and r.err.count("\n") == 1, f"record {' '.join(wrong)}", r)


@test
def shipping_says_what_it_cannot_take():
    folder = os.path.join(WORK, "spool")
    os.mkdir(folder)
    for words, status, pattern in (
            ([], 2, r"xtr: no directory given"),
            (["-f", folder], 2, r"xtr: --follow requires a command"),
            ([folder + "x"], 1, r"xtr: '.*x': No such file or directory"),
            ([trace(), "--", "true"], 1, r"xtr: '.*': Not a directory")):
        expect_error(xtr("ship", *words), status, pattern)
    o = xtr("ship", folder)
    expect((o.status, o.out, o.err) == (0, "0 pieces, 0 B\n", ""), "an empty directory", o)
    o = xtr("ship", folder, "--", "true")
    expect((o.status, o.out) == (0, "") and o.err.endswith("0 pieces shipped, 0 B\n"), "nothing to ship", o)


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
        if name in SEVERAL:
            continue
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
def help_takes_options_as_a_command():
    shown = xtr("help", "--help")
    expect(shown.status == 0 and shown.err == "" and shown.out.startswith("Usage: xtr help [OPTION]... [COMMAND]\n"), "help", shown)
    expect(xtr("help", "-h").out == shown.out, "help -h")
    expect(xtr("help", "help").out.startswith(shown.out), "help help")
    expect(xtr("help", "--version").out == xtr("--version").out, "help --version")
    expect(xtr("help", "--no-pager", "info").out == xtr("help", "info").out, "an option and a command")
    expect_error(xtr("help", "--hepl"), 2, r"xtr: unknown option '--hepl': did you mean '--help'\?")
    expect_error(xtr("help", "info", "stats"), 2, r"xtr: help takes one command")


@test
def help_is_short_and_ends_with_an_example():
    for name in ["", "help", *commands()]:
        o = xtr(*([name] if name else []), "--help")
        left_out = name and "(not built in)" in o.out
        lines = o.out.splitlines()
        example = re.search(r"\n\nExamples:\n(?:  \S.*\n(?:      .*\n)?)+$", o.out)
        expect(o.status == 0 and (example or left_out), f"{name}: no example at the end of --help", o)
        expect(max(map(len, lines)) <= 80, f"{name} --help: lines are wider than 80 columns", o)
        expect(len(lines) <= 70, f"{name} --help: {len(lines)} lines", o)


# --- manual pages ---------------------------------------------------------------------------------


def page_text(name):
    """The source of xtr-NAME(1); of xtr(1) without a name."""
    with open(os.path.join(ROOT, "man", f"xtr-{name}.1" if name else "xtr.1"), encoding="utf-8") as f:
        return f.read()


def page_section(name, title):
    found = re.search(rf"^\.Sh {title}\n(.*?)(?=^\.Sh )", page_text(name), re.M | re.S)
    expect(found, f"xtr-{name}(1) has no section {title}")
    return found.group(1)


@test
def manual_pages_are_those_of_the_commands():
    have = {n[len("xtr-"):-len(".1")] for n in os.listdir(os.path.join(ROOT, "man")) if n.startswith("xtr-") and n.endswith(".1")}
    expect(have == set(commands()), f"pages without a command, or commands without a page: {have ^ set(commands())}")


@test
def manual_has_exactly_the_options_of_help():
    for name in ["", *commands()]:
        help_text = xtr(*([name] if name else []), "--help").out
        if name and "(not built in)" in help_text:
            continue
        shown = re.findall(r"^  (?:-(\w), |    )--([a-z0-9-]+)(?:=(\S+))?  +\S", help_text, re.M)
        items = re.findall(r"^\.It (?:Fl (\w)(?: Ar \S+)? , )?Fl -([a-z0-9-]+)(?: Ns = Ns Ar (\S+))?$", page_section(name, "OPTIONS"), re.M)
        expect(len(shown) >= 5 and shown == items, f"xtr-{name}(1) and --help differ: {set(shown) ^ set(items) or 'order'}")


@test
def manual_names_every_section_of_stats():
    """Whatever --section takes is in the page, in --help and in the manual alike."""
    listed = re.search(r"only these parts: (.*?)\n  -", xtr("stats", "--help").out, re.S).group(1)
    page = page_section("stats", "OPTIONS")
    for word in re.split(r",\s+", listed.strip()):
        expect(re.search(rf"^\.Ql {word}( |$)", page, re.M), f"section {word} is not in xtr-stats(1)")


@test
def manual_defines_the_columns_of_stats():
    """Each column of time or number that the tables of jobs have is defined in the section NUMBERS."""
    text = " ".join(page_section("stats", "NUMBERS").lower().split())
    table = xtr("stats", "--section", "rings", "--section", "processes", "--section", "waits", "--section", "depth", trace()).out
    named = [w for w in ("util", "busy", "execution", "residence", "queue wait", "hw wait", "known as", "jobs") if w in table.lower()]
    expect(len(named) >= 5, f"the tables have only {named}")
    lost = [w for w in named if w not in text and w != "known as"]
    expect(not lost and "how a time is known" in text, f"not defined in xtr-stats(1): {lost}")


@test
def manual_is_right_mdoc():
    tools = [t for t in ("mandoc", "man") if shutil.which(t)]
    if not tools:
        raise Skip("neither mandoc nor man is installed")
    folder = os.path.join(ROOT, "man")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if "mandoc" in tools:
            # STYLE says only that pages of other projects are not installed, and that this is no BSD.
            o = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True, check=False)
            expect(o.returncode == 0 and not o.stdout + o.stderr, f"mandoc -T lint {name}: {o.stdout}{o.stderr}")
        if "man" in tools:
            o = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True, check=False,
                               env={**os.environ, "MANWIDTH": "80"})
            expect(o.returncode == 0 and o.stderr == "", f"man --warnings {name}: {o.stderr}")
            expect(not name.endswith(".1") or "EXIT STATUS" in o.stdout, f"{name}: no EXIT STATUS")


@test
def help_of_a_command_is_its_page_or_its_help():
    short = xtr("stats", "--help").out
    folder = os.path.join(WORK, "manpath")
    os.makedirs(os.path.join(folder, "man1"))
    expect(xtr("help", "stats", env={"MANPATH": folder}).out == short, "without the page, xtr help is --help")
    expect(xtr("help", "stats", env={"PATH": folder}).out == short, "without man, xtr help is --help")
    if not shutil.which("man"):
        raise Skip("man is not installed")
    shutil.copy(os.path.join(ROOT, "man/xtr-stats.1"), os.path.join(folder, "man1"))
    o = xtr("help", "--no-pager", "stats", env={"MANPATH": folder})
    expect(o.status == 0 and "SYNOPSIS" in o.out and "EXIT STATUS" in o.out, "xtr help shows the page", o)


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
def bash_completes_what_an_option_takes():
    formats_of = {"export": {"perfetto", "chrome", "sqlite", "csv", "jsonl", "parquet", "arrow"}, "flame": {"folded", "speedscope", "svg"},
                  "import": {"tracedat", "perfdata", "perfetto", "ftrace", "perf", "bpftrace"}}
    head = xtr("--dump-completion", "bash").out + "\ncompopt() { :; }\n"

    def offered(*words):
        run = subprocess.run(["bash", "-c", head + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xtr; echo "${COMPREPLY[@]}"', "bash",
                              "xtr", *words], capture_output=True, check=False)
        expect(run.returncode == 0 and not run.stderr, f"{words}: {run}")
        return set(run.stdout.decode().split())

    for name, known in formats_of.items():
        found = offered(name, "run.xtr", "-f", "")
        expect(known - {"sqlite"} <= found <= known, f"{name} -f: {found}")  # SQLite may be left out of a build
        expect(offered(name, "--format", "=", "") == found, f"{name} --format=")
        for word in found:
            directory = ["-o", os.path.join(WORK, "none")] if word == "parquet" else []
            o = xtr(name, "-f", word, *directory, "/nonexistent")
            expect(o.status == 1 and "No such file" in o.err, f"{name} takes {word}", o)
    expect(offered("export", "-f", "ch") == {"chrome"}, "export -f ch")
    expect({"jobs", "events", "meta"} <= offered("export", "-t", ""), "export -t")
    sections = offered("stats", "-s", "")
    listed = re.search(r"only these parts: (.*?)\n  -", xtr("stats", "--help").out, re.S).group(1)
    expect(set(re.split(r",\s+", listed.strip())) == sections, f"stats -s: {sections}")
    expect(offered("stats", "run.xtr", "--section", "=", "fen") == {"fences"}, "stats --section=fen")
    for word in sections:
        o = xtr("stats", "-s", word, "/nonexistent")
        expect(o.status == 1 and "No such file" in o.err, f"stats takes {word}", o)


def first_and_last_cells(path):
    """The names in backquotes of the first and of the last column of a document's tables."""
    with open(os.path.join(ROOT, "docs", path), encoding="utf-8") as f:
        rows = [line.strip().strip("|").split("|") for line in f if line.startswith("| ")]
    return [{name for row in rows for name in re.findall(r"`([^`]*)`", row[k])} for k in (0, -1)]


@test
def the_documents_know_the_groups():
    groups = {g["name"]: g["module"] for g in json.loads(xtr("list", "--json").out)["groups"]}
    expect(set(groups) <= first_and_last_cells("probes.md")[0], f"docs/probes.md lacks {set(groups) - first_and_last_cells('probes.md')[0]}")
    offered = first_and_last_cells("drivers.md")[1]
    expect(offered <= set(groups), f"docs/drivers.md offers {offered - set(groups)}, which are no groups")
    drivers = {name for name, module in groups.items() if module and ":" not in name and name != "display"}
    expect(len(drivers) >= 21 and drivers <= offered, f"docs/drivers.md lacks {drivers - offered}")
    page = re.sub(r"\s+", " ", page_text("record"))
    named = re.search(r"Drivers have the groups (.*?)\. ", page).group(1).split(", ")
    expect(set(named) == drivers | {"display"}, f"xtr-record(1): {set(named) ^ (drivers | {'display'})}")


@test
def bash_completes_the_names_of_groups():
    if "(not built in)" in xtr("record", "--help").out:
        raise Skip("this xtr was built without the recorder")
    script = xtr("--dump-completion", "bash").out + """
compopt() { :; }
COMP_WORDS=(xtr record -e np); COMP_CWORD=3; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --event = gp); COMP_CWORD=4; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --event = ); COMP_CWORD=3; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record --ev); COMP_CWORD=2; _xtr; echo "${COMPREPLY[@]}"
COMP_WORDS=(xtr record -e npu --compac); COMP_CWORD=4; _xtr; echo "${COMPREPLY[@]}"
"""
    run = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    lines = run.stdout.decode().splitlines()
    expect(len(lines) == 5 and not run.stderr, f"{run.stdout} {run.stderr}")
    expect(lines[0].split()[0] == "npu" and lines[1] == "gpu", f"{lines}")
    expect({"default", "gpu", "npu", "nvidia:uvm", "cpu"} <= set(lines[2].split()), f"{lines}")
    expect(lines[3] == "--event=" and lines[4] == "--compact", f"{lines}")


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


def takers(path):
    """Every way to give a command a file to read: its words."""
    output = os.path.join(WORK, "taken")
    into = {"cut": ["-o", output], "cat": ["-o", output], "export": ["-f", "csv", "-o", output], "report": ["-o", output],
            "import": ["-o", output], "pack": ["-o", output], "recover": ["-o", output], "redact": ["-o", output],
            "bundle": ["-o", output]}
    for name in commands():
        if name in ("record", "list", "doctor", "ship"):  # they read no file
            continue
        if name == "diff":
            yield from ([name, path, trace()], [name, trace(), path], [name, "--base", path, trace()])
        elif name == "query":
            yield from ([name, path, "SELECT 1"], [name, "-f", path, trace()])
        else:
            yield [name, *into.get(name, []), path]
    yield ["flame", "--samples", path, trace()]
    yield ["redact", "--check", path, trace()]


def refused(path, pattern, unlike=()):
    """Every command says this of the file, and makes none; but those whose words begin as `unlike`."""
    for words in takers(path):
        if " ".join(words).startswith(unlike):
            continue
        o = xtr(*words)
        if "this xtr was built without" in o.err:  # a part that a build may leave out
            continue
        expect_error(o, 1, rf"xtr: '{re.escape(path)}': {pattern}")
        expect(not os.path.exists(os.path.join(WORK, "taken")), f"{words}: a file was made")


@test
def missing_file():
    refused("/nonexistent/run.xtr", "No such file or directory")


@test
def a_directory_is_no_trace():
    refused(WORK, "Is a directory", unlike=(*SEVERAL, f"query {WORK}"))


@test
def a_text_is_no_trace():
    path = os.path.join(WORK, "text.xtr")
    with open(path, "w", encoding="utf-8") as f:
        f.write("no trace\n" * 1000)
    refused(path, r"not an \.xtr file", unlike=("query -f", "flame --samples", "import"))  # SQL, stacks, formats of other tools
    expect_error(xtr("import", path), 1, rf"xtr: '{re.escape(path)}': not a trace that xtr can import")


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
    for name in ("info", "stats", "check", "flame"):
        o = xtr(name, "-", data=data)
        expect(o.out.startswith("standard input: "), f"{name} does not say where it comes from", o)
    expect("xtr top: standard input  " in xtr("top", "-", data=data).out, "top")
    page = xtr("report", "-q", "-o", "-", "-", data=data).out
    expect('"file":"-"' in page.replace('": "', '":"'), "programs get the path")
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
    for arguments in (["--help"], ["--version"], ["help"], *([name, trace()] for name in READERS)):
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
def without_a_pager_the_terminal_shows_it_all():
    """Where no less is installed, or what PAGER names is not: printed, by each command that pages, and help."""
    with tempfile.TemporaryDirectory() as empty:
        os.mkdir(os.path.join(empty, "less"))  # a folder of its name is no pager
        for env in ({"PATH": empty}, {"PATH": ""}, {"PAGER": "no-such-pager -R"}, {"XTR_PAGER": empty + "/no-such"},
                    {"PAGER": trace()}):
            for arguments in (["info", trace()], ["jobs", trace()], ["dump", trace()], ["stats", "--help"], ["--help"]):
                status, seen = on_terminal(*arguments, env=env)
                expect(status == 0 and "not found" not in seen, f"{env} {arguments}: {status} {seen[-300:]}")
                expect(seen.replace("\r", "") == xtr(*arguments, env={"COLUMNS": "80"}).out, f"{env} {arguments}: not all of it")


@test
def a_pager_that_only_the_shell_can_judge_fails_loudly():
    for command in ("'no-such-pager'", "A=1 no-such-pager", trace() + ";" + trace()):
        for name in ("info", "dump"):  # little, and more than a pipe holds
            status, seen = on_terminal(name, trace(), env={"PAGER": command})
            expect(status == 1 and "xtr: the pager cannot be run: set PAGER, or use --no-pager" in seen, f"{command} {name}: {status} {seen[-300:]}")


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


def same_readings(path, packed):
    """What every reading command prints of a packed trace is what it prints of the trace."""
    for command in (["dump"], ["dump", "--json"], ["stats"], ["stats", "--json"], ["jobs", "--csv"], ["jobs", "--json"]):
        a, b = (xtr(*command, p) for p in (path, packed))
        expect(a.status == b.status and a.out.replace(path, packed) == b.out, " ".join(command), b)
    a, b = (json.loads(xtr("info", "--json", p).out) for p in (path, packed))
    for d in (a, b):
        for key in ("file", "bytes"):
            d.pop(key)
        for section in d["sections"]:
            for key in ("file_id", "offset", "event_chunks", "raw_chunks", "event_bytes", "bytes"):
                section.pop(key, None)
    expect(a == b, f"info: {a} {b}")


@test
def a_packed_file_is_smaller_and_says_the_same():
    path, out = trace(), os.path.join(WORK, "small.xtr")
    o = xtr("pack", "-o", out, path)
    expect(o.status == 0 and o.out == "" and len(o.err.splitlines()) == 1, "one line", o)
    said = re.fullmatch(rf"{re.escape(out)}: from .* to .*, ([0-9.]+) to ([0-9.]+) bytes for each of 3,000 events\n", o.err)
    expect(said and float(said[2]) < 0.7 * float(said[1]), "bytes", o)
    expect(os.stat(out).st_mode & 0o777 == 0o600, "mode")
    same_readings(path, out)
    o = xtr("check", out)
    expect(o.status == 0 and "every checksum is right" in o.out, "check", o)
    expect_error(xtr("pack", "-o", out, path), 1, rf"xtr: '{re.escape(out)}' exists")
    o = xtr("pack", "--force", "-q", "--json", "-o", out, path)
    d = json.loads(o.out)
    expect(o.err == "" and d["schema"] == "xtr.pack/1" and d["events"] == 3000 and d["codec"] == "lz4", o)
    expect(d["bytes"] == os.stat(out).st_size and d["bytes_before"] == os.stat(path).st_size, o.out)
    with open(path, "rb") as f:
        piped = subprocess.run([XTR, "pack", "-"], stdin=f, cwd=WORK, capture_output=True, check=False)
    expect(piped.returncode == 0 and os.path.exists(os.path.join(WORK, "trace.packed.xtr")), "a name of its own")
    same_readings(path, os.path.join(WORK, "trace.packed.xtr"))


@test
def a_packed_file_is_taken_by_every_command():
    path, out = trace(), os.path.join(WORK, "taken.xtr")
    expect(xtr("pack", "-o", out, path).status == 0, "pack")
    for name, *options in (("cut",), ("recover",), ("cat",), ("pack",), ("cut", "--to", "1s")):
        whole, made = (os.path.join(WORK, f"{kind}-{name}{len(options)}.xtr") for kind in ("whole", "packed"))
        for source, target in ((path, whole), (out, made)):
            o = xtr(name, *options, "-o", target, source)
            expect(o.status == 0, name, o)
        expect(xtr("check", made).status == 0, name)
        a, b = (xtr("dump", p) for p in (whole, made))
        expect(a.out.replace(whole, made) == b.out and a.out.count("\n") > 1000, name)
    o = xtr("cat", "-o", os.path.join(WORK, "both.xtr"), path, out)
    expect(o.status == 0 and xtr("check", os.path.join(WORK, "both.xtr")).status == 0, "cat of both", o)


@test
def losses_are_packed_with_the_rest():
    path, _ = damaged()
    out, small = os.path.join(WORK, "lossy.xtr"), os.path.join(WORK, "lossy-small.xtr")
    o = xtr("pack", "-o", small, path)
    expect(o.status == 1 and "payload checksum mismatch" in o.err and "xtr recover" in o.err, "damage", o)
    expect(not os.path.exists(small), "nothing is left behind")
    xtr("recover", "-o", out, path)
    o = xtr("pack", "-o", small, out)
    lines = o.err.splitlines()
    expect(o.status == 3 and "events lost" in lines[0] and lines[-1].startswith(small), "losses first", o)
    same_readings(out, small)


@test
def how_pack_compresses_can_be_chosen():
    path, sizes = trace(), {}
    for level in ("1", "12"):
        out = os.path.join(WORK, f"level{level}.xtr")
        expect(xtr("pack", "--level", level, "-o", out, path).status == 0, level)
        sizes[level] = os.stat(out).st_size
        same_readings(path, out)
    expect(sizes["12"] <= sizes["1"], f"{sizes}")
    expect_error(xtr("pack", "--level", "13", path), 2, r"xtr: --level: 1 to 12")
    expect_error(xtr("pack", "--zstd", "--level", "20", path), 2, r"xtr: --level: 1 to 19")
    expect_error(xtr("pack"), 2, r"xtr: pack: which file\?")
    expect_error(xtr("pack", path, path), 2, r"xtr: pack takes one file")
    expect(xtr("pack", "--json", "-o", "-", path).status == 2, "both want standard output")
    out = os.path.join(WORK, "zstd.xtr")
    o = xtr("pack", "--zstd", "-o", out, path)
    if o.status != 0:  # a build without libzstd
        expect_error(o, 1, r"xtr: --zstd: this xtr is built without libzstd")
        return
    expect(os.stat(out).st_size < sizes["12"], "smaller")
    same_readings(path, out)


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

SUFFIXES = {"perfetto": ".pftrace", "chrome": ".json", "sqlite": ".sqlite", "csv": ".csv", "jsonl": ".jsonl", "arrow": ".arrows"}


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
    for options in (["-f", "csv", "-t", "deps"], ["-f", "jsonl", "--table", "events"], ["-f", "arrow", "-t", "findings"]):
        subprocess.run([XTR, "export", *options, trace()], cwd=where, check=True)
    expect(sorted(os.listdir(where)) == ["good.deps.csv", "good.events.jsonl", "good.findings.arrows"], f"{os.listdir(where)}")


@test
def export_wants_a_format():
    expect_error(xtr("export", trace()), 2, r"xtr: which format\? .*")
    expect_error(xtr("export", "-o", "-", trace()), 2, r"xtr: which format\? .*")
    expect_error(xtr("export", "-o", "/tmp/x.odd", trace()), 2, r"xtr: '/tmp/x\.odd' has no suffix that names a format: use -f")
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
    only = {"perfetto": ["--raw", "--ftrace", "--track-events", "--compress"], "csv": ["-t"], "jsonl": ["-t"], "arrow": ["-t"]}
    for f in formats():
        for option in ("--raw", "--ftrace", "--track-events", "--compress"):
            if option in only.get(f, []):
                continue
            o = xtr("export", "-f", f, option, "-o", path, trace())
            expect(o.status == 2 and o.err and not os.listdir(where), f"{f} {option}: {os.listdir(where)}", o)
        if "-t" not in only.get(f, []):
            o = xtr("export", "-f", f, "-t", "jobs", "-o", path, trace())
            expect(o.status == 2 and o.err and not os.listdir(where), f"{f} -t: {os.listdir(where)}", o)


def files_in(path):
    return sorted(os.path.relpath(os.path.join(top, name), path) for top, _, names in os.walk(path) for name in names)


def tables_of(files):
    """How many are of the trace itself and of its findings, not of sections."""
    return sum(not re.search("table=(stats|blame|frames)_", f) for f in files)


@test
def export_of_parquet_makes_a_directory():
    where = folder("export")
    path = os.path.join(where, "new/out")
    o = xtr("export", "-f", "parquet", "-o", path, trace(), trace())
    expect(o.status == 0 and o.out == "" and o.err == "", "of two traces", o)
    made = files_in(path)
    expect(tables_of(made) == 14 and len(made) > 14 and all(re.match(r"table=\w+/date=[-\w]+/host=\w+/[0-9a-f]{16}\.parquet$", f) for f in made), f"{made}")
    modes = {os.stat(os.path.join(path, f)).st_mode for f in made}
    expect(modes == {0o100600}, f"modes {modes}")
    o = xtr("export", "-f", "parquet", "--raw", "-o", path, trace())
    expect(o.status == 0 and tables_of(files_in(path)) == 15, "replaced, and events", o)
    only = os.path.join(where, "only")
    o = xtr("export", "-f", "parquet", "--jobs-only", "-o", only, trace())
    expect(o.status == 0 and len(files_in(only)) == tables_of(files_in(only)) == 12, f"no sections: {files_in(only)}", o)


@test
def export_of_parquet_that_fails_leaves_no_file():
    where = folder("export")
    for arguments in ([], ["-o", "-"]):
        expect_error(xtr("export", "-f", "parquet", *arguments, trace()), 2, r"xtr: -f parquet writes a directory: use -o DIR")
    expect_error(xtr("export", "-f", "parquet", "-o", where), 2, r"xtr: which FILE\?")
    for options in (["--ftrace"], ["--track-events"], ["--compress"], ["-t", "jobs"]):
        o = xtr("export", "-f", "parquet", *options, "-o", where, trace())
        expect(o.status == 2 and o.err, f"{options}", o)
    expect_error(xtr("export", "-f", "parquet", "-o", trace(), trace()), 1, r"xtr: cannot write '.*': Not a directory")
    expect_error(xtr("export", "-f", "parquet", "-o", os.path.join(where, "out"), "/nonexistent.xtr"), 1, r"xtr: '/nonexistent\.xtr': No such file or directory")
    o = limited("parquet", os.path.join(where, "out"), 4096)
    expect_error(o, 1, r"xtr: cannot write '.*/out': File too large")
    expect(not files_in(where), f"{files_in(where)}")
    o = xtr("export", "-f", "parquet", "-o", os.path.join(where, "out"), "/nonexistent.xtr", trace())
    expect(o.status == 1 and tables_of(files_in(where)) == 14, "one of two can be read", o)


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


# --- report ---------------------------------------------------------------------------------------

@test
def report_makes_one_private_page():
    where = folder("report")
    o = xtr("report", "-o", os.path.join(where, "page.html"), trace())
    expect(o.status == 0 and o.out == "" and o.err == "", "report", o)
    path = os.path.join(where, "page.html")
    expect(os.listdir(where) == ["page.html"] and os.stat(path).st_mode == 0o100600, f"{os.listdir(where)}")
    subprocess.run([XTR, "report", trace()], cwd=where, check=True)
    expect(sorted(os.listdir(where)) == ["good.html", "page.html"], f"{os.listdir(where)}")
    with open(path, encoding="utf-8") as f:
        page = f.read()
    expect(page.startswith("<!doctype html>") and page.endswith("</html>\n") and len(page) < 3_000_000, page[:60])
    stats = json.loads(page.split('id="xtr-stats">')[1].split("</script>")[0])
    expect(stats == json.loads(xtr("stats", "--json", trace()).out), "the statistics of the page are those of stats")
    data = json.loads(page.split('id="xtr-data">')[1].split("</script>")[0])
    expect(data["schema"] == "xtr.report/1" and data["sections"][0]["jobs"]["all"] == str(stats["sections"][0]["total"]["jobs"]),
           str(data)[:200])
    expect(xtr("report", "-o", "-", trace()).out == page, "standard output has the same")


@test
def report_keeps_what_exists():
    where = folder("report")
    path = os.path.join(where, "page.html")
    with open(path, "w", encoding="ascii") as f:
        f.write("mine")
    expect_error(xtr("report", "-o", path, trace()), 1, r"xtr: '.*page\.html' exists")
    with open(path, encoding="ascii") as f:
        expect(f.read() == "mine", "it was kept")
    expect(xtr("report", "--force", "-o", path, trace()).status == 0 and os.path.getsize(path) > 1000, "--force")
    os.remove(path)
    os.symlink(os.path.join(where, "other"), path)
    expect(xtr("report", "--force", "-o", path, trace()).status == 1 and os.listdir(where) == ["page.html"], "through no link")


@test
def report_is_told_how_many_jobs():
    expect_error(xtr("report", "--jobs", "0", trace()), 2, r"xtr: --jobs: 1 to 1000000")
    expect_error(xtr("report", "--jobs", "1000001", trace()), 2, r"xtr: --jobs: 1 to 1000000")
    page = xtr("report", "--jobs", "20", "-o", "-", trace()).out
    jobs = json.loads(page.split('id="xtr-data">')[1].split("</script>")[0])["sections"][0]["jobs"]
    expect(0 < jobs["shown"] <= 24 < int(jobs["all"]), str(jobs)[:100])


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


# --- diff ---------------------------------------------------------------------------------------


def synth(name, *options, events=40000):
    """Made-up jobs on one device with two rings; execution takes -x percent of what it takes else."""
    path = os.path.join(WORK, name + ".xtr")
    if not os.path.exists(path):
        subprocess.run([os.path.join(BUILD, "tests/tools/synth"), "-n", str(events), "-d", "1", "-r", "2", "-s", "2",
                        "-o", path, *options], check=True, stderr=subprocess.DEVNULL)
    return path


def differences(*arguments, status=0):
    o = xtr("diff", "--json", *arguments)
    expect(o.status == status, f"expected status {status}", o)
    d = json.loads(o.out)
    expect(d["schema"] == "xtr.diff/2", "schema", o)
    return d


def verdicts(d, metric=None):
    return {t["verdict"] for t in d["times"] if metric in (None, t["metric"])}


@test
def the_same_has_no_difference():
    d = differences("--fail-on", "0.001%", synth("one"), synth("one"))
    expect(verdicts(d) == {"no difference seen"} and d["recorded_differently"] == [], d)
    expect(all(t["change_ppm"] == 0 and t["superiority_ppm"] == 500000 for t in d["times"]), d["times"][0])
    expect({t["by"] for t in d["times"]} == {"device", "ring", "process"}, "groups")
    # other random numbers, the same load: what is seen is below what can be seen
    for seed in range(2, 7):
        d = differences("--fail-on", "5%", synth("one"), synth(f"seed{seed}", "-S", str(seed)))
        expect("slower" not in verdicts(d), f"seed {seed}: {[t for t in d['times'] if t['verdict'] == 'slower']}")


@test
def a_slower_ring_is_found():
    a, b = synth("one"), synth("more", "-S", "2", "-x", "120")
    d = differences(a, b)
    for by in ("device", "ring"):
        rows = [t for t in d["times"] if t["by"] == by and t["metric"] == "execution"]
        expect(rows and all(t["verdict"] == "slower" for t in rows), rows)
        expect(all(t["ratio_low_ppm"] < 1200000 < t["ratio_high_ppm"] for t in rows), rows)
        expect(all(t["a"]["known_as"] == "inferred" for t in rows), rows)
    expect(all(t["change_ppm"] == t["ratio_ppm"] - 1000000 for t in d["times"]), "a ratio less 1")
    far = [abs(math.log(t["ratio_ppm"] / 1e6)) for t in d["times"]]
    expect(all(x >= z for x, z, y in zip(far, far[1:], d["times"][1:])
               if y["verdict"] in ("slower", "faster")), "the largest first")
    execution = ["--metric", "execution", "--by", "ring"]
    for limit, status in (("5%", 4), ("5", 4), ("60%", 0), ("execution=5%", 4), ("queue=5%", 0)):
        o = xtr("diff", *execution, "--fail-on", limit, a, b)
        expect(o.status == status, f"--fail-on {limit}: status {status}", o)
        expect(("slower by the limit" in o.err) == (status == 4), "message", o)
    o = xtr("diff", *execution, "--fail-on", "5%", "--fail-on", "execution=60%", a, b)
    expect(o.status == 0, "the later limit holds", o)
    o = xtr("diff", *execution, "--fail-on", "5%", b, a)
    expect(o.status == 0 and "faster" in o.out and "slower" not in o.out, "what is faster does not fail", o)


@test
def a_ratio_is_never_below_nothing():
    a, b = synth("one"), synth("more", "-S", "2", "-x", "120")
    there, back = ({(t["by"], t["group"], t["metric"]): t for t in differences(*files)["times"]} for files in ((a, b), (b, a)))
    expect(len(there) == len(back) == 12, "rows")
    for key, t in there.items():
        u = back[key]
        expect(0 <= u["ratio_low_ppm"] <= u["ratio_ppm"] <= u["ratio_high_ppm"], u)
        for x, y in (("ratio_ppm", "ratio_ppm"), ("ratio_low_ppm", "ratio_high_ppm"), ("ratio_high_ppm", "ratio_low_ppm")):
            expect(abs(t[x] * u[y] / 1e12 - 1) < 1e-5, (key, x, t[x], u[y]))
    o = xtr("diff", b, a)
    expect(" B / A " in o.out and not re.search(r"-[1-9]\d\d+ %", o.out), "no change below -100 %", o)


@test
def what_diff_shows():
    a, b = synth("one"), synth("more", "-S", "2", "-x", "120")
    o = xtr("diff", a, b)
    expect(o.status == 0 and "\033[" not in o.out and "Where the values lie" not in o.out, "plain", o)
    expect("Lost: nothing." in o.out and "One recording on a side" in o.out, "head", o)
    rows = differences(a, b)["times"]
    slower = [t for t in rows if t["verdict"] == "slower"]
    said = re.search(r"^Lost: nothing\.\nSlower: (\S+) of (\S+) (\S+), ([\d.]+) times \((\d+) of (\d+) rows\)", o.out, re.M)
    expect(said and said.groups()[:3] == tuple(slower[0][k] for k in ("metric", "by", "group")), "the answer after the losses", o)
    expect((int(said[5]), int(said[6])) == (len(slower), len(rows)), "how many rows", o)
    expect(abs(float(said[4]) * 1e6 / slower[0]["ratio_ppm"] - 1) < 0.001, "the ratio", o)
    same = sum(t["verdict"] in ("no difference seen", "too few to tell") for t in rows)
    o = xtr("diff", a, a)
    expect(f"Lost: nothing.\nNo difference seen in {len(rows)} comparisons.\n" in o.out, "none", o)
    expect("(detectable" not in o.out and f"\n  {len(rows)} rows without a difference are left out" in o.out, "left out", o)
    expect(xtr("diff", "--all", a, a).out.count("no difference seen") == len(rows), "--all")
    expect(xtr("diff", "--all", a, b).out.count("no difference seen") + xtr("diff", "--all", a, b).out.count("too few to tell") >= same, "--all")
    o = xtr("diff", "--color=always", "--plot", "--top", "2", a, b)
    expect("\033[31mslower\033[0m" in o.out and o.out.count("    A |") == o.out.count("    B |") > 0, "colour and plot", o)
    expect(re.search(r"\.\.\. and \d+ more", o.out), "cut", o)
    with open(a, "rb") as f:
        o = xtr("diff", "-", b, stdin=f)
    expect(o.status == 0 and "slower" in o.out, "standard input", o)


@test
def diff_of_recordings_that_lost_something():
    a, b = synth("one"), synth("gaps", "-S", "2", "-x", "150", "-g", "1000")
    o = xtr("diff", a, b)
    expect(o.status == 3 and "events lost" in o.err, "status 3", o)
    expect(o.out.index("LOST, B: ") < o.out.index("Times, B against A") and "Lost: nothing" not in o.out, "losses first", o)
    expect(xtr("diff", "--fail-on", "5%", a, b).status == 4, "a limit that is crossed is told")
    d = differences(a, b, status=3)
    expect(d["a"]["lost_events"] == 0 and d["b"]["lost_events"] == 1000, "lost")
    o = xtr("diff", trace(), damaged()[0])
    expect(o.status == 3 and "DAMAGED, B: 1 problem in" in o.out, "damaged", o)


@test
def diff_of_several_recordings():
    a = [synth(f"seed{s}", "-S", str(s)) for s in (2, 3, 4, 5)]
    b = [synth(f"slow{s}", "-S", str(s), "-x", "120") for s in (12, 13, 14, 15)]
    based = [word for path in a for word in ("--base", path)]
    one = ("--metric", "execution", "--by", "device", "--device", "synth.0")
    d = differences(*one, *based, *b)
    expect(verdicts(d) == {"slower"} and len(d["a"]["files"]) == 4 and d["run_tests"] == 1, d)
    expect(all(len(t["b"]["run_medians_ns"]) == 4 and t["runs_agree"] and t["runs_p_ppb"] == round(1e9 * 2 / 70)
               for t in d["times"]), d["times"])
    # an even mix of both on each side
    mixed = [word for path in (*a[:2], *b[:2]) for word in ("--base", path)]
    d = differences("--fail-on", "1%", *one, *mixed, *a[2:], *b[2:])
    expect(verdicts(d) == {"no difference seen"}, d)


@test
def diff_of_redacted_recordings():
    plain = [synth("one"), synth("more", "-S", "2", "-x", "120")]
    redacted = []
    for path in plain:
        redacted.append(path[:-4] + ".redacted.xtr")
    o = xtr("redact", "-q", "--force", "-o", os.path.dirname(plain[0]), *plain)
    expect(o.status == 0, "redact", o)
    was, is_now = differences(*plain), differences(*redacted)

    def found(d):
        return sorted((t["by"], t["metric"], t["verdict"], t["change_ppm"]) for t in d["times"])

    expect(found(was) == found(is_now), (found(was), found(is_now)))
    expect([d["a"]["redacted"] for d in (was, is_now)] == [False, True] and is_now["recorded_differently"] == [], is_now)
    expect("REDACTED, A and B: " in xtr("diff", *redacted).out, "said")
    o = xtr("diff", plain[0], redacted[1])
    expect("REDACTED, B: " in o.out and "Only in B\n  process name#" in o.out, "one of them", o)


@test
def what_diff_does_not_take():
    a = trace()
    for wrong, message in (([], "which files"), ([a], "which files"), ([a, a, a], "two files, A and B, not 3; or --base"),
                           (["-b", a], "--base gives side A: which files are of B?"), (["-", "-"], "standard input is one file only"),
                           (["--by", "pid", a, a], "--by: invalid value 'pid': give a list of device, ring, process, call, process-call"),
                           (["--metric", "execution,", a, a], "--metric: invalid value 'execution,': give a list"),
                           (["--fail-on", "fast", a, a], "--fail-on: invalid limit 'fast': give one such as 5% or execution=5%"),
                           (["--top", "10001", a, a], "--top: at most 10000")):
        o = xtr("diff", *wrong)
        expect(o.status == 2 and o.out == "" and message in o.err, f"diff {' '.join(wrong)}", o)
    o = xtr("diff", a, os.path.join(WORK, "nothing.xtr"))
    expect(o.status == 1 and "nothing.xtr" in o.err and o.out == "", "a file that is not there", o)


# --- jobs ----------------------------------------------------------------------------------------


def jobs_of(*jobs):
    """Lines of `xtr jobs` of these (comm, pid, device, ring, context, sequence number, ns), one after the other."""
    lines, at = [], 766496 * 10**9
    for comm, pid, device, ring, context, seqno, ns in jobs:
        job = f"dev={device}, fence={context}:{seqno}, ring={ring}, job count:0, hw job count:0, client_id:5"
        for event, after in ((f"queue: {job}", 0), (f"run: {job}", 20000), (f"done: fence={context}:{seqno} signaled", 20000 + ns)):
            stamp = f"{(at + after) // 10**9}.{(at + after) % 10**9:09d}"
            lines.append(f"{comm} {pid}/{pid} [000] {stamp}: 1 gpu_scheduler:drm_sched_job_{event}\n")
        at += ns + 40000
    path = os.path.join(WORK, "jobs.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)
    o = xtr("import", "-q", "--force", "-f", "perf", "-o", path + ".xtr", path)
    expect(o.status == 0, "import", o)
    o = xtr("jobs", path + ".xtr")
    expect(o.status == 0 and o.out.count("\n") == len(jobs) + 1, "jobs", o)
    return o.out.splitlines()


@test
def jobs_fit_a_terminal():
    gpu, ring = "0000:03:00.0", "gfx_0.0.0"
    head, plain, large, wide, after = jobs_of(
        ("fifteen-letters", 14200, gpu, ring, 134, 1000, 2000000), ("fifteen-letters", 4194303, gpu, "comp_1.0.0", 134, 1234567, 20000000),
        ("app", 77, "a-device-of-a-long-name", "a-ring-of-a-long-name", 11, 4, 5000), ("app", 77, gpu, ring, 11, 5, 999000000))
    places = {name: head.index(name) for name in ("device", "ring", "comm", "kind", "quality", "flags")}
    expect(places["flags"] == 121, f"all but flags in 120 columns: {head}")
    for line in (plain, large, after):
        whole = re.fullmatch(r"(.* (?:exact|inferred|bounded))(?: +\S+)*", line)
        expect(whole and len(whole.group(1)) <= 120, f"all but flags in 120 columns: {line}")
    for line in (plain, after):
        for name, value in (("device", gpu), ("ring", ring), ("kind", "gpu ")):
            expect(line.startswith(value, places[name]), f"{name}: {line}")
    expect(" 134:1234567 4194303 fifteen-letters " in large and " comp_1.0.0 " in large, large)
    expect(large.index("<=20.0 ms") + 9 == head.index("execution") + 9, f"in its place again: {large}")
    expect(" a-device-of-a-long-name a-ring-of-a-long-name 11:4 77 app " in wide, wide)


# --- findings -------------------------------------------------------------------------------------


def crowded():
    """300 commands of one virtio-gpu that it does not answer, each a finding, then a display that runs dry: a fault."""
    path = os.path.join(WORK, "crowded.xtr")
    command = "game-77 [000] d..1 {:.6f}: virtio_gpu_cmd_{}: vdev=0 vq=0 name=control type={:#x} flags=0x1 fence_id={} ctx_id=1 num_free=64 seqno={}"
    lines = ["# tracer: nop", "#", command.format(99, "queue", 0x207, 1, 1), command.format(99.1, "response", 0x1100, 1, 1)]
    lines += [command.format(100 + i * 0.001, "queue", 0x3000 + i, i + 2, i + 2) for i in range(300)]
    lines += ["<idle>-0 [000] d.h1 110.000000: intel_cpu_fifo_underrun: dev 0000:00:02.0, pipe A, frame=5, scanline=7"]
    if not os.path.exists(path):
        o = xtr("import", "-o", path, "-", data=("\n".join(lines) + "\n").encode())
        expect(o.status == 0, "import", o)
    return path


@test
def a_fault_at_the_end_is_not_cut_off():
    path = crowded()
    o = xtr("stats", "--findings", path)
    lines = [line for line in o.out.splitlines() if re.match("  [^ ]", line)]
    expect("1 FIFO underrun " in lines[0] and "virtio0 did not answer" in lines[1], "the fault first", o)
    expect(lines[-1] == "  ... and 45 more: 45 virtio-gpu-unanswered (notable)" and len(lines) == 257, "the rest is told", o)
    section = json.loads(xtr("stats", "--json", path).out)["sections"][0]
    expect([f["severity"] for f in section["findings"]] == ["fault"] + ["notable"] * 255, "JSON")
    expect(section["findings_left_out"] == [{"id": "virtio-gpu-unanswered", "severity": "notable", "n": 45}], section["findings_left_out"])
    o = xtr("stats", "--fail-on", "finding:display-underrun", path)
    expect(o.status == 4 and "display-underrun: 0000:00:02.0 pipe A: 1 FIFO underrun" in o.err, "--fail-on", o)
    o = xtr("stats", "--fail-on", "finding:virtio-*", path)
    expect(o.status == 4 and "finding:virtio-*: and 290 more" in o.err and len(o.err.splitlines()) == 11, "all are counted", o)
    page = os.path.join(WORK, "crowded.html")
    o = xtr("report", "-o", page, path)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    expect(o.status == 0 and "findings_left_out" in text and "display-underrun" in text, "the page has it", o)


# --- stats on one screen --------------------------------------------------------------------------


@test
def stats_takes_names_with_commas():
    path = os.path.join(ROOT, "tests/golden/frames.xtr")
    two = xtr("stats", "-s", "waits,depth", path)
    expect(two.status == 0 and "Waits, by ring" in two.out and "Queue depth" in two.out, "both", two)
    expect(two.out == xtr("stats", "-s", "depth", "--section", "waits", path).out, "as two options", two)
    for wrong, name in (("waits,nope", "nope"), ("waits,", ""), (",waits", ""), ("x" * 40, "x" * 40), ("waits,devicesx", "devicesx")):
        o = xtr("stats", "-s", wrong, path)
        expect(o.status == 2 and o.out == "" and f"no such section: '{name}'" in o.err, wrong, o)


@test
def stats_names_what_it_does_not_show():
    """Each part in the last line has something, and with what is shown these are all that have."""
    for name in ("frames", "trouble", "no-jobs", "crowded"):
        path = os.path.join(ROOT, f"tests/golden/{name}.xtr")
        brief, whole = xtr("stats", path).out, xtr("stats", "--all", path).out
        expect(xtr("stats", "--all", "-s", "rings", path).out == whole, f"{name}: --all is more than a part")
        parts = re.fullmatch(r"More: -s (\S+) or --all", brief.splitlines()[-1]).group(1).split(",")
        head, _, rest = whole.partition("\n\n")
        left = [part for part in rest.split("\n\n") if part.split("\n")[0] + "\n" not in brief]
        empty = [part for part in left if "\n  none: " in part]  # of no job in this trace
        told = [xtr("stats", "-s", part, path).out.partition("\n\n")[2].rstrip("\n") for part in parts]
        expect(sorted(told) == sorted(part.rstrip("\n") for part in left if part not in empty), f"{name}: {parts}")
        expect(head.split("\n")[0] == brief.split("\n")[0], f"{name}: the headline")


# --- stats --fail-on ------------------------------------------------------------------------------


@test
def stats_fails_on_what_it_is_told():
    path = synth("one")
    plain = xtr("stats", path)
    for limit, status in (("execution.p50>1us", 4), ("execution.p50>10s", 0), ("residence.max>1ms", 4), ("queue.mean>1s", 0),
                          ("finding:xe-*", 0)):
        o = xtr("stats", "--fail-on", limit, path)
        expect(o.status == status and o.out == plain.out, f"--fail-on {limit}: status {status}", o)
        expect(o.err == "" if not status else limit in o.err and "synth.0/ring0: " in o.err, "message", o)
    o = xtr("stats", "--json", "--section", "rings", "--fail-on", "execution.p50>1us", path)
    expect(o.status == 4 and json.loads(o.out)["schema"] == "xtr.stats/1", "json", o)
    for wrong in ("", "execution", "execution.p98>1ms", "execution.p99>soon", "finding:"):
        o = xtr("stats", "--fail-on", wrong, path)
        expect(o.status == 2 and o.out == "" and f"--fail-on: '{wrong}' is not one of" in o.err, wrong, o)


@test
def stats_does_not_fail_on_bounds_but_tells_of_them():
    path = os.path.join(ROOT, "tests/golden/frames.xtr")  # rcs12 is bounded: at most 4.93 ms
    o = xtr("stats", "--fail-on", "execution.p99>4.5ms", path)
    expect(o.status == 0 and o.err.splitlines() == [f"xtr: warning: '{path}': 0000:00:02.0/rcs12: execution.p99>4.5ms: not known, it is 4.93 ms at most"],
           "a bound", o)
    for limit in ("execution.p99>5ms", "hw.p99>5ms"):
        o = xtr("stats", "--fail-on", limit, path)
        expect(o.status == 0 and o.err == "", limit, o)


@test
def filters_that_match_nothing():
    path = synth("one")
    out = os.path.join(WORK, "refused")
    for command in (["stats"], ["stats", "--fail-on", "execution.p99>50ms"], ["jobs"], ["flame"], ["top", "--batch"], ["cut", "-o", out],
                    ["export", "-f", "csv", "-o", out], ["report", "-o", out]):
        for options, message in ((["-r", "ring0", "-r", "gfx_typo"], "--ring: nothing is called 'gfx_typo'; there is: ring0, ring1"),
                                 (["-D", "0000*"], "--device: nothing is called '0000*'; there is: synth.0"),
                                 (["-D", "nothing", "-r", "ring0"], "--device: nothing is called 'nothing'; there is: synth.0"),
                                 (["-p", "4"], "--pid: nothing is called '4'; there is: 2000 (app")):
            o = xtr(*command, *options, path)
            expect(o.status == 2 and o.out == "" and message in o.err and not os.path.exists(out), f"{command} {options}", o)
    o = xtr("query", "-r", "gfx_typo", path, "SELECT 1")
    expect(o.status == 2 and o.out == "" and "'gfx_typo'" in o.err, "query", o)
    for options in (["-r", "ring[01]"], ["-D", "synth.*", "-r", "*1"], ["-p", "2000"]):
        expect(xtr("jobs", *options, path).status == 0, options)
    # a ring of a device that is not asked for
    two = synth("two", "-d", "2")
    o = xtr("jobs", "-D", "synth.1", "-r", "ring0", two)
    expect(o.status == 0, "of this device", o)
    o = xtr("stats", crowded(), "-r", "ring*")
    expect(o.status == 2 and "--ring: nothing is called 'ring*'; no ring of the devices that are asked for has jobs" in o.err, "no jobs", o)


@test
def filters_of_several_recordings():
    a, b = synth("one"), synth("third", "-r", "3")
    o = xtr("diff", "-r", "ring2", a, b)
    expect(o.status == 0 and "Only in B" in o.out, "what one of them has", o)
    o = xtr("diff", "--fail-on", "5%", "-r", "ring7", a, b)
    expect(o.status == 2 and o.out == "" and "--ring: nothing is called 'ring7'; there is: ring0, ring1, ring2" in o.err, "none", o)


@test
def findings_that_are_none():
    path = synth("one")
    o = xtr("stats", "--fail-on", "finding:nosuch", path)
    expect(o.status == 2 and o.out == "" and "--fail-on: no finding is called 'nosuch'; there is: " in o.err and " amdgpu-reset, " in o.err, "told", o)
    for limit in ("finding:*-reset", "finding:xid", "finding"):
        expect(xtr("stats", "--fail-on", limit, path).status == 0, limit)


@test
def stats_fails_on_findings():
    thrash = os.path.join(WORK, "thrash.xtr")
    subprocess.run([os.path.join(BUILD, "tests/tools/play"), "--formats", os.path.join(ROOT, "tests/data/tracefs/7.2"),
                    os.path.join(ROOT, "tests/drivers/i915-thrash.play"), "-o", thrash], check=True)
    for limit, status in (("finding", 4), ("finding:i915-*", 4), ("finding:xe-*", 0)):
        for section in ("i915", "rings"):
            o = xtr("stats", "--section", section, "--fail-on", limit, thrash)
            expect(o.status == status and ("i915-rebind-thrash: " in o.err) == (status == 4), f"{section}, {limit}", o)


# --- running them ---------------------------------------------------------------------------------


def run(names):
    global WORK
    with tempfile.TemporaryDirectory(prefix="xtr-cli-") as WORK:
        return checks.main(names)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
