/* api/cli/job/submit.c - `creel job submit`: makes a job from the options, and submits it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/job/job.h"
#include "api/cli/text/text.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/limits.h"

enum {
    KEY_NAME = 256,
    KEY_INPUT,
    KEY_OUTPUT,
    KEY_MAP,
    KEY_COMBINE,
    KEY_REDUCE,
    KEY_REDUCES,
    KEY_SPLIT,
    KEY_QUEUE,
    KEY_PRIORITY,
    KEY_ENV,
    KEY_WAIT,
    KEY_ATTEMPTS,
    KEY_SLOTS,
    KEY_DEADLINE,
    KEY_WEIGHT,
    KEY_TASK,
    KEY_REDUCE_TASK,
    KEY_TASKS,
    KEY_COUNT,
    KEY_EXPECTED,
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Required for a job that reads data:", 1},
    {"input", KEY_INPUT, "PATH", 0,
     "File, folder (one level deep) or glob to read; may be repeated, or followed by more paths",
     1},
    {"output", KEY_OUTPUT, "DIR", 0, "Folder to create for the result: part-00000 …, _SUCCESS", 1},
    {"map", KEY_MAP, "CMD", 0, "Command that reads lines and writes key<TAB>value lines", 1},
    {NULL, 0, NULL, 0, "Required for a list of commands, instead of these:", 2},
    {"task", KEY_TASK, "CMD", 0, "Command to run as a task; may be repeated", 2},
    {"reduce-task", KEY_REDUCE_TASK, "CMD", 0, "Likewise, in a reduce slot", 2},
    {"count", KEY_COUNT, "N", 0, "Run the preceding --task or --reduce-task N times", 2},
    {"expected", KEY_EXPECTED, "SPAN", 0,
     "How long the preceding --task or --reduce-task takes, about (5s, 2m)", 2},
    {"tasks", KEY_TASKS, "FILE", 0,
     "File with a JSON array of tasks {kind, command, hosts, count, expected-s}; -: stdin", 2},
    {NULL, 0, NULL, 0, "Optional:", 3},
    {"name", KEY_NAME, "NAME", 0, "Name of the job; default: the first word of its command", 3},
    {"combine", KEY_COMBINE, "CMD", 0, "Command to run on the sorted output of each map", 3},
    {"reduce", KEY_REDUCE, "CMD", 0, "Command that reads sorted lines and writes the result", 3},
    {"reduces", KEY_REDUCES, "N", 0, "Number of reduces; default: 1 with --reduce, else 0", 3},
    {"split-size", KEY_SPLIT, "SIZE", 0, "Largest piece of input for one map, such as 64M", 3},
    {"queue", KEY_QUEUE, "QUEUE", 0, "Queue to submit to", 3},
    {"priority", KEY_PRIORITY, "P", 0, "A larger number goes first", 3},
    {"env", KEY_ENV, "NAME=VALUE", 0, "Environment variable for the commands; may be repeated", 3},
    {"max-attempts", KEY_ATTEMPTS, "N", 0, "Attempts of each task before the job fails", 3},
    {"slots", KEY_SLOTS, "N", 0,
     "Slots of one node that each task takes, with the memory and virtual cores of all of them; "
     "default: 1",
     3},
    {"deadline", KEY_DEADLINE, "WHEN", 0,
     "Wanted end: a time after submission (90s, 5m, 1h30m) or a date (2026-11-21T20:00:00). A "
     "policy that promises deadlines refuses one that it cannot promise, and names the earliest "
     "date that it could",
     3},
    {"weight", KEY_WEIGHT, "W", 0, "Share of the job relative to others of its queue; default: 1",
     3},
    {"wait", KEY_WAIT, NULL, 0,
     "Show progress until the job has ended; the exit status is that of the job", 3},
    {0},
};

static const char doc[] =
    "Submits a job, either MapReduce with Unix commands or a list of commands, and prints its id.\v"
    "Examples:\n"
    "  creel job submit --name lines --input /var/log --output /tmp/lines \\\n"
    "      --map 'grep -c . | sed \"s/^/lines\\t/\"' \\\n"
    "      --reduce 'awk -F\"\\t\" \"{s+=\\$2}END{print s}\"' --wait\n"
    "  creel job submit --task 'sleep 5' --count 20 --wait\n"
    "  creel job submit --tasks tasks.json --json\n\n"
    "Commands are run by sh -c. Relative paths start at the current folder.\n\n" CLI_EXIT_HELP
    " With --wait, 130 after Ctrl-C: the job goes on.";

struct submit {
    json_t *job, *input, *tasks, *env;
    bool wait, deadline;
    char *cwd;
};

static error_t set_integer_member(struct submit *s, const char *option, const char *member,
                                  const char *arg)
{
    int64_t n;
    if (base_int_parse(arg, INT64_MIN, INT64_MAX, &n) < 0)
        return cli_option_set_error("%s: '%s' is not an integer", option, arg);
    json_object_set_new(s->job, member, json_integer(n));
    return 0;
}

/* Sets a string, after checking that it is UTF-8, as JSON requires. */
static error_t set_utf8_text(json_t *object, const char *option, const char *member,
                             const char *arg)
{
    json_t *text = json_string(arg);
    if (!text)
        return cli_option_set_error("%s: the text is not UTF-8", option);
    json_object_set_new(object, member, text);
    return 0;
}

static error_t add_input_path(struct submit *s, const char *arg)
{
    if (!*arg)
        return cli_option_set_error("--input: the path is empty");
    char *uri = cli_uri_from_path(arg, s->cwd);
    json_t *text = json_string(uri);
    free(uri);
    if (!text)
        return cli_option_set_error("--input: the path is not UTF-8");
    if (!s->input)
        s->input = json_array();
    json_array_append_new(s->input, text);
    return 0;
}

static error_t add_task(struct submit *s, const char *kind, const char *command)
{
    json_t *text = json_string(command);
    if (!text)
        return cli_option_set_error("--task: the command is not UTF-8");
    if (!s->tasks)
        s->tasks = json_array();
    json_array_append_new(s->tasks, json_pack("{s:s,s:o}", "kind", kind, "command", text));
    return 0;
}

/* --count and --expected apply to the task that precedes them on the command line. */
static error_t set_task_count(struct submit *s, const char *arg)
{
    int64_t n;
    json_t *last = s->tasks ? json_array_get(s->tasks, json_array_size(s->tasks) - 1) : NULL;
    if (!last)
        return cli_option_set_error("--count: must follow a --task or --reduce-task");
    if (base_int_parse(arg, INT64_MIN, INT64_MAX, &n) < 0)
        return cli_option_set_error("--count: '%s' is not an integer", arg);
    json_object_set_new(last, "count", json_integer(n));
    return 0;
}

static error_t set_expected_duration(struct submit *s, const char *arg)
{
    bool relative;
    int64_t ms;
    json_t *last = s->tasks ? json_array_get(s->tasks, json_array_size(s->tasks) - 1) : NULL;
    if (!last)
        return cli_option_set_error("--expected: must follow a --task or --reduce-task");
    if (!cli_when_parse(arg, &relative, &ms) || !relative)
        return cli_option_set_error("--expected: '%s' is not a duration such as 5s or 2m", arg);
    json_object_set_new(last, "expected-s", json_real((double)ms / 1000));
    return 0;
}

static error_t add_env(struct submit *s, const char *arg)
{
    const char *eq = strchr(arg, '=');
    if (!eq || eq == arg)
        return cli_option_set_error("--env: '%s' is not NAME=VALUE", arg);
    char *name = base_strndup(arg, (size_t)(eq - arg));
    if (!s->env)
        s->env = json_object();
    error_t rc = set_utf8_text(s->env, "--env", name, eq + 1);
    free(name);
    return rc;
}

static error_t add_tasks_from_file(struct submit *s, const char *file)
{
    struct base_buf text = {0};
    struct base_error err = {0};
    json_t *tasks = NULL;
    error_t rc = 0;
    if (base_file_read(strcmp(file, "-") == 0 ? "/dev/stdin" : file, BASE_BODY_MAX, &text, &err) <
            0 ||
        base_json_parse(text.data ? text.data : "", text.len, &tasks, &err) < 0)
        rc = cli_option_set_error("--tasks %s: %s", file, err.text);
    else if (json_is_object(tasks) && json_is_array(json_object_get(tasks, "tasks")))
        rc = json_array_extend(s->tasks ? s->tasks : (s->tasks = json_array()),
                               json_object_get(tasks, "tasks"));
    else if (!json_is_array(tasks))
        rc = cli_option_set_error("--tasks %s: not a JSON array of tasks", file);
    else
        rc = json_array_extend(s->tasks ? s->tasks : (s->tasks = json_array()), tasks);
    json_decref(tasks);
    base_buf_free(&text);
    return rc;
}

static error_t set_split_size(struct submit *s, const char *arg)
{
    int64_t n;
    if (base_size_parse(arg, &n) < 0)
        return cli_option_set_error("--split-size: '%s' is not a size such as 64M", arg);
    json_object_set_new(s->job, "split-size", json_integer(n));
    return 0;
}

static error_t set_output(struct submit *s, const char *arg)
{
    if (!*arg)
        return cli_option_set_error("--output: the path is empty");
    char *uri = cli_uri_from_path(arg, s->cwd);
    error_t rc = set_utf8_text(s->job, "--output", "output", uri);
    free(uri);
    return rc;
}

static error_t set_weight(struct submit *s, const char *arg)
{
    char *end;
    double w = strtod(arg, &end);
    if (!*arg || *end || !(w > 0) || w > 1e6)
        return cli_option_set_error(
            "--weight: '%s' is not a number greater than 0, at most 1000000", arg);
    json_object_set_new(s->job, "weight", json_real(w));
    return 0;
}

/* Checks which options go together; the ResourceManager checks their values. */
static error_t check_option_combination(const struct submit *s)
{
    bool data = s->input || json_object_get(s->job, "map") || json_object_get(s->job, "output");
    if (data && s->tasks)
        return cli_option_set_error(
            "--task and --tasks replace --input, --output and --map: give one or the other");
    if (s->tasks)
        return 0;
    if (!data)
        return cli_option_set_error(
            "nothing to run: give --input, --output and --map, or --task; see "
            "creel job submit --help");
    if (!s->input)
        return cli_option_set_error("--input is missing");
    if (!json_object_get(s->job, "map"))
        return cli_option_set_error("--map is missing");
    if (!json_object_get(s->job, "output"))
        return cli_option_set_error("--output is missing");
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct submit *s = state->input;
    switch (key) {
    case KEY_NAME:
        return set_utf8_text(s->job, "--name", "name", arg);
    case KEY_INPUT:
    case ARGP_KEY_ARG:
        return add_input_path(s, arg);
    case KEY_OUTPUT:
        return set_output(s, arg);
    case KEY_MAP:
        return set_utf8_text(s->job, "--map", "map", arg);
    case KEY_COMBINE:
        return set_utf8_text(s->job, "--combine", "combine", arg);
    case KEY_REDUCE:
        return set_utf8_text(s->job, "--reduce", "reduce", arg);
    case KEY_REDUCES:
        return set_integer_member(s, "--reduces", "reduces", arg);
    case KEY_SPLIT:
        return set_split_size(s, arg);
    case KEY_QUEUE:
        return set_utf8_text(s->job, "--queue", "queue", arg);
    case KEY_PRIORITY:
        return set_integer_member(s, "--priority", "priority", arg);
    case KEY_ENV:
        return add_env(s, arg);
    case KEY_ATTEMPTS:
        return set_integer_member(s, "--max-attempts", "max-attempts", arg);
    case KEY_SLOTS:
        return set_integer_member(s, "--slots", "slots", arg);
    case KEY_DEADLINE:
        s->deadline = true;
        return cli_deadline_parse_into_job(s->job, arg);
    case KEY_WEIGHT:
        return set_weight(s, arg);
    case KEY_TASK:
        return add_task(s, "map", arg);
    case KEY_REDUCE_TASK:
        return add_task(s, "reduce", arg);
    case KEY_TASKS:
        return add_tasks_from_file(s, arg);
    case KEY_COUNT:
        return set_task_count(s, arg);
    case KEY_EXPECTED:
        return set_expected_duration(s, arg);
    case KEY_WAIT:
        s->wait = true;
        return 0;
    case ARGP_KEY_NO_ARGS: /* no path is needed: the job may be a list of commands */
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Gives a job without --name the first word of its command, such as "grep", or else "job", as its
 * name. */
static void set_default_name(struct submit *s)
{
    if (json_object_get(s->job, "name"))
        return;
    const char *command = cli_str(s->job, "map");
    if (!*command)
        command = cli_str(json_array_get(s->tasks, 0), "command");
    size_t len = strcspn(command, " \t\n;|&<>()'\"$`\\");
    char *name = base_strndup(command, len > 0 && len < 64 ? len : 0);
    json_t *text = json_string(*name ? name : "job");
    json_object_set_new(s->job, "name", text ? text : json_string("job"));
    free(name);
}

static json_t *build_job(struct submit *s)
{
    set_default_name(s);
    if (s->input)
        json_object_set_new(s->job, "input", s->input);
    if (s->tasks)
        json_object_set_new(s->job, "tasks", s->tasks);
    if (s->env)
        json_object_set_new(s->job, "env", s->env);
    if (!s->tasks && !json_object_get(s->job, "reduces"))
        json_object_set_new(s->job, "reduces",
                            json_integer(json_object_get(s->job, "reduce") ? 1 : 0));
    json_t *job = s->job;
    s->job = s->input = s->tasks = s->env = NULL;
    return job;
}

/* Prints the job's id, or the job with --json, and the decision about a deadline; with --wait,
 * waits for the end and prints the summary instead of the id. */
static int report_submitted_job(struct cli *c, const struct submit *s, json_t **stored)
{
    char *id = base_strdup(cli_str(*stored, "job.id"));
    int rc = CLI_OK;
    if (!c->json && !s->wait) {
        puts(id);
        fflush(stdout);
    }
    if (s->deadline)
        rc = cli_deadline_await_and_print_decision(c, id, stored);
    if (rc == CLI_OK && s->wait)
        rc = cli_job_wait_and_print(c, id);
    else if (c->json && *stored && rc != CLI_INTERRUPTED)
        cli_print_json(*stored);
    free(id);
    return rc;
}

int cli_job_submit_main(int argc, char **argv)
{
    static const struct argp argp = {options, parse_option, "[PATH...]", doc, NULL, NULL, NULL};
    struct cli c = {0};
    struct submit s = {.job = json_object(), .cwd = getcwd(NULL, 0)};
    json_t *stored = NULL;
    int rc;
    if (!s.cwd)
        s.cwd = base_strdup("/");
    rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &s);
    if (rc == CLI_OK && check_option_combination(&s) != 0)
        rc = cli_error(CLI_USAGE, "%s", cli_option_error_text());
    if (rc == CLI_OK)
        rc = cli_rm_open(&c);
    if (rc != CLI_OK)
        goto out;
    rc = cli_job_submit(&c, build_job(&s), &stored);
    if (rc != CLI_OK)
        goto out;
    rc = report_submitted_job(&c, &s, &stored);
out:
    json_decref(stored);
    json_decref(s.job);
    json_decref(s.input);
    json_decref(s.tasks);
    json_decref(s.env);
    free(s.cwd);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
