#include "api/yarn/xml_body.h"

#include <ctype.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <string.h>

#include "base/io/json.h"
#include "base/limits.h"

/* Siblings with the same name become an array, so an element may take two levels of JSON. */
#define XML_DEPTH_MAX (BASE_JSON_DEPTH_MAX / 2 - 1)

/* Returns the text inside an element as a JSON string. */
static json_t *copy_element_text(xmlNode *el)
{
    xmlChar *text = xmlNodeGetContent(el);
    json_t *j = json_string(text ? (const char *)text : "");

    xmlFree(text);
    return j ? j : json_string(""); /* libxml2 gives UTF-8; anything else is dropped */
}

/* Converts an element and its children to JSON. @depth is the number of levels that may follow: at
 * 0 an element becomes its text. */
static json_t *convert_element_to_json(xmlNode *el, int depth)
{
    json_t *obj;
    bool children = false;

    for (xmlNode *c = el->children; c; c = c->next)
        children = children || c->type == XML_ELEMENT_NODE;
    if (!children || depth == 0)
        return copy_element_text(el);
    obj = json_object();
    for (xmlNode *c = el->children; c; c = c->next) {
        const char *name = (const char *)c->name;
        json_t *value, *old;
        if (c->type != XML_ELEMENT_NODE)
            continue;
        value = convert_element_to_json(c, depth - 1);
        old = json_object_get(obj, name);
        if (!old) {
            json_object_set_new(obj, name, value);
        } else if (json_is_array(old)) {
            json_array_append_new(old, value);
        } else {
            json_t *list = json_array();
            json_array_append(list, old);
            json_array_append_new(list, value);
            json_object_set_new(obj, name, list);
        }
    }
    return obj;
}

/* Finds the position after the last character as a SAX parser counts: lines and columns from 1. */
static void find_text_end(const char *text, size_t len, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    }
}

/* Sets @err to the message of YARN's XML parser, which names the position after @len bytes. Returns
 * -BASE_EINVAL. */
static int report_sax_error(const char *text, size_t len, const char *why, struct base_error *err)
{
    size_t line, column;

    find_text_end(text, len, &line, &column);
    return base_error_set(err, -BASE_EINVAL,
                          "javax.xml.bind.UnmarshalException\n - with linked exception:\n"
                          "[org.xml.sax.SAXParseException; lineNumber: %zu; columnNumber: %zu; %s]",
                          line, column, why);
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isspace((unsigned char)text[i]))
            return false;
    return true;
}

int api_xml_body_parse(const char *text, size_t len, const char *root, const char *expected,
                       json_t **out, struct base_error *err)
{
    xmlParserCtxt *ctx;
    xmlDoc *doc = NULL;
    xmlNode *top;
    json_t *j;
    int rc = 0;

    if (is_blank(text, len))
        return report_sax_error(text, 0, "Premature end of file.", err);
    if (len > INT_MAX)
        return report_sax_error(text, 0, "The document is too large.", err);
    ctx = xmlNewParserCtxt();
    base_assert(ctx);
    doc = xmlCtxtReadMemory(ctx, text, (int)len, NULL, NULL,
                            XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                XML_PARSE_NOBLANKS);
    if (!doc || !ctx->wellFormed) {
        const xmlError *xe = xmlCtxtGetLastError(ctx);
        bool cut =
            xe && (xe->code == XML_ERR_TAG_NOT_FINISHED || xe->code == XML_ERR_DOCUMENT_END ||
                   xe->code == XML_ERR_GT_REQUIRED || xe->code == XML_ERR_LTSLASH_REQUIRED);
        char why[256] = "The markup in the document must be well-formed.";
        if (xe && xe->message)
            snprintf(why, sizeof why, "%.*s", (int)strcspn(xe->message, "\n"), xe->message);
        rc = report_sax_error(
            text, len,
            cut ? "XML document structures must start and end within the same entity." : why, err);
        goto done;
    }
    /* refuse document types: their entities are the usual way to exhaust a parser's memory */
    if (doc->intSubset || doc->extSubset) {
        rc = report_sax_error(text, len, "DOCTYPE is disallowed.", err);
        goto done;
    }
    top = xmlDocGetRootElement(doc);
    if (root && strcmp((const char *)top->name, root) != 0) {
        rc = base_error_set(err, -BASE_EINVAL,
                            "javax.xml.bind.UnmarshalException: unexpected element "
                            "(uri:\"%.100s\", local:\"%.100s\"). "
                            "Expected elements are %s%s%s",
                            top->ns && top->ns->href ? (const char *)top->ns->href : "",
                            (const char *)top->name, expected ? expected : "<{}",
                            expected ? "" : root, expected ? "" : ">");
        goto done;
    }
    j = convert_element_to_json(top, XML_DEPTH_MAX);
    if (!json_is_object(j)) { /* a root element without children */
        json_decref(j);
        j = json_object();
    }
    *out = j;
done:
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(ctx);
    return rc;
}

/* ---- JSON, with the messages of YARN's parser, Jackson ---- */

#define JSON_FAILED                                                                                \
    "javax.xml.bind.UnmarshalException\n - with linked "                                           \
    "exception:\n[javax.xml.stream.XMLStreamException: "

/* Sets @err to the message of YARN's JSON parser that best fits @why, the message of our parser.
 * Returns -BASE_EINVAL. */
static int report_json_syntax_error(const char *text, size_t len, const char *why,
                                    struct base_error *err)
{
    size_t line, column, word = 0;
    size_t from = 0;

    while (from < len && isspace((unsigned char)text[from]))
        from++;
    while (from + word < len && isalnum((unsigned char)text[from + word]))
        word++;
    if (word > 0) {
        find_text_end(text, from + word, &line, &column);
        return base_error_set(
            err, -BASE_EINVAL,
            JSON_FAILED "com.fasterxml.jackson.core.JsonParseException: Unrecognized token '%.*s': "
                        "was expecting (JSON String, Number, Array, Object or token 'null', 'true' "
                        "or 'false')\n at [Source: (BufferedReader); line: %zu, column: %zu]]",
            (int)(word < 60 ? word : 60), text + from, line, column);
    }
    find_text_end(text, len, &line, &column);
    if (strstr(why, "premature end of input") || strstr(why, "near end of file"))
        return base_error_set(
            err, -BASE_EINVAL,
            JSON_FAILED "com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input "
                        "within/between Object entries\n at [Source: (BufferedReader); line: %zu, "
                        "column: %zu]]",
            line, column);
    return base_error_set(err, -BASE_EINVAL,
                          JSON_FAILED "com.fasterxml.jackson.core.JsonParseException: %s]", why);
}

static int report_json_without_root(struct base_error *err)
{
    return base_error_set(
        err, -BASE_EINVAL,
        JSON_FAILED "java.lang.NullPointerException: Cannot read field \"name\" because \"pi\" is "
                    "null]");
}

int api_json_body_parse(const char *text, size_t len, json_t **out, struct base_error *err)
{
    struct base_error why = {0};
    json_t *j = NULL;
    int rc;

    if (is_blank(text, len))
        return base_error_set(
            err, -BASE_EINVAL,
            "javax.xml.bind.UnmarshalException: Error creating JSON-based XMLStreamReader\n - with "
            "linked exception:\n[javax.xml.stream.XMLStreamException: JSON expression can not be "
            "empty!]");
    rc = base_json_parse(text, len, &j, &why);
    if (rc < 0)
        return report_json_syntax_error(text, len, why.text, err);
    if (!json_is_object(j)) {
        json_decref(j);
        return report_json_without_root(err);
    }
    *out = j;
    return 0;
}

/* Returns how many bytes YARN's parser has read when it comes to the value of the first member of
 * the object @text: up to the first character of the value, or to the end of a number. */
static size_t find_first_value_offset(const char *text, size_t len)
{
    size_t at = strcspn(text, "\"") + 1, end;

    while (at < len && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    while (at < len && text[at] != ':')
        at++;
    at++;
    while (at < len && isspace((unsigned char)text[at]))
        at++;
    end = at + 1;
    if (at < len && (isdigit((unsigned char)text[at]) || text[at] == '-'))
        end = at + strcspn(text + at, ",}] \t\r\n");
    return end < len ? end : len;
}

int api_wrapped_json_body_parse(const char *text, size_t len, const char *root,
                                const char *expected, json_t **out, struct base_error *err)
{
    json_t *whole, *inner;
    const char *first;
    size_t line, column;
    int rc = api_json_body_parse(text, len, &whole, err);

    if (rc < 0)
        return rc;
    first = json_object_iter_key(json_object_iter(whole));
    if (!first) {
        rc = report_json_without_root(err);
    } else if (strcmp(first, root) != 0) {
        find_text_end(text, find_first_value_offset(text, len), &line, &column);
        rc = base_error_set(err, -BASE_EINVAL,
                            "javax.xml.bind.UnmarshalException\n - with linked exception:\n"
                            "[com.sun.istack.SAXParseException2; lineNumber: %zu; columnNumber: "
                            "%zu; unexpected element (uri:\"\", local:\"%.100s\"). Expected "
                            "elements are %s]",
                            line, column, first, expected);
    } else {
        inner = json_object_get(whole, root);
        *out = json_is_object(inner) ? json_incref(inner) : json_object();
    }
    json_decref(whole);
    return rc;
}
