/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/meta/meta.h"
#include "format/meta/cbor.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const uint8_t boot[16] = { 9, 8, 7 };
static const char *const nodes[] = { "card0", "renderD128" };

static struct xtr_meta *full(void)
{
	const struct xtr_system sys = { .release = "6.18.1",
					.version = "#1 SMP",
					.machine = "x86_64",
					.cpus = 16,
					.page = 4096,
					.hypervisor = "kvm" };
	const struct xtr_device dev = { .name = "0000:03:00.0",
					.driver = "amdgpu",
					.pci_id = "1002:744c",
					.firmware = "fw",
					.nodes = nodes,
					.n_nodes = 2 };
	const struct xtr_provider p = {
		3, "a:b", "raw_tp", "drm_run_job", XTR_PROVIDER_REFUSED, "EPERM", NULL
	};
	const struct xtr_value_name names[] = { { 5, "five" }, { 1, "one" }, { 5, "again" } };
	const struct xtr_field fields[] = {
		{ "state", "ns", 16, 4, XTR_REPR_U32, XTR_SENS_KPTR, XTR_NAMES_ENUM, 3, names },
		{ "name", NULL, 20, 12, XTR_REPR_STR, XTR_SENS_NONE, XTR_NAMES_NONE, 0, NULL },
	};
	const struct xtr_event_desc ev = { "a:b", 1024, 32, 3, 2, fields };
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(eq(int, xtr_meta_set_writer(m, "w", "1.2"), 0));
	cr_assert(eq(int, xtr_meta_set_clock(m, "boottime", boot, 4), 0));
	cr_assert(eq(int, xtr_meta_set_system(m, &sys), 0));
	cr_assert(eq(int, xtr_meta_add_device(m, &dev), 0));
	cr_assert(eq(int, xtr_meta_add_provider(m, &p), 0));
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(int, xtr_meta_add_event(m, &xtr_builtin_events[2]), 0));
	cr_assert(eq(int, xtr_meta_set_config_u64(m, "rings", 8), 0));
	cr_assert(eq(int, xtr_meta_set_config_str(m, "wakeup", "never"), 0));
	return m;
}

static struct xtr_meta *copy(const struct xtr_meta *m)
{
	struct xtr_meta *back = xtr_meta_new();
	struct xtr_err err;
	uint8_t *buf;
	size_t n, bad;

	cr_assert(eq(int, xtr_meta_encode(m, &buf, &n), 0));
	cr_assert(xtr_cbor_check(buf, n, &bad));
	cr_assert(eq(int, xtr_meta_merge(back, buf, n, &err), 0));
	free(buf);
	return back;
}

Test(meta, what_is_written_is_read)
{
	struct xtr_meta *m = full(), *back = copy(m);
	const struct xtr_event_desc *ev = xtr_meta_event(back, 1024);
	const char *key, *str;
	uint64_t num;

	cr_assert(eq(str, (char *)xtr_meta_writer_version(back), "1.2"));
	cr_assert(eq(str, (char *)xtr_meta_clock(back), "boottime"));
	cr_assert(zero(int, memcmp(xtr_meta_boot_id(back), boot, 16)));
	cr_assert(eq(str, (char *)xtr_meta_system(back)->hypervisor, "kvm"));
	cr_assert(eq(ptr, (void *)xtr_meta_system(back)->hostname, NULL));
	cr_assert(eq(sz, xtr_meta_device(back, 0)->n_nodes, 2));
	cr_assert(eq(str, (char *)xtr_meta_device(back, 0)->nodes[1], "renderD128"));
	cr_assert(eq(ptr, (void *)xtr_meta_device(back, 0)->driver_version, NULL));
	cr_assert(eq(int, xtr_meta_provider(back, 0)->state, XTR_PROVIDER_REFUSED));
	cr_assert(eq(str, (char *)xtr_meta_provider(back, 0)->why, "EPERM"));
	cr_assert(eq(sz, xtr_meta_n_events(back), 2));
	cr_assert(eq(u32, xtr_meta_event_at(back, 0)->type, xtr_builtin_events[2].type));
	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(back, "a:b"), (void *)ev));
	cr_assert(eq(u32, ev->fields[0].n_names, 2), "sorted, the first of equal values stays");
	cr_assert(eq(str, (char *)ev->fields[0].names[0].name, "one"));
	cr_assert(eq(str, (char *)ev->fields[0].names[1].name, "five"));
	cr_assert(eq(int, ev->fields[0].sens, XTR_SENS_KPTR));
	cr_assert(eq(int, ev->fields[1].sens, XTR_SENS_NONE));
	cr_assert(xtr_meta_config(back, 0, &key, &num, &str));
	cr_assert(eq(str, (char *)key, "rings"));
	cr_assert(eq(u64, num, 8));
	cr_assert(xtr_meta_config(back, 1, &key, &num, &str));
	cr_assert(eq(str, (char *)str, "never"));
	cr_assert(not(xtr_meta_config(back, 2, &key, &num, &str)));
	xtr_meta_free(m);
	xtr_meta_free(back);
}

Test(meta, later_copies_add_and_replace)
{
	struct xtr_meta *a = full(), *b = full();
	struct xtr_event_desc ev = xtr_builtin_events[2];
	struct xtr_err err;
	uint8_t *buf;
	size_t n;

	ev.name = "new:name";
	cr_assert(eq(int, xtr_meta_add_event(b, &ev), 0));
	cr_assert(eq(int, xtr_meta_add_event(b, &xtr_builtin_events[0]), 0));
	cr_assert(eq(int, xtr_meta_set_config_u64(b, "rings", 9), 0));
	cr_assert(eq(int, xtr_meta_encode(b, &buf, &n), 0));
	cr_assert(eq(int, xtr_meta_merge(a, buf, n, &err), 0));
	cr_assert(eq(sz, xtr_meta_n_events(a), 3));
	cr_assert(eq(sz, xtr_meta_n_providers(a), 1));
	cr_assert(eq(sz, xtr_meta_n_devices(a), 1));
	cr_assert(eq(str, (char *)xtr_meta_event(a, ev.type)->name, "new:name"));
	free(buf);
	xtr_meta_free(a);
	xtr_meta_free(b);
}

/* Flipped bytes: refused with the meta unchanged, or still a META. */
Test(meta, damaged_payloads_change_nothing)
{
	struct xtr_meta *m = full(), *back = xtr_meta_new();
	size_t n, refused = 0;
	uint8_t *buf;

	cr_assert(eq(int, xtr_meta_encode(m, &buf, &n), 0));
	for (size_t i = 0; i < n; i++) {
		struct xtr_err err = { 0 };

		buf[i] ^= 0x41;
		if (xtr_meta_merge(back, buf, n, &err)) {
			refused++;
			cr_assert(err.problem == XTR_P_CBOR || err.problem == XTR_P_META);
			cr_assert(xtr_meta_is_empty(back));
		} else {
			xtr_meta_free(back);
			back = xtr_meta_new();
		}
		buf[i] ^= 0x41;
	}
	cr_assert(gt(sz, refused, n / 4));
	free(buf);
	xtr_meta_free(m);
	xtr_meta_free(back);
}

Test(meta, events_that_break_the_rules_are_refused)
{
	const struct xtr_field fits = { "f", NULL, 16, 8, XTR_REPR_U64, 0, 0, 0, NULL };
	const struct xtr_event_desc good = { "a:b", 16, 24, 0, 1, &fits };
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_event_desc ev;
	struct xtr_field f;

	cr_assert(eq(int, xtr_meta_add_event(m, &good), 0));
#define REFUSED(change)                                                           \
	do {                                                                      \
		ev = good;                                                        \
		f = fits;                                                         \
		ev.fields = &f;                                                   \
		change;                                                           \
		cr_assert(eq(int, xtr_meta_add_event(m, &ev), -EINVAL), #change); \
	} while (0)
	REFUSED(ev.type = 15);
	REFUSED(ev.type = 65536);
	REFUSED(ev.size = 8);
	REFUSED(ev.size = 20);
	REFUSED(ev.size = 65536);
	REFUSED(f.offset = 17);
	REFUSED(f.offset = UINT32_MAX);
	REFUSED(f.size = 4);
	REFUSED(f.size = 0; f.repr = XTR_REPR_BYTES);
	REFUSED(f.size = 3; f.repr = XTR_REPR_STRID);
	REFUSED(f.size = 4; f.repr = XTR_REPR_RING; f.names_kind = XTR_NAMES_ENUM);
#undef REFUSED
	xtr_meta_free(m);
}

Test(meta, too_much_for_a_payload)
{
	struct xtr_meta *m = full();
	struct xtr_event_desc ev = xtr_builtin_events[0]; /* 9 fields: about 80 items */
	uint8_t *buf;
	size_t n;

	for (ev.type = 2000; ev.type < 3000; ev.type++)
		cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(int, xtr_meta_encode(m, &buf, &n), -E2BIG));
	xtr_meta_free(m);
}

Test(meta, a_clock_that_counts_events_has_no_times)
{
	struct xtr_meta *m = xtr_meta_new(), *back;

	cr_assert(xtr_meta_has_times(NULL));
	cr_assert(xtr_meta_has_times(m), "monotonic where nothing is said");
	cr_assert(eq(int, xtr_meta_set_clock(m, "unknown", boot, 1), 0));
	cr_assert(xtr_meta_has_times(m));
	cr_assert(eq(int, xtr_meta_set_clock(m, XTR_CLOCK_SEQUENCE, boot, 1), 0));
	cr_assert(not(xtr_meta_has_times(m)));
	back = copy(m);
	cr_assert(not(xtr_meta_has_times(back)));
	xtr_meta_free(back);
	xtr_meta_free(m);
}

/* As many as there can be, and each added before those that are there. */
Test(meta, every_type_is_found_by_its_name)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_event_desc ev = { .size = 16 };
	char name[16];

	ev.name = name;
	for (uint32_t type = UINT16_MAX; type >= 16; type--) {
		ev.type = type;
		snprintf(name, sizeof(name), "e%u", type % 50000 * 7919u);
		cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	}
	for (uint32_t type = 16; type <= UINT16_MAX; type++) {
		uint32_t first = type >= 50016 ? type - 50000 : type;

		snprintf(name, sizeof(name), "e%u", type % 50000 * 7919u);
		cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, name),
			     (void *)xtr_meta_event(m, first)));
		cr_assert(eq(ptr, (void *)xtr_meta_event_at(m, type - 16),
			     (void *)xtr_meta_event(m, type)));
	}
	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, ""), NULL));
	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, "e"), NULL));
	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, "f"), NULL));
	xtr_meta_free(m);
}

Test(meta, a_name_is_searched_among_the_events_of_now)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_event_desc ev = { .name = "a:b", .type = 2000, .size = 16 };

	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, "a:b"), NULL), "there is no event");
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(u32, xtr_meta_event_by_name(m, "a:b")->type, 2000));
	ev.type = 1999;
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(u32, xtr_meta_event_by_name(m, "a:b")->type, 1999), "the lowest type");
	ev.name = "a:c";
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0), "1999 has another name");
	cr_assert(eq(u32, xtr_meta_event_by_name(m, "a:b")->type, 2000));
	cr_assert(eq(u32, xtr_meta_event_by_name(m, "a:c")->type, 1999));
	ev.type = 2000;
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(m, "a:b"), NULL));
	xtr_meta_free(m);
}

Test(meta, devices_and_providers_are_named_and_replaced)
{
	struct xtr_device dev = { .name = "0000:03:00.0", .driver = "amdgpu" }, none = { 0 };
	struct xtr_provider p = { .id = 3, .name = "a:b", .attach = "tp", .target = "x" };
	struct xtr_meta *m = xtr_meta_new();
	const char **const needed[] = { &p.name, &p.attach, &p.target };
	uint64_t num;

	cr_assert(eq(int, xtr_meta_add_device(m, &none), -EINVAL));
	for (size_t i = 0; i < 3; i++) {
		const char *name = *needed[i];

		*needed[i] = NULL;
		cr_assert(eq(int, xtr_meta_add_provider(m, &p), -EINVAL));
		*needed[i] = name;
	}
	for (uint32_t i = 0; i < 2; i++) {
		dev.name = i ? "b" : "a";
		p.id = i + 1;
		cr_assert(eq(int, xtr_meta_add_device(m, &dev), 0));
		cr_assert(eq(int, xtr_meta_add_provider(m, &p), 0));
	}
	dev.driver = "i915";
	p.target = "y";
	cr_assert(eq(int, xtr_meta_add_device(m, &dev), 0));
	cr_assert(eq(int, xtr_meta_add_provider(m, &p), 0));
	cr_assert(eq(sz, xtr_meta_n_devices(m), 2));
	cr_assert(eq(sz, xtr_meta_n_providers(m), 2));
	cr_assert(eq(str, (char *)xtr_meta_device(m, 1)->driver, "i915"));
	cr_assert(eq(str, (char *)xtr_meta_provider(m, 1)->target, "y"));
	cr_assert(eq(ptr, (void *)xtr_meta_device(m, 2), NULL));
	cr_assert(eq(ptr, (void *)xtr_meta_provider(m, 2), NULL));
	cr_assert(eq(ptr, (void *)xtr_meta_event_at(m, 0), NULL));
	cr_assert(eq(ptr, (void *)xtr_meta_event(m, 16), NULL));
	cr_assert(eq(int, xtr_meta_set_config_str(m, "k", "text"), 0));
	cr_assert(not(xtr_meta_config_u64(m, "k", &num)));
	cr_assert(eq(int, xtr_meta_set_config_u64(m, "k", 5), 0));
	cr_assert(xtr_meta_config_u64(m, "k", &num));
	cr_assert(eq(u64, num, 5));
	xtr_meta_free(m);
}

Test(meta, what_tells_machines_and_devices_apart_is_read)
{
	const struct xtr_system sys = { .release = "6",
					.version = "v",
					.machine = "m",
					.machine_id = "00112233445566778899aabbccddeeff" };
	const struct xtr_device dev = { .name = "d",
					.driver = "nvidia",
					.subsystem = "10de:16c1",
					.driver_srcversion = "ABC",
					.revision = "a1",
					.model = "H100",
					.vbios = "96",
					.uuid = "GPU-1" };
	struct xtr_meta *m = full(), *back;
	const struct xtr_device *d;

	cr_assert(zero(int, xtr_meta_set_system(m, &sys)));
	cr_assert(zero(int, xtr_meta_add_device(m, &dev)));
	back = copy(m);
	d = xtr_meta_device(back, 1);
	cr_assert(eq(str, (char *)xtr_meta_system(back)->machine_id, (char *)sys.machine_id));
	cr_assert(eq(str, (char *)d->subsystem, "10de:16c1"));
	cr_assert(eq(str, (char *)d->driver_srcversion, "ABC"));
	cr_assert(eq(str, (char *)d->revision, "a1"));
	cr_assert(eq(str, (char *)d->model, "H100"));
	cr_assert(eq(str, (char *)d->vbios, "96"));
	cr_assert(eq(str, (char *)d->uuid, "GPU-1"));
	cr_assert(eq(ptr, (void *)xtr_meta_device(back, 0)->uuid, NULL));
	xtr_meta_free(m);
	xtr_meta_free(back);
}

Test(meta, labels_are_in_config)
{
	static const char *const keys[] = { "a", "node", "app.kubernetes.io/name" };
	struct xtr_meta *m = full(), *back;
	const char *key = NULL, *value = NULL;
	size_t at = 0, n = 0;

	cr_assert(zero(int, xtr_meta_set_config_str(m, "label:node", "n1")));
	cr_assert(zero(int, xtr_meta_set_config_str(m, "label:app.kubernetes.io/name", "")));
	cr_assert(zero(int, xtr_meta_set_config_str(m, "label:a", "x=y")));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "label:n", 1)), "no text: no label");
	cr_assert(zero(int, xtr_meta_set_label(m, "a=x=y")), "the same again");
	cr_assert(eq(int, xtr_meta_set_label(m, "a"), -EINVAL));
	cr_assert(eq(int,
		     xtr_meta_set_label(m, "k23456789012345678901234567890123456789012345678901234"
					   "56789012345=v"),
		     -EINVAL));
	back = copy(m);
	for (; n < 3 && xtr_meta_next_label(back, &at, &key, &value); n++)
		cr_assert(eq(str, (char *)key, (char *)keys[n]));
	cr_assert(eq(sz, n, 3));
	cr_assert(not(xtr_meta_next_label(back, &at, &key, &value)));
	at = 0;
	cr_assert(not(xtr_meta_next_label(xtr_meta_none(), &at, &key, &value)));
	xtr_meta_free(m);
	xtr_meta_free(back);
}

Test(meta, what_a_label_may_be)
{
	static const char longest[] =
		"123456789012345678901234567890123456789012345678901234567890123";
	char value[XTR_LABEL_VALUE_MAX + 2];

	cr_assert(xtr_label_key_is_right("a.b/c_d-9", 9));
	cr_assert(xtr_label_key_is_right(longest, XTR_LABEL_KEY_MAX));
	cr_assert(not(xtr_label_key_is_right(longest, 0)));
	cr_assert(not(xtr_label_key_is_right("-a", 2)));
	cr_assert(not(xtr_label_key_is_right("a b", 3)));
	cr_assert(not(xtr_label_key_is_right("a\0b", 3)));
	memset(value, 'v', sizeof(value));
	value[XTR_LABEL_VALUE_MAX + 1] = 0;
	cr_assert(not(xtr_label_value_is_right(value)));
	value[XTR_LABEL_VALUE_MAX] = 0;
	cr_assert(xtr_label_value_is_right(value));
	cr_assert(xtr_label_value_is_right(""));
	cr_assert(xtr_label_value_is_right("K\xc3\xb6ln = 1"));
	cr_assert(not(xtr_label_value_is_right("\xff")));
	cr_assert(not(xtr_label_value_is_right("a\nb")));
	cr_assert(not(xtr_label_value_is_right("a\x7f")));
}
