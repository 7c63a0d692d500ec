#include "rm/core/admin/master_keys.h"

#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

#define KEY_HEX (2 * RM_MASTER_KEY_BYTES)

static const char *const kind_names[RM_MASTER_KEYS] = {
    [RM_KEY_AMRM] = "amrm",
    [RM_KEY_NM] = "nm",
    [RM_KEY_CONTAINER] = "container",
    [RM_KEY_HADOOP_NM] = "hadoop-nm",
    [RM_KEY_HADOOP_CONTAINER] = "hadoop-container",
};

/* ---- records ---- */

/* rm/core is pure: it does not link with base/crypto, where the project's hex digits are. */
static const char hex_digits[] = "0123456789abcdef";

static void write_hex(const unsigned char *bytes, char out[static KEY_HEX + 1])
{
    for (size_t i = 0; i < RM_MASTER_KEY_BYTES; i++) {
        out[2 * i] = hex_digits[bytes[i] >> 4];
        out[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
    out[KEY_HEX] = 0;
}

static bool read_hex(const char *text, unsigned char out[static RM_MASTER_KEY_BYTES])
{
    for (size_t i = 0; i < KEY_HEX; i++) {
        const char *digit = text[i] ? strchr(hex_digits, text[i]) : NULL;

        if (!digit)
            return false;
        out[i / 2] = (unsigned char)(out[i / 2] << 4 | (digit - hex_digits));
    }
    return true;
}

#define PLACES 3
struct place { /* where a key stands in its record */
    struct rm_master_key *key;
    bool *given;
};

static void list_places(struct rm_kind_keys *k, struct place out[static PLACES])
{
    out[0] = (struct place){&k->current, &k->has_current};
    out[1] = (struct place){&k->previous, &k->has_previous};
    out[2] = (struct place){&k->waiting, &k->has_waiting};
}

static void put_key(struct rm_core *c, int place, const struct rm_master_key *key)
{
    char hex[KEY_HEX + 1];

    write_hex(key->salt, hex);
    rm_put_int(&c->text, place);
    rm_put_int(&c->text, key->id);
    rm_put_text(&c->text, key->secret);
    rm_put_text(&c->text, hex);
}

static void store_keys(struct rm_core *c, enum rm_master_key_kind kind)
{
    struct rm_kind_keys *k = &c->master_keys.kinds[kind];
    struct place places[PLACES];

    if (c->conf.simulation)
        return;
    list_places(k, places);
    rm_record_begin(c, "m2");
    rm_put_int(&c->text, k->made_us);
    rm_put_int(&c->text, k->active_us);
    rm_put_int(&c->text, k->has_current + k->has_previous + k->has_waiting);
    for (int i = 0; i < PLACES; i++)
        if (*places[i].given)
            put_key(c, i, places[i].key);
    k->seq =
        rm_record_emit(c, "meta", rm_scratch_printf(c, RM_MASTER_KEY_KEY "%s", kind_names[kind]));
}

static bool get_salt(struct rm_reader *r, struct rm_master_key *key)
{
    const char *hex = NULL;
    size_t n = 0;

    return rm_get_slice(r, &hex, &n) && n == KEY_HEX && read_hex(hex, key->salt);
}

static bool get_secret_name(struct rm_reader *r, struct rm_master_key *key)
{
    const char *name = NULL;
    size_t n = 0;

    if (!rm_get_slice(r, &name, &n) || n >= sizeof key->secret)
        return false;
    memcpy(key->secret, name, n);
    key->secret[n] = '\0';
    return true;
}

static bool get_keys(struct rm_reader *r, struct rm_kind_keys *out)
{
    struct place places[PLACES];
    int64_t n;

    list_places(out, places);
    out->made_us = rm_get_time(r);
    out->active_us = rm_get_time(r);
    n = rm_get_int_in(r, 1, PLACES);
    for (int64_t i = 0; !r->bad && i < n; i++) {
        struct place *p = &places[rm_get_int_in(r, 0, PLACES - 1)];

        *p->given = true;
        p->key->id = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
        if (!get_secret_name(r, p->key) || !get_salt(r, p->key))
            return false;
    }
    return out->has_current;
}

static bool get_key_of_earlier_version(struct rm_reader *r, struct rm_kind_keys *out)
{
    out->has_current = true;
    out->current.id = (int32_t)rm_get_int_in(r, INT32_MIN, INT32_MAX);
    return get_salt(r, &out->current);
}

int rm_master_keys_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec), earlier = r;
    const char *name = rec->key + sizeof RM_MASTER_KEY_KEY - 1;
    struct rm_kind_keys keys = {0};
    enum rm_master_key_kind kind = 0;
    bool right;

    while (kind < RM_MASTER_KEYS && strcmp(name, kind_names[kind]) != 0)
        kind++;
    if (kind == RM_MASTER_KEYS)
        return rm_record_set_corrupt_error(rec, err, "no such key is known");
    if (rm_skip_word(&earlier, "m1")) {
        right = get_key_of_earlier_version(&earlier, &keys);
        r = earlier;
    } else {
        if (!rm_skip_word(&r, "m2"))
            return rm_record_set_corrupt_error(rec, err, "unknown version");
        right = get_keys(&r, &keys);
    }
    if (!right || r.bad || r.p != r.end)
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    c->master_keys.kinds[kind] = keys;
    return 0;
}

/* ---- changes ---- */

/* Computes the key from its salt. Returns false when the cluster's secret has no such key. */
static bool derive_key(const struct rm_core *c, enum rm_master_key_kind kind,
                       struct rm_master_key *key)
{
    if (!key->secret[0]) {
        memcpy(key->bytes, key->salt, sizeof key->bytes);
        return true;
    }
    return c->conf.derive_key && c->conf.derive_key(c->conf.derive_key_ctx, kind, key, key->bytes);
}

/* Keys that cannot be computed any more leave; the next one takes the place of the current one. */
static void drop_keys_without_secret(struct rm_core *c, enum rm_master_key_kind kind)
{
    struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    k->has_previous = k->has_previous && derive_key(c, kind, &k->previous);
    k->has_waiting = k->has_waiting && derive_key(c, kind, &k->waiting);
    if (!k->has_current || derive_key(c, kind, &k->current))
        return;
    rm_emit_note(
        c, 4,
        "the cluster's secret has no key \"%s\" any more: %s tokens that were made with it "
        "are refused",
        k->current.secret, kind_names[kind]);
    k->current = k->waiting;
    k->has_current = k->has_waiting;
    k->has_waiting = false;
}

static void note_change(struct rm_core *c)
{
    struct rm_master_keys *m = &c->master_keys;

    if (m->seq <= c->stored)
        m->changes_before = m->changes;
    m->changes++;
    m->seq = c->seq;
}

static int64_t roll_delay_us(const struct rm_core *c, enum rm_master_key_kind kind)
{
    switch (kind) {
    case RM_KEY_AMRM:
        return c->conf.am_expiry_us / 2 * 3;
    case RM_KEY_NM:
    case RM_KEY_HADOOP_NM:
        return c->conf.node_expiry_us / 2 * 3;
    default:
        return c->conf.allocation_expiry_us / 2 * 3;
    }
}

/* Gives the waiting key the whole delay from now on, in which nodes and masters learn of it. */
static void restart_delay_of_waiting_key(struct rm_core *c, enum rm_master_key_kind kind)
{
    struct rm_kind_keys *k = &c->master_keys.kinds[kind];
    int64_t after_delay_us = c->now_us + roll_delay_us(c, kind);

    if (k->has_waiting && k->active_us < after_delay_us)
        k->active_us = after_delay_us;
}

void rm_master_keys_begin(struct rm_core *c)
{
    if (!c->conf.hands_out_keys)
        return;
    for (enum rm_master_key_kind kind = 0; kind < RM_MASTER_KEYS; kind++) {
        struct rm_kind_keys *k = &c->master_keys.kinds[kind];

        drop_keys_without_secret(c, kind);
        /* while no ResourceManager ran, nobody could learn of the key */
        restart_delay_of_waiting_key(c, kind);
        if (k->has_current)
            continue;
        k->has_current = true;
        k->current = c->conf.new_keys[kind];
        k->made_us = c->now_us;
        store_keys(c, kind);
    }
    c->master_keys.changes = c->master_keys.changes_before = 1;
}

static int64_t roll_interval_us(const struct rm_core *c, enum rm_master_key_kind kind)
{
    switch (kind) {
    case RM_KEY_AMRM:
        return c->conf.amrm_roll_us;
    case RM_KEY_NM:
    case RM_KEY_HADOOP_NM:
        return c->conf.nm_roll_us;
    default:
        return c->conf.container_roll_us;
    }
}

/* Returns true when the key could not be computed after a restart: the cluster's secret has lost
 * the key from which it was derived, or has come after it. */
static bool has_lost_its_secret(const struct rm_core *c, enum rm_master_key_kind kind,
                                const struct rm_master_key *fresh)
{
    struct rm_master_key copy = c->master_keys.kinds[kind].current;

    return copy.secret[0] ? !derive_key(c, kind, &copy) : fresh->secret[0] != '\0';
}

static bool roll_is_due(const struct rm_core *c, enum rm_master_key_kind kind,
                        const struct rm_master_key *fresh)
{
    const struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    return !k->has_waiting && (c->now_us - k->made_us >= roll_interval_us(c, kind) ||
                               has_lost_its_secret(c, kind, fresh));
}

static void begin_roll(struct rm_core *c, enum rm_master_key_kind kind,
                       const struct rm_master_key *fresh)
{
    struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    k->waiting = *fresh;
    k->has_waiting = true;
    k->made_us = c->now_us;
    k->active_us = c->now_us + roll_delay_us(c, kind);
    store_keys(c, kind);
    note_change(c);
    rm_emit_note(c, 6, "a new key of %s tokens, number %d, waits", kind_names[kind], fresh->id);
}

static bool waiting_key_is_durable(const struct rm_core *c, const struct rm_kind_keys *k)
{
    return k->has_waiting && k->seq <= c->stored;
}

void rm_master_keys_on_stored(struct rm_core *c, uint64_t stored_before)
{
    for (enum rm_master_key_kind kind = 0; kind < RM_MASTER_KEYS; kind++) {
        uint64_t seq = c->master_keys.kinds[kind].seq;

        if (seq > stored_before && seq <= c->stored)
            restart_delay_of_waiting_key(c, kind);
    }
}

static void activate_waiting_key(struct rm_core *c, enum rm_master_key_kind kind)
{
    struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    k->previous = k->current;
    k->has_previous = true;
    k->current = k->waiting;
    k->has_waiting = false;
    store_keys(c, kind);
    note_change(c);
    if (kind == RM_KEY_NM || kind == RM_KEY_HADOOP_NM)
        c->master_keys.nm_renewals++;
    rm_emit_note(c, 6, "%s tokens are made with the key number %d from now on", kind_names[kind],
                 k->current.id);
}

void rm_master_keys_on_roll(struct rm_core *c, const struct rm_event *ev)
{
    if (!c->conf.hands_out_keys)
        return;
    for (enum rm_master_key_kind kind = 0; kind < RM_MASTER_KEYS; kind++) {
        const struct rm_kind_keys *k = &c->master_keys.kinds[kind];

        if (waiting_key_is_durable(c, k) && c->now_us >= k->active_us)
            activate_waiting_key(c, kind);
        if (roll_is_due(c, kind, &ev->u.roll_master_keys.fresh[kind]))
            begin_roll(c, kind, &ev->u.roll_master_keys.fresh[kind]);
    }
}

/* ---- readers ---- */

const struct rm_master_key *rm_master_key(const struct rm_core *c, enum rm_master_key_kind kind)
{
    const struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    if (!c->conf.hands_out_keys)
        return NULL;
    return kind == RM_KEY_AMRM && waiting_key_is_durable(c, k) ? &k->waiting : &k->current;
}

const struct rm_master_key *rm_master_key_waiting(const struct rm_core *c,
                                                  enum rm_master_key_kind kind)
{
    const struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    return c->conf.hands_out_keys && waiting_key_is_durable(c, k) ? &k->waiting : NULL;
}

const struct rm_master_key *rm_master_key_find(const struct rm_core *c,
                                               enum rm_master_key_kind kind, int32_t id)
{
    const struct rm_kind_keys *k = &c->master_keys.kinds[kind];

    if (!c->conf.hands_out_keys)
        return NULL;
    if (waiting_key_is_durable(c, k) && k->waiting.id == id)
        return &k->waiting;
    if (k->current.id == id)
        return &k->current;
    return kind != RM_KEY_AMRM && k->has_previous && k->previous.id == id ? &k->previous : NULL;
}

const struct rm_master_key *rm_master_keys_list_good(struct rm_core *c,
                                                     enum rm_master_key_kind kind, size_t *n)
{
    const struct rm_kind_keys *k = &c->master_keys.kinds[kind];
    struct rm_master_key *v;

    *n = 0;
    if (!c->conf.hands_out_keys)
        return NULL;
    v = rm_step_arena_alloc(&c->scratch, RM_GOOD_KEYS_MAX * sizeof *v);
    v[(*n)++] = k->current;
    if (waiting_key_is_durable(c, k))
        v[(*n)++] = k->waiting;
    if (k->has_previous)
        v[(*n)++] = k->previous;
    return v;
}

uint32_t rm_master_keys_changes(const struct rm_core *c)
{
    const struct rm_master_keys *m = &c->master_keys;

    return m->seq <= c->stored ? m->changes : m->changes_before;
}
