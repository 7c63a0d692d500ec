/* rm/core/emit.h - emits effects: replies, notes, records and their numbers. */
#ifndef CREEL_RM_CORE_EMIT_H
#define CREEL_RM_CORE_EMIT_H

#include "rm/core/state.h"

struct rm_effect *rm_effect_add(struct rm_core *c, enum rm_effect_kind kind);
/* @after: number of the record to wait for; 0: none. */
struct rm_effect *rm_reply(struct rm_core *c, uint64_t token, enum rm_reply_kind kind,
                           uint64_t after);
char *rm_scratch_printf(struct rm_core *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void rm_reply_error(struct rm_core *c, uint64_t token, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void rm_emit_note(struct rm_core *c, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
uint64_t rm_store_record(struct rm_core *c, const char *table, const char *key, const char *data,
                         size_t len);
void rm_set_bounded_text(char **at, const char *text);

#endif
