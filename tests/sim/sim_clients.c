/* Clients: jobs and plain applications with ids chosen beforehand; each submission, kill and move
 * is repeated until an RM answers it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/map.h"
#include "rm/http/app_json.h"
#include "rm/http/spec_json.h"
#include "tests/sim/sim_rm.h"

/* Most jobs of a world whose setups hang: all of their attempts take time. */
#define HANGING_MAX 2

struct sim_job *sim_job_of(struct sim_world *w, struct base_app_id id)
{
    return id.cluster_ts == W_CLUSTER_TS && id.seq >= 1 && id.seq <= w->jobs ? &w->job[id.seq - 1]
                                                                             : NULL;
}

/* ---------------------------------------------------------------- submissions */
/* Split i lies on nodes i and i + 1, modulo @hosts; 0: on none. */
static struct rm_str_list hosts_of(int index, int hosts)
{
    struct rm_str_list l = {0};

    if (!hosts)
        return l;
    l.v = base_alloc(2 * sizeof *l.v);
    for (l.n = 0; l.n < 2; l.n++)
        l.v[l.n] = base_printf("node%d", (index + (int)l.n) % hosts);
    return l;
}

struct rm_split_page *sim_job_splits(const struct sim_job *j)
{
    int maps = j->tasks_n[BASE_TASK_MAP];
    struct rm_split_page *page = base_alloc(sizeof *page);

    page->last = true;
    page->paths.v = base_alloc(sizeof *page->paths.v);
    page->paths.v[page->paths.n++] = base_strdup("/in");
    page->splits = base_alloc((size_t)maps * sizeof *page->splits);
    for (int i = 0; i < maps; i++)
        page->splits[page->splits_n++] = (struct rm_split_spec){
            .offset = i * 100, .length = 100, .hosts = hosts_of(i, j->hosts)};
    return page;
}

struct rm_job_spec *sim_job_spec(const struct sim_job *j)
{
    struct rm_job_spec *s = NULL;

    base_assert(rm_spec_job_from_stored_json(j->text, strlen(j->text), j->id, &s, NULL) == 0);
    return s;
}

struct rm_app_spec *sim_app_spec(const struct sim_job *j)
{
    struct rm_app_spec *s = NULL;

    base_assert(rm_app_spec_from_stored_json(j->text, strlen(j->text), &s, NULL) == 0);
    return s;
}

/* Returns the submission of a job as the store keeps it. */
static char *job_text(struct sim_world *w, const struct sim_job *j)
{
    int maps = j->tasks_n[BASE_TASK_MAP], reduces = j->tasks_n[BASE_TASK_REDUCE];
    const char *more = "";

    if (j->output)
        return sim_text(&w->s,
                        "{\"name\":\"job%d\",\"user\":\"%s\",\"input\":[\"/in\"],"
                        "\"output\":\"/out/job%d\",\"map\":\"true\",%s\"reduces\":%d,"
                        "\"max-attempts\":%d,\"slots\":%d}",
                        j->index, j->user, j->index, reduces ? "\"reduce\":\"true\"," : "", reduces,
                        w->attempts_max, j->slots);
    if (reduces)
        more = sim_text(&w->s, ",{\"kind\":\"reduce\",\"command\":\"true\",\"count\":%d}", reduces);
    return sim_text(&w->s,
                    "{\"name\":\"job%d\",\"user\":\"%s\",\"max-attempts\":%d,\"slots\":%d,"
                    "\"tasks\":[{\"kind\":\"map\",\"command\":\"true\",\"count\":%d}%s]}",
                    j->index, j->user, w->attempts_max, j->slots, maps, more);
}

/* Returns the submission of a plain application as the store keeps it. */
static char *app_text(struct sim_world *w, const struct sim_job *j, bool keeps_containers)
{
    char id[BASE_ID_TEXT_MAX];

    return sim_text(&w->s,
                    "{\"application-id\":\"%s\",\"application-name\":\"app%d\","
                    "\"application-type\":\"%s\","
                    "\"creel-user\":\"%s\",\"queue\":\"default\","
                    "\"am-container-spec\":{\"commands\":{\"command\":\"true\"}},"
                    "\"resource\":{\"memory\":1024,\"vCores\":0},"
                    "\"keep-containers-across-application-attempts\":%s}",
                    base_app_id_text(&j->id, id), j->index, j->is_mapreduce ? "MAPREDUCE" : "YARN",
                    j->user, keeps_containers ? "true" : "false");
}

/* ---------------------------------------------------------------- kill */
static void kill_again(void *arg, uint64_t tag);

static void kill_answered(void *user, const struct sim_answer *a)
{
    struct sim_job *j = user;
    struct sim_world *w = j->kill.w;

    if (a->fx->u.reply.kind == RM_REPLY_KILL) {
        j->kill_acked = true;
        j->kill_state = a->fx->u.reply.app_state;
        j->kill_epoch = a->epoch;
        j->kill_acked_us = w->s.now_us;
        w->totals->kills++;
        sim_log(&w->s, "client: the kill of job %d is acknowledged (%s)", j->index,
                rm_app_state_name(j->kill_state));
        return;
    }
    if (a->fx->u.reply.code == -BASE_ENOTFOUND && j->acked && a->epoch > j->acked_epoch) {
        sim_violated(&w->s, "I1", "job %d was acknowledged, and is not known: %s", j->index,
                     a->fx->u.reply.text);
        return;
    }
    sim_at(&w->s, w->s.now_us + 300 * MS, &w->client, SIM_SERVICE, kill_again, j, 0);
}

static void kill_again(void *arg, uint64_t tag)
{
    struct sim_job *j = arg;
    struct sim_request *rq = sim_alloc(&j->kill.w->s, sizeof *rq);

    (void)tag;
    if (!j->kill_asked)
        sim_log(&j->kill.w->s, "client: kills job %d", j->index);
    j->kill_asked = true;
    rq->job = j->index;
    rq->ev.kind = RM_EV_KILL_APP;
    rq->ev.caller = j->user;
    rq->ev.u.kill.id = j->id;
    sim_ask(&j->kill, rq);
}

/* ---------------------------------------------------------------- to another queue */
static void move_again(void *arg, uint64_t tag);

static void move_answered(void *user, const struct sim_answer *a)
{
    struct sim_job *j = user;
    struct sim_world *w = j->move.w;
    int code = a->fx->u.reply.code;

    if (a->fx->u.reply.kind == RM_REPLY_OK) {
        j->move_over = j->move_acked = true;
        j->move_epoch = a->epoch;
        w->totals->moves++;
        sim_log(&w->s, "client: the move of job %d is acknowledged", j->index);
    } else if (a->fx->u.reply.kind == RM_REPLY_ERROR && code == -BASE_ENOTFOUND) {
        sim_at(&w->s, w->s.now_us + 300 * MS, &w->client, SIM_SERVICE, move_again, j, 0);
    } else {
        j->move_over = true; /* the job has ended or is not accepted yet, or there is one queue */
    }
}

static void move_again(void *arg, uint64_t tag)
{
    struct sim_job *j = arg;
    struct sim_request *rq = sim_alloc(&j->move.w->s, sizeof *rq);

    (void)tag;
    rq->job = j->index;
    rq->ev.kind = RM_EV_MOVE_APP;
    rq->ev.caller = j->user;
    rq->ev.u.move.id = j->id;
    rq->ev.u.move.queue = "batch";
    sim_ask(&j->move, rq);
}

/* ---------------------------------------------------------------- submission */
static void submit(void *arg, uint64_t tag);

static void submit_answered(void *user, const struct sim_answer *a)
{
    struct sim_job *j = user;
    struct sim_world *w = j->submit.w;
    enum rm_reply_kind kind = a->fx->u.reply.kind;

    if (kind == RM_REPLY_ERROR && j->slots > 1 && strstr(a->fx->u.reply.text, "largest node")) {
        /* no node with so many slots has registered yet */
        sim_at(&w->s, w->s.now_us + 300 * MS, &w->client, SIM_SERVICE, submit, j, 0);
        return;
    }
    if (kind == RM_REPLY_ERROR) {
        sim_violated(&w->s, "I1", "the submission of job %d was refused: %s", j->index,
                     a->fx->u.reply.text);
        return;
    }
    j->acked = true;
    j->acked_epoch = a->epoch;
    w->totals->acks++;
    sim_log(&w->s, "client: job %d is acknowledged with epoch %" PRId64 "%s", j->index, a->epoch,
            a->fx->u.reply.flag ? "" : ", it was known");
    if (j->kill_us)
        sim_at(&w->s, w->s.now_us + j->kill_us, &w->client, SIM_SERVICE, kill_again, j, 0);
    if (j->move_us)
        sim_at(&w->s, w->s.now_us + j->move_us, &w->client, SIM_SERVICE, move_again, j, 0);
}

static void submit(void *arg, uint64_t tag)
{
    struct sim_job *j = arg;
    struct sim_request *rq = sim_alloc(&j->submit.w->s, sizeof *rq);

    (void)tag;
    sim_log(&j->submit.w->s, "client: submits job %d: %s", j->index, j->text);
    j->asked = true;
    rq->job = j->index;
    rq->ev.kind = j->is_app ? RM_EV_SUBMIT_APP : RM_EV_SUBMIT_JOB;
    rq->ev.caller = j->user;
    sim_ask(&j->submit, rq);
}

/* Returns the greatest number of plain applications. Masters hold slots while they wait for more,
 * so they must not fill the two smallest nodes, which may be all that the faults leave. */
static int apps_max(const struct sim_world *w)
{
    int low = INT32_MAX, next = INT32_MAX;

    for (int i = 0; i < w->nms; i++) {
        int n = w->nm[i].slots[BASE_TASK_MAP];

        if (n < low) {
            next = low;
            low = n;
        } else if (n < next) {
            next = n;
        }
    }
    return low + next - 1;
}

/* Returns whether a task of two slots of kind @k finds a node, whatever the faults leave: they
 * leave two nodes. */
static bool wide_task_fits(const struct sim_world *w, enum base_task_kind k)
{
    int narrow = 0;

    for (int i = 0; i < w->nms; i++)
        narrow += w->nm[i].slots[k] < 2;
    return w->nms > 1 && narrow <= 1;
}

static void job_make(struct sim_world *w, int i, int *hanging)
{
    static const char *const users[] = {"ann", "bob", "cat"};
    struct sim *s = &w->s;
    struct sim_job *j = &w->job[i];
    int maps = (int)sim_between(s, 1, 8),
        reduces = sim_chance(s, 600) ? (int)sim_between(s, 1, 3) : 0;

    j->index = i;
    j->user = users[sim_rnd(s, sizeof users / sizeof *users)];
    j->id = (struct base_app_id){W_CLUSTER_TS, i + 1};
    j->submit_us = sim_between(s, 0, w->faults_until_us - s->now_us);
    j->kill_us = sim_chance(s, 200) ? sim_between(s, 1, 4 * S) : 0;
    j->work_us = sim_chance(s, 150) ? 6 * S : sim_between(s, 50 * MS, 1500 * MS);
    j->submit = j->kill = (struct sim_asker){
        .w = w, .proc = &w->client, .user = j, .at = (int)sim_rnd(s, (uint64_t)w->rms)};
    j->submit.fn = submit_answered;
    j->kill.fn = kill_answered;
    j->move = j->kill;
    j->move.fn = move_answered;
    j->move_us = sim_chance(s, 250) ? sim_between(s, 1, 3 * S) : 0;
    j->is_app = sim_chance(s, 250) && w->apps < apps_max(w);
    w->apps += j->is_app;
    if (j->is_app) {
        j->tasks_n[BASE_TASK_MAP] = (int)sim_between(s, 1, 6);
        /* by a hash of a random time, as below */
        j->is_mapreduce = base_hash_mix((uint64_t)j->submit_us) % 2;
        j->text = app_text(w, j, sim_chance(s, 300));
        return;
    }
    j->failing = sim_chance(s, 80);
    j->output = sim_chance(s, 700);
    j->hangs = j->output && *hanging < HANGING_MAX && sim_chance(s, 80);
    *hanging += j->hangs;
    j->slow_aborts = sim_chance(s, 100) ? (int)sim_between(s, 1, 3) : 0;
    j->tasks_n[BASE_TASK_MAP] = maps;
    j->tasks_n[BASE_TASK_REDUCE] = reduces;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        j->tasks[k] = sim_alloc(s, (size_t)(j->tasks_n[k] + 1) * sizeof *j->tasks[k]);
    j->hosts = sim_chance(s, 500) ? w->nms : 0;
    /* by a hash of a random time, since one more draw would change all schedules */
    j->slots = base_hash_mix((uint64_t)j->submit_us) % 10 < 4 && wide_task_fits(w, BASE_TASK_MAP) &&
                       (!reduces || wide_task_fits(w, BASE_TASK_REDUCE))
                   ? 2
                   : 1;
    j->text = job_text(w, j);
}

void sim_jobs_make(struct sim_world *w)
{
    int hanging = 0;

    w->jobs = (int)sim_between(&w->s, 2, 5);
    for (int i = 0; i < w->jobs; i++) {
        job_make(w, i, &hanging);
        sim_at(&w->s, w->s.now_us + w->job[i].submit_us, &w->client, SIM_SERVICE, submit,
               &w->job[i], 0);
    }
}
