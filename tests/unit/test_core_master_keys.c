/* Goal: the keys of masters' tokens are made once, stored, and the same after every start; there
 * are none unless they are handed out; a damaged record costs one key. Method: a small world with
 * keys, crashed and started again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/admin/master_keys.h"
#include "tests/unit/core_masters.h"

static void give_keys(struct rm_core_conf *conf, int first)
{
    conf->hands_out_keys = true;
    for (int k = 0; k < RM_MASTER_KEYS; k++) {
        conf->new_keys[k].id = -first - k;
        memset(conf->new_keys[k].bytes, first + k, RM_MASTER_KEY_BYTES);
        conf->new_keys[k].bytes[0] = 0xfe;
    }
}

/* Checks that @kind is the key that give_keys(@first) has made. */
static void check_key(enum rm_master_key_kind kind, int first)
{
    const struct rm_master_key *key = rm_master_key(w.core, kind);

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    CU_ASSERT_EQUAL(key->id, -first - (int)kind);
    CU_ASSERT_EQUAL(key->bytes[0], 0xfe);
    for (int i = 1; i < RM_MASTER_KEY_BYTES; i++)
        CU_ASSERT_EQUAL(key->bytes[i], first + (int)kind);
}

/* Starts again, with new keys at hand. */
static void start_with_keys(int first)
{
    give_keys(&w.conf, first);
    world_crash(&w, w.journal_n);
}

static void test_same_after_each_start(void)
{
    size_t records;

    world_init(&w, "fifo");
    start_with_keys(10);
    records = w.journal_n;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < RM_MASTER_KEYS; k++)
            check_key((enum rm_master_key_kind)k, 10);
        start_with_keys(90); /* what the next leader has at hand */
    }
    CU_ASSERT_EQUAL(w.journal_n, records); /* they are not written again */
    world_free(&w);
}

static struct world_record *key_record(const char *kind)
{
    char key[64];

    snprintf(key, sizeof key, "master-key_%s", kind);
    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].key, key) == 0)
            return &w.journal[i];
    return NULL;
}

/* Another record stands in place of that of the NM key. */
static void check_damaged(const char *data)
{
    struct world_record *r;

    world_init(&w, "fifo");
    w.may_be_damaged = true;
    start_with_keys(10);
    r = key_record("nm");
    CU_ASSERT_PTR_NOT_NULL_FATAL(r);
    free(r->data);
    r->data = base_strdup(data);
    r->len = strlen(data);
    start_with_keys(90);
    check_key(RM_KEY_AMRM, 10);
    check_key(RM_KEY_NM, 90);
    check_key(RM_KEY_CONTAINER, 10);
    CU_ASSERT_EQUAL(w.damaged, 1);
    start_with_keys(50); /* the new key was stored */
    check_key(RM_KEY_NM, 90);
    CU_ASSERT_EQUAL(w.damaged, 0);
    world_free(&w);
}

#define RIGHT "0102030405060708090a0b0c0d0e0f1011121314"

static void test_damage(void)
{
    check_damaged("m2 7 40:" RIGHT " ");
    check_damaged("m1 7 40:" RIGHT "  ");
    check_damaged("m1 7 38:0102030405060708090a0b0c0d0e0f10111213 ");
    check_damaged("m1 7 40:g102030405060708090a0b0c0d0e0f1011121314 ");
    check_damaged("m1 4294967296 40:" RIGHT " ");
    check_damaged("m1 7 ");
}

static void test_no_keys_unless_handed_out(void)
{
    world_init(&w, "fifo");
    start_with_keys(10);
    w.conf.hands_out_keys = false;
    world_crash(&w, w.journal_n);
    for (int k = 0; k < RM_MASTER_KEYS; k++)
        CU_ASSERT_PTR_NULL(rm_master_key(w.core, (enum rm_master_key_kind)k));
    start_with_keys(90); /* those in the store are kept until then */
    check_key(RM_KEY_AMRM, 10);
    world_free(&w);
    world_init(&w, "fifo");
    world_crash(&w, w.journal_n);
    CU_ASSERT_PTR_NULL(key_record("amrm"));
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"the keys are the same after each start", test_same_after_each_start},
    {"a damaged record costs one key", test_damage},
    {"there are no keys unless they are handed out", test_no_keys_unless_handed_out},
};
CUNIT_MAIN("core_master_keys", cases)
