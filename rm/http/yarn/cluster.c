/* rm/http/yarn/cluster.c - shows the cluster's properties and metrics, and the caller's user name.
 * SOURCE: Hadoop's ResourceManager REST APIs. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/version.h"
#include "base/version/build.h"
#include "rm/http/yarn/yarn_internal.h"
#include "rm/leader/standby.h"

void yarn_format_hadoop_build(const char *hadoop, char out[static YARN_HADOOP_BUILD_MAX])
{
    snprintf(out, YARN_HADOOP_BUILD_MAX,
             "%.32s from creel-" CREEL_VERSION " by creel source checksum none", hadoop);
}

static void get_cluster_info(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    const char *hadoop = base_conf_get(rm_backend_conf(b), "creel.yarn.hadoop-version");
    char hadoop_build[YARN_HADOOP_BUILD_MAX];
    struct yarn_cluster_info info;
    struct yarn_context f;

    yarn_context_read(b, &f);
    yarn_format_hadoop_build(hadoop, hadoop_build);
    info = (struct yarn_cluster_info){
        .id = f.cluster.rm_instance_ms,
        .started_on = f.cluster.rm_instance_ms,
        .state = "STARTED",
        .ha_state = rm_standby_get_state_name(b, true),
        .store_name = rm_backend_is_one_of_several(b) ? "creel.ZooKeeperStateStore"
                                                      : "creel.SqliteStateStore",
        .rm_version = CREEL_VERSION,
        .rm_build_version = base_build_yarn_text,
        .rm_built_on = YARN_BUILT_ON,
        .hadoop_version = hadoop,
        .hadoop_build_version = hadoop_build,
        .hadoop_built_on = YARN_BUILT_ON,
        .zookeeper_state = rm_standby_get_zookeeper_text(b),
    };
    yarn_answer(rq, 200, &yarn_shape_cluster_info, API_N_WRAPPED, &info);
    yarn_context_free(&f);
}

static void get_cluster_metrics(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct yarn_cluster_metrics m;
    struct rm_backend_stats stats;
    struct yarn_context f;

    yarn_context_read(b, &f);
    rm_backend_get_stats(b, &stats);
    yarn_metrics_fill(&f, &m);
    m.rm_events = stats.queue_length;
    yarn_answer(rq, 200, &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);
    yarn_context_free(&f);
}

static void get_userinfo(struct api_request *rq, void *user)
{
    char buf[4096];
    struct passwd pw, *found = NULL;
    const char *caller = api_caller(rq);
    struct yarn_user_info info = {.requested_user = caller ? caller : "UNKNOWN_USER"};

    (void)user;
    info.login_user =
        getpwuid_r(geteuid(), &pw, buf, sizeof buf, &found) == 0 && found ? pw.pw_name : "creel";
    yarn_answer(rq, 200, &yarn_shape_user_info, API_M_BARE, &info);
}

/* clang-format off */
const struct api_route rm_yarn_cluster_routes[] = {
    {"GET", YARN_CLUSTER,              API_ROLE_READ, 0, get_cluster_info, 0},
    {"GET", YARN_CLUSTER "/info",      API_ROLE_READ, 0, get_cluster_info, 0},
    {"GET", YARN_CLUSTER "/userinfo",  API_ROLE_READ, 0, get_userinfo, 0},
    {"GET", YARN_CLUSTER "/metrics",   API_ROLE_READ, 0, get_cluster_metrics, 0},
};
/* clang-format on */
const size_t rm_yarn_cluster_routes_n =
    sizeof rm_yarn_cluster_routes / sizeof rm_yarn_cluster_routes[0];
