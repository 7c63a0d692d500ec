/* rm/core/emit.h - appends effects to those of the current step: replies, notes, records. */
#ifndef CREEL_RM_CORE_EMIT_H
#define CREEL_RM_CORE_EMIT_H

#include "rm/core/state.h"

/* Appends an effect, zero except for its kind, to be filled in. Borrowed until the next effect. */
struct rm_effect *rm_effect_add(struct rm_core *c, enum rm_effect_kind kind);
/* Appends a reply to @token, to be filled in; with @token 0 returns a dummy that is not sent. The
 * reply is released when the record @after is durable; 0: at once. */
struct rm_effect *rm_reply(struct rm_core *c, uint64_t token, enum rm_reply_kind kind,
                           uint64_t after);
/* Returns the formatted text in memory that is valid until the next step. */
char *rm_scratch_printf(struct rm_core *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Replies to @token with @code (negative BASE_E*) and a message; nothing for @token 0. Returns the
 * reply, whose flag may be set. */
struct rm_effect *rm_reply_error(struct rm_core *c, uint64_t token, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Emits a line for the operator's log; does nothing while records are read back. @level: enum
 * base_log_level. */
void rm_emit_note(struct rm_core *c, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Emits a record to be stored, or to be removed when @data is NULL. The texts must stay valid until
 * the next step. Returns the record's number. */
uint64_t rm_store_record(struct rm_core *c, const char *table, const char *key, const char *data,
                         size_t len);
/* Frees *@at and sets it to a copy of @text, cut to twice BASE_DIAGNOSTICS_MAX bytes; to NULL if
 * @text is NULL. */
void rm_set_bounded_text(char **at, const char *text);

#endif
