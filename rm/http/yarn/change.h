/* rm/http/yarn/change.h - what changes of applications mean to YARN's clients, whether they come
 * over REST or over Hadoop RPC (rm/rpc/). */
#ifndef CREEL_RM_HTTP_YARN_CHANGE_H
#define CREEL_RM_HTTP_YARN_CHANGE_H

#include "rm/http/yarn/fill.h"

/* Returns true when a kill is over for the client: the application had ended before, is about to
 * end by itself, or has no master that would have to be stopped. @now: its state after the kill. */
bool yarn_kill_is_complete(bool had_ended, enum rm_app_state now, bool unmanaged);
/* Returns the diagnostics of an application that @user kills, which the caller frees. @address: of
 * the client; NULL: it is not shown, as for kills over REST. @reason: may be NULL. */
char *yarn_kill_format_text(const struct base_app_id *id, const char *user, const char *address,
                            const char *reason);
/* Reads the time at which @v is to end: *@end_us, 0: never. For an application that has ended or is
 * about to, @text is not even parsed, as in YARN. Returns 0, or -BASE_EINVAL with the message of
 * Java's parser in @why. */
int yarn_lifetime_parse(const struct rm_app_view *v, const char *text, int64_t *end_us, char *why,
                        size_t why_size);
/* Returns why @v cannot be moved in its state, which the caller frees; NULL: it can. */
char *yarn_move_explain_refusal(const struct rm_app_view *v);
/* Returns the path of the queue that @queue denotes: the capacity scheduler knows a queue by its
 * last name too. Any other name is returned as it is. The context needs queues. */
const char *yarn_resolve_queue_path(const struct yarn_context *f, const char *queue);

#endif
