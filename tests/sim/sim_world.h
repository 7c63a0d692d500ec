/* tests/sim/sim_world.h - a cluster in virtual time: a ZooKeeper ensemble, ResourceManagers,
 * NodeManagers with simulated processes and disks, clients, a shared file system, and what a
 * witness has seen of it all.
 *
 * What is real: ha_election, ha_log, rm_core, the rules of a leadership and of nodes that wait on a
 * standby (rm/term/), the decoding of stored records (rm/leader/load_store.h), nm_core,
 * nm_rm_search. What is simulated: ZooKeeper, network, clocks, disks, processes, and the threads
 * that drive the rules. */
#ifndef CREEL_TESTS_SIM_WORLD_H
#define CREEL_TESTS_SIM_WORLD_H

#include "base/conf/rm_list.h"
#include "nodemanager/core/core.h"
#include "nodemanager/core/rm_search.h"
#include "rm/core/core.h"
#include "rm/core/view/view.h"
#include "tests/sim/sim_net.h"
#include "tests/sim/sim_zk.h"

#define W_RMS        3
#define W_NMS        5
#define W_JOBS       16
#define W_EPOCHS     1024
#define W_TASKS      24                     /* of a kind of a job */
#define W_ATTEMPTS   64                     /* that may be started of one task */
#define W_CLUSTER_TS INT64_C(1600000000000) /* of ids that clients have chosen beforehand */
enum { HOST_ZK = 0, HOST_RM = 3, HOST_NM = 6, HOST_CLIENT = 11 };

struct sim_world;
struct sim_rm;
struct sim_nm;

/* What is broken on purpose, so that the checker has something to find. */
struct sim_breaks {
    bool log_check;      /* writes of the log are not fenced by the epoch */
    bool nm_epoch;       /* nodes obey any epoch */
    bool lease;          /* nobody looks at the lease */
    bool ack_early;      /* acknowledged before it is durable */
    bool forget_commits; /* recovery passes over the commits */
    bool forget_tasks;   /* ... over the ends of tasks */
    bool new_folder;     /* NodeManagers come back without what they knew of their containers */
    bool no_wait;        /* recovery passes over the nodes: nothing waits for what they run */
    bool deaf_masters;   /* masters do not look at what registering again tells them */
    bool shared_parts;   /* attempts rename their part to its last place, and the job's commit takes
                            what lies there */
};

/* ---------------------------------------------------------------- requests to an RM */
enum sim_status { SIM_OK = 200, SIM_MOVED = 307, SIM_AWAY = 503 };
struct sim_request {
    struct rm_event ev; /* specs: none; made by the RM from the job's text */
    bool outputs;       /* instead: the list of map outputs of @job */
    bool state;         /* instead: whether it leads */
    int job;
    const char *failed; /* X-Creel-Failed: whom the node has just failed to reach, NULL: nobody */
};
struct sim_answer {
    enum sim_status status;
    int rm; /* MOVED: where to */
    const struct rm_effect *fx;
    int64_t epoch, made_us; /* of the RM that answers; when */
    const struct rm_map_output_view *outputs;
    size_t outputs_n;
    bool found;
    const char *state; /* "active", "initializing", "standby" */
};

/* Asks the RMs one after the other until one answers; as the CLI, tasks and masters do. */
struct sim_asker {
    struct sim_world *w;
    struct sim_proc *proc;
    void (*fn)(void *user, const struct sim_answer *a);
    void *user;
    struct sim_request *rq;
    int64_t pause_us;
    uint64_t gen;
    int at, hops;
};
void sim_ask(struct sim_asker *a, struct sim_request *rq);

/* ---------------------------------------------------------------- work */
struct sim_attempt { /* one process that did, or tried, a task: the witness's line */
    struct base_container_id id;
    int32_t attempt;
    int node;
    int64_t epoch;
    struct sim_box *box;
    bool granted, renamed, late; /* late: another RM had been elected by then */
};
struct sim_task {
    struct sim_attempt v[W_ATTEMPTS];
    int n, renames;
    const struct sim_attempt
        *part; /* shared_parts: whose part lies at its last place; NULL: none */
};
struct sim_job {
    int index;
    struct base_app_id id;
    char *text; /* submission in the form that the store keeps */
    int hosts;  /* input splits name so many nodes; 0: none */
    bool is_app, output, failing;
    bool late_nodes; /* its master has registered again before they had told what they run */
    int tasks_n[BASE_TASK_KINDS];
    int64_t submit_us, kill_us, move_us; /* 0: never killed, never moved to another queue */
    int64_t work_us;                     /* of a task, about */
    struct sim_asker submit, kill, move;
    bool asked, acked, kill_asked, kill_acked, move_over, move_acked;
    enum rm_app_state kill_state; /* as acknowledged */
    int64_t acked_epoch, kill_epoch, kill_acked_us, move_epoch;
    struct sim_task *tasks[BASE_TASK_KINDS];
    bool folder, temporary, success; /* its output on the shared file system */
    int commits;
};

enum sim_phase { BOX_FETCHES, BOX_WORKS, BOX_COMMITS, BOX_MASTER, BOX_DONE };
struct sim_box { /* a container's process; outlives NodeManagers */
    struct sim_world *w;
    struct sim_proc proc;
    struct sim_nm *nm;
    struct base_container_id id;
    struct sim_job *job;
    struct sim_task *task; /* NULL: of a plain application */
    struct sim_attempt *line;
    enum base_task_kind slot;
    int32_t index, attempt;
    bool master, ended, terminating;
    bool ordered_to_stop; /* by anybody who may */
    int exit_code;
    enum sim_phase phase;
    int64_t work_left_us, since_us, born_us;
    uint64_t gen;
    struct sim_asker ask;
    /* a reduce */
    int32_t fetched_n;
    bool fetched[W_TASKS];
    struct {
        int32_t attempt;
        int node;
        struct base_container_id id;
        bool known;
        int tries;
    } source[W_TASKS];
    /* a master */
    bool registered, finishing;
    bool ask_due;    /* counts are absolute: they are said once */
    bool asked_more; /* for one that failed; others may have been given meanwhile, of which it had
                        not heard */
    int64_t response_id;
    int wanted, outstanding, done;
    struct base_container_id seen[64];
    int seen_n;
};

/* ---------------------------------------------------------------- nodes */
struct sim_disk_box { /* a container's folder */
    struct base_container_id id;
    struct nm_launch launch;
    bool killed, suspended, ended, forgotten, cleaned;
    const char *reason;
    struct nm_end end;
    struct sim_box *box; /* NULL: never started */
    bool kill_ordered, suspend_ordered;
};
struct sim_nm {
    struct sim_world *w;
    int index;
    struct sim_proc proc;
    struct nm_core *core;
    struct nm_effects fx;
    char node_id[32], host[32], instance[32], boot[32];
    int instances, boots;
    int64_t wall_us; /* offset of its wall clock */
    int32_t slots[BASE_TASK_KINDS];
    /* disk */
    int64_t epoch_saved;
    bool full;
    struct sim_disk_box **boxes;
    size_t boxes_n, boxes_cap;
    /* link */
    struct nm_rm_search search;
    size_t look_at;       /* place in the list of the next one to be asked in a look */
    const char *look_url; /* the one that is asked */
    int64_t look_least;
    uint64_t beat;
    uint64_t timer;
    bool gone; /* for good */
    /* the witness */
    int64_t highest; /* epoch that any NodeManager here has seen */
    bool was_full;
    bool given_up; /* an RM has declared it lost */
    int64_t refused;
    struct sim_pending *pending, **pending_last;
};

/* ---------------------------------------------------------------- the world */
enum sim_fault {
    F_RM_KILL,
    F_RM_PAUSE,
    F_RM_PAUSE_OUT,
    F_RM_RESIGN,
    F_RM_NEXT_KILL,
    F_RM_NEXT_PAUSE,
    F_NM_KILL,
    F_NM_PAUSE,
    F_NM_LOST,
    F_NM_REBOOT,
    F_NM_COMMITS, /* not drawn: sim_faults_granted() */
    F_CUT_RM_ZK,
    F_CUT_RM_ZK_IN,
    F_CUT_RM_ZK_OUT,
    F_CUT_RM_NM,
    F_CUT_RM_NM_IN,
    F_CUT_RM_NM_OUT,
    F_CUT_RM_CLIENT,
    F_CUT_RM_ALL,
    F_TWO,
    F_SLOW,
    F_CLOCK,
    F_DISK,
    F_ZK_KILL,
    F_ZK_LEADER,
    F_ZK_QUORUM,
    F_ZK_ISOLATE,
    F_ZK_LAG,
    F_KINDS
};
extern const char *const sim_fault_names[F_KINDS];
struct sim_options {
    bool log;
    struct sim_breaks breaks;
};
struct sim_totals { /* over runs */
    int64_t faults[F_KINDS];
    int64_t runs, takeovers, launches, acks, kills, moves, refused_orders, refused_writes,
        late_answers, abandoned, virtual_us, events, commits, jobs, lease_off_runs;
};
struct sim_world {
    struct sim s;
    struct sim_net net;
    struct sim_zk zk;
    struct sim_breaks breaks;
    struct sim_rm *rm[W_RMS];
    struct base_rm_list list; /* their addresses */
    int rms;
    struct sim_nm nm[W_NMS];
    int nms;
    struct sim_proc client;
    struct sim_job job[W_JOBS];
    int jobs, apps;
    const char *policy;
    bool lease_off, serial_store, prune, small_log;
    int64_t grace_us;
    int64_t session_us, heartbeat_us, expiry_us, faults_until_us;
    bool committer_cut; /* once is enough */
    int32_t attempts_max;
    bool calm;         /* no faults any more */
    int64_t leader_us; /* since when somebody has led */
    int64_t epoch_max; /* of all that were elected */
    bool taken[W_EPOCHS];
    struct sim_box *boxes[4096];
    int boxes_n;
    struct sim_totals *totals;
    int next_kill, next_pause; /* who is elected next meets it */
    /* the checker */
    int idle[W_NMS][BASE_TASK_KINDS], odd[W_NMS]; /* checks in a row */
    struct base_container_id odd_id[W_NMS];
};

/* One world from its seed to its rest. False: something that must hold did not; the failure's text
 * in @failure. */
bool sim_world_run(uint64_t seed, const struct sim_options *o, struct sim_totals *t,
                   char failure[1024], uint64_t *fingerprint);

struct sim_job *sim_job_of(struct sim_world *w, struct base_app_id id); /* NULL: none of ours */
/* The submission of @j, decoded; the caller's reference. */
struct rm_job_spec *sim_job_spec(const struct sim_job *j);
struct rm_app_spec *sim_app_spec(const struct sim_job *j);

/* ---- sim_clients.c ---- */
void sim_jobs_make(struct sim_world *w);
/* ---- sim_faults.c ---- */
void sim_faults_plan(struct sim_world *w);
void sim_faults_elected(struct sim_world *w, int rm); /* may hit who has just been elected */
/* A task on @nm may commit from now on: its host may be cut off for so long that the node is given
 * up while it does. The time in which it will have committed. */
int64_t sim_faults_granted(struct sim_world *w, struct sim_nm *nm);
void sim_faults_end(struct sim_world *w);

/* ---- sim_check.c ---- */
void sim_check_activated(struct sim_world *w, struct sim_rm *rm);
void sim_check_launch(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o,
                      const struct sim_answer *a);
void sim_check_slots(struct sim_world *w, struct sim_nm *nm);
void sim_check_order(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o);
void sim_check_granted(struct sim_world *w, struct sim_box *box);
void sim_check_registered(struct sim_world *w, struct sim_rm *rm, struct base_app_id app);
void sim_check_finishes(struct sim_world *w, struct sim_box *master);
bool sim_check_rest(struct sim_world *w);  /* everything has come to rest */
void sim_check_quiet(struct sim_world *w); /* now and then, when there are no faults */
void sim_check_end(struct sim_world *w);

#endif
