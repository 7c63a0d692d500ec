/* api/cli/dev/actions.c - stops a cluster, and restarts one of its daemons. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/rm_client.h"

enum { SUPERVISOR_MS = 30000 }; /* most time for the supervisor to end */

void cli_dev_lock_and_stop_daemons(struct cli_dev *d)
{
    struct base_error err = {0};
    int lock = cli_dev_lock(d, &err);
    bool known = cli_dev_load(d, NULL) == 0;
    cli_dev_stop_all_but_supervisor(d);
    /* the supervisor may take a moment to exit, and must not count as running */
    d->supervisor = (struct cli_proc){0};
    if (known)
        cli_dev_save(d, NULL);
    if (lock >= 0)
        close(lock);
}

int cli_dev_stop_cluster(struct cli_dev *d, bool json)
{
    struct base_error err = {0};
    if (cli_dev_load(d, &err) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    bool any = cli_dev_is_any_process_alive(d);
    if (cli_proc_signal(&d->supervisor, SIGTERM))
        cli_proc_wait_for_end(&d->supervisor, SUPERVISOR_MS);
    cli_dev_lock_and_stop_daemons(d); /* a killed supervisor has left its daemons running */
    if (json) {
        json_t *j = json_pack("{s:s,s:b}", "dir", d->dir, "stopped", any);
        cli_print_json(j);
        json_decref(j);
    } else {
        puts(any ? "stopped" : "nothing was running");
    }
    return CLI_OK;
}

static int restart_daemon_and_report(struct cli_dev *d, struct cli_dev_daemon *x, bool json)
{
    struct base_error err = {0};
    x->stopping = true;
    cli_dev_save(d, NULL);
    cli_dev_stop_daemon(x);
    int rc = cli_dev_launch_daemon_and_wait(d, x, &err);
    int saved = cli_dev_save(d, rc >= 0 ? &err : NULL);
    if (rc < 0) {
        rc = cli_error(CLI_FAILED, "%s", err.text);
        cli_dev_print_log_tail(d, x->name, stderr);
        return rc;
    }
    if (saved < 0)
        return cli_error(CLI_FAILED, "%s", err.text);
    if (json) {
        json_t *j =
            json_pack("{s:s,s:s,s:i}", "name", x->name, "url", x->url, "pid", (int)x->proc.pid);
        cli_print_json(j);
        json_decref(j);
    } else {
        printf("%s runs at %s (pid %d)\n", x->name, x->url, (int)x->proc.pid);
    }
    return CLI_OK;
}

int cli_dev_restart_daemon(struct cli_dev *d, const char *name, bool json)
{
    struct base_error err = {0};
    int rc = cli_dev_load(d, &err), lock;
    if (rc < 0 || (lock = cli_dev_lock(d, &err)) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    cli_dev_load(d, NULL);
    struct cli_dev_daemon *x = cli_dev_find_daemon(d, name);
    if (!cli_dev_is_any_process_alive(d))
        rc = cli_error(CLI_FAILED, "nothing runs in %s; start it with creel dev --dir %s", d->dir,
                       d->dir);
    else if (!x)
        rc = cli_error(CLI_USAGE, "there is no '%s' in %s: %s%snm-1 to nm-%zu", name, d->dir,
                       cli_dev_is_ha(d) ? "zookeeper, rm-1, rm-2, " : "rm-1, ",
                       cli_dev_count_daemons(d, cli_dev_is_rm) > 2 ? "rm-3, " : "",
                       cli_dev_count_daemons(d, cli_dev_is_nm));
    else
        rc = restart_daemon_and_report(d, x, json);
    close(lock);
    return rc;
}
