/* api/cli/doctor/files.c - the files and folders that the configuration names: who can read, write
 * or replace them. Files that are not on this host, or not visible to the caller, are passed
 * over. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/doctor/doctor.h"
#include "base/mem.h"

static void report_file_mode(struct doctor *d, const struct doctor_check *check, const char *key,
                             const char *path, const char *wrong, const struct stat *st)
{
    char *text = base_printf("%s: %s (mode %04o, owner %ld)", path, wrong,
                             (unsigned)(st->st_mode & 07777), (long)st->st_uid);
    doctor_report_if_severe(d, check, key, text);
    free(text);
}

/* Reports the file that @key names unless it is a regular one that gives only its owner
 * permissions, or cannot be found. */
static void check_private_file(struct doctor *d, const struct doctor_check *check, const char *key)
{
    const char *path = doctor_conf_get(d, key);
    struct stat st;

    if (!*path || lstat(path, &st) < 0)
        return;
    if (!S_ISREG(st.st_mode))
        report_file_mode(d, check, key, path, "not a regular file", &st);
    else if (st.st_mode & 077)
        report_file_mode(d, check, key, path, "open to others", &st);
}

void doctor_check_secret_files(struct doctor *d, const struct doctor_check *check)
{
    static const char *const keys[] = {"creel.cluster.secret-file",
                                       "creel.zk.secret-file",
                                       "creel.auth.token-file",
                                       "hadoop.http.authentication.signature.secret.file",
                                       "yarn.resourcemanager.webapp.spnego-keytab-file",
                                       "yarn.nodemanager.webapp.spnego-keytab-file"};
    struct stat st;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        check_private_file(d, check, keys[i]);
    /* A certificate's key may be readable for a group, as Debian's ssl-cert keeps it. */
    const char *key = "creel.tls.key-file", *path = doctor_conf_get(d, key);
    if (*path && stat(path, &st) == 0 && (st.st_mode & 037))
        report_file_mode(d, check, key, path, "open to others", &st);
    /* @FILE holds the password of hadoop.zk.auth. */
    path = doctor_conf_get(d, "hadoop.zk.auth");
    if (*path == '@' && stat(path + 1, &st) == 0 && (st.st_mode & 077))
        report_file_mode(d, check, "hadoop.zk.auth", path + 1, "open to others", &st);
}

/* A file that is not there counts as missing only where its folder is: other hosts may have it. */
static bool file_is_missing_in_its_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = base_strndup(path, slash ? (size_t)(slash - path) : 0);
    struct stat st;
    bool missing = lstat(path, &st) < 0 && errno == ENOENT && (!slash || stat(folder, &st) == 0);

    free(folder);
    return missing;
}

void doctor_check_keytab(struct doctor *d, const struct doctor_check *check)
{
    static const char *const daemons[] = {"resourcemanager", "nodemanager"};

    if (strcmp(doctor_conf_get(d, "creel.auth"), "spnego") != 0)
        return;
    for (size_t i = 0; i < sizeof daemons / sizeof *daemons; i++) {
        char *principal = base_printf("yarn.%s.webapp.spnego-principal", daemons[i]);
        char *keytab = base_printf("yarn.%s.webapp.spnego-keytab-file", daemons[i]);
        const char *path = doctor_conf_get(d, keytab);

        if (!*doctor_conf_get(d, principal))
            doctor_report_if_severe(d, check, principal, "");
        if (!*path || file_is_missing_in_its_folder(path))
            doctor_report_if_severe(d, check, keytab, path);
        free(keytab);
        free(principal);
    }
}

void doctor_check_launcher_file(struct doctor *d, const struct doctor_check *check)
{
    const char *key = "creel.nodemanager.user-launcher", *path = doctor_conf_get(d, key);
    struct stat st;

    if (!*path || lstat(path, &st) < 0)
        return;
    const char *wrong = !S_ISREG(st.st_mode)      ? "not a regular file"
                        : st.st_uid != 0          ? "not owned by root"
                        : st.st_mode & 022        ? "others can write it"
                        : st.st_mode & 001        ? "everybody can run it"
                        : !(st.st_mode & S_ISUID) ? "not setuid"
                                                  : NULL;
    if (wrong)
        report_file_mode(d, check, key, path, wrong, &st);
}

static void check_folder_mode(struct doctor *d, const struct doctor_check *check, const char *key,
                              const char *path, mode_t forbidden, const char *wrong)
{
    struct stat st;
    if (*path && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & forbidden))
        report_file_mode(d, check, key, path, wrong, &st);
}

void doctor_check_state_folder(struct doctor *d, const struct doctor_check *check)
{
    const char *key = "creel.rm.state-dir";
    check_folder_mode(d, check, key, doctor_conf_get(d, key), 027, "open to others");
}

void doctor_check_local_folder(struct doctor *d, const struct doctor_check *check)
{
    const char *key = "creel.nodemanager.local-dir";
    check_folder_mode(d, check, key, doctor_conf_get(d, key), 022, "others can write there");
}

void doctor_check_conf_folder(struct doctor *d, const struct doctor_check *check)
{
    const char *folder = base_conf_folder(d->conf);
    if (folder)
        check_folder_mode(d, check, "CREEL_CONF_DIR", folder, 022, "others can write there");
}
