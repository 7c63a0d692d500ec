#include "api/cli/job/log_sources.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/job/job.h"
#include "base/id.h"

enum {
    PROBES_MAX = 2000, /* most requests for containers of earlier attempts */
    NAMED_MAX = 20     /* most lines about missing logs */
};

struct cli_log_source *cli_log_sources_find_container(const struct cli_log_sources *s,
                                                      const char *container)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->v[i].container, container) == 0)
            return &s->v[i];
    return NULL;
}

/* Adds a container unless it is in the list. @label appears in headers and prefixes. */
static void add_source_unless_known(struct cli_log_sources *s, const char *container,
                                    const char *node_id, const char *node_http, const char *label)
{
    if (!*container || cli_log_sources_find_container(s, container))
        return;
    base_array_grow(&s->v, s->n, &s->cap);
    s->v[s->n++] = (struct cli_log_source){
        .container = base_strdup(container),
        .node_http = base_strdup(node_http),
        .label = base_strdup(label),
        .node = *node_http ? cli_nodes_find_or_add(s->nodes, node_id, node_http) : NULL};
}

static void add_missing_unless_known(struct cli_log_sources *s, const char *what, const char *why)
{
    for (size_t i = 0; i < s->n_missing; i++)
        if (strcmp(s->missing[i].what, what) == 0)
            return;
    base_array_grow(&s->missing, s->n_missing, &s->cap_missing);
    s->missing[s->n_missing++] = (struct cli_log_missing){base_strdup(what), base_strdup(why)};
}

void cli_log_sources_add_missing(struct cli_log_sources *s, const struct cli_log_source *of,
                                 const char *why)
{
    char *what = base_printf("%s (%s)", of->label, of->container);
    struct base_buf line = {0};
    if (*of->node_http && !strstr(why, of->node_http))
        base_buf_addf(&line, "node %s: %s", of->node_http, why);
    else
        base_buf_adds(&line, why);
    add_missing_unless_known(s, what, line.data);
    base_buf_free(&line);
    free(what);
}

int cli_log_sources_print_missing(const struct cli_log_sources *s)
{
    for (size_t i = 0; i < s->n_missing && i < NAMED_MAX; i++)
        cli_error(0, "missing: %s: %s", s->missing[i].what, s->missing[i].why);
    if (s->n_missing > NAMED_MAX)
        cli_error(0, "missing: %zu more", s->n_missing - NAMED_MAX);
    return s->n_missing ? CLI_INCOMPLETE : CLI_OK;
}

const char *cli_log_sources_silence_reason(const struct cli_log_sources *s,
                                           const struct cli_node *node)
{
    for (size_t i = 0; i < s->n_silent; i++)
        if (s->silent[i].node == node)
            return s->silent[i].why;
    return NULL;
}

void cli_log_sources_clear_missing(struct cli_log_sources *s)
{
    for (size_t i = 0; i < s->n_missing; i++) {
        free(s->missing[i].what);
        free(s->missing[i].why);
    }
    s->n_missing = 0;
}

void cli_log_sources_free(struct cli_log_sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].container);
        free(s->v[i].node_http);
        free(s->v[i].label);
    }
    for (size_t i = 0; i < s->n_silent; i++)
        free(s->silent[i].why);
    cli_log_sources_clear_missing(s);
    free(s->missing);
    free(s->silent);
    free(s->v);
    cli_nodes_free(s->nodes);
}

bool cli_log_id_is_of_whole_app(const char *id)
{
    return strncmp(id, "application_", 12) == 0 || strncmp(id, "job_", 4) == 0;
}

/* Returns true when @want, the only task or container to show, is NULL or equals @a or @b. */
static bool is_wanted_id(const char *want, const char *a, const char *b)
{
    return !want || strcmp(want, a) == 0 || strcmp(want, b) == 0;
}

/* Returns CLI_RM_*: while logs are being followed, the search for containers must not wait for an
 * RM, since the logs have to go on and the next search comes soon. */
static unsigned get_request_flags(const struct cli_log_sources *s)
{
    return s->patient ? CLI_RM_ONCE : 0;
}

/* Prints a request's error, unless the caller will retry. */
static int print_error_unless_patient(const struct cli_log_sources *s, struct cli_answer *a, int rc)
{
    if (rc != CLI_UNREACHABLE || !s->patient)
        return cli_answer_print_error_and_free(a, rc);
    cli_answer_free(a);
    return rc;
}

static int64_t count_failed_and_killed_attempts(const json_t *answer)
{
    return cli_int(answer, "job.taskCounts.map.failedAttempts") +
           cli_int(answer, "job.taskCounts.map.killedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.failedAttempts") +
           cli_int(answer, "job.taskCounts.reduce.killedAttempts");
}

struct task_pages {
    struct cli_log_sources *out;
    const char *want;
};

static void add_sources_of_tasks(void *user, const json_t *tasks)
{
    struct task_pages *p = user;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *t = json_array_get(tasks, i);
        if (!is_wanted_id(p->want, cli_str(t, "id"), cli_str(t, "containerId")))
            continue;
        const char *state = cli_str(t, "state");
        if (*cli_str(t, "containerId") &&
            (strcmp(state, "FAILED") == 0 || strcmp(state, "KILLED") == 0))
            p->out->lost--;
        add_source_unless_known(p->out, cli_str(t, "containerId"), cli_str(t, "node"),
                                cli_str(t, "nodeHttpAddress"), cli_str(t, "id"));
        struct cli_log_source *found =
            cli_log_sources_find_container(p->out, cli_str(t, "containerId"));
        if (found)
            found->running = strcmp(state, "RUNNING") == 0;
    }
}

/* Adds the containers of the job's tasks. Returns CLI_NOTFOUND when @app is not a job. */
static int find_job_tasks(struct cli *c, const char *app, const char *want,
                          struct cli_log_sources *out)
{
    struct cli_answer a = {0};
    struct task_pages pages = {out, want};
    char *path = base_printf("/ws/v1/cluster/jobs/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, get_request_flags(out), &a);
    free(path);
    if (rc == CLI_OK) {
        /* the state first: otherwise a container that starts between the two requests could be
         * missed */
        out->ended = cli_job_has_ended(json_object_get(a.json, "job"));
        out->started_ms = cli_int(a.json, "job.submitTime");
        out->lost = count_failed_and_killed_attempts(a.json);
        cli_answer_free(&a);
        rc = cli_job_get_tasks(c, app, "", out->patient ? CLI_RM_ONCE : CLI_RM_PATIENT,
                               out->patient, add_sources_of_tasks, &pages);
    } else if (rc == CLI_NOTFOUND) {
        cli_answer_free(&a);
    } else {
        return print_error_unless_patient(out, &a, rc);
    }
    return rc;
}

/* Adds the live containers of an application's attempt. */
static void find_live_containers(struct cli *c, const char *app, const char *attempt,
                                 const char *want, struct cli_log_sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s/containers", app, attempt);
    if (cli_rm_call(c->rm, "GET", path, NULL, get_request_flags(out), &a) == CLI_OK) {
        const json_t *list = json_object_get(a.json, "container");
        for (size_t i = 0; i < cli_list_or_one_len(list); i++) {
            const json_t *one = cli_list_or_one_get(list, i);
            if (!is_wanted_id(want, cli_str(one, "containerId"), ""))
                continue;
            add_source_unless_known(out, cli_str(one, "containerId"), cli_str(one, "nodeId"),
                                    cli_str(one, "nodeHttpAddress"), "container");
            struct cli_log_source *found =
                cli_log_sources_find_container(out, cli_str(one, "containerId"));
            if (found)
                found->running = true;
        }
    }
    free(path);
    cli_answer_free(&a);
}

/* Returns true when the answer lists a file; a node that never ran the container lists none. YARN
 * answers with an object, or with a list of one object. */
static bool lists_files(const json_t *answer)
{
    const json_t *infos = json_object_get(answer, "containerLogsInfo");
    for (size_t i = 0; i < cli_list_or_one_len(infos); i++)
        if (cli_list_or_one_len(
                json_object_get(cli_list_or_one_get(infos, i), "containerLogInfo")) > 0)
            return true;
    return false;
}

/* The nodes that may hold logs: all that the ResourceManager is in contact with. */
struct node_set {
    struct cli_node **v;
    bool *silent; /* for each node: it did not answer */
    size_t n;
    size_t lost;   /* number of nodes that are down but were up after the application began */
    char *lost_id; /* id of the first of these; NULL: none */
};

static void node_set_free(struct node_set *k)
{
    free(k->v);
    free(k->silent);
    free(k->lost_id);
}

/* Fills @k, which the caller frees. Returns false when the ResourceManager does not answer. */
static bool fetch_node_set(struct cli *c, struct cli_log_sources *out, struct node_set *k)
{
    struct cli_answer a = {0};
    bool ok = cli_rm_call(c->rm, "GET", "/ws/v1/cluster/nodes", NULL, get_request_flags(out), &a) ==
              CLI_OK;
    const json_t *nodes = cli_at(a.json, "nodes.node");
    *k = (struct node_set){.v = base_alloc((cli_list_or_one_len(nodes) + 1) * sizeof *k->v),
                           .silent = base_alloc(cli_list_or_one_len(nodes) + 1)};
    for (size_t i = 0; i < cli_list_or_one_len(nodes); i++) {
        const json_t *one = cli_list_or_one_get(nodes, i);
        const char *state = cli_str(one, "state"), *http = cli_str(one, "nodeHTTPAddress");
        bool up = strcmp(state, "RUNNING") == 0 || strcmp(state, "UNHEALTHY") == 0 ||
                  strcmp(state, "DECOMMISSIONING") == 0;
        if (up && *http) {
            k->v[k->n++] = cli_nodes_find_or_add(out->nodes, cli_str(one, "id"), http);
        } else if (cli_int(one, "lastHealthUpdate") >= out->started_ms) {
            k->lost++;
            if (!k->lost_id)
                k->lost_id = base_strdup(cli_str(one, "id"));
        }
    }
    cli_answer_free(&a);
    return ok;
}

/* Sends a GET to node @i unless it was silent before. When the node does not answer, its logs are
 * noted as missing. */
static int query_node(struct node_set *k, size_t i, const char *path, struct cli_log_sources *out,
                      struct cli_answer *a)
{
    if (k->silent[i])
        return CLI_UNREACHABLE;
    int rc = cli_node_get(k->v[i], path, a);
    if (rc == CLI_UNREACHABLE) {
        char *what = base_printf("what ran on node %s", cli_node_id(k->v[i]));
        k->silent[i] = true;
        add_missing_unless_known(out, what, a->error ? a->error : "it does not answer");
        free(what);
    }
    return rc;
}

/* Adds the application's containers that nodes still know, ended ones included. */
static void find_ended_containers(struct cli *c, const char *app, const char *want,
                                  struct cli_log_sources *out)
{
    struct node_set k;
    bool any = fetch_node_set(c, out, &k);
    for (size_t i = 0; any && i < k.n; i++) {
        struct cli_answer a = {0};
        const char *id = cli_node_id(k.v[i]), *http = cli_node_http(k.v[i]);
        char *path = base_printf("apps/%s", app);
        if (query_node(&k, i, path, out, &a) == CLI_OK) {
            const json_t *ids = cli_at(a.json, "app.containerids");
            for (size_t n = 0; n < cli_list_or_one_len(ids); n++)
                if (is_wanted_id(want, json_string_value(cli_list_or_one_get(ids, n)), ""))
                    add_source_unless_known(out, json_string_value(cli_list_or_one_get(ids, n)), id,
                                            http, "container");
        }
        free(path);
        if (want && !cli_log_sources_find_container(out, want) &&
            strncmp(want, "container_", 10) == 0) {
            path = base_printf("containers/%s/logs",
                               want); /* the files may outlive the node's record of the container */
            if (query_node(&k, i, path, out, &a) == CLI_OK && lists_files(a.json))
                add_source_unless_known(out, want, id, http, "container");
            free(path);
        }
        cli_answer_free(&a);
    }
    if (k.lost && !(want && cli_log_sources_find_container(out, want))) {
        char *what = base_printf("what ran on node %s", k.lost_id);
        char *why = base_printf("the node is lost%s", k.lost > 1 ? ", and others" : "");
        add_missing_unless_known(out, what, why);
        free(what);
        free(why);
    }
    node_set_free(&k);
}

static int compare_by_container_id(const void *a, const void *b)
{
    struct base_container_id x = {0}, y = {0};
    base_container_id_parse(((const struct cli_log_source *)a)->container, &x, NULL);
    base_container_id_parse(((const struct cli_log_source *)b)->container, &y, NULL);
    return base_container_id_cmp(&x, &y);
}

/* Asks the nodes in turn for this container's files until one has them. Returns the number of nodes
 * tried. */
static int find_node_with_container_logs(struct node_set *k, const char *container,
                                         struct cli_log_sources *out)
{
    int asked = 0;
    char *path = base_printf("containers/%s/logs", container);
    for (size_t i = 0; i < k->n && !cli_log_sources_find_container(out, container); i++, asked++) {
        struct cli_answer a = {0};
        if (query_node(k, i, path, out, &a) == CLI_OK && lists_files(a.json))
            add_source_unless_known(out, container, cli_node_id(k->v[i]), cli_node_http(k->v[i]),
                                    "earlier attempt");
        cli_answer_free(&a);
    }
    free(path);
    return asked;
}

/* Adds the containers of earlier attempts. A job's containers are numbered consecutively and each
 * task names its last one, so the numbers in between are earlier attempts, or containers that were
 * never started and have no logs. Probes the nodes for those numbers, from the highest down, until
 * as many attempts are found as the job counts, or PROBES_MAX requests are spent. Finding fewer
 * attempts is reported only when a node was lost. */
void cli_log_sources_find_earlier_attempts(struct cli *c, struct cli_log_sources *out)
{
    size_t known = out->n, wanted_n = known + (size_t)out->lost;
    struct node_set k = {0};
    int asked = 0;
    if (out->lost <= 0 || known == 0 || !fetch_node_set(c, out, &k)) {
        node_set_free(&k);
        return;
    }
    qsort(out->v, known, sizeof *out->v, compare_by_container_id);
    for (size_t i = known; i-- > 0;) {
        struct base_container_id id = {0}, before = {0};
        char text[BASE_ID_TEXT_MAX];
        if (base_container_id_parse(out->v[i].container, &id, NULL) < 0)
            continue;
        if (i > 0)
            base_container_id_parse(out->v[i - 1].container, &before, NULL);
        while (BASE_CONTAINER_COUNTER(--id.num) > 0 && id.num != before.num && out->n < wanted_n &&
               asked < PROBES_MAX)
            asked += find_node_with_container_logs(&k, base_container_id_text(&id, text), out);
    }
    if (out->n < wanted_n && k.lost) {
        char *what = base_printf("%zu earlier attempts", wanted_n - out->n);
        char *why = base_printf("node %s is lost%s", k.lost_id, k.lost > 1 ? ", and others" : "");
        add_missing_unless_known(out, what, why);
        free(what);
        free(why);
    }
    qsort(out->v, out->n, sizeof *out->v, compare_by_container_id);
    node_set_free(&k);
}

/* Adds the master and the live containers of each attempt of an application. */
static int find_masters_and_live_containers(struct cli *c, const char *app, const char *want,
                                            struct cli_log_sources *out)
{
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s", app);
    int rc = cli_rm_call(c->rm, "GET", path, NULL, get_request_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return print_error_unless_patient(out, &a, rc);
    out->ended = cli_job_has_ended(json_object_get(a.json, "app"));
    out->started_ms = cli_int(a.json, "app.startedTime");
    cli_answer_free(&a);
    path = base_printf("/ws/v1/cluster/apps/%s/appattempts", app);
    rc = cli_rm_call(c->rm, "GET", path, NULL, get_request_flags(out), &a);
    free(path);
    if (rc != CLI_OK)
        return print_error_unless_patient(out, &a, rc);
    const json_t *attempts = cli_at(a.json, "appAttempts.appAttempt");
    for (size_t i = 0; i < cli_list_or_one_len(attempts); i++) {
        const json_t *one = cli_list_or_one_get(attempts, i);
        if (is_wanted_id(want, cli_str(one, "containerId"), cli_str(one, "appAttemptId")))
            add_source_unless_known(out, cli_str(one, "containerId"), cli_str(one, "nodeId"),
                                    cli_str(one, "nodeHttpAddress"), "master");
        find_live_containers(c, app, cli_str(one, "appAttemptId"), want, out);
    }
    cli_answer_free(&a);
    return CLI_OK;
}

int cli_log_sources_find(struct cli *c, const char *id, struct cli_log_sources *out)
{
    char *app = cli_app_id_require(id, "creel logs");
    if (!app)
        return CLI_USAGE;
    const char *want = cli_log_id_is_of_whole_app(id) ? NULL : id;
    cli_nodes_set_app(out->nodes, app);
    int rc = find_job_tasks(c, app, want, out);
    if (rc == CLI_NOTFOUND)
        rc = find_masters_and_live_containers(c, app, want, out);
    bool search =
        rc == CLI_OK && (want ? out->n == 0 && strncmp(want, "container_", 10) == 0 : out->n > 0);
    if (search && (want || strcmp(out->v[0].label, "master") == 0))
        find_ended_containers(c, app, want, out);
    free(app);
    return rc;
}
