#include "rm/core/queue/change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/core/queue/name_list.h"

#define BLANKS " \t\r\n"

/* Returns the name of the property of queue @path (its first @len bytes). Caller frees. */
static char *format_property_name(const char *path, size_t len, const char *key)
{
    return base_printf(RM_CAPACITY_PREFIX "%.*s.%s", (int)len, path, key);
}

/* Returns the value of property @name, a list of queues, after storing it without blanks, so that
 * many changes of a long list need not parse it again each time. NULL: there is no list. */
static const char *get_compact_list(struct rm_properties *p, const char *name)
{
    const char *list = rm_properties_get(p, name);
    struct base_buf compact = {0};
    size_t len;

    if (!list || list[strcspn(list, BLANKS)] == '\0')
        return list;
    for (const char *at = rm_name_list_first(list, &len); at; at = rm_name_list_next(at, &len))
        base_buf_addf(&compact, "%s%.*s", compact.len ? "," : "", (int)len, at);
    rm_properties_set(p, name, compact.data);
    base_buf_free(&compact);
    return rm_properties_get(p, name);
}

/* Returns the position of @name in the compact @list; NULL: not listed. */
static const char *find_name_in_list(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list && len ? strstr(list, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return at;
    return NULL;
}

/* Returns a copy of the compact @list without the @len bytes of the name at @at. Caller frees. */
static char *copy_list_without_name(const char *list, const char *at, size_t len)
{
    size_t before = (size_t)(at - list);
    struct base_buf left = {0};

    if (at[len] == ',')
        len++;
    else if (before)
        before--; /* the last of several: the comma is in front */
    base_buf_add(&left, list, before);
    base_buf_adds(&left, at + len);
    return base_buf_take(&left);
}

/* Removes the ordering-policy of a queue that gets its first child, or loses its last one: for a
 * parent the property means something else than for a leaf. */
static void unset_ordering_policy(struct rm_properties *p, const char *path, size_t parent_len)
{
    char *name = format_property_name(path, parent_len, "ordering-policy");

    rm_properties_set(p, name, NULL);
    free(name);
}

static int remove_queue(struct rm_properties *p, const char *path, struct base_error *err)
{
    const char *dot = strrchr(path, '.'), *list, *at;
    char *siblings, *prefix, *left;

    if (!dot)
        return base_error_set(err, -BASE_EINVAL, "Can't remove queue %s", path);
    siblings = format_property_name(path, (size_t)(dot - path), "queues");
    list = get_compact_list(p, siblings);
    at = find_name_in_list(list, dot + 1);
    if (at) {
        left = copy_list_without_name(list, at, strlen(dot + 1));
        rm_properties_set(p, siblings, left);
        if (!*left)
            unset_ordering_policy(p, path, (size_t)(dot - path));
        prefix = format_property_name(path, strlen(path), "");
        rm_properties_remove_with_prefix(p, prefix);
        free(prefix);
        free(left);
    }
    free(siblings);
    return at ? 0 : base_error_set(err, -BASE_EINVAL, "Queue %s not found", path);
}

static void set_queue_params(struct rm_properties *p, const struct rm_queue_params *q)
{
    for (size_t i = 0; i < q->n; i++) {
        char *name = format_property_name(q->queue, strlen(q->queue), q->v[i].name);

        rm_properties_set(p, name, q->v[i].value);
        free(name);
    }
}

static int add_queue(struct rm_properties *p, const struct rm_queue_params *q,
                     struct base_error *err)
{
    const char *dot = strrchr(q->queue, '.'), *list;
    struct base_buf all = {0};
    char *siblings;
    bool known;

    if (!dot || !dot[1])
        return base_error_set(err, -BASE_EINVAL, "Can't add invalid queue %s", q->queue);
    siblings = format_property_name(q->queue, (size_t)(dot - q->queue), "queues");
    list = get_compact_list(p, siblings);
    known = find_name_in_list(list, dot + 1) != NULL;
    if (!known) {
        if (!list)
            unset_ordering_policy(p, q->queue, (size_t)(dot - q->queue));
        if (list) {
            base_buf_adds(&all, list);
            base_buf_add(&all, ",", 1);
        }
        base_buf_adds(&all, dot + 1);
        rm_properties_set(p, siblings, all.data);
        set_queue_params(p, q);
        base_buf_free(&all);
    }
    free(siblings);
    return known ? base_error_set(err, -BASE_EINVAL, "Can't add existing queue %s", q->queue) : 0;
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
        set_queue_params(p, &change->updated[i]);
    for (size_t i = 0; rc == 0 && i < change->globals_n; i++)
        rm_properties_set(p, change->globals[i].name, change->globals[i].value);
    return rc;
}
