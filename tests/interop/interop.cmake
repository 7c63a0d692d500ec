# What is compared here does not depend on the compiler's options: in a run of everything the build
# with the address sanitizer does it, and the release build does not do it again.
if(NOT CREEL_SANITIZE MATCHES address)
  return()
endif()
# Creel against the recordings of a real YARN: a test per shape of the scheduler, one for the
# special configurations, and one that replays what real clients send.
foreach(recording capacity fair fifo special clients)
  creel_script_test(interop_${recording} ${CMAKE_SOURCE_DIR}/tests/interop/check
                    LABELS "e2e;interop" TIMEOUT 300 ARGS ${recording})
endforeach()
creel_script_test(interop_compare ${CMAKE_SOURCE_DIR}/tests/interop/compare_test
                  LABELS "unit;interop" TIMEOUT 60)
creel_script_test(interop_tools ${CMAKE_SOURCE_DIR}/tests/interop/tools_test
                  LABELS "unit;interop" TIMEOUT 60)
# The creel command against recordings of the real yarn command.
creel_script_test(interop_yarn_cli ${CMAKE_SOURCE_DIR}/tests/interop/yarn-cli/check
                  LABELS "e2e;interop" TIMEOUT 300)
# Mutations of the recorded requests; by hand with a million: tests/interop/fuzz.
creel_script_test(interop_fuzz ${CMAKE_SOURCE_DIR}/tests/interop/fuzz LABELS "e2e;interop"
                  TIMEOUT 300 ARGS --requests 8000 --seed 1)
