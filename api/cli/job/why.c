/* api/cli/job/why.c - `creel why`: prints why a job or application waits, in the policy's words. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/job/job.h"
#include "api/cli/text/text.h"

enum { FIELD_WIDTH = 9 };

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
    cli_print_field(FIELD_WIDTH, label, b.data);
    base_buf_free(&b);
}

static void print_why(const json_t *why)
{
    struct base_buf b = {0};

    cli_print_field(FIELD_WIDTH, "id", cli_str(why, "id"));
    cli_print_field(FIELD_WIDTH, "state", cli_str(why, "state"));
    cli_print_field(FIELD_WIDTH, "policy", cli_str(why, "policy"));
    cli_print_field(FIELD_WIDTH, "queue", cli_str(why, "queue"));
    print_task_counts(why, "map", "maps");
    print_task_counts(why, "reduce", "reduces");
    cli_deadline_describe(why, &b);
    if (b.len)
        cli_print_field(FIELD_WIDTH, "deadline", b.data);
    base_buf_clear(&b);
    cli_print_field(FIELD_WIDTH, "reason", cli_str(why, "reason"));
    cli_deadline_describe_offer(why, &b);
    if (b.len)
        cli_print_field(FIELD_WIDTH, "offered", b.data);
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
        cli_parse_one_id,
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
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &given);

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
