/* base/conf/rm_list.h - reads the addresses of a cluster's ResourceManagers from the configuration
 * of their clients. base/conf/rm_cursor.h chooses which of them is asked. */
#ifndef CREEL_BASE_CONF_RM_LIST_H
#define CREEL_BASE_CONF_RM_LIST_H

#include "base/conf/conf.h"
#include "base/conf/rm_cursor.h"
#include "base/error.h"

/* Adds the addresses in @text, such as "host:port" or "http://host:port/", separated by commas or
 * white space. @what names the source of @text in messages. Returns 0, or -BASE_EINVAL when @text
 * has no address or an invalid one, -BASE_ELIMIT when there are more than BASE_RM_LIST_MAX. */
int base_rm_list_add_text(const char *what, const char *text, struct base_rm_list *out,
                          struct base_error *err);
/* The same; addresses without a scheme get that of yarn.http.policy in place of "http://". */
int base_rm_list_add_text_by_policy(const struct base_conf *conf, const char *what,
                                    const char *text, struct base_rm_list *out,
                                    struct base_error *err);
/* Adds the addresses of creel.nodemanager.rm if it is set; else, for each id in
 * yarn.resourcemanager.ha.rm-ids, yarn.resourcemanager.webapp.address.<id>, or port 8088 of
 * yarn.resourcemanager.hostname.<id>; else the default of creel.nodemanager.rm. With
 * yarn.http.policy HTTPS_ONLY it reads webapp.https.address.<id> instead, with port 8090. Returns
 * as base_rm_list_add_text(); messages name the key. */
int base_rm_list_add_configured(const struct base_conf *conf, struct base_rm_list *out,
                                struct base_error *err);
/* Adds only the addresses of the ids in yarn.resourcemanager.ha.rm-ids; returns 0 and adds nothing
 * when the key is not set. */
int base_rm_list_add_ha_ids(const struct base_conf *conf, struct base_rm_list *out,
                            struct base_error *err);
/* Returns the value of creel.nodemanager.rm, or its default under yarn.http.policy. Borrowed. */
const char *base_rm_list_configured_text(const struct base_conf *conf);
char *base_rm_list_to_text(const struct base_rm_list *l); /* "a,b"; caller frees */
void base_rm_list_free(struct base_rm_list *l);

#endif
