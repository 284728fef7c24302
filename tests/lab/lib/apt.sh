# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# A private apt: its own package lists and archive in the cache, the machine's own mirror and
# proxy settings, and Debian's keys. Nothing on the machine's package state is read or changed,
# and apt checks the signature of every list and the hash of every package.

DEBIAN_KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

# The mirror for LABEL (Debian or Debian-Security), as the machine's own apt has it; nothing if it
# has none.
apt_mirror() {
	apt-get indextargets --format '$(LABEL)|$(SITE)' 'Created-By: Packages' 2>/dev/null |
		awk -F'|' -v l="$1" '$1 == l { print $2; exit }'
}

# The suites that SET reads packages from, the wanted one last.
apt_sources() {
	local set=$1 main security
	local by="[arch=amd64 signed-by=$DEBIAN_KEYS]"

	main=$(apt_mirror Debian)
	security=$(apt_mirror Debian-Security)
	[ -n "$main" ] || die "apt knows no Debian mirror: run 'apt-get update'"
	case $set in
	bookworm | trixie)
		printf 'deb %s %s %s main\n' "$by" "$main" "$set" "$by" "$main" "$set-updates"
		[ -z "$security" ] || printf 'deb %s %s %s main\n' "$by" "$security" "$set-security"
		;;
	*-backports)
		apt_sources "${set%-backports}"
		printf 'deb %s %s %s main\n' "$by" "$main" "$set"
		;;
	*)
		printf 'deb %s %s %s main\n' "$by" "$main" "$set"
		;;
	esac
}

# apt_tool SET TOOL [ARG...]: apt-get or apt-cache on SET's lists.
apt_tool() {
	local set=$1 tool=$2 dir=$CACHE/apt/$1
	shift 2

	"$tool" -q -c "$dir/apt.conf" "$@"
}

apt_conf() {
	local set=$1 dir=$CACHE/apt/$1

	mkdir -p "$dir"/state/lists/partial "$dir"/cache "$CACHE"/debs/partial
	: >"$dir/status"
	apt_sources "$set" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	#clear DPkg::Post-Invoke;
	#clear DPkg::Pre-Invoke;
	#clear DPkg::Pre-Install-Pkgs;
	Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::State "$dir/state";
	Dir::State::status "$dir/status";
	Dir::Cache "$dir/cache";
	Dir::Cache::archives "$CACHE/debs";
	APT::Architecture "amd64";
	APT::Architectures "amd64";
	APT::Sandbox::User "$(id -un)";
	APT::Install-Recommends "false";
	APT::Default-Release "$(case $set in *-backports) echo "$set" ;; esac)";
	Acquire::Languages "none";
	Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
	Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
	Acquire::Retries "3";
	END
}

apt_has_index() {
	[ -e "$CACHE/apt/$1/updated" ]
}

# Fetches the lists of SET. A suite that does not exist is an error.
apt_update() {
	local set=$1

	say "package lists of $set"
	apt_conf "$set"
	apt_tool "$set" apt-get -qq --error-on=any update >&2 || return 1
	touch "$CACHE/apt/$set/updated"
}

# The packages that PACKAGE of SET depends on, by name, one a line.
apt_depends() {
	local set=$1 package=$2

	apt_tool "$set" apt-cache show --no-all-versions "$package" 2>/dev/null |
		sed -n 's/^\(Pre-\)\?Depends: *//p' | tr ',' '\n' | sed 's/^ *\([^ (]*\).*/\1/'
}

# Lets SET's apt believe that PACKAGE is installed: headers may depend on their image, which a build
# does not need.
apt_pretend() {
	local set=$1 package=$2 version

	version=$(apt_tool "$set" apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p')
	printf '%s\n' "Package: $package" 'Status: install ok installed' 'Architecture: amd64' \
		'Maintainer: none' "Version: $version" 'Description: unpacked elsewhere' \
		>"$CACHE/apt/$set/status"
}

# Prints "BYTES FILE" for each package file that the apt-get arguments would still download.
apt_sizes() {
	local set=$1
	shift

	apt_tool "$set" apt-get -qq -y --print-uris "$@" |
		awk -v dir="$CACHE/debs/" '{ if (system("test -e " dir $2) != 0) print $3, $2 }'
}

# apt_closure SET PACKAGE...: downloads the packages and all that they depend on; prints the files.
apt_closure() {
	local set=$1
	shift

	apt_tool "$set" apt-get -qq -y --download-only install "$@" >&2 || return 1
	# With everything cached, only a simulation names the whole set.
	apt_tool "$set" apt-get -qq -y --simulate install "$@" |
		awk '$1 == "Inst" { v = $3; sub(/^\(/, "", v); gsub(/:/, "%3a", v); print $2 "_" v "_" }' |
		while read -r stem; do
			set -- "$CACHE/debs/$stem"*.deb
			[ -e "$1" ] || return 1
			printf '%s\n' "$1"
		done
}

# apt_one SET PACKAGE: downloads one package without its dependencies; prints the file.
apt_one() {
	local set=$1 pkg=$2 file

	file=$(apt_tool "$set" apt-get -qq --print-uris download "$pkg" | awk '{ print $2; exit }')
	[ -n "$file" ] || return 1
	if [ ! -e "$CACHE/debs/$file" ]; then
		(cd "$CACHE/debs/partial" && apt_tool "$set" apt-get -qq download "$pkg" >&2) || return 1
		mv "$CACHE/debs/partial/$file" "$CACHE/debs/$file"
	fi
	printf '%s\n' "$CACHE/debs/$file"
}
