/* rm/rpc/apps.c - applications: new ids, reports, lists, and changes. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/limits.h"
#include "rm/http/yarn/change.h"
#include "rm/rpc/client.h"

#define WORDS_MAX  1000 /* words of one filter */
#define STATES_MAX 64   /* several times as many as there are */

/* ---- new applications ---- */

static void answer_new_app(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__NewAppAnswer answer = YARN__NEW_APP_ANSWER__INIT;
    struct rm_rpc_resource max;
    struct yarn_context f;
    Yarn__AppId id;

    yarn_context_read(c->b, &f);
    rm_rpc_put_app_id(&fx->u.reply.app_id, &id);
    rm_rpc_put_resource(f.cluster.max_capability.v[RM_RES_MEMORY_MB],
                        f.cluster.max_capability.v[RM_RES_VCORES], &max);
    yarn_context_free(&f);
    answer.id = &id;
    answer.max = &max.resource;
    api_rpc_answer(c->call, &answer.base);
}

void rm_rpc_new_app(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    (void)request;
    rm_rpc_change_post(rm_rpc_change_new(call, user, RM_EV_NEW_APP_ID, NULL), NULL, answer_new_app);
}

/* ---- one application ---- */

void rm_rpc_get_app(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AppRequest *rq = (const Yarn__AppRequest *)request;
    Yarn__AppAnswer answer = YARN__APP_ANSWER__INIT;
    struct yarn_app_and_texts filled = {0};
    struct rm_access access;
    struct rm_views v = {0};
    struct rm_rpc_app app;
    struct yarn_context f;

    if (rm_rpc_copy_app(call, user, rq->id, &v)) {
        yarn_context_read_with_queues(user, &f);
        rm_access_begin_for_user(&access, user, api_rpc_caller(call));
        yarn_app_fill(&f, &v.apps[0], &filled);
        rm_rpc_put_app(&f, &v.apps[0], &filled.app,
                       rm_access_allows(&access, RM_OP_VIEW_APP, &v.apps[0]), &app);
        answer.report = &app.report;
        api_rpc_answer(call, &answer.base);
        rm_rpc_app_free(&app);
        rm_access_end(&access);
        yarn_context_free(&f);
    }
    yarn_app_texts_free(&filled);
    rm_views_free(&v);
}

/* ---- the list ---- */

enum scope { SCOPE_ALL, SCOPE_VIEWABLE, SCOPE_OWN };

struct words { /* copied from the request; the array and the texts are owned */
    char **v;
    size_t n;
};

struct app_listing {
    struct rm_rpc_listing list;
    struct rm_app_filter filter;
    struct words types, tags, users, queues;
    char *name, *caller;
    enum scope scope;
    int64_t limit, started[2], finished[2]; /* ms, inclusive */
    struct base_app_id cursor;
    bool begun, leaves_out;
    int64_t shown;
    struct rm_access access;
    struct yarn_context context;
    struct yarn_app_and_texts filled;
};

static void copy_words(char *const *from, size_t n, struct words *out)
{
    out->v = base_alloc(n * sizeof *out->v);
    out->n = n;
    for (size_t i = 0; i < n; i++)
        out->v[i] = base_strdup(from[i]);
}

static void free_words(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    free(w->v);
}

static void drop_app_listing(struct rm_rpc_listing *list)
{
    struct app_listing *l = (struct app_listing *)list;

    rm_access_end(&l->access);
    yarn_context_free(&l->context);
    yarn_app_texts_free(&l->filled);
    free_words(&l->types);
    free_words(&l->tags);
    free_words(&l->users);
    free_words(&l->queues);
    free(l->name);
    free(l->caller);
}

static bool time_is_in_range(int64_t us, const int64_t range_ms[2])
{
    return us / 1000 >= range_ms[0] && us / 1000 <= range_ms[1];
}

static bool is_one_of(const struct words *w, const char *text)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->v[i], text ? text : "") == 0)
            return true;
    return w->n == 0;
}

static bool is_in_queues(const struct app_listing *l, const struct rm_app_view *v)
{
    for (size_t i = 0; i < l->queues.n; i++)
        if (yarn_app_in_queue(&l->context, v, l->queues.v[i]))
            return true;
    return l->queues.n == 0;
}

/* Returns true when the application passes the conditions that the core's filter does not have. */
static bool app_passes(const struct app_listing *l, const struct rm_app_view *v)
{
    return time_is_in_range(v->submit_us, l->started) &&
           time_is_in_range(v->finish_us, l->finished) && is_one_of(&l->users, v->user) &&
           (l->scope != SCOPE_OWN || (v->user && strcmp(v->user, l->caller) == 0)) &&
           is_in_queues(l, v);
}

/* Adds an application to the answer, unless the caller may not see it and such ones are left out.
 */
static void add_app(struct app_listing *l, const struct rm_app_view *v)
{
    bool sees = rm_access_allows(&l->access, RM_OP_VIEW_APP, v);
    struct rm_rpc_app app;

    if (!sees && (l->leaves_out || l->scope == SCOPE_VIEWABLE))
        return;
    yarn_app_fill(&l->context, v, &l->filled);
    rm_rpc_put_app(&l->context, v, &l->filled.app, sees, &app);
    api_rpc_add_field(&l->list.out, 1, &app.report.base);
    rm_rpc_app_free(&app);
    l->shown++;
}

static bool add_apps_chunk(struct rm_rpc_listing *list)
{
    struct app_listing *l = (struct app_listing *)list;
    struct base_app_id before = l->cursor;
    struct rm_views v = {0};
    bool more = rm_view_apps(rm_backend_lock_core(list->b), &l->filter, l->begun ? &before : NULL,
                             BASE_VIEW_CHUNK, &v, &l->cursor);

    rm_backend_unlock_core(list->b);
    l->begun = true;
    for (size_t i = 0; i < v.apps_n && l->shown < l->limit; i++)
        if (app_passes(l, &v.apps[i]))
            add_app(l, &v.apps[i]);
    rm_views_free(&v);
    return more && l->shown < l->limit;
}

static bool is_too_long(const Yarn__AppsRequest *rq)
{
    return rq->n_types > WORDS_MAX || rq->n_tags > WORDS_MAX || rq->n_users > WORDS_MAX ||
           rq->n_queues > WORDS_MAX || rq->n_states > STATES_MAX;
}

/* Reads the states into a bit set. A state that nobody knows matches nothing. */
static uint32_t read_states(const Yarn__AppsRequest *rq)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < rq->n_states; i++) {
        int s = rm_rpc_find_app_state(rq->states[i]);
        bits |= s >= 0 ? UINT32_C(1) << s : 0;
    }
    return rq->n_states && !bits ? UINT32_C(1) << RM_APP_STATES : bits;
}

static void fill_filter(struct app_listing *l, const Yarn__AppsRequest *rq)
{
    copy_words(rq->types, rq->n_types, &l->types);
    copy_words(rq->tags, rq->n_tags, &l->tags);
    copy_words(rq->users, rq->n_users, &l->users);
    copy_words(rq->queues, rq->n_queues, &l->queues);
    l->name = base_strdup(rq->name && *rq->name ? rq->name : NULL);
    l->scope = rq->has_scope ? (enum scope)rq->scope : SCOPE_ALL;
    l->limit = rq->has_limit ? rq->limit : INT64_MAX;
    l->started[0] = rq->has_started_begin ? rq->started_begin : 0;
    l->started[1] = rq->has_started_end ? rq->started_end : INT64_MAX;
    l->finished[0] = rq->has_finished_begin ? rq->finished_begin : 0;
    l->finished[1] = rq->has_finished_end ? rq->finished_end : INT64_MAX;
    l->filter = (struct rm_app_filter){.states = read_states(rq),
                                       .name = l->name,
                                       .types = (const char *const *)l->types.v,
                                       .types_n = l->types.n,
                                       .tags = (const char *const *)l->tags.v,
                                       .tags_n = l->tags.n};
}

void rm_rpc_get_apps(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AppsRequest *rq = (const Yarn__AppsRequest *)request;
    struct app_listing *l;

    if (is_too_long(rq)) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION,
                             "at most %d types, tags, users and queues each, and %d states",
                             WORDS_MAX, STATES_MAX);
        return;
    }
    l = base_alloc(sizeof *l);
    l->list = (struct rm_rpc_listing){
        .call = call, .b = user, .add_chunk = add_apps_chunk, .drop = drop_app_listing};
    l->caller = base_strdup(api_rpc_caller(call));
    l->leaves_out = base_conf_bool(rm_backend_conf(user), "yarn.webapp.filter-entity-list-by-user");
    fill_filter(l, rq);
    rm_access_begin_for_user(&l->access, user, l->caller);
    yarn_context_read_with_queues(user, &l->context);
    rm_rpc_listing_answer(&l->list);
}

/* ---- changes ---- */

static void answer_kill(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__KillAnswer answer = YARN__KILL_ANSWER__INIT;

    answer.has_completed = true;
    answer.completed = yarn_kill_is_complete(fx->u.reply.flag, fx->u.reply.app_state, c->unmanaged);
    api_rpc_answer(c->call, &answer.base);
}

void rm_rpc_kill_app(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__KillRequest *rq = (const Yarn__KillRequest *)request;
    struct base_app_id id;
    struct rm_views v = {0};
    struct rm_rpc_change *c;
    int rc;

    if (!rm_rpc_get_app_id(rq->id, &id)) {
        rm_rpc_answer_no_id(call);
        return;
    }
    rc = rm_view_app(rm_backend_lock_core(user), id, &v);
    rm_backend_unlock_core(user);
    if (rc < 0) {
        rm_rpc_answer_absent_app(call, "kill", &id);
    } else if (!rm_rpc_refuse_unless_allowed(call, user, RM_OP_KILL, &v.apps[0])) {
        c = rm_rpc_change_new(call, user, RM_EV_KILL_APP, "kill");
        c->unmanaged = v.apps[0].unmanaged;
        c->text = yarn_kill_format_text(&id, c->caller, api_rpc_peer(call), rq->diagnostics);
        c->ev.u.kill.id = id;
        c->ev.u.kill.diagnostics = c->text;
        rm_rpc_change_post(c, &id, answer_kill);
    }
    rm_views_free(&v);
}

static void answer_nothing(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)fx;
    api_rpc_answer(c->call, &none.base);
}

static bool may_move(struct api_rpc_call *call, struct rm_backend *b, const struct rm_app_view *v,
                     const char *queue)
{
    struct rm_access access;
    bool allowed;

    rm_access_begin_for_user(&access, b, api_rpc_caller(call));
    allowed = rm_access_allows_move(&access, v, queue);
    rm_access_end(&access);
    return allowed;
}

static void refuse_move(struct api_rpc_call *call, const struct rm_app_view *v, const char *why)
{
    char app[BASE_ID_TEXT_MAX];

    api_audit_log_call("move", api_rpc_caller(call), api_rpc_peer(call),
                       base_app_id_text(&v->id, app), why);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "%s", why);
}

/* Moves @v to @queue. As with REST, an application that is there already stays, and the call is
 * answered once that is durable; YARN asks for the right and the state all the same. */
static void move_app(struct api_rpc_call *call, struct rm_backend *b, const struct yarn_context *f,
                     const struct rm_app_view *v, const char *queue)
{
    char *why = yarn_move_explain_refusal(v);
    struct base_buf path = {0};
    struct rm_rpc_change *c;

    if (!may_move(call, b, v, queue)) {
        rm_rpc_answer_forbidden(call, RM_OP_MOVE, &v->id);
    } else if (why) {
        refuse_move(call, v, why);
    } else {
        c = rm_rpc_change_new(call, b, RM_EV_MOVE_APP, "move");
        c->ev.u.move.id = v->id;
        if (strcmp(queue, yarn_get_shown_queue(f, v, &path)) != 0)
            c->ev.u.move.queue = c->text = base_strdup(queue);
        rm_rpc_change_post(c, &v->id, answer_nothing);
    }
    base_buf_free(&path);
    free(why);
}

void rm_rpc_move_app(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__MoveRequest *rq = (const Yarn__MoveRequest *)request;
    struct yarn_context f;
    struct rm_views v = {0};

    if (rm_rpc_copy_app(call, user, rq->id, &v)) {
        yarn_context_read_with_queues(user, &f);
        move_app(call, user, &f, &v.apps[0], yarn_resolve_queue_path(&f, rq->queue));
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}

static void answer_with_priority(struct api_rpc_call *call, int32_t priority)
{
    Yarn__PriorityAnswer answer = YARN__PRIORITY_ANSWER__INIT;
    Yarn__Priority now = YARN__PRIORITY__INIT;

    now.has_priority = true;
    now.priority = priority;
    answer.priority = &now;
    api_rpc_answer(call, &answer.base);
}

static void answer_priority_change(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    answer_with_priority(c->call, (int32_t)fx->u.reply.value);
}

/* Only the capacity scheduler has priorities. Fifo answers that it has kept 0; fair refuses any
 * other value for an application that has not ended. */
static void set_priority(struct api_rpc_call *call, struct rm_backend *b,
                         const struct yarn_context *f, const struct rm_app_view *v,
                         int32_t priority)
{
    struct rm_rpc_change *c;

    if (rm_rpc_refuse_unless_allowed(call, b, RM_OP_SET_PRIORITY, v))
        return;
    if (yarn_has_priorities(f)) {
        c = rm_rpc_change_new(call, b, RM_EV_SET_PRIORITY, "priority");
        c->ev.u.priority.id = v->id;
        c->ev.u.priority.priority = priority;
        rm_rpc_change_post(c, &v->id, answer_priority_change);
    } else if (f->shape == RM_SHAPE_FAIR && priority != 0 &&
               !yarn_app_is_ending_or_ended(v->state)) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION,
                             "the fair scheduler has no priorities of applications");
    } else {
        answer_with_priority(call, 0);
    }
}

void rm_rpc_set_priority(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__PriorityRequest *rq = (const Yarn__PriorityRequest *)request;
    struct rm_views v = {0};
    struct yarn_context f;

    if (rm_rpc_copy_app(call, user, rq->id, &v)) {
        yarn_context_read(user, &f);
        set_priority(call, user, &f, &v.apps[0],
                     rq->priority->has_priority ? rq->priority->priority : 0);
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}
