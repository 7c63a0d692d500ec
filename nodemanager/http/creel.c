/* Creel's own resources of a node, which YARN does not have: the ResourceManager that the node
 * obeys, refused answers, and metrics for Prometheus. */
#include "base/io/json_write.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

#include <string.h>

struct rm_state {
    char url[BASE_RM_URL_MAX];
    bool registered;
    int64_t epoch, last_answer_ms;
    size_t alive;
    struct nm_core_stats stats;
};

static void copy_rm_state(struct nm *nm, struct rm_state *out)
{
    pthread_mutex_lock(&nm->lock);
    memcpy(out->url, nm->rm_url, sizeof out->url);
    out->registered = nm_core_is_registered(nm->core);
    out->epoch = nm_core_epoch(nm->core);
    out->last_answer_ms = nm->last_answer_ms;
    out->alive = nm_core_alive_count(nm->core);
    out->stats = *nm_core_stats(nm->core);
    pthread_mutex_unlock(&nm->lock);
}

/* Answers {"resourceManager":{"addresses":[...],"active":"http://...","registered":true,
 * "epochSeen":7,"lastAnswer":<ms>,"refusedAnswers":1,"refusedOrders":2}}. "active" is the RM whose
 * answer was accepted last, "" before the first; "lastAnswer" is the time of that answer. */
static void get_rm(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct rm_state s;
    struct base_buf b = {0};
    copy_rm_state(nm, &s);
    base_buf_adds(&b, "{\"resourceManager\":{\"addresses\":[");
    for (size_t i = 0; i < nm->rms.n; i++) {
        base_buf_adds(&b, i ? "," : "");
        base_json_quote(&b, nm->rms.url[i]);
    }
    base_buf_adds(&b, "],\"active\":");
    base_json_quote(&b, s.url);
    base_buf_addf(
        &b,
        ",\"registered\":%s,\"epochSeen\":%lld,\"lastAnswer\":%lld,\"refusedAnswers\":%llu,"
        "\"refusedOrders\":%llu}}",
        s.registered ? "true" : "false", (long long)s.epoch, (long long)s.last_answer_ms,
        (unsigned long long)s.stats.stale_answers, (unsigned long long)s.stats.refused_orders);
    api_answer(rq, 200, API_JSON, &b);
}

static void add_metric(struct base_buf *b, const char *name, const char *type, const char *help,
                       uint64_t value)
{
    base_buf_addf(b, "# HELP creel_nm_%s %s\n# TYPE creel_nm_%s %s\ncreel_nm_%s %llu\n", name, help,
                  name, type, name, (unsigned long long)value);
}

static void get_metrics(struct api_request *rq, void *user)
{
    struct rm_state s;
    struct base_buf b = {0};
    copy_rm_state(user, &s);
    add_metric(&b, "containers", "gauge", "Containers alive on this node.", s.alive);
    add_metric(&b, "containers_launched_total", "counter", "Containers launched since the start.",
               s.stats.launched);
    add_metric(&b, "containers_completed_total", "counter",
               "Containers that ended since the start.", s.stats.completed);
    add_metric(&b, "registered", "gauge", "1 while a ResourceManager knows this node.",
               s.registered);
    add_metric(&b, "rm_epoch", "gauge", "Highest epoch of a ResourceManager seen, as on disk.",
               (uint64_t)s.epoch);
    add_metric(&b, "rm_last_answer_seconds", "gauge",
               "When a ResourceManager last answered, in seconds since 1970.",
               (uint64_t)s.last_answer_ms / 1000);
    add_metric(&b, "refused_answers_total", "counter",
               "Answers refused since the start: their epoch was lower.", s.stats.stale_answers);
    add_metric(&b, "refused_orders_total", "counter", "Orders in them.", s.stats.refused_orders);
    api_add_header(rq, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    api_answer(rq, 200, API_TEXT, &b);
}

/* clang-format off */
const struct api_route nm_creel_routes[] = {
    {"GET", NM_NODE "/resource-manager", API_ROLE_READ, 0, get_rm, API_ROUTE_CREEL},
    {"GET", "/metrics", API_ROLE_READ, 0, get_metrics, API_ROUTE_CREEL},
};
/* clang-format on */
NM_ROUTES_END(nm_creel_routes);
