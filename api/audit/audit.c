#include "api/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/audit/limit.h"
#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/log.h"

static struct {
    pthread_mutex_t lock;
    const struct api_audit_operation *ops;
    size_t n_ops;
    const char *key; /* the configuration's key that names the path */
    char *path;
    int fd;       /* -1: none */
    bool partial; /* the file may end in half a line: begin the next write with a newline */
    struct api_audit_limit limit;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* ---------------------------------------------------------------- the line */
static bool needs_no_quotes(const char *value)
{
    if (!*value || strlen(value) > API_AUDIT_VALUE_MAX)
        return false;
    for (; *value; value++) {
        bool letter = (*value >= 'a' && *value <= 'z') || (*value >= 'A' && *value <= 'Z');
        if (!letter && !strchr("0123456789._:/@%+,-", *value))
            return false;
    }
    return true;
}

void api_audit_append_member(struct base_buf *out, const char *key, const char *value)
{
    size_t n = 0;

    base_buf_addf(out, "%s%s=", out->len ? " " : "", key);
    if (needs_no_quotes(value)) {
        base_buf_adds(out, value);
        return;
    }
    base_buf_adds(out, "\"");
    for (; value[n] && n < API_AUDIT_VALUE_MAX; n++) {
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
            base_log_error("audit", "%s: %s cannot be written: %s", file.key, file.path,
                           strerror(-rc));
    }
    pthread_mutex_unlock(&file.lock);
    base_buf_free(&whole);
    return rc >= 0;
}

/* If the file could not be written, the line is logged at any level. */
void api_audit_log_line(const struct base_buf *line)
{
    if (write_to_audit_file(line))
        base_log_info("audit", "%s", line->data);
    else
        base_log_always(BASE_LOG_INFO, "audit", "%s", line->data);
}

static int open_audit_file(const char *key, const char *path, struct base_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);

    return fd >= 0 ? fd : base_error_sys(err, -BASE_EIO, errno, "%s: %s", key, path);
}

int api_audit_open(const struct api_audit_operation *ops, size_t n, const char *key,
                   const char *path, struct base_error *err)
{
    int fd;

    file.ops = ops;
    file.n_ops = n;
    file.key = key;
    if (!path || !*path)
        return 0;
    fd = open_audit_file(key, path, err);
    if (fd < 0)
        return fd;
    pthread_mutex_lock(&file.lock);
    file.path = base_strdup(path);
    file.fd = fd;
    file.partial = ends_in_partial_line(fd);
    pthread_mutex_unlock(&file.lock);
    return 0;
}

void api_audit_reopen(void)
{
    struct base_error err = {0};
    int fd;

    pthread_mutex_lock(&file.lock);
    fd = file.path ? open_audit_file(file.key, file.path, &err) : -1;
    if (fd >= 0) {
        close(file.fd);
        file.fd = fd;
        file.partial = ends_in_partial_line(fd);
    }
    pthread_mutex_unlock(&file.lock);
    if (err.code)
        base_log_error("audit", "%s; lines go to the old one", err.text);
}

/* ---------------------------------------------------------------- refusals that leave no line */
static void log_left_out_refusals(const struct api_audit_limit *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct base_buf line = {0};

        if (!l->of[i].left_out)
            continue;
        api_audit_append_member(&line, "op", "left-out");
        api_audit_append_member(&line, "ip", l->of[i].ip);
        base_buf_addf(&line, " result=refused count=%lld why=\"more than %d refusals within %d s\"",
                      (long long)l->of[i].left_out, API_AUDIT_REFUSALS, API_AUDIT_WINDOW_S);
        api_audit_log_line(&line);
        base_buf_free(&line);
    }
}

/* Ends the window if it is over (@even_if_not_over: in any case), and logs how many refusals were
 * left out. */
static void end_refusal_window(bool even_if_not_over)
{
    struct api_audit_limit ended = {0};

    pthread_mutex_lock(&file.lock);
    if (even_if_not_over ||
        api_audit_limit_window_is_over(&file.limit, base_mono_us(&base_clock_real))) {
        ended = file.limit;
        file.limit = (struct api_audit_limit){0};
    }
    pthread_mutex_unlock(&file.lock);
    log_left_out_refusals(&ended);
}

/* Returns true when the refusal may be logged. */
static bool count_refusal_and_may_log(const char *ip)
{
    bool may;

    pthread_mutex_lock(&file.lock);
    may = api_audit_limit_count_and_may_log(&file.limit, ip, base_mono_us(&base_clock_real));
    pthread_mutex_unlock(&file.lock);
    return may;
}

void api_audit_end_refusal_window_if_over(void)
{
    end_refusal_window(false);
}

void api_audit_close(void)
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
    bool forbidden;  /* refused for its caller */
    char *bad_proof; /* why its token or session is not valid */
};

static void notes_free(void *p)
{
    struct notes *n = p;

    base_buf_free(&n->members);
    free(n->refusal);
    free(n->bad_proof);
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

void api_audit_add_member(struct api_request *rq, const char *key, const char *value)
{
    api_audit_append_member(&get_or_add_notes(rq)->members, key, value ? value : "");
}

void api_audit_mark_refused(struct api_request *rq, const char *why)
{
    struct notes *n = get_or_add_notes(rq);

    free(n->refusal);
    n->refusal = base_strdup(why);
}

void api_audit_mark_forbidden(struct api_request *rq, const char *why)
{
    api_audit_mark_refused(rq, why);
    get_or_add_notes(rq)->forbidden = true;
}

void api_audit_note_bad_proof(struct api_request *rq, const char *why)
{
    struct notes *n = get_or_add_notes(rq);

    free(n->bad_proof);
    n->bad_proof = base_strdup(why);
}

/* Returns the name of the operation that the request is logged as; NULL: it is not logged. */
static const char *find_operation_to_log(const struct api_request *rq, const struct notes *n,
                                         unsigned status)
{
    const struct api_route *route = api_route_of(rq);
    bool stranger = status == 401 || status == 403 || status == 421 || (n && n->forbidden);

    for (size_t i = 0; route && i < file.n_ops; i++) {
        const struct api_audit_operation *o = &file.ops[i];

        if (strcmp(o->path, route->path) == 0 && strcmp(o->method, route->method) == 0)
            return o->refusals_only && (status < 400 || status >= 500) ? NULL : o->name;
    }
    return stranger ? "request" : NULL;
}

void api_audit_log_answer(struct api_request *rq, unsigned status, void *user)
{
    const struct notes *n = api_request_slot(rq);
    const char *op = find_operation_to_log(rq, n, status), *why = api_refusal_text(rq);
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
    else if (n && n->bad_proof && status == 401)
        why = n->bad_proof;
    api_audit_append_member(&line, "op", op);
    api_audit_append_member(&line, "user", api_caller(rq) ? api_caller(rq) : "-");
    api_audit_append_member(&line, "ip", api_peer(rq));
    api_audit_append_member(&line, "result", result);
    snprintf(number, sizeof number, "%u", status);
    api_audit_append_member(&line, "status", number);
    if (strcmp(op, "request") == 0)
        api_audit_append_member(&line, "path", api_path(rq));
    else if (strstr(api_route_of(rq)->path, "{appid}") && api_path_arg(rq, 0))
        api_audit_append_member(&line, "app", api_path_arg(rq, 0));
    if (n && n->members.len)
        base_buf_addf(&line, " %s", n->members.data);
    if (why && *why)
        api_audit_append_member(&line, "why", why);
    api_audit_log_line(&line);
    base_buf_free(&line);
}

/* ---------------------------------------------------------------- operations without a request */
void api_audit_log_call(const char *op, const char *user, const char *ip, const char *app,
                        const char *why)
{
    api_audit_log_call_with(op, user, ip, app, NULL, why);
}

void api_audit_log_refused_connection(void *user, const char *name, const char *peer,
                                      const char *why)
{
    (void)user;
    api_audit_log_call("connect", name ? name : "-", peer, "", why);
}

void api_audit_log_call_with(const char *op, const char *user, const char *ip, const char *app,
                             const char *members, const char *why)
{
    struct base_buf line = {0};

    end_refusal_window(false);
    if (why && !count_refusal_and_may_log(ip))
        return;
    api_audit_append_member(&line, "op", op);
    api_audit_append_member(&line, "user", user);
    api_audit_append_member(&line, "ip", ip);
    api_audit_append_member(&line, "result", why ? "refused" : "success");
    api_audit_append_member(&line, "by", "rpc");
    if (*app)
        api_audit_append_member(&line, "app", app);
    if (members)
        base_buf_addf(&line, " %s", members);
    if (why)
        api_audit_append_member(&line, "why", why);
    api_audit_log_line(&line);
    base_buf_free(&line);
}

void api_audit_log_own_operation(const char *op, const char *by, const char *why)
{
    struct base_buf line = {0};

    api_audit_append_member(&line, "op", op);
    api_audit_append_member(&line, "by", by);
    api_audit_append_member(&line, "result", why ? "refused" : "success");
    if (why)
        api_audit_append_member(&line, "why", why);
    api_audit_log_line(&line);
    base_buf_free(&line);
}
