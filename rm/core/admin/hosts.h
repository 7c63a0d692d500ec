/* rm/core/admin/hosts.h - the lists of hosts that may have nodes (include) and of those that may
 * not (exclude). An empty include list allows all hosts. An entry names a host, or one node by its
 * id. Source: Hadoop's NodesListManager. */
#ifndef CREEL_RM_CORE_ADMIN_HOSTS_H
#define CREEL_RM_CORE_ADMIN_HOSTS_H

#include "rm/core/core.h"

struct rm_host_list { /* sorted by name, no name twice; the names are owned */
    struct rm_listed_host *v;
    size_t n;
};
struct rm_hosts {
    struct rm_host_list include, exclude;
};

/* Replaces the lists by copies of @lists; NULL: empty lists. */
void rm_hosts_set(struct rm_hosts *h, const struct rm_host_lists *lists);
void rm_hosts_free(struct rm_hosts *h);
/* Returns whether the node @id on @host may join. */
bool rm_hosts_allow(const struct rm_hosts *h, const char *id, const char *host);
/* Returns the entry of the exclude list for this node, or NULL. */
const struct rm_listed_host *rm_hosts_find_excluded(const struct rm_hosts *h, const char *id,
                                                    const char *host);

#endif
