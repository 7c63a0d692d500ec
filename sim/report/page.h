/* sim/report/page.h - one HTML page that needs nothing beside it: plain CSS, light or dark as the reader has it,
 * tables, and pictures inside the page. Texts are escaped here. */
#ifndef CREEL_SIM_REPORT_PAGE_H
#define CREEL_SIM_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

struct sim_page { /* zero to begin with */
    struct base_buf html;
    struct base_buf contents; /* links to the headings */
    size_t headings, pictures;
    bool in_row; /* of a table */
};
void sim_page_heading(struct sim_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_page_subheading(struct sim_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_page_text(struct sim_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Name and value, one below the other. */
void sim_page_facts(struct sim_page *p, const char *const (*pairs)[2], size_t n);

/* A table is told cell by cell. Cells are numbers (right) or texts (left); @tone: "", "good", "bad", "weak". */
/* Links to files beside the page, each with what is in it. */
void sim_page_links(struct sim_page *p, const char *const (*files)[2], size_t n);
void sim_page_table_begin(struct sim_page *p, const char *caption);
void sim_page_words_begin(struct sim_page *p); /* of sentences, which are broken into lines */
void sim_page_table_head(struct sim_page *p, const char *const *titles, size_t n);
void sim_page_table_row(struct sim_page *p);
void sim_page_table_cell(struct sim_page *p, bool number, const char *tone, const char *text);
void sim_page_table_end(struct sim_page *p);

/* Pictures side by side where the window is wide enough. */
void sim_page_pictures_begin(struct sim_page *p);
void sim_page_wide_pictures_begin(struct sim_page *p); /* or one below the other */
/* Takes DIR/NAME.svg into the page. */
int sim_page_picture(struct sim_page *p, const char *dir, const char *name, const char *caption, struct base_error *err);
void sim_page_pictures_end(struct sim_page *p);

/* Writes DIR/index.html and frees @p. */
int sim_page_write(struct sim_page *p, const char *dir, const char *title, struct base_error *err);
void sim_page_free(struct sim_page *p);

#endif
