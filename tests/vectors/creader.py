# SPDX-License-Identifier: BSD-2-Clause
"""Talks to vector_reader --batch: what does libxtr read in these bytes?"""
import os
import struct
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))


class CReader:
    """One process for many files. After it died, read() raises with what it said."""

    def __init__(self):
        program = os.path.join(BUILD, "tests/vectors/vector_reader")
        self.process = subprocess.Popen([program, "--batch"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def read(self, data, summary=False):
        try:
            self.process.stdin.write(struct.pack("<II", len(data), summary) + data)
            self.process.stdin.flush()
            head = self.process.stdout.read(4)
            if len(head) == 4:
                length = struct.unpack("<I", head)[0]
                text = self.process.stdout.read(length)
                if len(text) == length:
                    return text
        except BrokenPipeError:
            pass
        raise RuntimeError("vector_reader died, status %s" % self.process.wait())

    def close(self):
        self.process.stdin.close()
        return self.process.wait()
