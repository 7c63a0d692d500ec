#include "nodemanager/container/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"

#define ARG_STRING_MAX (128 * 1024 - 1) /* the kernel's MAX_ARG_STRLEN without the NUL */

struct list {
    char **v;
    size_t len, cap;
};

static void append_string(struct list *l, char *taken)
{
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = taken;
}

static void set_env(struct list *l, const char *name, const char *value)
{
    size_t n = strlen(name);
    char *entry = base_printf("%s=%s", name, value);
    for (size_t i = 0; i < l->len; i++) {
        if (strncmp(l->v[i], name, n) == 0 && l->v[i][n] == '=') {
            free(l->v[i]);
            l->v[i] = entry;
            return;
        }
    }
    append_string(l, entry);
}

static void inherit_env(struct list *l, const char *name, const char *fallback)
{
    const char *value = getenv(name);
    if ((value && *value) || fallback)
        set_env(l, name, value && *value ? value : fallback);
}

static void set_env_from_order(struct list *l, const struct wire_launch *order)
{
    for (size_t i = 0; i < order->env_n; i++) {
        char *name = base_strndup(order->env[i], strcspn(order->env[i], "="));
        set_env(l, name, order->env[i] + strlen(name) + 1);
        free(name);
    }
}

static void set_env_for_task(struct list *l, const struct nm_launch *la)
{
    const struct wire_launch *order = la->order;
    char text[32];
    if (la->task) {
        set_env(l, "CREEL_TASK_ID", la->task);
        set_env(l, "mapreduce_task_id", la->task);
    }
    snprintf(text, sizeof text, "%lld", (long long)la->task_attempt);
    set_env(l, "CREEL_TASK_ATTEMPT", text);
    if (la->kind == BASE_CONTAINER_MAP || la->kind == BASE_CONTAINER_REDUCE) {
        snprintf(text, sizeof text, "%d", (int)order->spec.index);
        set_env(l, "mapreduce_task_partition", text);
        if (order->spec.split.path)
            set_env(l, "mapreduce_map_input_file", order->spec.split.path);
    }
}

/* SOURCE: YARN's container runtimes, which give a container the folder of PUT yarn/sysfs when its
 * environment asks for it. */
static bool asks_for_sysfs(const struct wire_launch *order)
{
    for (size_t i = 0; i < order->env_n; i++)
        if (strcmp(order->env[i], "YARN_CONTAINER_RUNTIME_YARN_SYSFS_ENABLE=true") == 0)
            return true;
    return false;
}

static void set_env_for_node(struct list *l, const struct nm_launch_conf *conf,
                             const struct nm_files *f, const struct nm_launch *la)
{
    char path[NM_PATH_MAX], id[BASE_ID_TEXT_MAX], port[16];
    set_env(l, "CONTAINER_ID", base_container_id_text(&la->id, id));
    set_env(l, "CREEL_JOB_ID", base_app_id_text(&la->id.attempt.app, id));
    set_env(l, "CREEL_RM", conf->rm);
    set_env(l, "CREEL_APP_TOKEN_FILE", nm_path_in_app(f, &la->id.attempt.app, "token", path));
    set_env(l, "CREEL_PROGRESS_FILE", nm_path_in_container(f, &la->id, "progress", path));
    set_env(l, "LOG_DIRS", nm_path_in_logs(f, &la->id, NULL, path));
    set_env(l, "PWD", nm_path_in_container(f, &la->id, "work", path));
    if (asks_for_sysfs(la->order))
        set_env(l, "YARN_SYSFS_PATH", nm_path_in_app(f, &la->id.attempt.app, "sysfs", path));
    set_env(l, "NM_HOST", conf->host);
    snprintf(port, sizeof port, "%d", conf->port);
    set_env(l, "NM_HTTP_PORT", port);
}

/* An application master authenticates as its attempt, with a token of its own in its container's
 * folder. */
static int set_env_for_master(struct list *l, const struct nm_files *f, const struct nm_launch *la,
                              struct base_error *err)
{
    const char *token = ((const struct wire_launch *)la->order)->master_token;
    char path[NM_PATH_MAX];
    int rc;
    if (!token)
        return 0;
    rc = nm_files_write_in_container(f, &la->id, "master-token", token, err);
    if (rc == 0)
        set_env(l, "CREEL_APP_TOKEN_FILE", nm_path_in_container(f, &la->id, "master-token", path));
    return rc;
}

static int build_shim_argv(const struct nm_launch_conf *conf, const struct nm_files *f,
                           const struct nm_launch *la, struct list *l, struct base_error *err)
{
    char path[NM_PATH_MAX];
    const struct wire_launch *order = la->order;
    const char *command = order->command;
    int64_t max = order->log_max_bytes;
    append_string(l, base_strdup(conf->shim));
    append_string(l, base_strdup(conf->isolation));
    append_string(l, base_strdup(nm_path_in_container(f, &la->id, NULL, path)));
    append_string(l, base_strdup(nm_path_in_record(f, &la->id, NULL, path)));
    append_string(l, base_strdup(nm_path_in_logs(f, &la->id, NULL, path)));
    append_string(l, base_printf("%lld", (long long)(max > 0 ? max : conf->log_max_bytes)));
    if (la->kind == BASE_CONTAINER_MAP || la->kind == BASE_CONTAINER_REDUCE) {
        append_string(l, base_strdup("task"));
        append_string(l, base_strdup(conf->task_runner));
        return 0;
    }
    if (strlen(command) <= ARG_STRING_MAX) {
        append_string(l, base_strdup("sh"));
        append_string(l, base_strdup(command));
        return 0;
    }
    append_string(l, base_strdup("file"));
    append_string(l, base_strdup(nm_path_in_container(f, &la->id, "command.sh", path)));
    return nm_files_write_in_container(f, &la->id, "command.sh", command, err);
}

int nm_command_build(const struct nm_launch_conf *conf, const struct nm_files *files,
                     const struct nm_launch *l, struct nm_command *out, struct base_error *err)
{
    struct list argv = {0}, env = {0};
    char id[BASE_ID_TEXT_MAX];
    int rc = build_shim_argv(conf, files, l, &argv, err);
    /* first, so that a search of /proc/pid/environ finds it at once */
    set_env(&env, "CONTAINER_ID", base_container_id_text(&l->id, id));
    inherit_env(&env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    inherit_env(&env, "LANG", "C.UTF-8");
    inherit_env(&env, "HOME", "/");
    inherit_env(&env, "TZ", NULL);
    set_env(&env, "USER", l->user && *l->user ? l->user : "nobody");
    set_env(&env, "LOGNAME", l->user && *l->user ? l->user : "nobody");
    set_env_from_order(&env, l->order);
    set_env_for_task(&env, l);
    set_env_for_node(&env, conf, files, l);
    if (rc == 0)
        rc = set_env_for_master(&env, files, l, err);
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
