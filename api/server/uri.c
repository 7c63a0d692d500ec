#include "api/server/uri.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/percent.h"
#include "base/error.h"
#include "base/mem.h"

#define SEGMENTS_MAX 256
#define PAIRS_MAX    1024

/* Returns true when @segment, or a component of it between decoded slashes, is "." or "..". */
static bool has_dot_component(const char *segment)
{
    for (;;) {
        size_t n = strcspn(segment, "/");

        if ((n == 1 && segment[0] == '.') || (n == 2 && segment[0] == '.' && segment[1] == '.'))
            return true;
        if (!segment[n])
            return false;
        segment += n + 1;
    }
}

/* Finds "host:port" in "http://host:port/path?query" (*@len bytes; 0: @raw has none) and returns
 * the rest of @raw. */
static const char *skip_authority(const char *raw, const char **authority, size_t *len)
{
    static const char *const schemes[] = {"http://", "https://"};

    *len = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t n = strlen(schemes[i]);

        if (strncasecmp(raw, schemes[i], n) != 0)
            continue;
        *authority = raw + n;
        *len = strcspn(raw + n, "/?#");
        return raw + n + *len;
    }
    return raw;
}

static size_t count_char(const char *from, const char *end, char c)
{
    size_t n = 0;

    for (; from < end; from++)
        n += *from == c;
    return n;
}

/* Splits and decodes the path up to @end into the segments of @u, whose texts are written from @to
 * on. Returns the end of these texts, or NULL when the path is refused. */
static char *decode_path_segments(struct api_uri *u, const char *path, const char *end, char *to)
{
    const char *from = path + 1;

    for (;;) {
        const char *stop = memchr(from, '/', (size_t)(end - from));
        const char *segment_end = stop ? stop : end;
        const char *matrix = memchr(from, ';', (size_t)(segment_end - from));
        char *segment = to;

        to = base_percent_decode(from, matrix ? matrix : segment_end, to, false);
        if (!to || has_dot_component(segment))
            return NULL;
        u->segments[u->n_segments++] = segment;
        if (!stop)
            return to;
        from = stop + 1;
    }
}

/* Does the same for the pairs of the query. */
static char *decode_query_pairs(struct api_uri *u, const char *query, char *to)
{
    while (*query) {
        const char *end = query + strcspn(query, "&");
        const char *equals = memchr(query, '=', (size_t)(end - query));
        struct api_uri_pair *pair = &u->pairs[u->n_pairs];

        if (end > query) {
            pair->name = to;
            to = base_percent_decode(query, equals ? equals : end, to, true);
            if (!to)
                return NULL;
            pair->value = to;
            pair->has_value = equals;
            to = base_percent_decode(equals ? equals + 1 : end, end, to, true);
            if (!to)
                return NULL;
            u->n_pairs++;
        }
        query = *end ? end + 1 : end;
    }
    return to;
}

int api_uri_parse(struct api_uri *u, const char *raw)
{
    const char *authority = NULL;
    size_t authority_len;
    const char *rest = skip_authority(raw, &authority, &authority_len);
    const char *path = authority && rest[0] != '/' ? "/" : rest; /* for "http://host?query" */
    const char *end = rest + strcspn(rest, "?#");
    const char *query = *end == '?' ? end + 1 : "";
    size_t path_len = path == rest ? (size_t)(end - rest) : 1, query_len = strlen(query);
    size_t segments_max = count_char(path, path + path_len, '/') + 1;
    size_t pairs_max = *query ? count_char(query, query + query_len, '&') + 1 : 0;
    char *text;

    memset(u, 0, sizeof *u);
    if (segments_max > SEGMENTS_MAX || pairs_max > PAIRS_MAX)
        segments_max = pairs_max = 0;
    /* Decoded text is never longer than the raw one, plus one NUL per piece. */
    u->memory = base_alloc(segments_max * sizeof *u->segments + pairs_max * sizeof *u->pairs +
                           path_len + 1 + path_len + segments_max + 1 + query_len + 2 * pairs_max +
                           1 + authority_len + 1);
    u->segments = (const char **)u->memory;
    u->pairs = (struct api_uri_pair *)(u->segments + segments_max);
    text = (char *)(u->pairs + pairs_max);
    memcpy(text, path, path_len);
    u->path = text;
    text += path_len + 1;
    if (authority) {
        memcpy(text, authority, authority_len);
        u->authority = text;
        text += authority_len + 1;
    }
    if (segments_max == 0)
        return -BASE_ELIMIT;
    if (path[0] != '/')
        return strcmp(path, "*") == 0 ? 0 : -BASE_EINVAL;
    text = decode_path_segments(u, path, path + path_len, text);
    if (!text || !decode_query_pairs(u, query, text)) {
        u->n_segments = u->n_pairs = 0;
        return -BASE_EINVAL;
    }
    return 0;
}

void api_uri_free(struct api_uri *u)
{
    free(u->memory);
    memset(u, 0, sizeof *u);
}

const char *api_uri_find_query_value(const struct api_uri *u, const char *name)
{
    for (size_t i = 0; i < u->n_pairs; i++)
        if (strcmp(u->pairs[i].name, name) == 0)
            return u->pairs[i].value;
    return NULL;
}
