#include "base/conf/file_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/percent.h"
#include "base/mem.h"
#include "base/utf8.h"

static int decode_percent_escapes(const char *text, char **out, struct base_error *err)
{
    *out = base_alloc(strlen(text) + 1);
    if (base_percent_decode(text, text + strlen(text), *out, false))
        return 0;
    free(*out);
    *out = NULL;
    return base_error_set(err, -BASE_EINVAL, "\"%s\" has a wrong percent escape", text);
}

int base_file_path_check_utf8(const char *path, struct base_error *err)
{
    char *shown;

    if (base_utf8_valid(path))
        return 0;
    shown = base_utf8_escape_for_message(path, 900);
    base_error_set(err, -BASE_EINVAL, "%s is not UTF-8", shown);
    free(shown);
    return -BASE_EINVAL;
}

int base_file_path_parse(const char *text, char **out, struct base_error *err)
{
    const char *path = text;

    *out = NULL;
    if (strncasecmp(text, "file:", 5) == 0) {
        path = text + 5;
        if (strncmp(path, "//", 2) == 0) {
            const char *host = path + 2;

            path = host + strcspn(host, "/");
            if (path != host && !(path - host == 9 && strncasecmp(host, "localhost", 9) == 0))
                return base_error_set(err, -BASE_EINVAL,
                                      "%s names the host %.*s: file:///path is expected", text,
                                      (int)(path - host), host);
        }
        if (path[0] != '/')
            return base_error_set(err, -BASE_EINVAL, "\"%s\" has no absolute path", text);
        if (decode_percent_escapes(path, out, err) < 0)
            return -BASE_EINVAL;
    } else if (text[0] == '/') {
        *out = base_strdup(text);
    } else {
        return base_error_set(err, -BASE_EINVAL,
                              "\"%s\" is neither an absolute path nor a file:// URI", text);
    }
    if (strlen(*out) >= PATH_MAX) {
        free(*out);
        *out = NULL;
        return base_error_set(err, -BASE_EINVAL, "a path longer than %d bytes", PATH_MAX - 1);
    }
    if (base_file_path_check_utf8(*out, err) < 0) {
        free(*out);
        *out = NULL;
        return -BASE_EINVAL;
    }
    return 0;
}

void base_file_path_strip_trailing_slashes(char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
}
