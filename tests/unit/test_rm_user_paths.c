/* Goal: the ResourceManager opens no path that a user names: a submission with input and output on
 * a file system that does not answer is accepted at once.
 * Method: a daemon over the store in memory, asked over HTTP; every call that opens or looks at a
 * path below /dead is counted, and never returns. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "rm/daemon/daemon.h"
#include "rm/http/routes.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

static atomic_int opened;

static void look_at(const char *path)
{
    if (strncmp(path, "/dead/", 6) != 0)
        return;
    atomic_fetch_add(&opened, 1);
    for (;;)
        pause();
}

int lstat(const char *path, struct stat *st)
{
    look_at(path);
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int stat(const char *path, struct stat *st)
{
    look_at(path);
    return fstatat(AT_FDCWD, path, st, 0);
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    int mode;

    va_start(ap, flags);
    mode = va_arg(ap, int);
    va_end(ap);
    look_at(path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    look_at(path);
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static void test_submission(void)
{
    static const char body[] = "{\"job\":{\"input\":[\"/dead/in\",\"/dead/*\"],"
                               "\"output\":\"/dead/out\",\"map\":\"cat\"}}";
    struct base_conf *conf = base_conf_new();
    struct base_error err = {0};
    struct api_server_conf sc = {.bind = "127.0.0.1", .threads = 2, .static_user = "dr.who"};
    char dir[] = "/tmp/creel-dead-XXXXXX", *setting;
    struct api_server *server;
    struct client_answer a = {0};
    struct api_route *routes;
    struct rm_backend *b;
    struct stat st;
    size_t n;

    base_assert(mkdtemp(dir));
    CU_ASSERT_EQUAL(stat(dir, &st), 0); /* other paths are looked at as ever */
    setting = base_printf("creel.rm.state-dir=%s", dir);
    base_assert(base_conf_set_arg(conf, setting, &err) == 0);
    routes = rm_routes_new(&n);
    base_assert(rm_daemon_new_sole(conf, NULL, store_kind("memory"), memory_place("dead"), NULL, &b,
                                   &err) == 0);
    base_assert(api_server_start(&sc, routes, n, b, &server, &err) == 0);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    rm_daemon_start(b);
    client_do(api_server_port(server), "POST", "/ws/v1/cluster/jobs?user.name=ann",
              "Content-Type: application/json\r\n", body, &a);
    CU_ASSERT_EQUAL(a.status, 201);
    client_free(&a);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&opened), 0);
    api_server_stop(server);
    rm_daemon_free(b);
    base_conf_free(conf);
    free(routes);
    free(setting);
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static const struct cunit_case cases[] = {{"a mount that does not answer", test_submission}};
CUNIT_MAIN("paths of users", cases)
