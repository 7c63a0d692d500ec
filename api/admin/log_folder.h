/* api/admin/log_folder.h - GET /logs: the daemon's own log files, in the folder hadoop.log.dir.
 *
 * Only plain files directly in the folder are listed and sent: no links, no folders, nothing whose
 * name begins with a dot. Every other name, whatever it contains, is 404. */
#ifndef CREEL_API_ADMIN_LOG_FOLDER_H
#define CREEL_API_ADMIN_LOG_FOLDER_H

#include "api/server/server.h"

#define API_LOG_FILES_MAX 10000 /* most files listed */

/* Answers with the list of files (@name NULL or ""), or with the file @name. @folder NULL or "":
 * there is no folder; answers 404. */
void api_log_folder_answer(struct api_request *rq, const char *folder, const char *name);
/* Opens a file for reading and sets *@size. Returns a descriptor, or -1 when there is no such
 * plain file. */
int api_log_folder_open(const char *folder, const char *name, int64_t *size);

#endif
