#include "nodemanager/daemon/aux_services.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"

#define SHUFFLE_CLASS "org.apache.hadoop.mapred.ShuffleHandler"
#define SERVICES_MAX  100
#define TEXT_MAX      1024

struct service {
    char *name, *version;
    char *record; /* the whole record, to detect changes */
    char started[24];
};
struct services {
    struct service *v;
    size_t n;
};
struct nm_aux_services {
    bool enabled;
    pthread_mutex_t lock; /* protects all */
    struct services all;
};

static void free_services(struct services *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].name);
        free(s->v[i].version);
        free(s->v[i].record);
    }
    free(s->v);
}

static void format_now(char out[static 24])
{
    time_t now = time(NULL);
    struct tm tm;

    if (!localtime_r(&now, &tm) || !strftime(out, 24, "%Y-%m-%d %H:%M:%S", &tm))
        snprintf(out, 24, "N/A");
}

/* YARN's rule: letters, digits and underscores, not beginning with a digit. */
static bool is_service_name(const char *name)
{
    if (isdigit((unsigned char)*name))
        return false;
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_")] == '\0';
}

static int check_class_is_shuffle(const json_t *j, const char *where, struct base_error *err)
{
    const json_t *properties = json_object_get(json_object_get(j, "configuration"), "properties");
    const char *class = "";
    int rc = base_json_str(properties, where, "class.name", false, TEXT_MAX, &class, err);

    if (rc == 0 && strcmp(class, SHUFFLE_CLASS) != 0)
        rc = base_error_set(
            err, -BASE_EINVAL,
            "%sclass.name: \"%.100s\" cannot be loaded: the only service is " SHUFFLE_CLASS
            ", which is built in",
            where, class);
    return rc;
}

static int read_service(const json_t *j, size_t i, struct service *out, struct base_error *err)
{
    const char *name = "", *version = "";
    struct base_buf record = {0};
    char where[40];
    int rc;

    snprintf(where, sizeof where, "services[%zu].", i);
    if (!json_is_object(j))
        return base_json_set_value_error(j, where, "", "an object", err);
    rc = base_json_str(j, where, "name", true, TEXT_MAX, &name, err);
    if (rc == 0)
        rc = base_json_str(j, where, "version", false, TEXT_MAX, &version, err);
    if (rc == 0 && !is_service_name(name))
        rc = base_error_set(err, -BASE_EINVAL,
                            "%sname: \"%.100s\": expected letters, digits and underscores", where,
                            name);
    if (rc == 0)
        rc = check_class_is_shuffle(j, where, err);
    if (rc < 0)
        return rc;
    base_json_dump(j, &record);
    out->name = base_strdup(name);
    out->version = base_strdup(version);
    out->record = base_buf_take(&record);
    return 0;
}

static int read_manifest(const char *text, size_t len, struct services *out, struct base_error *err)
{
    json_t *manifest = NULL, *list = NULL;
    int rc = base_json_parse(text, len, &manifest, err);

    if (rc == 0)
        rc = base_json_arr(manifest, "", "services", false, SERVICES_MAX, &list, err);
    out->v = base_alloc((json_array_size(list) + 1) * sizeof *out->v);
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        rc = read_service(json_array_get(list, i), i, &out->v[i], err);
        out->n += rc == 0;
    }
    json_decref(manifest);
    return rc;
}

static void keep_or_set_start_time(struct service *s, const struct services *before)
{
    format_now(s->started);
    for (size_t i = 0; i < before->n; i++)
        if (strcmp(before->v[i].record, s->record) == 0)
            memcpy(s->started, before->v[i].started, sizeof s->started);
}

int nm_aux_services_reload(struct nm_aux_services *aux, const char *text, size_t len,
                           struct base_error *err)
{
    struct services read = {0}, before;
    int rc = read_manifest(text, len, &read, err);

    if (rc < 0) {
        free_services(&read);
        return rc;
    }
    pthread_mutex_lock(&aux->lock);
    before = aux->all;
    for (size_t i = 0; i < read.n; i++)
        keep_or_set_start_time(&read.v[i], &before);
    aux->all = read;
    pthread_mutex_unlock(&aux->lock);
    free_services(&before);
    return 0;
}

static void load_manifest_file(struct nm_aux_services *aux, const char *path)
{
    struct base_error err = {0};
    struct base_buf text = {0};
    int rc = base_file_read(path, NM_AUX_MANIFEST_MAX, &text, &err);

    if (rc == 0)
        rc = nm_aux_services_reload(aux, text.data ? text.data : "", text.len, &err);
    if (rc < 0)
        base_log_error("nm", "yarn.nodemanager.aux-services.manifest: %s: %s", path, err.text);
    base_buf_free(&text);
}

struct nm_aux_services *nm_aux_services_new(const struct base_conf *conf)
{
    const char *path = base_conf_get(conf, "yarn.nodemanager.aux-services.manifest");
    struct nm_aux_services *aux = base_alloc(sizeof *aux);

    aux->enabled = base_conf_bool(conf, "yarn.nodemanager.aux-services.manifest.enabled");
    pthread_mutex_init(&aux->lock, NULL);
    if (aux->enabled && path && *path)
        load_manifest_file(aux, path);
    return aux;
}

void nm_aux_services_free(struct nm_aux_services *aux)
{
    if (!aux)
        return;
    free_services(&aux->all);
    pthread_mutex_destroy(&aux->lock);
    free(aux);
}

bool nm_aux_services_enabled(const struct nm_aux_services *aux)
{
    return aux->enabled;
}

void nm_aux_services_each(struct nm_aux_services *aux,
                          void (*each)(const char *name, const char *version, const char *started,
                                       void *u),
                          void *u)
{
    pthread_mutex_lock(&aux->lock);
    for (size_t i = 0; i < aux->all.n; i++)
        each(aux->all.v[i].name, aux->all.v[i].version, aux->all.v[i].started, u);
    pthread_mutex_unlock(&aux->lock);
}
