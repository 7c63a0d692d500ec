/* sim/command_settings.h - settings by name: of the cluster, of the jobs, of policies, of the
 * workload.
 *
 * One list of keys for --set, --sweep and the options that are short for them. A key is looked for
 * among the simulator's own, then among the policies' options (policies/options.h), and else
 * belongs to the workload. */
#ifndef CREEL_SIM_COMMAND_SETTINGS_H
#define CREEL_SIM_COMMAND_SETTINGS_H

#include "base/error.h"
#include "base/mem.h"
#include "sim/command.h"
#include "sim/engine/sim.h"

struct sim_tweak { /* of every job; NAN or below 0: as the workload has it */
    double f_off, f_rack, f_colo, cv;
    int64_t setup_us, cleanup_us;
    int replicas, located;
    bool known; /* policies are told what tasks will take */
};
enum { SIM_SETUP_GROUPS_MAX = 16 };
struct sim_setup {
    struct sim_group groups[SIM_SETUP_GROUPS_MAX]; /* kinds of nodes */
    size_t groups_n;
    struct sim_cluster cluster; /* its groups are to be set to these, which may move */
    double slowstart;
    int64_t swap_us, stop_us;
    enum sim_progress progress;
    char *queues;
    struct sim_tweak tweak;
    struct policy_conf options;
    struct sim_list params; /* of the workload */
};
void sim_setup_init(
    struct sim_setup *s); /* 100 nodes of 4 + 2 slots in one rack, out-of-band heartbeats */
void sim_setup_copy(struct sim_setup *to, const struct sim_setup *from);
void sim_setup_free(struct sim_setup *s);
/* -BASE_EINVAL with the key, the value and what was expected. A key that is neither the simulator's
 * nor a policy's is kept for the workload. */
int sim_setup_set(struct sim_setup *s, const char *key, const char *value, struct base_error *err);
/* "KEY=VALUE" */
int sim_setup_set_pair(struct sim_setup *s, const char *pair, struct base_error *err);
int32_t sim_setup_nodes(const struct sim_setup *s);
int64_t sim_setup_slots(const struct sim_setup *s, enum base_task_kind kind);
/* The simulator's own keys with defaults, as lines for people; their names with commas between. */
void sim_setup_describe(struct base_buf *out);
void sim_setup_names(struct base_buf *out);
/* Offers the names of settings, and of policies' options, as base_nearest_consider does. */
void sim_setup_nearest(const char *key, const char **best, size_t *distance);
/* For sim_spec.tweak, whose context is a struct sim_tweak. */
void sim_tweak_job(const struct sim_tweak *t, struct sim_job *job);

#endif
