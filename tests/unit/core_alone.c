/* The core runs with nothing but the pure part of base and libc: no thread, no file, no clock. */
#include <stdio.h>
#include <stdlib.h>

#include "rm/core/core.h"

int main(void)
{
    struct rm_core_conf conf = {.cluster_ts_ms = 1,
                                .policy = "naive-fair",
                                .node_expiry_us = 1000000,
                                .heartbeat_us = 1000,
                                .am_attempts_max = 1,
                                .task_attempts_max = 1};
    struct rm_effects fx = {0};
    struct rm_event ev = {.kind = RM_EV_NEW_APP_ID, .at_us = 1, .token = 7};
    struct base_error err;
    struct rm_core *core = rm_core_new(&conf, &err);

    if (!core)
        return 1;
    rm_core_step(core, &ev, &fx);
    if (fx.len != 1 || fx.v[0].token != 7 || fx.v[0].u.reply.app_id.seq != 1)
        return 1;
    rm_core_free(core);
    free(fx.v);
    puts("the core stands alone");
    return 0;
}
