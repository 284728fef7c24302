#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with the fake GPU loaded: what happens to a machine while it is recorded, by root
# (recorder `killed`) and by a user whose program file gives capabilities (`user`). Leaves in OUT what they wrote and said, and what
# was emitted and seen meanwhile. Judges nothing: faults does, on the host.
# usage: faults-guest.sh OUT XTR       (XTR: a program; a copy of it gets file capabilities)
# shellcheck disable=SC2320 # the status of echo says whether the kernel took what was written
set -u

out=$1 xtr=$2
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
debug=/sys/kernel/debug/fakegpu
cpu=/sys/devices/system/cpu
work=/run/faults
part=0
declare -A pid=() # of the recorders that live

# CLOCK_BOOTTIME in s; the same as CLOCK_MONOTONIC as long as the machine has not slept.
now() {
	cut -d' ' -f1 /proc/uptime
}

step() {
	echo "$(now) $*" >>"$out/steps"
}

# load NAME [PREFIX...]: short jobs.
load() {
	"${@:2}" fakegpu-load -n 150 -p 1 -t 2 --min-ns 10000 --max-ns 200000 basic >"$out/$1.json" 2>>"$out/load.err"
}

# busy NAME: longer ones, on all processors.
busy() {
	fakegpu-load -n 300 -p 2 -t 1 --min-ns 10000 --max-ns 3000000 basic >"$out/$1.json" 2>>"$out/load.err"
}

# The driver counts what is emitted until end_part, which notes who was there to record it.
begin_part() {
	echo reset >$debug/control
	echo start >$debug/control
}

end_part() {
	local name

	"$here/settle"
	echo stop >$debug/control
	part=$((part + 1))
	cat $debug/emitted >"$out/emitted.$part"
	cat $debug/truth >"$out/truth.$part"
	for name in "${!pid[@]}"; do
		echo $part >>"$out/$name.parts"
	done
}

# start NAME PREFIX... -- OPTION...: a recorder, until end_recorder NAME; returns when it records.
start() {
	local name=$1 p

	shift
	mkfifo -m 666 "$work/$name.end"
	cd $work || exit 92
	"$@" -o "$name.xtr" -- sh -c "echo >$work/$name.begun; read -r _ <$work/$name.end" >"$out/$name.out" 2>"$out/$name.err" &
	p=$!
	until [ -e "$work/$name.begun" ]; do
		kill -0 $p 2>/dev/null || exit 94
		sleep 0.1
	done
	cat /proc/$p/task/*/status >"$out/$name.proc"
	pid[$name]=$p
}

# end_recorder NAME: its command ends, also where the recorder is dead. Waits for both.
end_recorder() {
	echo >"$work/$1.end"
	wait "${pid[$1]}" 2>/dev/null
	echo $? >"$out/$1.status"
	unset "pid[$1]"
}

as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups "$work/xtr" record)

# A processor is taken away and comes back, each under load; the second recorder begins without it.
hotplug() {
	begin_part
	load before taskset -c 1
	busy leaving &
	echo 0 >$cpu/cpu1/online
	{ echo "offline $? $(now)"; echo "left $(cat $cpu/online)"; } >"$out/cpu"
	load without
	wait $!
	end_part
	setcap cap_bpf,cap_perfmon,cap_dac_read_search=p $work/xtr || exit 95
	"${as_user[@]}" -o refused.xtr -e amdgpu:amdgpu_cs_ioctl -d 100ms 2>"$out/refused.err"
	echo $? >"$out/refused.status"
	cp /proc/sys/kernel/perf_event_paranoid "$out/paranoid"
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	start user "${as_user[@]}" -e gpu -e amdgpu:amdgpu_cs_ioctl -e func:xtr_fakegpu:fg_run_job:ret
	begin_part
	busy coming &
	echo "online $(now)" >>"$out/cpu"
	echo 1 >$cpu/cpu1/online
	echo "back $? $(now)" >>"$out/cpu"
	load after taskset -c 1
	wait $!
}

# All processes stop, the recorders too, as on the way to sleep; what the driver has goes on.
freeze() {
	echo freezer >/sys/power/pm_test
	echo 1 >/sys/module/suspend/parameters/pm_test_delay
	fakegpu-load -n 30 -p 1 -t 1 --rings 0.0 --min-ns 100000000 --max-ns 200000000 basic >"$out/frozen.json" &
	while grep -qx 'live 0' $debug/control && kill -0 $!; do
		sleep 0.05
	done
	now >"$out/frozen"
	echo freeze >/sys/power/state
	echo $? >"$out/freeze.status"
	now >>"$out/frozen"
	wait $!
	echo none >/sys/power/pm_test
	load thawed
	end_part
}

# unload WHEN MODULE...
unload() {
	local m rc

	for m in "${@:2}"; do
		rc=0
		timeout 300 rmmod "$m" 2>>"$out/rmmod.err" || rc=$?
		echo "$1 $m $rc" >>"$out/rmmod"
	done
}

# Modules whose functions and whose trace points are recorded.
unloading() {
	unload functions xtr_fakegpu
	modprobe xtr_fakegpu
	begin_part
	load again
	end_part
	end_recorder user
	unload tracepoints xtr_fakegpu gpu_sched amdgpu
	modprobe xtr_fakegpu
}

# The first recorder cannot take what the last load emits, and is killed.
killing() {
	kill -STOP "${pid[killed]}"
	begin_part
	load last
	end_part
	state during
	kill -KILL "${pid[killed]}"
	end_recorder killed
	"$xtr" recover --killed >"$out/left" 2>&1
	"$xtr" recover --killed -o "$work/collected.xtr" $work/killed.xtr >"$out/recover.out" 2>&1
	echo $? >"$out/recover.status"
}

# What is in the kernel of BPF, and probes.
state() {
	{
		uname -r
		bpftool prog list | sed -n 's/^\([0-9]*\):.*/prog \1/p'
		bpftool map list | sed -n 's/^\([0-9]*\):.*/map \1/p'
		bpftool link list | sed -n 's/^\([0-9]*\):.*/link \1/p'
		ls -A /sys/fs/bpf/xtr 2>/dev/null
		cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events
	} >"$out/state.$1"
}

cleaning() {
	"$xtr" recover --killed >"$out/left.after" 2>&1
	unload after xtr_fakegpu gpu_sched amdgpu xtr_player
	lsmod >"$out/lsmod"
	for _ in $(seq 600); do # the kernel frees programs when it has time
		state after
		cmp -s "$out/state.before" "$out/state.after" && break
		sleep 0.2
	done
}

mkdir -m 777 $work
cp "$xtr" $work/xtr
modprobe drm
for module in xtr_player amdgpu; do
	insmod "$XTR_LAB_STANDINS/$module.ko" || exit 93
done
state before
start killed "$xtr" record -e gpu -e amdgpu:amdgpu_cs_ioctl
for what in hotplug freeze unloading killing cleaning; do
	step $what
	$what
done
step end
chmod 644 $work/*.xtr
cp $work/*.xtr "$out"
