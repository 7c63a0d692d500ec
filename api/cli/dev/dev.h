/* api/cli/dev/dev.h - `creel dev`: an RM and some NMs of this machine, in one folder; with --ha several RMs, and a
 * ZooKeeper that elects the active one.
 *
 * Folder (0700):
 *   dev.json        what runs: names, identities, ports (this module's own memory, 0600)
 *   rm-1.pid nm-1.pid …    pid of the daemon, for scripts      rm-1.url nm-1.url …  its address, written by the daemon
 *   rm-1.log nm-1.log … dev.log   what they say; dev.log: the supervisor when detached
 *   rm.url          the RMs' addresses separated by commas: the form CREEL_RM and --rm take
 *   conf/creel-site.xml    settings and the cluster's secret (0600)
 *   rm-1/ nm-1/ …   state of the daemons
 *   with --ha: zookeeper.pid zookeeper.log zookeeper/ (zoo.cfg, data/), which then holds the jobs
 *
 * The process that starts the daemons is their parent and stays as the supervisor: in front, or detached. It watches
 * pidfds and reports who dies; `--restart`, another process, starts one again and notes it in dev.json, which the
 * supervisor reads again. */
#ifndef CREEL_API_CLI_DEV_DEV_H
#define CREEL_API_CLI_DEV_DEV_H

#include <stdio.h>

#include "api/cli/cli.h"
#include "api/cli/dev/process.h"

enum { CLI_DEV_NODES_MAX = 100, CLI_DEV_RMS_MAX = 3, CLI_DEV_URL_MAX = 256 };
enum { CLI_DEV_DAEMONS_MAX = CLI_DEV_NODES_MAX + CLI_DEV_RMS_MAX + 1 };

struct cli_dev_daemon {
    char name[32]; /* "rm-1", "nm-12", "zookeeper" */
    struct cli_proc proc;
    char url[CLI_DEV_URL_MAX];
    int64_t port;  /* kept over restarts; 0: not known yet */
    bool stopping; /* somebody ends it on purpose */
};
struct cli_dev {
    char *dir; /* absolute */
    struct cli_proc supervisor;
    struct cli_dev_daemon v[CLI_DEV_DAEMONS_MAX]; /* RMs, then NMs, then ZooKeeper where there is one */
    size_t n;
    int64_t map_slots, reduce_slots;
    char policy[32];
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
size_t cli_dev_count_kind(const struct cli_dev *d, bool (*is)(const struct cli_dev_daemon *x));

/* ---- api/cli/dev/state.c ---- */
/* --dir, else $XDG_STATE_HOME/creel/dev, else ~/.local/state/creel/dev (dev-ha with @ha); absolute. Caller frees. */
char *cli_dev_dir(const char *arg, bool ha);
char *cli_dev_path(const struct cli_dev *d, const char *name,
                   const char *suffix); /* <dir>/<name><suffix>; caller frees */
/* -BASE_ENOTFOUND when nothing was ever started in d->dir. */
int cli_dev_load(struct cli_dev *d, struct base_error *err);
int cli_dev_save(const struct cli_dev *d, struct base_error *err);
/* Held while dev.json is changed; closed by the caller. -BASE_E* on error. */
int cli_dev_lock(const struct cli_dev *d, struct base_error *err);
struct cli_dev_daemon *cli_dev_find(struct cli_dev *d, const char *name); /* NULL: no such daemon */
/* Any of its processes lives. */
bool cli_dev_running(const struct cli_dev *d);
void cli_dev_print_log_tail(const struct cli_dev *d, const char *name, FILE *out);

/* ---- api/cli/dev/start.c ---- */
/* conf/creel-site.xml with a new secret (or the one that is there); @sets: more "key=value" of the user. */
int cli_dev_write_conf(const struct cli_dev *d, char *const *sets, size_t n_sets, struct base_error *err);
/* Starts a daemon and waits until it listens: identity, url, port are filled, pid file written. */
int cli_dev_launch(struct cli_dev *d, struct cli_dev_daemon *x, struct base_error *err);
/* Waits until every NM is registered and RUNNING. */
int cli_dev_wait_nodes(const struct cli_dev *d, int timeout_ms, struct base_error *err);
int cli_dev_write_rm_url(const struct cli_dev *d, struct base_error *err);
/* Path of "creel-rm" beside this program, else in PATH; caller frees; NULL with @err. */
char *cli_dev_find_program(const char *name, struct base_error *err);

/* ---- api/cli/dev/ha.c ---- */
int cli_dev_port_error(int64_t port); /* 0: it can be had; else an errno */
int64_t cli_dev_free_port(void);      /* one that can be had now; 0: none was found */
/* What it needs is installed (the message names the package), and its configuration can name d->dir. */
int cli_dev_zookeeper_check(const struct cli_dev *d, struct base_error *err);
int cli_dev_zookeeper_prepare(const struct cli_dev *d, const struct cli_dev_daemon *x, struct base_error *err);
char **cli_dev_zookeeper_arguments(const struct cli_dev *d, const struct cli_dev_daemon *x, char *java); /* takes it */
int cli_dev_zookeeper_wait(const struct cli_dev *d, struct cli_dev_daemon *x, struct base_error *err);
/* Of the RM at @url: "active", "standby", "initializing"; "": it does not tell. */
const char *cli_dev_ask_role(const char *url);
char *cli_dev_rm_urls(
    const struct cli_dev *d); /* the RMs' addresses, separated by commas; caller frees */

/* ---- api/cli/dev/stop.c ---- */
/* Ends NMs, the containers they leave, RMs, and ZooKeeper last; not the supervisor. */
void cli_dev_stop_all(struct cli_dev *d);
/* Ends one daemon: SIGTERM, then SIGKILL. */
void cli_dev_stop_one(struct cli_dev_daemon *x);

/* ---- api/cli/dev/supervisor.c ---- */
/* Until a signal asks to end; the caller stops the daemons. */
int cli_dev_supervise(struct cli_dev *d, int signal_fd);
int cli_dev_signal_fd(void); /* blocks SIGINT, SIGTERM, SIGHUP */

#endif
