/* rm/core/master/plain_kind.h - plain applications as a kind of application. */
#ifndef CREEL_RM_CORE_MASTER_PLAIN_KIND_H
#define CREEL_RM_CORE_MASTER_PLAIN_KIND_H

#include "rm/core/app/kind.h"

/* The table of functions for plain applications. */
extern const struct rm_app_kind rm_plain_kind;

#endif
