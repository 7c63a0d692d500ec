/* The nodes on which an application has had containers, as a bit set over node indexes. Each node
 * is referenced until the application needs it no longer and the node was ordered to clean up. */
#include "rm/core/app/app_nodes.h"

#include <stdlib.h>
#include <string.h>

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

/* A node that has removed the application's folders could no longer report how its containers end,
 * and does not start another one at once. */
void rm_app_order_cleanup_if_done(struct rm_core *c, struct rm_app *a)
{
    if (!rm_app_state_is_final(a->state) || a->containers || a->abort_owed)
        return;
    if (!a->nodes_left)
        a->nodes_left = c->nodes_born;
    for (size_t w = 0; w < a->nodes_words; w++)
        for (uint64_t bits = a->nodes[w]; bits; bits &= bits - 1) {
            struct rm_node *n = c->nodes[w * 64 + (size_t)__builtin_ctzll(bits)];

            /* Simulated nodes have nothing on disk. */
            if (n->registered && !c->conf.simulation)
                rm_node_enqueue_order(c, n, BASE_ORDER_CLEANUP_APP)->container.attempt.app = a->id;
            rm_node_unref(c, n);
        }
    free(a->nodes);
    a->nodes = NULL;
    a->nodes_words = 0;
}
