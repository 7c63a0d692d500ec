#include "rm/leader/standby.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "api/pages/escape.h"
#include "base/io/io.h"

#define COUNTER      "next.refresh.interval"
#define BASIC_WAIT_S 5 /* RMWebAppFilter.BASIC_SLEEP_TIME */
#define COUNTER_MAX  5 /* with 6 the wait would exceed RMWebAppFilter.MAX_SLEEP_TIME, 300 s */
#define NO_ELECTOR                                                                                 \
    "Could not find leader elector. Verify both HA and automatic failover are enabled."

bool rm_standby_is_exempt_path(const char *path)
{
    static const char *const paths[] = {"/ws/v1/cluster/info", "/cluster/cluster", "/conf",
                                        "/stacks", "/logLevel", "/logs", "/jmx", "/prom",
                                        "/isActive",
                                        /* Creel's own */
                                        "/metrics", "/ws/v1/cluster/ha"};
    static const char *const prefixes[] = {"/proxy/", "/static/", "/logs/", "/ws/v1/nodetracker/"};

    if (path[0] != '/') /* "*" (OPTIONS *) is not a resource: no redirection can name it */
        return true;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* ---- encoding ---- */
static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Appends the path as it was sent, but escapes characters that a header must not contain: spaces,
 * control and non-ASCII characters. */
static void add_escaped_path(struct base_buf *out, const char *path)
{
    for (; *path; path++) {
        if (*path > ' ' && *path < 0x7f)
            base_buf_add(out, path, 1);
        else
            base_buf_addf(out, "%%%02X", (unsigned char)*path);
    }
}

/* Appends @text encoded for a query. @plain: characters that need no escape, besides letters and
 * digits. */
static void add_query_encoded(struct base_buf *out, const char *text, const char *plain)
{
    for (; *text; text++) {
        if (*text == ' ')
            base_buf_adds(out, "+");
        else if (is_alnum(*text) || strchr(plain, *text))
            base_buf_add(out, text, 1);
        else
            base_buf_addf(out, "%%%02X", (unsigned char)*text);
    }
}

static void add_query(struct base_buf *out, const struct rm_standby_ask *ask, const char *plain)
{
    for (size_t i = 0; i < ask->n; i++) {
        base_buf_adds(out, i ? "&" : "?");
        add_query_encoded(out, ask->pairs[i].name, plain);
        if (!ask->pairs[i].value)
            continue;
        base_buf_adds(out, "=");
        add_query_encoded(out, ask->pairs[i].value, plain);
    }
}

/* ---- answers ---- */

/* URLEncodedUtils of Apache's HttpClient does not escape these. */
#define FORM_PLAIN "_-.*"

static void make_redirect_answer(const struct rm_standby_ask *ask, struct rm_standby_answer *out)
{
    struct base_buf target = {0};

    add_escaped_path(&target, ask->path);
    add_query(&target, ask, FORM_PLAIN);
    out->status = 307;
    base_buf_addf(&out->location, "%s%s", ask->active, target.data);
    base_buf_adds(&out->body, "This is standby RM. The redirect url is: ");
    api_html_add_escaped(&out->body, target.data);
    base_buf_adds(&out->body, "\n");
    base_buf_free(&target);
}

/* Reads how many times the client has come back; 0 without a counter. Returns false when the
 * counter is above COUNTER_MAX or not a number. */
static bool read_retry_counter(const struct rm_standby_ask *ask, int64_t *counter)
{
    for (size_t i = 0; i < ask->n; i++) {
        char *text;
        bool ok;

        if (strcmp(ask->pairs[i].name, COUNTER) != 0)
            continue;
        text = base_strdup(ask->pairs[i].value ? ask->pairs[i].value : "");
        text[strspn(text, " ") + strcspn(text + strspn(text, " "), " ")] = '\0';
        ok = base_int_parse(text + strspn(text, " "), 0, COUNTER_MAX, counter) == 0;
        free(text);
        return ok;
    }
    *counter = 0;
    return true;
}

/* Hadoop's filter replaces the counter's value if the query has one. Otherwise the filter passes
 * the query through java.net.URI, which decodes the query and then quotes only characters that no
 * URI may hold: ',' and '&' stay as they are. */
static void add_query_with_retry_counter(struct base_buf *out, const struct rm_standby_ask *ask,
                                         int64_t next)
{
    bool has_counter = false;

    for (size_t i = 0; i < ask->n; i++)
        has_counter = has_counter || strcmp(ask->pairs[i].name, COUNTER) == 0;
    if (!has_counter) {
        add_query(out, ask, "-_.!~*'();/?:@&=+$,[]");
        base_buf_addf(out, "%s" COUNTER "=%lld", ask->n ? "&" : "?", (long long)next);
        return;
    }
    for (size_t i = 0; i < ask->n; i++) {
        bool counter = strcmp(ask->pairs[i].name, COUNTER) == 0;

        base_buf_adds(out, i ? "&" : "?");
        add_query_encoded(out, ask->pairs[i].name, FORM_PLAIN);
        if (counter)
            base_buf_addf(out, "=%lld", (long long)next);
        else if (ask->pairs[i].value) {
            base_buf_adds(out, "=");
            add_query_encoded(out, ask->pairs[i].value, FORM_PLAIN);
        }
    }
}

static void make_no_active_answer(const struct rm_standby_ask *ask, struct rm_standby_answer *out)
{
    int64_t counter;

    out->status = 200;
    if (read_retry_counter(ask, &counter)) {
        double factor = 0.5 + (double)ask->random / 4294967296.0;
        int wait = (int)((double)(BASIC_WAIT_S << counter) * factor);

        out->status = 307;
        base_buf_addf(&out->refresh, "%d;url=%s", wait, ask->own);
        add_escaped_path(&out->refresh, ask->path);
        add_query_with_retry_counter(&out->refresh, ask, counter + 1);
        base_buf_addf(&out->body, "Can not find any active RM. Will retry in next %d seconds.",
                      wait);
    } else {
        base_buf_adds(&out->body, "There is no active RM right now.");
    }
    base_buf_addf(&out->body, "\nHA Zookeeper Connection State: %s\n", ask->zookeeper);
}

void rm_standby_make_answer(const struct rm_standby_ask *ask, struct rm_standby_answer *out)
{
    *out = (struct rm_standby_answer){0};
    if (ask->active[0] && strcasecmp(ask->active, ask->own) != 0)
        make_redirect_answer(ask, out);
    else
        make_no_active_answer(ask, out);
}

void rm_standby_answer_free(struct rm_standby_answer *a)
{
    base_buf_free(&a->location);
    base_buf_free(&a->refresh);
    base_buf_free(&a->body);
}

/* ---- with the daemon ---- */
struct pairs {
    struct rm_standby_pair *v;
    size_t n, cap;
};

static void add_pair(const char *name, const char *value, void *user)
{
    struct pairs *p = user;

    base_array_grow(&p->v, p->n, &p->cap);
    p->v[p->n++] = (struct rm_standby_pair){name, value};
}

/* Answers as a standby does, for any path. */
static void answer_as_standby(struct api_request *rq, const struct rm_backend *b,
                              const char *active)
{
    struct rm_standby_answer a;
    struct pairs pairs = {0};
    uint32_t random = 0;

    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK); /* on failure 0 will do */
    api_query_each_pair(rq, add_pair, &pairs);
    rm_standby_make_answer(&(struct rm_standby_ask){.path = api_path(rq),
                                                    .pairs = pairs.v,
                                                    .n = pairs.n,
                                                    .own = rm_backend_url(b),
                                                    .active = active,
                                                    .zookeeper = rm_standby_get_zookeeper_text(b),
                                                    .random = random},
                           &a);
    free(pairs.v);
    if (a.location.len)
        api_add_header(rq, "Location", a.location.data);
    if (a.refresh.len)
        api_add_header(rq, "Refresh", a.refresh.data);
    api_answer_from_gate(rq, a.status, &a.body);
    rm_standby_answer_free(&a);
}

void rm_standby_find_active_url(const struct rm_backend *b, char out[static 512])
{
    const char *own = rm_backend_all_urls(b); /* the URL of this RM comes first, as configured */
    size_t n = strcspn(own, ",");

    rm_backend_active_url(b, out);
    if (strcasecmp(out, rm_backend_url(b)) == 0 ||
        (strlen(out) == n && strncasecmp(out, own, n) == 0))
        out[0] = '\0';
}

bool rm_standby_is_active(const struct rm_backend *b)
{
    return rm_backend_role(b) == RM_ROLE_ACTIVE && rm_backend_leads(b);
}

bool rm_standby_answer_unless_active(struct api_request *rq, void *user)
{
    const struct rm_backend *b = user;
    char active[512];

    if (rm_standby_is_active(b) || rm_standby_is_exempt_path(api_path(rq)))
        return false;
    rm_standby_find_active_url(b, active);
    answer_as_standby(rq, b, active);
    return true;
}

bool rm_standby_redirect_to_active(struct api_request *rq, const struct rm_backend *b)
{
    char active[512];

    rm_standby_find_active_url(b, active);
    if (active[0])
        answer_as_standby(rq, b, active);
    return active[0];
}

void rm_standby_answer_leadership_over(struct api_request *rq, const struct rm_backend *b,
                                       const char *text)
{
    if (rm_standby_redirect_to_active(rq, b))
        return;
    api_add_header(rq, "Retry-After", "1");
    api_answer_error(rq, 503, "StandbyException", "%s", text);
}

const char *rm_standby_get_state_name(const struct rm_backend *b, bool capitals)
{
    enum rm_role role = rm_backend_role(b);

    if (role == RM_ROLE_ACTIVATING)
        return capitals ? "INITIALIZING" : "initializing";
    if (rm_standby_is_active(b))
        return capitals ? "ACTIVE" : "active";
    return capitals ? "STANDBY" : "standby";
}

bool rm_standby_is_zookeeper_connected(const struct rm_backend *b)
{
    char text[256];

    rm_backend_zk_text(b, text);
    return strncmp(text, "connected", strlen("connected")) == 0;
}

const char *rm_standby_get_zookeeper_text(const struct rm_backend *b)
{
    if (!rm_backend_is_one_of_several(b))
        return NO_ELECTOR;
    return rm_standby_is_zookeeper_connected(b) ? "Connected to zookeeper : true"
                                                : "Connected to zookeeper : false";
}
