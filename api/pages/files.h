/* api/pages/files.h - the files below /static that pages use: their style, script and icon, built
 * into the programs. */
#ifndef CREEL_API_PAGES_FILES_H
#define CREEL_API_PAGES_FILES_H

#include "api/pages/content.h" /* made by embed.cmake: the addresses API_FILES_* */
#include "api/server/server.h"

struct api_file {
    const char *name; /* below /static */
    const char *type;
    size_t len;
    const char *bytes;
};
extern const struct api_file api_files[];
extern const size_t api_files_n;

/* A table with the one route below /static, which both daemons serve. The style sheet has the same
 * name as YARN's. */
extern const struct api_route api_files_routes[];
extern const size_t api_files_routes_n;

#endif
