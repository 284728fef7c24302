/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of `xtr top`: plain escape sequences that every terminal since the VT100 knows (and
 * the alternate screen). One table that is drawn whole each second does not need a library for
 * windows.
 */
#include "top.h"
#include "cli/ui/cli.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define ENTER        "\033[?1049h\033[?25l\033[?7l"
#define LEAVE        "\033[0m\033[?7h\033[?25h\033[?1049l"
#define DRAW_EVERY   50000000u /* ns, while slices come at once */
#define LINES_LEAST  4u
#define COLUMNS_ELSE 80
#define LINES_ELSE   24

struct top_screen {
	struct xtr_slice_look *look;
	int keys;    /* of the terminal; -1: there are none */
	int signals; /* signalfd */
	sigset_t old_mask;
	struct termios old;
	bool raw; /* the terminal is ours */
	bool paused, help, stale, own_keys;
	int signal;
	unsigned int rows, columns, header, scroll;
	struct xtr_buf text; /* what is shown: lines, NUL behind */
	uint64_t drawn;      /* ns: when */
	char escape[8];      /* the begin of a key's sequence */
	size_t n_escape;
};

static struct top_screen *taken; /* for at_exit */

static void put(const char *s, size_t n)
{
	while (n) {
		ssize_t r = write(STDOUT_FILENO, s, n);

		if (r < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (r < 0 && errno != EINTR)
			return;
		if (r > 0) {
			s += r;
			n -= (size_t)r;
		}
	}
}

/* --- the terminal ----------------------------------------------------------------------------- */

static void give_back(struct top_screen *sc)
{
	if (!sc->raw)
		return;
	sc->raw = false;
	put(LEAVE, strlen(LEAVE));
	if (sc->keys >= 0)
		tcsetattr(sc->keys, TCSADRAIN, &sc->old);
}

static void at_exit(void)
{
	if (taken)
		give_back(taken);
}

static void measure(struct top_screen *sc)
{
	struct winsize w = { 0 };
	bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_row && w.ws_col;

	sc->rows = known ? w.ws_row : LINES_ELSE;
	sc->columns = known ? w.ws_col : COLUMNS_ELSE;
	sc->look->width = sc->columns;
	sc->stale = true;
}

static void take(struct top_screen *sc)
{
	struct termios raw = sc->old;

	/* Interrupt and suspend stay signals. */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (sc->keys >= 0)
		tcsetattr(sc->keys, TCSADRAIN, &raw);
	sc->raw = true;
	put(ENTER, strlen(ENTER));
	measure(sc);
}

int top_screen_open(struct top_screen **out, struct xtr_slice_look *look)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH };
	struct top_screen *sc = calloc(1, sizeof(*sc));
	static bool registered;
	sigset_t set;

	if (!sc)
		return -ENOMEM;
	sc->look = look;
	sc->keys = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC);
	sc->own_keys = sc->keys > STDIN_FILENO;
	if (sc->keys >= 0 && tcgetattr(sc->keys, &sc->old))
		sc->keys = -1;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, &sc->old_mask);
	sc->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sc->signals < 0) {
		int err = -errno;

		top_screen_close(sc);
		return err;
	}
	taken = sc;
	if (!registered)
		atexit(at_exit);
	registered = true;
	take(sc);
	*out = sc;
	return 0;
}

void top_screen_close(struct top_screen *sc)
{
	if (!sc)
		return;
	give_back(sc);
	taken = NULL;
	if (sc->signals >= 0)
		close(sc->signals);
	if (sc->own_keys && sc->keys >= 0)
		close(sc->keys);
	sigprocmask(SIG_SETMASK, &sc->old_mask, NULL);
	xtr_buf_free(&sc->text);
	free(sc);
}

/* Stop as the shell expects, with its terminal as it was; go on when it says so. */
static void suspend(struct top_screen *sc)
{
	sigset_t set;

	give_back(sc);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &set, NULL);
	take(sc);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static const char help_text[] = "xtr top: keys\n"
				"\n"
				"  q            quit\n"
				"  space        pause, and go on\n"
				"  up, down     scroll; also page up and down, home, end\n"
				"  ? or h       this help, and back\n"
				"\n"
				"  order of rows, the largest first:\n";

/* The lines of text from p on: the n-th, or where the text ends. */
static const char *line_at(const char *p, unsigned int n)
{
	const char *end;

	for (; n && *p; n--, p = end + 1) {
		end = strchr(p, '\n');
		if (!end)
			return p + strlen(p);
	}
	return p;
}

static unsigned int count_lines(const char *p)
{
	unsigned int n = 0;

	for (; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

/* n lines, each cleared behind; fewer if there are fewer. Returns how many. */
static unsigned int put_lines(FILE *f, const char *p, unsigned int n)
{
	unsigned int done = 0;

	for (; done < n && *p; done++) {
		size_t len = strcspn(p, "\n");

		fwrite(p, 1, len, f);
		fputs("\033[K\r\n", f);
		p += len + !!p[len];
	}
	return done;
}

static void put_help(FILE *f, unsigned int rows)
{
	unsigned int n = put_lines(f, help_text, rows);

	for (size_t i = 0; i < XTR_SLICE_SORT_COUNT && n < rows; i++, n++)
		fprintf(f, "  %c            %s\033[K\r\n", xtr_slice_sorts[i].key,
			xtr_slice_sorts[i].help);
}

/* The last line: what can be done. */
static void put_foot(FILE *f, const struct top_screen *sc)
{
	char foot[160];

	snprintf(foot, sizeof(foot), "%sorder: %s  q quit  space pause  ? help",
		 sc->paused ? "PAUSED  " : "", xtr_slice_sorts[sc->look->sort].name);
	fprintf(f, "%s%.*s%s\033[K", sc->look->color ? "\033[7m" : "",
		(int)(sc->columns > 1 ? sc->columns - 1 : 1), foot,
		sc->look->color ? "\033[0m" : "");
}

static void draw(struct top_screen *sc)
{
	const char *text = sc->text.p ? (const char *)sc->text.p : "";
	unsigned int lines = count_lines(text), rows = sc->rows - 1, head, body;
	struct xtr_buf out = { 0 };
	FILE *f = xtr_memory_stream(&out);

	if (!f || sc->rows < LINES_LEAST) {
		if (f)
			fclose(f);
		return;
	}
	head = sc->header < rows ? sc->header : rows;
	body = lines > head ? lines - head : 0;
	if (sc->scroll + (rows - head) > body)
		sc->scroll = body > rows - head ? body - (rows - head) : 0;
	fputs("\033[H", f);
	if (sc->help) {
		put_help(f, rows);
	} else {
		put_lines(f, text, head);
		put_lines(f, line_at(text, head + sc->scroll), rows - head);
	}
	fputs("\033[J", f);
	fprintf(f, "\033[%u;1H", sc->rows);
	put_foot(f, sc);
	if (!xtr_memory_flush(f, &out))
		put((const char *)out.p, out.n);
	fclose(f);
	xtr_buf_free(&out);
	sc->drawn = cli_now();
}

int top_screen_show(struct top_screen *sc, const struct xtr_slice *s,
		    const struct xtr_slice_facts *facts, bool more)
{
	struct xtr_buf b = { 0 };
	FILE *f;
	char *text;
	int err;

	if (more && cli_now() - sc->drawn < DRAW_EVERY)
		return 0;
	f = xtr_memory_stream(&b);
	if (!f)
		return -ENOMEM;
	err = xtr_slice_text(f, s, facts, sc->look);
	text = xtr_memory_text(f, &b);
	if (err < 0 || !text) {
		free(text);
		return err < 0 ? err : -ENOMEM;
	}
	xtr_buf_free(&sc->text);
	sc->text = (struct xtr_buf){ .p = (uint8_t *)text };
	sc->header = (unsigned int)err;
	sc->stale = false;
	draw(sc);
	return 0;
}

bool top_screen_paused(const struct top_screen *sc)
{
	return sc->paused;
}

bool top_screen_stale(struct top_screen *sc)
{
	bool stale = sc->stale;

	sc->stale = false;
	return stale;
}

int top_screen_signal(const struct top_screen *sc)
{
	return sc->signal;
}

/* --- keys and signals ------------------------------------------------------------------------- */

static void scroll_by(struct top_screen *sc, int lines)
{
	if (lines < 0 && sc->scroll < (unsigned int)-lines)
		sc->scroll = 0;
	else
		sc->scroll += (unsigned int)lines;
}

static const struct {
	const char *sequence;
	int lines, pages;
} movements[] = {
	{ "[A", -1, 0 },        { "[B", 1, 0 },        { "OA", -1, 0 },       { "OB", 1, 0 },
	{ "[5~", 0, -1 },       { "[6~", 0, 1 },       { "[H", -1000000, 0 }, { "[F", 1000000, 0 },
	{ "[1~", -1000000, 0 }, { "[4~", 1000000, 0 }, { "OH", -1000000, 0 }, { "OF", 1000000, 0 },
};

/* A byte behind ESC. */
static void escape_key(struct top_screen *sc, char c)
{
	size_t n = sc->n_escape - 1;

	if (n + 1 >= sizeof(sc->escape)) {
		sc->n_escape = 0;
		return;
	}
	sc->escape[n] = c;
	sc->escape[n + 1] = '\0';
	sc->n_escape++;
	for (size_t i = 0; i < sizeof(movements) / sizeof(*movements); i++)
		if (!strcmp(sc->escape, movements[i].sequence)) {
			scroll_by(sc, movements[i].lines + movements[i].pages * (int)sc->rows / 2);
			sc->n_escape = 0;
			return;
		}
	/* A letter or a tilde ends a sequence, known or not. */
	if (n > 0 && ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '~'))
		sc->n_escape = 0;
}

static int key(struct top_screen *sc, char c)
{
	if (sc->n_escape) {
		escape_key(sc, c);
		return 0;
	}
	for (unsigned int i = 0; i < XTR_SLICE_SORT_COUNT; i++)
		if (c == xtr_slice_sorts[i].key) {
			sc->look->sort = (enum xtr_slice_sort)i;
			sc->stale = true;
		}
	switch (c) {
	case 'q':
	case 'Q':
		return TOP_STOP;
	case ' ':
		sc->paused = !sc->paused;
		break;
	case '?':
	case 'h':
		sc->help = !sc->help;
		break;
	case '\033':
		sc->n_escape = 1;
		break;
	default:
		break;
	}
	return 0;
}

static int read_keys(struct top_screen *sc)
{
	char c[64];
	ssize_t n = read(sc->keys, c, sizeof(c));
	int err = 0;

	if (n == 0 || (n < 0 && errno == EIO)) /* the terminal is gone */
		return n < 0 ? TOP_STOP : 0;
	for (ssize_t i = 0; i < n && !err; i++)
		err = key(sc, c[i]);
	draw(sc);
	return err;
}

static int read_signals(struct top_screen *sc)
{
	struct signalfd_siginfo info;

	while (read(sc->signals, &info, sizeof(info)) == sizeof(info)) {
		switch ((int)info.ssi_signo) {
		case SIGWINCH:
			measure(sc);
			draw(sc);
			break;
		case SIGTSTP:
			suspend(sc);
			draw(sc);
			break;
		case SIGINT:
			return TOP_STOP;
		default:
			sc->signal = (int)info.ssi_signo;
			return TOP_STOP;
		}
	}
	return 0;
}

int top_screen_wait(struct top_screen *sc, int fd, int ms, bool *readable)
{
	struct pollfd p[] = { { .fd = sc->signals, .events = POLLIN },
			      { .fd = sc->keys, .events = POLLIN },
			      { .fd = fd, .events = POLLIN } };
	int n = poll(p, 3, ms), ret = 0;

	if (readable)
		*readable = n > 0 && p[2].revents;
	if (n <= 0)
		return n < 0 && errno != EINTR ? -errno : 0;
	if (p[0].revents)
		ret = read_signals(sc);
	if (!ret && p[1].revents & (POLLIN | POLLHUP))
		ret = p[1].revents & POLLHUP ? TOP_STOP : read_keys(sc);
	return ret;
}
