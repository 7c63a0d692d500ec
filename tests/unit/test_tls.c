/* Goal: our server and our clients accept and refuse over TLS what they should, with clear texts;
 * renewed certificates do not end open connections; daemons are known by their certificates.
 * Method: a server in this process with certificates made by the test, asked by our client and by
 * one of GnuTLS. */
#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/server/server.h"
#include "api/server/tls/tls.h"
#include "base/io/curl.h"
#include "base/io/http_client.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/tls_files.h"

#define BIG 3000000 /* bytes; many records of TLS */

static struct api_server *server;
static uint16_t port;
static struct api_tls *tls;
static struct base_certificate ca, other_ca;

/* ---- the server ---- */

static void on_scheme(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    base_buf_adds(&b, api_scheme(rq));
    api_answer(rq, 200, API_TEXT, &b);
}

static void on_count(struct api_request *rq, void *user)
{
    struct base_buf b = {0};
    size_t len;

    (void)user;
    api_body(rq, &len);
    base_buf_addf(&b, "%zu", len);
    api_answer(rq, 200, API_TEXT, &b);
}

static void on_big(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    for (int i = 0; i < BIG / 10; i++)
        base_buf_addf(&b, "%09d\n", i);
    api_answer(rq, 200, API_TEXT, &b);
}

static void on_file(struct api_request *rq, void *user)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    struct base_buf b = {0};

    (void)user;
    for (int i = 0; i < BIG / 10; i++)
        base_buf_addf(&b, "%09d\n", i);
    CU_ASSERT_EQUAL_FATAL(base_write_all(fd, b.data, b.len), 0);
    base_buf_free(&b);
    api_answer_file(rq, 200, "application/octet-stream", fd, 0, BIG);
}

static int64_t read_stream(void *u, char *buf, size_t max)
{
    int *calls = u;

    (void)max;
    if ((*calls)++ % 2)
        return *calls > 6 ? -1 : 0; /* 0: nothing yet, the connection sleeps; -1: the end */
    memcpy(buf, "line\n", 5);
    return 5;
}

static void on_stream(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_stream(rq, 200, "text/plain", read_stream, base_alloc(sizeof(int)), free);
}

static const struct api_route routes[] = {
    {"GET", "/scheme", API_ROLE_READ, 0, on_scheme, API_ROUTE_CREEL},
    {"POST", "/count", API_ROLE_READ, BIG + 1, on_count, API_ROUTE_CREEL},
    {"GET", "/big", API_ROLE_READ, 0, on_big, API_ROUTE_CREEL},
    {"GET", "/file", API_ROLE_READ, 0, on_file, API_ROUTE_CREEL},
    {"GET", "/stream", API_ROLE_READ, 0, on_stream, API_ROUTE_CREEL},
    {"GET", "/node", API_ROLE_NODE, 0, on_scheme, API_ROUTE_CREEL},
};

static struct base_tls_conf files_of(const char *name)
{
    static char certificate[2][64];
    static int next;
    char *room = certificate[next++ % 2];
    char key[64];

    snprintf(room, sizeof certificate[0], "%s.pem", name);
    snprintf(key, sizeof key, "%s.key", name);
    return (struct base_tls_conf){.https = true,
                                  .certificate_file = tls_path(room),
                                  .key_file = tls_path(key),
                                  .ca_file = tls_path("ca.pem")};
}

static void start_with(const struct base_tls_conf *conf)
{
    struct api_server_conf server_conf = {.bind = "127.0.0.1", .threads = 2};
    struct base_error err = {0};

    tls = NULL;
    if (conf && api_tls_new(conf, &tls, &err) < 0) {
        printf("%s\n", err.text);
        abort();
    }
    server_conf.tls = tls;
    CU_ASSERT_EQUAL_FATAL(api_server_start(&server_conf, routes, sizeof routes / sizeof routes[0],
                                           NULL, &server, &err),
                          0);
    port = api_server_port(server);
}

static void start(const char *name)
{
    struct base_tls_conf conf = files_of(name);

    start_with(&conf);
}

static void stop(void)
{
    api_server_stop(server);
    api_tls_unref(tls);
}

/* ---- our client ---- */

/* Sends one request over a connection of its own. Returns what base_http_perform() returns. */
static int ask(const char *scheme, const char *host, const char *path, const struct base_buf *body,
               struct base_http_answer *out, struct base_error *err)
{
    char *url = base_printf("%s%s:%u%s", scheme, host, port, path);
    struct base_http *http = base_http_new();
    struct base_http_request rq = {.method = body ? "POST" : "GET",
                                   .url = url,
                                   .body = body ? body->data : NULL,
                                   .body_len = body ? body->len : 0};
    int rc = base_http_perform(http, &rq, out, err);

    base_http_free(http);
    free(url);
    return rc;
}

static void expect(const char *host, const char *path, int status, const char *text)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(ask("https://", host, path, NULL, &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, status);
    if (text)
        CU_ASSERT_STRING_EQUAL(a.body.data, text);
    base_http_answer_free(&a);
}

static void expect_failure(const char *scheme, const char *host, const char *words)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};

    CU_ASSERT_EQUAL(ask(scheme, host, "/scheme", NULL, &a, &err), -BASE_EIO);
    if (!strstr(err.text, words))
        printf("\n  expected \"%s\" in \"%s\"\n", words, err.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
}

static void trust(const char *name)
{
    base_tls_trust_only(tls_path(name));
}

/* ---- tests: what passes through ---- */

static void test_answers(void)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};
    struct base_buf body = {0};
    static const char *const long_ones[] = {"/big", "/file"};

    start("host");
    trust("ca.pem");
    expect("127.0.0.1", "/scheme", 200, "https://");
    expect("localhost", "/scheme", 200, "https://");
    expect("127.0.0.1", "/stream", 200, "line\nline\nline\nline\n");
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(ask("https://", "127.0.0.1", long_ones[i], NULL, &a, &err), 0);
        CU_ASSERT_EQUAL(a.body.len, BIG);
        CU_ASSERT_STRING_EQUAL(a.body.data + BIG - 20, "000299998\n000299999\n");
        base_http_answer_free(&a);
    }
    for (int i = 0; i < BIG; i++)
        base_buf_adds(&body, "x");
    CU_ASSERT_EQUAL_FATAL(ask("https://", "127.0.0.1", "/count", &body, &a, &err), 0);
    CU_ASSERT_STRING_EQUAL(a.body.data, "3000000");
    base_http_answer_free(&a);
    base_buf_free(&body);
    stop();
}

static void test_plain_server_says_http(void)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};

    start_with(NULL);
    CU_ASSERT_EQUAL_FATAL(ask("http://", "127.0.0.1", "/scheme", NULL, &a, &err), 0);
    CU_ASSERT_STRING_EQUAL(a.body.data, "http://");
    base_http_answer_free(&a);
    stop();
}

/* ---- tests: certificates that clients refuse ---- */

static void test_client_refuses_certificates(void)
{
    start("host");
    trust("other.pem");
    expect_failure("https://", "127.0.0.1", "its certificate is not signed by an authority of ");
    base_tls_trust_only("/nonexistent/ca.pem");
    expect_failure("https://", "127.0.0.1",
                   "cannot read the file of authorities, /nonexistent/ca.pem (creel.tls.ca-file)");
    base_tls_trust_only(NULL);
    expect_failure("https://", "127.0.0.1", "(creel.tls.ca-file names another one)");
    stop();

    start("aged");
    trust("elder.pem");
    expect_failure("https://", "127.0.0.1", "its certificate, or its authority's, has expired");
    stop();

    start("elsewhere");
    trust("ca.pem");
    expect_failure("https://", "127.0.0.1", "its certificate is for another host");
    expect_failure("https://", "localhost", "its certificate is for another host");
    stop();
}

/* ---- tests: the wrong protocol ---- */

static void test_plain_http_on_tls_port(void)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};

    start("host");
    for (int i = 0; i < 20; i++) { /* the whole answer arrives each time */
        CU_ASSERT_EQUAL_FATAL(ask("http://", "127.0.0.1", "/scheme", NULL, &a, &err), 0);
        CU_ASSERT_EQUAL(a.status, 400);
        CU_ASSERT_PTR_NOT_NULL_FATAL(a.body.data);
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "use https:// in place of http://"));
        base_http_answer_free(&a);
    }
    trust("ca.pem");
    expect("127.0.0.1", "/scheme", 200, "https://"); /* the server still serves TLS */
    stop();
}

static void test_tls_on_plain_port(void)
{
    start_with(NULL);
    trust("ca.pem");
    /* whether it answers or hangs up depends on the random bytes of the greeting */
    expect_failure("https://", "127.0.0.1", "; plain HTTP?");
    stop();
}

/* ---- tests: a client of GnuTLS, for what libcurl does not let us choose ---- */

struct raw {
    int fd;
    gnutls_certificate_credentials_t credentials;
    gnutls_session_t session;
};

/* Connects and shakes hands. Returns 0 or GnuTLS's error. */
static int raw_open(struct raw *r, const char *priorities)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct timeval limit = {.tv_sec = 30};
    int rc;

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    r->fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    CU_ASSERT_EQUAL_FATAL(connect(r->fd, (struct sockaddr *)&to, sizeof to), 0);
    gnutls_certificate_allocate_credentials(&r->credentials);
    gnutls_init(&r->session, GNUTLS_CLIENT);
    CU_ASSERT_EQUAL_FATAL(gnutls_priority_set_direct(r->session, priorities, NULL), 0);
    gnutls_credentials_set(r->session, GNUTLS_CRD_CERTIFICATE, r->credentials);
    gnutls_transport_set_int(r->session, r->fd);
    do
        rc = gnutls_handshake(r->session);
    while (rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED ||
           rc == GNUTLS_E_WARNING_ALERT_RECEIVED);
    return rc;
}

static void raw_close(struct raw *r)
{
    gnutls_deinit(r->session);
    gnutls_certificate_free_credentials(r->credentials);
    close(r->fd);
}

/* Sends a request on the open connection, and checks the answer. */
static void raw_ask(struct raw *r)
{
    static const char rq[] = "GET /scheme HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char text[4096];
    size_t len = 0;
    ssize_t n;

    CU_ASSERT_EQUAL(gnutls_record_send(r->session, rq, sizeof rq - 1), sizeof rq - 1);
    do {
        n = gnutls_record_recv(r->session, text + len, sizeof text - 1 - len);
        if (n > 0)
            len += (size_t)n;
        text[len] = '\0';
    } while ((n > 0 && !strstr(text, "https://")) || n == GNUTLS_E_AGAIN);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "HTTP/1.1 200"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "https://"));
}

/* Sends @text, and reads until the server ends the connection or @ends records with the scheme have
 * come; each answer is one record, since the server writes it at once. Returns how many have
 * come. */
static int raw_count_answers(struct raw *r, const char *text, int ends)
{
    char buf[16385];
    ssize_t got = 1;
    int n = 0;

    CU_ASSERT_EQUAL(gnutls_record_send(r->session, text, strlen(text)), (ssize_t)strlen(text));
    while (n < ends && (got > 0 || got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)) {
        got = gnutls_record_recv(r->session, buf, sizeof buf - 1);
        buf[got > 0 ? got : 0] = '\0';
        n += strstr(buf, "https://") != NULL;
    }
    return n;
}

/* Goal: answers whose head and body are collected into one record leave: to one request after the
 * other, to many sent at once, and to the last one, which ends the connection. */
static void test_collected_answers(void)
{
    enum { ROW = 200 };
    static const char one[] = "GET /scheme HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const char *const last[] = {
        "GET /scheme HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET /scheme HTTP/1.0\r\nHost: localhost\r\n\r\n"};
    struct base_buf row = {0};
    struct raw r;

    start("host");
    for (int i = 0; i < ROW; i++)
        base_buf_adds(&row, one);
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(raw_open(&r, "NORMAL"), 0);
        raw_ask(&r);
        CU_ASSERT_EQUAL(raw_count_answers(&r, row.data, ROW), ROW);
        raw_ask(&r);
        /* 2 is one more than comes, so this reads until the connection ends */
        CU_ASSERT_EQUAL(raw_count_answers(&r, last[i], 2), 1);
        raw_close(&r);
    }
    base_buf_free(&row);
    stop();
}

/* Returns the first 8 bytes of the digest of the certificate that the server has shown. */
static uint64_t raw_certificate(const struct raw *r)
{
    unsigned n = 0;
    const gnutls_datum_t *certificates = gnutls_certificate_get_peers(r->session, &n);
    unsigned char digest[32] = {0};
    size_t len = sizeof digest;
    uint64_t out;

    CU_ASSERT_FATAL(certificates && n > 0);
    gnutls_fingerprint(GNUTLS_DIG_SHA256, &certificates[0], digest, &len);
    memcpy(&out, digest, sizeof out);
    return out;
}

static void test_versions(void)
{
    static const struct {
        const char *priorities;
        int rc;
    } cases[] = {
        {"NORMAL:-VERS-ALL:+VERS-TLS1.3", 0},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.2", 0},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.1", GNUTLS_E_FATAL_ALERT_RECEIVED},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.0", GNUTLS_E_FATAL_ALERT_RECEIVED},
        /* ciphers without AEAD */
        {"NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC:+AES-256-CBC",
         GNUTLS_E_PREMATURE_TERMINATION},
    };

    start("host");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct raw r;

        int rc = raw_open(&r, cases[i].priorities);

        if (rc != cases[i].rc)
            printf("\n  %s: %s\n", cases[i].priorities, gnutls_strerror(rc));
        CU_ASSERT_EQUAL(rc, cases[i].rc);
        if (rc == 0)
            raw_ask(&r);
        raw_close(&r);
    }
    stop();
}

/* Copies the files of one certificate over those of another, as a renewal does. */
static void replace_files(const char *from, const char *to)
{
    static const char *const kinds[] = {"pem", "key"};

    for (size_t i = 0; i < 2; i++) {
        char source[64], target[64];
        struct base_buf text = {0};
        struct base_error err = {0};

        snprintf(source, sizeof source, "%s.%s", from, kinds[i]);
        snprintf(target, sizeof target, "%s.%s", to, kinds[i]);
        CU_ASSERT_EQUAL_FATAL(base_file_read(tls_path(source), 1 << 20, &text, &err), 0);
        tls_write(target, &text, i ? 0600 : 0644);
        base_buf_free(&text);
    }
}

static void test_reload_cuts_nothing(void)
{
    struct base_error err = {0};
    struct raw before[2], after;
    uint64_t old;

    replace_files("host", "live");
    start("live");
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(raw_open(&before[i], i ? "NORMAL:-VERS-ALL:+VERS-TLS1.2" : "NORMAL"),
                              0);
        raw_ask(&before[i]);
    }
    old = raw_certificate(&before[0]);
    replace_files("renewed", "live");
    CU_ASSERT_EQUAL(api_tls_reload(tls, &err), 0);
    raw_ask(&before[0]);
    raw_ask(&before[1]);
    CU_ASSERT_EQUAL_FATAL(raw_open(&after, "NORMAL"), 0);
    raw_ask(&after);
    CU_ASSERT_NOT_EQUAL(raw_certificate(&after), old);
    raw_close(&after);
    /* a key that does not belong to the certificate is refused, and changes nothing */
    tls_write("live.key", &ca.key, 0600);
    CU_ASSERT_EQUAL(api_tls_reload(tls, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is not the key of the certificate in"));
    trust("ca.pem");
    expect("127.0.0.1", "/scheme", 200, "https://");
    raw_ask(&before[0]);
    for (int i = 0; i < 2; i++)
        raw_close(&before[i]);
    stop();
}

/* ---- tests: a daemon that does not start ---- */

static void expect_refused(const struct base_tls_conf *conf, const char *words)
{
    struct base_error err = {0};
    struct api_tls *t = NULL;

    CU_ASSERT_EQUAL(api_tls_new(conf, &t, &err), -BASE_EINVAL);
    if (!strstr(err.text, words))
        printf("\n  expected \"%s\" in \"%s\"\n", words, err.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
    api_tls_unref(t);
}

static void test_files_refused(void)
{
    struct base_tls_conf c = files_of("host");
    struct base_buf junk = {0};

    c.certificate_file = "";
    expect_refused(&c, "HTTPS_ONLY, but creel.tls.certificate-file is not set");
    c = files_of("host");
    c.key_file = "";
    expect_refused(&c, "HTTPS_ONLY, but creel.tls.key-file is not set");
    c.key_file = "/nonexistent/key";
    expect_refused(&c, "creel.tls.key-file: /nonexistent/key: No such file");
    c = files_of("host");
    c.certificate_file = "/nonexistent/crt";
    expect_refused(&c, "creel.tls.certificate-file: cannot open /nonexistent/crt");
    c = files_of("host");
    c.key_file = tls_path("ca.key");
    expect_refused(&c, "ca.key is not the key of the certificate in");
    base_buf_adds(&junk, "no PEM\n");
    tls_write("junk.pem", &junk, 0600);
    c.key_file = tls_path("junk.pem");
    expect_refused(&c, "creel.tls.key-file: ");
    c = files_of("host");
    c.certificate_file = tls_path("junk.pem");
    expect_refused(&c, "no certificate in PEM");
    c = files_of("host");
    c.ca_file = tls_path("junk.pem");
    expect_refused(&c, "creel.tls.ca-file: ");
    base_buf_free(&junk);
    c = files_of("expired");
    expect_refused(&c, "expired.pem expired on ");
    c = files_of("future");
    expect_refused(&c, "future.pem is valid from ");
    replace_files("host", "open");
    CU_ASSERT_EQUAL(chmod(tls_path("open.key"), 0640), 0);
    c = files_of("open");
    expect_refused(&c, "open.key has mode 0640: expected 0600");
    CU_ASSERT_EQUAL(chmod(tls_path("open.key"), 0604), 0);
    expect_refused(&c, "open.key has mode 0604");
}

/* ---- tests: the keys of the configuration ---- */

static void expect_conf(const char *const *args, const char *words)
{
    struct base_conf *conf = base_conf_new();
    struct base_tls_conf out;
    struct base_error err = {0};
    int rc;

    for (size_t i = 0; args[i]; i++)
        CU_ASSERT_EQUAL(base_conf_set_arg(conf, args[i], &err), 0);
    rc = base_tls_conf_read(conf, &out, &err);
    CU_ASSERT_EQUAL(rc, words ? -BASE_EINVAL : 0);
    if (words && !strstr(err.text, words))
        printf("\n  expected \"%s\" in \"%s\"\n", words, err.text);
    if (words)
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
    base_conf_free(conf);
}

#define HTTPS "yarn.http.policy=HTTPS_ONLY"
#define PAIR  "creel.tls.certificate-file=c", "creel.tls.key-file=k"

static void test_configuration(void)
{
    expect_conf((const char *const[]){NULL}, NULL);
    expect_conf((const char *const[]){HTTPS, PAIR, NULL}, NULL);
    expect_conf((const char *const[]){"yarn.http.policy=HTTP_AND_HTTPS", NULL},
                "HTTP_AND_HTTPS is not served");
    expect_conf((const char *const[]){"yarn.http.policy=TLS", NULL},
                "\"TLS\": expected HTTP_ONLY or HTTPS_ONLY");
    expect_conf((const char *const[]){"creel.tls.key-file=k", NULL},
                "creel.tls.certificate-file is not set, though creel.tls.key-file is");
    expect_conf((const char *const[]){"creel.tls.client-auth=all", NULL},
                "\"all\": expected none or daemons");
    expect_conf((const char *const[]){"creel.tls.client-auth=daemons", NULL},
                "expected yarn.http.policy HTTPS_ONLY beside it");
    expect_conf((const char *const[]){HTTPS, PAIR, "creel.tls.client-auth=daemons", NULL},
                "creel.tls.ca-file is not set");
    expect_conf((const char *const[]){HTTPS, PAIR, "creel.tls.client-auth=daemons",
                                      "creel.tls.ca-file=a", NULL},
                NULL);
}

/* ---- tests: certificates of daemons ---- */

static void test_daemons_show_certificates(void)
{
    struct base_tls_conf c = files_of("host"), client = files_of("renewed");

    c.client_auth = client.client_auth = true;
    start_with(&c);
    trust("ca.pem");
    expect("127.0.0.1", "/scheme", 200, "https://");
    expect("127.0.0.1", "/node", 403, NULL);
    base_tls_use_for_clients(&client);
    expect("127.0.0.1", "/node", 200, "https://");
    client = files_of("stranger"); /* signed by another authority */
    client.client_auth = true;
    base_tls_use_for_clients(&client);
    expect("127.0.0.1", "/node", 403, NULL);
    base_tls_trust_only(NULL);
    stop();
}

/* ---- the files of all tests ---- */

static void make_files(void)
{
    static const char *const both[] = {"localhost", "127.0.0.1"};
    struct base_certificate elder, c;

    tls_make_folder();
    ca = tls_make("ca", NULL, 0, NULL, -1, 100);
    other_ca = tls_make("other", NULL, 0, NULL, -1, 100);
    c = tls_make("host", both, 2, &ca, -1, 100);
    base_certificate_free(&c);
    c = tls_make("renewed", both, 2, &ca, -1, 100);
    base_certificate_free(&c);
    tls_make_host("elsewhere", "elsewhere.example", &ca, -1, 100);
    tls_make_host("expired", "localhost", &ca, -10, -1);
    tls_make_host("future", "localhost", &ca, 1, 10);
    tls_make_host("stranger", "localhost", &other_ca, -1, 100);
    elder = tls_make("elder", NULL, 0, NULL, -10, -1);
    tls_make_host("aged", "127.0.0.1", &elder, -5, 100);
    base_certificate_free(&elder);
}

static void remove_files(void)
{
    base_certificate_free(&ca);
    base_certificate_free(&other_ca);
    tls_remove_folder();
}

static const struct cunit_case cases[] = {
    {"make the files", make_files},
    {"answers of all kinds", test_answers},
    {"a plain server says http", test_plain_server_says_http},
    {"clients refuse certificates", test_client_refuses_certificates},
    {"plain HTTP on a TLS port", test_plain_http_on_tls_port},
    {"TLS on a plain port", test_tls_on_plain_port},
    {"versions and ciphers", test_versions},
    {"collected answers", test_collected_answers},
    {"a reload cuts nothing", test_reload_cuts_nothing},
    {"files refused", test_files_refused},
    {"configuration", test_configuration},
    {"daemons show certificates", test_daemons_show_certificates},
    {"remove the files", remove_files},
};
CUNIT_MAIN("tls", cases)
