#include "nodemanager/figures/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cond.h"
#include "nodemanager/container/process_tree.h"

#define TEXT_MAX 8192 /* longest file of /proc that is read */

/* Processor time of a container since its start, in clock ticks: of its live processes, and of
 * ended ones, whose time is added to their parents'. */
struct container_ticks {
    struct base_container_id id;
    int64_t ticks;
};
struct ticks_list {
    struct container_ticks *v;
    size_t n, cap;
};
struct nm_load_sampler {
    struct nm *nm;
    pthread_t thread;
    pthread_mutex_t lock; /* protects @last and @stopping */
    pthread_cond_t wake;  /* signals @stopping */
    struct nm_load last;
    bool stopping;

    /* the rest is used by the thread only */
    int64_t taken_us; /* when the last sample was taken, on the monotonic clock; 0: never */
    uint64_t taken_n; /* samples taken so far */
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

static void add_process_use(pid_t pid, struct nm_load *sum, int64_t *ticks)
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
static int64_t add_container_tree_use(const struct nm *nm, const struct base_container_id *id,
                                      struct nm_load *sum)
{
    struct nm_pid_file file;
    struct nm_pids below = {0};
    struct nm_proc shim;
    int64_t ticks = 0;

    if (nm_files_read_pid(&nm->files, id, &file) < 0 ||
        !nm_proc_read_stat((pid_t)file.shim, &shim) || shim.start != file.shim_start)
        return 0;
    add_process_use((pid_t)file.shim, sum, &ticks);
    nm_tree_list_descendants((pid_t)file.shim, &below);
    for (size_t i = 0; i < below.len; i++)
        add_process_use(below.v[i], sum, &ticks);
    nm_pids_free(&below);
    return ticks;
}

static void list_if_alive(struct nm_container *c, void *u)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct ticks_list *all = u;

    if (v->state != NM_RUNNING && v->state != NM_SUSPENDED && v->state != NM_KILLING)
        return;
    base_array_grow(&all->v, all->n, &all->cap);
    all->v[all->n++] = (struct container_ticks){.id = v->id};
}

/* Returns the container's ticks in the previous sample. Both lists are in the containers' order of
 * arrival, so the search begins at *@from, which only advances. */
static int64_t find_previous_ticks(const struct ticks_list *before,
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

/* Returns the ticks that all containers have used since the previous sample, which @now
 * replaces. */
static int64_t replace_and_return_used_ticks(struct ticks_list *before, struct ticks_list *now)
{
    int64_t used = 0;
    size_t from = 0;

    for (size_t i = 0; i < now->n; i++)
        used += now->v[i].ticks - find_previous_ticks(before, &now->v[i].id, &from);
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

    if (!read_text("/proc/meminfo", text))
        return;
    out->machine_memory = find_kilobytes(text, "MemTotal:") * 1024;
    out->node_physical = out->machine_memory - find_kilobytes(text, "MemAvailable:") * 1024;
    out->node_virtual =
        out->node_physical +
        (find_kilobytes(text, "SwapTotal:") - find_kilobytes(text, "SwapFree:")) * 1024;
}

/* Returns for how many ticks the processors have not been idle, summed over all of them. */
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

static double ticks_to_cores(int64_t ticks, int64_t us)
{
    return us > 0 ? (double)ticks / (double)sysconf(_SC_CLK_TCK) / ((double)us / 1e6) : 0;
}

static void take_sample(struct nm_load_sampler *s, struct nm_load *out)
{
    struct ticks_list alive = {0};
    int64_t now_us = nm_now_us(), busy = read_busy_ticks();
    int64_t since_us = s->taken_us ? now_us - s->taken_us : 0;

    *out = (struct nm_load){.number = ++s->taken_n};
    pthread_mutex_lock(&s->nm->lock);
    nm_core_each_container(s->nm->core, list_if_alive, &alive);
    pthread_mutex_unlock(&s->nm->lock);
    for (size_t i = 0; i < alive.n; i++)
        alive.v[i].ticks = add_container_tree_use(s->nm, &alive.v[i].id, out);
    out->containers_cores =
        ticks_to_cores(replace_and_return_used_ticks(&s->containers, &alive), since_us);
    read_memory(out);
    out->node_cores = ticks_to_cores(busy - s->busy_ticks, since_us);
    s->busy_ticks = busy;
    s->taken_us = now_us;
    out->cost_ms = (nm_now_us() - now_us) / 1000;
}

static void *sample_until_stopped(void *user)
{
    struct nm_load_sampler *s = user;
    int64_t interval_us =
        base_conf_int(s->nm->conf, "yarn.nodemanager.resource-monitor.interval-ms") * 1000;
    struct nm_load sample;

    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        pthread_mutex_unlock(&s->lock);
        take_sample(s, &sample);
        pthread_mutex_lock(&s->lock);
        s->last = sample;
        int64_t next_us = base_cond_now_us() + interval_us;
        while (!s->stopping && base_cond_wait_until(&s->wake, &s->lock, next_us))
            continue;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int nm_load_sampler_start(struct nm *nm, struct nm_load_sampler **out, struct base_error *err)
{
    struct nm_load_sampler *s = base_alloc(sizeof *s);

    s->nm = nm;
    pthread_mutex_init(&s->lock, NULL);
    base_cond_init(&s->wake);
    int rc = pthread_create(&s->thread, NULL, sample_until_stopped, s);
    if (rc) {
        pthread_cond_destroy(&s->wake);
        pthread_mutex_destroy(&s->lock);
        free(s);
        return base_error_sys(err, -BASE_EIO, rc, "cannot start a thread");
    }
    *out = s;
    return 0;
}

void nm_load_sampler_stop(struct nm_load_sampler *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    free(s->containers.v);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void nm_load_read(struct nm_load_sampler *s, struct nm_load *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->last;
    pthread_mutex_unlock(&s->lock);
}

struct base_utilization nm_load_to_utilization(const struct nm_load *load)
{
    return (struct base_utilization){
        .node_physical_mb = load->node_physical >> 20,
        .node_virtual_mb = load->node_virtual >> 20,
        .node_milli_cores = (int64_t)(load->node_cores * 1000),
        .containers_physical_mb = load->containers_physical >> 20,
        .containers_virtual_mb = load->containers_virtual >> 20,
        .containers_milli_cores = (int64_t)(load->containers_cores * 1000),
        .machine_mb = load->machine_memory >> 20,
        .machine_cores = sysconf(_SC_NPROCESSORS_ONLN),
    };
}
