#include "rm/config/allocations.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "base/limits.h"
#include "base/io/log.h"

#define SECONDS_MAX (INT64_MAX / 1000000)

/* One file being read. libxml2 reports through @first. */
struct reader {
    const char *file;
    struct policy_queues q;
    struct base_buf *notes;
    struct base_error *err;
    char *first;                 /* first message of libxml2, or NULL */
    int64_t old_fair_timeout_us; /* fairSharePreemptionTimeout at the top, an older name; -1: not there */
    bool fair_timeout;           /* defaultFairSharePreemptionTimeout is there */
    xmlNodePtr placement;
};

static int refuse(struct reader *r, xmlNodePtr node, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int refuse(struct reader *r, xmlNodePtr node, const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;
    int rc;

    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    rc = base_error_set(r->err, -BASE_EINVAL, "%s:%ld: %s: %s", r->file, xmlGetLineNo(node), (const char *)node->name,
                        b.data);
    base_buf_free(&b);
    return rc;
}

static void note(struct reader *r, xmlNodePtr node, const char *what)
{
    if (r->notes)
        base_buf_addf(r->notes, "%s:%ld: %s: %s\n", r->file, xmlGetLineNo(node), (const char *)node->name, what);
}

static void trim(char *text)
{
    size_t len = strlen(text), skip = strspn(text, " \t\r\n");

    memmove(text, text + skip, len - skip + 1);
    len -= skip;
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
}

/* Text of an element as it is written; caller frees. */
static int text_of(struct reader *r, xmlNodePtr node, char **out)
{
    struct base_buf b = {0};

    for (xmlNodePtr n = node->children; n; n = n->next) {
        if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && n->content) {
            base_buf_adds(&b, (const char *)n->content);
        } else if (n->type == XML_ELEMENT_NODE) {
            base_buf_free(&b);
            return refuse(r, n, "an element inside a value, expected text");
        }
    }
    *out = base_buf_take(&b);
    return 0;
}

static int value_of(struct reader *r, xmlNodePtr node, char **out)
{
    int rc = text_of(r, node, out);

    if (rc < 0)
        return rc;
    trim(*out);
    if (**out)
        return 0;
    free(*out);
    *out = NULL;
    return refuse(r, node, "it is empty, expected a value");
}

/* Attribute, trimmed (caller frees), NULL: not there. */
static char *attribute(xmlNodePtr node, const char *name)
{
    xmlChar *x = xmlGetNoNsProp(node, BAD_CAST name);
    char *out = base_strdup((const char *)x);

    xmlFree(x);
    if (out)
        trim(out);
    return out;
}

static bool named(xmlNodePtr node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

static bool is_queue(xmlNodePtr node)
{
    return named(node, "queue") || named(node, "pool");
}

static xmlNodePtr first_element(xmlNodePtr n)
{
    while (n && n->type != XML_ELEMENT_NODE)
        n = n->next;
    return n;
}

#define EACH_ELEMENT(n, parent)                                                                                        \
    xmlNodePtr n = first_element((parent)->children);                                                                  \
    n;                                                                                                                 \
    n = first_element(n->next)

static int integer(struct reader *r, xmlNodePtr node, int64_t max, const char *what, int64_t *out)
{
    char *text = NULL;
    int rc = value_of(r, node, &text);

    if (rc == 0 && base_int_parse(text, 0, max, out) < 0)
        rc = refuse(r, node, "\"%.200s\", expected %s", text, what);
    free(text);
    return rc;
}

static int apps(struct reader *r, xmlNodePtr node, int32_t *out)
{
    int64_t v;
    int rc = integer(r, node, INT32_MAX, "a number of applications, 0 or more", &v);

    if (rc == 0)
        *out = (int32_t)v;
    return rc;
}

static int slots(struct reader *r, xmlNodePtr node, struct policy_limit *l, enum base_task_kind kind)
{
    int64_t v;
    int rc = integer(r, node, INT32_MAX, "a number of slots, 0 or more", &v);

    if (rc == 0) {
        l->given = true;
        l->slots[kind] = v;
    }
    return rc;
}

static int seconds(struct reader *r, xmlNodePtr node, int64_t *us)
{
    int64_t v;
    int rc = integer(r, node, INT64_MAX, "whole seconds, 0 or more", &v);

    if (rc == 0)
        *us = v >= SECONDS_MAX ? INT64_MAX : v * 1000000;
    return rc;
}

static int real(struct reader *r, xmlNodePtr node, double min, double max, const char *what, double *out)
{
    char *text, *end;
    size_t len;
    int rc = value_of(r, node, &text);

    if (rc < 0)
        return rc;
    len = strlen(text);
    if (len > 1 && strchr("fFdD", text[len - 1])) /* as Java writes them: 0.5f */
        text[len - 1] = '\0';
    *out = strtod(text, &end);
    if (*end || !*text || text[strspn(text, "+-.eE0123456789")] || !(*out >= min && *out <= max))
        rc = refuse(r, node, "\"%.200s\", expected %s", text, what);
    free(text);
    return rc;
}

static int limit(struct reader *r, xmlNodePtr node, struct policy_limit *out)
{
    struct base_error why;
    char *text;
    int rc = value_of(r, node, &text);

    if (rc < 0)
        return rc;
    rc = rm_allocations_limit(text, out, &why);
    free(text);
    return rc < 0 ? refuse(r, node, "%s", why.text) : 0;
}

static int order(struct reader *r, xmlNodePtr node, enum policy_queue_order *out)
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
    int rc = value_of(r, node, &text);

    if (rc < 0)
        return rc;
    class = strrchr(text, '.') ? strrchr(text, '.') + 1 : text;
    while (i < 3 && strcasecmp(text, orders[i].name) != 0 && strcmp(class, orders[i].class) != 0)
        i++;
    if (i < 3)
        *out = orders[i].order;
    else
        rc = refuse(r, node, "\"%.200s\", expected fair, fifo or drf", text);
    free(text);
    return rc;
}

static int truth(struct reader *r, xmlNodePtr node, bool *out)
{
    char *text;
    int rc = value_of(r, node, &text);

    if (rc < 0)
        return rc;
    *out = strcasecmp(text, "true") == 0;
    if (!*out && strcasecmp(text, "false") != 0)
        rc = refuse(r, node, "\"%.200s\", expected true or false", text);
    free(text);
    return rc;
}

static int acl(struct reader *r, xmlNodePtr node, char **out)
{
    char *text;
    int rc = text_of(r, node, &text);

    if (rc < 0)
        return rc;
    free(*out);
    *out = text;
    return 0;
}

/* --- queues --- */

/* What takes room for masters: a fraction, or any negative number for no bound. */
static int am_share(struct reader *r, xmlNodePtr node, double *out)
{
    int rc = real(r, node, -1e9, 1e9, "a number, -1 or between 0 and 1", out);

    if (rc == 0)
        *out = *out < 0 ? -1 : *out > 1 ? 1 : *out;
    return rc;
}

static int threshold(struct reader *r, xmlNodePtr node, double *out)
{
    int rc = real(r, node, -1e9, 1e9, "a number between 0 and 1", out);

    if (rc == 0)
        *out = *out < 0 ? 0 : *out > 1 ? 1 : *out;
    return rc;
}

static int preemption(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    bool allowed;
    int rc;

    if (named(n, "minSharePreemptionTimeout"))
        return seconds(r, n, &u->min_timeout_us);
    if (named(n, "fairSharePreemptionTimeout"))
        return seconds(r, n, &u->fair_timeout_us);
    if (named(n, "fairSharePreemptionThreshold"))
        return threshold(r, n, &u->fair_threshold);
    rc = truth(r, n, &allowed);
    if (rc == 0)
        u->preempt = u->preempt && allowed; /* what the parent forbids is forbidden below */
    return rc;
}

static int resources(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    if (named(n, "minResources"))
        return limit(r, n, &u->min);
    if (named(n, "maxResources"))
        return limit(r, n, &u->max);
    if (named(n, "maxChildResources"))
        return limit(r, n, &u->child_max);
    if (named(n, "minMaps"))
        return slots(r, n, &u->min, BASE_TASK_MAP);
    if (named(n, "minReduces"))
        return slots(r, n, &u->min, BASE_TASK_REDUCE);
    return slots(r, n, &u->max, named(n, "maxMaps") ? BASE_TASK_MAP : BASE_TASK_REDUCE);
}

static int other(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    if (named(n, "maxRunningApps") || named(n, "maxRunningJobs"))
        return apps(r, n, &u->max_running);
    if (named(n, "maxAMShare"))
        return am_share(r, n, &u->max_am_share);
    if (named(n, "weight"))
        return real(r, n, 0, 1e9, "a number, 0 or more", &u->weight);
    if (named(n, "schedulingPolicy") || named(n, "schedulingMode"))
        return order(r, n, &u->order);
    return acl(r, n, named(n, "aclSubmitApps") ? &u->acl_submit : &u->acl_admin);
}

static void ignored(struct reader *r, xmlNodePtr n)
{
    static const char *const known[] = {"reservation",         "maxContainerAllocation", "aclAdministerReservations",
                                        "aclListReservations", "aclSubmitReservations",  "reservation-planner",
                                        "reservation-agent",   "reservation-policy"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (named(n, known[i])) {
            note(r, n, "it has no effect here");
            return;
        }
    note(r, n, "an unknown element, nothing is done with it");
}

static int field(struct reader *r, xmlNodePtr n, struct policy_queue *u)
{
    static const struct {
        const char *name;
        int (*read)(struct reader *, xmlNodePtr, struct policy_queue *);
    } fields[] = {
        {"minResources", resources},
        {"maxResources", resources},
        {"maxChildResources", resources},
        {"minMaps", resources},
        {"minReduces", resources},
        {"maxMaps", resources},
        {"maxReduces", resources},
        {"maxRunningApps", other},
        {"maxRunningJobs", other},
        {"maxAMShare", other},
        {"weight", other},
        {"schedulingPolicy", other},
        {"schedulingMode", other},
        {"aclSubmitApps", other},
        {"aclAdministerApps", other},
        {"minSharePreemptionTimeout", preemption},
        {"fairSharePreemptionTimeout", preemption},
        {"fairSharePreemptionThreshold", preemption},
        {"allowPreemptionFrom", preemption},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (named(n, fields[i].name))
            return fields[i].read(r, n, u);
    if (!is_queue(n))
        ignored(r, n);
    return 0;
}

/* The queue of an element below @parent (-1: it is root itself). */
static int queue_of(struct reader *r, xmlNodePtr node, int32_t parent, int32_t *out)
{
    struct base_error why;
    char *name = attribute(node, "name"), *full = NULL;
    int rc = 0;

    *out = 0;
    if (!name || !*name)
        rc = refuse(r, node, "attribute name is %s, expected the queue's name", name ? "empty" : "missing");
    else if (strchr(name, '.'))
        rc = refuse(r, node, "name \"%.200s\" has a period, expected a name without (queues nest as elements)", name);
    else if (parent >= 0) {
        full = base_printf("%s.%s", r->q.v[parent].name, name);
        if (policy_queue_check_name(full, &why) < 0)
            rc = refuse(r, node, "%s", why.text);
        else if (r->q.n + 2 > POLICY_QUEUES_MAX)
            rc = refuse(r, node, "more than %d queues", POLICY_QUEUES_MAX);
    }
    if (rc == 0 && parent >= 0) {
        if (policy_queues_find(&r->q, full) > 1)
            note(r, node, "a queue of that name came before: what is said here is added");
        *out = policy_queues_add(&r->q, full);
    }
    free(full);
    free(name);
    return rc;
}

static bool exceeds(const struct policy_limit *a, const struct policy_limit *b)
{
    return a->given && b->given &&
           ((b->memory_mb >= 0 && a->memory_mb > b->memory_mb) || (b->vcores > 0 && a->vcores > b->vcores) ||
            (b->slots[BASE_TASK_MAP] >= 0 && a->slots[BASE_TASK_MAP] > b->slots[BASE_TASK_MAP]) ||
            (b->slots[BASE_TASK_REDUCE] >= 0 && a->slots[BASE_TASK_REDUCE] > b->slots[BASE_TASK_REDUCE]));
}

static int queue(struct reader *r, xmlNodePtr node, int32_t parent)
{
    char *type = attribute(node, "type");
    int32_t at;
    int rc = queue_of(r, node, parent, &at);

    if (rc == 0 && type && strcasecmp(type, "parent") != 0)
        rc = refuse(r, node, "attribute type is \"%.200s\", expected parent", type);
    if (rc == 0) {
        r->q.v[at].configured = true;
        r->q.v[at].is_parent = r->q.v[at].is_parent || type;
    }
    free(type);
    for (EACH_ELEMENT(n, node)) /* all of its own first: queues below inherit some */
        if (rc == 0)
            rc = field(r, n, &r->q.v[at]);
    if (rc == 0 && exceeds(&r->q.v[at].min, &r->q.v[at].max))
        note(r, node, "its minimum is more than its maximum, which holds");
    for (EACH_ELEMENT(n, node))
        if (rc == 0 && is_queue(n))
            rc = queue(r, n, at);
    return rc;
}

/* --- placement rules --- */

static int rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth);

/* @nested below a rule: it finds the parent of users' queues. */
static int nested_rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth)
{
    int rc = 0;

    for (EACH_ELEMENT(n, node)) {
        if (!named(n, "rule"))
            return refuse(r, n, "expected a rule element");
        if (out->nested || depth >= 1 || (out->kind != POLICY_RULE_NESTED_USER && out->kind != POLICY_RULE_USER))
            return refuse(r, n, "a rule too many, expected one inside a rule nestedUserQueue");
        out->nested = base_alloc(sizeof *out->nested);
        rc = rule(r, n, out->nested, depth + 1);
        if (rc < 0)
            return rc;
        out->kind = POLICY_RULE_NESTED_USER;
    }
    if (out->kind == POLICY_RULE_NESTED_USER && !out->nested)
        return refuse(r, node, "nestedUserQueue without a rule, expected one inside");
    return 0;
}

static int rule_kind(struct reader *r, xmlNodePtr node, const char *name, enum policy_rule_kind *out)
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
    return refuse(r, node,
                  "attribute name is \"%.200s\", expected specified, user, primaryGroup, secondaryGroupExistingQueue, "
                  "nestedUserQueue, default or reject",
                  name ? name : "");
}

static int rule(struct reader *r, xmlNodePtr node, struct policy_rule *out, int depth)
{
    char *name = attribute(node, "name"), *create = attribute(node, "create"), *to = attribute(node, "queue");
    struct base_error why;
    int rc = rule_kind(r, node, name, &out->kind);

    out->create = !create || strcasecmp(create, "true") == 0;
    if (rc == 0 && create && !out->create && strcasecmp(create, "false") != 0)
        rc = refuse(r, node, "attribute create is \"%.200s\", expected true or false", create);
    if (rc == 0 && out->kind == POLICY_RULE_DEFAULT && to) {
        if (policy_queue_check_name(to, &why) < 0)
            rc = refuse(r, node, "attribute queue: %s", why.text);
        else
            out->queue = base_strdup(to);
    }
    free(name);
    free(create);
    free(to);
    return rc < 0 ? rc : nested_rule(r, node, out, depth);
}

static int placement(struct reader *r, xmlNodePtr node)
{
    struct policy_queues *q = &r->q;
    xmlNodePtr last = NULL;
    int rc;

    for (size_t i = 0; i < q->rules_n; i++)
        policy_rule_free(&q->rules[i]);
    q->rules_n = 0;
    for (EACH_ELEMENT(n, node)) {
        if (!named(n, "rule"))
            return refuse(r, n, "expected a rule element");
        if (q->rules_n >= POLICY_QUEUE_RULES_MAX)
            return refuse(r, n, "more than %d rules", POLICY_QUEUE_RULES_MAX);
        if (q->rules_n > 0 && policy_rule_is_last(&q->rules[q->rules_n - 1]))
            return refuse(r, n, "this rule can never be reached, expected none behind one that always decides");
        q->rules = base_realloc_array(q->rules, q->rules_n + 1, sizeof *q->rules);
        q->rules[q->rules_n] = (struct policy_rule){0};
        rc = rule(r, n, &q->rules[q->rules_n++], 0);
        if (rc < 0)
            return rc;
        last = n;
    }
    if (!last)
        return refuse(r, node, "no rule, expected one at least");
    if (!policy_rule_is_last(&q->rules[q->rules_n - 1]))
        return refuse(r, last,
                      "the last rule may find no queue, expected default, reject, or user or primaryGroup that "
                      "may create one");
    q->rules_given = true;
    return 0;
}

/* --- the file --- */

static int user(struct reader *r, xmlNodePtr node)
{
    struct policy_queues *q = &r->q;
    char *name = attribute(node, "name");
    int32_t max = INT32_MAX;
    bool given = false;
    int rc = 0;

    if (!name || !*name)
        rc = refuse(r, node, "attribute name is %s, expected the user's name", name ? "empty" : "missing");
    for (EACH_ELEMENT(n, node)) {
        if (rc < 0)
            break;
        given = named(n, "maxRunningApps") || named(n, "maxRunningJobs");
        if (given)
            rc = apps(r, n, &max);
        else
            ignored(r, n);
    }
    if (rc == 0 && max != INT32_MAX) {
        q->users = base_realloc_array(q->users, q->users_n + 1, sizeof *q->users);
        q->users[q->users_n++] = (struct policy_user_limit){.user = name, .max_running = max};
        return 0;
    }
    free(name);
    return rc;
}

static int default_order(struct reader *r, xmlNodePtr n)
{
    int rc = order(r, n, &r->q.defaults.order);

    if (rc == 0 && r->q.defaults.order == POLICY_QUEUE_FIFO)
        rc = refuse(r, n, "fifo, expected fair or drf (fifo is said of a queue)");
    return rc;
}

/* Everything at the top but queues, which need it. */
static int top(struct reader *r, xmlNodePtr n)
{
    struct policy_queues *q = &r->q;

    if (named(n, "user"))
        return user(r, n);
    if (named(n, "queueMaxResourcesDefault"))
        return limit(r, n, &q->defaults.max);
    if (named(n, "queueMaxAppsDefault") || named(n, "poolMaxJobsDefault"))
        return apps(r, n, &q->defaults.max_running);
    if (named(n, "queueMaxAMShareDefault"))
        return am_share(r, n, &q->defaults.max_am_share);
    if (named(n, "userMaxAppsDefault") || named(n, "userMaxJobsDefault"))
        return apps(r, n, &q->user_max_running);
    if (named(n, "defaultMinSharePreemptionTimeout"))
        return seconds(r, n, &q->v[0].min_timeout_us);
    if (named(n, "defaultFairSharePreemptionTimeout")) {
        r->fair_timeout = true;
        return seconds(r, n, &q->v[0].fair_timeout_us);
    }
    if (named(n, "fairSharePreemptionTimeout"))
        return seconds(r, n, &r->old_fair_timeout_us);
    if (named(n, "defaultFairSharePreemptionThreshold"))
        return threshold(r, n, &q->v[0].fair_threshold);
    if (named(n, "defaultQueueSchedulingPolicy") || named(n, "defaultQueueSchedulingMode") ||
        named(n, "defaultPoolSchedulingMode"))
        return default_order(r, n);
    if (named(n, "queuePlacementPolicy"))
        r->placement = n;
    else if (!is_queue(n))
        ignored(r, n);
    return 0;
}

static int queues(struct reader *r, xmlNodePtr root)
{
    size_t n_queues = 0;
    int rc = 0;

    for (EACH_ELEMENT(n, root))
        n_queues += is_queue(n);
    for (EACH_ELEMENT(n, root)) {
        char *name;
        bool is_root;

        if (rc < 0 || !is_queue(n))
            continue;
        name = attribute(n, "name");
        is_root = name && strcasecmp(name, "root") == 0;
        free(name);
        if (is_root && n_queues > 1)
            rc = refuse(r, n, "queue root beside others, expected all others inside it");
        else
            rc = queue(r, n, is_root ? -1 : 0);
    }
    return rc;
}

static int document(struct reader *r, xmlNodePtr root)
{
    int rc = 0;

    if (!named(root, "allocations"))
        return refuse(r, root, "the outermost element, expected <allocations>");
    for (EACH_ELEMENT(n, root))
        if (rc == 0)
            rc = top(r, n);
    if (rc == 0 && !r->fair_timeout && r->old_fair_timeout_us >= 0)
        r->q.v[0].fair_timeout_us = r->old_fair_timeout_us;
    policy_queue_reset(&r->q, policy_queues_find(&r->q, "default"));
    if (rc == 0)
        rc = queues(r, root);
    if (rc == 0 && r->placement)
        rc = placement(r, r->placement);
    return rc;
}

static void on_xml_error(void *arg, xmlErrorPtr e)
{
    struct reader *r = arg;

    if (r->first || e->level < XML_ERR_ERROR)
        return;
    r->first = base_printf("%s:%d: %s", r->file, e->line, e->message ? e->message : "");
    trim(r->first);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

int rm_allocations_parse(const char *name, const char *data, size_t len, struct policy_queues *out,
                         struct base_buf *notes, struct base_error *err)
{
    struct reader r = {.file = name, .notes = notes, .err = err, .old_fair_timeout_us = -1};
    xmlDocPtr doc;
    xmlNodePtr root;
    int rc;

    if (len > RM_ALLOCATIONS_MAX)
        return base_error_set(err, -BASE_ELIMIT, "%s is larger than %u bytes", name, RM_ALLOCATIONS_MAX);
    pthread_once(&once, xmlInitParser);
    xmlSetStructuredErrorFunc(&r, on_xml_error); /* per thread */
    doc = xmlReadMemory(data, (int)len, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOWARNING);
    root = doc ? xmlDocGetRootElement(doc) : NULL;
    policy_queues_init(&r.q, NULL);
    policy_queues_default_rules(&r.q, true, true);
    if (!root)
        rc = base_error_set(err, -BASE_EINVAL, "%s: not valid XML, expected an allocation file",
                            r.first ? r.first : name);
    else if (doc->intSubset) /* nothing needs entities; they can grow without end and reach for other files */
        rc = base_error_set(err, -BASE_EINVAL, "%s:1: a document type declaration, expected none", name);
    else
        rc = document(&r, root);
    xmlFreeDoc(doc);
    xmlSetStructuredErrorFunc(NULL, NULL);
    free(r.first);
    if (rc < 0)
        policy_queues_free(&r.q);
    else
        *out = r.q;
    return rc;
}

static void log_notes(const char *text)
{
    for (size_t len = strcspn(text, "\n"); text[0]; text += len + (text[len] == '\n'), len = strcspn(text, "\n"))
        base_log_warn("rm", "%.*s", (int)len, text);
}

int rm_allocations_read(const char *path, struct policy_queues *out, struct base_error *err)
{
    struct base_buf b = {0}, notes = {0};
    int rc = base_file_read(path, RM_ALLOCATIONS_MAX, &b, err);

    if (rc == 0)
        rc = rm_allocations_parse(path, b.data ? b.data : "", b.len, out, &notes, err);
    if (rc == 0 && notes.data)
        log_notes(notes.data);
    base_buf_free(&b);
    base_buf_free(&notes);
    return rc;
}
