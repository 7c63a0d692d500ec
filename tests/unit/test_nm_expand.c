/* Goal: what YARN replaces in commands and environments is replaced, in whatever order variables
 * name each other, and nothing else is. Method: each rule by itself; for values also a shell, which
 * is what YARN uses. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/expand.h"
#include "nodemanager/container/logs/log_choice.h"
#include "nodemanager/localize/link.h"
#include "tests/unit/cunit_main.h"

static const struct nm_marks marks = {"/logs", "--opens=x y"};

static const char *look_up(void *env, const char *name, size_t len)
{
    return nm_env_get(env, name, len);
}

static void check(bool command, const char *text, const char *wanted)
{
    struct nm_env_list env = {0};
    struct base_buf out = {0};

    nm_env_set(&env, "A", "old");
    nm_env_set(&env, "A", "1");
    nm_env_set(&env, "AB", "$A");
    CU_ASSERT_EQUAL(
        (command ? nm_expand_command : nm_expand_value)(text, &marks, look_up, &env, &out, NULL),
        0);
    CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", wanted);
    if (out.data && strcmp(out.data, wanted) != 0)
        fprintf(stderr, "%s -> %s\n", text, out.data);
    base_buf_free(&out);
    nm_env_free(&env);
}

static void test_markers(void)
{
    for (int command = 0; command < 2; command++) {
        check(command, "", "");
        check(command, "1><LOG_DIR>/out 2><LOG_DIR>", "1>/logs/out 2>/logs");
        check(command, "a<CPS>./*<CPS>", "a:./*:");
        check(command, "java <ADD_OPENS> X <ADD_OPENS", "java --opens=x y X <ADD_OPENS");
        check(command, "{{A}}x{{AB}}{{NONE}}.", "1x$A.");
        check(command, "<LOG_DIR", "<LOG_DIR");
        check(command, "<cps>{{A}{{}}{{A B}}{{1}}{A}", "<cps>{{A}{{}}{{A B}}{{1}}{A}");
    }
}

static void test_shell(void)
{
    /* the shell that runs the command replaces variables */
    check(true, "$A ${A} \\$A", "$A ${A} \\$A");
    check(false, "$A.${AB}.$NONE.${NONE}", "1.$A..");
    check(false, "\\$A \\\\ \\\" \\` \\n", "$A \\ \" ` \\n");
    check(false, "$ $$ $1 ${A-x} $(id) `id`", "$ $$ $1 ${A-x} $(id) `id`");
    check(false, "$AB$A_$A", "$A1");
}

static void expand_all(const char *const *env, size_t n, struct nm_env_list *out)
{
    struct nm_env_list fixed = {0}, base = {0};

    nm_env_set(&fixed, "PWD", "/work");
    nm_env_set(&base, "PATH", "/bin");
    nm_env_set(&base, "PWD", "/elsewhere");
    CU_ASSERT_EQUAL(nm_expand_env(env, n, &marks, &fixed, &base, out, NULL), 0);
    nm_env_free(&fixed);
    nm_env_free(&base);
}

static void check_variable(const struct nm_env_list *l, const char *name, const char *wanted)
{
    const char *value = nm_env_get(l, name, strlen(name));

    CU_ASSERT_PTR_NOT_NULL_FATAL(value);
    CU_ASSERT_STRING_EQUAL(value, wanted);
}

static void test_order(void)
{
    static const char *const env[] = {
        "C=$B/c",        "B=${A}b",       "A=a", "PATH=$PATH:$C", "HERE={{PWD}}/x",
        "LOOP=<$LOOP2>", "LOOP2=[$LOOP]", "E=",  "F=a=b"};
    struct nm_env_list out = {0};

    expand_all(env, sizeof env / sizeof *env, &out);
    check_variable(&out, "C", "ab/c");
    check_variable(&out, "B", "ab");
    check_variable(&out, "PATH", "/bin:ab/c");
    check_variable(&out, "HERE", "/work/x");
    check_variable(&out, "LOOP", "<[]>");
    check_variable(&out, "LOOP2", "[]");
    check_variable(&out, "E", "");
    check_variable(&out, "F", "a=b");
    nm_env_free(&out);
}

/* Each variable doubles the next one: it would become 2^42 bytes without a bound. */
static void test_bomb(void)
{
    char *env[40];
    struct nm_env_list none = {0}, out = {0};
    struct base_error err = {0};

    for (int i = 0; i < 39; i++)
        env[i] = base_printf("V%d=$V%d$V%d", i, i + 1, i + 1);
    env[39] = base_printf("V39=xxxxxxxx");
    CU_ASSERT_EQUAL(nm_expand_env((const char *const *)env, 40, &marks, &none, &none, &out, &err),
                    -BASE_ELIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "environment: V"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "becomes longer than 131071 bytes"));
    for (int i = 0; i < 40; i++)
        free(env[i]);
    nm_env_free(&out);
}

static void test_link_names(void)
{
    static const char *const good[] = {"a", "a/b", "...", "..a", "a..", "*", " "};
    static const char *const bad[] = {"",   "/",    "/a",     "a/",  "a//b", ".",
                                      "..", "../a", "a/../b", "a/.", "./a"};
    char folder[] = "/tmp/creel-link.XXXXXX", path[64], text[64] = "";

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT_TRUE(nm_link_name_is_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(nm_link_name_is_valid(bad[i]));
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    CU_ASSERT_EQUAL(nm_link_create_with_folders(fd, "x/y/z", "/target", NULL), 0);
    CU_ASSERT_EQUAL(nm_link_create_with_folders(fd, "x/l", folder, NULL), 0);
    /* the name is taken */
    CU_ASSERT_EQUAL(nm_link_create_with_folders(fd, "x/y/z", "/target", NULL), -BASE_EIO);
    /* the name is below a link */
    CU_ASSERT_EQUAL(nm_link_create_with_folders(fd, "x/l/in", "/target", NULL), -BASE_EIO);
    snprintf(path, sizeof path, "%s/x/y/z", folder);
    CU_ASSERT_EQUAL(readlink(path, text, sizeof text), 7);
    CU_ASSERT_STRING_EQUAL(text, "/target");
    snprintf(path, sizeof path, "%s/in", folder);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    close(fd);
    CU_ASSERT_EQUAL(base_rmtree(folder, NULL), 0);
}

static void check_choice(const char *include, const char *exclude, const char *kept)
{
    static const char *const names[] = {"stdout", "stderr", "file1", "app.log"};
    struct nm_log_choice *c = nm_log_choice_new(include, exclude);
    char got[64] = "";

    for (size_t i = 0; i < 4; i++)
        if (!c || nm_log_choice_keeps(c, names[i])) {
            strcat(got, names[i]);
            strcat(got, " ");
        }
    CU_ASSERT_STRING_EQUAL(got, kept);
    nm_log_choice_free(c);
}

static void test_logs(void)
{
    check_choice(NULL, "", "stdout stderr file1 app.log ");
    check_choice("std", NULL, "stdout stderr ");
    check_choice("std.*", "err", "stdout ");
    check_choice("", "^std", "file1 app.log ");
    check_choice("\\d$|\\.log", NULL, "file1 app.log ");
    check_choice("(", NULL, "stdout stderr file1 app.log "); /* not a pattern: everything is kept */
    check_choice("p{2}|[\\d]", "(?i)STD", "file1 app.log ");
    check_choice(NULL, "(r)\\1", "stdout file1 app.log ");
    check_choice("[a&&[b]]", "\\C", "stdout stderr file1 app.log ");
    check_choice("(std)+(err)+", NULL, "stderr ");
    check_choice("\\++|file", NULL, "file1 ");
}

/* A pattern that would take much memory or a deep stack to compile has no effect. */
static void test_costly_patterns(void)
{
    char deep[1001];

    memset(deep, '(', 500);
    memset(deep + 500, ')', 500);
    deep[1000] = '\0';
    check_choice("((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", NULL,
                 "app.log ");
    check_choice("((((p{999}){999}){999}){999})", NULL, "stdout stderr file1 app.log ");
    check_choice("a++++++++++++++++++++++++++++++++++++++++", NULL, "stdout stderr file1 app.log ");
    check_choice("((a+)*)+", NULL, "stdout stderr file1 app.log ");
    check_choice(deep, NULL, "stdout stderr file1 app.log ");
}

static const struct cunit_case cases[] = {{"markers", test_markers},
                                          {"as a shell does", test_shell},
                                          {"order of variables", test_order},
                                          {"bomb", test_bomb},
                                          {"names of links", test_link_names},
                                          {"choice of logs", test_logs},
                                          {"costly patterns", test_costly_patterns}};
CUNIT_MAIN("launch contexts on a node", cases)
