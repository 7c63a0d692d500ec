/* rm/core/record/reader.h - fields of a record, read one after the other (their form:
 * rm/core/record/record.h). */
#ifndef CREEL_RM_CORE_RECORD_READER_H
#define CREEL_RM_CORE_RECORD_READER_H

#include "rm/core/state.h"

struct rm_reader {
    const char *p, *end;
    bool bad; /* something did not read back; what was got since is worthless */
};
int64_t rm_get_int(struct rm_reader *r);
int64_t rm_get_int_in(struct rm_reader *r, int64_t low, int64_t high); /* outside: bad */
int64_t rm_get_time(struct rm_reader *r);                              /* 0 to RM_TIME_MAX */
/* Caller frees; NULL: absent or bad. */
char *rm_get_text(struct rm_reader *r);
bool rm_skip_word(struct rm_reader *r, const char *word); /* the version */
/* Borrowed text; false: absent or bad. */
bool rm_get_slice(struct rm_reader *r, const char **text, size_t *n);

#endif
