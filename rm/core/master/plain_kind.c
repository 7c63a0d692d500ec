/* Plain applications as a kind of application: what differs from jobs. */
#include "rm/core/master/plain_kind.h"

#include "rm/core/app/finished.h"
#include "rm/core/master/master.h"
#include "rm/core/master/master_attach.h"
#include "rm/core/master/turns.h"
#include "rm/core/state.h"

static struct policy_phase count_demand(const struct rm_app *a, enum base_task_kind k)
{
    struct policy_phase p = {.pending = rm_asks_pending_slots(a, k),
                             .pending_tasks = rm_asks_pending_containers(a, k),
                             .running = a->phase[k].running};

    p.total = p.pending + p.running;
    if (a->mapreduce.applies)
        rm_mapreduce_adapt_demand(a, k, &p);
    return p;
}

const struct rm_app_kind rm_plain_kind = {
    .runs_containers = true,
    .accepted = rm_plain_app_accept,
    .demand = count_demand,
    .takes = rm_plain_app_would_take_slot,
    .offer = rm_plain_app_offer_slot,
    .wide_request = rm_plain_app_wide_request,
    .attach = rm_plain_app_attach_container,
    .container_ended = rm_master_queue_or_forget_ended_container,
    .end = rm_plain_app_end,
    .priority_changed = rm_master_reorder_waiting,
    .final_stored = rm_plain_app_clean_up_after_end,
    .recovered_ended = rm_app_retire,
    .recovered = rm_plain_app_continue_recovered,
};
