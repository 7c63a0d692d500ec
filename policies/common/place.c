/* Where a submission goes: the rules of a queuePlacementPolicy, one after the other.
 * SOURCE: Hadoop's Fair Scheduler documentation, section "Automatically placing applications in
 * queues". */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policies/common/queues.h"

#define KNOWN_MAX 20 /* queues listed in a refusal */

struct place {
    const struct policy_queues *q;
    const char *asked; /* NULL: no queue was named */
    const char *user;
    const char *const *groups;
    size_t groups_n;
};

bool policy_rule_is_last(const struct policy_rule *r)
{
    switch (r->kind) {
    case POLICY_RULE_USER:
    case POLICY_RULE_PRIMARY_GROUP:
        return r->create;
    case POLICY_RULE_NESTED_USER:
        return r->create && r->nested && policy_rule_is_last(r->nested);
    case POLICY_RULE_DEFAULT:
    case POLICY_RULE_REJECT:
        return true;
    case POLICY_RULE_SPECIFIED:
    case POLICY_RULE_SECONDARY_GROUP:
        break;
    }
    return false;
}

/* A name as one part of a path: periods become "_dot_". */
static void add_part(struct base_buf *b, const char *name)
{
    for (; *name; name++) {
        if (*name == '.')
            base_buf_adds(b, "_dot_");
        else
            base_buf_add(b, name, 1);
    }
}

static char *path(const char *parent, const char *name)
{
    struct base_buf b = {0};

    base_buf_adds(&b, parent);
    base_buf_adds(&b, ".");
    add_part(&b, name);
    return base_buf_take(&b);
}

static bool is_there(const struct policy_queues *q, const char *name)
{
    int32_t at = policy_queues_find(q, name);

    return at >= 0 && (q->v[at].configured || q->v[at].dynamic);
}

/* No queue more may be made: whoever makes them by the thousand does not keep others from
 * working. */
static bool is_full(const struct policy_queues *q)
{
    return q->n + POLICY_QUEUE_DEPTH_MAX > POLICY_QUEUES_MAX;
}

static char *secondary(const struct place *p)
{
    for (size_t i = 1; i < p->groups_n; i++) {
        char *name = path("root", p->groups[i]);

        if (is_there(p->q, name))
            return name;
        free(name);
    }
    return NULL;
}

static char *apply(const struct place *p, const struct policy_rule *r);

/* The queue of the user below the one that the nested rule finds, unless that takes applications
 * itself. */
static char *nested(const struct place *p, const struct policy_rule *r)
{
    char *parent = r->nested ? apply(p, r->nested) : NULL, *name;
    int32_t at = parent ? policy_queues_find(p->q, parent) : -1;

    if (!parent || (at >= 0 && !p->q->v[at].is_parent)) {
        free(parent);
        return NULL;
    }
    name = path(parent, p->user);
    free(parent);
    return name;
}

static char *named(const struct place *p, const struct policy_rule *r)
{
    switch (r->kind) {
    case POLICY_RULE_SPECIFIED:
        return base_strdup(p->asked);
    case POLICY_RULE_USER:
        return p->user && *p->user ? path("root", p->user) : NULL;
    case POLICY_RULE_PRIMARY_GROUP:
        return p->groups_n > 0 ? path("root", p->groups[0]) : NULL;
    case POLICY_RULE_SECONDARY_GROUP:
        return secondary(p);
    case POLICY_RULE_NESTED_USER:
        return p->user && *p->user ? nested(p, r) : NULL;
    case POLICY_RULE_DEFAULT:
        return base_strdup(r->queue ? r->queue : "root.default");
    case POLICY_RULE_REJECT:
        break;
    }
    return NULL;
}

/* The queue a rule finds (caller frees), NULL: the next rule is asked. */
static char *apply(const struct place *p, const struct policy_rule *r)
{
    char *name = named(p, r);

    if (name && (!r->create || is_full(p->q)) && !is_there(p->q, name)) {
        free(name);
        name = NULL;
    }
    return name;
}

static int unknown(const struct policy_queues *q, const char *name, const char *why,
                   struct base_error *err)
{
    struct base_buf b = {0};
    size_t known = 0;
    int rc;

    for (size_t i = 0; i < q->n; i++)
        if (!q->v[i].is_parent && (q->v[i].configured || q->v[i].dynamic) && ++known <= KNOWN_MAX)
            base_buf_addf(&b, "%s%s", known > 1 ? ", " : "", q->v[i].name);
    if (known > KNOWN_MAX)
        base_buf_addf(&b, " and %zu more", known - KNOWN_MAX);
    rc = base_error_set(err, -BASE_EINVAL, "queue \"%s\" %s; applications go to: %s", name, why,
                        b.data ? b.data : "none");
    base_buf_free(&b);
    return rc;
}

int policy_queues_leaf(const struct policy_queues *q, const char *name, int32_t *index,
                       struct base_error *err)
{
    *index = policy_queues_find(q, name);
    if (*index >= 0 && q->v[*index].is_parent)
        return unknown(q, name, "has queues below it and takes no application itself", err);
    return is_there(q, name) ? 0 : unknown(q, name, "does not exist", err);
}

/* Takes @name into the tree when it may be made. */
static int enter(struct policy_queues *q, const char *name, int32_t *index, struct base_error *err)
{
    int32_t at = policy_queues_find(q, name);
    char *up = base_strdup(name), *dot;
    int rc = policy_queue_check_name(name, err);

    if (rc < 0)
        goto out;
    if (at >= 0 && q->v[at].is_parent) {
        rc = unknown(q, name, "has queues below it and takes no application itself", err);
        goto out;
    }
    for (dot = strrchr(up, '.'); at < 0 && dot;
         dot = strrchr(up, '.')) { /* its nearest ancestor that is there */
        int32_t parent;

        *dot = '\0';
        parent = policy_queues_find(q, up);
        if (parent < 0)
            continue;
        if (!q->v[parent].is_parent && is_there(q, up))
            rc = unknown(q, name, "would lie below one that takes applications itself", err);
        break;
    }
    if (rc == 0)
        *index = policy_queues_make(q, name);
out:
    free(up);
    return rc;
}

int policy_queues_place(struct policy_queues *q, const char *queue, const char *user,
                        const char *const *groups, size_t groups_n, int32_t *index,
                        struct base_error *err)
{
    struct place p = {
        .q = q, .user = user ? user : "", .groups = groups, .groups_n = groups ? groups_n : 0};
    char *name = NULL;
    int rc;

    /* "default" is what clients send when no queue was named */
    if (queue && *queue && strcmp(queue, "default") != 0)
        p.asked = queue;
    if (p.asked && (rc = policy_queue_check_name(p.asked, err)) < 0)
        return rc;
    for (size_t i = 0; i < q->rules_n && !name; i++) {
        if (q->rules[i].kind == POLICY_RULE_REJECT)
            return base_error_set(err, -BASE_EINVAL,
                                  "the queue placement policy takes no application of user %s%s%s",
                                  p.user, p.asked ? " for queue " : "", p.asked ? p.asked : "");
        name = apply(&p, &q->rules[i]);
        if (!name && p.asked && q->strict && q->rules[i].kind == POLICY_RULE_SPECIFIED)
            return unknown(q, p.asked, "does not exist", err);
    }
    if (!name && is_full(q) && is_there(q, "default"))
        name = base_strdup("root.default");
    if (!name)
        return base_error_set(err, -BASE_EINVAL,
                              "no rule of the queue placement policy finds a queue for user %s",
                              p.user);
    rc = enter(q, name, index, err);
    free(name);
    return rc;
}
