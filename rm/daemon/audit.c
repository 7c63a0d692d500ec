#include "rm/daemon/audit.h"

#define CLUSTER "/ws/v1/cluster"
#define TRACKER "/ws/v1/nodetracker"
#define MASTER  CLUSTER "/apps/{appid}/master"

static const struct api_audit_operation operations[] = {
    {"POST", CLUSTER "/jobs", "submit-job", false},
    {"POST", CLUSTER "/apps", "submit-app", false},
    {"POST", CLUSTER "/apps/new-application", "new-application", true},
    {"PUT", CLUSTER "/apps/{appid}/state", "kill", false},
    {"PUT", CLUSTER "/apps/{appid}/queue", "move", false},
    {"PUT", "/proxy/{appid}/ws/v1/mapreduce/jobs/{jobid}/tasks/{taskid}/attempts/{attemptid}/state",
     "kill-attempt", false},
    {"PUT", CLUSTER "/scheduler/policy", "set-policy", false},
    {"POST", CLUSTER "/scheduler/queues/refresh", "refresh-queues", false},
    {"POST", CLUSTER "/secret/refresh", "refresh-secret", false},
    {"PUT", CLUSTER "/scheduler-conf", "set-scheduler-conf", false},
    {"GET", CLUSTER "/scheduler-conf/format", "format-scheduler-conf", false},
    {"PUT", CLUSTER "/refresh-nodes", "refresh-nodes", false},
    {"PUT", CLUSTER "/nodes/{nodeid}/drain", "drain", false},
    {"POST", CLUSTER "/nodes/{nodeid}/resource", "node-resource", false},
    {"POST", CLUSTER "/nodes/{nodeid}/replace-labels", "label-nodes", false},
    {"POST", CLUSTER "/replace-node-to-labels", "label-nodes", false},
    {"POST", CLUSTER "/add-node-labels", "add-labels", false},
    {"POST", CLUSTER "/remove-node-labels", "remove-labels", false},
    {"POST", CLUSTER "/reservation/submit", "submit-reservation", false},
    {"POST", CLUSTER "/reservation/update", "update-reservation", false},
    {"POST", CLUSTER "/reservation/delete", "delete-reservation", false},
    {"POST", CLUSTER "/ha", "ha-state", false},
    {"POST", CLUSTER "/tokens", "new-token", false},
    {"DELETE", CLUSTER "/tokens/{tokenid}", "revoke-token", false},
    {"POST", CLUSTER "/tokens/{tokenid}/rpc-key", "rpc-key", false},
    {"POST", "/login", "login", false},
    {"POST", TRACKER "/identify", "identify", true},
    {"POST", TRACKER "/register", "register-node", false},
    {"POST", TRACKER "/unregister", "unregister-node", false},
    {"POST", TRACKER "/heartbeat", "heartbeat", true},
    {"POST", TRACKER "/commit", "commit", true},
    {"POST", TRACKER "/apps/{appid}/splits", "splits", true},
    {"POST", TRACKER "/apps/{appid}/commit", "commit-job", true},
    {"POST", MASTER "/register", "register-master", false},
    {"POST", MASTER "/allocate", "allocate", true},
    {"POST", MASTER "/finish", "finish-master", false},
};

int rm_audit_open(const struct base_conf *conf, struct base_error *err)
{
    static const char key[] = "creel.rm.audit-log";

    return api_audit_open(operations, sizeof operations / sizeof *operations, key,
                          base_conf_get(conf, key), err);
}

void rm_audit_log_app_end(const struct rm_effect *fx)
{
    static const char *const results[] = {[RM_FINAL_UNDEFINED] = "undefined",
                                          [RM_FINAL_SUCCEEDED] = "success",
                                          [RM_FINAL_FAILED] = "failed",
                                          [RM_FINAL_KILLED] = "killed"};
    struct base_buf line = {0};
    char id[BASE_ID_TEXT_MAX];
    enum rm_final_status status = fx->u.ended.final_status;

    api_audit_append_member(&line, "op", "end");
    api_audit_append_member(&line, "user", fx->u.ended.user);
    api_audit_append_member(&line, "result",
                            fx->u.ended.refused ? "refused"
                            : (size_t)status < sizeof results / sizeof *results && results[status]
                                ? results[status]
                                : "other");
    api_audit_append_member(&line, "app", base_app_id_text(&fx->u.ended.id, id));
    api_audit_append_member(&line, "name", fx->u.ended.name);
    api_audit_append_member(&line, "queue", fx->u.ended.queue);
    api_audit_append_member(&line, "state", rm_app_state_name(fx->u.ended.state));
    if (*fx->u.ended.diagnostics)
        api_audit_append_member(&line, "why", fx->u.ended.diagnostics);
    api_audit_log_line(&line);
    base_buf_free(&line);
}
