# Writes base/commit.h at each build, where it differs: cmake -D SOURCE=... -D TO=... -P base/commit.cmake
# The commit that is built, "-dirty" behind it where files differ; "" outside a git repository.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(text "/* Made at each build. */\n#ifndef CREEL_BASE_COMMIT_H\n#define CREEL_BASE_COMMIT_H\n#define CREEL_COMMIT \"${commit}\"\n#endif\n")
set(old "")
if(EXISTS "${TO}")
  file(READ "${TO}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${TO}" "${text}")
endif()
