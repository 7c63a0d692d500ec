/* What clients and operators ask of the core: submissions, and changes to applications, nodes and
 * labels. */
#include "tests/sim/core_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rm_str_list hosts_of(int index, int hosts)
{
    struct rm_str_list l = {0};

    if (!hosts)
        return l;
    l.v = base_alloc(3 * sizeof *l.v);
    for (l.n = 0; l.n < 3 && l.n < (size_t)hosts; l.n++)
        l.v[l.n] = base_printf("node%d", (index + (int)l.n) % hosts);
    return l;
}

static void add_group(struct rm_job_spec *s, enum base_task_kind kind, int count)
{
    if (!count)
        return;
    s->groups = base_realloc_array(s->groups, s->groups_n + 1, sizeof *s->groups);
    s->groups[s->groups_n++] =
        (struct rm_task_group){.kind = kind, .command = base_strdup("true"), .count = count};
}

struct rm_job_spec *world_spec(const char *text)
{
    struct rm_job_spec *s = base_alloc(sizeof *s);
    char name[64], queue[64] = "default", user[64] = "ann", reservation[64] = "";
    int maps, reduces, output, attempts, hosts, priority, deadline = 0;
    int n = sscanf(text, "%63s %d %d %d %d %d %d %d %63s %63s %63s", name, &maps, &reduces, &output,
                   &attempts, &hosts, &priority, &deadline, queue, user, reservation);

    base_assert(n >= 7);
    s->refs = 1;
    s->name = base_strdup(name);
    s->user = base_strdup(user);
    s->queue = base_strdup(queue);
    s->deadline_us = deadline * INT64_C(1000000);
    s->priority = priority;
    s->max_attempts = attempts;
    sscanf(name, "wide%d", &s->slots);
    if (*reservation)
        base_assert(base_reservation_id_parse(reservation, &s->reservation, NULL) == 0);
    s->json = base_strdup(text);
    if (!output && !hosts) {
        add_group(s, BASE_TASK_MAP, maps);
        add_group(s, BASE_TASK_REDUCE, reduces);
        return s;
    }
    s->output = output ? base_strdup("/out") : NULL;
    s->reduces = reduces;
    s->paths.v = base_alloc(sizeof *s->paths.v);
    s->paths.v[0] = base_strdup("/in");
    s->paths.n = 1;
    s->splits = base_alloc((size_t)(maps ? maps : 1) * sizeof *s->splits);
    s->splits_n = (size_t)maps;
    for (int i = 0; i < maps; i++)
        s->splits[i] =
            (struct rm_split_spec){.offset = i * 100, .length = 100, .hosts = hosts_of(i, hosts)};
    return s;
}

static const char token_text[] = "0123456789abcdef0123456789abcdef";

struct base_app_id world_submit_as(struct world *w, struct base_app_id id, const char *text)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w->token};

    ev.u.submit_job.spec = world_spec(text);
    if (w->conf.steps_on_nodes && ev.u.submit_job.spec->output)
        rm_job_spec_drop_splits(ev.u.submit_job.spec);
    ev.u.submit_job.spec->id = id;
    ev.u.submit_job.app_token = token_text;
    world_feed(w, &ev);
    id = w->reply.app_id;
    world_settle(w);
    return id;
}

struct base_app_id world_submit(struct world *w, const char *text)
{
    return world_submit_as(w, (struct base_app_id){0}, text);
}

void world_kill(struct world *w, struct base_app_id id)
{
    struct rm_event ev = {.kind = RM_EV_KILL_APP, .token = ++w->token};

    ev.u.kill.id = id;
    world_step(w, &ev);
}

void world_drain(struct world *w, const struct world_node *n, bool drain)
{
    struct rm_event ev = {.kind = RM_EV_DRAIN_NODE, .token = ++w->token};

    ev.u.drain.node_id = n->id;
    ev.u.drain.drain = drain;
    world_step(w, &ev);
}

void world_label(struct world *w, enum rm_labels_op op, const char *name, const char *label,
                 bool exclusive)
{
    const struct rm_label_change change = {
        .name = name, .exclusive = exclusive, .labels = &label, .labels_n = label != NULL};
    struct rm_event ev = {.kind = RM_EV_SET_LABELS, .token = ++w->token};

    ev.u.labels.op = op;
    ev.u.labels.v = &change;
    ev.u.labels.n = 1;
    world_step(w, &ev);
}

void world_give(struct world *w, const char *node, int64_t memory_mb, int64_t vcores,
                int64_t overcommit_us)
{
    struct rm_event ev = {.kind = RM_EV_NODE_RESOURCE, .token = ++w->token};

    ev.u.node_resource.node_id = node;
    ev.u.node_resource.memory_mb = memory_mb;
    ev.u.node_resource.vcores = vcores;
    ev.u.node_resource.overcommit_us = overcommit_us;
    world_step(w, &ev);
}

void world_move(struct world *w, struct base_app_id id, const char *queue)
{
    struct rm_event ev = {.kind = RM_EV_MOVE_APP, .token = ++w->token};

    ev.u.move.id = id;
    ev.u.move.queue = queue;
    world_step(w, &ev);
}

struct rm_app_spec *world_app_spec(const char *text)
{
    struct rm_app_spec *s = base_alloc(sizeof *s);
    char name[64];
    int memory, attempts, unmanaged, deadline = 0;
    long long validity_ms = 0;
    int n = sscanf(text, "%63s %d %d %d %lld", name, &memory, &attempts, &unmanaged, &validity_ms);

    base_assert(n >= 4);
    s->refs = 1;
    s->name = base_strdup(name);
    s->user = base_strdup("ann");
    s->queue = base_strdup(strncmp(name, "lost", 4) == 0 ? "nosuch" : "default");
    s->type = base_strdup(strncmp(name, "mr", 2) == 0 ? "MAPREDUCE" : "YARN");
    sscanf(name, "mr-%d-%d", &deadline, &s->reduces);
    s->deadline_us = deadline * INT64_C(1000000);
    s->max_attempts = attempts;
    s->failures_validity_ms = validity_ms;
    s->unmanaged = unmanaged;
    s->keep_containers = strncmp(name, "keep", 4) == 0;
    s->resource.v[RM_RES_MEMORY_MB] = memory;
    s->launch = base_alloc(sizeof *s->launch);
    s->launch->refs = 1;
    s->json = base_strdup(text);
    return s;
}

struct base_app_id world_submit_app(struct world *w, const char *text)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++w->token};
    struct base_app_id id;

    ev.u.submit_app.spec = world_app_spec(text);
    ev.u.submit_app.app_token = token_text;
    world_feed(w, &ev);
    id = w->reply.app_id;
    world_settle(w);
    return id;
}
