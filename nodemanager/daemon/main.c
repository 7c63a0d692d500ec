/* creel-nm: reads the command line and the configuration, then runs the daemon. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/conf/conf.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "base/version/build.h"
#include "nodemanager/daemon/daemon.h"

#define ARGS_MAX 256

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "creel-nm %s\n", base_build_text);
}
void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

static const char doc[] =
    "NodeManager of a Creel cluster: offers this host's map and reduce slots to the "
    "ResourceManager and runs the containers that it assigns. Containers go on when the "
    "NodeManager is ended (SIGTERM) or restarted.\v"
    "Examples:\n"
    "  creel-nm -D creel.nodemanager.rm=http://127.0.0.1:8088 \\\n"
    "           -D creel.nodemanager.local-dir=/var/lib/creel/nm\n"
    "  creel-nm --conf /etc/creel/yarn-site.xml -D creel.nodemanager.map-slots=8\n"
    "  creel-nm -D creel.nodemanager.port=0 --url-file /run/creel/nm.url\n\n"
    "Without --conf it reads creel-site.xml and yarn-site.xml in $CREEL_CONF_DIR or /etc/creel.";

enum { OPT_URL_FILE = 0x100, OPT_PID_FILE, OPT_LOG_FORMAT, OPT_LOG_LEVEL, OPT_CONF, OPT_INSECURE };
static const struct argp_option options[] = {
    {NULL, 'D', "KEY=VALUE", 0, "set a configuration key, over all files", 0},
    {"conf", OPT_CONF, "FILE", 0, "read this configuration file; may be repeated", 0},
    {"url-file", OPT_URL_FILE, "PATH", 0, "write the node's URL there once it listens", 0},
    {"pid-file", OPT_PID_FILE, "PATH", 0, "write the process id there", 0},
    {"insecure", OPT_INSECURE, NULL, 0, "allow an address other than loopback", 0},
    {"log-format", OPT_LOG_FORMAT, "FORMAT", 0, "auto, text, json or journal", 0},
    {"log-level", OPT_LOG_LEVEL, "LEVEL", 0, "error, warn, info or debug", 0},
    {0},
};

struct args {
    struct nm_options nm;
    enum base_log_format format;
    enum base_log_level level;
    const char *files[ARGS_MAX], *sets[ARGS_MAX];
    size_t n_files, n_sets;
};

static error_t parse_log_level(const char *text, enum base_log_level *out)
{
    static const struct {
        const char *name;
        enum base_log_level level;
    } levels[] = {{"error", BASE_LOG_ERROR},
                  {"warn", BASE_LOG_WARN},
                  {"info", BASE_LOG_INFO},
                  {"debug", BASE_LOG_DEBUG}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(text, levels[i].name) == 0) {
            *out = levels[i].level;
            return 0;
        }
    }
    return EINVAL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'D':
        if (a->n_sets == ARGS_MAX)
            argp_error(state, "more than %d -D", ARGS_MAX);
        a->sets[a->n_sets++] = arg;
        return 0;
    case OPT_CONF:
        if (a->n_files == ARGS_MAX)
            argp_error(state, "more than %d --conf", ARGS_MAX);
        a->files[a->n_files++] = arg;
        return 0;
    case OPT_URL_FILE:
        a->nm.url_file = arg;
        return 0;
    case OPT_PID_FILE:
        a->nm.pid_file = arg;
        return 0;
    case OPT_INSECURE:
        a->nm.insecure = true;
        return 0;
    case OPT_LOG_FORMAT:
        if (base_log_format_parse(arg, &a->format) < 0)
            argp_error(state, "--log-format: \"%s\" is none of auto, text, json, journal", arg);
        return 0;
    case OPT_LOG_LEVEL:
        if (parse_log_level(arg, &a->level))
            argp_error(state, "--log-level: \"%s\" is none of error, warn, info, debug", arg);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument \"%s\"", arg);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int load_conf(const struct args *a, struct base_conf *conf, struct base_error *err)
{
    int rc = a->n_files ? 0 : base_conf_load_default_files(conf, err);
    for (size_t i = 0; rc == 0 && i < a->n_files; i++)
        rc = base_conf_load_file(conf, a->files[i], err);
    for (size_t i = 0; rc == 0 && i < a->n_sets; i++)
        rc = base_conf_set_arg(conf, a->sets[i], err);
    return rc < 0 ? rc : base_conf_check(conf, NULL, err);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {.options = options, .parser = parse_option, .doc = doc};
    struct args a = {.format = BASE_LOG_AUTO, .level = BASE_LOG_INFO};
    struct base_error err = {0};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    base_log_init("creel-nm", a.format, a.level);
    struct base_conf *conf = base_conf_new();
    if (load_conf(&a, conf, &err) < 0) {
        base_log_error("nm", "%s", err.text);
        base_conf_free(conf);
        return 2;
    }
    int status = nm_daemon_run(conf, &a.nm);
    base_conf_free(conf);
    return status;
}
