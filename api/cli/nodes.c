/* api/cli/nodes.c - `creel node`: `list` and `status ID` in Creel's own form, with slots and the
 * time since the last heartbeat, and draining a node; with a dash, as `yarn node`
 * (api/cli/yarn/node.c). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/node.h"

static int compare_by_node_id(const void *a, const void *b)
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
 * that heartbeat; "-" when there was none. */
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
        qsort(v, kept, sizeof *v, compare_by_node_id);
    for (size_t i = 0; i < kept; i++)
        json_array_append(list, (json_t *)(uintptr_t)v[i]);
    free(v);
    return list;
}

static bool any_has_master_slots(const json_t *nodes)
{
    for (size_t i = 0; i < json_array_size(nodes); i++)
        if (cli_int(json_array_get(nodes, i), "slots.master.total"))
            return true;
    return false;
}

/* The column for master slots is there only if a node has some. */
static void print_creel_list(const json_t *nodes)
{
    bool masters_too = any_has_master_slots(nodes);
    struct cli_table *t =
        masters_too
            ? cli_table_new("NODE", "<", "STATE", "<", "MAPS", ">", "REDUCES", ">", "MASTERS", ">",
                            "SILENT", "<", "HTTP", "<1", "RACK", "~2", "HEALTH", "~", NULL)
            : cli_table_new("NODE", "<", "STATE", "<", "MAPS", ">", "REDUCES", ">", "SILENT", "<",
                            "HTTP", "<1", "RACK", "~2", "HEALTH", "~", NULL);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *j = json_array_get(nodes, i);
        const char *id = cli_str(j, "id"), *state = cli_str(j, "state"), *rack = cli_str(j, "rack"),
                   *http = cli_str(j, "httpAddress"), *health = cli_str(j, "health");
        struct base_buf silent = {0};
        char maps[48], reduces[48], masters[48];
        format_slots(j, "map", maps);
        format_slots(j, "reduce", reduces);
        format_slots(j, "master", masters);
        add_time_since_heartbeat(j, &silent);
        http = *http ? http : "-";
        health = *health ? health : "-";
        if (masters_too)
            cli_table_add_row(t, id, state, maps, reduces, masters, silent.data, http, rack, health,
                              NULL);
        else
            cli_table_add_row(t, id, state, maps, reduces, silent.data, http, rack, health, NULL);
        base_buf_free(&silent);
    }
    cli_table_print_and_free(t, stdout);
}

static void print_creel_status(const json_t *j)
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
    format_slots(j, "master", slots);
    if (cli_int(j, "slots.master.total"))
        printf("%-11s %s in use\n", "mast. slots", slots);
    printf("%-11s %lld\n", "containers", (long long)cli_int(j, "containers"));
    base_buf_clear(&b);
    add_time_since_heartbeat(j, &b);
    printf("%-11s %s\n", "silent", b.data);
    base_buf_free(&b);
}

/* Returns the values of -states as one list; NULL when it was not given. Caller frees. */
static char *join_states(const struct cli_yarn_line *line)
{
    const struct cli_yarn_values *given = cli_yarn_values(line, "states");
    struct base_buf list = {0};
    for (size_t i = 0; i < given->n; i++)
        base_buf_addf(&list, "%s%s", i ? "," : "", given->v[i]);
    return given->given ? base_buf_take(&list) : NULL;
}

static int list_or_show_nodes(struct cli *c, const char *id, const char *states)
{
    json_t *answer = NULL, *nodes;
    int rc = cli_rm_get(c, "/ws/v1/cluster/node-list", &answer);
    if (rc != CLI_OK)
        return rc;
    nodes = select_and_sort_nodes(json_object_get(answer, "nodes"), states);
    const json_t *one = NULL;
    for (size_t i = 0; id && i < json_array_size(nodes) && !one; i++)
        if (strcmp(cli_str(json_array_get(nodes, i), "id"), id) == 0)
            one = json_array_get(nodes, i);
    json_t *shown = id ? json_pack("{s:O?}", "node", one) : json_pack("{s:O}", "nodes", nodes);
    if (id && !one)
        rc = cli_error(CLI_NOTFOUND, "node %s is not known; creel node list shows all", id);
    else if (c->json)
        cli_print_json(shown);
    else if (one)
        print_creel_status(one);
    else
        print_creel_list(nodes);
    json_decref(shown);
    json_decref(nodes);
    json_decref(answer);
    return rc;
}

/* Refuses unknown states, and a list without any, before a request is sent. Returns an exit code
 * after printing any error. */
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

/* Carries out `list` or `status ID`. Returns an exit code of creel's. */
static int list_nodes_or_show_one(struct cli *c, const struct cli_yarn_line *line)
{
    bool list = strcmp(line->words[0], "list") == 0;
    const char *id = line->n_words > 1 ? line->words[1] : NULL;
    char *states = list ? join_states(line) : NULL;
    int rc = states ? check_states(states) : CLI_OK;
    if (line->missing)
        rc = cli_error(CLI_USAGE, "node %s: an option lacks its value", line->words[0]);
    else if (cli_yarn_has_options_besides(line, list ? "states" : ""))
        rc = cli_error(CLI_USAGE,
                       "node %s: takes no other option with one dash%s; see creel node --help",
                       line->words[0], list ? " than -states; it shows all states already" : "");
    else if (line->n_words > (list ? 1 : 2))
        rc = cli_error(CLI_USAGE, "unexpected argument '%s'; see creel node --help",
                       line->words[list ? 1 : 2]);
    else if (!list && !id)
        rc = cli_error(CLI_USAGE, "node status: the id of a node is missing; creel node list shows "
                                  "all");
    if (rc == CLI_OK)
        rc = list_or_show_nodes(c, id, states);
    free(states);
    return rc;
}

static int run_creel_or_yarn_action(struct cli *c, const struct cli_yarn_line *line)
{
    return cli_yarn_is_creel_form(line) ? list_nodes_or_show_one(c, line) : cli_yarn_node(c, line);
}

int cli_node_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "list\nstatus ID\n-list\n-status ID\n-drain ID\n-undrain ID",
        .doc =
            "Lists or shows the nodes of the cluster: slots in use and in total, and the time "
            "since the last heartbeat. -drain and -undrain take a node out of service and put it "
            "back; the other options with one dash do and print what those of yarn node "
            "do.\v"
            "Examples:\n"
            "  creel node list\n"
            "  creel node list -states LOST,UNHEALTHY\n"
            "  creel node status host1:8042 --json\n"
            "  creel node -drain host1:8042\n"
            "  creel node -list -all\n\n"
            "list shows nodes in all states. A drained node gets no new containers; those that "
            "run there end in their time.\n\n" CLI_YARN_EXIT_HELP "\n" CLI_EXIT_HELP};
    return cli_yarn_main(&help, "node", cli_yarn_node_options, false, argc, argv,
                         run_creel_or_yarn_action);
}
