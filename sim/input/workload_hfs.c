/* Workloads of the delay-scheduling paper.
 *
 * SOURCE: Zaharia et al., EuroSys 2010; tables, sections and figures as named below. The paper does
 * not publish task times. A one-map job takes 32 s there (the median of the smallest bins); we
 * split that into 10 s of setup, a map of 12 s and 10 s of cleanup. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/input/workload_internal.h"

#define IO_MAP_S  12
#define CPU_MAP_S 60
#define CPU_F_OFF 1.15

/* Gives each job a user of its own, and a name if it has none. */
static void set_user_and_job_names(struct sim_workload_maker *m)
{
    for (size_t i = 0; i < m->made->n; i++) {
        struct sim_job *job = &m->made->v[i];

        snprintf(job->user, sizeof job->user, "user%llu", (unsigned long long)job->id);
        if (!job->name[0])
            snprintf(job->name, sizeof job->name, "job%llu", (unsigned long long)job->id);
    }
}

/* ---------------------------------------------------------------- w-hfs: table 1, section 5.1 */
static const struct {
    int32_t maps, jobs;
} bins[] = {{1, 38}, {2, 16}, {10, 14}, {50, 8}, {100, 6}, {200, 6}, {400, 4}, {800, 4}, {4800, 4}};

static const struct sim_knob hfs_knobs[] = {
    SIM_KNOB_WORD("bound", 0, "io,cpu", "maps bound by I/O or by CPU"),
    SIM_KNOB_REAL("map_s", 0, 0, 1e6,
                  "seconds of a map with its data on its node; 0: 12 for io, 60 for cpu"),
    SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_SETUP(10),
    SIM_KNOB_CLEANUP(10),
    SIM_KNOB_GAP(14),
    SIM_KNOB_END,
};

/* CPU-bound maps are hardly slowed down by reading their data from another node. */
static void set_io_or_cpu_bound_times(struct sim_workload_maker *m, struct sim_job *job)
{
    bool cpu = sim_knob_word_index(m, "bound") == 1;

    if (sim_knob_value(m, "map_s") == 0)
        job->base_us[BASE_TASK_MAP] = (cpu ? CPU_MAP_S : IO_MAP_S) * INT64_C(1000000);
    if (cpu && sim_knob_value(m, "f_rack") == 0)
        job->f_rack = CPU_F_OFF;
    if (cpu && sim_knob_value(m, "f_off") == 0)
        job->f_off = CPU_F_OFF;
}

static void make_w_hfs(struct sim_workload_maker *m)
{
    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
        for (int32_t i = 0; i < bins[b].jobs; i++)
            set_io_or_cpu_bound_times(
                m, sim_workload_add_job(m, sim_workload_size_bin(bins[b].maps), bins[b].maps, 0));
    sim_workload_shuffle_jobs(m);
    sim_workload_draw_submissions(m, sim_knob_value(m, "gap_s"));
    set_user_and_job_names(m);
}

/* ---------------------------------------------------------------- w-hfs-mixed: table 3 */
#define JOIN_MAPS 2400
static const struct {
    const char *name;
    int32_t maps, reduces, jobs;
} mix[] = {
    {"select", 1, 0, 38},        {"text-search", 2, 0, 16},    {"aggregation", 10, 3, 14},
    {"select", 50, 0, 8},        {"text-search", 100, 0, 6},   {"aggregation", 200, 50, 6},
    {"select", 400, 0, 4},       {"aggregation", 800, 180, 4}, {"join", JOIN_MAPS, 360, 2},
    {"text-search", 4800, 0, 2},
};
#define JOIN_FOLLOWERS 3 /* small jobs that follow each join one after the other */

static const struct sim_knob mixed_knobs[] = {
    SIM_KNOB_MAP(IO_MAP_S), SIM_KNOB_REDUCE(60), SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),     SIM_KNOB_F_OFF(0),   SIM_KNOB_SETUP(10),
    SIM_KNOB_CLEANUP(10),   SIM_KNOB_GAP(14),    SIM_KNOB_END,
};

/* Inserts the follow-up jobs after each join. Each follower waits for the end of the job before it.
 * The list is rebuilt because every insertion shifts the ids of the later jobs. */
static void insert_jobs_after_joins(struct sim_workload_maker *m)
{
    struct sim_made_jobs plain = *m->made;

    *m->made = (struct sim_made_jobs){0};
    for (size_t i = 0; i < plain.n; i++) {
        struct sim_job *job = sim_workload_add_job(m, "", 1, 0);
        uint64_t id = job->id;

        *job = plain.v[i];
        job->id = id;
        for (int k = 0; k < JOIN_FOLLOWERS && plain.v[i].tasks[BASE_TASK_MAP] == JOIN_MAPS; k++) {
            job = sim_workload_add_job(m, "join-tail", 1, 1);
            snprintf(job->name, sizeof job->name, "join-%d", k + 2);
            job->submit_us = plain.v[i].submit_us;
            job->after = job->id - 1;
        }
    }
    free(plain.v); /* no deep free: the copies own the jobs' arrays */
}

static void make_w_hfs_mixed(struct sim_workload_maker *m)
{
    for (size_t k = 0; k < sizeof mix / sizeof *mix; k++)
        for (int32_t i = 0; i < mix[k].jobs; i++)
            sim_job_copy_text(sim_workload_add_job(m, sim_workload_size_bin(mix[k].maps),
                                                   mix[k].maps, mix[k].reduces)
                                  ->name,
                              mix[k].name);
    sim_workload_shuffle_jobs(m);
    sim_workload_draw_submissions(m, sim_knob_value(m, "gap_s"));
    insert_jobs_after_joins(m);
    set_user_and_job_names(m);
}

/* --------------------------------------------------- hfs-fig11: section 5.1.3, shares over time */
static const struct sim_knob fig11_knobs[] = {
    SIM_KNOB_WHOLE("long_maps", 12000, 1, 1e7, "maps of the two long jobs"),
    SIM_KNOB_REAL("long_map_s", 25, 0.001, 1e6, "seconds of a map of such a job"),
    SIM_KNOB_WHOLE("short_maps", 800, 1, 1e7, "maps of the four short jobs"),
    SIM_KNOB_REAL("map_s", IO_MAP_S, 0.001, 1e6, "seconds of a map of such a job"),
    SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_END,
};

static void make_hfs_fig11(struct sim_workload_maker *m)
{
    static const struct {
        const char *pool;
        int at_s;
        bool is_long;
    } jobs[] = {{"pool1", 0, true},    {"pool2", 57, true},   {"pool3", 118, false},
                {"pool3", 118, false}, {"pool3", 118, false}, {"pool1", 494, false}};

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        int32_t maps = (int32_t)sim_knob_value(m, jobs[i].is_long ? "long_maps" : "short_maps");
        struct sim_job *job = sim_workload_add_job(m, jobs[i].is_long ? "long" : "short", maps, 0);

        if (jobs[i].is_long)
            job->base_us[BASE_TASK_MAP] = sim_knob_value_us(m, "long_map_s");
        sim_job_copy_text(job->pool, jobs[i].pool);
        job->submit_us = jobs[i].at_s * INT64_C(1000000);
    }
    set_user_and_job_names(m);
}

/* ------------------------------------------------------ equal jobs, a fixed number open at once */
static void make_equal_jobs(struct sim_workload_maker *m)
{
    int32_t maps = (int32_t)sim_knob_value(m, "maps");

    for (int32_t i = 0; i < (int32_t)sim_knob_value(m, "jobs"); i++)
        sim_workload_add_job(m, sim_workload_size_bin(maps), maps, 0);
    m->made->open = (size_t)sim_knob_value(m, "open");
    set_user_and_job_names(m);
}

/* Section 5.2, table 4 and figure 12. */
static const struct sim_knob small_knobs[] = {
    SIM_KNOB_WHOLE("maps", 10, 1, 1e6, "maps of a job; 3, 10 and 100 in the paper"),
    SIM_KNOB_JOBS(1000),
    SIM_KNOB_WHOLE("open", 100, 1, 1e6, "jobs open at any time"),
    SIM_KNOB_MAP(IO_MAP_S),
    SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_SETUP(0),
    SIM_KNOB_CLEANUP(0),
    SIM_KNOB_END,
};

/* Section 5.3, figure 15. */
static const struct sim_knob closed_knobs[] = {
    SIM_KNOB_WHOLE("maps", 4, 1, 1e6, "maps of a job; 4 and 12 in the paper"),
    SIM_KNOB_JOBS(200),
    SIM_KNOB_WHOLE("open", 50, 1, 1e6, "jobs active at any time"),
    SIM_KNOB_MAP(IO_MAP_S),
    SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_SETUP(0),
    SIM_KNOB_CLEANUP(0),
    SIM_KNOB_END,
};

/* -------------------------------------------------- hfs-scans: section 5.2.1, figures 13 and 14 */
static const struct sim_knob scans_knobs[] = {
    SIM_KNOB_JOBS(20),
    SIM_KNOB_WHOLE("splits", 1440, 1, 1e6, "splits of the file: 180 GB in blocks of 128 MB"),
    SIM_KNOB_MAP(IO_MAP_S),
    SIM_KNOB_CV(0.1),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_SETUP(0),
    SIM_KNOB_CLEANUP(0),
    SIM_KNOB_END,
};

static void make_hfs_scans(struct sim_workload_maker *m)
{
    for (int32_t i = 0; i < (int32_t)sim_knob_value(m, "jobs"); i++)
        sim_workload_add_job(m, "scan", (int32_t)sim_knob_value(m, "splits"), 0)->file = 1;
    set_user_and_job_names(m);
}

const struct sim_recipe sim_recipes_hfs[] = {
    {"w-hfs", "100 jobs of 1 to 4,800 maps in random order, exponential gaps, a user each",
     hfs_knobs, make_w_hfs},
    {"w-hfs-mixed",
     "the same sizes as selections, text searches, aggregations and joins (each followed by three "
     "small jobs)",
     mixed_knobs, make_w_hfs_mixed},
    {"hfs-fig11",
     "long jobs in pool1 at 0 and pool2 at 57 s, three short ones in pool3 at 118 s, one in pool1 "
     "at 494 s",
     fig11_knobs, make_hfs_fig11},
    {"hfs-small-jobs", "equal small jobs, a fixed number open at any time", small_knobs,
     make_equal_jobs},
    {"hfs-scans", "jobs that all read one file, all submitted at 0", scans_knobs, make_hfs_scans},
    {"hfs-closed-loop", "equal jobs; each one that ends is replaced by a new one", closed_knobs,
     make_equal_jobs},
    {NULL, NULL, NULL, NULL},
};
