/* nodemanager/container/folders.h - the NodeManager's local folder, and what a restarted NodeManager learns from it.
 *
 *    state.json                       node id's port and the highest epoch seen (atomic, fsync)
 *    state.json.damaged-<time>        one that could not be read at a start, as it was found
 *    lock                             held by the daemon and its spawner; the daemon's process id
 *    records/<app>/spec.json          user and token (0600)
 *    records/<app>/forgotten          ids of containers the RM has stored the end of, one a line
 *    records/<app>/<container>/       launch.json; pid.json, exit.json of the shim;
 *                                     killed, suspended: marks of orders that were carried out
 *    apps/<app>/token                 for the containers to read (0600)
 *    apps/<app>/<container>/          launch.json for a task runner, progress, result.json, failure.json,
 *                                     work/ where the command starts, tmp/, output/
 *    logs/<app>/<container>/          stdout, stderr, and what the container adds
 *    logs/<app>/.running, .ended      .ended: the application was cleaned up then; its logs are kept for a while
 *    spare/                           folders made in advance (nodemanager/container/spare.h)
 *    trash/                           what is being removed
 *
 * Who may write where. Folders below apps/<app>/ and logs/<app>/ are the containers' own: whatever lies in them is read
 * as the work of strangers, through nm_files_open_plain() alone, which neither waits on a FIFO nor follows a link.
 * records/ is written by the NodeManager and the shims; nothing there is ever handed to a container, and no container's
 * working folder leads to it by name. Today that is order, not protection: containers run as the NodeManager's user and
 * can write all of its folder; so what is read from records/ is checked in the same way. Once containers run as their
 * users, records/ (0700) and everything beside apps/<app>/<container>/ and logs/<app>/<container>/ is out of their reach.
 *
 * Names below apps/, records/ and logs/ are printed from parsed ids only, never taken from a request. */
#ifndef CREEL_NODEMANAGER_CONTAINER_FOLDERS_H
#define CREEL_NODEMANAGER_CONTAINER_FOLDERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "nodemanager/container/ended_logs.h"
#include "nodemanager/container/spare.h"

#define NM_PATH_MAX         4096
#define NM_STDERR_TAIL_MAX  2048  /* bytes of stderr that go into diagnostics */
#define NM_FAILURE_TEXT_MAX 16384 /* bytes of a task's own story */

struct nm_files_conf {
    const char *root;
    int64_t retain_s;                        /* logs of an ended application are kept for so long ... */
    int64_t min_free_bytes, min_free_inodes; /* ... unless less than twice as much is left; 0: not looked at */
};
struct nm_files {
    char root[2048];
    int root_fd, lock_fd;
    int64_t retain_s, tight_bytes, tight_inodes;
    int64_t opened_s; /* wall clock */
    int64_t trashed;
    pthread_t janitor;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool janitor_runs, stopping, work, low; /* low: spares are wanted */
    struct nm_spares spares;
    struct nm_retain retain; /* under lock */
    size_t early;            /* the janitor's own: removed before their time and not told yet */
    int64_t say_at_s;
};
struct nm_disk_state { /* state.json */
    int64_t epoch, port;
};

/* Makes the folders and takes the lock: see nodemanager/container/local_folder.h for what is refused. nm_files_close() also after an error. */
int nm_files_open(struct nm_files *f, const struct nm_files_conf *conf, struct base_error *err);
int nm_files_start_janitor(struct nm_files *f, struct base_error *err); /* a thread: after the spawner's fork */
void nm_files_close(struct nm_files *f);
/* All zero where there is none. A damaged one is kept aside, with a line in the log, and counts as
 * none. */
int nm_files_load(const struct nm_files *f, struct nm_disk_state *out, struct base_error *err);
int nm_files_save(const struct nm_files *f, const struct nm_disk_state *st, struct base_error *err);

/* "<root>/apps/<app>/<container>[/<name>]" and the same below records and logs; returns @buf. */
char *nm_path_container(const struct nm_files *f, const struct base_container_id *id, const char *name,
                        char buf[static NM_PATH_MAX]);
char *nm_path_logs(const struct nm_files *f, const struct base_container_id *id, const char *name,
                   char buf[static NM_PATH_MAX]);
char *nm_path_record(const struct nm_files *f, const struct base_container_id *id, const char *name,
                     char buf[static NM_PATH_MAX]);
char *nm_path_app(const struct nm_files *f, const struct base_app_id *id, const char *name,
                  char buf[static NM_PATH_MAX]);

char *nm_path_app_record(const struct nm_files *f, const struct base_app_id *id, const char *name,
                         char buf[static NM_PATH_MAX]);

/* Opens a plain file at one of the paths above (base/io/plain.h): @flags O_RDONLY or what writing needs. A descriptor,
 * -errno or -BASE_PLAIN_OTHER; *@st may be NULL. Never waits. */
int nm_files_open_plain(const struct nm_files *f, const char *path, int flags, mode_t mode, struct stat *st);
/* The folder at one of the paths above, for its entries, likewise. */
int nm_files_open_folder(const struct nm_files *f, const char *path);
/* Whole plain file at one of the paths above: 0, -BASE_ENOTFOUND, -BASE_ELIMIT over @max, -BASE_EIO. */
int nm_files_read(const struct nm_files *f, const char *path, size_t max, struct base_buf *out,
                  struct base_error *err);

/* The application's folder with its token, and its record; nothing to do when they are there. */
int nm_files_app(struct nm_files *f, const struct base_app_id *id, const char *user, const char *token,
                 struct base_error *err);
bool nm_files_has_app(const struct nm_files *f, const struct base_app_id *id); /* it has a record */
/* The container's folders and its record with launch.json; -BASE_EEXIST: it has a record already. */
int nm_files_launch(struct nm_files *f, const struct base_container_id *id, const char *launch, size_t len,
                    struct base_error *err);
/* Small file in the container's folder before the container starts: -BASE_EIO when something is there. */
int nm_files_put(const struct nm_files *f, const struct base_container_id *id, const char *name, const char *text,
                 struct base_error *err);
/* Small file in the container's record, no fsync. */
int nm_files_mark(const struct nm_files *f, const struct base_container_id *id, const char *name, const char *text,
                  struct base_error *err);
/* Removes the container's folder, but only its tmp/ where a map's output is whole: reduces read it. Keeps the id for a
 * restart; an error says that this was not possible, the folder is gone all the same. */
int nm_files_forget(struct nm_files *f, const struct base_container_id *id, struct base_error *err);
/* Calls @each for the ids kept so; a last line that was cut is left out. */
void nm_files_forgotten(const struct nm_files *f, const struct base_app_id *id,
                        void (*each)(const struct base_container_id *id, void *u), void *u);
void nm_files_unmark(const struct nm_files *f, const struct base_container_id *id, const char *name);
/* Out of sight at once, removed in the background. */
void nm_files_cleanup(struct nm_files *f, const struct base_app_id *id, bool keep_logs);

struct nm_pid_file {
    char boot_id[64];
    int64_t shim, shim_start;
    char isolation[64]; /* that the shim was started with; "" in a file of an earlier version */
};
struct nm_exit_file {
    int64_t exit_code, signal, started_us, ended_us, cpu_ms, max_rss_kb;
    char reason[256];
};
struct nm_result_file {
    char *counters; /* JSON object or NULL; caller frees */
    int64_t output_bytes;
};
struct nm_failure_file {
    bool no_space;
    char *diagnostics; /* at most NM_FAILURE_TEXT_MAX bytes; caller frees */
};
struct nm_progress_file {
    double progress;
    char phase[16];
    char *counters; /* caller frees */
};
/* 0, -BASE_ENOTFOUND, or -BASE_ECORRUPT. */
int nm_files_pid(const struct nm_files *f, const struct base_container_id *id, struct nm_pid_file *out);
int nm_files_exit(const struct nm_files *f, const struct base_container_id *id, struct nm_exit_file *out);
int nm_files_result(const struct nm_files *f, const struct base_container_id *id, struct nm_result_file *out);
int nm_files_failure(const struct nm_files *f, const struct base_container_id *id, struct nm_failure_file *out);
/* 1 when it changed since *@mtime_ns (updated), 0 otherwise. */
int nm_files_progress(const struct nm_files *f, const struct base_container_id *id, int64_t *mtime_ns,
                      struct nm_progress_file *out);
/* {"progress":..} or a plain number: 0..1, more or with "%": percent. False when it is neither. */
bool nm_progress_parse(const char *text, size_t len, struct nm_progress_file *out);
/* The last whole lines of stderr, valid UTF-8, appended. */
void nm_files_stderr_tail(const struct nm_files *f, const struct base_container_id *id, struct base_buf *out);

/* Calls @app for every application's record and @container for every container's in it (any order but by
 * application). Folders without a record are moved to trash/. */
int nm_files_scan(struct nm_files *f, void (*app)(const struct base_app_id *id, void *u),
                  void (*container)(const struct base_container_id *id, void *u), void *u, struct base_error *err);
bool nm_files_marked(const struct nm_files *f, const struct base_container_id *id, const char *name);

struct nm_files_room {
    int64_t bytes, inodes; /* left for us where containers write; -1: cannot be told, or the file system has no limit */
};
void nm_files_room(const struct nm_files *f, struct nm_files_room *out);
/* Takes @bytes in a file that nobody else can name, writes its first block, and gives them back: 0
 * or -errno. */
int nm_files_probe(const struct nm_files *f, size_t bytes);

/* Replaces what is not UTF-8 by '?', and NULs by spaces; in place. s[len] must be 0. */
void nm_utf8_clean(char *s, size_t len);

#endif
