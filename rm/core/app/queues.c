/* Placement of applications in queues, and the core's counts per queue, kept in parallel to the
 * policy's queue tree. */
#include "rm/core/app/queues.h"

#include <stdlib.h>
#include <string.h>

#include "policies/common/queue_acl.h"
#include "rm/core/emit.h"
#include "rm/core/ledger.h"
#include "rm/core/state.h"

static void add_counts_of_new_queues(struct rm_core *c)
{
    c->queues = base_realloc_array(c->queues, c->tree.n, sizeof *c->queues);
    memset(c->queues + c->queues_n, 0, (c->tree.n - c->queues_n) * sizeof *c->queues);
    c->queues_n = c->tree.n;
}

static void tell_policy_of_queues(struct rm_core *c)
{
    c->master_slots.ask_policy = true;
    if (c->ops && c->ops->on_queues)
        c->ops->on_queues(c->policy, c->now_us);
}

void rm_queues_add_counts_and_tell_policy(struct rm_core *c)
{
    if (c->queues_n == c->tree.n)
        return;
    add_counts_of_new_queues(c);
    tell_policy_of_queues(c);
}

void rm_queues_remove_unused_and_tell_policy(struct rm_core *c)
{
    size_t before = c->tree.n;

    rm_queues_remove_unused(c);
    if (c->tree.n != before)
        tell_policy_of_queues(c);
}

int rm_queue_place_submission(struct rm_core *c, const char *queue, const char *user,
                              const struct rm_str_list *groups, uint32_t *index,
                              struct base_error *err)
{
    int32_t at = -1;
    int rc = policy_queues_place_submission(&c->tree, queue, user ? user : "",
                                            (const char *const *)groups->v, groups->n, &at, err);

    if (rc == 0 && c->tree.v[at].stopped)
        rc = base_error_set(err, -BASE_EINVAL, RM_QUEUE_STOPPED_TEXT, c->tree.v[at].name);
    *index = rc < 0 ? RM_NONE : (uint32_t)at;
    rm_queues_add_counts_and_tell_policy(c);
    return rc;
}

/* Sets *@chosen, which the caller frees, to the queue that the placement rules choose, and decides
 * whether @who may submit to it. Answers yes where placement will fail or ACLs are not checked. A
 * queue that does not exist yet is judged by the one above it. SOURCE: YARN's
 * RMAppManager.createAndPopulateNewRMApp. */
static enum base_acl_answer choose_queue_and_check_acl(const struct rm_core *c, const char *queue,
                                                       const struct base_acl_caller *who,
                                                       char **chosen)
{
    *chosen = NULL;
    if (!c->conf.checks_queue_acls ||
        policy_queues_choose_for_submission(&c->tree, queue, who->user, who->groups, who->groups_n,
                                            chosen, NULL) < 0)
        return BASE_ACL_YES;
    return policy_queue_check_submission(&c->tree, policy_queue_find_nearest(&c->tree, *chosen),
                                         who);
}

bool rm_queue_submission_needs_groups(const struct rm_core *c, const char *queue, const char *user)
{
    const struct base_acl_caller who = {.user = user ? user : ""};
    char *chosen;
    bool asks = choose_queue_and_check_acl(c, queue, &who, &chosen) == BASE_ACL_ASK_GROUPS;

    free(chosen);
    return asks;
}

bool rm_queue_refuse_forbidden_submission(struct rm_core *c, uint64_t token, const char *queue,
                                          const char *user, const struct rm_str_list *groups,
                                          const struct base_app_id *id)
{
    const struct base_acl_caller who = {.user = user ? user : "",
                                        .groups = (const char *const *)groups->v,
                                        .groups_n = groups->n,
                                        .groups_known = true};
    char *chosen, text[BASE_ID_TEXT_MAX];
    bool refused = choose_queue_and_check_acl(c, queue, &who, &chosen) != BASE_ACL_YES;

    if (refused)
        rm_reply_error(c, token, -BASE_EPERM,
                       "User %s does not have permission to submit %s%sto queue %s", who.user,
                       id ? base_app_id_text(id, text) : "", id ? " " : "",
                       queue && *queue ? queue : chosen);
    free(chosen);
    return refused;
}

void rm_queues_replace(struct rm_core *c, struct policy_queues *queues)
{
    policy_queues_replace(&c->tree, queues);
    add_counts_of_new_queues(c);
    rm_queues_remove_unused(c);
    tell_policy_of_queues(c);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true;
    rm_emit_note(c, 6, "%zu queues are configured now", c->tree.n);
}

/* Parents come before their children in the tree. */
int64_t *rm_queues_count_apps(const struct rm_core *c)
{
    int64_t *apps = base_alloc(c->tree.n * sizeof *apps);

    for (size_t i = c->tree.n; i-- > 0;) {
        apps[i] += c->queues[i].pending_apps + c->queues[i].active_apps;
        if (i)
            apps[c->tree.v[i].parent] += apps[i];
    }
    return apps;
}

const char *rm_queue_state_name(const struct policy_queue *q, int64_t apps)
{
    return !q->stopped ? "RUNNING" : apps ? "DRAINING" : "STOPPED";
}

void rm_queues_on_set(struct rm_core *c, const struct rm_event *ev)
{
    rm_queue_conf_disable(c);
    rm_queues_replace(c, ev->u.queues.queues);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

/* The application is shown with the queue name of its submission as long as that names this queue;
 * otherwise with the queue's own name, without "root.". */
void rm_app_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index)
{
    const char *named = a->queue;

    a->queue = named && *named ? named : "default";
    rm_ledger_set_queue(c, a, index);
    if (index == RM_NONE)
        return;
    a->pj.queue = (int32_t)index;
    if (policy_queues_find(&c->tree, a->queue) == (int32_t)index)
        return;
    named = c->tree.v[index].name;
    a->placed = base_strdup(strncmp(named, "root.", 5) == 0 ? named + 5 : named);
    a->queue = a->placed;
}
