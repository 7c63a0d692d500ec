/* rm/core/record/confirm.h - is the store the one that the nodes work for? */
#ifndef CREEL_RM_CORE_RECORD_CONFIRM_H
#define CREEL_RM_CORE_RECORD_CONFIRM_H

#include "rm/core/state.h"

int rm_confirm_recover(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
void rm_confirm_resolve_format(struct rm_core *c);
/* The node has gone or fallen silent: it is refused no longer. */
void rm_confirm_drop_refusal(struct rm_core *c, struct rm_node *n);
/* True if the registration is refused; it is answered. */
bool rm_confirm_refuses_node(struct rm_core *c, const struct rm_event *ev);
/* True if submissions are refused; this one is answered. */
bool rm_confirm_refuses_submission(struct rm_core *c, uint64_t token);

#endif
