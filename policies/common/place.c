/* Places a submission in a queue by the rules of a queuePlacementPolicy. Rules are applied one
 * after the other until one of them finds a queue; a rule finds none when its queue does not exist
 * and the rule may not create it. SOURCE: Hadoop's Fair Scheduler documentation, section
 * "Automatically placing applications in queues". */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policies/common/queues.h"

#define KNOWN_MAX 20 /* queues listed in a refusal */

struct submission {
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

/* Appends @name as one part of a path: periods become "_dot_". */
static void append_path_part(struct base_buf *b, const char *name)
{
    for (; *name; name++) {
        if (*name == '.')
            base_buf_adds(b, "_dot_");
        else
            base_buf_add(b, name, 1);
    }
}

static char *make_child_queue_path(const char *parent, const char *name)
{
    struct base_buf b = {0};

    base_buf_adds(&b, parent);
    base_buf_adds(&b, ".");
    append_path_part(&b, name);
    return base_buf_take(&b);
}

static bool queue_exists(const struct policy_queues *q, const char *name)
{
    int32_t at = policy_queues_find(q, name);

    return at >= 0 && (q->v[at].configured || q->v[at].dynamic);
}

/* Returns true when no further queue may be created. Users who cause thousands of queues must not
 * exhaust the memory that others need. */
static bool is_queue_number_limit_reached(const struct policy_queues *q)
{
    return q->n + POLICY_QUEUE_DEPTH_MAX > POLICY_QUEUES_MAX;
}

static char *existing_secondary_group_queue(const struct submission *p)
{
    for (size_t i = 1; i < p->groups_n; i++) {
        char *name = make_child_queue_path("root", p->groups[i]);

        if (queue_exists(p->q, name))
            return name;
        free(name);
    }
    return NULL;
}

static char *usable_queue_name_by_rule(const struct submission *p, const struct policy_rule *r);

/* Returns the name of the user's queue below the parent that the nested rule finds; NULL if there
 * is no parent, or if the parent takes applications itself. */
static char *user_queue_below_nested_rule(const struct submission *p, const struct policy_rule *r)
{
    char *parent = r->nested ? usable_queue_name_by_rule(p, r->nested) : NULL, *name;
    int32_t at = parent ? policy_queues_find(p->q, parent) : -1;

    if (!parent || (at >= 0 && !p->q->v[at].is_parent)) {
        free(parent);
        return NULL;
    }
    name = make_child_queue_path(parent, p->user);
    free(parent);
    return name;
}

static char *wanted_queue_name_by_rule(const struct submission *p, const struct policy_rule *r)
{
    switch (r->kind) {
    case POLICY_RULE_SPECIFIED:
        return base_strdup(p->asked);
    case POLICY_RULE_USER:
        return p->user && *p->user ? make_child_queue_path("root", p->user) : NULL;
    case POLICY_RULE_PRIMARY_GROUP:
        return p->groups_n > 0 ? make_child_queue_path("root", p->groups[0]) : NULL;
    case POLICY_RULE_SECONDARY_GROUP:
        return existing_secondary_group_queue(p);
    case POLICY_RULE_NESTED_USER:
        return p->user && *p->user ? user_queue_below_nested_rule(p, r) : NULL;
    case POLICY_RULE_DEFAULT:
        return base_strdup(r->queue ? r->queue : "root.default");
    case POLICY_RULE_REJECT:
        break;
    }
    return NULL;
}

/* Returns the name of the queue that the rule finds (the caller frees it); NULL: apply the next
 * rule. */
static char *usable_queue_name_by_rule(const struct submission *p, const struct policy_rule *r)
{
    char *name = wanted_queue_name_by_rule(p, r);

    if (name && (!r->create || is_queue_number_limit_reached(p->q)) && !queue_exists(p->q, name)) {
        free(name);
        name = NULL;
    }
    return name;
}

static int refuse_queue(const struct policy_queues *q, const char *name, const char *why,
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

int policy_queues_find_leaf(const struct policy_queues *q, const char *name, int32_t *index,
                            struct base_error *err)
{
    *index = policy_queues_find(q, name);
    if (*index >= 0 && q->v[*index].is_parent)
        return refuse_queue(q, name, "has queues below it and takes no application itself", err);
    return queue_exists(q, name) ? 0 : refuse_queue(q, name, "does not exist", err);
}

/* Finds the queue @name or creates it. Refuses a bad name, a queue with child queues, and a new
 * queue whose nearest existing ancestor takes applications itself. */
static int find_or_create_queue(struct policy_queues *q, const char *name, int32_t *index,
                                struct base_error *err)
{
    int32_t at = policy_queues_find(q, name);
    char *up = base_strdup(name), *dot;
    int rc = policy_queue_check_name(name, err);

    if (rc < 0)
        goto out;
    if (at >= 0 && q->v[at].is_parent) {
        rc = refuse_queue(q, name, "has queues below it and takes no application itself", err);
        goto out;
    }
    for (dot = strrchr(up, '.'); at < 0 && dot; dot = strrchr(up, '.')) {
        int32_t parent;

        *dot = '\0';
        parent = policy_queues_find(q, up);
        if (parent < 0)
            continue;
        if (!q->v[parent].is_parent && queue_exists(q, up))
            rc = refuse_queue(q, name, "would lie below one that takes applications itself", err);
        break;
    }
    if (rc == 0)
        *index = policy_queues_add_dynamic(q, name);
out:
    free(up);
    return rc;
}

int policy_queues_choose_for_submission(const struct policy_queues *q, const char *queue,
                                        const char *user, const char *const *groups,
                                        size_t groups_n, char **out, struct base_error *err)
{
    struct submission p = {
        .q = q, .user = user ? user : "", .groups = groups, .groups_n = groups ? groups_n : 0};
    char *name = NULL;
    int rc;

    /* clients send "default" when the user named no queue */
    if (queue && *queue && strcmp(queue, "default") != 0)
        p.asked = queue;
    if (p.asked && (rc = policy_queue_check_name(p.asked, err)) < 0)
        return rc;
    for (size_t i = 0; i < q->rules_n && !name; i++) {
        if (q->rules[i].kind == POLICY_RULE_REJECT)
            return base_error_set(err, -BASE_EINVAL,
                                  "the queue placement policy takes no application of user %s%s%s",
                                  p.user, p.asked ? " for queue " : "", p.asked ? p.asked : "");
        name = usable_queue_name_by_rule(&p, &q->rules[i]);
        if (!name && p.asked && q->strict && q->rules[i].kind == POLICY_RULE_SPECIFIED)
            return refuse_queue(q, p.asked, "does not exist", err);
    }
    if (!name && is_queue_number_limit_reached(q) && queue_exists(q, "default"))
        name = base_strdup("root.default");
    if (!name)
        return base_error_set(err, -BASE_EINVAL,
                              "no rule of the queue placement policy finds a queue for user %s",
                              p.user);
    *out = name;
    return 0;
}

int policy_queues_place_submission(struct policy_queues *q, const char *queue, const char *user,
                                   const char *const *groups, size_t groups_n, int32_t *index,
                                   struct base_error *err)
{
    char *name = NULL;
    int rc = policy_queues_choose_for_submission(q, queue, user, groups, groups_n, &name, err);

    if (rc == 0)
        rc = find_or_create_queue(q, name, index, err);
    free(name);
    return rc;
}
