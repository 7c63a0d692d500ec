/* sim/paper/paper.h - repeats the experiments of papers and compares the results with those that
 * were published.
 *
 *     paper: add_cases() --cases--> runs (cases x seeds, many processes) --outcomes--> add_rows()
 *            --rows--> table, HTML page
 *
 * A case is one configuration, run with every seed. A row compares a published value with ours
 * under a criterion that was fixed beforehand; rows without a criterion are only reported. Figures
 * over seeds are means with 95 % intervals; criteria apply to the means unless they say otherwise.
 * Clusters work as under Hadoop 1: heartbeats every max(3 s, nodes/100 s), no extra heartbeat at
 * the end of a task (unless a case sets it), FIFO's limits per heartbeat, the Fair Scheduler's
 * spread of load. SOURCE: Cheriere et al., SAC 2016 (hsrtf); Pastorelli et al., arXiv:1302.2749
 * (hfsp); He, Lu, Swanson, HPCC 2013 (rtmr); Zaharia et al., EuroSys 2010 (hfs). */
#ifndef CREEL_SIM_PAPER_PAPER_H
#define CREEL_SIM_PAPER_PAPER_H

#include "sim/report/page.h"
#include "sim/report/picture.h"
#include "sim/report/summary.h"
#include "sim/run.h"

enum { SIM_PAPER_PARAMS_MAX = 12, SIM_PAPER_GROUPS_MAX = 4, SIM_PAPER_KEY_MAX = 48 };

struct sim_paper_case {
    char key[SIM_PAPER_KEY_MAX];
    struct sim_spec spec; /* conf.seed is set for each run */
    struct policy_conf options;
    struct sim_group groups[SIM_PAPER_GROUPS_MAX];
    char *params[SIM_PAPER_PARAMS_MAX]; /* of the workload */
    size_t params_n;
    void *own;                    /* memory of the paper's own; freed with the case */
    size_t seeds;                 /* 0: as many as the run; 1: the case has nothing random */
    struct sim_outcome *outcomes; /* one per seed, once all runs are done */
};
enum sim_paper_verdict { SIM_PAPER_PASS, SIM_PAPER_FAIL, SIM_PAPER_REPORT };
struct sim_paper_row {
    char *id, *source, *published, *ours, *criterion;
    enum sim_paper_verdict verdict;
};
struct sim_paper;
struct sim_paper_run {
    const struct sim_paper *paper;
    uint64_t first_seed;
    size_t seeds;
    struct sim_paper_case **cases;
    size_t cases_n, cases_cap;
    struct sim_paper_row *rows;
    size_t rows_n, rows_cap;
    const char *dir;       /* folder for pictures; NULL: no pictures */
    struct sim_page *page; /* page for pictures */
    struct base_error err; /* the first picture that failed; code 0: none */
};
struct sim_paper {
    const char *name, *title;
    void (*add_cases)(struct sim_paper_run *run);
    void (*add_rows)(struct sim_paper_run *run); /* after all cases have run */
    /* called only if run->page is set; may be NULL */
    void (*draw_pictures)(struct sim_paper_run *run);
};
extern const struct sim_paper sim_paper_hsrtf, sim_paper_hfsp, sim_paper_rtmr, sim_paper_hfs;

/* ---------------------------------------------------------------- for add_cases() */
/* Adds a case of @workload (sim/input/workload.h) under @policy, with the options that make
 * policies work as in Hadoop 1. @key must be new (asserted). The case belongs to @run. */
struct sim_paper_case *sim_paper_add_case(struct sim_paper_run *run, const char *key,
                                          const char *workload, const char *policy);
void sim_paper_set_cluster(struct sim_paper_case *c, int32_t nodes, int32_t map_slots,
                           int32_t reduce_slots, int32_t racks);
/* Adds another kind of node to the cluster. */
void sim_paper_add_group(struct sim_paper_case *c, int32_t nodes, int32_t map_slots,
                         int32_t reduce_slots, double speed);
/* Sets an option of a policy (sim/options.h); the value must be valid (asserted). */
void sim_paper_set_option(struct sim_paper_case *c, const char *option, const char *value);
/* Adds "KEY=VALUE" to the settings of the workload. */
void sim_paper_add_workload_param(struct sim_paper_case *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------ for add_rows() and draw_pictures() */
/* The outcome of the case @key (asserted to exist) with the seed of index @i. A case with one seed
 * has the same outcome for every @i. */
const struct sim_outcome *sim_paper_outcome(const struct sim_paper_run *run, const char *key,
                                            size_t i);
typedef double (*sim_paper_quantity)(const struct sim_job_result *r);
double sim_paper_sojourn_s(const struct sim_job_result *r);
double sim_paper_waiting_s(const struct sim_job_result *r);
/* Mean, median of a quantity over the accepted jobs of a class ("": of all). NAN: no such job. */
double sim_paper_class_mean(const struct sim_outcome *o, const char *class_name,
                            sim_paper_quantity of);
double sim_paper_class_median(const struct sim_outcome *o, const char *class_name,
                              sim_paper_quantity of);
/* Percentage of launches at @level or nearer among the launches of maps whose splits have places,
 * in the accepted jobs of a class ("": of all). NAN: no such launch. */
double sim_paper_local_percent(const struct sim_outcome *o, const char *class_name,
                               enum sim_level level);
/* Returns the result of job @id, or NULL if the job did not end in that run. */
const struct sim_job_result *sim_paper_find_job(const struct sim_outcome *o, uint64_t id);
/* Writes "12.3 ± 0.4" and the unit to @out and returns @out; a single value has no interval. */
const char *sim_paper_format_stat(const struct sim_stat *s, int digits, const char *unit,
                                  char out[64]);
/* Adds a row; @fmt and what follows is the text for our result, as for printf. The texts are
 * copied. */
void sim_paper_add_row(struct sim_paper_run *run, const char *id, const char *source,
                       const char *published, const char *criterion, enum sim_paper_verdict verdict,
                       const char *fmt, ...) __attribute__((format(printf, 7, 8)));
static inline enum sim_paper_verdict sim_paper_verdict_of(bool pass)
{
    return pass ? SIM_PAPER_PASS : SIM_PAPER_FAIL;
}
/* Returns true when @low <= @x <= @high; false for NAN. */
static inline bool sim_paper_within(double x, double low, double high)
{
    return x >= low && x <= high;
}
/* Draws a picture into the run's folder and adds it to the page, unless the run has no page or the
 * picture no data. Records the first error in run->err. @caption: what was published. */
void sim_paper_add_picture(struct sim_paper_run *run, const struct sim_picture *p,
                           const char *caption);
/* Draws the distributions of sojourns of the jobs of @classes (ends with NULL) over all seeds, one
 * curve for each of @n cases (at most 4). */
void sim_paper_add_cdf_picture(struct sim_paper_run *run, const char *name, const char *title,
                               const char *const *keys, const char *const *names, size_t n,
                               const char *const *classes, const char *caption);

/* ---------------------------------------------------------------- all of it */
struct sim_paper_conf {
    const char *name; /* "hsrtf", "hfsp", "rtmr", "hfs" or "all"; or several, separated by commas */
    uint64_t first_seed;
    size_t seeds;
    int jobs;               /* number of processes; 0: one per processor */
    const char *dir;        /* report folder, NULL: none */
    bool force;             /* overwrite an existing report */
    bool progress;          /* show a progress bar on standard error */
    enum sim_format format; /* of the table on standard output; SIM_FORMAT_TABLE: Markdown */
};
/* Runs the papers' cases and prints the table on standard output; with conf->dir, also writes
 * DIR/index.html, DIR/RESULTS.md and the pictures. Returns 0 when every criterion is met, 1 when
 * one is not, or negative with @err. */
int sim_paper_run_and_report(const struct sim_paper_conf *conf, struct base_error *err);

#endif
