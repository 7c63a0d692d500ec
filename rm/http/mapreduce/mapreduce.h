/* rm/http/mapreduce/mapreduce.h - MapReduce's REST API for Creel's own jobs. In YARN the
 * application master of a job serves it while the job runs, at /proxy/{appid}/ws/v1/mapreduce, and
 * the job history server serves it afterwards, at /ws/v1/history on a port of its own. A job of
 * Creel's has no master: the ResourceManager itself answers in place of both. SOURCE: Hadoop's
 * MapReduce REST APIs, and the recordings in tests/interop/yarn (mr, hs). */
#ifndef CREEL_RM_HTTP_MAPREDUCE_MAPREDUCE_H
#define CREEL_RM_HTTP_MAPREDUCE_MAPREDUCE_H

#include "api/server/server.h"
#include "rm/daemon/backend.h"

/* Answers in place of the master of @job, a job that is running. @path: the request's path after
 * /proxy/{appid}, as sent. Returns false, without an answer, when it leads to no resource below
 * /ws/v1/mapreduce. */
bool rm_mapreduce_answer_for_master(struct api_request *rq, struct rm_backend *b,
                                    const struct rm_app_view *job, const char *path);
/* Returns the URL of the page of an ended job on the history port, with the rest of the request's
 * path after /proxy/{appid}; NULL when there is no such port. The caller frees it. */
char *rm_mapreduce_history_url(struct rm_backend *b, struct base_app_id job, const char *path);

/* The history port, mapreduce.jobhistory.webapp.address (with TLS
 * mapreduce.jobhistory.webapp.https.address): it serves the resources that are also below
 * /ws/v1/history at the ResourceManager's own address, and redirects from the addresses of the
 * history server's pages. */
struct base_conf;
struct rm_history_port;
/* Opens the port. @server: the settings of the ResourceManager's own server, whose limits, gate and
 * rules for addresses the port shares. Sets *@out to NULL when no address is configured. Returns 0
 * or a negative BASE_E* with the key in @err. */
int rm_history_port_open(const struct base_conf *conf, const struct api_server_conf *server,
                         struct rm_history_port **out, struct base_error *err);
/* Begins to serve; does nothing when @p is NULL. Returns 0 or a negative BASE_E*. */
int rm_history_port_start(struct rm_history_port *p, struct rm_backend *b, struct base_error *err);
/* Stops as api_server_stop() does, and frees @p (NULL is fine). */
void rm_history_port_close(struct rm_history_port *p);

#endif
