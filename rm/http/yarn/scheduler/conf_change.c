#include "rm/http/yarn/scheduler/conf_change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CHANGED_QUEUES_MAX = 10000, CHANGED_PARAMS_MAX = 50000 };

#define NAME_MAX_BYTES 4096

/* Returns item @i of a member that may be a list or a single value; NULL after the last one. */
static const json_t *get_item_or_single(const json_t *member, size_t i)
{
    if (json_is_array(member))
        return json_array_get(member, i);
    return i == 0 && member && !json_is_null(member) ? member : NULL;
}

static size_t count_list_or_single(const json_t *member)
{
    return json_is_array(member) ? json_array_size(member) : get_item_or_single(member, 0) != NULL;
}

/* Returns the text of a scalar as YARN's decoder reads it; NULL for null and for lists and
 * objects. */
static const char *get_scalar_text(struct yarn_conf_change *c, const json_t *j)
{
    char *text;

    if (json_is_string(j))
        return json_string_value(j);
    if (!json_is_number(j) && !json_is_boolean(j))
        return NULL;
    text = json_dumps(j, JSON_ENCODE_ANY);
    base_array_grow(&c->texts, c->texts_n, &c->texts_cap);
    c->texts[c->texts_n++] = text;
    return text;
}

static bool has_control_character(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return true;
    return false;
}

/* Checks a name that becomes part of the name of a property. */
static int check_name(const char *member, const char *what, const char *name,
                      struct base_error *err)
{
    if (!name || !*name)
        return base_error_set(err, -BASE_EINVAL, "%s: %s is missing or empty", member, what);
    if (strlen(name) > NAME_MAX_BYTES || has_control_character(name))
        return base_error_set(err, -BASE_EINVAL,
                              "%s: %s \"%.100s\" is longer than %d bytes or has control characters",
                              member, what, name, NAME_MAX_BYTES);
    return 0;
}

/* Decodes the entries of @params, which may be a list of such objects. */
static int decode_params(struct yarn_conf_change *c, const char *member, const json_t *params,
                         const struct rm_param **out, size_t *n, struct base_error *err)
{
    size_t most = 0;
    struct rm_param *v;
    const json_t *group, *entry;

    for (size_t i = 0; (group = get_item_or_single(params, i)); i++)
        most += count_list_or_single(json_object_get(group, "entry"));
    v = base_alloc((most + 1) * sizeof *v);
    base_array_grow(&c->params, c->params_n, &c->params_cap);
    c->params[c->params_n++] = v;
    *out = v;
    for (size_t i = 0; (group = get_item_or_single(params, i)); i++)
        for (size_t j = 0; (entry = get_item_or_single(json_object_get(group, "entry"), j)); j++) {
            struct rm_param *p = &v[(*n)++];

            p->name = get_scalar_text(c, json_object_get(entry, "key"));
            p->value = get_scalar_text(c, json_object_get(entry, "value"));
            if (check_name(member, "the key of an entry", p->name, err) < 0)
                return -BASE_EINVAL;
        }
    return 0;
}

static int decode_queue_params(struct yarn_conf_change *c, const json_t *body, const char *member,
                               struct rm_queue_params **out, size_t *n, struct base_error *err)
{
    const json_t *list = json_object_get(body, member), *item;
    int rc = 0;

    *out = base_alloc((count_list_or_single(list) + 1) * sizeof **out);
    for (size_t i = 0; rc == 0 && (item = get_item_or_single(list, i)); i++) {
        struct rm_queue_params *q = &(*out)[(*n)++];

        q->queue = get_scalar_text(c, json_object_get(item, "queue-name"));
        rc = check_name(member, "queue-name", q->queue, err);
        if (rc == 0)
            rc = decode_params(c, member, json_object_get(item, "params"), &q->v, &q->n, err);
    }
    return rc;
}

static int decode_removed_queues(struct yarn_conf_change *c, const json_t *body,
                                 struct base_error *err)
{
    const json_t *list = json_object_get(body, "remove-queue"), *item;
    int rc = 0;

    c->removed = base_alloc((count_list_or_single(list) + 1) * sizeof *c->removed);
    for (size_t i = 0; rc == 0 && (item = get_item_or_single(list, i)); i++) {
        c->removed[i] = get_scalar_text(c, item);
        c->change.removed_n++;
        rc = check_name("remove-queue", "the path of a queue", c->removed[i], err);
    }
    return rc;
}

/* Checks the size of the whole change: for each queue the core searches its siblings. */
static int check_change_size(const struct rm_conf_change *c, struct base_error *err)
{
    size_t queues = c->removed_n + c->added_n + c->updated_n, params = c->globals_n;

    for (size_t i = 0; i < c->added_n; i++)
        params += c->added[i].n;
    for (size_t i = 0; i < c->updated_n; i++)
        params += c->updated[i].n;
    if (queues > CHANGED_QUEUES_MAX || params > CHANGED_PARAMS_MAX)
        return base_error_set(err, -BASE_EINVAL,
                              "the change names %zu queues and %zu properties, at most %d and %d "
                              "are taken",
                              queues, params, CHANGED_QUEUES_MAX, CHANGED_PARAMS_MAX);
    return 0;
}

int yarn_conf_change_decode(const json_t *body, struct yarn_conf_change *c, struct base_error *err)
{
    int rc;

    *c = (struct yarn_conf_change){0};
    rc = decode_removed_queues(c, body, err);
    if (rc == 0)
        rc = decode_queue_params(c, body, "add-queue", &c->added, &c->change.added_n, err);
    if (rc == 0)
        rc = decode_queue_params(c, body, "update-queue", &c->updated, &c->change.updated_n, err);
    if (rc == 0)
        rc = decode_params(c, "global-updates", json_object_get(body, "global-updates"),
                           &c->change.globals, &c->change.globals_n, err);
    c->change.removed = c->removed;
    c->change.added = c->added;
    c->change.updated = c->updated;
    return rc < 0 ? rc : check_change_size(&c->change, err);
}

void yarn_conf_change_free(struct yarn_conf_change *c)
{
    for (size_t i = 0; i < c->params_n; i++)
        free(c->params[i]);
    for (size_t i = 0; i < c->texts_n; i++)
        free(c->texts[i]);
    free(c->params);
    free(c->texts);
    free(c->removed);
    free(c->added);
    free(c->updated);
    *c = (struct yarn_conf_change){0};
}
