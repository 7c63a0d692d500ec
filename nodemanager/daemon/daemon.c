/* Starts, runs and stops the NodeManager. The order of the start matters: first the lock of the
 * local folder, then the fork of the spawner, and only then threads. */
#include "nodemanager/daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "api/audit/audit.h"
#include "api/server/conf.h"
#include "api/server/hosts.h"
#include "api/server/tls/tls.h"
#include "api/wire/node.h"
#include "base/conf/http_policy.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/tls_conf.h"
#include "nodemanager/aggregate/aggregator.h"
#include "nodemanager/container/launcher/node_side.h"
#include "nodemanager/daemon/audit.h"
#include "nodemanager/daemon/aux_services.h"
#include "nodemanager/daemon/container_tokens.h"
#include "nodemanager/daemon/java.h"
#include "nodemanager/figures/load.h"
#include "nodemanager/http/access/identify.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/http/site.h"
#include "nodemanager/rpc/port.h"
#include "nodemanager/shuffle/shuffle.h"

/* Finds another program of Creel: in the folder of creel-nm, or in ../libexec/creel when installed.
 * If neither contains the program, @out names the first place. */
static void find_creel_program(const char *name, char out[static NM_PATH_MAX])
{
    static const char *const places[] = {"", "/../libexec/creel"};
    char self[NM_PATH_MAX - 128], path[NM_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    snprintf(out, NM_PATH_MAX, "%s/%s", self, name);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s%s/%s", self, places[i], name);
        if (access(path, X_OK) == 0) {
            memcpy(out, path, sizeof path);
            return;
        }
    }
}

static void raise_open_files_limit(void)
{
    struct rlimit r;
    /* each container needs a pidfd; called after the fork, so that containers keep the old limit */
    if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

static bool is_wildcard_address(const char *bind)
{
    return !*bind || strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0;
}

static void set_host_name(struct nm *nm)
{
    const char *host = base_conf_get(nm->conf, "creel.nodemanager.host");
    const char *bind = base_conf_get(nm->conf, "creel.nodemanager.bind");
    if (host && *host)
        snprintf(nm->host, sizeof nm->host, "%s", host);
    else if (!is_wildcard_address(bind))
        snprintf(nm->host, sizeof nm->host, "%s", bind);
    else if (gethostname(nm->host, sizeof nm->host) < 0)
        snprintf(nm->host, sizeof nm->host, "localhost");
}

/* The caller frees @out with api_conf_free(), after an error as well. */
static int read_server_conf(const struct nm *nm, struct api_server_conf *out,
                            struct base_error *err)
{
    *out = (struct api_server_conf){
        .bind = base_conf_get(nm->conf, "creel.nodemanager.bind"),
        .insecure = nm->options.insecure || base_conf_bool(nm->conf, "creel.nodemanager.insecure"),
        .on_answer = api_audit_log_answer,
        .trusts_daemons = true,
        /* no static user: as in YARN, a caller of the NodeManager without a name stays anonymous */
        .check_token = nm_check_token,
        .answer_login_needed = nm_page_answer_login_needed,
        .prepare = nm_identify_park_if_unsettled,
        .keys = nm->keys,
        .find_key = nm_container_token_find_key};
    int rc = api_conf_read(nm->conf, "nodemanager", out, err);
    if (rc == 0)
        api_hosts_add_addresses(out->hosts, nm->host);
    return rc;
}

/* Sets which certificate authorities are trusted for connections to the RMs. */
static int set_client_tls(const struct nm *nm, struct base_error *err)
{
    struct base_tls_conf tls;
    int rc = base_tls_conf_read(nm->conf, &tls, err);
    if (rc == 0)
        base_tls_use_for_clients(&tls);
    return rc;
}

static int start_server(struct nm *nm, struct api_server_conf *c, uint16_t port,
                        struct base_error *err)
{
    c->port = port;
    return api_server_start(c, nm->routes, nm->routes_n, nm, &nm->server, err);
}

/* Port 0 means any free port; the port of the last start is then tried first, because the port is
 * part of the node's name. */
static int start_server_and_set_node_id(struct nm *nm, struct base_error *err)
{
    uint16_t port = base_http_policy_port(nm->conf, BASE_HTTP_NM);
    struct api_server_conf c;
    int rc = read_server_conf(nm, &c, err);
    if (rc < 0) {
        api_conf_free(&c);
        return rc;
    }
    if (port == 0 && nm->disk.port) {
        rc = start_server(nm, &c, (uint16_t)nm->disk.port, err);
        if (rc < 0) {
            base_log_warn("nm", "the port of the last start is not available: %s", err->text);
            rc = start_server(nm, &c, 0, err);
        }
    } else {
        rc = start_server(nm, &c, port, err);
    }
    nm->tls = api_tls_ref(c.tls);
    api_conf_free(&c);
    if (rc == -BASE_EPERM || rc == -BASE_EINVAL)
        return base_error_wrap(err, rc, "creel.nodemanager.bind");
    if (rc < 0)
        return rc;
    int at = api_server_port(nm->server);
    snprintf(nm->node_id, sizeof nm->node_id, "%s:%d", nm->host, at);
    snprintf(nm->url, sizeof nm->url, "%s%s", base_http_policy_scheme(nm->conf), nm->node_id);
    snprintf(nm->http_address, sizeof nm->http_address, "%s", nm->tls ? nm->url : nm->node_id);
    if (nm->tls)
        api_tls_warn_of_certificate(nm->tls, nm->host);
    nm->launch_conf.port = at;
    if (nm->disk.port == at)
        return 0;
    nm->disk.port = at;
    return nm_files_save_state(&nm->files, &nm->disk, err);
}

/* Opens the port of Hadoop RPC, if one is configured. */
static int open_rpc_port(struct nm *nm, struct base_error *err)
{
    struct api_server_conf c;
    int rc = read_server_conf(nm, &c, err);
    if (rc == 0)
        rc = nm_rpc_open(nm, &c, &nm->rpc, err);
    nm->launch_conf.hadoop_port = nm_rpc_port(nm->rpc);
    api_conf_free(&c);
    return rc;
}

static void recover_job(const struct nm_app_view *app, void *u)
{
    struct nm *nm = u;

    nm_shuffle_recover(nm->shuffle, &app->id);
}

/* Starts the service that serves map outputs, if it is configured: before the HTTP server, whose
 * threads read its figures. */
static int start_shuffle(struct nm *nm, struct base_error *err)
{
    struct api_server_conf c;
    int rc = read_server_conf(nm, &c, err);
    if (rc == 0)
        rc = nm_shuffle_open(nm->conf, &c, &nm->files, &nm->disk, &nm->shuffle, err);
    api_conf_free(&c);
    nm->launch_conf.shuffle_port = nm_shuffle_port(nm->shuffle);
    nm_core_each_app(nm->core, recover_job, nm);
    return rc == 0 ? nm_shuffle_start(nm->shuffle, err) : rc;
}

static void set_node_identity(struct nm *nm)
{
    base_random_hex(nm->instance);
    nm->ident = (struct nm_ident){
        .node_id = nm->node_id,
        .http_address = nm->http_address,
        .rack = base_conf_get(nm->conf, "creel.nodemanager.rack"),
        .instance = nm->instance,
        .boot_id = base_boot_id(),
        .map_slots = (int32_t)base_conf_int(nm->conf, "creel.nodemanager.map-slots"),
        .reduce_slots = (int32_t)base_conf_int(nm->conf, "creel.nodemanager.reduce-slots"),
        .master_slots = (int32_t)base_conf_int(nm->conf, "creel.nodemanager.master-slots"),
        .hadoop_port = nm_rpc_port(nm->rpc)};
}

static int choose_isolation(struct nm *nm, struct base_error *err)
{
    const char *name = base_conf_get(nm->conf, "creel.nodemanager.isolation");
    const char *parent =
        base_conf_get(nm->conf, "yarn.nodemanager.linux-container-executor.cgroups.hierarchy");
    char known[NM_ISOLATION_WHY_MAX], why[NM_ISOLATION_WHY_MAX];
    nm->isolation = nm_isolation_find(name);
    if (!nm->isolation)
        return base_error_set(err, -BASE_EINVAL,
                              "creel.nodemanager.isolation: \"%.40s\": expected one of %s", name,
                              nm_isolation_list_names(known, sizeof known));
    int rc = nm_isolation_open(nm->isolation, parent ? parent : "", nm->isolation_place, why);
    if (rc < 0)
        return base_error_sys(err, rc == -EINVAL ? -BASE_EINVAL : -BASE_EIO, -rc,
                              "creel.nodemanager.isolation: \"%.40s\": %s", name, why);
    nm->launch_conf.isolation = nm->isolation->name;
    nm->launch_conf.isolation_place = nm->isolation_place;
    return 0;
}

static void set_launch_conf(struct nm *nm)
{
    find_creel_program("creel-shim", nm->shim_path);
    find_creel_program("creel-task", nm->task_path);
    find_creel_program("creel-localize", nm->localize_path);
    nm->launch_conf = (struct nm_launch_conf){
        .shim = nm->shim_path,
        .task_runner = nm->task_path,
        .rm = nm->rms_text,
        .host = nm->host,
        .ca_file = base_tls_of_clients()->ca_file,
        .add_opens = nm_java_find_options(getenv("JAVA_HOME"), getenv("PATH")),
        .log_max_bytes = base_conf_int(nm->conf, "creel.nodemanager.log-max-bytes"),
        .disk_mb = base_conf_int(nm->conf, "creel.container.disk-mb")};
}

static int write_line_file(const char *path, const char *text, struct base_error *err)
{
    char line[400];
    int n = snprintf(line, sizeof line, "%s\n", text);
    return path ? base_file_write_atomic(path, line, (size_t)n, 0644, false, err) : 0;
}

static int write_pid_url_and_notify_ready(struct nm *nm, struct base_error *err)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    int rc = write_line_file(nm->options.pid_file, pid, err);
    if (rc == 0)
        rc = write_line_file(nm->options.url_file, nm->url, err);
    if (rc < 0)
        return rc;
    base_log_info("nm", "node %s, %lld map slots, %lld reduce slots, %lld master slots, folder %s",
                  nm->node_id, (long long)nm->ident.map_slots, (long long)nm->ident.reduce_slots,
                  (long long)nm->ident.master_slots, nm->files.root);
    sd_notify(0, "READY=1");
    return 0;
}

/* Does everything that must be done before the first thread runs. */
static int start_before_threads(struct nm *nm, struct base_error *err)
{
    int rc = nm_launcher_check_installation(
        base_conf_get(nm->conf, "creel.nodemanager.user-launcher"), &nm->launcher, err);
    nm->launch_conf.launcher = nm->launcher;
    const struct nm_files_conf files = {
        .launcher = nm->launcher,
        .root = base_conf_get(nm->conf, "creel.nodemanager.local-dir"),
        .retain_s = base_conf_int(nm->conf, "creel.nodemanager.log-retain-s"),
        .min_free_bytes = nm->min_free_bytes,
        .min_free_inodes = nm->min_free_inodes};
    if (rc == 0)
        rc = base_conf_make_folder(nm->conf, "creel.nodemanager.local-dir", 0755, err);
    if (rc == 0)
        rc = nm_files_open(&nm->files, &files, err);
    if (rc == 0)
        rc = nm_files_load_state(&nm->files, &nm->disk, err);
    if (rc == 0)
        rc = nm_audit_open(nm->conf, err);
    if (rc == 0)
        rc = nm_spawn_start(nm->files.lock_fd, &nm->spawn, err);
    if (rc == 0 && nm->launcher)
        rc = nm_spawn_start(-1, &nm->files.helper, err);
    if (rc == 0)
        rc = nm_loop_init(nm, err);
    return rc;
}

static void find_unfinished_app(const struct nm_app_view *app, void *u)
{
    bool *found = u;

    *found = *found || !app->finished;
}

/* A node that is stopped on purpose signs off, so that the RM need not wait until the node counts
 * as lost. It does not sign off while an application has containers or map outputs here, which
 * outlive the daemon and wait for its return, or logs that are still to be aggregated. */
static void sign_off_if_unneeded(struct nm *nm)
{
    struct base_buf body = {0};
    struct base_error err = {0};
    bool needed = nm_aggregator_is_busy(nm->aggregator);

    nm_core_each_app(nm->core, find_unfinished_app, &needed);
    if (needed || !nm_core_is_registered(nm->core))
        return;
    wire_node_name_put(&(struct wire_node_name){.node_id = nm->node_id, .instance = nm->instance},
                       &body);
    if (nm_link_sign_off(nm->link, &body, &err) == 0)
        base_log_info("nm", "signed off: nothing here is needed");
    else
        base_log_warn("nm", "cannot sign off: %s", err.text);
}

static void create_localizer(struct nm *nm)
{
    const struct nm_localizer_conf c = {
        .program = nm->localize_path,
        .ca_file = base_tls_of_clients()->ca_file,
        .hdfs = base_conf_get(nm->conf, "creel.nodemanager.localizer.webhdfs"),
        .launcher = nm->launcher,
        .files = &nm->files,
        .cache_bytes = base_conf_int(nm->conf, "yarn.nodemanager.localizer.cache.target-size-mb")
                       << 20,
        .resource_bytes = base_conf_int(nm->conf, "creel.nodemanager.localizer.max-mb") << 20,
        .timeout_s = base_conf_int(nm->conf, "creel.nodemanager.localizer.timeout-s"),
        .fetches_max =
            (size_t)base_conf_int(nm->conf, "yarn.nodemanager.localizer.fetch.thread-count"),
        .report = nm_loop_report_resources,
        .user = nm};
    nm->localizer = nm_localizer_new(&c);
}

/* Starts copying logs of ended applications, if that is configured. */
static int start_aggregator(struct nm *nm, struct base_error *err)
{
    struct nm_aggregator_conf c;
    char logs[NM_PATH_MAX];
    snprintf(logs, sizeof logs, "%s/logs", nm->files.root);
    int rc = nm_aggregator_read_conf(nm->conf, logs, nm->node_id, &c, err);
    return rc > 0 ? nm_aggregator_start(&c, &nm->aggregator, err) : rc;
}

static int start_threads_and_run(struct nm *nm, struct base_error *err)
{
    int rc = nm_files_start_janitor(&nm->files, err);
    if (rc < 0)
        return rc;
    nm->routes = nm_routes_new(&nm->routes_n);
    nm->aux_services = nm_aux_services_new(nm->conf);
    nm->core = nm_core_new(nm->disk.epoch);
    nm->groups = base_groups_new_by_conf(nm->conf);
    nm_core_set_shell_data_destructor(nm->core, nm_box_free);
    create_localizer(nm);
    if ((rc = nm_recover_containers(nm, err)) < 0 ||
        (rc = nm_load_sampler_start(nm, &nm->load_sampler, err)) < 0 ||
        (rc = nm_identifier_start(&nm->rms, nm->keys, &nm->identifier, err)) < 0 ||
        (rc = start_shuffle(nm, err)) < 0 || (rc = start_server_and_set_node_id(nm, err)) < 0 ||
        (rc = open_rpc_port(nm, err)) < 0)
        return rc;
    set_node_identity(nm);
    /* the instance has 32 random hex digits; the seed is its last 64 bits */
    nm_core_seed_random(nm->core, strtoull(nm->instance + 16, NULL, 16));
    rc = start_aggregator(nm, err);
    if (rc == 0)
        rc = nm_link_start(&nm->rms, nm->keys, &nm->link, err);
    if (rc == 0)
        rc = write_pid_url_and_notify_ready(nm, err);
    if (rc == 0)
        nm_loop_run(nm);
    if (rc == 0 && nm->told_to_end)
        sign_off_if_unneeded(nm);
    return rc;
}

static void stop_and_free(struct nm *nm)
{
    sd_notify(0, "STOPPING=1");
    nm_identifier_stop(nm->identifier);
    nm_rpc_close(nm->rpc); /* its connections have places of the server */
    if (nm->server)
        api_server_stop(nm->server);
    nm_shuffle_close(nm->shuffle); /* whose figures the server shows */
    nm_identifier_free(nm->identifier);
    api_tls_unref(nm->tls);
    free(nm->routes);
    nm_aux_services_free(nm->aux_services);
    nm_load_sampler_stop(nm->load_sampler);
    nm_link_stop(nm->link);
    nm_aggregator_stop(nm->aggregator);
    nm_core_free(nm->core);
    base_groups_free(nm->groups);
    nm_localizer_free(nm->localizer);
    nm_loop_free(nm);
    api_audit_close();
    nm_spawn_free(nm->spawn);
    nm_files_close(&nm->files);
    nm_spawn_free(nm->files.helper);
    pthread_mutex_destroy(&nm->lock);
    if (nm->options.pid_file)
        unlink(nm->options.pid_file);
    base_keyring_unref(nm->keys);
    base_rm_list_free(&nm->rms);
    free(nm->rms_text);
    free(nm);
}

int nm_daemon_run(const struct base_conf *conf, const struct nm_options *options)
{
    struct base_error err = {0};
    struct nm *nm = base_alloc(sizeof *nm);
    nm->conf = conf;
    nm->options = *options;
    nm->files.lock_fd = nm->files.root_fd = -1;
    nm->started_ms = nm_wall_ms();
    nm->grace_ms = base_conf_int(conf, "creel.nodemanager.kill-grace-ms");
    nm->given_memory_mb = nm->given_vcores = -1;
    nm->min_free_bytes = base_conf_int(conf, "creel.nodemanager.min-free-disk-mb") << 20;
    nm->min_free_inodes = base_conf_int(conf, "creel.nodemanager.min-free-inodes");
    nm->watchdog_us = base_conf_int(conf, "creel.nodemanager.watchdog-ms") * 1000;
    pthread_mutex_init(&nm->lock, NULL);
    set_host_name(nm);
    int rc = set_client_tls(nm, &err);
    if (rc == 0)
        rc = base_rm_list_add_configured(conf, &nm->rms, &err);
    nm->rms_text = base_rm_list_to_text(&nm->rms);
    set_launch_conf(nm);
    if (rc == 0)
        rc = base_keyring_open_or_make_by_conf(
            conf, BASE_CLUSTER_SECRET_KEY, BASE_CLUSTER_SECRET_NAME,
            api_bind_is_loopback(base_conf_get(conf, "creel.nodemanager.bind")), &nm->keys, &err);
    if (rc == 0)
        rc = choose_isolation(nm, &err);
    if (rc == 0)
        rc = start_before_threads(nm, &err);
    if (rc == 0) {
        raise_open_files_limit();
        rc = start_threads_and_run(nm, &err);
    }
    if (rc < 0)
        base_log_error("nm", "%s", err.text);
    int status = rc < 0 ? base_conf_exit_status(rc) : nm->exit_status;
    stop_and_free(nm);
    return status;
}
