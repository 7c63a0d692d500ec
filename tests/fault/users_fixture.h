/* tests/fault/users_fixture.h - a host with users of its own, for tests of containers that run as
 * their users: a private mount namespace, in which /etc/passwd has more users, and /run has the
 * programs, creel-exec's configuration and the folders. All of it goes with the last process. */
#ifndef CREEL_USERS_FIXTURE_H
#define CREEL_USERS_FIXTURE_H

#include "tests/fault/nm_fixture.h"

#define USERS_DIR "/run/creel-exec-test"
#define USERS_BIN USERS_DIR "/bin"
/* ids that no real user of a test machine has */
#define USERS_NM     61200 /* creelnm, and its group */
#define USERS_ANN    61201
#define USERS_BOB    61202
#define USERS_EVE    61203 /* banned */
#define USERS_SYSTEM 900   /* sysann: below the minimum id */

/* Makes the host, with the programs of @bin. Ends the process with 77 and the reason when this
 * machine cannot. Call as root, before there are threads. */
void users_make_host(const char *bin);
/* Writes creel-exec's configuration. @more: further lines. */
void users_write_conf(const char *local_dir, const char *more);
/* Becomes the NodeManager's user for good, with the capabilities that its unit leaves to
 * creel-exec. */
void users_become_nm(void);

#endif
