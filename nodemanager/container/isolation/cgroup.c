/* Control groups, v1 or v2: see nodemanager/container/isolation/cgroup.h. */
#include "nodemanager/container/isolation/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodemanager/container/process_tree.h"

#define PATH_BYTES     (NM_ISOLATION_PLACE_MAX + 320) /* a place, an id and a file's name */
#define TEXT_BYTES     65536                          /* most bytes read of a file of /proc */
#define GROUP_BYTES    512
#define SMALL_BYTES    4096 /* most bytes of other files */
#define ROUNDS_MAX     100
#define CPU_PERIOD_US  100000
#define CPU_SHARES_MAX 262144
#define CPU_WEIGHT_MAX 10000

/* the last one is optional: without it the kernel's sums for ended children count */
static const char *const controllers_v1[] = {"memory", "cpu", "pids", "freezer", "cpuacct"};
#define CONTROLLERS_V1 (sizeof controllers_v1 / sizeof *controllers_v1)
#define REQUIRED_V1    (CONTROLLERS_V1 - 1)

/* ---- small files ---- */

/* Reads at most @size - 1 bytes and NUL-terminates them. Returns the length or -errno. */
static ssize_t read_text(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n = 0;

    if (fd < 0)
        return -errno;
    while (len + 1 < size && (n = read(fd, buf + len, size - 1 - len)) > 0)
        len += (size_t)n;
    n = n < 0 ? -errno : (ssize_t)len;
    close(fd);
    buf[len] = '\0';
    return n;
}

/* Only system calls, since a process after vfork calls it. Returns 0 or -errno. */
static int write_text(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

    if (fd < 0)
        return -errno;
    if (write(fd, text, len) < 0)
        rc = -errno;
    close(fd);
    return rc;
}

/* Returns the number in the line that begins with @line_start, which ends with a blank, or the
 * number at the beginning of the file (@line_start ""); 0 if there is none. */
static int64_t read_number_after(const char *path, const char *line_start)
{
    char text[SMALL_BYTES];
    const char *at = text;

    if (read_text(path, text, sizeof text) <= 0)
        return 0;
    while (at && strncmp(at, line_start, strlen(line_start)) != 0)
        at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    return at ? strtoll(at + strlen(line_start), NULL, 10) : 0;
}

/* ---- places ---- */

static bool is_v2(const struct nm_isolated *c)
{
    return c->place && strncmp(c->place, "all=", 4) == 0;
}

/* Calls @fn with "FOLDER/@id/@file" for each folder of @place, or with "FOLDER/@id" if @file is "".
 * Stops at the first result that is not 0, and returns it. Neither allocates nor uses stdio, since
 * a process after vfork calls it. */
static int for_each_group_path(const char *place, const char *id, const char *file,
                               int (*fn)(const char *path))
{
    char path[PATH_BYTES];
    const char *at = place ? place : "";
    int rc = 0;

    while (rc == 0 && *at) {
        size_t n = strcspn(at, ";"), name = strcspn(at, "=") + 1, len = n > name ? n - name : 0;

        if (len + strlen(id) + strlen(file) + 3 > sizeof path)
            return -ENAMETOOLONG;
        memcpy(path, at + (n - len), len);
        path[len++] = '/';
        memcpy(path + len, id, strlen(id));
        len += strlen(id);
        if (*file)
            path[len++] = '/';
        memcpy(path + len, file, strlen(file) + 1);
        rc = fn(path);
        at += n + (at[n] == ';');
    }
    return rc;
}

/* Finds the folder of @controller in @place, "all" included. Returns its length, 0 if there is
 * none. */
static size_t find_controller_folder(const char *place, const char *controller, const char **folder)
{
    for (const char *at = place ? place : ""; *at; at += *at == ';') {
        size_t n = strcspn(at, "=;"), name = strlen(controller);

        if (at[n] == '=' && ((n == name && memcmp(at, controller, n) == 0) ||
                             (n == 3 && memcmp(at, "all", n) == 0))) {
            *folder = at + n + 1;
            return strcspn(*folder, ";");
        }
        at += strcspn(at, ";");
    }
    return 0;
}

/* Formats the path of @file in the container's group of @controller. Returns false when there is no
 * such group. */
static bool format_path(const struct nm_isolated *c, const char *controller, const char *file,
                        char path[static PATH_BYTES])
{
    const char *folder;
    size_t len = find_controller_folder(c->place, controller, &folder);

    return len > 0 &&
           snprintf(path, PATH_BYTES, "%.*s/%s/%s", (int)len, folder, c->id, file) < PATH_BYTES;
}

/* Copies word number @i (from 0) of a line whose words are separated by blanks. */
static bool copy_word(const char *line, int i, char *out, size_t size)
{
    size_t n;

    for (; i > 0 && *line && *line != '\n'; i--) {
        line += strcspn(line, " \n");
        line += *line == ' ';
    }
    n = strcspn(line, " \n");
    if (n == 0 || n >= size)
        return false;
    memcpy(out, line, n);
    out[n] = '\0';
    return true;
}

static bool list_has_item(const char *list, const char *item)
{
    size_t n = strlen(item);

    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (strcspn(list, ",") == n && memcmp(list, item, n) == 0)
            return true;
    return false;
}

/* Finds where @controller is mounted (v1), or the unified hierarchy (@controller NULL), and which
 * group the mount shows there (@root, 512 bytes; may be NULL). A line has six words or more, " - ",
 * the type, the source and the options of the file system. */
static bool find_mount(const char *mounts, const char *controller, char *out, size_t size,
                       char *root)
{
    char type[32], options[512];

    for (const char *line = mounts; *line; line += strcspn(line, "\n") + 1) {
        const char *dash = strstr(line, " - ");

        if (dash && dash < line + strcspn(line, "\n") &&
            copy_word(dash + 3, 0, type, sizeof type) &&
            strcmp(type, controller ? "cgroup" : "cgroup2") == 0 &&
            (!controller || (copy_word(dash + 3, 2, options, sizeof options) &&
                             list_has_item(options, controller))) &&
            copy_word(line, 4, out, size) && (!root || copy_word(line, 3, root, GROUP_BYTES)))
            return true;
        if (!line[strcspn(line, "\n")])
            break;
    }
    return false;
}

/* Finds the daemon's own group: "3:cpu,cpuacct:/a/b", or "0::/a/b" for the unified hierarchy. "/"
 * becomes "". @root: the group that is at the top of the mount; as a prefix it is left out. */
static bool find_own_group(const char *groups, const char *controller, const char *root,
                           char out[static GROUP_BYTES])
{
    size_t above = strcmp(root, "/") == 0 ? 0 : strlen(root);

    for (const char *line = groups; *line; line += strcspn(line, "\n") + 1) {
        const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        char names[128];

        if (path) {
            snprintf(names, sizeof names, "%.*s", (int)(path - list - 1), list + 1);
            if (controller ? list_has_item(names, controller) : !*names) {
                size_t n = strcspn(++path, "\n");

                if (above && above <= n && memcmp(path, root, above) == 0) {
                    path += above;
                    n -= above;
                }
                snprintf(out, GROUP_BYTES, "%.*s", n == 1 ? 0 : (int)n, path);
                return n < GROUP_BYTES;
            }
        }
        if (!line[strcspn(line, "\n")])
            break;
    }
    return false;
}

static int set_why(char *why, int error, const char *text, const char *name)
{
    snprintf(why, NM_ISOLATION_WHY_MAX, "%s%s", text, name);
    return error;
}

static int add_to_place(char *place, const char *name, const char *mount, const char *group,
                        const char *last, char *why)
{
    size_t len = strlen(place);

    if (snprintf(place + len, NM_ISOLATION_PLACE_MAX - len, "%s%s=%s%s%s", len ? ";" : "", name,
                 mount, group, last) >= (int)(NM_ISOLATION_PLACE_MAX - len))
        return set_why(why, -ENAMETOOLONG, "the path of a control group is too long: ", group);
    for (const char *p = mount;; p = group) {
        if (strpbrk(p, ";\"\\= \t\n"))
            return set_why(why, -EINVAL,
                           "the path of a control group has a blank, a quote, a backslash, a "
                           "semicolon or an equals sign: ",
                           p);
        if (p == group)
            return 0;
    }
}

static int choose_v2(const char *mounts, const char *groups, const char *parent, char *place,
                     char *own_group, char *why)
{
    char mount[256], own[GROUP_BYTES] = "", root[GROUP_BYTES];
    size_t n;
    int rc;

    if (!find_mount(mounts, NULL, mount, sizeof mount, root))
        return set_why(why, -ENOENT, "this host has no control groups mounted", "");
    if (*parent)
        return add_to_place(place, "all", mount, parent, "", why);
    if (!find_own_group(groups, NULL, root, own))
        return set_why(why, -ENOENT, "the own control group is unknown", "");
    /* a service manager may have started the daemon in the group "daemon", to which the daemon
     * would otherwise move: the own group is then the one above */
    n = strlen(own);
    if (n >= 7 && strcmp(own + n - 7, "/daemon") == 0)
        own[n - 7] = '\0';
    rc = add_to_place(place, "all", mount, own, "/containers", why);
    if (rc == 0)
        snprintf(own_group, NM_ISOLATION_PLACE_MAX, "%s%s", mount, own);
    return rc;
}

int nm_cgroup_choose_place(const char *mounts, const char *groups, const char *parent,
                           char place[static NM_ISOLATION_PLACE_MAX],
                           char own_group[static NM_ISOLATION_PLACE_MAX],
                           char why[static NM_ISOLATION_WHY_MAX])
{
    char mount[256], own[GROUP_BYTES], root[GROUP_BYTES];
    int rc = 0;

    place[0] = own_group[0] = '\0';
    if (*parent && (*parent != '/' || strstr(parent, "/.") || parent[strlen(parent) - 1] == '/'))
        return set_why(why, -EINVAL,
                       "an absolute path without \".\" and without / at its end was "
                       "expected: ",
                       parent);
    if (!find_mount(mounts, "memory", mount, sizeof mount, NULL))
        return choose_v2(mounts, groups, parent, place, own_group, why);
    for (size_t i = 0; rc == 0 && i < CONTROLLERS_V1; i++) {
        const char *name = controllers_v1[i];

        if (!find_mount(mounts, name, mount, sizeof mount, root)) {
            if (i < REQUIRED_V1)
                rc = set_why(why, -ENOENT, "this host lacks the control group controller ", name);
        } else if (*parent) {
            rc = add_to_place(place, name, mount, parent, "", why);
        } else if (!find_own_group(groups, name, root, own)) {
            rc = set_why(why, -ENOENT, "the own control group is unknown for ", name);
        } else {
            rc = add_to_place(place, name, mount, own, "/creel", why);
        }
    }
    return rc;
}

/* ---- at the daemon's start ---- */

/* Makes the folder and those above it. Returns 0 or -errno. */
static int make_group_and_parents(const char *group)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", group);
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST && access(path, F_OK) < 0)
            return -errno;
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* Removes groups that a crash left, of containers that have ended since. A group with processes
 * stays, since the kernel does not remove it. */
static void remove_empty_groups(const char *folder)
{
    DIR *d = opendir(folder);
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        if (strncmp(e->d_name, "container_", 10) == 0)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    if (d)
        closedir(d);
}

static int make_empty_parent_group(const char *path)
{
    char folder[PATH_BYTES];
    int rc;

    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - 1), path); /* without the last / */
    rc = make_group_and_parents(folder);
    if (rc == 0)
        remove_empty_groups(folder);
    return rc;
}

/* Lets the children of @group have limits. A failure counts only for the group right above those of
 * containers: an ancestor that the daemon may not change may already allow limits. */
static int enable_controllers(const char *group)
{
    static const char wanted[] = "+memory +cpu +pids";
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%.1300s/cgroup.subtree_control", group);
    return write_text(path, wanted, sizeof wanted - 1);
}

/* Lets the children of each group above @group have limits, beginning with the root of the
 * hierarchy, whose path is the first @mount_len bytes of @group. */
static void enable_controllers_above(char *group, size_t mount_len)
{
    for (char *slash = group + mount_len; slash && *slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        enable_controllers(group);
        *slash = '/';
    }
}

/* Moves this process out of its group, in which limits could not be enabled otherwise. */
static int move_into_daemon_group(const char *own_group)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%.1000s/daemon", own_group);
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return -errno;
    snprintf(path, sizeof path, "%.1000s/daemon/cgroup.procs", own_group);
    return write_text(path, "0", 1);
}

static int open_v2(const char *place, const char *own_group, size_t mount_len, char *why)
{
    char group[PATH_BYTES];
    int rc = 0;

    snprintf(group, sizeof group, "%s", place + 4);
    /* the root group need not be left: unlike others, it may have both processes of its own and
     * limits for its children */
    if (strlen(own_group) > mount_len)
        rc = move_into_daemon_group(own_group);
    if (rc == 0)
        rc = make_group_and_parents(group);
    if (rc < 0) {
        snprintf(why, NM_ISOLATION_WHY_MAX, "cannot make %.200s", group);
        return rc;
    }
    remove_empty_groups(group);
    enable_controllers_above(group, mount_len);
    rc = enable_controllers(group);
    if (rc < 0)
        snprintf(why, NM_ISOLATION_WHY_MAX, "cannot enable memory, cpu and pids in %.200s", group);
    return rc;
}

static int cgroup_open(const char *parent, char place[static NM_ISOLATION_PLACE_MAX],
                       char why[static NM_ISOLATION_WHY_MAX])
{
    char own_group[NM_ISOLATION_PLACE_MAX], groups[SMALL_BYTES], mount[256] = "";
    char *mounts = malloc(TEXT_BYTES);
    int rc = -ENOMEM;

    *why = '\0';
    if (mounts && read_text("/proc/self/mountinfo", mounts, TEXT_BYTES) > 0 &&
        read_text("/proc/self/cgroup", groups, sizeof groups) > 0) {
        rc = nm_cgroup_choose_place(mounts, groups, parent, place, own_group, why);
        find_mount(mounts, NULL, mount, sizeof mount, NULL);
    }
    free(mounts);
    if (rc < 0)
        return rc;
    if (strncmp(place, "all=", 4) == 0)
        return open_v2(place, own_group, strlen(mount), why);
    rc = for_each_group_path(place, "", "", make_empty_parent_group);
    if (rc < 0)
        snprintf(why, NM_ISOLATION_WHY_MAX, "cannot make the control groups %.200s", place);
    return rc;
}

/* ---- a container ---- */

static int make_group(const char *path)
{
    return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* Writes a limit, and @b after it unless that is 0. @needed: fail if the file is missing; without
 * it the kernel may lack this limit. */
static int write_limit(const struct nm_isolated *c, const char *controller, const char *file,
                       bool needed, int64_t a, int64_t b, char *why)
{
    char path[PATH_BYTES], text[64];
    int n, rc;

    if (!format_path(c, controller, file, path))
        return 0;
    n = b ? snprintf(text, sizeof text, "%" PRId64 " %" PRId64, a, b)
          : snprintf(text, sizeof text, "%" PRId64, a);
    rc = write_text(path, text, (size_t)n);
    if (rc == 0 || (rc == -ENOENT && !needed))
        return 0;
    snprintf(why, NM_ISOLATION_WHY_MAX, "cannot write %.40s to %.180s", text, path);
    return rc;
}

static int64_t min_of(int64_t n, int64_t max)
{
    return n < max ? n : max;
}

static int set_limits_v1(const struct nm_isolated *c, int64_t vcores, char *why)
{
    int64_t bytes = c->memory_mb << 20;
    int rc = 0;

    if (c->memory_hard && bytes > 0)
        rc = write_limit(c, "memory", "memory.limit_in_bytes", true, bytes, 0, why);
    if (rc == 0 && c->memory_hard && bytes > 0)
        rc = write_limit(c, "memory", "memory.memsw.limit_in_bytes", false, bytes, 0, why);
    if (rc == 0)
        rc = write_limit(c, "cpu", "cpu.shares", true, min_of(vcores * 1024, CPU_SHARES_MAX), 0,
                         why);
    if (rc == 0 && c->cpu_hard)
        rc = write_limit(c, "cpu", "cpu.cfs_period_us", true, CPU_PERIOD_US, 0, why);
    if (rc == 0 && c->cpu_hard)
        rc = write_limit(c, "cpu", "cpu.cfs_quota_us", true, vcores * CPU_PERIOD_US, 0, why);
    return rc;
}

static int set_limits_v2(const struct nm_isolated *c, int64_t vcores, char *why)
{
    int64_t bytes = c->memory_mb << 20;
    int rc = 0;

    if (c->memory_hard && bytes > 0)
        rc = write_limit(c, "memory", "memory.max", true, bytes, 0, why);
    if (rc == 0 && c->memory_hard && bytes > 0)
        rc = write_limit(c, "memory", "memory.swap.max", false, 0, 0, why);
    if (rc == 0)
        rc = write_limit(c, "memory", "memory.oom.group", false, 1, 0, why);
    if (rc == 0)
        rc =
            write_limit(c, "cpu", "cpu.weight", true, min_of(vcores * 100, CPU_WEIGHT_MAX), 0, why);
    if (rc == 0 && c->cpu_hard)
        rc = write_limit(c, "cpu", "cpu.max", true, vcores * CPU_PERIOD_US, CPU_PERIOD_US, why);
    return rc;
}

static int cgroup_prepare(const struct nm_isolated *c, char why[static NM_ISOLATION_WHY_MAX])
{
    int64_t vcores = c->vcores > 0 ? min_of(c->vcores, 10000) : 1;
    int rc = for_each_group_path(c->place, c->id, "", make_group);

    if (rc < 0) {
        snprintf(why, NM_ISOLATION_WHY_MAX, "cannot make the group of %.100s", c->id);
        return rc;
    }
    rc = is_v2(c) ? set_limits_v2(c, vcores, why) : set_limits_v1(c, vcores, why);
    if (rc == 0 && c->pids_max > 0)
        rc = write_limit(c, "pids", "pids.max", true, c->pids_max, 0, why);
    return rc;
}

static int move_self(const char *path)
{
    return write_text(path, "0", 1);
}

static int cgroup_enter(const struct nm_isolated *c)
{
    int rc = for_each_group_path(c->place, c->id, "cgroup.procs", move_self);

    errno = rc < 0 ? -rc : 0;
    return rc < 0 ? -1 : 0;
}

/* Lists the processes of the container's group. The caller calls nm_pids_free(). */
static void list_members(const struct nm_isolated *c, struct nm_pids *out)
{
    char path[PATH_BYTES];
    FILE *f = format_path(c, "pids", "cgroup.procs", path) ? fopen(path, "re") : NULL;
    int pid;

    while (f && fscanf(f, "%d", &pid) == 1) {
        if (out->len == out->cap) {
            size_t cap = out->cap ? out->cap * 2 : 32;
            pid_t *v = realloc(out->v, cap * sizeof *v);

            if (!v)
                break;
            out->v = v;
            out->cap = cap;
        }
        out->v[out->len++] = pid;
    }
    if (f)
        fclose(f);
}

static size_t count_members(const struct nm_isolated *c)
{
    struct nm_pids members = {0};
    size_t n;

    list_members(c, &members);
    n = members.len;
    nm_pids_free(&members);
    return n;
}

/* Returns true if a line of /proc/<pid>/cgroup ends with the container's group, or one below it. */
static bool contains_group_or_subgroup(const char *groups, const char *id)
{
    size_t n = strlen(id);

    for (const char *at = groups; (at = strstr(at, id)) != NULL; at += n)
        if (at > groups && at[-1] == '/' && strchr("\n/", at[n]))
            return true;
    return false;
}

/* Sends SIGKILL to a process that still is in the container's group, which is checked after opening
 * the pidfd, so that no reused pid is hit. */
static bool kill_if_member(const struct nm_isolated *c, pid_t pid)
{
    char path[48], groups[SMALL_BYTES];
    bool done = false;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    if (fd < 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    if (read_text(path, groups, sizeof groups) > 0 && contains_group_or_subgroup(groups, c->id))
        done = syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0;
    close(fd);
    return done;
}

static void set_frozen(const struct nm_isolated *c, bool frozen)
{
    char path[PATH_BYTES];

    if (is_v2(c) && format_path(c, "", "cgroup.freeze", path))
        write_text(path, frozen ? "1" : "0", 1);
    else if (format_path(c, "freezer", "freezer.state", path))
        write_text(path, frozen ? "FROZEN" : "THAWED", 6);
}

/* Where the kernel cannot kill the group as a whole, the processes are killed one by one,
 * repeatedly, since they may fork meanwhile. Returns the number of processes found at first. */
static size_t kill_members_singly(const struct nm_isolated *c)
{
    size_t first = c->signal ? count_members(c) : 0;

    if (c->signal) { /* frozen, so that none of them can interfere; thawed by the caller */
        set_frozen(c, true);
        c->signal(SIGKILL);
        return first;
    }
    for (int round = 0; round < ROUNDS_MAX; round++) {
        struct nm_pids members = {0};
        size_t reached = 0;

        list_members(c, &members);
        for (size_t i = 0; i < members.len; i++)
            reached += kill_if_member(c, members.v[i]);
        if (round == 0)
            first = members.len;
        nm_pids_free(&members);
        if (reached == 0)
            break;
    }
    return first;
}

static size_t cgroup_suspend(const struct nm_isolated *c)
{
    set_frozen(c, true);
    return count_members(c);
}

static size_t cgroup_resume(const struct nm_isolated *c)
{
    set_frozen(c, false);
    return count_members(c);
}

/* A frozen process of v1 dies only when it is thawed. */
static size_t kill_members(const struct nm_isolated *c)
{
    char path[PATH_BYTES];
    size_t n;

    if (is_v2(c)) {
        n = count_members(c);
        if (format_path(c, "", "cgroup.kill", path) && write_text(path, "1", 1) == 0)
            return n;
    }
    n = kill_members_singly(c);
    set_frozen(c, false);
    return n;
}

/* A suspended container is thawed for SIGTERM by the daemon's own order to continue. */
static size_t cgroup_kill(const struct nm_isolated *c, enum nm_kill_how how)
{
    if (how == NM_KILL_TERM || how == NM_KILL_DUMP)
        return nm_isolated_signal(c, how == NM_KILL_TERM ? SIGTERM : SIGQUIT);
    return kill_members(c);
}

static void cgroup_usage(const struct nm_isolated *c, struct nm_usage *out)
{
    char path[PATH_BYTES];
    struct rusage ru;
    bool v2 = is_v2(c);

    getrusage(RUSAGE_CHILDREN, &ru);
    out->max_rss_kb = ru.ru_maxrss;
    if (v2 && format_path(c, "", "cpu.stat", path))
        out->cpu_us = read_number_after(path, "usage_usec ");
    else if (format_path(c, "cpuacct", "cpuacct.usage", path))
        out->cpu_us = read_number_after(path, "") / 1000;
    if (out->cpu_us == 0)
        out->cpu_us = (int64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 +
                      ru.ru_utime.tv_usec + ru.ru_stime.tv_usec;
    if (format_path(c, "memory", v2 ? "memory.peak" : "memory.max_usage_in_bytes", path) &&
        read_number_after(path, "") > 0)
        out->max_rss_kb = read_number_after(path, "") / 1024;
    if (format_path(c, "memory", v2 ? "memory.events" : "memory.oom_control", path))
        out->memory_kills = read_number_after(path, "oom_kill ");
    if (format_path(c, "memory", v2 ? "memory.max" : "memory.limit_in_bytes", path))
        out->memory_limit = read_number_after(path, "");
}

static int remove_group_if_empty(const char *path)
{
    rmdir(path); /* fails while a process is dying in it; the next start of the daemon removes it */
    return 0;
}

static void cgroup_clean(const struct nm_isolated *c)
{
    for_each_group_path(c->place, c->id, "", remove_group_if_empty);
}

const struct nm_isolation_ops nm_isolation_cgroup = {
    .name = "cgroup",
    .open = cgroup_open,
    .prepare = cgroup_prepare,
    .enter = cgroup_enter,
    .suspend = cgroup_suspend,
    .resume = cgroup_resume,
    .kill = cgroup_kill,
    .usage = cgroup_usage,
    .clean = cgroup_clean,
};
