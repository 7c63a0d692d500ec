/* nodemanager/container/exit.h - how a container ended, put together from exit.json, result.json, failure.json and its
 * stderr. */
#ifndef CREEL_NODEMANAGER_CONTAINER_EXIT_H
#define CREEL_NODEMANAGER_CONTAINER_EXIT_H

#include "nodemanager/core/core.h"
#include "nodemanager/container/folders.h"

#define NM_NO_SPACE_TEXT "No space left on device"
#define NM_EXIT_OUTPUT_LOST 74 /* EX_IOERR: a command that succeeded, but its output could not be written whole */
#define NM_DISK_PROBE_BYTES (8 << 20) /* what a node must have room for when a container says that it has none */

struct nm_ending {
    struct nm_end end; /* its strings belong to the two below */
    char *diagnostics, *counters;
    bool no_space; /* the NodeManager's own write failed */
};
/* Is @rc, of nm_files_probe(), the disk's fault? */
bool nm_disk_failed(int rc);
/* False when there is no exit.json: the shim never got to write it.
 *
 * Whether a disk is full is never a container's word: its stderr, its task runner's report and what its shim saw of its
 * logs only make the NodeManager try to write NM_DISK_PROBE_BYTES itself. When that fails too, the end is NM_EXIT_DISK;
 * else it is what exit.json says. Temporary files that filled the disk may be gone by then: the attempt has failed like
 * any other, and the health check sees a disk that stays full. */
bool nm_ending_read(const struct nm_files *f, const struct base_container_id *id, enum nm_kind kind,
                    struct nm_ending *out);
/* An end that no exit.json tells of. */
void nm_ending_say(struct nm_ending *out, int exit_code, int64_t ended_ms, const char *text);
void nm_ending_free(struct nm_ending *e);

#endif
