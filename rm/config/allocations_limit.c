/* rm/config/allocations_limit.c - parses resource limits as the allocation file writes them.
 * SOURCE: Hadoop's FairSchedulerConfiguration. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rm/config/allocations.h"

#define EXPECTED                                                                                   \
    "expected \"10000 mb, 10 vcores\", \"50%\", \"50% memory, 40% cpu\" or \"memory-mb=10000, "    \
    "vcores=10, "                                                                                  \
    "map-slots=5\""
#define VALUE_MAX 1e15

enum resource { MEMORY, VCORES, MAP_SLOTS, REDUCE_SLOTS, RESOURCES };

static const struct {
    const char *name;
    enum resource resource;
    bool assigned, absolute, percent; /* allowed in NAME=VALUE, VALUE NAME, VALUE% NAME */
} names[] = {
    {"memory-mb", MEMORY, true, false, false},
    {"memory", MEMORY, true, false, true},
    {"mb", MEMORY, false, true, false},
    {"vcores", VCORES, true, true, true},
    {"cpu", VCORES, false, false, true},
    {"map-slots", MAP_SLOTS, true, true, true},
    {"reduce-slots", REDUCE_SLOTS, true, true, true},
};

struct limit_text {
    const char *text, *at;
    bool seen[RESOURCES];
    struct policy_limit *out;
    struct base_error *err;
};

static int refuse_limit(const struct limit_text *t, const char *why, const char *what, size_t len)
{
    return base_error_set(t->err, -BASE_EINVAL, "\"%.200s\": %s%s%.*s%s, %s", t->text, why,
                          len ? " \"" : "", (int)(len > 100 ? 100 : len), what, len ? "\"" : "",
                          EXPECTED);
}

static void skip_blanks(struct limit_text *t)
{
    t->at += strspn(t->at, " \t\r\n");
}

/* Parses a number without sign or exponent. */
static int parse_number(struct limit_text *t, double *value)
{
    size_t digits = strspn(t->at, "0123456789"), len = digits;

    if (t->at[len] == '.')
        len += 1 + strspn(t->at + len + 1, "0123456789");
    if (digits == 0)
        return refuse_limit(
            t, t->at[0] == '-' ? "a negative value" : "no number where a value belongs", t->at,
            strcspn(t->at, ","));
    *value = strtod(t->at, NULL);
    if (*value > VALUE_MAX)
        return refuse_limit(t, "too large", t->at, len);
    t->at += len;
    return 0;
}

static int set_resource(struct limit_text *t, enum resource r, double value, bool percent)
{
    struct policy_limit *l = t->out;

    if (t->seen[r])
        return refuse_limit(t, "a resource is named twice", "", 0);
    t->seen[r] = true;
    if (percent) {
        if (r == MEMORY || r == VCORES)
            l->percent[r] = value;
        else
            l->slot_percent[r - MAP_SLOTS] = value;
    } else if (r == MEMORY) {
        l->memory_mb = (int64_t)value;
    } else if (r == VCORES) {
        l->vcores = (int64_t)value;
    } else {
        l->slots[r - MAP_SLOTS] = (int64_t)value;
    }
    return 0;
}

static size_t get_word_length(const char *s)
{
    size_t n = 0;

    while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_' || s[n] == '/' || s[n] == '.')
        n++;
    return n;
}

static bool equals_ignoring_case(const char *s, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp(s, name, len) == 0;
}

/* Parses NAME=VALUE or, with @percent, NAME=VALUE%: either all values of a limit are percentages,
 * or none is. */
static int parse_name_equals_value(struct limit_text *t, bool percent)
{
    size_t len = get_word_length(t->at), i;
    const char *name = t->at;
    double value;
    int rc;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].assigned && equals_ignoring_case(name, len, names[i].name))
            break;
    if (i == sizeof names / sizeof *names)
        return refuse_limit(t, "there is no resource", name, len ? len : strcspn(name, ",="));
    t->at += len;
    skip_blanks(t);
    if (*t->at++ != '=')
        return refuse_limit(t, "\"=\" is missing after", name, len);
    skip_blanks(t);
    if ((rc = parse_number(t, &value)) < 0)
        return rc;
    skip_blanks(t);
    if ((*t->at == '%') != percent)
        return refuse_limit(t, "percentages beside values without %", "", 0);
    t->at += percent;
    return set_resource(t, names[i].resource, value, percent);
}

/* Parses VALUE UNIT or, with @percent, VALUE% (memory and vcores) or VALUE% NAME. */
static int parse_value_with_unit(struct limit_text *t, bool percent)
{
    size_t len, i;
    double value;
    int rc = parse_number(t, &value);

    if (rc < 0)
        return rc;
    skip_blanks(t);
    if ((*t->at == '%') != percent)
        return refuse_limit(t, "percentages beside values without %", "", 0);
    t->at += percent;
    skip_blanks(t);
    len = get_word_length(t->at);
    if (percent && len == 0) {
        rc = set_resource(t, MEMORY, value, true);
        return rc < 0 ? rc : set_resource(t, VCORES, value, true);
    }
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if ((percent ? names[i].percent : names[i].absolute) &&
            equals_ignoring_case(t->at, len, names[i].name))
            break;
    if (i == sizeof names / sizeof *names)
        return refuse_limit(t, len ? "there is no unit" : "a unit is missing", t->at, len);
    t->at += len;
    return set_resource(t, names[i].resource, value, percent);
}

int rm_allocations_parse_limit(const char *text, struct policy_limit *out, struct base_error *err)
{
    struct limit_text t = {.text = text, .at = text, .out = out, .err = err};
    bool by_name = strchr(text, '=') != NULL, percent = strchr(text, '%') != NULL, comma;
    int rc;

    policy_limit_init(out);
    out->given = true;
    skip_blanks(&t);
    if (!*t.at)
        return refuse_limit(&t, "no resource", "", 0);
    for (;;) {
        rc = by_name ? parse_name_equals_value(&t, percent) : parse_value_with_unit(&t, percent);
        if (rc < 0)
            return rc;
        skip_blanks(&t);
        comma = *t.at == ',';
        t.at += comma;
        skip_blanks(&t);
        if (!*t.at)
            break;
        if (!comma && by_name)
            return refuse_limit(&t, "a comma is missing before", t.at, strcspn(t.at, ","));
    }
    if (comma)
        return refuse_limit(&t, "nothing after the last comma", "", 0);
    if (!by_name && t.seen[MEMORY] != t.seen[VCORES])
        return refuse_limit(&t, t.seen[MEMORY] ? "vcores are missing" : "memory is missing", "", 0);
    return 0;
}
