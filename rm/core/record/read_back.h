/* rm/core/record/read_back.h - removes lists of splits that recovery did not use. The records
 * themselves are read back by rm_core_recover_record() (rm/core/core.h). */
#ifndef CREEL_RM_CORE_RECORD_READ_BACK_H
#define CREEL_RM_CORE_RECORD_READ_BACK_H

#include "rm/core/state.h"

/* Call after the last record: removes the stored lists of splits that no job has used. */
void rm_recover_prune_unused_splits(struct rm_core *c);
void rm_recover_free_stashed_splits(struct rm_core *c);

#endif
