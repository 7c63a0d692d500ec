/* `creel sim --single-server`: the jobs of a workload on one machine, under exact policies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/command.h"
#include "sim/command_settings.h"
#include "sim/input/single_server.h"
#include "sim/input/source.h"
#include "sim/terminal.h"

#define LOAD_DEFAULT 0.9

struct single {
    enum sim_single_policy policies[SIM_SINGLE_POLICIES];
    struct sim_stat mean_s[SIM_SINGLE_POLICIES]; /* mean sojourn; a statistic over seeds */
    size_t n;
};

static int resolve_policies(const struct sim_cli *cli, struct single *s, struct base_error *err)
{
    static const enum sim_single_policy usual[] = {SIM_SINGLE_FIFO, SIM_SINGLE_PS, SIM_SINGLE_LAS,
                                                   SIM_SINGLE_FSP, SIM_SINGLE_SRPT};

    if (!cli->policies.n) {
        memcpy(s->policies, usual, sizeof usual);
        s->n = sizeof usual / sizeof *usual;
        return 0;
    }
    for (size_t i = 0; i < cli->policies.n; i++) {
        enum sim_single_policy p;
        if (sim_single_policy_find(cli->policies.v[i], &p, err) < 0)
            return err->code;
        bool there = false;
        for (size_t k = 0; k < s->n; k++)
            there = there || s->policies[k] == p;
        if (!there)
            s->policies[s->n++] = p;
    }
    return 0;
}

static int run_policies_with_seed(const struct sim_cli *cli, const struct sim_setup *setup,
                                  uint64_t seed, struct single *s, struct base_error *err)
{
    struct sim_source_conf conf = {.what = cli->workload,
                                   .params = (const char *const *)setup->params.v,
                                   .params_n = setup->params.n,
                                   .seed = seed,
                                   .skip_bad = cli->skip_bad};
    struct sim_source *source = sim_source_open(&conf, err);
    struct sim_single_job *jobs = NULL;
    size_t n = 0;

    if (!source)
        return err->code;
    int rc = sim_source_read_single_jobs(source, &jobs, &n, err);
    if (rc >= 0 && sim_source_skipped_lines(source))
        fprintf(stderr, "creel: bad lines that were passed over: %zu; the first: %s\n",
                sim_source_skipped_lines(source), sim_source_first_skipped_error(source));
    sim_source_close(source);
    if (rc >= 0) {
        double *finish_s = base_alloc(n * sizeof *finish_s);
        sim_single_scale_to_load(jobs, n, cli->load > 0 ? cli->load : LOAD_DEFAULT);
        for (size_t i = 0; i < s->n; i++) {
            sim_single_server_run(s->policies[i], jobs, n, NULL, NULL, finish_s);
            sim_stat_add(&s->mean_s[i], sim_single_mean_sojourn(jobs, n, finish_s));
        }
        free(finish_s);
    }
    free(jobs);
    return rc < 0 ? rc : 0;
}

static void print_means(const struct sim_cli *cli, const struct single *s)
{
    struct base_buf out = {0};
    struct sim_table t;
    char text[64];

    if (cli->format_given && cli->format == SIM_FORMAT_TABLE) {
        sim_table_begin(&t, 2, 1);
        sim_table_add_cell(&t, "policy");
        sim_table_add_cell(&t, "mean sojourn (s)");
        for (size_t i = 0; i < s->n; i++) {
            sim_table_add_cell(&t, sim_single_policy_name(s->policies[i]));
            sim_output_format_stat(&s->mean_s[i], 4, text, sizeof text);
            sim_table_add_cell(&t, text);
        }
        sim_table_render_and_free(&t, &out);
    } else if (cli->format_given && cli->format == SIM_FORMAT_JSON) {
        for (size_t i = 0; i < s->n; i++)
            base_buf_addf(&out, "%s\n  {\"policy\":\"%s\",\"mean_sojourn_s\":%.6f}", i ? "," : "[",
                          sim_single_policy_name(s->policies[i]), s->mean_s[i].mean);
        base_buf_adds(&out, "\n]\n");
    } else {
        base_buf_adds(&out, "policy,mean_sojourn_s\n");
        for (size_t i = 0; i < s->n; i++)
            base_buf_addf(&out, "%s,%.6f\n", sim_single_policy_name(s->policies[i]),
                          s->mean_s[i].mean);
    }
    fwrite(out.data, 1, out.len, stdout);
    base_buf_free(&out);
}

int sim_cli_run_single_server(const struct sim_cli *cli)
{
    struct single s = {.n = 0};
    struct sim_setup setup;
    struct base_error err = {0};
    int rc = resolve_policies(cli, &s, &err);

    sim_setup_init(&setup);
    for (size_t i = 0; i < cli->sets.n && rc == 0; i++)
        rc = sim_setup_set_pair(&setup, cli->sets.v[i], &err);
    bool chance = !strchr(cli->workload, ':'); /* a trace is the same for every seed */
    for (uint64_t i = 0; i < (chance ? cli->seeds_n : 1) && rc == 0; i++)
        rc = run_policies_with_seed(cli, &setup, cli->seed_first + i, &s, &err);
    sim_setup_free(&setup);
    if (rc < 0)
        return sim_print_error_and_get_status(rc, err.text);
    print_means(cli, &s);
    return SIM_CLI_OK;
}
