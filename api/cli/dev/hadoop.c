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

static void add_one(struct base_buf *xml, const char *key, const char *rm, const char *value)
{
    base_buf_addf(xml, "<property><name>%s%s%s</name><value>%s</value></property>\n", key,
                  *rm ? "." : "", rm, value);
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
            add_one(xml, rpc_keys[p], cli_dev_is_ha(d) ? d->v[i].name : "", address);
        }
}

void cli_dev_add_rpc_addresses(const struct cli_dev *d, struct base_buf *xml)
{
    add_rm_addresses(d, xml);
    if (d->v[0].rpc_ports[CLI_DEV_CLIENTS])
        add_one(xml, "yarn.nodemanager.address", "", "127.0.0.1:0"); /* any port, on each node */
}

/* Appends what clients need of several ResourceManagers. */
static void add_list_of_rms(const struct cli_dev *d, struct base_buf *xml)
{
    struct base_buf ids = {0};

    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        base_buf_addf(&ids, "%s%s", i ? "," : "", d->v[i].name);
    add_one(xml, "yarn.resourcemanager.ha.enabled", "", "true");
    add_one(xml, "yarn.resourcemanager.cluster-id", "", "creel-dev");
    add_one(xml, "yarn.resourcemanager.ha.rm-ids", "", ids.data);
    base_buf_free(&ids);
}

int cli_dev_write_hadoop_conf(const struct cli_dev *d, struct base_error *err)
{
    char *dir = cli_dev_path(d, "hadoop", ""), *path = cli_dev_path(d, "hadoop", "/yarn-site.xml");
    struct base_buf xml = {0};
    int rc = base_mkdirs(dir, 0700, err);

    base_buf_adds(&xml, "<?xml version=\"1.0\"?>\n<!-- Written by creel dev at each start, for "
                        "Hadoop's own clients. -->\n<configuration>\n");
    if (cli_dev_is_ha(d))
        add_list_of_rms(d, &xml);
    add_rm_addresses(d, &xml);
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        add_one(&xml,
                d->tls ? "yarn.resourcemanager.webapp.https.address"
                       : "yarn.resourcemanager.webapp.address",
                cli_dev_is_ha(d) ? d->v[i].name : "", strstr(d->v[i].url, "://") + 3);
    base_buf_adds(&xml, "</configuration>\n");
    if (rc >= 0)
        rc = base_file_write_atomic(path, xml.data, xml.len, 0644, false, err);
    base_buf_free(&xml);
    free(path);
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
