/* rm/core/admin/labels.h - node labels: each divides the nodes into those that have it, one
 * partition, and the others.
 *
 * A node has at most one label, given to it ("host:port") or to its whole host ("host:0"). A
 * request with a label is served by nodes of that label alone; a request without one by nodes
 * without a label, and by nodes whose label is not exclusive. Labels are numbered, from 1 on, in
 * the order in which they were first named; 0 means no label. A number is never given to another
 * label, so a request may keep the number of a label that has been removed or does not exist yet,
 * and waits.
 *
 * Without labels the only cost is the comparison of a request's number with the node's. With
 * labels, each one counts the containers that are wanted on its nodes: a free slot on a node that
 * is closed to other requests is offered only if that count is not 0. Source: Hadoop's
 * CommonNodeLabelsManager and RMNodeLabelsManager. */
#ifndef CREEL_RM_CORE_ADMIN_LABELS_H
#define CREEL_RM_CORE_ADMIN_LABELS_H

#include "rm/core/core.h"
#include "rm/core/master/waiting.h"

struct rm_app;
struct rm_node;
struct rm_record;

#define RM_LABELS_MAX         1000   /* labels ever named under one RM */
#define RM_LABEL_MAPPINGS_MAX 100000 /* nodes and hosts with labels */

/* Message about a request with a label that does not exist; its argument is the label. */
#define RM_NO_SUCH_LABEL "Invalid label resource request, cluster do not contain , label= %s"

struct rm_label {
    char *name;
    bool exists; /* in the cluster; false: only requests name it */
    bool exclusive;
    int64_t slots[BASE_TASK_KINDS];  /* of RUNNING nodes */
    int64_t wanted[BASE_TASK_KINDS]; /* containers that applications wait for */
    /* Masters that wait for map slots of this label, and how many run or may be placed. */
    struct rm_waiting masters_waiting;
    int64_t masters_active;
    struct rm_waiting waiting_for_master_slots;
    int32_t most_master_slots;     /* on a node of this label that offers them */
    struct rm_partition *of_queue; /* of queues with an index below of_queue_n; the others: none */
    size_t of_queue_n;
};
struct rm_label_mapping {
    char *node; /* "host:port"; "host:0" for all nodes of the host without a mapping of their own */
    uint32_t label; /* 0: none, though its host has one */
};
struct rm_labels {
    struct rm_label *v; /* label number i is v[i - 1] */
    size_t n, cap;
    struct rm_label_mapping *mappings; /* sorted by node */
    size_t mappings_n, mappings_cap;
    size_t masters_waiting; /* for nodes of all labels */
};

/* The demand of one application for the nodes of one label. At any time outside of a change to the
 * asks, wanted is the sum over the groups of its ask table with that label; the ask table keeps it
 * so (rm/core/master/ask.c). After rm_labels_update_demand(), counted is the part of this, and of
 * the waiting master, that rm_label.wanted includes: none unless the application can use a slot
 * now. The audit of the ledger recomputes both. */
struct rm_label_demand {
    uint32_t label;
    int64_t wanted[BASE_TASK_KINDS], counted[BASE_TASK_KINDS];
};

/* Handles RM_EV_SET_LABELS. */
void rm_labels_on_set(struct rm_core *c, const struct rm_event *ev);
void rm_labels_free(struct rm_labels *l);
/* Returns the number of the label @name, which need not exist in the cluster; 0 for NULL or "", and
 * RM_NONE when there are too many. */
uint32_t rm_labels_find_or_add(struct rm_labels *l, const char *name);
/* Returns whether the label @name exists in the cluster; true for NULL and "". */
bool rm_labels_exist(const struct rm_labels *l, const char *name);
/* Returns the name of label @number; "" for 0. */
const char *rm_labels_name(const struct rm_labels *l, uint32_t number);
/* Returns the number of the label that the node @id on @host has; 0: none. */
uint32_t rm_labels_find_node_label(const struct rm_labels *l, const char *id, const char *host);
/* Gives @n the label that it should have. Call when its host is known. */
void rm_node_update_label(struct rm_core *c, struct rm_node *n);
/* Counts in the labels what @a waits for on their nodes. Call when the demand of an application
 * that names labels has changed. Costs O(labels named by @a), however much @a asks for. */
void rm_labels_update_demand(struct rm_core *c, struct rm_app *a);
/* Returns what @a wants on nodes with label @number, not 0; NULL: it never wanted anything
 * there. */
struct rm_label_demand *rm_label_demand_find(const struct rm_app *a, uint32_t number);
/* The same, but adds a missing entry. Valid until the next entry is added. */
struct rm_label_demand *rm_label_demand_find_or_add(struct rm_app *a, uint32_t number);
/* Reads the record that rm_labels_on_set() writes. Returns 0 or -BASE_ECORRUPT. */
int rm_labels_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);

#endif
