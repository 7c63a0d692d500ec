/* tests/e2e/rpc_master.c - an ApplicationMaster that speaks Hadoop RPC, for rpc_master.sh, which
 * says what it proves.
 *
 * Usage, in a master's container: rpc_master FOLDER. FOLDER/port has the number of the
 * ResourceManager's port of masters. The master creates FOLDER/registered, goes on when
 * FOLDER/go is there, and reads the port again. Its container writes FOLDER/written. Whatever is
 * not as expected ends it with status 1 and a line on stderr. */
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hadoop/credentials.h"
#include "base/hadoop/identifiers.h"
#include "base/io/io.h"
#include "nodemanager/rpc/container.pb-c.h"
#include "rm/rpc/master.pb-c.h"

#define RPC_GOLDEN "" /* the recordings are not read */
#include "tests/e2e/rpc_client.h"

#define MASTER   "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
#define NODE     "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"
#define YARN     "org.apache.hadoop.yarn.exceptions."
#define BAD      "org.apache.hadoop.security.token.SecretManager$InvalidToken"
#define ASKED    2
#define PRIORITY 5
#define WAIT_S   60

static const char *folder;
static struct base_hadoop_token own; /* the AMRM token */
static struct rpc_client rm;
static int32_t response_id;

static _Noreturn void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("rpc_master: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static char *path_of(const char *name)
{
    return base_printf("%s/%s", folder, name);
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
        fail("%s: %s", path ? path : "HADOOP_TOKEN_FILE_LOCATION is not set", err.text);
    found = base_credentials_find_token(&all, BASE_HADOOP_AMRM_KIND);
    if (!found)
        fail("%s: no token of the kind " BASE_HADOOP_AMRM_KIND, path);
    base_buf_add(&own.identifier, found->identifier.data, found->identifier.len);
    base_buf_add(&own.password, found->password.data, found->password.len);
    base_credentials_free(&all);
    base_buf_free(&file);
}

static int master_port(void)
{
    char *path = path_of("port");
    struct base_buf text = {0};
    int port;

    if (base_file_read(path, 16, &text, NULL) < 0)
        fail("%s cannot be read", path);
    base_buf_add(&text, "", 1);
    port = (int)strtol(text.data, NULL, 10);
    free(path);
    base_buf_free(&text);
    return port;
}

/* Opens a connection whose token is wrong in its byte @at of the password (-1: that of another
 * attempt), and checks that it is refused. */
static void check_false_token(int at)
{
    struct base_hadoop_amrm_id other;
    struct base_buf identifier = {0};
    unsigned char password[BASE_SHA1_BYTES];
    struct rpc_client c;
    char *refusal;

    memcpy(password, own.password.data, sizeof password);
    if (!base_hadoop_amrm_id_read(own.identifier.data, own.identifier.len, &other))
        fail("the identifier of the AMRM token cannot be read");
    if (at >= 0)
        password[at] ^= 1;
    else
        other.attempt.attempt++;
    base_hadoop_amrm_id_add(&other, &identifier);
    refusal = rpc_client_open(&c, master_port(), identifier.data, identifier.len, password,
                              sizeof password);
    if (!refusal || strcmp(refusal, BAD) != 0)
        fail("a false token: %s", refusal ? refusal : "accepted");
    free(refusal);
    base_buf_free(&identifier);
}

static void open_rm(void)
{
    char *refusal = rpc_client_open(&rm, master_port(), own.identifier.data, own.identifier.len,
                                    (const unsigned char *)own.password.data, own.password.len);

    if (refusal)
        fail("the AMRM token is refused: %s", refusal);
}

/* Calls the ResourceManager. @exception: the class expected; NULL: success. */
static struct rpc_answer call(const char *method, const ProtobufCMessage *request,
                              const char *exception)
{
    struct rpc_answer a = rpc_client_call(&rm, MASTER, method, request);
    const char *got;

    if (!a.header)
        fail("%s: the connection was closed", method);
    got = a.header->status == API_RPC_SUCCESS ? NULL : a.header->exception;
    if (!exception && got)
        fail("%s: %s: %s", method, got, a.header->message);
    if (exception && (!got || strcmp(got, exception) != 0))
        fail("%s: %s, not %s", method, got ? got : "success", exception);
    return a;
}

/* ---- register, allocate, finish ---- */

static void register_master(int32_t port, const char *exception)
{
    Master__RegisterRequest rq = MASTER__REGISTER_REQUEST__INIT;
    Master__RegisterAnswer *m;
    struct rpc_answer a;

    rq.host = "localhost";
    rq.has_rpc_port = true;
    rq.rpc_port = port;
    rq.tracking_url = "http://localhost:1/";
    a = call("registerApplicationMaster", &rq.base, exception);
    if (!exception) {
        m = master__register_answer__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
        if (!m || !m->maximum || m->maximum->memory < 1024 || !m->queue ||
            !strstr(m->queue, "default"))
            fail("what is answered to registerApplicationMaster");
        master__register_answer__free_unpacked(m, NULL);
        response_id = 0;
    }
    rpc_answer_free(&a);
}

static struct rpc_answer allocate(Master__AllocateRequest *rq, int32_t id, const char *exception)
{
    rq->has_response_id = rq->has_progress = true;
    rq->response_id = id;
    rq->progress = 0.5F;
    return call("allocate", &rq->base, exception);
}

static Master__AllocateAnswer *unpack_allocated(struct rpc_answer *a)
{
    Master__AllocateAnswer *m =
        master__allocate_answer__unpack(NULL, a->body.len, (const uint8_t *)a->body.data);

    if (!m || m->response_id != response_id + 1)
        fail("the id of an answer to allocate");
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

/* Calls allocate with the next id, and once more with the same id, as if the answer had been lost:
 * the answer must bring the same containers, tokens and ends. Returns the answer. */
static Master__AllocateAnswer *allocate_next(Master__AllocateRequest *rq)
{
    struct rpc_answer a = allocate(rq, response_id, NULL), again = allocate(rq, response_id, NULL);
    Master__AllocateAnswer *m = unpack_allocated(&a), *repeated = unpack_allocated(&again);
    struct base_buf one = {0}, other = {0};

    pack_lasting_part(m, &one);
    pack_lasting_part(repeated, &other);
    if (one.len != other.len || memcmp(one.data, other.data, one.len) != 0)
        fail("another answer to the same allocate");
    response_id++;
    base_buf_free(&one);
    base_buf_free(&other);
    master__allocate_answer__free_unpacked(repeated, NULL);
    return m;
}

static void finish(void)
{
    Master__FinishRequest rq = MASTER__FINISH_REQUEST__INIT;
    Master__FinishAnswer *m;
    struct rpc_answer a;

    rq.diagnostics = "all is well";
    rq.tracking_url = "";
    rq.has_status = true;
    rq.status = 1;
    a = call("finishApplicationMaster", &rq.base, NULL);
    m = master__finish_answer__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    if (!m || !m->unregistered)
        fail("the end was not taken");
    master__finish_answer__free_unpacked(m, NULL);
    rpc_answer_free(&a);
}

/* ---- containers ---- */

struct granted { /* a container, and what it takes to start it */
    int64_t num;
    int port;
    struct base_buf token, token_password, nm_token, nm_password;
};

static void copy_token(const Master__Token *from, const char *kind, struct base_buf *identifier,
                       struct base_buf *password)
{
    if (!from || strcmp(from->kind, kind) != 0 || from->password.len != BASE_SHA1_BYTES)
        fail("no %s", kind);
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

static void take_granted(const Master__AllocateAnswer *m, size_t i, struct granted *out)
{
    const Master__Container *c = m->allocated[i];

    if (!c->id || !c->node || !c->http || !strchr(c->http, ':') || !c->priority ||
        c->priority->priority != PRIORITY || !c->resource || c->resource->memory < 300 ||
        c->allocation_request_id != BASE_HADOOP_NO_ALLOCATION)
        fail("a container is not as it was asked for");
    out->num = c->id->id;
    out->port = c->node->port;
    copy_token(c->token, BASE_HADOOP_CONTAINER_KIND, &out->token, &out->token_password);
    copy_token(find_nm_token(m, c->node->port), BASE_HADOOP_NM_KIND, &out->nm_token,
               &out->nm_password);
}

/* Asks for @n containers, as MapReduce does, without an id for the request. */
static void ask_and_take(struct granted *out, size_t n)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Yarn__ResourceRequest ask = YARN__RESOURCE_REQUEST__INIT, *asks[] = {&ask};
    Yarn__Resource resource = YARN__RESOURCE__INIT;
    Yarn__Priority priority = YARN__PRIORITY__INIT;
    size_t got = 0;

    resource.has_memory = resource.has_vcores = true;
    resource.memory = 300;
    resource.vcores = 1;
    priority.has_priority = true;
    priority.priority = PRIORITY;
    ask.priority = &priority;
    ask.resource_name = "*";
    ask.capability = &resource;
    ask.has_containers = true;
    ask.containers = (int32_t)n;
    rq.asks = asks;
    rq.n_asks = 1;
    for (time_t end = time(NULL) + WAIT_S; got < n; pause_a_little()) {
        Master__AllocateAnswer *m = allocate_next(&rq);

        rq.n_asks = 0; /* what was asked stays in force */
        for (size_t i = 0; i < m->n_allocated && got < n; i++)
            take_granted(m, i, &out[got++]);
        master__allocate_answer__free_unpacked(m, NULL);
        if (time(NULL) > end)
            fail("%zu of %zu containers", got, n);
    }
}

static void start_on_node(const struct granted *g, const char *command)
{
    Nm__StartContainers rq = NM__START_CONTAINERS__INIT;
    Nm__StartRequest one = NM__START_REQUEST__INIT, *list[] = {&one};
    Nm__LaunchContext context = NM__LAUNCH_CONTEXT__INIT;
    Nm__Token token = NM__TOKEN__INIT;
    char *commands[] = {(char *)command};
    struct rpc_client node;
    struct rpc_answer a;
    Nm__Started *started;
    char *refusal = rpc_client_open(&node, g->port, g->nm_token.data, g->nm_token.len,
                                    (const unsigned char *)g->nm_password.data, g->nm_password.len);

    if (refusal)
        fail("the node refuses its token: %s", refusal);
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
    a = rpc_client_call(&node, NODE, "startContainers", &rq.base);
    if (!a.header || a.header->status != API_RPC_SUCCESS)
        fail("startContainers: %s", a.header ? a.header->exception : "closed");
    started = nm__started__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    if (!started || started->n_succeeded != 1)
        fail("not started: %s",
             started && started->n_failed ? started->failed[0]->failure->message : "no reason");
    nm__started__free_unpacked(started, NULL);
    rpc_answer_free(&a);
    rpc_client_close(&node);
}

/* Waits for the end of container @num, and checks its exit status. */
static void wait_end(int64_t num, int32_t exit_status)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;

    for (time_t end = time(NULL) + WAIT_S; time(NULL) < end; pause_a_little()) {
        Master__AllocateAnswer *m = allocate_next(&rq);
        bool found = false;

        for (size_t i = 0; i < m->n_completed; i++)
            if (m->completed[i]->id->id == num) {
                found = true;
                if (m->completed[i]->exit_status != exit_status)
                    fail("container %lld: exit status %d, not %d", (long long)num,
                         m->completed[i]->exit_status, exit_status);
            }
        master__allocate_answer__free_unpacked(m, NULL);
        if (found)
            return;
    }
    fail("no end of container %lld", (long long)num);
}

static void release(const struct granted *g)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Yarn__ContainerId id = YARN__CONTAINER_ID__INIT, *ids[] = {&id};
    Yarn__AttemptId attempt = YARN__ATTEMPT_ID__INIT;
    Yarn__AppId app = YARN__APP_ID__INIT;
    struct base_hadoop_container_id whole;
    struct rpc_answer a;

    if (!base_hadoop_container_id_read(g->token.data, g->token.len, &whole) ||
        whole.container.num != g->num)
        fail("the container token is of another container");
    app.has_id = app.has_cluster = attempt.has_attempt = id.has_id = true;
    app.cluster = whole.container.attempt.app.cluster_ts;
    app.id = (int32_t)whole.container.attempt.app.seq;
    attempt.app = &app;
    attempt.attempt = whole.container.attempt.attempt;
    id.attempt = &attempt;
    id.id = g->num;
    rq.releases = ids;
    rq.n_releases = 1;
    a = allocate(&rq, response_id, NULL);
    rpc_answer_free(&a); /* lost: it comes again with the next call */
    wait_end(g->num, -100);
}

/* ---- the course ---- */

static void create_file(const char *name)
{
    char *path = path_of(name);
    FILE *f = fopen(path, "w");

    if (!f || fclose(f) != 0)
        fail("%s cannot be written", path);
    free(path);
}

static void wait_for_restart(void)
{
    char *go = path_of("go");

    create_file("registered");
    for (time_t end = time(NULL) + WAIT_S; access(go, F_OK) != 0; pause_a_little())
        if (time(NULL) > end)
            fail("no %s", go);
    free(go);
    rpc_client_close(&rm);
    open_rm();
}

int main(int argc, char **argv)
{
    Master__AllocateRequest nothing = MASTER__ALLOCATE_REQUEST__INIT;
    struct granted got[ASKED] = {0};
    struct rpc_answer a;
    char *command;

    if (argc != 2)
        fail("expected a folder");
    folder = argv[1];
    signal(SIGPIPE, SIG_IGN);
    read_own_token();
    check_false_token(0);
    check_false_token(BASE_SHA1_BYTES - 1);
    check_false_token(-1);
    open_rm();
    a = allocate(&nothing, 0, YARN "ApplicationMasterNotRegisteredException");
    rpc_answer_free(&a);
    register_master(4711, NULL);
    register_master(4711, YARN "InvalidApplicationMasterRequestException");
    register_master(4712, YARN "InvalidApplicationMasterRequestException");
    a = allocate(&nothing, 7, YARN "InvalidApplicationMasterRequestException");
    rpc_answer_free(&a);

    wait_for_restart(); /* the token stays valid; the registration does not */
    a = allocate(&nothing, 0, YARN "ApplicationMasterNotRegisteredException");
    rpc_answer_free(&a);
    create_file("back"); /* the nodes come back while the registration is held */
    register_master(4711, NULL);

    ask_and_take(got, ASKED);
    command = base_printf("echo written > %s/written; exit 3", folder);
    start_on_node(&got[0], command);
    free(command);
    wait_end(got[0].num, 3);
    release(&got[1]);
    finish();
    rpc_client_close(&rm);
    return 0;
}
