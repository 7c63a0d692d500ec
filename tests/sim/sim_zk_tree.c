#include "tests/sim/sim_zk_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct zk_node *find(const struct zk_tree *t, const char *path, size_t len)
{
    for (size_t i = 0; i < t->n; i++)
        if (strncmp(t->v[i].path, path, len) == 0 && t->v[i].path[len] == '\0')
            return &t->v[i];
    return NULL;
}

const struct zk_node *zk_find(const struct zk_tree *t, const char *path)
{
    return find(t, path, strlen(path));
}

/* "/a/b" -> 2; "/a" -> 0: the root itself, which is always there. */
static size_t parent_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

static bool is_child(const char *path, const char *of, size_t len)
{
    return strncmp(path, of, len) == 0 && path[len] == '/' && !strchr(path + len + 1, '/');
}

const char *const *zk_children(struct sim *s, const struct zk_tree *t, const char *path, size_t *n)
{
    const char **v = sim_alloc(s, (t->n + 1) * sizeof *v);
    size_t len = strlen(path);

    *n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (is_child(t->v[i].path, path, len))
            v[(*n)++] = t->v[i].path + len + 1;
    for (size_t i = *n; i > 1; i--) { /* in random order */
        size_t j = (size_t)sim_rnd(s, i);
        const char *swap = v[i - 1];

        v[i - 1] = v[j];
        v[j] = swap;
    }
    return v;
}

static bool has_children(const struct zk_tree *t, const char *path)
{
    for (size_t i = 0; i < t->n; i++)
        if (is_child(t->v[i].path, path, strlen(path)))
            return true;
    return false;
}

static void add(struct zk_tree *t, const struct zk_change *c, int64_t zxid)
{
    struct zk_node *up = find(t, c->path, parent_len(c->path));

    if (up) {
        up->pzxid = zxid;
        up->children_made++; /* ZooKeeper's cversion counts removals too */
    }
    base_array_grow(&t->v, t->n, &t->cap);
    t->v[t->n++] = (struct zk_node){.path = c->path,
                                    .data = c->data,
                                    .len = c->len,
                                    .owner = c->owner,
                                    .czxid = zxid,
                                    .mzxid = zxid,
                                    .pzxid = zxid};
}

static void drop(struct zk_tree *t, const char *path, int64_t zxid)
{
    struct zk_node *up = find(t, path, parent_len(path)), *at = find(t, path, strlen(path));

    if (up)
        up->pzxid = zxid;
    if (at)
        *at = t->v[--t->n];
}

static void apply(struct zk_tree *t, const struct zk_change *c, int64_t zxid)
{
    struct zk_node *at;

    if (c->kind == HA_ZK_CREATE) {
        add(t, c, zxid);
    } else if (c->kind == HA_ZK_DELETE) {
        drop(t, c->path, zxid);
    } else if ((at = find(t, c->path, strlen(c->path))) != NULL) {
        at->data = c->data;
        at->len = c->len;
        at->version++;
        at->mzxid = zxid;
    }
}

static enum ha_zk_code create(struct sim *s, const struct zk_tree *t, const struct ha_zk_op *op,
                              int64_t session, struct zk_change *c)
{
    size_t len = parent_len(op->path);
    const struct zk_node *up = len ? find(t, op->path, len) : NULL;

    if (len && !up)
        return HA_ZK_NONODE;
    if (up && up->owner)
        return HA_ZK_FAILED;
    *c = (struct zk_change){
        .kind = HA_ZK_CREATE,
        .path = op->sequence ? sim_text(s, "%s%010" PRId64, op->path, up ? up->children_made : 0)
                             : sim_copy(s, op->path, strlen(op->path)),
        .data = sim_copy(s, op->data, op->len),
        .len = op->len,
        .owner = op->ephemeral ? session : 0,
        .sequence = op->sequence};
    return zk_find(t, c->path) ? HA_ZK_NODEEXISTS : HA_ZK_OK;
}

static enum ha_zk_code one(struct sim *s, const struct zk_tree *t, const struct ha_zk_op *op,
                           int64_t session, struct zk_change *c)
{
    const struct zk_node *at = zk_find(t, op->path);

    if (op->kind == HA_ZK_CREATE)
        return create(s, t, op, session, c);
    if (!at)
        return HA_ZK_NONODE;
    if (op->version != -1 && op->version != at->version)
        return HA_ZK_BADVERSION;
    if (op->kind == HA_ZK_DELETE && has_children(t, op->path))
        return HA_ZK_NOTEMPTY;
    *c = (struct zk_change){.kind = op->kind, .path = at->path};
    if (op->kind == HA_ZK_SET) {
        c->data = sim_copy(s, op->data, op->len);
        c->len = op->len;
    }
    return HA_ZK_OK;
}

struct zk_result zk_multi(struct sim *s, struct zk_tree *t, const struct ha_zk_op *ops, size_t n,
                          int64_t session, int64_t zxid, struct zk_txn *out)
{
    struct zk_tree work = {.n = t->n, .cap = t->n + n};
    struct zk_result r = {.code = HA_ZK_OK, .failed_op = -1};

    work.v = base_realloc_array(NULL, work.cap + 1, sizeof *work.v);
    if (t->n)
        memcpy(work.v, t->v, t->n * sizeof *t->v);
    *out = (struct zk_txn){.v = sim_alloc(s, (n + 1) * sizeof *out->v)};
    for (size_t i = 0; i < n; i++) {
        struct zk_change c = {0};

        r.code = one(s, &work, &ops[i], session, &c);
        if (r.code != HA_ZK_OK) {
            r.failed_op = (int)i;
            free(work.v);
            return r;
        }
        if (ops[i].kind == HA_ZK_CHECK)
            continue;
        apply(&work, &c, zxid);
        out->v[out->n++] = c;
        if (c.kind == HA_ZK_CREATE && !r.created)
            r.created = c.path;
    }
    free(t->v);
    *t = work;
    return r;
}

void zk_end_session(struct sim *s, struct zk_tree *t, int64_t session, int64_t zxid,
                    struct zk_txn *out)
{
    *out = (struct zk_txn){.v = sim_alloc(s, (t->n + 1) * sizeof *out->v), .ended = session};
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].owner == session)
            out->v[out->n++] = (struct zk_change){.kind = HA_ZK_DELETE, .path = t->v[i].path};
    zk_repeat(t, out, zxid);
}

void zk_repeat(struct zk_tree *t, const struct zk_txn *txn, int64_t zxid)
{
    for (size_t i = 0; i < txn->n; i++)
        apply(t, &txn->v[i], zxid);
}

void zk_tree_free(struct zk_tree *t)
{
    free(t->v);
    *t = (struct zk_tree){0};
}

bool zk_touches(const struct zk_change *c, const char *path, bool children)
{
    if (strcmp(c->path, path) == 0)
        return children ? c->kind == HA_ZK_DELETE : true;
    return children && c->kind != HA_ZK_SET && is_child(c->path, path, strlen(path));
}
