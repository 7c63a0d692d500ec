/* tests/e2e/fake_rm.h - a ResourceManager's side of the node protocol, as small as tests need it:
 * it registers nodes, parks heartbeats, hands out the orders a test queues, and keeps the last
 * report of every container. In the test's own process; thread-safe. Requests of nodes have to be
 * signed with the secret of daemons on loopback, and so are the answers. */
#ifndef CREEL_FAKE_RM_H
#define CREEL_FAKE_RM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct fake_rm;
struct fake_rm *fake_rm_start(uint16_t port); /* 0: any; aborts when it cannot listen */
/* Starts an RM that does not know the secret: it takes every request, and its answers are not
 * signed. */
struct fake_rm *fake_rm_start_forger(uint16_t port);
void fake_rm_stop(struct fake_rm *rm);
uint16_t fake_rm_port(const struct fake_rm *rm);

void fake_rm_set_epoch(struct fake_rm *rm, int64_t epoch);
void fake_rm_set_auto_forget(struct fake_rm *rm,
                             bool on);                /* orders "forget" for each ended container */
void fake_rm_set_away(struct fake_rm *rm, bool away); /* answers 503 to everything */
void fake_rm_set_mute(struct fake_rm *rm,
                      bool mute); /* answers no heartbeat any more, and does not say who leads */
/* Makes @rm a standby: it redirects nodes to @active ("http://...") unless they say that they have
 * just failed to reach that RM; otherwise they wait here until @rm leads, or another active RM is
 * set. @active "": not known. */
void fake_rm_stand_by(struct fake_rm *rm, const char *active);
void fake_rm_lead(struct fake_rm *rm); /* leads, as after the start */
bool fake_rm_wait_parked(struct fake_rm *rm, size_t n,
                         int ms); /* until @n requests wait on this standby */
bool fake_rm_wait_looks(struct fake_rm *rm, int64_t n,
                        int ms);             /* until it was asked @n times whether it leads */
int64_t fake_rm_sent_on(struct fake_rm *rm); /* requests answered 307 */
char *fake_rm_last_failed(
    struct fake_rm *rm); /* X-Creel-Failed of the last request here, "" for none; caller frees */
/* Processes the next @n heartbeats, but answers them with 503, so that their nodes must repeat
 * them. */
void fake_rm_lose_answers(struct fake_rm *rm, int n);

/* Waits until @n different nodes have registered; they are numbered from 0 in the order of their
 * registrations. Returns false after @ms. */
bool fake_rm_wait_nodes(struct fake_rm *rm, size_t n, int ms);
const char *fake_rm_node_id(struct fake_rm *rm, size_t node); /* lasts as long as @rm */
/* Registrations of the node so far. */
int64_t fake_rm_registrations(struct fake_rm *rm, size_t node);
bool fake_rm_wait_registrations(struct fake_rm *rm, size_t node, int64_t n, int ms);
/* Port of Hadoop RPC that the node has named; 0: none. */
int fake_rm_hadoop_port(struct fake_rm *rm, size_t node);
/* Adds members to all answers from now on, such as "\"a\":1"; static text. */
void fake_rm_add_to_answers(struct fake_rm *rm, const char *members);
int64_t fake_rm_heartbeats(struct fake_rm *rm, size_t node);
bool fake_rm_wait_heartbeats(struct fake_rm *rm, size_t node, int64_t n, int ms);
/* How often the node has unregistered. */
int64_t fake_rm_sign_offs(struct fake_rm *rm, size_t node);
/* Queues one order, JSON text made by printf. Answers the parked heartbeat. */
void fake_rm_order(struct fake_rm *rm, size_t node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Launches "sh -c @command" as @container. */
void fake_rm_launch(struct fake_rm *rm, size_t node, const char *container, const char *command);

/* Last report of @container: caller json_decref()s; NULL: none yet. */
json_t *fake_rm_report(struct fake_rm *rm, const char *container);
/* Waits for a report in @state ("running", "suspended", "complete"). NULL after @ms. */
json_t *fake_rm_wait_state(struct fake_rm *rm, const char *container, const char *state, int ms);
size_t fake_rm_ended(struct fake_rm *rm); /* containers seen complete */
bool fake_rm_wait_ended(struct fake_rm *rm, size_t n, int ms);
/* Returns a copy of the body of the node's last heartbeat: caller json_decref()s. */
json_t *fake_rm_last(struct fake_rm *rm, size_t node);
bool fake_rm_wait_healthy(struct fake_rm *rm, size_t node, bool healthy, int ms);
/* How often a container came with a registration after a test had ordered it to be forgotten. */
int64_t fake_rm_after_forget(struct fake_rm *rm);

#endif
