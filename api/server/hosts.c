#include "api/server/hosts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

#define SEPARATORS ", \t\r\n"

/* ---- one name ---- */

static bool parse_port(const char *text, int *out)
{
    int64_t n;

    *out = -1;
    if (!text[0])
        return true; /* "host:" is legal */
    if (strspn(text, "0123456789") != strlen(text) || base_int_parse(text, 0, 65535, &n) != 0)
        return false;
    *out = (int)n;
    return true;
}

/* Parses "::1]:80", the text after the opening bracket. An IPv6 address has several spellings;
 * @out gets the one that inet_ntop() makes. */
static bool parse_bracketed_ipv6(const char *text, struct api_authority *out)
{
    size_t n = strcspn(text, "]");
    struct in6_addr address;
    const char *rest;

    if (n > API_HOST_MAX || text[n] != ']')
        return false;
    memcpy(out->host, text, n);
    out->host[n] = '\0';
    if (inet_pton(AF_INET6, out->host, &address) != 1)
        return false;
    inet_ntop(AF_INET6, &address, out->host, sizeof out->host);
    out->literal = true;
    rest = text + n + 1;
    return rest[0] == ':' ? parse_port(rest + 1, &out->port) : !rest[0];
}

bool api_authority_parse(const char *text, struct api_authority *out)
{
    size_t n = strcspn(text, ":");
    struct in_addr address;

    out->port = -1;
    out->literal = false;
    if (text[0] == '[')
        return parse_bracketed_ipv6(text + 1, out);
    if (text[n] == ':' && !parse_port(text + n + 1, &out->port))
        return false;
    if (n > 1 && text[n - 1] == '.')
        n--; /* a trailing dot only marks the name as fully qualified */
    if (n == 0 || n > API_HOST_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (!isalnum(c) && c != '-' && c != '_' && c != '.')
            return false;
        out->host[i] = (char)tolower(c);
    }
    out->host[n] = '\0';
    /* only complete addresses: "127.1" is a name */
    out->literal = inet_pton(AF_INET, out->host, &address) == 1;
    return true;
}

/* Parses @origin and returns the usual port of its scheme; 0 when it is not the origin of a web
 * page ("null" included). */
static int parse_origin_and_get_usual_port(const char *origin, struct api_authority *out)
{
    if (strncasecmp(origin, "http://", 7) == 0)
        return api_authority_parse(origin + 7, out) ? 80 : 0;
    if (strncasecmp(origin, "https://", 8) == 0)
        return api_authority_parse(origin + 8, out) ? 443 : 0;
    return 0;
}

bool api_origin_matches(const char *origin, const struct api_authority *to)
{
    struct api_authority from;
    int usual = parse_origin_and_get_usual_port(origin, &from);

    return usual && strcmp(from.host, to->host) == 0 &&
           (from.port < 0 ? usual : from.port) == (to->port < 0 ? usual : to->port);
}

/* ---- the set: a handful of names, searched linearly ---- */

struct api_hosts {
    char **v; /* lower case; ".name" stands for all names below it */
    size_t n, cap;
};

static void add_unique(struct api_hosts *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->v[i], name) == 0)
            return;
    base_array_grow(&h->v, h->n, &h->cap);
    h->v[h->n++] = base_strdup(name);
}

/* Adds the name in @text, which may have a port; anything but a name adds nothing. */
static void add_name_of_address(struct api_hosts *h, const char *text)
{
    struct api_authority a;

    if (api_authority_parse(text, &a) && !a.literal)
        add_unique(h, a.host);
}

static bool entry_has_name(const struct hostent *e, const char *name)
{
    if (strcasecmp(e->h_name, name) == 0)
        return true;
    for (char **alias = e->h_aliases; *alias; alias++)
        if (strcasecmp(*alias, name) == 0)
            return true;
    return false;
}

/* Adds all names on those lines of /etc/hosts that contain @own, the machine's name: usually the
 * fully qualified name is one of them. */
static void add_etc_hosts_aliases(struct api_hosts *h, const char *own)
{
    struct hostent entry, *e;
    char text[8192];
    int why;

    sethostent(0);
    while (gethostent_r(&entry, text, sizeof text, &e, &why) == 0 && e) {
        if (!entry_has_name(e, own))
            continue;
        add_name_of_address(h, e->h_name);
        for (char **alias = e->h_aliases; *alias; alias++)
            add_name_of_address(h, *alias);
    }
    endhostent();
}

struct api_hosts *api_hosts_new(void)
{
    struct api_hosts *h = base_alloc(sizeof *h);
    char own[API_HOST_MAX + 1] = "";

    add_unique(h, "localhost");
    if (gethostname(own, sizeof own - 1) < 0 || !own[0])
        return h;
    add_name_of_address(h, own);
    add_etc_hosts_aliases(h, own);
    own[strcspn(own, ".")] = '\0';
    add_name_of_address(h, own);
    return h;
}

struct api_hosts *api_hosts_copy(const struct api_hosts *h)
{
    struct api_hosts *copy = base_alloc(sizeof *copy);

    for (size_t i = 0; i < h->n; i++)
        add_unique(copy, h->v[i]);
    return copy;
}

void api_hosts_free(struct api_hosts *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->n; i++)
        free(h->v[i]);
    free(h->v);
    free(h);
}

void api_hosts_add_addresses(struct api_hosts *h, const char *text)
{
    char *copy = base_strdup(text), *save = NULL;

    for (char *one = strtok_r(copy, SEPARATORS, &save); one;
         one = strtok_r(NULL, SEPARATORS, &save)) {
        char *scheme = strstr(one, "://"), *name = scheme ? scheme + 3 : one;

        name[strcspn(name, "/")] = '\0';
        add_name_of_address(h, name);
    }
    free(copy);
}

int api_hosts_add_list(struct api_hosts *h, const char *key, const char *text,
                       struct base_error *err)
{
    char *copy = base_strdup(text), *save = NULL;
    int rc = 0;

    for (char *one = strtok_r(copy, SEPARATORS, &save); one && rc == 0;
         one = strtok_r(NULL, SEPARATORS, &save)) {
        bool below = one[0] == '.';
        struct api_authority a;
        char name[API_HOST_MAX + 2];

        if (!api_authority_parse(one + below, &a) || strchr(one, ':') || (below && a.literal)) {
            rc = base_error_set(err, -BASE_EINVAL,
                                "%s: \"%.100s\": expected names of hosts without port, "
                                "\".name\" for all below it",
                                key, one);
            break;
        }
        snprintf(name, sizeof name, "%s%s", below ? "." : "", a.host);
        add_unique(h, name);
    }
    free(copy);
    return rc;
}

bool api_hosts_allow_origin(const struct api_hosts *h, const char *origin)
{
    struct api_authority a;

    return parse_origin_and_get_usual_port(origin, &a) && api_hosts_allow(h, &a);
}

bool api_hosts_have_name(const struct api_hosts *h, const struct api_authority *a)
{
    size_t len = strlen(a->host);

    for (size_t i = 0; i < h->n; i++) {
        size_t n = strlen(h->v[i]);

        if (strcmp(h->v[i], a->host) == 0 ||
            (h->v[i][0] == '.' && len > n && strcmp(a->host + len - n, h->v[i]) == 0))
            return true;
    }
    return false;
}

bool api_hosts_allow(const struct api_hosts *h, const struct api_authority *a)
{
    return a->literal || api_hosts_have_name(h, a);
}
