#include "rm/http/pages/apps_order.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_text_order(enum rm_apps_order order)
{
    return order == RM_BY_NAME || order == RM_BY_USER || order == RM_BY_QUEUE ||
           order == RM_BY_TYPE;
}

static const char *get_text_key(const struct rm_app_view *v, enum rm_apps_order order)
{
    const char *text = order == RM_BY_NAME    ? v->name
                       : order == RM_BY_USER  ? v->user
                       : order == RM_BY_QUEUE ? v->queue
                                              : v->type;

    return text ? text : "";
}

static int64_t get_number_key(const struct rm_app_view *v, enum rm_apps_order order, int64_t now_us)
{
    switch (order) {
    case RM_BY_STATE:
        return rm_app_public_state(v->state, v->state_before);
    case RM_BY_PROGRESS:
        return (int64_t)(v->progress * 1e6);
    case RM_BY_CONTAINERS:
        return v->running_containers;
    case RM_BY_START:
        return v->submit_us;
    case RM_BY_DURATION:
        return (v->finish_us ? v->finish_us : now_us) - v->submit_us;
    default:
        return 0; /* by id */
    }
}

bool rm_app_keys_add(struct rm_app_keys *k, const struct rm_app_view *v, enum rm_apps_order order,
                     int64_t now_us)
{
    struct rm_app_key *key;

    if (k->n == RM_ORDERED_MAX)
        return false;
    base_array_grow(&k->v, k->n, &k->cap);
    key = &k->v[k->n++];
    key->id = v->id;
    if (is_text_order(order)) {
        const char *text = get_text_key(v, order);
        size_t n = strnlen(text, sizeof key->u.text - 1);

        memcpy(key->u.text, text, n);
        key->u.text[n] = '\0';
    } else {
        key->u.number = get_number_key(v, order, now_us);
    }
    return true;
}

static int compare_newest_first(const struct rm_app_key *a, const struct rm_app_key *b)
{
    return base_app_id_cmp(&b->id, &a->id);
}

static int compare_text_keys(const void *x, const void *y)
{
    const struct rm_app_key *a = x, *b = y;
    int c = strcasecmp(a->u.text, b->u.text);

    return c ? c : compare_newest_first(a, b);
}

static int compare_text_keys_down(const void *x, const void *y)
{
    const struct rm_app_key *a = x, *b = y;
    int c = strcasecmp(b->u.text, a->u.text);

    return c ? c : compare_newest_first(a, b);
}

static int compare_number_keys(const void *x, const void *y)
{
    const struct rm_app_key *a = x, *b = y;

    if (a->u.number != b->u.number)
        return a->u.number < b->u.number ? -1 : 1;
    return compare_newest_first(a, b);
}

static int compare_number_keys_down(const void *x, const void *y)
{
    const struct rm_app_key *a = x, *b = y;

    if (a->u.number != b->u.number)
        return a->u.number > b->u.number ? -1 : 1;
    return compare_newest_first(a, b);
}

static int compare_ids(const void *x, const void *y)
{
    const struct rm_app_key *a = x, *b = y;

    return base_app_id_cmp(&a->id, &b->id);
}

void rm_app_keys_sort(struct rm_app_keys *k, enum rm_apps_order order, bool down)
{
    int (*compare)(const void *, const void *) =
        down ? compare_number_keys_down : compare_number_keys;

    if (is_text_order(order))
        compare = down ? compare_text_keys_down : compare_text_keys;
    else if (order == RM_BY_ID && !down)
        compare = compare_ids;
    if (k->n > 1)
        qsort(k->v, k->n, sizeof *k->v, compare);
}

void rm_app_keys_free(struct rm_app_keys *k)
{
    free(k->v);
    *k = (struct rm_app_keys){0};
}
