# SPDX-License-Identifier: BSD-2-Clause
"""What a program did to files and names (libnote.c), and what a power failure at any moment leaves of a name.

Of a directory what was synced is there; of what was done to it since, any part may be. A name can thus stand for each file that
it was given to since the directory was synced, or for what it stood for then.
"""

import os
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from checks import for_everybody  # noqa: E402

# LD_PRELOAD takes a space for the end of a name, and the tree's path may have one.
LIBRARY, = for_everybody(os.path.join(BUILD, "tests/corrupt/lib/libnote.so"))


def environment(path):
    """Of a program that is to leave its notes there."""
    env = {**os.environ, "LD_PRELOAD": LIBRARY, "NOTES": path}
    if "asan" in BUILD:
        env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return env


def load(path):
    """(kind, inode, bytes) of each; without the last one, if that is just being written."""
    with open(path, "rb") as f:
        data = f.read()
    at, notes = 0, []
    while at + 17 <= len(data):
        inode, n = struct.unpack_from("<QQ", data, at + 1)
        if at + 17 + n <= len(data):
            notes.append((chr(data[at]), inode, data[at + 17:at + 17 + n]))
        at += 17 + n
    return notes


class Disk:
    """Files and names of one directory as the notes are played."""

    def __init__(self, name, old=None):
        self.name = name.encode()
        self.inodes = {}      # of each name, as the programs see it
        self.maybe = [old]    # what the name may stand for after a power failure; None: nothing; "old"
        self.dirty = set()    # files with bytes that were not synced
        self.written = set()

    def bind(self, name, inode):
        self.inodes[name] = inode
        if os.path.basename(name) == self.name:
            self.maybe.append(inode)

    def play(self, kind, inode, data):
        if kind in "WP":
            self.dirty.add(inode)
            self.written.add(inode)
        elif kind == "S":
            self.dirty.discard(inode)
        elif kind == "D":
            self.maybe = self.maybe[-1:]
        elif kind == "C":
            self.bind(data, inode)
        elif kind == "M":
            source, target = data.split(b"\0")[:2]
            self.bind(target, self.inodes.get(source))
        elif kind == "U":
            self.bind(data, None)


def half_written(notes, name, old=None):
    """Of a program whose output appears when it is whole: moments at which a power failure leaves part of it under its name."""
    disk, found = Disk(name, old), []
    for i, note in enumerate(notes):
        disk.play(*note)
        found += [f"after step {i}, {note[0]}" for inode in disk.maybe
                  if inode not in (None, "old") and (inode in disk.dirty or inode not in disk.written)]
    if disk.maybe[-1] not in disk.written:
        found.append("at the end it is not there")
    return found


def unnamed(notes, name):
    """Of a program that writes to its output in place: writes after a sync of it, whose name may not be there."""
    disk, synced, found = Disk(name), False, []
    for i, note in enumerate(notes):
        synced |= note[0] == "S" and note[1] == disk.maybe[-1]
        if note[0] == "W" and note[1] == disk.maybe[-1] and synced and len(disk.maybe) > 1:
            found.append(f"step {i}")
        disk.play(*note)
    if not synced or len(disk.maybe) > 1:
        found.append("the end")
    return found


def save_writes(notes, name, path):
    """The writes and syncs of the file that has this name in the end, for tests/corrupt/crash."""
    disk = Disk(name)
    for note in notes:
        disk.play(*note)
    with open(path, "wb") as f:
        for kind, inode, data in notes:
            if inode == disk.maybe[-1] and kind in "WS":
                f.write(kind.encode() + (struct.pack("<Q", len(data)) + data if kind == "W" else b""))


def crashes(path, seed, n):
    """tests/corrupt/crash of such a file: exit status, what it said."""
    done = subprocess.run([os.path.join(BUILD, "tests/corrupt/crash"), str(seed), str(n), "notes", path], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout
