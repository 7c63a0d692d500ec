#include "tests/unit/ha_election_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void request_free(struct world_request *q)
{
    for (size_t i = 0; i < 8; i++) {
        free(q->op_path[i]);
        free(q->op_data[i]);
    }
    free(q->path);
    free(q->text);
}

static void event_free(struct world_event *v)
{
    for (size_t i = 0; v->children && v->children[i]; i++)
        free(v->children[i]);
    free(v->children);
    free(v->path);
    free(v->data);
    free(v->text);
}

struct world *world_new(uint64_t seed)
{
    struct world *w = base_alloc(sizeof *w);

    w->seed = seed * 2 + 1;
    w->now_us = 1000000;
    w->highest_elected = -1;
    world_put(w, "/", "", 0);
    return w;
}

static void drop_requests(struct world_request *v, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        request_free(&v[i]);
    *n = 0;
}

static void drop_answers(struct world_rm *r)
{
    for (size_t i = 0; i < r->answers_n; i++)
        event_free(&r->answers[i]);
    r->answers_n = 0;
}

void world_free(struct world *w)
{
    for (size_t i = 0; i < WORLD_RMS; i++) {
        struct world_rm *r = &w->rms[i];

        ha_election_free(r->e);
        drop_requests(r->asked, &r->asked_n);
        drop_requests(r->orphans, &r->orphans_n);
        drop_answers(r);
        base_buf_free(&r->sent);
        base_buf_free(&r->told);
    }
    for (size_t i = 0; i < w->nodes_n; i++) {
        free(w->nodes[i].path);
        free(w->nodes[i].data);
    }
    for (size_t i = 0; i < w->dead_n; i++)
        free(w->dead[i]);
    free(w);
}

void world_broken(struct world *w, const char *fmt, ...)
{
    va_list ap;

    if (w->broken[0])
        return;
    va_start(ap, fmt);
    vsnprintf(w->broken, sizeof w->broken, fmt, ap);
    va_end(ap);
}

uint64_t world_random(struct world *w, uint64_t below)
{
    uint64_t z = w->seed += 0x9e3779b97f4a7c15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* ---- nodes ---- */

struct world_node *world_node(struct world *w, const char *path)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        if (strcmp(w->nodes[i].path, path) == 0)
            return &w->nodes[i];
    return NULL;
}

static struct world_node *parent_of(struct world *w, const char *path)
{
    char up[512];
    char *slash;

    snprintf(up, sizeof up, "%s", path);
    slash = strrchr(up, '/');
    slash[slash == up] = '\0';
    return world_node(w, up);
}

static void tell_watch(struct world_rm *r, bool children)
{
    *(children ? &r->watch_children : &r->watch_epoch) = false;
    world_event(r, HA_ZK_WATCH);
    r->answers[r->answers_n - 1].path =
        base_strdup(children ? WORLD_ROOT "/election" : WORLD_ROOT "/epoch");
}

static void fire(struct world *w, bool children)
{
    for (size_t i = 0; i < WORLD_RMS; i++) {
        struct world_rm *r = &w->rms[i];
        bool *watch = children ? &r->watch_children : &r->watch_epoch;

        if (*watch && r->connected)
            tell_watch(r, children);
        else if (*watch)
            *(children ? &r->missed_children : &r->missed_epoch) = true;
    }
}

static void changed(struct world *w, const char *path)
{
    if (strncmp(path, WORLD_ROOT "/election", strlen(WORLD_ROOT "/election")) == 0)
        fire(w, true);
    else if (strcmp(path, WORLD_ROOT "/epoch") == 0)
        fire(w, false);
}

struct world_node *world_put(struct world *w, const char *path, const char *data, int64_t owner)
{
    struct world_node *n = &w->nodes[w->nodes_n++];

    base_assert(w->nodes_n < 256);
    *n = (struct world_node){.path = base_strdup(path), .data = base_strdup(data), .owner = owner};
    if (strcmp(path, "/") != 0 && parent_of(w, path))
        parent_of(w, path)->created++;
    changed(w, path);
    return n;
}

void world_remove(struct world *w, const char *path)
{
    struct world_node *n = world_node(w, path);
    char *gone = base_strdup(path);

    base_assert(n);
    free(n->path);
    free(n->data);
    *n = w->nodes[--w->nodes_n];
    changed(w, gone);
    free(gone);
}

void world_set(struct world *w, const char *path, const char *data)
{
    struct world_node *n = world_node(w, path);

    free(n->data);
    n->data = base_strdup(data);
    n->version++;
    changed(w, path);
}

size_t world_election_nodes(const struct world *w, int64_t session)
{
    size_t n = 0;

    for (size_t i = 0; i < w->nodes_n; i++)
        n += strncmp(w->nodes[i].path, WORLD_ROOT "/election/", strlen(WORLD_ROOT "/election/")) ==
                 0 &&
             (!session || w->nodes[i].owner == session);
    return n;
}

/* ---- sessions ---- */

static struct world_session *session_of(struct world *w, int64_t id)
{
    for (size_t i = 0; i < w->sessions_n; i++)
        if (w->sessions[i].id == id)
            return &w->sessions[i];
    return NULL;
}

bool world_session_lives(const struct world *w, int64_t session)
{
    const struct world_session *s = session_of((struct world *)w, session);

    return s && !s->over;
}

void world_session_end(struct world *w, int64_t session)
{
    struct world_session *s = session_of(w, session);

    s->over = true;
    for (size_t i = w->nodes_n; i-- > 0;)
        if (w->nodes[i].owner == session)
            world_remove(w, w->nodes[i].path);
}

void world_expire(struct world *w)
{
    for (size_t i = 0; i < w->sessions_n; i++)
        if (!w->sessions[i].over && w->now_us >= w->sessions[i].heard_us + WORLD_TIMEOUT)
            world_session_end(w, w->sessions[i].id);
}

void world_heard(struct world *w, int64_t session, int64_t at_us)
{
    struct world_session *s = session_of(w, session);

    if (s && s->heard_us < at_us)
        s->heard_us = at_us;
}

/* ---- the machines and their connections ---- */

static void describe(struct base_buf *b, const struct ha_zk_request *rq)
{
    static const char *const kinds[] = {"create", "set", "delete", "check"};

    if (rq->kind != HA_ZK_MULTI) {
        base_buf_addf(b, "%s %s%s",
                      rq->kind == HA_ZK_GET        ? "get"
                      : rq->kind == HA_ZK_CHILDREN ? "children"
                                                   : "sync",
                      rq->path, rq->watch ? " watch" : "");
        return;
    }
    base_buf_adds(b, "multi");
    for (size_t i = 0; i < rq->ops_n; i++) {
        const struct ha_zk_op *op = &rq->ops[i];

        base_buf_addf(b, "%s %s %s", i ? "," : "", kinds[op->kind], op->path);
        if (op->kind == HA_ZK_CREATE)
            base_buf_adds(b, op->ephemeral && op->sequence   ? " es"
                             : op->ephemeral || op->sequence ? " ?"
                                                             : "");
        else
            base_buf_addf(b, " v%d", op->version);
        if (op->len)
            base_buf_addf(b, " '%.*s'", (int)op->len, op->data);
    }
}

void world_event(struct world_rm *r, enum ha_zk_event_kind kind)
{
    base_assert(r->answers_n < 128);
    r->answers[r->answers_n++] = (struct world_event){.ev = {.kind = kind,
                                                             .session = r->session,
                                                             .timeout_us = WORLD_TIMEOUT,
                                                             .failed_op = -1,
                                                             .version = -1}};
}

static void answer(struct world_rm *r, const struct world_request *q, enum ha_zk_code code)
{
    struct world_event *v;

    world_event(r, HA_ZK_RESULT);
    v = &r->answers[r->answers_n - 1];
    v->ev.owner = q->rq.owner;
    v->ev.id = q->rq.id;
    v->ev.code = code;
    v->ev.sent_us = q->sent_us;
    v->text = code ? base_printf("%s", ha_zk_code_name(code)) : NULL;
}

static void on_send(void *user, const struct ha_zk_request *rq)
{
    struct world_rm *r = user;
    struct world_request *q = &r->asked[r->asked_n++];
    struct base_buf text = {0};

    if (r->asked_n >= 16)
        world_broken(r->w, "%s has %zu requests under way", r->id, r->asked_n);
    base_assert(r->asked_n < 64 && rq->ops_n <= 8);
    describe(&text, rq);
    *q = (struct world_request){.rq = *rq, .sent_us = r->w->now_us, .session = r->session};
    q->text = base_buf_take(&text);
    q->path = base_strdup(rq->path);
    q->rq.path = q->path;
    for (size_t i = 0; i < rq->ops_n; i++) {
        q->op_path[i] = base_strdup(rq->ops[i].path);
        q->op_data[i] = base_strndup(rq->ops[i].data ? rq->ops[i].data : "", rq->ops[i].len);
        q->ops[i] = rq->ops[i];
    }
    base_buf_addf(&r->sent, "%s\n", q->text);
    if (!r->knows)
        world_broken(r->w, "%s sends without a connection: %s", r->id, q->text);
    if (!r->connected) { /* the machine has not been told yet that the connection is lost */
        answer(r, q, HA_ZK_LOSS);
        request_free(&r->asked[--r->asked_n]);
    }
}

static void on_elected(void *user, int64_t epoch, int32_t version)
{
    struct world_rm *r = user;

    base_buf_addf(&r->told, "elected %lld v%d\n", (long long)epoch, version);
    if (r->leading)
        world_broken(r->w, "%s was elected twice", r->id);
    /* without a lease, an RM may learn late that its claim succeeded, after a later election */
    if (epoch <= (r->lease_off ? r->epoch : r->w->highest_elected))
        world_broken(r->w, "%s was elected with epoch %lld after %lld", r->id, (long long)epoch,
                     (long long)r->w->highest_elected);
    r->w->highest_elected = epoch;
    r->leading = true;
    r->epoch = epoch;
    r->version = version;
    r->elected_n++;
}

static void on_deposed(void *user, const char *why)
{
    struct world_rm *r = user;

    base_buf_addf(&r->told, "deposed: %s\n", why);
    if (!r->leading)
        world_broken(r->w, "%s was deposed without leading", r->id);
    r->leading = false;
    r->deposed_n++;
}

static void on_active(void *user)
{
    struct world_rm *r = user;

    base_buf_addf(&r->told, "active %s\n", ha_election_active_rm(r->e));
}

static void on_refused(void *user, const struct base_error *why)
{
    struct world_rm *r = user;

    base_buf_addf(&r->told, "refused\n");
    r->refusal = *why;
    r->refused_n++;
}

static bool surely_dead(void *user, const char *instance)
{
    struct world *w = ((struct world_rm *)user)->w;

    for (size_t i = 0; i < w->dead_n; i++)
        if (strcmp(w->dead[i], instance) == 0)
            return true;
    return false;
}

static void on_note(void *user, int level, const char *text)
{
    struct world_rm *r = user;

    (void)level;
    if (getenv("ELECTION_NOTES"))
        fprintf(stderr, "%lld %s: %s\n", (long long)r->w->now_us, r->id, text);
    r->notes_n++;
}

struct world_rm *world_start(struct world *w, size_t i, const char *rm_id, const char *instance,
                             bool lease_off)
{
    struct world_rm *r = &w->rms[i];
    const struct ha_election_conf conf = {.root = WORLD_ROOT,
                                          .cluster_id = "blue",
                                          .rm_id = rm_id,
                                          .instance = instance,
                                          .auth_as = "digest user creel",
                                          .lease_off = lease_off};
    const struct ha_election_calls calls = {r,         on_send,    on_elected,  on_deposed,
                                            on_active, on_refused, surely_dead, on_note};

    base_assert(!r->e);
    r->w = w;
    snprintf(r->id, sizeof r->id, "%s", rm_id);
    snprintf(r->instance, sizeof r->instance, "%s", instance);
    r->leading = r->connected = r->knows = r->watch_children = r->watch_epoch = false;
    r->session = 0;
    r->epoch = -1;
    r->up = true;
    r->lease_off = lease_off;
    drop_requests(r->asked, &r->asked_n);
    drop_answers(r);
    r->e = ha_election_new(&conf, &calls);
    return r;
}

void world_dead(struct world *w, const char *instance)
{
    base_assert(w->dead_n < 512);
    w->dead[w->dead_n++] = base_strdup(instance);
}

void world_kill(struct world_rm *r)
{
    ha_election_free(r->e);
    r->e = NULL;
    r->connected = r->leading = r->watch_children = r->watch_epoch = false;
    drop_requests(r->asked, &r->asked_n);
    drop_answers(r);
}

void world_connect(struct world_rm *r)
{
    struct world *w = r->w;

    if (r->connected)
        return;
    if (r->session && !world_session_lives(w, r->session)) {
        world_event(r, HA_ZK_SESSION_OVER);
        r->session = 0;
        r->watch_children = r->watch_epoch = false;
        drop_requests(r->orphans, &r->orphans_n);
    }
    if (!r->session) {
        base_assert(w->sessions_n < 512);
        w->sessions[w->sessions_n] = (struct world_session){.id = 0x10 + (int64_t)w->sessions_n};
        r->session = w->sessions[w->sessions_n++].id;
    }
    world_heard(w, r->session, w->now_us);
    r->connected = r->up = true;
    world_event(r, HA_ZK_CONNECTED);
    if (r->missed_children && r->watch_children)
        tell_watch(r, true);
    if (r->missed_epoch && r->watch_epoch)
        tell_watch(r, false);
    r->missed_children = r->missed_epoch = false;
}

/* Turns the results that are not delivered yet into losses. */
static void lose_answers(struct world_rm *r)
{
    for (size_t i = 0; i < r->answers_n; i++) {
        struct world_event *v = &r->answers[i];

        if (v->ev.kind == HA_ZK_RESULT) {
            uint64_t id = v->ev.id;
            int64_t sent_us = v->ev.sent_us;
            enum ha_zk_owner owner = v->ev.owner;

            event_free(v);
            *v = (struct world_event){.ev = {.kind = HA_ZK_RESULT,
                                             .owner = owner,
                                             .id = id,
                                             .code = HA_ZK_LOSS,
                                             .failed_op = -1,
                                             .version = -1,
                                             .sent_us = sent_us}};
        }
    }
}

static enum ha_zk_code do_multi(struct world *w, const struct world_request *q,
                                struct world_event *out);

/* Carries out @q, whose answer nobody will receive. */
static void carry_out_unheard(struct world *w, const struct world_request *q)
{
    struct world_event none = {0};

    if (!world_session_lives(w, q->session) || q->rq.kind != HA_ZK_MULTI)
        return;
    world_heard(w, q->session, q->sent_us);
    do_multi(w, q, &none);
}

static void disconnect(struct world_rm *r, size_t done, bool late)
{
    if (!r->connected)
        return;
    if (r->w->losses_last)
        world_event(r, HA_ZK_DISCONNECTED);
    lose_answers(r);
    for (size_t i = 0; i < r->asked_n; i++) {
        answer(r, &r->asked[i], HA_ZK_LOSS);
        if (i < done && !late)
            carry_out_unheard(r->w, &r->asked[i]);
        if (i < done && late && r->orphans_n < 64)
            r->orphans[r->orphans_n++] = r->asked[i];
        else
            request_free(&r->asked[i]);
    }
    r->asked_n = 0;
    r->connected = false;
    if (!r->w->losses_last)
        world_event(r, HA_ZK_DISCONNECTED);
}

void world_disconnect(struct world_rm *r, size_t done)
{
    disconnect(r, done, false);
}

void world_disconnect_late(struct world_rm *r, size_t late)
{
    disconnect(r, late, true);
}

void world_orphans_run(struct world_rm *r, size_t n)
{
    for (size_t i = 0; i < n && r->orphans_n; i++) {
        carry_out_unheard(r->w, &r->orphans[0]);
        request_free(&r->orphans[0]);
        r->orphans_n--;
        memmove(r->orphans, r->orphans + 1, r->orphans_n * sizeof *r->orphans);
    }
}

/* ---- what ZooKeeper does ---- */

static enum ha_zk_code do_op(struct world *w, const struct world_request *q, size_t i, bool dry)
{
    const struct ha_zk_op *op = &q->ops[i];
    struct world_node *n = world_node(w, q->op_path[i]), *up = parent_of(w, q->op_path[i]);
    char *path;
    bool made_above = false;

    for (size_t k = 0; k < i; k++) /* the parent may be made by the same multi */
        made_above |= q->ops[k].kind == HA_ZK_CREATE &&
                      strlen(q->op_path[k]) < strlen(q->op_path[i]) &&
                      strncmp(q->op_path[k], q->op_path[i], strlen(q->op_path[k])) == 0;
    if (op->kind == HA_ZK_CREATE) {
        if (!up && !(dry && made_above))
            return HA_ZK_NONODE;
        if (up && up->denied)
            return HA_ZK_NOAUTH;
        if (n)
            return HA_ZK_NODEEXISTS;
        if (dry)
            return HA_ZK_OK;
        path = op->sequence ? base_printf("%s%010d", q->op_path[i], up->created)
                            : base_strdup(q->op_path[i]);
        world_put(w, path, q->op_data[i], op->ephemeral ? q->session : 0);
        free(path);
        return HA_ZK_OK;
    }
    if (!n)
        return HA_ZK_NONODE;
    if (op->kind == HA_ZK_SET ? n->denied : op->kind == HA_ZK_DELETE && up->denied)
        return HA_ZK_NOAUTH;
    if (op->version >= 0 && op->version != n->version)
        return HA_ZK_BADVERSION;
    if (!dry && op->kind == HA_ZK_SET)
        world_set(w, q->op_path[i], q->op_data[i]);
    if (!dry && op->kind == HA_ZK_DELETE)
        world_remove(w, q->op_path[i]);
    return HA_ZK_OK;
}

static enum ha_zk_code do_multi(struct world *w, const struct world_request *q,
                                struct world_event *out)
{
    for (size_t i = 0; i < q->rq.ops_n; i++) {
        enum ha_zk_code code = do_op(w, q, i, true);

        if (code) {
            out->ev.failed_op = (int)i;
            return code;
        }
    }
    for (size_t i = 0; i < q->rq.ops_n; i++)
        do_op(w, q, i, false);
    return HA_ZK_OK;
}

static void list_children(struct world *w, const char *path, struct world_event *out)
{
    size_t len = strlen(path), n = 0;

    out->children = base_alloc((w->nodes_n + 1) * sizeof *out->children);
    /* not in the order of creation: ZooKeeper promises no order */
    for (size_t i = w->nodes_n; i-- > 0;) {
        const char *p = w->nodes[i].path;

        if (strncmp(p, path, len) == 0 && p[len] == '/' && !strchr(p + len + 1, '/'))
            out->children[n++] = base_strdup(p + len + 1);
    }
    out->ev.children_n = n;
}

static enum ha_zk_code carry_out(struct world_rm *r, const struct world_request *q,
                                 struct world_event *out)
{
    struct world_node *n;

    /* counts the session from the time of sending, the earliest that is possible */
    world_heard(r->w, q->session, q->sent_us);
    if (q->rq.kind == HA_ZK_MULTI)
        return do_multi(r->w, q, out);
    if (q->rq.kind == HA_ZK_SYNC) {
        world_orphans_run(r, r->orphans_n);
        return HA_ZK_OK;
    }
    n = world_node(r->w, q->path);
    if (!n)
        return HA_ZK_NONODE;
    if (n->denied)
        return HA_ZK_NOAUTH;
    if (q->rq.kind == HA_ZK_CHILDREN) {
        list_children(r->w, q->path, out);
        r->watch_children |= q->rq.watch;
    } else {
        out->data = base_strdup(n->data);
        out->ev.len = strlen(n->data);
        out->ev.version = n->version;
        out->ev.ephemeral_owner = n->owner;
        r->watch_epoch |= q->rq.watch;
    }
    return HA_ZK_OK;
}

/* Answers @q with the fault that the test has set, if @q is the request that is to meet it. Returns
 * false otherwise. */
static bool fault_takes(struct world_rm *r, struct world_request *q)
{
    struct world *w = r->w;
    struct world_event none = {0};
    enum ha_zk_code code = w->fault_code;

    if (!w->fault_at || --w->fault_at)
        return false;
    if (w->fault_done)
        carry_out(r, q, &none);
    event_free(&none);
    if (code == HA_ZK_EXPIRED)
        world_session_end(w, r->session);
    answer(r, q, code);
    if (code == HA_ZK_EXPIRED) {
        disconnect(r, 0, false);
        /* the answer that tells of the expiry keeps its code, which disconnect() has changed to a
         * loss */
        for (size_t i = 0; i < r->answers_n; i++)
            if (r->answers[i].ev.kind == HA_ZK_RESULT && r->answers[i].ev.id == q->rq.id)
                r->answers[i].ev.code = code;
    }
    return true;
}

bool world_carry_out(struct world_rm *r)
{
    struct world_request q;
    struct world_event got = {0};
    struct world_event *v;
    enum ha_zk_code code;

    if (!r->asked_n || !r->up || !world_session_lives(r->w, r->session))
        return false;
    q = r->asked[0];
    memmove(r->asked, r->asked + 1, --r->asked_n * sizeof *r->asked);
    if (!fault_takes(r, &q)) {
        code = carry_out(r, &q, &got);
        answer(r, &q, code); /* queued after the watches that the request has fired */
        v = &r->answers[r->answers_n - 1];
        v->data = got.data;
        v->children = got.children;
        v->ev.len = got.ev.len;
        v->ev.children_n = got.ev.children_n;
        v->ev.version = got.data ? got.ev.version : -1;
        v->ev.ephemeral_owner = got.ev.ephemeral_owner;
        v->ev.failed_op = code ? got.ev.failed_op : -1;
    }
    request_free(&q);
    return true;
}

bool world_deliver(struct world_rm *r)
{
    struct world_event v;

    if (!r->answers_n || !r->e)
        return false;
    v = r->answers[0];
    memmove(r->answers, r->answers + 1, --r->answers_n * sizeof *r->answers);
    v.ev.path = v.path;
    v.ev.data = v.data;
    v.ev.text = v.text;
    v.ev.children = (const char *const *)v.children;
    if (v.ev.kind != HA_ZK_RESULT && v.ev.kind != HA_ZK_WATCH)
        r->knows = v.ev.kind == HA_ZK_CONNECTED;
    ha_election_on_event(r->e, &v.ev, r->w->now_us);
    event_free(&v);
    return true;
}

void world_run(struct world *w)
{
    bool any = true;

    for (int rounds = 0; any; rounds++) {
        any = false;
        for (size_t i = 0; i < WORLD_RMS; i++) {
            any |= world_carry_out(&w->rms[i]);
            any |= world_deliver(&w->rms[i]);
        }
        if (rounds > 5000) {
            world_broken(w, "never at rest");
            return;
        }
    }
}

void world_tick(struct world_rm *r)
{
    if (r->e && ha_election_next_timer_us(r->e) <= r->w->now_us)
        ha_election_run_timers(r->e, r->w->now_us);
    if (r->e && ha_election_next_timer_us(r->e) <= r->w->now_us)
        world_broken(r->w, "%s wants another tick at once", r->id);
}

void world_pass(struct world *w, int64_t us)
{
    int64_t until = w->now_us + us;

    while (w->now_us < until) {
        int64_t next = until;

        for (size_t i = 0; i < WORLD_RMS; i++)
            if (w->rms[i].e && ha_election_next_timer_us(w->rms[i].e) < next)
                next = ha_election_next_timer_us(w->rms[i].e);
        for (size_t i = 0; i < w->sessions_n; i++)
            if (!w->sessions[i].over && w->sessions[i].heard_us + WORLD_TIMEOUT < next)
                next = w->sessions[i].heard_us + WORLD_TIMEOUT;
        if (next > w->now_us + WORLD_TIMEOUT / 6) /* the client library pings */
            next = w->now_us + WORLD_TIMEOUT / 6;
        w->now_us = next > w->now_us ? next : w->now_us;
        for (size_t i = 0; i < WORLD_RMS; i++)
            if (w->rms[i].e && w->rms[i].connected && w->rms[i].up &&
                world_session_lives(w, w->rms[i].session))
                world_heard(w, w->rms[i].session, w->now_us);
        world_expire(w);
        for (size_t i = 0; i < WORLD_RMS; i++)
            world_tick(&w->rms[i]);
        world_run(w);
        if (w->broken[0])
            return;
    }
}
