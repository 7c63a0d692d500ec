/* Any bytes as a job: refused with a message, or a job whose stored form is the same job. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/spec_json.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "{\"job\":{\"id\":\"application_17_0001\",\"name\":\"wc\",\"user\":\"ann\",\"queue\":"
    "\"default\",\"priority\":0,"
    "\"input\":[\"file:///data/*.txt\"],\"output\":\"file:///out/"
    "wc\",\"map\":\"cat\",\"combine\":\"cat\",\"reduce\":"
    "\"cat\",\"reduces\":3,\"split-size\":67108864,\"max-attempts\":4,\"env\":{\"LC_ALL\":\"C\"},"
    "\"deadline-s\":600}}",
    "{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\"sleep "
    "5\",\"hosts\":[\"node1\"],\"count\":20,"
    "\"expected-s\":5.25},{\"kind\":\"reduce\",\"command\":\"true\"}]}}",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rm_spec_defaults d = {.user = "dr.who", .split_size = 1 << 27, .max_attempts = 4};
    struct base_error err = {0};
    struct rm_job_spec *a = NULL, *b = NULL;

    if (rm_spec_job_decode((const char *)data, size, &d, &a, &err) < 0) {
        base_assert(err.text[0] && err.code < 0);
        return 0;
    }
    base_assert(rm_spec_job_from_stored_json(a->json, strlen(a->json), a->id, &b, &err) == 0);
    base_assert(strcmp(a->json, b->json) == 0);
    rm_job_spec_unref(a);
    rm_job_spec_unref(b);
    return 0;
}
