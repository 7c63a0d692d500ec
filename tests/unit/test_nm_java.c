/* Goal: the mark <ADD_OPENS> stands for options from Java 17 on, and for nothing on older ones,
 * which refuse them. Method: folders like those of real JDKs, in a folder of the test's own. */
#include "tests/unit/cunit_main.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/daemon/java.h"

#define OPENS "--add-opens=java.base/java.lang=ALL-UNNAMED"

static char place[] = "/tmp/creel-test-java.XXXXXX";

/* Writes file @name below the test's folder. */
static void write_file(const char *name, const char *text)
{
    char *path = base_printf("%s/%s", place, name);

    for (char *slash = path + strlen(place) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, text, strlen(text), 0755, false, NULL), 0);
    free(path);
}

static void check_version(const char *release, int version, const char *options)
{
    write_file("jdk/release", release);
    char *home = base_printf("%s/jdk", place);

    CU_ASSERT_EQUAL(nm_java_read_version(home), version);
    CU_ASSERT_STRING_EQUAL(nm_java_find_options(home, "/nowhere"), options);
    free(home);
}

static void test_versions(void)
{
    check_version("IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.13\"\nOS_NAME=\"Linux\"\n", 17,
                  OPENS);
    check_version("JAVA_VERSION=\"21\"\n", 21, OPENS);
    check_version("JAVA_VERSION=\"16.0.2\"\n", 16, "");
    check_version("JAVA_VERSION=\"11.0.2\"\n", 11, "");
    check_version("JAVA_VERSION=\"1.8.0_392\"\n", 8, "");
    check_version("JAVA_VERSION=\"\"\n", 0, OPENS);
    check_version("", 0, OPENS);
    CU_ASSERT_EQUAL(nm_java_read_version("/nowhere"), 0);
}

/* Without JAVA_HOME the program in PATH counts, through its links. */
static void test_program_in_path(void)
{
    char *bin = base_printf("%s/bin", place), *link = base_printf("%s/bin/java", place);
    char *path = base_printf("/nowhere::%s/empty:%s", place, bin);

    write_file("bin/other", "");
    CU_ASSERT_STRING_EQUAL(nm_java_find_options(NULL, path), OPENS); /* no Java at all */
    write_file("jdk8/release", "JAVA_VERSION=\"1.8.0_1\"\n");
    write_file("jdk8/jre/bin/java", "");
    CU_ASSERT_EQUAL_FATAL(symlink("../jdk8/jre/bin/java", link), 0);
    CU_ASSERT_STRING_EQUAL(nm_java_find_options(NULL, path), "");
    CU_ASSERT_STRING_EQUAL(nm_java_find_options("", path), "");
    unlink(link);
    write_file("jdk17/release", "JAVA_VERSION=\"17\"\n");
    write_file("jdk17/bin/java", "");
    CU_ASSERT_EQUAL_FATAL(symlink("../jdk17/bin/java", link), 0);
    CU_ASSERT_STRING_EQUAL(nm_java_find_options(NULL, path), OPENS);
    CU_ASSERT_STRING_EQUAL(nm_java_find_options(NULL, NULL), OPENS);
    free(path);
    free(link);
    free(bin);
}

static void remove_place(void)
{
    char *command = base_printf("rm -r %s", place);

    CU_ASSERT_EQUAL(system(command), 0);
    free(command);
}

static void test_all(void)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(place));
    test_versions();
    test_program_in_path();
    remove_place();
}

static const struct cunit_case cases[] = {{"versions and places", test_all}};
CUNIT_MAIN("the Java of a node", cases)
