/* rm/http/mapreduce/history.c - the job history server's resources, /ws/v1/history: jobs that have
 * ended, for as long as the ResourceManager keeps them. SOURCE: Hadoop's HsWebServices. */
#include <stdlib.h>
#include <string.h>

#include "base/conf/conf.h"
#include "rm/http/listing.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

/* ---- the server ---- */

static void get_history_info(struct api_request *rq, void *user)
{
    const char *hadoop = base_conf_get(rm_backend_conf(user), "creel.yarn.hadoop-version");
    char build[YARN_HADOOP_BUILD_MAX];
    struct yarn_mr_history_info info;
    struct yarn_context f;

    yarn_context_read(user, &f);
    yarn_format_hadoop_build(hadoop, build);
    info = (struct yarn_mr_history_info){.started = f.cluster.rm_instance_ms,
                                         .hadoop_version = hadoop,
                                         .hadoop_build_version = build,
                                         .hadoop_built_on = YARN_BUILT_ON};
    yarn_answer(rq, 200, &yarn_shape_mr_history_info, API_N_WRAPPED, &info);
    yarn_context_free(&f);
}

/* ---- the list of jobs ---- */

struct job_filter {
    char *user, *queue, *state; /* NULL: any */
    int64_t limit;
    int64_t started[2], finished[2]; /* ms, inclusive */
};

struct job_list {
    struct rm_listing list;
    struct job_filter filter;
    struct rm_app_filter core_filter; /* borrows from @filter */
    struct base_app_id cursor;
    struct yarn_context frame;
    struct mr_job_and_texts filled;
    enum api_dialect dialect;
    bool opened;
    int64_t shown;
};

static void free_filter(struct job_filter *f)
{
    free(f->user);
    free(f->queue);
    free(f->state);
}

static void free_job_list(struct rm_listing *list)
{
    struct job_list *l = (struct job_list *)list;

    free_filter(&l->filter);
    yarn_context_free(&l->frame);
    mr_job_texts_free(&l->filled);
}

static const char *get_query_unless_empty(struct api_request *rq, const char *name)
{
    const char *text = api_query(rq, name);

    return text && text[0] ? text : NULL;
}

static bool read_limit(struct api_request *rq, struct job_filter *f)
{
    const char *text = get_query_unless_empty(rq, "limit");

    f->limit = INT64_MAX;
    if (text && !yarn_parse_long(text, &f->limit))
        yarn_bad_request(rq, "For input string: \"%s\"", text);
    else if (f->limit <= 0)
        yarn_bad_request(rq, "limit value must be greater then 0");
    else
        return true;
    return false;
}

/* Reads a time in ms; leaves *@out unchanged when the parameter is absent or empty. */
static bool read_time(struct api_request *rq, const char *name, int64_t *out)
{
    const char *text = get_query_unless_empty(rq, name);

    if (text && !yarn_parse_long(text, out))
        yarn_bad_request(rq, "Invalid number format: For input string: \"%s\"", text);
    else if (*out < 0)
        yarn_bad_request(rq, "%s must be greater than 0", name);
    else
        return true;
    return false;
}

static bool read_times(struct api_request *rq, struct job_filter *f)
{
    f->started[0] = f->finished[0] = 0;
    f->started[1] = f->finished[1] = INT64_MAX;
    if (!read_time(rq, "startedTimeBegin", &f->started[0]) ||
        !read_time(rq, "startedTimeEnd", &f->started[1]))
        return false;
    if (f->started[0] > f->started[1]) {
        yarn_bad_request(rq, "startedTimeEnd must be greater than startTimeBegin");
        return false;
    }
    if (!read_time(rq, "finishedTimeBegin", &f->finished[0]) ||
        !read_time(rq, "finishedTimeEnd", &f->finished[1]))
        return false;
    if (f->finished[0] > f->finished[1]) {
        yarn_bad_request(rq, "finishedTimeEnd must be greater than finishedTimeBegin");
        return false;
    }
    return true;
}

static bool check_job_state_name(struct api_request *rq, const char *state)
{
    static const char *const states[] = {"NEW",    "INITED", "RUNNING", "SUCCEEDED",
                                         "FAILED", "KILLED", "ERROR"};

    for (size_t i = 0; state && i < sizeof states / sizeof states[0]; i++)
        if (strcmp(states[i], state) == 0)
            return true;
    if (!state)
        return true;
    api_answer_error(rq, 400, "IllegalArgumentException",
                     "No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState.%s",
                     state);
    return false;
}

/* Returns false when a parameter is not valid; @rq has then been answered. Call free_filter() in
 * any case. */
static bool read_filter(struct api_request *rq, struct job_filter *f)
{
    *f = (struct job_filter){.user = base_strdup(get_query_unless_empty(rq, "user")),
                             .queue = base_strdup(get_query_unless_empty(rq, "queue")),
                             .state = base_strdup(api_query(rq, "state"))};
    return read_limit(rq, f) && read_times(rq, f) && check_job_state_name(rq, f->state);
}

static bool is_in_range(int64_t ms, const int64_t range[2])
{
    return ms >= range[0] && ms <= range[1];
}

/* The core's filter has already checked the user. */
static bool job_passes_filter(const struct job_list *l, const struct rm_app_view *v)
{
    const struct yarn_mr_job *job = &l->filled.job;

    return is_in_range(job->started, l->filter.started) &&
           is_in_range(job->finished, l->filter.finished) &&
           (!l->filter.queue || yarn_app_in_queue(&l->frame, v, l->filter.queue)) &&
           (!l->filter.state || strcmp(l->filter.state, job->state) == 0);
}

static enum rm_listing_next write_job_chunk(struct rm_listing *list, size_t max,
                                            struct base_buf *out)
{
    struct job_list *l = (struct job_list *)list;
    struct base_app_id before = l->cursor;
    struct rm_views v = {0};
    bool more = rm_view_apps(rm_backend_lock_core(list->b), &l->core_filter,
                             l->opened ? &before : NULL, max, &v, &l->cursor);

    rm_backend_unlock_core(list->b);
    if (!l->opened)
        api_shape_open_list("jobs", "job", l->dialect, out);
    l->opened = true;
    for (size_t i = 0; i < v.apps_n && l->shown < l->filter.limit; i++) {
        mr_job_fill(&l->frame, &v.apps[i], &l->filled);
        if (job_passes_filter(l, &v.apps[i]))
            api_shape_add_list_item("job", &yarn_shape_mr_ended_job_item, l->dialect,
                                    &l->filled.job, (size_t)l->shown++, out);
    }
    rm_views_free(&v);
    if (more && l->shown < l->filter.limit)
        return RM_LISTING_MORE;
    api_shape_close_list("jobs", l->dialect, (size_t)l->shown, out);
    return RM_LISTING_END;
}

static void list_ended_jobs(struct api_request *rq, void *user)
{
    struct job_list *l = base_alloc(sizeof *l);

    if (!read_filter(rq, &l->filter)) {
        free_filter(&l->filter);
        free(l);
        return;
    }
    l->list = (struct rm_listing){.rq = rq,
                                  .b = user,
                                  .type = api_wanted_type(rq),
                                  .is_sent_while_written = true,
                                  .chunk = write_job_chunk,
                                  .drop = free_job_list};
    l->core_filter = (struct rm_app_filter){.jobs_only = true,
                                            .user = l->filter.user,
                                            .states = 1u << RM_APP_FINISHED | 1u << RM_APP_FAILED |
                                                      1u << RM_APP_KILLED};
    l->dialect = yarn_choose_dialect(rq, API_N_WRAPPED);
    yarn_context_read(user, &l->frame);
    rm_listing_answer(&l->list);
}

/* ---- one job and what is below it ---- */

static void call_with_path_ids(mr_handler *handler, struct api_request *rq, struct rm_backend *b)
{
    handler(&(struct mr_call){.rq = rq,
                              .b = b,
                              .job_id = api_path_arg(rq, 0),
                              .task_id = api_path_arg(rq, 1),
                              .attempt_id = api_path_arg(rq, 2)});
}

#define HANDLERS(X)                                                                                \
    X(get_job)                                                                                     \
    X(get_job_attempts)                                                                            \
    X(get_job_counters)                                                                            \
    X(get_conf)                                                                                    \
    X(list_tasks)                                                                                  \
    X(get_task)                                                                                    \
    X(get_task_counters)                                                                           \
    X(list_attempts)                                                                               \
    X(get_attempt)                                                                                 \
    X(get_attempt_counters)
#define X(name)                                                                                    \
    static void name(struct api_request *rq, void *user)                                           \
    {                                                                                              \
        call_with_path_ids(mr_##name, rq, user);                                                   \
    }
HANDLERS(X)
#undef X

#define HISTORY   "/ws/v1/history"
#define JOB       HISTORY "/mapreduce/jobs/{jobid}"
#define TASK      JOB "/tasks/{taskid}"
#define ATTEMPT   TASK "/attempts/{attemptid}"
#define CONTAINER HISTORY "/containers/{containerid}"

/* clang-format off */
const struct api_route rm_mapreduce_history_routes[] = {
    {"GET", HISTORY,                   API_ROLE_READ, 0, get_history_info, 0},
    {"GET", HISTORY "/info",           API_ROLE_READ, 0, get_history_info, 0},
    {"GET", HISTORY "/mapreduce/jobs", API_ROLE_READ, 0, list_ended_jobs, 0},
    {"GET", JOB,                       API_ROLE_READ, 0, get_job, 0},
    {"GET", JOB "/jobattempts",        API_ROLE_READ, 0, get_job_attempts, 0},
    {"GET", JOB "/counters",           API_ROLE_READ, 0, get_job_counters, 0},
    {"GET", JOB "/conf",               API_ROLE_READ, 0, get_conf, 0},
    {"GET", JOB "/tasks",              API_ROLE_READ, 0, list_tasks, 0},
    {"GET", TASK,                      API_ROLE_READ, 0, get_task, 0},
    {"GET", TASK "/counters",          API_ROLE_READ, 0, get_task_counters, 0},
    {"GET", TASK "/attempts",          API_ROLE_READ, 0, list_attempts, 0},
    {"GET", ATTEMPT,                   API_ROLE_READ, 0, get_attempt, 0},
    {"GET", ATTEMPT "/counters",       API_ROLE_READ, 0, get_attempt_counters, 0},
    {"GET", CONTAINER "/logs",         API_ROLE_READ, 0, mr_redirect_to_log_list,
     API_ROUTE_PRIVATE},
    {"GET", HISTORY "/containerlogs/{containerid}/{filename}", API_ROLE_READ, 0, mr_redirect_to_log,
     API_ROUTE_PRIVATE},
};
/* clang-format on */
const size_t rm_mapreduce_history_routes_n =
    sizeof rm_mapreduce_history_routes / sizeof rm_mapreduce_history_routes[0];
