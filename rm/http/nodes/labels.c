/* rm/http/nodes/labels.c - shows node labels. SOURCE: Hadoop's ResourceManager REST APIs; the
 * recordings labels-* and *node-labels. */
#include <stdlib.h>
#include <string.h>

#include "api/yarn/labels.h"
#include "rm/http/nodes/node_ids.h"
#include "rm/http/yarn/yarn_internal.h"

/* The labels of the cluster, and what the answers show of them. */
struct shown_labels {
    struct yarn_context frame;
    struct rm_views views;
    struct yarn_partition *partitions; /* parallel to views.labels */
    struct yarn_label *labels;
};

static void read_labels(struct rm_backend *b, struct shown_labels *s)
{
    const struct rm_views *v = &s->views;

    s->views = (struct rm_views){0};
    yarn_context_read(b, &s->frame);
    rm_view_labels(rm_backend_lock_core(b), &s->views);
    rm_backend_unlock_core(b);
    s->partitions = base_alloc(v->labels_n * sizeof *s->partitions);
    s->labels = base_alloc(v->labels_n * sizeof *s->labels);
    for (size_t i = 0; i < v->labels_n; i++) {
        yarn_resource_fill(&s->frame, &s->partitions[i].available, &v->labels[i].total);
        s->labels[i] = (struct yarn_label){.name = i ? v->labels[i].name : "<DEFAULT_PARTITION>",
                                           .exclusive = v->labels[i].exclusive,
                                           .partition = &s->partitions[i],
                                           .active_nodes = v->labels[i].active_nodes};
    }
}

static void free_labels(struct shown_labels *s)
{
    free(s->labels);
    free(s->partitions);
    rm_views_free(&s->views);
    yarn_context_free(&s->frame);
}

static struct api_list make_label_list(const struct yarn_label *v, size_t n)
{
    return (struct api_list){.items = v, .n = n, .stride = sizeof *v};
}

static void get_node_labels(struct api_request *rq, void *user)
{
    struct shown_labels s;
    struct yarn_labels shown;

    read_labels(user, &s);
    shown.list = make_label_list(s.labels + 1, s.views.labels_n - 1);
    yarn_answer(rq, 200, &yarn_shape_labels, API_M_BARE, &shown);
    free_labels(&s);
}

static int compare_label_names(const void *a, const void *b)
{
    return strcmp(((const struct yarn_label *)a)->name, ((const struct yarn_label *)b)->name);
}

static void get_rm_node_labels(struct api_request *rq, void *user)
{
    struct shown_labels s;
    struct yarn_labels shown;

    read_labels(user, &s);
    qsort(s.labels + 1, s.views.labels_n - 1, sizeof *s.labels, compare_label_names);
    shown.list = make_label_list(s.labels, s.views.labels_n);
    yarn_answer(rq, 200, &yarn_shape_rm_labels, API_M_BARE, &shown);
    free_labels(&s);
}

static void get_labels_of_node(struct api_request *rq, void *user)
{
    struct shown_labels s;
    struct yarn_labels shown = {0};
    struct yarn_label label;
    char id[YARN_NODE_ID_MAX];

    if (!yarn_parse_node_or_host(rq, api_path_arg(rq, 0), id))
        return;
    read_labels(user, &s);
    for (size_t i = 0; i < s.views.node_labels_n; i++)
        if (strcmp(s.views.node_labels[i].node, id) == 0) {
            label = s.labels[s.views.node_labels[i].label];
            label.partition = NULL;
            shown.list = make_label_list(&label, 1);
        }
    yarn_answer(rq, 200, &yarn_shape_labels, API_M_BARE, &shown);
    free_labels(&s);
}

static void get_node_to_labels(struct api_request *rq, void *user)
{
    struct shown_labels s;
    struct yarn_nodes_to_labels shown;
    struct yarn_node_labels *nodes;
    struct yarn_label *labels;

    read_labels(user, &s);
    nodes = base_alloc(s.views.node_labels_n * sizeof *nodes);
    labels = base_alloc(s.views.node_labels_n * sizeof *labels);
    for (size_t i = 0; i < s.views.node_labels_n; i++) {
        labels[i] = s.labels[s.views.node_labels[i].label];
        labels[i].partition = NULL;
        nodes[i] = (struct yarn_node_labels){.node = s.views.node_labels[i].node,
                                             .labels.list = make_label_list(&labels[i], 1)};
    }
    shown.entries.list =
        (struct api_list){.items = nodes, .n = s.views.node_labels_n, .stride = sizeof *nodes};
    yarn_answer(rq, 200, &yarn_shape_nodes_to_labels, API_M_BARE, &shown);
    free(nodes);
    free(labels);
    free_labels(&s);
}

struct wanted_labels {
    const char *name; /* of the label that is compared */
    bool any, found;
};

static void note_wanted_label(const char *value, void *user)
{
    struct wanted_labels *w = user;

    w->any = true;
    w->found = w->found || strcmp(value, w->name) == 0;
}

/* Returns whether the query asks for @label: each parameter "labels" names one; without any, all
 * are wanted. */
static bool is_label_wanted(const struct api_request *rq, const char *label)
{
    struct wanted_labels w = {.name = label};

    api_query_each_value(rq, "labels", note_wanted_label, &w);
    return w.found || !w.any;
}

/* Fills an entry for each wanted label that has nodes; the names of its nodes come from @names,
 * which has room for all. Returns the number of entries. */
static size_t fill_label_entries(const struct api_request *rq, const struct shown_labels *s,
                                 struct yarn_label_entry *entries, const char **names)
{
    size_t n = 0, used = 0;

    for (size_t label = 1; label < s->views.labels_n; label++) {
        size_t first = used;

        if (!is_label_wanted(rq, s->labels[label].name))
            continue;
        for (size_t i = 0; i < s->views.node_labels_n; i++)
            if (s->views.node_labels[i].label == label)
                names[used++] = s->views.node_labels[i].node;
        if (used == first)
            continue;
        entries[n] = (struct yarn_label_entry){
            .label = s->labels[label],
            .nodes = {.nodes = {.items = &names[first], .n = used - first, .stride = sizeof *names},
                      .partition = &s->partitions[label]}};
        entries[n++].label.partition = NULL;
    }
    return n;
}

static void get_label_mappings(struct api_request *rq, void *user)
{
    struct shown_labels s;
    struct yarn_labels_to_nodes shown;
    struct yarn_label_entry *entries;
    const char **names;

    read_labels(user, &s);
    entries = base_alloc(s.views.labels_n * sizeof *entries);
    names = base_alloc(s.views.node_labels_n * sizeof *names);
    shown.entries.list = (struct api_list){.items = entries,
                                           .n = fill_label_entries(rq, &s, entries, names),
                                           .stride = sizeof *entries};
    yarn_answer(rq, 200, &yarn_shape_labels_to_nodes, API_M_BARE, &shown);
    free(entries);
    free(names);
    free_labels(&s);
}

/* clang-format off */
const struct api_route rm_yarn_labels_routes[] = {
    {"GET", YARN_CLUSTER "/get-node-labels",           API_ROLE_READ, 0, get_node_labels, 0},
    {"GET", YARN_CLUSTER "/get-rm-node-labels",        API_ROLE_READ, 0, get_rm_node_labels, 0},
    {"GET", YARN_CLUSTER "/get-node-to-labels",        API_ROLE_READ, 0, get_node_to_labels, 0},
    {"GET", YARN_CLUSTER "/label-mappings",            API_ROLE_READ, 0, get_label_mappings, 0},
    {"GET", YARN_CLUSTER "/nodes/{nodeid}/get-labels", API_ROLE_READ, 0, get_labels_of_node, 0},
};
/* clang-format on */
const size_t rm_yarn_labels_routes_n =
    sizeof rm_yarn_labels_routes / sizeof rm_yarn_labels_routes[0];
