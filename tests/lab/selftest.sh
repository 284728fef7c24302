#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Tests the lab itself: for each kernel (default: all) one boot with the scenario "mixed" while plain
# tracefs records, then checks on what came back. Afterwards every check is shown to be able to fail,
# on copies of the results with one thing spoilt.
#
# usage: selftest.sh [KERNEL...]
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/xtr-lab-selftest.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

# result NAME STATUS
result() {
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		printf 'ok    %s\n' "$1"
	else
		failed=$((failed + 1))
		printf 'FAIL  %s\n' "$1"
	fi
}

field() {
	sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1/summary"
}

# Each check takes a directory of results. Columns of truth: README.md.

check_status() { [ "$(cat "$1/status")" -eq 7 ]; }

check_cpus() { [ "$(cat "$1/cpus")" -ge 2 ]; }

check_btf() { [ "$(grep -cxE 'vmlinux|gpu_sched|drm' "$1/btf")" -eq 3 ]; }

check_summary() {
	local n

	n=$(($(field "$1" completed) + $(field "$1" timeouts) + $(field "$1" killed)))
	[ "$(field "$1" submitted)" -eq 2128 ] && [ "$n" -eq 2128 ]
}

# All three ways to end have happened, and truth and load program agree on how often.
check_results() {
	local k n

	for k in completed:ok timeouts:timeout killed:killed; do
		n=$(awk -F, -v r="${k#*:}" '$14 == r { n++ } END { print n + 0 }' "$1/truth")
		[ "$n" -gt 0 ] && [ "$n" -eq "$(field "$1" "${k%:*}")" ] || return 1
	done
}

check_truth_whole() {
	[ "$(tail -n +2 "$1/truth" | wc -l)" -eq "$(field "$1" submitted)" ] &&
		! grep -q ',open,' "$1/truth" && grep -qx 'live 0' "$1/control"
}

check_unique() {
	[ "$(tail -n +2 "$1/truth" | cut -d, -f3,4 | sort | uniq -d | wc -l)" -eq 0 ]
}

check_order() {
	awk -F, 'NR == 1 || $14 == "killed" { next }
		$9 == 0 || $9 > $10 || $10 > $11 || $11 > $12 || $12 > $13 { bad++ }
		END { exit bad != 0 }' "$1/truth"
}

# In order: a job starts when it was handed over and the one before it ended, to the nanosecond.
# Out of order: at once, and some end before an earlier one. Mixed has two rings of that kind.
check_engine() {
	tail -n +2 "$1/truth" | awk -F, '$14 != "killed"' | sort -t, -k10,10n | awk -F, '
		{ ring = $1 " " $2; ooo = ring == "fakegpu.1 comp_1.0.0" || ring == "fakegpu.1 vcn_dec_0" }
		ooo && $11 != $10 { bad++ }
		ooo && $12 < last[ring] { swapped++ }
		!ooo && $11 != ($10 > last[ring] ? $10 : last[ring]) { bad++ }
		{ last[ring] = $12 }
		END { exit bad != 0 || swapped == 0 }'
}

# Where interrupts are coalesced (2 ms), no signal comes before the next multiple.
check_coalesce() {
	awk -F, '$2 == "sdma0" && $14 == "ok" {
			n++
			if ($13 < int(($12 + 1999999) / 2000000) * 2000000) bad++
		}
		END { exit bad != 0 || n == 0 }' "$1/truth"
}

# Every dependency is a job that was submitted before.
check_deps() {
	awk -F, 'NR == 1 { next }
		{ queued[$3 ":" $4] = $9; c = split($17, d, " "); if (c != $16) bad++ }
		{ for (i = 1; i <= c; i++) { n++; dep[n] = d[i]; at[n] = $9 } }
		END { for (i = 1; i <= n; i++) if (!(dep[i] in queued) || queued[dep[i]] > at[i]) bad++
			exit bad != 0 || n == 0 }' "$1/truth"
}

check_kinds() {
	awk -F, '$8 == "kernel" { k++; if ($5 != 0) bad++ } $8 == "user" { u++ }
		END { exit bad != 0 || k == 0 || u == 0 }' "$1/truth"
}

check_trace_whole() {
	grep -q overrun "$1/stats" && ! grep -E 'overrun|dropped' "$1/stats" | grep -qv ': 0$'
}

# What was emitted is what tracefs has, event by event, with the scheduler's three per job.
check_emitted() {
	sed -n 's/^[^:]*: \([a-z_]*\): .*/\1/p; s/^.* [0-9.]*: \([a-z_]*\): .*/\1/p' "$1/trace" |
		sort | uniq -c | awk '{ print $2, $1 }' | sort >"$1/traced"
	awk '$2 != 0' "$1/emitted" | sort | cmp -s - "$1/traced" &&
		[ "$(grep -cE '^drm_(sched|run)_(job|process_job|job_queue|job_run|job_done) ' \
			"$1/traced")" -eq 3 ]
}

check_reset() { [ "$(cat "$1/after-reset")" -eq 1 ]; }

check_unloaded() { grep -q '^drm ' "$1/lsmod" && ! grep -qE '^(xtr_fakegpu|gpu_sched) ' "$1/lsmod"; }

check_log() {
	[ -s "$1/console.log" ] && [ -s "$1/dmesg.log" ] &&
		! grep -hE 'WARNING: |BUG|Oops|Call Trace|general protection|rcu.*stall|lockup|blocked for more|\*ERROR|possible .* detected|UBSAN|KASAN|Objects remaining' \
			"$1/console.log" "$1/dmesg.log"
}

checks=(status cpus btf summary results truth_whole unique order engine coalesce deps kinds
	trace_whole emitted reset unloaded log)

test_kernel() {
	local k=$1 out=$work/$1 c rc=0 begin=$SECONDS

	# Once more where the host stopped the guest for so long that it was not done, or complained.
	for _ in 1 2; do
		rc=0
		mkdir -p "$out"
		"$here/lab" run "$k" --out "$out" --timeout 600 --load xtr_fakegpu \
			-- bash "$here/guest/selftest" || rc=$?
		echo "$rc" >"$out/status"
		echo "$k: boot and run took $((SECONDS - begin)) s"
		[ "$rc" -eq 124 ] ||
			grep -qE 'rcu.*(stall|starved)|lockup|hung_task|blocked for more' "$out"/*.log || break
	done
	for c in "${checks[@]}"; do
		rc=0
		"check_$c" "$out" || rc=$?
		result "$k: $c" "$rc"
	done
}

# spoil CHECK FILE SED-SCRIPT: the check must fail on a copy of the results where FILE was edited.
spoil() {
	local c=$1 file=$2 script=$3 copy=${work:?}/copy rc=0

	rm -rf "$copy"
	cp -r "${good:?}" "$copy"
	sed -i -E "$script" "$copy/$file"
	if cmp -s "$good/$file" "$copy/$file" || "check_$c" "$copy" >/dev/null 2>&1; then
		rc=1
	fi
	result "spoilt: $c notices $file, $script" "$rc"
}

# shellcheck disable=SC2016 # sed's own dollars
test_checks() {
	spoil status status 's/7/0/'
	spoil cpus cpus 's/.*/1/'
	spoil btf btf '/^gpu_sched$/d'
	spoil summary summary 's/"killed": /&1/'
	spoil results truth '0,/,killed,/s/,killed,/,ok,/'
	spoil truth_whole truth '$d'
	spoil truth_whole truth '0,/,ok,/s/,ok,/,open,/'
	spoil truth_whole control 's/live 0/live 1/'
	spoil unique truth '4{h;G}'
	spoil order truth '0,/,ok,/s/^(([^,]*,){9})[0-9]*/\11/'
	spoil order truth '0,/,ok,/s/^(([^,]*,){12})[0-9]*/\11/'
	spoil engine truth '100,200s/^(([^,]*,){10}[1-9][0-9]*)/\10/'
	spoil coalesce truth 's/^(([^,]*,){11})([0-9]*),[0-9]*,/\1\3,\3,/'
	spoil deps truth 's/[0-9]+:[0-9]+,/1:1,/'
	spoil kinds truth 's/,0,([0-9]*,[0-9]*,kernel,)/,5,\1/'
	spoil trace_whole stats 's/overrun: 0/overrun: 1/'
	spoil emitted trace '$d'
	spoil emitted emitted '/^drm_/s/ [0-9]+/&1/'
	spoil reset after-reset 's/1/2/'
	spoil unloaded lsmod '$a gpu_sched 1 0'
	spoil log dmesg.log '$a WARNING: CPU: 0 PID: 1 at nowhere'
	spoil log console.log '$a Oops: 0000'
}

# The guest says that it had an oops of an int3 where its code has BYTE, and dies.
dies_of() { # KERNEL BYTE STATUS
	local rc=0

	# shellcheck disable=SC2016 # the guest's own dollars
	"$here/lab" run "$1" --timeout 600 -- sh -c 'echo "<2>Oops: int3: 0000 [#1]" >/dev/kmsg
		echo "<2>Code: c3 f3 0f 1e fa $1 <90> c3" >/dev/kmsg; sleep 1; echo c >/proc/sysrq-trigger; sleep 100' sh "$2" 2>/dev/null || rc=$?
	result "$1: status $3 when it dies of an int3 where its code has $2" "$((rc != $3))"
}

# The other ways a run can end, and its outputs.
test_endings() {
	local k=$1 rc=0 text

	"$here/lab" run "$k" --timeout 20 -- sleep 100 2>/dev/null || rc=$?
	result "$k: status 124 on timeout" "$((rc != 124))"
	rc=0
	"$here/lab" run "$k" --timeout 600 --append rdinit=/none -- true >"$work/log" 2>&1 || rc=$?
	result "$k: status 125 when the kernel does not come up" "$((rc != 125))"
	rc=0
	grep -q 'console:.*panic' "$work/log" || rc=1
	result "$k: then the console's last lines are shown" "$rc"
	dies_of "$k" cc 125
	dies_of "$k" 66 124
	rc=0
	text=$("$here/lab" run "$k" --timeout 600 -- sh -c 'echo out; echo err >&2; pwd' 2>"$work/err") || rc=$?
	[ "$text" = "$(printf 'out\n%s' "$PWD")" ] || rc=1
	[ "$(cat "$work/err")" = err ] || rc=1
	result "$k: both outputs and the working directory" "$rc"
}

[ $# -gt 0 ] || mapfile -t all < <("$here/lab" kernels)
[ $# -gt 0 ] || set -- "${all[@]}"
good=$work/$1
"$here/lab" prepare "$@"
for k in "$@"; do
	test_kernel "$k"
done
test_checks
test_endings "$1"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
