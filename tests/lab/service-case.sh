#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What happens while xtr-flight.service runs: service-guest.sh has the rest.
# usage: service-case.sh OUT
set -u

out=$1
state=/var/lib/xtr

# until_there PATTERN N: so many files of this pattern, waited for without a limit: the guest has one.
until_there() {
	while [ "$(compgen -G "$1" | wc -l)" -lt "$2" ]; do
		systemctl is-failed -q xtr-flight && return 1
		sleep 0.2
	done
}

# armed: the recorder has attached, and given up what it needed for that.
armed() {
	local pid

	while :; do
		systemctl is-failed -q xtr-flight && return 1
		pid=$(systemctl show xtr-flight -p MainPID --value)
		[ "$pid" = 0 ] || ! grep -qx 'CapEff:.0*' "/proc/$pid/status" || return 0
		sleep 0.2
	done
}

armed
systemctl show xtr-flight -p ActiveState,MainPID,User,NRestarts >"$out/begun.txt"
echo 20480 >/sys/module/xtr_fakegpu/parameters/dump_kib
fakegpu-load -p 1 -t 1 --rings 0.0 --min-ns 10000 --max-ns 200000 -n 900 hang >"$out/load.json"
cat /sys/kernel/debug/fakegpu/truth >"$out/truth.csv"
until_there "$state/hangs/*.tar.zst" 1
cp /sys/class/devcoredump/devcd*/data "$out/own.bin"
systemctl reload xtr-flight
until_there "$state/flight-*.xtr" 1
kill -KILL "$(systemctl show xtr-flight -p MainPID --value)"
until_there "$state/flight-*.killed.000001*.xtr" 1
armed
systemctl show xtr-flight -p ActiveState,MainPID,NRestarts >"$out/again.txt"
systemctl stop xtr-flight
systemctl show xtr-flight -p ActiveState,Result,ExecMainStatus >"$out/stopped.txt"
ls -lRn /var/lib/private/xtr >"$out/files.txt"
cp -r /var/lib/private/xtr "$out/state"
: >"$out/ended"
