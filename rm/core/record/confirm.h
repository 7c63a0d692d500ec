/* rm/core/record/confirm.h - is the store the one that the nodes work for? */
#ifndef CREEL_RM_CORE_RECORD_CONFIRM_H
#define CREEL_RM_CORE_RECORD_CONFIRM_H

#include "rm/core/state.h"

int rm_confirm_read_format(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
void rm_confirm_resolve_format(struct rm_core *c);
/* Call when a node is lost or silent: its registration is no longer refused. */
void rm_confirm_end_refusal(struct rm_core *c, struct rm_node *n);
/* Returns true when the registration is refused; it has been answered then. */
bool rm_confirm_refuse_node(struct rm_core *c, const struct rm_event *ev);
/* Returns true when submissions are refused; the request with @token has been answered then. */
bool rm_confirm_refuse_submission(struct rm_core *c, uint64_t token);

#endif
