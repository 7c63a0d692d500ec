/* api/cli/dev/ha.c - several ResourceManagers under `creel dev`: the ZooKeeper that elects one of
 * them, their ports, and which one is active.
 *
 * ZooKeeper is Debian's: a single server with short ticks (tickTime 200, sessions of 400 ms or
 * more), in <dir>/zookeeper. The server does not wait for the disk (forceSync=no): its data
 * survives a killed process anyway, and a slow disk cannot end a session. Source: ZooKeeper
 * Administrator's Guide 3.8 (zoo.cfg, four letter words, zookeeper.forceSync). */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/rm_client.h"
#include "base/clock.h"
#include "base/io/http_client.h"
#include "base/io/io.h"

#define JAR_DIR "/usr/share/java/"

enum {
    SERVE_MS = 60000,
    POLL_MS = 20,
    ASK_MS = 2000,
    PORT_MIN = 20000, /* below the ephemeral ports, so that a stopped daemon's port stays free */
    PORT_MAX = 32000,
    PORT_TRIES = 1000,
    CLIENT_MS = 2000,
};

static struct sockaddr_in loopback_address(int64_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

int cli_dev_check_port_free(int64_t port)
{
    struct sockaddr_in address = loopback_address(port);
    int one = 1, rc = 0, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (port != 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        rc = errno;
    close(fd);
    return rc;
}

int64_t cli_dev_find_free_port(void)
{
    for (int i = 0; i < PORT_TRIES; i++) {
        uint32_t random = (uint32_t)i;
        (void)!getrandom(&random, sizeof random, 0);
        int64_t port = PORT_MIN + random % (PORT_MAX - PORT_MIN);
        if (cli_dev_check_port_free(port) == 0)
            return port;
    }
    return 0;
}

/* Returns true when @path has the same meaning in zoo.cfg, a Java properties file, and in the URL
 * of log4j's configuration. */
static bool is_safe_for_java(const char *path)
{
    for (; *path; path++)
        if (*path < ' ' || *path > '~' || strchr("\\#%", *path))
            return false;
    return true;
}

int cli_dev_zookeeper_check_installed(const struct cli_dev *d, struct base_error *err)
{
    char *java = cli_dev_find_program("java", err);
    if (!java)
        return base_error_set(
            err, -BASE_ENOTFOUND,
            "--ha needs java, which is not in PATH; on Debian: apt install default-jre-headless");
    free(java);
    if (access(JAR_DIR "zookeeper.jar", R_OK) != 0)
        return base_error_set(
            err, -BASE_ENOTFOUND,
            "--ha needs ZooKeeper, and %s does not exist; on Debian: apt install zookeeper",
            JAR_DIR "zookeeper.jar");
    if (!is_safe_for_java(d->dir))
        return base_error_set(err, -BASE_EINVAL,
                              "--ha: ZooKeeper needs a folder whose path is plain ASCII without "
                              "\\, # and %%, not %s; --dir takes another one",
                              d->dir);
    return 0;
}

static int write_private_file(const char *path, const struct base_buf *text, struct base_error *err)
{
    return base_file_write_atomic(path, text->data, text->len, 0600, false, err);
}

int cli_dev_zookeeper_write_conf(const struct cli_dev *d, const struct cli_dev_daemon *x,
                                 struct base_error *err)
{
    char *data = cli_dev_path(d, x->name, "/data"), *conf = cli_dev_path(d, x->name, "/zoo.cfg");
    char *log = cli_dev_path(d, x->name, "/log4j.properties");
    struct base_buf text = {0}, log_text = {0};
    base_buf_addf(&text,
                  "# Written by creel dev at each start.\n"
                  "tickTime=200\n"
                  "minSessionTimeout=400\n"
                  "maxSessionTimeout=60000\n"
                  "maxClientCnxns=0\n"
                  "dataDir=%s\n"
                  "clientPortAddress=127.0.0.1\n"
                  "clientPort=%lld\n"
                  "admin.enableServer=false\n"
                  "4lw.commands.whitelist=*\n"
                  "autopurge.snapRetainCount=3\n"
                  "autopurge.purgeInterval=1\n",
                  data, (long long)x->port);
    base_buf_adds(
        &log_text,
        "log4j.rootLogger=INFO, OUT\nlog4j.appender.OUT=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.OUT.layout=org.apache.log4j.PatternLayout\n"
        "log4j.appender.OUT.layout.ConversionPattern=%d{ISO8601} %-5p %c{1}: "
        "%m%n\n");
    int rc = base_mkdirs(data, 0700, err);
    if (rc >= 0)
        rc = write_private_file(conf, &text, err);
    if (rc >= 0)
        rc = write_private_file(log, &log_text, err);
    base_buf_free(&text);
    base_buf_free(&log_text);
    free(data);
    free(conf);
    free(log);
    return rc;
}

char **cli_dev_zookeeper_arguments(const struct cli_dev *d, const struct cli_dev_daemon *x,
                                   char *java)
{
    char **v = base_alloc(14 * sizeof *v);
    size_t n = 0;
    v[n++] = java;
    v[n++] = base_strdup("-Xmx256m");
    v[n++] = base_strdup("-XX:+UseSerialGC");
    v[n++] = base_strdup("-XX:TieredStopAtLevel=1"); /* starts faster, with less memory */
    v[n++] = base_strdup("-XX:-UsePerfData");
    v[n++] = base_strdup("-Dzookeeper.jmx.log4j.disable=true");
    v[n++] = base_strdup("-Dzookeeper.forceSync=no");
    v[n++] = base_printf("-Dlog4j.configuration=file:%s/%s/log4j.properties", d->dir, x->name);
    v[n++] = base_strdup("-cp");
    v[n++] =
        base_strdup(JAR_DIR "zookeeper.jar:" JAR_DIR "slf4j-log4j12.jar:" JAR_DIR "log4j-1.2.jar");
    v[n++] = base_strdup("org.apache.zookeeper.server.quorum.QuorumPeerMain");
    v[n++] = base_printf("%s/%s/zoo.cfg", d->dir, x->name);
    return v;
}

/* Sends one of ZooKeeper's four letter words. @out becomes the answer, or "" when none came. */
static void ask_four_letter_word(int64_t port, const char *word, char *out, size_t size)
{
    struct sockaddr_in address = loopback_address(port);
    struct timeval limit = {.tv_sec = ASK_MS / 1000};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t len = 0;
    ssize_t n = 0;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, word, strlen(word), MSG_NOSIGNAL) == (ssize_t)strlen(word))
        while (len + 1 < size && (n = recv(fd, out + len, size - 1 - len, 0)) > 0)
            len += (size_t)n;
    out[len] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Returns true when the ZooKeeper that was started here serves requests; another server may have
 * been given its port. */
static bool is_our_zookeeper_serving(const struct cli_dev *d, const struct cli_dev_daemon *x)
{
    char text[4096], *data = cli_dev_path(d, x->name, "/data");
    ask_four_letter_word(x->port, "conf", text, sizeof text);
    bool ours = strstr(text, data) != NULL;
    free(data);
    ask_four_letter_word(x->port, "srvr", text, sizeof text);
    return ours && strstr(text, "Mode: ");
}

int cli_dev_zookeeper_wait_until_serving(const struct cli_dev *d, struct cli_dev_daemon *x,
                                         struct base_error *err)
{
    int64_t until = base_mono_us(&base_clock_real) + SERVE_MS * INT64_C(1000);
    while (!is_our_zookeeper_serving(d, x)) {
        if (!cli_proc_is_alive(&x->proc)) {
            waitpid(x->proc.pid, NULL, WNOHANG);
            return base_error_set(err, -BASE_EIO, "%s did not start", x->name);
        }
        if (base_mono_us(&base_clock_real) > until)
            return base_error_set(err, -BASE_ETIMEOUT, "%s does not serve requests after %d s",
                                  x->name, SERVE_MS / 1000);
        poll(NULL, 0, POLL_MS);
    }
    return 0;
}

const char *cli_dev_ask_rm_role(const char *url)
{
    static const char *const roles[] = {"active", "standby", "initializing"};
    struct base_http *http = base_http_new();
    char *info = base_printf("%s/ws/v1/cluster/info", url);
    struct base_http_request rq = {.method = "GET", .url = info, .timeout_ms = CLIENT_MS};
    struct base_http_answer answer = {0};
    const char *role = "";
    if (base_http_perform(http, &rq, &answer, NULL) >= 0 && answer.status == 200) {
        json_t *j = json_loadb(answer.body.data, answer.body.len, 0, NULL);
        for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
            if (strcasecmp(cli_str(j, "clusterInfo.haState"), roles[i]) == 0)
                role = roles[i];
        json_decref(j);
    }
    base_http_answer_free(&answer);
    base_http_free(http);
    free(info);
    return role;
}

char *cli_dev_join_rm_urls(const struct cli_dev *d)
{
    struct base_buf b = {0};
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++)
        if (d->v[i].url[0])
            base_buf_addf(&b, "%s%s", b.len ? "," : "", d->v[i].url);
    return b.len ? base_buf_take(&b) : base_strdup("");
}
