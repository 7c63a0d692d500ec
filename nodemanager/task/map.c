/* Runs a map: split --> command --> sorter, or --> part file if the job has no reduces. */
#include <unistd.h>

#include "nodemanager/task/child.h"
#include "nodemanager/task/feed.h"
#include "nodemanager/task/part_file.h"
#include "nodemanager/task/sort.h"
#include "nodemanager/task/task.h"

struct map_run {
    struct task *t;
    struct task_child command;
    struct task_feed *feed;
    int out; /* the command's stdout */
};

static int start_command_and_feed(struct map_run *m, struct base_error *err)
{
    int in[2], out[2];
    int rc = task_pipe_create(in, err);

    if (rc == 0)
        rc = task_pipe_create(out, err);
    if (rc < 0)
        return rc;
    rc = task_child_start_shell(m->t, &m->command, "map command", m->t->spec.command, in[0], out[1],
                                err);
    close(in[0]);
    close(out[1]);
    m->out = out[0];
    return rc < 0 ? rc : task_feed_start(m->t, in[1], &m->feed, err);
}

/* Called when the command has closed its output: waits for the command and, if that succeeded, for
 * its feeder. Returns the first error. */
static int finish_command_and_feed(struct map_run *m, struct base_error *err)
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

static int run_map_into_sorter(struct map_run *m, struct base_error *err)
{
    struct task_sorter *sorter = NULL;
    int rc = task_sorter_new(m->t, &sorter, err);

    if (rc == 0)
        rc = start_command_and_feed(m, err);
    if (rc == 0)
        rc = task_sorter_read_map_output(sorter, m->out, err);
    if (rc == 0)
        rc = finish_command_and_feed(m, err);
    if (rc == 0)
        rc = task_sorter_finish(sorter, err);
    task_sorter_free(sorter);
    return rc;
}

static int run_map_into_part_file(struct map_run *m, struct base_error *err)
{
    struct task_part_file *o = NULL;
    int rc = task_part_file_create(m->t, &o, err);

    if (rc == 0)
        rc = start_command_and_feed(m, err);
    if (rc == 0)
        rc = task_part_file_copy_from_fd(o, m->out, BASE_COUNT_MAP_OUTPUT_RECORDS, err);
    if (rc == 0)
        rc = finish_command_and_feed(m, err);
    if (rc == 0)
        rc = task_part_file_commit(o, err);
    task_part_file_free(o);
    return rc;
}

int task_run_map(struct task *t, struct base_error *err)
{
    struct map_run m = {.t = t};

    return t->spec.reduces == 0 ? run_map_into_part_file(&m, err) : run_map_into_sorter(&m, err);
}
