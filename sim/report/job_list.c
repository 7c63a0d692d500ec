/* sim/report/job_list.c - the list of jobs. One function names all fields; the mode decides whether
 * that function writes the CSV header, a CSV row or a JSON object, so the three cannot disagree. */
#include <math.h>

#include "sim/report/summary.h"

enum mode { NAMES, CSV, JSON };
struct row {
    enum mode mode;
    struct base_buf *out;
    bool begun;
};

/* Writes the separator and, depending on the mode, the key. Returns true if the caller must write
 * the value. */
static bool begin_field_and_wants_value(struct row *w, const char *key)
{
    base_buf_adds(w->out, w->begun ? "," : "");
    w->begun = true;
    if (w->mode == NAMES)
        base_buf_adds(w->out, key);
    if (w->mode == JSON)
        base_buf_addf(w->out, "\"%s\":", key);
    return w->mode != NAMES;
}

static void add_text_field(struct row *w, const char *key, const char *text)
{
    if (!begin_field_and_wants_value(w, key))
        return;
    if (w->mode == CSV)
        sim_output_append_csv_text(text, w->out);
    else
        sim_output_append_json_text(text, w->out);
}

static void add_int_field(struct row *w, const char *key, int64_t n)
{
    if (begin_field_and_wants_value(w, key))
        base_buf_addf(w->out, "%lld", (long long)n);
}

static void add_real_field(struct row *w, const char *key, double x)
{
    if (begin_field_and_wants_value(w, key))
        sim_output_append_number(x, w->mode == JSON ? SIM_FORMAT_JSON : SIM_FORMAT_CSV, w->out);
}

static void add_bool_field(struct row *w, const char *key, bool yes)
{
    if (begin_field_and_wants_value(w, key))
        base_buf_adds(w->out, yes ? "true" : "false");
}

/* Writes microseconds as seconds without rounding. */
static void add_seconds_field(struct row *w, const char *key, int64_t us)
{
    if (!begin_field_and_wants_value(w, key))
        return;
    uint64_t n = us < 0 ? -(uint64_t)us : (uint64_t)us;
    base_buf_addf(w->out, us < 0 ? "-%llu" : "%llu", (unsigned long long)(n / 1000000));
    if (n % 1000000) {
        base_buf_addf(w->out, ".%06llu", (unsigned long long)(n % 1000000));
        while (w->out->data[w->out->len - 1] == '0')
            w->out->data[--w->out->len] = '\0';
    }
}

static void add_job_fields(struct row *w, const struct sim_output_job *of,
                           const struct sim_job_result *r)
{
    double sojourn_s = (double)sim_sojourn_us(r) / 1e6;

    add_text_field(w, "variation", of->variation ? of->variation : "");
    add_text_field(w, "policy", of->policy);
    add_int_field(w, "seed", (int64_t)of->seed);
    add_int_field(w, "job", (int64_t)r->id);
    add_text_field(w, "name", r->name);
    add_text_field(w, "class", r->class_name);
    add_text_field(w, "pool", r->pool);
    add_text_field(w, "user", r->user);
    add_int_field(w, "maps", r->tasks[BASE_TASK_MAP]);
    add_int_field(w, "reduces", r->tasks[BASE_TASK_REDUCE]);
    add_int_field(w, "priority", r->priority);
    add_real_field(w, "weight", r->weight);
    add_bool_field(w, "accepted", r->accepted);
    add_seconds_field(w, "submit_s", r->submit_us);
    add_seconds_field(w, "start_s", r->first_us);
    add_seconds_field(w, "maps_done_s", r->maps_done_us);
    add_seconds_field(w, "finish_s", r->finish_us);
    add_seconds_field(w, "waiting_s", sim_waiting_us(r));
    add_seconds_field(w, "execution_s", sim_execution_us(r));
    add_seconds_field(w, "sojourn_s", sim_sojourn_us(r));
    add_real_field(w, "slowdown", r->accepted && of->alone_s > 0 ? sojourn_s / of->alone_s : NAN);
    add_seconds_field(w, "deadline_s", r->deadline_us);
    add_bool_field(w, "met", r->met);
    add_seconds_field(w, "promised_s", r->promised_us);
    add_int_field(w, "node_local", r->level[SIM_NODE_LOCAL]);
    add_int_field(w, "rack_local", r->level[SIM_RACK_LOCAL]);
    add_int_field(w, "off_rack", r->level[SIM_OFF_RACK]);
    add_int_field(w, "map_launches", r->launches[BASE_TASK_MAP]);
    add_int_field(w, "reduce_launches", r->launches[BASE_TASK_REDUCE]);
    add_int_field(w, "map_kills", r->kills[BASE_TASK_MAP]);
    add_int_field(w, "reduce_kills", r->kills[BASE_TASK_REDUCE]);
    add_int_field(w, "map_suspensions", r->suspensions[BASE_TASK_MAP]);
    add_int_field(w, "reduce_suspensions", r->suspensions[BASE_TASK_REDUCE]);
    add_seconds_field(w, "map_slot_s", r->useful_us[BASE_TASK_MAP]);
    add_seconds_field(w, "reduce_slot_s", r->useful_us[BASE_TASK_REDUCE]);
    add_seconds_field(w, "reduce_idle_s", r->idle_us);
    add_seconds_field(w, "map_lost_s", r->lost_us[BASE_TASK_MAP]);
    add_seconds_field(w, "reduce_lost_s", r->lost_us[BASE_TASK_REDUCE]);
    add_seconds_field(w, "map_work_s", r->work_us[BASE_TASK_MAP]);
    add_seconds_field(w, "reduce_work_s", r->work_us[BASE_TASK_REDUCE]);
}

void sim_output_begin_job_list(enum sim_format format, struct base_buf *out)
{
    static const struct sim_output_job of;
    static const struct sim_job_result r;
    struct row w = {.mode = NAMES, .out = out};

    if (format == SIM_FORMAT_JSON) {
        base_buf_adds(out, "[");
        return;
    }
    add_job_fields(&w, &of, &r);
    base_buf_adds(out, "\n");
}

void sim_output_append_job(enum sim_format format, size_t index, const struct sim_output_job *of,
                           const struct sim_job_result *r, struct base_buf *out)
{
    struct row w = {.mode = format == SIM_FORMAT_JSON ? JSON : CSV, .out = out};

    if (w.mode == JSON)
        base_buf_adds(out, index ? ",\n{" : "\n{");
    add_job_fields(&w, of, r);
    base_buf_adds(out, w.mode == JSON ? "}" : "\n");
}

void sim_output_end_job_list(enum sim_format format, struct base_buf *out)
{
    if (format == SIM_FORMAT_JSON)
        base_buf_adds(out, "\n]\n");
}
