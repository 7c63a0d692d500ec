#include "rm/rpc/start/starter.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/rpc/start/talk.h"

#define MAX_WAIT_KEY "yarn.client.nodemanager-connect.max-wait-ms"
#define INTERVAL_KEY "yarn.client.nodemanager-connect.retry-interval-ms"

/* An address with starts that wait or are under way. Only the thread uses it. */
struct rm_start_address {
    UT_hash_handle hh;
    size_t starts; /* to this address */
    size_t open;   /* conversations with it */
    size_t silent; /* of these: nothing has been received */
    char text[];
};

struct rm_starter {
    struct rm_backend *b;
    int64_t max_wait_ms, interval_ms;
    pthread_t thread;
    int wake;
    atomic_bool stop;
    pthread_mutex_t lock;
    struct rm_talk *added, **added_end; /* under lock */
    size_t n;                           /* under lock: those added, and those of the thread */
    /* the thread's: the oldest start comes first */
    struct rm_talk *talks;
    struct rm_start_address *addresses;
    size_t open; /* conversations */
};

static int64_t now_ms(void)
{
    return base_mono_us(&base_clock_real) / 1000;
}

/* ---- what became of a start ---- */

struct outcome {
    struct rm_event ev;
    char *why;
};

static void release_outcome(void *user)
{
    struct outcome *o = user;

    free(o->why);
    free(o);
}

static void report(struct rm_backend *b, const struct base_container_id *container, bool started,
                   const char *why)
{
    struct outcome *o = base_alloc(sizeof *o);
    char id[BASE_ID_TEXT_MAX];

    if (!started)
        base_log_warn("rpc", "%s was not started: %s", base_container_id_text(container, id), why);
    o->why = base_strdup(why ? why : "");
    o->ev.kind = RM_EV_START_ENDED;
    o->ev.u.start_ended.container = *container;
    o->ev.u.start_ended.started = started;
    o->ev.u.start_ended.why = o->why;
    rm_backend_post(b, &o->ev, NULL, release_outcome, o);
}

/* ---- the thread ---- */

static struct rm_start_address *find_or_add_address(struct rm_starter *s, const char *text)
{
    struct rm_start_address *a;
    size_t len = strlen(text);

    HASH_FIND(hh, s->addresses, text, len, a);
    if (!a) {
        a = base_alloc(sizeof *a + len + 1);
        memcpy(a->text, text, len);
        HASH_ADD(hh, s->addresses, text[0], len, a);
    }
    return a;
}

/* Moves what others have added behind the starts that wait already. */
static void take_added(struct rm_starter *s)
{
    struct rm_talk **end = &s->talks, *added;

    pthread_mutex_lock(&s->lock);
    added = s->added;
    s->added = NULL;
    s->added_end = &s->added;
    pthread_mutex_unlock(&s->lock);
    for (struct rm_talk *t = added; t; t = t->next) {
        t->address = find_or_add_address(s, t->start->address);
        t->address->starts++;
    }
    while (added && *end)
        end = &(*end)->next;
    if (added)
        *end = added;
}

static void free_talk(struct rm_starter *s, struct rm_talk *t)
{
    if (--t->address->starts == 0) {
        HASH_DEL(s->addresses, t->address);
        free(t->address);
    }
    rm_talk_free(t);
}

static void count_ended(struct rm_starter *s)
{
    pthread_mutex_lock(&s->lock);
    s->n--;
    pthread_mutex_unlock(&s->lock);
}

static bool is_open(const struct rm_talk *t)
{
    return t->state == RM_TALK_CONNECTING || t->state == RM_TALK_TALKING;
}

/* Decides what follows a try that has ended. Returns false when @t is done with. */
static bool is_tried_further(struct rm_starter *s, struct rm_talk *t, int64_t now)
{
    if (t->state == RM_TALK_AGAIN && now + s->interval_ms <= t->give_up_ms) {
        t->state = RM_TALK_WAITING;
        t->at_ms = now + s->interval_ms;
    }
    if (t->state == RM_TALK_WAITING || is_open(t))
        return true;
    report(s->b, &t->start->container, t->state == RM_TALK_STARTED, t->why);
    return false;
}

static void count_open(struct rm_starter *s)
{
    s->open = 0;
    for (const struct rm_talk *t = s->talks; t; t = t->next)
        t->address->open = t->address->silent = 0;
    for (const struct rm_talk *t = s->talks; t; t = t->next)
        if (is_open(t)) {
            s->open++;
            t->address->open++;
            t->address->silent += !t->heard;
        }
}

/* Returns true when one more conversation may begin with the node of @t. */
static bool has_room(const struct rm_starter *s, const struct rm_talk *t)
{
    return s->open < RM_START_TALKS_MAX && t->address->open < RM_START_TALKS_PER_ADDRESS &&
           !t->address->silent;
}

#define BEGUN_PER_PASS 8 /* to encode a request may take tens of milliseconds */

/* Begins tries that are due, as many as a pass may, ends those that take too long, and removes
 * starts that have ended. */
static void pass_time(struct rm_starter *s)
{
    int64_t now = now_ms();
    int begun = 0;

    count_open(s);
    for (struct rm_talk **at = &s->talks, *t; (t = *at);) {
        if (t->state == RM_TALK_WAITING && t->at_ms <= now && begun < BEGUN_PER_PASS &&
            has_room(s, t)) {
            rm_talk_begin(t, now);
            begun++;
            s->open += is_open(t);
            t->address->open += is_open(t);
            t->address->silent += is_open(t);
        }
        rm_talk_check_time(t, now);
        if (is_tried_further(s, t, now)) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        free_talk(s, t);
        count_ended(s);
    }
}

/* Returns for how long to wait, in ms; -1: until something happens. */
static int find_wait_ms(const struct rm_starter *s)
{
    int64_t now = now_ms(), first = INT64_MAX;

    for (const struct rm_talk *t = s->talks; t; t = t->next) {
        int64_t at_ms = is_open(t) || has_room(s, t) ? t->at_ms : t->give_up_ms + 1;

        first = at_ms < first ? at_ms : first;
    }
    if (first == INT64_MAX)
        return -1;
    return first <= now ? 0 : first - now < 1000 ? (int)(first - now) : 1000;
}

static void wait_and_work(struct rm_starter *s)
{
    struct pollfd fds[1 + RM_START_TALKS_MAX] = {{.fd = s->wake, .events = POLLIN}};
    struct rm_talk *of[1 + RM_START_TALKS_MAX];
    uint64_t count;
    nfds_t n = 1;

    count_open(s); /* some have ended for lack of time */
    for (struct rm_talk *t = s->talks; t; t = t->next)
        if (is_open(t)) {
            of[n] = t;
            fds[n++] = (struct pollfd){.fd = t->fd, .events = rm_talk_events(t)};
        }
    if (poll(fds, n, find_wait_ms(s)) <= 0)
        return;
    if (fds[0].revents && read(s->wake, &count, sizeof count) < 0 && errno != EAGAIN)
        base_log_warn("rpc", "starts of masters: %s", strerror(errno));
    for (nfds_t i = 1; i < n; i++)
        if (fds[i].revents)
            rm_talk_work(of[i], now_ms());
}

static void *run(void *user)
{
    struct rm_starter *s = user;

    while (!atomic_load(&s->stop)) {
        take_added(s);
        pass_time(s);
        wait_and_work(s);
    }
    return NULL;
}

/* ---- for others ---- */

int rm_starter_new(struct rm_backend *b, struct rm_starter **out, struct base_error *err)
{
    struct rm_starter *s = base_alloc(sizeof *s);
    int rc;

    s->b = b;
    s->max_wait_ms = base_conf_int(rm_backend_conf(b), MAX_WAIT_KEY);
    s->interval_ms = base_conf_int(rm_backend_conf(b), INTERVAL_KEY);
    s->added_end = &s->added;
    pthread_mutex_init(&s->lock, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = s->wake < 0 ? errno : pthread_create(&s->thread, NULL, run, s);
    if (rc == 0) {
        *out = s;
        return 0;
    }
    if (s->wake >= 0)
        close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return base_error_sys(err, -BASE_EIO, rc, "starts of masters on nodes of Hadoop");
}

static void wake_thread(struct rm_starter *s)
{
    if (write(s->wake, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno != EAGAIN)
        base_log_warn("rpc", "starts of masters: %s", strerror(errno));
}

void rm_starter_add(struct rm_starter *s, struct rm_start *start)
{
    struct rm_talk *t = rm_talk_new(start, now_ms(), s->max_wait_ms);
    bool full;

    pthread_mutex_lock(&s->lock);
    full = s->n >= RM_STARTS_MAX;
    if (!full) {
        s->n++;
        *s->added_end = t;
        s->added_end = &t->next;
    }
    pthread_mutex_unlock(&s->lock);
    if (full) {
        report(s->b, &start->container, false, "too many masters are to be started");
        rm_talk_free(t);
        return;
    }
    wake_thread(s);
}

void rm_starter_free(struct rm_starter *s)
{
    struct rm_talk *next;

    if (!s)
        return;
    atomic_store(&s->stop, true);
    wake_thread(s);
    pthread_join(s->thread, NULL);
    take_added(s);
    for (struct rm_talk *t = s->talks; t; t = next) {
        next = t->next;
        free_talk(s, t);
    }
    close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
