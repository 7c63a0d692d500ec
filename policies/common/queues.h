/* policies/common/queues.h - queues (pools): a tree with weights, minimum and maximum shares,
 * limits and time-outs, as Hadoop's fair-scheduler.xml describes it; and the rules that place a
 * submission in a queue.
 * SOURCE: Hadoop's Fair Scheduler documentation (allocation file; queuePlacementPolicy); Zaharia et
 * al., EuroSys 2010, section 2.
 *
 * Index 0 is "root"; parents come before their children. Queues are never removed while the core
 * lives: one that is no longer configured keeps its index with defaults until its last job has
 * left, and is hidden when empty. */
#ifndef CREEL_POLICIES_COMMON_QUEUES_H
#define CREEL_POLICIES_COMMON_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/types.h"

struct policy_capacity;

#define POLICY_QUEUES_MAX      10000 /* queues in all */
#define POLICY_QUEUE_DEPTH_MAX 32    /* names in a path, root included */
#define POLICY_QUEUE_RULES_MAX 1000  /* placement rules */

/* A limit in one of YARN's notations. Memory and vcores count as that fraction of the cluster's,
 * for each kind of slot (the smaller fraction when both are given; vcores of 0 beside memory say
 * nothing, as in Hadoop's single-resource fairness); named slots count as they are. */
struct policy_limit {
    bool given;
    double percent[2];                    /* of memory, of vcores, 0..; < 0: not in percent */
    double slot_percent[BASE_TASK_KINDS]; /* of the slots of a kind; < 0: not in percent */
    int64_t memory_mb, vcores;            /* -1: not given */
    int64_t slots[BASE_TASK_KINDS];       /* -1: not given */
};
enum policy_queue_order { /* of jobs in a queue; queues in a queue are always ordered fairly */
                          POLICY_QUEUE_FAIR,
                          POLICY_QUEUE_FIFO,
                          POLICY_QUEUE_DRF /* treated as fair: a container takes one slot of one
                                              kind */
};
struct policy_queue {
    char *name;               /* full path, "root.a.b" */
    int32_t parent;           /* index, -1: root */
    bool configured, dynamic; /* dynamic: made by a placement rule */
    bool is_parent;           /* type="parent", or it has children: no job of its own */
    double weight;
    struct policy_limit min, max;
    struct policy_limit child_max; /* max of queues that placement rules make below it */
    int32_t max_running;           /* applications, INT32_MAX: any number */
    double max_am_share;           /* of its fair share, for masters; < 0: any. Kept for clients */
    enum policy_queue_order order;
    int64_t min_timeout_us, fair_timeout_us; /* preemption; INT64_MAX: never */
    double fair_threshold;        /* share of the fair share below which fair_timeout runs */
    bool preempt;                 /* false: nothing of it is preempted (allowPreemptionFrom) */
    char *acl_submit, *acl_admin; /* as written; NULL: not given */
};
struct policy_user_limit {
    char *user;
    int32_t max_running;
};
enum policy_rule_kind {
    POLICY_RULE_SPECIFIED,
    POLICY_RULE_USER,
    POLICY_RULE_PRIMARY_GROUP,
    POLICY_RULE_SECONDARY_GROUP,
    POLICY_RULE_NESTED_USER,
    POLICY_RULE_DEFAULT,
    POLICY_RULE_REJECT
};
struct policy_rule {
    enum policy_rule_kind kind;
    bool create;                /* may make the queue */
    char *queue;                /* DEFAULT: the queue; NULL: root.default */
    struct policy_rule *nested; /* NESTED_USER: what finds the parent; owned */
};
struct policy_queues {
    struct policy_queue *v;
    size_t n, cap;
    int32_t *by_name; /* hash table of 1 + index, for policy_queues_find() */
    size_t by_name_cap;
    struct policy_user_limit *users;
    size_t users_n;
    int32_t user_max_running;  /* default for users; INT32_MAX */
    struct policy_rule *rules; /* in the order in which they are asked */
    size_t rules_n;
    bool rules_given; /* false: nobody configured them */
    bool strict; /* who names a queue that no "specified" rule accepts is refused; otherwise the
                    rules go on */
    struct policy_queue defaults; /* of queues made later: its name is NULL. What a queue inherits
                                     (time-outs, threshold, preempt) comes from its parent */
};

/* root, root.default and those of @list (comma list, may be NULL); rules "specified, create=false"
 * and "default", strict. */
void policy_queues_init(struct policy_queues *q, const char *list);
void policy_queues_free(struct policy_queues *q);
/* The rules of a configuration without any. SOURCE: Hadoop's
 * yarn.scheduler.fair.allow-undeclared-pools and yarn.scheduler.fair.user-as-default-queue, both
 * true there by default. */
void policy_queues_default_rules(struct policy_queues *q, bool allow_undeclared,
                                 bool user_as_default);
void policy_limit_init(struct policy_limit *l); /* not given */
void policy_rule_free(struct policy_rule *r);   /* what it owns */
/* Such a rule never passes on to the next one. */
bool policy_rule_is_last(const struct policy_rule *r);
/* May a queue be called so? A path of names without empty ones, control characters and blanks at
 * their ends. -BASE_EINVAL with what is wrong. */
int policy_queue_check_name(const char *name, struct base_error *err);
/* Index of @name ("x" and "root.x" are the same), -1: none. */
int32_t policy_queues_find(const struct policy_queues *q, const char *name);
/* Index of a queue that is there and takes applications. -BASE_EINVAL with the reason, and those
 * that do. */
int policy_queues_leaf(const struct policy_queues *q, const char *name, int32_t *index,
                       struct base_error *err);
/* Adds @name (its name is checked before) with its missing parents; defaults and what is inherited
 * are set. Returns its index, also when it is there already. */
int32_t policy_queues_add(struct policy_queues *q, const char *name);
/* The same for a queue nobody configured, as placement rules make them. */
int32_t policy_queues_make(struct policy_queues *q, const char *name);
/* Gives a queue the settings of one that nobody describes: defaults, and what its parent hands
 * down. */
void policy_queue_reset(struct policy_queues *q, int32_t index);
/* Takes over what @from describes, keeping indexes of names that both have; others stay, no longer
 * configured. @from is emptied. */
void policy_queues_replace(struct policy_queues *q, struct policy_queues *from);
/* Where a submission goes (when there are POLICY_QUEUES_MAX queues: into one that is there,
 * root.default for want of another) that names @queue ("" or NULL: none) of @user with @groups
 * (primary first; NULL: unknown).
 * May make a queue. -BASE_EINVAL with the reason (unknown queue: the known ones; a rule that
 * rejects). */
int policy_queues_place(struct policy_queues *q, const char *queue, const char *user,
                        const char *const *groups, size_t groups_n, int32_t *index,
                        struct base_error *err);
/* A limit in whole slots of @kind; @none when it is not given. What is given and not 0 is at least
 * one slot. */
int64_t policy_limit_slots(const struct policy_limit *l, enum base_task_kind kind,
                           const struct policy_capacity *c, int64_t none);

#endif
