/* Goal: how a container ended is what its shim wrote down; words about a full disk, whoever wrote
 * them, make the end the disk's fault only when the NodeManager itself cannot write. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/exit.h"
#include "tests/unit/cunit_main.h"

static char root[64];
static struct nm_files files;
static struct base_container_id id;

static void begin(void)
{
    char path[NM_PATH_MAX];

    snprintf(root, sizeof root, "/tmp/creel-nm-exit-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(base_container_id_parse("container_17_0001_01_000002", &id, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&files, &(struct nm_files_conf){.root = root}, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(nm_path_in_container(&files, &id, NULL, path), 0700, NULL),
                          0);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(nm_path_in_record(&files, &id, NULL, path), 0700, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(nm_path_in_logs(&files, &id, NULL, path), 0700, NULL), 0);
}

static void put(const char *path, const char *text)
{
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, text, strlen(text), 0600, false, NULL), 0);
}

struct story {
    enum base_container_kind kind;
    const char *exit, *failure, *stderr_text; /* NULL: no such file */
    int code;
    const char *says; /* NULL: no diagnostics */
};

static void tell(const struct story *s, bool full)
{
    char path[NM_PATH_MAX];
    struct nm_ending e;

    unlink(nm_path_in_container(&files, &id, "failure.json", path));
    put(nm_path_in_record(&files, &id, "exit.json", path), s->exit);
    put(nm_path_in_logs(&files, &id, "stderr", path), s->stderr_text ? s->stderr_text : "");
    if (s->failure)
        put(nm_path_in_container(&files, &id, "failure.json", path), s->failure);
    CU_ASSERT_TRUE_FATAL(nm_ending_read(&files, &id, s->kind, &e));
    CU_ASSERT_EQUAL(e.end.exit_code, full ? NM_EXIT_DISK : s->code);
    CU_ASSERT_EQUAL(e.no_space, full);
    if (!full && e.end.exit_code != s->code)
        printf("\n  %s: %d\n", s->exit, e.end.exit_code);
    if (s->says) {
        CU_ASSERT_PTR_NOT_NULL(strstr(e.diagnostics ? e.diagnostics : "", s->says));
    } else {
        CU_ASSERT_PTR_NULL(e.diagnostics);
    }
    if (full)
        CU_ASSERT_EQUAL(strncmp(e.diagnostics, NM_NO_SPACE_TEXT, strlen(NM_NO_SPACE_TEXT)), 0);
    nm_ending_free(&e);
}

#define SHIM_FULL ",\"reason\":\"" NM_NO_SPACE_TEXT "\"}"
static const struct story words[] = {
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":1}", NULL, "scp: remote: No space left on device\n", 1,
     "scp: remote"},
    {BASE_CONTAINER_MASTER, "{\"exitCode\":5}", NULL, "No space left on device\n", 5,
     "Exit code 5"},
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":2" SHIM_FULL, NULL, "why\n", 2, "why"},
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":0" SHIM_FULL, NULL, NULL, NM_EXIT_OUTPUT_LOST,
     "output could not be written completely"},
    {BASE_CONTAINER_MAP, "{\"exitCode\":75}",
     "{\"exitCode\":-101,\"diagnostics\":\"sort: no room\"}", NULL, 75, "sort: no room"},
    {BASE_CONTAINER_REDUCE, "{\"exitCode\":1}",
     "{\"exitCode\":1,\"diagnostics\":\"x: No space left on device\"}", NULL, 1, "x: No"},
};
static const struct story others[] = {
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":0}", NULL, "No space left on device\n", 0, NULL},
    {BASE_CONTAINER_MAP, "{\"exitCode\":0" SHIM_FULL, NULL, NULL, 0,
     NULL}, /* its result is elsewhere */
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":3}", "{\"exitCode\":-101,\"diagnostics\":\"mine\"}",
     "plain\n", 3, "plain"},
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":143,\"signal\":15}", NULL, "", 143,
     "Killed by signal 15"},
    {BASE_CONTAINER_COMMAND, "{\"exitCode\":300,\"signal\":99}", NULL, "", 255, "Exit code 255"},
};

static void test_words(void)
{
    begin();
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        tell(&words[i], false);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        tell(&others[i], false);
    nm_files_close(&files);
    CU_ASSERT_EQUAL(base_rmtree(root, NULL), 0);
}

/* On a disk without room for the probe, an end with words about a full disk is the disk's fault;
 * any other end is told as on a healthy disk. */
static void test_full(void)
{
    begin();
    nm_files_close(&files);
    if (geteuid() != 0 || mount("creel-test", root, "tmpfs", 0, "size=2m,mode=0700") < 0) {
        printf("(skipped: no tmpfs can be mounted) ");
    } else {
        char path[NM_PATH_MAX];

        CU_ASSERT_EQUAL_FATAL(nm_files_open(&files, &(struct nm_files_conf){.root = root}, NULL),
                              0);
        base_mkdirs(nm_path_in_container(&files, &id, NULL, path), 0700, NULL);
        base_mkdirs(nm_path_in_record(&files, &id, NULL, path), 0700, NULL);
        base_mkdirs(nm_path_in_logs(&files, &id, NULL, path), 0700, NULL);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            struct story s = words[i];

            if (s.code == NM_EXIT_OUTPUT_LOST || strstr(s.says, "Exit code"))
                s.says = NM_NO_SPACE_TEXT;
            tell(&s, true);
        }
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            tell(&others[i], false);
        nm_files_close(&files);
        umount2(root, MNT_DETACH);
    }
    CU_ASSERT_EQUAL(base_rmtree(root, NULL), 0);
}

static const struct cunit_case cases[] = {{"words on a disk with room", test_words},
                                          {"words on a full disk", test_full}};
CUNIT_MAIN("a container's end", cases)
