#include "api/admin/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/admin/process.h"

/* Returns the name of a system call in which a daemon's threads wait; NULL for any other. */
static const char *get_system_call_name(long number)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        {SYS_futex, "futex"},
        {SYS_epoll_pwait, "epoll_pwait"},
        {SYS_ppoll, "ppoll"},
        {SYS_clock_nanosleep, "clock_nanosleep"},
        {SYS_nanosleep, "nanosleep"},
        {SYS_read, "read"},
        {SYS_pread64, "pread"},
        {SYS_readv, "readv"},
        {SYS_write, "write"},
        {SYS_pwrite64, "pwrite"},
        {SYS_writev, "writev"},
        {SYS_fsync, "fsync"},
        {SYS_fdatasync, "fdatasync"},
        {SYS_openat, "openat"},
        {SYS_unlinkat, "unlinkat"},
        {SYS_renameat2, "renameat2"},
        {SYS_accept4, "accept4"},
        {SYS_connect, "connect"},
        {SYS_recvfrom, "recvfrom"},
        {SYS_recvmsg, "recvmsg"},
        {SYS_sendto, "sendto"},
        {SYS_sendmsg, "sendmsg"},
        {SYS_wait4, "wait4"},
        {SYS_waitid, "waitid"},
        {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
        {SYS_fcntl, "fcntl"},
        {SYS_flock, "flock"},
#ifdef SYS_epoll_wait
        {SYS_epoll_wait, "epoll_wait"},
#endif
#ifdef SYS_poll
        {SYS_poll, "poll"},
#endif
#ifdef SYS_select
        {SYS_select, "select"},
#endif
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].name;
    return NULL;
}

/* Java's word for a state in /proc. */
static const char *get_java_state_name(char state)
{
    switch (state) {
    case 'R':
        return "RUNNABLE";
    case 'D': /* waits for a disk, mostly */
    case 'T':
    case 't':
        return "BLOCKED";
    case 'Z':
    case 'X':
        return "TERMINATED";
    default:
        return "WAITING";
    }
}

static bool read_thread_file(pid_t thread, const char *file, char *out, size_t max)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)thread, file);
    return api_process_read_file(path, out, max);
}

/* Adds the system call that the thread is in, and the kernel's function in which it waits. */
static void add_current_system_call(struct base_buf *out, pid_t thread)
{
    char text[256], at[64] = "";
    const char *name;
    char *end;
    long number;

    if (!read_thread_file(thread, "syscall", text, sizeof text))
        return;
    number = strtol(text, &end, 10);
    if (end == text || number < 0) /* "running", or stopped outside of a call */
        return;
    name = get_system_call_name(number);
    base_buf_adds(out, "    ");
    if (name)
        base_buf_adds(out, name);
    else
        base_buf_addf(out, "system call %ld", number);
    if (read_thread_file(thread, "wchan", at, sizeof at) && strcmp(at, "0") != 0)
        base_buf_addf(out, " (kernel: %s)", at);
    base_buf_adds(out, "\n");
}

static void add_thread(struct base_buf *out, const struct api_process_thread *t)
{
    struct api_process_thread_use use;

    base_buf_addf(out, "Thread %d (%s):\n  State: %s\n", (int)t->id, t->name,
                  get_java_state_name(t->state));
    if (api_process_read_thread_use(t->id, &use))
        base_buf_addf(out, "  Preempted count: %lld\n  Waited count: %lld\n  CPU time: %lld ms\n",
                      (long long)use.preempted, (long long)use.waited, (long long)use.cpu_ms);
    base_buf_adds(out, "  Stack:\n");
    add_current_system_call(out, t->id);
}

void api_stacks_encode(struct base_buf *out)
{
    size_t n;
    struct api_process_thread *v = api_process_list_threads(&n);

    base_buf_addf(out, "Process Thread Dump: \n%zu active threads\n", n);
    for (size_t i = 0; i < n; i++)
        add_thread(out, &v[i]);
    base_buf_addf(out, "\nCalls inside the program: eu-stack -p %d (package elfutils)\n",
                  (int)getpid());
    free(v);
}

void api_stacks_answer(struct api_request *rq)
{
    struct base_buf body = {0};

    api_stacks_encode(&body);
    api_answer(rq, 200, API_TEXT, &body);
}
