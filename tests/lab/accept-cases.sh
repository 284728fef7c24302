# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2086 # out, xtr and debug are accept-guest.sh's
# Cases of the acceptance and of truth, each in OUT/NAME/. Read by accept-guest.sh and truth-guest.sh, in the guest.

short='--min-ns 10000 --max-ns 200000'

# counted_load LOAD: the command that submits it, between two marks for the count of events.
counted_load() {
	echo "
		echo start >$debug/control
		fakegpu-load $1 >'$dir/load.json'
		status=\$?
		'$here/settle'
		echo stop >$debug/control
		exit \$status"
}

# one_load NAME LOAD OPTIONS: a load of the fake GPU, recorded with these options.
one_load() {
	case_begin "$1"
	# shellcheck disable=SC2086 # options are words
	"$xtr" record --force -o "$dir/run.xtr" $3 -- bash -c "$(counted_load "$2")" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# A thread that computes and sleeps between its jobs, each for a known time.
idle_frames() {
	case_begin idle
	"$xtr" record --force -o "$dir/run.xtr" --idle-stacks --idle-rate 499 -- bash -c "fakegpu-frames 150 >'$dir/frames.txt'" \
		>"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# With a budget that leaves some jobs over: what a recorder costs here is the emulator's affair, and a small share may be
# used up before the load begins.
with_budget() { # NAME LOAD
	local share

	for share in 2% 5% 20% 40% 60% 90%; do
		one_load "$1" "$2" "--budget $share"
		[ "$("$xtr" jobs --csv "$dir/run.xtr" 2>/dev/null | wc -l)" -le 100 ] || break
	done
}

# case_begin NAME: its directory in $dir, the driver's log empty.
case_begin() {
	dir=$out/$1
	mkdir -p "$dir"
	[ ! -e $debug/control ] || echo reset >$debug/control || exit 92
}

case_end() {
	cat $debug/truth >"$dir/truth.csv"
	cat $debug/emitted >"$dir/emitted.txt"
}

# Prints the numbers of the children of process $1 that have stopped themselves, once there are two.
stopped_children() {
	local child stopped

	for _ in $(seq 4000); do
		stopped=()
		for child in $(cat "/proc/$1/task/$1/children"); do
			! grep -q ') T ' "/proc/$child/stat" || stopped+=("$child")
		done
		if [ ${#stopped[@]} -eq 2 ]; then
			echo "${stopped[@]}"
			return
		fi
		sleep 0.05
	done
	return 1
}

# Two processes submit jobs, one of them is recorded.
one_process() { # NAME LOAD
	local load children

	case_begin "$1"
	# shellcheck disable=SC2086 # options are words
	fakegpu-load --stopped -p 2 -t 2 $2 >"$dir/load.json" &
	load=$!
	children=$(stopped_children $load) || exit 94
	echo "${children%% *}" >"$dir/pid"
	"$xtr" record --force -o "$dir/run.xtr" -p "${children%% *}" -- bash -c "
		echo start >$debug/control
		kill -CONT $children
		for n in \$(seq 6000); do [ -s '$dir/load.json' ] && break; sleep 0.05; done
		'$here/settle'
		echo stop >$debug/control" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	wait $load || exit 94
	case_end
}

# One recorder within the other: both are to see every event of the load.
two_recorders() { # NAME LOAD
	case_begin "$1"
	mkdir -p "$dir/outer" "$dir/inner"
	"$xtr" record --force -o "$dir/outer/run.xtr" -- \
		"$xtr" record --force -o "$dir/inner/run.xtr" -- bash -c "$(counted_load "$2")" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
	cp "$dir/truth.csv" "$dir/emitted.txt" "$dir/outer"
	cp "$dir/truth.csv" "$dir/emitted.txt" "$dir/inner"
}

# Not root: CAP_BPF and CAP_PERFMON alone, and a tracefs that only root may read. The command says
# when recording has begun, and ends when it is told so.
two_capabilities() {
	local caps=-all,+bpf,+perfmon recorder

	case_begin caps
	mkdir -m 777 /run/caps
	mkfifo -m 666 /run/caps/begun /run/caps/end
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set "$caps" --inh-caps "$caps" \
		--ambient-caps "$caps" "$xtr" record --force -o /run/caps/run.xtr -- bash -c '
		echo >/run/caps/begun
		read -r </run/caps/end' >"$dir/record.out" 2>"$dir/record.err" &
	recorder=$!
	# Without it the command waits for ever, and the recorder for the command.
	if read -r -t 300 <>/run/caps/begun; then
		echo start >$debug/control
		# shellcheck disable=SC2086 # options are words
		fakegpu-load -n 1000 $short basic >"$dir/load.json"
		"$here/settle"
		echo stop >$debug/control
		echo >/run/caps/end
	else
		kill $recorder
	fi
	wait $recorder
	echo $? >"$dir/record.status"
	cp /run/caps/run.xtr "$dir"
	case_end
}

# Flight recorders while jobs hang: one waits for long jobs, one for what the driver does about them.
flight_recorder() {
	case_begin flight
	# shellcheck disable=SC2086 # options are words
	"$xtr" record --force -o "$dir/hang.xtr" --flight 4M --trigger 'hang>150ms' --trigger 'exec>150ms' \
		--after 0s --pause 0s -- \
		"$xtr" record --force -o "$dir/reset.xtr" --flight 30s --trigger reset --once \
		-e default -e func:gpu_sched:drm_sched_job_timedout -- \
		bash -c "$(counted_load "-n 900 -p 1 -t 1 --rings 0.0 $short hang")" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# Another tool beside xtr: what it recorded is imported on the host, and has to tell the same.
other_tool() {
	case_begin import
	"$xtr" record --force -o "$dir/run.xtr" -- \
		trace-cmd record -q -e gpu_scheduler -e dma_fence:dma_fence_signaled -C mono -b 16384 \
		-o "$dir/trace.dat" bash -c "$(counted_load "-n 400 $short mixed")" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# The other tool with a buffer that is too small: what it lost is in its file.
other_tool_loses() {
	case_begin import-loss
	{
		trace-cmd start -q -e gpu_scheduler -e dma_fence -C mono -b 16
		echo start >$debug/control
		fakegpu-load -n 400 $short basic >"$dir/load.json"
		"$here/settle"
		echo stop >$debug/control
		trace-cmd stop -q
		trace-cmd extract -o "$dir/trace.dat"
		trace-cmd reset -q
	} >"$dir/record.out" 2>"$dir/record.err"
	case_end
}

# until_there COMMAND...: until it succeeds, 60 s at most.
until_there() {
	local n

	for n in $(seq 1200); do
		"$@" && return
		sleep 0.05
	done
	echo "not there after $n looks: $*" >&2
	return 1
}

some_jobs() {
	[ "$(wc -l <$debug/truth)" -gt 4 ]
}

# Whose fault: two loads on one ring, one of them with long jobs, which goes by another name, from before the other's
# first job to after its last.
long_jobs() {
	case_begin hog
	cp "$(command -v fakegpu-load)" /run/hog
	export -f until_there some_jobs
	debug=$debug "$xtr" record --force -o "$dir/run.xtr" -- bash -c "
		/run/hog -n 100000 -p 1 -t 1 -w 4 --seed 2 --min-ns 20000000 --max-ns 25000000 --rings 0.0 basic &
		until_there some_jobs
		fakegpu-load --as-is -n 20 -p 1 -t 1 -w 1 $short --rings 0.0 basic >'$dir/load.json'
		status=\$?
		pkill -x hog
		wait
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# Whose fault: jobs that wait for each other over two devices, and a thread that submits late.
chain_of_jobs() {
	case_begin chain
	"$xtr" record --force -o "$dir/run.xtr" -- bash -c "
		fakegpu-chain >'$dir/chain.jsonl'
		status=\$?
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# Whose fault: the thread that runs jobs is starved by real-time threads, one on each CPU, which rest now and then.
starved_worker() {
	case_begin starved
	cp "$(command -v bash)" /run/spin
	export -f until_there
	mkfifo /run/nothing # to wait for a moment without another process
	"$xtr" record --force -e default -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new -o "$dir/run.xtr" -- bash -c "
		for cpu in 0 1; do
			taskset -c \$cpu chrt -f 50 /run/spin -c 'echo >/run/spun.'\$cpu'; while [ -e /run/spin ]; do
				for ((i = 0; i < 2000; i++)); do :; done; read -rt 0.01; done' <>/run/nothing &
		done
		until_there [ -e /run/spun.0 -a -e /run/spun.1 ]
		fakegpu-load -n 400 -p 1 -t 1 -w 1 $short --rings 0.0 basic >'$dir/load.json'
		status=\$?
		rm /run/spin
		wait
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# Functions of the driver: one is called in a worker, one in the interrupt, each once for a job.
function_calls() {
	case_begin func
	"$xtr" record --force -o "$dir/run.xtr" -e func:xtr_fakegpu:fg_run_job:ret \
		-e func:xtr_fakegpu:fg_signal:ret -- bash -c "
		fakegpu-load -n 1000 $short basic >'$dir/load.json'
		status=\$?
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	grep -c xtr_ /sys/kernel/tracing/kprobe_events >"$dir/left.txt"
	case_end
}

# The kernel's trace ring beside programs: both are to see the same jobs.
by_name() {
	case_begin by-name
	"$xtr" record --force -o "$dir/run.xtr" -- \
		"$xtr" record --engine ftrace --force -o "$dir/by-name.xtr" -- \
		bash -c "$(counted_load "-n 400 $short mixed")" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# Kernel types hidden, as on a kernel that was built without them: no program can be loaded.
without_btf() {
	case_begin no-btf
	mkdir -p /run/no-btf
	counted_load "-n 400 $short basic" >"$dir/load.sh"
	unshare --mount bash -c "
		mount --bind /run/no-btf /sys/kernel/btf || exit 95
		exec '$xtr' record --force -o '$dir/run.xtr' -- bash '$dir/load.sh'" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

# No driver of the scheduler is left.
without_driver() {
	case_begin no-driver
	"$xtr" record -o /run/no-driver.xtr -d 1s >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
}

# A compositor with two clients, on a screen; what is late on purpose is known. Everything that makes pictures was loaded for it.
frames_shown() {
	local _ how=depend

	# A dependency of one job on another of the same ring is not told of before Linux 6.17.
	[[ $(uname -r) != 6.* ]] || how='wait'
	modprobe xtr_fakegpu && modprobe virtio_gpu || exit 96
	for _ in $(seq 600); do
		[ ! -e /dev/dri/card2 ] || break
		sleep 0.2
	done
	case_begin frames
	"$xtr" record --force -o "$dir/run.xtr" -e default -e display -- bash -c "
		xtr-compose 44 $how >'$dir/frames.jsonl'
		status=\$?
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}
