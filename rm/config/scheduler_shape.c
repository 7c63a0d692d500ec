#include "rm/config/scheduler_shape.h"

#include <string.h>

#define KEY "creel.yarn.scheduler-shape"

static const char *const names[] = {
    [RM_SHAPE_CAPACITY] = "capacity", [RM_SHAPE_FAIR] = "fair", [RM_SHAPE_FIFO] = "fifo"};

static int find_shape(const struct base_conf *conf)
{
    const char *name = base_conf_get(conf, KEY);

    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        if (name && strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int rm_scheduler_shape_check(const struct base_conf *conf, struct base_error *err)
{
    if (find_shape(conf) >= 0)
        return 0;
    return base_error_set(err, -BASE_EINVAL, KEY ": \"%.100s\" is not capacity, fair or fifo",
                          base_conf_get(conf, KEY));
}

enum rm_shape rm_scheduler_shape_read(const struct base_conf *conf)
{
    int shape = find_shape(conf);

    return shape < 0 ? RM_SHAPE_CAPACITY : (enum rm_shape)shape;
}
