#include "rm/term/effect_copy.h"

#include <stdlib.h>
#include <string.h>

/* The effect is walked twice. With base NULL the walk only adds up sizes; the second walk copies
 * into the memory after the effect, which was allocated in between. */
struct packer {
    char *base;
    size_t used;
};

static void *pack(struct packer *p, const void *src, size_t len, size_t align)
{
    void *at = NULL;

    p->used = (p->used + align - 1) & ~(align - 1);
    if (p->base) {
        at = p->base + p->used;
        memcpy(at, src, len);
    }
    p->used += len;
    return at;
}

static const char *pack_str(struct packer *p, const char *s)
{
    return s ? pack(p, s, strlen(s) + 1, 1) : NULL;
}

#define PACK_ARRAY(p, v, n) ((n) ? pack(p, v, (n) * sizeof *(v), _Alignof(max_align_t)) : NULL)

static void pack_allocated(struct packer *p, const struct rm_allocated **v, size_t n)
{
    const struct rm_allocated *from = *v;
    struct rm_allocated *to = PACK_ARRAY(p, from, n);

    for (size_t i = 0; i < n; i++) {
        const char *id = pack_str(p, from[i].node_id), *http = pack_str(p, from[i].node_http);
        if (to) {
            to[i].node_id = id;
            to[i].node_http = http;
        }
    }
    *v = to;
}

static void pack_completed(struct packer *p, const struct rm_completed **v, size_t n)
{
    const struct rm_completed *from = *v;
    struct rm_completed *to = PACK_ARRAY(p, from, n);

    for (size_t i = 0; i < n; i++) {
        const char *diagnostics = pack_str(p, from[i].diagnostics);
        if (to)
            to[i].diagnostics = diagnostics;
    }
    *v = to;
}

static const struct rm_master_key *pack_key(struct packer *p, const struct rm_master_key *key)
{
    return key ? pack(p, key, sizeof *key, _Alignof(struct rm_master_key)) : NULL;
}

static void pack_changed_nodes(struct packer *p, const struct rm_changed_node **v, size_t n)
{
    const struct rm_changed_node *from = *v;
    struct rm_changed_node *to = PACK_ARRAY(p, from, n);

    for (size_t i = 0; i < n; i++) {
        struct rm_changed_node node = from[i];

        node.id = pack_str(p, node.id);
        node.http = pack_str(p, node.http);
        node.rack = pack_str(p, node.rack);
        node.health_report = pack_str(p, node.health_report);
        if (to)
            to[i] = node;
    }
    *v = to;
}

static void pack_orders(struct packer *p, const struct rm_order **v, size_t n)
{
    const struct rm_order *from = *v;
    struct rm_order *to = PACK_ARRAY(p, from, n);

    for (size_t i = 0; i < n; i++) {
        struct rm_order o = from[i];

        o.reason = pack_str(p, o.reason);
        o.user = pack_str(p, o.user);
        o.name = pack_str(p, o.name);
        o.token = pack_str(p, o.token);
        o.acl_view = pack_str(p, o.acl_view);
        o.log_include = pack_str(p, o.log_include);
        o.log_exclude = pack_str(p, o.log_exclude);
        o.amrm_key = pack_key(p, o.amrm_key);
        if (!to)
            continue;
        to[i] = o;
        if (o.job)
            rm_job_spec_ref(o.job);
        if (o.launch)
            rm_launch_ref(o.launch);
    }
    *v = to;
}

static void pack_reply(struct packer *p, struct rm_effect *fx)
{
    struct rm_token_basis *tokens = &fx->u.reply.tokens;

    fx->u.reply.text = pack_str(p, fx->u.reply.text);
    tokens->nm_key = pack_key(p, tokens->nm_key);
    tokens->container_key = pack_key(p, tokens->container_key);
    tokens->hadoop_nm_key = pack_key(p, tokens->hadoop_nm_key);
    tokens->hadoop_container_key = pack_key(p, tokens->hadoop_container_key);
    tokens->amrm_key = pack_key(p, tokens->amrm_key);
    tokens->user = pack_str(p, tokens->user);
    if (fx->u.reply.kind == RM_REPLY_AM_REGISTERED) {
        fx->u.reply.am.queue = pack_str(p, fx->u.reply.am.queue);
        fx->u.reply.am.acl_view = pack_str(p, fx->u.reply.am.acl_view);
        fx->u.reply.am.acl_modify = pack_str(p, fx->u.reply.am.acl_modify);
        pack_allocated(p, &fx->u.reply.am.previous, fx->u.reply.am.previous_n);
    } else if (fx->u.reply.kind == RM_REPLY_ALLOCATED) {
        pack_allocated(p, &fx->u.reply.allocate.allocated, fx->u.reply.allocate.allocated_n);
        pack_completed(p, &fx->u.reply.allocate.completed, fx->u.reply.allocate.completed_n);
        pack_changed_nodes(p, &fx->u.reply.allocate.changed, fx->u.reply.allocate.changed_n);
        pack_allocated(p, &fx->u.reply.allocate.renewed, fx->u.reply.allocate.renewed_n);
        fx->u.reply.allocate.command = pack_str(p, fx->u.reply.allocate.command);
    }
}

/* Points the members of *fx to copies, or to NULL while sizes are added up. */
static void pack_effect(struct packer *p, struct rm_effect *fx)
{
    switch (fx->kind) {
    case RM_FX_REPLY:
        pack_reply(p, fx);
        break;
    case RM_FX_HEARTBEAT:
        pack_orders(p, &fx->u.heartbeat.orders, fx->u.heartbeat.orders_n);
        fx->u.heartbeat.nm_keys = PACK_ARRAY(p, fx->u.heartbeat.nm_keys, fx->u.heartbeat.nm_keys_n);
        fx->u.heartbeat.container_keys =
            PACK_ARRAY(p, fx->u.heartbeat.container_keys, fx->u.heartbeat.container_keys_n);
        break;
    default:
        break;
    }
}

struct rm_effect *rm_effect_copy(const struct rm_effect *fx)
{
    struct packer p = {NULL, 0};
    struct rm_effect probe = *fx, *copy;

    pack_effect(&p, &probe);
    copy = base_alloc(sizeof *copy + sizeof(max_align_t) + p.used);
    *copy = *fx;
    p.base =
        (char *)copy + ((sizeof *copy + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1));
    p.used = 0;
    pack_effect(&p, copy);
    return copy;
}

void rm_effect_copy_free(struct rm_effect *copy)
{
    if (!copy)
        return;
    if (copy->kind == RM_FX_HEARTBEAT) {
        for (size_t i = 0; i < copy->u.heartbeat.orders_n; i++) {
            rm_job_spec_unref(copy->u.heartbeat.orders[i].job);
            rm_launch_unref(copy->u.heartbeat.orders[i].launch);
        }
    }
    free(copy);
}
