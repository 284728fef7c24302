# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of imports share: running xtr, reading back what was imported."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XTR = os.path.join(ROOT, os.environ.get("XTR", "xtr"))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests"))
from checks import Outcome, Skip, expect, test  # noqa: E402,F401 (for the tests)
from checks import equal as equal_values  # noqa: E402


def xtr(*arguments, data=None, cwd=None, env=None, raw=False, pipe=True):
    """Runs xtr; pipe False: its standard output is a file, as where none is piped."""
    with tempfile.TemporaryFile() as file:
        run = subprocess.run([XTR, *arguments], input=data, stdin=subprocess.DEVNULL if data is None else None,
                             stdout=subprocess.PIPE if pipe else file, stderr=subprocess.PIPE, timeout=600,
                             check=False, cwd=cwd, env={**os.environ, **(env or {})})
        if not pipe:
            file.seek(0)
            run.stdout = file.read()
    out = run.stdout if raw else run.stdout.decode("utf-8", "replace")
    return Outcome(run.returncode, out, run.stderr.decode("utf-8", "replace"))


def equal(have, want, what):
    """Of lists, what is in one of them alone."""
    if have != want and isinstance(have, list) and isinstance(want, list):
        only = [x for x in have if x not in want][:3], [x for x in want if x not in have][:3]
        what += f": {len(have)} instead of {len(want)}, only there {only[0]}, missing {only[1]}"
    equal_values(have, want, what)


def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def import_file(folder, data, *arguments, name="in.dat", status=0):
    """Import bytes; the path of the result."""
    out = os.path.join(folder, name + ".xtr")
    outcome = xtr("import", "--force", "-o", out, *arguments, put(folder, name, data))
    expect(outcome.status == status, f"xtr import ends with {status}", outcome)
    check = subprocess.run(["python3", os.path.join(ROOT, "spec/reader.py"), "--summary", out], capture_output=True,
                           check=False)
    expect(check.returncode == 0, "the independent reader finds no problem", check.stdout[-1000:])
    return out, outcome


def json_lines(*arguments):
    outcome = xtr(*arguments)
    expect(outcome.status in (0, 3), f"xtr {' '.join(arguments)}", outcome)
    return [json.loads(line) for line in outcome.out.splitlines()]


def jobs(path):
    return json_lines("jobs", "--jsonl", path)


def events(path, *arguments):
    return [e for e in json_lines("dump", "--json", path, *arguments) if "event" in e]


def info(path):
    return json.loads(xtr("info", "--json", path).out)


def config(path):
    return info(path)["sections"][0]["config"]
