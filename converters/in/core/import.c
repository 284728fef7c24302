/* SPDX-License-Identifier: BSD-2-Clause */
#include "import_priv.h"

#include "base/buf.h"
#include "base/checked.h"
#include "format/meta/cbor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NOTE_BYTES 1024u
#define GAPS_MAX   ((size_t)100000) /* then the last one of a CPU takes in the later ones */

void import_clean(char *text)
{
	size_t n = strlen(text);
	bool utf8 = xtr_utf8_check((const uint8_t *)text, n);

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8))
			text[i] = '?';
	}
}

/* A copy that is fit for META and not too long. */
static char *clean_copy(const char *text)
{
	char *copy = xtr_copy_text(text, NOTE_BYTES);

	if (copy)
		import_clean(copy);
	return copy;
}

/* --- facts ------------------------------------------------------------------------------------ */

int xtr_import_system(struct xtr_import *im, const struct xtr_system *sys)
{
	char *texts[] = { clean_copy(sys->release ? sys->release : ""),
			  clean_copy(sys->version ? sys->version : ""),
			  clean_copy(sys->machine ? sys->machine : ""),
			  clean_copy(sys->hostname ? sys->hostname : "") };
	struct xtr_system clean = *sys;
	int err = -ENOMEM;

	clean.release = texts[0];
	clean.version = texts[1];
	clean.machine = texts[2];
	clean.hypervisor = NULL;
	clean.hostname = sys->hostname ? texts[3] : NULL;
	if (texts[0] && texts[1] && texts[2] && texts[3])
		err = xtr_meta_set_system(im->meta, &clean);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	return err;
}

int xtr_import_device(struct xtr_import *im, const struct xtr_device *dev)
{
	const char *const in[] = { dev->name, dev->driver, dev->pci_id, dev->driver_version,
				   dev->firmware };
	char *text[5] = { 0 };
	int err = 0;

	for (size_t i = 0; i < 5 && !err; i++) {
		text[i] = in[i] ? clean_copy(in[i]) : NULL;
		err = in[i] && !text[i] ? -ENOMEM : 0;
	}
	if (!err)
		err = xtr_meta_add_device(im->meta, &(struct xtr_device){ .name = text[0],
									  .driver = text[1],
									  .pci_id = text[2],
									  .driver_version = text[3],
									  .firmware = text[4] });
	for (size_t i = 0; i < 5; i++)
		free(text[i]);
	return err;
}

int xtr_import_clock(struct xtr_import *im, const char *name)
{
	static const struct {
		const char *tracer, *xtr;
	} clocks[] = {
		{ "mono", "monotonic" },
		{ "mono_raw", "monotonic-raw" },
		{ "boot", "boottime" },
		{ "tai", "tai" },
	};
	static const uint8_t no_boot_id[16];
	char *clean = clean_copy(name);
	const char *as = clean;
	int err = -ENOMEM;

	for (size_t i = 0; clean && i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clean, clocks[i].tracer))
			as = clocks[i].xtr;
	if (clean)
		err = xtr_meta_set_clock(im->meta, as, no_boot_id, im->resolution);
	free(clean);
	return err;
}

int xtr_import_wall_clock(struct xtr_import *im, uint64_t ts, uint64_t wall)
{
	im->wall_at = ts;
	im->wall = wall;
	return 0;
}

int xtr_import_without_times(struct xtr_import *im)
{
	static const uint8_t no_boot_id[16];

	im->res->no_times = true;
	return xtr_meta_set_clock(im->meta, XTR_CLOCK_SEQUENCE, no_boot_id, 1);
}

int xtr_import_resolution(struct xtr_import *im, uint64_t ns)
{
	char *clock = strdup(xtr_meta_clock(im->meta));
	uint8_t boot_id[16];
	int err = -ENOMEM;

	memcpy(boot_id, xtr_meta_boot_id(im->meta), sizeof(boot_id));
	im->resolution = ns;
	if (clock)
		err = xtr_meta_set_clock(im->meta, clock, boot_id, ns);
	free(clock);
	return err;
}

int xtr_import_note(struct xtr_import *im, const char *key, const char *text)
{
	char *clean = clean_copy(text);
	int err = clean ? xtr_meta_set_config_str(im->meta, key, clean) : -ENOMEM;

	free(clean);
	return err;
}

uint64_t xtr_import_address(const struct xtr_import *im, uint64_t addr)
{
	return !addr || im->o->keep_pointers ? addr : xtr_siphash(&im->key, addr);
}

void xtr_import_progress(struct xtr_import *im, uint64_t done, uint64_t all)
{
	if (im->o->progress)
		im->o->progress(im->o->ctx, done, all);
}

/* --- losses and damage ------------------------------------------------------------------------ */

static int hand_over_gap(struct xtr_import *im, struct import_cpu *c)
{
	if (!c->in_gap)
		return 0;
	c->in_gap = false;
	im->n_gaps++;
	return xtr_loss_add_gap(im->loss, &c->gap);
}

static int add_gap(struct xtr_import *im, struct import_cpu *c, const struct xtr_gap *gap)
{
	int err;

	if (c->in_gap && im->n_gaps >= GAPS_MAX) {
		c->gap.last = gap->last > c->gap.last ? gap->last : c->gap.last;
		c->gap.count = xtr_sat_add(c->gap.count, gap->count);
		return 0;
	}
	err = hand_over_gap(im, c);
	c->gap = *gap;
	c->in_gap = true;
	return err;
}

int xtr_import_lost(struct xtr_import *im, uint32_t cpu, uint64_t first, uint64_t last,
		    uint64_t count)
{
	struct xtr_gap gap = { .stream = cpu, .first = first, .last = last, .count = count };
	struct import_cpu *c;
	int err;

	if (gap.last < gap.first)
		gap.last = gap.first;
	if (!count) {
		gap.count = 1;
		im->res->lost_unsure++;
	}
	if (cpu >= XTR_IMPORT_CPUS) {
		gap.stream = XTR_STREAM_NONE;
		c = &im->no_cpu;
	} else {
		err = import_cpu_at(im, cpu, &c);
		if (err)
			return err;
	}
	c->lost = xtr_sat_add(c->lost, gap.count);
	c->lost_source = xtr_sat_add(c->lost_source, gap.count);
	return add_gap(im, c, &gap);
}

static int set_losses(struct xtr_import *im, struct import_cpu *c, uint32_t stream)
{
	uint64_t refused = c->lost - c->lost_source;
	int err = hand_over_gap(im, c);

	if (!err && c->lost_source)
		err = xtr_loss_set(im->loss, stream, 0, XTR_LOSS_SOURCE, c->lost_source);
	if (!err && refused)
		err = xtr_loss_set(im->loss, stream, 0, XTR_LOSS_RECORDER, refused);
	return err;
}

static int account(struct xtr_import *im)
{
	int err = set_losses(im, &im->no_cpu, XTR_STREAM_NONE);

	for (uint32_t i = 0; !err && i < im->n_cpus; i++)
		err = set_losses(im, &im->cpus[i], i);
	if (!err && im->res->lost_unsure)
		err = xtr_meta_set_config_u64(im->meta, "import-lost-unsure", im->res->lost_unsure);
	if (!err && im->res->damage)
		err = xtr_meta_set_config_u64(im->meta, "import-damage", im->res->damage);
	if (!err && im->res->damage)
		err = xtr_import_note(im, "import-damage-first", im->res->text);
	im->res->lost = xtr_loss_total(im->loss);
	return err;
}

void xtr_import_damage(struct xtr_import *im, const char *fmt, ...)
{
	va_list ap;

	if (!im->res->damage++) {
		va_start(ap, fmt);
		vsnprintf(im->res->text, sizeof(im->res->text), fmt, ap);
		va_end(ap);
		import_clean(im->res->text);
	}
}

int xtr_import_fail(struct xtr_import *im, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(im->res->text, sizeof(im->res->text), fmt, ap);
	va_end(ap);
	import_clean(im->res->text);
	im->failed = true;
	return err;
}

/* --- the run ---------------------------------------------------------------------------------- */

static int random_key(struct xtr_siphash_key *key)
{
	while (getrandom(key, sizeof(*key), 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int begin(struct xtr_import *im, const struct xtr_importer *imp)
{
	static const struct xtr_system unknown = { .release = "", .version = "", .machine = "" };
	int err;

	im->meta = xtr_meta_new();
	im->tables = xtr_tables_new();
	im->loss = xtr_loss_new();
	im->next_type = XTR_TYPE_FIRST_DYNAMIC;
	im->next_provider = 1;
	im->resolution = 1;
	if (!im->meta || !im->tables || !im->loss)
		return -ENOMEM;
	err = random_key(&im->key) ?: xtr_meta_set_writer(im->meta, "xtr import", XTR_VERSION) ?:
	      xtr_import_clock(im, "unknown") ?:
	      xtr_import_system(im, &unknown) ?:
	      xtr_import_note(im, "import-format", imp->name);
	if (!err && im->o->source)
		err = xtr_import_note(im, "import-source", im->o->source);
	return err;
}

static void release(struct xtr_import *im)
{
	struct xtr_map *maps[] = { &im->tasks,
				   &im->seen,
				   &im->starts,
				   &im->rings,
				   &im->old.by_fence,
				   &im->old.by_id,
				   &im->old.contexts,
				   &im->old.threads,
				   &im->old.queued,
				   &im->old.was_run,
				   &im->old.rings,
				   &im->old.shared,
				   &im->old.by_real,
				   &im->new_names.ring,
				   &im->new_names.contexts,
				   &im->new_names.signaled,
				   &im->stacks.ids };

	xtr_writer_free(im->writer);
	xtr_meta_free(im->meta);
	xtr_tables_free(im->tables);
	xtr_loss_free(im->loss);
	for (size_t i = 0; i < im->n_cpus; i++)
		free(im->cpus[i].buf);
	free(im->cpus);
	free(im->old.jobs);
	free(im->old.windows);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		xtr_map_free(maps[i]);
	import_types_free(im);
	import_shapes_free(im);
}

/* A trace without an event is no trace: what it is instead, who asked should hear. */
static int need_events(struct xtr_import *im, const struct xtr_importer *imp)
{
	char first[XTR_IMPORT_TEXT];

	if (import_any(im))
		return 0;
	if (!im->res->damage)
		return xtr_import_fail(im, -ENODATA, "no event in it (read as %s)", imp->what);
	snprintf(first, sizeof(first), "%s", im->res->text);
	return xtr_import_fail(im, -ENODATA, "no event in it (read as %s); %.120s", imp->what,
			       first);
}

static int run(struct xtr_import *im, const struct xtr_importer *imp, struct xtr_io *in)
{
	int err = begin(im, imp);

	if (!err && im->o->damage)
		xtr_import_damage(im, "%s", im->o->damage);
	err = err ?: imp->run(im, in) ?: need_events(im, imp) ?: import_note_stacks(im) ?:
	      account(im) ?:
	      import_finish(im);
	if (err && !im->failed)
		im->res->text[0] = '\0'; /* it was of something else */
	return err;
}

static int read_head(struct xtr_io *in, uint8_t *head, size_t *n)
{
	uint64_t size;
	int err = in->ops->size(in, &size);

	*n = size < XTR_IMPORT_HEAD ? (size_t)size : XTR_IMPORT_HEAD;
	return err ? err : in->ops->read_at(in, 0, head, *n);
}

static const struct xtr_importer *named(const char *name)
{
	const struct xtr_importer *imp = xtr_importers;

	while (imp->name && strcmp(name, imp->name) != 0)
		imp++;
	return imp->name ? imp : NULL;
}

const struct xtr_importer *xtr_import_detect(const uint8_t *head, size_t n)
{
	const struct xtr_importer *imp = xtr_importers;

	while (imp->name && !imp->detect(head, n))
		imp++;
	return imp->name ? imp : NULL;
}

int xtr_import_run(struct xtr_io *in, struct xtr_io *out, const struct xtr_import_opts *opts,
		   struct xtr_import_result *res)
{
	struct xtr_import im = { .o = opts, .res = res, .out = out };
	uint8_t *head = malloc(XTR_IMPORT_HEAD);
	const struct xtr_importer *imp;
	size_t n = 0;
	int err = head ? read_head(in, head, &n) : -ENOMEM;

	*res = (struct xtr_import_result){ 0 };
	if (err)
		imp = NULL;
	else
		imp = opts->format ? named(opts->format) : xtr_import_detect(head, n);
	free(head);
	if (err)
		return err;
	if (!imp) {
		snprintf(res->text, sizeof(res->text), "%s",
			 opts->format ? "unknown format"
			 : n          ? "not a trace that xtr can import"
				      : "the file is empty");
		return -EPROTONOSUPPORT;
	}
	res->format = imp->name;
	err = run(&im, imp, in);
	release(&im);
	return err;
}
