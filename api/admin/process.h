/* api/admin/process.h - figures of this process and machine, from /proc. */
#ifndef CREEL_API_ADMIN_PROCESS_H
#define CREEL_API_ADMIN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct api_process_memory { /* bytes */
    int64_t anonymous;      /* resident, not backed by a file: heap and stacks */
    int64_t files;          /* resident, of programs, libraries and other files */
    int64_t data;           /* reserved for data */
    int64_t code;           /* size of the program and its libraries */
    int64_t size;           /* the whole address space */
    int64_t max;            /* most that the process can get: its limit, or the machine's memory */
};
void api_process_read_memory(struct api_process_memory *out);

/* Reads at most @max - 1 bytes of a short file of /proc, up to the end of its last line. Returns
 * false when it cannot be read or is empty. */
bool api_process_read_file(const char *path, char *buf, size_t max);

/* One thread: its number, name, and state as /proc shows it (R, S, D, ...). */
struct api_process_thread {
    pid_t id;
    char name[17];
    char state;
};
/* Returns the threads, sorted by number; the caller frees. Sets *@n; NULL and 0 when /proc cannot
 * be read. */
struct api_process_thread *api_process_list_threads(size_t *n);

/* Resources used by a thread since its start. */
struct api_process_thread_use {
    int64_t waited, preempted; /* how often it gave up the processor, and lost it */
    int64_t cpu_ms;
};
/* Returns false when there is no such thread (any more). */
bool api_process_read_thread_use(pid_t id, struct api_process_thread_use *out);

struct api_process_machine {
    int64_t memory_total, memory_free, swap_total, swap_free; /* bytes */
    int64_t files_open, files_max;
    int64_t cpu_ns; /* used by this process since its start */
    double load;    /* over the last minute */
    /* part of the processors, 0..1, that this process and that all processes used since the figure
     * was read last */
    double cpu_of_process, cpu_of_machine;
    int64_t processors;
};
void api_process_read_machine(struct api_process_machine *out);
/* Returns when the process was started, in milliseconds since the epoch. */
int64_t api_process_start_ms(void);

#endif
