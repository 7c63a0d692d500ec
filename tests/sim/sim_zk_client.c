/* The client's side of a session, modelled on libzookeeper: it pings after a third of the time-out,
 * gives a server up after two thirds of the time-out without a message, tries the next one, and
 * learns that its session is over only from a server. */
#include <inttypes.h>
#include <string.h>

#include "tests/sim/sim_zk.h"

static void connect_next(struct sim_zkc *c);

static void tell(struct sim_zkc *c, const struct ha_zk_event *ev, uint64_t round)
{
    if (!c->dead)
        c->fn(c->user, ev, round);
}

static void result(struct sim_zkc *c, const struct zk_request *q, struct ha_zk_event ev,
                   enum ha_zk_code code, const char *text)
{
    static const char *const owners[] = {
        [HA_ZK_FOR_ELECTION] = "election", [HA_ZK_FOR_LOG] = "log", [HA_ZK_FOR_FOLLOW] = "follow"};
    static const char *const kinds[] = {[HA_ZK_MULTI] = "multi",
                                        [HA_ZK_GET] = "get",
                                        [HA_ZK_CHILDREN] = "children",
                                        [HA_ZK_SYNC] = "sync"};

    sim_log(c->zk->s, "%s: zk %s %" PRIu64 " %s %s: %s", c->proc->name, owners[q->rq.owner],
            q->rq.id, kinds[q->rq.kind],
            q->rq.kind == HA_ZK_MULTI ? q->rq.ops[q->rq.ops_n - 1].path : q->rq.path,
            ha_zk_code_name(code));
    ev.kind = HA_ZK_RESULT;
    ev.owner = q->rq.owner;
    ev.id = q->rq.id;
    ev.asked = q->rq.kind;
    ev.code = code;
    ev.sent_us = q->sent_us;
    ev.text = text;
    tell(c, &ev, q->round);
}

/* Fails the requests that were sent and not answered; they may or may not have been carried out. */
static void fail_waiting(struct sim_zkc *c)
{
    struct zk_request *list = c->waiting;

    c->waiting = NULL;
    c->waiting_last = &c->waiting;
    for (; list && !c->dead; list = list->next)
        result(c, list, (struct ha_zk_event){.failed_op = -1}, HA_ZK_LOSS, "connection lost");
}

static void disconnect(struct sim_zkc *c)
{
    bool was = c->connected;

    sim_log(c->zk->s, "%s: zk disconnected", c->proc->name);
    zk_conn_close(c->conn);
    c->conn = NULL;
    c->connected = false;
    if (c->losses_first)
        fail_waiting(c);
    if (was)
        tell(c, &(struct ha_zk_event){.kind = HA_ZK_DISCONNECTED}, 0);
    fail_waiting(c);
}

static void session_over(struct sim_zkc *c)
{
    sim_log(c->zk->s, "%s: zk session over", c->proc->name);
    zk_conn_close(c->conn);
    c->conn = NULL;
    c->connected = false;
    c->session = 0;
    c->seen = 0;
    c->watches = NULL;
    fail_waiting(c);
    tell(c, &(struct ha_zk_event){.kind = HA_ZK_SESSION_OVER}, 0);
}

static void watched(struct sim_zkc *c, const char *path)
{
    struct zk_watch **at = &c->watches;
    bool wanted = false;

    while (*at) { /* data and children: one event each; the client does not tell them apart */
        if (strcmp((*at)->path, path) == 0) {
            wanted = true;
            *at = (*at)->next;
            break;
        }
        at = &(*at)->next;
    }
    if (wanted)
        tell(c, &(struct ha_zk_event){.kind = HA_ZK_WATCH, .path = path}, 0);
}

static void watch_add(struct sim_zkc *c, const char *path, bool children)
{
    struct zk_watch *w;

    for (w = c->watches; w; w = w->next)
        if (w->children == children && strcmp(w->path, path) == 0)
            return;
    w = sim_alloc(c->zk->s, sizeof *w);
    *w = (struct zk_watch){c->watches, path, children};
    c->watches = w;
}

static void answered(struct sim_zkc *c, const struct zk_message *m)
{
    const struct zk_request *q = c->waiting;
    struct ha_zk_event ev = {.failed_op = m->result.failed_op,
                             .data = m->data,
                             .len = m->len,
                             .version = m->version,
                             .ephemeral_owner = m->owner,
                             .children = m->children,
                             .children_n = m->children_n,
                             .created_zxid = m->czxid,
                             .created = m->result.created};

    if (!q || q->twin != m->of)
        return;
    c->waiting = q->next;
    if (!c->waiting)
        c->waiting_last = &c->waiting;
    if (q->rq.watch && m->result.code == HA_ZK_OK)
        watch_add(c, q->rq.path, q->rq.kind == HA_ZK_CHILDREN);
    result(c, q, ev, m->result.code,
           m->result.code == HA_ZK_OK ? NULL : ha_zk_code_name(m->result.code));
}

static void welcomed(struct sim_zkc *c, const struct zk_message *m)
{
    c->connected = true;
    c->session = m->session;
    sim_log(c->zk->s, "%s: zk connected to server %d, session %" PRIx64, c->proc->name, c->server,
            c->session);
    c->timeout_us = c->wanted_us > 2 * ZK_TICK ? c->wanted_us : 2 * ZK_TICK;
    tell(c,
         &(struct ha_zk_event){
             .kind = HA_ZK_CONNECTED, .session = c->session, .timeout_us = c->timeout_us},
         0);
}

void zkc_message(void *arg, uint64_t tag)
{
    struct zk_delivery *d = arg;
    struct sim_zkc *c = d->conn->client;

    (void)tag;
    if (c->dead || c->conn != d->conn)
        return;
    c->heard_us = c->zk->s->now_us;
    c->seen = d->m->zxid > c->seen ? d->m->zxid : c->seen;
    switch (d->m->what) {
    case ZK_WELCOME:
        welcomed(c, d->m);
        break;
    case ZK_EXPIRED:
        session_over(c);
        break;
    case ZK_BYE:
        disconnect(c);
        break;
    case ZK_PONG:
        break;
    case ZK_WATCHED:
        watched(c, d->m->path);
        break;
    case ZK_RESULT:
        answered(c, d->m);
        break;
    }
}

static struct zk_request *request(struct sim_zkc *c, int what)
{
    struct zk_request *q = sim_alloc(c->zk->s, sizeof *q);

    q->what = (__typeof__(q->what))what;
    q->sent_us = c->sent_us = c->zk->s->now_us;
    return q;
}

static void connect_next(struct sim_zkc *c)
{
    struct zk_request *q;

    c->server = (c->server + 1) % c->zk->n;
    c->heard_us = c->tried_us = c->zk->s->now_us;
    c->conn = zk_connect(c->zk, c, c->server);
    q = request(c, ZK_CONNECT);
    q->session = c->session;
    q->seen = c->seen;
    for (struct zk_watch *w = c->watches; w; w = w->next) {
        struct zk_watch *copy = sim_alloc(c->zk->s, sizeof *copy);

        *copy = (struct zk_watch){q->watches, w->path, w->children};
        q->watches = copy;
    }
    zk_conn_send(c->conn, q);
}

/* Returns true when the server is down, and so refuses the connection at once. */
static bool refused(const struct sim_zkc *c)
{
    const struct sim_proc *p = &c->zk->v[c->server].proc;

    return !c->connected && !p->up && sim_net_passes(c->zk->net, c->proc->host, p->host);
}

static void tick(void *arg, uint64_t tag)
{
    struct sim_zkc *c = arg;
    int64_t now = c->zk->s->now_us, limit = c->connected ? c->timeout_us : c->wanted_us;

    (void)tag;
    if (c->dead)
        return;
    if (c->conn && (now - c->heard_us >= limit * 2 / 3 || refused(c)))
        disconnect(c);
    if (!c->conn && now - c->tried_us >= 30 * MS)
        connect_next(c);
    else if (c->connected && now - c->sent_us >= c->timeout_us / 3)
        zk_conn_send(c->conn, request(c, ZK_PING));
    sim_at(c->zk->s, now + (c->connected ? c->wanted_us / 12 : 40 * MS), c->proc, SIM_SERVICE, tick,
           c, 0);
}

struct sim_zkc *sim_zkc_new(struct sim_zk *zk, struct sim_proc *proc, int64_t timeout_us,
                            sim_zkc_fn *fn, void *user)
{
    struct sim_zkc *c = sim_alloc(zk->s, sizeof *c);

    *c = (struct sim_zkc){.zk = zk,
                          .proc = proc,
                          .fn = fn,
                          .user = user,
                          .wanted_us = timeout_us,
                          .timeout_us = timeout_us,
                          .losses_first = sim_chance(zk->s, 500),
                          .server = (int)sim_rnd(zk->s, (uint64_t)zk->n)};
    c->waiting_last = &c->waiting;
    sim_at(zk->s, zk->s->now_us + sim_between(zk->s, 0, 5 * MS), proc, SIM_SERVICE, tick, c, 0);
    return c;
}

void sim_zkc_died(struct sim_zkc *c)
{
    c->dead = true;
    if (c->conn)
        zk_conn_close(c->conn);
    c->conn = NULL;
}

static void not_sent(void *arg, uint64_t tag)
{
    const struct zk_request *q = arg;
    struct sim_zkc *c = (struct sim_zkc *)(uintptr_t)tag;

    if (!c->dead)
        result(c, q, (struct ha_zk_event){.failed_op = -1}, HA_ZK_LOSS, "not connected");
}

static void copy_ops(struct sim *s, struct ha_zk_request *rq)
{
    struct ha_zk_op *ops = sim_copy(s, rq->ops, rq->ops_n * sizeof *ops);

    for (size_t i = 0; i < rq->ops_n; i++) {
        ops[i].path = sim_copy(s, ops[i].path, strlen(ops[i].path));
        ops[i].data = ops[i].data ? sim_copy(s, ops[i].data, ops[i].len) : "";
    }
    rq->ops = ops;
}

void sim_zkc_send(struct sim_zkc *c, const struct ha_zk_request *rq, uint64_t round)
{
    struct zk_request *q = request(c, ZK_REQUEST), *mine;
    struct sim *s = c->zk->s;

    q->rq = *rq;
    q->round = round;
    if (rq->path)
        q->rq.path = sim_copy(s, rq->path, strlen(rq->path));
    copy_ops(s, &q->rq);
    if (!c->connected) {
        sim_at(s, s->now_us, c->proc, SIM_SERVICE, not_sent, q, (uint64_t)(uintptr_t)c);
        return;
    }
    mine = sim_copy(s, q, sizeof *q); /* @q itself is linked into the server's lists */
    mine->twin = q;
    *c->waiting_last = mine;
    c->waiting_last = &mine->next;
    zk_conn_send(c->conn, q);
}
