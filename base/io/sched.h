/* base/io/sched.h - how soon a thread needs the processor. Hints alone: a kernel that refuses or
 * ignores them changes nothing but speed.
 *
 * SOURCE: sched_setattr(2): for SCHED_OTHER sched_runtime asks for a time slice (Linux 6.12 and
 * later). A thread with a shorter slice takes the processor from one with a longer slice as soon as
 * it wakes up. */
#ifndef CREEL_BASE_IO_SCHED_H
#define CREEL_BASE_IO_SCHED_H

/* The calling thread and those it starts or forks from now on: short answers, soon. */
void base_sched_prompt(void);
/* The calling thread gives way to the others: long work that nobody waits for closely. */
void base_sched_background(void);

#endif
