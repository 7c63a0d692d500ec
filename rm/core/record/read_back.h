/* rm/core/record/read_back.h - records are read back after a restart. */
#ifndef CREEL_RM_CORE_RECORD_READ_BACK_H
#define CREEL_RM_CORE_RECORD_READ_BACK_H

#include "rm/core/state.h"

/* After all records: lists of splits that nobody has asked for. */
void rm_recover_orphans(struct rm_core *c);
void rm_recover_free(struct rm_core *c);

#endif
