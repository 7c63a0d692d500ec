/* nodemanager/core/core_internal.h - the state of the core, shared by its files only. */
#ifndef CREEL_NODEMANAGER_CORE_CORE_INTERNAL_H
#define CREEL_NODEMANAGER_CORE_CORE_INTERNAL_H

#include <sys/queue.h>
#include <uthash.h>

#include "nodemanager/core/core.h"

/* The set of ids of forgotten containers: a compact hash table with open addressing (num < 0: empty
 * entry), since a job may run a million tasks on a node. */
struct nm_id_key {
    int64_t num;
    int32_t attempt;
};
struct nm_id_set {
    struct nm_id_key *v;
    size_t len, cap; /* cap: a power of two, or 0 */
};
void nm_id_set_add(struct nm_id_set *s, const struct base_container_id *id);
bool nm_id_set_has(const struct nm_id_set *s, const struct base_container_id *id);
void nm_id_set_free(struct nm_id_set *s);

struct nm_container {
    struct nm_container_view v;
    struct nm_app *of;
    void *shell;
    /* versions of the reportable state: now, in the request in flight, acknowledged by the RM */
    uint64_t version, sent, acked;
    bool suspend_when_up;
    int64_t launched_us; /* when its launch was ordered; 0: by an earlier process */
    int64_t kill_at_us;  /* next SIGKILL, INT64_MAX: none */
    int64_t again_us;    /* when to repeat a signal that reached no process, INT64_MAX: never */
    enum nm_signal again;
    TAILQ_ENTRY(nm_container) all; /* in core->all by arrival; when forgotten, in core->dying */
    TAILQ_ENTRY(nm_container) in_app;
    UT_hash_handle hh;
};
struct nm_app {
    struct nm_app_view v;
    bool keep_logs;
    bool changed; /* a launch has brought another user, secret or list than were known */
    TAILQ_HEAD(, nm_container) containers;
    struct nm_id_set forgotten;
    TAILQ_ENTRY(nm_app) all;
    UT_hash_handle hh;
};
struct nm_link {
    bool registered, in_flight, registering, holding, repeat;
    bool elsewhere; /* the current RM has not answered as the active one yet */
    bool urgent;    /* there is news that the request in flight does not contain */
    int64_t response_id, interval_us;
    int64_t next_us;  /* next request when none is in flight, INT64_MAX: never */
    int64_t sent_us;  /* when the request in flight was sent */
    int64_t wake_us;  /* last wake call for this request, or -1 */
    int64_t pause_us; /* after failures, and between requests to an RM that does not park */
    uint64_t random;
    int64_t noted; /* highest refused epoch that was logged */
};
struct nm_core {
    struct nm_container *by_id;
    struct nm_app *app_by_id;
    /* dying: forgotten containers, to be freed by a later step */
    TAILQ_HEAD(nm_all, nm_container) all, dying;
    TAILQ_HEAD(nm_apps, nm_app) apps;
    size_t alive, finished_apps;
    int64_t epoch;
    bool healthy, stopping, stop_said;
    char *health_report;
    int64_t disk_free_mb;
    struct nm_link link;
    struct nm_core_stats stats;
    void (*on_free)(void *shell);
};

struct nm_effect *nm_effect_add(struct nm_effects *out, enum nm_effect_kind kind);
void nm_log_note_add(struct nm_effects *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* nodemanager/core/link.c */
void nm_link_init(struct nm_link *l);
void nm_link_mark_urgent(struct nm_core *core);
void nm_link_handle_answer(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out);
void nm_link_handle_failure(struct nm_core *core, const struct nm_event *ev);
void nm_link_schedule_registration(struct nm_core *core, int64_t at_us);
/* Appends NM_FX_BEAT or NM_FX_WAKE if a request or a wake call is due. Called last in every step,
 * except those for RECOVERED, PROGRESS and EPOCH_SAVED. */
void nm_link_send_or_wake_rm(struct nm_core *core, int64_t now_us, struct nm_effects *out);
int64_t nm_link_next_timer_us(const struct nm_core *core);

/* nodemanager/core/orders.c */
void nm_order_apply(struct nm_core *core, const struct nm_order *o, int64_t now_us,
                    struct nm_effects *out);
/* Applies NM_EV_MASTER_LAUNCH and NM_EV_MASTER_STOP. */
void nm_master_launch_apply(struct nm_core *core, const struct nm_event *ev,
                            struct nm_effects *out);
void nm_master_stop_apply(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out);

/* nodemanager/core/core.c, for orders.c */
/* Changes the container's state along the edge of @in. Returns false when there is no such edge;
 * the input is then counted as ignored. */
bool nm_container_apply_input(struct nm_core *core, struct nm_container *c, enum nm_input in);
struct nm_container *nm_container_new(struct nm_core *core, const struct nm_launch *l);
/* @status: exit code of the container. */
void nm_container_kill(struct nm_core *core, struct nm_container *c, int status, const char *reason,
                       int64_t grace_ms, int64_t now_us, struct nm_effects *out);
void nm_container_complete(struct nm_core *core, struct nm_container *c, const struct nm_end *e,
                           struct nm_effects *out);
void nm_app_cleanup_if_done(struct nm_core *core, struct nm_app *app, struct nm_effects *out);
/* Call this with the move to FORGOTTEN: stores the container's id, and lets a later step free the
 * container. */
void nm_container_forget(struct nm_core *core, struct nm_container *c);
void nm_signal_request(struct nm_container *c, enum nm_signal s, struct nm_effects *out);
struct nm_app *nm_app_find(const struct nm_core *core, const struct base_app_id *id);
bool nm_state_is_alive(enum nm_state s);
void nm_container_mark_changed(struct nm_container *c);

#endif
