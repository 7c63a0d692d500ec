#include "sim/usage.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct sim_usage_job {
    uint64_t id;
    int32_t running[BASE_TASK_KINDS];
    UT_hash_handle hh;
};

void sim_usage_init(struct sim_usage *u)
{
    memset(u, 0, sizeof *u);
    u->width_us = SIM_USAGE_WIDTH_US;
}

static void free_lines(struct sim_usage_by_name *by)
{
    for (size_t i = 0; i < by->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            free(by->v[i].cell[k]);
    by->n = 0;
}

void sim_usage_free(struct sim_usage *u)
{
    struct sim_usage_job *job, *next;

    for (int b = 0; b < SIM_USAGE_BYS; b++)
        free_lines(&u->by[b]);
    HASH_ITER(hh, u->jobs, job, next)
    {
        HASH_DEL(u->jobs, job);
        free(job);
    }
    memset(u, 0, sizeof *u);
}

/* Doubles the width of the cells: two neighbours become one. */
static void double_cell_width(struct sim_usage *u)
{
    for (int b = 0; b < SIM_USAGE_BYS; b++)
        for (size_t i = 0; i < u->by[b].n; i++)
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                double *cell = u->by[b].v[i].cell[k];
                for (size_t c = 0; c < SIM_USAGE_CELLS / 2; c++)
                    cell[c] = cell[2 * c] + cell[2 * c + 1];
                memset(cell + SIM_USAGE_CELLS / 2, 0, SIM_USAGE_CELLS / 2 * sizeof *cell);
            }
    u->width_us *= 2;
}

/* Adds the slot time that the line used since its last change, cell by cell. */
static void add_slot_time_until(struct sim_usage *u, struct sim_usage_line *line, int kind,
                                int64_t now_us)
{
    int64_t from = line->since_us[kind];

    line->since_us[kind] = now_us;
    if (!line->running[kind])
        return;
    while (from < now_us) {
        int64_t cell = from / u->width_us;
        int64_t end = (cell + 1) * u->width_us;
        int64_t to = end < now_us ? end : now_us;

        line->cell[kind][cell] += (double)(to - from) * (double)line->running[kind];
        from = to;
    }
}

static struct sim_usage_line *find_or_add_line(struct sim_usage_by_name *by, const char *name)
{
    for (size_t i = 0; i < by->n; i++)
        if (strcmp(by->v[i].name, name) == 0)
            return &by->v[i];
    if (by->n == SIM_USAGE_NAMES_MAX) {
        by->too_many = true;
        free_lines(by);
        return NULL;
    }
    struct sim_usage_line *line = &by->v[by->n++];
    *line = (struct sim_usage_line){0};
    sim_job_copy_text(line->name, name);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        line->cell[k] = base_alloc(SIM_USAGE_CELLS * sizeof(double));
    return line;
}

void sim_usage_record(struct sim_usage *u, const struct sim_alloc *a)
{
    const char *names[SIM_USAGE_BYS] = {a->class_name, a->pool, a->name};
    struct sim_usage_job *job;

    while (a->now_us >= u->width_us * SIM_USAGE_CELLS)
        double_cell_width(u);
    HASH_FIND(hh, u->jobs, &a->job, sizeof a->job, job);
    if (!job) {
        job = base_alloc(sizeof *job);
        job->id = a->job;
        HASH_ADD(hh, u->jobs, id, sizeof job->id, job);
    }
    int32_t more = a->running - job->running[a->kind];
    job->running[a->kind] = a->running;
    if (!job->running[BASE_TASK_MAP] && !job->running[BASE_TASK_REDUCE]) {
        HASH_DEL(u->jobs, job);
        free(job);
    }
    for (int b = 0; b < SIM_USAGE_BYS; b++) {
        struct sim_usage_line *line =
            u->by[b].too_many ? NULL : find_or_add_line(&u->by[b], names[b] ? names[b] : "");
        if (!line)
            continue;
        add_slot_time_until(u, line, a->kind, a->now_us);
        line->running[a->kind] += more;
    }
}

void sim_usage_finish(struct sim_usage *u, int64_t now_us)
{
    while (now_us > u->width_us * SIM_USAGE_CELLS)
        double_cell_width(u);
    for (int b = 0; b < SIM_USAGE_BYS; b++)
        for (size_t i = 0; i < u->by[b].n; i++)
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                add_slot_time_until(u, &u->by[b].v[i], k, now_us);
    u->end_us = now_us;
}

size_t sim_usage_cell_count(const struct sim_usage *u)
{
    return (size_t)((u->end_us + u->width_us - 1) / u->width_us);
}

double sim_usage_mean_slots(const struct sim_usage *u, const struct sim_usage_line *line,
                            enum base_task_kind kind, size_t i)
{
    int64_t begin = (int64_t)i * u->width_us;
    /* the last cell may be cut short */
    int64_t width = begin + u->width_us <= u->end_us ? u->width_us : u->end_us - begin;

    return width > 0 ? line->cell[kind][i] / (double)width : 0;
}

const struct sim_usage_line *sim_usage_find_line(const struct sim_usage *u, enum sim_usage_by by,
                                                 const char *name)
{
    for (size_t i = 0; i < u->by[by].n; i++)
        if (strcmp(u->by[by].v[i].name, name) == 0)
            return &u->by[by].v[i];
    return NULL;
}

/* ---------------------------------------------------------------- between processes */
struct packed {
    int64_t width_us, end_us;
    size_t n[SIM_USAGE_BYS];
    bool too_many[SIM_USAGE_BYS];
};

void sim_usage_pack(const struct sim_usage *u, struct base_buf *out)
{
    struct packed head;
    size_t cells = sim_usage_cell_count(u);

    memset(&head, 0, sizeof head);
    head.width_us = u->width_us;
    head.end_us = u->end_us;
    for (int b = 0; b < SIM_USAGE_BYS; b++) {
        head.n[b] = u->by[b].n;
        head.too_many[b] = u->by[b].too_many;
    }
    base_buf_add(out, &head, sizeof head);
    for (int b = 0; b < SIM_USAGE_BYS; b++)
        for (size_t i = 0; i < u->by[b].n; i++) {
            base_buf_add(out, u->by[b].v[i].name, SIM_TEXT_MAX);
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                base_buf_add(out, u->by[b].v[i].cell[k], cells * sizeof(double));
        }
}

int sim_usage_unpack(struct sim_usage *u, const char *data, size_t len, struct base_error *err)
{
    struct packed head;
    size_t at = sizeof head, lines = 0;

    sim_usage_init(u);
    if (len < sizeof head)
        return base_error_set(err, -BASE_ECORRUPT, "slots over time are cut short");
    memcpy(&head, data, sizeof head);
    u->width_us = head.width_us;
    u->end_us = head.end_us;
    for (int b = 0; b < SIM_USAGE_BYS; b++)
        lines += head.n[b];
    size_t cells = u->width_us > 0 ? sim_usage_cell_count(u) : SIM_USAGE_CELLS + 1;
    if (cells > SIM_USAGE_CELLS ||
        len != at + lines * (SIM_TEXT_MAX + BASE_TASK_KINDS * cells * sizeof(double)))
        return base_error_set(err, -BASE_ECORRUPT, "slots over time are not as they were sent");
    for (int b = 0; b < SIM_USAGE_BYS; b++) {
        u->by[b].too_many = head.too_many[b];
        for (size_t i = 0; i < head.n[b]; i++) {
            char name[SIM_TEXT_MAX];
            memcpy(name, data + at, SIM_TEXT_MAX);
            at += SIM_TEXT_MAX;
            struct sim_usage_line *line = find_or_add_line(&u->by[b], name);
            for (enum base_task_kind k = 0; line && k < BASE_TASK_KINDS;
                 k++, at += cells * sizeof(double))
                memcpy(line->cell[k], data + at, cells * sizeof(double));
        }
    }
    return 0;
}
