#include "api/cli/token/token_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io/io.h"
#include "base/io/private_file.h"

#define FILE_MAX   16384
#define SEPARATORS ", \t\r\n"

/* Returns the length of the first line without blanks at its end. */
static size_t first_line_length(const char *text)
{
    size_t n = strcspn(text, "\r\n");

    while (n && strchr(" \t", text[n - 1]))
        n--;
    return n;
}

static int read_token(const char *path, struct cli_token *out, char **rest, struct base_error *err)
{
    struct base_buf text = {0};
    int rc = base_private_file_read(path, FILE_MAX, &text, NULL, err);
    size_t n = text.len ? first_line_length(text.data) : 0;

    if (rc == 0 && n == 0)
        rc = base_error_set(err, -BASE_EINVAL, "%s has no token in its first line", path);
    if (rc == 0) {
        *out = (struct cli_token){base_strndup(text.data, n), base_strdup(path)};
        if (rest)
            *rest = base_strdup(text.data + strcspn(text.data, "\n"));
    }
    base_buf_free(&text);
    return rc;
}

/* ---------------------------------------------------------------- whose file it is */
/* Appends the address @url, @n bytes long, in a form in which equal addresses have equal texts but
 * for case: slashes at the end are left out, and localhost and [::1] become 127.0.0.1. */
static void add_normalized_address(struct base_buf *out, const char *url, size_t n)
{
    static const char *const loopback[] = {"localhost", "[::1]"};
    const char *host = strstr(url, "://");
    size_t before = host && host < url + n ? (size_t)(host - url) + 3 : 0;

    while (n > before && url[n - 1] == '/')
        n--;
    base_buf_add(out, url, before);
    url += before;
    n -= before;
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++) {
        size_t len = strlen(loopback[i]);

        if (n >= len && strncasecmp(url, loopback[i], len) == 0 && (n == len || url[len] == ':')) {
            base_buf_adds(out, "127.0.0.1");
            url += len;
            n -= len;
            break;
        }
    }
    base_buf_add(out, url, n);
}

bool cli_url_list_has(const char *list, const char *url)
{
    struct base_buf wanted = {0}, one = {0};
    bool found = false;

    add_normalized_address(&wanted, url, strlen(url));
    while (!found && *list) {
        size_t skip = strspn(list, SEPARATORS), n = strcspn(list + skip, SEPARATORS);

        base_buf_clear(&one);
        add_normalized_address(&one, list + skip, n);
        found = one.len == wanted.len && strncasecmp(one.data, wanted.data, one.len) == 0;
        list += skip + n;
    }
    base_buf_free(&one);
    base_buf_free(&wanted);
    return found;
}

/* Returns true when all @rms are in @list: the token may go to each of them. */
static bool url_list_has_all(const char *list, const struct base_rm_list *rms)
{
    for (size_t i = 0; i < rms->n; i++)
        if (!cli_url_list_has(list, rms->url[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------- the places */
/* Looks into the folder @name of `creel dev`. */
static int find_token_of_dev_cluster(const char *name, const struct base_rm_list *rms,
                                     struct cli_token *out, struct base_error *err)
{
    char *folder = base_user_state_path(name), *urls = base_printf("%s/rm.url", folder);
    char *path = base_printf("%s/rm.token", folder);
    struct base_buf list = {0};
    int rc = 0;

    if (base_file_read(urls, FILE_MAX, &list, NULL) == 0 && list.len &&
        url_list_has_all(list.data, rms))
        rc = read_token(path, out, NULL, err);
    base_buf_free(&list);
    free(path);
    free(urls);
    free(folder);
    return rc == -BASE_ENOTFOUND ? 0 : rc;
}

static int find_token_of_own_daemon(const struct base_rm_list *rms, struct cli_token *out,
                                    struct base_error *err)
{
    char *path = base_user_state_path("rm.token"), *urls = NULL;
    int rc = read_token(path, out, &urls, err);

    if (rc == 0 && !url_list_has_all(urls, rms))
        cli_token_clear(out);
    free(urls);
    free(path);
    return rc == -BASE_ENOTFOUND ? 0 : rc;
}

static int find_token_of_user(struct cli_token *out, struct base_error *err)
{
    char *path = base_user_conf_path("token");
    int rc = read_token(path, out, NULL, err);

    free(path);
    return rc == -BASE_ENOTFOUND ? 0 : rc;
}

int cli_token_find(const struct base_rm_list *rms, struct cli_token *out, struct base_error *err)
{
    const char *given = getenv("CREEL_TOKEN_FILE");
    int rc;

    *out = (struct cli_token){0};
    if (given && *given) {
        rc = read_token(given, out, NULL, err);
        return rc < 0 ? base_error_wrap(err, rc, "CREEL_TOKEN_FILE") : 0;
    }
    rc = find_token_of_dev_cluster("dev", rms, out, err);
    if (rc == 0 && !out->text)
        rc = find_token_of_dev_cluster("dev-ha", rms, out, err);
    if (rc == 0 && !out->text)
        rc = find_token_of_own_daemon(rms, out, err);
    if (rc == 0 && !out->text)
        rc = find_token_of_user(out, err);
    return rc;
}

bool cli_token_reload(struct cli_token *t)
{
    struct cli_token now = {0};
    bool changed;

    if (!t->path || read_token(t->path, &now, NULL, NULL) < 0)
        return false;
    changed = strcmp(now.text, t->text) != 0;
    cli_token_clear(t);
    *t = now;
    return changed;
}

void cli_token_clear(struct cli_token *t)
{
    free(t->text);
    free(t->path);
    *t = (struct cli_token){0};
}

char *cli_token_describe_places(void)
{
    char *state = base_user_state_path("rm.token"), *conf = base_user_conf_path("token");
    char *text = base_printf("CREEL_TOKEN_FILE, %s, %s", state, conf);

    free(conf);
    free(state);
    return text;
}
