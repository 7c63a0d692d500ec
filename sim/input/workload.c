#include "sim/input/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "sim/input/workload_internal.h"

static const struct sim_recipe *const books[] = {sim_recipes_hfs, sim_recipes_others};
#define BOOKS (sizeof books / sizeof *books)

static const struct sim_recipe *recipe_at(size_t index)
{
    for (size_t b = 0; b < BOOKS; b++)
        for (const struct sim_recipe *r = books[b]; r->name; r++)
            if (index-- == 0)
                return r;
    return NULL;
}

const char *sim_workload_name_at(size_t index)
{
    const struct sim_recipe *r = recipe_at(index);

    return r ? r->name : NULL;
}

const char *sim_workload_size_bin(int32_t maps)
{
    static const struct {
        int32_t to;
        const char *name;
    } bins[] = {{1, "1"},   {2, "2"},   {20, "3"},  {60, "4"},
                {150, "5"}, {300, "6"}, {500, "7"}, {1500, "8"}};

    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++)
        if (maps <= bins[i].to)
            return bins[i].name;
    return "9";
}

/* ---------------------------------------------------------------- settings */
static int find_knob_index(const struct sim_recipe *r, const char *key)
{
    for (int i = 0; r->knobs[i].key; i++)
        if (strcmp(r->knobs[i].key, key) == 0)
            return i;
    return -1;
}

double sim_knob_value(const struct sim_workload_maker *m, const char *key)
{
    int i = find_knob_index(m->recipe, key);

    base_assert(i >= 0);
    return m->value[i];
}

int64_t sim_knob_value_us(const struct sim_workload_maker *m, const char *key)
{
    return llround(sim_knob_value(m, key) * 1e6);
}

int sim_knob_word_index(const struct sim_workload_maker *m, const char *key)
{
    return (int)sim_knob_value(m, key);
}

static int refuse_unknown_setting(const struct sim_recipe *r, const char *key,
                                  struct base_error *err)
{
    struct base_buf keys = {0};
    int rc;

    for (const struct sim_knob *k = r->knobs; k->key; k++)
        base_buf_addf(&keys, "%s%s", k == r->knobs ? "" : ", ", k->key);
    rc = base_error_set(err, -BASE_EINVAL, "no setting '%.60s': there are %s", key,
                        keys.data ? keys.data : "none");
    base_buf_free(&keys);
    return rc;
}

/* Returns the index of @value in the list "a,b,c"; -1 when absent. */
static int index_in_comma_list(const char *words, const char *value)
{
    size_t len = strlen(value);
    int i = 0;

    for (const char *p = words; *p; i++) {
        size_t n = strcspn(p, ",");

        if (n == len && strncmp(p, value, n) == 0)
            return i;
        p += n + (p[n] == ',');
    }
    return -1;
}

static int parse_setting(struct sim_workload_maker *m, const char *param, struct base_error *err)
{
    const char *eq = strchr(param, '=');
    char *key = eq ? base_strndup(param, (size_t)(eq - param)) : base_strdup(param), *end = NULL;
    int i = find_knob_index(m->recipe, key), rc = 0;
    const struct sim_knob *k = i >= 0 ? &m->recipe->knobs[i] : NULL;
    const char *value = eq ? eq + 1 : "";
    double v = 0;

    if (!k) {
        rc = refuse_unknown_setting(m->recipe, key, err);
    } else if (k->words) {
        v = index_in_comma_list(k->words, value);
        if (v < 0)
            rc = base_error_set(err, -BASE_EINVAL, "%s: '%.60s' is not one of %s", k->key, value,
                                k->words);
    } else {
        v = strtod(value, &end);
        if (end == value || *end || !(v >= k->min && v <= k->max) || (k->whole && v != floor(v)))
            rc =
                base_error_set(err, -BASE_EINVAL, "%s: '%.60s' is not %s from %.10g to %.10g",
                               k->key, value, k->whole ? "an integer" : "a number", k->min, k->max);
    }
    if (rc == 0)
        m->value[i] = v;
    free(key);
    return rc;
}

/* ---------------------------------------------------------------- generating jobs */
static int refuse_unknown_workload(const char *name, struct base_error *err)
{
    struct base_buf names = {0};
    const char *best = NULL, *at;
    size_t distance = 0;
    int rc;

    for (size_t i = 0; (at = sim_workload_name_at(i)); i++) {
        base_nearest_take_if_closer(name, at, &best, &distance);
        base_buf_addf(&names, "%s%s", i ? ", " : "", at);
    }
    rc = base_error_set(err, -BASE_ENOTFOUND, "no workload '%.60s'%s%s%s: there are %s", name,
                        best ? " (did you mean " : "", best ? best : "", best ? "?)" : "",
                        names.data);
    base_buf_free(&names);
    return rc;
}

int sim_workload_make(const char *name, const char *const *params, size_t params_n, uint64_t seed,
                      struct sim_made_jobs *out, struct base_error *err)
{
    struct sim_workload_maker m = {.seed = seed, .made = out};
    int rc;

    for (size_t i = 0; (m.recipe = recipe_at(i)) && strcmp(m.recipe->name, name) != 0; i++)
        ;
    if (!m.recipe)
        return refuse_unknown_workload(name, err);
    for (int i = 0; m.recipe->knobs[i].key; i++) {
        base_assert(i < SIM_KNOBS_MAX);
        m.value[i] = m.recipe->knobs[i].value;
    }
    for (size_t i = 0; i < params_n; i++)
        if ((rc = parse_setting(&m, params[i], err)) < 0)
            return base_error_wrap(err, rc, "workload %s", name);
    m.recipe->make(&m);
    return 0;
}

struct sim_rng sim_workload_rng_for(const struct sim_workload_maker *m, uint64_t purpose)
{
    return sim_rng_seed(m->seed, purpose);
}

/* The value of setting @key, or @other if the recipe has no such setting. */
static double knob_value_or_default(const struct sim_workload_maker *m, const char *key,
                                    double other)
{
    int i = find_knob_index(m->recipe, key);

    return i >= 0 ? m->value[i] : other;
}

struct sim_job *sim_workload_add_job(struct sim_workload_maker *m, const char *class_name,
                                     int32_t maps, int32_t reduces)
{
    struct sim_made_jobs *made = m->made;
    struct sim_job *job;

    base_array_grow(&made->v, made->n, &made->cap);
    job = &made->v[made->n++];
    sim_job_init(job);
    job->id = made->n;
    sim_job_copy_text(job->class_name, class_name);
    job->tasks[BASE_TASK_MAP] = maps;
    job->tasks[BASE_TASK_REDUCE] = reduces;
    job->base_us[BASE_TASK_MAP] = llround(knob_value_or_default(m, "map_s", 1) * 1e6);
    job->base_us[BASE_TASK_REDUCE] = llround(knob_value_or_default(m, "reduce_s", 1) * 1e6);
    job->cv[BASE_TASK_MAP] = job->cv[BASE_TASK_REDUCE] = knob_value_or_default(m, "cv", 0);
    job->f_rack = knob_value_or_default(m, "f_rack", 0);
    job->f_off = knob_value_or_default(m, "f_off", 0);
    job->f_colo = 0.7; /* a job's only map output is still in memory on that node */
    job->setup_us = llround(knob_value_or_default(m, "setup_s", 0) * 1e6);
    job->cleanup_us = llround(knob_value_or_default(m, "cleanup_s", 0) * 1e6);
    return job;
}

/* Fisher-Yates shuffle. Ids are reassigned afterwards so that they follow the new order. */
void sim_workload_shuffle_jobs(struct sim_workload_maker *m)
{
    struct sim_rng rng = sim_workload_rng_for(m, 1);
    struct sim_made_jobs *made = m->made;

    for (size_t i = made->n; i > 1; i--) {
        size_t k = (size_t)sim_rng_below(&rng, i);
        struct sim_job swap = made->v[i - 1];

        made->v[i - 1] = made->v[k];
        made->v[k] = swap;
    }
    for (size_t i = 0; i < made->n; i++)
        made->v[i].id = i + 1;
}

void sim_workload_draw_submissions(struct sim_workload_maker *m, double mean_gap_s)
{
    struct sim_rng rng = sim_workload_rng_for(m, 2);
    double at_us = 0;

    for (size_t i = 0; i < m->made->n; i++) {
        m->made->v[i].submit_us = (int64_t)at_us;
        at_us += sim_rng_exponential(&rng, mean_gap_s * 1e6);
    }
}

/* ---------------------------------------------------------------- handing out jobs */
static void hand_out_next_job(struct sim_made_jobs *made, struct sim_job *out)
{
    *out = made->v[made->next];
    sim_job_init(&made->v[made->next++]); /* @out now owns the job's arrays */
}

int sim_made_jobs_take_next(struct sim_made_jobs *made, struct sim_job *out)
{
    if (made->next >= made->n || (made->open > 0 && made->next >= made->open))
        return 0;
    hand_out_next_job(made, out);
    return 1;
}

bool sim_made_jobs_replace_ended(struct sim_made_jobs *made, uint64_t ended, int64_t now_us,
                                 struct sim_job *out)
{
    if (made->open == 0 || made->next >= made->n || ended == made->last_ended)
        return false;
    made->last_ended = ended;
    hand_out_next_job(made, out);
    out->submit_us = now_us;
    return true;
}

void sim_made_jobs_free(struct sim_made_jobs *made)
{
    for (size_t i = made->next; i < made->n; i++)
        sim_job_clear(&made->v[i]);
    free(made->v);
    *made = (struct sim_made_jobs){0};
}

/* ---------------------------------------------------------------- description for users */
/* Appends the word at @index of the list "a,b,c". */
static void append_comma_list_item_at(const char *words, int index, struct base_buf *out)
{
    for (; index > 0; index--)
        words += strcspn(words, ",") + 1;
    base_buf_add(out, words, strcspn(words, ","));
}

void sim_workload_describe(struct base_buf *out)
{
    const struct sim_recipe *r;

    for (size_t i = 0; (r = recipe_at(i)); i++) {
        base_buf_addf(out, "%s\n    %s\n", r->name, r->help);
        for (const struct sim_knob *k = r->knobs; k->key; k++) {
            base_buf_addf(out, "      %s=", k->key);
            if (k->words)
                append_comma_list_item_at(k->words, (int)k->value, out);
            else
                base_buf_addf(out, "%.10g", k->value);
            if (k->words)
                base_buf_addf(out, "  %s (%s)\n", k->help, k->words);
            else
                base_buf_addf(out, "  %s (%.10g to %.10g)\n", k->help, k->min, k->max);
        }
    }
}
