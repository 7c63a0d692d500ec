#include "tests/sim/core_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "rm/core/view/view.h"
#include "tests/sim/effect_print.h"

void world_init(struct world *w, const char *policy)
{
    struct base_error err;

    memset(w, 0, sizeof *w);
    w->now = INT64_C(1700000000000000);
    w->auto_store = true;
    w->conf = (struct rm_core_conf){.cluster_ts_ms = 1700000000000,
                                    .rm_instance_ms = 1700000000000,
                                    .policy = policy,
                                    .options = &w->options,
                                    .queues = "batch, root.prod",
                                    .node_expiry_us = 30000000,
                                    .heartbeat_us = 1000000,
                                    .am_expiry_us = 600000000,
                                    .allocation_expiry_us = 600000000,
                                    .activities_wait_us = 2000000,
                                    .slowstart = 0.05,
                                    .am_attempts_max = 2,
                                    .task_attempts_max = 4,
                                    .completed_apps_max = 1000,
                                    .kill_grace_ms = 250,
                                    .format_confirmed = true};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        w->conf.slot_res[k] = (struct rm_res){{2048, 1, 0, 0}};
    w->core = rm_core_new(&w->conf, &err);
    base_assert(w->core);
}

void world_option(struct world *w, const char *name, const char *value)
{
    struct base_error err;
    int rc = policy_conf_set(&w->options, name, value, &err);

    base_assert(rc == 0);
}

void world_renew(struct world *w)
{
    rm_core_free(w->core);
    w->core = rm_core_new(&w->conf, NULL);
    base_assert(w->core);
}

void world_free(struct world *w)
{
    rm_core_free(w->core);
    policy_conf_free(&w->options);
    for (size_t i = 0; i < w->nodes_n; i++) {
        free(w->nodes[i].v);
        free(w->nodes[i].apps);
    }
    for (size_t i = 0; i < w->journal_n; i++) {
        free(w->journal[i].table);
        free(w->journal[i].key);
        free(w->journal[i].data);
    }
    free(w->journal);
    free(w->fx.v);
    free(w->step_launches);
}

/* ---------------------------------------------------------------- orders */
static struct world_container *find_on(struct world_node *n, const struct base_container_id *id)
{
    for (size_t i = 0; i < n->n; i++)
        if (base_container_id_cmp(&n->v[i].id, id) == 0)
            return &n->v[i];
    return NULL;
}

static size_t folder_of(const struct world_node *n, struct base_app_id id)
{
    size_t i = 0;

    while (i < n->apps_n && base_app_id_cmp(&n->apps[i], &id) != 0)
        i++;
    return i;
}

static void make_folder(struct world_node *n, struct base_app_id id)
{
    if (folder_of(n, id) < n->apps_n)
        return;
    base_array_grow(&n->apps, n->apps_n, &n->apps_cap);
    n->apps[n->apps_n++] = id;
}

static void remove_folder(struct world_node *n, struct base_app_id id)
{
    size_t i = folder_of(n, id);

    if (i < n->apps_n)
        n->apps[i] = n->apps[--n->apps_n];
}

static void launch(struct world *w, struct world_node *n, const struct rm_order *o)
{
    struct world_container *ct;

    base_array_grow(&w->step_launches, w->step_launches_n, &w->step_launches_cap);
    w->step_launches[w->step_launches_n++] =
        (struct world_launch){o->container, o->task, o->job != NULL};
    n->launches++;
    w->launches++;
    if (find_on(n, &o->container)) {
        n->repeats++;
        return;
    }
    make_folder(n, o->container.attempt.app);
    base_array_grow(&n->v, n->n, &n->cap);
    ct = &n->v[n->n++];
    *ct = (struct world_container){.id = o->container,
                                   .task = o->task,
                                   .attempt = o->task_attempt,
                                   .slot = o->slot,
                                   .has_task = o->job != NULL && !o->step,
                                   .step = o->step,
                                   .master = o->master,
                                   .priority = o->priority,
                                   .allocation_request_id = o->allocation_request_id,
                                   .resource = o->resource,
                                   .exit_code = RM_EXIT_INVALID};
}

static void obey(struct world *w, struct world_node *n, const struct rm_order *o)
{
    struct world_container *ct = find_on(n, &o->container);

    switch (o->kind) {
    case BASE_ORDER_LAUNCH:
        launch(w, n, o);
        break;
    case BASE_ORDER_KILL:
        n->kills++;
        if (ct && !ct->ended)
            ct->killed = true;
        if (ct && !ct->ended && !(w->undying_steps && ct->step)) {
            ct->ended = true;
            ct->exit_code = RM_EXIT_KILLED_BY_RM;
        }
        break;
    case BASE_ORDER_SUSPEND:
    case BASE_ORDER_RESUME:
        n->suspends += o->kind == BASE_ORDER_SUSPEND;
        n->resumes += o->kind == BASE_ORDER_RESUME;
        if (ct && !ct->ended)
            ct->suspended = o->kind == BASE_ORDER_SUSPEND;
        break;
    case BASE_ORDER_SIGNAL:
        n->signals[o->signal]++;
        break;
    case BASE_ORDER_FORGET:
        n->forgets++;
        if (ct && ct->ended)
            *ct = n->v[--n->n];
        break;
    case BASE_ORDER_CLEANUP_APP:
        n->cleanups++;
        remove_folder(n, o->app);
        break;
    case BASE_ORDER_SHUTDOWN:
        n->shutdowns++;
        n->up = false;
        for (size_t i = 0; i < n->n; i++) {
            n->v[i].killed = n->v[i].killed || !n->v[i].ended;
            n->v[i].ended = true;
            n->v[i].exit_code = n->v[i].exit_code ? n->v[i].exit_code : RM_EXIT_KILLED_BY_RM;
        }
        break;
    default:
        break;
    }
}

static void keep_keys(struct world_node *n, const struct rm_effect *fx)
{
    if (!fx->u.heartbeat.nm_keys)
        return;
    n->answers_with_keys++;
    if (fx->u.heartbeat.container_keys)
        n->container_key_id = fx->u.heartbeat.container_keys->id;
    n->nm_keys_n = fx->u.heartbeat.nm_keys_n;
    for (size_t i = 0; i < n->nm_keys_n; i++)
        n->nm_keys[i] = fx->u.heartbeat.nm_keys[i].id;
}

static void answered(struct world *w, const struct rm_effect *fx)
{
    for (size_t i = 0; i < w->nodes_n; i++) {
        struct world_node *n = &w->nodes[i];

        if (n->token != fx->token || !n->up)
            continue;
        n->token = 0;
        n->response_id = fx->u.heartbeat.response_id;
        if (fx->u.heartbeat.epoch > n->epoch_seen)
            n->epoch_seen = fx->u.heartbeat.epoch;
        n->registered = n->registered || fx->u.heartbeat.registered;
        keep_keys(n, fx);
        for (size_t j = 0; j < fx->u.heartbeat.orders_n; j++)
            obey(w, n, &fx->u.heartbeat.orders[j]);
        return;
    }
}

/* ---------------------------------------------------------------- effects */
static void keep_record(struct world *w, const struct rm_effect *fx)
{
    const struct rm_record *rec = &fx->u.store.record;
    struct world_record *r;

    base_assert(fx->u.store.seq == w->seq + 1);
    w->seq = fx->u.store.seq;
    base_array_grow(&w->journal, w->journal_n, &w->journal_cap);
    r = &w->journal[w->journal_n++];
    *r = (struct world_record){
        .seq = w->seq, .table = base_strdup(rec->table), .key = base_strdup(rec->key)};
    r->len = rec->len;
    w->damaged += rec->data && strcmp(rec->table, "damaged") == 0;
    if (rec->data) {
        r->data = base_realloc_array(NULL, rec->len + 1, 1);
        memcpy(r->data, rec->data, rec->len + 1);
    }
}

static void keep_reply(struct world *w, const struct rm_effect *fx)
{
    struct world_reply *r = &w->reply;

    memset(r, 0, sizeof *r);
    r->token = fx->token;
    r->after_seq = fx->after_seq;
    r->kind = fx->u.reply.kind;
    r->code = fx->u.reply.code;
    r->flag = fx->u.reply.flag;
    r->value = fx->u.reply.value;
    r->app_id = fx->u.reply.app_id;
    r->state = fx->u.reply.app_state;
    snprintf(r->text, sizeof r->text, "%s", fx->u.reply.text ? fx->u.reply.text : "");
    if (r->kind == RM_REPLY_AM_REGISTERED) {
        r->max_capability = fx->u.reply.am.max_capability;
        r->previous_n = fx->u.reply.am.previous_n;
        for (size_t i = 0; i < r->previous_n && i < 64; i++)
            r->previous[i] = fx->u.reply.am.previous[i];
    }
    if (r->kind == RM_REPLY_ALLOCATED) {
        r->response_id = fx->u.reply.allocate.response_id;
        r->available = fx->u.reply.allocate.available;
        snprintf(r->command, sizeof r->command, "%s",
                 fx->u.reply.allocate.command ? fx->u.reply.allocate.command : "");
        r->allocated_n = fx->u.reply.allocate.allocated_n;
        r->completed_n = fx->u.reply.allocate.completed_n;
        for (size_t i = 0; i < r->allocated_n && i < 64; i++)
            r->allocated[i] = fx->u.reply.allocate.allocated[i];
        for (size_t i = 0; i < r->completed_n && i < 64; i++)
            r->completed[i] = fx->u.reply.allocate.completed[i];
        r->renewed_n = fx->u.reply.allocate.renewed_n;
        for (size_t i = 0; i < r->renewed_n && i < 64; i++)
            r->renewed[i] = fx->u.reply.allocate.renewed[i];
        r->amrm_key = fx->u.reply.tokens.amrm_key ? fx->u.reply.tokens.amrm_key->id : 0;
    }
    for (size_t i = 0; r->kind == RM_REPLY_RESYNC && i < w->nodes_n; i++)
        if (w->nodes[i].token == fx->token) {
            w->nodes[i].token = 0;
            w->nodes[i].registered = false;
        }
}

static void ask_shell(struct world *w, const struct rm_effect *fx)
{
    base_assert(w->shell_n < sizeof w->shell / sizeof *w->shell);
    w->shell[w->shell_n].what = fx->kind;
    w->shell[w->shell_n].after = fx->after_seq;
    w->shell[w->shell_n++].id = fx->u.job.id;
}

static void apply(struct world *w)
{
    w->step_launches_n = 0;
    for (size_t i = 0; i < w->fx.len; i++) {
        const struct rm_effect *fx = &w->fx.v[i];

        if (w->log)
            effect_print(fx, w->log);
        switch (fx->kind) {
        case RM_FX_STORE:
            keep_record(w, fx);
            break;
        case RM_FX_REPLY:
            keep_reply(w, fx);
            break;
        case RM_FX_HEARTBEAT:
            answered(w, fx);
            break;
        case RM_FX_WAKE:
            w->wake = fx->u.wake.at_us;
            break;
        case RM_FX_JOB_SETUP:
            w->setups++;
            ask_shell(w, fx);
            break;
        case RM_FX_JOB_COMMIT:
            w->commits++;
            w->parts_n = fx->u.job.attempts_n < 64 ? fx->u.job.attempts_n : 64;
            memcpy(w->parts, fx->u.job.attempts, w->parts_n * sizeof *w->parts);
            ask_shell(w, fx);
            break;
        case RM_FX_JOB_ABORT:
            w->aborts++;
            w->abort_after = fx->after_seq;
            ask_shell(w, fx);
            break;
        case RM_FX_MAP_OUTPUT:
            w->map_outputs++;
            break;
        case RM_FX_UNCONFIRMED:
            w->unconfirmed++;
            w->epoch_seen = fx->u.unconfirmed.epoch_seen;
            break;
        case RM_FX_EPOCH_LOW:
            w->epoch_low++;
            w->epoch_seen = fx->u.epoch_low.epoch_seen;
            break;
        case RM_FX_APP_ENDED:
            w->ended++;
            w->ended_refused += fx->u.ended.refused;
            break;
        case RM_FX_HISTORY:
            w->histories++;
            break;
        case RM_FX_NOTE:
            w->notes++;
            snprintf(w->note, sizeof w->note, "%s", fx->u.note.text);
            break;
        }
    }
    w->fx.len = 0;
}

void world_feed(struct world *w, struct rm_event *ev)
{
    ev->at_us = w->now;
    rm_core_step(w->core, ev, &w->fx);
    apply(w);
}

void world_store(struct world *w, uint64_t seq)
{
    struct rm_event ev = {.kind = RM_EV_STORED, .u.stored.seq = seq};

    w->stored = seq;
    while (w->durable < w->journal_n && w->journal[w->durable].seq <= seq)
        w->durable++;
    world_feed(w, &ev);
}

static void answer_shell(struct world *w)
{
    struct rm_event ev = {0};
    enum rm_effect_kind what = w->shell[0].what;

    ev.kind = what == RM_FX_JOB_COMMIT  ? RM_EV_JOB_COMMITTED
              : what == RM_FX_JOB_ABORT ? RM_EV_JOB_ABORTED
                                        : RM_EV_JOB_SET_UP;
    ev.u.job_done.id = w->shell[0].id;
    ev.u.job_done.ok = what == RM_FX_JOB_COMMIT ? !w->fail_commit : !w->fail_setup;
    ev.u.job_done.diagnostics = ev.u.job_done.ok ? NULL : "the folder is in the way";
    memmove(w->shell, w->shell + 1, --w->shell_n * sizeof *w->shell);
    world_feed(w, &ev);
}

void world_settle(struct world *w)
{
    for (;;) {
        if (w->auto_store && w->stored < w->seq)
            world_store(w, w->seq);
        else if (w->shell_n && !w->no_shell && w->shell[0].after <= w->stored)
            answer_shell(w);
        else
            return;
    }
}

void world_step(struct world *w, struct rm_event *ev)
{
    world_feed(w, ev);
    world_settle(w);
}

void world_advance(struct world *w, int64_t us)
{
    int64_t to = w->now + us;

    while (w->wake && w->wake <= to) {
        struct rm_event ev = {.kind = RM_EV_TIMER};

        w->now = w->wake > w->now ? w->wake : w->now;
        w->wake = 0;
        world_step(w, &ev);
    }
    w->now = to;
}

/* ---------------------------------------------------------------- nodes */
static struct world_node *add_node(struct world *w, int32_t maps, int32_t reduces, const char *rack,
                                   bool is_hadoop)
{
    struct world_node *n = &w->nodes[w->nodes_n];

    snprintf(n->id, sizeof n->id, "node%zu:8042", w->nodes_n);
    snprintf(n->host, sizeof n->host, "node%zu", w->nodes_n);
    snprintf(n->host_label, sizeof n->host_label, "node%zu:0", w->nodes_n);
    snprintf(n->rack, sizeof n->rack, "%s", rack ? rack : "/default-rack");
    snprintf(n->instance, sizeof n->instance, "instance%zu-0", w->nodes_n);
    snprintf(n->boot, sizeof n->boot, "boot%zu-0", w->nodes_n);
    n->slots[0] = maps;
    n->slots[1] = reduces;
    n->up = n->healthy = true;
    n->is_hadoop = is_hadoop;
    if (is_hadoop)
        snprintf(n->instance, sizeof n->instance, RM_HADOOP_INSTANCE "10.0.0.1");
    w->nodes_n++;
    world_register(w, n);
    return n;
}

struct world_node *world_add_node(struct world *w, int32_t maps, int32_t reduces, const char *rack)
{
    return add_node(w, maps, reduces, rack, false);
}

struct world_node *world_add_hadoop_node(struct world *w, int32_t maps, int32_t reduces,
                                         const char *rack)
{
    return add_node(w, maps, reduces, rack, true);
}

static struct rm_container_report *reports(struct world *w, const struct world_node *n)
{
    struct rm_container_report *r = base_alloc((n->n ? n->n : 1) * sizeof *r);

    for (size_t i = 0; i < n->n; i++) {
        const struct world_container *ct = &n->v[i];

        r[i] = (struct rm_container_report){.id = ct->id,
                                            .state = ct->ended       ? RM_CONTAINER_COMPLETED
                                                     : ct->suspended ? RM_CONTAINER_SUSPENDED
                                                                     : RM_CONTAINER_RUNNING,
                                            .slot = ct->slot,
                                            .progress = ct->progress,
                                            .exit_code = ct->exit_code,
                                            .diagnostics = ct->diagnostics,
                                            .started_us = w->now - 1000,
                                            .has_task = ct->has_task,
                                            .step = ct->step,
                                            .master = ct->master,
                                            .priority = ct->priority,
                                            .allocation_request_id = ct->allocation_request_id,
                                            .task = ct->task,
                                            .task_attempt = ct->attempt,
                                            .resource = ct->resource};
        r[i].resource.v[ct->slot == BASE_TASK_REDUCE ? RM_RES_REDUCE_SLOTS : RM_RES_MAP_SLOTS] = 1;
    }
    return r;
}

static int64_t sends(struct world_node *n)
{
    return n->sent_us ? ++n->sent_us : 0;
}

void world_register(struct world *w, struct world_node *n)
{
    struct rm_container_report *r = reports(w, n);
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++w->token};

    ev.u.node_register.node_id = n->id;
    ev.u.node_register.http_address = n->id;
    ev.u.node_register.rack = n->rack;
    ev.u.node_register.host = n->host;
    ev.u.node_register.version = "0.1.0";
    ev.u.node_register.boot_id = n->boot;
    ev.u.node_register.instance = n->instance;
    ev.u.node_register.epoch_seen = n->epoch_seen;
    ev.u.node_register.sent_us = sends(n);
    ev.u.node_register.map_slots = n->slots[0];
    ev.u.node_register.reduce_slots = n->slots[1];
    ev.u.node_register.is_hadoop = n->is_hadoop;
    ev.u.node_register.hadoop_port = n->is_hadoop ? 45454 : w->hadoop_port;
    ev.u.node_register.master_slots = n->master_slots;
    ev.u.node_register.reports = r;
    ev.u.node_register.reports_n = n->n;
    for (size_t i = 0; i < n->n; i++)
        make_folder(n, n->v[i].id.attempt.app);
    ev.u.node_register.apps = n->apps;
    ev.u.node_register.apps_n = n->apps_n;
    ev.u.node_register.logs = n->logs;
    ev.u.node_register.logs_n = n->logs_n;
    ev.u.node_register.logs_more = n->logs_more;
    n->token = w->token;
    world_step(w, &ev);
    free(r);
}

static void beat(struct world *w, struct world_node *n, int64_t response_id, int64_t hold_us)
{
    struct rm_container_report *r;
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT};

    if (!n->registered) /* its registration was refused */
        return;
    r = reports(w, n);
    ev.token = ++w->token;
    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = n->instance;
    ev.u.heartbeat.response_id = response_id;
    ev.u.heartbeat.healthy = n->healthy;
    ev.u.heartbeat.health_report = n->healthy ? "" : "disk is full";
    ev.u.heartbeat.has_utilization = n->utilization != NULL;
    if (n->utilization)
        ev.u.heartbeat.utilization = *n->utilization;
    ev.u.heartbeat.hold_us = hold_us;
    ev.u.heartbeat.sent_us = sends(n);
    ev.u.heartbeat.reports = r;
    ev.u.heartbeat.logs = n->logs;
    ev.u.heartbeat.logs_n = n->logs_n;
    ev.u.heartbeat.logs_more = n->logs_more;
    ev.u.heartbeat.reports_n = n->n;
    n->token = w->token;
    world_step(w, &ev);
    free(r);
}

void world_beat(struct world *w, struct world_node *n, int64_t hold_us)
{
    if (!n->registered)
        world_register(w, n);
    beat(w, n, n->response_id, hold_us);
}

void world_repeat(struct world *w, struct world_node *n)
{
    beat(w, n, n->response_id - 1, 0);
}

void world_beat_all(struct world *w, int64_t hold_us)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        if (w->nodes[i].up)
            world_beat(w, &w->nodes[i], hold_us);
}

void world_restart_node(struct world *w, struct world_node *n)
{
    snprintf(n->instance, sizeof n->instance, "instance%zu-%d", (size_t)(n - w->nodes),
             ++n->instance_n);
    n->up = true;
    n->token = 0;
    n->response_id = 0;
    world_register(w, n);
}

void world_reboot_node(struct world *w, struct world_node *n)
{
    snprintf(n->boot, sizeof n->boot, "boot%zu-%d", (size_t)(n - w->nodes), ++n->boot_n);
    n->sent_us = n->sent_us > 0; /* time stamps begin at the boot */
    n->n = 0;
    world_restart_node(w, n);
}

struct world_container *world_find(struct world *w, const struct base_container_id *id,
                                   struct world_node **node)
{
    for (size_t i = 0; i < w->nodes_n; i++) {
        struct world_container *ct = find_on(&w->nodes[i], id);

        if (ct) {
            *node = &w->nodes[i];
            return ct;
        }
    }
    return NULL;
}

struct world_container *world_task(struct world *w, struct base_app_id app,
                                   enum base_task_kind kind, int32_t index,
                                   struct world_node **node)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        for (size_t j = 0; w->nodes[i].up && j < w->nodes[i].n; j++) {
            struct world_container *ct = &w->nodes[i].v[j];

            if (!ct->ended && ct->has_task && ct->task.kind == kind && ct->task.index == index &&
                base_app_id_cmp(&ct->task.app, &app) == 0) {
                *node = &w->nodes[i];
                return ct;
            }
        }
    return NULL;
}

void world_run_dry(struct world *w)
{
    for (bool busy = true; busy;) {
        busy = false;
        for (size_t i = 0; i < w->nodes_n; i++) {
            struct world_node *n = &w->nodes[i];
            int64_t before = w->launches;

            if (!n->up)
                continue;
            for (size_t j = 0; j < n->n; j++)
                if (!n->v[j].ended && !n->v[j].suspended && n->v[j].has_task) {
                    n->v[j].ended = true;
                    n->v[j].exit_code = 0;
                    busy = true;
                }
            w->now += 1000;
            world_beat(w, n, 0);
            busy = busy || n->n || w->launches != before;
        }
    }
}

/* Returns the lists of w->included and w->excluded, with their entries in @host. */
static struct rm_host_lists host_lists(struct world *w, struct rm_listed_host host[2])
{
    host[0] = (struct rm_listed_host){w->included, -1};
    host[1] = (struct rm_listed_host){w->excluded, -1};
    return (struct rm_host_lists){.include = &host[0],
                                  .exclude = &host[1],
                                  .include_n = *w->included != '\0',
                                  .exclude_n = *w->excluded != '\0'};
}

void world_refresh(struct world *w, const char *include, const char *exclude, int64_t timeout_us)
{
    struct rm_event ev = {.kind = RM_EV_REFRESH_NODES, .token = ++w->token};
    struct rm_listed_host host[2];
    struct rm_host_lists lists;

    snprintf(w->included, sizeof w->included, "%s", include ? include : "");
    snprintf(w->excluded, sizeof w->excluded, "%s", exclude ? exclude : "");
    lists = host_lists(w, host);
    ev.u.refresh.lists = &lists;
    ev.u.refresh.graceful = timeout_us != 0;
    ev.u.refresh.timeout_us = timeout_us;
    world_step(w, &ev);
}

/* ---------------------------------------------------------------- looking */
struct rm_app_view world_app(struct world *w, struct base_app_id id)
{
    struct rm_views v = {0};
    struct rm_app_view a = {0};

    if (rm_view_app(w->core, id, &v) == 0)
        a = v.apps[0];
    rm_views_free(&v);
    return a;
}

enum rm_app_state world_state(struct world *w, struct base_app_id id)
{
    return world_app(w, id).state;
}

struct rm_task_view world_task_view(struct world *w, struct base_app_id id,
                                    enum base_task_kind kind, int32_t index, char diagnostics[256])
{
    struct rm_views v = {0};
    struct rm_task_view t = {0};
    int64_t pos = index;

    if (rm_view_tasks(w->core, id, kind, 0, &pos, 1, &v) == 0 && v.tasks_n) {
        t = v.tasks[0];
        if (diagnostics)
            snprintf(diagnostics, 256, "%s", t.diagnostics);
    }
    rm_views_free(&v);
    return t;
}

/* ---------------------------------------------------------------- restart */
static int by_table_key(const void *a, const void *b)
{
    const struct world_record *x = *(const struct world_record *const *)a,
                              *y = *(const struct world_record *const *)b;
    int c = strcmp(x->table, y->table);

    c = c ? c : strcmp(x->key, y->key);
    return c ? c : (x > y) - (x < y); /* order of the journal */
}

/* Returns true when @text is a valid submission, and is as strict as the shell's JSON decoder: a
 * damaged submission is rejected, or reads as another valid one. */
static bool decodes(bool is_job, const char *text)
{
    const int most[] = {999999, 999999, 1, 99, 99, 999999};
    int v[6], n = 0, more = 0;

    if (strlen(text) > 120 ||
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._0123456789 -") !=
            strlen(text) ||
        *text == ' ')
        return false;
    if (sscanf(text, "%*s %9d %9d %9d%n", &v[0], &v[1], &v[2], &n) != 3)
        return false;
    if (is_job && sscanf(text + n, " %9d %9d %9d%n", &v[3], &v[4], &v[5], &n) != 3)
        return false;
    if (!is_job && sscanf(text + n, " %9d%n", &v[3], &more) == 1) {
        if (v[3] < 0)
            return false;
        n += more;
    }
    for (int i = 0; i < (is_job ? 6 : 3); i++)
        if (v[i] < (i == 5 ? -1 : 0) || v[i] > most[i]) /* a priority may be -1 */
            return false;
    return is_job || text[n] == '\0';
}

static void recover_table(struct world *w, const struct world_record **v, size_t n,
                          const char *table)
{
    struct base_error err;

    for (size_t i = 0; i < n; i++) {
        struct rm_record rec = {v[i]->table, v[i]->key, v[i]->data, v[i]->len};
        bool newest = i + 1 == n || strcmp(v[i]->table, v[i + 1]->table) != 0 ||
                      strcmp(v[i]->key, v[i + 1]->key) != 0;

        if (!newest || !rec.data || strcmp(rec.table, table) != 0)
            continue;
        if (strcmp(table, "app") == 0) {
            bool is_job;
            const char *json;
            struct base_app_id id;

            if (rm_record_find_app_json(&rec, &is_job, &json, &id, &err) < 0 ||
                !decodes(is_job, json)) {
                rm_core_provide_app_spec_for_recovery(w->core, world_app_spec("unknown 1024 1 0"));
                rm_core_recover_undecodable_app(w->core, &rec, "its submission does not decode");
                continue;
            }
            if (is_job)
                rm_core_provide_job_spec_for_recovery(w->core, world_spec(json));
            else
                rm_core_provide_app_spec_for_recovery(w->core, world_app_spec(json));
        }
        if (rm_core_recover_record(w->core, &rec, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
    }
}

void world_crash(struct world *w, size_t records)
{
    static const char *const tables[] = {"meta", "app", "node", "task", "commit"};
    const struct world_record **v = base_realloc_array(NULL, records + 1, sizeof *v);
    struct rm_listed_host host[2];
    struct rm_host_lists lists;
    struct base_error err;

    for (size_t i = records; i < w->journal_n; i++) {
        free(w->journal[i].table);
        free(w->journal[i].key);
        free(w->journal[i].data);
    }
    w->journal_n = w->durable = records;
    for (size_t i = 0; i < records; i++)
        v[i] = &w->journal[i];
    qsort(v, records, sizeof *v, by_table_key);
    w->damaged = 0;
    rm_core_free(w->core);
    w->conf.epoch++;
    w->conf.rm_instance_ms++;
    w->conf.cluster_ts_ms++;
    w->core = rm_core_new(&w->conf, &err);
    base_assert(w->core);
    w->wake = 0;
    w->shell_n = 0;
    lists = host_lists(w, host);
    rm_core_provide_host_lists(w->core, &lists);
    for (size_t i = 0; i < 5; i++)
        recover_table(w, v, records, tables[i]);
    free(v);
    w->seq = w->stored = 0;
    for (size_t i = 0; i < records; i++)
        w->journal[i].seq = 0; /* records of an earlier RM: older than each of the new RM */
    for (size_t i = 0; i < w->nodes_n; i++) {
        w->nodes[i].registered = false;
        w->nodes[i].token = 0;
        w->nodes[i].response_id = 0;
    }
    rm_core_finish_recovery(w->core, w->now, &w->fx);
    apply(w);
    if (w->damaged && !w->may_be_damaged)
        fprintf(stderr, "the store was damaged by ourselves: %s\n", w->note);
    base_assert(w->damaged == 0 || w->may_be_damaged); /* only a test may damage records */
    world_settle(w);
}
