creel_script_test(e2e_rm ${CMAKE_SOURCE_DIR}/tests/e2e/rm.sh LABELS e2e TIMEOUT 120)
creel_script_test(e2e_rm_full ${CMAKE_SOURCE_DIR}/tests/e2e/rm_full.sh LABELS e2e TIMEOUT 120)
