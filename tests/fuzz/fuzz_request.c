/* Any request: a decoded address has no "." or ".." component; captures of a matched route are not
 * empty; Accept and Content-Type are read without harm; in JSON and XML texts made of the pieces,
 * no character ends the text or begins a tag. gzip bodies keep within their bound. Lines of the
 * input: target, Accept, body. */
#include <stdlib.h>
#include <string.h>

#include "api/server/accept.h"
#include "api/server/answer/gzip.h"
#include "api/server/route.h"
#include "api/yarn/shape.h"
#include "base/io/json_write.h"
#include "tests/fuzz/fuzz.h"

#define BODY_MAX 1000

const char *const creel_fuzz_samples[] = {
    "/ws/v1/cluster/apps/application_1_0001/state?user.name=a\ntext/html,application/xml;q=0.9,*/"
    "*;q=0.8\n{}",
    "/ws/v1/cluster/nodes/host%3A8041;x=y/?a=1&b=%20+&&c\napplication/json\n",
    "http://h:1/proxy/x/a//b/%2e%2e/?%41=%42\n*/*\n\x1f\x8b\x08",
    "/static/a%2Fb/..%2f..\ntext/xml;q=.5;charset=\"x\"\n",
    NULL,
};

static void handler(struct api_request *rq, void *user)
{
    (void)rq;
    (void)user;
}

static const struct api_route routes[] = {
    {"GET", "/", API_ROLE_READ, 0, handler, 0},
    {"GET", "/ws/v1/cluster/apps", API_ROLE_READ, 0, handler, 0},
    {"POST", "/ws/v1/cluster/apps/new-application", API_ROLE_WRITE, 0, handler, 0},
    {"GET", "/ws/v1/cluster/apps/{appid}", API_ROLE_READ, 0, handler, 0},
    {"PUT", "/ws/v1/cluster/apps/{appid}/state", API_ROLE_WRITE, 100, handler, 0},
    {"GET", "/ws/v1/cluster/nodes/{nodeid}", API_ROLE_READ, 0, handler, 0},
    {"GET", "/proxy/{appid}/{rest*}", API_ROLE_READ, 0, handler, 0},
    {"GET", "/static/{rest*}", API_ROLE_READ, 0, handler, 0},
};

static void check_segment(const char *segment)
{
    char *copy = base_strdup(segment), *save = NULL;

    for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save))
        base_assert(strcmp(part, ".") != 0 && strcmp(part, "..") != 0);
    free(copy);
}

static void check_texts(const char *text)
{
    struct base_buf b = {0};

    base_json_quote(&b, text);
    base_assert(b.len >= 2 && b.data[0] == '"' && b.data[b.len - 1] == '"');
    for (size_t i = 1; i + 1 < b.len; i++) {
        base_assert((unsigned char)b.data[i] >= 0x20 && b.data[i] != '"');
        if (b.data[i] == '\\')
            i++;
    }
    base_buf_clear(&b);
    api_xml_add_text(&b, text);
    for (size_t i = 0; i < b.len; i++)
        base_assert(b.data[i] != '<' && b.data[i] != '>');
    base_buf_free(&b);
}

static void check_target(const struct api_router *router, const char *target)
{
    struct api_uri u;
    struct api_match m;

    if (api_uri_parse(&u, target) == 0) {
        for (size_t i = 0; i < u.n_segments; i++)
            check_segment(u.segments[i]);
        for (size_t i = 0; i < u.n_pairs; i++)
            base_assert(api_uri_find_query_value(&u, u.pairs[i].name) != NULL);
        if (api_router_match(router, &u, &m)) {
            for (unsigned i = 0; i < m.n_args; i++)
                base_assert(m.args[i][0] != '\0');
            base_assert(!m.has_rest || m.rest_from <= u.n_segments);
        }
    } else {
        base_assert(u.n_segments == 0 && u.n_pairs == 0);
    }
    check_texts(u.path);
    api_uri_free(&u);
}

static void check_body(const char *body, size_t len)
{
    z_stream *z = api_gunzip_new();
    struct base_buf out = {0};
    bool done = false;
    size_t half = len / 2;

    if (api_gunzip_add_piece(z, body, half, BODY_MAX, &out, &done) == 0 && !done)
        api_gunzip_add_piece(z, body + half, len - half, BODY_MAX, &out, &done);
    base_assert(out.len <= BODY_MAX);
    api_gunzip_free(z);
    base_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = base_alloc(size + 1), *accept, *body = NULL;
    struct api_router *router;
    bool named;

    memcpy(text, data, size);
    accept = memchr(text, '\n', size);
    if (accept) {
        *accept++ = '\0';
        body = strchr(accept, '\n');
        if (body)
            *body++ = '\0';
        api_accept_parse(accept, &named);
        api_content_parse(accept);
        check_texts(accept);
        if (body)
            check_body(body, size - (size_t)(body - text));
    }
    base_assert(api_router_new(routes, sizeof routes / sizeof routes[0], &router, NULL) == 0);
    check_target(router, text);
    api_router_free(router);
    free(text);
    return 0;
}
