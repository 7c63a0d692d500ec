/* base/limits.h - bounds that several parts of Creel share. */
#ifndef CREEL_BASE_LIMITS_H
#define CREEL_BASE_LIMITS_H

#define BASE_NAME_MAX        1024         /* bytes of a job, queue, user or host name */
#define BASE_ACL_MAX         (16 * 1024)  /* one access control list of an application */
#define BASE_COMMAND_MAX     (128 * 1024) /* one command line */
#define BASE_DIAGNOSTICS_MAX (64 * 1024)
#define BASE_TASKS_MAX       1000000 /* tasks of one kind in one job */
#define BASE_NODE_SLOTS_MAX  10000   /* slots of one kind on one node */
#define BASE_TASK_SLOTS_MAX  1000    /* slots that each task of one job takes */
#define BASE_INPUTS_MAX      10000   /* input patterns of one job */
#define BASE_ENV_MAX         1000    /* environment entries of one job */
#define BASE_SERVICE_MAX     8192    /* a container's data for one service, as base64 */
#define BASE_HOSTS_MAX       10      /* preferred hosts of one task */
#define BASE_ATTEMPTS_MAX    100     /* max-attempts of one task */
#define BASE_ASK_MAX         10000   /* containers in one request (ask) of an application master */
/* bytes of a request body, unless the route has its own limit */
#define BASE_BODY_MAX       (8 << 20)
#define BASE_JSON_DEPTH_MAX 64
#define BASE_RECORD_MAX     (64 << 20) /* bytes of one record of the state store */
/* bytes of a stored submission; the record that contains the submission is larger */
#define BASE_SUBMISSION_MAX (32 << 20)
#define BASE_VIEW_CHUNK     200 /* applications copied each time the core's lock is taken */

#endif
