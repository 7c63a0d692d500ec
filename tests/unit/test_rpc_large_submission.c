/* Goal: while a large submission is decoded, the port serves others; it is accepted or refused like
 * a small one. Method: a daemon of this process and its port for clients over real sockets; the
 * thread that decodes large submissions is held up by a task of the test. */
#include <arpa/inet.h>
#include <semaphore.h>
#include <unistd.h>

#include "api/rpc/rpc.h"
#include "rm/rpc/ports.h"
#include "rm/rpc/put.h"
#include "tests/unit/master_over_http.h"
#include "tests/unit/rpc_frames.h"

#define VARIABLES   100
#define VALUE_BYTES 1000

static struct api_rpc_server *server;
static uint16_t port;
static sem_t held_up, may_go_on;

static bool hold_up_thread(void *user, bool stopping)
{
    (void)user;
    (void)stopping;
    sem_post(&held_up);
    sem_wait(&may_go_on);
    return false;
}

static int listen_anywhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 10), 0);
    CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    port = ntohs(a.sin_port);
    return fd;
}

static void begin_port(void)
{
    struct api_rpc_server_conf conf = {.connections_max = 20, .memory_max = 64 << 20, .ports_n = 1};
    struct base_error err = {0};
    json_t *j;

    lead();
    conf.ports[0] = (struct api_rpc_port){.listener = listen_anywhere(),
                                          .protocols = &rm_rpc_client_protocol,
                                          .protocols_n = 1,
                                          .user = rms[0].b,
                                          .session = {.simple = true, .frame_max = 8 << 20}};
    CU_ASSERT_EQUAL_FATAL(api_rpc_server_start(&conf, &server, &err), 0);
    sem_init(&held_up, 0, 0);
    sem_init(&may_go_on, 0, 0);
    rm_backend_queue_slow_task(rms[0].b, RM_SLOW_SUBMISSIONS, hold_up_thread, NULL);
    sem_wait(&held_up);
    j = ask("POST", "/ws/v1/cluster/apps/new-application", NULL, NULL, 200);
    snprintf(app, sizeof app, "%s", str(j, "application-id"));
    json_decref(j);
}

static void end_port(void)
{
    rms_end(0);
    api_rpc_server_stop(server);
    end();
    sem_destroy(&held_up);
    sem_destroy(&may_go_on);
}

/* Returns a connection on which the method has been called. */
static int call(const char *method, const ProtobufCMessage *request)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    struct base_buf out = {0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    base_buf_add(&out, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_context_add(&out, "ann", NULL);
    rpc_call_add(&out, 0, RPC_CLIENT, method, request);
    CU_ASSERT_EQUAL_FATAL(send(fd, out.data, out.len, MSG_NOSIGNAL), (ssize_t)out.len);
    base_buf_free(&out);
    return fd;
}

/* Checks the answer on a connection, which it closes. @exception: NULL: it is no error. */
static void check_answer(int fd, const char *exception)
{
    struct base_buf in = {0};
    struct rpc_answer answer;
    char bytes[4096];
    ssize_t n;

    while (!(answer = rpc_answer_take(&in)).header && (n = recv(fd, bytes, sizeof bytes, 0)) > 0)
        base_buf_add(&in, bytes, (size_t)n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer.header);
    CU_ASSERT_EQUAL(answer.header->status, exception ? API_RPC_ERROR : API_RPC_SUCCESS);
    if (exception)
        CU_ASSERT_STRING_EQUAL(answer.header->exception, exception);
    rpc_answer_free(&answer);
    base_buf_free(&in);
    close(fd);
}

static int submit(int64_t memory_mb, size_t value_bytes)
{
    Yarn__SubmitRequest request = YARN__SUBMIT_REQUEST__INIT;
    Yarn__Submission s = YARN__SUBMISSION__INIT;
    Yarn__LaunchContext launch = YARN__LAUNCH_CONTEXT__INIT;
    Yarn__TextEntry entries[VARIABLES], *environment[VARIABLES];
    Yarn__AppId id;
    struct base_app_id parsed;
    struct rm_rpc_resource resource;
    char keys[VARIABLES][8], *value = base_alloc(value_bytes + 1), *command = "true";
    int fd;

    CU_ASSERT_EQUAL_FATAL(base_app_id_parse(app, &parsed, NULL), 0);
    rm_rpc_put_app_id(&parsed, &id);
    rm_rpc_put_resource(memory_mb, 1, &resource);
    memset(value, 'v', value_bytes);
    for (int i = 0; i < VARIABLES; i++) {
        environment[i] = &entries[i];
        yarn__text_entry__init(&entries[i]);
        snprintf(keys[i], sizeof keys[i], "K%d", i);
        entries[i].key = keys[i];
        entries[i].value = value;
    }
    launch.environment = environment;
    launch.n_environment = VARIABLES;
    launch.commands = &command;
    launch.n_commands = 1;
    s.id = &id;
    s.name = "large";
    s.queue = "default";
    s.resource = &resource.resource;
    s.launch = &launch;
    request.submission = &s;
    fd = call("submitApplication", &request.base);
    free(value);
    return fd;
}

static bool is_answered(int fd, int timeout_ms)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, timeout_ms) == 1;
}

static void test_others_meanwhile(void)
{
    Yarn__Empty none = YARN__EMPTY__INIT;
    char path[128];
    json_t *j;
    int fd;

    begin_port();
    fd = submit(1024, VALUE_BYTES);
    for (int i = 0; i < 10; i++)
        check_answer(call("getClusterMetrics", &none.base), NULL);
    CU_ASSERT_FALSE(is_answered(fd, 100));
    sem_post(&may_go_on);
    check_answer(fd, NULL);
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s", app);
    j = ask("GET", path, NULL, NULL, 200);
    CU_ASSERT_STRING_EQUAL(str(json_object_get(j, "app"), "name"), "large");
    CU_ASSERT_STRING_EQUAL(str(json_object_get(j, "app"), "user"), "ann");
    json_decref(j);
    end_port();
}

static void test_refused(void)
{
    char path[128];
    int fd;

    begin_port();
    sem_post(&may_go_on);
    fd = submit(INT32_MAX, VALUE_BYTES);
    check_answer(fd, "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException");
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s", app);
    json_decref(ask("GET", path, NULL, NULL, 404));
    end_port();
}

/* Submissions that wait leave room for other calls. */
static void test_too_many_wait(void)
{
    Yarn__Empty none = YARN__EMPTY__INIT;
    int waiting[6];

    begin_port();
    for (int i = 0; i < 6; i++)
        waiting[i] = submit(INT32_MAX, 50000); /* of 5 MB: 30 MB in all */
    check_answer(submit(INT32_MAX, 50000), "org.apache.hadoop.ipc.RetriableException");
    check_answer(call("getClusterMetrics", &none.base), NULL);
    CU_ASSERT_FALSE(is_answered(waiting[0], 0));
    sem_post(&may_go_on);
    for (int i = 0; i < 6; i++)
        check_answer(waiting[i],
                     "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException");
    check_answer(submit(INT32_MAX, 50000),
                 "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException");
    end_port();
}

static const struct cunit_case cases[] = {
    {"others meanwhile", test_others_meanwhile},
    {"refused", test_refused},
    {"too many wait", test_too_many_wait},
};
CUNIT_MAIN("Hadoop RPC: large submissions", cases)
