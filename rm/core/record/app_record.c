/* Writes and reads the record of an application. Its form, with numbers and texts as in
 * rm/core/record/record.h:
 *
 *   app     a1 <job 0|1> <length of json> <token> <submit> <launch> <start> <finish> <state>
 *              <before> <target> <final> <ending> <stage> <diagnostics>
 *              <n counters of the core> <failed attempts> <n attempts> <promised> <earliest>
 *              <queue> <epoch of its submission> [<sums>] <json>
 *              stage: 0 not set up, 1 set up, 2 set up and not admitted by the policy yet, 3 an
 *                       attempt to commit was allowed to move parts, 4 the job's end is decided,
 *                       and its unfinished output is still to be removed
 *              attempt: <number> <state> <registered> <has_master> <master_num> <node> <http>
 *                       <host> <url> <diagnostics> <rpc> <exit> <start> <finish> <next_num>
 *                       has_master: 0 no, 1 in map slots, 2 in master slots
 *              sums, of an ended job whose tasks are not restored: <maps> <succeeded> <reduces>
 *                       <succeeded> <MiB us> <vcore us> <n counters of tasks>
 *           a2 the same with <MiB ms> <vcore ms>; written when sums in microseconds do not fit
 *           a3 as a2, with <priority> <end of its lifetime> after the epoch; written when either
 *              was set after the submission
 *
 * A field that a later version adds goes before the sums, and needs a new version word. */
#include "rm/core/record/app_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"

enum stage {
    STAGE_NEW,
    STAGE_SET_UP,
    STAGE_UNDECIDED,
    STAGE_COMMITTING,
    STAGE_ABORT_OWED,
    STAGE_COMMIT_UNKNOWN
};

static void put_attempt(struct base_buf *b, const struct rm_attempt *at)
{
    rm_put_int(b, at->id.attempt);
    rm_put_int(b, at->state);
    rm_put_int(b, at->registered);
    rm_put_int(b, at->has_master ? 1 + at->on_master_slots : 0);
    rm_put_int(b, at->master_id.num);
    rm_put_text(b, at->node_id);
    rm_put_text(b, at->node_http);
    rm_put_text(b, at->host);
    rm_put_text(b, at->tracking_url);
    rm_put_text(b, at->diagnostics);
    rm_put_int(b, at->rpc_port);
    rm_put_int(b, at->exit_code);
    rm_put_int(b, at->start_us);
    rm_put_int(b, at->finish_us);
    rm_put_int(b, at->next_num);
}

/* Writes the sums shown for an ended job without its tasks. @units_per_ms: 1000 to write times in
 * microseconds, or 1 for milliseconds. */
static void put_job_sums(struct base_buf *b, struct rm_app *a, int64_t units_per_ms)
{
    a->summed = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        rm_put_int(b, a->phase[k].total);
        rm_put_int(b, a->phase[k].succeeded);
    }
    rm_put_int(b, a->memory_ms * units_per_ms);
    rm_put_int(b, a->vcore_ms * units_per_ms);
    rm_put_counters(b, a->counters, BASE_TASK_COUNTERS);
}

uint64_t rm_record_app(struct rm_core *c, struct rm_app *a)
{
    struct base_buf *b = &c->text;
    bool ended = rm_app_end_is_decided(a);
    bool sums = a->is_job && ended && (c->conf.prune_ended || a->pruned || a->light);
    bool large = sums && (a->memory_ms > INT64_MAX / 1000 || a->vcore_ms > INT64_MAX / 1000);
    bool updated = a->priority_changed || a->lifetime_end_us;

    if (c->conf.simulation)
        return c->seq;
    /* a1 if possible, since earlier versions can read it */
    rm_record_begin(c, updated ? "a3" : large ? "a2" : "a1");
    rm_put_int(b, a->is_job);
    rm_put_int(b, (int64_t)strlen(a->json));
    rm_put_text(b, a->token);
    rm_put_int(b, a->submit_us);
    rm_put_int(b, a->launch_us);
    rm_put_int(b, a->start_us);
    rm_put_int(b, a->finish_us);
    rm_put_int(b, a->state);
    rm_put_int(b, a->state_before);
    rm_put_int(b, a->target);
    rm_put_int(b, a->final_status);
    rm_put_int(b, a->ending);
    rm_put_int(b, a->abort_owed       ? STAGE_ABORT_OWED
                  : !a->set_up        ? STAGE_NEW
                  : a->commit_begun   ? STAGE_COMMITTING
                  : a->commit_unknown ? STAGE_COMMIT_UNKNOWN
                  : a->undecided      ? STAGE_UNDECIDED
                                      : STAGE_SET_UP);
    rm_put_text(b, a->diagnostics);
    rm_put_counters(b, a->counters + BASE_TASK_COUNTERS, RM_C_COUNTERS - BASE_TASK_COUNTERS);
    rm_put_int(b, a->failed_attempts);
    rm_put_int(b, a->attempts_n);
    for (int32_t i = 0; i < a->attempts_n; i++)
        put_attempt(b, &a->attempts[i]);
    rm_put_int(b, a->promised_us);
    rm_put_int(b, a->earliest_us);
    rm_put_text(b, a->queue_index == RM_NONE ? a->placed : c->tree.v[a->queue_index].name);
    rm_put_int(b, a->epoch);
    if (updated) {
        rm_put_int(b, a->priority);
        rm_put_int(b, a->lifetime_end_us);
    }
    if (sums)
        put_job_sums(b, a, large || updated ? 1 : 1000);
    base_buf_adds(b, a->json);
    return rm_record_emit(c, "app", rm_record_app_key(c, a->id));
}

/* Returns the number of the version, 1 to 3; 0: unknown. */
static int read_app_version(struct rm_reader *r)
{
    static const char *const versions[] = {"a1", "a2", "a3"};

    for (int i = 0; i < 3; i++)
        if (r->end - r->p > 2 && strncmp(r->p, versions[i], 2) == 0)
            return rm_skip_word(r, versions[i]) ? i + 1 : 0;
    return 0;
}

int rm_record_find_app_json(const struct rm_record *rec, bool *is_job, const char **json,
                            struct base_app_id *id, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    int64_t n;

    if (base_app_id_parse(rec->key, id, NULL) < 0 || id->seq < 1)
        return rm_record_set_corrupt_error(rec, err, "its key is no application id");
    if (!read_app_version(&r))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    *is_job = rm_get_int_in(&r, 0, 1) == 1;
    n = rm_get_int_in(&r, 0, r.end - r.p);
    if (r.bad || n > r.end - r.p)
        return rm_record_set_corrupt_error(rec, err, "no submission in it");
    *json = r.end - n; /* up to the end of the record; NUL-terminated if the record's data is */
    return 0;
}

static void read_and_add_attempt(struct rm_core *c, struct rm_reader *r, struct rm_app *a)
{
    struct rm_attempt *at = rm_app_add_attempt(c, a);
    int64_t place;

    at->id.attempt = (int32_t)rm_get_int_in(r, 1, INT32_MAX / 2);
    at->state = (enum rm_attempt_state)rm_get_int_in(r, 0, RM_ATTEMPT_STATES - 1);
    at->state_before = at->state;
    at->registered = rm_get_int_in(r, 0, 1) == 1;
    place = rm_get_int_in(r, 0, 2);
    at->has_master = place > 0;
    at->on_master_slots = place == 2;
    at->master_id = (struct base_container_id){at->id, rm_get_int_in(r, 0, INT64_MAX)};
    at->node_id = rm_get_text(r);
    at->node_http = rm_get_text(r);
    at->host = rm_get_text(r);
    at->tracking_url = rm_get_text(r);
    at->diagnostics = rm_get_text(r);
    at->rpc_port = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    at->exit_code = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    at->start_us = rm_get_time(r);
    at->finish_us = rm_get_time(r);
    at->next_num = rm_get_int_in(r, 1, INT64_MAX / 2);
    if (at->next_num < 2 || c->conf.epoch > 0)
        at->next_num = at->has_master ? 2 : 1;
}

/* Reads a sum in units of 1/@units_per_ms ms. A negative sum, which overflowed in an earlier
 * version, becomes the maximum. */
static int64_t read_sum_as_ms(struct rm_reader *r, int64_t units_per_ms)
{
    int64_t v = rm_get_int(r);

    return v < 0 ? INT64_MAX : v / units_per_ms;
}

/* Reads the sums of an ended job, whose tasks are then not restored. */
static void read_job_sums(struct rm_reader *r, struct rm_app *a, int64_t units_per_ms)
{
    int64_t n;

    a->pruned = a->summed = a->unrecorded = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        a->phase[k].total = (int32_t)rm_get_int_in(r, 0, INT32_MAX / 2);
        a->phase[k].succeeded = (int32_t)rm_get_int_in(r, 0, a->phase[k].total);
    }
    a->memory_ms = read_sum_as_ms(r, units_per_ms);
    a->vcore_ms = read_sum_as_ms(r, units_per_ms);
    n = rm_get_int_in(r, 0, BASE_TASK_COUNTERS);
    for (int64_t i = 0; i < n; i++)
        a->counters[i] = rm_get_int(r);
    r->bad = r->bad || !a->is_job || !rm_app_end_is_decided(a);
}

/* Caps a counter at half its maximum: it still grows, and must neither overflow nor become too
 * large to be read back again. */
static int64_t cap_at_half(int64_t v, int64_t max)
{
    return v < max / 2 ? v : max / 2;
}

/* Reads the fields after the token. Changes nothing but @a and *@queue, the name of its queue
 * (owned; NULL: none). */
static void read_app_fields(struct rm_core *c, struct rm_reader *r, struct rm_app *a, int version,
                            char **queue)
{
    enum stage stage;
    int64_t n;

    a->submit_us = a->pj.submit_us = rm_get_time(r);
    a->launch_us = rm_get_time(r);
    a->start_us = rm_get_time(r);
    a->pj.first_us = a->is_job ? a->start_us : 0;
    a->finish_us = rm_get_time(r);
    a->state = (enum rm_app_state)rm_get_int_in(r, RM_APP_NEW_SAVING, RM_APP_STATES - 1);
    a->state_before = (enum rm_app_state)rm_get_int_in(r, 0, RM_APP_STATES - 1);
    a->target = (enum rm_app_state)rm_get_int_in(r, 0, RM_APP_STATES - 1);
    a->final_status = (enum rm_final_status)rm_get_int_in(r, 0, RM_FINAL_ENDED);
    a->ending = (enum rm_app_end)rm_get_int_in(r, 0, RM_END_KILL);
    stage = (enum stage)rm_get_int_in(r, 0, STAGE_COMMIT_UNKNOWN);
    a->set_up = stage != STAGE_NEW;
    a->undecided = stage == STAGE_UNDECIDED;
    a->commit_begun = stage == STAGE_COMMITTING;
    a->commit_unknown = stage == STAGE_COMMIT_UNKNOWN;
    a->abort_owed = a->aborted = stage == STAGE_ABORT_OWED;
    r->bad =
        r->bad || (a->abort_owed && !(a->is_job && a->job->output && rm_app_end_is_decided(a)));
    a->diagnostics = rm_get_text(r);
    n = rm_get_int_in(r, 0, RM_C_COUNTERS - BASE_TASK_COUNTERS);
    for (int64_t i = 0; i < n; i++)
        a->counters[BASE_TASK_COUNTERS + i] =
            cap_at_half(rm_get_int_in(r, 0, INT64_MAX), INT64_MAX);
    a->failed_attempts = (int32_t)cap_at_half(rm_get_int_in(r, 0, INT32_MAX), INT32_MAX);
    n = rm_get_int_in(r, 0, RM_ATTEMPTS_KEPT);
    for (int64_t i = 0; i < n && !r->bad; i++)
        read_and_add_attempt(c, r, a);
    if (r->p != r->end) { /* records of earlier versions end here */
        a->promised_us = rm_get_time(r);
        a->earliest_us = rm_get_time(r);
    }
    if (r->p != r->end)
        *queue = rm_get_text(r);
    a->epoch = r->p != r->end ? rm_get_int_in(r, 0, BASE_EPOCH_MAX) : 0;
    if (version >= 3) {
        a->priority = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
        a->pj.priority = a->is_job || a->priority > 0 ? a->priority : 0;
        a->priority_changed = true;
        a->lifetime_end_us = rm_get_time(r);
    }
    if (r->p != r->end)
        read_job_sums(r, a, version >= 2 ? 1 : 1000);
    /* the application is accepted again when recovery finishes */
    if (a->state == RM_APP_SUBMITTED)
        a->state = RM_APP_NEW_SAVING;
}

const char *rm_app_record_read(struct rm_core *c, const struct rm_record *rec, const char *json,
                               struct rm_app *a, char **queue)
{
    struct rm_reader r = rm_reader_of_record(rec);
    int version = read_app_version(&r);
    char *token;

    rm_get_int(&r);
    rm_get_int(&r);
    r.end = json;
    token = rm_get_text(&r);
    if (token && strlen(token) < sizeof a->token)
        memcpy(a->token, token, strlen(token) + 1);
    else
        r.bad = true;
    free(token);
    read_app_fields(c, &r, a, version, queue);
    return r.bad || r.p != r.end ? "it is cut short or damaged" : NULL;
}
