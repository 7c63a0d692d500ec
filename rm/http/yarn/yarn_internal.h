/* rm/http/yarn/yarn_internal.h - what the files of YARN's REST share. Only they include it.
 *
 * Reads copy views while they hold the core, and encode after releasing it (rm/core/view/view.h);
 * writes are posted as events and answered from the reply (rm/daemon/backend.h). */
#ifndef CREEL_RM_HTTP_YARN_YARN_INTERNAL_H
#define CREEL_RM_HTTP_YARN_YARN_INTERNAL_H

#include "api/server/server.h"
#include "api/yarn/resources.h"
#include "rm/daemon/backend.h"
#include "rm/http/routes.h"

#define YARN_CLUSTER        "/ws/v1/cluster"
#define YARN_APPS           YARN_CLUSTER "/apps"
#define YARN_STATE_BODY_MAX (64 * 1024) /* most bytes of a body that changes one member */

/* ---- the context of every answer: filled once per request, freed with yarn_frame_free() ---- */
struct yarn_frame {
    const char *url;        /* address of this RM */
    const char *cluster_id; /* configured, NULL when unset */
    bool fair;              /* shown as the fair scheduler; otherwise as fifo */
    bool show_slots;        /* creel.yarn.show-slots */
    int64_t now_ms;
    struct rm_cluster_view cluster;
    struct rm_views queues; /* fair only */
    struct yarn_limits limits;
};
void yarn_frame_fill_from_backend(struct rm_backend *b, struct yarn_frame *f);
/* Fills the frame from parts, without a daemon; for tests. Takes @queues. */
void yarn_frame_set_views(struct yarn_frame *f, const struct rm_cluster_view *cluster,
                          struct rm_views *queues);
void yarn_frame_free(struct yarn_frame *f);
bool yarn_looks_fair(const char *policy); /* every policy but fifo has a tree of queues to show */

/* ---- filling (rm/http/yarn/fill.c): a room holds one resource and the texts made for it ---- */
void yarn_resource_fill(const struct yarn_frame *f, struct yarn_resource *r,
                        const struct rm_res *from);

struct yarn_app_room {
    struct yarn_app app;
    char id[BASE_ID_TEXT_MAX], memory_seconds[24], vcore_seconds[24];
    struct base_buf queue, url, logs, rpc;
    struct api_pair seconds[2];
    struct yarn_request request;
};
/* @room starts zeroed and may be filled again; free it with yarn_app_room_free() in the end. @v
 * must outlive the encoding. */
void yarn_app_fill(const struct yarn_frame *f, const struct rm_app_view *v,
                   struct yarn_app_room *room);
void yarn_app_room_free(struct yarn_app_room *room);
/* Returns the application's queue as the scheduler shows it; valid as long as @v and @room. */
const char *yarn_get_shown_queue(const struct yarn_frame *f, const struct rm_app_view *v,
                                 struct base_buf *room);
/* formats it as the fair scheduler does; overwrites @out */
void yarn_format_queue_path(const char *queue, struct base_buf *out);
/* Tells whether the application is in queue @name, as the scheduler resolves names. */
bool yarn_app_in_queue(const struct yarn_frame *f, const struct rm_app_view *v, const char *name);

struct yarn_attempt_room {
    struct yarn_attempt item;
    struct yarn_attempt_info info;
    char attempt_id[BASE_ID_TEXT_MAX], container_id[BASE_ID_TEXT_MAX];
    struct base_buf logs, url;
};
void yarn_attempt_fill(const struct yarn_frame *f, const struct rm_attempt_view *v,
                       struct yarn_attempt_room *room);
void yarn_attempt_room_free(struct yarn_attempt_room *room);

struct yarn_container_room {
    struct yarn_container container;
    char id[BASE_ID_TEXT_MAX], memory[24], vcores[24];
    struct base_buf logs, http;
    struct api_pair resources[2 + BASE_TASK_KINDS];
};
void yarn_container_fill(const struct yarn_frame *f, const struct rm_container_view *v,
                         struct yarn_container_room *room);
void yarn_container_room_free(struct yarn_container_room *room);

void yarn_node_fill(const struct yarn_frame *f, const struct rm_node_view *v,
                    struct yarn_node *out);
void yarn_metrics_fill(const struct yarn_frame *f, struct yarn_cluster_metrics *out);
void yarn_fifo_fill(const struct yarn_frame *f, struct yarn_fifo_scheduler *out);

struct yarn_fair_tree { /* yarn_fair_fill allocates, yarn_fair_free frees */
    struct yarn_fair_scheduler scheduler;
    struct yarn_fair_queue *queues;
    struct yarn_fair_children *children;
    struct api_any *any;
};
void yarn_fair_fill(const struct yarn_frame *f, struct yarn_fair_tree *out);
void yarn_fair_free(struct yarn_fair_tree *t);

/* ---- answering ---- */
void yarn_answer(struct api_request *rq, unsigned status, const struct api_shape *shape,
                 enum api_dialect json, const void *view);
static inline enum api_dialect yarn_dialect(const struct api_request *rq, enum api_dialect json)
{
    return api_want(rq) == API_XML ? API_XML_DOC : json;
}
/* Answer 400 BadRequestException and 404 NotFoundException, with the inner class in front of the
 * message (1.9). */
#define yarn_bad_request(rq, fmt, ...)                                                             \
    api_answer_error(rq, 400, "BadRequestException",                                               \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
#define yarn_not_found(rq, fmt, ...)                                                               \
    api_answer_error(rq, 404, "NotFoundException",                                                 \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
/* Parse ids in the path; false: the error was answered. */
bool yarn_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out);
bool yarn_parse_attempt_id_arg(struct api_request *rq, unsigned i, struct base_attempt_id *out);
bool yarn_parse_container_id_arg(struct api_request *rq, unsigned i, struct base_container_id *out);
void yarn_answer_app_not_found(struct api_request *rq); /* names the id in path argument 0 */
/* Copies the application in path argument 0 to @v. Returns true when v->apps[0] is the application;
 * otherwise the error was answered. Free @v in any case. */
bool yarn_copy_app_view(struct api_request *rq, struct rm_backend *b, struct rm_views *v);
/* Parses a value in the form of Java's Long.parseLong(). */
bool yarn_parse_long(const char *text, int64_t *out);
/* The non-empty, trimmed parts of comma lists. */
struct yarn_words {
    char **v;
    size_t n;
};
void yarn_words_add_from_query(const struct api_request *rq, const char *name,
                               struct yarn_words *out); /* appends */
void yarn_words_free(struct yarn_words *w);
/* Parses the public application states in @w into a bit set (0: none named); false: the error was
 * answered. */
bool yarn_parse_states(struct api_request *rq, const struct yarn_words *w, uint32_t *out);
extern const enum rm_app_state yarn_public_states[];
extern const size_t yarn_public_states_n;

/* ---- deSelects (2.6) ---- */
struct yarn_deselects {
    bool requests, timeouts, app_label, am_label, resource_info;
    char *unknown; /* first unknown word */
};
void yarn_deselects_read(const struct api_request *rq, struct yarn_deselects *d);
/* answers and returns true when there was an unknown word */
bool yarn_deselects_refuse_unknown(struct api_request *rq, const struct yarn_deselects *d);
void yarn_deselects_apply(const struct yarn_deselects *d, struct yarn_app *app);
void yarn_deselects_free(struct yarn_deselects *d);

#endif
