/* api/cli/job/command.c - `creel job`: finds and calls the verb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "base/nearest.h"

static const struct {
    const char *name;
    cli_main_fn *run;
    const char *help;
} verbs[] = {
    {"submit", cli_job_submit_main, "submit a MapReduce job or a list of commands"},
    {"list", cli_job_list_main, "list jobs, newest first"},
    {"status", cli_job_status_main, "show one job: state, progress, times, tasks"},
    {"wait", cli_job_wait_main, "wait until a job has ended"},
    {"kill", cli_job_kill_main, "kill jobs"},
    {"counters", cli_job_counters_main, "show the counters of one job"},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

int cli_job_main(int argc, char **argv)
{
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (help) {
        printf("Usage: creel job VERB ...\n\n");
        for (size_t i = 0; i < VERBS; i++)
            printf("  %-10s %s\n", verbs[i].name, verbs[i].help);
        printf("\nEach verb has its own help: creel job submit --help\n\n%s\n", CLI_EXIT_HELP);
        return CLI_OK;
    }
    if (argc < 2)
        return cli_error(CLI_USAGE,
                         "job: a verb is missing: submit, list, status, wait, kill or counters");
    const char *best = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) != 0) {
            base_nearest_take_if_closer(argv[1], verbs[i].name, &best, &distance);
            continue;
        }
        char *full = base_printf("creel job %s", verbs[i].name);
        argv[1] = full;
        int rc = verbs[i].run(argc - 1, argv + 1);
        free(full);
        return rc;
    }
    if (best)
        return cli_error(CLI_USAGE, "job: unknown verb '%s'; did you mean %s?", argv[1], best);
    return cli_error(
        CLI_USAGE, "job: unknown verb '%s'; expected submit, list, status, wait, kill or counters",
        argv[1]);
}
