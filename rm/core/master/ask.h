/* rm/core/master/ask.h - the ask table of a master. */
#ifndef CREEL_RM_CORE_MASTER_ASK_H
#define CREEL_RM_CORE_MASTER_ASK_H

#include "policies/common/delay.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;

#define RM_ASKED_MAX      1000000    /* containers that an application may wait for */
#define RM_ASK_ROWS_MAX   200000     /* and in how many places and groups */
#define RM_ASK_LAUNCH_MAX (64 << 20) /* bytes of the launch contexts that they keep */

struct rm_ask_row {
    char *name;
    int32_t count;
    bool relax;
};

struct rm_ask_group { /* (priority, allocation request id) */
    int32_t priority;
    int64_t allocation_id;
    struct rm_res capability;
    enum base_task_kind slot;
    struct rm_launch *launch;
    bool any_given, any_relax; /* "*" */
    int32_t any;
    int64_t named;           /* sum over rows */
    struct rm_ask_row *rows; /* hosts and racks, by name */
    size_t rows_n, rows_cap;
    /* while it is found out whether an allocate asks for too much */
    bool planned_any;
    int64_t planned, planned_named;
};

enum base_task_kind rm_slot_kind_for_resource(const struct rm_res *r);
struct rm_res rm_max_capability(const struct rm_core *c);
bool rm_asks_fit_limits(struct rm_app *a, const struct rm_ask *asks, size_t n);
void rm_asks_update(struct rm_app *a, const struct rm_ask *asks, size_t n);
/* Containers of kind @k that wait for a slot: the master itself, or what it asks for. */
int32_t rm_asks_pending_containers(const struct rm_app *a, enum base_task_kind k);
struct rm_ask_group *rm_asks_pick_group(struct rm_app *a, enum base_task_kind k,
                                        const struct rm_node *n, enum delay_level *level);
void rm_asks_subtract_granted(struct rm_app *a, struct rm_ask_group *g, const struct rm_node *n,
                              enum delay_level level);
void rm_asks_free(struct rm_app *a);

#endif
