#include "nodemanager/figures/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodemanager/container/process_tree.h"

#define TEXT_MAX 8192 /* of a file of /proc that is read */

/* Processor time of a container since its start, in clock ticks: that of its processes, and of
 * those that have ended, which their parents have been charged with. */
struct container_ticks {
    struct base_container_id id;
    int64_t ticks;
};
struct ticks_list {
    struct container_ticks *v;
    size_t n, cap;
};
struct nm_load_sampler {
    pthread_mutex_t lock; /* protects the rest */
    struct nm_load last;
    int64_t taken_us; /* when, on the monotonic clock; 0: never */
    struct ticks_list containers;
    int64_t busy_ticks; /* of the machine */
};

/* Reads a file of /proc whole. Returns false if there is none. */
static bool read_text(const char *path, char text[static TEXT_MAX])
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, TEXT_MAX - 1, f) : 0;

    if (f)
        fclose(f);
    text[n] = '\0';
    return n > 0;
}

/* ---- containers ---- */

static void add_process(pid_t pid, struct nm_load *sum, int64_t *ticks)
{
    char path[48], text[TEXT_MAX];
    const char *after_name;
    long long user, system, ended_user, ended_system, pages;
    unsigned long long bytes;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_text(path, text) || !(after_name = strrchr(text, ')')))
        return; /* it has ended */
    /* fields 3 to 24: from the state to the resident pages */
    if (sscanf(after_name + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld %*d %*d %*d %*d "
               "%*u %llu %lld",
               &user, &system, &ended_user, &ended_system, &bytes, &pages) != 6)
        return;
    *ticks += user + system + ended_user + ended_system;
    sum->containers_virtual += (int64_t)bytes;
    sum->containers_physical += pages * sysconf(_SC_PAGESIZE);
}

/* Adds the process tree of a container whose shim runs. Returns its ticks. */
static int64_t add_container(const struct nm *nm, const struct base_container_id *id,
                             struct nm_load *sum)
{
    struct nm_pid_file file;
    struct nm_pids below = {0};
    struct nm_proc shim;
    int64_t ticks = 0;

    if (nm_files_read_pid(&nm->files, id, &file) < 0 || !nm_proc_read((pid_t)file.shim, &shim) ||
        shim.start != file.shim_start)
        return 0;
    add_process((pid_t)file.shim, sum, &ticks);
    nm_tree_list_descendants((pid_t)file.shim, &below);
    for (size_t i = 0; i < below.len; i++)
        add_process(below.v[i], sum, &ticks);
    nm_pids_free(&below);
    return ticks;
}

static void add_alive(struct nm_container *c, void *u)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct ticks_list *all = u;

    if (v->state != NM_RUNNING && v->state != NM_SUSPENDED && v->state != NM_KILLING)
        return;
    base_array_grow(&all->v, all->n, &all->cap);
    all->v[all->n++] = (struct container_ticks){.id = v->id};
}

/* Returns the container's ticks in the sample before. Both lists are in the order in which the
 * containers came, so *@from, where the search begins, only moves on. */
static int64_t find_ticks_before(const struct ticks_list *before,
                                 const struct base_container_id *id, size_t *from)
{
    for (size_t i = *from; i < before->n; i++) {
        if (base_container_id_cmp(&before->v[i].id, id) == 0) {
            *from = i + 1;
            return before->v[i].ticks;
        }
    }
    return 0;
}

/* Returns how many ticks all containers have used since the sample before, which @now replaces. */
static int64_t replace_ticks(struct ticks_list *before, struct ticks_list *now)
{
    int64_t used = 0;
    size_t from = 0;

    for (size_t i = 0; i < now->n; i++)
        used += now->v[i].ticks - find_ticks_before(before, &now->v[i].id, &from);
    free(before->v);
    *before = *now;
    return used > 0 ? used : 0;
}

/* ---- the machine ---- */

static int64_t find_kilobytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) : 0;
}

static void read_memory(struct nm_load *out)
{
    char text[TEXT_MAX];
    int64_t available;

    if (!read_text("/proc/meminfo", text))
        return;
    available = find_kilobytes(text, "MemAvailable:");
    out->node_physical = (find_kilobytes(text, "MemTotal:") - available) * 1024;
    out->node_virtual =
        out->node_physical +
        (find_kilobytes(text, "SwapTotal:") - find_kilobytes(text, "SwapFree:")) * 1024;
}

/* Returns the ticks that all processors together have not been idle. */
static int64_t read_busy_ticks(void)
{
    char text[TEXT_MAX], *at = text + sizeof "cpu" - 1;
    int64_t busy = 0;

    if (!read_text("/proc/stat", text))
        return 0;
    for (int i = 0; i < 8; i++) { /* user nice system idle iowait irq softirq steal */
        int64_t ticks = strtoll(at, &at, 10);

        busy += i == 3 || i == 4 ? 0 : ticks;
    }
    return busy;
}

/* ---- the sample ---- */

static double get_cores(int64_t ticks, int64_t us)
{
    return us > 0 ? (double)ticks / (double)sysconf(_SC_CLK_TCK) / ((double)us / 1e6) : 0;
}

static void take_sample(struct nm_load_sampler *s, struct nm *nm, int64_t now_us)
{
    struct ticks_list alive = {0};
    int64_t since_us = s->taken_us ? now_us - s->taken_us : 0, busy = read_busy_ticks();

    s->last = (struct nm_load){0};
    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_alive, &alive);
    pthread_mutex_unlock(&nm->lock);
    for (size_t i = 0; i < alive.n; i++)
        alive.v[i].ticks = add_container(nm, &alive.v[i].id, &s->last);
    s->last.containers_cores = get_cores(replace_ticks(&s->containers, &alive), since_us);
    read_memory(&s->last);
    s->last.node_cores = get_cores(busy - s->busy_ticks, since_us);
    s->busy_ticks = busy;
    s->taken_us = now_us;
    s->last.cost_ms = (nm_now_us() - now_us) / 1000;
}

struct nm_load_sampler *nm_load_sampler_new(void)
{
    struct nm_load_sampler *s = base_alloc(sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void nm_load_sampler_free(struct nm_load_sampler *s)
{
    if (!s)
        return;
    free(s->containers.v);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void nm_load_read(struct nm_load_sampler *s, struct nm *nm, struct nm_load *out)
{
    int64_t now_us = nm_now_us();

    pthread_mutex_lock(&s->lock);
    if (s->taken_us == 0 || now_us - s->taken_us >= NM_LOAD_EVERY_MS * INT64_C(1000))
        take_sample(s, nm, now_us);
    *out = s->last;
    pthread_mutex_unlock(&s->lock);
}
