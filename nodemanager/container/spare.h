/* nodemanager/container/spare.h - folders made in advance. A launch then does not wait for the file
 * system to create a dozen files: renames put the folders in place, complete from the start.
 *
 *    janitor --make, adopt--> spare/<n>.{files,logs,record} --place--> apps/, logs/, records/
 *                   ^                                                        |
 *                   `----------- trash/... <---------------forget------------'
 *
 * If no spare is left, the launch makes one. Whatever an earlier daemon left in spare/ is removed
 * at the start. */
#ifndef CREEL_NODEMANAGER_CONTAINER_SPARE_H
#define CREEL_NODEMANAGER_CONTAINER_SPARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define NM_SPARES_MAX  128 /* largest number of spares per kind, reused ones included */
#define NM_SPARES_MADE 24  /* number up to which the janitor makes new spares */
#define NM_SPARES_LOW  12  /* number below which the janitor is woken to make more */

enum nm_spare_kind {
    NM_SPARE_APP, /* logs: .running; record: spec.json, forgotten */
    /* files: work/, launch.json, token; logs: stdout, stderr; record: launch.json and the shim's
       files */
    NM_SPARE_CONTAINER,
    NM_SPARE_KINDS
};
enum nm_spare_part { NM_SPARE_LOGS, NM_SPARE_FILES, NM_SPARE_RECORD, NM_SPARE_PARTS };
struct nm_spares {
    char dir[2048 + 16];
    mode_t app_mode; /* of an application's folders for files and logs; 0: 0700 */
    /* Makes @path disappear at once; returns false if it did not exist or could not be moved. Must
     * take constant time whatever the size of @path, because launches happen on the main thread.
     * Called from any thread that calls the functions below. */
    bool (*discard)(void *user, const char *path);
    void *user;
    atomic_llong last; /* number of the newest spare */
    struct nm_spare_stock {
        int64_t number[NM_SPARES_MAX];
        size_t n;
    } stock[NM_SPARE_KINDS]; /* protected by the lock of struct nm_files */
};
struct nm_spare_text {
    enum nm_spare_part part;
    const char *name; /* one of the files that a spare of its kind has */
    const char *text;
    size_t len;
};

/* Makes a spare and sets *@number. Returns 0 or a negative error. */
int nm_spare_make(struct nm_spares *s, enum nm_spare_kind kind, int64_t *number,
                  struct base_error *err);
/* Makes a spare of kind CONTAINER from the folder @files and the record of an ended container that
 * added no files of its own; the existing files will be overwritten. Fails with -BASE_ESTATE if the
 * container did add files or changed the mode of one. After any error the caller must remove
 * both. */
int nm_spare_adopt(struct nm_spares *s, const char *files, const char *record, int64_t *number,
                   struct base_error *err);
/* Writes @texts into the spare's files, then renames its folders to @to. Existing logs stay. The
 * record is moved last and must not exist (-BASE_EEXIST); as there is no record, anything at
 * @to[NM_SPARE_FILES] was left by a crash and is discarded. After an error the spare is unusable:
 * call nm_spare_discard(). */
int nm_spare_place(const struct nm_spares *s, int64_t number, const struct nm_spare_text *texts,
                   size_t texts_n, const char *const to[static NM_SPARE_PARTS],
                   struct base_error *err);
void nm_spare_discard(const struct nm_spares *s, int64_t number);

#endif
