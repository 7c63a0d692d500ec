/* tests/unit/html_check.h - reads a page as a browser would, and checks what must hold for every
 * page, whatever the names in it are. */
#ifndef CREEL_TESTS_HTML_CHECK_H
#define CREEL_TESTS_HTML_CHECK_H

#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/cunit_main.h"

static inline bool html_begins(const xmlChar *text, const char *with)
{
    return strncmp((const char *)text, with, strlen(with)) == 0;
}

/* Fails on event handlers, styles, and addresses that could run a script or, by "//", name another
 * host. */
static inline void html_check_attribute(const xmlNode *e, const xmlAttr *a)
{
    xmlChar *value = xmlNodeGetContent((const xmlNode *)a);
    bool address = !xmlStrcmp(a->name, BAD_CAST "href") || !xmlStrcmp(a->name, BAD_CAST "src") ||
                   !xmlStrcmp(a->name, BAD_CAST "action");
    bool bad = html_begins(a->name, "on") || !xmlStrcmp(a->name, BAD_CAST "style") ||
               (address && !html_begins(value, "/") && !html_begins(value, "http://") &&
                !html_begins(value, "#")) ||
               (address && html_begins(value, "//"));

    if (bad)
        printf("\n    <%s %s=\"%s\">\n", (const char *)e->name, (const char *)a->name,
               (const char *)value);
    CU_ASSERT_FALSE(bad);
    xmlFree(value);
}

static inline void html_check_element(const xmlNode *e)
{
    static const char *const known[] = {
        "html",  "head",    "meta",   "title",  "link",   "script",  "body",   "a",        "header",
        "p",     "nav",     "ul",     "li",     "main",   "h1",      "h2",     "form",     "label",
        "input", "select",  "option", "button", "span",   "div",     "dl",     "dt",       "dd",
        "table", "caption", "thead",  "tbody",  "tr",     "th",      "td",     "progress", "small",
        "time",  "svg",     "rect",   "footer", "strong", "details", "summary"};
    bool is_known = false;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known = is_known || !xmlStrcmp(e->name, BAD_CAST known[i]);
    if (!is_known)
        printf("\n    <%s>\n", (const char *)e->name);
    CU_ASSERT_TRUE(is_known);
    if (!xmlStrcmp(e->name, BAD_CAST "script")) {
        xmlChar *src = xmlGetProp(e, BAD_CAST "src"), *text = xmlNodeGetContent(e);

        CU_ASSERT_TRUE(src && html_begins(src, "/static/live.js?v="));
        CU_ASSERT_STRING_EQUAL((const char *)text, "");
        xmlFree(src);
        xmlFree(text);
    }
    for (const xmlAttr *a = e->properties; a; a = a->next)
        html_check_attribute(e, a);
}

/* Checks @e, its later siblings and everything inside them; returns how many elements there are. */
static inline size_t html_check_all(const xmlNode *e)
{
    size_t n = 0;

    for (; e; e = e->next) {
        if (e->type == XML_ELEMENT_NODE) {
            html_check_element(e);
            n++;
        }
        n += html_check_all(e->children);
    }
    return n;
}

/* Checks a page; returns how many elements it has. */
static inline size_t html_check_page(const char *text, size_t len)
{
    htmlDocPtr doc = htmlReadMemory(text, (int)len, NULL, "utf-8",
                                    HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    size_t n;

    CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
    n = html_check_all(xmlDocGetRootElement(doc));
    xmlFreeDoc(doc);
    return n;
}

#endif
