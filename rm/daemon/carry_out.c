/* rm/daemon/carry_out.c - passes on the effects that the rules of a leadership (rm/term/term.h)
 * release: to the store, the log, the helpers' threads and the requesters. Runs on the core's
 * thread; for effects that waited for the store, on the store's; and while a leadership begins or
 * ends, on the thread that begins or ends it. */
#include "base/clock.h"
#include "base/io/log.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/jobs/ended_jobs.h"

static int64_t get_lease_end_us(void *user, int64_t epoch)
{
    struct rm_leadership *t = user;

    return rm_roles_get_lease_end_us(t->b, epoch);
}

static int64_t get_mono_us(void *user)
{
    (void)user;
    return base_mono_us(&base_clock_real);
}

static void queue_record(void *user, uint64_t seq, const struct rm_record *rec)
{
    struct rm_leadership *t = user;

    rm_store_queue_record(t->store, seq, rec);
}

static bool hold_effect(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket)
{
    struct rm_leadership *t = user;

    return rm_store_hold_effect(t->store, after_seq, fx, ticket);
}

static void answer(void *user, void *ticket, const struct rm_effect *fx)
{
    (void)user;
    rm_ticket_answer(ticket, fx);
}

static void refuse(void *user, void *ticket, int code, const char *text)
{
    (void)user;
    rm_ticket_fail(ticket, code, text);
}

static void count_late_answer(void *user)
{
    struct rm_leadership *t = user;

    rm_roles_count_late_answer(t->b);
}

static void wake_map_output_waiters(void *user, const struct rm_effect *fx)
{
    struct rm_leadership *t = user;

    rm_parking_wake_older(t->b->watch, fx->u.map_output.id, fx->u.map_output.version);
}

static void log_audit_or_archive_effect(void *user, const struct rm_effect *fx)
{
    struct rm_leadership *t = user;

    switch (fx->kind) {
    case RM_FX_NOTE:
        base_log((enum base_log_level)fx->u.note.level, "core", "%s", fx->u.note.text);
        break;
    case RM_FX_HISTORY:
        rm_history_archive_job(t->b, fx->u.history.id);
        break;
    case RM_FX_APP_ENDED:
        rm_audit_log_app_end(fx);
        break;
    case RM_FX_UNCONFIRMED:
    case RM_FX_EPOCH_LOW:
        rm_roles_report_unfit(t->b, fx);
        break;
    default:
        break;
    }
}

void rm_carry_out_fill_callbacks(struct rm_leadership *t, struct rm_term_calls *out)
{
    *out = (struct rm_term_calls){.user = t,
                                  .lease_us = get_lease_end_us,
                                  .mono_us = get_mono_us,
                                  .store = queue_record,
                                  .hold = hold_effect,
                                  .answer = answer,
                                  .refuse = refuse,
                                  .late = count_late_answer,
                                  .outputs = wake_map_output_waiters,
                                  .tell = log_audit_or_archive_effect};
}
