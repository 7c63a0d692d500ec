#include "ha/zk/zk.h"

const char *ha_zk_code_name(enum ha_zk_code code)
{
    static const char *const names[] = {
        [HA_ZK_OK] = "ok",
        [HA_ZK_NONODE] = "no node",
        [HA_ZK_NODEEXISTS] = "node exists",
        [HA_ZK_BADVERSION] = "bad version",
        [HA_ZK_NOTEMPTY] = "not empty",
        [HA_ZK_NOAUTH] = "not authenticated",
        [HA_ZK_LOSS] = "connection loss",
        [HA_ZK_EXPIRED] = "session expired",
        [HA_ZK_FAILED] = "failed",
    };

    return (size_t)code < sizeof names / sizeof *names ? names[code] : "unknown code";
}
