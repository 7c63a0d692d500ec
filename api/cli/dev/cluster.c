/* api/cli/dev/cluster.c - starts a whole cluster, in the foreground or detached: chooses ports,
 * starts the daemons in their order, and becomes or forks the supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "base/io/io.h"

enum {
    REGISTER_MS = 30000, /* most time for all nodes to register */
    PORT_TRIES = 5,
};

/* Chooses a daemon's port. The first RM gets the port of the command line. Other daemons, and with
 * --ha also a first RM without such a port, keep that of an earlier start if it is free, so that a
 * node keeps its id. With --ha, RMs and ZooKeeper otherwise get a free one, since the configuration
 * must name it before they start. Port 0 lets the daemon choose. */
static void choose_port(const struct cli_dev_options *o, size_t i,
                        const struct cli_dev_daemon *before, struct cli_dev_daemon *x)
{
    bool named = o->ha && !cli_dev_is_nm(x);
    if (i == 0)
        x->port = o->port;
    if (x->port == 0 && (i > 0 || o->ha) && before && cli_dev_check_port_free(before->port) == 0)
        x->port = before->port;
    if (x->port == 0 && named)
        x->port = cli_dev_find_free_port();
    if (o->hadoop && cli_dev_is_rm(x))
        cli_dev_choose_rpc_ports(o, x);
    if (named)
        snprintf(x->url, sizeof x->url, "%s127.0.0.1:%lld",
                 cli_dev_is_zookeeper(x) ? ""
                 : o->tls                ? "https://"
                                         : "http://",
                 (long long)x->port);
}

static void add_daemons(struct cli_dev *d, const char *kind, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cli_dev_daemon *x = &d->v[d->n++];
        *x = (struct cli_dev_daemon){0};
        snprintf(x->name, sizeof x->name, strcmp(kind, "zookeeper") == 0 ? "%s" : "%s-%zu", kind,
                 i + 1);
    }
}

/* Fills in @d from the options: slots, policy, this process as the supervisor, and the daemons with
 * their names and ports. @old: the last cluster of the folder, whose ports are tried again; NULL:
 * none. */
static void plan_daemons(struct cli_dev *d, const struct cli_dev_options *o, struct cli_dev *old)
{
    d->map_slots = o->map_slots;
    d->reduce_slots = o->reduce_slots;
    snprintf(d->policy, sizeof d->policy, "%s", o->policy);
    d->n = 0;
    add_daemons(d, "rm", o->ha ? (size_t)o->rms : 1);
    add_daemons(d, "nm", (size_t)o->nodes);
    add_daemons(d, "zookeeper", o->ha);
    for (size_t i = 0; i < d->n; i++)
        choose_port(o, i, old ? cli_dev_find_daemon(old, d->v[i].name) : NULL, &d->v[i]);
    d->supervisor = cli_proc_identify(getpid());
}

static int start_daemon(struct cli_dev *d, size_t i, const char **failed, struct base_error *err)
{
    *failed = d->v[i].name;
    int rc = cli_dev_launch_daemon_and_wait(d, &d->v[i], err);
    /* save also after a failure, so that --stop finds every daemon that runs */
    int saved = cli_dev_save(d, rc >= 0 ? err : NULL);
    return rc < 0 ? rc : saved;
}

/* Starts ZooKeeper, the RMs, then the NMs, and waits until all nodes have registered. The
 * configuration is written twice: the RMs need it to start, and only then is the address known that
 * the NMs find in it. On an error *failed is the daemon whose log may tell more, or NULL. */
static int start_daemons(struct cli_dev *d, const struct cli_dev_options *o, struct base_error *err,
                         const char **failed)
{
    size_t rms = cli_dev_count_daemons(d, cli_dev_is_rm),
           nodes = cli_dev_count_daemons(d, cli_dev_is_nm);
    int rc = o->tls ? cli_dev_make_certificates(d, err) : 0;
    if (rc >= 0)
        rc = cli_dev_write_conf(d, o, err);
    cli_dev_trust_authority(d);
    if (rc >= 0 && o->ha)
        rc = start_daemon(d, d->n - 1, failed, err);
    for (size_t i = 0; rc >= 0 && i < rms; i++)
        rc = start_daemon(d, i, failed, err);
    if (rc >= 0) {
        *failed = NULL;
        /* written again, now that the RM's address is known */
        rc = cli_dev_write_conf(d, o, err);
    }
    if (rc >= 0)
        rc = cli_dev_write_rm_url_file(d, err);
    if (rc >= 0 && o->hadoop)
        rc = cli_dev_write_hadoop_conf(d, err);
    for (size_t i = rms; rc >= 0 && i < rms + nodes; i++)
        rc = start_daemon(d, i, failed, err);
    if (rc < 0)
        return rc;
    *failed = d->v[0].name;
    return cli_dev_wait_until_nodes_registered(d, REGISTER_MS, err);
}

/* Returns true when a port that was chosen here for daemon @failed, as with --ha and for Hadoop
 * RPC, has been taken by another process since. */
static bool port_was_taken(struct cli_dev *d, const struct cli_dev_options *o, const char *failed)
{
    const struct cli_dev_daemon *x = failed ? cli_dev_find_daemon(d, failed) : NULL;
    bool chosen = x && o->ha && !cli_dev_is_nm(x) && !(x == &d->v[0] && o->port);

    if (!x || cli_proc_is_alive(&x->proc))
        return false;
    return (chosen && cli_dev_check_port_free(x->port) != 0) || cli_dev_is_rpc_port_taken(x);
}

/* Plans and starts the cluster; repeats that with other ports when a port was taken meanwhile. */
static int plan_and_start(struct cli_dev *d, const struct cli_dev_options *o,
                          struct base_error *err, const char **failed)
{
    struct cli_dev *old = base_alloc(sizeof *old);
    old->dir = d->dir;
    bool known = cli_dev_load(old, NULL) == 0;
    plan_daemons(d, o, known ? old : NULL);
    int rc = start_daemons(d, o, err, failed);
    for (int i = 0; i < PORT_TRIES && rc < 0 && port_was_taken(d, o, *failed); i++) {
        cli_dev_stop_all_but_supervisor(d);
        plan_daemons(d, o, NULL);
        rc = start_daemons(d, o, err, failed);
    }
    free(old);
    return rc;
}

/* Runs the supervisor: starts the daemons, closes @lock, reports success on @ready_fd (-1: in the
 * foreground), watches the daemons, and stops them. Returns an exit code after printing any error.
 */
static int start_and_supervise(struct cli_dev *d, const struct cli_dev_options *o, int ready_fd,
                               int lock)
{
    struct base_error err = {0};
    const char *failed = NULL;
    int signal_fd = cli_dev_open_signal_fd();
    int rc = plan_and_start(d, o, &err, &failed);
    close(lock);
    if (rc < 0) {
        cli_error(CLI_FAILED, "%s", err.text);
        if (failed)
            cli_dev_print_log_tail(d, failed, stderr);
        cli_dev_stop_all_but_supervisor(d);
        return CLI_FAILED;
    }
    if (o->json)
        cli_dev_print_status_json(d);
    else
        cli_dev_print_start_message(d, o, ready_fd >= 0);
    fflush(stdout);
    if (ready_fd >= 0) {
        char *path = cli_dev_path(d, "dev", ".log");
        int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
            null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 0);
        dup2(log >= 0 ? log : null, 1);
        dup2(log >= 0 ? log : null, 2);
        free(path);
        if (write(ready_fd, "+", 1) != 1)
            fprintf(stderr, "creel: the starting process has gone\n");
        close(ready_fd);
    }
    cli_dev_supervise(d, signal_fd);
    if (ready_fd < 0)
        fprintf(stderr, "creel: stopping\n");
    cli_dev_lock_and_stop_daemons(d);
    return CLI_OK;
}

/* Forks the supervisor, and waits until it is ready or has failed. */
static int fork_supervisor(struct cli_dev *d, const struct cli_dev_options *o, int lock)
{
    int pair[2], status = 0;
    char byte;
    if (pipe2(pair, O_CLOEXEC) != 0)
        return cli_error(CLI_FAILED, "pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return cli_error(CLI_FAILED, "fork: %s", strerror(errno));
    if (pid == 0) {
        close(pair[0]);
        setsid();
        _exit(start_and_supervise(d, o, pair[1], lock));
    }
    close(pair[1]);
    close(lock);
    ssize_t n;
    do
        n = read(pair[0], &byte, 1);
    while (n < 0 && errno == EINTR);
    close(pair[0]);
    if (n == 1)
        return CLI_OK;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : CLI_FAILED;
}

/* Checks, before anything is started, that no cluster runs in the folder, that its state fits the
 * options, that the port is free, and that the programs exist. Returns an exit code after printing
 * any error. */
static int check_start(struct cli_dev *d, const struct cli_dev_options *o)
{
    struct base_error err = {0};
    char *rm = NULL, *nm = NULL;
    bool before = cli_dev_load(d, NULL) == 0;
    int rc = CLI_OK, busy;
    if (before && cli_dev_is_any_process_alive(d))
        rc = cli_error(
            CLI_FAILED,
            "%s is in use by a running creel dev (%s); stop it with creel dev --stop --dir %s",
            d->dir, d->n ? d->v[0].url : "", d->dir);
    else if (before && d->n && cli_dev_is_ha(d) != o->ha) /* with --ha the RMs keep their state
                                                           * elsewhere */
        rc = cli_error(
            CLI_FAILED,
            "%s holds a cluster that was started with%s --ha; use another --dir, or remove it",
            d->dir, o->ha ? "out" : "");
    else if ((busy = cli_dev_check_port_free(o->port)) != 0)
        rc = cli_error(CLI_FAILED, "port %lld cannot be used: %s; --port 0 takes any free one",
                       (long long)o->port, strerror(busy));
    else if (!(rm = cli_dev_find_program("creel-rm", &err)) ||
             !(nm = cli_dev_find_program("creel-nm", &err)) ||
             (o->ha && cli_dev_zookeeper_check_installed(d, &err) < 0))
        rc = cli_error(CLI_FAILED, "%s", err.text);
    free(rm);
    free(nm);
    return rc;
}

int cli_dev_start_cluster(struct cli_dev *d, const struct cli_dev_options *o)
{
    struct base_error err = {0};
    if (base_mkdirs(d->dir, 0700, &err) < 0)
        return cli_error(CLI_FAILED, "%s", err.text);
    int lock = cli_dev_lock(d, &err);
    if (lock < 0)
        return cli_error(CLI_FAILED, "%s", err.text);
    int rc = check_start(d, o);
    if (rc != CLI_OK)
        close(lock);
    else if (o->detach)
        rc = fork_supervisor(d, o, lock);
    else
        rc = start_and_supervise(d, o, -1, lock);
    return rc;
}
