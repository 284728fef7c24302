#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: loads each of the kernel's own drivers, without its hardware, and leaves what
# the kernel says that they have, and what xtr attaches. Judges nothing: real does.
# usage: real-guest.sh OUT XTR DRIVER...
set -u

out=$1 xtr=$2
shift 2
t=/sys/kernel/tracing
for driver in "$@"; do
	dir=$out/$driver
	mkdir -p "$dir"
	modprobe "$driver" 2>"$dir/modprobe.err"
	echo $? >"$dir/modprobe.status"
done
for system in amdgpu amdgpu_dm i915 xe amdxdna virtio_gpu drm gpu_scheduler dma_fence; do
	[ ! -d $t/events/$system ] || cp -r $t/events/$system "$out/"
done
options=(-e display)
for driver in "$@"; do
	options+=(-e "$driver")
	case $driver in
	amdgpu) options+=(-e amdgpu:vm -e amdgpu:regs) ;;
	i915 | xe) options+=(-e "$driver:display" -e "$driver:regs") ;;
	esac
done
"$xtr" record --force -q -o "$out/run.xtr" "${options[@]}" -- true 2>"$out/record.err"
echo $? >"$out/record.status"
