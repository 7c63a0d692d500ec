/* rm/core/record/takeover.h - after a restart or a takeover. */
#ifndef CREEL_RM_CORE_RECORD_TAKEOVER_H
#define CREEL_RM_CORE_RECORD_TAKEOVER_H

#include "rm/core/state.h"

/* All records are read, and @now_us is this instance's time. */
void rm_takeover_begin(struct rm_core *c);
/* True while masters that register again have to wait for awaited nodes. */
bool rm_takeover_holds_masters(const struct rm_core *c);
void rm_takeover_end_grace(struct rm_core *c);
void rm_node_stop_awaiting(struct rm_core *c, struct rm_node *n);
/* @n is about to expire. True: it is spared, and its timer set again. */
bool rm_node_spare_from_expiry(struct rm_core *c, struct rm_node *n);

#endif
