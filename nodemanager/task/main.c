/* creel-task: runs one attempt of a map, a reduce or a job's step, as described in
 * nodemanager/task/task.h. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/tls_conf.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/job/steps.h"
#include "nodemanager/task/sort.h"
#include "nodemanager/task/task.h"

static sigset_t fatal_signals;

/* Waits for a signal that ends the container, sends SIGTERM to the commands and exits. The
 * container's folder is removed afterwards, so nothing needs cleaning up here. */
static void *signal_thread(void *arg)
{
    int sig = SIGTERM;

    (void)arg;
    while (sigwait(&fatal_signals, &sig) != 0)
        continue;
    task_children_send_signal(SIGTERM);
    _exit(128 + sig);
}

static int start_signal_thread(void)
{
    pthread_t thread;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&fatal_signals);
    sigaddset(&fatal_signals, SIGTERM);
    sigaddset(&fatal_signals, SIGINT);
    sigaddset(&fatal_signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &fatal_signals, NULL);
    if (pthread_create(&thread, NULL, signal_thread, NULL) != 0)
        return -1;
    pthread_detach(thread);
    return 0;
}

static int prepare_folders(struct task *t, const char *dir, struct base_error *err)
{
    static const char *const stale[] = {"result.json", "failure.json"};
    int rc;

    t->dir = realpath(dir, NULL);
    if (t->dir == NULL)
        return base_error_sys(err, -BASE_EINVAL, errno, "--dir %s", dir);
    t->work = base_printf("%s/work", t->dir);
    t->tmp = base_printf("%s/tmp", t->dir);
    t->out = base_printf("%s/output", t->dir);
    for (size_t i = 0; i < sizeof stale / sizeof *stale; i++) {
        char *path = base_printf("%s/%s", t->dir, stale[i]);
        unlink(path);
        free(path);
    }
    rc = base_mkdirs(t->work, 0755, err);
    if (rc == 0)
        rc = base_mkdirs(t->tmp, 0700, err);
    if (rc == 0)
        rc = base_mkdirs(t->out, 0750, err);
    return rc;
}

/* Exports the variables that Hadoop streaming gives its commands. Variables set by the job take
 * precedence. */
static void export_streaming_variables(const struct task_spec *s)
{
    char *index = base_printf("%d", s->index), *attempt = base_printf("%d", s->attempt);

    setenv("mapreduce_task_partition", index, 0);
    setenv("mapreduce_task_id", s->task_id, 0);
    setenv("mapreduce_job_id", s->app_id, 0);
    setenv("CREEL_TASK_ID", s->task_id, 0);
    setenv("CREEL_TASK_ATTEMPT", attempt, 0);
    setenv("CREEL_JOB_ID", s->app_id, 0);
    if (s->path != NULL)
        setenv("mapreduce_map_input_file", s->path, 0);
    free(index);
    free(attempt);
}

static int run_task(struct task *t, const char *dir, struct base_error *err)
{
    int rc = prepare_folders(t, dir, err);

    if (rc == 0)
        rc = task_spec_load(t, err);
    if (rc < 0)
        return rc;
    export_streaming_variables(&t->spec);
    atomic_store(&t->phase, t->spec.is_reduce ? TASK_PHASE_SHUFFLE : TASK_PHASE_MAP);
    rc = task_progress_start(t, err);
    if (rc == 0)
        rc = t->spec.step        ? task_run_job_step(t, err)
             : t->spec.is_reduce ? task_run_reduce(t, err)
                                 : task_run_map(t, err);
    if (rc < 0)
        return rc;
    task_sort_count_spills(t);
    task_progress_stop(t);
    (void)base_rmtree(t->tmp, NULL);
    return task_write_result(t, err);
}

static _Noreturn void report_failure_and_exit(struct task *t, const struct base_error *err)
{
    task_record_error(t, err); /* keeps a failure recorded earlier */
    task_children_send_signal(SIGKILL);
    if (t->tmp != NULL)
        (void)base_rmtree(t->tmp, NULL); /* frees space for failure.json on a full disk */
    if (t->out != NULL && t->spec.task_id != NULL)
        (void)base_rmtree(t->out, NULL);
    if (t->dir != NULL)
        task_write_failure(t);
    fprintf(stderr, "creel-task: %.*s\n", (int)t->headline, t->diagnostics);
    fflush(stderr);
    _exit(atomic_load(&t->failed));
}

int main(int argc, char **argv)
{
    static struct task t;
    struct base_error err = {0};

    if (argc != 3 || strcmp(argv[1], "--dir") != 0) {
        fprintf(stderr, "usage: creel-task --dir FOLDER\n");
        return 2;
    }
    t.started_us = base_mono_us(&base_clock_real);
    /* the NodeManager sets this variable, whatever the job's environment says */
    base_tls_trust_only(getenv(BASE_TLS_CA_VARIABLE));
    if (start_signal_thread() < 0) {
        fprintf(stderr, "creel-task: cannot start the signal thread\n");
        return 1;
    }
    if (run_task(&t, argv[2], &err) < 0)
        report_failure_and_exit(&t, &err);
    task_spec_free(&t.spec);
    free(t.partitions);
    free(t.dir);
    free(t.work);
    free(t.tmp);
    free(t.out);
    return 0;
}
