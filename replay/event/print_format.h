/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the kernel prints its events, and what its tracefs calls the fields: what a printed trace has
 * lost, as a table. A row is a print format with the names of the fields in it:
 *
 *	{ "drm_msm_gpu", "msm_gpu_freq_change", "new_freq=%u{freq}" }
 *
 * Events are separated by blanks; one that ends in '*' stands for all that begin so. Of several
 * rows of an event the first that fits is taken. Labels are what the format has before a value.
 *
 * In a format, %X{field} is a value:
 *
 *	d  signed, u  unsigned: decimal, or hexadecimal where 0x is before it
 *	w  unsigned 32 bits, which the kernel prints signed
 *	x  hexadecimal, with 0x or without; r  the same as a signed number
 *	p  an address: hexadecimal, "(null)", or the name of a symbol
 *	h  hexadecimal: the upper 32 bits of a field that was there before
 *	s  text, up to where the rest of the format fits; at its end all that is left
 *	t  text without a comma or blank in it
 *	e  text that stands for a number: %e{write:write=1|read=0}; "" may stand for one, too
 *	n  the same, of numbers that have names in the kernel's format as well
 *	f  the same with several texts, a '|' between or not, which stand for bits
 *	c  a letter, A for 0; C  the same, as the letter's code
 *	9  a decimal number of nine digits
 *	_  (no field) a number that no field has
 *
 * %( and %) enclose what only some kernels print. Everything else is itself. What follows a format
 * in a text (fields of newer kernels) has labels as a rule, and these are its names.
 *
 * Source: TP_printk and TP_STRUCT__entry of the kernel's trace headers (drivers/gpu, include/trace;
 * for KGSL those of Qualcomm's kernels), and the `print fmt` lines of tracefs.
 */
#ifndef XTR_PRINT_FORMAT_H
#define XTR_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct xtr_print {
	const char *system, *events, *format;
};

#define XTR_PRINTS_MAX 8u /* rows of one event */

/* The rows of an event (len bytes), in order. Returns how many, 0 if none is known. */
size_t xtr_prints(const char *event, size_t len, const struct xtr_print *rows[XTR_PRINTS_MAX]);
/*
 * The system of an event that was printed without it, NULL if its name does not tell. Names that
 * could be anybody's (`job`) tell nothing: their print format does.
 */
const char *xtr_print_system(const char *event, size_t len);

/* Is the name (len bytes) one of these, which are separated by blanks, or does it begin as one? */
bool xtr_print_lists(const char *names, const char *name, size_t len);

/* One value of a format. Pointers go into the format. */
struct xtr_print_value {
	char kind;               /* as above */
	const char *piece, *end; /* from its % to behind it */
	const char *field;       /* its name */
	size_t field_len;        /* bytes */
	const char *names;       /* text=number|text=number; length 0: none */
	size_t names_len;        /* bytes */
	const char *label;       /* what is before it */
	size_t label_len;        /* bytes */
};

/*
 * The next value of a format from *f on, which moves behind it. Its label is all that is between.
 * False: there is none.
 */
bool xtr_print_next(const char **f, const char *end, struct xtr_print_value *v);
/*
 * The value with this label or (not by_label) field name, the first of the rows that has it. Its
 * label is without the sign behind; a label's piece goes on to the next blank or comma. False: none
 * has.
 */
bool xtr_print_value(const struct xtr_print *const rows[], size_t n, const char *name, size_t len,
		     bool by_label, struct xtr_print_value *v);

/* All rows, for tests: the i-th one, or NULL. */
const struct xtr_print *xtr_print_row(size_t i);

/* The tables, by family. */
struct xtr_print_table {
	const struct xtr_print *rows;
	size_t n;
};
extern const struct xtr_print_table xtr_print_intel, xtr_print_amd, xtr_print_qcom, xtr_print_gpus,
	xtr_print_kernel;

#endif /* XTR_PRINT_FORMAT_H */
