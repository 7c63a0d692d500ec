# Writes base/commit.h at each build, if its content changed:
#   cmake -D SOURCE=... -D TO=... [-D COMMIT=...] -P base/version/commit.cmake
# CREEL_COMMIT is the commit being built, with "-dirty" appended when files differ from it; COMMIT
# names it where SOURCE is a copy without its repository, as for packages. Without either,
# CREEL_COMMIT is not defined.
set(commit "${COMMIT}")
if(commit STREQUAL "" AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(define "")
if(NOT commit STREQUAL "")
  set(define "#define CREEL_COMMIT \"${commit}\"\n")
endif()
string(CONCAT text
  "/* Made at each build. */\n"
  "#ifndef CREEL_BASE_COMMIT_H\n"
  "#define CREEL_BASE_COMMIT_H\n"
  "${define}"
  "#endif\n")
set(old "")
if(EXISTS "${TO}")
  file(READ "${TO}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${TO}" "${text}")
endif()
