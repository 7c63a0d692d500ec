/* nodemanager/localize/fetch/fetch.h - creel-localize: the process that copies one local resource
 * into the node's cache.
 *
 *   creel-localize DIR URL TYPE PATTERN SIZE TIMESTAMP MAX SECONDS ACCESS ROOT OWN CA
 *
 *   DIR        folder of the cache for this resource; empty but for the NodeManager's own file
 *   TYPE       file, archive or pattern
 *   PATTERN    for the type pattern: unpacks the members of a jar whose whole names match it
 *              (base/text/java_regex.h); empty, or not understood: all are unpacked
 *   SIZE       bytes that the resource must have; 0 or less: not checked
 *   TIMESTAMP  its required modification time, in ms since 1970; checked as below
 *   MAX        most bytes that the resource may take, downloaded or unpacked
 *   SECONDS    most time that this process may take
 *   ACCESS     public or private: the mode of the files; shared: as public, and a file of this host
 *              must be one that everybody may read
 *   ROOT, OWN  the NodeManager's local folder, from which nothing is copied, except from OWN
 *   CA         file of authorities by which https servers are recognised besides those of the
 *              system; empty: none
 *
 * Writes DIR/data/NAME, where NAME is the last part of the URL's path, and at the end either
 * DIR/done ("BYTES NAME\n"), DIR/failure (a text for the container's diagnostics), or the same kind
 * of text in DIR/late, which is empty before, when SECONDS have passed. If none of these files has
 * any text at the end, the process was killed. It never writes outside DIR, whatever the arguments.
 *
 * A separate process keeps slow servers and hostile archives from harming the NodeManager; it ends
 * when the NodeManager ends.
 *
 * As in YARN a file's time must be exactly TIMESTAMP. A server reports times in seconds, if at all,
 * so for resources of servers a TIMESTAMP of 0, the only one that YARN accepts there, is not
 * checked. */
#ifndef CREEL_NODEMANAGER_LOCALIZE_FETCH_FETCH_H
#define CREEL_NODEMANAGER_LOCALIZE_FETCH_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define FETCH_ENTRIES_MAX 200000 /* members of an archive */
#define FETCH_ENTRY_BYTES 4096   /* charged for each member besides its bytes */

enum fetch_type { FETCH_FILE, FETCH_ARCHIVE, FETCH_PATTERN };
struct fetch {
    const char *url;
    enum fetch_type type;
    const char *pattern; /* "": none */
    int64_t size, timestamp_ms, max_bytes;
    const char *root, *own;
    int dir_fd, data_fd; /* DIR and DIR/data */
    char name[256];
    int64_t bytes; /* written so far */
    mode_t file_mode;
    bool shared_only; /* a file of this host must be readable by everybody */
};

/* Opens the resource for reading, after downloading it into DIR if it is remote, sets f->name, and
 * checks size and time. Returns a descriptor of a plain file, at its beginning, or a negative
 * BASE_E*. *@in_dir becomes true when that file is DIR/download. */
int fetch_open_source(struct fetch *f, bool *in_dir, struct base_error *err);
/* Copies all of plain file @from to the new file @name in folder @to. Returns 0 or a negative
 * BASE_E*. */
int fetch_copy_to_file(struct fetch *f, int from, int to, const char *name, struct base_error *err);
/* Returns true when the resource is to be unpacked, which its type and, as in YARN, its name
 * decide. */
bool fetch_is_archive(const struct fetch *f);
/* Unpacks the archive @from into the new folder DIR/data/NAME, as members and links that stay in
 * it. Refuses the whole archive for any other member. Returns 0 or a negative BASE_E*. */
int fetch_unpack(struct fetch *f, int from, struct base_error *err);
/* Counts @bytes against f->max_bytes. Returns 0 or -BASE_ELIMIT. */
int fetch_charge_bytes(struct fetch *f, int64_t bytes, struct base_error *err);

#endif
