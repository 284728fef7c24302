/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device /dev/xtr-player. Each write is one line:
 *
 *   SYSTEM:EVENT field=value...        fires the event in this task
 *   @CPU SYSTEM:EVENT field=value...   fires it in a hard interrupt on another processor
 *   !fence NAME DRIVER TIMELINE [CONTEXT SEQNO]
 *   !start NS                          what @start means from now on
 *   !reset                             empties the log, drops the fences
 *
 * Values are those of scenarios (tests/drivers/README.md); one letter is a number, too. A field
 * that is left out is 0 or empty. EINVAL: not such a line; ENOENT: no such event, field or fence.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "player_internal.h"

#define XP_LINE     4096
#define XP_ELEMENTS 256

/* One line at work. */
struct xp_call {
	char line[XP_LINE]; /* as it was written */
	char full[XP_LINE]; /* with fences' numbers: goes to the log */
	char work[XP_LINE]; /* cut into words */
	struct xp_value v[XP_VALUES];
	u64 elements[XP_ELEMENTS];
	unsigned int n_elements;
	const struct xp_event *event; /* NULL: a fence's */
	const char *fence_event, *fence;
	u64 timeout_us, error;
	int ret;
};

static LIST_HEAD(xp_drivers);
static DEFINE_MUTEX(xp_lock);
static u64 xp_start_ns;

void xp_register(struct xp_driver *driver)
{
	mutex_lock(&xp_lock);
	list_add_tail(&driver->node, &xp_drivers);
	mutex_unlock(&xp_lock);
}
EXPORT_SYMBOL_GPL(xp_register);

void xp_unregister(struct xp_driver *driver)
{
	mutex_lock(&xp_lock);
	list_del(&driver->node);
	mutex_unlock(&xp_lock);
}
EXPORT_SYMBOL_GPL(xp_unregister);

static const struct xp_event *xp_find_event(const char *system, const char *name)
{
	const struct xp_event *found = NULL;
	struct xp_driver *d;

	mutex_lock(&xp_lock);
	list_for_each_entry(
		d, &xp_drivers,
		node) for (unsigned int i = 0; i < d->n_events && !strcmp(d->system, system);
			   i++) if (!strcmp(d->events[i].name, name)) found = &d->events[i];
	mutex_unlock(&xp_lock);
	return found;
}

/* The number for "NAME.ctx", "NAME.seqno", "now" or "start" at *in, which moves behind it. */
static int xp_reference(const char **in, u64 *value)
{
	size_t n = strspn(*in, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
	char name[32];
	u64 seqno;
	int ret;

	if (!n || n >= sizeof(name))
		return -EINVAL;
	/* "@now-5": the sign is no part of a name. */
	if (!strncmp(*in, "now", 3) && (*in)[n] != '.') {
		*value = ktime_get_ns();
		*in += 3;
		return 0;
	}
	if (!strncmp(*in, "start", 5) && (*in)[n] != '.') {
		*value = xp_start_ns;
		*in += 5;
		return 0;
	}
	memcpy(name, *in, n);
	name[n] = 0;
	ret = xp_fence_numbers(name, value, &seqno);
	if (ret)
		return ret;
	*in += n;
	if (!strncmp(*in, ".ctx", 4)) {
		*in += 4;
		return 0;
	}
	if (strncmp(*in, ".seqno", 6) != 0)
		return -EINVAL;
	*in += 6;
	*value = seqno;
	return 0;
}

/* Copies line to full with references, +N and -N behind them, replaced by their value. */
static int xp_substitute(const char *in, char *out)
{
	char *end = out + XP_LINE - 24;
	long long offset;
	u64 value;
	int n, ret;

	while (*in && out < end) {
		if (*in != '@') {
			*out++ = *in++;
			continue;
		}
		in++;
		ret = xp_reference(&in, &value);
		if (ret)
			return ret;
		n = 0;
		if ((*in == '+' || *in == '-') && sscanf(in, "%lld%n", &offset, &n) == 1)
			value += offset;
		in += n;
		out += sprintf(out, "%llu", value);
	}
	*out = 0;
	return *in ? -E2BIG : 0;
}

char *xp_word(char **at)
{
	char *word = skip_spaces(*at), *out = word, *in;
	bool quoted = false;

	if (!*word || *word == '#')
		return NULL;
	for (in = word; *in && (quoted || !isspace(*in)); in++) {
		if (*in == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *in == '\\' && in[1])
			in++;
		*out++ = *in;
	}
	*at = *in ? in + 1 : in;
	*out = 0;
	return word;
}

static int xp_number(const char *text, u64 *n)
{
	if (*text == '-')
		return kstrtos64(text, 10, (s64 *)n);
	if (text[0] == '0' && text[1] == 'x')
		return kstrtou64(text, 16, n);
	if (isdigit(*text))
		return kstrtou64(text, 10, n);
	if (!*text || text[1])
		return -EINVAL;
	*n = *text;
	return 0;
}

static int xp_elements(struct xp_call *c, struct xp_value *v, const struct xp_field *f, char *text)
{
	unsigned int max = f->kind == XP_ARRAY ? f->count : XP_ELEMENTS - c->n_elements;
	char *one;
	int ret;

	while ((one = strsep(&text, ",")) != NULL) {
		if (!*one)
			continue;
		if (v->len == max)
			return -E2BIG;
		ret = xp_number(one, &v->a[v->len++]);
		if (ret)
			return ret;
	}
	c->n_elements += f->kind == XP_DYN ? v->len : 0;
	return 0;
}

/* "name=value" of an event. Of two fields with one name the text is meant. */
static int xp_set(struct xp_call *c, char *word)
{
	char *value = strchr(word, '=');
	const struct xp_field *f;
	int found = -1;

	if (!value)
		return -EINVAL;
	*value++ = 0;
	for (unsigned int i = 0; i < c->event->n_fields; i++) {
		f = &c->event->fields[i];
		if (!strcmp(f->name, word) && (found < 0 || f->kind == XP_TEXT))
			found = i;
	}
	if (found < 0)
		return -ENOENT;
	f = &c->event->fields[found];
	if (f->kind == XP_INT)
		return xp_number(value, &c->v[found].n);
	if (f->kind == XP_TEXT) {
		c->v[found].text = value;
		c->v[found].len = strlen(value);
		return 0;
	}
	if (f->kind == XP_DYN)
		c->v[found].a = c->elements + c->n_elements;
	return xp_elements(c, &c->v[found], f, value);
}

/* Room for the elements of arrays, and empty texts. */
static int xp_defaults(struct xp_call *c)
{
	if (c->event->n_fields > XP_VALUES)
		return -E2BIG;
	for (unsigned int i = 0; i < c->event->n_fields; i++) {
		const struct xp_field *f = &c->event->fields[i];

		c->v[i].text = "";
		c->v[i].a = c->elements + c->n_elements;
		if (f->kind == XP_ARRAY)
			c->n_elements += f->count;
	}
	return c->n_elements <= XP_ELEMENTS ? 0 : -E2BIG;
}

static int xp_parse_fence(struct xp_call *c, char *at)
{
	char *word;

	while ((word = xp_word(&at)) != NULL) {
		if (str_has_prefix(word, "fence="))
			c->fence = word + 6;
		else if (str_has_prefix(word, "timeout_us=") &&
			 xp_number(word + 11, &c->timeout_us))
			return -EINVAL;
		else if (str_has_prefix(word, "error=") && xp_number(word + 6, &c->error))
			return -EINVAL;
	}
	return c->fence ? 0 : -EINVAL;
}

static int xp_parse(struct xp_call *c)
{
	char *at = c->work, *system, *name, *word;
	int ret;

	name = xp_word(&at);
	system = strsep(&name, ":");
	if (!system || !name)
		return -EINVAL;
	if (!strcmp(system, "dma_fence")) {
		c->fence_event = name;
		return xp_parse_fence(c, at);
	}
	c->event = xp_find_event(system, name);
	if (!c->event)
		return -ENOENT;
	ret = xp_defaults(c);
	while (!ret && (word = xp_word(&at)) != NULL)
		ret = xp_set(c, word);
	return ret;
}

static void xp_fire(void *arg)
{
	struct xp_call *c = arg;
	struct xp_record *r;

	if (!c->event) {
		c->ret = xp_fence_play(c->fence_event, c->fence, c->timeout_us, c->error);
		return;
	}
	r = xp_log_begin(c->full);
	if (!r) {
		c->ret = -ENOSPC;
		return;
	}
	c->event->fire(c->v);
	r->end_ns = ktime_get_ns();
}

static int xp_event_line(struct xp_call *c)
{
	char *line = c->line;
	int cpu = -1, n = 0, ret;

	if (*line == '@') {
		if (sscanf(line, "@%d %n", &cpu, &n) != 1 || !n)
			return -EINVAL;
		line += n;
	}
	ret = xp_substitute(line, c->full);
	if (ret)
		return ret;
	strcpy(c->work, c->full);
	ret = xp_parse(c);
	if (ret)
		return ret;
	if (cpu < 0) {
		xp_fire(c);
		return c->ret;
	}
	/* On this processor it would be an ordinary call: it has to be another. */
	if (cpu == raw_smp_processor_id())
		return -EXDEV;
	ret = smp_call_function_single(cpu, xp_fire, c, 1);
	return ret ? ret : c->ret;
}

static ssize_t xp_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct xp_call *c;
	int ret = 0;

	if (len >= XP_LINE)
		return -E2BIG;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	if (copy_from_user(c->line, buf, len)) {
		ret = -EFAULT;
	} else if (!strncmp(c->line, "!fence ", 7)) {
		ret = xp_fence_declare(c->line + 7);
	} else if (!strncmp(c->line, "!start ", 7)) {
		ret = kstrtou64(strim(c->line + 7), 10, &xp_start_ns);
	} else if (!strncmp(c->line, "!reset", 6)) {
		xp_fence_reset();
		xp_log_reset();
	} else {
		ret = xp_event_line(c);
	}
	kfree(c);
	return ret ? ret : len;
}

static const struct file_operations xp_fops = {
	.owner = THIS_MODULE,
	.write = xp_write,
	.llseek = noop_llseek,
};

static struct miscdevice xp_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "xtr-player",
	.fops = &xp_fops,
	.mode = 0600,
};

static int __init xp_init(void)
{
	int ret = xp_log_init();

	if (ret)
		return ret;
	ret = xp_fence_init();
	if (ret)
		goto no_fences;
	ret = xp_drm_init();
	if (ret)
		goto no_drm;
	ret = misc_register(&xp_device);
	if (!ret)
		return 0;
	xp_drm_fini();
no_drm:
	xp_fence_fini();
no_fences:
	xp_log_fini();
	return ret;
}

static void __exit xp_exit(void)
{
	misc_deregister(&xp_device);
	xp_drm_fini();
	xp_fence_fini();
	xp_log_fini();
}

module_init(xp_init);
module_exit(xp_exit);
MODULE_DESCRIPTION("fires trace points of stand-in drivers as a scenario says");
MODULE_LICENSE("GPL");
