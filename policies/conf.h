/* policies/conf.h - settings of a policy: a value per option, checked when it is set.
 *
 * Options are listed in tables, one for each policy and one for options common to all. A policy
 * reads its options when it is created; policies/options.h finds options over all tables. */
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
    const char *value; /* the default, as users write it; "auto" reads as -1 (REAL, SECONDS, INT) */
    double min, max;   /* INT, REAL, SECONDS: inclusive */
    const char *words; /* "eager,wait,kill" */
    const char *help;
};
/* Options of no policy in particular: delay scheduling, start-up times. Ends with a NULL name. */
extern const struct policy_option policy_common_options[];

struct policy_setting {
    char *name, *value; /* name: that of the option */
};
struct policy_conf { /* zero: all defaults */
    struct policy_setting *v;
    size_t n;
};

/* Sets option @o to @value. Returns 0, or -BASE_EINVAL with the name, the value and what was
 * expected. */
int policy_conf_put(struct policy_conf *c, const struct policy_option *o, const char *value,
                    struct base_error *err);
/* Sets @to, whose old contents are not freed, to a copy of @from. */
void policy_conf_copy(struct policy_conf *to, const struct policy_conf *from);
void policy_conf_free(struct policy_conf *c);

/* Return the value that @c sets for option @name of @table, or its default; @c NULL: the default.
 * The option must exist and have the function's type (asserted). */
bool policy_conf_bool(const struct policy_conf *c, const struct policy_option *table,
                      const char *name);
int64_t policy_conf_int(const struct policy_conf *c, const struct policy_option *table,
                        const char *name);
/* The result may be INFINITY; -1: auto. */
double policy_conf_real(const struct policy_conf *c, const struct policy_option *table,
                        const char *name);
/* Returns the value of an option in SECONDS, in microseconds; INT64_MAX: inf, -1: auto. */
int64_t policy_conf_us(const struct policy_conf *c, const struct policy_option *table,
                       const char *name);
/* Returns the index of the value in the option's list of words. */
int policy_conf_word(const struct policy_conf *c, const struct policy_option *table,
                     const char *name);

#endif
