/* sim/input/workload_internal.h - how workloads are made: a recipe, its settings, helpers. */
#ifndef CREEL_SIM_INPUT_WORKLOAD_INTERNAL_H
#define CREEL_SIM_INPUT_WORKLOAD_INTERNAL_H

#include "sim/engine/rng.h"
#include "sim/input/workload.h"

#define SIM_KNOBS_MAX 20

struct sim_knob {
    const char *key;
    double value, min, max; /* value: the default; with words: index of a word */
    const char *words;      /* "io,cpu"; NULL: a number */
    bool whole;             /* an integer */
    const char *help;
};
struct sim_maker {
    const struct sim_recipe *recipe;
    double value[SIM_KNOBS_MAX];
    uint64_t seed;
    struct sim_made *made;
};
struct sim_recipe {
    const char *name, *help;
    const struct sim_knob *knobs; /* ends with a NULL key */
    void (*make)(struct sim_maker *m);
};
/* Of the papers on fair sharing, and of all others. End with a NULL name. */
extern const struct sim_recipe sim_recipes_hfs[], sim_recipes_others[];

/* The setting; asserts that the recipe has it. */
double sim_knob(const struct sim_maker *m, const char *key);
int64_t sim_knob_us(const struct sim_maker *m, const char *key); /* seconds as microseconds */
int sim_knob_word(const struct sim_maker *m, const char *key);

/* A new job at the end, with number, base times, cv, f_rack, f_off, setup and cleanup from the settings of these names,
 * as far as the recipe has them. Valid until the next one. */
struct sim_job *sim_maker_add(struct sim_maker *m, const char *class_name, int32_t maps, int32_t reduces);
/* Puts the jobs from number @from on in random order. Before they refer to each other: ids are given anew. */
void sim_maker_shuffle(struct sim_maker *m);
/* Times of submission: the first at 0, then exponential gaps. */
void sim_maker_arrivals(struct sim_maker *m, double mean_gap_s);
/* A sequence of its own for each purpose. */
struct sim_rng sim_maker_rng(const struct sim_maker *m, uint64_t purpose);

#define SIM_KNOB_REAL(key, value, min, max, help)                                                                      \
    {                                                                                                                  \
        key, value, min, max, NULL, false, help                                                                        \
    }
#define SIM_KNOB_WHOLE(key, value, min, max, help)                                                                     \
    {                                                                                                                  \
        key, value, min, max, NULL, true, help                                                                         \
    }
#define SIM_KNOB_WORD(key, value, words, help)                                                                         \
    {                                                                                                                  \
        key, value, 0, 0, words, false, help                                                                           \
    }
#define SIM_KNOB_END                                                                                                   \
    {                                                                                                                  \
        NULL, 0, 0, 0, NULL, false, NULL                                                                               \
    }

/* Settings that many recipes have. */
#define SIM_KNOB_MAP(seconds)    SIM_KNOB_REAL("map_s", seconds, 0.001, 1e6, "seconds of a map with its data on its node")
#define SIM_KNOB_REDUCE(seconds) SIM_KNOB_REAL("reduce_s", seconds, 0.001, 1e6, "seconds of a reduce")
#define SIM_KNOB_CV(cv)          SIM_KNOB_REAL("cv", cv, 0, 3, "coefficient of variation of task times")
#define SIM_KNOB_F_RACK(times)                                                                                         \
    SIM_KNOB_REAL("f_rack", times, 0, 100,                                                                             \
                  "a map takes so much longer with its data in the rack; 0: 1.2, in one rack 2")
#define SIM_KNOB_F_OFF(times)     SIM_KNOB_REAL("f_off", times, 0, 100, "and with its data off the rack; 0: 2")
#define SIM_KNOB_SETUP(seconds)   SIM_KNOB_REAL("setup_s", seconds, 0, 1e6, "seconds before the first task")
#define SIM_KNOB_CLEANUP(seconds) SIM_KNOB_REAL("cleanup_s", seconds, 0, 1e6, "seconds after the last task")
#define SIM_KNOB_GAP(seconds)     SIM_KNOB_REAL("gap_s", seconds, 0, 1e6, "mean seconds between submissions")
#define SIM_KNOB_JOBS(jobs)       SIM_KNOB_WHOLE("jobs", jobs, 1, 1e6, "number of jobs")

#endif
