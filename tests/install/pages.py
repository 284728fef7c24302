# SPDX-License-Identifier: BSD-2-Clause
"""Manual pages as they are installed: right for every reader of roff, and their sessions are what happens."""

import glob
import os
import re
import shutil
import subprocess

from common import PREFIX, ROOT, WORK, XTR, equal, expect, figure, missing, run, test

MAN = os.path.join(PREFIX, "share/man")
SESSIONS = ("man/xtr-tutorial.7", "man/xtr.5")
# Characters that roff would make something else of, and what stands for them.
ROFF = [("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")]
TEXT = {"\\e": "\\", "\\-": "-", "\\(aq": "'", "\\(ga": "`", "\\(ha": "^", "\\(ti": "~", "\\&": ""}


def to_roff(line):
    for char, name in ROFF:
        line = line.replace(char, name)
    return "\\&" + line if line.startswith(".") else line


def from_roff(line):
    return re.sub(r"\\(?:\(..|.)", lambda m: TEXT[m.group()], line)


def pages():
    return sorted(glob.glob(os.path.join(MAN, "man*", "*")))


@test
def every_command_has_a_page():
    names = ["xtr-" + n for n in run(XTR, "--dump-commands").split()]
    have = {os.path.basename(p) for p in pages()}
    equal(have, {n + ".1" for n in names} | {"libxtr.3", "xtr.1", "xtr.5", "xtr-tutorial.7"}, "pages")
    with open(os.path.join(MAN, "man1/xtr.1"), encoding="utf-8") as f:
        text = f.read()
    for name in names:
        expect(f".It Xr {name} 1\n" in text, f"{name} is not in xtr(1)")
    expect(".Xr xtr-tutorial 7" in text and ".Xr xtr 5 ," in text, "xtr(1) does not name the other sections")


def declared(synopsis):
    """The declarations in C that .Ft and .Fn make."""
    out = ""
    for kind, name, arguments in re.findall(r'^\.Ft "?(.*?)"?\n\.Fn (\w+) (.*)$', synopsis, re.M):
        arguments = ", ".join(quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', arguments))
        out += f"{kind}{'' if kind.endswith('*') else ' '}{name}({arguments});\n"
    return out


def prototypes(text):
    """Declarations of functions, as text with single spaces."""
    return {" ".join(x.split()).replace("( ", "(") for x in re.findall(r"^[a-z][\w *]*\bxtr_\w+\([^;{]*\);", text, re.M)}


@test
def the_librarys_page_is_its_header():
    """libxtr(3) declares what xtr.h declares, and has a line about each function."""
    with open(os.path.join(ROOT, "lib/xtr.h"), encoding="utf-8") as f:
        header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    with open(os.path.join(MAN, "man3/libxtr.3"), encoding="utf-8") as f:
        synopsis, rest = f.read().split(".Sh DESCRIPTION")
    want = prototypes(header)
    equal(prototypes(declared(synopsis)), want, "declarations")
    expect(len(want) == 22, f"{len(want)} functions")
    for declaration in want:
        name = re.search(r"\b(xtr_\w+)\(", declaration).group(1)
        expect(name in rest, f"{name} is not described")


@test
def links_lead_somewhere():
    have = {os.path.basename(p) for p in pages()}
    for path in pages():
        with open(path, encoding="utf-8") as f:
            for name, section in re.findall(r"^\.(?:It )?Xr ([\w-]+) (\d)", f.read(), re.M):
                expect(not name.startswith("xtr") or f"{name}.{section}" in have, f"{path}: {name}({section}) is no page")


@test
def mandoc_and_groff_have_no_complaint():
    if missing("mandoc", "groff"):
        return missing("mandoc", "groff")
    for path in pages():
        name = os.path.basename(path)
        # A line of what a command printed may be long, and "STYLE" is about taste; all from WARNING on counts.
        said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True, check=False)
        equal((said.returncode, said.stdout + said.stderr), (0, ""), f"mandoc -T lint {name}")
        said = subprocess.run(["groff", "-mandoc", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True, check=False)
        equal((said.returncode, said.stderr), (0, ""), f"groff -ww {name}")
    return None


def recording_is_possible():
    return os.geteuid() == 0 and subprocess.run([XTR, "doctor"], capture_output=True, check=False).returncode == 0


def typed(command, folder, env):
    """The lines that a command prints when somebody types it in there."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    # head(1) may end what is before it.
    expect(done.returncode in (0, 141), f"{command}: status {done.returncode}\n{done.stdout}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def session(path, can_record):
    """
    Runs the commands of a page in an empty folder, `$` as anybody and `#` as root. The page with what they print now;
    commands that ran, and that were left out.
    """
    folder = os.path.join(WORK, "session-" + os.path.basename(path))
    os.makedirs(folder)
    if "tutorial" not in path:  # which says where to get it
        shutil.copy(os.path.join(PREFIX, "share/doc/xtr/examples/run.xtr"), folder)
    env = {**os.environ, "PATH": os.path.join(PREFIX, "bin") + ":" + os.environ["PATH"], "COLUMNS": "80"}
    out, inside, ran, left = [], False, 0, 0
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    for line in lines:
        if line in (".Bd -literal", ".Ed"):
            inside = line != ".Ed"
        if not inside or line == ".Bd -literal":
            out.append(line)
        elif line.startswith("# "):
            out.append(line)
            if can_record:
                root(from_roff(line[2:]), folder, env)
            ran, left = ran + can_record, left + (not can_record)
        elif line.startswith("$ "):
            out.append(line)
            command = from_roff(line[2:]).replace("@doc@", os.path.join(PREFIX, "share/doc/xtr")).replace("@share@", os.path.join(PREFIX, "share"))
            out += [to_roff(text) for text in typed(command, folder, env)]
            ran += 1
    return "\n".join(out) + "\n", ran, left


def root(command, folder, env):
    """What records has no text to compare: it worked, or lost events (3)."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300, check=False)
    expect(done.returncode in (0, 3), f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")


def update():
    for path in SESSIONS:
        text, ran, _ = session(os.path.join(ROOT, path), False)
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as f:
            f.write(text)
        print(f"{path}: {ran} commands")


@test
def sessions_are_what_happens():
    all_ran, all_left, can_record = 0, 0, recording_is_possible()
    for path in SESSIONS:
        text, ran, left = session(os.path.join(ROOT, path), can_record)
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            want = f.read()
        different = [(w, h) for w, h in zip(want.splitlines(), text.splitlines()) if w != h][:3]
        expect(text == want, f"{path} is not what happens (tests/install/run --update writes it anew): {different}")
        all_ran, all_left = all_ran + ran, all_left + left
    expect(all_ran > 10, "the pages have hardly any commands")
    figure("commands", all_ran, f"of manual pages ran; {all_left} that record did not, as this machine or user cannot")
