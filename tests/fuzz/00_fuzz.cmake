# creel_fuzz(NAME SOURCES ... LIBS ... [RUNS n] [TIMEOUT s]): a fuzz target, run by CTest with the
# label fuzz. With CREEL_FUZZ it is a libFuzzer program that starts from the target's samples and
# runs for CREEL_FUZZ_SECONDS (see fuzz/one); otherwise fuzz_driver.c feeds it mutations of those
# samples drawn by a fixed seed, the same in every run.
# The target defines LLVMFuzzerTestOneInput and creel_fuzz_samples (see fuzz/fuzz.h).
function(creel_fuzz name)
  cmake_parse_arguments(F "" "RUNS;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT F_RUNS)
    set(F_RUNS 20000)
  endif()
  if(NOT F_TIMEOUT)
    set(F_TIMEOUT 300)
  endif()
  add_executable(${name} ${F_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_driver.c)
  target_link_libraries(${name} PRIVATE ${F_LIBS})
  if(CREEL_FUZZ)
    set(F_TIMEOUT 7200) # longer than the 99 minutes that tests/run lets it run at most
    target_compile_definitions(${name} PRIVATE CREEL_FUZZ_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/fuzz/one $<TARGET_FILE:${name}>
             ${CMAKE_BINARY_DIR}/corpus/${name})
  else()
    add_test(NAME ${name} COMMAND ${name} ${F_RUNS})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${F_TIMEOUT})
endfunction()
