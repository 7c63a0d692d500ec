/* api/cli/dev/stop.c - ends the daemons of `creel dev` and the containers that they leave.
 *
 * The NMs end first. By design containers outlive them; those left are found by the identities in
 * nm-N/records/<app>/<container>/pid.json, and ended: SIGTERM to the tree below the shim, then
 * SIGKILL, then the shim itself. */
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/rm_client.h"
#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/json.h"

enum {
    TERM_MS = 5000,
    KILL_MS = 5000,
    GRACE_MS = 300,
    SWEEP_MS = 20,
    SWEEPS_MAX = 100,
    PID_FILE_MAX = 65536
};

static void reap_daemon(const struct cli_dev_daemon *x)
{
    if (x->proc.pid > 0)
        waitpid(x->proc.pid, NULL,
                WNOHANG); /* fails without harm when the process is not our child */
}

void cli_dev_stop_daemon(struct cli_dev_daemon *x)
{
    cli_proc_signal(&x->proc, SIGTERM);
    cli_proc_signal(&x->proc, SIGCONT);
    if (!cli_proc_wait_for_end(&x->proc, TERM_MS)) {
        cli_proc_signal(&x->proc, SIGKILL);
        cli_proc_wait_for_end(&x->proc, KILL_MS);
    }
    reap_daemon(x);
}

struct container {
    struct cli_proc shim, child;
};

static bool read_container_identity(const char *path, struct container *out)
{
    struct base_buf text = {0};
    json_t *j = NULL;
    bool ok = base_file_read(path, PID_FILE_MAX, &text, NULL) >= 0 && text.len &&
              base_json_parse(text.data, text.len, &j, NULL) >= 0;
    if (ok) {
        *out = (struct container){0};
        out->shim.pid = (pid_t)cli_int(j, "shimPid");
        out->shim.start = cli_int(j, "shimStart");
        out->child.pid = (pid_t)cli_int(j, "pid");
        out->child.start = cli_int(j, "start");
        snprintf(out->shim.boot, sizeof out->shim.boot, "%s", cli_str(j, "bootId"));
        snprintf(out->child.boot, sizeof out->child.boot, "%s", cli_str(j, "bootId"));
    }
    json_decref(j);
    base_buf_free(&text);
    return ok;
}

/* Signals every live container (@sig 0: only counts them). @shims: their shims too. Returns how
 * many containers are alive or about to start. */
static unsigned signal_and_count_containers(const struct cli_dev *d, int sig, bool shims)
{
    char *pattern = cli_dev_path(d, "nm-*/records/*/container_*", "");
    unsigned live = 0;
    glob_t g;
    if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            char *pid = base_printf("%s/pid.json", g.gl_pathv[i]),
                 *end = base_printf("%s/exit.json", g.gl_pathv[i]);
            char *launch = base_printf("%s/launch.json", g.gl_pathv[i]);
            struct container c;
            if (read_container_identity(pid, &c)) {
                bool shim = cli_proc_is_alive(&c.shim), child = cli_proc_is_alive(&c.child);
                live += shim || child;
                if (shim && sig)
                    cli_proc_signal_tree(&c.shim, sig, shims);
                else if (child && sig)
                    cli_proc_signal_tree(&c.child, sig, true);
            } else if (access(launch, F_OK) == 0 && access(end, F_OK) != 0) {
                live++; /* the shim may still start the container; the caller has a time limit */
            }
            free(launch);
            free(end);
            free(pid);
        }
        globfree(&g);
    }
    free(pattern);
    return live;
}

/* Sweeps over the containers until none is left, or 4 * GRACE_MS + 500 ms have passed: SIGTERM
 * once, SIGKILL after GRACE_MS, shims included after 3 * GRACE_MS. Each sweep lists the
 * records of containers again, since a shim may still be starting its container. */
static void stop_containers(const struct cli_dev *d)
{
    int64_t start = base_mono_us(&base_clock_real);
    bool sigterm_sent = false;
    for (int i = 0; i < SWEEPS_MAX; i++) {
        int64_t ms = (base_mono_us(&base_clock_real) - start) / 1000;
        int sig = ms > GRACE_MS ? SIGKILL : sigterm_sent ? 0 : SIGTERM;
        if (signal_and_count_containers(d, sig, ms > 3 * GRACE_MS) == 0)
            return;
        sigterm_sent = true;
        if (ms > 4 * GRACE_MS + 500)
            return;
        poll(NULL, 0, SWEEP_MS);
    }
}

static void remove_runtime_files(const struct cli_dev *d)
{
    for (size_t i = 0; i < d->n; i++) {
        char *pid = cli_dev_path(d, d->v[i].name, ".pid"),
             *url = cli_dev_path(d, d->v[i].name, ".url");
        unlink(pid);
        unlink(url);
        free(pid);
        free(url);
    }
    static const char *const common[] = {".url", ".token", ".header"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        char *path = cli_dev_path(d, "rm", common[i]);
        unlink(path);
        free(path);
    }
}

static void stop_daemons(struct cli_dev *d, bool (*is)(const struct cli_dev_daemon *x))
{
    for (size_t i = 0; i < d->n; i++)
        if (is(&d->v[i]))
            cli_proc_signal(&d->v[i].proc, SIGTERM); /* signal all at once, then wait for each */
    for (size_t i = 0; i < d->n; i++)
        if (is(&d->v[i]))
            cli_dev_stop_daemon(&d->v[i]);
}

void cli_dev_stop_all_but_supervisor(struct cli_dev *d)
{
    stop_daemons(d, cli_dev_is_nm);
    stop_containers(d);
    stop_daemons(d, cli_dev_is_rm);
    stop_daemons(d, cli_dev_is_zookeeper); /* last: an RM that stops still writes to it */
    remove_runtime_files(d);
}
