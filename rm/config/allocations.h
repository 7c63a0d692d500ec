/* rm/config/allocations.h - the reader of Hadoop's fair-scheduler.xml.
 * SOURCE: Hadoop's Fair Scheduler documentation, section "Allocation file format", and what
 * AllocationFileParser and AllocationFileQueueParser accept; from Hadoop 1 the names minMaps,
 * maxMaps, minReduces, maxReduces, maxRunningJobs, poolMaxJobsDefault, userMaxJobsDefault.
 *
 * A file with a mistake is refused as a whole: "FILE:LINE: ELEMENT: what is wrong, what was
 * expected". As in Hadoop, an unknown element is no mistake, but it is noted. Elements without an
 * effect here (reservations, the largest container of a queue) are noted too. Default limits of
 * resources do not apply to root, since they would limit the whole cluster. A document type
 * declaration is refused, and entities with it; nothing outside the file is read. */
#ifndef CREEL_RM_CONFIG_ALLOCATIONS_H
#define CREEL_RM_CONFIG_ALLOCATIONS_H

#include "base/error.h"
#include "base/mem.h"
#include "policies/common/queues.h"

#define RM_ALLOCATIONS_MAX (4u << 20) /* most bytes of a file */

/* Reads @path. On success *@out is new and owned by the caller (policy_queues_free()), and notes
 * are logged; otherwise *@out is not touched. out->rules_given is true when the file has placement
 * rules; a file without any gets Hadoop's defaults (policy_queues_default_rules()). */
int rm_allocations_read_file(const char *path, struct policy_queues *out, struct base_error *err);
/* Parses @len bytes; @name stands for the file in messages. Adds the notes to @notes, one per line
 * (NULL: drops them). */
int rm_allocations_parse_text(const char *name, const char *data, size_t len,
                              struct policy_queues *out, struct base_buf *notes,
                              struct base_error *err);

/* Parses a limit: "10000 mb, 10 vcores", "50%", "50% memory, 40% cpu", "vcores=10, memory-mb=1024,
 * map-slots=5", "vcores=50%". Returns 0, or -BASE_EINVAL with a message. */
int rm_allocations_parse_limit(const char *text, struct policy_limit *out, struct base_error *err);

#endif
