/* base/order_kind.h - the orders of a ResourceManager to a NodeManager, and what they name.
 *
 *   LAUNCH       start a container
 *   KILL         end a container: SIGTERM, then SIGKILL after a grace period
 *   SUSPEND      stop a container's processes
 *   RESUME       let a suspended container's processes continue
 *   SIGNAL       send a signal to a container's processes, on a user's behalf
 *   FORGET       the RM has stored the container's end durably: stop reporting it
 *   CLEANUP_APP  the application has ended: end its containers and remove its folders
 *   RESYNC       the RM does not know the node: register again, with all containers
 *   SHUTDOWN     end all containers, then exit
 *
 * Their names on the wire are in api/wire/order.h. */
#ifndef CREEL_BASE_ORDER_KIND_H
#define CREEL_BASE_ORDER_KIND_H

#include <stdbool.h>
#include <stdint.h>

enum base_order_kind {
    BASE_ORDER_LAUNCH,
    BASE_ORDER_KILL,
    BASE_ORDER_SUSPEND,
    BASE_ORDER_RESUME,
    BASE_ORDER_SIGNAL,
    BASE_ORDER_FORGET,
    BASE_ORDER_CLEANUP_APP,
    BASE_ORDER_RESYNC,
    BASE_ORDER_SHUTDOWN,
    BASE_ORDER_KINDS
};

/* What a SIGNAL order sends: YARN's SignalContainerCommand. */
enum base_signal_command {
    BASE_SIGNAL_OUTPUT_THREAD_DUMP, /* SIGQUIT, only to processes that handle it */
    BASE_SIGNAL_GRACEFUL_SHUTDOWN,  /* SIGTERM */
    BASE_SIGNAL_FORCEFUL_SHUTDOWN,  /* SIGKILL */
    BASE_SIGNAL_COMMANDS
};

/* What a LAUNCH starts: a command, a job's map or reduce, an application's master, or a step of a
 * job. */
enum base_container_kind {
    BASE_CONTAINER_COMMAND,
    BASE_CONTAINER_MAP,
    BASE_CONTAINER_REDUCE,
    BASE_CONTAINER_MASTER,
    BASE_CONTAINER_SETUP,
    BASE_CONTAINER_COMMIT,
    BASE_CONTAINER_ABORT
};

/* The steps, besides its tasks, in which a job with an output folder touches its user's files:
 *
 *   SETUP   find and split the input, make the output folder
 *   COMMIT  move the parts to their places, write _SUCCESS
 *   ABORT   remove the unfinished output of a job that has failed or was killed */
enum base_job_step {
    BASE_STEP_NONE,
    BASE_STEP_SETUP,
    BASE_STEP_COMMIT,
    BASE_STEP_ABORT,
    BASE_STEPS
};

/* Returns the kind of container in which a step runs, other than BASE_STEP_NONE. */
static inline enum base_container_kind base_container_kind_of_step(enum base_job_step step)
{
    return (enum base_container_kind)((int)BASE_CONTAINER_SETUP + (int)step - (int)BASE_STEP_SETUP);
}

/* Returns the step that runs in containers of this kind; BASE_STEP_NONE: none does. */
static inline enum base_job_step base_job_step_of_kind(enum base_container_kind kind)
{
    return kind < BASE_CONTAINER_SETUP
               ? BASE_STEP_NONE
               : (enum base_job_step)((int)kind - (int)BASE_CONTAINER_SETUP + (int)BASE_STEP_SETUP);
}

/* Returns true when creel-task runs in the container, rather than a user's command. */
static inline bool base_container_runs_creel_task(enum base_container_kind kind)
{
    return kind == BASE_CONTAINER_MAP || kind == BASE_CONTAINER_REDUCE ||
           kind >= BASE_CONTAINER_SETUP;
}

/* How a local resource is put into the container's folder. */
enum base_resource_type {
    BASE_RESOURCE_FILE,
    BASE_RESOURCE_ARCHIVE, /* unpacked */
    BASE_RESOURCE_PATTERN, /* a jar: unpacked as far as a pattern says, and kept as it is, too */
};
/* Which containers share a copy on a node. */
enum base_resource_visibility {
    BASE_RESOURCE_PUBLIC,      /* everybody */
    BASE_RESOURCE_PRIVATE,     /* all applications of the user */
    BASE_RESOURCE_APPLICATION, /* the containers of one application */
};
/* A file that a container finds in its folder when it starts: YARN's LocalResource. */
struct base_local_resource {
    char *name; /* of the link in the container's folder; may have slashes */
    char *url;
    enum base_resource_type type;
    enum base_resource_visibility visibility;
    int64_t size;         /* bytes; 0 or less: not given */
    int64_t timestamp_ms; /* when the file was last changed, since 1970 */
    /* BASE_RESOURCE_PATTERN: what the names of the members to be unpacked match, in Java's syntax;
     * NULL: all are */
    char *pattern;
};

#endif
