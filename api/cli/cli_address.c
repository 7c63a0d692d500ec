/* api/cli/cli_address.c - where the ResourceManagers are. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/cli.h"
#include "base/base_io.h"

/* "host", "host:1", "[::1]:1", each with a path behind or not. */
static bool is_address(const char *s)
{
    size_t len = strcspn(s, "/"), host = 0;
    int64_t port;
    if (*s == '[') {
        host = strspn(s + 1, "0123456789abcdefABCDEF:.%") + 1;
        if (host < 3 || s[host] != ']')
            return false;
        host++;
    } else {
        while (host < len && (isalnum((unsigned char)s[host]) || strchr("-._", s[host]) || (s[host] & 0x80)))
            host++;
    }
    for (const char *c = s + len; *c; c++)
        if (iscntrl((unsigned char)*c) || strchr("?#\"<>\\", *c))
            return false;
    if (host == 0 || host == len)
        return host > 0;
    if (s[host] != ':')
        return false;
    char *text = base_strndup(s + host + 1, len - host - 1);
    bool ok = base_int_parse(text, 1, 65535, &port) >= 0;
    free(text);
    return ok;
}

static char *url_of(const char *s)
{
    const char *scheme = strstr(s, "://");
    bool http = !scheme || strncasecmp(s, "http://", 7) == 0 || strncasecmp(s, "https://", 8) == 0;
    if (!http || !is_address(scheme ? scheme + 3 : s))
        return NULL;
    char *url = scheme ? base_strdup(s) : base_printf("http://%s", s);
    for (size_t len = strlen(url); len > 0 && url[len - 1] == '/'; len--)
        url[len - 1] = '\0';
    return url;
}

char **cli_urls_split(const char *text, char **bad)
{
    char **urls = base_alloc(sizeof *urls);
    size_t n = 0;
    char *copy = base_strdup(text), *save = NULL;
    *bad = NULL;
    for (char *s = strtok_r(copy, ", \t\n", &save); s && !*bad; s = strtok_r(NULL, ", \t\n", &save)) {
        urls = base_realloc_array(urls, n + 2, sizeof *urls);
        urls[n] = url_of(s);
        if (!urls[n])
            *bad = base_strdup(s);
        else
            urls[++n] = NULL;
    }
    free(copy);
    if (n == 0 && !*bad)
        *bad = base_strdup("");
    if (!*bad)
        return urls;
    cli_urls_free(urls);
    return NULL;
}

void cli_urls_free(char **urls)
{
    for (size_t i = 0; urls && urls[i]; i++)
        free(urls[i]);
    free(urls);
}

char **cli_rm_urls(const struct cli *c)
{
    const char *text = NULL, *from = NULL;
    char *bad;
    for (int i = 0; (!text || !*text) && i < 4; i++) {
        static const char *const names[] = {"--rm", "CREEL_RM", "yarn.resourcemanager.webapp.address",
                                            "creel.nodemanager.rm"};
        from = names[i];
        text = i == 0 ? c->rm_arg : i == 1 ? getenv(from) : base_conf_get(c->conf, from);
    }
    char **urls = cli_urls_split(text && *text ? text : "http://127.0.0.1:8088", &bad);
    if (!urls)
        cli_error(CLI_USAGE, "%s: '%s' is not an address such as http://127.0.0.1:8088", from, *bad ? bad : text);
    free(bad);
    return urls;
}
