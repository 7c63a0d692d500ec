#include "sim/report/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sim_results_init(struct sim_results *r, const char *const *policies, size_t policies_n,
                      const char *const *variations, size_t variations_n)
{
    *r = (struct sim_results){.policies = policies,
                              .policies_n = policies_n,
                              .variations = variations,
                              .variations_n = variations_n};
    r->cells = base_alloc(policies_n * variations_n * sizeof *r->cells);
}

struct sim_cell *sim_results_cell(const struct sim_results *r, size_t variation, size_t policy)
{
    return &r->cells[variation * r->policies_n + policy];
}

static struct sim_cell_class *find_or_add_class(struct sim_cell *c, const char *name, size_t from)
{
    for (size_t i = from; i < c->classes_n; i++)
        if (strcmp(c->classes[i].name, name) == 0)
            return &c->classes[i];
    base_array_grow(&c->classes, c->classes_n, &c->classes_cap);
    struct sim_cell_class *k = &c->classes[c->classes_n++];
    *k = (struct sim_cell_class){0};
    sim_job_copy_text(k->name, name);
    return k;
}

static void add_accepted_jobs(struct sim_cell *c, uint64_t seed, const struct sim_outcome *o)
{
    find_or_add_class(c, SIM_CLASS_ALL, 0);
    for (size_t i = 0; i < o->jobs_n; i++) {
        const struct sim_job_result *r = &o->jobs[i];
        double sojourn_s = (double)sim_sojourn_us(r) / 1e6;
        if (!r->accepted)
            continue;
        sim_samples_add(&find_or_add_class(c, r->class_name, 1)->sojourn_s, sojourn_s);
        sim_samples_add(&c->classes[0].sojourn_s, sojourn_s);
        base_array_grow(&c->jobs, c->jobs_n, &c->jobs_cap);
        c->jobs[c->jobs_n++] =
            (struct sim_cell_job){.seed = seed, .id = r->id, .sojourn_s = sojourn_s};
    }
}

void sim_results_add_run(struct sim_results *r, size_t variation, size_t policy, uint64_t seed,
                         struct sim_outcome *o, const struct sim_outcome *alone)
{
    struct sim_cell *c = sim_results_cell(r, variation, policy);
    struct sim_run_figures figures;
    size_t cap = c->runs_cap;

    sim_figures_compute(o, alone, &figures);
    sim_seed_summary_add_run(&c->summary, &figures);
    add_accepted_jobs(c, seed, o);
    base_array_grow(&c->runs, c->runs_n, &c->runs_cap);
    if (c->runs_cap != cap)
        c->seeds = base_realloc_array(c->seeds, c->runs_cap, sizeof *c->seeds);
    c->seeds[c->runs_n] = seed;
    c->runs[c->runs_n++] = figures;
    c->cpu_s += o->cpu_s;
    if (!c->usage && o->usage) {
        c->usage = o->usage;
        c->usage_seed = seed;
        o->usage = NULL;
    }
}

void sim_results_free(struct sim_results *r)
{
    for (size_t i = 0; i < r->policies_n * r->variations_n; i++) {
        struct sim_cell *c = &r->cells[i];
        sim_seed_summary_free(&c->summary);
        for (size_t k = 0; k < c->runs_n; k++)
            sim_figures_free(&c->runs[k]);
        for (size_t k = 0; k < c->classes_n; k++)
            sim_samples_free(&c->classes[k].sojourn_s);
        free(c->runs);
        free(c->seeds);
        free(c->classes);
        free(c->jobs);
        if (c->usage)
            sim_usage_free(c->usage);
        free(c->usage);
    }
    free(r->cells);
    *r = (struct sim_results){0};
}
