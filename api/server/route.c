#include "api/server/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct node {
    char *text; /* the literal segment that leads here */
    struct node **kids;
    size_t n_kids, cap_kids;
    struct node *capture;
    const struct api_route *routes[API_M_COUNT];
    const struct api_route *rest[API_M_COUNT];
    bool has_routes, has_rest;
};
struct api_router {
    struct node *root;
};

enum api_method api_method_parse(const char *text)
{
    static const struct {
        const char *text;
        enum api_method method;
    } names[] = {{"GET", API_M_GET},
                 {"HEAD", API_M_GET},
                 {"POST", API_M_POST},
                 {"PUT", API_M_PUT},
                 {"DELETE", API_M_DELETE}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].text, text) == 0)
            return names[i].method;
    return API_M_OTHER;
}

static void node_free(struct node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n_kids; i++)
        node_free(node->kids[i]);
    node_free(node->capture);
    free(node->kids);
    free(node->text);
    free(node);
}

static int compare_segment(const char *a, size_t n, const char *b)
{
    int c = strncmp(a, b, n);

    return c ? c : -(b[n] != '\0');
}

/* Children are sorted by text. Returns the index of @text, or with *@found false the index at which
 * to insert it. */
static size_t find_child_place(const struct node *node, const char *text, size_t n, bool *found)
{
    size_t low = 0, high = node->n_kids;

    *found = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int c = compare_segment(text, n, node->kids[middle]->text);

        if (c == 0) {
            *found = true;
            return middle;
        }
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct node *get_or_add_child(struct node *node, const char *text, size_t n)
{
    bool found;
    size_t place = find_child_place(node, text, n, &found);
    struct node *kid;

    if (found)
        return node->kids[place];
    kid = base_alloc(sizeof *kid);
    kid->text = base_strndup(text, n);
    base_array_grow(&node->kids, node->n_kids, &node->cap_kids);
    memmove(node->kids + place + 1, node->kids + place,
            (node->n_kids - place) * sizeof *node->kids);
    node->kids[place] = kid;
    node->n_kids++;
    return kid;
}

/* Adds the missing nodes of the route's path below @node, one for each segment except {rest*}, and
 * enters the route in the last node of the path under its method. Returns 0 or -BASE_EINVAL. */
static int add_route(struct node *node, const struct api_route *route, struct base_error *err)
{
    enum api_method method = api_method_parse(route->method);
    const char *at = route->path;
    const struct api_route **slot = NULL;
    unsigned captures = 0;

    while (*at == '/' && !slot) {
        const char *segment = at + 1;
        size_t n = strcspn(segment, "/");

        at = segment + n;
        if (n == 0 && !*at)
            break; /* "/" alone, or a trailing slash */
        if (segment[0] != '{') {
            if (n == 0 || memchr(segment, '{', n))
                return base_error_set(err, -BASE_EINVAL, "route %s: bad segment", route->path);
            node = get_or_add_child(node, segment, n);
            continue;
        }
        if (n < 3 || segment[n - 1] != '}' || ++captures > API_CAPTURES_MAX)
            return base_error_set(err, -BASE_EINVAL, "route %s: bad capture", route->path);
        if (segment[n - 2] == '*') {
            node->has_rest = true;
            slot = &node->rest[method];
            continue;
        }
        if (!node->capture)
            node->capture = base_alloc(sizeof *node->capture);
        node = node->capture;
    }
    if (*at && !(at[0] == '/' && !at[1]))
        return base_error_set(err, -BASE_EINVAL, "route %s: nothing may follow {...*}",
                              route->path);
    if (!slot) {
        node->has_routes = true;
        slot = &node->routes[method];
    }
    if (*slot)
        return base_error_set(err, -BASE_EINVAL, "route %s %s is defined twice", route->method,
                              route->path);
    *slot = route;
    return 0;
}

static int check_route(const struct api_route *route, struct base_error *err)
{
    if (!route->path || route->path[0] != '/')
        return base_error_set(err, -BASE_EINVAL, "a route's path must start with '/'");
    if (!route->method || api_method_parse(route->method) == API_M_OTHER ||
        strcmp(route->method, "HEAD") == 0)
        return base_error_set(err, -BASE_EINVAL,
                              "route %s: method must be GET, POST, PUT or DELETE", route->path);
    if (route->role <= API_ROLE_NONE || route->role > API_ROLE_MASTER)
        return base_error_set(err, -BASE_EINVAL, "route %s %s has no role", route->method,
                              route->path);
    if (!route->handler)
        return base_error_set(err, -BASE_EINVAL, "route %s %s has no handler", route->method,
                              route->path);
    return 0;
}

int api_router_new(const struct api_route *routes, size_t n, struct api_router **out,
                   struct base_error *err)
{
    struct api_router *r = base_alloc(sizeof *r);

    r->root = base_alloc(sizeof *r->root);
    for (size_t i = 0; i < n; i++) {
        int rc = check_route(&routes[i], err);

        if (rc == 0)
            rc = add_route(r->root, &routes[i], err);
        if (rc < 0) {
            api_router_free(r);
            return rc;
        }
    }
    *out = r;
    return 0;
}

void api_router_free(struct api_router *r)
{
    if (!r)
        return;
    node_free(r->root);
    free(r);
}

/* Matches the segments from @at on below @node, backtracking from a literal child to the capture.
 * Each node has one way in and is visited at most once: O(nodes) at worst, usually O(depth *
 * log(children)). */
static bool match_below(const struct node *node, const struct api_uri *uri, size_t at,
                        struct api_match *out)
{
    const char *segment = at < uri->n_segments ? uri->segments[at] : NULL;
    /* one trailing slash is allowed */
    bool at_end = !segment || (segment[0] == '\0' && at + 1 == uri->n_segments);

    if (at_end && node->has_routes) {
        out->by_method = node->routes;
        return true;
    }
    if (segment && segment[0]) {
        bool found;
        size_t place = find_child_place(node, segment, strlen(segment), &found);

        if (found && match_below(node->kids[place], uri, at + 1, out))
            return true;
        if (node->capture && out->n_args < API_CAPTURES_MAX) {
            out->args[out->n_args++] = segment;
            if (match_below(node->capture, uri, at + 1, out))
                return true;
            out->n_args--;
        }
    }
    if (node->has_rest) {
        out->by_method = node->rest;
        out->has_rest = true;
        out->rest_from = at;
        return true;
    }
    return false;
}

bool api_router_match(const struct api_router *r, const struct api_uri *uri, struct api_match *out)
{
    memset(out, 0, sizeof *out);
    return uri->n_segments > 0 && match_below(r->root, uri, 0, out);
}

bool api_match_has_flag(const struct api_match *match, unsigned flag)
{
    for (int i = 0; match->by_method && i < API_M_COUNT; i++)
        if (match->by_method[i] && (match->by_method[i]->flags & flag))
            return true;
    return false;
}
