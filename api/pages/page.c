#include "api/pages/page.h"

#include <stdarg.h>
#include <string.h>

#include "api/pages/escape.h"
#include "api/pages/files.h"
#include "base/version.h"

static void add_formatted_escaped(struct base_buf *out, const char *fmt, va_list ap)
{
    struct base_buf text = {0};

    base_buf_vaddf(&text, fmt, ap);
    api_html_add_escaped(out, text.data ? text.data : "");
    base_buf_free(&text);
}

/* ---- the frame ---- */

static void add_navigation(struct base_buf *out, const struct api_page_site *site, const char *here)
{
    base_buf_adds(out, "<nav aria-label=\"Pages\"><ul>\n");
    for (size_t i = 0; i < site->links_n; i++) {
        bool current = here && strcmp(here, site->links[i].path) == 0;

        base_buf_addf(out, "<li><a href=\"%s\"%s>", site->links[i].path,
                      current ? " aria-current=\"page\"" : "");
        api_html_add_escaped(out, site->links[i].text);
        base_buf_adds(out, "</a></li>\n");
    }
    base_buf_adds(out, "</ul></nav>\n");
}

void api_page_open(struct base_buf *out, const struct api_page_site *site, const char *here,
                   const char *title)
{
    base_buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    api_html_add_escaped_cut(out, title, 200);
    base_buf_addf(out, " - Creel %s</title>\n", site->daemon);
    base_buf_adds(out, "<link rel=\"stylesheet\" href=\"" API_FILES_STYLE "\">\n"
                       "<link rel=\"icon\" type=\"image/svg+xml\" href=\"" API_FILES_ICON "\">\n"
                       "<script src=\"" API_FILES_SCRIPT "\" defer></script>\n"
                       "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
                       "<header>\n");
    base_buf_addf(out, "<p class=\"brand\"><a href=\"/\">Creel</a> %s</p>\n", site->daemon);
    add_navigation(out, site, here);
    base_buf_adds(out, "</header>\n<main id=\"main\" tabindex=\"-1\">\n<h1>");
    api_html_add_escaped(out, title);
    base_buf_adds(out, "</h1>\n");
}

void api_page_close(struct base_buf *out)
{
    base_buf_adds(out, "</main>\n<footer><p>Creel " CREEL_VERSION "</p></footer>\n"
                       "</body>\n</html>\n");
}

void api_page_open_live(struct base_buf *out)
{
    base_buf_adds(out, "<p class=\"live\" hidden><span role=\"status\"></span> "
                       "<button type=\"button\" aria-pressed=\"false\">Pause</button></p>\n"
                       "<div id=\"live\">\n");
}

void api_page_close_live(struct base_buf *out)
{
    base_buf_adds(out, "</div>\n");
}

void api_page_add_headers(struct api_request *rq)
{
    api_add_header(rq, "Content-Type", API_PAGE_TYPE);
    api_add_header(rq, "Content-Security-Policy",
                   "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
                   "connect-src 'self'; form-action 'self'; base-uri 'none'; "
                   "frame-ancestors 'none'");
}

void api_page_answer(struct api_request *rq, unsigned status, struct base_buf *page)
{
    api_page_close(page);
    api_page_add_headers(rq);
    api_answer(rq, status, API_TEXT, page);
}

void api_page_answer_text(struct api_request *rq, unsigned status, const struct api_page_site *site,
                          const char *title, const char *text)
{
    struct base_buf page = {0};

    api_page_open(&page, site, NULL, title);
    base_buf_adds(&page, "<p>");
    api_html_add_escaped(&page, text);
    base_buf_adds(&page, "</p>\n");
    api_page_answer(rq, status, &page);
}

/* ---- pieces ---- */

void api_page_addf_escaped(struct base_buf *out, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_formatted_escaped(out, fmt, ap);
    va_end(ap);
}

void api_page_add_link(struct base_buf *out, const char *href, const char *text)
{
    base_buf_adds(out, "<a href=\"");
    api_html_add_escaped(out, href);
    base_buf_adds(out, "\">");
    api_html_add_escaped(out, text);
    base_buf_adds(out, "</a>");
}

void api_page_add_bar(struct base_buf *out, double part)
{
    int percent = part <= 0 ? 0 : part >= 1 ? 100 : (int)(part * 100);

    base_buf_addf(out,
                  "<span class=\"bar\"><progress max=\"100\" value=\"%d\" aria-hidden=\"true\">"
                  "</progress> %d&nbsp;%%</span>",
                  percent, percent);
}

/* ---- properties ---- */

void api_page_open_properties(struct base_buf *out)
{
    base_buf_adds(out, "<dl class=\"properties\">\n");
}

void api_page_open_property(struct base_buf *out, const char *name)
{
    base_buf_adds(out, "<div><dt>");
    api_html_add_escaped(out, name);
    base_buf_adds(out, "</dt><dd>");
}

void api_page_close_property(struct base_buf *out)
{
    base_buf_adds(out, "</dd></div>\n");
}

void api_page_add_property(struct base_buf *out, const char *name, const char *fmt, ...)
{
    va_list ap;

    api_page_open_property(out, name);
    va_start(ap, fmt);
    add_formatted_escaped(out, fmt, ap);
    va_end(ap);
    api_page_close_property(out);
}

void api_page_close_properties(struct base_buf *out)
{
    base_buf_adds(out, "</dl>\n");
}

/* ---- tables ---- */

static void add_heading(struct api_table *t, const struct api_column *c)
{
    bool is_order = t->order && c->key && strcmp(t->order, c->key) == 0;

    base_buf_addf(t->out, "<th scope=\"col\"%s%s>", c->is_number ? " class=\"number\"" : "",
                  !is_order          ? ""
                  : t->order_is_down ? " aria-sort=\"descending\""
                                     : " aria-sort=\"ascending\"");
    if (t->order_link && c->key) {
        struct base_buf href = {0};

        base_buf_addf(&href, "%s%s%s", t->order_link, is_order && !t->order_is_down ? "-" : "",
                      c->key);
        api_page_add_link(t->out, href.data, c->heading);
        base_buf_free(&href);
    } else {
        api_html_add_escaped(t->out, c->heading);
    }
    base_buf_adds(t->out, "</th>");
}

void api_table_open(struct api_table *t, const char *caption)
{
    base_buf_adds(t->out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    api_html_add_escaped(t->out, caption);
    base_buf_adds(t->out, "\"><table>\n<caption>");
    api_html_add_escaped(t->out, caption);
    base_buf_adds(t->out, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < t->columns_n; i++)
        add_heading(t, &t->columns[i]);
    base_buf_adds(t->out, "</tr></thead>\n<tbody>\n");
}

void api_table_open_row(struct api_table *t, const char *id)
{
    t->at = 0;
    base_buf_adds(t->out, "<tr");
    if (id) {
        base_buf_adds(t->out, " id=\"");
        api_html_add_escaped(t->out, id);
        base_buf_adds(t->out, "\"");
    }
    base_buf_adds(t->out, ">");
}

void api_table_open_cell(struct api_table *t)
{
    const struct api_column *c = &t->columns[t->at++];

    base_buf_addf(t->out, "<td%s data-label=\"", c->is_number ? " class=\"number\"" : "");
    api_html_add_escaped(t->out, c->heading);
    base_buf_adds(t->out, "\">");
}

void api_table_close_cell(struct api_table *t)
{
    base_buf_adds(t->out, "</td>");
}

void api_table_add_cell(struct api_table *t, const char *fmt, ...)
{
    va_list ap;

    api_table_open_cell(t);
    va_start(ap, fmt);
    add_formatted_escaped(t->out, fmt, ap);
    va_end(ap);
    api_table_close_cell(t);
}

void api_table_add_link_cell(struct api_table *t, const char *href, const char *text)
{
    api_table_open_cell(t);
    api_page_add_link(t->out, href, text);
    api_table_close_cell(t);
}

void api_table_close_row(struct api_table *t)
{
    base_buf_adds(t->out, "</tr>\n");
}

void api_table_close(struct api_table *t)
{
    base_buf_adds(t->out, "</tbody>\n</table></div>\n");
}
