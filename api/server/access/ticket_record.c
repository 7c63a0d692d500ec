#include "api/server/access/ticket_record.h"

#include <errno.h>
#include <fcntl.h>
#include <krb5.h>
#include <profile.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/plain.h"
#include "base/io/private_file.h"
#include "base/mem.h"

#define FOLDER "krb5"
#define NAME   "rcache2"

static bool environment_names_one(void)
{
    static const char *const names[] = {"KRB5RCACHENAME", "KRB5RCACHETYPE", "KRB5RCACHEDIR"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static bool kerberos_conf_names_one(void)
{
    krb5_context context;
    struct _profile_t *profile = NULL;
    char *name = NULL;
    bool named;

    if (krb5_init_context(&context) != 0)
        return false;
    if (krb5_get_profile(context, &profile) == 0 &&
        profile_get_string(profile, "libdefaults", "default_rcache_name", NULL, NULL, &name) != 0)
        name = NULL;
    named = name;
    profile_release_string(name);
    profile_release(profile);
    krb5_free_context(context);
    return named;
}

static int check_is_own_alone(const char *path, const struct stat *st, struct base_error *err)
{
    if (st->st_uid != geteuid())
        return base_error_set(err, -BASE_EPERM, "%s belongs to user id %u: expected %u", path,
                              (unsigned)st->st_uid, (unsigned)geteuid());
    if (st->st_mode & 077)
        return base_error_set(err, -BASE_EPERM, "%s has mode %04o, so others may use it", path,
                              (unsigned)(st->st_mode & 07777));
    return 0;
}

static int make_folder(const char *path, struct base_error *err)
{
    struct stat st;
    int rc = base_mkdirs(path, 0700, err);

    if (rc < 0)
        return rc;
    if (lstat(path, &st) < 0)
        return base_error_set(err, -BASE_EIO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return base_error_set(err, -BASE_EPERM, "%s is not a folder", path);
    return check_is_own_alone(path, &st, err);
}

static int make_file(const char *path, struct base_error *err)
{
    struct stat st;
    int fd = base_plain_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, &st);

    if (fd < 0)
        return base_error_set(err, -BASE_EIO, "%s: %s", path, base_plain_open_strerror(fd));
    close(fd);
    return check_is_own_alone(path, &st, err);
}

int api_ticket_record_open(char **out, struct base_error *err)
{
    char *folder = base_user_state_path(FOLDER), *path = base_printf("%s/" NAME, folder);
    int rc = 0;

    *out = NULL;
    if (!environment_names_one() && !kerberos_conf_names_one()) {
        rc = make_folder(folder, err);
        if (rc == 0)
            rc = make_file(path, err);
        if (rc == 0)
            *out = base_printf("file2:%s", path);
    }
    free(path);
    free(folder);
    return rc < 0 ? base_error_wrap(err, -BASE_EINVAL,
                                    "creel.auth is spnego: the record of Kerberos tickets seen "
                                    "needs a place of this user's own (XDG_STATE_HOME, or "
                                    "KRB5RCACHENAME, can name one)")
                  : 0;
}
