#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: records what nvidia-load does to the stand-in, with its truth. Judges nothing: nvidia
# does, on the host.
# usage: nvidia-guest.sh OUT XTR FOLDER      (FOLDER: with nvidia.ko and nvidia-load)
set -u

out=$1 xtr=$2 built=$3

insmod "$built/nvidia.ko" || exit 93
"$xtr" list >"$out/list.txt" 2>&1
for name in clean all sample; do
	load=$name options=
	[ $name != sample ] || load=all options='--sample 20%'
	mkdir -p "$out/$name"
	# shellcheck disable=SC2086 # options are words
	"$xtr" record --force -e nvidia $options -o "$out/$name/run.xtr" -- "$built/nvidia-load" $load 2>"$out/$name/record.err"
	echo $? >"$out/$name/record.status"
	cp /sys/kernel/debug/nvidia_lab/truth /sys/kernel/debug/nvidia_lab/control "$out/$name/" || exit 91
done
rmmod nvidia
lsmod >"$out/lsmod"
