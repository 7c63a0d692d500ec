/* api/cli/text/quote.c - quotes arguments for sh, and turns paths into URIs and back. */
#include "api/cli/text/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/* SOURCE: POSIX.1-2017, Shell Command Language 2.2.2: between single quotes every character but the
 * single quote stands for itself. */
void cli_shell_quote(const char *arg, struct base_buf *out)
{
    size_t harmless = 0;
    while (arg[harmless] && (strchr(letters, arg[harmless]) || strchr("_-./:,+@%", arg[harmless])))
        harmless++;
    if (arg[0] && !arg[harmless]) {
        base_buf_adds(out, arg);
        return;
    }
    base_buf_adds(out, "'");
    for (const char *s = arg; *s; s++) {
        if (*s == '\'')
            base_buf_adds(out, "'\\''");
        else
            base_buf_add(out, s, 1);
    }
    base_buf_adds(out, "'");
}

void cli_shell_quote_all(char *const *argv, struct base_buf *out)
{
    base_buf_adds(out, "");
    for (size_t i = 0; argv[i]; i++) {
        if (i > 0)
            base_buf_adds(out, " ");
        cli_shell_quote(argv[i], out);
    }
}

static void add_percent_encoded(const char *s, size_t len, const char *also, struct base_buf *out)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c && (strchr(letters, c) || strchr("-._~", c) || strchr(also, c)))
            base_buf_add(out, s + i, 1);
        else
            base_buf_addf(out, "%%%02X", c);
    }
}

void cli_uri_add_encoded(const char *s, struct base_buf *out)
{
    base_buf_adds(out, "");
    add_percent_encoded(s, strlen(s), "", out);
}

/* Returns true when @s begins with a scheme of RFC 3986 and "://". */
static bool has_scheme(const char *s)
{
    size_t i = 0;
    if (!isalpha((unsigned char)s[0]))
        return false;
    while (isalnum((unsigned char)s[i]) || (s[i] && strchr("+-.", s[i])))
        i++;
    return strncmp(s + i, "://", 3) == 0;
}

/* Appends @path's segments to @out ("/a/b"), resolving "." and ".." by name. */
static void add_normalized_segments(const char *path, struct base_buf *out)
{
    while (*path) {
        size_t len = strcspn(path, "/");
        if (len == 2 && memcmp(path, "..", 2) == 0) {
            while (out->len > 0 && out->data[out->len - 1] != '/')
                out->len--;
            if (out->len > 0)
                out->len--;
        } else if (len > 0 && !(len == 1 && path[0] == '.')) {
            base_buf_adds(out, "/");
            base_buf_add(out, path, len);
        }
        path += len;
        while (*path == '/')
            path++;
    }
}

char *cli_uri_from_path(const char *path, const char *cwd)
{
    if (has_scheme(path))
        return base_strdup(path);
    struct base_buf plain = {0}, uri = {0};
    if (path[0] != '/')
        add_normalized_segments(cwd, &plain);
    add_normalized_segments(path, &plain);
    base_buf_adds(&uri, "file://");
    if (plain.len == 0)
        base_buf_adds(&uri, "/");
    else
        add_percent_encoded(plain.data, plain.len, "/*[]{},!", &uri);
    base_buf_free(&plain);
    return base_buf_take(&uri);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char *cli_uri_to_path(const char *uri)
{
    if (strncmp(uri, "file:///", 8) != 0)
        return base_strdup(uri);
    struct base_buf b = {0};
    for (const char *s = uri + 7; *s; s++) {
        if (s[0] == '%' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
            char c = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
            base_buf_add(&b, &c, 1);
            s += 2;
        } else {
            base_buf_add(&b, s, 1);
        }
    }
    return base_buf_take(&b);
}
