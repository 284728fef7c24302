#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: records loads as they were and with a change really made, pair by pair. tests/lab/whatif compares
# them with what xtr predicts.
# usage: whatif-guest.sh OUT XTR PAIRS
set -u

out=$1 xtr=$2 pairs=$3
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
debug=/sys/kernel/debug/fakegpu
# shellcheck source-path=SCRIPTDIR source=accept-cases.sh
. "$here/accept-cases.sh"

steady='-n 200 -p 1 -t 1 -w 2 --rings 0.0,0.2 --depth 1'
victim='--as-is -n 100 -p 1 -t 1 -w 1 --min-ns 2000000 --max-ns 2000000 --rings 0.0 basic'

# with_hog NAME: another process keeps two jobs of 5 ms in flight on the same ring, all the time.
with_hog() {
	case_begin "$1"
	export -f until_there some_jobs
	debug=$debug "$xtr" record --force -o "$dir/run.xtr" -- bash -c "
		/run/hog -n 100000 -p 1 -t 1 -w 2 --seed 2 --min-ns 5000000 --max-ns 5000000 --rings 0.0 --depth 1 basic &
		until_there some_jobs
		fakegpu-load $victim >'$dir/load.json'
		status=\$?
		pkill -x hog
		wait
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
}

cp "$(command -v fakegpu-load)" /run/hog
for pair in $(seq "$pairs"); do
	one_load "$pair/long" "$steady --min-ns 4000000 --max-ns 4000000 basic" ''
	one_load "$pair/half" "$steady --min-ns 2000000 --max-ns 2000000 basic" ''
	with_hog "$pair/hog"
	# The depths are those that the load before has set.
	one_load "$pair/alone" "$victim" ''
done
