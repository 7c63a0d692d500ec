/* rm/http/yarn/frame.c - what every handler of YARN's resources needs: the context of an answer,
 * ids in paths, lists in queries. */
#include "rm/http/yarn/yarn_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/conf.h"

/* ---- the context ---- */

static int64_t get_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void read_context(struct rm_backend *b, struct yarn_context *f, bool with_queues)
{
    const struct base_conf *conf = rm_backend_conf(b);
    const char *id = base_conf_get(conf, "yarn.resourcemanager.cluster-id");
    const struct rm_core *core;
    struct rm_cluster_view cluster;
    struct rm_views queues = {0};

    *f = (struct yarn_context){
        .url = rm_backend_url(b),
        .cluster_id = id && id[0] ? id : NULL,
        .shape = rm_scheduler_shape_read(conf),
        .show_slots = base_conf_bool(conf, "creel.yarn.show-slots"),
        .aggregates = base_conf_bool(conf, "yarn.log-aggregation-enable"),
        .job_acls = base_conf_bool(conf, "mapreduce.cluster.acls.enabled"),
        .now_ms = rm_backend_now_us(b) / 1000,
    };
    core = rm_backend_lock_core(b);
    rm_view_cluster(core, &cluster);
    if (with_queues && f->shape != RM_SHAPE_FIFO)
        rm_view_queues(core, &queues);
    rm_backend_unlock_core(b);
    yarn_context_set_views(f, &cluster, &queues);
    /* Every container takes one slot, so the smaller slot is the smallest possible allocation. */
    f->limits.min[0] = get_smaller(base_conf_int(conf, "creel.slot.map.memory-mb"),
                                   base_conf_int(conf, "creel.slot.reduce.memory-mb"));
    f->limits.min[1] = get_smaller(base_conf_int(conf, "creel.slot.map.vcores"),
                                   base_conf_int(conf, "creel.slot.reduce.vcores"));
}

void yarn_context_read(struct rm_backend *b, struct yarn_context *f)
{
    read_context(b, f, false);
}

void yarn_context_read_with_queues(struct rm_backend *b, struct yarn_context *f)
{
    read_context(b, f, true);
}

void yarn_context_free(struct yarn_context *f)
{
    rm_views_free(&f->queues);
    free(f->parts);
    f->parts = NULL;
}

void yarn_answer(struct api_request *rq, unsigned status, const struct api_shape *shape,
                 enum api_dialect json, const void *view)
{
    struct base_buf body = {0};

    api_shape_encode_document(shape, yarn_choose_dialect(rq, json), view, &body);
    api_answer(rq, status, api_wanted_type(rq), &body);
}

/* ---- ids ---- */

/* Answers 400 with YARN's message. For an id that does not begin with @prefix, the message is about
 * the prefix and ends with @more; for any other id, the message only says that the id is invalid.
 * @what: the Java class of the id. */
static void answer_bad_id(struct api_request *rq, const char *given, const char *what,
                          const char *prefix, const char *more)
{
    size_t n = strlen(prefix);

    if (strncmp(given, prefix, n) != 0 || given[n] != '_')
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.IllegalArgumentException: Invalid %s prefix: %s%s", what, given,
                         more);
    else
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.IllegalArgumentException: Invalid %s: %s", what, given);
}

bool yarn_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out)
{
    const char *given = api_path_arg(rq, i);

    if (base_app_id_parse(given, out, NULL) == 0)
        return true;
    answer_bad_id(rq, given, "ApplicationId", "application",
                  ". The valid ApplicationId should start with prefix application");
    return false;
}

bool yarn_parse_attempt_id_arg(struct api_request *rq, unsigned i, struct base_attempt_id *out)
{
    const char *given = api_path_arg(rq, i);

    if (base_attempt_id_parse(given, out, NULL) == 0)
        return true;
    answer_bad_id(rq, given, "AppAttemptId", "appattempt", "");
    return false;
}

bool yarn_parse_container_id_arg(struct api_request *rq, unsigned i, struct base_container_id *out)
{
    const char *given = api_path_arg(rq, i);

    if (base_container_id_parse(given, out, NULL) == 0)
        return true;
    answer_bad_id(rq, given, "ContainerId", "container", "");
    return false;
}

void yarn_answer_app_not_found(struct api_request *rq)
{
    yarn_not_found(rq, "app with id: %s not found", api_path_arg(rq, 0));
}

bool yarn_copy_app_view(struct api_request *rq, struct rm_backend *b, struct rm_views *v)
{
    struct base_app_id id;
    int rc;

    if (!yarn_parse_app_id_arg(rq, 0, &id))
        return false;
    rc = rm_view_app(rm_backend_lock_core(b), id, v);
    rm_backend_unlock_core(b);
    if (rc < 0)
        yarn_answer_app_not_found(rq);
    return rc == 0;
}

/* ---- numbers and lists ---- */

bool yarn_parse_long(const char *text, int64_t *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    long long v;

    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    v = strtoll(text, &end, 10);
    *out = v;
    return *end == '\0' && errno == 0;
}

static void add_words_of_list(const char *value, void *u)
{
    struct yarn_word_list *w = u;

    while (*value) {
        size_t n = strcspn(value, ","), from = 0, to = n;
        while (from < to && isspace((unsigned char)value[from]))
            from++;
        while (to > from && isspace((unsigned char)value[to - 1]))
            to--;
        if (to > from) {
            w->v = base_realloc_array(w->v, w->n + 1, sizeof *w->v);
            w->v[w->n++] = base_strndup(value + from, to - from);
        }
        value += n + (value[n] == ',');
    }
}

void yarn_word_list_add_from_query(const struct api_request *rq, const char *name,
                                   struct yarn_word_list *out)
{
    api_query_each_value(rq, name, add_words_of_list, out);
}

void yarn_word_list_free(struct yarn_word_list *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    free(w->v);
    *w = (struct yarn_word_list){0};
}

const enum rm_app_state yarn_public_states[] = {
    RM_APP_NEW,     RM_APP_NEW_SAVING, RM_APP_SUBMITTED, RM_APP_ACCEPTED,
    RM_APP_RUNNING, RM_APP_FINISHED,   RM_APP_FAILED,    RM_APP_KILLED};
const size_t yarn_public_states_n = sizeof yarn_public_states / sizeof yarn_public_states[0];

bool yarn_parse_app_states(struct api_request *rq, const struct yarn_word_list *w, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t k = 0;
        while (k < yarn_public_states_n &&
               strcasecmp(rm_app_state_name(yarn_public_states[k]), w->v[i]) != 0)
            k++;
        if (k == yarn_public_states_n) {
            yarn_bad_request(rq,
                             "Invalid application-state %s specified. It should be one of [NEW, "
                             "NEW_SAVING, SUBMITTED, "
                             "ACCEPTED, RUNNING, FINISHED, FAILED, KILLED]",
                             w->v[i]);
            return false;
        }
        *out |= UINT32_C(1) << yarn_public_states[k];
    }
    return true;
}

/* ---- deSelects ---- */

void yarn_deselects_read(const struct api_request *rq, struct yarn_deselects *d)
{
    struct {
        const char *name;
        bool *flag;
    } known[] = {{"resourceRequests", &d->requests},
                 {"timeouts", &d->timeouts},
                 {"appNodeLabelExpression", &d->app_label},
                 {"amNodeLabelExpression", &d->am_label},
                 {"resourceInfo", &d->resource_info}};
    struct yarn_word_list w = {0};

    *d = (struct yarn_deselects){0};
    yarn_word_list_add_from_query(rq, "deSelects", &w);
    for (size_t i = 0; i < w.n; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcasecmp(known[k].name, w.v[i]) != 0)
            k++;
        if (k < sizeof known / sizeof known[0])
            *known[k].flag = true;
        else if (!d->unknown)
            d->unknown = base_strdup(w.v[i]);
    }
    yarn_word_list_free(&w);
}

bool yarn_deselects_answer_if_unknown(struct api_request *rq, const struct yarn_deselects *d)
{
    if (!d->unknown)
        return false;
    yarn_bad_request(
        rq,
        "Invalid deSelects string %s specified. It should be one of [resourceRequests, timeouts, "
        "appNodeLabelExpression, amNodeLabelExpression, resourceInfo]",
        d->unknown);
    return true;
}

void yarn_deselects_apply(const struct yarn_deselects *d, struct yarn_app *app)
{
    if (d->requests)
        app->requests.n = 0;
    if (d->timeouts)
        app->timeouts = NULL;
    if (d->app_label)
        app->app_label = NULL;
    if (d->am_label)
        app->am_label = NULL;
    if (d->resource_info)
        app->resource_info = NULL;
}

void yarn_deselects_free(struct yarn_deselects *d)
{
    free(d->unknown);
    d->unknown = NULL;
}
