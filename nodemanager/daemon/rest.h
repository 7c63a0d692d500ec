/* nodemanager/daemon/rest.h - the NodeManager's HTTP surface, one handler per route of the table in
 * nodemanager/daemon/rest.c. */
#ifndef CREEL_NODEMANAGER_DAEMON_REST_H
#define CREEL_NODEMANAGER_DAEMON_REST_H

#include "api/server/server.h"
#include "nodemanager/daemon/daemon.h"

#define NM_LOG_FILES_MAX 1000 /* maximum number of files listed per container */

/* A plain file in a container's log folder; lists of them are sorted by name. */
struct nm_log_file {
    char name[256];
    int64_t size, mtime_s;
};
struct nm_log_list {
    struct nm_log_file *v;
    size_t len, cap;
};
/* Returns false if the container has no log folder. The caller frees out->v. */
bool nm_logs_list_files(const struct nm_files *f, const struct base_container_id *id,
                        struct nm_log_list *out);
/* Whether a container's application is known and the container alive, and the user who owns its
 * logs. */
struct nm_log_owner {
    bool known_app, alive;
    char user[256];
};
void nm_log_find_owner(struct nm *nm, const struct base_container_id *id, struct nm_log_owner *out);

/* Adds a header with this node's id to the answer (BASE_HTTP_NODE_HEADER). */
void nm_rest_add_node_header(struct api_request *rq, const struct nm *nm);
void nm_get_logs(struct api_request *rq, void *user); /* nodemanager/container/logs.c */
void nm_get_log(struct api_request *rq, void *user);
void nm_get_raw_log(struct api_request *rq, void *user);
void nm_get_page_logs(struct api_request *rq, void *user);
void nm_get_page_log(struct api_request *rq, void *user);
void nm_get_map_output(struct api_request *rq, void *user); /* nodemanager/daemon/shuffle.c */
void nm_get_rm(struct api_request *rq, void *user);         /* nodemanager/daemon/rest_rm.c */
void nm_get_metrics(struct api_request *rq, void *user);

#endif
