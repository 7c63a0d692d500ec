#include "rm/http/routes.h"

#include <string.h>

#include "rm/http/core_call.h"
#include "rm/http/yarn/yarn.h"

struct api_route *rm_routes_new(size_t *n)
{
    const struct {
        const struct api_route *v;
        size_t n;
    } parts[] = {
        {rm_api_yarn_routes, rm_api_yarn_routes_n},
        {rm_api_jobs_routes, rm_api_jobs_routes_n},
        {rm_api_tracker_routes, rm_api_tracker_routes_n},
        {rm_api_master_routes, rm_api_master_routes_n},
        {rm_api_queues_routes, rm_api_queues_routes_n},
        {rm_api_history_routes, rm_api_history_routes_n},
        {rm_api_ha_routes, rm_api_ha_routes_n},
        {rm_api_jmx_routes, rm_api_jmx_routes_n},
        {rm_api_relay_routes, rm_api_relay_routes_n},
        {rm_api_nodes_routes, rm_api_nodes_routes_n},
    };
    struct api_route *all;

    *n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *n += parts[i].n;
    all = base_realloc_array(NULL, *n, sizeof *all);
    *n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(all + *n, parts[i].v, parts[i].n * sizeof *all);
        *n += parts[i].n;
    }
    return all;
}
