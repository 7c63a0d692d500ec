/* nodemanager/container/exit.h - determines how a container ended, from exit.json, result.json,
 * failure.json and the container's stderr. */
#ifndef CREEL_NODEMANAGER_CONTAINER_EXIT_H
#define CREEL_NODEMANAGER_CONTAINER_EXIT_H

#include "nodemanager/container/folders.h"
#include "nodemanager/core/core.h"

#define NM_NO_SPACE_TEXT "No space left on device"
/* EX_IOERR: the command succeeded, but its output could not be written completely */
#define NM_EXIT_OUTPUT_LOST 74
/* space a disk must have left to contradict a container that reports a full disk */
#define NM_DISK_PROBE_BYTES (8 << 20)

struct nm_ending {
    struct nm_end end; /* its strings point to the members below, which own them */
    char *diagnostics, *counters;
    bool no_space; /* the exit code is NM_EXIT_DISK */
};
/* Returns true if @rc, a result of nm_files_probe_disk_write(), shows that the disk is full,
 * read-only or failing. */
bool nm_is_disk_failure(int rc);
/* Reads how a container ended. Returns false if there is no readable exit.json: the container has
 * not ended, or its shim was killed or could not write the file.
 *
 * A container's claim that the disk is full is not trusted. Such a claim in its stderr, its task's
 * report or the shim's report only makes the NodeManager try to allocate NM_DISK_PROBE_BYTES
 * itself. If the disk refuses that too, the exit code is NM_EXIT_DISK. Otherwise the exit code of
 * exit.json stands, but a command that succeeded and lost output gets NM_EXIT_OUTPUT_LOST.
 * Temporary files that filled the disk may be gone by then; the attempt has then failed like any
 * other. The health check finds a disk that stays full. After true, call nm_ending_free(). */
bool nm_ending_read(const struct nm_files *f, const struct base_container_id *id,
                    enum base_container_kind kind, struct nm_ending *out);
/* Describes the end of a container for which there is no exit.json. An @exit_code from 129 to 192
 * (128 + n) also sets signal n. Call nm_ending_free() afterwards. */
void nm_ending_set(struct nm_ending *out, int exit_code, int64_t ended_ms, const char *text);
void nm_ending_free(struct nm_ending *e);

#endif
