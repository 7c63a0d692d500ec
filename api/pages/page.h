/* api/pages/page.h - builds the daemons' pages for people: the frame with links to the other pages,
 * tables, lists of properties. Every text argument is escaped, unless its comment says otherwise.
 *
 * Pages work without scripts. Where the browser allows it, the script live.js fetches the page
 * again every few seconds and updates what has changed in the part that begins with
 * api_page_open_live() and ends with api_page_close_live(). */
#ifndef CREEL_API_PAGES_PAGE_H
#define CREEL_API_PAGES_PAGE_H

#include "api/server/server.h"

#define API_PAGE_TYPE "text/html;charset=utf-8"

struct api_page_link {
    const char *path, *text;
};
struct api_page_site { /* the pages of one daemon */
    const char *daemon;
    const struct api_page_link *links; /* shown on every page */
    size_t links_n;
};

/* Begins a page; @title is its heading, too. @here: the path of the link in @site to mark as the
 * present page; NULL: none. */
void api_page_open(struct base_buf *out, const struct api_page_site *site, const char *here,
                   const char *title);
void api_page_close(struct base_buf *out);
void api_page_open_live(struct base_buf *out);
void api_page_close_live(struct base_buf *out);
/* Adds the headers of a page to the coming answer: its type, and a Content-Security-Policy by which
 * the page uses nothing but this server, runs no inline script, and is framed by no other site. */
void api_page_add_headers(struct api_request *rq);
/* Ends the page and answers with it, taking its memory. */
void api_page_answer(struct api_request *rq, unsigned status, struct base_buf *page);
/* Answers with a page that has nothing but a title and a text. */
void api_page_answer_text(struct api_request *rq, unsigned status, const struct api_page_site *site,
                          const char *title, const char *text);

/* Appends formatted text. */
void api_page_addf_escaped(struct base_buf *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a link; @href is complete, with its parts encoded. */
void api_page_add_link(struct base_buf *out, const char *href, const char *text);
/* Appends a bar that is @part (0..1) full, and the percentage. */
void api_page_add_bar(struct base_buf *out, double part);

/* ---- properties: names and values ---- */
void api_page_open_properties(struct base_buf *out);
void api_page_add_property(struct base_buf *out, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Open and close a property whose value is made of several pieces, which the caller appends in
 * between. */
void api_page_open_property(struct base_buf *out, const char *name);
void api_page_close_property(struct base_buf *out);
void api_page_close_properties(struct base_buf *out);

/* ---- tables; on narrow screens each row is a card whose lines have the headings ---- */
struct api_column {
    const char *heading;
    bool is_number;
    const char *key; /* key for ordering rows by this column; NULL: not possible */
};
struct api_table {
    struct base_buf *out;
    const struct api_column *columns;
    size_t columns_n, at; /* at: number of cells in the present row */
    /* for tables whose order readers choose: the beginning of links that order the table, to which
     * "KEY" or "-KEY" is added; complete, with its parts encoded. NULL: the order is fixed */
    const char *order_link;
    const char *order; /* the key in force; NULL: none */
    bool order_is_down;
};
/* Begins the table, whose members out, columns and columns_n are set. @caption: what it shows. */
void api_table_open(struct api_table *t, const char *caption);
/* @id: a name without blanks that stays with the row when the row moves; NULL: none */
void api_table_open_row(struct api_table *t, const char *id);
void api_table_add_cell(struct api_table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void api_table_add_link_cell(struct api_table *t, const char *href, const char *text);
/* Open and close a cell made of several pieces, which the caller appends in between. */
void api_table_open_cell(struct api_table *t);
void api_table_close_cell(struct api_table *t);
void api_table_close_row(struct api_table *t);
void api_table_close(struct api_table *t);

#endif
