/* Opens what a resource is read from: a file of this host, or a server. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io/curl.h"
#include "base/io/io.h"
#include "base/mem.h"
#include "nodemanager/localize/fetch/fetch.h"

#define REDIRECTS_MAX     5
#define CONNECT_SECONDS   15
#define SILENCE_SECONDS   60 /* a server that sends nothing for so long is given up */
#define REMOTE_UNKNOWN_MS (-1000)

int fetch_charge_bytes(struct fetch *f, int64_t bytes, struct base_error *err)
{
    if (bytes < 0 || bytes > f->max_bytes - f->bytes)
        return base_error_set(err, -BASE_ELIMIT,
                              "Resource %.1000s takes more than the %lld bytes "
                              "of creel.nodemanager.localizer.max-mb",
                              f->url, (long long)f->max_bytes);
    f->bytes += bytes;
    return 0;
}

/* ---- checks ---- */

/* Formats a time as Hadoop's Times.formatISO8601() does. */
static const char *format_time(int64_t ms, char room[static 64])
{
    time_t s = (time_t)(ms / 1000 - (ms % 1000 < 0));
    struct tm tm;
    char day[40];

    if (!gmtime_r(&s, &tm) || !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(room, 64, "%lld", (long long)ms);
    else
        snprintf(room, 64, "%s.%03d+0000", day, (int)(((ms % 1000) + 1000) % 1000));
    return room;
}

static int check_size_and_time(const struct fetch *f, int64_t size, int64_t at_ms, bool same_time,
                               struct base_error *err)
{
    char expected[64], was[64];

    if (!same_time)
        return base_error_set(err, -BASE_ESTATE,
                              "Resource %.1000s changed on src filesystem - expected: \"%s\", "
                              "was: \"%s\"",
                              f->url, format_time(f->timestamp_ms, expected),
                              at_ms == REMOTE_UNKNOWN_MS ? "unknown" : format_time(at_ms, was));
    if (f->size > 0 && size != f->size)
        return base_error_set(err, -BASE_ESTATE,
                              "Resource %.1000s changed on src filesystem - expected: %lld bytes, "
                              "was: %lld bytes",
                              f->url, (long long)f->size, (long long)size);
    return 0;
}

/* ---- names ---- */

/* Sets f->name to the last part of @path, or to "resource" when that cannot be a file name. */
static void set_name_from_path(struct fetch *f, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool plain =
        *name && strlen(name) <= NAME_MAX && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;

    for (const char *p = name; *p; p++)
        plain = plain && (unsigned char)*p >= 32 && *p != 127;
    snprintf(f->name, sizeof f->name, "%s", plain ? name : "resource");
}

/* Splits the URL. Returns 0 and texts that the caller frees with curl_free(). */
static int split_url(const struct fetch *f, char **scheme, char **path, struct base_error *err)
{
    CURLU *u = curl_url();
    CURLUcode rc = u ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
    char *with_scheme = f->url[0] == '/' ? base_printf("file://%s", f->url) : base_strdup(f->url);

    *scheme = *path = NULL;
    if (rc == CURLUE_OK)
        rc = curl_url_set(u, CURLUPART_URL, with_scheme,
                          CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS);
    if (rc == CURLUE_OK)
        rc = curl_url_get(u, CURLUPART_SCHEME, scheme, 0);
    if (rc == CURLUE_OK) /* refuses control characters, such as %00 */
        rc = curl_url_get(u, CURLUPART_PATH, path, CURLU_URLDECODE);
    free(with_scheme);
    curl_url_cleanup(u);
    if (rc == CURLUE_OK)
        return 0;
    curl_free(*scheme);
    curl_free(*path);
    *scheme = *path = NULL;
    return base_error_set(err, -BASE_EINVAL, "Resource %.1000s: not a URL: %s", f->url,
                          curl_url_strerror(rc));
}

/* ---- a file of this host ---- */

static bool lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return n > 0 && strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Returns true when everybody may read the file @real, of which @st tells the mode: a file of the
 * node's user alone must not reach containers of other users through the shared cache. SOURCE:
 * Hadoop's FSDownload (isPublic). */
static bool is_readable_by_everybody(const char *real, const struct stat *st)
{
    char folder[PATH_MAX];
    struct stat above;

    if (!(st->st_mode & S_IROTH))
        return false;
    snprintf(folder, sizeof folder, "%s", real);
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (stat(*folder ? folder : "/", &above) < 0 || !(above.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

/* Opens a plain file wherever links lead, but never a device or a FIFO, since merely opening one
 * may block or have side effects. */
static int open_local(struct fetch *f, const char *path, struct base_error *err)
{
    char self[64], real[PATH_MAX];
    struct stat st;
    int64_t at_ms;
    ssize_t n;
    int fd, at = open(path, O_PATH | O_CLOEXEC), rc = 0;

    if (at < 0 && (errno == ENOENT || errno == ENOTDIR))
        return base_error_set(err, -BASE_ENOTFOUND, "File %.1000s does not exist", f->url);
    if (at < 0 || fstat(at, &st) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
        if (at >= 0)
            close(at);
        return rc;
    }
    snprintf(self, sizeof self, "/proc/self/fd/%d", at);
    n = readlink(self, real, sizeof real - 1);
    real[n > 0 ? n : 0] = '\0';
    at_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    if (!S_ISREG(st.st_mode))
        rc = base_error_set(err, -BASE_EINVAL, "Resource %.1000s is %s; a plain file was expected",
                            f->url, S_ISDIR(st.st_mode) ? "a folder" : "not a file");
    else if (n <= 0 || (lies_in(real, f->root) && !lies_in(real, f->own)))
        rc =
            base_error_set(err, -BASE_EPERM, "Resource %.1000s belongs to the NodeManager", f->url);
    else if (f->shared_only && !is_readable_by_everybody(real, &st))
        rc = base_error_set(err, -BASE_EPERM,
                            "Resource %.1000s is not publicly accessible and as such cannot be "
                            "part of the public cache",
                            f->url);
    else
        rc = check_size_and_time(f, st.st_size, at_ms, at_ms == f->timestamp_ms, err);
    fd = rc < 0 ? rc : open(self, O_RDONLY | O_CLOEXEC);
    if (rc == 0 && fd < 0)
        fd = base_error_sys(err, -BASE_EPERM, errno, "Resource %.1000s", f->url);
    close(at);
    return fd;
}

/* ---- a server ---- */

struct download {
    struct fetch *f;
    int fd;
    int64_t bytes;
    int rc; /* the error with which our side ended the transfer */
    struct base_error *err;
};

static size_t write_downloaded_part(char *p, size_t size, size_t n, void *user)
{
    struct download *d = user;

    (void)size;
    if (d->bytes > d->f->max_bytes - (int64_t)n) {
        d->rc = fetch_charge_bytes(d->f, INT64_MAX, d->err);
        return 0;
    }
    d->rc = base_write_all(d->fd, p, n);
    if (d->rc < 0) {
        d->rc = base_error_sys(d->err, -BASE_EIO, -d->rc, "Resource %.1000s", d->f->url);
        return 0;
    }
    d->bytes += (int64_t)n;
    return n;
}

/* No proxy is used: the environment's proxies are not meant for this process. Redirects may only
 * lead to http or https, from https only to https, and never to a file. */
static void set_options(CURL *easy, const char *scheme, struct download *d,
                        char why[static CURL_ERROR_SIZE])
{
    const char *protocols = strcmp(scheme, "https") == 0 ? "https" : "http,https";

    base_curl_set_url_and_defaults(easy, d->f->url, protocols);
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
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write_downloaded_part);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, d);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why);
}

static int download(struct fetch *f, const char *scheme, int fd, struct base_error *err)
{
    struct download d = {.f = f, .fd = fd, .err = err};
    char why[CURL_ERROR_SIZE] = "";
    CURL *easy = curl_easy_init();
    char room[512];
    const char *words = "";
    curl_off_t changed_s = -1;
    CURLcode rc;
    long status = 0;

    base_assert(easy);
    set_options(easy, scheme, &d, why);
    rc = curl_easy_perform(easy);
    if (rc != CURLE_OK)
        words = base_curl_explain_error(easy, rc, why, room);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_FILETIME_T, &changed_s);
    curl_easy_cleanup(easy);
    if (d.rc < 0)
        return d.rc;
    if (rc != CURLE_OK)
        return base_error_set(err, rc == CURLE_OPERATION_TIMEDOUT ? -BASE_ETIMEOUT : -BASE_EIO,
                              "Resource %.1000s: %s", f->url, words);
    if (status != 200)
        return base_error_set(err, -BASE_EIO, "Resource %.1000s: the server answered %ld", f->url,
                              status);
    return check_size_and_time(
        f, d.bytes, changed_s < 0 ? REMOTE_UNKNOWN_MS : changed_s * 1000,
        f->timestamp_ms <= 0 || (changed_s >= 0 && f->timestamp_ms / 1000 == changed_s), err);
}

static int open_remote(struct fetch *f, const char *scheme, struct base_error *err)
{
    int rc, fd = openat(f->dir_fd, "download", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    rc = download(f, scheme, fd, err);
    if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int fetch_open_source(struct fetch *f, bool *in_dir, struct base_error *err)
{
    char *scheme, *path;
    int fd = split_url(f, &scheme, &path, err);

    if (fd < 0)
        return fd;
    set_name_from_path(f, path);
    *in_dir = strcmp(scheme, "file") != 0;
    if (!*in_dir)
        fd = open_local(f, path, err);
    else if (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)
        fd = open_remote(f, scheme, err);
    else
        fd = base_error_set(err, -BASE_EINVAL,
                            "Resource %.1000s: No FileSystem for scheme \"%.60s\"; this node reads "
                            "file, http and https",
                            f->url, scheme);
    curl_free(scheme);
    curl_free(path);
    return fd;
}

/* ---- copying ---- */

int fetch_copy_to_file(struct fetch *f, int from, int to, const char *name, struct base_error *err)
{
    static char part[1 << 16];
    int rc = 0, fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0555);
    ssize_t n = 1;

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    while (rc == 0 && n > 0) {
        n = read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n < 0)
            rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
        else if (n > 0 && (rc = fetch_charge_bytes(f, n, err)) == 0) {
            int sys = base_write_all(fd, part, (size_t)n);
            if (sys < 0)
                rc = base_error_sys(err, -BASE_EIO, -sys, "Resource %.1000s", f->url);
        }
    }
    close(fd);
    return rc;
}
