/* Reads records back after a restart. Nothing in a record is trusted: each record is read
 * completely before anything in it takes effect. What is lost with a damaged record is described in
 * rm/core/record/damage.h. */
#include "rm/core/record/read_back.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/admin/master_keys.h"
#include "rm/core/admin/resource.h"
#include "rm/core/app/app_nodes.h"
#include "rm/core/job/job_kind.h"
#include "rm/core/job/pick.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/master/plain_kind.h"
#include "rm/core/record/app_record.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/damage.h"
#include "rm/core/record/prune.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

static bool stash_has_key(const void *object, const void *key)
{
    return strcmp(((const struct rm_stash *)object)->key, key) == 0;
}

/* Keeps a list of splits until its job is read. */
static int stash_splits(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    if (!rec->data)
        return rm_record_set_corrupt_error(rec, err, "it is empty");
    base_map_add(&c->splits, base_hash_text(rec->key), rm_stash_new(rec, "meta", true));
    return 0;
}

void rm_recover_prune_unused_splits(struct rm_core *c)
{
    for (size_t i = 0; i < c->splits.cap; i++)
        if (c->splits.slot[i].object)
            rm_prune_queue_orphan_record(c, c->splits.slot[i].object);
    base_map_free(&c->splits);
}

void rm_recover_free_stashed_splits(struct rm_core *c)
{
    for (size_t i = 0; i < c->splits.cap; i++)
        if (c->splits.slot[i].object)
            rm_stash_free(c->splits.slot[i].object);
    base_map_free(&c->splits);
}

static void clear_text_list(struct rm_str_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct rm_str_list){0};
}

static bool read_text_list(struct rm_reader *r, struct rm_str_list *l)
{
    size_t n = (size_t)rm_get_int_in(r, 0, (r->end - r->p) / 3); /* "0: " is the shortest */

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

static void clear_splits(struct rm_job_spec *spec)
{
    clear_text_list(&spec->paths);
    for (size_t i = 0; i < spec->splits_n; i++)
        clear_text_list(&spec->splits[i].hosts);
    free(spec->splits);
    spec->splits = NULL;
    spec->splits_n = 0;
}

#define SPLIT_BYTES_MIN 10 /* "0 0 0 0 0 " */

/* Replaces the splits in @spec, which the shell may have found in the present files, by the stored
 * ones. Returns false when the list is damaged. */
static bool read_splits(const struct rm_stash *s, struct rm_job_spec *spec)
{
    struct rm_reader r = {.p = s->data, .end = s->data + s->len};
    size_t n;

    clear_splits(spec);
    if (!rm_skip_word(&r, "s1") || !read_text_list(&r, &spec->paths))
        return false;
    n = (size_t)rm_get_int_in(&r, 0, (r.end - r.p) / SPLIT_BYTES_MIN);
    if (r.bad)
        return false;
    spec->splits = base_alloc(n * sizeof *spec->splits);
    for (size_t i = 0; i < n; i++) {
        struct rm_split_spec *sp = &spec->splits[i];

        spec->splits_n = i + 1;
        sp->path = (uint32_t)rm_get_int_in(&r, 0, spec->paths.n ? (int64_t)spec->paths.n - 1 : 0);
        sp->offset = rm_get_int_in(&r, 0, INT64_MAX);
        sp->length = rm_get_int_in(&r, 0, INT64_MAX - sp->offset);
        sp->gzip = rm_get_int_in(&r, 0, 1) == 1;
        if (!read_text_list(&r, &sp->hosts))
            return false;
    }
    return !r.bad && r.p == r.end && (n == 0 || spec->paths.n > 0);
}

static struct rm_stash *find_stashed_splits(struct rm_core *c, const struct rm_record *rec)
{
    char key[BASE_ID_TEXT_MAX + 8];

    snprintf(key, sizeof key, "splits_%s", rec->key);
    return base_map_find(&c->splits, base_hash_text(key), stash_has_key, key);
}

/* Puts the stored list of splits into @spec. Returns NULL when @spec has the splits or needs none;
 * otherwise what is wrong, and @spec has no splits. */
static const char *load_stashed_splits(struct rm_core *c, const struct rm_record *rec,
                                       struct rm_job_spec *spec)
{
    struct rm_stash *s = find_stashed_splits(c, rec);

    if (!s)
        return spec->groups_n || spec->splits_n || !spec->input.n
                   ? NULL
                   : "its list of splits is not there";
    if (read_splits(s, spec))
        return NULL;
    clear_splits(spec);
    return "its list of splits is damaged";
}

/* Drops the stashed list of splits, if there is one. @damaged: a copy is kept in the store. */
static void drop_stashed_splits(struct rm_core *c, const struct rm_record *rec, bool damaged)
{
    struct rm_stash *s = find_stashed_splits(c, rec);
    struct base_error err;

    if (!s)
        return;
    if (damaged) {
        const struct rm_record splits = {s->table, s->key, s->data, s->len};

        rm_record_set_corrupt_error(&splits, &err, "it is cut short or damaged");
        rm_damage_keep_copy(c, &splits, err.text);
    }
    base_map_remove(&c->splits, base_hash_text(s->key), s);
    rm_stash_free(s);
}

void rm_core_provide_job_spec_for_recovery(struct rm_core *c, struct rm_job_spec *spec)
{
    rm_job_spec_unref(c->recover_job);
    c->recover_job = spec;
}

void rm_core_provide_app_spec_for_recovery(struct rm_core *c, struct rm_app_spec *spec)
{
    rm_app_spec_unref(c->recover_app);
    c->recover_app = spec;
}

/* Chooses a queue for a live application whose queue is no longer in the tree: that queue @name,
 * created again, if the name is valid and the tree is not full; else the queue in which the rules
 * place the application now; else root.default or root. Returns RM_NONE when the application was
 * not accepted yet and no rule accepts it. */
static uint32_t choose_queue_for_live_app(struct rm_core *c, const struct rm_app *a,
                                          const char *name)
{
    const struct rm_str_list nobody = {0};
    uint32_t index;
    int32_t at;

    if (name && policy_queue_check_name(name, NULL) == 0 &&
        c->tree.n + POLICY_QUEUE_DEPTH_MAX <= POLICY_QUEUES_MAX)
        return (uint32_t)policy_queues_add_dynamic(&c->tree, name);
    if (rm_queue_place_submission(c, a->queue, a->user, &nobody, &index, NULL) == 0 ||
        a->state == RM_APP_NEW_SAVING)
        return index;
    at = policy_queues_find(&c->tree, "default");
    return at > 0 ? (uint32_t)at : 0;
}

/* Puts @a back into its queue @name, whatever the placement rules say now. */
static void restore_queue_of_app(struct rm_core *c, struct rm_app *a, const char *name)
{
    int32_t at = policy_queues_find(&c->tree, name);
    uint32_t index = at >= 0                    ? (uint32_t)at
                     : rm_app_end_is_decided(a) ? RM_NONE
                                                : choose_queue_for_live_app(c, a, name);

    rm_queues_add_counts_and_tell_policy(c);
    rm_app_enter_queue(c, a, index);
    if (index != RM_NONE || !name)
        return;
    /* the application has ended, and its queue is gone: show the name */
    a->placed = base_strdup(strncmp(name, "root.", 5) == 0 ? name + 5 : name);
    a->queue = a->placed;
}

/* Moves the specs that the shell has provided for this record to *@job and *@spec; each may be
 * NULL. */
static void take_provided_specs(struct rm_core *c, struct rm_job_spec **job,
                                struct rm_app_spec **spec)
{
    *job = c->recover_job;
    *spec = c->recover_app;
    c->recover_job = NULL;
    c->recover_app = NULL;
}

/* Keeps the spec of the right kind and frees the other. */
static void keep_spec_of_kind(struct base_app_id id, bool is_job, struct rm_job_spec **job,
                              struct rm_app_spec **spec)
{
    if (is_job) {
        rm_app_spec_unref(*spec);
        *spec = NULL;
        (*job)->id = id;
    } else {
        rm_job_spec_unref(*job);
        *job = NULL;
        (*spec)->id = id;
    }
}

static struct rm_app *new_app_of_spec(struct rm_core *c, struct base_app_id id,
                                      struct rm_job_spec *job, struct rm_app_spec *spec)
{
    return rm_app_new(c, job ? &rm_job_kind : &rm_plain_kind, id, job, spec, NULL);
}

/* Handles a good record of a job whose list of splits is missing or damaged: a live job fails, an
 * ended one is shown without its tasks. */
static void handle_missing_splits(struct rm_core *c, const struct rm_record *rec, struct rm_app *a,
                                  const char *wrong)
{
    struct base_error err;

    drop_stashed_splits(c, rec, true);
    if (rm_app_end_is_decided(a)) {
        a->pruned = a->summed = true;
        return;
    }
    base_error_set(&err, -BASE_ECORRUPT, "record meta/splits_%s: %s", rec->key, wrong);
    rm_damage_fail_app(c, a, err.text);
}

/* Creates the damaged application as failed, with the spec that was provided or an empty one, and
 * keeps a copy of its record. Only keeps the copy if the key is not an id, or its id is in use. */
static void restore_damaged_app(struct rm_core *c, const struct rm_record *rec, const char *why)
{
    struct rm_job_spec *job;
    struct rm_app_spec *spec;
    struct base_app_id id;

    take_provided_specs(c, &job, &spec);
    rm_damage_keep_copy(c, rec, why);
    if (base_app_id_parse(rec->key, &id, NULL) < 0 || id.seq < 1 || rm_app_find(c, id)) {
        rm_job_spec_unref(job);
        rm_app_spec_unref(spec);
        return;
    }
    if (!job && !spec) {
        spec = base_alloc(sizeof *spec);
        spec->refs = 1;
    }
    keep_spec_of_kind(id, job != NULL, &job, &spec);
    rm_damage_fail_app(c, new_app_of_spec(c, id, job, spec), why);
}

void rm_core_recover_undecodable_app(struct rm_core *c, const struct rm_record *rec,
                                     const char *why)
{
    struct base_error err;

    rm_record_set_corrupt_error(rec, &err, why);
    restore_damaged_app(c, rec, err.text);
}

static int recover_app(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    const char *json, *wrong, *no_splits = NULL;
    char *queue = NULL;
    bool is_job;
    struct base_app_id id;
    struct rm_job_spec *job;
    struct rm_app_spec *spec;
    struct rm_app *a;
    int rc = rm_record_find_app_json(rec, &is_job, &json, &id, err);

    if (rc < 0)
        return rc;
    if (is_job ? !c->recover_job : !c->recover_app)
        return rm_record_set_corrupt_error(rec, err, "its submission was not decoded");
    if (rm_app_find(c, id))
        return rm_record_set_corrupt_error(rec, err, "it is a duplicate");
    take_provided_specs(c, &job, &spec);
    keep_spec_of_kind(id, is_job, &job, &spec);
    if (is_job)
        no_splits = load_stashed_splits(c, rec, job);
    a = new_app_of_spec(c, id, job, spec);
    wrong = rm_app_record_read(c, rec, json, a, &queue);
    if (rm_app_needs_setup(a, &c->conf)) { /* its setup finds the splits anew */
        no_splits = NULL;
        clear_splits(a->job);
        rm_app_set_policy_sizes(a);
    }
    rm_app_set_deadline_from_spec(a);
    if (!wrong)
        wrong = rm_damage_find_contradiction(a);
    if (wrong) {
        rm_record_set_corrupt_error(rec, err, wrong);
        rm_damage_keep_copy(c, rec, err->text);
        rm_damage_fail_app(c, a, err->text);
    } else if (is_job && !a->pruned && no_splits) {
        handle_missing_splits(c, rec, a, no_splits);
    }
    if (!a->damaged)
        restore_queue_of_app(c, a, queue);
    free(queue);
    if (!is_job || a->pruned) /* no tasks to restore */
        return 0;
    rm_tasks_create(c, a);
    drop_stashed_splits(c, rec, false);
    return 0;
}

/* The node may still run containers: it is awaited by its name, and reports the rest as it
 * registers. */
static void restore_damaged_node(struct rm_core *c, const struct rm_record *rec, const char *why)
{
    const char *colon = strrchr(rec->key, ':');
    struct rm_node *n;
    char *host;

    rm_damage_keep_copy(c, rec, why);
    if (!colon || colon == rec->key || strlen(rec->key) > BASE_NAME_MAX ||
        rm_node_find(c, rec->key))
        return;
    n = rm_node_new(c, rec->key);
    n->state = RM_NODE_NEW;
    n->instance = base_strdup("");
    n->health_report = base_strdup("");
    host = base_strndup(rec->key, (size_t)(colon - rec->key));
    rm_node_set_host_and_rack(c, n, host, NULL);
    free(host);
    n->awaited = true;
    c->awaited++;
}

static int recover_node(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    enum rm_node_state state;
    struct rm_node *n;
    char *host, *http, *rack, *version, *boot, *instance;
    int32_t maps, reduces, masters;
    int64_t sent_us, until_us = 0, overcommit_at_us = 0, memory_mb = -1, vcores = -1;
    bool gone, draining = false, decommissioning = false;
    int form = r.end - r.p > 2 && r.p[1] >= '1' && r.p[1] <= '4' ? r.p[1] - '0' : 1;

    if (!rm_skip_word(&r, (const char *const[]){"n1", "n2", "n3", "n4"}[form - 1]))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    state = (enum rm_node_state)rm_get_int_in(&r, 0, RM_NODE_STATES - 1);
    host = rm_get_text(&r);
    http = rm_get_text(&r);
    rack = rm_get_text(&r);
    version = rm_get_text(&r);
    boot = rm_get_text(&r);
    instance = rm_get_text(&r);
    maps = (int32_t)rm_get_int_in(&r, 0, BASE_NODE_SLOTS_MAX);
    reduces = (int32_t)rm_get_int_in(&r, 0, BASE_NODE_SLOTS_MAX);
    sent_us = !r.bad && r.p < r.end ? rm_get_int_in(&r, 0, INT64_MAX) : 0;
    if (form >= 2) {
        draining = rm_get_int_in(&r, 0, 1) == 1;
        decommissioning = rm_get_int_in(&r, 0, 1) == 1;
        until_us = rm_get_time(&r);
        memory_mb = rm_get_int_in(&r, -1, INT32_MAX);
        vcores = rm_get_int_in(&r, -1, INT32_MAX);
    }
    if (form >= 3)
        overcommit_at_us = rm_get_time(&r);
    masters = form >= 4 ? (int32_t)rm_get_int_in(&r, 0, BASE_NODE_SLOTS_MAX) : 0;
    if (r.bad || r.p != r.end || !host || rm_node_find(c, rec->key)) {
        bool twice = !r.bad && r.p == r.end && host;

        free(host);
        free(http);
        free(rack);
        free(version);
        free(boot);
        free(instance);
        return rm_record_set_corrupt_error(
            rec, err, twice ? "it is a duplicate" : "it is cut short or damaged");
    }
    n = rm_node_new(c, rec->key);
    gone = state == RM_NODE_LOST || state == RM_NODE_SHUTDOWN || state == RM_NODE_REBOOTED ||
           state == RM_NODE_DECOMMISSIONED;
    n->state = gone ? state : RM_NODE_NEW;
    n->http = http;
    n->version = version;
    n->boot_id = boot;
    n->instance = instance;
    /* Without the last byte, which earlier versions did not write. Creel's own are hex digits. */
    n->is_hadoop =
        instance && strncmp(instance, RM_HADOOP_INSTANCE, strlen(RM_HADOOP_INSTANCE) - 1) == 0;
    n->health_report = base_strdup("");
    n->sent_us = sent_us;
    n->draining = draining;
    n->decommissioning = decommissioning && !gone;
    n->decommission_at_us = until_us;
    n->decommission_timeout_us = until_us ? INT64_MIN : -1; /* the time-out is not stored */
    rm_node_set_host_and_rack(c, n, host, rack);
    n->registered_slots[BASE_TASK_MAP] = maps;
    n->registered_slots[BASE_TASK_REDUCE] = reduces;
    n->masters.registered = masters;
    n->resource_given = memory_mb >= 0 && vcores >= 0;
    n->given.v[RM_RES_MEMORY_MB] = memory_mb;
    n->given.v[RM_RES_VCORES] = vcores;
    n->overcommit_at_us = overcommit_at_us;
    rm_node_apply_resource(c, n);
    free(host);
    free(rack);
    n->awaited = !gone;
    c->awaited += n->awaited;
    rm_master_slots_recount_node(c, n);
    return 0;
}

/* Returns the node that a task record of @a names. If that node has no record any more, and @a has
 * not ended, creates a lost node of that name. Returns NULL when @id is NULL, or for an unknown
 * node of an ended application. */
static struct rm_node *find_or_recreate_node(struct rm_core *c, const struct rm_app *a,
                                             const char *id)
{
    struct rm_node *n = rm_node_find(c, id);

    if (n || !id || rm_app_end_is_decided(a))
        return n;
    n = rm_node_new(c, id); /* only its name is left */
    n->state = RM_NODE_LOST;
    n->instance = base_strdup("");
    n->health_report = base_strdup("");
    rm_node_set_host_and_rack(c, n, id, NULL);
    return n;
}

/* Finds the application and the task of a record. Returns 0, a negative BASE_E* with @err set, or 1
 * when the application has been removed or is shown without tasks; the record is then removed
 * later. */
static int find_task_of_record(struct rm_core *c, const struct rm_record *rec, struct rm_app **app,
                               struct rm_task **task, struct base_error *err)
{
    struct base_task_id id;

    if (base_task_id_parse(rec->key, &id, NULL) < 0)
        return rm_record_set_corrupt_error(rec, err, "its key is no task id");
    *app = rm_app_find(c, id.app);
    if (!*app || (*app)->pruned || !(*app)->is_job) {
        rm_prune_queue_orphan_record(
            c, rm_stash_new(rec, strcmp(rec->table, "task") == 0 ? "task" : "commit", false));
        return 1;
    }
    *task = rm_task_find(*app, id.kind, id.index);
    return *task ? 0 : rm_record_set_corrupt_error(rec, err, "there is no such task");
}

/* Restores a final state only: a task that was running is pending until its node reports it. */
static void restore_task_if_ended(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                                  enum rm_task_state state)
{
    struct rm_phase *p = &a->phase[t->kind];

    if (state == RM_TASK_PENDING || state == RM_TASK_RUNNING || state == RM_TASK_SUSPENDED)
        return;
    rm_pick_unmark_pending(a, t);
    p->pending--;
    p->succeeded += state == RM_TASK_SUCCEEDED;
    t->state = (uint8_t)state;
    if (state == RM_TASK_SUCCEEDED && t->kind == BASE_TASK_MAP && a->phase[BASE_TASK_REDUCE].total)
        rm_task_publish_map_output(c, a, t);
}

/* The fields of a task record before any of them takes effect. Texts are borrowed. */
struct task_fields {
    enum rm_task_state state;
    int32_t attempts, next_attempt, last_attempt, failures, exit_code;
    int64_t container_num, start_us, finish_us, suspended_us, counters_n, bad_n;
    const char *node, *diagnostics;
    size_t node_len, diagnostics_len;
    struct rm_reader bad; /* where the list of bad nodes begins */
    struct rm_past_attempt past[RM_PAST_ATTEMPTS_MAX];
    struct {
        const char *id;
        size_t len;
    } past_node[RM_PAST_ATTEMPTS_MAX];
    int past_n;
    int64_t counters[BASE_TASK_COUNTERS];
};

/* Highest attempt number in a record: numbers can go on above RM_TASK_ATTEMPT_MAX. */
#define ATTEMPT_NUMBERS_MAX (RM_TASK_ATTEMPT_MAX + 1000000)

static void read_past_attempts(struct rm_reader *r, struct task_fields *f)
{
    f->past_n = (int)rm_get_int_in(r, 0, RM_PAST_ATTEMPTS_MAX);
    for (int i = 0; i < f->past_n && !r->bad; i++) {
        struct rm_past_attempt *p = &f->past[i];

        p->number = (int32_t)rm_get_int_in(r, 0, ATTEMPT_NUMBERS_MAX);
        p->killed = rm_get_int_in(r, 0, 1);
        p->exit_code = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
        p->container_num = rm_get_int_in(r, 0, INT64_MAX);
        if (!rm_get_slice(r, &f->past_node[i].id, &f->past_node[i].len))
            f->past_node[i].id = NULL;
        p->start_us = rm_get_time(r);
        p->finish_us = rm_get_time(r);
    }
}

/* Returns false when the record is damaged. @with_past_attempts: the record has version t2, in
 * which ended attempts follow. */
static bool read_task_fields(struct rm_reader *r, bool with_past_attempts, struct task_fields *f)
{
    const char *text;
    size_t len;

    f->state = (enum rm_task_state)rm_get_int_in(r, 0, RM_TASK_STATES - 1);
    f->attempts = (int32_t)rm_get_int_in(r, 1, RM_TASK_ATTEMPT_MAX);
    f->next_attempt = (int32_t)rm_get_int_in(r, 0, ATTEMPT_NUMBERS_MAX);
    f->last_attempt = (int32_t)rm_get_int_in(r, -1, ATTEMPT_NUMBERS_MAX);
    f->failures = (int32_t)rm_get_int_in(r, 0, RM_TASK_ATTEMPT_MAX);
    f->exit_code = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    f->container_num = rm_get_int_in(r, 0, INT64_MAX);
    if (!rm_get_slice(r, &f->node, &f->node_len))
        f->node = NULL;
    f->start_us = rm_get_time(r);
    f->finish_us = rm_get_time(r);
    if (!rm_get_slice(r, &f->diagnostics, &f->diagnostics_len))
        f->diagnostics = NULL;
    f->bad_n = rm_get_int_in(r, 0, 1000000);
    f->bad = *r;
    for (int64_t i = 0; i < f->bad_n && !r->bad; i++)
        r->bad = !rm_get_slice(r, &text, &len);
    f->counters_n = rm_get_int_in(r, 0, BASE_TASK_COUNTERS);
    for (int64_t i = 0; i < f->counters_n; i++)
        f->counters[i] = rm_get_int_in(r, 0, INT64_MAX);
    f->suspended_us = r->p != r->end ? rm_get_time(r) : 0;
    if (with_past_attempts)
        read_past_attempts(r, f);
    return !r->bad && r->p == r->end;
}

/* Returns the index of the node that a task record of @a names; RM_NONE: none. An
 * application that has not ended references the node. */
static uint32_t find_or_recreate_node_index(struct rm_core *c, struct rm_app *a, const char *text,
                                            size_t len)
{
    char *id = text ? base_strndup(text, len) : NULL;
    struct rm_node *n = find_or_recreate_node(c, a, id);

    free(id);
    if (n && !rm_app_state_is_final(a->state))
        rm_app_add_used_node(c, a, n);
    return n ? n->index : RM_NONE;
}

static void restore_task(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                         struct task_fields *f)
{
    const char *text;
    size_t len;
    uint32_t node;
    int64_t *counters;

    t->attempts = f->attempts;
    t->next_attempt = f->next_attempt;
    t->last_attempt = f->last_attempt;
    t->failures = f->failures;
    t->exit_code = f->exit_code;
    t->container_num = f->container_num;
    t->node = find_or_recreate_node_index(c, a, f->node, f->node_len);
    t->start_us = f->start_us;
    t->finish_us = f->finish_us;
    t->suspended_us = f->suspended_us;
    if (f->diagnostics)
        t->diagnostics = base_strndup(f->diagnostics, f->diagnostics_len);
    for (int64_t i = 0; i < f->bad_n; i++)
        if (rm_get_slice(&f->bad, &text, &len) &&
            (node = find_or_recreate_node_index(c, a, text, len)) != RM_NONE)
            rm_task_add_avoided_node(t, node);
    a->phase[t->kind].avoiding += t->bad != NULL;
    for (int i = 0; i < f->past_n; i++) {
        f->past[i].node =
            find_or_recreate_node_index(c, a, f->past_node[i].id, f->past_node[i].len);
        rm_task_add_past_attempt(t, &f->past[i]);
    }
    if (f->counters_n) {
        counters = rm_task_counters(a, t, true);
        memcpy(counters, f->counters, (size_t)f->counters_n * sizeof *counters);
        for (int64_t i = 0; i < f->counters_n; i++)
            a->counters[i] = base_sat_add(a->counters[i], counters[i]);
    }
    restore_task_if_ended(c, a, t, f->state);
}

static int recover_task(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct task_fields f = {0};
    struct rm_app *a = NULL;
    struct rm_task *t = NULL;
    int rc = find_task_of_record(c, rec, &a, &t, err);
    bool second = r.end - r.p > 2 && r.p[0] == 't' && r.p[1] == '2';

    if (rc)
        return rc < 0 ? rc : 0;
    if (!rm_skip_word(&r, second ? "t2" : "t1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    if (!read_task_fields(&r, second, &f))
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    if (t->attempts)
        return rm_record_set_corrupt_error(rec, err, "it is a duplicate");
    if (f.state == RM_TASK_KILLED && rm_app_is_live(a))
        return rm_record_set_corrupt_error(rec, err, "it is given up, and its job goes on");
    restore_task(c, a, t, &f);
    return 0;
}

/* An attempt may be committing, but its number is lost. The task is treated as if an attempt of an
 * earlier instance with the highest possible number had the right to commit. */
static void restore_damaged_commit(struct rm_core *c, const struct rm_record *rec, const char *why)
{
    struct rm_app *a = NULL;
    struct rm_task *t = NULL;

    rm_damage_keep_copy(c, rec, why);
    if (find_task_of_record(c, rec, &a, &t, NULL) != 0)
        return;
    t->commit_attempt = t->state == RM_TASK_PENDING ? ATTEMPT_NUMBERS_MAX : t->last_attempt;
    /* For other tasks the damaged record is removed, and not replaced. */
    t->commit_stored = t->state == RM_TASK_PENDING;
}

static int recover_commit(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct rm_app *a = NULL;
    struct rm_task *t = NULL;
    int32_t attempt;
    int rc = find_task_of_record(c, rec, &a, &t, err);

    if (rc)
        return rc < 0 ? rc : 0;
    if (!rm_skip_word(&r, "c1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    attempt = (int32_t)rm_get_int_in(&r, -1, ATTEMPT_NUMBERS_MAX);
    if (r.bad || r.p != r.end)
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    t->commit_attempt = attempt;
    t->commit_stored = true;
    return 0;
}

static int recover_record(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    c->loading = true;
    if (strcmp(rec->table, "app") == 0)
        return recover_app(c, rec, err);
    if (strcmp(rec->table, "node") == 0)
        return recover_node(c, rec, err);
    if (strcmp(rec->table, "task") == 0)
        return recover_task(c, rec, err);
    if (strcmp(rec->table, "commit") == 0)
        return recover_commit(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 && strncmp(rec->key, "splits_", 7) == 0)
        return stash_splits(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 && strcmp(rec->key, RM_LABELS_KEY) == 0)
        return rm_labels_read(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 && strcmp(rec->key, RM_QUEUE_CONF_KEY) == 0)
        return rm_queue_conf_read(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 &&
        strncmp(rec->key, RM_TOKEN_KEY, sizeof RM_TOKEN_KEY - 1) == 0)
        return rm_tokens_read(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 &&
        strncmp(rec->key, RM_MASTER_KEY_KEY, sizeof RM_MASTER_KEY_KEY - 1) == 0)
        return rm_master_keys_read(c, rec, err);
    if (strcmp(rec->table, "meta") == 0 && strncmp(rec->key, "reservation_", 12) == 0)
        return rm_reservation_read(c, rec, err);
    return 0;
}

int rm_core_recover_record(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct base_error why;

    if (strcmp(rec->table, "meta") == 0 && strcmp(rec->key, "format") == 0)
        return rm_confirm_read_format(c, rec, err);
    if (recover_record(c, rec, &why) >= 0)
        return 0;
    if (strcmp(rec->table, "app") == 0)
        restore_damaged_app(c, rec, why.text);
    else if (strcmp(rec->table, "node") == 0)
        restore_damaged_node(c, rec, why.text);
    else if (strcmp(rec->table, "commit") == 0)
        restore_damaged_commit(c, rec, why.text);
    else
        rm_damage_keep_copy(
            c, rec, why.text); /* a record of a task, which runs again, or one of the table meta */
    return 0;
}
