#include "api/server/access/kerberos.h"

#include <ctype.h>
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/server/access/principals.h"
#include "api/server/access/ticket_record.h"
#include "base/crypto/base64.h"
#include "base/io/log.h"
#include "base/io/private_file.h"

#define TOKEN_MAX 16384 /* characters; a request's head is not longer */
#define HOST      "_HOST"

struct api_kerberos {
    atomic_int refs;
    gss_cred_id_t key;
    struct api_principals *users;
};

/* ---- reasons ---- */

static void add_gss_status_text(struct base_buf *out, OM_uint32 code, int type)
{
    OM_uint32 more = 0, minor;

    do {
        gss_buffer_desc text = GSS_C_EMPTY_BUFFER;

        if (gss_display_status(&minor, code, type, GSS_C_NO_OID, &more, &text) != GSS_S_COMPLETE)
            return;
        base_buf_addf(out, "%s%.*s", out->len ? ": " : "", (int)text.length, (char *)text.value);
        gss_release_buffer(&minor, &text);
    } while (more);
}

static void add_gss_error_text(struct base_buf *out, OM_uint32 major, OM_uint32 minor)
{
    add_gss_status_text(out, major, GSS_C_GSS_CODE);
    if (minor)
        add_gss_status_text(out, minor, GSS_C_MECH_CODE);
}

/* ---- the service's principal and key ---- */

/* Returns the full name of this host; caller frees. */
static char *find_own_host_name(void)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME}, *list = NULL;
    char own[256] = "localhost";
    char *name;

    if (gethostname(own, sizeof own - 1) < 0)
        snprintf(own, sizeof own, "localhost");
    if (getaddrinfo(own, NULL, &hints, &list) == 0 && list->ai_canonname)
        name = base_strdup(list->ai_canonname);
    else
        name = base_strdup(own);
    if (list)
        freeaddrinfo(list);
    return name;
}

static void make_lower(char *text)
{
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

/* Returns the host name that _HOST stands for; caller frees. An address that means all of the
 * host's is no name, as in Hadoop. */
static char *find_host_of_daemon(const struct base_conf *conf, const char *daemon)
{
    const char *host =
        base_conf_get(conf, strcmp(daemon, "nodemanager") == 0 ? "creel.nodemanager.host"
                                                               : "yarn.resourcemanager.hostname");
    bool named = host && *host && strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0 &&
                 strcmp(host, "[::]") != 0;
    char *name = named ? base_strdup(host) : find_own_host_name();

    make_lower(name);
    return name;
}

/* Returns the value of @key, in which _HOST is replaced if it is the whole second part, as in
 * HTTP/_HOST@REALM; caller frees. */
static char *read_principal(const struct base_conf *conf, const char *key, const char *daemon)
{
    const char *text = base_conf_get(conf, key), *at = strstr(text, "/" HOST);
    const char *rest = at ? at + strlen("/" HOST) : NULL;
    char *host, *out;

    if (!at || at != strchr(text, '/') || (*rest && *rest != '@'))
        return base_strdup(text);
    host = find_host_of_daemon(conf, daemon);
    out = base_printf("%.*s/%s%s", (int)(at - text), text, host, rest);
    free(host);
    return out;
}

static int report_no_key_in_keytab(const char *keytab_key, const char *keytab,
                                   const char *principal, OM_uint32 major, OM_uint32 minor,
                                   struct base_error *err)
{
    struct base_buf why = {0};
    int rc;

    add_gss_error_text(&why, major, minor);
    rc = base_error_set(err, -BASE_EINVAL, "%s: %s has no key of %s: %s", keytab_key, keytab,
                        principal, why.data ? why.data : "");
    base_buf_free(&why);
    return rc;
}

/* The key for Kerberos alone: other mechanisms that may be installed on the host, of which some
 * take passwords, are not offered. @record: of tickets seen; NULL: Kerberos' own choice. */
static OM_uint32 acquire_acceptor_key(gss_name_t name, const char *keytab, const char *record,
                                      gss_cred_id_t *out, OM_uint32 *minor)
{
    static gss_OID_desc spnego = {6, "\x2b\x06\x01\x05\x05\x02"};
    gss_OID_desc both[] = {*gss_mech_krb5, spnego};
    gss_OID_set_desc mechanisms = {2, both}, within = {1, both};
    gss_key_value_element_desc places[] = {{"keytab", keytab}, {"rcache", record}};
    gss_key_value_set_desc store = {record ? 2 : 1, places};
    OM_uint32 major = gss_acquire_cred_from(minor, name, GSS_C_INDEFINITE, &mechanisms,
                                            GSS_C_ACCEPT, &store, out, NULL, NULL);

    return GSS_ERROR(major) ? major : gss_set_neg_mechs(minor, *out, &within);
}

static int read_key(struct api_kerberos *k, const char *principal, const char *keytab_key,
                    const char *keytab, struct base_error *err)
{
    gss_buffer_desc text = {strlen(principal), (char *)principal};
    char *place, *record;
    gss_name_t name = GSS_C_NO_NAME;
    OM_uint32 major, minor, ignored;
    int rc = api_ticket_record_open(&record, err);

    if (rc < 0)
        return rc;
    place = base_printf("FILE:%s", keytab);
    major = gss_import_name(&minor, &text, GSS_KRB5_NT_PRINCIPAL_NAME, &name);
    if (!GSS_ERROR(major))
        major = acquire_acceptor_key(name, place, record, &k->key, &minor);
    gss_release_name(&ignored, &name);
    free(place);
    free(record);
    return GSS_ERROR(major)
               ? report_no_key_in_keytab(keytab_key, keytab, principal, major, minor, err)
               : 0;
}

static int check_keytab_is_private(const char *key, const char *path, struct base_error *err)
{
    int fd = *path ? base_private_file_open(path, NULL, err)
                   : base_error_set(err, -BASE_EINVAL, "it is not set");

    if (fd < 0)
        /* the code says that another configuration is needed */
        return base_error_wrap(err, -BASE_EINVAL, "creel.auth is spnego: %s", key);
    close(fd);
    return 0;
}

/* ---- users ---- */

/* Returns the default realm of Kerberos' configuration, "" when there is none; caller frees. */
static char *find_default_realm(void)
{
    krb5_context context;
    char *realm = NULL, *copy;

    if (krb5_init_context(&context) != 0)
        return base_strdup("");
    if (krb5_get_default_realm(context, &realm) != 0)
        realm = NULL;
    copy = base_strdup(realm ? realm : "");
    krb5_free_default_realm(context, realm);
    krb5_free_context(context);
    return copy;
}

static int read_rules_of_principals(struct api_kerberos *k, const struct base_conf *conf,
                                    struct base_error *err)
{
    static const char key[] = "hadoop.security.auth_to_local.mechanism";
    char *realm;
    int rc;

    if (strcmp(base_conf_get(conf, key), "hadoop") != 0)
        return base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\": expected hadoop", key,
                              base_conf_get(conf, key));
    realm = find_default_realm();
    rc = api_principals_new(base_conf_get(conf, "hadoop.security.auth_to_local"), realm, &k->users,
                            err);
    free(realm);
    return rc;
}

/* ---- life ---- */

int api_kerberos_new(const struct base_conf *conf, const char *daemon, struct api_kerberos **out,
                     struct base_error *err)
{
    struct api_kerberos *k = base_alloc(sizeof *k);
    char *name_key = base_printf("yarn.%s.webapp.spnego-principal", daemon);
    char *file_key = base_printf("yarn.%s.webapp.spnego-keytab-file", daemon);
    const char *keytab = base_conf_get(conf, file_key);
    char *principal = read_principal(conf, name_key, daemon);
    int rc = 0;

    atomic_init(&k->refs, 1);
    k->key = GSS_C_NO_CREDENTIAL;
    if (strncmp(principal, "HTTP/", 5) != 0)
        rc = base_error_set(err, -BASE_EINVAL,
                            "creel.auth is spnego: %s: \"%.200s\": expected HTTP/_HOST@REALM, the "
                            "only service that browsers ask tickets for",
                            name_key, principal);
    if (rc == 0)
        rc = check_keytab_is_private(file_key, keytab, err);
    if (rc == 0)
        rc = read_rules_of_principals(k, conf, err);
    if (rc == 0)
        rc = read_key(k, principal, file_key, keytab, err);
    if (rc == 0) {
        base_log_info("http", "users are known by Kerberos tickets for %s", principal);
        *out = k;
    } else {
        api_kerberos_unref(k);
    }
    free(principal);
    free(file_key);
    free(name_key);
    return rc;
}

struct api_kerberos *api_kerberos_ref(struct api_kerberos *k)
{
    if (k)
        atomic_fetch_add(&k->refs, 1);
    return k;
}

void api_kerberos_unref(struct api_kerberos *k)
{
    OM_uint32 minor;

    if (!k || atomic_fetch_sub(&k->refs, 1) != 1)
        return;
    gss_release_cred(&minor, &k->key);
    api_principals_free(k->users);
    free(k);
}

/* ---- tickets ---- */

/* Returns the principal that @name is, NULL when it is not a Kerberos name; caller frees. */
static char *get_kerberos_principal(gss_name_t name)
{
    gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
    gss_OID type = GSS_C_NO_OID;
    char *principal = NULL;
    OM_uint32 minor;

    if (GSS_ERROR(gss_display_name(&minor, name, &text, &type)))
        return NULL;
    if (gss_oid_equal(type, GSS_KRB5_NT_PRINCIPAL_NAME) && !memchr(text.value, '\0', text.length))
        principal = base_strndup(text.value, text.length);
    gss_release_buffer(&minor, &text);
    return principal;
}

static enum api_ticket map_client_to_user(const struct api_kerberos *k, gss_name_t client,
                                          struct api_ticket_holder *out, struct base_buf *why)
{
    out->principal = get_kerberos_principal(client);
    if (!out->principal) {
        base_buf_adds(why, "the client is not a Kerberos principal");
        return API_TICKET_REFUSED;
    }
    out->user = api_principals_find_user(k->users, out->principal);
    if (out->user)
        return API_TICKET_VALID;
    base_buf_addf(why, "no rule of hadoop.security.auth_to_local maps %.200s to a user",
                  out->principal);
    return API_TICKET_NO_USER;
}

static enum api_ticket accept_token(const struct api_kerberos *k, const struct base_buf *token,
                                    struct api_ticket_holder *out, struct base_buf *why)
{
    gss_buffer_desc in = {token->len, token->data}, reply = GSS_C_EMPTY_BUFFER;
    gss_ctx_id_t context = GSS_C_NO_CONTEXT;
    gss_name_t client = GSS_C_NO_NAME;
    enum api_ticket result = API_TICKET_REFUSED;
    OM_uint32 minor, ignored, flags = 0;
    OM_uint32 major =
        gss_accept_sec_context(&minor, &context, k->key, &in, GSS_C_NO_CHANNEL_BINDINGS, &client,
                               NULL, &reply, &flags, NULL, NULL);

    if (GSS_ERROR(major))
        add_gss_error_text(why, major, minor);
    else if (major & GSS_S_CONTINUE_NEEDED)
        base_buf_adds(why, "the exchange is not complete after its first token: the client begins "
                           "with another mechanism than Kerberos");
    else if (flags & GSS_C_ANON_FLAG)
        base_buf_adds(why, "the client is anonymous");
    else
        result = map_client_to_user(k, client, out, why);
    if (result == API_TICKET_VALID && reply.length) {
        struct base_buf text = {0};

        base_base64_encode(reply.value, reply.length, &text);
        out->reply = base_buf_take(&text);
    }
    gss_release_buffer(&ignored, &reply);
    gss_release_name(&ignored, &client);
    gss_delete_sec_context(&ignored, &context, GSS_C_NO_BUFFER);
    return result;
}

enum api_ticket api_kerberos_check_token(const struct api_kerberos *k, const char *token,
                                         struct api_ticket_holder *out, struct base_buf *why)
{
    struct base_buf bytes = {0};
    enum api_ticket result = API_TICKET_REFUSED;

    *out = (struct api_ticket_holder){0};
    if (strlen(token) <= TOKEN_MAX)
        base_base64_decode(token, &bytes);
    if (bytes.len)
        result = accept_token(k, &bytes, out, why);
    else
        base_buf_adds(why, "the token after Negotiate is not base64, or is too long");
    if (result != API_TICKET_VALID)
        api_ticket_holder_free(out);
    base_buf_free(&bytes);
    return result;
}

void api_ticket_holder_free(struct api_ticket_holder *h)
{
    free(h->user);
    free(h->principal);
    free(h->reply);
    *h = (struct api_ticket_holder){0};
}
