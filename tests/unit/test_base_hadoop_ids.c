/* Goal: tokens for masters and nodes are those of Hadoop. Method: identifiers that a real
 * YARN 3.4.2 has handed out, read and written again, with its keys and passwords; damaged ones. */
#include "tests/unit/cunit_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto/hex.h"
#include "base/hadoop/identifiers.h"
#include "base/hadoop/master_key.h"

struct golden {
    const char *identifier, *key, *password; /* hex */
};
/* An application without ids for its requests (MapReduce), and one with them (Spark), whose keys
 * have negative numbers. */
static const struct golden containers[] = {
    {"0a11120d0a09080110c48a8599a03410011801120f6c6f63616c686f73743a32313032301a04726f"
     "6f74222b08800810011a140a096d656d6f72792d6d621080081a024d6920001a0e0a0676636f7265"
     "7310011a00200028fd85aa99a03430b8f9dfe50438c48a8599a0344202080048b9b68599a0345a00"
     "60016801700078ffffffffffffffffff01",
     "65501ad07683766c", "72e8fab86fd3ab56545a716d252b94521a32f87f"},
    {"0a11120d0a0908021098dd8799a03410011803120f6c6f63616c686f73743a32313032301a04726f"
     "6f74222b08800810011a140a096d656d6f72792d6d621080081a024d6920001a0e0a0676636f7265"
     "7310011a002000289deeae99a03430acdcf2d8fbffffffff013898dd8799a0344202080048cc9a8a"
     "99a0345a006002680170007800",
     "0d0c28074eba060e", "6a1383b3d28989a96470e185d1b76e101dfef013"}};
static const struct golden nodes[] = {
    {"0a0d0a09080110c48a8599a0341001120f0a096c6f63616c686f73741092a4011a04726f6f7420c1"
     "8cceee01",
     "a0eb71186c17cba9", "ce727995352fd65d55e3dc4d4c7cfab923b7e599"},
    {"0a0d0a0908011098dd8799a0341001120f0a096c6f63616c686f73741092a4011a04726f6f7420af"
     "f48581f8ffffffff01",
     "d729c94f1cced51c", "b5490c3a1e3b7e38574a5ab8ed52a786cfcfd7c4"}};
/* The first attempt of application_1700000000000_0007, with the key 01 02 .. 08 of number 1. */
static const struct golden amrm = {"0a0d0a0908071080d095ffbc3110011001", "0102030405060708",
                                   "a0130c76265db34bf15583e24ff01eec0de0a8c5"};

static size_t decode(const char *hex, unsigned char out[static 1024])
{
    CU_ASSERT_FATAL(base_hex_decode(hex, out, strlen(hex) / 2));
    return strlen(hex) / 2;
}

static void check_password(const struct golden *g)
{
    unsigned char id[1024], key[1024], password[1024];
    size_t len = decode(g->identifier, id), key_len = decode(g->key, key);
    size_t password_len = decode(g->password, password);

    CU_ASSERT_TRUE(base_hadoop_check_password(key, key_len, id, len, password, password_len));
    CU_ASSERT_FALSE(base_hadoop_check_password(key, key_len, id, len, password, password_len - 1));
    CU_ASSERT_FALSE(base_hadoop_check_password(key, key_len - 1, id, len, password, password_len));
    id[3] ^= 1;
    CU_ASSERT_FALSE(base_hadoop_check_password(key, key_len, id, len, password, password_len));
}

static void check_written(const struct golden *g, struct base_buf *written)
{
    unsigned char id[1024];
    size_t len = decode(g->identifier, id);

    CU_ASSERT(written->len == len && memcmp(written->data, id, len) == 0);
    base_buf_free(written);
}

static void test_containers(void)
{
    for (size_t i = 0; i < 2; i++) {
        struct base_hadoop_container_id id;
        struct base_buf out = {0};
        unsigned char bytes[1024];
        size_t len = decode(containers[i].identifier, bytes);

        CU_ASSERT_TRUE_FATAL(base_hadoop_container_id_read(bytes, len, &id));
        CU_ASSERT_STRING_EQUAL(id.node, "localhost:21020");
        CU_ASSERT_STRING_EQUAL(id.submitter, "root");
        CU_ASSERT_STRING_EQUAL(id.label, "");
        CU_ASSERT_EQUAL(id.container.attempt.attempt, 1);
        CU_ASSERT_EQUAL(id.container.attempt.app.seq, (int)i + 1);
        CU_ASSERT_EQUAL(id.container.num, i ? 3 : 1);
        CU_ASSERT_EQUAL(id.rm_identifier, i ? 1795348885144 : 1795348841796);
        CU_ASSERT_EQUAL(id.memory_mb, 1024);
        CU_ASSERT_EQUAL(id.vcores, 1);
        CU_ASSERT_EQUAL(id.key_id, i ? -1155748308 : 1287126200);
        CU_ASSERT_EQUAL(id.is_master, i == 0);
        CU_ASSERT_EQUAL(id.allocation, i ? 0 : BASE_HADOOP_NO_ALLOCATION);
        CU_ASSERT_TRUE(id.expiry_ms - id.created_ms > 590000);
        base_hadoop_container_id_add(&id, &out);
        check_written(&containers[i], &out);
        check_password(&containers[i]);
    }
}

static void test_nodes(void)
{
    for (size_t i = 0; i < 2; i++) {
        struct base_hadoop_nm_id id;
        struct base_buf out = {0};
        unsigned char bytes[1024];
        size_t len = decode(nodes[i].identifier, bytes);

        CU_ASSERT_TRUE_FATAL(base_hadoop_nm_id_read(bytes, len, &id));
        CU_ASSERT_STRING_EQUAL(id.host, "localhost");
        CU_ASSERT_EQUAL(id.port, 21010);
        CU_ASSERT_STRING_EQUAL(id.submitter, "root");
        CU_ASSERT_EQUAL(id.key_id, i ? -2145289681 : 500401729);
        base_hadoop_nm_id_add(&id, &out);
        check_written(&nodes[i], &out);
        check_password(&nodes[i]);
    }
}

static void test_amrm(void)
{
    struct base_hadoop_amrm_id id = {{{1700000000000, 7}, 1}, 1}, read;
    struct base_buf out = {0};
    unsigned char bytes[1024];
    size_t len = decode(amrm.identifier, bytes);

    CU_ASSERT_TRUE_FATAL(base_hadoop_amrm_id_read(bytes, len, &read));
    CU_ASSERT_EQUAL(base_app_id_cmp(&read.attempt.app, &id.attempt.app), 0);
    CU_ASSERT_EQUAL(read.attempt.attempt, 1);
    CU_ASSERT_EQUAL(read.key_id, 1);
    base_hadoop_amrm_id_add(&id, &out);
    check_written(&amrm, &out);
    check_password(&amrm);
    CU_ASSERT_TRUE_FATAL(base_hadoop_amrm_id_read(bytes, len - 2, &read)); /* names no key */
    CU_ASSERT_EQUAL(read.key_id, -1);
}

/* Goal: no identifier is read out of bytes that are cut off, or hold a text that does not fit. */
static void test_damaged(void)
{
    struct base_hadoop_container_id id;
    struct base_hadoop_nm_id node;
    struct base_hadoop_amrm_id attempt;
    struct base_buf out = {0};
    unsigned char bytes[1024];
    size_t len = decode(containers[0].identifier, bytes);

    CU_ASSERT_FALSE(base_hadoop_container_id_read(bytes, 0, &id));
    CU_ASSERT_FALSE(base_hadoop_container_id_read(bytes, 17, &id)); /* no number */
    CU_ASSERT_FALSE(base_hadoop_container_id_read(bytes, len - 1, &id));
    CU_ASSERT_FALSE(base_hadoop_nm_id_read(bytes, 0, &node));
    CU_ASSERT_FALSE(base_hadoop_amrm_id_read(bytes, 0, &attempt));

    base_buf_add(&out, bytes, 19);         /* the container */
    base_buf_add(&out, "\x12\x90\x02", 3); /* the node, of BASE_HADOOP_TEXT_MAX bytes */
    for (int i = 0; i < BASE_HADOOP_TEXT_MAX; i++)
        base_buf_adds(&out, "n");
    CU_ASSERT_FALSE(base_hadoop_container_id_read(out.data, out.len, &id));
    out.data[20] = (char)0x8f; /* one byte less */
    CU_ASSERT_TRUE(base_hadoop_container_id_read(out.data, out.len - 1, &id));
    out.data[25] = (char)0xff; /* no UTF-8 */
    CU_ASSERT_FALSE(base_hadoop_container_id_read(out.data, out.len - 1, &id));
    base_buf_free(&out);
}

/* The keys were computed by Python's hmac, from the formula in the header. */
static void test_derived_keys(void)
{
    static const struct {
        const char *kind, *hex;
        int32_t id;
    } keys[] = {{BASE_HADOOP_KEY_OF_AMRM, "4f694a3dc7ae9097400a6ce4c5a6ff1b19c64abb", -5},
                {BASE_HADOOP_KEY_OF_NM, "45f66ef7ef9a2cb07dd33d824b77db5746750f05", -5},
                {BASE_HADOOP_KEY_OF_HADOOP_NM, "8a305f274b01bbbab65a17384ceeae6300f02fe3", -5},
                {BASE_HADOOP_KEY_OF_NM, "8ce3fb4aaf0fe0eed34955a078c3f561d3c0d2b1", 7}};
    unsigned char salt[BASE_HADOOP_MASTER_KEY_BYTES], key[BASE_HADOOP_MASTER_KEY_BYTES];
    struct base_key secret = {.id = "s"};
    char hex[2 * sizeof key + 1];

    for (unsigned char i = 0; i < sizeof secret.bytes; i++)
        secret.bytes[i] = i;
    for (unsigned char i = 0; i < sizeof salt; i++)
        salt[i] = (unsigned char)(100 + i);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        base_hadoop_derive_master_key(&secret, keys[i].kind, keys[i].id, salt, key);
        CU_ASSERT_STRING_EQUAL(base_hex_encode(key, sizeof key, hex), keys[i].hex);
    }
}

static const struct cunit_case cases[] = {{"containers", test_containers},
                                          {"nodes", test_nodes},
                                          {"attempts", test_amrm},
                                          {"damaged", test_damaged},
                                          {"derived keys", test_derived_keys}};
CUNIT_MAIN("identifiers of Hadoop's tokens", cases)
