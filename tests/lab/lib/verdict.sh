# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # out is the caller's
# What the tests of the lab share: verdicts, their sum, and a second try where only times were wrong.

passed=0 failed=0
busy=0             # of the failed ones: only measurements were out of bounds (judge.py)
again=0            # 1: the second try of a kernel
declare -A spoilt # what failed by measurements in the first one

# verdict STATUS TEXT: 4 means that only measurements were out of bounds. Each has to be right once.
verdict() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		printf '  PASS %s\n' "$2"
	elif [ "$1" -eq 4 ] && [ $again -eq 1 ] && [ -z "${spoilt[$2]:-}" ]; then
		passed=$((passed + 1))
		printf '  PASS %s: its measurements were right the first time\n' "$2"
	else
		[ "$1" -ne 4 ] || spoilt[$2]=1
		failed=$((failed + 1))
		[ "$1" -ne 4 ] || busy=$((busy + 1))
		printf '  FAIL %s\n' "$2"
	fi
}

# Runs a command, counts its status under a name, and shows its output below that, indented.
step() { # TEXT COMMAND...
	local text=$1 rc=0
	shift
	"$@" >"$out/step.log" 2>&1 || rc=$?
	verdict $rc "$text"
	sed 's/^/    /' "$out/step.log"
}

# clean_log DIR TEXT: the kernel complained of nothing. A host that stops the guest for long makes it
# complain of that.
clean_log() {
	local rc=0

	[ -s "$1/dmesg.log" ] || rc=1
	grep -hE 'rcu.*(stall|starved)|lockup|hung_task|blocked for more than' "$1/console.log" "$1/dmesg.log" && rc=4
	grep -hE 'WARNING:|BUG:|Oops|general protection|possible .* detected|UBSAN|KASAN|Objects remaining' \
		"$1/console.log" "$1/dmesg.log" | grep -vE 'lockup|rcu.*stall' && rc=1
	verdict $rc "$2"
}

# ran STATUS TEXT: verdict of `lab run`, and whether there is something to judge. On a busy host a guest may not be done
# in time, or its emulator at fault (124).
ran() {
	local rc=$1

	[ "$rc" -ne 124 ] || rc=4
	verdict "$rc" "$2"
	[ "$1" -ne 124 ] && [ "$1" -ne 125 ]
}

# try_kernel KERNEL COMMAND...: COMMAND KERNEL records into $out/KERNEL and judges. Where nothing but
# measurements failed, it does so once more: those must be right then, and, again, all that no host can
# spoil. What failed the first time stays on the screen.
try_kernel() {
	local k=$1 p=$passed f=$failed b=$busy
	shift
	printf 'kernel %s\n' "$k"
	spoilt=()
	"$@" "$k"
	if [ "$failed" -gt "$f" ] && [ $((failed - f)) -eq $((busy - b)) ]; then
		printf 'kernel %s, once more without the %d failures above: only measurements were out of bounds\n' "$k" $((failed - f))
		passed=$p failed=$f busy=$b again=1
		rm -rf "$out/$k.first"
		mv "$out/$k" "$out/$k.first"
		"$@" "$k"
		again=0
	fi
}

# The last line, and the exit status.
sum_up() {
	printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
	[ "$failed" -eq 0 ]
}
