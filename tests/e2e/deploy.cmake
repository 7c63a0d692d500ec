creel_script_test(e2e_deploy_files ${CMAKE_SOURCE_DIR}/tests/e2e/deploy_files.sh LABELS e2e TIMEOUT 120)
