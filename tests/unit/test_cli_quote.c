/* Goal: a word reaches the command as it was typed; a path reaches the cluster as the same file.
 * Method: fixed cases, then words of random bytes through a real sh and back. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/text/text.h"
#include "tests/unit/cunit_main.h"

static void quoted_is(const char *arg, const char *expected)
{
    struct base_buf b = {0};
    cli_shell_quote(arg, &b);
    CU_ASSERT_STRING_EQUAL(b.data, expected);
    base_buf_free(&b);
}

static void test_quote(void)
{
    quoted_is("", "''");
    quoted_is("ls", "ls");
    quoted_is("/usr/bin/a-b_c.d:e,f+g@h%i", "/usr/bin/a-b_c.d:e,f+g@h%i");
    quoted_is("a b", "'a b'");
    quoted_is("$HOME", "'$HOME'");
    quoted_is("it's", "'it'\\''s'");
    quoted_is("~", "'~'");
    quoted_is("A=1", "'A=1'"); /* bare it would be an assignment */
    quoted_is("{a,b}", "'{a,b}'");
}

/* Returns true when sh reads the one word of @line as @word. */
static bool sh_gives(const char *line, const char *word)
{
    int pipes[2];
    char back[512];
    size_t got = 0;
    char *script = base_printf("printf %%s %s", line);
    if (pipe(pipes) != 0)
        return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], 1);
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    for (ssize_t n; (n = read(pipes[0], back + got, sizeof back - 1 - got)) > 0;)
        got += (size_t)n;
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    free(script);
    back[got] = '\0';
    return strcmp(back, word) == 0;
}

static void test_quote_random(void)
{
    uint64_t seed = 20240501;
    printf("seed %llu ", (unsigned long long)seed);
    for (int round = 0; round < 200; round++) {
        char word[64];
        size_t len = (size_t)round % 40 + 1;
        for (size_t i = 0; i < len; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            word[i] = (char)(1 + (seed >> 33) % 255);
        }
        word[len] = '\0';
        struct base_buf b = {0};
        cli_shell_quote(word, &b);
        CU_ASSERT_TRUE(sh_gives(b.data, word));
        base_buf_free(&b);
    }
}

static void test_quote_argv(void)
{
    char *argv[] = {"sh", "-c", "echo out; exit 7", NULL};
    char *none[] = {NULL};
    struct base_buf b = {0};
    cli_shell_quote_all(argv, &b);
    CU_ASSERT_STRING_EQUAL(b.data, "sh -c 'echo out; exit 7'");
    base_buf_clear(&b);
    cli_shell_quote_all(none, &b);
    CU_ASSERT_EQUAL(b.len, 0);
    base_buf_free(&b);
}

static void uri_is(const char *path, const char *expected)
{
    char *uri = cli_uri_from_path(path, "/home/ann/my dir");
    CU_ASSERT_STRING_EQUAL(uri, expected);
    free(uri);
}

static void test_uri(void)
{
    uri_is("/data/a.txt", "file:///data/a.txt");
    uri_is("a.txt", "file:///home/ann/my%20dir/a.txt");
    uri_is("./x/../y", "file:///home/ann/my%20dir/y");
    uri_is("../b/", "file:///home/ann/b");
    uri_is("/../../etc", "file:///etc");
    uri_is("/", "file:///");
    uri_is("/data/*.txt", "file:///data/*.txt");
    uri_is("/a%b#c?d", "file:///a%25b%23c%3Fd");
    uri_is("/Zürich", "file:///Z%C3%BCrich");
    uri_is("file:///as/it/is%20", "file:///as/it/is%20");
    uri_is("webhdfs://host:1/x", "webhdfs://host:1/x");
    uri_is("a://", "a://");
    uri_is("1a://x", "file:///home/ann/my%20dir/1a%3A/x");
}

static void path_is(const char *uri, const char *expected)
{
    char *path = cli_uri_to_path(uri);
    CU_ASSERT_STRING_EQUAL(path, expected);
    free(path);
}

static void test_path(void)
{
    path_is("file:///a%20b/c", "/a b/c");
    path_is("file:///bad%2", "/bad%2");
    path_is("file:///%zz", "/%zz");
    path_is("webhdfs://h/x%20y", "webhdfs://h/x%20y");
}

static void test_component(void)
{
    struct base_buf b = {0};
    cli_uri_add_encoded("a b&c=d/e", &b);
    CU_ASSERT_STRING_EQUAL(b.data, "a%20b%26c%3Dd%2Fe");
    base_buf_free(&b);
}

static const struct cunit_case cases[] = {
    {"one word", test_quote},
    {"random words through sh", test_quote_random},
    {"a command line", test_quote_argv},
    {"paths to URIs", test_uri},
    {"URIs to paths", test_path},
    {"query values", test_component},
};
CUNIT_MAIN("cli_quote", cases)
