/* tests/unit/start_namer.h - a server that refuses signed requests and names a start id, rightly or
 * as somebody without the key would, and counts the requests. One of them per process. */
#ifndef CREEL_TESTS_START_NAMER_H
#define CREEL_TESTS_START_NAMER_H

#include <stdint.h>

enum start_namer_way {
    NAMER_NEW_ID,      /* 401 with another id each time, signed */
    NAMER_SAME_ID,     /* 401 with the id that the request was signed for, signed */
    NAMER_NO_MAC,      /* 401 with an id that is not signed */
    NAMER_OTHER_KEY,   /* 401 with an id that somebody else has signed */
    NAMER_OTHER_NONCE, /* 401 with an id that was signed for another request */
    NAMER_CHANGED_ID,  /* 401 with another id than the one that was signed */
    NAMER_STATUS_200,  /* 200 with an id that is signed */
    NAMER_STATUS_403,  /* 403 with an id that is signed */
};

/* Starts the server. Returns its port on 127.0.0.1. */
uint16_t start_namer_start(void);
/* From now on the server answers in @way; its count of requests begins anew. */
void start_namer_set_way(enum start_namer_way way);
unsigned start_namer_count_requests(void);
void start_namer_stop(void);

#endif
