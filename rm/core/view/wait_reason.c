/* rm/core/view/wait_reason.c - explains why an application waits: first what holds the slots that
 * it wants, in the same way under every policy, then the policy's own explanation. Runs while the
 * core is held, so it examines at most HOLDERS_LOOK_MAX containers for each kind of slot, and as
 * many of the application's own. */
#include <stdio.h>
#include <stdlib.h>

#include "rm/core/master/turns.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"

enum {
    HOLDERS_LOOK_MAX = 5000, /* containers examined in one search */
    HOLDERS_MAX = 64,        /* applications counted separately */
    HOLDERS_NAMED = 3,       /* applications named in the text */
    SILENT_BEATS = 3,        /* missed heartbeats after which a node is called silent */
};

static const char *const kind_names[BASE_TASK_KINDS] = {
    [BASE_TASK_MAP] = "map", [BASE_TASK_REDUCE] = "reduce"};

struct holder {
    const struct rm_app *app;
    int64_t n; /* slots that it holds */
};
struct holders {
    struct holder v[HOLDERS_MAX];
    size_t n;
    int64_t looked; /* containers examined */
    int64_t others; /* slots held by applications beyond the first HOLDERS_MAX */
    bool cut;       /* not all containers were examined */
};

static void add_slot_holder(struct holders *h, const struct rm_container *ct)
{
    const struct rm_app *a = ct->app;
    size_t i = 0;

    while (i < h->n && h->v[i].app != a)
        i++;
    if (i == HOLDERS_MAX) {
        h->others += ct->slots;
        return;
    }
    if (i == h->n)
        h->v[h->n++] = (struct holder){.app = a};
    h->v[i].n += ct->slots;
}

static void find_slot_holders(const struct rm_core *c, enum base_task_kind k, struct holders *h)
{
    for (size_t i = 0; i < c->nodes_n && !h->cut; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n || !n->counted || n->used[k] == 0)
            continue;
        for (const struct rm_container *ct = n->containers; ct && !h->cut; ct = ct->node_next) {
            h->cut = ++h->looked > HOLDERS_LOOK_MAX;
            if (ct->slot == k && !ct->suspended_at_us && !ct->on_master_slots)
                add_slot_holder(h, ct);
        }
    }
}

/* Orders by number of slots, the most first, then by id. */
static int compare_slot_holders(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return base_app_id_cmp(&x->app->id, &y->app->id);
}

static void describe_slot_holders(const struct rm_core *c, const struct rm_app *a,
                                  enum base_task_kind k, struct base_buf *out)
{
    struct holders h = {0};
    char text[BASE_ID_TEXT_MAX];

    find_slot_holders(c, k, &h);
    if (h.n > 1)
        qsort(h.v, h.n, sizeof *h.v, compare_slot_holders);
    base_buf_adds(out, h.cut ? " run, among others, " : " run ");
    for (size_t i = 0; i < h.n && i < HOLDERS_NAMED; i++) {
        base_buf_addf(out, "%s%s", i ? ", " : "",
                      h.v[i].app == a ? "this one itself"
                                      : base_app_id_text(&h.v[i].app->id, text));
        if (h.n > 1)
            base_buf_addf(out, " (%lld)", (long long)h.v[i].n);
    }
    if (h.n > HOLDERS_NAMED && !h.cut)
        base_buf_addf(out, " and %zu%s more", h.n - HOLDERS_NAMED, h.others ? " or" : "");
    if (h.n == 0)
        base_buf_adds(out, "what is about to end");
}

static void describe_missing_nodes(const struct rm_core *c, struct base_buf *out)
{
    int32_t by_state[RM_NODE_STATES] = {0};
    const char *before = " (";

    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i])
            by_state[c->nodes[i]->state]++;
    base_buf_adds(out, c->awaited   ? "no node has come back since the ResourceManager was started"
                       : c->nodes_n ? "no node runs"
                                    : "no node is registered");
    for (int s = 0; s < RM_NODE_STATES; s++) {
        if (!by_state[s])
            continue;
        base_buf_addf(out, "%s%d %s", before, by_state[s],
                      rm_node_state_name((enum rm_node_state)s));
        before = ", ";
    }
    if (*before == ',')
        base_buf_adds(out, ")");
}

/* Returns "6 map", or "map" for a single slot. */
static const char *slots_text(int64_t slots, enum base_task_kind k, char text[static 64])
{
    if (slots == 1)
        return kind_names[k];
    snprintf(text, 64, "%lld %s", (long long)slots, kind_names[k]);
    return text;
}

/* Says how many slots of one node @a needs at once, and which node is reserved for that. Appends
 * nothing if one slot is enough. */
static void describe_wide_request(const struct rm_app *a, enum base_task_kind k,
                                  struct base_buf *out)
{
    const struct rm_wide *w = &a->wide[k];
    int32_t least = policy_job_width(&a->pj, k);

    if (a->pj.widest[k] <= 1)
        return;
    if (least < a->pj.widest[k])
        base_buf_addf(out, ", and it needs %d to %d of one node at once", least, a->pj.widest[k]);
    else
        base_buf_addf(out, ", and it needs %d of one node at once", least);
    if (w->node)
        base_buf_addf(out, ": %s is reserved for it, where %d of %d have yet to come free",
                      w->node->id, rm_node_missing_slots(w->node, k), w->slots);
}

static void describe_slots(const struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                           struct base_buf *out)
{
    char text[64];
    int64_t slots = c->capacity.slots[k], used = c->capacity.used[k],
            freeing = c->capacity.freeing[k];

    if (slots == 0) {
        base_buf_addf(out, "no node has %s slots", kind_names[k]);
    } else if (used < slots) {
        base_buf_addf(out, "%lld of %lld %s slots are free", (long long)(slots - used),
                      (long long)slots, kind_names[k]);
    } else {
        base_buf_addf(out, slots == 1 ? "the only %s slot" : "all %s slots",
                      slots_text(slots, k, text));
        describe_slot_holders(c, a, k, out);
        if (freeing > 0)
            base_buf_addf(out, ", %lld being freed", (long long)freeing);
    }
    describe_wide_request(a, k, out);
}

/* Names the master slots of the nodes that admit the master of @a. */
static void describe_wanted_master_slots(const struct rm_core *c, const struct rm_app *a,
                                         struct base_buf *out)
{
    int64_t slots = 0, used = 0;

    if (a->waits_for == RM_WAITS_FOR_POLICY) {
        base_buf_adds(out, "a limit of running applications holds its master back");
        return;
    }
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n || !n->counted || !rm_node_serves_label(n, a->am_label))
            continue;
        slots += n->masters.slots;
        used += n->masters.used;
    }
    if (a->master_slots == 1)
        base_buf_adds(out, "its master waits for a master slot");
    else
        base_buf_addf(out, "its master waits for %d master slots of one node", a->master_slots);
    base_buf_addf(out, ": %lld of %lld are taken", (long long)used, (long long)slots);
}

/* Appends nothing if @a wants no slot now. */
static void describe_wanted_slots(const struct rm_core *c, const struct rm_app *a,
                                  struct base_buf *out)
{
    bool wants[BASE_TASK_KINDS];

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        wants[k] = a->pj.phase[k].pending > 0;
    if (a->waits && a->waits_for != RM_WAITS_FOR_MAP_SLOTS) {
        describe_wanted_master_slots(c, a, out);
        return;
    }
    if (a->waits)
        wants[BASE_TASK_MAP] = true;
    if (!wants[BASE_TASK_MAP] && !wants[BASE_TASK_REDUCE])
        return;
    if (c->capacity.nodes == 0) {
        describe_missing_nodes(c, out);
        return;
    }
    if (a->waits)
        base_buf_addf(out, "its master waits for its turn: %lld of at most %lld masters run; ",
                      (long long)c->masters_active, (long long)rm_masters_max(c));
    for (int k = 0, n = 0; k < BASE_TASK_KINDS; k++) {
        if (!wants[k])
            continue;
        base_buf_adds(out, n++ ? "; " : "");
        describe_slots(c, a, k, out);
    }
}

/* Appends what limits requests with the label @number. */
static void describe_label(const struct rm_core *c, uint32_t number, struct base_buf *out)
{
    const struct rm_label *l = &c->labels.v[number - 1];

    base_buf_addf(out, "nodes with the label %s, ", l->name);
    if (!l->exists)
        base_buf_adds(out, "which does not exist");
    else if (!l->slots[BASE_TASK_MAP] && !l->slots[BASE_TASK_REDUCE])
        base_buf_adds(out, "of which none runs");
    else
        base_buf_addf(out, "which have %lld map and %lld reduce slots",
                      (long long)l->slots[BASE_TASK_MAP], (long long)l->slots[BASE_TASK_REDUCE]);
}

/* Names the labels that @a waits for: free slots of other nodes do not help it. */
static void describe_wanted_labels(const struct rm_core *c, const struct rm_app *a,
                                   struct base_buf *out)
{
    if (a->waits && a->am_label && a->am_label <= c->labels.n) {
        base_buf_addf(out, "%sits master needs ", out->len ? "; " : "");
        describe_label(c, a->am_label, out);
    }
    for (size_t i = 0; i < a->label_demand_n; i++) {
        const struct rm_label_demand *d = &a->label_demand[i];
        int64_t wanted = d->counted[BASE_TASK_MAP] + d->counted[BASE_TASK_REDUCE];

        if (!wanted)
            continue;
        base_buf_addf(out, "%s%lld of its containers need%s ", out->len ? "; " : "",
                      (long long)wanted, wanted == 1 ? "s" : "");
        describe_label(c, d->label, out);
    }
}

/* Names the node that has been silent for longest and runs containers of @a, whose progress is
 * unknown for that reason. Appends nothing if there is none. */
static void describe_silent_nodes(const struct rm_core *c, const struct rm_app *a, int64_t now_us,
                                  struct base_buf *out)
{
    int64_t limit_us =
        SILENT_BEATS * (c->conf.heartbeat_us > 1000000 ? c->conf.heartbeat_us : 1000000);
    int64_t n = 0, looked = 0;
    const struct rm_node *longest = NULL, *first = NULL;
    bool several = false;

    for (const struct rm_container *ct = a->containers; ct && looked++ < HOLDERS_LOOK_MAX;
         ct = ct->app_next) {
        const struct rm_node *node = ct->node;

        if (!node || node->state == RM_NODE_LOST || node->last_us <= 0 ||
            now_us - node->last_us < limit_us)
            continue;
        n++;
        first = first ? first : node;
        several = several || node != first;
        if (!longest || node->last_us < longest->last_us)
            longest = node;
    }
    if (n)
        base_buf_addf(
            out,
            "%s%lld of its containers run%s on %s: %s has said nothing for %lld s, and is "
            "given up after %lld s",
            out->len ? "; " : "", (long long)n, n == 1 ? "s" : "",
            several ? "silent nodes" : "a silent node", longest->id,
            (long long)((now_us - longest->last_us) / 1000000),
            (long long)(c->conf.node_expiry_us / 1000000));
}

/* Says what the current step of a job does or waits for. Appends nothing when there is none. */
static void describe_step(const struct rm_core *c, const struct rm_app *a, struct base_buf *out)
{
    static const char *const work[BASE_STEPS] = {
        [BASE_STEP_SETUP] = "setup, which finds its input files and makes its output folder",
        [BASE_STEP_COMMIT] = "commit, which moves its output into place",
        [BASE_STEP_ABORT] = "abort, which removes its unfinished output"};

    if (a->step.kind && a->step.running)
        base_buf_addf(out, "its %s, runs on %s", work[a->step.kind], a->step.running->node->id);
    else if (a->step.kind)
        base_buf_addf(out, "its %s, waits for a slot", work[a->step.kind]);
    if (a->step.waits && rm_step_places_must_leave_last_place(c, a))
        base_buf_addf(
            out,
            "; the last free node is left to other users than %s, whose killed steps have "
            "not ended on other nodes",
            a->user);
}

int rm_view_explain_wait(const struct rm_core *core, struct base_app_id id, int64_t now_us,
                         struct base_buf *out)
{
    const struct rm_app *a = rm_app_find(core, id);
    struct base_buf policy = {0};

    if (!a)
        return -BASE_ENOTFOUND;
    describe_step(core, a, out);
    if (!a->in_policy)
        return 0;
    describe_wanted_slots(core, a, out);
    describe_wanted_labels(core, a, out);
    if (!out->len && a->containers && !a->held && !a->phase[BASE_TASK_MAP].suspended &&
        !a->phase[BASE_TASK_REDUCE].suspended)
        base_buf_adds(out, "nothing of it waits for a slot");
    describe_silent_nodes(core, a, now_us, out);
    if (core->ops->explain)
        core->ops->explain(core->policy, &a->pj, core->now_us, &policy);
    if (policy.len)
        base_buf_addf(out, "%s%s", out->len ? "; " : "", policy.data);
    if (!out->len)
        base_buf_adds(out, "pending");
    base_buf_free(&policy);
    return 0;
}
