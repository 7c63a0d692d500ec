/* nodemanager/daemon/rm_link.h - the threads that talk to the ResourceManagers: one sends the
 * request in flight (a registration or heartbeat, whose answer the RM may hold), one sends wake
 * calls, and with several RMs one looks for another leader while an answer is overdue. The threads
 * decide nothing: nodemanager/core/rm_search.h, under the link's lock, determines which RM to ask,
 * how long to wait and when to look. The loop hands a request over; nm_link_result_fd() becomes
 * readable when its result has arrived. */
#ifndef CREEL_NODEMANAGER_DAEMON_RM_LINK_H
#define CREEL_NODEMANAGER_DAEMON_RM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/conf/rm_list.h"
#include "base/crypto/keyring.h"
#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/rm_search.h"

struct nm_link_io;
/* Starts the threads. @rms: borrowed, not empty; @keys: the cluster's secret, which signs requests
 * and without whose signature no answer counts; NULL: none. */
int nm_link_start(const struct base_rm_list *rms, struct base_keyring *keys,
                  struct nm_link_io **out, struct base_error *err);
void nm_link_stop(struct nm_link_io *l); /* cancels requests, joins the threads and frees @l */
int nm_link_result_fd(const struct nm_link_io *l);

/* Hand over a request; only one may be in flight at a time. Both take @body's memory. */
void nm_link_send_register(struct nm_link_io *l, struct base_buf *body);
void nm_link_send_heartbeat(struct nm_link_io *l, struct base_buf *body, int64_t hold_ms);
/* Sends a wake call to the RM that has the request in flight, without waiting for its result. Takes
 * @body's memory. */
void nm_link_send_wake(struct nm_link_io *l, struct base_buf *body);

/* Tells the RM that was asked last that the node leaves, and waits up to two seconds for the
 * answer; frees @body's memory. Returns 0 when the RM has agreed, otherwise a negative BASE_E* with
 * @err. */
int nm_link_sign_off(struct nm_link_io *l, struct base_buf *body, struct base_error *err);

struct nm_link_result {
    int rc; /* 0: there is an HTTP answer */
    long status;
    struct base_buf body;
    struct nm_retry retry; /* set unless the status is 200 */
    char url[1024];        /* URL of the request */
    struct base_error err;
};
/* Takes the result of the last request. Returns false when there is none. The caller frees the
 * body. After a 200, call nm_link_accept_answer() or nm_link_reject_answer() before the next
 * request, unless the same RM is to be asked again. */
bool nm_link_take_result(struct nm_link_io *l, struct nm_link_result *out);
/* Returns true when the last request's time-out has passed, so that the answer must be rejected. */
bool nm_link_answer_is_late(struct nm_link_io *l);
/* Notes that the answer was accepted; @epoch is the epoch obeyed from now on. */
void nm_link_accept_answer(struct nm_link_io *l, int64_t epoch);
/* Notes that the answer was useless (late, of a lower epoch, or unreadable), which counts as a
 * failed request; sets @r->retry. */
void nm_link_reject_answer(struct nm_link_io *l, struct nm_link_result *r);

#endif
