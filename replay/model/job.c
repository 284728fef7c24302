/* SPDX-License-Identifier: BSD-2-Clause */
#include "job.h"

struct text {
	const char *name, *help;
};

static const struct text kinds[] = {
#define KIND(id, text, help) [XTR_KIND_##id] = { text, help },
	XTR_JOB_KINDS(KIND)
};

static const struct text qualities[] = {
#define QUALITY(id, text, help) [XTR_QUALITY_##id] = { text, help },
	XTR_QUALITIES(QUALITY)
};

static const struct text flags[] = {
#define FLAG(id, bit, text, help) [bit] = { text, help },
	XTR_JOB_FLAGS(FLAG)
};

const char *xtr_job_kind_name(unsigned int kind)
{
	return kind < XTR_KIND_COUNT ? kinds[kind].name : "?";
}

const char *xtr_quality_name(unsigned int quality)
{
	return quality < XTR_QUALITY_COUNT ? qualities[quality].name : "?";
}

const char *xtr_quality_help(unsigned int quality)
{
	return quality < XTR_QUALITY_COUNT ? qualities[quality].help : "?";
}

const char *xtr_job_flag_name(unsigned int bit)
{
	return bit < sizeof(flags) / sizeof(flags[0]) ? flags[bit].name : NULL;
}

const char *xtr_job_flag_help(unsigned int bit)
{
	return bit < sizeof(flags) / sizeof(flags[0]) ? flags[bit].help : NULL;
}
