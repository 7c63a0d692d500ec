#include "base/io/sched.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROMPT_SLICE_NS     100000
#define BACKGROUND_SLICE_NS 50000000
/* Only a little nicer: a background thread takes locks that other threads wait for, and on a busy
 * machine a very nice thread would hold them for long. */
#define BACKGROUND_NICE 5

static void set_nice_and_slice(int32_t nicer, uint64_t slice_ns)
{
    struct { /* struct sched_attr, which not every C library declares */
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

void base_sched_make_thread_prompt(void)
{
    set_nice_and_slice(0, PROMPT_SLICE_NS);
}

void base_sched_make_thread_background(void)
{
    set_nice_and_slice(BACKGROUND_NICE, BACKGROUND_SLICE_NS);
}
