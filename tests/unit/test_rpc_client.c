/* Goal: the client proves a token as Java's does, calls only a server that has proven itself, and
 * ends with the reason when it is refused or hears nonsense. Method: recorded answers of a real
 * YARN, to the byte; the server's own state machine, in pieces of any size; frames by hand. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include "api/rpc/client.h"
#include "base/crypto/base64.h"

#define NAME     "Cg0KCQgBEMSKhZmgNBABENPiusn//////wE=" /* the recorded token's identifier */
#define PASSWORD "9cjSdcvxi2rHMz2ti0pb9VrmD9Y="
#define CNONCE   "8M6+f46MiylFS+oxJvn7xoQyo3TnrRvr4GN4XnE/"
#define PROTOCOL "org.example.Protocol"

static struct api_rpc_client client;
static struct base_buf out; /* what the client sends */

static void begin_with(const char *password)
{
    struct base_buf name = {0}, secret = {0};
    struct api_rpc_client_token token;

    base_base64_decode(NAME, &name);
    base_base64_decode(password, &secret);
    token.identifier = (struct api_rpc_bytes){(const uint8_t *)name.data, name.len};
    token.password = (struct api_rpc_bytes){(const uint8_t *)secret.data, secret.len};
    api_rpc_client_begin(&client, &token, CNONCE, PROTOCOL, "start",
                         &(struct api_rpc_bytes){(const uint8_t *)"\x08\x05", 2}, &out);
    base_buf_free(&name);
    base_buf_free(&secret);
}

static void end(void)
{
    api_rpc_client_free(&client);
    base_buf_free(&out);
}

static void expect_failure(const char *exception, const char *words)
{
    CU_ASSERT_EQUAL(client.state, API_RPC_CLIENT_FAILED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(client.why);
    CU_ASSERT_PTR_NOT_NULL(strstr(client.why, words));
    CU_ASSERT_STRING_EQUAL(client.exception ? client.exception : "", exception ? exception : "");
}

/* Returns the part of the client's last frame behind its header. */
static struct api_rpc_bytes second_message(const struct base_buf *frame)
{
    struct api_rpc_bytes all = {(const uint8_t *)frame->data + 4, frame->len - 4}, header, second;

    CU_ASSERT_TRUE_FATAL(api_rpc_cut_message(&all, &header) && api_rpc_cut_message(&all, &second));
    return second;
}

static void take_line(int line)
{
    struct base_buf in = {0};

    rpc_frames_read("token.hex", 'S', line, &in);
    CU_ASSERT_EQUAL(api_rpc_client_take(&client, in.data, in.len - 1, &out), 0);
    CU_ASSERT_EQUAL(api_rpc_client_take(&client, in.data, in.len, &out), in.len);
    base_buf_free(&in);
}

/* What Java has answered to the same challenge. */
static void test_recorded(void)
{
    struct base_buf recorded = {0};
    struct api_rpc_bytes ours, theirs;

    begin_with(PASSWORD);
    CU_ASSERT(memcmp(out.data, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES) == 0);
    base_buf_clear(&out);
    take_line(0);
    CU_ASSERT_EQUAL_FATAL(client.state, API_RPC_CLIENT_PROOF);
    rpc_frames_read("token.hex", 'C', 1, &recorded);
    ours = second_message(&out);
    theirs = second_message(&recorded);
    CU_ASSERT_EQUAL_FATAL(ours.len, theirs.len);
    CU_ASSERT(memcmp(ours.data, theirs.data, ours.len) == 0);
    base_buf_clear(&out);
    take_line(1);
    CU_ASSERT_EQUAL(client.state, API_RPC_CLIENT_ANSWER);
    CU_ASSERT(out.len > 0);
    base_buf_free(&recorded);
    end();
}

/* A server that does not know the password gets no call. */
static void test_server_without_the_key(void)
{
    begin_with("AAAA");
    base_buf_clear(&out);
    take_line(0);
    base_buf_clear(&out);
    take_line(1);
    expect_failure(NULL, "has not proven");
    CU_ASSERT_EQUAL(out.len, 0);
    end();
}

/* ---- with the server's state machine ---- */

static enum api_rpc_token verdict;

static enum api_rpc_token find_password(void *u, const void *identifier, size_t len,
                                        char **password, char **user)
{
    (void)u;
    (void)identifier;
    CU_ASSERT_EQUAL(len, 26);
    if (verdict == API_RPC_TOKEN_VALID) {
        *password = base_strdup(PASSWORD);
        *user = base_strdup("ann");
    }
    return verdict;
}

/* Both talk until none has anything to say, @step bytes at a time. @result: what the server answers
 * to the call. */
static void talk(struct api_rpc_session *session, size_t step, const ProtobufCMessage *result,
                 const char *exception)
{
    struct base_buf to_client = {0};
    size_t read = 0, given = 0, taken = 0;
    bool more = true;

    while (more && client.state < API_RPC_CLIENT_DONE) {
        struct api_rpc_incoming call;
        struct api_rpc_arena arena;
        enum api_rpc_next next;
        size_t used;

        api_rpc_arena_init(&arena, 100000);
        next = api_rpc_session_take_frame(session, out.data + read, out.len - read, &used,
                                          &to_client, &arena, &call);
        read += next == API_RPC_AGAIN || next == API_RPC_CALL ? used : 0;
        if (next == API_RPC_CALL) {
            CU_ASSERT_STRING_EQUAL(call.method, "start");
            CU_ASSERT_STRING_EQUAL(call.protocol, PROTOCOL);
            CU_ASSERT_EQUAL(call.request.len, 2);
            if (exception)
                api_rpc_add_error(&to_client, &call.echo, API_RPC_ERROR, API_RPC_APPLICATION,
                                  exception, "no\nat a.b.c");
            else
                api_rpc_add_success(&to_client, &call.echo, result);
        }
        api_rpc_arena_free(&arena);
        more = next == API_RPC_AGAIN || next == API_RPC_CALL || given < to_client.len;
        given = given + step < to_client.len ? given + step : to_client.len;
        taken += api_rpc_client_take(&client, to_client.data + taken, given - taken, &out);
    }
    base_buf_free(&to_client);
}

static void talk_to_server(size_t step, const char *exception)
{
    struct api_rpc_session_conf conf = {.find_password = find_password, .frame_max = 1 << 20};
    struct api_rpc_session session;
    Rpc__User result = RPC__USER__INIT;

    result.effective = "x";
    api_rpc_session_init(&session, &conf);
    begin_with(PASSWORD);
    talk(&session, step, &result.base, exception);
    if (verdict == API_RPC_TOKEN_VALID)
        CU_ASSERT_STRING_EQUAL(session.user, "ann");
    api_rpc_session_free(&session);
}

static void test_server(void)
{
    verdict = API_RPC_TOKEN_VALID;
    for (size_t step = 1; step < 400; step += 57) {
        talk_to_server(step, NULL);
        CU_ASSERT_EQUAL(client.state, API_RPC_CLIENT_DONE);
        CU_ASSERT_EQUAL(client.result.len, 3); /* field 1: "x" */
        end();
    }
    talk_to_server(50, "org.example.Refused");
    expect_failure("org.example.Refused", "no"); /* without the stack trace */
    CU_ASSERT_STRING_EQUAL(client.why, "no");
    end();
    verdict = API_RPC_TOKEN_INVALID;
    talk_to_server(50, NULL);
    expect_failure("org.apache.hadoop.security.token.SecretManager$InvalidToken", "");
    end();
}

/* ---- nonsense ---- */

static void check_nonsense(const void *bytes, size_t len, const char *words)
{
    begin_with(PASSWORD);
    base_buf_clear(&out);
    CU_ASSERT(api_rpc_client_take(&client, bytes, len, &out) > 0);
    expect_failure(NULL, words);
    CU_ASSERT_EQUAL(out.len, 0);
    end();
}

static void add_methods(struct base_buf *to, const char *name, const char *challenge)
{
    Rpc__Sasl m = RPC__SASL__INIT;
    Rpc__SaslMethod one = RPC__SASL_METHOD__INIT, *list[] = {&one};
    const struct api_rpc_echo sasl = {.call_id = API_RPC_ID_SASL};

    m.state = 1;
    one.method = (char *)name;
    one.mechanism = "DIGEST-MD5";
    one.has_challenge = challenge != NULL;
    one.challenge.data = (uint8_t *)challenge;
    one.challenge.len = challenge ? strlen(challenge) : 0;
    m.methods = list;
    m.n_methods = 1;
    api_rpc_add_success(to, &sasl, &m.base);
}

static void check_methods(const char *name, const char *challenge)
{
    struct base_buf in = {0};

    add_methods(&in, name, challenge);
    check_nonsense(in.data, in.len, "offers no proof");
    base_buf_free(&in);
}

static void test_nonsense(void)
{
    const struct api_rpc_echo other = {.call_id = 7};
    Rpc__User message = RPC__USER__INIT;
    struct base_buf in = {0};

    check_nonsense("HTTP/1.1 400 Bad Request\r\n\r\n", 28, "no answer of Hadoop RPC");
    check_nonsense("\0\0\0\3\xff\xff\xff", 7, "no answer of Hadoop RPC");
    api_rpc_add_success(&in, &other, &message.base);
    check_nonsense(in.data, in.len, "answers call 7");
    base_buf_free(&in);
    check_methods("KERBEROS", "realm=\"default\",nonce=\"n\"");
    check_methods("TOKEN", NULL);
    check_methods("TOKEN", "realm=\"default\"");
    check_methods("TOKEN", "realm=\"default\",nonce=\"n\",qop=\"auth-conf\"");
}

static const struct cunit_case cases[] = {
    {"recorded", test_recorded},
    {"a server without the key", test_server_without_the_key},
    {"a server", test_server},
    {"nonsense", test_nonsense},
};
CUNIT_MAIN("Hadoop RPC: client", cases)
