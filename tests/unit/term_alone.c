/* The rules of a leadership run with nothing but the core, the pure part of base and libc: no
 * thread, no file, no clock. */
#include <stdio.h>

#include "rm/term/core_clock.h"
#include "rm/term/lead_rules.h"
#include "rm/term/node_wait.h"
#include "rm/term/outbox.h"
#include "rm/term/term.h"

int main(void)
{
    struct rm_term_calls calls = {0};
    struct rm_outbox outbox = {0};
    struct rm_lease lease;
    struct rm_lead_effects effects;
    struct rm_lead_rules rules = {0};
    struct rm_node_wait wait = {0};
    struct rm_term term;

    rm_lease_init(&lease);
    rm_term_init(&term, 1, &lease, &calls);
    if (!rm_term_leads(&term)) /* an RM that is alone has an endless lease */
        return 1;
    rm_lease_depose(&lease);
    if (rm_term_leads(&term))
        return 1;
    rm_lead_step(&rules, &(struct rm_lead_event){.kind = RM_LEAD_EV_QUIT}, &effects);
    if (effects.n) /* a standby has nothing to end */
        return 1;
    rm_node_wait_free(&wait);
    rm_term_free(&term);
    rm_outbox_free(&outbox);
    puts("the rules of a leadership stand alone");
    return 0;
}
