/* Any bytes as each message that a task runner and the ResourceManager send each other, and as a
 * launch order kept by a node: refused with a message, or read; what was read is written in a form
 * that is read again. */
#include <string.h>

#include "api/wire/order.h"
#include "api/wire/task.h"
#include "base/io/json.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "{\"app\":\"application_17_0001\",\"task\":\"task_17_0001_r_000000\",\"taskAttempt\":1}",
    "{\"commit\":true}",
    "{\"map\":1,\"attempt\":2,\"reduce\":\"task_17_0001_r_000000\",\"reason\":\"404\",\"gone\":"
    "true}",
    "{\"version\":3,\"maps\":2,\"done\":1,\"outputs\":[{\"map\":1,\"attempt\":2,\"container\":"
    "\"container_17_0001_01_000002\",\"node\":\"n1:4242\"}]}",
    "{\"container\":\"container_17_0001_01_000002\",\"kind\":\"map\",\"task\":\"task_17_0001_m_"
    "000000\",\"taskAttempt\":0,"
    "\"env\":{\"A\":\"b\"},\"app\":\"application_17_0001\",\"spec\":{\"index\":0,\"reduces\":0,"
    "\"map\":\"cat\",\"output\":"
    "\"/o\",\"split\":{\"path\":\"/i\",\"offset\":0,\"length\":1,\"gzip\":false}}}",
    "{\"container\":\"container_17_0001_01_000002\",\"kind\":\"reduce\",\"task\":\"t\","
    "\"taskAttempt\":0,"
    "\"spec\":{\"job\":\"j\",\"index\":0,\"maps\":1,\"output\":\"/o\"}}",
    NULL,
};

static void check(int rc, const struct base_error *err)
{
    base_assert(rc == 0 || (rc < 0 && err->text[0]));
}

static void requests(const char *text, size_t size, struct base_buf *out)
{
    struct wire_commit c;
    struct wire_fetch_failure f;
    struct base_error err = {0};
    int rc = wire_commit_get(text, size, &c, &err);

    check(rc, &err);
    if (rc == 0) {
        wire_commit_put(&c, out);
        wire_commit_free(&c);
        base_assert(wire_commit_get(out->data, out->len, &c, &err) == 0);
        wire_commit_free(&c);
    }
    base_buf_clear(out);
    rc = wire_fetch_failure_get(text, size, &f, &err);
    check(rc, &err);
    if (rc == 0) {
        wire_fetch_failure_put(&f, out);
        wire_fetch_failure_free(&f);
        base_assert(wire_fetch_failure_get(out->data, out->len, &f, &err) == 0);
        wire_fetch_failure_free(&f);
    }
    base_buf_clear(out);
}

static void answers(const char *text, size_t size)
{
    struct wire_commit_answer leave;
    struct wire_map_outputs o;
    struct base_error err = {0};

    check(wire_commit_answer_get(text, size, &leave, &err), &err);
    int rc = wire_map_outputs_get(text, size, &o, &err);
    check(rc, &err);
    if (rc == 0)
        wire_map_outputs_free(&o);
}

static void launches(const char *text, size_t size, struct base_buf *out)
{
    struct wire_order order = {.kind = BASE_ORDER_LAUNCH};
    struct wire_launch task;
    struct base_error err = {0};
    json_t *j = NULL;

    if (base_json_parse(text, size, &j, &err) == 0) {
        int rc = wire_launch_get(j, &order.launch, &err);
        check(rc, &err);
        check(wire_task_launch_get(j, &task, &err), &err);
        if (rc == 0)
            wire_order_put(&order, out);
        wire_launch_free(&order.launch);
    }
    json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct base_buf out = {0};

    requests((const char *)data, size, &out);
    answers((const char *)data, size);
    launches((const char *)data, size, &out);
    base_buf_free(&out);
    return 0;
}
