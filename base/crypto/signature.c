#include "base/crypto/signature.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crypto/equal.h"
#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "base/io/io.h"

/* Longer than any text to be signed but those with long targets. */
#define TEXT_MAX 512

/* The parts of a request that are signed, apart from those in the signature. */
struct signed_parts {
    const char *method, *host, *target;
    size_t host_len;
};

/* Returns the length of @host, of @len bytes, without the usual port. */
static size_t strip_usual_port(const char *host, size_t len, bool tls)
{
    const char *port = tls ? ":443" : ":80";
    size_t n = strlen(port);

    return len > n && strncmp(host + len - n, port, n) == 0 ? len - n : len;
}

#define TEXT "creel-request-3\n%s\n%.*s\n%s\n%" PRId64 "\n%s\n%s\n%s"
#define TEXT_ARGS(s, p)                                                                            \
    (p)->method, (int)(p)->host_len, (p)->host, (p)->target, (s)->time_ms, (s)->nonce,             \
        (s)->start_id, (s)->body_sha256

static void lower_host(const struct signed_parts *p, char *text)
{
    char *host = text + strlen("creel-request-3\n") + strlen(p->method) + 1;

    for (size_t i = 0; i < p->host_len; i++)
        if (host[i] >= 'A' && host[i] <= 'Z')
            host[i] = (char)(host[i] - 'A' + 'a');
}

/* Computes the code of the request's parts. The text is built on the stack if it fits there, since
 * every heartbeat needs such a code. */
static void compute_request_mac(const struct base_request_signature *s, const struct base_key *key,
                                const struct signed_parts *p,
                                unsigned char out[static BASE_SHA256_BYTES])
{
    char small[TEXT_MAX];
    char *large = NULL, *text = small;
    int n = snprintf(small, sizeof small, TEXT, TEXT_ARGS(s, p));

    if ((size_t)n >= sizeof small)
        text = large = base_printf(TEXT, TEXT_ARGS(s, p));
    lower_host(p, text);
    base_hmac_sha256(key->bytes, sizeof key->bytes, text, (size_t)n, out);
    free(large);
}

/* Returns the part of the absolute @url after its scheme; "" when it has none. */
static const char *find_host(const char *url)
{
    const char *scheme = strstr(url, "://");

    return scheme ? scheme + 3 : "";
}

const char *base_url_target(const char *url)
{
    const char *host = find_host(url), *target = host + strcspn(host, "/?#");

    return *target == '/' ? target : "/";
}

/* Returns the host, and the port if @url has one, as libcurl sends them in Host: it normalizes
 * addresses and ports. Caller frees. */
static char *normalize_host(const char *url)
{
    CURLU *parsed = curl_url();
    char *host = NULL, *port = NULL, *out;

    if (parsed && curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        (void)curl_url_get(parsed, CURLUPART_PORT, &port, 0);
        out = base_printf("%s%s%s", host, port ? ":" : "", port ? port : "");
    } else { /* a URL that libcurl will not ask for */
        out = base_strdup("");
    }
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parsed);
    return out;
}

void base_sign_request(const struct base_key *key, const char *method, const char *url,
                       const char *start_id, const void *body, size_t len, int64_t now_ms,
                       bool stream, struct base_request_signature *out)
{
    char *host = normalize_host(url);
    struct signed_parts p = {.method = method, .host = host, .target = base_url_target(url)};

    p.host_len = strip_usual_port(host, strlen(host), strncasecmp(url, "https:", 6) == 0);
    snprintf(out->key, sizeof out->key, "%s", key->id);
    snprintf(out->start_id, sizeof out->start_id, "%s", start_id);
    out->time_ms = now_ms;
    out->stream = stream;
    base_random_hex(out->nonce);
    base_sha256_hex(body, len, out->body_sha256);
    compute_request_mac(out, key, &p, out->mac);
    free(host);
}

void base_request_signature_format(const struct base_request_signature *s, struct base_buf *out)
{
    char mac[BASE_SHA256_HEX];

    base_buf_addf(out,
                  BASE_SIGNATURE_SCHEME " key=%s, time=%" PRId64
                                        ", nonce=%s, start=%s, sha256=%s, mac=%s%s",
                  s->key, s->time_ms, s->nonce, s->start_id, s->body_sha256,
                  base_hex_encode(s->mac, sizeof s->mac, mac), s->stream ? ", stream" : "");
}

bool base_request_is_signed(const char *authorization)
{
    size_t n = sizeof BASE_SIGNATURE_SCHEME - 1;

    return authorization && strncasecmp(authorization, BASE_SIGNATURE_SCHEME, n) == 0 &&
           (authorization[n] == ' ' || authorization[n] == '\0');
}

/* Reads "NAME=value" at *at, up to a comma or the end, into @out, and moves *at behind it. Returns
 * false when there is another member, or the value is empty or does not fit. */
static bool take_member_if_named(const char **at, const char *name, char *out, size_t size)
{
    const char *p = *at + strspn(*at, " ");
    size_t n = strlen(name), len;

    if (strncmp(p, name, n) != 0 || p[n] != '=')
        return false;
    p += n + 1;
    len = strcspn(p, ", ");
    if (len == 0 || len >= size)
        return false;
    memcpy(out, p, len);
    out[len] = '\0';
    p += len;
    *at = p + (*p == ',');
    return true;
}

static bool is_hex(const char *text, size_t len)
{
    return strlen(text) == len && strspn(text, "0123456789abcdef") == len;
}

static bool is_at_end_or_stream(const char *at, bool *stream)
{
    at += strspn(at, " ");
    *stream = strcmp(at, "stream") == 0;
    return *stream || !*at;
}

/* The members come in the order in which we write them: nobody else writes them. */
int base_request_signature_parse(const char *authorization, struct base_request_signature *out,
                                 struct base_error *err)
{
    const char *at = authorization + sizeof BASE_SIGNATURE_SCHEME - 1, *wrong = NULL;
    char time[24], mac[BASE_SHA256_HEX];

    memset(out, 0, sizeof *out);
    if (!take_member_if_named(&at, "key", out->key, sizeof out->key))
        wrong = "key";
    else if (!take_member_if_named(&at, "time", time, sizeof time) ||
             base_int_parse(time, 0, INT64_MAX, &out->time_ms) < 0)
        wrong = "time";
    else if (!take_member_if_named(&at, "nonce", out->nonce, sizeof out->nonce) ||
             !is_hex(out->nonce, BASE_NONCE_MAX - 1))
        wrong = "nonce";
    else if (!take_member_if_named(&at, "start", out->start_id, sizeof out->start_id) ||
             !is_hex(out->start_id, BASE_START_ID_MAX - 1))
        wrong = "start";
    else if (!take_member_if_named(&at, "sha256", out->body_sha256, sizeof out->body_sha256) ||
             !is_hex(out->body_sha256, BASE_SHA256_HEX - 1))
        wrong = "sha256";
    else if (!take_member_if_named(&at, "mac", mac, sizeof mac) ||
             !is_hex(mac, BASE_SHA256_HEX - 1) || !base_hex_decode(mac, out->mac, sizeof out->mac))
        wrong = "mac";
    else if (!is_at_end_or_stream(at, &out->stream))
        wrong = "end";
    return wrong ? base_error_set(err, -BASE_EINVAL, "the signature's member %s has no valid value",
                                  wrong)
                 : 0;
}

bool base_request_signature_is_right(const struct base_request_signature *s,
                                     const struct base_key *key, const char *method,
                                     const char *host, bool tls, const char *target)
{
    const struct signed_parts p = {.method = method,
                                   .host = host,
                                   .target = target,
                                   .host_len = strip_usual_port(host, strlen(host), tls)};
    unsigned char mac[BASE_SHA256_BYTES];

    compute_request_mac(s, key, &p, mac);
    return base_secret_bytes_equal(s->mac, mac, sizeof mac);
}

static void compute_answer_mac(const struct base_key *key, const char *nonce, unsigned status,
                               const void *body, size_t len,
                               unsigned char out[static BASE_SHA256_BYTES])
{
    char text[sizeof "creel-answer-1\n" + BASE_NONCE_MAX + BASE_SHA256_HEX + 32];
    char digest[BASE_SHA256_HEX];
    int n =
        snprintf(text, sizeof text, "creel-answer-1\n%s\n%u\n%s%s", nonce, status,
                 base_sha256_hex(body ? body : "", body ? len : 0, digest), body ? "" : "\nstream");

    base_hmac_sha256(key->bytes, sizeof key->bytes, text, (size_t)n, out);
}

void base_sign_answer(const struct base_key *key, const char *nonce, unsigned status,
                      const void *body, size_t len, char out[static BASE_ANSWER_SIGNATURE_MAX])
{
    unsigned char mac[BASE_SHA256_BYTES];
    char hex[BASE_SHA256_HEX];

    compute_answer_mac(key, nonce, status, body, len, mac);
    snprintf(out, BASE_ANSWER_SIGNATURE_MAX, "key=%s, mac=%s%s", key->id,
             base_hex_encode(mac, sizeof mac, hex), body ? "" : ", stream");
}

int base_check_answer_signature(struct base_keyring *keys, const char *text, const char *nonce,
                                unsigned status, const void *body, size_t len, bool stream,
                                struct base_error *err)
{
    char id[BASE_KEY_ID_MAX], hex[BASE_SHA256_HEX];
    unsigned char given[BASE_SHA256_BYTES], mac[BASE_SHA256_BYTES];
    struct base_key key;
    const char *at = text;
    bool is_stream = false;
    int rc = 0;

    if (!text || !*text)
        return base_error_set(err, -BASE_EPERM, "the answer is not signed");
    if (!take_member_if_named(&at, "key", id, sizeof id) ||
        !take_member_if_named(&at, "mac", hex, sizeof hex) ||
        !base_hex_decode(hex, given, sizeof given) || !is_at_end_or_stream(at, &is_stream))
        return base_error_set(err, -BASE_EPERM, "the answer's signature cannot be read");
    if (!base_keyring_find_fresh(keys, id, &key))
        return base_error_set(err, -BASE_EPERM, "the answer is signed with another key");
    compute_answer_mac(&key, nonce, status, is_stream ? NULL : body, len, mac);
    if (is_stream ? !stream : !body)
        rc = base_error_set(err, -BASE_EPERM,
                            is_stream ? "the answer's body is not signed"
                                      : "the answer is no stream");
    else if (!base_secret_bytes_equal(given, mac, sizeof mac))
        rc = base_error_set(err, -BASE_EPERM, "the answer's signature is wrong");
    explicit_bzero(&key, sizeof key);
    return rc;
}

static void compute_start_mac(const struct base_key *key, const char *nonce, const char *start_id,
                              unsigned char out[static BASE_SHA256_BYTES])
{
    char text[sizeof "creel-start-1\n" + BASE_NONCE_MAX + BASE_START_ID_MAX];
    int n = snprintf(text, sizeof text, "creel-start-1\n%s\n%s", nonce, start_id);

    base_hmac_sha256(key->bytes, sizeof key->bytes, text, (size_t)n, out);
}

void base_sign_start_id(const struct base_key *key, const char *nonce, const char *start_id,
                        char out[static BASE_START_SIGNATURE_MAX])
{
    unsigned char mac[BASE_SHA256_BYTES];
    char hex[BASE_SHA256_HEX];

    compute_start_mac(key, nonce, start_id, mac);
    snprintf(out, BASE_START_SIGNATURE_MAX, "key=%s, start=%s, mac=%s", key->id, start_id,
             base_hex_encode(mac, sizeof mac, hex));
}

bool base_read_signed_start_id(struct base_keyring *keys, const char *text,
                               const struct base_request_signature *sent,
                               char out[static BASE_START_ID_MAX])
{
    char id[BASE_KEY_ID_MAX], start_id[BASE_START_ID_MAX], hex[BASE_SHA256_HEX];
    unsigned char given[BASE_SHA256_BYTES], mac[BASE_SHA256_BYTES];
    struct base_key key;
    const char *at = text;
    bool is_right;

    if (!text || !take_member_if_named(&at, "key", id, sizeof id) ||
        !take_member_if_named(&at, "start", start_id, sizeof start_id) ||
        !is_hex(start_id, BASE_START_ID_MAX - 1) ||
        !take_member_if_named(&at, "mac", hex, sizeof hex) ||
        !base_hex_decode(hex, given, sizeof given) || !base_keyring_find_fresh(keys, id, &key))
        return false;
    compute_start_mac(&key, sent->nonce, start_id, mac);
    is_right = base_secret_bytes_equal(given, mac, sizeof mac);
    explicit_bzero(&key, sizeof key);
    if (!is_right || strcmp(start_id, sent->start_id) == 0)
        return false;
    memcpy(out, start_id, BASE_START_ID_MAX);
    return true;
}
