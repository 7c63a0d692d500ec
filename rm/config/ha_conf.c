/* rm/config/ha_conf.c - reads the configuration keys for high availability: the ResourceManagers,
 * ZooKeeper's servers and the state store. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/conf.h"
#include "base/conf/http_policy.h"
#include "base/conf/rm_list.h"
#include "base/crypto/hex.h"
#include "base/crypto/keyring.h"
#include "base/io/io.h"
#include "base/io/private_file.h"
#include "rm/leader/leader.h"

#define KEY_IDS     "yarn.resourcemanager.ha.rm-ids"
#define KEY_ID      "yarn.resourcemanager.ha.id"
#define KEY_HOST    "yarn.resourcemanager.hostname."
#define KEY_ZK      "yarn.resourcemanager.zk-address"
#define KEY_ZK_TOO  "hadoop.zk.address"
#define KEY_CLUSTER "yarn.resourcemanager.cluster-id"
#define KEY_ROOT    "creel.ha.zk-root"
#define KEY_AUTH    "hadoop.zk.auth"
#define KEY_STORE   "creel.rm.state-store"
#define KEY_SECRET  "creel.zk.secret-file"
#define NAME_SECRET "zookeeper.secret"
#define WORD        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define SEPARATORS  ", \t\r\n"
#define AUTH_MAX    4096

static const char *get_text_or_empty(const struct base_conf *c, const char *key)
{
    const char *v = base_conf_get(c, key);

    return v ? v : "";
}

static bool is_valid_id(const char *s)
{
    return *s && strspn(s, WORD) == strlen(s) && strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
}

static uint16_t parse_port(const char *url)
{
    int64_t port = 0;

    base_int_parse(strrchr(url, ':') + 1, 1, 65535, &port);
    return (uint16_t)port;
}

void rm_ha_conf_get_own_address(const struct rm_ha_conf *c, char **host, uint16_t *port)
{
    const char *from = strstr(c->urls[c->own], "://") + 3, *colon = strrchr(from, ':');
    bool bracket = *from == '[';

    *host = base_strndup(from + bracket, (size_t)(colon - from) - (bracket ? 2 : 0));
    *port = parse_port(from);
}

/* ---------------------------------------------------------------- the ResourceManagers */
/* Returns true when the host of @url is the wildcard address, which stands for all addresses. */
static bool is_wildcard_address(const char *url)
{
    const char *host = strstr(url, "://") + 3;

    return strncmp(host, "0.0.0.0:", 8) == 0 || strncmp(host, "[::]:", 5) == 0;
}

static int read_rm_url(const struct base_conf *c, const char *id, char **out,
                       struct base_error *err)
{
    char *key = base_printf("%s.%s", base_http_policy_rm_address_key(c), id),
         *host_key = base_printf(KEY_HOST "%s", id), *text = NULL;
    struct base_rm_list one = {0};
    int64_t port;
    int rc;

    if (*get_text_or_empty(c, key))
        text = base_strdup(get_text_or_empty(c, key));
    else if (*get_text_or_empty(c, host_key))
        text = base_printf(strchr(get_text_or_empty(c, host_key), ':') ? "[%s]:%d" : "%s:%d",
                           get_text_or_empty(c, host_key), base_http_policy_default_rm_port(c));
    if (!text)
        rc = base_error_set(err, -BASE_EINVAL,
                            "%s is not set: expected host:port (or a host as %s)", key, host_key);
    else
        rc = base_rm_list_add_text_by_policy(c, key, text, &one, err);
    if (rc == 0 && (one.n != 1 || base_rm_url_base_len(one.url[0]) != strlen(one.url[0]) ||
                    base_int_parse(strrchr(one.url[0], ':') + 1, 1, 65535, &port) < 0))
        rc = base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is not host:port", key, text);
    if (rc == 0 && is_wildcard_address(one.url[0]))
        rc = base_error_set(err, -BASE_EINVAL,
                            "%s: \"%.100s\" is a wildcard: expected an address where the others "
                            "reach this ResourceManager "
                            "(creel.rm.bind says where it listens)",
                            key, text);
    if (rc == 0)
        *out = base_strdup(one.url[0]);
    base_rm_list_free(&one);
    free(text);
    free(host_key);
    free(key);
    return rc;
}

static int add_rm(const struct base_conf *c, const char *id, struct rm_ha_conf *out,
                  struct base_error *err)
{
    int rc;

    if (!is_valid_id(id))
        return base_error_set(err, -BASE_EINVAL,
                              KEY_IDS ": \"%.100s\" is no id: letters, digits, '.', '_', '-'", id);
    if (out->n == RM_HA_IDS_MAX)
        return base_error_set(err, -BASE_ELIMIT, KEY_IDS ": more than %d ids", RM_HA_IDS_MAX);
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->ids[i], id) == 0)
            return base_error_set(err, -BASE_EINVAL, KEY_IDS ": %s is listed twice", id);
    rc = read_rm_url(c, id, &out->urls[out->n], err);
    if (rc < 0)
        return rc;
    out->ids[out->n++] = base_strdup(id);
    for (size_t i = 0; i + 1 < out->n; i++)
        if (strcasecmp(out->urls[i], out->urls[out->n - 1]) == 0)
            return base_error_set(err, -BASE_EINVAL, "%s.%s: %s is the address of %s already",
                                  base_http_policy_rm_address_key(c), id, out->urls[i],
                                  out->ids[i]);
    return 0;
}

static int read_rm_ids(const struct base_conf *c, struct rm_ha_conf *out, struct base_error *err)
{
    char *ids = base_strdup(get_text_or_empty(c, KEY_IDS)), *save = NULL;
    int rc = 0;

    for (char *id = strtok_r(ids, SEPARATORS, &save); id && rc == 0;
         id = strtok_r(NULL, SEPARATORS, &save))
        rc = add_rm(c, id, out, err);
    free(ids);
    if (rc == 0 && out->n == 0)
        rc = base_error_set(
            err, -BASE_EINVAL,
            KEY_IDS " is not set: expected the ids of all ResourceManagers, such as rm1,rm2");
    return rc;
}

/* Finds this ResourceManager in the list: by the configured id or, without one, as the only entry
 * with its port (creel.rm.port). */
static int find_own_rm(const struct base_conf *c, struct rm_ha_conf *out, struct base_error *err)
{
    const char *id = get_text_or_empty(c, KEY_ID);
    int64_t port = base_http_policy_port(c, BASE_HTTP_RM);
    size_t found = 0;

    for (size_t i = 0; i < out->n; i++)
        if (*id ? strcmp(out->ids[i], id) == 0 : parse_port(out->urls[i]) == port) {
            out->own = i;
            found++;
        }
    if (*id && !found)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_ID ": %.100s is not one of " KEY_IDS " (%.400s)", id,
                              get_text_or_empty(c, KEY_IDS));
    if (found != 1)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_ID " is not set, and %s of " KEY_IDS
                                     " (%.400s) has port %lld: expected the id of this "
                                     "ResourceManager (or --rm-id)",
                              found ? "more than one" : "none", get_text_or_empty(c, KEY_IDS),
                              (long long)port);
    out->rm_id = base_strdup(out->ids[out->own]);
    return 0;
}

/* ---------------------------------------------------------------- ZooKeeper */
static int read_zk_servers(const struct base_conf *c, struct rm_ha_conf *out,
                           struct base_error *err)
{
    const char *key = *get_text_or_empty(c, KEY_ZK) ? KEY_ZK : KEY_ZK_TOO;
    struct base_buf servers = {0};
    char *text = base_strdup(get_text_or_empty(c, key)), *save = NULL;
    int rc = 0;

    for (char *s = strtok_r(text, SEPARATORS, &save); s && rc == 0;
         s = strtok_r(NULL, SEPARATORS, &save)) {
        const char *colon = strrchr(s, ':');
        int64_t port;

        if (!colon || colon == s || strpbrk(s, "/?#@") ||
            base_int_parse(colon + 1, 1, 65535, &port) < 0)
            rc = base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is not host:port", key, s);
        base_buf_addf(&servers, "%s%s", servers.len ? "," : "", s);
    }
    free(text);
    if (rc == 0 && servers.len == 0)
        rc = base_error_set(
            err, -BASE_EINVAL,
            KEY_ZK " is not set: expected ZooKeeper's servers as host:port, separated by commas");
    out->servers = base_buf_take(&servers);
    return rc;
}

static int read_cluster_and_root(const struct base_conf *c, struct rm_ha_conf *out,
                                 struct base_error *err)
{
    const char *root = get_text_or_empty(c, KEY_ROOT), *id = get_text_or_empty(c, KEY_CLUSTER);
    size_t len = strlen(root);

    if (!*id)
        return base_error_set(
            err, -BASE_EINVAL,
            KEY_CLUSTER
            " is not set: expected a name that all ResourceManagers of the cluster share");
    if (!is_valid_id(id))
        return base_error_set(err, -BASE_EINVAL,
                              KEY_CLUSTER ": \"%.100s\" is no id: letters, digits, '.', '_', '-'",
                              id);
    if (len && (*root != '/' || len == 1 || root[len - 1] == '/' || strstr(root, "//") ||
                strstr(root, "/.") || strcmp(root, "/zookeeper") == 0 ||
                strncmp(root, "/zookeeper/", 11) == 0 || strspn(root, WORD "/") != len))
        return base_error_set(
            err, -BASE_EINVAL,
            KEY_ROOT ": \"%.200s\" is not a path such as /creel/%s: letters, digits, '.', '_', '-'",
            root, id);
    out->cluster_id = base_strdup(id);
    out->root = len ? base_strdup(root) : base_printf("/creel/%s", id);
    return 0;
}

/* Returns the path of ZooKeeper's secret: as configured, else beside the cluster's if that is
 * configured, else by default (base_user_state_path()). Sets *@by_default to whether the path is
 * the last, where a daemon may make the file. The caller frees the path. */
static char *choose_zk_secret_path(const struct base_conf *c, bool *by_default)
{
    const char *set = get_text_or_empty(c, KEY_SECRET);
    const char *cluster = get_text_or_empty(c, BASE_CLUSTER_SECRET_KEY);
    const char *slash = strrchr(cluster, '/');

    *by_default = !*set && !*cluster;
    if (*set)
        return base_strdup(set);
    if (*cluster)
        return base_printf("%.*s" NAME_SECRET, slash ? (int)(slash + 1 - cluster) : 0, cluster);
    return base_user_state_path(NAME_SECRET);
}

/* Sets the user creel with the first key of ZooKeeper's secret, as hex digits, as the password. */
static int read_zk_secret(const struct base_conf *c, struct rm_ha_conf *out, struct base_error *err)
{
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    char password[2 * BASE_KEY_BYTES + 1];
    bool by_default;
    char *path = choose_zk_secret_path(c, &by_default);
    size_t n;
    int rc;

    rc = base_secret_file_read(path, keys, &n, err);
    if (rc == -BASE_ENOTFOUND && by_default) {
        rc = base_secret_file_make(path, err);
        if (rc == 0 || rc == -BASE_EEXIST)
            rc = base_secret_file_read(path, keys, &n, err);
    }
    free(path);
    if (rc == -BASE_ENOTFOUND) /* a restart would not help: only the default file is made */
        rc = -BASE_EINVAL;
    if (rc < 0)
        return base_error_wrap(err, rc,
                               KEY_SECRET " (the secret that protects the state in ZooKeeper, if "
                                          "not " KEY_AUTH ")");
    out->auth =
        base_printf("creel:%s", base_hex_encode(keys[0].bytes, sizeof keys[0].bytes, password));
    explicit_bzero(keys, sizeof keys);
    explicit_bzero(password, sizeof password);
    return 0;
}

/* Reads "digest:user:password", or "@file" for a file that contains it; without the key,
 * ZooKeeper's own secret. SOURCE: Hadoop's ZKUtil.parseAuth and resolveConfIndirection, of whose
 * schemes only digest is accepted. */
static int read_zk_auth(const struct base_conf *c, struct rm_ha_conf *out, struct base_error *err)
{
    const char *auth = get_text_or_empty(c, KEY_AUTH), *user;
    struct base_buf file = {0};
    int rc = 0;

    if (!*auth)
        return read_zk_secret(c, out, err);
    if (*auth == '@') {
        rc = base_file_read(auth + 1, AUTH_MAX, &file, err);
        if (rc < 0)
            return base_error_wrap(err, rc, KEY_AUTH);
        auth = file.data ? file.data : "";
        file.len = strcspn(auth, "\r\n");
    }
    user = strncmp(auth, "digest:", 7) == 0 ? auth + 7 : "";
    out->auth = base_strndup(user, strcspn(user, "\r\n"));
    if (*user == ':' || !strchr(out->auth, ':') || !strchr(out->auth, ':')[1])
        rc = base_error_set(err, -BASE_EINVAL,
                            KEY_AUTH
                            ": expected digest:user:password%s; the value (not shown, it may be a "
                            "password) has another form",
                            file.data ? " in the file" : "");
    base_buf_free(&file);
    return rc;
}

static int choose_store(const struct base_conf *c, struct rm_ha_conf *out, struct base_error *err)
{
    int rc = ha_store_choose(get_text_or_empty(c, KEY_STORE), true, &out->store, err);

    return rc < 0 ? base_error_wrap(err, rc, KEY_STORE) : 0;
}

int rm_ha_conf_read(const struct base_conf *conf, bool ha_option, struct rm_ha_conf *out,
                    struct base_error *err)
{
    int rc;

    *out = (struct rm_ha_conf){
        .enabled = ha_option || base_conf_bool(conf, "yarn.resourcemanager.ha.enabled"),
        .timeout_us = base_conf_int(conf, "yarn.resourcemanager.zk-timeout-ms") * 1000};
    if (!out->enabled)
        return 0;
    if ((rc = read_rm_ids(conf, out, err)) < 0 || (rc = find_own_rm(conf, out, err)) < 0 ||
        (rc = read_zk_servers(conf, out, err)) < 0 ||
        (rc = read_cluster_and_root(conf, out, err)) < 0 ||
        (rc = read_zk_auth(conf, out, err)) < 0 || (rc = choose_store(conf, out, err)) < 0) {
        rm_ha_conf_free(out);
        return rc;
    }
    return 0;
}

char *rm_ha_conf_join_urls_own_first(const struct rm_ha_conf *c)
{
    struct base_buf b = {0};

    base_buf_adds(&b, c->urls[c->own]);
    for (size_t i = 0; i < c->n; i++)
        if (i != c->own)
            base_buf_addf(&b, ",%s", c->urls[i]);
    return base_buf_take(&b);
}

const char *rm_ha_conf_find_url(const struct rm_ha_conf *c, const char *rm_id)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->ids[i], rm_id) == 0)
            return c->urls[i];
    return "";
}

void rm_ha_conf_free(struct rm_ha_conf *c)
{
    for (size_t i = 0; i < RM_HA_IDS_MAX; i++) {
        free(c->ids[i]);
        free(c->urls[i]);
    }
    free(c->rm_id);
    free(c->servers);
    free(c->root);
    free(c->cluster_id);
    free(c->auth);
    *c = (struct rm_ha_conf){0};
}
