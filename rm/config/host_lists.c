#include "rm/config/host_lists.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "base/limits.h"

#define INCLUDE       "yarn.resourcemanager.nodes.include-path"
#define EXCLUDE       "yarn.resourcemanager.nodes.exclude-path"
#define HOST_FILE_MAX (16u << 20) /* bytes of one file */
#define BLANKS        " \t\r\n"
#define NO_TIMEOUT    (-1)

static int add_host(const char *file, const char *name, size_t len, int64_t timeout_us,
                    struct rm_listed_host **v, size_t *n, struct base_error *err)
{
    if (len > BASE_NAME_MAX)
        return base_error_set(err, -BASE_EINVAL, "%s: a name of %zu bytes, at most %d are possible",
                              file, len, BASE_NAME_MAX);
    if ((*n & (*n - 1)) == 0)
        *v = base_realloc_array(*v, *n ? *n * 2 : 1, sizeof **v);
    (*v)[(*n)++] = (struct rm_listed_host){base_strndup(name, len), timeout_us};
    return 0;
}

/* Adds the names in @text, which @separators separate. */
static int add_hosts(const char *file, const char *text, const char *separators, int64_t timeout_us,
                     struct rm_listed_host **v, size_t *n, struct base_error *err)
{
    int rc = 0;

    while (rc == 0 && *(text += strspn(text, separators))) {
        size_t len = strcspn(text, separators);

        rc = add_host(file, text, len, timeout_us, v, n, err);
        text += len;
    }
    return rc;
}

static int parse_lines(const char *file, char *text, struct rm_listed_host **v, size_t *n,
                       struct base_error *err)
{
    char *save = NULL;
    int rc = 0;

    for (char *line = strtok_r(text, "\n", &save); line && rc == 0;
         line = strtok_r(NULL, "\n", &save)) {
        line[strcspn(line, "#")] = '\0';
        rc = add_hosts(file, line, BLANKS, NO_TIMEOUT, v, n, err);
    }
    return rc;
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static int read_timeout(const char *file, xmlNodePtr node, int64_t *out, struct base_error *err)
{
    char *text = (char *)xmlNodeGetContent(node), *end = text;
    long long v = 0;

    errno = 0;
    if (text)
        v = strtoll(text + strspn(text, BLANKS), &end, 10);
    if (!text || end == text || end[strspn(end, BLANKS)] || errno || v > INT32_MAX) {
        base_error_set(err, -BASE_EINVAL, "%s:%ld: timeout: \"%.40s\" is not a number of seconds",
                       file, xmlGetLineNo(node), text ? text : "");
        xmlFree(text);
        return -BASE_EINVAL;
    }
    *out = v < 0 ? NO_TIMEOUT : v * 1000000;
    xmlFree(text);
    return 0;
}

static int add_host_element(const char *file, xmlNodePtr host, struct rm_listed_host **v, size_t *n,
                            struct base_error *err)
{
    int64_t timeout_us = NO_TIMEOUT;
    int rc = 0;

    for (xmlNodePtr e = host->children; e && rc == 0; e = e->next)
        if (is_element(e, "timeout"))
            rc = read_timeout(file, e, &timeout_us, err);
    for (xmlNodePtr e = host->children; e && rc == 0; e = e->next)
        if (is_element(e, "name")) {
            char *names = (char *)xmlNodeGetContent(e);

            if (names)
                rc = add_hosts(file, names, "," BLANKS, timeout_us, v, n, err);
            xmlFree(names);
        }
    return rc;
}

static int parse_xml(const char *file, const char *text, size_t len, struct rm_listed_host **v,
                     size_t *n, struct base_error *err)
{
    xmlDocPtr doc = len > INT32_MAX
                        ? NULL
                        : xmlReadMemory(text, (int)len, file, NULL,
                                        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlNodePtr root = doc ? xmlDocGetRootElement(doc) : NULL;
    int rc = root ? 0 : base_error_set(err, -BASE_EINVAL, "%s: is not well-formed XML", file);

    for (xmlNodePtr e = root ? root->children : NULL; e && rc == 0; e = e->next)
        if (is_element(e, "host"))
            rc = add_host_element(file, e, v, n, err);
    xmlFreeDoc(doc);
    return rc;
}

int rm_host_list_parse(const char *file, const char *text, size_t len, struct rm_listed_host **v,
                       size_t *n, struct base_error *err)
{
    size_t name_len = strlen(file);
    char *copy;
    int rc;

    if (name_len > 4 && strcmp(file + name_len - 4, ".xml") == 0)
        return parse_xml(file, text, len, v, n, err);
    copy = base_strndup(text, len);
    rc = parse_lines(file, copy, v, n, err);
    free(copy);
    return rc;
}

static int read_list(const struct base_conf *conf, const char *key, struct rm_listed_host **v,
                     size_t *n, struct base_error *err)
{
    const char *path = base_conf_get(conf, key);
    struct base_buf text = {0};
    int rc;

    if (!path || !*path)
        return 0;
    rc = base_file_read(path, HOST_FILE_MAX, &text, err);
    if (rc == 0)
        rc = rm_host_list_parse(path, text.data ? text.data : "", text.len, v, n, err);
    base_buf_free(&text);
    return rc < 0 ? base_error_wrap(err, rc, "%s", key) : 0;
}

static void free_host_list(const struct rm_listed_host *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(v[i].name);
    free((void *)(uintptr_t)v);
}

void rm_host_lists_free(struct rm_host_lists *lists)
{
    free_host_list(lists->include, lists->include_n);
    free_host_list(lists->exclude, lists->exclude_n);
    *lists = (struct rm_host_lists){0};
}

int rm_host_lists_read(const struct base_conf *conf, struct rm_host_lists *out,
                       struct base_error *err)
{
    struct rm_listed_host *include = NULL, *exclude = NULL;
    int rc;

    *out = (struct rm_host_lists){0};
    rc = read_list(conf, INCLUDE, &include, &out->include_n, err);
    if (rc == 0)
        rc = read_list(conf, EXCLUDE, &exclude, &out->exclude_n, err);
    out->include = include;
    out->exclude = exclude;
    if (rc < 0)
        rm_host_lists_free(out);
    return rc;
}
