#include "ha/store/store.h"

#include <string.h>

static const struct ha_store_ops *const backends[] = {&ha_store_sqlite, &ha_store_memory};

const struct ha_store_ops *ha_store_find(const char *name)
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    return NULL;
}
