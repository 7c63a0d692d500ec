/* Goal: patterns in Java's syntax match as they do in Java, or are refused. */
#include "base/text/java_regex.h"

#include "tests/unit/cunit_main.h"

static void check_match(const char *java, enum base_java_regex_mode mode, const char *text,
                        bool expected)
{
    regex_t regex;

    CU_ASSERT_FATAL(base_java_regex_compile(java, mode, &regex));
    CU_ASSERT_EQUAL(regexec(&regex, text, 0, NULL, 0) == 0, expected);
    regfree(&regex);
}

/* The pattern with which MapReduce's clients submit their jar. */
static void test_job_jar(void)
{
    static const char java[] = "(?:classes/|lib/).*";

    check_match(java, BASE_REGEX_MATCH, "lib/a.jar", true);
    check_match(java, BASE_REGEX_MATCH, "classes/a/B.class", true);
    check_match(java, BASE_REGEX_MATCH, "a/lib/b.jar", false);
    check_match(java, BASE_REGEX_MATCH, "library", false);
    check_match(java, BASE_REGEX_FIND, "a/lib/b.jar", true);
}

static void test_whole_text(void)
{
    check_match("a|ab", BASE_REGEX_MATCH, "ab", true);
    check_match("a|ab", BASE_REGEX_MATCH, "abc", false);
    check_match("a|b", BASE_REGEX_MATCH, "xb", false);
    check_match("\\d+\\.\\D", BASE_REGEX_MATCH, "12.x", true);
    check_match("((?:a)b)+", BASE_REGEX_MATCH, "abab", true);
    check_match("\\(?:", BASE_REGEX_MATCH, "(:", true); /* no group */
}

static void test_refused(void)
{
    static const char *const patterns[] = {"(",      "(?i)a",    "(?=a)", "a{2}",
                                           "(a)\\1", "((a+)*)+", "\\Qa"};
    regex_t regex;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        CU_ASSERT_FALSE(base_java_regex_compile(patterns[i], BASE_REGEX_FIND, &regex));
        CU_ASSERT_FALSE(base_java_regex_compile(patterns[i], BASE_REGEX_MATCH, &regex));
    }
}

static const struct cunit_case cases[] = {{"MapReduce's job.jar", test_job_jar},
                                          {"the whole text", test_whole_text},
                                          {"refused patterns", test_refused}};
CUNIT_MAIN("patterns in Java's syntax", cases)
