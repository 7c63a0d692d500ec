#include "base/crypto/secret_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crypto/digest.h"
#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/private_file.h"
#include "base/mem.h"

#define KEY_HEX  (2 * BASE_KEY_BYTES)
#define ID_HEX   8
#define FILE_MAX (BASE_SECRET_KEYS_MAX * (KEY_HEX + 2) + 1)

static bool parse_key(const char *line, size_t len, struct base_key *out)
{
    char digest[BASE_SHA256_HEX];

    if (len != KEY_HEX || !base_hex_decode(line, out->bytes, sizeof out->bytes))
        return false;
    base_sha256_hex(out->bytes, sizeof out->bytes, digest);
    snprintf(out->id, sizeof out->id, "%.*s", ID_HEX, digest);
    return true;
}

static int parse_keys(const char *path, const char *text, size_t len, struct base_key *keys,
                      size_t *n, struct base_error *err)
{
    for (const char *at = text, *end = text + len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        if (*n == BASE_SECRET_KEYS_MAX || !parse_key(at, (size_t)(stop - at), &keys[*n]))
            break;
        ++*n;
        at = newline ? newline + 1 : end;
        if (at == end)
            return 0;
    }
    return base_error_set(err, -BASE_EINVAL,
                          "%s: expected one or two lines of %d hex digits each (creel secret --new "
                          "makes such a file)",
                          path, KEY_HEX);
}

int base_secret_file_read(const char *path, struct base_key keys[static BASE_SECRET_KEYS_MAX],
                          size_t *n, struct base_error *err)
{
    char text[FILE_MAX];
    size_t len = 0;
    ssize_t got = 1;
    int fd = base_private_file_open(path, NULL, err), rc;

    *n = 0;
    if (fd < 0)
        return fd;
    while (got > 0 && len < sizeof text) {
        got = read(fd, text + len, sizeof text - len);
        if (got > 0)
            len += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    rc = got < 0 ? base_error_sys(err, -BASE_EIO, errno, "%s", path)
                 : parse_keys(path, text, len, keys, n, err);
    close(fd);
    explicit_bzero(text, sizeof text);
    return rc;
}

static void format_new_key(char line[static KEY_HEX + 2])
{
    unsigned char bytes[BASE_KEY_BYTES];

    base_random_bytes(bytes, sizeof bytes);
    base_hex_encode(bytes, sizeof bytes, line);
    line[KEY_HEX] = '\n';
    line[KEY_HEX + 1] = '\0';
    explicit_bzero(bytes, sizeof bytes);
}

static int make_folder_of(const char *path, struct base_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash && slash > path ? base_strndup(path, (size_t)(slash - path)) : NULL;
    int rc = folder ? base_mkdirs(folder, 0700, err) : 0;

    free(folder);
    return rc;
}

/* The complete file gets its name by link(2), which, unlike rename(2), does not replace a file that
 * another process has made meanwhile. */
int base_secret_file_make(const char *path, struct base_error *err)
{
    char line[KEY_HEX + 2], random[33];
    char *temporary;
    int rc = make_folder_of(path, err);

    if (rc < 0)
        return rc;
    base_random_hex(random);
    temporary = base_printf("%s.%s", path, random);
    format_new_key(line);
    rc = base_file_write_atomic(temporary, line, KEY_HEX + 1, 0600, true, err);
    explicit_bzero(line, sizeof line);
    if (rc == 0 && link(temporary, path) < 0)
        rc = errno == EEXIST ? base_error_set(err, -BASE_EEXIST, "%s: the file exists", path)
                             : base_error_sys(err, -BASE_EIO, errno, "%s", path);
    unlink(temporary);
    free(temporary);
    return rc;
}

int base_secret_file_rotate(const char *path, bool keep_old, struct base_error *err)
{
    struct base_key old[BASE_SECRET_KEYS_MAX];
    char text[2 * (KEY_HEX + 2)];
    size_t n = 0;
    int rc = keep_old ? base_secret_file_read(path, old, &n, err) : make_folder_of(path, err);

    if (rc < 0)
        return rc;
    format_new_key(text);
    if (keep_old) {
        base_hex_encode(old[0].bytes, sizeof old[0].bytes, text + KEY_HEX + 1);
        memcpy(text + 2 * KEY_HEX + 1, "\n", 2);
    }
    rc = base_file_write_atomic(path, text, strlen(text), 0600, true, err);
    explicit_bzero(text, sizeof text);
    explicit_bzero(old, sizeof old);
    return rc;
}
