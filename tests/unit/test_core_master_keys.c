/* Goal: the keys of masters' tokens are stored, and the same after every start; there are none
 * unless they are handed out; a damaged record costs one kind of key. The store has no key where
 * there is a secret. Keys are replaced when they are old or the secret was replaced: nodes and
 * masters learn of it before, what was handed out earlier stays good, and a restart at any moment
 * changes nothing. Method: a small world with keys, crashed and started again, with a virtual
 * clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/admin/master_keys.h"
#include "tests/unit/core_masters.h"

static const char *secret = ""; /* of new keys */
static char secret_gone[8];     /* a secret that the daemons do not have any more */

/* Stands for the derivation of a key: each byte of the salt, xor 0x55. */
static bool derive(void *ctx, enum rm_master_key_kind kind, const struct rm_master_key *key,
                   unsigned char out[static RM_MASTER_KEY_BYTES])
{
    (void)ctx;
    (void)kind;
    if (strcmp(key->secret, secret_gone) == 0)
        return false;
    for (int i = 0; i < RM_MASTER_KEY_BYTES; i++)
        out[i] = key->salt[i] ^ 0x55;
    return true;
}

static void make_keys(int first, struct rm_master_key *out)
{
    for (int k = 0; k < RM_MASTER_KEYS; k++) {
        out[k].id = -first - k;
        snprintf(out[k].secret, sizeof out[k].secret, "%s", secret);
        memset(out[k].salt, first + k, RM_MASTER_KEY_BYTES);
        out[k].salt[0] = 0xfe;
        if (*secret)
            derive(NULL, 0, &out[k], out[k].bytes);
        else
            memcpy(out[k].bytes, out[k].salt, RM_MASTER_KEY_BYTES);
    }
}

static void give_keys(struct rm_core_conf *conf, int first)
{
    conf->hands_out_keys = true;
    conf->derive_key = derive;
    conf->amrm_roll_us = conf->nm_roll_us = conf->container_roll_us = 1000 * S;
    conf->am_expiry_us = 200 * S;
    conf->node_expiry_us = 100 * S;
    conf->allocation_expiry_us = 100 * S;
    make_keys(first, conf->new_keys);
}

/* What the shell does from time to time. */
static void offer_keys(int first)
{
    struct rm_master_key fresh[RM_MASTER_KEYS] = {0};
    struct rm_event ev = {.kind = RM_EV_ROLL_MASTER_KEYS, .u.roll_master_keys.fresh = fresh};

    make_keys(first, fresh);
    world_step(&w, &ev);
}

/* Checks that @kind is the key that give_keys(@first) has made. */
static void check_key(enum rm_master_key_kind kind, int first)
{
    const struct rm_master_key *key = rm_master_key(w.core, kind);

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    CU_ASSERT_EQUAL(key->id, -first - (int)kind);
    CU_ASSERT_EQUAL(key->bytes[0], 0xfe ^ (*key->secret ? 0x55 : 0));
    for (int i = 1; i < RM_MASTER_KEY_BYTES; i++)
        CU_ASSERT_EQUAL(key->bytes[i], (first + (int)kind) ^ (*key->secret ? 0x55 : 0));
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

#define RIGHT      "0102030405060708090a0b0c0d0e0f1011121314"
#define KEY(place) place " 7 1:s 40:" RIGHT " "

static void test_damage(void)
{
    check_damaged("m3 7 40:" RIGHT " ");
    check_damaged("m1 7 40:" RIGHT "  ");
    check_damaged("m1 7 38:0102030405060708090a0b0c0d0e0f10111213 ");
    check_damaged("m1 7 40:g102030405060708090a0b0c0d0e0f1011121314 ");
    check_damaged("m1 4294967296 40:" RIGHT " ");
    check_damaged("m1 7 ");
    check_damaged("m2 1 2 0 ");
    check_damaged("m2 1 2 1 " KEY("1")); /* no current key */
    check_damaged("m2 1 2 1 " KEY("3")); /* no such place */
    check_damaged("m2 1 2 2 " KEY("0")); /* one is missing */
    check_damaged("m2 1 2 4 " KEY("0") KEY("1") KEY("2") KEY("2"));
    check_damaged("m2 1 2 1 0 7 32:0123456789abcdef0123456789abcdef 40:" RIGHT " ");
}

static void test_record_of_earlier_version(void)
{
    struct world_record *r;
    const struct rm_master_key *key;

    world_init(&w, "fifo");
    start_with_keys(10);
    r = key_record("nm");
    free(r->data);
    r->data = base_strdup("m1 -7 40:" RIGHT " ");
    r->len = strlen(r->data);
    start_with_keys(90);
    key = rm_master_key(w.core, RM_KEY_NM);
    CU_ASSERT_EQUAL(key->id, -7);
    CU_ASSERT_STRING_EQUAL(key->secret, "");
    CU_ASSERT_EQUAL(key->bytes[19], 0x14);
    offer_keys(50); /* its age is unknown: it is replaced */
    CU_ASSERT_PTR_NOT_NULL(rm_master_key_waiting(w.core, RM_KEY_NM));
    CU_ASSERT_PTR_NULL(rm_master_key_waiting(w.core, RM_KEY_CONTAINER));
    world_free(&w);
}

static void test_store_has_no_key(void)
{
    world_init(&w, "fifo");
    secret = "s1";
    start_with_keys(10);
    for (int k = 0; k < RM_MASTER_KEYS; k++)
        check_key((enum rm_master_key_kind)k, 10);
    CU_ASSERT_PTR_NOT_NULL(strstr(key_record("nm")->data, "2:s1 40:fe0b0b0b"));
    CU_ASSERT_PTR_NOT_NULL(strstr(key_record("hadoop-nm")->data, "2:s1 40:fe0d0d0d"));
    start_with_keys(90);
    for (int k = 0; k < RM_MASTER_KEYS; k++)
        check_key((enum rm_master_key_kind)k, 10);
    strcpy(secret_gone, "s1"); /* the keys cannot be computed any more: there are new ones */
    secret = "s2";
    start_with_keys(90);
    for (int k = 0; k < RM_MASTER_KEYS; k++)
        check_key((enum rm_master_key_kind)k, 90);
    secret_gone[0] = '\0';
    secret = "";
    world_free(&w);
}

static void check_ids(const struct world_node *n, size_t number, int32_t first, int32_t second)
{
    CU_ASSERT_EQUAL_FATAL(n->nm_keys_n, number);
    CU_ASSERT_EQUAL(n->nm_keys[0], first);
    if (number > 1)
        CU_ASSERT_EQUAL(n->nm_keys[1], second);
}

/* Makes the NM key -11 wait to be replaced by -51. */
static void begin_roll_of_nm_key(void)
{
    world_init(&w, "fifo");
    start_with_keys(10);
    world_add_node(&w, 4, 2, "/a");
    check_ids(&w.nodes[0], 1, -11, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].answers_with_keys, 1); /* that of the registration */
    world_advance(&w, 999 * S);
    offer_keys(30);
    CU_ASSERT_PTR_NULL(rm_master_key_waiting(w.core, RM_KEY_NM));
    world_advance(&w, 1 * S);
    w.nodes[0].registered = false; /* it was silent for long */
    world_register(&w, &w.nodes[0]);
    offer_keys(50);
    check_key(RM_KEY_NM, 10);
    check_key(RM_KEY_AMRM, 50);
    CU_ASSERT_EQUAL(rm_master_key_find(w.core, RM_KEY_AMRM, -10)->id, -10);
}

static void test_nodes_learn_of_a_new_key(void)
{
    struct world_node *n = &w.nodes[0];
    size_t before;

    begin_roll_of_nm_key();
    world_beat(&w, n, 0);
    check_ids(n, 2, -11, -51);
    n->nm_keys_n = 0;
    world_repeat(&w, n); /* the answer was lost */
    check_ids(n, 2, -11, -51);
    before = n->answers_with_keys;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->answers_with_keys, before);
    world_advance(&w, 90 * S);
    world_beat(&w, n, 0);
    world_advance(&w, 59 * S);
    offer_keys(60);
    check_key(RM_KEY_NM, 10); /* 1.5 times the time after which a node is lost */
    world_advance(&w, 1 * S);
    offer_keys(60);
    check_key(RM_KEY_NM, 50);
    world_beat(&w, n, 0);
    check_ids(n, 2, -51, -11); /* the previous key is good */
    CU_ASSERT_EQUAL(rm_master_key_find(w.core, RM_KEY_NM, -11)->id, -11);
    CU_ASSERT_PTR_NULL(rm_master_key_find(w.core, RM_KEY_NM, -61));
    CU_ASSERT_EQUAL(rm_master_key_find(w.core, RM_KEY_AMRM, -10)->id, -10);
    world_advance(&w, 150 * S); /* 300 s: 1.5 times the time after which a master is lost */
    offer_keys(60);
    check_key(RM_KEY_AMRM, 50);
    CU_ASSERT_PTR_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_free(&w);
}

/* A NodeManager of Hadoop is told of the current key, and of one that waits. */
static void test_hadoop_nodes_learn_of_a_new_key(void)
{
    struct world_node *n;

    begin_roll_of_nm_key();
    n = world_add_hadoop_node(&w, 4, 2, "/a");
    check_ids(n, 2, -13, -53);
    world_beat(&w, n, 0);
    check_ids(n, 2, -13, -53);
    CU_ASSERT_EQUAL(n->container_key_id, -14);
    world_advance(&w, 150 * S);
    offer_keys(60);
    check_key(RM_KEY_HADOOP_NM, 50);
    world_register(&w, n);
    check_ids(n, 1, -53, 0);
    world_beat(&w, n, 0);
    check_ids(n, 1, -53, 0);
    CU_ASSERT_EQUAL(n->container_key_id, -54);
    world_free(&w);
}

static void test_restart_while_a_key_waits(void)
{
    begin_roll_of_nm_key();
    start_with_keys(90);
    check_key(RM_KEY_NM, 10);
    CU_ASSERT_EQUAL(rm_master_key_waiting(w.core, RM_KEY_NM)->id, -51);
    world_register(&w, &w.nodes[0]);
    check_ids(&w.nodes[0], 2, -11, -51);
    world_advance(&w, 150 * S);
    offer_keys(70);
    check_key(RM_KEY_NM, 50);
    start_with_keys(90);
    check_key(RM_KEY_NM, 50);
    CU_ASSERT_EQUAL(rm_master_key_find(w.core, RM_KEY_NM, -11)->id, -11);
    world_register(&w, &w.nodes[0]);
    check_ids(&w.nodes[0], 2, -51, -11);
    world_free(&w);
}

/* No ResourceManager ran until long after the date of the key that waits: masters that have the
 * current one alone get the whole delay to learn of it. */
static void test_restart_after_the_date(void)
{
    begin_roll_of_nm_key();
    world_advance(&w, 5000 * S);
    start_with_keys(90);
    offer_keys(70);
    check_key(RM_KEY_NM, 10);
    check_key(RM_KEY_AMRM, 50);
    CU_ASSERT_PTR_NOT_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_advance(&w, 299 * S);
    offer_keys(70);
    check_key(RM_KEY_NM, 50); /* its delay is shorter */
    CU_ASSERT_PTR_NOT_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_advance(&w, 1 * S);
    offer_keys(70);
    CU_ASSERT_PTR_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_free(&w);
}

/* The store is away for longer than the delay. */
static void test_delay_begins_when_durable(void)
{
    world_init(&w, "fifo");
    start_with_keys(10);
    world_advance(&w, 1000 * S);
    w.auto_store = false;
    offer_keys(50);
    world_advance(&w, 400 * S);
    w.auto_store = true;
    world_settle(&w);
    offer_keys(60);
    check_key(RM_KEY_CONTAINER, 10);
    CU_ASSERT_PTR_NOT_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_advance(&w, 299 * S);
    offer_keys(60);
    CU_ASSERT_PTR_NOT_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_advance(&w, 1 * S);
    offer_keys(60);
    CU_ASSERT_PTR_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -10));
    world_free(&w);
}

static void test_key_counts_when_durable(void)
{
    world_init(&w, "fifo");
    start_with_keys(10);
    world_add_node(&w, 4, 2, "/a");
    world_beat(&w, &w.nodes[0], 0);
    world_advance(&w, 1000 * S);
    world_register(&w, &w.nodes[0]);
    w.auto_store = false;
    offer_keys(50);
    check_key(RM_KEY_AMRM, 10);
    world_beat(&w, &w.nodes[0], 0);
    check_ids(&w.nodes[0], 1, -11, 0);
    CU_ASSERT_PTR_NULL(rm_master_key_find(w.core, RM_KEY_AMRM, -50));
    w.auto_store = true;
    world_settle(&w);
    check_key(RM_KEY_AMRM, 50);
    world_beat(&w, &w.nodes[0], 0);
    check_ids(&w.nodes[0], 2, -11, -51);
    world_free(&w);
}

static void test_new_secret_brings_new_keys(void)
{
    secret = "s1";
    world_init(&w, "fifo");
    start_with_keys(10);
    secret = "s2"; /* the secret has two keys now */
    offer_keys(30);
    CU_ASSERT_PTR_NULL(rm_master_key_waiting(w.core, RM_KEY_CONTAINER));
    strcpy(secret_gone, "s1");
    offer_keys(50);
    CU_ASSERT_EQUAL(rm_master_key_waiting(w.core, RM_KEY_CONTAINER)->id, -52);
    secret = "s1";
    check_key(RM_KEY_CONTAINER, 10); /* it stays in memory */
    secret = "s2";
    world_advance(&w, 150 * S);
    offer_keys(60);
    check_key(RM_KEY_CONTAINER, 50);
    CU_ASSERT_STRING_EQUAL(rm_master_key(w.core, RM_KEY_CONTAINER)->secret, "s2");
    offer_keys(70);
    CU_ASSERT_PTR_NULL(rm_master_key_waiting(w.core, RM_KEY_CONTAINER));
    secret = "";
    secret_gone[0] = '\0';
    world_free(&w);
}

/* Starts an application on one node, whose master registers over Hadoop RPC. */
static void begin_master_over_rpc(void)
{
    struct rm_event ev = {0};

    world_add_node(&w, 4, 2, "/a");
    id = world_submit_app(&w, "app 1024 2 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    ev.u.am_register.by_rpc = true;
    ev.u.am_register.host = "h";
    master(1, RM_EV_AM_REGISTER, &ev);
}

/* The master gets its AMRM token anew while the key waits, and NM tokens when the key was replaced:
 * both again when its request is repeated. */
static void test_masters_learn_of_new_keys(void)
{
    int64_t answered = 1;
    struct rm_ask asks[1];

    world_init(&w, "fifo");
    start_with_keys(10);
    w.hadoop_port = 45454;
    begin_master_over_rpc();
    CU_ASSERT_EQUAL_FATAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    asks[0] = ask("*", 1);
    allocate(0, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.amrm_key, 0);
    world_beat(&w, &w.nodes[0], 0);
    allocate(answered++, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    secret = "s2"; /* the keys get a secret: they are replaced */
    offer_keys(50);
    for (int i = 0; i < 2; i++) {
        allocate(answered++, NULL, 0, NULL, 0);
        CU_ASSERT_EQUAL(w.reply.amrm_key, -50);
        CU_ASSERT_EQUAL(w.reply.renewed_n, 0);
    }
    for (int i = 0; i < 3; i++) {
        world_advance(&w, 50 * S);
        world_beat_all(&w, 0);
        allocate(answered++, NULL, 0, NULL, 0);
    }
    offer_keys(60);
    check_key(RM_KEY_NM, 50);
    for (int i = 0; i < 2; i++) { /* the second time, the request is repeated */
        allocate(answered, NULL, 0, NULL, 0);
        CU_ASSERT_EQUAL_FATAL(w.reply.renewed_n, 1);
        CU_ASSERT_EQUAL(w.reply.renewed[0].hadoop_port, 45454);
        CU_ASSERT_EQUAL(w.reply.amrm_key, -50); /* masters may be silent for longer than nodes */
    }
    allocate(++answered, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.renewed_n, 0);
    secret = "";
    world_free(&w);
}

static void test_keys_of_ended_attempts(void)
{
    struct base_attempt_id attempt;
    struct rm_master_key key;

    world_init(&w, "fifo");
    start_with_keys(10);
    begin_master_over_rpc();
    attempt = (struct base_attempt_id){id, 1};
    CU_ASSERT_EQUAL(rm_view_amrm_key(w.core, &attempt, -10, &key), 0);
    finish(RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(rm_view_amrm_key(w.core, &attempt, -10, &key), 0); /* it may ask again */
    end_master(0);
    CU_ASSERT_EQUAL(rm_view_amrm_key(w.core, &attempt, -10, &key), -BASE_ENOTFOUND);
    world_free(&w);
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
    {"a record of an earlier version counts, and is replaced", test_record_of_earlier_version},
    {"where there is a secret, the store has no key", test_store_has_no_key},
    {"nodes learn of a new key before it is used", test_nodes_learn_of_a_new_key},
    {"so do NodeManagers of Hadoop", test_hadoop_nodes_learn_of_a_new_key},
    {"a restart while a key waits changes nothing", test_restart_while_a_key_waits},
    {"a restart after its date gives it the delay anew", test_restart_after_the_date},
    {"the delay begins when the key is durable", test_delay_begins_when_durable},
    {"a new key counts when it is durable", test_key_counts_when_durable},
    {"a new secret brings new keys", test_new_secret_brings_new_keys},
    {"masters learn of new keys", test_masters_learn_of_new_keys},
    {"keys of attempts that have ended", test_keys_of_ended_attempts},
    {"there are no keys unless they are handed out", test_no_keys_unless_handed_out},
};
CUNIT_MAIN("core_master_keys", cases)
