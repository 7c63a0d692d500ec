#include "api/yarn/labels.h"

#define S(field, name)        API_STR(T, field, name, API_ALWAYS)
#define B(field, name)        API_BOOL(T, field, name, API_ALWAYS)
#define O(field, name, shape) API_OBJ(T, field, name, shape, API_ALWAYS)
#define P(field, name, shape) API_OBJPTR(T, field, name, shape, API_ALWAYS)
#define L(field, name, shape) API_LIST(T, field, name, shape, API_ALWAYS)
#define END                                                                                        \
    {                                                                                              \
        .kind = API_K_END                                                                          \
    }

#define T struct yarn_partition
static const struct api_member partition_members[] = {
    O(available, "resourceAvailable", &yarn_shape_resource),
    END,
};
#undef T
static const struct api_shape shape_partition = {.members = partition_members};

#define LABEL_MEMBERS                                                                              \
    S(name, "name"), B(exclusive, "exclusivity"), P(partition, "partitionInfo", &shape_partition)

#define T struct yarn_label
static const struct api_member label_members[] = {LABEL_MEMBERS, END};
static const struct api_member rm_label_members[] = {
    LABEL_MEMBERS,
    API_I64(T, active_nodes, "activeNMs", API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_label = {.members = label_members};
static const struct api_shape shape_rm_label = {.members = rm_label_members};

#define T struct yarn_labels
static const struct api_member labels_members[] = {L(list, "nodeLabelInfo", &shape_label), END};
static const struct api_member rm_labels_members[] = {L(list, "nodeLabelInfo", &shape_rm_label),
                                                      END};
#undef T
const struct api_shape yarn_shape_labels = {.root = "nodeLabelsInfo", .members = labels_members};
const struct api_shape yarn_shape_rm_labels = {.root = "nodeLabelsInfo",
                                               .members = rm_labels_members};

#define T struct yarn_node_labels
static const struct api_member node_labels_members[] = {
    S(node, "key"),
    O(labels, "value", &yarn_shape_labels),
    END,
};
#undef T
static const struct api_shape shape_node_labels = {.members = node_labels_members};

#define T struct yarn_node_label_entries
static const struct api_member node_label_entries_members[] = {
    L(list, "entry", &shape_node_labels),
    END,
};
#undef T
static const struct api_shape shape_node_label_entries = {.members = node_label_entries_members};

#define T struct yarn_nodes_to_labels
static const struct api_member nodes_to_labels_members[] = {
    O(entries, "nodeToLabels", &shape_node_label_entries),
    END,
};
#undef T
const struct api_shape yarn_shape_nodes_to_labels = {.root = "nodeToLabelsInfo",
                                                     .members = nodes_to_labels_members};

#define T struct yarn_label_nodes
static const struct api_member label_nodes_members[] = {
    API_STRLIST(T, nodes, "nodes", API_ALWAYS),
    P(partition, "partitionInfo", &shape_partition),
    END,
};
#undef T
static const struct api_shape shape_label_nodes = {.members = label_nodes_members};

#define T struct yarn_label_entry
static const struct api_member label_entry_members[] = {
    O(label, "key", &shape_label),
    O(nodes, "value", &shape_label_nodes),
    END,
};
#undef T
static const struct api_shape shape_label_entry = {.members = label_entry_members};

#define T struct yarn_label_entries
static const struct api_member label_entries_members[] = {L(list, "entry", &shape_label_entry),
                                                          END};
#undef T
static const struct api_shape shape_label_entries = {.members = label_entries_members};

#define T struct yarn_labels_to_nodes
static const struct api_member labels_to_nodes_members[] = {
    O(entries, "labelsToNodes", &shape_label_entries),
    END,
};
#undef T
const struct api_shape yarn_shape_labels_to_nodes = {.root = "labelsToNodesInfo",
                                                     .members = labels_to_nodes_members};
