#include "nodemanager/daemon/audit.h"

#include <stdio.h>

#include "api/audit/audit.h"

#define NODE "/ws/v1/node"

static const struct api_audit_operation operations[] = {
    {"PUT", NODE "/auxiliaryservices", "set-services", false},
    {"PUT", NODE "/yarn/sysfs/{user}/{appid}", "set-sysfs", false},
    {"POST", "/login", "login", false},
};

int nm_audit_open(const struct base_conf *conf, struct base_error *err)
{
    static const char key[] = "creel.nodemanager.audit-log";

    return api_audit_open(operations, sizeof operations / sizeof *operations, key,
                          base_conf_get(conf, key), err);
}

static void log_container(const struct nm_core *core, const struct base_container_id *id,
                          const char *op, const char *result, const struct nm_end *end)
{
    const struct nm_app_view *app = nm_core_app_find(core, &id->attempt.app);
    char text[BASE_ID_TEXT_MAX], number[16];
    struct base_buf line = {0};

    api_audit_append_member(&line, "op", op);
    api_audit_append_member(&line, "user", app && app->user ? app->user : "-");
    api_audit_append_member(&line, "result", result);
    api_audit_append_member(&line, "app", base_app_id_text(&id->attempt.app, text));
    api_audit_append_member(&line, "container", base_container_id_text(id, text));
    if (end) {
        snprintf(number, sizeof number, "%d", end->exit_code);
        api_audit_append_member(&line, "exit", number);
    }
    if (end && end->diagnostics && *end->diagnostics)
        api_audit_append_member(&line, "why", end->diagnostics);
    api_audit_log_line(&line);
    base_buf_free(&line);
}

void nm_audit_log_event(const struct nm_core *core, const struct nm_event *ev)
{
    if (ev->kind == NM_EV_SPAWNED)
        log_container(core, &ev->container, "start-container", "success", NULL);
    else if (ev->kind == NM_EV_SPAWN_FAILED)
        log_container(core, &ev->container, "start-container", "failed", &ev->u.ended);
    else if (ev->kind == NM_EV_ENDED)
        log_container(core, &ev->container, "end-container",
                      ev->u.ended.exit_code == 0 ? "success" : "failed", &ev->u.ended);
}
