/* nodemanager/container/launch.h - turns a launch order into the arguments and environment of the
 * shim.
 *
 * Later environment entries override earlier ones: the NodeManager's minimal environment (PATH,
 * LANG, HOME unless creel-exec sets the user's own, USER, LOGNAME, and TZ if it has one; for a
 * launch context also those variables that YARN passes on, such as JAVA_HOME), the order's env, and
 * finally what Creel guarantees (CONTAINER_ID, CREEL_*, with TLS also CREEL_CA_FILE, NM_HOST,
 * NM_HTTP_PORT, LOG_DIRS, PWD, and YARN_SYSFS_PATH if the order asks for it; Hadoop streaming's
 * variables for tasks; for a launch context NM_PORT, LOCAL_DIRS, LOCAL_USER_DIRS,
 * NM_AUX_SERVICE_mapreduce_shuffle if the shuffle runs and, with credentials,
 * HADOOP_TOKEN_FILE_LOCATION; for a master APP_SUBMIT_TIME_ENV, APPLICATION_WEB_PROXY_BASE,
 * MAX_APP_ATTEMPTS). Commands and env of a launch context are expanded
 * (nodemanager/container/expand.h). The shell that runs such a command has its own id in JVM_PID,
 * and the work folder has a folder tmp, where Hadoop's programs keep temporary files, if there are
 * credentials, or the command or a variable names "/tmp". */
#ifndef CREEL_NODEMANAGER_CONTAINER_LAUNCH_H
#define CREEL_NODEMANAGER_CONTAINER_LAUNCH_H

#include "base/error.h"
#include "nodemanager/container/folders.h"
#include "nodemanager/core/core.h"

struct nm_launch_conf { /* strings are borrowed */
    const char *shim, *task_runner;
    const char *isolation;       /* a name from nodemanager/container/isolation/isolation.h */
    const char *isolation_place; /* what its open() wrote */
    const char *rm;              /* comma-separated addresses */
    const char *host;
    const char *ca_file; /* authorities of the cluster; NULL or "": none */
    int port;
    int hadoop_port, shuffle_port;  /* of Hadoop RPC and of the shuffle; 0: none */
    const char *add_opens;          /* what <ADD_OPENS> stands for */
    int64_t log_max_bytes, disk_mb; /* disk_mb: limit of a container's folders; 0: none */
    const char *launcher;           /* creel-exec; NULL: containers run as the NodeManager's user */
};
struct nm_command {
    char **argv, **envp; /* NULL-terminated */
};
/* Builds the shim's command. Writes command.sh if the user's command is too long for an argument,
 * the container's credentials, its folder for temporary files, and the folder of LOCAL_DIRS. Call
 * nm_command_free() even after an error. */
int nm_command_build(const struct nm_launch_conf *conf, const struct nm_files *files,
                     const struct nm_launch *l, struct nm_command *out, struct base_error *err);
void nm_command_free(struct nm_command *c);

#endif
