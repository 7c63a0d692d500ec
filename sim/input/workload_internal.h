/* sim/input/workload_internal.h - the parts a workload is made from: recipe, settings ("knobs"),
 * helpers. */
#ifndef CREEL_SIM_INPUT_WORKLOAD_INTERNAL_H
#define CREEL_SIM_INPUT_WORKLOAD_INTERNAL_H

#include "sim/engine/rng.h"
#include "sim/input/workload.h"

#define SIM_KNOBS_MAX 20

struct sim_knob {
    const char *key;
    double value, min, max; /* value: the default, or the index of the default word */
    const char *words;      /* comma-separated choices, such as "io,cpu"; NULL: a number */
    bool whole;             /* only integers are allowed */
    const char *help;
};
struct sim_workload_maker {
    const struct sim_recipe *recipe;
    double value[SIM_KNOBS_MAX];
    uint64_t seed;
    struct sim_made_jobs *made;
};
struct sim_recipe {
    const char *name, *help;
    const struct sim_knob *knobs; /* the last entry has a NULL key */
    void (*make)(struct sim_workload_maker *m);
};
/* Recipes from the delay-scheduling paper, and all others. The last entry has a NULL name. */
extern const struct sim_recipe sim_recipes_hfs[], sim_recipes_others[];

/* The value of setting @key. Asserts that the recipe has the setting. */
double sim_knob_value(const struct sim_workload_maker *m, const char *key);
/* The value of a setting in seconds, converted to microseconds. */
int64_t sim_knob_value_us(const struct sim_workload_maker *m, const char *key);
/* The index of the chosen word of a setting that has words. */
int sim_knob_word_index(const struct sim_workload_maker *m, const char *key);

/* Appends a new job with the next id. Base times, cv, f_rack, f_off, setup and cleanup come from
 * the settings of the same names, where the recipe has them; otherwise base times are 1 s and the
 * rest 0. f_colo is 0.7. The pointer is valid until the next call. */
struct sim_job *sim_workload_add_job(struct sim_workload_maker *m, const char *class_name,
                                     int32_t maps, int32_t reduces);
/* Puts all jobs in random order and renumbers their ids. Call before jobs refer to each other by
 * id. */
void sim_workload_shuffle_jobs(struct sim_workload_maker *m);
/* Sets submission times: the first job at 0, then exponential gaps. */
void sim_workload_draw_submissions(struct sim_workload_maker *m, double mean_gap_s);
/* A random sequence that depends on the workload's seed and on @purpose only. */
struct sim_rng sim_workload_rng_for(const struct sim_workload_maker *m, uint64_t purpose);

#define SIM_KNOB_REAL(key, value, min, max, help)                                                  \
    {                                                                                              \
        key, value, min, max, NULL, false, help                                                    \
    }
#define SIM_KNOB_WHOLE(key, value, min, max, help)                                                 \
    {                                                                                              \
        key, value, min, max, NULL, true, help                                                     \
    }
#define SIM_KNOB_WORD(key, value, words, help)                                                     \
    {                                                                                              \
        key, value, 0, 0, words, false, help                                                       \
    }
#define SIM_KNOB_END                                                                               \
    {                                                                                              \
        NULL, 0, 0, 0, NULL, false, NULL                                                           \
    }

/* Settings that many recipes share. */
#define SIM_KNOB_MAP(seconds)                                                                      \
    SIM_KNOB_REAL("map_s", seconds, 0.001, 1e6, "seconds of a map with its data on its node")
#define SIM_KNOB_REDUCE(seconds)                                                                   \
    SIM_KNOB_REAL("reduce_s", seconds, 0.001, 1e6, "seconds of a reduce")
#define SIM_KNOB_CV(cv) SIM_KNOB_REAL("cv", cv, 0, 3, "coefficient of variation of task times")
#define SIM_KNOB_F_RACK(times)                                                                     \
    SIM_KNOB_REAL("f_rack", times, 0, 100,                                                         \
                  "factor on a map's duration with its data in the rack; 0: 1.2, or 2 in a "       \
                  "cluster of one rack")
#define SIM_KNOB_F_OFF(times)                                                                      \
    SIM_KNOB_REAL("f_off", times, 0, 100,                                                          \
                  "factor on a map's duration with its data in another rack; 0: 2")
#define SIM_KNOB_SETUP(seconds)                                                                    \
    SIM_KNOB_REAL("setup_s", seconds, 0, 1e6, "seconds before the first task")
#define SIM_KNOB_CLEANUP(seconds)                                                                  \
    SIM_KNOB_REAL("cleanup_s", seconds, 0, 1e6, "seconds after the last task")
#define SIM_KNOB_GAP(seconds)                                                                      \
    SIM_KNOB_REAL("gap_s", seconds, 0, 1e6, "mean seconds between submissions")
#define SIM_KNOB_JOBS(jobs) SIM_KNOB_WHOLE("jobs", jobs, 1, 1e6, "number of jobs")

#endif
