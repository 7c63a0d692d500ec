/* api/cli/yarn/refresh.c - the actions of `creel rmadmin` that include, exclude and resize nodes
 * (SOURCE: RMAdminCLI). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/interrupt.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/admin.h"

#define REFRESH      "refreshNodes"
#define UPDATE       "updateNodeResource"
#define REFRESH_PATH "/ws/v1/cluster/refresh-nodes"

enum { LOOK_MS = 1000, GRACE_S = 5 }; /* between two polls; after the time-out, for the RM to act */

int cli_admin_print_failure(const char *action, const char *fmt, ...)
{
    struct base_buf text = {0}, line = {0};
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    cli_text_add_clean(text.data ? text.data : "", &line);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", action, line.data ? line.data : "");
    base_buf_free(&text);
    base_buf_free(&line);
    return CLI_YARN_FAILED;
}

int cli_admin_request(struct cli *c, const char *action, const char *method, const char *path,
                      const json_t *body, struct cli_answer *out)
{
    struct cli_answer unused = {0};
    struct cli_answer *a = out ? out : &unused;
    int rc = cli_rm_call(c->rm, method, path, body, 0, a);
    if (rc != CLI_OK && rc != CLI_INTERRUPTED)
        rc = cli_admin_print_failure(action, "%s", a->error ? a->error : "no answer");
    if (!out)
        cli_answer_free(a);
    return rc;
}

/* ---- -refreshNodes ---- */
int cli_admin_refresh_nodes(struct cli *c)
{
    json_t *body = json_pack("{s:b}", "graceful", 0);
    int rc = cli_admin_request(c, REFRESH, "PUT", REFRESH_PATH, body, NULL);
    json_decref(body);
    return rc;
}

/* Asks the RM for nodes that are being decommissioned; appends their ids to @out, separated by
 * commas. Returns an exit code. */
static int find_decommissioning_nodes(struct cli *c, struct base_buf *out)
{
    struct cli_answer a = {0};
    int rc = cli_admin_request(c, REFRESH, "GET", "/ws/v1/cluster/nodes?states=DECOMMISSIONING",
                               NULL, &a);
    const json_t *nodes = cli_at(a.json, "nodes.node");
    for (size_t i = 0; i < cli_list_or_one_len(nodes); i++)
        base_buf_addf(out, "%s%s", i ? "," : "", cli_str(cli_list_or_one_get(nodes, i), "id"));
    cli_answer_free(&a);
    return rc;
}

/* Waits until no node is being decommissioned any more. The RM enforces the time-out; if it has not
 * after some seconds more, the nodes are excluded at once. */
static int wait_until_decommissioned(struct cli *c, long seconds)
{
    for (long waited = 0; seconds < 0 || waited < seconds + GRACE_S; waited++) {
        struct base_buf nodes = {0};
        if (cli_interrupt_sleep(LOOK_MS))
            return CLI_INTERRUPTED;
        int rc = find_decommissioning_nodes(c, &nodes);
        if (rc == CLI_YARN_OK && nodes.len)
            cli_print_clean("Nodes '%s' are still decommissioning.\n", nodes.data);
        bool over = rc != CLI_YARN_OK || nodes.len == 0;
        base_buf_free(&nodes);
        fflush(stdout);
        if (rc == CLI_YARN_OK && over)
            printf("Graceful decommissioning completed in %ld seconds.\n", waited);
        if (over)
            return rc;
    }
    printf("Graceful decommissioning not completed in %ld seconds, issuing forceful "
           "decommissioning command.\n",
           seconds);
    return cli_admin_refresh_nodes(c);
}

int cli_admin_refresh_nodes_gracefully(struct cli *c, const char *seconds, bool wait_here)
{
    char *end = NULL;
    long n = -1;
    errno = 0;
    if (seconds)
        n = strtol(seconds, &end, 10);
    if (seconds && (!*seconds || *end || errno || n < -1 || n > INT32_MAX))
        return cli_admin_print_failure(REFRESH, "Invalid timeout specified : %s", seconds);
    json_t *body = json_pack("{s:b,s:I}", "graceful", 1, "timeoutSeconds", (json_int_t)n);
    int rc = cli_admin_request(c, REFRESH, "PUT", REFRESH_PATH, body, NULL);
    json_decref(body);
    return rc == CLI_YARN_OK && wait_here ? wait_until_decommissioned(c, n) : rc;
}

/* ---- -updateNodeResource ---- */
/* Reads a whole number from 0 to INT32_MAX. Returns false when @text is none. */
static bool read_amount(const char *text, size_t len, long long *out)
{
    char *copy = base_strndup(text, len), *end;
    errno = 0;
    *out = strtoll(copy, &end, 10);
    bool good = len > 0 && strspn(copy, "0123456789") == len && errno == 0 && *out <= INT32_MAX;
    free(copy);
    return good;
}

/* Takes the unit off the end of an amount of memory ("4096Mi" of @len bytes) and returns the unit
 * in bytes. These are YARN's units of resources; without a unit, amounts are in bytes. */
static long long strip_memory_unit(const char *text, size_t *len)
{
    static const struct {
        const char *name;
        long long bytes;
    } units[] = {{"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}, {"Ti", 1LL << 40},
                 {"k", 1000},       {"M", 1000000},    {"G", 1000000000}, {"T", 1000000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        if (*len > n && strncmp(text + *len - n, units[i].name, n) == 0) {
            *len -= n;
            return units[i].bytes;
        }
    }
    return 1;
}

/* Parses "memory-mb=4096Mi,vcores=4". Returns an exit code. */
static int parse_resource_types(const char *text, long long *memory, long long *vcores)
{
    *memory = *vcores = -1;
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t len = strcspn(at, ","), name = strcspn(at, "=");
        const char *value = at + name + 1;
        size_t value_len = name < len ? len - name - 1 : 0;
        bool is_memory = name == 9 && strncmp(at, "memory-mb", 9) == 0;
        long long unit = is_memory ? strip_memory_unit(value, &value_len) : 1;
        if (name >= len)
            return cli_admin_print_failure(
                UPDATE,
                "Invalid resource type value: (%.*s) for updateNodeResource. It "
                "should be key value pairs separated using '=' symbol.",
                (int)len, at);
        if (!is_memory && !(name == 6 && strncmp(at, "vcores", 6) == 0))
            return cli_admin_print_failure(UPDATE, "Invalid resource type: %.*s. Not allowed.",
                                           (int)name, at);
        if (!read_amount(value, value_len, is_memory ? memory : vcores))
            return cli_admin_print_failure(
                UPDATE,
                "Invalid resource value: %.*s. Unable to extract unit and actual "
                "value.",
                (int)(len - name - 1), at + name + 1);
        if (is_memory) /* in MB; more than INT64_MAX bytes are too many in any case */
            *memory = *memory > INT64_MAX / unit ? INT64_MAX >> 20 : *memory * unit >> 20;
        if (is_memory && *memory == 0)
            return cli_admin_print_failure(
                UPDATE,
                "Invalid value for resource 'memory-mb'. Value cannot be "
                "0(zero): %.*s (without a unit, bytes)",
                (int)(len - name - 1), at + name + 1);
        if (is_memory && *memory > INT32_MAX)
            return cli_admin_print_failure(UPDATE, "Invalid resource value: %.*s. It is too large.",
                                           (int)(len - name - 1), at + name + 1);
    }
    if (*memory < 0 || *vcores < 0)
        return cli_admin_print_failure(UPDATE, "Mandatory resource '%s' missing in resource: %s",
                                       *memory < 0 ? "memory-mb" : "vcores", text);
    return CLI_YARN_OK;
}

static int send_node_resource_update(struct cli *c, const char *id, long long memory,
                                     long long vcores, long long timeout)
{
    struct base_buf path = {0};
    json_t *body =
        json_pack("{s:{s:I,s:I},s:I}", "resource", "memory", (json_int_t)memory, "vCores",
                  (json_int_t)vcores, "overCommitTimeout", (json_int_t)timeout);
    base_buf_adds(&path, "/ws/v1/cluster/nodes/");
    cli_uri_add_encoded(id, &path);
    base_buf_adds(&path, "/resource");
    int rc = cli_admin_request(c, UPDATE, "POST", path.data, body, NULL);
    base_buf_free(&path);
    json_decref(body);
    return rc;
}

int cli_admin_update_node_resource(struct cli *c, const struct cli_yarn_values *words)
{
    long long memory, vcores, timeout = -1;
    size_t used = 3;
    if (words->n < 2 || words->n > 4)
        return cli_admin_print_failure(
            UPDATE, "Number of parameters specified for updateNodeResource is wrong.");
    const char *second = words->v[1];
    if (words->n >= 3 && strspn(second, "0123456789") == strlen(second)) {
        if (!read_amount(second, strlen(second), &memory) ||
            !read_amount(words->v[2], strlen(words->v[2]), &vcores))
            return cli_admin_print_failure(
                UPDATE, "Invalid resource value: (%s,%s) for updateNodeResource.", second,
                words->v[2]);
    } else if (!strchr(second, '=')) {
        return cli_admin_print_failure(
            UPDATE, "Resource Types parameter specified for updateNodeResource is wrong. "
                    "It should be comma-delimited key value pairs, for example "
                    "memory-mb=1024Mi,vcores=1");
    } else if (parse_resource_types(second, &memory, &vcores) != CLI_YARN_OK) {
        return CLI_YARN_FAILED;
    } else {
        used = 2;
    }
    if (words->n > used && !read_amount(words->v[used], strlen(words->v[used]), &timeout))
        return cli_admin_print_failure(UPDATE, "For input string: \"%s\"", words->v[used]);
    return send_node_resource_update(c, words->v[0], memory, vcores, timeout);
}
