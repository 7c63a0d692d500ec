#include "policies/common/queues.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "policies/policy.h"

void policy_limit_init(struct policy_limit *l)
{
    *l = (struct policy_limit){.percent = {-1, -1},
                               .slot_percent = {-1, -1},
                               .memory_mb = -1,
                               .vcores = -1,
                               .slots = {-1, -1}};
}

void policy_rule_clear(struct policy_rule *r)
{
    struct policy_rule *next;

    free(r->queue);
    for (struct policy_rule *nested = r->nested; nested; nested = next) {
        next = nested->nested;
        free(nested->queue);
        free(nested);
    }
    *r = (struct policy_rule){0};
}

static void free_queue_strings(struct policy_queue *u)
{
    free(u->name);
    free(u->acl_submit);
    free(u->acl_admin);
}

static void clear_rules(struct policy_queues *q)
{
    for (size_t i = 0; i < q->rules_n; i++)
        policy_rule_clear(&q->rules[i]);
    free(q->rules);
    q->rules = NULL;
    q->rules_n = 0;
}

static void clear_users(struct policy_queues *q)
{
    for (size_t i = 0; i < q->users_n; i++)
        free(q->users[i].user);
    free(q->users);
    q->users = NULL;
    q->users_n = 0;
}

void policy_queues_free(struct policy_queues *q)
{
    for (size_t i = 0; i < q->n; i++)
        free_queue_strings(&q->v[i]);
    free(q->v);
    free(q->by_name);
    clear_users(q);
    clear_rules(q);
    *q = (struct policy_queues){0};
}

static struct policy_rule *add_rule(struct policy_queues *q, enum policy_rule_kind kind,
                                    bool create)
{
    q->rules = base_realloc_array(q->rules, q->rules_n + 1, sizeof *q->rules);
    q->rules[q->rules_n] = (struct policy_rule){.kind = kind, .create = create};
    return &q->rules[q->rules_n++];
}

static void init_default_queue_settings(struct policy_queue *d)
{
    *d = (struct policy_queue){.weight = 1,
                               .max_running = INT32_MAX,
                               .max_am_share = .5,
                               .min_timeout_us = INT64_MAX,
                               .fair_timeout_us = INT64_MAX,
                               .fair_threshold = .5,
                               .preempt = true};
    policy_limit_init(&d->min);
    policy_limit_init(&d->max);
    policy_limit_init(&d->child_max);
}

/* Sets @u to the settings of a queue that no configuration describes. The configured defaults do
 * not apply to root, where a maximum share would limit the whole cluster. */
static void queue_set_defaults(const struct policy_queues *q, struct policy_queue *u)
{
    const struct policy_queue *up = u->parent >= 0 ? &q->v[u->parent] : NULL;
    struct policy_queue fresh = q->defaults;

    if (!up)
        init_default_queue_settings(&fresh);
    if (up) {
        fresh.min_timeout_us = up->min_timeout_us;
        fresh.fair_timeout_us = up->fair_timeout_us;
        fresh.fair_threshold = up->fair_threshold;
        fresh.preempt = up->preempt;
        if (u->dynamic && up->child_max.given)
            fresh.max = up->child_max;
    }
    fresh.name = u->name;
    fresh.parent = u->parent;
    fresh.born = u->born;
    fresh.dynamic = u->dynamic;
    fresh.is_parent = u->is_parent;
    *u = fresh;
}

void policy_queue_reset_settings(struct policy_queues *q, int32_t index)
{
    bool configured = q->v[index].configured;

    free(q->v[index].acl_submit);
    free(q->v[index].acl_admin);
    queue_set_defaults(q, &q->v[index]);
    q->v[index].configured = configured;
}

/* Returns @name without a leading "root."; "" for root itself. */
static const char *skip_root_prefix(const char *name)
{
    if (strncmp(name, "root", 4) == 0 && (name[4] == '.' || name[4] == '\0'))
        return name + 4 + (name[4] == '.');
    return name;
}

static size_t hash_queue_name(const char *rest, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)rest[i]) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ (h >> 32));
}

/* Returns the table entry of a name (without "root."), or the free entry where the name belongs. */
static int32_t *find_hash_slot(const struct policy_queues *q, const char *rest, size_t len)
{
    size_t i = hash_queue_name(rest, len) & (q->by_name_cap - 1);

    for (; q->by_name[i]; i = (i + 1) & (q->by_name_cap - 1)) {
        const char *have = q->v[q->by_name[i] - 1].name + 5; /* "root." */

        if (strncmp(have, rest, len) == 0 && have[len] == '\0')
            break;
    }
    return &q->by_name[i];
}

static void add_to_name_table(struct policy_queues *q, size_t index)
{
    const char *rest = q->v[index].name + 5;

    if (2 * (index + 1) > q->by_name_cap) {
        free(q->by_name);
        q->by_name_cap = q->by_name_cap ? 2 * q->by_name_cap : 32;
        q->by_name = base_alloc(q->by_name_cap * sizeof *q->by_name);
        for (size_t i = 1; i < index; i++)
            *find_hash_slot(q, q->v[i].name + 5, strlen(q->v[i].name + 5)) = (int32_t)i + 1;
    }
    *find_hash_slot(q, rest, strlen(rest)) = (int32_t)index + 1;
}

static int32_t find_queue_by_path_below_root(const struct policy_queues *q, const char *rest,
                                             size_t len)
{
    if (len == 0)
        return 0;
    return q->by_name ? *find_hash_slot(q, rest, len) - 1 : -1;
}

static int32_t append_queue(struct policy_queues *q, const char *name, size_t len, int32_t parent,
                            bool dynamic)
{
    struct policy_queue *u;

    base_array_grow(&q->v, q->n, &q->cap);
    u = &q->v[q->n];
    *u = (struct policy_queue){
        .name = base_strndup(name, len), .parent = parent, .born = q->born++, .dynamic = dynamic};
    queue_set_defaults(q, u);
    if (parent >= 0) {
        q->v[parent].is_parent = true;
        add_to_name_table(q, q->n);
    } else {
        u->is_parent = true;
    }
    return (int32_t)q->n++;
}

int32_t policy_queues_find(const struct policy_queues *q, const char *name)
{
    const char *rest = skip_root_prefix(name ? name : "");

    return name && *name ? find_queue_by_path_below_root(q, rest, strlen(rest)) : -1;
}

static int32_t add_queue_and_parents(struct policy_queues *q, const char *name, bool dynamic)
{
    const char *rest = skip_root_prefix(name);
    char *full = base_printf("root.%s", rest);
    int32_t at = 0;

    for (size_t len = strcspn(rest, "."); rest[0]; len += 1 + strcspn(rest + len + 1, ".")) {
        int32_t found = find_queue_by_path_below_root(q, rest, len);

        at = found >= 0 ? found : append_queue(q, full, 5 + len, at, dynamic);
        if (rest[len] == '\0')
            break;
    }
    free(full);
    return at;
}

int32_t policy_queues_add(struct policy_queues *q, const char *name)
{
    return add_queue_and_parents(q, name, false);
}

int32_t policy_queues_add_dynamic(struct policy_queues *q, const char *name)
{
    int32_t at = add_queue_and_parents(q, name, true);

    if (!q->v[at].configured && !q->v[at].dynamic) {
        q->v[at].dynamic = true;
        queue_set_defaults(q, &q->v[at]);
        q->v[q->v[at].parent].is_parent = true;
    }
    return at;
}

static void add_configured_queue(struct policy_queues *q, const char *name)
{
    int32_t at = policy_queues_add(q, name); /* may move q->v */

    q->v[at].configured = true;
}

void policy_queues_init(struct policy_queues *q, const char *list)
{
    *q = (struct policy_queues){.user_max_running = INT32_MAX, .strict = true};
    init_default_queue_settings(&q->defaults);
    append_queue(q, "root", 4, -1, false);
    q->v[0].configured = true;
    add_configured_queue(q, "default");
    for (const char *s = list ? list : ""; *s;) {
        size_t skip = strspn(s, ", \t\r\n"), len = strcspn(s + skip, ", \t\r\n");
        char *name = base_strndup(s + skip, len);

        if (*name && policy_queue_check_name(name, NULL) == 0)
            add_configured_queue(q, name);
        free(name);
        s += skip + len;
    }
    add_rule(q, POLICY_RULE_SPECIFIED, false);
    add_rule(q, POLICY_RULE_DEFAULT, true);
}

void policy_queues_set_default_rules(struct policy_queues *q, bool allow_undeclared,
                                     bool user_as_default)
{
    clear_rules(q);
    add_rule(q, POLICY_RULE_SPECIFIED, allow_undeclared);
    if (user_as_default)
        add_rule(q, POLICY_RULE_USER, allow_undeclared);
    if (!user_as_default || !allow_undeclared)
        add_rule(q, POLICY_RULE_DEFAULT, true);
    q->strict = false;
}

int policy_queue_check_name(const char *name, struct base_error *err)
{
    const char *rest = skip_root_prefix(name);
    int depth = 1;

    if (strlen(rest) > BASE_NAME_MAX)
        return base_error_set(err, -BASE_EINVAL, "a queue's name has at most %d bytes",
                              BASE_NAME_MAX);
    for (const char *s = rest;; s++, depth++) {
        size_t len = strcspn(s, ".");

        if (len == 0)
            return base_error_set(err, -BASE_EINVAL,
                                  "queue name \"%s\": a name between periods is empty", name);
        if (strchr(" \t", s[0]) || strchr(" \t", s[len - 1]))
            return base_error_set(err, -BASE_EINVAL,
                                  "queue name \"%s\" has a blank at the end of a name", name);
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
                return base_error_set(err, -BASE_EINVAL,
                                      "a queue's name has no control characters");
        s += len;
        if (!*s)
            break;
    }
    if (depth >= POLICY_QUEUE_DEPTH_MAX)
        return base_error_set(err, -BASE_EINVAL, "queue name \"%s\" is nested deeper than %d", name,
                              POLICY_QUEUE_DEPTH_MAX);
    return 0;
}

/* Moves the settings of @from into @to, which keeps its name and place in the tree. */
static void queue_move_settings(struct policy_queue *to, struct policy_queue *from)
{
    struct policy_queue old = *to;

    *to = *from;
    to->name = old.name;
    to->parent = old.parent;
    to->born = old.born;
    to->dynamic = old.dynamic && !from->configured;
    from->acl_submit = from->acl_admin = NULL;
    free(old.acl_submit);
    free(old.acl_admin);
}

void policy_queues_replace(struct policy_queues *q, struct policy_queues *from)
{
    for (size_t i = 0; i < from->n; i++)
        policy_queues_add(q, from->v[i].name);
    q->defaults = from->defaults;
    for (size_t i = 0; i < q->n; i++) { /* parents come first: their children inherit settings */
        struct policy_queue *u = &q->v[i];
        int32_t at = policy_queues_find(from, u->name);

        if (at >= 0) {
            queue_move_settings(u, &from->v[at]);
        } else {
            free(u->acl_submit);
            free(u->acl_admin);
            queue_set_defaults(q, u);
        }
    }
    for (size_t i = 1; i < q->n; i++)
        if (q->v[i].configured || q->v[i].dynamic)
            q->v[q->v[i].parent].is_parent = true;
    clear_users(q);
    clear_rules(q);
    q->users = from->users;
    q->users_n = from->users_n;
    q->user_max_running = from->user_max_running;
    q->rules = from->rules;
    q->rules_n = from->rules_n;
    q->rules_given = from->rules_given;
    q->strict = from->strict;
    from->users = NULL;
    from->rules = NULL;
    from->users_n = from->rules_n = 0;
    policy_queues_free(from);
}

void policy_queues_remove(struct policy_queues *q, const bool *keep, int32_t *to)
{
    size_t n = 0;

    for (size_t i = 0; i < q->n; i++) {
        to[i] = -1;
        if (!keep[i]) {
            free_queue_strings(&q->v[i]);
            continue;
        }
        to[i] = (int32_t)n;
        q->v[n] = q->v[i];
        if (i)
            q->v[n].parent = to[q->v[n].parent];
        n++;
    }
    q->n = n;
    memset(q->by_name, 0, q->by_name_cap * sizeof *q->by_name);
    for (size_t i = 1; i < n; i++)
        *find_hash_slot(q, q->v[i].name + 5, strlen(q->v[i].name + 5)) = (int32_t)i + 1;
}

double policy_limit_fraction(const struct policy_limit *l, const struct policy_capacity *c)
{
    double f = -1, g = -1;

    if (l->percent[0] >= 0)
        f = l->percent[0] / 100;
    else if (l->memory_mb >= 0)
        f = c->memory_mb > 0 ? (double)l->memory_mb / (double)c->memory_mb : 0;
    if (l->percent[1] >= 0)
        g = l->percent[1] / 100;
    else if (l->vcores > 0 || (l->vcores == 0 && l->memory_mb <= 0))
        g = c->vcores > 0 ? (double)l->vcores / (double)c->vcores : 0;
    if (f < 0 || g < 0)
        return f < 0 ? g : f;
    return f < g ? f : g;
}

/* more slots than any cluster has; the memory that they stand for still fits an int64_t */
#define SLOTS_MAX INT64_C(1000000000000)

int64_t policy_limit_to_slots(const struct policy_limit *l, enum base_task_kind kind,
                              const struct policy_capacity *c, int64_t none)
{
    double f;

    if (!l->given)
        return none;
    if (l->slots[kind] >= 0)
        return l->slots[kind] < SLOTS_MAX ? l->slots[kind] : SLOTS_MAX;
    f = l->slot_percent[kind] >= 0 ? l->slot_percent[kind] / 100 : policy_limit_fraction(l, c);
    if (f < 0)
        return none;
    if (f <= 0)
        return 0;
    if (f * (double)c->slots[kind] >= (double)SLOTS_MAX)
        return SLOTS_MAX;
    return f * (double)c->slots[kind] < 1 ? 1 : (int64_t)(f * (double)c->slots[kind] + 1e-9);
}
