#include "tests/e2e/zk_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#define SCRIPT CREEL_SOURCE_DIR "/tests/e2e/zookeeper.sh"

/* The shell reads one command a line and answers each with "<exit code> <servers> <last line it
 * printed>". Its input ends with this program, however that ends: then it cleans up. */
static const char shell_loop[] = ". " SCRIPT "\n"
                                 "while read -r -a words; do\n"
                                 "    rc=0\n"
                                 "    \"${words[@]}\" > \"$1/said\" || rc=$?\n"
                                 "    echo \"$rc ${ZK_SERVERS:-none} $(tail -n 1 \"$1/said\")\"\n"
                                 "done\n"
                                 "zk_stop_all \"$1\"\n"
                                 "rm -rf \"$1\"\n";

struct zk_fixture {
    pid_t shell;
    FILE *to, *from;
    char dir[64], servers[128], said[128];
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "zk_fixture: %s\n", what);
    exit(1);
}

static int run_and_wait(char *const argv[])
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            die("cannot start a process");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void zk_fixture_or_skip(void)
{
    int rc = run_and_wait((char *[]){"bash", "-c", ". " SCRIPT "; zk_or_skip", NULL});

    if (rc == 77)
        exit(77);
    if (rc != 0)
        die("cannot run " SCRIPT);
}

static void ask(struct zk_fixture *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void ask(struct zk_fixture *f, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int rc;

    va_start(ap, fmt);
    vfprintf(f->to, fmt, ap);
    va_end(ap);
    fputc('\n', f->to);
    if (fflush(f->to) != 0 || !fgets(line, sizeof line, f->from))
        die("its shell has ended");
    f->said[0] = '\0';
    if (sscanf(line, "%d %127s %127[^\n]", &rc, f->servers, f->said) < 2 || rc != 0) {
        fprintf(stderr, "zk_fixture: \"%s\" answered \"%s\"\n", fmt, line);
        exit(1);
    }
}

static void start_shell(struct zk_fixture *f)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        die("no pipe");
    f->shell = fork();
    if (f->shell < 0)
        die("no process");
    if (f->shell == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execlp("bash", "bash", "-c", shell_loop, "zookeeper", f->dir, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    f->to = fdopen(to[1], "w");
    f->from = fdopen(from[0], "r");
    if (!f->to || !f->from)
        die("no memory");
}

struct zk_fixture *zk_fixture_new(int n)
{
    struct zk_fixture *f = base_alloc(sizeof *f);

    snprintf(f->dir, sizeof f->dir, "%s", "/tmp/creel-zk.XXXXXX");
    if (!mkdtemp(f->dir))
        die("no folder in /tmp");
    start_shell(f);
    ask(f, "zk_start %s %d", f->dir, n);
    return f;
}

void zk_fixture_free(struct zk_fixture *f)
{
    if (!f)
        return;
    fclose(f->to);
    fclose(f->from);
    while (waitpid(f->shell, NULL, 0) < 0 && errno == EINTR)
        ;
    free(f);
}

const char *zk_fixture_servers(const struct zk_fixture *f)
{
    return f->servers;
}
const char *zk_fixture_dir(const struct zk_fixture *f)
{
    return f->dir;
}
void zk_fixture_stop(struct zk_fixture *f, int i)
{
    ask(f, "zk_stop %s %d", f->dir, i);
}
void zk_fixture_kill(struct zk_fixture *f, int i)
{
    ask(f, "zk_kill %s %d", f->dir, i);
}
void zk_fixture_pause(struct zk_fixture *f, int i)
{
    ask(f, "zk_pause %s %d", f->dir, i);
}
void zk_fixture_continue(struct zk_fixture *f, int i)
{
    ask(f, "zk_continue %s %d", f->dir, i);
}

void zk_fixture_start(struct zk_fixture *f, int i)
{
    ask(f, "zk_restart %s %d", f->dir, i);
    ask(f, "zk_wait %s %d", f->dir, i);
}

int zk_fixture_leader(struct zk_fixture *f)
{
    ask(f, "zk_wait_leader %s", f->dir);
    return atoi(f->said);
}
