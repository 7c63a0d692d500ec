/* Writes records. Reading is in rm/core/record/read_back.c. */
#include "rm/core/record/record.h"

#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

#define NUMBER_MAX 24 /* bytes of a number and a space, at most */

/* Writes a number and a space to @to. Returns the end. */
static char *put_number(char *to, int64_t v)
{
    if (v >= 0 && v < 10) { /* the usual case */
        *to++ = (char)('0' + v);
    } else {
        if (v < 0)
            *to++ = '-';
        to = base_write_digits(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 1);
    }
    *to++ = ' ';
    return to;
}

void rm_put_int(struct base_buf *b, int64_t v)
{
    char *at;

    base_buf_reserve(b, NUMBER_MAX);
    at = b->data + b->len;
    b->len += (size_t)(put_number(at, v) - at);
    b->data[b->len] = '\0';
}

void rm_put_text(struct base_buf *b, const char *s)
{
    size_t n;

    if (!s) {
        base_buf_add(b, "- ", 2);
        return;
    }
    n = strlen(s);
    rm_put_int(b, (int64_t)n);
    b->data[b->len - 1] = ':';
    base_buf_add(b, s, n);
    base_buf_add(b, " ", 1);
}

/* Emits the record composed in c->text, as a copy that is valid until the next step. Returns its
 * number. */
uint64_t rm_record_emit(struct rm_core *c, const char *table, const char *key)
{
    char *copy = rm_step_arena_alloc(&c->scratch, c->text.len + 1);

    memcpy(copy, c->text.data, c->text.len + 1);
    return rm_store_record(c, table, key, copy, c->text.len);
}

char *rm_record_app_key(struct rm_core *c, struct base_app_id id)
{
    return base_app_id_text(&id, rm_step_arena_alloc(&c->scratch, BASE_ID_TEXT_MAX));
}

static char *task_key(struct rm_core *c, const struct rm_app *a, const struct rm_task *t)
{
    const struct base_task_id id = {a->id, t->kind, t->index};

    return base_task_id_text(&id, rm_step_arena_alloc(&c->scratch, BASE_ID_TEXT_MAX));
}

void rm_record_begin(struct rm_core *c, const char *version)
{
    if (c->text.cap > RM_STEPS_CHUNK_KEPT) /* a large record has left a large buffer */
        base_buf_free(&c->text);
    base_buf_clear(&c->text);
    base_buf_adds(&c->text, version);
    base_buf_add(&c->text, " ", 1);
}

void rm_put_counters(struct base_buf *b, const int64_t *v, int n)
{
    rm_put_int(b, v ? n : 0);
    for (int i = 0; v && i < n; i++)
        rm_put_int(b, v[i]);
}

static char *splits_key(struct rm_core *c, struct base_app_id id)
{
    char text[BASE_ID_TEXT_MAX];

    return rm_scratch_printf(c, "splits_%s", base_app_id_text(&id, text));
}

/* Returns the number of bytes that rm_put_int() writes for @v >= 0. */
static size_t encoded_number_size(int64_t v)
{
    size_t n = 2;

    for (; v >= 10; v /= 10)
        n++;
    return n;
}

static size_t encoded_list_size(const struct rm_str_list *l)
{
    size_t n = encoded_number_size((int64_t)l->n);

    for (size_t i = 0; i < l->n; i++) {
        size_t len = strlen(l->v[i]);

        n += encoded_number_size((int64_t)len) + len + 1;
    }
    return n;
}

size_t rm_record_splits_size(const struct rm_job_spec *s)
{
    size_t n =
        strlen("s1 ") + encoded_list_size(&s->paths) + encoded_number_size((int64_t)s->splits_n);

    for (size_t i = 0; i < s->splits_n; i++) {
        const struct rm_split_spec *sp = &s->splits[i];

        n += encoded_number_size(sp->path) + encoded_number_size(sp->offset) +
             encoded_number_size(sp->length) + encoded_number_size(sp->gzip) +
             encoded_list_size(&sp->hosts);
    }
    return n;
}

bool rm_record_refuse_if_too_large(struct rm_core *c, uint64_t token, const char *json,
                                   const struct rm_job_spec *job)
{
    size_t text = json ? strlen(json) : 0,
           splits = job && !job->groups_n ? rm_record_splits_size(job) : 0;

    if (c->conf.simulation)
        return false;
    if (text > BASE_SUBMISSION_MAX)
        rm_reply_error(c, token, -BASE_ETOOLARGE,
                       "the submission takes %zu bytes to store, %d are possible", text,
                       BASE_SUBMISSION_MAX);
    else if (splits > BASE_RECORD_MAX)
        rm_reply_error(c, token, -BASE_ETOOLARGE,
                       "job.input: the list of its %zu files and %zu splits takes %zu bytes to "
                       "store, %d are possible; a larger "
                       "split-size makes fewer splits",
                       job->paths.n, job->splits_n, splits, BASE_RECORD_MAX);
    return text > BASE_SUBMISSION_MAX || splits > BASE_RECORD_MAX;
}

void rm_record_splits(struct rm_core *c, struct rm_app *a)
{
    const struct rm_job_spec *s = a->job;
    struct base_buf *b = &c->text;

    if (c->conf.simulation || s->groups_n || (!s->splits_n && !s->paths.n))
        return;
    rm_record_begin(c, "s1");
    rm_put_int(b, (int64_t)s->paths.n);
    for (size_t i = 0; i < s->paths.n; i++)
        rm_put_text(b, s->paths.v[i]);
    rm_put_int(b, (int64_t)s->splits_n);
    for (size_t i = 0; i < s->splits_n; i++) {
        const struct rm_split_spec *sp = &s->splits[i];

        rm_put_int(b, sp->path);
        rm_put_int(b, sp->offset);
        rm_put_int(b, sp->length);
        rm_put_int(b, sp->gzip);
        rm_put_int(b, (int64_t)sp->hosts.n);
        for (size_t j = 0; j < sp->hosts.n; j++)
            rm_put_text(b, sp->hosts.v[j]);
    }
    rm_record_emit(c, "meta", splits_key(c, a->id));
}

static void put_past_attempts(struct rm_core *c, const struct rm_app *a, const struct rm_task *t)
{
    struct base_buf *b = &c->text;

    rm_put_int(b, t->past_n);
    for (int i = 0; i < t->past_n; i++) {
        const struct rm_past_attempt *p = &t->past[i];
        const struct rm_node *n = rm_task_node_unless_forgotten(c, a, p->node);

        rm_put_int(b, p->number);
        rm_put_int(b, p->killed);
        rm_put_int(b, p->exit_code);
        rm_put_int(b, p->container_num);
        rm_put_text(b, n ? n->id : NULL);
        rm_put_int(b, p->start_us);
        rm_put_int(b, p->finish_us);
    }
}

uint64_t rm_record_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t)
{
    struct base_buf *b = &c->text;
    const struct rm_node *n = rm_task_latest_node(c, a, t);
    /* nodes to avoid no longer matter when the application has ended */
    uint32_t bad = t->bad && !a->nodes_left ? t->bad[0] : 0;
    char *at;

    if (c->conf.simulation)
        return c->seq;
    rm_record_begin(c, t->past_n ? "t2" : "t1");
    /* A task record is written for every attempt that ends: reserve once, write without checks. */
    base_buf_reserve(b, 12 * NUMBER_MAX);
    at = b->data + b->len;
    at = put_number(at, t->state);
    at = put_number(at, t->attempts);
    at = put_number(at, t->next_attempt);
    at = put_number(at, t->last_attempt);
    at = put_number(at, t->failures);
    at = put_number(at, t->exit_code);
    at = put_number(at, t->container_num);
    b->len = (size_t)(at - b->data);
    rm_put_text(b, n ? n->id : NULL);
    rm_put_int(b, t->start_us);
    rm_put_int(b, t->finish_us);
    rm_put_text(b, t->diagnostics);
    rm_put_int(b, bad);
    for (uint32_t i = 1; i <= bad; i++)
        rm_put_text(b, c->nodes[t->bad[i]]->id);
    rm_put_counters(b, t->state == RM_TASK_SUCCEEDED ? rm_task_counters(a, t, false) : NULL,
                    BASE_TASK_COUNTERS);
    if (t->suspended_us || t->past_n)
        rm_put_int(b, t->suspended_us);
    if (t->past_n)
        put_past_attempts(c, a, t);
    return rm_record_emit(c, "task", task_key(c, a, t));
}

uint64_t rm_record_commit_right(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    if (c->conf.simulation)
        return c->seq;
    t->commit_stored = true;
    rm_record_begin(c, "c1");
    rm_put_int(&c->text, t->commit_attempt);
    return rm_record_emit(c, "commit", task_key(c, a, t));
}

uint64_t rm_record_node(struct rm_core *c, const struct rm_node *n)
{
    struct base_buf *b = &c->text;
    bool admin = n->draining || n->decommissioning || n->resource_given;
    int64_t overcommit_at_us = n->resource_given ? n->overcommit_at_us : 0;
    int version = n->masters.registered ? 4 : overcommit_at_us ? 3 : admin ? 2 : 1;

    if (c->conf.simulation)
        return c->seq;
    rm_record_begin(c, (const char *const[]){"n1", "n2", "n3", "n4"}[version - 1]);
    rm_put_int(b, n->state);
    rm_put_text(b, n->host_name);
    rm_put_text(b, n->http);
    rm_put_text(b, n->rack_name);
    rm_put_text(b, n->version);
    rm_put_text(b, n->boot_id);
    rm_put_text(b, n->instance);
    rm_put_int(b, n->registered_slots[BASE_TASK_MAP]);
    rm_put_int(b, n->registered_slots[BASE_TASK_REDUCE]);
    if (n->sent_us || version >= 2)
        rm_put_int(b, n->sent_us);
    if (version >= 2) {
        rm_put_int(b, n->draining);
        rm_put_int(b, n->decommissioning);
        rm_put_int(b, n->decommission_at_us);
        rm_put_int(b, n->resource_given ? n->given.v[RM_RES_MEMORY_MB] : -1);
        rm_put_int(b, n->resource_given ? n->given.v[RM_RES_VCORES] : -1);
    }
    if (version >= 3)
        rm_put_int(b, overcommit_at_us);
    if (version >= 4)
        rm_put_int(b, n->masters.registered);
    return rm_record_emit(c, "node", rm_scratch_printf(c, "%s", n->id));
}

void rm_record_delete_node(struct rm_core *c, const struct rm_node *n)
{
    if (!c->conf.simulation)
        rm_store_record(c, "node", rm_scratch_printf(c, "%s", n->id), NULL, 0);
}

uint64_t rm_record_format(struct rm_core *c, bool confirmed)
{
    if (c->conf.simulation)
        return c->seq;
    rm_record_begin(c, "f2");
    rm_put_int(&c->text, confirmed);
    return rm_record_emit(c, "meta", "format");
}

/* The application's own record is removed first: a crash in between leaves orphans, which recovery
 * removes, but never an application with part of its records. */
void rm_record_remove_app(struct rm_core *c, struct rm_app *a)
{
    if (c->conf.simulation)
        return;
    rm_store_record(c, "app", rm_record_app_key(c, a->id), NULL, 0);
    if (!a->is_job || a->pruned)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++)
            rm_record_remove_task(c, a, &a->phase[k].tasks[i]);
    rm_record_remove_splits(c, a);
}

int rm_record_remove_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t)
{
    const char *key;

    if (!t->attempts && !t->commit_stored) /* it was never recorded */
        return 0;
    key = task_key(c, a, t);
    if (t->attempts)
        rm_store_record(c, "task", key, NULL, 0);
    if (t->commit_stored)
        rm_store_record(c, "commit", key, NULL, 0);
    return (t->attempts > 0) + t->commit_stored;
}

void rm_record_remove_splits(struct rm_core *c, struct rm_app *a)
{
    /* an instance that ended before the job was set up may have stored splits, too */
    if (!a->job->groups_n && (a->job->splits_n || a->job->paths.n || a->job->input.n))
        rm_store_record(c, "meta", splits_key(c, a->id), NULL, 0);
}
