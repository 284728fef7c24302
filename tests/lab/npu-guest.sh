#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: first what the kernel's own intel_vpu has, then each scenario of
# the stand-in, under plain tracefs in OUT/plain/NAME/ and under xtr in OUT/NAME/, with the stand-in's
# truth. Judges nothing: npu does, on the host.
# usage: npu-guest.sh OUT XTR SCENARIO...   (SCENARIO: "name:load options:record or nothing:plain or nothing:record options")
set -u

out=$1 xtr=$2
shift 2
debug=/sys/kernel/debug/intel_vpu_lab
t=/sys/kernel/tracing

# describe NAME: the functions and the trace points of the loaded intel_vpu.
describe() {
	mkdir -p "$out/$1"
	sed -n 's/^[0-9a-f]* [tT] \(.*\)\t\[intel_vpu\]$/\1/p' /proc/kallsyms |
		grep -vE '^__pfx_|\.cold$' | LC_ALL=C sort -u >"$out/$1/functions"
	if [ -d $t/events/vpu ]; then
		for e in job jsm pm; do
			grep -v '^ID:' $t/events/vpu/$e/format
		done >"$out/$1/formats"
	fi
}

# result DIR: what the stand-in knows, beside what was recorded.
result() {
	cp $debug/truth $debug/counts $debug/jobs $debug/control "$1" || exit 91
	cat $t/per_cpu/cpu*/stats >"$1/stats"
}

if modprobe intel_vpu 2>"$out/modprobe.err"; then
	describe real
	modprobe -r intel_vpu || exit 92
fi
# The loader where programs and recorders look for a library, and the program away from the other copy.
tools=$(dirname "$(command -v npu-load)")
mkdir -p /run/npu
cp "$tools/npu-load" /run/npu/ && cp "$tools/libze_loader.so.1" /usr/lib/ && ldconfig || exit 92
PATH=/run/npu:$PATH
insmod "$XTR_LAB_FAKENPU" || exit 93
describe standin

echo mono >$t/trace_clock
echo 16384 >$t/buffer_size_kb
echo ':mod:intel_vpu' >$t/set_ftrace_filter
for spec in "$@"; do
	IFS=: read -r name load _ plain _ <<<"$spec"
	[ -n "$plain" ] || continue
	dir=$out/plain/${load##* }
	mkdir -p "$dir"
	rm -f /run/ze.csv
	echo >$t/trace
	[ ! -d $t/events/vpu ] || echo 1 >$t/events/vpu/enable
	echo 1 >$t/events/dma_fence/enable
	echo function >$t/current_tracer
	# shellcheck disable=SC2086 # options are words
	XTR_ZE_TRUTH=/run/ze.csv npu-load $load >"$dir/load.json" 2>"$dir/load.err"
	echo $? >"$dir/status"
	echo 0 >$t/tracing_on
	result "$dir"
	# "task-1 [000] d..1. 1.0: name <-caller", or "...: event: fields": the names, counted.
	sed -n 's/^.* [0-9.]*: \([^ ]*\) .*/\1/p' $t/trace | sort | uniq -c >"$dir/traced"
	echo nop >$t/current_tracer # empties the buffer, too
	echo 0 >$t/events/enable
	echo 1 >$t/tracing_on
	mv /run/ze.csv "$dir"
done
echo >$t/set_ftrace_filter
echo 1408 >$t/buffer_size_kb

for spec in "$@"; do
	IFS=: read -r name load record _ options <<<"$spec"
	[ -n "$record" ] || continue
	dir=$out/$name
	mkdir -p "$dir"
	rm -f /run/ze.csv
	# shellcheck disable=SC2086 # options are words
	"$xtr" record --force -o "$dir/run.xtr" $options -- \
		env XTR_ZE_TRUTH=/run/ze.csv npu-load $load >"$dir/load.json" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	result "$dir"
	mv /run/ze.csv "$dir"
done

rmmod intel_vpu
lsmod >"$out/lsmod"
