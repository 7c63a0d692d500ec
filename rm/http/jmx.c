/* rm/http/jmx.c - GET /jmx: the role of a ResourceManager as YARN's monitoring tools read it, and
 * Creel's figures about leadership.
 *
 * The beans are Hadoop:service=ResourceManager,name=RMInfo, as in YARN, and Creel's own
 * …,name=HighAvailability. The query parameters qry=<name or pattern> and get=<name>::<attribute>
 * are those of Hadoop's JMXJsonServlet; tests/golden has recordings of its answers. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/conf.h"
#include "base/io/json_write.h"
#include "rm/http/core_call.h"
#include "rm/leader/standby.h"

#define PREFIX "Hadoop:service=ResourceManager,name="

struct attribute {
    const char *name;
    const char *text; /* NULL: the value is the number, or with is_bool true or false */
    int64_t number;
    bool is_bool;
};
struct bean {
    const char *name, *type;
    struct attribute v[12];
    size_t n;
};

static void add_text(struct bean *b, const char *name, const char *text)
{
    b->v[b->n++] = (struct attribute){.name = name, .text = text};
}

static void add_number(struct bean *b, const char *name, int64_t v)
{
    b->v[b->n++] = (struct attribute){.name = name, .number = v};
}

/* ---- names ---- */

/* Returns true when every property of @pattern is found in @name, and @name has no others unless
 * "*" is a property of @pattern. */
static bool properties_match(const char *pattern, const char *name)
{
    char *copy = base_strdup(pattern), *save = NULL;
    size_t wanted = 0, there = 1;
    bool more = false, ok = true;

    for (const char *c = name; *c; c++)
        there += *c == ',';
    for (char *p = strtok_r(copy, ",", &save); p && ok; p = strtok_r(NULL, ",", &save)) {
        char *names = base_strdup(name), *save_too = NULL;
        bool found = strcmp(p, "*") == 0;

        more = more || found;
        wanted += !found;
        for (char *one = strtok_r(names, ",", &save_too); one && !found;
             one = strtok_r(NULL, ",", &save_too))
            found = fnmatch(p, one, FNM_NOESCAPE) == 0;
        ok = found;
        free(names);
    }
    free(copy);
    return ok && (more || wanted == there);
}

static bool name_matches_pattern(const char *pattern, const char *name)
{
    const char *colon = strchr(pattern, ':'), *own = strchr(name, ':');
    char *domain = base_strndup(pattern, (size_t)(colon - pattern));
    char *own_domain = base_strndup(name, (size_t)(own - name));
    bool ok =
        fnmatch(domain, own_domain, FNM_NOESCAPE) == 0 && properties_match(colon + 1, own + 1);

    free(domain);
    free(own_domain);
    return ok;
}

/* Returns true for "domain:key=value,key=value", where a property may also be "*". */
static bool is_valid_bean_name(const char *text)
{
    const char *at = strchr(text, ':');

    if (!at || !at[1])
        return false;
    for (at++; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        const char *equals = memchr(at, '=', n);

        if (!(n == 1 && *at == '*') && (!equals || equals == at))
            return false;
    }
    return true;
}

/* ---- text, as Jackson's pretty printer makes it ---- */
static void put_attribute(struct base_buf *out, const struct attribute *a)
{
    base_buf_addf(out, ",\n    \"%s\" : ", a->name);
    if (a->text)
        base_json_quote(out, a->text);
    else if (a->is_bool)
        base_buf_adds(out, a->number ? "true" : "false");
    else
        base_buf_addf(out, "%lld", (long long)a->number);
}

/* Appends bean @b. @only: the name of the only attribute to write; NULL: all. */
static void put_bean(struct base_buf *out, const struct bean *b, const char *only, bool first)
{
    bool found = !only;

    base_buf_addf(out, "%s{\n    \"name\" : \"%s\",\n    \"modelerType\" : \"%s\"",
                  first ? "" : ", ", b->name, b->type);
    for (size_t i = 0; i < b->n; i++) {
        if (only && strcmp(only, b->v[i].name) != 0)
            continue;
        found = true;
        put_attribute(out, &b->v[i]);
    }
    if (!found) {
        struct base_buf text = {0};

        base_buf_addf(&text, "No attribute with name %s was found.", only);
        put_attribute(out, &(struct attribute){.name = "result", .text = "ERROR"});
        put_attribute(out, &(struct attribute){.name = "message", .text = text.data});
        base_buf_free(&text);
    }
    base_buf_adds(out, "\n  }");
}

static void put_beans(struct base_buf *out, const struct bean *v, size_t n, const char *pattern,
                      const char *only)
{
    bool first = true;

    base_buf_adds(out, "{\n  \"beans\" : [ ");
    for (size_t i = 0; i < n; i++) {
        if (!name_matches_pattern(pattern, v[i].name))
            continue;
        put_bean(out, &v[i], only, first);
        first = false;
    }
    base_buf_adds(out, first ? "]\n}" : " ]\n}");
}

static void put_jmx_answer(struct base_buf *out, const struct bean *v, size_t n, const char *query,
                           const char *get)
{
    const char *split = get ? strstr(get, "::") : NULL;
    char *name;

    if (!get) {
        if (is_valid_bean_name(query))
            put_beans(out, v, n, query, NULL);
        else
            base_buf_adds(out, "{ }");
        return;
    }
    if (!split || !split[2]) {
        base_buf_adds(out, "{\n  \"result\" : \"ERROR\",\n  \"message\" : \"query format is not as "
                           "expected.\"\n}");
        return;
    }
    name = base_strndup(get, (size_t)(split - get));
    if (is_valid_bean_name(name))
        put_beans(out, v, n, name, split + 2);
    else
        base_buf_adds(out, "{ }");
    free(name);
}

/* ---- the resource ---- */
static void fill_beans(struct rm_backend *b, struct bean *info, struct bean *ha)
{
    struct rm_backend_stats stats = {0};
    const char *url = rm_backend_url(b), *host = strstr(url, "://");

    rm_backend_get_stats(b, &stats);
    *info = (struct bean){.name = PREFIX "RMInfo",
                          .type = "org.apache.hadoop.yarn.server.resourcemanager.RMInfo"};
    add_text(info, "State", rm_standby_get_state_name(b, false));
    info->v[info->n++] = (struct attribute){.name = "SecurityEnabled", .is_bool = true};
    add_text(info, "HostAndPort", host ? host + 3 : "");
    *ha = (struct bean){.name = PREFIX "HighAvailability", .type = "HighAvailability"};
    add_text(ha, "tag.Context", "creel");
    add_text(ha, "tag.RmId", rm_backend_rm_id(b));
    add_text(ha, "State", rm_standby_get_state_name(b, false));
    add_text(ha, "ZooKeeper", rm_standby_get_zookeeper_text(b));
    add_number(ha, "Epoch", stats.epoch);
    add_number(ha, "Takeovers", stats.takeovers);
    add_number(ha, "LateAnswers", stats.late_answers);
    add_number(ha, "StoreCommits", stats.store_commits);
    add_number(ha, "StoreRecords", stats.store_records);
    add_number(ha, "StoreMultis", stats.store_multis);
    add_number(ha, "StoreRefusedWrites", stats.refused_writes);
}

static void answer_jmx(struct api_request *rq, void *user)
{
    const char *query = api_query(rq, "qry");
    struct base_buf out = {0};
    struct bean beans[2];

    /* as for Hadoop's servlet, a path with a trailing slash does not match */
    if (strcmp(api_path(rq), "/jmx") != 0) {
        api_answer_html_page(rq, 404, "Not Found", NULL);
        return;
    }
    fill_beans(user, &beans[0], &beans[1]);
    put_jmx_answer(&out, beans, 2, query ? query : "*:*", api_query(rq, "get"));
    api_add_header(rq, "Content-Type", "application/json; charset=utf8");
    if (base_conf_bool(rm_backend_conf(user), "creel.http.jmx-any-origin")) {
        api_add_header(rq, "Access-Control-Allow-Methods", "GET");
        api_add_header(rq, "Access-Control-Allow-Origin", "*");
    }
    api_answer(rq, 200, API_JSON, &out);
}

const struct api_route rm_api_jmx_routes[] = {
    {"GET", "/jmx", API_ROLE_READ, 0, answer_jmx, API_ROUTE_CREEL},
};
const size_t rm_api_jmx_routes_n = sizeof rm_api_jmx_routes / sizeof *rm_api_jmx_routes;
