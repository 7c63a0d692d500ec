#include <string.h>

#include "nodemanager/aggregate/aggregator.h"

#define ROOT_KEY        "yarn.nodemanager.remote-app-log-dir"
#define COMPRESSION_KEY "yarn.nodemanager.log-aggregation.compression-type"

static int read_compression(const char *name, enum nm_tfile_compression *out,
                            struct base_error *err)
{
    if (strcmp(name, "none") != 0 && strcmp(name, "gz") != 0)
        return base_error_set(err, -BASE_EINVAL,
                              COMPRESSION_KEY ": \"%.40s\": expected \"none\" or \"gz\"", name);
    *out = strcmp(name, "gz") == 0 ? NM_TFILE_GZ : NM_TFILE_NONE;
    return 0;
}

int nm_aggregator_read_conf(const struct base_conf *conf, const char *logs, const char *node_id,
                            struct nm_aggregator_conf *out, struct base_error *err)
{
    const char *root = base_conf_get(conf, ROOT_KEY);
    int rc;

    if (!base_conf_bool(conf, "yarn.log-aggregation-enable") || !*root)
        return 0;
    *out = (struct nm_aggregator_conf){
        .logs = logs,
        .sparse_max = base_conf_int(conf, "creel.nodemanager.log-max-bytes"),
        .retain_s = base_conf_int(conf, "yarn.log-aggregation.retain-seconds"),
        .check_s = base_conf_int(conf, "yarn.log-aggregation.retain-check-interval-seconds")};
    /* as in Hadoop, a tenth of the time that files stay, unless given */
    if (out->check_s <= 0)
        out->check_s = out->retain_s / 10 > 1 ? out->retain_s / 10 : 1;
    rc = nm_remote_init(&out->remote, root, base_conf_get(conf, ROOT_KEY "-suffix"), node_id, err);
    if (rc == 0)
        rc = read_compression(base_conf_get(conf, COMPRESSION_KEY), &out->compression, err);
    return rc < 0 ? rc : 1;
}
