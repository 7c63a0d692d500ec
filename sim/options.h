/* sim/options.h - the options that a simulation takes: those of the policies, and those of
 * experiments that only a simulation can run.
 *
 * All of them share one policy_conf. A policy reads the options of its own table, so the values of
 * the experiments reach only the engine (sim/engine/size_error.h). */
#ifndef CREEL_SIM_OPTIONS_H
#define CREEL_SIM_OPTIONS_H

#include <stddef.h>

#include "policies/conf.h"

/* Finds the option called @name, which may be written as policy_option_find() allows. Returns NULL
 * if there is none, or if the name fits several. */
const struct policy_option *sim_option_find(const char *name);
/* The policies' options in their order, then those of experiments; NULL past the end. */
const struct policy_option *sim_option_at(size_t index);
/* Adds or replaces the value of the option called @name. Returns 0, or -BASE_EINVAL with @err
 * naming the option, the value and what was expected. */
int sim_option_set(struct policy_conf *conf, const char *name, const char *value,
                   struct base_error *err);

#endif
