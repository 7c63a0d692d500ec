/* sim/report/job_list.c - the list of jobs: one function names all fields, for CSV's first line, its rows, and JSON. */
#include <math.h>

#include "sim/report/summary.h"

enum mode { NAMES, CSV, JSON };
struct row {
    enum mode mode;
    struct base_buf *out;
    bool begun;
};

/* True: a value is wanted. */
static bool field(struct row *w, const char *key)
{
    base_buf_adds(w->out, w->begun ? "," : "");
    w->begun = true;
    if (w->mode == NAMES)
        base_buf_adds(w->out, key);
    if (w->mode == JSON)
        base_buf_addf(w->out, "\"%s\":", key);
    return w->mode != NAMES;
}

static void add_text(struct row *w, const char *key, const char *text)
{
    if (!field(w, key))
        return;
    if (w->mode == CSV)
        sim_output_csv_text(text, w->out);
    else
        sim_output_json_text(text, w->out);
}

static void add_int(struct row *w, const char *key, int64_t n)
{
    if (field(w, key))
        base_buf_addf(w->out, "%lld", (long long)n);
}

static void add_real(struct row *w, const char *key, double x)
{
    if (field(w, key))
        sim_output_number(x, w->mode == JSON ? SIM_FORMAT_JSON : SIM_FORMAT_CSV, w->out);
}

static void add_bool(struct row *w, const char *key, bool yes)
{
    if (field(w, key))
        base_buf_adds(w->out, yes ? "true" : "false");
}

/* Microseconds as seconds, exactly. */
static void add_us(struct row *w, const char *key, int64_t us)
{
    if (!field(w, key))
        return;
    uint64_t n = us < 0 ? -(uint64_t)us : (uint64_t)us;
    base_buf_addf(w->out, us < 0 ? "-%llu" : "%llu", (unsigned long long)(n / 1000000));
    if (n % 1000000) {
        base_buf_addf(w->out, ".%06llu", (unsigned long long)(n % 1000000));
        while (w->out->data[w->out->len - 1] == '0')
            w->out->data[--w->out->len] = '\0';
    }
}

static void add_fields(struct row *w, const struct sim_output_job *of, const struct sim_job_result *r)
{
    double sojourn_s = (double)sim_sojourn_us(r) / 1e6;

    add_text(w, "variation", of->variation ? of->variation : "");
    add_text(w, "policy", of->policy);
    add_int(w, "seed", (int64_t)of->seed);
    add_int(w, "job", (int64_t)r->id);
    add_text(w, "name", r->name);
    add_text(w, "class", r->class_name);
    add_text(w, "pool", r->pool);
    add_text(w, "user", r->user);
    add_int(w, "maps", r->tasks[BASE_TASK_MAP]);
    add_int(w, "reduces", r->tasks[BASE_TASK_REDUCE]);
    add_int(w, "priority", r->priority);
    add_real(w, "weight", r->weight);
    add_bool(w, "accepted", r->accepted);
    add_us(w, "submit_s", r->submit_us);
    add_us(w, "start_s", r->first_us);
    add_us(w, "maps_done_s", r->maps_done_us);
    add_us(w, "finish_s", r->finish_us);
    add_us(w, "waiting_s", sim_waiting_us(r));
    add_us(w, "execution_s", sim_execution_us(r));
    add_us(w, "sojourn_s", sim_sojourn_us(r));
    add_real(w, "slowdown", r->accepted && of->alone_s > 0 ? sojourn_s / of->alone_s : NAN);
    add_us(w, "deadline_s", r->deadline_us);
    add_bool(w, "met", r->met);
    add_us(w, "promised_s", r->promised_us);
    add_int(w, "node_local", r->level[SIM_NODE_LOCAL]);
    add_int(w, "rack_local", r->level[SIM_RACK_LOCAL]);
    add_int(w, "off_rack", r->level[SIM_OFF_RACK]);
    add_int(w, "map_launches", r->launches[BASE_TASK_MAP]);
    add_int(w, "reduce_launches", r->launches[BASE_TASK_REDUCE]);
    add_int(w, "map_kills", r->kills[BASE_TASK_MAP]);
    add_int(w, "reduce_kills", r->kills[BASE_TASK_REDUCE]);
    add_int(w, "map_suspensions", r->suspensions[BASE_TASK_MAP]);
    add_int(w, "reduce_suspensions", r->suspensions[BASE_TASK_REDUCE]);
    add_us(w, "map_slot_s", r->useful_us[BASE_TASK_MAP]);
    add_us(w, "reduce_slot_s", r->useful_us[BASE_TASK_REDUCE]);
    add_us(w, "reduce_idle_s", r->idle_us);
    add_us(w, "map_lost_s", r->lost_us[BASE_TASK_MAP]);
    add_us(w, "reduce_lost_s", r->lost_us[BASE_TASK_REDUCE]);
    add_us(w, "map_work_s", r->work_us[BASE_TASK_MAP]);
    add_us(w, "reduce_work_s", r->work_us[BASE_TASK_REDUCE]);
}

void sim_output_jobs_begin(enum sim_format format, struct base_buf *out)
{
    static const struct sim_output_job of;
    static const struct sim_job_result r;
    struct row w = {.mode = NAMES, .out = out};

    if (format == SIM_FORMAT_JSON) {
        base_buf_adds(out, "[");
        return;
    }
    add_fields(&w, &of, &r);
    base_buf_adds(out, "\n");
}

void sim_output_job(enum sim_format format, size_t index, const struct sim_output_job *of,
                    const struct sim_job_result *r, struct base_buf *out)
{
    struct row w = {.mode = format == SIM_FORMAT_JSON ? JSON : CSV, .out = out};

    if (w.mode == JSON)
        base_buf_adds(out, index ? ",\n{" : "\n{");
    add_fields(&w, of, r);
    base_buf_adds(out, w.mode == JSON ? "}" : "\n");
}

void sim_output_jobs_end(enum sim_format format, struct base_buf *out)
{
    if (format == SIM_FORMAT_JSON)
        base_buf_adds(out, "\n]\n");
}
