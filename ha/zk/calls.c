#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ha/zk/client_internal.h"

struct zk_request *zk_request_new(struct ha_zk_client *c, const struct ha_zk_request *rq)
{
    struct zk_request *r = base_alloc(sizeof *r);

    r->item.kind = HA_ZK_RESULT;
    r->item.request = r;
    r->client = c;
    r->owner = rq->owner;
    r->id = rq->id;
    r->kind = rq->kind;
    r->failed_op = -1;
    r->sent_us = base_mono_us(&base_clock_real);
    if (rq->kind != HA_ZK_MULTI) {
        r->path = base_strdup(rq->path);
        return r;
    }
    r->ops_n = rq->ops_n;
    r->ops = base_alloc(rq->ops_n * sizeof *r->ops);
    r->results = base_alloc(rq->ops_n * sizeof *r->results);
    for (size_t i = 0; i < rq->ops_n; i++) {
        r->ops[i].path = base_strdup(rq->ops[i].path);
        r->ops[i].kind = rq->ops[i].kind;
    }
    return r;
}

void zk_request_free(struct zk_request *r)
{
    for (size_t i = 0; i < r->ops_n; i++)
        free(r->ops[i].path);
    for (size_t i = 0; i < r->children_n; i++)
        free(r->children[i]);
    free(r->ops);
    free(r->results);
    free(r->children);
    free(r->data);
    free(r->text);
    free(r->path);
    free(r);
}

static enum ha_zk_code translate_code(int rc)
{
    switch (rc) {
    case ZOK:
        return HA_ZK_OK;
    case ZNONODE:
        return HA_ZK_NONODE;
    case ZNODEEXISTS:
        return HA_ZK_NODEEXISTS;
    case ZBADVERSION:
        return HA_ZK_BADVERSION;
    case ZNOTEMPTY:
        return HA_ZK_NOTEMPTY;
    case ZNOAUTH:
        return HA_ZK_NOAUTH;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZCLOSING:
    case ZSYSTEMERROR:          /* the library has given up the connection ... */
    case ZRUNTIMEINCONSISTENCY: /* ... because answers came out of order */
    case ZSESSIONMOVED:
        return HA_ZK_LOSS;
    case ZSESSIONEXPIRED:
        return HA_ZK_EXPIRED;
    default:
        return HA_ZK_FAILED;
    }
}

void zk_request_queue_failure(struct zk_request *r, enum ha_zk_code code, const char *text)
{
    r->code = code;
    r->text = base_strdup(text);
    zk_client_queue_item(r->client, &r->item);
}

static void append_acl_entry(struct base_buf *b, const struct ACL *a)
{
    /* one letter per bit of perms, as in ZooKeeper's shell */
    static const char letters[] = "rwcda";

    size_t user = strcspn(a->id.id, ":");
    bool digest =
        strcmp(a->id.scheme, "digest") == 0 && strlen(a->id.id + user) > HA_ZK_DIGEST_SHOWN + 1;

    base_buf_addf(b, "%s%s:%.*s%s:", b->len ? ", " : "", a->id.scheme,
                  digest ? (int)user + 1 + HA_ZK_DIGEST_SHOWN : (int)strlen(a->id.id), a->id.id,
                  digest ? "..." : "");
    for (int i = 0; letters[i]; i++)
        if (a->perms & (1 << i))
            base_buf_add(b, &letters[i], 1);
}

static void complete_refusal_with_acl(int rc, struct ACL_vector *acl, struct Stat *stat,
                                      const void *data)
{
    struct zk_request *r = (struct zk_request *)data;
    struct base_buf b = {0};

    (void)stat;
    for (int i = 0; rc == ZOK && i < acl->count; i++)
        append_acl_entry(&b, &acl->data[i]);
    if (b.len)
        r->text = base_printf("%s is open to %s, and we are digest:%s", r->path, b.data,
                              ha_zk_client_short_auth_id(r->client));
    else
        r->text = base_printf("%s has an ACL that excludes us (digest:%s), and we may not read it",
                              r->path, ha_zk_client_short_auth_id(r->client));
    base_buf_free(&b);
    zk_client_queue_item(r->client, &r->item);
}

/* Sets r->path to the node on which we lack permission: for creating and deleting, the parent. */
static void set_unauthorized_path(struct zk_request *r)
{
    char *slash;

    if (r->kind != HA_ZK_MULTI || r->failed_op < 0)
        return;
    r->path = base_strdup(r->ops[r->failed_op].path);
    if (r->ops[r->failed_op].kind == HA_ZK_CREATE || r->ops[r->failed_op].kind == HA_ZK_DELETE) {
        slash = strrchr(r->path, '/');
        slash[slash == r->path] = '\0';
    }
}

/* Runs on libzookeeper's completion thread, or inside zookeeper_close(). */
static void complete_request(struct zk_request *r, int rc)
{
    r->code = translate_code(rc);
    if (r->code == HA_ZK_NOAUTH) {
        set_unauthorized_path(r);
        if (r->path && zoo_aget_acl(r->zh, r->path, complete_refusal_with_acl, r) == ZOK)
            return; /* complete_refusal_with_acl() will queue the result */
    }
    if (rc != ZOK) {
        const char *where = r->failed_op >= 0 ? r->ops[r->failed_op].path : r->path;

        r->text = base_printf("%s%s%s", where ? where : "", where ? ": " : "", zerror(rc));
    }
    zk_client_queue_item(r->client, &r->item);
}

static void complete_multi(int rc, const void *data)
{
    struct zk_request *r = (struct zk_request *)data;
    enum ha_zk_code code = translate_code(rc);

    /* Find the failed operation. Operations before it have result 0, those after it
     * ZRUNTIMEINCONSISTENCY. If no operation was examined, all have the latter. */
    if (code != HA_ZK_OK && code != HA_ZK_LOSS && code != HA_ZK_EXPIRED)
        for (size_t i = 0; i < r->ops_n && r->failed_op < 0; i++)
            if (r->results[i].err == rc &&
                (i + 1 == r->ops_n || r->results[i + 1].err == ZRUNTIMEINCONSISTENCY))
                r->failed_op = (int)i;
    complete_request(r, rc);
}

static void complete_get(int rc, const char *value, int len, const struct Stat *stat,
                         const void *data)
{
    struct zk_request *r = (struct zk_request *)data;

    if (rc == ZOK) {
        r->len = len > 0 ? (size_t)len : 0; /* -1: a node without data */
        r->data = base_alloc(r->len + 1);
        memcpy(r->data, value ? value : "", r->len);
        r->version = stat->version;
        r->ephemeral_owner = stat->ephemeralOwner;
    }
    complete_request(r, rc);
}

static void complete_children(int rc, const struct String_vector *names, const struct Stat *stat,
                              const void *data)
{
    struct zk_request *r = (struct zk_request *)data;

    if (rc == ZOK) {
        r->created_zxid = stat->czxid;
        r->children_n = (size_t)names->count;
        r->children = base_alloc(r->children_n * sizeof *r->children);
        for (size_t i = 0; i < r->children_n; i++)
            r->children[i] = base_strdup(names->data[i]);
    }
    complete_request(r, rc);
}

static void complete_sync(int rc, const char *value, const void *data)
{
    (void)value;
    complete_request((struct zk_request *)data, rc);
}

static int send_multi(struct zk_request *r, zhandle_t *zh, const struct ha_zk_request *rq)
{
    zoo_op_t *ops = base_alloc(rq->ops_n * sizeof *ops); /* zoo_amulti() copies the operations */
    bool first = true;
    int rc;

    for (size_t i = 0; i < rq->ops_n; i++) {
        const struct ha_zk_op *op = &rq->ops[i];
        int flags = (op->ephemeral ? ZOO_EPHEMERAL : 0) | (op->sequence ? ZOO_SEQUENCE : 0);

        switch (op->kind) {
        case HA_ZK_CREATE:
            zoo_create_op_init(&ops[i], op->path, op->data ? op->data : "", (int)op->len,
                               &ZOO_CREATOR_ALL_ACL, flags, first ? r->created : NULL,
                               first ? sizeof r->created : 0);
            first = false;
            break;
        case HA_ZK_SET:
            zoo_set_op_init(&ops[i], op->path, op->data ? op->data : "", (int)op->len, op->version,
                            NULL);
            break;
        case HA_ZK_DELETE:
            zoo_delete_op_init(&ops[i], op->path, op->version);
            break;
        case HA_ZK_CHECK:
            zoo_check_op_init(&ops[i], op->path, op->version);
            break;
        }
    }
    rc = zoo_amulti(zh, (int)rq->ops_n, ops, r->results, complete_multi, r);
    free(ops);
    return rc;
}

void zk_request_send(struct zk_request *r, zhandle_t *zh, const struct ha_zk_request *rq,
                     watcher_fn watcher, void *watcher_context)
{
    int rc = ZUNIMPLEMENTED;

    r->zh = zh;
    switch (rq->kind) {
    case HA_ZK_MULTI:
        rc = send_multi(r, zh, rq);
        break;
    case HA_ZK_GET:
        rc = zoo_awget(zh, r->path, rq->watch ? watcher : NULL, watcher_context, complete_get, r);
        break;
    case HA_ZK_CHILDREN:
        rc = zoo_awget_children2(zh, r->path, rq->watch ? watcher : NULL, watcher_context,
                                 complete_children, r);
        break;
    case HA_ZK_SYNC:
        rc = zoo_async(zh, r->path, complete_sync, r);
        break;
    }
    if (rc == ZINVALIDSTATE)
        zk_request_queue_failure(r, HA_ZK_LOSS, "the session is over");
    else if (rc != ZOK) /* the library has refused the request: no completion will come */
        zk_request_queue_failure(r, HA_ZK_FAILED, zerror(rc));
}

void zk_request_fill_event(const struct zk_request *r, struct ha_zk_event *ev)
{
    ev->owner = r->owner;
    ev->id = r->id;
    ev->asked = r->kind;
    ev->code = r->code;
    ev->failed_op = r->failed_op;
    ev->sent_us = r->sent_us;
    ev->text = r->text ? r->text : "";
    ev->data = r->data;
    ev->len = r->len;
    ev->version = r->version;
    ev->ephemeral_owner = r->ephemeral_owner;
    ev->children = (const char *const *)r->children;
    ev->children_n = r->children_n;
    ev->created_zxid = r->created_zxid;
    ev->created = r->created[0] ? r->created : NULL;
}
