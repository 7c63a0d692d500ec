/* api/cli/dev/dev.c - `creel dev`: its options, and its actions: start, stop, restart, status. */
#include "api/cli/dev/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/rm_client.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "policies/policy.h"
#include "policies/registry.h"

enum {
    KEY_NODES = 256,
    KEY_MAP,
    KEY_REDUCE,
    KEY_POLICY,
    KEY_PORT,
    KEY_DIR,
    KEY_DETACH,
    KEY_STOP,
    KEY_RESTART,
    KEY_STATUS,
    KEY_HA,
    KEY_RMS,
    REGISTER_MS = 30000,
    SUPERVISOR_MS = 30000,
    PORT_TRIES = 5,
};

struct dev_options {
    int64_t nodes, map_slots, reduce_slots, port, rms;
    const char *policy, *dir, *restart;
    bool detach, stop, status, json, ha;
    const char *start_only; /* a given option that only a start takes; NULL: none */
    char **sets;            /* -D, borrowed */
    size_t n_sets;
};

static const struct argp_option options[] = {
    {"nodes", KEY_NODES, "N", 0, "NodeManagers to start; default: 3", 1},
    {"map-slots", KEY_MAP, "N", 0, "Map slots of each; default: 2", 1},
    {"reduce-slots", KEY_REDUCE, "N", 0, "Reduce slots of each; default: 1", 1},
    {"policy", KEY_POLICY, "NAME", 0, "Scheduling policy: fair, hfsp, rtmr, …; default: fifo", 1},
    {"port", KEY_PORT, "PORT", 0,
     "Port of the (first) ResourceManager, 0 for any free one; default: 8088", 1},
    {"rms", KEY_RMS, "N", 0, "With --ha: ResourceManagers to start; default: 2", 1},
    {"ha", KEY_HA, NULL, 0,
     "High availability: several ResourceManagers, and a ZooKeeper that elects the active one", 1},
    {"dir", KEY_DIR, "DIR", 0,
     "Folder of the cluster; default: $XDG_STATE_HOME/creel/dev or ~/.local/state/creel/dev, with "
     "--ha dev-ha in place of dev",
     1},
    {"detach", KEY_DETACH, NULL, 0, "Run in the background", 1},
    {"stop", KEY_STOP, NULL, 0, "Stop the cluster of --dir, with its containers", 2},
    {"restart", KEY_RESTART, "NAME", 0, "Restart a daemon of --dir: rm-1, nm-1, zookeeper …", 2},
    {"status", KEY_STATUS, NULL, 0, "Show which daemons of --dir are running", 2},
    {0},
};

static error_t parse_number(const char *option, const char *arg, int64_t min, int64_t max,
                            int64_t *out)
{
    if (base_int_parse(arg, min, max, out) < 0)
        return cli_option_error("%s: '%s' is not an integer from %lld to %lld", option, arg,
                                (long long)min, (long long)max);
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct dev_options *o = state->input;
    for (const struct argp_option *p = options; p->name; p++)
        if (p->key == key && p->group == 1 && key != KEY_DIR && key != KEY_HA)
            o->start_only = p->name;
    switch (key) {
    case KEY_NODES:
        return parse_number("--nodes", arg, 1, CLI_DEV_NODES_MAX, &o->nodes);
    case KEY_MAP:
        return parse_number("--map-slots", arg, 0, BASE_NODE_SLOTS_MAX, &o->map_slots);
    case KEY_REDUCE:
        return parse_number("--reduce-slots", arg, 0, BASE_NODE_SLOTS_MAX, &o->reduce_slots);
    case KEY_PORT:
        return parse_number("--port", arg, 0, 65535, &o->port);
    case KEY_RMS:
        return parse_number("--rms", arg, 2, CLI_DEV_RMS_MAX, &o->rms);
    case KEY_HA:
        o->ha = true;
        return 0;
    case KEY_POLICY:
        o->policy = arg;
        return 0;
    case KEY_DIR:
        o->dir = arg;
        return *arg ? 0 : cli_option_error("--dir: the path is empty");
    case KEY_DETACH:
        o->detach = true;
        return 0;
    case KEY_STOP:
        o->stop = true;
        return 0;
    case KEY_RESTART:
        o->restart = arg;
        return 0;
    case KEY_STATUS:
        o->status = true;
        return 0;
    case ARGP_KEY_ARG:
        return cli_option_error("unexpected argument '%s'; see creel dev --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char doc[] =
    "Starts a cluster on this machine, a ResourceManager and some NodeManagers, and watches it "
    "until Ctrl-C.\v"
    "Examples:\n"
    "  creel dev\n"
    "  creel dev --nodes 5 --policy fair --detach\n"
    "  creel dev --status; creel dev --restart nm-2; creel dev --stop\n"
    "  creel dev --ha --detach; creel dev --ha --status; creel dev --ha --stop\n\n"
    "The folder holds the logs (rm-1.log, nm-1.log …), rm.url (for CREEL_RM), and all state: a "
    "cluster that is started there again knows its jobs. Settings given with -D apply to all "
    "daemons.\n\n"
    "With --ha the state is kept in ZooKeeper, which must be installed (Debian: apt install "
    "zookeeper). A ResourceManager that is silent for a second is replaced (-D "
    "yarn.resourcemanager.zk-timeout-ms).\n\n"
    "Exit status: 0 success, 1 a daemon does not start or is down, 2 wrong usage, 4 nothing was "
    "started there.";

/* ---- start ---- */
static void print_daemons_json(const struct cli_dev *d)
{
    json_t *list = json_array();
    char *rms = cli_dev_rm_urls(d);
    for (size_t i = 0; i < d->n; i++) {
        const struct cli_dev_daemon *x = &d->v[i];
        bool alive = cli_proc_alive(&x->proc);
        json_t *one = json_pack("{s:s,s:s,s:i,s:b}", "name", x->name, "url", x->url, "pid",
                                (int)x->proc.pid, "running", alive);
        if (alive && cli_dev_is_ha(d) && cli_dev_is_rm(x))
            json_object_set_new(one, "role", json_string(cli_dev_ask_role(x->url)));
        json_array_append_new(list, one);
    }
    json_t *j = json_pack("{s:s,s:s,s:o}", "dir", d->dir, "rm", rms, "daemons", list);
    cli_print_json(j);
    json_decref(j);
    free(rms);
}

static void print_rms(const struct cli_dev *d)
{
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++) {
        const char *role = cli_dev_is_ha(d) ? cli_dev_ask_role(d->v[i].url) : "";
        printf("  %-15s  %s%s%s%s\n", i ? "" : "ResourceManager", d->v[i].url, *role ? " (" : "",
               role, *role ? ")" : "");
    }
    if (cli_dev_is_ha(d))
        printf("  ZooKeeper        %s\n", d->v[d->n - 1].url);
}

static void print_start_message(const struct cli_dev *d, bool own_port, bool detached)
{
    char *home = cli_dev_dir(NULL, cli_dev_is_ha(d)), *rms = cli_dev_rm_urls(d);
    struct base_buf quoted = {0};
    bool own_dir = strcmp(home, d->dir) != 0;
    if (cli_dev_is_ha(d) && !own_dir)
        base_buf_adds(&quoted, " --ha");
    if (own_dir) {
        base_buf_adds(&quoted, " --dir ");
        cli_shell_quote(d->dir, &quoted);
    }
    printf("Creel runs in %s\n\n", d->dir);
    print_rms(d);
    printf("  nodes            %zu, each with %lld map and %lld reduce slots\n",
           cli_dev_count_kind(d, cli_dev_is_nm), (long long)d->map_slots,
           (long long)d->reduce_slots);
    printf("  policy           %s\n\n", d->policy);
    if (own_port)
        printf("  export CREEL_RM=%s\n", rms);
    printf("  creel run -- hostname\n");
    printf("  creel job submit --task 'sleep 1' --count 20 --wait\n");
    if (detached)
        printf("  creel dev --stop%s\n", quoted.data ? quoted.data : "");
    else
        printf("\nCtrl-C stops it.\n");
    fflush(stdout);
    base_buf_free(&quoted);
    free(rms);
    free(home);
}

/* Chooses a daemon's port. Several RMs, and ZooKeeper, need theirs before they start, since the
 * configuration names them. Others keep the port of an earlier start if it is free, so that a node
 * keeps its id. */
static void choose_port(const struct dev_options *o, size_t i, const struct cli_dev_daemon *before,
                        struct cli_dev_daemon *x)
{
    bool named = o->ha && !cli_dev_is_nm(x);
    if (i == 0)
        x->port = o->port;
    if (x->port == 0 && (i > 0 || o->ha) && before && cli_dev_port_error(before->port) == 0)
        x->port = before->port;
    if (x->port == 0 && named)
        x->port = cli_dev_free_port();
    if (named)
        snprintf(x->url, sizeof x->url, "%s127.0.0.1:%lld", cli_dev_is_rm(x) ? "http://" : "",
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

/* @old: the last cluster of the folder, whose ports are tried again; NULL: none. */
static void plan_daemons(struct cli_dev *d, const struct dev_options *o, struct cli_dev *old)
{
    d->map_slots = o->map_slots;
    d->reduce_slots = o->reduce_slots;
    snprintf(d->policy, sizeof d->policy, "%s", o->policy);
    d->n = 0;
    add_daemons(d, "rm", o->ha ? (size_t)o->rms : 1);
    add_daemons(d, "nm", (size_t)o->nodes);
    add_daemons(d, "zookeeper", o->ha);
    for (size_t i = 0; i < d->n; i++)
        choose_port(o, i, old ? cli_dev_find(old, d->v[i].name) : NULL, &d->v[i]);
    d->supervisor = cli_proc_identify(getpid());
}

static int start_daemon(struct cli_dev *d, size_t i, const char **failed, struct base_error *err)
{
    *failed = d->v[i].name;
    int rc = cli_dev_launch(d, &d->v[i], err);
    /* so that --stop finds what runs, whatever happens next */
    int saved = cli_dev_save(d, rc >= 0 ? err : NULL);
    return rc < 0 ? rc : saved;
}

/* Starts ZooKeeper, the RMs, then the NMs, and waits until all nodes have registered. The
 * configuration is written twice: the RMs need it to start, and only then is the address known that
 * the NMs find in it. */
static int start_daemons(struct cli_dev *d, const struct dev_options *o, struct base_error *err,
                         const char **failed)
{
    size_t rms = cli_dev_count_kind(d, cli_dev_is_rm), nodes = cli_dev_count_kind(d, cli_dev_is_nm);
    int rc = cli_dev_write_conf(d, o->sets, o->n_sets, err);
    if (rc >= 0 && o->ha)
        rc = start_daemon(d, d->n - 1, failed, err);
    for (size_t i = 0; rc >= 0 && i < rms; i++)
        rc = start_daemon(d, i, failed, err);
    if (rc >= 0) {
        *failed = NULL;
        /* again, now that the RM's address is known */
        rc = cli_dev_write_conf(d, o->sets, o->n_sets, err);
    }
    if (rc >= 0)
        rc = cli_dev_write_rm_url(d, err);
    for (size_t i = rms; rc >= 0 && i < rms + nodes; i++)
        rc = start_daemon(d, i, failed, err);
    if (rc < 0)
        return rc;
    *failed = d->v[0].name;
    return cli_dev_wait_nodes(d, REGISTER_MS, err);
}

/* Whether another process has taken a port between its choice and the start of the daemon. */
static bool port_was_taken(struct cli_dev *d, const struct dev_options *o, const char *failed)
{
    const struct cli_dev_daemon *x = o->ha && failed ? cli_dev_find(d, failed) : NULL;
    bool chosen = x && !cli_dev_is_nm(x) && !(x == &d->v[0] && o->port);
    return chosen && !cli_proc_alive(&x->proc) && cli_dev_port_error(x->port) != 0;
}

/* Plans and starts the cluster, again with other ports when one of them has been taken meanwhile.
 */
static int start_planned(struct cli_dev *d, const struct dev_options *o, struct base_error *err,
                         const char **failed)
{
    struct cli_dev *old = base_alloc(sizeof *old);
    old->dir = d->dir;
    bool known = cli_dev_load(old, NULL) == 0;
    plan_daemons(d, o, known ? old : NULL);
    int rc = start_daemons(d, o, err, failed);
    for (int i = 0; i < PORT_TRIES && rc < 0 && port_was_taken(d, o, *failed); i++) {
        cli_dev_stop_all(d);
        plan_daemons(d, o, NULL);
        rc = start_daemons(d, o, err, failed);
    }
    free(old);
    return rc;
}

/* Stops all daemons under the lock, so that a concurrent --restart has either finished or not
 * begun. */
static void stop_daemons_locked(struct cli_dev *d)
{
    struct base_error err = {0};
    int lock = cli_dev_lock(d, &err);
    bool known = cli_dev_load(d, NULL) == 0;
    cli_dev_stop_all(d);
    /* may take a moment to exit, and must not count as running */
    d->supervisor = (struct cli_proc){0};
    if (known)
        cli_dev_save(d, NULL);
    if (lock >= 0)
        close(lock);
}

/* Runs the supervisor: starts the daemons, reports success on @ready_fd (-1: in the foreground),
 * watches them, and stops them. */
static int supervise(struct cli_dev *d, const struct dev_options *o, int ready_fd, int lock)
{
    struct base_error err = {0};
    const char *failed = NULL;
    int signal_fd = cli_dev_signal_fd();
    int rc = start_planned(d, o, &err, &failed);
    close(lock);
    if (rc < 0) {
        cli_error(CLI_FAILED, "%s", err.text);
        if (failed)
            cli_dev_print_log_tail(d, failed, stderr);
        cli_dev_stop_all(d);
        return CLI_FAILED;
    }
    if (o->json)
        print_daemons_json(d);
    else
        print_start_message(d, o->ha || o->port != 8088, ready_fd >= 0);
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
    stop_daemons_locked(d);
    return CLI_OK;
}

/* Forks the supervisor, and waits until it is ready or has failed. */
static int detach(struct cli_dev *d, const struct dev_options *o, int lock)
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
        _exit(supervise(d, o, pair[1], lock));
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

/* Checks everything that a start needs before anything is begun. */
static int check_start(struct cli_dev *d, const struct dev_options *o)
{
    struct base_error err = {0};
    char *rm = NULL, *nm = NULL;
    bool before = cli_dev_load(d, NULL) == 0;
    int rc = CLI_OK, busy;
    if (before && cli_dev_running(d))
        rc = cli_error(
            CLI_FAILED,
            "%s is in use by a running creel dev (%s); stop it with creel dev --stop --dir %s",
            d->dir, d->n ? d->v[0].url : "", d->dir);
    else if (before && d->n && cli_dev_is_ha(d) != o->ha) /* its state is not in this folder */
        rc = cli_error(
            CLI_FAILED,
            "%s holds a cluster that was started with%s --ha; use another --dir, or remove it",
            d->dir, o->ha ? "out" : "");
    else if ((busy = cli_dev_port_error(o->port)) != 0)
        rc = cli_error(CLI_FAILED, "port %lld cannot be used: %s; --port 0 takes any free one",
                       (long long)o->port, strerror(busy));
    else if (!(rm = cli_dev_find_program("creel-rm", &err)) ||
             !(nm = cli_dev_find_program("creel-nm", &err)) ||
             (o->ha && cli_dev_zookeeper_check(d, &err) < 0))
        rc = cli_error(CLI_FAILED, "%s", err.text);
    free(rm);
    free(nm);
    return rc;
}

static int start_cluster(struct cli_dev *d, const struct dev_options *o)
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
        rc = detach(d, o, lock);
    else
        rc = supervise(d, o, -1, lock);
    return rc;
}

/* ---- stop, restart, status ---- */
static int stop_cluster(struct cli_dev *d, bool json)
{
    struct base_error err = {0};
    if (cli_dev_load(d, &err) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    bool any = cli_dev_running(d);
    if (cli_proc_signal(&d->supervisor, SIGTERM))
        cli_proc_wait(&d->supervisor, SUPERVISOR_MS);
    stop_daemons_locked(d); /* whatever a killed supervisor left */
    if (json) {
        json_t *j = json_pack("{s:s,s:b}", "dir", d->dir, "stopped", any);
        cli_print_json(j);
        json_decref(j);
    } else {
        puts(any ? "stopped" : "nothing was running");
    }
    return CLI_OK;
}

static int restart_locked(struct cli_dev *d, struct cli_dev_daemon *x, bool json)
{
    struct base_error err = {0};
    x->stopping = true;
    cli_dev_save(d, NULL);
    cli_dev_stop_one(x);
    int rc = cli_dev_launch(d, x, &err);
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

static int restart_daemon(struct cli_dev *d, const char *name, bool json)
{
    struct base_error err = {0};
    int rc = cli_dev_load(d, &err), lock;
    if (rc < 0 || (lock = cli_dev_lock(d, &err)) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    cli_dev_load(d, NULL);
    struct cli_dev_daemon *x = cli_dev_find(d, name);
    if (!cli_dev_running(d))
        rc = cli_error(CLI_FAILED, "nothing runs in %s; start it with creel dev --dir %s", d->dir,
                       d->dir);
    else if (!x)
        rc = cli_error(CLI_USAGE, "there is no '%s' in %s: %s%snm-1 to nm-%zu", name, d->dir,
                       cli_dev_is_ha(d) ? "zookeeper, rm-1, rm-2, " : "rm-1, ",
                       cli_dev_count_kind(d, cli_dev_is_rm) > 2 ? "rm-3, " : "",
                       cli_dev_count_kind(d, cli_dev_is_nm));
    else
        rc = restart_locked(d, x, json);
    close(lock);
    return rc;
}

static int show_status(struct cli_dev *d, bool json)
{
    struct base_error err = {0};
    int rc = CLI_OK;
    if (cli_dev_load(d, &err) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    struct cli_table *t =
        cli_table_new("DAEMON", "<", "STATE", "<", "PID", ">", "URL", "<", "LOG", "~", NULL);
    for (size_t i = 0; i < d->n; i++) {
        bool alive = cli_proc_alive(&d->v[i].proc);
        const char *role = alive && cli_dev_is_ha(d) && cli_dev_is_rm(&d->v[i])
                               ? cli_dev_ask_role(d->v[i].url)
                               : "";
        char pid[16], *log = cli_dev_path(d, d->v[i].name, ".log");
        snprintf(pid, sizeof pid, "%d", (int)d->v[i].proc.pid);
        cli_table_add_row(t, d->v[i].name,
                          !alive  ? "down"
                          : *role ? role
                                  : "running",
                          alive ? pid : "-", alive ? d->v[i].url : "-", log, NULL);
        free(log);
        if (!alive)
            rc = CLI_FAILED;
    }
    if (json) {
        print_daemons_json(d);
        cli_table_free(t);
    } else {
        cli_table_print(t, stdout);
    }
    return rc;
}

/* Refuses an unknown policy here, where the user sees it, and not in a daemon's log. */
static int check_policy(const char **name)
{
    const struct policy_ops *ops = policy_find(*name);
    struct base_buf known = {0};
    if (ops && !ops->sim_only) {
        *name = ops->name; /* Creel's name of a Hadoop class */
        return CLI_OK;
    }
    for (size_t i = 0; policy_at(i); i++)
        if (!policy_at(i)->sim_only)
            base_buf_addf(&known, "%s%s", known.len ? ", " : "", policy_at(i)->name);
    const char *near = ops ? NULL : policy_nearest(*name, false);
    int rc = cli_error(CLI_USAGE, "--policy: '%s' is %s%s%s%s; there are %s", *name,
                       ops ? "for simulations only" : "unknown", near ? " (did you mean " : "",
                       near ? near : "", near ? "?)" : "", known.data);
    base_buf_free(&known);
    return rc;
}

/* Refuses -D for keys that have an option here, or a value of their own for each daemon: it would
 * be lost. */
static int check_settings(const struct dev_options *o)
{
    static const struct {
        const char *key, *instead;
    } own[] = {
        {"creel.scheduler.policy", "use --policy"},
        {"creel.nodemanager.map-slots", "use --map-slots"},
        {"creel.nodemanager.reduce-slots", "use --reduce-slots"},
        {"creel.rm.port", "use --port"},
        {"creel.rm.state-dir", "it is in the folder of --dir"},
        {"creel.nodemanager.local-dir", "it is in the folder of --dir"},
        {"creel.nodemanager.port", "every NodeManager takes a free one"},
        {"creel.nodemanager.rm", "it is the ResourceManager started here"},
        {"creel.cluster.secret", "each cluster makes its own"},
        {"yarn.resourcemanager.ha.enabled", "use --ha"},
        {"yarn.resourcemanager.ha.rm-ids", "use --ha and --rms"},
        {"yarn.resourcemanager.ha.id", "every ResourceManager has its own"},
        {"yarn.resourcemanager.zk-address", "it is the ZooKeeper started here"},
        {"hadoop.zk.address", "it is the ZooKeeper started here"},
    };
    for (size_t i = 0; i < o->n_sets; i++) {
        size_t len = strcspn(o->sets[i], "=");
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
            if (strlen(own[k].key) == len && strncmp(own[k].key, o->sets[i], len) == 0)
                return cli_error(CLI_USAGE, "dev: -D %s cannot be set here: %s", own[k].key,
                                 own[k].instead);
    }
    return CLI_OK;
}

static int check_options(const struct dev_options *o)
{
    const char *verb = o->stop      ? "--stop"
                       : o->restart ? "--restart"
                       : o->status  ? "--status"
                                    : NULL;
    if (o->stop + o->status + (o->restart != NULL) > 1)
        return cli_error(CLI_USAGE, "dev: --stop, --restart and --status exclude each other");
    if (verb && o->start_only)
        return cli_error(CLI_USAGE, "dev: --%s is for starting a cluster, and excludes %s",
                         o->start_only, verb);
    if (o->rms && !o->ha)
        return cli_error(CLI_USAGE, "dev: --rms needs --ha");
    if (verb && o->n_sets)
        return cli_error(CLI_USAGE, "dev: -D is for starting a cluster, and excludes %s", verb);
    return check_settings(o);
}

int cli_dev_main(int argc, char **argv)
{
    static const struct argp argp = {options, parse_option, NULL, doc, NULL, NULL, NULL};
    struct cli c = {.without = CLI_WITHOUT_RM | CLI_WITHOUT_CONF};
    struct dev_options o = {
        .nodes = 3, .map_slots = 2, .reduce_slots = 1, .port = 8088, .policy = "fifo"};
    struct cli_dev *d = base_alloc(sizeof *d);
    int rc = cli_parse(&c, &argp, 0, argc, argv, &o);
    o.json = c.json;
    o.sets = c.sets;
    o.n_sets = c.n_sets;
    d->dir = cli_dev_dir(o.dir, o.ha);
    if (rc == CLI_OK)
        rc = check_options(&o);
    o.rms = o.rms ? o.rms : 2;
    if (rc == CLI_OK && o.stop)
        rc = stop_cluster(d, o.json);
    else if (rc == CLI_OK && o.restart)
        rc = restart_daemon(d, o.restart, o.json);
    else if (rc == CLI_OK && o.status)
        rc = show_status(d, o.json);
    else if (rc == CLI_OK && (rc = check_policy(&o.policy)) == CLI_OK)
        rc = start_cluster(d, &o);
    free(d->dir);
    free(d);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
