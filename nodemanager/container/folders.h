/* nodemanager/container/folders.h - the NodeManager's local folder, and what a restarted
 * NodeManager learns from it.
 *
 *    state.json                       port of the node id and highest epoch seen (atomic, fsync)
 *    state.json.damaged-<time>        a state.json that could not be read at a start, unchanged
 *    lock                             held by the daemon and its spawner; contains the pid and
 *                                     start time of the daemon
 *    records/<app>/spec.json          user, the application's secret and view ACL (0600)
 *    records/<app>/forgotten          ids of containers whose end the RM has stored, one per line
 *    records/<app>/<container>/       launch.json; pid.json and exit.json of the shim;
 *                                     killed, suspended: marks of orders in force; stopped: the
 *                                     container's master has ordered the kill
 *    apps/<app>/shared/               what containers of a launch context share, such as map
 *                                     outputs; made for the first of them
 *    apps/<app>/sysfs/app.json        the master's document for its containers (daemon/sysfs.h)
 *    apps/<app>/<container>/          launch.json for a task, without secrets; token (0600), which
 *                                     the daemon renews; progress, result.json, failure.json,
 *                                     command.sh, work/ where the command starts,
 *                                     tmp/, output/
 *    logs/<app>/<container>/          stdout, stderr, and files added by the container
 *    logs/<app>/.choice               which logs to keep (logs/log_choice.h), until it is applied
 *    logs/<app>/.running, .ended      .running is renamed to .ended when the application is cleaned
 *                                     up; its logs are then kept for a while
 *    cache/                           local resources (nodemanager/localize/localizer.h)
 *    spare/                           folders made in advance (nodemanager/container/spare.h)
 *    trash/                           folders that are being removed
 *
 * Write access: folders below apps/<app>/ and logs/<app>/ belong to the containers. Their contents
 * are read as untrusted input, only through nm_files_open_plain() and nm_files_open_folder(), which
 * neither block on a FIFO nor follow a link. records/ is written by the NodeManager and the shims;
 * nothing in it is passed to a container, and no path in a container's working folder leads there.
 * Without a launcher this is a convention, not a protection: containers run as the NodeManager's
 * user and can write everywhere in its folder, so records/ is read with the same precautions.
 * Containers that run as their own users cannot enter records/ (0700); nodemanager/exec/exec.h
 * lists who owns which folder then.
 *
 * Names below apps/, records/ and logs/ are always printed from parsed ids, never copied from a
 * request. */
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
#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/logs/ended_logs.h"
#include "nodemanager/container/spare.h"

#define NM_PATH_MAX         4096
#define NM_STDERR_TAIL_MAX  2048  /* bytes of stderr included in diagnostics */
#define NM_FAILURE_TEXT_MAX 16384 /* maximum length of a task's own failure report */

struct nm_files_conf {
    const char *root;
    const char *launcher; /* creel-exec, if containers run as their users, else NULL */
    int64_t retain_s;     /* how long to keep the logs of an ended application */
    /* logs are removed earlier while less than twice these minima are free; 0: not checked */
    int64_t min_free_bytes, min_free_inodes;
};
struct nm_files {
    char root[2048];
    int root_fd, lock_fd;
    const char *launcher;
    struct nm_spawn *helper; /* for the janitor, which has creel-exec remove folders of users */
    int64_t retain_s, tight_bytes, tight_inodes;
    int64_t opened_s; /* wall-clock time of nm_files_open() */
    int64_t trashed;
    pthread_t janitor;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool janitor_runs, stopping, work, low; /* low: more spares are needed */
    struct nm_spares spares;
    struct nm_ended_logs retain; /* protected by lock */
    /* ended applications whose logs are still to be chosen; protected by lock */
    struct base_app_id *choose;
    size_t choose_n, choose_cap;
    /* the application that nm_files_create_app() is creating, and the ended one whose logs the
     * janitor has claimed, never the same one; NULL: none; protected by lock */
    const struct base_app_id *creating, *claimed;
    pthread_cond_t claim_released;
    /* janitor only: applications whose logs were removed early since the last warning */
    size_t early;
    int64_t say_at_s;
};
struct nm_disk_state { /* contents of state.json */
    int64_t epoch, port;
    int64_t hadoop_port, shuffle_port; /* of Hadoop RPC and of the shuffle; 0: none yet */
};

/* Creates the folders and takes the lock; nodemanager/container/local_folder.h describes which
 * folders are refused. Call nm_files_close() even after an error. */
int nm_files_open(struct nm_files *f, const struct nm_files_conf *conf, struct base_error *err);
/* Starts the janitor's thread, so call this after the fork of the spawner. */
int nm_files_start_janitor(struct nm_files *f, struct base_error *err);
void nm_files_close(struct nm_files *f);
/* Reads state.json; zeroes *@out if there is none. A damaged file is renamed with a warning in the
 * log, and counts as none. Fails on other read errors, such as EIO. */
int nm_files_load_state(const struct nm_files *f, struct nm_disk_state *out,
                        struct base_error *err);
int nm_files_save_state(const struct nm_files *f, const struct nm_disk_state *st,
                        struct base_error *err);

/* Format "<root>/apps/<app>/<container>[/<name>]" and the corresponding paths below logs/ and
 * records/; the last two format "<root>/apps/<app>[/<name>]" and the same below records/. @name may
 * be NULL. Return @buf. */
char *nm_path_in_container(const struct nm_files *f, const struct base_container_id *id,
                           const char *name, char buf[static NM_PATH_MAX]);
char *nm_path_in_logs(const struct nm_files *f, const struct base_container_id *id,
                      const char *name, char buf[static NM_PATH_MAX]);
char *nm_path_in_record(const struct nm_files *f, const struct base_container_id *id,
                        const char *name, char buf[static NM_PATH_MAX]);
char *nm_path_in_app(const struct nm_files *f, const struct base_app_id *id, const char *name,
                     char buf[static NM_PATH_MAX]);
char *nm_path_in_app_record(const struct nm_files *f, const struct base_app_id *id,
                            const char *name, char buf[static NM_PATH_MAX]);

/* Opens a plain file at one of the paths above (base/io/plain.h). @flags: O_RDONLY or flags for
 * writing. @st may be NULL. Returns a descriptor, -errno or -BASE_PLAIN_OTHER. Never blocks. */
int nm_files_open_plain(const struct nm_files *f, const char *path, int flags, mode_t mode,
                        struct stat *st);
/* Opens the folder at one of the paths above for listing. Returns what nm_files_open_plain()
 * does. */
int nm_files_open_folder(const struct nm_files *f, const char *path);
/* Appends a whole plain file at one of the paths above to @out. Returns 0, -BASE_ENOTFOUND,
 * -BASE_ELIMIT above @max bytes, or -BASE_EIO. */
int nm_files_read_plain(const struct nm_files *f, const char *path, size_t max,
                        struct base_buf *out, struct base_error *err);

/* Makes @path, one of ours, disappear at once; it is deleted in the background. */
void nm_files_move_to_trash_and_wake(struct nm_files *f, const char *path);

/* Creates the application's folders for files and logs, and its record. @token: the application's
 * secret. Does nothing and returns 0 if the record exists. If the application has ended here before
 * and the janitor is removing some of its logs, waits for that. One thread may call this. */
int nm_files_create_app(struct nm_files *f, const struct base_app_id *id, const char *user,
                        const char *token, const char *acl_view, struct base_error *err);
/* Replaces what an application's record says, which exists. */
int nm_files_update_app(const struct nm_files *f, const struct base_app_id *id, const char *user,
                        const char *token, const char *acl_view, struct base_error *err);
/* Stores which of the application's logs are to be kept (logs/log_choice.h), unless that is stored
 * already. */
int nm_files_save_log_choice(const struct nm_files *f, const struct base_app_id *id,
                             const char *include, const char *exclude, struct base_error *err);
/* Returns true if the application has ended on this node, and its logs are there. */
bool nm_files_has_ended_logs(const struct nm_files *f, const struct base_app_id *id);
/* Returns true if the application has a record. */
bool nm_files_has_app_record(const struct nm_files *f, const struct base_app_id *id);
/* Texts of a new container. */
struct nm_container_texts {
    const char *order; /* launch.json of the record */
    const char *shown; /* launch.json of the container's folder */
    const char *token; /* the container's token */
};
/* Creates the container's folders, and its record with launch.json. Fails with -BASE_EEXIST if the
 * container has a record already. */
int nm_files_create_container(struct nm_files *f, const struct base_container_id *id,
                              const struct nm_container_texts *t, struct base_error *err);
/* Replaces the small file @name in the container's folder while the container runs: a reader finds
 * the old or the new text. */
int nm_files_replace_in_container(const struct nm_files *f, const struct base_container_id *id,
                                  const char *name, const char *bytes, size_t len,
                                  struct base_error *err);
/* Writes a small file into the container's folder before the container starts. Fails with -BASE_EIO
 * if the name exists. */
int nm_files_write_in_container(const struct nm_files *f, const struct base_container_id *id,
                                const char *name, const char *bytes, size_t len,
                                struct base_error *err);
/* Writes a small file into the container's record, without fsync. */
int nm_files_write_mark(const struct nm_files *f, const struct base_container_id *id,
                        const char *name, const char *text, struct base_error *err);
/* Moves the container's record and its folder to trash/, or only tmp/ of the folder if there is a
 * complete map output, which reduces still read. Also appends the id to the list of forgotten ids,
 * for a restart; an error means that the id was not stored, but the folder has been moved
 * nevertheless. */
int nm_files_forget_container(struct nm_files *f, const struct base_container_id *id,
                              struct base_error *err);
/* Calls @each for every id in the application's list of forgotten ids, ignoring lines that are not
 * container ids of the application, a truncated last line, and everything after the first 2,000,000
 * lines. */
void nm_files_for_each_forgotten_id(const struct nm_files *f, const struct base_app_id *id,
                                    void (*each)(const struct base_container_id *id, void *u),
                                    void *u);
void nm_files_remove_mark(const struct nm_files *f, const struct base_container_id *id,
                          const char *name);
/* Returns true if the node has logs of the application, and they have never been marked as those of
 * an ended application. */
bool nm_files_has_unended_logs(const struct nm_files *f, const struct base_app_id *id);
/* Moves the application's folders to trash/, from which they are deleted in the background. With
 * @keep_logs its logs stay, marked as those of an application that has ended now. */
void nm_files_cleanup_app(struct nm_files *f, const struct base_app_id *id, bool keep_logs);

struct nm_pid_file {
    char boot_id[64];
    int64_t shim, shim_start;
    char isolation[64]; /* the isolation of the shim; "" in files of earlier versions */
    char place[NM_ISOLATION_PLACE_MAX]; /* the isolation's place */
    char user[256]; /* as whom creel-exec runs the container; "": as the NodeManager's user */
};
struct nm_exit_file {
    int64_t exit_code, signal, started_us, ended_us, cpu_ms, max_rss_kb;
    int64_t pid;    /* of the command */
    char limit[16]; /* the limit that ended the container: "memory" or "disk"; "": none did */
    int64_t limit_bytes;
    char reason[256];
};
struct nm_result_file {
    char *counters; /* JSON object or NULL; the caller frees it */
    int64_t output_bytes;
};
struct nm_failure_file {
    bool no_space;
    char *diagnostics; /* at most NM_FAILURE_TEXT_MAX bytes; the caller frees it */
};
struct nm_progress_file {
    double progress;
    char phase[16];
    char *counters; /* JSON object or NULL; the caller frees it */
};
/* Return 0, -BASE_ENOTFOUND or -BASE_ECORRUPT. */
int nm_files_read_pid(const struct nm_files *f, const struct base_container_id *id,
                      struct nm_pid_file *out);
int nm_files_read_exit(const struct nm_files *f, const struct base_container_id *id,
                       struct nm_exit_file *out);
int nm_files_read_result(const struct nm_files *f, const struct base_container_id *id,
                         struct nm_result_file *out);
int nm_files_read_failure(const struct nm_files *f, const struct base_container_id *id,
                          struct nm_failure_file *out);
/* Returns 1 if the file's time of modification differs from *@mtime_ns, which is then updated, and
 * its text can be parsed; otherwise 0. */
int nm_files_read_progress(const struct nm_files *f, const struct base_container_id *id,
                           int64_t *mtime_ns, struct nm_progress_file *out);
/* Parses {"progress":..} or a plain number, which is a percentage if it exceeds 1 or ends with "%";
 * the result is limited to the range from 0 to 1. @text must be NUL-terminated. Returns false for
 * anything else. */
bool nm_progress_parse(const char *text, size_t len, struct nm_progress_file *out);
/* Appends the last lines of stderr, at most NM_STDERR_TAIL_MAX bytes, as valid UTF-8; begins with a
 * complete line if possible. */
void nm_files_append_stderr_tail(const struct nm_files *f, const struct base_container_id *id,
                                 struct base_buf *out);

/* Calls @app for each application's record, followed by @container for each container in it;
 * otherwise in no particular order. Application folders without a record are moved to trash/.
 * Returns 0, or -BASE_EIO if records/ cannot be read. */
int nm_files_scan_records(struct nm_files *f, void (*app)(const struct base_app_id *id, void *u),
                          void (*container)(const struct base_container_id *id, void *u), void *u,
                          struct base_error *err);
/* Returns true if the container's record contains the mark @name. */
bool nm_files_has_mark(const struct nm_files *f, const struct base_container_id *id,
                       const char *name);

struct nm_files_free_space {
    /* free space and inodes where containers write; -1: unknown or without a limit */
    int64_t bytes, inodes;
};
void nm_files_get_free_space(const struct nm_files *f, struct nm_files_free_space *out);
/* Tests whether @bytes can be stored: allocates them in a temporary file without a name, writes the
 * first 64 KiB (all bytes if the file system cannot allocate), and closes the file, which frees
 * them. Returns 0 or -errno. */
int nm_files_probe_disk_write(const struct nm_files *f, size_t bytes);

/* Replaces invalid UTF-8 by '?' and NULs by spaces, in place. s[len] must be 0. */
void nm_utf8_replace_invalid(char *s, size_t len);

#endif
