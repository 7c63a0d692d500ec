/* api/cli/job/status.c - runs `creel job status` and `creel job kill`. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cli/job/job.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/io/io.h"

enum { KEY_TASKS = 256, KEY_NO_WAIT, KILL_WAIT_MS = 30000, FIELD_WIDTH = 11 };

struct status {
    const char *id;
    bool tasks;
};

static const struct argp_option status_options[] = {
    {"tasks", KEY_TASKS, NULL, 0, "List every task as well", 1},
    {0},
};

static error_t parse_status_option(int key, char *arg, struct argp_state *state)
{
    struct status *s = state->input;
    switch (key) {
    case KEY_TASKS:
        s->tasks = true;
        return 0;
    case ARGP_KEY_ARG:
        if (s->id)
            return cli_option_set_error("unexpected argument '%s': one id is enough", arg);
        s->id = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_phase_progress(const json_t *job, const char *kind, const char *label)
{
    char path[64];
    struct base_buf b = {0};
    snprintf(path, sizeof path, "taskCounts.%s", kind);
    const json_t *counts = cli_at(job, path);
    if (cli_int(counts, "total") == 0)
        return;
    snprintf(path, sizeof path, "progress.%s", kind);
    base_buf_addf(&b, "%d%%: %lld tasks", (int)cli_num(job, path),
                  (long long)cli_int(counts, "total"));
    static const char *const members[] = {"succeeded", "running",        "suspended",
                                          "pending",   "failedAttempts", "killedAttempts"};
    static const char *const names[] = {"succeeded", "running",         "suspended",
                                        "pending",   "failed attempts", "killed attempts"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (cli_int(counts, members[i]))
            base_buf_addf(&b, ", %lld %s", (long long)cli_int(counts, members[i]), names[i]);
    cli_print_field(FIELD_WIDTH, label, b.data);
    base_buf_free(&b);
}

static void print_times(const json_t *job)
{
    struct base_buf b = {0};
    int64_t submit = cli_int(job, "submitTime"), finish = cli_int(job, "finishTime");
    cli_text_add_time(submit, &b);
    cli_print_field(FIELD_WIDTH, "submitted", b.data);
    base_buf_clear(&b);
    if (cli_int(job, "startTime")) {
        cli_text_add_time(cli_int(job, "startTime"), &b);
        cli_print_field(FIELD_WIDTH, "started", b.data);
        base_buf_clear(&b);
    }
    if (finish) {
        cli_text_add_time(finish, &b);
        cli_print_field(FIELD_WIDTH, "finished", b.data);
        base_buf_clear(&b);
    }
    cli_text_add_duration((finish ? finish : base_wall_us(&base_clock_real) / 1000) - submit, &b);
    cli_print_field(FIELD_WIDTH, "time", b.data);
    base_buf_free(&b);
}

static void print_date(const json_t *job, const char *member, const char *label)
{
    struct base_buf b = {0};
    if (!cli_int(job, member))
        return;
    cli_when_add_iso(cli_int(job, member), &b);
    cli_print_field(FIELD_WIDTH, label, b.data);
    base_buf_free(&b);
}

static void print_deadline(const json_t *job)
{
    struct base_buf b = {0};
    cli_deadline_describe(job, &b);
    if (b.len)
        cli_print_field(FIELD_WIDTH, "deadline", b.data);
    print_date(job, "promisedFinish", "promised");
    base_buf_clear(&b);
    cli_deadline_describe_offer(job, &b);
    if (b.len)
        cli_print_field(FIELD_WIDTH, "offered", b.data);
    base_buf_free(&b);
}

static void print_status(const json_t *job)
{
    cli_print_field(FIELD_WIDTH, "id", cli_str(job, "id"));
    cli_print_field(FIELD_WIDTH, "name", cli_str(job, "name"));
    cli_print_field(FIELD_WIDTH, "user", cli_str(job, "user"));
    cli_print_field(FIELD_WIDTH, "queue", cli_str(job, "queue"));
    cli_print_field(FIELD_WIDTH, "state", cli_str(job, "state"));
    cli_print_field(FIELD_WIDTH, "result", cli_job_result(job));
    print_phase_progress(job, "map", "maps");
    print_phase_progress(job, "reduce", "reduces");
    print_times(job);
    print_deadline(job);
    if (*cli_str(job, "why"))
        cli_print_field(FIELD_WIDTH, "why", cli_str(job, "why"));
    const json_t *input = json_object_get(job, "input");
    for (size_t i = 0; i < json_array_size(input); i++)
        cli_print_field(FIELD_WIDTH, i ? "" : "input", json_string_value(json_array_get(input, i)));
    static const char *const texts[] = {"output", "map", "combine", "reduce"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (*cli_str(job, texts[i]))
            cli_print_field(FIELD_WIDTH, texts[i], cli_str(job, texts[i]));
    if (*cli_str(job, "diagnostics")) {
        puts("diagnostics");
        cli_print_indented(stdout, "  ", cli_str(job, "diagnostics"));
    }
}

/* State of printing tasks page by page; only one page is kept in memory. */
struct task_pages {
    struct cli_table *table;
    struct base_app_id app;
    int64_t now_ms;
    size_t n;
};

/* Columns of a row of GET jobs/{id}/tasks?rows=true. */
enum {
    TASK_NAME,
    TASK_STATE,
    TASK_PROGRESS,
    TASK_ATTEMPTS,
    TASK_EXIT,
    TASK_START,
    TASK_ELAPSED,
    TASK_NODE,
    TASK_CONTAINER
};

static const char *row_text(const json_t *row, size_t i)
{
    const char *s = json_string_value(json_array_get(row, i));
    return s ? s : "";
}

static int64_t get_row_number(const json_t *row, size_t i)
{
    return (int64_t)json_number_value(json_array_get(row, i));
}

static bool is_row_number(const json_t *row, size_t i)
{
    return json_is_number(json_array_get(row, i));
}

/* Formats the id of task "m17" of @app; "" when @name is malformed. */
static void format_task_id(const struct base_app_id *app, const char *name,
                           char out[static BASE_ID_TEXT_MAX])
{
    struct base_task_id id = {*app, *name == 'r' ? BASE_TASK_REDUCE : BASE_TASK_MAP, 0};
    int64_t index;
    if (*name == '\0' || base_int_parse(name + 1, 0, INT32_MAX, &index) < 0) {
        *out = '\0';
        return;
    }
    id.index = (int32_t)index;
    base_task_id_text(&id, out);
}

static void add_task_row(struct task_pages *p, const json_t *row)
{
    struct base_buf time = {0};
    char task[BASE_ID_TEXT_MAX], container[BASE_ID_TEXT_MAX] = "", progress[24], attempts[24],
                                 code[24] = "-";
    int64_t start = get_row_number(row, TASK_START);
    format_task_id(&p->app, row_text(row, TASK_NAME), task);
    snprintf(progress, sizeof progress, "%lld%%", (long long)get_row_number(row, TASK_PROGRESS));
    snprintf(attempts, sizeof attempts, "%lld", (long long)get_row_number(row, TASK_ATTEMPTS));
    if (is_row_number(row, TASK_EXIT))
        snprintf(code, sizeof code, "%lld", (long long)get_row_number(row, TASK_EXIT));
    if (start)
        cli_text_add_duration(is_row_number(row, TASK_ELAPSED) ? get_row_number(row, TASK_ELAPSED)
                                                               : p->now_ms - start,
                              &time);
    if (is_row_number(row, TASK_CONTAINER)) {
        struct base_container_id id = {{p->app, 1},
                                       json_integer_value(json_array_get(row, TASK_CONTAINER))};
        base_container_id_text(&id, container);
    }
    cli_table_add_row(p->table, task, row_text(row, TASK_STATE), progress, attempts, code,
                      time.data ? time.data : "-", row_text(row, TASK_NODE), container, NULL);
    base_buf_free(&time);
}

static void print_task_page(void *user, const json_t *tasks)
{
    struct task_pages *p = user;
    p->n += json_array_size(tasks);
    for (size_t i = 0; i < json_array_size(tasks); i++)
        add_task_row(p, json_array_get(tasks, i));
    if (json_array_size(tasks))
        cli_table_print_page(p->table, stdout);
}

static int print_tasks(struct cli *c, const char *id, const json_t *job)
{
    struct task_pages p = {.now_ms = base_wall_us(&base_clock_real) / 1000};
    int rc = CLI_OK;
    base_app_id_parse(id, &p.app, NULL);
    p.table = cli_table_new("TASK", "<", "STATE", "<", "PROGRESS", ">2", "ATTEMPTS", ">", "EXIT",
                            ">", "TIME", ">", "NODE", "~", "CONTAINER", "<1", NULL);
    rc = cli_job_get_tasks(c, id, "rows=true", CLI_RM_PATIENT, false, print_task_page, &p);
    if (rc == CLI_OK && p.n == 0 && cli_job_has_ended(job))
        puts("Its tasks are no longer known: the job ended under an earlier ResourceManager, and "
             "only totals are kept.");
    cli_table_free(p.table);
    return rc;
}

static void print_task_page_json(void *user, const json_t *tasks)
{
    size_t *n = user;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        if ((*n)++)
            putchar(',');
        json_dumpf(json_array_get(tasks, i), stdout, JSON_COMPACT);
    }
}

/* Prints {"job":{…},"tasks":[…]} as the pages arrive. */
static int print_json_with_tasks(struct cli *c, const char *id, const json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);
    size_t n = 0;
    base_assert(text && *text == '{');
    printf("%.*s,\"tasks\":[", (int)strlen(text) - 1, text);
    free(text);
    int rc = cli_job_get_tasks(c, id, "", CLI_RM_PATIENT, false, print_task_page_json, &n);
    puts("]}");
    return rc;
}

int cli_job_status_main(int argc, char **argv)
{
    static const struct argp argp = {
        status_options,
        parse_status_option,
        "ID",
        "Shows one job: state, result, progress, times, and the number of tasks in each state.\v"
        "Example:\n"
        "  creel job status application_1700000000000_0001 --tasks\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct status s = {0};
    json_t *answer = NULL;
    char *id = NULL;
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &s);
    if (rc == CLI_OK && !(id = cli_app_id_require(s.id, "creel job status")))
        rc = CLI_USAGE;
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = cli_job_get(&c, id, 0, &answer);
    if (rc == CLI_OK && c.json && s.tasks) {
        rc = print_json_with_tasks(&c, id, answer);
    } else if (rc == CLI_OK && c.json) {
        cli_print_json(answer);
    } else if (rc == CLI_OK) {
        print_status(json_object_get(answer, "job"));
        if (s.tasks) {
            puts("");
            rc = print_tasks(&c, id, json_object_get(answer, "job"));
        }
    }
    json_decref(answer);
    free(id);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}

/* ---- kill ---- */
struct kill_ids {
    char **v;
    size_t n, cap;
    bool no_wait;
};

static const struct argp_option kill_options[] = {
    {"no-wait", KEY_NO_WAIT, NULL, 0, "Do not wait for the end of the jobs", 1},
    {0},
};

static error_t parse_kill_option(int key, char *arg, struct argp_state *state)
{
    struct kill_ids *k = state->input;
    switch (key) {
    case KEY_NO_WAIT:
        k->no_wait = true;
        return 0;
    case ARGP_KEY_ARG:
        base_array_grow(&k->v, k->n, &k->cap);
        k->v[k->n++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Polls until the application has ended, at most for KILL_WAIT_MS; replaces *state. Returns an exit
 * code after printing any error. */
static int wait_until_app_ended(struct cli *c, const char *id, char **state)
{
    char *path = base_printf("/ws/v1/cluster/apps/%s/state", id);
    int64_t until = base_mono_us(&base_clock_real) + KILL_WAIT_MS * INT64_C(1000);
    int rc = CLI_OK;
    while (!cli_state_is_final(*state)) {
        struct timespec ts = {0, 20000000};
        struct cli_answer a = {0};
        if (base_mono_us(&base_clock_real) > until) {
            rc = cli_error(CLI_FAILED, "%s is still %s", id, *state);
            break;
        }
        nanosleep(&ts, NULL);
        rc = cli_rm_call(c->rm, "GET", path, NULL, CLI_RM_PATIENT, &a);
        if (rc != CLI_OK) {
            cli_answer_print_error_and_free(&a, rc);
            break;
        }
        free(*state);
        *state = base_strdup(cli_str(a.json, "state"));
        cli_answer_free(&a);
    }
    free(path);
    return rc;
}

/* Kills one job or application. One that had already ended keeps its state, which is reported and
 * is not an error, so that a kill may be repeated. */
static int kill_app_and_report(struct cli *c, const char *arg, bool no_wait, json_t *report)
{
    char *state = NULL, *id = cli_app_id_from_any_id(arg);
    bool late = false;
    int rc = cli_rm_kill_app(c, id, &state, &late);
    if (rc == CLI_OK && !no_wait)
        rc = wait_until_app_ended(c, id, &state);
    if (rc == CLI_OK && c->json)
        json_object_set_new(report, id, json_string(state));
    else if (rc == CLI_OK && late)
        printf("%s has already finished (%s)\n", id, state);
    else if (rc == CLI_OK)
        printf("%s %s\n", id, state);
    free(state);
    free(id);
    return rc;
}

int cli_job_kill_main(int argc, char **argv)
{
    static const struct argp argp = {
        kill_options,
        parse_kill_option,
        "ID...",
        "Kills jobs or applications and waits for their end. One that has already ended keeps its "
        "state.\v"
        "Example:\n"
        "  creel job kill application_1700000000000_0001\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct kill_ids k = {0};
    json_t *report = json_object();
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &k);
    if (rc == CLI_OK && k.n == 0)
        rc = cli_error(CLI_USAGE, "job kill: an id is missing");
    if (rc == CLI_OK)
        rc = cli_app_ids_require(k.v, k.n);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        for (size_t i = 0; i < k.n; i++) {
            int one = kill_app_and_report(&c, k.v[i], k.no_wait, report);
            if (rc == CLI_OK)
                rc = one;
            if (one == CLI_UNREACHABLE)
                break; /* the other requests would fail in the same way */
        }
        if (c.json)
            cli_print_json(report);
    }
    json_decref(report);
    free(k.v);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
