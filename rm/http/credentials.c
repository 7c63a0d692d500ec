#include "rm/http/credentials.h"

#include <string.h>

#include "base/crypto/base64.h"
#include "base/error.h"

#define TOKEN_MEMBERS 4

/* SOURCE: the VInt of Hadoop's Writables. One byte holds -112 to 127; otherwise the first byte is
 * -112 minus the number of bytes that follow, the highest first (-120 for a negative number). */
static void put_vint(struct base_buf *out, size_t v)
{
    char bytes[9];
    size_t n = 0;

    if (v > 127) {
        for (size_t rest = v; rest > 0; rest >>= 8)
            n++;
        for (size_t i = 0; i < n; i++)
            bytes[n - i] = (char)(v >> (8 * i) & 0xFF);
        bytes[0] = (char)(-112 - (int)n);
    } else {
        bytes[0] = (char)v;
    }
    base_buf_add(out, bytes, n + 1);
}

/* Reads a length at *@at. Returns false when the text ends first, or the length is negative. */
static bool get_vint(const struct base_buf *b, size_t *at, size_t *v)
{
    int first;
    size_t n;

    if (*at >= b->len)
        return false;
    first = (signed char)b->data[(*at)++];
    if (first >= -112) {
        *v = (size_t)first;
        return first >= 0;
    }
    n = (size_t)(-112 - first);
    if (n > 4 || b->len - *at < n) /* more than 4: negative, or longer than any text */
        return false;
    *v = 0;
    for (size_t i = 0; i < n; i++)
        *v = *v << 8 | (unsigned char)b->data[(*at)++];
    return true;
}

bool rm_hadoop_token_decode(const char *text, struct base_buf *out)
{
    struct base_buf bytes = {0};
    size_t at = 0, len;
    bool ok = true;

    base_base64_decode(text, &bytes);
    for (int i = 0; ok && i < TOKEN_MEMBERS; i++) {
        ok = get_vint(&bytes, &at, &len) && len <= bytes.len - at;
        at += ok ? len : 0;
    }
    if (ok && out)
        base_buf_add(out, bytes.data, at);
    base_buf_free(&bytes);
    return ok;
}

static void put_length_and_text(struct base_buf *out, const char *text)
{
    put_vint(out, strlen(text));
    base_buf_adds(out, text);
}

void rm_credentials_encode(const struct rm_credential *tokens, size_t tokens_n,
                           const struct rm_credential *secrets, size_t secrets_n,
                           struct base_buf *out)
{
    base_buf_add(out, "HDTS", sizeof "HDTS"); /* with the NUL, which is the version */
    put_vint(out, tokens_n);
    for (size_t i = 0; i < tokens_n; i++) {
        bool whole;

        put_length_and_text(out, tokens[i].alias);
        whole = rm_hadoop_token_decode(tokens[i].text, out);
        base_assert(whole);
    }
    put_vint(out, secrets_n);
    for (size_t i = 0; i < secrets_n; i++) {
        struct base_buf bytes = {0};

        put_length_and_text(out, secrets[i].alias);
        base_base64_decode(secrets[i].text, &bytes);
        put_vint(out, bytes.len);
        if (bytes.len)
            base_buf_add(out, bytes.data, bytes.len);
        base_buf_free(&bytes);
    }
}
