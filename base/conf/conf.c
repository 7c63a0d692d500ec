#include "base/conf/conf.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <libxml/xinclude.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/data/map.h"
#include "base/io/io.h"
#include "base/nearest.h"

#define FILE_MAX ((size_t)8 << 20)
/* most substitutions in one value. SOURCE: Hadoop Configuration.MAX_SUBST */
#define SUBST_MAX     20
#define VALUE_MAX     ((size_t)1 << 20)
#define XML_DEPTH_MAX 64

struct entry {
    char *name;
    char *raw;    /* the value as written, trimmed */
    char *value;  /* the expanded value; never NULL after expand_and_parse_values() */
    char *source; /* "file, line n", "-D", or NULL: the default */
    bool final;
    bool arg;      /* set by -D */
    bool too_deep; /* the expansion exceeded SUBST_MAX substitutions or VALUE_MAX bytes */
    const struct base_conf_key *key; /* NULL: not a known key, which has no type */
    bool valid;                      /* the value has the key's type and is in its range */
    union {
        int64_t i;
        double d;
        bool b;
    } typed; /* the value, if it is valid */
};

struct base_conf {
    struct entry *v; /* sorted by name */
    size_t len, cap;
    struct base_map
        by_name;  /* the entries, for readers: up to date after expand_and_parse_values() */
    char *folder; /* folder of the default files */
};

/* The known keys, sorted by name for find_key(). */
static const struct base_conf_key **sorted_keys;
static size_t sorted_keys_n;
static pthread_once_t sorted_keys_once = PTHREAD_ONCE_INIT;

static int compare_key_names(const void *a, const void *b)
{
    return strcmp((*(const struct base_conf_key *const *)a)->name,
                  (*(const struct base_conf_key *const *)b)->name);
}

static void sort_keys(void)
{
    size_t n = 0;

    while (base_conf_keys[n].name)
        n++;
    sorted_keys = base_alloc(n * sizeof *sorted_keys);
    for (size_t i = 0; i < n; i++)
        sorted_keys[i] = &base_conf_keys[i];
    qsort(sorted_keys, n, sizeof *sorted_keys, compare_key_names);
    sorted_keys_n = n;
}

static const struct base_conf_key *find_key(const char *name)
{
    const struct base_conf_key wanted = {.name = name}, *key = &wanted;
    const struct base_conf_key **found;

    pthread_once(&sorted_keys_once, sort_keys);
    found = bsearch(&key, sorted_keys, sorted_keys_n, sizeof *sorted_keys, compare_key_names);
    return found ? *found : NULL;
}

/* Returns the index of @name or, with *found false, where to insert it. */
static size_t find_index(const struct base_conf *c, const char *name, bool *found)
{
    size_t lo = 0, hi = c->len;

    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int d = strcmp(c->v[mid].name, name);
        if (d == 0) {
            *found = true;
            return mid;
        }
        if (d < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct entry *find_entry(const struct base_conf *c, const char *name)
{
    bool found;
    size_t at = find_index(c, name, &found);

    return found ? &c->v[at] : NULL;
}

/* Returns the entry of @name, adding it if absent. */
static struct entry *find_or_add_entry(struct base_conf *c, const char *name)
{
    bool found;
    size_t at = find_index(c, name, &found);

    if (found)
        return &c->v[at];
    base_array_grow(&c->v, c->len, &c->cap);
    memmove(&c->v[at + 1], &c->v[at], (c->len - at) * sizeof *c->v);
    c->len++;
    c->v[at] = (struct entry){.name = base_strdup(name), .key = find_key(name)};
    return &c->v[at];
}

static void set_entry_value(struct entry *e, const char *raw, char *source_take)
{
    free(e->raw);
    free(e->source);
    e->raw = base_strdup(raw);
    e->source = source_take;
}

/* --- expansion of ${name} --- */

/* The innermost ${...} without blanks is replaced first. An unbound variable ends the expansion and
 * stays; a variable whose value names the variable itself leaves the whole text unexpanded.
 * ${env.NAME} is an environment variable, with defaults as in ${env.NAME-default} (if unset) and
 * ${env.NAME:-default} (if unset or empty). SOURCE: Hadoop Configuration.substituteVars and
 * findSubVariable, which do not have our ${name:-default}. */

/* Finds the first innermost ${...} and the bounds of its name. Returns false when there is none. */
static bool find_innermost_variable(const char *text, size_t *start, size_t *end)
{
    size_t open = 0;
    bool inside = false;

    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '$' && text[i + 1] == '{') {
            inside = true;
            open = i + 2;
            i++;
        } else if (text[i] == '$' || text[i] == ' ') {
            inside = false;
        } else if (text[i] == '}' && inside) {
            if (i > open) {
                *start = open;
                *end = i;
                return true;
            }
            inside = false;
        }
    }
    return false;
}

static char *look_up_env(const char *var)
{
    size_t n = strcspn(var, ":-");
    bool or_empty;
    const char *v;
    char *name;

    while (var[n] == ':' && var[n + 1] != '-') {
        n++;
        n += strcspn(var + n, ":-");
    }
    name = base_strndup(var, n);
    v = getenv(name);
    free(name);
    or_empty = var[n] == ':';
    if (var[n] && (!v || (or_empty && !*v)))
        v = var + n + (or_empty ? 2 : 1);
    return base_strdup(v);
}

/* Returns the value of @var if it is one of the Java system properties that configurations commonly
 * use, else NULL. Caller frees. */
static char *look_up_system_property(const char *var)
{
    struct passwd pw, *found = NULL;
    char space[4096];
    bool user = strcmp(var, "user.name") == 0;

    if (strcmp(var, "java.io.tmpdir") == 0)
        return base_strdup("/tmp");
    if (!user && strcmp(var, "user.home") != 0)
        return NULL;
    if (getpwuid_r(geteuid(), &pw, space, sizeof space, &found) != 0 || !found)
        return NULL;
    return base_strdup(user ? pw.pw_name : pw.pw_dir);
}

/* Returns the raw value of variable @var, or NULL when it is unbound. Caller frees. */
static char *look_up_variable(const struct base_conf *c, const char *var)
{
    const struct entry *e;
    const char *or_else;
    char *name, *v;

    if (strncmp(var, "env.", 4) == 0 && var[4])
        return look_up_env(var + 4);
    e = find_entry(c, var);
    if (e)
        return base_strdup(e->raw);
    v = look_up_system_property(var);
    or_else = strstr(var, ":-");
    if (v || !or_else)
        return v;
    name = base_strndup(var, (size_t)(or_else - var));
    e = find_entry(c, name);
    v = e && *e->raw ? base_strdup(e->raw) : base_strdup(or_else + 2);
    free(name);
    return v;
}

static char *expand_value(const struct base_conf *c, const char *raw, bool *too_deep)
{
    char *text = base_strdup(raw);
    size_t start, end;

    *too_deep = false;
    for (int turn = 0; find_innermost_variable(text, &start, &end); turn++) {
        char *var = base_strndup(text + start, end - start);
        char *value = turn < SUBST_MAX ? look_up_variable(c, var) : NULL;
        char *reference = base_printf("${%s}", var);
        bool loop = value && strstr(value, reference);
        bool large = value && strlen(text) + strlen(value) > VALUE_MAX;
        char *next = NULL;

        if (value && !loop && !large)
            next = base_printf("%.*s%s%s", (int)(start - 2), text, value, text + end + 1);
        free(reference);
        free(value);
        free(var);
        if (turn >= SUBST_MAX || loop || large) {
            *too_deep = turn >= SUBST_MAX || large;
            free(text);
            return base_strdup(raw);
        }
        if (!next)
            return text;
        free(text);
        text = next;
    }
    return text;
}

/* --- typed values --- */

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && strcmp(text + a - b, end) == 0;
}

/* Parses an integer; keys that end in -size or -bytes accept a unit. */
static int parse_int(const struct base_conf_key *k, const char *text, int64_t *out)
{
    if (base_int_parse(text, k->min, k->max, out) == 0)
        return 0;
    if (!ends_with(k->name, "-size") && !ends_with(k->name, "-bytes"))
        return -BASE_EINVAL;
    if (base_size_parse(text, out) < 0 || *out < k->min || *out > k->max)
        return -BASE_EINVAL;
    return 0;
}

static int parse_double(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end == text || *end || !isfinite(*out) ? -BASE_EINVAL : 0;
}

static int parse_bool(const char *text, bool *out)
{
    *out = strcasecmp(text, "true") == 0;
    return *out || strcasecmp(text, "false") == 0 ? 0 : -BASE_EINVAL;
}

/* Parses the expanded value by the type of its key. */
static void parse_value(struct entry *e)
{
    int rc = 0;

    switch (e->key ? e->key->type : BASE_CONF_STRING) {
    case BASE_CONF_STRING:
        break;
    case BASE_CONF_INT:
        rc = parse_int(e->key, e->value, &e->typed.i);
        break;
    case BASE_CONF_BOOL:
        rc = parse_bool(e->value, &e->typed.b);
        break;
    case BASE_CONF_DOUBLE:
        rc = parse_double(e->value, &e->typed.d);
        break;
    }
    e->valid = rc == 0;
}

/* Expands and parses all values now, so that threads can read them later without a lock, and
 * cheaply: answers to requests depend on many keys. Call after every change. */
static void expand_and_parse_values(struct base_conf *c)
{
    base_map_free(&c->by_name);
    for (size_t i = 0; i < c->len; i++) {
        struct entry *e = &c->v[i];

        free(e->value);
        e->value = expand_value(c, e->raw, &e->too_deep);
        parse_value(e);
        base_map_add(&c->by_name, base_hash_text(e->name), e);
    }
}

struct base_conf *base_conf_new(void)
{
    struct base_conf *c = base_alloc(sizeof *c);

    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        set_entry_value(find_or_add_entry(c, k->name), k->value, NULL);
    expand_and_parse_values(c);
    return c;
}

void base_conf_free(struct base_conf *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->len; i++) {
        free(c->v[i].name);
        free(c->v[i].raw);
        free(c->v[i].value);
        free(c->v[i].source);
    }
    free(c->v);
    base_map_free(&c->by_name);
    free(c->folder);
    free(c);
}

/* --- XML --- */

/* The state while one file is being read. */
struct reader {
    struct base_conf *conf;
    const char *path;
    struct base_error *err;
    char *first;       /* the first error that libxml2 reported, or NULL */
    xmlChar *included; /* the included file that the current element comes from, or NULL */
};

static void trim_blanks(char *text)
{
    size_t len = strlen(text), skip = strspn(text, " \t\r\n");

    memmove(text, text + skip, len - skip + 1);
    len -= skip;
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
}

/* Returns true for the key of an access control list. */
static bool is_acl_key(const char *name)
{
    return ends_with(name, ".acl") || strstr(name, ".acl_");
}

/* Trims the value of @name. In an access control list a blank in front means that the list names no
 * user, so the blank stays. */
static void trim_value(const char *name, char *value)
{
    bool keep_blank = value[0] == ' ' && is_acl_key(name);

    trim_blanks(value);
    if (!keep_blank)
        return;
    memmove(value + 1, value, strlen(value) + 1); /* at least one blank was removed */
    value[0] = ' ';
}

static void keep_first_xml_error(void *arg, xmlErrorPtr e)
{
    struct reader *r = arg;

    if (r->first || e->level < XML_ERR_ERROR)
        return;
    r->first = base_printf("%s, line %d: %s", e->file ? e->file : r->path, e->line,
                           e->message ? e->message : "");
    trim_blanks(r->first);
}

/* Formats the place of @node: "file, line n". */
static char *format_place(const struct reader *r, xmlNodePtr node)
{
    return base_printf("%s, line %ld", r->included ? (const char *)r->included : r->path,
                       xmlGetLineNo(node));
}

static int refuse_element(const struct reader *r, xmlNodePtr node, const char *why)
{
    char *where = format_place(r, node);
    int rc = base_error_set(r->err, -BASE_EINVAL, "%s: %s", where, why);

    free(where);
    return rc;
}

/* Sets *@out to the text of an element. Child elements are refused, and so are entity
 * references: nothing needs them, and their expansion can grow without bound. */
static int read_element_text(const struct reader *r, xmlNodePtr node, char **out)
{
    struct base_buf b = {0};

    for (xmlNodePtr n = node->children; n; n = n->next) {
        switch (n->type) {
        case XML_TEXT_NODE:
        case XML_CDATA_SECTION_NODE:
            if (n->content)
                base_buf_adds(&b, (const char *)n->content);
            break;
        case XML_COMMENT_NODE:
        case XML_PI_NODE:
        case XML_XINCLUDE_START:
        case XML_XINCLUDE_END:
            break;
        default:
            base_buf_free(&b);
            return refuse_element(r, n->type == XML_ELEMENT_NODE ? n : node,
                                  n->type == XML_ELEMENT_NODE ? "an element inside a text"
                                                              : "an entity reference");
        }
    }
    free(*out);
    *out = base_buf_take(&b);
    return 0;
}

struct property {
    char *name, *value, *final;
};

static void free_property(struct property *p)
{
    free(p->name);
    free(p->value);
    free(p->final);
}

static char **find_property_member(struct property *p, const xmlChar *name)
{
    if (xmlStrEqual(name, BAD_CAST "name"))
        return &p->name;
    if (xmlStrEqual(name, BAD_CAST "value"))
        return &p->value;
    if (xmlStrEqual(name, BAD_CAST "final"))
        return &p->final;
    return NULL;
}

/* Reads a property from child elements or, as Hadoop allows, from attributes of <property>. */
static int read_property(const struct reader *r, xmlNodePtr node, struct property *p)
{
    for (xmlAttrPtr a = node->properties; a; a = a->next) {
        char **slot = find_property_member(p, a->name);
        int rc = slot ? read_element_text(r, (xmlNodePtr)a, slot) : 0;
        if (rc < 0)
            return rc;
    }
    for (xmlNodePtr n = node->children; n; n = n->next) {
        char **slot;
        int rc;
        if (n->type != XML_ELEMENT_NODE)
            continue;
        slot = find_property_member(p, n->name);
        if (!slot)
            continue; /* description, source, tag */
        rc = read_element_text(r, n, slot);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int apply_property(const struct reader *r, xmlNodePtr node, const struct property *p)
{
    struct entry *e;

    if (!p->name || !*p->name)
        return refuse_element(r, node, "a <property> without a <name>");
    if (p->final && strcasecmp(p->final, "true") != 0 && strcasecmp(p->final, "false") != 0)
        return refuse_element(r, node, "<final> is neither true nor false");
    if (!p->value)
        return strncmp(p->name, "creel.", 6) == 0
                   ? refuse_element(r, node, "a <property> without a <value>")
                   : 0;
    if (strlen(p->value) > VALUE_MAX)
        return refuse_element(r, node, "a <value> over 1 MiB");
    e = find_or_add_entry(r->conf, p->name);
    if (e->arg || e->final)
        return 0;
    set_entry_value(e, p->value, format_place(r, node));
    e->final = p->final && strcasecmp(p->final, "true") == 0;
    return 0;
}

static int load_property(const struct reader *r, xmlNodePtr node)
{
    struct property p = {0};
    int rc = read_property(r, node, &p);

    if (p.name)
        trim_blanks(p.name);
    if (p.value)
        trim_value(p.name ? p.name : "", p.value);
    if (p.final)
        trim_blanks(p.final);
    if (rc == 0)
        rc = apply_property(r, node, &p);
    free_property(&p);
    return rc;
}

static int load_configuration(struct reader *r, xmlNodePtr root, int depth);

static int load_property_or_nested(struct reader *r, xmlNodePtr n, int depth)
{
    if (xmlStrEqual(n->name, BAD_CAST "property"))
        return load_property(r, n);
    if (xmlStrEqual(n->name, BAD_CAST "configuration"))
        return load_configuration(r, n, depth + 1); /* the root of an included file */
    return refuse_element(r, n, "expected <property>");
}

/* Returns the file that the XInclude at @n has included, or NULL when its fallback was used.
 * (libxml2's xml:base would contain it, but is missing for files in the same folder.) */
static xmlChar *find_included_file(xmlNodePtr n)
{
    xmlAttrPtr a = n->properties; /* xmlGetProp() needs an element, and @n is not one any more */
    xmlChar *href, *base, *file;

    while (a && !xmlStrEqual(a->name, BAD_CAST "href"))
        a = a->next;
    href = a ? xmlNodeListGetString(n->doc, a->children, 1) : NULL;
    base = xmlNodeGetBase(n->doc, n->parent);
    file = href ? xmlBuildURI(href, base) : NULL;

    if (file && access((const char *)file, R_OK) < 0) {
        xmlFree(file);
        file = NULL;
    }
    xmlFree(href);
    xmlFree(base);
    return file;
}

static int load_configuration(struct reader *r, xmlNodePtr root, int depth)
{
    xmlChar *outer = r->included, *inner = NULL;
    int rc = 0;

    if (depth > XML_DEPTH_MAX)
        return refuse_element(r, root, "<configuration> nested too deep");
    for (xmlNodePtr n = root->children; n && rc == 0; n = n->next) {
        if (n->type == XML_XINCLUDE_START || n->type == XML_XINCLUDE_END) {
            xmlFree(inner);
            inner = n->type == XML_XINCLUDE_START ? find_included_file(n) : NULL;
            r->included = inner ? inner : outer;
        } else if (n->type == XML_ELEMENT_NODE) {
            rc = load_property_or_nested(r, n, depth);
        } else if (n->type == XML_TEXT_NODE && !xmlIsBlankNode(n)) {
            rc = refuse_element(r, n, "text outside of a <property>");
        }
    }
    r->included = outer;
    xmlFree(inner);
    return rc;
}

static void init_xml(void)
{
    xmlInitParser();
    /* XML_PARSE_NONET has no effect on XInclude with parse="text"; the loader covers that too. */
    xmlSetExternalEntityLoader(xmlNoNetExternalEntityLoader);
}

static int load_document(struct reader *r, const char *text, size_t len)
{
    const int options = XML_PARSE_NONET | XML_PARSE_XINCLUDE | XML_PARSE_NOWARNING;
    xmlDocPtr doc = xmlReadMemory(text, (int)len, r->path, NULL, options);
    xmlNodePtr root;
    int rc = 0;

    if (doc && xmlXIncludeProcessFlags(doc, options) < 0)
        rc = -BASE_EINVAL;
    root = doc && rc == 0 ? xmlDocGetRootElement(doc) : NULL;
    if (!root || rc < 0)
        rc = base_error_set(r->err, -BASE_EINVAL, "%s: %s", r->first ? r->first : r->path,
                            "not valid XML");
    else if (!xmlStrEqual(root->name, BAD_CAST "configuration"))
        rc = refuse_element(r, root, "the outermost element is not <configuration>");
    else
        rc = load_configuration(r, root, 0);
    xmlFreeDoc(doc);
    return rc;
}

int base_conf_load_text(struct base_conf *c, const char *name, const char *text, size_t len,
                        struct base_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct reader r = {.conf = c, .path = name, .err = err};
    int rc;

    if (len > FILE_MAX)
        return base_error_set(err, -BASE_ELIMIT, "%s is larger than %zu bytes", name, FILE_MAX);
    pthread_once(&once, init_xml);
    xmlSetStructuredErrorFunc(&r, keep_first_xml_error); /* set for this thread only */
    rc = load_document(&r, text, len);
    xmlSetStructuredErrorFunc(NULL, NULL);
    free(r.first);
    expand_and_parse_values(c);
    return rc;
}

int base_conf_load_file(struct base_conf *c, const char *path, struct base_error *err)
{
    struct base_buf b = {0};
    int rc = base_file_read(path, FILE_MAX, &b, err);

    if (rc == 0)
        rc = base_conf_load_text(c, path, b.data, b.len, err);
    base_buf_free(&b);
    return rc;
}

/* Loads the default files. With @left_out NULL, an unreadable file is an error. */
static int load_default_files(struct base_conf *c, char **left_out, struct base_error *err)
{
    static const char *const names[] = {"creel-site.xml", "yarn-site.xml"};
    const char *dir = getenv("CREEL_CONF_DIR");

    free(c->folder);
    c->folder = base_strdup(dir && *dir ? dir : "/etc/creel");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = base_printf("%s/%s", c->folder, names[i]);
        int why = access(path, R_OK) < 0 ? errno : 0, rc = 0;

        if (why == EACCES && left_out && !*left_out)
            *left_out = base_strdup(path);
        else if (why != ENOENT && why != ENOTDIR && !(why == EACCES && left_out))
            rc = base_conf_load_file(c, path, err);
        free(path);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int base_conf_load_default_files(struct base_conf *c, struct base_error *err)
{
    return load_default_files(c, NULL, err);
}

int base_conf_load_readable_files(struct base_conf *c, char **left_out, struct base_error *err)
{
    *left_out = NULL;
    return load_default_files(c, left_out, err);
}

const char *base_conf_folder(const struct base_conf *c)
{
    return c->folder;
}

int base_conf_set_arg(struct base_conf *c, const char *key_eq_value, struct base_error *err)
{
    const char *eq = strchr(key_eq_value, '=');
    struct entry *e;
    char *name, *value;

    if (!eq || eq == key_eq_value)
        return base_error_set(err, -BASE_EINVAL, "-D %.200s: expected key=value", key_eq_value);
    name = base_strndup(key_eq_value, (size_t)(eq - key_eq_value));
    value = base_strdup(eq + 1);
    trim_blanks(name);
    trim_value(name, value);
    e = find_or_add_entry(c, name);
    set_entry_value(e, value, base_strdup("-D"));
    e->arg = true;
    free(name);
    free(value);
    expand_and_parse_values(c);
    return 0;
}

/* --- checks --- */

static int check_value(const struct entry *e, struct base_error *err)
{
    const char *where = e->source ? e->source : "default";
    const struct base_conf_key *k = e->key;

    if (e->too_deep)
        return base_error_set(err, -BASE_EINVAL,
                              "%s: %s: \"%.100s\" does not expand within %d substitutions", where,
                              k->name, e->raw, SUBST_MAX);
    if (e->valid)
        return 0;
    if (k->type == BASE_CONF_INT)
        return base_error_set(err, -BASE_EINVAL,
                              "%s: %s: \"%.100s\" is not an integer from %lld to %lld", where,
                              k->name, e->value, (long long)k->min, (long long)k->max);
    return base_error_set(err, -BASE_EINVAL, "%s: %s: \"%.100s\" is %s", where, k->name, e->value,
                          k->type == BASE_CONF_BOOL ? "neither true nor false" : "not a number");
}

/* Keys of earlier versions that no other key has simply replaced, so that suggesting the key with
 * the nearest name would mislead. */
static const struct {
    const char *name, *why;
} removed_keys[] = {
    {"creel.cluster.secret",
     "a secret is not taken from the configuration or a command line, where others can read it: "
     "write it to a file of mode 0600 (creel secret --new makes one) and name that in "
     "creel.cluster.secret-file"},
};

static int refuse_removed_key(const struct entry *e, struct base_error *err)
{
    for (size_t i = 0; i < sizeof removed_keys / sizeof removed_keys[0]; i++)
        if (strcmp(e->name, removed_keys[i].name) == 0)
            return base_error_set(err, -BASE_EINVAL, "%s: %s: %s", e->source, e->name,
                                  removed_keys[i].why);
    return 0;
}

static int refuse_unknown_key(const struct entry *e, struct base_error *err)
{
    const char *best = NULL;
    size_t distance = 0;

    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        base_nearest_take_if_closer(e->name, k->name, &best, &distance);
    if (best)
        return base_error_set(err, -BASE_EINVAL, "%s: unknown key %.200s; did you mean %s?",
                              e->source, e->name, best);
    return base_error_set(err, -BASE_EINVAL, "%s: unknown key %.200s", e->source, e->name);
}

/* Returns true when a known key begins with the family of @name, such as "creel.rm." for
 * "creel.rm.prot". */
static bool has_known_key_prefix(const char *name)
{
    const char *dot = strchr(name + strlen("creel."), '.');
    size_t n = dot ? (size_t)(dot + 1 - name) : strlen(name) + 1;

    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        if (strncmp(name, k->name, n) == 0)
            return true;
    return false;
}

/* Returns true when the unknown creel.* key @name is not an error: when @is_known_elsewhere accepts
 * it or, with @is_known_elsewhere NULL, when its family is unknown and no known key is similar. */
static bool unknown_key_is_allowed(const char *name, bool (*is_known_elsewhere)(const char *name))
{
    const char *best = NULL;
    size_t distance = 0;

    if (is_known_elsewhere)
        return is_known_elsewhere(name);
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        base_nearest_take_if_closer(name, k->name, &best, &distance);
    return !best && !has_known_key_prefix(name);
}

int base_conf_check(const struct base_conf *c, bool (*is_known_elsewhere)(const char *name),
                    struct base_error *err)
{
    for (size_t i = 0; i < c->len; i++) {
        const struct entry *e = &c->v[i];
        int rc = 0;

        if (e->key)
            rc = check_value(e, err);
        else if ((rc = refuse_removed_key(e, err)) == 0 && strncmp(e->name, "creel.", 6) == 0 &&
                 !unknown_key_is_allowed(e->name, is_known_elsewhere))
            rc = refuse_unknown_key(e, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool entry_has_name(const void *entry, const void *name)
{
    return strcmp(((const struct entry *)entry)->name, name) == 0;
}

static const struct entry *look_up_entry(const struct base_conf *c, const char *name)
{
    return base_map_find(&c->by_name, base_hash_text(name), entry_has_name, name);
}

const char *base_conf_get(const struct base_conf *c, const char *key)
{
    const struct entry *e = look_up_entry(c, key);

    return e ? e->value : NULL;
}

bool base_conf_is_set(const struct base_conf *c, const char *key)
{
    const struct entry *e = look_up_entry(c, key);

    return e && e->source;
}

bool base_conf_item_at(const struct base_conf *c, size_t i, struct base_conf_item *out)
{
    if (i >= c->len)
        return false;
    *out = (struct base_conf_item){.name = c->v[i].name,
                                   .value = c->v[i].value,
                                   .source = c->v[i].source,
                                   .final = c->v[i].final};
    return true;
}

static const struct entry *read_typed_entry(const struct base_conf *c, const char *name,
                                            enum base_conf_type type)
{
    const struct entry *e = look_up_entry(c, name);

    base_assert(e && e->key && e->key->type == type && e->valid);
    return e;
}

int64_t base_conf_int(const struct base_conf *c, const char *key)
{
    return read_typed_entry(c, key, BASE_CONF_INT)->typed.i;
}

bool base_conf_bool(const struct base_conf *c, const char *key)
{
    return read_typed_entry(c, key, BASE_CONF_BOOL)->typed.b;
}

double base_conf_double(const struct base_conf *c, const char *key)
{
    return read_typed_entry(c, key, BASE_CONF_DOUBLE)->typed.d;
}

int base_conf_make_folder(const struct base_conf *c, const char *key, mode_t mode,
                          struct base_error *err)
{
    const char *path = base_conf_get(c, key);
    int rc;

    if (!path || !*path)
        return base_error_set(err, -BASE_EINVAL, "%s is empty: expected the path of a folder", key);
    rc = base_mkdirs(path, mode, err);
    if (rc < 0)
        return base_error_wrap(err, rc == -BASE_ENOSPC ? rc : -BASE_EPERM, "%s", key);
    if (access(path, W_OK | X_OK) < 0)
        return base_error_sys(err, -BASE_EPERM, errno, "%s: no file can be made in %s", key, path);
    return 0;
}

int base_conf_exit_status(int rc)
{
    if (rc >= 0)
        return 0;
    return rc == -BASE_EINVAL || rc == -BASE_EPERM || rc == -BASE_ELIMIT ? 2 : 1;
}
