/* SPDX-License-Identifier: BSD-2-Clause */
#include "known_files.h"

#include "base/bytes.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* --- where bytes at a place are not enough ---------------------------------------------------- */

/*
 * ETW: the header of a buffer (72 bytes, its size first), then a system event (32 bytes, the marker
 * 0xc0 in its 4th) with TRACE_LOGFILE_HEADER, which begins with the size of a buffer, too.
 */
static bool is_etl(const uint8_t *head, size_t n)
{
	uint32_t size;

	if (n < 108 || head[75] != 0xc0)
		return false;
	size = xtr_le32(head);
	return size && size % 1024 == 0 && xtr_le32(head + 104) == size;
}

/* JSON that begins with c. */
static bool begins_with(const uint8_t *head, size_t n, char c)
{
	size_t i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (i < n && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	return i < n && head[i] == (uint8_t)c;
}

static bool is_object(const uint8_t *head, size_t n)
{
	return begins_with(head, n, '{');
}

static bool is_array(const uint8_t *head, size_t n)
{
	return begins_with(head, n, '[');
}

/* --- the table ---------------------------------------------------------------------------------
 */

#define MAGIC(bytes) .magic = (bytes), .n_magic = sizeof(bytes) - 1

#define SQLITE  MAGIC("SQLite format 3\0")
#define CTF     "a CTF trace, as LTTng writes"
#define CTF_BY  "'babeltrace2 DIRECTORY' prints it; xtr does not read CTF"
#define NSYS_BY "'nsys export --type sqlite FILE' makes a database, which 'xtr query' reads"
#define RGP_BY  "the Radeon GPU Profiler shows it"

/* All that a row has must be so. The first row that fits is taken. */
static const struct row {
	struct xtr_known known;
	const char *magic;  /* these bytes stand ... */
	size_t n_magic, at; /* ... there */
	bool (*is)(const uint8_t *head, size_t n);
	const char *has[2]; /* these texts stand somewhere in the head */
	const char *ending; /* of the name */
} rows[] = {
	{ { "perf.data, which perf record wrote", "'perf script -i FILE' prints what xtr reads" },
	  MAGIC("PERFILE2") },
	{ { "perf.data, which perf record wrote", "'perf script -i FILE' prints what xtr reads" },
	  MAGIC("2ELIFREP") },
	{ { "an ETW trace of Windows, as GPUView reads",
	    "'tracerpt FILE' prints it on Windows; xtr does not read ETW" },
	  .is = is_etl },
	{ { CTF, CTF_BY }, MAGIC("\xc1\x1f\xfc\xc1") },
	{ { CTF, CTF_BY }, MAGIC("\xc1\xfc\x1f\xc1") },
	{ { CTF, CTF_BY }, MAGIC("\x57\x1d\xd1\x75") },
	{ { CTF, CTF_BY }, MAGIC("\x75\xd1\x1d\x57") },
	{ { CTF, CTF_BY }, MAGIC("/* CTF 1.8 */") },
	{ { CTF, CTF_BY }, MAGIC("\x1e"), .has = { "\"preamble\"" } },
	{ { "a database of Nsight Systems", "'xtr query FILE SQL' reads it as it is" },
	  SQLITE,
	  .has = { "CUPTI_ACTIVITY" } },
	{ { "a database of Nsight Systems", "'xtr query FILE SQL' reads it as it is" },
	  SQLITE,
	  .has = { "TARGET_INFO_" } },
	{ { "a database of rocprof", "'xtr query FILE SQL' reads it as it is" },
	  SQLITE,
	  .has = { "rocpd_" } },
	{ { "an SQLite database", "'xtr query FILE SQL' reads it" }, SQLITE },
	{ { "an HTTP archive (HAR)",
	    "a browser's network tools show it; no driver's events are in it" },
	  .is = is_object,
	  .has = { "\"log\"", "\"entries\"" } },
	{ { "a bpftrace script's output as JSON",
	    "run bpftrace without -f json: xtr reads its text" },
	  .is = is_object,
	  .has = { "\"attached_probes\"" } },
	{ { "a Chrome trace (JSON)", "https://ui.perfetto.dev shows it; xtr does not read it" },
	  .is = is_object,
	  .has = { "\"traceEvents\"" } },
	{ { "a Chrome trace (JSON)", "https://ui.perfetto.dev shows it; xtr does not read it" },
	  .is = is_array,
	  .has = { "\"ph\"", "\"ts\"" } },
	{ { "a table of rocprof",
	    "xtr does not read it: 'xtr record' records amdgpu's own events" },
	  .has = { "\"Kernel_Name\"", "\"Start_Timestamp\"" } },
	{ { "a capture of the Radeon GPU Profiler", RGP_BY }, MAGIC("B00P") },
	{ { "a capture of RenderDoc", "'renderdoccmd' and qrenderdoc read it" }, MAGIC("RDOC") },
	{ { "a capture of GFXReconstruct", "'gfxrecon-info FILE' reads it" }, MAGIC("GFXR") },
	{ { "a trace of Fuchsia (FXT)", "https://ui.perfetto.dev shows it" },
	  MAGIC("\x10\x00\x04\x46\x78\x54\x16\x00") },
	{ { "a capture of sysprof", "'sysprof FILE' shows it" }, MAGIC("\x5e\x97\xca\xfd") },
	{ { "a capture of packets (pcap)", "'tshark -r FILE' prints it" },
	  MAGIC("\xd4\xc3\xb2\xa1") },
	{ { "a capture of packets (pcapng)", "'tshark -r FILE' prints it" },
	  MAGIC("\x0a\x0d\x0d\x0a") },
	{ { "a tar archive", "'tar -xf FILE' unpacks it" }, MAGIC("ustar"), .at = 257 },
	{ { "text in UTF-16", "'iconv -f UTF-16 -t UTF-8 FILE' makes what xtr reads" },
	  MAGIC("\xff\xfe") },
	{ { "compressed with LZ4", "'unlz4 FILE' unpacks it" }, MAGIC("\x04\x22\x4d\x18") },
	{ { "a 7z archive", "'7z x FILE' unpacks it" }, MAGIC("7z\xbc\xaf\x27\x1c") },
	{ { "a program or an object file (ELF)", "xtr reads traces of it, not the file itself" },
	  MAGIC("\x7f"
		"ELF") },
	{ { "a report of Nsight Systems", NSYS_BY }, .ending = ".nsys-rep" },
	{ { "a report of Nsight Systems", NSYS_BY }, .ending = ".qdrep" },
	{ { "a report of Nsight Compute", "'ncu --import FILE' prints it" }, .ending = ".ncu-rep" },
};

static bool has(const uint8_t *head, size_t n, const char *text)
{
	return memmem(head, n, text, strlen(text));
}

static bool ends_in(const char *name, const char *ending)
{
	const size_t n = strlen(name), k = strlen(ending);

	return n >= k && !strcasecmp(name + n - k, ending);
}

static bool fits(const struct row *r, const uint8_t *head, size_t n, const char *name)
{
	if (r->magic && (n < r->at + r->n_magic || memcmp(head + r->at, r->magic, r->n_magic) != 0))
		return false;
	if (r->is && !r->is(head, n))
		return false;
	for (size_t i = 0; i < sizeof(r->has) / sizeof(r->has[0]) && r->has[i]; i++)
		if (!has(head, n, r->has[i]))
			return false;
	return !r->ending || ends_in(name, r->ending);
}

const struct xtr_known *xtr_known_file(const uint8_t *head, size_t n, const char *name)
{
	if (n > XTR_KNOWN_HEAD)
		n = XTR_KNOWN_HEAD;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (fits(&rows[i], head, n, name))
			return &rows[i].known;
	return NULL;
}

/* --- directories ------------------------------------------------------------------------------ */

static const struct {
	const char *file;
	struct xtr_known known;
} dirs[] = {
	{ "metadata", { CTF, CTF_BY } },
	{ "kernel/metadata", { CTF, CTF_BY } },
	{ "ust/uid", { CTF, CTF_BY } },
	{ "task.txt", { "a trace of uftrace", "'uftrace replay -d DIRECTORY' prints it" } },
	{ "sqlite-db", { "a result of VTune", "'vtune -report hotspots -r DIRECTORY' prints it" } },
};

const char *xtr_known_dir_file(size_t i, const struct xtr_known **known)
{
	if (i >= sizeof(dirs) / sizeof(dirs[0]))
		return NULL;
	*known = &dirs[i].known;
	return dirs[i].file;
}
