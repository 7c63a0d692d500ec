#include "base/conf/rm_list.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/http_policy.h"
#include "base/io/io.h"

#define SEPARATORS ", \t\r\n"
#define KEY_RM     "creel.nodemanager.rm"
#define KEY_IDS    "yarn.resourcemanager.ha.rm-ids"
#define KEY_HOST   "yarn.resourcemanager.hostname."

/* ---- addresses ---- */

/* Returns true for "host", "host:1", "[::1]" and "[::1]:1", each of them with or without a path. */
static bool is_host_port_path(const char *s)
{
    size_t len = strcspn(s, "/"), host = 0;
    int64_t port;

    if (*s == '[') {
        host = strspn(s + 1, "0123456789abcdefABCDEF:.%") + 1;
        if (host < 3 || s[host] != ']')
            return false;
        host++;
    } else {
        while (host < len &&
               (isalnum((unsigned char)s[host]) || strchr("-._", s[host]) || (s[host] & 0x80)))
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

/* Returns the URL of address @s, without slashes at its end, or NULL when @s is not an address. The
 * caller frees it. @default_scheme: the scheme of addresses that have none. */
static char *address_to_url(const char *default_scheme, const char *s)
{
    const char *scheme = strstr(s, "://");

    if ((scheme && base_rm_url_base_len(s) == 0) || !is_host_port_path(scheme ? scheme + 3 : s))
        return NULL;
    char *url = scheme ? base_strdup(s) : base_printf("%s%s", default_scheme, s);
    for (size_t len = strlen(url); len > 0 && url[len - 1] == '/'; len--)
        url[len - 1] = '\0';
    return url;
}

static int add_address(const char *default_scheme, const char *what, const char *text,
                       struct base_rm_list *out, struct base_error *err)
{
    char *url = address_to_url(default_scheme, text);

    if (!url || strlen(url) >= BASE_RM_URL_MAX) {
        free(url);
        return base_error_set(
            err, -BASE_EINVAL, "%s: \"%.100s\" is not an address such as %s127.0.0.1:%d", what,
            text, default_scheme, strcmp(default_scheme, "https://") == 0 ? 8090 : 8088);
    }
    if (out->n == BASE_RM_LIST_MAX) {
        free(url);
        return base_error_set(err, -BASE_ELIMIT, "%s: more than %d addresses", what,
                              BASE_RM_LIST_MAX);
    }
    out->url[out->n++] = url;
    return 0;
}

static int add_addresses(const char *default_scheme, const char *what, const char *text,
                         struct base_rm_list *out, struct base_error *err)
{
    char *copy = base_strdup(text), *save = NULL;
    size_t before = out->n;
    int rc = 0;

    for (char *s = strtok_r(copy, SEPARATORS, &save); s && rc == 0;
         s = strtok_r(NULL, SEPARATORS, &save))
        rc = add_address(default_scheme, what, s, out, err);
    free(copy);
    if (rc == 0 && out->n == before)
        rc = base_error_set(err, -BASE_EINVAL, "%s: no address given", what);
    return rc;
}

int base_rm_list_add_text(const char *what, const char *text, struct base_rm_list *out,
                          struct base_error *err)
{
    return add_addresses("http://", what, text, out, err);
}

int base_rm_list_add_text_by_policy(const struct base_conf *conf, const char *what,
                                    const char *text, struct base_rm_list *out,
                                    struct base_error *err)
{
    return add_addresses(base_http_policy_scheme(conf), what, text, out, err);
}

static int add_address_of_ha_id(const struct base_conf *conf, const char *id,
                                struct base_rm_list *out, struct base_error *err)
{
    char *key = base_printf("%s.%s", base_http_policy_rm_address_key(conf), id),
         *host_key = base_printf(KEY_HOST "%s", id);
    const char *scheme = base_http_policy_scheme(conf);
    const char *address = base_conf_get(conf, key), *host = base_conf_get(conf, host_key);
    int rc;

    if (address && *address) {
        rc = add_address(scheme, key, address, out, err);
    } else if (host && *host) {
        char *text = base_printf(strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
                                 base_http_policy_default_rm_port(conf));

        rc = add_address(scheme, host_key, text, out, err);
        free(text);
    } else {
        rc = base_error_set(err, -BASE_EINVAL, "%s is not set, though " KEY_IDS " names %s", key,
                            id);
    }
    free(key);
    free(host_key);
    return rc;
}

int base_rm_list_add_ha_ids(const struct base_conf *conf, struct base_rm_list *out,
                            struct base_error *err)
{
    const char *ids = base_conf_get(conf, KEY_IDS);
    char *copy = base_strdup(ids ? ids : ""), *save = NULL;
    int rc = 0;

    for (char *id = strtok_r(copy, SEPARATORS, &save); id && rc == 0;
         id = strtok_r(NULL, SEPARATORS, &save))
        rc = add_address_of_ha_id(conf, id, out, err);
    free(copy);
    return rc;
}

int base_rm_list_add_configured(const struct base_conf *conf, struct base_rm_list *out,
                                struct base_error *err)
{
    size_t before = out->n;

    if (!base_conf_is_set(conf, KEY_RM)) {
        int rc = base_rm_list_add_ha_ids(conf, out, err);

        if (rc < 0 || out->n > before)
            return rc;
    }
    return base_rm_list_add_text_by_policy(conf, KEY_RM, base_rm_list_configured_text(conf), out,
                                           err);
}

const char *base_rm_list_configured_text(const struct base_conf *conf)
{
    if (!base_conf_is_set(conf, KEY_RM) && base_http_policy_is_https(conf))
        return "https://127.0.0.1:8090";
    return base_conf_get(conf, KEY_RM);
}

char *base_rm_list_to_text(const struct base_rm_list *l)
{
    struct base_buf b = {0};

    for (size_t i = 0; i < l->n; i++)
        base_buf_addf(&b, "%s%s", i ? "," : "", l->url[i]);
    return b.len ? base_buf_take(&b) : base_strdup("");
}

void base_rm_list_free(struct base_rm_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->url[i]);
    l->n = 0;
}
