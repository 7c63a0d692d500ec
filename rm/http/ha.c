/* rm/http/ha.c - shows and changes the role of this ResourceManager: /isActive for load balancers,
 * and Creel's own resource for administrators. Neither is redirected: both are about the RM that
 * receives the request.
 *
 * GET /ws/v1/cluster/ha
 *   {"haEnabled":true,"rmId":"rm-1","state":"active|standby|initializing","url":"http://h1:8088",
 *    "activeUrl":"http://h1:8088" ("" when no RM is known to be active),
 *    "rms":["http://h1:8088",…] (this RM first),"epoch":3,"zookeeper":"connected to …",
 *    "takeovers":1,"lateAnswers":0,"storeMultis":0,"refusedWrites":0}
 * POST /ws/v1/cluster/ha {"state":"standby","holdMs":10000}
 *   Gives the leadership to the next RM in line. For holdMs (0 to 600,000; default 10,000) this RM
 *   does not claim leadership again, unless another RM has led meanwhile. Answers, with the body of
 *   GET:
 *   202, the role is about to change; 200, this RM is a standby already. 409: HA is not enabled, or
 *   this RM is still loading the state. {"state":"active"} is always answered with 409, since
 *   only the election in ZooKeeper decides who leads. */
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/io/json_write.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/leader/standby.h"

#define HA_PATH         "/ws/v1/cluster/ha"
#define HOLD_DEFAULT_MS 10000
#define HOLD_MAX_MS     600000

static void put_rm_urls(const char *urls, struct base_buf *out)
{
    base_json_key(out, "rms");
    base_json_open(out, '[');
    while (*urls) {
        size_t n = strcspn(urls, ",");
        char *one = base_strndup(urls, n);

        base_json_value_str(out, one);
        free(one);
        urls += n + (urls[n] == ',');
    }
    base_json_close(out, ']');
}

static void answer_ha_state(struct api_request *rq, struct rm_backend *b, unsigned status)
{
    struct rm_backend_stats stats = {0};
    struct base_buf out = {0};
    char active[512], text[256];

    rm_backend_get_stats(b, &stats);
    rm_backend_active_url(b, active);
    rm_backend_zk_text(b, text);
    base_json_open(&out, '{');
    base_json_put_bool(&out, "haEnabled", rm_backend_is_one_of_several(b));
    base_json_put_str(&out, "rmId", rm_backend_rm_id(b));
    base_json_put_str(&out, "state", rm_standby_get_state_name(b, false));
    base_json_put_str(&out, "url", rm_backend_url(b));
    base_json_put_str(&out, "activeUrl", rm_standby_is_active(b) ? rm_backend_url(b) : active);
    put_rm_urls(rm_backend_all_urls(b), &out);
    base_json_put_int(&out, "epoch", stats.epoch);
    base_json_put_str(&out, "zookeeper", text);
    base_json_put_int(&out, "takeovers", stats.takeovers);
    base_json_put_int(&out, "lateAnswers", stats.late_answers);
    base_json_put_int(&out, "storeMultis", stats.store_multis);
    base_json_put_int(&out, "refusedWrites", stats.refused_writes);
    base_json_close(&out, '}');
    rm_api_answer_json(rq, status, &out);
}

static void answer_get_ha(struct api_request *rq, void *user)
{
    answer_ha_state(rq, user, 200);
}

/* Returns false when the body is invalid; @rq is then answered with 400. */
static bool read_requested_state(struct api_request *rq, bool *active, int64_t *hold_ms)
{
    static const char *const members[] = {"state", "holdMs", NULL};
    struct base_error err = {0};
    const char *state = "";
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = base_json_parse(text, len, &body, &err);

    if (rc == 0 && !json_is_object(body))
        rc =
            base_error_set(&err, -BASE_EINVAL, "the body is not an object {\"state\":\"standby\"}");
    if (rc == 0)
        rc = base_json_refuse_unknown_members(body, "", members, &err);
    if (rc == 0)
        rc = base_json_str(body, "", "state", true, 16, &state, &err);
    if (rc == 0 && strcmp(state, "standby") != 0 && strcmp(state, "active") != 0)
        rc = base_error_set(&err, -BASE_EINVAL, "state: \"%s\" is neither standby nor active",
                            state);
    if (rc == 0)
        rc = base_json_int(body, "", "holdMs", false, 0, HOLD_MAX_MS, hold_ms, &err);
    *active = rc == 0 && strcmp(state, "active") == 0;
    json_decref(body);
    if (rc < 0)
        rm_api_answer_bad_request(rq, &err);
    return rc == 0;
}

static void change_ha_state(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct base_error err = {0};
    int64_t hold_ms = HOLD_DEFAULT_MS;
    bool active;

    if (rm_access_refuse_unless_allowed(rq, b, RM_OP_ADMINISTER) ||
        !read_requested_state(rq, &active, &hold_ms))
        return;
    if (active)
        base_error_set(&err, -BASE_ESTATE,
                       "Automatic failover is enabled: who is active is decided by the election in "
                       "ZooKeeper. Make the "
                       "active ResourceManager a standby, and the next in line takes over");
    else if (!rm_backend_is_one_of_several(b))
        base_error_set(&err, -BASE_ESTATE,
                       "ResourceManager HA is not enabled: there is no other one to take over");
    else if (rm_backend_role(b) == RM_ROLE_STANDBY) {
        answer_ha_state(rq, b, 200);
        return;
    } else if (rm_backend_resign(b, hold_ms * 1000, &err) == 0) {
        answer_ha_state(rq, b, 202);
        return;
    }
    api_answer_base_error(rq, &err);
}

/* GET /isActive, for load balancers. SOURCE: Hadoop's IsActiveServlet. */
static void answer_is_active(struct api_request *rq, void *user)
{
    struct base_buf body = {0};

    api_add_header(rq, "Connection", "close");
    if (!rm_standby_is_active(user)) {
        api_answer_html_error_page(rq, 405, "I am not Active!", "isActive");
        return;
    }
    base_buf_adds(&body, "I am Active!");
    api_answer(rq, 200, API_TEXT, &body);
}

const struct api_route rm_api_ha_routes[] = {
    {"GET", HA_PATH, API_ROLE_READ, 0, answer_get_ha, API_ROUTE_CREEL},
    {"POST", HA_PATH, API_ROLE_WRITE, 4096, change_ha_state, API_ROUTE_CREEL},
    {"GET", "/isActive", API_ROLE_READ, 0, answer_is_active, API_ROUTE_SERVLET | API_ROUTE_FOR_ALL},
};
const size_t rm_api_ha_routes_n = sizeof rm_api_ha_routes / sizeof *rm_api_ha_routes;
