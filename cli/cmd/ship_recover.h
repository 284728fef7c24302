/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces whose recorder was killed: what is in their files and in the kernel becomes a whole one.
 */
#ifndef XTR_CLI_SHIP_RECOVER_H
#define XTR_CLI_SHIP_RECOVER_H

#include "ship_child.h"
#include "ship_killed.h"
#include "ship_spool.h"

struct ship_recover {
	struct ship_spool *spool;
	struct ship_wait *wait;
	struct ship_recorders recorders; /* when the pieces had been listed */
	bool told;                       /* of a piece that has to wait for another user: once */
	bool made;                       /* something came into ship/: a new list has it */
	bool waits;                      /* there are pieces that cannot be made whole now */
	uint64_t again;                  /* ns: when one is tried again */
};

/*
 * Finish what an earlier shipper had begun, and collect what dead recorders left in this directory,
 * into ship/. After it, `all`, which was listed before, may have pieces that are gone. 0 or -errno.
 */
int ship_recover_all(struct ship_recover *r);
/*
 * A piece that nobody writes, and that is no whole one (f): 0: it was made whole, or given up, and
 * another look shows what there is; 1: it has to wait, which is said; or -errno.
 */
int ship_recover_one(struct ship_recover *r, struct ship_piece *p, const struct ship_facts *f);
/* May a recorder, or who collects what it left, still need the file of this name? */
bool ship_is_open(const struct ship_recover *r, const char *name, const struct ship_facts *f);

#endif /* XTR_CLI_SHIP_RECOVER_H */
