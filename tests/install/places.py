# SPDX-License-Identifier: BSD-2-Clause
"""What is installed where; what file(1), the desktop and systemd make of it."""

import os
import re
import xml.etree.ElementTree

from common import BUILD, DEST, GOLDEN, PREFIX, ROOT, WORK, XTR, equal, expect, figure, files_below, make, missing, run, test

MAGIC = os.path.join(PREFIX, "share/file/magic/xtr")
UNIT = os.path.join(PREFIX, "lib/systemd/system/xtr-flight.service")
SHIP = os.path.join(PREFIX, "lib/systemd/system/xtr-ship.service")
MIME = "application/x-xtr-trace"


def synth(name, *options):
    path = os.path.join(WORK, name)
    run(os.path.join(BUILD, "tests/tools/synth"), "-n", "3000", "-o", path, *options)
    return path


@test
def a_packager_chooses_every_place():
    """DESTDIR and the variables of the GNU conventions; uninstall leaves nothing."""
    places = ["DESTDIR=" + DEST, "PREFIX=/opt/xtr", "libdir=/opt/xtr/lib/somewhere", "mandir=/man", "bindir=/opt/bin"]
    make("install", *places)
    there = files_below(DEST)
    for path in ("opt/bin/xtr", "opt/xtr/include/xtr.h", "opt/xtr/lib/somewhere/libxtr.a", "opt/xtr/lib/somewhere/libxtr.so.0",
                 "opt/xtr/lib/somewhere/pkgconfig/xtr.pc", "man/man1/xtr-stats.1", "man/man5/xtr.5",
                 "opt/xtr/share/doc/xtr/spec/xtr.md"):
        expect(path in there, f"{path} is not installed")
    with open(os.path.join(DEST, "opt/xtr/lib/somewhere/pkgconfig/xtr.pc"), encoding="utf-8") as f:
        equal(re.findall(r"^(?:libdir|includedir)=(.*)", f.read(), re.M), ["/opt/xtr/lib/somewhere", "/opt/xtr/include"], "xtr.pc")
    make("uninstall", *places)
    equal(files_below(DEST), set(), "left behind")


MADE = ("report.md", "run.amd.md")  # by xtr bundle --for


@test
def what_texts_name_is_installed():
    """Documents that manuals, help, the unit, the header and file types name, by their place in the documentation folder."""
    folder = os.path.join(PREFIX, "share/doc/xtr")
    texts = {path: open(os.path.join(PREFIX, path), encoding="utf-8", errors="replace").read() for path in files_below(PREFIX)
             if path.startswith(("share/man/", "lib/systemd/", "include/", "share/file/", "share/mime/"))}
    for command in run(XTR, "--dump-commands").split():
        texts[f"xtr {command} --help"] = run(XTR, command, "--help")
    texts["xtr --help"] = run(XTR, "--help")
    named = {(where, name) for where, text in texts.items()
             for name in re.findall(r"[\w./-]*\w\.(?:md|cddl)\b", text.replace("\\-", "-").replace("docs/NAME.md", "").replace("spec/NAME.md", ""))
             if name not in MADE}
    expect(len({name for _, name in named}) >= 10, f"only {named}")
    lost = sorted(f"{where}: {name}" for where, name in named if not os.path.isfile(os.path.join(folder, name)))
    equal(lost, [], "named and not installed")


@test
def versions_are_one():
    """The program, the library's name and pkg-config say the version of format/version.h."""
    with open(os.path.join(ROOT, "format/version.h"), encoding="utf-8") as f:
        version = re.search(r'define XTR_VERSION "(.*)"', f.read()).group(1)
    equal(run(XTR, "--version").split()[1], version, "xtr --version")
    expect(os.path.isfile(os.path.join(PREFIX, f"lib/libxtr.so.0.{version}")), "the library's file has no version")
    with open(os.path.join(PREFIX, "lib/pkgconfig/xtr.pc"), encoding="utf-8") as f:
        expect(f"\nVersion: {version}\n" in f.read(), "version of xtr.pc")


@test
def file_knows_traces():
    if missing("file"):
        return missing("file")

    def said(path, *options):
        return run("file", "-b", "-m", MAGIC, *options, path).strip()

    packed, small = os.path.join(WORK, "packed.xtr"), os.path.join(WORK, "zstd.xtr")
    run(XTR, "pack", "-o", packed, os.path.join(GOLDEN, "frames.xtr"))
    equal(said(os.path.join(GOLDEN, "frames.xtr")), "xtr trace, version 1.0, LZ4", "a trace")
    equal(said(synth("big.xtr")), "xtr trace, version 1.0, LZ4", "a longer one")
    equal(said(packed), "xtr trace, version 1.0, LZ4, packed in columns", "packed")
    if "zstd" in run(XTR, "pack", "--help"):
        run(XTR, "pack", "--zstd", "-o", small, synth("big2.xtr"))
        equal(said(small), "xtr trace, version 1.0, zstd, packed in columns", "packed with zstd")
    equal(said(os.path.join(GOLDEN, "frames.xtr"), "-i"), MIME + "; charset=binary", "type")
    expect("xtr trace" not in said(XTR), "a program is no trace")
    return None


@test
def the_desktop_knows_traces():
    """The database of types, made with our file alone, knows the name and the first bytes."""
    if missing("update-mime-database"):
        return missing("update-mime-database")
    folder = os.path.join(WORK, "mime")
    os.makedirs(os.path.join(folder, "packages"))
    source = os.path.join(PREFIX, "share/mime/packages/xtr.xml")
    xml.etree.ElementTree.parse(source)
    os.link(source, os.path.join(folder, "packages/xtr.xml"))
    equal(run("update-mime-database", folder, both=True, env={"XDG_DATA_DIRS": WORK}), "", "update-mime-database says")
    with open(os.path.join(folder, "globs2"), encoding="utf-8") as f:
        expect(f"50:{MIME}:*.xtr\n" in f.read(), "the name is not known")
    with open(os.path.join(folder, "magic"), "rb") as f, open(os.path.join(GOLDEN, "frames.xtr"), "rb") as t:
        expect(t.read(8) in f.read(), "the first bytes are not known")
    return None


def unit_lines(unit=UNIT):
    with open(unit, encoding="utf-8") as f:
        return [line.rstrip("\n").split("=", 1) for line in f if re.match(r"\w+=", line)]


@test
def the_service_starts_what_is_installed():
    """Its options are ones that xtr takes: with a trigger that is none, the one complaint is about that."""
    if "recorder" in run(XTR, "--version").partition("left out")[2]:
        return "built without the recorder"
    command = dict(unit_lines())["ExecStart"].replace("${INVOCATION_ID}", "x").split()
    equal(command[:2], [XTR, "record"], "the program")
    said = run(*command, "--trigger", "nothing", status=2, both=True)
    expect(said.startswith("xtr: --trigger: 'nothing' is not one of"), said)
    return None


@test
def the_service_runs_where_a_gpu_or_npu_is():
    """Conditions of which one is enough, and no trigger that a machine's drivers may not be able to fire."""
    conditions = [(k, v) for k, v in unit_lines() if k.startswith("Condition")]
    expect(len(conditions) == 3 and all(v.startswith("|/") for _, v in conditions), f"{conditions}")
    command = dict(unit_lines())["ExecStart"].split()
    must = [command[i + 1] for i, word in enumerate(command) if word == "--trigger"]
    equal(must, ["drop"], "triggers without which it does not start")
    may = [command[i + 1] for i, word in enumerate(command) if word == "--try-trigger"]
    equal(may, ["hang>5s", "reset", "xid"], "triggers that it tries")


@test
def the_service_takes_hangs():
    """It may read the log and listen to uevents, and its bundles are in its own directory."""
    lines = dict(unit_lines())
    command = lines["ExecStart"].split()
    expect("--on-hang" in command and "PrivateDevices" not in lines, "it does not take hangs")
    equal(command[command.index("--bundle-dir") + 1], f"/var/lib/{lines['StateDirectory']}/hangs", "where bundles are")
    equal((lines["RestrictAddressFamilies"], lines["DevicePolicy"], lines["DeviceAllow"]), ("AF_NETLINK", "closed", "/dev/kmsg r"), "what it listens to")


@test
def the_service_has_the_rights_that_recording_needs():
    """Those of SECURITY.md's table, and no other: xtr-flight.service would grow with it."""
    rights = {k: v for k, v in unit_lines() if k.endswith("CapabilityBoundingSet") or k == "AmbientCapabilities"}
    equal(set(rights.values()), {"CAP_BPF CAP_PERFMON CAP_DAC_READ_SEARCH CAP_SYSLOG"}, "capabilities")
    with open(os.path.join(ROOT, "SECURITY.md"), encoding="utf-8") as f:
        table = f.read().split("## Recording")[1].split("## Output")[0]
    for right in rights["CapabilityBoundingSet"].split():
        expect(right in table, f"{right} is not in SECURITY.md's table")


@test
def the_service_that_ships_takes_what_the_other_one_writes():
    """It has its directory and user, and none of its rights; its options are ones that xtr takes."""
    ship, flight = dict(unit_lines(SHIP)), dict(unit_lines())
    for key in ("User", "DynamicUser", "StateDirectory", "StateDirectoryMode"):
        equal(ship.get(key), flight.get(key), key)
    equal((ship["CapabilityBoundingSet"], ship["AmbientCapabilities"]), ("", ""), "capabilities")
    words = ship["ExecStart"].split()
    equal((words[:2], words[-3:]), ([XTR, "ship"], ["/var/lib/xtr", "--", "/etc/xtr/ship"]), "the program")
    equal(ship.get("ConditionFileIsExecutable"), words[-1], "the condition")
    expect(flight["ExecStart"].split()[-1].startswith(words[-3] + "/"), "the other one writes elsewhere")
    spool = os.path.join(WORK, "spool")
    os.mkdir(spool, 0o700)
    trace = "flight-x.000001.xtr"
    os.rename(synth(trace), os.path.join(spool, trace))
    copied = os.path.join(WORK, "copied")
    options = [w for w in words[2:-3] if w != "--follow"]
    run(XTR, "ship", *options, spool, "--", "sh", "-c", f'cp "$1" "{copied}"', "sh")
    expect(os.path.isfile(copied) and not os.path.exists(os.path.join(spool, trace)), "nothing was shipped")


@test
def systemd_takes_the_service():
    if missing("systemd-analyze"):
        return missing("systemd-analyze")
    for unit, name in ((UNIT, "exposure"), (SHIP, "exposure-ship")):
        equal(run("systemd-analyze", "verify", "--man=no", unit, both=True), "", "systemd-analyze verify")
        said = run("systemd-analyze", "security", "--offline=yes", "--no-pager", unit)
        exposure = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said).group(1))
        figure(name, exposure, f"of 10: systemd-analyze security --offline=yes {os.path.basename(unit)}")
        expect(exposure < 3, f"the service is exposed:\n{said}")
    return None
