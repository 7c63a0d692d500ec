/* rm/rpc/start/talk.h - one start of a master, while it is tried: its connection and its state
 * (rm/rpc/start/starter.h). Sockets do not block; for the starter's thread alone. */
#ifndef CREEL_RM_RPC_START_TALK_H
#define CREEL_RM_RPC_START_TALK_H

#include "api/rpc/client.h"
#include "rm/rpc/start/request.h"

enum rm_talk_state {
    RM_TALK_WAITING,    /* until .at_ms */
    RM_TALK_CONNECTING, /* at most until .at_ms, as the next one */
    RM_TALK_TALKING,
    RM_TALK_STARTED,
    RM_TALK_AGAIN, /* this try has failed, and nothing was sent: .why */
    RM_TALK_FAILED /* for good: .why */
};
struct rm_start_address; /* how many starts go to one address (starter.c) */
struct rm_talk {
    struct rm_talk *next;
    struct rm_start *start;           /* owned */
    struct rm_start_address *address; /* borrowed from the starter */
    enum rm_talk_state state;
    int fd; /* -1: none */
    struct api_rpc_client client;
    bool has_client;
    bool heard; /* the node has sent something in this try */
    struct base_buf in, out;
    size_t sent;
    int64_t at_ms;      /* times of a clock that nobody sets */
    int64_t give_up_ms; /* no try begins later */
    char *why;          /* owned */
};
/* Takes @start. The first try may begin at once. */
struct rm_talk *rm_talk_new(struct rm_start *start, int64_t now_ms, int64_t max_wait_ms);
void rm_talk_free(struct rm_talk *t);
/* Begins a try: encodes the request, unless an earlier try has, and connects. */
void rm_talk_begin(struct rm_talk *t, int64_t now_ms);
/* Goes on, after the socket has become ready. */
void rm_talk_work(struct rm_talk *t, int64_t now_ms);
/* Ends a try that takes too long, and a start whose next try was due but could not begin in time.
 */
void rm_talk_check_time(struct rm_talk *t, int64_t now_ms);
/* Returns what the socket is to be polled for. */
short rm_talk_events(const struct rm_talk *t);

#endif
