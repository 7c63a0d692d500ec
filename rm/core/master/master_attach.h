/* rm/core/master/master_attach.h - re-attaches containers of an earlier instance of the RM. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_ATTACH_H
#define CREEL_RM_CORE_MASTER_MASTER_ATTACH_H

#include "rm/core/state.h"

/* Implements rm_app_kind.attach (rm/core/app/kind.h) for plain applications. Returns the attached
 * container; NULL when the reported one must be killed or forgotten. */
struct rm_container *rm_plain_app_attach_container(struct rm_core *c, struct rm_node *n,
                                                   struct rm_app *a,
                                                   const struct rm_container_report *r);

#endif
