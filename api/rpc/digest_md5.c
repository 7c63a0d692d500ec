#include "api/rpc/digest_md5.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crypto/equal.h"
#include "base/crypto/hex.h"

#define FIRST_USE "00000001"
#define QOP       "auth"
#define SEPARATOR " ,\t\r\n"

void api_rpc_digest_add_challenge(struct base_buf *out, const char *nonce)
{
    base_buf_addf(out,
                  "realm=\"" API_RPC_REALM "\",nonce=\"%s\",qop=\"" QOP "\",charset=utf-8,"
                  "algorithm=md5-sess",
                  nonce);
}

/* ---- reading: name=value, ... where a value may be quoted ---- */

/* Reads a quoted value behind its quote. Returns the place behind the closing one, or NULL. */
static const char *read_quoted(const char *p, struct base_buf *value)
{
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && !*++p)
            return NULL;
        base_buf_add(value, p, 1);
    }
    return *p == '"' ? p + 1 : NULL;
}

static const char *read_value(const char *p, struct base_buf *value)
{
    size_t n;

    base_buf_clear(value);
    base_buf_adds(value, "");
    if (*p == '"')
        return read_quoted(p + 1, value);
    n = strcspn(p, SEPARATOR "\"");
    base_buf_add(value, p, n);
    return p + n;
}

/* Keeps a value. Returns false when the member came before, or has a value that is not served. */
static bool keep_member(struct api_rpc_digest *d, bool *counted, const char *name, size_t name_len,
                        const char *value)
{
    const struct {
        const char *name;
        char **to;
    } texts[] = {{"username", &d->username}, {"realm", &d->realm},    {"nonce", &d->nonce},
                 {"cnonce", &d->cnonce},     {"digest-uri", &d->uri}, {"response", &d->response}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i].name) == name_len && strncasecmp(name, texts[i].name, name_len) == 0) {
            if (*texts[i].to)
                return false;
            *texts[i].to = base_strdup(value);
            return true;
        }
    if (name_len == 2 && strncasecmp(name, "nc", name_len) == 0) {
        bool again = *counted;

        *counted = true;
        return !again && strcmp(value, FIRST_USE) == 0;
    }
    if (name_len == 3 && strncasecmp(name, "qop", name_len) == 0)
        return strcmp(value, QOP) == 0;
    return true; /* charset, maxbuf, and what nobody knows */
}

/* Sets *@counted when the number of uses is among the members, and right. */
static bool read_members(const char *p, struct api_rpc_digest *d, bool *counted)
{
    struct base_buf value = {0};
    bool good = true;

    *counted = false;

    while (good && *(p += strspn(p, SEPARATOR))) {
        size_t n = strcspn(p, "=" SEPARATOR "\"");
        const char *name = p;

        good = n > 0 && p[n] == '=' && (p = read_value(p + n + 1, &value)) &&
               (!*p || strchr(SEPARATOR, *p)) && keep_member(d, counted, name, n, value.data);
    }
    base_buf_free(&value);
    return good;
}

static bool parse(const char *text, size_t len, struct api_rpc_digest *out, bool *counted)
{
    char *copy = base_strndup(len ? text : "", len); /* @text is NULL for an empty field */
    bool good;

    *out = (struct api_rpc_digest){0};
    good = strlen(copy) == len && read_members(copy, out, counted);
    free(copy);
    return good;
}

bool api_rpc_digest_parse(const char *text, size_t len, struct api_rpc_digest *out)
{
    bool counted;

    return parse(text, len, out, &counted) && counted && out->username && out->realm &&
           out->nonce && out->cnonce && out->uri && out->response;
}

bool api_rpc_digest_parse_challenge(const char *text, size_t len, struct api_rpc_digest *out)
{
    bool counted;

    return parse(text, len, out, &counted) && out->realm && out->nonce;
}

void api_rpc_digest_free(struct api_rpc_digest *d)
{
    free(d->username);
    free(d->realm);
    free(d->nonce);
    free(d->cnonce);
    free(d->uri);
    free(d->response);
}

/* ---- arithmetic: RFC 2831, section 2.1.2.1 ---- */

static bool digest_text_hex(const struct base_buf *text, char out[static BASE_MD5_HEX])
{
    unsigned char digest[BASE_MD5_BYTES];

    if (!base_md5(text->data, text->len, digest))
        return false;
    base_hex_encode(digest, sizeof digest, out);
    return true;
}

bool api_rpc_digest_compute(const struct api_rpc_digest *d, const char *password,
                            const char *method, char out[static BASE_MD5_HEX])
{
    unsigned char secret[BASE_MD5_BYTES];
    struct base_buf text = {0};
    char a1[BASE_MD5_HEX], a2[BASE_MD5_HEX];
    bool good;

    base_buf_addf(&text, "%s:%s:%s", d->username, d->realm, password);
    good = base_md5(text.data, text.len, secret);
    explicit_bzero(text.data, text.len);
    base_buf_clear(&text);
    base_buf_add(&text, secret, sizeof secret);
    explicit_bzero(secret, sizeof secret);
    base_buf_addf(&text, ":%s:%s", d->nonce, d->cnonce);
    good = good && digest_text_hex(&text, a1);
    base_buf_clear(&text);
    base_buf_addf(&text, "%s:%s", method, d->uri);
    good = good && digest_text_hex(&text, a2);
    base_buf_clear(&text);
    if (good)
        base_buf_addf(&text, "%s:%s:" FIRST_USE ":%s:" QOP ":%s", a1, d->nonce, d->cnonce, a2);
    good = good && digest_text_hex(&text, out);
    base_buf_free(&text);
    return good;
}

bool api_rpc_digest_check(const struct api_rpc_digest *d, const char *nonce, const char *password,
                          struct base_buf *out)
{
    char value[BASE_MD5_HEX];

    if (strcmp(d->nonce, nonce) != 0 || strcmp(d->realm, API_RPC_REALM) != 0 ||
        strcmp(d->uri, "/" API_RPC_REALM) != 0)
        return false;
    if (!api_rpc_digest_compute(d, password, "AUTHENTICATE", value) ||
        !base_secret_equal(d->response, value) || !api_rpc_digest_compute(d, password, "", value))
        return false;
    base_buf_addf(out, "rspauth=%s", value);
    return true;
}

/* Appends a value between quotes. */
static void add_quoted(struct base_buf *out, const char *name, const char *value)
{
    base_buf_addf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            base_buf_add(out, "\\", 1);
        base_buf_add(out, value, 1);
    }
    base_buf_adds(out, "\",");
}

bool api_rpc_digest_add_response(const struct api_rpc_digest *d, const char *password,
                                 struct base_buf *out)
{
    char value[BASE_MD5_HEX];

    if (!api_rpc_digest_compute(d, password, "AUTHENTICATE", value))
        return false;
    base_buf_adds(out, "charset=utf-8,");
    add_quoted(out, "username", d->username);
    add_quoted(out, "realm", d->realm);
    add_quoted(out, "nonce", d->nonce);
    base_buf_adds(out, "nc=" FIRST_USE ",");
    add_quoted(out, "cnonce", d->cnonce);
    add_quoted(out, "digest-uri", d->uri);
    base_buf_addf(out, "maxbuf=65536,response=%s,qop=" QOP, value);
    return true;
}
