#include "rm/term/node_wait.h"

#include <stdlib.h>

#include "base/conf/rm_cursor.h"
#include "base/mem.h"

static bool may_redirect(const struct rm_node_wait *w, const struct rm_roles_known *r)
{
    return r->active[0] && !(w->failed && base_rm_url_is_in_list(w->failed, r->active));
}

static enum rm_node_wait_action wait_for(struct rm_node_wait *w, const struct rm_roles_known *r,
                                         int64_t us)
{
    w->seen = r->changes;
    w->until_us = r->now_us + us;
    return RM_NODE_WAIT;
}

enum rm_node_wait_action rm_node_wait_begin(struct rm_node_wait *w,
                                            const struct rm_node_wait_conf *conf,
                                            const struct rm_roles_known *r, const char *failed)
{
    w->failed = failed ? base_strdup(failed) : NULL;
    if (may_redirect(w, r))
        return RM_NODE_REDIRECT;
    return wait_for(w, r, r->active[0] ? conf->doubt_us : conf->wait_us);
}

/* A request that is woken without a change of roles has reached its deadline, or the daemon
 * stops. */
enum rm_node_wait_action rm_node_wait_resume(struct rm_node_wait *w,
                                             const struct rm_node_wait_conf *conf,
                                             const struct rm_roles_known *r)
{
    bool changed = r->changes != w->seen;

    if (changed)
        rm_node_wait_free(w);
    if (r->leads)
        return RM_NODE_HAND_TO_CORE;
    if (may_redirect(w, r))
        return RM_NODE_REDIRECT;
    return changed ? wait_for(w, r, conf->wait_us) : RM_NODE_REFUSE;
}

enum rm_node_wait_action rm_node_wait_after_refusal(struct rm_node_wait *w,
                                                    const struct rm_node_wait_conf *conf,
                                                    const struct rm_roles_known *r, bool connected)
{
    if (r->active[0] || !connected)
        return RM_NODE_REFUSE;
    return wait_for(w, r, conf->doubt_us);
}

void rm_node_wait_free(struct rm_node_wait *w)
{
    free(w->failed);
    w->failed = NULL;
}
