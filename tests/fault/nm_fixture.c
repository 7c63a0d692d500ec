#include "tests/fault/nm_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/container_token.h"
#include "base/io/io.h"
#include "nodemanager/container/process_tree.h"

extern char **environ;
static const char *programs;

void fx_programs(int argc, char **argv)
{
    programs = argc > 1 ? argv[1] : getenv("CREEL_BIN");
    if (!programs) {
        fprintf(stderr, "usage: %s FOLDER-OF-PROGRAMS\n", argv[0]);
        exit(2);
    }
}

const char *fx_program(const char *name, char buf[static 1024])
{
    snprintf(buf, 1024, "%s/%s", programs, name);
    return buf;
}

struct fx *fx_new(void)
{
    struct fx *fx = base_alloc(sizeof *fx);
    const char *tmp = getenv("TMPDIR");
    snprintf(fx->dir, sizeof fx->dir, "%.200s/creel-nm-test.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(fx->dir)) {
        perror(fx->dir);
        abort();
    }
    for (int i = 0; i < FX_NODES_MAX; i++)
        snprintf(fx->local[i], sizeof fx->local[i], "%s/nm%d", fx->dir, i);
    fx->rm = fake_rm_start(0);
    return fx;
}

pid_t fx_spawn(struct fx *fx, int i)
{
    char program[1024], *args[64];
    int n = 0;
    pid_t pid;
    args[n++] = base_strdup(fx_program("creel-nm", program));
    args[n++] = base_strdup("--log-format=text");
    args[n++] = base_strdup("-D");
    args[n++] = base_strdup("creel.nodemanager.port=0");
    args[n++] = base_strdup("-D");
    args[n++] = base_strdup("creel.auth=simple");
    args[n++] = base_strdup("-D");
    args[n++] = base_printf("creel.nodemanager.rm=http://127.0.0.1:%d", fake_rm_port(fx->rm));
    args[n++] = base_strdup("-D");
    args[n++] = base_printf("creel.nodemanager.local-dir=%s", fx->local[i]);
    for (int k = 0; fx->conf[i][k]; k++) {
        args[n++] = base_strdup("-D");
        args[n++] = base_strdup(fx->conf[i][k]);
    }
    args[n] = NULL;
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    char *log = base_printf("%s/nm%d.log", fx->dir, i);
    posix_spawn_file_actions_addopen(&fa, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (posix_spawn(&pid, args[0], &fa, NULL, args, environ)) {
        perror(args[0]);
        abort();
    }
    posix_spawn_file_actions_destroy(&fa);
    free(log);
    for (int k = 0; k < n; k++)
        free(args[k]);
    return fx->nm[i] = pid;
}

void fx_start(struct fx *fx, int i)
{
    int64_t before =
        fake_rm_wait_nodes(fx->rm, (size_t)i + 1, 0) ? fake_rm_registrations(fx->rm, (size_t)i) : 0;
    fx_spawn(fx, i);
    if (!fake_rm_wait_nodes(fx->rm, (size_t)i + 1, FX_WAIT_MS) ||
        !fake_rm_wait_registrations(fx->rm, (size_t)i, before + 1, FX_WAIT_MS)) {
        fprintf(stderr, "node %d did not register; see %s\n", i, fx->dir);
        abort();
    }
}

int fx_wait(struct fx *fx, int i)
{
    int status = -1;
    while (waitpid(fx->nm[i], &status, 0) < 0 && errno == EINTR)
        ;
    fx->nm[i] = 0;
    return status;
}

void fx_kill(struct fx *fx, int i, int sig)
{
    kill(fx->nm[i], sig);
    fx_wait(fx, i);
}

static void kill_container(const char *path)
{
    char *file = base_printf("%s/pid.json", path);
    struct base_buf b = {0};
    int shim;
    if (base_file_read(file, 4096, &b, NULL) >= 0 && b.data) {
        const char *at = strstr(b.data, "\"shimPid\":");
        struct nm_proc p;
        long long start = 0;
        if (at && sscanf(at, "\"shimPid\":%d,\"shimStart\":%lld", &shim, &start) == 2 &&
            nm_proc_read_stat(shim, &p) && p.start == start) {
            nm_tree_signal(shim, SIGKILL);
            kill(shim, SIGCONT); /* a test, or its container, may have stopped it */
        }
    }
    base_buf_free(&b);
    free(file);
}

static void kill_containers(const char *local)
{
    char *apps = base_printf("%s/records", local);
    DIR *d = opendir(apps);
    struct dirent *e, *c;
    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        char *app = base_printf("%s/%s", apps, e->d_name);
        DIR *in = opendir(app);
        while (in && (c = readdir(in)) != NULL) {
            if (strncmp(c->d_name, "container_", 10) == 0) {
                char *path = base_printf("%s/%s", app, c->d_name);
                kill_container(path);
                free(path);
            }
        }
        if (in)
            closedir(in);
        free(app);
    }
    if (d)
        closedir(d);
    free(apps);
}

void fx_free(struct fx *fx)
{
    for (int i = 0; i < FX_NODES_MAX; i++) {
        if (fx->nm[i] > 0)
            fx_kill(fx, i, SIGTERM);
        kill_containers(fx->local[i]);
    }
    fake_rm_stop(fx->rm);
    if (!getenv("CREEL_KEEP"))
        base_rmtree(fx->dir, NULL);
    free(fx);
}

bool fx_until(bool (*test)(void *u), void *u)
{
    int64_t end = base_mono_us(&base_clock_real) + (int64_t)FX_WAIT_MS * 1000;
    bool ok;
    while (!(ok = test(u)) && base_mono_us(&base_clock_real) < end)
        poll(NULL, 0, 5);
    return ok;
}

static bool readable(void *u)
{
    struct base_buf b = {0};
    bool ok = base_file_read(u, 1 << 20, &b, NULL) >= 0 && b.len > 0;
    base_buf_free(&b);
    return ok;
}

char *fx_file(const char *fmt, ...)
{
    struct base_buf path = {0}, b = {0};
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&path, fmt, ap);
    va_end(ap);
    char *text = NULL;
    if (fx_until(readable, path.data) && base_file_read(path.data, 1 << 20, &b, NULL) >= 0)
        text = base_buf_take(&b);
    base_buf_free(&path);
    return text;
}

bool fx_exists(const char *fmt, ...)
{
    struct base_buf path = {0};
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&path, fmt, ap);
    va_end(ap);
    bool there = access(path.data, F_OK) == 0;
    base_buf_free(&path);
    return there;
}

static bool gone(void *u)
{
    struct nm_proc p;
    return !nm_proc_read_stat(*(pid_t *)u, &p) || p.state == 'Z';
}

bool fx_gone(pid_t pid)
{
    return fx_until(gone, &pid);
}

static bool has_pending_stop(pid_t pid)
{
    char path[48], line[256];
    unsigned long long pending = 0;
    FILE *f;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if ((f = fopen(path, "re")) == NULL)
        return false;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "ShdPnd: %llx", &pending) == 1)
            break;
    fclose(f);
    return pending >> (SIGSTOP - 1) & 1;
}

bool fx_is_stopped(pid_t pid)
{
    struct nm_proc p;
    return nm_proc_read_stat(pid, &p) &&
           (p.state == 'T' || (p.state == 'D' && has_pending_stop(pid)));
}

int64_t fx_number(json_t *report, const char *name)
{
    json_t *v = json_object_get(report, name);
    return json_is_integer(v) ? json_integer_value(v) : INT64_MIN;
}

int64_t fx_exit_code(struct fx *fx, const char *container)
{
    json_t *r = fake_rm_wait_state(fx->rm, container, "complete", FX_WAIT_MS);
    int64_t code = fx_number(r, "exitCode");
    json_decref(r);
    return code;
}

long fx_get(struct fx *fx, int i, const char *path, const char *bearer, struct base_buf *out)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a = {0};
    struct base_error err = {0};
    char *url = base_printf("http://%s%s", fake_rm_node_id(fx->rm, (size_t)i), path);
    struct base_http_request rq = {.method = "GET", .url = url, .bearer = bearer, .accept = "*/*"};
    long status = base_http_perform(h, &rq, &a, &err) < 0 ? -1 : a.status;
    if (out) {
        base_buf_free(out);
        *out = a.body;
        memset(&a.body, 0, sizeof a.body);
    }
    base_http_answer_free(&a);
    base_http_free(h);
    free(url);
    return status;
}

const char *fx_app(void)
{
    static char text[64];
    snprintf(text, sizeof text, "application_%d_0001", getpid());
    return text;
}

const char *fx_ct(int n, char buf[static 64])
{
    snprintf(buf, 64, "container_%d_0001_01_%06d", getpid(), n);
    return buf;
}

const char *fx_container_token(const char *secret, const char *container, int64_t life_ms)
{
    static char text[BASE_CONTAINER_TOKEN_MAX];
    struct base_container_id id;

    base_assert(base_container_id_parse(container, &id, NULL) == 0);
    return base_container_token_make(secret, &id, base_wall_us(&base_clock_real) / 1000 + life_ms,
                                     text);
}
