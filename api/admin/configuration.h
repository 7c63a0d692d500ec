/* api/admin/configuration.h - GET /conf: the configuration that the daemon runs with, in the form
 * of Hadoop's ConfServlet: as JSON if asked for, else as XML; ?name=KEY shows that key alone.
 *
 * Secrets are never shown: values of keys whose names suggest a secret (secret, password,
 * credential, ...; more with hadoop.security.sensitive-config-keys), and values that contain such a
 * value. */
#ifndef CREEL_API_ADMIN_CONFIGURATION_H
#define CREEL_API_ADMIN_CONFIGURATION_H

#include "api/server/server.h"
#include "base/conf/conf.h"

/* A key of YARN's from which tools learn about a daemon. Creel does not read the key, but knows the
 * value that describes the daemon. Shown unless the configuration has the key. */
struct api_yarn_key {
    const char *name, *value;
};

/* Answers GET /conf. @more: sorted by name, ends with name NULL; borrowed for the call. */
void api_configuration_answer(struct api_request *rq, const struct base_conf *conf,
                              const struct api_yarn_key *more);
/* Appends all keys, or the key @name alone. Returns false, and appends nothing, when there is no
 * such key. */
bool api_configuration_encode(const struct base_conf *conf, const struct api_yarn_key *more,
                              const char *name, bool json, struct base_buf *out);

#endif
