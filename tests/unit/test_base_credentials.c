/* Goal: credentials files of Hadoop's are read in both forms and written byte for byte; what is
 * damaged is refused, and no length in a file makes Creel read or allocate beyond it. Method: files
 * recorded from Hadoop 3.4.2, and each of their beginnings. */
#include "tests/unit/cunit_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/hadoop/credentials.h"

/* What MapReduce submits: no tokens, one secret. */
static const char of_mapreduce[] = "HDTS\0\0\1\x15MapReduceShuffleToken\x8\1\2\3\4\5\6\7\xff";
/* What its master gets: the same, and the token of the ResourceManager under an empty alias. */
static const char of_master[] =
    "HDTS\0\1\0\x11\x0a\x0d\x0a\x09\x08\x07\x10\x80\xd0\x95\xff\xbc\x31\x10\x01\x10\x01"
    "\x14\xa0\x13\x0c\x76\x26\x5d\xb3\x4b\xf1\x55\x83\xe2\x4f\xf0\x1e\xec\x0d\xe0\xa8\xc5"
    "\x10YARN_AM_RM_TOKEN\0\1\x15MapReduceShuffleToken\x8\1\2\3\4\5\6\7\xff";
#define BYTES(text) (text), sizeof(text) - 1

static void check_written(const struct base_credentials *c, const char *wanted, size_t len)
{
    struct base_buf out = {0};

    base_credentials_write(c, &out);
    CU_ASSERT_EQUAL_FATAL(out.len, len);
    CU_ASSERT(memcmp(out.data, wanted, len) == 0);
    base_buf_free(&out);
}

static struct base_hadoop_token read_master_token(void)
{
    struct base_hadoop_token t;

    CU_ASSERT_TRUE_FATAL(base_hadoop_token_read(of_master + 7, 18 + 21 + 17 + 1, &t));
    return t;
}

static void test_master_token_is_put_in(void)
{
    struct base_credentials c;
    struct base_hadoop_token t = read_master_token();

    CU_ASSERT_EQUAL_FATAL(base_credentials_parse(BYTES(of_mapreduce), &c, NULL), 0);
    CU_ASSERT_EQUAL(c.tokens_n, 0);
    CU_ASSERT_EQUAL_FATAL(c.secrets_n, 1);
    CU_ASSERT_STRING_EQUAL(c.secrets[0].alias, "MapReduceShuffleToken");
    CU_ASSERT_EQUAL(c.secrets[0].bytes.len, 8);
    check_written(&c, BYTES(of_mapreduce));
    CU_ASSERT_PTR_NULL(base_credentials_find_token(&c, "YARN_AM_RM_TOKEN"));
    for (int i = 0; i < 2; i++) { /* the second time it replaces itself */
        base_credentials_set_token(&c, "", &t);
        CU_ASSERT_PTR_NULL(t.kind);
        check_written(&c, BYTES(of_master));
        t = read_master_token();
    }
    base_hadoop_token_free(&t);
    CU_ASSERT_EQUAL(base_credentials_find_token(&c, "YARN_AM_RM_TOKEN")->password.len, 20);
    base_credentials_free(&c);
    CU_ASSERT_EQUAL_FATAL(base_credentials_parse(BYTES(of_master), &c, NULL), 0);
    check_written(&c, BYTES(of_master));
    base_credentials_free(&c);
}

/* Lengths of more than one byte: 127, 128, 200, 70000. */
static void test_long_lengths(void)
{
    static const struct {
        size_t n;
        const char *as;
    } cases[] = {{127, "\x7f"}, {128, "\x8f\x80"}, {200, "\x8f\xc8"}, {70000, "\x8d\x01\x11\x70"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_credentials c = {0}, again;
        struct base_buf secret = {0}, out = {0};

        for (size_t k = 0; k < cases[i].n; k++)
            base_buf_add(&secret, "x", 1);
        base_credentials_set_secret(&c, "s", &secret);
        base_credentials_write(&c, &out);
        CU_ASSERT_EQUAL(out.len, 4 + 1 + 1 + 1 + 2 + strlen(cases[i].as) + cases[i].n);
        CU_ASSERT(memcmp(out.data + 9, cases[i].as, strlen(cases[i].as)) == 0);
        CU_ASSERT_EQUAL_FATAL(base_credentials_parse(out.data, out.len, &again, NULL), 0);
        CU_ASSERT_EQUAL(again.secrets[0].bytes.len, cases[i].n);
        base_credentials_free(&again);
        base_credentials_free(&c);
        base_buf_free(&out);
    }
}

/* Numbers with more bits than lengths have, as in the headers of map outputs. */
static void test_long_numbers(void)
{
    static const struct {
        uint64_t v;
        const char *as;
        size_t n;
    } numbers[] = {{0, "\0", 1},
                   {UINT64_C(1) << 32, "\x8b\1\0\0\0\0", 6},
                   {INT64_MAX, "\x88\x7f\xff\xff\xff\xff\xff\xff\xff", 9}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct base_buf out = {0};

        base_hadoop_vint_add(&out, numbers[i].v);
        CU_ASSERT_EQUAL_FATAL(out.len, numbers[i].n);
        CU_ASSERT_EQUAL(memcmp(out.data, numbers[i].as, out.len), 0);
        base_buf_free(&out);
    }
}

/* The second form: a message with a token (identifier "i", password "p", kind "K", service "s") and
 * a secret. */
static const char as_message[] = "HDTS\1\x1c"
                                 "\x0a\x11\x0a\1a\x12\x0c\x0a\1i\x12\1p\x1a\1K\x22\1s"
                                 "\x12\7\x0a\1b\x1a\2\0\1";

static void test_second_form(void)
{
    static const char first_form[] = "HDTS\0\1\1a\1i\1p\1K\1s\1\1b\2\0\1";
    struct base_credentials c;
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(base_credentials_parse(BYTES(as_message), &c, &err), 0);
    check_written(&c, BYTES(first_form));
    base_credentials_free(&c);
}

static void check_refused(const char *bytes, size_t len, int code, const char *why)
{
    struct base_credentials c;
    struct base_error err = {0};
    char *exact = base_alloc(len); /* so that a sanitizer sees each byte read beyond */

    memcpy(exact, bytes, len);
    CU_ASSERT_EQUAL(base_credentials_parse(exact, len, &c, &err), code);
    CU_ASSERT_PTR_NULL(c.tokens);
    CU_ASSERT_PTR_NULL(c.secrets);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, why));
    free(exact);
}

static void test_damaged_files(void)
{
    char text[] = "HDTS\0\1\1a\1i\1p\1K\1s\0";

    for (size_t n = 0; n < sizeof of_master - 1; n++)
        check_refused(of_master, n, -BASE_EINVAL, "credentials: ");
    for (size_t n = 0; n < sizeof as_message - 1; n++)
        check_refused(as_message, n, -BASE_EINVAL, "credentials: ");
    check_refused(BYTES("HDTX\0\0\0"), -BASE_EINVAL, "not HDTS");
    check_refused(BYTES("HDTS\2\0\0"), -BASE_EINVAL, "form 2; expected 0 or 1");
    check_refused(BYTES("HDTS\0\0\0\0"), -BASE_EINVAL, "bytes follow");
    check_refused(BYTES("HDTS\0\xff\0"), -BASE_EINVAL, "number of tokens"); /* -1 */
    check_refused(BYTES("HDTS\0\x8c\x7f\xff\xff\xff"), -BASE_ELIMIT, "2147483647 tokens");
    check_refused(BYTES("HDTS\0\0\x8e\3\xe9"), -BASE_ELIMIT, "1001 secrets are more than 1000");
    check_refused(BYTES("HDTS\0\1\x8c\x7f\xff\xff\xff"), -BASE_EINVAL, "token");
    text[7] = '\0'; /* an alias with a NUL */
    check_refused(text, sizeof text - 1, -BASE_EINVAL, "not text");
    text[7] = '\xff';
    check_refused(text, sizeof text - 1, -BASE_EINVAL, "not text");
    text[7] = 'a';
    text[13] = '\xff'; /* a kind that is not UTF-8 */
    check_refused(text, sizeof text - 1, -BASE_EINVAL, "not text");
}

/* Fields that nobody knows, two bytes each, may not take up memory a hundred times their size. */
static void test_message_of_unknown_fields(void)
{
    struct base_buf file = {0};
    size_t n = 1 << 21;

    base_buf_adds(&file, "HDTS\1");
    for (size_t left = n; left; left >>= 7)
        base_buf_add(&file, &(uint8_t){(uint8_t)(left | (left >> 7 ? 0x80 : 0))}, 1);
    for (size_t i = 0; i < n; i += 2)
        base_buf_add(&file, "\x78", 2);
    check_refused(file.data, file.len, -BASE_EINVAL, "cannot be read");
    base_buf_free(&file);
}

/* What a message without bytes has; clang's sanitizer reports arithmetic on its address. */
static void test_nothing(void)
{
    struct base_credentials c = {0};
    struct base_hadoop_token t;

    CU_ASSERT_FALSE(base_hadoop_token_read(NULL, 0, &t));
    CU_ASSERT_EQUAL(base_credentials_parse(NULL, 0, &c, NULL), -BASE_EINVAL);
}

static const struct cunit_case cases[] = {
    {"the master's token is put in", test_master_token_is_put_in},
    {"long lengths", test_long_lengths},
    {"long numbers", test_long_numbers},
    {"second form", test_second_form},
    {"damaged files", test_damaged_files},
    {"nothing", test_nothing},
    {"a message of unknown fields", test_message_of_unknown_fields},
};
CUNIT_MAIN("Hadoop's credentials files", cases)
