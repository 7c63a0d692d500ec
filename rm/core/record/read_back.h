/* rm/core/record/read_back.h - records are read back after a restart. */
#ifndef CREEL_RM_CORE_RECORD_READ_BACK_H
#define CREEL_RM_CORE_RECORD_READ_BACK_H

#include "rm/core/state.h"

/* After the last record: removes lists of splits that no job has asked for. */
void rm_recover_prune_unused_splits(struct rm_core *c);
void rm_recover_free_splits(struct rm_core *c);

#endif
