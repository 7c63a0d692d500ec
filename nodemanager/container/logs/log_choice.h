/* nodemanager/container/logs/log_choice.h - decides which logs of an ended application are kept:
 * those that its log aggregation context includes and does not exclude. YARN aggregates only those,
 * too.
 *
 * The patterns are regular expressions that match if they are found anywhere in the name of a file.
 * They have Java's syntax, as far as base/text/java_regex.h understands it; a pattern that is not
 * understood is logged and ignored. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LOGS_LOG_CHOICE_H
#define CREEL_NODEMANAGER_CONTAINER_LOGS_LOG_CHOICE_H

#include <stdbool.h>

#include "base/error.h"

/* The file in the application's folder of logs that holds the patterns until they are applied. */
#define NM_LOG_CHOICE_FILE ".choice"

struct nm_log_choice; /* two patterns, compiled */
/* Compiles the patterns. @include, @exclude: NULL or "": none. Returns NULL when there is neither;
 * a pattern that is not understood is ignored, after a warning in the log. */
struct nm_log_choice *nm_log_choice_new(const char *include, const char *exclude);
void nm_log_choice_free(struct nm_log_choice *c);
bool nm_log_choice_keeps(const struct nm_log_choice *c, const char *name);

/* Writes the patterns into @folder, the logs of an application. Does nothing when both are NULL or
 * "". */
int nm_log_choice_save(const char *folder, const char *include, const char *exclude,
                       struct base_error *err);
/* Reads the patterns in @folder, an open folder of an application's logs. Returns NULL when there
 * are none, or none that can be read. */
struct nm_log_choice *nm_log_choice_read(int folder);
/* Removes log files of @folder's containers that are not chosen, and then the patterns. Does
 * nothing when there are no patterns (any more). Follows no link. */
void nm_log_choice_remove_unchosen(const char *folder);

#endif
