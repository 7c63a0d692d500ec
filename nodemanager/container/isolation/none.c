/* No isolation: a container is the process tree below its shim. Signals go to each process of the
 * tree; the kernel adds up the resources that ended children used. Nothing is prepared, so nothing
 * is cleaned. */
#include <signal.h>
#include <sys/resource.h>

#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/process_tree.h"

static size_t none_suspend(const struct nm_isolated *c)
{
    return nm_isolated_signal(c, SIGSTOP);
}

static size_t none_resume(const struct nm_isolated *c)
{
    return nm_isolated_signal(c, SIGCONT);
}

static size_t none_kill(const struct nm_isolated *c, enum nm_kill_how how)
{
    if (how == NM_KILL_LOST)
        return nm_tree_kill_without_root(c->id, c->shim, c->spawner);
    return nm_isolated_signal(c, how == NM_KILL_DUMP   ? SIGQUIT
                                 : how == NM_KILL_TERM ? SIGTERM
                                                       : SIGKILL);
}

static void none_usage(const struct nm_isolated *c, struct nm_usage *out)
{
    struct rusage ru;

    (void)c;
    getrusage(RUSAGE_CHILDREN, &ru); /* the shim is a subreaper: it has reaped the whole tree */
    out->cpu_us = (int64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 +
                  ru.ru_utime.tv_usec + ru.ru_stime.tv_usec;
    out->max_rss_kb = ru.ru_maxrss;
}

const struct nm_isolation_ops nm_isolation_none = {
    .name = "none",
    .suspend = none_suspend,
    .resume = none_resume,
    .kill = none_kill,
    .usage = none_usage,
};
