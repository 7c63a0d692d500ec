/* rm/core/record/takeover.h - the time after a restart or a takeover, until all nodes are known. */
#ifndef CREEL_RM_CORE_RECORD_TAKEOVER_H
#define CREEL_RM_CORE_RECORD_TAKEOVER_H

#include "rm/core/state.h"

/* Corrects the times and attempt numbers of unfinished applications, decides which jobs are held,
 * and starts the timers. Call when all records have been read. */
void rm_takeover_begin(struct rm_core *c);
/* Returns true while masters that register again have to wait for awaited nodes. */
bool rm_takeover_delays_master_registration(const struct rm_core *c);
/* Call when takeover_grace_us has passed: held jobs go on without the awaited nodes. */
void rm_takeover_end_grace(struct rm_core *c);
/* Call when @n has registered or is lost. After the last awaited node, held jobs and withheld tasks
 * go on. */
void rm_node_stop_awaiting(struct rm_core *c, struct rm_node *n);
/* Returns true when @n, which is about to expire, is spared since most nodes are silent; its timer
 * has then been set again. */
bool rm_node_spare_from_expiry(struct rm_core *c, struct rm_node *n);

#endif
