/* base/conf/rm_turn.h - which of a cluster's ResourceManagers is asked next. For the NodeManager,
 * its tasks and the command line alike. Pure.
 *
 * Asking (struct base_rm_turn): one RM is asked at a time. One that cannot be reached or has no use
 * for us is passed over at once; a standby that knows better sends us on (307), which is followed
 * at once, unless it leads back to one that has failed in this round. When nobody is left the round
 * is over: the caller pauses, longer each time, and the next round begins without prejudice.
 *
 *   url --request--> answered by the active one -> good     the same again next time
 *                    307 with Location          -> moved    at once
 *                    no connection, time-out,
 *                    5xx, anything else         -> bad      at once, or after a pause
 *                    nothing yet, and another
 *                    one says that it leads     -> leads    at once, there
 *
 * Who failed in this round is told to the others (header BASE_RM_FAILED_HEADER): a standby that
 * would send us there answers otherwise, or lets a NodeManager wait until there is another
 * leader. */
#ifndef CREEL_BASE_CONF_RM_TURN_H
#define CREEL_BASE_CONF_RM_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

#define BASE_RM_LIST_MAX      16
#define BASE_RM_URL_MAX       512              /* bytes of one address, with the NUL */
#define BASE_RM_FAILED_HEADER "X-Creel-Failed" /* base addresses, separated by commas */

struct base_rm_list {
    char *url[BASE_RM_LIST_MAX]; /* "http://host:port", maybe with a path, no slash at the end;
                                    owned */
    size_t n;
};
/* Length of "scheme://host:port" at the head of an absolute http or https URL; 0: it is none. */
size_t base_rm_base(const char *url);
/* Is @url among @list (separated by commas)? Compared up to a slash at the end, in either case. */
bool base_rm_among(const char *list, const char *url);

struct base_rm_turn {
    const struct base_rm_list *list; /* borrowed, not empty */
    size_t at;
    char moved[BASE_RM_URL_MAX]; /* where a standby sent us, when that is none of the list; else ""
                                  */
    bool answered;               /* the one we ask now has answered as the active one */
    bool listed_only; /* set by those who send a secret along: redirections out of the list are not
                         followed */
    unsigned hops;    /* redirections in a row */
    struct base_buf failed; /* in this round, separated by commas */
};
void base_rm_turn_init(struct base_rm_turn *t, const struct base_rm_list *list);
void base_rm_turn_free(struct base_rm_turn *t);
/* Base address to ask now; borrowed until the next of the calls below. */
const char *base_rm_turn_url(const struct base_rm_turn *t);
/* Value for BASE_RM_FAILED_HEADER; NULL: nobody failed. Borrowed likewise. */
const char *base_rm_turn_failed(const struct base_rm_turn *t);
void base_rm_turn_good(struct base_rm_turn *t);
/* True: ask the next one at once. False: the round is over, pause first. */
bool base_rm_turn_bad(struct base_rm_turn *t);
/* 307. @location: "" when there was none, which counts as bad; so does, with listed_only, one out
 * of the list. */
bool base_rm_turn_moved(struct base_rm_turn *t, const char *location);
/* @url, one of the list, has said itself that it leads while another one was asked: it comes next,
 * whatever has failed in this round until now; who was asked has failed. */
void base_rm_turn_leads(struct base_rm_turn *t, const char *url);

#endif
