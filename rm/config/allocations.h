/* rm/config/allocations.h - reads Hadoop's fair-scheduler.xml.
 * SOURCE: Hadoop's Fair Scheduler documentation, section "Allocation file format", and what
 * AllocationFileParser and AllocationFileQueueParser accept. The names minMaps, maxMaps,
 * minReduces, maxReduces, maxRunningJobs, poolMaxJobsDefault and userMaxJobsDefault come from
 * Hadoop 1.
 *
 * A file with a mistake is refused as a whole, with a message of the form "FILE:LINE: ELEMENT: what
 * is wrong, what was expected" (without ELEMENT where the XML is not valid). As in Hadoop, an
 * unknown element is not a mistake, but it causes a note (a warning in the log). So does an element
 * that has no effect in Creel (reservations, the largest container of a queue). Default resource
 * limits do not apply to root, since they would limit the whole cluster. A document type
 * declaration, and with it any entity, is refused; nothing outside the file is read. */
#ifndef CREEL_RM_CONFIG_ALLOCATIONS_H
#define CREEL_RM_CONFIG_ALLOCATIONS_H

#include "base/error.h"
#include "base/mem.h"
#include "policies/common/queues.h"

#define RM_ALLOCATIONS_MAX (4u << 20) /* largest size of a file, in bytes */

/* Reads @path. Returns 0, -BASE_EINVAL when the file has a mistake, or the error of
 * base_file_read(). On success *@out is new and owned by the caller (policy_queues_free()), and
 * notes are logged; otherwise *@out is not touched. out->rules_given is true when the file has
 * placement rules; a file without any gets Hadoop's defaults (policy_queues_set_default_rules()).
 */
int rm_allocations_read_file(const char *path, struct policy_queues *out, struct base_error *err);
/* As rm_allocations_read_file(), but parses the @len bytes at @data; @name stands for the file in
 * messages. Appends the notes to @notes, one per line, instead of logging them (NULL: drops them).
 * Returns -BASE_ELIMIT when @len exceeds RM_ALLOCATIONS_MAX. */
int rm_allocations_parse_text(const char *name, const char *data, size_t len,
                              struct policy_queues *out, struct base_buf *notes,
                              struct base_error *err);

/* Parses a limit: "10000 mb, 10 vcores", "50%", "50% memory, 40% cpu", "vcores=10, memory-mb=1024,
 * map-slots=5", "vcores=50%". Returns 0, or -BASE_EINVAL with a message. */
int rm_allocations_parse_limit(const char *text, struct policy_limit *out, struct base_error *err);

#endif
