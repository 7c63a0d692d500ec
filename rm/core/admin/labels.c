#include "rm/core/admin/labels.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/admin/label_use.h"
#include "rm/core/emit.h"
#include "rm/core/master/ask.h"
#include "rm/core/node/capacity.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

#define NAME_MAX_BYTES 255
#define WHOLE_HOST     ":0"

/* ---------------------------------------------------------------- labels by name and number */
static struct rm_label *find_label_or_removed(const struct rm_labels *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].name, name) == 0)
            return &l->v[i];
    return NULL;
}

static const struct rm_label *find_existing_label(const struct rm_labels *l, const char *name)
{
    const struct rm_label *found = find_label_or_removed(l, name);

    return found && found->exists ? found : NULL;
}

uint32_t rm_labels_find_or_add(struct rm_labels *l, const char *name)
{
    struct rm_label *found;

    if (!name || !*name)
        return 0;
    found = find_label_or_removed(l, name);
    if (!found) {
        if (l->n >= RM_LABELS_MAX)
            return RM_NONE;
        base_array_grow(&l->v, l->n, &l->cap);
        found = &l->v[l->n++];
        *found = (struct rm_label){.name = base_strdup(name)};
    }
    return (uint32_t)(found - l->v) + 1;
}

bool rm_labels_exist(const struct rm_labels *l, const char *name)
{
    return !name || !*name || find_existing_label(l, name);
}

const char *rm_labels_name(const struct rm_labels *l, uint32_t number)
{
    return number && number <= l->n ? l->v[number - 1].name : "";
}

static void free_mappings(struct rm_label_mapping *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(v[i].node);
    free(v);
}

void rm_labels_free(struct rm_labels *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].name);
        free(l->v[i].of_queue);
        rm_waiting_masters_free(&l->v[i].masters_waiting);
        rm_waiting_masters_free(&l->v[i].waiting_for_master_slots);
    }
    free_mappings(l->mappings, l->mappings_n);
    free(l->v);
    *l = (struct rm_labels){0};
}

/* ---------------------------------------------------------------- labels of nodes */
/* Returns the index of the first mapping that is not before @node. */
static size_t mapping_insert_index(const struct rm_labels *l, const char *node)
{
    size_t low = 0, high = l->mappings_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(l->mappings[mid].node, node) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct rm_label_mapping *find_mapping(const struct rm_labels *l, const char *node)
{
    size_t at = mapping_insert_index(l, node);

    return at < l->mappings_n && strcmp(l->mappings[at].node, node) == 0 ? &l->mappings[at] : NULL;
}

/* Finds the mapping of the whole host, whose name is the first @len bytes of @host. */
static struct rm_label_mapping *find_host_mapping(const struct rm_labels *l, const char *host,
                                                  size_t len)
{
    struct rm_label_mapping *m = NULL;
    char *node;

    if (l->mappings_n) {
        node = base_printf("%.*s" WHOLE_HOST, (int)len, host);
        m = find_mapping(l, node);
        free(node);
    }
    return m;
}

uint32_t rm_labels_find_node_label(const struct rm_labels *l, const char *id, const char *host)
{
    const struct rm_label_mapping *m = l->mappings_n ? find_mapping(l, id) : NULL;

    if (!m && l->mappings_n)
        m = find_host_mapping(l, host, strlen(host));
    return m ? m->label : 0;
}

void rm_node_update_label(struct rm_core *c, struct rm_node *n)
{
    uint32_t label = n->unseen ? 0 : rm_labels_find_node_label(&c->labels, n->id, n->host_name);

    if (label == n->label)
        return;
    n->label = label;
    n->exclusive = label && c->labels.v[label - 1].exclusive;
    if (n->counted)
        rm_node_recount_capacity(c, n);
    else
        rm_master_slots_recount_node(c, n); /* it may be awaited */
}

static void update_labels_of_all_nodes(struct rm_core *c)
{
    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i])
            rm_node_update_label(c, c->nodes[i]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true; /* other applications may use their slots now */
}

static void remove_mapping(struct rm_labels *l, size_t at)
{
    free(l->mappings[at].node);
    memmove(l->mappings + at, l->mappings + at + 1, (--l->mappings_n - at) * sizeof *l->mappings);
}

static void set_mapping(struct rm_labels *l, const char *node, uint32_t label)
{
    size_t at = mapping_insert_index(l, node);

    if (at < l->mappings_n && strcmp(l->mappings[at].node, node) == 0) {
        l->mappings[at].label = label;
        return;
    }
    base_array_grow(&l->mappings, l->mappings_n, &l->mappings_cap);
    memmove(l->mappings + at + 1, l->mappings + at, (l->mappings_n++ - at) * sizeof *l->mappings);
    l->mappings[at] = (struct rm_label_mapping){base_strdup(node), label};
}

/* Gives @node the label. A label of a whole host replaces those of its nodes, as in YARN. */
static void set_label_of_node_or_host(struct rm_labels *l, const char *node, uint32_t label)
{
    size_t host_len = strcspn(node, ":"), at;

    if (strcmp(node + host_len, WHOLE_HOST) == 0) {
        char *first = base_printf("%.*s:", (int)host_len, node);

        at = mapping_insert_index(l, first);
        while (at < l->mappings_n && strncmp(l->mappings[at].node, first, host_len + 1) == 0)
            remove_mapping(l, at);
        free(first);
        if (label)
            set_mapping(l, node, label);
    } else if (label || find_host_mapping(l, node, host_len)) {
        set_mapping(l, node, label);
    } else if (find_mapping(l, node)) {
        remove_mapping(l, mapping_insert_index(l, node));
    }
}

/* ---------------------------------------------------------------- changes */
/* Returns the length of @name without the blanks around it, and moves *@name past leading
 * blanks. */
static size_t trim_and_get_len(const char **name)
{
    size_t len;

    *name += strspn(*name, " \t\r\n");
    len = strlen(*name);
    while (len && strchr(" \t\r\n", (*name)[len - 1]))
        len--;
    return len;
}

static bool is_label_name(const char *name)
{
    static const char all[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

    return *name && *name != '-' && *name != '_' && !name[strspn(name, all)];
}

/* Returns the name without blanks around it, in memory that is valid until the next step. */
static const char *copy_trimmed(struct rm_core *c, const char *name)
{
    size_t len;

    name = name ? name : "";
    len = trim_and_get_len(&name);
    return rm_scratch_printf(c, "%.*s", (int)len, name);
}

/* These check a change. They return false when it is refused; @ev has then been answered. */
static bool check_label_to_add(struct rm_core *c, const struct rm_event *ev,
                               const struct rm_label_change *change)
{
    const char *name = copy_trimmed(c, change->name);
    const struct rm_label *known;

    if (!change->name || !*change->name || strlen(change->name) > NAME_MAX_BYTES) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "label added is empty or exceeds %d character(s)", NAME_MAX_BYTES);
        return false;
    }
    if (!is_label_name(name)) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "label name should only contains {0-9, a-z, A-Z, -, _} and should not "
                       "started with {-,_}, now it is= %s",
                       name);
        return false;
    }
    known = find_existing_label(&c->labels, name);
    if (known && known->exclusive != change->exclusive) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "Exclusivity cannot be modified for an existing label with : "
                       "<%s:exclusivity=%s>",
                       name, change->exclusive ? "true" : "false");
        return false;
    }
    return true;
}

static bool check_label_to_remove(struct rm_core *c, const struct rm_event *ev,
                                  const struct rm_label_change *change)
{
    const char *name = copy_trimmed(c, change->name);

    if (!*name) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "label to be removed is null or empty");
        return false;
    }
    if (find_existing_label(&c->labels, name))
        return true;
    rm_reply_error(c, ev->token, -BASE_EINVAL,
                   "Node label=%s to be removed doesn't existed in cluster node labels collection.",
                   name);
    return false;
}

/* Refuses to remove labels while a queue names one, as YARN does; this check precedes the one for
 * labels that do not exist. */
static bool check_labels_are_unused(struct rm_core *c, const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.labels.n; i++) {
        const char *name = copy_trimmed(c, ev->u.labels.v[i].name);
        char *queue = rm_label_find_queue_using(c, name);

        if (!queue)
            continue;
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "Cannot remove label=%s, because queue=%s is using this label. Please "
                       "remove label on queue before remove the label",
                       name, queue);
        free(queue);
        return false;
    }
    return true;
}

static bool check_labels_of_node(struct rm_core *c, const struct rm_event *ev,
                                 const struct rm_label_change *change)
{
    if (change->labels_n > 1) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "%zu labels specified on host=%.*s, please note that we do not support "
                       "specifying multiple labels on a single host for now.",
                       change->labels_n, (int)strcspn(change->name, ":"), change->name);
        return false;
    }
    if (change->labels_n && !find_existing_label(&c->labels, copy_trimmed(c, change->labels[0]))) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "Not all labels being replaced contained by known label collections, "
                       "please check, new labels=[%s]",
                       copy_trimmed(c, change->labels[0]));
        return false;
    }
    return true;
}

static bool check_change(struct rm_core *c, const struct rm_event *ev,
                         const struct rm_label_change *change)
{
    switch (ev->u.labels.op) {
    case RM_LABELS_ADD:
        return check_label_to_add(c, ev, change);
    case RM_LABELS_REMOVE:
        return check_label_to_remove(c, ev, change);
    case RM_LABELS_REPLACE:
        break;
    }
    return check_labels_of_node(c, ev, change);
}

static void remove_label(struct rm_labels *l, const char *name)
{
    struct rm_label *label = find_label_or_removed(l, name);
    uint32_t number = (uint32_t)(label - l->v) + 1;

    label->exists = false;
    for (size_t i = l->mappings_n; i-- > 0;)
        if (l->mappings[i].label == number)
            remove_mapping(l, i);
}

static void make_change(struct rm_core *c, enum rm_labels_op op,
                        const struct rm_label_change *change)
{
    struct rm_labels *l = &c->labels;
    uint32_t number;

    switch (op) {
    case RM_LABELS_ADD:
        number = rm_labels_find_or_add(l, copy_trimmed(c, change->name));
        l->v[number - 1].exists = true;
        l->v[number - 1].exclusive = change->exclusive;
        break;
    case RM_LABELS_REMOVE:
        remove_label(l, copy_trimmed(c, change->name));
        break;
    case RM_LABELS_REPLACE:
        number =
            change->labels_n ? rm_labels_find_or_add(l, copy_trimmed(c, change->labels[0])) : 0;
        set_label_of_node_or_host(l, change->name, number);
        break;
    }
}

static void store_labels(struct rm_core *c)
{
    const struct rm_labels *l = &c->labels;
    struct base_buf *b = &c->text;
    int64_t existing = 0;

    if (c->conf.simulation)
        return;
    for (size_t i = 0; i < l->n; i++)
        existing += l->v[i].exists;
    rm_record_begin(c, "l1");
    rm_put_int(b, existing);
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].exists) {
            rm_put_text(b, l->v[i].name);
            rm_put_int(b, l->v[i].exclusive);
        }
    rm_put_int(b, (int64_t)l->mappings_n);
    for (size_t i = 0; i < l->mappings_n; i++) {
        rm_put_text(b, l->mappings[i].node);
        rm_put_text(b, rm_labels_name(l, l->mappings[i].label));
    }
    rm_record_emit(c, "meta", RM_LABELS_KEY);
}

/* ---------------------------------------------------------------- bounds */
/* Gives a number to each name without one; if there are too many, returns false and numbers none. A
 * name that is known or repeated takes no number. */
static bool assign_label_numbers(struct rm_core *c, const struct rm_label_change *changes, size_t n)
{
    size_t before = c->labels.n;

    for (size_t i = 0; i < n; i++)
        if (rm_labels_find_or_add(&c->labels, copy_trimmed(c, changes[i].name)) == RM_NONE) {
            while (c->labels.n > before)
                free(c->labels.v[--c->labels.n].name);
            return false;
        }
    return true;
}

static struct rm_label_mapping *copy_mappings(const struct rm_labels *l)
{
    struct rm_label_mapping *copy = base_alloc((l->mappings_n + 1) * sizeof *copy);

    for (size_t i = 0; i < l->mappings_n; i++)
        copy[i] = (struct rm_label_mapping){base_strdup(l->mappings[i].node), l->mappings[i].label};
    return copy;
}

/* Makes all changes of @ev; or none, and returns false, when that would exceed a bound. The bound
 * applies to the result, since one change may undo another; so near the bound the mappings are
 * copied first, and restored if the result exceeds it. */
static bool make_changes_within_bounds(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_labels *l = &c->labels;
    struct rm_label_mapping *before = NULL;
    size_t n = ev->u.labels.n, before_n = l->mappings_n;

    if (ev->u.labels.op == RM_LABELS_ADD && !assign_label_numbers(c, ev->u.labels.v, n))
        return false;
    if (ev->u.labels.op == RM_LABELS_REPLACE && n > RM_LABEL_MAPPINGS_MAX - before_n)
        before = copy_mappings(l);
    for (size_t i = 0; i < n; i++)
        make_change(c, ev->u.labels.op, &ev->u.labels.v[i]);
    if (before && l->mappings_n > RM_LABEL_MAPPINGS_MAX) {
        free_mappings(l->mappings, l->mappings_n);
        l->mappings = before;
        l->mappings_n = before_n;
        l->mappings_cap = before_n + 1;
        return false;
    }
    free_mappings(before, before ? before_n : 0);
    return true;
}

void rm_labels_on_set(struct rm_core *c, const struct rm_event *ev)
{
    size_t n = ev->u.labels.n;

    if (ev->u.labels.op == RM_LABELS_REMOVE && !check_labels_are_unused(c, ev))
        return;
    for (size_t i = 0; i < n; i++)
        if (!check_change(c, ev, &ev->u.labels.v[i]))
            return;
    if (!make_changes_within_bounds(c, ev)) {
        rm_reply_error(c, ev->token, -BASE_ELIMIT,
                       "at most %d labels and %d nodes with labels are possible", RM_LABELS_MAX,
                       RM_LABEL_MAPPINGS_MAX);
        return;
    }
    if (n) {
        update_labels_of_all_nodes(c);
        store_labels(c);
    }
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

/* ---------------------------------------------------------------- reading back */
static void read_labels(struct rm_reader *r, struct rm_labels *l)
{
    int64_t n = rm_get_int_in(r, 0, RM_LABELS_MAX);

    for (int64_t i = 0; i < n && !r->bad; i++) {
        char *name = rm_get_text(r);
        bool exclusive = rm_get_int_in(r, 0, 1) == 1;
        uint32_t number = rm_labels_find_or_add(l, name);

        r->bad = r->bad || !number || number == RM_NONE;
        if (!r->bad) {
            l->v[number - 1].exists = true;
            l->v[number - 1].exclusive = exclusive;
        }
        free(name);
    }
}

static void read_mappings(struct rm_reader *r, struct rm_labels *l)
{
    int64_t n = rm_get_int_in(r, 0, RM_LABEL_MAPPINGS_MAX);

    for (int64_t i = 0; i < n && !r->bad; i++) {
        char *node = rm_get_text(r), *name = rm_get_text(r);

        r->bad = r->bad || !node || !name || (*name && !find_existing_label(l, name));
        if (!r->bad)
            set_mapping(l, node, rm_labels_find_or_add(l, name));
        free(node);
        free(name);
    }
}

int rm_labels_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct rm_labels l = {0};

    if (!rm_skip_word(&r, "l1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    read_labels(&r, &l);
    read_mappings(&r, &l);
    if (r.bad || r.p != r.end || c->labels.n) {
        rm_labels_free(&l);
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    }
    c->labels = l;
    return 0;
}

/* ---------------------------------------------------------------- demand */
/* Returns the index of the first demand whose label is not below @number. */
static size_t demand_insert_index(const struct rm_app *a, uint32_t number)
{
    size_t low = 0, high = a->label_demand_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (a->label_demand[mid].label < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct rm_label_demand *rm_label_demand_find(const struct rm_app *a, uint32_t number)
{
    size_t at = demand_insert_index(a, number);

    return at < a->label_demand_n && a->label_demand[at].label == number ? &a->label_demand[at]
                                                                         : NULL;
}

struct rm_label_demand *rm_label_demand_find_or_add(struct rm_app *a, uint32_t number)
{
    size_t at = demand_insert_index(a, number);

    if (at < a->label_demand_n && a->label_demand[at].label == number)
        return &a->label_demand[at];
    base_array_grow(&a->label_demand, a->label_demand_n, &a->label_demand_cap);
    memmove(a->label_demand + at + 1, a->label_demand + at,
            (a->label_demand_n++ - at) * sizeof *a->label_demand);
    a->label_demand[at] = (struct rm_label_demand){.label = number};
    return &a->label_demand[at];
}

void rm_labels_update_demand(struct rm_core *c, struct rm_app *a)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);
    bool waits = a->in_policy && at && a->ending == RM_END_NONE;
    bool asks = waits && at->state == RM_ATTEMPT_RUNNING;
    uint32_t master = waits && at->state == RM_ATTEMPT_SCHEDULED && a->activated ? a->am_label : 0;

    if (master)
        rm_label_demand_find_or_add(a, master);
    for (size_t i = 0; i < a->label_demand_n; i++) {
        struct rm_label_demand *d = &a->label_demand[i];

        for (enum base_task_kind k = 0; d->label <= c->labels.n && k < BASE_TASK_KINDS; k++) {
            int64_t now = (asks ? d->wanted[k] : 0) + (k == BASE_TASK_MAP && d->label == master);

            c->labels.v[d->label - 1].wanted[k] += now - d->counted[k];
            d->counted[k] = now;
        }
    }
}
