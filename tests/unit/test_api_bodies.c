/* What the HTTP server reads and sends as bodies, as a client on the wire sees it: whole, in
 * chunks, compressed, from files and from streams. Expected heads and bodies follow recordings of
 * YARN 3.4.2. */
#include "tests/unit/api_server_fixture.h"

static void test_bodies(void)
{
    static const char json[] = "Content-Type: application/json\r\n";
    char *thousand = long_text(1000), *over = long_text(1001);
    struct client_answer a;

    client_do(port, "POST", "/ws/v1/cluster/apps?user.name=bob", json, "{\"a\":1}", &a);
    check(&a, 200, "POST /ws/v1/cluster/apps args=-,- user=bob q=- bearer=- body={\"a\":1}");
    client_free(&a);
    client_do(port, "POST", "/ws/v1/cluster/apps", json, thousand, &a);
    check(&a, 200, NULL);
    client_free(&a);
    client_do(port, "POST", "/ws/v1/cluster/apps", json, over, &a);
    check(&a, 413, NULL);
    /* the body was read, so that the connection can go on */
    CU_ASSERT_PTR_NULL(strstr(a.head, "Connection: close"));
    client_free(&a);
    client_do(port, "POST", "/ws/v1/cluster/apps", "Content-Type: text/plain\r\n", "hello", &a);
    check(&a, 503, XML_503);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/xml;charset=null"));
    client_free(&a);
    client_do(port, "PUT", "/ws/v1/cluster/apps/x/state", "Accept: application/json\r\n",
              "{\"state\":\"KILLED\"}", &a);
    check(&a, 503,
          "{\"RemoteException\":{\"exception\":\"WebApplicationException\",\"message\":\""
          "com.sun.jersey.api.MessageException: A message body reader for Java class "
          "org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppState, and Java type class "
          "org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppState, and MIME media type "
          "application/octet-stream was not "
          "found.\\n\",\"javaClassName\":\"javax.ws.rs.WebApplicationException\"}}");
    client_free(&a);
    /* A route that takes no body ignores the body and its type. A body may be as long as its own
     * route allows. */
    client_do(port, "POST", "/ws/v1/cluster/apps/new-application", "Content-Type: text/plain\r\n",
              over, &a);
    check(&a, 200,
          "POST /ws/v1/cluster/apps/new-application args=-,- user=dr.who q=- bearer=- body=");
    client_free(&a);
    client_do(port, "POST", "/creel/job", JSON, over, &a);
    check(&a, 200, NULL);
    client_free(&a);
    free(thousand);
    free(over);
}

static void chunked(const char *path, const char *headers, const char *data, size_t len,
                    size_t piece, int status)
{
    struct base_buf b = {0};
    struct client_answer a;

    base_buf_addf(&b, "POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n%s\r\n",
                  path, headers);
    for (size_t i = 0; i < len; i += piece) {
        size_t n = len - i < piece ? len - i : piece;

        base_buf_addf(&b, "%zx\r\n", n);
        base_buf_add(&b, data + i, n);
        base_buf_adds(&b, "\r\n");
    }
    base_buf_adds(&b, "0\r\n\r\n");
    client_once(port, b.data, b.len, &a);
    CU_ASSERT_EQUAL(a.status, status);
    client_free(&a);
    base_buf_free(&b);
}

static void test_chunked_bodies(void)
{
    char *text = long_text(20000000);

    chunked("/ws/v1/cluster/apps", "Content-Type: application/json\r\n", text, 1000, 7, 200);
    chunked("/ws/v1/cluster/apps", "Content-Type: application/json\r\n", text, 1001, 100, 413);
    chunked("/creel/job", JSON, text, 100000, 4096, 200);
    /* the server reads the body to its end, so that its answer arrives */
    chunked("/creel/job", JSON, text, 20000000, 65536, 413);
    free(text);
}

/* Sends a body of @n chunks of 64 KiB, too long for its route. Returns the status; 0: the server
 * cut the connection. */
static int drop(unsigned n)
{
    char *piece = long_text(64 << 10);
    struct client_answer a;
    int fd = client_connect(port), status;

    client_sends(fd, "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
                     "Transfer-Encoding: chunked\r\n\r\n");
    for (unsigned i = 0; i < n; i++) {
        client_sends(fd, "10000\r\n");
        client_send(fd, piece, 64 << 10);
        client_sends(fd, "\r\n");
    }
    client_sends(fd, "0\r\n\r\n");
    status = client_read(fd, false, &a) ? a.status : 0;
    client_free(&a);
    close(fd);
    free(piece);
    return status;
}

/* Of a body that is too long, the server reads and drops up to 64 MiB so that its answer arrives,
 * counted from where the body became too long (here at 100,000 bytes). Of a longer one it cuts the
 * connection. */
static void test_dropped_bodies(void)
{
    CU_ASSERT_EQUAL(drop(1024 + 1), 413);
    CU_ASSERT_EQUAL(drop(1024 + 16), 0);
}

static void gzip(const char *text, size_t len, struct base_buf *out)
{
    z_stream z = {0};

    CU_ASSERT_EQUAL_FATAL(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    base_buf_reserve(out, deflateBound(&z, len) + 100);
    z.next_in = (Bytef *)text;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)out->data;
    z.avail_out = (uInt)out->cap;
    CU_ASSERT_EQUAL(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len = z.total_out;
    deflateEnd(&z);
}

static void post_gzip(const char *path, const char *headers, const void *data, size_t len,
                      int status, const char *body)
{
    struct base_buf b = {0};
    struct client_answer a;

    base_buf_addf(&b,
                  "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: "
                  "gzip\r\nContent-Length: %zu\r\n%s\r\n",
                  path, len, headers);
    base_buf_add(&b, data, len);
    client_once(port, b.data, b.len, &a);
    check(&a, status, body);
    client_free(&a);
    base_buf_free(&b);
}

static void test_gzip_requests(void)
{
    static const char text[] = "{\"application-name\":\"packed\"}";
    char *bomb_text = long_text(5000000);
    struct base_buf packed = {0}, bomb = {0};
    struct client_answer a;

    gzip(text, sizeof text - 1, &packed);
    post_gzip("/ws/v1/cluster/apps", "Content-Type: application/json\r\n", packed.data, packed.len,
              200,
              "POST /ws/v1/cluster/apps args=-,- user=dr.who q=- bearer=- "
              "body={\"application-name\":\"packed\"}");
    post_gzip("/creel/job", JSON, packed.data, packed.len - 3, 400, NULL); /* cut off */
    post_gzip("/creel/job", JSON, text, sizeof text - 1, 400, NULL);       /* not compressed */
    chunked("/creel/job", JSON "Content-Encoding: gzip\r\n", packed.data, packed.len, 1, 200);
    base_buf_add(&packed, "more", 4);
    /* data after the compressed body */
    post_gzip("/creel/job", JSON, packed.data, packed.len, 400, NULL);
    gzip(bomb_text, 5000000, &bomb);
    CU_ASSERT(bomb.len < 50000);
    post_gzip("/creel/job", JSON, bomb.data, bomb.len, 413, NULL);
    client_do(port, "POST", "/creel/job", JSON "Content-Encoding: br\r\n", "x", &a);
    check(&a, 415, NULL);
    client_free(&a);
    base_buf_free(&packed);
    base_buf_free(&bomb);
    free(bomb_text);
}

static void unpack(const struct base_buf *in, struct base_buf *out)
{
    z_stream z = {0};

    CU_ASSERT_EQUAL_FATAL(inflateInit2(&z, 31), Z_OK);
    base_buf_reserve(out, 2000000);
    z.next_in = (Bytef *)in->data;
    z.avail_in = (uInt)in->len;
    z.next_out = (Bytef *)out->data;
    z.avail_out = 2000000;
    CU_ASSERT_EQUAL(inflate(&z, Z_FINISH), Z_STREAM_END);
    out->len = z.total_out;
    out->data[out->len] = '\0';
    inflateEnd(&z);
}

static void test_gzip_answers(void)
{
    static const char *const paths[] = {"/ws/v1/cluster/apps", "/creel/big", "/ws/v1/cluster/info"};
    struct client_answer plain, packed;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct base_buf b = {0};

        client_do(port, "GET", paths[i], NULL, NULL, &plain);
        /* YARN compresses even for q=0 */
        client_do(port, "GET", paths[i], "Accept-Encoding: gzip;q=0\r\n", NULL, &packed);
        CU_ASSERT_TRUE(client_has(&packed, "Content-Encoding: gzip"));
        CU_ASSERT_PTR_NULL(strstr(plain.head, "Content-Encoding"));
        CU_ASSERT_TRUE(client_has(&plain, "Vary: Accept-Encoding"));
        unpack(&packed.body, &b);
        CU_ASSERT_EQUAL(b.len, plain.body.len);
        CU_ASSERT_STRING_EQUAL(b.data, plain.body.data);
        client_free(&plain);
        client_free(&packed);
        base_buf_free(&b);
    }
    /* an answer this short is not compressed */
    client_do(port, "GET", "/creel/json", "Accept-Encoding: gzip\r\n", NULL, &packed);
    check(&packed, 200, "{\"a\":1}");
    client_free(&packed);
    client_do(port, "GET", "/ws/v1/cluster/info", "Accept-Encoding: deflate\r\n", NULL, &packed);
    check(&packed, 200, "{\"a\":1}");
    client_free(&packed);
}

static void test_files_and_streams(void)
{
    struct client_answer a;

    client_do(port, "GET", "/ws/v1/node/file?len=10", "Authorization: Bearer t\r\n", NULL, &a);
    check(&a, 200, "456789abcd");
    CU_ASSERT_TRUE(client_has(&a, "Content-Length: 10"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/octet-stream"));
    CU_ASSERT_TRUE(client_has(&a, "X-Creel-Records: 3"));
    client_free(&a);
    get("/ws/v1/node/file?len=0", "Authorization: Bearer t\r\n", 200, "");
    client_do(port, "GET", "/ws/v1/node/stream", NULL, NULL, &a);
    check(&a, 200, "line1\nline1\n");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/plain;charset=utf-8"));
    client_free(&a);
}

static const struct cunit_case cases[] = {
    {"bodies", test_bodies},
    {"chunked bodies", test_chunked_bodies},
    {"dropped bodies", test_dropped_bodies},
    {"gzip requests", test_gzip_requests},
    {"gzip answers", test_gzip_answers},
    {"files and streams", test_files_and_streams},
};

int main(void)
{
    int rc;

    start(0);
    rc = cunit_main("api_bodies", cases, sizeof cases / sizeof cases[0]);
    api_server_stop(server);
    return rc;
}
