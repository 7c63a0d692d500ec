/* nodemanager/container/isolation/cgroup.h - where the control groups of containers are: the choice
 * that "cgroup" makes at the daemon's start, as a function of texts, for tests.
 *
 * Each container has a group of its name with limits for memory, processors and processes. Under
 * cgroup v2 that is one group; under v1 one in the hierarchy of each controller, including the
 * freezer. The host decides which: v1 if it has mounted v1's memory controller, else v2.
 *
 *   place   "all=/sys/fs/cgroup/x/containers" under v2, and under v1
 *           "memory=/sys/fs/cgroup/memory/x;cpu=...;pids=...;freezer=...;cpuacct=..."
 *
 *   v2      <own group>/daemon           the NodeManager and its shims, since a group with limits
 *                                        for its children may have no processes of its own
 *           <own group>/containers/<id>  one for each container
 *   v1      <own group>/creel/<id>       in each hierarchy
 *
 * "Own group" is the group in which the daemon was started, such as that of its systemd unit. With
 * a configured parent, containers are below that group of each hierarchy instead, and the daemon
 * stays where it is. Whoever starts the daemon must have given it the group (Delegate= in a unit)
 * unless it runs as root.
 *
 *   limit      v1                                      v2
 *   memory     memory.limit_in_bytes, and the same     memory.max; no swap; the whole group is
 *              with swap                               killed (memory.oom.group)
 *   vcores     cpu.shares, 1024 each; hard: cfs quota  cpu.weight, 100 each; hard: cpu.max
 *   processes  pids.max                                pids.max
 *
 * SOURCE: Linux, Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst; YARN's CGroups handlers,
 * which set the same files. */
#ifndef CREEL_NODEMANAGER_CONTAINER_ISOLATION_CGROUP_H
#define CREEL_NODEMANAGER_CONTAINER_ISOLATION_CGROUP_H

#include "nodemanager/container/isolation/isolation.h"

/* Writes to @place where containers go, and to *@own_group the folder of the daemon's own group
 * under v2 if containers go into it, else "". @mounts: text of /proc/self/mountinfo; @groups: text
 * of /proc/self/cgroup. Returns 0, or -ENOENT, -EINVAL or -ENAMETOOLONG with the reason in @why. */
int nm_cgroup_choose_place(const char *mounts, const char *groups, const char *parent,
                           char place[static NM_ISOLATION_PLACE_MAX],
                           char own_group[static NM_ISOLATION_PLACE_MAX],
                           char why[static NM_ISOLATION_WHY_MAX]);

#endif
