/* api/cli/cli_node.c - `creel node`, with the spellings of `yarn node`. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/cli_rm.h"
#include "api/cli/cli_table.h"
#include "api/cli/cli_text.h"
#include "base/base_clock.h"

enum { KEY_LIST = 256, KEY_STATUS, KEY_ALL, KEY_STATES };

struct node {
    bool list, all;
    const char *status, *states;
};

static const struct argp_option options[] = {
    {"list", KEY_LIST, NULL, 0, "List nodes: the running ones, unless -all or -states", 1},
    {"status", KEY_STATUS, "ID", 0, "Show one node", 1},
    {"all", KEY_ALL, NULL, 0, "With -list: nodes in every state", 2},
    {"states", KEY_STATES, "A,B", 0, "With -list: RUNNING, UNHEALTHY, LOST …", 2},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct node *n = state->input;
    switch (key) {
    case KEY_LIST:
        n->list = true;
        return 0;
    case KEY_STATUS:
        n->status = arg;
        return 0;
    case KEY_ALL:
        n->all = true;
        return 0;
    case KEY_STATES:
        n->states = arg;
        return 0;
    case ARGP_KEY_ARG:
        return cli_bad("'%s' is too much; see creel node --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_list(const json_t *nodes)
{
    struct cli_table *t = cli_table_new("NODE", "<", "STATE", "<", "HTTP", "<1", "RACK", "~2", "CONTAINERS", ">",
                                        "USED", ">", "MEMORY", ">", "SEEN", ">", "HEALTH", "~", NULL);
    int64_t now = base_wall_us(&base_clock_real) / 1000;
    for (size_t i = 0; i < cli_list_len(nodes); i++) {
        const json_t *j = cli_list_get(nodes, i);
        struct base_buf seen = {0};
        char containers[32], used[32], memory[32];
        int64_t mb = cli_int(j, "usedMemoryMB"), free_mb = cli_int(j, "availMemoryMB");
        snprintf(containers, sizeof containers, "%lld", (long long)cli_int(j, "numContainers"));
        snprintf(used, sizeof used, "%lld MB", (long long)mb);
        snprintf(memory, sizeof memory, "%lld MB", (long long)(mb + free_mb));
        cli_text_duration(now - cli_int(j, "lastHealthUpdate"), &seen);
        base_buf_adds(&seen, " ago");
        const char *http = cli_str(j, "nodeHTTPAddress"), *health = cli_str(j, "healthReport");
        cli_table_row(t, cli_str(j, "id"), cli_str(j, "state"), *http ? http : "-", cli_str(j, "rack"), containers,
                      used, memory, seen.data, *health ? health : "-", NULL);
        base_buf_free(&seen);
    }
    cli_table_print(t, stdout);
}

static int list(struct cli *c, const struct node *n)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    base_buf_adds(&path, "/ws/v1/cluster/nodes");
    if (!n->all) {
        base_buf_adds(&path, "?states=");
        cli_uri_component(n->states ? n->states : "RUNNING", &path);
    }
    int rc = cli_rm_get(c, path.data, &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_list(cli_at(answer, "nodes.node"));
    json_decref(answer);
    return rc;
}

static void print_status(const json_t *node)
{
    static const char *const members[][2] = {
        {"node", "id"},   {"state", "state"},     {"http", "nodeHTTPAddress"},
        {"rack", "rack"}, {"version", "version"}, {"health", "healthReport"},
    };
    struct base_buf b = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        base_buf_clear(&b);
        cli_text_clean(cli_str(node, members[i][1]), &b);
        if (b.len)
            printf("%-11s %s\n", members[i][0], b.data);
    }
    base_buf_clear(&b);
    cli_text_time(cli_int(node, "lastHealthUpdate"), &b);
    printf("%-11s %s\n", "last seen", b.data);
    base_buf_free(&b);
    printf("%-11s %lld\n", "containers", (long long)cli_int(node, "numContainers"));
    printf("%-11s %lld MB used, %lld MB free\n", "memory", (long long)cli_int(node, "usedMemoryMB"),
           (long long)cli_int(node, "availMemoryMB"));
    printf("%-11s %lld used, %lld free\n", "vcores", (long long)cli_int(node, "usedVirtualCores"),
           (long long)cli_int(node, "availableVirtualCores"));
}

static int status(struct cli *c, const char *id)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    base_buf_adds(&path, "/ws/v1/cluster/nodes/");
    for (const char *s = id; *s; s++) { /* a node id is used raw (host:port), so only what would break the path */
        char one[2] = {*s, '\0'};
        if (*s == ':')
            base_buf_adds(&path, ":");
        else
            cli_uri_component(one, &path);
    }
    int rc = cli_rm_get_object(c, path.data, "node", &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_status(json_object_get(answer, "node"));
    json_decref(answer);
    return rc;
}

/* The ResourceManager passes over names it does not know; here they are a mistake. */
static int check_states(const char *list)
{
    static const char known[] = "NEW, RUNNING, UNHEALTHY, DECOMMISSIONING, DECOMMISSIONED, LOST, REBOOTED, SHUTDOWN";
    char *copy = base_strdup(list), *save = NULL;
    int rc = CLI_OK, n = 0;
    for (char *s = strtok_r(copy, ", ", &save); s && rc == CLI_OK; s = strtok_r(NULL, ", ", &save), n++) {
        bool found = false;
        for (const char *at = known; *at && !found; at += strcspn(at, ","), at += strspn(at, ", "))
            found = strcspn(at, ",") == strlen(s) && strncasecmp(at, s, strlen(s)) == 0;
        if (!found)
            rc = cli_error(CLI_USAGE, "-states: '%s' is no state of a node; they are %s", s, known);
    }
    free(copy);
    return rc == CLI_OK && n == 0 ? cli_error(CLI_USAGE, "-states: '%s' names no state; they are %s", list, known) : rc;
}

static int check(const struct node *n)
{
    if (n->list == (n->status != NULL))
        return cli_error(CLI_USAGE, "node: give one of -list, -status ID");
    if (n->status && !*n->status)
        return cli_error(CLI_USAGE, "-status: the id is empty; a node's id is host:port, as creel node -list shows it");
    if (n->status && (n->all || n->states))
        return cli_error(CLI_USAGE, "node: %s belongs to -list, not to -status", n->all ? "-all" : "-states");
    if (n->all && n->states)
        return cli_error(CLI_USAGE, "node: -all and -states exclude each other");
    return n->states ? check_states(n->states) : CLI_OK;
}

int cli_node_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "-list\n-status ID",
        "Nodes of the cluster; options as of yarn node.\v"
        "Examples:\n  creel node -list -all\n  creel node -status host1:8042 --json\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct node n = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &n);
    if (rc == CLI_OK)
        rc = check(&n);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = n.list ? list(&c, &n) : status(&c, n.status);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
