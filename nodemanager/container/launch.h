/* nodemanager/container/launch.h - from a launch order to what the shim is started with.
 *
 * Environment, later entries win: the NodeManager's minimal one (PATH, LANG, HOME, USER, LOGNAME), the order's env,
 * then what Creel itself vouches for (CONTAINER_ID, CREEL_*, NM_HOST, NM_HTTP_PORT, LOG_DIRS, PWD and Hadoop
 * streaming's names for tasks). */
#ifndef CREEL_NODEMANAGER_CONTAINER_LAUNCH_H
#define CREEL_NODEMANAGER_CONTAINER_LAUNCH_H

#include "base/error.h"
#include "nodemanager/core/core.h"
#include "nodemanager/container/folders.h"

struct nm_launch_conf { /* strings borrowed */
    const char *shim, *task_runner;
    const char *isolation; /* name: nodemanager/container/isolation/isolation.h */
    const char *rm; /* comma list of addresses */
    const char *host;
    int port;
    int64_t log_max_bytes;
};
struct nm_command {
    char **argv, **envp; /* NULL-ended */
};
/* Also writes command.sh when the command is too long for an argument. Free also after an error. */
int nm_launch_build(const struct nm_launch_conf *conf, const struct nm_files *files, const struct nm_launch *l,
                    struct nm_command *out, struct base_error *err);
void nm_command_free(struct nm_command *c);

#endif
