/* sim/report/folder.h - prepares the place where a report is written. Existing files are
 * overwritten only on request, and then the files of the older report are removed first. */
#ifndef CREEL_SIM_REPORT_FOLDER_H
#define CREEL_SIM_REPORT_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

/* Creates @dir, or accepts it if it is empty. Fails with -BASE_EEXIST if @dir has contents, unless
 * @force is set and the contents include a report: then the report's files are removed (among them
 * every .svg file, and every .dat and .gp file in @dir/data) and other files stay. */
int sim_report_prepare_folder(const char *dir, bool force, struct base_error *err);
/* Fails with -BASE_EEXIST if @path is a regular file and @force is not set. @option is the
 * command-line option named in the message. */
int sim_report_check_output_file(const char *option, const char *path, bool force,
                                 struct base_error *err);

#endif
