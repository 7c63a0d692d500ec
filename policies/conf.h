/* policies/conf.h - settings of a policy: a value per option, checked when it is set.
 *
 * Options stand in tables: one of each policy, one common to all. A policy reads its own when it is
 * created; which options there are over all policies is in policies/options.h. */
#ifndef CREEL_POLICIES_CONF_H
#define CREEL_POLICIES_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum policy_option_type {
    POLICY_OPT_BOOL, /* true, false, 1, 0, yes, no, on, off */
    POLICY_OPT_INT,
    POLICY_OPT_REAL,    /* a number; "inf" where max is INFINITY */
    POLICY_OPT_SECONDS, /* as REAL, read as microseconds */
    POLICY_OPT_WORD     /* one of @words */
};
struct policy_option {
    const char *name; /* "hfsp.sample_maps" */
    enum policy_option_type type;
    const char
        *value; /* the default, as it would be written; "auto": reads as -1 (REAL, SECONDS, INT) */
    double min, max;   /* INT, REAL, SECONDS: inclusive */
    const char *words; /* "eager,wait,kill" */
    const char *help;
};
/* Of no policy in particular: delay scheduling, start-up times. Ends with an empty name. */
extern const struct policy_option policy_common_options[];

struct policy_setting {
    char *name, *value; /* name: as the option's own */
};
struct policy_conf { /* zero: all defaults */
    struct policy_setting *v;
    size_t n;
};

/* Adds or replaces the value of @o, checked: -BASE_EINVAL with name, value and what was expected.
 */
int policy_conf_put(struct policy_conf *c, const struct policy_option *o, const char *value,
                    struct base_error *err);
void policy_conf_copy(struct policy_conf *to, const struct policy_conf *from);
void policy_conf_free(struct policy_conf *c);

/* Values, or the defaults: @name is an option of @table (asserted), of the right type (asserted).
 * @c NULL: defaults. */
bool policy_conf_bool(const struct policy_conf *c, const struct policy_option *table,
                      const char *name);
int64_t policy_conf_int(const struct policy_conf *c, const struct policy_option *table,
                        const char *name);
/* May be INFINITY. */
double policy_conf_real(const struct policy_conf *c, const struct policy_option *table,
                        const char *name);
/* Of SECONDS; INT64_MAX: inf, -1: auto. */
int64_t policy_conf_us(const struct policy_conf *c, const struct policy_option *table,
                       const char *name);
/* Index in the option's list of words. */
int policy_conf_word(const struct policy_conf *c, const struct policy_option *table,
                     const char *name);

#endif
