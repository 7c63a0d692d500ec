/* api/yarn/labels.h - YARN's node labels as plain structs, and the tables that describe them. As in
 * api/yarn/resources.h, texts are borrowed. Source of members and their order: recordings of
 * YARN 3.4.2 (labels-*, *node-labels). */
#ifndef CREEL_API_YARN_LABELS_H
#define CREEL_API_YARN_LABELS_H

#include "api/yarn/resources.h"

struct yarn_partition {
    struct yarn_resource available; /* all resources of the label's nodes */
};
struct yarn_label {
    const char *name;
    bool exclusive;
    const struct yarn_partition *partition; /* NULL: not shown */
    int64_t active_nodes;                   /* in lists of yarn_shape_rm_labels alone */
};
struct yarn_labels {
    struct api_list list; /* of struct yarn_label */
};
struct yarn_node_labels { /* a node and its labels */
    const char *node;
    struct yarn_labels labels;
};
struct yarn_node_label_entries {
    struct api_list list; /* of struct yarn_node_labels */
};
struct yarn_nodes_to_labels {
    struct yarn_node_label_entries entries;
};
struct yarn_label_nodes {
    struct api_list nodes; /* of const char * */
    const struct yarn_partition *partition;
};
struct yarn_label_entry { /* a label and its nodes */
    struct yarn_label label;
    struct yarn_label_nodes nodes;
};
struct yarn_label_entries {
    struct api_list list; /* of struct yarn_label_entry */
};
struct yarn_labels_to_nodes {
    struct yarn_label_entries entries;
};

/* Document shapes; yarn_shape_rm_labels shows active_nodes too. */
extern const struct api_shape yarn_shape_labels, yarn_shape_rm_labels, yarn_shape_nodes_to_labels,
    yarn_shape_labels_to_nodes;

#endif
