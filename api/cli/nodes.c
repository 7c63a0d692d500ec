/* api/cli/nodes.c - `creel node`: `list` and `status ID` in Creel's own form, with slots and the
 * time since the last heartbeat; with a dash, the options and output of `yarn node` for scripts
 * (SOURCE: NodeCLI of Hadoop 3.4). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "api/cli/rm_client.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"

enum { KEY_LIST = 256, KEY_STATUS, KEY_ALL, KEY_STATES };

struct node {
    bool list, all, own_form; /* own_form: list and status without a dash */
    const char *status, *states;
};

static const struct argp_option options[] = {
    {"list", KEY_LIST, NULL, 0,
     "List nodes as yarn node does: the running ones, or those of -all or -states", 1},
    {"status", KEY_STATUS, "ID", 0, "Show a node as yarn node does", 1},
    {"all", KEY_ALL, NULL, 0, "With -list: nodes in every state", 2},
    {"states", KEY_STATES, "A,B", 0,
     "With list or -list: nodes in these states: RUNNING, UNHEALTHY, LOST …", 2},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
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
        if (!n->own_form && !n->list && !n->status && strcmp(arg, "list") == 0) {
            n->own_form = n->list = true;
            return 0;
        }
        if (!n->own_form && !n->list && !n->status && strcmp(arg, "status") == 0) {
            n->own_form = true;
            return 0;
        }
        if (n->own_form && !n->list && !n->status) {
            n->status = arg;
            return 0;
        }
        return cli_option_error("unexpected argument '%s'; see creel node --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Creel's own form ---- */
static int compare_nodes(const void *a, const void *b)
{
    return strverscmp(cli_str(*(json_t *const *)a, "id"), cli_str(*(json_t *const *)b, "id"));
}

static bool state_is_listed(const char *states, const char *state)
{
    size_t n = strlen(state);
    for (const char *at = states; at && *at; at += strcspn(at, ", "), at += strspn(at, ", "))
        if (strcspn(at, ", ") == n && strncasecmp(at, state, n) == 0)
            return true;
    return !states;
}

static void format_slots(const json_t *node, const char *kind, char out[static 48])
{
    char path[32];
    snprintf(path, sizeof path, "slots.%s.used", kind);
    long long used = cli_int(node, path);
    snprintf(path, sizeof path, "slots.%s.total", kind);
    snprintf(out, 48, "%lld/%lld", used, (long long)cli_int(node, path));
}

/* Appends the time since the node's last heartbeat, and for a node that is down also the date of
 * that heartbeat. */
static void add_time_since_heartbeat(const json_t *node, struct base_buf *out)
{
    const char *state = cli_str(node, "state");
    bool up = strcmp(state, "RUNNING") == 0 || strcmp(state, "UNHEALTHY") == 0 ||
              strcmp(state, "DECOMMISSIONING") == 0;
    if (cli_int(node, "lastHeartbeat") == 0) {
        base_buf_adds(out, "-");
        return;
    }
    cli_text_add_duration(cli_int(node, "silentMs"), out);
    if (up)
        return;
    base_buf_adds(out, ", since ");
    cli_text_add_time(cli_int(node, "lastHeartbeat"), out);
}

/* Returns the nodes in one of @states (NULL: all), sorted by id ("nm-2" before "nm-10"); caller
 * owns. */
static json_t *select_and_sort_nodes(const json_t *all, const char *states)
{
    size_t n = json_array_size(all), kept = 0;
    const json_t **v = base_alloc((n + 1) * sizeof *v);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        if (state_is_listed(states, cli_str(json_array_get(all, i), "state")))
            v[kept++] = json_array_get(all, i);
    if (kept > 1)
        qsort(v, kept, sizeof *v, compare_nodes);
    for (size_t i = 0; i < kept; i++)
        json_array_append(list, (json_t *)(uintptr_t)v[i]);
    free(v);
    return list;
}

static void print_own_list(const json_t *nodes)
{
    struct cli_table *t =
        cli_table_new("NODE", "<", "STATE", "<", "MAPS", ">", "REDUCES", ">", "SILENT", "<", "HTTP",
                      "<1", "RACK", "~2", "HEALTH", "~", NULL);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *j = json_array_get(nodes, i);
        const char *http = cli_str(j, "httpAddress"), *health = cli_str(j, "health");
        struct base_buf silent = {0};
        char maps[48], reduces[48];
        format_slots(j, "map", maps);
        format_slots(j, "reduce", reduces);
        add_time_since_heartbeat(j, &silent);
        cli_table_add_row(t, cli_str(j, "id"), cli_str(j, "state"), maps, reduces, silent.data,
                          *http ? http : "-", cli_str(j, "rack"), *health ? health : "-", NULL);
        base_buf_free(&silent);
    }
    cli_table_print(t, stdout);
}

static void print_own_status(const json_t *j)
{
    static const char *const members[][2] = {{"node", "id"},          {"state", "state"},
                                             {"http", "httpAddress"}, {"rack", "rack"},
                                             {"version", "version"},  {"health", "health"}};
    struct base_buf b = {0};
    char slots[48];
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        base_buf_clear(&b);
        cli_text_add_clean(cli_str(j, members[i][1]), &b);
        if (b.len)
            printf("%-11s %s\n", members[i][0], b.data);
    }
    format_slots(j, "map", slots);
    printf("%-11s %s in use\n", "map slots", slots);
    format_slots(j, "reduce", slots);
    printf("%-11s %s in use\n", "red. slots", slots);
    printf("%-11s %lld\n", "containers", (long long)cli_int(j, "containers"));
    base_buf_clear(&b);
    add_time_since_heartbeat(j, &b);
    printf("%-11s %s\n", "silent", b.data);
    base_buf_free(&b);
}

static int list_or_show_in_own_form(struct cli *c, const struct node *n)
{
    json_t *answer = NULL, *nodes;
    int rc = cli_rm_get(c, "/ws/v1/cluster/node-list", &answer);
    if (rc != CLI_OK)
        return rc;
    nodes = select_and_sort_nodes(json_object_get(answer, "nodes"), n->states);
    const json_t *one = NULL;
    for (size_t i = 0; n->status && i < json_array_size(nodes) && !one; i++)
        if (strcmp(cli_str(json_array_get(nodes, i), "id"), n->status) == 0)
            one = json_array_get(nodes, i);
    json_t *shown =
        n->status ? json_pack("{s:O?}", "node", one) : json_pack("{s:O}", "nodes", nodes);
    if (n->status && !one)
        rc = cli_error(CLI_NOTFOUND, "node %s is not known; creel node list shows all", n->status);
    else if (c->json)
        cli_print_json(shown);
    else if (one)
        print_own_status(one);
    else
        print_own_list(nodes);
    json_decref(shown);
    json_decref(nodes);
    json_decref(answer);
    return rc;
}

/* ---- the form of yarn node ---- */
static void print_yarn_list(const json_t *nodes)
{
    printf("Total Nodes:%zu\n", cli_list_len(nodes));
    printf("%16s\t%15s\t%17s\t%28s\n", "Node-Id", "Node-State", "Node-Http-Address",
           "Number-of-Running-Containers");
    for (size_t i = 0; i < cli_list_len(nodes); i++) {
        const json_t *j = cli_list_get(nodes, i);
        cli_print_clean("%16s\t", cli_str(j, "id"));
        cli_print_clean("%15s\t", cli_str(j, "state"));
        cli_print_clean("%17s\t", cli_str(j, "nodeHTTPAddress"));
        printf("%28lld\n", (long long)cli_int(j, "numContainers"));
    }
}

static int list_as_yarn(struct cli *c, const struct node *n)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    base_buf_adds(&path, "/ws/v1/cluster/nodes");
    if (!n->all) {
        base_buf_adds(&path, "?states=");
        cli_uri_add_encoded(n->states ? n->states : "RUNNING", &path);
    }
    int rc = cli_rm_get(c, path.data, &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_yarn_list(cli_at(answer, "nodes.node"));
    json_decref(answer);
    return rc;
}

/* Prints a time as "Wed 16/Sep/20 09:50:59:541UTC", on a twelve-hour clock like FastDateFormat's
 * hh. */
static void print_health_time(int64_t ms)
{
    char day[40], clock[24], zone[16];
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    localtime_r(&s, &tm);
    strftime(day, sizeof day, "%a %d/%b/%y", &tm);
    strftime(clock, sizeof clock, "%I:%M:%S", &tm);
    strftime(zone, sizeof zone, "%Z", &tm);
    printf("\tLast-Health-Update : %s %s:%02lld%s\n", day, clock, (long long)(ms % 1000), zone);
}

static void print_yarn_status(const json_t *node)
{
    long long used_mb = cli_int(node, "usedMemoryMB"),
              used_cores = cli_int(node, "usedVirtualCores");
    puts("Node Report : ");
    cli_print_clean("\tNode-Id : %s\n", cli_str(node, "id"));
    cli_print_clean("\tRack : %s\n", cli_str(node, "rack"));
    cli_print_clean("\tNode-State : %s\n", cli_str(node, "state"));
    cli_print_clean("\tNode-Http-Address : %s\n", cli_str(node, "nodeHTTPAddress"));
    print_health_time(cli_int(node, "lastHealthUpdate"));
    cli_print_clean("\tHealth-Report : %s\n", cli_str(node, "healthReport"));
    printf("\tContainers : %lld\n", (long long)cli_int(node, "numContainers"));
    printf("\tMemory-Used : %lldMB\n", used_mb);
    printf("\tMemory-Capacity : %lldMB\n", used_mb + (long long)cli_int(node, "availMemoryMB"));
    printf("\tCPU-Used : %lld vcores\n", used_cores);
    printf("\tCPU-Capacity : %lld vcores\n",
           used_cores + (long long)cli_int(node, "availableVirtualCores"));
    puts("\tNode-Labels : \n");
}

static int show_as_yarn(struct cli *c, const char *id)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    base_buf_adds(&path, "/ws/v1/cluster/nodes/");
    for (const char *s = id; *s; s++) { /* "host:port"; the colon needs no encoding */
        char one[2] = {*s, '\0'};
        if (*s == ':')
            base_buf_adds(&path, ":");
        else
            cli_uri_add_encoded(one, &path);
    }
    int rc = cli_rm_get_object(c, path.data, "node", &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_yarn_status(json_object_get(answer, "node"));
    json_decref(answer);
    return rc;
}

/* Refuses unknown states: the ResourceManager ignores them, but on a command line they are
 * mistakes. */
static int check_states(const char *list)
{
    static const char known[] =
        "NEW, RUNNING, UNHEALTHY, DECOMMISSIONING, DECOMMISSIONED, LOST, REBOOTED, SHUTDOWN";
    char *copy = base_strdup(list), *save = NULL;
    int rc = CLI_OK, n = 0;
    for (char *s = strtok_r(copy, ", ", &save); s && rc == CLI_OK;
         s = strtok_r(NULL, ", ", &save), n++) {
        bool found = false;
        for (const char *at = known; *at && !found; at += strcspn(at, ","), at += strspn(at, ", "))
            found = strcspn(at, ",") == strlen(s) && strncasecmp(at, s, strlen(s)) == 0;
        if (!found)
            rc = cli_error(CLI_USAGE, "-states: '%s' is not a state of nodes; these are %s", s,
                           known);
    }
    free(copy);
    return rc == CLI_OK && n == 0
               ? cli_error(CLI_USAGE, "-states: '%s' names no state; these are %s", list, known)
               : rc;
}

static int check_usage(const struct node *n)
{
    if (n->list == (n->status != NULL))
        return cli_error(
            CLI_USAGE, "node: give one of list, status ID (or -list, -status ID as in yarn node)");
    if (n->status && !*n->status)
        return cli_error(
            CLI_USAGE,
            "-status: the id is empty; a node's id is host:port, as creel node -list shows it");
    if (n->status && (n->all || n->states))
        return cli_error(CLI_USAGE, "node: %s belongs to -list, not to -status",
                         n->all ? "-all" : "-states");
    if (n->own_form && n->all)
        return cli_error(CLI_USAGE, "node list: shows all states already; -all belongs to -list");
    if (n->all && n->states)
        return cli_error(CLI_USAGE, "node: -all and -states exclude each other");
    return n->states ? check_states(n->states) : CLI_OK;
}

int cli_node_main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse_option,
                                     "list\nstatus ID\n-list\n-status ID",
                                     "Lists or shows the nodes of the cluster: slots in use and in "
                                     "total, and the time since the last heartbeat.\v"
                                     "Examples:\n"
                                     "  creel node list\n"
                                     "  creel node list -states LOST,UNHEALTHY\n"
                                     "  creel node status host1:8042 --json\n"
                                     "  creel node -list -all\n\n"
                                     "list shows nodes in all states. -list and -status, with a "
                                     "dash, have the options and output "
                                     "of yarn node.\n\n" CLI_EXIT_HELP,
                                     NULL,
                                     NULL,
                                     NULL};
    struct cli c = {0};
    struct node n = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &n);
    if (rc == CLI_OK)
        rc = check_usage(&n);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = n.own_form ? list_or_show_in_own_form(&c, &n)
             : n.list   ? list_as_yarn(&c, &n)
                        : show_as_yarn(&c, n.status);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
