creel_script_test(e2e_am ${CMAKE_SOURCE_DIR}/tests/e2e/am.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_am_ha ${CMAKE_SOURCE_DIR}/tests/e2e/am_ha.sh LABELS e2e TIMEOUT 300)
