/* rm/http/history.c - GET /ws/v1/cluster/history: ended jobs in the form that the simulator
 * replays, newest submission first: {"history":[{…},…],"cursor":"application_…"}.
 *
 * Query: from and to (bounds of the submission time, ms since 1970), zero (the time that counts as
 * 0 in the answer, also in ms since 1970; default 0), limit (number of jobs), cursor (from the
 * previous page).
 *
 * Jobs come from two sources, both ordered from new to old: the core, which knows the newest jobs,
 * and the history file, which also has jobs that the core has forgotten. They are merged: each job
 * of the core is preceded by the archived jobs that are newer. */
#include <stdlib.h>

#include "base/io/json_write.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/listing.h"
#include "rm/jobs/ended_jobs.h"

#define DATE_MAX      INT64_C(253402300799000) /* the end of the year 9999 */
#define LIMIT_DEFAULT 1000
#define LIMIT_MAX     10000
#define VIEWS_AT_ONCE 8

struct history {
    struct rm_listing list;
    struct rm_app_filter filter;
    struct base_app_id cursor;
    int64_t from_us, to_us, zero_us, limit;
    struct base_app_id last; /* the job processed last, from either source */
    bool opened, more, begun, has_last;
    struct rm_views apps;
    size_t at; /* index in apps of the core's next job */
};

static void free_history_views(struct rm_listing *list)
{
    rm_views_free(&((struct history *)list)->apps);
}

static bool ended_and_submitted_in_period(const struct history *h, const struct rm_app_view *a)
{
    return a->finish_us > 0 && a->submit_us >= h->from_us && a->submit_us <= h->to_us;
}

static void fetch_next_core_jobs(struct history *h)
{
    struct base_app_id before = h->cursor;

    rm_views_free(&h->apps);
    h->at = 0;
    h->more = rm_view_apps(rm_backend_lock_core(h->list.b), &h->filter, h->begun ? &before : NULL,
                           VIEWS_AT_ONCE, &h->apps, &h->cursor);
    rm_backend_unlock_core(h->list.b);
    h->begun = true;
}

/* Processes the next archived job that is newer than @known, the core's next job (NULL: there is
 * none): writes it unless the core still knows it. Returns false when there is no such job. */
static bool put_next_archived_job(struct history *h, const struct rm_app_view *known,
                                  struct base_buf *out)
{
    struct rm_history_file *file = rm_history_get_file(h->list.b);
    char token[65];
    bool gone;

    if (!rm_history_file_find_next_older(file, h->has_last ? &h->last : NULL,
                                         known ? &known->id : NULL, h->from_us, h->to_us, &h->last))
        return false;
    h->has_last = true;
    gone = rm_view_app_token(rm_backend_lock_core(h->list.b), h->last, token) < 0;
    rm_backend_unlock_core(h->list.b);
    if (gone)
        h->limit -= rm_history_file_read_job(file, h->last, h->zero_us, out);
    return true;
}

static bool no_job_is_left(struct history *h)
{
    struct base_app_id id;

    return !h->more && h->at == h->apps.apps_n &&
           !rm_history_file_find_next_older(rm_history_get_file(h->list.b),
                                            h->has_last ? &h->last : NULL, NULL, h->from_us,
                                            h->to_us, &id);
}

/* Processes the next job of either source, or fetches the core's next jobs. */
static void write_next_job_or_fetch(struct history *h, struct base_buf *out)
{
    const struct rm_app_view *a;

    if (h->at == h->apps.apps_n && h->more) {
        fetch_next_core_jobs(h);
        return;
    }
    a = h->at < h->apps.apps_n ? &h->apps.apps[h->at] : NULL;
    if (put_next_archived_job(h, a, out) || !a)
        return;
    h->at++;
    h->last = a->id;
    h->has_last = true;
    if (ended_and_submitted_in_period(h, a))
        h->limit -= rm_history_read_job(h->list.b, a, h->zero_us, out);
}

#define PROCESSED_MAX 256 /* most steps in one chunk; a written job ends the chunk too */

static enum rm_listing_next write_history_chunk(struct rm_listing *list, size_t max,
                                                struct base_buf *out)
{
    struct history *h = (struct history *)list;
    int64_t limit = h->limit;
    char text[BASE_ID_TEXT_MAX];

    (void)max;
    if (!h->opened) {
        base_json_open(out, '{');
        base_json_key(out, "history");
        base_json_open(out, '[');
        h->opened = true;
    }
    for (int processed = 0; h->limit > 0 && !no_job_is_left(h); processed++) {
        if (processed == PROCESSED_MAX || h->limit < limit)
            return RM_LISTING_MORE;
        write_next_job_or_fetch(h, out);
    }
    base_json_close(out, ']');
    if (!no_job_is_left(h))
        base_json_put_str(out, "cursor", base_app_id_text(&h->last, text));
    base_json_close(out, '}');
    return RM_LISTING_END;
}

static bool read_history_cursor(struct api_request *rq, struct history *h)
{
    const char *text = api_query(rq, "cursor");
    struct base_error err = {0};

    h->begun = text && *text;
    if (!h->begun || base_app_id_parse(text, &h->cursor, &err) == 0) {
        h->last = h->cursor;
        h->has_last = h->begun;
        return true;
    }
    api_answer_error(rq, 400, "BadRequestException", "cursor: %s", err.text);
    return false;
}

/* The history shows all users' jobs in full, so while ACLs are enabled only administrators may read
 * it. */
static void list_history(struct api_request *rq, void *user)
{
    struct history *h;
    int64_t from = 0, to = DATE_MAX, zero = 0;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_CONFIGURE))
        return;
    h = base_alloc(sizeof *h);
    h->list = (struct rm_listing){.rq = rq,
                                  .b = user,
                                  .type = API_JSON,
                                  .chunk = write_history_chunk,
                                  .drop = free_history_views};
    h->filter = (struct rm_app_filter){.jobs_only = true,
                                       .states = 1u << RM_APP_FINISHED | 1u << RM_APP_FAILED |
                                                 1u << RM_APP_KILLED};
    h->more = true;
    h->limit = LIMIT_DEFAULT;
    if (!rm_api_read_query_int(rq, "from", 0, DATE_MAX, &from) ||
        !rm_api_read_query_int(rq, "to", 0, DATE_MAX, &to) ||
        !rm_api_read_query_int(rq, "zero", 0, DATE_MAX, &zero) ||
        !rm_api_read_query_int(rq, "limit", 1, LIMIT_MAX, &h->limit) ||
        !read_history_cursor(rq, h)) {
        free(h);
        return;
    }
    h->from_us = from * 1000;
    h->to_us = to * 1000 + 999;
    h->zero_us = zero * 1000;
    rm_listing_answer(&h->list);
}

const struct api_route rm_api_history_routes[] = {
    {"GET", "/ws/v1/cluster/history", API_ROLE_READ, 0, list_history, API_ROUTE_CREEL},
};
const size_t rm_api_history_routes_n = sizeof rm_api_history_routes / sizeof *rm_api_history_routes;
