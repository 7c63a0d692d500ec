/* api/cli/cli_logs.c - `creel logs ID [-f]`: finds the containers behind an id, shows their stdout and stderr. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/cli_follow.h"
#include "api/cli/cli_job.h"
#include "api/cli/cli_text.h"
#include "base/base_clock.h"
#include "base/base_id.h"
#include "base/base_io.h"

enum {
    KEY_APP = 256,
    KEY_CONTAINER,
    KEY_FILES,
    FILES_MAX = 16,
    PROBES_MAX = 2000,
    LOOK_MS = 500,
    SETTLE_MS = 3000,
    PATIENCE_MS = 60000
};

struct logs {
    const char *id;
    bool follow;
    const char *files[FILES_MAX];
    size_t n_files;
    char *file_list; /* -log_files, split in place */
};

/* One container whose logs are wanted. */
struct source {
    char *container, *node_http, *label; /* label: the task, or "master" */
    bool running;                        /* as its job said last */
};
struct sources {
    struct source *v;
    size_t n, cap;
    int64_t lost; /* attempts of the job that failed or were killed: its tasks do not name their containers */
    bool ended;   /* nothing new will come */
    bool patient; /* an RM that does not answer is no error: the caller looks again later */
};

/* One file shown: its stream's sink state. */
struct shown {
    const struct source *source;
    const char *file;
    bool header, prefix; /* header: "==> … <==" before the first byte; prefix: before each line */
    bool any;
    int fd;
    struct base_buf part; /* prefix mode: the unfinished line; JSON mode: all */
    bool keep;            /* JSON mode */
};

static struct source *find_source(const struct sources *s, const char *container)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->v[i].container, container) == 0)
            return &s->v[i];
    return NULL;
}

static void add_source(struct sources *s, const char *container, const char *node_http, const char *label)
{
    if (!*container || !*node_http || find_source(s, container))
        return;
    base_array_grow(&s->v, s->n, &s->cap);
    s->v[s->n++] = (struct source){base_strdup(container), base_strdup(node_http), base_strdup(label), false};
}

static void sources_free(struct sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].container);
        free(s->v[i].node_http);
        free(s->v[i].label);
    }
    free(s->v);
}

/* The id of a job or application, not of something in it. */
static bool is_whole(const char *id)
{
    return strncmp(id, "application_", 12) == 0 || strncmp(id, "job_", 4) == 0;
}

/* @want: NULL, or the only task or container wanted. */
static bool wanted(const char *want, const char *a, const char *b)
{
    return !want || strcmp(want, a) == 0 || strcmp(want, b) == 0;
}

/* Who looks again and again waits between the looks: meanwhile the logs go on. */
static unsigned look_flags(const struct sources *s)
{
    return s->patient ? CLI_RM_SOON : 0;
}

/* Ends a failed request with its error line, unless it is to be tried again. */
static int give_up(const struct sources *s, struct cli_answer *a, int rc)
{
    if (rc != CLI_UNREACHABLE || !s->patient)
        return cli_rm_fail(a, rc);
    cli_answer_free(a);
    return rc;
}

static int64_t lost_attempts(const json_t *answer)
{
    return cli_int(answer, "job.taskCounts.map.failedAttempts") + cli_int(answer, "job.taskCounts.map.killedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.failedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.killedAttempts");
}

/* The job's tasks. CLI_NOTFOUND: it is no job. */
static int find_in_job(struct cli *c, const char *app, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    json_t *tasks = NULL;
    char *path = base_printf("/ws/v1/cluster/jobs/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, look_flags(out), &a);
    free(path);
    if (rc == CLI_OK) { /* the state first: tasks that end between the two requests are in the second */
        out->ended = cli_job_ended(json_object_get(a.json, "job"));
        out->lost = lost_attempts(a.json);
        cli_answer_free(&a);
        rc = cli_job_tasks(c, app, "", out->patient ? CLI_RM_SOON : CLI_RM_PATIENT, out->patient, &tasks);
    } else if (rc == CLI_NOTFOUND) {
        cli_answer_free(&a);
    } else {
        return give_up(out, &a, rc);
    }
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *t = json_array_get(tasks, i);
        if (!wanted(want, cli_str(t, "id"), cli_str(t, "containerId")))
            continue;
        add_source(out, cli_str(t, "containerId"), cli_str(t, "nodeHttpAddress"), cli_str(t, "id"));
        struct source *found = find_source(out, cli_str(t, "containerId"));
        if (found)
            found->running = strcmp(cli_str(t, "state"), "RUNNING") == 0;
    }
    json_decref(tasks);
    return rc;
}

/* Containers of an attempt that live now. */
static void find_live(struct cli *c, const char *app, const char *attempt, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s/containers", app, attempt);
    if (cli_rm_call(c->rm, "GET", path, NULL, look_flags(out), &a) == CLI_OK) {
        const json_t *list = json_object_get(a.json, "container");
        for (size_t i = 0; i < cli_list_len(list); i++) {
            const json_t *one = cli_list_get(list, i);
            if (wanted(want, cli_str(one, "containerId"), ""))
                add_source(out, cli_str(one, "containerId"), cli_str(one, "nodeHttpAddress"), "container");
        }
    }
    free(path);
    cli_answer_free(&a);
}

/* A node that never ran the container answers too, with no file. YARN's answer is an object or a list of one. */
static bool lists_files(const json_t *answer)
{
    const json_t *infos = json_object_get(answer, "containerLogsInfo");
    for (size_t i = 0; i < cli_list_len(infos); i++)
        if (cli_list_len(json_object_get(cli_list_get(infos, i), "containerLogInfo")) > 0)
            return true;
    return false;
}

/* Containers of the application that the nodes still know of: also those that have ended. */
static void find_on_nodes(struct cli *c, const char *app, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    if (cli_rm_call(c->rm, "GET", "/ws/v1/cluster/nodes?states=RUNNING", NULL, look_flags(out), &a) != CLI_OK) {
        cli_answer_free(&a);
        return;
    }
    const json_t *nodes = cli_at(a.json, "nodes.node");
    for (size_t i = 0; i < cli_list_len(nodes); i++) {
        const char *http = cli_str(cli_list_get(nodes, i), "nodeHTTPAddress");
        struct cli_answer b = {0};
        char *url = base_printf("http://%s/ws/v1/node/apps/%s", http, app);
        if (*http && cli_rm_get_url(c->rm, url, &b) == CLI_OK) {
            const json_t *ids = cli_at(b.json, "app.containerids");
            for (size_t k = 0; k < cli_list_len(ids); k++)
                if (wanted(want, json_string_value(cli_list_get(ids, k)), ""))
                    add_source(out, json_string_value(cli_list_get(ids, k)), http, "container");
        }
        free(url);
        cli_answer_free(&b);
        if (!want || find_source(out, want))
            continue;
        url = base_printf("http://%s/ws/v1/node/containers/%s/logs", http, want); /* its files may outlive it */
        if (*http && strncmp(want, "container_", 10) == 0 && cli_rm_get_url(c->rm, url, &b) == CLI_OK &&
            lists_files(b.json))
            add_source(out, want, http, "container");
        free(url);
        cli_answer_free(&b);
    }
    cli_answer_free(&a);
}

static int compare_sources(const void *a, const void *b)
{
    struct base_container_id x = {0}, y = {0};
    base_container_id_parse(((const struct source *)a)->container, &x, NULL);
    base_container_id_parse(((const struct source *)b)->container, &y, NULL);
    return base_container_id_cmp(&x, &y);
}

/* Asks every node of @nodes for this container's files. Returns how many were asked. */
static int probe(struct cli *c, const json_t *nodes, const char *container, struct sources *out)
{
    int asked = 0;
    for (size_t i = 0; i < cli_list_len(nodes) && !find_source(out, container); i++, asked++) {
        const char *http = cli_str(cli_list_get(nodes, i), "nodeHTTPAddress");
        struct cli_answer a = {0};
        char *url = base_printf("http://%s/ws/v1/node/containers/%s/logs", http, container);
        if (*http && cli_rm_get_url(c->rm, url, &a) == CLI_OK && lists_files(a.json))
            add_source(out, container, http, "earlier attempt");
        free(url);
        cli_answer_free(&a);
    }
    return asked;
}

/* The containers of a job are numbered one after the other, and its tasks name their last ones: what lies between, or
 * before, are earlier attempts. Looks for as many as are missing. */
static void find_earlier(struct cli *c, struct sources *out)
{
    struct cli_answer a = {0};
    size_t known = out->n, wanted_n = known + (size_t)out->lost;
    int asked = 0;
    if (out->lost <= 0 || known == 0 ||
        cli_rm_call(c->rm, "GET", "/ws/v1/cluster/nodes?states=RUNNING", NULL, look_flags(out), &a) != CLI_OK) {
        cli_answer_free(&a);
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
            asked += probe(c, cli_at(a.json, "nodes.node"), base_container_id_text(&id, text), out);
    }
    qsort(out->v, out->n, sizeof *out->v, compare_sources);
    cli_answer_free(&a);
}

static int find_in_app(struct cli *c, const char *app, const char *want, struct sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, look_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return give_up(out, &a, rc);
    out->ended = cli_job_ended(json_object_get(a.json, "app"));
    cli_answer_free(&a);
    path = base_printf("/ws/v1/cluster/apps/%s/appattempts", app);
    rc = cli_rm_call(c->rm, "GET", path, NULL, look_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return give_up(out, &a, rc);
    const json_t *attempts = cli_at(a.json, "appAttempts.appAttempt");
    for (size_t i = 0; i < cli_list_len(attempts); i++) {
        const json_t *one = cli_list_get(attempts, i);
        if (wanted(want, cli_str(one, "containerId"), cli_str(one, "appAttemptId")))
            add_source(out, cli_str(one, "containerId"), cli_str(one, "nodeHttpAddress"), "master");
        find_live(c, app, cli_str(one, "appAttemptId"), want, out);
    }
    cli_answer_free(&a);
    return CLI_OK;
}

/* Fills @out with what @id means. Exit code, printed. */
static int find(struct cli *c, const char *id, struct sources *out)
{
    char *app = cli_app_id_check(id, "creel logs");
    if (!app)
        return CLI_USAGE;
    const char *want = is_whole(id) ? NULL : id;
    int rc = find_in_job(c, app, want, out);
    if (rc == CLI_NOTFOUND)
        rc = find_in_app(c, app, want, out);
    else if (rc == CLI_OK && want && out->n == 0) /* an attempt before the last one */
        rc = CLI_OK;
    bool search = rc == CLI_OK && (want ? out->n == 0 && strncmp(want, "container_", 10) == 0 : out->n > 0);
    if (search && (want || strcmp(out->v[0].label, "master") == 0))
        find_on_nodes(c, app, want, out);
    free(app);
    return rc;
}

static int show(void *user, const char *data, size_t len)
{
    struct shown *s = user;
    if (s->keep) {
        base_buf_add(&s->part, data, len);
        s->any = true;
        return 0;
    }
    if (s->header && !s->any)
        dprintf(s->fd, "==> %s %s on %s: %s <==\n", s->source->label, s->source->container, s->source->node_http,
                s->file);
    s->any = true;
    if (!s->prefix)
        return base_write_all(s->fd, data, len);
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
    int rc = base_write_all(s->fd, out.data ? out.data : "", out.len);
    size_t left = (size_t)(s->part.data + s->part.len - at);
    memmove(s->part.data, at, left);
    s->part.len = left;
    base_buf_free(&out);
    return rc;
}

/* The last line may lack its newline. */
static void show_end(struct shown *s)
{
    if (s->prefix && s->part.len)
        show(s, "\n", 1);
}

static void say_nothing_written(const struct logs *l)
{
    struct base_buf files = {0};
    for (size_t i = 0; i < l->n_files; i++)
        base_buf_addf(&files, "%s%s", i == 0 ? "" : i + 1 < l->n_files ? ", " : " or ", l->files[i]);
    cli_error(0, "%s wrote nothing to %s", l->id, files.data);
    base_buf_free(&files);
}

/* ---- what is there now ---- */
/* One file of one container: on stdout, or with --json into @all. */
static void show_file(const struct cli *c, struct shown *s, bool *found, json_t *all)
{
    struct cli_follow *f = cli_follow_new();
    cli_follow_add(f, s->source->node_http, s->source->container, s->file, false, show, s);
    while (cli_follow_turn(f, 1000, -1) > 0)
        ;
    bool there = cli_follow_status(f, 0) == 200;
    *found = *found || there;
    if (c->json && there) {
        struct base_buf text = {0};
        cli_text_utf8(s->part.data, s->part.len, &text);
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:s,s:o}", "container", s->source->container, "task",
                                             s->source->label, "node", s->source->node_http, "file", s->file, "text",
                                             json_stringn(text.len ? text.data : "", text.len)));
        base_buf_free(&text);
    }
    base_buf_free(&s->part);
    cli_follow_free(f);
}

static int show_now(struct cli *c, const struct logs *l, struct sources *sources)
{
    bool found = false, any = false;
    if (is_whole(l->id))
        find_earlier(c, sources);
    if (sources->n == 0)
        return cli_error(CLI_NOTFOUND, "%s has no containers whose logs could be shown", l->id);
    json_t *report = json_pack("{s:[]}", "logs");
    for (size_t i = 0; i < sources->n; i++) {
        for (size_t k = 0; k < l->n_files; k++) {
            struct shown s = {.source = &sources->v[i],
                              .file = l->files[k],
                              .header = sources->n > 1 || l->n_files > 1,
                              .fd = STDOUT_FILENO,
                              .keep = c->json};
            show_file(c, &s, &found, json_object_get(report, "logs"));
            any = any || s.any;
        }
    }
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    if (!found)
        return cli_error(CLI_NOTFOUND, "%s has no logs on its nodes", l->id);
    if (!any)
        say_nothing_written(l);
    return CLI_OK;
}

/* ---- following ---- */
struct following {
    struct cli_follow *follow;
    struct shown **shown; /* one for each stream */
    size_t n, cap, sources;
};

static void follow_new_sources(struct following *f, const struct logs *l, const struct sources *sources, bool prefix)
{
    for (; f->sources < sources->n; f->sources++) {
        for (size_t k = 0; k < l->n_files; k++) {
            struct source *copy = base_alloc(sizeof *copy); /* the list moves when it grows */
            struct shown *s = base_alloc(sizeof *s);
            *copy = sources->v[f->sources];
            *s = (struct shown){.source = copy, .file = l->files[k], .prefix = prefix};
            s->fd = strcmp(s->file, "stderr") == 0 ? STDERR_FILENO : STDOUT_FILENO;
            base_array_grow(&f->shown, f->n, &f->cap);
            f->shown[f->n++] = s;
            cli_follow_add(f->follow, copy->node_http, copy->container, s->file, true, show, s);
        }
    }
}

static int follow_all(struct cli *c, const struct logs *l, struct sources *sources)
{
    struct following f = {.follow = cli_follow_new()};
    int64_t next_look = 0, over_since = 0, silent_since = 0;
    bool prefix = is_whole(l->id);
    int rc = CLI_OK;
    if (prefix && sources->ended && sources->n <= 1)
        prefix = false;
    follow_new_sources(&f, l, sources, prefix);
    sources->patient = true;
    for (;;) {
        size_t open = cli_follow_turn(f.follow, 200, -1);
        int64_t now = base_mono_us(&base_clock_real);
        if (open == 0 && sources->ended)
            break;
        if (sources->ended && !over_since)
            over_since = now;
        if (over_since && now - over_since > SETTLE_MS * INT64_C(1000))
            cli_follow_last_chance(f.follow);
        if (now < next_look || sources->ended)
            continue;
        next_look = now + LOOK_MS * 1000;
        rc = find(c, l->id, sources);
        if (rc == CLI_UNREACHABLE && (!silent_since || now - silent_since < PATIENCE_MS * INT64_C(1000))) {
            silent_since = silent_since ? silent_since : now;
            continue;
        }
        if (rc == CLI_UNREACHABLE)
            cli_error(rc, "no ResourceManager answers any more");
        if (rc != CLI_OK)
            break;
        silent_since = 0;
        follow_new_sources(&f, l, sources, prefix);
        for (size_t i = 0; i < f.n; i++) { /* a node that was restarted ended its streams: the container lives */
            const struct source *now_known = find_source(sources, f.shown[i]->source->container);
            if (cli_follow_ended(f.follow, i) && now_known && now_known->running)
                cli_follow_again(f.follow, i);
        }
    }
    for (size_t i = 0; i < f.n; i++) {
        show_end(f.shown[i]);
        base_buf_free(&f.shown[i]->part);
        free((void *)f.shown[i]->source);
        free(f.shown[i]);
    }
    free(f.shown);
    cli_follow_free(f.follow);
    return rc;
}

/* ---- options ---- */
static const struct argp_option options[] = {
    {"follow", 'f', NULL, 0, "Go on showing what is written, until the end", 1},
    {"file", KEY_FILES, "A,B", 0, "Files to show: stdout,stderr unless told", 1},
    {"log_files", KEY_FILES, NULL, OPTION_ALIAS, NULL, 1},
    {"applicationId", KEY_APP, "ID", 0, "The id, as yarn logs takes it", 2},
    {"containerId", KEY_CONTAINER, "ID", 0, "The id, as yarn logs takes it", 2},
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
            return cli_bad("--file: at most %d names", FILES_MAX);
        l->files[l->n_files++] = s;
    }
    return l->n_files ? 0 : cli_bad("--file: '%s' names no file", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct logs *l = state->input;
    switch (key) {
    case 'f':
        l->follow = true;
        return 0;
    case KEY_FILES:
        return set_files(l, arg);
    case KEY_CONTAINER: /* stronger than an application's id beside it */
        l->id = arg;
        return 0;
    case KEY_APP:
        if (!l->id)
            l->id = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (l->id)
            return cli_bad("'%s' is too much: one id is enough", arg);
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
        parse,
        "ID",
        "Shows the logs of a job or application, of one task, or of one container.\v"
        "Examples:\n  creel logs application_1700000000000_0001\n  creel logs task_1700000000000_0001_m_000003 -f\n"
        "  creel logs -applicationId application_1700000000000_0001 -log_files stderr\n\n"
        "A job's id means all attempts of its tasks whose logs the nodes still have, a task's id its last attempt; "
        "with -f "
        "those that run. With --json (not with "
        "-f), bytes that are not UTF-8 appear as U+FFFD.\n\n" CLI_EXIT_HELP,
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
        rc = cli_error(CLI_USAGE, "logs: -f and --json do not go together");
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = find(&c, l.id, &sources);
    if (rc == CLI_OK && l.follow)
        rc = follow_all(&c, &l, &sources);
    else if (rc == CLI_OK)
        rc = show_now(&c, &l, &sources);
    sources_free(&sources);
    free(l.file_list);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
