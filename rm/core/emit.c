/* Effects of the current step. Records are numbered here, in the order in which they are
 * emitted. */
#include "rm/core/emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/state.h"

struct rm_effect *rm_effect_add(struct rm_core *c, enum rm_effect_kind kind)
{
    struct rm_effects *out = c->out;
    struct rm_effect *fx;

    base_array_grow(&out->v, out->len, &out->cap);
    fx = &out->v[out->len++];
    memset(fx, 0, sizeof *fx);
    fx->kind = kind;
    return fx;
}

struct rm_effect *rm_reply(struct rm_core *c, uint64_t token, enum rm_reply_kind kind,
                           uint64_t after)
{
    struct rm_effect *fx;

    if (!token) {
        c->nobody = (struct rm_effect){0};
        return &c->nobody;
    }
    fx = rm_effect_add(c, RM_FX_REPLY);
    fx->token = token;
    fx->after_seq = after > c->stored ? after : 0;
    fx->u.reply.kind = kind;
    return fx;
}

static char *scratch_vprintf(struct rm_core *c, const char *fmt, va_list ap)
{
    struct base_buf b = {0};
    char *text;

    base_buf_vaddf(&b, fmt, ap);
    text = rm_step_arena_alloc(&c->scratch, b.len + 1);
    memcpy(text, b.data, b.len + 1);
    base_buf_free(&b);
    return text;
}

char *rm_scratch_printf(struct rm_core *c, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = scratch_vprintf(c, fmt, ap);
    va_end(ap);
    return text;
}

struct rm_effect *rm_reply_error(struct rm_core *c, uint64_t token, int code, const char *fmt, ...)
{
    struct rm_effect *fx = rm_reply(c, token, RM_REPLY_ERROR, 0);
    va_list ap;

    if (!token)
        return fx;
    fx->u.reply.code = code;
    va_start(ap, fmt);
    fx->u.reply.text = scratch_vprintf(c, fmt, ap);
    va_end(ap);
    return fx;
}

void rm_emit_note(struct rm_core *c, int level, const char *fmt, ...)
{
    struct rm_effect *fx;
    va_list ap;

    if (!c->out)
        return;
    fx = rm_effect_add(c, RM_FX_NOTE);
    fx->u.note.level = level;
    va_start(ap, fmt);
    fx->u.note.text = scratch_vprintf(c, fmt, ap);
    va_end(ap);
}

uint64_t rm_store_record(struct rm_core *c, const char *table, const char *key, const char *data,
                         size_t len)
{
    struct rm_effect *fx = rm_effect_add(c, RM_FX_STORE);

    fx->u.store.seq = ++c->seq;
    fx->u.store.record = (struct rm_record){.table = table, .key = key, .data = data, .len = len};
    return c->seq;
}

/* Texts such as diagnostics become part of records, so their length is bounded here. */
void rm_set_bounded_text(char **at, const char *text)
{
    char *copy = text ? base_strndup(text, strnlen(text, 2 * BASE_DIAGNOSTICS_MAX)) : NULL;

    free(*at);
    *at = copy;
}
