/* nodemanager/daemon/leader_search.h - does another ResourceManager lead? What a NodeManager asks the others of its list while an
 * answer is overdue, and how often: nodemanager/daemon/rm_link.h tells when. No state of the link is known here. */
#ifndef CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H
#define CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/http_client.h"

/* Beyond the time that a held request may take. One lost segment costs Linux's least retransmission time-out, 200 ms
 * (TCP_RTO_MIN), and a round trip: a leader with which all is well is not doubted for that. */
#define NM_LOOK_GRACE_MS 300
/* The grace doubles with each look that was in vain, so that a cluster whose leader is merely slow asks a standby less
 * and less: of 1,000 nodes one comes every 2.4 to 3.6 ms then. */
#define NM_LOOK_GRACE_MAX_MS 2400

struct nm_look {
    int64_t grace_ms;
    bool in_vain; /* in the request that is in flight */
};
void nm_look_init(struct nm_look *k);
/* From the time that the request may take, or from the last look, to the next one: the grace, and up to half of it more
 * by @random (of any size), so that nodes do not come together. */
int64_t nm_look_wait_ms(const struct nm_look *k, uint32_t random);
void nm_look_vain(struct nm_look *k);
/* The request has ended. @good: answered by a leader; one that was not doubted is trusted as at the beginning. */
void nm_look_ended(struct nm_look *k, bool good);

/* Does the RM that says this of itself (the body of GET /ws/v1/cluster/ha) lead under epoch @least or a higher one, or
 * has it been elected and reads the state at this moment? */
bool nm_look_leads(const char *text, size_t len, int64_t least);
/* Asks the RM at base address @url. Takes three seconds at most. */
bool nm_look_ask(struct base_http *h, const char *url, int64_t least);

#endif
