/* Goal: what an RM keeps of ended jobs is read with times from the point that is asked for, also
 * after a restart; an error says what cannot be kept. Method: the file by itself, in a folder of
 * the test. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "rm/jobs/ended_jobs.h"
#include "tests/unit/cunit_main.h"

#define LINE                                                                                       \
    "{\"version\":1,\"name\":\"%s\",\"submit_s\":1700000010.5,\"deadline_s\":60,\"time_0_ms\":0,"  \
    "\"start_s\":1700000011.000001,\"finish_s\":1700000020,\"map_starts_s\":[1700000012.25,0],"    \
    "\"map_ran_on\":[\"h1:1\",null],\"map_durations_s\":[3,4]}"

static const struct base_app_id one = {1700000000000, 1}, two = {1700000000000, 2};

static void put(struct rm_history_file *f, struct base_app_id id, const char *name)
{
    char *line = base_printf(LINE, name);

    CU_ASSERT_EQUAL(rm_history_file_store_job(f, id, 1700000010500000, line, NULL), 0);
    free(line);
}

static double number(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void test_kept(void)
{
    char folder[] = "/tmp/creel-history-XXXXXX", *below;
    struct rm_history_file *f;
    struct base_buf out = {0};
    json_t *o;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    below = base_printf("%s/rm", folder);
    f = rm_history_file_new(below, INT64_C(1) << 30);
    CU_ASSERT(!rm_history_file_read_job(f, one, 0, &out));
    CU_ASSERT(access(below, F_OK) < 0); /* reading makes no folder */
    put(f, one, "first");
    put(f, two, "second");
    put(f, one, "first again");
    rm_history_file_free(f);

    f = rm_history_file_new(below, INT64_C(1) << 30);
    CU_ASSERT_FATAL(rm_history_file_read_job(f, one, 1700000000000000, &out));
    o = json_loads(out.data, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "name")), "first again");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "time_0_ms")), 1700000000000);
    CU_ASSERT_DOUBLE_EQUAL(number(o, "submit_s"), 10.5, 1e-7);
    CU_ASSERT_DOUBLE_EQUAL(number(o, "start_s"), 11.000001, 5e-7);
    CU_ASSERT_DOUBLE_EQUAL(number(o, "finish_s"), 20, 1e-7);
    CU_ASSERT_DOUBLE_EQUAL(number(o, "deadline_s"), 60, 1e-7); /* counts from the submission */
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_array_get(json_object_get(o, "map_starts_s"), 0)),
                           12.25, 1e-7);
    /* this map did not start */
    CU_ASSERT_EQUAL(json_number_value(json_array_get(json_object_get(o, "map_starts_s"), 1)), 0);
    CU_ASSERT_EQUAL(json_number_value(json_array_get(json_object_get(o, "map_durations_s"), 1)), 4);
    json_decref(o);
    base_buf_clear(&out);
    CU_ASSERT(rm_history_file_read_job(f, two, 0, &out));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\"second\""));
    CU_ASSERT(!rm_history_file_read_job(f, (struct base_app_id){1700000000000, 3}, 0, &out));
    rm_history_file_free(f);
    base_buf_free(&out);
    CU_ASSERT_EQUAL(base_rmtree(folder, NULL), 0);
    free(below);
}

/* Goal: the file grows to its bound and stays there, whatever the jobs' sizes; the newest jobs are
 * in it. */
static void test_bounded(void)
{
    char folder[] = "/tmp/creel-history-XXXXXX", *path, *name = base_alloc(200001);
    struct rm_history_file *f;
    struct base_buf out = {0};
    struct stat st;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    path = base_printf("%s/history.db", folder);
    f = rm_history_file_new(folder, 2 << 20);
    for (int i = 1; i <= 60; i++) {
        memset(name, 'n', 200000);
        name[i % 3 ? 200000 : 10] = '\0';
        put(f, (struct base_app_id){1700000000000, i}, name);
        if (i == 1)
            CU_ASSERT(rm_history_file_read_job(f, one, 0, &out));
    }
    CU_ASSERT(!rm_history_file_read_job(f, one, 0, &out));
    for (int i = 58; i <= 60; i++)
        CU_ASSERT(rm_history_file_read_job(f, (struct base_app_id){1700000000000, i}, 0, &out));
    rm_history_file_free(f); /* SQLite's write-ahead log goes into the file */
    CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
    CU_ASSERT(st.st_size <= (2 << 20) + (1 << 19));
    free(name);
    name = base_alloc(200001);
    memset(name, 'n', 200000);
    f = rm_history_file_new(folder, 1000); /* too small for any: the newest stays */
    put(f, one, name);
    CU_ASSERT(rm_history_file_read_job(f, one, 0, &out));
    CU_ASSERT(!rm_history_file_read_job(f, (struct base_app_id){1700000000000, 60}, 0, &out));
    rm_history_file_free(f);
    base_buf_free(&out);
    CU_ASSERT_EQUAL(base_rmtree(folder, NULL), 0);
    free(path);
    free(name);
}

static void test_cannot_be_kept(void)
{
    char path[] = "/tmp/creel-history-XXXXXX";
    int fd = mkstemp(path);
    /* a file where a folder should be */
    struct rm_history_file *f = rm_history_file_new(path, INT64_C(1) << 30);
    struct base_buf out = {0};
    struct base_error err = {0};

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT(rm_history_file_store_job(f, one, 0, "{}", &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, path));
    CU_ASSERT(!rm_history_file_read_job(f, one, 0, &out));
    rm_history_file_free(f);
    close(fd);
    unlink(path);
}

static const struct cunit_case cases[] = {
    {"kept", test_kept}, {"bounded", test_bounded}, {"cannot be kept", test_cannot_be_kept}};
CUNIT_MAIN("rm_history_archive_job", cases)
