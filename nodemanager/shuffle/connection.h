/* nodemanager/shuffle/connection.h - one connection of a reducer.
 *
 *    READING --head complete--> checked --> FINDING --> SENDING --all sent--> READING   keep alive
 *       |                          |           |                         `--> ENDING    otherwise
 *       |                          `- refused -'---------> SENDING ---------> ENDING
 *       `-- too slow, too long, closed by the peer --> over
 *
 *    ENDING   our side is closed; what the peer still sends is dropped until it closes, too, as
 *             closing at once could make it lose the answer
 *
 * An answer is its head, then for each map a header and a part of file.out, which the kernel sends
 * from the page cache (sendfile). All parts are looked up before the head (FINDING), so that a
 * missing one is answered with an error; one that disappears later cuts the answer short. Small
 * parts are copied at once. A lookup reads and checks the whole index of a map: when indexes are
 * large, other connections have their turn in between.
 *
 * Memory: the head while it arrives, at most NM_SHUFFLE_HEAD_MAX, kept with the list of parts and
 * the small ones, at most 64 KiB, while the answer is sent. One file is open at a time. A head must
 * arrive within HEAD_S seconds, and bytes of an answer be taken within STALL_S. All functions are
 * for the worker's thread. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_CONNECTION_H
#define CREEL_NODEMANAGER_SHUFFLE_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nodemanager/container/folders.h"
#include "nodemanager/shuffle/jobs.h"

struct nm_shuffle_counts { /* since the start, but for the connections, which are open now */
    atomic_llong served, bytes, failed, connections;
};
struct nm_shuffle_site { /* what all connections share; borrowed */
    const struct nm_files *files;
    struct nm_shuffle_jobs *jobs;
    struct nm_shuffle_counts *counts;
    int port;
    bool keep_alive;       /* also connections whose request does not ask for it */
    int64_t keep_alive_us; /* how long an idle one is kept */
};
enum nm_shuffle_want { NM_SHUFFLE_READ, NM_SHUFFLE_WRITE, NM_SHUFFLE_OVER };

struct nm_shuffle_connection;
/* Takes the socket @fd, which does not block. */
struct nm_shuffle_connection *nm_shuffle_connection_new(const struct nm_shuffle_site *site, int fd,
                                                        int64_t now_us);
/* Answers 429, as YARN does when there are too many connections, whatever is asked. */
void nm_shuffle_connection_turn_away(struct nm_shuffle_connection *c);
/* Goes on as far as the socket lets it, but not for too long. Returns what the socket has to be
 * ready for next; NM_SHUFFLE_OVER: free it. */
enum nm_shuffle_want nm_shuffle_connection_continue(struct nm_shuffle_connection *c,
                                                    int64_t now_us);
/* Returns true if the peer has been too slow. */
bool nm_shuffle_connection_is_late(const struct nm_shuffle_connection *c, int64_t now_us);
/* Returns true if the peer has proven nothing, and nothing is being sent to it: a new connection
 * may take its place. A refused peer that does not close counts, one that was turned away does not,
 * as it has no place. */
bool nm_shuffle_connection_is_unproven(const struct nm_shuffle_connection *c);
int nm_shuffle_connection_fd(const struct nm_shuffle_connection *c);
void nm_shuffle_connection_free(struct nm_shuffle_connection *c);

#endif
