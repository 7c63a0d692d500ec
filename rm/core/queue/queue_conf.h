/* rm/core/queue/queue_conf.h - the scheduler configuration that clients may change while the
 * cluster runs: kept by the core, stored once it has been changed (rm/core/record/record.h), so
 * that every RM has the same one, and turned into the queues in force. */
#ifndef CREEL_RM_CORE_QUEUE_QUEUE_CONF_H
#define CREEL_RM_CORE_QUEUE_QUEUE_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "rm/core/queue/change.h"

struct rm_core;
struct rm_record;
struct policy_queues;

#define RM_QUEUE_CONF_MAX (4 << 20) /* most bytes of all names and values */

struct rm_queue_conf {
    bool mutable; /* false: clients can neither read nor change it, and the rest is empty */
    struct rm_properties properties;
    int64_t version; /* from 1; grows with every change */
};

/* Computes what the configuration of @c would become by @change or, if that is NULL, by its
 * replacement with @whole: properties and queues, both owned by the caller. Returns 0; or with @err
 * set and nothing to free, -BASE_ESTATE when clients cannot change the configuration, -BASE_EINVAL
 * with YARN's message when the change is not possible, -BASE_ELIMIT when the result is too
 * large. */
int rm_queue_conf_compute_changed(const struct rm_core *c, const struct rm_conf_change *change,
                                  const struct rm_properties *whole, struct rm_properties *out,
                                  struct policy_queues *queues, struct base_error *err);
/* Clients can no longer change the configuration: the queues come from elsewhere from now on. */
void rm_queue_conf_disable(struct rm_core *c);
/* Reads the record that a change has written, and makes its queues the ones in force; skips it when
 * the configuration cannot be changed. Returns 0 or -BASE_ECORRUPT. */
int rm_queue_conf_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);

#endif
