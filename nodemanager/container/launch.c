/* nodemanager/container/launch.c - see the header. */
#include "nodemanager/container/launch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/limits.h"

#define ARG_STRING_MAX (128 * 1024 - 1) /* the kernel's MAX_ARG_STRLEN without the NUL */

struct list {
    char **v;
    size_t len, cap;
};

static void list_add(struct list *l, char *taken)
{
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = taken;
}

static void env_set(struct list *l, const char *name, const char *value)
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
    list_add(l, entry);
}

static void env_inherit(struct list *l, const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    if ((value && *value) || otherwise)
        env_set(l, name, value && *value ? value : otherwise);
}

static int env_of_order(struct list *l, const json_t *order, struct base_error *err)
{
    json_t *env = json_object_get(order, "env"), *value;
    const char *name;
    if (env && !json_is_null(env) && !json_is_object(env))
        return base_error_set(err, -BASE_EINVAL, "env: an object of strings was expected");
    if (json_object_size(env) > BASE_ENV_MAX)
        return base_error_set(err, -BASE_ELIMIT, "env: more than %d entries", BASE_ENV_MAX);
    json_object_foreach(env, name, value)
    {
        if (!json_is_string(value) || !*name || strchr(name, '='))
            return base_error_set(err, -BASE_EINVAL, "env.%.64s: a name without \"=\" and a text were expected", name);
        env_set(l, name, json_string_value(value));
    }
    return 0;
}

static void env_of_task(struct list *l, const struct nm_launch *la)
{
    const json_t *spec = json_object_get(la->raw, "spec");
    char text[32];
    if (la->task) {
        env_set(l, "CREEL_TASK_ID", la->task);
        env_set(l, "mapreduce_task_id", la->task);
    }
    snprintf(text, sizeof text, "%lld", (long long)la->task_attempt);
    env_set(l, "CREEL_TASK_ATTEMPT", text);
    if (json_is_object(spec)) {
        const char *path = json_string_value(json_object_get(json_object_get(spec, "split"), "path"));
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(json_object_get(spec, "index")));
        env_set(l, "mapreduce_task_partition", text);
        if (path)
            env_set(l, "mapreduce_map_input_file", path);
    }
}

static void env_of_node(struct list *l, const struct nm_launch_conf *conf, const struct nm_files *f,
                        const struct nm_launch *la)
{
    char path[NM_PATH_MAX], id[BASE_ID_TEXT_MAX], port[16];
    env_set(l, "CONTAINER_ID", base_container_id_text(&la->id, id));
    env_set(l, "CREEL_JOB_ID", base_app_id_text(&la->id.attempt.app, id));
    env_set(l, "CREEL_RM", conf->rm);
    env_set(l, "CREEL_APP_TOKEN_FILE", nm_path_app(f, &la->id.attempt.app, "token", path));
    env_set(l, "CREEL_PROGRESS_FILE", nm_path_container(f, &la->id, "progress", path));
    env_set(l, "LOG_DIRS", nm_path_logs(f, &la->id, NULL, path));
    env_set(l, "PWD", nm_path_container(f, &la->id, "work", path));
    env_set(l, "NM_HOST", conf->host);
    snprintf(port, sizeof port, "%d", conf->port);
    env_set(l, "NM_HTTP_PORT", port);
}

/* A master speaks for its attempt with a token of its own, in the folder of its container. */
static int env_of_master(struct list *l, const struct nm_files *f, const struct nm_launch *la, struct base_error *err)
{
    const char *token = json_string_value(json_object_get(la->raw, "masterToken"));
    char path[NM_PATH_MAX];
    int rc;
    if (!token)
        return 0;
    rc = nm_files_put(f, &la->id, "master-token", token, err);
    if (rc == 0)
        env_set(l, "CREEL_APP_TOKEN_FILE", nm_path_container(f, &la->id, "master-token", path));
    return rc;
}

static int argv_build(const struct nm_launch_conf *conf, const struct nm_files *f, const struct nm_launch *la,
                      struct list *l, struct base_error *err)
{
    char path[NM_PATH_MAX];
    const char *command = json_string_value(json_object_get(la->raw, "command"));
    json_int_t max = json_integer_value(json_object_get(la->raw, "logMaxBytes"));
    list_add(l, base_strdup(conf->shim));
    list_add(l, base_strdup(conf->isolation));
    list_add(l, base_strdup(nm_path_container(f, &la->id, NULL, path)));
    list_add(l, base_strdup(nm_path_record(f, &la->id, NULL, path)));
    list_add(l, base_strdup(nm_path_logs(f, &la->id, NULL, path)));
    list_add(l, base_printf("%lld", (long long)(max > 0 ? max : conf->log_max_bytes)));
    if (la->kind == NM_KIND_MAP || la->kind == NM_KIND_REDUCE) {
        list_add(l, base_strdup("task"));
        list_add(l, base_strdup(conf->task_runner));
        return 0;
    }
    if (strlen(command) <= ARG_STRING_MAX) {
        list_add(l, base_strdup("sh"));
        list_add(l, base_strdup(command));
        return 0;
    }
    list_add(l, base_strdup("file"));
    list_add(l, base_strdup(nm_path_container(f, &la->id, "command.sh", path)));
    return nm_files_put(f, &la->id, "command.sh", command, err);
}

int nm_launch_build(const struct nm_launch_conf *conf, const struct nm_files *files, const struct nm_launch *l,
                    struct nm_command *out, struct base_error *err)
{
    struct list argv = {0}, env = {0};
    char id[BASE_ID_TEXT_MAX];
    int rc = argv_build(conf, files, l, &argv, err);
    env_set(&env, "CONTAINER_ID", base_container_id_text(&l->id, id)); /* first: found at once in /proc/pid/environ */
    env_inherit(&env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    env_inherit(&env, "LANG", "C.UTF-8");
    env_inherit(&env, "HOME", "/");
    env_inherit(&env, "TZ", NULL);
    env_set(&env, "USER", l->user && *l->user ? l->user : "nobody");
    env_set(&env, "LOGNAME", l->user && *l->user ? l->user : "nobody");
    if (rc == 0)
        rc = env_of_order(&env, l->raw, err);
    env_of_task(&env, l);
    env_of_node(&env, conf, files, l);
    if (rc == 0)
        rc = env_of_master(&env, files, l, err);
    list_add(&argv, NULL);
    list_add(&env, NULL);
    out->argv = argv.v;
    out->envp = env.v;
    return rc;
}

static void strings_free(char **v)
{
    for (size_t i = 0; v && v[i]; i++)
        free(v[i]);
    free(v);
}

void nm_command_free(struct nm_command *c)
{
    strings_free(c->argv);
    strings_free(c->envp);
    c->argv = c->envp = NULL;
}
