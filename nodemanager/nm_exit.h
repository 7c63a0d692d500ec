/* nodemanager/nm_exit.h - how a container ended, put together from exit.json, result.json, failure.json and its
 * stderr. */
#ifndef CREEL_NM_EXIT_H
#define CREEL_NM_EXIT_H

#include "nodemanager/core/nm_core.h"
#include "nodemanager/nm_files.h"

#define NM_NO_SPACE_TEXT "No space left on device"

struct nm_ending {
    struct nm_end end; /* its strings belong to the two below */
    char *diagnostics, *counters;
    bool no_space;
};
/* False when there is no exit.json: the shim never got to write it. */
bool nm_ending_read(const struct nm_files *f, const struct base_container_id *id, enum nm_kind kind,
                    struct nm_ending *out);
/* An end that no exit.json tells of. */
void nm_ending_say(struct nm_ending *out, int exit_code, int64_t ended_ms, const char *text);
void nm_ending_free(struct nm_ending *e);

#endif
