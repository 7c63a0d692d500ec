/* rm/http/access/access.h - checks on behalf of handlers whether callers may do what they request,
 * by the rules of rm/http/access/rules.h, and answers refusals in YARN's words.
 *
 * Groups are looked up only when a relevant list names groups: in the cache of base/acl/groups.h,
 * which rm/http/access/prepare.h has filled. */
#ifndef CREEL_RM_HTTP_ACCESS_ACCESS_H
#define CREEL_RM_HTTP_ACCESS_ACCESS_H

#include "api/server/server.h"
#include "rm/daemon/backend.h"
#include "rm/http/access/rules.h"

/* One caller, as far as known. */
struct rm_access {
    struct rm_backend *b;
    struct rm_access_rules rules;
    struct base_acl_caller who; /* its texts are owned */
    struct rm_str_list groups;
};
/* Begins the checks of one caller, @user (NULL: unknown). Free with rm_access_end(). */
void rm_access_begin_for_user(struct rm_access *a, struct rm_backend *b, const char *user);
/* The same for the caller of @rq. Where callers have to prove who they are, the server still lets a
 * caller who did not do so read what is open, on a loopback address. Such a caller counts as
 * unknown, and sees everything that is open, unless the configuration itself says that rights are
 * checked. */
void rm_access_begin_for_request(struct rm_access *a, struct rm_backend *b,
                                 const struct api_request *rq);
void rm_access_end(struct rm_access *a);
/* Returns true when the caller may do @op. @v: the application concerned; NULL: none. Must not be
 * called while the core is locked. */
bool rm_access_allows(struct rm_access *a, enum rm_operation op, const struct rm_app_view *v);
/* The same for a move to @target (NULL: no queue was named). */
bool rm_access_allows_move(struct rm_access *a, const struct rm_app_view *v, const char *target);
/* Returns true when the caller has the right on the queue @name, whether or not ACLs are enabled;
 * false when there is no such queue. */
bool rm_access_has_queue_right(struct rm_access *a, const char *name, bool administer);

/* These return true when the caller of @rq may not do @op; @rq has then been answered, and the
 * refusal entered in the audit log. */
bool rm_access_refuse_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                     enum rm_operation op);
bool rm_access_refuse_app_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                         enum rm_operation op, const struct rm_app_view *v);
bool rm_access_refuse_move_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                          const struct rm_app_view *v, const char *target);
/* For handlers that know the application only by its id. An unknown application is not refused: the
 * handler answers for it. @subject: what the refusal names; NULL: the id. */
bool rm_access_refuse_app_id_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                            enum rm_operation op, struct base_app_id id,
                                            const char *subject);
/* Returns true when the caller of @rq is an administrator. @backend: struct rm_backend *. */
bool rm_access_is_admin(struct api_request *rq, void *backend);
/* Returns true when callers have to prove who they are (creel.auth is not simple): then rights that
 * YARN does not ask for are checked, too. */
bool rm_access_requires_tokens(struct rm_backend *b);
/* Returns true when the caller of @rq is the daemon's user, or @acl names the caller or one of the
 * caller's groups; an @acl with "*" names nobody here. For operations that would give the caller
 * the rights of another user. */
bool rm_access_is_named_admin(struct api_request *rq, struct rm_backend *b, const char *acl);
/* Answers @rq with YARN's refusal of @op. */
void rm_access_answer_refusal(struct api_request *rq, enum rm_operation op, const char *subject);
/* Returns true when the caller of @rq may see all of application @v. */
bool rm_access_sees_app(struct api_request *rq, struct rm_backend *b, const struct rm_app_view *v);
/* The same by its id; true for an unknown application. */
bool rm_access_sees_app_id(struct api_request *rq, struct rm_backend *b, struct base_app_id id);

#endif
