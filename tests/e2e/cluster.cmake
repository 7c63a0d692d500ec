creel_script_test(e2e_wordcount ${CMAKE_SOURCE_DIR}/tests/e2e/wordcount.sh LABELS e2e TIMEOUT 600)
creel_script_test(fault_nm_lost ${CMAKE_SOURCE_DIR}/tests/fault/nm_lost.sh
                  LABELS "e2e;fault" TIMEOUT 600)
creel_script_test(fault_rm_killed ${CMAKE_SOURCE_DIR}/tests/fault/rm_killed.sh
                  LABELS "e2e;fault" TIMEOUT 600)
creel_script_test(fault_nm_restarted ${CMAKE_SOURCE_DIR}/tests/fault/nm_restarted.sh
                  LABELS "e2e;fault" TIMEOUT 300)
foreach(seed 1 2 3)
  creel_script_test(fault_random_kills_${seed} ${CMAKE_SOURCE_DIR}/tests/fault/random_kills.sh
                    LABELS "e2e;fault" ARGS ${seed} TIMEOUT 600)
endforeach()
creel_script_test(fault_full_disk ${CMAKE_SOURCE_DIR}/tests/fault/full_disk.sh
                  LABELS "e2e;fault" TIMEOUT 300)
set_tests_properties(fault_full_disk PROPERTIES SKIP_RETURN_CODE 77)
creel_script_test(e2e_job_steps ${CMAKE_SOURCE_DIR}/tests/e2e/job_steps.sh LABELS "e2e;fault"
                  TIMEOUT 300)
creel_script_test(e2e_steps_hang ${CMAKE_SOURCE_DIR}/tests/e2e/steps_hang.sh LABELS "e2e;fault"
                  TIMEOUT 300)
# Preloaded into creel-task; built without sanitizers even when that has them.
add_library(creel_hold_step MODULE ${CMAKE_SOURCE_DIR}/tests/fault/hold_step.c)
set_target_properties(creel_hold_step PROPERTIES PREFIX "" OUTPUT_NAME hold_step
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
target_compile_options(creel_hold_step PRIVATE -fno-sanitize=all)
target_link_options(creel_hold_step PRIVATE -fno-sanitize=all)
