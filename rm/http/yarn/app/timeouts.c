/* rm/http/yarn/app/timeouts.c - shows and changes the timeouts of an application; LIFETIME is the
 * only type. SOURCE: Hadoop's ResourceManager REST APIs. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/audit/audit.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/app/java_time.h"
#include "rm/http/yarn/change.h"
#include "rm/http/yarn/write.h"

#define LIFETIME  "LIFETIME"
#define UNLIMITED "UNLIMITED"
/* the roots that YARN's decoder of this resource knows, in YARN's order */
#define TIMEOUT_ROOTS                                                                              \
    "<{}ExecutionTypeRequest>,<{}RemoteException>,<{}activities>,<{}activityNodeInfo>,"            \
    "<{}allocationTagInfo>,<{}allocationTagsInfo>,<{}app>,<{}appActivities>,"                      \
    "<{}appAllocationInfo>,<{}appAttempt>,<{}appAttempts>,<{}appRequestAllocationInfo>,"           \
    "<{}appStatInfo>,<{}apps>,<{}autoQueueTemplatePropertiesInfo>,<{}bulkActivities>,"             \
    "<{}capacityScheduler>,<{}capacitySchedulerLeafQueueInfo>,<{}capacitySchedulerQueueInfo>,"     \
    "<{}capacitySchedulerQueueInfoList>,<{}clusterInfo>,<{}clusterMetrics>,<{}fairScheduler>,"     \
    "<{}fairSchedulerLeafQueueInfo>,<{}fairSchedulerQueueInfo>,<{}fairSchedulerQueueInfoList>,"    \
    "<{}fifoScheduler>,<{}leafQueueTemplateInfo>,<{}node>,<{}nodeAllocationInfo>,"                 \
    "<{}nodeAttributeInfo>,<{}nodeAttributesInfo>,<{}nodes>,<{}partitionQueueCapacitiesInfo>,"     \
    "<{}partitionResourcesInfo>,<{}queueAcl>,<{}queueAcls>,<{}queueCapacitiesInfo>,"               \
    "<{}queueCapacityVectorEntryInfo>,<{}queueCapacityVectorInfo>,<{}resourceInfo>,"               \
    "<{}resourceInformations>,<{}resourceRequests>,<{}resourceUtilizationInfo>,"                   \
    "<{}resourcesInfo>,<{}scheduler>,<{}schedulerInfo>,<{}statItem>,<{}timeout>,<{}timeouts>,"     \
    "<{}userInfo>,<{}userMetrics>,<{}usersInfo>"

static void answer_timeout(struct api_request *rq, int64_t end_us, bool ended)
{
    char text[YARN_JAVA_TIME_MAX];
    struct yarn_timeout timeout;

    yarn_timeout_fill(end_us, ended, rm_backend_now_us(api_server_user_data(rq)) / 1000, &timeout,
                      text);
    yarn_answer(rq, 200, &yarn_shape_timeout, API_N_WRAPPED, &timeout);
}

static void get_timeouts(struct api_request *rq, void *user)
{
    char text[YARN_JAVA_TIME_MAX];
    struct yarn_timeout timeout;
    struct yarn_timeouts list = {.list = {.items = &timeout, .n = 1, .stride = sizeof timeout}};
    struct rm_views v = {0};

    if (yarn_copy_app_view(rq, user, &v)) {
        yarn_timeout_fill(v.apps[0].lifetime_end_us, yarn_app_is_ending_or_ended(v.apps[0].state),
                          rm_backend_now_us(user) / 1000, &timeout, text);
        yarn_answer(rq, 200, &yarn_shape_timeouts, API_N_WRAPPED, &list);
    }
    rm_views_free(&v);
}

static void get_timeout(struct api_request *rq, void *user)
{
    const char *type = api_path_arg(rq, 1);
    struct rm_views v = {0};

    if (yarn_copy_app_view(rq, user, &v)) {
        if (strcasecmp(type, LIFETIME) == 0)
            answer_timeout(rq, v.apps[0].lifetime_end_us,
                           yarn_app_is_ending_or_ended(v.apps[0].state));
        else
            yarn_bad_request(rq,
                             "Invalid application-state %s specified. It should be one of "
                             "[" LIFETIME "]",
                             type);
    }
    rm_views_free(&v);
}

static void answer_timeout_change(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (!yarn_is_error_reply(fx))
        answer_timeout(w->rq, fx->u.reply.value, fx->u.reply.flag);
    else if (fx->u.reply.code == -BASE_ESTATE || fx->u.reply.code == -BASE_EINVAL)
        yarn_answer_undeclared_throwable(w->rq, fx->u.reply.text);
    else
        yarn_answer_refusal(w->rq, fx);
    yarn_write_unref(w);
}

int yarn_lifetime_parse(const struct rm_app_view *v, const char *text, int64_t *end_us, char *why,
                        size_t why_size)
{
    int64_t ms = 0;

    *end_us = 0;
    if (!yarn_app_is_ending_or_ended(v->state) &&
        yarn_java_time_parse(text, &ms, why, why_size) < 0)
        return -BASE_EINVAL;
    *end_us = ms > 0 ? ms * 1000 : 0;
    return 0;
}

/* Changes the time at which @v ends to @expiry. */
static void change_app_timeout(struct api_request *rq, struct rm_backend *b,
                               const struct rm_app_view *v, const char *expiry)
{
    struct yarn_write *w;
    char why[400];
    int64_t end_us;

    if (rm_access_refuse_app_unless_allowed(rq, b, RM_OP_SET_TIMEOUT, v))
        return;
    if (yarn_lifetime_parse(v, expiry, &end_us, why, sizeof why) < 0) {
        api_answer_error(rq, 503, "DateTimeParseException", "%s", why);
        return;
    }
    api_audit_add_member(rq, "lifetime", expiry);
    w = yarn_write_new(rq, RM_EV_SET_LIFETIME);
    w->ev.u.lifetime.id = v->id;
    w->ev.u.lifetime.end_us = end_us;
    yarn_write_post(w, b, answer_timeout_change);
}

static void handle_put_timeout(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_wrapped_body(rq, "timeout", TIMEOUT_ROOTS);
    const char *type = json_string_value(json_object_get(body, "type"));
    const char *expiry = json_string_value(json_object_get(body, "expiryTime"));
    struct rm_views v = {0};

    if (body && yarn_copy_app_view(rq, user, &v)) {
        if (type && strcmp(type, LIFETIME) == 0)
            change_app_timeout(rq, user, &v.apps[0], expiry ? expiry : UNLIMITED);
        else
            yarn_answer_text(rq, 400, "Timeout type or ExpiryTime is null.");
    }
    rm_views_free(&v);
    json_decref(body);
}

/* clang-format off */
const struct api_route rm_yarn_timeouts_routes[] = {
    {"GET", YARN_APPS "/{appid}/timeouts",        API_ROLE_READ,  0, get_timeouts, 0},
    {"GET", YARN_APPS "/{appid}/timeouts/{type}", API_ROLE_READ,  0, get_timeout, 0},
    {"PUT", YARN_APPS "/{appid}/timeout",         API_ROLE_WRITE, YARN_STATE_BODY_MAX,
            handle_put_timeout, 0},
};
/* clang-format on */
const size_t rm_yarn_timeouts_routes_n =
    sizeof rm_yarn_timeouts_routes / sizeof rm_yarn_timeouts_routes[0];
