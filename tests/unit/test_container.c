/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/event/container.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define A    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define B    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define UID  "6f1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9"
#define UID_ "6f1b2c3d_4e5f_4071_8293_a4b5c6d7e8f9"
#define UID0 "0123456789abcdef0123456789abcdef"

static const struct {
	const char *path, *container, *pod;
} paths[] = {
	{ "/", "", "" },
	{ "", "", "" },
	{ "/user.slice/user-1000.slice/session-2.scope", "", "" },
	{ "/system.slice/docker-" A ".scope", A, "" },
	{ "/docker/" A, A, "" },
	{ "/docker/" A "/init.scope", A, "" },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	  ".slice/cri-containerd-" A ".scope",
	  A, UID },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" A ".scope", A, UID },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" A ".scope", "", UID },
	{ "/kubepods/besteffort/pod" UID "/" A, A, UID },
	{ "/kubepods/pod" UID0 "/" A, A, UID0 },
	{ "/kubepods.slice/kubepods-burstable-pod" UID0 ".slice", "", UID0 },
	{ "/system.slice/docker-" B ".scope/kubelet.slice/kubelet-kubepods-pod" UID_
	  ".slice/cri-containerd-" A ".scope",
	  A, UID },
	{ "/machine.slice/libpod-" A ".scope/container", A, "" },
	{ "/machine.slice/libpod-conmon-" A ".scope", "", "" },
	{ "/libpod_parent/libpod-" A, A, "" },
	{ "/lxc.payload.web1/system.slice/cron.service", "web1", "" },
	{ "/lxc.payload.", "", "" },
	{ "/machine.slice/machine-debian.scope", "debian", "" },
	{ "/docker/" A "0", "", "" },
	{ "/system.slice/docker-abc.scope", "", "" },
	{ "/system.slice/docker-" A, "", "" },
	{ "/podman.slice", "", "" },
	{ "/pod", "", "" },
	{ "/kubepods-pod.slice", "", "" },
	{ "/kubepods-pod" UID_ "0.slice", "", "" },
	{ "/pod6f1b2c3d-4e5f-4071-8293-a4b5c6d7e8fX", "", "" },
};

Test(container, the_path_of_a_group_names_container_and_pod)
{
	struct xtr_container c;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *want = paths[i].container;

		xtr_container_of(&c, paths[i].path, strlen(paths[i].path));
		cr_assert(c.n == strlen(want) && !memcmp(c.id ? c.id : "", want, c.n), "%s: %.*s",
			  paths[i].path, (int)c.n, c.id ? c.id : "");
		cr_assert(zero(int, strcmp(c.pod, paths[i].pod)), "%s: %s", paths[i].path, c.pod);
	}
}

/* Every prefix, in memory of its own: no byte behind the path is read. */
Test(container, any_bytes_are_taken)
{
	static const char path[] = "/kubepods-pod" UID_ ".slice\0/\xff//cri-containerd-" A ".scope";
	struct xtr_container c;

	for (size_t n = 0; n < sizeof(path); n++) {
		char *copy = malloc(n + !n);

		memcpy(copy, path, n);
		xtr_container_of(&c, copy, n);
		cr_assert(le(sz, c.n, n));
		cr_assert(lt(sz, strlen(c.pod), XTR_POD_UID));
		free(copy);
	}
}
