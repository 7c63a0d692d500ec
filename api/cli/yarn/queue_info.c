#include "api/cli/yarn/queue_info.h"

#include <stdlib.h>
#include <string.h>

static const json_t *children_of(const struct cli_queues *q, const json_t *queue)
{
    return q->shape == CLI_QUEUES_FAIR ? cli_at(queue, "childQueues.queue")
                                       : cli_at(queue, "queues.queue");
}

/* Returns how many per cent @part is of @whole; 0 if @whole is 0. */
static double per_cent(double part, double whole)
{
    return whole > 0 ? part * 100 / whole : 0;
}

/* The fair scheduler has shares instead of capacities; yarn shows the share of the memory. */
static void set_fair_figures(struct cli_queue *one)
{
    double fair = cli_num(one->json, "fairResources.memory"),
           cluster = cli_num(one->json, "clusterResources.memory");
    one->capacity = per_cent(fair, cluster);
    one->current = per_cent(cli_num(one->json, "usedResources.memory"), fair);
    one->maximum = 100;
}

static void set_capacity_figures(const struct cli_queues *q, struct cli_queue *one)
{
    if (q->shape == CLI_QUEUES_FAIR) {
        set_fair_figures(one);
        return;
    }
    double unit = q->shape == CLI_QUEUES_FIFO ? 100 : 1; /* the fifo scheduler shows fractions */
    one->capacity = cli_num(one->json, "capacity") * unit;
    one->current = cli_num(one->json, "usedCapacity") * unit;
    one->maximum = q->shape == CLI_QUEUES_FIFO ? 100 : cli_num(one->json, "maxCapacity");
}

/* Adds a queue and all queues below it. */
static void add_queues(struct cli_queues *q, const json_t *json, const char *parent, int depth)
{
    const char *name = cli_str(json, "queueName");
    struct cli_queue one = {.json = json, .name = *name ? name : "default", .depth = depth};
    if (*cli_str(json, "queuePath"))
        snprintf(one.path, sizeof one.path, "%s", cli_str(json, "queuePath"));
    else if (*parent && strncmp(one.name, "root", 4) != 0)
        snprintf(one.path, sizeof one.path, "%s.%s", parent, one.name);
    else
        snprintf(one.path, sizeof one.path, "%s", one.name);
    set_capacity_figures(q, &one);
    base_array_grow(&q->v, q->n, &q->cap);
    q->v[q->n++] = one;
    const json_t *children = children_of(q, json);
    for (size_t i = 0; i < cli_list_or_one_len(children) && depth < 64; i++)
        add_queues(q, cli_list_or_one_get(children, i), one.path, depth + 1);
}

void cli_queues_take(json_t *answer, struct cli_queues *out)
{
    const json_t *info = cli_at(answer, "scheduler.schedulerInfo");
    const char *type = cli_str(info, "type");
    *out = (struct cli_queues){.answer = answer, .scheduler = "CapacityScheduler"};
    if (strcmp(type, "fairScheduler") == 0) {
        out->shape = CLI_QUEUES_FAIR;
        out->scheduler = "FairScheduler";
        info = json_object_get(info, "rootQueue");
    } else if (strcmp(type, "fifoScheduler") == 0) {
        out->shape = CLI_QUEUES_FIFO;
        out->scheduler = "FifoScheduler";
    }
    if (info)
        add_queues(out, info, "", 0);
}

int cli_queues_fetch(struct cli *c, struct cli_queues *out)
{
    struct cli_answer a = {0};
    *out = (struct cli_queues){0};
    int rc = cli_yarn_request(c, "GET", "/ws/v1/cluster/scheduler", NULL, &a);
    if (rc == CLI_YARN_OK)
        cli_queues_take(json_incref(a.json), out);
    cli_answer_free(&a);
    return rc;
}

void cli_queues_free(struct cli_queues *q)
{
    json_decref(q->answer);
    free(q->v);
    *q = (struct cli_queues){0};
}

const struct cli_queue *cli_queues_find(const struct cli_queues *q, const char *name)
{
    for (size_t i = 0; i < q->n; i++)
        if (strcmp(q->v[i].path, name) == 0 || strcmp(q->v[i].name, name) == 0)
            return &q->v[i];
    for (size_t i = 0; i < q->n; i++) { /* the fair scheduler's names are paths */
        const char *dot = strrchr(q->v[i].path, '.');
        if (q->shape == CLI_QUEUES_FAIR && dot && strcmp(dot + 1, name) == 0)
            return &q->v[i];
    }
    return NULL;
}
