/* rm/http/yarn/yarn_internal.h - what the files of YARN's REST API in this folder share.
 *
 * Handlers that read copy views while the core is locked, and encode them after unlocking it
 * (rm/core/view/view.h); handlers that write post an event and answer from the core's reply
 * (rm/daemon/backend.h). */
#ifndef CREEL_RM_HTTP_YARN_YARN_INTERNAL_H
#define CREEL_RM_HTTP_YARN_YARN_INTERNAL_H

#include "api/server/server.h"
#include "rm/http/routes.h"
#include "rm/http/yarn/fill.h"

#define YARN_CLUSTER        "/ws/v1/cluster"
#define YARN_APPS           YARN_CLUSTER "/apps"
#define YARN_STATE_BODY_MAX (64 * 1024) /* most bytes of a body that changes one member */

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
/* These parse the id in path argument @i. They return false when it is not valid; @rq has then been
 * answered. */
bool yarn_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out);
bool yarn_parse_attempt_id_arg(struct api_request *rq, unsigned i, struct base_attempt_id *out);
bool yarn_parse_container_id_arg(struct api_request *rq, unsigned i, struct base_container_id *out);
#define YARN_NODE_ID_MAX 512
/* Parses the id of a node ("host:port") in path argument 0; its port is written without leading
 * zeros. Returns false when it is not valid; @rq has then been answered. */
bool yarn_parse_node_id_arg(struct api_request *rq, char id[static YARN_NODE_ID_MAX]);
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
 * false when a name is unknown; @rq has then been answered. */
bool yarn_parse_app_states(struct api_request *rq, const struct yarn_word_list *w, uint32_t *out);
/* The states that YARN shows, in its order. */
extern const enum rm_app_state yarn_public_states[];
extern const size_t yarn_public_states_n;

/* ---- deSelects: members of applications that a client does not want ---- */
struct yarn_deselects {
    bool requests, timeouts, app_label, am_label, resource_info;
    char *unknown; /* first unknown word */
};
void yarn_deselects_read(const struct api_request *rq, struct yarn_deselects *d);
/* Returns true when @d names an unknown member; @rq has then been answered. */
bool yarn_deselects_answer_if_unknown(struct api_request *rq, const struct yarn_deselects *d);
void yarn_deselects_apply(const struct yarn_deselects *d, struct yarn_app *app);
void yarn_deselects_free(struct yarn_deselects *d);

#endif
