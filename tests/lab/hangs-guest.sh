#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with the fake GPU loaded: a recorder is armed while nothing happens, while a job hangs and
# the driver leaves a dump, and while the devices go. Leaves in OUT/CASE/ the bundles, what the driver did, and a copy of the
# dump that is not xtr's. Judges nothing: hangs does, on the host.
# usage: hangs-guest.sh OUT XTR
# shellcheck disable=SC2320 # the status of echo says whether the kernel took what was written
set -u

out=$1 xtr=$2
debug=/sys/kernel/debug/fakegpu
of_driver=/sys/module/xtr_fakegpu/parameters
work=/run/hangs # not in OUT: a shared folder is no file system of a machine that is recorded
load='fakegpu-load -p 1 -t 1 --rings 0.0 --min-ns 10000 --max-ns 200000'

# armed CASE COMMAND
armed() {
	local dir=$work/$1

	mkdir -p "$dir"
	echo reset >$debug/control || exit 92
	"$xtr" record --flight 30s --after 0s --on-hang --bundle-dir "$dir/hangs" -o "$dir/gpu.xtr" -- bash -c "$2" \
		>"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	[ ! -e $debug/truth ] || cat $debug/truth >"$dir/truth.csv"
}

armed quiet "$load -n 300 basic"
echo 20480 >$of_driver/dump_kib || exit 93
echo 1 >$of_driver/wedged || exit 94
armed hang "$load -n 900 hang; cp /sys/class/devcoredump/devcd*/data '$work/hang/own.bin'"
echo 0 >$of_driver/dump_kib
# The dump is still there, and is in a bundle: it is not taken once more by who begins with the same directory.
dir=$work/hang
"$xtr" record --flight 30s --after 0s --on-hang --bundle-dir "$dir/hangs" -o "$dir/again.xtr" -- true >>"$dir/record.out" 2>>"$dir/record.err"
echo $? >"$dir/again.status"
armed lost "for _ in {1..600}; do modprobe -r xtr_fakegpu 2>/dev/null && break; sleep 0.2; done"
cp -r $work/. "$out"
