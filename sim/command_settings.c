#include "sim/command_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io/io.h"
#include "base/nearest.h"
#include "sim/input/trace.h"
#include "sim/options.h"

#define SECOND 1000000.0

/* ---------------------------------------------------------------- values */
static int refuse_setting_value(const char *key, const char *value, const char *wanted,
                                struct base_error *err)
{
    return base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is not %s", key, value, wanted);
}

static int parse_int(const char *key, const char *value, int64_t min, int64_t max, int32_t *out,
                     struct base_error *err)
{
    char wanted[96];
    int64_t n;

    if (base_int_parse(value, min, max, &n) == 0) {
        *out = (int32_t)n;
        return 0;
    }
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)min,
             (long long)max);
    return refuse_setting_value(key, value, wanted, err);
}

static int parse_real(const char *key, const char *value, double min, double max, double *out,
                      struct base_error *err)
{
    char wanted[96], *end;
    double x = *value && strchr("+-.0123456789", *value) ? strtod(value, &end) : NAN;

    if (x >= min && x <= max && !*end) {
        *out = x;
        return 0;
    }
    snprintf(wanted, sizeof wanted, "a number from %.10g to %.10g", min, max);
    return refuse_setting_value(key, value, wanted, err);
}

static int parse_seconds(const char *key, const char *value, double min_s, double max_s,
                         int64_t *out, struct base_error *err)
{
    double x = 0;
    int rc = parse_real(key, value, min_s, max_s, &x, err);

    if (rc == 0)
        *out = sim_trace_seconds_to_us(x);
    return rc;
}

static int parse_bool(const char *key, const char *value, bool *out, struct base_error *err)
{
    static const char *const yes[] = {"on", "true", "yes", "1"}, *const no[] = {"off", "false",
                                                                                "no", "0"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        bool is = strcasecmp(value, yes[i]) == 0;
        if (is || strcasecmp(value, no[i]) == 0) {
            *out = is;
            return 0;
        }
    }
    return refuse_setting_value(key, value, "on or off", err);
}

/* ---------------------------------------------------------------- the simulator's own */
#define SETTER(name)                                                                               \
    static int name(struct sim_setup *s, const char *key, const char *value, struct base_error *err)

/* Refuses a key about all nodes when "groups" has defined several kinds of nodes. */
static int check_single_group(const struct sim_setup *s, const char *key, struct base_error *err)
{
    return s->groups_n == 1
               ? 0
               : base_error_set(err, -BASE_EINVAL, "%s: groups says it for each kind of node", key);
}

SETTER(set_nodes)
{
    int rc = check_single_group(s, key, err);
    return rc < 0 ? rc : parse_int(key, value, 1, SIM_NODES_MAX, &s->groups[0].nodes, err);
}
SETTER(set_map_slots)
{
    int rc = check_single_group(s, key, err);
    return rc < 0 ? rc
                  : parse_int(key, value, 0, SIM_NODE_SLOTS_MAX, &s->groups[0].slots[BASE_TASK_MAP],
                              err);
}
SETTER(set_reduce_slots)
{
    int rc = check_single_group(s, key, err);
    return rc < 0 ? rc
                  : parse_int(key, value, 0, SIM_NODE_SLOTS_MAX,
                              &s->groups[0].slots[BASE_TASK_REDUCE], err);
}
SETTER(set_speed)
{
    int rc = check_single_group(s, key, err);
    return rc < 0 ? rc : parse_real(key, value, 0.001, 1000, &s->groups[0].speed, err);
}

/* Parses "NxM+R" or "NxM+R@SPEED" of @len bytes. Returns false if it is malformed or out of range.
 */
static bool parse_group(const char *text, size_t len, struct sim_group *out)
{
    char one[64];
    int end = 0;

    *out = (struct sim_group){.speed = 1};
    if (len >= sizeof one)
        return false;
    memcpy(one, text, len);
    one[len] = '\0';
    if (sscanf(one, "%9dx%9d+%9d%n", &out->nodes, &out->slots[BASE_TASK_MAP],
               &out->slots[BASE_TASK_REDUCE], &end) != 3)
        return false;
    if (one[end] == '@') {
        const char *speed = one + end + 1;
        int used = 0;
        if (sscanf(speed, "%lf%n", &out->speed, &used) != 1)
            return false;
        end += 1 + used;
    }
    return !one[end] && out->nodes > 0 && out->nodes <= SIM_NODES_MAX &&
           out->slots[BASE_TASK_MAP] >= 0 && out->slots[BASE_TASK_MAP] <= SIM_NODE_SLOTS_MAX &&
           out->slots[BASE_TASK_REDUCE] >= 0 &&
           out->slots[BASE_TASK_REDUCE] <= SIM_NODE_SLOTS_MAX && out->speed >= 0.001 &&
           out->speed <= 1000;
}
SETTER(set_groups)
{
    static const char wanted[] =
        "kinds of nodes as 20x4+1/10x2+1@0.8: nodes, map and reduce slots, speed";
    size_t n = 0;

    for (const char *at = value;; at++) {
        size_t len = strcspn(at, "/");
        if (n == SIM_SETUP_GROUPS_MAX || !parse_group(at, len, &s->groups[n++]))
            return refuse_setting_value(key, value, wanted, err);
        at += len;
        if (!*at)
            break;
    }
    s->groups_n = n;
    if (sim_setup_node_count(s) > SIM_NODES_MAX)
        return refuse_setting_value(key, value, "a cluster of at most 100000 nodes", err);
    return 0;
}
SETTER(set_racks)
{
    return parse_int(key, value, 1, SIM_NODES_MAX, &s->cluster.racks, err);
}
SETTER(set_heartbeat)
{
    if (strcmp(value, "auto") == 0) {
        s->cluster.heartbeat_us = SIM_HEARTBEAT_AUTO;
        return 0;
    }
    int64_t us = 0;
    int rc = parse_seconds(key, value, 0, 3600, &us, err);
    if (rc < 0)
        return refuse_setting_value(key, value, "auto, 0 or seconds up to 3600", err);
    s->cluster.heartbeat_us = us;
    return 0;
}
SETTER(set_oob)
{
    return parse_bool(key, value, &s->cluster.oob, err);
}
SETTER(set_slowstart)
{
    return parse_real(key, value, 0, 1, &s->slowstart, err);
}
SETTER(set_swap)
{
    return parse_seconds(key, value, 0, 86400, &s->swap_us, err);
}
SETTER(set_stop)
{
    return parse_seconds(key, value, 0, SIM_TRACE_TIME_MAX_S, &s->stop_us, err);
}
SETTER(set_progress)
{
    bool on = false;

    if (strcmp(value, "auto") == 0) {
        s->progress = SIM_PROGRESS_AUTO;
        return 0;
    }
    if (parse_bool(key, value, &on, err) < 0)
        return refuse_setting_value(key, value, "auto, on or off", err);
    s->progress = on ? SIM_PROGRESS_ON : SIM_PROGRESS_OFF;
    return 0;
}
SETTER(set_queues)
{
    (void)key;
    (void)err;
    free(s->queues);
    s->queues = base_strdup(value);
    for (char *at = s->queues; *at; at++)
        *at = *at == '+' ? ',' : *at;
    return 0;
}
SETTER(set_f_off)
{
    return parse_real(key, value, 1, 1000, &s->tweak.f_off, err);
}
SETTER(set_f_rack)
{
    return parse_real(key, value, 1, 1000, &s->tweak.f_rack, err);
}
SETTER(set_f_colo)
{
    return parse_real(key, value, 0.01, 1000, &s->tweak.f_colo, err);
}
SETTER(set_cv)
{
    return parse_real(key, value, 0, 10, &s->tweak.cv, err);
}
SETTER(set_setup)
{
    return parse_seconds(key, value, 0, 86400, &s->tweak.setup_us, err);
}
SETTER(set_cleanup)
{
    return parse_seconds(key, value, 0, 86400, &s->tweak.cleanup_us, err);
}
SETTER(set_replicas)
{
    int32_t n = 0;
    int rc = parse_int(key, value, 1, SIM_REPLICAS_MAX, &n, err);

    if (rc == 0)
        s->tweak.replicas = n;
    return rc;
}
SETTER(set_located)
{
    bool on = false;
    int rc = parse_bool(key, value, &on, err);

    if (rc == 0)
        s->tweak.located = on;
    return rc;
}
SETTER(set_known)
{
    return parse_bool(key, value, &s->tweak.known, err);
}

static const struct setting {
    const char *name, *value, *help;
    int (*set)(struct sim_setup *s, const char *key, const char *value, struct base_error *err);
} settings[] = {
    {"nodes", "100", "nodes of the cluster", set_nodes},
    {"map_slots", "4", "map slots of each", set_map_slots},
    {"reduce_slots", "2", "reduce slots of each", set_reduce_slots},
    {"speed", "1", "speed of the nodes; a task takes its duration divided by it", set_speed},
    {"groups", "",
     "instead of these four, kinds of nodes: 20x4+1/10x2+1@0.8 is 20 nodes with 4 map slots and 1 "
     "reduce slot, 10 with 2 and 1 at speed 0.8",
     set_groups},
    {"racks", "1", "racks; node i is in rack i modulo racks", set_racks},
    {"heartbeat", "auto",
     "seconds between a node's heartbeats; auto: one per 100 nodes (rounded up), at least 3; 0: "
     "whenever something happens",
     set_heartbeat},
    {"oob_heartbeat", "on", "an extra heartbeat at the end of every task", set_oob},
    {"slowstart", "0.05", "fraction of the maps that must be done before reduces start",
     set_slowstart},
    {"swap", "0", "seconds that each resume adds to a task", set_swap},
    {"stop", "0", "second at which the run ends; 0: with the last job", set_stop},
    {"progress", "auto", "heartbeats report the progress of tasks; auto: if the policy uses it",
     set_progress},
    {"queues", "", "queues that exist from the beginning, separated by +", set_queues},
    {"f_off", "job's", "factor on a map's duration with its data in another rack", set_f_off},
    {"f_rack", "job's", "factor on a map's duration with its data on another node of the rack",
     set_f_rack},
    {"f_colo", "job's",
     "factor on the reduce's duration in a job of one map when both run on one node", set_f_colo},
    {"cv", "job's", "coefficient of variation of task durations", set_cv},
    {"setup", "job's", "seconds before the first task of a job", set_setup},
    {"cleanup", "job's", "seconds after the last task of a job", set_cleanup},
    {"replicas", "job's", "replicas of each split", set_replicas},
    {"located", "job's", "off: splits have no locations", set_located},
    {"known_times", "off", "tell policies how long tasks will take", set_known},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool is_same_name_dash_or_underscore(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
            return false;
    return *a == *b;
}

/* ---------------------------------------------------------------- a setup */
void sim_setup_init(struct sim_setup *s)
{
    *s =
        (struct sim_setup){.groups = {{.nodes = 100, .slots = {4, 2}, .speed = 1}},
                           .groups_n = 1,
                           .cluster = {.racks = 1, .heartbeat_us = SIM_HEARTBEAT_AUTO, .oob = true},
                           .slowstart = 0.05,
                           .progress = SIM_PROGRESS_AUTO};
    s->tweak = (struct sim_tweak){.f_off = NAN,
                                  .f_rack = NAN,
                                  .f_colo = NAN,
                                  .cv = NAN,
                                  .setup_us = -1,
                                  .cleanup_us = -1,
                                  .replicas = -1,
                                  .located = -1};
}

int32_t sim_setup_node_count(const struct sim_setup *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->groups_n; i++)
        n += s->groups[i].nodes;
    return n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

int64_t sim_setup_slot_count(const struct sim_setup *s, enum base_task_kind kind)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->groups_n; i++)
        n += (int64_t)s->groups[i].nodes * s->groups[i].slots[kind];
    return n;
}

void sim_setup_copy(struct sim_setup *to, const struct sim_setup *from)
{
    *to = *from;
    to->queues = base_strdup(from->queues);
    to->options = (struct policy_conf){0};
    policy_conf_copy(&to->options, &from->options);
    to->params = (struct sim_list){0};
    for (size_t i = 0; i < from->params.n; i++)
        sim_list_add(&to->params, from->params.v[i], strlen(from->params.v[i]));
}

void sim_setup_free(struct sim_setup *s)
{
    free(s->queues);
    policy_conf_free(&s->options);
    sim_list_free(&s->params);
    *s = (struct sim_setup){0};
}

int sim_setup_set(struct sim_setup *s, const char *key, const char *value, struct base_error *err)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (is_same_name_dash_or_underscore(settings[i].name, key))
            return settings[i].set(s, settings[i].name, value, err);
    if (sim_option_find(key) || strchr(key, '.'))
        return sim_option_set(&s->options, key, value, err);
    char *param = base_printf("%s=%s", key, value);
    sim_list_add(&s->params, param, strlen(param));
    free(param);
    return 0;
}

int sim_setup_set_pair(struct sim_setup *s, const char *pair, struct base_error *err)
{
    const char *eq = strchr(pair, '=');

    if (!eq || eq == pair)
        return base_error_set(err, -BASE_EINVAL, "--set: \"%.100s\" is not KEY=VALUE", pair);
    char *key = base_strndup(pair, (size_t)(eq - pair));
    int rc = sim_setup_set(s, key, eq + 1, err);
    free(key);
    return rc;
}

void sim_setup_append_help(struct base_buf *out)
{
    for (size_t i = 0; i < SETTINGS; i++)
        base_buf_addf(out, "  %-16s %-6s %s\n", settings[i].name, settings[i].value,
                      settings[i].help);
}

void sim_setup_consider_nearest_key(const char *key, const char **best, size_t *distance)
{
    for (size_t i = 0; i < SETTINGS; i++)
        base_nearest_take_if_closer(key, settings[i].name, best, distance);
    for (size_t i = 0; sim_option_at(i); i++) {
        const char *name = sim_option_at(i)->name, *dot = strchr(name, '.');

        base_nearest_take_if_closer(key, dot ? dot + 1 : name, best, distance);
    }
}

void sim_setup_append_key_names(struct base_buf *out)
{
    for (size_t i = 0; i < SETTINGS; i++)
        base_buf_addf(out, "%s%s", i ? ", " : "", settings[i].name);
}

void sim_tweak_job(const struct sim_tweak *t, struct sim_job *job)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (!isnan(t->cv))
            job->cv[k] = t->cv;
        if (t->known)
            job->expected_us[k] = SIM_EXPECT_TRUE;
    }
    job->f_off = isnan(t->f_off) ? job->f_off : t->f_off;
    job->f_rack = isnan(t->f_rack) ? job->f_rack : t->f_rack;
    job->f_colo = isnan(t->f_colo) ? job->f_colo : t->f_colo;
    job->setup_us = t->setup_us < 0 ? job->setup_us : t->setup_us;
    job->cleanup_us = t->cleanup_us < 0 ? job->cleanup_us : t->cleanup_us;
    if (t->replicas > 0 && !job->replica_nodes)
        job->replicas = t->replicas;
    if (t->located >= 0)
        job->located = t->located && job->located;
}
