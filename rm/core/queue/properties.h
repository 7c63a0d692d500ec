/* rm/core/queue/properties.h - the scheduler configuration: names with values, as in Hadoop's
 * capacity-scheduler.xml. */
#ifndef CREEL_RM_CORE_QUEUE_PROPERTIES_H
#define CREEL_RM_CORE_QUEUE_PROPERTIES_H

#include <stddef.h>

struct rm_property {
    char *name, *value; /* the value is never empty */
};
struct rm_properties { /* sorted by name, without duplicates */
    struct rm_property *v;
    size_t n, cap;
};

/* Returns the value, borrowed until the next change; NULL: there is none. */
const char *rm_properties_get(const struct rm_properties *p, const char *name);
/* Sets the property to a copy of @value; NULL or "" removes the property. */
void rm_properties_set(struct rm_properties *p, const char *name, const char *value);
/* Removes all properties whose names begin with @prefix. */
void rm_properties_remove_with_prefix(struct rm_properties *p, const char *prefix);
/* Replaces @to by a copy of @from. */
void rm_properties_copy(struct rm_properties *to, const struct rm_properties *from);
void rm_properties_free(struct rm_properties *p); /* @p is empty then */

#endif
