/* api/cli/dev/dev.c - `creel dev`: parses its options, and runs the action that they choose. */
#include "api/cli/dev/dev.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "policies/policy.h"
#include "policies/registry.h"

enum {
    KEY_NODES = 256,
    KEY_MAP,
    KEY_REDUCE,
    KEY_POLICY,
    KEY_AUTH,
    KEY_PORT,
    KEY_DIR,
    KEY_DETACH,
    KEY_STOP,
    KEY_RESTART,
    KEY_STATUS,
    KEY_HA,
    KEY_RMS,
    KEY_TLS,
    KEY_HADOOP,
};

static const struct argp_option options[] = {
    {"nodes", KEY_NODES, "N", 0, "NodeManagers to start; default: 3", 1},
    {"map-slots", KEY_MAP, "N", 0, "Map slots of each; default: 2", 1},
    {"reduce-slots", KEY_REDUCE, "N", 0, "Reduce slots of each; default: 1", 1},
    {"policy", KEY_POLICY, "NAME", 0, "Scheduling policy: fair, hfsp, rtmr, …; default: fifo", 1},
    {"auth", KEY_AUTH, "HOW", 0,
     "How users prove who they are: token, spnego (Kerberos; -D sets its keys), or simple (they "
     "just name themselves, as in YARN without Kerberos); default: token",
     1},
    {"port", KEY_PORT, "PORT", 0,
     "Port of the (first) ResourceManager, 0 for any free one; default: 8088, with --tls 8090", 1},
    {"tls", KEY_TLS, NULL, 0,
     "TLS at all ports, with an authority of the cluster's own, in the file tls/ca.pem of --dir",
     1},
    {"hadoop", KEY_HADOOP, NULL, 0,
     "Ports for Hadoop's own programs, free ones, and their configuration in the folder hadoop of "
     "--dir",
     1},
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
        return cli_option_set_error("%s: '%s' is not an integer from %lld to %lld", option, arg,
                                    (long long)min, (long long)max);
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct cli_dev_options *o = state->input;
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
    case KEY_TLS:
        o->tls = true;
        return 0;
    case KEY_HADOOP:
        o->hadoop = true;
        return 0;
    case KEY_POLICY:
        o->policy = arg;
        return 0;
    case KEY_AUTH:
        o->auth = arg;
        return strcmp(arg, "token") == 0 || strcmp(arg, "spnego") == 0 || strcmp(arg, "simple") == 0
                   ? 0
                   : cli_option_set_error("--auth: '%s' is none of token, spnego and simple", arg);
    case KEY_DIR:
        o->dir = arg;
        return *arg ? 0 : cli_option_set_error("--dir: the path is empty");
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
        return cli_option_set_error("unexpected argument '%s'; see creel dev --help", arg);
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
    "  creel dev --ha --detach; creel dev --ha --status; creel dev --ha --stop\n"
    "  creel dev --tls\n\n"
    "The folder holds the logs (rm-1.log, nm-1.log …), rm.url (for CREEL_RM), rm.token (for "
    "CREEL_TOKEN_FILE; creel finds that of the default folder itself), rm.header (for curl -H "
    "@FILE), and all state: a cluster that is started there again knows its jobs. Settings given "
    "with -D apply to all "
    "daemons.\n\n"
    "With --ha the state is kept in ZooKeeper, which must be installed (Debian: apt install "
    "zookeeper). A ResourceManager that is silent for a second is replaced (-D "
    "yarn.resourcemanager.zk-timeout-ms).\n\n"
    "Exit status: 0 success, 1 a daemon does not start or is down, 2 wrong usage, 4 nothing was "
    "started there.";

/* Replaces the name of a Hadoop class by Creel's name of the policy. Refuses a policy that is
 * unknown, or for simulations only, here, where the user sees the error, and not in a daemon's log.
 */
static int check_and_normalize_policy(const char **name)
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
    const char *near = ops ? NULL : policy_nearest_name(*name, false);
    int rc = cli_error(CLI_USAGE, "--policy: '%s' is %s%s%s%s; there are %s", *name,
                       ops ? "for simulations only" : "unknown", near ? " (did you mean " : "",
                       near ? near : "", near ? "?)" : "", known.data);
    base_buf_free(&known);
    return rc;
}

/* Refuses -D for keys that have an option here, or whose values creel dev chooses itself. */
static int refuse_reserved_settings(const struct cli_dev_options *o)
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
        {"creel.cluster.secret-file", "each cluster makes its own"},
        {"yarn.http.policy", "use --tls"},
        {"creel.tls.certificate-file", "each cluster makes its own; use --tls"},
        {"creel.tls.key-file", "each cluster makes its own; use --tls"},
        {"creel.tls.ca-file", "each cluster makes its own; use --tls"},
        {"creel.auth", "use --auth"},
        {"creel.auth.token-file", "it is in the folder of --dir"},
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

static int check_option_combination(const struct cli_dev_options *o)
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
    return refuse_reserved_settings(o);
}

int cli_dev_main(int argc, char **argv)
{
    static const struct argp argp = {options, parse_option, NULL, doc, NULL, NULL, NULL};
    struct cli c = {.without = CLI_WITHOUT_RM | CLI_WITHOUT_CONF};
    struct cli_dev_options o = {.nodes = 3,
                                .map_slots = 2,
                                .reduce_slots = 1,
                                .port = -1,
                                .policy = "fifo",
                                .auth = "token"};
    struct cli_dev *d = base_alloc(sizeof *d);
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &o);
    o.json = c.json;
    o.sets = c.sets;
    o.n_sets = c.n_sets;
    d->dir = cli_dev_dir(o.dir, o.ha);
    if (rc == CLI_OK)
        rc = check_option_combination(&o);
    o.rms = o.rms ? o.rms : 2;
    if (o.port < 0)
        o.port = o.tls ? 8090 : 8088;
    d->tls = o.tls;
    cli_dev_trust_authority(d);
    if (rc == CLI_OK && o.stop)
        rc = cli_dev_stop_cluster(d, o.json);
    else if (rc == CLI_OK && o.restart)
        rc = cli_dev_restart_daemon(d, o.restart, o.json);
    else if (rc == CLI_OK && o.status)
        rc = cli_dev_show_status(d, o.json);
    else if (rc == CLI_OK && (rc = check_and_normalize_policy(&o.policy)) == CLI_OK)
        rc = cli_dev_start_cluster(d, &o);
    free(d->dir);
    free(d);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
