/* api/cli/dev/dev.h - `creel dev`: an RM and some NMs on this machine, in one folder; with --ha
 * several RMs, and a ZooKeeper that elects the active one.
 *
 * Folder (0700):
 *   dev.json                 daemons: names, identities, ports (private to this module, 0600)
 *   dev.lock                 locked while dev.json changes
 *   rm-1.pid nm-1.pid …      pid of each daemon, for scripts
 *   rm-1.url nm-1.url …      its address, written by the daemon
 *   rm-1.log nm-1.log …      its output; dev.log: that of a detached supervisor
 *   rm.token rm.header       the user's token and a header with it, written by the RMs (0600)
 *   rm.url                   the RMs' addresses separated by commas, as CREEL_RM and --rm take them
 *   conf/                    creel-site.xml, cluster.secret, with --ha zookeeper.secret (all 0600)
 *   rm-1/ nm-1/ …            state of the daemons
 *   with --hadoop: hadoop/core-site.xml, yarn-site.xml and mapred-site.xml, for Hadoop's programs
 *   with --tls: tls/         ca.pem and ca.key of the cluster's authority, host.pem and host.key
 *   with --ha: zookeeper.pid zookeeper.log zookeeper/ (zoo.cfg, log4j.properties, and data/ with
 *   the jobs)
 *
 * The process that starts the daemons is their parent and stays as the supervisor, in the
 * foreground or detached. The supervisor watches their pidfds and reports a daemon that dies.
 * `--restart` is another process: it starts the daemon and writes dev.json, which the supervisor
 * reads again. */
#ifndef CREEL_API_CLI_DEV_DEV_H
#define CREEL_API_CLI_DEV_DEV_H

#include <stdio.h>

#include "api/cli/cli.h"
#include "api/cli/dev/process.h"

enum { CLI_DEV_NODES_MAX = 100, CLI_DEV_RMS_MAX = 3, CLI_DEV_URL_MAX = 256 };
enum { CLI_DEV_DAEMONS_MAX = CLI_DEV_NODES_MAX + CLI_DEV_RMS_MAX + 1 };

/* Ports of Hadoop RPC that a ResourceManager has, by who calls there. */
enum cli_dev_rpc_port { CLI_DEV_CLIENTS, CLI_DEV_MASTERS, CLI_DEV_ADMINS, CLI_DEV_RPC_PORTS };

struct cli_dev_daemon {
    char name[32]; /* "rm-1", "nm-12", "zookeeper" */
    struct cli_proc proc;
    char url[CLI_DEV_URL_MAX];
    int64_t port; /* kept across restarts; 0: not known yet */
    /* of Hadoop RPC, with --hadoop; 0: none, or not known to this process */
    int64_t rpc_ports[CLI_DEV_RPC_PORTS];
    bool stopping; /* --restart is stopping the daemon, so its end is not reported */
};
struct cli_dev {
    char *dir; /* absolute */
    struct cli_proc supervisor;
    struct cli_dev_daemon v[CLI_DEV_DAEMONS_MAX]; /* RMs, then NMs, then ZooKeeper if any */
    size_t n;
    int64_t map_slots, reduce_slots;
    char policy[32];
    bool tls; /* the daemons speak TLS */
};
/* The options of the command line. */
struct cli_dev_options {
    int64_t nodes, map_slots, reduce_slots, port, rms;
    const char *auth;                   /* creel.auth of the daemons */
    const char *policy, *dir, *restart; /* restart: name of a daemon; NULL: --restart not given */
    bool detach, stop, status, json, ha, tls, hadoop;
    const char *start_only; /* an option that was given and that only a start takes; NULL: none */
    char **sets;            /* -D, borrowed */
    size_t n_sets;
};
static inline bool cli_dev_is_rm(const struct cli_dev_daemon *x)
{
    return x->name[0] == 'r';
}
static inline bool cli_dev_is_nm(const struct cli_dev_daemon *x)
{
    return x->name[0] == 'n';
}
static inline bool cli_dev_is_zookeeper(const struct cli_dev_daemon *x)
{
    return x->name[0] == 'z';
}
static inline bool cli_dev_is_ha(const struct cli_dev *d)
{
    return d->n > 0 && cli_dev_is_zookeeper(&d->v[d->n - 1]);
}
size_t cli_dev_count_daemons(const struct cli_dev *d, bool (*is)(const struct cli_dev_daemon *x));

/* ---- api/cli/dev/state.c ---- */
/* Returns the cluster's folder, absolute: @arg, else $XDG_STATE_HOME/creel/dev, else
 * ~/.local/state/creel/dev (dev-ha with @ha). Caller frees. */
char *cli_dev_dir(const char *arg, bool ha);
/* Returns <dir>/<name><suffix>; caller frees. */
char *cli_dev_path(const struct cli_dev *d, const char *name, const char *suffix);
/* Reads dev.json. Returns 0 or -BASE_E*; -BASE_ENOTFOUND when nothing was ever started in d->dir.
 */
int cli_dev_load(struct cli_dev *d, struct base_error *err);
int cli_dev_save(const struct cli_dev *d, struct base_error *err);
/* Locks the state of the cluster, as is necessary while dev.json is changed; waits while another
 * process holds the lock. Returns a descriptor, whose close() releases the lock, or -BASE_E*. */
int cli_dev_lock(const struct cli_dev *d, struct base_error *err);
struct cli_dev_daemon *cli_dev_find_daemon(struct cli_dev *d,
                                           const char *name); /* NULL: no such daemon */
/* Returns true when any daemon or the supervisor is alive. */
bool cli_dev_is_any_process_alive(const struct cli_dev *d);
void cli_dev_print_log_tail(const struct cli_dev *d, const char *name, FILE *out);

/* ---- api/cli/dev/start.c ---- */
/* Writes conf/creel-site.xml, with the settings of @o. Keeps the secret of an earlier start, else
 * makes one. */
int cli_dev_write_conf(const struct cli_dev *d, const struct cli_dev_options *o,
                       struct base_error *err);
/* Appends a property of a configuration in Hadoop's XML form. */
void cli_dev_add_property(struct base_buf *xml, const char *name, const char *value);
/* Starts a daemon and waits until it listens. Fills in its identity, and its URL and port unless it
 * is ZooKeeper, which has them already; writes the pid file. */
int cli_dev_launch_daemon_and_wait(struct cli_dev *d, struct cli_dev_daemon *x,
                                   struct base_error *err);
/* Waits until every NM is registered and RUNNING. Fails when a daemon has exited, or after
 * @timeout_ms. */
int cli_dev_wait_until_nodes_registered(const struct cli_dev *d, int timeout_ms,
                                        struct base_error *err);
int cli_dev_write_rm_url_file(const struct cli_dev *d, struct base_error *err);
/* Returns the path of program @name: in the folder of this program, in ../sbin from there, or else
 * in PATH; caller frees. NULL: not found (@err). */
char *cli_dev_find_program(const char *name, struct base_error *err);

/* ---- api/cli/dev/hadoop.c ---- */
/* Chooses a RM's ports of Hadoop RPC, which are others at each start. Administrators get none
 * unless users name themselves, since their protocol has no place for a token. */
void cli_dev_choose_rpc_ports(const struct cli_dev_options *o, struct cli_dev_daemon *rm);
/* Returns true when one of the ports is taken. */
bool cli_dev_is_rpc_port_taken(const struct cli_dev_daemon *rm);
/* Appends the addresses at which the daemons speak Hadoop RPC, as properties. */
void cli_dev_add_rpc_addresses(const struct cli_dev *d, struct base_buf *xml);
/* Writes the configuration of Hadoop's own clients. The RMs' URLs are known. */
int cli_dev_write_hadoop_conf(const struct cli_dev *d, struct base_error *err);
/* Prints the addresses, and what to type to use them. @token: users show tokens. */
void cli_dev_print_hadoop_message(const struct cli_dev *d, bool token);

/* ---- api/cli/dev/tls.c ---- */
/* Writes the files below tls/. Keeps the authority of an earlier start. */
int cli_dev_make_certificates(const struct cli_dev *d, struct base_error *err);
char *cli_dev_authority_path(const struct cli_dev *d); /* caller frees */
/* Makes this process trust the authority of the daemons of d->dir, if they speak TLS. */
void cli_dev_trust_authority(const struct cli_dev *d);

/* ---- api/cli/dev/ha.c ---- */
/* Returns 0 when @port is free on 127.0.0.1, or is 0; otherwise an errno. */
int cli_dev_check_port_free(int64_t port);
/* Returns a free port; 0: none was found. */
int64_t cli_dev_find_free_port(void);
/* Checks that Java and ZooKeeper are installed (the error names the package), and that d->dir can
 * be written in their configuration. */
int cli_dev_zookeeper_check_installed(const struct cli_dev *d, struct base_error *err);
/* Makes the folder of ZooKeeper's data, and writes zoo.cfg and log4j.properties beside it. */
int cli_dev_zookeeper_write_conf(const struct cli_dev *d, const struct cli_dev_daemon *x,
                                 struct base_error *err);
/* Returns ZooKeeper's argument vector, which ends with NULL and begins with @java (taken: a path
 * from cli_dev_find_program()). The caller frees the vector and its strings. */
char **cli_dev_zookeeper_arguments(const struct cli_dev *d, const struct cli_dev_daemon *x,
                                   char *java);
/* Waits until the ZooKeeper started here serves requests. Fails when it has exited, or after a
 * minute. */
int cli_dev_zookeeper_wait_until_serving(const struct cli_dev *d, struct cli_dev_daemon *x,
                                         struct base_error *err);
/* Asks the RM at @url for its role: "active", "standby", "initializing"; "": no answer. */
const char *cli_dev_ask_rm_role(const char *url);
/* Returns the RMs' addresses, separated by commas; caller frees. */
char *cli_dev_join_rm_urls(const struct cli_dev *d);

/* ---- api/cli/dev/stop.c ---- */
/* Ends the NMs, the containers that they leave, the RMs and finally ZooKeeper, but not the
 * supervisor; removes the daemons' pid and URL files, and the token. */
void cli_dev_stop_all_but_supervisor(struct cli_dev *d);
/* Ends one daemon: SIGTERM, then SIGKILL. */
void cli_dev_stop_daemon(struct cli_dev_daemon *x);

/* ---- api/cli/dev/cluster.c ---- */
/* Starts a cluster in d->dir and supervises it until it is stopped, or forks the supervisor
 * (o->detach). Returns an exit status of the command; errors have been printed. */
int cli_dev_start_cluster(struct cli_dev *d, const struct cli_dev_options *o);

/* ---- api/cli/dev/actions.c; errors have been printed; an int is the exit status ---- */
/* Stops the supervisor and all daemons of d->dir. */
int cli_dev_stop_cluster(struct cli_dev *d, bool json);
int cli_dev_restart_daemon(struct cli_dev *d, const char *name, bool json);
/* Stops all daemons under the lock, so that a concurrent --restart has either finished or not
 * begun. */
void cli_dev_lock_and_stop_daemons(struct cli_dev *d);

/* ---- api/cli/dev/status.c ---- */
void cli_dev_print_status_json(const struct cli_dev *d);
/* Prints how to use the cluster that was started with @o, and how to stop it. */
void cli_dev_print_start_message(const struct cli_dev *d, const struct cli_dev_options *o,
                                 bool detached);
/* Prints the state of each daemon of d->dir. Returns CLI_FAILED when one is down, CLI_NOTFOUND when
 * nothing was ever started there. */
int cli_dev_show_status(struct cli_dev *d, bool json);

/* ---- api/cli/dev/supervisor.c ---- */
/* Reports daemons that die, until a signal arrives on @signal_fd. The caller then stops the
 * daemons. */
int cli_dev_supervise(struct cli_dev *d, int signal_fd);
/* Blocks SIGINT, SIGTERM and SIGHUP, and returns a signalfd for them. */
int cli_dev_open_signal_fd(void);

#endif
