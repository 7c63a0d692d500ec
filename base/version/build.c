/* base/version/build.c - the texts of base/version/build.h. It is a library of its own, so that
 * after a new commit only this file is compiled again. */
#include "base/version/build.h"

#include "base/commit.h"
#include "base/version.h"

#ifdef CREEL_COMMIT
#define SOURCE CREEL_COMMIT
const char base_build_commit[] = CREEL_COMMIT;
const char base_build_text[] = CREEL_VERSION " (built from " CREEL_COMMIT ")";
#else
#define SOURCE "creel-" CREEL_VERSION
const char base_build_commit[] = "";
const char base_build_text[] = CREEL_VERSION;
#endif
const char base_build_source[] = SOURCE;
const char base_build_yarn_text[] = CREEL_VERSION " from " SOURCE " by creel source checksum none";
