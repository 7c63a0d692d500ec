/* Goal: a connection of the shuffle takes turns with others, however much work its request makes.
 * Method: the test is the worker and the reducer of one connection, a pair of sockets, and counts
 * turns; indexes of maps are sparse files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/shuffle/connection.h"
#include "nodemanager/shuffle/output.h"
#include "nodemanager/shuffle/request.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/shuffle_index.h"

#define SECRET "secret"
#define PORT   4711
#define SECOND INT64_C(1000000)

static char root[64];
static struct nm_files files;
static const struct base_app_id app = {.cluster_ts = 17, .seq = 1};
static struct nm_shuffle_counts counts;
static struct nm_shuffle_site site;
static struct nm_shuffle_connection *connection;
static int peer;

static void begin(void)
{
    struct nm_shuffle_secret secret = {.bytes = SECRET, .len = sizeof SECRET - 1};
    char path[NM_PATH_MAX];
    int fds[2];

    snprintf(root, sizeof root, "/tmp/creel-nm-shuffle-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&files, &(struct nm_files_conf){.root = root}, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(nm_path_in_app_record(&files, &app, NULL, path), 0700, NULL),
                          0);
    CU_ASSERT_EQUAL_FATAL(
        base_mkdirs(nm_path_in_app(&files, &app, "shared/output/attempt_1", path), 0700, NULL), 0);
    site = (struct nm_shuffle_site){.files = &files,
                                    .jobs = nm_shuffle_jobs_new(&files),
                                    .counts = &counts,
                                    .port = PORT,
                                    .keep_alive_us = 5 * SECOND};
    CU_ASSERT_EQUAL_FATAL(nm_shuffle_jobs_register(site.jobs, &app, &secret, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
                          0);
    connection = nm_shuffle_connection_new(&site, fds[0], 0);
    peer = fds[1];
}

static void end(void)
{
    nm_shuffle_connection_free(connection);
    close(peer);
    nm_shuffle_jobs_free(site.jobs);
    nm_files_close(&files);
    CU_ASSERT_EQUAL(base_rmtree(root, NULL), 0);
}

/* Writes an output of @reduces parts, all of no bytes. */
static void write_output(int64_t reduces)
{
    char path[NM_PATH_MAX];
    unsigned char *records = base_alloc((size_t)reduces * 24); /* zeros */
    struct base_buf sum = {0};
    int fd;

    CU_ASSERT_EQUAL(base_file_write_atomic(
                        nm_path_in_app(&files, &app, "shared/output/attempt_1/file.out", path), "",
                        0, 0600, false, NULL),
                    0);
    fd = open(nm_path_in_app(&files, &app, "shared/output/attempt_1/file.out.index", path),
              O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CU_ASSERT_FATAL(fd >= 0);
    shuffle_index_add_number(&sum,
                             (int64_t)crc32(crc32(0, NULL, 0), records, (uInt)(reduces * 24)));
    CU_ASSERT_EQUAL(pwrite(fd, sum.data, sum.len, reduces * 24), (ssize_t)sum.len);
    close(fd);
    base_buf_free(&sum);
    free(records);
}

/* Asks @maps times for the part of reduce 0. */
static void ask(int maps, const char *more)
{
    struct base_buf target = {0}, head = {0};
    char hash[NM_SHUFFLE_HASH];

    base_buf_adds(&target, "/mapOutput?job=job_17_0001&reduce=0&map=attempt_1");
    for (int i = 1; i < maps; i++)
        base_buf_adds(&target, ",attempt_1");
    base_buf_adds(&target, more);
    nm_shuffle_hash_request(SECRET, sizeof SECRET - 1, PORT,
                            (struct nm_shuffle_slice){target.data, target.len}, hash);
    base_buf_addf(&head,
                  "GET %s HTTP/1.1\r\nUrlHash: %s\r\nname: mapreduce\r\nversion: 1.0.0\r\n\r\n",
                  target.data, hash);
    CU_ASSERT_EQUAL(send(peer, head.data, head.len, MSG_NOSIGNAL), (ssize_t)head.len);
    base_buf_free(&target);
    base_buf_free(&head);
}

/* Receives what has been sent, as text. Returns its length. */
static size_t receive(char *out, size_t size)
{
    ssize_t n = recv(peer, out, size - 1, 0);

    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Lets the connection continue until it sends something. Returns the number of turns, at most
 * 1,000. */
static int count_turns(char *out, size_t size)
{
    int turns = 0;

    do {
        nm_shuffle_connection_continue(connection, 0);
        turns++;
    } while (receive(out, size) == 0 && turns < 1000);
    return turns;
}

/* An index of more than 4 MiB is the work of a turn, small ones are looked up together. */
static void test_turns(void)
{
    char answer[8192];

    begin();
    write_output(200000);
    ask(5, "&keepAlive=true");
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 5);
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer, "content-length: 65\r\n")); /* 5 headers */
    write_output(10);
    ask(5, "&keepAlive=true");
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 1);
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0);
    end();
}

/* A request makes the node read 20 of the largest indexes, but not any number. */
static void test_bytes_of_indexes(void)
{
    char answer[8192];

    begin();
    write_output(NM_SHUFFLE_REDUCES_MAX);
    ask(20, "&keepAlive=true");
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 20);
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0);
    ask(NM_SHUFFLE_MAPS_MAX, "&keepAlive=true");
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 23);
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 500 ", 13), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer, "the indexes of the request have more than 536870912"));
    end();
}

/* A stranger who was refused and stays holds no place; a reducer does, also between requests, and
 * so do those who have been turned away. */
static void test_unproven(void)
{
    static const char garbage[] = "garbage\r\n\r\n";
    char answer[8192];

    begin();
    CU_ASSERT(nm_shuffle_connection_is_unproven(connection));
    CU_ASSERT_EQUAL(send(peer, garbage, sizeof garbage - 1, MSG_NOSIGNAL), sizeof garbage - 1);
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 1);
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 400 ", 13), 0);
    CU_ASSERT_EQUAL(nm_shuffle_connection_continue(connection, 0), NM_SHUFFLE_READ); /* stays */
    CU_ASSERT(nm_shuffle_connection_is_unproven(connection));
    end();
    begin();
    write_output(1);
    ask(1, "&keepAlive=true");
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 1);
    CU_ASSERT_FALSE(nm_shuffle_connection_is_unproven(connection));
    end();
    begin();
    nm_shuffle_connection_turn_away(connection);
    CU_ASSERT_FALSE(nm_shuffle_connection_is_unproven(connection));
    CU_ASSERT_EQUAL(count_turns(answer, sizeof answer), 1);
    CU_ASSERT_FALSE(nm_shuffle_connection_is_unproven(connection));
    end();
}

/* A reducer that asks early has as long to take the second answer as it had for the first. */
static void test_time_for_early_request(void)
{
    char answer[8192];

    begin();
    write_output(200000); /* the second answer takes another turn */
    ask(1, "&keepAlive=true");
    ask(1, "&keepAlive=true");
    CU_ASSERT_EQUAL(nm_shuffle_connection_continue(connection, SECOND), NM_SHUFFLE_WRITE);
    CU_ASSERT(receive(answer, sizeof answer) > 0); /* the first */
    CU_ASSERT_FALSE(nm_shuffle_connection_is_late(connection, 100 * SECOND));
    CU_ASSERT(nm_shuffle_connection_is_late(connection, 122 * SECOND));
    CU_ASSERT_EQUAL(nm_shuffle_connection_continue(connection, 2 * SECOND), NM_SHUFFLE_READ);
    CU_ASSERT(receive(answer, sizeof answer) > 0);
    CU_ASSERT_FALSE(nm_shuffle_connection_is_late(connection, 7 * SECOND)); /* idle from now on */
    CU_ASSERT(nm_shuffle_connection_is_late(connection, 8 * SECOND));
    end();
}

static const struct cunit_case cases[] = {
    {"turns", test_turns},
    {"bytes of indexes", test_bytes_of_indexes},
    {"unproven", test_unproven},
    {"time for an early request", test_time_for_early_request}};
CUNIT_MAIN("nm_shuffle_connection", cases)
