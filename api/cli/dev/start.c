/* api/cli/dev/start.c - starts the daemons of `creel dev`: configuration, processes, waiting until
 * they listen. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/rm_client.h"
#include "base/clock.h"
#include "base/crypto/keyring.h"
#include "base/io/http_client.h"
#include "base/io/io.h"

enum {
    LISTEN_MS = 20000,
    POLL_MS = 5,
    URL_FILE_MAX = 4096,
    CONF_MAX = 1 << 20,
    EXPIRY_MS = 3000,
    SESSION_MS = 1000
};

char *cli_dev_find_program(const char *name, struct base_error *err)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        const char *dir = dirname(self);
        for (int installed = 0; installed < 2;
             installed++) { /* installed: bin/creel and sbin/creel-rm */
            char *path = base_printf("%s%s/%s", dir, installed ? "/../sbin" : "", name);
            if (access(path, X_OK) == 0)
                return path;
            free(path);
        }
    }
    char *dirs = base_strdup(getenv("PATH") ? getenv("PATH") : ""), *save = NULL;
    for (const char *dir = strtok_r(dirs, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
        char *path = base_printf("%s/%s", dir, name);
        if (*dir == '/' && access(path, X_OK) == 0) {
            free(dirs);
            return path;
        }
        free(path);
    }
    free(dirs);
    base_error_set(err, -BASE_ENOTFOUND, "%s is neither beside this program nor in PATH", name);
    return NULL;
}

static void add_xml_text(struct base_buf *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const char *entity = s[i] == '&'   ? "&amp;"
                             : s[i] == '<' ? "&lt;"
                             : s[i] == '>' ? "&gt;"
                                           : NULL;
        if (entity)
            base_buf_adds(out, entity);
        else
            base_buf_add(out, s + i, 1);
    }
}

static void add_property(struct base_buf *out, const char *name, size_t name_len, const char *value)
{
    base_buf_adds(out, "  <property><name>");
    add_xml_text(out, name, name_len);
    base_buf_adds(out, "</name><value>");
    add_xml_text(out, value, strlen(value));
    base_buf_adds(out, "</value></property>\n");
}

static void add_number_property(struct base_buf *out, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add_property(out, name, strlen(name), text);
}

void cli_dev_add_property(struct base_buf *out, const char *name, const char *value)
{
    add_property(out, name, strlen(name), value);
}

/* Adds the addresses of the ResourceManagers and of ZooKeeper. */
static void add_ha_properties(struct base_buf *out, const struct cli_dev *d)
{
    struct base_buf ids = {0};
    char *zookeeper = base_printf("127.0.0.1:%lld", (long long)d->v[d->n - 1].port);
    cli_dev_add_property(out, "yarn.resourcemanager.ha.enabled", "true");
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++) {
        char *name = base_printf("yarn.resourcemanager.webapp.%saddress.%s", d->tls ? "https." : "",
                                 d->v[i].name);
        cli_dev_add_property(out, name, strstr(d->v[i].url, "://") + 3);
        base_buf_addf(&ids, "%s%s", i ? "," : "", d->v[i].name);
        free(name);
    }
    cli_dev_add_property(out, "yarn.resourcemanager.ha.rm-ids", ids.data);
    cli_dev_add_property(out, "yarn.resourcemanager.cluster-id", "dev");
    cli_dev_add_property(out, "yarn.resourcemanager.zk-address", zookeeper);
    add_number_property(out, "yarn.resourcemanager.zk-timeout-ms", SESSION_MS);
    base_buf_free(&ids);
    free(zookeeper);
}

static void add_tls_properties(struct base_buf *out, const struct cli_dev *d)
{
    static const char *const files[][2] = {{"creel.tls.certificate-file", "/host.pem"},
                                           {"creel.tls.key-file", "/host.key"},
                                           {"creel.tls.ca-file", "/ca.pem"}};
    cli_dev_add_property(out, "yarn.http.policy", "HTTPS_ONLY");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = cli_dev_path(d, "tls", files[i][1]);
        cli_dev_add_property(out, files[i][0], path);
        free(path);
    }
}

/* Makes the secret at @path, unless an earlier start has: its containers may still use it. */
static int make_secret_if_absent(const char *path, struct base_error *err)
{
    int rc = access(path, F_OK) == 0 ? 0 : base_secret_file_make(path, err);

    return rc == -BASE_EEXIST ? 0 : rc;
}

int cli_dev_write_conf(const struct cli_dev *d, const struct cli_dev_options *o,
                       struct base_error *err)
{
    struct base_buf xml = {0};
    char *token = cli_dev_path(d, "rm", ".token");
    char *dir = cli_dev_path(d, "conf", ""), *path = cli_dev_path(d, "conf", "/creel-site.xml");
    char *secret = cli_dev_path(d, "conf", "/cluster.secret");
    char *zk_secret = cli_dev_path(d, "conf", "/zookeeper.secret");
    char *rms = cli_dev_join_rm_urls(d);
    int rc = base_mkdirs(dir, 0700, err);
    if (rc >= 0)
        rc = make_secret_if_absent(secret, err);
    if (rc >= 0 && cli_dev_is_ha(d))
        rc = make_secret_if_absent(zk_secret, err);
    if (rc >= 0) {
        base_buf_adds(&xml, "<?xml version=\"1.0\"?>\n<!-- Written by creel dev at each start. "
                            "-->\n<configuration>\n");
        cli_dev_add_property(&xml, BASE_CLUSTER_SECRET_KEY, secret);
        cli_dev_add_property(&xml, "creel.auth", o->auth);
        cli_dev_add_property(&xml, "creel.auth.token-file", token);
        add_number_property(&xml, "yarn.nm.liveness-monitor.expiry-interval-ms", EXPIRY_MS);
        cli_dev_add_property(&xml, "creel.scheduler.policy", d->policy);
        add_number_property(&xml, "creel.nodemanager.map-slots", d->map_slots);
        add_number_property(&xml, "creel.nodemanager.reduce-slots", d->reduce_slots);
        if (*rms)
            cli_dev_add_property(&xml, "creel.nodemanager.rm", rms);
        if (cli_dev_is_ha(d))
            add_ha_properties(&xml, d);
        if (d->tls)
            add_tls_properties(&xml, d);
        cli_dev_add_rpc_addresses(d, &xml);
        for (size_t i = 0; i < o->n_sets; i++)
            add_property(&xml, o->sets[i], strcspn(o->sets[i], "="), strchr(o->sets[i], '=') + 1);
        base_buf_adds(&xml, "</configuration>\n");
        rc = base_file_write_atomic(path, xml.data, xml.len, 0600, false, err);
    }
    base_buf_free(&xml);
    free(rms);
    free(zk_secret);
    free(secret);
    free(path);
    free(dir);
    free(token);
    return rc;
}

int cli_dev_write_rm_url_file(const struct cli_dev *d, struct base_error *err)
{
    char *path = cli_dev_path(d, "rm", ".url"), *rms = cli_dev_join_rm_urls(d),
         *text = base_printf("%s\n", rms);
    int rc = base_file_write_atomic(path, text, strlen(text), 0644, false, err);
    free(text);
    free(rms);
    free(path);
    return rc;
}

/* In the child: begins a session, so that the terminal's Ctrl-C does not reach the daemon, opens
 * the log and executes the program. */
_Noreturn static void exec_daemon(const struct cli_dev *d, const char *log, char *const *argv)
{
    sigset_t none;
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    static const int reset[] = {SIGPIPE, SIGINT,  SIGQUIT, SIGHUP, SIGTERM,
                                SIGCHLD, SIGTTIN, SIGTTOU, SIGTSTP};
    for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++)
        /* a background job of a shell ignores some signals, and containers would inherit that */
        signal(reset[i], SIG_DFL);
    if (fd < 0 || null < 0 || dup2(null, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 ||
        chdir(d->dir) != 0)
        _exit(126);
    execv(argv[0], argv);
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static char **make_daemon_arguments(const struct cli_dev *d, const struct cli_dev_daemon *x,
                                    char *binary)
{
    bool rm = cli_dev_is_rm(x);
    if (cli_dev_is_zookeeper(x))
        return cli_dev_zookeeper_arguments(d, x, binary);
    char **v = base_alloc(12 * sizeof *v), *rms = cli_dev_join_rm_urls(d);
    size_t n = 0;
    v[n++] = binary;
    v[n++] = base_printf("--conf=%s/conf/creel-site.xml", d->dir);
    v[n++] = base_printf("--log-format=text");
    v[n++] = base_printf("--url-file=%s/%s.url", d->dir, x->name);
    v[n++] = base_printf("-Dcreel.%s.port=%lld", rm ? "rm" : "nodemanager", (long long)x->port);
    v[n++] = base_printf("-Dcreel.%s=%s/%s", rm ? "rm.state-dir" : "nodemanager.local-dir", d->dir,
                         x->name);
    if (!rm)
        v[n++] = base_printf("-Dcreel.nodemanager.rm=%s", rms);
    else if (cli_dev_is_ha(d))
        v[n++] = base_printf("-Dyarn.resourcemanager.ha.id=%s", x->name);
    free(rms);
    return v;
}

static bool read_url_file(const struct cli_dev *d, struct cli_dev_daemon *x)
{
    struct base_buf text = {0};
    char *path = cli_dev_path(d, x->name, ".url");
    bool there = access(path, R_OK) == 0 && base_file_read(path, URL_FILE_MAX, &text, NULL) >= 0 &&
                 text.len > 0;
    free(path);
    if (there) {
        size_t len = strcspn(text.data, "\r\n");
        const char *colon;
        snprintf(x->url, sizeof x->url, "%.*s", (int)len, text.data);
        colon = strrchr(x->url, ':');
        x->port = colon ? strtol(colon + 1, NULL, 10) : 0;
    }
    base_buf_free(&text);
    return there;
}

static int wait_until_listening(const struct cli_dev *d, struct cli_dev_daemon *x,
                                struct base_error *err)
{
    int64_t until = base_mono_us(&base_clock_real) + LISTEN_MS * INT64_C(1000);
    while (!read_url_file(d, x)) {
        if (!cli_proc_is_alive(&x->proc)) {
            waitpid(x->proc.pid, NULL, WNOHANG);
            return base_error_set(err, -BASE_EIO, "%s did not start", x->name);
        }
        if (base_mono_us(&base_clock_real) > until)
            return base_error_set(err, -BASE_ETIMEOUT, "%s does not listen after %d s", x->name,
                                  LISTEN_MS / 1000);
        poll(NULL, 0, POLL_MS);
    }
    return 0;
}

static int write_pid_file(const struct cli_dev *d, const struct cli_dev_daemon *x,
                          struct base_error *err)
{
    char *path = cli_dev_path(d, x->name, ".pid"), *text = base_printf("%d\n", (int)x->proc.pid);
    int rc = base_file_write_atomic(path, text, strlen(text), 0644, false, err);
    free(text);
    free(path);
    return rc;
}

static const char *get_program_name(const struct cli_dev_daemon *x)
{
    return cli_dev_is_rm(x) ? "creel-rm" : cli_dev_is_nm(x) ? "creel-nm" : "java";
}

/* The URL file is removed before the start and awaited after it: a daemon writes the file when it
 * listens. ZooKeeper writes no such file, so it is queried at its port instead. */
int cli_dev_launch_daemon_and_wait(struct cli_dev *d, struct cli_dev_daemon *x,
                                   struct base_error *err)
{
    char *binary = cli_dev_find_program(get_program_name(x), err);
    int rc = binary ? 0 : -BASE_ENOTFOUND;
    if (rc == 0 && cli_dev_is_zookeeper(x))
        rc = cli_dev_zookeeper_write_conf(d, x, err);
    if (rc < 0) {
        free(binary);
        return rc;
    }
    char **argv = make_daemon_arguments(d, x, binary), *log = cli_dev_path(d, x->name, ".log");
    char *url = cli_dev_path(d, x->name, ".url");
    unlink(url);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exec_daemon(d, log, argv);
    if (pid < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "cannot start %s", x->name);
    if (rc == 0) {
        x->proc = cli_proc_identify(pid);
        x->stopping = false;
        rc = write_pid_file(d, x, err);
    }
    if (rc >= 0)
        rc = cli_dev_is_zookeeper(x) ? cli_dev_zookeeper_wait_until_serving(d, x, err)
                                     : wait_until_listening(d, x, err);
    free(url);
    free(log);
    for (size_t i = 0; argv[i]; i++)
        free(argv[i]);
    free(argv);
    return rc;
}

/* Returns how many of this cluster's NMs are RUNNING according to the RM at @rm_url; 0 when that RM
 * is a standby or does not answer. */
static size_t count_registered_nms(const struct cli_dev *d, struct base_http *http,
                                   const char *rm_url)
{
    char *url = base_printf("%s/ws/v1/cluster/nodes?states=RUNNING", rm_url);
    struct base_http_request rq = {.method = "GET", .url = url, .timeout_ms = 5000};
    struct base_http_answer answer = {0};
    size_t found = 0;
    bool answered = base_http_perform(http, &rq, &answer, NULL) >= 0 && answer.status == 200;
    json_t *j = answered ? json_loadb(answer.body.data, answer.body.len, 0, NULL) : NULL;
    const json_t *nodes = cli_at(j, "nodes.node");
    for (size_t i = 0; i < d->n; i++) {
        if (!cli_dev_is_nm(&d->v[i]))
            continue;
        const char *address =
            strstr(d->v[i].url, "://") ? strstr(d->v[i].url, "://") + 3 : d->v[i].url;
        size_t len = strcspn(address, "/");
        for (size_t k = 0; k < cli_list_or_one_len(nodes); k++) {
            const char *http_address = cli_str(cli_list_or_one_get(nodes, k), "nodeHTTPAddress");
            found += strlen(http_address) == len && memcmp(http_address, address, len) == 0;
        }
    }
    json_decref(j);
    base_http_answer_free(&answer);
    free(url);
    return found;
}

static size_t get_greatest_registered_count(const struct cli_dev *d, struct base_http *http)
{
    size_t most = 0;
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++) {
        size_t found = count_registered_nms(d, http, d->v[i].url);
        most = found > most ? found : most;
    }
    return most;
}

int cli_dev_wait_until_nodes_registered(const struct cli_dev *d, int timeout_ms,
                                        struct base_error *err)
{
    int64_t until = base_mono_us(&base_clock_real) + timeout_ms * INT64_C(1000);
    struct base_http *http = base_http_new();
    size_t found, nodes = cli_dev_count_daemons(d, cli_dev_is_nm);
    int rc = 0;
    while (rc == 0 && (found = get_greatest_registered_count(d, http)) < nodes) {
        for (size_t i = 0; i < d->n && rc == 0; i++)
            if (!cli_proc_is_alive(&d->v[i].proc))
                rc = base_error_set(err, -BASE_EIO, "%s has exited", d->v[i].name);
        if (rc == 0 && base_mono_us(&base_clock_real) > until)
            rc = base_error_set(err, -BASE_ETIMEOUT,
                                "only %zu of %zu nodes are registered after %d s", found, nodes,
                                timeout_ms / 1000);
        if (rc == 0)
            poll(NULL, 0, POLL_MS * 2);
    }
    base_http_free(http);
    return rc;
}
