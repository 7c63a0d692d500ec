#include "rm/http/yarn/queue_part.h"

#include <stdlib.h>
#include <string.h>

static double get_smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Parents come before their children in the views, so that one pass suffices. */
struct yarn_queue_part *yarn_queue_parts_new(const struct rm_views *v)
{
    struct yarn_queue_part *parts = base_alloc((v->queues_n + 1) * sizeof *parts);
    /* sum over the children of each queue */
    double *weights = base_alloc((v->queues_n + 1) * sizeof *weights);

    for (size_t i = 0; i < v->queues_n; i++)
        if (v->queues[i].parent >= 0)
            weights[v->queues[i].parent] += v->queues[i].weight;
    for (size_t i = 0; i < v->queues_n; i++) {
        const struct rm_queue_view *q = &v->queues[i];
        struct yarn_queue_part *p = &parts[i];

        *p = (struct yarn_queue_part){1, 1, 1, 1};
        if (q->parent < 0)
            continue;
        p->absolute_max = get_smaller(q->max_part, parts[q->parent].absolute_max);
        p->max =
            parts[q->parent].absolute_max > 0 ? p->absolute_max / parts[q->parent].absolute_max : 0;
        p->capacity = weights[q->parent] > 0 ? q->weight / weights[q->parent] : 0;
        p->absolute = parts[q->parent].absolute * p->capacity;
        if (p->absolute > p->absolute_max) {
            p->absolute = p->absolute_max;
            p->capacity = p->absolute / parts[q->parent].absolute;
        }
    }
    free(weights);
    return parts;
}

struct rm_res yarn_queue_part_of(double part, const struct rm_res *total)
{
    struct rm_res r;

    for (int i = 0; i < RM_RES_NAMES; i++)
        /* 0.7 of 10 must be 7, although the floating-point product is a little less */
        r.v[i] = (int64_t)((double)total->v[i] * part + 1e-6);
    return r;
}

int32_t yarn_find_queue_by_path_or_last_name(const struct rm_views *v, const char *name)
{
    int32_t found = -1;
    int same = 0;

    for (size_t i = 0; i < v->queues_n; i++) {
        const char *path = v->queues[i].name, *last = strrchr(path, '.');

        if (strcmp(path, name) == 0 ||
            (strncmp(path, "root.", 5) == 0 && strcmp(path + 5, name) == 0))
            return (int32_t)i;
        if (last && strcmp(last + 1, name) == 0) {
            found = (int32_t)i;
            same++;
        }
    }
    return same == 1 ? found : -1;
}
