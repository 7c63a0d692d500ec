/* nodemanager/http/html.h - the pieces of which the NodeManager's pages are made. */
#ifndef CREEL_NODEMANAGER_HTTP_HTML_H
#define CREEL_NODEMANAGER_HTTP_HTML_H

#include "api/server/server.h"

#define NM_HTML_TYPE "text/html;charset=utf-8"

/* Begins a page with the title, as its heading too, and the links of all pages. */
void nm_html_open(struct base_buf *out, const char *title);
void nm_html_close(struct base_buf *out);
/* Appends text, escaped. */
void nm_html_text(struct base_buf *out, const char *text);
/* Append tables: of properties (a name and a value in each row), or with a row of headings. */
void nm_html_open_properties(struct base_buf *out);
void nm_html_property(struct base_buf *out, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void nm_html_open_table(struct base_buf *out, const char *const *headings, size_t n);
void nm_html_cell(struct base_buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A cell with a link; @path is a path of this server whose parts are escaped already. */
void nm_html_link_cell(struct base_buf *out, const char *path, const char *text);
void nm_html_close_table(struct base_buf *out);

/* Answers 200 with a page, taking its memory. */
void nm_html_answer(struct api_request *rq, struct base_buf *page);
/* Answers 200 with a page that says only that something is not there, as YARN does. */
void nm_html_answer_missing(struct api_request *rq, const char *title, const char *text);

#endif
