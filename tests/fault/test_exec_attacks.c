/* Goal: even if the NodeManager's user is hostile, and whatever he and the users of containers put
 * into the folders, creel-exec changes no file of root, of a banned or a system user, signals none
 * of their processes, and runs nothing as one of them.
 * Method: seeded attacks. Each makes folders with links, hard links, FIFOs, odd modes and owners,
 * as the NodeManager and as a user; exchanges them while creel-exec runs; and calls it with
 * arguments, descriptors, limits, an environment and a stdin of its own. Afterwards a canary tree
 * (owners, modes, sizes, contents) and canary processes must be as before, all commands that ran
 * must have been ann's or bob's, and no sanitizer may have reported anything.
 *
 *   test_exec_attacks FOLDER-OF-PROGRAMS [ATTACKS [SEED]] */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"
#include "tests/fault/users_fixture.h"

#define LOCAL  USERS_DIR "/nm"
#define CANARY USERS_DIR "/canary"
#define RAN    USERS_DIR "/ran" /* commands make a file here */
#define EXEC   USERS_BIN "/creel-exec"
#define APP    "application_7_0001"
#define CT     "container_7_0001_01_000001"
#define END_MS 20000

static uint64_t state;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

#define PICK(list) ((list)[draw(sizeof(list) / sizeof((list)[0]))])

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    abort();
}

/* ---- canaries ---- */

static const uid_t owners[] = {0, USERS_EVE, USERS_SYSTEM, 61204, 61205};
static pid_t canaries[3];

static void make_file(const char *path, mode_t mode, uid_t uid, gid_t gid)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    must(fd >= 0 && write(fd, path, strlen(path)) == (ssize_t)strlen(path) &&
             fchown(fd, uid, gid) == 0 && fchmod(fd, mode) == 0,
         path);
    close(fd);
}

static void make_canaries(void)
{
    static const mode_t modes[] = {0600, 0644, 0666, 0755, 04755};
    char path[256];

    must(mkdir(CANARY, 0755) == 0 && mkdir(RAN, 0755) == 0 && chmod(RAN, 01777) == 0, CANARY);
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        snprintf(path, sizeof path, CANARY "/%u", (unsigned)owners[i]);
        /* 2750 with the NodeManager's group, and 0755 */
        must(mkdir(path, 0755) == 0 && chown(path, owners[i], i % 2 ? USERS_NM : 0) == 0 &&
                 chmod(path, i % 2 ? 02750 : 0755) == 0,
             path);
        for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
            snprintf(path, sizeof path, CANARY "/%u/file%zu", (unsigned)owners[i], k);
            /* 0640 instead of 0666: anybody may change a file that the world may write */
            make_file(path, modes[k] == 0666 ? 0640 : modes[k], owners[i], i % 2 ? USERS_NM : 0);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        canaries[i] = fork();
        if (canaries[i] == 0) {
            close_range(0, ~0u, 0); /* a reader of our output must not wait for us */
            must(setgroups(0, NULL) == 0 && setresgid(owners[i], owners[i], owners[i]) == 0 &&
                     setresuid(owners[i], owners[i], owners[i]) == 0,
                 "canary");
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* which the change of user has cleared */
            execl("/bin/sleep", "sleep", "100000", (char *)NULL);
            _exit(127);
        }
    }
}

/* A canary is there once it has executed sleep. */
static bool is_asleep(pid_t pid)
{
    char path[64];
    struct base_buf b = {0};
    bool yes;

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    yes = base_file_read(path, 64, &b, NULL) >= 0 && b.data && strcmp(b.data, "sleep\n") == 0;
    base_buf_free(&b);
    return yes;
}

static void add_tree(const char *path, struct base_buf *out)
{
    struct stat st;
    struct dirent **v = NULL;
    char entry[512];
    int n;

    must(lstat(path, &st) == 0, path);
    base_buf_addf(out, "%s %o %u %u %lld %lu\n", path, (unsigned)st.st_mode, (unsigned)st.st_uid,
                  (unsigned)st.st_gid, (long long)(S_ISREG(st.st_mode) ? st.st_size : 0),
                  (unsigned long)st.st_nlink);
    if (S_ISREG(st.st_mode)) {
        struct base_buf b = {0};

        must(base_file_read(path, 4096, &b, NULL) >= 0, path);
        base_buf_adds(out, b.data ? b.data : "");
        base_buf_free(&b);
    }
    if (!S_ISDIR(st.st_mode))
        return;
    n = scandir(path, &v, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(entry, sizeof entry, "%s/%s", path, v[i]->d_name);
        if (v[i]->d_name[0] != '.')
            add_tree(entry, out);
        free(v[i]);
    }
    free(v);
}

static char *describe_canaries(void)
{
    struct base_buf b = {0};
    char path[64];
    struct stat st;

    add_tree(CANARY, &b);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/proc/%d", (int)canaries[i]);
        must(stat(path, &st) == 0, path);
        base_buf_addf(&b, "process %zu %u\n", i, (unsigned)st.st_uid);
        must(waitpid(canaries[i], NULL, WNOHANG) == 0, "a canary process has ended");
    }
    return base_buf_take(&b);
}

/* Checks that each command that ran was ann's or bob's: it has made a file, which belongs to its
 * user. Removes the files and returns their number. */
static size_t check_what_ran(void)
{
    const struct dirent *e;
    struct stat st;
    size_t n = 0;
    DIR *d = opendir(RAN);

    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (st.st_uid != USERS_ANN && st.st_uid != USERS_BOB) {
            fprintf(stderr, "a command ran as %u\n", (unsigned)st.st_uid);
            abort();
        }
        n++;
        unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
    return n;
}

/* ---- what is put into the folders ---- */

static void become(uid_t uid)
{
    must(setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0,
         "become");
}

static const char *const targets[] = {CANARY,
                                      CANARY "/0",
                                      CANARY "/0/file1",
                                      CANARY "/61203",
                                      CANARY "/61203/file3",
                                      CANARY "/900/file4",
                                      CANARY "/61204/file1",
                                      "/etc/passwd",
                                      "/",
                                      "/proc/self",
                                      "/proc/1/root",
                                      ".."};

/* Puts something into folder @at under @name. Errors do not matter: the system may refuse, too. */
static void plant(int at, const char *name, int depth)
{
    char inner[32];
    int fd;

    switch (draw(depth > 3 ? 8 : 10)) {
    case 0:
    case 1:
        if (symlinkat(PICK(targets), at, name) < 0)
            return;
        break;
    case 2: /* a hard link, which the kernel should refuse */
        if (linkat(AT_FDCWD, PICK(targets), at, name, 0) < 0)
            return;
        break;
    case 3:
        if (mkfifoat(at, name, 0666) < 0)
            return;
        break;
    case 4:
        fd = openat(at, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd >= 0 && fchmod(fd, draw(010000)) < 0)
            return;
        /* a hard link to the own file */
        if (fd >= 0 && draw(3) == 0 && linkat(at, name, at, "again", 0) < 0)
            return;
        close(fd);
        break;
    case 5:
    case 6:
    case 7:
        fd = openat(at, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd >= 0)
            close(fd);
        break;
    default:
        if (mkdirat(at, name, 0700) < 0 ||
            (fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) < 0)
            return;
        for (unsigned n = draw(4); n > 0; n--) {
            snprintf(inner, sizeof inner, "f%u", draw(5));
            plant(fd, inner, depth + 1);
        }
        if (draw(3) == 0 && fchmod(fd, draw(010000)) < 0)
            return;
        close(fd);
    }
}

/* Replaces @path by a link or an odd folder. */
static void spoil(const char *path)
{
    char aside[300];

    switch (draw(4)) {
    case 0:
        snprintf(aside, sizeof aside, "%.250s.x", path);
        if (rename(path, aside) < 0 || symlink(PICK(targets), path) < 0)
            return;
        break;
    case 1:
        if (chmod(path, draw(010000)) < 0)
            return;
        break;
    case 2:
        plant(AT_FDCWD, path, 0);
        break;
    default:
        if (rmdir(path) < 0 || symlink(PICK(targets), path) < 0)
            return;
    }
}

static const char *const folders[] = {LOCAL "/apps",
                                      LOCAL "/logs",
                                      LOCAL "/trash",
                                      LOCAL "/cache",
                                      LOCAL "/cache/1",
                                      LOCAL "/cache/1/own",
                                      LOCAL "/apps/" APP,
                                      LOCAL "/logs/" APP,
                                      LOCAL "/apps/" APP "/" CT,
                                      LOCAL "/apps/" APP "/" CT "/work",
                                      LOCAL "/apps/" APP "/" CT "/tmp",
                                      LOCAL "/logs/" APP "/" CT,
                                      LOCAL "/trash/1",
                                      LOCAL "/trash/1/a",
                                      LOCAL "/trash/1/a/b"};
#define FOLDERS (sizeof folders / sizeof folders[0])

/* Makes the folders as the NodeManager does, then spoils some of them. */
static void prepare_as_nm(void)
{
    char name[32];

    for (size_t i = 0; i < FOLDERS; i++) {
        bool private = strstr(folders[i], CT) || strstr(folders[i], "own");

        if (mkdir(folders[i], private ? 0700 : 0711) < 0)
            continue;
    }
    make_file(LOCAL "/apps/" APP "/token", 0600, (uid_t)-1, (gid_t)-1);
    for (unsigned n = draw(4); n > 0; n--) {
        int at = open(PICK(folders), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

        snprintf(name, sizeof name, "p%u", draw(4));
        if (at >= 0) {
            plant(at, draw(5) ? name : draw(2) ? "token" : CT, 0);
            close(at);
        }
    }
    if (draw(2))
        spoil(PICK(folders));
}

/* Gives a folder to a user, as launch does, and lets the user fill it. */
static void prepare_as_user(uid_t uid)
{
    const char *path = PICK(folders);
    int at;

    if (lchown(path, uid, USERS_NM) < 0)
        return;
    if (fork() == 0) {
        become(uid);
        at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        for (unsigned n = draw(6); at >= 0 && n > 0; n--) {
            char name[32];

            snprintf(name, sizeof name, "u%u", draw(6));
            plant(at, name, 0);
        }
        _exit(0);
    }
    wait(NULL);
}

/* ---- the calls ---- */

static const char *const users[] = {"ann",    "ann",    "ann",  "bob",     "root",
                                    "eve",    "sysann", "mole", "creelnm", "rootling",
                                    "0",      "61201",  "",     "ann:x",   "../ann",
                                    "nobody", "ann\n",  "-1",   "%s%n",    "aaaaaaaaaaaaaaaa"};
static const char *const apps[] = {APP,  APP, APP, "application_7_0002", ("../apps/" APP),
                                   "..", ".", "",  "application_/../..", "application_%n"};
static const char *const containers[] = {
    CT,   CT, CT,           "container_7_0001_01_000002", ("../" CT),
    "..", "", "container_", "container_../../../canary"};
static const char *const paths[] = {"trash/1",
                                    "trash/1",
                                    "trash/1/a",
                                    "trash/1/a/b",
                                    "trash/..",
                                    "trash/../apps",
                                    "trash/1/../../../canary/0",
                                    "trash//1",
                                    "trash/",
                                    "trash",
                                    "/run/creel-exec-test/canary",
                                    "apps/" APP "/" CT,
                                    "trash/1/p0",
                                    "trash/1/u1",
                                    ""};
static const char *const numbers[] = {"1", "0", "-1",   "2", "99999999999999999999",
                                      "x", "",  "../1", "9"};
static const char *const programs[] = {"/bin/sh", "/bin/true",   "sh",
                                       "",        "/etc/passwd", CANARY "/0/file4"};
static const char *const operations[] = {"launch", "launch", "launch", "localize", "signal",
                                         "kill",   "delete", "delete", "read",     "measure",
                                         "",       "-h",     "mount"};

/* Fills in arguments; returns their number. */
static int make_arguments(const char *argv[16])
{
    static char pid[16], shim[16];
    const char *what = PICK(operations);
    int n = 0;

    snprintf(pid, sizeof pid, "%d", (int)canaries[draw(3)]);
    snprintf(shim, sizeof shim, "%d", (int)getppid());
    argv[n++] = draw(20) ? EXEC : "";
    argv[n++] = what;
    if (strcmp(what, "delete") == 0) {
        argv[n++] = PICK(paths);
    } else if (strcmp(what, "signal") == 0 || strcmp(what, "kill") == 0) {
        argv[n++] = PICK(users);
        argv[n++] = draw(2) ? pid : draw(2) ? "1" : shim;
        argv[n++] = draw(2) ? "9" : PICK(numbers);
        if (*what == 'k')
            argv[n++] = draw(2) ? pid : PICK(numbers);
    } else if (strcmp(what, "localize") == 0) {
        argv[n++] = draw(3) ? "bob" : PICK(users);
        argv[n++] = draw(3) ? "1" : PICK(numbers);
        argv[n++] = draw(3) ? "/bin/sh" : PICK(programs);
        argv[n++] = "-c";
        argv[n++] = ": > " RAN "/$$; rm -rf " CANARY;
    } else {
        /* mostly what gets past the first checks */
        argv[n++] = draw(3) ? "ann" : PICK(users);
        argv[n++] = draw(5) ? APP : PICK(apps);
        argv[n++] = draw(5) ? CT : PICK(containers);
        if (strcmp(what, "measure") == 0)
            argv[n++] = PICK(numbers);
    }
    if (draw(10) == 0)
        argv[n++] = "more";
    if (draw(10) == 0)
        n -= (int)draw((unsigned)n);
    argv[n] = NULL;
    return n;
}

/* The command does what a job could do at worst. */
#define WORST                                                                                      \
    ": > " RAN "/$$; rm -rf " CANARY " ; chmod -R 777 " CANARY                                     \
    "; kill -9 1; : > /etc/passwd; umount " CANARY "; mount -t tmpfs x " CANARY

static void make_stdin(void)
{
    static const char good[] = "3\0/bin/sh\0-c\0" WORST "\0A=b\0LD_PRELOAD=/x\0";
    char text[sizeof good];
    size_t len = sizeof good - 1;
    int ends[2];

    memcpy(text, good, sizeof good);
    if (draw(3) == 0)
        for (unsigned n = 1 + draw(4); n > 0; n--)
            text[draw((unsigned)len)] = (char)draw(256);
    if (draw(6) == 0)
        len = draw((unsigned)len);
    must(pipe(ends) == 0 && write(ends[1], text, len) == (ssize_t)len, "stdin");
    close(ends[1]);
    dup2(ends[0], 0);
}

static void odd_circumstances(void)
{
    struct rlimit few = {.rlim_cur = draw(16), .rlim_max = 16}, none = {0};

    if (draw(6) == 0)
        setrlimit(RLIMIT_NOFILE, &few);
    if (draw(10) == 0)
        setrlimit(RLIMIT_FSIZE, &none);
    if (draw(6) == 0)
        close((int)draw(3));
    if (draw(4) == 0)
        dup2(open("/dev/null", O_RDONLY), 3);
    if (draw(8) == 0 && chdir(LOCAL "/apps") < 0)
        return;
    if (draw(8) == 0)
        umask(draw(01000));
    if (draw(6) == 0)
        signal((int)(1 + draw(30)), SIG_IGN);
}

/* Starts a process that exchanges a folder for a link and back, until it is killed or fails. */
static pid_t start_exchanger(void)
{
    const char *path = PICK(folders);
    const char *target = PICK(targets);
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    char aside[300], link[300];

    become(USERS_NM);
    snprintf(aside, sizeof aside, "%s.aside", path);
    snprintf(link, sizeof link, "%s.link", path);
    if (symlink(target, link) < 0)
        _exit(0);
    for (;;) {
        if (rename(path, aside) < 0 || rename(link, path) < 0 || rename(path, link) < 0 ||
            rename(aside, path) < 0)
            _exit(0);
    }
}

/* Runs creel-exec once. Returns what it wrote to stderr; the caller frees it. */
static char *attack(void)
{
    static char *const envp[] = {"LD_PRELOAD=/tmp/evil.so",
                                 "LD_LIBRARY_PATH=/tmp",
                                 "PATH=/tmp",
                                 "HOME=/root",
                                 "GLIBC_TUNABLES=glibc.malloc.check=3",
                                 NULL};
    bool exchange = draw(3) == 0, interrupt = draw(12) == 0;
    pid_t other = exchange ? start_exchanger() : 0, pid;
    struct base_buf said = {0};
    char buf[4096];
    int ends[2], status;
    ssize_t n;
    int ready;

    must(pipe(ends) == 0, "pipe");
    pid = fork();
    if (pid == 0) {
        const char *argv[16];

        setpgid(0, 0);
        become(USERS_NM);
        make_arguments(argv);
        make_stdin();
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        odd_circumstances();
        execve(EXEC, (char *const *)argv, envp);
        _exit(125);
    }
    close(ends[1]);
    draw(1000); /* the child has drawn the same numbers: go on with others */
    if (interrupt) {
        usleep(draw(3000));
        kill(pid, SIGKILL);
    }
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    while ((ready = poll(&p, 1, END_MS)) == 1 && (n = read(ends[0], buf, sizeof buf)) > 0)
        base_buf_add(&said, buf, (size_t)n);
    if (ready == 0) /* an attack can stop the helper itself, for ever */
        kill(pid, SIGKILL);
    must(waitpid(pid, &status, 0) == pid, "creel-exec");
    if (other) {
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
    }
    close(ends[0]);
    return said.data ? base_buf_take(&said) : base_strdup("");
}

/* Removes, as root, the folders of the previous attack. */
static void clear_folders(void)
{
    if (system("rm -rf " LOCAL "/* && chmod 0711 " LOCAL " && chown 61200:61200 " LOCAL) != 0)
        abort();
}

int main(int argc, char **argv)
{
    long attacks = argc > 2 ? atol(argv[2]) : 1000;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    size_t ran = 0;
    char *before;

    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER-OF-PROGRAMS [ATTACKS [SEED]]\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("seed %llu\n", (unsigned long long)seed);
    users_make_host(argv[1]);
    must(mkdir(LOCAL, 0711) == 0, LOCAL);
    make_canaries();
    for (size_t i = 0; i < 3; i++)
        while (!is_asleep(canaries[i]))
            usleep(1000);
    before = describe_canaries();
    for (long i = 0; i < attacks; i++) {
        state = (seed << 32) + (uint64_t)i;
        for (int k = 0; k < 4; k++)
            draw(2);
        clear_folders();
        users_write_conf(LOCAL, draw(2) ? "private-tmp = false\n" : "");
        if (fork() == 0) {
            become(USERS_NM);
            prepare_as_nm();
            _exit(0);
        }
        wait(NULL);
        draw(7);
        while (draw(3) == 0)
            prepare_as_user(draw(2) ? USERS_ANN : USERS_BOB);
        char *said = attack(), *after = describe_canaries();
        if (strstr(said, "Sanitizer") || strstr(said, "runtime error")) {
            fprintf(stderr, "attack %ld: %s\n", i, said);
            return 1;
        }
        if (strcmp(before, after) != 0) {
            fprintf(stderr, "attack %ld changed a canary:\n%s\nbefore:\n%s\nsaid: %s\n", i, after,
                    before, said);
            return 1;
        }
        if (getenv("VERBOSE"))
            printf("%ld: %s", i, *said ? said : "\n");
        ran += check_what_ran();
        free(said);
        free(after);
    }
    for (size_t i = 0; i < 3; i++) {
        kill(canaries[i], SIGKILL);
        waitpid(canaries[i], NULL, 0);
    }
    free(before);
    printf("%ld attacks, %zu of them ran a command, none as another user\n", attacks, ran);
    /* attacks that never got as far as a command would prove little */
    return ran * 50 < (size_t)attacks;
}
