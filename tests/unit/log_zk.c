#include "tests/unit/log_zk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct log_zk_call {
    struct ha_zk_request rq;
    struct ha_zk_op *ops;
    char *path;
    bool done; /* carried out, with the answer below */
    enum ha_zk_code code;
    int failed_op;
    char *data;
    size_t len;
    struct log_zk_call *next;
};

struct log_zk_node *log_zk_node(struct log_zk *z, uint64_t number)
{
    return number >= z->first && number - z->first < z->n && z->node[number - z->first].data
               ? &z->node[number - z->first]
               : NULL;
}

void log_zk_put(struct log_zk *z, uint64_t number, const void *data, size_t len)
{
    struct log_zk_node *at;

    if (z->n == 0)
        z->first = number;
    base_assert(number >= z->first);
    while (number - z->first >= z->n) {
        base_array_grow(&z->node, z->n, &z->cap);
        z->node[z->n++] = (struct log_zk_node){0};
    }
    at = &z->node[number - z->first];
    free(at->data);
    *at = (struct log_zk_node){base_strndup("", 0), len, 0};
    at->data = base_realloc_array(at->data, len + 1, 1);
    memcpy(at->data, data, len);
    at->data[len] = '\0';
}

void log_zk_delete(struct log_zk *z, uint64_t number)
{
    size_t gone = 0;

    free(z->node[number - z->first].data);
    z->node[number - z->first].data = NULL;
    while (gone < z->n && !z->node[gone].data)
        gone++;
    if (gone == z->n || gone > 4096) {
        memmove(z->node, z->node + gone, (z->n - gone) * sizeof *z->node);
        z->n -= gone;
        z->first += gone;
    }
}

size_t log_zk_count(const struct log_zk *z)
{
    size_t n = 0;

    for (size_t i = 0; i < z->n; i++)
        n += z->node[i].data != NULL;
    return n;
}

void log_zk_free(struct log_zk *z)
{
    for (size_t i = 0; i < z->n; i++)
        free(z->node[i].data);
    free(z->node);
    *z = (struct log_zk){0};
}

static uint64_t number_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(path, LOG_ZK_ROOT "/epoch") == 0 || strcmp(path, LOG_ZK_ROOT "/log") == 0
               ? 0
               : strtoull(slash + 1, NULL, 10);
}

void log_zk_link_init(struct log_zk_link *k, struct log_zk *z)
{
    *k = (struct log_zk_link){.zk = z, .last = &k->first};
}

static void free_call(struct log_zk_call *c)
{
    for (size_t i = 0; i < c->rq.ops_n; i++) {
        free((char *)(uintptr_t)c->ops[i].path);
        free((char *)(uintptr_t)c->ops[i].data);
    }
    free(c->ops);
    free(c->path);
    free(c->data);
    free(c);
}

void log_zk_link_free(struct log_zk_link *k)
{
    while (k->first) {
        struct log_zk_call *c = k->first;
        k->first = c->next;
        free_call(c);
    }
    log_zk_link_init(k, k->zk);
}

void log_zk_send(void *link, const struct ha_zk_request *rq)
{
    struct log_zk_link *k = link;
    struct log_zk_call *c = base_alloc(sizeof *c);
    int64_t bytes = 0;

    c->rq = *rq;
    c->path = base_strdup(rq->path);
    c->ops = base_alloc(rq->ops_n * sizeof *c->ops);
    for (size_t i = 0; i < rq->ops_n; i++) {
        c->ops[i] = rq->ops[i];
        c->ops[i].path = base_strdup(rq->ops[i].path);
        c->ops[i].data = NULL;
        bytes += (int64_t)(strlen(c->ops[i].path) + 32 + rq->ops[i].len);
        if (rq->ops[i].data) {
            char *copy = base_realloc_array(NULL, rq->ops[i].len + 1, 1);
            memcpy(copy, rq->ops[i].data, rq->ops[i].len);
            c->ops[i].data = copy;
        }
    }
    if (bytes > k->zk->largest)
        k->zk->largest = bytes;
    *k->last = c;
    k->last = &c->next;
    k->waiting++;
}

/* Returns what @op would answer. @made: the path of the last create before it in the same multi, or
 * NULL. */
static enum ha_zk_code try_op(struct log_zk *z, const struct ha_zk_op *op, const char *made)
{
    uint64_t number = number_of(op->path);
    const struct log_zk_node *at = number ? log_zk_node(z, number) : NULL;

    if (strcmp(op->path, LOG_ZK_ROOT "/epoch") == 0)
        return op->version == -1 || op->version == z->epoch_version ? HA_ZK_OK : HA_ZK_BADVERSION;
    if (op->kind == HA_ZK_CREATE && number == 0)
        return z->has_log ? HA_ZK_NODEEXISTS : HA_ZK_OK;
    if (op->kind == HA_ZK_SET)
        return !z->has_log                     ? HA_ZK_NONODE
               : op->version == z->log_version ? HA_ZK_OK
                                               : HA_ZK_BADVERSION;
    if (op->kind == HA_ZK_CREATE)
        return !z->has_log                                   ? HA_ZK_NONODE
               : at || (made && strcmp(made, op->path) == 0) ? HA_ZK_NODEEXISTS
                                                             : HA_ZK_OK;
    if (!at)
        return HA_ZK_NONODE;
    return op->version == -1 || op->version == at->version ? HA_ZK_OK : HA_ZK_BADVERSION;
}

static void multi(struct log_zk *z, struct log_zk_call *c)
{
    const char *made = NULL;

    z->multis++;
    for (size_t i = 0; i < c->rq.ops_n; i++) {
        c->code = try_op(z, &c->ops[i], made);
        if (c->ops[i].kind == HA_ZK_CREATE)
            made = c->ops[i].path;
        if (c->code != HA_ZK_OK) {
            c->failed_op = (int)i;
            z->refused++;
            return;
        }
    }
    for (size_t i = 0; i < c->rq.ops_n; i++) {
        uint64_t number = number_of(c->ops[i].path);

        if (c->ops[i].kind == HA_ZK_CREATE && number == 0)
            z->has_log = true;
        else if (c->ops[i].kind == HA_ZK_CREATE)
            log_zk_put(z, number, c->ops[i].data, c->ops[i].len);
        z->log_version += c->ops[i].kind == HA_ZK_SET;
        if (c->ops[i].kind == HA_ZK_DELETE) {
            log_zk_delete(z, number);
            z->deletes++;
        }
    }
}

static void get(struct log_zk *z, struct log_zk_call *c)
{
    const struct log_zk_node *at = log_zk_node(z, number_of(c->path));

    z->gets++;
    c->code = at ? HA_ZK_OK : HA_ZK_NONODE;
    if (!at)
        return;
    c->len = at->len;
    c->data = base_realloc_array(NULL, at->len + 1, 1);
    memcpy(c->data, at->data, at->len + 1);
}

/* Answers with the names of the segments that exist now, each with its NUL; unsorted, as ZooKeeper
 * may list them. */
static void children(struct log_zk *z, struct log_zk_call *c)
{
    struct base_buf names = {0};
    char name[24];

    c->code = z->has_log ? HA_ZK_OK : HA_ZK_NONODE;
    for (int odd = 0; odd < 2; odd++)
        for (size_t i = z->n; i-- > 0;)
            if (z->node[i].data && (z->first + i) % 2 == (uint64_t)odd)
                base_buf_add(&names, name,
                             (size_t)snprintf(name, sizeof name, "%010" PRIu64, z->first + i) + 1);
    if (z->stranger)
        base_buf_add(&names, z->stranger, strlen(z->stranger) + 1);
    c->len = names.len;
    c->data = base_buf_take(&names);
}

static bool fails(struct log_zk_link *k, struct log_zk_call *c)
{
    uint64_t number = 0;

    if (!k->fail || c->rq.kind != k->fail_kind)
        return false;
    if (c->rq.kind == HA_ZK_GET)
        number = number_of(c->path);
    for (size_t i = 0; i < c->rq.ops_n; i++)
        if (c->ops[i].kind == HA_ZK_CREATE)
            number = number_of(c->ops[i].path);
    if (number != k->fail_number)
        return false;
    k->fail = false;
    c->code = k->fail_code;
    c->failed_op = k->fail_op;
    return true;
}

bool log_zk_execute(struct log_zk_link *k)
{
    struct log_zk_call *c = k->first;

    while (c && c->done)
        c = c->next;
    if (!c)
        return false;
    c->done = true;
    c->code = HA_ZK_OK;
    c->failed_op = -1;
    if (fails(k, c))
        ;
    else if (c->rq.kind == HA_ZK_MULTI)
        multi(k->zk, c);
    else if (c->rq.kind == HA_ZK_GET)
        get(k->zk, c);
    else if (c->rq.kind == HA_ZK_CHILDREN)
        children(k->zk, c);
    k->waiting--;
    k->answers++;
    return true;
}

static struct log_zk_call *take(struct log_zk_link *k)
{
    struct log_zk_call *c = k->first;

    k->first = c->next;
    if (!k->first)
        k->last = &k->first;
    c->done ? k->answers-- : k->waiting--;
    return c;
}

static void deliver(struct log_zk_link *k, struct log_zk_call *c)
{
    struct ha_zk_event ev = {.kind = HA_ZK_RESULT,
                             .owner = c->rq.owner,
                             .id = c->rq.id,
                             .code = c->code,
                             .failed_op = c->failed_op,
                             .data = c->data,
                             .len = c->len};
    const char **names = NULL;
    size_t n = 0, cap = 0;

    if (c->code != HA_ZK_OK)
        ev.text = "as the test says";
    if (c->rq.kind == HA_ZK_CHILDREN && c->code == HA_ZK_OK) {
        for (const char *at = c->data; at < c->data + c->len; at += strlen(at) + 1) {
            base_array_grow(&names, n, &cap);
            names[n++] = at;
        }
        ev.children = names;
        ev.children_n = n;
        ev.created_zxid = k->zk->log_zxid;
    }
    if (ev.owner == HA_ZK_FOR_FOLLOW)
        ha_log_follow_on_event(k->follow, &ev, k->now_us);
    else
        ha_log_on_event(k->log, &ev);
    free(names);
}

bool log_zk_answer(struct log_zk_link *k)
{
    struct log_zk_call *c;

    if (k->answers == 0)
        return false;
    c = take(k);
    deliver(k, c);
    free_call(c);
    return true;
}

void log_zk_run(struct log_zk_link *k)
{
    while (log_zk_execute(k) || log_zk_answer(k))
        ;
}

void log_zk_lose(struct log_zk_link *k, enum ha_zk_code code, struct log_zk_link *late)
{
    size_t n = k->waiting + k->answers;

    for (; n > 0; n--) {
        struct log_zk_call *c = take(k);
        bool done = c->done;

        c->code = code;
        c->failed_op = -1;
        c->len = 0;
        deliver(k, c);
        if (done || !late) {
            free_call(c);
            continue;
        }
        c->next = NULL;
        *late->last = c;
        late->last = &c->next;
        late->waiting++;
    }
}

void log_zk_connect(struct log_zk_link *k)
{
    const struct ha_zk_event ev = {.kind = HA_ZK_CONNECTED, .session = 7, .timeout_us = 1000000};

    ha_log_on_event(k->log, &ev);
}
