/* rm/config/host_lists.h - reads the lists of hosts that may have nodes
 * (yarn.resourcemanager.nodes.include-path) and of hosts that may not (...exclude-path).
 *
 * A file whose name ends with ".xml" has a root element with elements of the form
 *
 *   <host><name>h1,h2</name><timeout>SECONDS</timeout></host>
 *
 * where the time-out is for graceful decommissioning. Any other file lists names separated by
 * blanks; "#" begins a comment. A name with a colon is the id of one node. Source: Hadoop's
 * HostsFileReader. */
#ifndef CREEL_RM_CONFIG_HOST_LISTS_H
#define CREEL_RM_CONFIG_HOST_LISTS_H

#include "base/conf/conf.h"
#include "rm/core/core.h"

/* Reads the files that @conf names; a path that is not set means an empty list. Returns 0, or a
 * negative BASE_E* with the file and the mistake in @err, and *@out is empty. Free *@out in any
 * case. Must not be called on an HTTP thread. */
int rm_host_lists_read(const struct base_conf *conf, struct rm_host_lists *out,
                       struct base_error *err);
void rm_host_lists_free(struct rm_host_lists *lists);
/* Parses the content of the list @file (its name decides the form) and appends its entries to
 * *@v. */
int rm_host_list_parse(const char *file, const char *text, size_t len, struct rm_listed_host **v,
                       size_t *n, struct base_error *err);

#endif
