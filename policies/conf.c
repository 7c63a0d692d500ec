#include "policies/conf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

const struct policy_option policy_common_options[] = {
    {"delay.w1", POLICY_OPT_SECONDS, "auto", 0, 86400, NULL,
     "delay scheduling: how long a job waits for a slot on a node with its data; auto: 1.5 "
     "heartbeats, at most 15 s, if the policy uses delay scheduling; 0: no wait"},
    {"delay.w2", POLICY_OPT_SECONDS, "auto", 0, 86400, NULL,
     "how long a job then waits for a slot in a rack with its data; auto: as delay.w1"},
    {"delay.skips", POLICY_OPT_INT, "0", 0, 1e9, NULL,
     "number of offers that a job declines, instead of waiting a time; 0: waits the times above"},
    {"commit_delay", POLICY_OPT_SECONDS, "0", 0, 3600, NULL,
     "naive-fair, fair: how long a task that has ended still counts as running"},
    {"colo_wait", POLICY_OPT_SECONDS, "auto", 0, 86400, NULL,
     "how long a reduce waits for a node that ran maps of its job; auto: one heartbeat, if the "
     "policy uses this wait"},
    {"learn.map_startup", POLICY_OPT_SECONDS, "0", 0, 86400, NULL,
     "part of a map's duration that does not grow with its input"},
    {"learn.reduce_startup", POLICY_OPT_SECONDS, "0", 0, 86400, NULL,
     "part of a reduce's duration that does not grow with its input"},
    {.name = NULL},
};

/* ---------------------------------------------------------------- values */
/* Returns 1 for true, 0 for false, -1 for anything else. */
static int parse_bool(const char *v)
{
    static const char *const yes[] = {"true", "1", "yes", "on"}, *const no[] = {"false", "0", "no",
                                                                                "off"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(v, yes[i]) == 0)
            return 1;
        if (strcasecmp(v, no[i]) == 0)
            return 0;
    }
    return -1;
}

/* Returns the index of @v in the comma-separated @words, or -1. */
static int index_in_comma_list(const char *words, const char *v)
{
    size_t len = strlen(v);

    for (int i = 0; *words; i++) {
        size_t n = strcspn(words, ",");

        if (n == len && strncmp(words, v, n) == 0)
            return i;
        words += n;
        words += *words == ',';
    }
    return -1;
}

static bool parse_real_or_inf(const char *v, double *out)
{
    char *end;

    if (strcasecmp(v, "inf") == 0) {
        *out = INFINITY;
        return true;
    }
    if (!*v || !strchr("+-.0123456789", *v))
        return false;
    *out = strtod(v, &end);
    return !*end && !isnan(*out);
}

static bool is_allowed_auto(const struct policy_option *o, const char *v)
{
    return strcmp(o->value, "auto") == 0 && strcmp(v, "auto") == 0;
}

static int set_bad_value_error(const struct policy_option *o, const char *value,
                               struct base_error *err)
{
    const char *also = strcmp(o->value, "auto") == 0 ? " or auto" : "";

    switch (o->type) {
    case POLICY_OPT_BOOL:
        return base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is neither true nor false",
                              o->name, value);
    case POLICY_OPT_WORD:
        return base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is not one of %s", o->name, value,
                              o->words);
    default:
        return base_error_set(err, -BASE_EINVAL,
                              "%s: \"%.100s\" is not a%s number from %.12g to %.12g%s%s", o->name,
                              value, o->type == POLICY_OPT_INT ? " whole" : "", o->min, o->max,
                              o->type == POLICY_OPT_SECONDS ? " (seconds)" : "", also);
    }
}

static int check_value(const struct policy_option *o, const char *value, struct base_error *err)
{
    double x;

    if (is_allowed_auto(o, value))
        return 0;
    if (o->type == POLICY_OPT_BOOL)
        return parse_bool(value) < 0 ? set_bad_value_error(o, value, err) : 0;
    if (o->type == POLICY_OPT_WORD)
        return index_in_comma_list(o->words, value) < 0 ? set_bad_value_error(o, value, err) : 0;
    if (!parse_real_or_inf(value, &x) || x < o->min || x > o->max ||
        (o->type == POLICY_OPT_INT && x != floor(x)))
        return set_bad_value_error(o, value, err);
    return 0;
}

/* ---------------------------------------------------------------- settings */
static struct policy_setting *find_setting(const struct policy_conf *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].name, name) == 0)
            return &c->v[i];
    return NULL;
}

int policy_conf_put(struct policy_conf *c, const struct policy_option *o, const char *value,
                    struct base_error *err)
{
    struct policy_setting *s;
    int rc = check_value(o, value, err);

    if (rc < 0)
        return rc;
    s = find_setting(c, o->name);
    if (!s) {
        c->v = base_realloc_array(c->v, c->n + 1, sizeof *c->v);
        s = &c->v[c->n++];
        *s = (struct policy_setting){.name = base_strdup(o->name)};
    }
    free(s->value);
    s->value = base_strdup(value);
    return 0;
}

void policy_conf_copy(struct policy_conf *to, const struct policy_conf *from)
{
    *to = (struct policy_conf){.n = from->n};
    to->v = from->n ? base_realloc_array(NULL, from->n, sizeof *to->v) : NULL;
    for (size_t i = 0; i < from->n; i++)
        to->v[i] =
            (struct policy_setting){base_strdup(from->v[i].name), base_strdup(from->v[i].value)};
}

void policy_conf_free(struct policy_conf *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].name);
        free(c->v[i].value);
    }
    free(c->v);
    *c = (struct policy_conf){0};
}

/* ---------------------------------------------------------------- reading them */
static const struct policy_option *get_option(const struct policy_option *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    base_assert(table->name);
    return table;
}

static const char *get_value_or_default(const struct policy_conf *c, const struct policy_option *o)
{
    const struct policy_setting *s = c ? find_setting(c, o->name) : NULL;

    return s ? s->value : o->value;
}

/* Returns -1 for "auto". */
static double get_number_or_auto(const struct policy_conf *c, const struct policy_option *table,
                                 const char *name, enum policy_option_type type)
{
    const struct policy_option *o = get_option(table, name);
    const char *v = get_value_or_default(c, o);
    double x = -1;

    base_assert(o->type == type);
    base_assert(is_allowed_auto(o, v) || parse_real_or_inf(v, &x));
    return x;
}

bool policy_conf_bool(const struct policy_conf *c, const struct policy_option *table,
                      const char *name)
{
    const struct policy_option *o = get_option(table, name);

    base_assert(o->type == POLICY_OPT_BOOL);
    return parse_bool(get_value_or_default(c, o)) == 1;
}

int64_t policy_conf_int(const struct policy_conf *c, const struct policy_option *table,
                        const char *name)
{
    double x = get_number_or_auto(c, table, name, POLICY_OPT_INT);

    return x >= 9e18 ? INT64_MAX : (int64_t)x;
}

double policy_conf_real(const struct policy_conf *c, const struct policy_option *table,
                        const char *name)
{
    return get_number_or_auto(c, table, name, POLICY_OPT_REAL);
}

int64_t policy_conf_us(const struct policy_conf *c, const struct policy_option *table,
                       const char *name)
{
    double x = get_number_or_auto(c, table, name, POLICY_OPT_SECONDS);

    if (x < 0)
        return -1;
    return x >= 9e12 ? INT64_MAX : (int64_t)(x * 1e6 + 0.5);
}

int policy_conf_word(const struct policy_conf *c, const struct policy_option *table,
                     const char *name)
{
    const struct policy_option *o = get_option(table, name);

    base_assert(o->type == POLICY_OPT_WORD);
    return index_in_comma_list(o->words, get_value_or_default(c, o));
}
