/* rm/config/allocations.h - the reader of Hadoop's fair-scheduler.xml.
 * SOURCE: Hadoop's Fair Scheduler documentation, section "Allocation file format", and what AllocationFileParser and
 * AllocationFileQueueParser accept; of Hadoop 1 the names minMaps, maxMaps, minReduces, maxReduces, maxRunningJobs,
 * poolMaxJobsDefault, userMaxJobsDefault.
 *
 * A file with a mistake is refused whole: "FILE:LINE: ELEMENT: what is wrong, what was expected". As in Hadoop an
 * element of an unknown name is no mistake; it is noted. Read and noted too: what has no effect here (reservations, the
 * largest container of a queue). Limits of resources by default are not root's: they would be the cluster's. A
 * document type declaration is refused, and entities with it; nothing outside the file is read. */
#ifndef CREEL_RM_CONFIG_ALLOCATIONS_H
#define CREEL_RM_CONFIG_ALLOCATIONS_H

#include "base/error.h"
#include "base/mem.h"
#include "policies/common/queues.h"

#define RM_ALLOCATIONS_MAX (4u << 20) /* bytes of a file */

/* Reads @path. On success *@out is new and the caller's (policy_queues_free()), and what was noted is in the log;
 * otherwise *@out is not touched. out->rules_given tells whether the file has placement rules; without any, Hadoop's
 * defaults are there (policy_queues_default_rules()). */
int rm_allocations_read(const char *path, struct policy_queues *out, struct base_error *err);
/* The same of @len bytes called @name; notes are added to @notes, a line each (NULL: not wanted). */
int rm_allocations_parse(const char *name, const char *data, size_t len, struct policy_queues *out,
                         struct base_buf *notes, struct base_error *err);

/* "10000 mb, 10 vcores", "50%", "50% memory, 40% cpu", "vcores=10, memory-mb=1024, map-slots=5", "vcores=50%".
 * -BASE_EINVAL with what is wrong and what was expected. */
int rm_allocations_limit(const char *text, struct policy_limit *out, struct base_error *err);

#endif
