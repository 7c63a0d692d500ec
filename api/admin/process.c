#include "api/admin/process.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define KIB 1024

bool api_process_read_file(const char *path, char *buf, size_t max)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(buf, 1, max - 1, f) : 0;

    if (f)
        fclose(f);
    while (n > 0 && buf[n - 1] == '\n')
        n--;
    buf[n] = '\0';
    return n > 0;
}

/* Returns the number after "@key" at the beginning of a line; 0 when there is none. */
static int64_t find_number(const char *text, const char *key)
{
    size_t n = strlen(key);

    while (text && *text) {
        if (strncmp(text, key, n) == 0)
            return strtoll(text + n, NULL, 10);
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return 0;
}

void api_process_read_memory(struct api_process_memory *out)
{
    char text[4096];
    struct rlimit limit;

    *out = (struct api_process_memory){0};
    if (api_process_read_file("/proc/self/status", text, sizeof text)) {
        out->anonymous = find_number(text, "RssAnon:") * KIB;
        out->files = (find_number(text, "RssFile:") + find_number(text, "RssShmem:")) * KIB;
        out->data = find_number(text, "VmData:") * KIB;
        out->code = (find_number(text, "VmExe:") + find_number(text, "VmLib:")) * KIB;
        out->size = find_number(text, "VmSize:") * KIB;
    }
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        out->max = (int64_t)limit.rlim_cur;
    else
        out->max = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
}

/* ---- threads ---- */
static int compare_threads(const void *a, const void *b)
{
    const struct api_process_thread *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Reads "ID (NAME) STATE ..."; the name may contain anything, even ")". */
static bool read_thread(const char *id, struct api_process_thread *out)
{
    char path[64], text[512], *open, *close;

    snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", id);
    if (!api_process_read_file(path, text, sizeof text))
        return false; /* it has ended */
    open = strchr(text, '(');
    close = strrchr(text, ')');
    if (!open || !close || close < open || !close[1])
        return false;
    *close = '\0';
    *out = (struct api_process_thread){.id = (pid_t)strtol(id, NULL, 10), .state = close[2]};
    snprintf(out->name, sizeof out->name, "%.16s", open + 1);
    return true;
}

struct api_process_thread *api_process_list_threads(size_t *n)
{
    DIR *d = opendir("/proc/self/task");
    struct api_process_thread *v = NULL;
    size_t cap = 0;

    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        base_array_grow(&v, *n, &cap);
        if (read_thread(e->d_name, &v[*n]))
            ++*n;
    }
    if (d)
        closedir(d);
    if (*n)
        qsort(v, *n, sizeof *v, compare_threads);
    return v;
}

/* Returns the number in field @field of a stat file, counted from 1; the second one, the name, may
 * contain anything. */
static int64_t find_stat_field(const char *text, int field)
{
    const char *at = strrchr(text, ')');

    for (int i = 2; i < field && at; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

bool api_process_read_thread_use(pid_t id, struct api_process_thread_use *out)
{
    char path[64], text[4096];
    int64_t ticks;

    *out = (struct api_process_thread_use){0};
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)id);
    if (!api_process_read_file(path, text, sizeof text))
        return false;
    out->waited = find_number(text, "voluntary_ctxt_switches:");
    out->preempted = find_number(text, "nonvoluntary_ctxt_switches:");
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)id);
    if (!api_process_read_file(path, text, sizeof text))
        return false;
    ticks = find_stat_field(text, 14) + find_stat_field(text, 15); /* user and system time */
    out->cpu_ms = ticks * 1000 / sysconf(_SC_CLK_TCK);
    return true;
}

/* ---- the machine ---- */
static int64_t count_open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int64_t n = -1; /* without the descriptor of the folder itself */

    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));)
        n += isdigit((unsigned char)e->d_name[0]) != 0;
    closedir(d);
    return n;
}

struct cpu_sample {
    int64_t process_ns, wall_ns;
    int64_t busy, all; /* of the machine, in its ticks */
};

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void take_cpu_sample(struct cpu_sample *out)
{
    char text[512], *at = text + strlen("cpu");

    *out = (struct cpu_sample){.process_ns = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
                               .wall_ns = read_clock_ns(CLOCK_MONOTONIC)};
    if (!api_process_read_file("/proc/stat", text, sizeof text))
        return;
    for (int i = 0; i < 8; i++) { /* user nice system idle iowait irq softirq steal */
        int64_t ticks = strtoll(at, &at, 10);

        out->all += ticks;
        out->busy += i == 3 || i == 4 ? 0 : ticks;
    }
}

static double get_clamped_ratio(int64_t part, int64_t whole)
{
    double f = whole > 0 ? (double)part / (double)whole : 0;

    return f < 0 ? 0 : f > 1 ? 1 : f;
}

static void read_cpu_load_since_last(struct api_process_machine *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct cpu_sample last;
    struct cpu_sample now;

    pthread_mutex_lock(&lock);
    take_cpu_sample(&now);
    out->cpu_ns = now.process_ns;
    out->cpu_of_process = get_clamped_ratio(now.process_ns - last.process_ns,
                                            (now.wall_ns - last.wall_ns) * out->processors);
    out->cpu_of_machine = get_clamped_ratio(now.busy - last.busy, now.all - last.all);
    last = now;
    pthread_mutex_unlock(&lock);
}

void api_process_read_machine(struct api_process_machine *out)
{
    char text[4096];
    struct rlimit limit;

    *out = (struct api_process_machine){.processors = sysconf(_SC_NPROCESSORS_ONLN),
                                        .files_open = count_open_files()};
    if (api_process_read_file("/proc/meminfo", text, sizeof text)) {
        out->memory_total = find_number(text, "MemTotal:") * KIB;
        out->memory_free = find_number(text, "MemFree:") * KIB;
        out->swap_total = find_number(text, "SwapTotal:") * KIB;
        out->swap_free = find_number(text, "SwapFree:") * KIB;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        out->files_max = (int64_t)limit.rlim_cur;
    if (getloadavg(&out->load, 1) != 1)
        out->load = -1;
    read_cpu_load_since_last(out);
}

static int64_t start_ms;

static void compute_start_time(void)
{
    char text[1024];
    int64_t boot_ms = (read_clock_ns(CLOCK_REALTIME) - read_clock_ns(CLOCK_BOOTTIME)) / 1000000;
    long ticks = sysconf(_SC_CLK_TCK);

    if (api_process_read_file("/proc/self/stat", text, sizeof text))
        start_ms = boot_ms + find_stat_field(text, 22) * 1000 / ticks; /* ticks after the boot */
}

int64_t api_process_start_ms(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, compute_start_time);
    return start_ms;
}
