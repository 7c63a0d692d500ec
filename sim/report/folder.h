/* sim/report/folder.h - where a report is written: a folder of its own. What is there is not overwritten unless that
 * is asked for, and then nothing of it stays behind beside the new report. */
#ifndef CREEL_SIM_REPORT_FOLDER_H
#define CREEL_SIM_REPORT_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

/* Makes the folder @dir, or takes an empty one. One with something in it is refused (-BASE_EEXIST), unless @force and it
 * holds a report: then the report's files are removed, and what else is there stays. */
int sim_report_folder(const char *dir, bool force, struct base_error *err);
/* The same for a single file: -BASE_EEXIST where @path is a file and not @force. @option names it in the message. */
int sim_report_file(const char *option, const char *path, bool force, struct base_error *err);

#endif
