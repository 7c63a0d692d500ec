#include "rm/config/allocations.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "base/limits.h"

#define SECONDS_MAX (INT64_MAX / 1000000)

/* State while one file is being read. */
struct reader {
    const char *file;
    struct policy_queues q;
    struct base_buf *notes;
    struct base_error *err;
    char *first; /* libxml2's first error message, or NULL */
    /* top-level fairSharePreemptionTimeout, the old name of defaultFairSharePreemptionTimeout; -1:
     * not given */
    int64_t old_fair_timeout_us;
    bool fair_timeout; /* defaultFairSharePreemptionTimeout was given */
    xmlNodePtr placement;
};

static int refuse_element(struct reader *r, xmlNodePtr node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse_element(struct reader *r, xmlNodePtr node, const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;
    int rc;

    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    rc = base_error_set(r->err, -BASE_EINVAL, "%s:%ld: %s: %s", r->file, xmlGetLineNo(node),
                        (const char *)node->name, b.data);
    base_buf_free(&b);
    return rc;
}

static void note_element(struct reader *r, xmlNodePtr node, const char *what)
{
    if (r->notes)
        base_buf_addf(r->notes, "%s:%ld: %s: %s\n", r->file, xmlGetLineNo(node),
                      (const char *)node->name, what);
}

static void trim_blanks(char *text)
{
    size_t len = strlen(text), skip = strspn(text, " \t\r\n");

    memmove(text, text + skip, len - skip + 1);
    len -= skip;
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
}

/* Reads the text of an element, untrimmed; caller frees. Refuses an element inside it. */
static int read_element_text(struct reader *r, xmlNodePtr node, char **out)
{
    struct base_buf b = {0};

    for (xmlNodePtr n = node->children; n; n = n->next) {
        if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && n->content) {
            base_buf_adds(&b, (const char *)n->content);
        } else if (n->type == XML_ELEMENT_NODE) {
            base_buf_free(&b);
            return refuse_element(r, n, "an element inside a value, expected text");
        }
    }
    *out = base_buf_take(&b);
    return 0;
}

static int read_nonempty_value(struct reader *r, xmlNodePtr node, char **out)
{
    int rc = read_element_text(r, node, out);

    if (rc < 0)
        return rc;
    trim_blanks(*out);
    if (**out)
        return 0;
    free(*out);
    *out = NULL;
    return refuse_element(r, node, "it is empty, expected a value");
}

/* Returns the value of an attribute, trimmed (caller frees), or NULL when it is not given. */
static char *get_attribute(xmlNodePtr node, const char *name)
{
    xmlChar *x = xmlGetNoNsProp(node, BAD_CAST name);
    char *out = base_strdup((const char *)x);

    xmlFree(x);
    if (out)
        trim_blanks(out);
    return out;
}

static bool is_named(xmlNodePtr node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

static bool is_queue_element(xmlNodePtr node)
{
    return is_named(node, "queue") || is_named(node, "pool");
}

static xmlNodePtr skip_to_element(xmlNodePtr n)
{
    while (n && n->type != XML_ELEMENT_NODE)
        n = n->next;
    return n;
}

#define EACH_ELEMENT(n, parent)                                                                    \
    xmlNodePtr n = skip_to_element((parent)->children);                                            \
    n;                                                                                             \
    n = skip_to_element(n->next)

static int read_integer(struct reader *r, xmlNodePtr node, int64_t max, const char *what,
                        int64_t *out)
{
    char *text = NULL;
    int rc = read_nonempty_value(r, node, &text);

    if (rc == 0 && base_int_parse(text, 0, max, out) < 0)
        rc = refuse_element(r, node, "\"%.200s\", expected %s", text, what);
    free(text);
    return rc;
}

static int read_app_count(struct reader *r, xmlNodePtr node, int32_t *out)
{
    int64_t v;
    int rc = read_integer(r, node, INT32_MAX, "a number of applications, 0 or more", &v);

    if (rc == 0)
        *out = (int32_t)v;
    return rc;
}

static int read_slot_count(struct reader *r, xmlNodePtr node, struct policy_limit *l,
                           enum base_task_kind kind)
{
    int64_t v;
    int rc = read_integer(r, node, INT32_MAX, "a number of slots, 0 or more", &v);

    if (rc == 0) {
        l->given = true;
        l->slots[kind] = v;
    }
    return rc;
}

static int read_seconds(struct reader *r, xmlNodePtr node, int64_t *us)
{
    int64_t v;
    int rc = read_integer(r, node, INT64_MAX, "whole seconds, 0 or more", &v);

    if (rc == 0)
        *us = v >= SECONDS_MAX ? INT64_MAX : v * 1000000;
    return rc;
}

static int read_real(struct reader *r, xmlNodePtr node, double min, double max, const char *what,
                     double *out)
{
    char *text, *end;
    size_t len;
    int rc = read_nonempty_value(r, node, &text);

    if (rc < 0)
        return rc;
    len = strlen(text);
    if (len > 1 && strchr("fFdD", text[len - 1])) /* Java's number suffixes, as in 0.5f */
        text[len - 1] = '\0';
    *out = strtod(text, &end);
    if (*end || !*text || text[strspn(text, "+-.eE0123456789")] || !(*out >= min && *out <= max))
        rc = refuse_element(r, node, "\"%.200s\", expected %s", text, what);
    free(text);
    return rc;
}

static int read_limit(struct reader *r, xmlNodePtr node, struct policy_limit *out)
{
    struct base_error why;
    char *text;
    int rc = read_nonempty_value(r, node, &text);

    if (rc < 0)
        return rc;
    rc = rm_allocations_parse_limit(text, out, &why);
    free(text);
    return rc < 0 ? refuse_element(r, node, "%s", why.text) : 0;
}

static int read_queue_order(struct reader *r, xmlNodePtr node, enum policy_queue_order *out)
{
    static const struct {
        const char *name, *class;
        enum policy_queue_order order;
    } orders[] = {{"fair", "FairSharePolicy", POLICY_QUEUE_FAIR},
                  {"fifo", "FifoPolicy", POLICY_QUEUE_FIFO},
                  {"drf", "DominantResourceFairnessPolicy", POLICY_QUEUE_DRF}};
    const char *class;
    char *text;
    size_t i = 0;
    int rc = read_nonempty_value(r, node, &text);

    if (rc < 0)
        return rc;
    class = strrchr(text, '.') ? strrchr(text, '.') + 1 : text;
    while (i < 3 && strcasecmp(text, orders[i].name) != 0 && strcmp(class, orders[i].class) != 0)
        i++;
    if (i < 3)
        *out = orders[i].order;
    else
        rc = refuse_element(r, node, "\"%.200s\", expected fair, fifo or drf", text);
    free(text);
    return rc;
}

static int read_boolean(struct reader *r, xmlNodePtr node, bool *out)
{
    char *text;
    int rc = read_nonempty_value(r, node, &text);

    if (rc < 0)
        return rc;
    *out = strcasecmp(text, "true") == 0;
    if (!*out && strcasecmp(text, "false") != 0)
        rc = refuse_element(r, node, "\"%.200s\", expected true or false", text);
    free(text);
    return rc;
}

static int read_acl(struct reader *r, xmlNodePtr node, char **out)
{
    char *text;
    int rc = read_element_text(r, node, &text);

    if (rc < 0)
        return rc;
    free(*out);
    *out = text;
    return 0;
}

/* --- queues --- */

/* Reads the share that application masters may use: a fraction (values above 1 count as 1), or any
 * negative number for no bound. */
static int read_am_share(struct reader *r, xmlNodePtr node, double *out)
{
    int rc = read_real(r, node, -1e9, 1e9, "a number, -1 or between 0 and 1", out);

    if (rc == 0)
        *out = *out < 0 ? -1 : *out > 1 ? 1 : *out;
    return rc;
}

static int read_threshold(struct reader *r, xmlNodePtr node, double *out)
{
    int rc = read_real(r, node, -1e9, 1e9, "a number between 0 and 1", out);

    if (rc == 0)
        *out = *out < 0 ? 0 : *out > 1 ? 1 : *out;
    return rc;
}

static int read_preemption_field(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    bool allowed;
    int rc;

    if (is_named(n, "minSharePreemptionTimeout"))
        return read_seconds(r, n, &u->min_timeout_us);
    if (is_named(n, "fairSharePreemptionTimeout"))
        return read_seconds(r, n, &u->fair_timeout_us);
    if (is_named(n, "fairSharePreemptionThreshold"))
        return read_threshold(r, n, &u->fair_threshold);
    rc = read_boolean(r, n, &allowed);
    if (rc == 0)
        /* a child queue cannot allow what its parent forbids */
        u->preempt = u->preempt && allowed;
    return rc;
}

static int read_resource_field(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    if (is_named(n, "minResources"))
        return read_limit(r, n, &u->min);
    if (is_named(n, "maxResources"))
        return read_limit(r, n, &u->max);
    if (is_named(n, "maxChildResources"))
        return read_limit(r, n, &u->child_max);
    if (is_named(n, "minMaps"))
        return read_slot_count(r, n, &u->min, BASE_TASK_MAP);
    if (is_named(n, "minReduces"))
        return read_slot_count(r, n, &u->min, BASE_TASK_REDUCE);
    return read_slot_count(r, n, &u->max,
                           is_named(n, "maxMaps") ? BASE_TASK_MAP : BASE_TASK_REDUCE);
}

static int read_app_limit_weight_order_or_acl(struct reader *r, xmlNodePtr n,
                                              struct policy_queue *u)
{
    if (is_named(n, "maxRunningApps") || is_named(n, "maxRunningJobs"))
        return read_app_count(r, n, &u->max_running);
    if (is_named(n, "maxAMShare"))
        return read_am_share(r, n, &u->max_am_share);
    if (is_named(n, "weight"))
        return read_real(r, n, 0, 1e9, "a number, 0 or more", &u->weight);
    if (is_named(n, "schedulingPolicy") || is_named(n, "schedulingMode"))
        return read_queue_order(r, n, &u->order);
    return read_acl(r, n, is_named(n, "aclSubmitApps") ? &u->acl_submit : &u->acl_admin);
}

static void note_ignored_element(struct reader *r, xmlNodePtr n)
{
    static const char *const known[] = {
        "reservation",         "maxContainerAllocation", "aclAdministerReservations",
        "aclListReservations", "aclSubmitReservations",  "reservation-planner",
        "reservation-agent",   "reservation-policy"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_named(n, known[i])) {
            note_element(r, n, "has no effect here");
            return;
        }
    note_element(r, n, "an unknown element, ignored");
}

static int read_queue_field(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    static const struct {
        const char *name;
        int (*read)(struct reader *, xmlNodePtr, struct policy_queue *);
    } fields[] = {
        {"minResources", read_resource_field},
        {"maxResources", read_resource_field},
        {"maxChildResources", read_resource_field},
        {"minMaps", read_resource_field},
        {"minReduces", read_resource_field},
        {"maxMaps", read_resource_field},
        {"maxReduces", read_resource_field},
        {"maxRunningApps", read_app_limit_weight_order_or_acl},
        {"maxRunningJobs", read_app_limit_weight_order_or_acl},
        {"maxAMShare", read_app_limit_weight_order_or_acl},
        {"weight", read_app_limit_weight_order_or_acl},
        {"schedulingPolicy", read_app_limit_weight_order_or_acl},
        {"schedulingMode", read_app_limit_weight_order_or_acl},
        {"aclSubmitApps", read_app_limit_weight_order_or_acl},
        {"aclAdministerApps", read_app_limit_weight_order_or_acl},
        {"minSharePreemptionTimeout", read_preemption_field},
        {"fairSharePreemptionTimeout", read_preemption_field},
        {"fairSharePreemptionThreshold", read_preemption_field},
        {"allowPreemptionFrom", read_preemption_field},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (is_named(n, fields[i].name))
            return fields[i].read(r, n, u);
    if (!is_queue_element(n))
        note_ignored_element(r, n);
    return 0;
}

/* Finds or adds the queue that @node describes below @parent (-1: @node is root itself). Sets *@out
 * to its index. */
static int find_or_add_queue(struct reader *r, xmlNodePtr node, int32_t parent, int32_t *out)
{
    struct base_error why;
    char *name = get_attribute(node, "name"), *full = NULL;
    int rc = 0;

    *out = 0;
    if (!name || !*name)
        rc = refuse_element(r, node, "attribute name is %s, expected the queue's name",
                            name ? "empty" : "missing");
    else if (strchr(name, '.'))
        rc = refuse_element(
            r, node,
            "name \"%.200s\" has a period, expected a name without (queues nest as elements)",
            name);
    else if (parent >= 0) {
        full = base_printf("%s.%s", r->q.v[parent].name, name);
        if (policy_queue_check_name(full, &why) < 0)
            rc = refuse_element(r, node, "%s", why.text);
        else if (r->q.n + 2 > POLICY_QUEUES_MAX)
            rc = refuse_element(r, node, "more than %d queues", POLICY_QUEUES_MAX);
    }
    if (rc == 0 && parent >= 0) {
        if (policy_queues_find(&r->q, full) > 1)
            note_element(r, node,
                         "a queue of that name was given before: these settings are added to it");
        *out = policy_queues_add(&r->q, full);
    }
    free(full);
    free(name);
    return rc;
}

static bool limit_exceeds(const struct policy_limit *a, const struct policy_limit *b)
{
    return a->given && b->given &&
           ((b->memory_mb >= 0 && a->memory_mb > b->memory_mb) ||
            (b->vcores > 0 && a->vcores > b->vcores) ||
            (b->slots[BASE_TASK_MAP] >= 0 && a->slots[BASE_TASK_MAP] > b->slots[BASE_TASK_MAP]) ||
            (b->slots[BASE_TASK_REDUCE] >= 0 &&
             a->slots[BASE_TASK_REDUCE] > b->slots[BASE_TASK_REDUCE]));
}

static int read_queue(struct reader *r, xmlNodePtr node, int32_t parent)
{
    char *type = get_attribute(node, "type");
    int32_t at;
    int rc = find_or_add_queue(r, node, parent, &at);

    if (rc == 0 && type && strcasecmp(type, "parent") != 0)
        rc = refuse_element(r, node, "attribute type is \"%.200s\", expected parent", type);
    if (rc == 0) {
        r->q.v[at].configured = true;
        r->q.v[at].is_parent = r->q.v[at].is_parent || type;
    }
    free(type);
    for (EACH_ELEMENT(n, node)) /* the queue's own fields first: its children inherit some */
        if (rc == 0)
            rc = read_queue_field(r, n, &r->q.v[at]);
    if (rc == 0 && limit_exceeds(&r->q.v[at].min, &r->q.v[at].max))
        note_element(r, node, "its minimum is more than its maximum; the maximum applies");
    for (EACH_ELEMENT(n, node))
        if (rc == 0 && is_queue_element(n))
            rc = read_queue(r, n, at);
    return rc;
}

/* --- placement rules --- */

static int read_rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth);

/* Reads the rule nested in rule @node, which finds the parent of the users' queues. A rule
 * nestedUserQueue must have one, a rule user may have one and then becomes nestedUserQueue, and
 * other rules must not. */
static int read_nested_rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth)
{
    int rc = 0;

    for (EACH_ELEMENT(n, node)) {
        if (!is_named(n, "rule"))
            return refuse_element(r, n, "expected a rule element");
        if (out->nested || depth >= 1 ||
            (out->kind != POLICY_RULE_NESTED_USER && out->kind != POLICY_RULE_USER))
            return refuse_element(r, n,
                                  "one rule too many, expected one inside a nestedUserQueue rule");
        out->nested = base_alloc(sizeof *out->nested);
        rc = read_rule(r, n, out->nested, depth + 1);
        if (rc < 0)
            return rc;
        out->kind = POLICY_RULE_NESTED_USER;
    }
    if (out->kind == POLICY_RULE_NESTED_USER && !out->nested)
        return refuse_element(r, node, "nestedUserQueue without a rule, expected one inside");
    return 0;
}

static int parse_rule_kind(struct reader *r, xmlNodePtr node, const char *name,
                           enum policy_rule_kind *out)
{
    static const struct {
        const char *name;
        enum policy_rule_kind kind;
    } rules[] = {{"specified", POLICY_RULE_SPECIFIED},
                 {"user", POLICY_RULE_USER},
                 {"primaryGroup", POLICY_RULE_PRIMARY_GROUP},
                 {"secondaryGroupExistingQueue", POLICY_RULE_SECONDARY_GROUP},
                 {"nestedUserQueue", POLICY_RULE_NESTED_USER},
                 {"default", POLICY_RULE_DEFAULT},
                 {"reject", POLICY_RULE_REJECT}};

    for (size_t i = 0; name && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(name, rules[i].name) == 0) {
            *out = rules[i].kind;
            return 0;
        }
    return refuse_element(r, node,
                          "attribute name is \"%.200s\", expected specified, user, primaryGroup, "
                          "secondaryGroupExistingQueue, "
                          "nestedUserQueue, default or reject",
                          name ? name : "");
}

static int read_rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth)
{
    char *name = get_attribute(node, "name"), *create = get_attribute(node, "create"),
         *to = get_attribute(node, "queue");
    struct base_error why;
    int rc = parse_rule_kind(r, node, name, &out->kind);

    out->create = !create || strcasecmp(create, "true") == 0;
    if (rc == 0 && create && !out->create && strcasecmp(create, "false") != 0)
        rc = refuse_element(r, node, "attribute create is \"%.200s\", expected true or false",
                            create);
    if (rc == 0 && out->kind == POLICY_RULE_DEFAULT && to) {
        if (policy_queue_check_name(to, &why) < 0)
            rc = refuse_element(r, node, "attribute queue: %s", why.text);
        else
            out->queue = base_strdup(to);
    }
    free(name);
    free(create);
    free(to);
    return rc < 0 ? rc : read_nested_rule(r, node, out, depth);
}

static int read_placement_rules(struct reader *r, xmlNodePtr node)
{
    struct policy_queues *q = &r->q;
    xmlNodePtr last = NULL;
    int rc;

    for (size_t i = 0; i < q->rules_n; i++)
        policy_rule_clear(&q->rules[i]);
    q->rules_n = 0;
    for (EACH_ELEMENT(n, node)) {
        if (!is_named(n, "rule"))
            return refuse_element(r, n, "expected a rule element");
        if (q->rules_n >= POLICY_QUEUE_RULES_MAX)
            return refuse_element(r, n, "more than %d rules", POLICY_QUEUE_RULES_MAX);
        if (q->rules_n > 0 && policy_rule_is_last(&q->rules[q->rules_n - 1]))
            return refuse_element(
                r, n,
                "this rule can never be reached, expected none after one that always decides");
        q->rules = base_realloc_array(q->rules, q->rules_n + 1, sizeof *q->rules);
        q->rules[q->rules_n] = (struct policy_rule){0};
        rc = read_rule(r, n, &q->rules[q->rules_n++], 0);
        if (rc < 0)
            return rc;
        last = n;
    }
    if (!last)
        return refuse_element(r, node, "no rule, expected at least one");
    if (!policy_rule_is_last(&q->rules[q->rules_n - 1]))
        return refuse_element(r, last,
                              "the last rule may find no queue, expected default, reject, or user "
                              "or primaryGroup that "
                              "may create one");
    q->rules_given = true;
    return 0;
}

/* --- the file --- */

static int read_user_app_limit(struct reader *r, xmlNodePtr node)
{
    struct policy_queues *q = &r->q;
    char *name = get_attribute(node, "name");
    int32_t max = INT32_MAX;
    bool given = false;
    int rc = 0;

    if (!name || !*name)
        rc = refuse_element(r, node, "attribute name is %s, expected the user's name",
                            name ? "empty" : "missing");
    for (EACH_ELEMENT(n, node)) {
        if (rc < 0)
            break;
        given = is_named(n, "maxRunningApps") || is_named(n, "maxRunningJobs");
        if (given)
            rc = read_app_count(r, n, &max);
        else
            note_ignored_element(r, n);
    }
    if (rc == 0 && max != INT32_MAX) {
        q->users = base_realloc_array(q->users, q->users_n + 1, sizeof *q->users);
        q->users[q->users_n++] = (struct policy_user_limit){.user = name, .max_running = max};
        return 0;
    }
    free(name);
    return rc;
}

static int read_default_queue_order(struct reader *r, xmlNodePtr n)
{
    int rc = read_queue_order(r, n, &r->q.defaults.order);

    if (rc == 0 && r->q.defaults.order == POLICY_QUEUE_FIFO)
        rc = refuse_element(r, n, "fifo, expected fair or drf (fifo is for single queues)");
    return rc;
}

/* Reads one top-level element. Leaves queues for later, since they need the defaults set here, and
 * only remembers the placement rules. */
static int read_top_element(struct reader *r, xmlNodePtr n)
{
    struct policy_queues *q = &r->q;

    if (is_named(n, "user"))
        return read_user_app_limit(r, n);
    if (is_named(n, "queueMaxResourcesDefault"))
        return read_limit(r, n, &q->defaults.max);
    if (is_named(n, "queueMaxAppsDefault") || is_named(n, "poolMaxJobsDefault"))
        return read_app_count(r, n, &q->defaults.max_running);
    if (is_named(n, "queueMaxAMShareDefault"))
        return read_am_share(r, n, &q->defaults.max_am_share);
    if (is_named(n, "userMaxAppsDefault") || is_named(n, "userMaxJobsDefault"))
        return read_app_count(r, n, &q->user_max_running);
    if (is_named(n, "defaultMinSharePreemptionTimeout"))
        return read_seconds(r, n, &q->v[0].min_timeout_us);
    if (is_named(n, "defaultFairSharePreemptionTimeout")) {
        r->fair_timeout = true;
        return read_seconds(r, n, &q->v[0].fair_timeout_us);
    }
    if (is_named(n, "fairSharePreemptionTimeout"))
        return read_seconds(r, n, &r->old_fair_timeout_us);
    if (is_named(n, "defaultFairSharePreemptionThreshold"))
        return read_threshold(r, n, &q->v[0].fair_threshold);
    if (is_named(n, "defaultQueueSchedulingPolicy") || is_named(n, "defaultQueueSchedulingMode") ||
        is_named(n, "defaultPoolSchedulingMode"))
        return read_default_queue_order(r, n);
    if (is_named(n, "queuePlacementPolicy"))
        r->placement = n;
    else if (!is_queue_element(n))
        note_ignored_element(r, n);
    return 0;
}

static int read_queues(struct reader *r, xmlNodePtr root)
{
    size_t n_queues = 0;
    int rc = 0;

    for (EACH_ELEMENT(n, root))
        n_queues += is_queue_element(n);
    for (EACH_ELEMENT(n, root)) {
        char *name;
        bool is_root;

        if (rc < 0 || !is_queue_element(n))
            continue;
        name = get_attribute(n, "name");
        is_root = name && strcasecmp(name, "root") == 0;
        free(name);
        if (is_root && n_queues > 1)
            rc = refuse_element(r, n, "queue root beside others, expected all others inside it");
        else
            rc = read_queue(r, n, is_root ? -1 : 0);
    }
    return rc;
}

/* Leaves out queues that share by the dominant resource below a parent that shares by memory alone,
 * since YARN does not create them. SOURCE: Hadoop's FairSharePolicy.isChildPolicyAllowed and
 * QueueManager. */
static void leave_out_drf_below_fair_parents(struct reader *r)
{
    struct policy_queues *q = &r->q;

    for (size_t i = 1; i < q->n; i++) {
        const struct policy_queue *parent = &q->v[q->v[i].parent];
        bool misplaced = q->v[i].order == POLICY_QUEUE_DRF && parent->order == POLICY_QUEUE_FAIR;

        if (!q->v[i].configured || (parent->configured && !misplaced))
            continue;
        q->v[i].configured = false;
        if (r->notes)
            base_buf_addf(
                r->notes,
                "%s: queue %s is left out: schedulingPolicy drf needs a parent with drf\n", r->file,
                q->v[i].name);
    }
}

/* Reads the defaults first, since every queue copies them when it is added; then the queues, and
 * the placement rules last. */
static int read_document(struct reader *r, xmlNodePtr root)
{
    int rc = 0;

    if (!is_named(root, "allocations"))
        return refuse_element(r, root, "the outermost element, expected <allocations>");
    for (EACH_ELEMENT(n, root))
        if (rc == 0)
            rc = read_top_element(r, n);
    if (rc == 0 && !r->fair_timeout && r->old_fair_timeout_us >= 0)
        r->q.v[0].fair_timeout_us = r->old_fair_timeout_us;
    policy_queue_reset_settings(&r->q, policy_queues_find(&r->q, "default"));
    r->q.v[0].order = r->q.defaults.order;
    if (rc == 0)
        rc = read_queues(r, root);
    if (rc == 0)
        leave_out_drf_below_fair_parents(r);
    if (rc == 0 && r->placement)
        rc = read_placement_rules(r, r->placement);
    return rc;
}

static void keep_first_xml_error(void *arg, xmlErrorPtr e)
{
    struct reader *r = arg;

    if (r->first || e->level < XML_ERR_ERROR)
        return;
    r->first = base_printf("%s:%d: %s", r->file, e->line, e->message ? e->message : "");
    trim_blanks(r->first);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

int rm_allocations_parse_text(const char *name, const char *data, size_t len,
                              struct policy_queues *out, struct base_buf *notes,
                              struct base_error *err)
{
    struct reader r = {.file = name, .notes = notes, .err = err, .old_fair_timeout_us = -1};
    xmlDocPtr doc;
    xmlNodePtr root;
    int rc;

    if (len > RM_ALLOCATIONS_MAX)
        return base_error_set(err, -BASE_ELIMIT, "%s is larger than %u bytes", name,
                              RM_ALLOCATIONS_MAX);
    pthread_once(&once, xmlInitParser);
    xmlSetStructuredErrorFunc(&r, keep_first_xml_error); /* set for this thread only */
    doc = xmlReadMemory(data, (int)len, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOWARNING);
    root = doc ? xmlDocGetRootElement(doc) : NULL;
    policy_queues_init(&r.q, NULL);
    policy_queues_set_default_rules(&r.q, true, true);
    if (!root)
        rc = base_error_set(err, -BASE_EINVAL, "%s: not valid XML, expected an allocation file",
                            r.first ? r.first : name);
    /* a declaration could define entities, which can expand to any size and read other files */
    else if (doc->intSubset)
        rc = base_error_set(err, -BASE_EINVAL, "%s:1: a document type declaration is not allowed",
                            name);
    else
        rc = read_document(&r, root);
    xmlFreeDoc(doc);
    xmlSetStructuredErrorFunc(NULL, NULL);
    free(r.first);
    if (rc < 0)
        policy_queues_free(&r.q);
    else
        *out = r.q;
    return rc;
}

static void log_each_note(const char *text)
{
    for (size_t len = strcspn(text, "\n"); text[0];
         text += len + (text[len] == '\n'), len = strcspn(text, "\n"))
        base_log_warn("rm", "%.*s", (int)len, text);
}

int rm_allocations_read_file(const char *path, struct policy_queues *out, struct base_error *err)
{
    struct base_buf b = {0}, notes = {0};
    int rc = base_file_read(path, RM_ALLOCATIONS_MAX, &b, err);

    if (rc == 0)
        rc = rm_allocations_parse_text(path, b.data ? b.data : "", b.len, out, &notes, err);
    if (rc == 0 && notes.data)
        log_each_note(notes.data);
    base_buf_free(&b);
    base_buf_free(&notes);
    return rc;
}
