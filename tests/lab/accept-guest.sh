#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: records each scenario of the fake GPU with xtr and leaves, per
# scenario, in OUT/NAME/: run.xtr, the driver's truth, the number of events emitted, the recorder's
# messages and exit status; then the cases of accept-cases.sh. Judges nothing: accept does, on the
# host.
# usage: accept-guest.sh [--loads-alone] OUT XTR SCENARIO...   (SCENARIO: "name:load options:record options")
set -u

cases=1
if [ "$1" = --loads-alone ]; then
	cases=0
	shift
fi
out=$1 xtr=$2
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
shift 2
debug=/sys/kernel/debug/fakegpu

"$xtr" list >"$out/list.txt" 2>&1
"$xtr" doctor >"$out/doctor.txt" 2>&1

# shellcheck source-path=SCRIPTDIR source=accept-cases.sh
. "$here/accept-cases.sh"
for spec in "$@"; do
	IFS=: read -r name load options <<<"$spec"
	one_load "$name" "$load" "$options"
done
[ $cases = 1 ] || exit 0
idle_frames
with_budget budget "-n 8000 --min-ns 2000000 --max-ns 6000000 basic"
one_process pid "-n 1000 $short basic"
two_recorders two "-n 1000 $short basic"
two_capabilities
flight_recorder
other_tool
other_tool_loses
by_name
long_jobs
chain_of_jobs
starved_worker
function_calls
without_btf
for _ in $(seq 600); do
	modprobe -r xtr_fakegpu 2>/dev/null && break
	sleep 0.2
done
[ ! -e $debug ] || exit 93
without_driver
frames_shown
