#include "tests/fault/users_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"

static void skip(const char *why)
{
    printf("skipped: %s\n", why);
    exit(77);
}

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    abort();
}

/* Mounts over @path a copy of it with @more appended. */
static void add_to_file(const char *path, const char *more)
{
    char *copy = base_printf("%s%s", USERS_DIR, strrchr(path, '/'));
    struct base_buf b = {0};

    must(base_file_read(path, 1 << 20, &b, NULL) >= 0, path);
    base_buf_adds(&b, more);
    must(base_file_write_atomic(copy, b.data, b.len, 0644, false, NULL) == 0, copy);
    must(mount(copy, path, NULL, MS_BIND, NULL) == 0, path);
    base_buf_free(&b);
    free(copy);
}

static void copy_program(const char *bin, const char *from, const char *to, mode_t mode)
{
    char *source = base_printf("%s/%s", bin, from), *target = base_printf(USERS_BIN "/%s", to);
    struct base_buf b = {0};

    must(base_file_read(source, 256 << 20, &b, NULL) >= 0, source);
    must(base_file_write_atomic(target, b.data, b.len, 0755, false, NULL) == 0, target);
    must(chown(target, 0, USERS_NM) == 0 && chmod(target, mode) == 0, target);
    base_buf_free(&b);
    free(source);
    free(target);
}

void users_make_host(const char *bin)
{
    static const char *const programs[] = {"creel-nm", "creel-shim", "creel-task", "creel-localize",
                                           "creel-user"};

    if (geteuid() != 0)
        skip("needs root");
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", "/run", "tmpfs", 0, "mode=755") < 0)
        skip("needs mount namespaces");
    umask(022);
    must(mkdir(USERS_DIR, 0755) == 0 && mkdir(USERS_BIN, 0755) == 0, USERS_DIR);
    add_to_file("/etc/passwd", "creelnm:x:61200:61200::/:/bin/false\n"
                               "ann:x:61201:61201::/home/ann:/bin/sh\n"
                               "bob:x:61202:61202::/home/bob:/bin/sh\n"
                               "eve:x:61203:61203::/home/eve:/bin/sh\n"
                               "mole:x:61204:61204::/home/mole:/bin/sh\n"
                               "sysann:x:900:61201::/:/bin/sh\n"
                               "rootling:x:61205:0::/:/bin/sh\n");
    add_to_file("/etc/group", "creelnm:x:61200:mole\nann:x:61201:\nbob:x:61202:\nboth:x:61209:ann,"
                              "bob\n");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        copy_program(bin, programs[i], programs[i], 0755);
    copy_program(bin, "creel-exec-test", "creel-exec", 04750);
    must(setenv("TMPDIR", USERS_DIR, 1) == 0 &&
             setenv("XDG_STATE_HOME", USERS_DIR "/state", 1) == 0 &&
             mkdir(USERS_DIR "/state", 0755) == 0,
         "environment");
}

void users_write_conf(const char *local_dir, const char *more)
{
    char *text = base_printf("# for a test\nnodemanager-user = creelnm\nlocal-dir = %s\n"
                             "banned-users = root, eve, nobody\n%s",
                             local_dir, more);

    must(base_file_write_atomic(USERS_DIR "/creel-exec.conf", text, strlen(text), 0644, false,
                                NULL) == 0,
         "creel-exec.conf");
    free(text);
}

/* Leaves in the bounding set what the NodeManager's unit does (deploy/systemd/creel-nm.service). */
static void drop_other_capabilities(void)
{
    static const int kept[] = {CAP_CHOWN,  CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID,
                               CAP_SETGID, CAP_SETPCAP,         CAP_SETUID, CAP_SYS_ADMIN};

    for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
        bool keep = false;

        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            keep = keep || kept[i] == cap;
        if (!keep)
            must(prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0, "capabilities");
    }
}

void users_become_nm(void)
{
    /* the cluster's secret, which this process may have made, is the NodeManager's from now on */
    must(system("chown -R 61200:61200 " USERS_DIR "/state") == 0, "chown");
    drop_other_capabilities();
    must(setgroups(0, NULL) == 0 && setresgid(USERS_NM, USERS_NM, USERS_NM) == 0 &&
             setresuid(USERS_NM, USERS_NM, USERS_NM) == 0,
         "become the NodeManager");
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}
