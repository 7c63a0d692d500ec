/* nodemanager/container/spare.h - folders made in advance, so that a launch does not wait for the file system to find room for
 * a dozen new files: two renames put them in place, and what is placed is whole.
 *
 *    janitor --make, adopt--> spare/<n>.{files,logs,record} --place--> apps/, logs/, records/ --forget--> trash/...
 *                   ^                                                                                        |
 *                   `----------------------------------------------------------------------------------------'
 *
 * When none is left, placing makes one. What an earlier daemon left in spare/ is removed at the start. */
#ifndef CREEL_NODEMANAGER_CONTAINER_SPARE_H
#define CREEL_NODEMANAGER_CONTAINER_SPARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NM_SPARES_MAX  128 /* of each kind */
#define NM_SPARES_MADE 24  /* so many are made anew; the others were used before */
#define NM_SPARES_LOW  12  /* below it the janitor looks for more */

enum nm_spare_kind {
    NM_SPARE_APP,       /* files: token; logs: .running; record: spec.json, forgotten */
    NM_SPARE_CONTAINER, /* files: work/, launch.json; logs: stdout, stderr; record: launch.json and what the shim writes */
    NM_SPARE_KINDS
};
enum nm_spare_part { NM_SPARE_LOGS, NM_SPARE_FILES, NM_SPARE_RECORD, NM_SPARE_PARTS };
struct nm_spares {
    char dir[2048 + 16];
    /* Makes what lies at @path vanish from there at once; false: it is still there. Whatever its
     * size: launches are made on the main thread, so removing it takes place elsewhere. From any
     * thread that calls the functions below. */
    bool (*discard)(void *user, const char *path);
    void *user;
    atomic_llong last; /* number of the newest */
    struct nm_spare_stock {
        int64_t number[NM_SPARES_MAX];
        size_t n;
    } stock[NM_SPARE_KINDS]; /* under the lock of struct nm_files */
};
struct nm_spare_text {
    enum nm_spare_part part;
    const char *name; /* one of the files of the kind */
    const char *text;
    size_t len;
};

/* Makes one and returns its number; 0 or a negative error. */
int nm_spare_make(struct nm_spares *s, enum nm_spare_kind kind, int64_t *number, struct base_error *err);
/* Makes one of kind CONTAINER from the folder @files and the record of a container that left nothing of its own there;
 * their files are written over. -BASE_ESTATE: it did; both are then to be removed, as after every other error. */
int nm_spare_adopt(struct nm_spares *s, const char *files, const char *record, int64_t *number, struct base_error *err);
/* Writes @texts into the spare's files, then gives its folders the names @to. The logs may be there already and then
 * stay. The record comes last and may not be there (-BASE_EEXIST); without one, what lies at @to[NM_SPARE_FILES] was
 * left by a crash and is discarded. After an error the spare is of no use: see nm_spare_drop. */
int nm_spare_place(const struct nm_spares *s, int64_t number, const struct nm_spare_text *texts, size_t texts_n,
                   const char *const to[static NM_SPARE_PARTS], struct base_error *err);
void nm_spare_drop(const struct nm_spares *s, int64_t number);

#endif
