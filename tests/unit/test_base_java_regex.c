/* Goal: patterns in Java's syntax match as they do in Java, or are refused. */
#include "base/text/java_regex.h"

#include <string.h>

#include "tests/unit/cunit_main.h"

static void check_match(const char *java, enum base_java_regex_mode mode, const char *text,
                        bool expected)
{
    struct base_java_regex *regex = base_java_regex_compile(java, mode);

    CU_ASSERT_PTR_NOT_NULL_FATAL(regex);
    CU_ASSERT_EQUAL(base_java_regex_matches(regex, text), expected);
    base_java_regex_free(regex);
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

static void test_escapes(void)
{
    check_match("[\\d]+", BASE_REGEX_MATCH, "12", true);
    check_match("[\\d]+", BASE_REGEX_MATCH, "d\\", false);
    check_match("[\\w.-]+\\.log", BASE_REGEX_MATCH, "a-1.b.log", true);
    check_match("[\\]x]+", BASE_REGEX_MATCH, "x]", true);
    check_match("[]x]+", BASE_REGEX_MATCH, "x]", true);
    check_match("[^](]+(?:b)", BASE_REGEX_MATCH, "aab", true);
    check_match("[(*{]", BASE_REGEX_MATCH, "{", true);
    check_match("a\\tb\\z", BASE_REGEX_FIND, "a\tb", true);
    check_match("\\x41\\x{42}\\u0043\\u00e9", BASE_REGEX_MATCH, "ABC\xc3\xa9", true);
    check_match("\\Q(*a[\\E+", BASE_REGEX_MATCH, "(*a[[", true);
    check_match("\\\\Q", BASE_REGEX_MATCH, "\\Q", true);
    check_match("\\p{Lu}\\pL", BASE_REGEX_MATCH, "Ab", true);
}

static void test_groups_and_repetitions(void)
{
    check_match("(?i)a{2}(?-i:b){1,}", BASE_REGEX_MATCH, "aAb", true);
    check_match("(?<x>a|b)\\1\\k<x>", BASE_REGEX_MATCH, "bbb", true);
    check_match("(?=a)(?!ab)(?>a).(?<=c)(?<!b)", BASE_REGEX_MATCH, "ac", true);
    check_match("((a+)*)+", BASE_REGEX_MATCH, "aa", true);
    check_match("a.b", BASE_REGEX_MATCH, "a\rb", false); /* the end of a line in Java, too */
}

static void test_refused(void)
{
    static const char *const patterns[] = {"(",           "a**",     "[a&&[b]]",   "[a&&b]",
                                           "[[:alpha:]]", "[a[b]]",  "{",          "a{,2}",
                                           "a{2",         "\\",      "\\C",        "\\Ka",
                                           "\\N",         "(a)\\g1", "(a)\\g<1>",  "(?<n>a)\\k{n}",
                                           "\\0101",      "[\\1]",   "(a)\\10",    "\\x4",
                                           "\\u12",       "\\x{41",  "\\E",        "[\\Q\\E]]",
                                           "[\\b]",       "(*UTF)a", "a(*ACCEPT)", "(?C)a",
                                           "(?R)",        "(a)(?1)", "(?P<n>a)",   "(?<n>a)(?P>n)",
                                           "(?&n)",       "(?#a)",   "(?x)a",      "(?(1)a)",
                                           "(?|a)",       "\\ud800"};
    char text[BASE_JAVA_REGEX_MAX + 2] = {0};

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        CU_ASSERT_PTR_NULL(base_java_regex_compile(patterns[i], BASE_REGEX_FIND));
        CU_ASSERT_PTR_NULL(base_java_regex_compile(patterns[i], BASE_REGEX_MATCH));
    }
    memset(text, 'a', BASE_JAVA_REGEX_MAX + 1);
    CU_ASSERT_PTR_NULL(base_java_regex_compile(text, BASE_REGEX_FIND));
    check_match(text + 1, BASE_REGEX_FIND, text, true);
    for (size_t i = 0; i < 21; i++)
        memcpy(text + i, "(", 1), memcpy(text + 22 + i, ")", 1);
    text[43] = '\0';
    CU_ASSERT_PTR_NULL(base_java_regex_compile(text, BASE_REGEX_FIND));
}

/* A match ends soon, whatever the pattern is. Without the bound on its steps the second one would
 * be found, after some hundred thousand. */
static void test_bounded(void)
{
    char pattern[120] = "(a|b)*a", text[251];

    memset(pattern + strlen(pattern), '.', 100);
    memset(text, 'b', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    check_match(pattern, BASE_REGEX_FIND, text, false);
    text[100] = 'a';
    check_match(pattern, BASE_REGEX_FIND, text, true);
    check_match("(?:a+)+b|a*c", BASE_REGEX_MATCH, "aaaaaaaaaaaaaaaaaac", false);
    check_match("(?:a+)+b|a*c", BASE_REGEX_MATCH, "aaac", true);
}

static void test_not_utf8(void)
{
    check_match(".*", BASE_REGEX_MATCH, "a\xff", false);
    check_match("a", BASE_REGEX_FIND, "a\xff", false);
    check_match("a.", BASE_REGEX_MATCH, "a\xc3\xa9", true); /* one character */
}

static const struct cunit_case cases[] = {{"MapReduce's job.jar", test_job_jar},
                                          {"the whole text", test_whole_text},
                                          {"escapes", test_escapes},
                                          {"groups and repetitions", test_groups_and_repetitions},
                                          {"bounded matches", test_bounded},
                                          {"texts that are not UTF-8", test_not_utf8},
                                          {"refused patterns", test_refused}};
CUNIT_MAIN("patterns in Java's syntax", cases)
