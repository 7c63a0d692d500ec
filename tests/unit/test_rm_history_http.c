/* Goal: the history shows jobs that the state store and the core have forgotten as it showed them
 * before. Method: a daemon, one of several, that keeps one ended job in its core: jobs end, the
 * leadership changes, the process is started again; the history is asked for over HTTP. Lines are
 * moved to other points in time and compared with those that the core would write. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "rm/daemon/daemon.h"
#include "rm/http/routes.h"
#include "rm/http/spec_json.h"
#include "rm/jobs/ended_job.h"
#include "rm/jobs/ended_jobs.h"
#include "rm/leader/role.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/simple_conf.h"
#include "tests/unit/stores.h"

#define PORT api_server_port(server)

static struct rm_backend *b;
static struct api_server *server;
static struct base_conf *conf;
static struct api_route *routes;
static char folder[] = "/tmp/creel-history-XXXXXX";

static void lead(void)
{
    struct ha_store *store;
    int64_t epoch;

    store = memory_open("history", &epoch);
    base_assert(rm_daemon_activate(b, store, epoch, NULL) == 0);
}

static void start(void)
{
    struct api_server_conf sc = {.bind = "127.0.0.1", .threads = 1, .static_user = "dr.who"};
    const struct rm_role_source source = {0};
    struct base_error err = {0};
    size_t n;

    routes = rm_routes_new(&n);
    base_assert(rm_daemon_new_standby(conf, &b, &err) == 0);
    base_assert(api_server_start(&sc, routes, n, b, &server, &err) == 0);
    rm_role_set_identity(b, "rm-1", "http://127.0.0.1:1");
    rm_role_set_source(b, &source);
    rm_daemon_start(b);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    lead();
}

static void stop(void)
{
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    api_server_stop(server);
    rm_daemon_free(b);
    free(routes);
}

static json_t *ask(const char *method, const char *path, const char *body, int status)
{
    struct client_answer a = {0};
    json_t *j;

    client_do(PORT, method, path, body ? "Content-Type: application/json\r\n" : NULL, body, &a);
    CU_ASSERT_EQUAL(a.status / 100 * 100, status);
    j = json_loadb(a.body.data ? a.body.data : "", a.body.len, 0, NULL);
    client_free(&a);
    return j;
}

/* Waits until the line of the job @id is written: the core forgets the job when the next one
 * ends. */
static void wait_written(const char *id)
{
    struct base_app_id newest;
    char text[BASE_ID_TEXT_MAX] = "";

    for (int i = 0; i < 2000 && strcmp(text, id) != 0; i++) {
        if (rm_history_file_find_next_older(rm_history_get_file(b), NULL, NULL, 0, INT64_MAX,
                                            &newest))
            base_app_id_text(&newest, text);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CU_ASSERT_STRING_EQUAL(text, id);
}

/* Submits a job and kills it before anything of it runs; the history can tell of it since its
 * tasks' times are known. Returns its id. */
static char *end_job_soon(const char *name)
{
    char *body = base_printf("{\"job\":{\"name\":\"%s\",\"tasks\":[{\"command\":\"true\",\"count\":"
                             "3,\"expected-s\":5}]}}",
                             name);
    json_t *j = ask("POST", "/ws/v1/cluster/jobs", body, 200);
    const char *text = json_string_value(json_object_get(json_object_get(j, "job"), "id"));
    char *id = base_strdup(text ? text : ""),
         *path = base_printf("/ws/v1/cluster/apps/%s/state", id);

    json_decref(j);
    json_decref(ask("PUT", path, "{\"state\":\"KILLED\"}", 200));
    free(path);
    free(body);
    return id;
}

static char *end_job(const char *name)
{
    char *id = end_job_soon(name);

    wait_written(id);
    return id;
}

/* Holds up the thread that writes the history until the leadership ends. */
static bool until_over(void *user, bool stopping)
{
    for (int i = 0; i < 500 && !stopping && rm_backend_role(user) == RM_ROLE_ACTIVE; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return false;
}

static void until_ended(const char *id)
{
    char *path = base_printf("/ws/v1/cluster/jobs/%s", id);
    bool ended = false;

    for (int i = 0; i < 1000 && !ended; i++) {
        json_t *j = ask("GET", path, NULL, 200);
        const char *state = json_string_value(json_object_get(json_object_get(j, "job"), "state"));

        ended = state && strcmp(state, "KILLED") == 0;
        json_decref(j);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CU_ASSERT(ended);
    free(path);
}

static json_t *history(const char *query)
{
    char *path = base_printf("/ws/v1/cluster/history%s", query);
    json_t *j = ask("GET", path, NULL, 200);

    free(path);
    return j;
}

/* Returns the names, newest first, such as "c b a"; the caller frees them. */
static char *names(json_t *j)
{
    json_t *list = json_object_get(j, "history"), *e;
    struct base_buf out = {0};
    size_t i;

    json_array_foreach(list, i, e)
        base_buf_addf(&out, "%s%s", i ? " " : "", json_string_value(json_object_get(e, "name")));
    base_buf_adds(&out, "");
    return base_buf_take(&out);
}

/* Waits until the history has just the jobs @wanted: its file is written by a thread of its own. */
static bool comes_to(const char *wanted)
{
    for (int i = 0; i < 1000; i++) {
        json_t *j = history("");
        char *text = names(j);
        bool same = strcmp(text, wanted) == 0;

        free(text);
        json_decref(j);
        if (same)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

static void says(const char *query, const char *wanted, const char *cursor)
{
    json_t *j = history(query);
    const char *end = json_string_value(json_object_get(j, "cursor"));
    char *text = names(j);

    CU_ASSERT_STRING_EQUAL(text, wanted);
    CU_ASSERT_STRING_EQUAL(end ? end : "", cursor ? cursor : "");
    free(text);
    json_decref(j);
}

static void has_tasks(const char *id, size_t n, bool gone)
{
    char *path = base_printf("/ws/v1/cluster/jobs/%s/tasks", id);
    json_t *j = ask("GET", path, NULL, 200);

    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "tasks")), n);
    CU_ASSERT_EQUAL(json_is_true(json_object_get(j, "tasksGone")), gone);
    json_decref(j);
    free(path);
}

static void test_forgotten(void)
{
    char *ids[5], *query, *setting;
    json_t *before, *after, *jobs;

    base_assert(mkdtemp(folder));
    conf = simple_conf_new();
    setting = base_printf("creel.rm.state-dir=%s", folder);
    base_assert(base_conf_set_arg(conf, setting, NULL) == 0);
    base_assert(
        base_conf_set_arg(conf, "yarn.resourcemanager.max-completed-applications=1", NULL) == 0);
    free(setting);
    start();
    ids[0] = end_job("a");
    CU_ASSERT(comes_to("a"));
    before = history("");
    ids[1] = end_job("b");
    ids[2] = end_job("c");
    CU_ASSERT(comes_to("c b a"));
    jobs = ask("GET", "/ws/v1/cluster/jobs", NULL, 200);
    /* the core knows only one job */
    CU_ASSERT_EQUAL(json_array_size(json_object_get(jobs, "jobs")), 1);
    json_decref(jobs);
    after = history("");
    CU_ASSERT(json_equal(json_array_get(json_object_get(before, "history"), 0),
                         json_array_get(json_object_get(after, "history"), 2)));
    json_decref(before);
    json_decref(after);
    says("?limit=1", "c", ids[2]);
    says("?limit=2", "c b", ids[1]);
    query = base_printf("?limit=2&cursor=%s", ids[1]);
    says(query, "a", NULL);
    free(query);
    says("?to=1000", "", NULL);
    /* another leadership, another process: the core has read c back without its tasks */
    has_tasks(ids[2], 3, false);
    rm_role_depose(b);
    rm_daemon_abort_leadership(b, "told to");
    lead();
    has_tasks(ids[2], 0, true);
    CU_ASSERT(comes_to("c b a"));
    stop();
    start();
    CU_ASSERT(comes_to("c b a"));
    ids[3] = end_job("d");
    CU_ASSERT(comes_to("d c b a"));
    /* a job that ends together with the daemon */
    rm_backend_queue_slow_task(b, RM_SLOW_FILES, until_over, b);
    ids[4] = end_job_soon("e");
    until_ended(ids[4]);
    stop();
    start();
    CU_ASSERT(comes_to("e d c b a"));
    stop();
    for (int i = 0; i < 5; i++)
        free(ids[i]);
    stores_forget();
    base_conf_free(conf);
    CU_ASSERT_EQUAL(base_rmtree(folder, NULL), 0);
}

/* ---------------------------------------------------------------- points in time */
#define TS    INT64_C(1700000000000)
#define AT(s) (TS * 1000 + (int64_t)((s)*1e6))

static void test_shift(void)
{
    static const char body[] =
        "{\"job\":{\"name\":\"\\\"x\\\" \\u00e9\",\"weight\":1.5,\"deadline-s\":60,\"tasks\":"
        "[{\"command\":\"x\",\"count\":2,\"hosts\":[\"h1\",\"h2\"]},"
        "{\"kind\":\"reduce\",\"command\":\"z\"}]}}";
    static const struct rm_spec_defaults defaults = {
        .user = "ann", .split_size = 1 << 20, .max_attempts = 4};
    struct rm_task_view maps[] = {{.state = RM_TASK_SUCCEEDED,
                                   .start_us = AT(2.5),
                                   .finish_us = AT(9.000001),
                                   .node_id = "h1:1"},
                                  {.state = RM_TASK_KILLED, .start_us = AT(3), .finish_us = AT(4)}};
    struct rm_task_view reduces[] = {
        {.state = RM_TASK_SUCCEEDED, .start_us = AT(4), .finish_us = AT(30), .node_id = "h2:1"}};
    struct rm_views tasks[BASE_TASK_KINDS] = {{.tasks = maps, .tasks_n = 2},
                                              {.tasks = reduces, .tasks_n = 1}};
    const int64_t zeros[] = {0, TS * 1000, (TS + 1234) * 1000, (TS + 90000) * 1000};
    struct rm_job_spec *s = NULL;
    struct base_error err;

    CU_ASSERT_EQUAL_FATAL(rm_spec_job_decode(body, strlen(body), &defaults, &s, NULL), 0);
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            struct rm_app_view a = {.id = {TS, 7},
                                    .is_job = true,
                                    .user = "ann",
                                    .name = s->name,
                                    .queue = "default",
                                    .state = RM_APP_FINISHED,
                                    .final_status = RM_FINAL_SUCCEEDED,
                                    .submit_us = AT(1),
                                    .start_us = AT(2),
                                    .finish_us = AT(30),
                                    .deadline_us = AT(61),
                                    .job = s};
            struct base_buf one = {0}, other = {0}, shifted = {0};

            a.phase[BASE_TASK_MAP].total = 2;
            a.phase[BASE_TASK_REDUCE].total = 1;
            CU_ASSERT_TRUE_FATAL(
                rm_history_encode_job(&a, (const struct rm_views *)tasks, zeros[from], &one));
            CU_ASSERT_TRUE_FATAL(
                rm_history_encode_job(&a, (const struct rm_views *)tasks, zeros[to], &other));
            CU_ASSERT_EQUAL(
                rm_history_shift_times(one.data, one.len, zeros[from], zeros[to], &shifted, &err),
                0);
            CU_ASSERT_STRING_EQUAL(shifted.data, other.data);
            base_buf_free(&one);
            base_buf_free(&other);
            base_buf_free(&shifted);
        }
    rm_job_spec_unref(s);
}

static void test_damaged(void)
{
    struct base_buf out = {0};
    struct base_error err;

    CU_ASSERT_EQUAL(rm_history_shift_times("{\"a\":", 5, 0, 0, &out, &err), -BASE_ECORRUPT);
    CU_ASSERT_EQUAL(rm_history_shift_times("[1]", 3, 0, 0, &out, &err), -BASE_ECORRUPT);
    CU_ASSERT_EQUAL(out.len, 0);
}

static const struct cunit_case cases[] = {{"jobs that are forgotten", test_forgotten},
                                          {"other points in time", test_shift},
                                          {"damaged lines", test_damaged}};

CUNIT_MAIN("history of one of several ResourceManagers", cases)
