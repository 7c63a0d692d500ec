#include "api/admin/web_root.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf/percent.h"

static void add_query_pair(const char *name, const char *value, void *u)
{
    struct base_buf *to = u;

    base_buf_adds(to, strchr(to->data, '?') ? "&" : "?");
    base_percent_encode(name, to);
    if (value) {
        base_buf_adds(to, "=");
        base_percent_encode(value, to);
    }
}

void api_web_root_redirect(struct api_request *rq, const char *path, const char *address)
{
    const char *host = api_header(rq, "Host");
    struct base_buf to = {0};

    base_buf_addf(&to, "%s%s%s", api_scheme(rq), host && *host ? host : address, path);
    api_query_each_pair(rq, add_query_pair, &to);
    api_add_header(rq, "Location", to.data);
    api_answer(rq, 302, API_TEXT, NULL);
    base_buf_free(&to);
}

/* YARN answers 302 without Location, which no robot understands. */
void api_web_root_answer_robots(struct api_request *rq)
{
    struct base_buf body = {0};

    base_buf_adds(&body, "User-agent: *\nDisallow: /\n");
    api_answer(rq, 200, API_TEXT, &body);
}

void api_web_root_answer_no_profiler(struct api_request *rq)
{
    struct base_buf body = {0};

    base_buf_addf(&body,
                  "The profiler servlet profiles Java; this daemon is native code.\n\n"
                  "On its host, `perf record -g -p %d` samples where it spends its time.\n",
                  (int)getpid());
    api_answer(rq, 404, API_TEXT, &body);
}
