/* nodemanager/exec/exec.h - creel-exec: the setuid program by which a NodeManager, which is not
 * root, runs containers as their users. SOURCE: the tasks of YARN's container-executor.
 *
 *   creel-exec launch USER APP CONTAINER           run the command read from stdin as USER, in the
 *                                                  container's folder
 *   creel-exec localize USER NUMBER PROGRAM ARG..  run PROGRAM as USER, in cache/NUMBER/own
 *   creel-exec signal USER SHIM SIGNAL             signal the user's processes below that shim
 *   creel-exec kill USER CONTAINER SESSION SPAWNER kill the processes that a dead shim has left
 *   creel-exec delete PATH                         empty a folder below trash/ that is a user's
 *   creel-exec read USER APP CONTAINER             make the container's folders and logs readable
 *                                                  for the NodeManager
 *   creel-exec measure USER APP CONTAINER MB       tell whether folders and logs together take more
 *                                                  than MB megabytes
 *
 * Exit status:
 *
 *   launch    that of the command; if a signal ended the command, the same signal ends creel-exec
 *   localize  that of PROGRAM
 *   signal    0, or EXEC_NONE if no process was reached
 *   kill      0 if no process is left, else 1
 *   delete    0, or EXEC_NONE if something is left
 *   read      0
 *   measure   0, or EXEC_NONE if it is more
 *   each      EXEC_REFUSED after an error, whose text is written to descriptor 3 if that is open
 *             for writing, else to stderr
 *
 * Who is parent of whom, and as which users (real, effective, saved); n: the NodeManager's user:
 *
 *   creel-nm n,n,n
 *     `- spawner n,n,n
 *          `- creel-shim n,n,n            owns records/.../exit.json; subreaper of all below it
 *               `- creel-exec n,user,n    "monitor": waits, and passes on how the command ended
 *                    `- command user,user,user --- whatever it starts
 *
 *   - The shim may not signal the user's processes, and no user's process may signal the shim or
 *     the monitor: the saved and real ids of these are n. The kernel kills the monitor when the
 *     shim dies, and the command when the monitor dies (PR_SET_PDEATHSIG checks permissions as
 *     kill() does: shim and monitor share the real id, the monitor has the user as effective id).
 *   - The NodeManager sends its orders to the shim, as a queued real-time signal with a value
 *     (enum exec_order). The shim carries them out by the isolation and by "creel-exec signal",
 *     which runs as n,user,n, too: with the rights of the user, but out of his reach.
 *   - localize runs its program as user,user,user, without a monitor.
 *   - signal, kill, delete, read and measure do their work as n,user,n, so none can do more than
 *     the user himself. They are in a program of their own without privileges, creel-user
 *     (user/user.h), which this one executes.
 *   - As root this program only reads its configuration, opens folders, gives files of the
 *     NodeManager to a user and, for a launch with a private /tmp, mounts the container's folder
 *     tmp as /tmp and /var/tmp in a mount namespace of its own.
 *
 * Whose folders they are (g: the NodeManager's primary group, of which no user is a member):
 *
 *   LOCAL/                      n:g   0711   opened from the root, step by step, without links
 *   LOCAL/records, spare, trash n:g   0700   closed to users
 *   LOCAL/apps, logs, cache     n:g   0711   passed through by name only
 *   apps/<app>, logs/<app>      n:g   0711   so containers can neither be added nor replaced
 *   apps/<app>/shared           user:g 2770  made by the NodeManager as n:g 0700, empty; the first
 *                                            launch that finds it gives it to the user
 *   apps/<app>/<container>      user:g 2770  made by the NodeManager as n:g 0700; launch gives it
 *   logs/<app>/<container>      user:g 2770  with all that is in it, folders last, to the user
 *   cache/<n>                   n:g   0755   one folder for each resource
 *   cache/<n>/own               user:g 2770  a PRIVATE or APPLICATION resource; localize gives it
 *
 * What a container writes has the group g (setgid folders) and is readable for it (umask 027), so
 * the NodeManager reads results, logs and map outputs as before: by descriptor, following no link,
 * never blocking. At the container's end the shim has "read" add that permission if a program
 * has taken it from a log. A user can lock the NodeManager out of his folder again; that hides only
 * what is his.
 *
 * The life of a container:
 *
 *   folders made (n) --launch: given--> command runs (user) --ends--> read (user) --> exit.json (n)
 *        |                  |                                                            |
 *        |                  `-- refused: unknown or banned user, folder not as above:    |
 *        |                      exit.json with the reason, exit code 126                 v
 *        `-- moved to trash/ (n: group-writable, or with the application's folder) <-- forgotten
 *                 |
 *                 `--delete: emptied (user)--> removed (n)
 *
 * A restarted NodeManager finds the shim in pid.json, which also names the user; if the shim is
 * gone, "kill" ends the processes that it left. A user may change his folders at any time during
 * all this.
 *
 * Whom it trusts: root and its configuration, EXEC_CONF, a file of root that only root can write,
 * in folders of the same kind. Not its caller: though only n may call it, n may have been taken
 * over. Such a caller can run, signal and delete as any user that the configuration allows, never
 * as root, as a system user or as a banned one; and it can give away only files of its own. */
#ifndef CREEL_NODEMANAGER_EXEC_EXEC_H
#define CREEL_NODEMANAGER_EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodemanager/exec/orders.h"

#define EXEC_TEXT_MAX    (16 << 20) /* bytes of a launch text */
#define EXEC_DEPTH_MAX   100        /* levels of folders that are given */
#define EXEC_BANNED_MAX  4096       /* bytes of a list in the configuration */
#define EXEC_PATH_MAX    4096
#define EXEC_ID_TEXT_MAX 128
#define EXEC_GROUPS_MAX  1024

struct exec_conf {
    char nm_user[256], local_dir[EXEC_PATH_MAX];
    char banned[EXEC_BANNED_MAX], allowed[EXEC_BANNED_MAX]; /* names, separated by commas */
    int64_t min_user_id;
    bool no_new_privileges, seccomp, private_tmp;
    uid_t nm_uid;
    gid_t nm_gid;
};
struct exec_user {
    char name[256], home[EXEC_PATH_MAX];
    uid_t uid;
    gid_t gid, groups[EXEC_GROUPS_MAX]; /* asked for once: that costs as much as a small program */
    int groups_n;
};

/* Ends this process with EXEC_REFUSED and the text. */
_Noreturn void exec_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* conf.c: reads EXEC_CONF; refuses a file, or a folder above it, that another user could change. */
void exec_conf_read(struct exec_conf *c);
/* Returns true if @list, separated by commas, has @name. */
bool exec_list_has(const char *list, const char *name);

/* user.c: both refuse users that are unknown or banned, have an id below the minimum, share the
 * NodeManager's user or group, or are members of its group or root's. */
void exec_user_by_name(const struct exec_conf *c, const char *name, struct exec_user *out);
void exec_user_by_id(const struct exec_conf *c, uid_t uid, struct exec_user *out);
/* Gives up root for good. @for_good: become the user altogether, as for his own programs; else the
 * ids are n,user,n. */
void exec_become_user(const struct exec_conf *c, const struct exec_user *u, bool for_good);

/* folder.c: opens what the NodeManager made, as root. */
/* Opens folder @path, or a plain file if @file, from the root on, step by step and without links.
 * It must belong to @owner, each folder above it to @owner or root, and nobody else may be able to
 * replace them. */
int exec_open_path_safe_from_others(const char *path, uid_t owner, bool file);
/* Opens folder @name, a name and not a path, in @at. It must belong to @owner; if that is the
 * NodeManager, nobody else may write to it. Returns a descriptor for reading. Closes @at. */
int exec_open_folder(const struct exec_conf *c, int at, const char *name, uid_t owner);
/* Opens the folder LOCAL/@part/@app/@container as exec_open_folder() does. */
int exec_open_container(const struct exec_conf *c, const char *part, const char *app,
                        const char *container, uid_t owner);
/* Gives a folder of the NodeManager, and all that is in it, to the user. Refuses what belongs to
 * neither, and files with several names. */
void exec_give_folder_to_user(const struct exec_conf *c, const struct exec_user *u, int fd);

/* Gives the folder LOCAL/apps/@app/shared to the user, if there is one and it is not the user's
 * yet. */
void exec_give_shared_folder_to_user(const struct exec_conf *c, const struct exec_user *u,
                                     const char *app);

/* launch.c: the subcommands launch and localize, see above. */
int exec_launch(const struct exec_conf *c, const char *user, const char *app,
                const char *container);
int exec_localize(const struct exec_conf *c, const char *user, const char *number, char **argv);

#endif
