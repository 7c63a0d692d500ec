/* base/io/sched.h - hints to the kernel about how soon the calling thread needs the processor. A
 * kernel that ignores them changes nothing but speed.
 *
 * SOURCE: sched_setattr(2): for SCHED_OTHER, sched_runtime requests a time slice (Linux 6.12 and
 * later). A thread that wakes up preempts a thread with a longer slice. */
#ifndef CREEL_BASE_IO_SCHED_H
#define CREEL_BASE_IO_SCHED_H

/* For threads that answer quickly: requests a short slice, for the calling thread and for all
 * threads and processes that it starts from now on. */
void base_sched_make_thread_prompt(void);
/* For long work that is not urgent: requests a long slice and a lower priority for the calling
 * thread. */
void base_sched_make_thread_background(void);

#endif
