/* rm/rpc/client.h - what the files that answer YARN's ApplicationClientProtocol share. Each method
 * is a thin codec: it reads the request, asks the core or posts a command to it as REST does, and
 * fills the answer from the same resources (rm/http/yarn/fill.h).
 *
 * How refusals become Java classes, by which YARN's clients choose what to do:
 *
 *   no such application, attempt, container   its own NotFoundException
 *   not allowed                               YarnException that names AccessControlException
 *   this RM is not active, or no longer       StandbyException: the client tries the next one. What
 *                                             was read meanwhile, even that something does not
 *                                             exist, is not answered; a change that is durable is
 *   a resource that no node can offer         InvalidResourceRequestException
 *   the store cannot write now                RetriableException: the client comes again
 *   everything else                           YarnException with the core's words
 *
 * SOURCE: Hadoop's ClientRMService, and what YARN 3.4.2 was seen to answer (tests/interop/rpc). */
#ifndef CREEL_RM_RPC_CLIENT_H
#define CREEL_RM_RPC_CLIENT_H

#include <stdatomic.h>

#include "api/rpc/rpc.h"
#include "rm/daemon/backend.h"
#include "rm/http/access/access.h"
#include "rm/rpc/put.h"

#define RM_RPC_YARN_EXCEPTIONS "org.apache.hadoop.yarn.exceptions."
#define RM_RPC_YARN_EXCEPTION  RM_RPC_YARN_EXCEPTIONS "YarnException"
#define RM_RPC_STANDBY         "org.apache.hadoop.ipc.StandbyException"

/* ---- rm/rpc/client.c: for the protocols' .gate and .prepare ---- */
bool rm_rpc_answer_unless_active(struct api_rpc_call *call, void *backend);
/* Holds the call up until the caller's groups are in the cache, if access lists may ask for them.
 */
bool rm_rpc_hold_up_for_groups(struct api_rpc_call *call, void *backend);

/* ---- rm/rpc/answer.c ---- */
/* Answer that there is no such object. */
void rm_rpc_answer_no_app(struct api_rpc_call *call, const struct base_app_id *id);
/* The same for an application that was to be changed. @what: "kill", "move" ... */
void rm_rpc_answer_absent_app(struct api_rpc_call *call, const char *what,
                              const struct base_app_id *id);
void rm_rpc_answer_no_attempt(struct api_rpc_call *call, const struct base_attempt_id *id);
void rm_rpc_answer_no_container(struct api_rpc_call *call, const struct base_container_id *id);
/* Answers that the id in the request is missing or incomplete. */
void rm_rpc_answer_no_id(struct api_rpc_call *call);
/* Answers an error of the core. */
void rm_rpc_answer_core_error(struct api_rpc_call *call, const struct rm_effect *fx);
/* Returns true when the caller may not do @op to @v; the call has then been answered, and the
 * refusal entered in the audit log. */
bool rm_rpc_refuse_unless_allowed(struct api_rpc_call *call, struct rm_backend *b,
                                  enum rm_operation op, const struct rm_app_view *v);
/* Answers that the caller may not do @op to application @id, and enters that in the audit log. */
void rm_rpc_answer_forbidden(struct api_rpc_call *call, enum rm_operation op,
                             const struct base_app_id *id);
/* Copies an application to @v. Returns false after answering that it is unknown, or that @given has
 * no id. Free @v in any case. */
bool rm_rpc_copy_app(struct api_rpc_call *call, struct rm_backend *b, const Yarn__AppId *given,
                     struct rm_views *v);

/* A change: the event and what it points to. The event, until the core has processed it, and the
 * reply hold one reference each. */
struct rm_rpc_change {
    atomic_int refs;
    struct api_rpc_call *call;
    struct rm_backend *b;
    struct rm_event ev;
    const char *operation;     /* for the audit log; NULL: it is not logged */
    struct base_buf members;   /* further ones of its line */
    char *caller, *text;       /* owned; @text: for what the event points to */
    void *owned;               /* what else the event points to, freed by @drop */
    void (*drop)(void *owned); /* NULL: nothing */
    bool unmanaged;            /* of the application */
    /* the Java class that the core's words get in front, where what was given is not valid or too
     * much; NULL: none */
    const char *class_of_invalid;
};
struct rm_rpc_change *rm_rpc_change_new(struct api_rpc_call *call, struct rm_backend *b,
                                        enum rm_event_kind kind, const char *operation);
/* Frees a change that is not to be posted. */
void rm_rpc_change_free_unposted(struct rm_rpc_change *change);
/* Posts the event. @answer gets the change and the core's reply, if that is no error: errors are
 * answered by rm_rpc_answer_core_error(). */
typedef void rm_rpc_answer_change(struct rm_rpc_change *change, const struct rm_effect *fx);
void rm_rpc_change_post(struct rm_rpc_change *change, const struct base_app_id *app,
                        rm_rpc_answer_change *answer);

/* Work for the thread of long lists. @step is called until it returns false; then it has answered
 * @call. */
struct rm_rpc_listing {
    struct api_rpc_call *call;
    struct rm_backend *b;
    struct base_buf out;                         /* the fields of the answer so far */
    bool (*add_chunk)(struct rm_rpc_listing *l); /* false: @out is complete */
    void (*drop)(struct rm_rpc_listing *l);      /* frees what the listing owns; NULL: nothing */
};
/* Answers @l->call with the list, later, and frees @l, which was allocated. */
void rm_rpc_listing_answer(struct rm_rpc_listing *l);

/* ---- handlers ---- */
api_rpc_handler rm_rpc_new_app, rm_rpc_get_app, rm_rpc_get_apps, rm_rpc_kill_app, rm_rpc_move_app,
    rm_rpc_set_priority;           /* apps.c */
api_rpc_handler rm_rpc_submit_app; /* submit.c */
api_rpc_handler rm_rpc_get_attempts, rm_rpc_get_attempt, rm_rpc_get_containers,
    rm_rpc_get_container, rm_rpc_signal_container;        /* attempts.c */
api_rpc_handler rm_rpc_set_timeouts, rm_rpc_fail_attempt; /* lifetime.c */
api_rpc_handler rm_rpc_get_nodes, rm_rpc_get_metrics, rm_rpc_get_resource_types,
    rm_rpc_refuse_profiles, rm_rpc_refuse_tokens; /* cluster.c */
api_rpc_handler rm_rpc_get_labels, rm_rpc_get_labels_of_nodes,
    rm_rpc_get_nodes_of_labels;                            /* labels.c */
api_rpc_handler rm_rpc_get_queue, rm_rpc_get_queue_rights; /* queues.c */

#endif
