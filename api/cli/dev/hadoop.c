/* api/cli/dev/hadoop.c - `creel dev --hadoop`: ports at which Hadoop's own programs talk to the
 * daemons, and a folder of configuration for them (HADOOP_CONF_DIR). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/dev/dev.h"
#include "api/cli/text/text.h"
#include "base/io/io.h"

static const char *const rpc_keys[CLI_DEV_RPC_PORTS] = {
    [CLI_DEV_CLIENTS] = "yarn.resourcemanager.address",
    [CLI_DEV_MASTERS] = "yarn.resourcemanager.scheduler.address",
    [CLI_DEV_ADMINS] = "yarn.resourcemanager.admin.address",
};

/* Returns true when @port is one of the ports before @n. */
static bool is_chosen(const struct cli_dev_daemon *rm, enum cli_dev_rpc_port n, int64_t port)
{
    for (enum cli_dev_rpc_port p = 0; p < n; p++)
        if (rm->rpc_ports[p] == port)
            return true;
    return false;
}

void cli_dev_choose_rpc_ports(const struct cli_dev_options *o, struct cli_dev_daemon *rm)
{
    for (enum cli_dev_rpc_port p = 0; p < CLI_DEV_RPC_PORTS; p++) {
        if (p == CLI_DEV_ADMINS && strcmp(o->auth, "simple") != 0)
            continue;
        do
            rm->rpc_ports[p] = cli_dev_find_free_port();
        while (rm->rpc_ports[p] && is_chosen(rm, p, rm->rpc_ports[p]));
    }
}

bool cli_dev_is_rpc_port_taken(const struct cli_dev_daemon *rm)
{
    for (enum cli_dev_rpc_port p = 0; p < CLI_DEV_RPC_PORTS; p++)
        if (rm->rpc_ports[p] && cli_dev_check_port_free(rm->rpc_ports[p]) != 0)
            return true;
    return false;
}

/* Appends a property of one ResourceManager; @rm "": there is only one. */
static void add_rm_property(struct base_buf *xml, const char *key, const char *rm,
                            const char *value)
{
    char *name = base_printf("%s%s%s", key, *rm ? "." : "", rm);

    cli_dev_add_property(xml, name, value);
    free(name);
}

/* Appends the addresses of the ResourceManagers. */
static void add_rm_addresses(const struct cli_dev *d, struct base_buf *xml)
{
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        for (enum cli_dev_rpc_port p = 0; p < CLI_DEV_RPC_PORTS; p++) {
            char address[64];

            if (!d->v[i].rpc_ports[p])
                continue;
            snprintf(address, sizeof address, "127.0.0.1:%lld", (long long)d->v[i].rpc_ports[p]);
            add_rm_property(xml, rpc_keys[p], cli_dev_is_ha(d) ? d->v[i].name : "", address);
        }
}

/* Appends where nodes copy the logs of ended applications to, for nodes and for yarn logs. */
static void add_log_folder(const struct cli_dev *d, struct base_buf *xml)
{
    char *logs = cli_dev_path(d, "hadoop/", "logs");

    cli_dev_add_property(xml, "yarn.log-aggregation-enable", "true");
    cli_dev_add_property(xml, "yarn.nodemanager.remote-app-log-dir", logs);
    free(logs);
}

/* Appends what all nodes have in common: each takes any free port. */
static void add_node_settings(const struct cli_dev *d, struct base_buf *xml)
{
    cli_dev_add_property(xml, "yarn.nodemanager.address", "127.0.0.1:0");
    cli_dev_add_property(xml, "yarn.nodemanager.aux-services", "mapreduce_shuffle");
    cli_dev_add_property(xml, "mapreduce.shuffle.port", "0");
    add_log_folder(d, xml);
}

void cli_dev_add_rpc_addresses(const struct cli_dev *d, struct base_buf *xml)
{
    add_rm_addresses(d, xml);
    if (d->v[0].rpc_ports[CLI_DEV_CLIENTS])
        add_node_settings(d, xml);
}

/* Appends what clients need of several ResourceManagers. */
static void add_list_of_rms(const struct cli_dev *d, struct base_buf *xml)
{
    struct base_buf ids = {0};

    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        base_buf_addf(&ids, "%s%s", i ? "," : "", d->v[i].name);
    cli_dev_add_property(xml, "yarn.resourcemanager.ha.enabled", "true");
    cli_dev_add_property(xml, "yarn.resourcemanager.cluster-id", "creel-dev");
    cli_dev_add_property(xml, "yarn.resourcemanager.ha.rm-ids", ids.data);
    base_buf_free(&ids);
}

/* Writes the file @name in the folder of the clients' configuration. */
static int write_site(const struct cli_dev *d, const char *name, const struct base_buf *properties,
                      struct base_error *err)
{
    char *path = cli_dev_path(d, "hadoop/", name);
    struct base_buf xml = {0};
    int rc;

    base_buf_addf(
        &xml,
        "<?xml version=\"1.0\"?>\n<!-- Written by creel dev at each start, for Hadoop's own "
        "programs. -->\n<configuration>\n%s</configuration>\n",
        properties->data ? properties->data : "");
    rc = base_file_write_atomic(path, xml.data, xml.len, 0644, false, err);
    base_buf_free(&xml);
    free(path);
    return rc;
}

/* Appends where the cluster is. */
static void add_yarn_properties(const struct cli_dev *d, struct base_buf *xml)
{
    if (cli_dev_is_ha(d))
        add_list_of_rms(d, xml);
    add_rm_addresses(d, xml);
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        add_rm_property(xml,
                        d->tls ? "yarn.resourcemanager.webapp.https.address"
                               : "yarn.resourcemanager.webapp.address",
                        cli_dev_is_ha(d) ? d->v[i].name : "", strstr(d->v[i].url, "://") + 3);
    add_log_folder(d, xml);
}

/* Appends a class path: @first (NULL: none), and the folders of the parts of Hadoop, which lies in
 * @home. */
static void add_class_path(struct base_buf *xml, const char *key, const char *first,
                           const char *home, const char *const *parts, size_t n)
{
    struct base_buf path = {0};

    if (first)
        base_buf_adds(&path, first);
    for (size_t i = 0; i < n; i++)
        base_buf_addf(&path, "%s%s/share/hadoop/%s/*,%s/share/hadoop/%s/lib/*", path.len ? "," : "",
                      home, parts[i], home, parts[i]);
    cli_dev_add_property(xml, key, path.data);
    base_buf_free(&path);
}

/* Appends where containers find Hadoop's classes, if this process knows it: HADOOP_HOME. What YARN
 * has by default needs variables that Hadoop's own scripts set for nodes. */
static void add_class_paths(const struct cli_dev *d, struct base_buf *yarn, struct base_buf *mapred)
{
    static const char *const for_all[] = {"common", "hdfs", "yarn"};
    static const char *const for_jobs[] = {"mapreduce"};
    const char *home = getenv("HADOOP_HOME");
    char *conf = cli_dev_path(d, "hadoop", "");

    if (home && *home) {
        add_class_path(yarn, "yarn.application.classpath", conf, home, for_all,
                       sizeof for_all / sizeof *for_all);
        add_class_path(mapred, "mapreduce.application.classpath", NULL, home, for_jobs, 1);
    }
    free(conf);
}

/* Appends that jobs of MapReduce go to the cluster, with their files in its folder. */
static void add_mapreduce_properties(const struct cli_dev *d, struct base_buf *xml)
{
    char *staging = cli_dev_path(d, "hadoop/", "staging");

    cli_dev_add_property(xml, "mapreduce.framework.name", "yarn");
    cli_dev_add_property(xml, "yarn.app.mapreduce.am.staging-dir", staging);
    free(staging);
}

int cli_dev_write_hadoop_conf(const struct cli_dev *d, struct base_error *err)
{
    char *dir = cli_dev_path(d, "hadoop", "");
    struct base_buf core = {0}, yarn = {0}, mapred = {0};
    int rc = base_mkdirs(dir, 0700, err);

    cli_dev_add_property(&core, "fs.defaultFS", "file:///");
    add_yarn_properties(d, &yarn);
    add_mapreduce_properties(d, &mapred);
    add_class_paths(d, &yarn, &mapred);
    if (rc >= 0)
        rc = write_site(d, "core-site.xml", &core, err);
    if (rc >= 0)
        rc = write_site(d, "yarn-site.xml", &yarn, err);
    if (rc >= 0)
        rc = write_site(d, "mapred-site.xml", &mapred, err);
    base_buf_free(&mapred);
    base_buf_free(&yarn);
    base_buf_free(&core);
    free(dir);
    return rc;
}

void cli_dev_print_hadoop_message(const struct cli_dev *d, bool token)
{
    struct base_buf dir = {0}, addresses = {0};

    cli_shell_quote(d->dir, &dir);
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        base_buf_addf(&addresses, "%s127.0.0.1:%lld", i ? "," : "",
                      (long long)d->v[i].rpc_ports[CLI_DEV_CLIENTS]);
    printf("\n  Hadoop RPC       %s\n\n  export HADOOP_CONF_DIR=%s/hadoop\n", addresses.data,
           dir.data);
    if (token)
        printf("  export HADOOP_TOKEN_FILE_LOCATION=%s/hadoop/token\n"
               "  creel token --hadoop-file %s/hadoop/token --rpc-address %s\n",
               dir.data, dir.data, addresses.data);
    printf("  yarn node -list\n\n");
    base_buf_free(&addresses);
    base_buf_free(&dir);
}
