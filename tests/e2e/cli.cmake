creel_script_test(e2e_cli ${CMAKE_SOURCE_DIR}/tests/e2e/cli.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_dev ${CMAKE_SOURCE_DIR}/tests/e2e/cli_dev.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_words ${CMAKE_SOURCE_DIR}/tests/e2e/cli_words.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_installed ${CMAKE_SOURCE_DIR}/tests/e2e/cli_installed.sh
                  LABELS e2e TIMEOUT 120)
creel_test(test_cli_rms SOURCES e2e/test_cli_rms.c LIBS creel_base util LABELS e2e
           ARGS $<TARGET_FILE:creel> TIMEOUT 120)
creel_script_test(e2e_cli_dev_ha ${CMAKE_SOURCE_DIR}/tests/e2e/cli_dev_ha.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_tls ${CMAKE_SOURCE_DIR}/tests/e2e/tls.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_ha_cli ${CMAKE_SOURCE_DIR}/tests/e2e/ha_cli.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_unreachable ${CMAKE_SOURCE_DIR}/tests/e2e/unreachable.sh LABELS e2e
                  TIMEOUT 300)
creel_script_test(e2e_cut_node ${CMAKE_SOURCE_DIR}/tests/e2e/cut_node.sh LABELS e2e TIMEOUT 300)
set_tests_properties(e2e_unreachable e2e_cut_node PROPERTIES SKIP_RETURN_CODE 77)
creel_script_test(e2e_doctor ${CMAKE_SOURCE_DIR}/tests/e2e/doctor.sh LABELS e2e TIMEOUT 180)
