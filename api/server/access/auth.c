#include "api/server/access/auth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/server/access/cookies.h"
#include "api/server/access/proxy_users.h"
#include "base/crypto/base64.h"
#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/private_file.h"

#define SECRET_KEY   "hadoop.http.authentication.signature.secret.file"
#define SECRET_MAX   4096
#define SECRET_MIN   16
#define SECRET_BYTES 32

struct api_auth {
    atomic_int refs;
    char *type, *domain;
    unsigned char secret[SECRET_MAX];
    size_t secret_len;
    unsigned char cookie_key[BASE_SHA256_BYTES];
    bool has_cookie_key; /* otherwise the secret itself signs cookies */
    int64_t validity_ms;
    bool anonymous, reads_names;
    struct api_proxy_users *proxies;
};

/* Reads a file that proves nothing: callers name themselves anyway. */
static int read_secret_of_names(const char *path, struct base_buf *out, struct base_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

    if (fd < 0)
        return base_error_set(err, -BASE_EIO, "cannot read %s: %s", path, strerror(errno));
    rc = base_fd_read_to_end(fd, path, SECRET_MAX, out, err);
    close(fd);
    if (rc == 0 && out->len == 0)
        return base_error_set(err, -BASE_EINVAL, "%s is empty", path);
    return rc;
}

/* Reads a file by which users are known: who can read or guess its secret is any user. */
static int read_secret_of_proofs(const char *path, struct base_buf *out, struct base_error *err)
{
    int rc = base_private_file_read(path, SECRET_MAX, out, NULL, err);

    if (rc == 0 && out->len < SECRET_MIN)
        return base_error_set(err, -BASE_EINVAL, "%s has %zu bytes: expected at least %d", path,
                              out->len, SECRET_MIN);
    return rc;
}

static int read_secret(struct api_auth *a, const char *path, bool proves, struct base_error *err)
{
    struct base_buf text = {0};
    int rc =
        proves ? read_secret_of_proofs(path, &text, err) : read_secret_of_names(path, &text, err);

    if (rc == 0) {
        memcpy(a->secret, text.data, text.len);
        a->secret_len = text.len;
    } else {
        /* the code says that another configuration is needed */
        rc = base_error_wrap(err, proves ? -BASE_EINVAL : rc, SECRET_KEY);
    }
    if (text.data)
        explicit_bzero(text.data, text.len);
    base_buf_free(&text);
    return rc;
}

/* Returns true when the filters in @initializers (NULL: not set) let callers name themselves: they
 * contain the authentication filter, or are the default ones, to which alone YARN's ResourceManager
 * adds it. */
static bool filters_let_callers_name_themselves(const char *initializers)
{
    static const char statics[] = "org.apache.hadoop.http.lib.StaticUserWebFilter";

    return !initializers || !initializers[0] || strcmp(initializers, statics) == 0 ||
           strstr(initializers, "AuthenticationFilterInitializer");
}

/* Makes the key of cookies from the secret, so that cookies of other makers have other keys. */
static void make_cookie_key(struct api_auth *a, const char *maker)
{
    char *text = base_printf("creel-cookie-1\n%s", maker);

    base_hmac_sha256(a->secret, a->secret_len, text, strlen(text), a->cookie_key);
    a->has_cookie_key = true;
    free(text);
}

int api_auth_new(const struct base_conf *conf, const struct api_auth_kind *kind,
                 struct api_auth **out, struct base_error *err)
{
    struct api_auth *a = base_alloc(sizeof *a);
    const char *file = base_conf_get(conf, SECRET_KEY);
    const char *domain = base_conf_get(conf, "hadoop.http.authentication.cookie.domain");
    int rc = 0;

    atomic_init(&a->refs, 1);
    a->type = base_strdup(kind->type);
    a->domain = domain && domain[0] ? base_strdup(domain) : NULL;
    a->validity_ms = base_conf_int(conf, "hadoop.http.authentication.token.validity") * 1000;
    a->anonymous = base_conf_bool(conf, "hadoop.http.authentication.simple.anonymous.allowed");
    a->reads_names =
        filters_let_callers_name_themselves(base_conf_get(conf, "hadoop.http.filter.initializers"));
    a->proxies = api_proxy_users_new(conf);
    a->secret_len = SECRET_BYTES;
    if (file && file[0])
        rc = read_secret(a, file, kind->proves, err);
    else
        base_random_bytes(a->secret, a->secret_len);
    if (rc < 0) {
        api_auth_unref(a);
        return rc;
    }
    if (kind->maker)
        make_cookie_key(a, kind->maker);
    *out = a;
    return 0;
}

struct api_auth *api_auth_ref(struct api_auth *a)
{
    if (a)
        atomic_fetch_add(&a->refs, 1);
    return a;
}

void api_auth_unref(struct api_auth *a)
{
    if (!a || atomic_fetch_sub(&a->refs, 1) != 1)
        return;
    api_proxy_users_free(a->proxies);
    free(a->domain);
    free(a->type);
    explicit_bzero(a->secret, sizeof a->secret);
    explicit_bzero(a->cookie_key, sizeof a->cookie_key);
    free(a);
}

bool api_auth_reads_user_names(const struct api_auth *a)
{
    return a->reads_names;
}

bool api_auth_allows_anonymous(const struct api_auth *a)
{
    return a->anonymous || !a->reads_names;
}

void api_auth_sign(const struct api_auth *a, const void *text, size_t len,
                   unsigned char out[static BASE_SHA256_BYTES])
{
    base_hmac_sha256(a->secret, a->secret_len, text, len, out);
}

int64_t api_auth_get_validity_s(const struct api_auth *a)
{
    return a->validity_ms / 1000;
}

/* Appends the signature of @text as a cookie. */
static void add_signature(const struct api_auth *a, const char *text, size_t len,
                          struct base_buf *out)
{
    unsigned char digest[BASE_SHA256_BYTES];

    if (a->has_cookie_key)
        base_hmac_sha256(a->cookie_key, sizeof a->cookie_key, text, len, digest);
    else
        api_auth_sign(a, text, len, digest);
    base_base64_encode(digest, sizeof digest, out);
}

/* Returns a copy of the value of @name ("u=") in "u=...&p=...&t=...&e=..."; NULL when absent. */
static char *copy_part(const char *text, size_t len, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = text, *end = text + len; at < end;) {
        const char *amp = memchr(at, '&', (size_t)(end - at));
        const char *stop = amp ? amp : end;

        if ((size_t)(stop - at) > n && strncmp(at, name, n) == 0)
            return base_strndup(at + n, (size_t)(stop - at) - n);
        at = stop + 1;
    }
    return NULL;
}

/* Returns the length of the signed part of a cookie: the part before the last "&s=". */
static size_t find_signed_length(const char *value, size_t len)
{
    for (size_t i = len; i >= 3; i--)
        if (strncmp(value + i - 3, "&s=", 3) == 0)
            return i - 3;
    return 0;
}

/* Sets *@user if the cookie is valid. */
static enum api_auth_cookie check_value(const struct api_auth *a, const char *value, size_t len,
                                        int64_t now_ms, char **user)
{
    size_t signed_len = find_signed_length(value, len);
    struct base_buf expected = {0};
    char *given, *type, *end_text, *name;
    enum api_auth_cookie result = API_AUTH_BAD_SIGNATURE;

    if (!signed_len)
        return API_AUTH_BAD_SIGNATURE;
    given = base_strndup(value + signed_len + 3, len - signed_len - 3);
    add_signature(a, value, signed_len, &expected);
    type = copy_part(value, signed_len, "t=");
    end_text = copy_part(value, signed_len, "e=");
    name = copy_part(value, signed_len, "u=");
    if (base_secret_equal(given, expected.data) && type && end_text && name &&
        strcmp(type, a->type) == 0)
        result = strtoll(end_text, NULL, 10) > now_ms ? API_AUTH_VALID : API_AUTH_EXPIRED;
    if (result == API_AUTH_VALID) {
        *user = name;
        name = NULL;
    }
    free(name);
    free(end_text);
    free(type);
    free(given);
    base_buf_free(&expected);
    return result;
}

/* Other ports and hosts of the domain can set cookies of this name, too: one that is not valid does
 * not hide ours, and of two users nobody can tell who asks. */
enum api_auth_cookie api_auth_check_cookie(const struct api_auth *a, const char *cookies,
                                           int64_t now_ms, char **user)
{
    enum api_auth_cookie result = API_AUTH_NO_COOKIE;
    char *found = NULL;
    bool differ = false;
    size_t len = 0;

    for (const char *value;
         (value = api_cookies_find_next_value(&cookies, API_AUTH_COOKIE, &len));) {
        char *name = NULL;
        enum api_auth_cookie one = check_value(a, value, len, now_ms, &name);

        if (result == API_AUTH_NO_COOKIE || one == API_AUTH_VALID)
            result = one;
        differ |= found && name && strcmp(found, name) != 0;
        if (found)
            free(name);
        else
            found = name;
    }
    if (differ) {
        free(found);
        return API_AUTH_BAD_SIGNATURE;
    }
    if (found)
        *user = found;
    return result;
}

void api_auth_add_cookie(const struct api_auth *a, const char *user, const char *principal,
                         int64_t now_ms, struct base_buf *out)
{
    struct base_buf signature = {0};
    size_t from;

    base_buf_adds(out, API_AUTH_COOKIE "=\"");
    from = out->len;
    base_buf_addf(out, "u=%s&p=%s&t=%s&e=%lld", user, principal, a->type,
                  (long long)(now_ms + a->validity_ms));
    add_signature(a, out->data + from, out->len - from, &signature);
    base_buf_addf(out, "&s=%s\"; Path=/", signature.data);
    base_buf_free(&signature);
    if (a->domain)
        base_buf_addf(out, "; Domain=%s", a->domain);
    base_buf_adds(out, "; HttpOnly");
}

const char *api_auth_get_cookie_domain(const struct api_auth *a)
{
    return a->domain;
}

bool api_auth_may_act_as(const struct api_auth *a, const char *user, const char *as,
                         const char *peer)
{
    return api_proxy_users_allow(a->proxies, user, as, peer);
}
