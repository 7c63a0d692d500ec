#include "sim/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"

enum { PICTURE_MAX = 64 << 20 };

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1f24;--soft:#5b6470;--line:#d9dde2;--paper:#ffffff;--band:#f5f7f9;"
    "--good:#1a7f45;--bad:#c22f3a;--link:#1f65a8}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e3e6ea;--soft:#9aa3ad;--line:#3a4048;--paper:#"
    "15181c;"
    "--band:#1d2126;--good:#5cc98a;--bad:#f0808a;--link:#7db5ec}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1400px;margin:0 auto;padding:1.5rem 1.25rem "
    "4rem}h1{font-size:1.6rem;margin:.2em 0 .6em}\n"
    "h2{font-size:1.25rem;margin:2.2em 0 .6em;padding-top:.5em;border-top:1px solid var(--line)}"
    "h3{font-size:1.02rem;margin:1.5em 0 .4em}\n"
    "p{max-width:75ch}a{color:var(--link)}nav{display:flex;flex-wrap:wrap;gap:.25rem "
    "1.1rem;margin:1rem 0}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem "
    "1rem;margin:0}dt{color:var(--soft)}"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    ".table{overflow-x:auto;margin:.6rem "
    "0}table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "font-size:.88rem}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3rem}th,td{padding:.28rem "
    ".55rem;text-align:left;"
    "border-bottom:1px solid var(--line);white-space:nowrap}\n"
    ".words th,.words td{white-space:normal;text-align:left;vertical-align:top}.words "
    "tr>:first-child,"
    ".words tr>:last-child{white-space:nowrap}.words "
    ".meaning.meaning{white-space:normal;max-width:75ch}\n"
    "th{font-weight:600;background:var(--band);vertical-align:bottom}.n{text-align:right}"
    ".good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}.weak{color:var("
    "--soft)}\n"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:"
    "1rem 1.5rem}"
    "figure{margin:0;min-width:0}figure "
    "svg{display:block;width:100%;height:auto;max-width:760px}.wide{display:block}.wide figure "
    "svg{max-width:1100px}\n"
    "figcaption{color:var(--soft);font-size:.9rem;padding:0 .5rem}\n";

static void append_escaped(struct base_buf *b, const char *text)
{
    for (const char *at = text; *at; at++)
        switch (*at) {
        case '<':
            base_buf_adds(b, "&lt;");
            break;
        case '>':
            base_buf_adds(b, "&gt;");
            break;
        case '&':
            base_buf_adds(b, "&amp;");
            break;
        case '"':
            base_buf_adds(b, "&quot;");
            break;
        default:
            base_buf_add(b, at, 1);
        }
}

static void append_element(struct base_buf *b, const char *begin, const char *text, const char *end)
{
    base_buf_adds(b, begin);
    append_escaped(b, text);
    base_buf_adds(b, end);
}

static void append_formatted_element(struct base_buf *b, const char *begin, const char *end,
                                     const char *fmt, va_list ap)
{
    struct base_buf text = {0};

    base_buf_vaddf(&text, fmt, ap);
    append_element(b, begin, text.data ? text.data : "", end);
    base_buf_free(&text);
}

void sim_page_add_heading(struct sim_page *p, const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    p->headings++;
    base_buf_addf(&p->contents, "<a href=\"#s%zu\">", p->headings);
    append_element(&p->contents, "", text.data, "</a>\n");
    base_buf_addf(&p->html, "<h2 id=\"s%zu\">", p->headings);
    append_element(&p->html, "", text.data, "</h2>\n");
    base_buf_free(&text);
}

void sim_page_add_subheading(struct sim_page *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    append_formatted_element(&p->html, "<h3>", "</h3>\n", fmt, ap);
    va_end(ap);
}

void sim_page_add_paragraph(struct sim_page *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    append_formatted_element(&p->html, "<p>", "</p>\n", fmt, ap);
    va_end(ap);
}

void sim_page_add_facts(struct sim_page *p, const char *const (*pairs)[2], size_t n)
{
    base_buf_adds(&p->html, "<dl>\n");
    for (size_t i = 0; i < n; i++) {
        append_element(&p->html, "<dt>", pairs[i][0], "</dt>");
        append_element(&p->html, "<dd>", pairs[i][1], "</dd>\n");
    }
    base_buf_adds(&p->html, "</dl>\n");
}

void sim_page_add_file_links(struct sim_page *p, const char *const (*files)[2], size_t n)
{
    base_buf_adds(&p->html, "<p>Files of this report: ");
    for (size_t i = 0; i < n; i++) {
        append_element(&p->html, i ? "; <a href=\"" : "<a href=\"", files[i][0], "\">");
        append_element(&p->html, "", files[i][0], "</a> (");
        append_element(&p->html, "", files[i][1], ")");
    }
    base_buf_adds(&p->html, ".</p>\n");
}

/* ---------------------------------------------------------------- tables */
void sim_page_begin_table(struct sim_page *p, const char *caption)
{
    base_buf_adds(&p->html, "<div class=\"table\"><table>");
    if (caption)
        append_element(&p->html, "<caption>", caption, "</caption>");
}

void sim_page_begin_text_table(struct sim_page *p)
{
    base_buf_adds(&p->html, "<div class=\"table words\"><table>");
}

void sim_page_add_table_head(struct sim_page *p, const char *const *titles, size_t n)
{
    base_buf_adds(&p->html, "\n<tr>");
    for (size_t i = 0; i < n; i++)
        append_element(&p->html, i ? "<th class=\"n\">" : "<th>", titles[i], "</th>");
    p->in_row = true;
}

void sim_page_begin_table_row(struct sim_page *p)
{
    base_buf_adds(&p->html, p->in_row ? "</tr>\n<tr>" : "\n<tr>");
    p->in_row = true;
}

void sim_page_add_table_cell(struct sim_page *p, bool number, const char *tone, const char *text)
{
    /* the interval is printed fainter than the mean */
    const char *interval = number ? strstr(text, " ±") : NULL;

    base_buf_addf(&p->html, "<td class=\"%s%s\">", number ? "n " : "", tone);
    if (interval) {
        char *mean = base_strndup(text, (size_t)(interval - text));
        append_element(&p->html, "", mean, "<span class=\"weak\">");
        append_element(&p->html, "", interval, "</span></td>");
        free(mean);
        return;
    }
    append_element(&p->html, "", text, "</td>");
}

void sim_page_end_table(struct sim_page *p)
{
    base_buf_adds(&p->html, p->in_row ? "</tr>\n</table></div>\n" : "</table></div>\n");
    p->in_row = false;
}

/* ---------------------------------------------------------------- pictures */
void sim_page_begin_pictures(struct sim_page *p)
{
    base_buf_adds(&p->html, "<div class=\"pictures\">\n");
}

void sim_page_begin_wide_pictures(struct sim_page *p)
{
    base_buf_adds(&p->html, "<div class=\"pictures wide\">\n");
}

void sim_page_end_pictures(struct sim_page *p)
{
    base_buf_adds(&p->html, "</div>\n");
}

int sim_page_embed_picture(struct sim_page *p, const char *dir, const char *name,
                           const char *caption, struct base_error *err)
{
    struct base_buf svg = {0};
    char *path = base_printf("%s/%s.svg", dir, name);
    int rc = base_file_read(path, PICTURE_MAX, &svg, err);
    const char *begin = rc == 0 ? strstr(svg.data, "<svg") : NULL; /* skips the XML declaration */

    if (rc == 0 && !begin)
        rc = base_error_set(err, -BASE_ECORRUPT, "%s: not an SVG picture", path);
    if (rc == 0) {
        p->pictures++;
        base_buf_adds(&p->html, "<figure>\n");
        base_buf_adds(&p->html, begin);
        if (caption)
            append_element(&p->html, "<figcaption>", caption, "</figcaption>\n");
        base_buf_adds(&p->html, "</figure>\n");
    }
    free(path);
    base_buf_free(&svg);
    return rc;
}

/* ---------------------------------------------------------------- the page */
int sim_page_write_and_free(struct sim_page *p, const char *dir, const char *title,
                            struct base_error *err)
{
    struct base_buf all = {0};
    char *path = base_printf("%s/index.html", dir);

    base_buf_adds(&all,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    append_element(&all, "<title>", title, "</title>\n<style>\n");
    base_buf_adds(&all, style);
    append_element(&all, "</style>\n</head>\n<body>\n<main>\n<h1>", title, "</h1>\n");
    if (p->headings > 1)
        base_buf_addf(&all, "<nav>\n%s</nav>\n", p->contents.data);
    base_buf_add(&all, p->html.data, p->html.len);
    base_buf_adds(&all, "</main>\n</body>\n</html>\n");
    int rc = base_mkdirs(dir, 0755, err);
    if (rc == 0)
        rc = base_file_write_atomic(path, all.data, all.len, 0644, false, err);
    base_buf_free(&all);
    free(path);
    sim_page_free(p);
    return rc;
}

void sim_page_free(struct sim_page *p)
{
    base_buf_free(&p->html);
    base_buf_free(&p->contents);
    *p = (struct sim_page){0};
}
