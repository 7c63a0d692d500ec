/* Carries out the effects of the NodeManager's core: launches, signals, marks, heartbeats. Events
 * that an effect causes wait until its step is over, as described in nodemanager/daemon/daemon.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "api/audit/audit.h"
#include "api/server/tls/tls.h"
#include "api/wire/node.h"
#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/io/watchdog.h"
#include "nodemanager/aggregate/aggregator.h"
#include "nodemanager/container/launcher/node_side.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/container/stopped.h"
#include "nodemanager/daemon/audit.h"
#include "nodemanager/daemon/container_tokens.h"
#include "nodemanager/daemon/daemon.h"
#include "nodemanager/figures/load.h"
#include "nodemanager/shuffle/shuffle.h"

#define PROGRESS_EVERY_US INT64_C(100000) /* between two reads of a container's progress */

struct nm_pending {
    struct nm_event ev;
    char *text;
};

static void add_pending_event(struct nm *nm, const struct nm_event *ev, char *text)
{
    base_array_grow(&nm->pending_v, nm->pending_len, &nm->pending_cap);
    nm->pending_v[nm->pending_len++] = (struct nm_pending){.ev = *ev, .text = text};
}

void nm_queue_failed_start(struct nm *nm, const struct base_container_id *id, int exit_code,
                           char *text)
{
    struct nm_event ev = {.kind = NM_EV_SPAWN_FAILED, .container = *id};
    nm_utf8_replace_invalid(text, strlen(text));
    /* report the full disk first, or the RM would start containers here until the next check */
    if (exit_code == NM_EXIT_DISK) {
        struct nm_event full = {.kind = NM_EV_HEALTH};
        full.u.health.report = NM_NO_SPACE_TEXT;
        add_pending_event(nm, &full, NULL);
        nm->no_space_us = nm_now_us();
        nm->health_next_us = 0;
    }
    ev.u.ended.exit_code = exit_code;
    ev.u.ended.ended_ms = nm_wall_ms();
    ev.u.ended.diagnostics = text;
    base_log_warn("nm", "a container was not started: %s", text);
    add_pending_event(nm, &ev, text);
}

struct nm_isolated nm_box_describe_for_isolation(const struct nm_box *box,
                                                 char id[static BASE_ID_TEXT_MAX])
{
    return (struct nm_isolated){.id = base_container_id_text(&box->id, id),
                                .shim = (pid_t)box->shim,
                                .place = box->place ? box->place : box->nm->isolation_place};
}

void nm_box_clean_isolation(const struct nm_box *box)
{
    char id[BASE_ID_TEXT_MAX];
    const struct nm_isolated c = nm_box_describe_for_isolation(box, id);
    nm_isolation_clean(box->isolation, &c);
}

static int prepare_isolation(const struct nm_box *box, const struct nm_launch *l,
                             struct base_error *err)
{
    char id[BASE_ID_TEXT_MAX], why[NM_ISOLATION_WHY_MAX] = "";
    struct nm_isolated c = nm_box_describe_for_isolation(box, id);
    c.memory_mb = l->memory_mb;
    c.vcores = l->vcores;
    c.memory_hard = base_conf_bool(box->nm->conf, "yarn.nodemanager.resource.memory.enforced");
    c.cpu_hard = base_conf_bool(
        box->nm->conf, "yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage");
    c.pids_max = base_conf_int(box->nm->conf, "creel.nodemanager.cgroup.pids-max");
    int rc = nm_isolation_prepare(box->isolation, &c, why);
    return rc < 0
               ? base_error_sys(err, -BASE_EIO, -rc, "isolation %s: %s", box->isolation->name, why)
               : 0;
}

/* Copies the launch order without its secrets, for the container. The caller frees the text. */
static char *copy_order_without_secrets(const struct wire_launch *order)
{
    json_t *shown = json_copy((json_t *)(uintptr_t)order->source); /* json_copy() only reads its
                                                                    * argument */
    struct base_buf text = {0};
    json_object_del(shown, "token");
    json_object_del(shown, "credentials");
    json_object_del(shown, "shuffleData");
    base_json_dump(shown, &text);
    json_decref(shown);
    return base_buf_take(&text);
}

static int create_container_files(struct nm *nm, const struct nm_launch *l, struct base_error *err)
{
    const struct wire_launch *order = l->order;
    char token[BASE_CONTAINER_TOKEN_MAX], *shown = copy_order_without_secrets(order);
    struct base_buf text = {0};
    base_json_dump(order->source, &text);
    int rc = nm_files_create_container(
        &nm->files, &l->id,
        &(struct nm_container_texts){text.data ? text.data : "", shown,
                                     nm_container_token_make(nm, l, token)},
        err);
    explicit_bzero(token, sizeof token);
    base_buf_free(&text);
    free(shown);
    return rc;
}

/* An application whose first container here was started by its master has neither a secret nor
 * patterns for its logs, until the ResourceManager launches a container. */
static int prepare_launch(struct nm *nm, struct nm_box *box, const struct nm_effect *fx,
                          struct base_error *err)
{
    const struct nm_launch *l = fx->launch;
    const struct wire_launch *order = l->order;
    const struct nm_app_view *app = nm_core_view(fx->container)->app;
    int rc = nm_files_create_app(&nm->files, &l->id.attempt.app, app->user, app->token,
                                 app->acl_view, err);

    if (rc == 0 && fx->app_changed)
        rc = nm_files_update_app(&nm->files, &l->id.attempt.app, app->user, app->token,
                                 app->acl_view, err);
    if (rc == 0 && (order->log_include || order->log_exclude))
        rc = nm_files_save_log_choice(&nm->files, &l->id.attempt.app, order->log_include,
                                      order->log_exclude, err);
    if (rc == 0)
        rc = nm_shuffle_register(nm->shuffle, &l->id.attempt.app, order->shuffle_data, err);
    if (rc == 0)
        rc = create_container_files(nm, l, err);
    if (rc == 0)
        rc = nm_command_build(&nm->launch_conf, &nm->files, l, &box->command, err);
    if (rc == 0)
        rc = prepare_isolation(box, l, err);
    return rc;
}

/* Fails a start for lack of a resource. If the disk is full, that is the node's fault and not the
 * container's; a message alone does not prove a full disk. */
static void fail_unlocalized_start(struct nm *nm, struct nm_box *box, const char *why)
{
    bool no_space = strstr(why, NM_NO_SPACE_TEXT) &&
                    nm_is_disk_failure(nm_files_probe_disk_write(&nm->files, NM_DISK_PROBE_BYTES));
    nm_command_free(&box->command);
    nm_box_clean_isolation(box);
    nm_queue_failed_start(nm, &box->id, no_space ? NM_EXIT_DISK : NM_EXIT_UNLOCALIZED,
                          base_strdup(no_space ? NM_NO_SPACE_TEXT : why));
}

void nm_loop_report_resources(void *user, void *container, const char *failure)
{
    struct nm *nm = user;
    struct nm_box *box = container;
    if (failure)
        fail_unlocalized_start(nm, box, failure);
    else
        TAILQ_INSERT_TAIL(&nm->waiting, box, waiting);
}

/* Ends a container that is killed while it waits for its resources: no shim will report its end. */
static void end_if_waiting_for_resources(struct nm *nm, struct nm_box *box)
{
    if (!box || !nm_localizer_is_waiting(nm->localizer, &box->id))
        return;
    nm_localizer_release(nm->localizer, &box->id);
    nm_command_free(&box->command);
    nm_box_clean_isolation(box);
    nm_queue_failed_start(nm, &box->id, NM_EXIT_KILLED,
                          base_strdup("killed before it was started"));
}

static void carry_out_launch(struct nm *nm, const struct nm_effect *fx)
{
    struct base_error err = {0};
    struct nm_box *box = nm_box_new(nm, fx->container);
    if (nm->launcher)
        box->user = base_strdup(fx->launch->user ? fx->launch->user : "");
    int rc = prepare_launch(nm, box, fx, &err);
    if (rc < 0) {
        bool no_space = rc == -BASE_ENOSPC;
        nm_box_clean_isolation(box);
        nm_queue_failed_start(nm, &box->id, no_space ? NM_EXIT_DISK : 126,
                              base_strdup(no_space ? NM_NO_SPACE_TEXT : err.text));
        return;
    }
    rc = nm_localizer_hold_or_queue(nm->localizer, &box->id, fx->launch->order, box, &err);
    if (rc < 0)
        fail_unlocalized_start(nm, box, err.text);
    else if (rc == 1)
        TAILQ_INSERT_TAIL(&nm->waiting, box, waiting);
}

static void request_waiting_shims(struct nm *nm)
{
    struct nm_box *box;
    while (nm->asked < NM_SPAWN_AHEAD_MAX && (box = TAILQ_FIRST(&nm->waiting)) != NULL) {
        struct base_error err = {0};
        TAILQ_REMOVE(&nm->waiting, box, waiting);
        int rc = nm_spawn_request(nm->spawn, (uint64_t)(uintptr_t)box,
                                  (const char *const *)box->command.argv,
                                  (const char *const *)box->command.envp, &err);
        nm_command_free(&box->command);
        if (rc < 0) {
            nm_box_clean_isolation(box);
            nm_localizer_release(nm->localizer, &box->id);
            nm_queue_failed_start(nm, &box->id, 126, base_strdup(err.text));
        } else {
            nm->asked++;
        }
    }
}

static size_t signal_container(const struct nm_box *box, enum nm_signal signal)
{
    char id[BASE_ID_TEXT_MAX];
    static const enum exec_order orders[] = {[NM_SIGNAL_TERM] = EXEC_ORDER_TERM,
                                             [NM_SIGNAL_KILL] = EXEC_ORDER_KILL,
                                             [NM_SIGNAL_STOP] = EXEC_ORDER_STOP,
                                             [NM_SIGNAL_DUMP] = EXEC_ORDER_DUMP,
                                             [NM_SIGNAL_CONT] = EXEC_ORDER_CONT};
    const struct nm_isolated c = nm_box_describe_for_isolation(box, id);
    if (box->user)
        return nm_launcher_signal_order(box->pidfd, orders[signal]);
    switch (signal) {
    case NM_SIGNAL_TERM:
        return nm_isolation_kill(box->isolation, &c, NM_KILL_TERM);
    case NM_SIGNAL_KILL:
        return nm_isolation_kill(box->isolation, &c, NM_KILL_NOW);
    case NM_SIGNAL_STOP:
        return nm_isolation_suspend(box->isolation, &c);
    case NM_SIGNAL_DUMP:
        return nm_isolation_kill(box->isolation, &c, NM_KILL_DUMP);
    case NM_SIGNAL_CONT:
        return nm_isolation_resume(box->isolation, &c);
    }
    return 0;
}

static void carry_out_signal(struct nm *nm, const struct nm_effect *fx)
{
    struct nm_box *box = nm_core_shell_data(fx->container);
    struct nm_proc p;
    struct nm_event ev = {.kind = NM_EV_SIGNALLED, .container = nm_core_view(fx->container)->id};
    ev.u.signalled.signal = fx->signal;
    /* the pidfd of a lost box is that of creel-exec, which an order would end */
    if (box && box->pidfd >= 0 && !box->lost && nm_proc_read_stat((pid_t)box->shim, &p) &&
        p.start == box->shim_start)
        ev.u.signalled.count = signal_container(box, fx->signal);
    if (box && fx->signal == NM_SIGNAL_KILL)
        nm_stopped_note_kill_and_continue_shim(box);
    add_pending_event(nm, &ev, NULL);
}

static void carry_out_mark(struct nm *nm, const struct nm_effect *fx)
{
    const struct nm_container_view *v = nm_core_view(fx->container);
    struct base_error err = {0};
    int rc = 0;
    switch (fx->mark) {
    case NM_MARK_KILLED:
        /* first, so that a restart never finds the kill without its status, nor with that of a stop
         * whose second mark was not written */
        if (v->kill_status == NM_EXIT_STOPPED)
            rc = nm_files_write_mark(&nm->files, &v->id, "stopped", "", &err);
        else
            nm_files_remove_mark(&nm->files, &v->id, "stopped");
        if (rc == 0)
            rc = nm_files_write_mark(&nm->files, &v->id, "killed",
                                     v->kill_reason ? v->kill_reason : "", &err);
        end_if_waiting_for_resources(nm, nm_core_shell_data(fx->container));
        break;
    case NM_MARK_SUSPENDED:
        rc = nm_files_write_mark(&nm->files, &v->id, "suspended", "", &err);
        break;
    case NM_MARK_RESUMED:
        nm_files_remove_mark(&nm->files, &v->id, "suspended");
        break;
    case NM_MARK_FORGOTTEN:
        rc = nm_files_forget_container(&nm->files, &v->id, &err);
        break;
    }
    if (rc < 0) { /* matters only to a restarted daemon: the mark is missing */
        if (rc == -BASE_ENOSPC)
            nm->no_space_us = nm_now_us();
        base_log_warn("nm", "%s", err.text);
    }
}

static void read_progress_into_core(struct nm_container *c, void *u)
{
    struct nm *nm = u;
    struct nm_box *box = nm_core_shell_data(c);
    const struct nm_container_view *v = nm_core_view(c);
    struct nm_progress_file p = {0};
    int64_t now = nm_now_us();
    if (v->state != NM_RUNNING || !box || now - box->progress_read_us < PROGRESS_EVERY_US)
        return;
    box->progress_read_us = now;
    if (nm_files_read_progress(&nm->files, &box->id, &box->progress_mtime_ns, &p)) {
        struct nm_event ev = {.kind = NM_EV_PROGRESS, .at_us = now, .container = box->id};
        struct nm_effects none = {0};
        ev.u.progress.progress = p.progress;
        ev.u.progress.phase = p.phase[0] ? p.phase : NULL;
        ev.u.progress.counters = p.counters;
        pthread_mutex_lock(&nm->lock);
        nm_core_step(nm->core, &ev, &none);
        pthread_mutex_unlock(&nm->lock);
        free(none.v);
    }
    free(p.counters);
}

/* A heartbeat reports each sample of the node's load once. If it is lost, the next sample makes up
 * for it. */
static void put_heartbeat(struct nm *nm, int64_t hold_ms, const struct nm_wire_logs *logs,
                          struct base_buf *body)
{
    struct nm_load load;
    nm_load_read(nm->load_sampler, &load);
    struct base_utilization u = nm_load_to_utilization(&load);
    nm_wire_put_heartbeat(nm->core, &nm->ident, hold_ms, logs,
                          load.number != nm->load_reported ? &u : NULL, body);
    nm->load_reported = load.number;
}

static void carry_out_registration_or_heartbeat(struct nm *nm, const struct nm_effect *fx)
{
    struct nm_wire_logs logs = {0};
    struct base_buf body = {0};
    logs.v = nm_aggregator_list(
        nm->aggregator, fx->registering ? WIRE_NODE_APPS_MAX : WIRE_LOGS_MAX, &logs.n, &logs.more);
    nm_core_each_container(nm->core, read_progress_into_core, nm);
    if (fx->registering) {
        nm_wire_put_registration(nm->core, &nm->ident, &logs, &body);
        nm_link_send_register(nm->link, &body);
    } else {
        put_heartbeat(nm, fx->hold_ms, &logs, &body);
        nm_link_send_heartbeat(nm->link, &body, fx->hold_ms);
    }
    free(logs.v);
}

static void carry_out_wake_rm(struct nm *nm)
{
    struct base_buf body = {0};
    wire_node_name_put(&(struct wire_node_name){.node_id = nm->node_id, .instance = nm->instance},
                       &body);
    nm_link_send_wake(nm->link, &body);
}

static void carry_out_cleanup(struct nm *nm, const struct nm_effect *fx)
{
    const struct nm_app_view *app = nm_core_app_find(nm->core, &fx->app);
    char id[BASE_ID_TEXT_MAX];

    nm_localizer_remove_app(nm->localizer, &fx->app);
    nm_shuffle_forget(nm->shuffle, &fx->app);
    /* first, so that a restarted NodeManager finds the application's record or the note */
    if (nm->aggregator && fx->keep_logs && app && app->user)
        nm_aggregator_add(nm->aggregator, &fx->app, app->user, app->acl_view);
    else if (nm->aggregator && fx->keep_logs && nm_files_has_unended_logs(&nm->files, &fx->app))
        base_log_warn("aggregate", "%s: its logs are not aggregated: the user is not known",
                      base_app_id_text(&fx->app, id));
    nm_files_cleanup_app(&nm->files, &fx->app, fx->keep_logs);
}

static void carry_out_effect(struct nm *nm, const struct nm_effect *fx)
{
    switch (fx->kind) {
    case NM_FX_LAUNCH:
        carry_out_launch(nm, fx);
        break;
    case NM_FX_SIGNAL:
        carry_out_signal(nm, fx);
        break;
    case NM_FX_MARK:
        carry_out_mark(nm, fx);
        break;
    case NM_FX_CLEANUP:
        carry_out_cleanup(nm, fx);
        break;
    case NM_FX_BEAT:
        carry_out_registration_or_heartbeat(nm, fx);
        break;
    case NM_FX_WAKE:
        carry_out_wake_rm(nm);
        break;
    case NM_FX_STOP:
        nm->stop = true;
        break;
    case NM_FX_NOTE:
        base_log_warn("nm", "%s", fx->note);
        break;
    }
}

static void step_and_carry_out(struct nm *nm, const struct nm_event *ev)
{
    nm->effects.len = 0;
    nm_audit_log_event(nm->core, ev);
    pthread_mutex_lock(&nm->lock);
    nm_core_step(nm->core, ev, &nm->effects);
    pthread_mutex_unlock(&nm->lock);
    for (size_t i = 0; i < nm->effects.len; i++)
        carry_out_effect(nm, &nm->effects.v[i]);
}

static void start_waiting_downloads_and_shims(struct nm *nm)
{
    nm_localizer_start_queued(nm->localizer, nm->spawn);
    request_waiting_shims(nm);
}

void nm_handle_pending_events(struct nm *nm)
{
    start_waiting_downloads_and_shims(nm);
    for (size_t i = 0; i < nm->pending_len; i++) { /* pending_len grows meanwhile */
        struct nm_pending p = nm->pending_v[i];
        p.ev.at_us = nm_now_us();
        step_and_carry_out(nm, &p.ev);
        free(p.text);
        start_waiting_downloads_and_shims(nm);
    }
    nm->pending_len = 0;
}

void nm_handle_event(struct nm *nm, const struct nm_event *ev)
{
    step_and_carry_out(nm, ev);
    nm_handle_pending_events(nm);
}
