/* rm/http/mapreduce/conf.c - the configuration of a job: what its submission and the cluster's
 * configuration say, under the names of Hadoop's and Hadoop Streaming's properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/conf.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define PROPERTIES_MAX 32

struct job_conf {
    struct yarn_mr_conf conf;
    struct yarn_mr_property properties[PROPERTIES_MAX];
    char *texts[PROPERTIES_MAX]; /* owned values */
    size_t texts_n;
    const char *source; /* of every property */
    struct base_buf path;
};

/* Adds a property, unless @value is NULL or "". */
static void add_property_unless_empty(struct job_conf *j, const char *name, const char *value)
{
    if (!value || !value[0])
        return;
    base_assert(j->conf.properties.n < PROPERTIES_MAX);
    j->properties[j->conf.properties.n++] = (struct yarn_mr_property){
        .name = name,
        .value = value,
        .sources = {.items = &j->source, .n = 1, .stride = sizeof j->source}};
}

static void add_property_owning_value(struct job_conf *j, const char *name, char *value)
{
    j->texts[j->texts_n++] = value;
    add_property_unless_empty(j, name, value);
}

static void add_number_property(struct job_conf *j, const char *name, int64_t value)
{
    add_property_owning_value(j, name, base_printf("%lld", (long long)value));
}

static char *join_with_commas(const struct rm_str_list *list)
{
    struct base_buf b = {0};

    for (size_t i = 0; i < list->n; i++)
        base_buf_addf(&b, "%s%s", i ? "," : "", list->v[i]);
    base_buf_adds(&b, "");
    return base_buf_take(&b);
}

static void add_slot_size_properties(struct job_conf *j, const struct base_conf *conf,
                                     const char *kind)
{
    static const char *const names[2][2] = {
        {"mapreduce.map.memory.mb", "mapreduce.map.cpu.vcores"},
        {"mapreduce.reduce.memory.mb", "mapreduce.reduce.cpu.vcores"}};
    const char *const *name = names[strcmp(kind, "reduce") == 0];
    char key[64];

    snprintf(key, sizeof key, "creel.slot.%s.memory-mb", kind);
    add_number_property(j, name[0], base_conf_int(conf, key));
    snprintf(key, sizeof key, "creel.slot.%s.vcores", kind);
    add_number_property(j, name[1], base_conf_int(conf, key));
}

static void add_properties(struct job_conf *j, const struct base_conf *conf,
                           const struct rm_app_view *v)
{
    const struct rm_job_spec *s = v->job;
    int64_t attempts =
        s->max_attempts > 0 ? s->max_attempts : base_conf_int(conf, "creel.mapreduce.max-attempts");

    add_property_unless_empty(j, "mapreduce.job.name", v->name);
    add_property_unless_empty(j, "mapreduce.job.user.name", v->user);
    add_property_unless_empty(j, "mapreduce.job.queuename", v->queue);
    add_number_property(j, "mapreduce.job.priority", v->priority);
    add_property_unless_empty(j, "mapreduce.job.acl-view-job", s->acl_view);
    add_property_unless_empty(j, "mapreduce.job.acl-modify-job", s->acl_modify);
    add_number_property(j, "mapreduce.job.maps", v->phase[BASE_TASK_MAP].total);
    add_number_property(j, "mapreduce.job.reduces", v->phase[BASE_TASK_REDUCE].total);
    add_property_unless_empty(j, "stream.map.streamprocessor", s->map);
    add_property_unless_empty(j, "stream.combine.streamprocessor", s->combine);
    add_property_unless_empty(j, "stream.reduce.streamprocessor", s->reduce);
    add_property_owning_value(j, "mapreduce.input.fileinputformat.inputdir",
                              join_with_commas(&s->input));
    add_property_unless_empty(j, "mapreduce.output.fileoutputformat.outputdir", s->output);
    if (s->split_size > 0)
        add_number_property(j, "mapreduce.input.fileinputformat.split.maxsize", s->split_size);
    add_property_owning_value(j, "stream.addenvironment", join_with_commas(&s->env));
    add_number_property(j, "mapreduce.map.maxattempts", attempts);
    add_number_property(j, "mapreduce.reduce.maxattempts", attempts);
    add_property_owning_value(j, "mapreduce.job.reduce.slowstart.completedmaps",
                              base_strdup(base_conf_get(conf, "creel.scheduler.slowstart")));
    add_slot_size_properties(j, conf, "map");
    add_slot_size_properties(j, conf, "reduce");
}

/* The path is shown as that of the resource with the job's whole specification. */
void mr_get_conf(const struct mr_call *c)
{
    struct job_conf j = {0};
    struct rm_views v = {0};
    char id[BASE_ID_TEXT_MAX];
    const struct rm_app_view *job = mr_copy_job_if_visible(c, &v);

    if (job) {
        base_buf_addf(&j.path, "%s/ws/v1/cluster/jobs/%s", rm_backend_url(c->b),
                      base_app_id_text(&job->id, id));
        j.source = j.conf.path = j.path.data;
        j.conf.properties =
            (struct api_list){.items = j.properties, .stride = sizeof j.properties[0]};
        add_properties(&j, rm_backend_conf(c->b), job);
        yarn_answer(c->rq, 200, &yarn_shape_mr_conf, API_N_WRAPPED, &j.conf);
        for (size_t i = 0; i < j.texts_n; i++)
            free(j.texts[i]);
        base_buf_free(&j.path);
    }
    rm_views_free(&v);
}
