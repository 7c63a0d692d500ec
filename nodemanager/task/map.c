/* One map: split --> command --> sorter, or --> part file when the job has no reduces. */
#include <unistd.h>

#include "nodemanager/task/task.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/feed.h"
#include "nodemanager/task/part_file.h"
#include "nodemanager/task/sort.h"

struct map_run {
    struct task *t;
    struct task_child command;
    struct task_feed *feed;
    int out; /* the command's stdout */
};

static int map_start(struct map_run *m, struct base_error *err)
{
    int in[2], out[2];
    int rc = task_pipe(in, err);

    if (rc == 0)
        rc = task_pipe(out, err);
    if (rc < 0)
        return rc;
    rc = task_child_shell(m->t, &m->command, "map command", m->t->spec.command, in[0], out[1], err);
    close(in[0]);
    close(out[1]);
    m->out = out[0];
    return rc < 0 ? rc : task_feed_start(m->t, in[1], &m->feed, err);
}

/* The command has closed its output: did all go well? */
static int map_end(struct map_run *m, struct base_error *err)
{
    int rc = task_child_wait(m->t, &m->command, err), frc;

    close(m->out);
    if (rc < 0)
        return rc;
    frc = task_feed_join(m->feed, err);
    if (frc == 0)
        atomic_store(&m->t->done, atomic_load(&m->t->total));
    return frc;
}

static int map_to_sorter(struct map_run *m, struct base_error *err)
{
    struct task_sorter *sorter = NULL;
    int rc = task_sorter_new(m->t, &sorter, err);

    if (rc == 0)
        rc = map_start(m, err);
    if (rc == 0)
        rc = task_sorter_take(sorter, m->out, err);
    if (rc == 0)
        rc = map_end(m, err);
    if (rc == 0)
        rc = task_sorter_finish(sorter, err);
    task_sorter_free(sorter);
    return rc;
}

static int map_to_part(struct map_run *m, struct base_error *err)
{
    struct task_output *o = NULL;
    int rc = task_output_open(m->t, &o, err);

    if (rc == 0)
        rc = map_start(m, err);
    if (rc == 0)
        rc = task_output_copy(o, m->out, TASK_MAP_OUTPUT_RECORDS, err);
    if (rc == 0)
        rc = map_end(m, err);
    if (rc == 0)
        rc = task_output_commit(o, err);
    task_output_free(o);
    return rc;
}

int task_map(struct task *t, struct base_error *err)
{
    struct map_run m = {.t = t};

    return t->spec.reduces == 0 ? map_to_part(&m, err) : map_to_sorter(&m, err);
}
