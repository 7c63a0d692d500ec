/* rm/http/mapreduce/job.c - one job, its counters, and the attempts to run it. */
#include <stdlib.h>

#include "rm/http/access/access.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

void mr_job_hide_details_unless_allowed(const struct mr_call *c, const struct rm_app_view *v,
                                        struct mr_job_and_texts *filled)
{
    if (rm_access_sees_app(c->rq, c->b, v))
        return;
    filled->job.diagnostics = NULL;
    filled->job.acls = (struct api_list){0};
}

void mr_get_job(const struct mr_call *c)
{
    struct mr_job_and_texts filled = {0};
    struct rm_views v = {0};
    struct yarn_context f;
    const struct rm_app_view *job =
        mr_call_is_to_history(c) ? mr_copy_job_if_visible(c, &v) : mr_copy_job(c, &v);

    if (job) {
        yarn_context_read(c->b, &f);
        mr_job_fill(&f, job, &filled);
        mr_job_hide_details_unless_allowed(c, job, &filled);
        yarn_answer(c->rq, 200,
                    mr_call_is_to_history(c) ? &yarn_shape_mr_ended_job : &yarn_shape_mr_job,
                    API_N_WRAPPED, &filled.job);
        mr_job_texts_free(&filled);
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}

/* The ResourceManager itself runs the job, without a container: members about the container are
 * empty, as in Hadoop when the container is unknown. */
void mr_get_job_attempts(const struct mr_call *c)
{
    struct rm_views v = {0};
    const struct rm_app_view *job = mr_copy_job(c, &v);

    if (job) {
        const struct yarn_mr_job_attempt attempt = {.node_http = "",
                                                    .node_id = "",
                                                    .id = 1,
                                                    .started = job->submit_us / 1000,
                                                    .container_id = "",
                                                    .logs = ""};
        const struct yarn_mr_job_attempts list = {
            .list = {.items = &attempt, .n = 1, .stride = sizeof attempt}};

        yarn_answer(c->rq, 200, &yarn_shape_mr_job_attempts, API_N_WRAPPED, &list);
    }
    rm_views_free(&v);
}

void mr_get_job_counters(const struct mr_call *c)
{
    struct rm_views v = {0};
    struct mr_counters counters;
    char id[BASE_ID_TEXT_MAX];
    const struct rm_app_view *job = mr_copy_job_if_visible(c, &v);

    if (job) {
        mr_job_id_text(job->id, id);
        mr_counters_fill_job(rm_backend_conf(c->b), job, id, &counters);
        yarn_answer(c->rq, 200, &yarn_shape_mr_job_counters, API_N_WRAPPED, &counters.counters);
        mr_counters_free(&counters);
    }
    rm_views_free(&v);
}
