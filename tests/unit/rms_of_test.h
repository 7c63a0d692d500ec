/* tests/unit/rms_of_test.h - two ResourceManagers in the process of a test: daemons that know each
 * other, behind real servers with the gate of standbys in front. Nobody leads until the test says
 * so. */
#ifndef CREEL_TESTS_RMS_OF_TEST_H
#define CREEL_TESTS_RMS_OF_TEST_H

#include <stdint.h>

#include "ha/store/store.h"
#include "rm/daemon/backend.h"
#include "rm/leader/role.h"

struct rm_of_test {
    struct rm_backend *b;
    uint16_t port;
    char url[64]; /* "http://127.0.0.1:<port>" */
};
extern struct rm_of_test rms[2]; /* ids: rm-1, rm-2 */

/* Sets "key=value" in the configuration of both. Call it before rms_start(); the setting lasts
 * until rms_stop(). */
void rms_set(const char *key_eq_value);
/* Starts both as standbys; aborts when that fails. @sources: where each RM learns of its lease and
 * its ZooKeeper. They are copied; their @user must outlive the daemons. */
void rms_start(const struct rm_role_source sources[2]);
void rms_stop(void); /* both must stop without an error; memory stores begin empty afterwards */
/* RM @i becomes active with @store, which it takes over, and the other RM is told so; aborts when
 * that fails. */
void rms_lead(int i, struct ha_store *store, int64_t epoch);
void rms_end(int i); /* ends the leadership of @i; no RM is active then */

#endif
