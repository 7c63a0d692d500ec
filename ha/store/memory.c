/* ha/store/memory.c - a store in memory, for trials and tests. A store with a name keeps its data
 * when it is closed; no store outlives the process. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/store/store.h"

struct row {
    char *table, *key, *data;
    size_t len;
};
struct store {
    struct ha_store base;
    char *name;
    struct row *v; /* sorted by (table, key) */
    size_t len, cap;
    int64_t epoch;
    struct store *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct store *named;

static void free_row_members(struct row *r)
{
    free(r->table);
    free(r->key);
    free(r->data);
}

static void free_store(struct store *s)
{
    for (size_t i = 0; i < s->len; i++)
        free_row_members(&s->v[i]);
    free(s->v);
    free(s->name);
    free(s);
}

static int memory_open(const char *where, const struct ha_store_lead *lead, struct ha_store **out,
                       int64_t *epoch, struct base_error *err)
{
    struct store *s;

    (void)lead, (void)err;
    pthread_mutex_lock(&lock);
    for (s = named; s && strcmp(s->name, where) != 0; s = s->next)
        ;
    if (s) {
        s->epoch++;
    } else {
        s = base_alloc(sizeof *s);
        s->name = base_strdup(where);
        if (where[0]) {
            s->next = named;
            named = s;
        }
    }
    *epoch = s->epoch;
    pthread_mutex_unlock(&lock);
    *out = &s->base;
    return 0;
}

static int compare_row_to(const struct row *r, const char *table, const char *key)
{
    int c = strcmp(r->table, table);

    return c ? c : strcmp(r->key, key);
}

/* Returns the index of the first row that does not come before (table, key). */
static size_t find_first_row_from(const struct store *s, const char *table, const char *key)
{
    size_t lo = 0, hi = s->len;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (compare_row_to(&s->v[mid], table, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int memory_load(struct ha_store *base, const char *table, ha_record_fn *each, void *user,
                       struct base_error *err)
{
    struct store *s = (struct store *)base;
    int rc = 0;

    for (size_t i = find_first_row_from(s, table, "");
         rc >= 0 && i < s->len && strcmp(s->v[i].table, table) == 0; i++)
        rc = each(user, &(struct ha_record){table, s->v[i].key, s->v[i].data, s->v[i].len}, err);
    return rc < 0 ? rc : 0;
}

static int memory_write(struct ha_store *base, const struct ha_record *v, size_t n,
                        struct base_error *err)
{
    struct store *s = (struct store *)base;

    (void)err;
    for (size_t k = 0; k < n; k++) {
        size_t i = find_first_row_from(s, v[k].table, v[k].key);
        bool there = i < s->len && compare_row_to(&s->v[i], v[k].table, v[k].key) == 0;

        if (there)
            free_row_members(&s->v[i]);
        if (there && !v[k].data) {
            memmove(&s->v[i], &s->v[i + 1], (s->len - i - 1) * sizeof *s->v);
            s->len--;
        }
        if (!v[k].data)
            continue;
        if (!there) {
            base_array_grow(&s->v, s->len, &s->cap);
            memmove(&s->v[i + 1], &s->v[i], (s->len - i) * sizeof *s->v);
            s->len++;
        }
        s->v[i] = (struct row){base_strdup(v[k].table), base_strdup(v[k].key), NULL, v[k].len};
        s->v[i].data = base_realloc_array(NULL, v[k].len + 1, 1);
        memcpy(s->v[i].data, v[k].data, v[k].len);
        s->v[i].data[v[k].len] = '\0';
    }
    return 0;
}

static int memory_raise_epoch(struct ha_store *base, int64_t epoch, struct base_error *err)
{
    struct store *s = (struct store *)base;

    (void)err;
    if (s->epoch < epoch)
        s->epoch = epoch;
    return 0;
}

static void memory_close(struct ha_store *base)
{
    struct store *s = (struct store *)base;

    if (!s->name[0])
        free_store(s);
}

const struct ha_store_ops ha_store_memory = {.name = "memory",
                                             .open = memory_open,
                                             .load = memory_load,
                                             .write = memory_write,
                                             .close = memory_close,
                                             .raise = memory_raise_epoch};
