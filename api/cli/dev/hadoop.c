/* api/cli/dev/hadoop.c - `creel dev --hadoop`: ports at which Hadoop's own command yarn talks to
 * the ResourceManagers, and a folder of configuration for it (HADOOP_CONF_DIR). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/dev/dev.h"
#include "api/cli/text/text.h"
#include "base/io/io.h"

#define ADDRESS "yarn.resourcemanager.address"

static void add_one(struct base_buf *xml, const char *key, const char *rm, const char *value)
{
    base_buf_addf(xml, "<property><name>%s%s%s</name><value>%s</value></property>\n", key,
                  *rm ? "." : "", rm, value);
}

void cli_dev_add_rpc_addresses(const struct cli_dev *d, struct base_buf *xml)
{
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++) {
        char address[64];

        if (!d->v[i].rpc_port)
            continue;
        snprintf(address, sizeof address, "127.0.0.1:%lld", (long long)d->v[i].rpc_port);
        add_one(xml, ADDRESS, cli_dev_is_ha(d) ? d->v[i].name : "", address);
    }
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
    cli_dev_add_rpc_addresses(d, &xml);
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
        base_buf_addf(&addresses, "%s127.0.0.1:%lld", i ? "," : "", (long long)d->v[i].rpc_port);
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
