/* Goal: the allocation file is found where the settings say, read at the start and whenever it
 * changes; a bad file changes nothing.
 * Method: files in a folder of the test's own, the daemon over the memory store. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/acl/groups.h"
#include "base/io/io.h"
#include "rm/config/allocation_file.h"
#include "rm/config/allocations.h"
#include "rm/daemon/daemon.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

static char dir[] = "/tmp/creel-test-queues.XXXXXX";

static char *in_dir(const char *name)
{
    return base_printf("%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
    char *path = in_dir(name);

    base_assert(base_file_write_atomic(path, text, strlen(text), 0644, false, NULL) == 0);
    free(path);
}

static void expect_path(struct base_conf *c, const char *want, bool want_optional)
{
    bool optional;
    char *path = rm_queues_resolve_allocation_path(c, &optional);

    if (want) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(path);
        CU_ASSERT_STRING_EQUAL(path, want);
    } else {
        CU_ASSERT_PTR_NULL(path);
    }
    CU_ASSERT_EQUAL(optional, want_optional);
    free(path);
}

static void test_path(void)
{
    struct base_conf *c = base_conf_new();
    char *site = in_dir("creel-site.xml"), *queues = in_dir("q.xml"),
         *fair = in_dir("fair-scheduler.xml");

    expect_path(c, NULL, true); /* no folder was read */
    setenv("CREEL_CONF_DIR", dir, 1);
    CU_ASSERT_EQUAL(base_conf_load_default_files(c, NULL), 0);
    expect_path(c, fair, true);
    put("creel-site.xml",
        "<configuration><property><name>yarn.scheduler.fair.allocation.file</name>"
        "<value>q.xml</value></property></configuration>");
    CU_ASSERT_EQUAL(base_conf_load_file(c, site, NULL), 0);
    expect_path(c, queues, false);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.scheduler.fair.allocation.file=here.xml", NULL), 0);
    expect_path(c, "here.xml", false);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.scheduler.fair.allocation.file=/a/b.xml", NULL), 0);
    expect_path(c, "/a/b.xml", false);
    base_conf_free(c);
    free(site);
    free(queues);
    free(fair);
}

static struct base_conf *conf_with_file(const char *name)
{
    struct base_conf *c = base_conf_new();
    char *set = base_printf("yarn.scheduler.fair.allocation.file=%s/%s", dir, name);

    base_assert(base_conf_set_arg(c, set, NULL) == 0);
    free(set);
    return c;
}

static void test_default_rules(void)
{
    struct base_conf *c = conf_with_file("q.xml");
    struct policy_queues q = {0};
    char *path = in_dir("q.xml");
    int32_t at;

    put("q.xml", "<allocations><queue name=\"a\"/></allocations>");
    CU_ASSERT_EQUAL_FATAL(rm_queues_read_file(c, path, &q, NULL), 0);
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, "new", "ann", NULL, 0, &at, NULL), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.new");
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, NULL, "ann", NULL, 0, &at, NULL), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.ann");
    policy_queues_free(&q);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.scheduler.fair.allow-undeclared-pools=false", NULL),
                    0);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.scheduler.fair.user-as-default-queue=false", NULL),
                    0);
    CU_ASSERT_EQUAL_FATAL(rm_queues_read_file(c, path, &q, NULL), 0);
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, "new", "ann", NULL, 0, &at, NULL), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.default");
    policy_queues_free(&q);
    base_conf_free(c);
    free(path);
}

static void test_groups(void)
{
    static const struct {
        const char *rules;
        bool wanted;
    } cases[] = {
        {"<rule name=\"specified\"/><rule name=\"user\"/>", false},
        {"<rule name=\"specified\"/><rule name=\"primaryGroup\" create=\"false\"/><rule "
         "name=\"reject\"/>",
         true},
        {"<rule name=\"nestedUserQueue\"><rule name=\"secondaryGroupExistingQueue\"/></rule>"
         "<rule name=\"default\"/>",
         true}};
    struct base_group_names groups = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = base_printf(
            "<allocations><queuePlacementPolicy>%s</queuePlacementPolicy></allocations>",
            cases[i].rules);
        struct policy_queues q = {0};
        struct base_error err = {0};

        if (rm_allocations_parse_text("q.xml", text, strlen(text), &q, NULL, &err) < 0)
            printf("%s\n", err.text);
        CU_ASSERT_EQUAL(rm_queues_rules_name_groups(&q), cases[i].wanted);
        policy_queues_free(&q);
        free(text);
    }
    base_groups_query_name_service("root", &groups);
    CU_ASSERT_FATAL(groups.n > 0);
    CU_ASSERT_STRING_EQUAL(groups.v[0], "root");
    base_groups_query_name_service("no such user", &groups);
    CU_ASSERT_EQUAL(groups.n, 0);
}

/* With more users than the cache holds, each user still gets their own groups. */
static void test_groups_kept(void)
{
    struct base_groups *g =
        base_groups_new(&(struct base_groups_conf){.known_us = 300000000, .unknown_us = 30000000});
    struct base_group_names groups = {0};

    for (int i = 0; i < 3000; i++) {
        char *user = base_printf("no such user %d", i % 1500);

        base_groups_look_up(g, i % 3 ? user : "root", i * INT64_C(1000000), &groups);
        CU_ASSERT_EQUAL(groups.n > 0, i % 3 == 0);
        CU_ASSERT(i % 3 || strcmp(groups.v[0], "root") == 0);
        free(user);
    }
    /* this user has no groups: frees the texts of the last answer */
    base_groups_look_up(g, "no such user", 0, &groups);
    free(groups.v);
    base_groups_free(g);
}

static int queries;

static void answer_query(const char *user, struct base_group_names *out)
{
    base_group_names_clear(out);
    queries++;
    if (strcmp(user, "stranger") == 0)
        return;
    out->v = base_realloc_array(NULL, 1, sizeof *out->v);
    out->v[out->n++] = base_printf("group-%d", queries);
}

/* Goal: answers are used for the configured times, and an answer that base_groups_know() promises
 * is there for BASE_GROUPS_GRACE_US longer. */
static void test_age_of_groups(void)
{
    const int64_t known = 100000000, unknown = 20000000;
    struct base_groups *g = base_groups_new(&(struct base_groups_conf){
        .known_us = known, .unknown_us = unknown, .query = answer_query});
    struct base_group_names groups = {0};

    queries = 0;
    CU_ASSERT_FALSE(base_groups_know(g, "alice", 0));
    base_groups_look_up(g, "alice", 0, &groups);
    CU_ASSERT_EQUAL(queries, 1);
    CU_ASSERT_TRUE(base_groups_know(g, "alice", known - 1));
    CU_ASSERT_FALSE(base_groups_know(g, "alice", known));
    base_groups_look_up(g, "alice", known + BASE_GROUPS_GRACE_US - 1, &groups);
    CU_ASSERT_EQUAL(queries, 1);
    CU_ASSERT_STRING_EQUAL(groups.v[0], "group-1");
    base_groups_look_up(g, "alice", known + BASE_GROUPS_GRACE_US, &groups);
    CU_ASSERT_EQUAL(queries, 2);
    CU_ASSERT_STRING_EQUAL(groups.v[0], "group-2");
    base_groups_look_up(g, "stranger", 0, &groups);
    CU_ASSERT_EQUAL(groups.n, 0);
    CU_ASSERT_TRUE(base_groups_know(g, "stranger", unknown - 1));
    CU_ASSERT_FALSE(base_groups_know(g, "stranger", unknown));
    base_groups_look_up(g, "stranger", unknown + BASE_GROUPS_GRACE_US, &groups);
    CU_ASSERT_EQUAL(queries, 4);
    base_group_names_clear(&groups);
    base_groups_free(g);
}

static void test_bad_start(void)
{
    static const char *const bad[] = {"<allocations><queue/></allocations>", "<allocations>", "",
                                      NULL};

    for (int i = 0; i < 4; i++) {
        struct base_conf *c = conf_with_file(bad[i] ? "bad.xml" : "none.xml");
        struct rm_backend *b = NULL;
        struct base_error err = {0};

        if (bad[i])
            put("bad.xml", bad[i]);
        CU_ASSERT(rm_daemon_new_sole(c, NULL, store_kind("memory"), memory_place("queues"), NULL,
                                     &b, &err) < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i] ? "bad.xml" : "none.xml"));
        base_conf_free(c);
    }
    stores_forget();
}

/* Only a regular file is read: a pipe that nobody writes to would hold up the start and every later
 * look at the file. */
static void test_no_file(void)
{
    struct base_conf *c = conf_with_file("pipe.xml");
    struct policy_queues q = {0};
    struct base_error err = {0};
    char *pipe = in_dir("pipe.xml");

    CU_ASSERT_EQUAL_FATAL(mkfifo(pipe, 0600), 0);
    CU_ASSERT_EQUAL(rm_queues_read_file(c, pipe, &q, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "regular file"));
    CU_ASSERT_EQUAL(rm_queues_read_file(c, dir, &q, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(unlink(pipe), 0);
    CU_ASSERT_TRUE(rm_queues_read_file(c, pipe, &q, &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "No such file"));
    free(pipe);
    base_conf_free(c);
}

static bool known(struct rm_backend *b, const char *queue)
{
    struct rm_views v = {0};
    bool yes = false;

    rm_view_queues(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    for (size_t i = 1; i < v.queues_n; i++)
        yes = yes || strcmp(v.queues[i].name + strlen("root."), queue) == 0;
    rm_views_free(&v);
    return yes;
}

/* Counts the answers: 1 each, 100 for a refusal. No lock is needed, since every event is answered
 * before rm_daemon_stop() returns. */
static void on_reply(void *user, const struct rm_effect *fx)
{
    *(int *)user += fx->u.reply.kind == RM_REPLY_OK ? 1 : 100;
}

static void test_reload(void)
{
    struct base_conf *c = conf_with_file("q.xml");
    struct rm_backend *b = NULL;
    struct base_error err = {0};
    size_t n = 0;
    int answers = 0;

    put("q.xml", "<allocations><queue name=\"a\"/></allocations>");
    CU_ASSERT_EQUAL_FATAL(
        rm_daemon_new_sole(c, NULL, store_kind("memory"), memory_place("queues"), NULL, &b, &err),
        0);
    CU_ASSERT_TRUE(known(b, "a"));
    CU_ASSERT_FALSE(known(b, "z"));
    rm_daemon_start(b);
    put("q.xml", "<allocations><queue name=\"z\"><weight>x</weight></queue></allocations>");
    CU_ASSERT_EQUAL(rm_queues_reload(b, on_reply, &answers, &n, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "q.xml:1: "));
    CU_ASSERT_FALSE(known(b, "z"));
    put("q.xml", "<allocations><queue name=\"z\"/></allocations>");
    CU_ASSERT_EQUAL(rm_queues_reload(b, on_reply, &answers, &n, &err), 0);
    CU_ASSERT_EQUAL(n, 3); /* "z", root and root.default */
    CU_ASSERT_EQUAL(rm_queues_reload(b, NULL, NULL, &n, &err), 0);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    CU_ASSERT_EQUAL(answers, 1);
    CU_ASSERT_TRUE(known(b, "z"));
    rm_daemon_free(b);
    base_conf_free(c);
    stores_forget();
}

static void test_watch(void)
{
    struct base_conf *c = conf_with_file("q.xml");
    struct rm_backend *b = NULL;
    struct rm_queues_watch w = {0};
    char *path = in_dir("q.xml");

    put("q.xml", "<allocations/>");
    CU_ASSERT_EQUAL_FATAL(
        rm_daemon_new_sole(c, NULL, store_kind("memory"), memory_place("queues"), NULL, &b, NULL),
        0);
    /* the file's first version was read at the start */
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    put("q.xml", "<allocations><queue name=\"a\"/></allocations>");
    /* changed, but it may still be being written */
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    CU_ASSERT_TRUE(rm_queues_file_changed_and_settled(b, &w));
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    unlink(path);
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    CU_ASSERT_FALSE(
        rm_queues_file_changed_and_settled(b, &w)); /* a file that is gone is not a change */
    put("q.xml", "<allocations><queue name=\"b\"/></allocations>");
    CU_ASSERT_FALSE(rm_queues_file_changed_and_settled(b, &w));
    CU_ASSERT_TRUE(rm_queues_file_changed_and_settled(b, &w));
    rm_daemon_free(b);
    base_conf_free(c);
    stores_forget();
    free(path);
}

static void clear(void)
{
    static const char *const names[] = {"creel-site.xml", "q.xml", "bad.xml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = in_dir(names[i]);
        unlink(path);
        free(path);
    }
    rmdir(dir);
}

static const struct cunit_case cases[] = {
    {"where it is", test_path},
    {"rules of a file without any", test_default_rules},
    {"a bad file at the start", test_bad_start},
    {"read again", test_reload},
    {"watched", test_watch},
    {"groups of users", test_groups},
    {"groups are kept", test_groups_kept},
    {"the age of groups", test_age_of_groups},
    {"no regular file", test_no_file},
};

int main(void)
{
    base_assert(mkdtemp(dir));
    atexit(clear);
    return cunit_main("rm_queues", cases, sizeof cases / sizeof *cases);
}
