/* tests/e2e/test_nm_rpc.c - masters that speak Hadoop RPC start, stop and look at containers on a
 * real NodeManager.
 *
 * Goal: such a container runs with what its launch context says, is reported, stopped, killed and
 * recovered; a call with a token that is false, of another node or made with another key is refused
 * as YARN refuses it, and so is each container that the caller may not start; nothing is started
 * then.
 * Method: a client of Hadoop RPC in C, real sockets, the fake ResourceManager, whose keys the test
 * knows. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hadoop/identifiers.h"
#include "nodemanager/rpc/container.pb-c.h"
#include "tests/e2e/rpc_client.h"
#include "tests/fault/nm_fixture.h"
#include "tests/unit/cunit_main.h"

#define PROTOCOL  "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"
#define YARN      "org.apache.hadoop.yarn.exceptions."
#define TOKEN     "org.apache.hadoop.security.token.SecretManager$InvalidToken"
#define NM_KEY    "nm key 1"
#define CT_KEY    "ct key 1"
#define NM_KEY_ID 5
#define CT_KEY_ID (-6)
#define RM_ID     77
#define KEYS                                                                                       \
    "\"hadoopKeys\":{\"nmToken\":[{\"id\":5,\"salt\":\"bm0ga2V5IDE=\"}],"                          \
    "\"containerToken\":[{\"id\":-6,\"salt\":\"Y3Qga2V5IDE=\"}],\"rmIdentifier\":77}"

static struct fx *fx;
static struct rpc_client client; /* of attempt 1 of the application */

static int port(void)
{
    return fake_rm_hadoop_port(fx->rm, 0);
}

static int64_t wall_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}

static struct base_container_id container(int app, int n)
{
    return (struct base_container_id){{{getpid(), app}, 1}, n};
}

static const char *text_of(int app, int n)
{
    static char text[BASE_ID_TEXT_MAX];
    struct base_container_id id = container(app, n);

    return base_container_id_text(&id, text);
}

/* ---- tokens ---- */

struct nm_token_case {
    const char *host, *key;
    int32_t port_off, key_id;
    bool garbage;
};

/* Opens a connection with an NMToken as @t says. Returns the refusal as rpc_client_open() does. */
static char *open_with(struct rpc_client *c, int app, const struct nm_token_case *t)
{
    struct base_hadoop_nm_id id = {.attempt = container(app, 0).attempt,
                                   .port = port() + t->port_off,
                                   .submitter = "ann",
                                   .key_id = t->key_id};
    unsigned char password[BASE_SHA1_BYTES];
    struct base_buf bytes = {0};
    char *refusal;

    snprintf(id.host, sizeof id.host, "%s", t->host);
    if (t->garbage)
        base_buf_add(&bytes, "\x0a\xff\xff", 3);
    else
        base_hadoop_nm_id_add(&id, &bytes);
    base_hadoop_compute_password(t->key, strlen(t->key), bytes.data, bytes.len, password);
    refusal = rpc_client_open(c, port(), bytes.data, bytes.len, password, sizeof password);
    base_buf_free(&bytes);
    return refusal;
}

static const struct nm_token_case right = {"127.0.0.1", NM_KEY, 0, NM_KEY_ID, false};

static struct rpc_client open_as_app(int app)
{
    struct rpc_client c;

    CU_ASSERT_PTR_NULL_FATAL(open_with(&c, app, &right));
    return c;
}

/* What is asked for one container. */
struct start {
    int app, n;
    const char *command; /* NULL: exec sleep 1000 */
    /* of the token; zero: as it should be */
    const char *key, *node;
    int64_t expires_in_ms, rm_identifier;
    int32_t key_id;
    bool garbage, no_token, bad_variable;
    const char *service, *service_data; /* NULL: none */
    /* the class that must be answered for this container; NULL: it must be started */
    const char *exception, *words;
};

static void put_container_token(const struct start *s, struct base_buf *identifier,
                                unsigned char password[static BASE_SHA1_BYTES])
{
    const char *key = s->key ? s->key : CT_KEY;
    struct base_hadoop_container_id id = {
        .container = container(s->app, s->n),
        .submitter = "ann",
        .memory_mb = 512,
        .vcores = 1,
        .expiry_ms = wall_ms() + (s->expires_in_ms ? s->expires_in_ms : 600000),
        .key_id = s->key_id ? s->key_id : CT_KEY_ID,
        .rm_identifier = s->rm_identifier ? s->rm_identifier : RM_ID,
        .priority = 3,
        .created_ms = wall_ms(),
        .allocation = BASE_HADOOP_NO_ALLOCATION};

    if (s->node)
        snprintf(id.node, sizeof id.node, "%s", s->node);
    else
        snprintf(id.node, sizeof id.node, "127.0.0.1:%d", port());
    if (s->garbage)
        base_buf_add(identifier, "\x0a\xff\xff", 3);
    else
        base_hadoop_container_id_add(&id, identifier);
    base_hadoop_compute_password(key, strlen(key), identifier->data, identifier->len, password);
}

/* ---- calls ---- */

#define STARTS_MAX 12

/* A request to start containers; in one struct, since its parts point to each other. */
struct request {
    Nm__StartContainers rq;
    Nm__StartRequest one[STARTS_MAX], *list[STARTS_MAX];
    Nm__LaunchContext context[STARTS_MAX];
    Nm__Token token[STARTS_MAX];
    Nm__Variable env[2], *envs[2], bad, *bads[1];
    Nm__ServiceData service[STARTS_MAX], *services[STARTS_MAX];
    struct base_buf identifier[STARTS_MAX];
    unsigned char password[STARTS_MAX][BASE_SHA1_BYTES];
    char *commands[STARTS_MAX][2];
};

static void put_context(const struct start *s, size_t i, struct request *r)
{
    Nm__LaunchContext *c = &r->context[i];

    nm__launch_context__init(c);
    r->commands[i][0] = (char *)(s->command ? s->command : "exec sleep");
    r->commands[i][1] = (char *)(s->command ? "{{B}} >> <LOG_DIR>/stdout" : "1000");
    c->commands = r->commands[i];
    c->n_commands = 2;
    c->env = s->bad_variable ? r->bads : r->envs;
    c->n_env = s->bad_variable ? 1 : 2;
    nm__service_data__init(&r->service[i]);
    r->service[i].key = (char *)s->service;
    if (s->service_data) {
        r->service[i].has_value = true;
        r->service[i].value.data = (uint8_t *)s->service_data;
        r->service[i].value.len = strlen(s->service_data);
    }
    r->services[i] = &r->service[i];
    c->service_data = &r->services[i];
    c->n_service_data = s->service != NULL;
    c->has_tokens = true;
    c->tokens.data = (uint8_t *)"HDTS\0\0\0";
    c->tokens.len = 7;
}

static void request_make(struct request *r, const struct start *starts, size_t n)
{
    nm__start_containers__init(&r->rq);
    nm__variable__init(&r->env[0]);
    nm__variable__init(&r->env[1]);
    nm__variable__init(&r->bad);
    r->env[0].key = "A";
    r->env[0].value = "from the context";
    r->env[1].key = "B";
    r->env[1].value = "$A too";
    r->envs[0] = &r->env[1]; /* needs the other one */
    r->envs[1] = &r->env[0];
    r->bad.key = "A=B";
    r->bads[0] = &r->bad;
    r->rq.requests = r->list;
    for (size_t i = 0; i < n; i++) {
        nm__start_request__init(&r->one[i]);
        nm__token__init(&r->token[i]);
        r->identifier[i] = (struct base_buf){0};
        put_container_token(&starts[i], &r->identifier[i], r->password[i]);
        r->token[i].identifier.data = (uint8_t *)r->identifier[i].data;
        r->token[i].identifier.len = r->identifier[i].len;
        r->token[i].password.data = r->password[i];
        r->token[i].password.len = BASE_SHA1_BYTES;
        r->token[i].kind = "ContainerToken";
        r->token[i].service = "";
        put_context(&starts[i], i, r);
        r->one[i].context = &r->context[i];
        r->one[i].token = starts[i].no_token ? NULL : &r->token[i];
        r->list[r->rq.n_requests++] = &r->one[i];
    }
}

/* Calls startContainers. Returns the answer; NULL with *@exception, which the caller frees, when
 * the whole call is refused. */
static Nm__Started *call_start(struct rpc_client *c, const struct start *starts, size_t n,
                               char **exception)
{
    struct request *r = base_alloc(sizeof *r);
    Nm__Started *started = NULL;
    struct rpc_answer a;

    request_make(r, starts, n);
    a = rpc_client_call(c, PROTOCOL, "startContainers", &r->rq.base);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    if (a.header->status == API_RPC_SUCCESS)
        started = nm__started__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    else
        *exception = base_strdup(a.header->exception);
    rpc_answer_free(&a);
    for (size_t i = 0; i < n; i++)
        base_buf_free(&r->identifier[i]);
    free(r);
    return started;
}

static const Nm__Failure *find_failure(Nm__FailedContainer **v, size_t n, int64_t num)
{
    for (size_t i = 0; i < n; i++)
        if (v[i]->id->id == num)
            return v[i]->failure;
    return NULL;
}

static bool has_id(Nm__ContainerId **v, size_t n, int64_t num)
{
    for (size_t i = 0; i < n; i++)
        if (v[i]->id == num)
            return true;
    return false;
}

/* Every answer names the port of the shuffle, as in YARN. */
static void check_services(const Nm__Started *a)
{
    const Nm__ServiceData *d;

    CU_ASSERT_EQUAL_FATAL(a->n_service_meta_data, 1);
    d = a->service_meta_data[0];
    CU_ASSERT_STRING_EQUAL(d->key, "mapreduce_shuffle");
    CU_ASSERT_EQUAL_FATAL(d->value.len, 4);
    CU_ASSERT_EQUAL(d->value.data[0] << 8 | d->value.data[1], 0);
    CU_ASSERT_NOT_EQUAL(d->value.data[2] << 8 | d->value.data[3], 0);
}

/* Starts containers and checks what is answered for each. */
static void start(struct rpc_client *c, const struct start *starts, size_t n)
{
    char *exception = NULL;
    Nm__Started *a = call_start(c, starts, n, &exception);

    if (!a)
        printf("\n  refused: %s\n", exception);
    free(exception);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    for (size_t i = 0; i < n; i++) {
        const Nm__Failure *f = find_failure(a->failed, a->n_failed, starts[i].n);

        CU_ASSERT_EQUAL(has_id(a->succeeded, a->n_succeeded, starts[i].n), !starts[i].exception);
        CU_ASSERT_EQUAL(f != NULL, starts[i].exception != NULL);
        if (f && starts[i].exception) {
            CU_ASSERT_STRING_EQUAL(f->class_name, starts[i].exception);
            if (!strstr(f->message, starts[i].words))
                printf("\n  %d: %s\n", starts[i].n, f->message);
            CU_ASSERT_PTR_NOT_NULL(strstr(f->message, starts[i].words));
        } else if (f) {
            printf("\n  %d: %s: %s\n", starts[i].n, f->class_name, f->message);
        }
    }
    check_services(a);
    nm__started__free_unpacked(a, NULL);
}

/* Stops a container, or asks for its state, with @method. Returns the answer's body. */
static struct rpc_answer call_about(struct rpc_client *c, const char *method, int app, int n)
{
    Nm__Containers rq = NM__CONTAINERS__INIT;
    Nm__ContainerId id = NM__CONTAINER_ID__INIT, *ids[] = {&id};
    Nm__AttemptId attempt = NM__ATTEMPT_ID__INIT;
    Nm__AppId of = NM__APP_ID__INIT;
    struct rpc_answer a;

    of.has_id = of.has_cluster = attempt.has_attempt = id.has_id = true;
    of.id = app;
    of.cluster = getpid();
    attempt.app = &of;
    attempt.attempt = 1;
    id.attempt = &attempt;
    id.id = n;
    rq.ids = ids;
    rq.n_ids = 1;
    a = rpc_client_call(c, PROTOCOL, method, &rq.base);
    CU_ASSERT_FATAL(a.header && a.header->status == API_RPC_SUCCESS);
    return a;
}

/* @words: of the failure; NULL: it must succeed. */
static void stop(struct rpc_client *c, int app, int n, const char *words)
{
    struct rpc_answer a = call_about(c, "stopContainers", app, n);
    Nm__Stopped *m = nm__stopped__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    const Nm__Failure *f;

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    f = find_failure(m->failed, m->n_failed, n);
    CU_ASSERT_EQUAL(has_id(m->succeeded, m->n_succeeded, n), !words);
    CU_ASSERT_EQUAL(f != NULL, words != NULL);
    if (f && words) {
        CU_ASSERT_STRING_EQUAL(f->class_name, YARN "YarnException");
        CU_ASSERT_PTR_NOT_NULL(strstr(f->message, words));
    }
    nm__stopped__free_unpacked(m, NULL);
    rpc_answer_free(&a);
}

/* Checks state, sub-state and exit status of a container. */
static void check_status(struct rpc_client *c, int n, int state, int sub_state, int exit_status)
{
    struct rpc_answer a = call_about(c, "getContainerStatuses", 1, n);
    Nm__Statuses *m = nm__statuses__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);

    CU_ASSERT_FATAL(m && m->n_statuses == 1 && m->n_failed == 0);
    CU_ASSERT_EQUAL(m->statuses[0]->id->id, n);
    CU_ASSERT_EQUAL(m->statuses[0]->state, state);
    CU_ASSERT_EQUAL(m->statuses[0]->sub_state, sub_state);
    CU_ASSERT_EQUAL(m->statuses[0]->exit_status, exit_status);
    CU_ASSERT_EQUAL(m->statuses[0]->capability->memory, 512);
    nm__statuses__free_unpacked(m, NULL);
    rpc_answer_free(&a);
}

static void check_no_status(struct rpc_client *c, int app, int n, const char *words)
{
    struct rpc_answer a = call_about(c, "getContainerStatuses", app, n);
    Nm__Statuses *m = nm__statuses__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);

    CU_ASSERT_FATAL(m && m->n_statuses == 0 && m->n_failed == 1);
    CU_ASSERT_STRING_EQUAL(m->failed[0]->failure->class_name, YARN "YarnException");
    CU_ASSERT_PTR_NOT_NULL(strstr(m->failed[0]->failure->message, words));
    nm__statuses__free_unpacked(m, NULL);
    rpc_answer_free(&a);
}

static void wait_running(int app, int n)
{
    json_t *report = fake_rm_wait_state(fx->rm, text_of(app, n), "running", FX_WAIT_MS);

    CU_ASSERT_PTR_NOT_NULL(report);
    json_decref(report);
}

static bool was_started(int app, int n)
{
    return fx_exists("%s/records/%s/%s", fx->local[0], fx_app(), text_of(app, n));
}

/* ---- tests ---- */

/* Before the keys come, clients wait; then they are served. */
static void test_early_client(void)
{
    struct rpc_client early;
    struct base_buf b = {0};
    struct rpc_answer a;

    CU_ASSERT(port() > 0);
    rpc_client_connect(&early, port());
    base_buf_add(&b, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES);
    rpc_sasl_add(&b, 1, NULL, NULL);
    rpc_client_send(&early, &b);
    fake_rm_add_to_answers(fx->rm, KEYS);
    fake_rm_order(fx->rm, 0, "{\"type\":\"resync\"}");
    a = rpc_client_read(&early);
    CU_ASSERT(a.header && a.header->status == API_RPC_SUCCESS);
    rpc_answer_free(&a);
    rpc_client_close(&early);
}

static void test_life(void)
{
    struct start s = {.app = 1, .n = 2, .command = "echo $NM_PORT \"$A\""};
    char *text, *path, *wanted = base_printf("%d from the context from the context too\n", port());

    client = open_as_app(1);
    start(&client, &s, 1);
    CU_ASSERT_EQUAL(fx_exit_code(fx, text_of(1, 2)), 0);
    text = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), text_of(1, 2));
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, wanted);
    free(text);
    free(wanted);
    path =
        base_printf("%s/apps/%s/%s/work/container_tokens", fx->local[0], fx_app(), text_of(1, 2));
    CU_ASSERT(fx_exists("%s", path));
    free(path);
    check_status(&client, 2, 3, 5, 0);
    s = (struct start){.app = 1,
                       .n = 3,
                       .service = "mapreduce_shuffle",
                       /* identifier, password, kind and service */
                       .service_data = "\1i\3pwd\1k\1s"};
    start(&client, &s, 1);
    wait_running(1, 3);
    text = fx_file("%s/records/%s/shuffle", fx->local[0], fx_app());
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, "pwd");
    free(text);
    check_status(&client, 3, 2, 2, -1000);
}

static void test_false_nm_tokens(void)
{
    static const struct nm_token_case cases[] = {
        {"127.0.0.1", "other key", 0, NM_KEY_ID, false}, {"other", NM_KEY, 0, NM_KEY_ID, false},
        {"127.0.0.1", NM_KEY, 1, NM_KEY_ID, false},      {"127.0.0.1", NM_KEY, 0, 99, false},
        {"127.0.0.1", CT_KEY, 0, CT_KEY_ID, false},      {"127.0.0.1", NM_KEY, 0, NM_KEY_ID, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpc_client c;
        char *refusal = open_with(&c, 1, &cases[i]);

        CU_ASSERT_PTR_NOT_NULL_FATAL(refusal);
        CU_ASSERT_STRING_EQUAL(refusal, TOKEN);
        free(refusal);
    }
}

/* One false container token refuses the whole call. */
static void test_false_container_tokens(void)
{
    static const struct {
        struct start s;
        const char *exception;
    } cases[] = {
        {{.app = 1, .n = 11, .key = "other key"}, TOKEN},
        {{.app = 1, .n = 11, .key = NM_KEY, .key_id = NM_KEY_ID}, TOKEN},
        {{.app = 1, .n = 11, .node = "127.0.0.1:1"}, TOKEN},
        {{.app = 1, .n = 11, .garbage = true}, YARN "YarnException"},
        {{.app = 1, .n = 11, .no_token = true}, YARN "YarnException"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct start both[] = {{.app = 1, .n = 10}, cases[i].s};
        char *exception = NULL;

        CU_ASSERT_PTR_NULL(call_start(&client, both, 2, &exception));
        CU_ASSERT_PTR_NOT_NULL_FATAL(exception);
        CU_ASSERT_STRING_EQUAL(exception, cases[i].exception);
        free(exception);
    }
    CU_ASSERT_FALSE(was_started(1, 10));
    CU_ASSERT_FALSE(was_started(1, 11));
}

/* Each container fails for itself; the right one between them is started. */
static void test_refused_containers(void)
{
    static const struct start starts[] = {
        {.app = 1, .n = 3, .exception = YARN "YarnException", .words = "relaunch the same"},
        {.app = 2, .n = 20, .exception = YARN "YarnException", .words = "was used for starting"},
        {.app = 1, .n = 22},
        {.app = 1,
         .n = 23,
         .expires_in_ms = -1000,
         .exception = YARN "YarnException",
         .words = "This token is expired"},
        {.app = 1,
         .n = 24,
         .rm_identifier = 76,
         .exception = YARN "InvalidContainerException",
         .words = "allocated by a previous RM"},
        {.app = 1,
         .n = 25,
         .service = "spark_shuffle",
         .exception = YARN "InvalidAuxServiceException",
         .words = "The auxService:spark_shuffle does not exist"},
        {.app = 1,
         .n = 26,
         .bad_variable = true,
         .exception = YARN "YarnException",
         .words = "A=B"},
        {.app = 1,
         .n = 27,
         .service = "mapreduce_shuffle",
         .service_data = "no token",
         .exception = YARN "YarnException",
         .words = "service data mapreduce_shuffle"},
    };

    start(&client, starts, sizeof starts / sizeof *starts);
    wait_running(1, 22);
    CU_ASSERT_FALSE(was_started(1, 23));
    CU_ASSERT_FALSE(was_started(1, 24));
    CU_ASSERT_FALSE(was_started(1, 25));
    CU_ASSERT_FALSE(was_started(1, 26));
    CU_ASSERT_FALSE(was_started(1, 27));
}

static void test_stop(void)
{
    struct rpc_client other = open_as_app(2);

    stop(&other, 1, 3, "attempted to stop non-application container");
    check_no_status(&other, 1, 3, "attempted to get status for non-application container");
    rpc_client_close(&other);
    check_status(&client, 3, 2, 2, -1000); /* it goes on */
    stop(&client, 1, 3, NULL);
    CU_ASSERT_EQUAL(fx_exit_code(fx, text_of(1, 3)), -105);
    check_status(&client, 3, 3, 5, -105);
    stop(&client, 1, 3, NULL); /* it has ended already */
    stop(&client, 1, 99, "is not handled by this NodeManager");
    check_no_status(&client, 1, 99, "is not handled by this NodeManager");
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"why\"}",
                  text_of(1, 22));
    CU_ASSERT_EQUAL(fx_exit_code(fx, text_of(1, 22)), -106);
}

static void test_other_methods(void)
{
    Nm__Containers none = NM__CONTAINERS__INIT;
    struct rpc_answer a = rpc_client_call(&client, PROTOCOL, "updateContainer", &none.base);

    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_STRING_EQUAL(a.header->exception, "org.apache.hadoop.ipc.RpcNoSuchMethodException");
    rpc_answer_free(&a);
}

/* A restarted NodeManager has the same port, knows what was started, and still stops it. */
static void test_restart(void)
{
    struct start s = {.app = 1, .n = 30};
    int before = port();

    start(&client, &s, 1);
    wait_running(1, 30);
    rpc_client_close(&client);
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(port(), before);
    client = open_as_app(1);
    check_status(&client, 30, 2, 2, -1000);
    s.exception = YARN "YarnException";
    s.words = "relaunch the same";
    start(&client, &s, 1);
    s = (struct start){
        .app = 1, .n = 2, .exception = YARN "YarnException", .words = "relaunch the same"};
    start(&client, &s, 1);
    stop(&client, 1, 30, NULL);
    CU_ASSERT_EQUAL(fx_exit_code(fx, text_of(1, 30)), -105);
}

static const char *mark_of(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/records/%s/%s/%s", fx->local[0], fx_app(), text_of(1, 31),
             name);
    return path;
}

/* A NodeManager that was killed between the marks of a stop has not stopped the container: who has
 * it killed later counts. */
static void test_half_stopped(void)
{
    struct start s = {.app = 1, .n = 31};
    FILE *mark;

    start(&client, &s, 1);
    wait_running(1, 31);
    rpc_client_close(&client);
    fx_kill(fx, 0, SIGKILL);
    mark = fopen(mark_of("stopped"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mark);
    fclose(mark);
    fx_start(fx, 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\"}", text_of(1, 31));
    CU_ASSERT_EQUAL(fx_exit_code(fx, text_of(1, 31)), -106);
    CU_ASSERT_EQUAL(access(mark_of("killed"), F_OK), 0);
    CU_ASSERT_EQUAL(access(mark_of("stopped"), F_OK), -1);
    client = open_as_app(1);
}

static bool is_cleaned_up(void *u)
{
    (void)u;
    return !fx_exists("%s/records/%s", fx->local[0], fx_app());
}

static void test_ended_app(void)
{
    struct start s = {
        .app = 1, .n = 40, .exception = YARN "YarnException", .words = "its application has ended"};

    fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":true}",
                  fx_app());
    CU_ASSERT(fx_until(is_cleaned_up, NULL));
    start(&client, &s, 1);
    CU_ASSERT_FALSE(was_started(1, 40));
    rpc_client_close(&client);
    fx_kill(fx, 0, SIGKILL); /* which leaves nothing of it but its logs */
    fx_start(fx, 0);
    client = open_as_app(1);
    start(&client, &s, 1);
    CU_ASSERT_FALSE(was_started(1, 40));
    rpc_client_close(&client);
}

static const struct cunit_case cases[] = {
    {"a client before the keys", test_early_client},
    {"life of a container", test_life},
    {"false tokens of masters", test_false_nm_tokens},
    {"false tokens of containers", test_false_container_tokens},
    {"refused containers", test_refused_containers},
    {"stop", test_stop},
    {"other methods", test_other_methods},
    {"restart", test_restart},
    {"half stopped", test_half_stopped},
    {"ended application", test_ended_app},
};

int main(int argc, char **argv)
{
    int failed;

    fx_programs(argc, argv);
    fx = fx_new();
    fx->conf[0][0] = "yarn.nodemanager.address=127.0.0.1:0";
    fx->conf[0][1] = "yarn.nodemanager.aux-services=mapreduce_shuffle";
    fx->conf[0][2] = "mapreduce.shuffle.port=0";
    fx_start(fx, 0);
    failed = cunit_main("masters over Hadoop RPC", cases, sizeof cases / sizeof *cases);
    fx_free(fx);
    return failed;
}
