/* The record of a reservation; its form is in rm/core/record/record.h. */
#include <stdlib.h>

#include "rm/core/emit.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

static char *reservation_record_key(struct rm_core *c, const struct rm_reservation *r)
{
    return base_reservation_id_text(&r->id, rm_step_arena_alloc(&c->scratch, BASE_ID_TEXT_MAX));
}

uint64_t rm_reservation_store(struct rm_core *c, const struct rm_reservation *r)
{
    struct base_buf *b = &c->text;

    if (c->conf.simulation)
        return c->seq;
    rm_record_begin(c, "r1");
    rm_put_text(b, r->queue);
    rm_put_text(b, r->user);
    rm_put_text(b, r->name);
    rm_put_text(b, r->recurrence);
    rm_put_int(b, r->priority);
    rm_put_int(b, r->pr.submit_us);
    rm_put_int(b, r->pr.arrival_us);
    rm_put_int(b, r->pr.deadline_us);
    rm_put_int(b, r->pr.interpreter);
    rm_put_int(b, (int64_t)r->pr.stages_n);
    rm_put_int(b, (int64_t)r->pr.bookings_n);
    for (size_t i = 0; i < r->pr.stages_n; i++) {
        for (int j = 0; j < RM_RES_NAMES; j++)
            rm_put_int(b, r->capability[i].v[j]);
        rm_put_int(b, r->pr.stages[i].containers);
        rm_put_int(b, r->pr.stages[i].width);
        rm_put_int(b, r->pr.stages[i].duration_us);
    }
    for (size_t i = 0; i < r->pr.bookings_n; i++) {
        rm_put_int(b, r->pr.bookings[i].start_us);
        rm_put_int(b, r->pr.bookings[i].end_us);
        rm_put_int(b, r->pr.bookings[i].n);
        rm_put_int(b, (int64_t)r->pr.bookings[i].stage);
    }
    return rm_record_emit(c, "meta", reservation_record_key(c, r));
}

void rm_reservation_remove_record(struct rm_core *c, const struct rm_reservation *r)
{
    if (!c->conf.simulation)
        rm_store_record(c, "meta", reservation_record_key(c, r), NULL, 0);
}

static void read_requests(struct rm_reader *r, struct rm_reservation *to)
{
    for (size_t i = 0; i < to->pr.stages_n && !r->bad; i++) {
        struct policy_stage *st = &to->pr.stages[i];

        for (int j = 0; j < RM_RES_NAMES; j++)
            to->capability[i].v[j] = rm_get_int(r);
        st->kind = rm_slot_kind_for_resource(&to->capability[i]);
        st->containers = (int32_t)rm_get_int_in(r, 1, INT32_MAX);
        st->width = (int32_t)rm_get_int_in(r, 1, st->containers);
        st->duration_us = rm_get_int_in(r, 1, RM_TIME_MAX);
    }
}

static void read_bookings(struct rm_reader *r, struct rm_reservation *to)
{
    for (size_t i = 0; i < to->pr.bookings_n && !r->bad; i++) {
        struct policy_booking *b = &to->pr.bookings[i];

        b->start_us = rm_get_time(r);
        b->end_us = rm_get_int_in(r, b->start_us + 1, RM_TIME_MAX + 1);
        b->n = rm_get_int_in(r, 1, INT32_MAX);
        b->stage = (size_t)rm_get_int_in(r, 0, (int64_t)to->pr.stages_n - 1);
    }
}

#define BOOKING_BYTES_MIN 8 /* "0 1 1 0 " */

static void read_reservation_fields(struct rm_reader *r, struct rm_reservation *to)
{
    to->queue = rm_get_text(r);
    to->user = rm_get_text(r);
    to->name = rm_get_text(r);
    to->recurrence = rm_get_text(r);
    to->priority = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    to->pr.submit_us = rm_get_time(r);
    to->pr.arrival_us = rm_get_time(r);
    to->pr.deadline_us = rm_get_time(r);
    to->pr.interpreter = (enum policy_interpreter)rm_get_int_in(r, 0, POLICY_STAGES_ORDER_NO_GAP);
    to->pr.stages_n = (size_t)rm_get_int_in(r, 1, POLICY_STAGES_MAX);
    to->pr.bookings_n = (size_t)rm_get_int_in(r, 1, (r->end - r->p) / BOOKING_BYTES_MIN + 1);
    if (r->bad)
        to->pr.stages_n = to->pr.bookings_n = 0;
    to->capability = base_alloc(to->pr.stages_n * sizeof *to->capability);
    to->pr.stages = base_alloc(to->pr.stages_n * sizeof *to->pr.stages);
    to->pr.bookings = base_alloc(to->pr.bookings_n * sizeof *to->pr.bookings);
    read_requests(r, to);
    read_bookings(r, to);
}

int rm_reservation_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct rm_reservation *to;
    struct base_app_id id;

    if (base_reservation_id_parse(rec->key, &id, NULL) < 0)
        return rm_record_set_corrupt_error(rec, err, "its key is no reservation id");
    if (!rm_skip_word(&r, "r1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    if (rm_reservation_find(c, id))
        return rm_record_set_corrupt_error(rec, err, "it is a duplicate");
    to = base_alloc(sizeof *to);
    to->id = id;
    to->pr.cluster_ts = id.cluster_ts;
    to->pr.seq = id.seq;
    read_reservation_fields(&r, to);
    if (r.bad || r.p != r.end || !to->queue || !to->user || !to->recurrence) {
        rm_reservation_free(to);
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    }
    rm_reservation_add(c, to);
    return 0;
}
