/* rm/core/master/ask.h - the ask table of a master. */
#ifndef CREEL_RM_CORE_MASTER_ASK_H
#define CREEL_RM_CORE_MASTER_ASK_H

#include "policies/common/delay.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;

/* Limits of one application. */
#define RM_ASKED_MAX       1000000    /* containers that an application may wait for */
#define RM_ASKED_SLOTS_MAX 1000000000 /* slots that policies see of them */
#define RM_ASK_ROWS_MAX    200000     /* rows and groups of an ask table */
#define RM_ASK_LAUNCH_MAX  (64 << 20) /* bytes of the launch contexts in an ask table */

struct rm_ask_row {
    char *name; /* of a host or rack */
    int32_t count;
    bool relax; /* in the row of a rack: its containers may run on any host of the rack */
};

struct rm_ask_group { /* the asks of one priority and allocation request id */
    int32_t priority;
    int64_t allocation_id;
    uint32_t label; /* of the nodes for its containers; 0: none */
    struct rm_res capability;
    enum base_task_kind slot;
    int32_t slots; /* of kind @slot that each container takes */
    struct rm_launch *launch;
    bool any_given, any_relax; /* a row "*" was given; that row relaxes locality */
    int32_t any;               /* count of that row */
    int64_t named;             /* sum of the counts of all other rows */
    struct rm_ask_row *rows;   /* hosts and racks, sorted by name */
    size_t rows_n, rows_cap;
    /* used only while rm_asks_fit_limits() runs */
    bool planned_any;
    int64_t planned, planned_named;
};

/* Returns the kind of slot for a container with the resource @r: map unless it names reduce
 * slots. */
enum base_task_kind rm_slot_kind_for_resource(const struct rm_res *r);
/* Returns the largest resource that a container can have: that of the largest node. @hadoop_too: as
 * for rm_slots_of_largest_node() (rm/core/node/width.h). */
struct rm_res rm_max_capability(const struct rm_core *c, bool hadoop_too);
/* Returns true when the table of @a stays within the limits with these asks. Does not change what
 * @a asks for. */
bool rm_asks_fit_limits(struct rm_app *a, const struct rm_ask *asks, size_t n);
/* Puts these asks into the table. Takes their launch contexts. */
void rm_asks_update(struct rm_app *a, const struct rm_ask *asks, size_t n);
/* Returns the number of slots of kind @k for which containers wait: the master itself, or those
 * that it asks for; at most RM_ASKED_SLOTS_MAX. */
int32_t rm_asks_pending_slots(const struct rm_app *a, enum base_task_kind k);
/* Returns the number of these containers. */
int32_t rm_asks_pending_containers(const struct rm_app *a, enum base_task_kind k);
/* Sets what policies see of the widths of waiting containers. Call when the newest attempt changes
 * its state, and when the asks have changed otherwise than by the functions below. */
void rm_asks_update_widths(struct rm_app *a);
/* Returns the number of containers that @g still wants. */
int64_t rm_ask_group_wanted(const struct rm_ask_group *g);
/* Returns whether the master of @a asks for a container of kind @k that the label of @n admits. */
bool rm_asks_match_node_label(const struct rm_app *a, enum base_task_kind k,
                              const struct rm_node *n);
/* Returns the first group that wants a container of kind @k on @n with at most @slots slots, and
 * sets *level to the locality of @n for that group; NULL: none. */
struct rm_ask_group *rm_asks_pick_group(struct rm_app *a, enum base_task_kind k,
                                        const struct rm_node *n, int64_t slots,
                                        enum delay_level *level);
/* Subtracts a container granted at @level on @n; frees @g if it wants no more. */
void rm_asks_subtract_granted(struct rm_app *a, struct rm_ask_group *g, const struct rm_node *n,
                              enum delay_level level);
void rm_asks_free(struct rm_app *a);

#endif
