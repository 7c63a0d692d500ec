/* Records: reading back after a restart. Nothing here is trusted: what does not fit is reported as corrupt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/rm_internal.h"
#include "rm/core/rm_record.h"

/* ---------------------------------------------------------------- reader */
int64_t rm_get_int(struct rm_reader *r)
{
    bool negative = r->p < r->end && *r->p == '-', digits = false;
    uint64_t v = 0;

    r->p += negative;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++, digits = true) {
        r->bad = r->bad || v > (UINT64_C(1) << 63) / 10;
        v = v * 10 + (uint64_t)(*r->p - '0');
    }
    if (!digits || r->p == r->end || (*r->p != ' ' && *r->p != ':') || v > (uint64_t)INT64_MAX + negative) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    r->p++;
    return negative ? (int64_t)(0 - v) : (int64_t)v;
}

int64_t rm_get_int_in(struct rm_reader *r, int64_t low, int64_t high)
{
    int64_t v = rm_get_int(r);

    if (v < low || v > high) {
        r->bad = true;
        r->p = r->end;
        return low;
    }
    return r->bad ? low : v;
}

bool rm_get_slice(struct rm_reader *r, const char **text, size_t *n)
{
    int64_t len;

    if (r->end - r->p >= 2 && r->p[0] == '-' && r->p[1] == ' ') {
        r->p += 2;
        return false;
    }
    len = rm_get_int(r);
    if (r->bad || len < 0 || r->p[-1] != ':' || len >= r->end - r->p || r->p[len] != ' ') {
        r->bad = true;
        r->p = r->end;
        return false;
    }
    *text = r->p;
    *n = (size_t)len;
    r->p += len + 1;
    return true;
}

char *rm_get_text(struct rm_reader *r)
{
    const char *text;
    size_t n;

    return rm_get_slice(r, &text, &n) ? base_strndup(text, n) : NULL;
}

bool rm_get_word(struct rm_reader *r, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(r->end - r->p) <= n || memcmp(r->p, word, n) != 0 || r->p[n] != ' ') {
        r->bad = true;
        return false;
    }
    r->p += n + 1;
    return true;
}

static struct rm_reader reader(const struct rm_record *rec)
{
    return (struct rm_reader){.p = rec->data, .end = rec->data + rec->len, .bad = rec->data == NULL};
}

static int corrupt(const struct rm_record *rec, struct base_error *err, const char *what)
{
    return base_error_set(err, -BASE_ECORRUPT, "record %s/%s does not read back: %s", rec->table, rec->key, what);
}

int rm_record_app_json(const struct rm_record *rec, bool *is_job, const char **json, struct base_app_id *id,
                       struct base_error *err)
{
    struct rm_reader r = reader(rec);
    int64_t n;

    if (base_app_id_parse(rec->key, id, NULL) < 0)
        return corrupt(rec, err, "its key is no application id");
    if (!rm_get_word(&r, "a1"))
        return corrupt(rec, err, "unknown version");
    *is_job = rm_get_int_in(&r, 0, 1) == 1;
    n = rm_get_int_in(&r, 0, r.end - r.p);
    if (r.bad || n > r.end - r.p)
        return corrupt(rec, err, "no submission in it");
    *json = r.end - n; /* to the record's end: a zero byte follows if one follows the record */
    return 0;
}

/* ---------------------------------------------------------------- split lists */
/* @data: it will be read. */
static struct rm_stash *stash(const struct rm_record *rec, const char *table, bool data)
{
    struct rm_stash *s = base_alloc(sizeof *s);

    *s = (struct rm_stash){.table = table, .key = base_strdup(rec->key), .len = rec->len};
    if (!data)
        return s;
    s->data = base_realloc_array(NULL, rec->len + 1, 1);
    memcpy(s->data, rec->data, rec->len);
    s->data[rec->len] = '\0';
    return s;
}

static bool stash_eq(const void *object, const void *key)
{
    return strcmp(((const struct rm_stash *)object)->key, key) == 0;
}

static int recover_splits(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    if (!rec->data)
        return corrupt(rec, err, "it is empty");
    rm_map_put(&c->splits, rm_hash_text(rec->key), stash(rec, "meta", true));
    return 0;
}

static void stash_free(struct rm_stash *s)
{
    free(s->key);
    free(s->data);
    free(s);
}

void rm_recover_orphans(struct rm_core *c)
{
    for (size_t i = 0; i < c->splits.cap; i++)
        if (c->splits.v[i].p)
            rm_prune_orphan(c, c->splits.v[i].p);
    rm_map_free(&c->splits);
}

void rm_recover_free(struct rm_core *c)
{
    for (size_t i = 0; i < c->splits.cap; i++)
        if (c->splits.v[i].p)
            stash_free(c->splits.v[i].p);
    rm_map_free(&c->splits);
}

static void list_clear(struct rm_str_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct rm_str_list){0};
}

static bool read_list(struct rm_reader *r, struct rm_str_list *l)
{
    size_t n = (size_t)rm_get_int_in(r, 0, r->end - r->p);

    if (r->bad)
        return false;
    l->v = base_alloc(n * sizeof *l->v);
    for (l->n = 0; l->n < n; l->n++) {
        l->v[l->n] = rm_get_text(r);
        if (!l->v[l->n])
            return false;
    }
    return true;
}

/* Puts the stored splits in place of those the shell may have found now. */
static bool read_splits(const struct rm_stash *s, struct rm_job_spec *spec)
{
    struct rm_reader r = {.p = s->data, .end = s->data + s->len};
    size_t n;

    list_clear(&spec->paths);
    for (size_t i = 0; i < spec->splits_n; i++)
        list_clear(&spec->splits[i].hosts);
    free(spec->splits);
    spec->splits = NULL;
    spec->splits_n = 0;
    if (!rm_get_word(&r, "s1") || !read_list(&r, &spec->paths))
        return false;
    n = (size_t)rm_get_int_in(&r, 0, r.end - r.p);
    if (r.bad)
        return false;
    spec->splits = base_alloc(n * sizeof *spec->splits);
    for (size_t i = 0; i < n; i++) {
        struct rm_split_spec *sp = &spec->splits[i];

        spec->splits_n = i + 1;
        sp->path = (uint32_t)rm_get_int_in(&r, 0, spec->paths.n ? (int64_t)spec->paths.n - 1 : 0);
        sp->offset = rm_get_int_in(&r, 0, INT64_MAX);
        sp->length = rm_get_int_in(&r, 0, INT64_MAX);
        sp->gzip = rm_get_int_in(&r, 0, 1) == 1;
        if (!read_list(&r, &sp->hosts))
            return false;
    }
    return !r.bad;
}

static struct rm_stash *splits_of(struct rm_core *c, const struct rm_record *rec)
{
    char key[BASE_ID_TEXT_MAX + 8];

    snprintf(key, sizeof key, "splits_%s", rec->key);
    return rm_map_find(&c->splits, rm_hash_text(key), stash_eq, key);
}

static int use_splits(struct rm_core *c, const struct rm_record *rec, struct rm_job_spec *spec, struct base_error *err)
{
    const struct rm_stash *s = splits_of(c, rec);

    return !s || read_splits(s, spec) ? 0 : corrupt(rec, err, "its list of splits is damaged");
}

static void drop_splits(struct rm_core *c, const struct rm_record *rec)
{
    struct rm_stash *s = splits_of(c, rec);

    if (!s)
        return;
    rm_map_remove(&c->splits, rm_hash_text(s->key), s);
    stash_free(s);
}

/* ---------------------------------------------------------------- applications */
void rm_core_recover_job(struct rm_core *c, struct rm_job_spec *spec)
{
    rm_job_spec_unref(c->recover_job);
    c->recover_job = spec;
}

void rm_core_recover_app(struct rm_core *c, struct rm_app_spec *spec)
{
    rm_app_spec_unref(c->recover_app);
    c->recover_app = spec;
}

static void read_attempt(struct rm_core *c, struct rm_reader *r, struct rm_app *a)
{
    struct rm_attempt *at = rm_am_attempt_add(c, a);

    at->id.attempt = (int32_t)rm_get_int_in(r, 1, INT32_MAX);
    at->state = (enum rm_attempt_state)rm_get_int_in(r, 0, RM_ATTEMPT_STATES - 1);
    at->state_before = at->state;
    at->registered = rm_get_int_in(r, 0, 1) == 1;
    at->has_master = rm_get_int_in(r, 0, 1) == 1;
    at->master_id = (struct base_container_id){at->id, rm_get_int(r)};
    at->node_id = rm_get_text(r);
    at->node_http = rm_get_text(r);
    at->host = rm_get_text(r);
    at->tracking_url = rm_get_text(r);
    at->diagnostics = rm_get_text(r);
    at->rpc_port = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    at->exit_code = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    at->start_us = rm_get_int(r);
    at->finish_us = rm_get_int(r);
    at->next_num = rm_get_int_in(r, 1, INT64_MAX);
    if (at->next_num < 2 || c->conf.epoch > 0)
        at->next_num = at->has_master ? 2 : 1;
}

/* The queue of one that is going on: its own, made again when it is no longer configured; else what the rules say now;
 * else root.default, or root. One that no rule took before it was accepted has none. */
static uint32_t queue_of_live(struct rm_core *c, const struct rm_app *a, const char *name)
{
    const struct rm_str_list nobody = {0};
    uint32_t index;
    int32_t at;

    if (name && policy_queue_check_name(name, NULL) == 0 && c->tree.n + POLICY_QUEUE_DEPTH_MAX <= POLICY_QUEUES_MAX)
        return (uint32_t)policy_queues_make(&c->tree, name);
    if (rm_queue_place(c, a->queue, a->user, &nobody, &index, NULL) == 0 || a->state == RM_APP_NEW_SAVING)
        return index;
    at = policy_queues_find(&c->tree, "default");
    return at > 0 ? (uint32_t)at : 0;
}

/* Back into the queue it was in, whatever the rules of placement say now. */
static void rejoin_queue(struct rm_core *c, struct rm_app *a, const char *name)
{
    int32_t at = policy_queues_find(&c->tree, name);
    bool live = !rm_app_ended(a->state) && a->state != RM_APP_FINAL_SAVING;
    uint32_t index = at >= 0 ? (uint32_t)at : live ? queue_of_live(c, a, name) : RM_NONE;

    rm_queues_sync(c);
    rm_app_enter_queue(c, a, index);
    if (index != RM_NONE || !name)
        return;
    /* it has ended, and its queue has gone */
    a->placed = base_strdup(strncmp(name, "root.", 5) == 0 ? name + 5 : name);
    a->queue = a->placed;
}

/* An ended job whose tasks have no records any more, or none that are needed. */
static void read_sums(struct rm_reader *r, struct rm_app *a)
{
    int64_t n;

    a->pruned = a->summed = true;
    for (int k = 0; k < RM_SLOT_KINDS; k++) {
        a->phase[k].total = (int32_t)rm_get_int_in(r, 0, INT32_MAX / 2);
        a->phase[k].succeeded = (int32_t)rm_get_int_in(r, 0, a->phase[k].total);
    }
    a->memory_us = rm_get_int_in(r, 0, INT64_MAX);
    a->vcore_us = rm_get_int_in(r, 0, INT64_MAX);
    n = rm_get_int_in(r, 0, RM_C_TASK_COUNTERS);
    for (int64_t i = 0; i < n; i++)
        a->counters[i] = rm_get_int(r);
    r->bad = r->bad || !a->is_job || (!rm_app_ended(a->state) && a->state != RM_APP_FINAL_SAVING);
}

static void read_app(struct rm_core *c, struct rm_reader *r, struct rm_app *a)
{
    int64_t n, deadline_at = a->submit_us + a->pj.deadline_us;
    char *queue = NULL;

    a->submit_us = a->pj.submit_us = rm_get_int(r);
    if (a->is_job && a->job->deadline_at_us) /* as long as it was when it was submitted */
        a->pj.deadline_us = deadline_at > a->submit_us ? deadline_at - a->submit_us : 1;
    a->launch_us = rm_get_int(r);
    a->start_us = rm_get_int(r);
    a->pj.first_us = a->is_job ? a->start_us : 0;
    a->finish_us = rm_get_int(r);
    a->state = (enum rm_app_state)rm_get_int_in(r, RM_APP_NEW_SAVING, RM_APP_STATES - 1);
    a->state_before = (enum rm_app_state)rm_get_int_in(r, 0, RM_APP_STATES - 1);
    a->target = (enum rm_app_state)rm_get_int_in(r, 0, RM_APP_STATES - 1);
    a->final_status = (enum rm_final_status)rm_get_int_in(r, 0, RM_FINAL_ENDED);
    a->ending = (enum rm_app_end)rm_get_int_in(r, 0, RM_END_KILL);
    a->set_up = rm_get_int_in(r, 0, 1) == 1;
    a->diagnostics = rm_get_text(r);
    n = rm_get_int_in(r, 0, RM_C_COUNTERS - RM_C_TASK_COUNTERS);
    for (int64_t i = 0; i < n; i++)
        a->counters[RM_C_TASK_COUNTERS + i] = rm_get_int(r);
    a->failed_attempts = (int32_t)rm_get_int_in(r, 0, INT32_MAX);
    n = rm_get_int_in(r, 0, 1000000);
    for (int64_t i = 0; i < n && !r->bad; i++)
        read_attempt(c, r, a);
    if (r->p != r->end) { /* older records end here */
        a->promised_us = rm_get_int(r);
        a->earliest_us = rm_get_int(r);
    }
    if (r->p != r->end)
        queue = rm_get_text(r);
    /* what waited for this record has it now */
    if (a->state == RM_APP_SUBMITTED)
        a->state = RM_APP_NEW_SAVING;
    rejoin_queue(c, a, queue);
    free(queue);
    a->epoch = r->p != r->end ? rm_get_int(r) : 0;
    if (r->p != r->end)
        read_sums(r, a);
}

static int recover_app(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = reader(rec);
    const char *json;
    bool is_job;
    struct base_app_id id;
    struct rm_job_spec *job = c->recover_job;
    struct rm_app_spec *spec = c->recover_app;
    struct rm_app *a;
    char *token;
    int rc = rm_record_app_json(rec, &is_job, &json, &id, err);

    if (rc < 0)
        return rc;
    if ((is_job && !job) || (!is_job && !spec))
        return corrupt(rec, err, "its submission was not decoded");
    if (rm_app_find(c, id))
        return corrupt(rec, err, "it is there twice");
    c->recover_job = NULL;
    c->recover_app = NULL;
    if (is_job) {
        rm_app_spec_unref(spec);
        spec = NULL;
        job->id = id;
        rc = use_splits(c, rec, job, err);
    } else {
        rm_job_spec_unref(job);
        job = NULL;
        spec->id = id;
    }
    if (rc < 0) {
        rm_job_spec_unref(job);
        return rc;
    }
    rm_get_word(&r, "a1");
    rm_get_int(&r);
    r.end = json;
    rm_get_int(&r);
    token = rm_get_text(&r);
    a = rm_app_new(c, id, job, spec, token);
    free(token);
    read_app(c, &r, a);
    if (r.bad || r.p != r.end)
        return corrupt(rec, err, "it is cut short or damaged");
    if (!is_job || a->pruned) /* its splits are nobody's then */
        return 0;
    rm_tasks_init(c, a);
    drop_splits(c, rec);
    return 0;
}

/* ---------------------------------------------------------------- nodes */
static int recover_node(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = reader(rec);
    enum rm_node_state state;
    struct rm_node *n;
    char *host, *http, *rack, *version, *boot, *instance;
    int32_t maps, reduces;
    int64_t sent_us;
    bool gone;

    if (!rm_get_word(&r, "n1"))
        return corrupt(rec, err, "unknown version");
    state = (enum rm_node_state)rm_get_int_in(&r, 0, RM_NODE_STATES - 1);
    host = rm_get_text(&r);
    http = rm_get_text(&r);
    rack = rm_get_text(&r);
    version = rm_get_text(&r);
    boot = rm_get_text(&r);
    instance = rm_get_text(&r);
    maps = (int32_t)rm_get_int_in(&r, 0, INT32_MAX);
    reduces = (int32_t)rm_get_int_in(&r, 0, INT32_MAX);
    sent_us = !r.bad && r.p < r.end ? rm_get_int_in(&r, 0, INT64_MAX) : 0;
    if (r.bad || !host || rm_node_find(c, rec->key)) {
        free(host);
        free(http);
        free(rack);
        free(version);
        free(boot);
        free(instance);
        return corrupt(rec, err, r.bad || !host ? "it is cut short or damaged" : "it is there twice");
    }
    n = rm_node_new(c, rec->key);
    gone = state == RM_NODE_LOST || state == RM_NODE_SHUTDOWN || state == RM_NODE_REBOOTED ||
           state == RM_NODE_DECOMMISSIONED;
    n->state = gone ? state : RM_NODE_NEW;
    n->http = http;
    n->version = version;
    n->boot_id = boot;
    n->instance = instance;
    n->health_report = base_strdup("");
    n->sent_us = sent_us;
    rm_node_set_place(c, n, host, rack);
    rm_node_set_slots(c, n, maps, reduces);
    free(host);
    free(rack);
    n->awaited = !gone;
    c->awaited += n->awaited;
    return 0;
}

/* ---------------------------------------------------------------- tasks */
static struct rm_node *node_of(struct rm_core *c, const char *id)
{
    struct rm_node *n = rm_node_find(c, id);

    if (n || !id)
        return n;
    n = rm_node_new(c, id); /* its record has gone: only its name is left */
    n->state = RM_NODE_LOST;
    n->instance = base_strdup("");
    n->health_report = base_strdup("");
    rm_node_set_place(c, n, id, NULL);
    return n;
}

/* The task of a record. 1: its application was being removed when the RM stopped; the rest of it is removed later. */
static int task_of(struct rm_core *c, const struct rm_record *rec, struct rm_app **app, struct rm_task **task,
                   struct base_error *err)
{
    struct base_task_id id;

    if (base_task_id_parse(rec->key, &id, NULL) < 0)
        return corrupt(rec, err, "its key is no task id");
    *app = rm_app_find(c, id.app);
    if (!*app || (*app)->pruned) {
        rm_prune_orphan(c, stash(rec, strcmp(rec->table, "task") == 0 ? "task" : "commit", false));
        return 1;
    }
    *task = rm_task_find(*app, id.kind, id.index);
    return *task ? 0 : corrupt(rec, err, "there is no such task");
}

static void read_counters(struct rm_reader *r, struct rm_app *a, struct rm_task *t)
{
    int64_t n = rm_get_int_in(r, 0, RM_C_TASK_COUNTERS), *counters;

    if (!n || r->bad)
        return;
    counters = rm_task_counters(a, t, true);
    for (int64_t i = 0; i < n; i++) {
        counters[i] = rm_get_int(r);
        a->counters[i] += counters[i];
    }
}

/* The state it had may not be the one it has now: what was running is pending until its node tells. */
static void take_state(struct rm_core *c, struct rm_app *a, struct rm_task *t, enum rm_task_state state)
{
    struct rm_phase *p = &a->phase[t->kind];

    if (state == RM_TASK_PENDING || state == RM_TASK_RUNNING || state == RM_TASK_SUSPENDED)
        return;
    rm_pick_remove(a, t);
    p->pending--;
    p->succeeded += state == RM_TASK_SUCCEEDED;
    t->state = (uint8_t)state;
    if (state == RM_TASK_SUCCEEDED && t->kind == RM_SLOT_MAP && a->phase[RM_SLOT_REDUCE].total)
        rm_task_output_there(c, a, t);
}

static int recover_task(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = reader(rec);
    struct rm_app *a = NULL;
    struct rm_task *t = NULL;
    enum rm_task_state state;
    struct rm_node *n;
    int64_t bad;
    char *id;
    int rc = task_of(c, rec, &a, &t, err);

    if (rc)
        return rc < 0 ? rc : 0;
    if (!rm_get_word(&r, "t1"))
        return corrupt(rec, err, "unknown version");
    state = (enum rm_task_state)rm_get_int_in(&r, 0, RM_TASK_STATES - 1);
    t->attempts = (int32_t)rm_get_int_in(&r, 0, INT32_MAX);
    t->next_attempt = (int32_t)rm_get_int_in(&r, 0, RM_TASK_ATTEMPT_MAX + 1000000); /* it is counted on from here */
    t->last_attempt = (int32_t)rm_get_int_in(&r, -1, INT32_MAX);
    t->failures = (int32_t)rm_get_int_in(&r, 0, INT32_MAX);
    t->exit_code = (int32_t)rm_get_int_in(&r, INT32_MIN, INT32_MAX);
    t->container_num = rm_get_int(&r);
    id = rm_get_text(&r);
    n = node_of(c, id);
    t->node = n ? n->index : RM_NONE;
    free(id);
    t->start_us = rm_get_int(&r);
    t->finish_us = rm_get_int(&r);
    t->diagnostics = rm_get_text(&r);
    bad = rm_get_int_in(&r, 0, 1000000);
    for (int64_t i = 0; i < bad && !r.bad; i++) {
        id = rm_get_text(&r);
        if (id)
            rm_task_bad_add(t, node_of(c, id)->index);
        free(id);
    }
    a->phase[t->kind].avoiding += bad > 0;
    read_counters(&r, a, t);
    if (r.p != r.end)
        t->suspended_us = rm_get_int(&r);
    if (r.bad)
        return corrupt(rec, err, "it is cut short or damaged");
    take_state(c, a, t, state);
    return 0;
}

static int recover_commit(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = reader(rec);
    struct rm_app *a = NULL;
    struct rm_task *t = NULL;
    int rc = task_of(c, rec, &a, &t, err);

    if (rc)
        return rc < 0 ? rc : 0;
    if (!rm_get_word(&r, "c1"))
        return corrupt(rec, err, "unknown version");
    t->commit_attempt = (int32_t)rm_get_int_in(&r, -1, INT32_MAX);
    t->commit_stored = true;
    return r.bad ? corrupt(rec, err, "it is cut short or damaged") : 0;
}

int rm_core_recover(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    if (strcmp(rec->table, "app") == 0)
        return recover_app(c, rec, err);
    if (strcmp(rec->table, "node") == 0)
        return recover_node(c, rec, err);
    if (strcmp(rec->table, "task") == 0)
        return recover_task(c, rec, err);
    if (strcmp(rec->table, "commit") == 0)
        return recover_commit(c, rec, err);
    if (strcmp(rec->table, "meta") != 0)
        return corrupt(rec, err, "unknown table");
    if (strcmp(rec->key, "format") == 0)
        return rm_confirm_recover(c, rec, err);
    return strncmp(rec->key, "splits_", 7) == 0 ? recover_splits(c, rec, err) : 0;
}
