/* nodemanager/http/answer.h - what several handlers of the NodeManager need to answer.
 *
 * Handlers run on HTTP threads: they copy what they show of the core under nm->lock, and encode the
 * copy after releasing it. Resources that YARN has too are answered as by its NodeManager;
 * tests/interop/yarn has recordings. */
#ifndef CREEL_NODEMANAGER_HTTP_ANSWER_H
#define CREEL_NODEMANAGER_HTTP_ANSWER_H

#include "api/server/server.h"
#include "api/yarn/node_manager.h"
#include "nodemanager/daemon/daemon.h"

#define NM_NODE "/ws/v1/node"

/* Answers 200 with the document of @view: as XML if the client prefers that, else in dialect
 * @json. */
void nm_answer_resource(struct api_request *rq, const struct api_shape *shape,
                        enum api_dialect json, const void *view);
/* Answers with a text without markup. */
void nm_answer_text(struct api_request *rq, unsigned status, const char *text);
/* Answer 400 BadRequestException and 404 NotFoundException, with YARN's inner class in front of the
 * message. */
#define nm_bad_request(rq, fmt, ...)                                                               \
    api_answer_error(rq, 400, "BadRequestException",                                               \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
#define nm_not_found(rq, fmt, ...)                                                                 \
    api_answer_error(rq, 404, "NotFoundException",                                                 \
                     "java.lang.Exception: " fmt __VA_OPT__(, ) __VA_ARGS__)
/* Parses the application id in path argument @i. Returns false when it is not valid; @rq has then
 * been answered. */
bool nm_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out);
/* Adds a header with this node's id to the answer (BASE_HTTP_NODE_HEADER). */
void nm_add_node_header(struct api_request *rq, const struct nm *nm);
/* Returns the address under which the client has reached this node ("host:8042"). Borrowed from
 * @rq and @nm. */
const char *nm_host_header_or_node_id(const struct api_request *rq, const struct nm *nm);

/* ---- what several resources and pages show ---- */
/* Return the resources that the node is configured to offer: the sum over its slots. */
int64_t nm_configured_memory_mb(const struct nm *nm);
int64_t nm_configured_vcores(const struct nm *nm);
/* Return the resources that the node offers to containers: what an operator has given it with a
 * node resource update, otherwise what is configured. */
int64_t nm_offered_memory_mb(const struct nm *nm);
int64_t nm_offered_vcores(const struct nm *nm);
/* Return YARN's names of the states. */
const char *nm_app_state_name(const struct nm_app_view *v);
const char *nm_container_state_name(enum nm_state state);

/* Numbers of map outputs that reduces got or were refused since the start. */
struct nm_map_output_counts {
    int64_t served, bytes, failed;
};
void nm_map_output_get_counts(struct nm_map_output_counts *out);

#endif
