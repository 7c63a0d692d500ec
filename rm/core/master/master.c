/* The life of a plain application: each attempt waits for its turn, gets a container for its
 * master, and runs until the master finishes, fails or is lost; then another attempt follows, or
 * the application ends. The protocol with a running master: rm/core/master/protocol.c. */
#include "rm/core/master/master.h"

#include <string.h>

#include "rm/core/app/finished.h"
#include "rm/core/app/kill.h"
#include "rm/core/emit.h"
#include "rm/core/master/avoided.h"
#include "rm/core/master/turns.h"
#include "rm/core/state.h"

static void begin_new_attempt(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_add_attempt(c, a);

    rm_attempt_set_state(at, RM_ATTEMPT_SUBMITTED);
    if (a->app->unmanaged) {
        rm_attempt_set_state(at, RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING);
        rm_app_store_record(c, a);
        rm_defer_until_stored(c, a->saved_seq, RM_ACK_UNMANAGED, a, 0);
        return;
    }
    rm_attempt_set_state(at, RM_ATTEMPT_SCHEDULED);
    rm_master_wait_for_turn(c, a);
}

/* Returns why no queue has taken the application, in memory that is valid until the next step. */
static const char *explain_queue_refusal(struct rm_core *c, const struct rm_app *a)
{
    int32_t at = policy_queues_find(&c->tree, a->queue);
    char id[BASE_ID_TEXT_MAX];

    base_app_id_text(&a->id, id);
    if (at > 0 && c->tree.v[at].stopped)
        return rm_scratch_printf(
            c, "org.apache.hadoop.security.AccessControlException: " RM_QUEUE_STOPPED_TEXT ": %s",
            c->tree.v[at].name, id);
    return rm_scratch_printf(c, "Application %s submitted by user %s to unknown queue: %s", id,
                             a->user, a->queue);
}

void rm_plain_app_accept(struct rm_core *c, struct rm_app *a)
{
    const char *wrong = a->queue_index == RM_NONE ? explain_queue_refusal(c, a)
                                                  : rm_reservation_explain_refused_app(c, a);

    if (wrong) {
        rm_app_begin_final_save(c, a, RM_APP_FAILED, RM_FINAL_FAILED, wrong);
        return;
    }
    rm_app_set_state(c, a, RM_APP_ACCEPTED);
    rm_app_enter_policy(c, a);
    begin_new_attempt(c, a);
}

void rm_master_set_unmanaged_launched(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    if (!at || at->state != RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING || a->state != RM_APP_ACCEPTED)
        return;
    rm_attempt_set_state(at, RM_ATTEMPT_LAUNCHED);
    rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
}

void rm_master_launch_stored(struct rm_core *c, struct rm_app *a, int64_t attempt)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    if (!at || at->id.attempt != attempt || at->state != RM_ATTEMPT_ALLOCATED_SAVING || !at->master)
        return;
    rm_attempt_set_state(at, RM_ATTEMPT_ALLOCATED);
    rm_attempt_set_state(at, RM_ATTEMPT_LAUNCHED);
    rm_container_set_state(at->master, RM_CONTAINER_ACQUIRED);
    if (!a->launch_us)
        a->launch_us = c->now_us;
    rm_container_enqueue_launch(c, at->master, a->app->launch);
    rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
}

void rm_master_queue_container_news(struct rm_app *a, struct rm_container *ct)
{
    base_array_grow(&a->news, a->news_n, &a->news_cap);
    a->news[a->news_n++] = ct;
}

static bool master_waits_for_slot(const struct rm_app *a)
{
    return rm_app_newest_attempt(a)->state == RM_ATTEMPT_SCHEDULED;
}

/* Returns whether the application may have a slot of @n at all: for its master while that waits for
 * a slot, and afterwards for the containers that the master asks for. */
static bool may_use_node(const struct rm_app *a, const struct rm_node *n)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    /* other masters need what Creel's NodeManager gives them */
    if (master_waits_for_slot(a))
        return rm_node_serves_label(n, a->am_label) && (!n->is_hadoop || a->app->speaks_hadoop);
    /* a master that speaks Hadoop RPC could not start anything on a node that does not; for other
     * masters it is the ResourceManager that starts containers, on Creel's nodes */
    return (at->by_rpc ? n->hadoop_port != 0 : !n->is_hadoop) && !rm_avoided_has_node(at, n);
}

/* Returns the first group of asks that a slot of @n could serve; for @slots slots at most. */
static struct rm_ask_group *pick_group(struct rm_app *a, enum base_task_kind k,
                                       const struct rm_node *n, int64_t slots,
                                       enum delay_level *level)
{
    if (!may_use_node(a, n))
        return NULL;
    return rm_asks_pick_group(a, k, n, slots < n->slots[k] ? slots : n->slots[k], level);
}

static void place_container_on_node(struct rm_core *c, struct rm_app *a, struct rm_ask_group *g,
                                    struct rm_node *n, enum delay_level level)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    struct base_container_id id = {at->id, c->conf.epoch << 40 | at->next_num++};
    enum base_task_kind k = g->slot;
    struct rm_container *ct = rm_container_new(c, a, n, &id, k, &g->capability, false);

    rm_health_note_operation(c, RM_OPERATION_ALLOCATION, ct);
    rm_totals_count_placed(c, a, level);
    ct->priority = g->priority;
    ct->allocation_id = g->allocation_id;
    ct->launch = rm_launch_ref(g->launch);
    rm_mapreduce_note_container_begin(c, a, ct);
    rm_asks_subtract_granted(a, g, n, level);
    rm_master_queue_container_news(a, ct);
    if (ct->launch)
        rm_container_enqueue_launch(c, ct, ct->launch);
    rm_app_update_demand(c, a, k);
}

static bool offer_slot_to_master(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                 int64_t room)
{
    if (!may_use_node(a, n) || a->master_slots > room)
        return false;
    if (a->master_slots > n->slots[BASE_TASK_MAP] - n->used[BASE_TASK_MAP]) {
        rm_node_reserve_if_due(c, a, BASE_TASK_MAP, n, a->master_slots, false);
        return false;
    }
    rm_master_place_on_node(c, a, n, false);
    return true;
}

bool rm_plain_app_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                             struct rm_node *n, bool no_delay, int64_t room)
{
    int32_t free = n->slots[k] - n->used[k];
    struct rm_ask_group *g;
    enum delay_level level;

    if (master_waits_for_slot(a))
        return offer_slot_to_master(c, a, n, room);
    g = pick_group(a, k, n, room, &level);
    if (g && g->slots > free) {
        if (rm_node_reserve_if_due(c, a, k, n, g->slots, false) || n->reserved[k])
            return false;
        /* its node is another one: meanwhile its narrower containers may start here */
        g = pick_group(a, k, n, room < free ? room : free, &level);
    }
    if (!g)
        return false;
    if (rm_mapreduce_waits_for_locality(c, a, g, level, no_delay))
        return false;
    place_container_on_node(c, a, g, n, level);
    return true;
}

enum policy_take rm_plain_app_would_take_slot(struct rm_core *c, struct rm_app *a,
                                              enum base_task_kind k, struct rm_node *n)
{
    enum delay_level level;
    const struct rm_ask_group *g;

    if (master_waits_for_slot(a))
        return may_use_node(a, n) ? POLICY_TAKES : POLICY_DECLINES;
    g = pick_group(a, k, n, INT64_MAX, &level);
    if (!g)
        return POLICY_DECLINES;
    return a->pj.is_job && k == BASE_TASK_MAP ? rm_mapreduce_would_take(c, a, g, level)
                                              : POLICY_TAKES;
}

int32_t rm_plain_app_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  struct rm_node *n)
{
    enum delay_level level;
    const struct rm_ask_group *g;

    (void)c;
    if (master_waits_for_slot(a))
        return may_use_node(a, n) ? a->master_slots : 0;
    g = pick_group(a, k, n, INT64_MAX, &level);
    return g ? g->slots : 0;
}

static void forget_container_once_stored(struct rm_core *c, struct rm_container *ct)
{
    rm_defer_until_stored(c, c->seq, RM_ACK_FORGET, ct, 0);
}

void rm_master_forget_unreported_ends(struct rm_core *c, struct rm_app *a)
{
    for (size_t i = 0; i < a->news_n; i++)
        if (a->news[i]->state == RM_CONTAINER_COMPLETED)
            forget_container_once_stored(c, a->news[i]);
    a->news_n = 0;
}

static void end_attempt(struct rm_core *c, struct rm_app *a, struct rm_attempt *at,
                        enum rm_attempt_state how, const char *diagnostics)
{
    rm_timer_cancel(&c->timers, &a->timer);
    rm_master_deactivate(c, a);
    if (at->state != RM_ATTEMPT_FINAL_SAVING)
        rm_attempt_set_state(at, RM_ATTEMPT_FINAL_SAVING);
    rm_attempt_set_state(at, how);
    at->finish_us = c->now_us;
    if (diagnostics)
        rm_set_bounded_text(&at->diagnostics, diagnostics);
    rm_asks_free(a);
    rm_mapreduce_end_attempt(c, a);
}

void rm_master_mark_containers_announced(struct rm_app *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->news_n; i++) {
        struct rm_container *ct = a->news[i];

        ct->pulled = true;
        ct->told = false;
        if (ct->state == RM_CONTAINER_COMPLETED)
            a->news[kept++] = ct;
        else if (ct->state == RM_CONTAINER_ALLOCATED)
            rm_container_set_state(ct, RM_CONTAINER_ACQUIRED);
    }
    a->news_n = kept;
}

/* Returns what YARN says of an application whose attempts have failed because of @why, in memory
 * that is valid until the next step. SOURCE: recordings; Hadoop's RMAppImpl. */
static const char *explain_failure(struct rm_core *c, const struct rm_app *a, const char *why)
{
    int32_t limit = rm_app_master_attempts_limit(c, a);
    const char *within = "", *limits = "";
    char id[BASE_ID_TEXT_MAX];

    if (a->app->failures_validity_ms)
        within = rm_scratch_printf(c, " in previous %lld milliseconds",
                                   (long long)a->app->failures_validity_ms);
    if (limit != c->conf.am_attempts_max)
        limits = rm_scratch_printf(c, " (global limit =%d; local limit is =%d)",
                                   c->conf.am_attempts_max, limit);
    return rm_scratch_printf(
        c, "Application %s failed %d times%s%s due to %s. Failing the application.",
        base_app_id_text(&a->id, id), limit, within, limits, why);
}

static void fail_attempt_and_retry_or_fail_app(struct rm_core *c, struct rm_app *a, const char *why)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    end_attempt(c, a, at, RM_ATTEMPT_FAILED, why);
    a->failed_attempts += rm_attempt_failure_counts(a, a->attempts_n - 1);
    if (a->app->keep_containers)
        rm_master_mark_containers_announced(a); /* listed when the next attempt registers */
    if (rm_app_count_failed_attempts(c, a) >= rm_app_master_attempts_limit(c, a)) {
        rm_app_kill_containers(c, a, RM_EXIT_KILLED_AFTER_APP, "application has failed", NULL);
        rm_app_begin_final_save(c, a, RM_APP_FAILED, RM_FINAL_FAILED, explain_failure(c, a, why));
        return;
    }
    if (!a->app->keep_containers)
        rm_app_kill_containers(c, a, RM_EXIT_ABORTED, "its master has gone", NULL);
    if (a->state == RM_APP_RUNNING)
        rm_app_set_state(c, a, RM_APP_ACCEPTED);
    begin_new_attempt(c, a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
    rm_app_store_record(c, a);
    /* After the record, so that nodes forget these ends only when the failure of the attempt is
     * durable. If the record is lost, the attempt goes on after the takeover, and its master still
     * has to learn of the ends. */
    if (!a->app->keep_containers)
        rm_master_forget_unreported_ends(c, a);
}

static void fail_attempt_of_ended_master(struct rm_core *c, struct rm_app *a,
                                         struct rm_container *ct)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    char id[BASE_ID_TEXT_MAX];

    if (!at || at->master != ct)
        return;
    at->master = NULL;
    at->reregister = false;
    at->exit_code = ct->exit_code;
    if (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING)
        fail_attempt_and_retry_or_fail_app(
            c, a,
            rm_scratch_printf(c, "AM Container for %s exited with  exitCode: %d%s%s",
                              base_attempt_id_text(&at->id, id), ct->exit_code,
                              ct->diagnostics ? "\nFailing this attempt.Diagnostics: " : "",
                              ct->diagnostics ? ct->diagnostics : ""));
}

static bool attempt_will_learn_end_of(const struct rm_attempt *at, const struct rm_container *ct)
{
    return ct->id.attempt.attempt == at->id.attempt && at->state <= RM_ATTEMPT_RUNNING;
}

void rm_master_queue_or_forget_ended_container(struct rm_core *c, struct rm_app *a,
                                               struct rm_container *ct,
                                               const struct rm_container_report *r)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    (void)r; /* all that the master is told is in @ct */
    if (ct->master) {
        fail_attempt_of_ended_master(c, a, ct);
        forget_container_once_stored(c, ct);
        rm_plain_app_continue_end(c, a);
        return;
    }
    rm_mapreduce_note_container_end(c, a, ct);
    rm_app_update_demand(c, a, ct->slot);
    if (rm_app_is_live(a) && at && (attempt_will_learn_end_of(at, ct) || a->app->keep_containers)) {
        if (ct->pulled) /* otherwise it has been in the news since its allocation */
            rm_master_queue_container_news(a, ct);
    } else {
        /* its announcement is removed, so that the container is forgotten only once */
        for (size_t i = 0; !ct->pulled && i < a->news_n; i++)
            if (a->news[i] == ct) {
                memmove(a->news + i, a->news + i + 1, (a->news_n - i - 1) * sizeof *a->news);
                a->news_n--;
                break;
            }
        forget_container_once_stored(c, ct);
    }
    rm_plain_app_continue_end(c, a);
}

void rm_plain_app_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how,
                      const char *diagnostics)
{
    a->ending = how;
    rm_set_bounded_text(&a->diagnostics, diagnostics);
    rm_master_deactivate(c, a);
    if (a->state == RM_APP_NEW_SAVING || a->state == RM_APP_SUBMITTED) {
        rm_app_begin_final_save(c, a, RM_APP_KILLED, RM_FINAL_KILLED, NULL);
        return;
    }
    rm_app_set_state(c, a, RM_APP_KILLING);
    rm_app_store_record(c, a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
    rm_master_forget_unreported_ends(c, a);
    rm_app_kill_containers(c, a, RM_EXIT_KILLED_BY_RM, "application was killed", NULL);
    rm_plain_app_continue_end(c, a);
}

void rm_plain_app_continue_end(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    if (a->state == RM_APP_KILLING && !a->containers) {
        if (at && at->state != RM_ATTEMPT_FAILED)
            end_attempt(c, a, at, RM_ATTEMPT_KILLED, NULL);
        rm_app_begin_final_save(c, a, RM_APP_KILLED, RM_FINAL_KILLED, NULL);
    } else if (a->state == RM_APP_FINISHING && !at->master && !(at->has_master && at->reregister)) {
        rm_timer_cancel(&c->timers, &a->timer);
        rm_master_deactivate(c, a);
        rm_attempt_set_state(at, RM_ATTEMPT_FINISHED);
        at->finish_us = c->now_us;
        rm_app_set_state(c, a, RM_APP_FINISHED);
        rm_app_store_record(c, a);
        rm_app_retire(c, a);
    }
}

static bool is_master(const struct rm_container *ct)
{
    return ct->master;
}

void rm_plain_app_clean_up_after_end(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    bool finishing = a->state == RM_APP_FINISHING;

    if (at && at->state == RM_ATTEMPT_FINAL_SAVING && finishing) {
        rm_attempt_set_state(at, RM_ATTEMPT_FINISHING);
        rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
    } else if (at && at->state == RM_ATTEMPT_FINAL_SAVING) {
        end_attempt(c, a, at, RM_ATTEMPT_FINISHED, NULL);
    }
    rm_master_forget_unreported_ends(c, a);
    rm_app_kill_containers(c, a, RM_EXIT_KILLED_AFTER_APP, "application has ended",
                           finishing ? is_master : NULL);
    if (finishing)
        rm_plain_app_continue_end(c, a);
    else
        rm_app_retire(c, a);
}

void rm_master_expire(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    struct rm_container *ct = at ? at->master : NULL;
    char id[BASE_ID_TEXT_MAX];

    if (!at)
        return;
    if (a->state == RM_APP_FINISHING) {
        at->reregister = false;
        if (ct)
            rm_container_order_kill(c, ct, RM_EXIT_KILLED_AFTER_APP,
                                    "master did not end after it had finished");
        else
            rm_plain_app_continue_end(c, a);
        return;
    }
    if (a->state != RM_APP_ACCEPTED && a->state != RM_APP_RUNNING)
        return;
    at->master = NULL; /* its end is not to be taken for that of the next attempt's master */
    if (ct)
        rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM, "master has timed out");
    fail_attempt_and_retry_or_fail_app(
        c, a,
        rm_scratch_printf(c, "ApplicationMaster for attempt %s timed out",
                          base_attempt_id_text(&at->id, id)));
}

void rm_masters_fail_missing_on_node(struct rm_core *c, const struct rm_node *n)
{
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];
        struct rm_attempt *at = rm_app_state_is_final(a->state) ? NULL : rm_app_newest_attempt(a);

        if (!at || !at->reregister || !at->has_master || at->master ||
            strcmp(at->node_id ? at->node_id : "", n->id) != 0)
            continue;
        at->reregister = false;
        at->exit_code = RM_EXIT_ABORTED;
        if (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING)
            fail_attempt_and_retry_or_fail_app(
                c, a, "AM Container was lost when the ResourceManager was restarted");
        else
            rm_plain_app_continue_end(c, a);
    }
}

void rm_plain_app_refuse(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    at->master = NULL; /* the attempt ends here, not with the master's container */
    end_attempt(c, a, at, RM_ATTEMPT_FAILED, a->diagnostics);
    rm_master_forget_unreported_ends(c, a);
    rm_app_kill_containers(c, a, RM_EXIT_KILLED_AFTER_APP, "its deadline was refused", NULL);
    rm_app_begin_final_save(c, a, RM_APP_FAILED, RM_FINAL_FAILED, NULL);
}

/* A running master goes on. The command "resync" in every answer asks it to register again, since
 * its asks were not stored. A master that is never heard from again expires like any other. */
void rm_plain_app_continue_recovered(struct rm_core *c, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);

    if (a->state == RM_APP_KILLING) {
        rm_plain_app_continue_end(c, a);
        return;
    }
    if (a->state == RM_APP_FINAL_SAVING || a->state == RM_APP_FINISHING) {
        if (at)
            /* the master may still be running: its node will report it */
            at->reregister = at->has_master;
        rm_defer_until_stored(c, c->seq, RM_ACK_APP_FINAL, a, 0);
        return;
    }
    rm_app_enter_policy(c, a);
    if (!at || at->state == RM_ATTEMPT_FAILED || at->state == RM_ATTEMPT_KILLED) {
        /* RUNNING is possible here only after a damaged record; a new master is placed while its
         * application is ACCEPTED. */
        if (a->state == RM_APP_RUNNING)
            rm_app_set_state(c, a, RM_APP_ACCEPTED);
        begin_new_attempt(c, a);
        return;
    }
    if (at->state <= RM_ATTEMPT_SCHEDULED) {
        at->state = RM_ATTEMPT_SCHEDULED;
        rm_master_wait_for_turn(c, a);
        return;
    }
    if (at->state < RM_ATTEMPT_LAUNCHED)
        at->state = RM_ATTEMPT_LAUNCHED;
    at->reregister = true;
    if (at->has_master && !at->on_master_slots && !a->activated)
        rm_master_count_as_active(c, a);
    rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
}
