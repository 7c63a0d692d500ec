#include "sim/report/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct sim_metric_info sim_metric_infos[SIM_METRICS] = {
    [SIM_M_JOBS] = {"jobs", "jobs", "", 0, false},
    [SIM_M_SOJOURN] = {"sojourn_mean_s", "mean sojourn", "s", 1, false},
    [SIM_M_SOJOURN_MEDIAN] = {"sojourn_median_s", "median", "s", 1, false},
    [SIM_M_SOJOURN_P95] = {"sojourn_p95_s", "p95", "s", 1, false},
    [SIM_M_WAITING] = {"waiting_mean_s", "waiting", "s", 1, false},
    [SIM_M_EXECUTION] = {"execution_mean_s", "execution", "s", 1, false},
    [SIM_M_SLOWDOWN] = {"slowdown_mean", "slowdown", "", 2, false},
    [SIM_M_NODE_LOCAL] = {"node_local_pct", "node-local", "%", 1, false},
    [SIM_M_RACK_LOCAL] = {"rack_local_pct", "rack-local", "%", 1, false},
    [SIM_M_KILLS] = {"kills", "kills", "", 1, false},
    [SIM_M_SUSPENSIONS] = {"suspensions", "suspensions", "", 1, false},
    [SIM_M_ACCEPTED] = {"accepted_pct", "accepted", "%", 1, false},
    [SIM_M_SUCCESS] = {"success_pct", "success", "%", 1, false},
    [SIM_M_UTILISATION_MAP] = {"utilisation_map_pct", "use of map slots", "%", 1, true},
    [SIM_M_UTILISATION_REDUCE] = {"utilisation_reduce_pct", "use of reduce slots", "%", 1, true},
    [SIM_M_UTILISATION] = {"utilisation_pct", "utilisation", "%", 1, true},
    [SIM_M_UTILISATION_MET] = {"utilisation_met_pct", "by successful jobs", "%", 1, true},
    [SIM_M_MAKESPAN] = {"makespan_s", "makespan", "s", 0, true},
    [SIM_M_LOST] = {"lost_slot_s", "lost to kills", "slot-s", 0, true},
    [SIM_M_BOUND] = {"bound_sojourn_mean_s", "lower bound", "s", 1, true},
    [SIM_M_BOUND_RATIO] = {"bound_ratio", "over bound", "x", 2, true},
};

/* ---------------------------------------------------------------- samples */
void sim_samples_add(struct sim_samples *s, double x)
{
    base_array_grow(&s->v, s->n, &s->cap);
    s->v[s->n++] = x;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sim_samples_sort(struct sim_samples *s)
{
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, compare_doubles);
}

void sim_samples_free(struct sim_samples *s)
{
    free(s->v);
    *s = (struct sim_samples){0};
}

double sim_samples_quantile(const struct sim_samples *s, double p)
{
    if (!s->n)
        return NAN;
    double place = p * (double)(s->n - 1);
    size_t i = (size_t)place;

    if (i + 1 >= s->n)
        return s->v[s->n - 1];
    return s->v[i] + (place - (double)i) * (s->v[i + 1] - s->v[i]);
}

double sim_samples_mean(const struct sim_samples *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->v[i];
    return s->n ? sum / (double)s->n : NAN;
}

size_t sim_samples_cdf(const struct sim_samples *s, size_t max, double *x, double *y)
{
    size_t n = s->n < max ? s->n : max;

    for (size_t i = 0; i < n; i++) {
        size_t at = n > 1 ? i * (s->n - 1) / (n - 1) : s->n - 1;
        x[i] = s->v[at];
        y[i] = (double)(at + 1) / (double)s->n;
    }
    return n;
}

/* ---------------------------------------------------------------- one run */
struct sums { /* sums over the jobs of one class */
    const char *name;
    int64_t jobs, accepted, with_deadline, met, launches[SIM_LEVELS], kills, suspensions, slowdowns;
    double tasks[BASE_TASK_KINDS], waiting_s, execution_s, slowdown;
    struct sim_samples sojourn_s;
};

struct alone_sojourn {
    uint64_t id;
    double sojourn_s;
};

static int compare_job_id(const void *a, const void *b)
{
    const struct alone_sojourn *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static struct alone_sojourn *list_sojourns_alone_by_job_id(const struct sim_outcome *o)
{
    struct alone_sojourn *v = base_alloc(o->jobs_n * sizeof *v);

    for (size_t i = 0; i < o->jobs_n; i++)
        v[i] = (struct alone_sojourn){o->jobs[i].id, (double)sim_sojourn_us(&o->jobs[i]) / 1e6};
    if (o->jobs_n)
        qsort(v, o->jobs_n, sizeof *v, compare_job_id);
    return v;
}

static void add_job_to_sums(struct sums *s, const struct sim_job_result *r,
                            const struct alone_sojourn *alone)
{
    s->jobs++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        s->tasks[k] += (double)r->tasks[k];
    if (!r->accepted)
        return;
    double sojourn_s = (double)sim_sojourn_us(r) / 1e6;
    s->accepted++;
    s->with_deadline += r->deadline_us > 0;
    s->met += r->deadline_us > 0 && r->met;
    sim_samples_add(&s->sojourn_s, sojourn_s);
    s->waiting_s += (double)sim_waiting_us(r) / 1e6;
    s->execution_s += (double)sim_execution_us(r) / 1e6;
    for (int l = 0; l < SIM_LEVELS; l++)
        s->launches[l] += r->level[l];
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        s->kills += r->kills[k];
        s->suspensions += r->suspensions[k];
    }
    if (alone && alone->sojourn_s > 0) {
        s->slowdowns++;
        s->slowdown += sojourn_s / alone->sojourn_s;
    }
}

static double percentage_of(double part, double of)
{
    return of > 0 ? 100 * part / of : NAN;
}

static double mean_or_nan(double sum, int64_t n)
{
    return n ? sum / (double)n : NAN;
}

static void compute_class_figures(struct sums *s, struct sim_figures *f)
{
    double *v = f->v;
    double launches = (double)(s->launches[SIM_NODE_LOCAL] + s->launches[SIM_RACK_LOCAL] +
                               s->launches[SIM_OFF_RACK]);

    for (int m = 0; m < SIM_METRICS; m++)
        v[m] = NAN;
    sim_job_copy_text(f->name, s->name);
    f->size = mean_or_nan(s->tasks[BASE_TASK_MAP] > 0 ? s->tasks[BASE_TASK_MAP]
                                                      : s->tasks[BASE_TASK_REDUCE],
                          s->jobs);
    sim_samples_sort(&s->sojourn_s);
    v[SIM_M_JOBS] = (double)s->jobs;
    v[SIM_M_SOJOURN] = sim_samples_mean(&s->sojourn_s);
    v[SIM_M_SOJOURN_MEDIAN] = sim_samples_quantile(&s->sojourn_s, 0.5);
    v[SIM_M_SOJOURN_P95] = sim_samples_quantile(&s->sojourn_s, 0.95);
    v[SIM_M_WAITING] = mean_or_nan(s->waiting_s, s->accepted);
    v[SIM_M_EXECUTION] = mean_or_nan(s->execution_s, s->accepted);
    v[SIM_M_SLOWDOWN] = mean_or_nan(s->slowdown, s->slowdowns);
    v[SIM_M_NODE_LOCAL] = percentage_of((double)s->launches[SIM_NODE_LOCAL], launches);
    v[SIM_M_RACK_LOCAL] = percentage_of(
        (double)(s->launches[SIM_NODE_LOCAL] + s->launches[SIM_RACK_LOCAL]), launches);
    v[SIM_M_KILLS] = (double)s->kills;
    v[SIM_M_SUSPENSIONS] = (double)s->suspensions;
    v[SIM_M_ACCEPTED] = percentage_of((double)s->accepted, (double)s->jobs);
    v[SIM_M_SUCCESS] = percentage_of((double)s->met, (double)s->with_deadline);
}

static void set_whole_run_figures(const struct sim_outcome *o, double v[SIM_METRICS])
{
    const struct sim_totals *t = &o->totals;
    double lost_us = 0;

    for (size_t i = 0; i < o->jobs_n; i++)
        lost_us += (double)o->jobs[i].lost_us[BASE_TASK_MAP] +
                   (double)o->jobs[i].lost_us[BASE_TASK_REDUCE];
    if (t->slots[BASE_TASK_MAP] > 0)
        v[SIM_M_UTILISATION_MAP] = 100 * sim_utilisation(t, BASE_TASK_MAP);
    if (t->slots[BASE_TASK_REDUCE] > 0)
        v[SIM_M_UTILISATION_REDUCE] = 100 * sim_utilisation(t, BASE_TASK_REDUCE);
    v[SIM_M_UTILISATION] = 100 * sim_utilisation_all(t, false);
    v[SIM_M_UTILISATION_MET] = t->with_deadline ? 100 * sim_utilisation_all(t, true) : NAN;
    v[SIM_M_MAKESPAN] = (double)sim_makespan_us(t) / 1e6;
    v[SIM_M_LOST] = lost_us / 1e6;
    if (t->bound_us > 0) {
        v[SIM_M_BOUND] = t->bound_us / 1e6;
        v[SIM_M_BOUND_RATIO] = t->accepted ? sim_mean_sojourn_us(t) / t->bound_us : NAN;
    }
}

static struct sums *find_or_add_class(struct sums **v, size_t *n, size_t *cap, const char *name)
{
    for (size_t i = 1; i < *n; i++)
        if (strcmp((*v)[i].name, name) == 0)
            return &(*v)[i];
    base_array_grow(v, *n, cap);
    (*v)[*n] = (struct sums){.name = name};
    return &(*v)[(*n)++];
}

static int compare_class_size(const void *a, const void *b)
{
    const struct sim_figures *x = a, *y = b;

    return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                              : strcmp(x->name, y->name);
}

void sim_figures_compute(const struct sim_outcome *o, const struct sim_outcome *alone,
                         struct sim_run_figures *out)
{
    struct sums *v = NULL;
    size_t n = 0, cap = 0;
    struct alone_sojourn *times = alone ? list_sojourns_alone_by_job_id(alone) : NULL;

    base_array_grow(&v, n, &cap);
    v[n++] = (struct sums){.name = SIM_CLASS_ALL};
    for (size_t i = 0; i < o->jobs_n; i++) {
        const struct sim_job_result *r = &o->jobs[i];
        struct alone_sojourn key = {.id = r->id};
        const struct alone_sojourn *time =
            times ? bsearch(&key, times, alone->jobs_n, sizeof *times, compare_job_id) : NULL;
        struct sums *class_sums = find_or_add_class(&v, &n, &cap, r->class_name);
        add_job_to_sums(class_sums, r, time);
        add_job_to_sums(&v[0], r, time);
    }
    *out = (struct sim_run_figures){.v = base_alloc(n * sizeof *out->v), .n = n};
    for (size_t i = 0; i < n; i++) {
        compute_class_figures(&v[i], &out->v[i]);
        sim_samples_free(&v[i].sojourn_s);
    }
    set_whole_run_figures(o, out->v[0].v);
    if (n > 2)
        qsort(out->v + 1, n - 1, sizeof *out->v, compare_class_size);
    free(v);
    free(times);
}

void sim_figures_free(struct sim_run_figures *f)
{
    free(f->v);
    *f = (struct sim_run_figures){0};
}

/* ---------------------------------------------------------------- summaries over several runs */
static struct sim_class_summary *find_or_insert_class(struct sim_seed_summary *s,
                                                      const struct sim_figures *f, size_t from)
{
    for (size_t i = from; i < s->n; i++)
        if (strcmp(s->v[i].name, f->name) == 0)
            return &s->v[i];
    base_array_grow(&s->v, s->n, &s->cap);
    /* keep classes in order of size, judged by the run that first had the class */
    size_t at = s->n;
    while (at > from && s->v[at - 1].size > f->size)
        at--;
    memmove(&s->v[at + 1], &s->v[at], (s->n - at) * sizeof *s->v);
    s->n++;
    s->v[at] = (struct sim_class_summary){.size = f->size};
    sim_job_copy_text(s->v[at].name, f->name);
    return &s->v[at];
}

void sim_seed_summary_add_run(struct sim_seed_summary *s, const struct sim_run_figures *run)
{
    s->runs++;
    for (size_t i = 0; i < run->n; i++) {
        struct sim_class_summary *to = find_or_insert_class(s, &run->v[i], i > 0);
        for (int m = 0; m < SIM_METRICS; m++)
            if (!isnan(run->v[i].v[m]))
                sim_stat_add(&to->v[m], run->v[i].v[m]);
    }
}

const struct sim_class_summary *sim_seed_summary_find_class(const struct sim_seed_summary *s,
                                                            const char *class_name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->v[i].name, class_name) == 0)
            return &s->v[i];
    return NULL;
}

void sim_seed_summary_free(struct sim_seed_summary *s)
{
    free(s->v);
    *s = (struct sim_seed_summary){0};
}
