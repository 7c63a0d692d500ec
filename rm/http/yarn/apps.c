/* rm/http/yarn/apps.c - lists applications with filters, shows one application, and counts
 * applications by state. SOURCE: Hadoop's ResourceManager REST APIs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/http/access/access.h"
#include "rm/http/listing.h"
#include "rm/http/yarn/yarn_internal.h"

/* ---- the list's filters ---- */

struct filter {
    struct yarn_word_list states, types, tags;
    uint32_t state_bits;
    char *user, *queue, *name, *final_status; /* NULL: any */
    int64_t limit;
    int64_t started[2], finished[2]; /* ms, inclusive */
    struct yarn_deselects deselects;
};

static const char *null_if_empty(const char *s)
{
    return s && s[0] ? s : NULL;
}

/* Returns a copy of parameter @name, which the caller frees; NULL when it is absent or empty. */
static char *copy_nonempty_query(struct api_request *rq, const char *name)
{
    const char *text = null_if_empty(api_query(rq, name));

    return text ? base_strdup(text) : NULL;
}

/* Reads a time in ms; leaves *@out unchanged if the parameter is absent or empty. @spoken: the
 * parameter's name in YARN's message about a negative time, which may differ from @name. Returns
 * false when the time is not valid; @rq has then been answered. */
static bool read_time(struct api_request *rq, const char *name, const char *spoken, int64_t *out)
{
    const char *text = null_if_empty(api_query(rq, name));

    if (!text)
        return true;
    if (!yarn_parse_long(text, out))
        yarn_bad_request(rq, "%s value must be a number!", name);
    else if (*out < 0)
        yarn_bad_request(rq, "%s must be greater than 0", spoken);
    else
        return true;
    return false;
}

static bool read_times(struct api_request *rq, struct filter *f)
{
    f->started[0] = f->finished[0] = 0;
    f->started[1] = f->finished[1] = INT64_MAX;
    if (!read_time(rq, "startedTimeBegin", "startedTimeBegin", &f->started[0]) ||
        !read_time(rq, "startedTimeEnd", "startedTimeEnd", &f->started[1]))
        return false;
    if (f->started[0] > f->started[1]) {
        yarn_bad_request(rq, "startedTimeEnd must be greater than startTimeBegin");
        return false;
    }
    if (!read_time(rq, "finishedTimeBegin", "finishTimeBegin", &f->finished[0]) ||
        !read_time(rq, "finishedTimeEnd", "finishTimeEnd", &f->finished[1]))
        return false;
    if (f->finished[0] > f->finished[1]) {
        yarn_bad_request(rq, "finishTimeEnd must be greater than finishTimeBegin");
        return false;
    }
    return true;
}

static bool read_limit(struct api_request *rq, struct filter *f)
{
    const char *text = null_if_empty(api_query(rq, "limit"));

    f->limit = INT64_MAX;
    if (!text)
        return true;
    if (!yarn_parse_long(text, &f->limit))
        yarn_bad_request(rq, "limit value must be a number!");
    else if (f->limit <= 0)
        yarn_bad_request(rq, "limit value must be greater then 0");
    else
        return true;
    return false;
}

static void free_filter(struct filter *f)
{
    yarn_word_list_free(&f->states);
    yarn_word_list_free(&f->types);
    yarn_word_list_free(&f->tags);
    yarn_deselects_free(&f->deselects);
    free(f->user);
    free(f->queue);
    free(f->name);
    free(f->final_status);
}

/* Reads the query. Returns false when a parameter is not valid; @rq has then been answered. Call
 * free_filter() in any case. */
static bool read_filter(struct api_request *rq, struct filter *f)
{
    *f = (struct filter){.user = copy_nonempty_query(rq, "user"),
                         .queue = copy_nonempty_query(rq, "queue"),
                         .name = copy_nonempty_query(rq, "name"),
                         .final_status = copy_nonempty_query(rq, "finalStatus")};
    yarn_word_list_add_from_query(rq, "state", &f->states);
    yarn_word_list_add_from_query(rq, "states", &f->states);
    yarn_word_list_add_from_query(rq, "applicationTypes", &f->types);
    yarn_word_list_add_from_query(rq, "applicationTags", &f->tags);
    for (size_t i = 0; i < f->tags.n; i++)
        for (char *p = f->tags.v[i]; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    yarn_deselects_read(rq, &f->deselects);
    return read_limit(rq, f) && read_times(rq, f) &&
           yarn_parse_app_states(rq, &f->states, &f->state_bits);
}

static bool time_is_in_range(int64_t us, const int64_t range_ms[2])
{
    return us / 1000 >= range_ms[0] && us / 1000 <= range_ms[1];
}

/* Returns true when the application passes the conditions on times and queue, which are left out of
 * the core's filter (struct walk). */
static bool app_passes_time_and_queue_filter(const struct filter *f,
                                             const struct yarn_context *frame,
                                             const struct rm_app_view *v)
{
    return time_is_in_range(v->submit_us, f->started) &&
           time_is_in_range(v->finish_us, f->finished) &&
           (!f->queue || yarn_app_in_queue(frame, v, f->queue));
}

/* ---- the list ---- */

/* A walk through the applications, newest first; the core is locked for one chunk at a time. */
struct walk {
    struct rm_app_filter filter;
    struct base_app_id cursor;
    bool begun;
};

/* Copies the next chunk of at most @max applications. Returns true when there may be more. */
static bool view_next_apps(struct walk *w, struct rm_backend *b, size_t max, struct rm_views *v)
{
    struct base_app_id before = w->cursor;
    bool more = rm_view_apps(rm_backend_lock_core(b), &w->filter, w->begun ? &before : NULL, max, v,
                             &w->cursor);

    rm_backend_unlock_core(b);
    w->begun = true;
    return more;
}

struct listing {
    struct rm_listing list;
    struct filter filter;
    struct walk walk;
    struct rm_access access;
    struct yarn_context frame;
    struct yarn_app_and_texts filled;
    enum api_dialect dialect;
    bool leaves_out; /* yarn.webapp.filter-entity-list-by-user */
    size_t matched, shown;
};

static bool is_final_status_name(const char *name)
{
    for (int s = RM_FINAL_UNDEFINED; s <= RM_FINAL_ENDED; s++)
        if (strcmp(rm_final_status_name((enum rm_final_status)s), name) == 0)
            return true;
    return false;
}

static bool final_status_is_unknown(const struct filter *f)
{
    return f->final_status && !is_final_status_name(f->final_status);
}

/* Answers mistakes in the query that YARN notices only when it reaches the first application.
 * Returns true when there was one. */
static bool answer_mistake_if_any(struct listing *l)
{
    struct api_request *rq = l->list.rq;

    if (final_status_is_unknown(&l->filter)) {
        api_answer_error(
            rq, 400, "IllegalArgumentException",
            "No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.%s",
            l->filter.final_status);
        return true;
    }
    return yarn_deselects_answer_if_unknown(rq, &l->filter.deselects);
}

static void add_app_if_status_matches(struct listing *l, const struct rm_app_view *v, bool sees,
                                      struct base_buf *out)
{
    yarn_app_fill(&l->frame, v, &l->filled);
    if (!sees)
        yarn_app_hide_details(&l->filled.app);
    if (!l->filter.final_status ||
        strcmp(l->filled.app.final_status, l->filter.final_status) == 0) {
        yarn_deselects_apply(&l->filter.deselects, &l->filled.app);
        api_shape_add_list_item("app", &yarn_shape_app, l->dialect, &l->filled.app, l->shown++,
                                out);
    }
}

/* Appends the applications of one chunk that pass the filters; those that are left out do not count
 * towards the limit. Returns RM_LISTING_MORE unless the limit is reached or an error was answered.
 */
static enum rm_listing_next add_matching_apps(struct listing *l, const struct rm_views *v,
                                              struct base_buf *out)
{
    for (size_t i = 0; i < v->apps_n; i++) {
        bool sees;

        if (!app_passes_time_and_queue_filter(&l->filter, &l->frame, &v->apps[i]))
            continue;
        sees = rm_access_allows(&l->access, RM_OP_VIEW_APP, &v->apps[i]);
        if (!sees && l->leaves_out)
            continue;
        if (l->matched++ == 0 && answer_mistake_if_any(l))
            return RM_LISTING_ANSWERED;
        add_app_if_status_matches(l, &v->apps[i], sees, out);
        if ((int64_t)l->matched >= l->filter.limit)
            return RM_LISTING_END;
    }
    return RM_LISTING_MORE;
}

static enum rm_listing_next write_apps_chunk(struct rm_listing *list, size_t max,
                                             struct base_buf *out)
{
    struct listing *l = (struct listing *)list;
    enum rm_listing_next next;
    struct rm_views v = {0};
    bool more;

    if (!l->walk.begun)
        api_shape_open_list("apps", "app", l->dialect, out);
    more = view_next_apps(&l->walk, list->b, max, &v);
    next = add_matching_apps(l, &v, out);
    rm_views_free(&v);
    if (next == RM_LISTING_MORE && !more)
        next = RM_LISTING_END;
    if (next == RM_LISTING_END)
        api_shape_close_list("apps", l->dialect, l->shown, out);
    return next;
}

static void free_apps_listing(struct rm_listing *list)
{
    struct listing *l = (struct listing *)list;

    rm_access_end(&l->access);
    yarn_context_free(&l->frame);
    yarn_app_texts_free(&l->filled);
    free_filter(&l->filter);
}

/* The capacity scheduler knows a queue by its last name too, and refuses names that it does not
 * know. Returns false for such a name; the request has then been answered. */
static bool resolve_filter_queue(struct listing *l)
{
    int32_t at;

    if (l->frame.shape != RM_SHAPE_CAPACITY || !l->filter.queue)
        return true;
    at = yarn_find_queue_by_path_or_last_name(&l->frame.queues, l->filter.queue);
    if (at < 0) {
        yarn_bad_request(l->list.rq, "Unknown queue: %s", l->filter.queue);
        return false;
    }
    free(l->filter.queue);
    l->filter.queue = base_strdup(l->frame.queues.queues[at].name);
    return true;
}

static void get_apps(struct api_request *rq, void *user)
{
    struct listing *l = base_alloc(sizeof *l);

    l->list = (struct rm_listing){.rq = rq,
                                  .b = user,
                                  .type = api_wanted_type(rq),
                                  .chunk = write_apps_chunk,
                                  .drop = free_apps_listing};
    l->dialect = yarn_choose_dialect(rq, API_N_WRAPPED);
    l->leaves_out = base_conf_bool(rm_backend_conf(user), "yarn.webapp.filter-entity-list-by-user");
    if (!read_filter(rq, &l->filter)) {
        free_filter(&l->filter);
        free(l);
        return;
    }
    l->walk.filter = (struct rm_app_filter){
        .states = l->filter.state_bits,
        .user = l->filter.user,
        .name = l->filter.name,
        .types = (const char *const *)l->filter.types.v,
        .types_n = l->filter.types.n,
        .tags = (const char *const *)l->filter.tags.v,
        .tags_n = l->filter.tags.n,
    };
    /* otherwise the first application that matches decides whether the answer is an error */
    l->list.is_sent_while_written =
        !final_status_is_unknown(&l->filter) && !l->filter.deselects.unknown;
    rm_access_begin_for_request(&l->access, user, rq);
    yarn_context_read_with_queues(user, &l->frame);
    if (!resolve_filter_queue(l)) {
        free_apps_listing(&l->list);
        free(l);
        return;
    }
    rm_listing_answer(&l->list);
}

/* ---- one application ---- */

static void get_app(struct api_request *rq, void *user)
{
    struct yarn_app_and_texts filled = {0};
    struct yarn_deselects deselects;
    struct rm_views v = {0};
    struct yarn_context f;

    if (!yarn_copy_app_view(rq, user, &v)) {
        rm_views_free(&v);
        return;
    }
    yarn_deselects_read(rq, &deselects);
    if (!yarn_deselects_answer_if_unknown(rq, &deselects)) {
        yarn_context_read_with_queues(user, &f);
        yarn_app_fill(&f, &v.apps[0], &filled);
        if (!rm_access_sees_app(rq, user, &v.apps[0]))
            yarn_app_hide_details(&filled.app);
        yarn_deselects_apply(&deselects, &filled.app);
        yarn_answer(rq, 200, &yarn_shape_app, API_N_WRAPPED, &filled.app);
        yarn_context_free(&f);
    }
    yarn_deselects_free(&deselects);
    yarn_app_texts_free(&filled);
    rm_views_free(&v);
}

/* ---- statistics ---- */

struct counting {
    struct rm_listing list;
    struct walk walk;
    struct yarn_word_list states, types;
    int64_t counts[RM_APP_STATES];
};

static void answer_app_counts(struct counting *c)
{
    struct yarn_stat_item items[RM_APP_STATES];
    struct yarn_statistics stats = {.list = {.items = items, .stride = sizeof items[0]}};
    uint32_t states = c->walk.filter.states;

    for (size_t i = 0; i < yarn_public_states_n; i++) {
        enum rm_app_state s = yarn_public_states[i];
        if (states == 0 || states & UINT32_C(1) << s)
            items[stats.list.n++] =
                (struct yarn_stat_item){.state = rm_app_state_name(s),
                                        .type = c->types.n ? c->types.v[0] : "*",
                                        .count = c->counts[s]};
    }
    yarn_answer(c->list.rq, 200, &yarn_shape_statistics, API_N_WRAPPED, &stats);
}

static enum rm_listing_next count_apps_in_chunk(struct rm_listing *list, size_t max,
                                                struct base_buf *out)
{
    struct counting *c = (struct counting *)list;
    struct rm_views v = {0};
    bool more = view_next_apps(&c->walk, list->b, max, &v);

    (void)out;
    for (size_t i = 0; i < v.apps_n; i++)
        c->counts[rm_app_public_state(v.apps[i].state, v.apps[i].state_before)]++;
    rm_views_free(&v);
    if (more)
        return RM_LISTING_MORE;
    answer_app_counts(c);
    return RM_LISTING_ANSWERED;
}

static void free_counting(struct rm_listing *list)
{
    struct counting *c = (struct counting *)list;

    yarn_word_list_free(&c->states);
    yarn_word_list_free(&c->types);
}

static void get_app_statistics(struct api_request *rq, void *user)
{
    struct counting *c = base_alloc(sizeof *c);

    c->list = (struct rm_listing){
        .rq = rq, .b = user, .chunk = count_apps_in_chunk, .drop = free_counting};
    yarn_word_list_add_from_query(rq, "states", &c->states);
    yarn_word_list_add_from_query(rq, "applicationTypes", &c->types);
    if (c->types.n > 1) {
        yarn_bad_request(
            rq, "# of applicationTypes = %zu, we temporarily support at most one applicationType",
            c->types.n);
    } else if (yarn_parse_app_states(rq, &c->states, &c->walk.filter.states)) {
        for (char *p = c->types.n ? c->types.v[0] : ""; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        c->walk.filter.types = (const char *const *)c->types.v;
        c->walk.filter.types_n = c->types.n;
        rm_listing_answer(&c->list);
        return;
    }
    free_counting(&c->list);
    free(c);
}

/* clang-format off */
const struct api_route rm_yarn_apps_routes[] = {
    {"GET", YARN_APPS,                     API_ROLE_READ, 0, get_apps, 0},
    {"GET", YARN_APPS "/{appid}",          API_ROLE_READ, 0, get_app, 0},
    {"GET", YARN_CLUSTER "/appstatistics", API_ROLE_READ, 0, get_app_statistics, 0},
};
/* clang-format on */
const size_t rm_yarn_apps_routes_n = sizeof rm_yarn_apps_routes / sizeof rm_yarn_apps_routes[0];
