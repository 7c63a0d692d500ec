/* Goal: a submission over Hadoop RPC becomes the application that the client describes, survives
 * its stored form, and is refused as in YARN when it is wrong. Method: submissions of MapReduce and
 * Spark recorded from Hadoop 3.4.2; messages with one wrong part. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "rm/http/app_json.h"
#include "rm/rpc/submission.h"

/* Decodes @s as user "ann". Returns NULL, with @rc and @err set, when it is refused. */
static struct rm_app_spec *decode(const Yarn__Submission *s, int *rc, struct base_error *err)
{
    struct rm_app_spec *spec = NULL;
    json_t *body = NULL;

    *rc = rm_rpc_submission_to_json(s, &body, err);
    if (*rc == 0)
        *rc = rm_app_spec_decode(body, "ann", &spec, err);
    json_decref(body);
    return *rc == 0 ? spec : NULL;
}

static struct rm_app_spec *decode_good(const Yarn__Submission *s)
{
    struct rm_app_spec *spec, *again = NULL;
    struct base_error err = {0};
    int rc;

    spec = decode(s, &rc, &err);
    if (!spec)
        fprintf(stderr, "%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    rc = rm_app_spec_from_stored_json(spec->json, strlen(spec->json), &again, &err);
    CU_ASSERT_EQUAL_FATAL(rc, 0);
    CU_ASSERT_STRING_EQUAL(spec->json, again->json);
    rm_app_spec_unref(spec);
    return again; /* what a restarted ResourceManager has */
}

static struct rm_app_spec *decode_recorded(int i)
{
    struct base_buf bytes = {0};
    Yarn__SubmitRequest *request;
    struct rm_app_spec *spec;

    rpc_frames_read("submit.hex", 'C', i, &bytes);
    request = yarn__submit_request__unpack(NULL, bytes.len, (const uint8_t *)bytes.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(request);
    spec = decode_good(request->submission);
    yarn__submit_request__free_unpacked(request, NULL);
    base_buf_free(&bytes);
    return spec;
}

static const struct base_local_resource *find_resource(const struct rm_app_spec *s,
                                                       const char *name)
{
    for (size_t i = 0; i < s->launch->resources_n; i++)
        if (strcmp(s->launch->resources[i].name, name) == 0)
            return &s->launch->resources[i];
    CU_FAIL_FATAL("no such resource");
    return NULL;
}

static void test_mapreduce(void)
{
    struct rm_app_spec *s = decode_recorded(0);
    const struct base_local_resource *jar = find_resource(s, "job.jar");
    struct base_buf file = {0};
    struct base_credentials c;

    CU_ASSERT_EQUAL(s->id.seq, 1);
    CU_ASSERT_EQUAL(s->id.cluster_ts, INT64_C(1795348841796));
    CU_ASSERT_STRING_EQUAL(s->name, "QuasiMonteCarlo");
    CU_ASSERT_STRING_EQUAL(s->user, "ann");
    CU_ASSERT_STRING_EQUAL(s->queue, "default");
    CU_ASSERT_STRING_EQUAL(s->type, "MAPREDUCE");
    CU_ASSERT_EQUAL(s->priority, 0); /* the message has none */
    CU_ASSERT_EQUAL(s->max_attempts, 2);
    CU_ASSERT_EQUAL(s->lifetime_s, 0);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 512); /* field 17 */
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_VCORES], 1);
    CU_ASSERT_STRING_EQUAL(s->acl_view, " ");
    CU_ASSERT_STRING_EQUAL(s->acl_modify, " ");
    CU_ASSERT_EQUAL(s->launch->resources_n, 4);
    CU_ASSERT_STRING_EQUAL(jar->url,
                           "file:///srv/yn/w/staging/root/.staging/job_1795348841796_0001/job.jar");
    CU_ASSERT_EQUAL(jar->type, BASE_RESOURCE_PATTERN);
    CU_ASSERT_EQUAL(jar->visibility, BASE_RESOURCE_APPLICATION);
    CU_ASSERT_STRING_EQUAL(jar->pattern, "(?:classes/|lib/).*");
    CU_ASSERT_EQUAL(jar->size, 281633);
    CU_ASSERT_EQUAL(jar->timestamp_ms, INT64_C(1795348845733));
    CU_ASSERT_EQUAL(find_resource(s, "jobSubmitDir/job.split")->type, BASE_RESOURCE_FILE);
    CU_ASSERT_EQUAL_FATAL(s->launch->env.n, 3);
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[1],
                           "LD_LIBRARY_PATH=$PWD:{{HADOOP_COMMON_HOME}}/lib/native");
    CU_ASSERT_EQUAL_FATAL(s->launch->commands.n, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->launch->commands.v[0], "$JAVA_HOME/bin/java -Djava.io"));
    base_base64_decode(s->launch->credentials, &file);
    CU_ASSERT_EQUAL_FATAL(base_credentials_parse(file.data, file.len, &c, NULL), 0);
    CU_ASSERT_EQUAL(c.tokens_n, 0);
    CU_ASSERT_EQUAL_FATAL(c.secrets_n, 1);
    CU_ASSERT_STRING_EQUAL(c.secrets[0].alias, "MapReduceShuffleToken");
    CU_ASSERT_EQUAL(c.secrets[0].bytes.len, 8);
    base_credentials_free(&c);
    base_buf_free(&file);
    rm_app_spec_unref(s);
}

static void test_spark(void)
{
    struct rm_app_spec *s = decode_recorded(1);

    CU_ASSERT_STRING_EQUAL(s->type, "SPARK");
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 896); /* field 9 */
    CU_ASSERT_EQUAL(s->max_attempts, 0);
    CU_ASSERT_FALSE(s->unmanaged);
    CU_ASSERT_STRING_EQUAL(s->acl_modify, "root ");
    CU_ASSERT_EQUAL(find_resource(s, "__spark_conf__")->type, BASE_RESOURCE_ARCHIVE);
    CU_ASSERT_EQUAL(find_resource(s, "__spark_conf__")->visibility, BASE_RESOURCE_PRIVATE);
    CU_ASSERT_PTR_NULL(s->launch->credentials); /* a file without tokens or secrets */
    CU_ASSERT_EQUAL(s->launch->env.n, 7);
    CU_ASSERT_EQUAL_FATAL(s->launch->commands.n, 20);
    CU_ASSERT_STRING_EQUAL(s->launch->commands.v[0], "{{JAVA_HOME}}/bin/java");
    CU_ASSERT_STRING_EQUAL(s->launch->commands.v[19], "<LOG_DIR>/stderr");
    rm_app_spec_unref(s);
}

/* A submission of which tests change parts. */
struct parts {
    Yarn__Submission s;
    Yarn__AppId id;
    Yarn__LaunchContext launch;
    Yarn__Resource resource;
    Yarn__Url url;
    Yarn__LocalResource local;
    Yarn__LocalResourceEntry entry, *entries[1];
    Yarn__ResourceRequest request[2], *requests[2];
    Yarn__TimeoutSeconds timeout, *timeouts[1];
};

static struct parts *parts_new(void)
{
    struct parts *p = base_alloc(sizeof *p);

    yarn__submission__init(&p->s);
    yarn__app_id__init(&p->id);
    yarn__launch_context__init(&p->launch);
    yarn__resource__init(&p->resource);
    yarn__url__init(&p->url);
    yarn__local_resource__init(&p->local);
    yarn__local_resource_entry__init(&p->entry);
    yarn__timeout_seconds__init(&p->timeout);
    p->id = (Yarn__AppId){
        .base = p->id.base, .has_id = true, .id = 5, .has_cluster = true, .cluster = 9};
    p->s.id = &p->id;
    p->s.launch = &p->launch;
    p->s.resource = &p->resource;
    p->resource.memory = 700;
    p->resource.vcores = 2;
    for (int i = 0; i < 2; i++) {
        yarn__resource_request__init(&p->request[i]);
        p->requests[i] = &p->request[i];
    }
    p->s.master_requests = p->requests;
    p->url.scheme = (char *)"http";
    p->url.host = (char *)"h";
    p->url.file = (char *)"/f";
    p->local.resource = &p->url;
    p->local.type = 2;
    p->local.visibility = 1;
    p->entry.key = (char *)"link";
    p->entry.value = &p->local;
    p->entries[0] = &p->entry;
    p->launch.resources = p->entries;
    p->timeout.type = 1;
    p->timeouts[0] = &p->timeout;
    p->s.timeouts = p->timeouts;
    return p;
}

/* Checks that the submission is refused, and frees it. */
static void check_refused(struct parts *p, int code, const char *why)
{
    struct base_error err = {0};
    int rc;

    CU_ASSERT_PTR_NULL(decode(&p->s, &rc, &err));
    CU_ASSERT_EQUAL(rc, code);
    if (!strstr(err.text, why))
        fprintf(stderr, "'%s' is not in '%s'\n", why, err.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, why));
    free(p);
}

/* What the protocol has in place of fields that are absent. */
static void test_defaults(void)
{
    struct parts *p = parts_new();
    struct rm_app_spec *s = decode_good(&p->s);

    CU_ASSERT_STRING_EQUAL(s->name, "N/A");
    CU_ASSERT_STRING_EQUAL(s->queue, "default");
    CU_ASSERT_STRING_EQUAL(s->type, "YARN");
    CU_ASSERT_EQUAL(s->failures_validity_ms, 0); /* -1 in the message: all failures count */
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 700);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_VCORES], 2);
    CU_ASSERT_PTR_NULL(s->acl_view);
    CU_ASSERT_PTR_NULL(s->log_include);
    rm_app_spec_unref(s);
    free(p);
}

static void test_master_requests(void)
{
    struct parts *p = parts_new();
    Yarn__Resource other = YARN__RESOURCE__INIT;
    struct rm_app_spec *s;

    other.memory = 1300;
    p->s.n_master_requests = 2;
    p->request[0].resource_name = (char *)"host1";
    p->request[1].resource_name = (char *)"*";
    p->request[1].label = (char *)"gpu";
    p->request[1].capability = &other;
    s = decode_good(&p->s);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 1300);
    CU_ASSERT_STRING_EQUAL(s->am_label, "gpu");
    rm_app_spec_unref(s);
    p->request[1].resource_name = (char *)"rack";
    check_refused(p, -BASE_ENOTFOUND, "no resource request specified with *");

    p = parts_new();
    p->s.n_master_requests = 2;
    p->request[0].resource_name = p->request[1].resource_name = (char *)"*";
    check_refused(p, -BASE_ENOTFOUND, "only one resource request with * is allowed");

    p = parts_new();
    p->s.resource = NULL;
    p->s.unmanaged = true; /* clients run this master: it takes no container */
    s = decode_good(&p->s);
    CU_ASSERT_TRUE(s->unmanaged);
    rm_app_spec_unref(s);
    p->s.unmanaged = false;
    check_refused(p, -BASE_ENOTFOUND, "no resources requested");
}

static void test_lifetime(void)
{
    struct parts *p = parts_new();
    struct rm_app_spec *s;

    p->s.n_timeouts = 1;
    p->timeout.seconds = 60;
    s = decode_good(&p->s);
    CU_ASSERT_EQUAL(s->lifetime_s, 60);
    rm_app_spec_unref(s);
    p->timeout.seconds = 0;
    check_refused(p, -BASE_EINVAL, "Invalid application timeout, value=0 for type=LIFETIME");
}

static void test_urls(void)
{
    struct parts *p = parts_new();
    struct rm_app_spec *s;

    p->launch.n_resources = 1;
    p->url.user_info = (char *)"me";
    p->url.has_port = true;
    p->url.port = 81;
    p->url.file = (char *)"/a b/c%#?\xc3\xa9/d=1";
    s = decode_good(&p->s);
    CU_ASSERT_STRING_EQUAL(find_resource(s, "link")->url,
                           "http://me@h:81/a%20b/c%25%23%3F%C3%A9/d=1");
    rm_app_spec_unref(s);
    p->url.host = (char *)"other/h"; /* would become a path */
    check_refused(p, -BASE_EINVAL, "link: its URL has the scheme \"http\"");

    p = parts_new();
    p->launch.n_resources = 1;
    p->url.scheme = (char *)"file:///etc#";
    check_refused(p, -BASE_EINVAL, "the scheme \"file:///etc#\"");

    p = parts_new();
    p->launch.n_resources = 1;
    p->url.user_info = (char *)"u@v";
    check_refused(p, -BASE_EINVAL, "the user \"u@v\"");

    p = parts_new();
    p->launch.n_resources = 1;
    p->local.resource = NULL;
    check_refused(p, -BASE_ESTATE, "Null resource URL for local resource link");

    p = parts_new();
    p->launch.n_resources = 1;
    p->local.type = 4;
    check_refused(p, -BASE_ESTATE, "Null resource type for local resource link");

    p = parts_new();
    p->launch.n_resources = 1;
    p->local.visibility = -1;
    check_refused(p, -BASE_ESTATE, "Null resource visibility for local resource link");
}

static void test_refused(void)
{
    struct parts *p = parts_new();
    char *tags[11], name[2000] = {0};
    uint8_t *conf = base_alloc(RM_RPC_TOKENS_CONF_MAX + 1);
    Yarn__ReservationId reservation = YARN__RESERVATION_ID__INIT;

    p->launch.has_credentials = true;
    p->launch.credentials = (ProtobufCBinaryData){.len = 5, .data = (uint8_t *)"HDTS"};
    check_refused(p, -BASE_EINVAL, "credentials: ");

    p = parts_new();
    p->launch.has_tokens_conf = true;
    p->launch.tokens_conf = (ProtobufCBinaryData){RM_RPC_TOKENS_CONF_MAX + 1, conf};
    check_refused(p, -BASE_ELIMIT, "max-conf-size-bytes");

    p = parts_new();
    for (int i = 0; i < 11; i++)
        tags[i] = base_printf("tag%d", i);
    p->s.tags = tags;
    p->s.n_tags = 11;
    check_refused(p, -BASE_EINVAL, "Too many applicationTags");
    for (int i = 0; i < 11; i++)
        free(tags[i]);

    p = parts_new();
    p->s.n_tags = 1001; /* refused before they are looked at */
    check_refused(p, -BASE_ELIMIT, "application tags: there are 1001; at most 1000 are possible");
    p = parts_new();
    p->launch.n_service_data = 1001;
    check_refused(p, -BASE_ELIMIT, "service data: there are 1001");
    p = parts_new();
    p->launch.n_commands = 1001;
    check_refused(p, -BASE_ELIMIT, "commands: there are 1001");

    p = parts_new();
    memset(name, 'n', sizeof name - 1);
    p->s.name = name;
    check_refused(p, -BASE_ELIMIT, "application-name: 1999 bytes are more than 1024");

    p = parts_new();
    reservation.id = INT64_C(1) << 33; /* would be cut to 0 */
    reservation.cluster = 9;
    p->s.reservation = &reservation;
    check_refused(p, -BASE_ENOTFOUND, "reservation id is invalid: reservation_9_8589934592");
    free(conf);
}

static const struct cunit_case cases[] = {
    {"MapReduce", test_mapreduce}, {"Spark", test_spark},
    {"defaults", test_defaults},   {"requests for masters", test_master_requests},
    {"lifetime", test_lifetime},   {"URLs", test_urls},
    {"refused", test_refused},
};
CUNIT_MAIN("Hadoop RPC: submissions", cases)
