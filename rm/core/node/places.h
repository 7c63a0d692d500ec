/* rm/core/node/places.h - hosts and racks as small numbers with reference counts. */
#ifndef CREEL_RM_CORE_NODE_PLACES_H
#define CREEL_RM_CORE_NODE_PLACES_H

#include "rm/core/state.h"

/* Drops a reference to a rack. */
void rm_rack_unref(struct rm_core *c, uint32_t rack);
/* Drops a reference to a host; with the last one, the host's reference to its rack too. */
void rm_host_unref(struct rm_core *c, uint32_t host);

#endif
