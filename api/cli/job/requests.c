/* api/cli/job/requests.c - sends requests about jobs (submission, one job, its tasks), and
 * interprets how a job ended. */
#include "api/cli/job/job.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/text/text.h"

enum { TASKS_PAGE = 5000 }; /* tasks in a page: some MB of JSON */

/* The ResourceManager's errors name a member of the job, "job.input[0]: …", but the user typed an
 * option. Replaces the member by its option, "--input: …", if it has one. */
static void replace_member_with_option(char **text)
{
    static const struct {
        const char *member, *option;
    } names[] = {
        {"input", "--input"},
        {"output", "--output"},
        {"map", "--map"},
        {"combine", "--combine"},
        {"reduce", "--reduce"},
        {"reduces", "--reduces"},
        {"split-size", "--split-size"},
        {"max-attempts", "--max-attempts"},
        {"slots", "--slots"},
        {"env", "--env"},
        {"deadline-s", "--deadline"},
        {"deadline-at-ms", "--deadline"},
        {"weight", "--weight"},
        {"name", "--name"},
        {"queue", "--queue"},
        {"priority", "--priority"},
        {"command", "--task"},
        {"count", "--count"},
        {"expected-s", "--expected"},
    };
    static const char task[] = "job.tasks[";
    const char *at = *text ? *text : "", *colon = strchr(at, ':');
    char number[32] = "";
    if (strncmp(at, "job.", 4) != 0 || !colon)
        return;
    if (strncmp(at, task, sizeof task - 1) == 0) { /* job.tasks[2] comes from the third --task */
        long long n = strtoll(at + sizeof task - 1, (char **)&at, 10);
        snprintf(number, sizeof number, " (task %lld)", n + 1);
        if (strncmp(at, "].", 2) != 0)
            return;
        at += 2;
    } else {
        at += 4;
    }
    size_t len = strcspn(at, "[.:");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].member) != len || memcmp(names[i].member, at, len) != 0)
            continue;
        char *named = base_printf("%s%s%s", names[i].option, number, colon);
        free(*text);
        *text = named;
        return;
    }
}

int cli_job_submit(struct cli *c, json_t *job, json_t **stored)
{
    struct cli_answer a = {0};
    *stored = NULL;
    int rc = cli_rm_call(c->rm, "POST", "/ws/v1/cluster/apps/new-application", NULL, 0, &a);
    const char *id = cli_str(a.json, "application-id");
    if (rc == CLI_OK && !*id) {
        a.error = base_strdup("the ResourceManager returned no application id");
        rc = CLI_UNREACHABLE;
    }
    if (rc != CLI_OK) {
        json_decref(job);
        return rc == CLI_INTERRUPTED ? cli_error(rc, "interrupted; nothing was submitted")
                                     : cli_answer_print_error_and_free(&a, rc);
    }
    char *sent = base_strdup(id);
    json_object_set_new(job, "id", json_string(id));
    json_t *body = json_pack("{s:o}", "job", job);
    /* With an id the submission may be repeated any number of times. */
    rc = cli_rm_call(c->rm, "POST", "/ws/v1/cluster/jobs", body, CLI_RM_PATIENT, &a);
    json_decref(body);
    if (rc == CLI_NOTFOUND)
        rc = CLI_USAGE; /* something that the job names does not exist */
    if (rc == CLI_INTERRUPTED) {
        cli_answer_free(&a);
        cli_error(
            rc, "interrupted before the answer; the job may have been accepted (creel job kill %s)",
            sent);
    }
    free(sent);
    if (rc == CLI_USAGE)
        replace_member_with_option(&a.error);
    if (rc != CLI_OK)
        return rc == CLI_INTERRUPTED ? rc : cli_answer_print_error_and_free(&a, rc);
    if (!*cli_str(a.json, "job.id")) {
        cli_answer_free(&a);
        return cli_error(CLI_UNREACHABLE,
                         "%s does not answer with the stored job: is it a ResourceManager?",
                         cli_rm_url(c->rm));
    }
    *stored = a.json;
    a.json = NULL;
    cli_answer_free(&a);
    return CLI_OK;
}

int cli_job_get(struct cli *c, const char *id, unsigned flags, json_t **job)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/jobs/%s", id);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, flags, &a);
    free(path);
    *job = NULL;
    if (rc == CLI_INTERRUPTED) {
        cli_answer_free(&a);
        return rc;
    }
    if (rc != CLI_OK)
        return cli_answer_print_error_and_free(&a, rc);
    if (!json_is_object(json_object_get(a.json, "job"))) {
        cli_answer_free(&a);
        return cli_error(CLI_UNREACHABLE,
                         "%s answered about %s without the object 'job': is it a ResourceManager?",
                         cli_rm_url(c->rm), id);
    }
    *job = a.json;
    a.json = NULL;
    cli_answer_free(&a);
    return CLI_OK;
}

int cli_job_get_tasks(struct cli *c, const char *id, const char *query, unsigned flags, bool quiet,
                      cli_job_on_tasks *page, void *user)
{
    char *cursor = NULL;
    int rc;
    do {
        struct base_buf path = {0};
        struct cli_answer a = {0};
        base_buf_addf(&path, "/ws/v1/cluster/jobs/%s/tasks?limit=%d%s%s", id, TASKS_PAGE,
                      *query ? "&" : "", query);
        if (cursor) {
            base_buf_adds(&path, "&cursor=");
            cli_uri_add_encoded(cursor, &path);
        }
        rc = cli_rm_call(c->rm, "GET", path.data, NULL, flags, &a);
        base_buf_free(&path);
        free(cursor);
        cursor = NULL;
        if (rc != CLI_OK && !quiet)
            return cli_answer_print_error_and_free(&a, rc);
        const json_t *tasks = json_object_get(a.json, "tasks");
        if (rc == CLI_OK && json_is_array(tasks)) {
            base_buf_free(&a.text); /* parsed already; frees some MB before the page is printed */
            page(user, tasks);
            if (*cli_str(a.json, "cursor") && json_array_size(tasks))
                cursor = base_strdup(cli_str(a.json, "cursor"));
        }
        cli_answer_free(&a);
    } while (cursor);
    return rc;
}

bool cli_job_has_ended(const json_t *job)
{
    return cli_state_is_final(cli_str(job, "state"));
}

const char *cli_job_result(const json_t *job)
{
    const char *result = cli_str(job, "result"); /* older RMs send only finalStatus */

    return *result ? result : cli_str(job, "finalStatus");
}

int cli_job_exit_code(const json_t *job)
{
    return strcmp(cli_str(job, "finalStatus"), "SUCCEEDED") == 0 ? CLI_OK : CLI_FAILED;
}

void cli_print_indented(FILE *out, const char *indent, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        char *line = base_strndup(text, len);
        struct base_buf clean = {0};
        cli_text_add_clean(line, &clean);
        fprintf(out, "%s%s\n", indent, clean.data ? clean.data : "");
        base_buf_free(&clean);
        free(line);
        text += len + (text[len] == '\n');
    }
}
