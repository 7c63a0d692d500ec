/* The nodes on which an application has had containers, as a bit set over node indexes. Each node
 * is referenced until the application needs it no longer and the node was ordered to clean up. */
#include "rm/core/app/app_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/logs/log_reports.h"
#include "rm/core/node/forget.h"
#include "rm/core/state.h"

void rm_app_add_used_node(struct rm_core *c, struct rm_app *a, struct rm_node *n)
{
    size_t word = n->index / 64;

    if (rm_app_has_used_node(a, n->index))
        return;
    if (word >= a->nodes_words) {
        a->nodes = base_realloc_array(a->nodes, word + 1, sizeof *a->nodes);
        memset(a->nodes + a->nodes_words, 0, (word + 1 - a->nodes_words) * sizeof *a->nodes);
        a->nodes_words = word + 1;
    }
    a->nodes[word] |= UINT64_C(1) << (n->index % 64);
    rm_node_ref(c, n);
}

bool rm_app_has_used_node(const struct rm_app *a, uint32_t node)
{
    return node / 64 < a->nodes_words && (a->nodes[node / 64] >> (node % 64) & 1);
}

/* Only the abort that an ended job owes (rm/core/job/job.h) is started after the end. */
static bool container_besides_aborts_is_left(const struct rm_app *a)
{
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (ct->step != BASE_STEP_ABORT)
            return true;
    return false;
}

static bool has_container_on_node(const struct rm_app *a, const struct rm_node *n)
{
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (ct->node == n)
            return true;
    return false;
}

/* A node that has removed the application's folders could no longer report how its containers end,
 * and kills them. */
bool rm_app_needs_folders_on_node(const struct rm_app *a, const struct rm_node *n)
{
    return !rm_app_state_is_final(a->state) || container_besides_aborts_is_left(a) ||
           has_container_on_node(a, n);
}

static void order_cleanup_on_node(struct rm_core *c, struct rm_app *a, struct rm_node *n)
{
    /* Simulated nodes have nothing on disk. */
    if (n->registered && !c->conf.simulation) {
        rm_node_enqueue_order(c, n, BASE_ORDER_CLEANUP_APP)->container.attempt.app = a->id;
        rm_logs_add_ordered(c, n, &a->id);
    }
    a->nodes[n->index / 64] &= ~(UINT64_C(1) << (n->index % 64));
    rm_node_unref(c, n);
}

void rm_app_order_cleanup_if_done(struct rm_core *c, struct rm_app *a)
{
    if (!rm_app_state_is_final(a->state) || container_besides_aborts_is_left(a))
        return;
    if (!a->nodes_left)
        a->nodes_left = c->nodes_born;
    for (size_t w = 0; w < a->nodes_words; w++)
        for (uint64_t bits = a->nodes[w]; bits; bits &= bits - 1) {
            struct rm_node *n = c->nodes[w * 64 + (size_t)__builtin_ctzll(bits)];

            if (!has_container_on_node(a, n))
                order_cleanup_on_node(c, a, n);
        }
    if (a->containers)
        return;
    free(a->nodes);
    a->nodes = NULL;
    a->nodes_words = 0;
}
