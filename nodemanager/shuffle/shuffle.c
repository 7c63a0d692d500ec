#include "nodemanager/shuffle/shuffle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/server/hosts.h"
#include "api/server/listen.h"
#include "base/crypto/base64.h"
#include "base/io/log.h"
#include "nodemanager/shuffle/server.h"

#define PORT_KEY     "mapreduce.shuffle.port"
#define SERVICES_KEY "yarn.nodemanager.aux-services"
#define THREADS_MAX  8
#define CONNECTIONS  10000 /* at most, when no bound is configured */

struct nm_shuffle {
    const struct base_conf *conf;
    const struct nm_files *files;
    struct nm_shuffle_server *server; /* NULL: not started */
    int listener;                     /* -1: the server has it */
    struct nm_shuffle_jobs *jobs;
    struct nm_shuffle_counts counts;
    int port;
};

/* Returns true if the service is listed; warns of others, which Creel does not have. */
static bool is_listed(const struct base_conf *conf)
{
    const char *list = base_conf_get(conf, SERVICES_KEY);
    bool listed = false;

    for (const char *at = list ? list : ""; *(at += strspn(at, ", \t\n"));) {
        size_t len = strcspn(at, ", \t\n");

        if (len == strlen(NM_SHUFFLE_SERVICE) && memcmp(at, NM_SHUFFLE_SERVICE, len) == 0)
            listed = true;
        else
            base_log_warn("shuffle",
                          SERVICES_KEY
                          ": \"%.*s\" is not run: the only service is " NM_SHUFFLE_SERVICE,
                          (int)(len < 100 ? len : 100), at);
        at += len;
    }
    return listed;
}

static bool is_configured(const struct base_conf *conf, struct api_authority *address)
{
    const char *text = base_conf_get(conf, "yarn.nodemanager.address");

    if (!is_listed(conf))
        return false;
    /* the port of Hadoop RPC, which is opened before, refuses wrong addresses */
    if (text && *text && api_authority_parse(text, address))
        return true;
    base_log_warn("shuffle", SERVICES_KEY ": " NM_SHUFFLE_SERVICE
                                          " is not run: it needs yarn.nodemanager.address");
    return false;
}

static int note_port(struct nm_shuffle *s, struct nm_disk_state *disk, struct base_error *err)
{
    uint16_t number;
    bool loopback;
    int rc = api_listen_get_address(s->listener, &number, &loopback, err);

    if (rc < 0)
        return rc;
    s->port = number;
    if (disk->shuffle_port == number)
        return 0;
    disk->shuffle_port = number;
    return nm_files_save_state(s->files, disk, err);
}

/* A connection that sends needs three descriptors: its socket, the folder of the outputs and a
 * file. Half of all are left for everything else that the node does. */
static int64_t bound_connections(const struct base_conf *conf)
{
    int64_t wanted = base_conf_int(conf, "mapreduce.shuffle.max.connections"), possible;
    struct rlimit r = {.rlim_cur = 1024};

    getrlimit(RLIMIT_NOFILE, &r);
    possible = r.rlim_cur / 6 > CONNECTIONS ? CONNECTIONS : (int64_t)(r.rlim_cur / 6);
    return wanted ? wanted : possible;
}

static unsigned choose_threads(const struct base_conf *conf)
{
    int64_t wanted = base_conf_int(conf, "mapreduce.shuffle.max.threads");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (wanted)
        return (unsigned)wanted;
    return processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (unsigned)processors;
}

int nm_shuffle_open(const struct base_conf *conf, const struct api_server_conf *server,
                    const struct nm_files *files, struct nm_disk_state *disk,
                    struct nm_shuffle **out, struct base_error *err)
{
    struct api_authority address;
    struct nm_shuffle *s;
    int fd, rc;

    *out = NULL;
    if (!is_configured(conf, &address))
        return 0;
    fd = api_open_listener_at_last_port(server, address.host, base_conf_int(conf, PORT_KEY),
                                        disk->shuffle_port, PORT_KEY, err);
    if (fd < 0)
        return base_error_wrap(err, fd, PORT_KEY);
    s = base_alloc(sizeof *s);
    s->conf = conf;
    s->files = files;
    s->listener = fd;
    s->jobs = nm_shuffle_jobs_new(files);
    rc = note_port(s, disk, err);
    if (rc < 0)
        nm_shuffle_close(s);
    else
        *out = s;
    return rc;
}

int nm_shuffle_start(struct nm_shuffle *s, struct base_error *err)
{
    struct nm_shuffle_server_conf c;
    int rc;

    if (!s)
        return 0;
    c = (struct nm_shuffle_server_conf){
        .listener = s->listener,
        .threads = choose_threads(s->conf),
        .connections_max = bound_connections(s->conf),
        .site = {.files = s->files,
                 .jobs = s->jobs,
                 .counts = &s->counts,
                 .port = s->port,
                 .keep_alive =
                     base_conf_bool(s->conf, "mapreduce.shuffle.connection-keep-alive.enable"),
                 .keep_alive_us =
                     base_conf_int(s->conf, "mapreduce.shuffle.connection-keep-alive.timeout") *
                     1000000}};
    s->listener = -1; /* the server takes it, also when it cannot start */
    rc = nm_shuffle_server_start(&c, &s->server, err);
    if (rc == 0)
        base_log_info("shuffle", NM_SHUFFLE_SERVICE " at port %d, %u threads", s->port, c.threads);
    return rc;
}

void nm_shuffle_close(struct nm_shuffle *s)
{
    if (!s)
        return;
    nm_shuffle_server_stop(s->server);
    if (s->listener >= 0)
        close(s->listener);
    nm_shuffle_jobs_free(s->jobs);
    free(s);
}

int nm_shuffle_port(const struct nm_shuffle *s)
{
    return s ? s->port : 0;
}

int nm_shuffle_register(struct nm_shuffle *s, const struct base_app_id *app, const char *data,
                        struct base_error *err)
{
    struct nm_shuffle_secret secret;
    struct base_buf bytes = {0};
    int rc;

    if (!s || !data)
        return 0;
    base_base64_decode(data, &bytes);
    rc = nm_shuffle_secret_read(bytes.data ? bytes.data : "", bytes.len, &secret, err);
    if (rc == 0)
        rc = nm_shuffle_jobs_register(s->jobs, app, &secret, err);
    explicit_bzero(&secret, sizeof secret);
    if (bytes.data)
        explicit_bzero(bytes.data, bytes.len);
    base_buf_free(&bytes);
    return rc;
}

void nm_shuffle_recover(struct nm_shuffle *s, const struct base_app_id *app)
{
    if (s)
        nm_shuffle_jobs_recover(s->jobs, app);
}

void nm_shuffle_forget(struct nm_shuffle *s, const struct base_app_id *app)
{
    if (s)
        nm_shuffle_jobs_forget(s->jobs, app);
}

void nm_shuffle_get_figures(const struct nm_shuffle *s, struct nm_shuffle_figures *out)
{
    *out = (struct nm_shuffle_figures){0};
    if (!s)
        return;
    out->served = atomic_load_explicit(&s->counts.served, memory_order_relaxed);
    out->bytes = atomic_load_explicit(&s->counts.bytes, memory_order_relaxed);
    out->failed = atomic_load_explicit(&s->counts.failed, memory_order_relaxed);
    out->connections = atomic_load_explicit(&s->counts.connections, memory_order_relaxed);
}
