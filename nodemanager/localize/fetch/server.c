/* Downloads from servers. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io/curl.h"
#include "base/io/io.h"
#include "nodemanager/localize/fetch/fetch.h"

#define REDIRECTS_MAX   5
#define CONNECT_SECONDS 15
#define SILENCE_SECONDS 60 /* a server that sends nothing for so long is given up */

struct download {
    struct fetch *f;
    CURL *easy;
    struct fetch_sink *sink;
    int rc; /* the error with which our side ended the transfer */
    struct base_error *err;
};

static size_t take_part(char *p, size_t size, size_t n, void *user)
{
    struct download *d = user;
    struct fetch_sink *s = d->sink;
    long status = 0;

    (void)size;
    curl_easy_getinfo(d->easy, CURLINFO_RESPONSE_CODE, &status);
    if (s->bytes > s->max_bytes - (int64_t)n) {
        d->rc = s->memory ? base_error_set(d->err, -BASE_ELIMIT,
                                           "Resource %.1000s: an answer has more than %lld bytes",
                                           d->f->url, (long long)s->max_bytes)
                          : fetch_charge_bytes(d->f, INT64_MAX, d->err);
        return 0;
    }
    if (s->memory)
        base_buf_add(s->memory, p, n);
    else if (status < 400)
        d->rc = base_write_all(s->fd, p, n);
    if (d->rc < 0) {
        d->rc = base_error_sys(d->err, -BASE_EIO, -d->rc, "Resource %.1000s", d->f->url);
        return 0;
    }
    s->bytes += (int64_t)n;
    return n;
}

/* No proxy is used: the environment's proxies are not meant for this process. Redirects may only
 * lead to http or https, from https only to https, and never to a file. */
static void set_options(const char *url, struct download *d, char why[static CURL_ERROR_SIZE])
{
    CURL *easy = d->easy;
    const char *protocols = strncasecmp(url, "https:", 6) == 0 ? "https" : "http,https";

    base_curl_set_url_and_defaults(easy, url, protocols);
    base_curl_trust_system_and_hide_certificate(
        easy); /* a user's server need not be one of the cluster */
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_SECONDS);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "creel-localize");
    curl_easy_setopt(easy, CURLOPT_FILETIME, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_part);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, d);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why);
}

int fetch_download(struct fetch *f, const char *url, struct fetch_sink *sink,
                   struct base_error *err)
{
    struct download d = {.f = f, .sink = sink, .err = err, .easy = curl_easy_init()};
    char why[CURL_ERROR_SIZE] = "";
    char room[512];
    curl_off_t changed_s = -1;
    CURLcode rc;

    base_assert(d.easy);
    set_options(url, &d, why);
    rc = curl_easy_perform(d.easy);
    if (d.rc == 0 && rc != CURLE_OK)
        d.rc = base_error_set(err, rc == CURLE_OPERATION_TIMEDOUT ? -BASE_ETIMEOUT : -BASE_EIO,
                              "Resource %.1000s: %s", f->url,
                              base_curl_explain_error(d.easy, rc, why, room));
    curl_easy_getinfo(d.easy, CURLINFO_RESPONSE_CODE, &sink->status);
    curl_easy_getinfo(d.easy, CURLINFO_FILETIME_T, &changed_s);
    sink->changed_s = changed_s;
    curl_easy_cleanup(d.easy);
    return d.rc;
}

int fetch_make_download(struct fetch *f, struct base_error *err)
{
    int fd = openat(f->dir_fd, "download", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "the cache's folder") : fd;
}

static int download_and_check(struct fetch *f, int fd, struct base_error *err)
{
    struct fetch_sink sink = {.fd = fd, .max_bytes = f->max_bytes};
    int rc = fetch_download(f, f->url, &sink, err);

    if (rc < 0)
        return rc;
    if (sink.status != 200)
        return base_error_set(err, -BASE_EIO, "Resource %.1000s: the server answered %ld", f->url,
                              sink.status);
    rc = fetch_check_size_and_time(
        f, sink.bytes, sink.changed_s < 0 ? FETCH_TIME_UNKNOWN_MS : sink.changed_s * 1000,
        f->timestamp_ms <= 0 || (sink.changed_s >= 0 && f->timestamp_ms / 1000 == sink.changed_s),
        err);
    if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    return rc;
}

int fetch_open_remote(struct fetch *f, struct base_error *err)
{
    int rc, fd = fetch_make_download(f, err);

    if (fd < 0)
        return fd;
    rc = download_and_check(f, fd, err);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}
