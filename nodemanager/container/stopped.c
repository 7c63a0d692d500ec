#include "nodemanager/container/stopped.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io/log.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/container/spawn.h"

/* 'T': stopped by a signal; 't': by ptrace, which SIGCONT does not end. */
static bool state_is_stopped(char state)
{
    return state == 'T' || state == 't';
}

/* Signals by pidfd, since the shim may have ended and its pid may have been reused. */
static void signal_shim(const struct nm_box *box, int sig)
{
    /* ESRCH is fine: the shim has ended. */
    (void)syscall(SYS_pidfd_send_signal, box->pidfd, sig, NULL, 0);
}

static void continue_or_kill_stopped_shim(struct nm_box *box)
{
    char id[BASE_ID_TEXT_MAX];
    struct nm_proc p;
    if (box->pidfd < 0 || !nm_proc_read_stat((pid_t)box->shim, &p) || p.start != box->shim_start ||
        !state_is_stopped(p.state))
        return;
    base_container_id_text(&box->id, id);
    if (box->killed_us && nm_now_us() - box->killed_us >= NM_STOPPED_MAX_US) {
        base_log_warn("nm", "%s: its shim is still stopped after the kill; killing it too", id);
        signal_shim(box, SIGKILL);
        return;
    }
    if (!box->stopped_told) /* warn once, since it may be stopped again and again */
        base_log_warn("nm", "%s: its shim was stopped by someone; continuing it", id);
    box->stopped_told = true;
    signal_shim(box, SIGCONT);
}

static void continue_or_kill_shim_of_container(struct nm_container *c, void *u)
{
    (void)u;
    struct nm_box *box = nm_core_shell_data(c);
    if (box)
        continue_or_kill_stopped_shim(box);
}

/* The spawner is our child, so its pid cannot be reused before we wait for it. */
static void continue_spawner_if_stopped(struct nm *nm)
{
    pid_t pid = nm_spawn_pid(nm->spawn);
    struct nm_proc p;
    if (pid <= 0 || !nm_proc_read_stat(pid, &p) || !state_is_stopped(p.state) ||
        p.parent != getpid())
        return;
    base_log_warn("nm", "the spawner was stopped by someone; continuing it");
    kill(pid, SIGCONT);
}

void nm_stopped_continue_shims_and_spawner(struct nm *nm)
{
    nm_core_each_container(nm->core, continue_or_kill_shim_of_container, NULL);
    continue_spawner_if_stopped(nm);
}

void nm_stopped_note_kill_and_continue_shim(struct nm_box *box)
{
    if (!box->killed_us)
        box->killed_us = nm_now_us();
    continue_or_kill_stopped_shim(box);
}
