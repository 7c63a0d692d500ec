/* api/server/access/proxy_users.h - decides which users may act as which others (doAs):
 * hadoop.proxyuser.USER.users, .groups and .hosts, each "*" or a list. SOURCE: Hadoop's
 * DefaultImpersonationProvider. */
#ifndef CREEL_API_SERVER_ACCESS_PROXY_USERS_H
#define CREEL_API_SERVER_ACCESS_PROXY_USERS_H

#include <stdbool.h>

#include "base/conf/conf.h"

struct api_proxy_users;

/* @conf is borrowed while the object lives. */
struct api_proxy_users *api_proxy_users_new(const struct base_conf *conf);
void api_proxy_users_free(struct api_proxy_users *p); /* NULL-safe */
/* Returns true when @user may act as @as from the address @peer. Hosts are addresses, networks
 * (10.0.0.0/8) or names. Asks the name service where a rule has groups or names of hosts. */
bool api_proxy_users_allow(const struct api_proxy_users *p, const char *user, const char *as,
                           const char *peer);

#endif
