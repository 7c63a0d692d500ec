#include "nodemanager/shuffle/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crypto/base64.h"
#include "base/crypto/digest.h"
#include "base/io/io.h"
#include "base/mem.h"

#define slice   nm_shuffle_slice
#define TEXT(s) ((struct slice){s, sizeof(s) - 1})

/* ---- texts ---- */

static bool is_equal(struct slice a, struct slice b)
{
    return a.len == b.len && memcmp(a.at, b.at, b.len) == 0;
}

static bool is_equal_in_any_case(struct slice a, struct slice b)
{
    return a.len == b.len && strncasecmp(a.at, b.at, b.len) == 0;
}

/* Cuts *@rest at the first @mark. Returns what stands before it; all, if there is none. */
static struct slice cut_before(struct slice *rest, char mark)
{
    const char *at = rest->len ? memchr(rest->at, mark, rest->len) : NULL;
    struct slice part = {rest->at, at ? (size_t)(at - rest->at) : rest->len};
    size_t skip = part.len + (at != NULL);

    rest->at += skip;
    rest->len -= skip;
    return part;
}

static struct slice trim(struct slice s)
{
    while (s.len && (*s.at == ' ' || *s.at == '\t')) {
        s.at++;
        s.len--;
    }
    while (s.len && strchr(" \t\r", s.at[s.len - 1]))
        s.len--;
    return s;
}

size_t nm_shuffle_find_head_end(const char *bytes, size_t len)
{
    const char *p = bytes, *end = bytes + len;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        p++;
        if (p < end && *p == '\n')
            return (size_t)(p + 1 - bytes);
        if (end - p >= 2 && p[0] == '\r' && p[1] == '\n')
            return (size_t)(p + 2 - bytes);
    }
    return 0;
}

/* ---- parameters ---- */

struct parameters {
    struct slice job, reduce, keep_alive;
    size_t jobs, reduces, keep_alives, maps;
};

static bool is_attempt_id(struct slice s)
{
    static const struct slice begin = TEXT("attempt_");

    if (s.len <= begin.len || s.len > NM_SHUFFLE_ID_MAX || memcmp(s.at, begin.at, begin.len) != 0)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!((s.at[i] >= '0' && s.at[i] <= '9') || (s.at[i] >= 'a' && s.at[i] <= 'z') ||
              (s.at[i] >= 'A' && s.at[i] <= 'Z') || s.at[i] == '_'))
            return false;
    return true;
}

/* Adds the ids of a list. Returns false when one of them is none, or there are too many. */
static bool add_maps(struct slice list, struct nm_shuffle_request *rq)
{
    while (list.len) {
        struct slice id = cut_before(&list, ',');

        if (!is_attempt_id(id) || rq->maps_n == NM_SHUFFLE_MAPS_MAX)
            return false;
        base_array_grow(&rq->maps, rq->maps_n, &rq->maps_cap);
        rq->maps[rq->maps_n++] = id;
    }
    return true;
}

/* Returns false when a parameter "map" cannot be used. */
static bool read_query(struct slice query, struct parameters *p, struct nm_shuffle_request *rq)
{
    while (query.len) {
        struct slice value = cut_before(&query, '&');
        struct slice name = cut_before(&value, '=');

        if (is_equal(name, TEXT("job"))) {
            p->job = value;
            p->jobs++;
        } else if (is_equal(name, TEXT("reduce"))) {
            p->reduce = value;
            p->reduces++;
        } else if (is_equal(name, TEXT("keepAlive"))) {
            p->keep_alive = value;
            p->keep_alives++;
        } else if (is_equal(name, TEXT("map"))) {
            p->maps++;
            if (!add_maps(value, rq))
                return false;
        }
    }
    return true;
}

/* A job has the numbers of its application. */
static void read_job(struct slice job, struct base_app_id *out)
{
    static const struct slice begin = TEXT("job_");
    char text[BASE_ID_TEXT_MAX];

    *out = (struct base_app_id){0};
    if (job.len <= begin.len || job.len > 64 || memcmp(job.at, begin.at, begin.len) != 0)
        return;
    snprintf(text, sizeof text, "application_%.*s", (int)(job.len - begin.len), job.at + begin.len);
    if (base_app_id_parse(text, out, NULL) < 0)
        *out = (struct base_app_id){0};
}

static bool read_reduce(struct slice reduce, int32_t *out)
{
    char text[16];
    int64_t v;

    if (reduce.len >= sizeof text)
        return false;
    memcpy(text, reduce.at, reduce.len);
    text[reduce.len] = '\0';
    if (base_int_parse(text, INT32_MIN, INT32_MAX, &v) < 0)
        return false;
    *out = (int32_t)v;
    return true;
}

static unsigned refuse(const char **why, unsigned status, const char *text)
{
    *why = text;
    return status;
}

static unsigned read_target(struct nm_shuffle_request *rq, const char **why)
{
    struct parameters p = {0};
    struct slice query = rq->target;

    cut_before(&query, '?');
    if (!read_query(query, &p, rq))
        return refuse(why, 400, "Bad map parameter");
    if (!rq->maps_n || !p.reduces || !p.jobs)
        return refuse(why, 400, "Required param job, map and reduce");
    if (p.reduces != 1 || p.jobs != 1)
        return refuse(why, 400, "Too many job/reduce parameters");
    if (!read_reduce(p.reduce, &rq->reduce))
        return refuse(why, 400, "Bad reduce parameter");
    read_job(p.job, &rq->app);
    rq->keep_alive = p.keep_alives == 1 && is_equal_in_any_case(p.keep_alive, TEXT("true"));
    return 0;
}

/* ---- the head ---- */

unsigned nm_shuffle_request_read(const char *head, size_t len, struct nm_shuffle_request *out,
                                 const char **why)
{
    struct slice rest = {head, len}, line = trim(cut_before(&rest, '\n')), name = {0},
                 version = {0};
    struct slice method = cut_before(&line, ' ');

    *out = (struct nm_shuffle_request){.target = cut_before(&line, ' ')};
    *why = "";
    if (line.len < 7 || memcmp(line.at, "HTTP/1.", 7) != 0 || !out->target.len ||
        out->target.at[0] != '/')
        return refuse(why, 400, "");
    if (!is_equal(method, TEXT("GET")))
        return refuse(why, 405, "");
    while (rest.len) {
        struct slice value = cut_before(&rest, '\n');
        struct slice header = cut_before(&value, ':');

        value = trim(value);
        if (is_equal_in_any_case(header, TEXT("name")))
            name = value;
        else if (is_equal_in_any_case(header, TEXT("version")))
            version = value;
        else if (is_equal_in_any_case(header, TEXT("UrlHash")))
            out->hash = value;
    }
    if (!is_equal(name, TEXT("mapreduce")) || !is_equal(version, TEXT("1.0.0")))
        return refuse(why, 400, "Incompatible shuffle request version");
    return read_target(out, why);
}

void nm_shuffle_request_free(struct nm_shuffle_request *rq)
{
    free(rq->maps);
    *rq = (struct nm_shuffle_request){0};
}

/* ---- hashes ---- */

static char *hash(const void *secret, size_t secret_len, const void *text, size_t len,
                  char out[static NM_SHUFFLE_HASH])
{
    unsigned char mac[BASE_SHA1_BYTES];
    struct base_buf encoded = {0};

    base_hmac_sha1(secret, secret_len, text, len, mac);
    base_base64_encode(mac, sizeof mac, &encoded);
    memcpy(out, encoded.data, NM_SHUFFLE_HASH);
    base_buf_free(&encoded);
    return out;
}

char *nm_shuffle_hash_request(const void *secret, size_t secret_len, int port, struct slice target,
                              char out[static NM_SHUFFLE_HASH])
{
    struct base_buf text = {0};

    base_buf_add_int(&text, port);
    base_buf_add(&text, target.at, target.len);
    hash(secret, secret_len, text.data, text.len, out);
    base_buf_free(&text);
    return out;
}

char *nm_shuffle_hash_reply(const void *secret, size_t secret_len, struct slice url_hash,
                            char out[static NM_SHUFFLE_HASH])
{
    return hash(secret, secret_len, url_hash.at, url_hash.len, out);
}
