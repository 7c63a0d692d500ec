#include "tests/e2e/rpc_am.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"

#define MASTER "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
#define NODE   "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"

struct base_hadoop_token am_token;
int32_t am_response_id;

static const char *folder;
static struct rpc_client rm;
static bool is_open;

_Noreturn void am_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("master: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void am_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static char *path_of(const char *name)
{
    return base_printf("%s/%s", folder, name);
}

void am_create_file(const char *name)
{
    char *path = path_of(name);
    FILE *f = fopen(path, "w");

    if (!f || fclose(f) != 0)
        am_fail("%s cannot be written", path);
    free(path);
}

void am_wait_for_file(const char *name)
{
    char *path = path_of(name);

    for (time_t end = time(NULL) + AM_WAIT_S; access(path, F_OK) != 0; am_pause())
        if (time(NULL) > end)
            am_fail("no %s", path);
    free(path);
}

/* ---- tokens and connections ---- */

static void read_own_token(void)
{
    const char *path = getenv("HADOOP_TOKEN_FILE_LOCATION");
    struct base_credentials all = {0};
    const struct base_hadoop_token *found;
    struct base_error err = {0};
    struct base_buf file = {0};

    if (!path || base_file_read(path, 1 << 20, &file, &err) < 0 ||
        base_credentials_parse(file.data, file.len, &all, &err) < 0)
        am_fail("%s: %s", path ? path : "HADOOP_TOKEN_FILE_LOCATION is not set", err.text);
    found = base_credentials_find_token(&all, BASE_HADOOP_AMRM_KIND);
    if (!found)
        am_fail("%s: no token of the kind " BASE_HADOOP_AMRM_KIND, path);
    base_buf_add(&am_token.identifier, found->identifier.data, found->identifier.len);
    base_buf_add(&am_token.password, found->password.data, found->password.len);
    base_credentials_free(&all);
    base_buf_free(&file);
}

void am_begin(const char *where)
{
    folder = where;
    signal(SIGPIPE, SIG_IGN);
    read_own_token();
}

int am_read_port(const char *name)
{
    char *path = path_of(name);
    struct base_buf text = {0};
    int port;

    if (base_file_read(path, 16, &text, NULL) < 0)
        am_fail("%s cannot be read", path);
    base_buf_add(&text, "", 1);
    port = (int)strtol(text.data, NULL, 10);
    free(path);
    base_buf_free(&text);
    return port;
}

void am_open_rm(void)
{
    char *refusal;

    if (is_open)
        rpc_client_close(&rm);
    is_open = true;
    refusal = rpc_client_open(&rm, am_read_port("port"), am_token.identifier.data,
                              am_token.identifier.len,
                              (const unsigned char *)am_token.password.data, am_token.password.len);

    if (refusal)
        am_fail("the AMRM token is refused: %s", refusal);
}

struct rpc_answer am_call(const char *method, const ProtobufCMessage *request,
                          const char *exception)
{
    struct rpc_answer a = rpc_client_call(&rm, MASTER, method, request);
    const char *got;

    if (!a.header)
        am_fail("%s: the connection was closed", method);
    got = a.header->status == API_RPC_SUCCESS ? NULL : a.header->exception;
    if (!exception && got)
        am_fail("%s: %s: %s", method, got, a.header->message);
    if (exception && (!got || strcmp(got, exception) != 0))
        am_fail("%s: %s, not %s", method, got ? got : "success", exception);
    return a;
}

/* ---- register, allocate, finish ---- */

void am_register(int32_t port, const char *exception)
{
    Master__RegisterRequest rq = MASTER__REGISTER_REQUEST__INIT;
    Master__RegisterAnswer *m;
    struct rpc_answer a;

    rq.host = "localhost";
    rq.has_rpc_port = true;
    rq.rpc_port = port;
    rq.tracking_url = "http://localhost:1/";
    a = am_call("registerApplicationMaster", &rq.base, exception);
    if (!exception) {
        m = master__register_answer__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
        if (!m || !m->maximum || m->maximum->memory < 1024 || !m->queue ||
            !strstr(m->queue, "default"))
            am_fail("what is answered to registerApplicationMaster");
        master__register_answer__free_unpacked(m, NULL);
        am_response_id = 0;
    }
    rpc_answer_free(&a);
}

static struct rpc_answer allocate(Master__AllocateRequest *rq, int32_t id, const char *exception)
{
    rq->has_response_id = rq->has_progress = true;
    rq->response_id = id;
    rq->progress = 0.5F;
    return am_call("allocate", &rq->base, exception);
}

void am_refuse_allocate(int32_t id, const char *exception)
{
    Master__AllocateRequest nothing = MASTER__ALLOCATE_REQUEST__INIT;
    struct rpc_answer a = allocate(&nothing, id, exception);

    rpc_answer_free(&a);
}

static Master__AllocateAnswer *unpack_allocated(struct rpc_answer *a)
{
    Master__AllocateAnswer *m =
        master__allocate_answer__unpack(NULL, a->body.len, (const uint8_t *)a->body.data);

    if (!m || m->response_id != am_response_id + 1)
        am_fail("the id of an answer to allocate");
    rpc_answer_free(a);
    return m;
}

/* Appends what must not differ in a repeated answer: all but what the cluster has left and which
 * nodes there are, which are told as they are. */
static void pack_lasting_part(Master__AllocateAnswer *m, struct base_buf *out)
{
    Master__AllocateAnswer lasting = *m;
    uint8_t *bytes;
    size_t n;

    lasting.limit = NULL;
    lasting.has_nodes = false;
    lasting.n_changed_nodes = 0;
    n = master__allocate_answer__get_packed_size(&lasting);
    bytes = base_alloc(n + 1);
    master__allocate_answer__pack(&lasting, bytes);
    base_buf_add(out, bytes, n);
    free(bytes);
}

Master__AllocateAnswer *am_allocate_next(Master__AllocateRequest *rq)
{
    struct rpc_answer a = allocate(rq, am_response_id, NULL),
                      again = allocate(rq, am_response_id, NULL);
    Master__AllocateAnswer *m = unpack_allocated(&a), *repeated = unpack_allocated(&again);
    struct base_buf one = {0}, other = {0};

    pack_lasting_part(m, &one);
    pack_lasting_part(repeated, &other);
    if (one.len != other.len || memcmp(one.data, other.data, one.len) != 0)
        am_fail("another answer to the same allocate");
    am_response_id++;
    base_buf_free(&one);
    base_buf_free(&other);
    master__allocate_answer__free_unpacked(repeated, NULL);
    return m;
}

void am_finish(void)
{
    Master__FinishRequest rq = MASTER__FINISH_REQUEST__INIT;
    Master__FinishAnswer *m;
    struct rpc_answer a;

    rq.diagnostics = "all is well";
    rq.tracking_url = "";
    rq.has_status = true;
    rq.status = 1;
    a = am_call("finishApplicationMaster", &rq.base, NULL);
    m = master__finish_answer__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    if (!m || !m->unregistered)
        am_fail("the end was not taken");
    master__finish_answer__free_unpacked(m, NULL);
    rpc_answer_free(&a);
}

/* ---- containers ---- */

void am_granted_free(struct am_granted *g)
{
    base_buf_free(&g->token);
    base_buf_free(&g->token_password);
    base_buf_free(&g->nm_token);
    base_buf_free(&g->nm_password);
}

static void copy_token(const Master__Token *from, const char *kind, struct base_buf *identifier,
                       struct base_buf *password)
{
    if (!from || strcmp(from->kind, kind) != 0 || from->password.len != BASE_SHA1_BYTES)
        am_fail("no %s", kind);
    base_buf_add(identifier, (const char *)from->identifier.data, from->identifier.len);
    base_buf_add(password, (const char *)from->password.data, from->password.len);
}

static const Master__Token *find_nm_token(const Master__AllocateAnswer *m, int32_t port)
{
    for (size_t i = 0; i < m->n_nm_tokens; i++)
        if (m->nm_tokens[i]->node->port == port)
            return m->nm_tokens[i]->token;
    return NULL;
}

static void take_granted(const Master__AllocateAnswer *m, size_t i, struct am_granted *out)
{
    const Master__Container *c = m->allocated[i];

    if (!c->id || !c->node || !c->http || !strchr(c->http, ':') || !c->priority ||
        c->priority->priority != AM_PRIORITY || !c->resource || c->resource->memory < 300 ||
        c->allocation_request_id != BASE_HADOOP_NO_ALLOCATION)
        am_fail("a container is not as it was asked for");
    out->num = c->id->id;
    out->port = c->node->port;
    copy_token(c->token, BASE_HADOOP_CONTAINER_KIND, &out->token, &out->token_password);
    copy_token(find_nm_token(m, c->node->port), BASE_HADOOP_NM_KIND, &out->nm_token,
               &out->nm_password);
}

void am_ask(size_t n)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Yarn__ResourceRequest ask = YARN__RESOURCE_REQUEST__INIT, *asks[] = {&ask};
    Yarn__Resource resource = YARN__RESOURCE__INIT;
    Yarn__Priority priority = YARN__PRIORITY__INIT;
    struct rpc_answer a;

    resource.has_memory = resource.has_vcores = true;
    resource.memory = 300;
    resource.vcores = 1;
    priority.has_priority = true;
    priority.priority = AM_PRIORITY;
    ask.priority = &priority;
    ask.resource_name = "*";
    ask.capability = &resource;
    ask.has_containers = true;
    ask.containers = (int32_t)n;
    rq.asks = asks;
    rq.n_asks = 1;
    a = allocate(&rq, am_response_id,
                 NULL); /* lost: what it brings comes again with the next call */
    rpc_answer_free(&a);
}

void am_take(struct am_granted *out, size_t n)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    size_t got = 0;

    for (time_t end = time(NULL) + AM_WAIT_S; got < n; am_pause()) {
        Master__AllocateAnswer *m = am_allocate_next(&rq);

        for (size_t i = 0; i < m->n_allocated && got < n; i++)
            take_granted(m, i, &out[got++]);
        master__allocate_answer__free_unpacked(m, NULL);
        if (time(NULL) > end)
            am_fail("%zu of %zu containers", got, n);
    }
}

static void open_node(const struct am_granted *g, struct rpc_client *node)
{
    char *refusal = rpc_client_open(node, g->port, g->nm_token.data, g->nm_token.len,
                                    (const unsigned char *)g->nm_password.data, g->nm_password.len);

    if (refusal)
        am_fail("the node refuses its token: %s", refusal);
}

/* Calls the node of @g and closes the connection. */
static struct rpc_answer call_node(const struct am_granted *g, const char *method,
                                   const ProtobufCMessage *request)
{
    struct rpc_client node;
    struct rpc_answer a;

    open_node(g, &node);
    a = rpc_client_call(&node, NODE, method, request);
    if (!a.header || a.header->status != API_RPC_SUCCESS)
        am_fail("%s: %s", method, a.header ? a.header->exception : "closed");
    rpc_client_close(&node);
    return a;
}

static void check_started(const Nm__Started *m, const char *exception)
{
    const Nm__Failure *f = m && m->n_failed == 1 ? m->failed[0]->failure : NULL;

    if (!exception && (!m || m->n_succeeded != 1))
        am_fail("not started: %s", f ? f->message : "no reason");
    if (exception && (!f || strcmp(f->class_name, exception) != 0))
        am_fail("a start: %s, not %s", f ? f->class_name : "no refusal", exception);
}

void am_start(const struct am_granted *g, const char *command, const char *exception)
{
    Nm__StartContainers rq = NM__START_CONTAINERS__INIT;
    Nm__StartRequest one = NM__START_REQUEST__INIT, *list[] = {&one};
    Nm__LaunchContext context = NM__LAUNCH_CONTEXT__INIT;
    Nm__Token token = NM__TOKEN__INIT;
    char *commands[] = {(char *)command};
    struct rpc_answer a;
    Nm__Started *started;

    token.identifier = (ProtobufCBinaryData){g->token.len, (uint8_t *)g->token.data};
    token.password =
        (ProtobufCBinaryData){g->token_password.len, (uint8_t *)g->token_password.data};
    token.kind = BASE_HADOOP_CONTAINER_KIND;
    token.service = "";
    context.commands = commands;
    context.n_commands = 1;
    one.context = &context;
    one.token = &token;
    rq.requests = list;
    rq.n_requests = 1;
    a = call_node(g, "startContainers", &rq.base);
    started = nm__started__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    check_started(started, exception);
    nm__started__free_unpacked(started, NULL);
    rpc_answer_free(&a);
}

/* The id of a container in a message. */
struct id_parts {
    Nm__ContainerId id;
    Nm__AttemptId attempt;
    Nm__AppId app;
};

static void put_id(const struct am_granted *g, struct id_parts *out)
{
    struct base_hadoop_container_id whole;

    if (!base_hadoop_container_id_read(g->token.data, g->token.len, &whole) ||
        whole.container.num != g->num)
        am_fail("the container token is of another container");
    nm__container_id__init(&out->id);
    nm__attempt_id__init(&out->attempt);
    nm__app_id__init(&out->app);
    out->app.has_id = out->app.has_cluster = out->attempt.has_attempt = out->id.has_id = true;
    out->app.cluster = whole.container.attempt.app.cluster_ts;
    out->app.id = (int32_t)whole.container.attempt.app.seq;
    out->attempt.app = &out->app;
    out->attempt.attempt = whole.container.attempt.attempt;
    out->id.attempt = &out->attempt;
    out->id.id = g->num;
}

int am_get_state(const struct am_granted *g)
{
    Nm__Containers rq = NM__CONTAINERS__INIT;
    struct id_parts parts;
    Nm__ContainerId *ids[] = {&parts.id};
    struct rpc_answer a;
    Nm__Statuses *m;
    int state;

    put_id(g, &parts);
    rq.ids = ids;
    rq.n_ids = 1;
    a = call_node(g, "getContainerStatuses", &rq.base);
    m = nm__statuses__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    if (!m || m->n_statuses != 1)
        am_fail("the node does not know container %lld", (long long)g->num);
    state = m->statuses[0]->state;
    nm__statuses__free_unpacked(m, NULL);
    rpc_answer_free(&a);
    return state;
}

void am_wait_end(int64_t num, int32_t exit_status)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;

    for (time_t end = time(NULL) + AM_WAIT_S; time(NULL) < end; am_pause()) {
        Master__AllocateAnswer *m = am_allocate_next(&rq);
        bool found = false;

        if (m->n_allocated)
            am_fail("a container that was not asked for");
        for (size_t i = 0; i < m->n_completed; i++)
            if (m->completed[i]->id->id == num) {
                found = true;
                if (m->completed[i]->exit_status != exit_status)
                    am_fail("container %lld: exit status %d, not %d", (long long)num,
                            m->completed[i]->exit_status, exit_status);
            }
        master__allocate_answer__free_unpacked(m, NULL);
        if (found)
            return;
    }
    am_fail("no end of container %lld", (long long)num);
}

void am_release(const struct am_granted *g)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Yarn__ContainerId id = YARN__CONTAINER_ID__INIT, *ids[] = {&id};
    Yarn__AttemptId attempt = YARN__ATTEMPT_ID__INIT;
    Yarn__AppId app = YARN__APP_ID__INIT;
    struct base_hadoop_container_id whole;
    struct rpc_answer a;

    if (!base_hadoop_container_id_read(g->token.data, g->token.len, &whole) ||
        whole.container.num != g->num)
        am_fail("the container token is of another container");
    app.has_id = app.has_cluster = attempt.has_attempt = id.has_id = true;
    app.cluster = whole.container.attempt.app.cluster_ts;
    app.id = (int32_t)whole.container.attempt.app.seq;
    attempt.app = &app;
    attempt.attempt = whole.container.attempt.attempt;
    id.attempt = &attempt;
    id.id = g->num;
    rq.releases = ids;
    rq.n_releases = 1;
    a = allocate(&rq, am_response_id, NULL);
    rpc_answer_free(&a); /* lost: it comes again with the next call */
    am_wait_end(g->num, -100);
}
