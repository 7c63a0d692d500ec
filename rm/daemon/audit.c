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
    {"PUT", "/proxy/{appid}/ws/v1/mapreduce/jobs/{jobid}/tasks/{taskid}/attempts/{attemptid}/state",
     "kill-attempt", false},
    {"PUT", CLUSTER "/scheduler/policy", "set-policy", false},
    {"POST", CLUSTER "/scheduler/queues/refresh", "refresh-queues", false},
    {"PUT", CLUSTER "/scheduler-conf", "set-scheduler-conf", false},
    {"GET", CLUSTER "/scheduler-conf/format", "format-scheduler-conf", false},
    {"PUT", CLUSTER "/refresh-nodes", "refresh-nodes", false},
    {"PUT", CLUSTER "/nodes/{nodeid}/drain", "drain", false},
    {"POST", CLUSTER "/nodes/{nodeid}/resource", "node-resource", false},
    {"POST", CLUSTER "/nodes/{nodeid}/replace-labels", "label-nodes", false},
    {"POST", CLUSTER "/replace-node-to-labels", "label-nodes", false},
    {"POST", CLUSTER "/add-node-labels", "add-labels", false},
    {"POST", CLUSTER "/remove-node-labels", "remove-labels", false},
    {"POST", CLUSTER "/reservation/submit", "submit-reservation", false},
    {"POST", CLUSTER "/reservation/update", "update-reservation", false},
    {"POST", CLUSTER "/reservation/delete", "delete-reservation", false},
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
    int fd;       /* -1: none */
    bool partial; /* the file may end in half a line: begin the next write with a newline */
    struct rm_audit_limit limit;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* ---------------------------------------------------------------- the line */
static bool needs_no_quotes(const char *value)
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

void rm_audit_append_member(struct base_buf *out, const char *key, const char *value)
{
    size_t n = 0;

    base_buf_addf(out, "%s%s=", out->len ? " " : "", key);
    if (needs_no_quotes(value)) {
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
/* Returns true when the last line of the file lacks its newline, as after a full disk or a power
 * cut, or when the file cannot be read: an additional empty line does no harm. */
static bool ends_in_partial_line(int fd)
{
    char path[32], last = '\0';
    struct stat st;
    int in;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* @fd is for writing only */
    in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return true;
    if (pread(in, &last, 1, st.st_size - 1) != 1)
        last = '\0';
    close(in);
    return last != '\n';
}

/* Returns false when there is no file, or the line could not be written to it. */
static bool write_to_audit_file(const struct base_buf *line)
{
    struct base_buf whole = {0};
    struct timespec ts;
    struct tm tm;
    int rc = -1;

    pthread_mutex_lock(&file.lock);
    if (file.fd >= 0) {
        clock_gettime(CLOCK_REALTIME, &ts);
        gmtime_r(&ts.tv_sec, &tm);
        base_buf_addf(&whole, "%s%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s\n",
                      file.partial ? "\n" : "", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                      tm.tm_hour, tm.tm_min, tm.tm_sec, ts.tv_nsec / 1000000, line->data);
        rc = base_write_all(file.fd, whole.data, whole.len);
        file.partial = rc < 0 && ends_in_partial_line(file.fd);
        if (rc < 0)
            base_log_error("rm", "creel.rm.audit-log: %s cannot be written: %s", file.path,
                           strerror(-rc));
    }
    pthread_mutex_unlock(&file.lock);
    base_buf_free(&whole);
    return rc >= 0;
}

/* Writes the line to the file and to the log. If the file could not be written, the line is logged
 * at any level. */
static void log_audit_line(const struct base_buf *line)
{
    if (write_to_audit_file(line))
        base_log_info("audit", "%s", line->data);
    else
        base_log_always(BASE_LOG_INFO, "audit", "%s", line->data);
}

static int open_audit_file(const char *path, struct base_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);

    return fd >= 0 ? fd : base_error_sys(err, -BASE_EIO, errno, "creel.rm.audit-log: %s", path);
}

int rm_audit_open(const char *path, struct base_error *err)
{
    int fd;

    if (!path || !*path)
        return 0;
    fd = open_audit_file(path, err);
    if (fd < 0)
        return fd;
    pthread_mutex_lock(&file.lock);
    file.path = base_strdup(path);
    file.fd = fd;
    file.partial = ends_in_partial_line(fd);
    pthread_mutex_unlock(&file.lock);
    return 0;
}

void rm_audit_reopen(void)
{
    struct base_error err = {0};
    int fd;

    pthread_mutex_lock(&file.lock);
    fd = file.path ? open_audit_file(file.path, &err) : -1;
    if (fd >= 0) {
        close(file.fd);
        file.fd = fd;
        file.partial = ends_in_partial_line(fd);
    }
    pthread_mutex_unlock(&file.lock);
    if (err.code)
        base_log_error("rm", "%s; lines go to the old one", err.text);
}

/* ---------------------------------------------------------------- refusals that leave no line */
static void log_left_out_refusals(const struct rm_audit_limit *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct base_buf line = {0};

        if (!l->of[i].left_out)
            continue;
        rm_audit_append_member(&line, "op", "left-out");
        rm_audit_append_member(&line, "ip", l->of[i].ip);
        base_buf_addf(&line, " result=refused count=%lld why=\"more than %d refusals within %d s\"",
                      (long long)l->of[i].left_out, RM_AUDIT_REFUSALS, RM_AUDIT_WINDOW_S);
        log_audit_line(&line);
        base_buf_free(&line);
    }
}

/* Ends the window if it is over (@even_if_not_over: in any case), and logs how many refusals were
 * left out. */
static void end_refusal_window(bool even_if_not_over)
{
    struct rm_audit_limit ended = {0};

    pthread_mutex_lock(&file.lock);
    if (even_if_not_over ||
        rm_audit_limit_window_is_over(&file.limit, base_mono_us(&base_clock_real))) {
        ended = file.limit;
        file.limit = (struct rm_audit_limit){0};
    }
    pthread_mutex_unlock(&file.lock);
    log_left_out_refusals(&ended);
}

/* Returns true when the refusal may be logged. */
static bool count_refusal_and_may_log(const char *ip)
{
    bool may;

    pthread_mutex_lock(&file.lock);
    may = rm_audit_limit_count_and_may_log(&file.limit, ip, base_mono_us(&base_clock_real));
    pthread_mutex_unlock(&file.lock);
    return may;
}

void rm_audit_log_left_out_refusals(void)
{
    end_refusal_window(false);
}

void rm_audit_close(void)
{
    end_refusal_window(true);
    pthread_mutex_lock(&file.lock);
    if (file.fd >= 0)
        close(file.fd);
    free(file.path);
    file.path = NULL;
    file.fd = -1;
    file.partial = false;
    pthread_mutex_unlock(&file.lock);
}

/* ---------------------------------------------------------------- requests */
struct notes { /* in the request's slot: members of its line, and why it was refused */
    struct base_buf members;
    char *refusal;
    bool forbidden; /* refused for its caller */
};

static void notes_free(void *p)
{
    struct notes *n = p;

    base_buf_free(&n->members);
    free(n->refusal);
    free(n);
}

static struct notes *get_or_add_notes(struct api_request *rq)
{
    struct notes *n = api_request_slot(rq);

    if (!n) {
        n = base_alloc(sizeof *n);
        api_request_set_slot(rq, n, notes_free);
    }
    return n;
}

void rm_audit_add_member(struct api_request *rq, const char *key, const char *value)
{
    rm_audit_append_member(&get_or_add_notes(rq)->members, key, value ? value : "");
}

void rm_audit_mark_refused(struct api_request *rq, const char *why)
{
    struct notes *n = get_or_add_notes(rq);

    free(n->refusal);
    n->refusal = base_strdup(why);
}

void rm_audit_mark_forbidden(struct api_request *rq, const char *why)
{
    rm_audit_mark_refused(rq, why);
    get_or_add_notes(rq)->forbidden = true;
}

/* Returns the name of the operation that the request is logged as; NULL: it is not logged. */
static const char *find_operation(const struct api_request *rq, const struct notes *n,
                                  unsigned status)
{
    const struct api_route *route = api_route_of(rq);
    bool stranger = status == 401 || status == 403 || status == 421 || (n && n->forbidden);

    for (size_t i = 0; route && i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].path, route->path) == 0 && strcmp(ops[i].method, route->method) == 0)
            return ops[i].refusals_only && (status < 400 || status >= 500) ? NULL : ops[i].op;
    return stranger ? "request" : NULL;
}

void rm_audit_log_answer(struct api_request *rq, unsigned status, void *user)
{
    const struct notes *n = api_request_slot(rq);
    const char *op = find_operation(rq, n, status), *why = api_refusal_text(rq);
    const char *result = n && n->forbidden                    ? "refused"
                         : status >= 500                      ? "failed"
                         : status >= 400 || (n && n->refusal) ? "refused"
                                                              : "success";
    struct base_buf line = {0};
    char number[16];

    (void)user;
    if (!op || status == 307)
        return;
    end_refusal_window(false);
    if (strcmp(result, "success") != 0 && !count_refusal_and_may_log(api_peer(rq)))
        return;
    if (n && n->refusal)
        why = n->refusal;
    rm_audit_append_member(&line, "op", op);
    rm_audit_append_member(&line, "user", api_caller(rq) ? api_caller(rq) : "-");
    rm_audit_append_member(&line, "ip", api_peer(rq));
    rm_audit_append_member(&line, "result", result);
    snprintf(number, sizeof number, "%u", status);
    rm_audit_append_member(&line, "status", number);
    if (strcmp(op, "request") == 0)
        rm_audit_append_member(&line, "path", api_path(rq));
    else if (strstr(api_route_of(rq)->path, "{appid}") && api_path_arg(rq, 0))
        rm_audit_append_member(&line, "app", api_path_arg(rq, 0));
    if (n && n->members.len)
        base_buf_addf(&line, " %s", n->members.data);
    if (why && *why)
        rm_audit_append_member(&line, "why", why);
    log_audit_line(&line);
    base_buf_free(&line);
}

/* ---------------------------------------------------------------- operations without a request */
void rm_audit_log_app_end(const struct rm_effect *fx)
{
    static const char *const results[] = {[RM_FINAL_UNDEFINED] = "undefined",
                                          [RM_FINAL_SUCCEEDED] = "success",
                                          [RM_FINAL_FAILED] = "failed",
                                          [RM_FINAL_KILLED] = "killed"};
    struct base_buf line = {0};
    char id[BASE_ID_TEXT_MAX];
    enum rm_final_status status = fx->u.ended.final_status;

    rm_audit_append_member(&line, "op", "end");
    rm_audit_append_member(&line, "user", fx->u.ended.user);
    rm_audit_append_member(&line, "result",
                           fx->u.ended.refused ? "refused"
                           : (size_t)status < sizeof results / sizeof *results && results[status]
                               ? results[status]
                               : "other");
    rm_audit_append_member(&line, "app", base_app_id_text(&fx->u.ended.id, id));
    rm_audit_append_member(&line, "name", fx->u.ended.name);
    rm_audit_append_member(&line, "queue", fx->u.ended.queue);
    rm_audit_append_member(&line, "state", rm_app_state_name(fx->u.ended.state));
    if (*fx->u.ended.diagnostics)
        rm_audit_append_member(&line, "why", fx->u.ended.diagnostics);
    log_audit_line(&line);
    base_buf_free(&line);
}

void rm_audit_log_own_operation(const char *op, const char *by, const char *why)
{
    struct base_buf line = {0};

    rm_audit_append_member(&line, "op", op);
    rm_audit_append_member(&line, "by", by);
    rm_audit_append_member(&line, "result", why ? "refused" : "success");
    if (why)
        rm_audit_append_member(&line, "why", why);
    log_audit_line(&line);
    base_buf_free(&line);
}
