/* tests/sim/sim_world.h - a cluster in virtual time: a ZooKeeper ensemble, ResourceManagers,
 * NodeManagers with simulated processes and disks, clients, a shared file system, and a witness
 * that notes what really happens, for the checker.
 *
 * What is real: ha_election, ha_log, rm_core, the rules of a leadership and of nodes that wait on a
 * standby (rm/term/), the decoding of stored records (rm/leader/load_store.h), nm_core,
 * nm_rm_search. What is simulated: ZooKeeper, network, clocks, disks, processes, and the threads
 * that drive the rules. */
#ifndef CREEL_TESTS_SIM_WORLD_H
#define CREEL_TESTS_SIM_WORLD_H

#include "api/wire/order.h"
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
#define W_TASKS      24                     /* most tasks of one kind in a job */
#define W_SLOT_MB    2048                   /* memory of a slot of either kind */
#define W_ATTEMPTS   64                     /* most attempts of one task */
#define W_CLUSTER_TS INT64_C(1600000000000) /* of the ids that clients choose beforehand */
enum { HOST_ZK = 0, HOST_RM = 3, HOST_NM = 6, HOST_CLIENT = 11 };

struct sim_world;
struct sim_rm;
struct sim_nm;

/* What a test breaks on purpose, to see that the checker finds it. */
struct sim_breaks {
    bool log_check;      /* writes of the log are not fenced by the epoch */
    bool nm_epoch;       /* nodes obey any epoch */
    bool lease;          /* nothing checks the lease */
    bool ack_early;      /* changes are acknowledged before they are durable */
    bool forget_commits; /* recovery skips the records of commits */
    bool forget_tasks;   /* recovery skips the records of tasks */
    bool new_folder;     /* a restarted NodeManager knows none of its containers */
    bool no_wait; /* recovery skips the records of nodes, so that nothing waits for their reports */
    bool deaf_masters; /* masters ignore the containers in the answer to their registration */
    bool no_limit;     /* steps may take as long as they like */
    bool shared_parts; /* attempts move their part to its final place, and the job's commit takes
                          what is there */
};

/* ---------------------------------------------------------------- requests to an RM */
enum sim_status { SIM_OK = 200, SIM_MOVED = 307, SIM_AWAY = 503 };
struct sim_request {
    struct rm_event ev; /* without specs, which the RM makes from the job's text */
    bool outputs;       /* instead of @ev: asks for the map outputs of @job */
    bool state;         /* instead of @ev: asks whether the RM leads */
    int job;
    const char *failed; /* X-Creel-Failed: the RMs that have just failed the node; NULL: none */
};
struct sim_answer {
    enum sim_status status;
    int rm; /* SIM_MOVED: index of the RM to go to; -1: not known */
    const struct rm_effect *fx;
    int64_t epoch, made_us; /* epoch of the RM that answers; time of the answer */
    const struct rm_map_output_view *outputs;
    size_t outputs_n;
    const int32_t *parts; /* permission to commit a job: the attempts whose parts count */
    enum base_task_kind parts_kind;
    size_t parts_n;
    bool found;
    const char *state; /* "active", "initializing", "standby" */
};

/* Asks the RMs one after the other until one answers, as the CLI, tasks and masters do. */
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
struct sim_attempt { /* an attempt at a task, as the witness has noted it */
    struct base_container_id id;
    int32_t attempt;
    int node;
    int64_t epoch;
    struct sim_box *box;
    bool granted, renamed, late; /* late: started by an RM after another one had been elected */
};
struct sim_task {
    struct sim_attempt v[W_ATTEMPTS];
    int n, renames;
    const struct sim_attempt *part; /* the attempt whose part is at its final place; NULL: none */
};
struct sim_job {
    int index;
    struct base_app_id id;
    char *text; /* submission in the form that the store keeps */
    int hosts;  /* the input splits lie on this many nodes; 0: they name none */
    const char *user;
    bool is_app, output, failing;
    bool is_mapreduce; /* an application whose containers are maps to the core */
    bool hangs;        /* each attempt of its setup hangs until it is killed */
    int slow_aborts;   /* how many attempts of its abort will hang so, too */
    bool late_nodes;   /* its master registered while the RM still waited for reports of nodes */
    int tasks_n[BASE_TASK_KINDS];
    int slots;                           /* that each task takes */
    int64_t submit_us, kill_us, move_us; /* 0: never killed, never moved to another queue */
    int64_t work_us;                     /* approximate duration of a task */
    struct sim_asker submit, kill, move;
    bool asked, acked, kill_asked, kill_acked, move_over, move_acked;
    enum rm_app_state kill_state; /* in the acknowledgement of the kill */
    int64_t acked_epoch, kill_epoch, kill_acked_us, move_epoch;
    struct sim_task *tasks[BASE_TASK_KINDS];
    bool folder, temporary, success; /* its output on the shared file system */
    bool aborted;                    /* an abort has removed that output */
    bool late_folder; /* a setup has made it after that: one on a node that was given up */
    int commits;
    int step_launches[BASE_STEPS];
    bool refused_alone; /* a node refused a step when it was the only one */
    bool owed;          /* it has ended, and its output was still to be removed */
};

enum sim_phase { BOX_FETCHES, BOX_WORKS, BOX_COMMITS, BOX_MASTER, BOX_DONE };
struct sim_box { /* a container's process; outlives NodeManagers */
    struct sim_world *w;
    struct sim_proc proc;
    struct sim_nm *nm;
    struct base_container_id id;
    struct sim_job *job;
    struct sim_task *task; /* NULL: the process is of a plain application */
    struct sim_attempt *line;
    enum base_task_kind slot;
    int32_t index, attempt;
    enum base_job_step step; /* the step of the job that runs in it, if any */
    bool may_commit;         /* a commit step: it was allowed to move parts */
    enum base_task_kind parts_kind;
    int32_t parts[W_TASKS];
    size_t parts_n;
    bool master, ended, terminating;
    bool ordered_to_stop; /* an RM has ordered its end */
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
    bool ask_due;    /* an ask has to be sent; its count is absolute, so once is enough */
    bool asked_more; /* it asked for a container in place of a failed one, perhaps before it had
                        heard of others that were allocated */
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
    int32_t slots[BASE_TASK_KINDS], master_slots;
    /* disk */
    int64_t epoch_saved;
    bool full;
    struct sim_disk_box **boxes;
    size_t boxes_n, boxes_cap;
    /* link */
    struct nm_rm_search search;
    size_t look_at;       /* in a look around: index of the next RM to be asked */
    const char *look_url; /* the RM that is being asked */
    int64_t look_least;
    uint64_t beat;
    uint64_t timer;
    bool gone; /* the host has been lost for good */
    /* the witness */
    int64_t highest; /* highest epoch that any NodeManager on this host has accepted */
    bool was_full;
    bool given_up; /* an RM has given it up, or its host has lost power */
    bool refuses; /* steps fail here for a reason of this node: a file system is not mounted, say */
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
    F_NM_COMMITS, /* not drawn, but struck by sim_faults_granted() */
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
        late_answers, abandoned, virtual_us, events, commits, jobs, lease_off_runs, hung_steps,
        refused_steps, owed_aborts;
};
struct sim_world {
    struct sim s;
    struct sim_net net;
    struct sim_zk zk;
    struct sim_breaks breaks;
    struct sim_rm *rm[W_RMS];
    struct base_rm_list list; /* addresses of the RMs */
    int rms;
    struct sim_nm nm[W_NMS];
    int nms;
    struct sim_proc client;
    struct sim_job job[W_JOBS];
    int jobs, apps;
    const char *policy;
    bool lease_off, serial_store, prune, small_log;
    int64_t grace_us;
    int64_t session_us, heartbeat_us, expiry_us, faults_until_us, step_timeout_us;
    bool nodes_hurt;    /* faults have struck nodes, or the links between them and RMs */
    bool committer_cut; /* F_NM_COMMITS has struck; once is enough */
    int32_t attempts_max;
    bool calm;         /* there are no faults any more */
    int64_t leader_us; /* time of the last activation of an RM */
    int64_t epoch_max; /* highest epoch of any election */
    bool taken[W_EPOCHS];
    struct sim_box *boxes[4096];
    int boxes_n;
    struct sim_totals *totals;
    int next_kill, next_pause; /* how many of the next RMs elected are to be killed or paused */
    /* the checker */
    /* checks in a row that found this */
    int idle[W_NMS][BASE_TASK_KINDS], odd[W_NMS], free_place[W_NMS];
    int64_t absent_us[W_NMS]; /* when the node was last seen not registered with the leader */
    struct base_container_id odd_id[W_NMS];
};

/* Runs one world from its seed until it has come to rest, and adds to @t. Returns false when an
 * invariant was violated, with a description in @failure. @fingerprint, the same in every run of
 * the seed, may be NULL. */
bool sim_world_run(uint64_t seed, const struct sim_options *o, struct sim_totals *t,
                   char failure[1024], uint64_t *fingerprint);

struct sim_job *sim_job_of(struct sim_world *w,
                           struct base_app_id id); /* NULL: none of this world */
/* Returns the decoded submission of the job @j; the caller owns the reference. */
struct rm_job_spec *sim_job_spec(const struct sim_job *j); /* without splits */
/* Returns what the setup of the job reports; the caller frees it. */
struct rm_split_page *sim_job_splits(const struct sim_job *j);
/* Returns the decoded submission of the plain application @j; the caller owns the reference. */
struct rm_app_spec *sim_app_spec(const struct sim_job *j);

/* ---- sim_clients.c ---- */
void sim_jobs_make(struct sim_world *w);
/* ---- sim_faults.c ---- */
void sim_faults_plan(struct sim_world *w);
void sim_faults_elected(struct sim_world *w, int rm); /* may strike the RM just elected */
/* Call when a task on @nm has been allowed to commit. May cut the host off for so long that the
 * node is given up meanwhile. Returns the most time that the commit may take. */
int64_t sim_faults_granted(struct sim_world *w, struct sim_nm *nm);
void sim_faults_end(struct sim_world *w);

/* ---- sim_check.c ---- */
void sim_check_activated(struct sim_world *w, struct sim_rm *rm);
void sim_check_launch(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o,
                      const struct sim_answer *a);
void sim_check_slots(struct sim_world *w, struct sim_nm *nm);
void sim_check_order(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o);
void sim_check_granted(struct sim_world *w, struct sim_box *box);
/* As sim_check_granted(), but for the step that commits a job. */
void sim_check_job_granted(struct sim_world *w, struct sim_box *box);
void sim_check_registered(struct sim_world *w, struct sim_rm *rm, struct base_app_id app);
void sim_check_finishes(struct sim_world *w, struct sim_box *master);
bool sim_check_rest(struct sim_world *w);  /* true: everything has come to rest */
void sim_check_quiet(struct sim_world *w); /* call every second once there are no faults */
void sim_check_end(struct sim_world *w);

#endif
