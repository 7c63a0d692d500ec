/* Plain copies for readers: labels, and the nodes that have them. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view_internal.h"

static void add_label(struct rm_views *out, const char *name, bool exclusive)
{
    out->labels = rm_view_array_reserve_one(out->labels, out->labels_n, sizeof *out->labels);
    out->labels[out->labels_n++] =
        (struct rm_label_view){.name = rm_view_copy_text(out, name), .exclusive = exclusive};
}

static void add_node_label(struct rm_views *out, const char *node, size_t label)
{
    if (!label)
        return;
    out->node_labels =
        rm_view_array_reserve_one(out->node_labels, out->node_labels_n, sizeof *out->node_labels);
    out->node_labels[out->node_labels_n++] =
        (struct rm_node_label_view){.node = rm_view_copy_text(out, node), .label = label};
}

static bool has_own_mapping(const struct rm_labels *l, const char *node)
{
    size_t low = 0, high = l->mappings_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(l->mappings[mid].node, node);

        if (order == 0)
            return true;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

static void add_active_node(struct rm_label_view *v, const struct rm_node *n)
{
    if (!n->counted)
        return;
    v->active_nodes++;
    for (int r = 0; r < RM_RES_NAMES; r++)
        v->total.v[r] += n->total.v[r];
}

void rm_view_labels(const struct rm_core *c, struct rm_views *out)
{
    const struct rm_labels *l = &c->labels;
    size_t *place = base_alloc((l->n + 1) * sizeof *place); /* index in @out by number */

    out->labels_n = out->node_labels_n = 0;
    add_label(out, "", true); /* YARN shows it as exclusive */
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].exists) {
            place[i + 1] = out->labels_n;
            add_label(out, l->v[i].name, l->v[i].exclusive);
        }
    for (size_t i = 0; i < l->mappings_n; i++)
        add_node_label(out, l->mappings[i].node, place[l->mappings[i].label]);
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n || n->unseen)
            continue;
        if (n->label && !has_own_mapping(l, n->id))
            add_node_label(out, n->id, place[n->label]);
        add_active_node(&out->labels[place[n->label]], n);
    }
    free(place);
}

void rm_view_partitions(const struct rm_core *c, struct rm_views *out)
{
    size_t place = 1; /* of the label in @out */

    rm_view_labels(c, out);
    for (size_t i = 0; i < c->labels.n; i++) {
        const struct rm_label *l = &c->labels.v[i];

        for (size_t q = 0; l->exists && q < l->of_queue_n; q++) {
            out->partitions = rm_view_array_reserve_one(out->partitions, out->partitions_n,
                                                        sizeof *out->partitions);
            out->partitions[out->partitions_n++] = (struct rm_partition_view){
                .label = place, .queue = (int32_t)q, .use = l->of_queue[q]};
        }
        place += l->exists;
    }
}

/* Returns the row for @a among those of the node, which begin at @first; adds a missing one. */
static struct rm_label_use_view *find_or_add_use(struct rm_views *out, size_t first, size_t label,
                                                 const struct rm_app *a)
{
    for (size_t i = first; i < out->label_uses_n; i++)
        if (out->label_uses[i].queue == (int32_t)a->queue_index &&
            strcmp(out->label_uses[i].user, a->user) == 0)
            return &out->label_uses[i];
    out->label_uses =
        rm_view_array_reserve_one(out->label_uses, out->label_uses_n, sizeof *out->label_uses);
    out->label_uses[out->label_uses_n] = (struct rm_label_use_view){
        .label = label, .queue = (int32_t)a->queue_index, .user = rm_view_copy_text(out, a->user)};
    return &out->label_uses[out->label_uses_n++];
}

static void add_label_uses_of_node(struct rm_views *out, const struct rm_node *n, size_t label)
{
    size_t first = out->label_uses_n;

    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next) {
        const struct rm_attempt *at = rm_app_newest_attempt(ct->app);
        struct rm_label_use_view *use;

        if (ct->app->queue_index == RM_NONE)
            continue;
        use = find_or_add_use(out, first, label, ct->app);
        for (int r = 0; r < RM_RES_NAMES; r++) {
            use->used.v[r] += ct->resource.v[r];
            if (at && at->master == ct)
                use->masters_used.v[r] += ct->resource.v[r];
        }
    }
}

void rm_view_label_uses(const struct rm_core *c, struct rm_views *out)
{
    const struct rm_labels *l = &c->labels;
    size_t *place = base_alloc((l->n + 1) * sizeof *place), next = 1; /* index in @out by number */

    out->labels_n = 0;
    for (size_t i = 0; i < l->n; i++)
        place[i + 1] = l->v[i].exists ? next++ : 0;
    if (next > 1)
        rm_view_labels(c, out);
    for (size_t i = 0; next > 1 && i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (n && n->label && place[n->label])
            add_label_uses_of_node(out, n, place[n->label]);
    }
    free(place);
}
