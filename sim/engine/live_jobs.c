/* Jobs that have been read and have not ended, indexed by the workload's id and by the core's
 * number. */
#include <stdlib.h>

#include "sim/engine/engine_internal.h"
#include "sim/engine/rng.h"

#define SEQ_RING_MIN 64

static bool has_id(const void *object, const void *key)
{
    return ((const struct sim_live *)object)->id == *(const uint64_t *)key;
}

struct sim_live *sim_live_find_by_id(const struct sim *s, uint64_t id)
{
    return base_map_find(&s->by_id, sim_mix(id), has_id, &id);
}

struct sim_live *sim_live_get_by_seq(const struct sim *s, int32_t seq)
{
    struct sim_live *job = s->by_seq ? s->by_seq[seq & s->seq_mask] : NULL;

    base_assert(job && job->seq == seq); /* the core gives no orders for ended jobs */
    return job;
}

/* The table is a ring over the latest numbers, which stays small because jobs end in about the
 * order in which they were submitted. The ring doubles until no two living jobs share a place. */
void sim_live_index_by_seq(struct sim *s, struct sim_live *job)
{
    while (!s->by_seq || s->by_seq[job->seq & s->seq_mask]) {
        int32_t old = s->by_seq ? s->seq_mask + 1 : 0, cap = old ? old * 2 : SEQ_RING_MIN;
        struct sim_live **v = base_alloc((size_t)cap * sizeof *v);

        for (int32_t i = 0; i < old; i++)
            if (s->by_seq[i])
                v[s->by_seq[i]->seq & (cap - 1)] = s->by_seq[i];
        free(s->by_seq);
        s->by_seq = v;
        s->seq_mask = cap - 1;
    }
    s->by_seq[job->seq & s->seq_mask] = job;
}

void sim_live_add(struct sim *s, struct sim_live *job)
{
    if (s->live_free_n) {
        job->index = s->live_free[--s->live_free_n];
    } else {
        base_array_grow(&s->live, s->live_n, &s->live_cap);
        job->index = (uint32_t)s->live_n++;
    }
    s->live[job->index] = job;
    base_map_add(&s->by_id, sim_mix(job->id), job);
}

static void free_live_job(struct sim_live *job)
{
    rm_job_spec_unref(job->spec);
    sim_job_clear(&job->job);
    free(job);
}

void sim_live_remove(struct sim *s, struct sim_live *job)
{
    base_map_remove(&s->by_id, sim_mix(job->id), job);
    if (job->state == SIM_LIVE && job->seq)
        s->by_seq[job->seq & s->seq_mask] = NULL;
    s->live[job->index] = NULL;
    base_array_grow(&s->live_free, s->live_free_n, &s->live_free_cap);
    s->live_free[s->live_free_n++] = job->index;
    free_live_job(job);
}

void sim_jobs_free(struct sim *s)
{
    for (size_t i = 0; i < s->live_n; i++)
        if (s->live[i])
            free_live_job(s->live[i]);
    free(s->live);
    free(s->live_free);
    free(s->by_seq);
    base_map_free(&s->by_id);
}
