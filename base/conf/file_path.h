/* base/conf/file_path.h - paths as users write them: absolute, or as a file:// URI. No file is
 * accessed. */
#ifndef CREEL_BASE_CONF_FILE_PATH_H
#define CREEL_BASE_CONF_FILE_PATH_H

#include "base/error.h"

/* Extracts the path from a file:// URI (percent-decoded; host empty or "localhost") or an
 * absolute path; caller frees. Returns 0, or -BASE_EINVAL with *out NULL when @text is neither,
 * names another host, has a wrong percent escape, is too long or is not UTF-8. */
int base_file_path_parse(const char *text, char **out, struct base_error *err);
/* Returns 0, or -BASE_EINVAL when @path is not UTF-8: paths travel in JSON, which can carry nothing
 * else. */
int base_file_path_check_utf8(const char *path, struct base_error *err);
/* Removes trailing slashes from @path, but not the only one of "/". */
void base_file_path_strip_trailing_slashes(char *path);

#endif
