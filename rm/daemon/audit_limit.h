/* rm/daemon/audit_limit.h - limits the audit lines about refusals. A client that repeats refused
 * requests as fast as it can must not fill the disk: in each window an address leaves
 * RM_AUDIT_REFUSALS lines, the others are counted.
 * Counts are kept for RM_AUDIT_ADDRESSES addresses; those that come later in the window share one
 * count, so that a client with many addresses gains nothing. The user's name plays no part: it is
 * what the client says.
 *
 * Pure: times are given, the caller locks. */
#ifndef CREEL_RM_DAEMON_AUDIT_LIMIT_H
#define CREEL_RM_DAEMON_AUDIT_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RM_AUDIT_REFUSALS = 20, RM_AUDIT_ADDRESSES = 32, RM_AUDIT_WINDOW_S = 60 };

struct rm_audit_count {
    char ip[64]; /* "others": all that came when there was no more room */
    int64_t lines, left_out;
};
struct rm_audit_limit { /* zeros to begin with */
    int64_t since_us;   /* of the window, when n > 0 */
    size_t n;
    struct rm_audit_count of[RM_AUDIT_ADDRESSES + 1];
};

/* Counts a refusal of @ip in the window, which begins with the first one. True: it may leave a
 * line. */
bool rm_audit_limit_take(struct rm_audit_limit *l, const char *ip, int64_t now_us);
/* There is a window and it is over: read the counts, and begin with zeros. */
bool rm_audit_limit_over(const struct rm_audit_limit *l, int64_t now_us);

#endif
