/* rm/daemon/main.c - creel-rm: configuration, start, signals, stop. */
#include <argp.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "api/server/conf.h"
#include "api/server/server.h"
#include "api/server/tls/tls.h"
#include "base/conf/conf.h"
#include "base/conf/http_policy.h"
#include "base/crypto/keyring.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/sched.h"
#include "base/io/tls_conf.h"
#include "base/version/build.h"
#include "policies/options.h"
#include "rm/config/allocation_file.h"
#include "rm/config/policy_options.h"
#include "rm/config/scheduler_shape.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon.h"
#include "rm/daemon/own_token.h"
#include "rm/http/access/container_token.h"
#include "rm/http/access/identify.h"
#include "rm/http/access/prepare.h"
#include "rm/http/mapreduce/mapreduce.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"
#include "rm/leader/leader.h"
#include "rm/leader/role.h"
#include "rm/leader/sole_rm.h"
#include "rm/leader/standby.h"
#include "rm/rpc/ports.h"

/* for tests: a leader whose lease never ends, so that only the epoch can fence it */
#ifdef CREEL_HA_LEASE_OFF
#define LEASE_OFF true
#else
#define LEASE_OFF false
#endif

#define KEPT_MEMORY (4 * 1024 * 1024)

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "creel-rm %s\n", base_build_text);
}
void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

enum {
    OPT_CONF = 256,
    OPT_LOG_FORMAT,
    OPT_URL_FILE,
    OPT_PID_FILE,
    OPT_INSECURE,
    OPT_HA,
    OPT_RM_ID,
    OPT_CONFIRMED
};
static const struct argp_option options[] = {
    {NULL, 'D', "KEY=VALUE", 0, "set a configuration key; beats every file", 0},
    {"conf", OPT_CONF, "FILE", 0,
     "read this configuration file instead of the default ones; may be repeated", 0},
    {"log-format", OPT_LOG_FORMAT, "FORMAT", 0, "auto, text, json or journal", 0},
    {"url-file", OPT_URL_FILE, "PATH", 0, "write the URL there once it listens", 0},
    {"pid-file", OPT_PID_FILE, "PATH", 0, "write the process id there; removed at the end", 0},
    {"insecure", OPT_INSECURE, NULL, 0, "allow an address other than loopback", 0},
    {"ha", OPT_HA, NULL, 0,
     "one of several, of which ZooKeeper elects the active one; as yarn.resourcemanager.ha.enabled",
     0},
    {"rm-id", OPT_RM_ID, "ID", 0, "which of them; as yarn.resourcemanager.ha.id", 0},
    {"format-confirmed", OPT_CONFIRMED, NULL, 0,
     "an empty state is meant to be empty: containers that nodes run and nobody knows are killed",
     0},
    {0},
};

struct settings {
    struct base_conf *conf;
    enum base_log_format format;
    const char *url_file, *pid_file, *rm_id;
    bool insecure, conf_given, on; /* on: --ha was given */
    struct rm_repair repair;
    struct rm_ha_conf ha;
    struct base_keyring *keys; /* the cluster's secret */
    char *args[256];           /* -D, applied after the files */
    size_t args_n;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct settings *s = state->input;
    struct base_error err = {0};

    switch (key) {
    case 'D':
        if (s->args_n == sizeof s->args / sizeof *s->args)
            argp_error(state, "more than %zu -D options", s->args_n);
        s->args[s->args_n++] = arg;
        return 0;
    case OPT_CONF:
        s->conf_given = true;
        if (base_conf_load_file(s->conf, arg, &err) < 0)
            argp_failure(state, 2, 0, "%s", err.text);
        return 0;
    case OPT_LOG_FORMAT:
        if (base_log_format_parse(arg, &s->format) < 0)
            argp_error(state, "--log-format: \"%s\" is not auto, text, json or journal", arg);
        return 0;
    case OPT_URL_FILE:
        s->url_file = arg;
        return 0;
    case OPT_PID_FILE:
        s->pid_file = arg;
        return 0;
    case OPT_INSECURE:
        s->insecure = true;
        return 0;
    case OPT_HA:
        s->on = true;
        return 0;
    case OPT_RM_ID:
        s->rm_id = arg;
        return 0;
    case OPT_CONFIRMED:
        s->repair.format_confirmed = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Returns the help that follows the options: the keys with their defaults. For argp. */
static char *append_keys_to_help(int key, const char *text, void *input)
{
    struct base_buf b = {0};

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    base_buf_adds(&b, "Configuration keys (default):\n");
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        base_buf_addf(&b, "  %s (%s)\n      %s\n", k->name, k->value, k->help);
    base_buf_adds(&b, "\nOptions of the scheduling policies (default):\n");
    for (size_t i = 0; policy_option_at(i); i++) {
        const struct policy_option *o = policy_option_at(i);
        base_buf_addf(&b, "  creel.%s (%s)\n      %s%s%s\n", o->name, o->value,
                      o->help ? o->help : "", o->words ? "; one of " : "",
                      o->words ? o->words : "");
    }
    base_buf_adds(&b, "\nExit codes: 0 stopped by a signal, 1 could not start or stop cleanly, 2 "
                      "wrong use or a wrong "
                      "configuration, also one that ZooKeeper or a folder refuses.");
    return base_buf_take(&b);
}

static const struct argp argp = {
    options, parse_option,        NULL, "The ResourceManager of a Creel cluster.\v ",
    NULL,    append_keys_to_help, NULL};

static int set_key(struct base_conf *conf, const char *key, const char *value,
                   struct base_error *err)
{
    char *arg = base_printf("%s=%s", key, value);
    int rc = base_conf_set_arg(conf, arg, err);

    free(arg);
    return rc;
}

/* Refuses, as YARN does, an expiry interval that does not exceed the heartbeat interval: every node
 * would expire between two heartbeats, with all its containers. */
static int check_expiry_exceeds_heartbeat(const struct base_conf *c, struct base_error *err)
{
    int64_t expiry = base_conf_int(c, "yarn.nm.liveness-monitor.expiry-interval-ms");
    int64_t beat = base_conf_int(c, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms");

    if (expiry > beat)
        return 0;
    return base_error_set(
        err, -BASE_EINVAL,
        "yarn.nm.liveness-monitor.expiry-interval-ms: %lld: expected more than "
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms, %lld, or nodes are lost between "
        "their heartbeats",
        (long long)expiry, (long long)beat);
}

static int load_conf(struct settings *s, struct base_error *err)
{
    int rc = s->conf_given ? 0 : base_conf_load_default_files(s->conf, err);

    for (size_t i = 0; rc == 0 && i < s->args_n; i++)
        rc = base_conf_set_arg(s->conf, s->args[i], err);
    if (rc == 0 && s->on)
        rc = set_key(s->conf, "yarn.resourcemanager.ha.enabled", "true", err);
    if (rc == 0 && s->rm_id)
        rc = set_key(s->conf, "yarn.resourcemanager.ha.id", s->rm_id, err);
    if (rc == 0)
        rc = base_conf_check(s->conf, policy_key_looks_like_option, err);
    if (rc == 0)
        rc = rm_scheduler_shape_check(s->conf, err);
    if (rc == 0)
        rc = check_expiry_exceeds_heartbeat(s->conf, err);
    if (rc == 0)
        rc = rm_ha_conf_read(s->conf, s->on, &s->ha, err);
    s->ha.lease_off = LEASE_OFF;
    if (rc == 0 && s->rm_id &&
        !s->ha.enabled) /* otherwise a second cluster would start beside the intended one */
        rc = base_error_set(
            err, -BASE_EINVAL,
            "--rm-id %.100s: this ResourceManager would be alone: expected --ha beside it, or "
            "yarn.resourcemanager.ha.enabled = true",
            s->rm_id);
    return rc;
}

static int write_line_if_path_given(const char *path, const char *text, struct base_error *err)
{
    char *line;
    int rc;

    if (!path)
        return 0;
    line = base_printf("%s\n", text);
    rc = base_file_write_atomic(path, line, strlen(line), 0644, false, err);
    free(line);
    return rc;
}

/* If the address was refused (-BASE_EPERM, -BASE_EINVAL), puts the key that it comes from before
 * the text of @err; for one of several RMs that need not be creel.rm.bind. Returns @rc. */
static int prefix_error_with_address_key(const struct settings *s, int rc, struct base_error *err)
{
    if (rc != -BASE_EPERM && rc != -BASE_EINVAL)
        return rc;
    if (!s->ha.enabled)
        return base_error_wrap(err, rc, "creel.rm.bind");
    return base_error_wrap(
        err, rc, "creel.rm.bind (default: of yarn.resourcemanager.webapp.address.%s)", s->ha.rm_id);
}

/* An RM that is one of several listens at its own address in the configuration, unless
 * creel.rm.bind (for the host) or creel.rm.port (for the port) is set. */
static int set_bind_address_if_unset(struct settings *s, struct base_error *err)
{
    char *host, port_text[8];
    uint16_t port;
    int rc = 0;

    if (!s->ha.enabled)
        return 0;
    rm_ha_conf_get_own_address(&s->ha, &host, &port);
    snprintf(port_text, sizeof port_text, "%u", port);
    if (!base_conf_is_set(s->conf, "creel.rm.bind"))
        rc = set_key(s->conf, "creel.rm.bind", host, err);
    if (rc == 0 && !base_conf_is_set(s->conf, "creel.rm.port"))
        rc = set_key(s->conf, "creel.rm.port", port_text, err);
    free(host);
    return rc;
}

/* Fills @out; free it with api_conf_free(), also after an error. */
static int read_server_conf(const struct settings *s, struct api_server_conf *out,
                            struct base_error *err)
{
    *out = (struct api_server_conf){
        .bind = base_conf_get(s->conf, "creel.rm.bind"),
        .port = base_http_policy_port(s->conf, BASE_HTTP_RM),
        .on_answer = api_audit_log_answer,
        .prepare = rm_access_park_for_groups,
        .check_token = rm_identify_token,
        .answer_login_needed = rm_page_answer_login_needed,
        .gate = s->ha.enabled ? rm_standby_answer_unless_active : NULL,
        .insecure = s->insecure || base_conf_bool(s->conf, "creel.rm.insecure"),
        .threads = (unsigned)base_conf_int(s->conf, "creel.rm.http-threads"),
        .keys = s->keys,
        .find_key = rm_container_token_find_key,
        .static_user = base_conf_get(s->conf, "hadoop.http.staticuser.user"),
    };
    return api_conf_read(s->conf, "resourcemanager", out, err);
}

/* Sets whom the relay's connections to nodes trust. Before any thread starts. */
static int use_configured_tls_for_clients(const struct settings *s, struct base_error *err)
{
    struct base_tls_conf tls;
    int rc = base_tls_conf_read(s->conf, &tls, err);

    if (rc == 0)
        base_tls_use_for_clients(&tls);
    return rc;
}

/* Returns the URL of this RM, which the caller frees. A wildcard is replaced by the host's name. */
static char *make_own_url(const struct settings *s, uint16_t port)
{
    const char *bind = base_conf_get(s->conf, "creel.rm.bind");
    char host[256] = "localhost";

    if (strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0) {
        gethostname(host, sizeof host - 1);
        bind = host;
    }
    return base_printf(strchr(bind, ':') ? "%s[%s]:%u" : "%s%s:%u",
                       base_http_policy_scheme(s->conf), bind, port);
}

static void reload_queues(struct rm_backend *b, const char *why)
{
    struct base_error err = {0};
    size_t n;

    base_log_info("rm", "%s: reading %s", why, rm_queues_get_file_path(b));
    int rc = rm_queues_reload(b, NULL, NULL, &n, &err);
    if (rc < 0)
        base_log_error("rm", "the queues stay as they are: %s", err.text);
    api_audit_log_own_operation("refresh-queues", why, rc < 0 ? err.text : NULL);
}

static void reload_secret(struct rm_backend *b)
{
    struct base_error err = {0};
    int rc = base_keyring_refresh(rm_backend_keys(b), &err);

    if (rc < 0)
        base_log_error("rm", "SIGHUP: the secret stays as it is: %s", err.text);
    else if (rc > 0)
        base_log_info("rm", "SIGHUP: the secret has been replaced");
    api_audit_log_own_operation("refresh-secret", "SIGHUP", rc < 0 ? err.text : NULL);
}

static void handle_hangup(struct rm_backend *b, struct api_tls *tls)
{
    api_audit_reopen();
    reload_secret(b);
    if (tls)
        api_tls_reload_and_log(tls);
}

/* Returns when a signal other than SIGHUP comes. Until then, opens the audit file and reads the
 * secret, the certificate and the queues again on each SIGHUP; reads the queues also when their
 * file has changed; and logs how many audit lines were left out. @tls: may be NULL. */
static void serve_signals_until_stop(struct rm_backend *b, struct api_tls *tls,
                                     const sigset_t *signals)
{
    static const struct timespec look = {.tv_sec = 1};
    struct rm_queues_watch watch = {0};

    rm_queues_file_changed_and_settled(b, &watch);
    for (;;) {
        int sig = sigtimedwait(signals, NULL, &look);

        api_audit_end_refusal_window_if_over();
        rm_daemon_offer_fresh_keys(b);
        if (sig < 0 && errno != EAGAIN && errno != EINTR)
            return;
        if (sig > 0 && sig != SIGHUP)
            return;
        if (sig == SIGHUP)
            handle_hangup(b, tls);
        if (sig == SIGHUP && !rm_queues_get_file_path(b))
            base_log_info("rm", "SIGHUP: no queues to reload");
        else if (sig == SIGHUP)
            reload_queues(b, "SIGHUP");
        else if (rm_queues_file_changed_and_settled(b, &watch))
            reload_queues(b, "changed");
    }
}

/* ---------------------------------------------------------------- one of several */
struct failure { /* why this RM cannot take part in the election (any more); code 0: it can */
    pthread_mutex_t lock;
    struct base_error why;
};

static void record_failure_and_stop_process(void *user, const struct base_error *why)
{
    struct failure *e = user;

    pthread_mutex_lock(&e->lock);
    e->why = *why;
    pthread_mutex_unlock(&e->lock);
    kill(getpid(), SIGTERM);
}

/* An RM that is one of several keeps only the history of jobs in creel.rm.state-dir. The RM can run
 * without it, but the operator should know now rather than when the first job has ended. */
static void warn_if_state_folder_unusable(const struct settings *s)
{
    const char *folder = base_conf_get(s->conf, "creel.rm.state-dir");
    struct base_error err = {0};
    int rc = base_mkdirs(folder, 0700, &err);

    if (rc == 0 && access(folder, W_OK) < 0)
        rc = base_error_sys(&err, -BASE_EIO, errno, "%s", folder);
    if (rc < 0)
        base_log_warn("rm",
                      "creel.rm.state-dir: %s; the history of jobs that end here will be missing",
                      err.text);
}

static int new_standby(const struct settings *s, struct rm_backend **b, struct base_error *err)
{
    char *all;
    int rc = rm_daemon_new_standby(s->conf, b, err);

    if (rc < 0)
        return rc;
    warn_if_state_folder_unusable(s);
    all = rm_ha_conf_join_urls_own_first(&s->ha);
    rm_role_set_identity(*b, s->ha.rm_id, all);
    free(all);
    return 0;
}

static int open_daemon(const struct settings *s, struct rm_backend **b, struct base_error *err)
{
    int rc = s->ha.enabled ? new_standby(s, b, err)
                           : base_conf_make_folder(s->conf, "creel.rm.state-dir", 0700, err);

    if (rc == 0 && !s->ha.enabled)
        return rm_daemon_new_sole(s->conf, s->keys, NULL, NULL, &s->repair, b, err);
    if (rc < 0)
        return rc;
    rm_daemon_set_keys(*b, s->keys);
    rm_daemon_set_repair(*b, &s->repair);
    return 0;
}

/* ---------------------------------------------------------------- serving */
static int run_until_stopped(const struct settings *s, struct rm_backend *b, struct api_tls *tls,
                             const char *url, const sigset_t *signals, struct base_error *err)
{
    struct failure failure = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct rm_lead *lead = NULL;
    int rc = 0;

    if (s->ha.enabled) {
        base_log_info("rm", "listening on %s as %s, standby", url, s->ha.rm_id);
        rc = rm_lead_start(&s->ha, b, record_failure_and_stop_process, &failure, &lead, err);
    } else {
        base_log_info("rm", "listening on %s, epoch %lld", url, (long long)rm_daemon_epoch(b));
    }
    if (rc < 0)
        return rc;
    sd_notify(0, "READY=1");
    serve_signals_until_stop(b, tls, signals);
    sd_notify(0, "STOPPING=1");
    base_log_info("rm", "stopping");
    rm_lead_stop(lead);
    if (failure.why.code)
        *err = failure.why;
    return failure.why.code;
}

/* Sets the address that answers give as the ResourceManager's own. @url: where it listens. */
static void set_own_url_for_links(const struct settings *s, struct rm_backend *b, const char *url)
{
    const char *name = base_conf_get(s->conf, "yarn.resourcemanager.hostname");
    char *named;

    if (s->ha.enabled || !*name) {
        rm_daemon_set_url(b, s->ha.enabled ? s->ha.urls[s->ha.own] : url);
        return;
    }
    named = base_printf("%s%s%s", base_http_policy_scheme(s->conf), name, strrchr(url, ':'));
    rm_daemon_set_url(b, named);
    free(named);
}

/* Warns when the certificate is not for the name in @url, under which others know this RM. */
static void warn_if_certificate_not_for_url(struct api_tls *tls, const char *url)
{
    const char *host = strstr(url, "://") + 3;
    bool bracket = *host == '[';
    char *name = base_strndup(host + bracket, strcspn(host + bracket, bracket ? "]" : ":"));

    if (tls)
        api_tls_warn_of_certificate(tls, name);
    free(name);
}

/* Writes the token of this user for the commands that talk to this ResourceManager at @url; if it
 * listens on all addresses, at localhost, too. @t may be NULL. */
static int publish_own_token(const struct settings *s, struct rm_own_token *t, const char *url,
                             struct base_error *err)
{
    const char *bind = base_conf_get(s->conf, "creel.rm.bind");
    bool all = strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0;
    const char *scheme_end = strstr(url, "://");
    char *urls;
    int rc;

    if (!t)
        return 0;
    urls = all ? base_printf("%s,%.*s://localhost%s", url, (int)(scheme_end - url), url,
                             strrchr(url, ':'))
               : base_strdup(url);
    rc = rm_own_token_publish(t, urls, err);
    free(urls);
    return rc;
}

struct further_ports { /* besides the ResourceManager's own; NULL: not configured */
    struct rm_history_port *history;
    struct rm_rpc_ports *rpc;
};

static int open_further_ports(const struct settings *s, const struct api_server_conf *conf,
                              struct further_ports *out, struct base_error *err)
{
    int rc = rm_history_port_open(s->conf, conf, &out->history, err);

    if (rc == 0)
        rc = rm_rpc_ports_open(s->conf, s->ha.enabled ? s->ha.rm_id : NULL, conf, &out->rpc, err);
    return rc;
}

static void close_further_ports(struct further_ports *p)
{
    rm_history_port_close(p->history);
    rm_rpc_ports_close(p->rpc);
}

/* Serves requests until a signal comes. Takes the listener of @conf, and the further ports. */
static int serve(const struct settings *s, const struct api_server_conf *conf,
                 struct further_ports *further, struct rm_backend *b,
                 struct rm_own_token *own_token, const sigset_t *signals, struct base_error *err)
{
    struct api_server *server = NULL;
    struct api_route *routes;
    struct base_error stop_err = {0};
    size_t n;
    char *url = NULL;
    int rc;

    routes = rm_routes_new(&n);
    rm_daemon_set_own_token(b, own_token);
    rm_daemon_set_auth(b, conf->auth);
    rm_daemon_start(b);
    rc = api_server_start(conf, routes, n, b, &server, err);
    if (rc == 0) {
        url = make_own_url(s, api_server_port(server));
        set_own_url_for_links(s, b, url);
        warn_if_certificate_not_for_url(conf->tls, rm_backend_url(b));
        rc = rm_history_port_start(further->history, b, err);
    }
    if (rc == 0)
        rc = rm_rpc_ports_start(further->rpc, b, server, err);
    if (rc == 0)
        rc = publish_own_token(s, own_token, url, err);
    if (rc == 0)
        rc = write_line_if_path_given(s->url_file, url, err);
    if (rc == 0)
        rc = run_until_stopped(s, b, conf->tls, url, signals, err);
    /* The core stops first and answers all requests that wait, so that none is parked in the
     * server. */
    if (rm_daemon_stop(b, &stop_err) < 0 && rc == 0) {
        rc = stop_err.code;
        *err = stop_err;
    }
    close_further_ports(further);
    if (server)
        api_server_stop(server);
    free(url);
    free(routes);
    return rc;
}

static int run(struct settings *s, struct base_error *err)
{
    struct rm_backend *b = NULL;
    struct further_ports further = {0};
    struct rm_own_token *own_token = NULL;
    struct api_server_conf conf;
    sigset_t signals;
    char pid[24];
    int rc;

    rm_options_log_unused_keys(s->conf);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    /* before any thread starts: only sigtimedwait() receives these signals */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    base_sched_make_thread_prompt();
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    rc = set_bind_address_if_unset(s, err);
    if (rc < 0)
        return rc;
    rc = base_keyring_open_or_make_by_conf(
        s->conf, BASE_CLUSTER_SECRET_KEY, BASE_CLUSTER_SECRET_NAME,
        api_bind_is_loopback(base_conf_get(s->conf, "creel.rm.bind")), &s->keys, err);
    if (rc < 0)
        return rc;
    rc = read_server_conf(s, &conf, err);
    if (rc == 0)
        rc = use_configured_tls_for_clients(s, err);
    if (rc < 0)
        goto free_conf;
    if (conf.method != API_AUTH_SIMPLE)
        own_token = rm_own_token_new(s->conf);
    rc = rm_audit_open(s->conf, err);
    if (rc < 0)
        goto free_conf;
    /* before the store is opened, so that a wrong address leaves the store unchanged */
    conf.listener = api_open_listener(&conf, err);
    if (conf.listener < 0) {
        rc = prefix_error_with_address_key(s, conf.listener, err);
        goto free_conf;
    }
    rc = open_further_ports(s, &conf, &further, err);
    if (rc == 0)
        rc = open_daemon(s, &b, err);
    if (rc < 0) {
        close_further_ports(&further);
        close(conf.listener);
        goto free_conf;
    }
    /* after the store was opened: the lock of a store of one process proves that no other uses
     * it */
    rc = write_line_if_path_given(s->pid_file, pid, err);
    if (rc == 0) {
        rc = serve(s, &conf, &further, b, own_token, &signals, err);
    } else {
        close_further_ports(&further);
        close(conf.listener);
    }
    rm_daemon_free(b);
    api_audit_close();
    if (s->pid_file)
        unlink(s->pid_file);
free_conf:
    rm_own_token_free(own_token);
    api_conf_free(&conf);
    base_keyring_unref(s->keys);
    return rc;
}

/* Threads free each other's memory: more arenas would only grow the process. An arena keeps some
 * free memory at its end, since an answer of a hundred KB would otherwise take fresh pages from the
 * kernel each time and give them back, which costs more than to encode and send it. */
static void tune_malloc(void)
{
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
    mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
}

int main(int argc, char **argv)
{
    struct settings s = {0};
    struct base_error err = {0};
    int rc;

    tune_malloc();
    s.conf = base_conf_new();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &s);
    base_log_init("creel-rm", s.format, BASE_LOG_INFO);
    rc = load_conf(&s, &err);
    if (rc < 0) {
        base_log_error("rm", "%s", err.text);
        base_conf_free(s.conf);
        return 2;
    }
    rc = run(&s, &err);
    if (rc < 0)
        base_log_error("rm", "%s", err.text);
    rm_ha_conf_free(&s.ha);
    base_conf_free(s.conf);
    return base_conf_exit_status(rc);
}
