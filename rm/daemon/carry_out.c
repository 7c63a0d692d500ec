/* rm/daemon/carry_out.c - where the rules of a leadership (rm/term/term.h) let effects out to: the
 * store, the log, the helpers' threads, and the requesters. On the core's thread; answers that
 * waited for the store on the store's. */
#include "base/clock.h"
#include "base/io/log.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/jobs/ended_jobs.h"

static int64_t lease_us(void *user, int64_t epoch)
{
    struct rm_leadership *t = user;

    return rm_roles_lease_us(t->b, epoch);
}

static int64_t mono_us(void *user)
{
    (void)user;
    return base_mono_us(&base_clock_real);
}

static void store(void *user, uint64_t seq, const struct rm_record *rec)
{
    struct rm_leadership *t = user;

    rm_store_put(t->store, seq, rec);
}

static bool hold(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket)
{
    struct rm_leadership *t = user;

    return rm_store_hold(t->store, after_seq, fx, ticket);
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

static void late(void *user)
{
    struct rm_leadership *t = user;

    rm_roles_count_late_answer(t->b);
}

static void folder(void *user, const struct rm_effect *fx)
{
    struct rm_leadership *t = user;

    rm_jobs_io_queue_effect(t->io, fx);
}

static void outputs(void *user, const struct rm_effect *fx)
{
    struct rm_leadership *t = user;

    rm_watch_wake_older(t->b->watch, fx->u.map_output.id, fx->u.map_output.version);
}

static void tell(void *user, const struct rm_effect *fx)
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
        rm_audit_end(fx);
        break;
    case RM_FX_UNCONFIRMED:
    case RM_FX_EPOCH_LOW:
        rm_roles_report_unfit(t->b, fx);
        break;
    default:
        break;
    }
}

void rm_carry_out_calls(struct rm_leadership *t, struct rm_term_calls *out)
{
    *out = (struct rm_term_calls){.user = t,
                                  .lease_us = lease_us,
                                  .mono_us = mono_us,
                                  .store = store,
                                  .hold = hold,
                                  .answer = answer,
                                  .refuse = refuse,
                                  .late = late,
                                  .folder = folder,
                                  .outputs = outputs,
                                  .tell = tell};
}
