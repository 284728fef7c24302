#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with QEMU's virtio GPU: page flips, recorded by xtr and, at the same time,
# by tracefs. Judges nothing: screen_check.py does.
# usage: screen-guest.sh OUT XTR
set -u

out=$1 xtr=$2
i=/sys/kernel/tracing/instances/screen

mkdir $i || exit 91
echo 0 >$i/tracing_on
echo mono >$i/trace_clock
echo 8192 >$i/buffer_size_kb
echo 1 >$i/events/drm/enable
echo 1 >$i/events/virtio_gpu/enable
"$xtr" record --force -q -o "$out/run.xtr" -e display -e virtio_gpu -- bash -c "
	echo 1 >$i/tracing_on
	xtr-flip 60 >'$out/flips'
	status=\$?
	sleep 0.2
	echo 0 >$i/tracing_on
	sleep 0.2
	exit \$status" 2>"$out/record.err"
echo $? >"$out/record.status"
cat $i/trace >"$out/trace"
cat $i/per_cpu/cpu*/stats >"$out/stats"
