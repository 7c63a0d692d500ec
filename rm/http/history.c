/* rm/http/history.c - GET /ws/v1/cluster/history: jobs that have ended, newest submission first, as
 * the simulator replays them: {"history":[{…},…],"cursor":"application_…"}. Query: from, to (ms
 * since the epoch, of the submission), zero (where times count from, the same; 0), limit, cursor
 * (of the page before). */
#include <stdlib.h>

#include "base/io/json_write.h"
#include "rm/http/core_call.h"
#include "rm/http/listing.h"
#include "rm/jobs/ended_jobs.h"

#define DATE_MAX      INT64_C(253402300799000) /* the end of the year 9999 */
#define LIMIT_DEFAULT 1000
#define LIMIT_MAX     10000
#define LOOK_AT_ONCE  8

struct history {
    struct rm_listing list;
    struct rm_app_filter filter;
    struct base_app_id cursor;
    int64_t from_us, to_us, zero_us, limit;
    struct base_app_id last; /* looked at, of the core's or of others */
    bool opened, more, begun, has_last;
    struct rm_views apps;
    size_t at; /* in apps */
};

static void drop(struct rm_listing *list)
{
    rm_views_free(&((struct history *)list)->apps);
}

static bool wanted(const struct history *h, const struct rm_app_view *a)
{
    return a->finish_us > 0 && a->submit_us >= h->from_us && a->submit_us <= h->to_us;
}

static void look_further(struct history *h)
{
    struct base_app_id before = h->cursor;

    rm_views_free(&h->apps);
    h->at = 0;
    h->more = rm_view_apps(rm_backend_hold(h->list.b), &h->filter, h->begun ? &before : NULL,
                           LOOK_AT_ONCE, &h->apps, &h->cursor);
    rm_backend_release(h->list.b);
    h->begun = true;
}

/* The next one of those that the core does not know any more, up to the next one that it knows.
 * True: it was looked at. */
static bool put_forgotten(struct history *h, const struct rm_app_view *known, struct base_buf *out)
{
    struct rm_history_file *file = rm_history_get_file(h->list.b);
    char token[65];
    bool gone;

    if (!rm_history_file_find_next(file, h->has_last ? &h->last : NULL, known ? &known->id : NULL,
                                   h->from_us, h->to_us, &h->last))
        return false;
    h->has_last = true;
    gone = rm_view_token(rm_backend_hold(h->list.b), h->last, token) < 0;
    rm_backend_release(h->list.b);
    if (gone)
        h->limit -= rm_history_file_read_job(file, h->last, h->zero_us, out);
    return true;
}

static bool all_seen(struct history *h)
{
    struct base_app_id id;

    return !h->more && h->at == h->apps.apps_n &&
           !rm_history_file_find_next(rm_history_get_file(h->list.b), h->has_last ? &h->last : NULL,
                                      NULL, h->from_us, h->to_us, &id);
}

/* One more job, newest first, of the core or of those it has forgotten. */
static void look_at_one(struct history *h, struct base_buf *out)
{
    const struct rm_app_view *a;

    if (h->at == h->apps.apps_n && h->more) {
        look_further(h);
        return;
    }
    a = h->at < h->apps.apps_n ? &h->apps.apps[h->at] : NULL;
    if (put_forgotten(h, a, out) || !a)
        return;
    h->at++;
    h->last = a->id;
    h->has_last = true;
    if (wanted(h, a))
        h->limit -= rm_history_read_job(h->list.b, a, h->zero_us, out);
}

#define LOOK_MAX 256 /* of which nothing is told, in one chunk */

static enum rm_listing_next chunk(struct rm_listing *list, size_t max, struct base_buf *out)
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
    for (int looked = 0; h->limit > 0 && !all_seen(h); looked++) {
        if (looked == LOOK_MAX || h->limit < limit)
            return RM_LISTING_MORE;
        look_at_one(h, out);
    }
    base_json_close(out, ']');
    if (!all_seen(h))
        base_json_put_str(out, "cursor", base_app_id_text(&h->last, text));
    base_json_close(out, '}');
    return RM_LISTING_END;
}

static bool read_cursor(struct api_request *rq, struct history *h)
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

static void do_history(struct api_request *rq, void *user)
{
    struct history *h = base_alloc(sizeof *h);
    int64_t from = 0, to = DATE_MAX, zero = 0;

    h->list =
        (struct rm_listing){.rq = rq, .b = user, .type = API_JSON, .chunk = chunk, .drop = drop};
    h->filter = (struct rm_app_filter){.jobs_only = true,
                                       .states = 1u << RM_APP_FINISHED | 1u << RM_APP_FAILED |
                                                 1u << RM_APP_KILLED};
    h->more = true;
    h->limit = LIMIT_DEFAULT;
    if (!rm_api_query_int(rq, "from", 0, DATE_MAX, &from) ||
        !rm_api_query_int(rq, "to", 0, DATE_MAX, &to) ||
        !rm_api_query_int(rq, "zero", 0, DATE_MAX, &zero) ||
        !rm_api_query_int(rq, "limit", 1, LIMIT_MAX, &h->limit) || !read_cursor(rq, h)) {
        free(h);
        return;
    }
    h->from_us = from * 1000;
    h->to_us = to * 1000 + 999;
    h->zero_us = zero * 1000;
    rm_listing_run(&h->list);
}

const struct api_route rm_api_history_routes[] = {
    {"GET", "/ws/v1/cluster/history", API_ROLE_READ, 0, do_history, API_ROUTE_CREEL},
};
const size_t rm_api_history_routes_n = sizeof rm_api_history_routes / sizeof *rm_api_history_routes;
