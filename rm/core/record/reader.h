/* rm/core/record/reader.h - fields of a record, read one after the other (their form:
 * rm/core/record/record.h). */
#ifndef CREEL_RM_CORE_RECORD_READER_H
#define CREEL_RM_CORE_RECORD_READER_H

#include "rm/core/state.h"

struct rm_reader {
    const char *p, *end;
    bool bad; /* a field could not be read; values read since then are meaningless */
};
/* Returns a reader at the record's first field; it is bad when the record has no data. */
struct rm_reader rm_reader_of_record(const struct rm_record *rec);
/* Returns -BASE_ECORRUPT, with @err naming the record and @what is wrong with it. */
int rm_record_set_corrupt_error(const struct rm_record *rec, struct base_error *err,
                                const char *what);
/* Each function below reads one field and the separator after it. */
int64_t rm_get_int(struct rm_reader *r);
/* The same; a number outside [@low, @high] makes the reader bad. Returns @low when it is bad. */
int64_t rm_get_int_in(struct rm_reader *r, int64_t low, int64_t high);
int64_t rm_get_time(struct rm_reader *r); /* from 0 to RM_TIME_MAX */
/* Returns a copy, owned by the caller; NULL: the text is absent, or the reader is bad. */
char *rm_get_text(struct rm_reader *r);
/* Skips @word, such as the version. Returns false, and makes the reader bad, if anything else
 * follows. */
bool rm_skip_word(struct rm_reader *r, const char *word);
/* Sets *text and *n to a text inside the record. Returns false when the text is absent, or the
 * reader is bad. */
bool rm_get_slice(struct rm_reader *r, const char **text, size_t *n);

#endif
