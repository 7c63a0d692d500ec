#include "rm/core/admin/master_keys.h"

#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

#define KEY_HEX (2 * RM_MASTER_KEY_BYTES)

static const char *const kind_names[RM_MASTER_KEYS] = {[RM_KEY_AMRM] = "amrm",
                                                       [RM_KEY_NM] = "nm",
                                                       [RM_KEY_CONTAINER] = "container",
                                                       [RM_KEY_HADOOP_NM] = "hadoop-nm",
                                                       [RM_KEY_HADOOP_CONTAINER] =
                                                           "hadoop-container"};

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

static void store_key(struct rm_core *c, enum rm_master_key_kind kind)
{
    char hex[KEY_HEX + 1];

    if (c->conf.simulation)
        return;
    write_hex(c->master_keys[kind].bytes, hex);
    rm_record_begin(c, "m1");
    rm_put_int(&c->text, c->master_keys[kind].id);
    rm_put_text(&c->text, hex);
    rm_record_emit(c, "meta", rm_scratch_printf(c, RM_MASTER_KEY_KEY "%s", kind_names[kind]));
}

void rm_master_keys_begin(struct rm_core *c)
{
    if (!c->conf.hands_out_keys)
        return;
    for (enum rm_master_key_kind k = 0; k < RM_MASTER_KEYS; k++)
        if (!c->has_master_key[k]) {
            c->has_master_key[k] = true;
            c->master_keys[k] = c->conf.new_keys[k];
            store_key(c, k);
        }
}

int rm_master_keys_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    const char *name = rec->key + sizeof RM_MASTER_KEY_KEY - 1, *hex = NULL;
    struct rm_master_key key = {0};
    enum rm_master_key_kind kind = 0;
    bool right;
    size_t n = 0;

    while (kind < RM_MASTER_KEYS && strcmp(name, kind_names[kind]) != 0)
        kind++;
    if (kind == RM_MASTER_KEYS)
        return rm_record_set_corrupt_error(rec, err, "no such key is known");
    if (!rm_skip_word(&r, "m1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    key.id = (int32_t)rm_get_int_in(&r, INT32_MIN, INT32_MAX);
    right = rm_get_slice(&r, &hex, &n) && n == KEY_HEX && read_hex(hex, key.bytes);
    if (!right || r.bad || r.p != r.end)
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    c->master_keys[kind] = key;
    c->has_master_key[kind] = true;
    return 0;
}

const struct rm_master_key *rm_master_key(const struct rm_core *c, enum rm_master_key_kind kind)
{
    return c->conf.hands_out_keys ? &c->master_keys[kind] : NULL;
}
