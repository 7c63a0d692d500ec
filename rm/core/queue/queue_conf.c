#include "rm/core/queue/queue_conf.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/app/queues.h"
#include "rm/core/emit.h"
#include "rm/core/queue/capacity_tree.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* ---------------------------------------------------------------- which changes are possible */
/* Returns whether queue @i refuses new applications and has no unfinished ones left. */
static bool is_stopped_and_empty(const struct rm_core *c, size_t i, const int64_t *apps)
{
    return c->tree.v[i].stopped && apps[i] == 0;
}

/* Returns -BASE_EINVAL when the change of queue @i to its state in @next is not allowed. */
static int check_change_of_queue(const struct rm_core *c, size_t i, const int64_t *apps,
                                 const struct policy_queues *next, struct base_error *err)
{
    const struct policy_queue *q = &c->tree.v[i];
    int32_t at = policy_queues_find(next, q->name);

    if (at < 0 || !next->v[at].configured) {
        if (is_stopped_and_empty(c, i, apps))
            return 0;
        return base_error_set(err, -BASE_EINVAL,
                              "%s cannot be deleted from the capacity scheduler configuration, as "
                              "the queue is not yet in stopped state. Current State : %s",
                              q->name, rm_queue_state_name(q, apps[i]));
    }
    if (q->is_parent || !next->v[at].is_parent || (apps[i] == 0 && next->v[at].stopped) ||
        is_stopped_and_empty(c, i, apps))
        return 0;
    return base_error_set(err, -BASE_EINVAL,
                          "Can not convert the leaf queue: %s to parent queue since it is not yet "
                          "in stopped state. Current State : %s",
                          q->name, rm_queue_state_name(q, apps[i]));
}

static int check_change_of_queues(const struct rm_core *c, const struct policy_queues *next,
                                  struct base_error *err)
{
    int64_t *apps = rm_queues_count_apps(c);
    int rc = 0;

    for (size_t i = 1; rc == 0 && i < c->tree.n; i++)
        if (c->tree.v[i].configured)
            rc = check_change_of_queue(c, i, apps, next, err);
    free(apps);
    return rc;
}

static int check_conf_size(const struct rm_properties *p, struct base_error *err)
{
    size_t bytes = 0;

    for (size_t i = 0; i < p->n; i++)
        bytes += strlen(p->v[i].name) + strlen(p->v[i].value);
    if (bytes <= RM_QUEUE_CONF_MAX)
        return 0;
    return base_error_set(err, -BASE_ELIMIT,
                          "the names and values of the configuration have %zu bytes, %d are "
                          "possible",
                          bytes, RM_QUEUE_CONF_MAX);
}

int rm_queue_conf_compute_changed(const struct rm_core *c, const struct rm_conf_change *change,
                                  const struct rm_properties *whole, struct rm_properties *out,
                                  struct policy_queues *queues, struct base_error *err)
{
    int rc = 0;

    *out = (struct rm_properties){0};
    if (change && !c->queue_conf.mutable)
        return base_error_set(err, -BASE_ESTATE, "the queues come from a file");
    rm_properties_copy(out, change ? &c->queue_conf.properties : whole);
    if (change)
        rc = rm_conf_change_apply(out, change, err);
    if (rc == 0)
        rc = check_conf_size(out, err);
    if (rc == 0) {
        rc = rm_capacity_tree_build(out, queues, err);
        if (rc == 0 && (rc = check_change_of_queues(c, queues, err)) < 0)
            policy_queues_free(queues);
        if (rc < 0)
            base_error_wrap(err, rc, "Failed to re-init queues ");
    }
    if (rc < 0)
        rm_properties_free(out);
    return rc;
}

void rm_queue_conf_disable(struct rm_core *c)
{
    rm_properties_free(&c->queue_conf.properties);
    c->queue_conf = (struct rm_queue_conf){0};
}

/* ---------------------------------------------------------------- changes */
static void store_queue_conf(struct rm_core *c)
{
    const struct rm_queue_conf *q = &c->queue_conf;

    if (c->conf.simulation)
        return;
    rm_record_begin(c, "q1");
    rm_put_int(&c->text, q->version);
    rm_put_int(&c->text, (int64_t)q->properties.n);
    for (size_t i = 0; i < q->properties.n; i++) {
        rm_put_text(&c->text, q->properties.v[i].name);
        rm_put_text(&c->text, q->properties.v[i].value);
    }
    rm_record_emit(c, "meta", RM_QUEUE_CONF_KEY);
}

/* Takes @p and @queues. */
static void apply_queue_conf(struct rm_core *c, struct rm_properties *p,
                             struct policy_queues *queues)
{
    rm_properties_free(&c->queue_conf.properties);
    c->queue_conf.properties = *p;
    rm_queues_replace(c, queues);
}

void rm_queue_conf_on_set(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_properties next;
    struct policy_queues queues;
    struct base_error err;
    int rc;

    if (!ev->u.queue_conf.change && !ev->u.queue_conf.whole) {
        rm_reply(c, ev->token, RM_REPLY_OK, 0);
        return;
    }
    rc = rm_queue_conf_compute_changed(c, ev->u.queue_conf.change, ev->u.queue_conf.whole, &next,
                                       &queues, &err);
    if (rc < 0) {
        rm_reply_error(c, ev->token, rc, "%s", err.text);
        return;
    }
    if (!c->queue_conf.mutable) {
        rm_properties_free(&next);
        rm_queues_replace(c, &queues);
        rm_reply(c, ev->token, RM_REPLY_OK, 0);
        return;
    }
    apply_queue_conf(c, &next, &queues);
    c->queue_conf.version++;
    store_queue_conf(c);
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

/* ---------------------------------------------------------------- reading back */
static void read_properties(struct rm_reader *r, struct rm_properties *p)
{
    int64_t n = rm_get_int_in(r, 0, r->end - r->p);

    for (int64_t i = 0; i < n && !r->bad; i++) {
        char *name = rm_get_text(r), *value = rm_get_text(r);

        r->bad = r->bad || !name || !*name || !value || !*value;
        if (!r->bad)
            rm_properties_set(p, name, value);
        free(name);
        free(value);
    }
}

int rm_queue_conf_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct rm_properties p = {0};
    struct policy_queues queues;
    struct base_error why;
    int64_t version;

    if (!c->queue_conf.mutable)
        return 0;
    if (!rm_skip_word(&r, "q1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    version = rm_get_int_in(&r, 1, INT64_MAX / 2);
    read_properties(&r, &p);
    if (r.bad || r.p != r.end) {
        rm_properties_free(&p);
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    }
    if (rm_capacity_tree_build(&p, &queues, &why) < 0) {
        rm_properties_free(&p);
        return rm_record_set_corrupt_error(rec, err, why.text);
    }
    apply_queue_conf(c, &p, &queues);
    c->queue_conf.version = version;
    return 0;
}
