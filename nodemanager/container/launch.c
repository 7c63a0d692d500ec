#include "nodemanager/container/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/wire/order.h"
#include "base/crypto/base64.h"
#include "base/io/tls_conf.h"
#include "nodemanager/container/expand.h"
#include "nodemanager/shuffle/port_bytes.h"

/* SOURCE: YARN's launch script. The id is that of the shell, whose last command may take its place.
 */
#define SET_JVM_PID    "export JVM_PID=$$; "
#define ARG_STRING_MAX (128 * 1024 - 1) /* the kernel's MAX_ARG_STRLEN without the NUL */

static void append_string(struct nm_env_list *l, char *taken)
{
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = taken;
}

/* Sets the variable of @entry, NAME=VALUE. */
static void set_env_entry(struct nm_env_list *l, const char *entry)
{
    char *name = base_strndup(entry, strcspn(entry, "="));
    nm_env_set(l, name, entry + strlen(name) + 1);
    free(name);
}

static void inherit_env(struct nm_env_list *l, const char *name, const char *fallback)
{
    const char *value = getenv(name);
    if ((value && *value) || fallback)
        nm_env_set(l, name, value && *value ? value : fallback);
}

/* Sets those of the NodeManager's own variables that YARN, too, passes on
 * (yarn.nodemanager.env-whitelist). */
static void inherit_whitelisted_env(struct nm_env_list *l)
{
    static const char *const names[] = {"JAVA_HOME",
                                        "HADOOP_COMMON_HOME",
                                        "HADOOP_HDFS_HOME",
                                        "HADOOP_CONF_DIR",
                                        "CLASSPATH_PREPEND_DISTCACHE",
                                        "HADOOP_YARN_HOME",
                                        "HADOOP_HOME",
                                        "HADOOP_MAPRED_HOME",
                                        "MALLOC_ARENA_MAX",
                                        "TZ"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        inherit_env(l, names[i], NULL);
}

static void set_env_of_order_unexpanded(struct nm_env_list *l, const struct wire_launch *order)
{
    for (size_t i = 0; i < order->env_n; i++)
        set_env_entry(l, order->env[i]);
}

/* Returns true if the container has a launch context. Commands of jobs are not expanded. */
static bool is_command_or_master(const struct nm_launch *la)
{
    return !la->task && (la->kind == BASE_CONTAINER_COMMAND || la->kind == BASE_CONTAINER_MASTER);
}

static void set_env_for_task(struct nm_env_list *l, const struct nm_launch *la)
{
    const struct wire_launch *order = la->order;
    char text[32];
    if (la->task) {
        nm_env_set(l, "CREEL_TASK_ID", la->task);
        nm_env_set(l, "mapreduce_task_id", la->task);
    }
    snprintf(text, sizeof text, "%lld", (long long)la->task_attempt);
    nm_env_set(l, "CREEL_TASK_ATTEMPT", text);
    if (la->kind == BASE_CONTAINER_MAP || la->kind == BASE_CONTAINER_REDUCE) {
        snprintf(text, sizeof text, "%d", (int)order->spec.index);
        nm_env_set(l, "mapreduce_task_partition", text);
        if (order->spec.split.path)
            nm_env_set(l, "mapreduce_map_input_file", order->spec.split.path);
    }
}

/* SOURCE: YARN's container runtimes, which show a container the folder that PUT yarn/sysfs fills
 * only if this variable is in the container's environment. */
static bool asks_for_sysfs(const struct wire_launch *order)
{
    for (size_t i = 0; i < order->env_n; i++)
        if (strcmp(order->env[i], "YARN_CONTAINER_RUNTIME_YARN_SYSFS_ENABLE=true") == 0)
            return true;
    return false;
}

/* SOURCE: YARN's NodeManager, which encodes the whole buffer in which the port is; programs read
 * the first 4 bytes. */
static void set_shuffle_port(struct nm_env_list *l, int port)
{
    uint8_t bytes[32] = {0};
    struct base_buf text = {0};
    nm_shuffle_put_port(port, bytes);
    base_base64_encode(bytes, sizeof bytes, &text);
    nm_env_set(l, "NM_AUX_SERVICE_mapreduce_shuffle", text.data);
    base_buf_free(&text);
}

static void set_env_for_node(struct nm_env_list *l, const struct nm_launch_conf *conf,
                             const struct nm_files *f, const struct nm_launch *la)
{
    char path[NM_PATH_MAX], id[BASE_ID_TEXT_MAX], port[16];
    nm_env_set(l, "CONTAINER_ID", base_container_id_text(&la->id, id));
    nm_env_set(l, "CREEL_JOB_ID", base_app_id_text(&la->id.attempt.app, id));
    nm_env_set(l, "CREEL_RM", conf->rm);
    if (conf->ca_file && *conf->ca_file)
        nm_env_set(l, BASE_TLS_CA_VARIABLE, conf->ca_file);
    nm_env_set(l, "CREEL_APP_TOKEN_FILE", nm_path_in_container(f, &la->id, "token", path));
    nm_env_set(l, "CREEL_PROGRESS_FILE", nm_path_in_container(f, &la->id, "progress", path));
    nm_env_set(l, "LOG_DIRS", nm_path_in_logs(f, &la->id, NULL, path));
    nm_env_set(l, "PWD", nm_path_in_container(f, &la->id, "work", path));
    if (asks_for_sysfs(la->order))
        nm_env_set(l, "YARN_SYSFS_PATH", nm_path_in_app(f, &la->id.attempt.app, "sysfs", path));
    nm_env_set(l, "NM_HOST", conf->host);
    snprintf(port, sizeof port, "%d", conf->port);
    nm_env_set(l, "NM_HTTP_PORT", port);
    if (is_command_or_master(la)) {
        if (conf->hadoop_port) /* as in YARN, the port of the node's id that masters know */
            snprintf(port, sizeof port, "%d", conf->hadoop_port);
        nm_env_set(l, "NM_PORT", port);
        nm_env_set(l, "LOCAL_DIRS", nm_path_in_app(f, &la->id.attempt.app, "shared", path));
        nm_env_set(l, "LOCAL_USER_DIRS", path);
        if (conf->shuffle_port)
            set_shuffle_port(l, conf->shuffle_port);
    }
}

/* Sets variables that YARN gives masters. SOURCE: ApplicationConstants. */
static void set_yarn_env_of_master(struct nm_env_list *l, const struct nm_launch *la)
{
    const struct wire_launch *order = la->order;
    char text[64], id[BASE_ID_TEXT_MAX];
    snprintf(text, sizeof text, "%lld", (long long)order->submit_ms);
    nm_env_set(l, "APP_SUBMIT_TIME_ENV", text);
    snprintf(text, sizeof text, "/proxy/%.48s", base_app_id_text(&la->id.attempt.app, id));
    nm_env_set(l, "APPLICATION_WEB_PROXY_BASE", text);
    snprintf(text, sizeof text, "%d", (int)order->attempts_max);
    nm_env_set(l, "MAX_APP_ATTEMPTS", text);
}

/* Writes the credentials where programs of Hadoop read them. */
static int write_credentials_and_set_env(struct nm_env_list *l, const struct nm_files *f,
                                         const struct nm_launch *la, struct base_error *err)
{
    const char *credentials = ((const struct wire_launch *)la->order)->credentials;
    struct base_buf bytes = {0};
    char path[NM_PATH_MAX];
    int rc;
    if (!credentials)
        return 0;
    base_base64_decode(credentials, &bytes);
    rc = nm_files_write_in_container(f, &la->id, "work/container_tokens",
                                     bytes.data ? bytes.data : "", bytes.len, err);
    base_buf_free(&bytes);
    if (rc == 0)
        nm_env_set(l, "HADOOP_TOKEN_FILE_LOCATION",
                   nm_path_in_container(f, &la->id, "work/container_tokens", path));
    return rc;
}

static bool needs_tmp_folder(const struct wire_launch *order)
{
    for (size_t i = 0; i < order->resources_n; i++)
        if (strcmp(order->resources[i].name, "tmp") == 0) /* the place is taken */
            return false;
    if (order->credentials || strstr(order->command, "/tmp"))
        return true;
    for (size_t i = 0; i < order->env_n; i++)
        if (strstr(order->env[i], "/tmp"))
            return true;
    return false;
}

/* Makes the folder that Hadoop's programs name as $PWD/tmp. Not for every container, since one that
 * leaves its work folder empty leaves a spare for the next (nodemanager/container/spare.h). */
static int create_tmp_folder_if_needed(const struct nm_files *f, const struct nm_launch *la,
                                       struct base_error *err)
{
    char path[NM_PATH_MAX];
    if (!is_command_or_master(la) || !needs_tmp_folder(la->order))
        return 0;
    nm_path_in_container(f, &la->id, "work/tmp", path);
    return mkdir(path, 0700) == 0 ? 0 : base_error_sys(err, -BASE_EIO, errno, "%s", path);
}

/* Makes the folder of LOCAL_DIRS. With creel-exec the launch gives it to the application's user. */
static int create_shared_folder(const struct nm_files *f, const struct nm_launch *la,
                                struct base_error *err)
{
    char path[NM_PATH_MAX];
    if (!is_command_or_master(la))
        return 0;
    nm_path_in_app(f, &la->id.attempt.app, "shared", path);
    return mkdir(path, 0700) == 0 || errno == EEXIST
               ? 0
               : base_error_sys(err, -BASE_EIO, errno, "%s", path);
}

static const char *look_up(void *env, const char *name, size_t len)
{
    return nm_env_get(env, name, len);
}

/* Appends the command to @out, expanded if it comes from a launch context. */
static int build_command_text(const struct nm_launch_conf *conf, const struct nm_files *f,
                              const struct nm_launch *la, struct nm_env_list *env,
                              struct base_buf *out, struct base_error *err)
{
    const struct wire_launch *order = la->order;
    char path[NM_PATH_MAX];
    const struct nm_marks marks = {nm_path_in_logs(f, &la->id, NULL, path), conf->add_opens};
    if (is_command_or_master(la))
        base_buf_adds(out, SET_JVM_PID);
    if (is_command_or_master(la) && strpbrk(order->command, "<{"))
        return nm_expand_command(order->command, &marks, look_up, env, out, err);
    base_buf_adds(out, order->command);
    return 0;
}

static int build_shim_argv(const struct nm_launch_conf *conf, const struct nm_files *f,
                           const struct nm_launch *la, struct nm_env_list *env,
                           struct nm_env_list *l, struct base_error *err)
{
    char path[NM_PATH_MAX];
    const struct wire_launch *order = la->order;
    struct base_buf command = {0};
    int64_t max = order->log_max_bytes;
    append_string(l, base_strdup(conf->shim));
    append_string(l, base_strdup(conf->isolation));
    append_string(l, base_strdup(conf->isolation_place ? conf->isolation_place : ""));
    append_string(l, base_strdup(nm_path_in_container(f, &la->id, NULL, path)));
    append_string(l, base_strdup(nm_path_in_record(f, &la->id, NULL, path)));
    append_string(l, base_strdup(nm_path_in_logs(f, &la->id, NULL, path)));
    append_string(l, base_printf("%lld", (long long)(max > 0 ? max : conf->log_max_bytes)));
    append_string(l, base_printf("%lld", (long long)conf->disk_mb));
    append_string(l, base_strdup(conf->launcher ? conf->launcher : ""));
    append_string(l, base_strdup(conf->launcher && la->user ? la->user : ""));
    if (base_container_runs_creel_task(la->kind)) {
        append_string(l, base_strdup("task"));
        append_string(l, base_strdup(conf->task_runner));
        return 0;
    }
    int rc = build_command_text(conf, f, la, env, &command, err);
    if (rc == 0 && command.len <= ARG_STRING_MAX) {
        append_string(l, base_strdup("sh"));
        append_string(l, base_buf_take(&command));
    } else if (rc == 0) {
        append_string(l, base_strdup("file"));
        append_string(l, base_strdup(nm_path_in_container(f, &la->id, "command.sh", path)));
        rc = nm_files_write_in_container(f, &la->id, "command.sh", command.data, command.len, err);
    }
    base_buf_free(&command);
    return rc;
}

static void set_initial_env(const struct nm_launch_conf *conf, struct nm_env_list *env,
                            const struct nm_launch *l)
{
    char id[BASE_ID_TEXT_MAX];
    /* first, so that a search of /proc/pid/environ finds it at once */
    nm_env_set(env, "CONTAINER_ID", base_container_id_text(&l->id, id));
    inherit_env(env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    inherit_env(env, "LANG", "C.UTF-8");
    if (!conf->launcher) /* the launcher sets the user's own */
        inherit_env(env, "HOME", "/");
    inherit_env(env, "TZ", NULL);
    if (is_command_or_master(l))
        inherit_whitelisted_env(env);
    nm_env_set(env, "USER", l->user && *l->user ? l->user : "nobody");
    nm_env_set(env, "LOGNAME", l->user && *l->user ? l->user : "nobody");
}

/* Adds the order's variables to @env, replacing equal names; expands those of a launch context.
 * @fixed: variables that the order cannot change. */
static int set_env_of_order(const struct nm_launch_conf *conf, struct nm_env_list *env,
                            const struct nm_files *files, const struct nm_launch *l,
                            const struct nm_env_list *fixed, struct base_error *err)
{
    const struct wire_launch *order = l->order;
    struct nm_env_list expanded = {0};
    char path[NM_PATH_MAX];
    const struct nm_marks marks = {nm_path_in_logs(files, &l->id, NULL, path), conf->add_opens};
    int rc;
    if (!is_command_or_master(l)) {
        set_env_of_order_unexpanded(env, order);
        return 0;
    }
    rc = nm_expand_env(order->env, order->env_n, &marks, fixed, env, &expanded, err);
    for (size_t i = 0; i < expanded.len; i++)
        set_env_entry(env, expanded.v[i]);
    nm_env_free(&expanded);
    return rc;
}

int nm_command_build(const struct nm_launch_conf *conf, const struct nm_files *files,
                     const struct nm_launch *l, struct nm_command *out, struct base_error *err)
{
    struct nm_env_list argv = {0}, env = {0}, fixed = {0};
    int rc = write_credentials_and_set_env(&fixed, files, l, err);
    set_env_for_task(&fixed, l);
    set_env_for_node(&fixed, conf, files, l);
    if (l->kind == BASE_CONTAINER_MASTER)
        set_yarn_env_of_master(&fixed, l);
    set_initial_env(conf, &env, l);
    if (rc == 0)
        rc = create_tmp_folder_if_needed(files, l, err);
    if (rc == 0)
        rc = create_shared_folder(files, l, err);
    if (rc == 0)
        rc = set_env_of_order(conf, &env, files, l, &fixed, err);
    for (size_t i = 0; i < fixed.len; i++)
        set_env_entry(&env, fixed.v[i]);
    nm_env_free(&fixed);
    if (rc == 0)
        rc = build_shim_argv(conf, files, l, &env, &argv, err);
    append_string(&argv, NULL);
    append_string(&env, NULL);
    out->argv = argv.v;
    out->envp = env.v;
    return rc;
}

static void free_strings(char **v)
{
    for (size_t i = 0; v && v[i]; i++)
        free(v[i]);
    free(v);
}

void nm_command_free(struct nm_command *c)
{
    free_strings(c->argv);
    free_strings(c->envp);
    c->argv = c->envp = NULL;
}
