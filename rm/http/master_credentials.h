/* rm/http/master_credentials.h - the token file of a master that may speak Hadoop RPC: what its
 * client has submitted, and the AMRM token by which the master proves to the ResourceManager which
 * attempt it is. YARN puts the token in under an empty alias and an empty service, which the master
 * fills in itself.
 * SOURCE: the first startContainers of MapReduce and Spark, recorded from Hadoop 3.4.2. */
#ifndef CREEL_RM_HTTP_MASTER_CREDENTIALS_H
#define CREEL_RM_HTTP_MASTER_CREDENTIALS_H

#include "base/id.h"
#include "rm/core/core.h"

/* Returns the token file as base64, which the caller frees. @submitted: that of the submission as
 * base64 (struct rm_launch); NULL: none. @key: the AMRM key. */
char *rm_master_credentials_make(const char *submitted, const struct base_attempt_id *attempt,
                                 const struct rm_master_key *key);

#endif
