/* nodemanager/figures/load.h - memory and processors in use by the containers and by the whole
 * machine, from /proc.
 *
 * A sample walks the process trees of all containers, so it is taken only when somebody asks, and
 * at most every NM_LOAD_EVERY_MS; in between the last one is shown. */
#ifndef CREEL_NODEMANAGER_FIGURES_LOAD_H
#define CREEL_NODEMANAGER_FIGURES_LOAD_H

#include "nodemanager/daemon/daemon.h"

#define NM_LOAD_EVERY_MS 3000 /* as often as YARN's monitor of containers runs */

struct nm_load {
    int64_t containers_physical, containers_virtual; /* bytes */
    int64_t node_physical, node_virtual;
    /* number of processors in use, on average since the sample before; 0 in the first one */
    double containers_cores, node_cores;
    int64_t cost_ms; /* what the sample took */
};

struct nm_load_sampler; /* opaque; any thread */
struct nm_load_sampler *nm_load_sampler_new(void);
void nm_load_sampler_free(struct nm_load_sampler *s); /* NULL-safe */
/* Reads /proc, so do not hold nm->lock. */
void nm_load_read(struct nm_load_sampler *s, struct nm *nm, struct nm_load *out);

#endif
