/* Finds the processes of a container by walking /proc, and signals them by pidfd. */
#include "nodemanager/container/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLAIM_MAX  192 /* "CONTAINER_ID=" and an id, with NUL */
#define ROUNDS_MAX 200 /* maximum number of repeated walks; a fork bomb is stopped long before */

static int open_pidfd(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int send_signal_by_pidfd(int fd, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
}

static bool append_pid(struct nm_pids *p, pid_t pid)
{
    if (p->len == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 32;
        pid_t *v = realloc(p->v, cap * sizeof *v);
        if (!v)
            return false;
        p->v = v;
        p->cap = cap;
    }
    p->v[p->len++] = pid;
    return true;
}

void nm_pids_free(struct nm_pids *p)
{
    free(p->v);
    memset(p, 0, sizeof *p);
}

static bool contains_pid(const struct nm_pids *p, pid_t pid)
{
    for (size_t i = 0; i < p->len; i++) {
        if (p->v[i] == pid)
            return true;
    }
    return false;
}

/* Reads a file of /proc, at most @size - 1 bytes, and NUL-terminates it. Returns the length or
 * -1. */
static ssize_t read_proc_file(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t len = 0;
    while (len + 1 < size) {
        ssize_t n = read(fd, buf + len, size - 1 - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    close(fd);
    buf[len] = 0;
    return (ssize_t)len;
}

bool nm_proc_read_stat(pid_t pid, struct nm_proc *out)
{
    char path[48], buf[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_proc_file(path, buf, sizeof buf) <= 0)
        return false;
    char *p = strrchr(buf, ')'); /* the name in parentheses may contain anything */
    if (!p)
        return false;
    int parent = 0, session = 0;
    long long start = 0;
    char state = 0;
    if (sscanf(p + 1,
               " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
               &state, &parent, &session, &start) != 4)
        return false;
    *out = (struct nm_proc){.parent = parent, .session = session, .state = state, .start = start};
    return true;
}

/* Appends the children of all threads of @pid. Returns false if the children cannot be listed, as
 * on kernels without children files. */
static bool append_children(pid_t pid, struct nm_pids *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    if (!d)
        return errno == ENOENT || errno == ESRCH;
    struct dirent *e;
    bool ok = true;
    while (ok && (e = readdir(d)) != NULL) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9')
            continue;
        char file[128];
        snprintf(file, sizeof file, "/proc/%d/task/%.20s/children", (int)pid, e->d_name);
        FILE *f = fopen(file, "re");
        if (!f) {
            ok = errno == ENOENT && access("/proc/thread-self/children", F_OK) == 0;
            continue;
        }
        int child;
        while (fscanf(f, "%d", &child) == 1) {
            if (!contains_pid(out, child))
                append_pid(out, child);
        }
        fclose(f);
    }
    closedir(d);
    return ok;
}

/* Calls @fn for each pid in /proc. */
static void for_each_pid(void (*fn)(pid_t pid, void *u), void *u)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    if (!d)
        return;
    while ((e = readdir(d)) != NULL) {
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            fn((pid_t)strtol(e->d_name, NULL, 10), u);
    }
    closedir(d);
}

struct parents {
    struct nm_pids pid, parent;
};

static void record_parent(pid_t pid, void *u)
{
    struct parents *p = u;
    struct nm_proc info;
    if (nm_proc_read_stat(pid, &info) && append_pid(&p->pid, pid) &&
        !append_pid(&p->parent, info.parent))
        p->pid.len--;
}

/* Appends every descendant of the pids in @out, found by their parents. Used when children files
 * cannot be read. */
static void append_descendants_by_parents(struct nm_pids *out)
{
    struct parents all = {0};
    for_each_pid(record_parent, &all);
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < all.pid.len; i++) {
            if (contains_pid(out, all.parent.v[i]) && !contains_pid(out, all.pid.v[i]))
                more = append_pid(out, all.pid.v[i]);
        }
    }
    nm_pids_free(&all.pid);
    nm_pids_free(&all.parent);
}

static void append_descendants(struct nm_pids *out)
{
    for (size_t i = 0; i < out->len; i++) {
        if (!append_children(out->v[i], out)) {
            append_descendants_by_parents(out);
            return;
        }
    }
}

bool nm_tree_list_descendants(pid_t root, struct nm_pids *out)
{
    out->len = 0;
    if (!append_pid(out, root))
        return false;
    append_descendants(out);
    memmove(out->v, out->v + 1, (out->len - 1) * sizeof *out->v);
    out->len--;
    return true;
}

/* Sends a signal to the process if it still belongs to the tree: its parent must be @root or in
 * @tree (NULL: not checked). Returns true if the signal was sent; a zombie gets none. The parent is
 * checked after opening the pidfd, which excludes a reused pid. */
static bool signal_if_in_tree(pid_t pid, int sig, pid_t root, const struct nm_pids *tree)
{
    int fd = open_pidfd(pid);
    struct nm_proc info;
    bool done = false;
    if (fd < 0)
        return false;
    if (nm_proc_read_stat(pid, &info) && info.state != 'Z' &&
        (!tree || info.parent == root || contains_pid(tree, info.parent)))
        done = send_signal_by_pidfd(fd, sig) == 0;
    close(fd);
    return done;
}

size_t nm_tree_signal(pid_t root, int sig)
{
    struct nm_pids now = {0}, done = {0};
    bool repeat = sig == SIGSTOP || sig == SIGKILL;
    size_t count = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        size_t fresh = 0;
        if (!nm_tree_list_descendants(root, &now))
            break;
        for (size_t i = 0; i < now.len; i++) {
            if (now.v[i] == getpid() || contains_pid(&done, now.v[i]))
                continue;
            append_pid(&done, now.v[i]);
            if (signal_if_in_tree(now.v[i], sig, root, &now)) {
                fresh++;
                count++;
            }
        }
        if (!fresh || !repeat)
            break;
    }
    nm_pids_free(&now);
    nm_pids_free(&done);
    return count;
}

/* Returns true if the process has a handler for @sig: the bit in SigCgt of /proc/pid/status. */
static bool handles_signal(pid_t pid, int sig)
{
    char path[48], line[256];
    unsigned long long caught = 0;
    FILE *f;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if ((f = fopen(path, "re")) == NULL)
        return false;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    fclose(f);
    return caught >> (sig - 1) & 1;
}

size_t nm_tree_signal_those_with_handler(pid_t root, int sig)
{
    struct nm_pids now = {0};
    size_t count = 0;
    if (nm_tree_list_descendants(root, &now))
        for (size_t i = 0; i < now.len; i++)
            if (handles_signal(now.v[i], sig))
                count += signal_if_in_tree(now.v[i], sig, root, &now);
    nm_pids_free(&now);
    return count;
}

/* ---- trees without a root ---- */

enum claim { CLAIM_NONE, CLAIM_OURS, CLAIM_OTHERS };

/* Reads from the environment of @pid whether the process belongs to the container of @want
 * ("CONTAINER_ID=<id>"), to another container, or names no container. */
static enum claim read_container_claim(pid_t pid, const char *want)
{
    static const char name[] = "CONTAINER_ID=";
    char path[48], buf[4096], entry[CLAIM_MAX] = "";
    enum claim found = CLAIM_NONE;
    size_t len = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return CLAIM_NONE;
    while (found == CLAIM_NONE && (n = read(fd, buf, sizeof buf)) > 0) {
        for (ssize_t i = 0; i < n && found == CLAIM_NONE; i++) {
            if (len < sizeof entry)
                entry[len++] = buf[i];
            if (buf[i])
                continue;
            entry[sizeof entry - 1] = 0;
            if (strncmp(entry, name, sizeof name - 1) == 0)
                found = strcmp(entry, want) == 0 ? CLAIM_OURS : CLAIM_OTHERS;
            len = 0;
        }
    }
    close(fd);
    return found;
}

struct lost {
    char want[CLAIM_MAX];     /* "CONTAINER_ID=<id>" */
    pid_t sid, spawner, shim; /* 0: none */
    struct nm_pids lineage;   /* this process and its ancestors, which are nobody's leftovers */
    struct nm_pids found;
};

static struct lost init_search_by_container(const char *container_id)
{
    struct lost l = {0};
    snprintf(l.want, sizeof l.want, "CONTAINER_ID=%s", container_id);
    return l;
}

static bool command_name_begins_with(pid_t pid, const char *name)
{
    char path[48], comm[32];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    return read_proc_file(path, comm, sizeof comm) > 0 && strncmp(comm, name, strlen(name)) == 0;
}

static void append_lineage(pid_t pid, struct nm_pids *out)
{
    struct nm_proc p;

    while (pid > 0 && !contains_pid(out, pid) && append_pid(out, pid) && nm_proc_read_stat(pid, &p))
        pid = p.parent;
}

/* Returns true if the process has the name of one that the spawner starts, or of the spawner, which
 * each of them shows until it calls exec. */
static bool is_named_as_started_by_spawner(pid_t pid)
{
    static const char *const names[] = {"creel-shim", "creel-nm-spawn", "creel-exec", "creel-user",
                                        "creel-localize"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (command_name_begins_with(pid, names[i]))
            return true;
    return false;
}

/* A child of the spawner that the spawner has not started was left by a dead shim. */
static bool is_orphan_of_spawner(pid_t pid, const struct nm_proc *p, pid_t spawner)
{
    return spawner > 0 && p->parent == spawner && !is_named_as_started_by_spawner(pid);
}

static void add_if_lost_process(pid_t pid, void *u)
{
    struct lost *l = u;
    struct nm_proc info;
    if (contains_pid(&l->lineage, pid) || !nm_proc_read_stat(pid, &info) || info.state == 'Z')
        return;
    enum claim claim = read_container_claim(pid, l->want);
    if (claim == CLAIM_OURS || (claim == CLAIM_NONE && l->sid > 0 && info.session == l->sid) ||
        is_orphan_of_spawner(pid, &info, l->spawner))
        append_pid(&l->found, pid);
}

size_t nm_tree_kill_without_root(const char *container_id, pid_t sid, pid_t spawner)
{
    size_t reached = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        struct lost l = init_search_by_container(container_id);
        l.sid = sid;
        l.spawner = spawner;
        append_lineage(getpid(), &l.lineage);
        for_each_pid(add_if_lost_process, &l);
        append_descendants(&l.found);
        reached = 0;
        for (size_t i = 0; i < l.found.len; i++) /* stop all before killing, so that none forks */
            signal_if_in_tree(l.found.v[i], SIGSTOP, 0, NULL);
        for (size_t i = 0; i < l.found.len; i++)
            reached += signal_if_in_tree(l.found.v[i], SIGKILL, 0, NULL);
        nm_pids_free(&l.found);
        nm_pids_free(&l.lineage);
        if (!reached)
            break;
        sched_yield();
    }
    return reached;
}

pid_t nm_tree_shim_session_or_0(pid_t pid, int64_t start)
{
    struct nm_proc p;
    return nm_proc_read_stat(pid, &p) && p.start != start ? 0 : pid;
}

static void record_if_shim_of_container(pid_t pid, void *u)
{
    struct lost *l = u;
    struct nm_proc info;
    if (command_name_begins_with(pid, "creel-shim") &&
        read_container_claim(pid, l->want) == CLAIM_OURS && nm_proc_read_stat(pid, &info) &&
        info.session == pid && info.state != 'Z')
        l->shim = pid;
}

pid_t nm_tree_find_shim(const char *container_id)
{
    struct lost l = init_search_by_container(container_id);
    l.shim = -1;
    for_each_pid(record_if_shim_of_container, &l);
    return l.shim;
}
