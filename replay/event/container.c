/* SPDX-License-Identifier: BSD-2-Clause */
#include "container.h"

#include <stdbool.h>
#include <string.h>

#define HEX "0123456789abcdef"

enum id_kind {
	ID_DIGEST, /* 64 hexadecimal digits */
	ID_NAME,   /* whatever the user calls it */
};

/* How a container's group is called: by whom. */
static const struct {
	const char *prefix, *suffix;
	enum id_kind kind;
} names[] = {
	{ "docker-", ".scope", ID_DIGEST },         /* Docker, with systemd's groups */
	{ "cri-containerd-", ".scope", ID_DIGEST }, /* containerd below a kubelet */
	{ "crio-", ".scope", ID_DIGEST },           /* CRI-O */
	{ "crio-", "", ID_DIGEST },
	{ "libpod-", ".scope", ID_DIGEST }, /* Podman */
	{ "libpod-", "", ID_DIGEST },
	{ "nerdctl-", ".scope", ID_DIGEST },
	{ "", "", ID_DIGEST },           /* /docker/ID, /kubepods/.../ID: groups without systemd */
	{ "lxc.payload.", "", ID_NAME }, /* LXC, Incus */
	{ "machine-", ".scope", ID_NAME }, /* systemd-machined: nspawn, libvirt */
};

static bool only(const char *s, size_t n, const char *letters)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr(letters, s[i], strlen(letters)))
			return false;
	return n > 0;
}

/* Cut prefix and suffix off; false: they are not there. */
static bool strip(const char **s, size_t *n, const char *prefix, const char *suffix)
{
	const size_t before = strlen(prefix), behind = strlen(suffix);

	if (*n < before + behind || memcmp(*s, prefix, before) != 0 ||
	    memcmp(*s + *n - behind, suffix, behind) != 0)
		return false;
	*s += before;
	*n -= before + behind;
	return true;
}

static void find_container(struct xtr_container *c, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = name;
		size_t n = len;

		if (!strip(&s, &n, names[i].prefix, names[i].suffix) || !n)
			continue;
		if (names[i].kind == ID_DIGEST && (n != 64 || !only(s, n, HEX)))
			continue;
		c->id = s;
		c->n = n;
		return;
	}
}

/*
 * "podUID" without systemd, "kubepods-burstable-podUID.slice" with it, where '-' became '_'. A UID
 * has 36 characters; that of a pod from a file on the node may be 32 hexadecimal digits.
 */
static void find_pod(struct xtr_container *c, const char *s, size_t n)
{
	const bool slice = strip(&s, &n, "", ".slice");
	const char *uid = NULL;

	for (size_t i = 0; slice && i + 4 < n; i++)
		if (!memcmp(s + i, "-pod", 4))
			uid = s + i + 4;
	if (!slice && n > 3 && !memcmp(s, "pod", 3))
		uid = s + 3;
	if (!uid)
		return;
	n -= (size_t)(uid - s);
	if ((n != 36 && n != 32) || !only(uid, n, n == 36 ? HEX "_-" : HEX))
		return;
	for (size_t i = 0; i < n; i++)
		c->pod[i] = uid[i] == '_' ? '-' : uid[i];
	c->pod[n] = 0;
}

void xtr_container_of(struct xtr_container *c, const char *path, size_t n)
{
	*c = (struct xtr_container){ .n = 0 };
	for (size_t at = 0, end; at < n; at = end + 1) {
		const char *slash = memchr(path + at, '/', n - at);

		end = slash ? (size_t)(slash - path) : n;
		find_container(c, path + at, end - at);
		find_pod(c, path + at, end - at);
	}
}
