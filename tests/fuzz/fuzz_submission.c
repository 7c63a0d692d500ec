/* Any bytes as the body of a submission, JSON or XML: decoded or refused with a message; what was
 * accepted reads back from its stored form unchanged. */
#include <string.h>

#include "api/yarn/xml_body.h"
#include "rm/http/app_json.h"
#include "tests/fuzz/fuzz.h"

#define ROOT "application-submission-context"

const char *const creel_fuzz_samples[] = {
    "{\"application-id\":\"application_1_0001\",\"application-name\":\"n\",\"queue\":\"q\","
    "\"priority\":\"3\","
    "\"am-container-spec\":{\"commands\":{\"command\":[\"a\",\"b\"]},\"environment\":{\"entry\":[{"
    "\"key\":\"A\","
    "\"value\":\"1\"}]},\"local-resources\":{\"entry\":{\"key\":\"x\",\"value\":{\"type\":\"FILE\","
    "\"visibility\":"
    "\"PUBLIC\"}}},\"credentials\":{\"tokens\":{},\"secrets\":{\"entry\":[{\"key\":\"s\",\"value\":"
    "\"c2VjcmV0\"}]}}},"
    "\"unmanaged-AM\":\"false\",\"resource\":{\"memory\":\"512\",\"vCores\":1},\"application-"
    "tags\":{\"tag\":[\"a\"]}}",
    "{\"application-id\":\"application_1_0001\",\"resource\":null,\"application-tags\":{\"tag\":"
    "\"x\"}}",
    "<" ROOT "><application-id>application_1_0001</"
    "application-id><am-container-spec><commands><command>x</command>"
    "<command>y</command></commands><environment><entry><key>A</key><value>1</value></entry></"
    "environment>"
    "</am-container-spec><resource><memory>1</memory></resource></" ROOT ">",
    "<!DOCTYPE a [<!ENTITY x \"y\">]><" ROOT "><application-id>&x;</application-id></" ROOT ">",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct rm_app_spec *spec = NULL, *again = NULL;
    struct base_error err = {0};
    json_t *body = NULL;
    int rc;

    if (size > 0 && text[0] == '<')
        rc = api_xml_body_parse(text, size, ROOT, NULL, &body, &err);
    else
        rc = api_json_body_parse(text, size, &body, &err);
    if (rc == 0)
        rc = rm_app_spec_decode(body, "ann", &spec, &err);
    json_decref(body);
    if (rc < 0) {
        base_assert(err.text[0] && !spec);
        return 0;
    }
    base_assert(spec->name && spec->queue && spec->type && spec->launch && spec->tags.n <= 10);
    base_assert(strcmp(spec->user, "ann") == 0);
    base_assert(rm_app_spec_from_stored_json(spec->json, strlen(spec->json), &again, &err) == 0);
    base_assert(strcmp(spec->json, again->json) == 0 &&
                spec->launch->commands.n == again->launch->commands.n);
    rm_app_spec_unref(again);
    rm_app_spec_unref(spec);
    return 0;
}
