/* rm/core/record/confirm.h - decides whether the store is the one that the nodes work for. */
#ifndef CREEL_RM_CORE_RECORD_CONFIRM_H
#define CREEL_RM_CORE_RECORD_CONFIRM_H

#include "rm/core/state.h"

/* Reads the record meta/format. Returns 0, or -BASE_ECORRUPT with @err set when it is damaged and
 * the operator has not confirmed the store. */
int rm_confirm_read_format(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
/* Decides whether the store is confirmed, and records that if it has changed, or was recorded by an
 * earlier version. */
void rm_confirm_decide_and_record_format(struct rm_core *c);
/* No longer counts @n as refused. Call when @n goes down, or has not tried to register again for
 * node_expiry_us. */
void rm_confirm_end_node_refusal(struct rm_core *c, struct rm_node *n);
/* Returns true when the registration is refused; the request has then been answered. */
bool rm_confirm_refuse_node_if_foreign(struct rm_core *c, const struct rm_event *ev);
/* Returns true when submissions are refused; the request @token has then been answered. */
bool rm_confirm_refuse_submission_if_unconfirmed(struct rm_core *c, uint64_t token);

#endif
