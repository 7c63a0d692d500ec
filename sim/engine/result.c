#include "sim/engine/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sim_totals_add_job(struct sim_totals *t, const struct sim_job_result *r)
{
    if (!t->jobs || r->submit_us < t->first_submit_us)
        t->first_submit_us = r->submit_us;
    t->jobs++;
    if (!r->accepted) {
        t->refused++;
        return;
    }
    if (r->finish_us > t->last_finish_us)
        t->last_finish_us = r->finish_us;
    t->accepted++;
    t->with_deadline += r->deadline_us > 0;
    t->met += r->deadline_us > 0 && r->met;
    t->sojourn_sum_us += (double)sim_sojourn_us(r);
    t->waiting_sum_us += (double)sim_waiting_us(r);
    t->execution_sum_us += (double)sim_execution_us(r);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        t->useful_us[k] += (double)r->useful_us[k];
        t->met_us[k] += r->met ? (double)r->useful_us[k] : 0;
    }
}

double sim_mean_sojourn_us(const struct sim_totals *t)
{
    return t->accepted ? t->sojourn_sum_us / (double)t->accepted : 0;
}

double sim_utilisation(const struct sim_totals *t, enum base_task_kind kind)
{
    double all = t->slots[kind] * (double)sim_makespan_us(t);

    return all > 0 ? t->useful_us[kind] / all : 0;
}

double sim_utilisation_all(const struct sim_totals *t, bool met_alone)
{
    const double *useful = met_alone ? t->met_us : t->useful_us;
    double all =
        (t->slots[BASE_TASK_MAP] + t->slots[BASE_TASK_REDUCE]) * (double)sim_makespan_us(t);

    return all > 0 ? (useful[BASE_TASK_MAP] + useful[BASE_TASK_REDUCE]) / all : 0;
}

/* ---------------------------------------------------------------- statistics */
void sim_stat_add(struct sim_stat *s, double x)
{
    double by = x - s->mean;

    s->n++;
    s->mean += by / (double)s->n;
    s->m2 += by * (x - s->mean);
    s->min = s->n == 1 || x < s->min ? x : s->min;
    s->max = s->n == 1 || x > s->max ? x : s->max;
}

double sim_stat_deviation(const struct sim_stat *s)
{
    return s->n > 1 ? sqrt(s->m2 / (double)(s->n - 1)) : 0;
}

/* Student's t for 95 %, two-sided, by degrees of freedom. Above 30 the value is that of the last of
 * 30, 40, 60, 120 and 1000 degrees that is not above @freedom. */
static double students_t95(int64_t freedom)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

    if (freedom <= 30)
        return t[freedom - 1];
    return freedom < 40     ? 2.042
           : freedom < 60   ? 2.021
           : freedom < 120  ? 2.000
           : freedom < 1000 ? 1.980
                            : 1.962;
}

double sim_stat_ci95_half_width(const struct sim_stat *s)
{
    return s->n > 1 ? students_t95(s->n - 1) * sim_stat_deviation(s) / sqrt((double)s->n) : 0;
}
