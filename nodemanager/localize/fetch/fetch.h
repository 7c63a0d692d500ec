/* nodemanager/localize/fetch/fetch.h - creel-localize: the process that copies one local resource
 * into the node's cache.
 *
 *   creel-localize DIR URL TYPE PATTERN SIZE TIMESTAMP MAX SECONDS ACCESS ROOT OWN CA \
 *                  USER HDFS
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
 *   USER       in whose name HDFS is asked
 *   HDFS       where name nodes speak HTTP: see webhdfs.c
 *
 * Writes DIR/data/NAME, where NAME is the last part of the URL's path, and at the end either
 * DIR/done ("BYTES NAME\n"), DIR/failure (a text for the container's diagnostics), or the same kind
 * of text in DIR/late, which is empty before, when SECONDS have passed. If none of these files has
 * any text at the end, the process was killed. It never writes outside DIR, whatever the arguments.
 *
 * A separate process keeps slow servers and hostile archives from harming the NodeManager; it ends
 * when the NodeManager ends.
 *
 * A resource of the type file may be a folder, of which all files and folders are copied.
 *
 * As in YARN a file's time must be exactly TIMESTAMP; so must that of a file in HDFS. A server
 * reports times in seconds, if at all, so for resources of servers a TIMESTAMP of 0, the only one
 * that YARN accepts there, is not checked. */
#ifndef CREEL_NODEMANAGER_LOCALIZE_FETCH_FETCH_H
#define CREEL_NODEMANAGER_LOCALIZE_FETCH_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

#define FETCH_ENTRIES_MAX 200000 /* members of an archive, or what is in a folder */
#define FETCH_ENTRY_BYTES 4096   /* charged for each member besides its bytes */

enum fetch_type { FETCH_FILE, FETCH_ARCHIVE, FETCH_PATTERN };
struct fetch {
    const char *url;
    enum fetch_type type;
    const char *pattern; /* "": none */
    int64_t size, timestamp_ms, max_bytes;
    const char *root, *own, *user, *hdfs;
    int dir_fd, data_fd; /* DIR and DIR/data */
    char name[256];
    int64_t bytes;   /* written so far */
    int64_t entries; /* files and folders of a folder, copied so far */
    mode_t file_mode;
    bool shared_only; /* a file of this host must be readable by everybody */
};

/* What fetch_open_source() has found. */
enum fetch_source {
    FETCH_ON_HOST,    /* a file or a folder of this host */
    FETCH_DOWNLOADED, /* a file that has been downloaded: DIR/download */
    FETCH_COPIED      /* a folder that has been downloaded: DIR/data/NAME, complete */
};
/* Opens the resource for reading, after downloading it into DIR if it is remote, sets f->name, and
 * checks size and time. Returns a descriptor at the beginning of a plain file or of a folder, or a
 * negative BASE_E*. */
int fetch_open_source(struct fetch *f, enum fetch_source *found, struct base_error *err);
/* Checks the resource's size and time against those that it must have. @at_ms: when it was changed,
 * FETCH_TIME_UNKNOWN_MS: its server does not say; @same_time: whether that is right. Returns 0 or
 * -BASE_ESTATE. */
#define FETCH_TIME_UNKNOWN_MS (-1000)
int fetch_check_size_and_time(const struct fetch *f, int64_t size, int64_t at_ms, bool same_time,
                              struct base_error *err);

/* Opens a file or a folder of this host, as fetch_open_source() does. */
int fetch_open_local(struct fetch *f, const char *path, struct base_error *err);
/* Copies all of plain file @from to the new file @name in folder @to. Returns 0 or a negative
 * BASE_E*. */
int fetch_copy_to_file(struct fetch *f, int from, int to, const char *name, struct base_error *err);
/* Copies folder @from, as it was returned by fetch_open_local(), to the new folder DIR/data/NAME,
 * wherever links in it lead. */
int fetch_copy_local_folder(struct fetch *f, int from, struct base_error *err);
/* Charges a file or folder that is about to be made @depth folders below the resource. Returns 0 or
 * -BASE_ELIMIT. */
int fetch_charge_entry(struct fetch *f, int depth, struct base_error *err);
/* Makes folder @name in @in. Returns its descriptor or a negative BASE_E*. */
int fetch_make_folder(struct fetch *f, int in, const char *name, struct base_error *err);

/* Where a download goes: a file, or memory. */
struct fetch_sink {
    int fd; /* -1: memory */
    struct base_buf *memory;
    int64_t bytes, max_bytes; /* received, and at most */
    long status;              /* of HTTP */
    int64_t changed_s;        /* Last-Modified; -1: not given */
};
/* Downloads @url, of http or https. Returns 0 when the server has answered at all, with
 * sink->status set, or a negative BASE_E*. Follows redirects to servers only, from https only to
 * https. What comes with a status of 400 or more goes to sink->memory, if there is one, otherwise
 * nowhere. */
int fetch_download(struct fetch *f, const char *url, struct fetch_sink *sink,
                   struct base_error *err);
/* Downloads the resource into DIR/download, and opens it. */
int fetch_open_remote(struct fetch *f, struct base_error *err);
/* Makes DIR/download. Returns its descriptor or a negative BASE_E*. */
int fetch_make_download(struct fetch *f, struct base_error *err);
/* Downloads a file of HDFS into DIR/download, and opens it; or a folder into DIR/data/NAME. */
int fetch_open_hdfs(struct fetch *f, enum fetch_source *found, struct base_error *err);

/* Returns true when the resource is to be unpacked, which its type and, as in YARN, its name
 * decide. */
bool fetch_is_archive(const struct fetch *f);
/* Unpacks the archive @from into the new folder DIR/data/NAME, as members and links that stay in
 * it. Refuses the whole archive for any other member. Returns 0 or a negative BASE_E*. */
int fetch_unpack(struct fetch *f, int from, struct base_error *err);
/* Counts @bytes against f->max_bytes. Returns 0 or -BASE_ELIMIT. */
int fetch_charge_bytes(struct fetch *f, int64_t bytes, struct base_error *err);

#endif
