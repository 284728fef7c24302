# SPDX-License-Identifier: BSD-2-Clause
"""What the judges of the lab share: one line for each check, and the exit status.

check() is for what must be so on any host. measured() is for what a busy host can spoil: how long things
took, how many programs an emulated processor was too late for. A recording that fails by nothing else is made
once more (lib/verdict.sh), and must then be right.
"""

BUSY = 4  # exit status: only measurements are out of bounds

_failed = _measured = 0
_lossy = False


def lossy():
    """The recording lost events: from here on, check() too is of what a host can spoil."""
    global _lossy
    _lossy = True


def check(ok, text):
    global _failed
    if _lossy:
        measured(ok, text)
        return
    _failed += not ok
    print(("ok   " if ok else "FAIL ") + text)


def measured(ok, text):
    global _measured
    _measured += not ok
    print(("ok   " if ok else "FAIL measured: ") + text)


def failed():
    """Has a check failed that no host can spoil?"""
    return _failed > 0


def status():
    return 1 if _failed else BUSY if _measured else 0
