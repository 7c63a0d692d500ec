/* Goal: the ResourceManager starts a master on a NodeManager of Hadoop with what YARN's would send,
 * shows a token that the node accepts, tries again while nothing was sent, and tells the core why
 * when it gives up. Method: a daemon of this process over a store in memory, and its port for nodes
 * over real sockets; the test plays the node: a client of that port, and a server of
 * ContainerManagementProtocol. */
#include <arpa/inet.h>
#include <pthread.h>
#include <unistd.h>

#include "api/rpc/rpc.h"
#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "base/hadoop/identifiers.h"
#include "rm/rpc/ports.h"
#include "rm/rpc/put.h"
#include "rm/rpc/start.pb-c.h"
#include "rm/rpc/start/talk.h"
#include "rm/rpc/tracker.pb-c.h"
#include "rm/rpc/tracker/answer.h"
#include "rm/rpc/tracker/tracker.h"
#include "tests/unit/master_over_http.h"
#include "tests/unit/rpc_frames.h"

#define TRACKER "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
#define NOT_YET "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException"

static struct rm_tracker tracker;
static struct api_rpc_server *tracker_server, *node_server;
static uint16_t tracker_port, node_port;
static int32_t beats;
static struct rm_master_key nm_key, container_key;
static int64_t rm_identifier;

/* What the node's server has seen, and what it answers; under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, refusals_left, logins;
static const char *refusal;
static bool knows_key;
static char caller[64];
static struct base_buf last_request;

/* @port: 0: any free one. Sets it to the one that it is. */
static int listen_at_port(const char *address, uint16_t *port)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = inet_addr(address), .sin_port = htons(*port)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 10), 0);
    CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    *port = ntohs(a.sin_port);
    return fd;
}

static int listen_at(const char *address, uint16_t *port)
{
    *port = 0;
    return listen_at_port(address, port);
}

static int listen_anywhere(uint16_t *port)
{
    return listen_at("127.0.0.1", port);
}

static bool is_ready(int fd, int timeout_ms)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, timeout_ms) == 1;
}

/* ---- the node's server ---- */

static enum api_rpc_token find_password(void *u, const void *identifier, size_t len,
                                        char **password, char **user)
{
    struct base_hadoop_nm_id id;
    unsigned char bytes[BASE_SHA1_BYTES];
    struct base_buf text = {0};
    char attempt[BASE_ID_TEXT_MAX];
    bool known;

    (void)u;
    pthread_mutex_lock(&lock);
    logins++;
    known = knows_key;
    pthread_mutex_unlock(&lock);
    if (!known || !base_hadoop_nm_id_read(identifier, len, &id))
        return API_RPC_TOKEN_INVALID;
    CU_ASSERT_EQUAL(id.key_id, nm_key.id);
    CU_ASSERT_STRING_EQUAL(id.host, "n1.example.org");
    CU_ASSERT_EQUAL(id.port, node_port);
    base_hadoop_compute_password(nm_key.bytes, sizeof nm_key.bytes, identifier, len, bytes);
    base_base64_encode(bytes, sizeof bytes, &text);
    *password = base_buf_take(&text);
    *user = base_strdup(base_attempt_id_text(&id.attempt, attempt));
    return API_RPC_TOKEN_VALID;
}

static void start_containers(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    Start__Answer answer = START__ANSWER__INIT;
    Start__Failure failure = START__FAILURE__INIT;
    Start__FailedContainer failed = START__FAILED_CONTAINER__INIT, *failed_list[] = {&failed};
    Yarn__ContainerId id = YARN__CONTAINER_ID__INIT, *started[] = {&id};

    (void)user;
    pthread_mutex_lock(&lock);
    calls++;
    snprintf(caller, sizeof caller, "%s", api_rpc_caller(call));
    base_buf_clear(&last_request);
    base_buf_reserve(&last_request, protobuf_c_message_get_packed_size(request));
    last_request.len = protobuf_c_message_pack(request, (uint8_t *)last_request.data);
    if (refusals_left-- > 0) {
        failure.class_name = (char *)refusal;
        failure.message = "not\xff now"; /* not UTF-8, as the store and REST are */
        failed.failure = &failure;
        answer.failed = failed_list;
        answer.n_failed = 1;
    } else {
        answer.started = started;
        answer.n_started = 1;
    }
    pthread_mutex_unlock(&lock);
    api_rpc_answer(call, &answer.base);
}

static const struct api_rpc_method methods[] = {
    {"startContainers", &start__request__descriptor, start_containers, 1 << 20}};
static const struct api_rpc_protocol protocol = {
    .name = "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB",
    .methods = methods,
    .methods_n = 1};

static void start_server(const struct api_rpc_port *port, struct api_rpc_server **out)
{
    struct api_rpc_server_conf conf = {
        .connections_max = 20, .memory_max = 64 << 20, .ports = {*port}, .ports_n = 1};
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(api_rpc_server_start(&conf, out, &err), 0);
}

/* ---- the node as a client ---- */

static const char *call_from = "127.0.0.1";

/* Calls a method of the tracker; free the result with protobuf_c_message_free_unpacked(). */
static void *call_tracker(const char *method, const ProtobufCMessage *request,
                          const ProtobufCMessageDescriptor *result)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons(tracker_port)};
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(call_from)};
    struct base_buf out = {0}, in = {0};
    struct rpc_answer answer;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[4096];
    void *m;
    ssize_t n;

    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    base_buf_add(&out, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_context_add(&out, "yarn", NULL);
    rpc_call_add(&out, 0, TRACKER, method, request);
    CU_ASSERT_EQUAL_FATAL(send(fd, out.data, out.len, MSG_NOSIGNAL), (ssize_t)out.len);
    while (!(answer = rpc_answer_take(&in)).header && (n = recv(fd, bytes, sizeof bytes, 0)) > 0)
        base_buf_add(&in, bytes, (size_t)n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer.header);
    CU_ASSERT_EQUAL_FATAL(answer.header->status, API_RPC_SUCCESS);
    m = protobuf_c_message_unpack(result, NULL, answer.body.len, (uint8_t *)answer.body.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    rpc_answer_free(&answer);
    base_buf_free(&out);
    base_buf_free(&in);
    close(fd);
    return m;
}

static void put_node_id(Yarn__NodeId *out)
{
    yarn__node_id__init(out);
    out->host = "n1.example.org";
    out->has_port = true;
    out->port = node_port;
}

static void keep_key(const Tracker__Key *from, struct rm_master_key *to)
{
    CU_ASSERT_EQUAL_FATAL(from->bytes.len, RM_MASTER_KEY_BYTES);
    to->id = from->id;
    memcpy(to->bytes, from->bytes.data, RM_MASTER_KEY_BYTES);
}

static void register_node(void)
{
    Tracker__Registration rq = TRACKER__REGISTRATION__INIT;
    Tracker__Registered *answer;
    Yarn__NodeId id;
    struct rm_rpc_resource resource;

    put_node_id(&id);
    rm_rpc_put_resource(8192, 4, &resource);
    rq.node = &id;
    rq.resource = &resource.resource;
    rq.version = "3.4.2";
    answer = call_tracker("registerNodeManager", &rq.base, &tracker__registered__descriptor);
    keep_key(answer->nm_key, &nm_key);
    keep_key(answer->container_key, &container_key);
    rm_identifier = answer->rm_identifier;
    beats = 0;
    protobuf_c_message_free_unpacked(&answer->base, NULL);
}

/* Returns what the node is told to do. */
static int32_t beat_node(void)
{
    Tracker__Beat rq = TRACKER__BEAT__INIT;
    Tracker__NodeStatus status = TRACKER__NODE_STATUS__INIT;
    Tracker__BeatAnswer *answer;
    Yarn__NodeId id;
    int32_t action;

    put_node_id(&id);
    status.node = &id;
    status.has_response_id = true;
    status.response_id = beats;
    rq.status = &status;
    answer = call_tracker("nodeHeartbeat", &rq.base, &tracker__beat_answer__descriptor);
    action = answer->action;
    if (action == RM_TRACKER_NORMAL)
        beats = answer->response_id;
    protobuf_c_message_free_unpacked(&answer->base, NULL);
    return action;
}

/* ---- the whole ---- */

static void begin_node(void)
{
    struct ha_store *store;
    struct base_error err = {0};
    int64_t epoch;

    rms_set("yarn.resourcemanager.scheduler.address=127.0.0.1:0");
    rms_set("yarn.client.nodemanager-connect.retry-interval-ms=100");
    rms_start(no_sources);
    store = memory_open("start", &epoch);
    rms_lead(0, store, epoch);
    tracker.b = rms[0].b;
    CU_ASSERT_EQUAL_FATAL(rm_starter_new(rms[0].b, &tracker.starter, &err), 0);
    start_server(&(struct api_rpc_port){.listener = listen_anywhere(&tracker_port),
                                        .protocols = &rm_rpc_tracker_protocol,
                                        .protocols_n = 1,
                                        .user = &tracker,
                                        .session = {.simple = true, .frame_max = 1 << 20}},
                 &tracker_server);
    start_server(
        &(struct api_rpc_port){.listener = listen_anywhere(&node_port),
                               .protocols = &protocol,
                               .protocols_n = 1,
                               .session = {.find_password = find_password, .frame_max = 1 << 20}},
        &node_server);
    calls = refusals_left = logins = 0;
    knows_key = true;
    register_node();
}

static void end_node(void)
{
    rms_end(0);
    api_rpc_server_stop(tracker_server);
    rm_starter_free(tracker.starter);
    api_rpc_server_stop(node_server);
    base_buf_free(&last_request);
    end();
}

static void submit(const char *protocol_member)
{
    json_t *j = ask("POST", "/ws/v1/cluster/apps/new-application", NULL, NULL, 200);
    char *body;

    snprintf(app, sizeof app, "%s", str(j, "application-id"));
    json_decref(j);
    body = base_printf(
        "{\"application-id\":\"%s\",\"application-name\":\"m\",%s\"am-container-spec\":{"
        "\"commands\":{\"command\":[\"run\",\"it\"]},"
        "\"environment\":{\"entry\":[{\"key\":\"A\",\"value\":\"b=c\"}]},"
        "\"service-data\":{\"entry\":[{\"key\":\"shuffle\",\"value\":\"AAEC\"}]},"
        "\"application-acls\":{\"entry\":[{\"key\":\"VIEW_APP\",\"value\":\"bob\"}]},"
        "\"credentials\":{\"secrets\":{\"entry\":[{\"key\":\"s\",\"value\":\"c2VjcmV0\"}]}},"
        "\"local-resources\":{\"entry\":[{\"key\":\"lib/x.jar\",\"value\":{\"resource\":"
        "\"hdfs://nn:9000/a%%20b\",\"type\":\"ARCHIVE\",\"visibility\":\"PRIVATE\",\"size\":7,"
        "\"timestamp\":99}}]}},"
        "\"max-app-attempts\":1,\"resource\":{\"memory\":1024,\"vCores\":1}}",
        app, protocol_member);
    json_decref(ask("POST", "/ws/v1/cluster/apps", JSON, body, 202));
    free(body);
}

#define BY_RPC "\"creel-master-protocol\":\"hadoop-rpc\","

static bool app_is(const char *state)
{
    char path[128];
    json_t *j;
    bool is;

    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s/state", app);
    j = ask("GET", path, NULL, NULL, 200);
    is = strcmp(str(j, "state"), state) == 0;
    json_decref(j);
    return is;
}

static bool was_called(int times)
{
    bool was;

    pthread_mutex_lock(&lock);
    was = calls >= times;
    pthread_mutex_unlock(&lock);
    return was;
}

/* Sends heartbeats until the node was called so often, or the application has failed; 20 s at
 * most. */
static void beat_until_called_or_failed(int times)
{
    for (int i = 0; i < 4000 && !was_called(times) && !app_is("FAILED"); i++) {
        beat_node();
        poll(NULL, 0, 5);
    }
}

static void check_failed(const char *words)
{
    char path[128];
    json_t *j;

    for (int i = 0; i < 4000 && !app_is("FAILED"); i++)
        poll(NULL, 0, 5);
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s", app);
    j = ask("GET", path, NULL, NULL, 200);
    CU_ASSERT_STRING_EQUAL(str(json_object_get(j, "app"), "state"), "FAILED");
    CU_ASSERT_PTR_NOT_NULL(strstr(str(json_object_get(j, "app"), "diagnostics"), words));
    json_decref(j);
}

static const char *variable(const Yarn__LaunchContext *l, const char *key)
{
    for (size_t i = 0; i < l->n_environment; i++)
        if (strcmp(l->environment[i]->key, key) == 0)
            return l->environment[i]->value;
    return "(none)";
}

static void check_context(const Yarn__LaunchContext *l)
{
    const Yarn__LocalResource *r;
    struct base_credentials c;
    char path[128];

    CU_ASSERT_EQUAL_FATAL(l->n_commands, 2);
    CU_ASSERT_STRING_EQUAL(l->commands[1], "it");
    CU_ASSERT_STRING_EQUAL(variable(l, "A"), "b=c");
    snprintf(path, sizeof path, "/proxy/%s", app);
    CU_ASSERT_STRING_EQUAL(variable(l, "APPLICATION_WEB_PROXY_BASE"), path);
    CU_ASSERT(strtoll(variable(l, "APP_SUBMIT_TIME_ENV"), NULL, 10) > 0);
    CU_ASSERT_EQUAL_FATAL(l->n_service_data, 1);
    CU_ASSERT_STRING_EQUAL(l->service_data[0]->key, "shuffle");
    CU_ASSERT_EQUAL_FATAL(l->service_data[0]->value.len, 3);
    CU_ASSERT_EQUAL(l->service_data[0]->value.data[2], 2);
    CU_ASSERT_EQUAL_FATAL(l->n_acls, 1);
    CU_ASSERT_STRING_EQUAL(l->acls[0]->acl, "bob");
    CU_ASSERT_EQUAL_FATAL(l->n_resources, 1);
    CU_ASSERT_STRING_EQUAL(l->resources[0]->key, "lib/x.jar");
    r = l->resources[0]->value;
    CU_ASSERT_STRING_EQUAL(r->resource->scheme, "hdfs");
    CU_ASSERT_STRING_EQUAL(r->resource->host, "nn");
    CU_ASSERT_EQUAL(r->resource->port, 9000);
    CU_ASSERT_STRING_EQUAL(r->resource->file, "/a b");
    CU_ASSERT_EQUAL(r->size, 7);
    CU_ASSERT_EQUAL(r->timestamp_ms, 99);
    CU_ASSERT_EQUAL(r->type, 1);
    CU_ASSERT_EQUAL(r->visibility, 2);
    CU_ASSERT_EQUAL_FATAL(base_credentials_parse(l->credentials.data, l->credentials.len, &c, NULL),
                          0);
    CU_ASSERT_EQUAL(c.secrets_n, 1);
    CU_ASSERT_EQUAL_FATAL(c.tokens_n, 1);
    CU_ASSERT_STRING_EQUAL(c.tokens[0].token.kind, BASE_HADOOP_AMRM_KIND);
    base_credentials_free(&c);
}

static void check_token(const Master__Token *t)
{
    struct base_hadoop_container_id id;
    char node[64], attempt[BASE_ID_TEXT_MAX];

    CU_ASSERT_TRUE(base_hadoop_check_password(container_key.bytes, sizeof container_key.bytes,
                                              t->identifier.data, t->identifier.len,
                                              t->password.data, t->password.len));
    CU_ASSERT_TRUE_FATAL(base_hadoop_container_id_read(t->identifier.data, t->identifier.len, &id));
    snprintf(node, sizeof node, "n1.example.org:%d", node_port);
    CU_ASSERT_STRING_EQUAL(id.node, node);
    CU_ASSERT_STRING_EQUAL(t->kind, BASE_HADOOP_CONTAINER_KIND);
    CU_ASSERT_EQUAL(id.rm_identifier, rm_identifier);
    CU_ASSERT_EQUAL(id.memory_mb, 1024);
    CU_ASSERT_TRUE(id.is_master);
    CU_ASSERT_EQUAL(id.key_id, container_key.id);
    CU_ASSERT_EQUAL(id.allocation, BASE_HADOOP_NO_ALLOCATION);
    CU_ASSERT(id.expiry_ms > base_wall_us(&base_clock_real) / 1000);
    CU_ASSERT_STRING_EQUAL(caller, base_attempt_id_text(&id.container.attempt, attempt));
}

/* ---- a request is encoded apart from its order ---- */

/* Returns a start of which nothing is left but what it has copied, and its launch context. */
static struct rm_start *new_start(struct rm_launch *launch, char url[static 1])
{
    char user[] = "ann", host[] = "n1.example.org", address[] = "127.0.0.1";
    struct rm_master_key keys[3] = {{.id = 7, .bytes = "nm"}, {.id = 8, .bytes = "container"}};
    const struct rm_order order = {.kind = BASE_ORDER_LAUNCH,
                                   .container = {.attempt = {{1, 2}, 3}, .num = 4},
                                   .app = {1, 2},
                                   .resource = {{1024, 1}},
                                   .user = user,
                                   .launch = launch,
                                   .amrm_key = &keys[2]};
    const struct rm_start_basis basis = {.host = host,
                                         .port = 45454,
                                         .address = address,
                                         .nm_key = &keys[0],
                                         .container_key = &keys[1]};
    struct rm_start *s;

    launch->resources = base_alloc(sizeof *launch->resources);
    launch->resources_n = 1;
    launch->resources->name = base_strdup("x");
    launch->resources->url = base_strdup(url);
    s = rm_start_new(&order, &basis);
    CU_ASSERT_EQUAL(s->request.len, 0); /* that is not for the thread of the core */
    CU_ASSERT_EQUAL(launch->refs, 2);
    memset(user, 'x', strlen(user));
    memset(host, 'x', strlen(host));
    memset(address, 'x', strlen(address));
    memset(keys, 'x', sizeof keys);
    return s;
}

static void test_encoded_apart(void)
{
    struct rm_launch *launch = base_alloc(sizeof *launch);
    struct rm_start *s;
    struct base_hadoop_container_id id;
    struct base_hadoop_nm_id nm_id;
    struct rm_master_key key = {.bytes = "container"};
    const Master__Token *token;
    Start__Request *rq;

    launch->refs = 1;
    s = new_start(launch, "file:///a");
    CU_ASSERT_EQUAL_FATAL(rm_start_encode(s, NULL), 0);
    CU_ASSERT_EQUAL(launch->refs, 1);
    CU_ASSERT_EQUAL_FATAL(rm_start_encode(s, NULL), 0); /* once is enough */
    rq = start__request__unpack(NULL, s->request.len, (uint8_t *)s->request.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rq);
    token = rq->containers[0]->token;
    CU_ASSERT_TRUE_FATAL(
        base_hadoop_container_id_read(token->identifier.data, token->identifier.len, &id));
    CU_ASSERT_STRING_EQUAL(id.submitter, "ann");
    CU_ASSERT_STRING_EQUAL(id.node, "n1.example.org:45454");
    CU_ASSERT_EQUAL(id.key_id, 8);
    CU_ASSERT_TRUE(base_hadoop_check_password(key.bytes, sizeof key.bytes, token->identifier.data,
                                              token->identifier.len, token->password.data,
                                              token->password.len));
    CU_ASSERT_TRUE_FATAL(
        base_hadoop_nm_id_read(s->nm_identifier.data, s->nm_identifier.len, &nm_id));
    CU_ASSERT_EQUAL(nm_id.key_id, 7);
    CU_ASSERT_STRING_EQUAL(s->address, "127.0.0.1");
    start__request__free_unpacked(rq, NULL);
    rm_start_free(s);
    rm_launch_unref(launch);
}

/* What no node of Hadoop could be sent fails for good, and says why. */
static void test_not_encoded(void)
{
    struct rm_launch *launch = base_alloc(sizeof *launch);
    struct rm_talk *t;

    launch->refs = 1;
    t = rm_talk_new(new_start(launch, "http://["), 0, 1000);
    rm_talk_begin(t, 0);
    CU_ASSERT_EQUAL(t->state, RM_TALK_FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(t->why, "\"http://[\" is no URL"));
    CU_ASSERT_EQUAL(launch->refs, 1);
    rm_talk_free(t);
    rm_launch_unref(launch);
}

static void test_started(void)
{
    Start__Request *rq;

    begin_node();
    submit(BY_RPC);
    beat_until_called_or_failed(1);
    CU_ASSERT_TRUE_FATAL(was_called(1));
    rq = start__request__unpack(NULL, last_request.len, (uint8_t *)last_request.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rq);
    CU_ASSERT_EQUAL_FATAL(rq->n_containers, 1);
    check_context(rq->containers[0]->context);
    check_token(rq->containers[0]->token);
    start__request__free_unpacked(rq, NULL);
    for (int i = 0; i < 5; i++)
        beat_node();
    CU_ASSERT_EQUAL(calls, 1);
    CU_ASSERT_TRUE(app_is("ACCEPTED"));
    end_node();
}

/* A master of which nobody has said that it speaks Hadoop RPC needs a node of Creel. */
static void test_other_masters(void)
{
    begin_node();
    submit("");
    for (int i = 0; i < 20; i++)
        beat_node();
    CU_ASSERT_EQUAL(calls, 0);
    CU_ASSERT_TRUE(app_is("ACCEPTED"));
    end_node();
}

/* Whoever knows the id of a node gets no master by sending its heartbeats. */
static void test_other_address(void)
{
    begin_node();
    submit(BY_RPC);
    call_from = "127.0.0.2";
    for (int i = 0; i < 20; i++)
        CU_ASSERT_EQUAL(beat_node(), RM_TRACKER_RESYNC);
    call_from = "127.0.0.1";
    CU_ASSERT_EQUAL(beat_node(), RM_TRACKER_NORMAL);
    beat_until_called_or_failed(1);
    CU_ASSERT_TRUE(was_called(1));
    end_node();
}

/* A node that has moved registers again. */
static void test_moved(void)
{
    int listener;

    begin_node();
    listener = listen_at_port("127.0.0.2", &node_port);
    call_from = "127.0.0.2";
    register_node();
    submit(BY_RPC);
    for (int i = 0; i < 4000 && !is_ready(listener, 5); i++)
        CU_ASSERT_EQUAL(beat_node(), RM_TRACKER_NORMAL);
    CU_ASSERT_TRUE(is_ready(listener, 0));
    call_from = "127.0.0.1";
    end_node();
    close(listener);
}

static void test_refused(void)
{
    begin_node();
    refusals_left = 1;
    refusal = "org.apache.hadoop.yarn.exceptions.YarnException";
    submit(BY_RPC);
    beat_until_called_or_failed(1);
    check_failed("YarnException: not%FF now");
    CU_ASSERT_EQUAL(calls, 1);
    end_node();
}

static void test_not_yet_ready(void)
{
    begin_node();
    refusals_left = 2;
    refusal = NOT_YET;
    submit(BY_RPC);
    beat_until_called_or_failed(3);
    CU_ASSERT_EQUAL(calls, 3);
    CU_ASSERT_TRUE(app_is("ACCEPTED"));
    end_node();
}

static void test_token_is_refused(void)
{
    begin_node();
    knows_key = false;
    submit(BY_RPC);
    beat_until_called_or_failed(1);
    check_failed("InvalidToken");
    CU_ASSERT_EQUAL(calls, 0);
    CU_ASSERT_EQUAL(logins, 1); /* that would not change */
    end_node();
}

static void test_nobody_listens(void)
{
    uint16_t closed;
    int fd;

    rms_set("yarn.client.nodemanager-connect.max-wait-ms=150");
    begin_node();
    fd = listen_anywhere(&closed);
    close(fd);
    node_port = closed; /* as another node */
    register_node();
    submit(BY_RPC);
    for (int i = 0; i < 4000 && !app_is("FAILED"); i++) {
        beat_node();
        poll(NULL, 0, 5);
    }
    check_failed("Connection refused");
    end_node();
}

/* ---- many starts, of containers that the core does not know ---- */

static void add_start(const char *address, int at)
{
    struct base_hadoop_nm_id id = {.key_id = nm_key.id,
                                   .attempt = {.app = {.cluster_ts = 1, .seq = 1}, .attempt = 1},
                                   .submitter = "ann",
                                   .host = "n1.example.org",
                                   .port = at};
    struct rm_start *s = base_alloc(sizeof *s);

    s->container.attempt = id.attempt;
    s->host = base_strdup(id.host);
    s->address = base_strdup(address);
    s->port = at;
    base_hadoop_nm_id_add(&id, &s->nm_identifier);
    base_hadoop_compute_password(nm_key.bytes, sizeof nm_key.bytes, s->nm_identifier.data,
                                 s->nm_identifier.len, s->nm_password);
    base_buf_add(&s->request, "\012\000", 2); /* one container, of which nothing is said */
    rm_starter_add(tracker.starter, s);
}

static void wait_until_called(int times)
{
    for (int i = 0; i < 4000 && !was_called(times); i++)
        poll(NULL, 0, 5);
    CU_ASSERT_TRUE_FATAL(was_called(times));
}

static int accept_within_20_s(int listener)
{
    CU_ASSERT_TRUE_FATAL(is_ready(listener, 20000));
    return accept(listener, NULL, NULL);
}

static void test_more_starts_than_conversations(void)
{
    int n = 2 * RM_START_TALKS_MAX;

    begin_node();
    for (int i = 0; i < n; i++)
        add_start("127.0.0.1", node_port);
    wait_until_called(n);
    CU_ASSERT_EQUAL(calls, n);
    end_node();
}

#define SILENT 100 /* addresses */

/* Nodes that accept connections and say nothing leave the others their conversations. */
static void test_silent_nodes(void)
{
    int listeners[SILENT], fds[SILENT];
    uint16_t ports[SILENT];
    char address[32];

    begin_node();
    for (int i = 0; i < SILENT; i++) {
        snprintf(address, sizeof address, "127.0.1.%d", i + 1);
        listeners[i] = listen_at(address, &ports[i]);
        for (int k = 0; k < 2 * RM_START_TALKS_PER_ADDRESS; k++)
            add_start(address, ports[i]);
    }
    add_start("127.0.0.1", node_port);
    wait_until_called(1);
    for (int i = 0; i < SILENT; i++) {
        fds[i] = accept_within_20_s(listeners[i]);
        CU_ASSERT_FALSE(is_ready(listeners[i], 0));
    }
    end_node();
    for (int i = 0; i < SILENT; i++) {
        close(fds[i]);
        close(listeners[i]);
    }
}

/* Starts that wait for a conversation get it in the order in which they came. */
static void test_order_of_starts(void)
{
    uint16_t busy, first, second, other;
    int busy_fd = listen_anywhere(&busy), first_fd = listen_anywhere(&first),
        second_fd = listen_anywhere(&second), other_fd = listen_at("127.0.0.2", &other), fd, probe;

    begin_node();
    add_start("127.0.0.1", busy);
    fd = accept_within_20_s(busy_fd);
    add_start("127.0.0.1", first);
    add_start("127.0.0.1", second);
    add_start("127.0.0.2", other);
    probe = accept_within_20_s(other_fd); /* now both wait */
    CU_ASSERT_FALSE(is_ready(first_fd, 0));
    CU_ASSERT_FALSE(is_ready(second_fd, 0));
    close(fd);
    fd = accept_within_20_s(first_fd);
    CU_ASSERT_FALSE(is_ready(second_fd, 0));
    end_node();
    close(fd);
    close(probe);
    close(busy_fd);
    close(first_fd);
    close(second_fd);
    close(other_fd);
}

/* A start that gets no conversation fails after the time for which a node is tried. */
static void test_waits_in_vain(void)
{
    uint16_t silent;
    int listener = listen_anywhere(&silent);

    rms_set("yarn.client.nodemanager-connect.max-wait-ms=150");
    begin_node();
    add_start("127.0.0.1", silent);
    submit(BY_RPC);
    for (int i = 0; i < 4000 && !app_is("FAILED"); i++) {
        beat_node();
        poll(NULL, 0, 5);
    }
    check_failed("too many other starts were under way");
    CU_ASSERT_EQUAL(calls, 0);
    end_node();
    close(listener);
}

static const struct cunit_case cases[] = {
    {"encoded apart from the order", test_encoded_apart},
    {"not encoded", test_not_encoded},
    {"started", test_started},
    {"other masters", test_other_masters},
    {"another address", test_other_address},
    {"moved", test_moved},
    {"refused", test_refused},
    {"not yet ready", test_not_yet_ready},
    {"the token is refused", test_token_is_refused},
    {"nobody listens", test_nobody_listens},
    {"more starts than conversations", test_more_starts_than_conversations},
    {"silent nodes", test_silent_nodes},
    {"order of starts", test_order_of_starts},
    {"waits in vain", test_waits_in_vain},
};
CUNIT_MAIN("Hadoop RPC: starts of masters", cases)
