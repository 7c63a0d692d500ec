/* api/cli/job/run_command.c - `creel run -- CMD`: runs one command on the cluster as if it ran
 * here.
 *
 *   submit -> node known -> follow both logs -> logs complete: exit with the command's status
 *      |          |                         \-> logs missing: name them, exit with 5
 *      |          \-> no node after a second: print why
 *      \-> Ctrl-C: kill the job, and follow its logs to the end; a second Ctrl-C exits at once
 *
 * There is one thread. Signals arrive through api/cli/interrupt.h and end every wait and request.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/interrupt.h"
#include "api/cli/job/job.h"
#include "api/cli/job/log_follower.h"
#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/io/io.h"

enum {
    KEY_NAME = 256,
    KEY_ENV,
    KEY_QUEUE,
    KEY_PRIORITY,
    STREAMS = 2,
    POLL_FIRST_MS = 1,
    POLL_MAX_MS = 200,     /* time between polls while the user waits for a change */
    CHECK_MS = 1000,       /* time between polls while logs are being followed */
    PATIENCE_MS = 60000,   /* time without an answer from any RM before giving up */
    ANNOUNCE_MS = 1000,    /* likewise, before a message about it */
    SETTLE_MS = 10000,     /* wait for logs after the job's end, and after each byte of them */
    LAST_CHANCE_MS = 1000, /* likewise, before the last try to get missing logs */
    WAITS_MS = 1000,       /* time without a node or output before the reason is printed */
};

#define INPUT_TEXT                                                                                 \
    "standard input is not passed on: the command reads an empty one; let it read a file that "    \
    "its node can see: "                                                                           \
    "creel run -- sh -c 'CMD < FILE'"

struct run {
    struct cli *c;
    const char *id;
    struct cli_nodes *nodes;
    struct cli_follow *follow;
    uint64_t bytes; /* bytes of output at the last check */
    size_t stream[STREAMS];
    char *container; /* the container whose logs are followed; NULL: not known yet */
    int signal;      /* the first signal caught; 0: none */
    bool leave_now;  /* a second signal was caught */
    /* printed: that no RM answers; why the job waits; why its output cannot be read */
    bool silence_printed, reason_printed, log_error_printed;
    bool job_ended;
    int64_t unreachable_since_us, ended_us, next_refresh_us, poll_ms, submitted_us,
        log_error_since_us;
    json_t *task, *job; /* task and job as in the last answer */
};

static int64_t now_us(void)
{
    return base_mono_us(&base_clock_real);
}

/* The sink of both logs: writes output at once. When the reader has gone, the job is killed, just
 * as a closed pipe would end the command. */
static int write_output(void *user, const char *data, size_t len)
{
    return cli_write_all_or_print_error(*(const int *)user, data, len);
}

static void request_kill(struct run *r)
{
    struct cli_answer a = {0};
    json_t *body = json_pack("{s:s}", "state", "KILLED");
    char *path = base_printf("/ws/v1/cluster/apps/%s/state", r->id);
    cli_rm_call(r->c->rm, "PUT", path, body, CLI_RM_ONCE, &a);
    free(path);
    json_decref(body);
    cli_answer_free(&a);
}

/* Handles caught signals: the first one kills the job and lets its last output arrive; the second
 * one ends the command at once. */
static void handle_signals(struct run *r)
{
    for (int sig; (sig = cli_interrupt_take_signal());) {
        if (r->signal) {
            r->leave_now = true;
            continue;
        }
        r->signal = sig;
        request_kill(r);
        r->poll_ms = POLL_FIRST_MS;
        r->next_refresh_us = 0;
    }
}

/* Starts to follow the logs when the task's container becomes known, and again when the container
 * is another one: then the node was lost, and the command has been started again elsewhere. */
static void follow_logs_of_new_container(struct run *r)
{
    static const int fds[STREAMS] = {STDOUT_FILENO, STDERR_FILENO};
    static const char *const files[STREAMS] = {"stdout", "stderr"};
    const char *container = cli_str(r->task, "containerId"),
               *node = cli_str(r->task, "nodeHttpAddress");
    if (!*container || !*node || (r->container && strcmp(r->container, container) == 0))
        return;
    if (r->container)
        cli_error(0, "the command was lost with its node and has been started again");
    free(r->container);
    r->container = base_strdup(container);
    cli_follow_free(r->follow);
    r->follow = cli_follow_new();
    r->bytes = 0;
    r->log_error_printed = false;
    struct cli_node *at = cli_nodes_find_or_add(r->nodes, cli_str(r->task, "node"), node);
    for (size_t i = 0; i < STREAMS; i++)
        r->stream[i] = cli_follow_add(r->follow, at, container, files[i], 0, true, write_output,
                                      (void *)&fds[i]);
}

/* Call when no RM has answered a request sent at @began_us. Returns true while the request should
 * be tried again. */
static bool should_keep_trying_rm(struct run *r, int64_t began_us)
{
    if (!r->unreachable_since_us) {
        r->unreachable_since_us = began_us;
        r->silence_printed = false;
    }
    int64_t ms = (now_us() - r->unreachable_since_us) / 1000;
    if (ms > ANNOUNCE_MS && !r->silence_printed)
        cli_rm_print_waiting(r->c->rm);
    r->silence_printed = r->silence_printed || ms > ANNOUNCE_MS;
    return ms < PATIENCE_MS;
}

/* Replaces the task's state, but not once both task and job have ended: an RM that has just taken
 * over may not have heard of the task's end from the node yet, and knows no task (NULL) of a job
 * that ended earlier. */
static void update_task_unless_over(struct run *r, json_t *task)
{
    const char *seen = cli_str(r->task, "state");
    bool over = strcmp(seen, "SUCCEEDED") == 0 || strcmp(seen, "FAILED") == 0 ||
                strcmp(seen, "KILLED") == 0;
    if (!task || (over && r->job_ended))
        return;
    json_decref(r->task);
    r->task = json_incref(task);
}

/* Polls the task, and the job too unless the task is running and no signal has come. Returns an
 * exit code; CLI_UNREACHABLE only when no RM has answered for PATIENCE_MS. */
static int refresh_state(struct run *r)
{
    struct cli_answer a = {0};
    int64_t began_us = now_us();
    char *path = base_printf("/ws/v1/cluster/jobs/%s/tasks", r->id);
    int rc = cli_rm_call(r->c->rm, "GET", path, NULL, CLI_RM_ONCE, &a);
    free(path);
    if (rc == CLI_OK) {
        update_task_unless_over(r, json_array_get(json_object_get(a.json, "tasks"), 0));
        cli_answer_free(&a);
        follow_logs_of_new_container(r);
        path = base_printf("/ws/v1/cluster/jobs/%s", r->id);
        bool running = r->follow && !r->signal && strcmp(cli_str(r->task, "state"), "RUNNING") == 0;
        rc = running ? CLI_OK : cli_rm_call(r->c->rm, "GET", path, NULL, CLI_RM_ONCE, &a);
        free(path);
        if (rc == CLI_OK && !running && !r->job_ended) {
            json_decref(r->job);
            r->job = json_incref(json_object_get(a.json, "job"));
            if (cli_job_has_ended(r->job)) {
                r->job_ended = true;
                r->ended_us = now_us();
            }
        }
    }
    if (rc == CLI_OK)
        r->unreachable_since_us = 0;
    bool later = rc == CLI_OK || rc == CLI_INTERRUPTED ||
                 (rc == CLI_UNREACHABLE && should_keep_trying_rm(r, began_us));
    if (!later)
        return cli_answer_print_error_and_free(&a, rc);
    cli_answer_free(&a);
    return CLI_OK;
}

/* Prints once why the command has no node yet, after it has waited for WAITS_MS. */
static void print_why_waiting_once(struct run *r)
{
    bool waits = !r->container && !r->signal && !r->job_ended &&
                 now_us() - r->submitted_us > WAITS_MS * INT64_C(1000);
    if (!waits || r->reason_printed)
        return;
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/why", r->id);
    int rc = cli_rm_call(r->c->rm, "GET", path, NULL, CLI_RM_ONCE, &a);
    if (rc == CLI_OK && *cli_str(a.json, "why.reason")) {
        r->reason_printed = true;
        cli_error(0, "%s waits: %s", r->id, cli_str(a.json, "why.reason"));
    }
    free(path);
    cli_answer_free(&a);
}

/* Returns why one of the logs cannot be read at the moment; NULL: no error with either of them. */
static const char *find_log_error(const struct run *r)
{
    for (size_t i = 0; r->follow && i < STREAMS; i++)
        if (!cli_follow_has_ended(r->follow, r->stream[i]) &&
            cli_follow_error(r->follow, r->stream[i]))
            return cli_follow_error(r->follow, r->stream[i]);
    return NULL;
}

static void print_log_error_once(struct run *r)
{
    const char *why = find_log_error(r);
    if (!why || r->log_error_printed) {
        r->log_error_since_us = 0;
        return;
    }
    if (!r->log_error_since_us)
        r->log_error_since_us = now_us();
    if (r->job_ended || now_us() - r->log_error_since_us < WAITS_MS * INT64_C(1000))
        return;
    r->log_error_printed = true;
    cli_error(0, "the output cannot be read at the moment (node %s: %s); retrying",
              cli_str(r->task, "node"), why);
}

static bool have_logs_ended(const struct run *r)
{
    for (size_t i = 0; r->follow && i < STREAMS; i++)
        if (!cli_follow_has_ended(r->follow, r->stream[i]))
            return false;
    return true;
}

static bool is_output_reader_gone(const struct run *r)
{
    for (size_t i = 0; r->follow && i < STREAMS; i++)
        if (cli_follow_result(r->follow, r->stream[i]) == CLI_FOLLOW_CLOSED)
            return true;
    return false;
}

/* Waits for output, a signal, or the time of the next poll. */
static void wait_for_activity(struct run *r)
{
    int64_t us = r->next_refresh_us - now_us();
    int ms = us <= 0 ? 0 : (int)(us / 1000 + 1);
    if (r->follow && !have_logs_ended(r)) {
        cli_follow_poll(r->follow, ms, cli_interrupt_fd());
        if (have_logs_ended(r)) { /* the task has probably ended: poll soon */
            r->poll_ms = POLL_FIRST_MS;
            r->next_refresh_us = 0;
        }
    } else {
        cli_interrupt_sleep(ms);
    }
    handle_signals(r);
    if (is_output_reader_gone(r) && !r->signal) {
        r->signal = SIGPIPE;
        request_kill(r);
        r->next_refresh_us = 0;
    }
}

static void schedule_refresh(struct run *r)
{
    bool quiet = r->follow && !have_logs_ended(r) && !r->signal && !r->job_ended;
    r->poll_ms = quiet                       ? CHECK_MS
                 : r->poll_ms >= POLL_MAX_MS ? POLL_MAX_MS
                                             : r->poll_ms * 3 / 2 + 1;
    r->next_refresh_us = now_us() + r->poll_ms * 1000;
}

/* Runs until the job has ended and all of its output has been shown. The end of the job and that of
 * the logs are independent: an RM may report the end before the node has delivered the last bytes,
 * and a restart of the NM ends the streams of a command that is still running. So after the end of
 * the job the logs get SETTLE_MS from each byte on, with a last try after LAST_CHANCE_MS; and while
 * the job is alive, streams that have ended are resumed. */
static int wait_for_job_and_its_output(struct run *r)
{
    r->poll_ms = POLL_FIRST_MS;
    while (!r->leave_now) {
        if (now_us() >= r->next_refresh_us) {
            int rc = refresh_state(r);
            if (rc != CLI_OK)
                return rc;
            schedule_refresh(r);
            if (r->signal && !r->job_ended && r->poll_ms == POLL_MAX_MS)
                request_kill(r); /* the first request may have been lost with its RM */
        }
        print_why_waiting_once(r);
        print_log_error_once(r);
        if (r->job_ended && have_logs_ended(r))
            return CLI_OK;
        if (r->follow && cli_follow_bytes(r->follow) !=
                             r->bytes) { /* bytes that arrive slowly are not silence */
            r->bytes = cli_follow_bytes(r->follow);
            r->ended_us = now_us();
        }
        if (r->job_ended && r->follow && now_us() - r->ended_us > SETTLE_MS * INT64_C(1000))
            return CLI_OK;
        if (r->job_ended && r->follow && now_us() - r->ended_us > LAST_CHANCE_MS * INT64_C(1000))
            cli_follow_stop_retrying(r->follow);
        bool goes_on =
            r->follow && !r->job_ended && have_logs_ended(r) && r->poll_ms >= POLL_MAX_MS;
        for (size_t i = 0; goes_on && i < STREAMS; i++)
            /* the NM restarted; the command is still alive */
            cli_follow_resume(r->follow, r->stream[i]);
        wait_for_activity(r);
    }
    return CLI_OK;
}

/* Prints which output is missing. @ran: the command has run to its end. Returns true when some
 * output is missing. */
static bool print_missing_output(const struct run *r, bool ran)
{
    static const char *const names[STREAMS] = {"stdout", "stderr"};
    bool missing = false;
    if (!r->follow && ran)
        cli_error(0, "the output is missing: it is no longer known where the command ran");
    for (size_t i = 0; r->follow && i < STREAMS; i++) {
        enum cli_follow_result result = cli_follow_result(r->follow, r->stream[i]);
        const char *why = cli_follow_error(r->follow, r->stream[i]);
        if (result == CLI_FOLLOW_WHOLE || result == CLI_FOLLOW_CLOSED ||
            (result == CLI_FOLLOW_ABSENT && !ran))
            continue;
        cli_error(0, "the %s of %s is missing or incomplete (node %s: %s)", names[i], r->container,
                  cli_str(r->task, "node"),
                  result == CLI_FOLLOW_ABSENT ? "no such log"
                  : why                       ? why
                                              : "no answer");
        missing = true;
    }
    return missing || (!r->follow && ran);
}

/* Returns the exit status of the command: @code if the command failed with it (@own), 0 if the job
 * succeeded; -1 if the job ended without a status of the command. */
static int get_task_exit_status(const struct run *r, bool own, int64_t code)
{
    if (own || strcmp(cli_str(r->job, "finalStatus"), "SUCCEEDED") == 0)
        return own ? (int)code : CLI_OK;
    return -1;
}

/* Prints what went wrong, if anything. Returns the exit code, decided by the first of these: output
 * that could not be written, a signal caught here, missing output of a command that has run, the
 * command's own status, the failure of the job. */
static int print_failure_and_get_exit_code(const struct run *r)
{
    const char *why = cli_str(r->job, "diagnostics");
    int64_t code = cli_int(r->task, "exitCode");
    bool own = strcmp(cli_str(r->task, "state"), "FAILED") == 0 && code > 0 && code < 256;
    int status = get_task_exit_status(r, own, code);
    if (r->leave_now)
        cli_error(0, "interrupted; the command may go on (creel job kill %s)", r->id);
    if (cli_write_failed())
        return CLI_FAILED;
    if (r->signal)
        return 128 + r->signal;
    bool missing = print_missing_output(r, status >= 0);
    if (missing && status >= 0)
        return cli_error(CLI_INCOMPLETE, "the command itself exited with status %d", status);
    if (status >= 0)
        return status;
    fprintf(stderr, "creel: %s ended %s%s\n", r->id, cli_str(r->job, "finalStatus"),
            *why ? ":" : "");
    cli_print_indented(stderr, "  ", why);
    return CLI_FAILED;
}

/* ---- options ---- */
struct run_options {
    json_t *job, *env;
    char **command; /* NULL-ended, borrowed from argv */
};

static const struct argp_option options[] = {
    {"name", KEY_NAME, "NAME", 0, "Name of the job; default: that of the command", 1},
    {"env", KEY_ENV, "NAME=VALUE", 0, "Environment variable for the command; may be repeated", 1},
    {"queue", KEY_QUEUE, "QUEUE", 0, "Queue to submit to", 1},
    {"priority", KEY_PRIORITY, "P", 0, "A larger number goes first", 1},
    {0},
};

static error_t set_utf8_text(json_t *object, const char *member, const char *text)
{
    json_t *j = json_string(text);
    if (!j)
        return cli_option_set_error("'%s' is not UTF-8", member);
    json_object_set_new(object, member, j);
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;
    int64_t n;
    switch (key) {
    case KEY_NAME:
        return set_utf8_text(o->job, "name", arg);
    case KEY_QUEUE:
        return set_utf8_text(o->job, "queue", arg);
    case KEY_PRIORITY:
        if (base_int_parse(arg, INT32_MIN, INT32_MAX, &n) < 0)
            return cli_option_set_error("--priority: '%s' is not an integer", arg);
        json_object_set_new(o->job, "priority", json_integer(n));
        return 0;
    case KEY_ENV: {
        const char *eq = strchr(arg, '=');
        if (!eq || eq == arg)
            return cli_option_set_error("--env: '%s' is not NAME=VALUE", arg);
        char *name = base_strndup(arg, (size_t)(eq - arg));
        error_t rc = set_utf8_text(o->env, name, eq + 1);
        free(name);
        return rc;
    }
    case ARGP_KEY_ARG:
        o->command = &state->argv[state->next - 1];
        state->next = state->argc; /* the rest belongs to the command */
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char doc[] =
    "Runs one command on the cluster. Its output appears here, and creel exits with its exit "
    "status.\v"
    "CMD is a program with its arguments, which are passed on unchanged; for pipes and variables "
    "use sh -c.\n\n"
    "Examples:\n"
    "  creel run -- hostname\n"
    "  creel run --env LANG=C -- sh -c 'ls | wc -l'\n\n"
    "The command's standard input is empty: that of creel is not passed on.\n\n"
    "Ctrl-C kills the command on the cluster (exit status 130); a second one exits without "
    "waiting.\n\n"
    "Output comes from the node, or through the ResourceManager if the node cannot be reached from "
    "here.\n\n"
    "Exit status: the command's own, 128+n after signal n; 5 when output is missing (stderr names "
    "it, and the command's own status); 1 when output cannot be written here, which kills the "
    "command. If the command could not be run: 1 the job failed or was killed, 2 wrong usage or "
    "refused input, 3 the ResourceManager cannot be reached.";

/* The job has one attempt: a command that has run may have had effects, and its output has been
 * shown. */
static json_t *make_job(struct run_options *o, json_t *command)
{
    const char *slash = strrchr(o->command[0], '/');
    if (!json_object_get(o->job, "name")) {
        json_t *name = json_string(slash && slash[1] ? slash + 1 : o->command[0]);
        json_object_set_new(o->job, "name", name ? name : json_string("run"));
    }
    json_object_set_new(o->job, "max-attempts", json_integer(1));
    json_object_set_new(o->job, "tasks",
                        json_pack("[{s:s,s:o}]", "kind", "map", "command", command));
    if (json_object_size(o->env))
        json_object_set(o->job, "env", o->env);
    return json_incref(o->job);
}

/* Returns true when standard input is a file or pipe with data, which the user may expect to reach
 * the command. The data is left unread: it may belong to a shell loop around creel. */
static bool has_unread_input(void)
{
    struct stat st;
    int n = 0;
    if (fstat(STDIN_FILENO, &st) < 0)
        return false;
    if (S_ISREG(st.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) < st.st_size;
    return (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) &&
           ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0;
}

static int run_command(struct cli *c, struct run_options *o)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct base_buf line = {0};
    json_t *stored = NULL;
    base_buf_adds(
        &line,
        "exec "); /* without exec, the shell would print a message when a signal ends the command */
    cli_shell_quote_all(o->command, &line);
    json_t *command = json_string(line.data);
    base_buf_free(&line);
    if (!command)
        return cli_error(CLI_USAGE, "run: the command is not UTF-8");
    struct run r = {.c = c};
    signal(SIGPIPE, SIG_IGN);
    cli_interrupt_catch(signals, sizeof signals / sizeof signals[0]);
    int rc = cli_job_submit(c, make_job(o, command), &stored);
    bool input_warned = rc == CLI_OK && has_unread_input();
    if (input_warned)
        cli_error(0, INPUT_TEXT);
    if (rc == CLI_OK) {
        r.id = cli_str(stored, "job.id");
        r.nodes = cli_nodes_new(c->rm);
        cli_nodes_set_app(r.nodes, r.id);
        r.submitted_us = now_us();
        rc = wait_for_job_and_its_output(&r);
        if (rc == CLI_OK)
            rc = print_failure_and_get_exit_code(&r);
        else if (rc == CLI_UNREACHABLE)
            cli_error(0,
                      "no longer waiting; the command may go on (creel logs %s, creel job kill %s)",
                      r.id, r.id);
        /* data may arrive in the pipe later, so check again */
        if (!input_warned && !r.signal && has_unread_input())
            cli_error(0, INPUT_TEXT);
    }
    cli_follow_free(r.follow);
    cli_nodes_free(r.nodes);
    free(r.container);
    json_decref(r.task);
    json_decref(r.job);
    json_decref(stored);
    cli_interrupt_release();
    return rc;
}

int cli_run_command_main(int argc, char **argv)
{
    static const struct argp argp = {options, parse_option, "[--] CMD [ARG...]", doc, NULL,
                                     NULL,    NULL};
    struct cli c = {.without = CLI_WITHOUT_JSON};
    struct run_options o = {.job = json_object(), .env = json_object()};
    int rc = cli_parse_and_load_conf(&c, &argp, ARGP_IN_ORDER, argc, argv, &o);
    if (rc == CLI_OK && (!o.command || !o.command[0][0]))
        rc = cli_error(CLI_USAGE, "run: the command is missing: creel run -- CMD");
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = run_command(&c, &o);
    json_decref(o.job);
    json_decref(o.env);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
