/* Plain applications as a kind of applications: what differs from jobs. */
#include "rm/core/master/plain_kind.h"

#include "rm/core/master/master.h"
#include "rm/core/master/master_attach.h"
#include "rm/core/state.h"

static struct policy_phase demand(const struct rm_app *a, enum base_task_kind k)
{
    struct policy_phase p = {.pending = rm_ask_pending(a, k), .running = a->phase[k].running};

    p.total = p.pending + p.running;
    return p;
}

/* Whether one of its asks suits the node is decided when a slot is given. */
static enum policy_take takes(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                              struct rm_node *n)
{
    (void)c, (void)a, (void)k, (void)n;
    return POLICY_TAKES;
}

const struct rm_app_kind rm_plain_kind = {
    .runs_containers = true,
    .accepted = rm_am_accept,
    .demand = demand,
    .takes = takes,
    .offer = rm_am_offer,
    .attach = rm_am_attach,
    .container_ended = rm_am_on_container_ended,
    .end = rm_am_end,
    .final_stored = rm_am_on_final_stored,
    .recovered = rm_am_resume,
};
