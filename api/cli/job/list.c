/* api/cli/job/list.c - runs `creel job list` and `creel job counters`. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/job/job.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/io/io.h"

enum { KEY_STATES = 256, KEY_RESULT, KEY_USER, KEY_LIMIT, LIMIT_DEFAULT = 50, PAGE_MAX = 200 };

struct list {
    const char *states, *result, *user;
    int64_t limit; /* 0: all */
};

static const struct argp_option list_options[] = {
    {"states", KEY_STATES, "A,B", 0,
     "Only jobs in these states: ACCEPTED, RUNNING, FINISHED, FAILED, KILLED …", 1},
    {"result", KEY_RESULT, "A,B", 0,
     "Only jobs with these results: SUCCEEDED, FAILED, KILLED, REFUSED. (The state of a failed job "
     "is FINISHED, as in YARN.)",
     1},
    {"user", KEY_USER, "USER", 0, "Only this user's jobs", 1},
    {"limit", KEY_LIMIT, "N", 0, "At most N jobs, 0 for all; default: 50", 1},
    {0},
};

static error_t parse_list_option(int key, char *arg, struct argp_state *state)
{
    struct list *l = state->input;
    switch (key) {
    case KEY_STATES:
        l->states = arg;
        return 0;
    case KEY_RESULT:
        l->result = arg;
        return 0;
    case KEY_USER:
        l->user = arg;
        return 0;
    case KEY_LIMIT:
        if (base_int_parse(arg, 0, INT64_MAX, &l->limit) < 0)
            return cli_option_set_error("--limit: '%s' is not an integer of at least 0", arg);
        return 0;
    case ARGP_KEY_ARG:
        return cli_option_set_error("unexpected argument '%s'; see creel job list --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static char *make_list_path(const struct list *l, size_t have, const char *cursor)
{
    struct base_buf b = {0};
    int64_t want = l->limit ? l->limit - (int64_t)have : PAGE_MAX;
    base_buf_addf(&b, "/ws/v1/cluster/jobs?limit=%lld",
                  (long long)(want > PAGE_MAX ? PAGE_MAX : want));
    if (l->states) {
        base_buf_adds(&b, "&states=");
        cli_uri_add_encoded(l->states, &b);
    }
    if (l->result) {
        base_buf_adds(&b, "&result=");
        cli_uri_add_encoded(l->result, &b);
    }
    if (l->user) {
        base_buf_adds(&b, "&user=");
        cli_uri_add_encoded(l->user, &b);
    }
    if (cursor) {
        base_buf_adds(&b, "&cursor=");
        cli_uri_add_encoded(cursor, &b);
    }
    return base_buf_take(&b);
}

static int fetch_list(struct cli *c, const struct list *l, json_t *jobs)
{
    char *cursor = NULL;
    int rc;
    do {
        char *path = make_list_path(l, json_array_size(jobs), cursor);
        json_t *page = NULL;
        rc = cli_rm_get(c, path, &page);
        free(path);
        free(cursor);
        cursor = NULL;
        json_t *items = json_object_get(page, "jobs");
        if (rc == CLI_OK && !json_is_array(items))
            rc = cli_error(CLI_UNREACHABLE,
                           "%s answered without the list 'jobs': is it a ResourceManager?",
                           cli_rm_url(c->rm));
        if (rc == CLI_OK && json_is_array(items)) {
            json_array_extend(jobs, items);
            bool more = l->limit == 0 || (int64_t)json_array_size(jobs) < l->limit;
            if (more && *cli_str(page, "cursor") && json_array_size(items))
                cursor = base_strdup(cli_str(page, "cursor"));
        }
        json_decref(page);
    } while (cursor);
    return rc;
}

static void print_list(const json_t *jobs)
{
    struct cli_table *t =
        cli_table_new("ID", "<", "NAME", "~", "USER", "<3", "QUEUE", "<2", "STATE", "<", "RESULT",
                      "<4", "MAP", ">", "REDUCE", ">", "SUBMITTED", "<1", "TIME", ">", NULL);
    int64_t now = base_wall_us(&base_clock_real) / 1000;
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const json_t *j = json_array_get(jobs, i);
        struct base_buf submitted = {0}, time = {0};
        char map[16], reduce[16];
        int64_t submit = cli_int(j, "submitTime"), finish = cli_int(j, "finishTime");
        const char *result = cli_job_result(j);
        snprintf(map, sizeof map, "%d%%", (int)cli_num(j, "progress.map"));
        snprintf(reduce, sizeof reduce, "%d%%", (int)cli_num(j, "progress.reduce"));
        cli_text_add_time(submit, &submitted);
        cli_text_add_duration((finish ? finish : now) - submit, &time);
        cli_table_add_row(t, cli_str(j, "id"), cli_str(j, "name"), cli_str(j, "user"),
                          cli_str(j, "queue"), cli_str(j, "state"),
                          strcmp(result, "UNDEFINED") == 0 ? "-" : result, map, reduce,
                          submitted.data, time.data, NULL);
        base_buf_free(&submitted);
        base_buf_free(&time);
    }
    cli_table_print_and_free(t, stdout);
}

int cli_job_list_main(int argc, char **argv)
{
    static const struct argp argp = {list_options,
                                     parse_list_option,
                                     NULL,
                                     "Lists jobs, newest first.\v"
                                     "Examples:\n"
                                     "  creel job list\n"
                                     "  creel job list --states RUNNING,ACCEPTED --json\n"
                                     "  creel job list --result FAILED,REFUSED\n\n" CLI_EXIT_HELP,
                                     NULL,
                                     NULL,
                                     NULL};
    struct cli c = {0};
    struct list l = {.limit = LIMIT_DEFAULT};
    json_t *jobs = json_array();
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &l);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = fetch_list(&c, &l, jobs);
    if (rc == CLI_OK && c.json) {
        json_t *all = json_pack("{s:O}", "jobs", jobs);
        cli_print_json(all);
        json_decref(all);
    } else if (rc == CLI_OK) {
        print_list(jobs);
    }
    json_decref(jobs);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}

static void print_counters(const json_t *counters)
{
    struct cli_table *t = cli_table_new("COUNTER", "<", "VALUE", ">", NULL);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
    {
        struct base_buf b = {0};
        cli_text_add_grouped_count(json_integer_value(value), &b);
        cli_table_add_row(t, name, b.data, NULL);
        base_buf_free(&b);
    }
    cli_table_print_and_free(t, stdout);
}

int cli_job_counters_main(int argc, char **argv)
{
    static const struct argp argp = {NULL,
                                     cli_parse_one_id,
                                     "ID",
                                     "Prints the counters of a job.\v"
                                     "Example:\n"
                                     "  creel job counters "
                                     "application_1700000000000_0001\n\n" CLI_EXIT_HELP,
                                     NULL,
                                     NULL,
                                     NULL};
    struct cli c = {0};
    const char *arg = NULL;
    char *id = NULL;
    json_t *answer = NULL;
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &arg);
    if (rc == CLI_OK && !(id = cli_app_id_require(arg, "creel job counters")))
        rc = CLI_USAGE;
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        char *path = base_printf("/ws/v1/cluster/jobs/%s/counters", id);
        rc = cli_rm_get_object(&c, path, "counters", &answer);
        free(path);
    }
    if (rc == CLI_OK && c.json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_counters(json_object_get(answer, "counters"));
    json_decref(answer);
    free(id);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
