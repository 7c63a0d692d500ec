#include "rm/term/outbox.h"

#include <stdlib.h>

#include "base/mem.h"
#include "rm/term/effect_copy.h"
#include "rm/term/term.h"

#define OPEN_OUTCOME                                                                               \
    "it may still be carried out: look at the jobs, or repeat it (a submission with the same "     \
    "job.id)"

/* ---------------------------------------------------------------- effects that leave */
void rm_released_clear(struct rm_released *r)
{
    for (size_t i = 0; i < r->len; i++)
        rm_effect_copy_free(r->v[i].fx);
    free(r->text);
    r->text = NULL;
    r->len = 0;
    r->code = 0;
}

void rm_released_free(struct rm_released *r)
{
    rm_released_clear(r);
    free(r->v);
    *r = (struct rm_released){0};
}

static char *make_refusal_text(const char *why)
{
    return base_printf("%s; " OPEN_OUTCOME, why);
}

static void add_released(struct rm_released *r, const struct rm_held_effect *h)
{
    base_array_grow(&r->v, r->len, &r->cap);
    r->v[r->len++] = *h;
}

/* ---------------------------------------------------------------- which effects leave, by state */
/* Returns true when the present state refuses @fx. While the store fails only replies are refused:
 * a client can ask again, whereas a node that is refused would register anew although nothing has
 * been decided. */
static bool effect_is_refused(const struct rm_outbox *o, const struct rm_effect *fx)
{
    return o->state == RM_OUTBOX_OVER || (o->state == RM_OUTBOX_FAILING && fx->kind == RM_FX_REPLY);
}

/* Moves to @out the effects that are refused (@refuse), or else those whose record is stored. Moved
 * and held effects keep their order: two answers to one node must not overtake each other. */
static void move_released(struct rm_outbox *o, bool refuse, struct rm_released *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->len; i++) {
        const struct rm_held_effect *h = &o->held[i];

        if (refuse ? effect_is_refused(o, h->fx) : h->after_seq <= o->stored_seq)
            add_released(out, h);
        else
            o->held[kept++] = *h;
    }
    o->len = kept;
}

static void refuse_held_effects(struct rm_outbox *o, struct rm_released *out)
{
    rm_released_clear(out);
    move_released(o, true, out);
    out->code = o->why.code;
    out->text = make_refusal_text(o->why.text);
}

enum rm_outbox_verdict rm_outbox_hold(struct rm_outbox *o, uint64_t after_seq,
                                      const struct rm_effect *fx, void *ticket,
                                      struct rm_refusal *refusal)
{
    if (after_seq <= o->stored_seq)
        return RM_OUTBOX_DURABLE;
    if (effect_is_refused(o, fx)) {
        *refusal = (struct rm_refusal){o->why.code, make_refusal_text(o->why.text)};
        return RM_OUTBOX_REFUSED;
    }
    base_array_grow(&o->held, o->len, &o->cap);
    o->held[o->len++] = (struct rm_held_effect){after_seq, rm_effect_copy(fx), ticket};
    return RM_OUTBOX_HELD;
}

void rm_outbox_release_stored(struct rm_outbox *o, uint64_t seq, struct rm_released *out)
{
    rm_released_clear(out);
    if (o->state == RM_OUTBOX_FAILING)
        o->state = RM_OUTBOX_WRITABLE;
    o->stored_seq = seq;
    move_released(o, false, out);
}

void rm_outbox_refuse_replies(struct rm_outbox *o, const struct base_error *why,
                              struct rm_released *out)
{
    if (o->state != RM_OUTBOX_OVER) {
        o->state = RM_OUTBOX_FAILING;
        o->why = *why;
    }
    refuse_held_effects(o, out);
}

void rm_outbox_set_over(struct rm_outbox *o)
{
    o->state = RM_OUTBOX_OVER;
    base_error_set(&o->why, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
}

void rm_outbox_refuse_all(struct rm_outbox *o, struct rm_released *out)
{
    rm_outbox_set_over(o);
    refuse_held_effects(o, out);
}

/* ---------------------------------------------------------------- the end */
int rm_outbox_close(struct rm_outbox *o, struct rm_released *out, struct base_error *err)
{
    const struct base_error shutting_down = {-BASE_EIO, "the ResourceManager is shutting down"};
    int rc = o->state == RM_OUTBOX_WRITABLE ? 0 : o->why.code;

    if (rc < 0 && err)
        *err = o->why;
    rm_released_clear(out);
    for (size_t i = 0; i < o->len; i++)
        add_released(out, &o->held[i]);
    o->len = 0;
    out->code = o->state == RM_OUTBOX_OVER ? o->why.code : shutting_down.code;
    out->text = make_refusal_text(o->state == RM_OUTBOX_OVER ? o->why.text : shutting_down.text);
    return rc;
}

void rm_outbox_free(struct rm_outbox *o)
{
    for (size_t i = 0; i < o->len; i++)
        rm_effect_copy_free(o->held[i].fx);
    free(o->held);
    *o = (struct rm_outbox){0};
}
