/* api/audit/limit.h - limits the audit lines about refusals. A client that repeats refused
 * requests as fast as it can must not fill the disk: in each window API_AUDIT_REFUSALS refusals of
 * an address are logged, the others are counted. Counts are kept for API_AUDIT_ADDRESSES addresses;
 * addresses that come later in the window share one count, so that a client with many addresses
 * gains nothing. The user's name plays no part, since clients choose it.
 *
 * Pure: callers pass the time and guard the counts with a lock. */
#ifndef CREEL_API_AUDIT_LIMIT_H
#define CREEL_API_AUDIT_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { API_AUDIT_REFUSALS = 20, API_AUDIT_ADDRESSES = 32, API_AUDIT_WINDOW_S = 60 };

struct api_audit_count {
    char ip[64]; /* "others": the addresses that share a count */
    int64_t lines, left_out;
};
struct api_audit_limit { /* zero-initialised: no window has begun */
    int64_t since_us;    /* beginning of the window; valid when n > 0 */
    size_t n;
    struct api_audit_count of[API_AUDIT_ADDRESSES + 1];
};

/* Counts a refusal of @ip in the window, which begins with the first refusal. Returns true when the
 * refusal may be logged. */
bool api_audit_limit_count_and_may_log(struct api_audit_limit *l, const char *ip, int64_t now_us);
/* Returns true when a window has begun and is over: read its counts, then set @l to zeros. */
bool api_audit_limit_window_is_over(const struct api_audit_limit *l, int64_t now_us);

#endif
