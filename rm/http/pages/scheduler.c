/* rm/http/pages/scheduler.c - the page of the scheduler: the queues with their shares, and the
 * order in which the policy would offer the next free slots. */
#include <inttypes.h>

#include "policies/registry.h"
#include "rm/http/access/access.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"

#define COUNT(array) (sizeof array / sizeof *array)
#define QUEUES_MAX   1000 /* rows of queues */
#define TURNS_MAX    20   /* applications in the order, for each kind of slot */

/* ---- the policy ---- */

static void add_policy_properties(struct base_buf *out, const struct rm_cluster_view *c)
{
    const struct policy_ops *ops = c->policy ? policy_find(c->policy) : NULL;

    api_page_open_properties(out);
    api_page_add_property(out, "Policy", "%s", c->policy ? c->policy : "");
    if (ops && ops->source)
        api_page_add_property(out, "After", "%s", ops->source);
    api_page_add_property(out, "Takes slots back", "%s", c->preempts ? "yes" : "no");
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int r = k == BASE_TASK_MAP ? RM_RES_MAP_SLOTS : RM_RES_REDUCE_SLOTS;

        api_page_open_property(out, k == BASE_TASK_MAP ? "Map slots" : "Reduce slots");
        rm_page_add_use_bar(out, c->used.v[r], c->total.v[r]);
        base_buf_addf(out, ", %" PRId64 " wanted", c->pending.v[r]);
        api_page_close_property(out);
    }
    if (c->master_slots) {
        api_page_open_property(out, "Master slots");
        rm_page_add_use_bar(out, c->used_master_slots, c->master_slots);
        api_page_close_property(out);
    }
    if (c->suspended || c->preempted)
        api_page_add_property(out, "So far",
                              "%" PRId64 " attempts suspended, %" PRId64 " resumed, %" PRId64
                              " killed",
                              c->suspended, c->resumed, c->preempted);
    if (c->policy_fallbacks)
        api_page_add_property(out, "Replaced by FIFO", "%" PRId64 " times", c->policy_fallbacks);
    api_page_close_properties(out);
}

/* ---- queues ---- */

static int64_t count_slots(const struct rm_res *r)
{
    return r->v[RM_RES_MAP_SLOTS] + r->v[RM_RES_REDUCE_SLOTS];
}

/* Queues are indented below their parents. */
static void add_queue_name(struct api_table *t, const struct rm_queue_view *v)
{
    base_buf_adds(t->out, "<td class=\"tree\" data-label=\"Queue\">");
    t->at++;
    for (int32_t i = 0; i < v->depth && i < 20; i++)
        base_buf_adds(t->out, "&nbsp;&nbsp;&nbsp;");
    base_buf_adds(t->out, v->depth ? "\xE2\x94\x94 " : ""); /* U+2514 */
    rm_page_add_filter_link(t->out, "queue", v->name);
    if (v->is_dynamic)
        base_buf_adds(t->out, " <span class=\"soft\">made by a rule</span>");
    api_table_close_cell(t);
}

static void add_queue_row(struct api_table *t, const struct rm_queue_view *v)
{
    api_table_open_row(t, NULL);
    add_queue_name(t, v);
    api_table_add_cell(t, "%s", v->policy);
    api_table_add_cell(t, "%g", v->weight);
    api_table_open_cell(t);
    rm_page_add_use_bar(t->out, v->allocated_containers, count_slots(&v->fair_share));
    api_table_close_cell(t);
    api_table_add_cell(t, "%" PRId64, count_slots(&v->demand));
    api_table_add_cell(t, "%" PRId64, count_slots(&v->min));
    api_table_add_cell(t, "%.0f %%", v->max_part * 100);
    api_table_add_cell(t, "%" PRId64, v->active_apps);
    api_table_add_cell(t, "%" PRId64, v->pending_apps);
    if (v->max_apps == INT32_MAX)
        api_table_add_cell(t, "no limit");
    else
        api_table_add_cell(t, "%d", v->max_apps);
    api_table_close_row(t);
}

static void add_queues_table(struct base_buf *out, const struct rm_views *v)
{
    static const struct api_column columns[] = {
        {.heading = "Queue"},
        {.heading = "Order inside"},
        {.heading = "Weight", .is_number = true},
        {.heading = "Containers, of its share"},
        {.heading = "Could use", .is_number = true},
        {.heading = "At least", .is_number = true},
        {.heading = "At most", .is_number = true},
        {.heading = "Running", .is_number = true},
        {.heading = "Waiting", .is_number = true},
        {.heading = "May run", .is_number = true},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};

    api_table_open(&t, "Queues: slots of both kinds (each container takes one), and applications");
    for (size_t i = 0; i < v->queues_n && i < QUEUES_MAX; i++)
        add_queue_row(&t, &v->queues[i]);
    api_table_close(&t);
    if (v->queues_n > QUEUES_MAX)
        base_buf_addf(out, "<p>%zu more queues are not shown.</p>\n", v->queues_n - QUEUES_MAX);
}

/* ---- the order ---- */

/* @sees: the reader may see more of the application than lists show to everyone. */
static void add_offer_turn_row(struct api_table *t, const struct rm_turn_view *v, size_t place,
                               bool sees)
{
    api_table_open_row(t, NULL);
    api_table_add_cell(t, "%zu", place);
    api_table_open_cell(t);
    rm_page_add_app_link(t->out, &v->app);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_name(t->out, v->name);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_filter_link(t->out, "user", v->user);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_filter_link(t->out, "queue", v->queue);
    api_table_close_cell(t);
    api_table_add_cell(t, "%" PRId64, sees ? v->pending : 0);
    api_table_add_cell(t, "%" PRId64, sees ? v->running : 0);
    api_table_add_cell(t, "%" PRId64, sees ? v->suspended : 0);
    api_table_open_cell(t);
    api_html_add_escaped_cut(t->out, sees ? v->why : "", 400);
    api_table_close_cell(t);
    api_table_close_row(t);
}

static void add_slot_offer_order(struct base_buf *out, struct api_request *rq, struct rm_backend *b,
                                 enum base_task_kind kind)
{
    static const struct api_column columns[] = {
        {.heading = "Place", .is_number = true},
        {.heading = "Application"},
        {.heading = "Name"},
        {.heading = "User"},
        {.heading = "Queue"},
        {.heading = "Waiting", .is_number = true},
        {.heading = "Running", .is_number = true},
        {.heading = "Suspended", .is_number = true},
        {.heading = "The policy says"},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};
    struct rm_views v = {0};
    struct rm_slot_view slot;

    rm_view_slot_offer_order(rm_backend_lock_core(b), kind, TURNS_MAX, &v, &slot);
    rm_backend_unlock_core(b);
    base_buf_addf(out, "<h2>Who would get the next free %s slot</h2>\n",
                  rm_page_name_task_kind(kind));
    if (!slot.node) {
        base_buf_addf(out, "<p>No running node has %s slots.</p>\n", rm_page_name_task_kind(kind));
    } else if (!v.turns_n && slot.waiting) {
        base_buf_addf(out,
                      "<p>Applications that wait for one: %" PRId64
                      ". The policy gives it to none of them now: a limit or a reservation "
                      "holds it back.</p>\n",
                      slot.waiting);
    } else if (!v.turns_n) {
        base_buf_adds(out, "<p>Nobody waits for one.</p>\n");
    } else {
        base_buf_adds(out, "<p class=\"soft\">In the policy's order, for a slot on ");
        api_html_add_escaped(out, slot.node);
        base_buf_adds(out, ". An application may let a slot pass to wait for one near its data."
                           "</p>\n");
        api_table_open(&t, "Applications in the policy's order");
        for (size_t i = 0; i < v.turns_n; i++)
            add_offer_turn_row(&t, &v.turns[i], i + 1,
                               rm_access_sees_app_id(rq, b, v.turns[i].app));
        api_table_close(&t);
        if (v.turns_n == TURNS_MAX)
            base_buf_adds(out, "<p class=\"soft\">Further ones are not shown.</p>\n");
    }
    rm_views_free(&v);
}

static void get_scheduler_page(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    const struct rm_core *core;
    struct rm_cluster_view c;
    struct rm_views v = {0};
    struct base_buf page = {0};

    core = rm_backend_lock_core(b);
    rm_view_cluster(core, &c);
    rm_view_queues(core, &v);
    rm_backend_unlock_core(b);
    api_page_open(&page, &rm_site, "/cluster/scheduler", "Scheduler");
    api_page_open_live(&page);
    add_policy_properties(&page, &c);
    base_buf_adds(&page, "<h2>Queues</h2>\n");
    add_queues_table(&page, &v);
    rm_views_free(&v);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        add_slot_offer_order(&page, rq, b, k);
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
}

const struct api_route rm_pages_scheduler_routes[] = {
    {"GET", "/cluster/scheduler", API_ROLE_READ, 0, get_scheduler_page, API_ROUTE_CREEL},
};
const size_t rm_pages_scheduler_routes_n = COUNT(rm_pages_scheduler_routes);
