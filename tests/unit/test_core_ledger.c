/* Goal: the ledger counts a container in every place as it begins, is suspended, resumed, killed
 * and ends, and its audit notices any one count that is wrong. Method: a small world whose
 * containers go from one condition to the next; then each count is changed by one in a child
 * process, which has to abort. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rm/core/job/suspend.h"
#include "rm/core/ledger.h"
#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;
static struct base_app_id job;

static struct rm_container *container_of(enum rm_tally tally)
{
    for (struct rm_container *ct = w.core->nodes[0]->containers; ct; ct = ct->node_next)
        if (ct->tally == tally)
            return ct;
    return NULL;
}

static struct rm_app *app(void)
{
    for (size_t i = 0; i < w.core->apps_n; i++)
        if (base_app_id_cmp(&w.core->apps[i]->id, &job) == 0)
            return w.core->apps[i];
    return NULL;
}

static struct rm_queue *queue(void)
{
    return &w.core->queues[app()->queue_index];
}

/* Four maps run, a fifth waits. */
static void begin(void)
{
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 4, 1, NULL);
    job = world_submit(&w, "a 5 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0); /* reported as running */
}

static void check(int used, int suspended, int freeing, int containers)
{
    const struct rm_node *n = w.core->nodes[0];
    const struct rm_res *slot = &w.core->conf.slot_res[BASE_TASK_MAP];

    rm_ledger_check(w.core);
    CU_ASSERT_EQUAL(n->used[BASE_TASK_MAP], used);
    CU_ASSERT_EQUAL(w.core->capacity.used[BASE_TASK_MAP], used);
    CU_ASSERT_EQUAL(n->suspended[BASE_TASK_MAP], suspended);
    CU_ASSERT_EQUAL(w.core->suspended[BASE_TASK_MAP], suspended);
    CU_ASSERT_EQUAL(n->freeing[BASE_TASK_MAP], freeing);
    CU_ASSERT_EQUAL(w.core->capacity.freeing[BASE_TASK_MAP], freeing);
    CU_ASSERT_EQUAL(n->containers_n, containers);
    CU_ASSERT_EQUAL(app()->containers_n, containers);
    CU_ASSERT_EQUAL(queue()->containers, containers);
    CU_ASSERT_EQUAL(n->used_res.v[RM_RES_MEMORY_MB], used * slot->v[RM_RES_MEMORY_MB]);
    CU_ASSERT_EQUAL(app()->allocated.v[RM_RES_VCORES], used * slot->v[RM_RES_VCORES]);
    CU_ASSERT_EQUAL(queue()->used.v[RM_RES_MEMORY_MB], used * slot->v[RM_RES_MEMORY_MB]);
}

static void test_life(void)
{
    struct rm_effects fx = {0};
    struct rm_container *ct;

    begin();
    check(4, 0, 0, 4);
    w.core->out = &fx;
    ct = container_of(RM_TALLY_HELD);
    rm_container_suspend(w.core, ct);
    check(3, 1, 0, 4);
    rm_container_resume(w.core, ct);
    check(4, 0, 0, 4);
    rm_container_order_kill(w.core, ct, RM_EXIT_PREEMPTED, "test");
    /* a second order is not counted */
    rm_container_order_kill(w.core, ct, RM_EXIT_PREEMPTED, "test");
    check(4, 0, 1, 4);
    w.core->now_us += 3000000;
    rm_container_end(w.core, ct, 0, NULL, NULL);
    check(3, 0, 0, 3);
    CU_ASSERT_EQUAL(app()->memory_ms,
                    3000 * w.core->conf.slot_res[BASE_TASK_MAP].v[RM_RES_MEMORY_MB]);
    CU_ASSERT_EQUAL(app()->preempted.memory_ms, app()->memory_ms);
    CU_ASSERT_EQUAL(app()->preempted.vcore_ms, app()->vcore_ms);
    ct = container_of(RM_TALLY_HELD);
    rm_container_suspend(w.core, ct);
    /* a suspended container holds no slot that could come free */
    rm_container_order_kill(w.core, ct, RM_EXIT_PREEMPTED, "test");
    check(2, 1, 0, 3);
    rm_container_end(w.core, ct, 0, NULL, NULL);
    check(2, 0, 0, 2);
    CU_ASSERT_EQUAL(app()->preempted.containers[false], 2);
    CU_ASSERT_EQUAL(app()->preempted.containers[true], 0);
    CU_ASSERT_EQUAL(app()->preempted.resource.v[RM_RES_MEMORY_MB],
                    2 * w.core->conf.slot_res[BASE_TASK_MAP].v[RM_RES_MEMORY_MB]);
    /* ends by itself: not counted as preempted */
    rm_container_end(w.core, container_of(RM_TALLY_HELD), 0, NULL, NULL);
    CU_ASSERT_EQUAL(app()->preempted.containers[false], 2);
    w.core->out = NULL;
    free(fx.v);
    world_free(&w);
}

/* Returns true when the audit aborts with the 64-bit (or 32-bit) count at @at one too high. */
static bool noticed(void *at, size_t size)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        const struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        freopen("/dev/null", "w", stderr);
        if (size == sizeof(int64_t))
            ++*(int64_t *)at;
        else
            ++*(int32_t *)at;
        rm_ledger_check(w.core);
        _exit(0);
    }
    CU_ASSERT_FATAL(child > 0);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#define NOTICED(count) CU_ASSERT(noticed(&(count), sizeof(count)))

static void test_audit(void)
{
    struct rm_core *c;
    struct rm_node *n;
    struct rm_app *a;

    begin();
    c = w.core;
    n = c->nodes[0];
    a = app();
    rm_ledger_check(c);
    NOTICED(n->used[BASE_TASK_MAP]);
    NOTICED(n->suspended[BASE_TASK_MAP]);
    NOTICED(n->freeing[BASE_TASK_REDUCE]);
    NOTICED(n->containers_n);
    NOTICED(n->used_res.v[RM_RES_VCORES]);
    NOTICED(a->containers_n);
    NOTICED(a->allocated.v[RM_RES_MEMORY_MB]);
    NOTICED(a->phase[BASE_TASK_MAP].running);
    NOTICED(a->phase[BASE_TASK_MAP].pending);
    NOTICED(a->phase[BASE_TASK_MAP].succeeded);
    NOTICED(a->phase[BASE_TASK_MAP].suspended);
    NOTICED(queue()->containers);
    NOTICED(queue()->used.v[RM_RES_MEMORY_MB]);
    NOTICED(queue()->pending[BASE_TASK_MAP]);
    NOTICED(queue()->pending_apps);
    NOTICED(queue()->active_apps);
    NOTICED(c->capacity.nodes);
    NOTICED(c->capacity.slots[BASE_TASK_MAP]);
    NOTICED(c->capacity.used[BASE_TASK_MAP]);
    NOTICED(c->capacity.freeing[BASE_TASK_MAP]);
    NOTICED(c->capacity.outstanding[BASE_TASK_MAP]);
    NOTICED(c->capacity.memory_mb);
    NOTICED(c->capacity.vcores);
    NOTICED(c->suspended[BASE_TASK_MAP]);
    NOTICED(c->runnable[BASE_TASK_MAP]);
    NOTICED(c->masters_active);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"a container's life", test_life},
    {"the audit", test_audit},
};

CUNIT_MAIN("core: ledger", cases)
