#include "rm/config/rpc_address.h"

#include <stdlib.h>

#include "base/mem.h"

const char *rm_rpc_address_get(const struct base_conf *conf, const char *name, const char *rm_id,
                               char **key)
{
    const char *text = NULL;

    *key = base_printf("%s%s%s", name, rm_id ? "." : "", rm_id ? rm_id : "");
    text = base_conf_get(conf, *key);
    if (rm_id && (!text || !*text)) {
        free(*key);
        *key = base_strdup(name);
        text = base_conf_get(conf, name);
    }
    return text ? text : "";
}

static bool is_given(const struct base_conf *conf, const char *name, const char *rm_id)
{
    char *key;
    bool given = *rm_rpc_address_get(conf, name, rm_id, &key);

    free(key);
    return given;
}

bool rm_rpc_address_needs_keys(const struct base_conf *conf, const char *rm_id)
{
    return is_given(conf, RM_RPC_MASTER_KEY, rm_id) || is_given(conf, RM_RPC_TRACKER_KEY, rm_id);
}
