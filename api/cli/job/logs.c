/* api/cli/job/logs.c - `creel logs ID [-f]`: shows the logs of the containers that an id stands for
 * (api/cli/job/log_sources.h), as they are now, or with -f as they grow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/job/job.h"
#include "api/cli/job/log_follower.h"
#include "api/cli/job/log_sources.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/logs.h"
#include "base/clock.h"
#include "base/id.h"

enum {
    KEY_APP = 256,
    KEY_CONTAINER,
    KEY_FILES,
    FILES_MAX = 16,
    LOOK_MS = 500,
    SETTLE_MS = 3000,
    SILENCE_MS = 10000, /* longest silence, once the application has ended */
    TROUBLE_MS = 1000,  /* time without access to a log before an error is printed */
    PATIENCE_MS = 60000
};

struct logs {
    const char *id;
    bool follow;
    const char *files[FILES_MAX];
    size_t n_files;
    char *file_list; /* copy of -log_files, split in place */
};

/* A file being shown: the state of its stream's sink. */
struct shown {
    const struct cli_log_source *source;
    const char *file;
    /* header: "==> … <==" before the first byte; prefix: a label before each line */
    bool header, prefix;
    bool any;
    bool error_printed; /* following: it was printed that the log, or its node, cannot be read */
    int64_t error_since_us; /* when reading began to fail; 0: it works */
    int fd;
    struct base_buf part; /* with prefix: the unfinished line; with keep: the whole log */
    bool keep;            /* keep the log for --json */
};

/* The sink of a stream. With a prefix only whole lines are written, so that lines of several
 * containers do not mix; the rest is kept until its newline arrives, or the stream ends. */
static int write_log_bytes(void *user, const char *data, size_t len)
{
    struct shown *s = user;
    if (s->keep) {
        base_buf_add(&s->part, data, len);
        s->any = true;
        return 0;
    }
    if (s->header && !s->any) {
        char *line = base_printf("==> %s %s on %s: %s <==\n", s->source->label,
                                 s->source->container, s->source->node_http, s->file);
        int bad = cli_write_all_or_print_error(s->fd, line, strlen(line));
        free(line);
        if (bad)
            return bad;
    }
    s->any = true;
    if (!s->prefix)
        return cli_write_all_or_print_error(s->fd, data, len);
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
    int rc = cli_write_all_or_print_error(s->fd, out.data ? out.data : "", out.len);
    size_t left = (size_t)(s->part.data + s->part.len - at);
    memmove(s->part.data, at, left);
    s->part.len = left;
    base_buf_free(&out);
    return rc;
}

/* Ends the unfinished last line that is kept back because of its prefix, if there is one: writes it
 * with a newline. */
static void write_unfinished_line(struct shown *s)
{
    if (s->prefix && s->part.len)
        write_log_bytes(s, "\n", 1);
}

static void print_no_output_written(const struct logs *l)
{
    struct base_buf files = {0};
    for (size_t i = 0; i < l->n_files; i++)
        base_buf_addf(&files, "%s%s",
                      i == 0               ? ""
                      : i + 1 < l->n_files ? ", "
                                           : " or ",
                      l->files[i]);
    cli_error(0, "%s wrote nothing to %s", l->id, files.data);
    base_buf_free(&files);
}

/* ---- without -f: the logs as they are now ---- */
/* Shows one file of one container, or with --json appends it to @all. Sets *found unless the node
 * answers that the file does not exist. Returns why the file could not be read (caller frees); NULL
 * when it was read or does not exist. */
static char *show_log_file(const struct cli *c, struct cli_log_sources *sources, struct shown *s,
                           bool *found, json_t *all)
{
    char *lost = NULL;
    struct cli_follow *f = cli_follow_new();
    cli_follow_add(f, s->source->node, s->source->container, s->file, 0, false, write_log_bytes, s);
    while (cli_follow_poll(f, 1000, -1) > 0)
        ;
    enum cli_follow_result result = cli_follow_result(f, 0);
    *found = *found || result != CLI_FOLLOW_ABSENT;
    if (result == CLI_FOLLOW_LOST) {
        lost = base_strdup(cli_follow_error(f, 0) ? cli_follow_error(f, 0) : "no answer");
        cli_log_sources_add_missing(sources, s->source, lost);
    }
    if (c->json && (result == CLI_FOLLOW_WHOLE || s->any)) {
        struct base_buf text = {0};
        cli_text_add_as_valid_utf8(s->part.data, s->part.len, &text);
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:s,s:o}", "container",
                                             s->source->container, "task", s->source->label, "node",
                                             s->source->node_http, "file", s->file, "text",
                                             json_stringn(text.len ? text.data : "", text.len)));
        base_buf_free(&text);
    }
    base_buf_free(&s->part);
    cli_follow_free(f);
    return lost;
}

/* Shows the files of one container. A request to a silent node takes seconds, and a job may have
 * run thousands of tasks there, so a node that was silent for one container is not asked again. */
static void show_container_logs(const struct cli *c, const struct logs *l,
                                struct cli_log_sources *sources, size_t i, bool *any, json_t *all)
{
    const struct cli_log_source *source = &sources->v[i];
    const char *silent =
        source->node ? cli_log_sources_silence_reason(sources, source->node) : CLI_LOG_NO_NODE;
    bool found = false;
    size_t lost = 0;
    char *why = NULL;
    if (silent) {
        cli_log_sources_add_missing(sources, source, silent);
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
        sources->silent[sources->n_silent++] = (struct cli_log_silent){source->node, why};
    } else {
        free(why);
    }
}

/* Returns true when stdout or stderr is to be shown: they exist from the start of a container, so
 * when they are absent, they are missing. */
static bool wants_standard_files(const struct logs *l)
{
    for (size_t k = 0; k < l->n_files; k++)
        if (strcmp(l->files[k], "stdout") == 0 || strcmp(l->files[k], "stderr") == 0)
            return true;
    return false;
}

static json_t *missing_logs_to_json(const struct cli_log_sources *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_missing; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:s}", "what", s->missing[i].what, "why", s->missing[i].why));
    return list;
}

/* A node creates stdout and stderr when a container starts. So a container without them has lost
 * its logs, unless it is running, as it may be only just starting; if no container has any, there
 * are no logs at all. Logs that exist and are empty are worth a line on stderr. */
static int show_current_logs(struct cli *c, const struct logs *l, struct cli_log_sources *sources)
{
    bool any = false;
    if (cli_log_id_is_of_whole_app(l->id))
        cli_log_sources_find_earlier_attempts(c, sources);
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
            cli_log_sources_add_missing(sources, &sources->v[i], "its logs are gone");
    if (sources->n_missing)
        json_object_set_new(report, "missing", missing_logs_to_json(sources));
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    if (nothing)
        return cli_error(CLI_NOTFOUND, "%s has no logs on its nodes", l->id);
    if (!any && sources->n_missing == 0)
        print_no_output_written(l);
    return cli_log_sources_print_missing(sources);
}

/* ---- following ---- */
struct following {
    struct cli_follow *follow;
    struct shown **shown; /* one for each stream */
    size_t n, cap, sources;
};

static void follow_new_sources(struct following *f, const struct logs *l,
                               struct cli_log_sources *sources, bool prefix)
{
    for (; f->sources < sources->n; f->sources++) {
        for (size_t k = 0; sources->v[f->sources].node && k < l->n_files; k++) {
            /* sources->v moves when it grows */
            struct cli_log_source *copy = base_alloc(sizeof *copy);
            struct shown *s = base_alloc(sizeof *s);
            *copy = sources->v[f->sources];
            *s = (struct shown){.source = copy, .file = l->files[k], .prefix = prefix};
            s->fd = strcmp(s->file, "stderr") == 0 ? STDERR_FILENO : STDOUT_FILENO;
            base_array_grow(&f->shown, f->n, &f->cap);
            f->shown[f->n++] = s;
            cli_follow_add(f->follow, copy->node, copy->container, s->file, 0, true,
                           write_log_bytes, s);
        }
    }
}

/* Returns true when it has been printed already that this node cannot be reached. */
static bool is_node_error_printed(const struct following *f, const struct cli_node *node)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->shown[i]->error_printed && f->shown[i]->source->node == node)
            return true;
    return false;
}

/* Prints, once for each node, that its logs cannot be read at the moment; and once more when
 * reading fails again after it has worked. */
static void print_new_log_errors(struct following *f, int64_t now_us)
{
    for (size_t i = 0; i < f->n; i++) {
        struct shown *s = f->shown[i];
        const char *why =
            cli_follow_has_ended(f->follow, i) ? NULL : cli_follow_error(f->follow, i);
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

/* Resumes streams that ended although their container runs: its NM has restarted. */
static void resume_live_containers(struct following *f, const struct cli_log_sources *sources)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct cli_log_source *known =
            cli_log_sources_find_container(sources, f->shown[i]->source->container);
        if (cli_follow_has_ended(f->follow, i) && known && known->running)
            cli_follow_resume(f->follow, i);
    }
}

/* Writes unfinished lines, notes which logs are missing, and frees the streams. */
static void close_streams(struct following *f, struct cli_log_sources *sources)
{
    for (size_t i = 0; i < f->n; i++) {
        enum cli_follow_result result = cli_follow_result(f->follow, i);
        write_unfinished_line(f->shown[i]);
        if (!cli_write_failed() && (result == CLI_FOLLOW_LOST || result == CLI_FOLLOW_GOING))
            cli_log_sources_add_missing(
                sources, f->shown[i]->source,
                cli_follow_error(f->follow, i) ? cli_follow_error(f->follow, i) : "no answer");
        base_buf_free(&f->shown[i]->part);
        free((void *)f->shown[i]->source);
        free(f->shown[i]);
    }
    free(f->shown);
    cli_follow_free(f->follow);
    for (size_t i = 0; i < sources->n; i++)
        if (!sources->v[i].node)
            cli_log_sources_add_missing(sources, &sources->v[i], CLI_LOG_NO_NODE);
}

/* Follows the logs until the application has ended, and every stream with it. Each turn moves
 * bytes; every LOOK_MS a new search finds containers that have started since. After the end of the
 * application the streams get SETTLE_MS for bytes that are still under way, then one last try. The
 * command stops waiting for a node that hangs SILENCE_MS after the last byte. */
static int follow_logs(struct cli *c, const struct logs *l, struct cli_log_sources *sources)
{
    struct following f = {.follow = cli_follow_new()};
    int64_t next_look = 0, over_since = 0, silent_since = 0, byte_at = 0;
    uint64_t bytes = 0;
    bool prefix = cli_log_id_is_of_whole_app(l->id);
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
        cli_log_sources_clear_missing(sources); /* what the last search noted as missing */
        rc = cli_log_sources_find(c, l->id, sources);
        if (rc == CLI_UNREACHABLE &&
            (!silent_since || now - silent_since < PATIENCE_MS * INT64_C(1000))) {
            silent_since = silent_since ? silent_since : now;
            continue;
        }
        if (rc == CLI_UNREACHABLE)
            cli_error(rc, "no ResourceManager answers any longer");
        if (rc != CLI_OK)
            break;
        silent_since = 0;
        follow_new_sources(&f, l, sources, prefix);
        resume_live_containers(&f, sources);
    }
    close_streams(&f, sources);
    if (cli_write_failed()) /* printed already, and more important than missing logs */
        return CLI_FAILED;
    int missing = cli_log_sources_print_missing(sources);
    return rc == CLI_OK ? missing : rc;
}

/* ---- options ---- */
static const struct argp_option options[] = {
    {"follow", 'f', NULL, 0, "Keep showing output until the end", 1},
    {"file", KEY_FILES, "A,B", 0, "Files to show; default: stdout,stderr", 1},
    {"log_files", KEY_FILES, "A,B", OPTION_HIDDEN, NULL, 1},
    {"applicationId", KEY_APP, "ID", OPTION_HIDDEN, NULL, 2},
    {"containerId", KEY_CONTAINER, "ID", OPTION_HIDDEN, NULL, 2},
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
            return cli_option_set_error("--file: at most %d names", FILES_MAX);
        l->files[l->n_files++] = s;
    }
    return l->n_files ? 0 : cli_option_set_error("--file: '%s' names no file", arg);
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
            return cli_option_set_error("unexpected argument '%s': one id is enough", arg);
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
    struct cli_log_sources sources = {0};
    if (cli_yarn_logs_are_asked_for(argc, argv))
        return cli_yarn_logs(&argp, argc, argv);
    int rc = cli_parse_and_load_conf(&c, &argp, ARGP_LONG_ONLY, argc, argv, &l);
    if (rc == CLI_OK && !l.id)
        rc = cli_error(CLI_USAGE, "logs: an id is missing");
    if (rc == CLI_OK && l.follow && c.json)
        rc = cli_error(CLI_USAGE, "logs: -f and --json exclude each other");
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        sources.nodes = cli_nodes_new(c.rm);
        rc = cli_log_sources_find(&c, l.id, &sources);
    }
    if (rc == CLI_OK && l.follow)
        rc = follow_logs(&c, &l, &sources);
    else if (rc == CLI_OK)
        rc = show_current_logs(&c, &l, &sources);
    cli_log_sources_free(&sources);
    free(l.file_list);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
