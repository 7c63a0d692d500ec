/* Goal: submissions whose output lies on a file system that does not answer are refused at once
 * when enough of them hang there, and others are taken as ever.
 * Method: a daemon over the store in memory, asked over HTTP; lstat(2) of what is below /dead
 * returns when the test says so. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "rm/daemon/daemon.h"
#include "rm/http/routes.h"
#include "rm/jobs/file_places.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

enum { AT_ONCE = 4 }; /* as many as the daemon begins at once */
enum { TRIES = 20 };

static struct api_server *server;
static sem_t begun, go;

int lstat(const char *path, struct stat *st)
{
    if (strncmp(path, "/dead/", 6) == 0) {
        sem_post(&begun);
        while (sem_wait(&go) < 0)
            continue;
    }
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* The status; the answer, in @text unless that is NULL. */
static int submit(const char *folder, struct base_buf *text)
{
    char *body = base_printf(
        "{\"job\":{\"input\":[\"/etc/passwd\"],\"output\":\"%s/out\",\"map\":\"cat\"}}", folder);
    struct client_answer a = {0};
    int status;

    client_do(api_server_port(server), "POST", "/ws/v1/cluster/jobs?user.name=ann",
              "Content-Type: application/json\r\n", body, &a);
    status = a.status;
    if (text && a.body.data)
        base_buf_adds(text, a.body.data);
    client_free(&a);
    free(body);
    return status;
}

static void *submit_dead(void *status)
{
    *(int *)status = submit("/dead/a", NULL);
    return NULL;
}

static void test_dead_mount(void)
{
    struct base_conf *conf = base_conf_new();
    struct base_error err = {0};
    struct api_server_conf sc = {.bind = "127.0.0.1", .threads = 2, .static_user = "dr.who"};
    char dir[] = "/tmp/creel-dead-XXXXXX", *setting;
    pthread_t thread[AT_ONCE];
    struct base_buf text = {0};
    struct api_route *routes;
    struct rm_backend *b;
    static const char refused[] =
        "/dead/a/out: 8 others are already waiting for a file system there that does not answer";
    int status[AT_ONCE], hung, taken = 503;
    size_t n;

    sem_init(&begun, 0, 0);
    sem_init(&go, 0, 0);
    base_assert(mkdtemp(dir));
    setting = base_printf("creel.rm.state-dir=%s", dir);
    base_assert(base_conf_set_arg(conf, setting, &err) == 0);
    base_assert(base_conf_set_arg(conf, "creel.rm.input-timeout-ms=1000", &err) == 0);
    routes = rm_routes_new(&n);
    base_assert(
        rm_daemon_new_sole(conf, store_kind("memory"), memory_place("dead"), NULL, &b, &err) == 0);
    base_assert(api_server_start(&sc, routes, n, b, &server, &err) == 0);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    rm_daemon_start(b);
    for (int there; sem_getvalue(&begun, &there), there < RM_PLACE_MAX;) {
        /* on a busy machine one may not be begun in time */
        int more = RM_PLACE_MAX - there < AT_ONCE ? RM_PLACE_MAX - there : AT_ONCE;

        for (int i = 0; i < more; i++)
            base_assert(pthread_create(&thread[i], NULL, submit_dead, &status[i]) == 0);
        for (int i = 0; i < more; i++) {
            pthread_join(thread[i], NULL);
            CU_ASSERT_EQUAL(status[i], 503); /* each after its time */
        }
    }
    /* A submission that gets no thread within its second is refused too, for another reason: then
     * again. */
    for (int i = 0; i < TRIES && !(text.data && strstr(text.data, refused)); i++) {
        base_buf_clear(&text);
        CU_ASSERT_EQUAL(submit("/dead/a", &text), 503);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, refused));
    sem_getvalue(&begun, &hung);
    CU_ASSERT_EQUAL(hung, RM_PLACE_MAX);
    for (int i = 0; i < TRIES && taken == 503; i++)
        taken = submit(dir, NULL);
    CU_ASSERT_EQUAL(taken, 201);
    for (int i = 0; i < RM_PLACE_MAX + 1; i++)
        sem_post(&go);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    api_server_stop(server);
    rm_daemon_free(b);
    base_conf_free(conf);
    base_buf_free(&text);
    free(routes);
    free(setting);
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static const struct cunit_case cases[] = {{"a mount that does not answer", test_dead_mount}};
CUNIT_MAIN("dead mount", cases)
