/* The loop of the NodeManager: waits for events and tells the core, as described in
 * nodemanager/daemon/daemon.h. */
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
#include "nodemanager/container/launcher/node_side.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/container/stopped.h"
#include "nodemanager/daemon/audit.h"
#include "nodemanager/daemon/container_tokens.h"
#include "nodemanager/daemon/daemon.h"
#include "nodemanager/figures/load.h"
#include "nodemanager/rpc/port.h"

#define HEALTH_EVERY_US  INT64_C(1000000)
#define NO_SPACE_REST_US INT64_C(10000000)
#define PROBE_BYTES      (64 * 1024)
#define EPOLL_BATCH      64

/* ---- boxes ---- */

struct nm_box *nm_box_new(struct nm *nm, struct nm_container *c)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct nm_box *box = base_alloc(sizeof *box);
    box->nm = nm;
    box->id = v->id;
    box->kind = v->kind;
    box->isolation = nm->isolation;
    box->pidfd = -1;
    nm_core_set_shell_data(c, box);
    return box;
}

static void stop_watching_shim(struct nm_box *box)
{
    if (box->pidfd < 0)
        return;
    epoll_ctl(box->nm->epoll_fd, EPOLL_CTL_DEL, box->pidfd, NULL);
    close(box->pidfd);
    box->pidfd = -1;
}

void nm_box_free(void *u)
{
    struct nm_box *box = u;
    stop_watching_shim(box);
    nm_command_free(&box->command);
    free(box->place);
    free(box->user);
    free(box);
}

void nm_box_watch_shim(struct nm_box *box, int pidfd, int64_t shim, int64_t shim_start)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = box};
    box->pidfd = pidfd;
    box->shim = shim;
    box->shim_start = shim_start;
    if (epoll_ctl(box->nm->epoll_fd, EPOLL_CTL_ADD, pidfd, &e) < 0)
        base_log_error("nm", "cannot watch a shim: %s", strerror(errno));
}

/* ---- events ---- */

/* Kills the processes of a container whose shim has ended or cannot be watched. @session: the
 * session that the shim leads or led, or 0; @spawner: the process that inherited them, or 0. */
static void kill_processes_without_shim(const struct nm_box *box, pid_t session, pid_t spawner)
{
    char id[BASE_ID_TEXT_MAX];
    struct nm_isolated c = nm_box_describe_for_isolation(box, id);
    c.shim = session;
    c.spawner = spawner;
    nm_isolation_kill(box->isolation, &c, NM_KILL_LOST);
}

static void handle_shim_end(struct nm *nm, struct nm_box *box);

/* Handles the answer about a creel-exec that kills the processes which a shim has left. Waits for
 * the end of creel-exec, unless the end of the container has been reported already (no box). */
static void handle_spawned_user_killer(struct nm *nm, const struct nm_spawned *s)
{
    struct nm_box *box = (struct nm_box *)(uintptr_t)(s->tag & ~(uint64_t)NM_HELPER_TAG);
    if (s->pidfd < 0)
        base_log_warn("nm", "cannot start %s: %s", nm->launcher ? nm->launcher : "creel-exec",
                      strerror(s->pid < 0 ? -s->pid : EMFILE));
    if (box && s->pidfd >= 0)
        nm_box_watch_shim(box, s->pidfd, box->shim, box->shim_start);
    else if (box)
        handle_shim_end(nm, box);
    else if (s->pidfd >= 0)
        close(s->pidfd);
}

static void handle_spawner_answers(struct nm *nm)
{
    struct nm_spawned s;
    struct base_error err = {0};
    int rc;
    while ((rc = nm_spawn_receive_answer(nm->spawn, &s, &err)) == 1) {
        struct nm_proc p = {0};
        if (nm_localizer_take_answer(nm->localizer, &s)) {
            nm_handle_pending_events(nm);
            continue;
        }
        if (s.tag & NM_HELPER_TAG) {
            handle_spawned_user_killer(nm, &s);
            continue;
        }
        struct nm_box *box = (struct nm_box *)(uintptr_t)s.tag;
        struct nm_event ev = {.kind = NM_EV_SPAWNED, .at_us = nm_now_us(), .container = box->id};
        nm->asked--;
        if (s.pid <= 0 || s.pidfd < 0) {
            if (s.pid > 0) /* a shim that cannot be watched must not run */
                kill_processes_without_shim(box, s.pid, 0);
            nm_box_clean_isolation(box);
            nm_localizer_release(nm->localizer, &box->id);
            nm_queue_failed_start(nm, &box->id, 126,
                                  base_printf("cannot start %s: %s", nm->shim_path,
                                              strerror(s.pid < 0 ? -s.pid : EMFILE)));
            nm_handle_pending_events(nm);
            continue;
        }
        nm_proc_read_stat(s.pid, &p);
        nm_box_watch_shim(box, s.pidfd, s.pid, p.start);
        ev.u.spawned.started_ms = nm_wall_ms();
        nm_handle_event(nm, &ev);
    }
    if (rc < 0) { /* without the spawner no container can be started: exit, to be restarted */
        base_log_error("nm", "%s", err.text);
        nm->stop = true;
        nm->exit_status = 1;
    }
}

/* Kills the processes of a container whose shim has ended without writing exit.json, because it was
 * killed or the disk is full, and sets @e to the container's end. */
static void kill_tree_and_set_lost_shim_ending(struct nm *nm, struct nm_box *box,
                                               struct nm_ending *e)
{
    char id[BASE_ID_TEXT_MAX];
    kill_processes_without_shim(box, nm_tree_shim_session_or_0((pid_t)box->shim, box->shim_start),
                                nm_spawn_pid(nm->spawn));
    if (nm_is_disk_failure(nm_files_probe_disk_write(&nm->files, PROBE_BYTES)))
        nm_ending_set(e, NM_EXIT_DISK, nm_wall_ms(), NM_NO_SPACE_TEXT);
    else
        nm_ending_set(e, 137, nm_wall_ms(), "container's shim was killed");
    base_log_warn("nm", "%s: its shim ended without a result",
                  base_container_id_text(&box->id, id));
}

/* Has creel-exec kill the processes that the shim has left; the end of creel-exec is then handled
 * like that of the shim. Returns false if that is done already or impossible. */
static bool request_kill_of_users_processes(struct nm *nm, struct nm_box *box)
{
    char id[BASE_ID_TEXT_MAX];
    struct base_error err;
    if (!box->user || box->lost)
        return false;
    box->lost = true;
    if (nm_launcher_request_kill(nm->spawn, (uint64_t)(uintptr_t)box | NM_HELPER_TAG,
                                 nm->launch_conf.launcher ? nm->launch_conf.launcher : "",
                                 box->user, base_container_id_text(&box->id, id),
                                 nm_tree_shim_session_or_0((pid_t)box->shim, box->shim_start),
                                 nm_spawn_pid(nm->spawn), &err) == 0)
        return true;
    base_log_warn("nm", "%s: %s", id, err.text);
    return false;
}

static void handle_shim_end(struct nm *nm, struct nm_box *box)
{
    struct nm_ending e;
    stop_watching_shim(box);
    if (!nm_ending_read(&nm->files, &box->id, box->kind, &e)) {
        if (request_kill_of_users_processes(nm, box))
            return;
        kill_tree_and_set_lost_shim_ending(nm, box, &e);
    }
    nm_box_clean_isolation(box);
    nm_localizer_release(nm->localizer, &box->id);
    if (e.no_space) {
        nm->no_space_us = nm_now_us();
        nm_check_and_report_health(nm);
    }
    struct nm_event ev = {.kind = NM_EV_ENDED, .at_us = nm_now_us(), .container = box->id};
    ev.u.ended = e.end;
    nm_handle_event(nm, &ev);
    nm_ending_free(&e);
}

static void report_failed_request(struct nm *nm, const struct nm_link_result *r, const char *what,
                                  bool register_again)
{
    struct nm_event ev = {.kind = NM_EV_BEAT_FAILED, .at_us = nm_now_us()};
    if (!nm->rm_away && !r->retry.at_once) {
        bool named = strstr(what, r->url) != NULL; /* errors of base_http contain the URL */
        base_log_warn("nm", "the ResourceManager does not answer as it should: %s%s%s",
                      named ? "" : r->url, named ? "" : ": ", what);
        nm->rm_away = true;
    }
    ev.u.failed.register_again = register_again;
    ev.u.failed.no_pause = r->retry.at_once;
    ev.u.failed.elsewhere = r->retry.elsewhere;
    nm_handle_event(nm, &ev);
}

/* Stores a higher epoch before its orders are carried out. After a restart that did not remember
 * the epoch, the node could obey an older RM again. */
static int store_epoch(struct nm *nm, int64_t epoch, struct base_error *err)
{
    struct nm_event ev = {.kind = NM_EV_EPOCH_SAVED, .at_us = nm_now_us(), .u.epoch_saved = epoch};
    struct nm_disk_state st = nm->disk;
    st.epoch = epoch;
    int rc = nm_files_save_state(&nm->files, &st, err);
    if (rc < 0) {
        if (rc == -BASE_ENOSPC)
            nm->no_space_us = nm_now_us();
        return base_error_wrap(
            err, rc, "epoch %" PRId64 " cannot be stored, so its orders are not carried out",
            epoch);
    }
    nm->disk = st;
    base_log_info("nm", "epoch %" PRId64 " of the ResourceManager", epoch);
    nm_handle_event(nm, &ev);
    return 0;
}

/* Notes an answer to a registration or heartbeat that was given under the obeyed epoch. */
static void note_accepted_answer(struct nm *nm, const struct nm_link_result *r,
                                 const struct nm_answer *a)
{
    size_t base = base_rm_url_base_len(r->url);
    nm_link_accept_answer(nm->link, a->wire.epoch);
    if (a->wire.bad)
        base_log_error("nm", "%zu orders of %s were not understood: %s", a->wire.bad, r->url,
                       a->wire.bad_err.text);
    if (nm->rm_away || !nm_core_is_registered(nm->core))
        base_log_info("nm", "registered with %.*s", (int)base, r->url);
    nm->rm_away = false;
    nm_rpc_take_keys(nm->rpc, &a->wire.hadoop_keys);
    atomic_store(&nm->given_memory_mb, a->wire.resource_given ? a->wire.given_memory_mb : -1);
    atomic_store(&nm->given_vcores, a->wire.resource_given ? a->wire.given_vcores : -1);
    pthread_mutex_lock(&nm->lock);
    nm->last_answer_ms = nm_wall_ms();
    snprintf(nm->rm_url, sizeof nm->rm_url, "%.*s", (int)base, r->url);
    pthread_mutex_unlock(&nm->lock);
}

/* Logs every order and its epoch at level debug. */
static void log_orders(const struct nm_answer *a)
{
    char text[BASE_ID_TEXT_MAX];
    for (size_t i = 0; i < a->wire.orders_n; i++) {
        const struct nm_order *o = &a->orders[i];
        const char *what = "the node";
        if (o->kind == BASE_ORDER_CLEANUP_APP)
            what = base_app_id_text(&o->app, text);
        else if (o->kind <= BASE_ORDER_FORGET)
            what = base_container_id_text(
                o->kind == BASE_ORDER_LAUNCH ? &o->launch.id : &o->container, text);
        base_log_debug("nm", "%s order carried out: %s epoch %" PRId64, wire_order_name(o->kind),
                       what, a->wire.epoch);
    }
}

static void handle_answer(struct nm *nm, struct nm_link_result *r)
{
    struct nm_answer a;
    struct base_error err = {0};
    if (nm_link_answer_is_late(nm->link)) {
        nm_link_reject_answer(nm->link, r);
        report_failed_request(nm, r, "the answer was read after the request's time-out", false);
        return;
    }
    if (nm_wire_get_answer(r->body.data ? r->body.data : "", r->body.len, nm->grace_ms, &a, &err) <
        0) {
        nm_link_reject_answer(nm->link, r);
        report_failed_request(nm, r, err.text, false);
        return;
    }
    enum nm_worth worth = nm_rm_search_judge_epoch(a.wire.epoch, nm_core_epoch(nm->core));
    if (worth == NM_WORTH_HIGHER && store_epoch(nm, a.wire.epoch, &err) < 0) {
        report_failed_request(nm, r, err.text, false); /* ask the same RM again later */
        nm_answer_free(&a);
        return;
    }
    if (worth == NM_WORTH_STALE) {
        nm_link_reject_answer(nm->link, r);
    } else {
        note_accepted_answer(nm, r, &a);
        log_orders(&a);
    }
    struct nm_event ev = {.kind = NM_EV_ANSWER, .at_us = nm_now_us()};
    ev.u.answer.epoch = a.wire.epoch;
    ev.u.answer.response_id = a.wire.response_id;
    ev.u.answer.heartbeat_ms = a.wire.heartbeat_ms;
    ev.u.answer.orders = a.orders;
    ev.u.answer.n_orders = a.wire.orders_n;
    ev.u.answer.no_pause = r->retry.at_once;
    nm_handle_event(nm, &ev);
    nm_answer_free(&a);
}

static void handle_link_result(struct nm *nm)
{
    struct nm_link_result r;
    if (!nm_link_take_result(nm->link, &r))
        return;
    if (r.rc < 0) {
        report_failed_request(nm, &r, r.err.text, false);
    } else if (r.status == 200) {
        handle_answer(nm, &r);
    } else {
        char what[400];
        bool unknown = r.status == 404 || r.status == 409 || r.status == 410;
        if (r.status == 307)
            snprintf(what, sizeof what,
                     "a standby, and the active one that it names has failed, is unknown, or is "
                     "none of those configured");
        else
            snprintf(what, sizeof what, "status %ld %.300s", r.status,
                     r.body.data ? r.body.data : "");
        report_failed_request(nm, &r, what, unknown);
    }
    base_buf_free(&r.body);
}

static void reload_secret(struct nm *nm)
{
    struct base_error err = {0};
    int rc = base_keyring_refresh(nm->keys, &err);
    if (rc < 0)
        base_log_error("nm", "SIGHUP: the secret stays as it is: %s", err.text);
    else
        base_log_info("nm", "SIGHUP: the secret %s", rc ? "has been replaced" : "is the same");
}

static void handle_daemon_signals(struct nm *nm)
{
    struct signalfd_siginfo si;
    while (read(nm->signal_fd, &si, sizeof si) == (ssize_t)sizeof si) {
        if (si.ssi_signo == SIGHUP) {
            api_audit_reopen();
            if (nm->tls)
                api_tls_reload_and_log(nm->tls);
            reload_secret(nm);
            continue;
        }
        base_log_info("nm", "%s: the daemon ends, its %zu containers go on",
                      strsignal((int)si.ssi_signo), nm_core_alive_count(nm->core));
        nm->stop = nm->told_to_end = true;
    }
}

/* Writes to @report why the node is unhealthy; "" if it is healthy. The node is unhealthy when
 * space or inodes are below their minimum. After a write found the disk full, the node is also
 * unhealthy for NO_SPACE_REST_US and until a test write succeeds; otherwise the next task would
 * only fill the space that the failed one has left. */
static void find_health_problem(struct nm *nm, const struct nm_files_free_space *space,
                                char report[static NM_PATH_MAX])
{
    int rc = 0;
    *report = 0;
    if (nm->no_space_us && nm_now_us() >= nm->no_space_us + NO_SPACE_REST_US)
        rc = nm_files_probe_disk_write(&nm->files, PROBE_BYTES);
    else if (nm->no_space_us)
        rc = -ENOSPC;
    if (rc == 0)
        nm->no_space_us = 0;
    if (rc < 0)
        snprintf(report, NM_PATH_MAX, "%s: %s", nm->files.root, base_plain_open_strerror(rc));
    else if (space->bytes >= 0 && space->bytes < nm->min_free_bytes)
        snprintf(report, NM_PATH_MAX, "%s: %" PRId64 " MB free, at least %" PRId64 " MB wanted",
                 nm->files.root, space->bytes >> 20, nm->min_free_bytes >> 20);
    else if (space->inodes >= 0 && space->inodes < nm->min_free_inodes)
        snprintf(report, NM_PATH_MAX, "%s: %" PRId64 " inodes free, at least %" PRId64 " wanted",
                 nm->files.root, space->inodes, nm->min_free_inodes);
}

void nm_check_and_report_health(struct nm *nm)
{
    struct nm_event ev = {.kind = NM_EV_HEALTH, .at_us = nm_now_us()};
    struct nm_files_free_space space;
    char report[NM_PATH_MAX];
    const char *before;
    int64_t free_mb;
    nm_files_get_free_space(&nm->files, &space);
    if (space.bytes >= 0 && space.bytes < 2 * nm->min_free_bytes)
        nm_localizer_remove_unheld(nm->localizer);
    find_health_problem(nm, &space, report);
    bool was = nm_core_is_healthy(nm->core, &before, &free_mb);
    if (was != !report[0])
        base_log_warn("nm", "the node is %s%s", report[0] ? "unhealthy: " : "healthy again",
                      report);
    ev.u.health.healthy = !report[0];
    ev.u.health.report = report;
    ev.u.health.disk_free_mb = space.bytes < 0 ? 0 : space.bytes >> 20;
    nm->health_next_us = nm_now_us() + HEALTH_EVERY_US;
    nm_handle_event(nm, &ev);
}

/* ---- the watchdog ---- */

/* Sets *@turns to the number of iterations of the loop. Always returns true: the loop is never
 * idle, since there is an iteration at least every HEALTH_EVERY_US. */
static bool get_loop_turns(void *user, uint64_t *turns)
{
    *turns = atomic_load_explicit(&((struct nm *)user)->turns, memory_order_relaxed);
    return true;
}

static int64_t get_watchdog_limit_us(void *user)
{
    return ((struct nm *)user)->watchdog_us;
}

static void exit_hung_process(void *user, const char *why)
{
    (void)user;
    base_log_error("nm", "%s: this process ends itself, its containers go on", why);
    _exit(BASE_WATCHDOG_EXIT);
}

/* ---- the loop ---- */

static int add_to_epoll(struct nm *nm, int fd, void *tag, struct base_error *err)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = tag};
    if (epoll_ctl(nm->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "epoll_ctl");
    return 0;
}

int nm_loop_init(struct nm *nm, struct base_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    TAILQ_INIT(&nm->waiting);
    nm->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    nm->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (nm->signal_fd < 0 || nm->epoll_fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "descriptors of the loop");
    int rc = add_to_epoll(nm, nm->signal_fd, &nm->signal_fd, err);
    return rc < 0 ? rc : add_to_epoll(nm, nm_spawn_fd(nm->spawn), &nm->spawn, err);
}

static int compute_wait_ms(const struct nm *nm)
{
    int64_t next = nm_core_next_timer_us(nm->core), now = nm_now_us();
    if (nm->health_next_us < next)
        next = nm->health_next_us;
    if (next <= now)
        return 0;
    return (int)((next - now + 999) / 1000);
}

static void handle_localizer(struct nm *nm)
{
    nm_localizer_handle_ends(nm->localizer);
    nm_handle_pending_events(nm);
}

static void dispatch_epoll_event(struct nm *nm, const struct epoll_event *e)
{
    if (e->data.ptr == &nm->signal_fd)
        handle_daemon_signals(nm);
    else if (e->data.ptr == &nm->spawn)
        handle_spawner_answers(nm);
    else if (e->data.ptr == &nm->link)
        handle_link_result(nm);
    else if (e->data.ptr == &nm->localizer)
        handle_localizer(nm);
    else if (e->data.ptr == &nm->rpc)
        nm_rpc_carry_out_asks(nm);
    else
        handle_shim_end(nm, e->data.ptr);
}

void nm_loop_run(struct nm *nm)
{
    struct base_error err = {0};
    if (add_to_epoll(nm, nm_link_result_fd(nm->link), &nm->link, &err) < 0 ||
        add_to_epoll(nm, nm_localizer_fd(nm->localizer), &nm->localizer, &err) < 0 ||
        (nm->rpc && add_to_epoll(nm, nm_rpc_fd(nm->rpc), &nm->rpc, &err) < 0)) {
        base_log_error("nm", "%s", err.text);
        nm->exit_status = 1;
        return;
    }
    const struct base_watchdog_conf dog = {.user = nm,
                                           .busy = get_loop_turns,
                                           .limit_us = get_watchdog_limit_us,
                                           .expired = exit_hung_process,
                                           .still = "the main thread stands still for longer than "
                                                    "creel.nodemanager.watchdog-ms"};
    struct base_watchdog *watchdog = nm->watchdog_us > 0 ? base_watchdog_start(&dog) : NULL;
    nm_check_and_report_health(nm);
    nm_handle_event(nm, &(struct nm_event){.kind = NM_EV_START, .at_us = nm_now_us()});
    while (!nm->stop) {
        atomic_fetch_add_explicit(&nm->turns, 1, memory_order_relaxed);
        /* A batch is safe: no event frees a box that a later event of the batch points to, since a
         * box is never freed while its shim is watched. */
        struct epoll_event e[EPOLL_BATCH];
        int n = epoll_wait(nm->epoll_fd, e, EPOLL_BATCH, compute_wait_ms(nm));
        for (int i = 0; i < n; i++)
            dispatch_epoll_event(nm, &e[i]);
        int64_t now = nm_now_us();
        if (nm_core_next_timer_us(nm->core) <= now)
            nm_handle_event(nm, &(struct nm_event){.kind = NM_EV_TIMER, .at_us = now});
        if (nm->health_next_us <= now) {
            nm_stopped_continue_shims_and_spawner(nm);
            api_audit_end_refusal_window_if_over();
            nm_check_and_report_health(nm);
            nm_container_tokens_renew_if_due(nm);
        }
    }
    base_watchdog_stop(watchdog);
}

void nm_loop_free(struct nm *nm)
{
    free(nm->effects.v);
    free(nm->pending_v);
    if (nm->signal_fd > 0)
        close(nm->signal_fd);
    if (nm->epoll_fd > 0)
        close(nm->epoll_fd);
}
