#include "api/server/access/proxy_users.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GROUPS_MAX 256

struct api_proxy_users {
    const struct base_conf *conf;
};

struct api_proxy_users *api_proxy_users_new(const struct base_conf *conf)
{
    struct api_proxy_users *p = base_alloc(sizeof *p);

    p->conf = conf;
    return p;
}

void api_proxy_users_free(struct api_proxy_users *p)
{
    free(p);
}

/* Returns the value of hadoop.proxyuser.USER.WHAT; NULL when it is not set. */
static const char *get_rule(const struct api_proxy_users *p, const char *user, const char *what)
{
    struct base_buf key = {0};
    const char *value;

    base_buf_addf(&key, "hadoop.proxyuser.%s.%s", user, what);
    value = base_conf_get(p->conf, key.data);
    base_buf_free(&key);
    return value;
}

/* Returns true when the list @rule has the word "*", or a word for which @matches returns true. */
static bool any_word_matches(const char *rule, bool (*matches)(const char *word, const void *u),
                             const void *u)
{
    char *copy, *save = NULL;
    bool found = false;

    if (!rule)
        return false;
    copy = base_strdup(rule);
    for (char *w = strtok_r(copy, ", \t\n", &save); w && !found;
         w = strtok_r(NULL, ", \t\n", &save))
        found = strcmp(w, "*") == 0 || matches(w, u);
    free(copy);
    return found;
}

static bool is_same_text(const char *word, const void *u)
{
    return strcmp(word, u) == 0;
}

static bool is_group_of_user(const char *word, const void *u)
{
    gid_t groups[GROUPS_MAX];
    struct passwd pw, *found = NULL;
    struct group group, *wanted = NULL;
    int n = GROUPS_MAX;
    char text[4096], more[16384];

    if (getgrnam_r(word, &group, more, sizeof more, &wanted) != 0 || !wanted)
        return false;
    if (getpwnam_r(u, &pw, text, sizeof text, &found) != 0 || !found ||
        getgrouplist(u, pw.pw_gid, groups, &n) < 0)
        return false;
    for (int i = 0; i < n; i++)
        if (groups[i] == wanted->gr_gid)
            return true;
    return false;
}

/* Returns true when the first @bits bits of two addresses are equal. */
static bool have_same_leading_bits(const unsigned char *a, const unsigned char *b, long bits)
{
    for (; bits >= 8; bits -= 8)
        if (*a++ != *b++)
            return false;
    return bits <= 0 || ((*a ^ *b) >> (8 - bits)) == 0;
}

static bool is_in_network(const char *word, const char *peer)
{
    const char *slash = strchr(word, '/');
    char *net = base_strndup(word, (size_t)(slash - word));
    unsigned char a[16], b[16];
    int family = strchr(net, ':') ? AF_INET6 : AF_INET;
    char *end;
    long bits = strtol(slash + 1, &end, 10);
    bool ok = !*end && end != slash + 1 && bits >= 0 && bits <= (family == AF_INET ? 32 : 128) &&
              inet_pton(family, net, a) == 1 && inet_pton(family, peer, b) == 1 &&
              have_same_leading_bits(a, b, bits);

    free(net);
    return ok;
}

static bool is_host_of_peer(const char *word, const void *u)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    char text[NI_MAXHOST];
    bool found = false;

    if (strcmp(word, u) == 0)
        return true;
    if (strchr(word, '/'))
        return is_in_network(word, u);
    if (getaddrinfo(word, NULL, &hints, &list) != 0)
        return false;
    for (struct addrinfo *a = list; a && !found; a = a->ai_next)
        found = getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0,
                            NI_NUMERICHOST) == 0 &&
                strcmp(text, u) == 0;
    freeaddrinfo(list);
    return found;
}

bool api_proxy_users_allow(const struct api_proxy_users *p, const char *user, const char *as,
                           const char *peer)
{
    return (any_word_matches(get_rule(p, user, "users"), is_same_text, as) ||
            any_word_matches(get_rule(p, user, "groups"), is_group_of_user, as)) &&
           any_word_matches(get_rule(p, user, "hosts"), is_host_of_peer, peer);
}
