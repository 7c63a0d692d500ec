/* rm/http/pages/apps_order.h - orders applications by something other than their ids: collects one
 * small key of each, orders the keys, and names the applications of one page. */
#ifndef CREEL_RM_HTTP_PAGES_APPS_ORDER_H
#define CREEL_RM_HTTP_PAGES_APPS_ORDER_H

#include "rm/http/pages/apps_query.h"

/* Only so many of the newest applications are ordered: about 5 MB, and some 0.2 s of a thread of
 * low priority. */
#define RM_ORDERED_MAX 50000

struct rm_app_key {
    struct base_app_id id;
    union {
        int64_t number;
        char text[64]; /* the beginning of the text to order by */
    } u;
};
struct rm_app_keys {
    struct rm_app_key *v;
    size_t n, cap;
};
/* Appends the key of the application. Returns false when there are RM_ORDERED_MAX already. @now_us:
 * durations of running applications end then. */
bool rm_app_keys_add(struct rm_app_keys *k, const struct rm_app_view *v, enum rm_apps_order order,
                     int64_t now_us);
/* Orders the keys; equal ones by id, newest first. */
void rm_app_keys_sort(struct rm_app_keys *k, enum rm_apps_order order, bool down);
void rm_app_keys_free(struct rm_app_keys *k);

#endif
