/* rm/core/record/confirm.h - decides whether the store is the one that the nodes work for. */
#ifndef CREEL_RM_CORE_RECORD_CONFIRM_H
#define CREEL_RM_CORE_RECORD_CONFIRM_H

#include "rm/core/state.h"

/* Reads the record meta/format. Returns 0, or -BASE_ECORRUPT with @err set when it is damaged and
 * the operator has not confirmed the store. */
int rm_confirm_read_format(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
/* Decides whether the store is confirmed, and records that if it has changed. */
void rm_confirm_resolve_format(struct rm_core *c);
/* The node is lost or has been silent: its registration no longer counts as refused. */
void rm_confirm_end_refusal(struct rm_core *c, struct rm_node *n);
/* Returns true when the registration is refused; the request has been answered then. */
bool rm_confirm_refuse_node(struct rm_core *c, const struct rm_event *ev);
/* Returns true when submissions are refused; the request @token has been answered then. */
bool rm_confirm_refuse_submission(struct rm_core *c, uint64_t token);

#endif
