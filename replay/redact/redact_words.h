/* SPDX-License-Identifier: BSD-2-Clause */
/* Which texts say nothing of people: by how they look, and by lists of what the kernel calls
 * things. */
#ifndef XTR_REDACT_WORDS_H
#define XTR_REDACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define REDACT_WORD_MAX 80u /* bytes of a text that may stay */

/* Letters, digits and _ (also . and $, as in names of compiled functions). */
bool redact_is_ident(const char *s, size_t n);
/* Words of ASCII with . _ : + - , ( ) and spaces between; no number of more than 3 digits. */
bool redact_is_word(const char *s, size_t n);
/* "0000:03:00.0", and other words. */
bool redact_is_device(const char *s, size_t n);
/* What drivers call their rings, queues and timelines: "gfx_0.0.0", "rcs0", "nouveau_sched#2". */
bool redact_is_ring(const char *s, size_t n);
/* As redact_is_word, but numbers may be long: versions of firmware and drivers. */
bool redact_is_version(const char *s, size_t n);
/* The name of a thread that the kernel has on every machine, or a driver of GPUs and NPUs. */
bool redact_is_kthread(const char *s, size_t n);
/* A driver whose interrupts are no secret. */
bool redact_is_driver(const char *s, size_t n);
/* Base name of a library that many machines have: "libze_loader.so.1". */
bool redact_is_library(const char *s, size_t n);
bool redact_is_hex(const char *s, size_t n);
/* A word of uname -r or -v: a number, or what distributions call their kernels. */
bool redact_is_release(const char *s, size_t n);

#endif /* XTR_REDACT_WORDS_H */
