#include "base/conf/acl_conf.h"

#include <string.h>

#include "base/acl/groups.h"

#define KEY_ENABLE  "yarn.acl.enable"
#define KEY_ADMINS  "yarn.admin.acl"
#define KEY_SANDBOX "creel.proxy.sandbox"
#define NOBODY      " "

bool base_acl_conf_requires_auth(const struct base_conf *conf)
{
    return strcmp(base_conf_get(conf, "creel.auth"), "simple") != 0;
}

bool base_acl_conf_is_enabled(const struct base_conf *conf)
{
    return base_conf_is_set(conf, KEY_ENABLE) ? base_conf_bool(conf, KEY_ENABLE)
                                              : base_acl_conf_requires_auth(conf);
}

bool base_acl_conf_is_explicitly_enabled(const struct base_conf *conf)
{
    return base_conf_is_set(conf, KEY_ENABLE) && base_conf_bool(conf, KEY_ENABLE);
}

const char *base_acl_conf_get_admins(const struct base_conf *conf)
{
    return !base_conf_is_set(conf, KEY_ADMINS) && base_acl_conf_requires_auth(conf)
               ? NOBODY
               : base_conf_get(conf, KEY_ADMINS);
}

bool base_acl_conf_sandboxes_masters(const struct base_conf *conf)
{
    return base_conf_is_set(conf, KEY_SANDBOX) ? base_conf_bool(conf, KEY_SANDBOX)
                                               : base_acl_conf_requires_auth(conf);
}

struct base_acl_rules base_acl_conf_read(const struct base_conf *conf)
{
    return (struct base_acl_rules){.enabled = base_acl_conf_is_enabled(conf),
                                   .admins = base_acl_conf_get_admins(conf),
                                   .process = base_process_user()};
}
