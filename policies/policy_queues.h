/* policies/policy_queues.h - queues (pools): a tree with weights, minimum and maximum shares, limits and time-outs, as
 * Hadoop's fair-scheduler.xml describes it; and the rules that place a submission in a queue.
 * SOURCE: Hadoop's Fair Scheduler documentation (allocation file); Zaharia et al., EuroSys 2010, section 2.
 *
 * Index 0 is "root"; parents come before their children. Queues are never removed while the core lives: one that is
 * no longer configured keeps its index with defaults until its last job has left, and is hidden when empty. */
#ifndef CREEL_POLICY_QUEUES_H
#define CREEL_POLICY_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"
#include "policies/policy_types.h"

struct policy_capacity;

/* A limit in one of YARN's notations. Memory and vcores count as that fraction of the cluster's, for each kind of slot
 * (the smaller fraction when both are given); named slots count as they are. */
struct policy_limit {
    bool given;
    double percent[2];           /* of memory, of vcores, 0..100; < 0: not in percent */
    int64_t memory_mb, vcores;   /* -1: not given */
    int64_t slots[POLICY_KINDS]; /* -1: not given */
};
enum policy_queue_order { POLICY_QUEUE_FAIR, POLICY_QUEUE_FIFO, POLICY_QUEUE_DRF }; /* drf: treated as fair */
struct policy_queue {
    char *name;     /* full path, "root.a.b" */
    int32_t parent; /* index, -1: root */
    bool configured, dynamic; /* dynamic: made by a placement rule */
    bool is_parent; /* type="parent", or it has children: no job of its own */
    double weight;
    struct policy_limit min, max;
    int32_t max_running; /* applications, INT32_MAX: any number */
    enum policy_queue_order order;
    int64_t min_timeout_us, fair_timeout_us; /* preemption; INT64_MAX: never */
    double fair_threshold;                   /* share of the fair share below which fair_timeout runs */
    bool preempt;                            /* false: nothing of it is preempted (allowPreemptionFrom) */
    char *acl_submit, *acl_admin;            /* as written; NULL: not given */
};
struct policy_user_limit {
    char *user;
    int32_t max_running;
};
enum policy_rule_kind { POLICY_RULE_SPECIFIED, POLICY_RULE_USER, POLICY_RULE_PRIMARY_GROUP,
                        POLICY_RULE_SECONDARY_GROUP, POLICY_RULE_NESTED_USER, POLICY_RULE_DEFAULT, POLICY_RULE_REJECT };
struct policy_rule {
    enum policy_rule_kind kind;
    bool create;                  /* may make the queue */
    char *queue;                  /* DEFAULT: the queue; NULL: root.default */
    struct policy_rule *nested;   /* NESTED_USER: what finds the parent */
};
struct policy_queues {
    struct policy_queue *v;
    size_t n, cap;
    struct policy_user_limit *users;
    size_t users_n;
    int32_t user_max_running; /* default for users; INT32_MAX */
    struct policy_rule *rules;
    size_t rules_n;
    struct policy_queue defaults; /* of queues made later: its name is NULL */
};

/* root, root.default and those of @list (comma list, may be NULL); one rule "specified, create=false", then default. */
void policy_queues_init(struct policy_queues *q, const char *list);
void policy_queues_free(struct policy_queues *q);
/* Index of @name ("x" and "root.x" are the same), -1: none. */
int32_t policy_queues_find(const struct policy_queues *q, const char *name);
/* Adds @name with its missing parents. Returns its index. */
int32_t policy_queues_add(struct policy_queues *q, const char *name);
/* Takes over what @from describes, keeping indexes of names that both have. @from is emptied. */
void policy_queues_replace(struct policy_queues *q, struct policy_queues *from);
/* Where a submission goes that names @queue ("" or NULL: none) of @user with @groups (primary first; NULL: unknown).
 * May make a queue. -BASE_EINVAL with the reason (unknown queue: the known ones; a rule that rejects). */
int policy_queues_place(struct policy_queues *q, const char *queue, const char *user, const char *const *groups,
                        size_t groups_n, int32_t *index, struct base_error *err);
/* A limit in slots of @kind; @none when it is not given. */
int64_t policy_limit_slots(const struct policy_limit *l, enum policy_kind kind, const struct policy_capacity *c,
                           int64_t none);

#endif
