/* Goal: digests and codes are those of the standards, hex digits are read strictly, and secrets
 * are compared as a whole. */
#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "cunit_main.h"

/* FIPS 180-4: the examples that NIST publishes with it. */
static void test_digests(void)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    unsigned char sha1[BASE_SHA1_BYTES];
    char hex[BASE_SHA256_HEX];

    CU_ASSERT_STRING_EQUAL(base_sha256_hex("", 0, hex),
                           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CU_ASSERT_STRING_EQUAL(base_sha256_hex("abc", 3, hex),
                           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CU_ASSERT_STRING_EQUAL(base_sha256_hex(two_blocks, sizeof two_blocks - 1, hex),
                           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    base_sha1("abc", 3, sha1);
    CU_ASSERT_STRING_EQUAL(base_hex_encode(sha1, sizeof sha1, hex),
                           "a9993e364706816aba3e25717850c26c9cd0d89d");
}

static void fill(unsigned char *bytes, unsigned char value, size_t len)
{
    memset(bytes, value, len);
}

/* RFC 4231, section 4: test cases 1 to 4, 6 and 7 (5 is a truncated code). */
static void test_hmac(void)
{
    static const char long_text[] =
        "This is a test using a larger than block-size key and a larger than block-size data. The "
        "key needs to be hashed before being used by the HMAC algorithm.";
    static const char long_key_text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    unsigned char key1[20], key3[20], data3[50], key4[25], data4[50], key6[131];
    const struct {
        const void *key;
        size_t key_len;
        const void *data;
        size_t len;
        const char *mac;
    } cases[] = {
        {key1, sizeof key1, "Hi There", 8,
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", 4, "what do ya want for nothing?", 28,
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {key3, sizeof key3, data3, sizeof data3,
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {key4, sizeof key4, data4, sizeof data4,
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {key6, sizeof key6, long_key_text, sizeof long_key_text - 1,
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {key6, sizeof key6, long_text, sizeof long_text - 1,
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };

    fill(key1, 0x0b, sizeof key1);
    fill(key3, 0xaa, sizeof key3);
    fill(data3, 0xdd, sizeof data3);
    for (size_t i = 0; i < sizeof key4; i++)
        key4[i] = (unsigned char)(i + 1);
    fill(data4, 0xcd, sizeof data4);
    fill(key6, 0xaa, sizeof key6);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char mac[BASE_SHA256_BYTES];
        char hex[BASE_SHA256_HEX];

        base_hmac_sha256(cases[i].key, cases[i].key_len, cases[i].data, cases[i].len, mac);
        CU_ASSERT_STRING_EQUAL(base_hex_encode(mac, sizeof mac, hex), cases[i].mac);
    }
}

static void test_hex(void)
{
    static const unsigned char bytes[] = {0x00, 0x7f, 0x80, 0xfa};
    unsigned char back[4];
    char text[9];

    CU_ASSERT_STRING_EQUAL(base_hex_encode(bytes, sizeof bytes, text), "007f80fa");
    CU_ASSERT(base_hex_decode("007F80fA and more", back, sizeof back));
    CU_ASSERT_EQUAL(memcmp(back, bytes, sizeof bytes), 0);
    CU_ASSERT_FALSE(base_hex_decode("007f80f", back, sizeof back));
    CU_ASSERT_FALSE(base_hex_decode("007f80", back, sizeof back));
    CU_ASSERT_FALSE(base_hex_decode("007f80g0", back, sizeof back));
    CU_ASSERT_FALSE(base_hex_decode("007f 0fa", back, sizeof back));
    CU_ASSERT_FALSE(base_hex_decode("007f80@0", back, sizeof back)); /* one below 'A' */
    CU_ASSERT_FALSE(base_hex_decode("007f80:0", back, sizeof back)); /* one above '9' */
}

static void test_random(void)
{
    char a[33], b[33];

    base_random_hex(a);
    base_random_hex(b);
    CU_ASSERT_EQUAL(strlen(a), 32);
    CU_ASSERT_EQUAL(strspn(a, "0123456789abcdef"), 32);
    CU_ASSERT_STRING_NOT_EQUAL(a, b);
}

static void test_equal(void)
{
    CU_ASSERT(base_secret_equal("secret", "secret"));
    CU_ASSERT(base_secret_equal("", ""));
    CU_ASSERT_FALSE(base_secret_equal("secret", "secreu"));
    /* a secret that repeats another is not equal to it */
    CU_ASSERT_FALSE(base_secret_equal("aa", "a"));
    CU_ASSERT_FALSE(base_secret_equal("", "a"));
    CU_ASSERT_FALSE(base_secret_equal("a", ""));
    CU_ASSERT(base_secret_bytes_equal("a\0b", "a\0b", 3));
    CU_ASSERT_FALSE(base_secret_bytes_equal("a\0b", "a\0c", 3));
    CU_ASSERT_FALSE(base_secret_bytes_equal("b\0b", "a\0b", 3));
    CU_ASSERT(base_secret_bytes_equal("a", "b", 0));
}

static const struct cunit_case cases[] = {
    {"digests", test_digests}, {"hmac", test_hmac},   {"hex", test_hex},
    {"random", test_random},   {"equal", test_equal},
};
CUNIT_MAIN("base_crypto", cases)
