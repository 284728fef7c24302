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

/* What the track's name was worth when it was described; XTR_MAP_NONE if it was not. */
static uint32_t described_as(struct pf *pf, uint64_t uuid)
{
	struct pf_described *r = recent(pf, uuid);

	if (r->uuid != uuid) {
		uint32_t worth = xtr_map_index(&pf->described, uuid, 0);

		if (worth == XTR_MAP_NONE)
			return worth;
		*r = (struct pf_described){ .uuid = uuid, .worth = worth };
	}
	return r->worth;
}

/* True if the track was described, with a name of this much worth; else it is noted that it is. */
static bool described(struct pf *pf, uint64_t uuid, uint32_t worth)
{
	uint32_t had = described_as(pf, uuid);

	if (had != XTR_MAP_NONE && had >= worth)
		return true;
	if (pf->described.n > DESCRIBED_MAX) {
		xtr_map_free(&pf->described);
		memset(pf->recent, 0, sizeof(pf->recent));
	}
	if (xtr_map_put(&pf->described, uuid, 0, worth))
		pf->err = -ENOMEM;
	*recent(pf, uuid) = (struct pf_described){ .uuid = uuid, .worth = worth };
	return false;
}

/* What a descriptor says of a track beside its uuid. */
struct track {
	const char *name, *help; /* NULL: none */
	bool is_process, is_thread;
	uint32_t pid, tid;
	const char *comm; /* of the process or thread; NULL: not known */
	bool counter;
	enum pf_unit unit;
	const char *unit_name;
	bool children_ranked, ranked, merged; /* siblings of one name are shown as one track */
	uint32_t rank;
};

static void put_owner(struct xtr_buf *b, const struct track *t)
{
	size_t at;

	if (t->is_process) {
		at = pf_message(b, PF_TRACK_PROC);
		pf_put_int32(b, PF_PROCESS_PID, (int32_t)t->pid);
		pf_put_text(b, PF_PROCESS_NAME, t->comm);
		pf_message_end(b, at);
	}
	if (t->is_thread) {
		at = pf_message(b, PF_TRACK_THRD);
		pf_put_int32(b, PF_THREAD_PID, (int32_t)t->pid);
		pf_put_int32(b, PF_THREAD_TID, (int32_t)t->tid);
		pf_put_text(b, PF_THREAD_NAME, t->comm);
		pf_message_end(b, at);
	}
}

static void put_counter(struct xtr_buf *b, const struct track *t)
{
	size_t at = pf_message(b, PF_TRACK_COUNTER);

	if (t->unit)
		pf_put_uint(b, PF_COUNTER_UNIT, t->unit);
	pf_put_text(b, PF_COUNTER_UNIT_NAME, t->unit_name);
	pf_message_end(b, at);
}

/* pf_packet has been called; texts of the packet are in t. */
static int describe(struct pf *pf, const struct track *t, uint64_t uuid, uint64_t parent)
{
	struct xtr_buf *b = &pf->out.block;
	size_t at = pf_in_packet(pf, PF_PACKET_TRACK);

	pf_put_uint(b, PF_TRACK_UUID, uuid);
	pf_put_text(b, PF_TRACK_NAME, t->name);
	put_owner(b, t);
	if (parent)
		pf_put_uint(b, PF_TRACK_PARENT, parent);
	if (t->counter)
		put_counter(b, t);
	if (t->children_ranked)
		pf_put_uint(b, PF_TRACK_ORDERING, PF_ORDERING_EXPLICIT);
	if (t->ranked)
		pf_put_int32(b, PF_TRACK_RANK, (int32_t)t->rank);
	pf_put_text(b, PF_TRACK_HELP, t->help);
	if (t->merged)
		pf_put_uint(b, PF_TRACK_MERGE, PF_MERGE_BY_TRACK_NAME);
	return pf_packet_end_with(pf, at);
}

/* --- processes and threads -------------------------------------------------------------------- */

static const char *comm_text(struct pf *pf, uint32_t comm)
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
	struct track t = { .is_process = true, .pid = xtr_process_pid(process) };

	if (described_as(pf, uuid) == 1)
		return 0;
	comm = process_comm(pf, tid, process, comm, ts);
	if (described(pf, uuid, comm != 0))
		return 0;
	pf_packet(pf);
	t.comm = comm_text(pf, comm);
	return describe(pf, &t, uuid, 0);
}

static int describe_thread(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm,
			   uint64_t ts, uint64_t uuid)
{
	struct track t = { .is_thread = true, .pid = xtr_process_pid(process), .tid = tid };
	int err = pf_process(pf, tid, process, comm, ts);

	if (err)
		return err;
	pf_packet(pf);
	t.comm = comm_text(pf, comm);
	return describe(pf, &t, uuid, pf_uuid(pf, PF_TRACK_PROCESS, process));
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
	static const struct track t = { .name = "unfinished calls" };

	*uuid = (thread & ~15ull) | PF_TRACK_THREAD_OPEN;
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	return describe(pf, &t, *uuid, thread);
}

int pf_together_track(struct pf *pf, uint64_t owner, uint32_t depth, uint64_t *uuid)
{
	static const struct track t = { .name = "calls that begin together" };

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(owner, depth));
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	return describe(pf, &t, *uuid, owner);
}

/* --- rings ------------------------------------------------------------------------------------ */

static int device_track(struct pf *pf, uint32_t gpu, uint64_t *uuid)
{
	const struct pf_device *dev = &pf_machine(pf)->device[gpu];
	struct track t = { .children_ranked = true };

	*uuid = pf_uuid(pf, PF_TRACK_DEVICE, gpu);
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	t.name = pf_textf(pf, "%s%s%s", dev->driver ? dev->driver : "", dev->driver ? " " : "",
			  dev->name[0] ? dev->name : "unknown device");
	return describe(pf, &t, *uuid, 0);
}

static int ring_parent(struct pf *pf, uint32_t ring, uint64_t *uuid)
{
	const struct pf_ring *r = &pf_machine(pf)->ring[ring];
	struct track t = { .children_ranked = true, .ranked = true, .rank = ring };
	uint64_t device;
	int err = device_track(pf, r->gpu, &device);

	*uuid = pf_uuid(pf, PF_TRACK_RING, ring);
	if (err || described(pf, *uuid, 0))
		return err;
	pf_packet(pf);
	t.name = r->name[0] ? pf_text(pf, r->name, strlen(r->name)) : "unknown ring";
	return describe(pf, &t, *uuid, device);
}

static int describe_ring_track(struct pf *pf, uint32_t ring, enum pf_track kind, uint64_t uuid)
{
	struct track t = { .ranked = true };
	uint64_t parent;
	uint32_t i = 0;
	int err = ring_parent(pf, ring, &parent);

	if (err)
		return err;
	while (ring_tracks[i].kind != kind)
		i++;
	pf_packet(pf);
	t.name = ring_tracks[i].name;
	t.help = ring_tracks[i].help;
	t.rank = i;
	t.counter = ring_tracks[i].counter;
	t.merged = !t.counter;
	if (t.counter) {
		t.name = pf_textf(pf, "%s %s", pf_machine(pf)->ring[ring].name, t.name);
		t.unit = PF_UNIT_COUNT;
	}
	return describe(pf, &t, uuid, parent);
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
	struct track t = { roots[root].name, roots[root].help, .children_ranked = true };

	*uuid = 0;
	if (root == PF_ROOT_NONE)
		return 0;
	*uuid = pf_uuid(pf, PF_TRACK_ROOT, root);
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	return describe(pf, &t, *uuid, 0);
}

int pf_cpu_track(struct pf *pf, enum pf_root root, uint32_t cpu, uint32_t lane, uint64_t *uuid)
{
	struct track t = { .ranked = true, .rank = cpu & INT32_MAX, .merged = true };
	uint64_t parent;
	int err = root_track(pf, root, &parent);

	*uuid = pf_uuid(pf, PF_TRACK_CPU, ((uint64_t)root << LANE_BITS | lane) << 32 | cpu);
	if (err || described(pf, *uuid, 0))
		return err;
	pf_packet(pf);
	t.name = cpu == XTR_STREAM_NONE ? "unknown CPU" : pf_textf(pf, "CPU %" PRIu32, cpu);
	return describe(pf, &t, *uuid, parent);
}

int pf_named_track(struct pf *pf, enum pf_root root, const char *name, uint64_t *uuid)
{
	struct track t = { 0 };
	uint64_t parent;
	int err = root_track(pf, root, &parent);

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(pf_hash_text(name, strlen(name)), root));
	if (err || described(pf, *uuid, 0))
		return err;
	pf_packet(pf);
	t.name = pf_text(pf, name, strlen(name));
	return describe(pf, &t, *uuid, parent);
}

int pf_counter_track(struct pf *pf, const char *name, const char *unit, uint64_t *uuid)
{
	bool bytes = unit && !strcmp(unit, "bytes");
	struct track t = { .counter = true, .unit = bytes ? PF_UNIT_SIZE_BYTES : 0 };

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(pf_hash_text(name, strlen(name)), 99));
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	t.name = pf_text(pf, name, strlen(name));
	if (unit && !bytes)
		t.unit_name = pf_text(pf, unit, strlen(unit));
	return describe(pf, &t, *uuid, 0);
}

int pf_child_track(struct pf *pf, uint64_t parent, const char *name, uint32_t lane, bool counter,
		   uint64_t *uuid)
{
	struct track t = { .counter = counter, .merged = true };
	uint64_t id = pf_hash(pf_hash_text(name, strlen(name)), parent);

	*uuid = pf_uuid(pf, PF_TRACK_NAMED, pf_hash(id, (uint64_t)lane << 1 | counter));
	if (described(pf, *uuid, 0))
		return 0;
	pf_packet(pf);
	t.name = pf_text(pf, name, strlen(name));
	return describe(pf, &t, *uuid, parent);
}
