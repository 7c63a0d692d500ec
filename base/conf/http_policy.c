#include "base/conf/http_policy.h"

#include <string.h>

#define KEY_POLICY "yarn.http.policy"

static const char *get_policy(const struct base_conf *conf)
{
    const char *policy = base_conf_get(conf, KEY_POLICY);

    return policy ? policy : "";
}

int base_http_policy_check(const struct base_conf *conf, struct base_error *err)
{
    const char *policy = get_policy(conf);

    if (strcmp(policy, "HTTP_ONLY") == 0 || strcmp(policy, "HTTPS_ONLY") == 0)
        return 0;
    if (strcmp(policy, "HTTP_AND_HTTPS") == 0)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_POLICY ": HTTP_AND_HTTPS is not served, since whoever may choose "
                                         "plain HTTP gets no protection: expected HTTP_ONLY or "
                                         "HTTPS_ONLY");
    return base_error_set(err, -BASE_EINVAL,
                          KEY_POLICY ": \"%.40s\": expected HTTP_ONLY or HTTPS_ONLY", policy);
}

bool base_http_policy_is_https(const struct base_conf *conf)
{
    return strcmp(get_policy(conf), "HTTPS_ONLY") == 0;
}

const char *base_http_policy_scheme(const struct base_conf *conf)
{
    return base_http_policy_is_https(conf) ? "https://" : "http://";
}

uint16_t base_http_policy_default_rm_port(const struct base_conf *conf)
{
    return base_http_policy_is_https(conf) ? 8090 : 8088;
}

uint16_t base_http_policy_port(const struct base_conf *conf, enum base_http_daemon daemon)
{
    const char *key = daemon == BASE_HTTP_RM ? "creel.rm.port" : "creel.nodemanager.port";

    /* the table's defaults are those of HTTP_ONLY */
    if (base_conf_is_set(conf, key) || !base_http_policy_is_https(conf))
        return (uint16_t)base_conf_int(conf, key);
    return daemon == BASE_HTTP_RM ? base_http_policy_default_rm_port(conf) : 8044;
}

const char *base_http_policy_rm_address_key(const struct base_conf *conf)
{
    return base_http_policy_is_https(conf) ? "yarn.resourcemanager.webapp.https.address"
                                           : "yarn.resourcemanager.webapp.address";
}
