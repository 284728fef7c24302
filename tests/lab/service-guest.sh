#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a lab kernel as root, with the fake GPU loaded: xtr-flight.service as it is installed, under systemd, which is the
# first process of a PID namespace. A job hangs and leaves a dump; the service is reloaded, killed and stopped. Leaves in OUT
# what the service wrote and what systemd says of it. Judges nothing: service does, on the host.
# usage: service-guest.sh OUT ROOT
set -u

out=$1 root=$2
units=/etc/systemd/system

install -m 755 "$root/xtr" /usr/bin/xtr
sed 's,@bindir@,/usr/bin,' "$root/packaging/xtr-flight.service.in" >$units/xtr-flight.service
cat >$units/lab.target <<-END
	[Unit]
	Requires=basic.target
	Wants=xtr-flight.service lab-case.service
END
cat >$units/lab-case.service <<-END
	[Unit]
	After=xtr-flight.service
	[Service]
	Type=oneshot
	Environment=PATH=$PATH
	ExecStart=/bin/bash $root/tests/lab/service-case.sh $out
	ExecStopPost=/bin/systemctl --no-block exit
	StandardOutput=file:$out/case.out
	StandardError=file:$out/case.err
END
# What belongs to a whole machine, and what this one's host has installed, stays out.
for unit in systemd-udevd systemd-udev-trigger systemd-modules-load systemd-timesyncd systemd-resolved systemd-networkd \
	systemd-journal-flush systemd-binfmt systemd-random-seed systemd-update-utmp systemd-sysctl systemd-firstboot systemd-pstore \
	systemd-machine-id-commit systemd-remount-fs systemd-hwdb-update systemd-sysusers ldconfig keyboard-setup console-setup e2scrub_reap; do
	ln -sf /dev/null $units/$unit.service
done
: >/etc/fstab
container=lab unshare --fork --pid --mount --mount-proc --cgroup --kill-child \
	/bin/sh -c 'mount -t cgroup2 cgroup2 /sys/fs/cgroup; exec /lib/systemd/systemd --system --unit=lab.target --log-target=kmsg --show-status=0' \
	>"$out/systemd.out" 2>&1
echo $? >"$out/systemd.status"
