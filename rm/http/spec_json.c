#include "rm/http/spec_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/file_path.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "base/utf8.h"

#define PRIORITY_MAX   1000000
#define SECONDS_MAX    1e9                      /* deadline-s and expected-s: about 31 years */
#define DATE_MAX       INT64_C(253402300799000) /* deadline-at-ms: the end of the year 9999 */
#define WEIGHT_MAX     1e6
#define SPLIT_SIZE_MAX (INT64_C(1) << 50)
#define GROUPS_MAX     100000

const char *const rm_spec_job_members[] = {"id",
                                           "name",
                                           "user",
                                           "queue",
                                           "priority",
                                           "input",
                                           "output",
                                           "map",
                                           "combine",
                                           "reduce",
                                           "reduces",
                                           "split-size",
                                           "max-attempts",
                                           "env",
                                           "deadline-s",
                                           "deadline-at-ms",
                                           "weight",
                                           "tasks",
                                           "reservation-id",
                                           "acl-view",
                                           "acl-modify",
                                           "slots",
                                           NULL};
const char *const rm_spec_task_members[] = {"kind",  "command",    "hosts",
                                            "count", "expected-s", NULL};

static bool is_blank(const char *s)
{
    return s[strspn(s, " \t\r\n")] == '\0';
}

static bool has_control_characters(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return true;
    return false;
}

/* Reads a name. Control characters are refused, since names are shown in tables and used in headers
 * and file names. */
static int read_name(const json_t *obj, const char *where, const char *name, const char *fallback,
                     char **out, struct base_error *err)
{
    const char *v = fallback;
    int rc = base_json_str(obj, where, name, false, BASE_NAME_MAX, &v, err);

    if (rc < 0)
        return rc;
    if (is_blank(v))
        return base_error_set(err, -BASE_EINVAL, "%s%s: \"\" is not a name of 1 to %d bytes", where,
                              name, BASE_NAME_MAX);
    if (strlen(v) > BASE_NAME_MAX) /* only the fallback can be longer: members were checked above */
        return base_error_set(err, -BASE_ELIMIT, "%s%s: %zu bytes are more than %d", where, name,
                              strlen(v), BASE_NAME_MAX);
    if (has_control_characters(v) || !base_utf8_valid(v))
        return base_error_set(err, -BASE_EINVAL, "%s%s: a name must not contain control characters",
                              where, name);
    *out = base_strdup(v);
    return 0;
}

static int read_command(const json_t *obj, const char *where, const char *name, bool required,
                        char **out, struct base_error *err)
{
    const char *v = NULL;
    int rc = base_json_str(obj, where, name, required, BASE_COMMAND_MAX, &v, err);

    if (rc < 0)
        return rc;
    if (v && is_blank(v))
        return base_error_set(err, -BASE_EINVAL, "%s%s: \"\" is not a command for sh -c", where,
                              name);
    *out = base_strdup(v);
    return 0;
}

static void str_list_append(struct rm_str_list *l, const char *s)
{
    l->v = base_realloc_array(l->v, l->n + 1, sizeof *l->v);
    l->v[l->n++] = base_strdup(s);
}

/* Reads a list of at most @max strings, none blank, none with control characters, and none longer
 * than @bytes_max. */
static int read_strings(const json_t *obj, const char *where, const char *name, size_t max,
                        size_t bytes_max, struct rm_str_list *out, struct base_error *err)
{
    json_t *arr = NULL, *j;
    size_t i;
    int rc = base_json_arr(obj, where, name, false, max, &arr, err);

    if (rc < 0 || !arr)
        return rc;
    json_array_foreach(arr, i, j)
    {
        const char *s = json_string_value(j);
        if (!s || is_blank(s) || has_control_characters(s)) {
            char *element = base_printf("%s[%zu]", name, i);
            rc = base_json_set_value_error(j, where, element,
                                           "a non-empty string without control characters", err);
            free(element);
            return rc;
        }
        if (strlen(s) > bytes_max)
            return base_error_set(err, -BASE_ELIMIT, "%s%s[%zu]: %zu bytes are more than %zu",
                                  where, name, i, strlen(s), bytes_max);
        str_list_append(out, s);
    }
    return 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int set_env_value_error(const char *name, const json_t *value, struct base_error *err)
{
    char *shown = base_utf8_escape_for_message(name, 100);
    int rc = base_json_set_value_error(value, "job.env.", shown, "a string", err);

    free(shown);
    return rc;
}

/* Reads environment variables. A name must not be empty and must not contain '='. */
static int read_env(const json_t *job, struct rm_str_list *out, struct base_error *err)
{
    json_t *env = json_object_get(job, "env"), *value;
    const char *name;

    if (!env || json_is_null(env))
        return 0;
    if (!json_is_object(env))
        return base_json_set_value_error(env, "job.", "env",
                                         "an object of strings, as {\"LC_ALL\":\"C\"}", err);
    if (json_object_size(env) > BASE_ENV_MAX)
        return base_error_set(err, -BASE_ELIMIT, "job.env: %zu entries are more than %d",
                              json_object_size(env), BASE_ENV_MAX);
    json_object_foreach(env, name, value)
    {
        char *pair;
        if (!name[0] || strchr(name, '=') || has_control_characters(name) ||
            strlen(name) > BASE_NAME_MAX)
            return base_error_set(err, -BASE_EINVAL,
                                  "job.env: \"%.100s\" is not a name of an environment variable",
                                  name);
        if (!json_is_string(value))
            return set_env_value_error(name, value, err);
        if (json_string_length(value) > BASE_COMMAND_MAX)
            return base_error_set(err, -BASE_ELIMIT, "job.env.%.100s: %zu bytes are more than %d",
                                  name, json_string_length(value), BASE_COMMAND_MAX);
        pair = base_printf("%s=%s", name, json_string_value(value));
        out->v = base_realloc_array(out->v, out->n + 1, sizeof *out->v);
        out->v[out->n++] = pair;
    }
    if (out->n) /* equal environments yield equal texts, whatever the client's order */
        qsort(out->v, out->n, sizeof *out->v, compare_texts);
    return 0;
}

static int read_seconds(const json_t *obj, const char *where, const char *name, int64_t *out_us,
                        struct base_error *err)
{
    double s = 0;
    int rc = base_json_num(obj, where, name, false, 0, SECONDS_MAX, &s, err);

    *out_us = (int64_t)(s * 1e6 + 0.5);
    return rc;
}

static bool member_is_given(const json_t *obj, const char *name)
{
    const json_t *j = json_object_get(obj, name);

    return j && !json_is_null(j);
}

/* Reads the deadline, which counts from the submission or is a date. */
static int read_deadline(const json_t *job, struct rm_job_spec *s, struct base_error *err)
{
    int64_t ms = 0;
    int rc;

    if ((rc = read_seconds(job, "job.", "deadline-s", &s->deadline_us, err)) < 0 ||
        (rc = base_json_int(job, "job.", "deadline-at-ms", false, 1, DATE_MAX, &ms, err)) < 0)
        return rc;
    if (member_is_given(job, "deadline-s") && member_is_given(job, "deadline-at-ms"))
        return base_error_set(
            err, -BASE_EINVAL,
            "job.deadline-at-ms: not allowed beside \"deadline-s\": a job has one deadline");
    if (member_is_given(job, "deadline-s") && s->deadline_us <= 0)
        return base_json_set_value_error(
            json_object_get(job, "deadline-s"), "job.", "deadline-s",
            "a number of seconds greater than 0 (and at least a millionth)", err);
    s->deadline_at_us = ms * 1000;
    return 0;
}

static int read_weight(const json_t *job, struct rm_job_spec *s, struct base_error *err)
{
    int rc = base_json_num(job, "job.", "weight", false, 0, WEIGHT_MAX, &s->weight, err);

    if (rc < 0)
        return rc;
    s->weight =
        (double)(int64_t)(s->weight * 1e6 + 0.5) / 1e6; /* the precision with which it is stored */
    if (member_is_given(job, "weight") && !(s->weight > 0))
        return base_json_set_value_error(json_object_get(job, "weight"), "job.", "weight",
                                         "a number greater than 0 (and at least a millionth)", err);
    return 0;
}

static int read_task_group(const json_t *j, size_t i, struct rm_task_group *g,
                           struct base_error *err)
{
    const char *kind = "map";
    char where[40];
    int rc;

    snprintf(where, sizeof where, "job.tasks[%zu].", i);
    g->count = 1;
    if ((rc = base_json_refuse_unknown_members(j, where, rm_spec_task_members, err)) < 0 ||
        (rc = base_json_str(j, where, "kind", false, 16, &kind, err)) < 0)
        return rc;
    if (strcmp(kind, "map") != 0 && strcmp(kind, "reduce") != 0)
        return base_error_set(err, -BASE_EINVAL, "%skind: \"%s\" is not \"map\" or \"reduce\"",
                              where, kind);
    g->kind = strcmp(kind, "map") == 0 ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    if ((rc = read_command(j, where, "command", true, &g->command, err)) < 0 ||
        (rc = read_strings(j, where, "hosts", BASE_HOSTS_MAX, BASE_NAME_MAX, &g->hosts, err)) < 0 ||
        (rc = base_json_int(j, where, "count", false, 1, BASE_TASKS_MAX, &g->count, err)) < 0)
        return rc;
    return read_seconds(j, where, "expected-s", &g->expected_us, err);
}

static int read_task_groups(const json_t *tasks, struct rm_job_spec *s, struct base_error *err)
{
    int64_t sum[BASE_TASK_KINDS] = {0};
    json_t *j;
    size_t i;

    if (json_array_size(tasks) == 0)
        return base_error_set(err, -BASE_EINVAL,
                              "job.tasks: [] has no task; at least one is needed");
    s->groups = base_alloc(json_array_size(tasks) * sizeof *s->groups);
    json_array_foreach(tasks, i, j)
    {
        int rc;
        s->groups_n = i + 1;
        if ((rc = read_task_group(j, i, &s->groups[i], err)) < 0)
            return rc;
        sum[s->groups[i].kind] += s->groups[i].count;
        if (sum[s->groups[i].kind] > BASE_TASKS_MAX)
            return base_error_set(err, -BASE_EINVAL,
                                  "job.tasks[%zu].count: more than %d tasks of one kind", i,
                                  BASE_TASKS_MAX);
    }
    return 0;
}

/* Reads the members of a job of explicit tasks. Refuses members that only a job with input may
 * have. */
static int read_explicit_tasks(const json_t *job, json_t *tasks, struct rm_job_spec *s,
                               struct base_error *err)
{
    static const char *const others[] = {"input",  "output",  "map",       "combine",
                                         "reduce", "reduces", "split-size"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const json_t *j = json_object_get(job, others[i]);
        if (j && !json_is_null(j))
            return base_error_set(
                err, -BASE_EINVAL,
                "job.%s: not allowed beside \"tasks\": a job has either input or explicit tasks",
                others[i]);
    }
    return read_task_groups(tasks, s, err);
}

static int read_input_job(const json_t *job, const struct rm_spec_defaults *d,
                          struct rm_job_spec *s, struct base_error *err)
{
    const char *output = NULL;
    int rc;

    if (!json_object_get(job, "input") && !json_object_get(job, "map"))
        return base_error_set(
            err, -BASE_EINVAL,
            "job: has no work: give \"input\", \"output\" and \"map\", or a list of \"tasks\"");
    if ((rc = read_strings(job, "job.", "input", BASE_INPUTS_MAX, 4096, &s->input, err)) < 0)
        return rc;
    if (s->input.n == 0)
        return base_error_set(err, -BASE_EINVAL,
                              "job.input: needs at least one path, as [\"file:///data/*.txt\"]");
    if ((rc = base_json_str(job, "job.", "output", true, 4096, &output, err)) < 0 ||
        (rc = read_command(job, "job.", "map", true, &s->map, err)) < 0 ||
        (rc = read_command(job, "job.", "combine", false, &s->combine, err)) < 0 ||
        (rc = read_command(job, "job.", "reduce", false, &s->reduce, err)) < 0)
        return rc;
    if (is_blank(output) || has_control_characters(output))
        return base_error_set(err, -BASE_EINVAL,
                              "job.output: \"\" is not a folder, as \"file:///out/wc\"");
    s->output = base_strdup(output);
    s->reduces = s->reduce ? 1 : 0;
    s->split_size = d->split_size;
    if ((rc = base_json_int(job, "job.", "reduces", false, 0, BASE_TASKS_MAX, &s->reduces, err)) <
            0 ||
        (rc = base_json_int(job, "job.", "split-size", false, 1, SPLIT_SIZE_MAX, &s->split_size,
                            err)) < 0)
        return rc;
    if (s->reduces > 0 && !s->reduce)
        return base_error_set(
            err, -BASE_EINVAL,
            "job.reduce: is required when reduces is %lld (\"cat\" passes the sorted lines on)",
            (long long)s->reduces);
    if (s->combine && s->reduces == 0)
        return base_error_set(err, -BASE_EINVAL,
                              "job.combine: not allowed when reduces is 0: nothing is sorted then");
    return 0;
}

static int read_job_id(const json_t *job, struct base_app_id *id, struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(job, "job.", "id", false, BASE_ID_TEXT_MAX, &text, err);

    if (rc < 0 || !text)
        return rc;
    if (base_app_id_parse(text, id, NULL) < 0 || id->seq < 1 || id->cluster_ts < 0)
        return base_error_set(
            err, -BASE_EINVAL,
            "job.id: \"%.100s\" is not an application id, as \"application_1700000000000_0001\"",
            text);
    return 0;
}

static int read_reservation(const json_t *job, struct base_app_id *id, struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(job, "job.", "reservation-id", false, BASE_ID_TEXT_MAX, &text, err);

    if (rc < 0 || !text)
        return rc;
    if (base_reservation_id_parse(text, id, NULL) < 0 || id->seq < 1)
        return base_error_set(err, -BASE_EINVAL,
                              "job.reservation-id: \"%.100s\" is not a reservation id, as "
                              "\"reservation_1700000000000_0001\"",
                              text);
    return 0;
}

static int read_acl(const json_t *job, const char *name, char **out, struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(job, "job.", name, false, BASE_ACL_MAX, &text, err);

    if (rc == 0 && text)
        *out = base_strdup(text);
    return rc;
}

static int read_job(const json_t *job, const struct rm_spec_defaults *d, struct rm_job_spec *s,
                    struct base_error *err)
{
    int64_t priority = 0, attempts = d->max_attempts, slots = 1;
    json_t *tasks = NULL;
    int rc;

    if ((rc = base_json_refuse_unknown_members(job, "job.", rm_spec_job_members, err)) < 0 ||
        (rc = read_job_id(job, &s->id, err)) < 0 ||
        (rc = read_name(job, "job.", "name", "job", &s->name, err)) < 0 ||
        (rc = read_name(job, "job.", "user", d->user, &s->user, err)) < 0 ||
        (rc = read_name(job, "job.", "queue", "default", &s->queue, err)) < 0 ||
        (rc = base_json_int(job, "job.", "priority", false, 0, PRIORITY_MAX, &priority, err)) < 0 ||
        (rc = base_json_int(job, "job.", "max-attempts", false, 1, BASE_ATTEMPTS_MAX, &attempts,
                            err)) < 0 ||
        (rc = base_json_int(job, "job.", "slots", false, 1, BASE_TASK_SLOTS_MAX, &slots, err)) <
            0 ||
        (rc = read_env(job, &s->env, err)) < 0 || (rc = read_deadline(job, s, err)) < 0 ||
        (rc = read_weight(job, s, err)) < 0 ||
        (rc = read_reservation(job, &s->reservation, err)) < 0 ||
        (rc = read_acl(job, "acl-view", &s->acl_view, err)) < 0 ||
        (rc = read_acl(job, "acl-modify", &s->acl_modify, err)) < 0 ||
        (rc = base_json_arr(job, "job.", "tasks", false, GROUPS_MAX, &tasks, err)) < 0)
        return rc;
    s->priority = (int32_t)priority;
    s->max_attempts = (int32_t)attempts;
    s->slots = (int32_t)slots;
    return tasks ? read_explicit_tasks(job, tasks, s, err) : read_input_job(job, d, s, err);
}

static int decode_job(const json_t *job, const struct rm_spec_defaults *d, struct rm_job_spec **out,
                      struct base_error *err)
{
    struct rm_job_spec *s = base_alloc(sizeof *s);
    struct base_buf json = {0};
    int rc;

    s->refs = 1;
    rc = read_job(job, d, s, err);
    if (rc < 0) {
        rm_job_spec_unref(s);
        return rc;
    }
    base_buf_adds(&json, "{");
    rm_spec_job_encode(s, NULL, &json);
    base_buf_adds(&json, "}");
    s->json = base_buf_take(&json);
    *out = s;
    return 0;
}

/* Checks how paths are written. The setup of the job, which runs as the job's user, finds out
 * whether they exist. */
static int check_path_syntax(const struct rm_job_spec *s, struct base_error *err)
{
    char *path = NULL;
    int rc = s->output ? base_file_path_parse(s->output, &path, err) : 0;

    free(path);
    if (rc < 0)
        return base_error_wrap(err, rc, "job.output");
    for (size_t i = 0; i < s->input.n; i++) {
        rc = base_file_path_parse(s->input.v[i], &path, err);
        free(path);
        if (rc < 0)
            return base_error_wrap(err, rc, "job.input[%zu]", i);
    }
    return 0;
}

int rm_spec_job_decode(const char *text, size_t len, const struct rm_spec_defaults *defaults,
                       struct rm_job_spec **out, struct base_error *err)
{
    static const char *const root[] = {"job", NULL};
    json_t *body = NULL, *job;
    int rc = base_json_parse(text, len, &body, err);

    if (rc < 0)
        return rc;
    rc = base_json_refuse_unknown_members(body, "", root, err);
    if (rc < 0)
        goto out;
    job = json_object_get(body, "job");
    if (!job)
        rc = base_error_set(err, -BASE_EINVAL, "job: is required, as {\"job\":{\"name\":…}}");
    else if (!json_is_object(job))
        rc = base_json_set_value_error(job, "", "job", "an object, as {\"name\":…}", err);
    else
        rc = decode_job(job, defaults, out, err);
    if (rc == 0 && (rc = check_path_syntax(*out, err)) < 0) {
        rm_job_spec_unref(*out);
        *out = NULL;
    }
out:
    json_decref(body);
    return rc;
}

int rm_spec_job_from_stored_json(const char *text, size_t len, struct base_app_id id,
                                 struct rm_job_spec **out, struct base_error *err)
{
    const struct rm_spec_defaults none = {
        .user = "", .split_size = SPLIT_SIZE_MAX, .max_attempts = 1};
    json_t *job = NULL;
    int rc = base_json_parse(text, len, &job, err);

    if (rc == 0)
        rc = decode_job(job, &none, out, err);
    json_decref(job);
    if (rc < 0)
        return base_error_wrap(err, -BASE_ECORRUPT, "stored job");
    (*out)->id = id;
    return 0;
}

/* ---------------------------------------------------------------- encoding */
static void put_strings(struct base_buf *out, const char *key, const struct rm_str_list *l)
{
    base_json_key(out, key);
    base_json_open(out, '[');
    for (size_t i = 0; i < l->n; i++)
        base_json_value_str(out, l->v[i]);
    base_json_close(out, ']');
}

static void put_env(struct base_buf *out, const struct rm_str_list *env)
{
    base_json_key(out, "env");
    base_json_open(out, '{');
    for (size_t i = 0; i < env->n; i++) {
        const char *eq = strchr(env->v[i], '=');
        char *name = base_strndup(env->v[i], (size_t)(eq - env->v[i]));
        base_json_value_str(out, name);
        base_buf_adds(out, ":");
        base_json_value_str(out, eq + 1);
        free(name);
    }
    base_json_close(out, '}');
}

static void put_task_groups(struct base_buf *out, const struct rm_job_spec *s)
{
    base_json_key(out, "tasks");
    base_json_open(out, '[');
    for (size_t i = 0; i < s->groups_n; i++) {
        const struct rm_task_group *g = &s->groups[i];
        base_json_open(out, '{');
        base_json_put_str(out, "kind", g->kind == BASE_TASK_MAP ? "map" : "reduce");
        base_json_put_str(out, "command", g->command);
        if (g->hosts.n)
            put_strings(out, "hosts", &g->hosts);
        base_json_put_int(out, "count", g->count);
        if (g->expected_us)
            base_json_put_num(out, "expected-s", (double)g->expected_us / 1e6);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

void rm_spec_job_encode(const struct rm_job_spec *s, const char *queue, struct base_buf *out)
{
    char id[BASE_ID_TEXT_MAX];

    if (queue)
        base_json_put_str(out, "id", base_app_id_text(&s->id, id));
    base_json_put_str(out, "name", s->name);
    base_json_put_str(out, "user", s->user);
    base_json_put_str(out, "queue", queue ? queue : s->queue);
    base_json_put_int(out, "priority", s->priority);
    if (s->groups_n) {
        put_task_groups(out, s);
    } else {
        put_strings(out, "input", &s->input);
        base_json_put_str_opt(out, "output", s->output);
        base_json_put_str_opt(out, "map", s->map);
        base_json_put_str_opt(out, "combine", s->combine);
        base_json_put_str_opt(out, "reduce", s->reduce);
        base_json_put_int(out, "reduces", s->reduces);
        base_json_put_int(out, "split-size", s->split_size);
    }
    base_json_put_int(out, "max-attempts", s->max_attempts);
    if (s->slots > 1)
        base_json_put_int(out, "slots", s->slots);
    if (s->env.n)
        put_env(out, &s->env);
    if (s->deadline_us)
        base_json_put_num(out, "deadline-s", (double)s->deadline_us / 1e6);
    if (s->deadline_at_us)
        base_json_put_int(out, "deadline-at-ms", s->deadline_at_us / 1000);
    if (s->weight > 0)
        base_json_put_num(out, "weight", s->weight);
    if (s->reservation.seq)
        base_json_put_str(out, "reservation-id", base_reservation_id_text(&s->reservation, id));
    base_json_put_str_opt(out, "acl-view", s->acl_view);
    base_json_put_str_opt(out, "acl-modify", s->acl_modify);
}

const char *rm_spec_task_command(const struct rm_job_spec *spec, enum base_task_kind kind,
                                 int64_t index)
{
    for (size_t i = 0; i < spec->groups_n; i++) {
        const struct rm_task_group *g = &spec->groups[i];
        if (g->kind != kind)
            continue;
        if (index < g->count)
            return g->command;
        index -= g->count;
    }
    return NULL;
}
