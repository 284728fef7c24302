/* SPDX-License-Identifier: BSD-2-Clause */
#include "pftrace_gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gpu_field(struct pft_msg m, uint32_t num, struct pft_field *f)
{
	while (pft_next(&m, f))
		if (f->num == num)
			return true;
	*f = (struct pft_field){ 0 };
	return false;
}

uint64_t gpu_u64(struct pft_msg m, uint32_t num)
{
	struct pft_field f;

	return gpu_field(m, num, &f) && f.wire != 2 ? f.v : 0;
}

bool gpu_is(const struct pft_field *f, const char *text)
{
	return f->wire == 2 && f->n == strlen(text) && !memcmp(f->p, text, f->n);
}

struct pft_field gpu_interned(const struct pft_seq *seq, uint32_t table, uint64_t iid,
			      uint32_t field)
{
	struct pft_field f;
	struct pft_msg m;

	if (!iid || !pft_interned(seq, table, iid, &m) || !gpu_field(m, field, &f) || f.wire != 2)
		f = (struct pft_field){ .wire = 2 };
	return f;
}

struct gpu_track *gpu_track_of(const struct pft_gpu *g, uint64_t uuid)
{
	const uint64_t *i = xtr_map_get(&g->tracks, uuid, 0);

	return i ? &g->track[*i] : NULL;
}

/* --- devices: GpuInfo ------------------------------------------------------------------------- */

static char *copy(const struct pft_field *f)
{
	return f->wire == 2 && f->n ? xtr_copy_text((const char *)f->p, f->n < 255 ? f->n : 255)
				    : NULL;
}

static void free_device(struct gpu_device *d)
{
	free(d->name);
	free(d->driver);
	free(d->pci_id);
	free(d->driver_version);
	free(d->firmware);
	*d = (struct gpu_device){ 0 };
}

static void take_extra(struct gpu_device *d, struct pft_msg m)
{
	struct {
		const char *key;
		char **to;
	} keys[] = { { "driver", &d->driver },
		     { "driver_version", &d->driver_version },
		     { "firmware", &d->firmware } };
	struct pft_field key, value;

	if (!gpu_field(m, 1, &key) || !gpu_field(m, 2, &value))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gpu_is(&key, keys[i].key) && !*keys[i].to)
			*keys[i].to = copy(&value);
}

/* The name that xtr gave it: behind its driver's, where it is no PCI address. */
static void name_by_xtr(struct gpu_device *d)
{
	size_t n = d->driver ? strlen(d->driver) : 0;
	char *name;

	if (!d->name)
		return;
	name = strdup(n && !strncmp(d->name, d->driver, n) && d->name[n] == ' ' ? d->name + n + 1
										: d->name);
	if (!name)
		return;
	free(d->name);
	d->name = name;
	if (!strcmp(name, "unknown"))
		*name = '\0';
}

static void take_gpu(struct pft_gpu *g, uint32_t id, struct pft_msg m)
{
	struct gpu_device *d = &g->device[id];
	struct pft_field f;
	char *pci = NULL;

	free_device(d);
	d->told = true;
	while (pft_next(&m, &f)) {
		if (f.num == 1 && !d->name)
			d->name = copy(&f);
		else if (f.num == 3 && !d->pci_id)
			d->pci_id = copy(&f);
		else if (f.num == 7 && !pci)
			pci = copy(&f);
		else if (f.num == 6)
			take_extra(d, pft_sub(&f));
	}
	if (pci) {
		free(d->name);
		d->name = pci;
	} else if (g->by_xtr) {
		name_by_xtr(d);
	}
}

static int take_info(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		     struct pft_msg m)
{
	struct pft_field f;
	uint32_t i = 0;

	(void)p;
	(void)packet;
	while (pft_next(&m, &f) && i < GPU_DEVICES_MAX)
		if (f.num == 1)
			take_gpu(g, i++, pft_sub(&f));
	return 0;
}

const char *gpu_device_name(struct pft_gpu *g, uint32_t gpu_id, char buf[24])
{
	if (gpu_id < GPU_DEVICES_MAX && g->device[gpu_id].told && g->device[gpu_id].name)
		return g->device[gpu_id].name;
	if (gpu_id < GPU_DEVICES_MAX && g->device[gpu_id].told && g->by_xtr)
		return "";
	snprintf(buf, 24, "gpu%" PRIu32, gpu_id);
	return buf;
}

/* --- whose trace it is: TraceAttributes ------------------------------------------------------- */

#define CLOCK_MONO 3u /* BuiltinClock */

static int take_attributes(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
			   struct pft_msg m)
{
	struct pft_field f, key, text;

	(void)packet;
	while (pft_next(&m, &f)) {
		if (f.num != 1 || !gpu_field(pft_sub(&f), 1, &key))
			continue;
		g->by_xtr |= gpu_is(&key, "xtr.version");
		/* The clock of the recording, so that times come back as they were. */
		if (g->by_xtr && gpu_is(&key, "xtr.event_clock") &&
		    gpu_field(pft_sub(&f), 3, &text) && gpu_is(&text, "monotonic"))
			pft_trace_clock(p, CLOCK_MONO);
	}
	return 0;
}

/* --- packets ---------------------------------------------------------------------------------- */

/* Fields of TracePacket. */
static const struct {
	uint32_t field;
	gpu_take *take;
	bool timed; /* without a time it says nothing */
} takes[] = {
	{ 11, gpu_take_track_event, true }, { 52, gpu_take_counter, false },
	{ 53, gpu_take_stage, false },      { 60, gpu_take_track, false },
	{ 62, gpu_take_memory, false },     { 63, gpu_take_log, true },
	{ 65, gpu_take_vulkan, false },     { 71, gpu_take_total, true },
	{ 126, take_attributes, false },    { 128, take_info, false },
	{ 129, gpu_take_frequency, true },
};

int pft_gpu_packet(struct pftrace *p, const struct pft_packet *packet, const struct pft_field *f)
{
	struct pft_gpu *g;

	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		if (takes[i].field != f->num)
			continue;
		g = pft_gpu(p);
		if (!g)
			return -ENOMEM;
		if (takes[i].timed && !packet->has_ts) {
			g->left_out[GPU_NO_TIME]++;
			return 0;
		}
		return takes[i].take(p, g, packet, pft_sub(f));
	}
	return 0;
}

static int tell_left_out(struct pftrace *p, const struct pft_gpu *g)
{
	static const char *const keys[] = {
		[GPU_NO_QUEUE] = "import-gpu-stages-of-unknown-queues",
		[GPU_NO_TIME] = "import-gpu-packets-without-time",
		[GPU_NO_COUNTER] = "import-gpu-counter-samples-undescribed",
		[GPU_TRACK_EVENTS] = "import-track-events-left-out",
	};
	char text[24];
	int err = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !err; i++) {
		snprintf(text, sizeof(text), "%" PRIu64, g->left_out[i]);
		if (g->left_out[i])
			err = xtr_import_note(pft_import(p), keys[i], text);
	}
	return err;
}

static int tell_devices(struct pftrace *p, const struct pft_gpu *g)
{
	int err = 0;

	for (size_t i = 0; i < GPU_DEVICES_MAX && !err; i++) {
		const struct gpu_device *d = &g->device[i];
		const struct xtr_device dev = { .name = d->name,
						.driver = d->driver,
						.pci_id = d->pci_id,
						.driver_version = d->driver_version,
						.firmware = d->firmware };

		if (d->told && d->name && *d->name)
			err = xtr_import_device(pft_import(p), &dev);
	}
	return err;
}

int pft_gpu_tell(struct pftrace *p)
{
	struct pft_gpu *g = pft_gpu(p);

	return (g ? gpu_counters_end(p, g) : -ENOMEM) ?: tell_devices(p, g) ?: tell_left_out(p, g);
}

struct pft_gpu *pft_gpu_new(void)
{
	return calloc(1, sizeof(struct pft_gpu));
}

void pft_gpu_free(struct pft_gpu *g)
{
	const struct xtr_map_slot *slot;

	for (size_t i = 0; i < GPU_DEVICES_MAX; i++)
		free_device(&g->device[i]);
	for (size_t i = 0; i < GPU_SPECS_MAX; i++) {
		free(g->queue[i]);
		free(g->stage[i].name);
	}
	for (size_t i = 0; i < g->n_tracks; i++)
		free(g->track[i].name);
	for (size_t i = 0; i < g->n_counters; i++) {
		free(g->counter[i].name);
		free(g->counter[i].unit);
	}
	for (size_t i = 0; (slot = xtr_map_next(&g->names, &i));)
		free((char *)(uintptr_t)slot->value);
	xtr_map_free(&g->tracks);
	xtr_map_free(&g->lanes);
	xtr_map_free(&g->counters);
	xtr_map_free(&g->names);
	xtr_map_free(&g->submits);
	xtr_map_free(&g->stages);
	free(g->slice.job);
	free(g->track);
	free(g->counter);
	free(g->submit);
	free(g);
}
