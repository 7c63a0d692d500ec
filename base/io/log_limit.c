#include "base/io/log_limit.h"

#include <stdatomic.h>

bool base_log_limit_allows(struct base_log_limit *l, int64_t now_ms, int64_t interval_ms,
                           int64_t *left_out)
{
    int64_t last_ms = atomic_load(&l->logged_ms), n;

    if ((last_ms && now_ms - last_ms < interval_ms) ||
        !atomic_compare_exchange_strong(&l->logged_ms, &last_ms, now_ms)) {
        atomic_fetch_add(&l->left_out, 1);
        return false;
    }
    n = atomic_exchange(&l->left_out, 0);
    if (left_out)
        *left_out = n;
    return true;
}
