/* api/cli/secret.c - `creel secret`: makes or replaces the file of a secret. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/cli/cli.h"
#include "base/crypto/keyring.h"
#include "base/mem.h"

enum { KEY_NEW = 256, KEY_FILE, KEY_KEEP_OLD };

struct secret {
    bool new, keep_old;
    const char *file;
};

static const struct argp_option options[] = {
    {"new", KEY_NEW, NULL, 0, "Make a new secret", 1},
    {"file", KEY_FILE, "FILE", 0,
     "Write it to FILE; default: creel.cluster.secret-file of the configuration, else the file in "
     "the user's state folder, which daemons on a loopback address use",
     1},
    {"keep-old", KEY_KEEP_OLD, NULL, 0,
     "Keep accepting the secret that FILE holds now: the new one becomes its first line, the old "
     "one its second",
     1},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct secret *s = state->input;

    switch (key) {
    case KEY_NEW:
        s->new = true;
        return 0;
    case KEY_FILE:
        if (!*arg)
            return cli_option_set_error("--file: the name of the file is empty");
        s->file = arg;
        return 0;
    case KEY_KEEP_OLD:
        s->keep_old = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int make_secret_file(const char *path, bool keep_old)
{
    struct base_error err = {0};
    int rc =
        keep_old ? base_secret_file_rotate(path, true, &err) : base_secret_file_make(path, &err);

    if (rc == -BASE_EEXIST)
        return cli_error(CLI_USAGE,
                         "secret: %s exists: --keep-old replaces its secret and accepts the old "
                         "one until you remove its second line",
                         path);
    if (rc < 0)
        return cli_error(rc == -BASE_EIO || rc == -BASE_ENOSPC ? CLI_FAILED : CLI_USAGE,
                         "secret: %s", err.text);
    fprintf(stderr, "creel: %s: a new secret%s\n", path,
            keep_old ? ", and the old one in its second line" : "");
    return CLI_OK;
}

int cli_secret_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "",
        "Makes the secret by which the daemons of a cluster know each other, in a file that only "
        "its owner can read. Every daemon gets a copy, and creel.cluster.secret-file names it.\v"
        "Examples:\n"
        "  creel secret --new --file /etc/creel/cluster.secret\n"
        "  creel secret --new --keep-old --file /etc/creel/cluster.secret\n\n"
        "To replace a secret, copy the file with both to every host, in any order; daemons read it "
        "by themselves, or at once after creel rmadmin -refreshSecret or SIGHUP. Then remove the "
        "second line everywhere. Running containers are not touched.\n\n"
        "Exit status: 0 success, 1 the file cannot be written, 2 wrong usage, or a file that "
        "exists.",
        NULL,
        NULL,
        NULL};
    struct cli c = {.without = CLI_WITHOUT_RM | CLI_WITHOUT_JSON};
    struct secret s = {0};
    char *path = NULL;
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &s);

    if (rc == CLI_OK && !s.new)
        rc = cli_error(CLI_USAGE, "secret: the action is missing: creel secret --new");
    if (rc == CLI_OK)
        path = s.file ? base_strdup(s.file)
                      : base_keyring_path_by_conf(c.conf, BASE_CLUSTER_SECRET_KEY,
                                                  BASE_CLUSTER_SECRET_NAME);
    if (rc == CLI_OK)
        rc = make_secret_file(path, s.keep_old);
    free(path);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
