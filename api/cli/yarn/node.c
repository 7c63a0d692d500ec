/* api/cli/yarn/node.c - `creel node` with the options and the output of `yarn node` (SOURCE:
 * NodeCLI), and draining. */
#include "api/cli/yarn/node.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "api/cli/text/text.h"

#define STATES "NEW,RUNNING,UNHEALTHY,DECOMMISSIONED,LOST,REBOOTED,DECOMMISSIONING,SHUTDOWN"

const struct cli_yarn_option cli_yarn_node_options[] = {
    {"list", 0, 0, NULL, "List nodes as yarn does: the running ones, or those of -all or -states"},
    {"status", 1, 0, "NodeId", "Show a node as yarn does"},
    {"drain", 1, 0, "NodeId",
     "Give a node no new containers; those that run there end in their time"},
    {"undrain", 1, 0, "NodeId", "Give a drained node containers again"},
    {"states", CLI_YARN_MANY, ',', "States",
     "With list or -list: nodes in these states, separated by commas: NEW, RUNNING, UNHEALTHY, "
     "DECOMMISSIONED, LOST, REBOOTED, DECOMMISSIONING, SHUTDOWN"},
    {"all", 0, 0, NULL, "With -list: nodes in every state"},
    {"showDetails", 0, 0, NULL, "With -list: with the resources of each node"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {0},
};

/* ---- -list ---- */
static bool is_node_state(const char *name)
{
    for (const char *at = STATES; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == strlen(name) && strncasecmp(at, name, strlen(name)) == 0)
            return true;
    return false;
}

/* Appends the states of -states to the request. Returns false after printing which state does not
 * exist. */
static bool add_states(const struct cli_yarn_line *line, struct base_buf *path)
{
    const struct cli_yarn_values *given = cli_yarn_values(line, "states");
    bool any = false;
    for (size_t i = 0; i < given->n; i++) {
        const char *text = given->v[i] + strspn(given->v[i], " ");
        size_t len = strlen(text);
        while (len > 0 && text[len - 1] == ' ')
            len--;
        char *state = base_strndup(text, len);
        bool good = !*state || is_node_state(state);
        if (!good) {
            cli_print_clean("The node state %s is invalid.\n", state);
            puts("The valid node state can be one of the following: " STATES ".");
        } else if (*state) {
            base_buf_adds(path, any ? "," : "?states=");
            cli_uri_add_encoded(state, path);
            any = true;
        }
        free(state);
        if (!good)
            return false;
    }
    if (!any) /* no state at all: yarn shows nodes in every state */
        base_buf_adds(path, "?states=" STATES);
    return true;
}

static void print_resource(const char *label, int64_t memory, int64_t vcores)
{
    printf("%s<memory:%lld, vCores:%lld>\n", label, (long long)memory, (long long)vcores);
}

/* Prints "PMem:… MB, VMem:… MB, VCores:…", from the members whose names begin with @of; nothing but
 * the label when the node has not reported them. */
static void print_utilization(const char *label, const json_t *node, const char *of,
                              const char *cpu)
{
    const char *port = strrchr(cli_str(node, "id"), ':');
    bool came = !port || strcmp(port, ":-1") != 0; /* an excluded host may never have registered */
    const json_t *all = came ? json_object_get(node, "resourceUtilization") : NULL;
    struct base_buf line = {0};
    char *physical = base_printf("%sPhysicalMemoryMB", of),
         *virtual = base_printf("%sVirtualMemoryMB", of);
    if (json_object_get(all, physical)) {
        base_buf_addf(&line,
                      "PMem:%lld MB, VMem:%lld MB, VCores:", (long long)cli_int(all, physical),
                      (long long)cli_int(all, virtual));
        cli_yarn_add_java_float(cli_num(all, cpu), &line);
    }
    cli_yarn_print_line(label, line.data ? line.data : "");
    base_buf_free(&line);
    free(physical);
    free(virtual);
}

static void print_both_utilizations(const json_t *node)
{
    print_utilization("\tResource Utilization by Node : ", node, "node", "nodeCPUUsage");
    print_utilization("\tResource Utilization by Containers : ", node, "aggregatedContainers",
                      "containersCPUUsage");
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_labels(const json_t *node)
{
    const json_t *labels = json_object_get(node, "nodeLabels");
    size_t n = cli_list_or_one_len(labels);
    const char **sorted = base_alloc((n + 1) * sizeof *sorted);
    struct base_buf list = {0};
    for (size_t i = 0; i < n; i++)
        sorted[i] = cli_str(cli_list_or_one_get(labels, i), "");
    qsort(sorted, n, sizeof *sorted, compare_texts);
    for (size_t i = 0; i < n; i++)
        base_buf_addf(&list, "%s%s", i ? "," : "", sorted[i]);
    cli_yarn_print_line("\tNode-Labels : ", list.data ? list.data : "");
    base_buf_free(&list);
    free(sorted);
}

static void print_details(const json_t *j)
{
    int64_t mb = cli_int(j, "usedMemoryMB"), vcores = cli_int(j, "usedVirtualCores");
    puts("Detailed Node Information :");
    print_resource("\tConfigured Resources : ", mb + cli_int(j, "availMemoryMB"),
                   vcores + cli_int(j, "availableVirtualCores"));
    print_resource("\tAllocated Resources : ", mb, vcores);
    print_both_utilizations(j);
    print_labels(j);
}

/* Returns a node's HTTP address; for a node that is gone, REST has none and yarn shows the id. */
static const char *http_address(const json_t *node)
{
    const char *http = cli_str(node, "nodeHTTPAddress");
    return *http ? http : cli_str(node, "id");
}

static void print_nodes(const json_t *nodes, bool details)
{
    printf("Total Nodes:%zu\n", cli_list_or_one_len(nodes));
    printf("%16s\t%15s\t%17s\t%28s\n", "Node-Id", "Node-State", "Node-Http-Address",
           "Number-of-Running-Containers");
    for (size_t i = 0; i < cli_list_or_one_len(nodes); i++) {
        const json_t *j = cli_list_or_one_get(nodes, i);
        cli_yarn_print_cell(16, cli_str(j, "id"), "\t");
        cli_yarn_print_cell(15, cli_str(j, "state"), "\t");
        cli_yarn_print_cell(17, http_address(j), "\t");
        printf("%28lld\n", (long long)cli_int(j, "numContainers"));
        if (details)
            print_details(j);
    }
}

static int list_nodes(struct cli *c, const struct cli_yarn_line *line)
{
    struct base_buf path = {0};
    struct cli_answer a = {0};
    bool good = true;
    base_buf_adds(&path, "/ws/v1/cluster/nodes");
    if (cli_yarn_has(line, "all"))
        base_buf_adds(&path, "?states=" STATES);
    else if (cli_yarn_has(line, "states"))
        good = add_states(line, &path);
    else
        base_buf_adds(&path, "?states=RUNNING");
    int rc = good ? cli_yarn_request(c, "GET", path.data, NULL, &a) : CLI_YARN_FAILED;
    base_buf_free(&path);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(a.json);
    else if (rc == CLI_YARN_OK)
        print_nodes(cli_at(a.json, "nodes.node"), cli_yarn_has(line, "showDetails"));
    cli_answer_free(&a);
    return rc;
}

/* ---- -status ---- */
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

static void print_report(const json_t *node)
{
    long long mb = cli_int(node, "usedMemoryMB"), vcores = cli_int(node, "usedVirtualCores");
    puts("Node Report : ");
    cli_yarn_print_line("\tNode-Id : ", cli_str(node, "id"));
    cli_yarn_print_line("\tRack : ", cli_str(node, "rack"));
    cli_yarn_print_line("\tNode-State : ", cli_str(node, "state"));
    cli_yarn_print_line("\tNode-Http-Address : ", http_address(node));
    print_health_time(cli_int(node, "lastHealthUpdate"));
    cli_yarn_print_line("\tHealth-Report : ", cli_str(node, "healthReport"));
    printf("\tContainers : %lld\n", (long long)cli_int(node, "numContainers"));
    printf("\tMemory-Used : %lldMB\n", mb);
    printf("\tMemory-Capacity : %lldMB\n", mb + (long long)cli_int(node, "availMemoryMB"));
    printf("\tCPU-Used : %lld vcores\n", vcores);
    printf("\tCPU-Capacity : %lld vcores\n",
           vcores + (long long)cli_int(node, "availableVirtualCores"));
    print_labels(node);
    puts("\tNode Attributes : "); /* Creel has none */
    print_both_utilizations(node);
    puts("");
}

/* Returns the path of a node's resource; NULL after printing that @id is not a node's id. Caller
 * frees. */
static char *make_node_path(const char *id, const char *rest)
{
    struct base_buf path = {0};
    const char *colon = strrchr(id, ':');
    if (!colon || colon == id || !colon[1]) {
        cli_yarn_print_exception("Invalid NodeId [%s]. Expected host:port", id);
        return NULL;
    }
    base_buf_adds(&path, "/ws/v1/cluster/nodes/");
    for (const char *s = id; *s; s++) { /* the colon needs no encoding */
        char one[2] = {*s, '\0'};
        if (*s == ':')
            base_buf_adds(&path, ":");
        else
            cli_uri_add_encoded(one, &path);
    }
    base_buf_adds(&path, rest);
    return base_buf_take(&path);
}

static int show_node(struct cli *c, const char *id)
{
    json_t *node = NULL;
    char *path = make_node_path(id, "");
    if (!path)
        return CLI_YARN_EXCEPTION;
    int rc = cli_yarn_get_object(c, path, "node", &node);
    free(path);
    if (rc == CLI_NOTFOUND) {
        cli_print_clean("Could not find the node report for node id : %s\n", id);
        rc = CLI_YARN_OK; /* as yarn does */
    } else if (rc != CLI_OK) {
        rc = cli_yarn_exit_code_of(rc);
    } else if (c->json) {
        json_t *whole = json_pack("{s:O}", "node", node);
        cli_print_json(whole);
        json_decref(whole);
    } else {
        print_report(node);
    }
    json_decref(node);
    return rc;
}

/* ---- -drain, -undrain ---- */
static int set_node_drain(struct cli *c, const char *id, bool drain)
{
    struct cli_answer a = {0};
    char *path = make_node_path(id, "/drain");
    if (!path)
        return CLI_YARN_EXCEPTION;
    json_t *body = json_pack("{s:b}", "drain", drain);
    int rc = cli_yarn_request(c, "PUT", path, body, &a);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(a.json);
    else if (rc == CLI_YARN_OK)
        cli_print_clean(drain
                            ? "%s gets no new containers; those that run there end in their time\n"
                            : "%s gets containers again\n",
                        id);
    cli_answer_free(&a);
    json_decref(body);
    free(path);
    return rc;
}

/* ---- the command ---- */
int cli_yarn_node(struct cli *c, const struct cli_yarn_line *line)
{
    if (line->missing)
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "drain") != cli_yarn_has(line, "undrain"))
        return line->n_args != 2 ? cli_yarn_refuse_usage(line)
               : cli_yarn_has(line, "drain")
                   ? set_node_drain(c, cli_yarn_value(line, "drain"), true)
                   : set_node_drain(c, cli_yarn_value(line, "undrain"), false);
    if (cli_yarn_has(line, "status"))
        return line->n_args == 2 ? show_node(c, cli_yarn_value(line, "status"))
                                 : cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "list"))
        return list_nodes(c, line);
    if (!cli_yarn_has(line, "help"))
        fputs("Invalid Command Usage : \n", stderr);
    cli_yarn_refuse_usage(line);
    return CLI_YARN_OK; /* as yarn does */
}
