#include "api/admin/process_beans.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "api/admin/process.h"
#include "base/version.h"

/* ---- JvmMetrics. SOURCE: Hadoop's JvmMetrics: memory in MB, threads by state ---- */
struct jvm_metrics {
    const char *context, *process, *session, *host;
    double heap_used, heap_committed, other_used, other_committed, undefined, max;
    int64_t runnable, blocked, waiting, terminated;
};
static const struct api_attribute jvm_attributes[] = {
    API_ATTRIBUTE(jvm_metrics, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(jvm_metrics, "ProcessName", API_ATTR_TAG, process),
    API_ATTRIBUTE(jvm_metrics, "SessionId", API_ATTR_TAG, session),
    API_ATTRIBUTE(jvm_metrics, "Hostname", API_ATTR_TAG, host),
    API_ATTRIBUTE(jvm_metrics, "MemNonHeapUsedM", API_ATTR_FLOAT, other_used),
    API_ATTRIBUTE(jvm_metrics, "MemNonHeapCommittedM", API_ATTR_FLOAT, other_committed),
    API_ATTRIBUTE(jvm_metrics, "MemNonHeapMaxM", API_ATTR_FLOAT, undefined),
    API_ATTRIBUTE(jvm_metrics, "MemHeapUsedM", API_ATTR_FLOAT, heap_used),
    API_ATTRIBUTE(jvm_metrics, "MemHeapCommittedM", API_ATTR_FLOAT, heap_committed),
    API_ATTRIBUTE(jvm_metrics, "MemHeapMaxM", API_ATTR_FLOAT, max),
    API_ATTRIBUTE(jvm_metrics, "MemMaxM", API_ATTR_FLOAT, max),
    {"GcCount", API_ATTR_NO_COUNT, 0, 0},
    {"GcTimeMillis", API_ATTR_NO_COUNT, 0, 0},
    {"GcCountG1 Old Generation", API_ATTR_PROM_NO_COUNT, 0, 0},
    {"GcTimeMillisG1 Old Generation", API_ATTR_PROM_NO_COUNT, 0, 0},
    {"GcCountG1 Young Generation", API_ATTR_PROM_NO_COUNT, 0, 0},
    {"GcTimeMillisG1 Young Generation", API_ATTR_PROM_NO_COUNT, 0, 0},
    {"GcNumWarnThresholdExceeded", API_ATTR_NO_COUNT, 0, 0},
    {"GcNumInfoThresholdExceeded", API_ATTR_NO_COUNT, 0, 0},
    {"GcTotalExtraSleepTime", API_ATTR_NO_COUNT, 0, 0},
    {"ThreadsNew", API_ATTR_NO_GAUGE, 0, 0},
    API_ATTRIBUTE(jvm_metrics, "ThreadsRunnable", API_ATTR_GAUGE, runnable),
    API_ATTRIBUTE(jvm_metrics, "ThreadsBlocked", API_ATTR_GAUGE, blocked),
    API_ATTRIBUTE(jvm_metrics, "ThreadsWaiting", API_ATTR_GAUGE, waiting),
    {"ThreadsTimedWaiting", API_ATTR_NO_GAUGE, 0, 0},
    API_ATTRIBUTE(jvm_metrics, "ThreadsTerminated", API_ATTR_GAUGE, terminated),
};

static double to_mb(int64_t bytes)
{
    return (double)bytes / (1024 * 1024);
}

static void count_threads_by_state(struct jvm_metrics *m)
{
    size_t n;
    struct api_process_thread *v = api_process_list_threads(&n);

    for (size_t i = 0; i < n; i++) {
        m->runnable += v[i].state == 'R';
        m->blocked += v[i].state == 'D' || v[i].state == 'T' || v[i].state == 't';
        m->terminated += v[i].state == 'Z' || v[i].state == 'X';
    }
    m->waiting = (int64_t)n - m->runnable - m->blocked - m->terminated;
    free(v);
}

static void list_jvm_metrics(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    struct api_process_memory memory;
    struct jvm_metrics m = {.context = "jvm",
                            .process = service->name,
                            .host = api_bean_get_host_name(),
                            .undefined = -1};

    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    api_process_read_memory(&memory);
    m.heap_used = to_mb(memory.anonymous);
    m.heap_committed = to_mb(memory.data);
    m.other_used = to_mb(memory.files);
    m.other_committed = to_mb(memory.code);
    m.max = to_mb(memory.max);
    count_threads_by_state(&m);
    api_bean_add_if_wanted(kind, sink, NULL, 0, &m);
}

const struct api_bean_kind api_bean_jvm_metrics = {
    .name = "JvmMetrics", .list = list_jvm_metrics, API_ATTRIBUTES(jvm_attributes)};

/* ---- UgiMetrics and MetricsSystem: logins and sinks, which Creel does not have ---- */
struct context {
    const char *context, *host;
    int64_t sources;
};
static const struct api_attribute ugi_attributes[] = {
    API_ATTRIBUTE(context, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(context, "Hostname", API_ATTR_TAG, host),
    {"GetGroups", API_ATTR_NO_RATE, 0, 0},
    {"LoginFailure", API_ATTR_NO_RATE, 0, 0},
    {"LoginSuccess", API_ATTR_NO_RATE, 0, 0},
    {"RenewalFailures", API_ATTR_NO_GAUGE, 0, 0},
    {"RenewalFailuresTotal", API_ATTR_NO_GAUGE, 0, 0},
};
static const struct api_attribute metrics_system_attributes[] = {
    API_ATTRIBUTE(context, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(context, "Hostname", API_ATTR_TAG, host),
    API_ATTRIBUTE(context, "NumActiveSources", API_ATTR_GAUGE, sources),
    API_ATTRIBUTE(context, "NumAllSources", API_ATTR_GAUGE, sources),
    {"NumActiveSinks", API_ATTR_NO_GAUGE, 0, 0},
    {"NumAllSinks", API_ATTR_NO_GAUGE, 0, 0},
    {"Sink_prometheus", API_ATTR_NO_RATE, 0, 0},
    {"Sink_prometheusDropped", API_ATTR_NO_COUNT, 0, 0},
    {"Sink_prometheusQsize", API_ATTR_NO_GAUGE, 0, 0},
    {"DroppedPubAll", API_ATTR_NO_COUNT, 0, 0},
    {"Publish", API_ATTR_NO_RATE, 0, 0},
    {"Snapshot", API_ATTR_NO_RATE, 0, 0},
};

static void list_ugi_metrics(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    (void)service;
    api_bean_add_if_wanted(kind, sink, NULL, 0,
                           &(struct context){.context = "ugi", .host = api_bean_get_host_name()});
}

static void list_metrics_system(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                const struct api_bean_service *service)
{
    struct context c = {.context = "metricssystem", .host = api_bean_get_host_name()};

    for (const struct api_bean_kind *const *k = service->kinds; *k; k++)
        c.sources += !(*k)->java_class;
    api_bean_add_if_wanted(kind, sink, "MetricsSystem,sub=Stats", 0, &c);
}

const struct api_bean_kind api_bean_ugi_metrics = {
    .name = "UgiMetrics", .list = list_ugi_metrics, API_ATTRIBUTES(ugi_attributes)};
const struct api_bean_kind api_bean_metrics_system = {.name = "MetricsSystem",
                                                      .list = list_metrics_system,
                                                      API_ATTRIBUTES(metrics_system_attributes)};

/* ---- java.lang ---- */
#define JAVA_TYPE "java.lang:type="

struct runtime {
    const char *spec_name, *vendor, *version, *vm_name, *name, *empty, *object_name;
    struct api_texts none;
    int64_t pid, start_ms, uptime_ms;
    bool no;
};
static const struct api_attribute runtime_attributes[] = {
    API_ATTRIBUTE(runtime, "ManagementSpecVersion", API_ATTR_TEXT, version),
    API_ATTRIBUTE(runtime, "SpecName", API_ATTR_TEXT, spec_name),
    API_ATTRIBUTE(runtime, "SpecVendor", API_ATTR_TEXT, vendor),
    API_ATTRIBUTE(runtime, "SpecVersion", API_ATTR_TEXT, version),
    API_ATTRIBUTE(runtime, "InputArguments", API_ATTR_TEXTS, none),
    API_ATTRIBUTE(runtime, "SystemProperties", API_ATTR_TEXTS, none),
    API_ATTRIBUTE(runtime, "Pid", API_ATTR_GAUGE, pid),
    API_ATTRIBUTE(runtime, "Name", API_ATTR_TEXT, name),
    API_ATTRIBUTE(runtime, "ClassPath", API_ATTR_TEXT, empty),
    API_ATTRIBUTE(runtime, "StartTime", API_ATTR_GAUGE, start_ms),
    API_ATTRIBUTE(runtime, "BootClassPathSupported", API_ATTR_BOOL, no),
    API_ATTRIBUTE(runtime, "VmName", API_ATTR_TEXT, vm_name),
    API_ATTRIBUTE(runtime, "VmVendor", API_ATTR_TEXT, vendor),
    API_ATTRIBUTE(runtime, "VmVersion", API_ATTR_TEXT, version),
    API_ATTRIBUTE(runtime, "LibraryPath", API_ATTR_TEXT, empty),
    API_ATTRIBUTE(runtime, "Uptime", API_ATTR_GAUGE, uptime_ms),
    API_ATTRIBUTE(runtime, "ObjectName", API_ATTR_TEXT, object_name),
};

static void list_runtime(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                         const struct api_bean_service *service)
{
    struct timespec now;
    char name[300];
    struct runtime r = {.spec_name = "Creel",
                        .vendor = "Creel",
                        .version = CREEL_VERSION,
                        .vm_name = "Creel (native code)",
                        .name = name,
                        .empty = "",
                        .object_name = JAVA_TYPE "Runtime",
                        .pid = getpid(),
                        .start_ms = api_process_start_ms()};

    (void)service;
    clock_gettime(CLOCK_REALTIME, &now);
    r.uptime_ms = now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000 - r.start_ms;
    snprintf(name, sizeof name, "%d@%s", getpid(), api_bean_get_host_name());
    api_bean_add_if_wanted(kind, sink, NULL, 0, &r);
}

struct memory {
    struct api_memory_usage heap, other;
    const char *object_name;
    bool no;
};
static const struct api_attribute memory_attributes[] = {
    {"ObjectPendingFinalizationCount", API_ATTR_NO_GAUGE, 0, 0},
    API_ATTRIBUTE(memory, "HeapMemoryUsage", API_ATTR_USAGE, heap),
    API_ATTRIBUTE(memory, "NonHeapMemoryUsage", API_ATTR_USAGE, other),
    API_ATTRIBUTE(memory, "Verbose", API_ATTR_BOOL, no),
    API_ATTRIBUTE(memory, "ObjectName", API_ATTR_TEXT, object_name),
};

static void list_memory(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                        const struct api_bean_service *service)
{
    struct memory m = {.object_name = JAVA_TYPE "Memory"};
    struct api_process_memory p;

    (void)service;
    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    api_process_read_memory(&p);
    m.heap = (struct api_memory_usage){.committed = p.data, .max = p.max, .used = p.anonymous};
    m.other = (struct api_memory_usage){.committed = p.code, .max = -1, .used = p.files};
    api_bean_add_if_wanted(kind, sink, NULL, 0, &m);
}

/* Shows the features of Java 17 as supported, although they have no meaning here. */
struct threading {
    struct api_longs ids;
    int64_t count, peak, cpu_ns;
    const char *object_name;
    bool yes, no;
};
static const struct api_attribute threading_attributes[] = {
    API_ATTRIBUTE(threading, "ThreadAllocatedMemorySupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "ThreadAllocatedMemoryEnabled", API_ATTR_BOOL, yes),
    {"TotalThreadAllocatedBytes", API_ATTR_NO_GAUGE, 0, 0},
    {"CurrentThreadAllocatedBytes", API_ATTR_NO_GAUGE, 0, 0},
    API_ATTRIBUTE(threading, "ThreadContentionMonitoringEnabled", API_ATTR_BOOL, no),
    API_ATTRIBUTE(threading, "AllThreadIds", API_ATTR_LONGS, ids),
    API_ATTRIBUTE(threading, "ThreadCount", API_ATTR_GAUGE, count),
    API_ATTRIBUTE(threading, "PeakThreadCount", API_ATTR_GAUGE, peak),
    API_ATTRIBUTE(threading, "TotalStartedThreadCount", API_ATTR_GAUGE, peak),
    {"DaemonThreadCount", API_ATTR_NO_GAUGE, 0, 0},
    API_ATTRIBUTE(threading, "ThreadContentionMonitoringSupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "CurrentThreadCpuTime", API_ATTR_GAUGE, cpu_ns),
    API_ATTRIBUTE(threading, "CurrentThreadUserTime", API_ATTR_GAUGE, cpu_ns),
    API_ATTRIBUTE(threading, "ThreadCpuTimeSupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "CurrentThreadCpuTimeSupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "ThreadCpuTimeEnabled", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "ObjectMonitorUsageSupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "SynchronizerUsageSupported", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(threading, "ObjectName", API_ATTR_TEXT, object_name),
};

static void list_threading(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                           const struct api_bean_service *service)
{
    static _Atomic int64_t most_seen;
    struct threading t = {.object_name = JAVA_TYPE "Threading", .yes = true};
    struct api_process_thread *v;
    struct timespec cpu;
    int64_t *ids, most = atomic_load(&most_seen);
    size_t n;

    (void)service;
    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    v = api_process_list_threads(&n);
    ids = base_alloc((n + 1) * sizeof *ids);
    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].id;
    while (most < (int64_t)n && !atomic_compare_exchange_weak(&most_seen, &most, (int64_t)n))
        ;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    t.ids = (struct api_longs){ids, n};
    t.count = (int64_t)n;
    t.peak = atomic_load(&most_seen);
    t.cpu_ns = cpu.tv_sec * INT64_C(1000000000) + cpu.tv_nsec;
    api_bean_add_if_wanted(kind, sink, NULL, 0, &t);
    free(ids);
    free(v);
}

struct operating_system {
    struct api_process_machine machine;
    int64_t virtual_memory;
    const char *arch, *name, *version, *object_name;
};
#define OS_ATTRIBUTE(name, type, member) API_ATTRIBUTE(operating_system, name, type, member)
static const struct api_attribute operating_system_attributes[] = {
    OS_ATTRIBUTE("OpenFileDescriptorCount", API_ATTR_GAUGE, machine.files_open),
    OS_ATTRIBUTE("MaxFileDescriptorCount", API_ATTR_GAUGE, machine.files_max),
    OS_ATTRIBUTE("CommittedVirtualMemorySize", API_ATTR_GAUGE, virtual_memory),
    OS_ATTRIBUTE("TotalSwapSpaceSize", API_ATTR_GAUGE, machine.swap_total),
    OS_ATTRIBUTE("FreeSwapSpaceSize", API_ATTR_GAUGE, machine.swap_free),
    OS_ATTRIBUTE("ProcessCpuTime", API_ATTR_GAUGE, machine.cpu_ns),
    OS_ATTRIBUTE("FreeMemorySize", API_ATTR_GAUGE, machine.memory_free),
    OS_ATTRIBUTE("TotalMemorySize", API_ATTR_GAUGE, machine.memory_total),
    OS_ATTRIBUTE("CpuLoad", API_ATTR_DOUBLE, machine.cpu_of_machine),
    OS_ATTRIBUTE("ProcessCpuLoad", API_ATTR_DOUBLE, machine.cpu_of_process),
    OS_ATTRIBUTE("FreePhysicalMemorySize", API_ATTR_GAUGE, machine.memory_free),
    OS_ATTRIBUTE("TotalPhysicalMemorySize", API_ATTR_GAUGE, machine.memory_total),
    OS_ATTRIBUTE("SystemCpuLoad", API_ATTR_DOUBLE, machine.cpu_of_machine),
    OS_ATTRIBUTE("Arch", API_ATTR_TEXT, arch),
    OS_ATTRIBUTE("SystemLoadAverage", API_ATTR_DOUBLE, machine.load),
    OS_ATTRIBUTE("Name", API_ATTR_TEXT, name),
    OS_ATTRIBUTE("Version", API_ATTR_TEXT, version),
    OS_ATTRIBUTE("AvailableProcessors", API_ATTR_GAUGE, machine.processors),
    OS_ATTRIBUTE("ObjectName", API_ATTR_TEXT, object_name),
};

static void list_operating_system(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                  const struct api_bean_service *service)
{
    struct operating_system o = {.object_name = JAVA_TYPE "OperatingSystem"};
    struct api_process_memory memory;
    struct utsname system;

    (void)service;
    if (!api_bean_is_wanted(kind, sink, NULL) || uname(&system) < 0)
        return;
    api_process_read_machine(&o.machine);
    api_process_read_memory(&memory);
    o.virtual_memory = memory.size;
    o.arch = strcmp(system.machine, "x86_64") == 0 ? "amd64" : system.machine;
    o.name = system.sysname;
    o.version = system.release;
    api_bean_add_if_wanted(kind, sink, NULL, 0, &o);
}

/* Dashboards ask for the collectors of Java 17 by name. */
struct collector {
    const char *last, *name, *object_name;
    struct api_texts pools;
    bool yes;
};
static const struct api_attribute collector_attributes[] = {
    API_ATTRIBUTE(collector, "LastGcInfo", API_ATTR_TEXT, last),
    {"CollectionCount", API_ATTR_NO_COUNT, 0, 0},
    {"CollectionTime", API_ATTR_NO_COUNT, 0, 0},
    API_ATTRIBUTE(collector, "MemoryPoolNames", API_ATTR_TEXTS, pools),
    API_ATTRIBUTE(collector, "Name", API_ATTR_TEXT, name),
    API_ATTRIBUTE(collector, "Valid", API_ATTR_BOOL, yes),
    API_ATTRIBUTE(collector, "ObjectName", API_ATTR_TEXT, object_name),
};

static void list_garbage_collectors(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                    const struct api_bean_service *service)
{
    static const char *const pools[] = {"G1 Eden Space", "G1 Survivor Space", "G1 Old Gen"};
    static const char *const names[] = {"G1 Young Generation", "G1 Old Generation"};

    (void)service;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char tail[64], object_name[96];
        struct collector c = {.name = names[i],
                              .object_name = object_name,
                              .pools = {pools, sizeof pools / sizeof *pools},
                              .yes = true};

        snprintf(tail, sizeof tail, "%s,type=GarbageCollector", names[i]);
        snprintf(object_name, sizeof object_name, JAVA_TYPE "GarbageCollector,name=%s", names[i]);
        api_bean_add_if_wanted(kind, sink, tail, 0, &c);
    }
}

const struct api_bean_kind api_bean_runtime = {.prefix = JAVA_TYPE,
                                               .name = "Runtime",
                                               .java_class = "sun.management.RuntimeImpl",
                                               .list = list_runtime,
                                               API_ATTRIBUTES(runtime_attributes)};
const struct api_bean_kind api_bean_memory = {.prefix = JAVA_TYPE,
                                              .name = "Memory",
                                              .java_class = "sun.management.MemoryImpl",
                                              .list = list_memory,
                                              API_ATTRIBUTES(memory_attributes)};
const struct api_bean_kind api_bean_threading = {
    .prefix = JAVA_TYPE,
    .name = "Threading",
    .java_class = "com.sun.management.internal.HotSpotThreadImpl",
    .list = list_threading,
    API_ATTRIBUTES(threading_attributes)};
const struct api_bean_kind api_bean_operating_system = {
    .prefix = JAVA_TYPE,
    .name = "OperatingSystem",
    .java_class = "com.sun.management.internal.OperatingSystemImpl",
    .list = list_operating_system,
    API_ATTRIBUTES(operating_system_attributes)};
const struct api_bean_kind api_bean_garbage_collector = {
    .prefix = "java.lang:name=",
    .name = "G1 ",
    .java_class = "com.sun.management.internal.GarbageCollectorExtImpl",
    .list = list_garbage_collectors,
    API_ATTRIBUTES(collector_attributes)};
