/* Any text: the id parsers accept or refuse it, and what they accept prints to a text that parses
 * to the same id. */
#include <stdlib.h>

#include "base/id.h"
#include "base/mem.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "application_1700000000000_0001",
    "appattempt_1700000000000_0001_000002",
    "container_1700000000000_0001_01_000003",
    "container_e17_1700000000000_0001_01_000003",
    "task_1700000000000_0001_m_000000",
    "task_1700000000000_12345_r_000123",
    "application_9223372036854775807_2147483647",
    "container_e8388607_1_1_1_1099511627775",
    NULL,
};

static void round_trips(const char *text)
{
    char buf[BASE_ID_TEXT_MAX];
    struct base_app_id app, app2;
    struct base_attempt_id attempt, attempt2;
    struct base_container_id ct, ct2;
    struct base_task_id task, task2;
    struct base_error err;

    if (base_app_id_parse(text, &app, &err) == 0) {
        base_assert(base_app_id_parse(base_app_id_text(&app, buf), &app2, NULL) == 0);
        base_assert(base_app_id_cmp(&app, &app2) == 0);
    }
    if (base_attempt_id_parse(text, &attempt, &err) == 0) {
        base_assert(base_attempt_id_parse(base_attempt_id_text(&attempt, buf), &attempt2, NULL) ==
                    0);
        base_assert(base_app_id_cmp(&attempt.app, &attempt2.app) == 0 &&
                    attempt.attempt == attempt2.attempt);
    }
    if (base_container_id_parse(text, &ct, &err) == 0) {
        base_assert(ct.num >= 0);
        base_assert(base_container_id_parse(base_container_id_text(&ct, buf), &ct2, NULL) == 0);
        base_assert(base_container_id_cmp(&ct, &ct2) == 0);
    }
    if (base_task_id_parse(text, &task, &err) == 0) {
        base_assert(base_task_id_parse(base_task_id_text(&task, buf), &task2, NULL) == 0);
        base_assert(base_app_id_cmp(&task.app, &task2.app) == 0);
        base_assert(task.kind == task2.kind && task.index == task2.index);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = base_strndup((const char *)data, size);

    round_trips(text);
    free(text);
    return 0;
}
