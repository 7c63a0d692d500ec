# The clock that tests/fault/run steps. It is preloaded and so part of no program; the sanitizers'
# libraries must come first, which rules it out in their builds.
if(NOT CREEL_SANITIZE)
  add_library(creel_clock_step MODULE ${CMAKE_SOURCE_DIR}/tests/fault/clock_step.c)
  set_target_properties(creel_clock_step PROPERTIES PREFIX "" OUTPUT_NAME clock_step
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()
creel_script_test(fault_ha ${CMAKE_SOURCE_DIR}/tests/fault/run LABELS "e2e;fault;ha" TIMEOUT 600
                  ARGS --runs 8 --seed 5 --results ${CMAKE_BINARY_DIR}/fault-results)
set_tests_properties(fault_ha PROPERTIES SKIP_RETURN_CODE 77)
creel_script_test(fault_ha_check ${CMAKE_SOURCE_DIR}/tests/fault/ha_check_test.sh
                  LABELS "fault;ha" TIMEOUT 60)
foreach(script paused cuts rolling wordcount)
  creel_script_test(fault_ha_${script} ${CMAKE_SOURCE_DIR}/tests/fault/ha_${script}.sh
                    LABELS "e2e;fault;ha" TIMEOUT 600)
endforeach()
creel_script_test(fault_ha_no_lease ${CMAKE_SOURCE_DIR}/tests/fault/ha_paused.sh
                  LABELS "e2e;fault;ha" TIMEOUT 600 ARGS 2 --no-lease)
