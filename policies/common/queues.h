/* policies/common/queues.h - the tree of queues (pools) with weights, minimum and maximum shares,
 * limits and time-outs, as in Hadoop's fair-scheduler.xml; and the rules that place a submission in
 * a queue.
 * SOURCE: Hadoop's Fair Scheduler documentation (allocation file; queuePlacementPolicy); Zaharia et
 * al., EuroSys 2010, section 2.
 *
 * Index 0 is "root"; parents come before their children. A queue that is no longer
 * configured keeps its index, gets default settings, and is hidden when it is empty;
 * policy_queues_remove() takes such queues out of the tree, and gives the others new indexes. */
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

/* A limit in one of YARN's notations. Memory and vcores are converted to a fraction of the
 * cluster's, which is then applied to the slots of each kind. If both are given, the smaller
 * fraction counts; vcores of 0 with memory above 0 are ignored, as in Hadoop's single-resource
 * fairness. Slots given as numbers are used as they are. */
struct policy_limit {
    bool given;
    double percent[2];                    /* of memory, of vcores, 0..; < 0: not in percent */
    double slot_percent[BASE_TASK_KINDS]; /* of the slots of a kind; < 0: not in percent */
    int64_t memory_mb, vcores;            /* -1: not given */
    int64_t slots[BASE_TASK_KINDS];       /* -1: not given */
};
enum policy_queue_order { /* of jobs in a queue; child queues are always ordered fairly */
                          POLICY_QUEUE_FAIR,
                          POLICY_QUEUE_FIFO,
                          POLICY_QUEUE_DRF /* same as FAIR, since containers take one slot each */
};
struct policy_queue {
    char *name;               /* full path, "root.a.b" */
    int32_t parent;           /* index, -1: root */
    uint64_t born;            /* given to no other queue of this tree; grows with the index */
    bool configured, dynamic; /* dynamic: created by a placement rule */
    bool is_parent;           /* type="parent", or it has children: takes no jobs itself */
    /* the queue, or one above it, takes no new jobs: the core refuses them, and present ones go
     * on */
    bool stopped;
    bool reservable; /* reservations may be made for it: rm/core/reserve */
    double weight;
    struct policy_limit min, max;
    struct policy_limit child_max; /* max of child queues that placement rules create */
    int32_t max_running;           /* applications, INT32_MAX: any number */
    /* limit of masters, as a share of the queue's fair share; < 0: none. Only reported to clients
     */
    double max_am_share;
    enum policy_queue_order order;
    int64_t min_timeout_us, fair_timeout_us; /* preemption; INT64_MAX: never */
    double fair_threshold;        /* share of the fair share below which fair_timeout runs */
    bool preempt;                 /* false: none of its tasks is preempted (allowPreemptionFrom) */
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
    bool create;                /* may create the queue */
    char *queue;                /* DEFAULT: the queue; NULL: root.default */
    struct policy_rule *nested; /* NESTED_USER: the rule that finds the parent; owned */
};
struct policy_queues {
    struct policy_queue *v;
    size_t n, cap;
    uint64_t born;    /* of the next queue */
    int32_t *by_name; /* hash table of 1 + index, for policy_queues_find() */
    size_t by_name_cap;
    struct policy_user_limit *users;
    size_t users_n;
    int32_t user_max_running;  /* default for users; INT32_MAX: any number */
    struct policy_rule *rules; /* in the order in which they are applied */
    size_t rules_n;
    bool rules_given; /* false: the configuration has no rules */
    bool strict; /* true: a submission that names a queue is refused if no "specified" rule accepts
                    it; false: the next rules apply */
    /* Nobody administers the root unless configured; false: everybody does, as in YARN. Kept by
     * policy_queues_replace(). */
    bool closed;
    /* Settings of queues that are created or reset later; its own name is NULL. Time-outs,
     * threshold and preempt are inherited from the parent instead, and so is the max of a dynamic
     * queue if the parent has child_max. */
    struct policy_queue defaults;
};

/* Sets up root, root.default and the queues of @list (separated by commas or blanks, may be NULL;
 * malformed names are skipped), with the rules "specified, create=false" and "default", strict. */
void policy_queues_init(struct policy_queues *q, const char *list);
void policy_queues_free(struct policy_queues *q);
/* Sets the rules of a configuration that has none. SOURCE: Hadoop's
 * yarn.scheduler.fair.allow-undeclared-pools and yarn.scheduler.fair.user-as-default-queue, both
 * true there by default. */
void policy_queues_set_default_rules(struct policy_queues *q, bool allow_undeclared,
                                     bool user_as_default);
void policy_limit_init(struct policy_limit *l); /* sets all members to "not given" */
void policy_rule_clear(struct policy_rule *r);  /* frees what the rule owns, and zeroes it */
/* Returns true when @r always decides, so that no rule may follow it: @r rejects, is the default
 * rule, goes by user or primary group and may create the queue, or is a nestedUserQueue that may
 * create the queue and whose nested rule always decides. */
bool policy_rule_is_last(const struct policy_rule *r);
/* Checks the name of a queue: a path whose names are not empty, have no control characters, and do
 * not begin or end with a blank. Limits: BASE_NAME_MAX bytes without "root.",
 * POLICY_QUEUE_DEPTH_MAX names with "root". Returns 0, or -BASE_EINVAL with the reason. */
int policy_queue_check_name(const char *name, struct base_error *err);
/* Returns the index of queue @name ("x" and "root.x" are the same), or -1. */
int32_t policy_queues_find(const struct policy_queues *q, const char *name);
/* Sets @index to that of queue @name. Returns 0, or -BASE_EINVAL when the queue does not exist or
 * takes no applications; the message lists queues that do. */
int policy_queues_find_leaf(const struct policy_queues *q, const char *name, int32_t *index,
                            struct base_error *err);
/* Adds the queue @name (checked before) and its missing parents, with default and inherited
 * settings. Returns its index, also if the queue exists already. */
int32_t policy_queues_add(struct policy_queues *q, const char *name);
/* The same for a queue that is not configured; placement rules create such dynamic queues. */
int32_t policy_queues_add_dynamic(struct policy_queues *q, const char *name);
/* Resets the settings of a queue to the defaults and to what its parent hands down. */
void policy_queue_reset_settings(struct policy_queues *q, int32_t index);
/* Replaces all settings by those of @from. Queues keep their indexes; queues that @from does not
 * have stay, but are no longer configured. @from is emptied. */
void policy_queues_replace(struct policy_queues *q, struct policy_queues *from);
/* Sets *@out, which the caller frees, to the name of the queue that
 * policy_queues_place_submission() would choose, and creates none. The queue may still turn out to
 * take no applications. */
int policy_queues_choose_for_submission(const struct policy_queues *q, const char *queue,
                                        const char *user, const char *const *groups,
                                        size_t groups_n, char **out, struct base_error *err);
/* Sets @index to the queue of a submission that names @queue ("", "default" or NULL: none), by
 * @user with @groups (primary first; NULL: unknown). May create the queue; when there are nearly
 * POLICY_QUEUES_MAX queues, only existing ones are used, root.default if no rule finds one. Returns
 * 0, or -BASE_EINVAL with the reason: a bad name, a queue that is unknown or takes no applications
 * (with a list of those that do), a rule that rejects, or no rule that finds a queue. */
int policy_queues_place_submission(struct policy_queues *q, const char *queue, const char *user,
                                   const char *const *groups, size_t groups_n, int32_t *index,
                                   struct base_error *err);
/* Removes the queues for which @keep, by index, is false; their child queues must go with them, and
 * root stays. Sets @to, by old index, to the new indexes, -1 for removed queues. The order stays.
 */
void policy_queues_remove(struct policy_queues *q, const bool *keep, int32_t *to);
/* Returns the fraction of the cluster that the memory and vcores of a limit stand for, 0..; < 0:
 * neither is given. */
double policy_limit_fraction(const struct policy_limit *l, const struct policy_capacity *c);
/* Converts a limit to whole slots of @kind. Returns @none when the limit is not given; a limit
 * above 0 is at least one slot. */
int64_t policy_limit_to_slots(const struct policy_limit *l, enum base_task_kind kind,
                              const struct policy_capacity *c, int64_t none);

#endif
