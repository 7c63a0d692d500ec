#include "base/io/sched.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROMPT_SLICE_NS     100000
#define BACKGROUND_SLICE_NS 50000000
/* A little nicer only: it takes locks that the others wait for, and would keep them for long on a
 * busy machine if it hardly ever ran. */
#define BACKGROUND_NICE 5

static void set(int32_t nicer, uint64_t slice_ns)
{
    struct { /* struct sched_attr, which the C library does not have everywhere */
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = {.size = 48, .runtime = slice_ns};
    id_t me = (id_t)syscall(SYS_gettid);

    attr.nice = getpriority(PRIO_PROCESS, me) + nicer;
    attr.nice = attr.nice > 19 ? 19 : attr.nice;
    if (syscall(SYS_sched_setattr, 0, &attr, 0) < 0 && nicer)
        setpriority(PRIO_PROCESS, me, attr.nice);
}

void base_sched_prompt(void)
{
    set(0, PROMPT_SLICE_NS);
}

void base_sched_background(void)
{
    set(BACKGROUND_NICE, BACKGROUND_SLICE_NS);
}
