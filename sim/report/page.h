/* sim/report/page.h - a self-contained HTML page: plain CSS, light or dark by the reader's
 * preference, tables, and pictures embedded in the page. All text is escaped here. */
#ifndef CREEL_SIM_REPORT_PAGE_H
#define CREEL_SIM_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

struct sim_page { /* zeroed: an empty page */
    struct base_buf html;
    struct base_buf contents; /* the list of links to headings */
    size_t headings, pictures;
    bool in_row; /* a table row is open */
};
void sim_page_add_heading(struct sim_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sim_page_add_subheading(struct sim_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sim_page_add_paragraph(struct sim_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a list of names and values, one pair per line. */
void sim_page_add_facts(struct sim_page *p, const char *const (*pairs)[2], size_t n);

/* Adds links to files beside the page, each with a description. */
void sim_page_add_file_links(struct sim_page *p, const char *const (*files)[2], size_t n);
/* A table is built cell by cell. Numbers are aligned right, texts left. @tone: "", "good", "bad",
 * "weak", or "meaning" for a long text that may wrap. */
void sim_page_begin_table(struct sim_page *p, const char *caption);
/* A table of texts, which wrap except in the first and the last column. */
void sim_page_begin_text_table(struct sim_page *p);
void sim_page_add_table_head(struct sim_page *p, const char *const *titles, size_t n);
void sim_page_begin_table_row(struct sim_page *p);
void sim_page_add_table_cell(struct sim_page *p, bool number, const char *tone, const char *text);
void sim_page_end_table(struct sim_page *p);

/* Pictures stand side by side where the window is wide enough. */
void sim_page_begin_pictures(struct sim_page *p);
void sim_page_begin_wide_pictures(struct sim_page *p); /* one below the other */
/* Embeds @dir/@name.svg with a caption (NULL: none). Returns 0, or a negative error if the file
 * cannot be read or is not an SVG picture. */
int sim_page_embed_picture(struct sim_page *p, const char *dir, const char *name,
                           const char *caption, struct base_error *err);
void sim_page_end_pictures(struct sim_page *p);

/* Writes @dir/index.html. Returns 0, or a negative error. Frees @p in both cases. */
int sim_page_write_and_free(struct sim_page *p, const char *dir, const char *title,
                            struct base_error *err);
void sim_page_free(struct sim_page *p);

#endif
