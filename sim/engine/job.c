#include "sim/engine/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void sim_job_init(struct sim_job *job)
{
    *job = (struct sim_job){.weight = 1,
                            .slots = 1,
                            .selectivity = 1,
                            .split_bytes = SIM_BLOCK_BYTES,
                            .replicas = 3,
                            .located = true};
}

void sim_job_clear(struct sim_job *job)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        free(job->task_us[k]);
    free(job->replica_nodes);
    sim_job_init(job);
}

void sim_job_copy_text(char to[SIM_TEXT_MAX], const char *text)
{
    size_t n = 0, len;

    for (; text && *text; text += len ? len : 1, n += len ? len : 1) {
        len = (unsigned char)*text < ' ' || *text == 0x7f ? 0 : base_utf8_sequence_len(text);
        if (n + (len ? len : 1) >= SIM_TEXT_MAX)
            break;
        if (len)
            memcpy(to + n, text, len);
        else
            to[n] = '?';
    }
    to[n] = '\0';
}
