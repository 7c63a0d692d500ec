#include "rm/http/pages/apps_query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/percent.h"
#include "base/io/io.h"
#include "rm/http/pages/pages.h"

static const char *const order_keys[RM_APPS_ORDERS] = {
    [RM_BY_ID] = "id",
    [RM_BY_NAME] = "name",
    [RM_BY_USER] = "user",
    [RM_BY_QUEUE] = "queue",
    [RM_BY_TYPE] = "type",
    [RM_BY_STATE] = "state",
    [RM_BY_PROGRESS] = "progress",
    [RM_BY_CONTAINERS] = "containers",
    [RM_BY_START] = "start",
    [RM_BY_DURATION] = "duration",
};

const char *rm_apps_order_key(enum rm_apps_order order)
{
    return order_keys[order];
}

/* Returns a copy of the parameter, which the caller frees; NULL when it is absent or empty. */
static char *copy_nonempty_query(struct api_request *rq, const char *name)
{
    const char *text = api_query(rq, name);

    return text && *text ? base_strdup(text) : NULL;
}

/* Adds the state whose name is the @n bytes at @name. */
static bool add_state_bit(const char *name, size_t n, uint32_t *bits)
{
    for (int s = 0; s < RM_APP_STATES; s++) {
        const char *known = rm_app_state_name((enum rm_app_state)s);

        if (rm_app_public_state((enum rm_app_state)s, RM_APP_RUNNING) == (enum rm_app_state)s &&
            strlen(known) == n && strncasecmp(known, name, n) == 0) {
            *bits |= UINT32_C(1) << s;
            return true;
        }
    }
    return false;
}

static bool read_states(struct api_request *rq, struct rm_apps_query *q)
{
    const char *at = q->states ? q->states : "";

    while (*at) {
        size_t n = strcspn(at, ",");

        if (n && !add_state_bit(at, n, &q->state_bits)) {
            rm_page_answer_bad_value(rq, "state", q->states,
                                     "a list of NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, "
                                     "FINISHED, FAILED, KILLED, separated by commas");
            return false;
        }
        at += n + (at[n] == ',');
    }
    return true;
}

/* The parameter "sort" is a key (smallest first), or a key after "-" (largest first). */
static bool read_order(struct api_request *rq, struct rm_apps_query *q)
{
    const char *text = api_query(rq, "sort"), *key;

    q->order = RM_BY_ID;
    q->down = true;
    if (!text || !*text)
        return true;
    q->down = *text == '-';
    key = text + q->down;
    for (int o = 0; o < RM_APPS_ORDERS; o++)
        if (strcmp(order_keys[o], key) == 0) {
            q->order = (enum rm_apps_order)o;
            return true;
        }
    rm_page_answer_bad_value(rq, "sort", text,
                             "one of id, name, user, queue, type, state, progress, containers, "
                             "start, duration, perhaps after \"-\"");
    return false;
}

static bool read_page_or_before(struct api_request *rq, struct rm_apps_query *q)
{
    const char *page = api_query(rq, "page"), *before = api_query(rq, "before");

    q->page = 1;
    if (page && *page && base_int_parse(page, 1, 1000000, &q->page) < 0) {
        rm_page_answer_bad_value(rq, "page", page, "a number from 1 to 1000000");
        return false;
    }
    q->has_before = before && *before;
    if (q->has_before && base_app_id_parse(before, &q->before, NULL) < 0) {
        rm_page_answer_bad_value(rq, "before", before, "the id of an application");
        return false;
    }
    return true;
}

bool rm_apps_query_read(struct api_request *rq, const char *path_states, struct rm_apps_query *q)
{
    *q = (struct rm_apps_query){.states = path_states ? base_strdup(path_states)
                                                      : copy_nonempty_query(rq, "state"),
                                .user = copy_nonempty_query(rq, "user"),
                                .queue = copy_nonempty_query(rq, "queue"),
                                .type = copy_nonempty_query(rq, "type"),
                                .text = copy_nonempty_query(rq, "search")};
    return read_states(rq, q) && read_order(rq, q) && read_page_or_before(rq, q);
}

void rm_apps_query_free(struct rm_apps_query *q)
{
    free(q->states);
    free(q->user);
    free(q->queue);
    free(q->type);
    free(q->text);
}

bool rm_apps_query_is_in_core_order(const struct rm_apps_query *q)
{
    return q->order == RM_BY_ID && q->down;
}

static void add_query_pair_if_set(struct base_buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    base_buf_addf(out, "%s=", name);
    base_percent_encode(value, out);
    base_buf_adds(out, "&");
}

void rm_apps_query_add_filter_address(const struct rm_apps_query *q, struct base_buf *out)
{
    base_buf_adds(out, "/cluster/apps?");
    add_query_pair_if_set(out, "state", q->states);
    add_query_pair_if_set(out, "user", q->user);
    add_query_pair_if_set(out, "queue", q->queue);
    add_query_pair_if_set(out, "type", q->type);
    add_query_pair_if_set(out, "search", q->text);
}

void rm_apps_query_add_ordered_address(const struct rm_apps_query *q, struct base_buf *out)
{
    rm_apps_query_add_filter_address(q, out);
    if (!rm_apps_query_is_in_core_order(q))
        base_buf_addf(out, "sort=%s%s&", q->down ? "-" : "", order_keys[q->order]);
}
