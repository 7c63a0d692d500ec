#include "rm/config/reservable.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

bool rm_reservable_is_enabled(const struct base_conf *conf)
{
    return base_conf_bool(conf, "yarn.resourcemanager.reservation-system.enable");
}

bool rm_reservable_queue_is_configured(const struct base_conf *conf, const char *queue)
{
    bool whole = strcmp(queue, "root") == 0 || strncmp(queue, "root.", 5) == 0;
    char *key = base_printf("yarn.scheduler.capacity.%s%s.reservable", whole ? "" : "root.", queue);
    const char *value = base_conf_get(conf, key);
    bool reservable = value && strcasecmp(value, "true") == 0;

    free(key);
    return reservable;
}
