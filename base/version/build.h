/* base/version/build.h - which source the running program was built from. */
#ifndef CREEL_BASE_VERSION_BUILD_H
#define CREEL_BASE_VERSION_BUILD_H

/* The commit: 12 hex digits, with "-dirty" appended when files differed from it; "" when the source
 * was no git repository and CREEL_SOURCE_COMMIT was not given to CMake. */
extern const char base_build_commit[];
/* What it was built from, as one word: the commit, else "creel-<version>". */
extern const char base_build_source[];
/* Version and commit for people: "0.1.0 (built from 0123456789ab)", or only the version. */
extern const char base_build_text[];
/* What the daemons report as their build, in YARN's form: "<version> from <source> by creel source
 * checksum none". */
extern const char base_build_yarn_text[];

#endif
