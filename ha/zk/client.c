#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crypto/base64.h"
#include "base/crypto/digest.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "ha/zk/client_internal.h"

/* delay before opening another session, after no server name was resolved or authentication
 * failed */
#define REOPEN_US      1000000
#define TIMEOUT_MS_MAX 3600000
/* Time allowed for the first attempt to connect: 1/6 of the time-out, but within these limits. The
 * time doubles with each failed attempt until it is at least 1/3 of the time-out. */
#define PATIENCE_MIN_US 200000
#define PATIENCE_MAX_US 1000000
#define DRAIN_US        500000 /* time allowed at the end for requests under way to be answered */
#define DRAIN_PAUSE_US  500

struct zk_session { /* one zhandle_t; the context given to libzookeeper's threads */
    struct ha_zk_client *client;
    uint64_t generation;
    /* Set on the completion thread: libzookeeper knows the digest and sends it after each
     * reconnection. */
    bool authenticated;
};

struct ha_zk_client {
    char *servers, *auth, *auth_id;
    int timeout_ms;
    void (*wake)(void *user);
    void *wake_user;
    /* used by the service thread only */
    zhandle_t *zh; /* NULL: will be opened at open_us */
    struct zk_session *session;
    uint64_t generation;
    int64_t open_us, give_up_us, patience_us;
    bool connected;
    int64_t timeout_us; /* session time-out: as negotiated; before that, as requested */
    clientid_t id;      /* of the session; 0: none */
    char peer[64];
    struct zk_request *first, *last; /* requests not completed or not delivered yet */
    pthread_mutex_t lock;            /* protects the queue */
    struct zk_item *queue_first, **queue_end;
};

/* The last message that libzookeeper logged about a server that does not answer, for people to
 * read. The library reports this only in its log, and does not name the handle, so all clients
 * share the text. */
static pthread_mutex_t trouble_lock = PTHREAD_MUTEX_INITIALIZER;
static char trouble[160];

/* Stores @text as the last trouble, with "Socket [10.0.0.1:2181] zk retcode=-4,
 * errno=111(Connection refused): ..." shortened to "[10.0.0.1:2181]: Connection refused". */
static void record_server_trouble(const char *text)
{
    char server[64], error[80];

    pthread_mutex_lock(&trouble_lock);
    if (sscanf(text, "Socket %63s zk retcode=%*d, errno=%*d(%79[^)])", server, error) == 2)
        snprintf(trouble, sizeof trouble, "%s: %s", server, error);
    else
        snprintf(trouble, sizeof trouble, "%.*s", (int)strcspn(text, "\n"), text);
    pthread_mutex_unlock(&trouble_lock);
}

/* Handles a log line "<time>:<pid>(<thread>):ZOO_WARN@<function>@<line>: text". Lines about lost
 * connections and attempts to reconnect come many times per second and are logged as debug only;
 * the service logs their meaning. */
static void relog_library_line(const char *message)
{
    const char *level = strstr(message, ":ZOO_");
    const char *text = level ? strstr(level, ": ") : NULL;
    bool usual;

    if (!text)
        return;
    text += 2;
    usual = strncmp(text, "Delaying connection", 19) == 0 ||
            strncmp(text, "Exceeded deadline", 17) == 0;
    if (strncmp(text, "Socket ", 7) == 0 || strncmp(text, "getaddrinfo", 11) == 0) {
        record_server_trouble(text);
        usual = true;
    }
    base_log(usual ? BASE_LOG_DEBUG : BASE_LOG_WARN, "zookeeper", "%.*s", (int)strcspn(text, "\n"),
             text);
}

void zk_client_queue_item(struct ha_zk_client *c, struct zk_item *item)
{
    item->next = NULL;
    pthread_mutex_lock(&c->lock);
    if (item->kind == HA_ZK_RESULT)
        item->request->completed = true;
    *c->queue_end = item;
    c->queue_end = &item->next;
    pthread_mutex_unlock(&c->lock);
    c->wake(c->wake_user);
}

/* ---- on libzookeeper's completion thread ---- */

static struct zk_item *new_item(const struct zk_session *s, enum ha_zk_event_kind kind)
{
    struct zk_item *it = base_alloc(sizeof *it);

    it->kind = kind;
    it->generation = s->generation;
    return it;
}

static void format_address(const struct sockaddr_storage *a, char *out, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "?";

    if (a->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;

        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(out, size, "[%s]:%d", host, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)a;

        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(out, size, "%s:%d", host, ntohs(four->sin_port));
    }
}

static void log_authentication_failure(int rc, const void *data)
{
    (void)data;
    if (rc != ZOK && rc != ZCLOSING && rc != ZCONNECTIONLOSS)
        base_log_error("zookeeper", "authentication failed: %s", zerror(rc));
}

/* Requests are sent only after this event has been delivered, hence after the digest. */
static void authenticate_and_queue_connected(struct zk_session *s, zhandle_t *zh)
{
    struct zk_item *it = new_item(s, HA_ZK_CONNECTED);
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;
    const char *auth = s->client->auth;

    if (!s->authenticated)
        s->authenticated = zoo_add_auth(zh, "digest", auth, (int)strlen(auth),
                                        log_authentication_failure, NULL) == ZOK;
    it->session = *zoo_client_id(zh);
    it->timeout_us = zoo_recv_timeout(zh) * INT64_C(1000);
    if (zookeeper_get_connected_host(zh, (struct sockaddr *)&address, &len))
        format_address(&address, it->peer, sizeof it->peer);
    zk_client_queue_item(s->client, it);
}

static void queue_session_event(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct zk_session *s = context;

    (void)path;
    if (type != ZOO_SESSION_EVENT)
        return;
    if (state == ZOO_CONNECTED_STATE)
        authenticate_and_queue_connected(s, zh);
    else if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE)
        zk_client_queue_item(s->client, new_item(s, HA_ZK_SESSION_OVER));
    else
        zk_client_queue_item(s->client, new_item(s, HA_ZK_DISCONNECTED));
}

static void queue_watch_event(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct zk_session *s = context;
    struct zk_item *it;

    (void)zh;
    (void)state;
    /* session events reach every watch too; see queue_session_event() */
    if (type == ZOO_SESSION_EVENT)
        return;
    it = new_item(s, HA_ZK_WATCH);
    it->path = base_strdup(path);
    zk_client_queue_item(s->client, it);
}

/* ---- on the service thread ---- */

static void add_request_under_way(struct ha_zk_client *c, struct zk_request *r)
{
    r->prev = c->last;
    *(c->last ? &c->last->next : &c->first) = r;
    c->last = r;
}

static void free_request_under_way(struct ha_zk_client *c, struct zk_request *r)
{
    *(r->prev ? &r->prev->next : &c->first) = r->next;
    *(r->next ? &r->next->prev : &c->last) = r->prev;
    zk_request_free(r);
}

static void free_item(struct ha_zk_client *c, struct zk_item *it)
{
    if (it->kind == HA_ZK_RESULT) {
        free_request_under_way(c, it->request);
        return;
    }
    free(it->path);
    free(it);
}

/* Returns the user and the first characters of the digest that ZooKeeper's
 * DigestAuthenticationProvider computes: enough to see whether two are equal, too few to guess the
 * password from a log. Caller frees. */
static char *make_shortened_digest_id(const char *auth)
{
    unsigned char sha1[BASE_SHA1_BYTES];
    struct base_buf coded = {0};
    char *id;

    base_sha1(auth, strlen(auth), sha1);
    base_base64_encode(sha1, sizeof sha1, &coded);
    id = base_printf("%.*s:%.*s...", (int)strcspn(auth, ":"), auth, HA_ZK_DIGEST_SHOWN, coded.data);
    base_buf_free(&coded);
    return id;
}

static void reset_connect_patience(struct ha_zk_client *c)
{
    c->patience_us = c->timeout_us / 6;
    if (c->patience_us > PATIENCE_MAX_US)
        c->patience_us = PATIENCE_MAX_US;
    if (c->patience_us < PATIENCE_MIN_US)
        c->patience_us = PATIENCE_MIN_US;
}

int ha_zk_client_new(const struct ha_zk_client_conf *conf, struct ha_zk_client **out,
                     struct base_error *err)
{
    struct ha_zk_client *c;
    const char *colon = strchr(conf->auth, ':');

    if (!strchr(conf->servers, ':'))
        return base_error_set(err, -BASE_EINVAL,
                              "servers of ZooKeeper are \"%s\": expected host:port[,host:port...]",
                              conf->servers);
    if (!colon || colon == conf->auth || !colon[1])
        return base_error_set(err, -BASE_EINVAL,
                              "authentication to ZooKeeper: expected user:password");
    zoo_set_debug_level(ZOO_LOG_LEVEL_WARN);
    c = base_alloc(sizeof *c);
    c->servers = base_strdup(conf->servers);
    c->auth = base_strdup(conf->auth);
    c->auth_id = make_shortened_digest_id(conf->auth);
    c->timeout_ms =
        conf->timeout_us / 1000 < TIMEOUT_MS_MAX ? (int)(conf->timeout_us / 1000) : TIMEOUT_MS_MAX;
    c->timeout_us = c->timeout_ms * INT64_C(1000);
    reset_connect_patience(c);
    c->wake = conf->wake;
    c->wake_user = conf->user;
    c->queue_end = &c->queue_first;
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return 0;
}

static void open_session(struct ha_zk_client *c, int64_t now_us)
{
    struct zk_session *s = base_alloc(sizeof *s);

    s->client = c;
    s->generation = ++c->generation;
    c->session = s;
    c->zh = zookeeper_init2(c->servers, queue_session_event, c->timeout_ms,
                            c->id.client_id ? &c->id : NULL, s, ZOO_NO_LOG_CLIENTENV,
                            relog_library_line);
    c->give_up_us = now_us + c->patience_us;
    if (!c->zh) {
        free(s);
        c->session = NULL;
        c->open_us = now_us + REOPEN_US;
    }
}

/* Closes the handle and waits for libzookeeper's threads to end. The library completes most
 * requests under way, but not always all: its completion thread may end before it receives the last
 * ones. The rest is freed here. */
static void close_session(struct ha_zk_client *c)
{
    if (!c->zh)
        return;
    zookeeper_close(c->zh);
    free(c->session);
    c->zh = NULL;
    c->session = NULL;
    c->connected = false;
    pthread_mutex_lock(&c->lock);
    for (struct zk_request *r = c->first, *next; r; r = next) {
        next = r->next;
        if (!r->completed)
            free_request_under_way(c, r);
    }
    pthread_mutex_unlock(&c->lock);
}

static struct zk_item *take_queue(struct ha_zk_client *c)
{
    struct zk_item *all;

    pthread_mutex_lock(&c->lock);
    all = c->queue_first;
    c->queue_first = NULL;
    c->queue_end = &c->queue_first;
    pthread_mutex_unlock(&c->lock);
    return all;
}

static void drop_queue(struct ha_zk_client *c)
{
    struct zk_item *next;

    for (struct zk_item *it = take_queue(c); it; it = next) {
        next = it->next;
        free_item(c, it);
    }
}

/* Waits briefly for the answers to requests under way, so that there are none when libzookeeper
 * closes the session. */
static void await_and_drop_answers(struct ha_zk_client *c)
{
    const struct timespec pause = {0, DRAIN_PAUSE_US * 1000};

    drop_queue(c);
    for (int us = 0; c->connected && c->first && us < DRAIN_US; us += DRAIN_PAUSE_US) {
        nanosleep(&pause, NULL);
        drop_queue(c);
    }
}

void ha_zk_client_free(struct ha_zk_client *c)
{
    if (!c)
        return;
    await_and_drop_answers(c);
    close_session(c);
    drop_queue(c);
    pthread_mutex_destroy(&c->lock);
    free(c->servers);
    free(c->auth);
    free(c->auth_id);
    free(c);
}

void ha_zk_client_send_request(void *client, const struct ha_zk_request *rq)
{
    struct ha_zk_client *c = client;
    struct zk_request *r = zk_request_new(c, rq);

    add_request_under_way(c, r);
    if (c->connected)
        zk_request_send(r, c->zh, rq, queue_watch_event, c->session);
    else
        zk_request_queue_failure(r, HA_ZK_LOSS, "not connected to ZooKeeper");
}

/* Delivers @code through @on as the result of all unanswered requests. Whatever libzookeeper
 * reports about them later is dropped. */
static void end_unanswered_requests(struct ha_zk_client *c, enum ha_zk_code code,
                                    ha_zk_event_fn *on, void *user)
{
    /* @on may send further requests, which are not included */
    const struct zk_request *last = c->last;

    for (struct zk_request *r = c->first; r; r = r == last ? NULL : r->next) {
        const struct ha_zk_event ev = {.kind = HA_ZK_RESULT,
                                       .owner = r->owner,
                                       .id = r->id,
                                       .asked = r->kind,
                                       .code = code,
                                       .failed_op = -1,
                                       .sent_us = r->sent_us,
                                       .text = ha_zk_code_name(code)};

        if (r->settled)
            continue;
        r->settled = true;
        on(user, &ev);
    }
}

/* Our own state changes before the event is delivered, so that requests sent by @on see the new
 * connection. After a loss all unanswered requests get their results at once: the owners must not
 * wait for a connection that may never return. */
static void deliver_session_event(struct ha_zk_client *c, const struct zk_item *it, int64_t now_us,
                                  ha_zk_event_fn *on, void *user)
{
    struct ha_zk_event ev = {.kind = it->kind,
                             .path = it->path,
                             .session = it->session.client_id,
                             .timeout_us = it->timeout_us};

    if (it->kind != HA_ZK_WATCH)
        c->connected = it->kind == HA_ZK_CONNECTED;
    if (it->kind == HA_ZK_CONNECTED) {
        c->id = it->session;
        c->timeout_us = it->timeout_us;
        reset_connect_patience(c);
        snprintf(c->peer, sizeof c->peer, "%s", it->peer);
    }
    on(user, &ev);
    if (it->kind == HA_ZK_DISCONNECTED) {
        c->give_up_us = now_us + c->patience_us;
        end_unanswered_requests(c, HA_ZK_LOSS, on, user);
    }
    if (it->kind == HA_ZK_SESSION_OVER) {
        bool refused = zoo_state(c->zh) == ZOO_AUTH_FAILED_STATE;

        end_unanswered_requests(c, HA_ZK_EXPIRED, on, user);
        close_session(c);
        c->id = (clientid_t){0};
        c->open_us = now_us + (refused ? REOPEN_US : 0);
    }
}

static void deliver_item(struct ha_zk_client *c, struct zk_item *it, int64_t now_us,
                         ha_zk_event_fn *on, void *user)
{
    if (it->kind != HA_ZK_RESULT) {
        if (c->session && it->generation == c->generation)
            deliver_session_event(c, it, now_us, on, user);
    } else if (!it->request->settled) {
        struct ha_zk_event ev = {.kind = HA_ZK_RESULT};

        zk_request_fill_event(it->request, &ev);
        on(user, &ev);
    }
    free_item(c, it);
}

/* If a server accepts the connection but says nothing (cut off, or just starting), libzookeeper
 * waits for 2/3 of the time-out, as long as a whole lease lasts. So the handle is dropped, and
 * another one resumes the session at any server. If the answer arrives at that very moment, closing
 * the handle closes the session, and a new session begins. */
static void replace_stalled_connection(struct ha_zk_client *c, int64_t now_us)
{
    int state = zoo_state(c->zh);

    if (state != ZOO_CONNECTED_STATE && state != ZOO_EXPIRED_SESSION_STATE &&
        state != ZOO_AUTH_FAILED_STATE) {
        if (c->patience_us < c->timeout_us / 3)
            c->patience_us *= 2;
        close_session(c);
        open_session(c, now_us);
    }
    c->give_up_us = now_us + c->patience_us;
}

void ha_zk_client_deliver_events(struct ha_zk_client *c, int64_t now_us, ha_zk_event_fn *on,
                                 void *user)
{
    struct zk_item *next;

    for (struct zk_item *it = take_queue(c); it; it = next) {
        next = it->next;
        deliver_item(c, it, now_us, on, user);
    }
    if (!c->zh && now_us >= c->open_us)
        open_session(c, now_us);
    else if (c->zh && !c->connected && now_us >= c->give_up_us)
        replace_stalled_connection(c, now_us);
}

int64_t ha_zk_client_next_timer_us(const struct ha_zk_client *c)
{
    return !c->zh ? c->open_us : c->connected ? INT64_MAX : c->give_up_us;
}

const char *ha_zk_client_short_auth_id(const struct ha_zk_client *c)
{
    return c->auth_id;
}

void ha_zk_client_describe_connection(const struct ha_zk_client *c, char *out, size_t size)
{
    if (c->connected) {
        snprintf(out, size, "connected to %s, session 0x%llx", c->peer,
                 (unsigned long long)c->id.client_id);
        return;
    }
    pthread_mutex_lock(&trouble_lock);
    snprintf(out, size, "no server of %s answers%s%s%s", c->servers, trouble[0] ? " (" : "",
             trouble, trouble[0] ? ")" : "");
    pthread_mutex_unlock(&trouble_lock);
}
