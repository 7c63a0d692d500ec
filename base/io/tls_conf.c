#include "base/io/tls_conf.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf/http_policy.h"
#include "base/mem.h"

#define KEY_CERTIFICATE "creel.tls.certificate-file"
#define KEY_KEY         "creel.tls.key-file"
#define KEY_CA          "creel.tls.ca-file"
#define KEY_CLIENT_AUTH "creel.tls.client-auth"

static struct base_tls_conf clients = {.certificate_file = "", .key_file = "", .ca_file = ""};

static const char *get_text_or_empty(const struct base_conf *conf, const char *key)
{
    const char *value = base_conf_get(conf, key);

    return value ? value : "";
}

static int read_client_auth(const struct base_conf *conf, bool *out, struct base_error *err)
{
    const char *value = get_text_or_empty(conf, KEY_CLIENT_AUTH);

    *out = strcmp(value, "daemons") == 0;
    if (*out || strcmp(value, "none") == 0)
        return 0;
    return base_error_set(err, -BASE_EINVAL,
                          KEY_CLIENT_AUTH ": \"%.40s\": expected none or daemons", value);
}

/* Returns an error when a file that the settings need is missing. */
static int check_complete(const struct base_tls_conf *c, struct base_error *err)
{
    if (!*c->certificate_file != !*c->key_file)
        return base_error_set(err, -BASE_EINVAL, "%s is not set, though %s is",
                              *c->key_file ? KEY_CERTIFICATE : KEY_KEY,
                              *c->key_file ? KEY_KEY : KEY_CERTIFICATE);
    if (c->client_auth && !c->https)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_CLIENT_AUTH ": daemons: expected yarn.http.policy HTTPS_ONLY "
                                              "beside it, since only TLS carries certificates");
    if (c->client_auth && !*c->ca_file)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_CLIENT_AUTH ": daemons: " KEY_CA " is not set: expected the "
                                              "authority that signs the daemons' certificates");
    return 0;
}

int base_tls_conf_read(const struct base_conf *conf, struct base_tls_conf *out,
                       struct base_error *err)
{
    int rc = base_http_policy_check(conf, err);

    *out = (struct base_tls_conf){.https = rc == 0 && base_http_policy_is_https(conf),
                                  .certificate_file = get_text_or_empty(conf, KEY_CERTIFICATE),
                                  .key_file = get_text_or_empty(conf, KEY_KEY),
                                  .ca_file = get_text_or_empty(conf, KEY_CA)};
    if (rc == 0)
        rc = read_client_auth(conf, &out->client_auth, err);
    return rc < 0 ? rc : check_complete(out, err);
}

static void replace_text(const char **to, const char *text)
{
    static const char none[] = "";
    const char *old = *to;

    *to = text && *text ? base_strdup(text) : none;
    if (*old)
        free((char *)old);
}

void base_tls_use_for_clients(const struct base_tls_conf *conf)
{
    clients.https = conf->https;
    clients.client_auth = conf->client_auth;
    replace_text(&clients.ca_file, conf->ca_file);
    replace_text(&clients.certificate_file, conf->client_auth ? conf->certificate_file : "");
    replace_text(&clients.key_file, conf->client_auth ? conf->key_file : "");
}

void base_tls_trust_only(const char *ca_file)
{
    base_tls_use_for_clients(&(struct base_tls_conf){.ca_file = ca_file});
}

const struct base_tls_conf *base_tls_of_clients(void)
{
    return &clients;
}
