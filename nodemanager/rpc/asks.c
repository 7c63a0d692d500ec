/* nodemanager/rpc/asks.c - starts and stops containers on the loop's thread, on which the keys and
 * the core do not change meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "nodemanager/rpc/port.h"
#include "nodemanager/rpc/protocol.h"

#define STOPPED_TEXT "Container killed by the ApplicationMaster."

static bool is_of_callers_app(const struct nm_rpc_ask *ask, const struct base_container_id *id)
{
    return base_app_id_cmp(&ask->attempt.app, &id->attempt.app) == 0;
}

/* ---- starting ---- */

/* Returns why the core does not let the container be started. SOURCE of the words: YARN, where it
 * has such a refusal. */
static const char *explain_refusal(enum nm_start_refusal refusal)
{
    static const char *const texts[] = {
        [NM_START_APP_ENDED] = "Container start failed as its application has ended on this node",
        [NM_START_STOPPING] =
            "Container start failed as the NodeManager is in the process of shutting down",
        [NM_START_FULL] = "Container start failed as the node runs as many containers as it can"};

    return texts[refusal];
}

static void refuse_if_unauthorized(struct nm *nm, const struct nm_rpc_ask *ask,
                                   enum nm_start_refusal refusal, struct nm_rpc_subject *s)
{
    char id[BASE_ID_TEXT_MAX], caller[BASE_ID_TEXT_MAX], of[BASE_ID_TEXT_MAX];

    base_container_id_text(&s->id, id);
    if (!is_of_callers_app(ask, &s->id))
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION,
                    "Unauthorized request to start container.\nNMToken for application attempt : "
                    "%s was used for starting container with container token issued for "
                    "application attempt : %s",
                    base_attempt_id_text(&ask->attempt, caller),
                    base_attempt_id_text(&s->id.attempt, of));
    else if (refusal == NM_START_REPEATED)
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION,
                    "Unauthorized request to start container.\n Attempt to relaunch the same "
                    "container with id %s.",
                    id);
    else if (s->token.expiry_ms < nm_wall_ms())
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION,
                    "Unauthorized request to start container.\nThis token is expired. current time "
                    "is %lld found %lld\nNote: System times on machines may be out of sync. Check "
                    "system time and time zones.",
                    (long long)nm_wall_ms(), (long long)s->token.expiry_ms);
    else if (s->token.rm_identifier != nm_rpc_tokens_rm_identifier(nm_rpc_get_tokens(nm->rpc)))
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTIONS "InvalidContainerException",
                    "\nContainer %s rejected as it is allocated by a previous RM", id);
}

static void start_checked_container(struct nm *nm, struct nm_rpc_subject *s)
{
    struct nm_event ev = {.kind = NM_EV_MASTER_LAUNCH, .at_us = nm_now_us()};
    struct wire_launch launch;
    struct base_error err = {0};
    json_t *order = NULL;
    int rc = base_json_parse(s->order, strlen(s->order), &order, &err);

    if (rc >= 0)
        rc = wire_launch_get(order, &launch, &err);
    if (rc < 0) {
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION, "%s", err.text);
    } else {
        nm_wire_convert_launch(&launch, &ev.u.master_launch);
        nm_handle_event(nm, &ev);
        wire_launch_free(&launch);
    }
    json_decref(order);
}

/* A restarted NodeManager knows nothing of the applications that it has cleaned up, and a token may
 * be good for longer. Their logs have the mark of the end for creel.nodemanager.log-retain-s. */
static enum nm_start_refusal judge_start(const struct nm *nm, const struct base_container_id *id)
{
    enum nm_start_refusal refusal = nm_core_judge_start(nm->core, id);

    if (refusal == NM_START_ALLOWED && !nm_core_app_find(nm->core, &id->attempt.app) &&
        nm_files_has_ended_logs(&nm->files, &id->attempt.app))
        return NM_START_APP_ENDED;
    return refusal;
}

static void start_container(struct nm *nm, const struct nm_rpc_ask *ask, struct nm_rpc_subject *s)
{
    enum nm_start_refusal refusal = judge_start(nm, &s->id);
    struct nm_rpc_subject given = *s;

    /* what the handler has found comes after these checks */
    s->exception = NULL;
    s->why = NULL;
    refuse_if_unauthorized(nm, ask, refusal, s);
    if (given.exception)
        nm_rpc_fail(s, given.exception, "%s", given.why);
    if (refusal != NM_START_ALLOWED)
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION, "%s", explain_refusal(refusal));
    free(given.why);
    if (!s->exception)
        start_checked_container(nm, s);
}

/* ---- stopping ---- */

static void stop_container(struct nm *nm, const struct nm_rpc_ask *ask, struct nm_rpc_subject *s)
{
    struct nm_event ev = {.kind = NM_EV_MASTER_STOP, .at_us = nm_now_us(), .container = s->id};
    const struct nm_container *c = nm_core_find_container(nm->core, &s->id);
    char id[BASE_ID_TEXT_MAX], caller[BASE_ID_TEXT_MAX];

    base_container_id_text(&s->id, id);
    if (!is_of_callers_app(ask, &s->id)) {
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION, "%s attempted to stop non-application container : %s",
                    base_attempt_id_text(&ask->attempt, caller), id);
    } else if (c) {
        enum nm_state state = nm_core_view(c)->state;

        s->stopped = state == NM_LAUNCHING || state == NM_RUNNING || state == NM_SUSPENDED;
        ev.u.master_stop.reason = STOPPED_TEXT;
        ev.u.master_stop.grace_ms = nm->grace_ms;
        nm_handle_event(nm, &ev);
    } else if (!nm_core_has_forgotten(nm->core, &s->id)) {
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION, "Container %s is not handled by this NodeManager",
                    id);
    }
}

static void carry_out(struct nm *nm, struct nm_rpc_ask *ask)
{
    for (size_t i = 0; i < ask->subjects_n; i++)
        if (ask->starts)
            start_container(nm, ask, &ask->subjects[i]);
        else
            stop_container(nm, ask, &ask->subjects[i]);
    nm_rpc_answer_ask(nm, ask);
    nm_rpc_ask_free(ask);
}

void nm_rpc_carry_out_asks(struct nm *nm)
{
    struct nm_rpc_ask *ask, *next;

    for (ask = nm_rpc_take_asks(nm->rpc); ask; ask = next) {
        next = ask->next;
        carry_out(nm, ask);
    }
}
