/* nodemanager/shuffle/shuffle.h - the auxiliary service mapreduce_shuffle: reducers of MapReduce
 * (and of Tez) fetch the outputs of the maps that have run on this node.
 *
 *    startContainers, or a launch order, with service data --> the job's secret is stored (jobs.h)
 *    the answer, and the container's environment            --> the port, by which reducers come
 *    maps write output/<attempt>/file.out in LOCAL_DIRS     (output.h)
 *    reducers fetch the parts that are theirs               (request.h, connection.h)
 *    the application is cleaned up                          --> secret and outputs are gone
 *
 * It runs where yarn.nodemanager.address is configured and yarn.nodemanager.aux-services contains
 * its name. Reducers prove that they know the job's secret; nothing is encrypted, as in YARN unless
 * configured. With mapreduce.shuffle.port 0 the port of the last start is tried first, since
 * masters keep it with each map that has ended.
 *
 * Not to be confused with the map outputs of Creel's own jobs (nodemanager/http/map_output.c). */
#ifndef CREEL_NODEMANAGER_SHUFFLE_SHUFFLE_H
#define CREEL_NODEMANAGER_SHUFFLE_SHUFFLE_H

#include "api/server/server.h"
#include "base/conf/conf.h"
#include "nodemanager/container/folders.h"

#define NM_SHUFFLE_SERVICE "mapreduce_shuffle"

struct nm_shuffle;
/* Opens the port, if that is configured, at the host of yarn.nodemanager.address; otherwise sets
 * *@out to NULL. Notes the port in @disk, which is stored. @conf and @files are borrowed; @server:
 * the settings of the node's HTTP server, whose rules for addresses hold here, too. Returns 0, or a
 * negative BASE_E* with the key in @err. */
int nm_shuffle_open(const struct base_conf *conf, const struct api_server_conf *server,
                    const struct nm_files *files, struct nm_disk_state *disk,
                    struct nm_shuffle **out, struct base_error *err);
/* Begins to serve; until then, reducers that connect wait in the socket's queue. */
int nm_shuffle_start(struct nm_shuffle *s, struct base_error *err);
void nm_shuffle_close(struct nm_shuffle *s); /* NULL-safe */

/* For these, and for the start, @s may be NULL. */
int nm_shuffle_port(const struct nm_shuffle *s); /* 0: the service does not run */
/* Takes the service data of a container that is about to start, as base64; NULL: there are none.
 * Returns 0; -BASE_EINVAL: they are no token of a job; -BASE_EIO; -BASE_ENOSPC. */
int nm_shuffle_register(struct nm_shuffle *s, const struct base_app_id *app, const char *data,
                        struct base_error *err);
/* Finds the application's job among the files of an earlier start. Call it before the start. */
void nm_shuffle_recover(struct nm_shuffle *s, const struct base_app_id *app);
void nm_shuffle_forget(struct nm_shuffle *s, const struct base_app_id *app);

struct nm_shuffle_figures {
    long long served, bytes, failed, connections;
};
void nm_shuffle_get_figures(const struct nm_shuffle *s, struct nm_shuffle_figures *out);

#endif
