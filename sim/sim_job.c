/* One job of a workload: its defaults, its texts, what it owns. */
#include "sim/sim_job.h"

#include <stdlib.h>
#include <string.h>

void sim_job_init(struct sim_job *job)
{
    *job = (struct sim_job){.weight = 1, .selectivity = 1, .split_bytes = SIM_BLOCK_BYTES, .replicas = 3, .located = true};
}

void sim_job_clear(struct sim_job *job)
{
    for (int k = 0; k < SIM_KINDS; k++)
        free(job->task_us[k]);
    free(job->replica_nodes);
    sim_job_init(job);
}

void sim_job_text(char to[SIM_TEXT_MAX], const char *text)
{
    size_t n = text ? strlen(text) : 0;

    if (n >= SIM_TEXT_MAX) {
        n = SIM_TEXT_MAX - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) /* not in the middle of a character */
            n--;
    }
    if (n)
        memcpy(to, text, n);
    to[n] = '\0';
}
