/* Attempts of plain applications as objects. */
#include "rm/core/master/attempt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/state.h"

void rm_attempt_set_state(struct rm_attempt *at, enum rm_attempt_state s)
{
    base_assert(rm_attempt_transition_is_legal(at->state, s));
    if (s == RM_ATTEMPT_FINAL_SAVING)
        at->state_before = at->state;
    at->state = s;
}

#define WHOLE_KEPT       10  /* number of newest attempts that keep their whole diagnostics */
#define DIAGNOSTICS_KEPT 256 /* bytes of the diagnostics that older attempts keep */

static void attempt_free_members(struct rm_attempt *at)
{
    free(at->host);
    free(at->tracking_url);
    free(at->diagnostics);
    free(at->node_id);
    free(at->node_http);
    for (size_t i = 0; i < at->avoided_n; i++)
        free(at->avoided[i]);
    free(at->avoided);
    free(at->allocated);
    free(at->completed);
}

/* Bound on what the record of an attempt holds in addition to its diagnostics: host, URL, node,
 * numbers. */
#define ATTEMPT_BYTES_MAX (16 << 10)
static_assert(BASE_SUBMISSION_MAX + (WHOLE_KEPT + 2) * (2 * BASE_DIAGNOSTICS_MAX + 1024) +
                      RM_ATTEMPTS_KEPT * (ATTEMPT_BYTES_MAX + DIAGNOSTICS_KEPT) <
                  BASE_RECORD_MAX,
              "the record of an application must always fit");

/* The number of attempts that fail without being counted is not limited, but the application's
 * record must stay within BASE_RECORD_MAX. So attempts that are not among the newest lose most of
 * their diagnostics, and the oldest attempt is dropped beyond RM_ATTEMPTS_KEPT. */
static void trim_old_attempts(struct rm_app *a)
{
    if (a->attempts_n >= WHOLE_KEPT) {
        char *text = a->attempts[a->attempts_n - WHOLE_KEPT].diagnostics;

        if (text && strlen(text) > DIAGNOSTICS_KEPT)
            text[DIAGNOSTICS_KEPT] = '\0';
    }
    if (a->attempts_n < RM_ATTEMPTS_KEPT)
        return;
    attempt_free_members(&a->attempts[0]);
    memmove(a->attempts, a->attempts + 1, (size_t)(--a->attempts_n) * sizeof *a->attempts);
}

struct rm_attempt *rm_app_add_attempt(struct rm_core *c, struct rm_app *a)
{
    const struct rm_attempt *last;
    struct rm_attempt *at;

    trim_old_attempts(a);
    if (a->attempts_n == a->attempts_cap) {
        a->attempts_cap = a->attempts_cap ? a->attempts_cap * 2 : 2;
        a->attempts = base_realloc_array(a->attempts, (size_t)a->attempts_cap, sizeof *a->attempts);
    }
    last = rm_app_newest_attempt(a);
    at = &a->attempts[a->attempts_n++];
    *at = (struct rm_attempt){.id = {a->id, last ? last->id.attempt + 1 : 1},
                              .start_us = c->now_us,
                              .next_num = 1,
                              .exit_code = RM_EXIT_INVALID};
    return at;
}

/* A failed disk is the node's fault, so an attempt that ended because of one does not count as
 * failed, as in YARN. But a master that fills the disk itself looks the same on every node, so only
 * the first few such attempts are forgiven. */
static bool disk_failure_is_forgiven(const struct rm_app *a, int32_t last)
{
    int32_t n = 0;

    for (int32_t i = 0; i <= last; i++)
        n += a->attempts[i].exit_code == RM_EXIT_DISKS_FAILED;
    return n <= RM_AM_DISK_FAILURES_FREE;
}

bool rm_attempt_failure_counts(const struct rm_app *a, int32_t i)
{
    if (a->attempts[i].state != RM_ATTEMPT_FAILED)
        return false;
    switch (a->attempts[i].exit_code) {
    case RM_EXIT_ABORTED:
    case RM_EXIT_PREEMPTED:
    case RM_EXIT_KILLED_BY_RM:
        return false;
    case RM_EXIT_DISKS_FAILED:
        return !disk_failure_is_forgiven(a, i);
    default:
        return true;
    }
}

int32_t rm_app_count_failed_attempts(const struct rm_core *c, const struct rm_app *a)
{
    int64_t within_us = base_sat_mul(a->app->failures_validity_ms, 1000);
    int32_t n = 0;

    if (!within_us)
        return a->failed_attempts;
    for (int32_t i = a->attempts_n - 1; i >= 0 && c->now_us - a->attempts[i].finish_us < within_us;
         i--)
        n += rm_attempt_failure_counts(a, i);
    return n;
}

void rm_app_free_attempts_and_asks(struct rm_app *a)
{
    for (int32_t i = 0; i < a->attempts_n; i++)
        attempt_free_members(&a->attempts[i]);
    free(a->attempts);
    free(a->news);
    rm_asks_free(a);
}
