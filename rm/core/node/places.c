/* References to hosts and racks. */
#include "rm/core/node/places.h"

#include "rm/core/state.h"

void rm_rack_unref(struct rm_core *c, uint32_t rack)
{
    if (rm_names_unref(&c->racks, rack)) /* indexes by rack that use the number are rebuilt */
        c->rack_stamp++;
}

void rm_host_unref(struct rm_core *c, uint32_t host)
{
    uint32_t rack = host < c->host_rack_n ? c->host_rack[host] : RM_NONE;

    if (!rm_names_unref(&c->hosts, host) || rack == RM_NONE)
        return;
    c->host_rack[host] = RM_NONE;
    rm_rack_unref(c, rack);
}
