# SPDX-License-Identifier: BSD-2-Clause
"""What the judges of the lab share: one line for each check, and the exit status.

check() is for what must be so on any host. measured() is for what a busy host can spoil: how long things
took, how many programs an emulated processor was too late for. A recording that fails by nothing else is made
once more (lib/verdict.sh), and must then be right.
"""

import re

BUSY = 4  # exit status: only measurements are out of bounds

STALLS = re.compile(r"rcu.*(stall|starved)|lockup|hung_task|blocked for more than")  # of a kernel whose host stopped it

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


class Tally:
    """Counts of what is the same on any host, for programs that say each check by itself."""

    def __init__(self, verbose):
        self.passed = self.failed = 0
        self.verbose = verbose
        self.busy = ""  # why a failure may be the host's: then the recording is made once more

    def note(self, ok, text):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok or self.verbose:
            print(f"  {'PASS' if ok else 'FAIL'} {text}", flush=True)

    def ran(self, status, log, text):
        """The end of `lab run`, and what the kernel said meanwhile; 124: not done in time, or the emulator's fault."""
        if status == 124:
            self.busy = "it was not done in time, or its emulator at fault"
        elif STALLS.search(log):
            self.busy = "the guest was stopped for long"
        self.note(status == 0, f"{text} (exit status {status})")

    def once_more(self, function):
        """function(tally) counts; a second time where it failed and the host may be the reason."""
        first = Tally(self.verbose)
        function(first)
        if first.failed and first.busy:
            print(f"  once more without the {first.failed} failures above: {first.busy}", flush=True)
            first = Tally(self.verbose)
            function(first)
        self.passed += first.passed
        self.failed += first.failed
