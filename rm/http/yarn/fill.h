/* rm/http/yarn/fill.h - YARN's resources, filled from views of the core: what an application, an
 * attempt, a container, a node or the cluster looks like to YARN's clients, whatever form the
 * answer has (JSON and XML in this folder, Hadoop RPC in rm/rpc/). */
#ifndef CREEL_RM_HTTP_YARN_FILL_H
#define CREEL_RM_HTTP_YARN_FILL_H

#include "api/yarn/resources.h"
#include "rm/config/scheduler_shape.h"
#include "rm/daemon/backend.h"
#include "rm/http/yarn/app/java_time.h"
#include "rm/http/yarn/queue_part.h"

/* ---- the context of an answer (rm/http/yarn/frame.c): what YARN shows of the cluster besides the
 * resource itself. Read once per request, freed with yarn_context_free() ---- */
struct yarn_context {
    const char *url;        /* address of this RM */
    const char *cluster_id; /* configured, NULL when unset */
    enum rm_shape shape;
    bool show_slots; /* creel.yarn.show-slots */
    bool aggregates; /* yarn.log-aggregation-enable */
    bool job_acls;   /* mapreduce.cluster.acls.enabled */
    int64_t now_ms;
    struct rm_cluster_view cluster;
    struct rm_views queues;        /* empty unless they were asked for, and always for fifo */
    struct yarn_queue_part *parts; /* of each of the queues; capacity only, else NULL */
    struct yarn_limits limits;
};
/* Reads all but the queues. */
void yarn_context_read(struct rm_backend *b, struct yarn_context *f);
/* Reads the queues too, which applications and the scheduler show. */
void yarn_context_read_with_queues(struct rm_backend *b, struct yarn_context *f);
/* Fills the context, whose shape is set, from views alone, so that tests need no daemon. Moves what
 * *@queues owns into the context (NULL: no queues). */
void yarn_context_set_views(struct yarn_context *f, const struct rm_cluster_view *cluster,
                            struct rm_views *queues);
void yarn_context_free(struct yarn_context *f);

/* ---- filling (rm/http/yarn/fill.c): a resource, from a view of the core, and the texts that the
 * resource borrows and no view has ---- */
void yarn_resource_fill(const struct yarn_context *f, struct yarn_resource *r,
                        const struct rm_res *from);
/* Fills use, reservations (none) and demand in the default partition; masters are left out. */
void yarn_partition_usage_fill(const struct yarn_context *f, struct yarn_partition_usage *u,
                               const struct rm_res *used, const struct rm_res *pending);
/* Adds the masters: what they use, and their limit in the queue and for one user. Call after
 * yarn_partition_usage_fill(), which leaves them out. */
void yarn_partition_usage_fill_masters(const struct yarn_context *f, struct yarn_partition_usage *u,
                                       const struct rm_res *used, const struct rm_res *limit,
                                       const struct rm_res *user_limit);

struct yarn_seconds { /* resources times seconds, as a map */
    char memory[24], vcores[24];
    struct api_pair pairs[2];
};
struct yarn_app_and_texts {
    struct yarn_app app;
    char id[BASE_ID_TEXT_MAX];
    struct base_buf queue, url, logs, rpc, wait;
    struct yarn_seconds seconds, preempted_seconds;
    struct yarn_request request;
    struct yarn_usages usages;
    struct yarn_partition_usage usage;
    struct yarn_timeout timeout;
    struct yarn_timeouts timeouts;
    char expiry[YARN_JAVA_TIME_MAX];
};
/* Fills filled->app. @filled starts zeroed and may be filled again; free it with
 * yarn_app_texts_free() in the end. @v must outlive the encoding. */
void yarn_app_fill(const struct yarn_context *f, const struct rm_app_view *v,
                   struct yarn_app_and_texts *filled);
void yarn_app_texts_free(struct yarn_app_and_texts *filled);
/* Clears the members that YARN shows only to users who may see the application. */
void yarn_app_hide_details(struct yarn_app *app);
/* Returns the application's queue as the scheduler shows it; valid as long as @v and @path. */
const char *yarn_get_shown_queue(const struct yarn_context *f, const struct rm_app_view *v,
                                 struct base_buf *path);
/* Returns true when the scheduler, as shown, has priorities of applications. */
bool yarn_has_priorities(const struct yarn_context *f);
/* Returns the application's priority as the scheduler shows it. */
int32_t yarn_get_shown_priority(const struct yarn_context *f, const struct rm_app_view *v);
/* Returns true for an application that YARN counts as completed: it has ended, or its end has
 * begun. */
bool yarn_app_is_ending_or_ended(enum rm_app_state s);
/* Fills the timeout of an application whose lifetime ends at @end_us (0: never). @ended: it is
 * completed. @text: for the text that *@t borrows. */
void yarn_timeout_fill(int64_t end_us, bool ended, int64_t now_ms, struct yarn_timeout *t,
                       char text[static YARN_JAVA_TIME_MAX]);
/* Formats a queue's path from root on; overwrites @out. */
void yarn_format_queue_path(const char *queue, struct base_buf *out);
/* Returns true when the application is in queue @name; except in the fifo shape, "a" means
 * "root.a". */
bool yarn_app_in_queue(const struct yarn_context *f, const struct rm_app_view *v, const char *name);

/* Returns the resources requested for the application's master, at least the smallest possible
 * allocation. */
struct rm_res yarn_get_master_request(const struct yarn_context *f, const struct rm_app_view *v);
#define YARN_WAITS_FOR_REGISTRATION                                                                \
    "AM container is launched, waiting for AM container to Register with RM"
/* Returns what an accepted application waits for before its master registers, as the scheduler
 * explains it: static text, or *@out; NULL when the application does not wait, or the scheduler
 * gives no explanation. @queue: the queue's path. The context needs queues. */
const char *yarn_explain_waiting(const struct yarn_context *f, const struct rm_app_view *v,
                                 const char *queue, struct base_buf *out);

struct yarn_attempt_and_texts {
    struct yarn_attempt item;
    struct yarn_attempt_info info;
    char attempt_id[BASE_ID_TEXT_MAX], container_id[BASE_ID_TEXT_MAX];
    struct base_buf logs, url, wait;
};
void yarn_attempt_fill(const struct yarn_context *f, const struct rm_attempt_view *v,
                       struct yarn_attempt_and_texts *filled);
/* Explains what an attempt without a registered master waits for. @filled is that of the newest
 * attempt of @app. The context needs queues. */
void yarn_attempt_explain_waiting(const struct yarn_context *f, const struct rm_app_view *app,
                                  struct yarn_attempt_and_texts *filled);
/* Clears the members that YARN shows only to users who may see the application; for the list of
 * attempts. */
void yarn_attempt_hide_details(struct yarn_attempt *attempt);
void yarn_attempt_texts_free(struct yarn_attempt_and_texts *filled);

struct yarn_container_and_texts {
    struct yarn_container container;
    char id[BASE_ID_TEXT_MAX], memory[24], vcores[24];
    struct base_buf logs, http;
    struct api_pair resources[2 + BASE_TASK_KINDS];
};
void yarn_container_fill(const struct yarn_context *f, const struct rm_container_view *v,
                         struct yarn_container_and_texts *filled);
void yarn_container_texts_free(struct yarn_container_and_texts *filled);

void yarn_node_fill(const struct yarn_context *f, const struct rm_node_view *v,
                    struct yarn_node *out);
/* Opaque to clients; a real time would make builds differ. */
#define YARN_BUILT_ON         "2026-01-01T00:00Z"
#define YARN_HADOOP_BUILD_MAX 128
/* Formats the build of the Hadoop version @hadoop (creel.yarn.hadoop-version) that Creel shows. */
void yarn_format_hadoop_build(const char *hadoop, char out[static YARN_HADOOP_BUILD_MAX]);
void yarn_metrics_fill(const struct yarn_context *f, struct yarn_cluster_metrics *out);

#endif
