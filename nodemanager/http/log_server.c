#include "nodemanager/http/log_server.h"

#include <ctype.h>
#include <string.h>

#include "base/conf/percent.h"
#include "base/crypto/log_token.h"

/* Appends the server's URL without a slash at its end. Returns false when none is configured. */
static bool append_server_url(const struct nm *nm, const char *key, struct base_buf *out)
{
    const char *url = base_conf_get(nm->conf, key);
    size_t n = url ? strlen(url) : 0;

    while (n > 0 && url[n - 1] == '/')
        n--;
    base_buf_add(out, url, n);
    return n > 0;
}

/* Appends text of a path. YARN inserts the decoded text unchanged; here the characters that would
 * change the meaning of the URL are escaped. Slashes and dots stay, since the log server interprets
 * them. */
static void append_escaped_path(struct base_buf *out, const char *text)
{
    for (; *text; text++) {
        if (isgraph((unsigned char)*text) && !strchr("%?#\"<>\\^`{|}", *text))
            base_buf_add(out, text, 1);
        else
            base_buf_addf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

static void append_forwarded_query_pair(const char *name, const char *value, void *u)
{
    struct base_buf *out = u;

    if (strcmp(name, "nm.id") == 0 || strcmp(name, BASE_LOG_TOKEN_QUERY) == 0)
        return;
    base_percent_encode(name, out);
    if (value) {
        base_buf_adds(out, "=");
        base_percent_encode(value, out);
    }
    base_buf_adds(out, "&");
}

bool nm_log_server_redirect_if_configured(struct api_request *rq, const struct nm *nm,
                                          const char *container, const char *file)
{
    struct base_buf to = {0};
    bool configured = append_server_url(nm, "yarn.log.server.web-service.url", &to);

    if (configured) {
        base_buf_adds(&to, "/containers/");
        append_escaped_path(&to, container);
        base_buf_adds(&to, "/logs");
        if (file) {
            base_buf_adds(&to, "/");
            append_escaped_path(&to, file);
        }
        base_buf_adds(&to, "?");
        api_query_each_pair(rq, append_forwarded_query_pair, &to);
        base_buf_adds(&to, "redirected_from_node=true");
        api_add_header(rq, "Location", to.data);
        api_add_header(rq, "Vary", "Accept-Encoding"); /* not usual with 307, but YARN sends it */
        api_answer(rq, 307, file ? API_TEXT : api_wanted_type(rq), NULL);
    }
    base_buf_free(&to);
    return configured;
}

bool nm_log_server_redirect_page_if_configured(struct api_request *rq, const struct nm *nm,
                                               const char *container, const char *user,
                                               const char *file)
{
    struct base_buf to = {0}, body = {0};
    bool configured = append_server_url(nm, "yarn.log.server.url", &to);

    if (configured) {
        base_buf_addf(&to, "/%s/", nm->node_id);
        append_escaped_path(&to, container);
        base_buf_adds(&to, "/");
        append_escaped_path(&to, container);
        base_buf_adds(&to, "/");
        append_escaped_path(&to, user);
        if (file) {
            base_buf_adds(&to, "/");
            append_escaped_path(&to, file);
        }
        api_add_header(rq, "Location", to.data);
        base_buf_addf(&body, "Redirecting to log server : %s\n", to.data);
        api_answer(rq, 307, API_TEXT, &body);
    }
    base_buf_free(&to);
    return configured;
}
