# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# One run: a command under a kernel, in QEMU, on the host's own files.

# guest_accel IMAGE: kvm where that kernel really runs under it, else tcg (emulation). A /dev/kvm that
# opens is no proof: nested in another machine it may never run a guest. Tried once per boot.
guest_accel() {
	local image=$1 boot known=tcg

	boot=$(cat /proc/sys/kernel/random/boot_id)
	if ! grep -qs "^$boot " "$CACHE/accel"; then
		# Without a root file system the kernel panics, and QEMU ends: that is the good case.
		if [ -w /dev/kvm ] && timeout -k 1 10 qemu-system-x86_64 -nodefaults -no-user-config \
			-display none -machine pc -accel kvm -cpu host -m 512 -no-reboot -kernel "$image" \
			-append 'panic=-1' </dev/null >/dev/null 2>&1; then
			known=kvm
		fi
		printf '%s %s\n' "$boot" "$known" >"$CACHE/accel.$$"
		mv "$CACHE/accel.$$" "$CACHE/accel"
	fi
	sed -n "s/^$boot //p" "$CACHE/accel"
}

# Writes what stage2 reads into DIR. The rest of the arguments are the command.
guest_control() {
	local dir=$1 env=$2 load=$3 tools v
	shift 3

	cp "$(command -v busybox)" "$dir/busybox"
	cp "$LAB_DIR/guest/stage2" "$dir/stage2"
	{
		for v in modules "${ASIDE[@]}"; do
			printf 'lab_%s=%q\n' "$v" "$(sed -n "s/^$v=//p" <<<"$env")"
		done
		printf 'lab_load=%q\n' "${load//,/ }"
	} >"$dir/env"
	tools=$(guest_tools) || exit 125
	{
		printf 'cd %q || exit 126\n' "$PWD"
		for v in PATH HOME LANG LC_ALL TERM "${!XTR_@}"; do
			[ -z "${!v:-}" ] || printf 'export %s=%q\n' "$v" "${!v}"
		done
		printf 'PATH=%q:$PATH:/usr/sbin:/sbin\n' "$tools"
		printf 'exec'
		printf ' %q' "$@"
		printf '\n'
	} >"$dir/command"
}

guest_run() {
	local name out='' timeout=300 cpus=2 mem=1536 load='' accel='' append=''
	local -a extra=()

	[ $# -gt 0 ] || die 'usage: lab run KERNEL [OPTION...] -- COMMAND [ARG...]'
	name=$1
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		[ $# -ge 2 ] || die "'$1': a value is missing"
		case $1 in
		--out) out=$2 ;;
		--timeout) timeout=$2 ;;
		--cpus) cpus=$2 ;;
		--mem) mem=$2 ;;
		--load) load=$2 ;;
		--accel) accel=$2 ;;
		--qemu) extra+=("$2") ;;
		--append) append=$2 ;;
		*) die "'$1': no such option of run" ;;
		esac
		shift 2
	done
	[ $# -ge 2 ] || die 'run: no command (it comes after --)'
	shift
	known_kernel "$name"
	[ "$cpus" -ge 2 ] || die "'$cpus': at least 2 processors"
	[ -z "$(missing_deps)" ] || die "packages are missing; run: lab deps"
	guest_boot "$@"
}

# Uses guest_run's variables.
guest_boot() {
	local env image initramfs dir rc=0 readers kind shared qemu stopped=''
	local -a cpu

	env=$(kernel_env "$name") || exit 125
	image=$(sed -n 's/^image=//p' <<<"$env")
	initramfs=$(sed -n 's/^initramfs=//p' <<<"$env")
	dir=$(mktemp -d "${TMPDIR:-/tmp}/xtr-lab.XXXXXX")
	# shellcheck disable=SC2064 # the name is fixed now
	trap "rm -rf '$dir'" EXIT
	[ -n "$out" ] || out=$dir/out
	mkdir -p "$out" "$dir/lab"
	out=$(cd "$out" && pwd)
	rm -f "$out/console.log" "$out/dmesg.log"
	guest_control "$dir/lab" "$env" "$load" "$@"
	accel=${accel:-$(guest_accel "$image")}
	cpu=(-accel "$accel" -cpu host)
	[ "$accel" = kvm ] || cpu=(-accel tcg,thread=multi -cpu max,la57=off)

	mkfifo "$dir/1" "$dir/2"
	cat "$dir/1" &
	readers=$!
	cat "$dir/2" >&2 &
	readers="$readers $!"
	kind=local,security_model=none,multidevs=remap
	shared=${out//,/,,} # in an option of QEMU a comma is two
	# In the background, so that a signal to this script ends QEMU at once.
	timeout --foreground -k 5 "$timeout" qemu-system-x86_64 -nodefaults -no-user-config \
		-display none \
		-machine pc "${cpu[@]}" -smp "$cpus" -m "$mem" -no-reboot \
		-kernel "$image" -initrd "$initramfs" \
		-append "console=ttyS0 loglevel=6 panic=-1 oops=panic nokaslr mitigations=off nowatchdog \
random.trust_cpu=on tsc=reliable $append" \
		-chardev "file,id=con,path=$shared/console.log" -serial chardev:con \
		-virtfs "$kind,path=/,mount_tag=root,readonly=on" \
		-virtfs "$kind,path=$shared,mount_tag=out" \
		-virtfs "$kind,path=$dir/lab,mount_tag=lab" \
		-device virtio-serial-pci \
		-chardev "file,id=p1,path=$dir/1" -device virtserialport,chardev=p1,name=lab.1 \
		-chardev "file,id=p2,path=$dir/2" -device virtserialport,chardev=p2,name=lab.2 \
		"${extra[@]}" </dev/null 2>"$dir/qemu.err" &
	qemu=$!
	trap 'stopped=1; kill "$qemu" 2>/dev/null' INT TERM HUP
	wait "$qemu" || rc=$?
	trap - INT TERM HUP
	[ -z "$stopped" ] || wait "$qemu" || true
	# QEMU held the writing ends. If it never opened them the readers still wait: end them.
	[ -s "$out/console.log" ] && [ -z "$stopped" ] || kill $readers 2>/dev/null || true
	# shellcheck disable=SC2086 # two numbers
	wait $readers 2>/dev/null || true
	[ -z "$stopped" ] || exit 143
	guest_result "$dir" "$rc"
}

# stale_int3 CONSOLE: the kernel died of an int3 that, as its own dump shows, does not stand there. It puts one where it
# replaces instructions while they run (text_poke) and takes it away again; a processor that runs it afterwards, and
# finds nobody who knows of it, is the emulator's fault, not that of what is tested. About one boot in a hundred, on a busy host.
stale_int3() {
	local before

	# shellcheck disable=SC2016 # sed's own dollar
	before=$(sed -nE '/Oops: int3/,${s/.*Code: .* ([0-9a-f]{2}) <[0-9a-f]{2}>.*/\1/;T;p;q}' "$1" 2>/dev/null)
	[ -n "$before" ] && [ "$before" != cc ]
}

# The exit status of a run whose QEMU ended with RC, and the reason on standard error.
guest_result() {
	local dir=$1 rc=$2

	if [ -s "$dir/lab/status" ]; then
		exit "$(cat "$dir/lab/status")"
	fi
	tail -n 25 "$out/console.log" 2>/dev/null | sed 's/^/lab: console: /' >&2 || true
	sed 's/^/lab: qemu: /' "$dir/qemu.err" >&2
	if [ "$rc" -eq 124 ] || [ "$rc" -eq 137 ]; then
		say "kernel '$name': not finished after $timeout s"
		exit 124
	fi
	if stale_int3 "$out/console.log"; then
		say "kernel '$name': the emulator ran an instruction that was not there any more"
		exit 124
	fi
	if [ -e "$dir/lab/up" ]; then
		say "kernel '$name': died under the command"
	else
		say "kernel '$name': did not come up"
	fi
	exit 125
}
