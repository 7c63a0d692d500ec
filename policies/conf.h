/* policies/conf.h - options of policies: what there is, checked when they are set.
 *
 * An option is written "creel.NAME" in configuration files and NAME where options are given on a command line; '-' and
 * '_' are the same in names, and what comes before the first dot may be left out where only one option ends so.
 * Policies read them when they are created. */
#ifndef CREEL_POLICIES_CONF_H
#define CREEL_POLICIES_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum policy_option_type {
    POLICY_OPT_BOOL,    /* true, false, 1, 0, yes, no, on, off */
    POLICY_OPT_INT,
    POLICY_OPT_REAL,    /* a number; "inf" where max is INFINITY */
    POLICY_OPT_SECONDS, /* as REAL, read as microseconds */
    POLICY_OPT_WORD     /* one of @words */
};
struct policy_option {
    const char *name;  /* "hfsp.sample_maps" */
    enum policy_option_type type;
    const char *value; /* the default, as it would be written; "auto": reads as -1 (REAL, SECONDS, INT) */
    double min, max;   /* INT, REAL, SECONDS: inclusive */
    const char *words; /* "eager,wait,kill" */
    const char *help;
};
struct policy_setting {
    char *name, *value; /* name: as the option's own */
};
struct policy_conf { /* zero: all defaults */
    struct policy_setting *v;
    size_t n;
};

/* The option of that spelling over all policies (and common ones); NULL: none, or several end so. */
const struct policy_option *policy_option_find(const char *name);
/* Options in order of their place in the registry; NULL past the end. */
const struct policy_option *policy_option_at(size_t index);
/* Adds or replaces; the value is checked. -BASE_EINVAL with name, value and what was expected (for an unknown name: the
 * names there are). */
int policy_conf_set(struct policy_conf *c, const char *name, const char *value, struct base_error *err);
void policy_conf_copy(struct policy_conf *to, const struct policy_conf *from);
void policy_conf_free(struct policy_conf *c);

/* Values of options that exist (asserted), of the right type (asserted). */
bool policy_conf_bool(const struct policy_conf *c, const char *name);
int64_t policy_conf_int(const struct policy_conf *c, const char *name);
double policy_conf_real(const struct policy_conf *c, const char *name); /* may be INFINITY */
int64_t policy_conf_us(const struct policy_conf *c, const char *name);  /* SECONDS; INT64_MAX: inf */
/* Index in the option's list of words. */
int policy_conf_word(const struct policy_conf *c, const char *name);

#endif
