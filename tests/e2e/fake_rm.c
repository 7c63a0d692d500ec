#include "tests/e2e/fake_rm.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/server/server.h"
#include "base/clock.h"
#include "base/conf/rm_list.h"
#include "base/crypto/keyring.h"
#include "base/io/json.h"

#define NODES_MAX 64

struct node {
    char id[300], instance[64];
    int64_t registrations, sign_offs, beats,
        last_id;  /* last_id: the responseId processed last, -1 none */
    char *stored; /* the answer to it */
    json_t *orders, *last;
    struct api_request *parked;
    int64_t parked_until;
    bool woken;
    int hadoop_port;
};
struct waiting { /* a request that waits here while this RM is a standby */
    struct api_request *rq;
    char *failed;
    bool registering;
};
struct fake_rm {
    struct api_server *server;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t timer;
    bool stopping, auto_forget, away, mute, standby, forger;
    char active[256], *failed; /* failed: the last request's header of that name */
    struct waiting waiting[NODES_MAX];
    size_t waiting_n;
    const char *added; /* to answers */
    int64_t sent_on, looks;
    int64_t epoch, after_forget;
    int lose;
    struct node nodes[NODES_MAX];
    size_t n;
    json_t *reports, *forgotten; /* by container id */
    size_t ended;
};

static int64_t now_ms(void)
{
    return base_mono_us(&base_clock_real) / 1000;
}

static struct node *node_find(struct fake_rm *rm, const char *id)
{
    for (size_t i = 0; i < rm->n; i++) {
        if (strcmp(rm->nodes[i].id, id) == 0)
            return &rm->nodes[i];
    }
    return NULL;
}

static void send_text(struct api_request *rq, const char *text)
{
    struct base_buf b = {0};
    base_buf_adds(&b, text);
    api_answer(rq, 200, API_JSON, &b);
}

static char *answer_make(struct fake_rm *rm, struct node *n, int64_t response_id)
{
    struct base_buf b = {0};
    base_buf_addf(&b, "{%s%s", rm->added ? rm->added : "", rm->added ? "," : "");
    base_buf_addf(&b,
                  "\"epoch\":%lld,\"rmInstance\":1,\"clusterTs\":1,\"responseId\":%lld,"
                  "\"heartbeatMs\":1000,\"orders\":",
                  (long long)rm->epoch, (long long)response_id);
    base_json_dump(n->orders, &b);
    base_buf_adds(&b, "}");
    json_array_clear(n->orders);
    return base_buf_take(&b);
}

/* Lock held. */
static void unpark(struct fake_rm *rm, struct node *n)
{
    struct api_request *rq = n->parked;
    if (!rq || (rm->mute && !rm->stopping))
        return;
    n->parked = NULL;
    free(n->stored);
    n->stored = answer_make(rm, n, n->last_id + 1);
    send_text(rq, n->stored);
}

static void report_take(struct fake_rm *rm, struct node *n, json_t *r, bool registering)
{
    const char *id = json_string_value(json_object_get(r, "id"));
    const char *state = json_string_value(json_object_get(r, "state"));
    if (!id || !state)
        return;
    json_t *old = json_object_get(rm->reports, id);
    bool was = old && strcmp(json_string_value(json_object_get(old, "state")), "complete") == 0;
    bool is = strcmp(state, "complete") == 0;
    if (registering &&
        json_object_get(rm->forgotten, id)) /* not heartbeats, which may have crossed the order */
        rm->after_forget++;
    if (old) /* what only a registration tells stays known */
        json_object_update(old, r);
    else
        json_object_set(rm->reports, id, r);
    if (is && !was)
        rm->ended++;
    if (is && rm->auto_forget)
        json_array_append_new(n->orders, json_pack("{s:s,s:s}", "type", "forget", "container", id));
}

static void reports_take(struct fake_rm *rm, struct node *n, json_t *body, bool registering)
{
    size_t i;
    json_t *r;
    json_array_foreach(json_object_get(body, "containers"), i, r)
        report_take(rm, n, r, registering);
}

static json_t *body_of(struct api_request *rq)
{
    size_t len;
    const char *text = api_body(rq, &len);
    json_t *j = NULL;
    base_json_parse(text ? text : "", len, &j, NULL);
    return j;
}

static bool refuse(struct fake_rm *rm, struct api_request *rq)
{
    if (rm->away) {
        api_answer_error(rq, 503, "IOException", "away");
        return true;
    }
    if (!rm->forger && !api_is_signed_by_node(rq)) {
        api_answer_error(rq, 401, "AuthorizationException", "not signed");
        return true;
    }
    return false;
}

/* Lock held. False: nothing was answered. */
static bool send_on(struct fake_rm *rm, struct api_request *rq, const char *failed)
{
    struct base_buf none = {0};
    if (!rm->active[0] || base_rm_url_is_in_list(failed, rm->active))
        return false;
    char *to = base_printf("%s%s", rm->active, api_path(rq));
    rm->sent_on++;
    api_add_header(rq, "Location", to);
    api_answer(rq, 307, API_TEXT, &none);
    free(to);
    return true;
}

/* Lock held. True: this RM is a standby, and has redirected, parked or refused the request. */
static bool stands_by(struct fake_rm *rm, struct api_request *rq, bool registering)
{
    const char *failed = api_header(rq, BASE_RM_FAILED_HEADER);
    free(rm->failed);
    rm->failed = base_strdup(failed ? failed : "");
    if (!rm->standby)
        return false;
    if (send_on(rm, rq, rm->failed))
        return true;
    if (rm->waiting_n == NODES_MAX) {
        api_answer_error(rq, 503, "StandbyException", "too many wait");
        return true;
    }
    api_park(rq);
    rm->waiting[rm->waiting_n++] = (struct waiting){rq, base_strdup(rm->failed), registering};
    return true;
}

static void take_registration(struct fake_rm *rm, struct api_request *rq)
{
    json_t *j = body_of(rq);
    const char *id = json_string_value(json_object_get(j, "nodeId"));
    struct node *n = id ? node_find(rm, id) : NULL;
    if (refuse(rm, rq)) {
    } else if (!id || (!n && rm->n == NODES_MAX)) {
        api_answer_error(rq, 400, "BadRequestException", "nodeId");
    } else {
        if (!n) {
            n = &rm->nodes[rm->n++];
            snprintf(n->id, sizeof n->id, "%s", id);
            n->orders = json_array();
        }
        unpark(rm, n);
        n->registrations++;
        n->hadoop_port = (int)json_integer_value(json_object_get(j, "hadoopPort"));
        n->last_id = -1;
        const char *instance = json_string_value(json_object_get(j, "instance"));
        snprintf(n->instance, sizeof n->instance, "%s", instance ? instance : "");
        reports_take(rm, n, j, true);
        char *text = answer_make(rm, n, 0);
        send_text(rq, text);
        free(text);
    }
    json_decref(j);
}

static void on_register(struct api_request *rq, void *user)
{
    struct fake_rm *rm = user;
    pthread_mutex_lock(&rm->lock);
    if (!stands_by(rm, rq, true))
        take_registration(rm, rq);
    pthread_cond_broadcast(&rm->changed);
    pthread_mutex_unlock(&rm->lock);
}

/* Lock held. */
static void beat(struct fake_rm *rm, struct node *n, struct api_request *rq, json_t *j, bool parked)
{
    int64_t id = json_integer_value(json_object_get(j, "responseId"));
    int64_t hold = json_integer_value(json_object_get(j, "holdMs"));
    if (id == n->last_id && n->stored) { /* a repeat */
        send_text(rq, n->stored);
        return;
    }
    n->beats++;
    n->last_id = id;
    free(n->stored);
    n->stored = NULL;
    json_decref(n->last);
    n->last = json_incref(j);
    reports_take(rm, n, j, false);
    if (rm->lose > 0) {
        rm->lose--;
        n->stored = answer_make(rm, n, id + 1);
        api_answer_error(rq, 503, "IOException", "lost on the way");
    } else {
        n->parked = rq;
        n->parked_until = now_ms() + hold;
        if (!parked)
            api_park(rq);
        if (json_array_size(n->orders) || hold == 0 || n->woken)
            unpark(rm, n);
    }
    n->woken = false;
}

static void resync(struct fake_rm *rm, struct api_request *rq)
{
    char *text = base_printf(
        "{\"epoch\":%lld,\"responseId\":0,\"heartbeatMs\":1000,\"orders\":[{\"type\":\"resync\"}]}",
        (long long)rm->epoch);
    send_text(rq, text);
    free(text);
}

static void take_heartbeat(struct fake_rm *rm, struct api_request *rq, bool parked)
{
    json_t *j = body_of(rq);
    const char *id = json_string_value(json_object_get(j, "nodeId"));
    const char *instance = json_string_value(json_object_get(j, "instance"));
    struct node *n = id ? node_find(rm, id) : NULL;
    if (!refuse(rm, rq)) {
        if (!n || !instance || strcmp(instance, n->instance) != 0)
            resync(rm, rq);
        else
            beat(rm, n, rq, j, parked);
    }
    json_decref(j);
}

static void on_heartbeat(struct api_request *rq, void *user)
{
    struct fake_rm *rm = user;
    pthread_mutex_lock(&rm->lock);
    if (!stands_by(rm, rq, false))
        take_heartbeat(rm, rq, false);
    pthread_cond_broadcast(&rm->changed);
    pthread_mutex_unlock(&rm->lock);
}

/* Call when the role or the active RM has changed, with the lock held. */
static void look_again(struct fake_rm *rm)
{
    size_t keep = 0;
    for (size_t i = 0; i < rm->waiting_n; i++) {
        struct waiting *w = &rm->waiting[i];
        if (rm->standby && !send_on(rm, w->rq, w->failed)) {
            rm->waiting[keep++] = *w;
            continue;
        }
        if (!rm->standby && w->registering)
            take_registration(rm, w->rq);
        else if (!rm->standby)
            take_heartbeat(rm, w->rq, true);
        free(w->failed);
    }
    rm->waiting_n = keep;
    pthread_cond_broadcast(&rm->changed);
}

/* GET /ws/v1/cluster/ha, as far as nodes read it. */
static void on_ha(struct api_request *rq, void *user)
{
    struct fake_rm *rm = user;
    struct base_buf b = {0};
    pthread_mutex_lock(&rm->lock);
    rm->looks++;
    bool mute = rm->mute || rm->away;
    base_buf_addf(&b, "{\"state\":\"%s\",\"epoch\":%lld}", rm->standby ? "standby" : "active",
                  (long long)rm->epoch);
    pthread_cond_broadcast(&rm->changed);
    pthread_mutex_unlock(&rm->lock);
    api_answer(rq, mute ? 503 : 200, API_JSON, &b);
}

static void on_wake(struct api_request *rq, void *user)
{
    struct fake_rm *rm = user;
    json_t *j = body_of(rq);
    const char *id = json_string_value(json_object_get(j, "nodeId"));
    struct base_buf none = {0};
    pthread_mutex_lock(&rm->lock);
    struct node *n = id ? node_find(rm, id) : NULL;
    if (n)
        unpark(rm, n);
    pthread_mutex_unlock(&rm->lock);
    api_answer(rq, 204, API_JSON, &none);
    json_decref(j);
}

static void on_unregister(struct api_request *rq, void *user)
{
    struct fake_rm *rm = user;
    json_t *j = body_of(rq);
    const char *id = json_string_value(json_object_get(j, "nodeId"));
    const char *instance = json_string_value(json_object_get(j, "instance"));
    struct base_buf none = {0};
    pthread_mutex_lock(&rm->lock);
    struct node *n = id ? node_find(rm, id) : NULL;
    if (n && instance && strcmp(instance, n->instance) == 0)
        n->sign_offs++;
    pthread_mutex_unlock(&rm->lock);
    api_answer(rq, 204, API_JSON, &none);
    json_decref(j);
}

static const struct api_route routes[] = {
    {"POST", "/ws/v1/nodetracker/register", API_ROLE_READ, 8 << 20, on_register, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/heartbeat", API_ROLE_READ, 8 << 20, on_heartbeat, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/wake", API_ROLE_READ, 65536, on_wake, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/unregister", API_ROLE_READ, 65536, on_unregister, API_ROUTE_CREEL},
    {"GET", "/ws/v1/cluster/ha", API_ROLE_READ, 0, on_ha, API_ROUTE_CREEL},
};

static struct timespec after_ms(int ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Ends holds whose time is over. */
static void *timer_loop(void *user)
{
    struct fake_rm *rm = user;
    pthread_mutex_lock(&rm->lock);
    while (!rm->stopping) {
        struct timespec t = after_ms(20);
        pthread_cond_timedwait(&rm->changed, &rm->lock, &t);
        int64_t now = now_ms();
        for (size_t i = 0; i < rm->n; i++) {
            if (rm->nodes[i].parked && rm->nodes[i].parked_until <= now)
                unpark(rm, &rm->nodes[i]);
        }
    }
    pthread_mutex_unlock(&rm->lock);
    return NULL;
}

static struct fake_rm *start(uint16_t port, bool forger)
{
    struct fake_rm *rm = base_alloc(sizeof *rm);
    struct base_conf *none = base_conf_new();
    struct api_server_conf conf = {
        .bind = "127.0.0.1", .port = port, .threads = 2, .static_user = "dr.who"};
    struct base_error err = {0};
    /* the secret that the daemons of the test use, too */
    base_assert(forger || base_keyring_open_or_make_by_conf(none, BASE_CLUSTER_SECRET_KEY,
                                                            BASE_CLUSTER_SECRET_NAME, true,
                                                            &conf.keys, &err) == 0);
    base_conf_free(none);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&rm->lock, NULL);
    pthread_cond_init(&rm->changed, &attr);
    pthread_condattr_destroy(&attr);
    rm->forger = forger;
    rm->epoch = 1;
    rm->reports = json_object();
    rm->forgotten = json_object();
    if (api_server_start(&conf, routes, sizeof routes / sizeof routes[0], rm, &rm->server, &err) <
        0) {
        fprintf(stderr, "fake RM: %s\n", err.text);
        abort();
    }
    base_keyring_unref(conf.keys);
    if (pthread_create(&rm->timer, NULL, timer_loop, rm))
        abort();
    return rm;
}

struct fake_rm *fake_rm_start(uint16_t port)
{
    return start(port, false);
}

struct fake_rm *fake_rm_start_forger(uint16_t port)
{
    return start(port, true);
}

void fake_rm_stop(struct fake_rm *rm)
{
    pthread_mutex_lock(&rm->lock);
    rm->stopping = true;
    for (size_t i = 0; i < rm->n; i++)
        unpark(rm, &rm->nodes[i]);
    for (size_t i = 0; i < rm->waiting_n; i++) {
        api_answer_error(rm->waiting[i].rq, 503, "StandbyException", "stopped");
        free(rm->waiting[i].failed);
    }
    rm->waiting_n = 0;
    pthread_cond_broadcast(&rm->changed);
    pthread_mutex_unlock(&rm->lock);
    pthread_join(rm->timer, NULL);
    /* A heartbeat may have been parked meanwhile: the server answers it. */
    api_server_stop(rm->server);
    for (size_t i = 0; i < rm->n; i++) {
        free(rm->nodes[i].stored);
        json_decref(rm->nodes[i].orders);
        json_decref(rm->nodes[i].last);
    }
    for (size_t i = 0; i < rm->waiting_n; i++) /* came meanwhile: answered by the server */
        free(rm->waiting[i].failed);
    free(rm->failed);
    json_decref(rm->reports);
    json_decref(rm->forgotten);
    pthread_mutex_destroy(&rm->lock);
    pthread_cond_destroy(&rm->changed);
    free(rm);
}

uint16_t fake_rm_port(const struct fake_rm *rm)
{
    return api_server_port(rm->server);
}

#define LOCKED(rm, what)                                                                           \
    do {                                                                                           \
        pthread_mutex_lock(&(rm)->lock);                                                           \
        what;                                                                                      \
        pthread_mutex_unlock(&(rm)->lock);                                                         \
    } while (0)

void fake_rm_set_epoch(struct fake_rm *rm, int64_t epoch)
{
    LOCKED(rm, rm->epoch = epoch);
}

void fake_rm_set_auto_forget(struct fake_rm *rm, bool on)
{
    LOCKED(rm, rm->auto_forget = on);
}

void fake_rm_set_away(struct fake_rm *rm, bool away)
{
    LOCKED(rm, rm->away = away);
}

void fake_rm_set_mute(struct fake_rm *rm, bool mute)
{
    LOCKED(rm, rm->mute = mute);
}

void fake_rm_stand_by(struct fake_rm *rm, const char *active)
{
    LOCKED(rm, rm->standby = true; snprintf(rm->active, sizeof rm->active, "%s", active);
           look_again(rm));
}

void fake_rm_lead(struct fake_rm *rm)
{
    LOCKED(rm, rm->standby = false; look_again(rm));
}

int64_t fake_rm_sent_on(struct fake_rm *rm)
{
    int64_t n;
    LOCKED(rm, n = rm->sent_on);
    return n;
}

char *fake_rm_last_failed(struct fake_rm *rm)
{
    char *text;
    LOCKED(rm, text = base_strdup(rm->failed ? rm->failed : ""));
    return text;
}

void fake_rm_lose_answers(struct fake_rm *rm, int n)
{
    LOCKED(rm, rm->lose = n);
}

const char *fake_rm_node_id(struct fake_rm *rm, size_t node)
{
    return rm->nodes[node].id;
}

int64_t fake_rm_registrations(struct fake_rm *rm, size_t node)
{
    int64_t n;
    LOCKED(rm, n = rm->nodes[node].registrations);
    return n;
}

int fake_rm_hadoop_port(struct fake_rm *rm, size_t node)
{
    int port;
    LOCKED(rm, port = rm->nodes[node].hadoop_port);
    return port;
}

void fake_rm_add_to_answers(struct fake_rm *rm, const char *members)
{
    LOCKED(rm, rm->added = members);
}

int64_t fake_rm_heartbeats(struct fake_rm *rm, size_t node)
{
    int64_t n;
    LOCKED(rm, n = rm->nodes[node].beats);
    return n;
}

int64_t fake_rm_sign_offs(struct fake_rm *rm, size_t node)
{
    int64_t n;
    LOCKED(rm, n = rm->nodes[node].sign_offs);
    return n;
}

int64_t fake_rm_after_forget(struct fake_rm *rm)
{
    int64_t n;
    LOCKED(rm, n = rm->after_forget);
    return n;
}

size_t fake_rm_ended(struct fake_rm *rm)
{
    size_t n;
    LOCKED(rm, n = rm->ended);
    return n;
}

/* Waits on the condition until @test holds. */
struct want {
    size_t node, n;
    int64_t count;
    bool flag;
    const char *container, *state;
    json_t *found;
};

static bool wait_for(struct fake_rm *rm, int ms, bool (*test)(struct fake_rm *rm, struct want *w),
                     struct want *w)
{
    struct timespec until = after_ms(ms);
    bool ok;
    pthread_mutex_lock(&rm->lock);
    while (!(ok = test(rm, w)) && pthread_cond_timedwait(&rm->changed, &rm->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&rm->lock);
    return ok;
}

static bool nodes_there(struct fake_rm *rm, struct want *w)
{
    return rm->n >= w->n;
}

bool fake_rm_wait_nodes(struct fake_rm *rm, size_t n, int ms)
{
    return wait_for(rm, ms, nodes_there, &(struct want){.n = n});
}

static bool parked(struct fake_rm *rm, struct want *w)
{
    return rm->waiting_n >= w->n;
}

bool fake_rm_wait_parked(struct fake_rm *rm, size_t n, int ms)
{
    return wait_for(rm, ms, parked, &(struct want){.n = n});
}

static bool looked(struct fake_rm *rm, struct want *w)
{
    return rm->looks >= w->count;
}

bool fake_rm_wait_looks(struct fake_rm *rm, int64_t n, int ms)
{
    return wait_for(rm, ms, looked, &(struct want){.count = n});
}

static bool registered(struct fake_rm *rm, struct want *w)
{
    return rm->nodes[w->node].registrations >= w->count;
}

bool fake_rm_wait_registrations(struct fake_rm *rm, size_t node, int64_t n, int ms)
{
    return wait_for(rm, ms, registered, &(struct want){.node = node, .count = n});
}

static bool beaten(struct fake_rm *rm, struct want *w)
{
    return rm->nodes[w->node].beats >= w->count;
}

bool fake_rm_wait_heartbeats(struct fake_rm *rm, size_t node, int64_t n, int ms)
{
    return wait_for(rm, ms, beaten, &(struct want){.node = node, .count = n});
}

static bool ended(struct fake_rm *rm, struct want *w)
{
    return rm->ended >= w->n;
}

bool fake_rm_wait_ended(struct fake_rm *rm, size_t n, int ms)
{
    return wait_for(rm, ms, ended, &(struct want){.n = n});
}

static bool in_state(struct fake_rm *rm, struct want *w)
{
    json_t *r = json_object_get(rm->reports, w->container);
    if (!r || strcmp(json_string_value(json_object_get(r, "state")), w->state) != 0)
        return false;
    w->found = json_deep_copy(r);
    return true;
}

json_t *fake_rm_wait_state(struct fake_rm *rm, const char *container, const char *state, int ms)
{
    struct want w = {.container = container, .state = state};
    wait_for(rm, ms, in_state, &w);
    return w.found;
}

json_t *fake_rm_report(struct fake_rm *rm, const char *container)
{
    json_t *r;
    LOCKED(rm, r = json_deep_copy(json_object_get(rm->reports, container)));
    return r;
}

json_t *fake_rm_last(struct fake_rm *rm, size_t node)
{
    json_t *r;
    LOCKED(rm, r = json_deep_copy(rm->nodes[node].last));
    return r;
}

static bool healthy(struct fake_rm *rm, struct want *w)
{
    json_t *h = json_object_get(rm->nodes[w->node].last, "healthy");
    return h && json_is_true(h) == w->flag;
}

bool fake_rm_wait_healthy(struct fake_rm *rm, size_t node, bool want, int ms)
{
    return wait_for(rm, ms, healthy, &(struct want){.node = node, .flag = want});
}

static void order_add(struct fake_rm *rm, size_t node, json_t *o)
{
    if (!o)
        abort();
    pthread_mutex_lock(&rm->lock);
    const char *type = json_string_value(json_object_get(o, "type"));
    if (type && strcmp(type, "forget") == 0)
        json_object_set_new(rm->forgotten, json_string_value(json_object_get(o, "container")),
                            json_true());
    json_array_append_new(rm->nodes[node].orders, o);
    unpark(rm, &rm->nodes[node]);
    pthread_mutex_unlock(&rm->lock);
}

void fake_rm_order(struct fake_rm *rm, size_t node, const char *fmt, ...)
{
    struct base_buf b = {0};
    json_t *o = NULL;
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    base_json_parse(b.data, b.len, &o, NULL);
    base_buf_free(&b);
    order_add(rm, node, o);
}

void fake_rm_launch(struct fake_rm *rm, size_t node, const char *container, const char *command)
{
    order_add(rm, node,
              json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:s}", "type", "launch", "container",
                        container, "user", "ann", "slot", "map", "kind", "command", "token",
                        "s3cret", "memoryMb", 128, "vcores", 1, "command", command));
}
