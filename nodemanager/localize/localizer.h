/* nodemanager/localize/localizer.h - the local resources of containers: copies them into the node's
 * cache, links them into the containers' folders, and removes them.
 *
 *    cache/<n>/resource.json    what it is: key, boot id, application
 *    cache/<n>/data/<name>      the file, or the folder of an unpacked archive
 *    cache/<n>/done, failure, late    how creel-localize ended (fetch/fetch.h)
 *    cache/<n>/own/                   data, done, failure and late are here if creel-localize runs
 *                                     as the user, who owns this folder and may change what is in
 *                                     it: PRIVATE and APPLICATION, if containers run as their users
 *
 * A resource is copied once for all that share it: PUBLIC for the node, PRIVATE for its user,
 * APPLICATION for its application. Resources are the same if URL, type, pattern, size and time
 * are equal.
 * Its life:
 *
 *    QUEUED --creel-localize starts--> FETCHING --done--> READY --no longer needed--> removed
 *      |                                  |
 *      `---- nobody waits any more -------+--- failure ---> removed at once
 *
 * A failure fails the containers that wait; the next container that needs the resource makes
 * another try. A READY resource that no container holds is removed when its application ends on
 * this node (APPLICATION), or, least recently used first, when the cache takes more than it may or
 * the disk is short of space.
 *
 * A container holds its resources from its launch to its end. After a restart the copies of the
 * same boot are found again, and the containers that still run hold theirs. Nothing was synced, so
 * copies of an earlier boot, and incomplete ones, are removed.
 *
 * Used by the loop's thread only, and never waits: processes copy. */
#ifndef CREEL_NODEMANAGER_LOCALIZE_LOCALIZER_H
#define CREEL_NODEMANAGER_LOCALIZE_LOCALIZER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/wire/order.h"
#include "nodemanager/container/folders.h"
#include "nodemanager/container/spawn.h"

struct nm_localizer_conf { /* pointers are borrowed */
    const char *program;   /* creel-localize */
    const char *ca_file;   /* authorities that it trusts besides the system's; NULL: none */
    const char *hdfs;      /* where name nodes of HDFS speak HTTP (fetch/webhdfs.c) */
    const char *launcher;  /* creel-exec, if containers run as their users, else NULL */
    struct nm_files *files;
    int64_t cache_bytes;    /* removing begins above this size */
    int64_t resource_bytes; /* most bytes of one resource */
    int64_t timeout_s;      /* most time for one resource */
    size_t fetches_max;     /* processes at once */
    /* Reports that all resources of the container are linked into its folder, or why that is
     * impossible (@failure, else NULL). Called once for each begin that returned 0, unless the
     * container is released before, from nm_localizer_start_queued() and
     * nm_localizer_handle_ends(). */
    void (*report)(void *user, void *container, const char *failure);
    void *user;
};

struct nm_localizer;
/* Finds the copies of an earlier process and removes incomplete ones. */
struct nm_localizer *nm_localizer_new(const struct nm_localizer_conf *conf);
void nm_localizer_free(struct nm_localizer *l);
/* Provides the resources of container @id, whose folder exists. @container: what report() gets.
 * Returns 1 when they are ready (or there are none), 0 when report() follows, or a negative BASE_E*
 * for a resource that cannot be linked; then the container holds nothing. */
int nm_localizer_hold_or_queue(struct nm_localizer *l, const struct base_container_id *id,
                               const struct wire_launch *order, void *container,
                               struct base_error *err);
/* Lets a container that an earlier process started hold its resources. */
void nm_localizer_hold_recovered(struct nm_localizer *l, const struct base_container_id *id,
                                 const struct wire_launch *order);
/* Returns true between a begin that returned 0 and its report. */
bool nm_localizer_is_waiting(const struct nm_localizer *l, const struct base_container_id *id);
/* Gives up the resources of a container that has ended or will not be started; does nothing when it
 * holds none. */
void nm_localizer_release(struct nm_localizer *l, const struct base_container_id *id);
/* Removes the resources of an application that has ended on this node. */
void nm_localizer_remove_app(struct nm_localizer *l, const struct base_app_id *id);
/* Removes everything that no container holds; for when the disk is short of space. */
void nm_localizer_remove_unheld(struct nm_localizer *l);

/* Starts processes for the queued resources. */
void nm_localizer_start_queued(struct nm_localizer *l, struct nm_spawn *spawn);
/* Takes the spawner's answer. Returns false when it is not about a process of the localizer. */
bool nm_localizer_take_answer(struct nm_localizer *l, const struct nm_spawned *answer);
/* Returns a descriptor that is readable when processes have ended; then call
 * nm_localizer_handle_ends(). */
int nm_localizer_fd(const struct nm_localizer *l);
void nm_localizer_handle_ends(struct nm_localizer *l);

#endif
