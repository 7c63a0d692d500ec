/* rm/http/mapreduce/master.c - the application master's resources, /proxy/{appid}/ws/v1/mapreduce:
 * for a running job of Creel's, the proxy hands requests over to this file. */
#include <stdlib.h>
#include <string.h>

#include "base/conf/percent.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define ROOT     "/ws/v1/mapreduce"
#define ARGS_MAX 3

/* ---- what only the master shows ---- */

static void get_master_info(const struct mr_call *c)
{
    const struct rm_app_view *v = c->job;
    int64_t now_ms = rm_backend_now_us(c->b) / 1000, started_ms = v->submit_us / 1000;
    char id[BASE_ID_TEXT_MAX];
    const struct yarn_mr_info info = {.app_id = base_app_id_text(&v->id, id),
                                      .name = v->name,
                                      .user = v->user,
                                      .started = started_ms,
                                      .elapsed = now_ms > started_ms ? now_ms - started_ms : 0};

    yarn_answer(c->rq, 200, &yarn_shape_mr_info, API_N_WRAPPED, &info);
}

/* No node is blacklisted for a whole job: each task avoids the nodes on which it failed itself. */
static void answer_no_blacklisted_nodes(const struct mr_call *c)
{
    const struct yarn_mr_blacklisted none = {.nodes = {0}};

    yarn_answer(c->rq, 200, &yarn_shape_mr_blacklisted, API_N_WRAPPED, &none);
}

static void list_own_job(const struct mr_call *c)
{
    struct mr_job_and_texts filled = {0};
    struct yarn_context f;

    yarn_context_read(c->b, &f);
    mr_job_fill(&f, c->job, &filled);
    mr_job_hide_details_unless_allowed(c, c->job, &filled);
    yarn_answer(c->rq, 200, &yarn_shape_mr_jobs, API_N_WRAPPED,
                &(struct yarn_mr_jobs){
                    .list = {.items = &filled.job, .n = 1, .stride = sizeof filled.job}});
    mr_job_texts_free(&filled);
    yarn_context_free(&f);
}

/* ---- finding the resource ---- */

#define JOB     "/jobs/*"
#define TASK    JOB "/tasks/*"
#define ATTEMPT TASK "/attempts/*"

static const struct {
    const char *path; /* below ROOT; "*": an id */
    mr_handler *get, *put;
} resources[] = {
    {"", get_master_info, NULL},
    {"/info", get_master_info, NULL},
    {"/blacklistednodes", answer_no_blacklisted_nodes, NULL},
    {"/jobs", list_own_job, NULL},
    {JOB, mr_get_job, NULL},
    {JOB "/jobattempts", mr_get_job_attempts, NULL},
    {JOB "/counters", mr_get_job_counters, NULL},
    {JOB "/conf", mr_get_conf, NULL},
    {JOB "/tasks", mr_list_tasks, NULL},
    {TASK, mr_get_task, NULL},
    {TASK "/counters", mr_get_task_counters, NULL},
    {TASK "/attempts", mr_list_attempts, NULL},
    {ATTEMPT, mr_get_attempt, NULL},
    {ATTEMPT "/state", mr_get_attempt_state, mr_put_attempt_state},
    {ATTEMPT "/counters", mr_get_attempt_counters, NULL},
};

/* Returns true when @path, which begins with '/' or is empty, has the form @pattern; a trailing
 * slash is allowed. Sets args[i] to the beginning of the id that the i-th "*" matches, and lens[i]
 * to its length. */
static bool match_path_pattern(const char *path, const char *pattern, const char *args[ARGS_MAX],
                               size_t lens[ARGS_MAX])
{
    size_t n = 0;

    while (*pattern) {
        if (*pattern != '*') {
            if (*path++ != *pattern++)
                return false;
            continue;
        }
        args[n] = path;
        lens[n] = strcspn(path, "/");
        if (lens[n] == 0)
            return false;
        path += lens[n++];
        pattern++;
    }
    return *path == '\0' || strcmp(path, "/") == 0;
}

static void call_with_ids(mr_handler *handler, struct mr_call *c, const char *args[ARGS_MAX],
                          const size_t lens[ARGS_MAX])
{
    const char **ids[ARGS_MAX] = {&c->job_id, &c->task_id, &c->attempt_id};
    char *texts[ARGS_MAX] = {NULL};

    for (size_t i = 0; i < ARGS_MAX && args[i]; i++) {
        texts[i] = base_alloc(lens[i] + 1);
        base_percent_decode(args[i], args[i] + lens[i], texts[i], false);
        *ids[i] = texts[i];
    }
    handler(c);
    for (size_t i = 0; i < ARGS_MAX; i++)
        free(texts[i]);
}

static void answer_resource_at_path(struct mr_call *c, const char *path)
{
    bool put = strcmp(api_method(c->rq), "PUT") == 0;

    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
        const char *args[ARGS_MAX] = {NULL};
        size_t lens[ARGS_MAX] = {0};
        mr_handler *handler = put ? resources[i].put : resources[i].get;

        if (!match_path_pattern(path, resources[i].path, args, lens))
            continue;
        if (handler)
            call_with_ids(handler, c, args, lens);
        else
            api_answer_error(c->rq, 503, "WebApplicationException", "%s", "");
        return;
    }
    api_answer_html_error_page(c->rq, 404, "Not Found", NULL);
}

bool rm_mapreduce_answer_for_master(struct api_request *rq, struct rm_backend *b,
                                    const struct rm_app_view *job, const char *path)
{
    size_t n = strlen(ROOT);
    struct mr_call c = {.rq = rq, .b = b, .job = job};

    if (strncmp(path, ROOT, n) != 0 || (path[n] != '\0' && path[n] != '/'))
        return false;
    answer_resource_at_path(&c, path + n);
    return true;
}
