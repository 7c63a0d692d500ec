#include "api/cli/token/hadoop_file.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"
#include "base/clock.h"
#include "base/conf/conf.h"
#include "base/hadoop/token.h"
#include "base/io/io.h"

#define KEY          "yarn.resourcemanager.address"
#define KEY_IDS      "yarn.resourcemanager.ha.rm-ids"
#define SEPARATORS   ", \t"
#define SHOWN_DAYS   3650 /* the last date in the file, which clients only show: the RM knows it */
#define DAY_MS       INT64_C(86400000)
#define TOKEN_ID_HEX 16 /* digits of a token's id, before its dot */

/* Appends "IP:PORT", as Hadoop's clients name the service of a token. */
static int add_service(const char *address, struct base_buf *out)
{
    const char *colon = strrchr(address, ':');
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    char *host, ip[NI_MAXHOST];
    int rc;

    if (!colon || colon == address || !colon[1])
        return cli_error(CLI_USAGE, "'%s': expected HOST:PORT, as in " KEY, address);
    host = base_strndup(address, (size_t)(colon - address));
    rc = getaddrinfo(host, NULL, &hints, &found);
    if (rc == 0)
        rc = getnameinfo(found->ai_addr, found->ai_addrlen, ip, sizeof ip, NULL, 0, NI_NUMERICHOST);
    if (found)
        freeaddrinfo(found);
    free(host);
    if (rc != 0)
        return cli_error(CLI_FAILED, "%s: %s", address, gai_strerror(rc));
    base_buf_addf(out, "%s%s%s", out->len ? "," : "", ip, colon);
    return CLI_OK;
}

static int add_services(const char *addresses, struct base_buf *out)
{
    char *list = base_strdup(addresses), *rest = list, *one;
    int rc = CLI_OK;

    while (rc == CLI_OK && (one = strsep(&rest, SEPARATORS)))
        if (*one)
            rc = add_service(one, out);
    free(list);
    return rc;
}

/* Returns the configured addresses, which the caller frees. */
static char *join_configured_addresses(const struct base_conf *conf)
{
    const char *ids = base_conf_get(conf, KEY_IDS), *single = base_conf_get(conf, KEY);
    char *list = base_strdup(ids ? ids : ""), *rest = list, *id;
    struct base_buf out = {0};

    while ((id = strsep(&rest, SEPARATORS))) {
        char *key = base_printf(KEY ".%s", id);
        const char *one = base_conf_get(conf, key);

        if (*id && one && *one)
            base_buf_addf(&out, "%s%s", out.len ? "," : "", one);
        free(key);
    }
    if (!out.len && single)
        base_buf_adds(&out, single);
    free(list);
    return base_buf_take(&out);
}

static int find_services(struct cli *c, const char *addresses, struct base_buf *out)
{
    char *list = addresses ? base_strdup(addresses) : join_configured_addresses(c->conf);
    int rc = add_services(list, out);

    if (rc == CLI_OK && !out->len)
        rc = cli_error(CLI_USAGE, "token: " KEY " is not set: expected it, or --rpc-address");
    free(list);
    return rc;
}

/* @rpc_key: the ResourceManager's answer. */
static int write_credentials(const char *path, const char *owner, const char *token,
                             const json_t *rpc_key, const char *service)
{
    int64_t now_ms = base_wall_us(&base_clock_real) / 1000;
    unsigned char password[BASE_SHA256_BYTES];
    struct base_buf identifier = {0}, file = {0};
    struct base_error err = {0};
    int rc;

    base_hadoop_token_add_identifier(&identifier, owner, cli_str(rpc_key, "rpcKey.secretId"),
                                     strtoull(token, NULL, 16), now_ms,
                                     now_ms + SHOWN_DAYS * DAY_MS);
    base_hadoop_token_compute_password(cli_str(rpc_key, "rpcKey.key"), identifier.data,
                                       identifier.len, password);
    base_hadoop_credentials_add(&file, &identifier, password, service);
    rc = base_file_write_atomic(path, file.data, file.len, 0600, false, &err);
    explicit_bzero(password, sizeof password);
    explicit_bzero(file.data, file.len);
    base_buf_free(&identifier);
    base_buf_free(&file);
    return rc < 0 ? cli_error(CLI_FAILED, "%s", err.text) : CLI_OK;
}

/* Asks for the key of the token for Hadoop RPC, and writes the file with it. */
static int ask_for_key_and_write(struct cli *c, const char *path, const char *owner,
                                 const char *token, const char *service)
{
    char *url = base_printf("/ws/v1/cluster/tokens/%.*s/rpc-key", TOKEN_ID_HEX, token);
    struct cli_answer a = {0};
    int rc = cli_rm_call(c->rm, "POST", url, NULL, 0, &a);

    free(url);
    if (rc != CLI_OK)
        return cli_answer_print_error_and_free(&a, rc);
    if (*cli_str(a.json, "rpcKey.key"))
        rc = write_credentials(path, owner, token, a.json, service);
    else
        rc = cli_error(CLI_UNREACHABLE, "%s has given no key: is it a ResourceManager?",
                       cli_rm_url(c->rm));
    cli_answer_free(&a);
    return rc;
}

int cli_token_write_hadoop_file(struct cli *c, const char *path, const char *addresses)
{
    struct base_buf service = {0};
    const char *token, *owner;
    json_t *answer = NULL;
    int rc = find_services(c, addresses, &service);

    if (rc == CLI_OK) /* which also shows that the token is valid */
        rc = cli_rm_get(c, "/ws/v1/cluster/userinfo", &answer);
    token = cli_rm_token(c->rm);
    if (rc == CLI_OK && (!token || strlen(token) <= TOKEN_ID_HEX || token[TOKEN_ID_HEX] != '.'))
        rc = cli_error(CLI_USAGE, "token: none was found, which the file could hold; where "
                                  "creel.auth is simple, clients need none");
    if (rc == CLI_OK) {
        owner = cli_str(answer, "requestedUser");
        rc = ask_for_key_and_write(c, path, owner, token, service.data);
    }
    json_decref(answer);
    base_buf_free(&service);
    return rc;
}
