/* Goal: DIGEST-MD5 agrees with others. Method: the example of RFC 2831, a recorded exchange of a
 * real YARN, and libgsasl as the client; responses that must be refused. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include <gsasl.h>

#include "api/rpc/digest_md5.h"
#include "base/crypto/base64.h"
#include "base/hadoop/token.h"

/* RFC 2831, section 4: the user chris, whose password is "secret". */
static void test_rfc_example(void)
{
    static const char response[] =
        "charset=utf-8,username=\"chris\",realm=\"elwood.innosoft.com\",nonce=\"OA6MG9tEQGm2hh\","
        "nc=00000001,cnonce=\"OA6MHXh6VqTrRk\",digest-uri=\"imap/elwood.innosoft.com\","
        "response=d388dad90d4bbd760a152321f2143af7,qop=auth";
    struct api_rpc_digest d;
    char value[BASE_MD5_HEX];

    CU_ASSERT(api_rpc_digest_parse(response, strlen(response), &d));
    CU_ASSERT(api_rpc_digest_compute(&d, "secret", "AUTHENTICATE", value));
    CU_ASSERT_STRING_EQUAL(value, "d388dad90d4bbd760a152321f2143af7");
    CU_ASSERT(api_rpc_digest_compute(&d, "secret", "", value));
    CU_ASSERT_STRING_EQUAL(value, "ea40f60335c427b5527b84dbabcdfffd");
    api_rpc_digest_free(&d);
}

#define NONCE    "MFs5OTlBM2xFRDZ"
#define IDENTITY "Cg0KCQgHEIDQlf+8MRABEAE="
#define PASSWORD "oBMMdiZds0vxVYPiT/Ae7A3gqMU="

/* Lets libgsasl answer our challenge. Returns its response, which the caller frees, and leaves the
 * session open, for the server's last word. */
static char *respond(Gsasl *gsasl, Gsasl_session **session, const char *password)
{
    struct base_buf challenge = {0};
    char *out = NULL, *copy;
    size_t len = 0;

    api_rpc_digest_add_challenge(&challenge, NONCE);
    CU_ASSERT_EQUAL_FATAL(gsasl_client_start(gsasl, "DIGEST-MD5", session), GSASL_OK);
    gsasl_property_set(*session, GSASL_AUTHID, IDENTITY);
    gsasl_property_set(*session, GSASL_PASSWORD, password);
    gsasl_property_set(*session, GSASL_SERVICE, "");
    gsasl_property_set(*session, GSASL_HOSTNAME, API_RPC_REALM);
    CU_ASSERT_EQUAL_FATAL(gsasl_step(*session, challenge.data, challenge.len, &out, &len),
                          GSASL_NEEDS_MORE);
    copy = base_strndup(out, len);
    gsasl_free(out);
    base_buf_free(&challenge);
    return copy;
}

static void test_libgsasl(void)
{
    Gsasl *gsasl = NULL;

    CU_ASSERT_EQUAL_FATAL(gsasl_init(&gsasl), GSASL_OK);
    for (int right = 0; right < 2; right++) {
        Gsasl_session *session = NULL;
        char *response = respond(gsasl, &session, right ? PASSWORD : "wrong"), *none = NULL;
        struct base_buf result = {0};
        struct api_rpc_digest d;
        size_t len = 0;

        CU_ASSERT(api_rpc_digest_parse(response, strlen(response), &d));
        CU_ASSERT_STRING_EQUAL(d.username, IDENTITY);
        CU_ASSERT_EQUAL(api_rpc_digest_check(&d, NONCE, PASSWORD, &result), right == 1);
        if (right) {
            /* libgsasl knows us by the result */
            CU_ASSERT_EQUAL(gsasl_step(session, result.data, result.len, &none, &len), GSASL_OK);
            gsasl_free(none);
            /* the same response to another challenge */
            CU_ASSERT(!api_rpc_digest_check(&d, "other", PASSWORD, &result));
        } else {
            CU_ASSERT_EQUAL(result.len, 0);
        }
        base_buf_free(&result);
        api_rpc_digest_free(&d);
        free(response);
        gsasl_finish(session);
    }
    gsasl_done(gsasl);
}

#define BEFORE "username=\"u\",realm=\"default\",nonce=\"n\",cnonce=\"c\",digest-uri=\"/default\","
#define R      "response=0123456789abcdef0123456789abcdef"

static void test_responses(void)
{
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {BEFORE R ",nc=00000001,qop=auth", true},
        {BEFORE R ",nc=00000001", true}, /* auth is the default */
        {"  " BEFORE R " , nc=00000001,,unknown=\"x\\\"y\"", true},
        {BEFORE R ",nc=00000002,qop=auth", false},
        {BEFORE R ",qop=auth", false}, /* no nc */
        {BEFORE R ",nc=00000001,nc=00000001", false},
        {BEFORE R ",nc=00000001,qop=auth-conf", false},
        {BEFORE R ",nc=00000001,realm=\"default\"", false},
        {BEFORE "nc=00000001", false}, /* no response */
        {BEFORE R ",nc=00000001,x=\"open", false},
        {BEFORE R ",nc=00000001,x=\"y\"z", false},
        {BEFORE R ",nc=00000001,x", false},
        {BEFORE R ",nc=00000001,=x", false},
        {BEFORE R ",nc=00000001,x=\"\\", false},
        {"", false},
    };
    struct api_rpc_digest none;

    CU_ASSERT(!api_rpc_digest_parse(NULL, 0, &none)); /* an empty field of a message */
    api_rpc_digest_free(&none);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct api_rpc_digest d;

        CU_ASSERT_EQUAL(api_rpc_digest_parse(cases[i].text, strlen(cases[i].text), &d),
                        cases[i].good);
        api_rpc_digest_free(&d);
    }
}

/* Another realm or another service is not ours, even if the arithmetic is right. */
static void test_other_realm_or_service(void)
{
    static const char *const texts[] = {
        "username=\"u\",realm=\"%s\",nonce=\"n\",cnonce=\"c\",digest-uri=\"/default\",nc=00000001,"
        "response=%s",
        "username=\"u\",realm=\"default\",nonce=\"n\",cnonce=\"c\",digest-uri=\"%s\",nc=00000001,"
        "response=%s"};
    static const char *const values[2][2] = {{"default", "elsewhere"}, {"/default", "hdfs/x"}};

    for (int i = 0; i < 4; i++) {
        char text[300], value[BASE_MD5_HEX];
        struct base_buf result = {0};
        struct api_rpc_digest d;

        for (int pass = 0; pass < 2; pass++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, texts[i / 2], values[i / 2][i % 2], pass ? value : "-");
#pragma GCC diagnostic pop
            CU_ASSERT(api_rpc_digest_parse(text, strlen(text), &d));
            if (pass) {
                CU_ASSERT_EQUAL(api_rpc_digest_check(&d, "n", "p", &result), i % 2 == 0);
            } else {
                CU_ASSERT(api_rpc_digest_compute(&d, "p", "AUTHENTICATE", value));
            }
            api_rpc_digest_free(&d);
        }
        base_buf_free(&result);
    }
}

/* The key of a token needs the cluster's secret besides the digest, which the store has. */
static void test_key_of_token(void)
{
    struct base_key of_cluster = {.id = "k", .bytes = {1}};
    char key[BASE_SHA256_HEX], other[BASE_SHA256_HEX];

    base_hadoop_token_compute_key(&of_cluster, "ab", key);
    base_hadoop_token_compute_key(&of_cluster, "ac", other);
    CU_ASSERT(strcmp(key, other) != 0 && strlen(key) == 64);
    of_cluster.bytes[0] = 2;
    base_hadoop_token_compute_key(&of_cluster, "ab", other);
    CU_ASSERT(strcmp(key, other) != 0);
}

/* The file by which Hadoop's clients find a token, and its identifier, byte for byte. */
static void test_credentials_file(void)
{
    static const unsigned char identifier[] = {
        0x0a, 3,    'a',  'n',  'n',  0x12, 1,    'k',  0x1a, 0,    0x20, 1, 0x28, 0x80,
        1,    0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x38, 2};
    struct base_buf id = {0}, file = {0}, expected = {0};
    unsigned char password[BASE_SHA256_BYTES], other[BASE_SHA256_BYTES];
    char service[200];

    base_hadoop_token_add_identifier(&id, "ann", "k", UINT64_C(0xffffffff00000002), 1, 128);
    CU_ASSERT_EQUAL_FATAL(id.len, sizeof identifier);
    CU_ASSERT(memcmp(id.data, identifier, id.len) == 0);
    base_hadoop_token_compute_password("ab", id.data, id.len, password);
    base_hadoop_token_compute_password("ac", id.data, id.len, other);
    CU_ASSERT(memcmp(password, other, sizeof password) != 0);
    memset(service, 's', sizeof service); /* its length, 199, takes two bytes */
    service[sizeof service - 1] = '\0';
    base_hadoop_credentials_add(&file, &id, password, service);
    base_buf_add(&expected, "HDTS\0\1\x8f\xc7", 8);
    base_buf_adds(&expected, service);
    base_buf_add(&expected, &(uint8_t){sizeof identifier}, 1);
    base_buf_add(&expected, identifier, sizeof identifier);
    base_buf_add(&expected, "\x20", 1);
    base_buf_add(&expected, password, sizeof password);
    base_buf_adds(&expected, "\x13RM_DELEGATION_TOKEN\x8f\xc7");
    base_buf_adds(&expected, service);
    base_buf_add(&expected, "\0", 1);
    CU_ASSERT_EQUAL_FATAL(file.len, expected.len);
    CU_ASSERT(memcmp(file.data, expected.data, file.len) == 0);
    base_buf_free(&id);
    base_buf_free(&file);
    base_buf_free(&expected);
}

static const struct cunit_case cases[] = {
    {"example of RFC 2831", test_rfc_example},
    {"libgsasl", test_libgsasl},
    {"responses", test_responses},
    {"other realm or service", test_other_realm_or_service},
    {"key of a token", test_key_of_token},
    {"credentials file", test_credentials_file},
};
CUNIT_MAIN("Hadoop RPC: DIGEST-MD5", cases)
