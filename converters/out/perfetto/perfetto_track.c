/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks. A track's uuid is made from what it is, so that nothing need be kept to name it again:
 * which ones have been described is kept only to say it once, and may be forgotten.
 */
#include "perfetto.h"
#include "replay/event/process.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DESCRIBED_MAX 65536u

#define KIND_BITS     4
#define ID_BITS       48
#define LANE_BITS     13 /* PF_LANES_MAX */
#define MACHINE_SHIFT (KIND_BITS + ID_BITS)

/* Roots and what is said of them. */
static const struct {
	const char *name, *help;
} roots[] = {
	[PF_ROOT_INTERRUPTS] = { "Interrupts", "irq and softirq handlers" },
	[PF_ROOT_DISPLAY] = { "Display", "vertical blanks and page flips" },
	[PF_ROOT_DEVICES] = { "Device errors", "errors and resets that a driver reported" },
	[PF_ROOT_NO_THREAD] = { "Events outside of threads", "what happened on an idle CPU" },
	[PF_ROOT_LOST] = { "Lost events", "while these slices last, events were lost" },
};

/* Lanes and counters of a ring, in the order in which they are shown. */
static const struct {
	enum pf_track kind;
	const char *name, *help;
	bool counter;
} ring_tracks[] = {
	{ PF_TRACK_JOBS, "jobs", "from run to done", false },
	{ PF_TRACK_UNFINISHED, "unfinished jobs", "run, and not done in the trace", false },
	{ PF_TRACK_WAITS, "queue wait", "from queue to run", false },
	{ PF_TRACK_QUEUED, "queued", "jobs in software queues", true },
	{ PF_TRACK_ON_HW, "on hardware", "jobs from run to done", true },
};

int pf_lane(struct xtr_lanes *l, uint64_t begin, uint64_t end)
{
	int64_t lane;

	l->most = PF_LANES_MAX;
	lane = xtr_lanes_take(l, begin, end == UINT64_MAX ? end : end + 1);
	return lane < 0 ? (int)lane : (int)lane - 1;
}

uint64_t pf_uuid(const struct pf *pf, enum pf_track kind, uint64_t id)
{
	const uint64_t mask = (1ull << ID_BITS) - 1;

	return (uint64_t)pf->machine[pf->m].id << MACHINE_SHIFT | (id & mask) << KIND_BITS | kind;
}

static struct pf_described *recent(struct pf *pf, uint64_t uuid)
{
	return &pf->recent[uuid * 0x9e3779b97f4a7c15u >> (64 - PF_RECENT_BITS)];
}

/* What the track's name was worth when it was described; XTR_KEYMAP_NONE if it was not. */
static uint32_t described_as(struct pf *pf, uint64_t uuid)
{
	struct pf_described *r = recent(pf, uuid);

	if (r->uuid != uuid) {
		uint32_t worth = xtr_keymap_get(&pf->described, uuid, 0);

		if (worth == XTR_KEYMAP_NONE)
			return worth;
		*r = (struct pf_described){ .uuid = uuid, .worth = worth };
	}
	return r->worth;
}

/* True if the track was described, with a name of this much worth; else it is noted that it is. */
static bool described(struct pf *pf, uint64_t uuid, uint32_t worth)
{
	uint32_t had = described_as(pf, uuid);

	if (had != XTR_KEYMAP_NONE && had >= worth)
		return true;
	if (pf->described.n > DESCRIBED_MAX) {
		xtr_keymap_free(&pf->described);
		memset(pf->recent, 0, sizeof(pf->recent));
	}
	if (xtr_keymap_put(&pf->described, uuid, 0, worth))
		pf->err = -ENOMEM;
	*recent(pf, uuid) = (struct pf_described){ .uuid = uuid, .worth = worth };
	return false;
}

/* Only now: most tracks that are asked for have been described. */
static void begin(struct pf *pf, Pf__TrackDescriptor *d)
{
	pf_packet(pf);
	pf__track_descriptor__init(d);
}

static int describe(struct pf *pf, Pf__TrackDescriptor *d, uint64_t uuid, uint64_t parent)
{
	d->has_uuid = true;
	d->uuid = uuid;
	d->has_parent_uuid = parent != 0;
	d->parent_uuid = parent;
	pf->packet.track_descriptor = d;
	return pf_send(pf);
}

/* --- processes and threads -------------------------------------------------------------------- */

static char *comm_text(struct pf *pf, uint32_t comm)
{
	size_t n = 0;
	const char *s = comm ? xtr_tables_string(pf->s->tables, comm, &n) : NULL;

	return s && n ? pf_text(pf, s, n) : NULL;
}

/* A process is called what its first thread is. */
static uint32_t process_comm(const struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm,
			     uint64_t ts)
{
	const struct xtr_task *t = xtr_process_leader(pf->s->tables, process, ts);

	if (t && t->pid)
		return t->comm;
	return tid == xtr_process_pid(process) ? comm : 0;
}

/*
 * Importers take a second track with the same number for that of another process, or thread, that
 * was given it: track_event_tracker.cc.
 */
int pf_process(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm, uint64_t ts)
{
	uint64_t uuid = pf_uuid(pf, PF_TRACK_PROCESS, process);
	Pf__TrackDescriptor d;
	Pf__TrackDescriptor__Process p = PF__TRACK_DESCRIPTOR__PROCESS__INIT;

	if (described_as(pf, uuid) == 1)
		return 0;
	comm = process_comm(pf, tid, process, comm, ts);
	if (described(pf, uuid, comm != 0))
		return 0;
	begin(pf, &d);
	p.has_pid = true;
	p.pid = (int32_t)xtr_process_pid(process);
	p.process_name = comm_text(pf, comm);
	d.process = &p;
	return describe(pf, &d, uuid, 0);
}

static int describe_thread(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm,
			   uint64_t ts, uint64_t uuid)
{
	Pf__TrackDescriptor d;
	Pf__TrackDescriptor__Thread t = PF__TRACK_DESCRIPTOR__THREAD__INIT;
	int ret = pf_process(pf, tid, process, comm, ts);

	if (ret)
		return ret;
	begin(pf, &d);
	t.has_pid = t.has_tid = true;
	t.pid = (int32_t)xtr_process_pid(process);
	t.tid = (int32_t)tid;
	t.thread_name = comm_text(pf, comm);
	d.thread = &t;
	return describe(pf, &d, uuid, pf_uuid(pf, PF_TRACK_PROCESS, process));
}

static uint64_t thread_id(uint64_t process, uint32_t tid)
{
	return xtr_process_nth(process) ? pf_hash(process, tid) : process << 24 ^ tid;
}

/* A thread whose process is not known has a track of its own. */
int pf_thread_track(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm, uint64_t ts,
		    uint64_t *uuid)
{
	char name[32];

	if (!process) {
		snprintf(name, sizeof(name), "thread %" PRIu32, tid);
		return pf_named_track(pf, PF_ROOT_NONE, name, uuid);
	}
	*uuid = pf_uuid(pf, PF_TRACK_THREAD, thread_id(process, tid));
	if (described(pf, *uuid, comm != 0))
		return 0;
	return describe_thread(pf, tid, process, comm, ts, *uuid);
}

int pf_unfinished_call_track(struct pf *pf, uint64_t thread, uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	char name[] = "unfinished calls";

	*uuid = (thread & ~15ull) | PF_TRACK_THREAD_OPEN;
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = name;
	return describe(pf, &d, *uuid, thread);
}

int pf_together_track(struct pf *pf, uint64_t owner, uint32_t depth, uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	char name[] = "calls that begin together";

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(owner, depth));
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = name;
	return describe(pf, &d, *uuid, owner);
}

/* --- rings ------------------------------------------------------------------------------------ */

static int device_track(struct pf *pf, uint32_t gpu, uint64_t *uuid)
{
	const struct pf_device *dev = &pf_machine(pf)->device[gpu];
	Pf__TrackDescriptor d;

	*uuid = pf_uuid(pf, PF_TRACK_DEVICE, gpu);
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = pf_textf(pf, "%s%s%s", dev->driver ? dev->driver : "", dev->driver ? " " : "",
			  dev->name[0] ? dev->name : "unknown device");
	d.has_child_ordering = true;
	d.child_ordering = PF__TRACK_DESCRIPTOR__ORDER__EXPLICIT;
	return describe(pf, &d, *uuid, 0);
}

static int ring_parent(struct pf *pf, uint32_t ring, uint64_t *uuid)
{
	const struct pf_ring *r = &pf_machine(pf)->ring[ring];
	Pf__TrackDescriptor d;
	uint64_t device;
	int ret = device_track(pf, r->gpu, &device);

	*uuid = pf_uuid(pf, PF_TRACK_RING, ring);
	if (ret || described(pf, *uuid, 0))
		return ret;
	begin(pf, &d);
	d.name = r->name[0] ? pf_text(pf, r->name, strlen(r->name)) : pf_textf(pf, "unknown ring");
	d.has_child_ordering = true;
	d.child_ordering = PF__TRACK_DESCRIPTOR__ORDER__EXPLICIT;
	d.has_sibling_order_rank = true;
	d.sibling_order_rank = (int32_t)ring;
	return describe(pf, &d, *uuid, device);
}

static void fill_ring_track(struct pf *pf, Pf__TrackDescriptor *d, size_t i, uint32_t ring,
			    Pf__TrackDescriptor__Counter *counter)
{
	const char *name = pf_machine(pf)->ring[ring].name;

	if (ring_tracks[i].counter) {
		d->name = pf_textf(pf, "%s %s", name, ring_tracks[i].name);
		counter->has_unit = true;
		counter->unit = PF__TRACK_DESCRIPTOR__COUNTER__UNIT__UNIT_COUNT;
		d->counter = counter;
	} else {
		d->name = pf_textf(pf, "%s", ring_tracks[i].name);
		d->has_sibling_merge_behavior = true;
		d->sibling_merge_behavior = PF__TRACK_DESCRIPTOR__MERGE__BY_TRACK_NAME;
	}
	d->description = pf_textf(pf, "%s", ring_tracks[i].help);
	d->has_sibling_order_rank = true;
	d->sibling_order_rank = (int32_t)i;
}

static int describe_ring_track(struct pf *pf, uint32_t ring, enum pf_track kind, uint64_t uuid)
{
	Pf__TrackDescriptor d;
	Pf__TrackDescriptor__Counter counter = PF__TRACK_DESCRIPTOR__COUNTER__INIT;
	uint64_t parent;
	size_t i = 0;
	int ret = ring_parent(pf, ring, &parent);

	if (ret)
		return ret;
	while (ring_tracks[i].kind != kind)
		i++;
	begin(pf, &d);
	fill_ring_track(pf, &d, i, ring, &counter);
	return describe(pf, &d, uuid, parent);
}

int pf_ring_track(struct pf *pf, uint32_t ring, enum pf_track kind, uint32_t lane, uint64_t *uuid)
{
	*uuid = pf_uuid(pf, kind, (uint64_t)ring << LANE_BITS | lane);
	return described(pf, *uuid, 0) ? 0 : describe_ring_track(pf, ring, kind, *uuid);
}

/* --- all others ---------------------------------------------------------------------------------
 */

static int root_track(struct pf *pf, enum pf_root root, uint64_t *uuid)
{
	Pf__TrackDescriptor d;

	*uuid = 0;
	if (root == PF_ROOT_NONE)
		return 0;
	*uuid = pf_uuid(pf, PF_TRACK_ROOT, root);
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = pf_textf(pf, "%s", roots[root].name);
	d.description = pf_textf(pf, "%s", roots[root].help);
	d.has_child_ordering = true;
	d.child_ordering = PF__TRACK_DESCRIPTOR__ORDER__EXPLICIT;
	return describe(pf, &d, *uuid, 0);
}

int pf_cpu_track(struct pf *pf, enum pf_root root, uint32_t cpu, uint32_t lane, uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	uint64_t parent;
	int ret = root_track(pf, root, &parent);

	*uuid = pf_uuid(pf, PF_TRACK_CPU, ((uint64_t)root << LANE_BITS | lane) << 32 | cpu);
	if (ret || described(pf, *uuid, 0))
		return ret;
	begin(pf, &d);
	d.name = cpu == XTR_STREAM_NONE ? pf_textf(pf, "unknown CPU")
					: pf_textf(pf, "CPU %" PRIu32, cpu);
	d.has_sibling_order_rank = true;
	d.sibling_order_rank = (int32_t)(cpu & INT32_MAX);
	d.has_sibling_merge_behavior = true;
	d.sibling_merge_behavior = PF__TRACK_DESCRIPTOR__MERGE__BY_TRACK_NAME;
	return describe(pf, &d, *uuid, parent);
}

int pf_named_track(struct pf *pf, enum pf_root root, const char *name, uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	uint64_t parent;
	int ret = root_track(pf, root, &parent);

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(pf_hash_text(name, strlen(name)), root));
	if (ret || described(pf, *uuid, 0))
		return ret;
	begin(pf, &d);
	d.name = pf_text(pf, name, strlen(name));
	return describe(pf, &d, *uuid, parent);
}

int pf_counter_track(struct pf *pf, const char *name, const char *unit, uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	Pf__TrackDescriptor__Counter c = PF__TRACK_DESCRIPTOR__COUNTER__INIT;

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(pf_hash_text(name, strlen(name)), 99));
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = pf_text(pf, name, strlen(name));
	d.counter = &c;
	if (unit && !strcmp(unit, "bytes")) {
		c.has_unit = true;
		c.unit = PF__TRACK_DESCRIPTOR__COUNTER__UNIT__UNIT_SIZE_BYTES;
	} else if (unit) {
		c.unit_name = pf_text(pf, unit, strlen(unit));
	}
	return describe(pf, &d, *uuid, 0);
}

int pf_child_track(struct pf *pf, uint64_t parent, const char *name, uint32_t lane, bool counter,
		   uint64_t *uuid)
{
	Pf__TrackDescriptor d;
	Pf__TrackDescriptor__Counter c = PF__TRACK_DESCRIPTOR__COUNTER__INIT;
	uint64_t id = pf_hash(pf_hash_text(name, strlen(name)), parent);

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(id, (uint64_t)lane << 1 | counter));
	if (described(pf, *uuid, 0))
		return 0;
	begin(pf, &d);
	d.name = pf_text(pf, name, strlen(name));
	if (counter)
		d.counter = &c;
	d.has_sibling_merge_behavior = true;
	d.sibling_merge_behavior = PF__TRACK_DESCRIPTOR__MERGE__BY_TRACK_NAME;
	return describe(pf, &d, *uuid, parent);
}
