/* nodemanager/daemon/daemon.h - the shell around the core: one loop that waits for events, steps
 * the core and carries out its effects.
 *
 *   spawner's answers, pidfds of shims, the RM's answers, signals, timers --> event -->
 *   nm_core_step --> effects
 *
 * Only the loop's thread changes the core, and it holds nm->lock while it changes what HTTP threads
 * read. HTTP threads read views under the same lock and copy what they need. The loop never holds
 * the lock while it uses files or processes. */
#ifndef CREEL_NODEMANAGER_DAEMON_DAEMON_H
#define CREEL_NODEMANAGER_DAEMON_DAEMON_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "api/server/server.h"
#include "base/acl/groups.h"
#include "base/clock.h"
#include "base/conf/conf.h"
#include "nodemanager/container/exit.h"
#include "nodemanager/container/folders.h"
#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/launch.h"
#include "nodemanager/container/spawn.h"
#include "nodemanager/core/core.h"
#include "nodemanager/daemon/rm_link.h"
#include "nodemanager/daemon/wire.h"
#include "nodemanager/localize/localizer.h"

struct nm_options { /* options of the command line; strings are borrowed */
    const char *url_file, *pid_file;
    bool insecure;
};

/* The daemon's data about a container and its shim. */
struct nm_box {
    struct nm *nm;
    struct base_container_id id;
    enum base_container_kind kind;
    const struct nm_isolation_ops *isolation;
    char *user;  /* as whom creel-exec runs the container; NULL: as our user */
    bool lost;   /* the shim is dead, and creel-exec has been asked to kill the processes that it
                  * left */
    char *place; /* the isolation's place when the container was started; NULL: that of new
                  * containers */
    int pidfd;   /* pidfd of the shim; -1: not started yet, or ended */
    int64_t shim, shim_start;
    int64_t killed_us; /* when the tree below the shim was first sent SIGKILL, 0: never */
    bool stopped_told; /* a warning that the shim was stopped has been logged */
    int64_t progress_mtime_ns, progress_read_us;
    struct nm_command command; /* command of the shim, until the spawner is asked to start it */
    TAILQ_ENTRY(nm_box) waiting;
};

struct nm_aggregator;
struct nm_identifier;
struct nm_rpc;
struct nm_shuffle;

/* The bit that marks the tag of a spawn request for creel-exec; the other bits are the address of
 * the box, or 0. Tags of containers and of the localizer, which has its own TAG_BIT, lack this
 * bit. */
#define NM_HELPER_TAG 2u

struct nm_pending; /* an event that an effect caused */

struct nm {
    const struct base_conf *conf;
    struct nm_options options;
    char shim_path[NM_PATH_MAX], task_path[NM_PATH_MAX], localize_path[NM_PATH_MAX];
    char host[256], node_id[300], url[320], instance[33];
    /* where the RM and clients reach the node: node_id, with TLS "https://" before it */
    char http_address[320];
    struct nm_ident ident;
    struct nm_launch_conf launch_conf;
    const struct nm_isolation_ops *isolation; /* isolation of new containers, and its place */
    char isolation_place[NM_ISOLATION_PLACE_MAX];
    struct nm_disk_state disk;
    int64_t started_ms, grace_ms;
    struct nm_files files;
    struct nm_spawn *spawn;
    const char *launcher; /* creel-exec; NULL: containers run as our user */
    struct base_rm_list rms;
    char *rms_text;            /* the URLs of the RMs, separated by commas */
    struct base_keyring *keys; /* the cluster's secret */
    struct nm_link_io *link;
    struct api_server *server;
    struct api_tls *tls;      /* of the server; NULL: plain HTTP */
    struct api_route *routes; /* of the server, routes_n of them */
    size_t routes_n;
    struct nm_rpc *rpc;         /* the port of Hadoop RPC; NULL: it is not configured */
    struct nm_shuffle *shuffle; /* NULL: it is not configured */
    struct nm_aux_services *aux_services;
    struct nm_identifier *identifier; /* of the users of tokens */
    struct base_groups *groups;       /* of callers, when lists name groups */
    struct nm_load_sampler *load_sampler;
    struct nm_localizer *localizer;
    struct nm_aggregator *aggregator; /* of logs; NULL: they stay on the node alone */
    int64_t min_free_bytes, min_free_inodes;
    int64_t watchdog_us; /* 0: none */
    atomic_ullong turns; /* iterations of the loop, for the watchdog */
    /* The resources that an operator has set for the node, from the last accepted answer; -1: none.
     * For display only: the ResourceManager applies them. */
    atomic_llong given_memory_mb, given_vcores;

    pthread_mutex_t lock; /* protects core, which HTTP threads read */
    struct nm_core *core;
    int64_t last_answer_ms; /* under lock: when an answer of an RM was last accepted, 0: never */
    char rm_url[BASE_RM_URL_MAX]; /* under lock: the RM that gave this answer, or "" */

    /* the rest is used by the loop's thread only */
    int epoll_fd, signal_fd;
    struct nm_effects effects;
    struct nm_pending *pending_v;
    size_t pending_len, pending_cap;
    TAILQ_HEAD(, nm_box) waiting;
    size_t asked; /* spawn requests without an answer */
    int64_t health_next_us, tokens_renew_us;
    uint64_t load_reported; /* number of the sample that a heartbeat last reported */
    /* when a write last found the disk full; 0: never, or a test write has succeeded since */
    int64_t no_space_us;
    bool rm_away, stop;
    bool told_to_end; /* by a signal */
    int exit_status;
};

/* Runs the daemon until it stops; returns the exit status. @conf has been checked. */
int nm_daemon_run(const struct base_conf *conf, const struct nm_options *options);

/* nodemanager/daemon/carry_out.c */
/* Reports that a container's local resources are ready, or why not (@failure). @nm, @box: void
 * pointers, since the localizer knows neither type. */
void nm_loop_report_resources(void *nm, void *box, const char *failure);
/* Steps the core and carries out the effects, including those of events that effects cause. */
void nm_handle_event(struct nm *nm, const struct nm_event *ev);
/* Steps the core with the events that effects caused, in order, including those they cause in
 * turn. */
void nm_handle_pending_events(struct nm *nm);
/* Queues the report to the core that a container could not be started. With @exit_code
 * NM_EXIT_DISK, first reports that the node is unhealthy, since its disk is full. Takes ownership
 * of @text. */
void nm_queue_failed_start(struct nm *nm, const struct base_container_id *id, int exit_code,
                           char *text);
/* Describes the container for its isolation; the result borrows the text in @id. */
struct nm_isolated nm_box_describe_for_isolation(const struct nm_box *box,
                                                 char id[static BASE_ID_TEXT_MAX]);
void nm_box_clean_isolation(const struct nm_box *box);

/* nodemanager/daemon/loop.c */
int nm_loop_init(struct nm *nm, struct base_error *err);
void nm_loop_run(struct nm *nm);
void nm_loop_free(struct nm *nm);
struct nm_box *nm_box_new(struct nm *nm, struct nm_container *c);
void nm_box_free(void *box);
/* Makes the loop notice the end of the shim; the box owns @pidfd from now on. */
void nm_box_watch_shim(struct nm_box *box, int pidfd, int64_t shim, int64_t shim_start);
static inline int64_t nm_now_us(void)
{
    return base_mono_us(&base_clock_real);
}
static inline int64_t nm_wall_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}
void nm_check_and_report_health(struct nm *nm);

/* nodemanager/container/recover.c: reports the containers recorded on disk to the core. */
int nm_recover_containers(struct nm *nm, struct base_error *err);

#endif
