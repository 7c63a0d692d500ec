/* rm/core/record/app_record.h - writes and reads the record of an application. Its form is
 * described in app_record.c. */
#ifndef CREEL_RM_CORE_RECORD_APP_RECORD_H
#define CREEL_RM_CORE_RECORD_APP_RECORD_H

#include "rm/core/state.h"

/* Emits the application's record and returns its number. In a simulation emits nothing, and returns
 * the number of the newest record. */
uint64_t rm_record_app(struct rm_core *c, struct rm_app *a);
/* Reads @rec, whose submission begins at @json (rm_record_find_app_json()), into @a, which was made
 * from that submission. Stores the name of @a's queue, which the caller frees, in *@queue. Returns
 * NULL, or what is wrong with the record; whether the states fit each other is not checked here.
 * Changes nothing but *@a and *@queue. */
const char *rm_app_record_read(struct rm_core *c, const struct rm_record *rec, const char *json,
                               struct rm_app *a, char **queue);

#endif
