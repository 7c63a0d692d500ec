#include "api/server/conf.h"

#include <stdio.h>
#include <string.h>

#include "api/server/access/auth.h"
#include "api/server/access/cors.h"
#include "api/server/access/kerberos.h"
#include "api/server/hosts.h"
#include "api/server/tls/tls.h"

/* Keys whose values are addresses of daemons: the host names in them are names of this cluster. A
 * trailing period stands for one key per ResourceManager id. */
static const char *const address_keys[] = {
    "creel.rm.bind",
    "creel.nodemanager.bind",
    "creel.nodemanager.host",
    "creel.nodemanager.rm",
    "yarn.resourcemanager.hostname",
    "yarn.resourcemanager.hostname.",
    "yarn.resourcemanager.webapp.address",
    "yarn.resourcemanager.webapp.address.",
    "yarn.resourcemanager.webapp.https.address",
    "yarn.resourcemanager.webapp.https.address.",
    "yarn.nodemanager.hostname",
    "yarn.nodemanager.webapp.address",
    "yarn.nodemanager.webapp.https.address",
    "mapreduce.jobhistory.webapp.address",
    "mapreduce.jobhistory.webapp.https.address",
};

static bool key_holds_addresses(const char *key)
{
    for (size_t i = 0; i < sizeof address_keys / sizeof address_keys[0]; i++) {
        const char *known = address_keys[i];
        size_t n = strlen(known);

        if (known[n - 1] == '.' ? strncmp(key, known, n) == 0 : strcmp(key, known) == 0)
            return true;
    }
    return false;
}

static int read_allowed_hosts(const struct base_conf *conf, struct api_server_conf *out,
                              struct base_error *err)
{
    static const char key[] = "creel.http.allowed-hosts";
    struct api_hosts *hosts = out->hosts = api_hosts_new();
    struct base_conf_item item;

    for (size_t i = 0; base_conf_item_at(conf, i, &item); i++)
        if (item.value && key_holds_addresses(item.name))
            api_hosts_add_addresses(hosts, item.value);
    return api_hosts_add_list(hosts, key, base_conf_get(conf, key), err);
}

static int read_auth_method(const struct base_conf *conf, enum api_auth_method *out,
                            struct base_error *err)
{
    const char *text = base_conf_get(conf, "creel.auth");

    if (strcmp(text, "token") == 0)
        *out = API_AUTH_TOKEN;
    else if (strcmp(text, "spnego") == 0)
        *out = API_AUTH_SPNEGO;
    else if (strcmp(text, "simple") == 0)
        *out = API_AUTH_SIMPLE;
    else
        return base_error_set(err, -BASE_EINVAL,
                              "creel.auth: \"%.100s\": expected token, spnego or simple", text);
    return 0;
}

static int read_auth_and_cors(const struct base_conf *conf, const char *daemon,
                              struct api_server_conf *out, struct base_error *err)
{
    bool is_rm = strcmp(daemon, "resourcemanager") == 0;
    struct api_auth_kind kind = {.type = is_rm ? API_AUTH_SIMPLE_OF_RM : API_AUTH_SIMPLE_OF_NM};
    char key[80];
    int rc = read_auth_method(conf, &out->method, err);

    if (rc == 0 && out->method == API_AUTH_SPNEGO) {
        kind = (struct api_auth_kind){.type = API_AUTH_KERBEROS, .maker = daemon};
        rc = api_kerberos_new(conf, daemon, &out->kerberos, err);
    }
    kind.proves = out->method != API_AUTH_SIMPLE;
    if (rc == 0)
        rc = api_auth_new(conf, &kind, &out->auth, err);
    out->reads_do_as = is_rm;
    snprintf(key, sizeof key, "yarn.%s.webapp.cross-origin.enabled", daemon);
    return rc < 0 ? rc : api_cors_new(conf, key, &out->cors, err);
}

static int read_tls(const struct base_conf *conf, struct api_server_conf *out,
                    struct base_error *err)
{
    struct base_tls_conf tls;
    int rc = base_tls_conf_read(conf, &tls, err);

    return rc < 0 || !tls.https ? rc : api_tls_new(&tls, &out->tls, err);
}

int api_conf_read(const struct base_conf *conf, const char *daemon, struct api_server_conf *out,
                  struct base_error *err)
{
    int64_t all = base_conf_int(conf, "creel.http.connections");
    int64_t for_nodes = base_conf_int(conf, "creel.http.connections-for-nodes");
    int rc;

    out->connections_max = (unsigned)all;
    out->connections_per_address =
        (unsigned)base_conf_int(conf, "creel.http.connections-per-address");
    out->connections_for_nodes = (unsigned)for_nodes;
    out->head_timeout_ms = (unsigned)base_conf_int(conf, "creel.http.header-timeout-ms");
    out->body_rate = (unsigned)base_conf_int(conf, "creel.http.body-min-rate");
    out->answer_rate = (unsigned)base_conf_int(conf, "creel.http.answer-min-rate");
    out->requests_per_address = (unsigned)base_conf_int(conf, "creel.http.requests-per-address");
    out->requests_per_user = (unsigned)base_conf_int(conf, "creel.http.requests-per-user");
    out->max_skew_ms = base_conf_int(conf, "creel.cluster.max-skew-ms");
    out->body_memory = base_conf_int(conf, "creel.http.body-memory-mb") << 20;
    if (for_nodes >= all)
        return base_error_set(err, -BASE_EINVAL,
                              "creel.http.connections-for-nodes: %lld: expected less than "
                              "creel.http.connections, which is %lld",
                              (long long)for_nodes, (long long)all);
    rc = read_allowed_hosts(conf, out, err);
    if (rc == 0)
        rc = read_auth_and_cors(conf, daemon, out, err);
    return rc < 0 ? rc : read_tls(conf, out, err);
}

void api_conf_free(struct api_server_conf *conf)
{
    api_hosts_free(conf->hosts);
    conf->hosts = NULL;
    api_auth_unref(conf->auth);
    conf->auth = NULL;
    api_cors_unref(conf->cors);
    conf->cors = NULL;
    api_kerberos_unref(conf->kerberos);
    conf->kerberos = NULL;
    api_tls_unref(conf->tls);
    conf->tls = NULL;
}
