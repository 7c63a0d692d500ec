/* The runs of `creel sim`: the plan of all runs, their outcomes as they arrive, the output. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/version/build.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "sim/command.h"
#include "sim/command_settings.h"
#include "sim/manifest.h"
#include "sim/options.h"
#include "sim/pool.h"
#include "sim/report/folder.h"
#include "sim/report/report.h"
#include "sim/report/results.h"
#include "sim/terminal.h"

enum { NOTES_SHOWN = 8 };

/* Identifies the run of the plan that the spec of the same index describes. */
struct place {
    size_t variation, policy;
    uint64_t seed;
    bool alone; /* runs each job alone, for slowdowns; @policy has no meaning */
    char *log;  /* owned; NULL: no event log */
};
struct plan {
    const struct sim_cli *cli;
    const char **policies;
    size_t policies_n;
    struct sim_setup *setups; /* by variation */
    char **variations;
    double *values; /* the variations as numbers; NULL: not one sweep, or not all numbers */
    size_t variations_n;
    char *axis; /* name of what varies; NULL: nothing */
    bool alone; /* slowdowns are wanted */
    struct sim_spec *specs;
    struct place *places;
    size_t n, cap, places_cap;
    /* state during the runs */
    struct sim_results results;
    struct sim_outcome last_alone; /* jobs run alone, for the present variation and seed */
    struct sim_job_result **by_id; /* the jobs of @last_alone, sorted by id */
    FILE *jobs[2];                 /* lists of jobs as CSV and JSON; NULL: not wanted */
    size_t rows;
    struct base_buf noted; /* the different notes so far, one per line */
    size_t notes;
    int64_t heartbeat_us;
    struct sim_bar bar;
    struct base_error err;
};

/* ---------------------------------------------------------------- variations */
static bool parse_finite_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return *text && !*end && isfinite(*out);
}

/* Returns the value of sweep number @sweep in variation @v. From variation to variation the last
 * sweep changes fastest. */
static const char *sweep_value_in_variation(const struct sim_cli *cli, size_t v, size_t sweep)
{
    for (size_t i = cli->sweeps_n; i-- > sweep + 1;)
        v /= cli->sweeps[i].values.n;
    return cli->sweeps[sweep].values.v[v % cli->sweeps[sweep].values.n];
}

static int apply_sweep_values_and_name_variation(struct plan *p, size_t v, struct base_error *err)
{
    const struct sim_cli *cli = p->cli;
    struct base_buf name = {0};

    for (size_t i = 0; i < cli->sweeps_n; i++) {
        const char *value = sweep_value_in_variation(cli, v, i);
        int rc = sim_setup_set(&p->setups[v], cli->sweeps[i].key, value, err);
        if (rc < 0) {
            base_buf_free(&name);
            return rc;
        }
        if (cli->sweeps_n > 1)
            base_buf_addf(&name, "%s%s=", i ? " " : "", cli->sweeps[i].key);
        base_buf_adds(&name, value);
    }
    p->variations[v] = base_buf_take(&name);
    return 0;
}

static int make_variations(struct plan *p, struct base_error *err)
{
    const struct sim_cli *cli = p->cli;
    struct sim_setup base;
    int rc = 0;

    p->variations_n = 1;
    for (size_t i = 0; i < cli->sweeps_n; i++)
        p->variations_n *= cli->sweeps[i].values.n;
    if (p->variations_n > SIM_CLI_VALUES_MAX)
        return base_error_set(err, -BASE_ELIMIT, "--sweep: %zu variations, at most %d",
                              p->variations_n, SIM_CLI_VALUES_MAX);
    sim_setup_init(&base);
    for (size_t i = 0; i < cli->sets.n && rc == 0; i++)
        rc = sim_setup_set_pair(&base, cli->sets.v[i], err);
    p->setups = base_alloc(p->variations_n * sizeof *p->setups);
    p->variations = base_alloc(p->variations_n * sizeof *p->variations);
    for (size_t v = 0; v < p->variations_n; v++)
        sim_setup_copy(&p->setups[v], &base);
    for (size_t v = 0; v < p->variations_n && rc == 0; v++)
        rc = apply_sweep_values_and_name_variation(p, v, err);
    sim_setup_free(&base);
    if (rc < 0 || !cli->sweeps_n)
        return rc;
    p->axis = base_strdup(cli->sweeps_n == 1 ? cli->sweeps[0].key : "variation");
    p->values = base_alloc(p->variations_n * sizeof *p->values);
    bool numbers = cli->sweeps_n == 1;
    for (size_t v = 0; v < p->variations_n; v++)
        numbers = numbers && parse_finite_number(p->variations[v], &p->values[v]);
    if (!numbers) {
        free(p->values);
        p->values = NULL;
    }
    return 0;
}

/* ---------------------------------------------------------------- checks */
static int resolve_policies(struct plan *p, struct base_error *err)
{
    struct base_buf names = {0};

    p->policies = base_alloc(p->cli->policies.n * sizeof *p->policies);
    for (size_t i = 0; i < p->cli->policies.n; i++) {
        const struct policy_ops *ops = policy_find(p->cli->policies.v[i]);
        if (!ops) {
            for (size_t k = 0; policy_at(k); k++)
                base_buf_addf(&names, "%s%s", k ? ", " : "", policy_at(k)->name);
            const char *near = policy_nearest_name(p->cli->policies.v[i], true);
            int rc = base_error_set(err, -BASE_EINVAL,
                                    "--policy: there is no policy \"%.60s\"%s%s%s: there are %s",
                                    p->cli->policies.v[i], near ? " (did you mean " : "",
                                    near ? near : "", near ? "?)" : "", names.data);
            base_buf_free(&names);
            return rc;
        }
        bool there = false;
        for (size_t k = 0; k < p->policies_n; k++)
            there = there || p->policies[k] == ops->name;
        if (!there)
            p->policies[p->policies_n++] = ops->name;
    }
    return 0;
}

static void fill_source_conf(const struct plan *p, size_t v, struct sim_source_conf *out)
{
    *out = (struct sim_source_conf){.what = p->cli->workload,
                                    .params = (const char *const *)p->setups[v].params.v,
                                    .params_n = p->setups[v].params.n,
                                    .seed = p->cli->seed_first,
                                    .nodes = sim_setup_node_count(&p->setups[v]),
                                    .skip_bad = p->cli->skip_bad};
}

/* Checks the settings of variation @v, and opens its workload once unless it can be read only once,
 * so that errors show before the first run. */
static int check_settings_and_workload(const struct plan *p, size_t v, struct base_error *err)
{
    struct sim_source_conf conf;
    struct sim_source *source;

    for (size_t i = 0; i < p->policies_n; i++) {
        const struct policy_ops *ops = policy_find(p->policies[i]);
        int rc = ops->check_conf ? ops->check_conf(&p->setups[v].options, err) : 0;
        if (rc < 0)
            return rc;
    }
    if (sim_setup_slot_count(&p->setups[v], BASE_TASK_MAP) +
            sim_setup_slot_count(&p->setups[v], BASE_TASK_REDUCE) ==
        0)
        return base_error_set(err, -BASE_EINVAL,
                              "map_slots and reduce_slots are both 0: nothing can run");
    if (sim_source_is_one_shot(p->cli->workload))
        return 0;
    fill_source_conf(p, v, &conf);
    source = sim_source_open(&conf, err);
    if (!source)
        return err->code;
    sim_source_close(source);
    return 0;
}

/* If @err says that the workload has no such setting, and a known key of the workload, the
 * simulator or the policies is near, adds that key to the text of @err. */
static void add_nearest_key_to_error(const struct plan *p, struct base_error *err)
{
    for (size_t v = 0; v < p->variations_n; v++)
        for (size_t i = 0; p->setups && i < p->setups[v].params.n; i++) {
            const char *param = p->setups[v].params.v[i], *best = NULL;
            char *key = base_strndup(param, strcspn(param, "=")),
                 *quoted = base_printf("'%s'", key);
            const char *at = strstr(err->text, "no setting '") ? strstr(err->text, quoted) : NULL;
            const char *own = at ? strstr(at, "there are ") : NULL;
            size_t distance = 0;
            struct sim_list names = {0};

            for (const char *w = own ? own + strlen("there are ") : ""; *w; w += strspn(w, ", ")) {
                sim_list_add(&names, w, strcspn(w, ", "));
                w += strcspn(w, ", ");
            }
            for (size_t k = 0; k < names.n; k++)
                base_nearest_take_if_closer(key, names.v[k], &best, &distance);
            sim_setup_consider_nearest_key(key, &best, &distance);
            if (at && best) {
                char *text =
                    base_printf("%.*s (did you mean %s?)%s", (int)(at + strlen(quoted) - err->text),
                                err->text, best, at + strlen(quoted));
                base_error_set(err, err->code, "%s", text);
                free(text);
            }
            sim_list_free(&names);
            free(quoted);
            free(key);
            if (at)
                return;
        }
}

/* If @err is about an unknown key, prints the known keys that its text does not list. */
static void print_keys_not_in_error(const struct base_error *err)
{
    struct base_buf names = {0};

    if (!strstr(err->text, "no setting") && !strstr(err->text, "is unknown"))
        return;
    sim_setup_append_key_names(&names);
    fprintf(stderr, "  of the simulator: %s\n", names.data);
    /* an error with "is unknown" lists the policies' options itself */
    if (!strstr(err->text, "is unknown")) {
        fprintf(stderr, "  of policies: ");
        for (size_t i = 0; sim_option_at(i); i++)
            fprintf(stderr, "%s%s", i ? ", " : "", sim_option_at(i)->name);
        fprintf(stderr, "\n");
    }
    base_buf_free(&names);
}

/* ---------------------------------------------------------------- the plan */
static void tweak_job(const struct sim_spec *spec, struct sim_job *job)
{
    sim_tweak_job(spec->tweak_ctx, job);
}

/* "log.csv" -> "log-fair-seed3.csv" when there are several runs, "log-v2-fair-seed3.csv" when a
 * setting is varied. The caller frees the path. */
static char *log_path_of_run(const struct plan *p, const struct place *at)
{
    const char *file = p->cli->log, *slash, *dot;
    struct base_buf b = {0};

    if (p->policies_n * p->variations_n * p->cli->seeds_n == 1)
        return base_strdup(file);
    slash = strrchr(file, '/');
    dot = strrchr(slash ? slash : file, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : file) ? (size_t)(dot - file) : strlen(file);
    base_buf_add(&b, file, stem);
    if (p->axis)
        base_buf_addf(&b, "-v%zu", at->variation + 1);
    base_buf_addf(&b, "-%s-seed%llu%s", p->policies[at->policy], (unsigned long long)at->seed,
                  file + stem);
    return base_buf_take(&b);
}

static void add_run(struct plan *p, struct place at)
{
    struct sim_setup *s = &p->setups[at.variation];
    struct sim_spec spec;

    sim_spec_init(&spec);
    s->cluster.groups = s->groups;
    s->cluster.groups_n = s->groups_n;
    spec.conf.policy = p->policies[at.policy];
    spec.conf.options = &s->options;
    spec.conf.cluster = s->cluster;
    spec.conf.seed = at.seed;
    spec.conf.slowstart = s->slowstart;
    spec.conf.swap_us = s->swap_us;
    spec.conf.stop_us = s->stop_us;
    spec.conf.progress = s->progress;
    spec.conf.queues = s->queues;
    fill_source_conf(p, at.variation, &spec.source);
    spec.tweak = tweak_job;
    spec.tweak_ctx = &s->tweak;
    spec.alone = at.alone;
    spec.keep_usage =
        !at.alone && p->cli->out && !p->cli->no_pictures && at.seed == p->cli->seed_first;
    if (p->cli->log && !at.alone)
        spec.log_path = at.log = log_path_of_run(p, &at);
    base_array_grow(&p->specs, p->n, &p->cap);
    base_array_grow(&p->places, p->n, &p->places_cap);
    p->specs[p->n] = spec;
    p->places[p->n++] = at;
}

/* Should each job also run alone? By default yes for named workloads, except reference-load, which
 * has too many tasks. Never if the workload can be read only once. */
static bool wants_slowdown(const struct sim_cli *cli)
{
    if (cli->slowdown >= 0)
        return cli->slowdown && !sim_source_is_one_shot(cli->workload);
    return !strchr(cli->workload, ':') && strncmp(cli->workload, "reference-load", 14) != 0;
}

static int make_plan(struct plan *p, struct base_error *err)
{
    const struct sim_cli *cli = p->cli;
    int rc = resolve_policies(p, err);

    if (rc == 0)
        rc = make_variations(p, err);
    for (size_t v = 0; v < p->variations_n && rc == 0; v++)
        rc = check_settings_and_workload(p, v, err);
    if (rc < 0)
        return rc;
    if (sim_source_is_one_shot(cli->workload) && p->policies_n * p->variations_n * cli->seeds_n > 1)
        return base_error_set(
            err, -BASE_EINVAL,
            "standard input and pipes can be read once: one policy, one seed, no sweep");
    p->alone = wants_slowdown(cli);
    for (size_t v = 0; v < p->variations_n; v++)
        for (uint64_t i = 0; i < cli->seeds_n; i++) {
            if (p->alone)
                add_run(p,
                        (struct place){.variation = v, .seed = cli->seed_first + i, .alone = true});
            for (size_t k = 0; k < p->policies_n; k++)
                add_run(p,
                        (struct place){.variation = v, .policy = k, .seed = cli->seed_first + i});
        }
    return 0;
}

static void free_plan(struct plan *p)
{
    for (size_t v = 0; v < p->variations_n && p->setups; v++) {
        sim_setup_free(&p->setups[v]);
        free(p->variations[v]);
    }
    for (size_t i = 0; i < p->n; i++)
        free(p->places[i].log);
    free(p->policies);
    free(p->setups);
    free(p->variations);
    free(p->values);
    free(p->axis);
    free(p->specs);
    free(p->places);
    free(p->by_id);
    sim_outcome_free(&p->last_alone);
    sim_results_free(&p->results);
    base_buf_free(&p->noted);
}

/* ---------------------------------------------------------------- outcomes */
static int compare_jobs_by_id(const void *a, const void *b)
{
    uint64_t x = (*(struct sim_job_result *const *)a)->id,
             y = (*(struct sim_job_result *const *)b)->id;

    return (x > y) - (x < y);
}

static void keep_jobs_run_alone(struct plan *p, struct sim_outcome *o)
{
    sim_outcome_free(&p->last_alone);
    p->last_alone = *o;
    *o = (struct sim_outcome){0};
    free(p->by_id);
    p->by_id = base_alloc(p->last_alone.jobs_n * sizeof *p->by_id);
    for (size_t i = 0; i < p->last_alone.jobs_n; i++)
        p->by_id[i] = &p->last_alone.jobs[i];
    if (p->last_alone.jobs_n)
        qsort(p->by_id, p->last_alone.jobs_n, sizeof *p->by_id, compare_jobs_by_id);
}

static double sojourn_alone_s(const struct plan *p, uint64_t id)
{
    struct sim_job_result key = {.id = id}, *at = &key;
    struct sim_job_result *const *found =
        p->alone && p->last_alone.jobs_n
            ? bsearch(&at, p->by_id, p->last_alone.jobs_n, sizeof *p->by_id, compare_jobs_by_id)
            : NULL;

    return found ? (double)sim_sojourn_us(*found) / 1e6 : NAN;
}

static void write_job_rows(struct plan *p, const struct place *at, const struct sim_outcome *o)
{
    struct sim_output_job of = {.variation = p->axis ? p->variations[at->variation] : NULL,
                                .policy = p->policies[at->policy],
                                .seed = at->seed};
    struct base_buf row = {0};

    for (size_t i = 0; i < o->jobs_n && p->jobs[0]; i++, p->rows++) {
        of.alone_s = sojourn_alone_s(p, o->jobs[i].id);
        for (int f = 0; f < 2 && p->jobs[f]; f++) {
            base_buf_clear(&row);
            sim_output_append_job(f ? SIM_FORMAT_JSON : SIM_FORMAT_CSV, p->rows, &of, &o->jobs[i],
                                  &row);
            fwrite(row.data, 1, row.len, p->jobs[f]);
        }
    }
    base_buf_free(&row);
}

/* Prints the notes of a run that no earlier run had; only the first NOTES_SHOWN in all. */
static void print_new_notes(struct plan *p, size_t index, const struct sim_outcome *o)
{
    char name[256];

    for (const char *at = o->notes.data; at && *at;) {
        size_t len = strcspn(at, "\n");
        char *line = base_printf("%.*s\n", (int)len, at);
        if (!p->noted.data || !strstr(p->noted.data, line)) {
            base_buf_adds(&p->noted, line);
            if (p->notes++ < NOTES_SHOWN) {
                sim_bar_erase(&p->bar);
                sim_spec_format_name(&p->specs[index], name, sizeof name);
                fprintf(stderr, "creel: %s: %s", name, line);
            }
        }
        free(line);
        at += len + (at[len] == '\n');
    }
}

static bool process_outcome(void *ctx, size_t index, struct sim_outcome *o)
{
    struct plan *p = ctx;
    const struct place *at = &p->places[index];

    if (o->code < 0) {
        p->err = o->err;
        return false;
    }
    print_new_notes(p, index, o);
    if (at->alone) {
        keep_jobs_run_alone(p, o);
        return true;
    }
    p->heartbeat_us = o->heartbeat_us;
    write_job_rows(p, at, o);
    sim_results_add_run(&p->results, at->variation, at->policy, at->seed, o,
                        p->alone ? &p->last_alone : NULL);
    return true;
}

static void draw_progress(void *ctx, double fraction, size_t ended, size_t running)
{
    struct plan *p = ctx;

    (void)running;
    sim_bar_draw(&p->bar, fraction, ended, p->n);
}

/* ---------------------------------------------------------------- output */
static int open_job_lists(struct plan *p, struct base_error *err)
{
    static const char *const names[] = {"jobs.csv", "jobs.json"};
    struct base_buf head = {0};

    for (int f = 0; f < 2 && p->cli->out; f++) {
        if (f == 1 && p->cli->format != SIM_FORMAT_JSON)
            break;
        char *path = base_printf("%s/%s", p->cli->out, names[f]);
        p->jobs[f] = fopen(path, "we");
        if (!p->jobs[f])
            base_error_sys(err, -BASE_EIO, errno, "%s", path);
        free(path);
        if (!p->jobs[f])
            return err->code;
        base_buf_clear(&head);
        sim_output_begin_job_list(f ? SIM_FORMAT_JSON : SIM_FORMAT_CSV, &head);
        fwrite(head.data, 1, head.len, p->jobs[f]);
    }
    base_buf_free(&head);
    return 0;
}

static int close_job_lists(struct plan *p, struct base_error *err)
{
    struct base_buf tail = {0};
    int rc = 0;

    sim_output_end_job_list(SIM_FORMAT_JSON, &tail);
    if (p->jobs[1])
        fwrite(tail.data, 1, tail.len, p->jobs[1]);
    base_buf_free(&tail);
    for (int f = 0; f < 2; f++)
        if (p->jobs[f]) {
            bool bad = ferror(p->jobs[f]) != 0;
            if ((fclose(p->jobs[f]) != 0 || bad) && rc == 0)
                rc = base_error_sys(err, -BASE_EIO, errno, "%s: the list of jobs", p->cli->out);
            p->jobs[f] = NULL;
        }
    return rc;
}

static int write_summary_file(const struct plan *p, enum sim_format format, const char *name,
                              struct base_error *err)
{
    struct base_buf text = {0};
    char *path = base_printf("%s/%s", p->cli->out, name);

    sim_output_append_summary(&p->results, format, 0, &text);
    int rc = base_file_write_atomic(path, text.data, text.len, 0644, false, err);
    free(path);
    base_buf_free(&text);
    return rc;
}

static char *format_seeds(const struct sim_cli *cli)
{
    if (cli->seeds_n == 1)
        return base_printf("%llu", (unsigned long long)cli->seed_first);
    return base_printf("%llu-%llu", (unsigned long long)cli->seed_first,
                       (unsigned long long)(cli->seed_first + cli->seeds_n - 1));
}

/* The cluster of the first variation in words; the caller frees the text. */
static char *describe_cluster(const struct plan *p)
{
    const struct sim_setup *s = &p->setups[0];

    char *beats = p->heartbeat_us
                      ? base_printf("a heartbeat every %g s%s", (double)p->heartbeat_us / 1e6,
                                    s->cluster.oob ? " and at the end of a task" : "")
                      : base_strdup("heartbeats whenever something happens");
    struct base_buf text = {0};
    for (size_t i = 0; i < s->groups_n; i++) {
        const struct sim_group *g = &s->groups[i];
        base_buf_addf(&text, "%s%d nodes with %d map and %d reduce slots", i ? ", " : "", g->nodes,
                      g->slots[BASE_TASK_MAP], g->slots[BASE_TASK_REDUCE]);
        if (g->speed != 1)
            base_buf_addf(&text, " of speed %g", g->speed);
    }
    base_buf_addf(&text, ", %d rack%s; %s%s%s", s->cluster.racks, s->cluster.racks == 1 ? "" : "s",
                  beats, p->axis ? "; varied: " : "", p->axis ? p->axis : "");
    free(beats);
    return base_buf_take(&text);
}

static int write_report_page(const struct plan *p, struct base_error *err)
{
    char *seeds = format_seeds(p->cli), *cluster = describe_cluster(p),
         *command = sim_manifest_quote_command(p->cli),
         *version = base_printf("Creel %s", base_build_text);
    struct base_buf settings = {0}, title = {0};
    const char *facts[6][2] = {{"workload", p->cli->workload},
                               {"cluster", cluster},
                               {"seeds", seeds},
                               {"command", command},
                               {"version", version}};
    size_t n = 5;

    for (size_t i = 0; i < p->cli->sets.n; i++)
        base_buf_addf(&settings, "%s%s", i ? ", " : "", p->cli->sets.v[i]);
    if (settings.len) {
        facts[n][0] = "settings";
        facts[n++][1] = settings.data;
    }
    base_buf_addf(&title, "%s: ", p->cli->workload);
    for (size_t i = 0; i < p->policies_n; i++)
        base_buf_addf(&title, "%s%s", i ? ", " : "", p->policies[i]);
    int rc = sim_report_write(p->cli->out, &p->results, title.data, (const char *const(*)[2])facts,
                              n, err);
    free(seeds);
    free(version);
    free(cluster);
    free(command);
    base_buf_free(&settings);
    base_buf_free(&title);
    return rc;
}

static int write_output_folder(const struct plan *p, struct base_error *err)
{
    struct sim_manifest m = {.cli = p->cli,
                             .policies = p->policies,
                             .policies_n = p->policies_n,
                             .setup = &p->setups[0],
                             .heartbeat_us = p->heartbeat_us};
    int rc = write_summary_file(p, SIM_FORMAT_CSV, "summary.csv", err);

    if (rc == 0)
        rc = write_summary_file(p, SIM_FORMAT_JSON, "summary.json", err);
    if (rc == 0)
        rc = sim_manifest_write(&m, err);
    if (rc == 0 && !p->cli->no_pictures)
        rc = write_report_page(p, err);
    return rc;
}

static void print_summary(const struct plan *p, bool written)
{
    struct base_buf text = {0};

    if (p->cli->format == SIM_FORMAT_TABLE) {
        char *seeds = format_seeds(p->cli), *cluster = describe_cluster(p);
        base_buf_addf(&text, "%s, seed%s %s: %s\n\n", p->cli->workload,
                      p->cli->seeds_n > 1 ? "s" : "", seeds, cluster);
        sim_print_lines_folded(text.data);
        base_buf_clear(&text);
        free(seeds);
        free(cluster);
    }
    sim_output_append_summary(&p->results, p->cli->format, base_terminal_width(STDOUT_FILENO),
                              &text);
    if (p->cli->out && written && p->cli->format == SIM_FORMAT_TABLE)
        base_buf_addf(&text, "\n%s/%s\n", p->cli->out,
                      p->cli->no_pictures ? "summary.csv" : "index.html");
    fwrite(text.data, 1, text.len, stdout);
    base_buf_free(&text);
}

/* ---------------------------------------------------------------- the command */
static int run_plan(struct plan *p, struct base_error *err)
{
    struct sim_pool_hooks hooks = {
        .on_outcome = process_outcome, .on_progress = draw_progress, .ctx = p};
    int rc = 0;

    sim_results_init(&p->results, p->policies, p->policies_n, (const char *const *)p->variations,
                     p->variations_n);
    p->results.axis = p->axis;
    p->results.values = p->values;
    if (p->cli->out) {
        rc = p->cli->no_pictures ? 0 : sim_picture_check_gnuplot(err);
        rc = rc == 0 ? sim_report_prepare_folder(p->cli->out, p->cli->force, err) : rc;
    }
    for (size_t i = 0; rc == 0 && i < p->n; i++)
        if (p->specs[i].log_path)
            rc = sim_report_check_output_file("--log", p->specs[i].log_path, p->cli->force, err);
    if (rc == 0 && p->cli->out)
        rc = open_job_lists(p, err);
    if (rc == 0) {
        sim_bar_begin(&p->bar,
                      p->cli->progress > 0 || (p->cli->progress < 0 && isatty(STDERR_FILENO)));
        rc = sim_pool_run(p->specs, p->n, p->cli->jobs, &hooks, err);
        sim_bar_erase(&p->bar);
        if (p->notes > NOTES_SHOWN)
            fprintf(stderr, "creel: %zu more such notes\n", p->notes - NOTES_SHOWN);
    }
    if (rc == 1) {
        *err = p->err;
        rc = err->code;
    }
    struct base_error closing;
    int closed = close_job_lists(p, &closing);
    if (rc == 0 && closed < 0) {
        *err = closing;
        rc = closed;
    }
    return rc;
}

int sim_cli_run_simulations(const struct sim_cli *cli)
{
    struct plan p = {.cli = cli};
    struct base_error err = {0};
    int rc = make_plan(&p, &err), status;

    if (rc == 0)
        rc = run_plan(&p, &err);
    bool ran = rc == 0;
    if (ran && cli->out)
        rc = write_output_folder(&p, &err);
    if (ran) /* even if the report could not be written, so that the results are not lost */
        print_summary(&p, rc == 0);
    if (rc < 0)
        add_nearest_key_to_error(&p, &err);
    status = rc == 0 ? SIM_CLI_OK : sim_print_error_and_get_status(rc, err.text);
    if (rc < 0)
        print_keys_not_in_error(&err);
    free_plan(&p);
    return status;
}
