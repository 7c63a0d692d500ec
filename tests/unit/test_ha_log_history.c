/* Histories of the log by seed: batches of upserts, removals and large records, lost connections at
 * any request before or after it was carried out, requests that arrive late, leaders that follow
 * one another while the old one still writes. What a leader reads must be what its predecessor was
 * given, up to a record at or behind all that was acknowledged; later writes of a deposed leader
 * come to nothing; the number of segments stays bounded. The model is a plain map.
 * usage: test_ha_log_history [FROM TO]: seeds, TO not included */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/log_zk.h"
#include "tests/xorshift.h"

#define KEYS        24 /* the first half in table "app", the others in "task" */
#define STEPS       400
#define RECORDS_MAX 8

static uint64_t seed_from = 1, seed_to = 1501;

struct value { /* of a key in the model; id 0: absent */
    uint32_t id, len;
};
struct given { /* a record that a leader was given */
    uint32_t key;
    struct value value;
};
struct leader {
    struct world *w;
    struct ha_log *log;
    struct log_zk_link link, late;
    struct value base[KEYS]; /* what it has read */
    struct given *given;     /* what it was given since then */
    size_t given_n, given_cap;
    size_t *batch_end;                  /* batch_end[b]: records up to batch b */
    size_t batches, batches_cap, acked; /* acked: number of a batch */
    size_t kept;                        /* records that its successor has read */
    bool connected, ready, succeeded, fenced;
};
struct world {
    uint64_t seed, rng;
    struct log_zk zk;
    struct ha_log_limits limits;
    struct leader *now, *old; /* now: the epoch is its own */
    uint32_t ids;
    int64_t epoch;
    struct {
        char *data;
        size_t len;
    } seen[KEYS]; /* what the load under way has read */
    int64_t cleaned, read_back, fences, acks, reloads, large;
    char *why; /* the first rule that was broken; NULL: none */
};

static uint64_t roll(struct world *w, uint64_t n)
{
    return xorshift_next(&w->rng) % n;
}

static void wrong(struct world *w, const char *what, const char *more)
{
    if (!w->why)
        w->why = base_printf("seed %" PRIu64 ": %s: %s", w->seed, what, more);
}

static void value_put(struct value v, char *out)
{
    uint32_t x = v.id * 2654435761u;

    for (uint32_t i = 0; i < v.len; i++) {
        out[i] = (char)(x >> 24);
        x = x * 1664525u + 1013904223u;
    }
    out[v.len] = '\0';
}

static const char *table_of(uint32_t key)
{
    return key < KEYS / 2 ? "app" : "task";
}

static void key_name(uint32_t key, char out[32])
{
    snprintf(out, 32, "application_17_%04u", key);
}

static void on_written(void *user, uint64_t batch)
{
    struct leader *d = user;

    if (batch <= d->acked || batch > d->batches)
        wrong(d->w, "a batch is acknowledged out of order", "");
    d->acked = batch;
    d->w->acks++;
    if (d->succeeded && d->batch_end[batch] > d->kept)
        wrong(d->w, "a deposed leader acknowledges what its successor has not read", "");
}

static void on_fenced(void *user, const char *text)
{
    struct leader *d = user;

    if (d == d->w->now)
        wrong(d->w, "fenced while the epoch is its own", text);
    if (d->fenced)
        wrong(d->w, "fenced twice", text);
    d->fenced = true;
    d->w->fences++;
}

static void on_broken(void *user, const struct base_error *err)
{
    struct leader *d = user;

    wrong(d->w, "broken", err->text);
}

static void on_loaded(void *user, int rc, const struct base_error *err)
{
    struct leader *d = user;

    d->ready = rc == 0;
    if (rc < 0 && !d->fenced)
        wrong(d->w, "not loaded", err->text);
}

static void send_to_link(void *user, const struct ha_zk_request *rq)
{
    log_zk_send(&((struct leader *)user)->link, rq);
}

/* Begins to load the log under the present epoch. */
static void begin(struct leader *d, struct world *w)
{
    const struct ha_log_calls calls = {d,          send_to_link, on_loaded,
                                       on_written, on_fenced,    on_broken};

    d->w = w;
    log_zk_link_init(&d->link, &w->zk);
    log_zk_link_init(&d->late, &w->zk);
    d->log = ha_log_new(LOG_ZK_ROOT, w->epoch, w->zk.epoch_version, &calls);
    ha_log_set_limits(d->log, &w->limits);
    d->link.log = d->late.log = d->log;
    d->connected = true;
    ha_log_start_loading(d->log);
}

static struct leader *new_leader(struct world *w)
{
    struct leader *d = base_alloc(sizeof *d);

    w->epoch += 1 + (int64_t)roll(w, 2);
    w->zk.epoch_version++;
    base_array_grow(&d->batch_end, d->batches, &d->batches_cap);
    d->batch_end[0] = 0;
    begin(d, w);
    return d;
}

static void free_leader(struct leader *d)
{
    struct ha_log_stats s;

    if (!d)
        return;
    ha_log_get_stats(d->log, &s);
    d->w->cleaned += s.cleaned;
    d->w->read_back += s.read_back;
    ha_log_free(d->log);
    log_zk_link_free(&d->link);
    log_zk_link_free(&d->late);
    free(d->given);
    free(d->batch_end);
    free(d);
}

static int see(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct world *w = user;
    unsigned key;

    (void)err;
    if (sscanf(rec->key, "application_17_%4u", &key) != 1 || key >= KEYS || w->seen[key].data ||
        strcmp(rec->table, table_of(key)) != 0 || rec->data[rec->len] != '\0') {
        wrong(w, "a record that nobody wrote", rec->key);
        return -1;
    }
    w->seen[key].data = base_strndup("", 0);
    w->seen[key].data = base_realloc_array(w->seen[key].data, rec->len + 1, 1);
    memcpy(w->seen[key].data, rec->data, rec->len);
    w->seen[key].len = rec->len;
    return 0;
}

static void see_all(struct world *w, struct ha_log *log)
{
    for (size_t i = 0; i < KEYS; i++) {
        free(w->seen[i].data);
        w->seen[i].data = NULL;
    }
    ha_log_for_each_record(log, "app", see, w, NULL);
    ha_log_for_each_record(log, "task", see, w, NULL);
    ha_log_for_each_record(log, "other", see, w, NULL);
}

static bool is_seen(const struct world *w, const struct value map[KEYS])
{
    static char buf[1 << 16];

    for (size_t i = 0; i < KEYS; i++) {
        if (!map[i].id != !w->seen[i].data || (map[i].id && map[i].len != w->seen[i].len))
            return false;
        if (!map[i].id)
            continue;
        value_put(map[i], buf);
        if (memcmp(buf, w->seen[i].data, map[i].len) != 0)
            return false;
    }
    return true;
}

/* The state that @d has read must be one that its predecessor was given: @d goes on from the last
 * one that fits. */
static void check_loaded(struct world *w, struct leader *d)
{
    struct leader *p = w->old;
    struct value map[KEYS] = {0};
    bool found = false;

    w->reloads++;
    see_all(w, d->log);
    if (p)
        memcpy(map, p->base, sizeof map);
    for (size_t n = 0;; n++) {
        if (n >= (p ? p->batch_end[p->acked] : 0) && is_seen(w, map)) {
            found = true;
            memcpy(d->base, map, sizeof map);
            if (p)
                p->kept = n;
        }
        if (!p || n == p->given_n)
            break;
        map[p->given[n].key] = p->given[n].value;
    }
    if (!found)
        wrong(w, "what was read is no state at or behind what was acknowledged", "");
    if (p)
        p->succeeded = true;
    if (roll(w, 2))
        ha_log_free_loaded_data(d->log);
}

static void write_batch(struct world *w, struct leader *d)
{
    static char data[RECORDS_MAX][1 << 16];
    char names[RECORDS_MAX][32];
    struct ha_record v[RECORDS_MAX];
    size_t n = roll(w, 10) ? roll(w, RECORDS_MAX) : 0;

    for (size_t i = 0; i < n; i++) {
        struct given g = {(uint32_t)roll(w, KEYS), {0, 0}};

        key_name(g.key, names[i]);
        v[i] = (struct ha_record){table_of(g.key), names[i], NULL, 0};
        if (roll(w, 3)) {
            bool large = roll(w, 25) == 0;
            g.value.id = ++w->ids;
            g.value.len = (uint32_t)roll(w, large ? 5 * w->limits.segment_bytes : 60);
            w->large += g.value.len > w->limits.segment_bytes;
            value_put(g.value, data[i]);
            v[i].data = data[i];
            v[i].len = g.value.len;
        }
        base_array_grow(&d->given, d->given_n, &d->given_cap);
        d->given[d->given_n++] = g;
    }
    d->batches++;
    base_array_grow(&d->batch_end, d->batches, &d->batches_cap);
    d->batch_end[d->batches] = d->given_n;
    if (ha_log_write_batch(d->log, v, n) != d->batches)
        wrong(w, "another batch number than expected", "");
}

/* Computes the present state of the model: what @d has read, and was given since. */
static void present(const struct leader *d, struct value map[KEYS])
{
    memcpy(map, d->base, sizeof d->base);
    for (size_t i = 0; i < d->given_n; i++)
        map[d->given[i].key] = d->given[i].value;
}

static void run_all(struct leader *d)
{
    if (!d->connected) {
        log_zk_connect(&d->link);
        d->connected = true;
    }
    log_zk_run(&d->link);
}

/* Answers all requests; then every batch has to be acknowledged, a reader finds the present state,
 * and there are not too many segments. */
static void check_quiet(struct world *w)
{
    struct leader *d = w->now;
    struct leader reader = {0};
    struct value map[KEYS];
    struct ha_log_stats s, again;
    size_t needed;

    run_all(d);
    if (!d->ready)
        wrong(w, "not loaded, and nothing is left to do", "");
    if (w->why)
        return;
    if (d->acked != d->batches)
        wrong(w, "not all batches are acknowledged, and nothing is left to do", "");
    ha_log_get_stats(d->log, &s);
    needed = (size_t)s.live_bytes / (w->limits.segment_bytes - 96) + 1;
    if (d->batches > 0 && (size_t)s.segments > w->limits.segments_spare + 2 * needed)
        wrong(w, "too many segments", "");
    if ((size_t)s.segments != log_zk_count(&w->zk))
        wrong(w, "segments are not those of the server", "");
    begin(&reader, w);
    log_zk_run(&reader.link);
    if (reader.ready) {
        see_all(w, reader.log);
        present(d, map);
        if (!is_seen(w, map))
            wrong(w, "the reader finds another state than the present one", "");
        ha_log_get_stats(reader.log, &again);
        if (again.live_records != s.live_records || again.live_bytes != s.live_bytes)
            wrong(w, "the reader counts other live records than the writer", "");
    }
    ha_log_free(reader.log);
    log_zk_link_free(&reader.link);
}

static void lose(struct world *w, struct leader *d)
{
    const struct ha_zk_event gone = {.kind = roll(w, 4) ? HA_ZK_DISCONNECTED : HA_ZK_SESSION_OVER};

    if (!d->connected)
        return;
    if (roll(w, 2))
        ha_log_on_event(d->log, &gone);
    log_zk_lose(&d->link, roll(w, 3) ? HA_ZK_LOSS : HA_ZK_EXPIRED, roll(w, 2) ? &d->late : NULL);
    d->connected = false;
}

static void step_of(struct world *w, struct leader *d)
{
    bool was_ready = d->ready;

    switch (roll(w, 20)) {
    case 0 ... 5:
        if (d->ready)
            write_batch(w, d);
        break;
    case 6 ... 11:
        if (d->connected)
            log_zk_execute(&d->link);
        break;
    case 12 ... 16:
        log_zk_answer(&d->link);
        break;
    case 17:
        if (roll(w, 3) == 0)
            lose(w, d);
        break;
    case 18:
        if (!d->connected) {
            d->connected = true;
            log_zk_connect(&d->link);
        }
        break;
    default:
        log_zk_execute(&d->late);
        break;
    }
    if (!was_ready && d->ready && d == w->now)
        check_loaded(w, d);
}

static void succeed(struct world *w)
{
    /* A leader that has not loaded the log has written nothing: the next one is checked against its
     * predecessor. */
    if (w->now->ready) {
        free_leader(w->old);
        w->old = w->now;
        w->now = NULL;
    } else {
        struct leader *gone = w->now;
        w->now = NULL;
        free_leader(gone);
    }
    w->now = new_leader(w);
}

static void history(struct world *w)
{
    w->limits =
        (struct ha_log_limits){256 + roll(w, 1024), 1 + roll(w, 20), 100 + (int64_t)roll(w, 4000)};
    w->zk.has_log = roll(w, 2);
    w->now = new_leader(w);
    for (int i = 0; i < STEPS && !w->why; i++) {
        uint64_t n = roll(w, 100);
        if (n == 0)
            succeed(w);
        else if (n < 20 && w->old)
            step_of(w, w->old);
        else if (n == 20 && w->now->ready)
            check_quiet(w);
        else
            step_of(w, w->now);
    }
    if (w->old && !w->why)
        run_all(w->old);
    if (w->old && w->old->succeeded && !w->why && w->old->batches > w->old->acked &&
        !w->old->fenced)
        wrong(w, "an old leader neither writes nor is fenced", "");
    while (!w->now->ready && !w->why) {
        run_all(w->now);
        if (w->now->ready)
            check_loaded(w, w->now);
    }
    if (!w->why)
        check_quiet(w);
    free_leader(w->now);
    free_leader(w->old);
    for (size_t i = 0; i < KEYS; i++)
        free(w->seen[i].data);
    log_zk_free(&w->zk);
}

static void test_histories(void)
{
    int64_t cleaned = 0, read_back = 0, fences = 0, acks = 0, reloads = 0, large = 0, failed = 0;

    for (uint64_t seed = seed_from; seed < seed_to && failed < 5; seed++) {
        struct world w = {.seed = seed, .rng = seed * UINT64_C(0x9E3779B97F4A7C15) | 1};

        history(&w);
        if (w.why) {
            printf("%s\n", w.why);
            free(w.why);
            failed++;
        }
        cleaned += w.cleaned;
        read_back += w.read_back;
        fences += w.fences;
        acks += w.acks;
        reloads += w.reloads;
        large += w.large;
    }
    CU_ASSERT_EQUAL(failed, 0);
    printf("%" PRId64 " acknowledgements, %" PRId64 " reloads, %" PRId64 " fenced, %" PRId64
           " read back, %" PRId64 " segments cleaned, %" PRId64 " large records\n",
           acks, reloads, fences, read_back, cleaned, large);
    if (seed_to - seed_from >= 100) /* so many histories have to meet each of these */
        CU_ASSERT(cleaned > 0 && read_back > 0 && fences > 0 && acks > 0 && large > 0);
}

int main(int argc, char **argv)
{
    static const struct cunit_case cases[] = {{"what is read is what was given", test_histories}};

    if (argc == 3) {
        seed_from = strtoull(argv[1], NULL, 10);
        seed_to = strtoull(argv[2], NULL, 10);
    }
    return cunit_main("ha_log histories", cases, 1);
}
