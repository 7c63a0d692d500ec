/* ha/store/store.c - the list of stores, and the functions that call an open store's functions
 * through its table. */
#include "ha/store/store.h"

#include <string.h>

#include "base/mem.h"

/* One line per store; the first suitable one is the default. */
#define STORES(X)                                                                                  \
    X(sqlite)                                                                                      \
    X(zookeeper)                                                                                   \
    X(memory)

#define DECLARE(name)  extern const struct ha_store_ops ha_store_##name;
#define POINT_TO(name) &ha_store_##name,
STORES(DECLARE)
static const struct ha_store_ops *const stores[] = {STORES(POINT_TO)};

static bool is_suitable(const struct ha_store_ops *ops, bool shared)
{
    return (ops->shared != NULL) == shared;
}

static int set_store_name_error(const char *name, bool shared, struct base_error *err)
{
    struct base_buf names = {0};
    int rc;

    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (is_suitable(stores[i], shared))
            base_buf_addf(&names, "%s%s", names.len ? ", " : "", stores[i]->name);
    rc = base_error_set(err, -BASE_EINVAL, "\"%.40s\" is no state store of %s: expected one of %s",
                        name, shared ? "several ResourceManagers" : "a single ResourceManager",
                        names.data);
    base_buf_free(&names);
    return rc;
}

int ha_store_choose(const char *name, bool shared, const struct ha_store_ops **out,
                    struct base_error *err)
{
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (is_suitable(stores[i], shared) &&
            (!name || !*name || strcmp(stores[i]->name, name) == 0)) {
            *out = stores[i];
            return 0;
        }
    return set_store_name_error(name, shared, err);
}

int ha_store_open(const struct ha_store_ops *ops, const char *where,
                  const struct ha_store_lead *lead, struct ha_store **out, int64_t *epoch,
                  struct base_error *err)
{
    int rc = ops->open(where, lead, out, epoch, err);

    if (rc == 0 &&
        (*out)->ops != ops) /* written only once: other threads may use the same store in memory */
        (*out)->ops = ops;
    return rc;
}

int ha_store_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                  struct base_error *err)
{
    return s->ops->load(s, table, each, user, err);
}

int ha_store_write(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err)
{
    return s->ops->write(s, v, n, err);
}

int ha_store_raise_epoch(struct ha_store *s, int64_t epoch, struct base_error *err)
{
    return s->ops->raise(s, epoch, err);
}

void ha_store_abort(struct ha_store *s)
{
    if (s->ops->abort)
        s->ops->abort(s);
}

void ha_store_close(struct ha_store *s)
{
    if (s)
        s->ops->close(s);
}
