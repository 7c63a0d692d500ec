/* Handles damaged records. What is lost with each one is described in rm/core/record/damage.h. */
#include "rm/core/record/damage.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/record/prune.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

#define KEPT_KEY_MAX 1024 /* bytes of the damaged record's key in the name of its copy */

void rm_damage_keep_copy(struct rm_core *c, const struct rm_record *rec, const char *why)
{
    struct rm_stash *s = rm_stash_new(rec, rec->table, true);

    s->why = base_strdup(why);
    base_array_grow(&c->damaged, c->damaged_n, &c->damaged_cap);
    c->damaged[c->damaged_n++] = s;
}

void rm_damage_free_copies(struct rm_core *c)
{
    for (size_t i = 0; i < c->damaged_n; i++)
        rm_stash_free(c->damaged[i]);
    free(c->damaged);
    c->damaged = NULL;
    c->damaged_n = c->damaged_cap = 0;
}

static char *copy_to_scratch(struct rm_core *c, const char *data, size_t len)
{
    char *copy = rm_step_arena_alloc(&c->scratch, len + 1);

    memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

/* Writes a new record in the place of the damaged one where the next start needs it: for an awaited
 * node, and for the commit of a withheld task. Returns true when it has written one. */
static bool write_replacement_record(struct rm_core *c, const struct rm_stash *s)
{
    struct base_task_id id;
    struct rm_app *a;
    struct rm_task *t;
    struct rm_node *n;

    if (strcmp(s->table, "node") == 0 && (n = rm_node_find(c, s->key))) {
        rm_record_node(c, n);
        return true;
    }
    if (strcmp(s->table, "commit") != 0 || base_task_id_parse(s->key, &id, NULL) < 0)
        return false;
    a = rm_app_find(c, id.app);
    t = a && !a->pruned ? rm_task_find(a, id.kind, id.index) : NULL;
    if (!t || !rm_task_is_withheld(t))
        return false;
    rm_record_commit_right(c, a, t);
    return true;
}

void rm_damage_write_copies(struct rm_core *c)
{
    char id[BASE_ID_TEXT_MAX];

    for (size_t i = 0; i < c->damaged_n; i++) {
        const struct rm_stash *s = c->damaged[i];
        const char *key = rm_scratch_printf(c, "%s/%.*s", s->table, KEPT_KEY_MAX, s->key);

        rm_emit_note(c, 3, "%s; it is kept in the state store as damaged/%s", s->why, key);
        rm_store_record(c, "damaged", key, copy_to_scratch(c, s->data, s->len), s->len);
        rm_store_record(c, s->table, rm_scratch_printf(c, "%s", s->key), NULL, 0);
        write_replacement_record(c, s);
    }
    rm_damage_free_copies(c);
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        if (!a->damaged)
            continue;
        a->finish_us = c->now_us;
        if (!a->submit_us || a->submit_us > c->now_us)
            a->submit_us = a->pj.submit_us = c->now_us;
        rm_emit_note(c, 3, "%s has failed: %s", base_app_id_text(&a->id, id), a->diagnostics);
        rm_app_store_record(c, a);
    }
}

void rm_damage_fail_app(struct rm_core *c, struct rm_app *a, const char *why)
{
    int64_t submit_us = a->submit_us;

    rm_app_free_attempts_and_asks(a);
    a->attempts = NULL;
    a->news = NULL;
    a->attempts_n = a->attempts_cap = a->failed_attempts = 0;
    a->news_n = a->news_cap = 0;
    memset(a->counters, 0, sizeof a->counters);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->phase[k].total = a->phase[k].succeeded = 0;
    a->memory_ms = a->vcore_ms = a->launch_us = a->start_us = a->pj.first_us = 0;
    a->promised_us = a->earliest_us = a->epoch = 0;
    a->submit_us = a->pj.submit_us = submit_us > 0 && submit_us <= RM_TIME_MAX ? submit_us : 0;
    a->state = a->state_before = a->target = RM_APP_FAILED;
    a->final_status = RM_FINAL_FAILED;
    a->ending = RM_END_FAIL;
    a->damaged = true;
    a->abort_owed = a->aborted = false; /* as damaged as the rest: the output is not touched */
    a->pruned = a->summed = a->is_job;  /* recovery removes the records of its tasks */
    free(a->diagnostics);
    a->diagnostics = base_printf(
        "The application could not go on after a restart of the ResourceManager, since its state "
        "is damaged: %s",
        why);
    rm_app_enter_queue(c, a, RM_NONE);
}

static const struct rm_attempt *newest_attempt(const struct rm_app *a)
{
    return a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
}

static bool attempt_is_in_state(const struct rm_attempt *at, enum rm_attempt_state one,
                                enum rm_attempt_state other)
{
    return at && (at->state == one || at->state == other);
}

/* Returns true when the newest attempt is under way, or another one will follow. */
static bool attempt_runs_or_will_be_retried(const struct rm_attempt *at)
{
    return !at || at->state <= RM_ATTEMPT_RUNNING ||
           attempt_is_in_state(at, RM_ATTEMPT_FAILED, RM_ATTEMPT_KILLED);
}

static const char *contradiction_in_live_app(const struct rm_app *a)
{
    if (a->ending != RM_END_NONE && !(a->is_job && a->ending == RM_END_FAIL))
        return "it goes on, and its end has begun";
    return attempt_runs_or_will_be_retried(newest_attempt(a))
               ? NULL
               : "it goes on, and its attempt has ended";
}

static const char *contradiction_in_killed_app(const struct rm_app *a)
{
    const struct rm_attempt *at = newest_attempt(a);

    if (a->ending != RM_END_KILL)
        return "it is being killed, and its end is another one";
    return !at || at->state <= RM_ATTEMPT_RUNNING || at->state == RM_ATTEMPT_FAILED
               ? NULL
               : "it is being killed, and its attempt has ended";
}

static const char *contradiction_in_saved_end(const struct rm_app *a)
{
    if (rm_app_state_is_final(a->target))
        return NULL;
    if (a->target != RM_APP_FINISHING || a->is_job)
        return "its end leads to a state that is none";
    return attempt_is_in_state(newest_attempt(a), RM_ATTEMPT_FINAL_SAVING, RM_ATTEMPT_FINAL_SAVING)
               ? NULL
               : "its attempt has no end to store";
}

const char *rm_damage_find_contradiction(const struct rm_app *a)
{
    if (a->is_job && a->attempts_n)
        return "a job has no attempts";
    for (int32_t i = 1; i < a->attempts_n; i++)
        if (a->attempts[i].id.attempt - 1 != a->attempts[i - 1].id.attempt)
            return "its attempts are not in order";
    switch (a->state) {
    case RM_APP_NEW_SAVING:
    case RM_APP_SUBMITTED:
        return a->ending != RM_END_NONE || a->attempts_n ? "it is new, and its work has begun"
                                                         : NULL;
    case RM_APP_ACCEPTED:
    case RM_APP_RUNNING:
        return contradiction_in_live_app(a);
    case RM_APP_KILLING:
        return contradiction_in_killed_app(a);
    case RM_APP_FINAL_SAVING:
        return contradiction_in_saved_end(a);
    case RM_APP_FINISHING:
        return !a->is_job && attempt_is_in_state(newest_attempt(a), RM_ATTEMPT_FINAL_SAVING,
                                                 RM_ATTEMPT_FINISHING)
                   ? NULL
                   : "it is finishing without an attempt that does";
    case RM_APP_FINISHED:
    case RM_APP_FAILED:
    case RM_APP_KILLED:
        return NULL;
    case RM_APP_NEW:
    case RM_APP_STATES:
        break;
    }
    return "its state is none that is stored";
}
