/* sim/paper/paper.h - the papers' experiments again: what they published, what comes out here, and
 * whether it agrees.
 *
 *     paper: plan() --cases--> runs (cases x seeds, many processes) --outcomes--> judge() --rows-->
 *     table, HTML page
 *
 * A case is one configuration, run with every seed. A row compares a published value with ours
 * under a criterion that is fixed beforehand; rows that cannot be decided here are reported only.
 * Figures over seeds are means with 95 % intervals; criteria apply to the means unless they say
 * otherwise.
 * As Hadoop 1 worked: heartbeats every max(3 s, nodes/100 s), no extra one at the end of a task
 * (unless the row says so), FIFO's limits of a heartbeat, the Fair Scheduler's spread of load.
 * SOURCE: Cheriere et al., SAC 2016 (hsrtf); Pastorelli et al., arXiv:1302.2749 (hfsp); He, Lu,
 * Swanson, HPCC 2013 (rtmr); Zaharia et al., EuroSys 2010 (hfs). */
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
    void *own;                    /* the paper's; freed with the case */
    size_t seeds;                 /* 0: as many as the run has; 1 for what has no chance in it */
    struct sim_outcome *outcomes; /* by seed; of runs that are done */
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
    const char *dir;       /* of pictures; NULL: none are wanted */
    struct sim_page *page; /* pictures go there */
    struct base_error err; /* of a picture */
};
struct sim_paper {
    const char *name, *title;
    void (*plan)(struct sim_paper_run *run);
    void (*judge)(struct sim_paper_run *run);
    void (*draw)(struct sim_paper_run *run); /* only with run->page */
};
extern const struct sim_paper sim_paper_hsrtf, sim_paper_hfsp, sim_paper_rtmr, sim_paper_hfs;

/* ---------------------------------------------------------------- for plan() */
/* A case of @workload (sim/input/workload.h) under @policy; Hadoop 1's ways are set. Asserted: @key
 * is new. */
struct sim_paper_case *sim_paper_add(struct sim_paper_run *run, const char *key,
                                     const char *workload, const char *policy);
void sim_paper_cluster(struct sim_paper_case *c, int32_t nodes, int32_t maps, int32_t reduces,
                       int32_t racks);
/* One more kind of node. */
void sim_paper_group(struct sim_paper_case *c, int32_t nodes, int32_t maps, int32_t reduces,
                     double speed);
void sim_paper_set(struct sim_paper_case *c, const char *option,
                   const char *value); /* of policies; must be right */
void sim_paper_param(struct sim_paper_case *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---------------------------------------------------------------- for judge() and draw() */
/* Of run @i of the case @key (asserted to exist); a case with one seed gives that one for every
 * @i. */
const struct sim_outcome *sim_paper_outcome(const struct sim_paper_run *run, const char *key,
                                            size_t i);
/* Mean of a quantity over accepted jobs of a class ("": all jobs). NAN: no such job. */
typedef double (*sim_paper_of)(const struct sim_job_result *r); /* in seconds, or a share */
double sim_paper_sojourn(const struct sim_job_result *r);
double sim_paper_waiting(const struct sim_job_result *r);
double sim_paper_mean(const struct sim_outcome *o, const char *class_name, sim_paper_of of);
double sim_paper_median(const struct sim_outcome *o, const char *class_name, sim_paper_of of);
/* Node-local (or @level and better) launches over launches of maps with places, in percent. NAN:
 * none. */
double sim_paper_local(const struct sim_outcome *o, const char *class_name, enum sim_level level);
/* The job of that id; NULL: it did not end. */
const struct sim_job_result *sim_paper_job(const struct sim_outcome *o, uint64_t id);
/* "12.3 ± 0.4" with @digits and a unit behind; without interval for one value. */
const char *sim_paper_stat(const struct sim_stat *s, int digits, const char *unit, char out[64]);
/* One row. @ours is printf-like. */
void sim_paper_row(struct sim_paper_run *run, const char *id, const char *source,
                   const char *published, const char *criterion, enum sim_paper_verdict verdict,
                   const char *fmt, ...) __attribute__((format(printf, 7, 8)));
static inline enum sim_paper_verdict sim_paper_verdict(bool pass)
{
    return pass ? SIM_PAPER_PASS : SIM_PAPER_FAIL;
}
static inline bool sim_paper_within(double x, double low, double high) /* false for NAN */
{
    return x >= low && x <= high;
}
/* Draws into the run's folder and page; remembers the first error. @caption: what was published. */
void sim_paper_picture(struct sim_paper_run *run, const struct sim_picture *p, const char *caption);
/* Distributions of the sojourns of the jobs of @classes (ends with NULL), over all seeds, under @n
 * (at most 4) cases. */
void sim_paper_cdf(struct sim_paper_run *run, const char *name, const char *title,
                   const char *const *keys, const char *const *names, size_t n,
                   const char *const *classes, const char *caption);

/* ---------------------------------------------------------------- all of it */
struct sim_paper_conf {
    const char *name; /* "hsrtf", "hfsp", "rtmr", "hfs" or "all"; several: separated by commas */
    uint64_t first_seed;
    size_t seeds;
    int jobs;               /* processes, 0: as many as processors */
    const char *dir;        /* report folder, NULL: none */
    bool force;             /* a report that is there is replaced */
    bool progress;          /* a bar on standard error */
    enum sim_format format; /* of the table on standard output; SIM_FORMAT_TABLE: Markdown */
};
/* Runs, prints the table on standard output, writes DIR/index.html and DIR/RESULTS.md. 0: every
 * criterion is met; 1: not; negative with @err: it could not be done. */
int sim_paper_main(const struct sim_paper_conf *conf, struct base_error *err);

#endif
