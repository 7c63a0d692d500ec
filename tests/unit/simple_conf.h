/* tests/unit/simple_conf.h - configurations for daemons whose callers only name themselves, as
 * tests over HTTP do. */
#ifndef CREEL_TESTS_SIMPLE_CONF_H
#define CREEL_TESTS_SIMPLE_CONF_H

#include <stddef.h>

#include "base/conf/conf.h"
#include "base/error.h"

/* Returns a new configuration in which creel.auth is simple. */
static inline struct base_conf *simple_conf_new(void)
{
    struct base_conf *conf = base_conf_new();

    base_assert(base_conf_set_arg(conf, "creel.auth=simple", NULL) == 0);
    return conf;
}

#endif
