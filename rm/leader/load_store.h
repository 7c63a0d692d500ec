/* rm/leader/load_store.h - reads a state store back into a new core, before anything is served. */
#ifndef CREEL_RM_LEADER_LOAD_STORE_H
#define CREEL_RM_LEADER_LOAD_STORE_H

#include "ha/store/store.h"
#include "rm/core/core.h"
#include "rm/term/lease.h"

/* Makes *@ts_ms, the present time, greater than every time that an earlier call has stored in
 * @store, and stores it: two leaderships never assign the same application id, whatever their
 * clocks say. Returns 0 or the store's error. */
int rm_raise_and_store_cluster_ts(struct ha_store *store, int64_t *ts_ms, struct base_error *err);
/* Hands the records of the core's tables in @store to @core, in the order that the core needs.
 * Returns 0, or -BASE_EVERSION as soon as @lease is deposed, or an error of the store or core. */
int rm_load_records(struct rm_core *core, struct ha_store *store, const struct rm_lease *lease,
                    struct base_error *err);
/* Hands one record to @core; an application's submission is decoded first. If that fails, the
 * application is listed as damaged, by its id, and 0 is returned. Otherwise returns what
 * rm_core_recover_record() does. */
int rm_load_record(struct rm_core *core, const struct ha_record *stored, struct base_error *err);

#endif
