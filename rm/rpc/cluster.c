/* rm/rpc/cluster.c - nodes, counts of nodes, types of resources; what Creel has none of. */
#include <stdlib.h>

#include "base/limits.h"
#include "rm/rpc/client.h"

/* ---- nodes ---- */

struct node_listing {
    struct rm_rpc_listing list;
    struct yarn_context context;
    uint32_t states; /* bit set */
    size_t pos;
};

static void add_node(const struct yarn_context *f, const struct rm_node_view *v,
                     struct base_buf *out)
{
    struct yarn_node node;
    struct rm_rpc_node put;

    yarn_node_fill(f, v, &node);
    rm_rpc_put_node(v, &node, &put);
    api_rpc_add_field(out, 1, &put.report.base);
}

static bool add_nodes_chunk(struct rm_rpc_listing *list)
{
    struct node_listing *l = (struct node_listing *)list;
    struct rm_views v = {0};
    bool more = rm_view_nodes(rm_backend_lock_core(list->b), &l->pos, BASE_VIEW_CHUNK, &v);

    rm_backend_unlock_core(list->b);
    for (size_t i = 0; i < v.nodes_n; i++)
        if (l->states & UINT32_C(1) << v.nodes[i].state)
            add_node(&l->context, &v.nodes[i], &list->out);
    rm_views_free(&v);
    return more;
}

static void drop_node_listing(struct rm_rpc_listing *list)
{
    yarn_context_free(&((struct node_listing *)list)->context);
}

void rm_rpc_get_nodes(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__NodesRequest *rq = (const Yarn__NodesRequest *)request;
    struct node_listing *l = base_alloc(sizeof *l);

    l->list = (struct rm_rpc_listing){
        .call = call, .b = user, .add_chunk = add_nodes_chunk, .drop = drop_node_listing};
    l->states = rq->n_states ? 0 : ~UINT32_C(0);
    for (size_t i = 0; i < rq->n_states; i++) {
        int s = rm_rpc_find_node_state(rq->states[i]);
        l->states |= s >= 0 ? UINT32_C(1) << s : 0;
    }
    yarn_context_read(user, &l->context);
    rm_rpc_listing_answer(&l->list);
}

/* ---- figures ---- */

#define PUT(message, member, value)                                                                \
    ((message)->has_##member = true, (message)->member = (int32_t)(value))

void rm_rpc_get_metrics(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    Yarn__MetricsAnswer answer = YARN__METRICS_ANSWER__INIT;
    Yarn__ClusterMetrics m = YARN__CLUSTER_METRICS__INIT;
    struct yarn_cluster_metrics filled;
    struct yarn_context f;

    (void)request;
    yarn_context_read(user, &f);
    yarn_metrics_fill(&f, &filled);
    PUT(&m, nodes, filled.total_nodes);
    PUT(&m, decommissioned, filled.decommissioned_nodes);
    PUT(&m, active, filled.active_nodes);
    PUT(&m, lost, filled.lost_nodes);
    PUT(&m, unhealthy, filled.unhealthy_nodes);
    PUT(&m, rebooted, filled.rebooted_nodes);
    PUT(&m, decommissioning, filled.decommissioning_nodes);
    PUT(&m, shutdown, filled.shutdown_nodes);
    answer.metrics = &m;
    api_rpc_answer(call, &answer.base);
    yarn_context_free(&f);
}

void rm_rpc_get_resource_types(struct api_rpc_call *call, const ProtobufCMessage *request,
                               void *user)
{
    Yarn__ResourceTypesAnswer answer = YARN__RESOURCE_TYPES_ANSWER__INIT;
    Yarn__ResourceType memory = YARN__RESOURCE_TYPE__INIT, vcores = YARN__RESOURCE_TYPE__INIT;
    Yarn__ResourceType *types[] = {&memory, &vcores};

    (void)request;
    (void)user;
    memory.name = "memory-mb";
    memory.units = "Mi";
    vcores.name = "vcores";
    vcores.units = "";
    memory.has_type = vcores.has_type = true;
    answer.types = types;
    answer.n_types = 2;
    api_rpc_answer(call, &answer.base);
}

void rm_rpc_refuse_profiles(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    (void)request;
    (void)user;
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTIONS "YARNFeatureNotEnabledException",
                         "Resource profile is not enabled: Creel has none");
}

/* In YARN without Kerberos, too, a caller who has shown a token gets no other one. */
void rm_rpc_refuse_tokens(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    (void)request;
    (void)user;
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION,
                         "java.io.IOException: Delegation Token can be issued only with kerberos "
                         "authentication; creel token --hadoop-file fetches one over HTTP");
}
