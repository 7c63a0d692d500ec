/* Goal: who may do what is exactly as YARN decides it, and refusals have YARN's words. Method:
 * tables of lists, of rights on a tree of queues, and of operations on one application; no
 * daemon. */
#include <stdlib.h>
#include <string.h>

#include "base/acl/acl.h"
#include "base/acl/groups.h"
#include "base/conf/acl_conf.h"
#include "base/mem.h"
#include "policies/common/queue_acl.h"
#include "rm/http/access/rules.h"
#include "tests/unit/cunit_main.h"

#define NO  BASE_ACL_NO
#define ASK BASE_ACL_ASK_GROUPS
#define YES BASE_ACL_YES

/* ---- one list ---- */

static void test_lists(void)
{
    static const char *const groups[] = {"staff", "ops team"};
    static const struct {
        const char *acl, *user;
        /* the answers before and after the user's groups are known */
        enum base_acl_answer before, after;
    } cases[] = {
        {NULL, "ann", NO, NO},
        {"", "ann", NO, NO},
        {" ", "ann", NO, NO},
        {"*", "ann", YES, YES},
        {" * ", "ann", YES, YES},
        {"bob *", "ann", YES, YES},
        {"* wheel", "ann", YES, YES},
        {"bob,*", "ann", NO, NO}, /* here "*" is the name of a user */
        {"ann", "ann", YES, YES},
        {"ann", "an", NO, NO},
        {"an", "ann", NO, NO},
        {"bob,ann", "ann", YES, YES},
        {"bob,\tann\n", "ann", YES, YES},
        {"bob\nann", "ann", YES, YES},
        {"bob, ann", "ann", ASK, NO}, /* after the first blank there are groups */
        {",,ann,", "ann", YES, YES},
        {"bob staff", "ann", ASK, YES},
        {" staff", "ann", ASK, YES},
        {" wheel,staff", "ann", ASK, YES},
        {" wheel", "ann", ASK, NO},
        {" ops team", "ann", ASK, YES},
        {"staff", "ann", NO, NO}, /* "staff" is a user here */
        {"bob ,", "ann", NO, NO},
        {"ann wheel", "ann", YES, YES},
        {"bob", NULL, YES, YES}, /* an unknown caller may do everything */
        {NULL, NULL, YES, YES},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_acl_caller who = {.user = cases[i].user};

        CU_ASSERT_EQUAL(base_acl_check(cases[i].acl, &who), cases[i].before);
        who.groups = groups;
        who.groups_n = 2;
        who.groups_known = true;
        CU_ASSERT_EQUAL(base_acl_check(cases[i].acl, &who), cases[i].after);
        if (cases[i].before !=
                base_acl_check(cases[i].acl, &(struct base_acl_caller){.user = cases[i].user}) ||
            base_acl_check(cases[i].acl, &who) != cases[i].after)
            printf("list \"%s\", user %s\n", cases[i].acl ? cases[i].acl : "(none)",
                   cases[i].user ? cases[i].user : "(none)");
    }
    CU_ASSERT_EQUAL(base_acl_either(NO, ASK), ASK);
    CU_ASSERT_EQUAL(base_acl_either(YES, ASK), YES);
    CU_ASSERT_EQUAL(base_acl_either(NO, NO), NO);
}

static void test_admins_and_owners(void)
{
    struct base_acl_rules on = {.enabled = true, .admins = "root wheel", .process = "yarn"};
    struct base_acl_rules off = {.enabled = false, .admins = "root", .process = "yarn"};
    static const struct {
        const char *user, *owner, *acl;
        enum base_acl_answer app, admin;
    } cases[] = {
        {"ann", "ann", NULL, YES, ASK},  {"root", "ann", NULL, YES, YES},
        {"yarn", "ann", NULL, YES, YES}, {"bob", "ann", NULL, ASK, ASK},
        {"bob", "ann", "bob", YES, ASK}, {"bob", "ann", " ", ASK, ASK},
        {NULL, "ann", NULL, YES, YES},   {"bob", NULL, NULL, ASK, ASK},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_acl_caller who = {.user = cases[i].user};

        CU_ASSERT_EQUAL(base_acl_check_app(&on, &who, cases[i].owner, cases[i].acl), cases[i].app);
        CU_ASSERT_EQUAL(base_acl_check_admin(&on, &who), cases[i].admin);
        CU_ASSERT_EQUAL(base_acl_check_app(&off, &who, cases[i].owner, cases[i].acl), YES);
    }
    /* Even with ACLs off, only an administrator may administer. */
    CU_ASSERT_EQUAL(base_acl_check_admin(&off, &(struct base_acl_caller){.user = "bob"}), NO);
}

/* ---- queues ---- */

static void set_list(struct policy_queues *q, const char *name, const char *submit,
                     const char *administer)
{
    struct policy_queue *queue = &q->v[policy_queues_find(q, name)];

    free(queue->acl_submit);
    free(queue->acl_admin);
    queue->acl_submit = submit ? base_strdup(submit) : NULL;
    queue->acl_admin = administer ? base_strdup(administer) : NULL;
}

/* The queues of the recorded YARN (tests/interop/yarn/variants), with the group staff added. */
static void make_queues(struct policy_queues *q)
{
    policy_queues_init(q, "org.eng,org.ops");
    set_list(q, "root", " ", " ");
    set_list(q, "default", "alice,bob,hadoop", NULL);
    set_list(q, "org", NULL, " staff");
    set_list(q, "org.eng", "alice", NULL);
    set_list(q, "org.ops", "opsuser", "opsadmin");
}

static void test_queue_rights(void)
{
    static const struct {
        const char *queue, *user;
        enum base_acl_answer submit, administer, submission;
    } cases[] = {
        {"root", "alice", NO, NO, NO},
        {"default", "alice", YES, NO, YES},
        {"default", "carol", NO, NO, NO},
        {"org", "alice", NO, ASK, ASK},
        {"org.eng", "alice", YES, ASK, YES},
        {"org.eng", "opsadmin", NO, ASK, ASK},
        {"org.ops", "opsuser", YES, ASK, YES},
        {"org.ops", "opsadmin", NO, YES, YES}, /* an administrator of the queue may submit, too */
        {"org.ops", "bob", NO, ASK, ASK},
    };
    struct policy_queues q;

    make_queues(&q);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_acl_caller who = {.user = cases[i].user};
        int32_t at = policy_queues_find(&q, cases[i].queue);

        CU_ASSERT_EQUAL(policy_queue_check_right(&q, at, POLICY_QUEUE_SUBMIT, &who),
                        cases[i].submit);
        CU_ASSERT_EQUAL(policy_queue_check_right(&q, at, POLICY_QUEUE_ADMINISTER, &who),
                        cases[i].administer);
        CU_ASSERT_EQUAL(policy_queue_check_submission(&q, at, &who), cases[i].submission);
    }
    CU_ASSERT_EQUAL(policy_queue_find_nearest(&q, "org.ops"), policy_queues_find(&q, "org.ops"));
    CU_ASSERT_EQUAL(policy_queue_find_nearest(&q, "root.org.ops.x.y"),
                    policy_queues_find(&q, "org.ops"));
    CU_ASSERT_EQUAL(policy_queue_find_nearest(&q, "org.gone"), policy_queues_find(&q, "org"));
    CU_ASSERT_EQUAL(policy_queue_find_nearest(&q, "gone"), 0);
    policy_queues_free(&q);
}

/* Without lists everybody may do everything. */
static void test_open_queues(void)
{
    struct base_acl_caller who = {.user = "anybody"};
    struct policy_queues q;

    policy_queues_init(&q, "org.eng");
    for (int32_t i = 0; i < (int32_t)q.n; i++) {
        CU_ASSERT_EQUAL(policy_queue_check_right(&q, i, POLICY_QUEUE_SUBMIT, &who), YES);
        CU_ASSERT_EQUAL(policy_queue_check_right(&q, i, POLICY_QUEUE_ADMINISTER, &who), YES);
    }
    policy_queues_free(&q);
}

/* ---- operations ---- */

enum { OFF, FIFO, ON, MODES };

static void test_operations(void)
{
    static const struct rm_access_rules modes[MODES] = {
        [OFF] = {.acl = {.enabled = false, .admins = "admin", .process = "yarn"}},
        [FIFO] = {.acl = {.enabled = true, .admins = "admin", .process = "yarn"},
                  .open_queues = true},
        [ON] = {.acl = {.enabled = true, .admins = "admin", .process = "yarn"}},
    };
    /* An application of alice in org.ops: carol may see it, dave may change it. */
    static const struct {
        enum rm_operation op;
        const char *user, *target;
        enum base_acl_answer answer[MODES];
    } cases[] = {
        {RM_OP_VIEW_APP, "alice", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_APP, "carol", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_APP, "dave", NULL, {YES, YES, NO}},
        {RM_OP_VIEW_APP, "bob", NULL, {YES, YES, NO}},
        {RM_OP_VIEW_APP, "dr.who", NULL, {YES, YES, NO}},
        {RM_OP_VIEW_APP, "opsadmin", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_APP, "opsuser", NULL, {YES, YES, NO}},
        {RM_OP_VIEW_APP, "admin", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_APP, "yarn", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_APP, NULL, NULL, {YES, YES, YES}},
        {RM_OP_VIEW_ATTEMPT, "carol", NULL, {YES, YES, YES}},
        {RM_OP_VIEW_ATTEMPT, "bob", NULL, {YES, YES, NO}},
        {RM_OP_VIEW_CONTAINERS, "bob", NULL, {YES, YES, NO}},
        {RM_OP_KILL, "alice", NULL, {YES, YES, YES}},
        {RM_OP_KILL, "carol", NULL, {YES, YES, NO}},
        {RM_OP_KILL, "dave", NULL, {YES, YES, YES}},
        {RM_OP_KILL, "opsadmin", NULL, {YES, YES, YES}},
        {RM_OP_KILL, "admin", NULL, {YES, YES, YES}},
        {RM_OP_SET_PRIORITY, "carol", NULL, {YES, YES, NO}},
        {RM_OP_SET_PRIORITY, "dave", NULL, {YES, YES, YES}},
        {RM_OP_SET_TIMEOUT, "bob", NULL, {YES, YES, NO}},
        {RM_OP_SET_TIMEOUT, "dave", NULL, {YES, YES, YES}},
        {RM_OP_MOVE, "alice", "org.eng", {YES, YES, YES}},
        {RM_OP_MOVE, "alice", "root.default", {YES, YES, YES}},
        {RM_OP_MOVE, "alice", "org.ops", {YES, YES, NO}},
        {RM_OP_MOVE, "alice", "nosuch", {YES, YES, NO}},
        {RM_OP_MOVE, "dave", "org.eng", {YES, YES, NO}}, /* dave may not submit to org.eng */
        {RM_OP_MOVE, "bob", "default", {YES, YES, NO}},
        /* nor may the administrator submit to default */
        {RM_OP_MOVE, "admin", "default", {YES, YES, NO}},
        {RM_OP_CONFIGURE, "bob", NULL, {YES, NO, NO}},
        {RM_OP_CONFIGURE, "opsadmin", NULL, {YES, NO, NO}},
        {RM_OP_CONFIGURE, "admin", NULL, {YES, YES, YES}},
        {RM_OP_ADMINISTER, "bob", NULL, {NO, NO, NO}},
        {RM_OP_ADMINISTER, "yarn", NULL, {YES, YES, YES}},
        {RM_OP_ADD_LABELS, "bob", NULL, {NO, NO, NO}},
        {RM_OP_ADD_LABELS, "admin", NULL, {YES, YES, YES}},
        {RM_OP_REMOVE_LABELS, "bob", NULL, {NO, NO, NO}},
        {RM_OP_REPLACE_LABELS, "bob", NULL, {NO, NO, NO}},
        {RM_OP_REPLACE_LABELS_OF_NODE, "bob", NULL, {NO, NO, NO}},
        {RM_OP_REPLACE_LABELS_OF_NODE, "admin", NULL, {YES, YES, YES}},
        {RM_OP_ASK_QUEUE_ACCESS, "opsadmin", NULL, {YES, YES, YES}},
        {RM_OP_ASK_QUEUE_ACCESS, "opsuser", NULL, {NO, YES, NO}},
        {RM_OP_ASK_QUEUE_ACCESS, "admin", NULL, {NO, YES, NO}},
    };
    struct policy_queues q;

    make_queues(&q);
    set_list(&q, "org", NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mode = 0; mode < MODES; mode++) {
            struct base_acl_caller who = {.user = cases[i].user};
            struct rm_access_question question = {
                .op = cases[i].op,
                .owner = "alice",
                .acl_view = "carol",
                .acl_modify = "dave",
                .queue = policy_queues_find(&q, "org.ops"),
                .target = cases[i].target ? policy_queues_find(&q, cases[i].target) : -1};
            enum base_acl_answer answer = rm_access_decide(&modes[mode], &q, &who, &question);

            CU_ASSERT_EQUAL(answer, cases[i].answer[mode]);
            if (answer != cases[i].answer[mode])
                printf("operation %d, user %s, target %s, mode %d: %d\n", cases[i].op,
                       cases[i].user, cases[i].target, mode, answer);
        }
    policy_queues_free(&q);
}

static void test_groups_decide(void)
{
    static const char *const groups[] = {"staff"};
    struct rm_access_rules rules = {.acl = {.enabled = true, .admins = " wheel"}};
    struct base_acl_caller who = {.user = "bob"};
    struct rm_access_question kill = {.op = RM_OP_KILL, .owner = "alice"};
    struct policy_queues q;

    make_queues(&q);
    kill.queue = policy_queues_find(&q, "org.eng");
    CU_ASSERT_EQUAL(rm_access_decide(&rules, &q, &who, &kill), ASK);
    who.groups_known = true;
    CU_ASSERT_EQUAL(rm_access_decide(&rules, &q, &who, &kill), NO);
    who.groups = groups;
    who.groups_n = 1;
    CU_ASSERT_EQUAL(rm_access_decide(&rules, &q, &who, &kill), YES); /* staff administers org */
    kill.queue = policy_queues_find(&q, "default");
    CU_ASSERT_EQUAL(rm_access_decide(&rules, &q, &who, &kill), NO);
    policy_queues_free(&q);
}

/* ---- refusals: SOURCE: the recordings acl-*, but for those of Creel's own resources ---- */

static void test_refusals(void)
{
    static const struct {
        enum rm_operation op;
        const char *subject;
        unsigned status;
        const char *exception, *text;
    } cases[] = {
        {RM_OP_VIEW_APP, "application_1_0001", 403, "ForbiddenException",
         "java.lang.Exception: User bob does not have privilege to see this application "
         "application_1_0001"},
        {RM_OP_VIEW_ATTEMPT, "appattempt_1_0001_000001", 503, "WebApplicationException",
         "org.apache.hadoop.yarn.exceptions.YarnException: User bob does not have privilege to "
         "see this attempt appattempt_1_0001_000001"},
        {RM_OP_VIEW_CONTAINERS, "application_1_0001", 503, "WebApplicationException",
         "org.apache.hadoop.yarn.exceptions.YarnException: User bob does not have privilege to "
         "see this application application_1_0001"},
        {RM_OP_KILL, "application_1_0001", 403, NULL,
         "Unauthorized attempt to kill appid application_1_0001 by remote user bob"},
        {RM_OP_MOVE, "application_1_0001", 403, NULL,
         "Unauthorized attempt to move appid application_1_0001 by remote user bob"},
        {RM_OP_SET_PRIORITY, "application_1_0001", 403, NULL,
         "Unauthorized attempt to change priority of appid application_1_0001 by remote user bob"},
        {RM_OP_SET_TIMEOUT, "application_1_0001", 403, NULL,
         "Unauthorized attempt to change timeout of app application_1_0001 by remote user bob"},
        {RM_OP_CONFIGURE, "", 403, "ForbiddenException",
         "java.lang.Exception: Only admins can carry out this operation."},
        {RM_OP_ADMINISTER, "", 403, "ForbiddenException",
         "java.lang.Exception: Only admins can carry out this operation."},
        {RM_OP_ADD_LABELS, "", 401, "AuthorizationException",
         "User bob not authorized for post to .../add-node-labels "},
        {RM_OP_REMOVE_LABELS, "", 401, "AuthorizationException",
         "User bob not authorized for post to .../remove-node-labels "},
        {RM_OP_REPLACE_LABELS, "", 401, "AuthorizationException",
         "User bob not authorized for post to .../replace-node-to-labels"},
        {RM_OP_REPLACE_LABELS_OF_NODE, "", 401, "AuthorizationException",
         "User bob not authorized for post to .../nodes/nodeid/replace-labels"},
        {RM_OP_ASK_QUEUE_ACCESS, "root.org.ops", 403, "ForbiddenException",
         "java.lang.Exception: User=bob doesn't haven access to queue=root.org.ops so it cannot "
         "check ACLs for other users."},
    };

    CU_ASSERT_EQUAL(sizeof cases / sizeof *cases, RM_OPS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rm_refusal *r = &rm_refusals[cases[i].op];
        struct base_buf text = {0};

        CU_ASSERT_EQUAL(r->status, cases[i].status);
        CU_ASSERT_EQUAL(!r->exception, !cases[i].exception);
        CU_ASSERT(!r->exception || strcmp(r->exception, cases[i].exception) == 0);
        rm_refusal_format(r, "bob", cases[i].subject, &text);
        CU_ASSERT_STRING_EQUAL(text.data, cases[i].text);
        base_buf_free(&text);
    }
}

static void test_format(void)
{
    static const struct {
        const char *acl, *shown;
    } lists[] = {
        {NULL, " "},      {"", " "},           {" ", " "},      {"*", "*"},
        {" * ", "*"},     {"carol", "carol "}, {"a, b", "a b"}, {"a,,b ops , x\ny", "a,b ops,x,y"},
        {" ops", " ops"},
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct base_buf text = {0};

        base_acl_format(lists[i].acl, &text);
        CU_ASSERT_STRING_EQUAL(text.data, lists[i].shown);
        base_buf_free(&text);
    }
}

static void check_conf(const char *a, const char *b, bool closed, bool enabled, const char *admins)
{
    struct base_conf *conf = base_conf_new();
    struct base_acl_rules rules;

    base_assert(!a || base_conf_set_arg(conf, a, NULL) == 0);
    base_assert(!b || base_conf_set_arg(conf, b, NULL) == 0);
    rules = base_acl_conf_read(conf);
    CU_ASSERT_EQUAL(base_acl_conf_requires_auth(conf), closed);
    CU_ASSERT_EQUAL(rules.enabled, enabled);
    CU_ASSERT_EQUAL(base_acl_conf_is_explicitly_enabled(conf),
                    enabled && base_conf_is_set(conf, "yarn.acl.enable"));
    CU_ASSERT_STRING_EQUAL(rules.admins, admins);
    CU_ASSERT_STRING_EQUAL(rules.process, base_process_user());
    base_conf_free(conf);
}

/* By default ACLs are on and name no administrator. Only where callers name themselves
 * (creel.auth=simple) are they off and everybody an administrator. Settings override each of
 * these. */
static void test_defaults(void)
{
    check_conf(NULL, NULL, true, true, " ");
    check_conf("creel.auth=simple", NULL, false, false, "*");
    check_conf("yarn.acl.enable=false", NULL, true, false, " ");
    check_conf("yarn.admin.acl=ann", NULL, true, true, "ann");
    check_conf("yarn.admin.acl=*", NULL, true, true, "*");
    check_conf("creel.auth=simple", "yarn.acl.enable=true", false, true, "*");
}

static bool sandboxes(const char *a, const char *b)
{
    struct base_conf *conf = base_conf_new();
    bool yes;

    base_assert(!a || base_conf_set_arg(conf, a, NULL) == 0);
    base_assert(!b || base_conf_set_arg(conf, b, NULL) == 0);
    yes = base_acl_conf_sandboxes_masters(conf);
    base_conf_free(conf);
    return yes;
}

/* A browser carries a proof of its user unless callers name themselves. */
static void test_sandbox_of_masters(void)
{
    CU_ASSERT_TRUE(sandboxes(NULL, NULL));
    CU_ASSERT_TRUE(sandboxes("creel.auth=spnego", NULL));
    CU_ASSERT_FALSE(sandboxes("creel.auth=simple", NULL));
    CU_ASSERT_FALSE(sandboxes("creel.proxy.sandbox=false", NULL));
    CU_ASSERT_TRUE(sandboxes("creel.auth=simple", "creel.proxy.sandbox=true"));
}

static void test_closed_root(void)
{
    struct policy_queues q = {0};
    const struct base_acl_caller who = {.user = "eve", .groups_known = true};

    policy_queues_init(&q, "dev");
    CU_ASSERT_EQUAL(policy_queue_check_right(&q, 1, POLICY_QUEUE_ADMINISTER, &who), BASE_ACL_YES);
    q.closed = true;
    CU_ASSERT_EQUAL(policy_queue_check_right(&q, 1, POLICY_QUEUE_ADMINISTER, &who), BASE_ACL_NO);
    CU_ASSERT_EQUAL(policy_queue_check_submission(&q, 1, &who), BASE_ACL_YES);
    q.v[0].acl_admin = base_strdup("eve");
    CU_ASSERT_EQUAL(policy_queue_check_right(&q, 1, POLICY_QUEUE_ADMINISTER, &who), BASE_ACL_YES);
    policy_queues_free(&q);
}

static const struct cunit_case cases[] = {
    {"lists", test_lists},
    {"lists as Hadoop shows them", test_format},
    {"defaults", test_defaults},
    {"the sandbox of masters' pages", test_sandbox_of_masters},
    {"a closed root", test_closed_root},
    {"administrators and owners", test_admins_and_owners},
    {"rights on queues", test_queue_rights},
    {"queues without lists", test_open_queues},
    {"operations", test_operations},
    {"groups decide", test_groups_decide},
    {"refusals", test_refusals},
};
CUNIT_MAIN("access control lists", cases)
