/* creel-localize: see fetch.h beside this file. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/tls_conf.h"
#include "base/mem.h"
#include "nodemanager/localize/fetch/fetch.h"

#define MEMORY_MAX (512 << 20) /* bytes of address space */

enum argument {
    ARG_DIR = 1,
    ARG_URL,
    ARG_TYPE,
    ARG_PATTERN,
    ARG_SIZE,
    ARG_TIMESTAMP,
    ARG_MAX,
    ARG_SECONDS,
    ARG_ACCESS,
    ARG_ROOT,
    ARG_OWN,
    ARG_CA,
    ARG_USER,
    ARG_HDFS,
    ARGS
};

/* Prepared in advance for the alarm's signal handler, which may do little more than write() and
 * _exit(). */
static int late_fd = -1;
static char late_text[256];

static void exit_on_timeout(int sig)
{
    size_t n = strlen(late_text);

    (void)sig;
    _exit(write(late_fd, late_text, n) == (ssize_t)n ? 1 : 2);
}

static int write_file(int dir, const char *name, const char *text)
{
    int rc, fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);

    if (fd < 0)
        return -errno;
    rc = base_write_all(fd, text, strlen(text));
    close(fd);
    return rc;
}

static enum fetch_type parse_type(const char *text)
{
    return strcmp(text, "archive") == 0   ? FETCH_ARCHIVE
           : strcmp(text, "pattern") == 0 ? FETCH_PATTERN
                                          : FETCH_FILE;
}

/* Makes the download the resource itself, for a file that is not unpacked. */
static int move_download_into_place(struct fetch *f, int fd, struct base_error *err)
{
    struct stat st;
    int rc;

    if (fstat(fd, &st) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    rc = fetch_charge_bytes(f, st.st_size, err);
    if (rc == 0 &&
        (fchmod(fd, f->file_mode) < 0 || renameat(f->dir_fd, "download", f->data_fd, f->name) < 0))
        rc = base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    return rc;
}

static int fetch(struct fetch *f, struct base_error *err)
{
    enum fetch_source found = FETCH_ON_HOST;
    int rc = 0, fd = fetch_open_source(f, &found, err);
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat(fd, &st) < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    else if (found == FETCH_ON_HOST && S_ISDIR(st.st_mode))
        rc =
            fetch_copy_local_folder(f, fd, err); /* as in YARN, of whatever type it is said to be */
    else if (found != FETCH_COPIED && fetch_is_archive(f))
        rc = fetch_unpack(f, fd, err);
    else if (found == FETCH_DOWNLOADED)
        rc = move_download_into_place(f, fd, err);
    else if (found == FETCH_ON_HOST)
        rc = fetch_copy_to_file(f, fd, f->data_fd, f->name, err);
    close(fd);
    if (found == FETCH_DOWNLOADED)
        unlinkat(f->dir_fd, "download", 0); /* an unpacked archive, or what an error left */
    return rc;
}

/* Sets resource limits, so that this process cannot harm the node. */
static void limit_own_process(const struct fetch *f, long seconds)
{
    struct rlimit files = {.rlim_cur = (rlim_t)f->max_bytes + (1 << 20),
                           .rlim_max = (rlim_t)f->max_bytes + (1 << 20)};
    struct rlimit none = {0};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve terabytes */
    struct rlimit memory = {.rlim_cur = MEMORY_MAX, .rlim_max = MEMORY_MAX};

    setrlimit(RLIMIT_AS, &memory);
#endif

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the spawner ends with the NodeManager */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &files);
    setrlimit(RLIMIT_CORE, &none);
    snprintf(late_text, sizeof late_text,
             "The resource was not there after the %ld seconds of "
             "creel.nodemanager.localizer.timeout-s",
             seconds);
    signal(SIGALRM, exit_on_timeout);
    alarm((unsigned)seconds);
}

static int open_folders(struct fetch *f, const char *dir, struct base_error *err)
{
    f->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir_fd < 0 || mkdirat(f->dir_fd, "data", 0755) < 0 ||
        (f->data_fd = openat(f->dir_fd, "data", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", dir);
    return 0;
}

int main(int argc, char **argv)
{
    struct fetch f = {.dir_fd = -1, .data_fd = -1};
    struct base_error err = {0};
    char text[400];
    int rc;

    if (argc != ARGS) {
        fprintf(stderr, "creel-localize is started by creel-nm; do not run it by hand.\n");
        return 2;
    }
    /* what is not public is readable for the group: as a member of it, the NodeManager reads the
     * copies that this program makes as a user */
    f.shared_only = strcmp(argv[ARG_ACCESS], "shared") == 0;
    f.file_mode = f.shared_only || strcmp(argv[ARG_ACCESS], "public") == 0 ? 0555 : 0550;
    umask(f.file_mode == 0555 ? 022 : 027);
    setlocale(LC_CTYPE, "C.UTF-8");
    f.url = argv[ARG_URL];
    f.type = parse_type(argv[ARG_TYPE]);
    f.pattern = argv[ARG_PATTERN];
    f.size = strtoll(argv[ARG_SIZE], NULL, 10);
    f.timestamp_ms = strtoll(argv[ARG_TIMESTAMP], NULL, 10);
    f.max_bytes = strtoll(argv[ARG_MAX], NULL, 10);
    f.root = argv[ARG_ROOT];
    f.own = argv[ARG_OWN];
    f.user = argv[ARG_USER];
    f.hdfs = argv[ARG_HDFS];
    base_tls_trust_only(argv[ARG_CA]);
    rc = open_folders(&f, argv[ARG_DIR], &err);
    if (rc < 0) {
        if (f.dir_fd >= 0)
            write_file(f.dir_fd, "failure", err.text);
        return 1;
    }
    late_fd = openat(f.dir_fd, "late", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    limit_own_process(&f, strtol(argv[ARG_SECONDS], NULL, 10));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    rc = fetch(&f, &err);
    alarm(0);
    if (rc == 0) {
        snprintf(text, sizeof text, "%" PRId64 " %s\n", f.bytes, f.name);
        rc = write_file(f.dir_fd, "done", text) < 0 ? -BASE_EIO : 0;
    } else {
        write_file(f.dir_fd, "failure", err.text);
    }
    curl_global_cleanup();
    return rc < 0;
}
