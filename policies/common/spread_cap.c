#include "policies/common/spread_cap.h"

int32_t policy_spread_cap(int32_t node_slots, int64_t outstanding, int64_t capacity)
{
    if (capacity <= 0 || outstanding >= capacity)
        return node_slots;
    return (int32_t)(((int64_t)node_slots * outstanding + capacity - 1) / capacity);
}
