/* The requests of a job's steps to the ResourceManager. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/wire/member.h"
#include "api/wire/task.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"

static void put_numbers(struct base_buf *out, const char *key, const int64_t *v, size_t n)
{
    base_json_key(out, key);
    base_json_open(out, '[');
    for (size_t i = 0; i < n; i++)
        base_json_value_int(out, v[i]);
    base_json_close(out, ']');
}

/* Reads the list @key of numbers from 0 to @most into *out; the caller frees *out in any case. */
static int get_numbers(const json_t *root, const char *key, size_t longest, int64_t most,
                       int64_t **out, size_t *n, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(root, "", key, true, longest, &list, err);

    if (rc < 0)
        return rc;
    *n = json_array_size(list);
    *out = base_alloc((*n + 1) * sizeof **out);
    json_array_foreach(list, i, j)
    {
        if (!json_is_integer(j) || json_integer_value(j) < 0 || json_integer_value(j) > most)
            return base_error_set(err, -BASE_EINVAL,
                                  "%s[%zu]: an integer from 0 to %lld was expected", key, i,
                                  (long long)most);
        (*out)[i] = json_integer_value(j);
    }
    return 0;
}

/* ---- splits ---- */

#define S struct wire_splits
static const struct wire_member splits_members[] = {
    WIRE_INT32_ROW(S, attempt, "attempt", WIRE_R, 0, INT32_MAX),
    WIRE_INT64_ROW(S, from, "from", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_BOOL_ROW(S, last, "last", WIRE_R), WIRE_END};
#undef S
#define A struct wire_splits_answer
static const struct wire_member answer_members[] = {
    WIRE_BOOL_ROW(A, accepted, "accepted", WIRE_R),
    WIRE_INT64_ROW(A, splits, "splits", WIRE_R, 0, BASE_TASKS_MAX), WIRE_END};
#undef A

void wire_splits_put(const struct wire_splits *s, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(splits_members, s, out);
    base_json_key(out, "paths");
    base_json_open(out, '[');
    for (size_t i = 0; i < s->paths_n; i++)
        base_json_value_str(out, s->paths[i]);
    base_json_close(out, ']');
    put_numbers(out, "splits", s->splits, s->splits_n * WIRE_SPLIT_NUMBERS);
    base_json_close(out, '}');
}

static int get_paths(struct wire_splits *s, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(s->root, "", "paths", true, WIRE_SPLITS_PAGE_MAX, &list, err);

    if (rc < 0)
        return rc;
    s->paths = base_alloc((json_array_size(list) + 1) * sizeof *s->paths);
    s->paths_n = json_array_size(list);
    json_array_foreach(list, i, j)
    {
        s->paths[i] = json_string_value(j);
        if (!s->paths[i] || s->paths[i][0] != '/' || strlen(s->paths[i]) >= PATH_MAX)
            return base_error_set(err, -BASE_EINVAL,
                                  "paths[%zu]: an absolute path of less than %d bytes was expected",
                                  i, PATH_MAX);
    }
    return 0;
}

static int check_split(const struct wire_splits *s, size_t i, struct base_error *err)
{
    const int64_t *v = s->splits + i * WIRE_SPLIT_NUMBERS;

    if (v[0] < (int64_t)s->paths_n && v[1] <= INT64_MAX - v[2] && v[3] <= 1)
        return 0;
    return base_error_set(
        err, -BASE_EINVAL,
        "splits: split %zu: a path from 0 to %zu, an offset, a length, and 0 or 1 "
        "were expected",
        i, s->paths_n);
}

static int get_splits(struct wire_splits *s, struct base_error *err)
{
    size_t n = 0;
    int rc = get_numbers(s->root, "splits", WIRE_SPLITS_PAGE_MAX * WIRE_SPLIT_NUMBERS, INT64_MAX,
                         &s->splits, &n, err);

    if (rc < 0)
        return rc;
    if (n % WIRE_SPLIT_NUMBERS)
        return base_error_set(err, -BASE_EINVAL, "splits: %d numbers for each split were expected",
                              WIRE_SPLIT_NUMBERS);
    s->splits_n = n / WIRE_SPLIT_NUMBERS;
    for (size_t i = 0; rc == 0 && i < s->splits_n; i++)
        rc = check_split(s, i, err);
    return rc;
}

int wire_splits_get(const char *text, size_t len, struct wire_splits *s, struct base_error *err)
{
    int rc;

    memset(s, 0, sizeof *s);
    rc = wire_object_get(splits_members, text, len, &s->root, s, err);
    if (rc == 0)
        rc = get_paths(s, err);
    if (rc == 0)
        rc = get_splits(s, err);
    if (rc < 0)
        wire_splits_free(s);
    return rc;
}

void wire_splits_free(struct wire_splits *s)
{
    free(s->paths);
    free(s->splits);
    json_decref(s->root);
    memset(s, 0, sizeof *s);
}

void wire_splits_answer_put(const struct wire_splits_answer *a, struct base_buf *out)
{
    wire_object_put(answer_members, a, out);
}

int wire_splits_answer_get(const char *text, size_t len, struct wire_splits_answer *a,
                           struct base_error *err)
{
    memset(a, 0, sizeof *a);
    return wire_object_get_without_texts(answer_members, text, len, a, err);
}

/* ---- commit ---- */

static const struct wire_member commit_members[] = {
    WIRE_INT32_ROW(struct wire_job_commit, attempt, "attempt", WIRE_R, 0, INT32_MAX), WIRE_END};
static const struct wire_member commit_answer_members[] = {
    WIRE_BOOL_ROW(struct wire_job_commit_answer, commit, "commit", WIRE_R),
    WIRE_WORD_ROW(struct wire_job_commit_answer, kind, "kind", WIRE_D, wire_kind_words), WIRE_END};

void wire_job_commit_put(const struct wire_job_commit *c, struct base_buf *out)
{
    wire_object_put(commit_members, c, out);
}

int wire_job_commit_get(const char *text, size_t len, struct wire_job_commit *c,
                        struct base_error *err)
{
    memset(c, 0, sizeof *c);
    return wire_object_get_without_texts(commit_members, text, len, c, err);
}

void wire_job_commit_answer_put(const struct wire_job_commit_answer *a, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(commit_answer_members, a, out);
    base_json_key(out, "attempts");
    base_json_open(out, '[');
    for (size_t i = 0; i < a->attempts_n; i++)
        base_json_value_int(out, a->attempts[i]);
    base_json_close(out, ']');
    base_json_close(out, '}');
}

int wire_job_commit_answer_get(const char *text, size_t len, struct wire_job_commit_answer *a,
                               struct base_error *err)
{
    json_t *root = NULL;
    int64_t *v = NULL;
    size_t n = 0;
    int rc;

    memset(a, 0, sizeof *a);
    rc = wire_object_get(commit_answer_members, text, len, &root, a, err);
    if (rc == 0)
        rc = get_numbers(root, "attempts", BASE_TASKS_MAX, INT32_MAX, &v, &n, err);
    json_decref(root);
    if (rc == 0) {
        a->attempts = base_alloc((n + 1) * sizeof *a->attempts);
        a->attempts_n = n;
        for (size_t i = 0; i < n; i++)
            a->attempts[i] = (int32_t)v[i];
    }
    free(v);
    return rc;
}

void wire_job_commit_answer_free(struct wire_job_commit_answer *a)
{
    free(a->attempts);
    memset(a, 0, sizeof *a);
}
