#include "tests/sim/sim_zk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void serve_next(struct zk_conn *conn);

/* ---------------------------------------------------------------- to the client */
static bool server_lives(const struct zk_conn *conn)
{
    const struct sim_proc *p = &conn->zk->v[conn->server].proc;

    return p->up && p->life == conn->server_life;
}

static void out_pump(void *arg, uint64_t tag)
{
    struct zk_conn *conn = arg;
    struct sim_zk *zk = conn->zk;
    struct sim *s = zk->s;
    struct zk_message *m;

    (void)tag;
    conn->out_pump = false;
    while ((m = conn->out) != NULL && m->ready_us <= s->now_us && conn->open) {
        struct zk_delivery *d;

        if (!sim_net_passes(zk->net, zk->v[conn->server].proc.host, conn->client->proc->host)) {
            conn->out_pump = true;
            sim_at(s, s->now_us + sim_between(s, 50 * MS, 400 * MS), NULL, SIM_SERVICE, out_pump,
                   conn, 0);
            return;
        }
        conn->out = m->next;
        if (!conn->out)
            conn->out_last = &conn->out;
        d = sim_alloc(s, sizeof *d);
        *d = (struct zk_delivery){conn, m};
        if (conn->client->proc->life == conn->client_life)
            sim_at(s, s->now_us, conn->client->proc, SIM_SERVICE, zkc_message, d, 0);
    }
    if (conn->out && conn->open) {
        conn->out_pump = true;
        sim_at(s, conn->out->ready_us, NULL, SIM_SERVICE, out_pump, conn, 0);
    }
}

static void say(struct zk_conn *conn, struct zk_message *m)
{
    struct sim_zk *zk = conn->zk;

    if (!conn->open || !conn->served || !server_lives(conn))
        return;
    m->zxid = zk->v[conn->server].applied;
    m->ready_us = zk->s->now_us +
                  sim_net_delay(zk->net, zk->v[conn->server].proc.host, conn->client->proc->host);
    *conn->out_last = m;
    conn->out_last = &m->next;
    if (conn->out_pump)
        return;
    conn->out_pump = true;
    sim_at(zk->s, conn->out->ready_us, NULL, SIM_SERVICE, out_pump, conn, 0);
}

static struct zk_message *message(struct sim *s, int what)
{
    struct zk_message *m = sim_alloc(s, sizeof *m);

    m->what = (__typeof__(m->what))what;
    return m;
}

/* Ends the connection from the server's side. */
static void hang_up(struct zk_conn *conn)
{
    if (!conn->served)
        return;
    say(conn, message(conn->zk->s, ZK_BYE));
    conn->served = false;
}

/* ---------------------------------------------------------------- servers follow */
static void watches_fire(struct sim_zk *zk, int server, const struct zk_change *c)
{
    for (struct zk_conn *conn = zk->conns; conn; conn = conn->next) {
        struct zk_watch **at = &conn->watches, *w;

        if (conn->server != server || !conn->served)
            continue;
        while ((w = *at) != NULL) {
            struct zk_message *m;

            if (!zk_touches(c, w->path, w->children)) {
                at = &w->next;
                continue;
            }
            *at = w->next;
            m = message(zk->s, ZK_WATCHED);
            m->path = w->path;
            say(conn, m);
        }
    }
}

static void session_ended_at(struct sim_zk *zk, int server, int64_t session)
{
    for (struct zk_conn *conn = zk->conns; conn; conn = conn->next)
        if (conn->server == server && conn->session && conn->session->id == session)
            hang_up(conn);
}

static void catch_up(struct sim_zk *zk, int server, int64_t zxid)
{
    struct zk_server *v = &zk->v[server];

    while (v->applied < zxid) {
        const struct zk_txn *txn = &zk->log[v->applied];

        v->applied++;
        zk_repeat(&v->tree, txn, v->applied);
        for (size_t i = 0; i < txn->n; i++)
            watches_fire(zk, server, &txn->v[i]);
        if (txn->ended)
            session_ended_at(zk, server, txn->ended);
    }
}

static void apply_due(void *arg, uint64_t tag)
{
    struct sim_zk *zk = arg;
    int server = (int)(tag & 7);

    if (zk->v[server].proc.up && !zk->v[server].isolated)
        catch_up(zk, server, (int64_t)(tag >> 3));
}

static void committed(struct sim_zk *zk, const struct zk_txn *txn)
{
    base_array_grow(&zk->log, zk->log_n, &zk->log_cap);
    zk->log[zk->log_n++] = *txn;
    for (int i = 0; i < zk->n; i++) {
        struct zk_server *v = &zk->v[i];
        int64_t at = zk->s->now_us + (i == zk->leader ? 0 : sim_between(zk->s, 0, v->lag_us));

        v->apply_us = at > v->apply_us ? at : v->apply_us;
        sim_at(zk->s, v->apply_us, &v->proc, SIM_SERVICE, apply_due, zk,
               zk->log_n << 3 | (unsigned)i);
    }
}

/* ---------------------------------------------------------------- sessions */
static struct zk_session *session_find(struct sim_zk *zk, int64_t id)
{
    for (size_t i = 0; i < zk->sessions_n; i++)
        if (zk->sessions[i]->id == id)
            return zk->sessions[i];
    return NULL;
}

static struct zk_session *session_new(struct sim_zk *zk, int64_t timeout_us)
{
    struct zk_session *ses = sim_alloc(zk->s, sizeof *ses);

    zk->next_session += 1 + (int64_t)sim_rnd(zk->s, 1000);
    *ses = (struct zk_session){.id = INT64_C(0x100000000000000) + zk->next_session,
                               .timeout_us = timeout_us > 2 * ZK_TICK ? timeout_us : 2 * ZK_TICK,
                               .heard_us = zk->s->now_us};
    base_array_grow(&zk->sessions, zk->sessions_n, &zk->sessions_cap);
    zk->sessions[zk->sessions_n++] = ses;
    return ses;
}

static void tick(void *arg, uint64_t tag)
{
    struct sim_zk *zk = arg;

    (void)tag;
    for (size_t i = 0; zk->leader >= 0 && i < zk->sessions_n; i++) {
        struct zk_session *ses = zk->sessions[i];
        struct zk_txn txn;

        if (ses->over || ses->heard_us + ses->timeout_us > zk->s->now_us)
            continue;
        ses->over = true;
        sim_log(zk->s, "zk: session %" PRIx64 " has expired", ses->id);
        zk_end_session(zk->s, &zk->tree, ses->id, (int64_t)zk->log_n + 1, &txn);
        committed(zk, &txn);
    }
    sim_at(zk->s, zk->s->now_us + ZK_TICK, NULL, SIM_SERVICE, tick, zk, 0);
}

/* ---------------------------------------------------------------- leader and majority */
static bool may_lead(const struct sim_zk *zk, int i)
{
    return zk->v[i].proc.up && !zk->v[i].isolated;
}

bool sim_zk_has_quorum(const struct sim_zk *zk)
{
    return zk->leader >= 0;
}

/* Closes the connections of a server that has lost its leader, even if another one leads by now:
 * what its clients had sent may be lost. */
static void hang_up_all(void *arg, uint64_t tag)
{
    struct sim_zk *zk = arg;
    int server = (int)tag;

    for (struct zk_conn *conn = zk->conns; conn; conn = conn->next)
        if (conn->server == server)
            hang_up(conn);
}

static void elect(void *arg, uint64_t tag)
{
    struct sim_zk *zk = arg;
    int up = 0, best = -1;

    if (zk->term != tag || zk->leader >= 0)
        return;
    for (int i = 0; i < zk->n; i++) {
        up += may_lead(zk, i);
        if (may_lead(zk, i) && (best < 0 || sim_chance(zk->s, 500)))
            best = i;
    }
    if (up * 2 <= zk->n)
        return;
    zk->leader = best;
    sim_log(zk->s, "zk: server %d leads", best);
    catch_up(zk, best, (int64_t)zk->log_n);
    for (size_t i = 0; i < zk->sessions_n; i++)
        zk->sessions[i]->heard_us = zk->s->now_us;
    for (int i = 0; i < zk->n; i++)
        if (may_lead(zk, i))
            sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 0, 50 * MS), &zk->v[i].proc,
                   SIM_SERVICE, apply_due, zk, zk->log_n << 3 | (unsigned)i);
}

/* If the leader or its majority has gone: closes all connections soon, and has another leader
 * elected if there is a majority. */
static void look_at_quorum(struct sim_zk *zk)
{
    int up = 0;

    for (int i = 0; i < zk->n; i++)
        up += may_lead(zk, i);
    if (zk->leader >= 0 && may_lead(zk, zk->leader) && up * 2 > zk->n)
        return;
    if (zk->leader >= 0)
        sim_log(zk->s, "zk: no leader");
    zk->leader = -1;
    zk->term++;
    for (int i = 0; i < zk->n; i++)
        sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 20 * MS, 400 * MS), &zk->v[i].proc,
               SIM_SERVICE, hang_up_all, zk, (uint64_t)i);
    if (up * 2 > zk->n)
        sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 150 * MS, 600 * MS), NULL, SIM_SERVICE,
               elect, zk, zk->term);
}

void sim_zk_kill(struct sim_zk *zk, int server)
{
    sim_proc_kill(zk->s, &zk->v[server].proc);
    for (struct zk_conn *conn = zk->conns; conn; conn = conn->next) {
        struct zk_message *m;

        if (conn->server != server || !conn->served)
            continue;
        conn->served = false;
        m = message(zk->s, ZK_BYE); /* the connection is reset */
        m->ready_us = zk->s->now_us +
                      sim_net_delay(zk->net, zk->v[server].proc.host, conn->client->proc->host);
        *conn->out_last = m;
        conn->out_last = &m->next;
        if (!conn->out_pump) {
            conn->out_pump = true;
            sim_at(zk->s, conn->out->ready_us, NULL, SIM_SERVICE, out_pump, conn, 0);
        }
    }
    look_at_quorum(zk);
}

static void follow(struct sim_zk *zk, int server)
{
    if (zk->leader < 0)
        look_at_quorum(zk);
    else
        sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 20 * MS, 300 * MS), &zk->v[server].proc,
               SIM_SERVICE, apply_due, zk, zk->log_n << 3 | (unsigned)server);
}

void sim_zk_start(struct sim_zk *zk, int server)
{
    sim_proc_start(zk->s, &zk->v[server].proc);
    zk->v[server].apply_us = zk->s->now_us;
    follow(zk, server);
}

void sim_zk_isolate(struct sim_zk *zk, int server, bool isolated)
{
    if (zk->v[server].isolated == isolated)
        return;
    zk->v[server].isolated = isolated;
    if (!isolated) {
        follow(zk, server);
        return;
    }
    look_at_quorum(zk);
    sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 20 * MS, 800 * MS), &zk->v[server].proc,
           SIM_SERVICE, hang_up_all, zk, (uint64_t)server);
}

void sim_zk_lag(struct sim_zk *zk, int server, int64_t lag_us)
{
    zk->v[server].lag_us = lag_us;
}

static void free_all(void *p)
{
    struct sim_zk *zk = p;

    for (int i = 0; i < zk->n; i++)
        zk_tree_free(&zk->v[i].tree);
    zk_tree_free(&zk->tree);
    free(zk->log);
    free(zk->sessions);
}

void sim_zk_init(struct sim_zk *zk, struct sim *s, struct sim_net *net, int servers, int first_host)
{
    *zk = (struct sim_zk){.s = s, .net = net, .n = servers, .leader = 0};
    sim_defer(s, free_all, zk);
    for (int i = 0; i < servers; i++) {
        struct zk_server *v = &zk->v[i];
        char *name = sim_text(s, "zk%d", i);

        memcpy(v->proc.name, name, strlen(name) + 1);
        v->proc.host = first_host + i;
        v->lag_us = 20 * MS;
        sim_proc_start(s, &v->proc);
    }
    sim_at(s, s->now_us + ZK_TICK, NULL, SIM_SERVICE, tick, zk, 0);
}

/* ---------------------------------------------------------------- requests */
static bool in_touch(const struct sim_zk *zk, const struct zk_conn *conn)
{
    return zk->leader >= 0 && !zk->v[conn->server].isolated;
}

static void next_request(struct zk_conn *conn)
{
    conn->queue = conn->queue->next;
    if (!conn->queue)
        conn->queue_last = &conn->queue;
    conn->busy = false;
    serve_next(conn);
}

struct answer {
    struct zk_conn *conn;
    struct zk_message *m;
    int64_t zxid;
};

/* Sends an answer, once the server has applied the transactions that the answer is about. */
static void answer_now(void *arg, uint64_t tag)
{
    struct answer *a = arg;

    (void)tag;
    catch_up(a->conn->zk, a->conn->server, a->zxid);
    say(a->conn, a->m);
    next_request(a->conn);
}

static void answer_when_applied(struct zk_conn *conn, struct zk_message *m, int64_t zxid)
{
    struct sim_zk *zk = conn->zk;
    struct zk_server *v = &zk->v[conn->server];
    struct answer *a = sim_alloc(zk->s, sizeof *a);
    int64_t at = zk->s->now_us + sim_between(zk->s, 50, 500);

    *a = (struct answer){conn, m, zxid};
    if (v->applied < zxid && v->apply_us > at)
        at = v->apply_us;
    if (server_lives(conn))
        sim_at(zk->s, at, &v->proc, SIM_SERVICE, answer_now, a, 0);
}

static bool makes_segment(const struct ha_zk_request *rq)
{
    for (size_t i = 0; i < rq->ops_n; i++)
        if (rq->ops[i].kind == HA_ZK_CREATE && strstr(rq->ops[i].path, "/log/"))
            return true;
    return false;
}

static struct zk_result execute(struct zk_conn *conn, const struct ha_zk_request *rq)
{
    struct sim_zk *zk = conn->zk;
    struct ha_zk_op *ops = sim_alloc(zk->s, (rq->ops_n + 1) * sizeof *ops);
    bool broken = zk->no_check && makes_segment(rq);
    struct zk_result r;
    struct zk_txn txn;
    size_t n = 0;

    for (size_t i = 0; i < rq->ops_n; i++)
        if (!broken || rq->ops[i].kind != HA_ZK_CHECK)
            ops[n++] = rq->ops[i];
    r = zk_multi(zk->s, &zk->tree, ops, n, conn->session->id, (int64_t)zk->log_n + 1, &txn);
    zk->bad_version += r.code == HA_ZK_BADVERSION;
    if (r.code == HA_ZK_OK)
        committed(zk, &txn);
    return r;
}

/* Carries out a write or a sync at the leader. */
static void at_leader(void *arg, uint64_t tag)
{
    struct zk_conn *conn = arg;
    struct sim_zk *zk = conn->zk;
    struct zk_request *q = conn->queue;
    struct zk_message *m = message(zk->s, ZK_RESULT);

    (void)tag;
    if (!q || !in_touch(zk, conn))
        return; /* never passed on: the connection ends soon */
    if (!server_lives(conn) && sim_chance(zk->s, 500))
        return; /* the server died before it passed the request on */
    if (conn->session->over || conn->session->owner != conn)
        return; /* expired, or moved: its connection ends */
    m->of = q;
    m->result = (struct zk_result){.code = HA_ZK_OK, .failed_op = -1};
    if (q->rq.kind == HA_ZK_MULTI)
        m->result = execute(conn, &q->rq);
    answer_when_applied(conn, m, (int64_t)zk->log_n);
}

static void set_watch(struct zk_conn *conn, const char *path, bool children)
{
    struct zk_watch *w;

    for (w = conn->watches; w; w = w->next)
        if (w->children == children && strcmp(w->path, path) == 0)
            return;
    w = sim_alloc(conn->zk->s, sizeof *w);
    *w = (struct zk_watch){conn->watches, path, children};
    conn->watches = w;
}

static void read_here(struct zk_conn *conn, struct zk_request *q)
{
    struct sim_zk *zk = conn->zk;
    const struct zk_tree *t = &zk->v[conn->server].tree;
    const struct zk_node *at = zk_find(t, q->rq.path);
    struct zk_message *m = message(zk->s, ZK_RESULT);
    bool children = q->rq.kind == HA_ZK_CHILDREN;

    m->of = q;
    m->result = (struct zk_result){.code = at ? HA_ZK_OK : HA_ZK_NONODE, .failed_op = -1};
    if (at && children) {
        m->children = zk_children(zk->s, t, q->rq.path, &m->children_n);
        m->czxid = at->czxid;
    } else if (at) {
        m->data = at->data;
        m->len = at->len;
        m->version = at->version;
        m->owner = at->owner;
    }
    if (at && q->rq.watch)
        set_watch(conn, q->rq.path, children);
    say(conn, m);
}

/* Sets the watches of a client that has reconnected; a watch whose node has changed since fires at
 * once.
 */
static void set_watches_again(struct zk_conn *conn, const struct zk_request *q)
{
    const struct zk_tree *t = &conn->zk->v[conn->server].tree;

    for (struct zk_watch *w = q->watches; w; w = w->next) {
        const struct zk_node *at = zk_find(t, w->path);

        if (at && (w->children ? at->pzxid : at->mzxid) <= q->seen) {
            set_watch(conn, w->path, w->children);
        } else {
            struct zk_message *m = message(conn->zk->s, ZK_WATCHED);

            m->path = w->path;
            say(conn, m);
        }
    }
}

static void welcome(void *arg, uint64_t tag)
{
    struct zk_conn *conn = arg;
    struct sim_zk *zk = conn->zk;
    struct zk_request *q = conn->queue;
    struct zk_session *ses;
    struct zk_message *m;

    (void)tag;
    if (!q || !conn->served || !server_lives(conn))
        return;
    if (!in_touch(zk, conn) || q->seen > zk->v[conn->server].applied) {
        hang_up(conn);
        return;
    }
    ses = q->session ? session_find(zk, q->session) : session_new(zk, conn->client->wanted_us);
    if (!ses || ses->over) {
        say(conn, message(zk->s, ZK_EXPIRED));
        conn->served = false;
        return;
    }
    conn->session = ses;
    ses->owner = conn;
    ses->heard_us = zk->s->now_us;
    m = message(zk->s, ZK_WELCOME);
    m->session = ses->id;
    say(conn, m);
    set_watches_again(conn, q);
    next_request(conn);
}

static void serve_next(struct zk_conn *conn)
{
    struct sim_zk *zk = conn->zk;
    struct zk_request *q;

    while ((q = conn->queue) != NULL && !conn->busy) {
        int64_t hop = sim_between(zk->s, 100, 900);

        conn->busy = true;
        if (q->what == ZK_CONNECT) {
            sim_at(zk->s, zk->s->now_us + hop, NULL, SIM_SERVICE, welcome, conn, 0);
        } else if (q->what == ZK_REQUEST &&
                   (q->rq.kind == HA_ZK_MULTI || q->rq.kind == HA_ZK_SYNC)) {
            sim_at(zk->s, zk->s->now_us + hop, NULL, SIM_SERVICE, at_leader, conn, 0);
        } else {
            if (q->what == ZK_PING)
                say(conn, message(zk->s, ZK_PONG));
            else if (conn->session)
                read_here(conn, q);
            next_request(conn);
            return;
        }
    }
}

/* ---------------------------------------------------------------- from the client */
static void in_pump(void *arg, uint64_t tag)
{
    struct zk_conn *conn = arg;
    struct sim_zk *zk = conn->zk;
    struct zk_request *q;

    (void)tag;
    conn->in_pump = false;
    while ((q = conn->in) != NULL) {
        if (!sim_net_passes(zk->net, conn->client->proc->host, zk->v[conn->server].proc.host)) {
            if (!conn->open) /* a closed connection sends nothing again */
                return;
            conn->in_pump = true;
            sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 50 * MS, 400 * MS), NULL, SIM_SERVICE,
                   in_pump, conn, 0);
            return;
        }
        conn->in = q->next;
        if (!conn->in)
            conn->in_last = &conn->in;
        q->next = NULL;
        if (!conn->served || !server_lives(conn))
            continue;
        if (conn->session && !conn->session->over && in_touch(zk, conn) &&
            conn->session->owner == conn)
            conn->session->heard_us = zk->s->now_us;
        *conn->queue_last = q;
        conn->queue_last = &q->next;
        serve_next(conn);
    }
}

struct zk_conn *zk_connect(struct sim_zk *zk, struct sim_zkc *c, int server)
{
    struct zk_conn *conn = sim_alloc(zk->s, sizeof *conn);

    *conn = (struct zk_conn){.zk = zk,
                             .server = server,
                             .server_life = zk->v[server].proc.life,
                             .client_life = c->proc->life,
                             .client = c,
                             .open = true,
                             .served = zk->v[server].proc.up,
                             .next = zk->conns};
    conn->in_last = &conn->in;
    conn->queue_last = &conn->queue;
    conn->out_last = &conn->out;
    zk->conns = conn;
    return conn;
}

void zk_conn_send(struct zk_conn *conn, struct zk_request *rq)
{
    struct sim_zk *zk = conn->zk;

    *conn->in_last = rq;
    conn->in_last = &rq->next;
    if (conn->in_pump)
        return;
    conn->in_pump = true;
    sim_at(zk->s,
           zk->s->now_us +
               sim_net_delay(zk->net, conn->client->proc->host, zk->v[conn->server].proc.host),
           NULL, SIM_SERVICE, in_pump, conn, 0);
}

void zk_conn_close(struct zk_conn *conn)
{
    conn->open = false;
}
