#include "sim/engine/bound.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "base/mem.h"

void sim_bound_init(struct sim_bound *b, const double speed[BASE_TASK_KINDS], double fastest)
{
    *b = (struct sim_bound){.fastest = fastest};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        b->machine[k].speed = speed[k];
}

static bool has_less_left(struct sim_bound_job a, struct sim_bound_job b)
{
    return a.left_us < b.left_us;
}

BASE_HEAP_SIFT(sift, struct sim_bound_job, has_less_left, BASE_HEAP_NO_INDEX)

static void machine_add_job(struct sim_bound_machine *m, struct sim_bound_job x)
{
    base_array_grow(&m->v, m->n, &m->cap);
    m->v[m->n] = x;
    m->n++;
    sift(m->v, m->n, m->n - 1);
}

/* Shortest remaining processing time: the machine always serves the job with the least work left.
 * Which job that is changes only when a job arrives or ends, so it is enough to step from one job's
 * end to the next until the arrival at @us. */
static void machine_run_until(struct sim_bound_machine *m, double us)
{
    while (m->n) {
        double end = m->now_us + m->v[0].left_us / m->speed;

        if (end > us) {
            m->v[0].left_us -= (us - m->now_us) * m->speed;
            break;
        }
        m->now_us = end;
        m->sum_us += end - m->v[0].submit_us;
        m->v[0] = m->v[--m->n];
        sift(m->v, m->n, 0);
    }
    m->now_us = us;
}

void sim_bound_add_job(struct sim_bound *b, const struct sim_bound_work *w)
{
    double path = (double)w->fixed_us;

    b->jobs++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct sim_bound_machine *m = &b->machine[k];

        path += b->fastest > 0 ? w->longest_us[k] / b->fastest : 0;
        if (w->work_us[k] <= 0 || m->speed <= 0)
            continue;
        machine_run_until(m, (double)w->submit_us);
        machine_add_job(m, (struct sim_bound_job){w->work_us[k], (double)w->submit_us});
    }
    b->path_sum_us += path;
}

double sim_bound_mean_us(struct sim_bound *b)
{
    double most = b->path_sum_us;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct sim_bound_machine *m = &b->machine[k];

        if (m->n)
            machine_run_until(m, INFINITY);
        most = m->sum_us > most ? m->sum_us : most;
    }
    return b->jobs ? most / (double)b->jobs : 0;
}

void sim_bound_free(struct sim_bound *b)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        free(b->machine[k].v);
    memset(b, 0, sizeof *b);
}
