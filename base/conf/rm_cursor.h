/* base/conf/rm_cursor.h - chooses which of a cluster's ResourceManagers is asked next: for the
 * NodeManager, its tasks and the command line. Pure.
 *
 * One RM is asked at a time. An RM that cannot be reached or refuses us is skipped at once. A
 * redirect (307) of a standby to the active RM is followed at once, unless its target has failed in
 * this round already. When every RM of the list has failed, the round is over: the caller pauses,
 * longer each time, and the next round begins with no RM marked as failed.
 *
 *   request to url  -> answered by the active RM   -> note_success    ask the same RM next time
 *                   -> 307 with Location           -> follow_redirect ask there at once
 *                   -> no connection, time-out,
 *                      5xx, anything else          -> skip_failed     ask the next one at once, or
 *                                                                     after a pause
 *                   -> no answer yet, and another
 *                      RM says that it leads       -> jump_to_leader  ask there at once
 *
 * Each request lists the RMs that have failed in this round (header BASE_RM_FAILED_HEADER), so that
 * a standby does not redirect us to one of them; a standby may hold a NodeManager's request until
 * there is another leader. */
#ifndef CREEL_BASE_CONF_RM_CURSOR_H
#define CREEL_BASE_CONF_RM_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

#define BASE_RM_LIST_MAX      16
#define BASE_RM_URL_MAX       512              /* bytes of one address, with the NUL */
#define BASE_RM_FAILED_HEADER "X-Creel-Failed" /* base URLs, separated by commas */

struct base_rm_list {
    /* owned; "http://host:port", perhaps with a path, without a slash at the end */
    char *url[BASE_RM_LIST_MAX];
    size_t n;
};
/* Returns the length of the "scheme://host:port" with which @url begins, or 0 when @url is not an
 * absolute http or https URL. */
size_t base_rm_url_base_len(const char *url);
/* Returns true when @list (separated by commas or white space) contains @url. Ignores case and
 * slashes at the end. */
bool base_rm_url_is_in_list(const char *list, const char *url);

struct base_rm_cursor {
    const struct base_rm_list *list; /* borrowed, not empty */
    size_t at;                       /* index of the current RM in the list */
    /* URL of the current RM when a redirect led out of the list, else "" */
    char moved[BASE_RM_URL_MAX];
    bool answered; /* the current RM has answered as the active one */
    /* follow no redirect out of the list; for callers whose requests carry a secret */
    bool listed_only;
    unsigned hops;          /* redirects in a row */
    struct base_buf failed; /* URLs that have failed in this round, separated by commas */
};
void base_rm_cursor_init(struct base_rm_cursor *t, const struct base_rm_list *list);
void base_rm_cursor_free(struct base_rm_cursor *t);
/* Returns the URL of the RM to ask now; borrowed until the next of the calls below. */
const char *base_rm_cursor_url(const struct base_rm_cursor *t);
/* Returns the value for BASE_RM_FAILED_HEADER, or NULL when no RM has failed in this round.
 * Borrowed until the next of the calls below. */
const char *base_rm_cursor_failed_urls(const struct base_rm_cursor *t);
/* The current RM has answered as the active one: it is asked next time too, and a new round
 * begins. */
void base_rm_cursor_note_success(struct base_rm_cursor *t);
/* The current RM has failed: goes on to the next one. Returns true when it may be asked at once,
 * false when the round is over and the caller has to pause first. */
bool base_rm_cursor_fail_and_advance(struct base_rm_cursor *t);
/* The current RM has answered 307 with @location ("": without one): goes there and returns true.
 * When @location is not an http or https URL, is the current RM, has failed in this round, ends too
 * long a chain of redirects or is ruled out by listed_only, acts as
 * base_rm_cursor_fail_and_advance() instead. */
bool base_rm_cursor_follow_redirect(struct base_rm_cursor *t, const char *location);
/* The RM at @url, one of the list, has said that it leads while the current RM was being asked:
 * goes to @url, even if it has failed in this round, and marks only the previous RM as failed. */
void base_rm_cursor_jump_to_leader(struct base_rm_cursor *t, const char *url);

#endif
