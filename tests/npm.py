# SPDX-License-Identifier: BSD-2-Clause
"""Packages of npm that tests use: installed once, in the lab's cache (tests/lab/README.md: XTR_LAB_CACHE), as a package-lock.json
names them. Where that cannot be done, a test is skipped with the reason.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile

from checks import Skip, expect

LISTS = ("package.json", "package-lock.json")
# What npm says where the registry cannot be reached; of anything else the test fails.
UNREACHED = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED", "E403")
INSTALL_LIMIT = 600  # s


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("XTR_LAB_CACHE") or os.path.join(home, "xtr/lab")


def install(lists, to):
    """The packages as a folder that is there as a whole or not at all."""
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="npm.", dir=os.path.dirname(to)) as folder:
        for name in LISTS:
            shutil.copy(os.path.join(lists, name), folder)
        try:
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=INSTALL_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise Skip("npm did not get the packages in time") from None
        why = next((code for code in UNREACHED if code in done.stderr), None)
        if done.returncode and why:
            raise Skip(f"npm cannot reach its registry: {why}")
        expect(not done.returncode, f"npm ci: {done.stderr[:1000]}")
        try:
            os.rename(folder, to)
            os.mkdir(folder)  # for TemporaryDirectory
        except OSError:
            expect(os.path.isdir(to), f"cannot make {to}")  # another run was faster


def packages(lists):
    """The folder that node_modules is in; lists: the folder of the two lists, by whose name they are kept."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed: scripts/install-deps readers")
    text = b"".join(open(os.path.join(lists, name), "rb").read() for name in LISTS)
    place = os.path.join(cache(), os.path.basename(os.path.abspath(lists)) + "-" + hashlib.sha256(text).hexdigest()[:16])
    if not os.path.isdir(place):
        install(lists, place)
    return place


def run(program, lists, *arguments, **options):
    """Runs a program of node beside the packages; what it printed."""
    with tempfile.TemporaryDirectory(prefix="xtr-node-") as folder:
        os.symlink(os.path.join(packages(lists), "node_modules"), os.path.join(folder, "node_modules"))
        done = subprocess.run(["node", shutil.copy(program, folder), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              **options)
    expect(not done.returncode, f"node {os.path.basename(program)} {arguments[:1]}: {done.stderr.decode()[-1000:]}")
    return done.stdout
