/* base/conf/rm_list.h - the ResourceManagers of a cluster as the configuration names them to their
 * clients. Which of them is asked: base/conf/rm_turn.h. */
#ifndef CREEL_BASE_CONF_RM_LIST_H
#define CREEL_BASE_CONF_RM_LIST_H

#include "base/conf/conf.h"
#include "base/conf/rm_turn.h"
#include "base/error.h"

/* Adds what @text lists: "host:port", "http://host:port/", separated by commas or white space.
 * @what is the source that messages name. -BASE_EINVAL: none there, or one that is no address;
 * -BASE_ELIMIT: too many. */
int base_rm_list_parse(const char *what, const char *text, struct base_rm_list *out,
                       struct base_error *err);
/* creel.nodemanager.rm where it is set; else yarn.resourcemanager.webapp.address.<id> of each id in
 * yarn.resourcemanager.ha.rm-ids, or port 8088 of yarn.resourcemanager.hostname.<id>; else
 * creel.nodemanager.rm's default. The message names the key. */
int base_rm_list_read(const struct base_conf *conf, struct base_rm_list *out,
                      struct base_error *err);
/* The same from the ids alone: without them 0, and nothing is added. */
int base_rm_list_of_ids(const struct base_conf *conf, struct base_rm_list *out,
                        struct base_error *err);
char *base_rm_list_text(const struct base_rm_list *l); /* "a,b"; caller frees */
void base_rm_list_free(struct base_rm_list *l);

#endif
