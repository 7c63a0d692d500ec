/* Goal: a NodeManager says its version when it registers, and obeys no ResourceManager of another
 * major version. Method: the request is read as the RM reads it; answers with the version changed.
 */
#include <stdlib.h>
#include <string.h>

#include "api/wire/node.h"
#include "base/version.h"
#include "nodemanager/daemon/wire.h"
#include "tests/unit/cunit_main.h"

static const struct nm_ident ident = {"n1:1", "n1:2", "/r", "i", "b", 4, 2, 3, 45454};

static void test_registration(void)
{
    struct nm_core *core = nm_core_new(9);
    struct nm_event start = {.kind = NM_EV_START, .at_us = 5};
    struct nm_effects fx = {0};
    struct base_buf out = {0};
    struct wire_registration r;
    struct wire_log_report report = {{17, 2}, WIRE_LOGS_FAILING};
    const struct nm_wire_logs logs = {&report, 1, true};
    struct base_error err = {0};

    nm_core_step(core, &start, &fx);
    nm_wire_put_registration(core, &ident, &logs, &out);
    CU_ASSERT_EQUAL_FATAL(wire_registration_get(out.data, out.len, &r, &err), 0);
    CU_ASSERT_STRING_EQUAL(r.version, CREEL_VERSION);
    CU_ASSERT_STRING_EQUAL(r.http_address, "n1:2");
    CU_ASSERT_EQUAL(r.map_slots, 4);
    CU_ASSERT_EQUAL(r.reduce_slots, 2);
    CU_ASSERT_EQUAL(r.hadoop_port, 45454);
    CU_ASSERT_EQUAL(r.master_slots, 3);
    CU_ASSERT_EQUAL(r.epoch_seen, 9);
    CU_ASSERT_EQUAL(r.sent_us, 5);
    CU_ASSERT_EQUAL_FATAL(r.logs_n, 1);
    CU_ASSERT_TRUE(r.logs_more);
    CU_ASSERT_EQUAL(r.logs[0].app.seq, 2);
    CU_ASSERT_EQUAL(r.logs[0].state, WIRE_LOGS_FAILING);
    wire_registration_free(&r);
    base_buf_free(&out);
    nm_core_free(core);
    free(fx.v);
}

static int read_answer(const char *version, struct base_error *err)
{
    char *text =
        base_printf("{\"epoch\":1%s%s%s,\"orders\":[{\"type\":\"launch\",\"container\":"
                    "\"container_1_0001_01_000001\",\"command\":\"x\",\"env\":{\"A\":\"b\"}}]}",
                    version ? ",\"version\":\"" : "", version ? version : "", version ? "\"" : "");
    struct nm_answer a;
    int rc = nm_wire_get_answer(text, strlen(text), 1, &a, err);

    if (rc == 0) {
        CU_ASSERT_EQUAL(a.wire.orders_n, 1);
        CU_ASSERT_EQUAL(a.orders[0].launch.id.num, 1);
        CU_ASSERT_PTR_EQUAL(a.orders[0].launch.order, &a.wire.orders[0].launch);
        nm_answer_free(&a);
    }
    free(text);
    return rc;
}

static void test_versions(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(read_answer(NULL, &err), 0); /* the answer to a heartbeat has no version */
    CU_ASSERT_EQUAL(read_answer(CREEL_VERSION, &err), 0);
    CU_ASSERT_EQUAL(read_answer("9999.0.0", &err), -BASE_EVERSION);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "9999.0.0"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, CREEL_VERSION));
}

static const struct cunit_case cases[] = {{"registration", test_registration},
                                          {"versions", test_versions}};
CUNIT_MAIN("nm_wire", cases)
