/* The list of isolations, and the functions that call through their tables. */
#include "nodemanager/container/isolation/isolation.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "nodemanager/container/process_tree.h"

/* One line per isolation; the first is the default. */
#define ISOLATIONS(X) X(none) X(cgroup)

#define DECLARE(name)  extern const struct nm_isolation_ops nm_isolation_##name;
#define POINT_TO(name) &nm_isolation_##name,
ISOLATIONS(DECLARE)
static const struct nm_isolation_ops *const isolations[] = {ISOLATIONS(POINT_TO)};

#define ISOLATIONS_N (sizeof isolations / sizeof *isolations)

const struct nm_isolation_ops *nm_isolation_find(const char *name)
{
    if (!name || !*name)
        return isolations[0];
    for (size_t i = 0; i < ISOLATIONS_N; i++)
        if (strcmp(isolations[i]->name, name) == 0)
            return isolations[i];
    return NULL;
}

char *nm_isolation_list_names(char *out, size_t size)
{
    size_t len = 0;

    out[0] = '\0';
    for (size_t i = 0; i < ISOLATIONS_N && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "", isolations[i]->name);
    return out;
}

size_t nm_isolated_signal(const struct nm_isolated *c, int sig)
{
    if (c->signal)
        return c->signal(sig);
    return sig == SIGQUIT ? nm_tree_signal_those_with_handler(c->shim, sig)
                          : nm_tree_signal(c->shim, sig);
}

int nm_isolation_open(const struct nm_isolation_ops *ops, const char *parent,
                      char place[static NM_ISOLATION_PLACE_MAX],
                      char why[static NM_ISOLATION_WHY_MAX])
{
    place[0] = '\0';
    return ops->open ? ops->open(parent, place, why) : 0;
}

int nm_isolation_prepare(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                         char why[static NM_ISOLATION_WHY_MAX])
{
    return ops->prepare ? ops->prepare(c, why) : 0;
}

int nm_isolation_enter(const struct nm_isolation_ops *ops, const struct nm_isolated *c)
{
    return ops->enter ? ops->enter(c) : 0;
}

size_t nm_isolation_suspend(const struct nm_isolation_ops *ops, const struct nm_isolated *c)
{
    return ops->suspend ? ops->suspend(c) : 0;
}

size_t nm_isolation_resume(const struct nm_isolation_ops *ops, const struct nm_isolated *c)
{
    return ops->resume ? ops->resume(c) : 0;
}

size_t nm_isolation_kill(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                         enum nm_kill_how how)
{
    return ops->kill ? ops->kill(c, how) : 0;
}

void nm_isolation_usage(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                        struct nm_usage *out)
{
    *out = (struct nm_usage){0};
    if (ops->usage)
        ops->usage(c, out);
}

void nm_isolation_clean(const struct nm_isolation_ops *ops, const struct nm_isolated *c)
{
    if (ops->clean)
        ops->clean(c);
}
