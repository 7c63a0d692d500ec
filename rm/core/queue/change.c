#include "rm/core/queue/change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/core/queue/name_list.h"

/* Returns the name of the property of queue @path (its first @len bytes). Caller frees. */
static char *format_name(const char *path, size_t len, const char *key)
{
    return base_printf(RM_CAPACITY_PREFIX "%.*s.%s", (int)len, path, key);
}

static bool lists_name(const char *list, const char *name)
{
    size_t len;

    for (const char *at = rm_name_list_first(list, &len); at; at = rm_name_list_next(at, &len))
        if (strlen(name) == len && strncmp(at, name, len) == 0)
            return true;
    return false;
}

/* Appends the names of @list, except for @but, to @out, separated by commas. */
static void add_names(struct base_buf *out, const char *list, const char *but)
{
    size_t len;

    for (const char *at = rm_name_list_first(list, &len); at; at = rm_name_list_next(at, &len))
        if (!but || strlen(but) != len || strncmp(at, but, len) != 0)
            base_buf_addf(out, "%s%.*s", out->len ? "," : "", (int)len, at);
}

/* A parent that gets its first child, or loses its last one, becomes another kind of queue, for
 * which the order in it means something else. */
static void unset_ordering(struct rm_properties *p, const char *path, size_t parent_len)
{
    char *name = format_name(path, parent_len, "ordering-policy");

    rm_properties_set(p, name, NULL);
    free(name);
}

static int remove_queue(struct rm_properties *p, const char *path, struct base_error *err)
{
    const char *dot = strrchr(path, '.');
    struct base_buf left = {0};
    char *siblings, *prefix;
    int rc = 0;

    if (!dot)
        return base_error_set(err, -BASE_EINVAL, "Can't remove queue %s", path);
    siblings = format_name(path, (size_t)(dot - path), "queues");
    if (lists_name(rm_properties_get(p, siblings), dot + 1)) {
        add_names(&left, rm_properties_get(p, siblings), dot + 1);
        rm_properties_set(p, siblings, left.data);
        if (!left.len)
            unset_ordering(p, path, (size_t)(dot - path));
        prefix = format_name(path, strlen(path), "");
        rm_properties_remove_all(p, prefix);
        free(prefix);
    } else {
        rc = base_error_set(err, -BASE_EINVAL, "Queue %s not found", path);
    }
    base_buf_free(&left);
    free(siblings);
    return rc;
}

static void set_params(struct rm_properties *p, const struct rm_queue_params *q)
{
    for (size_t i = 0; i < q->n; i++) {
        char *name = format_name(q->queue, strlen(q->queue), q->v[i].name);

        rm_properties_set(p, name, q->v[i].value);
        free(name);
    }
}

static int add_queue(struct rm_properties *p, const struct rm_queue_params *q,
                     struct base_error *err)
{
    const char *dot = strrchr(q->queue, '.');
    struct base_buf all = {0};
    char *siblings;
    int rc = 0;

    if (!dot || !dot[1])
        return base_error_set(err, -BASE_EINVAL, "Can't add invalid queue %s", q->queue);
    siblings = format_name(q->queue, (size_t)(dot - q->queue), "queues");
    if (lists_name(rm_properties_get(p, siblings), dot + 1)) {
        rc = base_error_set(err, -BASE_EINVAL, "Can't add existing queue %s", q->queue);
    } else {
        add_names(&all, rm_properties_get(p, siblings), NULL);
        if (!all.len)
            unset_ordering(p, q->queue, (size_t)(dot - q->queue));
        base_buf_addf(&all, "%s%s", all.len ? "," : "", dot + 1);
        rm_properties_set(p, siblings, all.data);
        set_params(p, q);
    }
    base_buf_free(&all);
    free(siblings);
    return rc;
}

int rm_conf_change_apply(struct rm_properties *p, const struct rm_conf_change *change,
                         struct base_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < change->removed_n; i++)
        rc = remove_queue(p, change->removed[i], err);
    for (size_t i = 0; rc == 0 && i < change->added_n; i++)
        rc = add_queue(p, &change->added[i], err);
    for (size_t i = 0; rc == 0 && i < change->updated_n; i++)
        set_params(p, &change->updated[i]);
    for (size_t i = 0; rc == 0 && i < change->globals_n; i++)
        rm_properties_set(p, change->globals[i].name, change->globals[i].value);
    return rc;
}
