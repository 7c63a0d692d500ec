/* base/conf/acl_conf.h - which rights a daemon checks: yarn.acl.enable and yarn.admin.acl, whose
 * defaults depend on how callers are known (creel.auth).
 *
 *                             simple: they name themselves    otherwise: they prove it
 *   yarn.acl.enable           false                           true
 *   yarn.admin.acl            everybody, as in YARN           nobody but the daemon's user
 *   lists of the root queue   everybody submits and           everybody submits, nobody
 *                             administers, as in YARN         administers
 *
 * A name that nobody has proven protects nothing, so "simple" keeps YARN's open defaults. */
#ifndef CREEL_BASE_CONF_ACL_CONF_H
#define CREEL_BASE_CONF_ACL_CONF_H

#include "base/acl/acl.h"
#include "base/conf/conf.h"

/* Returns true when the defaults are those for callers who prove who they are. */
bool base_acl_conf_requires_auth(const struct base_conf *conf);
bool base_acl_conf_is_enabled(const struct base_conf *conf);
/* Returns true when yarn.acl.enable is set to true; false when ACLs are enabled only by default. */
bool base_acl_conf_is_explicitly_enabled(const struct base_conf *conf);
/* Returns the list of administrators besides the daemon's user; borrowed from @conf. */
const char *base_acl_conf_get_admins(const struct base_conf *conf);
/* Returns true when the pages of masters at /proxy are to run outside the ResourceManager's origin
 * (creel.proxy.sandbox): browsers show who their user is only where callers prove it, so that only
 * there a master's script could act for its reader. */
bool base_acl_conf_sandboxes_masters(const struct base_conf *conf);
/* Returns all of these settings as rules; the texts are borrowed from @conf. */
struct base_acl_rules base_acl_conf_read(const struct base_conf *conf);

#endif
