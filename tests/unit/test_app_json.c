/* Goal: submission bodies are decoded as YARN decodes them: lenient, JSON and XML alike, with its
 * texts for what it refuses. Method: the bodies of recorded submissions, and each rule by
 * itself. */
#include "api/yarn/xml_body.h"
#include "base/crypto/base64.h"
#include "base/io/json.h"
#include "base/limits.h"
#include "rm/http/app_json.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"

#define ROOT "application-submission-context"

static struct rm_app_spec *decode(const char *text, bool xml, const char *user, int *rc,
                                  struct base_error *err)
{
    struct rm_app_spec *spec = NULL;
    json_t *body = NULL;

    *rc = xml ? api_xml_body_parse(text, strlen(text), ROOT, NULL, &body, err)
              : api_json_body_parse(text, strlen(text), &body, err);
    if (*rc == 0)
        *rc = rm_app_spec_decode(body, user, &spec, err);
    json_decref(body);
    return spec;
}

static struct rm_app_spec *good(const char *text, bool xml)
{
    struct base_error err = {0};
    int rc;
    struct rm_app_spec *spec = decode(text, xml, "ann", &rc, &err);

    if (rc < 0)
        fprintf(stderr, "refused: %s\n", err.text);
    base_assert(rc == 0 && spec);
    return spec;
}

static void bad(const char *text, int code, const char *message)
{
    struct base_error err = {0};
    int rc;
    struct rm_app_spec *spec = decode(text, text[0] == '<', "ann", &rc, &err);

    CU_ASSERT_PTR_NULL(spec);
    CU_ASSERT_EQUAL(rc, code);
    CU_ASSERT_STRING_EQUAL(err.text, message);
}

static void test_full(void)
{
    struct golden g;
    struct rm_app_spec *s;

    golden_read("fifo/write/submit-json-full.http", &g);
    s = good(g.request_body, false);
    CU_ASSERT_EQUAL(s->id.cluster_ts, 1795244603666);
    CU_ASSERT_EQUAL(s->id.seq, 9);
    CU_ASSERT_STRING_EQUAL(s->name, "full /\"\xC3\xA9");
    CU_ASSERT_STRING_EQUAL(s->user, "ann");
    CU_ASSERT_STRING_EQUAL(s->queue, "root.org.eng");
    CU_ASSERT_STRING_EQUAL(s->type, "A-TYPE-LONGER-THAN-T"); /* cut to 20 characters */
    CU_ASSERT_EQUAL(s->priority, 3);
    CU_ASSERT_EQUAL(s->max_attempts, 1); /* the body has the number in quotes */
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 512);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_VCORES], 1);
    CU_ASSERT_FALSE(s->unmanaged);
    CU_ASSERT_FALSE(s->keep_containers);
    CU_ASSERT_EQUAL(s->tags.n, 2);
    CU_ASSERT_STRING_EQUAL(s->tags.v[0], "blue"); /* sorted, lower case */
    CU_ASSERT_STRING_EQUAL(s->tags.v[1], "green");
    CU_ASSERT_EQUAL(s->launch->commands.n, 1);
    CU_ASSERT_STRING_EQUAL(s->launch->commands.v[0], "sleep 300");
    CU_ASSERT_EQUAL(s->launch->env.n, 2);
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[1], "B=x y");
    /* the launch context is kept whole */
    CU_ASSERT_PTR_NOT_NULL(strstr(s->launch->json, "application-acls"));
    rm_app_spec_unref(s);
    golden_free(&g);
}

static void test_xml(void)
{
    struct golden g;
    struct rm_app_spec *s;

    golden_read("fifo/write/submit-xml-full.http", &g);
    s = good(g.request_body, true);
    CU_ASSERT_EQUAL(s->id.seq, 8);
    CU_ASSERT_STRING_EQUAL(s->name, "xml full");
    CU_ASSERT_EQUAL(s->priority, 2);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 256);
    CU_ASSERT_EQUAL(s->tags.n, 2);
    CU_ASSERT_STRING_EQUAL(s->launch->commands.v[0], "sleep 300");
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[0], "A=1");
    rm_app_spec_unref(s);
    golden_free(&g);
    golden_read("fifo/write/submit-xml-minimal.http", &g);
    s = good(g.request_body, true);
    CU_ASSERT_EQUAL(s->id.seq, 7);
    CU_ASSERT_STRING_EQUAL(s->queue, "default");
    rm_app_spec_unref(s);
    golden_free(&g);
}

static void test_defaults(void)
{
    static const char *const bodies[] = {"fifo/write/submit-json-minimal.http",
                                         "fifo/write/submit-null-members.http"};

    for (int i = 0; i < 2; i++) {
        struct golden g;
        struct rm_app_spec *s;
        golden_read(bodies[i], &g);
        s = good(g.request_body, false);
        CU_ASSERT_STRING_EQUAL(s->name, "");
        CU_ASSERT_STRING_EQUAL(s->queue, "default");
        CU_ASSERT_STRING_EQUAL(s->type, "");
        CU_ASSERT_EQUAL(s->priority, -1);
        CU_ASSERT_EQUAL(s->max_attempts, 0);
        CU_ASSERT_EQUAL(s->tags.n, 0);
        CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 0);
        CU_ASSERT_PTR_NOT_NULL(s->launch);
        CU_ASSERT_EQUAL(s->launch->commands.n, 0);
        rm_app_spec_unref(s);
        golden_free(&g);
    }
}

static void test_lenient(void)
{
    struct rm_app_spec *s =
        good("{\"application-id\":\"application_1_7\",\"priority\":\"high\",\"foo\":[{}],"
             "\"max-app-attempts\":\" 3 \",\"unmanaged-AM\":\"true\","
             "\"resource\":{\"memory\":\"1024x\",\"vCores\":\"2\"},\"application-name\":12,"
             "\"application-tags\":{\"tag\":\"One\"},"
             "\"am-container-spec\":{\"commands\":{\"command\":\"true\"},"
             "\"environment\":{\"entry\":{\"key\":\"A\",\"value\":1}}}}",
             false);

    CU_ASSERT_EQUAL(s->priority, 0); /* text that is no number sets zero */
    CU_ASSERT_EQUAL(s->max_attempts, 3);
    CU_ASSERT_TRUE(s->unmanaged);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_MEMORY_MB], 0);
    CU_ASSERT_EQUAL(s->resource.v[RM_RES_VCORES], 2);
    CU_ASSERT_STRING_EQUAL(s->name, "12");
    CU_ASSERT_EQUAL(s->tags.n, 1);
    CU_ASSERT_STRING_EQUAL(s->tags.v[0], "one");
    CU_ASSERT_STRING_EQUAL(s->launch->commands.v[0], "true");
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[0], "A=1");
    rm_app_spec_unref(s);
    s = good("{\"application-id\":\"application_1_7\",\"am-container-spec\":\"\",\"resource\":\"\","
             "\"application-tags\":{\"tag\":[\"b\",\"B\",\"a\"]},\"application-type\":"
             "\"\xC5\xBE\xC5\xBE\xC5\xBE\xC5"
             "\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE"
             "\xC5\xBE\xC5\xBE"
             "\xC5\xBE\xC5\xBE\xC5\xBE\xC5\xBE!\"}",
             false);
    CU_ASSERT_EQUAL(s->tags.n, 2);
    CU_ASSERT_EQUAL(strlen(s->type), 40); /* 20 characters of two bytes */
    rm_app_spec_unref(s);
}

/* Tags tell policies the deadline and the reduces of a MapReduce application, and of no other. */
static void test_tags_for_policies(void)
{
#define TAGGED(type, tags)                                                                         \
    "{\"application-id\":\"application_1_7\",\"application-type\":\"" type                         \
    "\",\"application-tags\":{\"tag\":[" tags "]}}"
    struct rm_app_spec *s =
        good(TAGGED("MAPREDUCE", "\"Creel-Deadline-S=600\",\"creel-reduces=0\",\"creel\""), false);

    CU_ASSERT_EQUAL(s->deadline_us, 600000000);
    CU_ASSERT_EQUAL(s->reduces, 0);
    rm_app_spec_unref(s);
    s = good(TAGGED("MAPREDUCE", "\"creel-reduces=1000000\""), false);
    CU_ASSERT_EQUAL(s->deadline_us, 0);
    CU_ASSERT_EQUAL(s->reduces, 1000000);
    rm_app_spec_unref(s);
    s = good(TAGGED("SPARK", "\"creel-deadline-s=soon\",\"creel-reduces=7\""), false);
    CU_ASSERT_EQUAL(s->deadline_us, 0);
    CU_ASSERT_EQUAL(s->reduces, 0);
    rm_app_spec_unref(s);
    bad(TAGGED("MAPREDUCE", "\"creel-deadline-s=0\""), -BASE_EINVAL,
        "application-tags: \"creel-deadline-s=0\": a number from 1 to 1000000000 is expected");
    bad(TAGGED("MAPREDUCE", "\"creel-deadline-s=60s\""), -BASE_EINVAL,
        "application-tags: \"creel-deadline-s=60s\": a number from 1 to 1000000000 is expected");
    bad(TAGGED("MAPREDUCE", "\"creel-reduces=-1\""), -BASE_EINVAL,
        "application-tags: \"creel-reduces=-1\": a number from 0 to 1000000 is expected");
    bad(TAGGED("MAPREDUCE", "\"creel-reduces=99999999999999999999\""), -BASE_EINVAL,
        "application-tags: \"creel-reduces=99999999999999999999\": a number from 0 to 1000000 is "
        "expected");
    bad(TAGGED("MAPREDUCE", "\"creel-reduces=2\",\"creel-reduces=1\""), -BASE_EINVAL,
        "application-tags: \"creel-reduces=1\" and \"creel-reduces=2\" contradict each other");
    /* stored before tags had this meaning */
    CU_ASSERT_EQUAL_FATAL(
        rm_app_spec_from_stored_json(TAGGED("MAPREDUCE", "\"creel-reduces=x\""),
                                     strlen(TAGGED("MAPREDUCE", "\"creel-reduces=x\"")), &s,
                                     &(struct base_error){0}),
        0);
    CU_ASSERT_EQUAL(s->reduces, 0);
    rm_app_spec_unref(s);
}

static void test_refused(void)
{
    bad("{}", -BASE_EINVAL, "Could not parse application id ");
    bad("{\"application-id\":\"nonsense\"}", -BASE_EINVAL,
        "Could not parse application id nonsense");
    bad("{\"" ROOT "\":{\"application-id\":\"application_1_0001\"}}", -BASE_EINVAL,
        "Could not parse application id ");
    bad("{\"application-id\":\"application_1_0001\",\"application-tags\":{\"tag\":"
        "\"\xC5\xBElut\xC3\xBD\"}}",
        -BASE_EINVAL,
        "java.lang.IllegalArgumentException: A tag can only have ASCII characters! Invalid tag - "
        "\xC5\xBElut\xC3\xBD");
    bad("{\"application-id\":\"application_1_0001\",\"application-tags\":{\"tag\":[\"1\",\"2\","
        "\"3\",\"4\",\"5\",\"6\","
        "\"7\",\"8\",\"9\",\"10\",\"11\"]}}",
        -BASE_EINVAL,
        "java.lang.IllegalArgumentException: Too many applicationTags, a maximum of only 10 are "
        "allowed!");
    bad("{\"application-id\":\"application_1_0001\",\"am-container-spec\":{\"credentials\":{"
        "\"tokens\":{\"entry\":[{"
        "\"key\":\"a\",\"value\":\"!!!\"}]}}}}",
        -BASE_EINVAL, "Could not parse credentials data; exception message = null");
    bad("{\"application-id\":\"application_1_0001\",\"am-container-spec\":{\"environment\":{"
        "\"entry\":{\"key\":\"A=B\"}"
        "}}}",
        -BASE_EINVAL, "environment: 'A=B' is not a variable's name");
}

/* A token whose kind is not UTF-8 is refused; an application with one, stored by an earlier
 * version, is read back without the token. */
static void test_stored_token(void)
{
#define WITH_AmlkAnB3Af8BcwEN                                                                      \
    "{\"application-id\":\"application_1_0001\",\"creel-user\":\"ann\",\"am-container-spec\":{"    \
    "\"commands\":{\"command\":\"x\"},\"credentials\":{\"tokens\":{\"entry\":[{"                   \
    "\"key\":\"a\",\"value\":\"AmlkAnB3Af8Bcw\"}]}}}}"
    static const char text[] = WITH_AmlkAnB3Af8BcwEN;
    struct rm_app_spec *spec = NULL;

    bad(text, -BASE_EINVAL, "Could not parse credentials data; exception message = null");
    CU_ASSERT_EQUAL_FATAL(rm_app_spec_from_stored_json(text, sizeof text - 1, &spec, NULL), 0);
    CU_ASSERT_STRING_EQUAL(spec->user, "ann");
    CU_ASSERT_EQUAL(spec->launch->commands.n, 1);
    CU_ASSERT_PTR_NULL(spec->launch->credentials);
    rm_app_spec_unref(spec);
}

#define RESOURCE(members)                                                                          \
    "{\"application-id\":\"application_1_0001\",\"am-container-spec\":{\"local-resources\":{"      \
    "\"entry\":{\"key\":\"a\",\"value\":{" members "}}}}}"

/* The texts of the recordings err-submit-local-type and -visibility, and for other mistakes the
 * texts that YARN would give. */
static void test_refused_resources(void)
{
    bad(RESOURCE("\"resource\":\"file:///x\",\"type\":\"FOO\",\"visibility\":\"PUBLIC\",\"size\":1,"
                 "\"timestamp\":1"),
        -BASE_ESTATE,
        "Null resource type for local resource a : resource { scheme: \"file\" port: -1 file: "
        "\"/x\" } size: 1 timestamp: 1 visibility: PUBLIC");
    bad(RESOURCE("\"resource\":\"file:///x\",\"type\":\"FILE\",\"visibility\":\"FOO\",\"size\":1,"
                 "\"timestamp\":1"),
        -BASE_ESTATE,
        "Null resource visibility for local resource a : resource { scheme: \"file\" port: -1 "
        "file: "
        "\"/x\" } size: 1 timestamp: 1 type: FILE");
    bad(RESOURCE("\"resource\":\"http://u@h:80/a'b?q\",\"type\":\"FILE\""), -BASE_ESTATE,
        "Null resource visibility for local resource a : resource { scheme: \"http\" host: \"h\" "
        "port: 80 file: \"/a\\'b\" } size: 0 timestamp: 0 type: FILE");
    bad(RESOURCE("\"type\":\"FILE\",\"visibility\":\"PUBLIC\""), -BASE_ESTATE,
        "Null resource URL for local resource a");
}

static void test_resources(void)
{
    struct rm_app_spec *s = good(
        "<" ROOT "><application-id>application_1_0001</application-id><am-container-spec>"
        "<local-resources><entry><key>a</key><value><resource>file:///x</resource><type>FILE</type>"
        "<visibility>PUBLIC</visibility><size>43004</size><timestamp>1405452071209</timestamp>"
        "</value></entry><entry><key>b</key><value><resource>http://h/y</resource><type>ARCHIVE"
        "</type><visibility>PRIVATE</visibility></value></entry><entry><key>a</key><value>"
        "<resource>file:///z</resource><type>PATTERN</type><visibility>APPLICATION</visibility>"
        "<pattern>lib/.*</pattern></value></entry></local-resources></"
        "am-container-spec><log-aggregation-context>"
        "<log-include-pattern>file1</log-include-pattern></log-aggregation-context></" ROOT ">",
        true);
    const struct base_local_resource *r = s->launch->resources;

    CU_ASSERT_EQUAL_FATAL(s->launch->resources_n, 2);
    CU_ASSERT_STRING_EQUAL(r[0].name, "a"); /* each name once, as in a map */
    CU_ASSERT_STRING_EQUAL(r[0].url, "file:///z");
    CU_ASSERT_EQUAL(r[0].type, BASE_RESOURCE_PATTERN);
    CU_ASSERT_EQUAL(r[0].visibility, BASE_RESOURCE_APPLICATION);
    CU_ASSERT_EQUAL(r[0].size, 0);
    CU_ASSERT_STRING_EQUAL(r[0].pattern, "lib/.*");
    CU_ASSERT_PTR_NULL(r[1].pattern);
    CU_ASSERT_EQUAL(r[1].type, BASE_RESOURCE_ARCHIVE);
    CU_ASSERT_EQUAL(r[1].visibility, BASE_RESOURCE_PRIVATE);
    CU_ASSERT_STRING_EQUAL(s->log_include, "file1");
    CU_ASSERT_PTR_NULL(s->log_exclude);
    CU_ASSERT_PTR_NULL(s->launch->credentials);
    rm_app_spec_unref(s);
    s = good(RESOURCE("\"resource\":\"file:///x\",\"type\":\"FILE\",\"visibility\":\"PUBLIC\","
                      "\"size\":43004,\"timestamp\":\"1405452071209\""),
             false);
    CU_ASSERT_EQUAL(s->launch->resources[0].size, 43004);
    CU_ASSERT_EQUAL(s->launch->resources[0].timestamp_ms, 1405452071209);
    rm_app_spec_unref(s);
}

static void check_bad_token(const char *text)
{
    char *body = base_printf("{\"application-id\":\"application_1_0001\",\"am-container-spec\":{"
                             "\"credentials\":{\"tokens\":{\"entry\":{\"key\":\"t\",\"value\":"
                             "\"%s\"}}}}}",
                             text);

    bad(body, -BASE_EINVAL, "Could not parse credentials data; exception message = null");
    free(body);
}

/* The token file is checked byte by byte: "HDTS", version, tokens, secrets. The token is
 * identifier "id", password "pw", kind "K", service "s". */
static void test_credentials(void)
{
    struct rm_app_spec *s =
        good("{\"application-id\":\"application_1_0001\",\"am-container-spec\":{\"credentials\":{"
             "\"tokens\":{\"entry\":{\"key\":\"t\",\"value\":\"AmlkAnB3AUsBcw\"}},"
             "\"secrets\":{\"entry\":[{\"key\":\"a\",\"value\":\"AA==\"},"
             "{\"key\":\"secret1\",\"value\":\"c2VjcmV0MQ\"}]}}}}",
             false);
    static const char wanted[] = "HDTS\0\1\1t\2id\2pw\1K\1s\2\1a\1\0\7secret1\7secret1";
    struct base_buf file = {0};

    base_base64_decode(s->launch->credentials, &file);
    CU_ASSERT_EQUAL_FATAL(file.len, sizeof wanted - 1);
    CU_ASSERT_EQUAL(memcmp(file.data, wanted, file.len), 0);
    base_buf_free(&file);
    rm_app_spec_unref(s);
    /* a token that is cut off, one whose length is negative, and one whose length is more than it
     * has */
    check_bad_token("AmlkAnB3AUsB");
    check_bad_token("_w");
    check_bad_token("jP____8");
}

#define SERVICE_DATA(value)                                                                        \
    "{\"application-id\":\"application_1_0001\",\"am-container-spec\":{\"service-data\":{"         \
    "\"entry\":["                                                                                  \
    "{\"key\":\"mapreduce_shuffle\",\"value\":\"" value "\"},"                                     \
    "{\"key\":\"other\",\"value\":\"b3RoZXI\"}]}}}"

static void test_service_data(void)
{
    struct rm_app_spec *s = good(SERVICE_DATA("c2VjcmV0"), false);
    char *at, *body = base_alloc(2 * BASE_SERVICE_MAX);

    CU_ASSERT_STRING_EQUAL(s->launch->shuffle_data, "c2VjcmV0");
    rm_app_spec_unref(s);
    at = body + snprintf(body, 200, "%s",
                         "{\"application-id\":\"application_1_0001\",\"am-container-spec\":{"
                         "\"service-data\":{\"entry\":{\"key\":\"mapreduce_shuffle\",\"value\":\"");
    memset(at, 'A', BASE_SERVICE_MAX);
    memcpy(at + BASE_SERVICE_MAX, "\"}}}}", sizeof "\"}}}}");
    s = good(body, false);
    CU_ASSERT_EQUAL(strlen(s->launch->shuffle_data), BASE_SERVICE_MAX);
    rm_app_spec_unref(s);
    memcpy(at + BASE_SERVICE_MAX, "A\"}}}}", sizeof "A\"}}}}");
    bad(body, -BASE_ELIMIT,
        "service-data: mapreduce_shuffle: 8193 bytes; at most 8192 are possible");
    free(body);
}

static void test_syntax(void)
{
    bad("", -BASE_EINVAL,
        "javax.xml.bind.UnmarshalException: Error creating JSON-based XMLStreamReader\n - with "
        "linked exception:\n"
        "[javax.xml.stream.XMLStreamException: JSON expression can not be empty!]");
    bad("{\"application-id\":", -BASE_EINVAL,
        "javax.xml.bind.UnmarshalException\n - with linked "
        "exception:\n[javax.xml.stream.XMLStreamException: "
        "com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input within/between "
        "Object entries\n at "
        "[Source: (BufferedReader); line: 1, column: 19]]");
    bad("hello", -BASE_EINVAL,
        "javax.xml.bind.UnmarshalException\n - with linked "
        "exception:\n[javax.xml.stream.XMLStreamException: "
        "com.fasterxml.jackson.core.JsonParseException: Unrecognized token 'hello': was expecting "
        "(JSON String, "
        "Number, "
        "Array, Object or token 'null', 'true' or 'false')\n at [Source: (BufferedReader); line: "
        "1, column: 6]]");
    bad("<" ROOT ">", -BASE_EINVAL,
        "javax.xml.bind.UnmarshalException\n - with linked "
        "exception:\n[org.xml.sax.SAXParseException; lineNumber: 1; "
        "columnNumber: 33; XML document structures must start and end within the same entity.]");
    bad("<foo/>", -BASE_EINVAL,
        "javax.xml.bind.UnmarshalException: unexpected element (uri:\"\", local:\"foo\"). Expected "
        "elements are "
        "<{}" ROOT ">");
}

/* Entities can make an XML parser read files and use up memory: so document types are refused. */
static void test_hostile_xml(void)
{
    static const char *const texts[] = {
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><" ROOT
        "><application-id>&x;</application-id></" ROOT ">",
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><" ROOT
        "><application-id>&b;"
        "</application-id></" ROOT ">",
    };

    for (int i = 0; i < 2; i++) {
        struct base_error err = {0};
        json_t *body = NULL;
        CU_ASSERT_EQUAL(api_xml_body_parse(texts[i], strlen(texts[i]), ROOT, NULL, &body, &err),
                        -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "DOCTYPE is disallowed"));
        CU_ASSERT_PTR_NULL(body);
    }
}

static void test_stored(void)
{
    struct rm_app_spec
        *s = good(
            "{\"application-id\":\"application_1_7\",\"creel-user\":\"mallory\",\"queue\":\"q\"}",
            false),
        *again = NULL;
    struct base_error err = {0};

    CU_ASSERT_STRING_EQUAL(s->user, "ann"); /* the caller, not the user whom the body names */
    CU_ASSERT_EQUAL(rm_app_spec_from_stored_json(s->json, strlen(s->json), &again, &err), 0);
    CU_ASSERT_STRING_EQUAL(again->user, "ann");
    CU_ASSERT_STRING_EQUAL(again->queue, "q");
    CU_ASSERT_STRING_EQUAL(again->json, s->json);
    rm_app_spec_unref(again);
    rm_app_spec_unref(s);
    CU_ASSERT_EQUAL(rm_app_spec_from_stored_json("[]", 2, &again, &err), -BASE_ECORRUPT);
    CU_ASSERT_EQUAL(rm_app_spec_from_stored_json("{\"queue", 7, &again, &err), -BASE_ECORRUPT);
}

/* Nested siblings of one name, where each level of XML becomes an object in an array: the stored
 * text of such a body can be read back. */
static void test_deep(void)
{
    for (int depth = 10; depth <= 100; depth += 10) {
        struct base_buf text = {0};
        struct base_error err = {0};
        struct rm_app_spec *s, *again = NULL;

        base_buf_adds(&text, "<" ROOT "><application-id>application_1_7</application-id>");
        for (int i = 0; i < depth; i++)
            base_buf_adds(&text, "<a/><a>");
        for (int i = 0; i < depth; i++)
            base_buf_adds(&text, "</a>");
        base_buf_adds(&text, "</" ROOT ">");
        s = good(text.data, true);
        CU_ASSERT_EQUAL(rm_app_spec_from_stored_json(s->json, strlen(s->json), &again, &err), 0);
        rm_app_spec_unref(s);
        rm_app_spec_unref(again);
        base_buf_free(&text);
    }
}

/* A body nested more deeply than the reader of stored texts goes is refused. */
static void test_unreadable(void)
{
    json_t *body = json_pack("{s:s}", "application-id", "application_1_7"), *inner = json_array();
    struct base_error err = {0};
    struct rm_app_spec *s = NULL;

    for (int i = 0; i < 70; i++)
        inner = json_pack("[o]", inner);
    json_object_set_new(body, "x", inner);
    CU_ASSERT_EQUAL(rm_app_spec_decode(body, "ann", &s, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "deeper than 64"));
    CU_ASSERT_PTR_NULL(s);
    json_decref(body);
}

/* A NodeManager gets every variable once, with the last value, and a command of at most
 * BASE_COMMAND_MAX bytes. */
static void test_launch_bounds(void)
{
    static const char twice[] = "{\"application-id\":\"application_1_7\",\"am-container-spec\":{"
                                "\"environment\":{\"entry\":["
                                "{\"key\":\"A\",\"value\":\"1\"},{\"key\":\"AB\",\"value\":\"2\"},"
                                "{\"key\":\"A\",\"value\":\"3\"}]}}}";
    struct rm_app_spec *s = good(twice, false);
    json_t *body = json_pack("{s:s,s:{s:{s:[]}}}", "application-id", "application_1_7",
                             "am-container-spec", "commands", "command");
    json_t *commands = json_object_get(
        json_object_get(json_object_get(body, "am-container-spec"), "commands"), "command");
    char *half = base_alloc(BASE_COMMAND_MAX / 2 + 1);
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(s->launch->env.n, 2);
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[0], "A=3");
    CU_ASSERT_STRING_EQUAL(s->launch->env.v[1], "AB=2");
    rm_app_spec_unref(s);
    memset(half, ':', BASE_COMMAND_MAX / 2);
    for (int i = 0; i < 2; i++)
        json_array_append_new(commands, json_string(half));
    /* with what joins them, the two commands are longer than the bound */
    CU_ASSERT_EQUAL(rm_app_spec_decode(body, "ann", &s, &err), -BASE_ELIMIT);
    json_decref(body);
    free(half);
}

/* Who may see and change the application, also when it is read back after a restart. */
static void test_acls(void)
{
    static const char body[] =
        "{\"application-id\":\"application_1_7\",\"am-container-spec\":{\"application-acls\":{"
        "\"entry\":[{\"key\":\"VIEW_APP\",\"value\":\"bob\"},{\"key\":\"FOO\",\"value\":\"x\"},"
        "{\"key\":\"MODIFY_APP\",\"value\":\" staff\"},{\"key\":\"VIEW_APP\",\"value\":"
        "\"carol,dave ops\"}]}}}";
    static const char one[] =
        "{\"application-id\":\"application_1_7\",\"am-container-spec\":{\"application-acls\":{"
        "\"entry\":{\"key\":\"MODIFY_APP\"}}}}";
    struct rm_app_spec *s = good(body, false), *again = NULL;
    struct base_error err = {0};
    char *large = base_alloc(BASE_ACL_MAX + 2);
    json_t *long_body;

    CU_ASSERT_STRING_EQUAL(s->acl_view, "carol,dave ops");
    CU_ASSERT_STRING_EQUAL(s->acl_modify, " staff");
    CU_ASSERT_EQUAL_FATAL(rm_app_spec_from_stored_json(s->json, strlen(s->json), &again, &err), 0);
    CU_ASSERT_STRING_EQUAL(again->acl_view, s->acl_view);
    CU_ASSERT_STRING_EQUAL(again->acl_modify, s->acl_modify);
    rm_app_spec_unref(again);
    rm_app_spec_unref(s);
    s = good(one, false);
    CU_ASSERT_PTR_NULL(s->acl_view);
    CU_ASSERT_STRING_EQUAL(s->acl_modify, "");
    rm_app_spec_unref(s);
    memset(large, 'a', BASE_ACL_MAX + 1);
    long_body = json_pack("{s:s,s:{s:{s:{s:s,s:s}}}}", "application-id", "application_1_7",
                          "am-container-spec", "application-acls", "entry", "key", "VIEW_APP",
                          "value", large);
    CU_ASSERT_EQUAL(rm_app_spec_decode(long_body, "ann", &s, &err), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(err.text, "application-acls: VIEW_APP: 16385 bytes are more than 16384");
    json_decref(long_body);
    free(large);
}

static void test_max(void)
{
    struct rm_app_spec s = {0};
    struct rm_res max = {{2048, 2, 0, 0}};
    struct base_error err = {0};

    CU_ASSERT_EQUAL(rm_app_spec_check_resource(&s, &max, &err), 0);
    s.resource.v[RM_RES_MEMORY_MB] = 2049;
    CU_ASSERT_EQUAL(rm_app_spec_check_resource(&s, &max, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Requested more memory than configured max");
    s.resource.v[RM_RES_MEMORY_MB] = 2048;
    s.resource.v[RM_RES_VCORES] = 3;
    CU_ASSERT_EQUAL(rm_app_spec_check_resource(&s, &max, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Requested more cores than configured max");
    s.resource.v[RM_RES_VCORES] = -1;
    CU_ASSERT_EQUAL(rm_app_spec_check_resource(&s, &max, &err), -BASE_EINVAL);
}

static const struct cunit_case cases[] = {
    {"full submission", test_full},
    {"XML", test_xml},
    {"defaults", test_defaults},
    {"lenient values", test_lenient},
    {"tags for policies", test_tags_for_policies},
    {"refused", test_refused},
    {"a stored token that is refused now", test_stored_token},
    {"refused resources", test_refused_resources},
    {"resources", test_resources},
    {"credentials", test_credentials},
    {"service data", test_service_data},
    {"syntax", test_syntax},
    {"hostile XML", test_hostile_xml},
    {"stored form", test_stored},
    {"deep XML", test_deep},
    {"unreadable", test_unreadable},
    {"launch bounds", test_launch_bounds},
    {"access control lists", test_acls},
    {"largest container", test_max},
};
CUNIT_MAIN("submission bodies", cases)
