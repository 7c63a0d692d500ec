#include "base/hadoop/credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/hadoop/credentials.pb-c.h"
#include "base/utf8.h"

#define MAGIC        "HDTS"
#define MAGIC_BYTES  4
#define AS_WRITABLES 0
#define AS_MESSAGE   1
#define VINT_ONE_MAX 127    /* lengths up to this are written as themselves */
#define VINT_BASE    (-112) /* of the first byte of longer ones: minus the bytes that follow */
#define VINT_BYTES   4      /* of the longest length: Java's arrays have 31 bits */
/* Bytes of memory for one token of a message besides its texts. */
#define MESSAGE_STRUCTS_MAX 256

/* ---- Writables ---- */

void base_hadoop_vint_add(struct base_buf *out, uint64_t v)
{
    int n = 1;

    if (v <= VINT_ONE_MAX) {
        base_buf_add(out, &(uint8_t){(uint8_t)v}, 1);
        return;
    }
    while (n < (int)sizeof v && v >> (8 * n))
        n++;
    base_buf_add(out, &(int8_t){(int8_t)(VINT_BASE - n)}, 1);
    for (int i = n - 1; i >= 0; i--)
        base_buf_add(out, &(uint8_t){(uint8_t)(v >> (8 * i))}, 1);
}

static void add_bytes(struct base_buf *out, const void *bytes, size_t len)
{
    base_hadoop_vint_add(out, len);
    if (len)
        base_buf_add(out, bytes, len);
}

static void add_text(struct base_buf *out, const char *text)
{
    add_bytes(out, text, strlen(text));
}

struct reader {
    const unsigned char *at, *end;
};

/* Reads a count or length. Returns false when the bytes end first, or the number is negative or
 * longer than any text. */
static bool read_vint(struct reader *r, size_t *v)
{
    int first, n;

    if (r->at == r->end)
        return false;
    first = (signed char)*r->at++;
    *v = (size_t)first;
    if (first >= VINT_BASE)
        return first >= 0;
    n = VINT_BASE - first;
    if (n > VINT_BYTES || r->end - r->at < n)
        return false;
    for (*v = 0; n > 0; n--)
        *v = *v << 8 | *r->at++;
    return true;
}

static bool read_bytes(struct reader *r, struct base_buf *out)
{
    size_t len;

    if (!read_vint(r, &len) || len > (size_t)(r->end - r->at))
        return false;
    base_buf_add(out, r->at, len);
    r->at += len;
    return true;
}

/* @bytes may be NULL when @len is 0: an empty message has no address. */
static struct reader reader_of(const void *bytes, size_t len)
{
    const unsigned char *at = bytes ? bytes : (const unsigned char *)"";

    return (struct reader){at, at + len};
}

/* Returns the text, owned, or NULL when it is cut off, is not UTF-8 or has a NUL in it. */
static char *read_text(struct reader *r)
{
    struct base_buf text = {0};

    if (read_bytes(r, &text) && strlen(text.data) == text.len && base_utf8_valid(text.data))
        return base_buf_take(&text);
    base_buf_free(&text);
    return NULL;
}

static bool read_token(struct reader *r, struct base_hadoop_token *out)
{
    *out = (struct base_hadoop_token){0};
    if (read_bytes(r, &out->identifier) && read_bytes(r, &out->password) &&
        (out->kind = read_text(r)) != NULL && (out->service = read_text(r)) != NULL)
        return true;
    base_hadoop_token_free(out);
    return false;
}

bool base_hadoop_token_read(const void *bytes, size_t len, struct base_hadoop_token *out)
{
    struct reader r = reader_of(bytes, len);

    return read_token(&r, out);
}

void base_hadoop_token_write(const struct base_hadoop_token *token, struct base_buf *out)
{
    add_bytes(out, token->identifier.data, token->identifier.len);
    add_bytes(out, token->password.data, token->password.len);
    add_text(out, token->kind);
    add_text(out, token->service);
}

void base_hadoop_token_free(struct base_hadoop_token *token)
{
    base_buf_free(&token->identifier);
    base_buf_free(&token->password);
    free(token->kind);
    free(token->service);
    *token = (struct base_hadoop_token){0};
}

/* ---- changing ---- */

void base_credentials_set_token(struct base_credentials *c, const char *alias,
                                struct base_hadoop_token *token)
{
    size_t i = 0;

    while (i < c->tokens_n && strcmp(c->tokens[i].alias, alias) != 0)
        i++;
    if (i < c->tokens_n) {
        base_hadoop_token_free(&c->tokens[i].token);
    } else {
        base_array_grow(&c->tokens, c->tokens_n, &c->tokens_cap);
        c->tokens[c->tokens_n++].alias = base_strdup(alias);
    }
    c->tokens[i].token = *token;
    *token = (struct base_hadoop_token){0};
}

void base_credentials_set_secret(struct base_credentials *c, const char *alias,
                                 struct base_buf *bytes)
{
    size_t i = 0;

    while (i < c->secrets_n && strcmp(c->secrets[i].alias, alias) != 0)
        i++;
    if (i < c->secrets_n) {
        base_buf_free(&c->secrets[i].bytes);
    } else {
        base_array_grow(&c->secrets, c->secrets_n, &c->secrets_cap);
        c->secrets[c->secrets_n++].alias = base_strdup(alias);
    }
    c->secrets[i].bytes = *bytes;
    *bytes = (struct base_buf){0};
}

void base_credentials_free(struct base_credentials *c)
{
    for (size_t i = 0; i < c->tokens_n; i++) {
        free(c->tokens[i].alias);
        base_hadoop_token_free(&c->tokens[i].token);
    }
    for (size_t i = 0; i < c->secrets_n; i++) {
        free(c->secrets[i].alias);
        base_buf_free(&c->secrets[i].bytes);
    }
    free(c->tokens);
    free(c->secrets);
    *c = (struct base_credentials){0};
}

const struct base_hadoop_token *base_credentials_find_token(const struct base_credentials *c,
                                                            const char *kind)
{
    for (size_t i = 0; i < c->tokens_n; i++)
        if (strcmp(c->tokens[i].token.kind, kind) == 0)
            return &c->tokens[i].token;
    return NULL;
}

/* ---- reading a file ---- */

static int refuse_damaged(struct base_error *err, const char *what)
{
    return base_error_set(err, -BASE_EINVAL,
                          "credentials: %s; expected a whole file of Hadoop's (HDTS)", what);
}

static int check_count(size_t n, const char *what, struct base_error *err)
{
    return n <= BASE_CREDENTIALS_MAX
               ? 0
               : base_error_set(err, -BASE_ELIMIT, "credentials: %zu %s are more than %d", n, what,
                                BASE_CREDENTIALS_MAX);
}

static bool parse_named_token(struct reader *r, struct base_credentials *out)
{
    char *alias = read_text(r);
    struct base_hadoop_token token = {0};
    bool ok = alias && read_token(r, &token);

    if (ok)
        base_credentials_set_token(out, alias, &token);
    free(alias);
    return ok;
}

static bool parse_named_secret(struct reader *r, struct base_credentials *out)
{
    char *alias = read_text(r);
    struct base_buf bytes = {0};
    bool ok = alias && read_bytes(r, &bytes);

    if (ok)
        base_credentials_set_secret(out, alias, &bytes);
    base_buf_free(&bytes);
    free(alias);
    return ok;
}

static int parse_writables(struct reader *r, struct base_credentials *out, struct base_error *err)
{
    size_t n;
    int rc;

    if (!read_vint(r, &n))
        return refuse_damaged(err, "the number of tokens is cut off");
    if ((rc = check_count(n, "tokens", err)) < 0)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!parse_named_token(r, out))
            return refuse_damaged(err, "a token is cut off, or not text");
    if (!read_vint(r, &n))
        return refuse_damaged(err, "the number of secrets is cut off");
    if ((rc = check_count(n, "secrets", err)) < 0)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!parse_named_secret(r, out))
            return refuse_damaged(err, "a secret is cut off, or its alias is not text");
    return r->at == r->end ? 0 : refuse_damaged(err, "bytes follow the secrets");
}

static void copy_message(const Hadoop__Credentials *m, struct base_credentials *out)
{
    for (size_t i = 0; i < m->n_tokens; i++) {
        const Hadoop__Token *t = m->tokens[i]->token;
        struct base_hadoop_token token = {0};

        if (!t)
            continue;
        base_buf_add(&token.identifier, t->identifier.data, t->identifier.len);
        base_buf_add(&token.password, t->password.data, t->password.len);
        token.kind = base_strdup(t->kind);
        token.service = base_strdup(t->service);
        base_credentials_set_token(out, m->tokens[i]->alias, &token);
    }
    for (size_t i = 0; i < m->n_secrets; i++) {
        struct base_buf bytes = {0};

        base_buf_add(&bytes, m->secrets[i]->secret.data, m->secrets[i]->secret.len);
        base_credentials_set_secret(out, m->secrets[i]->alias, &bytes);
    }
}

static bool texts_are_valid(const Hadoop__Credentials *m)
{
    for (size_t i = 0; i < m->n_tokens; i++) {
        const Hadoop__Token *t = m->tokens[i]->token;

        if (!base_utf8_valid(m->tokens[i]->alias) ||
            (t && (!base_utf8_valid(t->kind) || !base_utf8_valid(t->service))))
            return false;
    }
    for (size_t i = 0; i < m->n_secrets; i++)
        if (!base_utf8_valid(m->secrets[i]->alias))
            return false;
    return true;
}

/* Memory for one message. Fields that nobody knows would take many times their size, so there is as
 * much as known fields of this size can need, and reading fails beyond that. */
struct budget {
    size_t left;
};

static void *allocate_within_budget(void *budget, size_t size)
{
    struct budget *b = budget;

    if (size > b->left)
        return NULL;
    b->left -= size;
    return base_alloc(size);
}

static void free_of_budget(void *budget, void *memory)
{
    (void)budget;
    free(memory);
}

static bool read_varint(struct reader *r, size_t *v)
{
    *v = 0;
    for (int shift = 0; r->at < r->end && shift < 35; shift += 7) {
        *v |= (size_t)(*r->at & 0x7F) << shift;
        if (!(*r->at++ & 0x80))
            return true;
    }
    return false;
}

static int parse_message(struct reader *r, struct base_credentials *out, struct base_error *err)
{
    struct budget budget;
    ProtobufCAllocator allocator = {allocate_within_budget, free_of_budget, &budget};
    Hadoop__Credentials *m;
    size_t len;
    int rc;

    if (!read_varint(r, &len) || len != (size_t)(r->end - r->at))
        return refuse_damaged(err, "the message is not as long as it says");
    budget.left = 2 * len + 2 * BASE_CREDENTIALS_MAX * MESSAGE_STRUCTS_MAX;
    m = hadoop__credentials__unpack(&allocator, len, r->at);
    if (!m)
        return refuse_damaged(err, "the message cannot be read");
    if ((rc = check_count(m->n_tokens, "tokens", err)) == 0 &&
        (rc = check_count(m->n_secrets, "secrets", err)) == 0) {
        if (texts_are_valid(m))
            copy_message(m, out);
        else
            rc = refuse_damaged(err, "a text is not UTF-8");
    }
    hadoop__credentials__free_unpacked(m, &allocator);
    return rc;
}

int base_credentials_parse(const void *bytes, size_t len, struct base_credentials *out,
                           struct base_error *err)
{
    struct reader r = reader_of(bytes, len);
    int rc;

    *out = (struct base_credentials){0};
    if (len <= MAGIC_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return refuse_damaged(err, "the first bytes are not HDTS");
    r.at += MAGIC_BYTES + 1;
    switch (r.at[-1]) {
    case AS_WRITABLES:
        rc = parse_writables(&r, out, err);
        break;
    case AS_MESSAGE:
        rc = parse_message(&r, out, err);
        break;
    default:
        rc = base_error_set(err, -BASE_EINVAL, "credentials: form %d; expected 0 or 1", r.at[-1]);
    }
    if (rc < 0)
        base_credentials_free(out);
    return rc;
}

/* ---- writing ---- */

void base_credentials_write(const struct base_credentials *c, struct base_buf *out)
{
    base_buf_add(out, MAGIC, MAGIC_BYTES);
    base_buf_add(out, &(uint8_t){AS_WRITABLES}, 1);
    base_hadoop_vint_add(out, c->tokens_n);
    for (size_t i = 0; i < c->tokens_n; i++) {
        add_text(out, c->tokens[i].alias);
        base_hadoop_token_write(&c->tokens[i].token, out);
    }
    base_hadoop_vint_add(out, c->secrets_n);
    for (size_t i = 0; i < c->secrets_n; i++) {
        add_text(out, c->secrets[i].alias);
        add_bytes(out, c->secrets[i].bytes.data, c->secrets[i].bytes.len);
    }
}
