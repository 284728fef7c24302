#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges what xtr attached of the npu groups to the kernel's own intel_vpu (npu-real-guest.sh).

usage: npu_real_check.py DIR KERNEL

What there is to attach to is read from the kernel's lists, by a reader that shares nothing with xtr's.
Prints one line per check.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "spec"))
import reader  # noqa: E402

failed = 0
SUFFIX = r"(\.(isra|constprop|part)\.\d+)*"
# Names of fields that the analyses of the NPU rest on, where the function is there.
FIELDS = {
    "ivpu_bo_create_ioctl": (["size", "flags"], ["ret", "handle", "vpu_addr"]),
    "ivpu_submit_ioctl": (["buffer_count", "engine"], ["ret"]),
    "ivpu_cmdq_submit_ioctl": (["buffer_count", "cmdq_id"], ["ret"]),
    "ivpu_bo_wait_ioctl": (["handle"], ["ret", "job_status"]),
    "ivpu_get_param_ioctl": (["param"], ["ret", "value"]),
    "ivpu_ipc_receive": ([], ["ret"]),
    "ivpu_bo_bind": (["size"], ["ret"]),
    "ivpu_bo_pin": (["size"], ["ret"]),
}


def check(ok, text):
    global failed
    failed += not ok
    print(("ok   " if ok else "FAIL ") + text)


def lines(directory, name):
    with open(os.path.join(directory, name), encoding="ascii") as f:
        return f.read().splitlines()


def section(directory, name):
    with open(os.path.join(directory, name + ".xtr"), "rb") as f:
        file = reader.File(f.read())
    check(not file.problems and len(file.sections) == 1, f"{name}.xtr is whole")
    return file.sections[0]


def providers(part):
    return {p["name"]: p for m in part.content[reader.META] for p in m["providers"]}


def events(part):
    return {e["name"]: e for m in part.content[reader.META] for e in m["events"]}


def in_list(names, module, function):
    """Symbols of a function in a list of "symbol [module]"."""
    pattern = re.compile(re.escape(function) + SUFFIX + "$")
    return {s for s, m in names if m == module and pattern.match(s)}


def judge_functions(have, symbols, traceable, rows):
    attached = 0
    for row in rows:
        if "purpose" not in row:
            continue
        module = row["name"].split(":")[1]
        there = [in_list(symbols, module, c) for c in row["candidates"]]
        first = next((c for c, s in zip(row["candidates"], there) if s), None)
        p = have.get(f"func:{module}:{first or row['candidates'][0]}")
        if p is None:
            check(False, f"{row['purpose']}: the file does not tell of it")
        elif first is None:
            check(p["state"] == "missing" and p.get("why"), f"{row['purpose']}: missing, as in the kernel: {p.get('why')}")
        else:
            usable = in_list(traceable, module, first)
            ok = p["state"] == "attached" and set(p["target"].split(", ")) == usable
            check(ok if usable else p["state"] == "refused", f"{row['purpose']}: {p['state']} {p['target']}")
            attached += p["state"] == "attached"
    return attached


def judge_fields(kinds):
    for function, (entry, ret) in FIELDS.items():
        name = f"func:intel_vpu:{function}"
        if name not in kinds:
            continue
        have = [[f[0] for f in kinds[n]["fields"] if f[0] != "context"] for n in (name, name + ":ret")]
        check(have == [entry, ret], f"{function}: fields {have}")
    name = "func:intel_vpu:ivpu_mmu_context_map_sgt"
    have = [f[0] for f in kinds[name]["fields"] if f[0] != "context"]
    check(have == (["vpu_addr", "bo_size"] if "func:intel_vpu:ivpu_bo_bind" in kinds else ["vpu_addr"]),
          f"map_sgt: fields {have}")


def judge_tracepoints(kinds, vpu):
    names = sorted(e for e in vpu if e not in ("enable", "filter"))
    have = sorted(n[4:] for n in kinds if n.startswith("vpu:"))
    check(have == names, f"trace points of system vpu: {have}")
    for name, texts in (("job", ["event"]), ("jsm", ["event", "type"]), ("pm", ["event"])):
        if name in names:
            found = [f[0] for f in kinds["vpu:" + name]["fields"] if f[2] == "strid"]
            check(found == texts, f"vpu:{name}: texts behind pointers: {found}")


def judge_pattern(have, symbols, traceable):
    """Every ivpu_* function that can be traced is attached; what else there is, is refused."""
    wanted = {s for s, m in traceable if m == "intel_vpu" and s.startswith("ivpu_")}
    got = {s for p in have.values() if p["state"] == "attached" for s in p["target"].split(", ")}
    check(got == wanted, f"npu:functions: {len(got)} functions, not {sorted(wanted ^ got)[:5]}")
    refused = {n.split(":")[2] for n, p in have.items() if p["state"] != "attached"}
    bases = {re.sub(r"\..*", "", s) for s, m in symbols
             if m == "intel_vpu" and s.startswith("ivpu_") and not s.endswith(".cold")}
    check(refused == bases - {re.sub(r"\..*", "", s) for s in wanted}, f"refused: {sorted(refused)}")


def judge_fences(directory):
    counts = {}
    for name in ("npu", "fences", "hidden"):
        part = section(directory, name)
        kind = events(part)["dma_fence:dma_fence_init"]["type"]
        counts[name] = sum(r[2] == kind for r in part.content[reader.EVENTS])
        status = lines(directory, name + ".status")[0]
        check(status in ("0", "3"), f"{name}: exit status {status}")
    said = any("hidden" in line for line in lines(directory, "hidden.err"))
    check(counts["npu"] == 0, f"group npu leaves out the fences of another driver ({counts['npu']} recorded)")
    check(counts["fences"] > 50, f"by name they are recorded ({counts['fences']})")
    check(counts["hidden"] > 50 and said, f"with hidden addresses, too ({counts['hidden']}), and it is said")


def main(directory, kernel):
    if os.path.exists(os.path.join(directory, "none.status")):
        check(kernel == "6.1", f"kernel {kernel} has an intel_vpu")
        err = lines(directory, "none.err")
        check(lines(directory, "none.status") == ["5"] and "intel_vpu is not loaded" in err[0], f"without driver: {err}")
        return
    symbols, traceable = set(), set()
    for line in lines(directory, "kallsyms"):
        _, kind, name, module = line.split()
        if kind in "tTwW" and not name.startswith("__pfx_"):
            symbols.add((name, module.strip("[]")))
    for line in lines(directory, "traceable"):
        name, module = line.split()[:2]
        traceable.add((name, module.strip("[]")))
    with open(os.path.join(directory, "list.json"), encoding="utf-8") as f:
        rows = json.load(f)["events"]
    part = section(directory, "npu")
    attached = judge_functions(providers(part), symbols, traceable, rows)
    check(attached >= 38, f"{attached} functions of group npu are attached")
    judge_fields(events(part))
    judge_tracepoints(events(part), lines(directory, "vpu"))
    judge_pattern(providers(section(directory, "functions")), symbols, traceable)
    judge_fences(directory)


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.exit(failed > 0)
