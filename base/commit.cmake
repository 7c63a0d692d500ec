# Writes base/commit.h at each build, if its content changed:
#   cmake -D SOURCE=... -D TO=... -P base/commit.cmake
# CREEL_COMMIT is the commit being built, with "-dirty" appended when files differ from it; it is ""
# outside a git repository.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(CONCAT text
  "/* Made at each build. */\n"
  "#ifndef CREEL_BASE_COMMIT_H\n"
  "#define CREEL_BASE_COMMIT_H\n"
  "#define CREEL_COMMIT \"${commit}\"\n"
  "#endif\n")
set(old "")
if(EXISTS "${TO}")
  file(READ "${TO}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${TO}" "${text}")
endif()
