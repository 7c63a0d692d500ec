#include "nodemanager/core/rm_search.h"

#include <string.h>
#include <strings.h>

#define SECOND_US INT64_C(1000000)

/* Time-outs for answers. A single RM gets more time, as there is no other to turn to; with several,
 * waiting for a silent RM delays the attempt with the next one. */
#define REGISTRATION_US      (10 * SECOND_US)
#define BEYOND_HOLD_ALONE_US (10 * SECOND_US)
#define BEYOND_HOLD_US       (3 * SECOND_US)
#define PARKED_US                                                                                  \
    (10 * SECOND_US) /* how long a standby parks a request, in case it becomes leader */
/* A leader does not hold registrations, but may need this long when a thousand nodes register. */
#define REGISTRATION_TAKES_US SECOND_US

void nm_rm_search_init(struct nm_rm_search *s, const struct base_rm_list *rms)
{
    *s = (struct nm_rm_search){.look_us = INT64_MAX, .grace_us = NM_LOOK_GRACE_US};
    base_rm_cursor_init(&s->turn, rms);
    s->turn.listed_only = true; /* each request is signed with the cluster's secret and has secrets
                                 * of applications in its body */
}

void nm_rm_search_free(struct nm_rm_search *s)
{
    base_rm_cursor_free(&s->turn);
}

static bool has_several_rms(const struct nm_rm_search *s)
{
    return s->turn.list->n > 1;
}

/* ---- a request ---- */
int64_t nm_rm_search_timeout_us(const struct nm_rm_search *s, bool registering, int64_t hold_us)
{
    int64_t us = registering
                     ? REGISTRATION_US
                     : hold_us + (has_several_rms(s) ? BEYOND_HOLD_US : BEYOND_HOLD_ALONE_US);

    return has_several_rms(s) && !s->turn.answered ? us + PARKED_US : us;
}

/* Schedules the next look after the grace and a random extra of up to half of the grace. */
static void schedule_leader_look(struct nm_rm_search *s, int64_t from_us, uint32_t random)
{
    s->look_us = from_us + s->grace_us + (int64_t)random % (s->grace_us / 2 + 1);
}

void nm_rm_search_note_request_sent(struct nm_rm_search *s, bool registering, int64_t hold_us,
                                    int64_t now_us, uint32_t random)
{
    s->asking = true;
    s->asked++;
    s->answer_by_us = now_us + nm_rm_search_timeout_us(s, registering, hold_us);
    if (has_several_rms(s))
        schedule_leader_look(s, now_us + (registering ? REGISTRATION_TAKES_US : hold_us), random);
}

static void choose_next_rm(struct nm_rm_search *s, enum nm_outcome how, const char *location,
                           struct nm_retry *out)
{
    if (how == NM_OUTCOME_SILENT && s->leader) {
        base_rm_cursor_jump_to_leader(&s->turn, s->leader);
        out->at_once = true;
    } else if (how == NM_OUTCOME_MOVED) {
        out->at_once = base_rm_cursor_follow_redirect(&s->turn, location);
    } else {
        out->at_once = base_rm_cursor_fail_and_advance(&s->turn);
    }
    out->elsewhere = has_several_rms(s);
}

/* After an answer without an unsuccessful look, the grace returns to its minimum. After an
 * unsuccessful look the longer grace stays: the leader is slow, and the standbys have been asked
 * often enough. */
void nm_rm_search_note_request_ended(struct nm_rm_search *s, enum nm_outcome how,
                                     const char *location, struct nm_retry *out)
{
    if (how != NM_OUTCOME_OK)
        choose_next_rm(s, how, location, out);
    else if (!s->in_vain)
        s->grace_us = NM_LOOK_GRACE_US;
    s->in_vain = s->asking = false;
    s->look_us = INT64_MAX;
    s->leader = NULL;
}

/* ---- an answer ---- */
bool nm_rm_search_answer_is_late(const struct nm_rm_search *s, int64_t now_us)
{
    return now_us > s->answer_by_us;
}

enum nm_worth nm_rm_search_judge_epoch(int64_t epoch, int64_t obeyed)
{
    if (epoch == obeyed)
        return NM_WORTH_OBEYED;
    return epoch < obeyed ? NM_WORTH_STALE : NM_WORTH_HIGHER;
}

void nm_rm_search_note_good_answer(struct nm_rm_search *s, int64_t epoch)
{
    s->epoch = epoch;
    base_rm_cursor_note_success(&s->turn);
}

void nm_rm_search_note_bad_answer(struct nm_rm_search *s, struct nm_retry *out)
{
    out->at_once = base_rm_cursor_fail_and_advance(&s->turn);
    out->elsewhere = has_several_rms(s);
}

/* ---- looks ---- */
const char *nm_rm_search_next_rm_but_current(const struct nm_rm_search *s, size_t *at)
{
    const struct base_rm_list *list = s->turn.list;

    while (*at < list->n) {
        const char *url = list->url[(*at)++];

        if (strcasecmp(url, base_rm_cursor_url(&s->turn)) != 0)
            return url;
    }
    return NULL;
}

bool nm_rm_search_is_request_in_flight(const struct nm_rm_search *s, uint64_t asked)
{
    return s->asking && s->asked == asked;
}

/* The RM that answered this node leads under the obeyed epoch, so only a higher epoch deposes it.
 * An RM that has not answered yet may be a standby: a leader of the obeyed epoch is enough. */
int64_t nm_rm_search_least_leader_epoch(const struct nm_rm_search *s)
{
    return s->turn.answered ? s->epoch + 1 : s->epoch;
}

bool nm_rm_search_state_is_leader(const char *state, int64_t epoch, int64_t least)
{
    return strcmp(state, "initializing") == 0 || (strcmp(state, "active") == 0 && epoch >= least);
}

bool nm_rm_search_note_look_result(struct nm_rm_search *s, uint64_t asked, const char *url,
                                   int64_t now_us, uint32_t random)
{
    if (!nm_rm_search_is_request_in_flight(s, asked))
        return false;
    if (url) {
        s->leader = url;
        s->look_us = INT64_MAX;
        return true;
    }
    s->in_vain = true;
    s->grace_us *= 2;
    if (s->grace_us > NM_LOOK_GRACE_MAX_US)
        s->grace_us = NM_LOOK_GRACE_MAX_US;
    schedule_leader_look(s, now_us, random);
    return false;
}
