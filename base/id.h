/* base/id.h - YARN's identifiers as integers: parsed when a request or a record is read, and
 * printed in YARN's form. SOURCE: Hadoop 3.4, ApplicationId and ContainerId (docs: YARN REST). */
#ifndef CREEL_BASE_ID_H
#define CREEL_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/task_kind.h"

#define BASE_ID_TEXT_MAX 128 /* every printed id fits, NUL included */

struct base_app_id {
    int64_t cluster_ts; /* ms */
    int32_t seq;        /* >= 1 in ids that we assign */
};
struct base_attempt_id {
    struct base_app_id app;
    int32_t attempt;
};
struct base_container_id {
    struct base_attempt_id attempt;
    int64_t num; /* epoch << 40 | counter */
};
struct base_task_id {
    struct base_app_id app;
    enum base_task_kind kind;
    int32_t index;
};

/* A container's number is epoch << 40 | counter, which leaves 23 bits for the epoch. */
#define BASE_EPOCH_MAX              ((INT64_C(1) << 23) - 1)
#define BASE_CONTAINER_EPOCH(num)   ((int64_t)(num) >> 40)
#define BASE_CONTAINER_COUNTER(num) ((int64_t)(num) & ((INT64_C(1) << 40) - 1))

/* Parsers: return 0, or -BASE_EINVAL with the reason in @err (may be NULL). Leading zeros do not
 * matter: "application_1_1" and "application_1_0001" are the same id. */
int base_app_id_parse(const char *text, struct base_app_id *out, struct base_error *err);
int base_attempt_id_parse(const char *text, struct base_attempt_id *out, struct base_error *err);
int base_container_id_parse(const char *text, struct base_container_id *out,
                            struct base_error *err);
/* Ids of reservations consist of the same numbers as those of applications. */
int base_reservation_id_parse(const char *text, struct base_app_id *out, struct base_error *err);
int base_task_id_parse(const char *text, struct base_task_id *out, struct base_error *err);
/* Writes the decimal digits of @v to @to, padded with leading zeros to @width (1 to 20), without a
 * NUL. Returns the place after the last digit. */
char *base_write_digits(char *to, uint64_t v, int width);
/* Printers: write into @buf (BASE_ID_TEXT_MAX bytes) and return it. */
char *base_app_id_text(const struct base_app_id *id, char buf[static BASE_ID_TEXT_MAX]);
char *base_reservation_id_text(const struct base_app_id *id, char buf[static BASE_ID_TEXT_MAX]);
char *base_attempt_id_text(const struct base_attempt_id *id, char buf[static BASE_ID_TEXT_MAX]);
char *base_container_id_text(const struct base_container_id *id, char buf[static BASE_ID_TEXT_MAX]);
char *base_task_id_text(const struct base_task_id *id, char buf[static BASE_ID_TEXT_MAX]);
/* Return < 0, 0 or > 0, as strcmp() does. The cluster timestamp counts first, then the numbers from
 * left to right. */
int base_app_id_cmp(const struct base_app_id *a, const struct base_app_id *b);
int base_container_id_cmp(const struct base_container_id *a, const struct base_container_id *b);

#endif
