/* Goal: the shuffle reads the requests that reducers of Hadoop send, proves and checks them with
 * the job's secret, refuses others as YARN does, and takes no index of a map at its word.
 * Method: a request and its answer as recorded from Hadoop 3.4.2, one job of MapReduce's "pi";
 * tables of requests; indexes written by the test. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodemanager/shuffle/index.h"
#include "nodemanager/shuffle/jobs.h"
#include "nodemanager/shuffle/port_bytes.h"
#include "nodemanager/shuffle/request.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/shuffle_index.h"

#define PORT 37399
#define TARGET                                                                                     \
    "/mapOutput?job=job_1795348841796_0001&reduce=0&map=attempt_1795348841796_0001_m_000000_0"
#define REST                                                                                       \
    "User-Agent: Java/17.0.15\r\nHost: localhost:37399\r\n"                                        \
    "Accept: text/html, image/gif, image/jpeg, */*; q=0.2\r\nConnection: keep-alive\r\n\r\n"
#define RECORDED                                                                                   \
    "GET " TARGET " HTTP/1.1\r\nUrlHash: FXKKgxHgll45xZUlOgOKY+RvFsY=\r\nname: mapreduce\r\n"      \
    "version: 1.0.0\r\n" REST
/* service data of the job's containers */
static const char service_data[] = "\x17\x16job_1795348841796_0001\x08\xe6ZS\x13O5\x0b\xc6"
                                   "\rmapreduce.job\x16job_1795348841796_0001";

static bool slice_is(struct nm_shuffle_slice s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static void test_recorded_request(void)
{
    struct nm_shuffle_request rq;
    struct nm_shuffle_secret secret;
    char hash[NM_SHUFFLE_HASH];
    const char *why;

    CU_ASSERT_EQUAL_FATAL(
        nm_shuffle_secret_read(service_data, sizeof service_data - 1, &secret, NULL), 0);
    CU_ASSERT_EQUAL(secret.len, 8);
    CU_ASSERT_EQUAL(nm_shuffle_find_head_end(RECORDED "GET ", sizeof RECORDED + 3),
                    sizeof RECORDED - 1);
    CU_ASSERT_EQUAL_FATAL(nm_shuffle_request_read(RECORDED, sizeof RECORDED - 1, &rq, &why), 0);
    CU_ASSERT_EQUAL(rq.app.cluster_ts, 1795348841796);
    CU_ASSERT_EQUAL(rq.app.seq, 1);
    CU_ASSERT_EQUAL(rq.reduce, 0);
    CU_ASSERT_FALSE(rq.keep_alive);
    CU_ASSERT_EQUAL_FATAL(rq.maps_n, 1);
    CU_ASSERT(slice_is(rq.maps[0], "attempt_1795348841796_0001_m_000000_0"));
    CU_ASSERT(slice_is(rq.target, TARGET));
    CU_ASSERT(slice_is(rq.hash,
                       nm_shuffle_hash_request(secret.bytes, secret.len, PORT, rq.target, hash)));
    CU_ASSERT_STRING_EQUAL(nm_shuffle_hash_reply(secret.bytes, secret.len, rq.hash, hash),
                           "1peLGEHjVa8TYcGO5H0KTuIk8+8=");
    nm_shuffle_request_free(&rq);
}

static void test_head_end(void)
{
    size_t len = sizeof RECORDED - 1;

    for (size_t i = 0; i < len; i++)
        CU_ASSERT_EQUAL(nm_shuffle_find_head_end(RECORDED, i), 0);
    CU_ASSERT_EQUAL(nm_shuffle_find_head_end(RECORDED, len), len);
    CU_ASSERT_EQUAL(nm_shuffle_find_head_end("a\n\nb", 4), 3);
}

/* ---- requests ---- */

static unsigned read_request(const char *method, const char *query, const char *version,
                             struct nm_shuffle_request *rq, const char **why)
{
    static char head[8192]; /* which the request borrows from */

    snprintf(head, sizeof head, "%s /mapOutput?%s HTTP/1.1\r\nNAME:  mapreduce \r\n%s\r\n\r\n",
             method, query, version);
    return nm_shuffle_request_read(head, strlen(head), rq, why);
}

static void test_parameters(void)
{
    struct nm_shuffle_request rq;
    const char *why;

    CU_ASSERT_EQUAL_FATAL(read_request("GET",
                                       "x=1&keepAlive=TRUE&map=attempt_1_a,attempt_2&reduce=12&map="
                                       "attempt_3&job=job_5_0006",
                                       "version: 1.0.0", &rq, &why),
                          0);
    CU_ASSERT(rq.keep_alive);
    CU_ASSERT_EQUAL(rq.reduce, 12);
    CU_ASSERT_EQUAL(rq.app.cluster_ts, 5);
    CU_ASSERT_EQUAL(rq.app.seq, 6);
    CU_ASSERT_EQUAL_FATAL(rq.maps_n, 3);
    CU_ASSERT(slice_is(rq.maps[0], "attempt_1_a"));
    CU_ASSERT(slice_is(rq.maps[1], "attempt_2"));
    CU_ASSERT(slice_is(rq.maps[2], "attempt_3"));
    CU_ASSERT_PTR_NULL(rq.hash.at);
    nm_shuffle_request_free(&rq);
    /* a job that is none cannot be known */
    CU_ASSERT_EQUAL(
        read_request("GET", "map=attempt_1&reduce=1&job=job_x", "version: 1.0.0", &rq, &why), 0);
    CU_ASSERT_EQUAL(rq.app.cluster_ts, 0);
    nm_shuffle_request_free(&rq);
}

static void test_refusals(void)
{
    static const struct {
        const char *method, *query, *version;
        unsigned status;
        const char *why;
    } cases[] = {
        {"POST", "map=attempt_1&reduce=1&job=job_1_1", "version: 1.0.0", 405, ""},
        {"GET", "map=attempt_1&reduce=1&job=job_1_1", "version: 1.0.1", 400, "Incompatible"},
        {"GET", "map=attempt_1&reduce=1&job=job_1_1", "x: 1.0.0", 400, "Incompatible"},
        {"GET", "reduce=1&job=job_1_1", "version: 1.0.0", 400, "Required param"},
        {"GET", "map=attempt_1&job=job_1_1", "version: 1.0.0", 400, "Required param"},
        {"GET", "map=attempt_1&reduce=1", "version: 1.0.0", 400, "Required param"},
        {"GET", "", "version: 1.0.0", 400, "Required param"},
        {"GET", "map=attempt_1&reduce=1&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Too many"},
        {"GET", "map=attempt_1&reduce=1&job=job_1_1&job=job_1_1", "version: 1.0.0", 400,
         "Too many"},
        {"GET", "map=attempt_1&reduce=1x&job=job_1_1", "version: 1.0.0", 400, "Bad reduce"},
        {"GET", "map=attempt_1&reduce=&job=job_1_1", "version: 1.0.0", 400, "Bad reduce"},
        {"GET", "map=attempt_1&reduce=2147483648&job=job_1_1", "version: 1.0.0", 400, "Bad reduce"},
        {"GET", "map=attempt_1/../x&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Bad map"},
        {"GET", "map=..&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Bad map"},
        {"GET", "map=attempt_&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Bad map"},
        {"GET", "map=attempt_1,,attempt_2&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Bad map"},
        {"GET", "map=attempt_%2e&reduce=1&job=job_1_1", "version: 1.0.0", 400, "Bad map"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nm_shuffle_request rq;
        const char *why = NULL;
        unsigned status =
            read_request(cases[i].method, cases[i].query, cases[i].version, &rq, &why);

        CU_ASSERT_EQUAL(status, cases[i].status);
        CU_ASSERT_EQUAL(strncmp(why, cases[i].why, strlen(cases[i].why)), 0);
        if (status != cases[i].status)
            printf("\n  %s: %u\n", cases[i].query, status);
        nm_shuffle_request_free(&rq);
    }
}

static void test_no_http(void)
{
    static const char *const heads[] = {"\r\n\r\n",
                                        "GET\r\n\r\n",
                                        "GET /\r\n\r\n",
                                        "GET x HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/2\r\n\r\n",
                                        " \n\n"};
    struct nm_shuffle_request rq;
    const char *why;

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        CU_ASSERT_EQUAL(nm_shuffle_request_read(heads[i], strlen(heads[i]), &rq, &why), 400);
        nm_shuffle_request_free(&rq);
    }
}

static void test_bounds(void)
{
    struct base_buf query = {0};
    struct nm_shuffle_request rq;
    const char *why;
    char *head;

    base_buf_adds(&query, "reduce=1&job=job_1_1&map=attempt_1");
    for (int i = 1; i < NM_SHUFFLE_MAPS_MAX; i++)
        base_buf_adds(&query, ",attempt_1");
    for (int i = 0; i < 2; i++) {
        head = base_printf("GET /?%s HTTP/1.1\r\nname: mapreduce\r\nversion: 1.0.0\r\n\r\n",
                           query.data);
        CU_ASSERT_EQUAL(nm_shuffle_request_read(head, strlen(head), &rq, &why), i == 0 ? 0 : 400);
        CU_ASSERT_EQUAL(rq.maps_n, NM_SHUFFLE_MAPS_MAX);
        nm_shuffle_request_free(&rq);
        free(head);
        base_buf_adds(&query, ",attempt_1");
    }
    base_buf_free(&query);
}

/* ---- service data ---- */

static void test_service_data(void)
{
    struct nm_shuffle_secret secret;
    uint8_t port[4];

    for (size_t i = 0; i < sizeof service_data - 1; i++)
        CU_ASSERT_EQUAL(nm_shuffle_secret_read(service_data, i, &secret, NULL), -BASE_EINVAL);
    /* a password of no bytes, which everybody would know */
    CU_ASSERT_EQUAL(nm_shuffle_secret_read("\0\0\0\0", 4, &secret, NULL), -BASE_EINVAL);
    nm_shuffle_put_port(37399, port); /* as recorded */
    CU_ASSERT_EQUAL(memcmp(port, "\0\0\x92\x17", 4), 0);
}

/* ---- the index ---- */

static int read_index(const struct base_buf *bytes, int32_t reduce, int64_t data_size,
                      struct nm_shuffle_part *out)
{
    int fd = memfd_create("index", MFD_CLOEXEC);
    int rc;

    CU_ASSERT_EQUAL_FATAL(write(fd, bytes->data ? bytes->data : "", bytes->len),
                          (ssize_t)bytes->len);
    rc = nm_shuffle_index_read(fd, (int64_t)bytes->len, reduce, data_size, out, NULL);
    close(fd);
    return rc;
}

static void test_index(void)
{
    struct base_buf b = {0};
    struct nm_shuffle_part p;

    shuffle_index_add(&b, 0, 10, 12);
    shuffle_index_add(&b, 12, 300, 5);
    shuffle_index_end(&b);
    CU_ASSERT_EQUAL(read_index(&b, 0, 17, &p), 0);
    CU_ASSERT(p.offset == 0 && p.raw_len == 10 && p.len == 12);
    CU_ASSERT_EQUAL(read_index(&b, 1, 17, &p), 0);
    CU_ASSERT(p.offset == 12 && p.raw_len == 300 && p.len == 5);
    CU_ASSERT_EQUAL(read_index(&b, 2, 17, &p), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(read_index(&b, -1, 17, &p), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(read_index(&b, 1, 16, &p), -BASE_ECORRUPT); /* beyond the output's end */
    for (size_t i = 0; i < b.len; i++) {
        b.data[i] ^= 1;
        CU_ASSERT_EQUAL(read_index(&b, 0, 1 << 20, &p), -BASE_ECORRUPT);
        b.data[i] ^= 1;
    }
    for (; b.len; b.len--) { /* cut off */
        size_t len = b.len--;

        CU_ASSERT_NOT_EQUAL(read_index(&b, 0, 17, &p), 0);
        b.len = len;
    }
    base_buf_free(&b);
}

/* Numbers that overflow or are negative, under a right checksum. */
static void test_lying_index(void)
{
    static const int64_t v[][3] = {{-1, 1, 1},
                                   {1, 1, -1},
                                   {1, -1, 1},
                                   {INT64_MAX, 1, INT64_MAX},
                                   {INT64_MAX, 1, 1},
                                   {1, 1, INT64_MAX},
                                   {INT64_MIN, 1, INT64_MIN}};
    struct nm_shuffle_part p;

    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct base_buf b = {0};

        shuffle_index_add(&b, v[i][0], v[i][1], v[i][2]);
        shuffle_index_end(&b);
        CU_ASSERT_EQUAL(read_index(&b, 0, 100, &p), -BASE_ECORRUPT);
        base_buf_free(&b);
    }
}

/* More records than are read at a time. */
static void test_long_index(void)
{
    struct base_buf b = {0};
    struct nm_shuffle_part p;

    for (int i = 0; i < 5000; i++)
        shuffle_index_add(&b, i, i, 1);
    shuffle_index_end(&b);
    for (int i = 0; i < 5000; i += 1023) {
        CU_ASSERT_EQUAL(read_index(&b, i, 5000, &p), 0);
        CU_ASSERT_EQUAL(p.offset, i);
    }
    b.data[3 * 24 * 1024] ^= 1; /* in another chunk than the part asked for */
    CU_ASSERT_EQUAL(read_index(&b, 0, 5000, &p), -BASE_ECORRUPT);
    base_buf_free(&b);
}

static const struct cunit_case cases[] = {{"the recorded request", test_recorded_request},
                                          {"end of the head", test_head_end},
                                          {"parameters", test_parameters},
                                          {"refusals", test_refusals},
                                          {"what is no HTTP", test_no_http},
                                          {"bounds", test_bounds},
                                          {"service data", test_service_data},
                                          {"index", test_index},
                                          {"an index that lies", test_lying_index},
                                          {"a long index", test_long_index}};
CUNIT_MAIN("nm_shuffle", cases)
