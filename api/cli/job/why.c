/* api/cli/job/why.c - `creel why`: why a job or application waits, in the policy's words. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/job/job.h"
#include "api/cli/text/text.h"

static error_t parse_id_argument(int key, char *arg, struct argp_state *state)
{
    const char **id = state->input;

    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*id)
        return cli_option_error("unexpected argument '%s': one id is enough", arg);
    *id = arg;
    return 0;
}

static void print_line(const char *label, const char *text)
{
    struct base_buf b = {0};

    cli_text_add_clean(text, &b);
    printf("%-9s %s\n", label, b.data);
    base_buf_free(&b);
}

static void print_task_counts(const json_t *why, const char *kind, const char *label)
{
    struct base_buf b = {0};
    char path[64];

    snprintf(path, sizeof path, "taskCounts.%s", kind);
    const json_t *counts = cli_at(why, path);
    if (cli_int(counts, "total") == 0)
        return;
    base_buf_addf(&b, "%lld waiting, %lld running", (long long)cli_int(counts, "pending"),
                  (long long)cli_int(counts, "running"));
    if (cli_int(counts, "suspended"))
        base_buf_addf(&b, ", %lld suspended", (long long)cli_int(counts, "suspended"));
    base_buf_addf(&b, ", %lld done", (long long)cli_int(counts, "succeeded"));
    print_line(label, b.data);
    base_buf_free(&b);
}

static void print_why(const json_t *why)
{
    struct base_buf b = {0};

    print_line("id", cli_str(why, "id"));
    print_line("state", cli_str(why, "state"));
    print_line("policy", cli_str(why, "policy"));
    print_line("queue", cli_str(why, "queue"));
    print_task_counts(why, "map", "maps");
    print_task_counts(why, "reduce", "reduces");
    cli_deadline_describe(why, &b);
    if (b.len)
        print_line("deadline", b.data);
    base_buf_clear(&b);
    print_line("reason", cli_str(why, "reason"));
    cli_deadline_describe_offer(why, &b);
    if (b.len)
        print_line("offered", b.data);
    base_buf_free(&b);
    if (*cli_str(why, "diagnostics")) {
        puts("diagnostics");
        cli_print_indented(stdout, "  ", cli_str(why, "diagnostics"));
    }
}

int cli_why_main(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,
        parse_id_argument,
        "ID",
        "Explains why a job or application waits, in the words of the scheduling policy: its place "
        "in the order, its share, and who holds the slots.\v"
        "Example:\n"
        "  creel why application_1700000000000_0001\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    const char *given = NULL;
    json_t *answer = NULL;
    char *id = NULL;
    int rc = cli_parse(&c, &argp, 0, argc, argv, &given);

    if (rc == CLI_OK && !(id = cli_app_id_require(given, "creel why")))
        rc = CLI_USAGE;
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        char *path = base_printf("/ws/v1/cluster/apps/%s/why", id);
        rc = cli_rm_get_object(&c, path, "why", &answer);
        free(path);
    }
    if (rc == CLI_OK && c.json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_why(json_object_get(answer, "why"));
    json_decref(answer);
    free(id);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
