#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with the stand-in drivers: their formats, and one recording in which all
# scenarios are played, one after the other. Judges nothing: drivers does.
# usage: drivers-guest.sh OUT XTR EVENT...     OUT/NAME.lines and OUT/scales ("NAME SCALE") say what to play
#        drivers-guest.sh --play OUT
set -u

if [ "$1" = --play ]; then
	out=$2
	debug=/sys/kernel/debug/xtr_player
	while read -r name scale; do
		xtr-play -s "$scale" "$out/$name.lines" 2>"$out/$name.err"
		echo $? >"$out/$name.status"
		cat $debug/fences $debug/truth >"$out/$name.parts"
		cp $debug/spans "$out/$name.spans"
		cp $debug/state "$out/$name.state"
	done <"$out/scales"
	exit 0
fi

out=$1 xtr=$2
shift 2
options=()
for event in "$@"; do
	options+=(-e "$event")
done
mkdir -p "$out/formats"
for system in amdgpu i915 xe amdxdna; do
	[ ! -d /sys/kernel/tracing/events/$system ] || cp -r /sys/kernel/tracing/events/$system "$out/formats/"
done
"$xtr" list >"$out/list" 2>&1
"$xtr" record --force -q --keep-pointers -o "$out/run.xtr" "${options[@]}" -- \
	"$0" --play "$out" 2>"$out/record.err"
echo $? >"$out/record.status"
for system in amdgpu i915 xe amdxdna; do
	[ ! -d /sys/module/$system ] || rmmod $system
done
rmmod xtr_player
lsmod >"$out/lsmod"
