/* tests/fault/disk_order.c - for LD_PRELOAD: logs, in the order in which they happen, the calls
 * that make files durable and the messages that tell others of them. Each line of the file in
 * $DISK_ORDER_LOG is one of
 *
 *    sync PATH          fsync() or fdatasync() of that file or folder has succeeded
 *    rename FROM TO     has succeeded
 *    send WORD          a message that holds $DISK_ORDER_WORD is about to leave
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
    const char *path = getenv("DISK_ORDER_LOG");
    char line[3 * PATH_MAX];
    va_list ap;
    int fd, n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    if (write(fd, line, (size_t)n) != n)
        abort();
    close(fd);
}

static int synced(int rc, int fd)
{
    char link[64], path[PATH_MAX];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = rc == 0 ? readlink(link, path, sizeof path - 1) : -1;
    if (n > 0)
        note("sync %.*s\n", (int)n, path);
    return rc;
}

int fsync(int fd)
{
    return synced(((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd), fd);
}

int fdatasync(int fd)
{
    return synced(((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd), fd);
}

int rename(const char *from, const char *to)
{
    int rc = ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);

    if (rc == 0)
        note("rename %s %s\n", from, to);
    return rc;
}

ssize_t send(int fd, const void *data, size_t len, int flags)
{
    const char *word = getenv("DISK_ORDER_WORD");

    if (word && memmem(data, len, word, strlen(word)))
        note("send %s\n", word);
    return ((ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send"))(fd, data, len,
                                                                                  flags);
}
