/* rm/http/yarn/yarn_internal.h - what the files of YARN's REST API in this folder share.
 *
 * Handlers that read copy views while they hold the core, and encode them after releasing it
 * (rm/core/view/view.h); handlers that write post an event and answer from the core's reply
 * (rm/daemon/backend.h). */
#ifndef CREEL_RM_HTTP_YARN_YARN_INTERNAL_H
#define CREEL_RM_HTTP_YARN_YARN_INTERNAL_H

#include "api/server/server.h"
#include "api/yarn/resources.h"
#include "rm/daemon/backend.h"
#include "rm/http/routes.h"

#define YARN_CLUSTER        "/ws/v1/cluster"
#define YARN_APPS           YARN_CLUSTER "/apps"
#define YARN_STATE_BODY_MAX (64 * 1024) /* most bytes of a body that changes one member */

/* ---- the context of an answer: what YARN shows of the cluster besides the resource itself. Read
 * once per request, freed with yarn_context_free() ---- */
struct yarn_context {
    const char *url;        /* address of this RM */
    const char *cluster_id; /* configured, NULL when unset */
    bool fair;              /* shown as the fair scheduler; otherwise as fifo */
    bool show_slots;        /* creel.yarn.show-slots */
    int64_t now_ms;
    struct rm_cluster_view cluster;
    struct rm_views queues; /* fair only */
    struct yarn_limits limits;
};
void yarn_context_read(struct rm_backend *b, struct yarn_context *f);
/* Fills the context from views alone; tests use it without a daemon. Moves what *@queues owns into
 * the context (NULL: no queues). */
void yarn_context_set_views(struct yarn_context *f, const struct rm_cluster_view *cluster,
                            struct rm_views *queues);
void yarn_context_free(struct yarn_context *f);
/* Returns true for every policy but fifo: these have a tree of queues, shown as the fair
 * scheduler's. */
bool yarn_policy_is_shown_as_fair(const char *policy);

/* ---- filling (rm/http/yarn/fill.c): a resource, from a view of the core, and the texts that the
 * resource borrows and no view has ---- */
void yarn_resource_fill(const struct yarn_context *f, struct yarn_resource *r,
                        const struct rm_res *from);

struct yarn_app_and_texts {
    struct yarn_app app;
    char id[BASE_ID_TEXT_MAX], memory_seconds[24], vcore_seconds[24];
    struct base_buf queue, url, logs, rpc;
    struct api_pair seconds[2];
    struct yarn_request request;
};
/* Fills filled->app. @filled starts zeroed and may be filled again; free it with
 * yarn_app_texts_free() in the end. @v must outlive the encoding. */
void yarn_app_fill(const struct yarn_context *f, const struct rm_app_view *v,
                   struct yarn_app_and_texts *filled);
void yarn_app_texts_free(struct yarn_app_and_texts *filled);
/* Returns the application's queue as the scheduler shows it; valid as long as @v and @path. */
const char *yarn_get_shown_queue(const struct yarn_context *f, const struct rm_app_view *v,
                                 struct base_buf *path);
/* Formats a queue's path as the fair scheduler does, from root on; overwrites @out. */
void yarn_format_queue_path(const char *queue, struct base_buf *out);
/* Returns true when the application is in queue @name; for the fair scheduler "a" is "root.a". */
bool yarn_app_in_queue(const struct yarn_context *f, const struct rm_app_view *v, const char *name);

struct yarn_attempt_and_texts {
    struct yarn_attempt item;
    struct yarn_attempt_info info;
    char attempt_id[BASE_ID_TEXT_MAX], container_id[BASE_ID_TEXT_MAX];
    struct base_buf logs, url;
};
void yarn_attempt_fill(const struct yarn_context *f, const struct rm_attempt_view *v,
                       struct yarn_attempt_and_texts *filled);
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
void yarn_metrics_fill(const struct yarn_context *f, struct yarn_cluster_metrics *out);
void yarn_fifo_fill(const struct yarn_context *f, struct yarn_fifo_scheduler *out);

struct yarn_fair_tree { /* allocated by yarn_fair_fill(), freed by yarn_fair_free() */
    struct yarn_fair_scheduler scheduler;
    struct yarn_fair_queue *queues;
    struct yarn_fair_children *children;
    struct api_any *any;
};
void yarn_fair_fill(const struct yarn_context *f, struct yarn_fair_tree *out);
void yarn_fair_free(struct yarn_fair_tree *t);

/* ---- answering ---- */
/* Answers with the document of @view: as XML if the client prefers that, else in the dialect @json.
 */
void yarn_answer(struct api_request *rq, unsigned status, const struct api_shape *shape,
                 enum api_dialect json, const void *view);
/* Returns the dialect of the answer to @rq: XML if the client prefers that, else @json. */
static inline enum api_dialect yarn_choose_dialect(const struct api_request *rq,
                                                   enum api_dialect json)
{
    return api_wanted_type(rq) == API_XML ? API_XML_DOC : json;
}
/* Answer 400 BadRequestException and 404 NotFoundException, with YARN's inner class in front of the
 * message. */
#define yarn_bad_request(rq, fmt, ...)                                                             \
    api_answer_error(rq, 400, "BadRequestException",                                               \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
#define yarn_not_found(rq, fmt, ...)                                                               \
    api_answer_error(rq, 404, "NotFoundException",                                                 \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
/* These parse the id in path argument @i. They return false when it is not valid; @rq has been
 * answered then. */
bool yarn_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out);
bool yarn_parse_attempt_id_arg(struct api_request *rq, unsigned i, struct base_attempt_id *out);
bool yarn_parse_container_id_arg(struct api_request *rq, unsigned i, struct base_container_id *out);
void yarn_answer_app_not_found(struct api_request *rq); /* names the id in path argument 0 */
/* Copies the application in path argument 0 to @v. Returns true when v->apps[0] is the application;
 * otherwise the error was answered. Free @v in any case. */
bool yarn_copy_app_view(struct api_request *rq, struct rm_backend *b, struct rm_views *v);
/* Parses a number as Java's Long.parseLong() does. Returns false when @text is not a number. */
bool yarn_parse_long(const char *text, int64_t *out);
/* The non-empty, trimmed parts of comma-separated lists. */
struct yarn_word_list {
    char **v;
    size_t n;
};
void yarn_word_list_add_from_query(const struct api_request *rq, const char *name,
                                   struct yarn_word_list *out); /* appends */
void yarn_word_list_free(struct yarn_word_list *w);
/* Parses the names of public application states in @w into a bit set; 0 when @w is empty. Returns
 * false when a name is unknown; @rq has been answered then. */
bool yarn_parse_states(struct api_request *rq, const struct yarn_word_list *w, uint32_t *out);
/* The states that YARN shows, in its order. */
extern const enum rm_app_state yarn_public_states[];
extern const size_t yarn_public_states_n;

/* ---- deSelects: members of applications that a client does not want ---- */
struct yarn_deselects {
    bool requests, timeouts, app_label, am_label, resource_info;
    char *unknown; /* first unknown word */
};
void yarn_deselects_read(const struct api_request *rq, struct yarn_deselects *d);
/* Returns true when @d names an unknown member; @rq has been answered then. */
bool yarn_deselects_refuse_unknown(struct api_request *rq, const struct yarn_deselects *d);
void yarn_deselects_apply(const struct yarn_deselects *d, struct yarn_app *app);
void yarn_deselects_free(struct yarn_deselects *d);

#endif
