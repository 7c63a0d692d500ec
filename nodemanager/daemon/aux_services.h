/* nodemanager/daemon/aux_services.h - the auxiliary services that a manifest names, as in YARN's
 * NodeManager. Creel loads no Java classes: its only service is MapReduce's shuffle, which it runs
 * itself, so a manifest may contain that class alone, under any name.
 *
 * A manifest is {"services":[{"name":"mapreduce_shuffle","version":"1","configuration":
 * {"properties":{"class.name":"org.apache.hadoop.mapred.ShuffleHandler"}}}]}. */
#ifndef CREEL_NODEMANAGER_DAEMON_AUX_SERVICES_H
#define CREEL_NODEMANAGER_DAEMON_AUX_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/conf/conf.h"
#include "base/error.h"

#define NM_AUX_MANIFEST_MAX (256 * 1024) /* most bytes of a manifest */

struct nm_aux_services; /* opaque; any thread */

/* Loads the manifest file that the configuration names. A file that cannot be used is logged and
 * counts as an empty one. */
struct nm_aux_services *nm_aux_services_new(const struct base_conf *conf);
void nm_aux_services_free(struct nm_aux_services *aux); /* NULL-safe */
bool nm_aux_services_enabled(const struct nm_aux_services *aux);
/* Replaces all services by those of the manifest @text. An unchanged service keeps its start time.
 * Returns 0; or -BASE_EINVAL or -BASE_ELIMIT, with nothing changed. */
int nm_aux_services_reload(struct nm_aux_services *aux, const char *text, size_t len,
                           struct base_error *err);
/* Calls @each for each service; @started: "yyyy-MM-dd HH:mm:ss". */
void nm_aux_services_each(struct nm_aux_services *aux,
                          void (*each)(const char *name, const char *version, const char *started,
                                       void *u),
                          void *u);

#endif
