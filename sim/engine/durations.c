#include "sim/engine/durations.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sim/engine/rng.h"

#define NOISE_MIN     (1.0 / 3.0)
#define NOISE_MAX     3.0
#define LOG_NOISE_MAX 1.09861228866810969140 /* log 3 */
#define DRAWS_MAX     64 /* tries to draw a factor in range, before 1 is used (huge cv only) */
#define F_RACK        1.2
#define F_RACK_ALONE  2.0 /* one rack: any other node counts as far */
#define F_OFF         2.0

enum { PURPOSE_MAP, PURPOSE_REDUCE, PURPOSE_PLACE, PURPOSE_FILE };

static double log_of_one_plus(double x)
{
    return sim_math_log(1 + x);
}

void sim_cost_init(struct sim_cost *c, uint64_t seed, uint64_t id, const struct sim_job *job,
                   bool one_rack)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        double variance = job->cv[k] > 0 ? log_of_one_plus(job->cv[k] * job->cv[k]) : 0;

        c->key[k] = sim_hash(seed, id, k == BASE_TASK_MAP ? PURPOSE_MAP : PURPOSE_REDUCE);
        c->base_us[k] = (double)job->base_us[k];
        c->mu[k] = -variance / 2;
        c->sigma[k] = 0;
        if (variance > 0)
            c->sigma[k] = sim_math_exp(0.5 * sim_math_log(variance));
        c->exact_us[k] = job->task_us[k];
    }
    c->place_key =
        job->file ? sim_hash(seed, job->file, PURPOSE_FILE) : sim_hash(seed, id, PURPOSE_PLACE);
    c->factor[SIM_NODE_LOCAL] = 1;
    c->factor[SIM_RACK_LOCAL] = job->f_rack > 0 ? job->f_rack : one_rack ? F_RACK_ALONE : F_RACK;
    c->factor[SIM_OFF_RACK] = job->f_off > 0 ? job->f_off : F_OFF;
    c->f_colo = job->f_colo > 0 ? job->f_colo : 1;
}

/* A lognormal factor of mean 1. Values outside [1/3, 3] are drawn again, each from the hash of the
 * draw before, so that the result depends on the key and the task alone. */
static double draw_noise_factor(const struct sim_cost *c, enum base_task_kind kind, int32_t task)
{
    uint64_t draw = sim_mix(c->key[kind] + (uint64_t)(uint32_t)task * UINT64_C(0x9e3779b97f4a7c15));

    for (int i = 0; i < DRAWS_MAX; i++) {
        double x = c->mu[kind] + c->sigma[kind] * sim_math_normal_quantile(sim_bits_to_unit(draw));

        if (x >= -LOG_NOISE_MAX && x <= LOG_NOISE_MAX)
            return sim_math_exp(x);
        draw = sim_mix(draw + UINT64_C(0xd1342543de82ef95));
    }
    return 1;
}

double sim_cost_nominal_us(const struct sim_cost *c, enum base_task_kind kind, int32_t task)
{
    double us;

    if (c->exact_us[kind])
        us = (double)c->exact_us[kind][task];
    else
        us = c->sigma[kind] > 0 ? c->base_us[kind] * draw_noise_factor(c, kind, task)
                                : c->base_us[kind];
    return us >= 1 ? us : 1;
}

/* Rounds up, so that no task is faster than its node allows. 0.999 instead of 1: a rounding error
 * in the last bit of the product must not add a microsecond. */
static int64_t round_up_to_at_least_1_us(double us)
{
    return us >= 1 ? (int64_t)(us + 0.999) : 1;
}

int64_t sim_cost_map_us(const struct sim_cost *c, int32_t task, enum sim_level level, double speed)
{
    return round_up_to_at_least_1_us(sim_cost_nominal_us(c, BASE_TASK_MAP, task) *
                                     c->factor[level] / speed);
}

int64_t sim_cost_reduce_us(const struct sim_cost *c, int32_t task, bool colocated, double speed)
{
    return round_up_to_at_least_1_us(sim_cost_nominal_us(c, BASE_TASK_REDUCE, task) *
                                     (colocated ? c->f_colo : 1) / speed);
}

/* ---------------------------------------------------------------- places */
void sim_topology_init(struct sim_topology *t, int32_t nodes, int32_t racks, const int32_t *rack_of)
{
    int32_t *at;

    *t = (struct sim_topology){.nodes = nodes, .racks = racks};
    t->rack_of = base_alloc((size_t)nodes * sizeof *t->rack_of);
    t->first = base_alloc(((size_t)racks + 1) * sizeof *t->first);
    t->members = base_alloc((size_t)nodes * sizeof *t->members);
    for (int32_t i = 0; i < nodes; i++) {
        t->rack_of[i] = rack_of ? rack_of[i] : i % racks;
        t->first[t->rack_of[i] + 1]++;
    }
    for (int32_t r = 0; r < racks; r++)
        t->first[r + 1] += t->first[r];
    at = base_alloc((size_t)racks * sizeof *at);
    for (int32_t i = 0; i < nodes; i++) {
        int32_t r = t->rack_of[i];

        t->members[t->first[r] + at[r]++] = (uint32_t)i;
    }
    free(at);
}

void sim_topology_free(struct sim_topology *t)
{
    free(t->rack_of);
    free(t->first);
    free(t->members);
    *t = (struct sim_topology){0};
}

/* The @nth of all nodes outside @rack. */
static uint32_t node_outside_rack(const struct sim_topology *t, int32_t rack, uint64_t nth)
{
    return t->members[nth < (uint64_t)t->first[rack]
                          ? nth
                          : nth + (uint64_t)(t->first[rack + 1] - t->first[rack])];
}

static bool contains_node(const uint32_t *v, int32_t n, uint32_t node)
{
    for (int32_t i = 0; i < n; i++)
        if (v[i] == node)
            return true;
    return false;
}

/* One of the @count nodes from t->members[begin] on that is not yet among the @n nodes of @v; at
 * least one such node must exist. A few random draws come first; when all of them hit used nodes,
 * the search goes on in order, so that it ends. */
static uint32_t pick_unused_node(const struct sim_topology *t, int32_t begin, int32_t count,
                                 uint64_t draw, const uint32_t *v, int32_t n)
{
    int32_t i = 0;

    for (int tries = 0; tries < 8; tries++, draw = sim_mix(draw + 1)) {
        i = (int32_t)sim_bits_to_below(draw, (uint64_t)count);
        if (!contains_node(v, n, t->members[begin + i]))
            return t->members[begin + i];
    }
    while (contains_node(v, n, t->members[begin + i]))
        i = (i + 1) % count;
    return t->members[begin + i];
}

/* True when the second replica is in another rack than the first, and that rack has another node
 * for a third. */
static bool third_replica_fits_rack_of_second(const struct sim_topology *t, const uint32_t *v)
{
    int32_t rack = t->rack_of[v[1]];

    return rack != t->rack_of[v[0]] && t->first[rack + 1] - t->first[rack] > 1;
}

/* HDFS's default rule: the first replica on a random node, the second in another rack, the third in
 * the rack of the second; further ones anywhere. */
int32_t sim_topology_place_replicas(const struct sim_topology *t, uint64_t place_key, int32_t split,
                                    int32_t replicas, uint32_t out[SIM_REPLICAS_MAX])
{
    uint64_t draw = sim_mix(place_key + (uint64_t)(uint32_t)split * UINT64_C(0x9e3779b97f4a7c15));
    int32_t want = replicas < t->nodes ? replicas : t->nodes;

    for (int32_t n = 0; n < want; n++, draw = sim_mix(draw + UINT64_C(0xd1342543de82ef95))) {
        int32_t rack = n > 0 && t->racks > 1 ? t->rack_of[out[0]] : 0;
        int32_t others =
            n == 1 && t->racks > 1 ? t->nodes - (t->first[rack + 1] - t->first[rack]) : 0;

        if (others > 0) {
            out[1] = node_outside_rack(t, rack, sim_bits_to_below(draw, (uint64_t)others));
        } else if (n == 2 && t->racks > 1 && third_replica_fits_rack_of_second(t, out)) {
            rack = t->rack_of[out[1]];
            out[2] = pick_unused_node(t, t->first[rack], t->first[rack + 1] - t->first[rack], draw,
                                      out, 2);
        } else {
            out[n] = pick_unused_node(t, 0, t->nodes, draw, out, n);
        }
    }
    return want;
}
