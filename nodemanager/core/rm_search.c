#include "nodemanager/core/rm_search.h"

#include <string.h>
#include <strings.h>

#define SECOND_US INT64_C(1000000)

/* Alone there is nobody else to ask; of several a silent one keeps us from the next. */
#define REGISTRATION_US      (10 * SECOND_US)
#define BEYOND_HOLD_ALONE_US (10 * SECOND_US)
#define BEYOND_HOLD_US       (3 * SECOND_US)
#define PARKED_US                                                                                  \
    (10 * SECOND_US) /* a standby keeps a request so long, waiting for its turn to lead */
/* A registration is not held; but over a thousand of them at once a leader takes its time. */
#define REGISTRATION_TAKES_US SECOND_US

void nm_search_init(struct nm_search *s, const struct base_rm_list *rms)
{
    *s = (struct nm_search){.look_us = INT64_MAX, .grace_us = NM_LOOK_GRACE_US};
    base_rm_cursor_init(&s->turn, rms);
    s->turn.listed_only = true; /* each request carries the cluster's secret */
}

void nm_search_free(struct nm_search *s)
{
    base_rm_cursor_free(&s->turn);
}

static bool several(const struct nm_search *s)
{
    return s->turn.list->n > 1;
}

/* ---- a request ---- */
int64_t nm_search_timeout_us(const struct nm_search *s, bool registering, int64_t hold_us)
{
    int64_t us = registering ? REGISTRATION_US
                             : hold_us + (several(s) ? BEYOND_HOLD_US : BEYOND_HOLD_ALONE_US);

    return several(s) && !s->turn.answered ? us + PARKED_US : us;
}

/* The grace, and up to half of it more. */
static void look_later(struct nm_search *s, int64_t from_us, uint32_t random)
{
    s->look_us = from_us + s->grace_us + (int64_t)random % (s->grace_us / 2 + 1);
}

void nm_search_sent(struct nm_search *s, bool registering, int64_t hold_us, int64_t now_us,
                    uint32_t random)
{
    s->asking = true;
    s->asked++;
    if (several(s))
        look_later(s, now_us + (registering ? REGISTRATION_TAKES_US : hold_us), random);
}

static void choose_next(struct nm_search *s, enum nm_outcome how, const char *location,
                        struct nm_retry *out)
{
    if (how == NM_OUTCOME_SILENT && s->leader) {
        base_rm_cursor_jump_to_leader(&s->turn, s->leader);
        out->at_once = true;
    } else if (how == NM_OUTCOME_MOVED) {
        out->at_once = base_rm_cursor_follow_redirect(&s->turn, location);
    } else {
        out->at_once = base_rm_cursor_skip_failed(&s->turn);
    }
    out->elsewhere = several(s);
}

/* A leader that answered without having been doubted is trusted as at the beginning. After a look
 * in vain the longer grace stays: the leader is slow, and the standbys have been asked often
 * enough. */
void nm_search_ended(struct nm_search *s, enum nm_outcome how, const char *location,
                     struct nm_retry *out)
{
    if (how != NM_OUTCOME_OK)
        choose_next(s, how, location, out);
    else if (!s->in_vain)
        s->grace_us = NM_LOOK_GRACE_US;
    s->in_vain = s->asking = false;
    s->look_us = INT64_MAX;
    s->leader = NULL;
}

/* ---- an answer ---- */
enum nm_worth nm_search_judge(int64_t epoch, int64_t obeyed)
{
    if (epoch == obeyed)
        return NM_WORTH_OBEYED;
    return epoch < obeyed ? NM_WORTH_STALE : NM_WORTH_HIGHER;
}

void nm_search_good(struct nm_search *s, int64_t epoch)
{
    s->epoch = epoch;
    base_rm_cursor_note_success(&s->turn);
}

void nm_search_bad(struct nm_search *s, struct nm_retry *out)
{
    out->at_once = base_rm_cursor_skip_failed(&s->turn);
    out->elsewhere = several(s);
}

/* ---- looking around ---- */
const char *nm_search_other(const struct nm_search *s, size_t *at)
{
    const struct base_rm_list *list = s->turn.list;

    while (*at < list->n) {
        const char *url = list->url[(*at)++];

        if (strcasecmp(url, base_rm_cursor_url(&s->turn)) != 0)
            return url;
    }
    return NULL;
}

bool nm_search_waits(const struct nm_search *s, uint64_t asked)
{
    return s->asking && s->asked == asked;
}

/* An RM that has answered us leads under the epoch that we obey, unless there is a higher one. Of
 * one that has not, we know nothing: a leader of the same epoch will do. */
int64_t nm_search_least_epoch(const struct nm_search *s)
{
    return s->turn.answered ? s->epoch + 1 : s->epoch;
}

bool nm_search_leads(const char *state, int64_t epoch, int64_t least)
{
    return strcmp(state, "initializing") == 0 || (strcmp(state, "active") == 0 && epoch >= least);
}

bool nm_search_looked(struct nm_search *s, uint64_t asked, const char *url, int64_t now_us,
                      uint32_t random)
{
    if (!nm_search_waits(s, asked))
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
    look_later(s, now_us, random);
    return false;
}
