/* rm/http/mapreduce/logs.c - the logs of the containers of ended jobs. They stay on the nodes on
 * which the containers ran, for as long as the nodes keep them; clients are sent there.
 * SOURCE: Hadoop's HsWebServices (getContainerLogsInfo, getContainerLogFile). */
#include <stdlib.h>
#include <string.h>

#include "base/conf/http_address.h"
#include "base/conf/percent.h"
#include "base/crypto/log_token.h"
#include "rm/core/states.h"
#include "rm/http/access/access.h"
#include "rm/http/access/log_tokens.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define TASKS_AT_ONCE 64

static bool is_same_container(const struct base_container_id *id,
                              const struct base_container_id *wanted)
{
    return base_container_id_cmp(id, wanted) == 0;
}

/* Returns the address of the node where an earlier attempt of @task ran in @wanted, or
 * NULL. Its text belongs to @v. */
static const char *find_node_of_past_attempt(const struct rm_core *core,
                                             const struct base_task_id *task,
                                             const struct base_container_id *wanted,
                                             struct rm_views *v)
{
    size_t at = v->tasks_n;

    if (rm_view_task(core, task, v) < 0)
        return NULL;
    for (int32_t i = 0; i < v->tasks[at].past_n; i++)
        if (is_same_container(&v->tasks[at].past[i].container, wanted))
            return v->tasks[at].past[i].node_http;
    return NULL;
}

/* Looks through a chunk of the tasks of a job. Returns the address of the node that ran @wanted, or
 * NULL. */
static const char *find_node_in_chunk(const struct rm_core *core,
                                      const struct base_container_id *wanted, struct rm_views *v)
{
    size_t n = v->tasks_n;

    for (size_t i = 0; i < n; i++) {
        const struct rm_task_view *t = &v->tasks[i];
        struct base_task_id id = t->id;
        const char *node;

        if (t->has_container && is_same_container(&t->container, wanted))
            return t->node_http;
        if (t->attempts > 1 && (node = find_node_of_past_attempt(core, &id, wanted, v)))
            return node;
    }
    return NULL;
}

/* Returns the address of the node that ran @wanted, in text that the caller frees; NULL: no task of
 * the job ran in that container, or the node is no longer known. Locks the core for one chunk of
 * tasks at a time. */
static char *find_node_of_container(struct rm_backend *b, const struct base_container_id *wanted)
{
    char *found = NULL;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && !found; k++) {
        int64_t at = 0, before;

        do {
            struct rm_views v = {0};
            const struct rm_core *core = rm_backend_lock_core(b);

            before = at;
            if (rm_view_tasks(core, wanted->attempt.app, k, 0, &at, TASKS_AT_ONCE, &v) == 0)
                found = base_strdup(find_node_in_chunk(core, wanted, &v));
            rm_backend_unlock_core(b);
            rm_views_free(&v);
        } while (at != before && !found);
    }
    return found;
}

/* Returns true when @app is a job that has ended and the caller may see its logs; otherwise answers
 * @rq. */
static bool check_may_see_logs(struct api_request *rq, struct rm_backend *b, struct base_app_id app,
                               const char *container)
{
    struct rm_views v = {0};
    int rc = rm_view_app(rm_backend_lock_core(b), app, &v);
    char id[BASE_ID_TEXT_MAX];
    bool sees = false;

    rm_backend_unlock_core(b);
    if (rc < 0 || !v.apps[0].is_job || !rm_app_state_is_final(v.apps[0].state))
        yarn_not_found(rq, "container, %s, is not found", container);
    else if (!(sees = rm_access_sees_app(rq, b, &v.apps[0])))
        api_answer_error(rq, 403, "ForbiddenException",
                         "User [%s] is not authorized to view the logs for application %s",
                         api_caller(rq), base_app_id_text(&app, id));
    rm_views_free(&v);
    return sees;
}

static void add_query_pair(const char *name, const char *value, struct base_buf *url)
{
    base_buf_adds(url, strchr(url->data, '?') ? "&" : "?");
    base_percent_encode(name, url);
    if (value) {
        base_buf_adds(url, "=");
        base_percent_encode(value, url);
    }
}

static void add_query_parameter_but_token(const char *name, const char *value, void *url)
{
    if (strcmp(name, BASE_LOG_TOKEN_QUERY) != 0) /* one of the client's would be read, not ours */
        add_query_pair(name, value, url);
}

/* Appends a token for the container's logs: a client that follows a redirect leaves its own token
 * behind. */
static void add_log_token_to_query(const struct api_request *rq, struct rm_backend *b,
                                   const char *container, struct base_buf *url)
{
    struct base_buf token = {0};

    if (rm_log_token_make(rq, b, container, &token))
        add_query_pair(BASE_LOG_TOKEN_QUERY, token.data, url);
    base_buf_free(&token);
}

/* Sends the client to the node that has the logs of a container: their list, or @file. */
static void redirect_to_node_logs(struct api_request *rq, struct rm_backend *b, const char *file)
{
    const char *text = api_path_arg(rq, 0), *back = api_query(rq, "redirected_from_node");
    struct base_container_id id;
    struct base_buf url = {0};
    char *node;

    if (base_container_id_parse(text, &id, NULL) < 0) {
        yarn_bad_request(rq, "invalid container id, %s", text);
        return;
    }
    if (!check_may_see_logs(rq, b, id.attempt.app, text))
        return;
    node = find_node_of_container(b, &id);
    /* a node that redirects its clients here no longer has the logs */
    if (!node || (back && strcmp(back, "true") == 0)) {
        yarn_not_found(rq, "The logs of container, %s, are not found", text);
        free(node);
        return;
    }
    base_buf_addf(&url, "%s%s/ws/v1/node/containers/%s/logs", base_http_address_scheme(node),
                  base_http_address_host(node), text);
    if (file) {
        base_buf_adds(&url, "/");
        base_percent_encode(file, &url);
    }
    api_query_each_pair(rq, add_query_parameter_but_token, &url);
    add_log_token_to_query(rq, b, text, &url);
    api_add_header(rq, "Location", url.data);
    api_answer(rq, 307, file ? API_TEXT : api_wanted_type(rq), NULL);
    base_buf_free(&url);
    free(node);
}

void mr_redirect_to_log_list(struct api_request *rq, void *user)
{
    redirect_to_node_logs(rq, user, NULL);
}

void mr_redirect_to_log(struct api_request *rq, void *user)
{
    redirect_to_node_logs(rq, user, api_path_arg(rq, 1));
}
