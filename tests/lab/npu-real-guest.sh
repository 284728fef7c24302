#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with the kernel's own intel_vpu and the fake GPU: what xtr attaches
# of the npu groups, and what the kernel itself says that there is. Judges nothing: npu-real does.
# usage: npu-real-guest.sh OUT XTR
set -u

out=$1 xtr=$2
t=/sys/kernel/tracing

# record NAME OPTION... -- COMMAND
record() {
	local name=$1
	shift
	"$xtr" record --force -q -o "$out/$name.xtr" "$@" 2>"$out/$name.err"
	echo $? >"$out/$name.status"
}

if ! modprobe intel_vpu 2>/dev/null; then
	record none -e npu -- true
	exit 0
fi
grep -E '\[(intel_vpu|drm|drm_shmem_helper)\]' /proc/kallsyms >"$out/kallsyms"
grep -E '\[(intel_vpu|drm|drm_shmem_helper)\]' $t/available_filter_functions >"$out/traceable"
ls $t/events/vpu >"$out/vpu" 2>/dev/null
"$xtr" list --json npu >"$out/list.json"
record functions -e npu:functions -- true
record npu -e npu -- fakegpu-load -n 50 -p 1 -t 1 basic >/dev/null
record fences -e npu -e dma_fence:dma_fence_init -- fakegpu-load -n 50 -p 1 -t 1 basic >/dev/null
echo 1 >/proc/sys/kernel/kptr_restrict
setpriv --bounding-set -syslog --inh-caps -syslog "$xtr" record --force -q -o "$out/hidden.xtr" -e npu -- \
	fakegpu-load -n 50 -p 1 -t 1 basic >/dev/null 2>"$out/hidden.err"
echo $? >"$out/hidden.status"
