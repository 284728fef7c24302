/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dumps of bytes: a row of headers, the first of which says where the registers are, as pairs of
 * number and value. All is little-endian. Nothing else of them is looked at.
 */
#include "dump_rows.h"

#include <stdio.h>
#include <string.h>

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t le64(const uint8_t *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

/* Of the header: where type 0, the registers, are. */
static void registers_at(struct xtr_dump_reader *r, uint64_t offset, uint64_t size)
{
	if (le32(r->head + 4) != 0)
		return;
	r->registers.from = offset;
	r->registers.to = offset + size; /* of 32 bits each */
	r->d.failure = true;
}

/* The byte at r->at belongs to the registers; true: a pair is whole. */
static bool pair(struct xtr_dump_reader *r, uint8_t c, uint32_t *reg, uint32_t *value)
{
	if (r->at < DUMP_HEAD || r->at < r->registers.from || r->at >= r->registers.to)
		return false;
	r->registers.pair[(r->at - r->registers.from) % 8] = c;
	if ((r->at - r->registers.from) % 8 != 7)
		return false;
	*reg = le32(r->registers.pair);
	*value = le32(r->registers.pair + 4);
	return true;
}

static uint64_t place(const struct xtr_dump_reader *r)
{
	return r->at - 7;
}

/* --- panfrost --------------------------------------------------------------------------------- */

/*
 * include/uapi/drm/panfrost_drm.h, struct panfrost_dump_object_header; drivers/gpu/drm/panfrost/
 * panfrost_dump.c has the registers of the job's slot and address space only; panfrost_regs.h.
 */
#define PANFROST_JS          0x1800u
#define PANFROST_JS_STRIDE   0x80u
#define PANFROST_JS_STATUS   0x24u
#define PANFROST_SLOTS       3u
#define PANFROST_AS          0x2400u
#define PANFROST_AS_STRIDE   0x40u
#define PANFROST_SPACES      16u
#define PANFROST_FAULTSTATUS 0x1cu
#define PANFROST_FAULT_LOW   0x20u
#define PANFROST_FAULT_HIGH  0x24u

static void panfrost_space(struct xtr_dump_reader *r, uint32_t reg, uint32_t value)
{
	struct xtr_dump_fact *f = r->d.fact;

	switch ((reg - PANFROST_AS) % PANFROST_AS_STRIDE) {
	case PANFROST_FAULTSTATUS:
		if (value)
			dump_set_number(&f[XTR_DUMP_STATUS_FACT], DUMP_ONLY, place(r), value);
		break;
	case PANFROST_FAULT_LOW:
		r->registers.reg_low = value;
		break;
	case PANFROST_FAULT_HIGH:
		if (f[XTR_DUMP_STATUS_FACT].known)
			dump_set_number(&f[XTR_DUMP_FAULT_FACT], DUMP_ONLY, place(r),
					(uint64_t)value << 32 | r->registers.reg_low);
		break;
	default:
		break;
	}
}

static void panfrost_register(struct xtr_dump_reader *r, uint32_t reg, uint32_t value)
{
	struct xtr_dump_fact *f = r->d.fact;

	if (reg >= PANFROST_AS && reg < PANFROST_AS + PANFROST_SPACES * PANFROST_AS_STRIDE) {
		panfrost_space(r, reg, value);
	} else if (reg >= PANFROST_JS && reg < PANFROST_JS + PANFROST_SLOTS * PANFROST_JS_STRIDE &&
		   (reg - PANFROST_JS) % PANFROST_JS_STRIDE == PANFROST_JS_STATUS) {
		char code[16];
		int n = snprintf(code, sizeof(code), "0x%x", value);

		dump_set_text(&f[XTR_DUMP_CODE_FACT], DUMP_ONLY, place(r), code, (size_t)n);
		dump_set_number(&f[XTR_DUMP_SLOT_FACT], DUMP_ONLY, place(r),
				(reg - PANFROST_JS) / PANFROST_JS_STRIDE);
	}
}

void dump_panfrost_byte(struct xtr_dump_reader *r, uint8_t c)
{
	uint32_t reg, value;

	if (r->at == DUMP_HEAD - 1) { /* magic, type, size, offset; of the registers: jc, gpu_id */
		registers_at(r, le32(r->head + 12), le32(r->head + 8));
		if (r->registers.to)
			dump_set_number(&r->d.fact[XTR_DUMP_HEAD_FACT], DUMP_FIRST, 16,
					le64(r->head + 16));
	}
	if (pair(r, c, &reg, &value))
		panfrost_register(r, reg, value);
}

/* --- etnaviv ---------------------------------------------------------------------------------- */

/* drivers/gpu/drm/etnaviv/etnaviv_dump.h; state_hi.xml.h and state.xml.h have the registers. */
#define ETNAVIV_FE_DMA_ADDRESS 0x664u

void dump_etnaviv_byte(struct xtr_dump_reader *r, uint8_t c)
{
	uint32_t reg, value;

	if (r->at == DUMP_HEAD - 1) /* magic, type, offset, size */
		registers_at(r, le32(r->head + 8), le32(r->head + 12));
	if (pair(r, c, &reg, &value) && reg == ETNAVIV_FE_DMA_ADDRESS)
		dump_set_number(&r->d.fact[XTR_DUMP_HEAD_FACT], DUMP_FIRST, place(r), value);
}
