# SPDX-License-Identifier: BSD-2-Clause
"""Files that xtr makes: mode 0600 under any umask, and never through a link."""

import os
import pwd
import shutil
import stat
import subprocess
import threading

import checks
from lib import LONG, NOBODY, TRACE, XTR, equal, expect, figure, run, test
from offline import COMMANDS, FTRACE

RECORD = ["record", "-q", "-e", "dma_fence:dma_fence_signaled", "-d", "20ms"]


def writers():
    """(name, arguments without -o OUTPUT) of all that makes a file."""
    with open("trace.txt", "wb") as f:
        f.write(FTRACE)
    result = [("record", RECORD)]
    for c in COMMANDS:
        if c.output:
            result.append((" ".join([c.name, *c.options]),
                           [c.name, *c.options, os.path.abspath("trace.txt") if c.text else TRACE]))
    return result


def write(args, output, *options, **kwargs):
    head, rest = args[0], args[1:]
    return run([XTR, head, "-o", output, *options, *rest], **kwargs)


def private(path, what):
    st = os.lstat(path)
    expect(stat.S_ISREG(st.st_mode), f"{what}: {path} is no file")
    equal(st.st_mode & 0o7777, 0o600, f"{what}: mode")


def content(path):
    with open(path, "rb") as f:
        return f.read()


@test
def outputs_are_private_under_any_umask():
    n = 0
    for what, args in writers():
        for mask in (0, 0o077, 0o777):
            for force in ([], ["--force"]):
                if what == "record" and mask == 0o077:
                    continue
                name = f"out{n}"
                if force:
                    shutil.copy(TRACE, name)
                    os.chmod(name, 0o666)
                status, _, message = write(args, name, *force, umask=mask)
                expect(status in (0, 3), f"{what} {force}: {status} {message}")
                private(name, f"{what} {force}, umask {mask:o}")
                n += 1
    figure("outputs", n, "files written with umask 0, 077 and 777, new ones and with --force: each has mode 0600")


def sudo(uid, gid):
    """The environment of what such a user asked root to run."""
    return {**os.environ, "SUDO_UID": str(uid), "SUDO_GID": str(gid), "SUDO_USER": "whoever", "SUDO_COMMAND": "xtr"}


def owner(path):
    st = os.lstat(path)
    return st.st_uid, st.st_gid, oct(st.st_mode)


@test
def what_is_made_under_sudo_is_who_asked_for_its():
    """New and with --force, of each command; then they read it, and nobody else."""
    n = 0
    group = pwd.getpwuid(NOBODY).pw_gid
    for what, args in writers():
        for force in ([], ["--force"]):
            name = os.path.abspath(f"sudo{n}")
            if force:
                shutil.copy(TRACE, name)
            status, _, message = write(args, name, *force, env=sudo(NOBODY, group), umask=0)
            expect(status in (0, 3), f"{what} {force}: {status} {message}")
            equal(owner(name), (NOBODY, group, "0o100600"), f"{what} {force}: owner and mode")
            equal(run(["cat", name], NOBODY)[0], 0, f"{what}: read by its owner")
            n += 1
    figure("sudo", n, "files made by sudo: each is the user's, with mode 0600")


@test
def pieces_and_bundles_under_sudo_are_theirs_too():
    """In a directory of root's where all may write (/tmp), in one of theirs, and in one of root's alone."""
    group = pwd.getpwuid(NOBODY).pw_gid
    places = {"open": (0, 0o1777, NOBODY), "theirs": (NOBODY, 0o755, NOBODY), "roots": (0, 0o755, 0)}
    for place, (user, mode, want) in places.items():
        for kind in ("rotate", "flight", "bundle"):
            folder = f"{place}-{kind}"
            os.mkdir(folder)
            os.chown(folder, user, user)
            os.chmod(folder, mode)
            options = {"rotate": ["--rotate", "60s"], "flight": ["--flight", "1M"], "bundle": ["--bundle", f"{folder}/b.tar.zst"]}[kind]
            status, _, message = run([XTR, *RECORD, "-o", f"{folder}/run.xtr", *options], env=sudo(NOBODY, group))
            equal(status, 0, f"{folder} ({message})")
            made = sorted(os.listdir(folder))
            expect(made, f"{folder}: nothing was made")
            for name in made:
                expected = NOBODY if kind == "bundle" else want
                equal(owner(f"{folder}/{name}")[::2], (expected, "0o100600"), f"{folder}/{name}: owner and mode")


@test
def sudo_is_believed_only_where_it_is_plain():
    """Not root, no such user, a group that is not theirs, no number: the file is root's. A user's own file stays theirs."""
    group = pwd.getpwuid(NOBODY).pw_gid
    unknown = next(u for u in range(40000, 60000) if not known(u))
    for i, (uid, gid) in enumerate([(0, 0), ("", ""), ("-1", group), (NOBODY, "-1"), (NOBODY, 0), (2**32 - 1, group), (2**32 + NOBODY, group),
                                    (f"{NOBODY}x", group), (f" {NOBODY}", group), (unknown, unknown)]):
        for what, args in (("record", RECORD), ("cut", ["cut", TRACE])):
            status, _, message = write(args, f"{what}{i}", env=sudo(uid, gid))
            expect(status in (0, 3), f"{what}: {status} {message}")
            equal(owner(f"{what}{i}"), (0, 0, "0o100600"), f"{what}, SUDO_UID={uid!r} SUDO_GID={gid!r}")
    with open("stdout", "wb") as f:
        subprocess.run([XTR, *RECORD, "-o", "-"], stdout=f, env=sudo(NOBODY, group), check=True)
    equal(owner("stdout")[0], 0, "what the shell made for standard output")
    copy, = checks.for_everybody(XTR)
    status, _, message = run([copy, "cut", "-o", "own", TRACE], NOBODY, env=sudo(0, 0))
    expect(status in (0, 3), f"{status} {message}")
    equal(owner("own")[0], NOBODY, "a user's own file")


def known(uid):
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        return None


@test
def outputs_go_through_no_link():
    tried = 0
    for what, args in writers():
        with open("victim", "w", encoding="ascii") as f:
            f.write("precious")
        os.chmod("victim", 0o644)
        for name in ("link", "nowhere", "two", "far"):
            if os.path.lexists(name):
                os.unlink(name)
        os.symlink("victim", "link")
        os.symlink("not-there", "nowhere")
        os.symlink("link", "two")
        os.symlink(os.path.abspath("victim"), "far")
        for name in ("link", "nowhere", "two", "far"):
            for force in ([], ["--force"]):
                status, _, message = write(args, name, *force)
                equal(status, 1, f"{what} to {name} {force}: exit status ({message})")
                expect(message.startswith("xtr: '"[:5]) and name in message, f"{what}: {message!r}")
                expect(os.path.islink(name), f"{what}: {name} is no link any more")
                tried += 1
        equal((content("victim"), os.stat("victim").st_mode & 0o777), (b"precious", 0o644), f"{what}: the victim")
        expect(not os.path.exists("not-there"), f"{what} followed a link to nowhere")
    figure("links", tried, "outputs that were symbolic links: none was followed")


@test
def other_names_of_a_file_keep_its_content():
    for what, args in writers():
        shutil.copy(TRACE, "victim")
        os.chmod("victim", 0o640)
        before = content("victim")
        os.link("victim", "hard")
        equal(write(args, "hard")[0], 1, f"{what}: without --force")
        status, _, message = write(args, "hard", "--force")
        expect(status in (0, 3), f"{what}: {message}")
        private("hard", what)
        equal((content("victim"), os.stat("victim").st_mode & 0o777), (before, 0o640), f"{what}: the other name")
        os.unlink("hard")
        os.unlink("victim")


@test
def a_directory_may_be_behind_a_link():
    os.mkdir("real")
    os.symlink("real", "directory")
    for i, (what, args) in enumerate(writers()):
        status, _, message = write(args, f"directory/{i}")
        expect(status in (0, 3), f"{what}: {message}")
        private(f"real/{i}", what)


@test
def somebody_elses_pipe_gets_nothing():
    for what, args in writers():
        for owner in (NOBODY, 0):
            os.mkfifo("pipe")
            os.chmod("pipe", 0o666)
            os.chown("pipe", owner, owner)
            got = bytearray()
            fd = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)

            def read():
                try:
                    while data := os.read(fd, 65536):
                        got.extend(data)
                except BlockingIOError:
                    pass
            status, _, message = write(args, "pipe", "--force")
            read()
            os.close(fd)
            # record writes to a pipe of one's own or root's; the other commands write plain files.
            taken = what == "record" and owner == 0
            equal((status, bool(got)), (0, True) if taken else (1, False), f"{what}, a pipe of {owner} ({message})")
            expect(stat.S_ISFIFO(os.lstat("pipe").st_mode), f"{what} replaced a pipe")
            os.unlink("pipe")


@test
def no_link_that_comes_meanwhile_is_followed():
    """Somebody puts a link to a victim and a file in turn where the output goes: the victim stays as it is."""
    with open("victim", "w", encoding="ascii") as f:
        f.write("precious")
    os.chmod("victim", 0o644)
    go, n = True, 0

    def swap():
        i = 0
        while go:
            i += 1
            try:
                if i % 2:
                    os.symlink("victim", "mine")
                else:
                    with open("mine", "w", encoding="ascii"):
                        pass
                os.rename("mine", "out")
            except OSError:
                pass

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        chosen = [w for w in writers() if w[0] in ("record", "cut", "import -f ftrace")]
        for _ in range(200 if LONG else 20):
            for what, args in chosen:
                status, _, message = write(args, "out", "--force")
                expect(status in (0, 1, 3), f"{what}: {status} {message}")
                n += 1
    finally:
        go = False
        thread.join()
    equal((content("victim"), os.stat("victim").st_mode & 0o777), (b"precious", 0o644), "the victim")
    figure("races", n, "outputs written while a link and a file took turns under their name: the link's target is untouched")
