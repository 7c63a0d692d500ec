/* sim/command_settings.h - settings by name: of the cluster, the jobs, the policies and the
 * workload.
 *
 * --set, --sweep and the options that are short for --set share one set of keys. A key is looked up
 * among the simulator's own, then among the options of sim/options.h; any other key without a dot
 * belongs to the workload. */
#ifndef CREEL_SIM_COMMAND_SETTINGS_H
#define CREEL_SIM_COMMAND_SETTINGS_H

#include "base/error.h"
#include "base/mem.h"
#include "sim/command.h"
#include "sim/engine/sim.h"

struct sim_tweak { /* changes to every job; NAN or a negative value: no change */
    double f_off, f_rack, f_colo, cv;
    int64_t setup_us, cleanup_us;
    int replicas, located;
    bool known; /* tell policies the true durations of tasks */
};
enum { SIM_SETUP_GROUPS_MAX = 16 };
struct sim_setup {
    struct sim_group groups[SIM_SETUP_GROUPS_MAX]; /* kinds of nodes */
    size_t groups_n;
    struct sim_cluster cluster; /* before use, its groups and groups_n must be set from above */
    double slowstart;
    int64_t swap_us, stop_us;
    enum sim_progress progress;
    char *queues;
    struct sim_tweak tweak;
    struct policy_conf options;
    struct sim_list params; /* "KEY=VALUE" for the workload */
};
/* Sets the defaults: 100 nodes in one rack, each with 4 map and 2 reduce slots, and out-of-band
 * heartbeats. */
void sim_setup_init(struct sim_setup *s);
void sim_setup_copy(struct sim_setup *to, const struct sim_setup *from);
void sim_setup_free(struct sim_setup *s);
/* Returns 0, or -BASE_EINVAL with @err, which names the key. A key without a dot that is neither
 * the simulator's nor an option is kept, with its value, for the workload. */
int sim_setup_set(struct sim_setup *s, const char *key, const char *value, struct base_error *err);
/* Like sim_setup_set(), for "KEY=VALUE"; a @pair of another form is refused. */
int sim_setup_set_pair(struct sim_setup *s, const char *pair, struct base_error *err);
/* Sums over the kinds of nodes. */
int32_t sim_setup_node_count(const struct sim_setup *s);
int64_t sim_setup_slot_count(const struct sim_setup *s, enum base_task_kind kind);
/* Append the simulator's own keys: with defaults and help, one per line; as names separated by
 * commas. */
void sim_setup_append_help(struct base_buf *out);
void sim_setup_append_key_names(struct base_buf *out);
/* Considers the simulator's keys, and all options without the part up to the dot, as candidates, as
 * base_nearest_take_if_closer() does. */
void sim_setup_consider_nearest_key(const char *key, const char **best, size_t *distance);
/* Applies @t to @job. */
void sim_tweak_job(const struct sim_tweak *t, struct sim_job *job);

#endif
