/* SPDX-License-Identifier: BSD-2-Clause */
/* The page around the documents; its parts are report/page, put into report_page.h by the build. */
#include "report.h"
#include "base/line.h"

#include <report_page.h>

/* Where the parts go: head, style, body, the two documents, scripts. */
static const char open_stats[] = "<script type=\"application/json\" id=\"xtr-stats\">";
static const char open_data[] = "<script type=\"application/json\" id=\"xtr-data\">";
static const char close_document[] = "</script>\n";
static const char *const before[] = { page_head_html, "<style>\n", page_style_css,
				      "</style>\n</head>\n", page_body_html };
static const char *const scripts[] = { page_data_js,   page_text_js, page_words_js,
				       page_model_js,  page_draw_js, page_path_js,
				       page_frames_js, page_view_js, page_tables_js,
				       page_charts_js, page_main_js };

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* In JSON "<" stands in texts only, and may be escaped there: no element ends inside. */
static void put_document(struct xtr_line *l, const struct xtr_buf *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->p[i] == '<')
			xtr_line_str(l, "\\u003c");
		else
			xtr_line_char(l, (char)b->p[i]);
	}
}

size_t xtr_report_document_bytes(const struct xtr_buf *document)
{
	size_t n = document->n;

	for (size_t i = 0; i < document->n; i++)
		n += document->p[i] == '<' ? 5 : 0;
	return n;
}

size_t xtr_report_page_bytes(void)
{
	size_t i, n = sizeof(open_stats) + sizeof(open_data) + 2 * sizeof(close_document) + 64;

	for (i = 0; i < N(before); i++)
		n += strlen(before[i]);
	for (i = 0; i < N(scripts); i++)
		n += strlen(scripts[i]);
	return n;
}

void xtr_report_page(FILE *f, const struct xtr_buf *stats, const struct xtr_buf *data)
{
	struct xtr_line l;

	xtr_line_begin(&l, f);
	for (size_t i = 0; i < N(before); i++)
		xtr_line_str(&l, before[i]);
	xtr_line_str(&l, open_stats);
	put_document(&l, stats);
	xtr_line_str(&l, close_document);
	xtr_line_str(&l, open_data);
	put_document(&l, data);
	xtr_line_str(&l, close_document);
	xtr_line_str(&l, "<script>\n\"use strict\";\n");
	for (size_t i = 0; i < N(scripts); i++)
		xtr_line_str(&l, scripts[i]);
	xtr_line_str(&l, "</script>\n</body>\n</html>\n");
	xtr_line_flush(&l);
}
