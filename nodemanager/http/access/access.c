#include "nodemanager/http/access/access.h"

#include <stdlib.h>

#include "base/acl/groups.h"
#include "base/conf/acl_conf.h"
#include "nodemanager/http/access/log_token.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/site.h"

/* Decides whether @user is allowed; looks up the user's groups only if necessary. @of_app: allow
 * @owner and the users of @acl besides administrators. */
static bool is_allowed_with_group_lookup(struct nm *nm, const char *user,
                                         const struct base_acl_rules *rules, bool of_app,
                                         const char *owner, const char *acl)
{
    struct base_acl_caller who = {.user = user};
    struct base_group_names names = {0};
    enum base_acl_answer answer;

    for (;;) {
        answer = of_app ? base_acl_check_app(rules, &who, owner, acl)
                        : base_acl_check_admin(rules, &who);
        if (answer != BASE_ACL_ASK_GROUPS)
            break;
        base_groups_look_up(nm->groups, user, nm_now_us(), &names);
        who.groups = (const char *const *)names.v;
        who.groups_n = names.n;
        who.groups_known = true;
    }
    base_group_names_clear(&names);
    return answer == BASE_ACL_YES;
}

bool nm_access_may_see_app(struct api_request *rq, struct nm *nm, const struct base_app_id *app)
{
    struct base_acl_rules rules = base_acl_conf_read(nm->conf);
    const char *user = api_caller(rq);
    char *owner = NULL, *acl = NULL;
    const struct nm_app_view *v;
    bool known, allowed;

    if (nm_log_token_is_bearer(rq))
        return nm_log_token_opens_requested_logs(rq, nm);
    /* a daemon of the cluster has checked the user for whom it asks */
    if (!rules.enabled || !user || api_is_signed_by_node(rq))
        return true;
    pthread_mutex_lock(&nm->lock);
    v = nm_core_app_find(nm->core, app);
    known = v && v->user;
    if (known)
        owner = base_strdup(v->user);
    if (known && v->acl_view)
        acl = base_strdup(v->acl_view);
    pthread_mutex_unlock(&nm->lock);
    allowed = is_allowed_with_group_lookup(nm, user, &rules, known, owner, acl);
    free(owner);
    free(acl);
    return allowed;
}

bool nm_access_hides_app_in_lists(struct api_request *rq, struct nm *nm,
                                  const struct base_app_id *app)
{
    return base_conf_bool(nm->conf, "yarn.webapp.filter-entity-list-by-user") &&
           !nm_access_may_see_app(rq, nm, app);
}

bool nm_access_is_admin_or_unnamed(struct api_request *rq, struct nm *nm)
{
    struct base_acl_rules rules = base_acl_conf_read(nm->conf);

    return is_allowed_with_group_lookup(nm, api_caller(rq), &rules, false, NULL, NULL);
}

bool nm_access_is_named_admin(struct api_request *rq, void *nm)
{
    struct base_acl_rules rules = base_acl_conf_read(((struct nm *)nm)->conf);

    return is_allowed_with_group_lookup(nm, api_caller(rq) ? api_caller(rq) : "", &rules, false,
                                        NULL, NULL);
}

bool nm_access_is_owner_or_admin(struct api_request *rq, struct nm *nm, const char *owner)
{
    struct base_acl_rules rules = base_acl_conf_read(nm->conf);

    return is_allowed_with_group_lookup(nm, api_caller(rq) ? api_caller(rq) : "", &rules, true,
                                        owner, NULL);
}

/* The caller frees the text. */
static char *format_refusal(const struct api_request *rq, const struct base_app_id *app)
{
    char text[BASE_ID_TEXT_MAX];

    return base_printf("User [%s] is not authorized to view the logs for application %s",
                       api_caller(rq) ? api_caller(rq) : "", base_app_id_text(app, text));
}

void nm_access_refuse_log_list(struct api_request *rq, const struct base_app_id *app)
{
    char *why = format_refusal(rq, app);

    api_answer_error(rq, 503, "WebApplicationException",
                     "org.apache.hadoop.yarn.exceptions.YarnException: %s", why);
    free(why);
}

/* YARN answers 500 here, although its server has no fault; Creel answers 403, since the fault is
 * the client's. */
void nm_access_refuse_log(struct api_request *rq, const struct base_app_id *app)
{
    char *why = format_refusal(rq, app);

    nm_answer_text(rq, 403, why);
    free(why);
}

void nm_access_refuse_log_page(struct api_request *rq, const struct base_app_id *app)
{
    char *why = format_refusal(rq, app);

    nm_page_answer_missing(rq, "Container logs", why);
    free(why);
}

void nm_access_refuse_raw_log(struct api_request *rq, const struct base_app_id *app)
{
    char *why = format_refusal(rq, app);

    api_answer_error(rq, 403, "ForbiddenException", "%s", why);
    free(why);
}
