/* Recovers the containers that a starting NodeManager finds in its local folder.
 *
 *   id in the list of forgotten ids     -> FORGOTTEN: a repeated launch order starts nothing
 *   exit.json                           -> COMPLETE
 *   shim alive (boot id, pid, start)    -> watched again; its marks show whether it is RUNNING,
 *                                          SUSPENDED or KILLING
 *   another boot                        -> COMPLETE -100: the machine was restarted
 *   shim gone without exit.json         -> the remaining processes are killed, COMPLETE 137
 *   never started                       -> COMPLETE -100
 *
 * The daemon holds the folder's lock, so no spawner of an earlier daemon can still be starting
 * anything. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/limits.h"
#include "nodemanager/container/launcher/node_side.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/daemon/daemon.h"

#define LAUNCH_FILE_MAX (32 << 20)
#define SPEC_FILE_MAX   (256 << 10)

struct walk {
    struct nm *nm;
    struct base_app_id app;
    char *user, *token, *acl_view;
    size_t running, ended;
};

static void recover_forgotten_id(const struct base_container_id *id, void *u)
{
    struct walk *w = u;
    struct nm_event ev = {.kind = NM_EV_RECOVERED, .at_us = nm_now_us()};
    ev.u.recovered.state = NM_FORGOTTEN;
    ev.u.recovered.launch =
        (struct nm_launch){.id = *id, .user = w->user, .token = w->token, .acl_view = w->acl_view};
    nm_handle_event(w->nm, &ev);
}

static void load_app_and_recover_forgotten_ids(const struct base_app_id *id, void *u)
{
    struct walk *w = u;
    struct base_buf b = {0};
    char path[NM_PATH_MAX];
    json_t *j = NULL;
    free(w->user);
    free(w->token);
    free(w->acl_view);
    w->app = *id;
    if (nm_files_read_plain(&w->nm->files,
                            nm_path_in_app_record(&w->nm->files, id, "spec.json", path),
                            SPEC_FILE_MAX, &b, NULL) >= 0 &&
        b.data)
        base_json_parse(b.data, b.len, &j, NULL);
    w->user = base_strdup(json_string_value(json_object_get(j, "user")));
    w->token = base_strdup(json_string_value(json_object_get(j, "token")));
    w->acl_view = json_string_value(json_object_get(j, "viewAcl"))
                      ? base_strdup(json_string_value(json_object_get(j, "viewAcl")))
                      : NULL;
    json_decref(j);
    base_buf_free(&b);
    nm_files_for_each_forgotten_id(&w->nm->files, id, recover_forgotten_id, w);
}

struct found {
    const struct nm_isolation_ops *isolation;
    char place[NM_ISOLATION_PLACE_MAX], user[256];
    int pidfd;
    int64_t shim, start;
    struct nm_ending ending;
};

/* Opens a pidfd of the shim. Returns false if the process has ended, or if its pid belongs to a
 * process with another start time. */
static bool attach_to_shim(int64_t pid, int64_t start, struct found *out)
{
    struct nm_proc p;
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return false;
    if (!nm_proc_read_stat((pid_t)pid, &p) || p.start != start) {
        close(fd);
        return false;
    }
    out->pidfd = fd;
    out->shim = pid;
    out->start = start;
    return true;
}

/* Returns the isolation with which the container's shim was started, which may differ from that of
 * new containers; the latter if the name is unknown. */
static const struct nm_isolation_ops *isolation_of_container(const struct nm *nm,
                                                             const struct nm_pid_file *p)
{
    const struct nm_isolation_ops *ops = nm_isolation_find(p->isolation);
    if (!ops)
        base_log_warn("nm",
                      "a container was started with the isolation \"%s\", which is unknown here",
                      p->isolation);
    return ops ? ops : nm->isolation;
}

static void clean_isolation_of_ended_container(const struct nm *nm,
                                               const struct base_container_id *id)
{
    /* the isolation of new containers if there is no pid.json: the shim has not written one */
    const struct nm_isolation_ops *isolation = nm->isolation;
    char text[BASE_ID_TEXT_MAX];
    struct nm_isolated c = {.id = base_container_id_text(id, text), .place = nm->isolation_place};
    struct nm_pid_file p;
    if (nm_files_read_pid(&nm->files, id, &p) == 0) {
        isolation = isolation_of_container(nm, &p);
        c.place = p.place;
    }
    nm_isolation_clean(isolation, &c);
}

/* Has creel-exec kill what a container that ran as its user has left. */
static void kill_processes_of_user(struct nm *nm, const char *user, const char *id, pid_t session)
{
    struct base_error err;
    if (*user && nm->launcher &&
        nm_launcher_request_kill(nm->spawn, NM_HELPER_TAG, nm->launcher, user, id, session, 0,
                                 &err) < 0)
        base_log_warn("nm", "%s: %s", id, err.text);
}

/* Finds the live shim of a container, or determines how the container ended and kills the processes
 * that it left. Returns false if the container has ended; out->ending then describes the end. */
static bool attach_shim_or_settle_ending(struct nm *nm, const struct base_container_id *id,
                                         enum base_container_kind kind, struct found *out)
{
    char text[BASE_ID_TEXT_MAX];
    struct nm_pid_file p;
    struct nm_proc info;
    base_container_id_text(id, text);
    out->isolation = nm->isolation;
    memcpy(out->place, nm->isolation_place, sizeof out->place);
    if (nm_files_read_pid(&nm->files, id, &p) == 0) {
        out->isolation = isolation_of_container(nm, &p);
        memcpy(out->place, p.place, sizeof out->place);
        memcpy(out->user, p.user, sizeof out->user);
        if (strcmp(p.boot_id, base_boot_id()) != 0) {
            nm_ending_set(&out->ending, NM_EXIT_LOST, nm_wall_ms(), "the machine was restarted");
            return false;
        }
        if (attach_to_shim(p.shim, p.shim_start, out))
            return true;
        /* the shim may have ended, and written exit.json, since the caller's check */
        if (nm_ending_read(&nm->files, id, kind, &out->ending))
            return false;
        nm_isolation_kill(
            out->isolation,
            &(struct nm_isolated){.id = text,
                                  .place = out->place,
                                  .shim = nm_tree_shim_session_or_0((pid_t)p.shim, p.shim_start)},
            NM_KILL_LOST);
        kill_processes_of_user(nm, out->user, text,
                               nm_tree_shim_session_or_0((pid_t)p.shim, p.shim_start));
        nm_ending_set(&out->ending, 137, nm_wall_ms(), "container's shim was killed");
        return false;
    }
    pid_t shim = nm_tree_find_shim(text); /* the shim may run without pid.json yet */
    if (shim > 0 && nm_proc_read_stat(shim, &info) && attach_to_shim(shim, info.start, out))
        return true;
    if (nm_ending_read(&nm->files, id, kind, &out->ending))
        return false;
    nm_isolation_kill(out->isolation, &(struct nm_isolated){.id = text, .place = out->place},
                      NM_KILL_LOST);
    kill_processes_of_user(nm, out->user, text, 0);
    nm_ending_set(&out->ending, NM_EXIT_LOST, nm_wall_ms(),
                  "the NodeManager was restarted before it was started");
    return false;
}

/* Reads launch.json from the container's record. @out borrows from @order and from the returned
 * document; the caller frees both. If the file cannot be read, @out has the id only. */
static json_t *read_launch_order(struct nm *nm, const struct base_container_id *id,
                                 struct wire_launch *order, struct nm_launch *out)
{
    char path[NM_PATH_MAX];
    struct base_buf b = {0};
    json_t *j = NULL;
    if (nm_files_read_plain(&nm->files, nm_path_in_record(&nm->files, id, "launch.json", path),
                            LAUNCH_FILE_MAX, &b, NULL) >= 0 &&
        b.data)
        base_json_parse(b.data, b.len, &j, NULL);
    base_buf_free(&b);
    *order = (struct wire_launch){0};
    if (j && wire_launch_get(j, order, NULL) == 0 &&
        base_container_id_cmp(&order->container, id) == 0)
        nm_wire_convert_launch(order, out);
    out->id = *id;
    return j;
}

/* Converts the start time of a process, in clock ticks since boot, to wall milliseconds. */
static int64_t wall_ms_of_ticks(int64_t ticks)
{
    return nm_wall_ms() - (nm_now_us() / 1000 - ticks * 1000 / sysconf(_SC_CLK_TCK));
}

static void recover_container(const struct base_container_id *id, void *u)
{
    struct walk *w = u;
    struct nm *nm = w->nm;
    struct found f = {.pidfd = -1};
    if (nm->launcher) /* until pid.json tells as whom the container runs */
        snprintf(f.user, sizeof f.user, "%s", w->user ? w->user : "");
    struct base_buf reason = {0};
    struct nm_event ev = {.kind = NM_EV_RECOVERED, .at_us = nm_now_us()};
    if (nm_core_has_forgotten(nm->core, id))
        return;
    struct wire_launch order;
    json_t *j = read_launch_order(nm, id, &order, &ev.u.recovered.launch);
    ev.u.recovered.launch.user = w->user;
    ev.u.recovered.launch.token = w->token;
    ev.u.recovered.launch.acl_view = w->acl_view;
    enum base_container_kind kind = ev.u.recovered.launch.kind;
    char path[NM_PATH_MAX];
    if (nm_files_read_plain(&nm->files, nm_path_in_record(&nm->files, id, "killed", path),
                            BASE_DIAGNOSTICS_MAX, &reason, NULL) >= 0)
        ev.u.recovered.kill_reason = reason.data ? reason.data : "";
    if (nm_files_has_mark(&nm->files, id, "stopped"))
        ev.u.recovered.kill_status = NM_EXIT_STOPPED;
    if (nm_ending_read(&nm->files, id, kind, &f.ending) ||
        !attach_shim_or_settle_ending(nm, id, kind, &f)) {
        ev.u.recovered.state = NM_COMPLETE;
        ev.u.recovered.end = f.ending.end;
        clean_isolation_of_ended_container(nm, id);
        w->ended++;
    } else {
        bool stopped = nm_files_has_mark(&nm->files, id, "suspended");
        ev.u.recovered.state =
            ev.u.recovered.kill_reason ? NM_KILLING : (stopped ? NM_SUSPENDED : NM_RUNNING);
        ev.u.recovered.started_ms = wall_ms_of_ticks(f.start);
        w->running++;
    }
    nm_handle_event(nm, &ev);
    struct nm_container *c = nm_core_find_container(nm->core, id);
    if (c && f.pidfd >= 0) {
        struct nm_box *box = nm_box_new(nm, c);
        box->isolation = f.isolation;
        box->place = base_strdup(f.place);
        box->user = f.user[0] ? base_strdup(f.user) : NULL;
        nm_box_watch_shim(box, f.pidfd, f.shim, f.start);
        nm_localizer_hold_recovered(nm->localizer, id, &order);
    }
    nm_ending_free(&f.ending);
    base_buf_free(&reason);
    wire_launch_free(&order);
    json_decref(j);
}

int nm_recover_containers(struct nm *nm, struct base_error *err)
{
    struct walk w = {.nm = nm};
    int rc = nm_files_scan_records(&nm->files, load_app_and_recover_forgotten_ids,
                                   recover_container, &w, err);
    free(w.user);
    free(w.token);
    free(w.acl_view);
    if (rc == 0 && w.running + w.ended)
        base_log_info("nm", "found %zu running containers and %zu ended ones", w.running, w.ended);
    return rc;
}
