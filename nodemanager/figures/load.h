/* nodemanager/figures/load.h - memory and processors in use by the containers and by the whole
 * machine, from /proc.
 *
 * A thread takes a sample every yarn.nodemanager.resource-monitor.interval-ms. It walks the process
 * trees of all containers without holding a lock meanwhile, so that reading the last sample never
 * waits for /proc. */
#ifndef CREEL_NODEMANAGER_FIGURES_LOAD_H
#define CREEL_NODEMANAGER_FIGURES_LOAD_H

#include "base/utilization.h"
#include "nodemanager/daemon/daemon.h"

struct nm_load {
    int64_t containers_physical, containers_virtual; /* bytes */
    int64_t node_physical, node_virtual;
    int64_t machine_memory; /* bytes */
    /* number of processors in use, on average since the previous sample; 0 in the first sample */
    double containers_cores, node_cores;
    int64_t cost_ms; /* duration of taking the sample */
    uint64_t number; /* of this sample, from 1; 0: none taken yet */
};

struct nm_load_sampler; /* opaque; any thread */
/* Starts the thread. It uses nm->core and nm->files, so they must outlive the sampler. */
int nm_load_sampler_start(struct nm *nm, struct nm_load_sampler **out, struct base_error *err);
void nm_load_sampler_stop(struct nm_load_sampler *s); /* NULL-safe; joins the thread, frees @s */
void nm_load_read(struct nm_load_sampler *s, struct nm_load *out); /* the last sample */
/* Converts to what a heartbeat reports. */
struct base_utilization nm_load_to_utilization(const struct nm_load *load);

#endif
