/* api/cli/yarn/labels.c - labels of nodes: the actions of `creel rmadmin`, and `creel cluster`
 * (SOURCE: RMAdminCLI, ClusterCLI). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/text/text.h"
#include "api/cli/yarn/admin.h"

#define ADD     "addToClusterNodeLabels"
#define REMOVE  "removeFromClusterNodeLabels"
#define REPLACE "replaceLabelsOnNode"

/* Returns a copy of @len bytes without blanks at both ends; caller frees. */
static char *copy_trimmed(const char *s, size_t len)
{
    while (len > 0 && strchr(" \t", *s)) {
        s++;
        len--;
    }
    while (len > 0 && strchr(" \t", s[len - 1]))
        len--;
    return base_strndup(s, len);
}

/* Parses "x", "x()", "x(exclusive=true)" or "x(exclusivity=false)". Returns false for any other
 * text. */
static bool parse_label(char *text, bool *exclusive)
{
    char *open = strchr(text, '('), *value;
    *exclusive = true;
    if (!open)
        return !strchr(text, ')') && !strchr(text, '=');
    size_t n = strlen(open);
    if (open == text || open[n - 1] != ')')
        return false;
    open[n - 1] = '\0';
    *open = '\0';
    if (!open[1 + strspn(open + 1, " \t")])
        return true;
    if (!(value = strchr(open + 1, '=')))
        return false;
    *value++ = '\0';
    *exclusive = strcmp(value, "true") == 0;
    return (*exclusive || strcmp(value, "false") == 0) &&
           (strcmp(open + 1, "exclusive") == 0 || strcmp(open + 1, "exclusivity") == 0);
}

int cli_admin_add_labels(struct cli *c, const char *text)
{
    json_t *list = json_array();
    bool good = true;
    for (const char *at = text; *at && good; at += strcspn(at, ","), at += *at == ',') {
        char *one = copy_trimmed(at, strcspn(at, ","));
        bool exclusive;
        if (*one) {
            good = parse_label(one, &exclusive);
            json_array_append_new(
                list, json_pack("{s:s?,s:b}", "name", one, "exclusivity", good && exclusive));
        }
        free(one);
    }
    int rc = CLI_YARN_OK;
    if (!good) {
        rc = cli_admin_print_failure(
            ADD, "Input format for adding node-labels is not correct, it should be "
                 "labelName1[(exclusive=true/false)],LabelName2[] ..");
    } else if (json_array_size(list) == 0) {
        rc = cli_admin_print_failure(ADD, "No cluster node-labels are specified");
    } else {
        json_t *body = json_pack("{s:O}", "nodeLabelInfo", list);
        rc = cli_admin_request(c, ADD, "POST", "/ws/v1/cluster/add-node-labels", body, NULL);
        json_decref(body);
    }
    json_decref(list);
    return rc;
}

int cli_admin_remove_labels(struct cli *c, const char *text)
{
    struct base_buf path = {0};
    bool any = false;
    base_buf_adds(&path, "/ws/v1/cluster/remove-node-labels");
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        char *one = copy_trimmed(at, strcspn(at, ","));
        if (*one) {
            base_buf_adds(&path, any ? "&labels=" : "?labels=");
            cli_uri_add_encoded(one, &path);
            any = true;
        }
        free(one);
    }
    int rc = any ? cli_admin_request(c, REMOVE, "POST", path.data, NULL, NULL)
                 : cli_admin_print_failure(REMOVE, "No cluster node-labels are specified");
    base_buf_free(&path);
    return rc;
}

/* Adds one mapping, "host=label", "host=" or "host,label", to @map. Returns an exit code. */
static int add_host_label_mapping(json_t *map, char *text)
{
    size_t n = strcspn(text, "=");
    char separator = '=';
    if (!text[n]) {
        n = strcspn(text, ",");
        separator = ',';
    }
    char *host = copy_trimmed(text, n);
    json_t *labels = json_array();
    for (const char *at = text + n + (text[n] == separator); *at;
         at += strcspn(at, ","), at += *at == ',') {
        char *label = copy_trimmed(at, strcspn(at, ","));
        if (*label)
            json_array_append_new(labels, json_string(label));
        free(label);
    }
    int rc = CLI_YARN_OK;
    if (!*host)
        rc = cli_admin_print_failure(REPLACE, "node name cannot be empty");
    else if (json_array_size(labels) > 1)
        rc = cli_admin_print_failure(
            REPLACE,
            "%zu labels specified on host=%s, please note that we do not support "
            "specifying multiple labels on a single host for now.",
            json_array_size(labels), host);
    else
        json_array_append_new(map, json_pack("{s:s,s:O}", "nodeId", host, "labels", labels));
    json_decref(labels);
    free(host);
    return rc;
}

/* Returns CLI_YARN_OK when the RM knows every node of @map; a host without a port stands for all of
 * its nodes. */
static int check_nodes_are_known(struct cli *c, const json_t *map)
{
    struct cli_answer a = {0};
    int rc = cli_admin_request(c, REPLACE, "GET", "/ws/v1/cluster/nodes", NULL, &a);
    const json_t *nodes = cli_at(a.json, "nodes.node");
    for (size_t i = 0; i < json_array_size(map) && rc == CLI_YARN_OK; i++) {
        const char *id = cli_str(json_array_get(map, i), "nodeId");
        bool known = false;
        for (size_t k = 0; k < cli_list_or_one_len(nodes); k++) {
            const char *node = cli_str(cli_list_or_one_get(nodes, k), "id");
            known = known || strcmp(node, id) == 0 ||
                    (strncmp(node, id, strlen(id)) == 0 && node[strlen(id)] == ':');
        }
        if (!known)
            rc = cli_admin_print_failure(
                REPLACE, "Failed to replace node label on hosts: %s is not known", id);
    }
    cli_answer_free(&a);
    return rc;
}

int cli_admin_replace_labels(struct cli *c, const struct cli_yarn_values *mappings,
                             bool fail_on_unknown_nodes)
{
    json_t *map = json_array();
    int rc = CLI_YARN_OK;
    for (size_t i = 0; i < mappings->n && rc == CLI_YARN_OK; i++) {
        char *copy = base_strdup(mappings->v[i]), *save = NULL;
        for (char *one = strtok_r(copy, " \n", &save); one && rc == CLI_YARN_OK;
             one = strtok_r(NULL, " \n", &save))
            if (*one != '#')
                rc = add_host_label_mapping(map, one);
        free(copy);
    }
    if (rc == CLI_YARN_OK && json_array_size(map) == 0)
        rc = cli_admin_print_failure(REPLACE, "No node-to-labels mappings are specified");
    if (rc == CLI_YARN_OK && fail_on_unknown_nodes)
        rc = check_nodes_are_known(c, map);
    if (rc == CLI_YARN_OK) {
        json_t *body = json_pack("{s:O}", "nodeToLabels", map);
        rc = cli_admin_request(c, REPLACE, "POST", "/ws/v1/cluster/replace-node-to-labels", body,
                               NULL);
        json_decref(body);
    }
    json_decref(map);
    return rc;
}

/* ---- creel cluster ---- */
static const struct cli_yarn_option options[] = {
    {"lnl,--list-node-labels", 0, 0, NULL, "List the labels that nodes may have"},
    {"lna,--list-node-attributes", 0, 0, NULL, "List the attributes that nodes may have: none"},
    {"h,--help", 0, 0, NULL, "Show these options as yarn does"},
    {"dnl,--directly-access-node-label-store", 0, 0, NULL,
     "Ignored: the ResourceManager has the labels"},
    {0},
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(cli_str(*(json_t *const *)a, "name"), cli_str(*(json_t *const *)b, "name"));
}

static int list_labels(struct cli *c)
{
    struct cli_answer a = {0};
    int rc = cli_yarn_request(c, "GET", "/ws/v1/cluster/get-node-labels", NULL, &a);
    const json_t *labels = json_object_get(a.json, "nodeLabelInfo");
    size_t n = cli_list_or_one_len(labels);
    const json_t **sorted = base_alloc((n + 1) * sizeof *sorted);
    struct base_buf list = {0};
    for (size_t i = 0; i < n; i++)
        sorted[i] = cli_list_or_one_get(labels, i);
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t i = 0; i < n; i++) {
        const json_t *exclusive = json_object_get(sorted[i], "exclusivity");
        bool is = json_is_true(exclusive) || strcmp(cli_str(exclusive, ""), "true") == 0;
        base_buf_addf(&list, "%s<%s:exclusivity=%s>", i ? "," : "", cli_str(sorted[i], "name"),
                      is ? "true" : "false");
    }
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(a.json);
    else if (rc == CLI_YARN_OK)
        cli_yarn_print_line("Node Labels: ", list.data ? list.data : "");
    base_buf_free(&list);
    free(sorted);
    cli_answer_free(&a);
    return rc;
}

static int run_action(struct cli *c, const struct cli_yarn_line *line)
{
    if (cli_yarn_has(line, "lnl"))
        return list_labels(c);
    if (cli_yarn_has(line, "lna")) /* Creel's nodes have no attributes */
        return puts("") < 0 ? CLI_YARN_FAILED : CLI_OK;
    if (!cli_yarn_has(line, "h"))
        fputs("Invalid Command Usage : \n", stderr);
    cli_yarn_refuse_usage(line);
    return CLI_OK;
}

int cli_cluster_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "-list-node-labels",
        .doc = "Lists the labels of nodes, as yarn cluster does.\v" CLI_YARN_EXIT_HELP};
    return cli_yarn_main(&help, "yarn cluster", options, false, argc, argv, run_action);
}
