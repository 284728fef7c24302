#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root: records each case of truth with xtr and leaves, per case, in OUT/NAME/: run.xtr (or
# its pieces, or two), what the driver knows of each job, and the recorder's messages. Judges nothing: truth does, on the host.
# usage: truth-guest.sh OUT XTR CASE...   (CASE: as in truth; how: load, budget, pid, two or reload)
set -u

out=$1 xtr=$2
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
shift 2
debug=/sys/kernel/debug/fakegpu

# shellcheck source-path=SCRIPTDIR source=accept-cases.sh
. "$here/accept-cases.sh"

# While a recorder runs, the depth of rings changes from 1 to 4 where they are, and to 2 when the driver is loaded again.
reload() { # NAME LOAD OPTIONS
	case_begin "$1"
	# shellcheck disable=SC2086 # options are words
	"$xtr" record --force -o "$dir/run.xtr" $3 -- bash -c "
		fakegpu-load $2 --depth 1 >'$dir/load.json' || exit
		fakegpu-load $2 --depth 4 >>'$dir/load.json' || exit
		cat $debug/truth >'$dir/truth-1.csv'
		for n in \$(seq 600); do modprobe -r xtr_fakegpu && break; sleep 0.1; done
		modprobe xtr_fakegpu depth=2,2,2,2,2,2,2,2 || exit
		fakegpu-load $2 --depth 2 >>'$dir/load.json'
		status=\$?
		'$here/settle'
		exit \$status" >"$dir/record.out" 2>"$dir/record.err"
	echo $? >"$dir/record.status"
	case_end
	tail -n +2 "$dir/truth.csv" >>"$dir/truth-1.csv"
	mv "$dir/truth-1.csv" "$dir/truth.csv"
}

for spec in "$@"; do
	IFS=: read -r name how load options _ <<<"$spec"
	case $how in
	load) one_load "$name" "$load" "$options" ;;
	budget) with_budget "$name" "$load" ;;
	pid) one_process "$name" "$load" ;;
	two) two_recorders "$name" "$load" ;;
	reload) reload "$name" "$load" "$options" ;;
	*) exit 91 ;;
	esac
	echo "$name $SECONDS s: $(cat "$dir/record.status")"
done
