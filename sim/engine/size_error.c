#include "sim/engine/size_error.h"

#include <math.h>

#include "policies/hfsp/estimator.h"
#include "sim/engine/rng.h"

const struct policy_option sim_size_error_options[] = {
    {"hfsp.error", POLICY_OPT_REAL, "0", 0, 1, NULL,
     "experiments: sizes times a uniform factor in 1 - x .. 1 + x"},
    {"hfsp.error_sigma", POLICY_OPT_REAL, "0", 0, 10, NULL,
     "experiments: sizes times a log-normal factor of this sigma"},
    {"hfsp.error_seed", POLICY_OPT_INT, "1", 0, 1e15, NULL, "experiments: seed of these factors"},
    {.name = NULL},
};

struct sim_size_error sim_size_error_read(const struct policy_conf *conf)
{
    const struct policy_option *table = sim_size_error_options;

    return (struct sim_size_error){
        .uniform = policy_conf_real(conf, table, "hfsp.error"),
        .sigma = policy_conf_real(conf, table, "hfsp.error_sigma"),
        .seed = (uint64_t)policy_conf_int(conf, table, "hfsp.error_seed"),
    };
}

/* One step of SplitMix64 from the state @x. */
static uint64_t splitmix64_step(uint64_t x)
{
    return sim_mix(x + UINT64_C(0x9e3779b97f4a7c15));
}

double sim_size_error_factor(const struct sim_size_error *e, int64_t cluster_ts, int32_t seq,
                             enum base_task_kind kind)
{
    uint64_t x = splitmix64_step(splitmix64_step(splitmix64_step(e->seed) ^ (uint64_t)cluster_ts) ^
                                 ((uint64_t)(uint32_t)seq << 1 | kind));
    double factor = 1;

    if (e->uniform > 0)
        factor = 1 + e->uniform * (2 * sim_bits_to_unit(x) - 1);
    if (e->sigma > 0)
        factor *= exp(e->sigma * estimator_normal_quantile(sim_bits_to_unit(splitmix64_step(x))));
    return factor;
}
