/* rm/http/yarn/prometheus.c - GET /metrics: Creel's own figures in Prometheus' text form
 * (exposition format 0.0.4). */
#include "rm/http/yarn/yarn_internal.h"

#include <string.h>
#include <sys/resource.h>

#include "rm/leader/standby.h"

static void add_metric(struct base_buf *b, const char *name, const char *type, const char *help,
                       double value)
{
    base_buf_addf(b, "# HELP creel_%s %s\n# TYPE creel_%s %s\ncreel_%s %.17g\n", name, help, name,
                  type, name, value);
}

/* Adds the head of a metric that has one row for each value of a label. */
static void add_metric_head(struct base_buf *b, const char *name, const char *type,
                            const char *help)
{
    base_buf_addf(b, "# HELP creel_%s %s\n# TYPE creel_%s %s\n", name, help, name, type);
}

static void add_labelled_value(struct base_buf *b, const char *name, const char *label,
                               const char *value, int64_t v)
{
    base_buf_addf(b, "creel_%s{%s=\"%s\"} %lld\n", name, label, value, (long long)v);
}

static void add_app_metrics(struct base_buf *b, const struct rm_cluster_view *c)
{
    add_metric(b, "apps_submitted_total", "counter",
               "Applications and jobs accepted since the first start.", (double)c->apps_submitted);
    add_metric_head(b, "apps", "gauge", "Applications by state.");
    add_labelled_value(b, "apps", "state", "pending", c->apps_pending);
    add_labelled_value(b, "apps", "state", "running", c->apps_running);
    add_metric_head(b, "apps_ended_total", "counter",
                    "Applications and jobs that ended, by their result.");
    for (int r = RM_RESULT_SUCCEEDED; r < RM_RESULTS; r++)
        add_labelled_value(b, "apps_ended_total", "result", rm_result_name((enum rm_result)r),
                           c->apps_results[r]);
}

static void add_node_metrics(struct base_buf *b, const struct rm_cluster_view *c)
{
    add_metric_head(b, "nodes", "gauge", "Nodes by state.");
    for (int s = RM_NODE_NEW; s < RM_NODE_STATES; s++)
        add_labelled_value(b, "nodes", "state", rm_node_state_name((enum rm_node_state)s),
                           c->nodes[s]);
}

static void add_resource_metrics(struct base_buf *b, const struct rm_cluster_view *c)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } kinds[] = {
        {"resource_total", "What the nodes offer.", offsetof(struct rm_cluster_view, total)},
        {"resource_used", "What containers hold.", offsetof(struct rm_cluster_view, used)},
        {"resource_pending", "What is asked for and not given yet.",
         offsetof(struct rm_cluster_view, pending)},
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const struct rm_res *r = (const struct rm_res *)((const char *)c + kinds[k].offset);
        add_metric_head(b, kinds[k].name, "gauge", kinds[k].help);
        for (int i = 0; i < RM_RES_NAMES; i++)
            add_labelled_value(b, kinds[k].name, "resource", rm_res_names[i], r->v[i]);
    }
    add_metric(b, "master_slots", "gauge", "Slots of running nodes for masters alone.",
               (double)c->master_slots);
    add_metric(b, "master_slots_used", "gauge", "Those of them that masters hold.",
               (double)c->used_master_slots);
    add_metric(b, "containers_allocated", "gauge", "Containers that hold a slot.",
               (double)c->containers_allocated);
    add_metric(b, "containers_pending", "gauge", "Containers asked for and not given yet.",
               (double)c->containers_pending);
}

/* Adds the figures of the leadership: the same rows with one ResourceManager as with several. */
static void add_leadership_metrics(struct base_buf *b, const struct rm_backend *backend,
                                   const struct rm_backend_stats *s)
{
    static const char *const states[] = {"active", "standby", "initializing"};

    add_metric(b, "epoch", "gauge", "Epoch of the leadership: the highest this process has had.",
               (double)s->epoch);
    add_metric_head(b, "ha_state", "gauge", "1 for the state this ResourceManager is in.");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        add_labelled_value(b, "ha_state", "state", states[i],
                           strcmp(states[i], rm_standby_get_state_name(backend, false)) == 0);
    add_metric(b, "takeovers_total", "counter",
               "How often this process became the active ResourceManager.", (double)s->takeovers);
    add_metric(b, "late_answers_total", "counter",
               "Answers and orders held back because the leadership was over.",
               (double)s->late_answers);
    add_metric(b, "store_refused_writes_total", "counter",
               "Writes the store refused: another ResourceManager has authority.",
               (double)s->refused_writes);
    add_metric(b, "store_multis_total", "counter",
               "Multis written to ZooKeeper in this leadership.", (double)s->store_multis);
}

static void add_process_metrics(struct base_buf *b)
{
    struct rusage ru;

    if (getrusage(RUSAGE_SELF, &ru) != 0)
        return;
    add_metric(b, "process_cpu_seconds_total", "counter", "CPU time of this process.",
               (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
                   (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6);
    add_metric(b, "process_max_resident_memory_bytes", "gauge", "Largest resident memory so far.",
               (double)ru.ru_maxrss * 1024.0);
}

/* Copies the cluster's view. The core of a past leadership can still be read for a while, but a
 * standby must not show its figures, so a standby gets zeros besides the policy and the start. */
static void copy_cluster_view_or_zeros(struct rm_backend *b, struct rm_cluster_view *out)
{
    bool active = rm_standby_is_active(b);

    rm_view_cluster(rm_backend_lock_core(b), out);
    rm_backend_unlock_core(b);
    if (!active || !rm_standby_is_active(b))
        *out =
            (struct rm_cluster_view){.policy = out->policy, .rm_instance_ms = out->rm_instance_ms};
}

static void get_prometheus(struct api_request *rq, void *user)
{
    struct rm_backend *backend = user;
    struct rm_backend_stats stats;
    struct rm_cluster_view c;
    struct base_buf b = {0};

    copy_cluster_view_or_zeros(backend, &c);
    rm_backend_get_stats(backend, &stats);
    add_metric_head(&b, "info", "gauge", "What is running; always 1.");
    base_buf_addf(&b, "creel_info{policy=\"%s\",epoch=\"%lld\"} 1\n", c.policy, (long long)c.epoch);
    add_metric(&b, "start_time_seconds", "gauge", "Start of this ResourceManager.",
               (double)c.rm_instance_ms / 1000.0);
    add_app_metrics(&b, &c);
    add_node_metrics(&b, &c);
    add_resource_metrics(&b, &c);
    add_metric(&b, "assignments_total", "counter", "Containers given to applications.",
               (double)c.assignments);
    add_metric(&b, "heartbeats_total", "counter", "Heartbeats of nodes.", (double)c.heartbeats);
    add_metric(&b, "core_events_total", "counter", "Events the core has folded in.",
               (double)c.events);
    add_metric(&b, "policy_overruled_total", "counter", "Answers of the policy the core refused.",
               (double)c.policy_overruled);
    add_metric(&b, "policy_fallbacks_total", "counter",
               "Assignments in FIFO order because the policy gave none.",
               (double)c.policy_fallbacks);
    add_metric_head(&b, "preemptions_total", "counter",
                    "Attempts taken off their slots by the policy, and put back, by how.");
    add_labelled_value(&b, "preemptions_total", "how", "suspended", c.suspended);
    add_labelled_value(&b, "preemptions_total", "how", "resumed", c.resumed);
    add_labelled_value(&b, "preemptions_total", "how", "killed", c.preempted);
    add_metric(&b, "event_queue_length", "gauge", "Events waiting for the core.",
               (double)stats.queue_length);
    add_metric(&b, "store_commits_total", "counter", "Commits of the state store (one fsync each).",
               (double)stats.store_commits);
    add_metric(&b, "store_records_total", "counter", "Records written to the state store.",
               (double)stats.store_records);
    add_leadership_metrics(&b, backend, &stats);
    add_process_metrics(&b);
    api_add_header(rq, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    api_answer(rq, 200, API_TEXT, &b);
}

/* clang-format off */
const struct api_route rm_yarn_prometheus_routes[] = {
    {"GET", "/metrics", API_ROLE_READ, 0, get_prometheus, API_ROUTE_CREEL},
};
/* clang-format on */
const size_t rm_yarn_prometheus_routes_n =
    sizeof rm_yarn_prometheus_routes / sizeof rm_yarn_prometheus_routes[0];
