/* nodemanager/shuffle/output.h - opens the outputs of MapReduce's maps, in the folder that they
 * share with the other containers of their application (LOCAL_DIRS).
 *
 *    apps/<app>/shared/output/<attempt>/file.out         the parts for all reduces, one after the
 *                                                        other
 *    apps/<app>/shared/output/<attempt>/file.out.index   (index.h)
 *
 * Containers can write there: no link is followed, and a file that does not belong to the owner of
 * shared/, which is the application's user or, without creel-exec, ours, is not opened. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_OUTPUT_H
#define CREEL_NODEMANAGER_SHUFFLE_OUTPUT_H

#include "nodemanager/container/folders.h"
#include "nodemanager/shuffle/index.h"
#include "nodemanager/shuffle/request.h"

/* Bytes of indexes that are read for one request: 20 of the largest, as many as reducers ask for.
 */
#define NM_SHUFFLE_INDEXES_MAX (INT64_C(512) << 20)

struct nm_shuffle_outputs { /* of an application */
    int folder;             /* shared/output; -1: not open */
    uid_t owner;
    int64_t index_bytes; /* of the indexes read so far; the same index counts each time */
};
/* Opens the folder. Returns 0 or a negative BASE_E*; then there is nothing to close. */
int nm_shuffle_outputs_open(const struct nm_files *files, const struct base_app_id *app,
                            struct nm_shuffle_outputs *out, struct base_error *err);
void nm_shuffle_outputs_close(struct nm_shuffle_outputs *o);
/* Opens file.out of a checked @attempt. Returns a descriptor or a negative BASE_E*. */
int nm_shuffle_output_open(struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                           struct base_error *err);
/* The same, and finds the part of @reduce. Returns -BASE_ELIMIT when the indexes together exceed
 * NM_SHUFFLE_INDEXES_MAX. */
int nm_shuffle_output_open_part(struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                                int32_t reduce, struct nm_shuffle_part *part,
                                struct base_error *err);

#endif
