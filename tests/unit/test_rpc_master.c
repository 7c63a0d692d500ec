/* Goal: a master that speaks Hadoop RPC proves its attempt by an AMRM token and by nothing else,
 * registers, gets containers with tokens that their nodes accept, learns of their ends once, and
 * finishes; what it must not do is refused with the Java class that tells it what to do.
 * Method: a daemon of this process over a store in memory and the port of masters over real
 * sockets; the test plays two nodes, of which one has a port of Hadoop RPC, and the master. */
#include <arpa/inet.h>
#include <unistd.h>

#include "api/rpc/digest_md5.h"
#include "api/rpc/rpc.h"
#include "base/crypto/base64.h"
#include "base/hadoop/identifiers.h"
#include "rm/core/admin/master_keys.h"
#include "rm/rpc/master.pb-c.h"
#include "rm/rpc/ports.h"
#include "tests/unit/master_over_http.h"
#include "tests/unit/rpc_frames.h"

#define PROTOCOL    "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
#define YARN        "org.apache.hadoop.yarn.exceptions."
#define HADOOP_PORT 45454
#define NODE        "{\"nodeId\":\"h2:1\",\"instance\":\"i2\","

static struct api_rpc_server *server;
static uint16_t port;
static json_t *registration; /* the answer to the second node */
static int64_t beats_2;
static struct base_attempt_id attempt;

/* ---- the port, the nodes ---- */

static void start_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    struct api_rpc_server_conf conf = {
        .connections_max = 20, .memory_max = 64 << 20, .user = rms[0].b, .ports_n = 1};
    struct base_error err = {0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 10), 0);
    CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    port = ntohs(a.sin_port);
    conf.ports[0] = (struct api_rpc_port){.listener = fd,
                                          .protocols = &rm_rpc_master_protocol,
                                          .protocols_n = 1,
                                          .session = {.find_password = rm_rpc_find_master_password,
                                                      .find_user = rms[0].b,
                                                      .frame_max = 1 << 20}};
    CU_ASSERT_EQUAL_FATAL(api_rpc_server_start(&conf, &server, &err), 0);
}

static void begin_all(void)
{
    char body[512];

    rms_set("yarn.resourcemanager.scheduler.address=127.0.0.1:0");
    begin();
    CU_ASSERT_EQUAL_FATAL(base_app_id_parse(app, &attempt.app, NULL), 0);
    attempt.attempt = 1;
    snprintf(body, sizeof body,
             NODE "\"httpAddress\":\"h2:9\",\"bootId\":\"b2\",\"version\":\"" CREEL_VERSION
                  "\",\"mapSlots\":4,\"reduceSlots\":1,\"hadoopPort\":%d}",
             HADOOP_PORT);
    registration = node("register", body);
    beats_2 = 0;
    start_port();
}

static void end_all(void)
{
    rms_end(0); /* answers what waits */
    api_rpc_server_stop(server);
    json_decref(registration);
    end();
}

/* The second node reports @containers. */
static void beat_2(const char *containers)
{
    char *body = base_printf(NODE "\"responseId\":%lld,\"holdMs\":0,\"healthy\":true,"
                                  "\"containers\":[%s]}",
                             (long long)beats_2, containers);
    json_t *answer = node("heartbeat", body);

    beats_2 = json_integer_value(json_object_get(answer, "responseId"));
    json_decref(answer);
    free(body);
}

static void beat_1(void)
{
    json_t *answer;
    char *running = base_printf("{\"id\":\"%s\",\"state\":\"running\"}", master_container);

    beat(running, &answer);
    json_decref(answer);
    free(running);
}

/* ---- the master's connection ---- */

struct master {
    int fd;
    int32_t calls;
    struct base_buf in;
};

static void send_all(int fd, struct base_buf *b)
{
    size_t at = 0;

    while (at < b->len) {
        ssize_t n = send(fd, b->data + at, b->len - at, MSG_NOSIGNAL);

        if (n <= 0)
            break;
        at += (size_t)n;
    }
    base_buf_free(b);
}

static struct rpc_answer receive(struct master *m)
{
    struct rpc_answer a;
    char bytes[4096];
    ssize_t n;

    while (!(a = rpc_answer_take(&m->in)).header && (n = recv(m->fd, bytes, sizeof bytes, 0)) > 0)
        base_buf_add(&m->in, bytes, (size_t)n);
    return a;
}

static void close_master(struct master *m)
{
    close(m->fd);
    base_buf_free(&m->in);
}

static void add_context(struct base_buf *out, const char *user)
{
    Rpc__Context context = RPC__CONTEXT__INIT;
    Rpc__User who = RPC__USER__INIT;

    who.effective = (char *)user;
    context.user = &who;
    context.protocol = PROTOCOL;
    rpc_frame_add(out, API_RPC_ID_CONTEXT, 1, &context.base, NULL);
}

static void connect_socket(struct master *m, const char *preamble)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    struct timeval patience = {.tv_sec = 30};
    struct base_buf out = {0};

    *m = (struct master){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    setsockopt(m->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    CU_ASSERT_EQUAL_FATAL(connect(m->fd, (struct sockaddr *)&a, sizeof a), 0);
    base_buf_add(&out, preamble, RPC_PREAMBLE_BYTES);
    send_all(m->fd, &out);
}

/* Writes the response to @challenge by one who knows @password. */
static void answer_challenge(const char *challenge, const struct base_buf *identifier,
                             const struct base_buf *password, struct base_buf *out)
{
    struct base_buf name = {0}, secret = {0};
    struct api_rpc_digest d = {.realm = "default", .cnonce = "Y25vbmNl", .uri = "/default"};
    const char *nonce = strstr(challenge, "nonce=\"") + 7;
    char hash[BASE_MD5_HEX];

    base_base64_encode(identifier->data, identifier->len, &name);
    base_base64_encode(password->data, password->len, &secret);
    d.username = name.data;
    d.nonce = base_strndup(nonce, strcspn(nonce, "\""));
    CU_ASSERT_TRUE(api_rpc_digest_compute(&d, secret.data, "AUTHENTICATE", hash));
    base_buf_addf(out,
                  "charset=utf-8,username=\"%s\",realm=\"default\",nonce=\"%s\",nc=00000001,"
                  "cnonce=\"%s\",digest-uri=\"/default\",maxbuf=65536,response=%s,qop=auth",
                  d.username, d.nonce, d.cnonce, hash);
    free(d.nonce);
    base_buf_free(&name);
    base_buf_free(&secret);
}

/* Shows the token; returns the Java class of the refusal, which the caller frees, or NULL. */
static char *show_token(struct master *m, const struct base_buf *identifier,
                        const struct base_buf *password)
{
    struct base_buf out = {0}, response = {0};
    struct rpc_answer a;
    Rpc__Sasl *sasl;
    char *challenge, *exception = NULL;

    connect_socket(m, RPC_PREAMBLE_SASL);
    rpc_sasl_add(&out, 1, NULL, NULL);
    send_all(m->fd, &out);
    a = receive(m);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    sasl = rpc__sasl__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    CU_ASSERT_EQUAL_FATAL(sasl->n_methods, 1); /* TOKEN alone */
    CU_ASSERT_STRING_EQUAL(sasl->methods[0]->method, "TOKEN");
    challenge = base_strndup((const char *)sasl->methods[0]->challenge.data,
                             sasl->methods[0]->challenge.len);
    answer_challenge(challenge, identifier, password, &response);
    rpc__sasl__free_unpacked(sasl, NULL);
    rpc_answer_free(&a);
    free(challenge);
    out = (struct base_buf){0};
    rpc_sasl_add(&out, 2, "TOKEN", &response);
    send_all(m->fd, &out);
    base_buf_free(&response);
    a = receive(m);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    if (a.header->status)
        exception = base_strdup(a.header->exception);
    rpc_answer_free(&a);
    return exception;
}

static void make_amrm_token(const struct base_attempt_id *id, struct base_buf *identifier,
                            struct base_buf *password)
{
    struct rm_master_key key;
    struct base_hadoop_amrm_id token = {.attempt = *id};
    unsigned char bytes[BASE_SHA1_BYTES];

    key = *rm_master_key(rm_backend_lock_core(rms[0].b), RM_KEY_AMRM);
    rm_backend_unlock_core(rms[0].b);
    token.key_id = key.id;
    base_hadoop_amrm_id_add(&token, identifier);
    base_hadoop_compute_password(key.bytes, sizeof key.bytes, identifier->data, identifier->len,
                                 bytes);
    base_buf_add(password, bytes, sizeof bytes);
}

static void connect_master(struct master *m)
{
    struct base_buf identifier = {0}, password = {0}, out = {0};

    make_amrm_token(&attempt, &identifier, &password);
    CU_ASSERT_PTR_NULL(show_token(m, &identifier, &password));
    add_context(&out, NULL);
    send_all(m->fd, &out);
    base_buf_free(&identifier);
    base_buf_free(&password);
}

/* Calls a method; the caller frees the answer. */
static struct rpc_answer call(struct master *m, const char *method, const ProtobufCMessage *request)
{
    struct base_buf out = {0};

    rpc_call_add(&out, m->calls++, PROTOCOL, method, request);
    send_all(m->fd, &out);
    return receive(m);
}

static void *call_ok(struct master *m, const char *method, const ProtobufCMessage *request,
                     const ProtobufCMessageDescriptor *type)
{
    struct rpc_answer a = call(m, method, request);
    void *result;

    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    if (a.header->status)
        printf("\n    %s: %s: %s\n", method, a.header->exception, a.header->message);
    CU_ASSERT_EQUAL_FATAL(a.header->status, 0);
    result = protobuf_c_message_unpack(type, NULL, a.body.len, (const uint8_t *)a.body.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    rpc_answer_free(&a);
    return result;
}

static void call_refused(struct master *m, const char *method, const ProtobufCMessage *request,
                         const char *exception)
{
    struct rpc_answer a = call(m, method, request);

    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_STRING_EQUAL(a.header->exception ? a.header->exception : "(none)", exception);
    rpc_answer_free(&a);
}

static void free_message(void *message)
{
    protobuf_c_message_free_unpacked(message, NULL);
}

static void fill_registration(Master__RegisterRequest *rq)
{
    master__register_request__init(rq);
    rq->host = "vm/127.0.0.1";
    rq->has_rpc_port = true;
    rq->rpc_port = -1;
    rq->tracking_url = "";
}

static Master__RegisterAnswer *do_register(struct master *m)
{
    Master__RegisterRequest rq;

    fill_registration(&rq);
    return call_ok(m, "registerApplicationMaster", &rq.base, &master__register_answer__descriptor);
}

static Master__AllocateAnswer *allocate(struct master *m, Master__AllocateRequest *rq,
                                        int32_t answered)
{
    rq->has_response_id = true;
    rq->response_id = answered;
    return call_ok(m, "allocate", &rq->base, &master__allocate_answer__descriptor);
}

static Master__AllocateAnswer *ask_nothing(struct master *m, int32_t answered)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;

    return allocate(m, &rq, answered);
}

/* An ask for @n containers of priority 20 on any node, without an id, as MapReduce's. */
struct ask {
    Yarn__ResourceRequest request, *list[1];
    Yarn__Resource resource;
    Yarn__Priority priority;
};
static void fill_ask(struct ask *a, int32_t n, Master__AllocateRequest *rq)
{
    *a = (struct ask){.request = YARN__RESOURCE_REQUEST__INIT,
                      .resource = YARN__RESOURCE__INIT,
                      .priority = YARN__PRIORITY__INIT,
                      .list = {&a->request}};
    a->priority.has_priority = true;
    a->priority.priority = 20;
    a->resource.has_memory = a->resource.has_vcores = true;
    a->resource.memory = 512;
    a->resource.vcores = 1;
    a->request.priority = &a->priority;
    a->request.capability = &a->resource;
    a->request.resource_name = "*";
    a->request.has_containers = true;
    a->request.containers = n;
    rq->asks = a->list;
    rq->n_asks = 1;
}

/* ---- tests ---- */

static void test_only_the_right_token(void)
{
    struct base_attempt_id other = attempt;
    struct base_buf identifier = {0}, password = {0}, nothing = {0}, out = {0};
    struct rpc_answer a;
    struct master m;
    char *why;

    begin_all();
    other = attempt;
    make_amrm_token(&attempt, &identifier, &password);
    password.data[3] ^= 1; /* another password */
    why = show_token(&m, &identifier, &password);
    CU_ASSERT_STRING_EQUAL(why ? why : "(none)",
                           "org.apache.hadoop.security.token.SecretManager$InvalidToken");
    free(why);
    close_master(&m);
    base_buf_clear(&identifier);
    base_buf_clear(&password);
    other.attempt = 2; /* an attempt that does not exist, although the password is right */
    make_amrm_token(&other, &identifier, &password);
    why = show_token(&m, &identifier, &password);
    CU_ASSERT_STRING_EQUAL(why ? why : "(none)",
                           "org.apache.hadoop.security.token.SecretManager$InvalidToken");
    free(why);
    close_master(&m);
    base_buf_add(&nothing, "x", 1); /* no identifier */
    why = show_token(&m, &nothing, &password);
    CU_ASSERT_PTR_NOT_NULL(why);
    free(why);
    close_master(&m);
    /* to name oneself is not enough, also where clients may */
    connect_socket(&m, RPC_PREAMBLE_SIMPLE);
    add_context(&out, "appattempt_1_0001_000001");
    send_all(m.fd, &out);
    a = receive(&m);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_EQUAL(a.header->status, 2); /* FATAL */
    CU_ASSERT_STRING_EQUAL(a.header->exception ? a.header->exception : "(none)",
                           "org.apache.hadoop.security.AccessControlException");
    rpc_answer_free(&a);
    close_master(&m);
    base_buf_free(&identifier);
    base_buf_free(&password);
    base_buf_free(&nothing);
    end_all();
}

/* Returns the current key of this kind of token, as the second node has it. */
static const json_t *current_key(const char *kind)
{
    return json_array_get(json_object_get(json_object_get(registration, "hadoopKeys"), kind), 0);
}

static void check_token(const Master__Token *t, const char *kind, const char *key_name)
{
    const json_t *key = current_key(key_name);
    struct base_buf bytes = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_STRING_EQUAL(t->kind, kind);
    CU_ASSERT_STRING_EQUAL(t->service, "h2:45454");
    base_base64_decode(str(key, "salt"), &bytes);
    CU_ASSERT_EQUAL(bytes.len, RM_MASTER_KEY_BYTES);
    CU_ASSERT_TRUE(base_hadoop_check_password(bytes.data, bytes.len, t->identifier.data,
                                              t->identifier.len, t->password.data,
                                              t->password.len));
    base_buf_free(&bytes);
}

static void check_container_token(const Master__Container *c)
{
    const json_t *keys = json_object_get(registration, "hadoopKeys");
    struct base_hadoop_container_id id;

    check_token(c->token, "ContainerToken", "containerToken");
    CU_ASSERT_TRUE_FATAL(
        base_hadoop_container_id_read(c->token->identifier.data, c->token->identifier.len, &id));
    CU_ASSERT_EQUAL(id.container.num, c->id->id);
    CU_ASSERT_EQUAL(id.container.attempt.app.seq, attempt.app.seq);
    CU_ASSERT_STRING_EQUAL(id.node, "h2:45454");
    CU_ASSERT_STRING_EQUAL(id.submitter, "dr.who");
    CU_ASSERT_EQUAL(id.memory_mb, 512);
    CU_ASSERT_EQUAL(id.vcores, 1);
    CU_ASSERT_EQUAL(id.priority, 20);
    CU_ASSERT_EQUAL(id.allocation, -1);
    CU_ASSERT_EQUAL(id.key_id, number(current_key("containerToken"), "id"));
    CU_ASSERT_EQUAL(id.rm_identifier, number(keys, "rmIdentifier"));
    CU_ASSERT_EQUAL(id.expiry_ms - id.created_ms, 600000);
    CU_ASSERT_FALSE(id.is_master);
}

static void check_nm_token(const Master__NmToken *t)
{
    struct base_hadoop_nm_id id;

    check_token(t->token, "NMToken", "nmToken");
    CU_ASSERT_STRING_EQUAL(t->node->host, "h2");
    CU_ASSERT_EQUAL(t->node->port, HADOOP_PORT);
    CU_ASSERT_TRUE_FATAL(
        base_hadoop_nm_id_read(t->token->identifier.data, t->token->identifier.len, &id));
    CU_ASSERT_STRING_EQUAL(id.host, "h2");
    CU_ASSERT_EQUAL(id.port, HADOOP_PORT);
    CU_ASSERT_STRING_EQUAL(id.submitter, "dr.who");
    CU_ASSERT_EQUAL(id.attempt.attempt, 1);
    CU_ASSERT_EQUAL(id.key_id, number(current_key("nmToken"), "id"));
}

/* Registers, and gets two containers. Returns the answer that brings them. */
static Master__AllocateAnswer *get_two_containers(struct master *m)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__RegisterAnswer *registered = do_register(m);
    Master__AllocateAnswer *answer;
    struct ask ask;

    CU_ASSERT_EQUAL(registered->maximum->memory, 4 * 2048);
    CU_ASSERT_EQUAL(registered->n_acls, 2);
    CU_ASSERT_EQUAL(registered->n_previous, 0);
    CU_ASSERT_EQUAL(registered->n_scheduler_resource_types, 2);
    CU_ASSERT_EQUAL(registered->n_resource_types, 2);
    CU_ASSERT_PTR_NOT_NULL(registered->queue);
    free_message(registered);
    fill_ask(&ask, 2, &rq);
    answer = allocate(m, &rq, 0);
    CU_ASSERT_EQUAL(answer->response_id, 1);
    CU_ASSERT_EQUAL(answer->nodes, 2);
    CU_ASSERT_EQUAL(answer->limit->memory, 9 * 2048); /* all slots but the master's */
    CU_ASSERT_PTR_NOT_NULL(answer->preemption);
    CU_ASSERT_EQUAL(answer->priority->priority, 0);
    free_message(answer);
    beat_1();
    beat_2("");
    return ask_nothing(m, 1);
}

static void test_containers(void)
{
    Master__AllocateAnswer *answer, *again;
    struct master m;

    begin_all();
    beat_1();
    connect_master(&m);
    answer = get_two_containers(&m);
    CU_ASSERT_EQUAL(answer->response_id, 2);
    CU_ASSERT_EQUAL_FATAL(answer->n_allocated, 2);
    CU_ASSERT_EQUAL_FATAL(answer->n_nm_tokens, 1);
    for (size_t i = 0; i < 2; i++) {
        const Master__Container *c = answer->allocated[i];

        /* the first node, which has no port of Hadoop RPC, gets none */
        CU_ASSERT_STRING_EQUAL(c->node->host, "h2");
        CU_ASSERT_EQUAL(c->node->port, HADOOP_PORT);
        CU_ASSERT_STRING_EQUAL(c->http, "h2:9");
        CU_ASSERT_EQUAL(c->priority->priority, 20);
        CU_ASSERT_EQUAL(c->allocation_request_id, -1);
        CU_ASSERT_EQUAL(c->resource->memory, 512);
        check_container_token(c);
    }
    check_nm_token(answer->nm_tokens[0]);
    again = ask_nothing(&m, 1); /* the answer was lost: the same once more, to the byte */
    CU_ASSERT_EQUAL(again->response_id, 2);
    CU_ASSERT_EQUAL_FATAL(again->n_allocated, 2);
    CU_ASSERT_EQUAL(again->allocated[0]->token->identifier.len,
                    answer->allocated[0]->token->identifier.len);
    CU_ASSERT_EQUAL(memcmp(again->allocated[0]->token->identifier.data,
                           answer->allocated[0]->token->identifier.data,
                           answer->allocated[0]->token->identifier.len),
                    0);
    free_message(again);
    free_message(answer);
    close_master(&m);
    end_all();
}

/* The keys are replaced since they have got a secret. */
static void offer_keys_with_secret(void)
{
    static struct rm_master_key fresh[RM_MASTER_KEYS];
    static struct rm_event ev = {.kind = RM_EV_ROLL_MASTER_KEYS};

    for (int k = 0; k < RM_MASTER_KEYS; k++)
        fresh[k] = (struct rm_master_key){.id = 100 + k, .secret = "s", .bytes = "bytes"};
    ev.u.roll_master_keys.fresh = fresh;
    rm_backend_post(rms[0].b, &ev, NULL, NULL, NULL);
}

/* Returns whether the port accepts the AMRM token. */
static bool token_is_good(const struct base_buf *identifier, const struct base_buf *password)
{
    struct master m;
    char *why = show_token(&m, identifier, password);
    bool good = !why;

    free(why);
    close_master(&m);
    return good;
}

static void test_new_amrm_token(void)
{
    struct base_buf identifier = {0}, password = {0}, given, given_password;
    Master__AllocateAnswer *answer;
    struct base_hadoop_amrm_id id;
    int32_t answered = 0;
    struct master m;

    begin_all();
    beat_1();
    make_amrm_token(&attempt, &identifier, &password);
    connect_master(&m);
    free_message(do_register(&m));
    answer = ask_nothing(&m, answered++);
    CU_ASSERT_PTR_NULL(answer->amrm_token);
    offer_keys_with_secret();
    while (!answer->amrm_token) { /* the new key counts when it is durable */
        free_message(answer);
        answer = ask_nothing(&m, answered++);
    }
    CU_ASSERT_STRING_EQUAL(answer->amrm_token->kind, "YARN_AM_RM_TOKEN");
    CU_ASSERT_STRING_EQUAL(answer->amrm_token->service, "");
    given = (struct base_buf){(char *)answer->amrm_token->identifier.data,
                              answer->amrm_token->identifier.len, 0};
    given_password = (struct base_buf){(char *)answer->amrm_token->password.data,
                                       answer->amrm_token->password.len, 0};
    CU_ASSERT_TRUE_FATAL(base_hadoop_amrm_id_read(given.data, given.len, &id));
    CU_ASSERT_EQUAL(id.attempt.attempt, attempt.attempt);
    CU_ASSERT_EQUAL(id.key_id, 100);
    CU_ASSERT_TRUE(token_is_good(&given, &given_password));
    CU_ASSERT_TRUE(
        token_is_good(&identifier, &password)); /* until the new key is the current one */
    CU_ASSERT_FALSE(token_is_good(&given, &password));
    free_message(answer);
    base_buf_free(&identifier);
    base_buf_free(&password);
    close_master(&m);
    end_all();
}

static char *describe(const Master__Container *c, const char *rest)
{
    struct base_container_id id = {attempt, c->id->id};
    char text[BASE_ID_TEXT_MAX];

    return base_printf("{\"id\":\"%s\",%s}", base_container_id_text(&id, text), rest);
}

/* One container is released, the other one runs and ends. */
static void test_ends(void)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__AllocateAnswer *two, *answer;
    struct master m;
    char *report;

    begin_all();
    beat_1();
    connect_master(&m);
    two = get_two_containers(&m);
    CU_ASSERT_EQUAL_FATAL(two->n_allocated, 2);
    rq.releases = &two->allocated[0]->id;
    rq.n_releases = 1;
    answer = allocate(&m, &rq, 2);
    CU_ASSERT_EQUAL_FATAL(answer->n_completed, 1);
    CU_ASSERT_EQUAL(answer->completed[0]->id->id, two->allocated[0]->id->id);
    CU_ASSERT_EQUAL(answer->completed[0]->exit_status, -100);
    CU_ASSERT_EQUAL(answer->completed[0]->state, 3);
    CU_ASSERT_STRING_EQUAL(answer->completed[0]->diagnostics, "Container released by application");
    free_message(answer);
    report = describe(two->allocated[1], "\"state\":\"running\"");
    beat_2(report);
    free(report);
    answer = ask_nothing(&m, 3);
    CU_ASSERT_EQUAL(answer->n_completed, 0); /* told once */
    free_message(answer);
    report = describe(two->allocated[1], "\"state\":\"complete\",\"exitCode\":7");
    beat_2(report);
    free(report);
    answer = ask_nothing(&m, 4);
    CU_ASSERT_EQUAL_FATAL(answer->n_completed, 1);
    CU_ASSERT_EQUAL(answer->completed[0]->exit_status, 7);
    free_message(answer);
    free_message(two);
    close_master(&m);
    end_all();
}

static void test_order_of_calls(void)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__RegisterRequest other = MASTER__REGISTER_REQUEST__INIT;
    Master__FinishRequest finish = MASTER__FINISH_REQUEST__INIT;
    Master__FinishAnswer *finished;
    struct master m;

    begin_all();
    beat_1();
    connect_master(&m);
    call_refused(&m, "allocate", &rq.base, YARN "ApplicationMasterNotRegisteredException");
    call_refused(&m, "finishApplicationMaster", &finish.base,
                 YARN "ApplicationMasterNotRegisteredException");
    free_message(do_register(&m));
    other.host = "vm/127.0.0.1"; /* the same once more */
    other.has_rpc_port = true;
    other.rpc_port = -1;
    other.tracking_url = "";
    call_refused(&m, "registerApplicationMaster", &other.base,
                 YARN "InvalidApplicationMasterRequestException");
    other.host = "elsewhere";
    call_refused(&m, "registerApplicationMaster", &other.base,
                 YARN "InvalidApplicationMasterRequestException");
    free_message(ask_nothing(&m, 0));
    free_message(ask_nothing(&m, 1));
    rq.has_response_id = true;
    rq.response_id = 0; /* two answers ago */
    call_refused(&m, "allocate", &rq.base, YARN "InvalidApplicationMasterRequestException");
    rq.response_id = 3;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidApplicationMasterRequestException");
    rq.response_id = -1;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidApplicationMasterRequestException");
    finish.has_status = true;
    finish.status = 9;
    call_refused(&m, "finishApplicationMaster", &finish.base,
                 YARN "InvalidApplicationMasterRequestException");
    finish.status = 1;
    finish.diagnostics = "done";
    for (int i = 0; i < 2; i++) { /* again after a lost answer */
        finished = call_ok(&m, "finishApplicationMaster", &finish.base,
                           &master__finish_answer__descriptor);
        CU_ASSERT_TRUE(finished->unregistered);
        free_message(finished);
    }
    close_master(&m);
    end_all();
}

static void test_wrong_requests(void)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__Blacklist list = MASTER__BLACKLIST__INIT;
    Yarn__ContainerId id = YARN__CONTAINER_ID__INIT, *ids[] = {&id};
    Yarn__AttemptId of = YARN__ATTEMPT_ID__INIT;
    Yarn__AppId of_app = YARN__APP_ID__INIT;
    Yarn__Empty none = YARN__EMPTY__INIT, *nones[] = {&none};
    char *names[] = {"*"}, **many;
    Master__AllocateAnswer *answer;
    struct master m;
    struct ask ask;

    begin_all();
    beat_1();
    connect_master(&m);
    free_message(do_register(&m));
    rq.has_response_id = true;
    fill_ask(&ask, 1, &rq);
    ask.resource.memory = 1 << 20; /* more than the largest node */
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceRequestException");
    fill_ask(&ask, -1, &rq);
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceRequestException");
    fill_ask(&ask, 1, &rq);
    ask.request.capability = NULL;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceRequestException");
    fill_ask(&ask, 1, &rq);
    ask.request.resource_name = NULL;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceRequestException");
    rq.n_asks = 0;
    of_app.has_id = of_app.has_cluster = of.has_attempt = id.has_id = true;
    of_app.cluster = attempt.app.cluster_ts;
    of_app.id = attempt.app.seq + 1; /* another application */
    of.app = &of_app;
    of.attempt = 1;
    id.attempt = &of;
    id.id = 2;
    rq.releases = ids;
    rq.n_releases = 1;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidContainerReleaseException");
    rq.n_releases = 0;
    list.add = names;
    list.n_add = 1;
    rq.blacklist = &list;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceBlacklistRequestException");
    list.n_add = 0;
    list.n_remove = RM_AVOIDED_MAX + 1;
    many = base_realloc_array(NULL, list.n_remove, sizeof *many);
    for (size_t i = 0; i < list.n_remove; i++)
        many[i] = "a-node-with-a-long-name.example";
    list.remove = many;
    call_refused(&m, "allocate", &rq.base, YARN "InvalidResourceBlacklistRequestException");
    free(many);
    rq.blacklist = NULL;
    rq.scheduling_requests = nones;
    rq.n_scheduling_requests = 1;
    call_refused(&m, "allocate", &rq.base, YARN "YarnException");
    answer = ask_nothing(&m, 0); /* none of them has changed anything */
    CU_ASSERT_EQUAL(answer->response_id, 1);
    free_message(answer);
    close_master(&m);
    end_all();
}

static void test_blacklist(void)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__Blacklist list = MASTER__BLACKLIST__INIT;
    Master__AllocateAnswer *answer;
    char *names[] = {"h9", "h2"};
    struct master m;
    struct ask ask;

    begin_all();
    beat_1();
    connect_master(&m);
    free_message(do_register(&m));
    fill_ask(&ask, 1, &rq);
    list.add = names;
    list.n_add = 2;
    rq.blacklist = &list;
    free_message(allocate(&m, &rq, 0));
    beat_2("");
    answer = ask_nothing(&m, 1);
    CU_ASSERT_EQUAL(answer->n_allocated, 0);
    free_message(answer);
    rq.n_asks = 0;
    list.n_add = 0;
    list.remove = names;
    list.n_remove = 2;
    free_message(allocate(&m, &rq, 2));
    beat_2("");
    answer = ask_nothing(&m, 3);
    CU_ASSERT_EQUAL(answer->n_allocated, 1);
    free_message(answer);
    close_master(&m);
    end_all();
}

/* A node that becomes unhealthy, and healthy again, is told once each time, and again when the
 * answer was lost. */
static void test_changed_nodes(void)
{
    char *body;
    json_t *j;
    Master__AllocateAnswer *answer;
    struct master m;

    begin_all();
    beat_1();
    connect_master(&m);
    free_message(do_register(&m));
    answer = ask_nothing(&m, 0);
    CU_ASSERT_EQUAL(answer->n_changed_nodes, 0);
    free_message(answer);
    body = base_printf(NODE "\"responseId\":%lld,\"holdMs\":0,\"healthy\":false,"
                            "\"healthReport\":\"disk\",\"containers\":[]}",
                       (long long)beats_2);
    j = node("heartbeat", body);
    beats_2 = number(j, "responseId");
    json_decref(j);
    free(body);
    for (int i = 0; i < 2; i++) {
        answer = ask_nothing(&m, 1);
        CU_ASSERT_EQUAL_FATAL(answer->n_changed_nodes, 1);
        CU_ASSERT_STRING_EQUAL(answer->changed_nodes[0]->id->host, "h2");
        CU_ASSERT_EQUAL(answer->changed_nodes[0]->id->port, HADOOP_PORT);
        CU_ASSERT_EQUAL(answer->changed_nodes[0]->state, 3); /* UNHEALTHY */
        CU_ASSERT_STRING_EQUAL(answer->changed_nodes[0]->health, "disk");
        free_message(answer);
    }
    answer = ask_nothing(&m, 2);
    CU_ASSERT_EQUAL(answer->n_changed_nodes, 0);
    free_message(answer);
    close_master(&m);
    end_all();
}

/* The master of an application that was killed is told to exit. */
static void test_killed(void)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    char path[128];
    struct master m;

    begin_all();
    beat_1();
    connect_master(&m);
    free_message(do_register(&m));
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s/state", app);
    json_decref(ask("PUT", path, JSON, "{\"state\":\"KILLED\"}", 202));
    rq.has_response_id = true;
    call_refused(&m, "allocate", &rq.base, YARN "ApplicationAttemptNotFoundException");
    close_master(&m);
    end_all();
}

static int64_t count_core_events(void)
{
    struct rm_cluster_view c;

    rm_view_cluster(rm_backend_lock_core(rms[0].b), &c);
    rm_backend_unlock_core(rms[0].b);
    return c.events;
}

/* A registration that waits for nodes after a takeover is tried once a second, so that thousands of
 * masters leave the core its time for the nodes. Here the second try comes after the wait has
 * ended. Timers are events, too, some a second. */
static void test_registration_waits_for_nodes(void)
{
    Master__RegisterRequest rq;
    struct base_buf out = {0};
    struct rpc_answer a;
    struct master m;
    struct ha_store *store;
    int64_t epoch, events, begun_us, others;

    rms_set("creel.rm.takeover-grace-ms=900");
    begin_all();
    beat_1();
    connect_master(&m);
    free_message(do_register(&m));
    rm_daemon_abort_leadership(rms[0].b, "told to");
    store = memory_open("master", &epoch);
    rms_lead(0, store, epoch); /* no node has registered with it */
    fill_registration(&rq);
    events = count_core_events();
    begun_us = base_mono_us(&base_clock_real);
    rpc_call_add(&out, m.calls++, PROTOCOL, "registerApplicationMaster", &rq.base);
    send_all(m.fd, &out);
    a = receive(&m);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_EQUAL(a.header->status, 0);
    others = 4 + 2 * (base_mono_us(&base_clock_real) - begun_us) / 1000000;
    CU_ASSERT(count_core_events() - events <= 2 + others);
    rpc_answer_free(&a);
    close_master(&m);
    end_all();
}

static const struct cunit_case cases[] = {
    {"nothing but the attempt's own token is accepted", test_only_the_right_token},
    {"containers come with tokens that their nodes accept", test_containers},
    {"masters get new AMRM tokens when the key is replaced", test_new_amrm_token},
    {"ends of containers are told once", test_ends},
    {"calls out of order are refused as in YARN", test_order_of_calls},
    {"wrong requests are refused as in YARN and change nothing", test_wrong_requests},
    {"hosts on the blacklist give no containers", test_blacklist},
    {"changed nodes are told once", test_changed_nodes},
    {"the master of a killed application is told to exit", test_killed},
    {"a registration waits for nodes", test_registration_waits_for_nodes},
};
CUNIT_MAIN("rpc_master", cases)
