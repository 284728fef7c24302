#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Calls of functions of the fake GPU's driver against what it knows: one fg_run_job and one fg_signal
per job. usage: accept_func.py XTR DIR (run.xtr, truth.csv)"""
import collections
import csv
import json
import subprocess
import sys

from judge import check, lossy, measured, status

xtr, where = sys.argv[1:]
jobs = sum(1 for _ in csv.DictReader(open(f"{where}/truth.csv", encoding="ascii")))
run = f"{where}/run.xtr"
calls, contexts, open_calls, odd, slow = collections.Counter(), collections.Counter(), {}, [], []
durations = 0
text = subprocess.run([xtr, "dump", "--json", run], capture_output=True, text=True).stdout
for line in text.splitlines():
    event = json.loads(line)
    name = event.get("event", "")  # gaps have none
    if not name.startswith("func:"):
        continue
    function = name.split(":")[2]
    calls[name] += 1
    contexts[function, event["fields"]["context"]["name"]] += 1
    key = (function, event["cpu"] if function == "fg_signal" else event["tid"])
    if not name.endswith(":ret"):
        open_calls[key] = event["ts_ns"]
    elif key not in open_calls:
        odd.append(f"{name} at {event['ts_ns']}: no entry")
    else:
        took = event["ts_ns"] - open_calls.pop(key)
        durations += 1
        if took <= 0:
            odd.append(f"{name} at {event['ts_ns']}: {took} ns")
        elif took >= 1_000_000_000:
            slow.append(f"{name} at {event['ts_ns']}: {took} ns")
info = json.loads(subprocess.run([xtr, "info", "--json", run], capture_output=True, text=True).stdout)
lost = info["lost"]
seen = sum(calls.values())
print(f"{jobs} jobs: {dict(calls)}, {lost} lost, contexts {dict(contexts)}, {durations} pairs")
check(seen + lost == 4 * jobs, f"{seen} recorded + {lost} lost, called {4 * jobs}")
for (function, context), n in contexts.items():
    want = "hardirq" if function == "fg_signal" else "task"
    check(context == want, f"{function}: {n} in context {context}, it runs in {want}")
if lost:
    lossy()  # a half that was lost leaves the other one alone
check(not odd, f"each return has its entry before it: {odd[:3]}")
check(durations >= jobs, f"{durations} calls with both halves")
measured(not slow, f"none took a second: {slow[:3]}")
sys.exit(status())
