#include "tests/e2e/fake_mr.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/server.h"
#include "base/crypto/container_token.h"
#include "base/crypto/keyring.h"
#include "base/io/io.h"
#include "base/io/json.h"

struct place {
    int attempt;
    int64_t version; /* 0: not named */
    char container[128], instead[128];
    uint16_t port;
};
struct fake_mr {
    struct api_server *server;
    pthread_mutex_t lock;
    char root[1024];
    struct place *places;
    int maps;
    int64_t version;
    bool away, refuse, standby;
    char active[256];
    json_t *committed;  /* task -> attempt */
    json_t *complained; /* set of containers */
    char missing[128];  /* the container given to fake_mr_hold_missing() */
    int missed;         /* how often its output was fetched */
    struct api_request *held;
    int polls, fetches, complaints, wrong_tokens, asked;
};

static void send_json(struct api_request *rq, json_t *j)
{
    struct base_buf b = {0};

    base_json_dump(j, &b);
    json_decref(j);
    api_answer(rq, 200, API_JSON, &b);
}

static json_t *body_of(struct api_request *rq)
{
    size_t len;
    const char *text = api_body(rq, &len);
    json_t *j = NULL;

    base_json_parse(text ? text : "", len, &j, NULL);
    return j;
}

/* Lock held. True when the request was answered. */
static bool turned_away(struct fake_mr *m, struct api_request *rq, bool of_rm)
{
    const char *key = api_signing_key_id(rq);

    m->asked += of_rm;
    if (of_rm && m->standby && m->active[0]) {
        struct base_buf none = {0};
        char *to = base_printf("%s%s", m->active, api_path(rq));

        api_add_header(rq, "Location", to);
        api_answer(rq, 307, API_TEXT, &none);
        free(to);
        return true;
    }
    if (of_rm && (m->away || m->standby)) {
        api_answer_error(rq, 503, "IOException", "away");
        return true;
    }
    if (key == NULL || strcmp(key, FAKE_MR_KEY) != 0) {
        m->wrong_tokens++;
        api_answer_error(rq, 403, "ForbiddenException", "token");
        return true;
    }
    return false;
}

static void on_outputs(struct api_request *rq, void *user)
{
    struct fake_mr *m = user;
    const char *since_text = api_query(rq, "since");
    int64_t since = since_text ? strtoll(since_text, NULL, 10) : 0;
    json_t *list = json_array(), *reply = json_object();
    int done = 0;

    pthread_mutex_lock(&m->lock);
    m->polls++;
    if (turned_away(m, rq, true)) {
        pthread_mutex_unlock(&m->lock);
        json_decref(list);
        json_decref(reply);
        return;
    }
    for (int i = 0; i < m->maps; i++) {
        const struct place *p = &m->places[i];
        char node[64];
        json_t *o;

        done += p->version > 0;
        if (p->version <= since)
            continue;
        o = json_object();
        snprintf(node, sizeof node, "127.0.0.1:%u", p->port ? p->port : api_server_port(m->server));
        json_object_set_new(o, "map", json_integer(i));
        json_object_set_new(o, "attempt", json_integer(p->attempt));
        json_object_set_new(o, "container", json_string(p->container));
        json_object_set_new(o, "node", json_string(node));
        json_array_append_new(list, o);
    }
    json_object_set_new(reply, "version", json_integer(m->version));
    json_object_set_new(reply, "maps", json_integer(m->maps));
    json_object_set_new(reply, "done", json_integer(done));
    json_object_set_new(reply, "outputs", list);
    pthread_mutex_unlock(&m->lock);
    send_json(rq, reply);
}

static void publish(struct fake_mr *m, int map, int attempt, const char *container, uint16_t port)
{
    struct place *p = &m->places[map];

    p->attempt = attempt;
    p->version = ++m->version;
    p->port = port;
    snprintf(p->container, sizeof p->container, "%s", container);
}

static void answer_missing(struct api_request *rq)
{
    api_answer_error(rq, 404, "NotFoundException", "no such output");
}

/* Lock held. */
static void let_go(struct fake_mr *m)
{
    if (m->held)
        answer_missing(m->held);
    m->held = NULL;
}

static void on_complaint(struct api_request *rq, void *user)
{
    struct fake_mr *m = user;
    json_t *j = body_of(rq);
    int map = (int)json_integer_value(json_object_get(j, "map"));
    const char *about = json_string_value(json_object_get(j, "container"));

    pthread_mutex_lock(&m->lock);
    if (!turned_away(m, rq, true)) {
        struct base_buf none = {0};
        struct place *p = &m->places[map];

        m->complaints++;
        json_object_set_new(m->complained, about ? about : "", json_true());
        if (about && strcmp(about, m->missing) == 0)
            let_go(m);
        if (p->instead[0] != '\0') {
            char container[128];
            snprintf(container, sizeof container, "%s", p->instead);
            p->instead[0] = '\0';
            publish(m, map, p->attempt + 1, container, 0);
        }
        api_answer(rq, 204, API_JSON, &none);
    }
    pthread_mutex_unlock(&m->lock);
    json_decref(j);
}

static void on_commit(struct api_request *rq, void *user)
{
    struct fake_mr *m = user;
    json_t *j = body_of(rq), *reply = json_object(), *attempt = json_object_get(j, "taskAttempt"),
           *holder;
    const char *task = json_string_value(json_object_get(j, "task"));

    pthread_mutex_lock(&m->lock);
    if (turned_away(m, rq, true)) {
        pthread_mutex_unlock(&m->lock);
        json_decref(j);
        json_decref(reply);
        return;
    }
    holder = json_object_get(m->committed, task);
    if (holder == NULL && !m->refuse) {
        json_object_set(m->committed, task, attempt);
        holder = attempt;
    }
    json_object_set_new(reply, "commit",
                        json_boolean(holder != NULL && json_equal(holder, attempt)));
    pthread_mutex_unlock(&m->lock);
    json_decref(j);
    send_json(rq, reply);
}

/* Line @part of file.index. */
static bool find_partition(const char *index_path, long part, long long *offset, long long *length)
{
    FILE *f = fopen(index_path, "r");
    long long records;
    bool found = false;

    if (f == NULL)
        return false;
    for (long i = 0; i <= part; i++)
        found = fscanf(f, "%lld %lld %lld", offset, length, &records) == 3;
    fclose(f);
    return found;
}

static void miss(struct fake_mr *m, struct api_request *rq)
{
    const char *container = api_path_arg(rq, 0);

    pthread_mutex_lock(&m->lock);
    if (strcmp(container, m->missing) == 0 && m->missed++ && !m->held &&
        !json_object_get(m->complained, container)) {
        api_park(rq);
        m->held = rq;
    } else {
        answer_missing(rq);
    }
    pthread_mutex_unlock(&m->lock);
}

static void on_fetch(struct api_request *rq, void *user)
{
    struct fake_mr *m = user;
    char path[2048];
    long long offset, length;
    int fd;

    pthread_mutex_lock(&m->lock);
    if (turned_away(m, rq, false)) {
        pthread_mutex_unlock(&m->lock);
        return;
    }
    m->fetches++;
    pthread_mutex_unlock(&m->lock);
    snprintf(path, sizeof path, "%s/%s/output/file.index", m->root, api_path_arg(rq, 0));
    if (!find_partition(path, strtol(api_path_arg(rq, 1), NULL, 10), &offset, &length)) {
        miss(m, rq);
        return;
    }
    snprintf(path, sizeof path, "%s/%s/output/file.out", m->root, api_path_arg(rq, 0));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)offset, (uint64_t)length);
}

static const struct api_route routes[] = {
    {"GET", "/ws/v1/nodetracker/apps/{app}/mapoutputs", API_ROLE_READ, 0, on_outputs,
     API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/apps/{app}/fetch-failure", API_ROLE_READ, 65536, on_complaint,
     API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/commit", API_ROLE_READ, 65536, on_commit, API_ROUTE_CREEL},
    {"GET", "/ws/v1/node/mapoutput/{container}/{partition}", API_ROLE_READ, 0, on_fetch,
     API_ROUTE_CREEL},
};

static bool find_key(const char *id, struct base_key *out, void *user)
{
    (void)user;
    return strcmp(id, FAKE_MR_KEY) == 0 && base_container_token_parse_key(FAKE_MR_TOKEN, out);
}

struct fake_mr *fake_mr_start(const char *root, int maps)
{
    const struct base_key other = {.id = "of-daemons"};
    const struct api_server_conf conf = {.bind = "127.0.0.1",
                                         .threads = 2,
                                         .keys = base_keyring_new_of_key(&other),
                                         .find_key = find_key};
    struct fake_mr *m = base_alloc(sizeof *m);
    struct base_error err = {0};

    pthread_mutex_init(&m->lock, NULL);
    snprintf(m->root, sizeof m->root, "%s", root);
    m->maps = maps;
    m->places = base_alloc((size_t)maps * sizeof *m->places);
    m->committed = json_object();
    m->complained = json_object();
    if (api_server_start(&conf, routes, sizeof routes / sizeof *routes, m, &m->server, &err) < 0) {
        fprintf(stderr, "fake_mr: %s\n", err.text);
        abort();
    }
    base_keyring_unref(conf.keys);
    return m;
}

void fake_mr_stop(struct fake_mr *m)
{
    api_server_stop(m->server);
    pthread_mutex_destroy(&m->lock);
    json_decref(m->committed);
    json_decref(m->complained);
    free(m->places);
    free(m);
}

uint16_t fake_mr_port(const struct fake_mr *m)
{
    return api_server_port(m->server);
}

void fake_mr_publish(struct fake_mr *m, int map, int attempt, const char *container, uint16_t port)
{
    pthread_mutex_lock(&m->lock);
    publish(m, map, attempt, container, port);
    pthread_mutex_unlock(&m->lock);
}

void fake_mr_on_complaint(struct fake_mr *m, int map, const char *container)
{
    pthread_mutex_lock(&m->lock);
    snprintf(m->places[map].instead, sizeof m->places[map].instead, "%s", container);
    pthread_mutex_unlock(&m->lock);
}

void fake_mr_hold_missing(struct fake_mr *m, const char *container)
{
    pthread_mutex_lock(&m->lock);
    let_go(m);
    snprintf(m->missing, sizeof m->missing, "%s", container);
    m->missed = 0;
    pthread_mutex_unlock(&m->lock);
}

bool fake_mr_complained(struct fake_mr *m, const char *container)
{
    bool found;

    pthread_mutex_lock(&m->lock);
    found = json_object_get(m->complained, container) != NULL;
    pthread_mutex_unlock(&m->lock);
    return found;
}

void fake_mr_set_away(struct fake_mr *m, bool away)
{
    pthread_mutex_lock(&m->lock);
    m->away = away;
    m->version = 0;
    for (int i = 0; i < m->maps; i++)
        if (m->places[i].version > 0)
            m->places[i].version = ++m->version;
    pthread_mutex_unlock(&m->lock);
}

void fake_mr_stand_by(struct fake_mr *m, const char *active)
{
    pthread_mutex_lock(&m->lock);
    m->standby = active != NULL;
    snprintf(m->active, sizeof m->active, "%s", active != NULL ? active : "");
    pthread_mutex_unlock(&m->lock);
}

void fake_mr_give_up(struct fake_mr *m, const char *task)
{
    pthread_mutex_lock(&m->lock);
    json_object_del(m->committed, task);
    pthread_mutex_unlock(&m->lock);
}

void fake_mr_set_refuse(struct fake_mr *m, bool refuse)
{
    pthread_mutex_lock(&m->lock);
    m->refuse = refuse;
    pthread_mutex_unlock(&m->lock);
}

static int count_of(struct fake_mr *m, const int *count)
{
    int n;

    pthread_mutex_lock(&m->lock);
    n = *count;
    pthread_mutex_unlock(&m->lock);
    return n;
}

int fake_mr_polls(struct fake_mr *m)
{
    return count_of(m, &m->polls);
}

int fake_mr_asked(struct fake_mr *m)
{
    return count_of(m, &m->asked);
}

int fake_mr_fetches(struct fake_mr *m)
{
    return count_of(m, &m->fetches);
}

int fake_mr_complaints(struct fake_mr *m)
{
    return count_of(m, &m->complaints);
}

int fake_mr_wrong_tokens(struct fake_mr *m)
{
    return count_of(m, &m->wrong_tokens);
}
