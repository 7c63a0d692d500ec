/* nodemanager/http/access/access.h - decides who may see the logs of an application on this node:
 * its owner, the users of its VIEW_APP list, which came with the launch, administrators, and
 * whoever shows a log token of it, which the ResourceManager has given out. As in YARN, a caller
 * who gives no name sees everything, and so does everybody while yarn.acl.enable is false. SOURCE:
 * YARN's ContainerLogsUtils; the recordings acl-nm-*. */
#ifndef CREEL_NODEMANAGER_HTTP_ACCESS_ACCESS_H
#define CREEL_NODEMANAGER_HTTP_ACCESS_ACCESS_H

#include "api/server/server.h"
#include "nodemanager/daemon/daemon.h"

/* Returns true when the caller may see the application's logs. Logs of an application that the node
 * no longer remembers are for administrators alone. Must not be called with nm->lock held. */
bool nm_access_may_see_app(struct api_request *rq, struct nm *nm, const struct base_app_id *app);
/* Returns true when lists leave the application out for the caller, who may not see it
 * (yarn.webapp.filter-entity-list-by-user). Must not be called with nm->lock held. */
bool nm_access_hides_app_in_lists(struct api_request *rq, struct nm *nm,
                                  const struct base_app_id *app);
/* Returns true when the caller is an administrator, whether or not ACLs are enabled. An anonymous
 * caller always counts as one. */
bool nm_access_is_admin_or_unnamed(struct api_request *rq, struct nm *nm);
/* The same, except that an anonymous caller counts as one only if everybody is an administrator.
 * @nm: struct nm *. */
bool nm_access_is_named_admin(struct api_request *rq, void *nm);
/* Returns true when the caller may change something of @owner's application: everybody while ACLs
 * are disabled, otherwise its owner and administrators, if they give their names. */
bool nm_access_is_owner_or_admin(struct api_request *rq, struct nm *nm, const char *owner);
/* Answer that the caller may not see the logs of @app, in the form that the resource has: the list
 * of files, one file, a page for people, and Creel's own resource. */
void nm_access_refuse_log_list(struct api_request *rq, const struct base_app_id *app);
void nm_access_refuse_log(struct api_request *rq, const struct base_app_id *app);
void nm_access_refuse_log_page(struct api_request *rq, const struct base_app_id *app);
void nm_access_refuse_raw_log(struct api_request *rq, const struct base_app_id *app);

#endif
