# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Kernels: from a name to an unpacked image, its modules, an initramfs and the lab's own module.
#
# $CACHE/apt, $CACHE/debs         package lists and downloads (lib/apt.sh)
# $CACHE/kernels/VERSION/         one unpacked linux-image: boot/, lib/modules/VERSION
# $CACHE/compilers/VERSION/       headers, compiler and libc of the kernel's own suite, run where they lie
# $CACHE/built/VERSION-HASH/      what a guest uses: initramfs, lib/modules/VERSION with our module
# $CACHE/aside/NAME/VERSION-HASH/ modules with the names of real ones, outside the module tree: modprobe finds the real one
# $CACHE/fakenvidia/VERSION-HASH/ nvidia.ko, the stand-in, and nvidia-load (tests/lab/nvidia)
# $CACHE/tools/HASH/             fakegpu-load, fakegpu-frames, npu-load, libze_loader.so.1, xtr-play, xtr-flip, xtr-compose
# $CACHE/names/NAME               KEY=VALUE lines of the newest prepare of NAME
#
# Every directory is made under a temporary name and renamed when complete.

LOADER=/lib64/ld-linux-x86-64.so.2
BOOT_MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)
# Folders of modules with the names of real ones.
ASIDE=(fakenpu standins)

# The package sets that may hold kernel NAME, best first, with the versions that are right for it.
kernel_sets() {
	case $1 in
	6.1) printf 'bookworm linux-image-6.1.*\n' ;;
	6.12) printf '%s linux-image-6.12.*\n' bookworm-backports trixie ;;
	new) printf '%s linux-image-*\n' sid forky ;;
	esac
}

version_at_least() {
	[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# Prints "SET IMAGE-PACKAGE" for NAME from the lists at hand. With fetch=1, missing lists are fetched.
kernel_find() {
	local name=$1 fetch=${2:-0} set pattern image

	while read -r set pattern; do
		if ! apt_has_index "$set"; then
			[ "$fetch" = 1 ] || return 1
			apt_update "$set" || continue
		fi
		image=$(apt_depends "$set" linux-image-amd64 | awk '/^linux-image-[0-9]/ && !n++')
		# shellcheck disable=SC2053 # the pattern is one
		[[ $image == $pattern ]] || continue
		if [ "$name" = new ]; then
			version_at_least 6.17 "${image#linux-image-}" || continue
		fi
		printf '%s %s\n' "$set" "$image"
		return 0
	done < <(kernel_sets "$name")
	return 1
}

# The packages that hold the kernel image and its modules: newer suites have them in parts.
image_packages() {
	local set=$1 image=$2 version=${2#linux-image-}

	printf '%s\n' "$image"
	apt_depends "$set" "$image" | grep -E "^linux-(base|binary|modules)-" | grep -F -- "-$version" || true
}

kernel_index() {
	kernel_find "$1" 1 >/dev/null || die "no suite has a kernel for '$1'"
}

kernel_update() {
	local set pattern

	while read -r set pattern; do
		apt_update "$set" || say "'$set': lists could not be fetched"
	done < <(kernel_sets "$1")
}

source_hash() {
	(cd "$LAB_DIR" && cat lib/kernel.sh guest/init fakegpu/Kbuild fakegpu/fg*.[ch] fakegpu/fakegpu_uapi.h) | sha256sum |
		cut -c 1-12
}

# What the modules of an ASIDE folder are built of.
aside_sources() {
	case $1 in
	fakenpu) printf '%s\n' "$LAB_DIR"/fakenpu/{Kbuild,npu*.[ch],fakenpu_uapi.h} ;;
	standins) printf '%s\n' "$LAB_DIR"/standins/{Kbuild,player*.[ch]} ;;
	esac
}

# The folder of format files that kernel NAME's stand-ins are made from.
standin_formats() {
	case $1 in
	new) printf '%s\n' "$LAB_DIR/../data/tracefs/7.2" ;;
	*) printf '%s\n' "$LAB_DIR/../data/tracefs/6.1" ;;
	esac
}

# standin_sources NAME DIR: writes the stand-ins' generated sources.
standin_sources() {
	local s formats

	formats=$(standin_formats "$1")
	for s in amdgpu i915 xe amdxdna; do
		[ ! -d "$formats/$s" ] || "$LAB_DIR/standins/gen.py" "$formats" "$s" "$2" || return 1
	done
}

# aside_hash FOLDER NAME
aside_hash() {
	{
		aside_sources "$1"
		if [ "$1" = standins ]; then
			printf '%s\n' "$LAB_DIR/standins/gen.py"
			find "$(standin_formats "$2")" -type f | sort
		fi
	} | tr '\n' '\0' | xargs -0 cat -- | sha256sum | cut -c 1-12
}

kernel_plan() {
	local name=$1 found set image version

	if ! found=$(kernel_find "$name"); then
		printf '%s: package lists not fetched yet; about 12 MiB of lists, 70-130 MiB of kernel,' "$name"
		printf ' 90 MiB of headers and compiler (exact: lab plan --index)\n'
		return 0
	fi
	read -r set image <<<"$found"
	version=${image#linux-image-}
	if [ -e "$CACHE/built/$version-$(source_hash)" ]; then
		printf '%s: %s from %s, ready\n' "$name" "$version" "$set"
		return 0
	fi
	{
		if [ ! -e "$CACHE/kernels/$version" ]; then
			# shellcheck disable=SC2046 # package names, one a word
			apt_sizes "$set" download $(image_packages "$set" "$image")
		fi
		if [ ! -e "$CACHE/compilers/$version" ]; then
			apt_pretend "$set" "$image"
			apt_sizes "$set" install "linux-headers-$version"
		fi
	} | awk -v head="$name: $version from $set" '
		{ n++; sum += $1; if ($1 > 4e6) list = list sprintf("  %6.1f MiB  %s\n", $1 / 1048576, $2) }
		END { printf "%s, %d packages, %.1f MiB to download; the larger ones:\n%s", head, n,
			sum / 1048576, list }'
}

# new_dir DIR: prints a temporary sibling of DIR. done_dir moves it into place.
new_dir() {
	mkdir -p "$(dirname "$1")"
	mktemp -d "$1.tmp.XXXXXX"
}

done_dir() {
	chmod 755 "$1"
	mv -T "$1" "$2"
}

unpack_deb() {
	dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink --no-same-owner -C "$2"
}

unpack_image() {
	local set=$1 image=$2 version=${2#linux-image-} dir=$CACHE/kernels/${2#linux-image-} p deb tmp

	[ -e "$dir" ] && return 0
	say "$version: kernel image"
	tmp=$(new_dir "$dir")
	ln -s usr/lib "$tmp/lib"
	mkdir -p "$tmp/usr/lib"
	for p in $(image_packages "$set" "$image"); do
		if ! { deb=$(apt_one "$set" "$p") && unpack_deb "$deb" "$tmp"; }; then
			rm -rf "$tmp"
			return 1
		fi
	done
	# Newer packages keep the image beside the modules.
	if [ ! -e "$tmp/boot/vmlinuz-$version" ]; then
		mkdir -p "$tmp/boot"
		cp "$tmp/usr/lib/modules/$version/vmlinuz" "$tmp/boot/vmlinuz-$version" || return 1
	fi
	depmod -b "$tmp" "$version"
	done_dir "$tmp" "$dir"
}

# Makes a tree of unpacked packages run where it lies, without chroot and without rights: each dynamic program becomes a
# script that starts it by the tree's own loader, with the tree's own libraries. DIR is where the tree is going to lie.
wrap_programs() { # TREE DIR
	local tree=$1 dir=$2 f real

	while IFS= read -r f; do
		[ "$(head -c 4 "$f" | tail -c 3)" = ELF ] && head -c 4096 "$f" | grep -qaF "$LOADER" || continue
		real=${f%/*}/.${f##*/}
		mv "$f" "$real" || return 1
		# shellcheck disable=SC2016 # the script's own
		printf '#!/bin/sh\nexec %s --library-path %s --argv0 "$0" %s "$@"\n' "$dir/usr$LOADER" \
			"$dir/usr/lib/x86_64-linux-gnu" "$dir${real#"$tree"}" >"$f" || return 1
		chmod 755 "$f"
	done < <(find "$tree/usr" -type f -perm /111 ! -name '*.so' ! -name '*.so.*')
	# What the build finds by PATH: compiler and binutils, nothing else.
	mkdir "$tree/path"
	for f in "$tree"/usr/bin/x86_64-linux-gnu-*; do
		ln -s "../usr/bin/${f##*/}" "$tree/path/${f##*/}"
		ln -s "../usr/bin/${f##*/}" "$tree/path/${f##*/x86_64-linux-gnu-}"
	done
}

# Headers, compiler and libc of the kernel's own suite: packages unpacked, no maintainer script run.
unpack_compiler() {
	local set=$1 version=$2 dir=$CACHE/compilers/$2 tmp d debs

	[ -e "$dir" ] && return 0
	say "$version: headers and compiler of $set"
	apt_pretend "$set" "linux-image-$version"
	debs=$(apt_closure "$set" "linux-headers-$version") || return 1
	tmp=$(new_dir "$dir")
	for d in bin sbin lib lib64; do
		mkdir -p "$tmp/usr/$d"
		ln -s "usr/$d" "$tmp/$d"
	done
	while read -r d; do
		unpack_deb "$d" "$tmp" || return 1
	done <<<"$debs"
	wrap_programs "$tmp" "$dir" || return 1
	# The one file in it with paths that are not relative.
	sed -i "s,/usr/src/,$dir/usr/src/,g" "$tmp/usr/src/linux-headers-$version/Makefile"
	done_dir "$tmp" "$dir"
}

# Builds the module in DIR, a copy of fakegpu/, by VERSION's compiler; make and the shell are the host's own.
build_module() {
	local version=$1 dir=$2 compiler=$CACHE/compilers/$1

	# BTF of our own module is left out: that would need pahole and a vmlinux file.
	env -i PATH="$compiler/path:/usr/bin:/bin:/usr/sbin:/sbin" HOME=/ LC_ALL=C \
		make -j2 -C "$compiler/usr/src/linux-headers-$version" M="$dir" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		</dev/null >"$dir/build.log" 2>&1
}

make_initramfs() {
	local version=$1 tree=$2 out=$3 work m path

	work=$(mktemp -d "$CACHE/initramfs.XXXXXX") || return 1

	mkdir -p "$work"/{bin,dev,proc,sys,lower,rw,new,mod}
	cp "$(command -v busybox)" "$work/bin/busybox"
	cp "$LAB_DIR/guest/init" "$work/init"
	chmod +x "$work/init"
	for m in "${BOOT_MODULES[@]}"; do
		modprobe -d "$tree" -S "$version" --show-depends "$m" || return 1
	done >"$work/depends" || return 1
	awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$work/depends" | while read -r path; do
		m=$(basename "$path")
		case $m in
		*.xz) xz -dc "$path" >"$work/mod/${m%.xz}" ;;
		*.zst) zstd -qdc "$path" >"$work/mod/${m%.zst}" ;;
		*) cp "$path" "$work/mod/$m" ;;
		esac
		m=${m%.xz}
		printf '%s\n' "${m%.zst}" >>"$work/mod/order"
	done
	(cd "$work" && find . | busybox cpio -o -H newc 2>/dev/null) >"$out"
	rm -rf "$work"
}

# The directory that a guest uses, from an unpacked kernel and this tree's sources.
build_guest() {
	local version=$1 dir=$2 tmp src=$CACHE/kernels/$1/usr/lib/modules/$1

	tmp=$(new_dir "$dir")
	say "$version: module xtr_fakegpu and initramfs"
	mkdir -p "$tmp/usr/lib/modules" "$tmp/module"
	ln -s usr/lib "$tmp/lib"
	cp "$LAB_DIR"/fakegpu/Kbuild "$LAB_DIR"/fakegpu/fg*.[ch] "$LAB_DIR/fakegpu/fakegpu_uapi.h" \
		"$tmp/module/"
	if ! build_module "$version" "$tmp/module"; then
		tail -n 40 "$tmp/module/build.log" >&2
		rm -rf "$tmp"
		return 1
	fi
	# depmod replaces its files by rename: the hard-linked originals stay as they are.
	cp -al "$src" "$tmp/usr/lib/modules/" &&
		mkdir "$tmp/usr/lib/modules/$version/extra" &&
		cp "$tmp"/module/*.ko "$tmp/usr/lib/modules/$version/extra/" &&
		depmod -b "$tmp" "$version" &&
		make_initramfs "$version" "$tmp" "$tmp/initramfs" &&
		done_dir "$tmp" "$dir"
}

# build_aside FOLDER NAME VERSION DIR
build_aside() {
	local folder=$1 name=$2 version=$3 dir=$4 tmp
	local -a files

	tmp=$(new_dir "$dir")
	say "$version: $folder"
	mapfile -t files < <(aside_sources "$folder")
	cp "${files[@]}" "$tmp/"
	[ "$folder" != standins ] || standin_sources "$name" "$tmp" || return 1
	if ! build_module "$version" "$tmp"; then
		grep -A 5 -E 'error:|undefined' "$tmp/build.log" >&2 || tail -n 40 "$tmp/build.log" >&2
		rm -rf "$tmp"
		return 1
	fi
	done_dir "$tmp" "$dir"
}

# Prints the folder of the lab's own programs for the guest's PATH; builds them if need be.
guest_tools() {
	local dir tmp src=$LAB_DIR/fakegpu ze=$LAB_DIR/fakenpu/ze play=$LAB_DIR/standins
	# Frame pointers: the kernel walks user stacks by them.
	local -a cc=("${CC:-cc}" -std=gnu11 -O2 -fno-omit-frame-pointer -Wall -Wextra -Werror -pthread)

	dir=$CACHE/tools/$(cat "$LAB_DIR/lib/kernel.sh" "$src"/fakegpu-*.[ch] "$src/fakegpu_uapi.h" \
		"$ze"/*.[ch] "$ze/../fakenpu_uapi.h" "$play/xtr-play.c" \
		"$LAB_DIR"/flip/*.[ch] | sha256sum | cut -c 1-12)
	if [ ! -e "$dir" ]; then
		tmp=$(new_dir "$dir")
		"${cc[@]}" -o "$tmp/fakegpu-load" "$src/fakegpu-load.c" >&2 || return 1
		"${cc[@]}" -o "$tmp/fakegpu-frames" "$src/fakegpu-frames.c" >&2 || return 1
		"${cc[@]}" -shared -fPIC -fvisibility=hidden -Wl,-soname,libze_loader.so.1 \
			-o "$tmp/libze_loader.so.1" "$ze"/ze_*.c >&2 || return 1
		# shellcheck disable=SC2016 # for the loader of programs
		"${cc[@]}" -o "$tmp/npu-load" "$ze/npu-load.c" "$tmp/libze_loader.so.1" \
			-Wl,-rpath,'$ORIGIN' >&2 || return 1
		"${cc[@]}" -o "$tmp/xtr-play" "$play/xtr-play.c" >&2 || return 1
		"${cc[@]}" -o "$tmp/xtr-flip" "$LAB_DIR"/flip/{xtr-flip,screen}.c >&2 || return 1
		"${cc[@]}" -o "$tmp/xtr-compose" "$LAB_DIR"/flip/{xtr-compose,screen}.c \
			"$src/fakegpu-client.c" >&2 || return 1
		"${cc[@]}" -o "$tmp/fakegpu-chain" "$src"/fakegpu-{chain,client}.c >&2 || return 1
		# Another run may have been faster: then its folder stays.
		chmod 755 "$tmp"
		mv -T "$tmp" "$dir" 2>/dev/null || rm -rf "$tmp"
	fi
	printf '%s\n' "$dir"
}

prepare_locked() {
	local name=$1 found set image version dir folder aside lines=()

	found=$(kernel_find "$name" 1) || die "no suite has a kernel for '$name'"
	read -r set image <<<"$found"
	version=${image#linux-image-}
	dir=$CACHE/built/$version-$(source_hash)
	if [ ! -e "$dir" ]; then
		if ! { unpack_image "$set" "$image" && unpack_compiler "$set" "$version"; }; then
			say "$version: download failed, trying again with new package lists"
			apt_update "$set"
			found=$(kernel_find "$name" 1) || die "no suite has a kernel for '$name'"
			read -r set image <<<"$found"
			version=${image#linux-image-}
			dir=$CACHE/built/$version-$(source_hash)
			if ! { unpack_image "$set" "$image" && unpack_compiler "$set" "$version"; }; then
				die "$version: could not be downloaded"
			fi
		fi
		[ -e "$dir" ] || build_guest "$version" "$dir" || die "$version: the module does not build"
	fi
	for folder in "${ASIDE[@]}"; do
		aside=$CACHE/aside/$folder/$version-$(aside_hash "$folder" "$name")
		[ -e "$aside" ] || build_aside "$folder" "$name" "$version" "$aside" || die "$version: $folder does not build"
		lines+=("$folder=$aside")
	done
	mkdir -p "$CACHE/names"
	printf '%s\n' "version=$version" "suite=$set" "hash=${dir##*-}" "dir=$dir" \
		"image=$CACHE/kernels/$version/boot/vmlinuz-$version" "initramfs=$dir/initramfs" \
		"modules=$dir/usr/lib/modules/$version" "${lines[@]}" >"$CACHE/names/$name.tmp"
	mv "$CACHE/names/$name.tmp" "$CACHE/names/$name"
}

# Makes NAME ready to run. Does nothing where it is; one run at a time works on the cache.
kernel_prepare() {
	mkdir -p "$CACHE"
	(
		flock -n 9 || { say 'waiting for another prepare' && flock 9; }
		prepare_locked "$1"
	) 9>"$CACHE/lock"
}

# Prints NAME's KEY=VALUE lines; prepares it first if it is not ready or the sources changed.
kernel_env() {
	local file=$CACHE/names/$1 folder ready=1

	grep -qs "^hash=$(source_hash)\$" "$file" || ready=0
	for folder in "${ASIDE[@]}"; do
		grep -qs "^$folder=.*-$(aside_hash "$folder" "$1")\$" "$file" || ready=0
	done
	[ $ready -eq 1 ] || kernel_prepare "$1" || return 1
	cat "$file"
}

kernel_clean() {
	local d keep

	if [ "${1:-}" = --all ]; then
		rm -rf "${CACHE:?}"/{apt,debs,kernels,compilers,roots,built,fakenpu,fakenvidia,aside,tools,names,accel,lock} "$CACHE"/initramfs.*
		return 0
	fi
	keep=$(cat "$CACHE"/names/* 2>/dev/null) || keep=
	# Modules and tools of the tests are built where they are used; nothing uses roots any more.
	rm -rf "${CACHE:?}"/{debs,fakenvidia,tools,roots} "$CACHE"/initramfs.*
	for d in "$CACHE"/built/* "$CACHE"/fakenpu "$CACHE"/aside/*/* "$CACHE"/kernels/* "$CACHE"/compilers/*; do
		case $keep in
		*"version=${d##*/}"* | *"=$d"*) ;;
		*) rm -rf "$d" ;;
		esac
	done
}
