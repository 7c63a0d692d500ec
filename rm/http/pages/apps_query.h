/* rm/http/pages/apps_query.h - parses the query of a list of applications. */
#ifndef CREEL_RM_HTTP_PAGES_APPS_QUERY_H
#define CREEL_RM_HTTP_PAGES_APPS_QUERY_H

#include "api/server/server.h"
#include "rm/core/view/view.h"

/* What a list can be ordered by. RM_BY_ID, largest first, is the order of the core's index: a page
 * in that order begins after a given application; pages in any other order are numbered. */
enum rm_apps_order {
    RM_BY_ID,
    RM_BY_NAME,
    RM_BY_USER,
    RM_BY_QUEUE,
    RM_BY_TYPE,
    RM_BY_STATE,
    RM_BY_PROGRESS,
    RM_BY_CONTAINERS,
    RM_BY_START,
    RM_BY_DURATION,
    RM_APPS_ORDERS
};
struct rm_apps_query {
    char *states, *user, *queue, *type, *text; /* as given; NULL: any */
    uint32_t state_bits;                       /* 0: any */
    enum rm_apps_order order;
    bool down;    /* largest first */
    int64_t page; /* from 1 */
    struct base_app_id before;
    bool has_before;
};

/* Reads the query; @path_states: states in the path, which replace those in the query (NULL:
 * none). Returns false when a value is not valid; @rq has then been answered with a page about it.
 * Call rm_apps_query_free() in any case. */
bool rm_apps_query_read(struct api_request *rq, const char *path_states, struct rm_apps_query *q);
void rm_apps_query_free(struct rm_apps_query *q);
/* Returns true when the list is in the core's order. */
bool rm_apps_query_is_in_core_order(const struct rm_apps_query *q);
/* Returns the name of an order in addresses. */
const char *rm_apps_order_key(enum rm_apps_order order);
/* Appends the address of the list with the same conditions, without order and page, ending so that
 * "NAME=VALUE" may follow. */
void rm_apps_query_add_filter_address(const struct rm_apps_query *q, struct base_buf *out);
/* The same with the order. */
void rm_apps_query_add_ordered_address(const struct rm_apps_query *q, struct base_buf *out);

#endif
