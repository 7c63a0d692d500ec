/* api/cli/job/logs.c - `creel logs ID [-f]`: finds the containers that an id stands for, and shows
 * their logs.
 *
 * The containers come from the tasks of a job, or from the attempts of an application. Containers
 * that neither names are looked for on the nodes, which keep logs longer than the ResourceManager
 * keeps containers: those of ended applications, and of attempts before a task's last one. Whatever
 * should exist and cannot be read is collected as missing, and named at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/job/log_follower.h"
#include "api/cli/job/job.h"
#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/id.h"

enum {
    KEY_APP = 256,
    KEY_CONTAINER,
    KEY_FILES,
    FILES_MAX = 16,
    PROBES_MAX = 2000,
    LOOK_MS = 500,
    SETTLE_MS = 3000,
    SILENCE_MS = 10000, /* after the end of the application, and after each byte since */
    TROUBLE_MS = 1000,  /* without access to a log, before the user is told */
    PATIENCE_MS = 60000,
    NAMED_MAX = 20 /* lines about missing logs */
};

#define NO_NODE "its node is no longer known"

struct logs {
    const char *id;
    bool follow;
    const char *files[FILES_MAX];
    size_t n_files;
    char *file_list; /* -log_files, split in place */
};

/* A container whose logs are to be shown. */
struct source {
    char *container, *node_http, *label; /* label: the task, or "master" */
    struct cli_node *node;               /* NULL: the ResourceManager no longer knows it */
    bool running;                        /* according to the job, at the last look */
    bool absent;                         /* its node has none of the files */
};
/* Logs that should exist and cannot be read: of one container, or of all that ran on one node. */
struct missing {
    char *what, *why;
};
/* A node from which no file could be read, neither directly nor through the RM. */
struct silent {
    const struct cli_node *node;
    char *why;
};
struct sources {
    struct source *v;
    size_t n, cap;
    struct cli_nodes *nodes;
    struct silent *silent;
    size_t n_silent, cap_silent;
    struct missing *missing;
    size_t n_missing, cap_missing;
    int64_t started_ms; /* start of the application */
    int64_t lost;       /* failed and killed attempts that are not the last of their task: their
                           containers are named nowhere */
    bool ended;         /* the application has ended: no new containers */
    bool patient;       /* an RM that does not answer is no error: the caller retries later */
};

/* A file being shown: the state of its stream's sink. */
struct shown {
    const struct source *source;
    const char *file;
    /* header: "==> … <==" before the first byte; prefix: a label before each line */
    bool header, prefix;
    bool any;
    bool error_printed; /* following: the user knows that the log, or its node, cannot be read */
    int64_t error_since_us; /* since when it cannot; 0: it can */
    int fd;
    struct base_buf part; /* with prefix: the unfinished line; with keep: everything */
    bool keep;            /* for --json */
};

static struct source *find_source(const struct sources *s, const char *container)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->v[i].container, container) == 0)
            return &s->v[i];
    return NULL;
}

static void add_source(struct sources *s, const char *container, const char *node_id, const char *node_http,
                       const char *label)
{
    if (!*container || find_source(s, container))
        return;
    base_array_grow(&s->v, s->n, &s->cap);
    s->v[s->n++] =
        (struct source){.container = base_strdup(container),
                        .node_http = base_strdup(node_http),
                        .label = base_strdup(label),
                        .node = *node_http ? cli_nodes_get(s->nodes, node_id, node_http) : NULL};
}

static void add_missing(struct sources *s, const char *what, const char *why)
{
    for (size_t i = 0; i < s->n_missing; i++)
        if (strcmp(s->missing[i].what, what) == 0)
            return;
    base_array_grow(&s->missing, s->n_missing, &s->cap_missing);
    s->missing[s->n_missing++] = (struct missing){base_strdup(what), base_strdup(why)};
}

static void add_missing_source(struct sources *s, const struct source *of, const char *why)
{
    char *what = base_printf("%s (%s)", of->label, of->container);
    struct base_buf line = {0};
    if (*of->node_http && !strstr(why, of->node_http))
        base_buf_addf(&line, "node %s: %s", of->node_http, why);
    else
        base_buf_adds(&line, why);
    add_missing(s, what, line.data);
    base_buf_free(&line);
    free(what);
}

/* Returns CLI_OK, or CLI_INCOMPLETE after printing what is missing. */
static int print_missing(const struct sources *s)
{
    for (size_t i = 0; i < s->n_missing && i < NAMED_MAX; i++)
        cli_error(0, "missing: %s: %s", s->missing[i].what, s->missing[i].why);
    if (s->n_missing > NAMED_MAX)
        cli_error(0, "missing: %zu more", s->n_missing - NAMED_MAX);
    return s->n_missing ? CLI_INCOMPLETE : CLI_OK;
}

static const char *silence_reason(const struct sources *s, const struct cli_node *node)
{
    for (size_t i = 0; i < s->n_silent; i++)
        if (s->silent[i].node == node)
            return s->silent[i].why;
    return NULL;
}

static void missing_clear(struct sources *s)
{
    for (size_t i = 0; i < s->n_missing; i++) {
        free(s->missing[i].what);
        free(s->missing[i].why);
    }
    s->n_missing = 0;
}

static void sources_free(struct sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].container);
        free(s->v[i].node_http);
        free(s->v[i].label);
    }
    for (size_t i = 0; i < s->n_silent; i++)
        free(s->silent[i].why);
    missing_clear(s);
    free(s->missing);
    free(s->silent);
    free(s->v);
    cli_nodes_free(s->nodes);
}

/* Whether @id is that of a job or application, and not of something in it. */
static bool is_app_id(const char *id)
{
    return strncmp(id, "application_", 12) == 0 || strncmp(id, "job_", 4) == 0;
}

/* Whether ids @a or @b are wanted. @want: the only task or container to show; NULL: all. */
static bool is_wanted(const char *want, const char *a, const char *b)
{
    return !want || strcmp(want, a) == 0 || strcmp(want, b) == 0;
}

/* While following, a look must not wait for an RM: the logs have to go on, and the next look comes
 * soon. */
static unsigned request_flags(const struct sources *s)
{
    return s->patient ? CLI_RM_ONCE : 0;
}

/* Prints a request's error, unless the caller will retry. */
static int print_error_unless_patient(const struct sources *s, struct cli_answer *a, int rc)
{
    if (rc != CLI_UNREACHABLE || !s->patient)
        return cli_answer_print_error(a, rc);
    cli_answer_free(a);
    return rc;
}

static int64_t lost_attempts(const json_t *answer)
{
    return cli_int(answer, "job.taskCounts.map.failedAttempts") + cli_int(answer, "job.taskCounts.map.killedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.failedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.killedAttempts");
}

struct task_pages {
    struct sources *out;
    const char *want;
};

static void add_tasks(void *user, const json_t *tasks)
{
    struct task_pages *p = user;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *t = json_array_get(tasks, i);
        if (!is_wanted(p->want, cli_str(t, "id"), cli_str(t, "containerId")))
            continue;
        const char *state = cli_str(t, "state");
        if (*cli_str(t, "containerId") && (strcmp(state, "FAILED") == 0 || strcmp(state, "KILLED") == 0))
            p->out->lost--;
        add_source(p->out, cli_str(t, "containerId"), cli_str(t, "node"), cli_str(t, "nodeHttpAddress"),
                   cli_str(t, "id"));
        struct source *found = find_source(p->out, cli_str(t, "containerId"));
        if (found)
            found->running = strcmp(state, "RUNNING") == 0;
    }
}

/* Adds the containers of the job's tasks. CLI_NOTFOUND: not a job. */
static int find_job_tasks(struct cli *c, const char *app, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    struct task_pages pages = {out, want};
    char *path = base_printf("/ws/v1/cluster/jobs/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, request_flags(out), &a);
    free(path);
    if (rc == CLI_OK) { /* the state first, so that no task can be missed that ends between the two
                           requests */
        out->ended = cli_job_ended(json_object_get(a.json, "job"));
        out->started_ms = cli_int(a.json, "job.submitTime");
        out->lost = lost_attempts(a.json);
        cli_answer_free(&a);
        rc = cli_job_get_tasks(c, app, "", out->patient ? CLI_RM_ONCE : CLI_RM_PATIENT,
                               out->patient, add_tasks, &pages);
    } else if (rc == CLI_NOTFOUND) {
        cli_answer_free(&a);
    } else {
        return print_error_unless_patient(out, &a, rc);
    }
    return rc;
}

/* Adds the live containers of an application's attempt. */
static void find_live_containers(struct cli *c, const char *app, const char *attempt,
                                 const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s/containers", app, attempt);
    if (cli_rm_call(c->rm, "GET", path, NULL, request_flags(out), &a) == CLI_OK) {
        const json_t *list = json_object_get(a.json, "container");
        for (size_t i = 0; i < cli_list_len(list); i++) {
            const json_t *one = cli_list_get(list, i);
            if (is_wanted(want, cli_str(one, "containerId"), ""))
                add_source(out, cli_str(one, "containerId"), cli_str(one, "nodeId"), cli_str(one, "nodeHttpAddress"),
                           "container");
        }
    }
    free(path);
    cli_answer_free(&a);
}

/* Whether the answer lists a file; a node that never ran the container lists none. YARN answers
 * with an object, or with a list of one. */
static bool lists_files(const json_t *answer)
{
    const json_t *infos = json_object_get(answer, "containerLogsInfo");
    for (size_t i = 0; i < cli_list_len(infos); i++)
        if (cli_list_len(json_object_get(cli_list_get(infos, i), "containerLogInfo")) > 0)
            return true;
    return false;
}

/* Nodes that may hold logs: those in contact with the ResourceManager. */
struct node_set {
    struct cli_node **v;
    bool *silent; /* for each: it did not answer */
    size_t n;
    size_t lost; /* number of nodes that were lost since the application began */
    char *lost_id;
};

static void node_set_free(struct node_set *k)
{
    free(k->v);
    free(k->silent);
    free(k->lost_id);
}

static bool list_nodes(struct cli *c, struct sources *out, struct node_set *k)
{
    struct cli_answer a = {0};
    bool ok =
        cli_rm_call(c->rm, "GET", "/ws/v1/cluster/nodes", NULL, request_flags(out), &a) == CLI_OK;
    const json_t *nodes = cli_at(a.json, "nodes.node");
    *k = (struct node_set){.v = base_alloc((cli_list_len(nodes) + 1) * sizeof *k->v),
                           .silent = base_alloc(cli_list_len(nodes) + 1)};
    for (size_t i = 0; i < cli_list_len(nodes); i++) {
        const json_t *one = cli_list_get(nodes, i);
        const char *state = cli_str(one, "state"), *http = cli_str(one, "nodeHTTPAddress");
        bool up = strcmp(state, "RUNNING") == 0 || strcmp(state, "UNHEALTHY") == 0 ||
                  strcmp(state, "DECOMMISSIONING") == 0;
        if (up && *http) {
            k->v[k->n++] = cli_nodes_get(out->nodes, cli_str(one, "id"), http);
        } else if (cli_int(one, "lastHealthUpdate") >= out->started_ms) {
            k->lost++;
            if (!k->lost_id)
                k->lost_id = base_strdup(cli_str(one, "id"));
        }
    }
    cli_answer_free(&a);
    return ok;
}

/* GETs from node @i unless it was silent before. When it does not answer, its logs are missing. */
static int query_node(struct node_set *k, size_t i, const char *path, struct sources *out,
                      struct cli_answer *a)
{
    if (k->silent[i])
        return CLI_UNREACHABLE;
    int rc = cli_node_get(k->v[i], path, a);
    if (rc == CLI_UNREACHABLE) {
        char *what = base_printf("what ran on node %s", cli_node_id(k->v[i]));
        k->silent[i] = true;
        add_missing(out, what, a->error ? a->error : "it does not answer");
        free(what);
    }
    return rc;
}

/* Adds the application's containers that nodes still know, ended ones included. */
static void find_ended_containers(struct cli *c, const char *app, const char *want,
                                  struct sources *out)
{
    struct node_set k;
    bool any = list_nodes(c, out, &k);
    for (size_t i = 0; any && i < k.n; i++) {
        struct cli_answer a = {0};
        const char *id = cli_node_id(k.v[i]), *http = cli_node_http(k.v[i]);
        char *path = base_printf("apps/%s", app);
        if (query_node(&k, i, path, out, &a) == CLI_OK) {
            const json_t *ids = cli_at(a.json, "app.containerids");
            for (size_t n = 0; n < cli_list_len(ids); n++)
                if (is_wanted(want, json_string_value(cli_list_get(ids, n)), ""))
                    add_source(out, json_string_value(cli_list_get(ids, n)), id, http, "container");
        }
        free(path);
        if (want && !find_source(out, want) && strncmp(want, "container_", 10) == 0) {
            path = base_printf("containers/%s/logs", want); /* its files may outlive it */
            if (query_node(&k, i, path, out, &a) == CLI_OK && lists_files(a.json))
                add_source(out, want, id, http, "container");
            free(path);
        }
        cli_answer_free(&a);
    }
    if (k.lost && !(want && find_source(out, want))) {
        char *what = base_printf("what ran on node %s", k.lost_id);
        char *why = base_printf("the node is lost%s", k.lost > 1 ? ", and others" : "");
        add_missing(out, what, why);
        free(what);
        free(why);
    }
    node_set_free(&k);
}

static int compare_sources(const void *a, const void *b)
{
    struct base_container_id x = {0}, y = {0};
    base_container_id_parse(((const struct source *)a)->container, &x, NULL);
    base_container_id_parse(((const struct source *)b)->container, &y, NULL);
    return base_container_id_cmp(&x, &y);
}

/* Asks node after node for this container's files until one has them. Returns the number of
 * requests. */
static int probe_nodes(struct node_set *k, const char *container, struct sources *out)
{
    int asked = 0;
    char *path = base_printf("containers/%s/logs", container);
    for (size_t i = 0; i < k->n && !find_source(out, container); i++, asked++) {
        struct cli_answer a = {0};
        if (query_node(k, i, path, out, &a) == CLI_OK && lists_files(a.json))
            add_source(out, container, cli_node_id(k->v[i]), cli_node_http(k->v[i]), "earlier attempt");
        cli_answer_free(&a);
    }
    free(path);
    return asked;
}

/* Adds the containers of earlier attempts. A job's containers are numbered consecutively and each
 * task names its last one, so the numbers in between are earlier attempts, or containers that were
 * never started and have no logs. Probes the nodes for those numbers, from the highest down, until
 * as many attempts are found as the job counts, or PROBES_MAX requests are spent. Finding fewer is
 * worth a message only when a node is lost. */
static void find_earlier_attempts(struct cli *c, struct sources *out)
{
    size_t known = out->n, wanted_n = known + (size_t)out->lost;
    struct node_set k = {0};
    int asked = 0;
    if (out->lost <= 0 || known == 0 || !list_nodes(c, out, &k)) {
        node_set_free(&k);
        return;
    }
    qsort(out->v, known, sizeof *out->v, compare_sources);
    for (size_t i = known; i-- > 0;) {
        struct base_container_id id = {0}, before = {0};
        char text[BASE_ID_TEXT_MAX];
        if (base_container_id_parse(out->v[i].container, &id, NULL) < 0)
            continue;
        if (i > 0)
            base_container_id_parse(out->v[i - 1].container, &before, NULL);
        while (BASE_CONTAINER_COUNTER(--id.num) > 0 && id.num != before.num && out->n < wanted_n && asked < PROBES_MAX)
            asked += probe_nodes(&k, base_container_id_text(&id, text), out);
    }
    if (out->n < wanted_n && k.lost) {
        char *what = base_printf("%zu earlier attempts", wanted_n - out->n);
        char *why = base_printf("node %s is lost%s", k.lost_id, k.lost > 1 ? ", and others" : "");
        add_missing(out, what, why);
        free(what);
        free(why);
    }
    qsort(out->v, out->n, sizeof *out->v, compare_sources);
    node_set_free(&k);
}

static int find_masters(struct cli *c, const char *app, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, request_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return print_error_unless_patient(out, &a, rc);
    out->ended = cli_job_ended(json_object_get(a.json, "app"));
    out->started_ms = cli_int(a.json, "app.startedTime");
    cli_answer_free(&a);
    path = base_printf("/ws/v1/cluster/apps/%s/appattempts", app);
    rc = cli_rm_call(c->rm, "GET", path, NULL, request_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return print_error_unless_patient(out, &a, rc);
    const json_t *attempts = cli_at(a.json, "appAttempts.appAttempt");
    for (size_t i = 0; i < cli_list_len(attempts); i++) {
        const json_t *one = cli_list_get(attempts, i);
        if (is_wanted(want, cli_str(one, "containerId"), cli_str(one, "appAttemptId")))
            add_source(out, cli_str(one, "containerId"), cli_str(one, "nodeId"), cli_str(one, "nodeHttpAddress"),
                       "master");
        find_live_containers(c, app, cli_str(one, "appAttemptId"), want, out);
    }
    cli_answer_free(&a);
    return CLI_OK;
}

/* Finds the containers that @id stands for. Returns an exit code after printing any error. */
static int find_sources(struct cli *c, const char *id, struct sources *out)
{
    char *app = cli_app_id_require(id, "creel logs");
    if (!app)
        return CLI_USAGE;
    const char *want = is_app_id(id) ? NULL : id;
    int rc = find_job_tasks(c, app, want, out);
    if (rc == CLI_NOTFOUND)
        rc = find_masters(c, app, want, out);
    bool search = rc == CLI_OK && (want ? out->n == 0 && strncmp(want, "container_", 10) == 0 : out->n > 0);
    if (search && (want || strcmp(out->v[0].label, "master") == 0))
        find_ended_containers(c, app, want, out);
    free(app);
    return rc;
}

static int write_log_bytes(void *user, const char *data, size_t len)
{
    struct shown *s = user;
    if (s->keep) {
        base_buf_add(&s->part, data, len);
        s->any = true;
        return 0;
    }
    if (s->header && !s->any) {
        char *line = base_printf("==> %s %s on %s: %s <==\n", s->source->label, s->source->container,
                                 s->source->node_http, s->file);
        int bad = cli_write_through(s->fd, line, strlen(line));
        free(line);
        if (bad)
            return bad;
    }
    s->any = true;
    if (!s->prefix)
        return cli_write_through(s->fd, data, len);
    base_buf_add(&s->part, data, len);
    const char *at = s->part.data, *end;
    struct base_buf out = {0};
    while ((end = memchr(at, '\n', (size_t)(s->part.data + s->part.len - at)))) {
        base_buf_addf(&out, "%s| ",
                      strcmp(s->source->label, "master") && strcmp(s->source->label, "container")
                          ? s->source->label
                          : s->source->container);
        base_buf_add(&out, at, (size_t)(end + 1 - at));
        at = end + 1;
    }
    int rc = cli_write_through(s->fd, out.data ? out.data : "", out.len);
    size_t left = (size_t)(s->part.data + s->part.len - at);
    memmove(s->part.data, at, left);
    s->part.len = left;
    base_buf_free(&out);
    return rc;
}

/* Writes the last line, which may lack its newline. */
static void write_last_line(struct shown *s)
{
    if (s->prefix && s->part.len)
        write_log_bytes(s, "\n", 1);
}

static void print_nothing_written(const struct logs *l)
{
    struct base_buf files = {0};
    for (size_t i = 0; i < l->n_files; i++)
        base_buf_addf(&files, "%s%s", i == 0 ? "" : i + 1 < l->n_files ? ", " : " or ", l->files[i]);
    cli_error(0, "%s wrote nothing to %s", l->id, files.data);
    base_buf_free(&files);
}

/* ---- without -f: the logs as they are now ---- */
/* Shows one file of one container, or with --json appends it to @all. Returns why it could not be
 * read (caller frees), else NULL. */
static char *show_log_file(const struct cli *c, struct sources *sources, struct shown *s,
                           bool *found, json_t *all)
{
    char *lost = NULL;
    struct cli_follow *f = cli_follow_new();
    cli_follow_add(f, s->source->node, s->source->container, s->file, false, write_log_bytes, s);
    while (cli_follow_poll(f, 1000, -1) > 0)
        ;
    enum cli_follow_result result = cli_follow_result(f, 0);
    *found = *found || result != CLI_FOLLOW_ABSENT;
    if (result == CLI_FOLLOW_LOST) {
        lost = base_strdup(cli_follow_error(f, 0) ? cli_follow_error(f, 0) : "no answer");
        add_missing_source(sources, s->source, lost);
    }
    if (c->json && (result == CLI_FOLLOW_WHOLE || s->any)) {
        struct base_buf text = {0};
        cli_text_add_utf8(s->part.data, s->part.len, &text);
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:s,s:o}", "container", s->source->container, "task",
                                             s->source->label, "node", s->source->node_http, "file", s->file, "text",
                                             json_stringn(text.len ? text.data : "", text.len)));
        base_buf_free(&text);
    }
    base_buf_free(&s->part);
    cli_follow_free(f);
    return lost;
}

/* Shows the files of one container. A request to a silent node takes seconds, and a job may have
 * run thousands of tasks there: once it gave no file for one container, it is not asked again. */
static void show_container_logs(const struct cli *c, const struct logs *l, struct sources *sources,
                                size_t i, bool *any, json_t *all)
{
    const struct source *source = &sources->v[i];
    const char *silent = source->node ? silence_reason(sources, source->node) : NO_NODE;
    bool found = false;
    size_t lost = 0;
    char *why = NULL;
    if (silent) {
        add_missing_source(sources, source, silent);
        return;
    }
    for (size_t k = 0; k < l->n_files; k++) {
        struct shown s = {.source = source,
                          .file = l->files[k],
                          .header = sources->n > 1 || l->n_files > 1,
                          .fd = STDOUT_FILENO,
                          .keep = c->json};
        char *this_time = show_log_file(c, sources, &s, &found, all);
        *any = *any || s.any;
        lost += this_time && !s.any;
        if (this_time) {
            free(why);
            why = this_time;
        }
    }
    sources->v[i].absent = !found;
    if (lost == l->n_files) {
        base_array_grow(&sources->silent, sources->n_silent, &sources->cap_silent);
        sources->silent[sources->n_silent++] = (struct silent){source->node, why};
    } else {
        free(why);
    }
}

/* stdout and stderr exist from the start of a container: if they are absent, they are missing. */
static bool wants_standard_files(const struct logs *l)
{
    for (size_t k = 0; k < l->n_files; k++)
        if (strcmp(l->files[k], "stdout") == 0 || strcmp(l->files[k], "stderr") == 0)
            return true;
    return false;
}

static json_t *missing_json(const struct sources *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_missing; i++)
        json_array_append_new(list, json_pack("{s:s,s:s}", "what", s->missing[i].what, "why", s->missing[i].why));
    return list;
}

static int show_current_logs(struct cli *c, const struct logs *l, struct sources *sources)
{
    bool any = false;
    if (is_app_id(l->id))
        find_earlier_attempts(c, sources);
    if (sources->n == 0 && sources->n_missing == 0)
        return cli_error(CLI_NOTFOUND, "%s has no containers with logs", l->id);
    json_t *report = json_pack("{s:[]}", "logs");
    for (size_t i = 0; i < sources->n && !cli_write_failed(); i++)
        show_container_logs(c, l, sources, i, &any, json_object_get(report, "logs"));
    if (cli_write_failed()) {
        json_decref(report);
        return CLI_FAILED;
    }
    size_t absent = 0;
    for (size_t i = 0; i < sources->n; i++)
        absent += sources->v[i].absent;
    bool nothing = absent == sources->n && sources->n_missing == 0;
    for (size_t i = 0; i < sources->n && !nothing && wants_standard_files(l); i++)
        if (sources->v[i].absent && !sources->v[i].running)
            add_missing_source(sources, &sources->v[i], "its logs are gone");
    if (sources->n_missing)
        json_object_set_new(report, "missing", missing_json(sources));
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    if (nothing)
        return cli_error(CLI_NOTFOUND, "%s has no logs on its nodes", l->id);
    if (!any && sources->n_missing == 0)
        print_nothing_written(l);
    return print_missing(sources);
}

/* ---- following ---- */
struct following {
    struct cli_follow *follow;
    struct shown **shown; /* one for each stream */
    size_t n, cap, sources;
};

static void follow_new_sources(struct following *f, const struct logs *l, struct sources *sources, bool prefix)
{
    for (; f->sources < sources->n; f->sources++) {
        for (size_t k = 0; sources->v[f->sources].node && k < l->n_files; k++) {
            struct source *copy = base_alloc(sizeof *copy); /* sources->v moves when it grows */
            struct shown *s = base_alloc(sizeof *s);
            *copy = sources->v[f->sources];
            *s = (struct shown){.source = copy, .file = l->files[k], .prefix = prefix};
            s->fd = strcmp(s->file, "stderr") == 0 ? STDERR_FILENO : STDOUT_FILENO;
            base_array_grow(&f->shown, f->n, &f->cap);
            f->shown[f->n++] = s;
            cli_follow_add(f->follow, copy->node, copy->container, s->file, true, write_log_bytes,
                           s);
        }
    }
}

/* Whether the user knows already that this node cannot be reached. */
static bool is_node_error_printed(const struct following *f, const struct cli_node *node)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->shown[i]->error_printed && f->shown[i]->source->node == node)
            return true;
    return false;
}

/* Prints, once for each node, that its logs cannot be read at the moment; again after an
 * interruption. */
static void print_new_log_errors(struct following *f, int64_t now_us)
{
    for (size_t i = 0; i < f->n; i++) {
        struct shown *s = f->shown[i];
        const char *why = cli_follow_ended(f->follow, i) ? NULL : cli_follow_error(f->follow, i);
        if (!why) {
            s->error_since_us = 0;
            s->error_printed = false;
            continue;
        }
        if (!s->error_since_us)
            s->error_since_us = now_us;
        if (s->error_printed || now_us - s->error_since_us < TROUBLE_MS * INT64_C(1000))
            continue;
        if (!is_node_error_printed(f, s->source->node))
            cli_error(0, "logs of node %s cannot be read at the moment (%s); retrying",
                      cli_node_id(s->source->node), why);
        s->error_printed = true;
    }
}

static int follow_logs(struct cli *c, const struct logs *l, struct sources *sources)
{
    struct following f = {.follow = cli_follow_new()};
    int64_t next_look = 0, over_since = 0, silent_since = 0, byte_at = 0;
    uint64_t bytes = 0;
    bool prefix = is_app_id(l->id);
    int rc = CLI_OK;
    if (prefix && sources->ended && sources->n <= 1)
        prefix = false;
    follow_new_sources(&f, l, sources, prefix);
    sources->patient = true;
    for (;;) {
        size_t open = cli_follow_poll(f.follow, 200, -1);
        int64_t now = base_mono_us(&base_clock_real);
        if (cli_write_failed()) {
            rc = CLI_FAILED;
            break;
        }
        if (open == 0 && sources->ended)
            break;
        if (sources->ended && !over_since)
            over_since = now;
        if (!byte_at || cli_follow_bytes(f.follow) != bytes || !over_since)
            byte_at = now;
        bytes = cli_follow_bytes(f.follow);
        if (over_since && now - over_since > SETTLE_MS * INT64_C(1000))
            cli_follow_stop_retrying(f.follow);
        if (over_since && now - byte_at > SILENCE_MS * INT64_C(1000))
            break; /* a node hangs; its streams are named below */
        if (!over_since)
            print_new_log_errors(&f, now);
        if (now < next_look || sources->ended)
            continue;
        next_look = now + LOOK_MS * 1000;
        missing_clear(sources); /* of the last look */
        rc = find_sources(c, l->id, sources);
        if (rc == CLI_UNREACHABLE && (!silent_since || now - silent_since < PATIENCE_MS * INT64_C(1000))) {
            silent_since = silent_since ? silent_since : now;
            continue;
        }
        if (rc == CLI_UNREACHABLE)
            cli_error(rc, "no ResourceManager answers any longer");
        if (rc != CLI_OK)
            break;
        silent_since = 0;
        follow_new_sources(&f, l, sources, prefix);
        for (size_t i = 0; i < f.n;
             i++) { /* a restart of its NM ended the stream, but not the container */
            const struct source *now_known = find_source(sources, f.shown[i]->source->container);
            if (cli_follow_ended(f.follow, i) && now_known && now_known->running)
                cli_follow_resume(f.follow, i);
        }
    }
    for (size_t i = 0; i < f.n; i++) {
        enum cli_follow_result result = cli_follow_result(f.follow, i);
        write_last_line(f.shown[i]);
        if (!cli_write_failed() && (result == CLI_FOLLOW_LOST || result == CLI_FOLLOW_GOING))
            add_missing_source(sources, f.shown[i]->source,
                               cli_follow_error(f.follow, i) ? cli_follow_error(f.follow, i)
                                                             : "it does not answer");
        base_buf_free(&f.shown[i]->part);
        free((void *)f.shown[i]->source);
        free(f.shown[i]);
    }
    free(f.shown);
    cli_follow_free(f.follow);
    for (size_t i = 0; i < sources->n; i++)
        if (!sources->v[i].node)
            add_missing_source(sources, &sources->v[i], NO_NODE);
    if (cli_write_failed()) /* printed already, and more important than missing logs */
        return CLI_FAILED;
    int missing = print_missing(sources);
    return rc == CLI_OK ? missing : rc;
}

/* ---- options ---- */
static const struct argp_option options[] = {
    {"follow", 'f', NULL, 0, "Keep showing output until the end", 1},
    {"file", KEY_FILES, "A,B", 0, "Files to show; default: stdout,stderr", 1},
    {"log_files", KEY_FILES, NULL, OPTION_ALIAS, NULL, 1},
    {"applicationId", KEY_APP, "ID", 0, "The application, in the form of yarn logs", 2},
    {"containerId", KEY_CONTAINER, "ID", 0, "The container, in the form of yarn logs", 2},
    {0},
};

static error_t set_files(struct logs *l, const char *arg)
{
    char *save = NULL;
    free(l->file_list);
    l->file_list = base_strdup(arg);
    l->n_files = 0;
    for (char *s = strtok_r(l->file_list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
        if (l->n_files == FILES_MAX)
            return cli_option_error("--file: at most %d names", FILES_MAX);
        l->files[l->n_files++] = s;
    }
    return l->n_files ? 0 : cli_option_error("--file: '%s' names no file", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct logs *l = state->input;
    switch (key) {
    case 'f':
        l->follow = true;
        return 0;
    case KEY_FILES:
        return set_files(l, arg);
    case KEY_CONTAINER: /* overrides an application's id */
        l->id = arg;
        return 0;
    case KEY_APP:
        if (!l->id)
            l->id = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (l->id)
            return cli_option_error("unexpected argument '%s': one id is enough", arg);
        l->id = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_logs_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "ID",
        "Shows the logs of a job or application, of one task, or of one container.\v"
        "Examples:\n"
        "  creel logs application_1700000000000_0001\n"
        "  creel logs task_1700000000000_0001_m_000003 -f\n"
        "  creel logs -applicationId application_1700000000000_0001 -log_files stderr\n\n"
        "The id of a job stands for all attempts of its tasks whose logs still exist, the id of a "
        "task for its last attempt; with -f, for those that are running. With --json (not together "
        "with -f), bytes that are not UTF-8 appear as U+FFFD. If a node cannot be reached from "
        "here, its logs come through the ResourceManager. Logs that cannot be read are named on "
        "stderr.\n\n" CLI_EXIT_HELP " 5 logs are missing.",
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct logs l = {.files = {"stdout", "stderr"}, .n_files = 2};
    struct sources sources = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &l);
    if (rc == CLI_OK && !l.id)
        rc = cli_error(CLI_USAGE, "logs: an id is missing");
    if (rc == CLI_OK && l.follow && c.json)
        rc = cli_error(CLI_USAGE, "logs: -f and --json exclude each other");
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        sources.nodes = cli_nodes_new(c.rm);
        rc = find_sources(&c, l.id, &sources);
    }
    if (rc == CLI_OK && l.follow)
        rc = follow_logs(&c, &l, &sources);
    else if (rc == CLI_OK)
        rc = show_current_logs(&c, &l, &sources);
    sources_free(&sources);
    free(l.file_list);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
