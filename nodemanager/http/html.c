#include "nodemanager/http/html.h"

#include <stdarg.h>
#include <string.h>

#include "api/yarn/shape.h"
#include "base/version.h"

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.45 system-ui,sans-serif;max-width:75em;margin:0 auto;padding:0 1em 2em}"
    "nav a{margin-right:1.2em}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "th,td{text-align:left;vertical-align:top;padding:.25em .8em .25em 0;"
    "border-bottom:1px solid #8884}"
    "pre{overflow-x:auto;padding:.6em;background:#8881;font-size:13px}"
    "a:focus-visible{outline:2px solid}";

void nm_html_text(struct base_buf *out, const char *text)
{
    api_xml_add_text(out, text);
}

void nm_html_open(struct base_buf *out, const char *title)
{
    base_buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    nm_html_text(out, title);
    base_buf_adds(out, "</title>\n<style>");
    base_buf_adds(out, style);
    base_buf_adds(out, "</style>\n</head>\n<body>\n<nav><p><a href=\"/node/node\">Node</a> "
                       "<a href=\"/node/allApplications\">Applications</a> "
                       "<a href=\"/node/allContainers\">Containers</a> "
                       "<a href=\"/conf\">Configuration</a> "
                       "<a href=\"/metrics\">Metrics</a></p></nav>\n<h1>");
    nm_html_text(out, title);
    base_buf_adds(out, "</h1>\n");
}

void nm_html_close(struct base_buf *out)
{
    base_buf_adds(out, "<footer><p>Creel " CREEL_VERSION "</p></footer>\n</body>\n</html>\n");
}

void nm_html_open_properties(struct base_buf *out)
{
    base_buf_adds(out, "<table>\n");
}

static void add_formatted(struct base_buf *out, const char *fmt, va_list ap)
{
    struct base_buf text = {0};

    base_buf_vaddf(&text, fmt, ap);
    nm_html_text(out, text.data ? text.data : "");
    base_buf_free(&text);
}

void nm_html_property(struct base_buf *out, const char *name, const char *fmt, ...)
{
    va_list ap;

    base_buf_adds(out, "<tr><th scope=\"row\">");
    nm_html_text(out, name);
    base_buf_adds(out, "</th><td>");
    va_start(ap, fmt);
    add_formatted(out, fmt, ap);
    va_end(ap);
    base_buf_adds(out, "</td></tr>\n");
}

void nm_html_open_table(struct base_buf *out, const char *const *headings, size_t n)
{
    base_buf_adds(out, "<table>\n<tr>");
    for (size_t i = 0; i < n; i++)
        base_buf_addf(out, "<th scope=\"col\">%s</th>", headings[i]);
    base_buf_adds(out, "</tr>\n");
}

void nm_html_cell(struct base_buf *out, const char *fmt, ...)
{
    va_list ap;

    base_buf_adds(out, "<td>");
    va_start(ap, fmt);
    add_formatted(out, fmt, ap);
    va_end(ap);
    base_buf_adds(out, "</td>");
}

void nm_html_link_cell(struct base_buf *out, const char *path, const char *text)
{
    base_buf_addf(out, "<td><a href=\"%s\">", path);
    nm_html_text(out, text);
    base_buf_adds(out, "</a></td>");
}

void nm_html_close_table(struct base_buf *out)
{
    base_buf_adds(out, "</table>\n");
}

void nm_html_answer(struct api_request *rq, struct base_buf *page)
{
    nm_html_close(page);
    api_add_header(rq, "Content-Type", NM_HTML_TYPE);
    api_answer(rq, 200, API_TEXT, page);
}

void nm_html_answer_missing(struct api_request *rq, const char *title, const char *text)
{
    struct base_buf page = {0};

    nm_html_open(&page, title);
    base_buf_adds(&page, "<p>");
    nm_html_text(&page, text);
    base_buf_adds(&page, "</p>\n");
    nm_html_answer(rq, &page);
}
