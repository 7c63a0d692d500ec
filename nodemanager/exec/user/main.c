/* creel-user: see user.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodemanager/container/process_tree.h"
#include "nodemanager/exec/orders.h"
#include "nodemanager/exec/user/user.h"

_Noreturn static void refuse(const char *text, const char *value)
{
    fprintf(stderr, "creel-user: %s '%.100s'\n", text, value);
    _exit(EXEC_REFUSED);
}

static int64_t parse_number(const char *text, int64_t max)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (errno || end == text || *end || n < 0 || n > max)
        refuse("a number was expected, not", text);
    return n;
}

/* Returns the id of a process of the NodeManager, whose user is our real one. */
static pid_t parse_shim(const char *text)
{
    pid_t pid = (pid_t)parse_number(text, INT32_MAX);
    char path[48];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (pid <= 1 || stat(path, &st) < 0 || st.st_uid != getuid())
        refuse("no process of the NodeManager:", text);
    return pid;
}

static int signal_tree(const char *shim, const char *number)
{
    pid_t root = parse_shim(shim);
    int sig = (int)parse_number(number, NSIG);
    size_t n;

    if (sig != SIGTERM && sig != SIGKILL && sig != SIGSTOP && sig != SIGCONT && sig != SIGQUIT)
        refuse("not a signal that containers get:", number);
    n = sig == SIGQUIT ? nm_tree_signal_those_with_handler(root, sig) : nm_tree_signal(root, sig);
    return n > 0 ? 0 : EXEC_NONE;
}

/* Returns the id of the spawner, which has started this process, or 0 for none. Any other process,
 * such as pid 1, may have children that no shim has left. */
static pid_t parse_spawner(const char *text)
{
    pid_t pid = (pid_t)parse_number(text, INT32_MAX);

    if (pid != 0 && pid != getppid())
        refuse("the parent of this process was expected as the spawner, not", text);
    return pid;
}

static int parse_folder_fd(const char *text)
{
    return (int)parse_number(text, INT32_MAX);
}

static int check_folders_within_limit(char **argv)
{
    int64_t max = parse_number(argv[4], INT64_C(1) << 40) << 20,
            bytes = user_measure_folder(parse_folder_fd(argv[2]));

    return bytes + user_measure_folder(parse_folder_fd(argv[3])) > max ? EXEC_NONE : 0;
}

static int run_subcommand(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    uid_t nm = getuid();

    /* execve() has set the saved id to the effective one */
    if (setresuid(nm, geteuid(), nm) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        refuse("cannot keep the ids:", strerror(errno));
    if (strcmp(what, "signal") == 0 && argc == 4)
        return signal_tree(argv[2], argv[3]);
    if (strcmp(what, "kill") == 0 && argc == 5)
        return nm_tree_kill_without_root(argv[2], (pid_t)parse_number(argv[3], INT32_MAX),
                                         parse_spawner(argv[4])) > 0;
    if (strcmp(what, "delete") == 0 && argc == 3)
        return user_empty_folder(parse_folder_fd(argv[2])) ? 0 : EXEC_NONE;
    if (strcmp(what, "measure") == 0 && argc == 5)
        return check_folders_within_limit(argv);
    if (strcmp(what, "read") != 0 || argc != 4)
        refuse("is run by creel-exec; unknown work", what);
    user_share_folder(parse_folder_fd(argv[2]));
    user_share_folder(parse_folder_fd(argv[3]));
    return 0;
}

int main(int argc, char **argv)
{
    _exit(run_subcommand(argc, argv));
}
