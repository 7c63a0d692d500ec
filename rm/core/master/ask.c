/* The ask table of a master: absolute counts by (priority, allocation request id, resource name),
 * as in YARN. Groups are sorted by (priority, id), and the rows of a group by name; groups and rows
 * that want no container are dropped. */
#include "rm/core/master/ask.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

enum base_task_kind rm_slot_kind_for_resource(const struct rm_res *r)
{
    return r->v[RM_RES_REDUCE_SLOTS] > 0 ? BASE_TASK_REDUCE : BASE_TASK_MAP;
}

struct rm_res rm_max_capability(const struct rm_core *c, bool hadoop_too)
{
    struct rm_res r = rm_largest_resource(c, BASE_TASK_MAP, hadoop_too),
                  reduce = rm_largest_resource(c, BASE_TASK_REDUCE, hadoop_too);

    for (int i = 0; i < RM_RES_NAMES; i++)
        if (reduce.v[i] > r.v[i])
            r.v[i] = reduce.v[i];
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        r.v[RM_RES_MAP_SLOTS + k] = rm_slots_of_largest_node(c, k, hadoop_too);
    return r;
}

static bool is_any_place(const char *name)
{
    return name[0] == '*' && !name[1];
}

/* The row "*" counts all containers of the group; without it, the rows of hosts and racks do. */
int64_t rm_ask_group_wanted(const struct rm_ask_group *g)
{
    return g->any_given ? g->any : g->named;
}

static int compare_group_key(const struct rm_ask_group *g, int32_t priority, int64_t id)
{
    if (g->priority != priority)
        return g->priority < priority ? -1 : 1;
    return g->allocation_id < id ? -1 : g->allocation_id > id;
}

/* Returns the index of the group (priority, id), or the index at which it would have to be
 * inserted. Groups with smaller priority numbers come first and are served first. */
static size_t group_insert_index(const struct rm_app *a, int32_t priority, int64_t id)
{
    size_t low = 0, high = a->asks_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (compare_group_key(a->asks[mid], priority, id) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct rm_ask_group *find_or_add_group(struct rm_app *a, int32_t priority, int64_t id)
{
    size_t at = group_insert_index(a, priority, id);

    if (at < a->asks_n && compare_group_key(a->asks[at], priority, id) == 0)
        return a->asks[at];
    base_array_grow(&a->asks, a->asks_n, &a->asks_cap);
    memmove(a->asks + at + 1, a->asks + at, (a->asks_n - at) * sizeof *a->asks);
    a->asks_n++;
    a->asks[at] = base_alloc(sizeof *a->asks[at]);
    a->asks[at]->priority = priority;
    a->asks[at]->allocation_id = id;
    return a->asks[at];
}

static size_t row_insert_index(const struct rm_ask_group *g, const char *name)
{
    size_t low = 0, high = g->rows_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(g->rows[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct rm_ask_row *find_row(const struct rm_ask_group *g, const char *name)
{
    size_t at = row_insert_index(g, name);

    return at < g->rows_n && strcmp(g->rows[at].name, name) == 0 ? &g->rows[at] : NULL;
}

static struct rm_ask_row *add_row(struct rm_app *a, struct rm_ask_group *g, const char *name)
{
    size_t at = row_insert_index(g, name);

    base_array_grow(&g->rows, g->rows_n, &g->rows_cap);
    memmove(g->rows + at + 1, g->rows + at, (g->rows_n - at) * sizeof *g->rows);
    g->rows_n++;
    a->ask_rows++;
    g->rows[at] = (struct rm_ask_row){.name = base_strdup(name)};
    return &g->rows[at];
}

static void free_group(struct rm_app *a, struct rm_ask_group *g)
{
    for (size_t i = 0; i < g->rows_n; i++)
        free(g->rows[i].name);
    a->ask_rows -= g->rows_n;
    a->launch_bytes -= g->launch && g->launch->json ? strlen(g->launch->json) : 0;
    free(g->rows);
    rm_launch_unref(g->launch);
    free(g);
}

static void drop_zero_rows(struct rm_app *a, struct rm_ask_group *g)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->rows_n; i++) {
        if (g->rows[i].count > 0)
            g->rows[kept++] = g->rows[i];
        else
            free(g->rows[i].name);
    }
    a->ask_rows -= g->rows_n - kept;
    g->rows_n = kept;
}

static void clear_asked(struct rm_app *a)
{
    memset(a->asked, 0, sizeof a->asked);
    memset(a->asked_slots, 0, sizeof a->asked_slots);
    memset(a->asked_labelled, 0, sizeof a->asked_labelled);
    for (size_t i = 0; i < a->label_demand_n; i++)
        memset(a->label_demand[i].wanted, 0, sizeof a->label_demand[i].wanted);
}

/* Counts that @a asks for @more further containers in group @g (negative: fewer). Every change to
 * the asks is counted here. */
static void count_asked(struct rm_app *a, const struct rm_ask_group *g, int64_t more)
{
    a->asked[g->slot] += more;
    a->asked_slots[g->slot] += more * g->slots;
    if (!g->label)
        return;
    a->asked_labelled[g->slot] += more;
    rm_label_demand_find_or_add(a, g->label)->wanted[g->slot] += more;
}

/* Drops the groups that want no container, and sums up what the others want. */
static void drop_empty_groups_and_sum_asked(struct rm_app *a)
{
    size_t kept = 0;

    clear_asked(a);
    for (size_t i = 0; i < a->asks_n; i++) {
        struct rm_ask_group *g = a->asks[i];

        g->planned = g->planned_named = 0;
        g->planned_any = false;
        if (rm_ask_group_wanted(g) <= 0) {
            free_group(a, g);
            continue;
        }
        drop_zero_rows(a, g);
        count_asked(a, g, rm_ask_group_wanted(g));
        a->asks[kept++] = g;
    }
    a->asks_n = kept;
    rm_asks_update_widths(a);
}

static size_t launch_json_size(const struct rm_launch *l)
{
    return l && l->json ? strlen(l->json) : 0;
}

/* Returns an upper bound on the size of all launch contexts once these asks are stored, since their
 * contexts may replace present ones. */
static size_t launches_size_bound(const struct rm_app *a, const struct rm_ask *asks, size_t n)
{
    size_t sum = a->launch_bytes;

    for (size_t i = 0; i < n; i++)
        sum += launch_json_size(asks[i].launch);
    return sum;
}

/* Adds up what every group would want after the asks. Groups created for that want nothing yet, and
 * are dropped again. */
bool rm_asks_fit_limits(struct rm_app *a, const struct rm_ask *asks, size_t n)
{
    int64_t sum = 0;

    if (!n)
        return true;
    if (a->ask_rows + a->asks_n + n > RM_ASK_ROWS_MAX ||
        launches_size_bound(a, asks, n) > RM_ASK_LAUNCH_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct rm_ask_group *g =
            find_or_add_group(a, asks[i].priority, asks[i].allocation_request_id);
        const struct rm_ask_row *row;

        if (is_any_place(asks[i].resource_name)) {
            g->planned_any = true;
            g->planned = asks[i].containers;
        } else {
            row = find_row(g, asks[i].resource_name);
            g->planned_named += asks[i].containers - (row ? row->count : 0);
        }
    }
    for (size_t i = 0; i < a->asks_n; i++) {
        const struct rm_ask_group *g = a->asks[i];

        sum += g->planned_any ? g->planned : g->any_given ? g->any : g->named + g->planned_named;
    }
    drop_empty_groups_and_sum_asked(a);
    return sum <= RM_ASKED_MAX;
}

static void put_ask_in_table(struct rm_app *a, const struct rm_ask *ask)
{
    struct rm_ask_group *g = find_or_add_group(a, ask->priority, ask->allocation_request_id);
    struct rm_ask_row *row;

    if (is_any_place(ask->resource_name) || !g->any_given)
        g->label = ask->label_number;
    if (is_any_place(ask->resource_name)) {
        g->any_given = true;
        g->any = ask->containers;
        g->any_relax = ask->relax_locality;
    } else {
        row = find_row(g, ask->resource_name);
        if (!row)
            row = add_row(a, g, ask->resource_name);
        g->named += ask->containers - row->count;
        row->count = ask->containers;
        row->relax = ask->relax_locality;
    }
    g->capability = ask->capability;
    g->slot = ask->slot;
    g->slots = ask->slots;
    if (ask->launch) {
        a->launch_bytes += launch_json_size(ask->launch);
        a->launch_bytes -= launch_json_size(g->launch);
        rm_launch_unref(g->launch);
        g->launch = ask->launch;
    }
}

void rm_asks_update(struct rm_app *a, const struct rm_ask *asks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_ask_in_table(a, &asks[i]);
    drop_empty_groups_and_sum_asked(a);
}

/* Policies convert slots of a job to tasks, so a kind keeps its width while no container waits. */
static void keep_widths_of_tasks(struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (a->pj.width[k])
            a->mapreduce.width[k] = a->pj.width[k];
        else
            a->pj.width[k] = a->pj.widest[k] = a->mapreduce.width[k];
    }
}

void rm_asks_update_widths(struct rm_app *a)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);
    bool master = at && at->state == RM_ATTEMPT_SCHEDULED;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->pj.width[k] = a->pj.widest[k] = master && k == BASE_TASK_MAP ? a->master_slots : 0;
    for (size_t i = 0; i < a->asks_n && !master; i++) {
        const struct rm_ask_group *g = a->asks[i];

        if (!a->pj.width[g->slot] || g->slots < a->pj.width[g->slot])
            a->pj.width[g->slot] = g->slots;
        if (g->slots > a->pj.widest[g->slot])
            a->pj.widest[g->slot] = g->slots;
    }
    if (a->pj.is_job)
        keep_widths_of_tasks(a);
}

int32_t rm_asks_pending_slots(const struct rm_app *a, enum base_task_kind k)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);
    int64_t slots = rm_asks_pending_containers(a, k);

    if (!slots)
        return 0;
    slots = at->state == RM_ATTEMPT_SCHEDULED ? a->master_slots : a->asked_slots[k];
    return (int32_t)(slots < RM_ASKED_SLOTS_MAX ? slots : RM_ASKED_SLOTS_MAX);
}

int32_t rm_asks_pending_containers(const struct rm_app *a, enum base_task_kind k)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    if (!at || a->ending != RM_END_NONE)
        return 0;
    if (at->state == RM_ATTEMPT_SCHEDULED)
        return k == BASE_TASK_MAP && a->activated;
    return at->state == RM_ATTEMPT_RUNNING ? (int32_t)a->asked[k] : 0;
}

bool rm_asks_match_node_label(const struct rm_app *a, enum base_task_kind k,
                              const struct rm_node *n)
{
    const struct rm_label_demand *d;

    if (!n->exclusive && a->asked[k] > a->asked_labelled[k])
        return true;
    d = n->label && a->asked_labelled[k] ? rm_label_demand_find(a, n->label) : NULL;
    return d && d->wanted[k] > 0;
}

static struct rm_ask_row *find_wanted_row(const struct rm_ask_group *g, const char *name,
                                          bool must_relax)
{
    struct rm_ask_row *row = find_row(g, name);

    return row && row->count > 0 && (!must_relax || row->relax) ? row : NULL;
}

static struct rm_ask_row *find_wanted_host_row(const struct rm_ask_group *g,
                                               const struct rm_node *n)
{
    struct rm_ask_row *row = find_wanted_row(g, n->host_name, false);

    return row ? row : find_wanted_row(g, n->id, false);
}

struct rm_ask_group *rm_asks_pick_group(struct rm_app *a, enum base_task_kind k,
                                        const struct rm_node *n, int64_t slots,
                                        enum delay_level *level)
{
    if (a->names_labels && !rm_asks_match_node_label(a, k, n))
        return NULL;
    for (size_t i = 0; i < a->asks_n; i++) {
        struct rm_ask_group *g = a->asks[i];

        if (g->slot != k || g->slots > slots || !rm_node_serves_label(n, g->label))
            continue;
        *level = DELAY_NODE;
        if (find_wanted_host_row(g, n))
            return g;
        *level = DELAY_RACK;
        if (find_wanted_row(g, n->rack_name, true))
            return g;
        *level = DELAY_ANY;
        if (g->any_given && g->any_relax)
            return g;
    }
    return NULL;
}

static void decrement_row(struct rm_ask_group *g, struct rm_ask_row *row)
{
    if (!row || row->count <= 0)
        return;
    row->count--;
    g->named--;
}

void rm_asks_subtract_granted(struct rm_app *a, struct rm_ask_group *g, const struct rm_node *n,
                              enum delay_level level)
{
    int64_t before = rm_ask_group_wanted(g);
    size_t at;

    if (level == DELAY_NODE)
        decrement_row(g, find_wanted_host_row(g, n));
    if (level <= DELAY_RACK)
        decrement_row(g, find_row(g, n->rack_name));
    if (g->any > 0)
        g->any--;
    count_asked(a, g, rm_ask_group_wanted(g) - before);
    if (rm_ask_group_wanted(g) > 0)
        return;
    at = group_insert_index(a, g->priority, g->allocation_id);
    memmove(a->asks + at, a->asks + at + 1, (--a->asks_n - at) * sizeof *a->asks);
    free_group(a, g);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (a->pj.widest[k] > 1) {
            rm_asks_update_widths(a);
            break;
        }
}

void rm_asks_free(struct rm_app *a)
{
    for (size_t i = 0; i < a->asks_n; i++)
        free_group(a, a->asks[i]);
    free(a->asks);
    a->asks = NULL;
    a->asks_n = a->asks_cap = 0;
    clear_asked(a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->pj.width[k] = a->pj.widest[k] = 0;
}
