#include "rm/daemon/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/daemon/audit_limit.h"

#define CLUSTER "/ws/v1/cluster"
#define TRACKER "/ws/v1/nodetracker"
#define MASTER  CLUSTER "/apps/{appid}/master"

static const struct {
    const char *method, *path, *op;
    bool refusals_only;
} ops[] = {
    {"POST", CLUSTER "/jobs", "submit-job", false},
    {"POST", CLUSTER "/apps", "submit-app", false},
    {"POST", CLUSTER "/apps/new-application", "new-application", true},
    {"PUT", CLUSTER "/apps/{appid}/state", "kill", false},
    {"PUT", CLUSTER "/apps/{appid}/queue", "move", false},
    {"PUT", CLUSTER "/scheduler/policy", "set-policy", false},
    {"POST", CLUSTER "/scheduler/queues/refresh", "refresh-queues", false},
    {"POST", CLUSTER "/ha", "ha-state", false},
    {"POST", TRACKER "/register", "register-node", false},
    {"POST", TRACKER "/unregister", "unregister-node", false},
    {"POST", TRACKER "/heartbeat", "heartbeat", true},
    {"POST", TRACKER "/commit", "commit", true},
    {"POST", MASTER "/register", "register-master", false},
    {"POST", MASTER "/allocate", "allocate", true},
    {"POST", MASTER "/finish", "finish-master", false},
};

static struct {
    pthread_mutex_t lock;
    char *path;
    int fd;    /* -1: none */
    bool half; /* the file may end in half a line: the next one begins on a line of its own */
    struct rm_audit_limit limit;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* ---------------------------------------------------------------- the line */
static bool is_plain(const char *value)
{
    if (!*value || strlen(value) > RM_AUDIT_VALUE_MAX)
        return false;
    for (; *value; value++) {
        bool letter = (*value >= 'a' && *value <= 'z') || (*value >= 'A' && *value <= 'Z');
        if (!letter && !strchr("0123456789._:/@%+,-", *value))
            return false;
    }
    return true;
}

void rm_audit_put(struct base_buf *out, const char *key, const char *value)
{
    size_t n = 0;

    base_buf_addf(out, "%s%s=", out->len ? " " : "", key);
    if (is_plain(value)) {
        base_buf_adds(out, value);
        return;
    }
    base_buf_adds(out, "\"");
    for (; value[n] && n < RM_AUDIT_VALUE_MAX; n++) {
        if (value[n] >= ' ' && value[n] < 0x7f && value[n] != '"' && value[n] != '\\')
            base_buf_add(out, value + n, 1);
        else
            base_buf_addf(out, "\\x%02x", (unsigned char)value[n]);
    }
    base_buf_adds(out, value[n] ? "...\"" : "\"");
}

/* ---------------------------------------------------------------- the file */
/* A full disk or a power cut may leave half a line. When in doubt, begin with an empty line: it
 * does no harm. */
static bool ends_in_half(int fd)
{
    char path[32], last = '\0';
    struct stat st;
    int in;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* @fd is for writing alone */
    in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return true;
    if (pread(in, &last, 1, st.st_size - 1) != 1)
        last = '\0';
    close(in);
    return last != '\n';
}

/* False: there is no file, or the line is not in it. */
static bool write_file(const struct base_buf *line)
{
    struct base_buf whole = {0};
    struct timespec ts;
    struct tm tm;
    int rc = -1;

    pthread_mutex_lock(&file.lock);
    if (file.fd >= 0) {
        clock_gettime(CLOCK_REALTIME, &ts);
        gmtime_r(&ts.tv_sec, &tm);
        base_buf_addf(&whole, "%s%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s\n", file.half ? "\n" : "",
                      tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
                      tm.tm_sec, ts.tv_nsec / 1000000, line->data);
        rc = base_write_all(file.fd, whole.data, whole.len);
        file.half = rc < 0 && ends_in_half(file.fd);
        if (rc < 0)
            base_log_error("rm", "creel.rm.audit-log: %s cannot be written: %s", file.path,
                           strerror(-rc));
    }
    pthread_mutex_unlock(&file.lock);
    base_buf_free(&whole);
    return rc >= 0;
}

/* To the log as well. A line that is in no file is logged at any level. */
static void write_line(const struct base_buf *line)
{
    if (write_file(line))
        base_log_info("audit", "%s", line->data);
    else
        base_log_always(BASE_LOG_INFO, "audit", "%s", line->data);
}

static int open_file(const char *path, struct base_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);

    return fd >= 0 ? fd : base_error_sys(err, -BASE_EIO, errno, "creel.rm.audit-log: %s", path);
}

int rm_audit_open(const char *path, struct base_error *err)
{
    int fd;

    if (!path || !*path)
        return 0;
    fd = open_file(path, err);
    if (fd < 0)
        return fd;
    pthread_mutex_lock(&file.lock);
    file.path = base_strdup(path);
    file.fd = fd;
    file.half = ends_in_half(fd);
    pthread_mutex_unlock(&file.lock);
    return 0;
}

void rm_audit_reopen(void)
{
    struct base_error err = {0};
    int fd;

    pthread_mutex_lock(&file.lock);
    fd = file.path ? open_file(file.path, &err) : -1;
    if (fd >= 0) {
        close(file.fd);
        file.fd = fd;
        file.half = ends_in_half(fd);
    }
    pthread_mutex_unlock(&file.lock);
    if (err.code)
        base_log_error("rm", "%s; lines go to the old one", err.text);
}

/* ---------------------------------------------------------------- refusals that leave no line */
static void tell_left_out(const struct rm_audit_limit *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct base_buf line = {0};

        if (!l->of[i].left_out)
            continue;
        rm_audit_put(&line, "op", "left-out");
        rm_audit_put(&line, "ip", l->of[i].ip);
        base_buf_addf(&line, " result=refused count=%lld why=\"more than %d refusals within %d s\"",
                      (long long)l->of[i].left_out, RM_AUDIT_REFUSALS, RM_AUDIT_WINDOW_S);
        write_line(&line);
        base_buf_free(&line);
    }
}

/* Ends the window if it is over (or unconditionally), and logs what was left out of it. */
static void end_window(bool any)
{
    struct rm_audit_limit ended = {0};

    pthread_mutex_lock(&file.lock);
    if (any || rm_audit_limit_over(&file.limit, base_mono_us(&base_clock_real))) {
        ended = file.limit;
        file.limit = (struct rm_audit_limit){0};
    }
    pthread_mutex_unlock(&file.lock);
    tell_left_out(&ended);
}

static bool may_leave_line(const char *ip)
{
    bool may;

    pthread_mutex_lock(&file.lock);
    may = rm_audit_limit_take(&file.limit, ip, base_mono_us(&base_clock_real));
    pthread_mutex_unlock(&file.lock);
    return may;
}

void rm_audit_tick(void)
{
    end_window(false);
}

void rm_audit_close(void)
{
    end_window(true);
    pthread_mutex_lock(&file.lock);
    if (file.fd >= 0)
        close(file.fd);
    free(file.path);
    file.path = NULL;
    file.fd = -1;
    file.half = false;
    pthread_mutex_unlock(&file.lock);
}

/* ---------------------------------------------------------------- requests */
struct notes { /* a request's slot */
    struct base_buf members;
    char *refusal;
};

static void notes_free(void *p)
{
    struct notes *n = p;

    base_buf_free(&n->members);
    free(n->refusal);
    free(n);
}

static struct notes *notes_of(struct api_request *rq)
{
    struct notes *n = api_request_slot(rq);

    if (!n) {
        n = base_alloc(sizeof *n);
        api_request_set_slot(rq, n, notes_free);
    }
    return n;
}

void rm_audit_note(struct api_request *rq, const char *key, const char *value)
{
    rm_audit_put(&notes_of(rq)->members, key, value ? value : "");
}

void rm_audit_refuse(struct api_request *rq, const char *why)
{
    struct notes *n = notes_of(rq);

    free(n->refusal);
    n->refusal = base_strdup(why);
}

/* NULL: not a fact. */
static const char *op_of(const struct api_request *rq, unsigned status)
{
    const struct api_route *route = api_route_of(rq);
    bool stranger = status == 401 || status == 403 || status == 421;

    for (size_t i = 0; route && i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].path, route->path) == 0 && strcmp(ops[i].method, route->method) == 0)
            return ops[i].refusals_only && (status < 400 || status >= 500) ? NULL : ops[i].op;
    return stranger ? "request" : NULL;
}

void rm_audit_answer(struct api_request *rq, unsigned status, void *user)
{
    const char *op = op_of(rq, status), *why = api_refusal_text(rq);
    const struct notes *n = api_request_slot(rq);
    const char *result = status >= 500                        ? "failed"
                         : status >= 400 || (n && n->refusal) ? "refused"
                                                              : "success";
    struct base_buf line = {0};
    char number[16];

    (void)user;
    if (!op || status == 307)
        return;
    end_window(false);
    if (strcmp(result, "success") != 0 && !may_leave_line(api_peer(rq)))
        return;
    if (n && n->refusal)
        why = n->refusal;
    rm_audit_put(&line, "op", op);
    rm_audit_put(&line, "user", api_caller(rq) ? api_caller(rq) : "-");
    rm_audit_put(&line, "ip", api_peer(rq));
    rm_audit_put(&line, "result", result);
    snprintf(number, sizeof number, "%u", status);
    rm_audit_put(&line, "status", number);
    if (strcmp(op, "request") == 0)
        rm_audit_put(&line, "path", api_path(rq));
    else if (strstr(api_route_of(rq)->path, "{appid}") && api_path_arg(rq, 0))
        rm_audit_put(&line, "app", api_path_arg(rq, 0));
    if (n && n->members.len)
        base_buf_addf(&line, " %s", n->members.data);
    if (why && *why)
        rm_audit_put(&line, "why", why);
    write_line(&line);
    base_buf_free(&line);
}

/* ---------------------------------------------------------------- facts of no request */
void rm_audit_end(const struct rm_effect *fx)
{
    static const char *const results[] = {[RM_FINAL_UNDEFINED] = "undefined",
                                          [RM_FINAL_SUCCEEDED] = "success",
                                          [RM_FINAL_FAILED] = "failed",
                                          [RM_FINAL_KILLED] = "killed"};
    struct base_buf line = {0};
    char id[BASE_ID_TEXT_MAX];
    enum rm_final_status status = fx->u.ended.final_status;

    rm_audit_put(&line, "op", "end");
    rm_audit_put(&line, "user", fx->u.ended.user);
    rm_audit_put(&line, "result",
                 fx->u.ended.refused ? "refused"
                 : (size_t)status < sizeof results / sizeof *results && results[status]
                     ? results[status]
                     : "other");
    rm_audit_put(&line, "app", base_app_id_text(&fx->u.ended.id, id));
    rm_audit_put(&line, "name", fx->u.ended.name);
    rm_audit_put(&line, "queue", fx->u.ended.queue);
    rm_audit_put(&line, "state", rm_app_state_name(fx->u.ended.state));
    if (*fx->u.ended.diagnostics)
        rm_audit_put(&line, "why", fx->u.ended.diagnostics);
    write_line(&line);
    base_buf_free(&line);
}

void rm_audit_own(const char *op, const char *by, const char *why)
{
    struct base_buf line = {0};

    rm_audit_put(&line, "op", op);
    rm_audit_put(&line, "by", by);
    rm_audit_put(&line, "result", why ? "refused" : "success");
    if (why)
        rm_audit_put(&line, "why", why);
    write_line(&line);
    base_buf_free(&line);
}
