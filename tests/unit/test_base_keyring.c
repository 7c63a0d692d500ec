/* Goal: a secret's file is read only when nobody else can have read or written it; keys are
 * replaced while they are used; a signature is valid only for its own method, target, time, nonce,
 * body, status and key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/container_token.h"
#include "base/crypto/digest.h"
#include "base/crypto/hex.h"
#include "base/crypto/keyring.h"
#include "base/crypto/signature.h"
#include "base/io/io.h"
#include "cunit_main.h"

#define KEY1 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define KEY2 "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static char dir[200];

static const char *at(const char *name)
{
    static char path[2][300];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static const char *put(const char *name, const char *text, mode_t mode)
{
    const char *path = at(name);

    unlink(path);
    CU_ASSERT_EQUAL(base_file_write_atomic(path, text, strlen(text), mode, false, NULL), 0);
    CU_ASSERT_EQUAL(chmod(path, mode), 0);
    return path;
}

static void expect_read(const char *path, int rc, size_t n, const char *says)
{
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    struct base_error err = {0};
    size_t got = 9;

    CU_ASSERT_EQUAL(base_secret_file_read(path, keys, &got, &err), rc);
    CU_ASSERT_EQUAL(rc == 0 ? got : n, n);
    CU_ASSERT_TRUE(!says || strstr(err.text, says));
    if (says && !strstr(err.text, says))
        fprintf(stderr, "%s: %s\n", path, err.text);
}

static void test_file(void)
{
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    char hex[BASE_SHA256_HEX];
    size_t n;

    CU_ASSERT_EQUAL(base_secret_file_read(put("s", KEY1 "\n", 0600), keys, &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 1);
    CU_ASSERT_STRING_EQUAL(base_hex_encode(keys[0].bytes, BASE_KEY_BYTES, hex), KEY1);
    base_sha256_hex(keys[0].bytes, BASE_KEY_BYTES, hex);
    CU_ASSERT_EQUAL(strlen(keys[0].id), 8);
    CU_ASSERT_EQUAL(strncmp(hex, keys[0].id, 8), 0);
    expect_read(put("s", KEY1, 0600), 0, 1, NULL); /* without a newline */
    expect_read(put("s", KEY1 "\n" KEY2 "\n", 0400), 0, 2, NULL);
    expect_read(put("s", KEY1 "\n" KEY2 "\n" KEY1 "\n", 0600), -BASE_EINVAL, 0, "one or two lines");
    expect_read(put("s", "", 0600), -BASE_EINVAL, 0, "one or two lines");
    expect_read(put("s", "\n" KEY1 "\n", 0600), -BASE_EINVAL, 0, "64 hex digits");
    expect_read(put("s", KEY1 "0\n", 0600), -BASE_EINVAL, 0, NULL);
    expect_read(put("s", "secret\n", 0600), -BASE_EINVAL, 0, NULL);
    expect_read(put("s", "g" KEY1, 0600), -BASE_EINVAL, 0, NULL);
}

static void test_others(void)
{
    char *path;

    expect_read(put("s", KEY1 "\n", 0640), -BASE_EPERM, 0, "0640");
    expect_read(put("s", KEY1 "\n", 0604), -BASE_EPERM, 0, "chmod 600");
    expect_read(put("s", KEY1 "\n", 0602), -BASE_EPERM, 0, at("s"));
    expect_read(at("none"), -BASE_ENOTFOUND, 0, "none");
    path = base_printf("%s", put("s", KEY1 "\n", 0600));
    CU_ASSERT_EQUAL(symlink(path, at("link")), 0);
    expect_read(at("link"), -BASE_EPERM, 0, "link");
    expect_read(dir, -BASE_EPERM, 0, NULL);
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(path, 12345, 0), 0);
        expect_read(path, -BASE_EPERM, 0, "belongs to user id 12345");
    }
    free(path);
}

static void test_make(void)
{
    struct base_key one[BASE_SECRET_KEYS_MAX], two[BASE_SECRET_KEYS_MAX];
    char *path = base_printf("%s/deep/er/secret", dir);
    struct stat st;
    size_t n;

    CU_ASSERT_EQUAL(base_secret_file_make(path, NULL), 0);
    CU_ASSERT_EQUAL(base_secret_file_make(path, NULL), -BASE_EEXIST);
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
    CU_ASSERT_EQUAL(st.st_nlink, 1); /* its temporary name is gone */
    CU_ASSERT_EQUAL(base_secret_file_read(path, one, &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 1);
    CU_ASSERT_EQUAL(base_secret_file_rotate(path, true, NULL), 0);
    CU_ASSERT_EQUAL(base_secret_file_read(path, two, &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_STRING_NOT_EQUAL(two[0].id, one[0].id);
    CU_ASSERT_STRING_EQUAL(two[1].id, one[0].id);
    CU_ASSERT_EQUAL(base_secret_file_rotate(path, true, NULL), 0); /* the oldest key goes */
    CU_ASSERT_EQUAL(base_secret_file_read(path, one, &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_STRING_EQUAL(one[1].id, two[0].id);
    CU_ASSERT_EQUAL(base_secret_file_rotate(at("not-there"), true, NULL), -BASE_ENOTFOUND);
    free(path);
}

static void test_refresh(void)
{
    struct base_keyring *k = NULL;
    struct base_key first, second, now;
    struct base_error err = {0};

    put("s", KEY1 "\n", 0600);
    CU_ASSERT_EQUAL_FATAL(base_keyring_open(at("s"), &k, NULL), 0);
    base_keyring_get_signing_key(k, &first);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, NULL), 0);
    put("s", KEY2 "\n" KEY1 "\n", 0600);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, NULL), 1);
    base_keyring_get_signing_key(k, &second);
    CU_ASSERT_STRING_NOT_EQUAL(first.id, second.id);
    CU_ASSERT_TRUE(base_keyring_find(k, first.id, &now));
    CU_ASSERT_EQUAL(memcmp(now.bytes, first.bytes, sizeof now.bytes), 0);
    /* A daemon that still has the old file refuses the new key: from then on the old key signs. A
     * refusal of an unknown key changes nothing. */
    base_keyring_refresh_or_switch_signer(k, "another");
    base_keyring_get_signing_key(k, &now);
    CU_ASSERT_STRING_EQUAL(now.id, second.id);
    base_keyring_refresh_or_switch_signer(k, second.id);
    base_keyring_get_signing_key(k, &now);
    CU_ASSERT_STRING_EQUAL(now.id, first.id);
    /* an invalid file changes nothing */
    put("s", "oops\n", 0600);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, &err), -BASE_EINVAL);
    put("s", KEY2 "\n", 0644);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, &err), -BASE_EPERM);
    CU_ASSERT_TRUE(base_keyring_find(k, first.id, &now));
    put("s", KEY2 "\n", 0600);
    CU_ASSERT_FALSE(base_keyring_refresh_if_due(k)); /* it was read a moment ago */
    CU_ASSERT_EQUAL(base_keyring_refresh(k, NULL), 1);
    CU_ASSERT_FALSE(base_keyring_find(k, first.id, &now));
    base_keyring_get_signing_key(k, &now);
    CU_ASSERT_STRING_EQUAL(now.id, second.id);
    base_keyring_unref(k);
}

static void test_configured(void)
{
    struct base_conf *conf = base_conf_new();
    struct base_keyring *k = NULL, *same = NULL;
    struct base_key one, two;
    struct base_error err = {0};
    char *state = base_printf("%s/state", dir), *set;

    setenv("XDG_STATE_HOME", state, 1);
    /* off loopback there is no default */
    CU_ASSERT_EQUAL(base_keyring_open_or_make_by_conf(conf, BASE_CLUSTER_SECRET_KEY,
                                                      BASE_CLUSTER_SECRET_NAME, false, &k, &err),
                    -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.cluster.secret-file is not set"));
    /* the first daemon makes the file, the second finds it */
    CU_ASSERT_EQUAL_FATAL(base_keyring_open_or_make_by_conf(conf, BASE_CLUSTER_SECRET_KEY,
                                                            BASE_CLUSTER_SECRET_NAME, true, &k,
                                                            NULL),
                          0);
    CU_ASSERT_EQUAL_FATAL(base_keyring_open_or_make_by_conf(conf, BASE_CLUSTER_SECRET_KEY,
                                                            BASE_CLUSTER_SECRET_NAME, true, &same,
                                                            NULL),
                          0);
    base_keyring_get_signing_key(k, &one);
    base_keyring_get_signing_key(same, &two);
    CU_ASSERT_STRING_EQUAL(one.id, two.id);
    base_keyring_unref(k);
    base_keyring_unref(same);
    /* a file that is named has to be there */
    set = base_printf("creel.cluster.secret-file=%s/nowhere", dir);
    CU_ASSERT_EQUAL(base_conf_set_arg(conf, set, NULL), 0);
    CU_ASSERT_EQUAL(base_keyring_open_or_make_by_conf(conf, BASE_CLUSTER_SECRET_KEY,
                                                      BASE_CLUSTER_SECRET_NAME, true, &k, &err),
                    -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.cluster.secret-file: "));
    free(set);
    free(state);
    base_conf_free(conf);
}

#define HOST  "rm.example:8088"
#define START "0123456789abcdef0123456789abcdef"

static void sign(struct base_key *key, struct base_request_signature *s)
{
    *key = (struct base_key){.id = "0badcafe", .bytes = "another secret of 32 bytes here"};
    base_sign_request(key, "POST", "http://Rm.example:8088/a/b?c=d", START, "body", 4,
                      1764000000123, false, s);
}

static void test_request(void)
{
    struct base_request_signature s, back;
    struct base_buf text = {0};
    struct base_key key, other;
    struct base_error err = {0};
    char digest[BASE_SHA256_HEX], *expected;
    unsigned char mac[BASE_SHA256_BYTES];

    sign(&key, &s);
    /* the text that is signed, written out */
    expected =
        base_printf("creel-request-3\nPOST\nrm.example:8088\n/a/b?c=d\n1764000000123\n%s\n%s\n%s",
                    s.nonce, START, base_sha256_hex("body", 4, digest));
    base_hmac_sha256(key.bytes, sizeof key.bytes, expected, strlen(expected), mac);
    CU_ASSERT_EQUAL(memcmp(mac, s.mac, sizeof mac), 0);
    base_request_signature_format(&s, &text);
    CU_ASSERT_TRUE(base_request_is_signed(text.data));
    CU_ASSERT_FALSE(base_request_is_signed("Bearer x"));
    CU_ASSERT_FALSE(base_request_is_signed("Creel-HMACx"));
    CU_ASSERT_FALSE(base_request_is_signed(NULL));
    CU_ASSERT_EQUAL_FATAL(base_request_signature_parse(text.data, &back, &err), 0);
    CU_ASSERT_STRING_EQUAL(back.key, "0badcafe");
    CU_ASSERT_EQUAL(back.time_ms, 1764000000123);
    CU_ASSERT_STRING_EQUAL(back.start_id, START);
    CU_ASSERT_FALSE(back.stream);
    CU_ASSERT_TRUE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "PUT", HOST, false, "/a/b?c=d"));
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=e"));
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b"));
    back.time_ms++;
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    back = s;
    back.nonce[0] ^= 1;
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    back = s;
    back.start_id[31] ^= 1;
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    back = s;
    back.body_sha256[63] ^= 1;
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    back = s;
    back.mac[31] ^= 1;
    CU_ASSERT_FALSE(base_request_signature_is_right(&back, &key, "POST", HOST, false, "/a/b?c=d"));
    other = key;
    other.bytes[31] ^= 1;
    CU_ASSERT_FALSE(base_request_signature_is_right(&s, &other, "POST", HOST, false, "/a/b?c=d"));
    /* names of hosts are the same in capitals; another host, or port, is another one */
    CU_ASSERT_TRUE(
        base_request_signature_is_right(&s, &key, "POST", "RM.example:8088", false, "/a/b?c=d"));
    CU_ASSERT_FALSE(
        base_request_signature_is_right(&s, &key, "POST", "rm.example:8089", false, "/a/b?c=d"));
    CU_ASSERT_FALSE(
        base_request_signature_is_right(&s, &key, "POST", "rm.example", false, "/a/b?c=d"));
    base_buf_free(&text);
    free(expected);
}

/* The usual port of a scheme stands in no header Host, whether or not the URL has it. */
static void test_usual_port(void)
{
    static const struct {
        const char *url, *host;
        bool tls, right;
    } rows[] = {{"http://h:80/", "h", false, true},
                {"http://h/", "h:80", false, true},
                {"https://h:443/", "h", true, true},
                {"https://h/", "h:443", true, true},
                {"http://h:443/", "h", false, false},
                {"https://h:80/", "h", true, false},
                {"http://[::1]:80/", "[::1]", false, true},
                /* as libcurl sends them */
                {"http://[2001:db8::0:10]:8088/", "[2001:db8::10]:8088", false, true},
                {"http://127.1:8088/", "127.0.0.1:8088", false, true},
                {"http://h:08088/", "h:8088", false, true}};
    struct base_request_signature s;
    struct base_key key = {.id = "k"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        base_sign_request(&key, "GET", rows[i].url, START, "", 0, 1, false, &s);
        CU_ASSERT_EQUAL(
            base_request_signature_is_right(&s, &key, "GET", rows[i].host, rows[i].tls, "/"),
            rows[i].right);
    }
}

/* Long targets do not fit the usual buffer. */
static void test_long_target(void)
{
    char target[3000], *url;
    struct base_request_signature s;
    struct base_key key = {.id = "k"};

    memset(target, 'x', sizeof target);
    target[0] = '/';
    target[sizeof target - 1] = '\0';
    url = base_printf("http://" HOST "%s", target);
    base_sign_request(&key, "GET", url, START, "", 0, 1, true, &s);
    free(url);
    CU_ASSERT_TRUE(base_request_signature_is_right(&s, &key, "GET", HOST, false, target));
    target[sizeof target - 2] = 'y';
    CU_ASSERT_FALSE(base_request_signature_is_right(&s, &key, "GET", HOST, false, target));
}

static void test_malformed(void)
{
#define HEX32 "00112233445566778899aabbccddeeff"
    static const char *const wrong[][2] = {
        {"", "key"},
        {" key=", "key"},
        {" time=1, key=a", "key"},
        {" key=a, time=-1, nonce=" HEX32, "time"},
        {" key=a, time=1x, nonce=" HEX32, "time"},
        {" key=a, time=99999999999999999999, nonce=" HEX32, "time"},
        {" key=a, time=1, nonce=" HEX32 "0, sha256=" KEY1, "nonce"},
        {" key=a, time=1, nonce=00, sha256=" KEY1, "nonce"},
        {" key=a, time=1, nonce=" HEX32 ", sha256=" KEY1 ", mac=" KEY1, "start"},
        {" key=a, time=1, nonce=" HEX32 ", start=00, sha256=" KEY1, "start"},
        {" key=a, time=1, nonce=" HEX32 ", start=" HEX32 ", sha256=00", "sha256"},
        {" key=a, time=1, nonce=" HEX32 ", start=" HEX32 ", sha256=" KEY1, "mac"},
        {" key=a, time=1, nonce=" HEX32 ", start=" HEX32 ", sha256=" KEY1 ", mac=" KEY1 ", more",
         "end"},
    };
    struct base_request_signature s;
    struct base_error err;
    char *text;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        text = base_printf("Creel-HMAC%s", wrong[i][0]);
        CU_ASSERT_EQUAL(base_request_signature_parse(text, &s, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, wrong[i][1]));
        free(text);
    }
    text = base_printf("Creel-HMAC key=%0200d, time=1, nonce=" HEX32 ", start=" HEX32
                       ", sha256=" KEY1 ", mac=" KEY1,
                       0);
    CU_ASSERT_EQUAL(base_request_signature_parse(text, &s, &err), -BASE_EINVAL);
    free(text);
    CU_ASSERT_EQUAL(base_request_signature_parse("Creel-HMAC key=a, time=1, nonce=" HEX32
                                                 ", start=" HEX32 ", sha256=" KEY1 ", mac=" KEY1
                                                 ", stream",
                                                 &s, &err),
                    0);
    CU_ASSERT_TRUE(s.stream);
}

static int check(struct base_keyring *k, const char *text, const char *nonce, unsigned status,
                 const char *body, bool stream, const char *why)
{
    struct base_error err = {0};
    int rc = base_check_answer_signature(k, text, nonce, status, body, body ? strlen(body) : 0,
                                         stream, &err);

    CU_ASSERT_TRUE(rc == 0 || strstr(err.text, why));
    return rc;
}

static void test_answer(void)
{
    struct base_request_signature s;
    struct base_key key;
    struct base_keyring *k;
    char text[BASE_ANSWER_SIGNATURE_MAX], stream[BASE_ANSWER_SIGNATURE_MAX], *cut;
    const char *none = "00000000000000000000000000000000";

    sign(&key, &s);
    k = base_keyring_new_of_key(&key);
    base_sign_answer(&key, s.nonce, 200, "orders", 6, text);
    base_sign_answer(&key, s.nonce, 200, NULL, 0, stream);
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 200, "orders", false, ""), 0);
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 200, "orders", true, ""), 0);
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 200, "order", false, "wrong"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 201, "orders", false, "wrong"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, text, none, 200, "orders", false, "wrong"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, "", s.nonce, 200, "orders", false, "not signed"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, NULL, s.nonce, 200, "orders", false, "not signed"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, "key=0badcafe", s.nonce, 200, "orders", false, "read"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 200, NULL, true, "no stream"), -BASE_EPERM);
    /* the signature of a stream counts only for a client that asked for a stream */
    CU_ASSERT_EQUAL(check(k, stream, s.nonce, 200, "anything", true, ""), 0);
    CU_ASSERT_EQUAL(check(k, stream, s.nonce, 200, NULL, true, ""), 0);
    CU_ASSERT_EQUAL(check(k, stream, s.nonce, 200, "", false, "not signed"), -BASE_EPERM);
    CU_ASSERT_EQUAL(check(k, stream, s.nonce, 404, NULL, true, "wrong"), -BASE_EPERM);
    cut = strstr(stream, ", stream"); /* nor is the MAC of a stream that of an empty body */
    *cut = '\0';
    CU_ASSERT_EQUAL(check(k, stream, s.nonce, 200, "", false, "wrong"), -BASE_EPERM);
    text[4] ^= 1; /* a change in the key's name */
    CU_ASSERT_EQUAL(check(k, text, s.nonce, 200, "orders", false, "another key"), -BASE_EPERM);
    base_keyring_unref(k);
}

static void test_signed_start_id(void)
{
    struct base_request_signature s, other;
    struct base_key key, strange;
    struct base_keyring *k;
    char text[BASE_START_SIGNATURE_MAX], id[BASE_START_ID_MAX] = "", *expected;
    char digits[BASE_SHA256_HEX];
    unsigned char mac[BASE_SHA256_BYTES];

    sign(&key, &s);
    k = base_keyring_new_of_key(&key);
    base_sign_start_id(&key, s.nonce, HEX32, text);
    /* the text that is signed, written out */
    expected = base_printf("creel-start-1\n%s\n" HEX32, s.nonce);
    base_hmac_sha256(key.bytes, sizeof key.bytes, expected, strlen(expected), mac);
    free(expected);
    expected = base_printf("key=0badcafe, start=" HEX32 ", mac=%s",
                           base_hex_encode(mac, sizeof mac, digits));
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(expected);
    CU_ASSERT_TRUE(base_read_signed_start_id(k, text, &s, id));
    CU_ASSERT_STRING_EQUAL(id, HEX32);
    sign(&key, &other); /* another request */
    CU_ASSERT_FALSE(base_read_signed_start_id(k, text, &other, id));
    CU_ASSERT_FALSE(base_read_signed_start_id(k, "", &s, id));
    CU_ASSERT_FALSE(base_read_signed_start_id(k, NULL, &s, id));
    base_sign_start_id(&key, s.nonce, START, text); /* what was signed already */
    CU_ASSERT_FALSE(base_read_signed_start_id(k, text, &s, id));
    base_sign_start_id(&key, s.nonce, "short", text);
    CU_ASSERT_FALSE(base_read_signed_start_id(k, text, &s, id));
    strange = key;
    strange.bytes[0] ^= 1;
    base_sign_start_id(&strange, s.nonce, HEX32, text);
    CU_ASSERT_FALSE(base_read_signed_start_id(k, text, &s, id));
    CU_ASSERT_STRING_EQUAL(id, HEX32);
    base_keyring_unref(k);
}

static void expect_start_id(struct base_server_starts *starts, const char *url, const char *id)
{
    char found[BASE_START_ID_MAX];

    base_server_starts_find(starts, url, found);
    CU_ASSERT_STRING_EQUAL(found, id);
}

/* A start id is one server's: all its paths, but no other port, host or scheme. */
static void test_server_starts(void)
{
    struct base_server_starts *starts = base_server_starts_new();
    char url[64];

    expect_start_id(starts, "http://h:1/a", BASE_START_ID_UNKNOWN);
    base_server_starts_learn(starts, "http://h:1/a?b", HEX32);
    expect_start_id(starts, "http://h:1/c/d", HEX32);
    expect_start_id(starts, "http://h:1", HEX32);
    expect_start_id(starts, "http://h:1?x", HEX32);
    expect_start_id(starts, "http://h:11/a", BASE_START_ID_UNKNOWN);
    expect_start_id(starts, "http://i:1/a", BASE_START_ID_UNKNOWN);
    expect_start_id(starts, "https://h:1/a", BASE_START_ID_UNKNOWN);
    base_server_starts_learn(starts, "http://h:1/", START);
    expect_start_id(starts, "http://h:1/a", START);
    CU_ASSERT_EQUAL(base_server_starts_count(starts), 1);
    base_server_starts_learn(starts, "http://i:1/", HEX32);
    base_server_starts_forget(starts, "http://h:1/z");
    base_server_starts_forget(starts, "http://j:1/z");
    expect_start_id(starts, "http://h:1/a", BASE_START_ID_UNKNOWN);
    expect_start_id(starts, "http://i:1/a", HEX32);
    for (unsigned i = 1; i < BASE_SERVER_STARTS_MAX; i++) {
        snprintf(url, sizeof url, "http://n%u:1/", i);
        base_server_starts_learn(starts, url, START);
    }
    CU_ASSERT_EQUAL(base_server_starts_count(starts), BASE_SERVER_STARTS_MAX);
    expect_start_id(starts, "http://i:1/a", HEX32);
    base_server_starts_learn(starts, "http://n1:1/", HEX32); /* one that is known takes no room */
    CU_ASSERT_EQUAL(base_server_starts_count(starts), BASE_SERVER_STARTS_MAX);
    base_server_starts_learn(starts, "http://one-more:1/", HEX32);
    CU_ASSERT_EQUAL(base_server_starts_count(starts), 1);
    expect_start_id(starts, "http://one-more:1/", HEX32);
    base_server_starts_free(starts);
}

static void test_target(void)
{
    CU_ASSERT_STRING_EQUAL(base_url_target("http://h:1/a?b=c"), "/a?b=c");
    CU_ASSERT_STRING_EQUAL(base_url_target("http://[::1]:1/"), "/");
    CU_ASSERT_STRING_EQUAL(base_url_target("http://h:1"), "/");
}

static void test_container_token(void)
{
    struct base_container_id id = {.attempt = {.app = {1700000000000, 7}, .attempt = 1}, .num = 2};
    struct base_container_id back;
    struct base_key key, derived;
    struct base_keyring *k = NULL;
    char token[BASE_CONTAINER_TOKEN_MAX], again[BASE_CONTAINER_TOKEN_MAX], *padded;
    const int64_t now = 1764000000000;

    base_container_token_make("app-secret", &id, now + 1000, token);
    CU_ASSERT_EQUAL(strncmp(token, "container_1700000000000_0007_01_000002@1764000001000.", 53), 0);
    CU_ASSERT_TRUE(base_container_token_parse_key(token, &key));
    CU_ASSERT_TRUE(base_container_token_derive_key("app-secret", key.id, &derived));
    CU_ASSERT_EQUAL(memcmp(key.bytes, derived.bytes, sizeof key.bytes), 0);
    CU_ASSERT_TRUE(base_container_token_read_valid_id(key.id, now, &back));
    CU_ASSERT_EQUAL(back.num, 2);
    CU_ASSERT_FALSE(base_container_token_read_valid_id(key.id, now + 1000, &back)); /* expired */
    CU_ASSERT_FALSE(base_container_token_read_valid_id(
        key.id, now + 1000 - BASE_CONTAINER_TOKEN_LIFE_MAX_MS - 1, &back));
    CU_ASSERT_FALSE(
        base_container_token_read_valid_id("container_1700000000000_0007_01_000002", 0, &back));
    CU_ASSERT_FALSE(
        base_container_token_read_valid_id("container_1700000000000_7_1_2@9", 0, &back));
    CU_ASSERT_FALSE(base_container_token_read_valid_id("application_1_0001@9", 0, &back));
    /* another container, another time or another application gives another key */
    id.num = 3;
    base_container_token_make("app-secret", &id, now + 1000, again);
    CU_ASSERT_STRING_NOT_EQUAL(strrchr(token, '.'), strrchr(again, '.'));
    id.num = 2;
    base_container_token_make("app-secret", &id, now + 1001, again);
    CU_ASSERT_STRING_NOT_EQUAL(strrchr(token, '.'), strrchr(again, '.'));
    base_container_token_make("app-secreu", &id, now + 1000, again);
    CU_ASSERT_STRING_NOT_EQUAL(strrchr(token, '.'), strrchr(again, '.'));
    CU_ASSERT_STRING_EQUAL(base_container_token_make("", &id, now, again), "");
    CU_ASSERT_FALSE(base_container_token_derive_key("", key.id, &derived));
    CU_ASSERT_FALSE(base_container_token_parse_key("app-secret", &derived));
    CU_ASSERT_FALSE(base_container_token_parse_key("a." KEY1 "00", &derived));
    CU_ASSERT_FALSE(base_container_token_parse_key("a b." KEY1, &derived));
    /* the task's keyring follows its renewed file, and keeps the token while the file is invalid */
    padded = base_printf("%s\n", token);
    CU_ASSERT_EQUAL_FATAL(base_keyring_open_token(put("t", padded, 0600), &k, NULL), 0);
    base_keyring_get_signing_key(k, &derived);
    CU_ASSERT_STRING_EQUAL(derived.id, key.id);
    put("t", "", 0600);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, NULL), -BASE_EINVAL);
    base_container_token_make("app-secret", &id, now + 5000, again);
    put("t", again, 0600);
    CU_ASSERT_EQUAL(base_keyring_refresh(k, NULL), 1);
    base_keyring_get_signing_key(k, &derived);
    CU_ASSERT_EQUAL(strncmp(derived.id, again, strlen(derived.id)), 0);
    base_keyring_unref(k);
    free(padded);
}

static const struct cunit_case cases[] = {
    {"container tokens", test_container_token},
    {"file", test_file},
    {"others", test_others},
    {"make", test_make},
    {"refresh", test_refresh},
    {"configured", test_configured},
    {"request", test_request},
    {"usual port", test_usual_port},
    {"long", test_long_target},
    {"malformed", test_malformed},
    {"answer", test_answer},
    {"signed start id", test_signed_start_id},
    {"start ids of servers", test_server_starts},
    {"target", test_target},
};

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    int rc;

    snprintf(dir, sizeof dir, "%s/creel-keyring-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 2;
    rc = cunit_main("base_keyring", cases, sizeof cases / sizeof *cases);
    base_rmtree(dir, NULL);
    return rc;
}
