/* Goal: the state machine of a connection answers as a real YARN does.
 * Method: recorded bytes of a client and of a master; made frames for each wrong turn, with the
 * answers that YARN 3.4.2 was seen to give. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#define PASSWORD "9cjSdcvxi2rHMz2ti0pb9VrmD9Y=" /* of the recorded token, in base64 */

struct fx {
    struct api_rpc_session_conf conf;
    struct api_rpc_session session;
    struct base_buf in, out;
    int calls;
    char method[64], protocol[128];
    struct api_rpc_echo echo;
    size_t request_len;
    bool has_request, closed;
    enum api_rpc_token verdict; /* of the tokens */
};

static enum api_rpc_token find_password(void *u, const void *identifier, size_t len,
                                        char **password, char **user)
{
    struct fx *fx = u;

    CU_ASSERT_EQUAL(len, 26); /* of the recorded token */
    CU_ASSERT_EQUAL(((const uint8_t *)identifier)[0], 0x0a);
    if (fx->verdict == API_RPC_TOKEN_VALID) {
        *password = base_strdup(PASSWORD);
        *user = base_strdup("ann");
    }
    return fx->verdict;
}

static void begin(struct fx *fx, bool simple, bool tokens)
{
    memset(fx, 0, sizeof *fx);
    fx->conf = (struct api_rpc_session_conf){.simple = simple,
                                             .find_password = tokens ? find_password : NULL,
                                             .find_user = fx,
                                             .frame_max = 1 << 20};
    api_rpc_session_init(&fx->session, &fx->conf);
}

static void end(struct fx *fx)
{
    api_rpc_session_free(&fx->session);
    base_buf_free(&fx->in);
    base_buf_free(&fx->out);
}

/* Gives the input to the session, of which only @step more bytes are there each time. */
static void run(struct fx *fx, size_t step)
{
    size_t at = 0, have = 0;

    while (!fx->closed) {
        struct api_rpc_incoming call;
        struct api_rpc_arena arena;
        enum api_rpc_next next;
        size_t used;

        api_rpc_arena_init(&arena, 100000);
        next = api_rpc_session_take_frame(&fx->session, fx->in.data + at, have - at, &used,
                                          &fx->out, &arena, &call);
        if (next == API_RPC_CALL) {
            fx->calls++;
            snprintf(fx->method, sizeof fx->method, "%s", call.method);
            snprintf(fx->protocol, sizeof fx->protocol, "%s", call.protocol);
            fx->echo = call.echo;
            fx->has_request = call.request.data;
            fx->request_len = call.request.len;
        }
        api_rpc_arena_free(&arena);
        fx->closed = next == API_RPC_CLOSE;
        if (next == API_RPC_WAIT) {
            CU_ASSERT(used > have - at);
            if (have == fx->in.len)
                break;
            have = fx->in.len - have < step ? fx->in.len : have + step;
        } else {
            at += used;
        }
    }
}

/* Asserts that the next answer is this one; @exception NULL: a success. */
static void expect(struct fx *fx, int32_t id, int status, int detail, const char *exception)
{
    struct rpc_answer a = rpc_answer_take(&fx->out);

    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_EQUAL((int32_t)a.header->call_id, id);
    CU_ASSERT_EQUAL(a.header->status, status);
    CU_ASSERT_EQUAL(a.header->version, 9);
    CU_ASSERT_EQUAL(a.header->detail, detail);
    if (exception)
        CU_ASSERT_STRING_EQUAL(a.header->exception, exception);
    if (status == API_RPC_FATAL)
        CU_ASSERT(fx->closed && a.header->client_id.len == 0 && fx->session.why.len > 0);
    rpc_answer_free(&a);
}

/* A client without authentication: both calls come out, whatever the pieces in which the bytes
 * arrive. */
static void test_recorded_client(void)
{
    for (size_t step = 1; step < 500; step += 37) {
        struct fx fx;

        begin(&fx, true, false);
        rpc_frames_read("client.hex", 'C', -1, &fx.in);
        run(&fx, step);
        CU_ASSERT(!fx.closed && fx.session.state == API_RPC_CALLS);
        CU_ASSERT_EQUAL(fx.calls, 2);
        CU_ASSERT_STRING_EQUAL(fx.session.user, "root");
        CU_ASSERT_STRING_EQUAL(fx.method, "getApplicationReport");
        CU_ASSERT_STRING_EQUAL(fx.protocol, RPC_CLIENT);
        CU_ASSERT_EQUAL(fx.echo.call_id, 18);
        CU_ASSERT_EQUAL(fx.request_len, 11);
        CU_ASSERT_EQUAL(fx.out.len, 0);
        end(&fx);
    }
}

/* An answer that we make from a recorded one has the same bytes. */
static void test_recorded_answers(void)
{
    for (int i = 0; i < 2; i++) {
        struct base_buf recorded = {0}, copy = {0}, made = {0};
        struct rpc_answer a;
        struct api_rpc_echo echo = {0};

        rpc_frames_read("client.hex", 'S', i, &recorded);
        base_buf_add(&copy, recorded.data, recorded.len);
        a = rpc_answer_take(&copy);
        CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
        echo.call_id = (int32_t)a.header->call_id;
        echo.retry = a.header->retry;
        echo.client_id_len = (uint8_t)a.header->client_id.len;
        memcpy(echo.client_id, a.header->client_id.data, a.header->client_id.len);
        api_rpc_add_encoded_success(&made, &echo, a.body.data, a.body.len);
        CU_ASSERT_EQUAL(made.len, recorded.len);
        CU_ASSERT(memcmp(made.data, recorded.data, made.len) == 0);
        rpc_answer_free(&a);
        base_buf_free(&copy);
        base_buf_free(&made);
        base_buf_free(&recorded);
    }
}

/* A recorded master shows its token. The nonce, which is random, is set to the recorded one. */
static void run_recorded_master(struct fx *fx)
{
    struct base_buf challenge = {0};
    const char *nonce;

    rpc_frames_read("token.hex", 'C', 0, &fx->in);
    run(fx, 1000);
    CU_ASSERT_EQUAL(fx->session.state, API_RPC_INITIATE);
    expect(fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    rpc_frames_read("token.hex", 'S', 0, &challenge);
    nonce = (const char *)memmem(challenge.data, challenge.len, "nonce=\"", 7) + 7;
    free(fx->session.nonce);
    fx->session.nonce = base_strndup(nonce, strcspn(nonce, "\""));
    base_buf_free(&challenge);
    base_buf_clear(&fx->in);
    rpc_frames_read("token.hex", 'C', 1, &fx->in);
    run(fx, 1000);
}

static void test_recorded_token(void)
{
    struct base_buf recorded = {0};
    struct fx fx;

    begin(&fx, false, true);
    run_recorded_master(&fx);
    rpc_frames_read("token.hex", 'S', 1, &recorded);
    CU_ASSERT_EQUAL_FATAL(fx.out.len, recorded.len);
    CU_ASSERT(memcmp(fx.out.data, recorded.data, recorded.len) == 0);
    base_buf_clear(&fx.in);
    rpc_frames_read("token.hex", 'C', 2, &fx.in); /* the context, whose user is empty */
    run(&fx, 1000);
    CU_ASSERT_EQUAL(fx.session.state, API_RPC_CALLS);
    CU_ASSERT_STRING_EQUAL(fx.session.user, "ann");
    CU_ASSERT(api_rpc_session_token_is_still_valid(&fx.session));
    fx.verdict = API_RPC_TOKEN_STANDBY;
    CU_ASSERT(api_rpc_session_token_is_still_valid(&fx.session));
    fx.verdict = API_RPC_TOKEN_INVALID; /* it was revoked */
    CU_ASSERT(!api_rpc_session_token_is_still_valid(&fx.session));
    base_buf_free(&recorded);
    end(&fx);
}

static void test_bad_tokens(void)
{
    struct fx fx;

    begin(&fx, false, true);
    fx.verdict = API_RPC_TOKEN_INVALID;
    run_recorded_master(&fx);
    expect(&fx, API_RPC_ID_SASL, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
           "org.apache.hadoop.security.token.SecretManager$InvalidToken");
    CU_ASSERT(fx.session.unproven && !fx.session.user);
    end(&fx);

    begin(&fx, false, true);
    fx.verdict = API_RPC_TOKEN_STANDBY;
    run_recorded_master(&fx);
    expect(&fx, API_RPC_ID_SASL, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
           "org.apache.hadoop.ipc.StandbyException");
    CU_ASSERT_FALSE(fx.session.unproven); /* nobody has found the token to be wrong */
    end(&fx);

    /* an empty response */
    begin(&fx, false, true);
    rpc_frames_read("token.hex", 'C', 0, &fx.in);
    rpc_sasl_add(&fx.in, 2, "TOKEN", &(struct base_buf){0});
    run(&fx, 1000);
    expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    expect(&fx, API_RPC_ID_SASL, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
           "org.apache.hadoop.security.token.SecretManager$InvalidToken");
    end(&fx);

    /* the response to another challenge */
    begin(&fx, false, true);
    rpc_frames_read("token.hex", 'C', 0, &fx.in);
    rpc_frames_read("token.hex", 'C', 1, &fx.in);
    run(&fx, 1000);
    expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    expect(&fx, API_RPC_ID_SASL, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
           "javax.security.sasl.SaslException");
    end(&fx);
}

/* With a token, the context may name nobody but the token's owner. */
static void test_token_of_another_user(void)
{
    struct fx fx;

    for (int i = 0; i < 2; i++) {
        begin(&fx, false, true);
        run_recorded_master(&fx);
        expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
        base_buf_clear(&fx.in);
        rpc_context_add(&fx.in, i ? "bob" : "ann", NULL);
        run(&fx, 1000);
        if (i)
            expect(&fx, API_RPC_ID_CONTEXT, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
                   "org.apache.hadoop.security.authorize.AuthorizationException");
        else
            CU_ASSERT_EQUAL(fx.session.state, API_RPC_CALLS);
        end(&fx);
    }
}

/* A client whose user holds a token opens with SASL even where no token is taken. */
static void test_sasl_without_tokens(void)
{
    struct base_buf answer = {0};
    struct fx fx;

    begin(&fx, true, false);
    base_buf_add(&fx.in, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES);
    rpc_sasl_add(&fx.in, 1, NULL, NULL);
    rpc_context_add(&fx.in, "ann", NULL);
    rpc_call_add(&fx.in, 0, RPC_CLIENT, "getNewApplication", NULL);
    run(&fx, 1000);
    CU_ASSERT_EQUAL(fx.calls, 1);
    expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    base_buf_free(&answer);
    end(&fx);
}

/* Where both are taken, a client without a token chooses SIMPLE, and waits for no answer. */
static void test_choice_of_simple(void)
{
    struct fx fx;

    begin(&fx, true, true);
    base_buf_add(&fx.in, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES);
    rpc_sasl_add(&fx.in, 1, NULL, NULL);
    rpc_sasl_add(&fx.in, 2, "SIMPLE", NULL);
    rpc_context_add(&fx.in, "ann", NULL);
    run(&fx, 1000);
    CU_ASSERT_EQUAL(fx.session.state, API_RPC_CALLS);
    expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    CU_ASSERT_EQUAL(fx.out.len, 0);
    end(&fx);

    /* not where tokens alone are taken */
    begin(&fx, false, true);
    base_buf_add(&fx.in, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES);
    rpc_sasl_add(&fx.in, 1, NULL, NULL);
    rpc_sasl_add(&fx.in, 2, "SIMPLE", NULL);
    rpc_context_add(&fx.in, "ann", NULL);
    run(&fx, 1000);
    expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
    expect(&fx, API_RPC_ID_SASL, API_RPC_FATAL, API_RPC_UNAUTHORIZED,
           "org.apache.hadoop.security.AccessControlException");
    CU_ASSERT_PTR_NULL(fx.session.user);
    end(&fx);
}

#define RPC_EXCEPTION "org.apache.hadoop.ipc.RpcServerException"

static void test_preambles(void)
{
    static const struct {
        const char bytes[RPC_PREAMBLE_BYTES + 1];
        bool simple;
        int detail;
        const char *exception;
    } cases[] = {
        {"hrpc\x08\0\0", true, API_RPC_VERSION_MISMATCH,
         "org.apache.hadoop.ipc.RPC$VersionMismatch"},
        {"xrpc\x09\0\0", true, API_RPC_VERSION_MISMATCH,
         "org.apache.hadoop.ipc.RPC$VersionMismatch"},
        {"hrpc\x09\0\x07", true, API_RPC_UNAUTHORIZED, "org.apache.hadoop.ipc.IpcException"},
        {"hrpc\x09\0\0", false, API_RPC_UNAUTHORIZED,
         "org.apache.hadoop.security.AccessControlException"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fx fx;

        begin(&fx, cases[i].simple, true);
        base_buf_add(&fx.in, cases[i].bytes, RPC_PREAMBLE_BYTES);
        rpc_context_add(&fx.in, "ann", NULL);
        run(&fx, 3);
        expect(&fx, API_RPC_ID_NONE, API_RPC_FATAL, cases[i].detail, cases[i].exception);
        end(&fx);
    }
}

static void test_http_request(void)
{
    struct fx fx;

    begin(&fx, true, false);
    base_buf_adds(&fx.in, "GET / HTTP/1.1\r\n\r\n");
    run(&fx, 1000);
    CU_ASSERT(fx.closed && strncmp(fx.out.data, "HTTP/1.1 404 ", 13) == 0);
    end(&fx);
}

/* Frames that are wrong where they come; all but the last are fatal. */
static void test_wrong_turns(void)
{
    static const struct {
        const char *what;
        int32_t id;
        int detail;
        const char *exception;
    } cases[] = {
        {"call before context", 0, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"second context", API_RPC_ID_CONTEXT, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"unknown id", -7, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"sasl", API_RPC_ID_SASL, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"context within sasl", API_RPC_ID_CONTEXT, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"call within sasl", 0, API_RPC_INVALID_HEADER, RPC_EXCEPTION},
        {"two negotiations", API_RPC_ID_SASL, API_RPC_UNAUTHORIZED,
         "org.apache.hadoop.security.AccessControlException"},
        {"initiate at once", API_RPC_ID_SASL, API_RPC_UNAUTHORIZED,
         "javax.security.sasl.SaslException"},
        {"success from the client", API_RPC_ID_SASL, API_RPC_UNAUTHORIZED,
         "javax.security.sasl.SaslException"},
        {"impersonation", API_RPC_ID_CONTEXT, API_RPC_UNAUTHORIZED,
         "org.apache.hadoop.security.authorize.AuthorizationException"},
        {"no user", API_RPC_ID_CONTEXT, API_RPC_UNAUTHORIZED,
         "org.apache.hadoop.security.authorize.AuthorizationException"},
        {"control character in user", API_RPC_ID_CONTEXT, API_RPC_UNAUTHORIZED,
         "org.apache.hadoop.security.authorize.AuthorizationException"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *what = cases[i].what;
        bool sasl = i >= 4 && i <= 8;
        struct fx fx;

        begin(&fx, true, sasl);
        base_buf_add(&fx.in, sasl ? RPC_PREAMBLE_SASL : RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
        if (i >= 1 && i <= 3)
            rpc_context_add(&fx.in, "ann", NULL);
        if (strstr(what, "call"))
            rpc_call_add(&fx.in, 0, RPC_CLIENT, "getNewApplication", NULL);
        else if (strcmp(what, "unknown id") == 0)
            rpc_frame_add(&fx.in, -7, 0, NULL, NULL);
        else if (strcmp(what, "impersonation") == 0)
            rpc_context_add(&fx.in, "ann", "bob");
        else if (strcmp(what, "no user") == 0)
            rpc_context_add(&fx.in, "", NULL);
        else if (strcmp(what, "control character in user") == 0)
            rpc_context_add(&fx.in, "ann\nbob", NULL);
        else if (strstr(what, "context"))
            rpc_context_add(&fx.in, "ann", NULL);
        else if (strcmp(what, "initiate at once") == 0)
            rpc_sasl_add(&fx.in, 2, "TOKEN", NULL);
        else if (strcmp(what, "success from the client") == 0)
            rpc_sasl_add(&fx.in, 0, NULL, NULL);
        else
            rpc_sasl_add(&fx.in, 1, NULL, NULL);
        if (strcmp(what, "two negotiations") == 0)
            rpc_sasl_add(&fx.in, 1, NULL, NULL);
        run(&fx, 1000);
        if (strcmp(what, "two negotiations") == 0)
            expect(&fx, API_RPC_ID_SASL, API_RPC_SUCCESS, 0, NULL);
        expect(&fx, cases[i].id, API_RPC_FATAL, cases[i].detail, cases[i].exception);
        if (strcmp(what, "second context") == 0)
            CU_ASSERT_STRING_EQUAL(fx.session.why.data, "Connection context already processed");
        CU_ASSERT_EQUAL(fx.out.len, 0);
        CU_ASSERT_EQUAL(fx.calls, 0);
        end(&fx);
    }
}

/* Messages with their lengths in front, whole and cut off. */
static void test_cut_messages(void)
{
    static const struct {
        size_t len;
        const char *bytes;
        bool good;
        size_t message, left;
    } cases[] = {
        {3, "\2ab", true, 2, 0},
        {4, "\2abc", true, 2, 1},
        {2, "\x80\0", true, 0, 0}, /* a length that could be shorter */
        {1, "\0", true, 0, 0},
        {2, "\2a", false, 0, 0},                     /* one byte is missing */
        {0, "", false, 0, 0},                        /* all is missing */
        {1, "\x80", false, 0, 0},                    /* the length goes on */
        {7, "\x81\x80\x80\x80\x80\0a", false, 0, 0}, /* six bytes of length */
        {6,
         "\xff\xff\xff\xff\x7f"
         "a",
         false, 0, 0}, /* more than 32 bits */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct api_rpc_bytes from = {(const uint8_t *)cases[i].bytes, cases[i].len}, out;

        CU_ASSERT_EQUAL(api_rpc_cut_message(&from, &out), cases[i].good);
        if (cases[i].good)
            CU_ASSERT(out.len == cases[i].message && from.len == cases[i].left);
    }
}

/* Bytes that are no frames, and frames that are no messages. */
static void test_malformed_frames(void)
{
    static const struct {
        size_t len;
        const char *bytes;
        bool answered;
    } cases[] = {
        {4, "\0\0\0\0", true},                        /* without a header */
        {10, "\0\0\0\6\5\xff\xff\xff\xff\xff", true}, /* a header that is none */
        {10, "\0\0\0\6\xff\xff\xff\xff\xff\1", true}, /* a length without end */
        {9, "\0\0\0\5\x7f\x08\2\x10\0", true},        /* a length beyond the frame */
        {7, "\x0c\0\0\0abc", false},                  /* 192 MiB */
        {7,
         "\xff\xff\xff\xfb"
         "abc",
         false}, /* a negative length */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fx fx;

        begin(&fx, true, false);
        base_buf_add(&fx.in, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
        rpc_context_add(&fx.in, "ann", NULL);
        base_buf_add(&fx.in, cases[i].bytes, cases[i].len);
        run(&fx, 1);
        CU_ASSERT(fx.closed);
        if (cases[i].answered)
            expect(&fx, API_RPC_ID_NONE, API_RPC_FATAL, API_RPC_BAD_MESSAGE, RPC_EXCEPTION);
        else
            CU_ASSERT_EQUAL(fx.out.len, 0);
        end(&fx);
    }
}

/* Before the first call nobody has a reason for a large frame. */
static void test_large_greeting(void)
{
    struct fx fx;

    begin(&fx, true, false);
    base_buf_add(&fx.in, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    base_buf_add(&fx.in, "\0\2\0\0", 4); /* 128 KiB; frame_max is 1 MiB */
    run(&fx, 1000);
    CU_ASSERT(fx.closed && fx.out.len == 0);
    end(&fx);
}

/* A ping is not answered; a call without its request comes out, and says so. */
static void test_ping_and_missing_request(void)
{
    Rpc__CallHeader header = RPC__CALL_HEADER__INIT;
    struct fx fx;

    begin(&fx, true, false);
    base_buf_add(&fx.in, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_context_add(&fx.in, "ann", NULL);
    rpc_frame_add(&fx.in, API_RPC_ID_PING, 0, NULL, NULL);
    header.method = "x";
    header.protocol = "y";
    header.version = 1;
    rpc_frame_add(&fx.in, 3, 1, &header.base, NULL);
    run(&fx, 1000);
    CU_ASSERT(!fx.closed && fx.calls == 1 && fx.out.len == 0);
    CU_ASSERT(!fx.has_request);
    end(&fx);
}

/* Goal: a client that sends pings in place of its context is refused. */
static void test_ping_before_context(void)
{
    struct fx fx;

    begin(&fx, true, false);
    base_buf_add(&fx.in, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_frame_add(&fx.in, API_RPC_ID_PING, 0, NULL, NULL);
    run(&fx, 1000);
    expect(&fx, API_RPC_ID_PING, API_RPC_FATAL, API_RPC_INVALID_HEADER,
           "org.apache.hadoop.ipc.RpcServerException");
    CU_ASSERT_FALSE(fx.session.unproven);
    end(&fx);
}

/* Returns true when the @len bytes at @data are a context of a connection. */
static bool is_context(const char *data, size_t len)
{
    struct api_rpc_arena arena;
    bool is;

    api_rpc_arena_init(&arena, 100000);
    is = api_rpc_decode(&rpc__context__descriptor, data, len, &arena) != NULL;
    api_rpc_arena_free(&arena);
    return is;
}

/* Goal: a text that is not UTF-8 is refused, also one in a message within the message. */
static void test_texts(void)
{
    CU_ASSERT_TRUE(is_context("\x1a\x02\xc3\xa9", 4)); /* the protocol is an e with an accent */
    CU_ASSERT_FALSE(is_context("\x1a\x02\xc3z", 4));
    CU_ASSERT_TRUE(is_context("\x12\x03\x0a\x01z", 5)); /* a user */
    CU_ASSERT_FALSE(is_context("\x12\x03\x0a\x01\xff", 5));
}

static const struct cunit_case cases[] = {
    {"recorded client", test_recorded_client},
    {"recorded answers", test_recorded_answers},
    {"recorded token", test_recorded_token},
    {"bad tokens", test_bad_tokens},
    {"token of another user", test_token_of_another_user},
    {"SASL without tokens", test_sasl_without_tokens},
    {"choice of SIMPLE", test_choice_of_simple},
    {"preambles", test_preambles},
    {"HTTP request", test_http_request},
    {"wrong turns", test_wrong_turns},
    {"cut messages", test_cut_messages},
    {"malformed frames", test_malformed_frames},
    {"large greeting", test_large_greeting},
    {"texts", test_texts},
    {"ping and missing request", test_ping_and_missing_request},
    {"ping before context", test_ping_before_context},
};
CUNIT_MAIN("Hadoop RPC: sessions", cases)
