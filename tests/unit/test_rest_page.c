/* Goal: deploy/doc/rest.md describes what is served, all of it and nothing else. Method: its tables
 * against the tables of routes, and against the members that the decoder of jobs takes; each
 * member's type is tried with a value of another type, and each default that is a value is compared
 * with what the decoder fills in. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/server.h"
#include "base/io/io.h"
#include "base/mem.h"
#include "nodemanager/http/routes.h"
#include "rm/http/routes.h"
#include "rm/http/spec_json.h"
#include "tests/unit/cunit_main.h"

enum { CELLS_MAX = 4, CELL_MAX = 512 };

static const char *page_path;
static char *page;

struct row {
    char cell[CELLS_MAX][CELL_MAX];
};

/* Copies a cell without the blanks around it. Returns where the next one begins. */
static const char *take_cell(const char *at, char out[static CELL_MAX])
{
    size_t len = strcspn(at, "|\n"), n = len;

    while (n > 0 && at[n - 1] == ' ')
        n--;
    while (n > 0 && *at == ' ') {
        at++;
        n--;
        len--;
    }
    snprintf(out, CELL_MAX, "%.*s", (int)n, at);
    return at[len] == '|' ? at + len + 1 : at + len;
}

/* Reads the row at *@at, which is moved to the next line; false where no row is. */
static bool take_row(const char **at, struct row *out)
{
    const char *s = *at;

    if (*s != '|')
        return false;
    *out = (struct row){0};
    s++;
    for (size_t i = 0; i < CELLS_MAX && *s != '\n'; i++)
        s = take_cell(s, out->cell[i]);
    *at = s + strcspn(s, "\n") + 1;
    return true;
}

/* Returns the first row of the table whose head begins with @head. */
static const char *table(const char *head)
{
    const char *at = strstr(page, head);

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    at = strchr(at, '\n') + 1;   /* the head */
    return strchr(at, '\n') + 1; /* the line below it */
}

/* Turns "`name`" into "name", in place, and returns it. */
static char *unquoted(char *cell)
{
    size_t len = strlen(cell);

    if (len < 2 || *cell != '`' || cell[len - 1] != '`')
        return cell;
    cell[len - 1] = '\0';
    return cell + 1;
}

/* ---- routes ---- */
static bool in_page(const struct api_route *route)
{
    char *row = base_printf("\n| `%s %s` |", route->method, route->path);
    bool found = strstr(page, row) != NULL;

    if (!found)
        fprintf(stderr, "%s has no row for %s %s\n", page_path, route->method, route->path);
    free(row);
    return found;
}

static bool is_served(const struct api_route *routes, size_t n, const char *method,
                      const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (routes[i].flags & (API_ROUTE_CREEL | API_ROUTE_SERVLET) &&
            strcmp(routes[i].method, method) == 0 && strcmp(routes[i].path, path) == 0)
            return true;
    return false;
}

static void test_routes(void)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};
    size_t n, of_node_n, rows = 0;
    struct api_route *routes = rm_routes_new(&n), *of_node = nm_routes_new(&of_node_n);

    for (size_t i = 0; i < n; i++)
        CU_ASSERT(!(routes[i].flags & API_ROUTE_CREEL) || in_page(&routes[i]));
    for (size_t i = 0; i < of_node_n; i++)
        CU_ASSERT(!(of_node[i].flags & API_ROUTE_CREEL) || in_page(&of_node[i]));
    for (const char *at = page; (at = strstr(at, "\n| `")); rows++) {
        struct row row;

        at++;
        CU_ASSERT_FATAL(take_row(&at, &row));
        at--;
        char *method = unquoted(row.cell[0]), *path = strchr(method, ' ');
        bool is_route = false;
        for (size_t i = 0; path && i < sizeof methods / sizeof *methods; i++)
            is_route = is_route || strncmp(method, methods[i], (size_t)(path - method)) == 0;
        if (!is_route)
            continue;
        *path++ = '\0';
        bool served =
            is_served(routes, n, method, path) || is_served(of_node, of_node_n, method, path);
        if (!served)
            fprintf(stderr, "%s describes %s %s, which is not served\n", page_path, method, path);
        CU_ASSERT(served);
    }
    CU_ASSERT(rows > 30);
    free(routes);
    free(of_node);
}

/* ---- members ---- */
/* Decodes a job (or its only task) that has @member, and else only what it needs. Returns the
 * decoder's error. */
static int decode(const char *member, const char *value, bool of_task, struct base_error *err,
                  struct rm_job_spec **out)
{
    static const struct rm_spec_defaults defaults = {
        .user = "ann", .split_size = 1 << 27, .max_attempts = 4};
    const char *rest = strcmp(member, "command") == 0 ? "" : ", \"command\": \"true\"";
    char *body =
        of_task ? base_printf("{\"job\": {\"tasks\": [{\"%s\": %s%s}]}}", member, value, rest)
                : base_printf("{\"job\": {\"%s\": %s, \"input\": [\"/in\"], \"output\": \"/out\","
                              " \"map\": \"cat\"}}",
                              member, value);
    int rc = rm_spec_job_decode(body, strlen(body), &defaults, out, err);

    free(body);
    return rc;
}

static const char *value_of_other_type(const char *type)
{
    if (strcmp(type, "string") == 0 || strcmp(type, "application id") == 0 ||
        strncmp(type, "array", 5) == 0 || strncmp(type, "object", 6) == 0)
        return "7";
    CU_ASSERT(strcmp(type, "integer") == 0 || strcmp(type, "number") == 0);
    return "\"seven\"";
}

static void check_type(const char *member, const char *type, bool of_task)
{
    struct base_error err = {0};
    struct rm_job_spec *spec = NULL;
    char *where = base_printf("%s: ", member);

    if (strcmp(member, "input") == 0 || strcmp(member, "output") == 0 ||
        strcmp(member, "map") == 0) {
        free(where); /* the body has these members in any case */
        return;
    }
    CU_ASSERT(decode(member, value_of_other_type(type), of_task, &err, &spec) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, where));
    CU_ASSERT_PTR_NULL(strstr(err.text, "unknown member"));
    free(where);
}

/* Returns what the decoder fills in for a job of one task without anything else. */
static json_t *filled_in(void)
{
    struct base_buf text = {0};
    struct base_error err = {0};
    struct rm_job_spec *spec = NULL;
    json_t *job;

    CU_ASSERT_FATAL(decode("command", "\"true\"", true, &err, &spec) == 0);
    base_buf_adds(&text, "{");
    rm_spec_job_encode(spec, NULL, &text);
    base_buf_adds(&text, "}");
    job = json_loadb(text.data, text.len, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    base_buf_free(&text);
    rm_job_spec_unref(spec);
    return job;
}

/* Defaults that are described in words, or left out of what is shown, are passed over. Returns
 * whether it compared. */
static bool check_default(const json_t *filled, const char *member, const char *text)
{
    json_t *said = json_loads(text, JSON_DECODE_ANY, NULL), *is = json_object_get(filled, member);
    bool both = said && is;

    if (both && !json_equal(said, is))
        fprintf(stderr, "%s: the default of %s is not %s\n", page_path, member, text);
    CU_ASSERT(!both || json_equal(said, is));
    json_decref(said);
    return both;
}

static size_t check_members(const char *head, const char *const *members, const json_t *filled,
                            bool of_task)
{
    const char *at = table(head);
    size_t rows = 0, known = 0, compared = 0;
    struct row row;

    for (; take_row(&at, &row); rows++) {
        const char *name = unquoted(row.cell[0]);
        size_t i = 0;

        while (members[i] && strcmp(members[i], name) != 0)
            i++;
        if (!members[i])
            fprintf(stderr, "%s describes the member %s, which the decoder refuses\n", page_path,
                    name);
        CU_ASSERT_PTR_NOT_NULL(members[i]);
        check_type(name, row.cell[1], of_task);
        compared += check_default(filled, name, unquoted(row.cell[2]));
    }
    while (members[known])
        known++;
    if (rows != known)
        fprintf(stderr, "%s: %zu rows below \"%s\", the decoder knows %zu members\n", page_path,
                rows, head, known);
    CU_ASSERT_EQUAL(rows, known);
    return compared;
}

static void test_members(void)
{
    json_t *job = filled_in();
    const json_t *task = json_array_get(json_object_get(job, "tasks"), 0);

    CU_ASSERT(check_members("| member of `job` |", rm_spec_job_members, job, false) >= 3);
    CU_ASSERT(check_members("| member of a task |", rm_spec_task_members, task, true) >= 2);
    json_decref(job);
}

static const struct cunit_case cases[] = {
    {"every route of Creel's own is described, and no other", test_routes},
    {"every member of a job is described as the decoder takes it", test_members},
};

int main(int argc, char **argv)
{
    struct base_buf text = {0};
    struct base_error err = {0};
    int rc;

    page_path = argc > 1 ? argv[1] : "deploy/doc/rest.md";
    if (base_file_read(page_path, 1 << 20, &text, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    page = base_buf_take(&text);
    rc = cunit_main("rest page", cases, sizeof cases / sizeof *cases);
    free(page);
    return rc;
}
