/* base/conf/http_policy.h - whether the daemons of the cluster speak HTTP or HTTPS
 * (yarn.http.policy), and the keys and ports that follow from it. SOURCE: YARN's
 * yarn-default.xml: webapp.https.address with port 8090 of the ResourceManager and 8044 of a
 * NodeManager, in place of webapp.address with 8088 and 8042. */
#ifndef CREEL_BASE_CONF_HTTP_POLICY_H
#define CREEL_BASE_CONF_HTTP_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/conf/conf.h"

enum base_http_daemon { BASE_HTTP_RM, BASE_HTTP_NM };

/* Returns 0, or -BASE_EINVAL when yarn.http.policy is neither HTTP_ONLY nor HTTPS_ONLY. */
int base_http_policy_check(const struct base_conf *conf, struct base_error *err);
/* Returns true for HTTPS_ONLY; false for anything else. */
bool base_http_policy_is_https(const struct base_conf *conf);
/* Returns "http://" or "https://". */
const char *base_http_policy_scheme(const struct base_conf *conf);
/* Returns the port of @daemon: creel.rm.port or creel.nodemanager.port when set, else the usual
 * port of the policy. The configuration must have been checked. */
uint16_t base_http_policy_port(const struct base_conf *conf, enum base_http_daemon daemon);
/* Returns the usual port of a ResourceManager under the policy, 8088 or 8090. */
uint16_t base_http_policy_default_rm_port(const struct base_conf *conf);
/* Returns "yarn.resourcemanager.webapp.address" or "yarn.resourcemanager.webapp.https.address". */
const char *base_http_policy_rm_address_key(const struct base_conf *conf);

#endif
