/* Any bytes as a reducer's request, as service data, and as the index of a map output: they are
 * read or refused, and what is read lies within what was there. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/shuffle/index.h"
#include "nodemanager/shuffle/jobs.h"
#include "nodemanager/shuffle/request.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "GET /mapOutput?job=job_1795348841796_0001&reduce=0&map=attempt_1795348841796_0001_m_000000_0,"
    "attempt_1795348841796_0001_m_000001_0&keepAlive=true HTTP/1.1\r\n"
    "UrlHash: FXKKgxHgll45xZUlOgOKY+RvFsY=\r\nname: mapreduce\r\nversion: 1.0.0\r\n\r\n",
    "GET /?reduce=-1&reduce=2&map=attempt_1&map=&job HTTP/1.0\nname:mapreduce\nversion:1.0.0\n\n",
    "\x17\x16job_1795348841796_0001\x08\xe6ZS\x13O5\x0b\xc6\rmapreduce.job\x16job_1795348841796_"
    "0001",
    "00000000000000000000000000000000",
    NULL,
};

static void check_within(struct nm_shuffle_slice s, const char *bytes, size_t len)
{
    base_assert(!s.at || (s.at >= bytes && s.len <= len && s.at + s.len <= bytes + len));
}

static void read_request(const char *bytes, size_t len)
{
    size_t end = nm_shuffle_find_head_end(bytes, len);
    struct nm_shuffle_request rq;
    const char *why = NULL;
    unsigned status;

    base_assert(end <= len);
    status = nm_shuffle_request_read(bytes, len, &rq, &why);
    base_assert(why && (status == 0 || status == 400 || status == 405));
    base_assert(status || (rq.maps_n > 0 && rq.maps_n <= NM_SHUFFLE_MAPS_MAX && rq.target.len));
    check_within(rq.hash, bytes, len);
    check_within(rq.target, bytes, len);
    for (size_t i = 0; i < rq.maps_n; i++) {
        check_within(rq.maps[i], bytes, len);
        base_assert(!memchr(rq.maps[i].at, '/', rq.maps[i].len) &&
                    !memchr(rq.maps[i].at, '.', rq.maps[i].len));
    }
    nm_shuffle_request_free(&rq);
}

static void read_index(const char *bytes, size_t len)
{
    static int fd = -1;
    struct nm_shuffle_part p;
    int64_t data_size = len ? (unsigned char)bytes[0] : 0;

    if (fd < 0)
        fd = memfd_create("index", MFD_CLOEXEC);
    base_assert(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, len, 0) == (ssize_t)len);
    for (int32_t reduce = -1; reduce < 3; reduce++)
        if (nm_shuffle_index_read(fd, (int64_t)len, reduce, data_size, &p, NULL) == 0)
            base_assert(p.offset >= 0 && p.len >= 0 && p.offset + p.len <= data_size);
    /* longer than the file is */
    base_assert(nm_shuffle_index_read(fd, (int64_t)len + 24, 0, data_size, &p, NULL) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = base_alloc(size); /* exactly, so that a read beyond them is found */
    struct nm_shuffle_secret secret;

    memcpy(bytes, data, size);
    read_request(bytes, size);
    read_index(bytes, size);
    if (nm_shuffle_secret_read(bytes, size, &secret, NULL) == 0)
        base_assert(secret.len > 0 && secret.len <= sizeof secret.bytes);
    free(bytes);
    return 0;
}
