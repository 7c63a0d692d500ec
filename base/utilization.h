/* base/utilization.h - memory and processors in use on a node, as in YARN's ResourceUtilization: by
 * the whole machine, and by the processes of its containers; and what the machine has in all. */
#ifndef CREEL_BASE_UTILIZATION_H
#define CREEL_BASE_UTILIZATION_H

#include <stdint.h>

struct base_utilization { /* memory in MiB; processors in thousandths of one */
    int64_t node_physical_mb, node_virtual_mb, node_milli_cores;
    int64_t containers_physical_mb, containers_virtual_mb, containers_milli_cores;
    int64_t machine_mb, machine_cores; /* what the machine has, whatever the node offers */
};

#endif
