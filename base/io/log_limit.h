/* base/io/log_limit.h - limits how often one kind of line is logged, so that a client that causes
 * it as fast as it can does not fill the disk. Thread-safe, without a lock. */
#ifndef CREEL_BASE_IO_LOG_LIMIT_H
#define CREEL_BASE_IO_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised. */
struct base_log_limit {
    _Atomic int64_t logged_ms; /* when the latest line was allowed; 0: none was */
    _Atomic int64_t left_out;  /* lines refused since then */
};

/* Returns true if a line may be logged at @now_ms, of a monotonic clock and not 0: the first one,
 * or one at least @interval_ms after the latest. Then *left_out is the number of lines that were
 * refused in between. @left_out: may be NULL. */
bool base_log_limit_allows(struct base_log_limit *l, int64_t now_ms, int64_t interval_ms,
                           int64_t *left_out);

#endif
