/* api/cli/yarn/queue_info.h - reads queues from the RM's scheduler resource, whatever its shape. */
#ifndef CREEL_API_CLI_YARN_QUEUE_INFO_H
#define CREEL_API_CLI_YARN_QUEUE_INFO_H

#include "api/cli/yarn/yarn.h"

enum cli_queue_shape { CLI_QUEUES_CAPACITY, CLI_QUEUES_FAIR, CLI_QUEUES_FIFO };

/* One queue; texts are borrowed from the answer. */
struct cli_queue {
    const json_t *json;
    const char *name;                  /* as this scheduler shows it: "default", "root.default" */
    char path[512];                    /* "root.default" */
    double capacity, current, maximum; /* per cent */
    int depth;                         /* 0: root */
};
struct cli_queues {
    enum cli_queue_shape shape;
    const char *scheduler; /* "CapacityScheduler" */
    struct cli_queue *v;   /* parents before their children */
    size_t n, cap;
    json_t *answer;
};
/* GETs all queues. Returns CLI_YARN_OK, or CLI_YARN_EXCEPTION after printing the error. The caller
 * frees @out in any case. */
int cli_queues_fetch(struct cli *c, struct cli_queues *out);
/* The same from the answer of /ws/v1/cluster/scheduler. Takes @answer. */
void cli_queues_take(json_t *answer, struct cli_queues *out);
void cli_queues_free(struct cli_queues *q);
/* Finds a queue by its name or its path; NULL: none. */
const struct cli_queue *cli_queues_find(const struct cli_queues *q, const char *name);

#endif
